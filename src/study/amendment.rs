//! Amendments, which put a study right: they withdraw and revise records, and join people who are one. Drawn samples and the
//! runs of judges are amendments too.
//!
//! An amendment takes nothing out of the journal. It says what counts, and the latest one about a subject holds.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::record::{Meta, Record};

/// A change to what counts in a study: by whom, and why.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Amendment {
    pub act: Act,
    /// The kind of the subject.
    pub of: AmendedKind,
    /// Key of the subject's collection; empty for collections, imports and annotators.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub collection: String,
    /// Key of the query of a unit or a candidate; empty for others.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub query: String,
    /// Key of the subject; for an import the fingerprint of the file.
    pub id: String,
    /// Key of the annotator to whom the subject's judgments belong, for [`Act::Join`].
    pub into: Option<String>,
    /// The new contents of a record, for [`Act::Revise`]; without them, the contents that it came in with hold again. The
    /// part that was drawn, for [`Act::Draw`]; how a judge was asked and what it answered, for [`Act::Ask`] and
    /// [`Act::Answer`].
    pub to: Option<RevisedFields>,
    /// The person who decided.
    pub by: String,
    pub why: String,
    /// The time, in milliseconds since 1970.
    pub at: i64,
}

/// The act of an amendment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Act {
    /// The subject counts nowhere: not in queues, scores, agreement, exports, pages.
    Withdraw,
    /// The subject counts again, and goes by its own name.
    Restore,
    /// An annotator is the same person as another one.
    Join,
    /// A record has other contents under its name. It may be withdrawn all the same.
    Revise,
    /// A record counts nowhere, and its texts are gone for good.
    Erase,
    /// A part of the study was drawn, and has a name.
    Draw,
    /// A judge is asked: see [`super::judge_run`].
    Ask,
    /// The answers of a judge came.
    Answer,
}

impl Act {
    /// Whether the act makes its subject count nowhere.
    #[must_use]
    pub fn withdraws(self) -> bool {
        matches!(self, Act::Withdraw | Act::Erase)
    }

    /// Whether anything in the study follows from the act.
    #[must_use]
    pub fn changes(self) -> bool {
        !matches!(self, Act::Draw | Act::Ask | Act::Answer)
    }

    /// The group of acts that this one belongs to: of each group, the latest amendment about a subject holds.
    fn fold(self) -> u8 {
        match self {
            Act::Withdraw | Act::Restore | Act::Join | Act::Draw => 0,
            Act::Revise => 1,
            Act::Erase => 2,
            Act::Ask | Act::Answer => 3,
        }
    }
}

/// The fields of a record as they are in files, without those that name it: these never change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RevisedFields(pub Meta);

/// The fields that name a record, or that other records go by. No revision changes them.
const NAMING: [&str; 6] = ["type", "collection", "query", "id", "number", "candidate"];

impl RevisedFields {
    /// The fields of a record that a revision may change; `None` where it cannot be revised.
    pub fn of(record: &Record) -> Option<RevisedFields> {
        let (Record::Collection(_)
        | Record::Query(_)
        | Record::Document(_)
        | Record::Unit(_)
        | Record::Candidate(_)
        | Record::Annotator(_)) = record
        else {
            return None;
        };
        let mut fields = fields_of(record)?;
        // The documents of a unit are a set.
        if let Some(serde_json::Value::Array(documents)) = fields.get_mut("documents") {
            documents.sort_by_key(ToString::to_string);
            documents.dedup();
        }
        fields.retain(|name, _| !NAMING.contains(&name.as_str()));
        Some(RevisedFields(fields))
    }

    /// A record under its own name with these contents; `None` where they do not make one.
    #[must_use]
    pub fn on(&self, record: &Record) -> Option<Record> {
        let mut fields = fields_of(record)?;
        fields.retain(|name, _| NAMING.contains(&name.as_str()));
        fields.remove("type");
        let new = self.0.iter().filter(|(name, _)| !NAMING.contains(&name.as_str()));
        fields.extend(new.map(|(name, value)| (name.clone(), value.clone())));
        record.kind().read(serde_json::Value::Object(fields)).ok()
    }
}

/// A record as an object of JSON.
fn fields_of(record: &Record) -> Option<Meta> {
    match serde_json::to_value(record) {
        Ok(serde_json::Value::Object(fields)) => Some(fields),
        _ => None,
    }
}

