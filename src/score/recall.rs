//! Key point recall: which share of a question's key points a response says, and how the others fail.
//!
//! Source: Qi et al. 2024, Long2RAG, §4 (recall), §6.1 and Fig. 8 (kinds of failure).

use super::measure::{Mean, Measure, Undefined, percent};
use super::origin::{By, Group, Origin, groups};
use crate::protocol::{Answer, Answers, Protocol};

/// The question that recall is about: only `yes` counts.
const ENTAILED: (&str, [&str; 3]) = ("entailed", ["yes", "neutral", "no"]);

/// The question about points that are not said.
const MISSING: &str = "missing";

/// One annotator's judgment of one response: its query's key points with the answers to each,
/// empty where nobody answered.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseJudged {
    pub origin: Origin,
    pub points: Vec<Answers>,
}

/// Recall over a group of responses.
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
    /// How the points that are not said fail: value of the choice, and how often.
    pub failures: Vec<(String, usize)>,
}

/// One row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallRow {
    /// One label for each [`By`] of the table.
    pub group: Group,
    pub recall: Recall,
}

/// Whether a protocol asks what recall reads.
pub fn is_about_recall(protocol: &Protocol) -> bool {
    protocol.question(ENTAILED.0).is_some_and(|question| {
        let choices = question.choices();
        choices.len() == ENTAILED.1.len()
            && choices.iter().all(|choice| ENTAILED.1.contains(&choice.value.as_str()))
    })
}

impl Recall {
    /// Recall of these responses. Each response is one query's, so the mean over responses is the
    /// paper's mean over queries; a response of which nothing is judged does not count.
    /// `failures` are the values of the question about points that are not said.
    pub fn of<'a>(responses: impl IntoIterator<Item = &'a ResponseJudged>, failures: &[String]) -> Recall {
        let mut mean = Mean::default();
        let mut recall = Recall {
            responses: 0,
            judged: 0,
            points: 0,
            entailed: 0,
            recall: Err(Undefined::NothingJudged),
            failures: failures.iter().map(|value| (value.clone(), 0)).collect(),
        };
        for response in responses {
            let answers = response.points.iter().filter_map(|point| chosen(point, ENTAILED.0));
            let (judged, entailed) = answers.fold((0, 0), |(judged, entailed), answer| {
                (judged + 1, entailed + usize::from(answer == "yes"))
            });
            recall.points += response.points.len();
            recall.judged += judged;
            recall.entailed += entailed;
            recall.count_failures(&response.points);
            if let Ok(share) = percent(entailed, judged, Undefined::NothingJudged) {
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

fn chosen<'a>(answers: &'a Answers, question: &str) -> Option<&'a str> {
    answers.get(question).and_then(Answer::as_text)
}

/// The values of the question about points that are not said, in the protocol's order.
pub fn failure_values(protocol: &Protocol) -> Vec<String> {
    let choices = protocol.question(MISSING).map_or(&[][..], |question| question.choices());
    choices.iter().map(|choice| choice.value.clone()).collect()
}

/// A row for each group, in the order of the groups' labels.
pub fn recall_table(responses: &[ResponseJudged], by: &[By], failures: &[String]) -> Vec<RecallRow> {
    groups(responses, |response| &response.origin, by)
        .into_iter()
        .map(|(group, members)| RecallRow { group, recall: Recall::of(members, failures) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        }
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
        let rows = recall_table(&responses, &[By::Annotator], &failures());
        assert_eq!(rows.iter().map(|row| row.recall.recall).collect::<Vec<_>>(), [Ok(100.0), Ok(0.0)]);
    }
}
