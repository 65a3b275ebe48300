//! Work that is handed out: never more of it than is wanted, and none of it lost.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use haymark::hub::{Hub, HubLink, Lease, MemberKind, Offered};

use crate::harness::{Draw, Server};

const HOUR: Duration = Duration::from_secs(3600);

fn offered(number: u32, raters: u32) -> Offered {
    Offered { key: number.to_be_bytes().to_vec(), raters, ..Offered::default() }
}

fn take(link: &mut HubLink, want: usize, hold: Duration) -> Vec<Lease> {
    link.take("coverage", want, hold).expect("taken")
}

fn keys(leases: &[Lease]) -> Vec<Vec<u8>> {
    leases.iter().map(|lease| lease.key.clone()).collect()
}

fn number(lease: &Lease) -> u32 {
    u32::from_be_bytes(lease.key.as_slice().try_into().expect("four bytes"))
}

fn numbers(leases: &[Lease]) -> Vec<u32> {
    leases.iter().map(number).collect()
}

/// Ends what is held for longer than a second, as if its time were over.
const ENDS: &str = "update hub.lease l set until = now() - interval '1 second' from (select grp, annotator from hub.lease
    where state = 'h' and since < now() - interval '1 second' for update skip locked) x where l.grp = x.grp and l.annotator = x.annotator";

/// What is held and done and still open comes to what is wanted.
const BALANCE: &str =
    "select count(*) from hub.grp g where g.open + (select count(*) from hub.lease l where l.grp = g.grp
    and l.state in ('h', 'd')) <> g.wanted";

/// Controls beside work that their annotator never had.
const ASTRAY: &str =
    "select count(*) from hub.lease c where beside is not null and not exists (select from hub.lease w
    where (w.study, w.annotator, w.grp) = (c.study, c.annotator, c.beside) and w.beside is null)";

#[test]
fn groups_go_round_as_planned() {
    let Some(server) = Server::find() else { return };
    let mut lena = server.hub();
    let mut link = |name: &str| server.annotator(&mut lena, name);
    let (mut alice, mut again, mut bob) = (link("alice"), link("alice"), link("bob"));
    let four = [offered(1, 2), offered(2, 1), offered(3, 1), offered(4, 1)];
    assert_eq!(lena.offer("coverage", &four).expect("offered"), 4);
    assert_eq!(lena.offer("coverage", &[offered(4, 1), offered(5, 1)]).expect("one of them is known"), 1);
    let of_alice = take(&mut alice, 2, HOUR);
    assert_eq!(numbers(&of_alice), [1, 2]);
    assert_eq!(take(&mut again, 2, HOUR).len(), 2, "the answer was lost");
    assert!(again.take("keypoint", 9, HOUR).expect("taken").is_empty(), "of another protocol");
    assert_eq!(numbers(&take(&mut bob, 3, HOUR)), [1, 3, 4]);
    assert_eq!(numbers(&take(&mut again, 9, HOUR)), [1, 2, 5]);
    let groups = keys(&of_alice);
    alice.settle("coverage", &groups[..1], true).expect("done");
    alice.settle("coverage", &groups[..1], true).expect("done again");
    alice.settle("coverage", &groups[1..], false).expect("given back");
    assert_eq!(numbers(&take(&mut alice, 9, HOUR)), [5], "what she gave back does not come again");
    assert_eq!(numbers(&take(&mut bob, 9, HOUR)), [1, 2, 3, 4]);
    assert_eq!(server.root().number("select sum(open) from hub.grp"), 0);
    // Somebody leaves, and what she holds goes to others.
    assert!(lena.remove("bob").expect("removed"));
    assert_eq!(server.root().number("select sum(open) from hub.grp"), 4);
    assert_eq!(numbers(&take(&mut lena, 9, HOUR)), [1, 2, 3, 4]);
}

