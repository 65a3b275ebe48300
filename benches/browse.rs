//! Looking through a whole study: opening it, filtering, sorting and searching at every key.

mod support {
    pub mod program;
    pub mod records;
    pub mod report;
    pub mod texts;
}

use std::path::{Path, PathBuf};

use haymark::browse::{ACROSS, BrowseTable, Sort, Tables, View, WhoCounts};
use haymark::store::StudyFile;
use support::program::run;
use support::records::{Shape, write_corpus, write_judgments};
use support::report::{Report, Samples, Target, timed};
use tempfile::TempDir;

/// Ten haystacks of 100 documents (60 MB in all), 500 summaries each, 7 insights a summary, judged by 9: 315,000
/// judgments of 35,000 items.
const STUDY: Shape = Shape {
    collections: 10,
    documents: 100,
    queries: 5,
    units: 7,
    candidates: 100,
    annotators: 9,
    models: 0,
    document: 60_000,
};

/// 125,000 items, with little to read.
const WIDE: Shape = Shape {
    collections: 10,
    documents: 20,
    queries: 5,
    units: 25,
    candidates: 100,
    annotators: 2,
    models: 0,
    document: 600,
};

/// A frame at 60 a second.
const FRAME: Target = Target::AtMost(16.0);

fn main() {
    let Some(mut report) = Report::start("browse") else {
        return;
    };
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
    let study = make(folder.path(), "study", STUDY);
    let tables = opening(&mut report, &study);
    first_looks(&mut report, &tables);
    searching(&mut report, &tables);
    looking(&mut report, &tables);
    let export = ["export", "--what", "view", "--table", "candidates"].map(Path::new);
    let ran = run(&export.into_iter().chain([study.as_path()]).collect::<Vec<&Path>>());
    report.line("export of a view of 5,000 summaries with their texts", ran.seconds, "s", Target::None);
    if let Some(memory) = ran.memory {
        report.line("  most memory", memory, "MB", Target::AtMost(128.0));
    }
    drop(tables);
    let wide = load(&make(folder.path(), "wide", WIDE));
    rows(&mut report, &wide);
    report.finish();
}

fn make(folder: &Path, name: &str, shape: Shape) -> PathBuf {
    let [corpus, judgments] = ["corpus", "judgments"].map(|part| folder.join(format!("{name}-{part}.jsonl")));
    let study = folder.join(format!("{name}.db"));
    write_corpus(&corpus, shape);
    write_judgments(&judgments, shape);
    for file in [&corpus, &judgments] {
        run(&[Path::new("import"), &study, file]);
        std::fs::remove_file(file).expect("it was written");
    }
    study
}

fn load(path: &Path) -> Tables {
    let study = StudyFile::open(path).expect("it was made");
    let (corpus, judged) = study.whole_study().expect("it can be read");
    Tables::new(corpus, judged, WhoCounts::People)
}

fn sorted(table: BrowseTable, column: &str) -> View {
    View { sort: vec![Sort { column: column.into(), descending: true }], ..View::of(table) }
}

fn filtered(table: BrowseTable, filter: &str) -> View {
    View { filter: filter.into(), ..sorted(table, "joint") }
}

fn count(tables: &Tables, view: &View) -> usize {
    tables.rows(view).expect("a good filter").len()
}

/// From the file to a sorted table.
fn opening(report: &mut Report, path: &Path) -> Tables {
    let samples = Samples::take(3, || {
        let tables = load(path);
        count(&tables, &sorted(BrowseTable::Candidates, "joint"))
    });
    let what = "open 315,000 judgments and 60 MB, candidates by joint";
    report.line(what, samples.middle() / 1e3, "s", Target::AtMost(1.0));
    let (time, tables) = timed(|| load(path));
    report.line("  of it to the corpus and judgments in memory", time / 1e3, "s", Target::None);
    tables
}

/// The first look at a column, which computes the column.
fn first_looks(report: &mut Report, tables: &Tables) {
    for (table, column) in [
        (BrowseTable::Candidates, "joint"),
        (BrowseTable::Items, "joint"),
        (BrowseTable::Items, "disagreement"),
        (BrowseTable::Items, "coverage.coverage"),
        (BrowseTable::Items, "outcome"),
        (BrowseTable::Units, "joint"),
        (BrowseTable::Documents, "cited"),
    ] {
        let (time, _) = timed(|| count(tables, &sorted(table, column)));
        report.line(&format!("first sort of {table} by {column}"), time, "ms", Target::None);
    }
}

