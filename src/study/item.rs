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
        fingerprint(&[
            "item",
            protocol,
            &self.collection,
            &self.query,
            &part(&self.document),
            &part(&self.unit),
            &part(&self.candidate),
            &part(&bullet),
        ])
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
    pub candidate: Option<Candidate>,
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
    /// The document of this number.
    pub fn document_numbered(&self, number: u32) -> Option<&Document> {
        let index = self.documents.binary_search_by_key(&number, |document| document.number).ok()?;
        self.documents.get(index)
    }

    /// Fingerprint of the texts that a judgment of this item is about.
    pub fn texts(&self) -> Fingerprint {
        let document = self
            .document
            .and_then(|number| self.document_numbered(number))
            .map_or("", |document| &document.text);
        judged_texts(
            &self.query.text,
            document,
            self.unit.as_ref().map_or("", |unit| &unit.text),
            self.candidate.as_ref().map_or("", |candidate| &candidate.text),
        )
    }
}

/// Fingerprint of the texts that a judgment is about; parts that the target lacks are empty.
pub fn judged_texts(query: &str, document: &str, unit: &str, candidate: &str) -> Fingerprint {
    fingerprint(&["texts", query, document, unit, candidate])
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
}
