//! Key point recall, precision and their F: which share of a question's key points a response says, how the others
//! fail, and which share of the response's own points the documents contain.
//!
//! - KPR = mean over responses of (points said / points judged).
//! - KPP = mean over responses of (own points that the documents contain / own points judged).
//! - KPF = mean over responses of the harmonic mean of that response's two, 0 where both are 0; not the harmonic mean
//!   of the means, which the published .323 and .579 do not give .379 for.
//!
//! Where several people judged a point, it counts with the share of them who say yes; then a response's points are
//! averaged, then responses. Points may be judged by one person and their places by another.
//!
//! Source: Qi et al. 2024, Long2RAG, §4 (recall), §6.1 and Fig. 8 (kinds of failure), §6.4 (precision and F).

use super::items::{Counted, Score, Tally, Thing, mean, percent_of};
use super::measure::Undefined;
use super::origin::Origin;
use crate::protocol::{Answer, Answers, Protocol};

/// The question that recall is about: only `yes` counts.
const ENTAILED: (&str, [&str; 3]) = ("entailed", ["yes", "neutral", "no"]);

/// The question about points that are not said.
const MISSING: &str = "missing";

/// Keys of the two questions.
pub(super) const RECALL_QUESTIONS: [&str; 2] = [ENTAILED.0, MISSING];

/// One annotator's judgment of one response.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResponseJudged {
    pub origin: Origin,
    /// Its query's key points with the answers to each, empty where there is none, in the same order for every
    /// annotator; no points at all where the annotator judged nothing about them.
    pub points: Vec<Answers>,
    /// Its own points in the same order for every annotator, by whether the documents contain each; `None` for one
    /// that is not judged, and no points at all where the annotator judged nothing about them.
    pub own: Vec<Option<bool>>,
}

/// Recall, precision and F over a group of responses.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// The query's key points that responses say: its share is KPR.
    pub said: PointShare,
    /// Their own points that the documents contain: its share is KPP.
    pub own: PointShare,
    /// Responses with both recall and precision.
    pub both: usize,
    /// KPF, 0–100: mean over these of the harmonic mean of the two.
    pub f1: Score,
    /// How the points that are not said fail.
    pub failures: Vec<Failure>,
}

/// A kind of failure.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// Value of the choice.
    pub value: String,
    /// Judgments that name it.
    pub judgments: usize,
    /// Its share of the points whose failure someone names, 0–100.
    pub share: Score,
}

/// Points of a group of responses, and the share of them that judgments say yes of.
#[derive(Debug, Clone, PartialEq)]
pub struct PointShare {
    /// Responses with a judged point; others do not count.
    pub responses: usize,
    /// Points judged.
    pub judged: Counted,
    /// Points that there are, judged or not.
    pub points: usize,
    /// Judgments that say yes.
    pub yes: usize,
    /// 0–100: mean over the responses of the mean over their points.
    pub share: Score,
}

/// Whether a protocol asks what recall reads.
pub fn is_about_recall(protocol: &Protocol) -> bool {
    protocol.question(ENTAILED.0).is_some_and(|question| {
        let choices = question.choices();
        choices.len() == ENTAILED.1.len()
            && choices.iter().all(|choice| ENTAILED.1.contains(&choice.value.as_str()))
    })
}

/// What everyone says of one response's points, each point with the shares of those who judged it, 0–100.
struct Points {
    counted: Counted,
    points: usize,
    yes: usize,
    share: Option<f64>,
}

impl Points {
    /// `said` is what one judgment says of the point at a place, among so many points.
    fn of(
        response: &Thing<'_, ResponseJudged>,
        points: impl Fn(&ResponseJudged) -> usize,
        said: impl Fn(&ResponseJudged, usize) -> Option<bool>,
    ) -> Points {
        let count = response.judgments.iter().map(|one| points(one)).max().unwrap_or(0);
        let mut found = Points { counted: Counted::default(), points: count, yes: 0, share: None };
        let mut of_points = Vec::new();
        for at in 0..count {
            let said: Vec<bool> = response.judgments.iter().filter_map(|one| said(one, at)).collect();
            found.counted.add(said.len());
            found.yes += said.iter().filter(|said| **said).count();
            of_points.extend(mean(said.into_iter().map(percent_of)));
        }
        found.share = mean(of_points);
        found
    }

    fn key_points(response: &Thing<'_, ResponseJudged>) -> Points {
        Points::of(
            response,
            |one| one.points.len(),
            |one, at| chosen(one.points.get(at)?, ENTAILED.0).map(|answer| answer == "yes"),
        )
    }

    fn own(response: &Thing<'_, ResponseJudged>) -> Points {
        Points::of(response, |one| one.own.len(), |one, at| one.own.get(at).copied().flatten())
    }
}

