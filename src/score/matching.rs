//! Extraction recall: which share of the points that people found a machine found too.
//!
//! Source: Qi et al. 2024, Long2RAG, §3.3 (98.5 % on 10 questions).

use super::origin::Origin;
use crate::protocol::{Answer, Answers, Part, Protocol, Question, QuestionKind};

/// The question of a protocol about which units say what another unit says.
pub fn matching_question(protocol: &Protocol) -> Option<&Question> {
    let is_about_units = protocol.target == [Part::Unit];
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtin;
    use crate::score::{By, Grouped, Share};

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
        let point = |query: &str, is_said| HumanPointJudged {
            origin: Origin { query: query.into(), ..Origin::default() },
            is_said,
        };
        let points = [point("a", true), point("a", true), point("a", false), point("b", true)];
        let said =
            |points: Vec<&HumanPointJudged>| points.iter().map(|point| point.is_said).collect::<Share>();
        let found = Grouped::of(&points, |point| &point.origin, &[By::Query], said);
        assert_eq!((found.rows[0].1, found.rows[1].1), (Share { part: 2, of: 3 }, Share { part: 1, of: 1 }));
        // Pooled 3 of 4, not the mean of 2/3 and 1.
        assert_eq!(found.all, Some(Share { part: 3, of: 4 }));
    }
}
