//! Work that the hub hands out, as people type it.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::{Duration, Instant};

use haymark::hub::{HubLink, MemberKind};
use serde_json::{Value, json};

use super::corpus;
use crate::harness::{Desk, Server, Session, about_summaries};

/// A lead's file on a hub, of so many summaries with three points each.
fn made(server: &Server, summaries: usize) -> (Desk, HubLink) {
    let desk = Desk::new();
    desk.import("corpus.jsonl", &corpus(3, summaries));
    desk.out(&["hub", "create", &server.url(&server.lead), "study.db", "--as", "lena"]);
    (desk, server.link(&server.lead))
}

/// Lets somebody in, who makes her file.
fn join(server: &Server, (desk, lead): (&Desk, &mut HubLink), name: &str) -> String {
    let login = server.invite(lead, name, MemberKind::Annotator);
    desk.out(&["hub", "join", &server.url(&login), "-o", &format!("{name}.db")])
}

fn opened(desk: &Desk, name: &str, more: &[&str]) -> Session {
    let file = format!("{name}.db");
    let mut session = desk.start(&[&["annotate", &file, "--as", name][..], more].concat());
    session.wait_for(" judged");
    session
}

/// How many judgments of coverage are left.
fn left(desk: &Desk) -> u64 {
    let told: Value =
        serde_json::from_str(&desk.out(&["status", "study.db", "--format", "json"])).expect("JSON");
    told[0]["rows"][0]["left"].as_u64().expect("left")
}

/// Who judged each summary, and how many of its points.
fn judged(desk: &Desk, people: &[&str]) -> BTreeMap<String, BTreeMap<String, usize>> {
    let mut found: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for name in people {
        for judgment in desk.judgments("study.db", "coverage", name) {
            let of = judgment["candidate"].as_str().expect("a candidate").to_owned();
            *found.entry(of).or_default().entry((*name).to_owned()).or_default() += 1;
        }
    }
    found
}

/// Judges until the hub has no more.
fn judges(desk: &Desk, name: &str) -> usize {
    let mut session = opened(desk, name, &[]);
    let mut count = 0;
    while !session.shows("Done") {
        count += 1;
        session.answer("x", &format!("· {count} judged")).catch_up();
        assert!(count < 200, "{:?}", session.rows());
    }
    session.wait_for("The hub has no more for you now").wait_for("synced");
    session.quit();
    count
}

/// Judges so many items, and sends them.
fn judges_some(desk: &Desk, name: &str, many: usize) {
    let mut session = opened(desk, name, &[]);
    for count in 1..=many {
        session.answer("x", &format!("· {count} judged")).catch_up();
    }
    session.wait_for("synced");
    session.quit();
    desk.out(&["sync", &format!("{name}.db")]);
}

#[test]
fn three_people_take_the_work_and_all_is_judged_as_often_as_wanted() {
    let Some(server) = Server::find() else { return };
    let (desk, mut lead) = made(&server, 30);
    let arguments =
        ["assign", "study.db", "--dynamic", "--protocol", "coverage", "--raters", "2", "--overlap", "20%"];
    desk.out(&[&arguments[..], &["--dry-run"]].concat());
    let people = ["alice", "bora", "chen"];
    join(&server, (&desk, &mut lead), "alice");
    desk.out(&arguments);
    for name in &people[1..] {
        let told = join(&server, (&desk, &mut lead), name);
        assert!(told.contains("coverage: "), "{told}");
    }
    let told = desk.out(&["sync", "alice.db"]);
    assert!(told.contains("coverage: ") && told.contains(" here to judge"), "{told}");
    let root = server.root();
    assert_eq!(root.number("select count(*) from hub.grp where wanted = 2"), 6, "a fifth of 30");
    thread::scope(|scope| {
        let hands = people.map(|name| {
            let desk = &desk;
            scope.spawn(move || judges(desk, name))
        });
        let counts = hands.map(|hand| hand.join().expect("judged"));
        assert_eq!(counts.iter().sum::<usize>(), 36 * 3, "{counts:?}");
    });
    for name in people {
        // What could not be said in time when she left is said now.
        desk.out(&["sync", &format!("{name}.db")]);
        desk.out(&["check", &format!("{name}.db")]);
    }
    desk.out(&["sync", "study.db"]);
    let found = judged(&desk, &people);
    assert_eq!(found.len(), 30);
    assert!(found.values().flat_map(BTreeMap::values).all(|points| *points == 3), "whole groups: {found:?}");
    let twice = found.values().filter(|people| people.len() == 2).count();
    assert_eq!((twice, found.values().filter(|people| people.len() > 2).count()), (6, 0), "{found:?}");
    assert_eq!(root.number("select count(*) from hub.lease where state <> 'd'"), 0, "all is said to be done");
    // Nothing is left, and what comes later is offered and counted.
    assert_eq!(left(&desk), 0);
    desk.import("more.jsonl", &corpus(3, 34)[..]);
    let told = desk.run(&["assign", "study.db", "--dynamic", "--protocol", "coverage"]);
    let told = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(told.contains("the hub offers 34 groups; 4 more than before"), "{told}");
    assert_eq!(left(&desk), 12);
    assert_eq!(
        root.number("select count(*) from hub.grp where wanted = 2"),
        6,
        "what is shared stays shared"
    );
    let (status, told) = desk.fails(&["assign", "study.db", "--protocol", "coverage", "--to", "alice,bora"]);
    assert_eq!(
        (status, told.contains("the hub hands out the work of \"coverage\"; add --dynamic")),
        (2, true),
        "{told}"
    );
}

