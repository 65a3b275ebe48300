//! An item: one thing to judge, named so that it is the same in every file that holds the same data.

use std::sync::Arc;

use super::{Aside, Candidate, Document, ItemId, Query, Unit};
use crate::text::hash::{Fingerprint, fingerprint};
use crate::text::span::Span;

/// The name of an item in every study file: a fingerprint of its protocol and its target's keys.
pub type ItemKey = Fingerprint;

/// The parts that a protocol is applied to, by keys. Parts that the protocol's target does not name are `None`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TargetKeys {
    pub collection: String,
    pub query: String,
    pub document: Option<String>,
    pub unit: Option<String>,
    pub candidate: Option<String>,
    /// 1-based number of a bullet of the candidate.
    pub bullet: Option<u32>,
    /// The second candidate of a pair.
    pub other: Option<String>,
}

impl TargetKeys {
    /// The item's key under the protocol of this name. Versions of a protocol share items.
    pub fn item_key(&self, protocol: &str) -> ItemKey {
        let bullet = self.bullet.map(|number| number.to_string());
        let part = |value: &Option<String>| match value {
            // A tag keeps "no document" apart from a document whose key is empty.
            Some(text) => format!("={text}"),
            None => String::new(),
        };
        let parts = [&self.document, &self.unit, &self.candidate, &bullet].map(part);
        let named = ["item", protocol, &self.collection, &self.query];
        // Items of one candidate have the keys that they had before there were pairs.
        let other = self.other.as_deref();
        fingerprint(named.into_iter().chain(parts.iter().map(String::as_str)).chain(other))
    }

    /// Whether the second candidate of the pair is shown first to this annotator: drawn once for all units of the pair, and the
    /// other way round where an item comes a second time.
    pub fn is_turned(&self, annotator: &str, aside: Option<Aside>) -> bool {
        let pair = TargetKeys { unit: None, document: None, ..self.clone() };
        let drawn = pair.item_key(&format!("the sides for {annotator}")).0[0] % 2 == 1;
        self.other.is_some() && drawn != (aside == Some(Aside::Repeat))
    }

    /// The key of the item where it is asked beside the study: the same in every file that holds the study.
    pub fn item_key_beside(&self, protocol: &str, aside: Option<Aside>) -> ItemKey {
        let key = self.item_key(protocol);
        aside.map_or(key, |aside| fingerprint(&["aside", aside.name(), &key.to_string()]))
    }
}

/// An item with everything that its panes show.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub id: ItemId,
    pub keys: TargetKeys,
    pub query: Query,
    /// All documents of the collection by number, shared between the items of one collection.
    pub documents: Arc<[Document]>,
    /// Numbers of the documents that contain the unit, ascending; `None` where that is not known.
    pub relevant: Option<Vec<u32>>,
    /// Number of the document that is judged, where the target has one.
    pub document: Option<u32>,
    pub unit: Option<Unit>,
    /// The unit's evidence that was found in the texts, by document number and position.
    pub evidence: Vec<Passage>,
    /// The candidate; of a pair, the one that is shown first.
    pub candidate: Option<Candidate>,
    /// The other candidate of a pair.
    pub other: Option<Candidate>,
    /// Whether the second candidate of the pair is shown first.
    pub is_turned: bool,
    /// The units that a question chooses from, in the order of the study; most protocols have none.
    pub choices: Vec<Unit>,
    /// 1-based number of the bullet that is judged, where the target has one.
    pub bullet: Option<u32>,
}

/// A passage of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Passage {
    /// Number of the document.
    pub document: u32,
    pub span: Span,
}

impl Item {
    pub fn document_numbered(&self, number: u32) -> Option<&Document> {
        let index = self.documents.binary_search_by_key(&number, |document| document.number).ok()?;
        self.documents.get(index)
    }

    /// Whether a system whose candidate is shown was given the document. All were, where citations are the numbers of
    /// documents.
    pub fn is_listed(&self, number: u32) -> bool {
        let mut shown = [&self.candidate, &self.other].into_iter().flatten().peekable();
        let has = |candidate: &Candidate| {
            candidate.cites.as_ref().is_none_or(|list| list.numbers().any(|other| other == number))
        };
        shown.peek().is_none() || shown.any(has)
    }

    /// Fingerprint of the texts that a judgment of this item is about.
    pub fn texts(&self) -> Fingerprint {
        let document = self
            .document
            .and_then(|number| self.document_numbered(number))
            .map_or("", |document| &document.text);
        let (first, second) =
            if self.is_turned { (&self.other, &self.candidate) } else { (&self.candidate, &self.other) };
        judged_texts(
            &self.query.text,
            document,
            self.unit.as_ref().map_or("", |unit| &unit.text),
            first.as_ref().map_or("", |candidate| &candidate.text),
            second.as_ref().map(|other| other.text.as_str()),
        )
    }

    /// Shows the second candidate of a pair first.
    #[must_use]
    pub fn turned(self) -> Item {
        Item { candidate: self.other, other: self.candidate, is_turned: !self.is_turned, ..self }
    }
}

/// Fingerprint of the texts that a judgment is about; parts that the target lacks are empty.
pub fn judged_texts(
    query: &str,
    document: &str,
    unit: &str,
    candidate: &str,
    other: Option<&str>,
) -> Fingerprint {
    fingerprint(["texts", query, document, unit, candidate].into_iter().chain(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_apart_what_differs_and_nothing_else() {
        let target = TargetKeys {
            collection: "exam".into(),
            query: "stress".into(),
            unit: Some("pomodoro".into()),
            candidate: Some("c1".into()),
            ..TargetKeys::default()
        };
        let key = target.item_key("coverage");
        assert_eq!(key, target.clone().item_key("coverage"));
        assert_ne!(key, target.item_key("keypoint"));
        let swapped =
            TargetKeys { unit: Some("c1".into()), candidate: Some("pomodoro".into()), ..target.clone() };
        assert_ne!(key, swapped.item_key("coverage"));
        let empty = TargetKeys { document: Some(String::new()), ..target.clone() };
        assert_ne!(key, empty.item_key("coverage"));
    }
    #[test]
    fn half_of_the_pairs_are_turned_and_a_repeat_is_the_other_way_round() {
        let pair = |number: u32| TargetKeys {
            candidate: Some(format!("a{number}")),
            other: Some("b".into()),
            ..TargetKeys::default()
        };
        let turned = (0..400).filter(|number| pair(*number).is_turned("ana", None)).count();
        assert!((160..240).contains(&turned), "{turned}");
        let for_both =
            (0..400).filter(|at| pair(*at).is_turned("ana", None) == pair(*at).is_turned("bo", None));
        assert!((160..240).contains(&for_both.count()), "each annotator has sides of her own");
        assert!(
            (0..400).all(|at| {
                pair(at).is_turned("ana", None) != pair(at).is_turned("ana", Some(Aside::Repeat))
            })
        );
        assert!(!TargetKeys { other: None, ..pair(1) }.is_turned("ana", Some(Aside::Repeat)));
        let of_unit = |unit: u32| TargetKeys { unit: Some(format!("u{unit}")), ..pair(1) };
        assert!((0..40).all(|unit| of_unit(unit).is_turned("ana", None) == pair(1).is_turned("ana", None)));
        let key = |keys: &TargetKeys| keys.item_key("preference");
        assert_ne!(key(&pair(1)), key(&TargetKeys { other: None, ..pair(1) }));
    }
}
