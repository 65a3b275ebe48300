//! Errors that keep a figure from being written.

use std::collections::BTreeSet;
use std::fmt;

/// A font that cannot be used, or not for these letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaperError {
    /// The bytes are no TrueType or OpenType font.
    NoFont,
    /// A collection has no face at this place, counted from 0; these are the names of its faces.
    NoFace { place: u32, faces: Vec<String> },
    /// No face has these letters, which would be drawn as boxes.
    Missing(BTreeSet<char>),
    /// The font's tables are such that a file cannot hold it.
    NotEmbeddable,
}

impl fmt::Display for PaperError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The most letters that are named.
        const NAMED: usize = 12;
        match self {
            PaperError::NoFont => out.write_str("this is no font"),
            PaperError::NoFace { place, .. } => write!(out, "there is no face #{place}"),
            PaperError::Missing(letters) => {
                let named: Vec<String> = letters.iter().take(NAMED).map(char::to_string).collect();
                let more = if letters.len() > NAMED { " …" } else { "" };
                write!(out, "the typeface lacks {}{more}", named.join(" "))
            }
            PaperError::NotEmbeddable => out.write_str("this font cannot be embedded"),
        }
    }
}

impl std::error::Error for PaperError {}