/// Work was taken ahead, so nothing changes without the network; where nothing is left it is said why.
#[test]
fn an_hour_without_the_network_changes_nothing() {
    let Some(server) = Server::find() else { return };
    let (desk, mut lead) = made(&server, 10);
    desk.out(&["assign", "study.db", "--dynamic", "--protocol", "coverage"]);
    join(&server, (&desk, &mut lead), "alice");
    let mut session = opened(&desk, "alice", &["--offline"]);
    for count in 1..=30 {
        session.answer("x", &format!("· {count} judged")).catch_up();
    }
    session.wait_for("without --offline it may have more");
    session.quit();
    join(&server, (&desk, &mut lead), "bora");
    let mut session = desk.start(&["annotate", "bora.db", "--as", "bora"]);
    session.wait_for("the hub has no work for you now");
    // Somebody leaves: what she held goes to others.
    let told = desk.out(&["hub", "remove", "alice"]);
    assert!(told.starts_with("alice is out"), "{told}");
    let told = desk.out(&["sync", "bora.db"]);
    assert!(told.contains("coverage: 30 items are here to judge"), "{told}");
    // And her late answers are kept, once she is in again.
    server.invite(&mut lead, "alice", MemberKind::Annotator);
    desk.out(&["sync", "alice.db"]);
    desk.out(&["sync", "study.db"]);
    assert_eq!(desk.judgments("study.db", "coverage", "alice").len(), 30);
}

/// Who leaves the hub is told what she holds there.
#[test]
fn who_leaves_is_told_what_she_holds() {
    let Some(server) = Server::find() else { return };
    let (desk, mut lead) = made(&server, 3);
    desk.out(&["assign", "study.db", "--dynamic", "--protocol", "coverage"]);
    join(&server, (&desk, &mut lead), "alice");
    judges_some(&desk, "alice", 4);
    let left = desk.run(&["hub", "leave", "alice.db"]);
    let told = String::from_utf8_lossy(&left.stderr).into_owned();
    assert!(
        told.contains("2 groups that the hub handed out to alice are not done")
            && told.contains("four hours"),
        "{told}"
    );
}

