//! The commands of the README and the guide run, one page after the other on a desk with the demo's study, and print
//! what stands below them.
//!
//! A block ` ```sh ` is run as it stands, what a screen would show is drawn instead. A block ` ```text ` right below holds what it
//! prints. A block ` ```sh ignore ` is not run: it builds, needs a file from elsewhere, or changes the reader's machine. What a
//! block ` ```python ` makes is there for the commands and the Python below it. A command within a sentence or a table is run where it is about
//! `study.db`, and else is one that haymark takes.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::pages;
use crate::harness::{Desk, PROGRAM, SAMPLES, project, python, python_can};

/// Stops at the first command that fails; a screen is drawn, since there is no terminal.
const SHELL: &str = r#"set -e
haymark() {
  case " $* " in
    *" --svg "*|" session list "*|" session replay "*) command haymark "$@" ;;
    " annotate "*|" browse "*|" adjudicate "*|" session "*|" demo "*) command haymark "$@" --svg - >screen.svg ;;
    *) command haymark "$@" ;;
  esac
}
"#;

/// Something on a page that is run.
struct Block {
    /// Where it begins, counted from 1.
    line: usize,
    language: Language,
    text: String,
    /// The bytes of the page that hold what it prints.
    shown: Option<Range<usize>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Shell,
    /// Shell that is not run.
    Ignored,
    Python,
}

/// The blocks of a page that are code.
fn blocks(page: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open: Option<(&str, usize, usize)> = None;
    let mut is_right_below = false;
    let mut offset = 0;
    for (line, row) in (1..).zip(page.split_inclusive('\n')) {
        let start = offset;
        offset += row.len();
        let Some(fence) = row.trim_end().strip_prefix("```") else {
            if open.is_none() {
                is_right_below &= row.trim().is_empty();
                let about_the_study =
                    codes(row).filter(|code| code.contains(" study.db") && !code.contains('…'));
                let block = |code: &str| Block {
                    line,
                    language: Language::Shell,
                    text: format!("{code} >printed"),
                    shown: None,
                };
                found.extend(about_the_study.filter(|code| code.starts_with("haymark ")).map(block));
            }
            continue;
        };
        let Some((of, begun, at)) = open.take() else {
            open = Some((fence, line, offset));
            continue;
        };
        let text = page.get(at..start).expect("whole lines").to_owned();
        let language = match of {
            "sh" => Language::Shell,
            "sh ignore" => Language::Ignored,
            "python" => Language::Python,
            "text" if is_right_below => {
                found.last_mut().expect("a block above").shown = Some(at..start);
                is_right_below = false;
                continue;
            }
            _ => {
                is_right_below = false;
                continue;
            }
        };
        is_right_below = language != Language::Ignored;
        found.push(Block { line: begun, language, text, shown: None });
    }
    found
}

