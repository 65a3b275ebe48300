//! Decisions about what people disagree on, killed between keys and within them.

use std::time::Duration;

use serde_json::Value;

use super::campaign;
use crate::harness::{Desk, Session};
use crate::terminal::settling::disputed;

fn open(desk: &Desk) -> Session {
    let mut session = desk.start(&[
        "adjudicate",
        "study.db",
        "--as",
        "carol",
        "--protocol",
        "coverage",
        "--order",
        "given",
    ]);
    session.wait_for(" of 3 ");
    session
}

/// Who was taken for each item that is decided, in the order of the keys.
fn decided(desk: &Desk) -> Vec<String> {
    let mut decided: Vec<(String, String)> = desk
        .exported("adjudication")
        .iter()
        .map(|record| {
            let text = |key: &str| record[key].as_str().map(str::to_owned);
            // In the order in which the study gives them.
            let place =
                ["tea", "sleep", "walks"].iter().position(|unit| record["unit"] == *unit).expect("disputed");
            (place.to_string(), text("took").unwrap_or_else(|| Value::to_string(&record["answers"])))
        })
        .collect();
    decided.sort();
    decided.into_iter().map(|(_, took)| took).collect()
}

#[test]
fn every_decision_that_the_screen_showed_survives_a_kill() {
    campaign("HAYMARK_KILLS", 8, 2, |draw| {
        let desk = disputed();
        let mut session = open(&desk);
        let mut taken = Vec::new();
        let all = 1 + draw.below(3);
        for number in 0..all {
            let (key, shows, who) = *draw.of(&[("1", "1 ●alice", "alice"), ("2", "2 ●bora", "bora")]);
            let is_last = number + 1 == all;
            if is_last && draw.below(2) == 0 {
                session.settle().type_keys(key);
                std::thread::sleep(Duration::from_micros(draw.below(12_000) as u64));
                session.kill();
                let found = decided(&desk);
                let before = taken.clone();
                taken.push(who.to_owned());
                assert!(found == before || found == taken, "killed in {key}: {found:?}, before {before:?}");
                break;
            }
            session.answer(key, shows);
            taken.push(who.to_owned());
            if is_last {
                session.kill();
                assert_eq!(decided(&desk), taken, "killed between keys");
                break;
            }
            session.answer("\r", &format!("item {} of 3 ", number + 2));
        }
        desk.out(&["check", "study.db"]);
    });
}
