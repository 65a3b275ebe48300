//! The tables of `--human`.

use std::sync::Arc;

use super::super::NOBODY_JUDGED;
use super::super::coverage::score_table;
use super::read::{Baseline, WrittenScored};
use crate::agreement::{Estimate, NumberRange};
use crate::report::{Column, Table, TableFinding};
use crate::score::{
    Average, ClusterKind, CurvePoint, SnapshotMeasure, Tally, Uncertainty, Undefined, human_baseline,
    over_sessions,
};
use crate::text::bullets::SummaryLength;

/// The scores of people in Laban et al. 2024: Table 2, and precision and recall of Table 5.
const PUBLISHED: [(SnapshotMeasure, f64); 5] = [
    (SnapshotMeasure::Coverage, 74.5),
    (SnapshotMeasure::Precision, 78.8),
    (SnapshotMeasure::Recall, 82.4),
    (SnapshotMeasure::Citation, 73.9),
    (SnapshotMeasure::Joint, 56.1),
];
const PUBLISHED_WORDS: f64 = 29.7;

/// The tables of the curves, of the sessions, of the baseline beside the systems, and of the baseline alone.
pub fn all(baseline: &Baseline, curve: &Arc<[CurvePoint]>) -> Vec<Table> {
    let mut first = curve_table(
        "Coverage and joint score by active minute",
        curve,
        &[SnapshotMeasure::Coverage, SnapshotMeasure::Joint],
    )
    .fact("unjudged", baseline.unjudged.clone())
    .note("Means over sessions; one that ended earlier holds its last value.");
    let of_sessions = match baseline.uncertainty.cluster {
        Some(ClusterKind::Summary) => Uncertainty { cluster: None, ..baseline.uncertainty },
        _ => baseline.uncertainty,
    };
    first.notes.extend(baseline.notes.iter().cloned());
    let citations = curve_table(
        "Citation by active minute",
        curve,
        &[SnapshotMeasure::Precision, SnapshotMeasure::Recall, SnapshotMeasure::Citation],
    );
    let mut beside = score_table(&baseline.rows, Average::Insight, (&[], NOBODY_JUDGED), true);
    beside.title = "Human baseline beside the systems".to_owned();
    beside.notes.push("human: the last snapshots of all sessions.".to_owned());
    Table::note_intervals(std::slice::from_mut(&mut beside), baseline.uncertainty.note(ClusterKind::Query));
    let mut tables = vec![first, citations, session_table(&baseline.sessions), baseline_table(baseline)];
    Table::note_intervals(&mut tables, of_sessions.note(ClusterKind::Session));
    tables.insert(3, beside);
    tables
}

/// The heading of a measure.
pub fn heading(measure: SnapshotMeasure) -> &'static str {
    match measure {
        SnapshotMeasure::Coverage => "coverage",
        SnapshotMeasure::Precision => "P",
        SnapshotMeasure::Recall => "R",
        SnapshotMeasure::Citation => "F1",
        SnapshotMeasure::Joint => "joint",
    }
}

fn curve_table(title: &str, curve: &Arc<[CurvePoint]>, measures: &'static [SnapshotMeasure]) -> Table {
    let mut columns = vec![Column::new("minute", "minute", |point: &CurvePoint| u64::from(point.minute))];
    for measure in measures {
        let name = measure.name();
        let at = SnapshotMeasure::ALL.iter().position(|one| one == measure).unwrap_or(0);
        columns
            .push(Column::new(format!("sessions_{name}"), "n", move |point: &CurvePoint| point.values[at].0));
        let estimate = move |point: &CurvePoint| point.values[at].1;
        columns.push(Column::new(name, heading(*measure), estimate).percent());
    }
    Table::of(title, columns, curve.iter()).finding(TableFinding::Curve(measures, Arc::clone(curve)))
}

