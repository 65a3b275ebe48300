//! What is installed: the version that it tells, what a package holds, and a static program where there is nothing else.

use std::process::Command;

use crate::harness::{Desk, project};

#[test]
fn the_version_tells_features_and_commit() {
    let desk = Desk::new();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(desk.out(&["-V"]), format!("haymark {version}\n"));
    let told = desk.out(&["--version"]);
    let mut rows = told.lines();
    assert_eq!(rows.next(), Some(format!("haymark {version}").as_str()));
    let commit = rows.next().and_then(|row| row.strip_prefix("commit: ")).expect("a commit");
    let is_commit = commit.len() >= 7 && commit.chars().all(|letter| letter.is_ascii_hexdigit());
    assert!(is_commit || commit == "not known", "{commit}");
    let parquet = if cfg!(feature = "parquet") { "built in" } else { "not built in (--features parquet)" };
    assert_eq!(rows.next(), Some(format!("Parquet files: {parquet}").as_str()));
    assert_eq!(rows.next(), None);
}

/// A package holds what the program is built of and what its readers read, and nothing of where it was made.
#[test]
fn a_package_holds_what_it_is_built_of() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["package", "--list", "--allow-dirty", "--offline"]).current_dir(project(""));
    let output = cargo.output().expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listed = String::from_utf8(output.stdout).expect("UTF-8");
    let files: Vec<&str> = listed.lines().collect();
    for wanted in [
        "Cargo.lock",
        "README.md",
        "CHANGELOG.md",
        "CITATION.cff",
        "LICENSE-MIT",
        "build.rs",
        "src/lib.rs",
        "sample_data/haystack.jsonl",
        "assets/keymap.toml",
        "docs/SUMMARY.md",
        "examples/scores.rs",
    ] {
        assert!(files.contains(&wanted), "{wanted} is not in the package");
    }
    let strange = files.iter().find(|file| file.starts_with(".ci") || file.starts_with("target"));
    assert_eq!(strange, None);
}

/// The static program, where `scripts/static.sh` has built one, answers in a folder that holds nothing but itself and a study.
#[test]
#[cfg(target_os = "linux")]
fn the_static_program_runs_where_nothing_else_is() {
    let built = ["dist", "release", "debug"]
        .map(|profile| project(&format!("target/x86_64-unknown-linux-musl/{profile}/haymark")));
    let Some(program) = built.iter().find(|program| program.exists()) else {
        return println!("skipped: scripts/static.sh has not built a static program");
    };
    let desk = Desk::new();
    desk.samples("study.db", &["haystack", "haystack_judgments"]);
    desk.out(&["export", "study.db", "-o", "study.jsonl"]);
    let expected = desk.out(&["agree", "study.db"]);
    let root = desk.path("root");
    std::fs::create_dir(&root).expect("a folder");
    std::fs::copy(program, root.join("haymark")).expect("copied");
    std::fs::copy(desk.path("study.jsonl"), root.join("study.jsonl")).expect("copied");
    let inside = |arguments: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "chroot"]).arg(&root).arg("/haymark").args(arguments);
        command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").output()
    };
    let may = |output: &std::process::Output| {
        let told = String::from_utf8_lossy(&output.stderr);
        !told.contains("unshare") && !told.contains("Operation not permitted")
    };
    let version = match inside(&["-V"]) {
        Ok(output) if may(&output) => output,
        _ => return println!("skipped: this machine lets nobody change the root folder"),
    };
    assert_eq!(String::from_utf8_lossy(&version.stdout), format!("haymark {}\n", env!("CARGO_PKG_VERSION")));
    for (arguments, prints) in
        [(vec!["import", "/study.db", "/study.jsonl"], None), (vec!["agree", "/study.db"], Some(&expected))]
    {
        let output = inside(&arguments).expect("it runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        if let Some(expected) = prints {
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected.as_str());
        }
    }
}
