//! Options of reading: what a person says about a file that the file does not say itself.

use super::{Format, sentence};
use crate::error::{Error, Result};

/// How to read a file. The default says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The judge whose answers responses to judge requests hold.
    pub judge: Option<String>,
}

impl ReadOptions {
    /// Checks that the options fit files of these formats.
    pub fn check(&self, formats: impl IntoIterator<Item = Format>) -> Result<()> {
        let has_responses = formats.into_iter().any(|format| format == Format::JudgeResponses);
        match (self.judge.is_some(), has_responses) {
            (false, true) => Err(nobody()),
            (true, false) => {
                let users = sentence::quoted(Format::JudgeResponses.name());
                let what = format!("--as is for files of the format {users}, and no file is one");
                Err(Error::usage(what).advise("leave it out, or say the format with --format"))
            }
            _ => Ok(()),
        }
    }
}

/// The error for responses without a judge.
pub(super) fn nobody() -> Error {
    Error::usage("the file does not say which judge the answers are of")
        .advise("name the one that the requests were exported for with --as")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(options: &ReadOptions, formats: &[Format]) -> String {
        let error = options.check(formats.iter().copied()).expect_err("refused");
        assert_eq!(error.kind(), crate::error::ErrorKind::Usage);
        error.to_string()
    }

    #[test]
    fn responses_are_somebodys() {
        assert_eq!(
            sentence(&ReadOptions::default(), &[Format::Jsonl, Format::JudgeResponses]),
            "the file does not say which judge the answers are of; name the one that the requests were exported \
             for with --as"
        );
        let options = ReadOptions { judge: Some("gpt".into()) };
        assert_eq!(options.check([Format::JudgeResponses]), Ok(()));
        assert!(
            sentence(&options, &[Format::Jsonl]).starts_with("--as is for files of the format \"judge-resp")
        );
    }
}
