//! Random splits of a log: whatever the parts and their order, together they are the log.

use proptest::prelude::*;

use super::super::journal::all_caches;
use super::super::{Study, choose, corpus, coverage, is_summed, link, unpack};
use crate::journal::Happening;

/// What somebody does: to which of five items, and what.
type Deed = (usize, usize, u8);

fn happening(kind: u8) -> Vec<Happening> {
    match kind % 8 {
        0 => vec![choose("none")],
        1 => vec![choose("partial")],
        2 => vec![choose("full"), link(1)],
        3 => vec![Happening::Skip(true)],
        4 => vec![Happening::Flag(kind.is_multiple_of(2))],
        5 => vec![Happening::Comment("why?".into())],
        6 => vec![link(2)],
        _ => vec![Happening::Clear { question: "coverage".into() }],
    }
}

const PEOPLE: [&str; 2] = ["alice", "bora"];

fn act(study: &mut Study, deed: &Deed, now: i64) {
    let (person, item, kind) = deed;
    study.answer(PEOPLE[*person], *item, &happening(*kind), now);
}

/// Everything by names: what each annotator says of each item, when and for how long.
fn standings(study: &Study) -> Vec<String> {
    let mut said: Vec<String> = study
        .file
        .connection
        .prepare(
            "SELECT a.key || hex(i.key) || s.state || s.flagged || s.skipped || '-' || s.active || '-' || ifnull(s.at, '')
               || '-' || ifnull(s.comment, '') FROM standing s
             JOIN annotator a ON a.id = s.annotator JOIN item i ON i.id = s.item",
        )
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .expect("read");
    assert!(is_summed(&study.file));
    said.sort();
    said.extend(study.judgments());
    said
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    /// One study is the whole log. It is cut into parts: each deed, with its writer and number, lies in
    /// one part or in several.
    #[test]
    fn parts_of_a_log_make_the_log_in_any_order(
        deeds in prop::collection::vec((0..2_usize, 0..5_usize, any::<u8>()), 1..20),
        openings in prop::collection::vec(any::<bool>(), 20),
        lots in prop::collection::vec(1..8_u8, 40),
        order in Just(vec![0_usize, 1, 2]).prop_shuffle(),
    ) {
        let mut whole = Study::with(&corpus());
        for (number, (deed, reopens)) in deeds.iter().zip(&openings).enumerate() {
            if *reopens {
                whole = whole.reopened();
            }
            whole.file.connection.execute_batch("PRAGMA synchronous = OFF").expect("quick");
            act(&mut whole, deed, 1_000 * i64::try_from(number).expect("few"));
        }
        let parts: Vec<Study> = (0..3).map(|part| part_of(&whole, &lots, part)).collect();
        let mut together = Study::with(&corpus());
        let chosen: Vec<&Study> = order.iter().map(|part| &parts[*part]).collect();
        together.merge(&chosen).expect("merged");
        prop_assert_eq!(standings(&together), standings(&whole));

        let before = together.bytes();
        together.merge(&[&parts[0], &whole]).expect("merged");
        prop_assert_eq!(together.bytes(), before, "twice gives no change");

        // One after the other, and through another study, is the same.
        let mut step_by_step = Study::with(&corpus());
        step_by_step.file.open_queue("bora", coverage()).expect("opened");
        for part in chosen.iter().rev() {
            step_by_step.merge(&[part]).expect("merged");
        }
        prop_assert_eq!(standings(&step_by_step), standings(&whole));
        let kept = all_caches(&step_by_step.file);
        step_by_step.file.rebuild_caches().expect("rebuilt");
        prop_assert_eq!(all_caches(&step_by_step.file), kept);
    }
}

/// A study with those events of another whose lot has the part's bit set.
fn part_of(whole: &Study, lots: &[u8], part: u32) -> Study {
    let mut study = Study::empty();
    study.merge(&[whole]).expect("merged");
    unpack(&study.file.connection);
    let keys: Vec<(i64, i64)> = study
        .file
        .connection
        .prepare("SELECT writer, seq FROM event WHERE writer > 0 ORDER BY at, writer, seq")
        .and_then(|mut statement| statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect())
        .expect("read");
    let others = keys.iter().zip(lots).filter(|(_, lot)| **lot >> part & 1 == 0);
    let delete =
        |(writer, seq): &(i64, i64)| format!("DELETE FROM event WHERE (writer, seq) = ({writer}, {seq});");
    study.rewrite(&others.map(|(key, _)| delete(key)).collect::<String>());
    study.file.rebuild_caches().expect("rebuilt");
    study
}
