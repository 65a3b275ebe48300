//! Commands that write, disturbed: killed at a step, a step that fails, power that is cut. What they change is then as it was
//! before or as it is when all goes well, and the latter when they said so; a second run ends well. Those that write several
//! files have written all of them or none, and nothing else lies there.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::campaign;
use super::jobs::{Done, Holding, done, exports};
use crate::harness::{Desk, How, Luck, Shim, Trouble};

/// No command takes so long on these studies, however busy the machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Errors by kind of step: no space, no such quota, a bad disk, a signal, too large, no right, no more files, no locks.
fn errors(kind: &str) -> &'static [How] {
    const SPACE: i32 = 28;
    const QUOTA: i32 = 122;
    const DISK: i32 = 5;
    const SIGNAL: i32 = 4;
    const LARGE: i32 = 27;
    const RIGHT: i32 = 13;
    const READ_ONLY: i32 = 30;
    const FILES: i32 = 24;
    const LOCKS: i32 = 37;
    match kind {
        "write" => &[
            How::Fails(SPACE),
            How::Fails(QUOTA),
            How::Fails(DISK),
            How::Fails(SIGNAL),
            How::Fails(LARGE),
            How::Short,
        ],
        "read" => &[How::Fails(DISK), How::Fails(SIGNAL), How::Short],
        "sync" => &[How::Fails(DISK), How::Fails(SPACE), How::Fails(QUOTA)],
        "open" => {
            &[How::Fails(SPACE), How::Fails(DISK), How::Fails(RIGHT), How::Fails(FILES), How::Fails(SIGNAL)]
        }
        "lock" => &[How::Fails(LOCKS), How::Fails(DISK)],
        "truncate" | "rename" | "link" | "mkdir" | "unlink" => {
            &[How::Fails(DISK), How::Fails(SPACE), How::Fails(RIGHT), How::Fails(READ_ONLY)]
        }
        other => panic!("{other} does not fail"),
    }
}

/// Runs a command to its end; one that does not end is a failure.
pub fn ended(command: &mut Command, context: &str) -> Output {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("haymark runs");
    let id = Pid::from_child(&child);
    let (sender, receiver) = channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    receiver.recv_timeout(PATIENCE).map_or_else(
        |_| {
            kill_process(id, Signal::KILL).expect("killed");
            panic!("{context}: it does not end");
        },
        |output| output.expect("read"),
    )
}

/// What holds after any disturbance.
fn settle(done: &Done, desk: &Desk, acknowledged: bool, context: &str) {
    let found = done.job.look(desk);
    for ((now, before), after) in found.iter().zip(&done.before).zip(&done.after) {
        let is_allowed = now == after || now == before && !acknowledged;
        assert!(is_allowed, "{context}: acknowledged {acknowledged}, {}: {}", now.0, unlike(now, after));
    }
    done.job.check(desk, context);
    let again = ended(&mut desk.command(done.job.arguments()), context);
    let said = String::from_utf8_lossy(&again.stderr);
    assert!(found == done.after || again.status.code() == done.status, "{context}: then {said}");
    for (now, after) in done.job.look(desk).iter().zip(&done.after) {
        assert!(now == after, "{context}: the second run: {said}{}", unlike(now, after));
    }
    done.job.check(desk, context);
    if exports().iter().any(|export| std::ptr::eq(export, done)) {
        assert_eq!(aside(desk), 0, "{context}: the second run leaves what lay aside: {said}");
    }
}

/// How many things lie on the desk that are not finished.
fn aside(desk: &Desk) -> usize {
    let is_aside = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with(".haymark-");
    desk.files().keys().filter(|name| name.iter().any(is_aside)).count()
}

/// Where what is held parts from what should be.
fn unlike((_, now): &Holding, (_, after): &Holding) -> String {
    let (Some(now), Some(after)) = (now, after) else { return format!("{now:.400?} for {after:.400?}") };
    let lines = now.lines().zip(after.lines()).find(|(now, after)| now != after);
    format!("{} lines for {}, first unlike {lines:?}", now.lines().count(), after.lines().count())
}

fn is_panic(output: &Output) -> bool {
    String::from_utf8_lossy(&output.stderr).contains("panicked")
}

