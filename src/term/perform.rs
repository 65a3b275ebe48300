//! Carrying out what the app wants done: the study file, the clipboard, the worker that matches.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::thread;

use crate::app::kit::finder;
use crate::app::screens::annotate::message::{Append, Appended, Effect, Elsewhere, Find, Message};
use crate::error::{ErrorKind, Result};
use crate::journal::{Entry, Loaded};
use crate::protocol::Protocol;
use crate::store::{Kept, StudyFile};
use crate::study::AnnotatorId;
use crate::term::clipboard::Clipboard;
use crate::term::run::Incoming;

/// What effects work on.
pub struct Performer {
    pub study: StudyFile,
    pub protocol: Arc<Protocol>,
    pub annotator: AnnotatorId,
    pub clipboard: Clipboard,
    /// Where the worker's answers go.
    pub sender: Sender<Incoming<Message>>,
    /// The latest go-to search; older ones stop.
    pub generation: Arc<AtomicU64>,
}

/// What the loop has to do itself, since it owns the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    Redraw,
    Suspend,
    Quit,
}

/// What came of an effect.
pub enum Outcome<M> {
    /// Hand this back to the app.
    Message(M),
    Request(Request),
    /// An answer comes later, or none.
    Nothing,
}

/// How often a read is tried while another process writes; each try waits a quarter of a second.
const TRIES: usize = 120;

/// Reads again while another process holds the study: half a minute of a big import is no reason to leave.
pub(super) fn patiently<T>(mut read: impl FnMut() -> Result<T>) -> Result<T> {
    let mut outcome = read();
    for _ in 1..TRIES {
        match &outcome {
            Err(error) if error.kind() == ErrorKind::Busy => outcome = read(),
            _ => break,
        }
    }
    outcome
}

/// Matches a go-to list in a thread; `latest` is the newest of all searches, and older ones stop.
pub(super) fn search<M: From<Message> + Send + 'static>(
    latest: &Arc<AtomicU64>,
    sender: &Sender<Incoming<M>>,
    generation: u64,
    (needle, entries): (String, Arc<[Entry]>),
) {
    latest.store(generation, Ordering::Relaxed);
    let (latest, sender) = (Arc::clone(latest), sender.clone());
    thread::spawn(move || {
        let is_late = || latest.load(Ordering::Relaxed) != generation;
        if let Some(matches) = finder::find(&entries, &needle, &is_late) {
            // The receiver is gone only when the program is ending.
            let _ = sender.send(Incoming::Message(Message::Matches { generation, matches }.into()));
        }
    });
}

impl Performer {
    /// Carries out one effect. `terminal` takes bytes that are meant for the terminal itself.
    ///
    /// # Errors
    /// The study file can no longer be read.
    pub fn perform(&mut self, effect: Effect, terminal: &mut dyn std::io::Write) -> Result<Outcome<Message>> {
        Ok(match effect {
            Effect::Load(position) => {
                let loaded = patiently(|| self.study.load(self.annotator, &self.protocol, position))?;
                Outcome::Message(Message::Loaded(Box::new(loaded)))
            }
            Effect::Find(find, after) => {
                Outcome::Message(Message::Found(find, patiently(|| self.find(find, after))?))
            }
            Effect::Append(append) => Outcome::Message(self.append(&append)?),
            Effect::Directory => {
                let entries = patiently(|| self.study.directory(self.annotator, &self.protocol.name))?;
                Outcome::Message(Message::Directory(entries.into()))
            }
            Effect::Match { generation, needle, entries } => {
                search(&self.generation, &self.sender, generation, (needle, entries));
                Outcome::Nothing
            }
            Effect::Copy(text) => {
                Outcome::Message(Message::Notice(self.clipboard.copy_and_tell(&text, terminal)))
            }
            Effect::Redraw => Outcome::Request(Request::Redraw),
            Effect::Suspend => Outcome::Request(Request::Suspend),
            Effect::Quit => Outcome::Request(Request::Quit),
        })
    }

    fn find(&self, find: Find, after: usize) -> Result<Option<usize>> {
        let name = &self.protocol.name;
        match find {
            Find::AdvanceOpen => self.study.next_open(self.annotator, name, after, false),
            Find::NextOpen | Find::PreviousOpen => {
                let backwards = find == Find::PreviousOpen;
                match self.study.next_open(self.annotator, name, after, backwards)? {
                    // What was put aside is to do as well, last of all.
                    None => self.study.next_skipped(self.annotator, name, after, backwards),
                    open => Ok(open),
                }
            }
            Find::NextFlagged => self.study.next_flagged(self.annotator, name, after, false),
        }
    }

    fn append(&mut self, append: &Append) -> Result<Message> {
        let done = self.study.append_over(
            &append.shown,
            self.annotator,
            &self.protocol,
            (append.item, append.texts),
            &append.happenings,
            append.wall,
        );
        Ok(match done {
            Ok(Kept::Written(done)) => Message::Appended(Box::new(Appended {
                ids: done.ids,
                standing: done.standing,
                progress: done.progress,
            })),
            Ok(Kept::Elsewhere(progress)) => {
                let load = || self.study.load(self.annotator, &self.protocol, append.position);
                let Loaded { standing, group, .. } = patiently(load)?;
                Message::Elsewhere(Box::new(Elsewhere { standing, group, progress }))
            }
            Err(error) => Message::NotAppended(error),
        })
    }
}
