//! The study file: a commit an answer, and everything that must not slow down as a study grows.

mod support {
    pub mod program;
    pub mod records;
    pub mod report;
    pub mod texts;
}

use std::path::Path;
use std::time::Duration;

use haymark::journal::Happening;
use haymark::protocol::{Answer, Protocol, builtin};
use haymark::store::{QueuePart, StudyFile, VersionsRead};
use haymark::study::AnnotatorId;
use support::program::run;
use support::records::{MILLION, SMALL, Shape, name, write_corpus, write_judgments};
use support::report::{Report, Samples, Target, timed};
use tempfile::TempDir;

fn main() {
    let Some(mut report) = Report::start("study files") else {
        return;
    };
    // On the disk of the project: a temporary folder in memory would commit in no time.
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
    let small = folder.path().join("small.db");
    make(&small, folder.path(), SMALL);
    appends(&mut report, &small, "small study");

    let study = folder.path().join("million.db");
    let (corpus, judgments) = make(&study, folder.path(), MILLION);
    report.line("import of its 60 MB of documents, and 22,600 records", corpus, "s", Target::None);
    report.line("import of 1,000,000 judgments", judgments, "s", Target::None);
    commands(&mut report, &study, folder.path());
    columns(&mut report, &study);
    opening(&mut report, &study);
    appends(&mut report, &study, "1,000,000 judgments");
    report.finish();
}

/// Makes a study with the program itself; gives the seconds of both imports.
fn make(study: &Path, folder: &Path, shape: Shape) -> (f64, f64) {
    let (corpus, judgments) = (folder.join("corpus.jsonl"), folder.join("judgments.jsonl"));
    write_corpus(&corpus, shape);
    write_judgments(&judgments, shape);
    let import = |file: &Path| run(&[Path::new("import"), study, file]).seconds;
    let took = (import(&corpus), import(&judgments));
    for file in [corpus, judgments] {
        std::fs::remove_file(file).expect("it was written");
    }
    took
}

/// Whole programs on the large study.
fn commands(report: &mut Report, study: &Path, folder: &Path) {
    let out = folder.join("export.jsonl");
    let export = ["export", "--what", "judgments", "--force", "--output"].map(Path::new);
    let arguments: Vec<&Path> = export.into_iter().chain([out.as_path(), study]).collect();
    let commands: [(_, &[&Path], _); 3] = [
        ("export of 1,000,000 judgments", &arguments, Target::None),
        ("haymark score, 1,000,000 judgments", &[Path::new("score"), study], Target::None),
        ("haymark agree, 1,000,000 judgments", &[Path::new("agree"), study], Target::None),
    ];
    for (what, arguments, target) in commands {
        let ran: Vec<_> = (0..3).map(|_| run(arguments)).collect();
        let times = Samples::of(ran.iter().map(|ran| ran.seconds).collect());
        report.line(what, times.middle(), "s", target);
        if let Some(memory) = ran.iter().filter_map(|ran| ran.memory).reduce(f64::max) {
            report.line("  most memory", memory, "MB", Target::None);
        }
    }
    std::fs::remove_file(&out).expect("it was written");
}

/// Packed judgments, as agreement and scores read them.
fn columns(report: &mut Report, path: &Path) {
    let study = StudyFile::open(path).expect("it was made");
    let material = || study.material(coverage(), VersionsRead::Only(1)).expect("it can be read");
    let samples = Samples::take(3, || material().rows().len());
    report.line("load 1,000,000 judgments", samples.middle() / 1e3, "s", Target::None);
}

fn coverage() -> &'static Protocol {
    builtin("coverage").expect("it is built in")
}

/// From the file to the first item, and on to others.
fn opening(report: &mut Report, path: &Path) {
    let me = name(0);
    let (time, _) = timed(|| {
        let mut study = StudyFile::open(path).expect("it was made");
        study.open_queue("someone new", coverage()).expect("there are items")
    });
    report.line("first opening of a queue of 250,000 items", time, "ms", Target::AtMost(60.0));
    StudyFile::open(path).and_then(|mut study| study.open_queue(&me, coverage())).expect("there are items");

    let samples = Samples::take(20, || {
        let mut study = StudyFile::open(path).expect("it was made");
        let queue = study.open_queue(&me, coverage()).expect("there are items");
        let undo = study.undo_history(queue.annotator, "coverage", 200);
        let item = study.load(queue.annotator, coverage(), queue.resume);
        (undo.expect("it can be read").len(), item.expect("there is one").position)
    });
    let what = "open the study, its queue and the first item";
    report.line(what, samples.middle(), "ms", Target::AtMost(10.0));

    let mut study = StudyFile::open(path).expect("it was made");
    let (time, queue) = timed(|| study.open_queue("someone new", coverage()).expect("there are items"));
    report.line("fill a queue of 250,000 items that was begun", time, "ms", Target::None);
    moving(report, &study, queue.annotator, queue.progress.total);
}

fn moving(report: &mut Report, study: &StudyFile, me: AnnotatorId, total: usize) {
    let mut position = 0;
    let mut step = move || {
        position = (position + 104_729) % total;
        position
    };
    let samples = Samples::take(2_000, || study.next_of(&QueuePart::OPEN, me, "coverage", step(), false));
    let what = "find the next open item, with 250,000 open";
    report.line(what, samples.middle() * 1e3, "µs", Target::AtMost(50.0));
    let samples = Samples::take(200, || {
        let loaded = study.load(me, coverage(), step());
        loaded.expect("there is one").item.documents.len()
    });
    let what = "load an item, its haystack of 600 KB mostly not in memory";
    report.spread(what, &samples, Target::AtMost(8.0), Target::None);
    let samples = Samples::take(200, || study.load(me, coverage(), 7).expect("there is one").position);
    report.line("load an item, its haystack in memory", samples.middle(), "ms", Target::None);
    let (time, _) = timed(|| study.directory(me, "coverage").expect("it can be read").len());
    report.line("read the go-to list of 250,000 items", time, "ms", Target::None);
}

/// Answers at a pace: the disk has time between them, as with a person.
fn appends(report: &mut Report, path: &Path, what: &str) {
    let mut study = StudyFile::open(path).expect("it was made");
    let queue = study.open_queue("me", coverage()).expect("there are items");
    let items: Vec<_> = (0..queue.progress.total.min(100))
        .map(|position| study.load(queue.annotator, coverage(), position).expect("there is one").item)
        .collect();
    // Files that others have just written would hold up these commits.
    rustix::fs::sync();
    let mut times = Vec::new();
    for (number, item) in items.iter().cycle().take(300).enumerate() {
        std::thread::sleep(Duration::from_millis(10));
        let value = ["none", "partial", "full"][number % 3];
        let answer = Happening::Answer { question: "coverage".into(), answer: Answer::Text(value.into()) };
        let texts = item.texts();
        let now = 1_800_000_000_000 + number as i64 * 4_000;
        let (time, done) = timed(|| {
            let happenings = [(answer, 4_000)];
            study.append(queue.annotator, coverage(), item.id, texts, &happenings, now)
        });
        done.expect("the disk takes it");
        times.push(time);
    }
    let what = format!("an answer made durable, {what}");
    report.spread(&what, &Samples::of(times), Target::AtMost(2.0), Target::AtMost(5.0));
}
