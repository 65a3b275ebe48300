use super::*;

#[test]
fn network_file_systems_are_known_by_their_numbers() {
    // NFS_SUPER_MAGIC, CIFS_SUPER_MAGIC, and those of ext4, btrfs and tmpfs.
    assert_eq!(network_of(0x6969), Some("NFS"));
    assert_eq!(network_of(0xff53_4d42), Some("a Windows share (CIFS)"));
    for local in [0xef53, 0x9123_683e, 0x0102_1994] {
        assert_eq!(network_of(local), None);
    }
}
