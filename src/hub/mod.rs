//! The hub: what several study files of one study share, and how it is asked for. It knows no study file; `store` takes
//! what comes and gives what goes.
//! [`HubLink`] is the one on PostgreSQL.
//!
//! A hub holds **events**, keyed (writer, seq), and **records**, keyed (kind, key). Nothing in it is ever changed. Each
//! thing gets a position when it comes in, dense and in the order of commits, so one number is the cursor. What lies in a
//! body only the files know.
//!
//! # Errors
//! [`Unreachable`](crate::error::ErrorKind::Unreachable): the network, try again.
//! [`Full`](crate::error::ErrorKind::Full): the server has no place for one more, try again. [`Refused`](crate::error::ErrorKind::Refused):
//! the server will not, and the sentence is for the person. [`OtherVersion`](crate::error::ErrorKind::OtherVersion): the hub is
//! of another haymark; the file goes on without it.

mod address;
mod admin;
mod health;
mod link;
#[cfg(test)]
pub(crate) mod memory;
mod passfile;
mod rights;
mod steps;
mod tls;
mod turns;

use std::fmt;
use std::time::Duration;

use crate::error::Result;

pub use address::{Address, SslMode};
pub use admin::{Founding, Made, Member};
pub use health::{Archive, HubHealth};
pub use link::HubLink;
pub use turns::{Turns, about};

/// The most events that go in one call.
pub const MOST_EVENTS: usize = 5_000;

/// The letter of judgments.
pub const JUDGMENTS: u8 = b'e';
/// The letter of what settles a disagreement, which judgments hold in a file: the hub takes it from leads only.
pub const VERDICT: u8 = b'j';
/// The letter of an assignment with all that it says.
pub const WHOLE: u8 = b'A';
/// The same, where its annotator gets it too once she has judged the item.
pub const CALIBRATION: u8 = b'C';

/// What a study file asks of its hub: each is one round trip, and the same again does no harm.
pub trait Hub {
    /// Who asks, and of which study.
    fn me(&mut self) -> Result<Me>;

    /// What came in after a mark, at most `limit` things, in the order of their positions; of these only what the asker
    /// may see. A hub that no longer has what it had at the mark says that it was rewound, and gives nothing.
    fn fetch(&mut self, after: HubMark, limit: usize) -> Result<Fetched>;

    /// How far the hub has each of these writers; none for a writer that it does not know.
    fn have(&mut self, writers: &[i64]) -> Result<Vec<Have>>;

    /// Brings in events, each writer's in order; gives the head. What the hub has already is passed over. What it will not
    /// have, such as what says something else there or has no room, is an error once all else is in.
    fn send(&mut self, events: &[SentEvent]) -> Result<i64>;

    /// The assignments with known answers to these items, by their keys, as far as the asker has judged them.
    fn told(&mut self, items: &[Vec<u8>]) -> Result<Vec<Fresh>>;

    /// Brings in records; gives the head. Only a lead may. What the hub has already stays as it is.
    fn put(&mut self, records: &[SentRecord]) -> Result<i64>;

    /// Offers groups of a protocol, behind those offered before; gives how many are new. Only a lead may. For
    /// a known group, the number of people said last counts; with 0 it is offered no more.
    fn offer(&mut self, protocol: &str, groups: &[Offered]) -> Result<usize>;

    /// All groups of a protocol that the asker holds: those held before, then free ones until there are `want`, each for
    /// at least `hold` from now.
    fn take(&mut self, protocol: &str, want: usize, hold: Duration) -> Result<Vec<Lease>>;

    /// Says that the asker has done groups, which counts where she has judged all of it, or gives them back: these do not
    /// come to her again.
    fn settle(&mut self, protocol: &str, keys: &[Vec<u8>], done: bool) -> Result<()>;
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Me {
    /// What names the study on every hub: 16 bytes, drawn when the hub was made.
    pub study: Vec<u8>,
    /// The name under which the asker judges.
    pub name: String,
    pub kind: MemberKind,
    /// Whether annotators get aliases in the place of systems.
    pub hides_systems: bool,
}

/// What a member may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemberKind {
    /// Reads and writes everything, and invites.
    Lead,
    /// Writes and reads what is hers; reads the records for all.
    Annotator,
    /// Reads everything.
    Observer,
}

impl MemberKind {
    pub const ALL: [MemberKind; 3] = [MemberKind::Lead, MemberKind::Annotator, MemberKind::Observer];

    /// The name as it is stored and typed.
    pub fn name(self) -> &'static str {
        match self {
            MemberKind::Lead => "lead",
            MemberKind::Annotator => "annotator",
            MemberKind::Observer => "observer",
        }
    }

    pub fn named(name: &str) -> Option<MemberKind> {
        MemberKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether everything is seen, also system names and known answers.
    pub fn sees_all(self) -> bool {
        self != MemberKind::Annotator
    }
}

impl fmt::Display for MemberKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A place in what a hub holds, and how to tell that it is still the same there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HubMark {
    /// The position, from 1; 0 is before everything.
    pub pos: i64,
    /// When the thing at the position came in, by the server's clock: µs since 1970. Only ever compared for being equal.
    pub received: i64,
}

impl HubMark {
    /// Before everything.
    pub const NONE: HubMark = HubMark { pos: 0, received: 0 };
}

/// An answer to [`Hub::fetch`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fetched {
    /// The hub is not the one that gave the mark: it was restored from a backup. There are no rows then.
    pub is_rewound: bool,
    /// The last position given out, also where the asker may not see what is there.
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

/// Something that somebody did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentEvent {
    pub writer: i64,
    /// From 1 in each writer; up to 2^40.
    pub seq: i64,
    /// Whose it is, by name. An annotator sends her own only; a lead may name people and judges whom the hub does not know.
    pub annotator: String,
    /// Which journal of the file, a letter: [`JUDGMENTS`], `s` sessions; and, by leads only, [`VERDICT`], `v` saved views and
    /// assignments: `a` as its annotator gets it, [`WHOLE`] and [`CALIBRATION`] as leads have it, which come back as `a`.
    pub journal: u8,
    /// When, in ms since 1970, for those who look into the hub by SQL.
    pub at: Option<i64>,
    /// The item's key, for the same.
    pub item: Option<Vec<u8>>,
    pub body: Vec<u8>,
}

/// Something that is given: corpus, protocols, guidelines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentRecord {
    pub audience: Audience,
    pub kind: String,
    /// At most 1,000 bytes.
    pub key: Vec<u8>,
    pub body: Vec<u8>,
}

/// Who gets a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Audience {
    All,
    /// Leads and observers.
    Leads,
}

/// How far a hub has a writer: `count` is `last` where none is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Have {
    pub writer: i64,
    pub last: i64,
    pub count: i64,
}

/// A group of items to be taken.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Offered {
    pub key: Vec<u8>,
    /// The keys of its items; none where what is done is to be believed.
    pub items: Vec<Vec<u8>>,
    /// How many people are to judge it, those who have it among them.
    pub raters: u32,
    /// Who has it without the hub, or has judged it.
    pub had: Vec<String>,
    /// Who is not to get it, and does not count among those who judge it.
    pub barred: Vec<String>,
}

/// A group that the asker holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub key: Vec<u8>,
    /// By the server's clock: µs since 1970.
    pub until: i64,
}

/// How a group that was offered stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupOffer {
    pub key: Vec<u8>,
    /// How many people are to judge it.
    pub wanted: u32,
    /// Of these, how many are still to be found.
    pub open: u32,
}

#[cfg(test)]
mod tests;
