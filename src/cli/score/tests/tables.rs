//! The tables, as a terminal and a program get them.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::export::table::{OutputFormat, Table, render};
use crate::protocol::{Answer, builtin};
use crate::report::score::NOBODY_JUDGED;
use crate::report::score::coverage::{position_table, score_table};
use crate::report::score::labels::question_table;
use crate::score::{
    AskedInsight, Average, GroupBy, Grouped, InsightJudged, InsightSaid, ItemJudged, Origin, SummaryJudged,
    System, Uncertainty, Unfinished, position_sensitivity, scores_by, unfinished,
};

fn origin(query: &str, retriever: &str) -> Origin {
    let system = System {
        retriever: Some(retriever.into()),
        summarizer: Some("gpt-4o".into()),
        order: Some("top".into()),
    };
    Origin {
        query: query.into(),
        annotator: "alice".into(),
        candidate: Some(format!("{query}-1")),
        system: Some(system),
        ..Origin::default()
    }
}

fn summaries() -> [SummaryJudged; 2] {
    let insight = |unit: &str, coverage, bullets: &[u32], gold: &[u32]| InsightJudged {
        insight: AskedInsight { unit: unit.into(), gold: Some(Arc::new(gold.iter().copied().collect())) },
        said: InsightSaid { coverage, bullets: bullets.to_vec() },
    };
    let insights = vec![
        insight("breaks", Some(100.0), &[1], &[2, 3]),
        insight("sleep", Some(50.0), &[], &[4]),
        insight("walks", None, &[], &[4]),
    ];
    let nothing = vec![insight("quiet", Some(0.0), &[], &[1])];
    [
        SummaryJudged::of(origin("stress", "oracle"), "- They take breaks [2].", insights),
        SummaryJudged::of(origin("noise", "vector"), "- None.\n- At all.", nothing),
    ]
}

fn drawn(table: &Table) -> Vec<String> {
    let text = render(std::slice::from_ref(table), OutputFormat::Table, 80).expect("it is written");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn scores_fit_a_terminal_and_name_what_is_missing() {
    let summaries = summaries();
    let found = Grouped { all: None, ..scores_by(&summaries, &["system"], Average::Insight) };
    let table = score_table(&found, Average::Insight, (&unfinished(&summaries), NOBODY_JUDGED), true);
    // oracle: coverage (100 + 50) / 2; breaks has P 1, R 1/2, F1 2/3; sleep is not linked.
    assert_eq!(
        drawn(&table),
        [
            "Scores by system",
            "",
            "                                                                          words",
            "                                 coverage  citation  joint                  per",
            "system         items  judgments         %         %      %    P %   R %  bullet",
            "───────────────────────────────────────────────────────────────────────────────",
            "oracle gpt-4o      2          2      75.0      66.7   66.7  100.0  50.0     5.0",
            "vector gpt-4o      1          1       0.0        –¹    0.0     –¹    –¹     2.5",
            "",
            "¹ No insight is covered, so there are no citations to look at. (nothing_covered)",
            "No intervals: There are fewer than three clusters, too few to tell how far they",
            "vary.",
            "Judgments that call an insight covered and link it to no bullet, left out of",
            "citation and joint: 1.",
            "Insights that nobody judged yet, and not in the scores: 1 (stress stress-1:",
            "walks).",
        ]
    );
    let json = render(&[table], OutputFormat::Json, 80).expect("it is written");
    let value: Value = serde_json::from_str::<Value>(&json).expect("JSON")[0].take();
    assert_eq!(value["by"], json!(["system"]));
    assert_eq!(value["unfinished"][0]["units"], json!(["walks"]));
    assert_eq!(value["rows"][0]["units"], 3);
    assert_eq!(value["rows"][1]["citation_undefined"], "nothing_covered");
}

#[test]
fn where_no_documents_are_known_there_are_no_columns_of_dashes() {
    let mut summaries = summaries();
    for summary in &mut summaries {
        let unknown = |insight: &AskedInsight| AskedInsight { gold: None, ..insight.clone() };
        summary.insights = summary.insights.iter().map(unknown).collect();
    }
    let table = score_table(
        &scores_by(&summaries, &["system"], Average::Insight),
        Average::Insight,
        (&[], NOBODY_JUDGED),
        true,
    );
    assert_eq!(
        drawn(&table)[2..],
        [
            "                                            words",
            "                                 coverage     per",
            "system         items  judgments         %  bullet",
            "─────────────────────────────────────────────────",
            "oracle gpt-4o      2          2      75.0     5.0",
            "vector gpt-4o      1          1       0.0     2.5",
            "all                3          3      50.0     3.3",
            "",
            "No intervals: There are fewer than three clusters, too few to tell how far they",
            "vary.",
            "Which documents contain the insights is not known, so there are no citation",
            "scores.",
        ]
    );
}

#[test]
fn many_open_summaries_are_counted() {
    let origin = origin("stress", "oracle");
    let open = vec![Unfinished { origin: &origin, units: vec!["a", "b"], of: 2 }; 5];
    let table =
        score_table(&scores_by(&[], &[], Average::Summary), Average::Summary, (&open, NOBODY_JUDGED), true);
    assert_eq!(table.title, "Scores");
    let listed = ["stress stress-1: a, b"; 3].join("; ");
    assert_eq!(
        table.notes,
        [
            "Means of the summaries' scores.".to_owned(),
            format!("Insights that nobody judged yet, and not in the scores: 10 ({listed}; and 2 more)."),
        ]
    );
}

#[test]
fn orders_have_a_table() {
    let summaries = summaries();
    let positions = position_sensitivity(&summaries, Average::Insight, Uncertainty::default());
    let table = position_table(positions);
    assert_eq!(
        drawn(&table)[2..6],
        [
            "                top  bottom  random",
            "system            %       %       %  sensitivity",
            "────────────────────────────────────────────────",
            "oracle gpt-4o  66.7      –¹      –¹           –¹",
        ]
    );
}

#[test]
fn labels_have_a_table_for_each_question() {
    let protocol = builtin("coverage").expect("built in");
    let item = |(at, value): (usize, &str)| ItemJudged {
        origin: Origin { candidate: Some(at.to_string()), ..origin("stress", "oracle") },
        answers: [("coverage".to_owned(), Answer::Text(value.to_owned()))].into(),
        under: None,
    };
    let items = [(0, "none"), (1, "full"), (2, "full"), (3, "none"), (3, "full")].map(item);
    let question = protocol.main_question().expect("a choice");
    let table = question_table(question, &items, GroupBy::own(&[], Uncertainty::default())).expect("a table");
    assert_eq!(
        drawn(&table),
        [
            "Labels (coverage)",
            "",
            "                  none  partial  full   mean",
            "items  judgments     %        %     %  score",
            "────────────────────────────────────────────",
            "    4          5  37.5      0.0  62.5   62.5",
            "",
            "No intervals: There are fewer than three clusters, too few to tell how far they",
            "vary.",
        ]
    );
    let csv = render(&[table], OutputFormat::Csv, 80).expect("it is written");
    assert_eq!(
        csv,
        "items,judgments,judgments_none,share_none,share_none_low,share_none_high,share_none_interval,share_none_clusters,\
         judgments_partial,share_partial,share_partial_low,share_partial_high,share_partial_interval,share_partial_clusters,\
         judgments_full,share_full,share_full_low,share_full_high,share_full_interval,share_full_clusters,\
         mean_score,mean_score_low,mean_score_high,mean_score_interval,mean_score_clusters\n\
         4,5,2,37.5,,,,,0,0,,,,,3,62.5,,,,,62.5,,,,\n"
    );
}
