//! People who answer at a hub as files do it beside a screen: each by a link of her own, at her own pace.

use std::collections::VecDeque;
use std::thread;
use std::time::{Duration, Instant};

use haymark::error::ErrorKind;
use haymark::hub::{Address, Hub, HubLink, HubMark, SentEvent, Turns, about};

/// Lets each of these people, by name and address of the hub, answer `answers` times, about once in `every`. Returns the time
/// that each answer took to the hub, in milliseconds.
pub fn answer(people: &[(String, Address)], every: Duration, answers: usize) -> Vec<f64> {
    thread::scope(|scope| {
        let begin = |(number, (name, address)): (usize, &(String, Address))| {
            let (name, address) = (name.clone(), address.clone());
            let writer = i64::try_from(number).expect("a number") + 1;
            // A thousand stacks of the usual size take much memory.
            let thread = thread::Builder::new().stack_size(1 << 20);
            let person = move || one(&name, address, writer, every, answers);
            thread.spawn_scoped(scope, person).expect("a thread")
        };
        let people: Vec<_> = people.iter().enumerate().map(begin).collect();
        people.into_iter().flat_map(|person| person.join().expect("a person")).collect()
    })
}

fn one(name: &str, address: Address, writer: i64, every: Duration, answers: usize) -> Vec<f64> {
    let mut link = HubLink::to(address).expect("a runtime").at_once();
    let (mut turns, mut mark, mut took) = (Turns::default(), HubMark::NONE, Vec::new());
    let mut waiting: VecDeque<(usize, Instant)> = VecDeque::new();
    let (mut given, mut next) = (0_usize, Instant::now() + about(every) - every / 2);
    while given < answers || !waiting.is_empty() {
        while given < answers && next <= Instant::now() {
            given += 1;
            waiting.push_back((given, next));
            next += about(every);
        }
        let turn = if waiting.is_empty() { next } else { turns.earliest() };
        if Instant::now() < turn {
            let until = if given < answers { turn.min(next) } else { turn };
            thread::sleep(until.saturating_duration_since(Instant::now()));
            continue;
        }
        let begun = Instant::now();
        let events: Vec<SentEvent> = waiting
            .iter()
            .map(|(seq, _)| event(name, writer, i64::try_from(*seq).expect("a number")))
            .collect();
        match link.exchange(&events, mark, 500) {
            Ok(fetched) => {
                mark = fetched.head;
                took.extend(waiting.drain(..).map(|(_, at)| at.elapsed().as_secs_f64() * 1e3));
                turns.done(begun, link.rest());
            }
            Err(error) if matches!(error.kind(), ErrorKind::Full | ErrorKind::Unreachable) => {
                turns.turned_away()
            }
            Err(error) => panic!("{name}: {error}"),
        }
    }
    took
}

fn event(annotator: &str, writer: i64, seq: i64) -> SentEvent {
    SentEvent {
        writer,
        seq,
        annotator: annotator.to_owned(),
        journal: b'e',
        at: Some(1_767_600_000_000 + seq),
        item: Some(vec![7; 16]),
        body: format!("{{\"question\":\"coverage\",\"answer\":\"partial\",\"n\":{seq:012}}}").into_bytes(),
    }
}
