//! Two files merged into each other give the same statistics to the last digit, whichever was first.

use std::fs;

use serde_json::{Value, json};

use crate::harness::Desk;

/// Numbers below `below` that follow from a seed (Knuth's MMIX).
struct Dice(u64);

impl Dice {
    fn throw(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

const QUERIES: u64 = 4;
const CANDIDATES: [&str; 3] = ["opus", "gpt", "llama"];

/// How many insights a query has.
fn units(query: u64) -> u64 {
    3 + query % 2
}

fn corpus(collection: &str) -> Vec<Value> {
    let mut records = vec![json!({"type":"collection","id":collection,"domain":collection})];
    for number in 1..=4 {
        let text = "some words here ".repeat(number);
        records.push(
            json!({"type":"document","collection":collection,"id":format!("d{number}"),"number":number,"text":text}),
        );
    }
    for number in 0..QUERIES {
        let query = format!("{collection}-q{}", QUERIES - number);
        records.push(
            json!({"type":"query","collection":collection,"id":query,"text":"What?","category":number % 2}),
        );
        let category = if number % 2 == 0 { "why" } else { "how" };
        records.last_mut().expect("one")["category"] = category.into();
        for unit in 0..units(number) {
            records.push(json!({"type":"unit","query":query,"id":format!("u{unit}"),"kind":"insight","text":"It is so.",
                "documents":[format!("d{}", 1 + unit % 4), format!("d{}", 1 + (unit + number) % 4)]}));
        }
        for (place, summarizer) in CANDIDATES.iter().enumerate() {
            records.push(
                json!({"type":"candidate","query":query,"id":format!("k{place}"),"summarizer":summarizer,
                "text":"- one [1, 2]\n- two [2]\n- three and more words [3]"}),
            );
        }
    }
    records
}

/// What this annotator says of most of a corpus.
fn judgments(dice: &mut Dice, collection: &str, annotator: &str, kind: &str) -> Vec<Value> {
    let mut records = vec![json!({"type":"annotator","id":annotator,"kind":kind})];
    for number in 0..QUERIES {
        for candidate in 0..CANDIDATES.len() {
            for unit in 0..units(number) {
                let value = ["none", "partial", "full"][dice.throw(3) as usize];
                let mut answers = json!({"coverage":value});
                if value != "none" {
                    answers["bullet"] = (1 + dice.throw(3)).into();
                }
                let seconds = dice.throw(90_000) as f64 / 1000.0;
                let query = format!("{collection}-q{}", QUERIES - number);
                if dice.throw(10) < 8 {
                    records.push(json!({"type":"judgment","protocol":"coverage","annotator":annotator,
                        "collection":collection,"query":query,"unit":format!("u{unit}"),
                        "candidate":format!("k{candidate}"),"answers":answers,"seconds":seconds}));
                }
            }
        }
    }
    // As they came to each of them, some in the same second.
    let mut judged = records.split_off(1);
    for last in (1..judged.len()).rev() {
        judged.swap(last, dice.throw(last as u64 + 1) as usize);
    }
    let mut second = 0;
    for record in &mut judged {
        second += dice.throw(3);
        record["at"] = format!("2026-01-01T00:{:02}:{:02}Z", second / 60, second % 60).into();
    }
    records.extend(judged);
    records
}

/// A study with these files of records, one after the other.
fn study(parts: &[Vec<Value>]) -> Desk {
    let desk = Desk::new();
    for (place, records) in parts.iter().enumerate() {
        desk.import(&format!("part{place}.jsonl"), records);
    }
    desk
}

/// What every command that knows numbers prints after the second study was merged into a copy of the first.
fn printed(first: &Desk, second: &Desk, commands: &[&[&str]]) -> Vec<String> {
    let desk = Desk::new();
    fs::copy(first.path("study.db"), desk.path("study.db")).expect("copied");
    fs::copy(second.path("study.db"), desk.path("other.db")).expect("copied");
    desk.out(&["merge", "study.db", "other.db"]);
    commands.iter().map(|command| desk.out(command)).collect()
}

fn check(one: &Desk, two: &Desk, commands: &[&[&str]]) {
    let (there, back) = (printed(one, two, commands), printed(two, one, commands));
    for ((command, there), back) in commands.iter().zip(there).zip(back) {
        let first = there.lines().zip(back.lines()).find(|(there, back)| there != back);
        assert_eq!(first, None, "{command:?}");
        assert_eq!(there, back, "{command:?}");
    }
}

const STATISTICS: [&[&str]; 5] = [
    &["agree", "study.db", "--full", "--interval", "bootstrap", "--resamples", "200", "--format", "json"],
    &["score", "study.db", "--format", "json"],
    &["score", "study.db", "--annotators", "each", "--resamples", "200", "--format", "json"],
    &["judges", "study.db", "--hourly-rate", "30", "--format", "json"],
    &["status", "study.db", "--format", "json"],
];

#[test]
fn the_order_of_merging_changes_no_digit() {
    for seed in 1..=3 {
        let mut dice = Dice(seed);
        let base = corpus("talk");
        let one = [
            judgments(&mut dice, "talk", "zoe", "human"),
            judgments(&mut dice, "talk", "judge-z", "model"),
            judgments(&mut dice, "talk", "mia", "human"),
        ];
        let two = [
            judgments(&mut dice, "talk", "bob", "human"),
            judgments(&mut dice, "talk", "judge-b", "model"),
            judgments(&mut dice, "talk", "mia", "human"),
        ];
        let one = study(&[vec![base.clone()], one.to_vec()].concat());
        let two = study(&[vec![base], two.to_vec()].concat());
        check(&one, &two, &STATISTICS);
    }
}

#[test]
fn files_of_different_collections_give_the_same_numbers() {
    let mut dice = Dice(7);
    // Thirds and fifths of people are no binary fractions.
    let part = |dice: &mut Dice, collection: &str, people: [&str; 6]| {
        let judged = people.map(|name| match name {
            "judge" => judgments(dice, collection, name, "model"),
            _ => judgments(dice, collection, name, "human"),
        });
        study(&[&[corpus(collection)], &judged[..]].concat())
    };
    let one = part(&mut dice, "zoo", ["zoe", "ann", "kim", "mia", "bob", "judge"]);
    let two = part(&mut dice, "art", ["ann", "bob", "mia", "kim", "lea", "judge"]);
    check(&one, &two, &STATISTICS);
}
