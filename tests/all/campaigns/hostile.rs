//! Texts that steer terminals, run from right to left, have no width or too much of it, or never end: on every screen and in
//! every output form nothing of them is obeyed.

use serde_json::Value;

use super::campaign;
use crate::harness::Desk;
use crate::terminal::hostile::{check_printed, check_session, records};

const PIECES: [&str; 40] = [
    "\u{1b}]52;c;aGk=\u{7}",
    "\u{1b}]0;owned\u{1b}\\",
    "\u{1b}[31m",
    "\u{1b}[2J",
    "\u{1b}[6n",
    "\u{1b}[?1049l",
    "\u{1b}Pq\u{1b}\\",
    "\u{9b}5m",
    "\u{90}",
    "\u{1b}",
    "\r",
    "\u{8}",
    "\u{7f}",
    "\u{c}",
    "\0",
    "\u{202e}",
    "\u{2067}",
    "\u{2069}",
    "\u{feff}",
    "\u{200b}",
    "\u{200d}",
    "\u{ad}",
    "\u{301}",
    "\u{fe0f}",
    "\u{2028}",
    "\u{85}",
    "\t",
    "\n",
    "中文，。",
    "か\u{3099}",
    "한국",
    "👩‍🔬",
    "🇩🇪",
    "ﷺ",
    "سلام",
    "ก็",
    "क्ष",
    "word ",
    "https://example.org/",
    "=1+1",
];

/// Keys that look and change nothing that others need: panes, pages, search, help, guideline, lists.
const KEYS: [&str; 16] = [
    "\t", "z", "j", "k", "\x1b[F", "\x1b[H", "]", "[", "\x1b[C", "\x1b[D", "?", "\x1b", "i", "\x1b", "g",
    "\x1b",
];

const SIZES: [(u16, u16); 5] = [(80, 24), (200, 60), (40, 12), (60, 20), (133, 33)];

const PRINTED: [&[&str]; 9] = [
    &["score", "study.db"],
    &["score", "study.db", "--by", "system,annotator"],
    &["score", "study.db", "--by", "domain,category,query,collection"],
    &["agree", "study.db", "--resamples", "0"],
    &["status", "study.db"],
    &["annotators", "study.db"],
    &["judges", "study.db"],
    &["check", "study.db"],
    &["session", "list", "study.db"],
];

/// Forms that other programs read: they hold the texts as they are, and are whole.
const FORMS: [&[&str]; 4] = [
    &["export", "study.db"],
    &["export", "study.db", "--what", "judgments", "--names", "--with-text"],
    &["score", "study.db", "--format", "json"],
    &["agree", "study.db", "--format", "json", "--resamples", "0"],
];

#[test]
fn hostile_texts_steer_nothing() {
    campaign("HAYMARK_HOSTILE", 1, 1, |draw| {
        let most = if draw.below(8) == 0 { 3_000 } else { 12 };
        let tail: String = (0..1 + draw.below(most)).map(|_| *draw.of(&PIECES)).collect();
        let name = format!("ann{tail}");
        let desk = Desk::new();
        desk.import("hostile.jsonl", &records(&tail));
        for arguments in PRINTED {
            let output = desk.run(arguments);
            check_printed(&String::from_utf8(output.stdout).unwrap(), &arguments.join(" "));
            check_printed(&String::from_utf8(output.stderr).unwrap(), &arguments.join(" "));
        }
        for arguments in FORMS {
            let text = desk.out(arguments);
            let values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
            assert!(values.into_iter().all(|value| value.is_ok()), "{arguments:?}: {text}");
        }
        let screens: [&[&str]; 4] = [
            &["annotate", "study.db", "--as", &name, "--protocol", "coverage", "--show-systems"],
            &["annotate", "study.db", "--as", &name, "--protocol", "keypoint"],
            &["browse", "study.db"],
            &["adjudicate", "study.db", "--as", "zoe", "--protocol", "coverage"],
        ];
        for arguments in screens {
            let mut session = desk.start_in(*draw.of(&SIZES), arguments, &[("NO_COLOR", "1")]);
            session.settle().catch_up();
            for _ in 0..6 {
                session.type_keys(KEYS[draw.below(KEYS.len())]).settle();
            }
            // Out of whatever was opened.
            for _ in 0..3 {
                session.type_keys("\x1b").settle();
            }
            session.quit();
            check_session(&session);
        }
    });
}
