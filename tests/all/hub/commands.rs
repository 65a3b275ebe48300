//! What a lead types.

use std::collections::BTreeMap;

use haymark::hub::{Hub, HubMark, MemberKind, SentEvent, SentThing};
use serde_json::{Value, json};

use super::corpus;
use crate::harness::{Desk, Server, project};

/// A study on a hub.
fn made(server: &Server) -> Desk {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack", "haystack_judgments"]);
    let url = server.url(&server.lead);
    let told = desk.out(&["hub", "create", &url, "study.db", "--as", "lena"]);
    assert!(told.starts_with("study.db is on the hub at "), "{told}");
    desk
}

fn members(desk: &Desk) -> Vec<(String, String, String)> {
    let told: Value = serde_json::from_str(&desk.out(&["hub", "members", "--format", "json"])).expect("JSON");
    let rows = told[0]["rows"].as_array().or(told["rows"].as_array()).expect("rows").clone();
    let text = |row: &Value, name: &str| row[name].as_str().expect(name).to_owned();
    rows.iter().map(|row| (text(row, "name"), text(row, "kind"), text(row, "state"))).collect()
}

fn member(name: &str, kind: &str, state: &str) -> (String, String, String) {
    (name.to_owned(), kind.to_owned(), state.to_owned())
}

#[test]
fn a_hub_is_made_and_people_come_and_go() {
    let Some(server) = Server::find() else { return };
    let desk = made(&server);
    let told = desk.out(&["hub", "invite", "alice"]);
    assert!(told.starts_with("alice is in, as annotator. "), "{told}");
    let joins =
        told.lines().find(|line| line.contains("haymark hub join postgres://")).expect("what she types");
    assert!(!joins.contains(':') || joins.matches(':').count() <= 2, "no password: {joins}");
    desk.out(&["hub", "invite", "olga", "--as", "observer", "--hub", "study.db"]);
    desk.out(&["hub", "invite", "lars", "--as", "lead", "--hub", &server.url(&server.lead)]);
    assert_eq!(
        members(&desk),
        [
            member("lena", "lead", "in"),
            member("alice", "annotator", "in"),
            member("olga", "observer", "in"),
            member("lars", "lead", "in")
        ]
    );
    assert_eq!(desk.out(&["hub", "remove", "alice"]), "alice is out; what she did is kept\n");
    assert_eq!(members(&desk)[1], member("alice", "annotator", "removed"));
    let (status, told) = desk.fails(&["hub", "remove", "alice"]);
    assert_eq!((status, told.contains("\"alice\" was removed before")), (1, true), "{told}");
    let (_, told) = desk.fails(&["hub", "remove", "lena"]);
    assert!(told.contains("you cannot remove yourself; another lead can"), "{told}");
    let again = desk.out(&["hub", "create", &server.url(&server.lead), "study.db"]);
    assert!(again.contains(": 0 sent"), "{again}");
    desk.samples("other.db", &["facts"]);
    let (_, told) = desk.fails(&["hub", "create", &server.url(&server.lead), "other.db"]);
    assert!(told.contains("there is a hub already at "), "{told}");
}

/// The file knows of the hub before the server does: however the making is cut, the same again goes on, and nobody sees
/// systems that are to be hidden.
#[test]
fn a_hub_whose_making_is_cut_hides_what_it_should() {
    let Some(server) = Server::find() else { return };
    let desk = Desk::new();
    desk.samples("study.db", &["haystack", "haystack_judgments"]);
    let url = server.url(&server.lead);
    // As if the answer of the server had been lost: what it did stands, and the file was not told.
    let mut study = haymark::store::StudyFile::open(&desk.path("study.db")).expect("opened");
    let founding = haymark::hub::Founding::of("lena", true).expect("drawn");
    let me = haymark::hub::Me {
        study: founding.study.clone(),
        name: "lena".to_owned(),
        kind: MemberKind::Lead,
        hides_systems: true,
    };
    let membership = haymark::store::Membership { address: url.clone(), me };
    study.remember_hub(&membership, true).expect("remembered");
    drop(study);
    // With nothing on the server, and then with the hub and nothing in it.
    for is_there in [false, true] {
        if is_there {
            server.link(&server.lead).found(&founding, &mut || Ok(())).expect("made");
        }
        let of_lead =
            |text: &str| server.root().number(&format!("select count(*) from hub.record where {text}"));
        if is_there {
            // Even asked for the other way round, it stays as it was begun.
            desk.out(&["hub", "create", &url, "study.db", "--show-systems"]);
            assert_eq!(of_lead("kind = 'secret'"), 1);
            assert_eq!(
                of_lead(
                    "kind = 'candidate' and audience = 'a' and position('summarizer'::bytea in body) > 0"
                ),
                0
            );
        }
    }
    assert_eq!(
        server.root().number("select count(*) from hub.meta where key = 'systems' and value = 'hidden'"),
        1
    );
}

