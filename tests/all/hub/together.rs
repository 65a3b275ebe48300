//! Four people in four terminals on one hub, over a network that is cut at random, with a server that is stopped and a
//! client that is killed. `HAYMARK_TEAM=250` is how many items each judges; a few otherwise.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use haymark::hub::{Hub, HubMark, MemberKind, SentThing};
use serde_json::{Value, json};

use super::corpus;
use crate::harness::{Desk, Proxy, Server, Session};

const PEOPLE: [&str; 4] = ["alice", "bora", "chen", "dana"];

/// How many items each judges.
fn share() -> usize {
    std::env::var("HAYMARK_TEAM").ok().and_then(|number| number.parse().ok()).unwrap_or(8)
}

/// A study with so many pairs of a unit and a candidate, and more.
fn study(items: usize) -> Vec<Value> {
    let mut records = corpus(10, items / 10 + 1);
    // Exports list people in the order in which they came to a file.
    records.extend(PEOPLE.iter().map(|name| json!({"type":"annotator","id":name,"kind":"human"})));
    records
}

/// A number between two, another each time.
fn random(low: u64, high: u64) -> u64 {
    let bytes = uuid();
    low + bytes % (high - low)
}

fn uuid() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}

fn opened(desk: &Desk, name: &str) -> Session {
    let mut session =
        desk.start(&["annotate", &format!("{name}.db"), "--as", name, "--protocol", "coverage"]);
    session.wait_for(" judged");
    session
}

/// Judges so many items; somebody may be killed now and then.
fn judges(desk: &Desk, name: &str, items: usize, kills: usize, done: &AtomicUsize) {
    let mut session = opened(desk, name);
    for item in 1..=items {
        session.answer("x", &format!("· {item} judged"));
        done.fetch_add(1, Ordering::Relaxed);
        if kills > 0 && item % (items / kills).max(1) == 0 {
            session.kill();
            session = opened(desk, name);
        }
    }
    // The network is there again before long.
    for _ in 0..90 {
        if session.rest(Duration::from_secs(1)).shows("synced") {
            break;
        }
    }
    session.wait_for("synced");
    session.quit();
}

#[test]
fn four_people_work_on_one_hub_whatever_the_network_does() {
    let Some(server) = Server::own("") else { return };
    let cluster = server.cluster.as_ref().expect("a server of its own");
    let items = share();
    let (desk, proxy) = (Desk::new(), Proxy::to(cluster.port));
    desk.import("corpus.jsonl", &study(items));
    let url = server.url(&server.lead);
    desk.out(&["hub", "create", &url, "study.db", "--as", "lena", "--show-systems"]);
    let mut lead = server.link(&server.lead);
    let logins = PEOPLE.map(|name| server.invite(&mut lead, name, MemberKind::Annotator));
    for (name, login) in PEOPLE.iter().zip(&logins) {
        let url = server.url(login).replace(&format!(":{}/", cluster.port), &format!(":{}/", proxy.port));
        assert!(url.contains(&proxy.port.to_string()), "{url}");
        let told = desk.out(&["hub", "join", &url, "-o", &format!("{name}.db")]);
        assert!(told.contains(&format!("the file of {name} (annotator)")), "{told}");
    }
    let done = AtomicUsize::new(0);
    let all = items * PEOPLE.len();
    thread::scope(|scope| {
        let people: Vec<_> = PEOPLE
            .iter()
            .map(|name| {
                let kills = if *name == "alice" { 10 } else { 0 };
                let (desk, done) = (&desk, &done);
                scope.spawn(move || judges(desk, name, items, kills, done))
            })
            .collect();
        let mut restarts = 0;
        while done.load(Ordering::Relaxed) < all && !people.iter().any(thread::ScopedJoinHandle::is_finished)
        {
            thread::sleep(Duration::from_millis(random(100, 900)));
            match random(0, 4) {
                0 => {
                    proxy.set_down(true);
                    thread::sleep(Duration::from_millis(random(100, 1_500)));
                    proxy.set_down(false);
                }
                _ => proxy.cut(random(1, 6_000)),
            }
            if restarts < 2 && done.load(Ordering::Relaxed) > all * (restarts + 1) / 3 {
                restarts += 1;
                cluster.end();
                thread::sleep(Duration::from_millis(300));
                cluster.begin();
            }
        }
        proxy.cut(0);
    });
    // Whoever was killed last has a look at an item that waits.
    PEOPLE.iter().for_each(|name| drop(desk.out(&["sync", &format!("{name}.db")])));
    desk.out(&["sync", "study.db"]);
    desk.out(&["init", "union.db"]);
    desk.out(&["merge", "union.db", "alice.db", "bora.db", "chen.db", "dana.db"]);
    let exported = desk.out(&["export", "study.db"]);
    assert_eq!(exported, desk.out(&["export", &url]), "the lead's file and the hub");
    assert_eq!(exported, desk.out(&["export", "union.db"]), "the lead's file and the union");
    let judged = |file: &str, name: &str| desk.judgments(file, "coverage", name).len();
    for (name, login) in PEOPLE.iter().zip(&logins) {
        assert_eq!(judged("study.db", name), items, "{name}");
        let file = format!("{name}.db");
        assert!(
            PEOPLE.iter().all(|other| judged(&file, other) == if other == name { items } else { 0 }),
            "{name}"
        );
        let seen = server.link(login).exchange(&[], HubMark::NONE, 1_000_000).expect("fetched").rows;
        let others = seen.iter().filter(|row| match &row.what {
            SentThing::Event(event) => event.annotator != *name,
            SentThing::Record(_) => false,
        });
        assert_eq!(others.count(), 0, "{name} sees others");
    }
    for file in ["study.db", "alice.db", "union.db"] {
        desk.out(&["check", file]);
    }
}

