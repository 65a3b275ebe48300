//! What only a hub of other steps, or a program that knows other steps, can show.

pub(crate) mod memory;

use super::steps::STEPS;
use super::{Address, Founding, Hub, HubLink, HubMark, JUDGMENTS, Made, MemberKind, Offered, SentEvent};
use crate::number::counted;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A new database of the server that is there, which goes with its hub.
struct Database(Address);

impl Database {
    /// `None` where there is no server, which is said.
    fn new(name: &str) -> Option<Database> {
        let named = std::env::var("HAYMARK_POSTGRES").ok();
        let usual = "postgres://postgres@127.0.0.1:5432/postgres?connect_timeout=2";
        let mut address = Address::read(named.as_deref().unwrap_or(usual)).unwrap();
        let mut root = HubLink::to(address.clone()).unwrap();
        if let Err(error) = root.connect() {
            println!("skipped: {error}");
            return None;
        }
        let name = format!("{name}_{}", std::process::id());
        root.batch(&format!("drop database if exists {name} with (force)")).unwrap();
        root.batch(&format!("create database {name}")).unwrap();
        address.database = name;
        Some(Database(address))
    }

    /// Whoever logs in, with a program of so many steps.
    fn link(&self, login: &str, knows: usize) -> HubLink {
        let mut link = HubLink::to(self.0.of(login)).unwrap();
        link.knows = knows;
        link
    }

    fn root(&self, knows: usize) -> HubLink {
        self.link(&self.0.user, knows)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let hub = self.root(STEPS.len()).query("select value from hub.meta where key = 'hub'", &[]);
        let mut address = self.0.clone();
        address.database = "postgres".to_owned();
        let mut root = HubLink::to(address).unwrap();
        root.batch(&format!("drop database {} with (force)", self.0.database)).unwrap();
        let hub: String = hub.unwrap()[0].get(0);
        let roles = format!(
            "select rolname::text from pg_roles where rolname like 'hm\\_{hub}\\_%' order by rolname"
        );
        for row in root.query(&roles, &[]).unwrap() {
            root.batch(&format!("drop role {}", row.get::<_, String>(0))).unwrap();
        }
    }
}

fn made(link: &mut HubLink, steps: &[&str]) -> crate::error::Result<Made> {
    link.found_by(steps, &Founding::of("lena", false).unwrap(), &mut || Ok(()))
}

#[test]
fn an_older_hub_is_taken_along_and_keeps_what_it_has() {
    let Some(database) = Database::new("hm_steps") else { return };
    let known = STEPS.len();
    let mut link = database.root(known);
    assert_eq!(made(&mut link, STEPS).unwrap(), Made::New);
    let head = link.exchange(&[], HubMark::NONE, 9).unwrap().head;
    let more = "begin;\nset local role {owner};\ncreate table hub.more (a int);\nalter table hub.more enable row level security;\n\
                update hub.meta set value = value::int + 1 where key = 'schema';\nreset role;\ncommit;";
    let broken =
        "begin;\nupdate hub.meta set value = value::int + 1 where key = 'schema';\nselect 1 / 0;\ncommit;";
    made(&mut link, &[STEPS, &[broken]].concat()).unwrap_err();
    assert_eq!(link.exchange(&[], head, 9).unwrap().head, head, "a step is whole or not at all");
    let is_asked = &mut || panic!("there is a hub already");
    let founding = Founding::of("somebody", false).unwrap();
    assert_eq!(link.found_by(&[STEPS, &[more]].concat(), &founding, is_asked).unwrap(), Made::Older(known));
    assert!(made(&mut link, &[STEPS, &[more]].concat()).is_err());
    // The newer hub serves this program too, unless the hub says otherwise.
    assert_eq!(link.me().unwrap().name, "lena");
    link.batch("update hub.meta set value = '99' where key = 'oldest'").unwrap();
    link.hang_up();
    let told = link.me().unwrap_err().to_string();
    assert!(told.contains("wants a newer haymark than this one; install the newest haymark"), "{told}");
    assert!(!told.contains("leave"), "{told}");
    let told = database.root(known + 2).me().unwrap_err().to_string();
    assert!(told.contains("is of an older haymark; its lead runs `haymark hub create` once more"), "{told}");
}

fn event(annotator: &str, writer: i64, seq: i64) -> SentEvent {
    let body = format!("{annotator} {writer} {seq}").into_bytes();
    SentEvent { writer, seq, annotator: annotator.to_owned(), journal: JUDGMENTS, at: None, item: None, body }
}

