//! Each kind of member logs in and tries what she must not.

use haymark::error::ErrorKind;
use haymark::hub::{Audience, Hub, HubLink, HubMark, MemberKind, Offered, SentEvent, SentThing};

use super::{FETCHES, event, record, sends};
use crate::harness::{Server, Sql};

/// A hub with everybody in it.
struct Room {
    // The sessions end before the database does.
    lena: HubLink,
    alice: HubLink,
    bob: HubLink,
    olga: HubLink,
    logins: Vec<(&'static str, String)>,
    hub: String,
    server: Server,
}

impl Room {
    fn new() -> Option<Room> {
        let server = Server::find()?;
        let mut lena = server.hub();
        let mut logins = Vec::new();
        let people = [
            ("alice", MemberKind::Annotator),
            ("bob", MemberKind::Annotator),
            ("olga", MemberKind::Observer),
            ("lars", MemberKind::Lead),
        ];
        for (name, kind) in people {
            logins.push((name, server.invite(&mut lena, name, kind)));
        }
        let to = |name: &str| {
            let login = logins.iter().find(|(known, _)| *known == name).map(|(_, login)| login.as_str());
            server.link(login.expect("a login"))
        };
        let (mut alice, mut bob, olga) = (to("alice"), to("bob"), to("olga"));
        lena.put(&[
            record(Audience::All, "document", "d", "a text"),
            record(Audience::Leads, "system", "s", "gpt"),
        ])
        .expect("records");
        alice.send(&[event("alice", 11, 1, "hers")]).expect("sent");
        bob.send(&[event("bob", 22, 1, "a secret")]).expect("sent");
        lena.send(&[SentEvent { journal: b'a', ..event("alice", 99, 1, "assigned") }]).expect("assigned");
        let hub = server.root().rows("select value from hub.meta where key = 'hub'");
        let hub = hub.first().expect("a row").get(0);
        Some(Room { lena, alice, bob, olga, logins, hub, server })
    }