/// Nobody has more open at once than her file would take ahead.
#[test]
fn nobody_takes_all_there_is() {
    let Some(server) = Server::find() else { return };
    let mut lena = server.hub();
    let mut alice = server.annotator(&mut lena, "alice");
    lena.offer("coverage", &(1..=300).map(|number| offered(number, 1)).collect::<Vec<_>>()).expect("offered");
    assert_eq!(take(&mut alice, 500, HOUR).len(), 240);
    assert_eq!(take(&mut alice, 500, HOUR).len(), 240);
}

/// A group that some have already wants fewer, and does not go to them; what is said last holds.
#[test]
fn an_offer_knows_who_has_it() {
    let Some(server) = Server::find() else { return };
    let mut lena = server.hub();
    let mut link = |name: &str| server.annotator(&mut lena, name);
    let (mut alice, mut bob, mut carl) = (link("alice"), link("bob"), link("carl"));
    let had = Offered { had: vec!["alice".to_owned(), "before".to_owned()], ..offered(1, 3) };
    let barred = Offered { barred: vec!["bob".to_owned()], ..offered(2, 1) };
    lena.offer("coverage", &[had.clone(), barred]).expect("offered");
    assert!(take(&mut alice, 1, HOUR).iter().all(|lease| number(lease) == 2));
    assert_eq!(numbers(&take(&mut bob, 9, HOUR)), [1]);
    assert!(take(&mut carl, 9, HOUR).is_empty());
    lena.offer("coverage", &[Offered { raters: 4, ..had.clone() }, offered(2, 0)])
        .expect("more of one, less of the other");
    assert_eq!(numbers(&take(&mut carl, 9, HOUR)), [1]);
    let offers = lena.offers("coverage").expect("read");
    assert_eq!(offers.iter().map(|offer| (offer.wanted, offer.open)).collect::<Vec<_>>(), [(4, 0), (0, 0)]);
    lena.offer("coverage", &[had]).expect("fewer again");
    bob.settle("coverage", &[1_u32.to_be_bytes().to_vec()], false).expect("given back");
    assert_eq!(lena.offers("coverage").expect("read")[0].open, 0, "three have it");
}

#[test]
fn a_lease_ends_and_a_late_answer_counts() {
    let Some(server) = Server::find() else { return };
    let mut lena = server.hub();
    let mut alice = server.annotator(&mut lena, "alice");
    lena.offer("coverage", &[offered(1, 1)]).expect("offered");
    let held = take(&mut alice, 1, HOUR);
    server.root().run("update hub.lease set until = now()");
    assert_eq!(numbers(&take(&mut lena, 1, HOUR)), [1], "a lead may too");
    assert!(take(&mut alice, 1, HOUR).is_empty(), "nothing is open");
    alice.settle("coverage", &keys(&held), true).expect("late");
    let root = server.root();
    assert_eq!(root.number("select count(*) from hub.lease where state = 'd'"), 1);
    lena.settle("coverage", &keys(&held), false).expect("given back");
    assert_eq!(root.number("select open from hub.grp"), 0, "the late answer is the one that was wanted");
}

