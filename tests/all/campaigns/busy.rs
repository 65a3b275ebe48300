//! `check` on a file that others write to, with keys and with imports: it never condemns what is sound.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use haymark::error::ErrorKind;
use haymark::journal::Happening;
use haymark::protocol::{Answer, builtin};
use haymark::store::StudyFile;
use serde_json::json;

use super::campaign;
use crate::harness::Desk;

/// Rounds that a writer makes at most, so that the file does not grow without end.
const MOST: usize = 10_000;

/// Answers item after item, as keys do; gives the longest time that one of them took.
fn answer(study: &mut StudyFile, is_over: &AtomicBool) -> Duration {
    let coverage = builtin("coverage").expect("built in");
    let queue = study.open_queue("bora", coverage).expect("opened");
    let mut longest = Duration::ZERO;
    for round in 0..MOST {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        let item = study.load(queue.annotator, coverage, round % queue.progress.total).expect("loaded").item;
        let says = if round % 2 == 0 { "none" } else { "partial" };
        let happening = Happening::Answer { question: "coverage".into(), answer: Answer::Text(says.into()) };
        let start = Instant::now();
        let at = i64::try_from(round).expect("few");
        let done = [(happening, 5)];
        loop {
            match study.append(queue.annotator, coverage, item.id, item.texts(), &done, at) {
                // An import holds the file for longer than a key waits; the screen tries again too.
                Err(error) if error.kind() == ErrorKind::Busy => {}
                appended => break drop(appended.expect("appended")),
            }
        }
        longest = longest.max(start.elapsed());
        thread::sleep(Duration::from_millis(5));
    }
    longest
}

/// Imports one file after the other, each by a program of its own.
fn import(desk: &Desk, is_over: &AtomicBool) {
    for round in 0..MOST {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        let name = format!("p{round}");
        let of = |unit: &str| {
            json!({"type":"judgment","protocol":"coverage","annotator":name,"collection":"exam","query":"stress",
                "unit":unit,"candidate":"stress-1","answers":{"coverage":"none"}})
        };
        let records = [json!({"type":"annotator","id":name,"kind":"human"}), of("pomodoro"), of("breathing")];
        desk.import("more.jsonl", &records);
    }
}

#[test]
fn a_check_while_others_write_condemns_nothing() {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack", "haystack_judgments"]);
    let is_over = AtomicBool::new(false);
    let mut study = StudyFile::open(&desk.path("study.db")).expect("a study");
    thread::scope(|scope| {
        let answering = scope.spawn(|| answer(&mut study, &is_over));
        scope.spawn(|| import(&desk, &is_over));
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            campaign("HAYMARK_CHECKS", 1, 12, |_| {
                let text = desk.out(&["check", "study.db"]);
                assert!(text.contains("Nothing is wrong."), "{text}");
            });
        }));
        is_over.store(true, Ordering::Relaxed);
        let longest = answering.join().expect("every answer is kept");
        println!("the slowest answer beside checks took {} ms", longest.as_millis());
        checked.expect("nothing is condemned");
    });
}
