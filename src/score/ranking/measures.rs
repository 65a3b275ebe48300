//! What judged things add to the scores that systems are ranked by: the headlines of their protocols' tables.

use super::{Contribution, Tally};
use crate::protocol::{Answer, Answers, Protocol, Question, QuestionKind};
use crate::score::answerability::TextJudged;
use crate::score::attribution::Support;
use crate::score::coverage::{Average, SummaryJudged};
use crate::score::keypoint::{KeyPointJudged, Verdict};
use crate::score::labels::ItemJudged;
use crate::score::measure::{Mean, Undefined};
use crate::score::reading::Scoring;
use crate::score::recall::ResponseJudged;
use crate::score::usefulness::says_useful;

/// A measure that systems are ranked by, the largest score first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankedMeasure {
    /// As in JSON, such as `joint`.
    pub name: String,
    /// As shown, such as `KPR`.
    pub heading: String,
    /// Whether it is on 0–100.
    pub is_percent: bool,
    /// Why there is no score where nothing counts.
    pub undefined: Undefined,
}

impl RankedMeasure {
    fn percent(name: &str, heading: &str, undefined: Undefined) -> RankedMeasure {
        RankedMeasure { name: name.to_owned(), heading: heading.to_owned(), is_percent: true, undefined }
    }
}

/// The measures that systems are ranked by under a protocol, the headline first; none where it asks for nothing
/// that is counted.
pub fn ranked_measures(protocol: &Protocol) -> Vec<RankedMeasure> {
    let measure = |name: &str, heading: &str| RankedMeasure::percent(name, heading, Undefined::NothingJudged);
    match Scoring::of(protocol) {
        Scoring::Coverage(_) => vec![
            measure("joint", "joint"),
            measure("coverage", "coverage"),
            RankedMeasure::percent("citation", "citation", Undefined::NothingCovered),
        ],
        Scoring::Recall => vec![measure("recall", "KPR")],
        Scoring::KeyPoints => vec![measure("retention", "retention")],
        Scoring::Usefulness => vec![measure("useful", "useful")],
        Scoring::Attribution(_) => {
            vec![measure("full", "full"), measure("at_least_partial", "partial or full")]
        }
        Scoring::Answerability(_) => vec![
            measure("recall", "recall"),
            RankedMeasure::percent("precision", "precision", Undefined::NoAnswers),
        ],
        _ => protocol.questions.iter().flat_map(label_measures).collect(),
    }
}

/// The mean score of a question whose choices have scores, else the share of each choice or tag; of two choices
/// that of the first, because the other is the rest.
fn label_measures(question: &Question) -> Vec<RankedMeasure> {
    let key = &question.key;
    let share = |value: &str, label: &str| {
        let (name, heading) = (format!("{key}_{value}"), format!("{key}: {label}"));
        RankedMeasure::percent(&name, &heading, Undefined::NothingJudged)
    };
    if is_scored(question) {
        let (name, heading) = (format!("{key}_mean_score"), format!("{key}: mean score"));
        let mean = RankedMeasure::percent(&name, &heading, Undefined::NothingJudged);
        return vec![RankedMeasure { is_percent: false, ..mean }];
    }
    shared(question).iter().map(|choice| share(&choice.value, &choice.label)).collect()
}

/// Whether a question has choices and all of them have scores.
fn is_scored(question: &Question) -> bool {
    let choices = question.choices();
    !choices.is_empty() && choices.iter().all(|choice| choice.score.is_some())
}

/// The choices or tags whose shares are measures.
fn shared(question: &Question) -> &[crate::protocol::Choice] {
    match (&question.kind, question.offered()) {
        (QuestionKind::Choice { .. }, [first, _]) => std::slice::from_ref(first),
        (_, offered) => offered,
    }
}