#[test]
fn a_killed_command_has_done_all_or_nothing() {
    campaign("HAYMARK_KILLS", 2, 40, |draw| {
        let done = draw.of(done());
        let desk = Desk::holding(&done.files);
        let changes = done.steps.iter().filter(|step| step.changes()).count();
        let mut command = desk.command(done.job.arguments());
        let shim = Shim::over(desk.folder());
        let number = 1 + draw.below(changes.max(1));
        let delay = Duration::from_micros(draw.below(30_000) as u64);
        let by_time = shim.is_none() || draw.below(8) == 0;
        let context = format!("{:?} killed at {number} or after {delay:?}", done.job.arguments());
        let output = if by_time {
            let mut child =
                command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("haymark runs");
            std::thread::sleep(delay);
            child.kill().expect("killed");
            child.wait_with_output().expect("ended")
        } else {
            let trouble = Trouble { kind: "any", number, how: How::Signal(9), lasts: false };
            ended(command.envs(shim.unwrap().variables(None, Some(&trouble))), &context)
        };
        settle(done, &desk, output.status.success(), &context);
    });
}

/// Ctrl-C, an end that is asked for and a full disk leave nothing behind, and neither a part of the files.
#[test]
fn an_interrupted_export_leaves_nothing() {
    campaign("HAYMARK_EXPORTS", 1, 24, |draw| {
        let done = draw.of(exports());
        let desk = Desk::holding(&done.files);
        let Some(shim) = Shim::over(desk.folder()) else { return };
        let number = 1 + draw.below(done.steps.iter().filter(|step| step.changes()).count());
        // An end that is asked for, by the keyboard or a machine that shuts down; no room, from then on.
        let how = *draw.of(&[How::Signal(2), How::Signal(15), How::Fails(28), How::Signal(9)]);
        let (kind, lasts) = match how {
            How::Fails(_) => ("write", true),
            _ => ("any", false),
        };
        let trouble = Trouble { kind, number, how, lasts };
        let context = format!("{:?} with {trouble:?}", done.job.arguments());
        let output =
            ended(desk.command(done.job.arguments()).envs(shim.variables(None, Some(&trouble))), &context);
        let error = String::from_utf8_lossy(&output.stderr);
        match (how, output.status.signal()) {
            (How::Signal(sent), Some(ended)) => {
                assert!(ended == sent && !error.contains("error:"), "{context}: {error}")
            }
            (How::Fails(_), None) if !output.status.success() => {
                assert!(error.starts_with("error: ") && !error.contains(".haymark-"), "{context}: {error}");
            }
            _ => assert!(output.status.success(), "{context}: {output:?}"),
        }
        let found = done.job.look(&desk);
        if !matches!(how, How::Signal(9)) {
            assert_eq!(aside(&desk), 0, "{context}: {:?}", desk.files().keys());
            assert!(
                found == done.before || found == done.after,
                "{context}: a part: {:?}",
                desk.files().keys()
            );
        }
        settle(done, &desk, output.status.success(), &context);
    });
}

#[test]
fn a_command_whose_disk_fails_has_done_all_or_nothing() {
    campaign("HAYMARK_FAULTS", 1, 40, |draw| {
        let done = draw.of(done());
        let desk = Desk::holding(&done.files);
        let Some(shim) = Shim::over(desk.folder()) else { return };
        let step = draw.of(&done.steps);
        let count = done.steps.iter().filter(|other| other.kind() == step.kind()).count();
        let trouble = Trouble {
            kind: step.kind(),
            number: 1 + draw.below(count),
            how: *draw.of(errors(step.kind())),
            // A signal comes once, and a write that is cut short goes on.
            lasts: draw.below(2) == 0,
        };
        let lasts = trouble.lasts && !matches!(trouble.how, How::Short | How::Fails(4));
        let trouble = Trouble { lasts, ..trouble };
        let context = format!("{:?} with {trouble:?}", done.job.arguments());
        let output =
            ended(desk.command(done.job.arguments()).envs(shim.variables(None, Some(&trouble))), &context);
        assert!(output.status.code().is_some() && !is_panic(&output), "{context}: {output:?}");
        let succeeds = output.status.code() == done.status;
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(succeeds || error.lines().any(|line| line.starts_with("error: ")), "{context}: {error}");
        settle(done, &desk, output.status.success(), &format!("{context}, {error}"));
    });
}

#[test]
fn what_a_command_said_is_done_survives_a_power_cut() {
    campaign("HAYMARK_CUTS", 2, 40, |draw| {
        let done = draw.of(done());
        let Some(mut disk) = done.disk.clone() else { return };
        // The moment after the end is the one that counts most.
        let count = done.steps.len();
        let cut = if draw.below(3) == 0 { count } else { draw.below(count + 1) };
        done.steps[..cut].iter().for_each(|step| disk.apply(step));
        let desk = Desk::new();
        let is_hard = draw.below(2) == 0;
        disk.cut(&done.folder, desk.folder(), if is_hard { Luck::None } else { Luck::Some(draw) });
        let context = format!("{:?}, power cut after {cut} of {count} steps", done.job.arguments());
        settle(done, &desk, cut == count, &context);
    });
}

