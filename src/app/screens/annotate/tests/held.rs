//! Keys that are held down, that come early, that come twice: an item that nobody has read is not labelled.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::desk::{Desk, coverage_desk, items_for};
use crate::app::kit::Input;
use crate::protocol::builtin;
use crate::study::ItemId;

/// Sends a key, as a press or as the keyboard's repetition in a terminal that tells, and shows what comes of it.
fn send(desk: &mut Desk, key: &str, is_told_as_repeat: bool) {
    let key = key.parse().expect("a key");
    let input = if is_told_as_repeat { Input::Repeat(key, desk.now) } else { Input::Key(key, desk.now) };
    desk.send(input);
    desk.show();
}

/// Holds a key down: once, again after half a second, then every so many milliseconds.
fn hold(desk: &mut Desk, key: &str, repeats: usize, every: i64, tells: bool) {
    send(desk, key, false);
    for repeat in 0..repeats {
        desk.wait(if repeat == 0 { 500 } else { every });
        send(desk, key, tells);
    }
}

#[test]
fn an_answer_of_a_held_key_is_taken_back_where_the_terminal_tells_nothing() {
    for every in [30, 90] {
        let mut desk = coverage_desk();
        desk.wait(5_000);
        hold(&mut desk, "x", 1, every, false);
        assert_eq!((desk.item_number(), desk.progress().judged), (3, 2), "it may have been meant");
        for _ in 0..20 {
            desk.wait(every);
            send(&mut desk, "x", false);
            assert_eq!((desk.item_number(), desk.progress().judged), (2, 1));
            let notice = &desk.app.frame.notice;
            assert_eq!(
                (notice.text.as_str(), notice.is_warning),
                ("a key was held down, so taken back · Covered? none → open", true)
            );
        }
        desk.wait(1_000);
        send(&mut desk, "x", false);
        assert_eq!((desk.item_number(), desk.progress().judged), (3, 2), "now it is read");
    }
}

#[test]
fn a_key_that_the_terminal_calls_held_answers_nothing_and_scrolls_on() {
    let mut desk = coverage_desk();
    desk.resize(120, 12).wait(5_000);
    hold(&mut desk, "x", 9, 30, true);
    assert_eq!((desk.item_number(), desk.progress().judged), (2, 1));
    desk.wait(1_000);
    hold(&mut desk, "s", 9, 30, true);
    hold(&mut desk, "!", 9, 30, true);
    assert_eq!((desk.item_number(), desk.progress().skipped, desk.progress().flagged), (3, 1, 1));
    desk.press("c");
    hold(&mut desk, "a", 3, 30, true);
    desk.press("enter tab tab");
    assert_eq!(desk.standing(ItemId(3)).comment, "aaaa");
    desk.press("left left left");
    hold(&mut desk, "right", 3, 30, true);
    assert_eq!(desk.item_number(), 5);
}

#[test]
fn a_key_that_was_meant_for_this_item_may_come_again_at_once() {
    let mut desk = coverage_desk();
    desk.wait(5_000);
    send(&mut desk, "x", false);
    desk.wait(70);
    send(&mut desk, "!", false);
    assert_eq!(desk.progress().flagged, 1);
    desk.wait(40);
    send(&mut desk, "!", false);
    assert_eq!(desk.progress().flagged, 0, "70 ms after the item came, and 110 ms");
}

#[test]
fn the_same_answer_twice_at_leisure_is_two_answers() {
    let mut desk = coverage_desk();
    desk.wait(5_000);
    for judged in 1..=3 {
        send(&mut desk, "x", false);
        assert_eq!(desk.progress().judged, judged);
        desk.wait(200);
    }
    // A key that bounces takes nothing back that was read.
    desk.wait(3_000);
    send(&mut desk, "x", false);
    desk.wait(20);
    send(&mut desk, "x", false);
    assert_eq!(desk.progress().judged, 4);
}

/// Taps `x` so many times at this pace.
fn tap(desk: &mut Desk, times: usize, every: i64) {
    for _ in 0..times {
        desk.wait(every);
        send(desk, "x", false);
    }
}

#[test]
fn another_summary_is_looked_at_before_it_is_judged() {
    let mut desk = coverage_desk();
    desk.wait(5_000);
    tap(&mut desk, 3, 160);
    let notice = |desk: &Desk| desk.app.frame.notice.text.clone();
    assert_eq!((desk.item_number(), notice(&desk).as_str()), (4, "✓ insight 3: none · a new summary"));
    // Tapping on without looking labels nothing, however long it lasts.
    tap(&mut desk, 9, 160);
    assert_eq!((desk.item_number(), desk.progress().judged), (4, 3));
    assert_eq!(
        (notice(&desk).as_str(), desk.app.frame.refusal()),
        ("a new summary: read it first", Some("x"))
    );
    tap(&mut desk, 1, 300);
    assert_eq!((desk.item_number(), desk.progress().judged), (5, 4), "now it is read");
    assert_eq!(desk.app.frame.refusal(), None, "gone with the next key");
}

