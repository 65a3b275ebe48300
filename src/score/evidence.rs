//! Evidence use: do the answers that follow from a summary stand in it, and in the passages behind it?
//!
//! Source: Xu et al. 2023, RECOMP, Table 2 (exact match, token F1) and Table 3 (gold and predicted answers in the
//! evidence). Occurrence is that of [`Normalised::contains`].

use std::collections::BTreeSet;

use super::answers::{Normalised, best_f1, exact_match};
use super::measure::{Mean, Measure, Undefined};
use super::origin::Origin;
use super::share::Share;

/// A summary of a query with gold answers, and the answer predicted from it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AnswerGiven {
    pub origin: Origin,
    /// Not empty, and none of them empty.
    pub gold: Vec<Normalised>,
    pub predicted: Option<Normalised>,
    /// Whether a gold answer, and the predicted one, occur in the passages of the collection.
    pub in_passages: Occurs,
    /// Whether they occur in the summary.
    pub in_summary: Occurs,
}

/// Which answers occur in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Occurs {
    pub gold: bool,
    pub predicted: bool,
}

impl AnswerGiven {
    /// Looks for the answers in the summary, and in no passage yet; `None` without a gold answer.
    pub fn of(origin: Origin, gold: &[&str], predicted: Option<&str>, summary: &str) -> Option<AnswerGiven> {
        let gold: BTreeSet<Normalised> = gold.iter().map(|answer| Normalised::of(answer)).collect();
        let gold: Vec<Normalised> = gold.into_iter().filter(|answer| !answer.is_empty()).collect();
        let mut given =
            AnswerGiven { origin, gold, predicted: predicted.map(Normalised::of), ..AnswerGiven::default() };
        given.in_summary = given.occurring(&Normalised::of(summary));
        (!given.gold.is_empty()).then_some(given)
    }

    /// Looks for the answers in one more passage.
    pub fn look_into(&mut self, passage: &Normalised) {
        let found = self.occurring(passage);
        self.in_passages.gold |= found.gold;
        self.in_passages.predicted |= found.predicted;
    }

    fn occurring(&self, text: &Normalised) -> Occurs {
        Occurs {
            gold: self.gold.iter().any(|answer| text.contains(answer)),
            predicted: self.predicted.as_ref().is_some_and(|answer| text.contains(answer)),
        }
    }
}

/// What the answers of a group of summaries rest on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvidenceUse {
    /// Summaries of queries with gold answers.
    pub summaries: usize,
    /// Those with a predicted answer.
    pub predicted: usize,
    /// 0–100, over the predicted answers.
    pub exact_match: Measure,
    /// 0–100, over the predicted answers: mean of the best token F1 with a gold answer.
    pub f1: Measure,
    pub passages: InText,
    pub summary: InText,
}

/// Which answers occur in one kind of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InText {
    /// Summaries one of whose query's gold answers occurs.
    pub gold: Share,
    /// Predicted answers that occur, given that a gold answer does.
    pub predicted_with_gold: Share,
    /// Predicted answers that occur, given that no gold answer does.
    pub predicted_without_gold: Share,
}

impl InText {
    fn count(&mut self, occurs: Occurs, is_predicted: bool) {
        self.gold.count(occurs.gold);
        let share =
            if occurs.gold { &mut self.predicted_with_gold } else { &mut self.predicted_without_gold };
        if is_predicted {
            share.count(occurs.predicted);
        }
    }

    /// The three shares, 0–100.
    pub fn measures(&self) -> [Measure; 3] {
        let predicted = |share: Share| share.percent(Undefined::NoPredictions);
        [
            self.gold.percent(Undefined::NoPredictions),
            predicted(self.predicted_with_gold),
            predicted(self.predicted_without_gold),
        ]
    }
}

impl EvidenceUse {
    /// What the answers of these summaries rest on.
    pub fn of<'a>(given: impl IntoIterator<Item = &'a AnswerGiven>) -> EvidenceUse {
        let (mut exact, mut f1) = (Share::default(), Mean::default());
        let (mut passages, mut summary) = (InText::default(), InText::default());
        for answer in given {
            if let Some(predicted) = &answer.predicted {
                exact.count(exact_match(predicted, &answer.gold));
                f1.add(best_f1(predicted, &answer.gold));
            }
            passages.count(answer.in_passages, answer.predicted.is_some());
            summary.count(answer.in_summary, answer.predicted.is_some());
        }
        EvidenceUse {
            summaries: passages.gold.of,
            predicted: exact.of,
            exact_match: exact.percent(Undefined::NoPredictions),
            f1: f1.or(Undefined::NoPredictions),
            passages,
            summary,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(gold: &[&str], predicted: Option<&str>, summary: &str, passages: &[&str]) -> AnswerGiven {
        let mut given = AnswerGiven::of(Origin::default(), gold, predicted, summary).expect("a gold answer");
        for passage in passages {
            given.look_into(&Normalised::of(passage));
        }
        given
    }

    #[test]
    fn shares_are_given_what_the_gold_answer_does() {
        let answers = [
            // Gold and predicted in both texts.
            given(&["Ida Brandt"], Some("Ida Brandt"), "Ida Brandt keeps it.", &["Ida Brandt.", "Fish."]),
            // Gold in the passages only; what was predicted stands in the summary only.
            given(&["Olaf"], Some("Ida"), "Ida keeps it.", &["Olaf keeps it."]),
            // Gold nowhere, predicted in the passages.
            given(&["Nobody", "No one"], Some("the sea"), "", &["By the sea."]),
            given(&["Olaf"], None, "Olaf", &[]),
        ];
        let evidence = EvidenceUse::of(&answers);
        assert_eq!((evidence.summaries, evidence.predicted), (4, 3));
        // One of three predictions is exact; the other two share no token: F1 (100 + 0 + 0) / 3.
        assert!((evidence.exact_match.unwrap() - 100.0 / 3.0).abs() < 1e-9);
        assert!((evidence.f1.unwrap() - 100.0 / 3.0).abs() < 1e-9);
        let share = |part, of| Share { part, of };
        // Passages: gold in the first two of four; with gold predicted in 1 of 2, without in 1 of 1.
        let expected = [share(2, 4), share(1, 2), share(1, 1)];
        let of = |text: InText| [text.gold, text.predicted_with_gold, text.predicted_without_gold];
        assert_eq!(of(evidence.passages), expected);
        // Summary: gold in the first and the last; with gold predicted in 1 of 1, without in 1 of 2.
        assert_eq!(of(evidence.summary), [share(2, 4), share(1, 1), share(1, 2)]);
    }

    #[test]
    fn without_gold_or_prediction_there_is_nothing_to_say() {
        assert_eq!(AnswerGiven::of(Origin::default(), &["", "the"], Some("x"), "x"), None);
        let evidence = EvidenceUse::of(&[given(&["Olaf"], None, "", &[])]);
        assert_eq!(evidence.exact_match, Err(Undefined::NoPredictions));
        assert_eq!(evidence.passages.measures()[..2], [Ok(0.0), Err(Undefined::NoPredictions)]);
    }
}
