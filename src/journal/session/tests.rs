use proptest::prelude::*;
use serde_json::{Value, json};

use super::delta::LONGEST_SUMMARY;
use super::*;
use crate::journal::{EventId, Writer};

fn id(writer: i64, seq: i64) -> EventId {
    EventId { writer: Writer(writer), seq }
}

fn event(writer: i64, seq: i64, active: i64, happening: SessionHappening) -> SessionEvent {
    SessionEvent { id: id(writer, seq), at: 1_000 + active, active, happening }
}

fn opened(after: Option<EventId>) -> SessionHappening {
    SessionHappening::Opened { after, has_judged: false }
}

fn edit(start: usize, removed: usize, inserted: &str) -> SessionHappening {
    SessionHappening::Edit(Delta { start, removed, inserted: inserted.to_owned() })
}

const SNAPSHOT: SessionHappening = SessionHappening::Snapshot { is_last: false };

#[test]
fn every_kind_goes_through_the_file_form() {
    for happening in [
        opened(None),
        SessionHappening::Opened { after: Some(id(-3, 7)), has_judged: true },
        edit(3, 2, "第三条\n"),
        SessionHappening::View { document: 8, furthest: 0.25 },
        SessionHappening::View { document: 9, furthest: 1.0 },
        SessionHappening::Search("番茄".into()),
        SessionHappening::PasteRefused { characters: 812 },
        SessionHappening::CopyRefused,
        SessionHappening::Burst { characters: 60 },
        SessionHappening::Paused,
        SessionHappening::Resumed,
        SessionHappening::Warned { minutes: 10 },
        SNAPSHOT,
        SessionHappening::Snapshot { is_last: true },
        SessionHappening::Beat,
        SessionHappening::OverTime,
        SessionHappening::Ended(Ending::Finished),
        SessionHappening::Ended(Ending::Limit),
        SessionHappening::Ended(Ending::OverTime),
    ] {
        let read = SessionHappening::read(happening.kind(), happening.body());
        assert_eq!(read, happening);
        assert!(SessionHappening::KINDS.contains(&happening.kind()), "{}", happening.kind());
    }
}

#[test]
fn what_is_not_understood_is_kept() {
    for (kind, body) in [
        ("sing", json!({"x": 1})),
        ("edit", json!([3, -1, "x"])),
        ("edit", json!([3, 1])),
        ("view", json!(["d8", 0.5])),
        ("end", json!("eaten")),
        ("open", json!({"has_judged": true})),
    ] {
        let read = SessionHappening::read(kind, body.clone());
        assert_eq!((read.kind(), read.body()), (kind, body));
        assert!(matches!(read, SessionHappening::Unknown { .. }), "{read:?}");
    }
}

#[test]
fn the_setup_goes_through_the_file_form() {
    let setup = Setup {
        seed: u64::MAX,
        limit: 120 * MINUTE,
        documents: DocumentChoice::Retriever { name: "oracle".into(), words: 15_000 },
        order: vec![8, 2, 79],
        shows_clock: true,
        insights: 6,
        has_judged: true,
        ..Setup::default()
    };
    assert_eq!(Setup::from_json(&setup.to_json()).unwrap(), setup);
    let all = Setup { documents: DocumentChoice::All, ..setup };
    let written: Value = serde_json::from_str(&all.to_json()).unwrap();
    assert_eq!(written["documents"], "all");
}

#[test]
fn minutes_have_names() {
    assert_eq!(minute_name(0), "0");
    assert_eq!(minute_name(20 * MINUTE), "20");
    // 17 s are 0.2833 minutes.
    assert_eq!(minute_name(34 * MINUTE + 17_000), "34.28");
    assert_eq!(minute_name(34 * MINUTE + 3_000), "34.05");
}