#[test]
fn a_file_of_another_hub_is_refused_before_anything_is_made() {
    let Some(server) = Server::find() else { return };
    let Some(other) = Server::find() else { return };
    let desk = made(&server);
    let (_, told) = desk.fails(&["hub", "create", &other.url(&other.lead), "study.db"]);
    assert!(told.contains("study.db: the study has another hub: "), "{told}");
    assert_eq!(other.root().number("select count(*) from pg_namespace where nspname = 'hub'"), 0);
    // Whose hub is at an address that does not answer, or does not let in, nobody knows.
    let (_, told) = desk.fails(&["hub", "create", "postgres://lena@127.0.0.1:1/team", "study.db"]);
    assert!(told.contains("the hub at team on 127.0.0.1:1 cannot be reached"), "{told}");
    let (_, told) = desk.fails(&["hub", "create", &server.url("nobody"), "study.db"]);
    assert!(told.contains(" refuses the login \"nobody\""), "{told}");
    // A login that may make no roles makes nothing, and the file has no hub.
    desk.samples("more.db", &["facts"]);
    other.root().run(&format!("alter role {} nocreaterole", other.lead));
    let (_, told) = desk.fails(&["hub", "create", &other.url(&other.lead), "more.db"]);
    assert!(told.contains("has CREATEROLE"), "{told}");
    let (_, told) = desk.fails(&["hub", "members", "--hub", "more.db"]);
    assert!(told.contains("the study has no hub"), "{told}");
    other.root().run(&format!("alter role {} createrole", other.lead));
    desk.out(&["hub", "create", &other.url(&other.lead), "more.db"]);
}

/// What was not sent is told, and by whom it gets there; without the hub the file is the study.
#[test]
fn a_hub_is_left_and_nothing_is_lost() {
    let Some(server) = Server::find() else { return };
    let desk = made(&server);
    let login = server.invite(&mut server.link(&server.lead), "nora", MemberKind::Annotator);
    desk.out(&["hub", "join", &server.url(&login), "-o", "nora.db"]);
    let mut session =
        desk.start(&["annotate", "nora.db", "--as", "nora", "--protocol", "coverage", "--offline"]);
    session.wait_for(" judged");
    session.answer("x", "· 1 judged").type_keys("R").wait_for("the hub takes no item back: s puts it aside");
    session.quit();
    desk.out(&["hub", "remove", "nora"]);
    let (_, told) = desk.fails(&["sync", "nora.db"]);
    assert!(told.contains(" only in nora.db yet: "), "{told}");
    assert!(told.contains("you were removed from the hub at "), "{told}");
    let held = desk.out(&["export", "nora.db"]);
    let left = desk.run(&["hub", "leave", "nora.db"]);
    let (out, err) = (String::from_utf8_lossy(&left.stdout), String::from_utf8_lossy(&left.stderr));
    assert_eq!(out, "nora.db has no hub any more, and holds what it held\n", "{err}");
    assert!(
        err.contains("nothing was sent: you were removed")
            && err.contains(" did not go from nora.db to the hub"),
        "{err}"
    );
    assert_eq!(desk.out(&["export", "nora.db"]), held);
    let (_, told) = desk.fails(&["hub", "leave", "nora.db"]);
    assert!(told.contains("nora.db: the study has no hub"), "{told}");
}

