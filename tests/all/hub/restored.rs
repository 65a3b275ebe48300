//! A hub that is not the one of yesterday: restored from an older backup, here or on another server.

use std::process::Command;

use haymark::error::ErrorKind;
use haymark::hub::{Audience, Hub, HubMark, MemberKind};
use serde_json::json;

use super::{corpus, event, record};
use crate::harness::{Desk, Server};

fn done(command: &mut Command) {
    let output = command.output().expect("a program of PostgreSQL's");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn an_older_backup_is_seen_and_brought_up_again() {
    let Some(server) = Server::own("fsync = off") else { return };
    let cluster = server.cluster.as_ref().expect("a server of its own");
    let mut lena = server.hub();
    lena.put(&[record(Audience::All, "document", "d", "a text")]).expect("put");
    let events: Vec<_> = (1..=6).map(|seq| event("lena", 5, seq, &seq.to_string())).collect();
    lena.send(&events[..3]).expect("sent");
    let before = lena.exchange(&[], HubMark::NONE, 100).expect("fetched").head;
    let folder = tempfile::tempdir().expect("a folder");
    let dump = folder.path().join("hub.dump");
    done(cluster.program("pg_dump").args(["-U", "postgres", "-Fc", "-f"]).arg(&dump).arg(&server.database));
    lena.send(&events).expect("sent");
    let after = lena.exchange(&[], HubMark::NONE, 100).expect("fetched").head;
    assert_eq!((before.pos, after.pos), (4, 7));

    let restore = |server: &Server| {
        let cluster = server.cluster.as_ref().expect("a server of its own");
        let postgres = cluster.address("postgres", "postgres");
        let sql = crate::harness::Sql::open(&postgres).expect("a session");
        sql.run(&format!("drop database if exists {} with (force)", server.database));
        sql.run(&format!("create database {} owner {}", server.database, server.lead));
        done(cluster.program("pg_restore").args(["-U", "postgres", "-d", &server.database]).arg(&dump));
    };
    restore(&server);
    // No dump has who may connect, nor whose the logins are.
    lena.hang_up();
    let faults = lena.wrong_rights().expect("looked");
    assert!(faults.iter().any(|fault| fault.starts_with("everybody with a login")), "{faults:?}");
    assert!(faults.iter().any(|fault| fault.starts_with("the hub's logins are not")), "{faults:?}");
    lena.set_rights().expect("set again");
    assert_eq!(lena.wrong_rights().expect("looked"), Vec::<&str>::new());
    // Somebody else is first, and takes positions that were given out before.
    lena.send(&(1..=5).map(|seq| event("lena", 6, seq, "x")).collect::<Vec<_>>()).expect("sent");
    let fetched = lena.exchange(&[], after, 100).expect("fetched");
    assert!(fetched.is_rewound && fetched.rows.is_empty());
    let fetched = lena.exchange(&[], before, 100).expect("what was in the backup stands");
    assert!(!fetched.is_rewound);
    assert_eq!(fetched.rows.len(), 5);
    assert_eq!(server.root().number("select max(seq) from hub.event where writer = 5"), 3);
    lena.send(&events).expect("again");
    assert_eq!(lena.exchange(&[], HubMark::NONE, 100).expect("fetched").rows.len(), 12);

    // On another server, with the five roles of the hub and nobody's login.
    let mut other = Server::own("fsync = off").expect("installed");
    let root =
        crate::harness::Sql::open(&other.cluster.as_ref().expect("own").address("postgres", "postgres"));
    let root = root.expect("a session");
    other.database.clone_from(&server.database);
    other.lead.clone_from(&server.lead);
    let alice = server.invite(&mut lena, "alice", MemberKind::Annotator);
    server.link(&alice).send(&[event("alice", 8, 1, "hers")]).expect("sent");
    done(cluster.program("pg_dump").args(["-U", "postgres", "-Fc", "-f"]).arg(&dump).arg(&server.database));
    let hub = server.root().rows("select value from hub.meta where key = 'hub'")[0].get::<_, String>(0);
    root.try_run(&format!("create role {} login createrole", server.lead)).expect("a role");
    let step = include_str!("../../../src/hub/schema_1.sql");
    let roles: Vec<String> = step
        .lines()
        .filter(|line| {
            line.starts_with("create role ")
                || line.starts_with("grant {owner}")
                || line.starts_with("grant {member}, {reader} to {inviter}")
        })
        .map(|line| {
            line.replace("current_user", &server.lead).replace('{', &format!("hm_{hub}_")).replace('}', "")
        })
        .collect();
    assert_eq!(roles.len(), 7);
    root.run(&roles.join("\n"));
    root.run(&format!("grant hm_{hub}_member, hm_{hub}_reader to {}", server.lead));
    restore(&other);
    let mut lena = other.link(&other.lead);
    assert_eq!(lena.me().expect("the lead").name, "lena");
    let refused = lena.invite("alice", MemberKind::Annotator).expect_err("no rights yet").to_string();
    assert!(refused.contains("runs \"haymark hub create\" again"), "{refused}");
    lena.set_rights().expect("set again");
    let (login, _) = lena.invite("alice", MemberKind::Annotator).expect("invited again");
    assert_eq!(login, alice);
    let fetched = other.link(&alice).exchange(&[], HubMark::NONE, 100).expect("fetched");
    assert_eq!(fetched.rows.len(), 2);
}

/// Where another study's hub has come behind the address, it gets nothing and gives nothing.
#[test]
fn another_study_behind_the_address_is_seen() {
    let Some(server) = Server::find() else { return };
    let mut lena = server.hub();
    let head = lena.exchange(&[], HubMark::NONE, 9).expect("fetched").head;
    let root = server.root();
    root.run("update hub.study set key = decode(repeat('77', 16), 'hex')");
    assert!(lena.send(&[event("lena", 5, 1, "x")]).expect_err("over the old connection").is_refusal());
    for _ in 0..2 {
        let error = lena.exchange(&[], head, 9).expect_err("over a new one").to_string();
        assert!(error.contains("is that of another study"), "{error}");
        lena.send(&[event("lena", 5, 1, "x")]).expect_err("to another study");
    }
    assert_eq!(root.number("select count(*) from hub.event"), 0);
}

/// A copy beside the hub ends nobody's access there, and gives nobody another password.
#[test]
fn a_copy_beside_the_hub_has_no_logins() {
    let Some(server) = Server::own("fsync = off") else { return };
    let mut lena = server.hub();
    let alice = server.invite(&mut lena, "alice", MemberKind::Annotator);
    // A database that somebody is in is not copied.
    drop(lena);
    let root =
        crate::harness::Sql::open(&server.cluster.as_ref().expect("own").address("postgres", "postgres"));
    let root = root.expect("a session");
    root.run(&format!("create database a_copy template {} owner {}", server.database, server.lead));
    let mut address = server.address(&server.lead);
    address.database = "a_copy".to_owned();
    let mut copy = haymark::hub::HubLink::to(address).expect("a link");
    assert!(copy.remove("alice").expect("out of the copy"));
    copy.invite("alice", MemberKind::Annotator).expect_err("the hub's login");
    let refused = copy.set_rights().expect_err("the hub is there").to_string();
    assert!(refused.contains(&format!("a copy of the hub in the database {}", server.database)), "{refused}");
    server.link(&alice).send(&[event("alice", 8, 1, "hers")]).expect("in the hub all the same");
    // Where the hub is gone, the copy takes its place.
    drop(copy);
    root.run(&format!("drop database {} with (force)", server.database));
    let mut address = server.address(&server.lead);
    address.database = "a_copy".to_owned();
    let mut copy = haymark::hub::HubLink::to(address).expect("a link");
    copy.set_rights().expect("it is the hub now");
    assert_eq!(copy.invite("alice", MemberKind::Annotator).expect("invited").0, alice);
}

/// The server's power is cut and comes back: one error of the network, nothing else.
#[test]
fn a_server_that_ends_and_begins() {
    let Some(server) = Server::own("") else { return };
    let cluster = server.cluster.as_ref().expect("a server of its own");
    let mut lena = server.hub();
    lena.send(&[event("lena", 5, 1, "x")]).expect("sent");
    let head = lena.exchange(&[], HubMark::NONE, 100).expect("fetched").head;
    cluster.end();
    for _ in 0..2 {
        assert_eq!(lena.exchange(&[], head, 100).expect_err("ended").kind(), ErrorKind::Unreachable);
    }
    cluster.begin();
    lena.send(&[event("lena", 5, 2, "y")]).expect("sent");
    let fetched = lena.exchange(&[], head, 100).expect("fetched");
    assert!(!fetched.is_rewound);
    assert_eq!(fetched.rows.len(), 1);
}

/// A hub that comes to another address: the lead's file goes by it, and is left alone where the hub is not there yet.
#[test]
fn a_hub_that_moved_is_the_files_own() {
    let Some(mut server) = Server::own("fsync = off") else { return };
    let port = server.cluster.as_ref().expect("own").port;
    let desk = Desk::new();
    desk.import("corpus.jsonl", &corpus(3, 2));
    let told = desk.out(&["hub", "create", &server.url(&server.lead), "study.db", "--as", "lena"]);
    assert!(told.contains(&format!("{} on 127.0.0.1:{port}: ", server.database)), "{told}");
    let root =
        crate::harness::Sql::open(&server.cluster.as_ref().expect("own").address("postgres", "postgres"));
    let root = root.expect("a session");
    root.run(&format!("create database moved owner {}", server.lead));
    let before = server.url(&server.lead);
    let mut address = server.address(&server.lead);
    address.database = "moved".to_owned();
    let after = address.to_string();
    let hub = || {
        let study = haymark::store::StudyFile::open(&desk.path("study.db")).expect("opened");
        study.membership().expect("read").expect("a hub").address
    };
    let (_, told) = desk.fails(&["hub", "create", &after, "study.db"]);
    assert!(told.contains("the study has another hub: ") && hub() == before, "{told}");
    root.run("drop database moved");
    root.run(&format!("alter database {} rename to moved", server.database));
    server.database = "moved".to_owned();
    let told = desk.out(&["hub", "create", &after, "study.db"]);
    assert!(told.contains(&format!("goes by the hub at moved on 127.0.0.1:{port} from now on")), "{told}");
    assert_eq!(hub(), after);
    assert!(desk.out(&["hub", "invite", "alice"]).contains(":moved:"));
}

/// A revision whose text was erased is one on a hub that never had it whole, and in every file.
#[test]
fn what_was_revised_and_erased_is_one_on_a_new_hub() {
    let Some(server) = Server::find() else { return };
    let desk = Desk::new();
    let document = |id: &str, number: u32, text: &str| json!({"type":"document","collection":"c","id":id,"number":number,"text":text});
    let unit = |text: &str| {
        let quotes = [json!({"document":"d8","quote":"Eight"}), json!({"document":"d9","quote":"Nine"})];
        json!({"type":"unit","query":"q","id":"u9","kind":"insight","text":text,"documents":["d8","d9"],"evidence":quotes})
    };
    let mut records = corpus(3, 2);
    records.extend([document("d8", 8, "Eight helps."), document("d9", 9, "Nine helps."), unit("Both help.")]);
    desk.import("corpus.jsonl", &records);
    desk.records("new.jsonl", &[document("d9", 9, "Nine helps much."), unit("Both help much.")]);
    let whole = desk.out(&["export", "study.db"]);
    let who = ["--as", "lena", "--reason", "consent"];
    desk.out(&[&["revise", "study.db", "new.jsonl"][..], &who].concat());
    std::fs::write(desk.path("whole.jsonl"), desk.out(&["export", "study.db"])).expect("written");
    assert_ne!(whole, desk.out(&["export", "study.db"]));
    for id in ["d9", "d8"] {
        desk.out(&[&["withdraw", "study.db", "document", id, "--erase"][..], &who].concat());
    }
    let exported = desk.out(&["export", "study.db"]);
    desk.out(&["hub", "create", &server.url(&server.lead), "study.db", "--as", "lena"]);
    let told = desk.out(&["sync", "study.db"]);
    assert!(told.contains(": 0 new here, 0 sent\n"), "{told}");
    let same = |file: &str| {
        let hers = desk.out(&["export", file]);
        assert_eq!(hers.matches(r#""act":"revise""#).count(), 2, "{hers}");
        assert_eq!(hers, desk.out(&["export", "study.db"]), "{file}");
    };
    let login = server.invite(&mut server.link(&server.lead), "nora", MemberKind::Lead);
    desk.out(&["hub", "join", &server.url(&login), "-o", "nora.db"]);
    same("nora.db");
    // An export of it, and one from before, come to the same, whichever is first.
    std::fs::write(desk.path("erased.jsonl"), &exported).expect("written");
    for (number, files) in
        [["erased.jsonl", "whole.jsonl"], ["whole.jsonl", "erased.jsonl"]].iter().enumerate()
    {
        let study = format!("{number}.db");
        desk.out(&["init", &study]);
        for file in files {
            desk.out(&["import", &study, file]);
            desk.out(&["merge", "study.db", &study]);
        }
        desk.out(&["merge", &study, "study.db"]);
        assert_eq!(desk.out(&["export", &study]).matches(r#""act":"revise""#).count(), 2);
        desk.out(&["check", &study]);
    }
    same("nora.db");
    assert!(desk.out(&["sync", "study.db"]).contains(": 0 new here, "));
    assert!(desk.out(&["sync", "study.db"]).contains(": 0 new here, 0 sent\n"));
}
