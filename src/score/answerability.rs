//! Questions of the reference that a text answers: recall, and precision of the answers.
//!
//! - recall = answerable / questions, the mean over texts; precision = mean over the answered questions of token F1
//!   between the answer and the reference's, then the mean over texts. A question that several people judged counts with
//!   the mean of theirs.
//! - Questions that the reference itself cannot answer are left out.
//! - Tokens are words: of a segmenter where a text has Han characters (as the published code does with jieba), of
//!   Unicode's rules elsewhere; lower case, without punctuation, which the published code keeps as tokens.
//!
//! Source: Lyu et al. 2024, CRUD-RAG, §3.6 (RAGQuestEval).

use super::answers::token_f1;
use super::items::{Counted, Score, Tally, Thing, mean, percent_of};
use super::measure::Undefined;
use super::origin::Origin;
use crate::protocol::{Answer, Answers, Protocol, Question, QuestionKind, TargetPart};
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
    /// The two questions, if the protocol's items are a candidate and a unit, it asks yes or no, and after
    /// yes for a text, beside which it reveals an answer from the unit's meta; else `None`.
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

    pub fn keys(&self) -> [&'p str; 2] {
        [&self.answerable.key, &self.answer.key]
    }
}

/// What CRUD-RAG's caches give as the answer to a question that the reference does not answer (Lyu et al. 2024, §3.6: "cannot be
/// inferred").
const NOT_ANSWERED: &str = "无法推断";

/// Whether the reference answers this unit's question: yes, unless the unit's meta says otherwise.
pub fn reference_answers(meta: &crate::study::Meta) -> bool {
    let is_said = |name: &str| meta.get(name).unwrap_or(&serde_json::Value::Null);
    is_said("answerable") != false && is_said("answer") != NOT_ANSWERED
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
    /// The questions that the reference answers, judged or not, in the same order for every annotator.
    pub questions: Vec<QuestionJudged>,
    /// Questions that the reference itself cannot answer.
    pub left_out: usize,
}

/// Recall and precision over a group of texts.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionScores {
    /// Texts of which a question is judged.
    pub texts: usize,
    /// Questions judged, and how many there are to judge of these texts.
    pub judged: Counted,
    pub questions: usize,
    /// Questions that the reference itself cannot answer.
    pub left_out: usize,
    /// Judgments that a text answers a question, and those among them whose answers can be compared.
    pub answerable: usize,
    pub compared: usize,
    /// Texts that are said to answer nothing, or nothing that can be compared, and so have no precision.
    pub without_answer: usize,
    /// 0–100: mean over the texts of (answerable / judged).
    pub recall: Score,
    /// 0–100: mean over the texts with a comparable answer of the mean token F1 of these.
    pub precision: Score,
}

impl QuestionScores {
    /// The scores of these texts.
    pub fn of(texts: &[Thing<'_, TextJudged>]) -> QuestionScores {
        let mut scores = QuestionScores {
            texts: 0,
            judged: Counted::default(),
            questions: 0,
            left_out: 0,
            answerable: 0,
            compared: 0,
            without_answer: 0,
            recall: Score::new(Undefined::NothingJudged),
            precision: Score::new(Undefined::NothingJudged),
        };
        for text in texts {
            let Some(first) = text.judgments.first() else { continue };
            let (mut answerable, mut f1s) = (Vec::new(), Vec::new());
            for at in 0..first.questions.len() {
                let said = || text.judgments.iter().filter_map(|one| one.questions.get(at));
                let answers: Vec<bool> = said().filter_map(|question| question.answerable).collect();
                scores.judged.add(answers.len());
                scores.answerable += answers.iter().filter(|answerable| **answerable).count();
                scores.compared += said().filter(|question| question.f1.is_some()).count();
                answerable.extend(mean(answers.into_iter().map(percent_of)));
                f1s.extend(mean(said().filter_map(|question| question.f1)));
            }
            if answerable.is_empty() {
                continue;
            }
            scores.texts += 1;
            scores.questions += first.questions.len();
            scores.left_out += first.left_out;
            scores.without_answer += usize::from(f1s.is_empty());
            scores.recall.add(text.cluster, Tally::one(mean(answerable)));
            scores.precision.add(text.cluster, Tally::one(mean(f1s)));
        }
        if scores.judged.items > 0 {
            scores.precision.reason = Undefined::NoAnswers;
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::super::items::tests::together;
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
        let of = |texts: &[TextJudged]| together(texts, |text| &text.origin, QuestionScores::of);
        let text = |candidate: &str, questions: &[QuestionJudged], left_out| TextJudged {
            origin: Origin { candidate: Some(candidate.into()), ..Origin::default() },
            questions: questions.to_vec(),
            left_out,
        };
        let texts = [
            text(
                "a",
                &[
                    question(Some(true), Some(100.0)),
                    question(Some(true), Some(50.0)),
                    question(Some(false), None),
                    question(None, None),
                ],
                2,
            ),
            text("b", &[question(Some(true), None)], 0),
            text("c", &[question(None, None)], 1),
        ];
        let scores = of(&texts);
        // Recall: (2/3 + 1/1) / 2 = 5/6. Precision: (100 + 50) / 2, of the first text alone.
        assert!((scores.recall.value().unwrap() - 500.0 / 6.0).abs() < 1e-9);
        assert_eq!(scores.precision.value(), Ok(75.0));
        assert_eq!(scores.judged, Counted { items: 4, judgments: 4 });
        // Of the third text nothing is judged.
        assert_eq!((scores.texts, scores.questions, scores.left_out), (2, 5, 2));
        assert_eq!(
            (scores.answerable, scores.compared, scores.without_answer),
            (3, 2, 1),
            "b says yes to what cannot be compared"
        );
        assert_eq!(of(&texts[1..]).precision.value(), Err(Undefined::NoAnswers));
        assert_eq!(of(&texts[2..]).precision.value(), Err(Undefined::NothingJudged));
        // A second person says no to the first question and gives the second a better answer: its recall is then
        // (1/2 + 1 + 0) / 3, its precision (100 + (50 + 100) / 2) / 2.
        let second = [question(Some(false), None), question(Some(true), Some(100.0)), question(None, None)];
        let twice = [texts[0].clone(), text("a", &[&second[..], &[question(None, None)]].concat(), 2)];
        let scores = of(&twice);
        assert!((scores.recall.value().unwrap() - 50.0).abs() < 1e-9);
        assert_eq!(scores.precision.value(), Ok(87.5));
        assert_eq!((scores.judged, scores.questions), (Counted { items: 3, judgments: 5 }, 4));
    }

    #[test]
    fn the_reference_may_say_that_it_has_no_answer() {
        let meta =
            |value: serde_json::Value| -> Meta { [("answerable".to_owned(), value)].into_iter().collect() };
        assert!(reference_answers(&Meta::new()) && reference_answers(&meta(true.into())));
        assert!(!reference_answers(&meta(false.into())));
    }
}
