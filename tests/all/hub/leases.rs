//! Work that is handed out: never more of it than is wanted, and none of it lost.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use haymark::hub::{Hub, Lease, Link, MemberKind, Offered};

use crate::harness::{Draw, Server};

const HOUR: Duration = Duration::from_secs(3600);

fn offered(number: u32, raters: u32) -> Offered {
    Offered { key: number.to_be_bytes().to_vec(), raters }
}

fn number(lease: &Lease) -> u32 {
    u32::from_be_bytes(lease.key.as_slice().try_into().expect("four bytes"))
}

fn numbers(leases: &[Lease]) -> Vec<u32> {
    leases.iter().map(number).collect()
}

/// What is held and done and still open comes to what is wanted.
const BALANCE: &str =
    "select count(*) from hub.grp g where g.open + (select count(*) from hub.lease l where l.grp = g.grp
    and l.state in ('h', 'd')) <> case when get_byte(g.key, 3) % 10 = 0 then 3 else 1 end";

#[test]
fn groups_go_round_as_planned() {
    let Some(server) = Server::find() else { return };
    let mut lena = server.hub();
    let mut link = |name: &str| {
        let login = server.invite(&mut lena, name, MemberKind::Annotator);
        server.link(&login)
    };
    let (mut alice, mut again, mut bob) = (link("alice"), link("alice"), link("bob"));
    lena.offer(&[offered(1, 2), offered(2, 1), offered(3, 1), offered(4, 1)]).expect("offered");
    lena.offer(&[offered(4, 1), offered(5, 1)]).expect("one of them is known");
    let of_alice = alice.take(2, HOUR).expect("taken");
    assert_eq!(numbers(&of_alice), [1, 2]);
    assert_eq!(again.take(2, HOUR).expect("the answer was lost").len(), 2);
    assert_eq!(numbers(&bob.take(3, HOUR).expect("taken")), [1, 3, 4]);
    assert_eq!(numbers(&again.take(9, HOUR).expect("taken")), [1, 2, 5]);
    let groups: Vec<i32> = of_alice.iter().map(|lease| lease.group).collect();
    alice.settle(&groups[..1], true).expect("done");
    alice.settle(&groups[..1], true).expect("done again");
    alice.settle(&groups[1..], false).expect("given back");
    assert_eq!(numbers(&bob.take(9, HOUR).expect("what came back")), [1, 2, 3, 4]);
    assert_eq!(numbers(&alice.take(9, HOUR).expect("what is left")), [5]);
    assert_eq!(server.root().number("select sum(open) from hub.grp"), 0);
}

#[test]
fn a_lease_ends_and_a_late_answer_counts() {
    let Some(server) = Server::find() else { return };
    let mut lena = server.hub();
    let login = server.invite(&mut lena, "alice", MemberKind::Annotator);
    let mut alice = server.link(&login);
    lena.offer(&[offered(1, 1)]).expect("offered");
    let held = alice.take(1, Duration::ZERO).expect("taken");
    thread::sleep(Duration::from_millis(20));
    assert_eq!(numbers(&lena.take(1, HOUR).expect("a lead may too")), [1]);
    assert!(alice.take(1, HOUR).expect("nothing is open").is_empty());
    alice.settle(&[held[0].group], true).expect("late");
    let root = server.root();
    assert_eq!(root.number("select count(*) from hub.lease where state = 'd'"), 1);
    assert_eq!(root.number("select open from hub.grp"), 0);
}

/// Forty at once, on two machines each, who finish, give back, go away and come back late.
#[test]
fn forty_ask_at_once() {
    let Some(server) = Server::find() else { return };
    let mut lena = server.hub();
    let groups: Vec<Offered> =
        (0..400).map(|it| offered(it, if it % 256 % 10 == 0 { 3 } else { 1 })).collect();
    lena.offer(&groups).expect("offered");
    let people: Vec<String> =
        (0..20).map(|it| server.invite(&mut lena, &format!("p{it}"), MemberKind::Annotator)).collect();
    let first: Mutex<BTreeMap<u32, BTreeSet<usize>>> = Mutex::default();
    let late = Mutex::new(0);
    let barrier = Barrier::new(40);
    thread::scope(|scope| {
        for client in 0..40_usize {
            let (server, people, first, late, barrier) = (&server, &people, &first, &late, &barrier);
            scope.spawn(move || {
                let mut link: Link = server.link(&people[client % 20]);
                let mut draw = Draw::from_seed(client as u64);
                link.me().expect("in");
                barrier.wait();
                for lease in link.take(3, HOUR).expect("taken") {
                    first.lock().expect("a lock").entry(number(&lease)).or_default().insert(client % 20);
                }
                barrier.wait();
                let until = Instant::now() + Duration::from_secs(3);
                while Instant::now() < until {
                    let held = link.take(3, Duration::from_secs(1)).expect("taken");
                    let groups: Vec<i32> = held.iter().map(|lease| lease.group).collect();
                    match draw.below(10) {
                        0 => {
                            thread::sleep(Duration::from_millis(1200));
                            link.settle(&groups, true).expect("late");
                            *late.lock().expect("a lock") += 1;
                        }
                        1 => link.settle(&groups, false).expect("given back"),
                        _ => link.settle(&groups[..groups.len().min(2)], true).expect("done"),
                    }
                }
            });
        }
    });
    let first = first.into_inner().expect("a lock");
    assert!(first.len() >= 40, "{}", first.len());
    for (group, people) in &first {
        let wanted = if group % 256 % 10 == 0 { 3 } else { 1 };
        assert!(people.len() <= wanted, "{group}: {people:?}");
    }
    let root = server.root();
    let twice =
        "select count(*) from (select from hub.lease group by study, grp, annotator having count(*) > 1) x";
    assert_eq!(root.number(twice), 0);
    assert_eq!(root.number(&BALANCE.replace("<>", "<")), 0, "places were lost");
    let more = root.number(&BALANCE.replace("<>", ">"));
    assert!(more <= 3 * *late.lock().expect("a lock"), "{more} more than planned");
}
