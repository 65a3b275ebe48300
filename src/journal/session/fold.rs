//! The current state of a session: the fold over its events.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::delta::LONGEST_SUMMARY;
use super::{Ending, SessionEvent, SessionHappening, Setup};
use crate::journal::EventId;
use crate::text::bullets::bullets;
use crate::text::citation::cited;

/// The share from which on a document counts as read: the last row need not be exact.
pub const ALL_OF_IT: f64 = 0.99;

/// The most bytes that the snapshots of a session have together.
const MOST_SNAPSHOTS: usize = 16 * LONGEST_SUMMARY;

/// The state of a session.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Session {
    /// The summary as it is now.
    pub text: String,
    /// Active milliseconds since the session began.
    pub active: i64,
    pub is_paused: bool,
    /// Whether the limit has passed and the person went on.
    pub is_over_time: bool,
    pub ended: Option<Ending>,
    /// The largest share seen of each document that was opened, by number.
    pub furthest: BTreeMap<u32, f64>,
    /// Snapshots, in the order in which they were taken.
    pub snapshots: Vec<Snapshot>,
    /// Minutes left of which the person was told.
    pub warned: BTreeSet<u32>,
    /// The documents that had been opened when the first citation was written, if one was.
    pub opened_before_citing: Option<BTreeSet<u32>>,
    /// How often the session was opened, the beginning included.
    pub openings: usize,
    pub pauses: usize,
    pub searches: usize,
    /// Pastes that were refused.
    pub pastes: usize,
    /// Copies that were refused.
    pub copies: usize,
    /// Bursts of characters faster than typing.
    pub bursts: usize,
    /// Whether the person had judged summaries of the query at any opening.
    pub has_judged: bool,
    /// Edits and snapshots that did not fit, and changed nothing; there are none in a whole journal.
    pub misfits: usize,
    /// Edits in another copy of the study, where the session went on in several: they are in the journal, and not in the text.
    pub edits_apart: usize,
    /// The last event, from which a reopening goes on.
    pub tip: Option<EventId>,
    /// Wall time of the first and of the last event, in milliseconds since 1970.
    pub wall: Option<(i64, i64)>,
}

/// The text at one time of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Active milliseconds.
    pub active: i64,
    pub is_last: bool,
    pub text: String,
}

/// How far a document was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HowRead {
    Unread,
    PartRead,
    Read,
}

impl Session {
    /// Folds the events of one session. Their order does not matter: [`chain`] finds it.
    #[must_use]
    pub fn of(setup: &Setup, events: &[SessionEvent]) -> Session {
        let chain = chain(events);
        let mut session = Session { has_judged: setup.has_judged, ..Session::default() };
        for (index, event) in chain.iter().enumerate() {
            let until = chain.get(..index).unwrap_or_default();
            session.take(event, until);
        }
        let counting: HashSet<EventId> = chain.iter().map(|event| event.id).collect();
        let is_apart = |event: &&SessionEvent| {
            matches!(event.happening, SessionHappening::Edit(_)) && !counting.contains(&event.id)
        };
        session.edits_apart =
            events.iter().filter(is_apart).map(|event| event.id).collect::<HashSet<_>>().len();
        session
    }

    fn take(&mut self, event: &SessionEvent, before: &[&SessionEvent]) {
        let first = self.wall.map_or(event.at, |(first, _)| first);
        self.wall = Some((first, event.at));
        self.tip = Some(event.id);
        if let SessionHappening::Snapshot { is_last } = event.happening {
            let text = match event.active < self.active {
                // The snapshot was written late: later edits came first.
                true => replay(before, event.active),
                false => self.text.clone(),
            };
            self.keep(Snapshot { active: event.active, is_last, text });
        }
        self.apply(&event.happening, event.active);
    }

