//! Fingerprints of texts and of versions of protocols.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

/// The first 16 bytes of a SHA-256. Printed and read as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub [u8; 16]);

/// The fingerprint of `parts`, each preceded by its length in bytes (64 bits, big-endian), so that
/// moving text from one part to the next changes it. The same on every machine, for ever.
pub fn fingerprint<Parts>(parts: Parts) -> Fingerprint
where
    Parts: IntoIterator<Item: AsRef<str>>,
{
    let mut hasher = Sha256::new();
    for part in parts {
        let part = part.as_ref();
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    kept(hasher)
}

/// The fingerprint of bytes that come piece by piece, such as those of a file.
#[derive(Debug, Clone, Default)]
pub struct Hashing(Sha256);

impl Hashing {
    /// Takes the next bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The fingerprint of all bytes so far, which does not depend on how they were cut.
    pub fn finish(self) -> Fingerprint {
        kept(self.0)
    }
}

fn kept(hasher: Sha256) -> Fingerprint {
    let mut kept = [0; 16];
    for (to, from) in kept.iter_mut().zip(hasher.finalize()) {
        *to = from;
    }
    Fingerprint(kept)
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:032x}", u128::from_be_bytes(self.0))
    }
}

/// The text read is no fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAFingerprint;

impl fmt::Display for NotAFingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a fingerprint is 32 hexadecimal digits")
    }
}

impl std::error::Error for NotAFingerprint {}

impl FromStr for Fingerprint {
    type Err = NotAFingerprint;

    /// Reads the printed form; capital digits are accepted.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(NotAFingerprint);
        }
        let number = u128::from_str_radix(text, 16).map_err(|_| NotAFingerprint)?;
        Ok(Fingerprint(number.to_be_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected values from Python: `hashlib.sha256(b"".join(len(p).to_bytes(8, "big") + p for p in
    /// parts)).hexdigest()[:32]`, parts in UTF-8.
    #[test]
    fn known_fingerprints() {
        let none: [&str; 0] = [];
        for (parts, expected) in [
            (&none[..], "e3b0c44298fc1c149afbf4c8996fb924"),
            (&["abc"], "c3494ca1a2cf8eeb8a11ded316fb55b8"),
            (&["protocol", "中文"], "b8ae0112a80143d1d3a77fc9f7d7092f"),
        ] {
            assert_eq!(fingerprint(parts).to_string(), expected);
        }
    }

    #[test]
    fn parts_do_not_run_together() {
        let prints = [
            fingerprint(["ab", "c"]),
            fingerprint(["a", "bc"]),
            fingerprint(["abc"]),
            fingerprint(["abc", ""]),
        ];
        for (index, print) in prints.iter().enumerate() {
            assert!(!prints[..index].contains(print));
        }
        assert_eq!(fingerprint(vec![String::from("abc")]), fingerprint(["abc"]));
    }

    #[test]
    fn what_is_printed_is_read_back() {
        let print = Fingerprint([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]);
        assert_eq!(print.to_string(), "000102030405060708090a0b0c0d0eff");
        assert_eq!(print.to_string().parse(), Ok(print));
        assert_eq!(print.to_string().to_uppercase().parse(), Ok(print));
        for wrong in ["", "00", "+00102030405060708090a0b0c0d0eff", "é00102030405060708090a0b0c0d0ef"] {
            assert_eq!(wrong.parse::<Fingerprint>(), Err(NotAFingerprint), "{wrong}");
        }
    }
}
