//! What a shell puts on the line when a person presses tab: names of a study and of files arrive as one argument, and run nothing.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use portable_pty::CommandBuilder;
use serde_json::json;

use crate::harness::{Desk, PROGRAM, Session};

/// A shell, how it is started, and how it is told of haymark.
struct Shell {
    name: &'static str,
    arguments: &'static [&'static str],
    /// The file that it reads at its start, and what stands there.
    begins: (&'static str, &'static str),
}

const SHELLS: [Shell; 3] = [
    Shell {
        name: "bash",
        arguments: &["--noprofile", "--rcfile", "begin", "-i"],
        begins: ("begin", "PS1='> '\nsource <(haymark completions bash)\n"),
    },
    Shell {
        name: "zsh",
        arguments: &["-o", "NO_GLOBAL_RCS", "-i"],
        begins: (
            ".zshrc",
            "PS1='> '\nautoload -U compinit\ncompinit -u -D\nsource <(haymark completions zsh)\n",
        ),
    },
    Shell {
        name: "fish",
        arguments: &["-i"],
        begins: (
            "config/fish/config.fish",
            "function fish_prompt; echo '> '; end\nset fish_greeting\nset -g fish_autosuggestion_enabled 0\n\
             haymark completions fish | source\n",
        ),
    },
];

/// Names that are more to a shell than names.
const NAMES: [&str; 15] = [
    "$(touch PWNED)",
    "`touch PWNED`",
    "a|touch PWNED",
    "a b;touch PWNED",
    "a&&touch PWNED",
    "a>PWNED",
    "Anna Maria",
    "anna",
    "=touch",
    "*",
    "{a,b}'s \"$HOME\" \\",
    "x!!",
    "lab:anna",
    "安娜 (b)",
    "#1",
];

/// Names that no shell is given.
const NEVER: [&str; 5] = ["~root", "x\u{1b}]0;owned\u{7}", "x\u{202e}cba", "x\ntouch PWNED", "--rebuild"];

/// A desk where `haymark` notes the arguments that it is called with, and one study a name.
fn desk_of(shell: &Shell) -> Option<Desk> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&path).any(|folder| folder.join(shell.name).is_file()) {
        println!("skipped: there is no {} here", shell.name);
        return None;
    }
    let desk = Desk::new();
    let (file, text) = shell.begins;
    for folder in ["bin", "config/fish"] {
        fs::create_dir_all(desk.path(folder)).unwrap();
    }
    desk.file(file, text);
    let noting = format!(
        "#!/bin/sh\nif [ \"$1\" = completions ]; then exec {PROGRAM} \"$@\"; fi\n\
         if [ -n \"$COMPLETE\" ]; then {PROGRAM} \"$@\"; touch asked; exit; fi\n\
         printf '%s\\0' \"$@\" > noting && mv noting noted\n"
    );
    desk.file("bin/haymark", noting);
    fs::set_permissions(desk.path("bin/haymark"), fs::Permissions::from_mode(0o755)).unwrap();
    for (at, name) in NAMES.iter().chain(&NEVER).enumerate() {
        desk.records("name.jsonl", &[json!({"type": "annotator", "id": name, "kind": "human"})]);
        desk.out(&["import", &format!("s{at}.db"), "name.jsonl"]);
    }
    desk.file("name.jsonl", "");
    Some(desk)
}

fn start(shell: &Shell, desk: &Desk) -> Session {
    let mut command = CommandBuilder::new(shell.name);
    command.args(shell.arguments);
    let bin = desk.path("bin").into_os_string().into_string().unwrap();
    let path = format!("{bin}:{}", std::env::var("PATH").unwrap_or_default());
    let mut session = desk.start_command((200, 50), command, &[("PATH", &path)]);
    session.wait_for(">");
    session
}

/// Types a line, presses tab, then enter; the arguments that haymark got.
fn entered(session: &mut Session, desk: &Desk, line: &str) -> Vec<String> {
    let [noted, asked] = ["noted", "asked"].map(|name| desk.path(name));
    session.type_keys(line).rest(Duration::from_millis(80));
    for file in [&noted, &asked] {
        let _ = fs::remove_file(file);
    }
    session.type_keys("\t");
    let deadline = Instant::now() + Duration::from_secs(20);
    while !asked.exists() {
        assert!(Instant::now() < deadline, "{:#?}", session.rows());
        session.rest(Duration::from_millis(10));
    }
    // The shell puts it on the line.
    session.rest(Duration::from_millis(150)).type_keys("\r");
    while !noted.exists() {
        assert!(Instant::now() < deadline, "{:#?}", session.rows());
        session.rest(Duration::from_millis(10));
    }
    let noted = fs::read_to_string(&noted).unwrap();
    session.rest(Duration::from_millis(50));
    noted.split_terminator('\0').map(str::to_owned).collect()
}

