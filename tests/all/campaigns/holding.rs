//! Keys that are held down, come early or come twice, in a terminal that tells when keys are let go of and in one that does not:
//! no item is labelled that nobody has read.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::campaign;
use crate::harness::{Desk, Draw, Session};

/// Strikes in the life of one study; each counts.
const STRIKES: usize = 10;

/// How long somebody looks at an item before the next key. More than a held key may take to come again.
const LOOK: Duration = Duration::from_millis(200);

/// The same where the summary is another.
const LOOK_ANEW: Duration = Duration::from_millis(700);

/// Keys that label the item on the screen, and what they say.
const WAYS: [(&str, &str, Option<u32>); 3] =
    [("x", "none", None), ("f2", "full", Some(2)), ("p1", "partial", Some(1))];

/// What else somebody may type before the next item is on the screen.
const EARLY: [&str; 7] = ["x", "f", "p", "s", "!", "2", "0"];

/// What a terminal says that tells of it, when any of these keys is let go of.
fn let_go() -> String {
    "xfps!0123".chars().map(|key| format!("\x1b[{};1:3u", u32::from(key))).collect()
}

/// How many strikes there were, and how many of them the machine was too slow for.
static STRUCK: AtomicUsize = AtomicUsize::new(0);
static LATE: AtomicUsize = AtomicUsize::new(0);

/// How a strike went.
#[derive(Debug, PartialEq)]
enum Struck {
    Well,
    /// The machine was too slow to be held to it: what took longer than a keyboard does looks like two deliberate keys.
    Late,
}

/// Types keys with others that were meant for the same item: they are there before anyone has seen the next one.
fn early(session: &mut Session, draw: &mut Draw, keys: &str) -> Struck {
    let more: String = (0..1 + draw.below(5)).map(|_| *draw.of(&EARLY)).collect();
    session.type_keys(&format!("{keys}{more}"));
    Struck::Well
}

/// Holds `x` down: it comes again after a while, and then at short intervals.
fn hold(session: &mut Session, draw: &mut Draw, tells: bool, judged: usize) -> Struck {
    session.type_keys("x").rest(Duration::from_millis(200 + draw.below(300) as u64));
    let every = Duration::from_millis(20 + draw.below(30) as u64);
    let mut struck = Struck::Well;
    for repeat in 0..3 + draw.below(8) {
        session.type_keys("x").rest(every);
        // The first of them answers where nothing tells that it is held, and the next one takes that back.
        let expected = if tells || repeat > 0 { judged + 1 } else { judged + 2 };
        if repeat < 2 && !session.shows(&format!("· {expected} judged")) {
            struck = Struck::Late;
        }
    }
    struck
}

fn run(draw: &mut Draw) {
    let desk = Desk::with_demo();
    let tells = draw.below(2) == 0;
    let mut session = desk.open_demo("zoe");
    let mut said: Vec<Value> = Vec::new();
    if tells {
        // Keys that label nothing let the program know what the terminal tells.
        session.type_keys(&let_go()).settle();
    }
    for strike in 0..STRIKES {
        session.wait_for(&format!("· {} judged", said.len()));
        let is_anew = session.shows("a new summary") || session.shows("Insight 1 of");
        let look = if is_anew { LOOK_ANEW } else { LOOK };
        session.rest(look);
        let kind = draw.below(3);
        let (keys, label, bullet) = if kind == 0 { WAYS[0] } else { *draw.of(&WAYS) };
        let struck = match kind {
            0 => hold(&mut session, draw, tells, said.len()),
            1 => early(&mut session, draw, keys),
            _ => {
                session.type_keys(keys);
                Struck::Well
            }
        };
        if tells {
            session.type_keys(&let_go());
        }
        STRUCK.fetch_add(1, Ordering::Relaxed);
        if struck == Struck::Late {
            LATE.fetch_add(1, Ordering::Relaxed);
            // What came of it is nobody's fault, and not known.
            return;
        }
        said.push(match bullet {
            Some(bullet) => json!({"coverage": label, "bullet": bullet}),
            None => json!({"coverage": label}),
        });
        session.rest(LOOK).catch_up();
        let shown = session.row_with(" judged");
        let expected = format!("· {} judged", said.len());
        assert!(shown.contains(&expected), "strike {strike} of kind {kind}, tells {tells}: {shown}");
    }
    session.quit();
    let records = desk.judgments(desk.demo(), "coverage", "zoe");
    let marked = |record: &&Value| record.get("flagged").is_some() || record.get("skipped").is_some();
    assert_eq!(records.iter().filter(marked).count(), 0, "{records:?}");
    let text = |answers: &Value| (answers["coverage"].to_string(), answers["bullet"].to_string());
    let mut stored: Vec<_> = records.iter().map(|record| text(&record["answers"])).collect();
    let mut meant: Vec<_> = said.iter().map(text).collect();
    stored.sort();
    meant.sort();
    assert_eq!(stored, meant, "tells {tells}");
}

#[test]
fn no_item_is_labelled_unread() {
    campaign("HAYMARK_HELD", STRIKES as u64, 1, run);
    println!("{} strikes, {} of them late", STRUCK.load(Ordering::Relaxed), LATE.load(Ordering::Relaxed));
}