#[test]
fn a_delta_is_the_smallest_change() {
    let delta = |start, removed, inserted: &str| Delta { start, removed, inserted: inserted.to_owned() };
    for (before, after, expected) in [
        ("", "a", Some(delta(0, 0, "a"))),
        ("same", "same", None),
        ("- breaks", "- long breaks", Some(delta(2, 0, "long "))),
        // 番 takes three bytes.
        ("番茄钟", "番钟", Some(delta(3, 3, ""))),
        // The first of equal letters is common beginning; the new one comes behind it.
        ("aa", "aaa", Some(delta(2, 0, "a"))),
        ("aaa", "aa", Some(delta(2, 1, ""))),
        // The accents share a lead byte but no character: é is c3 a9, è is c3 a8.
        ("é", "è", Some(delta(0, 2, "è"))),
    ] {
        assert_eq!(Delta::between(before, after), expected, "{before:?} -> {after:?}");
    }
}

#[test]
fn a_delta_that_does_not_fit_changes_nothing() {
    for (start, removed) in [(9, 0), (1, 0), (0, 1), (3, 4), (usize::MAX, usize::MAX)] {
        let mut text = "番a".to_owned();
        let delta = Delta { start, removed, inserted: "x".to_owned() };
        assert!(!delta.apply(&mut text), "{start} {removed}");
        assert_eq!(text, "番a");
    }
}

proptest! {
    #[test]
    fn deltas_lead_from_text_to_text(texts in prop::collection::vec("[ab番é\u{301}👩🏽 \n\\[1\\]]{0,12}", 1..12)) {
        let mut events = vec![event(1, 1, 0, opened(None))];
        let mut before = String::new();
        for (seq, after) in (2..).zip(&texts) {
            if let Some(delta) = Delta::between(&before, after) {
                prop_assert!(delta.removed + delta.inserted.len() > 0);
                events.push(event(1, seq, seq * 100, SessionHappening::Edit(delta)));
            }
            before.clone_from(after);
        }
        let session = Session::of(&Setup::default(), &events);
        prop_assert_eq!(&session.text, texts.last().unwrap());
        prop_assert_eq!(session.misfits, 0);
        // The order of arrival does not matter, nor does an event that comes twice.
        events.reverse();
        events.extend_from_within(..1);
        prop_assert_eq!(Session::of(&Setup::default(), &events), session);
    }

    #[test]
    fn a_made_up_journal_is_folded_all_the_same(
        rows in prop::collection::vec((0_i64..3, 0_i64..6, 0_i64..5_000, 0_usize..9, 0_usize..9, 0_i64..3), 0..20)
    ) {
        let happening = |start, removed, after: i64| match start % 3 {
            0 => opened((after > 0).then(|| id(after, removed as i64))),
            1 => edit(start, removed, "番x"),
            _ => SNAPSHOT,
        };
        let events: Vec<SessionEvent> = rows
            .into_iter()
            .map(|(writer, seq, active, start, removed, after)| {
                event(writer, seq, active, happening(start, removed, after))
            })
            .collect();
        let latest = events.iter().map(|event| event.active).max();
        let session = Session::of(&Setup::default(), &events);
        prop_assert!(chain(&events).len() <= events.len());
        prop_assert!(session.active <= latest.unwrap_or(0));
    }
}

#[test]
fn a_session_goes_on_where_it_was_left() {
    let events = [
        event(9, 1, 0, opened(None)),
        event(9, 2, 500, SessionHappening::View { document: 8, furthest: 0.4 }),
        event(9, 3, 1_000, edit(0, 0, "- Breaks")),
        event(9, 4, 1_500, SessionHappening::Paused),
        // Killed while paused; opened again by a writer with a lower number.
        event(2, 1, 1_500, opened(Some(id(9, 4)))),
        event(2, 2, 2_000, edit(8, 0, " [8]")),
        event(2, 3, 2_500, SessionHappening::View { document: 3, furthest: 1.0 }),
    ];
    let session = Session::of(&Setup::default(), &events);
    assert_eq!((session.text.as_str(), session.active), ("- Breaks [8]", 2_500));
    assert_eq!((session.is_paused, session.openings, session.pauses), (false, 2, 1));
    assert_eq!(session.reading(8), HowRead::PartRead);
    assert_eq!(session.reading(3), HowRead::Read);
    assert_eq!(session.reading(1), HowRead::Unread);
    assert_eq!(session.opened_before_citing, Some([8].into()), "3 was opened after the citation");
    assert_eq!(session.tip, Some(id(2, 3)));
    assert_eq!(replay(&chain(&events), 1_999), "- Breaks");
}

