//! Tags and comments in browse, killed between keys and within them.

use std::time::Duration;

use super::campaign;
use crate::harness::{Desk, Draw, Session};

/// Each tag: its key, what the screen shows when it is set, when not, and its name in the file.
const TAGS: [(&str, &str, &str, &str); 3] = [
    ("h", "● h hallucinated", "○ h hallucinated", "hallucinated"),
    ("v", "● v too general", "○ v too general", "general"),
    ("w", "● w wrong citation", "○ w wrong citation", "citation"),
];

fn open(desk: &Desk) -> Session {
    let mut session = desk.start(&["browse", "study.db", "--as", "zoe"]);
    session.wait_for("▸Candidates ").type_keys("t").wait_for("─ Tags ─");
    session
}

fn stored(desk: &Desk) -> Vec<bool> {
    let judgments = desk.judgments("study.db", "failure", "zoe");
    assert!(judgments.len() <= 1, "{judgments:?}");
    let failures =
        judgments.first().map(|judgment| judgment["answers"]["failures"].to_string()).unwrap_or_default();
    TAGS.iter().map(|(.., name)| failures.contains(name)).collect()
}

fn toggle(draw: &mut Draw, set: &mut [bool]) -> (&'static str, &'static str) {
    let tag = draw.below(TAGS.len());
    set[tag] = !set[tag];
    let (key, on, off, _) = TAGS[tag];
    (key, if set[tag] { on } else { off })
}

#[test]
fn every_tag_that_browse_showed_survives_kills() {
    campaign("HAYMARK_KILLS", 32, 1, |draw| {
        let desk = Desk::new();
        desk.samples("study.db", &["haystack"]);
        let mut set = vec![false; TAGS.len()];
        for _ in 0..4 {
            let mut session = open(&desk);
            for _ in 0..draw.below(4) {
                let (key, shows) = toggle(draw, &mut set);
                session.type_keys(key).wait_for(shows);
            }
            let certain = set.clone();
            if draw.below(2) == 0 {
                session.kill();
                assert_eq!(stored(&desk), certain, "killed between keys");
                continue;
            }
            let (key, _) = toggle(draw, &mut set);
            session.type_keys(key);
            std::thread::sleep(Duration::from_micros(draw.below(12_000) as u64));
            session.kill();
            let stored = stored(&desk);
            assert!(stored == certain || stored == set, "killed in {key}: {stored:?}, before {certain:?}");
            set = stored;
        }
        desk.out(&["check", "study.db"]);
    });
}