    fn sql(&self, name: &str) -> Sql {
        let login = self.logins.iter().find(|(known, _)| *known == name).map(|(_, login)| login.as_str());
        self.server.sql(login.expect("a login"))
    }
}

/// What came, as a person would say it.
fn seen(link: &mut HubLink) -> Vec<String> {
    let fetched = link.exchange(&[], HubMark::NONE, 100).expect("fetched");
    let said = |thing: &SentThing| match thing {
        SentThing::Event(event) => format!("{} {}", event.annotator, String::from_utf8_lossy(&event.body)),
        SentThing::Record(record) => format!("{} {}", record.kind, String::from_utf8_lossy(&record.body)),
    };
    fetched.rows.iter().map(|row| said(&row.what)).collect()
}

#[test]
fn each_sees_what_is_for_her() {
    let Some(mut room) = Room::new() else { return };
    assert_eq!(seen(&mut room.alice), ["document a text", "alice hers", "alice assigned"]);
    assert_eq!(seen(&mut room.bob), ["document a text", "bob a secret"]);
    let all = ["document a text", "system gpt", "alice hers", "bob a secret", "alice assigned"];
    assert_eq!(seen(&mut room.olga), all);
    assert_eq!(seen(&mut room.lena), all);
    assert_eq!(room.sql("olga").number("select count(*) from hub.event"), 3);
    assert_eq!(room.alice.me().expect("alice").name, "alice");
    assert_eq!(room.olga.me().expect("olga").kind, MemberKind::Observer);
}

#[test]
fn nobody_changes_a_table() {
    let Some(room) = Room::new() else { return };
    for name in ["alice", "bob", "olga", "lars"] {
        let sql = room.sql(name);
        for table in ["event", "record", "study", "member", "annotator", "grp", "lease", "meta"] {
            for statement in [
                "update hub.{} set {} = default",
                "delete from hub.{}",
                "truncate hub.{} cascade",
                "insert into hub.{} default values",
                "begin; lock table hub.{}",
                "alter table hub.{} disable row level security",
                "alter table hub.{} disable trigger all",
                "drop table hub.{}",
            ] {
                let column = match table {
                    "study" => "head",
                    "event" | "member" | "lease" => "study",
                    _ => "key",
                };
                let statement = statement.replacen("{}", table, 1).replace("{}", column);
                let refused = sql.try_run(&statement).expect_err(&statement);
                sql.run("rollback");
                assert!(refused.starts_with("42501"), "{name}: {statement}: {refused}");
            }
        }
    }
}

#[test]
fn an_annotator_does_only_what_is_hers() {
    let Some(mut room) = Room::new() else { return };
    let never =
        |what: &str, link: &mut HubLink, run: &mut dyn FnMut(&mut HubLink) -> haymark::error::Result<()>| {
            let error = run(link).expect_err(what);
            assert!(error.is_refusal(), "{what}: {error}");
        };
    let alice = &mut room.alice;
    never("sends as bob", alice, &mut |it| it.send(&[event("bob", 12, 1, "x")]).map(drop));
    never("sends as somebody new", alice, &mut |it| it.send(&[event("eve", 12, 1, "x")]).map(drop));
    for journal in [b'a', b'j', b'v', b'z'] {
        never("assigns", alice, &mut |it| {
            it.send(&[SentEvent { journal, ..event("alice", 12, 1, "x") }]).map(drop)
        });
    }
    never("takes bob's opening", alice, &mut |it| it.send(&[event("alice", 22, 9, "x")]).map(drop));
    never("takes the lead's opening", alice, &mut |it| it.send(&[event("alice", 99, 9, "x")]).map(drop));
    never("says it otherwise", alice, &mut |it| it.send(&[event("alice", 11, 1, "other")]).map(drop));
    never("adds a record", alice, &mut |it| it.put(&[record(Audience::All, "document", "e", "x")]).map(drop));
    never("invites", alice, &mut |it| it.invite("eve", MemberKind::Lead).map(drop));
    never("removes", alice, &mut |it| it.remove("bob").map(drop));
    never("lists who is in", alice, &mut |it| it.members().map(drop));
    let one = [Offered { key: vec![1], raters: 1, ..Offered::default() }];
    never("offers", alice, &mut |it| it.offer("coverage", &one).map(drop));
    never("takes bob's work back", alice, &mut |it| it.release("bob").map(drop));
    never("sees how far it is", alice, &mut |it| it.offers("coverage").map(drop));
    // What somebody else holds is hers, whatever is said of it.
    room.lena.offer("coverage", &one).expect("offered");
    let hour = std::time::Duration::from_secs(3600);
    assert_eq!(room.bob.take("coverage", 1, hour).expect("taken").len(), 1);
    room.alice.settle("coverage", &[vec![1]], false).expect("nothing of hers");
    assert!(room.alice.take("coverage", 1, hour).expect("taken").is_empty());
    assert_eq!(room.bob.take("coverage", 1, hour).expect("still his").len(), 1);
    let olga = &mut room.olga;
    never("an observer sends", olga, &mut |it| it.send(&[event("olga", 13, 1, "x")]).map(drop));
    never("an observer adds", olga, &mut |it| {
        it.put(&[record(Audience::All, "document", "e", "x")]).map(drop)
    });
    never("an observer takes work", olga, &mut |it| {
        it.take("coverage", 1, std::time::Duration::from_secs(9)).map(drop)
    });
    never("an observer settles work", olga, &mut |it| it.settle("coverage", &[vec![1]], true));
    never("an observer offers", olga, &mut |it| it.offer("coverage", &one).map(drop));
    never("an observer invites", olga, &mut |it| it.invite("eve", MemberKind::Lead).map(drop));
    assert_eq!(room.server.root().number("select count(*) from hub.event"), 3);
    // What is not hers keeps nothing from the hub.
    never("half", &mut room.alice, &mut |it| {
        it.send(&[
            event("bob", 14, 2, "not hers"),
            event("alice", 14, 1, "hers"),
            event("alice", 22, 3, "nor this"),
        ])
        .map(drop)
    });
    assert_eq!(room.server.root().number("select count(*) from hub.event where writer = 14 and seq = 1"), 1);
    assert_eq!(room.server.root().number("select count(*) from hub.event"), 4);
}

/// Names that follow from what is said: whoever guesses what somebody else said learns nothing by trying its name.
#[test]
fn a_taken_name_and_a_free_one_are_answered_alike() {
    let Some(mut room) = Room::new() else { return };
    room.lena
        .send(&(1..=30).map(|it| event("expert", -it, 1, "full")).collect::<Vec<_>>())
        .expect("imported");
    let sql = room.sql("alice");
    for (name, _) in [("alice", ()), ("expert", ())] {
        let asks = |writer: i64| {
            let rows = sql.ask(&sends(name, writer, 1, "x"), &[]);
            rows.map(|rows| rows.first().expect("a row").get::<_, Vec<i32>>("refused"))
        };
        let taken: Vec<_> = (1..=30).map(|it| asks(-it)).collect();
        let free: Vec<_> = (101..=130).map(|it| asks(-it)).collect();
        assert_eq!(taken, free, "{name}");
    }
    // Nor by what the server counts: as many rows are read for either.
    let count = "select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint from pg_stat_xact_user_tables";
    let reads = |name: &str, writer: i64| {
        sql.run("begin");
        let before = sql.number(count);
        sql.run(&sends(name, writer, 1, "x"));
        let read = sql.number(count) - before;
        sql.run("rollback");
        read
    };
    assert_eq!(reads("expert", -1), reads("nobody", -1));
    assert_eq!(reads("alice", -41), reads("alice", -141));
    // And nobody's way is barred by what she sent first.
    room.alice.send(&[event("alice", -500, 1, "squats")]).expect("hers");
    room.lena.send(&[event("expert", -500, 1, "the expert's")]).expect("the expert's all the same");
    assert!(seen(&mut room.lena).contains(&"expert the expert's".to_owned()));
}

/// Nobody can bar a lead's assignments by being first with their numbers, which she sees in what came to her.
#[test]
fn an_opening_is_whose_it_was_first() {
    let Some(mut room) = Room::new() else { return };
    let squats: Vec<SentEvent> = (2..=401).map(|seq| event("alice", 99, seq, "mine")).collect();
    room.alice.send(&squats).expect_err("the lead's opening");
    let assigned = |seq| SentEvent { journal: b'A', ..event("bob", 99, seq, "assigned") };
    room.lena.send(&(2..=401).map(assigned).collect::<Vec<_>>()).expect("all of them");
    assert_eq!(room.server.root().number("select count(*) from hub.event where writer = 99"), 401);
    // A lead brings what somebody did under her opening, and she goes on in it.
    room.lena.send(&[event("alice", 12, 1, "from her lost laptop")]).expect("sent");
    room.alice
        .send(&[event("alice", 12, 1, "from her lost laptop"), event("alice", 12, 2, "more")])
        .expect("hers");
    room.bob.send(&[event("bob", 12, 3, "x")]).expect_err("alice's");
    // What is refused makes no opening anybody's, and the key of an item takes room too.
    let root = room.server.root();
    let count = "select count(*) from hub.writer";
    let (before, sent) = (
        root.number(count),
        "select sent from hub.member join hub.annotator a on a.id = annotator where a.key = 'bob'",
    );
    let bytes = root.number(sent);
    room.lena.limit("bob", bytes + 250).expect("set");
    room.bob.send(&[event("bob", 55, 1, "")]).expect_err("no room for the item's 16 bytes");
    assert_eq!(root.number(count), before);
    room.lena.limit("bob", bytes + 266).expect("set");
    room.bob.send(&[event("bob", 55, 1, "")]).expect("room");
    assert_eq!((root.number(count), root.number(sent)), (before + 1, bytes + 266));
}

/// What is assigned, and what is known, come to nobody before they may.
#[test]
fn what_is_known_of_an_item_comes_after_it_was_judged() {
    let Some(mut room) = Room::new() else { return };
    let on = |name: &str, journal: u8, seq: i64, item: u8, body: &str| SentEvent {
        journal,
        item: Some(vec![item; 16]),
        ..event(name, 98, seq, body)
    };
    room.lena
        .send(&[
            on("alice", b'a', 1, 1, "calibration"),
            on("alice", b'C', 2, 1, "calibration known"),
            on("alice", b'a', 3, 2, "work"),
            on("alice", b'A', 4, 2, "control"),
        ])
        .expect("assigned");
    let told = |link: &mut HubLink| link.told(&[vec![1; 16], vec![2; 16]]).expect("asked").len();
    let hers = ["document a text", "alice hers", "alice assigned", "alice calibration", "alice work"];
    assert_eq!(seen(&mut room.alice), hers);
    assert_eq!(told(&mut room.alice), 0);
    room.bob.send(&[SentEvent { item: Some(vec![1; 16]), ..event("bob", 23, 1, "guess") }]).expect("his own");
    assert_eq!((told(&mut room.alice), told(&mut room.bob)), (0, 0), "an answer of somebody else's");
    for item in [1, 2] {
        room.alice
            .send(&[SentEvent { item: Some(vec![item; 16]), ..event("alice", 11, 5, "x") }])
            .map(drop)
            .unwrap_or(());
        room.alice
            .send(&[SentEvent {
                item: Some(vec![item; 16]),
                ..event("alice", 11, i64::from(item) + 10, "judged")
            }])
            .expect("judged");
    }
    assert_eq!(told(&mut room.alice), 1, "and never why she had the other");
    assert!(seen(&mut room.alice).contains(&"alice calibration known".to_owned()));
    assert!(!seen(&mut room.alice).contains(&"alice control".to_owned()));
    assert_eq!(told(&mut room.bob), 0);
    assert!(seen(&mut room.olga).contains(&"alice control".to_owned()));
    let sql = room.sql("alice");
    sql.try_run("select * from hub.event where journal = 'A'").expect_err("no table");
    assert_eq!(sql.run(&format!("{FETCHES} where journal in ('A', 'C')")), 0);
}

/// Who holds the study from all others is ended, and they go on.
#[test]
fn nobody_holds_the_study() {
    let Some(mut room) = Room::new() else { return };
    let sql = room.sql("alice");
    let sends = |seq: i64| sends("alice", 11, seq, "hers");
    sql.run("set idle_in_transaction_session_timeout = 0; set statement_timeout = 0");
    // Where nothing is new, nothing is held.
    sql.run("begin");
    sql.run(&sends(1));
    let started = std::time::Instant::now();
    room.bob.send(&[event("bob", 22, 2, "meanwhile")]).expect("sent");
    assert!(started.elapsed().as_secs() < 4, "{:?}", started.elapsed());
    sql.run(&sends(2));
    let begun = std::time::Instant::now();
    room.bob.send(&[event("bob", 11, 9, "x")]).expect_err("alice's opening");
    assert!(
        begun.elapsed().as_secs() < 4,
        "nor does who brings nothing that may come in wait: {:?}",
        begun.elapsed()
    );
    // Whoever waits too long asks again.
    let is_sent = (0..3).any(|_| room.bob.send(&[event("bob", 22, 3, "all the same")]).is_ok());
    assert!(is_sent && started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
    sql.try_run("commit").expect_err("ended");
    sql.try_run("select hub.lock(1)").expect_err("ended");
    room.sql("bob").try_run("select hub.lock(1)").expect_err("not hers to call");
    room.sql("bob").try_run("select hub.evict(1)").expect_err("not hers to call");
    assert!(!seen(&mut room.lena).contains(&"alice 2".to_owned()));
}

/// Nor the work that is handed out: whoever needs it waits for seconds, and leads see whose transaction stays open.
#[test]
fn nobody_holds_the_work() {
    let Some(mut room) = Room::new() else { return };
    let groups: Vec<Offered> =
        (1..=4).map(|key| Offered { key: vec![key], raters: 1, ..Offered::default() }).collect();
    room.lena.offer("coverage", &groups).expect("offered");
    let login = &room.logins.first().expect("alice").1;
    let hour = std::time::Duration::from_secs(3600);
    for held in [
        "select hub.take(1, 'coverage', 4, 3600)",
        "select hub.settle(1, 'coverage', array['\\x01', '\\x02', '\\x03', '\\x04']::bytea[], false)",
    ] {
        let sql = room.sql("alice");
        sql.run("set idle_in_transaction_session_timeout = 0; set statement_timeout = 0");
        sql.run("begin");
        assert!(sql.run(held) > 0);
        assert_eq!(room.lena.health().expect("looked").lasting, []);
        std::thread::sleep(std::time::Duration::from_secs(6));
        let lasting = room.olga.health().expect("looked").lasting;
        assert!(
            matches!(&lasting[..], [(name, of, 6..30)] if name == "alice" && of == login),
            "{held}: {lasting:?}"
        );
        let begun = std::time::Instant::now();
        assert_eq!(room.bob.take("coverage", 4, hour).expect("taken").len(), 4, "{held}");
        room.bob.settle("coverage", &[vec![1]], true).expect("settled");
        assert!(begun.elapsed().as_secs() < 9, "{held}: {:?}", begun.elapsed());
        sql.try_run("commit").expect_err("ended");
        room.lena.reopen("coverage", "bob").expect("taken back");
        room.server.root().run("delete from hub.lease; update hub.grp set taken = 0");
    }
    room.sql("alice").try_run("select hub.lasting()").expect_err("not hers to call");
}

/// Each statement that is the leads', as everybody else: an annotator, an observer, a stranger, a member of another hub; and what
/// not even a lead may who was invited.
#[test]
fn only_leads_do_what_leads_do() {
    let Some(mut room) = Room::new() else { return };
    let Some(mut other) = Room::new() else { return };
    let leads = [
        "select hub.put(1, 'a', array['document'], array['k'::bytea], array['v'::bytea])",
        "select hub.offer(1, 'coverage', array['k'::bytea], array[1], array[]::int[], array[]::text[], array[]::boolean[], array[]::int[], array[]::bytea[])",
        "select hub.mix(1, 'coverage', 0.5, array['alice'], array['k'::bytea])",
        "select hub.reopen(1, 'coverage', 'alice')",
        "select hub.release(1, 'alice')",
        "select hub.remove(1, 'bob')",
        "select hub.invite(1, 'eve', 'lead', 'SCRAM-SHA-256$4096:AAAA$AAAA:AAAA')",
    ];
    let hub = room.hub.clone();
    for name in ["alice", "olga"] {
        let sql = room.sql(name);
        for statement in leads {
            let refused = sql.try_run(statement).expect_err(statement);
            assert!(refused.starts_with("42501"), "{name}: {statement}: {refused}");
        }
    }
    room.sql("olga").try_run(&sends("olga", 77, 1, "x")).expect_err("an observer");
    // Somebody of another hub, and somebody of none, do not even get in.
    let stranger = other.logins.first().expect("a login").1.clone();
    assert!(Sql::open(&room.server.address(&stranger)).err().expect("another hub").starts_with("42501"));
    let root = room.server.root();
    root.run(&format!("create role {}_eve login", room.server.database));
    let eve = format!("{}_eve", room.server.database);
    assert!(Sql::open(&room.server.address(&eve)).err().expect("a stranger").starts_with("42501"));
    root.run(&format!("drop role {eve}"));
    let lars = room.sql("lars");
    for statement in [
        "update hub.meta set value = '9'",
        "select hub.lock(1)",
        "select hub.evict(1)",
        "select hub.reckon(1, array[1])",
        "delete from hub.writer",
        "update hub.lease set state = 'd'",
        &format!("set role hm_{hub}_gate"),
        &format!("grant hm_{hub}_owner to current_user"),
        &format!("alter role hm_{hub}_owner login"),
    ] {
        lars.try_run(statement).expect_err(statement);
    }
    // Nor does the login that made the hub own its tables.
    let lead = room.server.sql(&room.server.lead);
    for statement in [
        "delete from hub.event",
        "alter table hub.event disable trigger all",
        &format!("set role hm_{hub}_owner"),
    ] {
        lead.try_run(statement).expect_err(statement);
    }
    assert_eq!(room.lena.wrong_rights().expect("looked"), Vec::<&str>::new());
    assert_eq!(other.lena.wrong_rights().expect("looked"), Vec::<&str>::new());
}

#[test]
fn names_are_those_that_can_be_typed_again() {
    let Some(mut room) = Room::new() else { return };
    let long = "x".repeat(201);
    for name in ["", " alice", "a\nb", "a\u{7}", "e\u{301}va", long.as_str()] {
        let refused = room.lena.invite(name, MemberKind::Annotator).expect_err(name);
        assert_eq!(refused.kind(), ErrorKind::Usage, "{refused}");
    }
    let lars = room.sql("lars");
    for name in ["e'a\\nb'", "e'e\\u0301va'", "''", "repeat('x', 201)"] {
        let invite =
            format!("select hub.invite(1, {name}, 'annotator', 'SCRAM-SHA-256$4096:AAAA$AAAA:AAAA')");
        lars.try_run(&invite).expect_err(name);
    }
    room.lena.invite(&"林".repeat(200), MemberKind::Annotator).expect("as long as may be");
}

#[test]
fn no_way_around_is_open() {
    let Some(room) = Room::new() else { return };
    let hub = &room.hub;
    let bob = &room.logins.iter().find(|(name, _)| *name == "bob").expect("bob").1;
    let sql = room.sql("alice");
    let statements = [
        "select * from hub.event",
        "select * from hub.record",
        "select * from hub.member",
        "select * from hub.annotator",
        "select * from hub.grp",
        "select * from hub.lease",
        "select hub.reckon(1, array[1])",
        "select hub.offer(1, 'coverage', array['\\x01'::bytea], array[1], array[]::int[], array[]::text[], array[]::boolean[], array[]::int[], array[]::bytea[])",
        "copy hub.event to stdout",
        "explain select * from hub.event where annotator = 2",
        "select last_value from hub.study_id_seq",
        "select * from hub.writer",
        "select rolpassword from pg_authid",
        "select pg_read_file('/etc/passwd')",
        "copy (select 1) to program 'id'",
        "create temp table t (a int)",
        "create function pg_temp.f() returns int language sql as 'select 1'",
        "create schema x",
        "create table public.x (a int)",
        "create table hub.x (a int)",
        &format!("set role hm_{hub}_owner"),
        &format!("set role hm_{hub}_gate"),
        &format!("set role hm_{hub}_inviter"),
        &format!("set role hm_{hub}_reader"),
        &format!("set role {bob}"),
        &format!("set session authorization {bob}"),
        "create role eve",
        &format!("alter role {bob} password 'x'"),
        &format!("grant hm_{hub}_reader to current_user"),
        "create or replace function hub.me(s int) returns int language sql as 'select 2'",
        &FETCHES.replace("(select key from hub.mine())", "decode(repeat('00', 16), 'hex')"),
    ];
    for statement in statements {
        let answer = sql.try_run(statement);
        assert!(answer.is_err(), "{statement}: {answer:?}");
    }
    // A name that is found first by her path changes nothing.
    sql.run("set search_path = pg_temp, public");
    assert_eq!(sql.run(&format!("{FETCHES} where writer = 22")), 0);
    assert_eq!(sql.run("select * from pg_stats where schemaname = 'hub'"), 0);
    let lars = room.sql("lars");
    for statement in
        ["create role eve", &format!("set role hm_{hub}_owner"), &format!("set role hm_{hub}_inviter")]
    {
        lars.try_run(statement).expect_err(statement);
    }
    let olga = room.sql("olga");
    olga.run("set row_security = off");
    olga.try_run("select * from hub.event").expect_err("without row security");
}

/// Were the tables granted by mistake, row-level security alone would still hold.
#[test]
fn the_second_wall_holds_alone() {
    let Some(room) = Room::new() else { return };
    let alice = &room.logins.first().expect("alice").1;
    let root = room.server.root();
    root.run(&format!(
        "grant usage on schema hub to {alice}; grant select, insert, update, delete on hub.event, hub.record to {alice}"
    ));
    let sql = room.sql("alice");
    let writers: Vec<i64> =
        sql.rows("select writer from hub.event order by 1").iter().map(|row| row.get(0)).collect();
    assert_eq!(writers, [11, 99]);
    assert_eq!(sql.number("select count(*) from hub.record"), 1);
    assert_eq!(sql.run("select 1 from hub.event where writer = 22 and 1 / (writer - 22) > 0"), 0);
    for (statement, touched) in [
        ("insert into hub.event values (9, 9, 9, 9, 9, 1, 3, 'e', null, '')", None),
        ("insert into hub.event values (9, 9, 9, 9, 9, 1, 2, 'e', null, '')", None),
        ("copy hub.event from stdin", None),
        ("update hub.event set body = ''", Some(0)),
        ("delete from hub.event", Some(0)),
    ] {
        assert_eq!(sql.try_run(statement).ok(), touched, "{statement}");
    }
    // And what belongs to the owner is changed by nobody.
    root.run(&format!("set role hm_{}_owner", room.hub));
    for statement in ["update hub.event set body = ''", "delete from hub.record", "truncate hub.event"] {
        let refused = root.try_run(statement).expect_err(statement);
        assert!(refused.contains("append-only"), "{refused}");
    }
}

/// What somebody holds in an open transaction keeps no lead from ending her access.
#[test]
fn who_holds_something_is_removed_all_the_same() {
    let Some(mut room) = Room::new() else { return };
    let sql = room.sql("alice");
    sql.run("set idle_in_transaction_session_timeout = 0; set statement_timeout = 0");
    sql.run("begin");
    sql.run(&sends("alice", 11, 2, "in vain"));
    let begun = std::time::Instant::now();
    assert!(room.lena.remove("alice").expect("removed"));
    assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
    sql.try_run("commit").expect_err("ended");
    assert!(!seen(&mut room.lena).contains(&"alice in vain".to_owned()));
}

#[test]
fn who_is_removed_is_out_at_once_and_what_she_did_stays() {
    let Some(mut room) = Room::new() else { return };
    let raw = room.sql("bob");
    assert!(room.bob.exchange(&[], HubMark::NONE, 9).is_ok());
    assert!(room.lena.remove("bob").expect("removed"));
    assert!(!room.lena.remove("bob").expect("nobody"));
    raw.try_run(FETCHES).expect_err("on an open connection");
    let error = room.bob.exchange(&[], HubMark::NONE, 9).expect_err("on an open connection");
    assert!(error.is_refusal(), "{error}");
    let error = room.bob.send(&[event("bob", 22, 2, "more")]).expect_err("on a new connection");
    assert!(error.to_string().starts_with("you were removed from the hub"), "{error}");
    assert!(seen(&mut room.lena).contains(&"bob a secret".to_owned()));
    let member = |link: &mut HubLink| {
        let members = link.members().expect("members");
        members.into_iter().find(|member| member.name == "bob").expect("bob")
    };
    assert!(member(&mut room.lena).is_removed);
    let (login, _) = room.lena.invite("bob", MemberKind::Annotator).expect("again");
    assert_eq!(login, member(&mut room.olga).login);
    assert!(!member(&mut room.olga).is_removed);
    assert_eq!(room.bob.send(&[event("bob", 22, 2, "more")]).expect("back"), 6);
}

#[test]
fn a_lead_names_judges_and_kinds_can_change() {
    let Some(mut room) = Room::new() else { return };
    let sent = |link: &mut HubLink| {
        let members = link.members().expect("members").into_iter();
        members.filter(|one| one.name == "alice").map(|one| (one.events, one.last)).collect::<Vec<_>>()
    };
    let before = sent(&mut room.lena);
    let given = SentEvent { journal: b'A', ..event("alice", 7, 1, "given to her") };
    room.lena
        .send(&[event("model-x", -5, 1, "a judge's"), event("alice", -6, 1, "imported for her"), given])
        .expect("sent");
    assert_eq!(sent(&mut room.lena), before, "nothing of it did she send");
    assert!(seen(&mut room.alice).contains(&"alice imported for her".to_owned()));
    assert!(!seen(&mut room.bob).contains(&"model-x a judge's".to_owned()));
    room.lena.invite("alice", MemberKind::Observer).expect("an observer now");
    assert_eq!(seen(&mut room.alice).len(), 8);
    room.alice.send(&[event("alice", 11, 2, "x")]).expect_err("an observer");
    room.lena.invite("alice", MemberKind::Annotator).expect("an annotator again");
    assert_eq!(seen(&mut room.alice).len(), 4);
    room.sql("alice").try_run("select * from hub.event").expect_err("no reader any more");
    room.lena.invite("lena", MemberKind::Annotator).expect("a second login of the lead's");
    assert!(room.lena.remove("lena").expect("the second login"));
    assert_eq!(room.lena.me().expect("still in").kind, MemberKind::Lead);
}
