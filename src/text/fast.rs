//! A fast hash for keys that nobody makes collide on purpose; a file that does is only read more slowly.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map with the fast hash.
pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<Multiply>>;

/// Multiplies every eight bytes by a constant and folds the two halves of the product; see `fold`.
#[derive(Default)]
pub struct Multiply(u64);

impl Hasher for Multiply {
    fn write(&mut self, bytes: &[u8]) {
        let (chunks, rest) = bytes.as_chunks();
        chunks.iter().for_each(|chunk| self.write_u64(u64::from_le_bytes(*chunk)));
        self.write_u64((rest.len() as u64) << 56 | word(rest));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = fold(self.0 ^ 0x9e37_79b9_7f4a_7c15, word);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Takes eight bytes more into a hash.
#[expect(clippy::cast_possible_truncation, reason = "the two halves of the product are folded")]
fn fold(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word) * 0xa076_1d64_78bd_642f;
    product as u64 ^ (product >> 64) as u64
}

/// The first eight bytes, or fewer, as one number; the first byte is the lowest.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}
