//! Which key points are kept: those that are in their document and help to answer the question.
//!
//! Source: Qi et al. 2024, Long2RAG, §3.3 and App. A.3.

use super::items::{Counted, Score, Thing, percent_of};
use super::measure::Undefined;
use super::origin::Origin;
use crate::protocol::{Answer, Answers, Protocol};

/// The questions and answers that retention is about.
const GROUNDED: (&str, [&str; 2]) = ("grounded", ["yes", "no"]);
const VALIDITY: (&str, [&str; 3]) = ("validity", ["agree", "neutral", "disagree"]);

/// Keys of the two questions.
pub(super) const KEY_POINT_QUESTIONS: [&str; 2] = [GROUNDED.0, VALIDITY.0];

/// What was said about one key point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointVerdict {
    /// The document does not say it.
    NotGrounded,
    /// The document says it, and the annotator agrees that it is a key point.
    Agree,
    /// The document says it; the annotator neither agrees nor disagrees.
    Neutral,
    /// The document says it, but it is no key point.
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

/// Whether a protocol asks what [`PointVerdict::read`] reads.
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

/// How many key points were kept, and what was said about the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Retention {
    pub judged: Counted,
    /// 0–100, in the order of [`Retention::MEASURES`]: retention and the share of grounded ones among the judged, then
    /// the share of each validity label among the grounded.
    pub measures: [Score; 5],
}

impl Retention {
    pub const MEASURES: [&str; 5] = ["retention", "grounded", "agree", "neutral", "disagree"];

    pub fn of(points: &[Thing<'_, KeyPointJudged>]) -> Retention {
        let judged = Counted::of(points, |_| true);
        let share = |reason, of: &dyn Fn(PointVerdict) -> Option<bool>| {
            Score::over(points, reason, |point| of(point.verdict).map(percent_of))
        };
        let ungrounded =
            if judged.items == 0 { Undefined::NothingJudged } else { Undefined::NothingGrounded };
        let validity = |label: PointVerdict| {
            share(ungrounded, &move |verdict| {
                (verdict != PointVerdict::NotGrounded).then_some(verdict == label)
            })
        };
        let measures = [
            share(Undefined::NothingJudged, &|verdict| Some(verdict.is_retained())),
            share(Undefined::NothingJudged, &|verdict| Some(verdict != PointVerdict::NotGrounded)),
            validity(PointVerdict::Agree),
            validity(PointVerdict::Neutral),
            validity(PointVerdict::Disagree),
        ];
        Retention { judged, measures }
    }
}

#[cfg(test)]
mod tests {
    use super::super::items::tests::together;
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

    #[test]
    fn the_published_retention_comes_out() {
        // Long2RAG §3.3: 2,055 of 3,651 key points were kept, 56.3 %.
        use PointVerdict::{Agree, Disagree, Neutral, NotGrounded};
        let verdicts = [(NotGrounded, 596), (Agree, 2055), (Neutral, 400), (Disagree, 600)];
        let verdicts = verdicts.into_iter().flat_map(|(verdict, count)| std::iter::repeat_n(verdict, count));
        let points: Vec<KeyPointJudged> =
            verdicts.enumerate().map(|(at, verdict)| judged(&at.to_string(), verdict)).collect();
        let [retention, _, rest @ ..] = together(&points, |point| &point.origin, Retention::of).measures;
        assert_eq!(format!("{:.1}", retention.value().expect("points are judged")), "56.3");
        let shares = rest.map(|score| score.value().expect("points are grounded"));
        assert!((shares.iter().sum::<f64>() - 100.0).abs() < 1e-9);
    }

    fn judged(query: &str, verdict: PointVerdict) -> KeyPointJudged {
        let origin = Origin { query: query.into(), ..Origin::default() };
        KeyPointJudged { origin, verdict, score: None }
    }

    #[test]
    fn a_point_that_several_judged_counts_once() {
        let of = |judged: &[KeyPointJudged]| {
            let found = together(judged, |point| &point.origin, Retention::of);
            (found.judged, found.measures.map(|score| score.value()))
        };
        let points = [
            judged("a", PointVerdict::Agree),
            judged("a", PointVerdict::NotGrounded),
            judged("b", PointVerdict::Neutral),
            judged("a", PointVerdict::Disagree),
        ];
        let (counted, measures) = of(&points);
        assert_eq!(counted, Counted { items: 2, judgments: 4 });
        // Of the first point a third is kept and two thirds are grounded, half of these with agreement; of the second nothing
        // is kept.
        let expected = [100.0 / 6.0, 500.0 / 6.0, 25.0, 50.0, 25.0];
        for (measure, expected) in measures.into_iter().zip(expected) {
            assert!((measure.expect("judged") - expected).abs() < 1e-9, "{measure:?}, not {expected}");
        }
        assert_eq!(of(&[]).1, [Err(Undefined::NothingJudged); 5]);
        let (_, measures) = of(&[judged("c", PointVerdict::NotGrounded)]);
        let ungrounded = Err(Undefined::NothingGrounded);
        assert_eq!(measures, [Ok(0.0), Ok(0.0), ungrounded, ungrounded, ungrounded]);
    }
}
