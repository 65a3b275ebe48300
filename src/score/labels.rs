//! The share of each label, for any protocol: what can be said where no paper's measure applies.

use super::measure::{Mean, Measure, Undefined, percent};
use super::origin::Origin;
use crate::protocol::{Answer, Answers, Question};

/// One annotator's answers on one item.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemJudged {
    pub origin: Origin,
    pub answers: Answers,
}

/// How often one choice was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelCount {
    /// The choice's value.
    pub value: String,
    pub count: usize,
}

/// What was answered to one choice question.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionLabels {
    /// Key of the question.
    pub question: String,
    /// Answers, among the items on which the question is asked.
    pub answered: usize,
    /// Every choice in scale order, made or not.
    pub labels: Vec<LabelCount>,
    /// Mean of the choices' scores; undefined when not every choice has one.
    pub mean_score: Measure,
}

impl QuestionLabels {
    /// The share of each label among the answers, 0–100, in scale order.
    pub fn shares(&self) -> impl Iterator<Item = (&str, Measure)> {
        self.labels.iter().enumerate().map(|(at, label)| (label.value.as_str(), self.share(at)))
    }

    /// How often the label at a place was chosen.
    pub fn count(&self, at: usize) -> usize {
        self.labels.get(at).map_or(0, |label| label.count)
    }

    /// The share of the label at a place among the answers, 0–100.
    pub fn share(&self, at: usize) -> Measure {
        percent(self.count(at), self.answered, Undefined::NothingJudged)
    }
}

/// The labels of one choice question. Answers that stand although the question is not asked do not count.
pub fn question_labels<'a>(
    question: &Question,
    answers: impl IntoIterator<Item = &'a Answers>,
) -> QuestionLabels {
    let choices = question.choices();
    let mut labels: Vec<LabelCount> =
        choices.iter().map(|choice| LabelCount { value: choice.value.clone(), count: 0 }).collect();
    let mut scores = Mean::default();
    for answers in answers {
        let value = answers.get(&question.key).and_then(Answer::as_text);
        let given = value.filter(|_| question.is_asked(answers));
        let position = choices.iter().position(|choice| Some(choice.value.as_str()) == given);
        if let Some((label, choice)) = position.and_then(|at| labels.get_mut(at).zip(choices.get(at))) {
            label.count += 1;
            scores.extend(choice.score);
        }
    }
    let is_scored = choices.iter().all(|choice| choice.score.is_some());
    QuestionLabels {
        question: question.key.clone(),
        answered: labels.iter().map(|label| label.count).sum(),
        labels,
        mean_score: if is_scored { scores.or(Undefined::NothingJudged) } else { Err(Undefined::NoScores) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtin;
    use crate::score::{By, Grouped};

    fn item(annotator: &str, pairs: &[(&str, &str)]) -> ItemJudged {
        let answer = |value: &str| Answer::Text(value.to_owned());
        ItemJudged {
            origin: Origin { annotator: annotator.into(), ..Origin::default() },
            answers: pairs.iter().map(|(key, value)| ((*key).to_owned(), answer(value))).collect(),
        }
    }

    #[test]
    fn labels_are_counted_in_scale_order() {
        let protocol = builtin("keypoint").expect("built in");
        let items = [
            item("alice", &[("grounded", "yes"), ("validity", "agree")]),
            item("alice", &[("grounded", "yes"), ("validity", "neutral")]),
            item("alice", &[("grounded", "yes")]),
            // Not asked any more, so it does not count.
            item("alice", &[("grounded", "no"), ("validity", "agree")]),
            item("bob", &[]),
        ];
        let labels = |question: &str| {
            let question = protocol.question(question).expect("it asks so");
            let found =
                |items: Vec<&ItemJudged>| question_labels(question, items.iter().map(|item| &item.answers));
            Grouped::of(&items, |item| &item.origin, &[By::Annotator], found).rows
        };
        let (grounded, validity) = (labels("grounded"), labels("validity"));

        let alice = &grounded[0].1;
        assert_eq!((alice.question.as_str(), alice.answered), ("grounded", 4));
        assert_eq!(alice.shares().collect::<Vec<_>>(), [("yes", Ok(75.0)), ("no", Ok(25.0))]);
        assert_eq!(alice.mean_score, Err(Undefined::NoScores));

        let alice = &validity[0].1;
        let counts: Vec<usize> = alice.labels.iter().map(|label| label.count).collect();
        assert_eq!((alice.answered, counts), (2, vec![0, 1, 1]));
        // neutral 50 and agree 100
        assert_eq!(alice.mean_score, Ok(75.0));

        let bob = &validity[1].1;
        assert_eq!(bob.shares().next(), Some(("disagree", Err(Undefined::NothingJudged))));
        assert_eq!(bob.mean_score, Err(Undefined::NothingJudged));
    }
}