/// What stands between backticks in a line.
fn codes(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// How often haymark is called.
fn calls(script: &str) -> usize {
    let words =
        script.lines().flat_map(|line| line.split(" #").next().unwrap_or_default().split(['|', ';', '(']));
    words.filter(|part| part.trim_start().starts_with("haymark ")).count()
}

/// What Python prints between what is known already and what a block prints.
const END_OF_KNOWN: &str = "---- what is known already ----";

/// Runs a block, after the Python `before` it; gives what it prints, without blanks at the ends of rows, or says what failed.
fn run(desk: &Desk, before: &str, block: &Block) -> Result<String, String> {
    let folder = Path::new(PROGRAM).parent().expect("a folder").display();
    let (mut program, text) = match block.language {
        Language::Python => (python(), format!("{before}\nprint(end={END_OF_KNOWN:?})\n{}", block.text)),
        _ => (Command::new("sh"), format!("{SHELL}{}", block.text)),
    };
    let path = std::env::var("PATH").unwrap_or_default();
    program.args(["-c", &text]).current_dir(desk.folder()).env_clear().envs(desk.environment());
    program
        .env("PATH", format!("{folder}:{path}"))
        .env("PYTHONPATH", project("python"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    let output = program.stdin(Stdio::null()).output().expect("a shell, and Python");
    if !output.status.success() {
        return Err(format!("{}{}", block.text, String::from_utf8_lossy(&output.stderr)));
    }
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    let own = printed.rsplit(END_OF_KNOWN).next().unwrap_or_default();
    Ok(own.lines().map(|row| format!("{}\n", row.trim_end())).collect())
}

/// What became of the commands of pages.
#[derive(Default)]
struct Checked {
    ran: usize,
    ignored: usize,
    wrong: Vec<String>,
}

/// Runs the blocks of a page, and writes anew or compares what they print.
fn check(page: &str, files: &BTreeMap<PathBuf, Vec<u8>>, checked: &mut Checked) {
    let path = project(page);
    let mut text = fs::read_to_string(&path).expect(page);
    let desk = Desk::holding(files);
    let (mut printed, mut before) = (Vec::new(), String::new());
    let needs = ["import sys", "import pandas"][usize::from(text.contains("\nimport pandas\n"))];
    for block in blocks(&text) {
        match block.language {
            Language::Ignored => checked.ignored += calls(&block.text),
            Language::Python if !python_can(needs) => {
                println!("skipped: {page} from line {} on: {needs} needs another Python", block.line);
                break;
            }
            language => {
                checked.ran += calls(&block.text);
                let outcome = run(&desk, &before, &block);
                if language == Language::Python {
                    before.push_str(&block.text);
                }
                match outcome {
                    Ok(out) => printed.extend(block.shown.map(|shown| (block.line, shown, out))),
                    Err(told) => checked.wrong.push(format!("{page}, line {}: {told}", block.line)),
                }
            }
        }
    }
    for (line, shown, out) in printed.into_iter().rev() {
        if std::env::var_os("UPDATE_README").is_some() {
            text.replace_range(shown, &out);
            fs::write(&path, &text).expect("the page is written");
        } else if text.get(shown) != Some(out.as_str()) {
            checked.wrong.push(format!(
                "{page}, line {line}, prints (UPDATE_README=1 cargo test readme writes it anew):\n{out}"
            ));
        }
    }
}

#[test]
fn the_commands_run_and_print_what_stands_below_them() {
    let desk = Desk::new();
    desk.samples("study.db", &SAMPLES);
    desk.out(&["export", "study.db", "-o", "study.jsonl"]);
    desk.file("ratings.csv", "item,annotator,value\na,x,yes\na,y,yes\nb,x,no\nb,y,yes\nc,x,no\nc,y,no\n");
    let files = desk.files();
    let (pages, next) = (pages(), AtomicUsize::new(0));
    let all = thread::scope(|scope| {
        let work = || {
            let mut checked = Checked::default();
            while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                check(page, &files, &mut checked);
            }
            checked
        };
        let workers = thread::available_parallelism().map_or(2, usize::from);
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().expect("the commands of a page")).collect::<Vec<_>>()
    });
    let wrong: Vec<&str> = all.iter().flat_map(|one| &one.wrong).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let ran: usize = all.iter().map(|one| one.ran).sum();
    let ignored: usize = all.iter().map(|one| one.ignored).sum();
    println!("{ran} commands of {} pages run; {ignored} are marked as not to be run", pages.len());
    assert!(ran > 100 && ignored < 30, "{ran} run, {ignored} do not");
}

/// Commands within a sentence are ones that haymark takes.
#[test]
fn commands_in_sentences_are_commands() {
    use clap::error::ErrorKind::{DisplayHelp, DisplayVersion, MissingRequiredArgument, MissingSubcommand};
    let mut wrong = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(project(&page)).expect("a page");
        for part in text.lines().flat_map(codes) {
            let Some(typed) = part.strip_prefix("haymark ") else {
                continue;
            };
            let words = typed.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
            let is_known = |error: &clap::Error| {
                use clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand as Bare;
                [DisplayHelp, DisplayVersion, MissingRequiredArgument, MissingSubcommand, Bare]
                    .contains(&error.kind())
            };
            // `COMMAND` stands for any, as `SHELL` does.
            if typed.starts_with("COMMAND") || typed.ends_with("SHELL") {
                continue;
            }
            let read = haymark::cli::command().try_get_matches_from(std::iter::once("haymark").chain(words));
            if let Some(error) = read.err().filter(|error| !is_known(error)) {
                wrong.push(format!("{page}: `haymark {typed}`: {error}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
