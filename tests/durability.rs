//! What is called saved is on the disk: kills at every write, syncs in their order, files that appear whole.
//!
//! A kill or a list of system calls takes strace. Where there is none, or it may trace nothing, these tests say so and skip.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use haymark::store::{StudyFile, check};

struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Desk {
        Desk(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// haymark behind another program with its arguments.
    fn behind(&self, before: &[&str], arguments: &[&str]) -> Output {
        let words: Vec<&str> =
            before.iter().chain(&[env!("CARGO_BIN_EXE_haymark")]).chain(arguments).copied().collect();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(self.0.path()).env("TMPDIR", self.0.path());
        command.stdin(Stdio::null()).output().expect("it runs")
    }

    fn run(&self, arguments: &[&str]) {
        let done = self.behind(&[], arguments);
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    /// The calls that matter to the disk, in order, with short names: `sync study.db`, `remove study.db-journal`.
    fn calls(&self, arguments: &[&str]) -> Vec<String> {
        let calls = "-e trace=fsync,fdatasync,unlink,rename,renameat,renameat2,link,linkat";
        let strace: Vec<&str> =
            ["strace", "-f", "-y", "-o", "calls"].into_iter().chain(calls.split(' ')).collect();
        let done = self.behind(&strace, arguments);
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        let folder = fs::canonicalize(self.0.path()).expect("there").display().to_string();
        let text = fs::read_to_string(self.path("calls")).expect("a list");
        let told = text.lines().filter(|line| line.ends_with(" = 0")).filter_map(|line| short(line, &folder));
        // What is done in a folder of its own does not outlast the command.
        told.filter(|call| !call.contains("haymark-")).collect()
    }
}

/// One line of strace: the kind of call and the last name in it.
fn short(line: &str, folder: &str) -> Option<String> {
    let kind = match line.split_whitespace().nth(1)?.split('(').next()? {
        "fsync" | "fdatasync" => "sync",
        "unlink" => "remove",
        _ => "name",
    };
    let name = line.rsplit(['"', '<', '>']).nth(1)?;
    let name = match name.strip_prefix(folder) {
        Some("") => ".",
        Some(inner) => inner.trim_start_matches('/'),
        None => name,
    };
    Some(format!("{kind} {name}"))
}

fn can_trace() -> bool {
    let tried = Command::new("strace").args(["-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    let can = tried.is_ok_and(|status| status.success());
    if !can {
        eprintln!("skipped: strace is not here, or may trace nothing");
    }
    can
}

fn sample(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_data").join(name).display().to_string()
}

/// One transaction of a study that is there: the journal and its name, the pages, the journal's end.
const COMMIT: [&str; 6] = [
    "sync study.db-journal",
    "sync .",
    "sync study.db-journal",
    "sync study.db",
    "remove study.db-journal",
    "sync .",
];

#[test]
fn files_and_folders_are_synced_in_their_order() {
    if !can_trace() {
        return;
    }
    let desk = Desk::new();
    let (haystack, questions) = (sample("haystack.jsonl"), sample("questions.jsonl"));
    let placed = |name: &str| ["name ".to_owned() + name, "sync .".to_owned()];
    // What is made whole: its content was synced under its first name, which is left out of the list.
    assert_eq!(desk.calls(&["init", "empty.db"]), placed("empty.db"));
    assert_eq!(desk.calls(&["import", "study.db", &haystack]), placed("study.db"));
    assert_eq!(desk.calls(&["export", "study.db", "-o", "out.jsonl"]), placed("out.jsonl"));
    assert_eq!(desk.calls(&["split", "study.db", "--for", "alice", "--to", "home.db"]), placed("home.db"));
    assert_eq!(desk.calls(&["check", "study.db", "--recover", "saved.db"]), placed("saved.db"));
    // What is written into a study.
    assert_eq!(desk.calls(&["import", "study.db", &questions]), COMMIT);
    desk.run(&["import", "other.db", &sample("facts.jsonl")]);
    assert_eq!(desk.calls(&["merge", "study.db", "other.db"]), COMMIT);
    let assign = ["assign", "study.db", "--protocol", "coverage", "--to", "ann,ben"];
    assert_eq!(desk.calls(&assign), COMMIT);
    // The content before the name.
    let strace = ["strace", "-f", "-y", "-o", "calls", "-e", "trace=fsync,fdatasync,renameat2"];
    assert!(desk.behind(&strace, &["init", "last.db"]).status.success());
    let text = fs::read_to_string(desk.path("calls")).expect("a list");
    let lines: Vec<&str> = text.lines().collect();
    let named = lines.iter().position(|line| line.contains("last.db\"")).expect("it gets its name");
    assert!(
        named > 0 && lines[named - 1].contains("sync(") && lines[named - 1].contains("/study.db>"),
        "{text}"
    );
}

/// Kills the command at the first call of these kinds, then at the second, and so on until it is done; after each kill
/// `look` says what must hold. Gives the number of kills.
fn kill_at_each(desk: &Desk, calls: &str, step: usize, arguments: &[&str], mut look: impl FnMut()) -> usize {
    for kills in 0.. {
        let inject = format!("inject={calls}:signal=KILL:when={}", kills * step + 1);
        let trace = format!("trace={calls}");
        let strace = ["strace", "-f", "-o", "/dev/null", "-e", &trace, "-e", &inject];
        let done = desk.behind(&strace, arguments);
        look();
        if done.status.success() {
            return kills;
        }
        assert!(kills < 2_000, "{}", String::from_utf8_lossy(&done.stderr));
    }
    0
}

const WRITES: &str = "pwrite64,fsync,fdatasync,unlink,ftruncate";

#[test]
fn a_killed_import_is_taken_back_and_never_refused() {
    if !can_trace() {
        return;
    }
    let desk = Desk::new();
    let study = desk.path("study.db");
    desk.run(&["import", "study.db", &sample("haystack.jsonl")]);
    let before = fs::read(&study).expect("there");
    let mut journals = 0;
    let look = || {
        let journal = desk.path("study.db-journal");
        journals += usize::from(fs::metadata(&journal).is_ok_and(|about| about.len() > 0));
        let beside = fs::read(&journal).ok();
        let report = check(&study).expect("looked at");
        assert!(report.findings.iter().all(|finding| !finding.what.contains("another state")), "{report:?}");
        assert_eq!(fs::read(&journal).ok(), beside, "check touches nothing");
        let open = StudyFile::open(&study).expect("a killed study opens");
        assert!(open.queries().expect("read").len() >= 1);
        drop(open);
        // Whole or not at all.
        let now = fs::read(&study).expect("there");
        if now != before {
            fs::write(&study, &before).expect("put back");
        }
    };
    let kills = kill_at_each(&desk, WRITES, 5, &["import", "study.db", &sample("questions.jsonl")], look);
    eprintln!("{kills} kills, {journals} journals left");
    assert!(kills > 10 && journals > 5);
}

#[test]
fn a_killed_first_import_leaves_no_study_and_the_next_one_removes_what_it_left() {
    if !can_trace() {
        return;
    }
    let desk = Desk::new();
    let names = || {
        let entries = fs::read_dir(desk.0.path()).expect("listed");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("read").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    let calls = format!("{WRITES},mkdir,renameat2,openat");
    let look = || {
        assert!(names().len() <= 2, "{:?}", names());
        if desk.path("new.db").exists() {
            let study = StudyFile::open(&desk.path("new.db")).expect("whole");
            assert!(study.queries().expect("read").len() > 1);
            let mode = fs::metadata(desk.path("new.db")).expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            drop(study);
            fs::remove_file(desk.path("new.db")).expect("removed");
        }
    };
    let kills = kill_at_each(&desk, &calls, 7, &["import", "new.db", &sample("questions.jsonl")], look);
    assert!(kills > 10, "{kills}");
    desk.run(&["init", "last.db"]);
    assert_eq!(names(), ["last.db"]);
}

#[test]
fn what_someone_else_made_meanwhile_stays() {
    let desk = Desk::new();
    // The reader waits for its source while someone else takes the name.
    let mut first = Command::new(env!("CARGO_BIN_EXE_haymark"));
    first.args(["import", "new.db", "source.jsonl"]).current_dir(desk.0.path()).stderr(Stdio::piped());
    let many: String = (0..60_000)
        .map(|number| format!("{{\"type\":\"query\",\"id\":\"q{number}\",\"text\":\"?\"}}\n"))
        .collect();
    fs::write(desk.path("source.jsonl"), many + "{\"type\":\"nonsense\"}\n").expect("written");
    let first = first.spawn().expect("it runs");
    desk.run(&["import", "theirs.db", &sample("questions.jsonl")]);
    fs::rename(desk.path("theirs.db"), desk.path("new.db")).expect("named");
    let theirs = fs::read(desk.path("new.db")).expect("there");
    let first = first.wait_with_output().expect("it ends");
    assert!(!first.status.success());
    assert!(fs::read(desk.path("new.db")).expect("there") == theirs);
}

#[test]
fn nobody_reads_what_is_made_of_a_private_study() {
    let desk = Desk::new();
    let mode = |name: &str| fs::metadata(desk.path(name)).expect("there").permissions().mode() & 0o777;
    desk.run(&["init", "empty.db"]);
    desk.run(&["import", "study.db", &sample("haystack.jsonl")]);
    fs::write(desk.path("mine.toml"), desk.behind(&[], &["protocol", "new"]).stdout).expect("written");
    desk.run(&["protocol", "add", "own.db", "mine.toml"]);
    desk.run(&["split", "study.db", "--for", "alice", "--to", "home.db"]);
    desk.run(&["check", "study.db", "--recover", "saved.db"]);
    desk.run(&["export", "study.db", "-o", "out.jsonl"]);
    for name in ["empty.db", "study.db", "own.db", "home.db", "saved.db", "out.jsonl"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    fs::set_permissions(desk.path("study.db"), fs::Permissions::from_mode(0o640)).expect("shared");
    fs::set_permissions(desk.path("out.jsonl"), fs::Permissions::from_mode(0o666)).expect("shared");
    desk.run(&["export", "study.db", "--force", "-o", "out.jsonl"]);
    assert_eq!(mode("out.jsonl"), 0o640);
}

#[test]
fn the_published_case_of_a_copy_that_was_put_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/damaged/stray_journal");
    if !folder.is_dir() {
        eprintln!("skipped: {} is not here", folder.display());
        return;
    }
    let desk = Desk::new();
    for name in ["backup.db", "backup.db-journal"] {
        fs::write(desk.path(name), fs::read(folder.join(name)).expect("there")).expect("copied");
    }
    let both = || ["backup.db", "backup.db-journal"].map(|name| fs::read(desk.path(name)).expect("there"));
    let before = both();
    desk.run(&["init", "other.db"]);
    let commands: [&[&str]; 8] = [
        &["export", "backup.db"],
        &["status", "backup.db"],
        &["score", "backup.db"],
        &["check", "backup.db"],
        &["merge", "other.db", "backup.db"],
        &["merge", "backup.db", "other.db"],
        &["split", "backup.db", "--for", "alice", "--to", "home.db"],
        &["import", "backup.db", "other.db"],
    ];
    for arguments in commands {
        let done = desk.behind(&[], arguments);
        assert_eq!(done.status.code(), Some(1), "{arguments:?}");
        let told = String::from_utf8_lossy(if arguments[0] == "check" { &done.stdout } else { &done.stderr });
        let words = told.split_whitespace().collect::<Vec<_>>().join(" ");
        if arguments[0] != "import" {
            assert!(words.contains("move the journal away"), "{arguments:?}: {told}");
        }
        assert!(both() == before, "{arguments:?}");
    }
    desk.run(&["check", "backup.db", "--recover", "saved.db"]);
    assert!(both() == before);
    fs::remove_file(desk.path("backup.db-journal")).expect("moved away");
    desk.run(&["check", "backup.db"]);
}
