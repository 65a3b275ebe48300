//! Which key points are kept: those that are in their document and help to answer the question.
//!
//! Source: Qi et al. 2024, Long2RAG, §3.3 and App. A.3.

use super::measure::{Measure, Undefined, percent};
use super::origin::Origin;
use crate::protocol::{Answer, Answers, Protocol};

/// The questions and answers that retention is about.
const GROUNDED: (&str, [&str; 2]) = ("grounded", ["yes", "no"]);
const VALIDITY: (&str, [&str; 3]) = ("validity", ["agree", "neutral", "disagree"]);

/// Keys of the two questions.
pub(super) const KEY_POINT_QUESTIONS: [&str; 2] = [GROUNDED.0, VALIDITY.0];

/// What was said about one key point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The document does not say it.
    NotGrounded,
    /// The document says it, and the annotator agrees that it is a key point.
    Agree,
    /// The document says it; the annotator neither agrees nor disagrees.
    Neutral,
    /// The document says it, but it is no key point.
    Disagree,
}

impl Verdict {
    /// Reads the answers of a protocol that [`is_about_key_points`]; `None` while they are incomplete.
    pub fn read(answers: &Answers) -> Option<Verdict> {
        let choice = |question: &str| answers.get(question).and_then(Answer::as_text);
        match (choice(GROUNDED.0)?, choice(VALIDITY.0)) {
            ("no", _) => Some(Verdict::NotGrounded),
            ("yes", Some("agree")) => Some(Verdict::Agree),
            ("yes", Some("neutral")) => Some(Verdict::Neutral),
            ("yes", Some("disagree")) => Some(Verdict::Disagree),
            _ => None,
        }
    }

    /// Whether the key point is kept: grounded, and the annotator agrees.
    pub fn is_retained(self) -> bool {
        self == Verdict::Agree
    }
}

/// Whether a protocol asks what [`Verdict::read`] reads.
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
    /// A number that judgments of the same key point in the same document share.
    pub item: i64,
    /// `None` when it is not judged, or not to the end.
    pub verdict: Option<Verdict>,
}

/// How many key points were kept, and what was said about the others. Counts judgments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Retention {
    /// Key points to judge.
    pub points: usize,
    pub not_grounded: usize,
    pub agree: usize,
    pub neutral: usize,
    pub disagree: usize,
}

impl Retention {
    /// Counts the judgments.
    pub fn of<'a>(judgments: impl IntoIterator<Item = &'a KeyPointJudged>) -> Retention {
        let mut counts = Retention::default();
        for judgment in judgments {
            counts.points += 1;
            match judgment.verdict {
                None => {}
                Some(Verdict::NotGrounded) => counts.not_grounded += 1,
                Some(Verdict::Agree) => counts.agree += 1,
                Some(Verdict::Neutral) => counts.neutral += 1,
                Some(Verdict::Disagree) => counts.disagree += 1,
            }
        }
        counts
    }

    /// Key points that are in their document.
    pub fn grounded(&self) -> usize {
        self.agree + self.neutral + self.disagree
    }

    /// Key points that are judged.
    pub fn judged(&self) -> usize {
        self.not_grounded + self.grounded()
    }

    /// Retained / judged, 0–100.
    pub fn retention(&self) -> Measure {
        percent(self.agree, self.judged(), Undefined::NothingJudged)
    }

    /// Name and value of every measure, 0–100: retention and the share of grounded ones among the judged, then the
    /// share of each validity label among the grounded.
    pub fn measures(&self) -> [(&'static str, Measure); 5] {
        let reason = match self.judged() {
            0 => Undefined::NothingJudged,
            _ => Undefined::NothingGrounded,
        };
        let of_grounded = |count| percent(count, self.grounded(), reason);
        [
            ("retention", self.retention()),
            ("grounded", percent(self.grounded(), self.judged(), Undefined::NothingJudged)),
            ("agree", of_grounded(self.agree)),
            ("neutral", of_grounded(self.neutral)),
            ("disagree", of_grounded(self.disagree)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtin;
    use crate::score::{By, Grouped};

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
            (Some("no"), None, Some(Verdict::NotGrounded)),
            // A validity left from before grounded was changed does not count.
            (Some("no"), Some("agree"), Some(Verdict::NotGrounded)),
            (Some("yes"), Some("agree"), Some(Verdict::Agree)),
            (Some("yes"), Some("neutral"), Some(Verdict::Neutral)),
            (Some("yes"), Some("disagree"), Some(Verdict::Disagree)),
        ] {
            assert_eq!(Verdict::read(&answers(grounded, validity)), expected, "{grounded:?} {validity:?}");
        }
    }

    #[test]
    fn protocols_are_known_by_their_questions() {
        assert!(is_about_key_points(builtin("keypoint").expect("built in")));
        assert!(!is_about_key_points(builtin("coverage").expect("built in")));
    }

    #[test]
    fn the_published_retention_comes_out() {
        // Long2RAG §3.3: 2,055 of 3,651 key points were kept, 56.3 %.
        let counts = Retention { points: 3651, not_grounded: 596, agree: 2055, neutral: 400, disagree: 600 };
        let retention = counts.retention().expect("points are judged");
        assert_eq!(format!("{retention:.1}"), "56.3");
        let shares = counts.measures().map(|(_, measure)| measure.expect("points are grounded"));
        assert!((shares[2..].iter().sum::<f64>() - 100.0).abs() < 1e-9);
    }

    #[test]
    fn open_points_are_counted_apart() {
        let judged = |query: &str, verdict| KeyPointJudged {
            origin: Origin { query: query.into(), ..Origin::default() },
            verdict,
            score: None,
            item: 0,
        };
        let judged = [
            judged("a", Some(Verdict::Agree)),
            judged("a", Some(Verdict::NotGrounded)),
            judged("a", None),
            judged("b", None),
            judged("c", Some(Verdict::NotGrounded)),
        ];
        let found = Grouped::of(&judged, |judged| &judged.origin, &[By::Query], Retention::of);
        let [(_, a), (_, b), (_, c)] = &found.rows[..] else { panic!("three queries: {found:?}") };
        assert_eq!((a.points, a.judged()), (3, 2));
        assert_eq!(a.retention(), Ok(50.0));
        assert_eq!(b.retention(), Err(Undefined::NothingJudged));
        assert_eq!(b.measures()[2], ("agree", Err(Undefined::NothingJudged)));
        assert_eq!(c.retention(), Ok(0.0));
        assert_eq!(c.measures()[2], ("agree", Err(Undefined::NothingGrounded)));
    }
}