/// Work is done when it is judged; who says so of what she did not judge is not believed, and a lead can reopen what somebody did.
#[test]
fn work_is_done_when_it_is_judged() {
    let Some(server) = Server::find() else { return };
    let mut lena = server.hub();
    let mut link = |name: &str| server.annotator(&mut lena, name);
    let (mut alice, mut bob) = (link("alice"), link("bob"));
    let key = |number: u32| number.to_be_bytes().to_vec();
    let group =
        |it: u32| Offered { items: vec![vec![it as u8; 16], vec![it as u8 + 100; 16]], ..offered(it, 1) };
    let groups: Vec<Offered> = (1..=40).map(group).collect();
    lena.offer("coverage", &groups).expect("offered");
    // Round by round she would have the whole study done.
    for _ in 0..4 {
        let held = keys(&take(&mut alice, 10, HOUR));
        alice.settle("coverage", &held, true).expect("said");
    }
    let root = server.root();
    assert_eq!(root.number("select count(*) from hub.lease where state = 'd'"), 0);
    assert_eq!(take(&mut alice, 10, HOUR).len(), 10);
    assert_eq!(take(&mut bob, 500, HOUR).len(), 30);
    let judged = |name: &str, seq: i64, item: u8| haymark::hub::SentEvent {
        item: Some(vec![item; 16]),
        ..super::event(name, if name == "alice" { 31 } else { 32 }, seq, "judged")
    };
    alice.send(&[judged("alice", 1, 1)]).expect("half of it");
    alice.settle("coverage", &[key(1)], true).expect("said");
    assert_eq!(root.number("select count(*) from hub.lease where state = 'd'"), 0);
    bob.send(&[judged("bob", 1, 101)]).expect("not hers");
    alice.settle("coverage", &[key(1)], true).expect("said");
    assert_eq!(root.number("select count(*) from hub.lease where state = 'd'"), 0);
    alice.send(&[judged("alice", 2, 101)]).expect("the rest");
    alice.settle("coverage", &[key(1)], true).expect("said");
    assert_eq!(root.number("select count(*) from hub.lease where state = 'd'"), 1);
    // An item that came later is not asked of those who had the group before, nor one that was left out.
    let more = Offered { items: vec![vec![2; 16], vec![200; 16]], ..offered(2, 1) };
    lena.offer("coverage", &[more]).expect("offered again");
    alice.send(&[judged("alice", 3, 2)]).expect("judged");
    alice.settle("coverage", &[key(2)], true).expect("said");
    assert_eq!(root.number("select count(*) from hub.lease where state = 'd'"), 2);
    // Reopened, it goes to others and not to her.
    alice.reopen("coverage", "alice").expect_err("a lead's");
    assert_eq!(lena.reopen("coverage", "alice").expect("reopened"), 10);
    assert!(take(&mut alice, 500, HOUR).is_empty());
    assert_eq!(numbers(&take(&mut bob, 500, HOUR)).len(), 40);
}

/// Asking holds nothing: a group is held for longer where something of hers came in since.
#[test]
fn who_sends_nothing_holds_nothing() {
    let Some(server) = Server::find() else { return };
    let mut lena = server.hub();
    let mut link = |name: &str| server.annotator(&mut lena, name);
    let (mut alice, mut bob) = (link("alice"), link("bob"));
    lena.offer("coverage", &[offered(1, 1), offered(2, 1)]).expect("offered");
    let first = take(&mut alice, 1, Duration::from_secs(100 * 3600));
    let day = server.root().number("select hub.micros(now() + interval '25 hours')");
    assert!(first[0].until < day, "for a day at most");
    assert_eq!(take(&mut alice, 1, HOUR)[0].until, first[0].until);
    alice.send(&[super::event("alice", 31, 1, "judged")]).expect("sent");
    assert!(take(&mut alice, 1, HOUR)[0].until < first[0].until, "an hour from now");
    server.root().run("update hub.lease set until = now() - interval '1 second'");
    let taken = take(&mut bob, 2, Duration::ZERO);
    let hour = server.root().number("select hub.micros(now() + interval '59 minutes')");
    assert!(taken.len() == 2 && taken.iter().all(|lease| lease.until > hour), "for an hour at least");
}

/// Controls come among the work, as work, in their share; none of those who are wanted is one whose answer is known.
#[test]
fn controls_are_mixed_into_the_work() {
    let Some(server) = Server::find() else { return };
    let mut lena = server.hub();
    let mut alice = server.annotator(&mut lena, "alice");
    let groups: Vec<Offered> = (1..=120)
        .map(|it| match it {
            1..=20 => Offered { barred: vec!["alice".to_owned()], ..offered(it, 1) },
            _ => offered(it, 1),
        })
        .collect();
    lena.offer("coverage", &groups).expect("offered");
    let controls: Vec<_> = (1..=20_u32).map(|it| ("alice".to_owned(), it.to_be_bytes().to_vec())).collect();
    alice.mix("coverage", 0.1, &controls).expect_err("a lead's");
    lena.mix("coverage", 0.1, &controls).expect("given");
    lena.mix("coverage", 0.1, &controls).expect("the same again");
    let held = numbers(&take(&mut alice, 44, HOUR));
    let is_control = |number: &&u32| **number <= 20;
    assert_eq!((held.len(), held.iter().filter(is_control).count()), (44, 4), "{held:?}");
    assert!(
        held.iter().take(22).any(|number| *number > 20)
            && held.windows(5).any(|five| five.iter().any(|it| *it <= 20))
    );
    assert!(!held.iter().take(4).all(|number| *number <= 20), "not first of all: {held:?}");
    assert_eq!(numbers(&take(&mut alice, 44, HOUR)), held, "the answer was lost");
    assert_eq!(server.root().number("select count(*) from hub.grp where open = 0"), 40, "the work alone");
    let all = keys(&take(&mut alice, 44, HOUR));
    alice.settle("coverage", &all, true).expect("done");
    let more = numbers(&take(&mut alice, 44, HOUR));
    assert_eq!((more.len(), more.iter().filter(is_control).count()), (44, 4), "{more:?}");
}

