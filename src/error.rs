//! The one error of haymark: a sentence a person can act on.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A failure: what happened, where, and what to do about it.
///
/// Printed as one sentence: `study.jsonl, line 3: "number" is missing; give every document its position`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    what: String,
    file: Option<PathBuf>,
    line: Option<u64>,
    json_path: Option<String>,
    advice: Option<String>,
    topic: Option<Topic>,
    kind: ErrorKind,
}

named! {
    /// A topic of `haymark help` that explains several commands at once.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Topic {
        Filters = "filters",
        Formats = "formats",
        Protocols = "protocols",
        Statistics = "statistics",
    }
}

/// Kinds of errors that callers react to; everything else is only printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Something could not be done; the sentence says what.
    Failed,
    /// Another process holds the study file; trying again helps.
    Busy,
    /// The system would not do it: no lock, no room, a disk that cannot be read. The study file may well be
    /// sound.
    System,
    /// The study file itself cannot be read, whatever is asked of it.
    Damaged,
    /// The command line asks for something that does not exist (exit status 2).
    Usage,
    /// The study holds nothing of what was asked for.
    Nothing,
    /// The hub cannot be reached; trying again later helps.
    Unreachable,
    /// The hub has no place for one more connection; trying again in a moment helps.
    Full,
    /// The hub refuses: a password, a removed member, a row that is somebody else's.
    Refused,
    /// The hub's server gives the login no right to it.
    NoRight,
    /// The hub's server has no such database.
    NoDatabase,
    /// The hub is of a haymark of another version.
    OtherVersion,
    /// The person stopped the work.
    Stopped,
}