impl PartialOrd for RevisedFields {
    fn partial_cmp(&self, other: &RevisedFields) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RevisedFields {
    fn cmp(&self, other: &RevisedFields) -> Ordering {
        let text = |fields: &RevisedFields| serde_json::to_string(&fields.0).unwrap_or_default();
        text(self).cmp(&text(other))
    }
}

named! {
    /// The kinds of subjects.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum AmendedKind {
        Collection = "collection",
        Query = "query",
        Document = "document",
        Unit = "unit",
        Candidate = "candidate",
        /// The judgments of an imported file.
        Import = "import",
        Annotator = "annotator",
        /// A part that was drawn: a [`super::Sample`].
        Sample = "sample",
    }
}

impl Amendment {
    /// An amendment of a subject that its key alone names, without a person and a reason yet.
    pub fn about(act: Act, of: AmendedKind, id: &str, at: i64) -> Amendment {
        let [collection, query, by, why] = [const { String::new() }; 4];
        Amendment { act, of, collection, query, id: id.to_owned(), into: None, to: None, by, why, at }
    }

    /// The subject: its kind, collection, query and key.
    pub fn subject(&self) -> (AmendedKind, &str, &str, &str) {
        (self.of, &self.collection, &self.query, &self.id)
    }

    /// Whether the amendment changes anything where it is the latest. How judges were asked changes nothing.
    fn holds(&self) -> bool {
        match self.act {
            Act::Restore | Act::Ask | Act::Answer => false,
            Act::Revise | Act::Draw => self.to.is_some(),
            Act::Withdraw | Act::Join | Act::Erase => true,
        }
    }
}

/// The amendments that hold: of each subject the latest, where it is no restoration, and the latest revision, where it is no
/// undo. Of an erased record nothing else holds, and of joins that make a circle not the oldest. In the order in which they
/// were made.
#[must_use]
pub fn standing(amendments: &[Amendment]) -> Vec<&Amendment> {
    let mut latest = std::collections::BTreeMap::new();
    for amendment in amendments {
        let kept = latest.entry((amendment.subject(), amendment.act.fold())).or_insert(amendment);
        if (kept.at, *kept) < (amendment.at, amendment) {
            *kept = amendment;
        }
    }
    let mut found: Vec<&Amendment> = latest
        .iter()
        .filter(|((subject, fold), one)| {
            let erase = Act::Erase.fold();
            one.holds() && (*fold == erase || !latest.contains_key(&(*subject, erase)))
        })
        .map(|(_, one)| *one)
        .collect();
    found.sort_by_key(|amendment| (amendment.at, *amendment));
    // Joins of two files may make a circle: its oldest join does not hold.
    let (mut next, mut kept) = (std::collections::BTreeMap::new(), Vec::with_capacity(found.len()));
    for one in found.into_iter().rev() {
        if let (Act::Join, Some(into)) = (one.act, one.into.as_deref()) {
            let mut person = into;
            while let Some(further) = next.get(person) {
                person = *further;
            }
            if person == one.id {
                continue;
            }
            next.insert(one.id.as_str(), into);
        }
        kept.push(one);
    }
    kept.reverse();
    kept
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
            to: None,
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

    #[test]
    fn a_revision_holds_beside_a_withdrawal_until_it_is_undone() {
        let text = |text: &str| {
            let query = crate::study::Query { text: text.into(), ..Default::default() };
            RevisedFields::of(&Record::Query(query))
        };
        let revised = |to, at| Amendment { to, ..amendment(Act::Revise, "stress", at) };
        let all = [
            revised(text("one"), 4),
            amendment(Act::Withdraw, "stress", 5),
            revised(text("two"), 6),
            amendment(Act::Restore, "stress", 7),
            revised(None, 8),
        ];
        assert_eq!(standing(&all[..2]), [&all[0], &all[1]]);
        assert_eq!(standing(&all[..4]), [&all[2]]);
        assert!(standing(&all).is_empty());
    }

    #[test]
    fn what_is_erased_never_comes_back() {
        let all = [
            amendment(Act::Erase, "stress", 5),
            amendment(Act::Restore, "stress", 9),
            amendment(Act::Withdraw, "stress", 3),
        ];
        assert_eq!(standing(&all), [&all[0]]);
    }

    #[test]
    fn a_revision_leaves_the_name_of_its_record() {
        let query = |id: &str, text: &str| {
            Record::Query(crate::study::Query {
                collection: "exam".into(),
                id: id.into(),
                text: text.into(),
                ..Default::default()
            })
        };
        let revised = RevisedFields::of(&query("other", "new")).expect("fields");
        assert_eq!(revised.on(&query("stress", "old")), Some(query("stress", "new")));
        assert_eq!(RevisedFields(Meta::new()).on(&query("stress", "old")), None, "a query needs a text");
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