fn check_shell(shell: &Shell) {
    let Some(desk) = desk_of(shell) else { return };
    let mut session = start(shell, &desk);
    for (at, name) in NAMES.iter().enumerate() {
        let study = format!("s{at}.db");
        for (line, expected) in [
            (format!("haymark status {study} --annotators "), vec!["status", &study, "--annotators", name]),
            (format!("haymark annotate {study} --as "), vec!["annotate", &study, "--as", name]),
        ] {
            // A comma parts two names of a list; and what holds of one option holds of the other.
            let is_for = if line.contains("--annotators") {
                !name.contains(',')
            } else {
                at < 4 || name.contains(',')
            };
            if !is_for {
                continue;
            }
            assert_eq!(entered(&mut session, &desk, &line), expected, "{}", shell.name);
        }
    }
    for (at, name) in NEVER.iter().enumerate() {
        let line = format!("haymark annotate s{}.db --as ", NAMES.len() + at);
        let got = entered(&mut session, &desk, &line).concat();
        assert!(!got.contains(name), "{}: {got:?}", shell.name);
    }
    // A word that was begun, in the ways in which it can be.
    for typed in ["Anna\\ M", "\"Anna M", "'Anna M", "anna,Anna\\ M"] {
        let got = entered(&mut session, &desk, &format!("haymark score s6.db --annotators {typed}"));
        let expected = if typed.starts_with("anna") { "anna,Anna Maria" } else { "Anna Maria" };
        assert_eq!(got, ["score", "s6.db", "--annotators", expected], "{}: {typed}", shell.name);
    }
    // Files, too, come from others; and a study may lie where a blank is in the name.
    desk.file("g$(touch PWNED) x", "");
    assert_eq!(
        entered(&mut session, &desk, "haymark check g"),
        ["check", "g$(touch PWNED) x"],
        "{}",
        shell.name
    );
    fs::copy(desk.path("s6.db"), desk.path("my study.db")).unwrap();
    let got = entered(&mut session, &desk, "haymark status my\\ study.db --annotators=An");
    assert_eq!(got, ["status", "my study.db", "--annotators=Anna Maria"], "{}", shell.name);
    let got = entered(&mut session, &desk, "haymark annotate s12.db --as lab:an");
    assert_eq!(got.last().map(String::as_str), Some("lab:anna"), "{}", shell.name);
    assert!(!desk.path("PWNED").exists(), "{}", shell.name);
    assert!(session.terminal().heard().strange.iter().all(|heard| !heard.contains("owned")));
    session.type_keys("exit\r").wait_for_exit();
}

#[test]
fn bash_completes_names_as_one_argument_and_runs_none() {
    check_shell(&SHELLS[0]);
}

#[test]
fn zsh_completes_names_as_one_argument_and_runs_none() {
    check_shell(&SHELLS[1]);
}

#[test]
fn fish_completes_names_as_one_argument_and_runs_none() {
    check_shell(&SHELLS[2]);
}

/// Words of a line that a shell hands over, and what comes back.
#[test]
fn shells_complete_commands_and_the_names_of_a_study() {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack", "haystack_judgments"]);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(desk.out(&["completions", shell]).contains("haymark"), "{shell}");
    }
    let completed = |line: &str, piece: &str| {
        let output =
            desk.command(&["--", line, piece]).env("COMPLETE", "bash").output().expect("haymark runs");
        let told = String::from_utf8(output.stdout).expect("UTF-8");
        told.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(completed("haymark anno", "anno"), ["annotate"]);
    assert_eq!(completed("haymark annotate study.db --as al", "al"), ["alice"]);
    assert_eq!(completed("haymark score study.db --annotators alice,bo", "alice,bo"), ["alice,bora"]);
    assert_eq!(completed("haymark score study.db --annotators=alice,bo", "alice,bo"), ["alice,bora"]);
    assert_eq!(completed("haymark score study.db --protocol entail", "entail"), ["entailment"]);
    let files = completed("haymark split study.db --for alice --to st", "st");
    assert_eq!(files, ["study.db"], "an option of this name takes a file here");
}
