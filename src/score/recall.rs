//! Key point recall, precision and their F: which share of a question's key points a response says, how the others
//! fail, and which share of the response's own points the documents contain.
//!
//! - KPR = mean over responses of (points said / points judged).
//! - KPP = mean over responses of (own points that the documents contain / own points judged).
//! - KPF = mean over responses of the harmonic mean of that response's two, 0 where both are 0; not the harmonic mean
//!   of the means, which the published .323 and .579 do not give .379 for.
//!
//! A response is one annotator's judgment of one response, so that KPR and KPP average annotators as they average
//! queries. KPF needs both: it takes them from the same annotator where someone judged both (mean over those who did),
//! else from the means of those who judged the one and those who judged the other, so that points may be judged by
//! one person and their places by another.
//!
//! Source: Qi et al. 2024, Long2RAG, §4 (recall), §6.1 and Fig. 8 (kinds of failure), §6.4 (precision and F).

use std::collections::BTreeMap;

use super::measure::{Mean, Measure, Undefined, percent};
use super::origin::Origin;
use super::share::Share;
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
    /// Its query's key points with the answers to each, empty where there is none; no points at all
    /// where the annotator judged nothing about them.
    pub points: Vec<Answers>,
    /// Its own points, by whether the documents contain each; `None` for one that is not judged, and
    /// no points at all where the annotator judged nothing about them.
    pub own: Vec<Option<bool>>,
}

/// Recall, precision and F over a group of responses.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    pub responses: usize,
    /// Key points judged.
    pub judged: usize,
    /// Key points that there are, judged or not.
    pub points: usize,
    /// Key points said.
    pub entailed: usize,
    /// KPR, 0–100: mean over the responses of (points said / points judged).
    pub recall: Measure,
    pub precision: Precision,
    /// Different responses with both recall and precision.
    pub both: usize,
    /// KPF, 0–100: mean over these of the harmonic mean of the two.
    pub f1: Measure,
    /// How the points that are not said fail: value of the choice, and how often.
    pub failures: Vec<(String, usize)>,
}

/// Precision over a group of responses.
#[derive(Debug, Clone, PartialEq)]
pub struct Precision {
    pub responses: usize,
    /// Own points judged.
    pub judged: usize,
    /// Own points that there are, judged or not.
    pub points: usize,
    /// Own points that the documents contain.
    pub present: usize,
    /// KPP, 0–100: mean over the responses of (points present / points judged).
    pub precision: Measure,
}

/// Whether a protocol asks what recall reads.
pub fn is_about_recall(protocol: &Protocol) -> bool {
    protocol.question(ENTAILED.0).is_some_and(|question| {
        let choices = question.choices();
        choices.len() == ENTAILED.1.len()
            && choices.iter().all(|choice| ENTAILED.1.contains(&choice.value.as_str()))
    })
}

/// Collection, query and candidate.
type ResponseKey<'a> = (&'a str, &'a str, Option<&'a str>);

impl ResponseJudged {
    /// Key points judged, and said.
    pub(super) fn said(&self) -> Share {
        let answers = self.points.iter().filter_map(|point| chosen(point, ENTAILED.0));
        answers.map(|answer| answer == "yes").collect()
    }

    /// Own points judged, and present in the documents.
    fn present(&self) -> Share {
        self.own.iter().copied().flatten().collect()
    }

    /// What tells the response from others, whoever judges it.
    fn key(&self) -> ResponseKey<'_> {
        (&self.origin.collection, &self.origin.query, self.origin.candidate.as_deref())
    }
}

impl Recall {
    /// Recall, precision and F of these responses. Each response is one query's, so the mean over responses
    /// is the paper's mean over queries; a response of which nothing is judged does not count.
    /// `failures` are the values of the question about points that are not said.
    pub fn of<'a>(responses: impl IntoIterator<Item = &'a ResponseJudged>, failures: &[String]) -> Recall {
        let responses: Vec<&ResponseJudged> = responses.into_iter().collect();
        let (both, f1) = f1(&responses);
        let mut mean = Mean::default();
        let mut recall = Recall {
            responses: 0,
            judged: 0,
            points: 0,
            entailed: 0,
            recall: Err(Undefined::NothingJudged),
            precision: Precision::of(responses.iter().copied()),
            both,
            f1,
            failures: failures.iter().map(|value| (value.clone(), 0)).collect(),
        };
        for response in responses {
            let said = response.said();
            recall.points += response.points.len();
            recall.judged += said.of;
            recall.entailed += said.part;
            recall.count_failures(&response.points);
            if let Ok(share) = said.percent(Undefined::NothingJudged) {
                recall.responses += 1;
                mean.add(share);
            }
        }
        recall.recall = mean.or(Undefined::NothingJudged);
        recall
    }

    fn count_failures(&mut self, points: &[Answers]) {
        for point in points.iter().filter(|point| chosen(point, ENTAILED.0) != Some("yes")) {
            let failure = chosen(point, MISSING);
            let counted = self.failures.iter_mut().find(|(value, _)| Some(value.as_str()) == failure);
            if let Some((_, count)) = counted {
                *count += 1;
            }
        }
    }

    /// The share of each kind of failure among the points that are not said and whose failure is named, 0–100.
    pub fn failure_shares(&self) -> Vec<Measure> {
        let all = self.failures.iter().map(|(_, count)| count).sum();
        self.failures.iter().map(|(_, count)| percent(*count, all, Undefined::NothingJudged)).collect()
    }
}

