//! Study files with bytes flipped, pages lost, doubled or exchanged, and ends cut off: no command falls over, hangs or gives
//! another answer than before without `check` calling the file wrong.

use std::process::Stdio;
use std::sync::OnceLock;

use super::campaign;
use super::commands::ended;
use crate::harness::{Desk, Draw};

const PAGE: usize = 4_096;

/// Every way of reading a study: tables, records, a part of them.
const READINGS: [&[&str]; 6] = [
    &["export", "study.db"],
    &["export", "study.db", "--what", "gold", "--names", "--with-text"],
    &["score", "study.db", "--format", "json"],
    &["agree", "study.db", "--format", "json", "--resamples", "0"],
    &["status", "study.db", "--format", "json"],
    &["merge", "sound.db", "study.db", "--dry-run"],
];

/// A study, and what is read of it, by the way of reading.
fn sound() -> &'static (Vec<u8>, Vec<String>) {
    static SOUND: OnceLock<(Vec<u8>, Vec<String>)> = OnceLock::new();
    SOUND.get_or_init(|| {
        let desk = Desk::new();
        desk.samples(
            "study.db",
            &[
                "haystack",
                "questions",
                "questions_zh",
                "haystack_judgments",
                "questions_judgments",
                "sessions",
            ],
        );
        desk.file("sound.db", desk.bytes("study.db"));
        (desk.bytes("study.db"), READINGS.iter().map(|reading| desk.out(reading)).collect())
    })
}

/// What is ranked and grouped by, and what was said and written, as it lies in a row: text after text.
const RANKED: [&str; 10] = [
    "SELECT key || kind FROM annotator",
    "SELECT key || ifnull(summarizer, '') || ifnull(retriever, '') || ifnull(document_order, '') FROM candidate",
    "SELECT key || ifnull(title, '') || ifnull(domain, '') FROM collection",
    "SELECT key || ifnull(title, '') FROM document",
    "SELECT key || ifnull(category, '') || ifnull(domain, '') FROM query",
    "SELECT key || kind FROM unit",
    "SELECT name FROM protocol",
    "SELECT key FROM question",
    "SELECT kind || body FROM phrase",
    "SELECT kind || body FROM session_event",
];

/// How many bytes before the texts of a row are its numbers and the kinds and lengths of its values.
const HEAD: usize = 14;

/// The places of all these rows in the sound file, by table.
fn ranked() -> &'static [Vec<std::ops::Range<usize>>] {
    static PLACES: OnceLock<Vec<Vec<std::ops::Range<usize>>>> = OnceLock::new();
    PLACES.get_or_init(|| {
        let (bytes, _) = sound();
        let desk = Desk::new();
        desk.file("study.db", bytes);
        let study = rusqlite::Connection::open(desk.path("study.db")).expect("a database");
        let places = |select: &&str| {
            let mut rows = study.prepare(select).expect(select);
            let rows = rows.query_map([], |row| row.get::<_, String>(0)).expect(select);
            let of_row = |text: String| {
                memchr::memmem::find_iter(bytes, &text)
                    .map(|at| at - HEAD..at + text.len())
                    .collect::<Vec<_>>()
            };
            let found: Vec<_> = rows.flat_map(|text| of_row(text.expect("a row"))).collect();
            assert!(!found.is_empty(), "{select}");
            found
        };
        RANKED.iter().map(places).collect()
    })
}

fn damage(draw: &mut Draw, bytes: &mut Vec<u8>) -> String {
    let pages = bytes.len() / PAGE;
    let page = |draw: &mut Draw| draw.below(pages) * PAGE;
    match draw.below(6) {
        0 | 1 => {
            // One to eight bits, most of them near each other.
            let start = draw.below(bytes.len());
            let places: Vec<usize> =
                (0..1 + draw.below(8)).map(|_| (start + draw.below(64)) % bytes.len()).collect();
            places.iter().for_each(|place| bytes[*place] ^= 1 << draw.below(8));
            format!("bits flipped at {places:?}")
        }
        2 => {
            let (at, length) = (draw.below(bytes.len()), 1 + draw.below(2 * PAGE));
            let end = (at + length).min(bytes.len());
            let with = *draw.of(&[0, 0xa5, 0xff]);
            bytes[at..end].fill(with);
            format!("{at}..{end} filled with {with}")
        }
        3 => {
            let kept = draw.below(bytes.len());
            bytes.truncate(kept);
            format!("cut off after {kept}")
        }
        4 => {
            let (from, to) = (page(draw), page(draw));
            bytes.copy_within(from..from + PAGE, to);
            format!("page at {from} copied to {to}")
        }
        _ => {
            let at = page(draw);
            let doubled = bytes[at..at + PAGE].to_vec();
            bytes.splice(at..at, doubled);
            format!("page at {at} doubled")
        }
    }
}

#[test]
fn a_damaged_file_gives_the_same_answer_or_none() {
    campaign("HAYMARK_DAMAGE", 2, 8, |draw| {
        let mut bytes = sound().0.clone();
        let what = damage(draw, &mut bytes);
        gives_the_same_answer_or_none(&bytes, &what);
    });
}

/// A judge once became a person, and a summary that of another system.
#[test]
fn a_flip_in_what_is_ranked_is_found() {
    campaign("HAYMARK_DAMAGE", 2, 6, |draw| {
        let mut bytes = sound().0.clone();
        let table = draw.of(ranked());
        let place = draw.of(table).clone();
        let at = place.start + draw.below(place.len());
        bytes[at] ^= 1 << draw.below(8);
        gives_the_same_answer_or_none(&bytes, &format!("a bit flipped at {at}"));
    });
}

fn gives_the_same_answer_or_none(bytes: &[u8], what: &str) {
    let (whole, answers) = sound();
    let desk = Desk::new();
    desk.file("sound.db", whole);
    let run = |arguments: &[&str]| {
        let output = ended(desk.command(arguments).stdin(Stdio::null()), &format!("{what}: {arguments:?}"));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code().is_some() && !error.contains("panicked"),
            "{what}: {arguments:?}: {error}"
        );
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned(), error)
    };
    desk.file("study.db", bytes);
    let (is_right, ..) = run(&["check", "study.db"]);
    assert!(desk.bytes("study.db") == bytes, "{what}: check changes nothing");
    for (reading, answer) in READINGS.iter().zip(answers) {
        let (succeeds, told, error) = run(reading);
        assert!(succeeds || error.starts_with("error: "), "{what}: {reading:?}: {error}");
        let unlike = told.lines().zip(answer.lines()).find(|(now, before)| now != before);
        assert!(
            !succeeds || told == *answer || !is_right,
            "{what}: {reading:?} tells something else: {unlike:?}"
        );
    }
    // What is saved is what is left, so `check` may find gaps in it; it can always be read.
    run(&["check", "study.db", "--recover", "new.db"]);
    if desk.path("new.db").exists() {
        run(&["check", "new.db"]);
        run(&["export", "new.db"]);
    }
}