fn session_table(sessions: &[WrittenScored]) -> Table {
    let score = |measure| {
        move |session: &WrittenScored| {
            session.snapshots.last().map_or(Err(Undefined::NothingJudged), |snapshot| snapshot.score(measure))
        }
    };
    let words = |session: &WrittenScored| {
        let SummaryLength { words, bullets, .. } = session.written.length();
        if bullets == 0 { Err(Undefined::NoBullets) } else { Ok(words as f64 / bullets as f64) }
    };
    let has_collections = sessions
        .iter()
        .any(|row| Some(&row.written.collection) != sessions.first().map(|first| &first.written.collection));
    let columns: [Column<'_, WrittenScored>; 15] = [
        Column::new("session", "session", |row: &WrittenScored| row.written.name.clone()).detail(),
        Column::new("annotator", "who", |row: &WrittenScored| row.written.annotator.clone()),
        Column::new("collection", "collection", |row: &WrittenScored| row.written.collection.clone())
            .shown_if(has_collections),
        Column::new("query", "query", |row: &WrittenScored| row.written.query.clone()),
        Column::new("minutes", "minutes", |row: &WrittenScored| row.written.minutes()),
        Column::new("over_time", "over time", |row: &WrittenScored| row.written.over_time()).detail(),
        Column::new("coverage", "coverage", score(SnapshotMeasure::Coverage)).percent(),
        Column::new("precision", "P", score(SnapshotMeasure::Precision)).percent().detail(),
        Column::new("recall", "R", score(SnapshotMeasure::Recall)).percent().detail(),
        Column::new("citation", "F1", score(SnapshotMeasure::Citation)).percent(),
        Column::new("joint", "joint", score(SnapshotMeasure::Joint)).percent(),
        Column::new("words_per_bullet", "words per bullet", words),
        Column::new("words_read_per_minute", "words read a minute", |row: &WrittenScored| {
            row.written.reading_speed()
        })
        .decimals(0),
        Column::new("documents_opened", "documents opened", |row: &WrittenScored| row.written.opened())
            .detail(),
        Column::new(
            "relevant_opened_before_citing",
            "relevant opened before citing",
            |row: &WrittenScored| row.written.opened_before_citing,
        )
        .percent(),
    ];
    Table::of("Sessions", columns, sessions)
}

/// A measure of the human baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasureRow {
    /// The score; `None` for a measure that is no score, such as minutes.
    pub measure: Option<SnapshotMeasure>,
    pub name: String,
    pub sessions: usize,
    pub estimate: Estimate,
    published: Option<f64>,
}

fn baseline_table(baseline: &Baseline) -> Table {
    let intervals = baseline.uncertainty.intervals;
    let mut rows = Vec::new();
    let scores = human_baseline(&baseline.curves(), intervals);
    for ((measure, published), (sessions, estimate)) in PUBLISHED.into_iter().zip(scores) {
        let name = match measure {
            SnapshotMeasure::Citation => "citation F1".to_owned(),
            SnapshotMeasure::Precision | SnapshotMeasure::Recall => format!("citation {}", measure.name()),
            _ => measure.name().to_owned(),
        };
        let published = Some(published);
        rows.push(MeasureRow { measure: Some(measure), name, sessions, estimate, published });
    }
    let mut add =
        |name: &str, range, reason: Undefined, published, tally: &dyn Fn(&WrittenScored) -> Tally| {
            let tallies = baseline.sessions.iter().map(|session| (session.cluster, tally(session)));
            let (sessions, estimate) = over_sessions(tallies, range, reason, intervals);
            rows.push(MeasureRow { measure: None, name: name.to_owned(), sessions, estimate, published });
        };
    add("words per bullet", NumberRange::Positive, Undefined::NoBullets, Some(PUBLISHED_WORDS), &|session| {
        let SummaryLength { words, bullets, .. } = session.written.length();
        Tally { sum: words as f64, weight: bullets as f64 }
    });
    add("active minutes", NumberRange::Positive, Undefined::NoTimes, None, &|session| {
        Tally::one(Some(session.written.minutes()))
    });
    add("words of documents read a minute", NumberRange::Positive, Undefined::NoTimes, None, &|session| {
        Tally::one(session.written.reading_speed().ok())
    });
    add(
        "relevant documents opened before citing",
        NumberRange::PERCENT,
        Undefined::NothingCited,
        None,
        &|session| Tally::one(session.written.opened_before_citing.ok()),
    );
    let columns = [
        Column::new("measure", "measure", |row: &MeasureRow| row.name.clone()),
        Column::new("sessions", "n", |row: &MeasureRow| row.sessions),
        Column::new("value", "value", |row: &MeasureRow| row.estimate),
        Column::new("published", "SummHay", |row: &MeasureRow| row.published),
    ];
    Table::of("Human baseline", columns, &rows)
        .finding(TableFinding::Baseline(rows.into()))
        .note("SummHay: Laban et al. 2024, Tables 2 and 5; scores on 0–100.")
}
