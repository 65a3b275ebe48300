//! The hub beside a screen: answers go there and others' work comes here, and no key waits for it. One thread
//! watches the file and tells how much waits, one talks to the hub; each has a connection to the file of its own.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{ErrorKind, Result};
use crate::hub::{Address, HubLink, Turns, about};
use crate::number::number_of;
use crate::store::{Ahead, Exchange, StudyFile, SyncPace, Take};

/// Time between two looks at the file: an answer is on its way after this long at most.
const LOOK: Duration = Duration::from_millis(100);

/// Time between two questions to the hub about others' work: over an open connection, and over new ones.
const ASK: Duration = Duration::from_secs(5);
const ASK_ANEW: Duration = Duration::from_secs(30);

/// The first pause after the hub was not reached, and the longest; each is twice the one before.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(15));

/// The pause after the hub refused, or failed in an unforeseen way.
const LONG_PAUSE: Duration = Duration::from_secs(60);

/// Time without asking for work after the hub had none. Held work is held anew after [`HOLD_AGAIN`].
const NONE: Duration = Duration::from_secs(15);
const HOLD_AGAIN: Duration = Duration::from_secs(30 * 60);

/// Longest time that leaving waits for answers on their way.
const FAREWELL: Duration = Duration::from_secs(2);

/// The way from a study to its hub.
#[derive(Debug, Clone)]
pub(super) struct HubWay {
    path: PathBuf,
    address: String,
    /// The protocol whose work the hub hands out to the person at the screen, if it does.
    pub(super) work: Option<String>,
    /// The revision of the study when the queue on the screen was opened, if there is one.
    pub(super) queue: Option<i64>,
}

/// News for the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum News {
    /// How far the study is shared with the hub, in a word.
    Sharing(String),
    /// A sentence for the person, said once.
    Said(String),
    /// Something came by which the queue on the screen is another one.
    Changed,
}

/// The threads of a screen.
pub(super) struct Courier {
    is_over: Arc<AtomicBool>,
    wake: SyncSender<()>,
    done: Receiver<()>,
}

impl HubWay {
    /// The way of this study; `None` where it has no hub.
    pub(super) fn of(study: &StudyFile) -> Result<Option<HubWay>> {
        let path = study.path().to_path_buf();
        Ok(study.membership()?.map(|membership| HubWay {
            path,
            address: membership.address,
            work: None,
            queue: None,
        }))
    }
}

impl Courier {
    /// Starts the threads, before the screen writes. Closing a file gives up the locks that this program has on it (fcntl(2)),
    /// so the threads open none.
    pub(super) fn start(way: HubWay, tell: impl Fn(News) + Clone + Send + 'static) -> Result<Courier> {
        let (watched, study) = (StudyFile::open(&way.path)?, StudyFile::open(&way.path)?);
        let link = HubLink::to(Address::read(&way.address)?)?.at_once();
        let (wake, woken) = mpsc::sync_channel(1);
        let (finish, done) = mpsc::channel();
        let is_over = Arc::new(AtomicBool::new(false));
        let standing = Arc::new(AtomicU8::new(OFFLINE));
        let watch = FileWatch {
            study: watched,
            wake: wake.clone(),
            is_over: Arc::clone(&is_over),
            standing: Arc::clone(&standing),
        };
        let say = tell.clone();
        thread::spawn(move || watch.run(&say));
        let over = Arc::clone(&is_over);
        thread::spawn(move || {
            // A file that cannot be read now will not be read later.
            if let Err(error) = carry((way.work, way.queue), (study, link), &woken, &over, &standing, &tell) {
                tell(News::Said(error.to_string()));
            }
            // The receiver is gone when the program has ended.
            let _ = finish.send(());
        });
        Ok(Courier { is_over, wake, done })
    }
}

impl Drop for Courier {
    /// Gives answers on their way a moment to get there.
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = self.wake.try_send(());
        let _ = self.done.recv_timeout(FAREWELL);
    }
}

struct FileWatch {
    study: StudyFile,
    wake: SyncSender<()>,
    is_over: Arc<AtomicBool>,
    standing: Arc<AtomicU8>,
}

impl FileWatch {
    fn run(&self, tell: &impl Fn(News)) {
        let study = &self.study;
        let (mut seen, mut waiting, mut told) = (None, 0, String::new());
        while !self.is_over.load(Ordering::Relaxed) {
            // While another haymark writes, the file waits for the next look.
            if let Ok(now) = study.change_counter()
                && seen != Some(now)
                && let Ok(count) = study.waiting_for_hub()
            {
                (seen, waiting) = (Some(now), count);
                if waiting > 0 {
                    // The channel is full: the other thread is awake already.
                    let _ = self.wake.try_send(());
                }
            }
            let word = word(waiting, self.standing.load(Ordering::Relaxed));
            if word != told {
                told.clone_from(&word);
                tell(News::Sharing(word));
            }
            thread::sleep(LOOK);
        }
    }
}

/// The state of the hub when it was last asked.
const OFFLINE: u8 = 0;
const REACHED: u8 = 1;
const FULL: u8 = 2;

/// How far the study is shared with the hub, in a word.
fn word(waiting: usize, standing: u8) -> String {
    let waits = match waiting {
        1 => "1 waits".to_owned(),
        _ => format!("{waiting} wait"),
    };
    match (waiting, standing) {
        (0, REACHED) => "synced".to_owned(),
        (0, FULL) => "hub full".to_owned(),
        (0, _) => "offline".to_owned(),
        (_, FULL) => format!("hub full, {waits}"),
        _ => waits,
    }
}

