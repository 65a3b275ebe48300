//! What only a hub of other steps, or a program that knows other steps, can show.

use super::{
    Address, Founding, Hub, HubLink, HubMark, Made, MemberKind, Offered, SentEvent, SentThing, VERDICT,
};
use crate::number::counted;
use std::time::Duration;

use super::steps::STEPS;

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
    let head = link.fetch(HubMark::NONE, 9).unwrap().head;
    let more = "begin;\nset local role {owner};\ncreate table hub.more (a int);\nalter table hub.more enable row level security;\n\
                update hub.meta set value = value::int + 1 where key = 'schema';\nreset role;\ncommit;";
    let broken =
        "begin;\nupdate hub.meta set value = value::int + 1 where key = 'schema';\nselect 1 / 0;\ncommit;";
    made(&mut link, &[STEPS, &[broken]].concat()).unwrap_err();
    assert_eq!(link.fetch(head, 9).unwrap().head, head, "a step is whole or not at all");
    let is_asked = &mut || panic!("there is a hub already");
    let founding = Founding::of("somebody", false).unwrap();
    assert_eq!(link.found_by(&[STEPS, &[more]].concat(), &founding, is_asked).unwrap(), Made::Older(known));
    assert!(made(&mut link, &[STEPS, &[more]].concat()).is_err());
    // It serves this program too, as long as it does not say otherwise.
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
    SentEvent {
        writer,
        seq,
        annotator: annotator.to_owned(),
        journal: b'e',
        at: None,
        item: Some(vec![counted(seq % 100) as u8; 16]),
        body: format!("{annotator} {writer} {seq}").into_bytes(),
    }
}

/// What a program of step 1 sends.
fn sends_as_before(link: &mut HubLink, events: &[SentEvent]) -> crate::error::Result<i64> {
    let list = |of: &dyn Fn(&SentEvent) -> String| events.iter().map(of).collect::<Vec<_>>().join(", ");
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let statement = format!(
        "select hub.send($1, array[{}]::bigint[], array[{}]::bigint[], array['{}'], array[{}], '\\x{}', array[{}]::bigint[], \
         array[{}]::bytea[], array[{}]::bytea[])",
        list(&|one| one.writer.to_string()),
        list(&|one| one.seq.to_string()),
        events[0].annotator,
        list(&|_| "1".to_owned()),
        events.iter().map(|one| format!("{:02x}", one.journal)).collect::<String>(),
        list(&|_| "null".to_owned()),
        list(&|one| format!("'\\x{}'", hex(one.item.as_deref().unwrap()))),
        list(&|one| format!("'\\x{}'", hex(&one.body))),
    );
    link.one(&statement, &[])
}

fn seqs(link: &mut HubLink) -> Vec<(u8, i64, i64)> {
    let (mut mark, mut found) = (HubMark::NONE, Vec::new());
    loop {
        let fetched = link.fetch(mark, 1_000).unwrap();
        for row in &fetched.rows {
            if let SentThing::Event(event) = &row.what {
                found.push((event.journal, event.writer, event.seq));
            }
        }
        match fetched.rows.last() {
            Some(last) => mark = last.mark,
            None => return found,
        }
    }
}

