//! Assignments: who is to judge what, and why. Here are their terms, the spread of work over annotators, and the draws that
//! control its quality. All is pure; the store keeps the outcome.
//!
//! 1. [`Work`] says what there is to spread, who there is, and what stands already.
//! 2. [`spread`] gives the groups to annotators; nothing that was judged moves.
//! 3. [`Plan::of`] compares that with what stands: the changes, and the loads after them.
//! 4. [`control`] picks what controls the quality, on top of the work: calibration, control and repeated
//!    items. All chance is in [`draw`].

pub mod control;
pub mod draw;
mod plan;
mod spread;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::Meta;

pub use plan::{Changed, Load, Plan, PlannedChange, StratumLoad};
pub use spread::{Assignee, Group, Present, Spread, SpreadSettings, Work, spread};

/// The fewest items between an item and its repeat, where the queue is long enough.
pub const REPEAT_DISTANCE: usize = 20;

/// The sentence that refuses to take an item back.
pub const NOT_GIVEN_BACK: &str = "only what is assigned to you and has no answer is given back; s skips it";

named! {
    /// Why an annotator is to judge an item.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Role {
        /// The item is a part of the annotator's share of the work.
        #[default]
        Work = "work",
        /// Others judge the item too, for agreement.
        Shared = "shared",
        /// The answer is known, and told afterwards.
        Calibration = "calibration",
        /// The answer is known, and not told.
        Control = "control",
        /// The annotator judged the item before: for agreement with themselves.
        Repeat = "repeat",
        /// Somebody else judged the item before: a second look.
        Check = "check",
        /// The annotator gave the item back, so that another has it.
        Back = "back",
    }
}

impl Role {
    /// The place of judgments in this role, where it is beside the study.
    pub fn aside(self) -> Option<Aside> {
        match self {
            Role::Calibration => Some(Aside::Calibration),
            Role::Repeat => Some(Aside::Repeat),
            Role::Work | Role::Shared | Role::Control | Role::Check | Role::Back => None,
        }
    }

    /// Whether the role is a part of the work that is spread, and not put on top of it.
    pub fn is_work(self) -> bool {
        matches!(self, Role::Work | Role::Shared)
    }

    /// Whether everybody judges what is assigned and nothing else, where anybody has an item in this role. A second look stands beside
    /// the work of others, also of work that nobody divided.
    pub fn divides(self) -> bool {
        !matches!(self, Role::Check | Role::Back)
    }
}

named! {
    /// Why a judgment stands beside the study and counts in no score and no agreement between annotators.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Aside {
        /// The judgment was given to learn from the known answer.
        Calibration = "calibration",
        /// The judgment is the second one of the same annotator.
        Repeat = "repeat",
    }
}

/// The terms of an assignment, beside its annotator and item.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Terms {
    pub role: Role,
    /// Number of annotators who judge a shared item; `None` for all of them.
    pub raters: Option<u32>,
    /// Key of the annotator whose answers are the known ones.
    pub known_from: Option<String>,
    /// The known answers by question, in the form of judgments; calibration only, so that a copy of the study needs nobody
    /// else's judgments.
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub known: Meta,
    /// The explanation told with the known answers; for an item that was given back, the reason.
    pub explanation: Option<String>,
    /// Least percentage of the calibration items that must be judged right, 0–100.
    pub pass: Option<f64>,
    /// Whether the annotator's work waits until that share is reached.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub must_pass: bool,
    /// Whether the annotator has left the study, and keeps the assignment because they judged the item.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left: bool,
    /// The item's place in an order that somebody asked for.
    pub sorted: Option<SortedPlace>,
    /// The side of the study of an item that was given back; the sides of all others follow from their roles.
    pub aside: Option<Aside>,
}

/// A place in an order that is not drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SortedPlace {
    /// The field that items were sorted by; `-` before it where the largest comes first.
    pub by: String,
    pub place: u32,
}

impl Terms {
    /// Terms that say no more than the role.
    pub fn of(role: Role) -> Terms {
        Terms { role, ..Terms::default() }
    }

    /// The same terms in no asked-for order.
    pub fn unsorted(&self) -> Terms {
        Terms { sorted: None, ..self.clone() }
    }

    /// The place of judgments on these terms, where it is beside the study.
    pub fn aside(&self) -> Option<Aside> {
        self.role.aside().or(self.aside)
    }

    /// The terms that the annotator may know beforehand: that the answer is told or the item comes again, and no more.
    pub fn masked(&self) -> Terms {
        let role = match self.role {
            Role::Calibration | Role::Repeat | Role::Back => self.role,
            Role::Work | Role::Shared | Role::Control | Role::Check => Role::Work,
        };
        let (sorted, aside) = (self.sorted.clone(), self.aside);
        Terms {
            pass: self.pass,
            must_pass: self.must_pass,
            left: self.left,
            sorted,
            aside,
            ..Terms::of(role)
        }
    }
}

/// An assignment that stands, as the outside writes it.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assignment {
    pub protocol: String,
    pub annotator: String,
    /// The keys of the item, as in a judgment.
    pub collection: Option<String>,
    pub query: Option<String>,
    pub document: Option<String>,
    pub unit: Option<String>,
    pub candidate: Option<String>,
    pub bullet: Option<u32>,
    pub other: Option<String>,
    /// As in [`Terms`], and so are the next eight.
    pub role: Role,
    pub raters: Option<u32>,
    pub known_from: Option<String>,
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub known: Meta,
    pub explanation: Option<String>,
    pub pass: Option<f64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub must_pass: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left: bool,
    pub sorted: Option<SortedPlace>,
    pub aside: Option<Aside>,
    /// When it was made, as RFC 3339; the latest of an annotator and an item counts.
    pub at: Option<String>,
    /// As in a [`super::Judgment`].
    pub sum: Option<String>,
}

impl Assignment {
    /// The terms of the assignment.
    pub fn terms(&self) -> Terms {
        Terms {
            role: self.role,
            raters: self.raters,
            known_from: self.known_from.clone(),
            known: self.known.clone(),
            explanation: self.explanation.clone(),
            pass: self.pass,
            must_pass: self.must_pass,
            left: self.left,
            sorted: self.sorted.clone(),
            aside: self.aside,
        }
    }
}
