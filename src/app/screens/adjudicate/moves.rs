//! The scores that a decision moves: those of a summary and of its system, as they would be under given answers.

use std::collections::BTreeMap;

use crate::protocol::{Answers, Protocol, Question};
use crate::score::{Average, CoverageQuestions, Mean, Measure, SummaryJudged, Undefined, scores};
use crate::study::ItemId;

/// The items of a protocol with the answers that count for each so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum MovableScores {
    /// Insights of summaries.
    Coverage {
        /// Summaries whose insights are open have no coverage.
        summaries: Vec<SummaryJudged>,
        /// The summary and the insight of each item.
        places: BTreeMap<ItemId, (usize, usize)>,
    },
    /// Items of any other protocol with labels.
    Labels(Vec<Labelled>),
    /// No score is made of the answers.
    #[default]
    Nothing,
}

/// An item with its labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Labelled {
    pub item: ItemId,
    /// Keys of the summary that the item belongs to; of the query, where summaries are not judged.
    pub part: (String, String),
    /// The system that wrote the summary; the same for all where there is none.
    pub system: String,
    /// The answers that count; empty while the item is open.
    pub answers: Answers,
}

/// A score under some answers: of the item's part, and on the whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// Name of the score: `coverage`, `joint`, `mean`, or `% ` and the first choice.
    pub name: String,
    /// The score of the summary or query that the item belongs to, 0–100.
    pub here: Measure,
    /// The score of the item's system, or of everything, 0–100.
    pub whole: Measure,
}

impl MovableScores {
    /// Whether the items belong to summaries by systems.
    pub fn is_about_systems(&self) -> bool {
        match self {
            MovableScores::Coverage { .. } => true,
            MovableScores::Labels(items) => items.iter().any(|item| !item.system.is_empty()),
            MovableScores::Nothing => false,
        }
    }

    /// Sets the answers that count for an item from now on; empty for none.
    pub fn set(&mut self, protocol: &Protocol, item: ItemId, answers: &Answers) {
        match self {
            MovableScores::Coverage { summaries, places } => {
                if let Some((summary, insight)) = places.get(&item)
                    && let Some(summary) = summaries.get_mut(*summary)
                {
                    answer(summary, *insight, protocol, answers);
                }
            }
            MovableScores::Labels(items) => {
                if let Some(labelled) = items.iter_mut().find(|labelled| labelled.item == item) {
                    labelled.answers.clone_from(answers);
                }
            }
            MovableScores::Nothing => {}
        }
    }

    /// The scores as they would be if these answers counted for the item; empty where the item has no score.
    pub fn under(&self, protocol: &Protocol, item: ItemId, answers: &Answers) -> Vec<Moved> {
        match self {
            MovableScores::Coverage { summaries, places } => places
                .get(&item)
                .and_then(|place| coverage(summaries, *place, protocol, answers))
                .unwrap_or_default(),
            MovableScores::Labels(items) => labels(items, protocol, item, answers).into_iter().collect(),
            MovableScores::Nothing => Vec::new(),
        }
    }
}

/// Replaces the answers on an insight.
fn answer(summary: &mut SummaryJudged, insight: usize, protocol: &Protocol, answers: &Answers) {
    if let Some(questions) = CoverageQuestions::of(protocol) {
        summary.said.set(insight, questions.read(answers));
    }
}

fn coverage(
    summaries: &[SummaryJudged],
    (number, insight): (usize, usize),
    protocol: &Protocol,
    answers: &Answers,
) -> Option<Vec<Moved>> {
    let mut changed = summaries.get(number)?.clone();
    answer(&mut changed, insight, protocol, answers);
    let others = summaries.iter().enumerate().filter(|(other, _)| *other != number).map(|(_, other)| other);
    let system: Vec<&SummaryJudged> = others
        .filter(|other| other.origin.system == changed.origin.system)
        .chain(std::iter::once(&changed))
        .collect();
    let (here, whole) = (changed.scores(), scores(&system, Average::Insight));
    // The measures begin with coverage, citation and joint; a decision on an insight moves the first and the third.
    let ([coverage, _, joint, ..], [all_coverage, _, all_joint, ..]) = (here.measures(), whole.measures());
    let moved = |(name, here): (&str, Measure), (_, whole): (&str, Measure)| Moved {
        name: name.to_owned(),
        here,
        whole,
    };
    Some(vec![moved(coverage, all_coverage), moved(joint, all_joint)])
}

/// The mean score of the main question where its choices have scores, else the share of its first choice.
fn labels(items: &[Labelled], protocol: &Protocol, item: ItemId, answers: &Answers) -> Option<Moved> {
    let this = items.iter().find(|labelled| labelled.item == item)?;
    let question = protocol.main_question()?;
    let first = question.choices().first()?;
    let is_scored = question.choices().iter().all(|choice| choice.score.is_some());
    let value = |answers: &Answers| {
        let given = answers.get(&question.key)?.as_text()?;
        let choice = question.choices().iter().find(|choice| choice.value == given)?;
        Some(match choice.score.filter(|_| is_scored) {
            Some(score) => score,
            None if choice.value == first.value => 100.0,
            None => 0.0,
        })
    };
    let mean = |belongs: &dyn Fn(&Labelled) -> bool| {
        let counted = items.iter().filter(|other| belongs(other));
        let values: Mean = counted
            .filter_map(|other| value(if other.item == item { answers } else { &other.answers }))
            .collect();
        values.or(Undefined::NothingJudged)
    };
    Some(Moved {
        name: if is_scored { "mean".to_owned() } else { format!("% {}", first.label) },
        here: mean(&|other| other.part == this.part),
        whole: mean(&|other| other.system == this.system),
    })
}

