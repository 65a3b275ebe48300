//! Studies of hundreds and thousands of annotators, three on each summary: what grows with judgments may not grow with pairs.

mod support {
    pub mod program;
    pub mod records;
    pub mod report;
    pub mod texts;
}

use std::path::Path;

use support::program::run;
use support::records::{MILLION, Shape, write_corpus, write_judgments_of_three};
use support::report::{Report, Target};
use tempfile::TempDir;

/// Of each number of annotators: how many collections they judge, and how long a command may take, in seconds.
const CROWDS: [(usize, usize, f64); 2] = [(200, 20, 1.0), (5_000, 100, 10.0)];

/// The most memory of a command, in MB.
const MOST_MEMORY: f64 = 500.0;

fn main() {
    let Some(mut report) = Report::start("crowd") else {
        return;
    };
    for (annotators, collections, seconds) in CROWDS {
        let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
        let file = |name: &str| folder.path().join(name);
        let shape = Shape { annotators, collections, candidates: 10, document: 300, ..MILLION };
        let (study, records) = (file("study.db"), file("records.jsonl"));
        write_corpus(&records, shape);
        run(&[Path::new("import"), &study, &records]);
        write_judgments_of_three(&records, shape);
        run(&[Path::new("import"), &study, &records]);
        let out = file("report.html");
        let commands: [&[&Path]; 6] = [
            &[Path::new("agree"), &study],
            &[Path::new("agree"), &study, Path::new("--format"), Path::new("csv")],
            &[Path::new("agree"), &study, Path::new("--format"), Path::new("json")],
            &[Path::new("report"), &study, Path::new("--output"), &out],
            &[Path::new("score"), &study],
            &[Path::new("status"), &study],
        ];
        for command in commands {
            let named: Vec<_> = command.iter().filter(|part| part.is_relative()).collect();
            let named: Vec<_> = named.iter().map(|part| part.to_string_lossy()).collect();
            let ran = run(command);
            let what = format!("{}, {annotators} annotators", named.join(" "));
            report.line(&what, ran.seconds, "s", Target::AtMost(seconds));
            if let Some(memory) = ran.memory {
                report.line("  most memory", memory, "MB", Target::AtMost(MOST_MEMORY));
            }
        }
    }
    report.finish();
}
