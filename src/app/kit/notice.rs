//! The line that says what just happened.

/// The line at the bottom right.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Notice {
    pub text: String,
    pub is_warning: bool,
}
