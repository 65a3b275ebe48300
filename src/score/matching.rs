//! Extraction recall: which share of the points that people found a machine found too.
//!
//! Source: Qi et al. 2024, Long2RAG, §3.3 (98.5 % on 10 questions).

use super::items::{Counted, Score, Thing, percent_of};
use super::measure::Undefined;
use super::origin::Origin;
use crate::protocol::{Answer, Answers, Protocol, Question, QuestionKind, TargetPart};

/// The question of a protocol about which units say what another unit says.
pub fn matching_question(protocol: &Protocol) -> Option<&Question> {
    let is_about_units = protocol.target == [TargetPart::Unit];
    protocol
        .questions
        .iter()
        .find(|question| is_about_units && matches!(question.kind, QuestionKind::Units { .. }))
}

/// Whether any unit says the point; `None` where that is not judged. An empty list and a deliberate
/// nothing both say that none does, as where the machine found no point at all.
pub fn is_said(question: &Question, answers: &Answers) -> Option<bool> {
    match answers.get(&question.key)? {
        Answer::Names(names) => Some(!names.is_empty()),
        Answer::Nothing => Some(false),
        _ => None,
    }
}

/// One annotator's judgment of one point that people found.
#[derive(Debug, Clone, PartialEq)]
pub struct HumanPointJudged {
    pub origin: Origin,
    /// Whether a machine's point says it.
    pub is_said: bool,
}

/// How many of the points that people found a machine found too.
#[derive(Debug, Clone, PartialEq)]
pub struct Matching {
    /// Points that people found and that are judged.
    pub judged: Counted,
    /// Judgments that a machine's point says it.
    pub said: usize,
    /// The share of the points that is said, 0–100.
    pub recall: Score,
}

impl Matching {
    pub fn of(points: &[Thing<'_, HumanPointJudged>]) -> Matching {
        Matching {
            judged: Counted::of(points, |_| true),
            said: Counted::of(points, |point| point.is_said).judgments,
            recall: Score::over(points, Undefined::NothingJudged, |point| Some(percent_of(point.is_said))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtin;
    use crate::score::Grouped;

    #[test]
    fn one_machine_point_is_enough_and_none_is_a_miss() {
        let question = matching_question(builtin("match").expect("built in")).expect("about units");
        let said = |answer: Option<Answer>| {
            let answers: Answers = answer.map(|answer| ("said_by".to_owned(), answer)).into_iter().collect();
            is_said(question, &answers)
        };
        assert_eq!(said(Some(Answer::Names(vec!["k1".into(), "k4".into()]))), Some(true));
        assert_eq!(said(Some(Answer::Nothing)), Some(false));
        assert_eq!(said(None), None);
        assert!(matching_question(builtin("coverage").expect("built in")).is_none());
    }

    #[test]
    fn recall_is_pooled_over_points() {
        let point = |query: &str, unit: &str, is_said| HumanPointJudged {
            origin: Origin { query: query.into(), candidate: Some(unit.into()), ..Origin::default() },
            is_said,
        };
        let points = [
            point("a", "1", true),
            point("a", "2", true),
            point("a", "2", false),
            point("a", "3", false),
            point("b", "1", true),
        ];
        let found = Grouped::of(&points, |point| &point.origin, &["query"], Matching::of);
        assert_eq!([0, 1].map(|at| found.rows[at].1.recall.value()), [Ok(50.0), Ok(100.0)]);
        // Pooled (1 + 1/2 + 0 + 1) of 4 points, not the mean of 1/2 and 1.
        let all = found.all.expect("judged");
        assert_eq!((all.recall.value(), all.judged), (Ok(62.5), Counted { items: 4, judgments: 5 }));
    }
}