/// The answers of an annotator who makes this choice and says nothing else.
pub fn choosing(question: &Question, value: &str) -> Answers {
    [(question.key.clone(), crate::protocol::Answer::Text(value.to_owned()))].into()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::protocol::{Answer, builtin};
    use crate::score::{AskedInsight, InsightJudged, InsightSaid, Origin, System};

    fn answers(coverage: &str, bullet: u32) -> Answers {
        let mut answers: Answers = [("coverage".to_owned(), Answer::Text(coverage.into()))].into();
        if bullet > 0 {
            answers.insert("bullet".into(), Answer::Bullet(bullet));
        }
        answers
    }

    fn summary(candidate: &str, system: &str, insights: &[(&str, Option<f64>)]) -> SummaryJudged {
        let insights = insights.iter().map(|(unit, coverage)| InsightJudged {
            insight: AskedInsight { unit: (*unit).to_owned(), gold: Some(Arc::new([1].into())) },
            said: InsightSaid {
                coverage: *coverage,
                bullets: coverage.filter(|coverage| *coverage > 0.0).map(|_| 1).into_iter().collect(),
            },
        });
        let origin = Origin {
            candidate: Some(candidate.to_owned()),
            system: Some(System { retriever: None, summarizer: Some(system.to_owned()), order: None }),
            ..Origin::default()
        };
        SummaryJudged::of(origin, "- one [1]\n- two [2]", insights.collect())
    }

    #[test]
    fn a_decision_moves_its_summary_and_its_system_only() {
        let protocol = builtin("coverage").expect("built in");
        let places = [(ItemId(1), (0, 0)), (ItemId(2), (0, 1)), (ItemId(3), (1, 0)), (ItemId(4), (2, 0))];
        let mut scored = MovableScores::Coverage {
            summaries: vec![
                summary("a", "m", &[("u", None), ("v", Some(0.0))]),
                summary("b", "m", &[("u", Some(100.0))]),
                summary("c", "other", &[("u", Some(0.0))]),
            ],
            places: places.into(),
        };
        let moved = |scored: &MovableScores, answers: &Answers| -> Vec<(Measure, Measure)> {
            let moved = scored.under(protocol, ItemId(1), answers);
            moved.into_iter().map(|moved| (moved.here, moved.whole)).collect()
        };
        // Open: coverage of a is 0 / 1 insight, of m (0 + 100) / 2; joint is the same, bullet 1 cites all of gold.
        assert_eq!(moved(&scored, &Answers::new()), [(Ok(0.0), Ok(50.0)), (Ok(0.0), Ok(50.0))]);
        // Full by bullet 1: a (100 + 0) / 2, m (100 + 0 + 100) / 3; F1 is 100.
        assert_eq!(
            moved(&scored, &answers("full", 1)),
            [(Ok(50.0), Ok(200.0 / 3.0)), (Ok(50.0), Ok(200.0 / 3.0))]
        );
        // Full by bullet 2, which cites document 2 where 1 is gold: F1 is 0. a joint 0, m joint 100 / 3.
        assert_eq!(
            moved(&scored, &answers("full", 2)),
            [(Ok(50.0), Ok(200.0 / 3.0)), (Ok(0.0), Ok(100.0 / 3.0))]
        );
        scored.set(protocol, ItemId(2), &answers("full", 1));
        // a (50 + 100) / 2, m (50 + 100 + 100) / 3.
        assert_eq!(moved(&scored, &answers("partial", 1))[0], (Ok(75.0), Ok(250.0 / 3.0)));
        assert_eq!(scored.under(protocol, ItemId(9), &Answers::new()), [], "not an item of the protocol");
    }

    #[test]
    fn labels_without_scores_are_shares() {
        let protocol = builtin("keypoint").expect("built in");
        let question = protocol.main_question().expect("a choice");
        let first = question.choices()[0].value.clone();
        let other = question.choices()[1].value.clone();
        let labelled = |number: i64, query: &str, value: Option<&str>| Labelled {
            item: ItemId(number),
            part: ("c".into(), query.into()),
            system: String::new(),
            answers: value.map(|value| choosing(question, value)).unwrap_or_default(),
        };
        let scored = MovableScores::Labels(vec![
            labelled(1, "q", None),
            labelled(2, "q", Some(&other)),
            labelled(3, "r", Some(&first)),
        ]);
        let moved = scored.under(protocol, ItemId(1), &choosing(question, &first));
        // Of query q 1 of 2, of all 2 of 3.
        assert_eq!((moved[0].here, moved[0].whole), (Ok(50.0), Ok(200.0 / 3.0)));
        assert!(!scored.is_about_systems());
    }
}
