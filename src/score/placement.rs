//! Errors of the gold map: which documents are wrongly said to contain an insight, and which are wrongly left out.
//!
//! Source: Laban et al. 2024, Summary of a Haystack, §3.2 and App. A.1.3.

use super::items::{Counted, Score, Thing, percent_of};
use super::measure::Undefined;
use super::origin::Origin;
use crate::protocol::{Answer, Answers, Protocol, Question, TargetPart};

/// The answers to whether a document contains a unit.
const PRESENT: &str = "yes";
const ABSENT: &str = "no";

/// The question of a protocol about where units stand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlacementQuestion<'p> {
    present: &'p Question,
}

impl<'p> PlacementQuestion<'p> {
    /// The protocol's main question, if its items are a document and a unit, it is asked without what the
    /// gold map says, and the answers are yes and no; else `None`.
    pub fn of(protocol: &'p Protocol) -> Option<PlacementQuestion<'p>> {
        let present = protocol.main_question()?;
        let values: Vec<&str> = present.choices().iter().map(|choice| choice.value.as_str()).collect();
        let is_yes_or_no = values.len() == 2 && values.contains(&PRESENT) && values.contains(&ABSENT);
        let is_about_places = protocol.targets(TargetPart::Document)
            && protocol.targets(TargetPart::Unit)
            && !protocol.targets(TargetPart::Candidate)
            && !protocol.shows_evidence;
        (is_yes_or_no && is_about_places).then_some(PlacementQuestion { present })
    }

    /// Whether the document contains the unit, as far as the answers say.
    pub fn read(&self, answers: &Answers) -> Option<bool> {
        match answers.get(&self.present.key).and_then(Answer::as_text) {
            Some(PRESENT) => Some(true),
            Some(ABSENT) => Some(false),
            _ => None,
        }
    }

    pub fn key(&self) -> &'p str {
        &self.present.key
    }
}

/// One annotator's judgment of one unit in one document.
#[derive(Debug, Clone, PartialEq)]
pub struct PairJudged {
    pub origin: Origin,
    /// Whether the gold map says that the document contains the unit; `None` where it says nothing
    /// about the unit.
    pub is_mapped: Option<bool>,
    pub is_present: bool,
}

/// How often the gold map is wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct MapErrors {
    /// Mapped pairs that are judged, and how many judgments say that the unit is absent.
    pub mapped: Counted,
    pub absent: usize,
    /// The share of the mapped pairs that is absent, 0–100.
    pub false_mappings: Score,
    /// Pairs outside the map that are judged, and how many judgments say that the unit is present.
    pub unmapped: Counted,
    pub present: usize,
    /// The share of these that is present, 0–100.
    pub missed: Score,
    /// Pairs of units of which the map says nothing; in neither share.
    pub unknown: Counted,
}

impl MapErrors {
    /// The errors in these pairs.
    pub fn of(pairs: &[Thing<'_, PairJudged>]) -> MapErrors {
        // Whether the map is wrong about a pair that is mapped, or is not.
        let wrong =
            |pair: &PairJudged, mapped| (pair.is_mapped == Some(mapped)).then_some(pair.is_present != mapped);
        let share =
            |mapped| Score::over(pairs, Undefined::NothingJudged, |pair| wrong(pair, mapped).map(percent_of));
        let counted = |is_mapped| Counted::of(pairs, |pair: &PairJudged| pair.is_mapped == is_mapped);
        let errors = |mapped| Counted::of(pairs, |pair| wrong(pair, mapped) == Some(true)).judgments;
        MapErrors {
            mapped: counted(Some(true)),
            absent: errors(true),
            false_mappings: share(true),
            unmapped: counted(Some(false)),
            present: errors(false),
            missed: share(false),
            unknown: counted(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtin;
    use crate::score::Grouped;

    #[test]
    fn the_question_is_known_by_what_it_asks() {
        let question = PlacementQuestion::of(builtin("placement").expect("built in")).expect("about places");
        let read = |value: &str| question.read(&[("present".to_owned(), Answer::Text(value.into()))].into());
        assert_eq!((read("yes"), read("no"), read("perhaps")), (Some(true), Some(false), None));
        for other in ["keypoint", "coverage", "attribution", "answerability"] {
            assert!(PlacementQuestion::of(builtin(other).expect("built in")).is_none(), "{other}");
        }
    }

    #[test]
    fn both_errors_are_shares_of_their_own_kind_of_pair() {
        let pair = |collection: &str, query: &str, is_mapped, is_present| PairJudged {
            origin: Origin { collection: collection.into(), query: query.into(), ..Origin::default() },
            is_mapped,
            is_present,
        };
        let judgments = [
            pair("exam", "1", Some(true), true),
            pair("exam", "2", Some(true), true),
            pair("exam", "3", Some(true), true),
            pair("exam", "3", Some(true), false),
            pair("exam", "4", Some(true), false),
            pair("exam", "5", Some(false), false),
            pair("exam", "6", Some(false), true),
            pair("exam", "7", None, true),
            pair("news", "1", Some(true), true),
        ];
        let rows = Grouped::of(&judgments, |pair| &pair.origin, &["collection"], MapErrors::of).rows;
        // Of four mapped pairs one is absent, one for one of two people; one of two others is present.
        let exam = &rows[0].1;
        assert_eq!((exam.false_mappings.value(), exam.missed.value()), (Ok(37.5), Ok(50.0)));
        assert_eq!((exam.mapped, exam.absent), (Counted { items: 4, judgments: 5 }, 2));
        assert_eq!((exam.unmapped.items, exam.present, exam.unknown.items), (2, 1, 1));
        let news = &rows[1].1;
        assert_eq!(news.false_mappings.value(), Ok(0.0));
        assert_eq!(news.missed.value(), Err(Undefined::NothingJudged));
    }
}