/// A read that failed once says nothing of the file, and a lock that the system has not to give is held by nobody.
#[test]
fn an_error_of_the_system_is_told_as_what_it_is() {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack", "haystack_judgments"]);
    desk.records("one.jsonl", &[serde_json::json!({"type": "annotator", "id": "zed", "kind": "human"})]);
    let before = desk.files();
    let run = |arguments: &[&str], kind: &'static str, number: usize, error: i32, lasts: bool| {
        let desk = Desk::holding(&before);
        let shim = Shim::over(desk.folder())?;
        let trouble = Trouble { kind, number, how: How::Fails(error), lasts };
        let variables = shim.variables(None, Some(&trouble));
        let output = ended(desk.command(arguments).envs(variables), &format!("{arguments:?}"));
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let check = desk.out(&["check", "study.db"]);
        assert!(check.contains("Nothing is wrong"), "{arguments:?}: {told}{check}");
        Some((output.status.success(), told))
    };
    let mut failed = 0;
    for (arguments, numbers) in [
        (&["import", "study.db", "one.jsonl"][..], 8..56),
        (&["split", "study.db", "--for", "alice", "--to", "part.db"], 20..32),
    ] {
        for number in numbers.step_by(3) {
            let Some((succeeds, told)) = run(arguments, "read", number, 5, false) else { return };
            assert!(!told.contains("damage") && !told.contains("go back"), "{arguments:?}, {number}: {told}");
            assert!(succeeds || told.contains("try again"), "{arguments:?}, {number}: {told}");
            failed += usize::from(!succeeds);
        }
    }
    assert!(failed > 2, "some of the reads that failed mattered");
    let (succeeds, told) = run(&["status", "study.db"], "lock", 1, 37, true).expect("the shim");
    assert!(!succeeds && told.contains("the system gives no lock on the file"), "{told}");
}

/// What never ends, or waits for ever, is refused where a small file is expected.
#[test]
fn devices_and_pipes_are_refused_where_a_file_is_read() {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack", "haystack_judgments"]);
    let make = |name: &str| {
        let made = Command::new("mkfifo").arg(desk.path(name)).status();
        assert!(made.expect("mkfifo").success());
    };
    let refused = |arguments: &[&str], words: &str| {
        let output = ended(&mut desk.command(arguments), &format!("{arguments:?}"));
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.contains(words), "{arguments:?}: {told}");
        assert_eq!(told.lines().count(), 1, "{told}");
    };
    make("font.ttf");
    let no_file = "this is no file, but a pipe or device; name a file";
    for font in ["/dev/zero", "font.ttf"] {
        refused(&["plot", "study.db", "--figures", "figures", "--font", font], no_file);
    }
    refused(
        &["report", "study.db", "-o", "report.html", "--intro", "/dev/zero"],
        "neither a file nor a pipe",
    );
    assert!(!desk.path("figures").exists() && !desk.path("report.html").exists());
    // What is wrong with a person's own files is said on the screen, and stops nobody.
    std::fs::create_dir_all(desk.path("config/haymark")).expect("made");
    std::os::unix::fs::symlink("/dev/zero", desk.path("config/haymark/preferences.toml")).expect("linked");
    make("config/haymark/keymap.toml");
    let svg = ["annotate", "study.db", "--as", "alice", "--svg", "screen.svg"];
    ended(&mut desk.command(&svg), "preferences and keymap");
    std::fs::remove_file(desk.path("config/haymark/keymap.toml")).expect("removed");
    let output = ended(&mut desk.command(&svg), "preferences");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for ending in ["-journal", "-wal"] {
        make(&format!("study.db{ending}"));
        for arguments in
            [&["status", "study.db"][..], &["check", "study.db"], &["assign", "study.db", "--to", "zed"]]
        {
            refused(arguments, "lies beside it, which is no file; move it away");
        }
        std::fs::remove_file(desk.path(&format!("study.db{ending}"))).expect("removed");
    }
}

#[test]
fn a_path_that_sqlite_cannot_take_is_named_as_the_cause() {
    let desk = Desk::new();
    let folder = format!("{}/{}", "a".repeat(240), "b".repeat(240));
    std::fs::create_dir_all(desk.path(&folder)).expect("made");
    let path = format!("{folder}/{}.db", "s".repeat(40));
    let (status, told) = desk.fails(&["init", &path]);
    assert!(status == 1 && told.contains("bytes, and SQLite opens none of more than 504"), "{told}");
    desk.out(&["init", "study.db"]);
    std::fs::copy(desk.path("study.db"), desk.path(&path)).expect("copied");
    for command in ["status", "check", "collect"] {
        let (_, told) = desk.fails(&[command, &path]);
        assert!(told.contains("move it to a folder with a shorter path"), "{command}: {told}");
    }
}