/// Whoever gives back what she has, thing by thing, or takes one at a time and for no time, or lets all of it lie, or whose work a lead
/// takes back, sees the same of controls and of work.
#[test]
fn what_is_given_back_tells_nothing() {
    let Some(server) = Server::find() else { return };
    let mut lena = server.hub();
    let mut link = |name: &str| server.annotator(&mut lena, name);
    let (mut alice, mut bob, mut carl) = (link("alice"), link("bob"), link("carl"));
    let barred = vec!["alice".to_owned(), "bob".to_owned()];
    let groups: Vec<Offered> = (1..=300)
        .map(|it| Offered { barred: if it <= 40 { barred.clone() } else { Vec::new() }, ..offered(it, 1) })
        .collect();
    lena.offer("coverage", &groups).expect("offered");
    let of = |name: &str, from: u32| {
        (from..from + 20).map(|it| (name.to_owned(), it.to_be_bytes().to_vec())).collect::<Vec<_>>()
    };
    lena.mix("coverage", 0.1, &[of("alice", 1), of("bob", 21)].concat()).expect("given");
    let controls = |held: &[u32]| held.iter().filter(|number| **number <= 40).count();
    let mut held = numbers(&take(&mut alice, 33, HOUR));
    assert_eq!((held.len(), controls(&held)), (33, 3), "{held:?}");
    for back in held.clone() {
        alice.settle("coverage", &[back.to_be_bytes().to_vec()], false).expect("given back");
        let now = numbers(&take(&mut alice, 33, HOUR));
        assert!(now.len() == 33 && !now.contains(&back), "{back}");
        assert_eq!(now.iter().filter(|number| !held.contains(number)).count(), 1, "{back}");
        held = now;
    }
    let root = server.root();
    for want in 1..=55 {
        assert_eq!(take(&mut bob, want, Duration::ZERO).len(), want);
        assert_eq!(
            root.number(ASTRAY),
            0,
            "beside what may go to another: it would not come again when the rest does"
        );
    }
    let before = numbers(&take(&mut bob, 55, HOUR));
    assert_eq!(controls(&before), 5, "{before:?}");
    // Nobody wants what he lets lie while there is other work.
    root.run(
        "update hub.lease set since = since - interval '2 days', until = until - interval '2 days' from hub.annotator a
         where a.id = annotator and a.key = 'bob'",
    );
    let free = usize::try_from(root.number("select count(*) from hub.grp where open > 0")).expect("a count");
    assert_eq!(take(&mut carl, free, HOUR).len(), free);
    assert_eq!(numbers(&take(&mut bob, 55, HOUR)), before);
    // Then it goes in its order, controls and all, and comes again so.
    assert_eq!(take(&mut carl, free + 20, HOUR).len(), free + 20);
    let left = numbers(&take(&mut bob, 0, HOUR));
    let (went, stayed) = before.split_at(before.len() - left.len());
    assert_eq!((left.as_slice(), went.len() - controls(went)), (stayed, 20));
    assert!(controls(went) > 0, "{went:?}");
    let back: Vec<Vec<u8>> = went.iter().map(|number| number.to_be_bytes().to_vec()).collect();
    carl.settle("coverage", &back, false).expect("given back");
    let all = |link: &mut HubLink| (0..5).map(|_| numbers(&take(link, 55, HOUR))).last();
    assert_eq!(all(&mut bob).as_ref(), Some(&before));
    lena.release("bob").expect("taken back");
    assert_eq!(all(&mut bob).as_ref(), Some(&before));
    // Also where he is done with the work beside which a control stands.
    let beside = "select q.key from hub.lease l join hub.grp q on q.grp = l.beside
        join hub.annotator a on a.id = l.annotator and a.key = 'bob' limit 1";
    let done: Vec<u8> = root.rows(beside).first().expect("a control of his").get(0);
    bob.settle("coverage", std::slice::from_ref(&done), true).expect("done");
    lena.release("bob").expect("taken back");
    let rest: Vec<u32> = before.iter().copied().filter(|number| number.to_be_bytes() != *done).collect();
    assert_eq!(all(&mut bob).as_ref(), Some(&rest));
    assert_eq!(lena.reopen("coverage", "bob").expect("reopened"), 50);
    assert_eq!(all(&mut bob), Some(Vec::new()));
}