/// Nobody stops for a step: programs of both versions go on at a hub full of events.
#[test]
fn programs_of_two_steps_work_on_one_hub() {
    let Some(database) = Database::new("hm_upgrade") else { return };
    let mut lena = database.root(1);
    assert_eq!(made(&mut lena, &STEPS[..1]).unwrap(), Made::New);
    let mut of = |name| lena.invite(name, MemberKind::Annotator).unwrap().0;
    let (alice, bob) = (of("alice"), of("bob"));
    let (mut old, mut new) = (database.link(&alice, 1), database.link(&bob, STEPS.len()));
    assert!(new.me().unwrap_err().to_string().contains("is of an older haymark"));
    old.send(&(1..=4_000).map(|seq| event("alice", 11, seq)).collect::<Vec<_>>()).unwrap();
    let offered: Vec<_> =
        (1..=3).map(|key| Offered { key: vec![key], raters: 1, ..Offered::default() }).collect();
    lena.offer("coverage", &offered).unwrap();
    let hour = Duration::from_secs(3_600);
    assert_eq!(old.take("coverage", 1, hour).unwrap().len(), 1);
    lena.reopen("coverage", "alice").unwrap_err();
    let before = old.exchange(&[], HubMark::NONE, 9_999).unwrap().rows;
    // Old programs send all the while.
    let stop = AtomicBool::new(false);
    let sent = std::thread::scope(|scope| {
        let sending = scope.spawn(|| {
            let mut link = database.link(&alice, 1);
            let mut seq = 0;
            while !stop.load(Ordering::Relaxed) {
                // A call that meets a lock of the step is sent again.
                seq += i64::from(link.send(&[event("alice", 12, seq + 1)]).is_ok());
            }
            seq
        });
        std::thread::sleep(Duration::from_millis(300));
        let taken = made(&mut database.root(1), STEPS);
        std::thread::sleep(Duration::from_millis(300));
        stop.store(true, Ordering::Relaxed);
        assert_eq!(taken.unwrap(), Made::Older(1));
        sending.join().unwrap()
    });
    assert!(sent > 0);
    let now = old.exchange(&[], HubMark::NONE, 99_999).unwrap().rows;
    assert_eq!(now[..before.len()], before, "what was there is there, in its place");
    assert_eq!(now.len(), before.len() + counted(sent));
    // Both go on: each sees her own events, and the groups that she held.
    new.send(&[event("bob", 21, 1)]).unwrap();
    new.send(&[event("bob", 11, 9_000)]).unwrap_err();
    assert_eq!(new.exchange(&[], HubMark::NONE, 9).unwrap().rows.len(), 1);
    assert_eq!(old.take("coverage", 1, hour).unwrap().len(), 1);
    assert_eq!(new.take("coverage", 9, hour).unwrap().len(), 2);
    // A function that the step brings works for the new program, and its effect reaches the old one.
    assert_eq!(database.root(STEPS.len()).reopen("coverage", "alice").unwrap(), 1);
    assert!(old.take("coverage", 9, hour).unwrap().is_empty());
}

#[test]
fn a_login_has_three_connections() {
    let Some(database) = Database::new("hm_places") else { return };
    let mut lena = database.root(STEPS.len());
    made(&mut lena, STEPS).unwrap();
    let login = lena.invite("alice", MemberKind::Annotator).unwrap().0;
    let select = format!("select rolconnlimit from pg_roles where rolname = '{login}'");
    assert_eq!(lena.query(&select, &[]).unwrap()[0].get::<_, i32>(0), 3);
}

/// No limit counts large objects, so a founder who may keeps them from members.
#[test]
fn members_store_no_large_objects() {
    let Some(database) = Database::new("hm_large") else { return };
    let mut lena = database.root(STEPS.len());
    made(&mut lena, STEPS).unwrap();
    let (alice, _) = lena.invite("alice", MemberKind::Annotator).unwrap();
    let mut alice = database.link(&alice, STEPS.len());
    for call in ["lo_creat(-1)", "lo_create(0)", "lo_from_bytea(0, 'x')", "lo_put(1, 0, 'x')"] {
        let told = alice.batch(&format!("select {call}")).unwrap_err().to_string();
        assert!(told.contains("permission denied"), "{call}: {told}");
    }
}
