//! The tables that show scores.

use serde_json::{Value, json};

use super::table::{Cell, Column, Table};
use crate::protocol::Question;
use crate::score::{
    Average, By, Group, KeyPointRow, LabelRow, Measure, PositionSensitivity, RecallRow, ScoreRow, Unfinished,
};

/// How many open summaries a note names; JSON names all.
const NAMED: usize = 3;

/// Coverage, citation, joint by group, as in Laban et al. 2024, Table 2. `open` are the summaries with insights that
/// are not judged; `all` pools everything.
pub fn score_table(
    rows: &[ScoreRow],
    all: Option<&ScoreRow>,
    by: &[By],
    average: Average,
    open: &[Unfinished<'_>],
) -> Table {
    let mut columns = group_columns(by);
    columns.extend([
        Column::count("summaries", "n"),
        Column::count("judged", "insights"),
        Column::count("units", "to judge").detail(),
        Column::count("covered", "covered").detail(),
        Column::count("unlinked", "unlinked").detail(),
        Column::count("without_gold", "without gold").detail(),
        Column::percent("coverage", "coverage"),
        Column::percent("citation", "citation"),
        Column::percent("joint", "joint"),
        Column::percent("precision", "P"),
        Column::percent("recall", "R"),
        Column::number("words_per_bullet", "words per bullet", 1),
    ]);
    let mut table = Table::new(titled("Scores", by), columns)
        .fact("by", names(by))
        .fact("average", average.name())
        .fact("unfinished", open.iter().map(unfinished_json).collect::<Vec<Value>>());
    let cells = |row: &ScoreRow| {
        let counts = row.scores.counts.named().map(|(_, count)| Cell::Count(count));
        let measures = row.scores.measures().map(|(_, measure)| Cell::number(measure));
        counts.into_iter().chain(measures).collect::<Vec<Cell>>()
    };
    for row in rows {
        table.rows.push(group_cells(&row.group).chain(cells(row)).collect());
    }
    if let Some(all) = all {
        table.total = total_cells(by).chain(cells(all)).collect();
    }
    if average == Average::Summary {
        table.notes.push("Means of the summaries' scores.".to_owned());
    }
    table.notes.extend(left_out(rows));
    table.notes.extend(open_note(open));
    table
}

/// What was judged but could not be scored.
fn left_out(rows: &[ScoreRow]) -> Vec<String> {
    let unlinked: usize = rows.iter().map(|row| row.scores.counts.unlinked).sum();
    let without_gold: usize = rows.iter().map(|row| row.scores.counts.without_gold).sum();
    let mut notes = Vec::new();
    if unlinked > 0 {
        notes.push(format!(
            "Covered insights that are linked to no bullet, left out of citation and joint: {unlinked}."
        ));
    }
    if without_gold > 0 {
        notes.push(format!(
            "Insights whose documents are not known, left out of citation and joint: {without_gold}."
        ));
    }
    notes
}

/// What is not judged: how much, and the first of it by name.
fn open_note(open: &[Unfinished<'_>]) -> Option<String> {
    let units: usize = open.iter().map(|summary| summary.units.len()).sum();
    let named = open.iter().take(NAMED).map(|summary| {
        let candidate = summary.origin.candidate.as_deref().unwrap_or("a summary");
        format!("{candidate} by {}: {}", summary.origin.annotator, summary.units.join(", "))
    });
    let mut listed = named.collect::<Vec<String>>().join("; ");
    if open.len() > NAMED {
        listed += &format!("; and {} more", open.len() - NAMED);
    }
    (units > 0).then(|| format!("Insights not judged yet, and not in the scores: {units} ({listed})."))
}

fn unfinished_json(open: &Unfinished<'_>) -> Value {
    json!({
        "collection": open.origin.collection,
        "query": open.origin.query,
        "candidate": open.origin.candidate,
        "annotator": open.origin.annotator,
        "units": open.units,
        "of": open.of,
    })
}

/// Joint score by document order, and position sensitivity, as in Laban et al. 2024, Table 3.
pub fn position_table(rows: &[PositionSensitivity]) -> Table {
    let columns = vec![
        Column::text("system", "system"),
        Column::percent("top", "top"),
        Column::percent("bottom", "bottom"),
        Column::percent("random", "random"),
        Column::number("sensitivity", "sensitivity", 1),
    ];
    let mut table = Table::new("Joint score by order of documents", columns);
    for row in rows {
        let measures = [row.top, row.bottom, row.random, row.sensitivity].map(Cell::number);
        table.rows.push([Cell::from(row.system.as_str())].into_iter().chain(measures).collect());
    }
    table
}

/// Retention of key points by group.
pub fn keypoint_table(rows: &[KeyPointRow], all: Option<&KeyPointRow>, by: &[By]) -> Table {
    let mut columns = group_columns(by);
    columns.extend([
        Column::count("points", "points"),
        Column::count("judged", "judged"),
        Column::count("retained", "retained"),
        Column::percent("retention", "retention"),
        Column::percent("grounded", "grounded"),
        Column::percent("agree", "agree"),
        Column::percent("neutral", "neutral"),
        Column::percent("disagree", "disagree"),
    ]);
    let mut table = Table::new(titled("Retention of key points", by), columns).fact("by", names(by));
    let cells = |row: &KeyPointRow| {
        let retention = &row.retention;
        let counts = [retention.points, retention.judged(), retention.agree].map(Cell::Count);
        let measures = retention.measures().map(|(_, measure)| Cell::number(measure));
        counts.into_iter().chain(measures).collect::<Vec<Cell>>()
    };
    for row in rows {
        table.rows.push(group_cells(&row.group).chain(cells(row)).collect());
    }
    if let Some(all) = all {
        table.total = total_cells(by).chain(cells(all)).collect();
    }
    table.notes.push("agree, neutral and disagree are shares of the grounded key points.".to_owned());
    table
}

/// Key point recall by group, and how points that are not said fail, as in Qi et al. 2024, Table 1 and Fig. 8.
pub fn recall_score_table(rows: &[RecallRow], all: Option<&RecallRow>, by: &[By]) -> Table {
    let mut columns = group_columns(by);
    columns.extend([
        Column::count("responses", "responses"),
        Column::count("judged", "key points"),
        Column::count("points", "to judge").detail(),
        Column::count("entailed", "said"),
        Column::percent("recall", "KPR"),
    ]);
    let failures = all.or(rows.first()).map_or(&[][..], |row| &row.recall.failures);
    for (value, _) in failures {
        columns.push(Column::count(format!("count_{value}"), value.as_str()).detail());
        columns.push(Column::percent(format!("share_{value}"), value.as_str()));
    }
    let cells = |row: &RecallRow| {
        let recall = &row.recall;
        let counts = [recall.responses, recall.judged, recall.points, recall.entailed].map(Cell::Count);
        let mut cells: Vec<Cell> = counts.into_iter().chain([Cell::number(recall.recall)]).collect();
        for ((_, count), share) in recall.failures.iter().zip(recall.failure_shares()) {
            cells.extend([Cell::Count(*count), Cell::number(share)]);
        }
        cells
    };
    let mut table = Table::new(titled("Key point recall", by), columns).fact("by", names(by));
    table.rows.extend(rows.iter().map(|row| group_cells(&row.group).chain(cells(row)).collect()));
    if let Some(all) = all {
        table.total = total_cells(by).chain(cells(all)).collect();
        let open = all.recall.points - all.recall.judged;
        if open > 0 {
            table.notes.push(format!("Key points not judged yet, and not in the scores: {open}."));
        }
    }
    table
        .notes
        .push("KPR is the mean over responses; the kinds are shares of the points not said.".to_owned());
    table
}

/// The share of summaries that are both faithful and comprehensive, by group.
pub fn usefulness_table(rows: &[(Group, (Measure, usize))], by: &[By]) -> Table {
    let mut columns = group_columns(by);
    columns.extend([Column::count("judged", "judged"), Column::percent("useful", "useful")]);
    let mut table = Table::new(titled("Faithful and comprehensive", by), columns).fact("by", names(by));
    for (group, (share, judged)) in rows {
        let cells = [Cell::Count(*judged), Cell::number(*share)];
        table.rows.push(group_cells(group).chain(cells).collect());
    }
    table
}

/// The share of each label of one question by group.
pub fn label_table(question: &Question, rows: &[LabelRow], by: &[By]) -> Table {
    let choices = question.choices();
    let is_scored = choices.iter().all(|choice| choice.score.is_some());
    let mut columns = group_columns(by);
    columns.push(Column::count("answered", "answered"));
    for choice in choices {
        columns.push(Column::count(format!("count_{}", choice.value), choice.label.as_str()).detail());
        columns.push(Column::percent(format!("share_{}", choice.value), choice.label.as_str()));
    }
    let mean = Column::number("mean_score", "mean score", 1);
    columns.push(if is_scored { mean } else { mean.detail() });
    let title = format!("{} ({})", titled("Labels", by), question.key);
    let mut table = Table::new(title, columns).fact("question", question.key.as_str()).fact("by", names(by));
    for LabelRow { group, labels } in rows {
        let mut row: Vec<Cell> = group_cells(group).collect();
        row.push(Cell::Count(labels.answered));
        for (label, (_, share)) in labels.labels.iter().zip(labels.shares()) {
            row.extend([Cell::Count(label.count), Cell::number(share)]);
        }
        row.push(Cell::number(labels.mean_score));
        table.rows.push(row);
    }
    table
}

fn names(by: &[By]) -> Vec<&'static str> {
    by.iter().map(|by| by.name()).collect()
}

/// `Scores by retriever and summarizer`.
fn titled(what: &str, by: &[By]) -> String {
    match by {
        [] => what.to_owned(),
        by => format!("{what} by {}", names(by).join(" and ")),
    }
}

fn group_columns(by: &[By]) -> Vec<Column> {
    by.iter().map(|by| Column::text(by.name(), by.name())).collect()
}

/// The group columns of a row over all groups.
fn total_cells(by: &[By]) -> impl Iterator<Item = Cell> {
    by.iter().enumerate().map(|(index, _)| if index == 0 { "all".into() } else { "".into() })
}

fn group_cells(group: &Group) -> impl Iterator<Item = Cell> {
    group.iter().cloned().map(Cell::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::table::{OutputFormat, render};
    use crate::protocol::{Answer, builtin};
    use crate::score::{
        InsightJudged, ItemJudged, KeyPointJudged, Origin, SummaryJudged, System, Verdict,
        keypoint_table as keypoints, label_tables, position_sensitivity, system_table, unfinished,
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
            unit: unit.into(),
            coverage,
            bullets: bullets.to_vec(),
            gold: Some(gold.iter().copied().collect()),
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
        let rows = system_table(&summaries, &[By::System], Average::Insight);
        let open = unfinished(&summaries);
        let table = score_table(&rows, None, &[By::System], Average::Insight, &open);
        // oracle: coverage (100 + 50) / 2; breaks has P 1, R 1/2, F1 2/3; sleep is not linked.
        assert_eq!(
            drawn(&table),
            [
                "Scores by system",
                "",
                "                                                                     words",
                "                            coverage  citation  joint                  per",
                "system         n  insights         %         %      %    P %   R %  bullet",
                "──────────────────────────────────────────────────────────────────────────",
                "oracle gpt-4o  1         2      75.0      66.7   66.7  100.0  50.0     5.0",
                "vector gpt-4o  1         1       0.0        –¹    0.0     –¹    –¹     2.5",
                "",
                "¹ No insight is covered, so there are no citations to look at. (nothing_covered)",
                "Covered insights that are linked to no bullet, left out of citation and joint:",
                "1.",
                "Insights not judged yet, and not in the scores: 1 (stress-1 by alice: walks).",
            ]
        );
        let json = render(&[table], OutputFormat::Json, 80).expect("it is written");
        let value: Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(value["by"], json!(["system"]));
        assert_eq!(value["unfinished"][0]["units"], json!(["walks"]));
        assert_eq!(value["rows"][0]["units"], 3);
        assert_eq!(value["rows"][1]["citation_undefined"], "nothing_covered");
    }

    #[test]
    fn many_open_summaries_are_counted() {
        let origin = origin("stress", "oracle");
        let open = vec![Unfinished { origin: &origin, units: vec!["a", "b"], of: 2 }; 5];
        let table = score_table(&[], None, &[], Average::Summary, &open);
        assert_eq!(table.title, "Scores");
        let listed = ["stress-1 by alice: a, b"; 3].join("; ");
        assert_eq!(
            table.notes,
            [
                "Means of the summaries' scores.".to_owned(),
                format!("Insights not judged yet, and not in the scores: 10 ({listed}; and 2 more)."),
            ]
        );
    }

    #[test]
    fn orders_have_a_table() {
        let summaries = summaries();
        let table = position_table(&position_sensitivity(&summaries, Average::Insight));
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
    fn key_points_have_a_table() {
        let judged = |query: &str, verdict| KeyPointJudged { origin: origin(query, "oracle"), verdict };
        let points = [
            judged("stress", Some(Verdict::Agree)),
            judged("stress", Some(Verdict::Neutral)),
            judged("stress", Some(Verdict::NotGrounded)),
            judged("stress", None),
        ];
        let table = keypoint_table(&keypoints(&points, &[By::Query]), None, &[By::Query]);
        assert_eq!(
            drawn(&table)[2..],
            [
                "                                  retention  grounded  agree  neutral  disagree",
                "query   points  judged  retained          %         %      %        %         %",
                "───────────────────────────────────────────────────────────────────────────────",
                "stress       4       3         1       33.3      66.7   50.0     50.0       0.0",
                "",
                "agree, neutral and disagree are shares of the grounded key points.",
            ]
        );
    }

    #[test]
    fn labels_have_a_table_for_each_question() {
        let protocol = builtin("coverage").expect("built in");
        let item = |value: &str| ItemJudged {
            origin: origin("stress", "oracle"),
            answers: [("coverage".to_owned(), Answer::Text(value.to_owned()))].into(),
        };
        let items = [item("none"), item("full"), item("full"), item("partial")];
        let tables = label_tables(protocol, &items, &[]);
        let question = protocol.main_question().expect("a choice");
        let table = label_table(question, &tables[0], &[]);
        assert_eq!(
            drawn(&table),
            [
                "Labels (coverage)",
                "",
                "           not  partial  full   mean",
                "answered     %        %     %  score",
                "────────────────────────────────────",
                "       4  25.0     25.0  50.0   62.5",
            ]
        );
        let csv = render(&[table], OutputFormat::Csv, 80).expect("it is written");
        assert_eq!(
            csv,
            "answered,count_none,share_none,count_partial,share_partial,count_full,share_full,mean_score\n\
             4,1,25,1,25,2,50,62.5\n"
        );
    }
}