/// What a member's file has under other people's names, as once it has left the hub, comes into no lead's file.
#[test]
fn a_member_s_file_brings_what_its_member_did() {
    for more in [&["--show-systems"][..], &[]] {
        let Some(server) = Server::find() else { return };
        let desk = Desk::new();
        desk.samples("study.db", &["haystack", "haystack_judgments"]);
        let url = server.url(&server.lead);
        desk.out(&[&["hub", "create", &url, "study.db", "--as", "lena"][..], more].concat());
        let login = server.invite(&mut server.link(&server.lead), "nora", MemberKind::Annotator);
        desk.out(&["hub", "join", &server.url(&login), "-o", "nora.db"]);
        desk.out(&["hub", "remove", "nora"]);
        desk.run(&["hub", "leave", "nora.db"]);
        for name in ["nora", "bora"] {
            let mut session = desk.start(&["annotate", "nora.db", "--as", name, "--protocol", "coverage"]);
            if name == "bora" {
                session.wait_for("[y/N]").type_keys("y\r");
            }
            session.wait_for(" judged");
            session.answer("x", "· 1 judged").quit();
        }
        let bora = desk.judgments("study.db", "coverage", "bora");
        let told = desk.out(&["merge", "study.db", "nora.db", "--format", "json"]);
        assert!(
            told.contains("nora.db is the file of nora, and brings only what nora did; left out: "),
            "{told}"
        );
        assert!(told.contains(" of bora"), "{told}");
        assert_eq!(desk.judgments("study.db", "coverage", "bora"), bora, "{more:?}");
        assert_eq!(desk.judgments("study.db", "coverage", "nora").len(), 1, "{more:?}");
    }
}

