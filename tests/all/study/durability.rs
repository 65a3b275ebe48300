//! What is called saved is on the disk: kills at every write, syncs in their order, files that appear whole.
//!
//! A kill or a list of system calls takes strace. Where there is none, or it may trace nothing, these tests say so and skip.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};

use haymark::store::{StudyFile, check};

use crate::harness::{Desk, PROGRAM, project, sample};

/// haymark behind strace with these options, and with its temporary files on the desk.
fn traced(desk: &Desk, options: &[&str], arguments: &[&str]) -> Output {
    let mut command = Command::new("strace");
    command.args(options).arg(PROGRAM).args(arguments);
    command.env_clear().envs(desk.environment()).env("TMPDIR", desk.folder());
    command.current_dir(desk.folder()).stdin(Stdio::null()).output().expect("it runs")
}

/// The calls that matter to the disk, in order, with short names: `sync study.db`, `remove study.db-journal`.
fn calls(desk: &Desk, arguments: &[&str]) -> Vec<String> {
    let trace = "trace=fsync,fdatasync,unlink,rename,renameat,renameat2,link,linkat";
    let done = traced(desk, &["-f", "-y", "-o", "calls", "-e", trace], arguments);
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    let folder = fs::canonicalize(desk.folder()).expect("there").display().to_string();
    let text = fs::read_to_string(desk.path("calls")).expect("a list");
    let told = text.lines().filter(|line| line.ends_with(" = 0")).filter_map(|line| short(line, &folder));
    // What is done in a folder of its own does not outlast the command.
    told.filter(|call| !call.contains("haymark-")).collect()
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
        println!("skipped: strace is not here, or may trace nothing");
    }
    can
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
    let (haystack, questions) = (sample("haystack"), sample("questions"));
    let placed = |name: &str| ["name ".to_owned() + name, "sync .".to_owned()];
    // What is made whole: its content was synced under its first name, which is left out of the list.
    assert_eq!(calls(&desk, &["init", "empty.db"]), placed("empty.db"));
    assert_eq!(calls(&desk, &["import", "study.db", &haystack]), placed("study.db"));
    assert_eq!(calls(&desk, &["export", "study.db", "-o", "out.jsonl"]), placed("out.jsonl"));
    assert_eq!(calls(&desk, &["split", "study.db", "--for", "alice", "--to", "home.db"]), placed("home.db"));
    assert_eq!(calls(&desk, &["check", "study.db", "--recover", "saved.db"]), placed("saved.db"));
    // What is written into a study.
    assert_eq!(calls(&desk, &["import", "study.db", &questions]), COMMIT);
    desk.out(&["import", "other.db", &sample("facts")]);
    assert_eq!(calls(&desk, &["merge", "study.db", "other.db"]), COMMIT);
    let assign = ["assign", "study.db", "--protocol", "coverage", "--to", "ann,ben"];
    assert_eq!(calls(&desk, &assign), COMMIT);
    // What an older haymark made: the copy, then the study.
    fs::copy(project("tests/files/version8.db"), desk.path("old.db")).expect("copied");
    fs::set_permissions(desk.path("old.db"), fs::Permissions::from_mode(0o600)).expect("set");
    let commit = COMMIT.map(|call| call.replace("study.db", "old.db"));
    assert_eq!(calls(&desk, &["status", "old.db"]), [&placed("old.db.before-v12")[..], &commit].concat());
    let mode = fs::metadata(desk.path("old.db.before-v12")).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // The content before the name.
    let options = ["-f", "-y", "-o", "calls", "-e", "trace=fsync,fdatasync,linkat"];
    assert!(traced(&desk, &options, &["init", "last.db"]).status.success());
    let text = fs::read_to_string(desk.path("calls")).expect("a list");
    let lines: Vec<&str> = text.lines().collect();
    let named = lines.iter().position(|line| line.contains("last.db\"")).expect("it gets its name");
    assert!(
        named > 0 && lines[named - 1].contains("sync(") && lines[named - 1].contains("/study.db>"),
        "{text}"
    );
}

