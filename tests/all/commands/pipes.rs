//! Files that are no files: what comes through a pipe is what would come from a file, and nothing hangs.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread;

use crate::harness::{Desk, PROGRAM};

/// The ways in which a command may be given the bytes of a file.
const WAYS: [&str; 4] = ["-", "/dev/stdin", "pipe", "redirected"];

impl Desk {
    /// A pipe with a name.
    fn pipe(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        let _ = fs::remove_file(&path);
        assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo runs").success());
        path
    }

    /// Runs a command with `FILE` among its arguments, where the bytes of `file` come that way.
    fn run_with(&self, way: &str, file: &str, arguments: &[&str]) -> Output {
        let bytes = fs::read(self.path(file)).expect("the file");
        let name = if way == "redirected" { "-" } else { way };
        let arguments: Vec<&str> =
            arguments.iter().map(|given| if *given == "FILE" { name } else { given }).collect();
        let mut command = self.command(&arguments);
        let writer = match way {
            "redirected" => {
                command.stdin(File::open(self.path(file)).expect("the file"));
                None
            }
            "pipe" => {
                let pipe = self.pipe("pipe");
                Some(thread::spawn(move || fs::write(pipe, bytes)))
            }
            _ => {
                let (reader, mut writer) = std::io::pipe().expect("a pipe");
                command.stdin(reader);
                Some(thread::spawn(move || std::io::Write::write_all(&mut writer, &bytes)))
            }
        };
        let output = command.output().expect("haymark runs");
        // It holds an end of the pipe.
        drop(command);
        if let Some(writer) = writer {
            writer.join().expect("written").expect("all of it is read");
        }
        output
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn what_comes_through_a_pipe_comes_in_as_from_a_file() {
    let desk = Desk::new();
    let study = desk.sample();
    desk.out(&["export", study, "-o", "all.jsonl"]);
    let records = fs::read_to_string(desk.path("all.jsonl")).expect("the export");
    for way in WAYS {
        for format in [&["--format", "jsonl"][..], &[]] {
            let _ = fs::remove_file(desk.path("new.db"));
            let arguments: Vec<&str> = ["import", "new.db", "FILE"].iter().chain(format).copied().collect();
            let output = desk.run_with(way, "all.jsonl", &arguments);
            assert!(output.status.success(), "{way}: {}", said(&output));
            assert_eq!(desk.out(&["export", "new.db"]), records, "{way}");
            // The same content gives the same events, so the file brings nothing new.
            let again = desk.out(&["import", "new.db", "all.jsonl"]);
            assert!(again.ends_with("nothing new, the study holds all of it already\n"), "{way}: {again}");
        }
    }
}

#[test]
fn other_formats_and_two_pipes_at_once_are_told_apart() {
    let desk = Desk::new();
    desk.file(
        "questions.json",
        r#"[{"question": "What of tea?", "ctxs": [{"title": "Tea", "text": "It is hot."}]}]"#,
    );
    let (first, second) = (desk.pipe("first"), desk.pipe("second"));
    let bytes = fs::read(desk.path("questions.json")).expect("the file");
    thread::spawn(move || fs::write(first, bytes));
    thread::spawn(move || fs::write(second, "{\"type\":\"collection\",\"id\":\"c\"}\n"));
    let told = desk.out(&["import", "study.db", "first", "second"]);
    assert!(told.contains("first (dpr): ") && told.contains("second (jsonl): 1 collection"), "{told}");
}

#[test]
fn ratings_come_whole_through_a_pipe() {
    let desk = Desk::new();
    desk.file("ratings.csv", "item,alice,bora\na,1,2\nb,1,1\nc,2,2\n");
    let expected = desk.run(&["agree", "ratings.csv"]);
    for way in WAYS {
        let output = desk.run_with(way, "ratings.csv", &["agree", "FILE"]);
        assert!(output.status.success(), "{way}: {}", said(&output));
        assert_eq!(said(&output), said(&expected), "{way}");
    }
    let study = desk.sample();
    let output = desk.run_with("-", study, &["agree", "FILE"]);
    assert_eq!(
        (output.status.code(), said(&output).as_str()),
        (Some(1), "error: standard input: a study cannot come through a pipe; name its file\n")
    );
}

#[test]
fn every_file_that_is_read_may_be_a_pipe() {
    let desk = Desk::new();
    desk.file("mine.toml", desk.out(&["protocol", "new"]));
    desk.file("guideline.md", "# How\n\nRead.\n");
    desk.file("prompt.md", desk.out(&["export", desk.sample(), "--what", "judge-prompt"]));
    let requests =
        ["export", "study.db", "--what", "judge-requests", "--protocol", "coverage", "--as", "judge"];
    let with_prompt: Vec<&str> = requests.iter().chain(&["--prompt", "FILE"]).copied().collect();
    for way in WAYS {
        for (file, arguments) in [
            ("mine.toml", &["protocol", "check", "FILE"][..]),
            ("mine.toml", &["protocol", "add", "study.db", "FILE"]),
            ("guideline.md", &["protocol", "add", "study.db", "mine.toml", "--guideline", "FILE"]),
            ("prompt.md", &with_prompt),
        ] {
            let output = desk.run_with(way, file, arguments);
            assert!(output.status.success(), "{way}, {arguments:?}: {}", said(&output));
        }
    }
    assert_eq!(desk.out(&["protocol", "show", "mine", "study.db", "--guideline"]), "# How\n\nRead.\n");
}

#[test]
fn what_does_not_end_is_refused_at_once() {
    let desk = Desk::new();
    let study = desk.sample();
    desk.file("mine.toml", desk.out(&["protocol", "new"]));
    for arguments in [
        &["import", "new.db", "/dev/zero"][..],
        &["import", "new.db", "/dev/zero", "--format", "jsonl"],
        &["import", "new.db", "-"],
        &["agree", "/dev/zero"],
        &["agree", "-"],
        &["protocol", "check", "/dev/zero"],
        &["protocol", "add", study, "/dev/zero"],
        &["protocol", "add", study, "mine.toml", "--guideline", "/dev/zero"],
    ] {
        // Standard input is /dev/null.
        let (code, told) = desk.fails(arguments);
        assert_eq!(code, 1, "{arguments:?}");
        assert!(told.ends_with("this is neither a file nor a pipe; name a file, or pipe it in\n"), "{told}");
        assert!(!desk.path("new.db").exists());
    }
    // A study is opened and locked, so a pipe can be none; nobody writes to this one.
    desk.pipe("pipe");
    for path in ["/dev/zero", "pipe"] {
        for arguments in [
            &["status", path][..],
            &["check", path],
            &["merge", study, path],
            &["split", path, "--for", "ann"],
            &["export", path],
        ] {
            let (code, told) = desk.fails(arguments);
            assert_eq!(code, 1, "{arguments:?}");
            assert!(told.ends_with("this is no file, but a pipe or device; name a study file\n"), "{told}");
        }
    }
}

#[test]
fn a_study_that_was_exported_empty_comes_in_again() {
    let desk = Desk::new();
    desk.out(&["init", "empty.db"]);
    desk.out(&["export", "empty.db", "-o", "empty.jsonl"]);
    for way in WAYS {
        let output = desk.run_with(way, "empty.jsonl", &["import", "again.db", "FILE"]);
        assert!(output.status.success(), "{way}: {}", said(&output));
        assert!(
            said(&output).ends_with(" (jsonl): nothing came in, there is nothing in it\n"),
            "{}",
            said(&output)
        );
        assert_eq!(desk.out(&["export", "again.db"]), "");
    }
}

#[test]
fn a_file_that_may_not_grow_is_an_error_and_no_end_without_a_word() {
    let desk = Desk::new();
    let study = desk.sample();
    desk.out(&["export", study, "-o", "all.jsonl"]);
    let limited = |command: &str| {
        Command::new("sh")
            .args(["-c", &format!("ulimit -f 100; exec \"$0\" {command}"), PROGRAM])
            .current_dir(desk.folder())
            .stdin(Stdio::null())
            .output()
            .expect("sh runs")
    };
    for (command, left) in [
        ("import new.db all.jsonl", "new.db"),
        ("export study.db -o new.jsonl", "new.jsonl"),
        ("split study.db --for alice --to part.db", "part.db"),
    ] {
        let output = limited(command);
        assert_eq!(output.status.code(), Some(1), "{command}: {}", said(&output));
        assert!(said(&output).contains("may not grow any further"), "{command}: {}", said(&output));
        assert!(!desk.path(left).exists(), "{command}");
    }
}