/// Pairs of one query share a summary, and show it first or second.
#[test]
fn another_pair_is_looked_at_before_it_is_judged() {
    let protocol = builtin("preference").expect("built in").clone();
    let mut items = items_for(&protocol, 3);
    items[1].keys.other = Some("third".to_owned());
    items[2].keys.other = Some("third".to_owned());
    items[2] = items[2].clone().turned();
    let mut desk = Desk::under(protocol, items);
    desk.wait(5_000);
    for judged in [1, 2] {
        send(&mut desk, "1", false);
        desk.wait(200);
        send(&mut desk, "1", false);
        assert_eq!((desk.item_number(), desk.progress().judged), (judged + 1, judged));
        assert_eq!(desk.app.frame.notice.text, "a new summary: read it first");
        desk.wait(5_000);
    }
}

#[test]
fn only_answers_wait_until_another_summary_was_looked_at() {
    let at_another = |after: i64, key: &str| {
        let mut desk = coverage_desk();
        desk.press("x x x").wait(after);
        send(&mut desk, key, false);
        desk
    };
    for key in ["x", "f", "s", "!", "c", "N"] {
        let desk = at_another(599, key);
        assert_eq!((desk.item_number(), desk.app.frame.refusal()), (4, Some(key)));
        assert!(desk.app.frame.overlays.is_empty() && !desk.events.contains_key(&ItemId(4)), "{key}");
        assert_eq!(at_another(600, key).app.frame.refusal(), None, "{key}");
    }
    // `left` goes back from the item on the screen, and undo takes the last answer.
    assert_eq!(at_another(100, "left").item_number(), 3);
    assert_eq!(at_another(100, "u").progress().judged, 2);
    assert_eq!(at_another(100, "right").item_number(), 5);
    // A person who goes to an item has looked for it.
    let mut desk = coverage_desk();
    desk.press("right right right").wait(100);
    send(&mut desk, "x", false);
    assert_eq!((desk.item_number(), desk.progress().judged), (5, 1));
}

/// A person presses a key after some time, and may hold it.
#[derive(Debug, Clone)]
struct Strike {
    key: &'static str,
    after: i64,
    repeats: usize,
    begins: i64,
    every: i64,
    /// Time until the outcome of the key is drawn.
    lag: i64,
}

fn strike() -> impl Strategy<Value = Strike> {
    let key = prop::sample::select(vec!["x", "x", "x", "f", "p", "2", "0", "s", "u", "enter", "left"]);
    // Held long enough to come again more than once, or not held.
    let repeats = prop_oneof![Just(0_usize), 2_usize..9];
    (key, prop_oneof![0..60_i64, 200..4_000_i64], repeats, 200..700_i64, 20..100_i64, 0..15_i64).prop_map(
        |(key, after, repeats, begins, every, lag)| Strike { key, after, repeats, begins, every, lag },
    )
}

/// The state of each item, and its state after the keys of people who had read it.
struct Watch {
    labels: BTreeMap<ItemId, String>,
    meant: BTreeSet<(ItemId, String)>,
    /// The item on the screen, since when, and whether it came by itself.
    shown: (usize, i64, bool),
}

impl Watch {
    fn over(desk: &Desk) -> Watch {
        let shown = (desk.item_number(), desk.now.monotonic, true);
        let mut watch = Watch { labels: BTreeMap::new(), meant: BTreeSet::new(), shown };
        watch.look(desk, false, true);
        watch
    }

    /// Takes in the outcome of a key that labels, or else moves.
    fn look(&mut self, desk: &Desk, labels: bool, is_read: bool) {
        for item in &desk.items {
            let standing = desk.standing(item.id);
            let label = format!("{:?} {}", standing.answers, standing.skipped);
            if self.labels.get(&item.id) != Some(&label) {
                self.labels.insert(item.id, label.clone());
                if is_read {
                    self.meant.insert((item.id, label));
                }
            }
        }
        if desk.item_number() != self.shown.0 {
            self.shown = (desk.item_number(), desk.now.monotonic, labels);
        }
    }

    fn labelled_unread(self) -> Vec<(ItemId, String)> {
        self.labels.into_iter().filter(|label| !self.meant.contains(label)).collect()
    }
}

/// Strikes the keys; returns the items that are labelled and were not read when the last key was let go of.
fn labelled_unread(strikes: &[Strike], tells: bool) -> Vec<(ItemId, String)> {
    let mut desk = coverage_desk();
    let mut watch = Watch::over(&desk);
    desk.wait(5_000);
    for strike in strikes {
        desk.wait(strike.after);
        for repeat in 0..=strike.repeats {
            desk.wait(match repeat {
                0 => 0,
                1 => strike.begins,
                _ => strike.every,
            });
            // Undo brings labels back that were given earlier, and takes its own.
            let labels = !matches!(strike.key, "u" | "enter" | "left");
            let is_other = desk.app.begun.other_text.is_some();
            let looks = if is_other { 600 } else { 60 };
            let is_early = watch.shown.2 && desk.now.monotonic - watch.shown.1 < looks;
            let key = strike.key.parse().expect("a key");
            let input =
                if repeat > 0 && tells { Input::Repeat(key, desk.now) } else { Input::Key(key, desk.now) };
            desk.send(input);
            desk.wait(strike.lag.min(strike.every - 1));
            desk.show();
            watch.look(&desk, labels, !labels || (repeat == 0 && !is_early));
        }
    }
    watch.labelled_unread()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn no_item_is_labelled_unread(strikes in prop::collection::vec(strike(), 1..12), tells in any::<bool>()) {
        prop_assert_eq!(labelled_unread(&strikes, tells), Vec::new());
    }
}
