//! The tables of `--human`.

use super::super::coverage::score_table;
use super::read::{BESIDE, Baseline, Scored};
use crate::agreement::Bootstrap;
use crate::cli::table::{Cell, Column, Table};
use crate::score::{
    Average, CurvePoint, Estimate, Measure, SnapshotMeasure, Tally, Undefined, human_baseline,
};

/// What Laban et al. 2024 report for people: Table 2, of Table 5 precision and recall, and words per bullet.
const PUBLISHED: [(SnapshotMeasure, f64); 5] = [
    (SnapshotMeasure::Coverage, 74.5),
    (SnapshotMeasure::Precision, 78.8),
    (SnapshotMeasure::Recall, 82.4),
    (SnapshotMeasure::Citation, 73.9),
    (SnapshotMeasure::Joint, 56.1),
];
const PUBLISHED_WORDS: f64 = 29.7;

/// The curves, the sessions, the baseline beside the systems, and the baseline by itself.
pub fn all(baseline: &Baseline, curve: &[CurvePoint], bootstrap: Bootstrap) -> Vec<Table> {
    let mut first = curve_table(
        "Coverage and joint score by active minute",
        curve,
        &[SnapshotMeasure::Coverage, SnapshotMeasure::Joint],
    )
    .fact("resamples", bootstrap.resamples)
    .fact("seed", bootstrap.seed)
    .fact("unjudged", baseline.unjudged.clone());
    first.notes.push("Means over sessions; one that ended earlier holds its last value.".to_owned());
    if bootstrap.resamples > 0 {
        first.notes.push("from and to are the ends of 95 % intervals (sessions drawn again).".to_owned());
    }
    first.notes.extend(baseline.notes.iter().cloned());
    let citations = curve_table(
        "Citation by active minute",
        curve,
        &[SnapshotMeasure::Precision, SnapshotMeasure::Recall, SnapshotMeasure::Citation],
    );
    let mut beside = score_table(&baseline.rows, None, &BESIDE, Average::Insight, &[]);
    beside.title = "Human baseline beside the systems".to_owned();
    beside.notes.push("human: the last snapshots of all sessions.".to_owned());
    vec![first, citations, session_table(&baseline.sessions), beside, baseline_table(baseline, bootstrap)]
}

fn heading(measure: SnapshotMeasure) -> &'static str {
    match measure {
        SnapshotMeasure::Coverage => "coverage",
        SnapshotMeasure::Precision => "P",
        SnapshotMeasure::Recall => "R",
        SnapshotMeasure::Citation => "F1",
        SnapshotMeasure::Joint => "joint",
    }
}

fn curve_table(title: &str, curve: &[CurvePoint], measures: &[SnapshotMeasure]) -> Table {
    let mut columns = vec![Column::count("minute", "minute")];
    for measure in measures {
        let name = measure.name();
        columns.push(Column::count(format!("sessions_{name}"), "n"));
        columns.push(Column::percent(name, heading(*measure)));
        columns.push(Column::number(format!("{name}_low"), "from", 1));
        columns.push(Column::number(format!("{name}_high"), "to", 1));
    }
    let mut table = Table::new(title, columns);
    for point in curve {
        let mut row = vec![Cell::Count(usize::try_from(point.minute).unwrap_or(usize::MAX))];
        let all = SnapshotMeasure::ALL.iter().zip(&point.values);
        for measure in measures {
            let found = all.clone().find(|(one, _)| *one == measure);
            row.extend(found.into_iter().flat_map(|(_, estimate)| cells(estimate)));
        }
        table.rows.push(row);
    }
    table
}

/// Sessions, value and the ends of the interval.
fn cells(estimate: &Estimate) -> Vec<Cell> {
    let [low, high] = ends(estimate);
    vec![Cell::Count(estimate.sessions), Cell::number(estimate.value), low, high]
}

fn ends(estimate: &Estimate) -> [Cell; 2] {
    match estimate.interval {
        // The value says why there is none.
        _ if estimate.value.is_err() => [Cell::Empty, Cell::Empty],
        None => [Cell::Empty, Cell::Empty],
        Some(Ok(interval)) => [Cell::Number(interval.low), Cell::Number(interval.high)],
        Some(Err(reason)) => [Cell::Undefined(reason.into()), Cell::Undefined(reason.into())],
    }
}

