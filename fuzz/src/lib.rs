//! What the targets share: a place for files, a sink that collects, and what every record and every
//! sentence must hold.
//!
//! A target that finds a property broken panics, and libFuzzer keeps the input.

pub mod export;
pub mod records;
pub mod scratch;
pub mod study;

/// Holds an error's sentence or a remark to its form: it says something, on one line, and nothing in
/// it steers a terminal.
///
/// # Panics
/// The sentence has another form.
pub fn assert_sentence(sentence: &str) {
    assert!(!sentence.trim().is_empty(), "a sentence says something");
    let control = sentence.chars().find(|character| character.is_control());
    assert_eq!(control, None, "a control character in the sentence {sentence:?}");
}