/// Nor do the counts of rows, which the server shows to everybody, tell a control from work that is taken, given back or done.
#[test]
fn what_the_server_counts_tells_nothing() {
    let Some(server) = Server::find() else { return };
    let mut lena = server.hub();
    let login = server.invite(&mut lena, "alice", MemberKind::Annotator);
    let barred = |it| if it <= 5 { vec!["alice".to_owned()] } else { Vec::new() };
    let groups: Vec<Offered> = (1..=60).map(|it| Offered { barred: barred(it), ..offered(it, 1) }).collect();
    lena.offer("coverage", &groups).expect("offered");
    let controls: Vec<_> = (1..=5_u32).map(|it| ("alice".to_owned(), it.to_be_bytes().to_vec())).collect();
    lena.mix("coverage", 0.1, &controls).expect("given");
    // Others have what is a control to her.
    let mut bob = server.annotator(&mut lena, "bob");
    assert_eq!(numbers(&take(&mut bob, 5, HOUR)), [1, 2, 3, 4, 5]);
    // What a call gives, and the rows written and, where they can be the same, read. A session counts on from call to call.
    let counted = |statement: &str, end: &str, reads: &str| {
        let sql = server.sql(&login);
        sql.run("set enable_seqscan = off");
        sql.run("begin");
        let given: Vec<Vec<u8>> = sql.rows(statement).iter().filter_map(|row| row.try_get(0).ok()).collect();
        let counts = format!(
            "select string_agg(concat_ws(' ', relname, n_tup_ins, n_tup_upd, n_tup_del, {reads}), ', ' order by relname)
             from pg_stat_xact_user_tables where relname in ('grp', 'lease', 'barred', 'mixed')"
        );
        let counts: String = sql.rows(&counts).first().expect("a row").get(0);
        sql.run(end);
        (given, counts)
    };
    let mut seen: BTreeMap<(&str, bool), BTreeSet<String>> = BTreeMap::new();
    let mut held: Vec<Vec<u8>> = Vec::new();
    let is_control = |key: &[u8]| key[3] <= 5;
    for want in 1..=40 {
        let (given, counts) =
            counted(&format!("select key from hub.take(1, 'coverage', {want}, 3600)"), "commit", "null");
        let new = given.iter().find(|key| !held.contains(key)).expect("one more");
        seen.entry(("taken", is_control(new))).or_default().insert(counts);
        held = given;
    }
    for key in &held {
        let hex: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        for (what, done) in [("given back", false), ("done", true)] {
            let settle = format!("select hub.settle(1, 'coverage', array[decode('{hex}', 'hex')], {done})");
            let (_, counts) = counted(&settle, "rollback", "seq_tup_read, idx_tup_fetch");
            seen.entry((what, is_control(key))).or_default().insert(counts);
        }
    }
    for what in ["taken", "given back", "done"] {
        assert_eq!((seen[&(what, true)].len(), &seen[&(what, true)]), (1, &seen[&(what, false)]), "{what}");
    }
}