fn words_per_bullet(words: usize, bullets: usize) -> Measure {
    match bullets {
        0 => Err(Undefined::NoBullets),
        bullets => Ok(words as f64 / bullets as f64),
    }
}

fn session_table(sessions: &[Scored]) -> Table {
    let columns = vec![
        Column::text("session", "session").detail(),
        Column::text("annotator", "who"),
        Column::text("collection", "collection").detail(),
        Column::text("query", "query"),
        Column::number("minutes", "minutes", 1),
        Column::number("over_time", "over time", 1).detail(),
        Column::percent("coverage", "coverage"),
        Column::percent("precision", "P").detail(),
        Column::percent("recall", "R").detail(),
        Column::percent("citation", "F1"),
        Column::percent("joint", "joint"),
        Column::number("words_per_bullet", "words per bullet", 1),
        Column::number("words_read_per_minute", "words read a minute", 0),
        Column::count("documents_opened", "documents opened").detail(),
        Column::percent("relevant_opened_before_citing", "relevant opened before citing"),
    ];
    let mut table = Table::new("Sessions", columns);
    for Scored { written, snapshots, .. } in sessions {
        let last = snapshots.last();
        let score = |measure| {
            Cell::number(last.map_or(Err(Undefined::NothingJudged), |snapshot| snapshot.score(measure)))
        };
        let (words, bullets) = written.size();
        table.rows.push(vec![
            written.name.as_str().into(),
            written.annotator.as_str().into(),
            written.collection.as_str().into(),
            written.query.as_str().into(),
            Cell::Number(written.minutes()),
            written.over_time().map_or(Cell::Empty, Cell::Number),
            score(SnapshotMeasure::Coverage),
            score(SnapshotMeasure::Precision),
            score(SnapshotMeasure::Recall),
            score(SnapshotMeasure::Citation),
            score(SnapshotMeasure::Joint),
            Cell::number(words_per_bullet(words, bullets)),
            Cell::number(written.reading_speed()),
            Cell::Count(written.opened()),
            Cell::number(written.opened_before_citing),
        ]);
    }
    table
}

fn baseline_table(baseline: &Baseline, bootstrap: Bootstrap) -> Table {
    let columns = vec![
        Column::text("measure", "measure"),
        Column::count("sessions", "n"),
        Column::number("value", "value", 1),
        Column::number("low", "from", 1),
        Column::number("high", "to", 1),
        Column::number("published", "SummHay", 1),
    ];
    let mut table = Table::new("Human baseline", columns);
    let mut add = |name: &str, estimate: &Estimate, published: Option<f64>| {
        let mut row = vec![Cell::from(name)];
        row.extend(cells(estimate));
        row.push(published.map_or(Cell::Empty, Cell::Number));
        table.rows.push(row);
    };
    let scores = human_baseline(&baseline.curves(), bootstrap);
    for ((measure, published), estimate) in PUBLISHED.into_iter().zip(&scores) {
        let name = match measure {
            SnapshotMeasure::Citation => "citation F1".to_owned(),
            SnapshotMeasure::Precision | SnapshotMeasure::Recall => format!("citation {}", measure.name()),
            _ => measure.name().to_owned(),
        };
        add(&name, estimate, Some(published));
    }
    let over = |reason: Undefined, tally: &dyn Fn(&Scored) -> Tally| {
        let tallies: Vec<Tally> = baseline.sessions.iter().map(tally).collect();
        Estimate::of(&tallies, reason, bootstrap)
    };
    let words = over(Undefined::NoBullets, &|session| {
        let (words, bullets) = session.written.size();
        Tally { sum: words as f64, count: bullets }
    });
    add("words per bullet", &words, Some(PUBLISHED_WORDS));
    let minutes = over(Undefined::NoTimes, &|session| Tally::one(Some(session.written.minutes())));
    add("active minutes", &minutes, None);
    let speed = over(Undefined::NoTimes, &|session| Tally::one(session.written.reading_speed().ok()));
    add("words of documents read a minute", &speed, None);
    let early =
        over(Undefined::NothingCited, &|session| Tally::one(session.written.opened_before_citing.ok()));
    add("relevant documents opened before citing", &early, None);
    table.notes.push("SummHay: Laban et al. 2024, Tables 2 and 5; scores on 0–100.".to_owned());
    table
}
