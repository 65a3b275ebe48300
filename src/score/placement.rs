//! Errors of the gold map: which documents are wrongly said to contain an insight, and which are wrongly left out.
//!
//! Source: Laban et al. 2024, Summary of a Haystack, §3.2 and App. A.1.3.

use super::origin::Origin;
use super::share::Share;
use crate::protocol::{Answer, Answers, Part, Protocol, Question};

/// The answers to whether a document contains a unit.
const PRESENT: &str = "yes";
const ABSENT: &str = "no";

/// The question of a protocol about where units stand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlacementQuestion<'p> {
    present: &'p Question,
}

impl<'p> PlacementQuestion<'p> {
    /// The main question of a protocol whose items are a document and a unit, asked without what the
    /// gold map says, and answered with yes or no; `None` for any other.
    pub fn of(protocol: &'p Protocol) -> Option<PlacementQuestion<'p>> {
        let present = protocol.main_question()?;
        let values: Vec<&str> = present.choices().iter().map(|choice| choice.value.as_str()).collect();
        let is_yes_or_no = values.len() == 2 && values.contains(&PRESENT) && values.contains(&ABSENT);
        let is_about_places = protocol.targets(Part::Document)
            && protocol.targets(Part::Unit)
            && !protocol.targets(Part::Candidate)
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

    /// Key of the question.
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

/// How often the gold map is wrong. Counts judgments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MapErrors {
    /// Mapped pairs judged absent, among the mapped ones.
    pub false_mappings: Share,
    /// Pairs outside the map judged present, among those.
    pub missed: Share,
    /// Pairs of units of which the map says nothing; in neither share.
    pub unknown: usize,
}

impl MapErrors {
    /// Counts the judgments.
    pub fn of<'a>(judgments: impl IntoIterator<Item = &'a PairJudged>) -> MapErrors {
        let mut errors = MapErrors::default();
        for judgment in judgments {
            match judgment.is_mapped {
                Some(true) => errors.false_mappings.count(!judgment.is_present),
                Some(false) => errors.missed.count(judgment.is_present),
                None => errors.unknown += 1,
            }
        }
        errors
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtin;
    use crate::score::{By, Grouped, Undefined};

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
        let pair = |collection: &str, is_mapped, is_present| PairJudged {
            origin: Origin { collection: collection.into(), ..Origin::default() },
            is_mapped,
            is_present,
        };
        let judgments = [
            pair("exam", Some(true), true),
            pair("exam", Some(true), true),
            pair("exam", Some(true), true),
            pair("exam", Some(true), false),
            pair("exam", Some(false), false),
            pair("exam", Some(false), true),
            pair("exam", None, true),
            pair("news", Some(true), true),
        ];
        let rows = Grouped::of(&judgments, |pair| &pair.origin, &[By::Collection], MapErrors::of).rows;
        // One of four mapped pairs is absent, one of two others is present.
        let exam = rows[0].1;
        assert_eq!((exam.false_mappings, exam.missed), (Share { part: 1, of: 4 }, Share { part: 1, of: 2 }));
        assert_eq!(exam.unknown, 1);
        let news = rows[1].1;
        assert_eq!(news.false_mappings.percent(Undefined::NothingJudged), Ok(0.0));
        assert_eq!(news.missed.percent(Undefined::NothingJudged), Err(Undefined::NothingJudged));
    }
}