#[test]
fn of_two_continuations_the_longer_one_counts() {
    let events = [
        event(1, 1, 0, opened(None)),
        event(1, 2, 1_000, edit(0, 0, "common")),
        event(1, 3, 2_000, edit(6, 0, " one")),
        // A copy made after the second event was continued for longer.
        event(2, 1, 1_000, opened(Some(id(1, 2)))),
        event(2, 2, 9_000, edit(6, 0, " two")),
    ];
    let session = Session::of(&Setup::default(), &events);
    assert_eq!((session.text.as_str(), session.misfits, session.edits_apart), ("common two", 0, 1));
    // What was ended has ended, however long the other one took.
    let ended = event(1, 4, 2_000, SessionHappening::Ended(Ending::Finished));
    let session = Session::of(&Setup::default(), &[&events[..], &[ended]].concat());
    assert_eq!((session.text.as_str(), session.edits_apart), ("common one", 1));
}

#[test]
fn a_snapshot_that_is_written_late_holds_the_text_at_its_time() {
    let at = SNAPSHOT_EVERY;
    let events = [
        event(1, 1, 0, opened(None)),
        event(1, 2, at - 5, edit(0, 0, "in time")),
        event(1, 3, at + 90, edit(7, 0, ", late")),
        event(1, 4, at, SNAPSHOT),
        event(1, 5, at + 100, SessionHappening::Snapshot { is_last: true }),
        event(1, 6, at + 100, SessionHappening::Ended(Ending::Finished)),
    ];
    let session = Session::of(&Setup::default(), &events);
    let texts: Vec<(i64, &str)> =
        session.snapshots.iter().map(|snapshot| (snapshot.active, snapshot.text.as_str())).collect();
    assert_eq!(texts, [(600_000, "in time"), (600_100, "in time, late")]);
    assert_eq!(session.last_snapshot().map(|last| last.active), Some(600_100));
    assert_eq!(session.ended, Some(Ending::Finished));
}

/// A clock that is told the time every `step` milliseconds until `until`; what became due, but for beats.
fn run(clock: &mut Clock, from: i64, until: i64, step: i64) -> Vec<Passed> {
    let mut now = from;
    let mut passed = Vec::new();
    while now < until {
        now = (now + step).min(until);
        passed.extend(clock.advance(now));
    }
    passed.retain(|passed| passed.due != Due::Beat);
    passed
}

fn limited(minutes: i64) -> Setup {
    Setup { limit: minutes * MINUTE, ..Setup::default() }
}

#[test]
fn snapshots_warnings_and_limit_come_at_their_minutes_exactly() {
    let mut clock = Clock::of(&limited(45), &Session::default());
    assert_eq!(clock.advance(5), [], "it stands still");
    clock.start(1_000);
    // An odd step: no boundary is ever hit by a tick.
    let passed = run(&mut clock, 1_000, 1_000 + 52 * MINUTE, 457);
    let warning = |minutes| Due::Warning { minutes };
    let expected: Vec<Passed> = [
        (10, Due::Snapshot),
        // 45 - 30, 45 - 10, 45 - 1.
        (15, warning(30)),
        (20, Due::Snapshot),
        (30, Due::Snapshot),
        (35, warning(10)),
        (40, Due::Snapshot),
        (44, warning(1)),
        (45, Due::Snapshot),
        (45, Due::Limit),
        (50, Due::Snapshot),
    ]
    .map(|(minute, due)| Passed { due, active: minute * MINUTE })
    .into();
    assert_eq!(passed, expected);
    assert_eq!((clock.active(), clock.left()), (52 * MINUTE, -7 * MINUTE));
}

