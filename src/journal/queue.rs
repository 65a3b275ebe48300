//! One annotator's way through the items of one protocol: positions, neighbours, progress.

use super::{ItemState, Standing};
use crate::protocol::{Answers, Protocol};
use crate::study::{AnnotatorId, Item};

/// Counts of an annotator's items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    pub total: usize,
    pub judged: usize,
    pub skipped: usize,
    pub flagged: usize,
}

/// An opened queue.
#[derive(Debug, Clone, PartialEq)]
pub struct Queue {
    pub annotator: AnnotatorId,
    /// The annotator's key.
    pub name: String,
    pub progress: Progress,
    /// 0-based position on which to open: where the annotator left off.
    pub resume: usize,
    /// Active milliseconds of the items judged last, oldest first; at most 50.
    pub recent: Vec<i64>,
    /// How many assigned items wait until calibration is passed, and are not in the queue.
    pub held: usize,
    /// Whether the hub hands out the work, so that more may come.
    pub is_handed_out: bool,
    /// Whether only the first items of the queue are in the file so far. The counts are of all items.
    pub is_begun: bool,
}

/// An annotator's work of one day in this file, and the work that waits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DaysWork {
    /// Items of all protocols that were answered on that day and are judged.
    pub items: usize,
    /// Active milliseconds of that day.
    pub active: i64,
    /// Items of the protocol on the screen that have an answer and lack a required one.
    pub half_answered: usize,
    /// Other protocols of which something is to be judged, each with the number of open items where its queue was opened.
    pub waiting: Vec<(String, Option<usize>)>,
}

/// A neighbour in the group of the item on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// 0-based position in the queue.
    pub position: usize,
    pub state: ItemState,
    pub flagged: bool,
    /// The answers so far; empty where no screen needs them, as far away in a large group.
    pub answers: Answers,
}

impl Neighbour {
    /// The answers to show for an item in this state: none where the item is put aside, or where the answers were given on other
    /// texts or under another version.
    #[must_use]
    pub fn shown(state: ItemState, answers: Answers, protocol: &Protocol) -> Answers {
        match state {
            ItemState::Judged => answers,
            ItemState::Open if !protocol.is_complete(&answers) => answers,
            _ => Answers::new(),
        }
    }
}

impl Loaded {
    /// The place of the item in its group, counted from 1.
    pub fn place_in_group(&self) -> usize {
        let here = self.group.iter().position(|neighbour| neighbour.position == self.position);
        here.map_or(1, |index| index + 1)
    }
}

/// One item of a queue, with all that its screen needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// 0-based position in the queue.
    pub position: usize,
    pub item: Item,
    pub standing: Standing,
    /// The texts that were revised since the item was judged, before and now.
    pub was: Vec<RevisedText>,
    /// The items of the same group in queue order, the item itself among them.
    pub group: Vec<Neighbour>,
    /// The place of the item's group in the queue, counted from 1, and how many groups there are.
    pub place_of_group: (usize, usize),
    /// The known answer, where the item is one of calibration; shown once the item is judged.
    pub calibration: Option<Calibration>,
    /// The field by which it has its place, where the order is not drawn.
    pub sorted_by: Option<String>,
}

/// A text of an item before and after a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisedText {
    /// The kind of the record: `query`, `document`, `unit`, `candidate`.
    pub of: &'static str,
    pub before: String,
    pub now: String,
}

/// The known answer to a calibration item, and how the annotator did on the others.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Calibration {
    /// The known answers; empty until the hub tells them, which it does once it has the annotator's own answer.
    pub known: Answers,
    /// Why the known answer is right; empty where no explanation was given.
    pub explanation: String,
    /// Per cent of the calibration items that must be judged as known, 0–100.
    pub pass: Option<f64>,
    /// Whether other work waits until `pass` is reached.
    pub must_pass: bool,
    /// Known and given answers to the annotator's other calibration items that are judged.
    pub others: Vec<(Answers, Answers)>,
    /// How many calibration items the annotator has, this one among them.
    pub count: usize,
}

/// A line of the go-to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoToEntry {
    /// 0-based position in the queue.
    pub position: usize,
    pub query: String,
    /// The unit's text, or what else tells the item apart.
    pub unit: String,
    /// Counts the groups of the queue from 1 (summaries in `coverage`).
    pub group: usize,
    pub state: ItemState,
    pub flagged: bool,
}