/// What one item adds under a protocol whose scores are shares of labels; see [`ranked_measures`].
pub fn ranked_labels(protocol: &Protocol, item: &ItemJudged) -> Contribution {
    let tallies = protocol.questions.iter().flat_map(|question| label_tallies(question, &item.answers));
    Contribution { origin: item.origin.clone(), tallies: tallies.collect() }
}

/// As many as [`label_measures`].
fn label_tallies(question: &Question, answers: &Answers) -> Vec<Tally> {
    let answer = answers.get(&question.key).filter(|_| question.is_asked(answers));
    if is_scored(question) {
        let value = answer.and_then(Answer::as_text);
        let choice = question.choices().iter().find(|choice| Some(choice.value.as_str()) == value);
        return vec![Tally::one(choice.and_then(|choice| choice.score))];
    }
    let of = |value: &String| match (&question.kind, answer) {
        (QuestionKind::Choice { choices, .. }, Some(Answer::Text(given))) => {
            choices.iter().any(|choice| choice.value == *given).then_some(given == value)
        }
        (QuestionKind::Tags { .. }, Some(Answer::Names(names))) => Some(names.contains(value)),
        (QuestionKind::Tags { .. }, Some(Answer::Nothing)) => Some(false),
        _ => None,
    };
    shared(question).iter().map(|choice| Tally::one(of(&choice.value).map(percent))).collect()
}

fn percent(is_part: bool) -> f64 {
    if is_part { 100.0 } else { 0.0 }
}

impl SummaryJudged {
    /// What it adds to joint, coverage and citation.
    pub fn contribution(&self, average: Average) -> Contribution {
        let tallies = match average {
            Average::Summary => {
                let scores = self.scores();
                [scores.joint, scores.coverage, scores.citation].map(|score| Tally::one(score.ok()))
            }
            Average::Insight => {
                let scores = self.insight_scores();
                let judged = || scores.iter().flatten();
                [
                    judged().filter_map(|score| score.joint.ok()).collect(),
                    judged().map(|score| score.coverage).collect(),
                    judged().filter_map(|score| Some(score.citation.ok()?.f1)).collect(),
                ]
            }
        };
        Contribution { origin: self.origin.clone(), tallies: tallies.to_vec() }
    }
}

impl ResponseJudged {
    /// What it adds to KPR.
    pub fn contribution(&self) -> Contribution {
        let recall = self.said().percent(Undefined::NothingJudged);
        Contribution { origin: self.origin.clone(), tallies: vec![Tally::one(recall.ok())] }
    }
}

impl KeyPointJudged {
    /// What it adds to retention.
    pub fn contribution(&self) -> Contribution {
        let retained = self.verdict.map(|verdict| percent(verdict == Verdict::Agree));
        Contribution { origin: self.origin.clone(), tallies: vec![Tally::one(retained)] }
    }
}

impl ItemJudged {
    /// What it adds to the share of useful summaries.
    pub fn usefulness_contribution(&self) -> Contribution {
        let useful = says_useful(&self.answers).map(percent);
        Contribution { origin: self.origin.clone(), tallies: vec![Tally::one(useful)] }
    }

    /// What it adds to the shares of citations that are borne out fully, and at least partially.
    pub fn attribution_contribution(&self, support: Option<Support>) -> Contribution {
        let tallies = [Support::Full, Support::Partial]
            .map(|least| Tally::one(support.map(|support| percent(support >= least))));
        Contribution { origin: self.origin.clone(), tallies: tallies.to_vec() }
    }
}

impl TextJudged {
    /// What it adds to question recall and precision.
    pub fn contribution(&self) -> Contribution {
        let recall: Mean =
            self.questions.iter().filter_map(|question| question.answerable).map(percent).collect();
        let precision: Mean = self.questions.iter().filter_map(|question| question.f1).collect();
        let recall = recall.or(Undefined::NothingJudged);
        let precision = precision.or(Undefined::NoAnswers);
        let tallies = [recall, precision].map(|measure| Tally::one(measure.ok()));
        Contribution { origin: self.origin.clone(), tallies: tallies.to_vec() }
    }
}
