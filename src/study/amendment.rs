//! What puts a study right: records that do not count any more, and people whose names were wrong.
//!
//! An amendment takes nothing out of the journal. It says what counts, and the latest one about a subject holds.

use serde::{Deserialize, Serialize};

/// A change to what counts in a study: by whom, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Amendment {
    pub act: Act,
    /// The kind of its subject.
    pub of: AmendedKind,
    /// Key of the subject's collection; empty for imports and annotators.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub collection: String,
    /// Key of the query of a unit or a candidate; empty for others.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub query: String,
    /// Key of the subject; for an import the fingerprint of the file.
    pub id: String,
    /// Key of the annotator whose judgments they are, for [`Act::Join`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub into: Option<String>,
    /// Who decided it.
    pub by: String,
    pub why: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

/// What an amendment does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Act {
    /// The subject counts nowhere: not in queues, scores, agreement, exports, pages.
    Withdraw,
    /// It counts again, and goes by its own name.
    Restore,
    /// An annotator is the same person as another one.
    Join,
}

/// What can be amended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AmendedKind {
    Query,
    Document,
    Unit,
    Candidate,
    /// The judgments of an imported file.
    Import,
    Annotator,
}

impl AmendedKind {
    /// The word for it, in files and to people.
    pub fn name(self) -> &'static str {
        match self {
            AmendedKind::Query => "query",
            AmendedKind::Document => "document",
            AmendedKind::Unit => "unit",
            AmendedKind::Candidate => "candidate",
            AmendedKind::Import => "import",
            AmendedKind::Annotator => "annotator",
        }
    }
}

impl Amendment {
    /// What it is about.
    pub fn subject(&self) -> (AmendedKind, &str, &str, &str) {
        (self.of, &self.collection, &self.query, &self.id)
    }
}

/// The amendments that hold: of each subject the latest, where it is no restoration. In the order in which they were made.
#[must_use]
pub fn standing(amendments: &[Amendment]) -> Vec<&Amendment> {
    let mut latest = std::collections::BTreeMap::new();
    for amendment in amendments {
        let kept = latest.entry(amendment.subject()).or_insert(amendment);
        if (kept.at, *kept) < (amendment.at, amendment) {
            *kept = amendment;
        }
    }
    let mut found: Vec<&Amendment> =
        latest.into_values().filter(|amendment| amendment.act != Act::Restore).collect();
    found.sort_by_key(|amendment| (amendment.at, *amendment));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn amendment(act: Act, id: &str, at: i64) -> Amendment {
        Amendment {
            act,
            of: AmendedKind::Query,
            collection: "exam".into(),
            query: String::new(),
            id: id.into(),
            into: None,
            by: "lead".into(),
            why: "it was leaked".into(),
            at,
        }
    }

    #[test]
    fn the_latest_of_a_subject_holds() {
        let all = [
            amendment(Act::Withdraw, "stress", 5),
            amendment(Act::Restore, "stress", 9),
            amendment(Act::Withdraw, "sleep", 7),
        ];
        assert_eq!(standing(&all), [&all[2]]);
        assert_eq!(standing(&all[..1]), [&all[0]]);
    }

    proptest! {
        #[test]
        fn the_order_in_which_they_came_in_does_not_matter(
            mut given in prop::collection::vec((any::<bool>(), 0..3_u8, 0..4_i64), 0..12),
        ) {
            let read = |given: &[(bool, u8, i64)]| -> Vec<Amendment> {
                let act = |is_out| if is_out { Act::Withdraw } else { Act::Restore };
                given.iter().map(|(is_out, id, at)| amendment(act(*is_out), &id.to_string(), *at)).collect()
            };
            let first = read(&given);
            given.reverse();
            let second = read(&given);
            prop_assert_eq!(standing(&first), standing(&second));
        }
    }
}
