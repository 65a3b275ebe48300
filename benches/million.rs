//! Whole commands on studies of 100,000 and 1,000,000 judgments, how they grow, and what memory they take. With
//! `HAYMARK_BENCH_LARGEST=1` also of 10,000,000, for which the disk needs 10 GB.

mod support {
    pub mod program;
    pub mod records;
    pub mod report;
    pub mod texts;
}

use std::fs::{copy, metadata, remove_file};
use std::path::{Path, PathBuf};

use support::program::run;
use support::records::{COMMANDS, Shape, name, write_corpus, write_judgments_of};
use support::report::{Report, Target};
use tempfile::TempDir;

/// A command at a million judgments: the most seconds, those of a program that does nothing else, and the most MB.
struct Command {
    what: &'static str,
    seconds: f64,
    limit: Option<f64>,
    memory: Option<f64>,
}

const fn command(what: &'static str, seconds: f64, limit: Option<f64>, memory: Option<f64>) -> Command {
    Command { what, seconds, limit, memory }
}

const IMPORT: Command = command("import", 2.5, Some(1.4), None);
const EXPORT: Command = command("export", 0.8, Some(0.3), None);
const SCORE: Command = command("score", 0.4, Some(0.09), Some(120.0));
const EACH: Command = command("score --annotators each", 1.2, None, Some(120.0));
const JUDGES: Command = command("judges", 0.8, None, Some(120.0));
const STATUS: Command = command("status", 0.5, Some(0.11), Some(80.0));
const AGREE: Command = command("agree --full", 0.5, None, Some(100.0));
const MERGE: Command = command("merge of two such studies", 4.0, None, None);
const CHECK: Command = command("check", 8.0, None, None);

/// 10 n log n / n log n from 100,000 to 1,000,000.
const TENFOLD: f64 = 12.0;

fn main() {
    let Some(mut report) = Report::start("whole commands on large studies") else {
        return;
    };
    let is_largest = std::env::var_os("HAYMARK_BENCH_LARGEST").is_some();
    let mut before: Vec<(&str, f64)> = Vec::new();
    for times in [1, 10, 100].into_iter().take(if is_largest { 3 } else { 2 }) {
        let shape = Shape { collections: COMMANDS.collections * times, ..COMMANDS };
        let measured = measure(&mut report, shape, times == 10);
        for (what, seconds) in &measured {
            if let Some((_, earlier)) = before.iter().find(|(known, _)| known == what) {
                let line = format!("{what}: times as long for ten times as many");
                report.line(&line, seconds / earlier, "×", Target::AtMost(TENFOLD));
            }
        }
        before = measured;
    }
    report.finish();
}

/// Every command once on a study of this shape; import, merge and check write, so once is what a person waits.
fn measure(report: &mut Report, shape: Shape, is_held: bool) -> Vec<(&'static str, f64)> {
    // On the disk of the project: a temporary folder in memory would commit in no time.
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
    let file = |name: &str| folder.path().join(name);
    let judgments = shape.collections * shape.queries * shape.candidates * shape.units * shape.annotators;
    let (study, other, text) = (file("study.db"), file("other.db"), file("judgments.jsonl"));
    let everyone = Shape { annotators: 2 * shape.annotators, models: shape.models, ..shape };
    let corpus = file("corpus.jsonl");
    write_corpus(&corpus, everyone);
    run(&[Path::new("import"), &study, &corpus]);
    copy(&study, &other).expect("the disk takes it");
    let empty = size(&study);
    let mut lines = Lines { report, judgments, is_held, seconds: Vec::new() };

    // The last of these are judges, as the last of everyone are.
    let last = everyone.annotators - shape.annotators..everyone.annotators;
    write_judgments_of(&text, everyone, last.clone());
    lines.time(&IMPORT, &["import".into(), study.clone(), text.clone()]);
    let bytes = (size(&study) - empty) / judgments as f64;
    let (most, limit) = if is_held { (Target::AtMost(130.0), Some(87.0)) } else { (Target::None, None) };
    lines.report.beside("  bytes of file a judgment", bytes, "B", most, limit);
    let out = file("out.jsonl");
    let export = ["export", "--what", "judgments", "--output"].map(PathBuf::from);
    lines.time(&EXPORT, &[&export[..], &[out.clone(), study.clone()]].concat());
    let names: Vec<String> = last.map(name).collect();
    let all = ["--annotators".into(), names.join(",").into()];
    lines.time(&SCORE, &[&["score".into(), study.clone()], &all[..]].concat());
    lines.time(&EACH, &["score".into(), study.clone(), "--annotators".into(), "each".into()]);
    lines.time(&JUDGES, &["judges".into(), study.clone()]);
    lines.time(&STATUS, &["status".into(), study.clone()]);
    lines.time(&AGREE, &[&["agree".into(), study.clone(), "--full".into()], &all[..]].concat());
    lines.time(&CHECK, &["check".into(), study.clone()]);
    write_judgments_of(&text, everyone, 0..shape.annotators);
    run(&[Path::new("import"), &other, &text]);
    for written in [&text, &out, &corpus] {
        remove_file(written).expect("it was written");
    }
    lines.time(&MERGE, &["merge".into(), study, other]);
    lines.seconds
}

fn size(path: &Path) -> f64 {
    metadata(path).map_or(0.0, |about| about.len() as f64)
}

/// The lines of one study.
struct Lines<'r> {
    report: &'r mut Report,
    judgments: usize,
    /// Whether targets are for this size.
    is_held: bool,
    seconds: Vec<(&'static str, f64)>,
}

impl Lines<'_> {
    fn time(&mut self, command: &Command, arguments: &[PathBuf]) {
        // Files that others have just written would hold it up.
        rustix::fs::sync();
        let ran = run(&arguments.iter().map(PathBuf::as_path).collect::<Vec<_>>());
        let held = |most: Option<f64>| most.filter(|_| self.is_held).map_or(Target::None, Target::AtMost);
        let what = format!("{}, {} judgments", command.what, self.judgments);
        let limit = command.limit.filter(|_| self.is_held);
        self.report.beside(&what, ran.seconds, "s", held(Some(command.seconds)), limit);
        if let Some(memory) = ran.memory {
            self.report.line("  most memory", memory, "MB", held(command.memory));
        }
        self.seconds.push((command.what, ran.seconds));
    }
}
