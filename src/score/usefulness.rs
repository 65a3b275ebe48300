//! Faithful and comprehensive: the share of each label, and of summaries that are both.
//!
//! Source: Xu et al. 2023, RECOMP, §6 and Table 4.

use super::labels::ItemJudged;
use super::measure::{Measure, Undefined, percent};
use crate::protocol::{Answer, Protocol};

/// The two questions, and the answer that is wanted.
const QUESTIONS: [&str; 2] = ["faithful", "comprehensive"];
const WANTED: &str = "yes";

/// Whether a protocol asks both questions.
pub fn is_about_usefulness(protocol: &Protocol) -> bool {
    QUESTIONS.iter().all(|key| {
        protocol
            .question(key)
            .is_some_and(|question| question.choices().iter().any(|choice| choice.value == WANTED))
    })
}

/// Useful, 0–100: the share of judgments with both answers that say yes to both; and how many those are.
pub fn useful<'a>(items: impl IntoIterator<Item = &'a ItemJudged>) -> (Measure, usize) {
    let (mut both, mut useful) = (0, 0);
    for item in items {
        let answers = QUESTIONS.map(|key| item.answers.get(key).and_then(Answer::as_text));
        if let [Some(faithful), Some(comprehensive)] = answers {
            both += 1;
            useful += usize::from(faithful == WANTED && comprehensive == WANTED);
        }
    }
    (percent(useful, both, Undefined::NothingJudged), both)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Answers;
    use crate::score::Origin;

    fn item(answers: &[(&str, &str)]) -> ItemJudged {
        let answers: Answers = answers
            .iter()
            .map(|(key, value)| ((*key).to_owned(), Answer::Text((*value).to_owned())))
            .collect();
        ItemJudged { origin: Origin::default(), answers }
    }

    #[test]
    fn useful_is_yes_to_both_among_those_with_both_answers() {
        let items = [
            item(&[("faithful", "yes"), ("comprehensive", "yes")]),
            item(&[("faithful", "yes"), ("comprehensive", "partially")]),
            item(&[("faithful", "no"), ("comprehensive", "yes")]),
            item(&[("faithful", "yes")]),
        ];
        let (share, both) = useful(&items);
        assert_eq!(both, 3);
        assert!((share.unwrap() - 100.0 / 3.0).abs() < 1e-9);
        assert_eq!(useful(&[]).0, Err(Undefined::NothingJudged));
    }
}
