//! Each kind of member logs in and tries what she must not.

use haymark::error::ErrorKind;
use haymark::hub::{Audience, Hub, HubLink, HubMark, MemberKind, Offered, SentEvent, SentThing};

use super::{event, record};
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
    let fetched = link.fetch(HubMark::NONE, 100).expect("fetched");
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
            assert_eq!(error.kind(), ErrorKind::Refused, "{what}: {error}");
        };
    let alice = &mut room.alice;
    never("sends as bob", alice, &mut |it| it.send(&[event("bob", 12, 1, "x")]).map(drop));
    never("sends as somebody new", alice, &mut |it| it.send(&[event("eve", 12, 1, "x")]).map(drop));
    for journal in [b'a', b'v', b'z'] {
        never("assigns", alice, &mut |it| {
            it.send(&[SentEvent { journal, ..event("alice", 12, 1, "x") }]).map(drop)
        });
    }
    never("takes bob's number", alice, &mut |it| it.send(&[event("alice", 22, 1, "x")]).map(drop));
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
    // Part of a call is none of it.
    never("half", &mut room.alice, &mut |it| {
        it.send(&[event("alice", 14, 1, "hers"), event("bob", 14, 2, "not hers")]).map(drop)
    });
    assert_eq!(room.server.root().number("select count(*) from hub.event"), 3);
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
        "select hub.offer(1, 'coverage', array['\\x01'::bytea], array[1], array[]::int[], array[]::text[], array[]::boolean[])",
        "copy hub.event to stdout",
        "explain select * from hub.event where annotator = 2",
        "select last_value from hub.study_id_seq",
        "select hub.same(1, 1, 1)",
        "select hub.mark(1, 1)",
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
        "select * from hub.fetch(2, 0, 0, 9)",
    ];
    for statement in statements {
        let answer = sql.try_run(statement);
        assert!(answer.is_err(), "{statement}: {answer:?}");
    }
    // A name that is found first by her path changes nothing.
    sql.run("set search_path = pg_temp, public");
    assert_eq!(sql.run("select * from hub.fetch(1, 0, 0, 9) where writer = 22"), 0);
    assert_eq!(sql.run("select * from hub.have(1, array[22]::bigint[])"), 0);
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

#[test]
fn who_is_removed_is_out_at_once_and_what_she_did_stays() {
    let Some(mut room) = Room::new() else { return };
    let raw = room.sql("bob");
    assert!(room.bob.fetch(HubMark::NONE, 9).is_ok());
    assert!(room.lena.remove("bob").expect("removed"));
    assert!(!room.lena.remove("bob").expect("nobody"));
    raw.try_run("select * from hub.fetch(1, 0, 0, 9)").expect_err("on an open connection");
    let error = room.bob.fetch(HubMark::NONE, 9).expect_err("on an open connection");
    assert_eq!(error.kind(), ErrorKind::Refused);
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
    room.lena
        .send(&[event("model-x", -5, 1, "a judge's"), event("alice", -6, 1, "imported for her")])
        .expect("sent");
    assert!(seen(&mut room.alice).contains(&"alice imported for her".to_owned()));
    assert!(!seen(&mut room.bob).contains(&"model-x a judge's".to_owned()));
    room.lena.invite("alice", MemberKind::Observer).expect("an observer now");
    assert_eq!(seen(&mut room.alice).len(), 7);
    room.alice.send(&[event("alice", 11, 2, "x")]).expect_err("an observer");
    room.lena.invite("alice", MemberKind::Annotator).expect("an annotator again");
    assert_eq!(seen(&mut room.alice).len(), 4);
    room.sql("alice").try_run("select * from hub.event").expect_err("no reader any more");
    room.lena.invite("lena", MemberKind::Annotator).expect("a second login of the lead's");
    assert!(room.lena.remove("lena").expect("the second login"));
    assert_eq!(room.lena.me().expect("still in").kind, MemberKind::Lead);
}
