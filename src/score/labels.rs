//! The share of each label, for any protocol.

use std::sync::Arc;

use super::{Counted, Origin, Score, Thing, Uncertainty, Undefined, percent_of};
use crate::agreement::{Estimate, NumberRange};
use crate::protocol::{Answer, Answers, Choice, Protocol, Question};

/// One annotator's answers on one item.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemJudged {
    pub origin: Origin,
    pub answers: Answers,
    /// The version of the protocol that the answers were given under, where it is another one.
    pub under: Option<Arc<Protocol>>,
}

impl ItemJudged {
    /// The answers, and the version that they were given under, where it is another one.
    pub fn said(&self) -> (&Answers, Option<&Protocol>) {
        (&self.answers, self.under.as_deref())
    }
}

/// Whether a version of the protocol offered this choice or tag of a question; the current version (`None`) does.
pub fn was_offered(under: Option<&Protocol>, question: &Question, value: &str) -> bool {
    let has = |offered: &[Choice]| offered.iter().any(|choice| choice.value == value);
    under.is_none_or(|under| {
        under.question(&question.key).is_some_and(|older| has(older.offered()) || has(older.marks()[0]))
    })
}

/// Counts of one choice or tag.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelCount {
    /// The value of the choice or tag.
    pub value: String,
    /// The items that any judgment gives the label, and these judgments.
    pub counted: Counted,
    /// The mean over items of the share of judgments with the label, 0–100.
    pub share: Score,
}

impl LabelCount {
    /// Counts the judgments where `is_given` holds, among those where it is known.
    pub(super) fn of<J>(
        value: &str,
        things: &[Thing<'_, J>],
        is_given: impl Fn(&J) -> Option<bool>,
    ) -> LabelCount {
        let share = |one: &J| is_given(one).map(percent_of);
        LabelCount {
            value: value.to_owned(),
            counted: Counted::of(things, |one| is_given(one) == Some(true)),
            share: Score::over(things, Undefined::NothingJudged, share),
        }
    }
}

/// The answers to one choice question.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionLabels {
    pub question: String,
    /// The items with an answer, and their judgments.
    pub answered: Counted,
    /// Every choice in scale order, given or not.
    pub labels: Vec<LabelCount>,
    /// The mean of the choices' scores; undefined if not every choice has one.
    pub mean_score: Score,
    /// The range from the lowest score to the highest.
    pub range: NumberRange,
}

impl QuestionLabels {
    /// The mean score with its interval.
    pub fn estimate(&self, how: Uncertainty) -> Estimate {
        self.mean_score.estimate(self.range, how.intervals)
    }
}

/// Counts the labels of one choice question. Answers to a question that is not asked do not count.
pub fn question_labels<J>(
    question: &Question,
    things: &[Thing<'_, J>],
    said: impl Fn(&J) -> (&Answers, Option<&Protocol>),
) -> QuestionLabels {
    let choices = question.choices();
    let chosen = |one: &J| {
        let (answers, _) = said(one);
        let value = answers.get(&question.key).and_then(Answer::as_text)?;
        choices.iter().find(|choice| choice.value == value && question.is_asked(answers))
    };
    let label = |choice: &Choice| {
        LabelCount::of(&choice.value, things, |one| {
            let given = chosen(one)?;
            was_offered(said(one).1, question, &choice.value).then(|| given.value == choice.value)
        })
    };
    let range = score_range(question);
    QuestionLabels {
        question: question.key.clone(),
        answered: Counted::of(things, |one| chosen(one).is_some()),
        labels: choices.iter().map(label).collect(),
        mean_score: match range {
            Some(_) => Score::over(things, Undefined::NothingJudged, |one| chosen(one)?.score),
            None => Score::new(Undefined::NoScores),
        },
        range: range.unwrap_or(NumberRange::Any),
    }
}

/// The range of a question's scores; `None` where not every choice has a score.
pub fn score_range(question: &Question) -> Option<NumberRange> {
    let scores: Option<Vec<f64>> = question.choices().iter().map(|choice| choice.score).collect();
    let scores = scores.filter(|scores| !scores.is_empty())?;
    let end = |pick: fn(f64, f64) -> f64| scores.iter().copied().reduce(pick);
    let (low, high) = (end(f64::min)?, end(f64::max)?);
    // With one score for all choices there is no range.
    Some(if low < high { NumberRange::Between(low, high) } else { NumberRange::Any })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtin;
    use crate::score::Grouped;

    fn item(annotator: &str, query: &str, pairs: &[(&str, &str)]) -> ItemJudged {
        let answer = |value: &str| Answer::Text(value.to_owned());
        ItemJudged {
            origin: Origin { annotator: annotator.into(), query: query.into(), ..Origin::default() },
            answers: pairs.iter().map(|(key, value)| ((*key).to_owned(), answer(value))).collect(),
            under: None,
        }
    }

    #[test]
    fn labels_are_counted_in_scale_order() {
        let protocol = builtin("keypoint").expect("built in");
        let items = [
            item("alice", "1", &[("grounded", "yes"), ("validity", "agree")]),
            item("alice", "2", &[("grounded", "yes"), ("validity", "neutral")]),
            item("alice", "3", &[("grounded", "yes")]),
            // Not asked any more, so it does not count.
            item("alice", "4", &[("grounded", "no"), ("validity", "agree")]),
            item("bob", "1", &[]),
            item("cho", "1", &[("grounded", "no")]),
        ];
        let labels = |question: &str| {
            let question = protocol.question(question).expect("it asks so");
            let found = |items: &[Thing<'_, ItemJudged>]| question_labels(question, items, ItemJudged::said);
            Grouped::of(&items, |item| &item.origin, &["annotator"], found)
        };
        let share = |found: &QuestionLabels, at: usize| found.labels[at].share.value();
        // All together: of the first item half say yes, of the others the shares are 1, 1 and 0.
        let all = labels("grounded").all.expect("judged");
        assert_eq!((all.answered, share(&all, 0)), (Counted { items: 4, judgments: 5 }, Ok(62.5)));
        let (grounded, validity) = (labels("grounded").rows, labels("validity").rows);

        let alice = &grounded[0].1;
        assert_eq!((alice.question.as_str(), alice.answered.items), ("grounded", 4));
        assert_eq!([share(alice, 0), share(alice, 1)], [Ok(75.0), Ok(25.0)]);
        assert_eq!(alice.mean_score.value(), Err(Undefined::NoScores));

        let alice = &validity[0].1;
        let counts: Vec<usize> = alice.labels[..3].iter().map(|label| label.counted.judgments).collect();
        assert_eq!((alice.answered.items, counts), (2, vec![0, 1, 1]));
        // neutral 50 and agree 100
        assert_eq!(alice.mean_score.value(), Ok(75.0));

        let bob = &validity[1].1;
        assert_eq!(share(bob, 0), Err(Undefined::NothingJudged));
        assert_eq!(bob.mean_score.value(), Err(Undefined::NothingJudged));
    }
}
