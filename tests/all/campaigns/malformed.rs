//! Imports that are broken anywhere: bytes changed, lines lost, doubled and exchanged, ends cut off. Each comes in whole or is
//! answered by a sentence, and a study that refuses one does not change.

use super::campaign;
use super::commands::ended;
use crate::harness::{Desk, Draw, sample};

const SAMPLES: [&str; 10] = [
    "haystack",
    "haystack_judgments",
    "questions",
    "questions_zh",
    "questions_judgments",
    "further_judgments",
    "preferences",
    "facts",
    "points",
    "sessions",
];

/// What a hand or another program puts in the wrong place.
const PIECES: [&str; 16] = [
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\\",
    "\\u0000",
    "\\ud800",
    "null",
    "-1",
    "1e400",
    "99999999999999999999",
    "\u{feff}",
    "\n",
];

fn break_bytes(draw: &mut Draw, text: &mut Vec<u8>) {
    for _ in 0..1 + draw.below(3) {
        let at = draw.below(text.len().max(1)).min(text.len());
        let far = (at + draw.below(40)).min(text.len());
        match draw.below(5) {
            0 if at < text.len() => text[at] ^= 1 << draw.below(8),
            1 => text.truncate(at),
            2 => drop(text.splice(at..at, draw.of(&PIECES).bytes())),
            3 => drop(text.splice(at..far, draw.of(&PIECES).bytes())),
            _ => drop(text.drain(at..far)),
        }
    }
}

fn break_lines(draw: &mut Draw, text: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let (one, two) = (draw.below(lines.len()), draw.below(lines.len()));
    match draw.below(3) {
        0 => lines.swap(one, two),
        1 => lines.insert(one, lines[two]),
        _ => drop(lines.remove(one)),
    }
    lines.concat()
}

#[test]
fn a_broken_import_comes_in_whole_or_not_at_all() {
    campaign("HAYMARK_MALFORMED", 1, 20, |draw| {
        let desk = Desk::new();
        desk.samples("study.db", &["haystack"]);
        let before = desk.bytes("study.db");
        let name = *draw.of(&SAMPLES);
        let mut text = std::fs::read(sample(name)).expect("a sample");
        if draw.below(2) == 0 {
            text = break_lines(draw, &text);
        } else {
            break_bytes(draw, &mut text);
        }
        desk.file("broken.jsonl", &text);
        let mut arguments = vec!["import", "study.db", "broken.jsonl"];
        arguments.extend((draw.below(3) == 0).then_some("--skip-bad"));
        let output = ended(&mut desk.command(&arguments), name);
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        match output.status.code() {
            Some(0) => drop(desk.out(&["check", "study.db"])),
            Some(1) => {
                assert!(
                    error.lines().last().is_some_and(|line| line.starts_with("error: ")),
                    "{name}: {error}"
                );
                assert!(desk.bytes("study.db") == before, "{name}: the study changed: {error}");
            }
            other => panic!("{name}: {other:?}: {error}"),
        }
        assert!(!error.contains("panicked"), "{name}: {error}");
    });
}