/// Kills the command at the first call of these kinds, then at the second, and so on until it is done; after each kill
/// `look` says what must hold, of what it printed too. Gives the number of kills.
fn kill_at_each(
    desk: &Desk,
    calls: &str,
    step: usize,
    arguments: &[&str],
    mut look: impl FnMut(&str),
) -> usize {
    for kills in 0.. {
        let inject = format!("inject={calls}:signal=KILL:when={}", kills * step + 1);
        let trace = format!("trace={calls}");
        let options = ["-f", "-o", "/dev/null", "-e", &trace, "-e", &inject];
        let done = traced(desk, &options, arguments);
        look(&String::from_utf8_lossy(&done.stdout));
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
    desk.out(&["import", "study.db", &sample("haystack")]);
    let before = fs::read(&study).expect("there");
    let mut journals = 0;
    let look = |_: &str| {
        let journal = desk.path("study.db-journal");
        journals += usize::from(fs::metadata(&journal).is_ok_and(|about| about.len() > 0));
        let beside = fs::read(&journal).ok();
        let report = check(&study).expect("looked at");
        assert!(report.findings.iter().all(|finding| !finding.what.contains("another state")), "{report:?}");
        assert_eq!(fs::read(&journal).ok(), beside, "check touches nothing");
        let open = StudyFile::open(&study).expect("a killed study opens");
        assert!(!open.queries().expect("read").is_empty());
        drop(open);
        // Whole or not at all.
        let now = fs::read(&study).expect("there");
        if now != before {
            fs::write(&study, &before).expect("put back");
        }
    };
    let kills = kill_at_each(&desk, WRITES, 1, &["import", "study.db", &sample("questions")], look);
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
        let entries = fs::read_dir(desk.folder()).expect("listed");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("read").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    let calls = format!("{WRITES},mkdir,linkat,openat");
    let look = |_: &str| {
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
    let kills = kill_at_each(&desk, &calls, 3, &["import", "new.db", &sample("questions")], look);
    assert!(kills > 10, "{kills}");
    desk.out(&["init", "last.db"]);
    assert_eq!(names(), ["last.db"]);
}

#[test]
fn what_is_said_to_have_come_in_outlasts_a_kill() {
    if !can_trace() {
        return;
    }
    let desk = Desk::new();
    let files = ["a", "b", "c", "d"].map(|name| many(&desk, name));
    let mut seen = BTreeSet::new();
    let mut look = |told: &str| {
        let study = desk.path("new.db");
        let there = if study.exists() {
            let there =
                StudyFile::open(&study).and_then(|study| study.collections()).expect("a killed study opens");
            fs::remove_file(&study).expect("removed");
            let _ = fs::remove_file(desk.path("new.db-journal"));
            there
        } else {
            Vec::new()
        };
        let count =
            |file: &String| there.iter().filter(|one| file.chars().next() == one.1.id.chars().next()).count();
        let counts: Vec<usize> = files.iter().map(count).collect();
        assert!(
            counts.is_sorted_by(|one, next| one >= next) && counts.iter().all(|count| [0, 3].contains(count))
        );
        let said =
            files.iter().filter(|file| told.contains(&format!("{file} (jsonl): 3 collections came in")));
        assert!(said.clone().all(|file| count(file) == 3), "{told}");
        seen.insert((said.count(), counts.iter().sum::<usize>() / 3));
    };
    let arguments = [&["import", "new.db"][..], &files.each_ref().map(String::as_str)].concat();
    for (calls, step) in [("pwrite64", 3), ("fsync,fdatasync", 1), ("unlink", 1)] {
        assert!(kill_at_each(&desk, calls, step, &arguments, &mut look) > 1, "{calls}");
    }
    // All come in as one step.
    assert!(seen.is_superset(&[(0, 0), (4, 4)].into()), "{seen:?}");
    assert!(seen.is_subset(&[(0, 0), (0, 4), (4, 4)].into()), "{seen:?}");
}

/// A file of three collections.
fn many(desk: &Desk, name: &str) -> String {
    let one = |number| format!("{{\"type\":\"collection\",\"id\":\"{name}{number}\"}}\n");
    desk.file(&format!("{name}.jsonl"), (0..3).map(one).collect::<String>());
    format!("{name}.jsonl")
}

#[test]
fn a_bad_file_among_good_ones_lets_none_of_them_in() {
    let desk = Desk::new();
    let [a, b] = ["a", "b"].map(|name| many(&desk, name));
    desk.file("bad.jsonl", "{\"type\":\"collection\",\"id\":\"q\"}\n{\"type\":\"collection\"}\n");
    desk.out(&["import", "known.db", &a]);
    let before = desk.out(&["export", "known.db"]);
    for files in [["bad.jsonl", &a, &b], [&a, "bad.jsonl", &b], [&a, &b, "bad.jsonl"]] {
        for study in ["new.db", "known.db"] {
            let done = desk.run(&[&["import", study][..], &files].concat());
            let told = String::from_utf8_lossy(&done.stderr).into_owned();
            assert!(!done.status.success() && done.stdout.is_empty(), "{told}");
            assert!(told.contains("bad.jsonl, line 2") && told.contains("nothing was imported"), "{told}");
        }
        assert!(!desk.path("new.db").exists());
        assert_eq!(desk.out(&["export", "known.db"]), before);
    }
}

#[test]
fn what_a_killed_program_copied_goes_with_the_next_start() {
    let desk = Desk::new();
    for name in ["tmp", "tmp/haymark-0123456789abcdef", "tmp/haymark-another"] {
        fs::create_dir(desk.path(name)).expect("made");
        desk.file(&format!("{name}/lock"), "");
        desk.file(&format!("{name}/study.db"), "private");
    }
    assert!(
        desk.command(&["keys"]).env("TMPDIR", desk.path("tmp")).output().expect("it runs").status.success()
    );
    assert!(!desk.path("tmp/haymark-0123456789abcdef").exists());
    assert!(desk.path("tmp/haymark-another/study.db").exists(), "haymark names none like that");
}

#[test]
fn what_someone_else_made_meanwhile_stays() {
    let desk = Desk::new();
    // The reader waits for its source while someone else takes the name.
    let mut first = desk.command(&["import", "new.db", "source.jsonl"]);
    first.stderr(Stdio::piped());
    let many: String = (0..60_000)
        .map(|number| format!("{{\"type\":\"query\",\"id\":\"q{number}\",\"text\":\"?\"}}\n"))
        .collect();
    fs::write(desk.path("source.jsonl"), many + "{\"type\":\"nonsense\"}\n").expect("written");
    let first = first.spawn().expect("it runs");
    desk.out(&["import", "theirs.db", &sample("questions")]);
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
    desk.out(&["init", "empty.db"]);
    desk.out(&["import", "study.db", &sample("haystack")]);
    fs::write(desk.path("mine.toml"), desk.out(&["protocol", "new"])).expect("written");
    desk.out(&["protocol", "add", "own.db", "mine.toml"]);
    desk.out(&["split", "study.db", "--for", "alice", "--to", "home.db"]);
    desk.out(&["check", "study.db", "--recover", "saved.db"]);
    desk.out(&["export", "study.db", "-o", "out.jsonl"]);
    for name in ["empty.db", "study.db", "own.db", "home.db", "saved.db", "out.jsonl"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    fs::set_permissions(desk.path("study.db"), fs::Permissions::from_mode(0o640)).expect("shared");
    fs::set_permissions(desk.path("out.jsonl"), fs::Permissions::from_mode(0o666)).expect("shared");
    desk.out(&["export", "study.db", "--force", "-o", "out.jsonl"]);
    assert_eq!(mode("out.jsonl"), 0o640);
}

/// While the journal of a later state of the file lies beside it.
#[test]
fn a_copy_that_was_put_back_is_refused_and_left_alone() {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack"]);
    fs::copy(desk.path("study.db"), desk.path("backup.db")).expect("copied");
    desk.samples("study.db", &["questions"]);
    let writing = rusqlite::Connection::open(desk.path("study.db")).expect("opened");
    // More than the cache holds, and the first page.
    let statements = "PRAGMA cache_size = 5; BEGIN; PRAGMA user_version = 10;
        UPDATE import SET source = hex(zeroblob(1000000));";
    writing.execute_batch(statements).expect("begun");
    fs::copy(desk.path("study.db-journal"), desk.path("backup.db-journal")).expect("a journal");
    drop(writing);
    let both = || ["backup.db", "backup.db-journal"].map(|name| fs::read(desk.path(name)).expect("there"));
    let before = both();
    desk.out(&["init", "other.db"]);
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
        let done = desk.run(arguments);
        assert_eq!(done.status.code(), Some(1), "{arguments:?}");
        let told = String::from_utf8_lossy(if arguments[0] == "check" { &done.stdout } else { &done.stderr });
        let words = told.split_whitespace().collect::<Vec<_>>().join(" ");
        if arguments[0] != "import" {
            assert!(words.contains("move the journal away"), "{arguments:?}: {told}");
        }
        assert!(both() == before, "{arguments:?}");
    }
    desk.out(&["check", "backup.db", "--recover", "saved.db"]);
    assert!(both() == before);
    fs::remove_file(desk.path("backup.db-journal")).expect("moved away");
    desk.out(&["check", "backup.db"]);
}
