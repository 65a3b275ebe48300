//! The annotate screen, killed between keys and within them, and with its power cut: what the screen said is there, and at most
//! the last key besides.

use std::time::Duration;

use serde_json::Value;

use super::campaign;
use crate::harness::{Desk, Disk, Draw, Luck, Session, Shim, steps};

/// A way to judge an item: keys, each with what the screen shows once it is done; the last one leads on to the next item.
struct Way {
    keys: &'static [(&'static str, &'static str)],
    /// What is stored after each key.
    stored: &'static [&'static str],
}

const PROTOCOLS: [(&str, &[Way]); 5] = [
    (
        "coverage",
        &[
            Way { keys: &[("x", "")], stored: &[r#"{"coverage":"none"}"#] },
            Way {
                keys: &[("f", "● f full"), ("2", "")],
                stored: &[r#"{"coverage":"full"}"#, r#"{"bullet":2,"coverage":"full"}"#],
            },
            Way {
                keys: &[("p", "● p partial"), ("1", "")],
                stored: &[r#"{"coverage":"partial"}"#, r#"{"bullet":1,"coverage":"partial"}"#],
            },
        ],
    ),
    (
        "keypoint",
        &[
            Way { keys: &[("n", "")], stored: &[r#"{"grounded":"no"}"#] },
            Way {
                keys: &[("y", "● y yes"), ("a", "")],
                stored: &[r#"{"grounded":"yes"}"#, r#"{"grounded":"yes","validity":"agree"}"#],
            },
        ],
    ),
    (
        "entailment",
        &[
            Way { keys: &[("y", "")], stored: &[r#"{"entailed":"yes"}"#] },
            Way {
                keys: &[("n", "● n no"), ("m", "")],
                stored: &[r#"{"entailed":"no"}"#, r#"{"entailed":"no","missing":"missing"}"#],
            },
        ],
    ),
    (
        "faithfulness",
        &[Way {
            keys: &[("y", "● y yes"), ("p", "")],
            stored: &[r#"{"faithful":"yes"}"#, r#"{"comprehensive":"partially","faithful":"yes"}"#],
        }],
    ),
    ("failure", &[Way { keys: &[("0", "")], stored: &[r#"{"failures":null}"#] }]),
];

/// Kills in the life of one study.
const KILLS: usize = 4;

struct Life {
    desk: Desk,
    protocol: &'static str,
    /// What zoe has said of whole items.
    done: Vec<Value>,
    /// What she has said of the item on the screen: a way, and how many of its keys.
    begun: Option<(&'static Way, usize)>,
}

impl Life {
    fn open(&self, variables: &[(&str, &str)]) -> Session {
        let demo = self.desk.demo();
        let arguments = ["annotate", demo.to_str().unwrap(), "--as", "zoe", "--protocol", self.protocol];
        let mut session = self.desk.start_in((100, 30), &arguments, variables);
        session.wait_for(&format!("· {} judged", self.done.len()));
        session
    }

    /// What is stored if the screen has said the truth.
    fn expected(&self) -> Vec<String> {
        let begun = self.begun.iter().filter(|(_, keys)| *keys > 0);
        let begun = begun.map(|(way, keys)| serde_json::from_str(way.stored[keys - 1]).unwrap());
        sorted(self.done.iter().cloned().chain(begun))
    }

    fn stored(&self, desk: &Desk) -> Vec<String> {
        let judgments = desk.judgments(desk.demo(), self.protocol, "zoe");
        sorted(judgments.into_iter().map(|judgment| judgment["answers"].clone()))
    }

    /// The next key and what the screen then shows.
    fn next(&mut self, draw: &mut Draw, ways: &'static [Way]) -> (&'static str, String) {
        let (way, keys) = *self.begun.get_or_insert_with(|| (draw.of(ways), 0));
        let (key, shows) = way.keys[keys];
        let is_last = keys + 1 == way.keys.len();
        (key, if is_last { format!("· {} judged", self.done.len() + 1) } else { shows.to_owned() })
    }

    /// The next key has been done.
    fn goes_on(&mut self) {
        let (way, keys) = self.begun.expect("a key");
        self.begun = Some((way, keys + 1));
        if keys + 1 == way.keys.len() {
            self.done.push(serde_json::from_str(way.stored[keys]).unwrap());
            self.begun = None;
        }
    }
}

fn sorted(answers: impl Iterator<Item = Value>) -> Vec<String> {
    let mut texts: Vec<String> = answers
        .map(|mut answers| {
            answers.as_object_mut().expect("answers").sort_keys();
            answers.to_string()
        })
        .collect();
    texts.sort();
    texts
}

#[test]
fn every_answer_that_the_screen_showed_survives_kills() {
    campaign("HAYMARK_KILLS", 4 * KILLS as u64, 1, |draw| {
        let (protocol, ways) = draw.of(&PROTOCOLS);
        let mut life = Life { desk: Desk::with_demo(), protocol, done: Vec::new(), begun: None };
        for _ in 0..KILLS {
            let mut session = life.open(&[]);
            for _ in 0..draw.below(4) {
                let (key, shows) = life.next(draw, ways);
                session.answer(key, &shows);
                life.goes_on();
            }
            let certain = life.expected();
            if draw.below(2) == 0 {
                session.kill();
                assert_eq!(life.stored(&life.desk), certain, "{protocol}: killed between keys");
                continue;
            }
            let (key, _) = life.next(draw, ways);
            // A key that was refused before it answered counts as held down for 120 ms, and typed again takes its answer back.
            session.settle().settle().type_keys(key);
            std::thread::sleep(Duration::from_micros(draw.below(12_000) as u64));
            session.kill();
            let stored = life.stored(&life.desk);
            let before = (life.done.clone(), life.begun);
            life.goes_on();
            if stored != life.expected() {
                (life.done, life.begun) = before;
            }
            assert_eq!(
                stored,
                life.expected(),
                "{protocol}: killed in the key {key:?}, before which was {certain:?}"
            );
        }
        let said = life.desk.run(&["check".as_ref(), life.desk.demo().as_os_str()]);
        assert!(said.status.success(), "{protocol}: {}", String::from_utf8_lossy(&said.stdout));
    });
}

#[test]
fn every_answer_that_the_screen_showed_survives_a_power_cut() {
    campaign("HAYMARK_CUTS", 2, 2, |draw| {
        let (protocol, ways) = draw.of(&PROTOCOLS);
        let mut life = Life { desk: Desk::with_demo(), protocol, done: Vec::new(), begun: None };
        let Some(shim) = Shim::over(life.desk.folder()) else { return };
        let mut disk = Disk::of(life.desk.folder());
        let folder = life.desk.folder().canonicalize().unwrap();
        let elsewhere = Desk::new();
        let log = elsewhere.path("log");
        let variables = shim.variables(Some(&log), None);
        let variables: Vec<(&str, &str)> =
            variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut session = life.open(&variables);
        for _ in 0..1 + draw.below(4) {
            let (key, shows) = life.next(draw, ways);
            session.answer(key, &shows);
            life.goes_on();
        }
        steps(&log).iter().for_each(|step| disk.apply(step));
        session.kill();
        let after = Desk::new();
        disk.cut(&folder, after.folder(), if draw.below(2) == 0 { Luck::None } else { Luck::Some(draw) });
        assert_eq!(life.stored(&after), life.expected(), "{protocol}");
    });
}
