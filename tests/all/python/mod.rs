//! The Python module: its numbers, and the wheel that it is installed from.

mod wheel;

use std::path::Path;

use crate::harness::{Desk, PROGRAM, SAMPLES, project, python, python_can, shared};

/// The lines of program that the module may have: all else is the program's own.
const LINES: usize = 400;

#[test]
fn the_module_is_small() {
    let sources = std::fs::read_dir(project("python/haymark")).expect("the module");
    let texts =
        sources.map(|entry| entry.expect("an entry").path()).filter(|path| path.extension().is_some());
    let lines =
        texts.map(|path| std::fs::read_to_string(path).expect("a source").lines().count()).sum::<usize>();
    assert!((100..=LINES).contains(&lines), "{lines} lines");
}

/// `module.py` compares what the module gives with what the program prints, with the oracle, and with what was worked out by hand.
#[test]
fn the_module_gives_the_numbers_of_the_program() {
    if !python_can("import sys; sys.exit(sys.version_info < (3, 9))") {
        return println!("skipped: there is no Python of 3.9 or later");
    }
    let desk = Desk::new();
    desk.samples("study.db", &SAMPLES);
    let judgments =
        ["export", "study.db", "--what", "judgments", "--names", "--with-text", "--format", "csv"];
    desk.file("judgments.csv", desk.out(&judgments));
    let path = std::env::var("PATH").unwrap_or_default();
    let beside = Path::new(PROGRAM).parent().expect("a folder").display();
    let mut python = python();
    python.arg(project("tests/all/python/module.py")).args(shared("oracles/agreement.json"));
    python.env_clear().envs(desk.environment()).current_dir(desk.folder());
    python.env("PATH", format!("{beside}:{path}")).env("PYTHONPATH", project("python"));
    let output = python.env("PYTHONDONTWRITEBYTECODE", "1").output().expect("Python");
    let told = String::from_utf8_lossy(&output.stderr);
    println!("{told}");
    assert!(output.status.success() && told.contains("\nOK"), "{told}");
}