/// Nor does the length of the server's log, which grows by more where an update has to write to indexes.
#[test]
fn what_the_server_logs_tells_nothing() {
    // Nobody else writes to a log of its own.
    let Some(server) = Server::own("fsync = off\nautovacuum = off") else { return };
    let mut lena = server.hub();
    let login = server.invite(&mut lena, "alice", MemberKind::Annotator);
    let is_control = |number: u32| number <= 20;
    let barred = |it| if is_control(it) { vec!["alice".to_owned()] } else { Vec::new() };
    let groups: Vec<Offered> = (1..=80).map(|it| Offered { barred: barred(it), ..offered(it, 2) }).collect();
    lena.offer("coverage", &groups).expect("offered");
    let controls: Vec<_> = (1..=20_u32).map(|it| ("alice".to_owned(), it.to_be_bytes().to_vec())).collect();
    // Every second one, so the twenty come within forty.
    lena.mix("coverage", 1.0, &controls).expect("given");
    let sql = server.sql(&login);
    let length = || sql.number("pg_current_wal_insert_lsn() - '0/0'");
    let mut held: Vec<Vec<u8>> = Vec::new();
    let mut written: BTreeMap<bool, BTreeSet<i64>> = BTreeMap::new();
    for want in 1..=40 {
        let before = length();
        let given = sql.rows(&format!("select key from hub.take(1, 'coverage', {want}, 3600)"));
        let given: Vec<Vec<u8>> = given.iter().map(|row| row.get(0)).collect();
        let new = given.iter().find(|key| !held.contains(key)).expect("one more");
        written.entry(is_control(u32::from(new[3]))).or_default().insert(length() - before);
        held = given;
    }
    // At times the server tidies a page up, or begins one: the least is what the call itself writes.
    let least = |kind: bool| written.get(&kind).and_then(BTreeSet::first);
    assert!(least(true).is_some());
    assert_eq!(least(true), least(false), "{written:?}");
}

/// Forty at once, on two machines each, who finish, give back, go away and come back late.
#[test]
fn forty_ask_at_once() {
    let Some(server) = Server::find() else { return };
    let mut lena = server.hub();
    let groups: Vec<Offered> =
        (0..400).map(|it| offered(it, if it % 256 % 10 == 0 { 3 } else { 1 })).collect();
    lena.offer("coverage", &groups).expect("offered");
    let people: Vec<String> =
        (0..20).map(|it| server.invite(&mut lena, &format!("p{it}"), MemberKind::Annotator)).collect();
    let first: Mutex<BTreeMap<u32, BTreeSet<usize>>> = Mutex::default();
    let late = Mutex::new(0);
    let barrier = Barrier::new(40);
    thread::scope(|scope| {
        scope.spawn(|| {
            let root = server.root();
            (0..40).for_each(|_| {
                thread::sleep(Duration::from_millis(100));
                root.run(ENDS);
            });
        });
        for client in 0..40_usize {
            let (server, people, first, late, barrier) = (&server, &people, &first, &late, &barrier);
            scope.spawn(move || {
                let mut link: HubLink = server.link(&people[client % 20]);
                let mut draw = Draw::from_seed(client as u64);
                link.me().expect("in");
                barrier.wait();
                for lease in take(&mut link, 3, HOUR) {
                    first.lock().expect("a lock").entry(number(&lease)).or_default().insert(client % 20);
                }
                barrier.wait();
                let until = Instant::now() + Duration::from_secs(3);
                while Instant::now() < until {
                    let groups = keys(&take(&mut link, 3, HOUR));
                    match draw.below(10) {
                        0 => {
                            thread::sleep(Duration::from_millis(1200));
                            link.settle("coverage", &groups, true).expect("late");
                            *late.lock().expect("a lock") += 1;
                        }
                        1 => link.settle("coverage", &groups, false).expect("given back"),
                        _ => link.settle("coverage", &groups[..groups.len().min(2)], true).expect("done"),
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
