//! Units that come of points which people reworded, split or called the same as another.

use std::collections::HashMap;

use super::{UnitName, Worth, key, name_of, whole};
use crate::error::Result;
use crate::protocol::{Answer, Answers, Protocol, QuestionKind, TargetPart};
use crate::study::{Judgment, Meta, Unit};

/// The kind of units that are made from others.
const MADE: &str = "nugget";
/// The label of a unit of which nothing is made.
const DROPPED: &str = "drop";

/// Whether judgments under the protocol reword or split units. Where a candidate is judged too, what is written is about the
/// candidate.
pub fn edits_units(protocol: &Protocol) -> bool {
    let is_worded = |kind: &QuestionKind| {
        matches!(
            kind,
            QuestionKind::Points { .. } | QuestionKind::Text { starts_with: Some(TargetPart::Unit), .. }
        )
    };
    let is_of_units = protocol.targets(TargetPart::Unit) && !protocol.is_about_candidates();
    is_of_units && protocol.questions.iter().any(|one| is_worded(&one.kind))
}

/// One person's edit of a unit.
struct UnitEdit {
    annotator: String,
    origin: Unit,
    texts: Vec<String>,
    /// The unit that is called the same as `origin`.
    same_as: Option<UnitName>,
}

/// People's edits of units under one protocol, in the order of annotators and corpus.
#[derive(Default)]
pub struct UnitEdits(Vec<UnitEdit>);

impl UnitEdits {
    /// Takes a judgment in. Returns its worth, with no units yet.
    ///
    /// # Errors
    /// The study holds an answer that this program does not understand.
    pub fn take(
        &mut self,
        protocol: &Protocol,
        judgment: &Judgment,
        units: &HashMap<UnitName, Unit>,
    ) -> Result<Worth> {
        let answers = match whole(protocol, judgment)? {
            Ok(answers) => answers,
            Err(worth) => return Ok(worth),
        };
        let name = |unit: &String| {
            let of = |key: &Option<String>| key.clone().unwrap_or_default();
            (of(&judgment.collection), of(&judgment.query), unit.clone())
        };
        if let Some(origin) = judgment.unit.as_ref().and_then(|unit| units.get(&name(unit))) {
            self.0.push(UnitEdit {
                annotator: judgment.annotator.clone(),
                texts: texts(protocol, &answers, &origin.text),
                same_as: same_as(protocol, &answers).as_ref().map(name),
                origin: origin.clone(),
            });
        }
        Ok(Worth::Units(Vec::new()))
    }

    /// The units that the edits make. A unit that is called the same as another goes into the other.
    pub fn units(self, protocol: &Protocol, kind: Option<&str>) -> Vec<Unit> {
        let place: HashMap<(&str, UnitName), usize> = (self.0.iter().enumerate())
            .map(|(at, edit)| ((edit.annotator.as_str(), name_of(&edit.origin)), at))
            .collect();
        let next = |at: usize| {
            let edit = self.0.get(at)?;
            place.get(&(edit.annotator.as_str(), edit.same_as.clone()?)).copied()
        };
        // The unit into which a unit goes in the end; of units that are each called the same as the other, the first.
        let root = |from: usize| {
            let mut way = vec![from];
            while let Some(at) = way.last().and_then(|at| next(*at)) {
                if let Some(begin) = way.iter().position(|seen| *seen == at) {
                    return way.iter().skip(begin).min().copied().unwrap_or(from);
                }
                way.push(at);
            }
            way.last().copied().unwrap_or(from)
        };
        let mut made: Vec<Vec<&UnitEdit>> = self.0.iter().map(|_| Vec::new()).collect();
        for (at, edit) in self.0.iter().enumerate() {
            let root = root(at);
            if let Some(members) = made.get_mut(root) {
                // The edit of the unit that stays comes first.
                members.insert(if root == at { 0 } else { members.len() }, edit);
            }
        }
        let kind = kind.unwrap_or(MADE);
        made.iter().flat_map(|members| of_members(protocol, kind, members)).collect()
    }
}

/// The words that a unit becomes: its own where nobody says otherwise, none where it is dropped.
fn texts(protocol: &Protocol, answers: &Answers, own: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for question in protocol.asked(answers) {
        match (&question.kind, answers.get(&question.key)) {
            (QuestionKind::Choice { .. }, Some(Answer::Text(label))) if label == DROPPED => {
                return Vec::new();
            }
            (QuestionKind::Text { starts_with: Some(TargetPart::Unit), .. }, Some(Answer::Text(text))) => {
                texts.push(text.clone());
            }
            (QuestionKind::Points { .. }, Some(answer)) => {
                texts.extend(answer.points().iter().map(|point| point.text.clone()));
            }
            _ => {}
        }
    }
    if texts.is_empty() { vec![own.to_owned()] } else { texts }
}

/// The unit that is said to be the same, where the protocol asks for one of the kinds that it judges.
fn same_as(protocol: &Protocol, answers: &Answers) -> Option<String> {
    let asked = protocol.asked(answers).filter(|question| {
        let kinds = question.kinds();
        !kinds.is_empty() && kinds.iter().all(|kind| protocol.units.contains(kind))
    });
    asked.filter_map(|question| answers.get(&question.key)).find_map(|answer| answer.names().first().cloned())
}

/// The units that the first of these edits makes, with the documents and passages of all.
fn of_members(protocol: &Protocol, kind: &str, members: &[&UnitEdit]) -> Vec<Unit> {
    let Some(first) = members.first() else { return Vec::new() };
    let (mut documents, mut evidence) = (first.origin.documents.clone(), first.origin.evidence.clone());
    for Unit { documents: more, evidence: passages, .. } in members.iter().skip(1).map(|edit| &edit.origin) {
        for document in more.iter().flatten() {
            let known = documents.get_or_insert_default();
            if !known.contains(document) {
                known.push(document.clone());
            }
        }
        evidence.extend(passages.iter().filter(|one| !first.origin.evidence.contains(one)).cloned());
    }
    let from: Vec<&str> = members.iter().map(|edit| edit.origin.id.as_str()).collect();
    let made = |text: &String| {
        let mut unit = Unit {
            kind: kind.to_owned(),
            title: None,
            text: text.clone(),
            documents: documents.clone(),
            evidence: evidence.clone(),
            score: None,
            meta: Meta::from_iter([
                ("annotator".to_owned(), first.annotator.as_str().into()),
                ("protocol".to_owned(), protocol.name.as_str().into()),
                ("from".to_owned(), from.clone().into()),
            ]),
            ..first.origin.clone()
        };
        unit.id = key(&protocol.name, &first.annotator, &unit);
        unit
    };
    first.texts.iter().map(made).collect()
}
