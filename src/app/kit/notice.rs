//! The line that says what just happened.

use crate::error::{Error, ErrorKind};

/// The line at the bottom right.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Notice {
    pub text: String,
    pub is_warning: bool,
}

/// What a screen says of an answer that is not on disk: the reason first, since a path would take its room.
pub fn not_saved(error: &Error) -> String {
    match error.kind() {
        ErrorKind::Busy => "not saved yet: waiting for another haymark to finish writing".to_owned(),
        _ => format!("not saved: {}", error.reason()),
    }
}