/// Nobody stops for the steps behind the first: programs of both versions go on at a hub full of events.
#[test]
fn programs_of_two_steps_work_on_one_hub() {
    let Some(database) = Database::new("hm_upgrade") else { return };
    let mut lena = database.root(1);
    assert_eq!(made(&mut lena, &STEPS[..1]).unwrap(), Made::New);
    let mut of = |name| lena.invite(name, MemberKind::Annotator).unwrap().0;
    let (alice, bob) = (of("alice"), of("bob"));
    let (mut old, mut new) = (database.link(&alice, 1), database.link(&bob, STEPS.len()));
    assert!(new.me().unwrap_err().to_string().contains("is of an older haymark"));
    for from in [0, 2_000] {
        let events: Vec<_> = (1..=2_000).map(|seq| event("alice", 11, from + seq)).collect();
        sends_as_before(&mut old, &events).unwrap();
    }
    let assigned = |seq| SentEvent { journal: b'a', ..event("alice", 99, seq) };
    sends_as_before(&mut lena, &[assigned(1), assigned(2)]).unwrap();
    let two = "select hub.offer($1, 'coverage', array['\\x01', '\\x02']::bytea[], array[1, 1], array[]::int[], array[]::text[],
       array[]::boolean[])";
    assert_eq!(lena.one::<i32>(two, &[]).unwrap(), 2);
    let before = seqs(&mut old);
    // Old programs send all the while.
    let stop = std::sync::atomic::AtomicBool::new(false);
    let sent = std::thread::scope(|scope| {
        let sending = scope.spawn(|| {
            let mut link = database.link(&alice, 1);
            let mut seq = 0;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let answer = sends_as_before(&mut link, &[event("alice", 12, seq + 1)]);
                // A lock that the step held, or a function that it made anew meanwhile: sent again.
                seq += i64::from(answer.is_ok());
            }
            seq
        });
        std::thread::sleep(Duration::from_millis(300));
        let taken = made(&mut database.root(1), STEPS);
        std::thread::sleep(Duration::from_millis(300));
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(taken.unwrap(), Made::Older(1));
        sending.join().unwrap()
    });
    assert!(sent > 0);
    let now = seqs(&mut old);
    assert_eq!(now[..before.len()], before, "what was there is there, in its place");
    assert_eq!(now.len(), before.len() + counted(sent));
    // Both at work: each sees her own, leads both; an opening stays whose it was.
    old.hang_up();
    sends_as_before(&mut old, &[event("alice", 12, sent + 1), event("alice", 13, 1)]).unwrap();
    new.send(&[event("bob", 21, 1)]).unwrap();
    new.send(&[event("bob", 11, 9_000)]).unwrap_err();
    new.send(&[event("bob", 99, 9_000)]).unwrap_err();
    assert_eq!(seqs(&mut new), [(b'e', 21, 1)]);
    assert_eq!(seqs(&mut database.root(1)).len(), now.len() + 3);
    assert_eq!(seqs(&mut database.root(STEPS.len())).len(), now.len() + 3);
    assert_eq!(old.have(&[11, 12]).unwrap().iter().map(|have| have.count).sum::<i64>(), 4_001 + sent);
    // Work goes on, also what was offered before; a lead of step 1 hands out no assignments that say too much.
    assert_eq!(old.take("coverage", 1, Duration::from_secs(60)).unwrap().len(), 1);
    old.settle("coverage", &[vec![1]], true).unwrap();
    assert_eq!(new.take("coverage", 9, Duration::from_secs(60)).unwrap().len(), 1);
    let mut lena = database.root(1);
    let refused = sends_as_before(&mut lena, &[assigned(3)]).unwrap_err().to_string();
    assert!(refused.contains("assignments are sent by a newer haymark"), "{refused}");
    assert_eq!(lena.one::<i32>(two, &[]).unwrap(), 0);
    let more = Offered { key: vec![3], raters: 1, items: vec![vec![3; 16]], ..Offered::default() };
    assert_eq!(lena.offer("coverage", &[more]).unwrap(), 1);
}

/// What leads settled before verdicts had a letter counts, and what an annotator put among her judgments does not.
#[test]
fn a_verdict_has_the_letter_of_its_sender() {
    let Some(database) = Database::new("hm_verdicts") else { return };
    let mut lena = database.root(3);
    assert_eq!(made(&mut lena, &STEPS[..3]).unwrap(), Made::New);
    let alice = lena.invite("alice", MemberKind::Annotator).unwrap().0;
    let (mut old_lena, mut old_alice) = (database.root(1), database.link(&alice, 1));
    let verdict = |annotator: &str, writer: i64, seq: i64| {
        let body = [&[1, b'e', 4, 10][..], b"adjudicate", &[0]].concat();
        SentEvent { body, ..event(annotator, writer, seq) }
    };
    // Carol has no login, so a lead said it.
    sends_as_before(&mut old_lena, &[event("lena", 31, 1), verdict("lena", 31, 2)]).unwrap();
    sends_as_before(&mut old_lena, &[verdict("carol", 32, 1)]).unwrap();
    sends_as_before(&mut old_alice, &[verdict("alice", 33, 1)]).unwrap();
    assert_eq!(made(&mut database.root(STEPS.len()), STEPS).unwrap(), Made::Older(3));
    // Older programs go on.
    old_lena.hang_up();
    sends_as_before(&mut old_lena, &[verdict("lena", 31, 3)]).unwrap();
    old_alice.hang_up();
    sends_as_before(&mut old_alice, &[verdict("alice", 33, 2)]).unwrap();
    let mut now = database.link(&alice, STEPS.len());
    now.send(&[SentEvent { journal: VERDICT, ..verdict("alice", 33, 3) }]).unwrap_err();
    let found = seqs(&mut database.root(STEPS.len()));
    let letters: Vec<_> =
        found.iter().map(|(letter, writer, seq)| (char::from(*letter), *writer, *seq)).collect();
    assert_eq!(letters, [('e', 31, 1), ('j', 31, 2), ('j', 32, 1), ('e', 33, 1), ('j', 31, 3), ('e', 33, 2)]);
}

#[test]
fn a_login_has_three_connections() {
    let Some(database) = Database::new("hm_places") else { return };
    let mut lena = database.root(3);
    made(&mut lena, &STEPS[..3]).unwrap();
    let mut logins = vec![lena.invite("alice", MemberKind::Annotator).unwrap().0];
    made(&mut database.root(STEPS.len()), STEPS).unwrap();
    logins.push(database.root(STEPS.len()).invite("bob", MemberKind::Annotator).unwrap().0);
    for login in logins {
        let select = format!("select rolconnlimit from pg_roles where rolname = '{login}'");
        assert_eq!(lena.query(&select, &[]).unwrap()[0].get::<_, i32>(0), 3, "{login}");
    }
}
