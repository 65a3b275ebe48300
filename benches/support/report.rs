//! Figures beside the targets they are held against: a line each, printed as soon as it is known.
//!
//! `cargo bench -- --json FILE` also adds them to a file, an object a line, which `benches/compare.py` holds against another.

// Every bench uses a part of it.
#![allow(dead_code)]

use std::fs::File;
use std::io::Write as _;
use std::time::Instant;

use serde_json::{Value, json};

/// What a figure is held against.
#[derive(Clone, Copy)]
pub enum Target {
    AtMost(f64),
    AtLeast(f64),
    /// Nothing: the figure is there to be compared with earlier ones.
    None,
}

/// Prints the figures of one bench.
pub struct Report {
    topic: String,
    missed: usize,
    /// A file that gets the figures as JSON as well.
    file: Option<File>,
}

impl Report {
    /// Prints the head of the table; `None` unless `cargo bench` runs the program, so that
    /// `cargo test --all-targets` builds the benches and does not wait for them.
    pub fn start(topic: &str) -> Option<Report> {
        if !std::env::args().any(|argument| argument == "--bench") {
            println!("`cargo bench` runs this");
            return None;
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        println!("\n{topic} ({cores} cores, load {})", load());
        println!("{:<58}{:>12}  {:>12}  {:>8}  {:>10}", "", "figure", "target", "ratio", "limit");
        let file = json_file().map(|path| {
            File::options().create(true).append(true).open(&path).expect("the file of --json can be written")
        });
        Some(Report { topic: topic.to_owned(), missed: 0, file })
    }

    /// Prints one figure. The ratio is above 1 where the target is missed, whichever way it points.
    pub fn line(&mut self, what: &str, figure: f64, unit: &str, target: Target) {
        self.beside(what, figure, unit, target, None);
    }

    /// Prints one figure with its limit: the figure of a program that does nothing else.
    pub fn beside(&mut self, what: &str, figure: f64, unit: &str, target: Target, limit: Option<f64>) {
        if let Some(file) = &mut self.file {
            let (most, least) = match target {
                Target::AtMost(most) => (json!(most), Value::Null),
                Target::AtLeast(least) => (Value::Null, json!(least)),
                Target::None => (Value::Null, Value::Null),
            };
            let line = json!({"topic": self.topic, "what": what.trim(), "figure": figure, "unit": unit,
                "at_most": most, "at_least": least, "limit": limit});
            writeln!(file, "{line}").expect("the disk takes it");
        }
        let (target, ratio) = match target {
            Target::AtMost(most) => (format!("≤ {most} {unit}"), Some(figure / most)),
            Target::AtLeast(least) => (format!("≥ {least} {unit}"), Some(least / figure)),
            Target::None => (String::new(), None),
        };
        let figure = format!("{} {unit}", rounded(figure));
        let ratio = ratio.map_or_else(String::new, |ratio| {
            let is_missed = ratio > 1.0;
            self.missed += usize::from(is_missed);
            format!("{ratio:.2}×{}", if is_missed { "  missed" } else { "" })
        });
        let limit = limit.map_or_else(String::new, |limit| format!("{} {unit}", rounded(limit)));
        println!("{}", format!("{what:<58}{figure:>12}  {target:>12}  {ratio:>8}  {limit:>10}").trim_end());
    }

    /// The middle and the 99th percentile of samples in milliseconds, the targets being for these.
    pub fn spread(&mut self, what: &str, samples: &Samples, middle: Target, high: Target) {
        self.line(&format!("{what}, median"), samples.middle(), "ms", middle);
        self.line(&format!("{what}, p99"), samples.percentile(99), "ms", high);
    }

    /// Says how many targets were missed, and how busy the machine is by now.
    pub fn finish(self) {
        let missed = self.missed;
        println!("{missed} missed, load {}", load());
    }
}

/// The file that `--json` names, else one among the built files; `None` without `--json`.
fn json_file() -> Option<String> {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--json");
    arguments.next()?;
    Some(
        arguments
            .next()
            .filter(|name| !name.starts_with("--"))
            .unwrap_or_else(|| "target/figures.jsonl".into()),
    )
}

/// The load of the last minute, where the system tells it: figures count on an idle machine.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let first = text.split_whitespace().next();
    first.unwrap_or("not known").to_owned()
}

/// A figure with three significant digits.
fn rounded(figure: f64) -> String {
    match figure {
        _ if figure == 0.0 || figure.abs() >= 100.0 => format!("{figure:.0}"),
        _ if figure.abs() >= 10.0 => format!("{figure:.1}"),
        _ if figure.abs() >= 1.0 => format!("{figure:.2}"),
        _ => format!("{figure:.4}"),
    }
}

/// Times in milliseconds, sorted.
pub struct Samples(Vec<f64>);

impl Samples {
    pub fn of(mut times: Vec<f64>) -> Samples {
        times.sort_by(f64::total_cmp);
        Samples(times)
    }

    /// Runs `work` this many times, once before without counting it.
    pub fn take<T>(count: usize, mut work: impl FnMut() -> T) -> Samples {
        std::hint::black_box(work());
        Samples::of((0..count).map(|_| timed(&mut work).0).collect())
    }

    pub fn middle(&self) -> f64 {
        self.percentile(50)
    }

    pub fn percentile(&self, percent: usize) -> f64 {
        let index = (self.0.len() * percent / 100).min(self.0.len().saturating_sub(1));
        self.0.get(index).copied().unwrap_or(f64::NAN)
    }
}

/// The time that `work` takes, in milliseconds.
pub fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let value = std::hint::black_box(work());
    (start.elapsed().as_secs_f64() * 1e3, value)
}
