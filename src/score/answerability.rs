//! Questions of a reference that a text answers: recall, and precision of the answers.
//!
//! - recall = answerable / questions, the mean over texts; precision = mean over the answered questions of token F1
//!   between the answer and the reference's, then the mean over texts. A question that several people judged counts with
//!   the mean of theirs.
//! - Questions that the reference itself cannot answer are left out.
//! - Tokens are words: of a segmenter where a text has Han characters (as the published code does with jieba), of
//!   Unicode's rules elsewhere; lower case, without punctuation, which the published code keeps as tokens.
//!
//! Source: Lyu et al. 2024, CRUD-RAG, §3.6 (RAGQuestEval).

use super::token_f1;
use crate::protocol::{Answer, Answers, Protocol, Question, QuestionKind, TargetPart};
use crate::text::segment;

/// The two questions of a protocol on whether a text answers a question of the reference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnswerQuestions<'p> {
    answerable: &'p Question,
    answer: &'p Question,
    /// The field of a unit's meta that holds the reference's answer.
    reference: &'p str,
}

impl<'p> AnswerQuestions<'p> {
    /// The two questions of a protocol whose items are a candidate and a unit: one asks yes or no, the other, asked after yes,
    /// takes a text and reveals an answer from the unit's meta. `None` for other protocols.
    pub fn of(protocol: &'p Protocol) -> Option<AnswerQuestions<'p>> {
        let (answer, reference) = protocol.questions.iter().find_map(|question| match &question.kind {
            QuestionKind::Text { reveals: Some(field), .. } => Some((question, field)),
            _ => None,
        })?;
        let asked = answer.ask_when.as_ref().filter(|condition| condition.is == ["yes"])?;
        let answerable = protocol.question(&asked.question).filter(|question| {
            let values: Vec<&str> = question.choices().iter().map(|choice| choice.value.as_str()).collect();
            values.len() == 2 && values.contains(&"yes") && values.contains(&"no")
        })?;
        (protocol.targets(TargetPart::Candidate) && protocol.targets(TargetPart::Unit))
            .then_some(AnswerQuestions { answerable, answer, reference })
    }

    /// Reads the answers about a question; `meta` is the unit's.
    pub fn read(&self, answers: &Answers, meta: &crate::study::Meta) -> QuestionJudged {
        let text = |question: &Question| answers.get(&question.key).and_then(Answer::as_text);
        let answerable = text(self.answerable).map(|value| value == "yes");
        let answer = text(self.answer).filter(|_| answerable == Some(true)).map(segment::words);
        let reference = meta.get(self.reference).and_then(|value| value.as_str()).map(segment::words);
        QuestionJudged {
            answerable,
            f1: answer.zip(reference).and_then(|(answer, reference)| {
                (!reference.is_empty() && !answer.is_empty()).then(|| token_f1(&answer, &reference))
            }),
        }
    }
}

/// The answer in CRUD-RAG's caches to a question that the reference does not answer (Lyu et al. 2024, §3.6: "cannot be
/// inferred").
const NOT_ANSWERED: &str = "无法推断";

/// Whether the reference answers this unit's question: yes, unless the unit's meta says otherwise.
pub fn reference_answers(meta: &crate::study::Meta) -> bool {
    let is_said = |name: &str| meta.get(name).unwrap_or(&serde_json::Value::Null);
    is_said("answerable") != false && is_said("answer") != NOT_ANSWERED
}

/// The judgment of one question.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct QuestionJudged {
    /// Whether the text answers the question; `None` if not judged.
    pub answerable: Option<bool>,
    /// Token F1 of the text's answer and the reference's, 0–100; `None` where either is not known.
    pub f1: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtin;
    use crate::study::Meta;

    fn read(answerable: &str, answer: Option<&str>, reference: Option<&str>) -> QuestionJudged {
        let protocol = builtin("answerability").expect("built in");
        let questions = AnswerQuestions::of(protocol).expect("about answers");
        let text = |value: &str| Answer::Text(value.to_owned());
        let mut answers: Answers = [("answerable".to_owned(), text(answerable))].into();
        answers.extend(answer.map(|answer| ("answer".to_owned(), text(answer))));
        let meta: Meta = reference.map(|answer| ("answer".to_owned(), answer.into())).into_iter().collect();
        questions.read(&answers, &meta)
    }

    #[test]
    fn answers_are_compared_by_words() {
        // heat pumps | heat pumps and boilers: 2 common, P 2/2, R 2/4, F1 2/3.
        let judged = read("yes", Some("Heat pumps."), Some("heat pumps and boilers"));
        assert!((judged.f1.expect("both are known") - 200.0 / 3.0).abs() < 1e-9);
        assert_eq!(read("yes", Some("one"), None), QuestionJudged { answerable: Some(true), f1: None });
        assert_eq!(read("yes", Some("…"), Some("one")).f1, None);
        // An answer left from before it was changed to no does not count.
        assert_eq!(
            read("no", Some("one"), Some("one")),
            QuestionJudged { answerable: Some(false), f1: None }
        );
        assert!(AnswerQuestions::of(builtin("entailment").expect("built in")).is_none());
    }
}
