//! Who is to judge what, and why: the terms of an assignment, how work is spread over annotators, and
//! what is drawn to control its quality. Pure; the store keeps what comes of it.
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

use super::Meta;

pub use plan::{Changed, Load, Plan, PlannedChange, StratumLoad};
pub use spread::{Assignee, Group, Present, Spread, SpreadSettings, Work, spread};

/// Items that a repeat comes after its first time, at least, where the queue is long enough.
pub const REPEAT_DISTANCE: usize = 20;

/// Why an annotator is to judge an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It is a part of their share of the work.
    Work,
    /// So do others, for agreement.
    Shared,
    /// The answer is known, and told afterwards.
    Calibration,
    /// The answer is known, and not told.
    Control,
    /// They judged it before: for agreement with themselves.
    Repeat,
    /// Someone judged it before: a second look.
    Check,
}

impl Role {
    /// The word for it in files.
    pub fn name(self) -> &'static str {
        match self {
            Role::Work => "work",
            Role::Shared => "shared",
            Role::Calibration => "calibration",
            Role::Control => "control",
            Role::Repeat => "repeat",
            Role::Check => "check",
        }
    }

    /// Where its judgments stand, if that is beside the study.
    pub fn aside(self) -> Option<Aside> {
        match self {
            Role::Calibration => Some(Aside::Calibration),
            Role::Repeat => Some(Aside::Repeat),
            Role::Work | Role::Shared | Role::Control | Role::Check => None,
        }
    }

    /// Whether it is a part of the work that is spread, and not put on top of it.
    pub fn is_work(self) -> bool {
        matches!(self, Role::Work | Role::Shared)
    }
}

/// Why a judgment stands beside the study and counts in no score and no agreement between annotators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Aside {
    /// It was given to learn from the known answer.
    Calibration,
    /// It is the second one of the same annotator.
    Repeat,
}

impl Aside {
    /// Both.
    pub const ALL: [Aside; 2] = [Aside::Calibration, Aside::Repeat];

    /// The word for it in files.
    pub fn name(self) -> &'static str {
        match self {
            Aside::Calibration => "calibration",
            Aside::Repeat => "repeat",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Aside> {
        Aside::ALL.into_iter().find(|aside| aside.name() == name)
    }
}

/// What an assignment says beside who and what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    pub role: Role,
    /// By how many annotators a shared item is judged; `None` for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raters: Option<u32>,
    /// Key of the annotator whose answers are the known ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_from: Option<String>,
    /// The known answers by question, in the form of judgments; calibration only, so that whoever takes
    /// the study home needs no one else's judgments.
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub known: Meta,
    /// Told with the known answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
    /// Per cent of the calibration items that must be judged as is known, 0–100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<f64>,
    /// Whether the annotator's work waits until that is reached.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub must_pass: bool,
    /// The annotator has left the study; this one stays theirs because they judged it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left: bool,
}

impl Terms {
    /// Terms that say no more than the role.
    pub fn of(role: Role) -> Terms {
        Terms {
            role,
            raters: None,
            known_from: None,
            known: Meta::new(),
            explanation: None,
            pass: None,
            must_pass: false,
            left: false,
        }
    }
}

impl Terms {
    /// What whoever is to judge may know beforehand: that it is told or comes again, and no more.
    pub fn masked(&self) -> Terms {
        let role = match self.role {
            Role::Calibration | Role::Repeat => self.role,
            Role::Work | Role::Shared | Role::Control | Role::Check => Role::Work,
        };
        Terms { pass: self.pass, must_pass: self.must_pass, left: self.left, ..Terms::of(role) }
    }
}

/// An assignment that stands, as the outside writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assignment {
    pub protocol: String,
    pub annotator: String,
    /// The keys of the item, as in a judgment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bullet: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// As in [`Terms`], and so are the next seven.
    pub role: Role,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raters: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_from: Option<String>,
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub known: Meta,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<f64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub must_pass: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left: bool,
    /// When it was made, as RFC 3339; the latest of an annotator and an item counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// As in a [`super::Judgment`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sum: Option<String>,
}

impl Assignment {
    /// What it says beside who, what and when.
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
        }
    }
}
