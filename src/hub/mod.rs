//! The hub: the place where several files of one study share events and records. The module knows no study file; `store`
//! takes in what comes and gives what goes. [`HubLink`] is the hub on PostgreSQL.
//!
//! A hub holds **events**, keyed (writer, seq), and **records**, keyed (kind, key). Nothing in it is ever changed, but for the
//! texts that a lead erases. Each thing gets a position when it comes in, dense and in the order of commits, so one number is the
//! cursor. A body is bytes that only the files can read; of erased records, the hub reads what it takes out.
//!
//! # Errors
//! [`Unreachable`](crate::error::ErrorKind::Unreachable): the network, try again.
//! [`Full`](crate::error::ErrorKind::Full): the server has no place for one more connection, try again.
//! [`Refused`](crate::error::ErrorKind::Refused) and [`NoRight`](crate::error::ErrorKind::NoRight): the server refuses, and the
//! sentence is for the person.
//! [`OtherVersion`](crate::error::ErrorKind::OtherVersion): the hub is of another haymark; the file goes on without it.

mod address;
mod admin;
mod health;
mod link;
mod passfile;
mod rights;
mod steps;
mod tls;
mod turns;

use std::fmt;
use std::time::Duration;

use crate::error::{Error, Result};

pub use address::{Address, SslMode};
pub use admin::{Founding, Made, Member, TakenGroup};
pub use health::{Archive, HubHealth};
pub use link::HubLink;
pub use turns::{Turns, about};

/// The error of a hub that is not the study's.
pub fn other_study(place: &str) -> Error {
    Error::refused(format!("the hub at {place} is that of another study"))
        .advise("ask the lead for the address of this study's hub")
}

/// The most events that go in one call.
pub const MOST_EVENTS: usize = 5_000;

/// The letter of judgments in [`SentEvent::journal`].
pub const JUDGMENTS: u8 = b'e';
/// The letter of verdicts, which a file holds among judgments: the hub takes them from leads only.
pub const VERDICT: u8 = b'j';
/// The letter of an assignment as leads see it.
pub const WHOLE: u8 = b'A';
/// The letter of an assignment that its annotator sees too once she has judged the item.
pub const CALIBRATION: u8 = b'C';

/// The calls of a study file to its hub: each is one round trip, and repeating it does no harm.
pub trait Hub: Send {
    /// The member who asks, and the study.
    fn me(&mut self) -> Result<Me>;

    /// Sends events, each writer's in order and at most [`MOST_EVENTS`], then fetches the things after a mark that the member may
    /// see: at most `limit`, by position. Known events are passed over; refused ones, such as those that differ from what the hub
    /// has or for which it has no room, keep no others out. A hub that no longer has the same thing at the mark says that it was
    /// rewound, and gives nothing.
    fn exchange(&mut self, events: &[SentEvent], after: HubMark, limit: usize) -> Result<Fetched>;

    /// Sends events, however many; returns the head. Refused events are an error once all others are in.
    fn send(&mut self, events: &[SentEvent]) -> Result<i64> {
        let (mut head, mut refused) = (0, None);
        for events in events.chunks(MOST_EVENTS) {
            let sent = self.exchange(events, HubMark::NONE, 0)?;
            head = sent.head.pos;
            refused = refused.or(sent.refused);
        }
        refused.map_or(Ok(head), Err)
    }

    /// The assignments that carry the known answers to these items, given by their keys, as far as the member has judged them.
    fn told(&mut self, items: &[Vec<u8>]) -> Result<Vec<Fresh>>;

    /// Sends records; returns the head. Records that the hub has stay as they are. Leads only.
    fn put(&mut self, records: &[SentRecord]) -> Result<i64>;

    /// Offers groups of a protocol, behind those offered before; returns how many are new. For a known group, the latest number
    /// of raters counts; with 0 it is offered no more. Leads only.
    fn offer(&mut self, protocol: &str, groups: &[Offered]) -> Result<usize>;

    /// The groups that are offered of a protocol, in its order. Not for annotators.
    fn offers(&mut self, protocol: &str) -> Result<Vec<GroupOffer>>;

    /// Takes groups of a protocol and returns all that the member holds: those held before, then free ones until there are
    /// `want`, each for at least `hold` from now.
    fn take(&mut self, protocol: &str, want: usize, hold: Duration) -> Result<Vec<Lease>>;

