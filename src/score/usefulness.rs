//! Faithful and comprehensive: the share of each label, of summaries that are both, and how much shorter they are.
//!
//! Source: Xu et al. 2023, RECOMP, §6 and Table 4.

use super::items::{Counted, Score, Tally, Thing, percent_of};
use super::labels::{ItemJudged, QuestionLabels, question_labels};
use super::measure::Undefined;
use crate::protocol::{Answer, Answers, Protocol, Question};

/// The two questions, and the answer that is wanted.
pub const USEFULNESS_QUESTIONS: [&str; 2] = ["faithful", "comprehensive"];
const WANTED: &str = "yes";

/// Whether a protocol asks both questions.
pub fn is_about_usefulness(protocol: &Protocol) -> bool {
    questions(protocol).is_some()
}

fn questions(protocol: &Protocol) -> Option<[&Question; 2]> {
    let question = |key: &str| {
        let question = protocol.question(key)?;
        question.choices().iter().any(|choice| choice.value == WANTED).then_some(question)
    };
    let [faithful, comprehensive] = USEFULNESS_QUESTIONS;
    Some([question(faithful)?, question(comprehensive)?])
}

/// One annotator's judgment of one summary.
#[derive(Debug, Clone, PartialEq)]
pub struct SummaryTrust {
    pub item: ItemJudged,
    /// Words of the summary, and of the passages that it summarizes.
    pub words: usize,
    pub passage_words: usize,
}

/// What was judged about a group of summaries.
#[derive(Debug, Clone, PartialEq)]
pub struct Usefulness {
    /// Summaries with both answers.
    pub judged: Counted,
    /// The labels of both questions, faithful first.
    pub labels: [QuestionLabels; 2],
    /// The share of the summaries with both answers that have yes to both, 0–100.
    pub useful: Score,
    /// Words of the summaries / words of their passages, 0–100 and more.
    pub compression: Score,
}

impl Usefulness {
    /// What was judged about these summaries under a protocol that [`is_about_usefulness`]; `None` under another.
    pub fn of(protocol: &Protocol, summaries: &[Thing<'_, SummaryTrust>]) -> Option<Usefulness> {
        let labels =
            questions(protocol)?.map(|question| question_labels(question, summaries, |one| one.item.said()));
        let useful = |one: &SummaryTrust| says_useful(&one.item.answers);
        let lengths = summaries.iter().filter_map(|summary| {
            let first = summary.judgments.first()?;
            let sum = 100.0 * first.words as f64;
            Some((summary.cluster, Tally { sum, weight: first.passage_words as f64 }))
        });
        Some(Usefulness {
            judged: Counted::of(summaries, |one| useful(one).is_some()),
            labels,
            useful: Score::over(summaries, Undefined::NothingJudged, |one| useful(one).map(percent_of)),
            compression: Score::of(Undefined::NoPassages, lengths),
        })
    }
}

/// Whether the answers say yes to both questions; `None` without both.
fn says_useful(answers: &Answers) -> Option<bool> {
    let [faithful, comprehensive] =
        USEFULNESS_QUESTIONS.map(|key| answers.get(key).and_then(Answer::as_text));
    Some([faithful?, comprehensive?] == [WANTED, WANTED])
}

#[cfg(test)]
mod tests {
    use super::super::items::tests::together;
    use super::*;
    use crate::protocol::builtin;
    use crate::score::Origin;

    fn summary(candidate: &str, answers: &[(&str, &str)], lengths: (usize, usize)) -> SummaryTrust {
        let answers: Answers = answers
            .iter()
            .map(|(key, value)| ((*key).to_owned(), Answer::Text((*value).to_owned())))
            .collect();
        let origin = Origin { candidate: Some(candidate.into()), ..Origin::default() };
        SummaryTrust {
            item: ItemJudged { origin, answers, under: None },
            words: lengths.0,
            passage_words: lengths.1,
        }
    }

    fn of(protocol: &Protocol, summaries: &[SummaryTrust]) -> Usefulness {
        let found = |things: &[Thing<'_, SummaryTrust>]| Usefulness::of(protocol, things);
        together(summaries, |summary| &summary.item.origin, found).expect("about usefulness")
    }

    #[test]
    fn useful_is_yes_to_both_among_those_with_both_answers() {
        let protocol = builtin("faithfulness").expect("built in");
        let summaries = [
            summary("a", &[("faithful", "yes"), ("comprehensive", "yes")], (10, 200)),
            // The same summary again, by another annotator: it counts once.
            summary("a", &[("faithful", "yes"), ("comprehensive", "partially")], (10, 200)),
            summary("b", &[("faithful", "no"), ("comprehensive", "yes")], (30, 100)),
            summary("b", &[("faithful", "yes")], (30, 100)),
        ];
        let scores = of(protocol, &summaries);
        // Both answers on two summaries, yes to both half of the time on one; (10 + 30) / (200 + 100) words.
        assert_eq!((scores.judged, scores.useful.value()), (Counted { items: 2, judgments: 3 }, Ok(25.0)));
        assert!((scores.compression.value().unwrap() - 40.0 / 3.0).abs() < 1e-9);
        // no, partially, yes: faithful (0, 0, 1) and (1/2, 0, 1/2); comprehensive (0, 1/2, 1/2) and (0, 0, 1).
        let shares = |at: usize| [0, 1, 2].map(|label| scores.labels[at].share(label).expect("answered"));
        assert_eq!((shares(0), shares(1)), ([25.0, 0.0, 75.0], [0.0, 25.0, 75.0]));
    }

    #[test]
    fn without_passages_there_is_no_compression() {
        let protocol = builtin("faithfulness").expect("built in");
        let scores = of(protocol, &[summary("a", &[("faithful", "yes")], (3, 0))]);
        assert_eq!(scores.compression.value(), Err(Undefined::NoPassages));
        assert_eq!(scores.useful.value(), Err(Undefined::NothingJudged));
        assert!(!is_about_usefulness(builtin("coverage").expect("built in")));
        assert!(Usefulness::of(builtin("coverage").expect("built in"), &[]).is_none());
    }
}