    /// Applies an event at so many active milliseconds, as a live session does. Snapshots are added by
    /// [`Session::snapshot`].
    pub fn apply(&mut self, happening: &SessionHappening, active: i64) {
        self.active = self.active.max(active);
        match happening {
            SessionHappening::Opened { has_judged, .. } => {
                self.openings += 1;
                self.is_paused = false;
                self.has_judged |= has_judged;
            }
            SessionHappening::Edit(delta) => {
                self.misfits += usize::from(!delta.apply(&mut self.text));
                self.note_first_citation();
            }
            SessionHappening::View { document, furthest } => {
                let seen = self.furthest.entry(*document).or_insert(0.0);
                *seen = seen.max(furthest.clamp(0.0, 1.0));
            }
            SessionHappening::Search(_) => self.searches += 1,
            SessionHappening::PasteRefused { .. } => self.pastes += 1,
            SessionHappening::CopyRefused => self.copies += 1,
            SessionHappening::Burst { .. } => self.bursts += 1,
            SessionHappening::Paused => {
                self.is_paused = true;
                self.pauses += 1;
            }
            SessionHappening::Resumed => self.is_paused = false,
            SessionHappening::Warned { minutes } => {
                self.warned.insert(*minutes);
            }
            SessionHappening::OverTime => self.is_over_time = true,
            SessionHappening::Ended(ending) => self.ended = Some(*ending),
            SessionHappening::Snapshot { .. } | SessionHappening::Beat | SessionHappening::Unknown { .. } => {
            }
        }
    }

    /// Takes a snapshot of the text as it is, at so many active milliseconds.
    pub fn snapshot(&mut self, active: i64, is_last: bool) {
        self.keep(Snapshot { active, is_last, text: self.text.clone() });
    }

    /// Keeps a snapshot where it fits.
    fn keep(&mut self, snapshot: Snapshot) {
        let kept: usize = self.snapshots.iter().map(|snapshot| snapshot.text.len()).sum();
        match kept + snapshot.text.len() <= MOST_SNAPSHOTS {
            true => self.snapshots.push(snapshot),
            false => self.misfits += 1,
        }
    }

    fn note_first_citation(&mut self) {
        if self.opened_before_citing.is_none() {
            let cites = bullets(&self.text).iter().any(|bullet| !cited(bullet.slice(&self.text)).is_empty());
            self.opened_before_citing = cites.then(|| self.furthest.keys().copied().collect());
        }
    }

    /// How far a document was read.
    #[must_use]
    pub fn reading(&self, document: u32) -> HowRead {
        match self.furthest.get(&document) {
            None => HowRead::Unread,
            Some(share) if *share >= ALL_OF_IT => HowRead::Read,
            Some(_) => HowRead::PartRead,
        }
    }

    /// The snapshot at the end, of a session that has ended.
    #[must_use]
    pub fn last_snapshot(&self) -> Option<&Snapshot> {
        self.snapshots.iter().rev().find(|snapshot| snapshot.is_last)
    }
}

/// The events in the order in which they happened.
///
/// Events of one writer follow each other by number; an [`SessionHappening::Opened`] goes on from the event that it
/// names. Where a copied study was continued twice there are several last events: one that ends the session counts before one
/// that does not, then the one with the most active time (ties break by wall time and name), and events that do not lead to it
/// are left out. The order of `events` does not matter.
#[must_use]
pub fn chain(events: &[SessionEvent]) -> Vec<&SessionEvent> {
    let mut ordered: Vec<&SessionEvent> = events.iter().collect();
    ordered.sort_by_key(|event| event.id);
    ordered.dedup_by_key(|event| event.id);
    let places: HashMap<EventId, usize> =
        ordered.iter().enumerate().map(|(place, event)| (event.id, place)).collect();
    let before = |place: usize| match ordered.get(place)?.happening {
        SessionHappening::Opened { after, .. } => places.get(&after?).copied(),
        _ => {
            let place = place.checked_sub(1)?;
            (ordered.get(place)?.id.writer == ordered.get(place + 1)?.id.writer).then_some(place)
        }
    };
    let end = |place: &usize| {
        let ends = |event: &SessionEvent| matches!(event.happening, SessionHappening::Ended(_));
        ordered.get(*place).map(|event| (ends(event), event.active, event.at, event.id))
    };
    let mut place = (0..ordered.len()).max_by_key(end);
    let mut found = Vec::new();
    while let Some(event) = place.and_then(|place| ordered.get(place)) {
        // A made-up journal may lead in a circle.
        if found.len() == ordered.len() {
            break;
        }
        found.push(*event);
        place = place.and_then(before);
    }
    found.reverse();
    found
}

/// The text after so many active milliseconds, of events in the order of [`chain`].
#[must_use]
pub fn replay(chain: &[&SessionEvent], active: i64) -> String {
    let mut text = String::new();
    for event in chain.iter().take_while(|event| event.active <= active) {
        if let SessionHappening::Edit(delta) = &event.happening {
            delta.apply(&mut text);
        }
    }
    text
}
