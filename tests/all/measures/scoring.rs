//! The scores of whole summaries against published and hand-made cases (SummHay, figures 2 and 4).

use std::collections::{BTreeMap, BTreeSet};

use haymark::score::{
    AskedInsight, InsightJudged, InsightSaid, InsightScore, Measure, Origin, SummaryJudged, Undefined,
};
use haymark::text::citation::cited;
use serde::Deserialize;

use crate::harness::shared_text;

#[derive(Deserialize)]
struct Oracle {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    insights: Vec<Insight>,
    bullets: Vec<String>,
    labels: Vec<Label>,
    expected: Expected,
    published: Option<Published>,
    /// Absent where the printed numbers come out anyway.
    #[serde(default = "yes")]
    published_reproduced: bool,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
struct Insight {
    id: String,
    reference_docs: BTreeSet<u32>,
}

#[derive(Deserialize)]
struct Label {
    insight: String,
    coverage: String,
    bullet: Option<u32>,
}

/// On 0–1.
#[derive(Deserialize)]
struct Expected {
    per_insight: Vec<ExpectedInsight>,
    coverage: f64,
    citation: Option<f64>,
    joint: f64,
    coverage_percent_rounded: i64,
    citation_percent_rounded: Option<i64>,
    joint_percent_rounded: i64,
}

/// On 0–1; only the coverage for an insight that is not covered.
#[derive(Deserialize)]
struct ExpectedInsight {
    insight: String,
    coverage_score: f64,
    cited_docs: Option<BTreeSet<u32>>,
    precision: Option<f64>,
    recall: Option<f64>,
    f1: Option<f64>,
}

/// In whole percent.
#[derive(Deserialize)]
struct Published {
    coverage: i64,
    citation: i64,
    joint: i64,
}

fn oracle() -> Option<Oracle> {
    let text = shared_text("oracles/summhay_scoring.json")?;
    Some(serde_json::from_str(&text).expect("the oracle has the form described beside it"))
}

fn summary(case: &Case) -> SummaryJudged {
    let labels: BTreeMap<&str, &Label> =
        case.labels.iter().map(|label| (label.insight.as_str(), label)).collect();
    let insights = case.insights.iter().map(|insight| {
        let label = labels[insight.id.as_str()];
        let coverage = match label.coverage.as_str() {
            "full" => 100.0,
            "partial" => 50.0,
            "not" => 0.0,
            other => panic!("{}: unknown label {other}", case.name),
        };
        InsightJudged {
            insight: AskedInsight {
                unit: insight.id.clone(),
                gold: Some(insight.reference_docs.clone().into()),
            },
            said: InsightSaid { coverage: Some(coverage), bullets: label.bullet.into_iter().collect() },
        }
    });
    SummaryJudged::of(Origin::default(), &case.bullets.join("\n"), insights.collect())
}

#[track_caller]
fn near(what: &str, percent: f64, expected: f64) {
    assert!((percent / 100.0 - expected).abs() <= 1e-9, "{what}: {percent} % should be {expected}");
}

fn rounded(measure: Measure) -> Option<i64> {
    measure.ok().map(|value| (value + 0.5).floor() as i64)
}

fn check_insight(case: &str, score: &InsightScore, expected: &ExpectedInsight) {
    let name = format!("{case}, {}", expected.insight);
    near(&name, score.parts.coverage, expected.coverage_score);
    let covered = (&expected.cited_docs, expected.precision, expected.recall, expected.f1);
    let (Some(cited_docs), Some(precision), Some(recall), Some(f1)) = covered else {
        assert!(score.parts.coverage <= 0.0, "{name}");
        assert_eq!(score.parts.citation, Err(Undefined::NothingCovered), "{name}");
        assert_eq!(score.parts.joint, Ok(0.0), "{name}");
        return;
    };
    assert_eq!(&score.cited, cited_docs, "{name}");
    let citation = score.parts.citation.unwrap_or_else(|reason| panic!("{name}: {reason}"));
    near(&name, citation.precision, precision);
    near(&name, citation.recall, recall);
    near(&name, citation.f1, f1);
    near(&name, score.parts.joint.expect("covered and linked"), expected.coverage_score * f1);
}

#[test]
fn every_case_comes_out() {
    let Some(oracle) = oracle() else { return };
    assert!(!oracle.cases.is_empty());
    for case in &oracle.cases {
        let (name, expected) = (case.name.as_str(), &case.expected);
        let summary = summary(case);
        let score = |(asked, said): (&AskedInsight, &InsightSaid)| {
            said.score(asked.gold.as_deref(), &summary.text.bullets)
        };
        let each: Vec<Option<InsightScore>> = summary.judged().map(score).collect();
        assert_eq!(each.len(), expected.per_insight.len(), "{name}");
        for (score, expected) in each.iter().zip(&expected.per_insight) {
            check_insight(name, score.as_ref().expect("all are judged"), expected);
        }
        let scores = summary.scores();
        near(name, scores.coverage.expect("judged"), expected.coverage);
        near(name, scores.joint.expect("judged"), expected.joint);
        match expected.citation {
            Some(citation) => near(name, scores.citation.expect("covered"), citation),
            None => assert_eq!(scores.citation, Err(Undefined::NothingCovered), "{name}"),
        }
        let printed = (rounded(scores.coverage), rounded(scores.citation), rounded(scores.joint));
        assert_eq!(
            printed,
            (
                Some(expected.coverage_percent_rounded),
                expected.citation_percent_rounded,
                Some(expected.joint_percent_rounded)
            ),
            "{name}"
        );
        if let Some(published) = case.published.as_ref().filter(|_| case.published_reproduced) {
            let published = (Some(published.coverage), Some(published.citation), Some(published.joint));
            assert_eq!(printed, published, "{name}");
        }
    }
}

#[test]
fn each_line_of_a_case_is_a_bullet() {
    let Some(oracle) = oracle() else { return };
    for case in &oracle.cases {
        let expected: Vec<BTreeSet<u32>> = case.bullets.iter().map(|bullet| cited(bullet)).collect();
        assert_eq!(summary(case).text.bullets.to_vec(), expected, "{}", case.name);
    }
}
