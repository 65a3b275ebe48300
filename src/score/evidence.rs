//! Evidence use: whether the gold and predicted answers occur in a summary and in the passages behind it.
//!
//! Source: Xu et al. 2023, RECOMP, Table 2 (exact match, token F1) and Table 3 (gold and predicted answers in the
//! evidence). Occurrence is that of [`Normalised::contains`].

use super::{Normalised, Origin, Score, Tally, Thing, Undefined, best_f1, exact_match};

/// A summary of a query with gold answers, and the answer predicted from it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AnswerGiven {
    pub origin: Origin,
    /// The gold answers, at least one, none empty.
    pub gold: Vec<Normalised>,
    pub predicted: Option<Normalised>,
    /// The answers that occur in the passages of the collection.
    pub in_passages: Occurs,
    /// The answers that occur in the summary.
    pub in_summary: Occurs,
}

/// Whether a gold answer, and the predicted answer, occur in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Occurs {
    pub gold: bool,
    pub predicted: bool,
}

impl AnswerGiven {
    /// Searches the summary for the answers, and no passage yet; `None` without a gold answer.
    pub fn of(origin: Origin, gold: &[&str], predicted: Option<&str>, summary: &str) -> Option<AnswerGiven> {
        let gold = Normalised::all(gold);
        if gold.is_empty() {
            return None;
        }
        let mut given =
            AnswerGiven { origin, gold, predicted: predicted.map(Normalised::of), ..AnswerGiven::default() };
        given.in_summary = given.occurring(&Normalised::of(summary));
        Some(given)
    }

    /// Searches another passage for the answers.
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

/// The use of evidence in a group of summaries.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceUse {
    /// Summaries of queries with gold answers.
    pub summaries: usize,
    /// Exact match with a gold answer, over the predicted answers.
    pub exact_match: Score,
    /// The best token F1 with a gold answer, over the predicted answers.
    pub f1: Score,
    pub passages: InText,
    pub summary: InText,
}

/// The occurrence of answers in one kind of text.
#[derive(Debug, Clone, PartialEq)]
pub struct InText {
    /// Three shares: summaries in whose text a gold answer of the query occurs; predicted answers that occur
    /// where a gold answer does; predicted answers that occur where none does.
    pub shares: [Score; 3],
}

impl InText {
    fn new() -> InText {
        InText { shares: std::array::from_fn(|_| Score::new(Undefined::NoPredictions)) }
    }

    fn count(&mut self, cluster: u32, occurs: Occurs, is_predicted: bool) {
        let [gold, with_gold, without_gold] = &mut self.shares;
        gold.count(cluster, occurs.gold);
        let share = if occurs.gold { with_gold } else { without_gold };
        if is_predicted {
            share.count(cluster, occurs.predicted);
        }
    }
}

impl EvidenceUse {
    /// The use of evidence in these summaries. There are no judgments: a summary has one answer.
    pub fn of(given: &[Thing<'_, AnswerGiven>]) -> EvidenceUse {
        let none = Score::new(Undefined::NoPredictions);
        let (passages, summary) = (InText::new(), InText::new());
        let mut found = EvidenceUse { summaries: 0, exact_match: none.clone(), f1: none, passages, summary };
        for (cluster, answer) in
            given.iter().flat_map(|thing| thing.judgments.iter().map(|answer| (thing.cluster, *answer)))
        {
            found.summaries += 1;
            if let Some(predicted) = &answer.predicted {
                found.exact_match.count(cluster, exact_match(predicted, &answer.gold));
                found.f1.add(cluster, Tally::one(Some(best_f1(predicted, &answer.gold))));
            }
            found.passages.count(cluster, answer.in_passages, answer.predicted.is_some());
            found.summary.count(cluster, answer.in_summary, answer.predicted.is_some());
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agreement::Drawn;
    use crate::score::Uncertainty;

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
        let things: Vec<Thing<'_, AnswerGiven>> = (0..).zip(&answers).map(thing).collect();
        let evidence = EvidenceUse::of(&things);
        assert_eq!((evidence.summaries, evidence.exact_match.part()), (4, (1, 3)));
        // One of three predictions is exact; the other two share no token: F1 (100 + 0 + 0) / 3.
        assert!((evidence.exact_match.value().unwrap() - 100.0 / 3.0).abs() < 1e-9);
        assert!((evidence.f1.value().unwrap() - 100.0 / 3.0).abs() < 1e-9);
        let of = |text: &InText| [0, 1, 2].map(|at| text.shares[at].part());
        // Passages: gold in the first two of four; with gold predicted in 1 of 2, without in 1 of 1.
        assert_eq!(of(&evidence.passages), [(2, 4), (1, 2), (1, 1)]);
        // Summary: gold in the first and the last; with gold predicted in 1 of 1, without in 1 of 2.
        assert_eq!(of(&evidence.summary), [(2, 4), (1, 1), (1, 2)]);
        // Each of a query of its own: SE² = 3/4 · 4 · (50/3)², t(0.975, 3) = 3.182446305, z′ = 4 in hundredths.
        let how = Uncertainty::default();
        let reach = 4.0 * 3.182_446_305_284_263 * (3.0_f64 * (1.0 / 6.0_f64).powi(2)).sqrt();
        let interval = how.percent(&evidence.passages.shares[0]).interval.unwrap().unwrap();
        assert!((interval.low - 100.0 / (1.0 + reach.exp())).abs() < 1e-9, "{interval:?}");
    }

    fn thing((cluster, answer): (u32, &AnswerGiven)) -> Thing<'_, AnswerGiven> {
        Thing { cluster, drawn: Drawn::default(), judgments: vec![answer] }
    }

    #[test]
    fn without_gold_or_prediction_there_is_nothing_to_say() {
        assert_eq!(AnswerGiven::of(Origin::default(), &["", "the"], Some("x"), "x"), None);
        let given = given(&["Olaf"], None, "", &[]);
        let evidence = EvidenceUse::of(&[thing((0, &given))]);
        assert_eq!(evidence.exact_match.value(), Err(Undefined::NoPredictions));
        let [gold, with_gold, _] = &evidence.passages.shares;
        assert_eq!((gold.value(), with_gold.value()), (Ok(0.0), Err(Undefined::NoPredictions)));
    }
}
