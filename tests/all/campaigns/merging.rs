//! Files that several people worked in, merged in any order, in any grouping and more than once: the same answers, the same
//! numbers to the last digit, the same exports.

use serde_json::{Value, json};

use super::campaign;
use crate::harness::{Desk, Draw};

const PEOPLE: [&str; 3] = ["alice", "bora", "chen"];

/// What somebody says of some of twelve items, each at a time of its own.
fn said(draw: &mut Draw, person: &str) -> Vec<Value> {
    let mut records = Vec::new();
    for unit in 0..12 {
        if draw.below(3) == 0 {
            continue;
        }
        let answers = match draw.below(3) {
            0 => json!({"coverage":"none"}),
            1 => json!({"coverage":"partial","bullet":1 + draw.below(2)}),
            _ => json!({"coverage":"full","bullet":1 + draw.below(2)}),
        };
        let at = format!(
            "2026-01-{:02}T{:02}:{:02}:{:02}Z",
            1 + draw.below(28),
            draw.below(24),
            draw.below(60),
            draw.below(60)
        );
        records.push(json!({"type":"judgment","protocol":"coverage","annotator":person,"query":"q","unit":format!("u{unit}"),
            "candidate":"s1","answers":answers,"seconds":1 + draw.below(60),"at":at}));
    }
    records
}

fn shuffled<T: Copy>(draw: &mut Draw, all: &[T]) -> Vec<T> {
    let mut left = all.to_vec();
    (0..all.len()).map(|_| left.swap_remove(draw.below(left.len()))).collect()
}

/// All that can be said of a study.
fn told(desk: &Desk, study: &str) -> Vec<String> {
    let mut export: Vec<String> = desk.out(&["export", study]).lines().map(str::to_owned).collect();
    export.sort();
    let tables: [&[&str]; 3] = [
        &["score", study, "--format", "json"],
        &["agree", study, "--format", "json", "--seed", "1", "--resamples", "200"],
        &["status", study, "--format", "json"],
    ];
    let numbers = tables.iter().map(|arguments| desk.out(arguments).replace(study, "study"));
    export.into_iter().chain(numbers).collect()
}

#[test]
fn the_order_of_merging_does_not_matter() {
    campaign("HAYMARK_MERGES", 1, 2, |draw| {
        let desk = Desk::new();
        super::jobs::texts(&desk);
        // In the order in which a study first hears of people they are listed.
        let people = PEOPLE.map(|person| json!({"type":"annotator","id":person,"kind":"human"}));
        desk.records("people.jsonl", &people);
        let files: Vec<String> = (0..4).map(|number| format!("file{number}.db")).collect();
        for (number, file) in files.iter().enumerate() {
            desk.out(&["import", file, "corpus.jsonl", "people.jsonl"]);
            // A person may have worked in two of the files.
            for person in [PEOPLE[number % 3], *draw.of(&PEOPLE)] {
                let name = format!("{number}{person}.jsonl");
                desk.records(&name, &said(draw, person));
                // What contradicts what the file holds already is another person's file.
                desk.run(&["import", file, &name]);
            }
        }
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        for study in ["one.db", "two.db", "half.db"] {
            desk.out(&["import", study, "corpus.jsonl", "people.jsonl"]);
        }
        // All at once.
        desk.out(&[&["merge", "one.db"], &shuffled(draw, &files)[..]].concat());
        // Some of them by way of another study, the others one by one, some of them twice.
        let order = shuffled(draw, &files);
        let by_way = draw.below(order.len());
        for (number, file) in order.iter().enumerate() {
            desk.out(&["merge", if number < by_way { "half.db" } else { "two.db" }, file]);
            if draw.below(3) == 0 {
                desk.out(&["merge", "two.db", file]);
            }
        }
        desk.out(&["merge", "two.db", "half.db"]);
        desk.out(&["merge", "two.db", *draw.of(&files)]);
        let (one, two) = (told(&desk, "one.db"), told(&desk, "two.db"));
        let unlike = one.iter().zip(&two).find(|(one, two)| one != two);
        assert!(
            one.len() == two.len() && unlike.is_none(),
            "{} lines and {}: {unlike:?}",
            one.len(),
            two.len()
        );
        for study in ["one.db", "two.db"] {
            desk.out(&["check", study]);
        }
    });
}