/// What is withdrawn is asked of nobody: it is not handed out and not left, and no group waits for it.
#[test]
fn what_is_withdrawn_is_handed_out_no_more() {
    let Some(server) = Server::find() else { return };
    let (desk, mut lead) = made(&server, 6);
    join(&server, (&desk, &mut lead), "alice");
    desk.out(&["assign", "study.db", "--dynamic", "--protocol", "coverage"]);
    let who = ["--query", "q", "--as", "lena", "--reason", "wrong"];
    let withdraw = |what: &str, id: &str| {
        desk.out(&[&["withdraw", "study.db", what, id][..], &who].concat());
    };
    let root = server.root();
    let leases =
        |state: &str| root.number(&format!("select count(*) from hub.lease where state = '{state}'"));
    // Before she has them, and while she has them.
    withdraw("candidate", "s5");
    assert_eq!(left(&desk), 15);
    desk.out(&["sync", "study.db"]);
    desk.out(&["sync", "alice.db"]);
    let wanted = || root.number("select sum(greatest(wanted, 0)) from hub.grp");
    assert_eq!((leases("h"), wanted()), (5, 5));
    withdraw("unit", "u3");
    withdraw("candidate", "s0");
    assert_eq!(left(&desk), 8);
    desk.out(&["sync", "study.db"]);
    assert_eq!((left(&desk), wanted()), (8, 4));
    assert_eq!(judges(&desk, "alice"), 8);
    desk.out(&["sync", "alice.db"]);
    assert_eq!((leases("h"), leases("d")), (1, 4), "what is withdrawn may be restored");
    desk.out(&["sync", "study.db"]);
    assert_eq!(left(&desk), 0);
    desk.out(&[&["withdraw", "study.db", "candidate", "s0", "--restore"][..], &who].concat());
    desk.out(&["sync", "study.db"]);
    assert_eq!((left(&desk), wanted()), (2, 5));
    desk.out(&["sync", "alice.db"]);
    let mut session = opened(&desk, "alice", &[]);
    for count in 9..=10 {
        session.answer("x", &format!("· {count} judged")).catch_up();
    }
    session.quit();
    desk.out(&["sync", "alice.db"]);
    desk.out(&["sync", "study.db"]);
    assert_eq!((left(&desk), leases("h"), leases("d")), (0, 0, 5));
    // What was judged and is withdrawn leaves nothing to hand out.
    withdraw("candidate", "s1");
    assert_eq!(left(&desk), 0);
    let told = desk.out(&["assign", "study.db", "--dynamic", "--protocol", "coverage", "--format", "json"]);
    assert!(told.contains(r#""left": 0"#), "{told}");
}

/// Nothing of who is left out counts, so others are given what she held and what she had done.
#[test]
fn who_is_left_out_leaves_her_work_to_others() {
    let Some(server) = Server::find() else { return };
    let (desk, mut lead) = made(&server, 4);
    join(&server, (&desk, &mut lead), "alice");
    desk.out(&["assign", "study.db", "--dynamic", "--protocol", "coverage"]);
    let mut session = opened(&desk, "alice", &[]);
    for count in 1..=4 {
        session.answer("x", &format!("· {count} judged")).catch_up();
    }
    session.wait_for("synced");
    session.quit();
    desk.out(&["sync", "alice.db"]);
    desk.out(&["sync", "study.db"]);
    assert_eq!(left(&desk), 8);
    // What she has judged of a group that she is in the midst of is not to come again.
    desk.out(&["assign", "study.db", "--dynamic", "--protocol", "coverage"]);
    assert_eq!(left(&desk), 8);
    let told = desk.run(&["people", "study.db", "--leave-out", "alice", "--as", "lena", "--reason", "gone"]);
    let told = String::from_utf8_lossy(&told.stderr).into_owned();
    let reopen = ["assign", "study.db", "--dynamic", "--protocol", "coverage", "--reopen", "alice"];
    assert!(told.contains(&format!("`haymark {}`", reopen.join(" ").replace("study.db", "STUDY"))), "{told}");
    assert!(told.contains("`haymark hub remove alice --hub STUDY` ends the access"), "{told}");
    let repeated = |of: &str| desk.out(&[of, "study.db"]).split_whitespace().collect::<Vec<_>>().join(" ");
    for of in ["status", "people"] {
        assert!(repeated(of).contains("--dynamic --protocol coverage --reopen alice`"), "{}", repeated(of));
    }
    desk.out(&["hub", "remove", "alice"]);
    desk.out(&reopen);
    assert_eq!(left(&desk), 12);
    let told = join(&server, (&desk, &mut lead), "bora");
    assert!(told.contains("coverage: 12 items are here to judge"), "{told}");
    for of in ["status", "people"] {
        assert!(!repeated(of).contains("--reopen"), "{}", repeated(of));
    }
    // Whose work others were given is nothing for annotators.
    assert!(root_says_nothing_of(&server, "alice"));
    let told = desk.run(&["people", "study.db", "--take-back", "alice", "--as", "lena", "--reason", "back"]);
    let told = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(told.contains("coverage: what the hub gave others of alice's work stays theirs"), "{told}");
}

/// So too where she had another name before she was left out.
#[test]
fn who_is_left_out_under_another_name_leaves_her_work_to_others() {
    let Some(server) = Server::find() else { return };
    let (desk, mut lead) = made(&server, 4);
    desk.out(&["assign", "study.db", "--dynamic", "--protocol", "coverage"]);
    join(&server, (&desk, &mut lead), "alice");
    judges_some(&desk, "alice", 1);
    desk.out(&["sync", "study.db"]);
    let decide = |what: &[&str]| {
        let why = ["--as", "lena", "--reason", "asked"];
        let told = desk.run(&[&["people", "study.db"], what, &why[..]].concat());
        String::from_utf8_lossy(&told.stderr).into_owned()
    };
    let told = decide(&["--rename", "alice", "--into", "alicia"]);
    assert!(!told.contains("hub remove"), "she goes on with her login: {told}");
    let told = decide(&["--leave-out", "alicia"]);
    assert!(told.contains("--dynamic --protocol coverage --reopen alicia`"), "{told}");
    assert!(told.contains("`haymark hub remove alicia --hub STUDY` ends the access"), "{told}");
    assert_eq!(
        desk.out(&["hub", "remove", "alicia", "--hub", "study.db"]),
        "alice is out; what she did is kept\n"
    );
    desk.out(&["assign", "study.db", "--dynamic", "--protocol", "coverage", "--reopen", "alicia"]);
    assert!(!desk.out(&["people", "study.db"]).contains("--reopen"));
}

/// The judgments that are taken, and those that are open, by the plan.
fn planned(desk: &Desk, more: &[&str]) -> (u64, u64) {
    let plan = ["assign", "study.db", "--dynamic", "--protocol", "coverage", "--format", "json"];
    let told: Value = serde_json::from_str(&desk.out(&[&plan, more].concat())).expect("JSON");
    let row = &told[0]["rows"][0];
    (row["had"].as_u64().expect("taken"), row["left"].as_u64().expect("open"))
}

/// What others are to judge again is to come once more, and is so in the next plan too; what somebody holds is not handed out.
#[test]
fn what_is_wanted_again_is_to_come() {
    let Some(server) = Server::find() else { return };
    let (desk, mut lead) = made(&server, 4);
    assert_eq!(planned(&desk, &[]), (0, 12));
    join(&server, (&desk, &mut lead), "alice");
    judges_some(&desk, "alice", 4);
    desk.out(&["sync", "study.db"]);
    assert_eq!((planned(&desk, &[]), left(&desk)), ((12, 0), 8));
    assert_eq!((planned(&desk, &["--reopen", "alice"]), left(&desk)), ((0, 12), 12));
    assert_eq!((planned(&desk, &[]), left(&desk)), ((0, 12), 12));
    let told = join(&server, (&desk, &mut lead), "bora");
    assert!(told.contains("coverage: 12 items are here to judge"), "{told}");
    judges_some(&desk, "bora", 3);
    desk.out(&["sync", "study.db"]);
    assert_eq!((planned(&desk, &[]), left(&desk)), ((12, 0), 9));
}

/// What somebody gives up who stays in goes to others, and the plan says so.
#[test]
fn what_somebody_gives_up_does_not_come_to_her_again() {
    let Some(server) = Server::find() else { return };
    let (desk, mut lead) = made(&server, 4);
    planned(&desk, &[]);
    join(&server, (&desk, &mut lead), "alice");
    let held = || server.root().number("select count(*) from hub.lease where state = 'h'");
    assert_eq!((held(), planned(&desk, &[])), (4, (12, 0)));
    let asked = ["assign", "study.db", "--dynamic", "--protocol", "coverage"];
    for option in ["--remove", "--reopen"] {
        let (status, told) = desk.fails(&[&asked[..], &[option, "alicee"]].concat());
        assert_eq!((status, told.contains("nothing is assigned to \"alicee\"")), (2, true), "{told}");
    }
    assert_eq!(planned(&desk, &["--remove", "alice", "--dry-run"]), (0, 12));
    let told = desk.told(&[&asked[..], &["--remove", "alice"]].concat());
    assert!(told.contains("alice held 4 groups, which go to others"), "{told}");
    assert!(told.contains("`haymark hub remove alice --hub STUDY` ends that"), "{told}");
    let told = desk.out(&["sync", "alice.db"]);
    assert!(told.contains("coverage: the hub has no more work now"), "{told}");
    assert_eq!((held(), planned(&desk, &[])), (0, (0, 12)));
    let told = join(&server, (&desk, &mut lead), "bora");
    assert!(told.contains("coverage: 12 items are here to judge"), "{told}");
}

/// Whether no record for all names somebody.
fn root_says_nothing_of(server: &Server, name: &str) -> bool {
    let select = "select count(*) from hub.record where audience = 'a' and position(convert_to(";
    server.root().number(&format!("{select}'{name}', 'utf8') in body) > 0")) == 0
}

/// Restored, a group is wanted of as many people as before, without anybody saying the number again.
#[test]
fn what_is_restored_is_shared_as_before() {
    let Some(server) = Server::find() else { return };
    let (desk, _) = made(&server, 6);
    desk.out(&["assign", "study.db", "--dynamic", "--protocol", "coverage", "--raters", "2"]);
    let root = server.root();
    let open = || root.number("select sum(open) from hub.grp");
    let who = ["candidate", "s5", "--query", "q", "--as", "lena", "--reason", "wrong"];
    for (more, wanted) in [(&[][..], 10), (&["--restore"], 12)] {
        desk.out(&[&["withdraw", "study.db"][..], &who, more].concat());
        desk.out(&["sync", "study.db"]);
        assert_eq!(open(), wanted);
        // Nor does a new offer without a number forget it.
        desk.out(&["assign", "study.db", "--dynamic", "--protocol", "coverage"]);
        assert_eq!(open(), wanted);
    }
}

/// An annotator's file knows what she holds, and promises nothing of what others may get.
#[test]
fn an_annotators_file_counts_what_she_holds() {
    let Some(server) = Server::find() else { return };
    let (desk, mut lead) = made(&server, 60);
    desk.out(&["assign", "study.db", "--dynamic", "--protocol", "coverage"]);
    let told = join(&server, (&desk, &mut lead), "alice");
    let held = told.split("coverage: ").nth(1).and_then(|rest| rest.split(' ').next()).expect("items");
    let held: u64 = held.parse().expect("a number");
    assert!(held < 180, "{told}");
    let status = desk.json(&["status", "alice.db", "--protocol", "coverage"]);
    let missing = |title: &str| {
        let table = status
            .as_array()
            .expect("tables")
            .iter()
            .find(|one| one["title"].as_str().expect("a title").starts_with(title));
        let rows = table.expect("a table")["rows"].as_array().expect("rows").clone();
        rows.iter().map(|row| row["missing"].as_u64().expect("a number")).sum::<u64>()
    };
    assert_eq!((missing("Items by number"), missing("Where judgments")), (held, held), "{status}");
    let told = desk.out(&["status", "alice.db", "--protocol", "coverage"]);
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("what others have is not in this file, nor what the hub still hands out"),
        "{told}"
    );
    assert!(!told.contains("are to come from whoever asks"), "{told}");
}

/// Two names of one person count once at the hub too, from the lead's next exchange on.
#[test]
fn joined_names_count_once_at_the_hub() {
    let Some(server) = Server::find() else { return };
    let (desk, mut lead) = made(&server, 4);
    desk.out(&["assign", "study.db", "--dynamic", "--protocol", "coverage", "--raters", "2"]);
    for name in ["alice", "alcie"] {
        join(&server, (&desk, &mut lead), name);
        judges(&desk, name);
        desk.out(&["sync", &format!("{name}.db")]);
    }
    let root = server.root();
    let open = || root.number("select sum(open) from hub.grp");
    desk.out(&["sync", "study.db"]);
    assert_eq!((open(), left(&desk)), (0, 0));
    desk.out(&[
        "people", "study.db", "--join", "alcie", "--into", "alice", "--as", "lena", "--reason", "a slip",
    ]);
    desk.out(&["sync", "study.db"]);
    assert_eq!((open(), left(&desk)), (4, 12), "one more person is wanted for each");
    desk.out(&["sync", "alice.db"]);
    assert_eq!(open(), 4, "and it is not she");
    let told = join(&server, (&desk, &mut lead), "bora");
    assert!(told.contains("coverage: 12 items are here to judge"), "{told}");
}

/// Who was given another name goes on with what she holds.
#[test]
fn a_new_name_takes_nothing_away() {
    let Some(server) = Server::find() else { return };
    let (desk, mut lead) = made(&server, 4);
    desk.out(&["assign", "study.db", "--dynamic", "--protocol", "coverage"]);
    join(&server, (&desk, &mut lead), "bora");
    let mut session = opened(&desk, "bora", &[]);
    for count in 1..=4 {
        session.answer("x", &format!("· {count} judged")).catch_up();
    }
    session.wait_for("synced");
    session.quit();
    desk.out(&["sync", "bora.db"]);
    desk.out(&["sync", "study.db"]);
    let leases = || {
        let count = |state: &str| format!("select count(*) from hub.lease where state = '{state}'");
        (server.root().number(&count("h")), server.root().number(&count("d")))
    };
    assert_eq!(leases(), (3, 1));
    desk.out(&[
        "people", "study.db", "--rename", "bora", "--into", "boris", "--as", "lena", "--reason", "hers",
    ]);
    desk.out(&["sync", "study.db"]);
    assert_eq!(leases(), (3, 1));
    let told = desk.out(&["people", "study.db"]);
    assert!(!told.contains("--reopen"), "she has another name, and is not left out: {told}");
    // Nor does what she did count as that of one more person, also where she comes back under the other name.
    desk.out(&["assign", "study.db", "--dynamic"]);
    assert_eq!((leases(), left(&desk)), ((3, 1), 8));
    desk.out(&["hub", "remove", "bora"]);
    join(&server, (&desk, &mut lead), "boris");
    desk.out(&["assign", "study.db", "--dynamic"]);
    assert_eq!((leases(), left(&desk)), ((3, 1), 8));
    assert_eq!(server.root().number("select sum(taken) from hub.grp"), 4);
}

/// What is withdrawn while work is offered is left once it is restored.
#[test]
fn what_is_restored_is_left_again() {
    let Some(server) = Server::find() else { return };
    let (desk, _) = made(&server, 6);
    let offer = || desk.out(&["assign", "study.db", "--dynamic", "--protocol", "coverage", "--raters", "2"]);
    let withdraw = |more: &[&str]| {
        let asked =
            ["withdraw", "study.db", "candidate", "s5", "--query", "q", "--as", "lena", "--reason", "spam"];
        desk.out(&[&asked[..], more].concat());
        desk.out(&["sync", "study.db"]);
    };
    offer();
    withdraw(&[]);
    offer();
    assert_eq!(left(&desk), 30);
    withdraw(&["--restore"]);
    assert_eq!(left(&desk), 36);
    offer();
    assert_eq!(left(&desk), 36);
}

/// What somebody did and left behind counts no more under a new version: the lead is told, and how others get it.
#[test]
fn what_a_removed_person_did_under_another_version_is_named() {
    let Some(server) = Server::find() else { return };
    let (desk, mut lead) = made(&server, 4);
    let version = |version: u32| {
        let tables = format!(
            r#"[[question]]
key = "tone"
prompt = "Tone {version}?"
kind = "choice"
scale = "ordinal"
choices = [
  {{ value = "bad", label = "bad", key = "n", score = 0 }},
  {{ value = "good", label = "good", key = "y", score = 100 }},
]
"#
        );
        let text = about_summaries("tone", version, "candidate", &tables);
        let file = desk.file("tone.toml", text);
        desk.out(&["protocol", "add", "study.db", &file, "--guideline", &file]);
    };
    version(1);
    server.invite(&mut lead, "bora", MemberKind::Annotator);
    let judged = ["s0", "s1"].map(|candidate| {
        json!({"type":"judgment","protocol":"tone","annotator":"bora","candidate":candidate,"answers":{"tone":"good"}})
    });
    let bora = json!({"type":"annotator","id":"bora","kind":"human"});
    desk.import("before.jsonl", &[&[bora][..], &judged].concat());
    let offer = |more: &[&str]| {
        desk.out(&[&["assign", "study.db", "--dynamic", "--protocol", "tone"][..], more].concat())
    };
    offer(&[]);
    desk.out(&["hub", "remove", "bora"]);
    assert!(!offer(&[]).contains("--reopen"), "what she did counts");
    version(2);
    let told = offer(&[]);
    assert!(told.contains("bora is out, and did 2 groups") && told.contains("--reopen bora`"), "{told}");
    let open = || server.root().number("select sum(open) from hub.grp");
    assert_eq!(open(), 2);
    assert!(!offer(&["--reopen", "bora"]).contains("is out"));
    assert_eq!(open(), 4);
    assert!(!offer(&[]).contains("--reopen"));
}

/// What was judged counts, whoever judged it, but for the answers that are known.
#[test]
fn who_is_no_member_has_done_what_she_did() {
    let Some(server) = Server::find() else { return };
    let (desk, _) = made(&server, 6);
    let judged = |name: &str, at: usize| {
        json!({"type":"judgment","protocol":"coverage","annotator":name,"unit":format!("u{}", at % 3 + 1),
               "candidate":format!("s{}", at / 3),"answers":{"coverage":"none"}})
    };
    let people = ["expert", "guest"].map(|name| json!({"type":"annotator","id":name,"kind":"human"}));
    let by_expert = (0..18).map(|at| judged("expert", at));
    // Two summaries, and a third in part.
    let by_guest = (0..8).map(|at| judged("guest", at));
    desk.import("before.jsonl", &people.into_iter().chain(by_expert).chain(by_guest).collect::<Vec<_>>());
    let known = ["--known-from", "expert", "--control", "20%"];
    desk.out(&[&["assign", "study.db", "--dynamic", "--protocol", "coverage"][..], &known].concat());
    assert_eq!((server.root().number("select sum(open) from hub.grp"), left(&desk)), (4, 12));
    // Whose answers are known ones is kept, also where nobody has a control of hers.
    desk.out(&["assign", "study.db", "--dynamic", "--protocol", "coverage"]);
    assert_eq!((server.root().number("select sum(open) from hub.grp"), left(&desk)), (4, 12));
}

/// A text that is erased is gone from the files of members, also while one is open, and from the hub.
#[test]
fn what_is_erased_is_gone_from_the_files_of_members() {
    let Some(server) = Server::find() else { return };
    let (desk, mut lead) = made(&server, 2);
    join(&server, (&desk, &mut lead), "alice");
    let mut session = opened(&desk, "alice", &["--protocol", "coverage"]);
    let held = |text: &str| {
        let files =
            std::fs::read_dir(desk.folder()).expect("a folder").map(|file| file.expect("a file").path());
        let hers = files.filter(|file| file.to_string_lossy().contains("alice.db"));
        // A journal may be gone by the time it is read.
        let bytes = hers.flat_map(|file| std::fs::read(file).unwrap_or_default()).collect::<Vec<u8>>();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    let wait = |is_done: &dyn Fn() -> bool| {
        let until = Instant::now() + Duration::from_secs(20);
        while !is_done() {
            assert!(Instant::now() < until, "in vain");
            thread::sleep(Duration::from_millis(100));
        }
    };
    let texts = ["Sekretariat Nord", "Quartalsbericht", "Xylophon im Keller", "Nachtrag"];
    let [document, summary, quote, revised] = texts;
    desk.import(
        "secret.jsonl",
        &[
            json!({"type":"document","collection":"c","id":"d9","number":9,"text":format!("Das {document}. Ein {quote}.")}),
            json!({"type":"unit","query":"q","id":"u9","kind":"insight","text":"It helps.","documents":["d9"],
                   "evidence":[{"document":"d9","quote":quote}]}),
            json!({"type":"candidate","query":"q","id":"s9","summarizer":"system 9","text":format!("- Der {summary} [9]")}),
        ],
    );
    let right = json!({"type":"document","collection":"c","id":"d9","number":9,"text":format!("Das {document}, {revised}. Ein {quote}.")});
    desk.records("right.jsonl", &[right]);
    let who = ["--as", "lena", "--reason", "consent withdrawn"];
    desk.out(&[&["revise", "study.db", "right.jsonl"][..], &who].concat());
    desk.out(&["sync", "study.db"]);
    wait(&|| texts.iter().all(|text| held(text)));
    let root = server.root();
    let with = |text| {
        format!("select count(*) from hub.record where position(convert_to('{text}', 'utf8') in body) > 0")
    };
    // The document and its revision; the summary under its alias and its name; the document, the quote and the revision; the revision.
    assert_eq!(texts.map(|text| root.number(&with(text))), [2, 2, 3, 1]);
    let records = "select string_agg(kind || encode(key, 'hex'), ' ' order by pos) from hub.record";
    let before: String = root.rows(records).first().expect("a row").get(0);
    desk.out(&[&["withdraw", "study.db", "document", "d9", "--erase"][..], &who].concat());
    desk.out(&[&["withdraw", "study.db", "candidate", "s9", "--query", "q", "--erase"][..], &who].concat());
    desk.out(&["sync", "study.db"]);
    wait(&|| !texts.iter().any(|text| held(text)));
    session.quit();
    assert_eq!(texts.map(|text| root.number(&with(text))), [0; 4]);
    let after: String = root.rows(records).first().expect("a row").get(0);
    assert!(after.starts_with(&before), "each record under its name and in its place, and two that erase");
    root.try_run("update hub.record set body = ''").expect_err("nothing else is changed");
    // Who joins later has everything but the texts, as the lead has it.
    join(&server, (&desk, &mut lead), "bob");
    // The document, its unit, its revision, and what erased it.
    let about = |study: &str| -> Vec<String> {
        desk.out(&["export", study])
            .lines()
            .filter(|line| line.contains("\"d9\""))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(about("bob.db"), about("study.db"));
    assert_eq!(about("bob.db").len(), 4);
    desk.out(&["check", "bob.db"]);
    // Fetched anew, whole, with the systems' names, it does not come back.
    let login = server.invite(&mut lead, "alice", MemberKind::Observer);
    desk.out(&["hub", "join", &server.url(&login), "-o", "new-alice.db"]);
    desk.out(&["check", "new-alice.db"]);
    assert!(!texts.iter().any(|text| held(text)));
}

/// A control that is judged is no judgment of those that are wanted of others.
#[test]
fn controls_leave_as_much_for_others() {
    let Some(server) = Server::find() else { return };
    let (desk, mut lead) = made(&server, 12);
    let known = |at: usize| {
        json!({"type":"judgment","protocol":"coverage","annotator":"expert","unit":format!("u{}", at % 3 + 1),
               "candidate":format!("s{}", at / 3),"answers":{"coverage":"none"}})
    };
    let expert = std::iter::once(json!({"type":"annotator","id":"expert","kind":"human"}));
    desk.import("expert.jsonl", &expert.chain((0..12).map(known)).collect::<Vec<_>>());
    join(&server, (&desk, &mut lead), "alice");
    let controls = ["--raters", "2", "--known-from", "expert", "--control", "20%"];
    desk.out(&[&["assign", "study.db", "--dynamic", "--protocol", "coverage"][..], &controls].concat());
    judges(&desk, "alice");
    desk.out(&["sync", "alice.db"]);
    desk.out(&["sync", "study.db"]);
    let root = server.root();
    assert!(root.number("select count(*) from hub.lease where beside is not null and state = 'd'") > 0);
    let open = root.number("select 3 * sum(open) from hub.grp");
    let told = desk.out(&["status", "study.db", "--format", "json"]);
    assert!(told.contains(&format!("coverage: {open} of what is left come from whoever asks")), "{told}");
    assert_eq!(left(&desk), u64::try_from(open).expect("a number"), "no control that she was not given");
}

#[test]
fn only_the_lead_of_a_hub_hands_out_work() {
    let Some(server) = Server::find() else { return };
    let (desk, mut lead) = made(&server, 4);
    join(&server, (&desk, &mut lead), "alice");
    let (_, told) = desk.fails(&["assign", "alice.db", "--dynamic", "--protocol", "coverage"]);
    assert!(told.contains("alice is annotator on the hub, and only a lead hands out work"), "{told}");
    desk.samples("plain.db", &["haystack"]);
    let (status, told) = desk.fails(&["assign", "plain.db", "--dynamic", "--protocol", "coverage"]);
    assert_eq!(
        (status, told.contains("plain.db: the study has no hub; `haymark hub create URL STUDY` makes one")),
        (2, true),
        "{told}"
    );
}

/// Calibration comes first and its groups are offered to nobody; controls come with the work.
#[test]
fn calibration_comes_first_and_controls_are_mixed_in() {
    let Some(server) = Server::find() else { return };
    let (desk, mut lead) = made(&server, 40);
    let mut records = vec![json!({"type":"annotator","id":"expert","kind":"human"})];
    for candidate in 0..20 {
        for unit in 1..=3 {
            records.push(
                json!({"type":"judgment","protocol":"coverage","annotator":"expert","unit":format!("u{unit}"),
                "candidate":format!("s{candidate}"),"answers":{"coverage":"none"}}),
            );
        }
    }
    desk.import("expert.jsonl", &records);
    join(&server, (&desk, &mut lead), "alice");
    desk.out(&[
        "assign",
        "study.db",
        "--dynamic",
        "--protocol",
        "coverage",
        "--known-from",
        "expert",
        "--calibration",
        "6",
        "--control",
        "10%",
        "--repeats",
        "10%",
    ]);
    let root = server.root();
    assert_eq!(root.number("select count(*) from hub.grp"), 38, "two summaries are told");
    let told = desk.out(&["sync", "alice.db"]);
    assert!(told.contains("coverage: "), "{told}");
    assert!(root.number("select count(*) from hub.lease where beside is not null") > 0, "controls");
    // Nothing in her file says which they are, nor what is known.
    let hers = |word: &str| desk.out(&["export", "alice.db"]).contains(word);
    assert!(hers(r#""role":"calibration""#));
    for word in [r#""role":"control""#, "expert", r#""known""#] {
        assert!(!hers(word), "{word}");
    }
    // To look at an item tells nothing of it.
    let mut session = opened(&desk, "alice", &[]);
    session.settle();
    session.quit();
    desk.out(&["sync", "alice.db"]);
    assert!(root.number("select count(*) from hub.event where journal = 'e'") > 0, "she was there");
    assert!(!hers(r#""known""#));
    // Without the hub, the known answer is told when it is there.
    let mut session = opened(&desk, "alice", &["--offline"]);
    session.answer("x", "the known answer comes once the hub has yours");
    session.quit();
    assert!(!hers(r#""known""#));
    desk.out(&["sync", "alice.db"]);
    assert!(hers(r#""known""#) && !hers(r#""role":"control""#));
    let mut session = opened(&desk, "alice", &[]);
    session.wait_for("Known answer").settle().type_keys("\r").wait_while("Known answer").settle();
    // With the hub, it is told at once.
    session.answer("x", "Known answer");
    session.quit();
    desk.out(&["sync", "study.db"]);
    let found: BTreeSet<String> = desk
        .out(&["export", "study.db"])
        .lines()
        .filter(|line| line.contains("\"type\":\"assignment\""))
        .map(|line| {
            serde_json::from_str::<Value>(line).expect("JSON")["role"].as_str().expect("a role").to_owned()
        })
        .collect();
    assert_eq!(found, BTreeSet::from(["calibration".to_owned(), "control".to_owned()]));
}

/// Whoever joined before work was given out sees her part of it, though she has not synced: at the opening, and on a screen that was
/// open before.
#[test]
fn who_joined_before_sees_the_work_that_was_given_out_since() {
    let Some(server) = Server::find() else { return };
    let (desk, mut lead) = made(&server, 30);
    let point = |unit| json!({"type":"unit","query":"q","id":unit,"kind":"keypoint","text":"It helps.","documents":["d1"]});
    desk.import("points.jsonl", &["p1", "p2", "p3"].map(point));
    desk.out(&["sync", "study.db"]);
    for name in ["wim", "xena", "yara"] {
        join(&server, (&desk, &mut lead), name);
    }
    let assign = ["assign", "study.db", "--protocol"];
    desk.out(&[&assign[..], &["coverage", "--dynamic"]].concat());
    // All are 90, and 60 are taken ahead.
    let mut wim = opened(&desk, "wim", &["--protocol", "coverage"]);
    wim.wait_for("item 1 of 60 ");
    let mut late = opened(&desk, "yara", &["--protocol", "entailment"]);
    late.wait_for("item 1 of 90 ").answer("y", "· 1 judged").wait_for("synced");
    desk.out(&[&assign[..], &["entailment", "--to", "xena,yara"]].concat());
    desk.out(&["sync", "study.db"]);
    let mut xena = opened(&desk, "xena", &["--protocol", "entailment"]);
    xena.wait_for("item 1 of 45 ");
    // Half of the groups; and what she judged where its group is not hers.
    let is_hers = |screen: &Session| screen.shows(" of 45 ") || screen.shows(" of 46 ");
    let until = Instant::now() + Duration::from_secs(60);
    while !is_hers(&late) && Instant::now() < until {
        late.rest(Duration::from_millis(200));
    }
    assert!(is_hers(&late) && late.shows(" 1 judged"), "{:?}", late.rows());
    for mut session in [wim, xena, late] {
        session.quit();
    }
}
