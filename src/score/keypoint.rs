//! Retained key points: those that are grounded in their document and that the annotator agrees with.
//!
//! Source: Qi et al. 2024, Long2RAG, §3.3 and App. A.3.

use super::Origin;
use crate::protocol::{Answer, Answers, Protocol};

/// The questions and choices from which retention is read.
const GROUNDED: (&str, [&str; 2]) = ("grounded", ["yes", "no"]);
const VALIDITY: (&str, [&str; 3]) = ("validity", ["agree", "neutral", "disagree"]);

/// The verdict on one key point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointVerdict {
    /// The document does not say the point.
    NotGrounded,
    /// The document says the point, and the annotator agrees that it is a key point.
    Agree,
    /// The document says the point; the annotator neither agrees nor disagrees.
    Neutral,
    /// The document says the point, but it is no key point.
    Disagree,
}

impl PointVerdict {
    /// Reads the answers of a protocol that [`is_about_key_points`]; `None` while they are incomplete.
    pub fn read(answers: &Answers) -> Option<PointVerdict> {
        let choice = |question: &str| answers.get(question).and_then(Answer::as_text);
        match (choice(GROUNDED.0)?, choice(VALIDITY.0)) {
            ("no", _) => Some(PointVerdict::NotGrounded),
            ("yes", Some("agree")) => Some(PointVerdict::Agree),
            ("yes", Some("neutral")) => Some(PointVerdict::Neutral),
            ("yes", Some("disagree")) => Some(PointVerdict::Disagree),
            _ => None,
        }
    }

    /// Whether the key point is kept: grounded, and the annotator agrees.
    pub fn is_retained(self) -> bool {
        self == PointVerdict::Agree
    }
}

/// Whether a protocol has the questions of [`PointVerdict::read`].
pub fn is_about_key_points(protocol: &Protocol) -> bool {
    let asks = |key: &str, values: &[&str]| {
        protocol.question(key).is_some_and(|question| {
            let choices = question.choices();
            choices.len() == values.len()
                && choices.iter().all(|choice| values.contains(&choice.value.as_str()))
        })
    };
    asks(GROUNDED.0, &GROUNDED.1) && asks(VALIDITY.0, &VALIDITY.1)
}

/// One annotator's judgment of one key point in one document.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyPointJudged {
    pub origin: Origin,
    /// The machine's score of the key point, 0 to 1.
    pub score: Option<f64>,
    pub verdict: PointVerdict,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtin;

    fn answers(grounded: Option<&str>, validity: Option<&str>) -> Answers {
        let pairs = [("grounded", grounded), ("validity", validity)];
        let given = pairs.into_iter().filter_map(|(key, value)| Some((key, value?)));
        given.map(|(key, value)| (key.to_owned(), Answer::Text(value.to_owned()))).collect()
    }

    #[test]
    fn answers_are_read() {
        for (grounded, validity, expected) in [
            (None, None, None),
            (Some("yes"), None, None),
            (Some("no"), None, Some(PointVerdict::NotGrounded)),
            // A validity left from before grounded was changed does not count.
            (Some("no"), Some("agree"), Some(PointVerdict::NotGrounded)),
            (Some("yes"), Some("agree"), Some(PointVerdict::Agree)),
            (Some("yes"), Some("neutral"), Some(PointVerdict::Neutral)),
            (Some("yes"), Some("disagree"), Some(PointVerdict::Disagree)),
        ] {
            assert_eq!(
                PointVerdict::read(&answers(grounded, validity)),
                expected,
                "{grounded:?} {validity:?}"
            );
        }
    }

    #[test]
    fn protocols_are_known_by_their_questions() {
        assert!(is_about_key_points(builtin("keypoint").expect("built in")));
        assert!(!is_about_key_points(builtin("coverage").expect("built in")));
    }
}
