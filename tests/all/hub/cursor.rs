//! One number is the cursor: nothing that was committed is passed over, however transactions lie over each other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use haymark::hub::{Audience, Fresh, Hub, HubLink, HubMark, MOST_EVENTS, SentThing};

use super::{event, record};
use crate::harness::{Draw, Server};

fn key(row: &Fresh) -> Option<(i64, i64)> {
    match &row.what {
        SentThing::Event(event) => Some((event.writer, event.seq)),
        SentThing::Record(_) => None,
    }
}

/// Everything behind a mark, page by page.
fn all(link: &mut HubLink, limit: usize) -> Vec<Fresh> {
    let (mut mark, mut rows) = (HubMark::NONE, Vec::new());
    loop {
        let fetched = link.exchange(&[], mark, limit).expect("fetched");
        assert!(!fetched.is_rewound);
        let is_last = fetched.rows.len() < limit;
        mark = fetched.rows.last().map_or(mark, |row| row.mark);
        rows.extend(fetched.rows);
        if is_last {
            return rows;
        }
    }
}

#[test]
fn what_is_sent_comes_back_and_the_same_again_changes_nothing() {
    let Some(server) = Server::find() else { return };
    let mut lena = server.hub();
    let events: Vec<_> = (1..=7).map(|seq| event("lena", i64::MAX, seq, &format!("body {seq}"))).collect();
    assert_eq!(lena.send(&events[..5]).expect("sent"), 5);
    assert_eq!(lena.send(&events).expect("with what is new"), 7);
    assert_eq!(lena.send(&events).expect("all of it again"), 7);
    let empty = super::SentEvent {
        item: None,
        at: None,
        body: Vec::new(),
        journal: b's',
        ..event("林", 1 << 40, 1 << 40, "")
    };
    assert_eq!(lena.send(std::slice::from_ref(&empty)).expect("the ends of what there is"), 8);
    let records =
        [record(Audience::All, "document", "k", "v"), record(Audience::Leads, "document", "k2", "")];
    assert_eq!(lena.put(&records).expect("put"), 10);
    assert_eq!(lena.put(&[record(Audience::All, "document", "k", "another")]).expect("stays"), 10);
    let rows = all(&mut lena, 100);
    let positions: Vec<i64> = rows.iter().map(|row| row.mark.pos).collect();
    assert_eq!(positions, (1..=10).collect::<Vec<i64>>());
    let what: Vec<SentThing> = rows.into_iter().map(|row| row.what).collect();
    let sent = events.iter().chain([&empty]).cloned().map(SentThing::Event);
    assert_eq!(what, sent.chain(records.map(SentThing::Record)).collect::<Vec<_>>());
    let error =
        lena.send(&[event("lena", i64::MAX, 8, "new"), event("lena", i64::MAX, 3, "other")]).expect_err("no");
    assert!(error.to_string().contains("says something else there"), "{error}");
    assert_eq!(all(&mut lena, 100).len(), 11, "what is new is in all the same");
    let many: Vec<_> = (1..=MOST_EVENTS as i64 + 3).map(|seq| event("lena", 3, seq, "x")).collect();
    lena.send(&many).expect("more than a call takes");
    assert_eq!(all(&mut lena, 1000).len(), 14 + MOST_EVENTS);
}

/// A lead's call with many events goes another way on the server than one with few, and does the same.
#[test]
fn much_at_once_comes_in_as_little_by_little_does() {
    let (Some(one), Some(other)) = (Server::find(), Server::find()) else { return };
    let mut draw = Draw::from_seed(32);
    // Few names of events, so that some come again, with the same body or another.
    let events: Vec<_> = (0..600)
        .map(|_| {
            let name = ["lena", "alice", "小明"][draw.below(3)];
            let (writer, seq) = ([3, 4, 5, -6][draw.below(4)], 1 + draw.below(60) as i64);
            let body = if draw.below(8) == 0 { "another" } else { "one" };
            let item = (draw.below(3) > 0).then(|| vec![draw.below(5) as u8; 16]);
            let journal = b"esjvAC"[draw.below(6)];
            super::SentEvent { item, journal, ..event(name, writer, seq, body) }
        })
        .collect();
    let mut bodies = BTreeMap::new();
    let is_refused = |event: &&super::SentEvent| {
        let name = (event.writer, event.seq, event.annotator.clone());
        *bodies.entry(name).or_insert_with(|| event.body.clone()) != event.body
    };
    let refused: Vec<_> = events.iter().filter(is_refused).collect();
    let (first, count) = (refused.first().expect("some differ"), refused.len());
    let told =
        format!("{count} of 600 events, the first of them number {} of {:016x}", first.seq, first.writer);

    let (mut at_once, mut by_little) = (one.hub(), other.hub());
    let said = at_once.exchange(&events, HubMark::NONE, 0).expect("sent").refused.expect("refused");
    assert!(said.to_string().contains(&told), "{said}, and not {told}");
    for events in events.chunks(50) {
        by_little.exchange(events, HubMark::NONE, 0).expect("sent");
    }
    let there = |link: &mut HubLink| -> Vec<(i64, SentThing)> {
        all(link, 1000).into_iter().map(|row| (row.mark.pos, row.what)).collect()
    };
    assert_eq!(there(&mut at_once), there(&mut by_little));
    assert_eq!(
        at_once.exchange(&events, HubMark::NONE, 0).expect("again").refused.map(|told| told.to_string()),
        Some(said.to_string()),
        "the same again is answered alike"
    );
    assert_eq!(there(&mut at_once).len(), there(&mut by_little).len(), "and changes nothing");
    // Openings of files belong to the same people.
    let mut alices = [one.annotator(&mut at_once, "alice"), other.annotator(&mut by_little, "alice")];
    let mut may = |writer: i64| {
        alices.each_mut().map(|alice| {
            let sent = alice.exchange(&[event("alice", writer, 1_000, "x")], HubMark::NONE, 0);
            sent.expect("an answer").refused.is_none()
        })
    };
    for writer in [3, 4, 5, 6] {
        let [one, other] = may(writer);
        assert_eq!(one, other, "{writer}");
    }
    assert_eq!(may(6), [true; 2], "nobody's yet");
}