/// Talks to the hub until the screen is left.
fn carry(
    (work, mut queue): (Option<String>, Option<i64>),
    (mut study, mut link): (StudyFile, HubLink),
    woken: &Receiver<()>,
    is_over: &AtomicBool,
    standing: &AtomicU8,
    tell: &impl Fn(News),
) -> Result<()> {
    let mut exchange = Exchange::default();
    let (mut pause, mut next, mut said) = (PAUSES.0, Instant::now(), String::new());
    let mut turns = Turns::default();
    let (mut may_hurry, mut is_told) = (true, false);
    let is_handed_out = |protocol: &String| study.handed_out(protocol).map(|terms| terms.is_some());
    let mut taking = Taking {
        is_known: work.as_ref().map(is_handed_out).transpose()?.unwrap_or(false),
        ..Taking::default()
    };
    loop {
        let is_woken = match woken.recv_timeout(next.saturating_duration_since(Instant::now())) {
            Ok(()) => true,
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        let leaves = is_over.load(Ordering::Relaxed);
        if leaves && (standing.load(Ordering::Relaxed) == OFFLINE || study.waiting_for_hub()? == 0) {
            return Ok(());
        }
        if is_woken && !leaves && (!may_hurry || Instant::now() < turns.earliest()) {
            if may_hurry {
                next = next.min(turns.earliest());
            }
            continue;
        }
        let begun = Instant::now();
        let mut outcome = exchange.run(&mut study, &mut link, SyncPace::Beside, &mut |_| ());
        let (mut has_more, mut said_of_work) = (false, None);
        if let (Ok(exchanged), Some(protocol)) = (&outcome, &work) {
            let take = if leaves { Take::Nothing } else { taking.next(exchanged.sent > 0) };
            match exchange.work(&mut study, &mut link, protocol, take) {
                Ok(ahead) => {
                    has_more = ahead.is_some_and(|ahead| ahead.came > 0);
                    said_of_work = taking.took(take, ahead);
                }
                Err(error) => outcome = Err(error),
            }
        }
        // The queue follows once the work that was handed out is here too.
        let revision = study.revision()?;
        if queue.is_some_and(|seen| seen != revision || has_more) {
            queue = Some(revision);
            tell(News::Changed);
        }
        said_of_work.into_iter().for_each(|sentence| tell(News::Said(sentence)));
        if leaves {
            return Ok(());
        }
        let stays = link.rest();
        standing.store(if outcome.is_ok() { REACHED } else { OFFLINE }, Ordering::Relaxed);
        may_hurry = outcome.is_ok();
        let rest = match outcome {
            Ok(_) => {
                if !is_told && study.others_waiting_for_hub()? > 0 {
                    tell(News::Said(
                        "some of what waits here is not yours to send: `haymark sync` says more".to_owned(),
                    ));
                }
                is_told = true;
                (pause, said) = (PAUSES.0, String::new());
                turns.done(begun, stays);
                if stays { ASK } else { about(ASK_ANEW) }
            }
            Err(error) if error.kind() == ErrorKind::Busy => {
                standing.store(REACHED, Ordering::Relaxed);
                LOOK
            }
            Err(error) if error.kind() == ErrorKind::Full => {
                standing.store(FULL, Ordering::Relaxed);
                turns.turned_away();
                turns.earliest().saturating_duration_since(Instant::now())
            }
            Err(error) if error.kind() == ErrorKind::Unreachable => {
                let now = pause;
                pause = (pause * 2).min(PAUSES.1);
                now
            }
            Err(error) => {
                let sentence = error.to_string();
                if sentence != said {
                    said.clone_from(&sentence);
                    tell(News::Said(sentence));
                }
                LONG_PAUSE
            }
        };
        next = Instant::now() + rest;
    }
}

/// The decision when to ask the hub for work.
#[derive(Default)]
struct Taking {
    /// Times of the last question, and of the last answer that there is none.
    asked: Option<Instant>,
    had_none: Option<Instant>,
    /// Whether the person has worked since the last question, and whether all items were done at that time.
    works: bool,
    was_done: bool,
    /// Whether the person knows that work is handed out.
    is_known: bool,
}

impl Taking {
    fn next(&mut self, works: bool) -> Take {
        self.works |= works;
        let is_past = |at: Option<Instant>, time| at.is_none_or(|at| at.elapsed() > time);
        match is_past(self.had_none, NONE) {
            _ if self.works && is_past(self.asked, HOLD_AGAIN) => Take::AndHold,
            true => Take::WhereShort,
            false => Take::Nothing,
        }
    }

    /// Takes the answer; returns a sentence where the person should know it.
    fn took(&mut self, take: Take, ahead: Option<Ahead>) -> Option<String> {
        let ahead = ahead?;
        let now = Some(Instant::now());
        match take {
            Take::Nothing => {}
            _ if ahead.came > 0 => (self.asked, self.works, self.had_none) = (now, false, None),
            Take::AndHold => (self.asked, self.works, self.had_none) = (now, false, now),
            Take::WhereShort => self.had_none = now,
        }
        if !std::mem::replace(&mut self.is_known, true) {
            return Some("the hub hands out the work from now on".to_owned());
        }
        let was_done = std::mem::replace(&mut self.was_done, ahead.open == 0);
        match (ahead.went, ahead.came) {
            (0, 0) => None,
            (0, _) if was_done => Some("more work has come from the hub: go on to the next item".to_owned()),
            (0, _) => None,
            (went, _) => Some(format!("{} that you had not begun went to others", number_of(went, "group"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_says_how_far_the_hub_is() {
        let words = [(0, REACHED), (0, OFFLINE), (1, REACHED), (12, OFFLINE), (0, FULL), (2, FULL)]
            .map(|(waiting, standing)| word(waiting, standing));
        assert_eq!(words, ["synced", "offline", "1 waits", "12 wait", "hub full", "hub full, 2 wait"]);
    }
}