impl Recall {
    /// Recall, precision and F of these responses. Each response is one query's, so the mean over responses
    /// is the paper's mean over queries; a response of which nothing is judged does not count.
    /// `failures` are the values of the question about points that are not said.
    pub fn of(responses: &[Thing<'_, ResponseJudged>], failures: &[String]) -> Recall {
        let mut recall = Recall {
            said: PointShare::none(),
            own: PointShare::none(),
            both: 0,
            f1: Score::new(Undefined::NotBoth),
            failures: failures.iter().map(|value| Failure::of(value, responses)).collect(),
        };
        for response in responses {
            let (said, own) = (Points::key_points(response), Points::own(response));
            recall.said.add(response, &said);
            recall.own.add(response, &own);
            let both = said.share.zip(own.share);
            recall.both += usize::from(both.is_some());
            recall.f1.add(response.cluster, Tally::one(both.map(|(recall, own)| harmonic(recall, own))));
        }
        recall
    }
}

impl Failure {
    fn of(value: &str, responses: &[Thing<'_, ResponseJudged>]) -> Failure {
        let mut failure =
            Failure { value: value.to_owned(), judgments: 0, share: Score::new(Undefined::NothingJudged) };
        for response in responses {
            let count = response.judgments.iter().map(|one| one.points.len()).max().unwrap_or(0);
            for at in 0..count {
                let answers = response.judgments.iter().filter_map(|one| one.points.get(at));
                let failed = answers.filter(|answers| chosen(answers, ENTAILED.0) != Some("yes"));
                let named: Vec<bool> =
                    failed.filter_map(|answers| Some(chosen(answers, MISSING)? == value)).collect();
                failure.judgments += named.iter().filter(|is_it| **is_it).count();
                let share = mean(named.into_iter().map(percent_of));
                failure.share.add(response.cluster, Tally::one(share));
            }
        }
        failure
    }
}

impl PointShare {
    /// The responses' own points that the documents contain.
    pub fn own(responses: &[Thing<'_, ResponseJudged>]) -> PointShare {
        let mut own = PointShare::none();
        for response in responses {
            own.add(response, &Points::own(response));
        }
        own
    }

    fn none() -> PointShare {
        PointShare {
            responses: 0,
            judged: Counted::default(),
            points: 0,
            yes: 0,
            share: Score::new(Undefined::NothingJudged),
        }
    }

    fn add(&mut self, response: &Thing<'_, ResponseJudged>, points: &Points) {
        self.responses += usize::from(points.share.is_some());
        self.judged += points.counted;
        self.points += points.points;
        self.yes += points.yes;
        self.share.add(response.cluster, Tally::one(points.share));
    }
}

/// The harmonic mean of two shares; 0 when both are 0.
fn harmonic(recall: f64, precision: f64) -> f64 {
    match recall + precision {
        0.0 => 0.0,
        sum => 2.0 * recall * precision / sum,
    }
}

fn chosen<'a>(answers: &'a Answers, question: &str) -> Option<&'a str> {
    answers.get(question).and_then(Answer::as_text)
}

/// The values of the question about points that are not said, in the protocol's order.
pub fn failure_values(protocol: &Protocol) -> Vec<String> {
    let choices = protocol.question(MISSING).map_or(&[][..], |question| question.choices());
    choices.iter().map(|choice| choice.value.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::items::tests::together;
    use super::*;
    use crate::score::{Grouped, Measure};

    fn of(responses: &[ResponseJudged]) -> Recall {
        together(responses, |response| &response.origin, |responses| Recall::of(responses, &failures()))
    }

    fn response(query: &str, points: &[&str]) -> ResponseJudged {
        let answers = points.iter().map(|point| {
            let mut answers = Answers::new();
            for (key, value) in ["entailed", "missing"].iter().zip(point.split_whitespace()) {
                answers.insert((*key).to_owned(), Answer::Text(value.to_owned()));
            }
            answers
        });
        ResponseJudged {
            origin: Origin { query: query.into(), ..Origin::default() },
            points: answers.collect(),
            own: Vec::new(),
        }
    }

    /// The response's own points: `+` present, `-` absent, `?` not judged.
    fn with_own(annotator: &str, own: &str, mut response: ResponseJudged) -> ResponseJudged {
        response.origin.annotator = annotator.into();
        response.own = own
            .chars()
            .map(|sign| match sign {
                '+' => Some(true),
                '-' => Some(false),
                _ => None,
            })
            .collect();
        response
    }

    fn failures() -> Vec<String> {
        ["incomplete", "general", "missing"].map(str::to_owned).to_vec()
    }

    #[test]
    fn recall_is_the_mean_over_queries_and_only_yes_counts() {
        let responses = [
            response("a", &["yes", "yes", "neutral general", "no missing"]),
            response("b", &["yes", "no missing"]),
            response("c", &["no incomplete"]),
        ];
        let recall = of(&responses);
        // a: 2 of 4 = 50, b: 1 of 2 = 50, c: 0 of 1 = 0; (50 + 50 + 0) / 3. Pooled it would be 3 of 7.
        assert!((recall.said.share.value().unwrap() - 100.0 / 3.0).abs() < 1e-9);
        assert_eq!((recall.said.responses, recall.said.judged.items, recall.said.yes), (3, 7, 3));
        // Of the four that are not said: one incomplete, one general, two missing.
        assert_eq!(failure_shares(&recall), [Ok(25.0), Ok(25.0), Ok(50.0)]);
    }

    fn failure_shares(recall: &Recall) -> Vec<Measure> {
        recall.failures.iter().map(|failure| failure.share.value()).collect()
    }

    #[test]
    fn a_point_that_several_judged_counts_once() {
        // Two points of one response: three people say yes, no (incomplete) and no (missing) of the first, one yes of the
        // second: (1/3 + 1) / 2, where the judgments would give 1/2.
        let responses = [
            response("a", &["yes", "yes"]),
            response("a", &["no incomplete", ""]),
            response("a", &["no missing", ""]),
        ];
        let recall = of(&responses);
        assert!((recall.said.share.value().unwrap() - 200.0 / 3.0).abs() < 1e-9);
        assert_eq!((recall.said.responses, recall.said.points), (1, 2));
        assert_eq!(recall.said.judged, Counted { items: 2, judgments: 4 });
        assert_eq!(failure_shares(&recall), [Ok(50.0), Ok(0.0), Ok(50.0)]);
    }

    #[test]
    fn what_is_not_judged_is_no_miss() {
        let recall = of(&[response("a", &["yes", ""]), response("b", &["", ""])]);
        assert_eq!(recall.said.share.value(), Ok(100.0));
        assert_eq!((recall.said.responses, recall.said.judged.items, recall.said.points), (1, 1, 4));
        assert_eq!(of(&[]).said.share.value(), Err(Undefined::NothingJudged));
    }

    #[test]
    fn rows_by_system_keep_their_queries_apart() {
        let mut responses = vec![response("a", &["yes"]), response("b", &["no missing"])];
        responses[1].origin.annotator = "bora".into();
        let recall =
            |members: &[Thing<'_, ResponseJudged>]| Recall::of(members, &failures()).said.share.value();
        let found = Grouped::of(&responses, |response| &response.origin, &["annotator"], recall);
        assert_eq!(
            found.rows.into_iter().map(|(_, recall)| recall).collect::<Vec<_>>(),
            [Ok(100.0), Ok(0.0)]
        );
    }

    #[test]
    fn precision_and_f_are_means_over_responses() {
        let responses = [
            with_own("ana", "++-?", response("a", &["yes", "no missing"])),
            with_own("ana", "---", response("b", &["no missing"])),
            with_own("ana", "", response("c", &["yes"])),
        ];
        let scores = of(&responses);
        // KPP: a 2 of the 3 judged, b 0 of 3, c has no points: (2/3 + 0) / 2.
        assert!((scores.own.share.value().unwrap() - 100.0 / 3.0).abs() < 1e-9);
        let counts = &scores.own;
        assert_eq!((counts.responses, counts.judged.items, counts.points, counts.yes), (2, 6, 7, 2));
        // KPF: a 2 · (1/2 · 2/3) / (1/2 + 2/3) = 4/7, b 0, c is not judged for both: (4/7 + 0) / 2 = 2/7.
        // The harmonic mean of the means (1/2 and 1/3) would be 2/5.
        assert!((scores.f1.value().unwrap() - 200.0 / 7.0).abs() < 1e-9);
        assert_eq!(scores.both, 2);
        assert_eq!(of(&responses[2..]).f1.value(), Err(Undefined::NotBoth));
    }

    #[test]
    fn one_may_judge_the_points_and_another_their_places() {
        // Recall: points (1 + 1 + 0) / 3 and (0 + 1) / 2; own points (1 + 1) / 2 and 0: R 7/12, P 1/2, F 7/13.
        let responses = [
            with_own("ana", "+", response("a", &["yes", "no missing"])),
            with_own("ben", "", response("a", &["yes", "yes"])),
            with_own("cho", "", response("a", &["no missing", ""])),
            with_own("dee", "+-", response("a", &[])),
        ];
        let scores = of(&responses);
        let value = |score: &Score| score.value().expect("judged");
        assert!((value(&scores.said.share) - 700.0 / 12.0).abs() < 1e-9);
        assert!((value(&scores.own.share) - 50.0).abs() < 1e-9);
        assert!((value(&scores.f1) - 700.0 / 13.0).abs() < 1e-9);
        assert_eq!((scores.both, scores.own.judged), (1, Counted { items: 2, judgments: 3 }));
    }
}
