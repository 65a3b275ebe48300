use super::*;

#[test]
fn locks_are_tried_on_files_that_may_be_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    assert_eq!(keeps_locks(&file), None, "there is none");
    assert_eq!(keeps_locks(folder.path()), None);
    std::fs::write(&file, "as it is").expect("written");
    assert_eq!(keeps_locks(&file), Some(true));
    assert_eq!(std::fs::read(&file).expect("read"), b"as it is");
}