#[test]
fn a_limit_below_a_warning_has_none() {
    let mut clock = Clock::of(&limited(10), &Session::default());
    clock.start(0);
    let passed = run(&mut clock, 0, 10 * MINUTE, 1_000);
    let dues: Vec<Due> = passed.iter().map(|passed| passed.due).collect();
    assert_eq!(dues, [Due::Warning { minutes: 1 }, Due::Snapshot, Due::Limit]);
}

#[test]
fn pauses_and_stops_of_the_process_do_not_count() {
    let mut clock = Clock::of(&limited(120), &Session::default());
    clock.start(0);
    run(&mut clock, 0, 60_000, 200);
    clock.stop(60_100);
    assert!(!clock.is_running());
    assert_eq!(clock.advance(900_000), []);
    clock.start(900_000);
    clock.advance(900_400);
    assert_eq!(clock.active(), 60_500);
    // The lid was closed for an hour, or the process stopped: nobody told the clock.
    clock.advance(900_400 + 3_600_000);
    assert_eq!(clock.active(), 60_500);
    clock.advance(900_400 + 3_600_000 + STALL);
    assert_eq!(clock.active(), 62_500, "a tick that comes late still counts");
    // A clock that runs backwards gives nothing and takes nothing.
    clock.advance(0);
    clock.advance(900_400 + 3_600_000 + STALL + 100);
    assert_eq!(clock.active(), 62_600);
}

#[test]
fn beats_come_while_nothing_else_does() {
    let mut clock = Clock::of(&limited(120), &Session::default());
    clock.start(0);
    let beats: Vec<i64> =
        (1..=40).flat_map(|tick| clock.advance(tick * 200)).map(|passed| passed.active).collect();
    // 1500 is passed at 1600, 1600 + 1500 at 3200, 4700 at 4800, 6300 at 6400, 7900 at 8000.
    assert_eq!(beats, [1_600, 3_200, 4_800, 6_400, 8_000]);
}

#[test]
fn a_clock_goes_on_from_what_is_in_the_journal() {
    let setup = limited(40);
    let events = [
        event(1, 1, 0, opened(None)),
        event(1, 2, 10 * MINUTE, SNAPSHOT),
        event(1, 3, 10 * MINUTE, SessionHappening::Warned { minutes: 30 }),
        event(1, 4, 10 * MINUTE + 300, SessionHappening::Beat),
    ];
    let mut clock = Clock::of(&setup, &Session::of(&setup, &events));
    assert_eq!(clock.active(), 10 * MINUTE + 300);
    clock.start(77);
    let passed = run(&mut clock, 77, 77 + 10 * MINUTE, 1_000);
    assert_eq!(passed, [Passed { due: Due::Snapshot, active: 20 * MINUTE }]);
    // Killed between the boundary and the write: the snapshot is due at once, at its own minute.
    let lost = [events[0].clone(), event(1, 2, 10 * MINUTE + 5, SessionHappening::Beat)];
    let mut clock = Clock::of(&setup, &Session::of(&setup, &lost));
    clock.start(0);
    let passed = clock.advance(0);
    assert_eq!(passed[0], Passed { due: Due::Snapshot, active: 10 * MINUTE });
    assert_eq!(passed[1].due, Due::Warning { minutes: 30 });
}

#[test]
fn a_live_session_keeps_no_more_snapshots_than_a_rebuilt_one() {
    let text = "x".repeat(LONGEST_SUMMARY);
    let mut events = vec![event(1, 1, 0, opened(None)), event(1, 2, 0, edit(0, 0, &text))];
    let mut live = Session::of(&Setup::default(), &events);
    for seq in 3..30 {
        events.push(event(1, seq, seq, SNAPSHOT));
        live.snapshot(seq, false);
    }
    let rebuilt = Session::of(&Setup::default(), &events);
    assert_eq!((rebuilt.snapshots.len(), rebuilt.misfits), (16, 11));
    assert_eq!((live.snapshots, live.misfits), (rebuilt.snapshots, rebuilt.misfits));
}