/// A word typed letter by letter.
fn searching(report: &mut Report, tables: &Tables) {
    for (table, word) in [
        (BrowseTable::Documents, "therapist"),
        (BrowseTable::Candidates, "therapist"),
        (BrowseTable::Candidates, "document:flashcards"),
    ] {
        // Nobody searches before the name of a field has its colon.
        let typed = (1..=word.len())
            .filter_map(|end| word.get(..end))
            .filter(|part| !word.contains(':') || part.len() > 9);
        let times = typed.map(|part| timed(|| count(tables, &filtered(table, part))).0).collect();
        report.spread(
            &format!("search for {word:?} in {table}, a letter"),
            &Samples::of(times),
            Target::AtMost(15.0),
            Target::AtMost(15.0),
        );
    }
    for (what, word) in
        [("that is nowhere", "pomodoro"), ("of two letters", "qx"), ("with a slip", "~pomodoro")]
    {
        let (time, _) = timed(|| count(tables, &filtered(BrowseTable::Documents, word)));
        let target = if word.starts_with('~') { Target::None } else { Target::AtMost(15.0) };
        report.line(&format!("search of 60 MB for a word {what}"), time, "ms", target);
    }
}

/// The panes of a row, and comparisons and grids over many rows.
fn looking(report: &mut Report, tables: &Tables) {
    let mut row = 0;
    let samples = Samples::take(200, || {
        row = (row + 997) % tables.len(BrowseTable::Candidates) as u32;
        tables.detail(BrowseTable::Candidates, row).working.len()
    });
    report.spread("the panes of a candidate judged by nine", &samples, FRAME, FRAME);
    let samples = Samples::take(20, || {
        row = (row + 997) % (tables.len(BrowseTable::Candidates) as u32 - 1);
        tables.compare(row, row + 1).insights.len()
    });
    report.line("two candidates side by side", samples.middle(), "ms", FRAME);
    let (time, _) = timed(|| tables.duel(0, 1).rows.len());
    report.line("two systems over all queries", time, "ms", Target::None);
    let all = |table| tables.filtered(table, "").expect("every row");
    let (time, _) = timed(|| tables.pivot(&ACROSS[1], "joint", &all(BrowseTable::Candidates)).rows.len());
    report.line("joint of 100 systems by length", time, "ms", Target::None);
    let (time, _) = timed(|| tables.pairs("coverage", &all(BrowseTable::Items)).map(|grid| grid.rows.len()));
    report.line("the pairs of nine annotators, first time", time, "ms", Target::None);
}

/// Filters typed over 125,000 rows.
fn rows(report: &mut Report, tables: &Tables) {
    assert!(tables.len(BrowseTable::Items) >= 100_000, "too few rows");
    let filter = "coverage@person0:full coverage@person0!=@person1 joint<60 system:model-3 stress";
    let (time, _) = timed(|| count(tables, &filtered(BrowseTable::Items, filter)));
    report.line("first filter of 125,000 items by five things", time, "ms", Target::None);
    for filter in ["", "joint<60", "system:model-3", "coverage@person0!=@person1", filter] {
        let view = filtered(BrowseTable::Items, filter);
        let samples = Samples::take(50, || count(tables, &view));
        let name = if filter.len() > 40 { "all of these and a word" } else { filter };
        report.spread(&format!("filter 125,000 items: {name:?}"), &samples, FRAME, FRAME);
    }
    let mut descending = false;
    let samples = Samples::take(20, || {
        descending = !descending;
        let by = |column: &str| Sort { column: column.to_owned(), descending };
        let sort = vec![by("disagreement"), by("joint")];
        count(tables, &View { sort, ..View::of(BrowseTable::Items) })
    });
    report.line("sort 125,000 items by two columns, kept orders", samples.middle(), "ms", FRAME);
    let (time, _) = timed(|| count(tables, &sorted(BrowseTable::Items, "unit")));
    report.line("first sort of 125,000 items by a name", time, "ms", Target::None);
    let (time, _) = timed(|| tables.complete(BrowseTable::Items, "system:mod", 10).offers.len());
    report.line("completion of a value over 125,000 items", time, "ms", FRAME);
}