#[test]
fn pages_end_where_they_end() {
    let Some(server) = Server::find() else { return };
    let mut lena = server.hub();
    let mut alice = server.annotator(&mut lena, "alice");
    for seq in 1..=20 {
        let name = if seq % 3 == 0 { "alice" } else { "lena" };
        lena.send(&[event(name, seq, 1, "x")]).expect("sent");
        if seq % 5 == 0 {
            lena.put(&[record(Audience::All, "document", &seq.to_string(), "x")]).expect("put");
        }
    }
    for limit in [1, 2, 3, 9, 10, 11, 23, 24, 25] {
        assert_eq!(all(&mut lena, limit).len(), 24, "{limit}");
        assert_eq!(all(&mut alice, limit).len(), 10, "{limit}");
    }
    // The head is told also to whom there is nothing to show.
    let last = all(&mut alice, 100).last().expect("a row").mark;
    let fetched = alice.exchange(&[], last, 100).expect("fetched");
    assert_eq!((fetched.head.pos, fetched.rows.len()), (24, 0));
    let fetched = alice.exchange(&[], fetched.head, 100).expect("from there");
    assert!(!fetched.is_rewound && fetched.rows.is_empty());
    for mark in [HubMark { pos: 24, received: 5 }, HubMark { pos: 25, received: fetched.head.received }] {
        let fetched = alice.exchange(&[], mark, 100).expect("of another history");
        assert!(fetched.is_rewound && fetched.rows.is_empty());
    }
}

/// Writers that hold transactions open, take them back, are cut and send again, and a reader beside them.
#[test]
fn nothing_is_missed_beside_open_transactions() {
    let Some(server) = Server::find() else { return };
    let mut lena = server.hub();
    let has_ended = AtomicBool::new(false);
    let (server, ended) = (&server, &has_ended);
    let (sent, seen) = thread::scope(|scope| {
        let writers: Vec<_> = (0..6)
            .map(|number| {
                scope.spawn(move || {
                    let mut draw = Draw::from_seed(number);
                    let sql = server.sql(&server.lead);
                    let mut sent = BTreeSet::new();
                    let mut pending = 0;
                    let mut seq = 0;
                    let until = Instant::now() + Duration::from_secs(3);
                    while Instant::now() < until {
                        pending += 1 + draw.below(4) as i64;
                        let seqs: Vec<i64> = (seq + 1..=seq + pending).collect();
                        let list = |of: &dyn Fn(i64) -> String| {
                            seqs.iter().map(|seq| of(*seq)).collect::<Vec<_>>().join(",")
                        };
                        let statement = format!(
                            "select hub.exchange((select key from hub.mine()), 0, 0, 0, array[{}]::bigint[], array[{}]::bigint[], array['lena'], array[{}]::int[], '{}', \
                             array[{}]::bigint[], array[{}]::bytea[], array[{}]::bytea[])",
                            list(&|_| number.to_string()),
                            list(&|seq| seq.to_string()),
                            list(&|_| "1".to_owned()),
                            "e".repeat(seqs.len()),
                            list(&|_| "0".to_owned()),
                            list(&|_| "null".to_owned()),
                            list(&|seq| format!("'{seq}'")),
                        );
                        sql.run("begin");
                        sql.run(&statement);
                        if draw.below(3) == 0 {
                            thread::sleep(Duration::from_millis(draw.below(20) as u64));
                        }
                        if draw.below(5) == 0 {
                            sql.run("rollback");
                            continue;
                        }
                        sql.run("commit");
                        sent.extend(seqs.iter().map(|seq| (number as i64, *seq)));
                        // The answer was lost: all of it once more.
                        if draw.below(6) > 0 {
                            (seq, pending) = (seq + pending, 0);
                        }
                    }
                    sent
                })
            })
            .collect();
        let reader = scope.spawn(|| {
            let (mut mark, mut seen) = (HubMark::NONE, Vec::new());
            loop {
                let is_last = ended.load(Ordering::Acquire);
                loop {
                    let fetched = lena.exchange(&[], mark, 50).expect("fetched");
                    assert!(!fetched.is_rewound);
                    mark = fetched.rows.last().map_or(mark, |row| row.mark);
                    seen.extend(fetched.rows.iter().filter_map(key));
                    if fetched.rows.len() < 50 {
                        break;
                    }
                }
                if is_last {
                    return seen;
                }
            }
        });
        let sent: BTreeSet<(i64, i64)> =
            writers.into_iter().flat_map(|it| it.join().expect("a writer")).collect();
        ended.store(true, Ordering::Release);
        (sent, reader.join().expect("the reader"))
    });
    assert!(sent.len() > 50, "{}", sent.len());
    assert_eq!(seen.len(), sent.len(), "something came twice");
    assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), sent);
    let root = server.root();
    assert_eq!(root.number("select max(pos) - count(distinct pos) from hub.event"), 0);
    assert_eq!(root.number("select head from hub.study"), sent.len() as i64);
}
