//! Words of a text, where they are compared and not only counted.

use unicode_segmentation::UnicodeSegmentation;

/// The words of `text` in lower case.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    text.unicode_words().map(str::to_lowercase).collect()
}
