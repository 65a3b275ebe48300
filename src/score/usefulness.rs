//! Faithful and comprehensive: the share of each label, of summaries that are both, and how much shorter they are.
//!
//! Source: Xu et al. 2023, RECOMP, §6 and Table 4.

use std::collections::BTreeMap;

use super::labels::{ItemJudged, QuestionLabels, question_labels};
use super::measure::{Measure, Undefined};
use super::origin::Origin;
use super::share::Share;
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
    /// The labels of both questions, faithful first.
    pub labels: [QuestionLabels; 2],
    /// Judgments that say yes to both, among those with both answers.
    pub useful: Share,
    /// Words of the summaries / words of their passages, 0–100 and more; each summary once.
    pub compression: Measure,
}

impl Usefulness {
    /// What was judged about these summaries under a protocol that [`is_about_usefulness`]; `None` under another.
    pub fn of(protocol: &Protocol, summaries: &[&SummaryTrust]) -> Option<Usefulness> {
        let labels = questions(protocol)?
            .map(|question| question_labels(question, summaries.iter().map(|summary| &summary.item.answers)));
        let mut useful = Share::default();
        let mut lengths = BTreeMap::new();
        for summary in summaries {
            if let Some(is_useful) = says_useful(&summary.item.answers) {
                useful.count(is_useful);
            }
            let Origin { collection, query, candidate, .. } = &summary.item.origin;
            lengths.insert((collection, query, candidate), (summary.words, summary.passage_words));
        }
        let (words, passages) =
            lengths.values().fold((0, 0), |(all, of), (words, passages)| (all + words, of + passages));
        Some(Usefulness {
            labels,
            useful,
            compression: Share { part: words, of: passages }.percent(Undefined::NoPassages),
        })
    }
}

/// Whether the answers say yes to both questions; `None` without both.
pub(super) fn says_useful(answers: &Answers) -> Option<bool> {
    let [faithful, comprehensive] =
        USEFULNESS_QUESTIONS.map(|key| answers.get(key).and_then(Answer::as_text));
    Some([faithful?, comprehensive?] == [WANTED, WANTED])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtin;

    fn summary(candidate: &str, answers: &[(&str, &str)], lengths: (usize, usize)) -> SummaryTrust {
        let answers: Answers = answers
            .iter()
            .map(|(key, value)| ((*key).to_owned(), Answer::Text((*value).to_owned())))
            .collect();
        let origin = Origin { candidate: Some(candidate.into()), ..Origin::default() };
        SummaryTrust { item: ItemJudged { origin, answers }, words: lengths.0, passage_words: lengths.1 }
    }

    fn of(protocol: &Protocol, summaries: &[SummaryTrust]) -> Usefulness {
        Usefulness::of(protocol, &summaries.iter().collect::<Vec<_>>()).expect("about usefulness")
    }

    #[test]
    fn useful_is_yes_to_both_among_those_with_both_answers() {
        let protocol = builtin("faithfulness").expect("built in");
        let summaries = [
            summary("a", &[("faithful", "yes"), ("comprehensive", "yes")], (10, 200)),
            // The same summary again, by another annotator: its words count once.
            summary("a", &[("faithful", "yes"), ("comprehensive", "partially")], (10, 200)),
            summary("b", &[("faithful", "no"), ("comprehensive", "yes")], (30, 100)),
            summary("b", &[("faithful", "yes")], (30, 100)),
        ];
        let scores = of(protocol, &summaries);
        // Both answers three times, yes to both once; (10 + 30) / (200 + 100) words.
        assert_eq!(scores.useful, Share { part: 1, of: 3 });
        assert!((scores.compression.unwrap() - 40.0 / 3.0).abs() < 1e-9);
        // no, partially, yes: faithful 1, 0, 3 of 4; comprehensive 0, 1, 2 of 3.
        let counts = |at: usize| scores.labels[at].labels.iter().map(|label| label.count).collect::<Vec<_>>();
        assert_eq!((counts(0), counts(1)), (vec![1, 0, 3], vec![0, 1, 2]));
    }

    #[test]
    fn without_passages_there_is_no_compression() {
        let protocol = builtin("faithfulness").expect("built in");
        let scores = of(protocol, &[summary("a", &[("faithful", "yes")], (3, 0))]);
        assert_eq!(scores.compression, Err(Undefined::NoPassages));
        assert_eq!(scores.useful.percent(Undefined::NothingJudged), Err(Undefined::NothingJudged));
        assert!(!is_about_usefulness(builtin("coverage").expect("built in")));
        assert!(Usefulness::of(builtin("coverage").expect("built in"), &[]).is_none());
    }
}
