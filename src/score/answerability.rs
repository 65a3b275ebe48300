//! Questions of the reference that a text answers: recall, and precision of the answers.
//!
//! - recall = answerable / questions, the mean over texts; precision = mean over the answered questions of token F1
//!   between the answer and the reference's, then the mean over texts.
//! - Questions that the reference itself cannot answer are left out.
//! - Tokens are words: of a segmenter where a text has Han characters (as the published code does with jieba), of
//!   Unicode's rules elsewhere; lower case, without punctuation, which the published code keeps as tokens.
//!
//! Source: Lyu et al. 2024, CRUD-RAG, §3.6 (RAGQuestEval).

use super::answers::token_f1;
use super::measure::{Mean, Measure, Undefined};
use super::origin::Origin;
use super::share::Share;
use crate::protocol::{Answer, Answers, Part, Protocol, Question, QuestionKind};
use crate::text::segment;

/// The questions of a protocol about what a text answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnswerQuestions<'p> {
    answerable: &'p Question,
    answer: &'p Question,
    /// The field of a unit's meta that holds the reference's answer.
    reference: &'p str,
}

impl<'p> AnswerQuestions<'p> {
    /// The questions of a protocol whose items are a candidate and a unit, which asks yes or no, and
    /// upon yes for a text beside which an answer of the unit's meta is revealed; `None` for any other.
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
        (protocol.targets(Part::Candidate) && protocol.targets(Part::Unit)).then_some(AnswerQuestions {
            answerable,
            answer,
            reference,
        })
    }

    /// What the answers say about a question; `meta` is the unit's.
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

    /// Keys of the questions.
    pub fn keys(&self) -> [&'p str; 2] {
        [&self.answerable.key, &self.answer.key]
    }
}

/// Whether the reference answers the question of this unit: so unless its meta says otherwise.
pub fn reference_answers(meta: &crate::study::Meta) -> bool {
    meta.get("answerable").and_then(|value| value.as_bool()) != Some(false)
}

/// What was judged about one question.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct QuestionJudged {
    /// Whether the text answers it; `None` where that is not judged.
    pub answerable: Option<bool>,
    /// Token F1 of the text's answer and the reference's, 0–100; `None` where either is not known.
    pub f1: Option<f64>,
}

/// One annotator's judgment of what one text answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TextJudged {
    pub origin: Origin,
    /// The questions that the reference answers, judged or not.
    pub questions: Vec<QuestionJudged>,
    /// Questions that the reference itself cannot answer.
    pub left_out: usize,
}

/// Recall and precision over a group of texts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuestionScores {
    /// Texts of which a question is judged.
    pub texts: usize,
    /// Questions judged, of all that are to judge.
    pub judged: usize,
    pub questions: usize,
    /// Questions that the reference itself cannot answer.
    pub left_out: usize,
    /// Questions that the texts answer, and those among them whose answers can be compared.
    pub answerable: usize,
    pub compared: usize,
    /// 0–100: mean over the texts of (answerable / judged).
    pub recall: Measure,
    /// 0–100: mean over the texts with a comparable answer of the mean token F1 of these.
    pub precision: Measure,
}

impl QuestionScores {
    /// The scores of these texts.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a TextJudged>) -> QuestionScores {
        let (mut recall, mut precision) = (Mean::default(), Mean::default());
        let mut all = Share::default();
        let (mut counted, mut questions, mut left_out, mut compared) = (0, 0, 0, 0);
        for text in texts {
            let share: Share = text.questions.iter().filter_map(|question| question.answerable).collect();
            let f1s = || text.questions.iter().filter_map(|question| question.f1);
            questions += text.questions.len();
            left_out += text.left_out;
            compared += f1s().count();
            all.of += share.of;
            all.part += share.part;
            counted += usize::from(share.of > 0);
            recall.extend(share.percent(Undefined::NothingJudged));
            precision.extend(f1s().collect::<Mean>().or(Undefined::NoAnswers));
        }
        let reason = if all.of == 0 { Undefined::NothingJudged } else { Undefined::NoAnswers };
        QuestionScores {
            texts: counted,
            judged: all.of,
            questions,
            left_out,
            answerable: all.part,
            compared,
            recall: recall.or(Undefined::NothingJudged),
            precision: precision.or(reason),
        }
    }
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

    #[test]
    fn recall_and_precision_are_means_over_texts() {
        let question = |answerable, f1| QuestionJudged { answerable, f1 };
        let text = |questions: &[QuestionJudged], left_out| TextJudged {
            questions: questions.to_vec(),
            left_out,
            ..TextJudged::default()
        };
        let texts = [
            text(
                &[
                    question(Some(true), Some(100.0)),
                    question(Some(true), Some(50.0)),
                    question(Some(false), None),
                    question(None, None),
                ],
                2,
            ),
            text(&[question(Some(true), None)], 0),
            text(&[question(None, None)], 1),
        ];
        let scores = QuestionScores::of(&texts);
        // Recall: (2/3 + 1/1) / 2 = 5/6. Precision: (100 + 50) / 2, of the first text alone.
        assert!((scores.recall.unwrap() - 500.0 / 6.0).abs() < 1e-9);
        assert_eq!(scores.precision, Ok(75.0));
        assert_eq!((scores.texts, scores.judged, scores.questions, scores.left_out), (2, 4, 6, 3));
        assert_eq!((scores.answerable, scores.compared), (3, 2));
        assert_eq!(QuestionScores::of(&texts[1..]).precision, Err(Undefined::NoAnswers));
        assert_eq!(QuestionScores::of(&texts[2..]).precision, Err(Undefined::NothingJudged));
    }

    #[test]
    fn the_reference_may_say_that_it_has_no_answer() {
        let meta =
            |value: serde_json::Value| -> Meta { [("answerable".to_owned(), value)].into_iter().collect() };
        assert!(reference_answers(&Meta::new()) && reference_answers(&meta(true.into())));
        assert!(!reference_answers(&meta(false.into())));
    }
}
