//! Where the program, the project's files and the data beside it are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_haymark");

/// A file or folder of the project.
pub fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// One of the files behind `haymark demo`, by its name without `.jsonl`.
pub fn sample(name: &str) -> String {
    project(&format!("sample_data/{name}.jsonl")).to_str().expect("a path in UTF-8").to_owned()
}

/// The text of [`shared`] data.
pub fn shared_text(path: &str) -> Option<String> {
    shared(path).map(|path| fs::read_to_string(path).expect("a text"))
}

/// Published data or an oracle that lies in `../shared`, beside the project and not in it. `None` where it is absent, which
/// is said: a test that gets it skips itself.
pub fn shared(path: &str) -> Option<PathBuf> {
    let path = project("../shared").join(path);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: {} is absent", path.display());
    None
}

/// All files of the sample data, in the order in which the demo imports them.
pub const SAMPLES: [&str; 11] = [
    "haystack",
    "questions",
    "questions_zh",
    "facts",
    "points",
    "haystack_judgments",
    "questions_judgments",
    "nuggets",
    "further_judgments",
    "preferences",
    "sessions",
];

/// The Python that has what some tests need: the one that `HAYMARK_PYTHON` names, else whichever there is.
pub fn python() -> Command {
    Command::new(std::env::var("HAYMARK_PYTHON").unwrap_or("python3".to_owned()))
}

/// Whether there is a [`python`], and it runs this.
pub fn python_can(run: &str) -> bool {
    python().args(["-c", run]).output().is_ok_and(|output| output.status.success())
}
