//! One annotator's way through the items of one protocol: positions, neighbours, progress.

use super::{ItemState, Standing};
use crate::protocol::{Answers, Protocol};
use crate::study::{AnnotatorId, Item};

/// How far an annotator is.
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
    /// Whether only its first items are in the file so far; all of them are counted.
    pub is_begun: bool,
}

/// What an annotator did on one day in this file, and what waits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DaysWork {
    /// Items of all protocols that were answered on that day and are judged.
    pub items: usize,
    /// Active milliseconds of that day.
    pub active: i64,
    /// Items of the protocol on the screen that have an answer and lack another.
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
    /// What was answered, all of it or a part; empty where nobody needs it, and far away in a large group.
    pub answers: Answers,
}

impl Neighbour {
    /// What is shown of these answers to an item in this state: nothing where it is put aside, or they were given on other texts or
    /// under another version.
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
    /// Which of its group it is, counted from 1.
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
    /// The texts that were revised since the item was judged, as they were.
    pub was: Vec<RevisedText>,
    /// The items of the same group in queue order, the item itself among them.
    pub group: Vec<Neighbour>,
    /// Which group of the queue it is, counted from 1, and of how many.
    pub place_of_group: (usize, usize),
    /// The known answer, where it is told once the item is judged.
    pub calibration: Option<Calibration>,
    /// The field by which it has its place, where the order is not drawn.
    pub sorted_by: Option<String>,
}

/// A text of an item that is another one now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisedText {
    /// Whose text it is: `query`, `document`, `unit`, `candidate`.
    pub of: &'static str,
    pub before: String,
    pub now: String,
}

/// The known answer to an item, and how the annotator did on the others.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Calibration {
    /// Nothing as long as the hub has not told it, which it does once it has the annotator's own answer.
    pub known: Answers,
    /// Why it is so; empty where nobody said.
    pub explanation: String,
    /// Per cent of the items that must be judged as is known, 0–100.
    pub pass: Option<f64>,
    /// Whether the work waits until that is reached.
    pub must_pass: bool,
    /// What is known and what was given on the annotator's other calibration items that are judged.
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
