//! The measures by which systems are ranked: the headlines of their protocols' tables.

use crate::agreement::NumberRange;
use crate::protocol::{Better, Protocol, Question, QuestionKind};
use crate::score::{
    Counted, CoverageQuestions, ItemJudged, Score, TagCounts, Thing, question_labels, score_range,
};

/// A measure by which systems are ranked.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedMeasure {
    /// The name in JSON, such as `joint`.
    pub name: String,
    /// The heading as shown, such as `KPR`.
    pub heading: String,
    /// The range of the measure: 0–100, or the scores of choices.
    pub range: NumberRange,
    /// Whether the measure is a percentage.
    pub is_percent: bool,
    /// Which scores are the best.
    pub better: Better,
}

impl RankedMeasure {
    fn percent(name: &str, heading: &str) -> RankedMeasure {
        RankedMeasure {
            name: name.to_owned(),
            heading: heading.to_owned(),
            range: NumberRange::PERCENT,
            is_percent: true,
            better: Better::High,
        }
    }
}

/// The measures by which systems are ranked under a protocol, the headline first; empty where no question has labels or
/// tags.
pub fn ranked_measures(protocol: &Protocol) -> Vec<RankedMeasure> {
    let measure = RankedMeasure::percent;
    match CoverageQuestions::of(protocol) {
        Some(_) => {
            vec![measure("joint", "joint"), measure("coverage", "coverage"), measure("citation", "citation")]
        }
        None => protocol.questions.iter().flat_map(label_measures).collect(),
    }
}

/// The mean score of a question whose choices have scores, else the share of each choice or tag; for two choices only that
/// of the first, since the second is the rest.
fn label_measures(question: &Question) -> Vec<RankedMeasure> {
    let key = &question.key;
    let share = |value: &str, label: &str| {
        let (name, heading) = (format!("{key}_{value}"), format!("{key}: {label}"));
        RankedMeasure { better: Better::Unsaid, ..RankedMeasure::percent(&name, &heading) }
    };
    if let Some(range) = score_range(question) {
        let (name, heading) = (format!("{key}_mean_score"), format!("{key}: mean score"));
        let mean = RankedMeasure::percent(&name, &heading);
        return vec![RankedMeasure { range, is_percent: false, better: Better::Unsaid, ..mean }];
    }
    shared(question).iter().map(|choice| share(&choice.value, &choice.label)).collect()
}

/// The choices or tags whose shares are measures.
fn shared(question: &Question) -> &[crate::protocol::Choice] {
    match (&question.kind, question.offered()) {
        (QuestionKind::Choice { .. }, [first, _]) => std::slice::from_ref(first),
        (_, offered) => offered,
    }
}

/// The scores of items by each of [`ranked_measures`], for protocols other than coverage, with the items that answer the question.
pub fn ranked_labels(protocol: &Protocol, items: &[Thing<'_, ItemJudged>]) -> Vec<(Counted, Score)> {
    let of_question = |question: &Question| {
        let (counted, scores) = match &question.kind {
            QuestionKind::Tags { tags } => {
                let counts = TagCounts::of(question, items);
                let shares = counts.tags.into_iter().take(tags.len()).map(|tag| tag.share);
                (counts.judged, shares.collect())
            }
            _ => {
                let labels = question_labels(question, items, ItemJudged::said);
                let shares = labels.labels.into_iter().take(shared(question).len()).map(|label| label.share);
                let has_mean = score_range(question).is_some();
                (labels.answered, if has_mean { vec![labels.mean_score] } else { shares.collect() })
            }
        };
        scores.into_iter().map(|score| (counted, score)).collect::<Vec<_>>()
    };
    protocol.questions.iter().flat_map(of_question).collect()
}