    /// Reports groups as done, which counts where the member has judged all items, or gives them back, so that they do not come
    /// to her again.
    fn settle(&mut self, protocol: &str, keys: &[Vec<u8>], done: bool) -> Result<()>;

    /// Takes back the groups of a protocol that an annotator holds or has done, so that others judge them too; she does not get
    /// them again. Returns how many. Leads only.
    fn reopen(&mut self, protocol: &str, name: &str) -> Result<usize>;
}

/// The member who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Me {
    /// The study's name on every hub: 16 bytes, drawn when the hub was made.
    pub study: Vec<u8>,
    /// The name under which the member judges.
    pub name: String,
    pub kind: MemberKind,
    /// Whether annotators get aliases in the place of systems.
    pub hides_systems: bool,
}

named! {
    /// The rights of a member, by their names as they are stored and typed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum MemberKind {
        /// Reads and writes everything, and invites.
        Lead = "lead",
        /// Writes and reads her own events; reads the records for all.
        Annotator = "annotator",
        /// Reads everything.
        Observer = "observer",
    }
}

impl MemberKind {
    /// Whether the member sees everything, also system names and known answers.
    pub fn sees_all(self) -> bool {
        self != MemberKind::Annotator
    }
}

impl fmt::Display for MemberKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A place in what a hub holds, and the time by which to tell that the hub still has the same thing there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HubMark {
    /// The position, from 1; 0 is before everything.
    pub pos: i64,
    /// When the thing at the position came in, by the server's clock: µs since 1970. Compared for equality only.
    pub received: i64,
}

impl HubMark {
    /// Before everything.
    pub const NONE: HubMark = HubMark { pos: 0, received: 0 };
}

/// An answer to [`Hub::exchange`].
#[derive(Debug, Clone, Default)]
pub struct Fetched {
    /// Why the hub refuses some of the events that were sent.
    pub refused: Option<Error>,
    /// The hub was restored from a backup after it gave the mark. There are no rows then.
    pub is_rewound: bool,
    /// The last position given out, also where the member may not see what is there.
    pub head: HubMark,
    pub rows: Vec<Fresh>,
}

/// One thing of a hub, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fresh {
    pub mark: HubMark,
    pub what: SentThing,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SentThing {
    Event(SentEvent),
    Record(SentRecord),
}

/// An event of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentEvent {
    pub writer: i64,
    /// From 1 in each writer; up to 2^40.
    pub seq: i64,
    /// Whose event it is, by name. An annotator sends only her own; a lead may name people and judges whom the hub does not know.
    pub annotator: String,
    /// The journal of the file, as a letter: [`JUDGMENTS`], `s` sessions; and from leads only [`VERDICT`], `v` saved views, and
    /// assignments: `a` as the annotator gets one, [`WHOLE`] and [`CALIBRATION`] as leads have it; both come back as `a`.
    pub journal: u8,
    /// Wall time in ms since 1970, for people who look into the hub by SQL.
    pub at: Option<i64>,
    /// The item's key, also for SQL.
    pub item: Option<Vec<u8>>,
    pub body: Vec<u8>,
}

/// A record: of the corpus, a protocol, a guideline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentRecord {
    pub audience: Audience,
    pub kind: String,
    /// At most 1,000 bytes.
    pub key: Vec<u8>,
    pub body: Vec<u8>,
}

/// The members who get a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Audience {
    All,
    /// Leads and observers.
    Leads,
}

/// A group of items that is offered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Offered {
    pub key: Vec<u8>,
    /// The keys of the items; none where the hub is to believe what is reported as done.
    pub items: Vec<Vec<u8>>,
    /// How many people are to judge the group, `had` among them.
    pub raters: u32,
    /// Whether nobody is to judge it for now, since all of it is withdrawn.
    pub rests: bool,
    /// The people who have the group without the hub, or have judged it.
    pub had: Vec<String>,
    /// The people who must not get the group, and do not count among its raters.
    pub barred: Vec<String>,
}

/// A group that the member holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub key: Vec<u8>,
    /// The end of the lease by the server's clock: µs since 1970.
    pub until: i64,
}

/// The state of an offered group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupOffer {
    pub key: Vec<u8>,
    /// How many people are to judge the group, or were before all of it was withdrawn.
    pub wanted: u32,
    /// How many of them are still to be found.
    pub open: u32,
    /// How many items the group has, as far as every offer had them.
    pub items: u32,
}

#[cfg(test)]
pub(crate) mod tests;