#[test]
fn a_file_is_joined_worked_in_without_the_hub_and_brought_up_to_date() {
    let Some(server) = Server::find() else { return };
    let desk = Desk::new();
    desk.import("corpus.jsonl", &study(20));
    desk.out(&["hub", "create", &server.url(&server.lead), "study.db", "--as", "lena"]);
    let mut lead = server.link(&server.lead);
    let login = server.invite(&mut lead, "alice", MemberKind::Annotator);
    let url = server.url(&login);
    desk.out(&["hub", "join", &url, "-o", "mine.db"]);
    let (_, told) = desk.fails(&["hub", "join", &url, "-o", "mine.db"]);
    assert!(told.contains("mine.db: there is a file of this name already"), "{told}");
    let exported = desk.out(&["export", "mine.db"]);
    assert!(!exported.contains("system 1") && !exported.contains("\"s1\""), "{exported}");

    let arguments = ["annotate", "mine.db", "--as", "alice", "--protocol", "coverage"];
    let mut session = desk.start(&[&arguments[..], &["--offline"]].concat());
    session.wait_for(" judged").answer("x", "· 1 judged").catch_up();
    assert!(!session.shows("synced") && !session.shows(" wait"), "{:?}", session.rows());
    session.quit();
    let told = desk.out(&["sync", "mine.db"]);
    assert!(told.contains(" 0 new here, ") && told.contains(" sent\n"), "{told}");
    assert!(desk.out(&["sync", "mine.db"]).contains(": 0 new here, 0 sent\n"));
    desk.out(&["sync", "study.db"]);
    assert_eq!(desk.judgments("study.db", "coverage", "alice").len(), 1);
    assert!(desk.out(&["export", "study.db"]).contains("\"s1\""));

    let mut session = desk.start(&arguments);
    session.wait_for("synced").answer("x", "· 2 judged").wait_for("synced");
    session.quit();
    desk.out(&["sync", "study.db"]);
    assert_eq!(desk.judgments("study.db", "coverage", "alice").len(), 2);

    // Who is out is told so, and goes on in her file.
    assert!(lead.remove("alice").expect("removed"));
    let mut session = desk.start(&arguments);
    session.wait_for(" judged").answer("x", "· 3 judged").wait_for(" wait");
    session.quit();
    let (_, told) = desk.fails(&["sync", "mine.db"]);
    assert!(!told.is_empty());
    println!("{told}");
}

#[test]
fn a_study_without_a_hub_says_so() {
    let desk = Desk::new();
    desk.import("corpus.jsonl", &study(10));
    let (status, told) = desk.fails(&["sync", "study.db"]);
    assert_eq!(
        (status, told.contains("study.db: the study has no hub; name the other file to sync it with")),
        (2, true),
        "{told}"
    );
    let (status, told) = desk.fails(&["sync", "study.db", "postgres://a@127.0.0.1/x"]);
    assert_eq!((status, told.contains("is a hub, not a file")), (2, true), "{told}");
}