impl Precision {
    /// Precision of these responses; one of which no own point is judged does not count.
    pub fn of<'a>(responses: impl IntoIterator<Item = &'a ResponseJudged>) -> Precision {
        let mut mean = Mean::default();
        let mut all = Share::default();
        let (mut counted, mut points) = (0, 0);
        for response in responses {
            let present = response.present();
            points += response.own.len();
            all.of += present.of;
            all.part += present.part;
            if let Ok(share) = present.percent(Undefined::NothingJudged) {
                counted += 1;
                mean.add(share);
            }
        }
        Precision {
            responses: counted,
            judged: all.of,
            points,
            present: all.part,
            precision: mean.or(Undefined::NothingJudged),
        }
    }
}

/// How many responses have recall and precision, and the mean of their harmonic means.
fn f1(responses: &[&ResponseJudged]) -> (usize, Measure) {
    let mut judged: BTreeMap<ResponseKey<'_>, Vec<[Measure; 2]>> = BTreeMap::new();
    for response in responses {
        let shares = [response.said(), response.present()].map(|share| share.percent(Undefined::NotBoth));
        judged.entry(response.key()).or_default().push(shares);
    }
    let of_response = |shares: Vec<[Measure; 2]>| {
        let paired: Mean = shares.iter().filter_map(|[r, p]| Some(harmonic(r.ok()?, p.ok()?))).collect();
        paired.or(Undefined::NotBoth).or_else(|reason| {
            let mean = |side: fn(&[Measure; 2]) -> Measure| {
                shares.iter().filter_map(|both| side(both).ok()).collect::<Mean>().or(reason)
            };
            let (recall, precision) = (mean(|[recall, _]| *recall)?, mean(|[_, precision]| *precision)?);
            Measure::Ok(harmonic(recall, precision))
        })
    };
    let each: Vec<f64> = judged.into_values().filter_map(|shares| of_response(shares).ok()).collect();
    (each.len(), each.into_iter().collect::<Mean>().or(Undefined::NotBoth))
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
    use super::*;
    use crate::score::{By, Grouped};

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
        let recall = Recall::of(&responses, &failures());
        // a: 2 of 4 = 50, b: 1 of 2 = 50, c: 0 of 1 = 0; (50 + 50 + 0) / 3. Pooled it would be 3 of 7.
        assert!((recall.recall.unwrap() - 100.0 / 3.0).abs() < 1e-9);
        assert_eq!((recall.responses, recall.judged, recall.entailed), (3, 7, 3));
        // Of the four that are not said: one incomplete, one general, two missing.
        assert_eq!(recall.failure_shares(), [Ok(25.0), Ok(25.0), Ok(50.0)]);
    }

    #[test]
    fn what_is_not_judged_is_no_miss() {
        let recall = Recall::of(&[response("a", &["yes", ""]), response("b", &["", ""])], &failures());
        assert_eq!(recall.recall, Ok(100.0));
        assert_eq!((recall.responses, recall.judged, recall.points), (1, 1, 4));
        assert_eq!(Recall::of(&[], &failures()).recall, Err(Undefined::NothingJudged));
    }

    #[test]
    fn rows_by_system_keep_their_queries_apart() {
        let mut responses = vec![response("a", &["yes"]), response("b", &["no missing"])];
        responses[1].origin.annotator = "bora".into();
        let recall = |members: Vec<&ResponseJudged>| Recall::of(members, &failures()).recall;
        let found = Grouped::of(&responses, |response| &response.origin, &[By::Annotator], recall);
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
        let scores = Recall::of(&responses, &failures());
        // KPP: a 2 of the 3 judged, b 0 of 3, c has no points: (2/3 + 0) / 2.
        assert!((scores.precision.precision.unwrap() - 100.0 / 3.0).abs() < 1e-9);
        let counts = &scores.precision;
        assert_eq!((counts.responses, counts.judged, counts.points, counts.present), (2, 6, 7, 2));
        // KPF: a 2 · (1/2 · 2/3) / (1/2 + 2/3) = 4/7, b 0, c is not judged for both: (4/7 + 0) / 2 = 2/7.
        // The harmonic mean of the means (1/2 and 1/3) would be 2/5.
        assert!((scores.f1.unwrap() - 200.0 / 7.0).abs() < 1e-9);
        assert_eq!(scores.both, 2);
        assert_eq!(Recall::of(&responses[2..], &failures()).f1, Err(Undefined::NotBoth));
    }

    #[test]
    fn both_sides_come_from_one_annotator_where_they_can() {
        let recall = |answers: &[&str]| response("a", answers);
        // ana judged both: R 1/2, P 1, F 2/3. What ben judged alone changes KPR and KPP, not KPF.
        let ana = with_own("ana", "+", recall(&["yes", "no missing"]));
        let ben = with_own("ben", "", recall(&["yes", "yes"]));
        let scores = Recall::of(&[ana, ben.clone()], &failures());
        assert!((scores.f1.unwrap() - 200.0 / 3.0).abs() < 1e-9);
        assert_eq!((scores.recall, scores.both), (Ok(75.0), 1));
        // Nobody judged both: ben and cho R (1 + 0) / 2, dee P 1/2, F 1/2.
        let cho = with_own("cho", "", recall(&["no missing"]));
        let dee = with_own("dee", "+-", recall(&[]));
        let scores = Recall::of(&[ben, cho, dee], &failures());
        assert_eq!((scores.f1, scores.both), (Ok(50.0), 1));
    }
}