/// What nobody would send is not begun, and what stays in a file is said at once.
#[test]
fn a_member_s_file_is_hers_and_a_lead_decides_elsewhere() {
    let Some(server) = Server::find() else { return };
    let desk = made(&server);
    let mut lead = server.link(&server.lead);
    for (name, kind) in [("nora", MemberKind::Annotator), ("olga", MemberKind::Observer)] {
        let login = server.invite(&mut lead, name, kind);
        desk.out(&["hub", "join", &server.url(&login), "-o", &format!("{name}.db")]);
    }
    let picture = |file: &str, name: &str| -> Vec<String> {
        ["annotate", file, "--as", name, "--protocol", "coverage", "--svg", "picture.svg"]
            .map(str::to_owned)
            .to_vec()
    };
    for name in ["bob", "noraa"] {
        let (_, told) = desk.fails(&picture("nora.db", name));
        let takes = format!(
            "nora.db: the file is \"nora\"'s, and the hub takes nothing of {name:?} from it; --as nora goes on"
        );
        assert!(told.contains(&takes), "{told}");
    }
    desk.out(&picture("nora.db", "nora"));
    desk.out(&picture("study.db", "bob"));
    let (_, told) = desk.fails(&picture("olga.db", "olga"));
    let observes = "olga.db: the file is that of \"olga\", an observer of the hub, who writes nothing; ";
    assert!(told.contains(observes), "{told}");
    let own = std::fs::read_to_string(project("assets/protocols/coverage.toml")).expect("read");
    std::fs::write(desk.path("own.toml"), own.replacen("name = \"coverage\"", "name = \"own\"", 1))
        .expect("written");
    std::fs::write(desk.path("more.jsonl"), r#"{"type":"collection","id":"more"}"#).expect("written");
    let why = ["--as", "lena", "--reason", "asked"];
    let query = desk.out(&["export", "study.db", "--what", "corpus"]);
    let query = query.lines().find(|line| line.contains(r#""type":"query""#)).expect("a query").to_owned();
    std::fs::write(desk.path("query.jsonl"), query.replace(r#""text":""#, r#""text":"So: "#))
        .expect("written");
    let query: Value = serde_json::from_str(&query).expect("JSON");
    let id = query["id"].as_str().expect("an id");
    for (command, decision) in [
        (vec!["withdraw"], [&["query", id][..], &why].concat()),
        (vec!["revise"], [&["query.jsonl"][..], &why].concat()),
        (vec!["people"], [&["--leave-out", "bob"][..], &why].concat()),
        (vec!["import"], vec!["more.jsonl"]),
        (vec!["protocol", "add"], vec!["own.toml"]),
        (vec!["assign"], vec!["--to", "nora", "--protocol", "coverage"]),
    ] {
        let asked = |file| [&command[..], &[file], &decision[..]].concat();
        let told = desk.told(&asked("nora.db"));
        assert!(
            told.contains("nora is an annotator of the hub, which takes only her own judgments"),
            "{command:?}: {told}"
        );
        let (_, told) = desk.fails(&asked("olga.db"));
        assert!(told.contains(observes), "{command:?}: {told}");
        let told = desk.told(&asked("study.db"));
        assert!(!told.contains("of the hub, which"), "{command:?}: {told}");
    }
    let rehearsed = ["assign", "olga.db", "--to", "nora", "--protocol", "coverage", "--dry-run"];
    desk.out(&rehearsed);
}

/// The server refuses what PostgreSQL refuses on a full disk: with the same code, in the middle of what is sent.
#[test]
fn a_full_disk_there_loses_nothing() {
    let Some(server) = Server::find() else { return };
    let desk = made(&server);
    let login = server.invite(&mut server.link(&server.lead), "nora", MemberKind::Annotator);
    desk.out(&["hub", "join", &server.url(&login), "-o", "nora.db"]);
    let full = "create function public.full() returns trigger language plpgsql as $$begin
          if new.seq > 1 then raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end if;
          return new; end$$;
        grant usage on schema public to public; grant execute on function public.full() to public;
        create trigger disk before insert on hub.event for each row execute function public.full();";
    server.root().run(full);
    let mut session = desk.start(&["annotate", "nora.db", "--as", "nora", "--protocol", "coverage"]);
    session.wait_for(" judged");
    session.answer("x", "· 1 judged");
    session.answer("x", "· 2 judged");
    session.wait_for(" wait");
    session.quit();
    let (_, told) = desk.fails(&["sync", "nora.db"]);
    assert!(told.contains("No space left on device"), "{told}");
    let judged = |file: &str| {
        let told = desk.out(&["export", "--what", "judgments", file]);
        told.lines().filter(|line| line.contains(r#""type":"judgment""#)).count()
    };
    let of_others = judged("study.db");
    assert_eq!(judged("nora.db"), 2);
    server.root().run("drop trigger disk on hub.event; drop function public.full()");
    desk.out(&["sync", "nora.db"]);
    desk.out(&["sync", "study.db"]);
    assert_eq!((judged("nora.db"), judged("study.db") - of_others), (2, 2));
}

#[test]
fn a_password_stays_nowhere() {
    let Some(server) = Server::find() else { return };
    let desk = Desk::new();
    desk.samples("study.db", &["facts"]);
    let url = server.url(&server.lead).replacen('@', ":a-password@", 1);
    desk.out(&["hub", "create", &url, "study.db"]);
    for (name, bytes) in desk.files() {
        let holds = bytes.windows(10).any(|part| part == b"a-password");
        assert!(!holds, "{}", name.display());
    }
}

#[test]
fn without_a_hub_it_is_said_what_to_do() {
    let desk = Desk::new();
    desk.samples("study.db", &["facts"]);
    let (_, told) = desk.fails(&["hub", "members"]);
    assert!(
        told.contains("study.db: the study has no hub; name the hub, or a study file that has one: --hub "),
        "{told}"
    );
    let (status, told) = desk.fails(&["hub", "members", "--hub", "postgres://a@127.0.0.1:1/x"]);
    assert_eq!(status, 1);
    assert!(told.contains("the hub at x on 127.0.0.1:1 cannot be reached"), "{told}");
    let (status, told) = desk.fails(&["hub", "members", "--hub", "postgres://a@127.0.0.1/x?sslmode=often"]);
    assert_eq!(
        (status, told.contains("sslmode=often is unknown; write one of disable")),
        (2, true),
        "{told}"
    );
}

/// What is said of a study file is said of the hub, whose file comes along by itself.
#[test]
fn a_hub_stands_in_the_place_of_a_study_file() {
    let Some(server) = Server::find() else { return };
    let desk = made(&server);
    let url = server.url(&server.lead);
    for command in [&["score"][..], &["agree"], &["judges", "--annotators", "alice,bora"]] {
        let [name, more @ ..] = command else { continue };
        let of = |study: &str| desk.run(&[&[*name, study], more].concat());
        let (file, hub) = (of("study.db"), of(&url));
        assert!(file.status.success() == hub.status.success(), "{name}");
        assert_eq!(String::from_utf8_lossy(&file.stdout), String::from_utf8_lossy(&hub.stdout), "{name}");
    }
    let (_, told) = desk.fails(&["score", &url, "--annotators", "nobody"]);
    assert!(told.starts_with("error: the hub at ") && !told.contains(".db"), "{told}");
    desk.out(&["report", &url, "-o", "report.html"]);
    assert_eq!(desk.out(&["export", &url]), desk.out(&["export", "study.db"]));
    let status = desk.out(&["status", &url]);
    assert!(status.starts_with(&desk.out(&["status", "study.db"])), "{status}");
    assert!(status.contains("Members of the hub at "), "{status}");
    // What is new is there the next time.
    desk.samples("more.db", &["haystack", "facts"]);
    desk.out(&["merge", "study.db", "more.db"]);
    desk.out(&["hub", "create", &url, "study.db"]);
    assert_eq!(desk.out(&["export", &url]), desk.out(&["export", "study.db"]));
}

#[test]
fn a_hub_is_watched() {
    let Some(server) = Server::find() else { return };
    let desk = made(&server);
    let mut command = desk.command(&["status", &server.url(&server.lead), "--watch", "1"]);
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().expect("started");
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().expect("a pipe")));
    let mut titles = 0;
    while titles < 2 {
        let line = lines.next().expect("more").expect("text");
        titles += usize::from(line.starts_with("Members of the hub at "));
    }
    child.kill().expect("ended");
    child.wait().expect("ended");
}

/// The hub cannot read what is inside an event; who takes it in must not find an assignment where a judgment is said to be.
#[test]
fn an_annotator_assigns_nothing_in_disguise() {
    let Some(server) = Server::find() else { return };
    let desk = made(&server);
    desk.out(&["assign", "study.db", "--to", "alice,bora", "--protocol", "coverage"]);
    desk.out(&["sync", "study.db"]);
    let mut lena = server.link(&server.lead);
    let login = server.invite(&mut lena, "alice", MemberKind::Annotator);
    let things = lena.exchange(&[], HubMark::NONE, 100_000).expect("fetched").rows;
    let given = |whose: &str| -> Vec<SentEvent> {
        let events = things.iter().filter_map(|row| match &row.what {
            SentThing::Event(event) if event.journal == b'a' && event.annotator == whose => {
                Some(event.clone())
            }
            _ => None,
        });
        events.collect()
    };
    let hers = given("alice");
    // An item that she was not given.
    let of_bora = given("bora").into_iter().find(|event| hers.iter().all(|hers| hers.item != event.item));
    let given = of_bora.expect("an assignment");
    let before = desk.out(&["export", "study.db"]);
    let forged = SentEvent { writer: 77, seq: 1, annotator: "alice".to_owned(), journal: b'e', ..given };
    server.link(&login).send(&[forged]).expect("the hub cannot tell");
    desk.out(&["sync", "study.db"]);
    assert_eq!(desk.out(&["export", "study.db"]), before);
}

/// In an annotator's file systems have aliases, so who becomes a lead makes a new one, and no summary is there twice.
#[test]
fn who_becomes_a_lead_makes_a_new_file() {
    let Some(server) = Server::find() else { return };
    let desk = made(&server);
    let before = desk.out(&["export", "study.db"]);
    let mut lena = server.link(&server.lead);
    let url = server.url(&server.invite(&mut lena, "bea", MemberKind::Annotator));
    desk.out(&["hub", "join", &url, "-o", "bea.db"]);
    let url = server.url(&server.invite(&mut lena, "bea", MemberKind::Lead));
    let (status, told) = desk.fails(&["sync", "bea.db"]);
    assert_eq!(status, 1);
    assert!(told.contains("\"bea\" is lead of the hub now, and systems have aliases in her file"), "{told}");
    assert!(told.contains("`haymark merge NEW.db bea.db`"), "{told}");
    desk.out(&["hub", "join", &url, "-o", "new.db"]);
    desk.out(&["merge", "new.db", "bea.db"]);
    desk.out(&["hub", "leave", "bea.db"]);
    desk.out(&["merge", "new.db", "bea.db"]);
    for file in ["new.db", "study.db"] {
        desk.out(&["sync", file]);
        assert_eq!(desk.out(&["export", file]), before, "{file}");
    }
}

/// A name that somebody has in the study or on the hub is nobody else's.
#[test]
fn two_people_have_two_names() {
    let Some(server) = Server::find() else { return };
    let desk = made(&server);
    desk.out(&["assign", "study.db", "--to", "ann", "--protocol", "coverage"]);
    for name in ["ann", "cleo"] {
        desk.out(&["hub", "invite", name]);
    }
    let rename = |into: &str| {
        ["people", "study.db", "--rename", "ann", "--into", into, "--as", "lena", "--reason", "asked"]
            .map(str::to_owned)
    };
    let (_, told) = desk.fails(&rename("cleo"));
    assert!(told.contains("\"cleo\" is the name of a member of the hub"), "{told}");
    desk.out(&rename("anna"));
    let (_, told) = desk.fails(&["hub", "invite", "anna", "--hub", "study.db"]);
    let one = "\"anna\" is \"ann\" on the hub, since both are one person in the study; `haymark hub invite ann --hub study.db`";
    assert!(told.contains(one), "{told}");
    assert!(desk.out(&["hub", "invite", "ann", "--hub", "study.db"]).starts_with("ann is in"));
    // Of two names that are joined each has a login, and the one that holds is invited again.
    for name in ["dana", "dora"] {
        desk.out(&["hub", "invite", name]);
    }
    desk.out(&["assign", "study.db", "--to", "dana,dora", "--protocol", "coverage"]);
    desk.out(&[
        "people", "study.db", "--join", "dora", "--into", "dana", "--as", "lena", "--reason", "asked",
    ]);
    let (_, told) = desk.fails(&["hub", "invite", "dora"]);
    assert!(told.contains("\"dora\" is \"dana\" on the hub"), "{told}");
    desk.out(&["hub", "invite", "dana"]);
    assert_eq!(desk.out(&["hub", "remove", "dora"]), "dora is out; what she did is kept\n");
    // Something may wait in the file of the removed login.
    assert!(desk.out(&["hub", "invite", "dora"]).starts_with("dora is in"));
    // She goes by the login that lets her in.
    desk.out(&["hub", "remove", "dana"]);
    assert_eq!(desk.out(&["hub", "limit", "dana", "5"]), "dora may send 5 MB\n");
    assert_eq!(desk.out(&["hub", "remove", "dana"]), "dora is out; what she did is kept\n");
}

/// Who has another name and was removed comes in again by her login, so that what waits in her file gets there.
#[test]
fn who_is_renamed_and_removed_is_invited_as_before() {
    let Some(server) = Server::find() else { return };
    let desk = made(&server);
    let login = server.invite(&mut server.link(&server.lead), "eve", MemberKind::Annotator);
    desk.out(&["hub", "join", &server.url(&login), "-o", "eve.db"]);
    let judged = |key: &str, count: usize, more: &[&str]| {
        let mut session = desk.start(&[&["annotate", "eve.db", "--protocol", "coverage"], more].concat());
        session.wait_for(" judged");
        session.answer(key, &format!("· {count} judged")).quit();
    };
    judged("x", 1, &["--as", "eve"]);
    desk.out(&["sync", "eve.db"]);
    judged("x", 2, &["--as", "eve", "--offline"]);
    let why = ["--as", "lena", "--reason", "married"];
    desk.out(&["sync", "study.db"]);
    desk.out(&[&["people", "study.db", "--rename", "eve", "--into", "evelyn"][..], &why].concat());
    desk.out(&["sync", "study.db"]);
    desk.out(&["hub", "remove", "evelyn"]);
    let (_, told) = desk.fails(&["hub", "invite", "evelyn"]);
    assert!(told.contains("`haymark hub invite eve` lets her in"), "{told}");
    desk.out(&["hub", "invite", "eve"]);
    desk.out(&["sync", "eve.db"]);
    judged("x", 3, &["--as", "eve"]);
    desk.out(&["sync", "eve.db"]);
    desk.out(&["sync", "study.db"]);
    assert_eq!(desk.judgments("study.db", "coverage", "evelyn").len(), 3);
    assert_eq!(members(&desk)[1..], [member("eve", "annotator", "in")]);
}

/// What docs/hub.md gives for other tools is what a lead may ask.
#[test]
fn a_hub_says_how_it_is() {
    let Some(server) = Server::find() else { return };
    let desk = made(&server);
    let login = server.invite(&mut server.link(&server.lead), "alice", MemberKind::Annotator);
    let report = desk.json(&["hub", "check", "study.db"]);
    let found = |area: &str| {
        let rows = report["rows"].as_array().expect("rows").iter();
        let row = rows.clone().find(|row| row["area"] == area).unwrap_or_else(|| panic!("{area}: {report}"));
        row["finding"].as_str().expect("a finding").to_owned()
    };
    assert!(found("tables").starts_with("of this haymark's version, on PostgreSQL "));
    assert_eq!(found("connected"), "lena");
    assert_eq!(found("waits"), "nothing in this file waits for the hub");
    assert!(found("size").contains(" things in "), "{}", found("size"));
    assert!(found("connections").contains(" connections of the server are in use"));
    // No limit counts large objects, which only the server's superuser can bar.
    assert!(found("large objects").contains("every member may store"), "{}", found("large objects"));
    let (status, told) = desk.fails(&["hub", "check", &server.url(&login)]);
    assert_eq!((status, told.contains("only leads and observers look")), (1, true), "{told}");
    assert_eq!(desk.out(&["hub", "limit", "alice", "1"]), "alice may send 1 MB\n");
    let mut alice = server.link(&login);
    alice.send(&[SentEvent { body: vec![1; 1_000_000], ..super::event("alice", 5, 1, "") }]).expect("sent");
    assert!(desk.out(&["hub", "check", "study.db"]).contains("alice has sent 1.0 MB of 1.0 MB"));
    let (_, told) = desk.fails(&["hub", "limit", "lena", "1"]);
    assert!(told.contains("\"lena\" is lead on the hub, and only annotators have a limit"), "{told}");
    let (_, told) = desk.fails(&["hub", "limit", "nobody", "1"]);
    assert!(told.contains("nobody called \"nobody\" is in"), "{told}");
    let guide = std::fs::read_to_string(project("docs/hub.md")).expect("the guide");
    server.root().run(guide.lines().find(|line| line.contains("lo_create")).expect("how to bar them"));
    assert!(!desk.out(&["hub", "check", "study.db"]).contains("every member may store"));
    server.sql(&login).try_run("select lo_create(0)").expect_err("barred");
    let lines = guide.lines().filter(|line| line.starts_with("select ") && line.contains("-- "));
    let asked: Vec<&str> = lines.filter_map(|line| line.split(';').next()).collect();
    assert_eq!(asked.len(), 5);
    let lead = server.sql(&server.lead);
    for line in asked {
        lead.rows(line);
    }
}

/// Where systems are hidden, the key of a point on a summary is made with the summary's alias, in every file that knows it; a point that
/// the study has keeps its key.
#[test]
fn points_on_a_summary_tell_nobody_whose_it_is() {
    let Some(server) = Server::find() else { return };
    let desk = Desk::new();
    let point = |candidate: &str| {
        json!({"type":"judgment","protocol":"decomposition","annotator":"alice","collection":"c","query":"q",
            "candidate":candidate,"answers":{"points":[{"text":"Breaks help"}]}})
    };
    let keys = |study: &str| -> BTreeMap<String, String> {
        let exported = desk.out(&["export", study, "--what", "corpus"]);
        let records = exported.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let text = |record: &Value, name: &str| record[name].as_str().expect("a text").to_owned();
        let points = records.filter(|record| record["kind"] == "response point");
        points.map(|record| (text(&record, "candidate"), text(&record, "id"))).collect()
    };
    let person = json!({"type":"annotator","id":"alice","kind":"human"});
    desk.import("corpus.jsonl", &[corpus(1, 2), vec![person, point("s0")]].concat());
    desk.out(&["collect", "study.db"]);
    let before = keys("study.db");
    desk.import("more.jsonl", &[point("s1")]);
    desk.out(&["import", "free.db", "corpus.jsonl", "more.jsonl"]);
    desk.out(&["collect", "free.db"]);
    let free = keys("free.db");
    assert_eq!(before["s0"], free["s0"]);
    let url = server.url(&server.lead);
    desk.out(&["hub", "create", &url, "study.db", "--as", "lena"]);
    desk.out(&["hub", "join", &url, "-o", "other.db"]);
    for study in ["study.db", "other.db"] {
        assert!(desk.out(&["collect", study]).contains("1 unit came in"), "{study}");
        assert!(desk.out(&["collect", study]).contains("nothing new"), "{study}");
    }
    let hidden = keys("study.db");
    assert_eq!((hidden.len(), &hidden["s0"]), (2, &before["s0"]));
    assert_ne!(hidden["s1"], free["s1"]);
    assert_eq!(keys("other.db"), hidden);
    // A copy without a hub knows them too.
    desk.file("copy.jsonl", desk.out(&["export", "study.db"]));
    desk.out(&["import", "copy.db", "copy.jsonl"]);
    assert!(desk.out(&["collect", "copy.db"]).contains("nothing new"));
}
