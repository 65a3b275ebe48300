//! A summary written against the clock, killed while it is typed: what is stored is what was typed so far, nothing is made up,
//! and what was typed two seconds ago is there.

use std::time::{Duration, Instant};

use super::campaign;
use crate::harness::Desk;
use crate::terminal::writing::{LOSS, begin, events, replayed};

#[test]
fn of_what_is_typed_only_the_last_seconds_are_lost() {
    campaign("HAYMARK_KILLS", 128, 1, |draw| {
        let desk = Desk::new();
        desk.samples("study.db", &["haystack"]);
        let mut session = begin(&desk, "study.db", &[]);
        let mut typed: Vec<(Instant, char)> = Vec::new();
        // At a person's pace, so that it is no burst.
        for _ in 0..20 + draw.below(130) {
            let character = *draw.of(&['a', 'e', ' ', '中', '。', 'n', 'é']);
            session.type_keys(&character.to_string());
            typed.push((Instant::now(), character));
            std::thread::sleep(Duration::from_millis(20));
        }
        let killed = Instant::now();
        session.kill();
        let text = replayed(&events(&desk, "study.db"));
        let all: String = typed.iter().map(|(_, character)| *character).collect();
        assert!(all.starts_with(&text), "{text:?} was not typed; {all:?} was");
        let long_ago: String =
            typed.iter().filter(|(when, _)| killed - *when > LOSS).map(|(_, character)| *character).collect();
        assert!(
            text.len() >= long_ago.len(),
            "{text:?} is left of {all:?}; {long_ago:?} is too old to be lost"
        );
        desk.out(&["check", "study.db"]);
    });
}