/// The result of everything that can fail with a sentence.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error that says `what` could not be done or what is wrong.
    pub fn new(what: impl Into<String>) -> Error {
        Error {
            what: what.into(),
            file: None,
            line: None,
            json_path: None,
            advice: None,
            topic: None,
            kind: ErrorKind::Failed,
        }
    }

    /// An error of the command line: exit status 2.
    pub fn usage(what: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Usage, ..Error::new(what) }
    }

    /// An error for work that was stopped.
    pub fn stopped() -> Error {
        Error { kind: ErrorKind::Stopped, ..Error::new("it was stopped") }
    }

    /// An error because the study holds nothing of the kind.
    pub fn nothing(what: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Nothing, ..Error::new(what) }
    }

    /// An error that goes away when the other process is done.
    pub fn busy(what: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Busy, ..Error::new(what) }
    }

    /// An error of the system, not of the study file.
    pub fn system(what: impl Into<String>) -> Error {
        Error { kind: ErrorKind::System, ..Error::new(what) }
    }

    /// An error of the study file itself.
    pub fn damaged(what: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Damaged, ..Error::new(what) }
    }

    /// An error of the way to a hub.
    pub fn unreachable(what: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Unreachable, ..Error::new(what) }
    }

    /// An error of a hub that has no place for one more connection.
    pub fn full(what: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Full, ..Error::new(what) }
    }

    /// An error of what a hub does not allow.
    pub fn refused(what: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Refused, ..Error::new(what) }
    }

    /// An error of a right that a hub's server does not give.
    pub fn no_right(what: impl Into<String>) -> Error {
        Error { kind: ErrorKind::NoRight, ..Error::new(what) }
    }

    /// An error of a database that a hub's server does not have.
    pub fn no_database(what: impl Into<String>) -> Error {
        Error { kind: ErrorKind::NoDatabase, ..Error::new(what) }
    }

    /// An error of a hub of another version.
    pub fn other_version(what: impl Into<String>) -> Error {
        Error { kind: ErrorKind::OtherVersion, ..Error::new(what) }
    }

    /// Names the file, unless a more precise place already did.
    #[must_use]
    pub fn in_file(mut self, file: impl AsRef<Path>) -> Error {
        self.file.get_or_insert_with(|| file.as_ref().to_path_buf());
        self
    }

    /// Names the file that is wrong, whatever file was read when that was found.
    #[must_use]
    pub fn of_file(mut self, file: impl AsRef<Path>) -> Error {
        self.file = Some(file.as_ref().to_path_buf());
        self
    }

    /// The file that the error names.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Moves the named file from the folder `from` to the folder `to`, if it lies in `from`.
    #[must_use]
    pub fn moved(mut self, from: &Path, to: &Path) -> Error {
        if let Some(inner) = self.file.as_ref().and_then(|file| file.strip_prefix(from).ok()) {
            self.file = Some(to.iter().chain(inner).collect());
        }
        self
    }

    /// Names the line, counted from 1.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Error {
        self.line.get_or_insert(line);
        self
    }

    /// Names the place inside a JSON value, such as `subtopics[2].insights[0].insight_id`.
    #[must_use]
    pub fn at_path(mut self, path: impl Into<String>) -> Error {
        self.json_path.get_or_insert_with(|| path.into());
        self
    }

    /// Advises what to do.
    #[must_use]
    pub fn advise(mut self, advice: impl Into<String>) -> Error {
        self.advice = Some(advice.into());
        self
    }

    /// Adds one thing more to the advice.
    #[must_use]
    pub fn also(mut self, more: &str) -> Error {
        self.advice = Some(self.advice.map_or_else(|| more.to_owned(), |advice| format!("{advice}; {more}")));
        self
    }

    /// Names the topic that explains more, unless no reading helps against the error.
    #[must_use]
    pub fn under(mut self, topic: Topic) -> Error {
        if matches!(self.kind, ErrorKind::Failed | ErrorKind::Usage) {
            self.topic.get_or_insert(topic);
        }
        self
    }

    /// The topic that explains more.
    pub fn topic(&self) -> Option<Topic> {
        self.topic
    }

    /// What went wrong, as a sentence without place and advice.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// The failure and the advice, without the place: where the place is known and room is scarce.
    pub fn reason(&self) -> String {
        match &self.advice {
            Some(advice) => format!("{}; {advice}", self.what),
            None => self.what.clone(),
        }
    }

    /// Whether the error says nothing about the study file, so that another try may go well.
    pub fn is_passing(&self) -> bool {
        matches!(self.kind, ErrorKind::Busy | ErrorKind::System | ErrorKind::Stopped)
    }

    /// Whether the hub refuses, so that another try goes no better.
    pub fn is_refusal(&self) -> bool {
        matches!(self.kind, ErrorKind::Refused | ErrorKind::NoRight | ErrorKind::NoDatabase)
    }

    /// The kind, for callers that react.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut place = Vec::new();
        if let Some(file) = &self.file {
            place.push(file.display().to_string());
        }
        if let Some(line) = self.line {
            place.push(format!("line {line}"));
        }
        if let Some(path) = &self.json_path {
            place.push(path.clone());
        }
        if !place.is_empty() {
            write!(formatter, "{}: ", place.join(", "))?;
        }
        formatter.write_str(&self.reason())
    }
}

impl std::error::Error for Error {}

/// The error of a failed write, with advice.
pub fn cannot_write(error: impl Into<io::Error>) -> Error {
    let error = error.into();
    match error.kind() {
        io::ErrorKind::NotFound => {
            Error::new("the folder does not exist").advise("make it first, or name another")
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            Error::new("you may not write here").advise("name another folder")
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Error::new("the disk is full").advise("make room, or name another folder")
        }
        io::ErrorKind::FileTooLarge => {
            Error::new("the file may not grow any further, by a limit of the system")
                .advise("raise the limit (`ulimit -f`), or name another disk")
        }
        _ => Error::new(format!("writing failed: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_place_then_fault_then_advice() {
        let error = Error::new("\"number\" is missing")
            .at_line(3)
            .in_file("a.jsonl")
            .advise("give every document its position");
        assert_eq!(
            error.to_string(),
            "a.jsonl, line 3: \"number\" is missing; give every document its position"
        );
    }

    #[test]
    fn the_innermost_place_wins() {
        let error = Error::new("x").at_line(3).at_line(9).at_path("a").at_path("b");
        assert_eq!(error.to_string(), "line 3, a: x");
    }
}
