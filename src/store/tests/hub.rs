//! A study and its hub become the same, whatever happens on the way. The hub is one in memory that cuts, forgets and
//! rewinds.

mod leases;

use std::sync::{Arc, RwLock};

use proptest::prelude::*;
use serde_json::json;

use super::amend::{amendment, joined};
use super::journal::all_caches;
use super::revise::some_revision;
use super::{Study, choose, corpus, coverage, is_summed, judgment, link, unpack};
use crate::error::{ErrorKind, Result};
use crate::hub::tests::memory::{HubContents, Memory};
use crate::hub::{Hub, JUDGMENTS, MemberKind, SentEvent, SentThing, VERDICT, WHOLE};
use crate::journal::session::{SessionHappening, Setup};
use crate::journal::{Happening, Verdict};
use crate::protocol::{Answer, Answers, SIDES, builtin};
use crate::store::{
    AssignmentChange, Exchange, Exchanged, HandedOut, Membership, MergeMode, StudyFile, SyncPace,
};
use crate::study::{Act, AmendedKind, Amendment, Annotator, AnnotatorKind, Aside, Meta, Record, Role, Terms};
use crate::text::hash::fingerprint;

/// A member with a file.
struct Desk {
    study: Study,
    name: &'static str,
    kind: MemberKind,
    exchange: Exchange,
}

impl Desk {
    fn new(held: &Arc<RwLock<HubContents>>, study: Study, name: &'static str, kind: MemberKind) -> Desk {
        let mut desk = Desk { study, name, kind, exchange: Exchange::default() };
        let me = desk.hub(held).me;
        let membership = Membership { address: "memory".to_owned(), me };
        desk.study.file.remember_hub(&membership, false).expect("remembered");
        desk
    }

    fn hub(&self, held: &Arc<RwLock<HubContents>>) -> Memory {
        Memory::new(held, self.name, self.kind)
    }

    fn exchange(&mut self, held: &Arc<RwLock<HubContents>>) -> Exchanged {
        let mut hub = self.hub(held);
        self.over(&mut hub).expect("exchanged")
    }

    fn over(&mut self, hub: &mut dyn Hub) -> Result<Exchanged> {
        self.exchange.run(&mut self.study.file, hub, SyncPace::Beside, &mut |_| ())
    }

    fn answer(&mut self, item: usize, what: &[Happening], now: i64) {
        let file = &mut self.study.file;
        // Nobody answers what is assigned to others only.
        let Ok(queue) = file.open_queue(self.name, coverage()) else {
            return;
        };
        let items = file.items("coverage").expect("read");
        let Some(item) = items.get(item) else {
            return;
        };
        let timed: Vec<(Happening, i64)> = what.iter().map(|happening| (happening.clone(), 500)).collect();
        let texts = fingerprint(["texts"]);
        file.append(queue.annotator, coverage(), item.id, texts, &timed, now).expect("appended");
    }

    fn waiting(&self) -> usize {
        self.study.file.waiting_for_hub().expect("counted")
    }

    /// A copy of the file on another machine.
    fn copied(&self) -> Desk {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("study.db");
        std::fs::copy(self.study.file.path(), &path).expect("copied");
        let study = Study { _folder: folder, file: StudyFile::open(&path).expect("opened") };
        Desk { study, name: self.name, kind: self.kind, exchange: Exchange::default() }
    }
}

fn held() -> Arc<RwLock<HubContents>> {
    Arc::default()
}

fn lead(held: &Arc<RwLock<HubContents>>) -> Desk {
    Desk::new(held, Study::with(&corpus()), "lead", MemberKind::Lead)
}

fn annotator(held: &Arc<RwLock<HubContents>>, name: &'static str) -> Desk {
    Desk::new(held, Study::empty(), name, MemberKind::Annotator)
}

/// Everything that is shared, in names that are the same in every file, without the rows' numbers and order.
pub(super) fn everything(file: &StudyFile) -> Vec<String> {
    assert!(is_summed(file));
    unpack(&file.connection);
    const SELECTS: [&str; 10] = [
        "SELECT 'amendment', record FROM amendment",
        "SELECT 'event', e.writer, e.seq, e.kind, a.key, hex(i.key), hex(v.hash), e.body, e.at, e.active, hex(e.texts)
         FROM event e JOIN annotator a ON a.id = e.annotator JOIN item i ON i.id = e.item
         JOIN protocol_version v ON v.id = e.protocol WHERE e.writer > 0",
        "SELECT 'given', e.writer, e.seq, e.kind, a.key, hex(i.key), e.body, e.at FROM assignment_event e
         JOIN annotator a ON a.id = e.annotator JOIN item i ON i.id = e.item WHERE e.seq < 1 << 39",
        "SELECT 'session', e.writer, e.seq, e.kind, hex(s.key), s.setup, a.key, e.body, e.at, e.active
         FROM session_event e JOIN session s ON s.id = e.session JOIN annotator a ON a.id = s.annotator",
        "SELECT 'view', writer, seq, name, body, at FROM view_event",
        "SELECT 'collection', key, title, domain, meta FROM collection",
        "SELECT 'document', c.key, d.key, number, d.title, d.meta, text FROM document d
         JOIN collection c ON c.id = d.collection",
        "SELECT 'unit', q.key, u.key, u.kind, u.gold_known, u.score, u.title, u.meta, u.text, u.candidate,
           (SELECT group_concat(e.quote || coalesce(e.given_start, '')) FROM evidence e WHERE e.unit = u.id)
         FROM unit u JOIN query q ON q.id = u.query",
        "SELECT 'candidate', q.key, k.key, k.summarizer, k.retriever, k.document_order, k.meta, k.text
         FROM candidate k JOIN query q ON q.id = k.query",
        "SELECT 'guideline', hex(v.hash), g.text FROM guideline g JOIN protocol_version v ON v.id = g.version",
    ];
    let mut found = Vec::new();
    for select in SELECTS {
        let mut statement = file.connection.prepare(select).expect("a statement");
        let columns = statement.column_count();
        let mut rows = statement.query([]).expect("read");
        while let Some(row) = rows.next().expect("a row") {
            let row: Vec<rusqlite::types::Value> =
                (0..columns).map(|column| row.get(column).expect("a value")).collect();
            found.push(format!("{row:?}"));
        }
    }
    let read = file.for_each_judgment(|judgment| {
        found.push(serde_json::to_string(&judgment).expect("JSON"));
        Ok(())
    });
    read.expect("read");
    found.sort();
    found
}

/// What all these files hold together, as a merge says.
fn union(desks: &[Desk]) -> Vec<String> {
    let mut all = Study::empty();
    let paths: Vec<_> = desks.iter().map(|desk| desk.study.file.path().to_path_buf()).collect();
    all.file.merge(&paths, MergeMode::Write).expect("merged");
    everything(&all.file)
}

fn names(desk: &Desk) -> Vec<String> {
    desk.study.file.annotators_by_key().expect("read").into_iter().map(|(_, one)| one.id).collect()
}

/// The caches say what the journal gives.
fn is_sound(desk: &mut Desk) {
    let kept = all_caches(&desk.study.file);
    desk.study.file.rebuild_caches().expect("made anew");
    assert_eq!(kept, all_caches(&desk.study.file), "{}", desk.name);
    assert_eq!(desk.study.file.held_from_hub().expect("read"), [], "{}", desk.name);
}

#[test]
fn a_study_goes_to_the_hub_and_from_there_to_a_file_of_nobody_else_s() {
    let held = held();
    let mut lead = lead(&held);
    lead.study.import(&[judgment(json!({"annotator":"judge"})), judgment(json!({}))]).expect("imported");
    lead.answer(0, &[choose("none")], 1_000);
    assert!(lead.waiting() > 0);
    lead.exchange(&held);
    assert_eq!(lead.waiting(), 0);

    let mut alice = annotator(&held, "alice");
    alice.exchange(&held);
    assert_eq!(names(&alice), ["alice"], "the imported judgment is hers");
    assert_eq!(alice.study.file.document_heads().expect("read").len(), 3);
    alice.answer(1, &[choose("full"), link(1)], 2_000);
    assert_eq!(alice.waiting(), 2);
    let mut hub = alice.hub(&held);
    let exchanged = alice.over(&mut hub).expect("exchanged");
    assert_eq!((exchanged.sent, exchanged.new, alice.waiting()), (2, 0, 0));
    assert_eq!(hub.calls, 1, "an answer goes along with the question what is new");

    lead.exchange(&held);
    let desks = [lead, alice];
    assert_eq!(everything(&desks[0].study.file), union(&desks));
    for mut desk in desks {
        is_sound(&mut desk);
    }
}

#[test]
fn nothing_new_is_one_question_and_no_write() {
    let held = held();
    let mut lead = lead(&held);
    lead.exchange(&held);
    let (before, mut hub) = (lead.study.bytes(), lead.hub(&held));
    lead.over(&mut hub).expect("exchanged");
    assert_eq!((hub.calls, lead.study.bytes() == before), (1, true));
}

#[test]
fn what_is_assigned_comes_to_whom_it_is_assigned() {
    let held = held();
    let mut lead = lead(&held);
    let mut alice = annotator(&held, "alice");
    let mut bora = annotator(&held, "bora");
    lead.study.file.open_queue("lead", coverage()).expect("opened");
    let target = lead.study.file.items("coverage").expect("read")[1].target;
    let terms = Some(Terms::of(Role::Work));
    let change = AssignmentChange { annotator: "alice".into(), target, aside: None, terms };
    lead.study.file.assign(coverage(), &[change], 1_000).expect("assigned");
    for desk in [&mut lead, &mut alice, &mut bora] {
        desk.exchange(&held);
    }
    let assigned = |desk: &Desk| desk.study.file.assigned_protocols().expect("read").len();
    assert_eq!((assigned(&alice), assigned(&bora)), (1, 0));
    assert_eq!(alice.study.file.open_queue("alice", coverage()).expect("opened").progress.total, 1);
}

/// Once a study left the hub that handed out its work, calibration is assigned still, and everybody goes by what is assigned.
#[test]
fn after_a_hub_that_handed_out_the_work_all_go_by_what_is_assigned() {
    let mut lead = lead(&held());
    let file = &mut lead.study.file;
    file.open_queue("lead", coverage()).expect("opened");
    let target = file.items("coverage").expect("read")[1].target;
    let (aside, terms) = (Some(Aside::Calibration), Some(Terms::of(Role::Calibration)));
    let change = AssignmentChange { annotator: "alice".into(), target, aside, terms };
    file.hand_out("coverage", &HandedOut::default()).expect("handed out");
    file.assign(coverage(), &[change], 1_000).expect("assigned");
    file.forget_hub().expect("forgotten");
    file.open_queue("alice", coverage()).expect("her calibration");
    let error = file.open_queue("bora", coverage()).expect_err("nothing is hers").to_string();
    assert!(error.contains("is assigned to \"bora\""), "{error}");
    assert!(file.assignable(coverage()).expect("read").is_divided());
}

#[test]
fn a_new_version_of_a_protocol_and_its_guideline_come_everywhere() {
    let own = |version: u32, guideline: &str| {
        let text = coverage().file_text.replace("name = \"coverage\"", "name = \"mine\"");
        let text = text.replace("version = 1", &format!("version = {version}"));
        json!({"type":"protocol","name":"mine","version":version,"text":text,"guideline":guideline})
    };
    let held = held();
    let (mut lead, mut alice) = (lead(&held), annotator(&held, "alice"));
    let protocol = |desk: &Desk| desk.study.file.protocol("mine").expect("read");
    lead.study.import(&[own(1, "# Old")]).expect("imported");
    lead.exchange(&held);
    alice.exchange(&held);
    assert_eq!(protocol(&alice).map(|found| (found.version, found.guideline)), Some((1, "# Old".to_owned())));
    lead.study.import(&[own(2, "# New")]).expect("imported");
    lead.exchange(&held);
    alice.exchange(&held);
    assert_eq!(protocol(&alice).map(|found| (found.version, found.guideline)), Some((2, "# New".to_owned())));
    is_sound(&mut alice);
}

#[test]
fn what_cannot_be_taken_in_is_held_and_comes_in_with_what_it_needs() {
    let held = held();
    let mut lead = lead(&held);
    lead.exchange(&held);
    let mut other = Desk::new(&held, Study::empty(), "other", MemberKind::Lead);
    let more = json!({"type":"unit","query":"sleep","id":"new","kind":"insight","text":"Silence helps."});
    other.exchange(&held);
    other.study.import(&[more]).expect("imported");
    let item = other.study.file.open_queue("other", coverage()).expect("opened").progress.total - 1;
    other.answer(item, &[choose("none")], 1_000);
    // The answer reaches the hub before the unit that it is about, which is cut off.
    let mut events = Memory::new(&held, "other", MemberKind::Lead);
    let waiting: Vec<SentEvent> = {
        let spare = self::held();
        let mut desk = other.copied();
        desk.study.force("UPDATE hub SET pos = 0, received = 0");
        desk.exchange(&spare);
        let things = spare.read().expect("whole").things.clone();
        things
            .into_iter()
            .filter_map(|thing| match thing.what {
                SentThing::Event(event) => Some(event),
                SentThing::Record(_) => None,
            })
            .collect()
    };
    events.send(&waiting).expect("sent");
    lead.exchange(&held);
    assert_eq!(lead.study.file.held_from_hub().expect("read").len(), 1);
    other.exchange(&held);
    lead.exchange(&held);
    is_sound(&mut lead);
    assert_eq!(everything(&lead.study.file), everything(&other.study.file));
}

/// A summary is written against the clock; the lead keeps a view and settles something; all of it comes to other leads, and
/// the summary to whoever is to judge it.
#[test]
fn sessions_views_and_verdicts_come_along() {
    let held = held();
    let mut lead = lead(&held);
    lead.study.import(&[judgment(json!({}))]).expect("imported");
    lead.study.file.keep_view("mine", Some("{\"table\":\"candidates\"}"), 5).expect("kept");
    let verdict = Verdict { answers: Answers::new(), active: 3_000, ..Verdict::default() };
    let item = lead.study.file.items("coverage").expect("read")[0].id;
    let lena = lead.study.file.adjudicator("lena").expect("added");
    let (on, says) = ((item, fingerprint(["texts"])), [Happening::Adjudicate(Box::new(verdict))]);
    lead.study.file.adjudicate(None, lena, coverage(), on, &says, 50).expect("written");
    lead.exchange(&held);
    let written = super::sessions::written().0;
    let mut cem = Desk::new(&held, written, "cem", MemberKind::Annotator);
    cem.exchange(&held);
    assert_eq!(cem.waiting(), 0);
    let mut second = Desk::new(&held, Study::empty(), "second", MemberKind::Lead);
    let mut alice = annotator(&held, "alice");
    for desk in [&mut lead, &mut second, &mut alice] {
        desk.exchange(&held);
    }
    let candidates = |desk: &Desk| desk.study.file.candidates().expect("read").len();
    assert_eq!((candidates(&lead), candidates(&second), candidates(&alice)), (6, 6, 6));
    assert_eq!(lead.study.file.sessions().expect("read").len(), 1);
    assert_eq!(second.study.file.views().expect("read").len(), 1);
    assert_eq!(everything(&lead.study.file), everything(&second.study.file));
    for desk in [&mut lead, &mut cem, &mut second, &mut alice] {
        is_sound(desk);
    }
}

/// A verdict counts by the rights that its sender had when she sent it, whatever letter it has and whatever she becomes.
#[test]
fn only_leads_settle_anything() {
    let held = held();
    let mut lena = lead(&held);
    lena.study.import(&[judgment(json!({}))]).expect("imported");
    let item = lena.study.file.items("coverage").expect("read")[0].id;
    let by = lena.study.file.adjudicator("carol").expect("added");
    let says = [Happening::Adjudicate(Box::default())];
    lena.study.file.adjudicate(None, by, coverage(), (item, fingerprint(["t"])), &says, 50).expect("written");
    lena.exchange(&held);
    let is_verdict = |event: &SentEvent| event.journal == VERDICT;
    let given =
        held.read().expect("whole").events().find(|event| is_verdict(event)).expect("sent as one").clone();
    let forged = SentEvent { writer: 77, annotator: "alice".to_owned(), ..given };
    let mut alice = annotator(&held, "alice").hub(&held);
    assert_eq!(alice.send(std::slice::from_ref(&forged)).expect_err("no lead").kind(), ErrorKind::Refused);
    alice.send(&[SentEvent { journal: JUDGMENTS, ..forged }]).expect("the hub reads no body");
    alice.me.kind = MemberKind::Lead;
    let mut again = Desk::new(&held, Study::empty(), "alice", MemberKind::Lead);
    for desk in [&mut lena, &mut again] {
        desk.exchange(&held);
        let kept = desk.study.file.held_from_hub().expect("read");
        let told: Vec<_> = kept.iter().map(|one| (one.sender.as_deref(), one.why.as_str())).collect();
        assert_eq!(told, [(Some("alice"), "only a lead settles what people disagree on")]);
        let decided = desk.study.file.decisions("coverage").expect("read");
        let names = desk.study.file.annotators_by_key().expect("read");
        let whose = |by| names.iter().find(|(id, _)| *id == by).map(|(_, one)| one.id.as_str());
        assert_eq!(decided.values().map(|one| whose(one.by)).collect::<Vec<_>>(), [Some("carol")]);
    }
}

/// A row of which the lead has the first event brings no other kind of event behind it.
#[test]
fn no_verdict_rides_along_with_an_act() {
    let held = held();
    let (mut lena, mut alice) = (lead(&held), annotator(&held, "alice"));
    lena.exchange(&held);
    alice.exchange(&held);
    let queue = alice.study.file.open_queue("alice", coverage()).expect("opened");
    let item = alice.study.file.items("coverage").expect("read")[0].id;
    let timed = [(choose("full"), 500), (link(1), 0)];
    alice
        .study
        .file
        .append(queue.annotator, coverage(), item, fingerprint(["t"]), &timed, 1_000)
        .expect("given");
    alice.exchange(&held);
    lena.exchange(&held);
    let is_act = |event: &&SentEvent| event.writer > 0 && event.journal == JUDGMENTS;
    let hers = held.read().expect("whole").events().find(is_act).expect("sent as one").clone();
    let item = lena.study.file.items("coverage").expect("read")[0].id;
    let by = lena.study.file.adjudicator("carol").expect("added");
    let says = [Happening::Adjudicate(Box::default()), Happening::Adjudicate(Box::default())];
    lena.study.file.adjudicate(None, by, coverage(), (item, fingerprint(["t"])), &says, 50).expect("written");
    lena.exchange(&held);
    let given =
        held.read().expect("whole").events().find(|event| event.journal == VERDICT).expect("as one").clone();
    let (writer, seq) = (hers.writer, hers.seq + 1);
    let forged = SentEvent { writer, seq, annotator: "alice".to_owned(), journal: JUDGMENTS, ..given };
    alice.hub(&held).send(&[forged]).expect("the hub reads no body");
    lena.exchange(&held);
    let kept = lena.study.file.held_from_hub().expect("read");
    let told: Vec<_> = kept.iter().map(|one| (one.sender.as_deref(), one.why.as_str())).collect();
    assert_eq!(told, [(Some("alice"), "only a lead settles what people disagree on")]);
    let select = "SELECT count(*) FROM act x JOIN annotator a ON a.id = x.annotator
                  WHERE a.key = 'alice' AND x.kind BETWEEN 1 AND 2";
    let count: i64 = lena.study.file.connection.query_row(select, [], |row| row.get(0)).expect("read");
    assert_eq!(count, 0);
}

/// Two leads hold one verdict of a file differently: the hub has one of them, and the other is not sent again and again.
#[test]
fn a_verdict_of_a_file_that_differs_is_told_and_not_refused_each_time() {
    let held = held();
    let mut lena = lead(&held);
    let mut settled = judgment(json!({"annotator":"carol","reason":"slip"}));
    settled["type"] = json!("adjudication");
    let carol = json!({"type":"annotator","id":"carol","kind":"human"});
    lena.study.import(&[judgment(json!({})), carol, settled]).expect("imported");
    let mut other = lena.copied();
    let otherwise =
        "UPDATE event SET body = replace(body, 'slip', 'guideline unclear') WHERE kind = 'adjudicate'";
    other.study.rewrite(otherwise);
    lena.exchange(&held);
    other.exchange(&held);
    assert_eq!((lena.waiting(), other.waiting()), (0, 0));
    let kept = other.study.file.held_from_hub().expect("read");
    let [one] = &kept[..] else { panic!("{kept:?}") };
    assert!(one.why.ends_with("is in the study with another \"body\""), "{one:?}");
}

/// What an annotator settles stays in her file.
#[test]
fn an_annotator_gives_no_verdict() {
    let held = held();
    lead(&held).exchange(&held);
    let mut alice = annotator(&held, "alice");
    alice.exchange(&held);
    alice.answer(0, &[choose("none")], 1_000);
    let before = alice.waiting();
    let item = alice.study.file.items("coverage").expect("read")[0].id;
    let by = alice.study.file.adjudicator("alice").expect("known");
    let says = [Happening::Adjudicate(Box::default())];
    alice
        .study
        .file
        .adjudicate(None, by, coverage(), (item, fingerprint(["t"])), &says, 50)
        .expect("written");
    assert_eq!(alice.exchange(&held).sent, before);
    assert_eq!((alice.waiting(), alice.study.file.others_waiting_for_hub().expect("counted")), (0, 1));
}

#[test]
fn one_refusal_stops_no_other_answers() {
    let held = held();
    let mut lead = lead(&held);
    lead.exchange(&held);
    let mut alice = annotator(&held, "alice");
    alice.exchange(&held);
    alice.answer(0, &[choose("none")], 1_000);
    alice.study.import(&[judgment(json!({"unit":"tea"}))]).expect("imported");
    // Somebody has put something else in the place of the answer.
    let (writer, seq): (i64, i64) = alice
        .study
        .file
        .connection
        .query_row("SELECT w.key, x.id & ((1 << 40) - 1) FROM act x JOIN writer w ON w.no = x.id >> 40 WHERE kind = 3", [], |row| row.try_into())
        .expect("an answer");
    let other = SentEvent {
        writer,
        seq,
        annotator: "lead".to_owned(),
        journal: b'e',
        at: None,
        item: None,
        body: vec![1, b'?'],
    };
    Memory::new(&held, "lead", MemberKind::Lead).send(&[other]).expect("sent");
    let mut hub = alice.hub(&held);
    assert_eq!(alice.over(&mut hub).expect_err("refused").kind(), ErrorKind::Refused);
    let _ = alice.over(&mut hub);
    assert_eq!(alice.waiting(), 1, "what was imported got there");
}

#[test]
fn systems_have_aliases_for_annotators_and_names_for_leads() {
    let held = held();
    let mut lead = Desk {
        study: Study::with(&corpus()),
        name: "lead",
        kind: MemberKind::Lead,
        exchange: Exchange::default(),
    };
    let me = lead.hub(&held).me;
    lead.study.file.remember_hub(&Membership { address: "memory".into(), me }, true).expect("remembered");
    lead.exchange(&held);
    let (mut alice, mut bora) = (annotator(&held, "alice"), annotator(&held, "bora"));
    let mut second = Desk::new(&held, Study::empty(), "second", MemberKind::Lead);
    for desk in [&mut alice, &mut bora, &mut second] {
        desk.exchange(&held);
    }
    for (_, candidate) in alice.study.file.candidates().expect("read") {
        assert!(candidate.id.starts_with("system-"), "{candidate:?}");
        assert_eq!((candidate.summarizer, candidate.retriever, candidate.order), (None, None, None));
    }
    // The order of her items is that of the aliases, which are drawn anew each time.
    let candidates = alice.study.file.candidates().expect("read");
    let of_c1 = candidates.iter().find(|(_, one)| one.text.starts_with("- Breaks [2]")).map(|(id, _)| *id);
    alice.study.file.open_queue("alice", coverage()).expect("opened");
    let items = alice.study.file.items("coverage").expect("read");
    let of_c1 = |item: &&crate::study::ItemRow| item.target.candidate == of_c1;
    let first = items.iter().position(|item| of_c1(&item)).expect("an item");
    alice.answer(first, &[choose("full"), link(2)], 1_000);
    for desk in [&mut alice, &mut lead, &mut second] {
        desk.exchange(&held);
    }
    assert_eq!(everything(&lead.study.file), everything(&second.study.file));
    let mut judged = Vec::new();
    let read = lead.study.file.for_each_judgment(|judgment| {
        judged.push((judgment.annotator.clone(), judgment.unit.clone(), judgment.candidate.clone()));
        Ok(())
    });
    read.expect("read");
    let own = |unit: &str, candidate: &str| {
        (String::from("alice"), Some(unit.to_owned()), Some(candidate.to_owned()))
    };
    assert_eq!(judged, [own("pomodoro", "c1")]);
    // In the study that knows the aliases a file with them has nothing new.
    let merge = |study: &mut StudyFile, other: &StudyFile| {
        study.merge(&[other.path().to_path_buf()], MergeMode::Write).map(drop)
    };
    let is_refused = |error: String| {
        assert!(error.contains("systems have aliases") && error.contains("hub invite NAME"), "{error}");
    };
    let refused = |study: &mut StudyFile, other: &StudyFile| {
        is_refused(merge(study, other).expect_err("refused").to_string());
    };
    let before = everything(&lead.study.file);
    merge(&mut lead.study.file, &alice.study.file).expect("known aliases");
    assert_eq!(everything(&lead.study.file), before);
    // Else the two do not go together: a system would come in a second time, under its alias.
    refused(&mut alice.study.file, &lead.study.file);
    // Also where the file has left the hub, and as a file of records.
    let mut copy = Study::empty();
    merge(&mut copy.file, &alice.study.file).expect("an empty study has no names for the systems");
    copy.file.forget_hub().expect("forgotten");
    refused(&mut copy.file, &lead.study.file);
    merge(&mut alice.study.file, &copy.file).expect("the same names");
    let mut other = Study::with(&corpus());
    refused(&mut other.file, &copy.file);
    let hidden: Vec<_> = candidates.iter().map(|(_, one)| json!(Record::Candidate(one.clone()))).collect();
    is_refused(lead.study.import(&hidden).expect_err("refused").to_string());
    merge(&mut lead.study.file, &second.study.file).expect("the same names");
    for desk in [&mut lead, &mut alice, &mut second] {
        is_sound(desk);
    }
    // What is withdrawn is withdrawn everywhere, under whichever name.
    lead.study
        .file
        .amend(&[amendment(Act::Withdraw, AmendedKind::Candidate, "c1")], None, false)
        .expect("withdrawn");
    for desk in [&mut lead, &mut alice, &mut second] {
        desk.exchange(&held);
        assert_eq!(desk.study.file.candidates().expect("read").len(), 2, "{}", desk.name);
        is_sound(desk);
    }
    let read = alice.study.file.for_each_judgment(|judgment| panic!("{judgment:?} counts"));
    read.expect("read");
    // No key of a system, nor of an item that is about one, is in what an annotator may fetch.
    let things = held.read().expect("whole").things.clone();
    let open = lead.study.file.item_keys("coverage").expect("read");
    for thing in things {
        if let SentThing::Event(event) = thing.what {
            let is_open =
                |key: &Vec<u8>| open.iter().any(|(_, keys)| keys.item_key("coverage").0.to_vec() == *key);
            assert!(!event.item.as_ref().is_some_and(is_open));
        }
    }
}

fn merged(study: &mut StudyFile, other: &StudyFile) -> Result<()> {
    study.merge(&[other.path().to_path_buf()], MergeMode::Write).map(drop)
}

/// What a person judged, by the systems that a file names.
fn judged_by(file: &StudyFile, name: &str) -> Vec<(String, String)> {
    let mut judged = Vec::new();
    let read = file.for_each_judgment(|judgment| {
        if judgment.annotator == name {
            let item = (judgment.query.clone(), judgment.candidate.clone());
            judged.push((item.0.expect("a query"), item.1.expect("a summary")));
        }
        Ok(())
    });
    read.expect("read");
    judged.sort();
    judged
}

/// The same, by the text of the summary.
fn texts_judged_by(file: &StudyFile, name: &str) -> Vec<String> {
    let candidates = file.candidates().expect("read");
    let text = |(query, key): (String, String)| {
        let is_it = |one: &&crate::study::Candidate| one.query == query && one.id == key;
        candidates.iter().map(|(_, one)| one).find(is_it).expect("a summary").text.clone()
    };
    let mut texts: Vec<String> = judged_by(file, name).into_iter().map(text).collect();
    texts.sort();
    texts
}

/// A file in which systems have aliases never takes in or sends their names: its member joins anew, and what she had not sent is
/// brought into a file that knows both.
#[test]
fn who_sees_names_now_joins_anew_and_loses_nothing() {
    let held = held();
    let (mut lead, mut alice) = (hidden(&held), annotator(&held, "alice"));
    lead.exchange(&held);
    alice.exchange(&held);
    alice.answer(0, &[choose("full"), link(1)], 1_000);
    alice.exchange(&held);
    alice.answer(1, &[choose("none")], 2_000);
    for kind in [MemberKind::Lead, MemberKind::Observer] {
        (alice.kind, alice.exchange) = (kind, Exchange::default());
        let mut hub = alice.hub(&held);
        let error = alice.over(&mut hub).expect_err("refused").to_string();
        assert!(
            error.contains("systems have aliases in her file") && error.contains("haymark merge"),
            "{error}"
        );
        lead.exchange(&held);
        for desk in [&lead, &alice] {
            assert_eq!(desk.study.file.candidates().expect("read").len(), 90, "{}", desk.name);
        }
    }
    alice.kind = MemberKind::Lead;
    let mut anew = Desk::new(&held, Study::empty(), "alice", MemberKind::Lead);
    anew.exchange(&held);
    let mut copy = lead.copied();
    for desk in [&mut anew, &mut copy] {
        merged(&mut desk.study.file, &alice.study.file).expect("known aliases");
        assert_eq!(texts_judged_by(&desk.study.file, "alice"), texts_judged_by(&alice.study.file, "alice"));
        assert_eq!(judged_by(&desk.study.file, "alice").len(), 2);
        merged(&mut desk.study.file, &alice.study.file).expect("a second time");
        is_sound(desk);
    }
    anew.exchange(&held);
    lead.exchange(&held);
    assert_eq!(everything(&lead.study.file), everything(&anew.study.file));
    assert_eq!(judged_by(&lead.study.file, "alice").len(), 2);
    // As an annotator she would have gone on in her file.
    (alice.kind, alice.exchange) = (MemberKind::Annotator, Exchange::default());
    alice.exchange(&held);
    assert_eq!((alice.waiting(), alice.study.file.candidates().expect("read").len()), (0, 90));
    is_sound(&mut alice);
}

/// Aliases are a study's and not its hub's: what was done in the files of one that it left comes in, also by the next one.
#[test]
fn a_study_knows_its_aliases_from_hub_to_hub() {
    let before = held();
    let (mut lead, mut alice) = (hidden(&before), annotator(&before, "alice"));
    lead.exchange(&before);
    alice.exchange(&before);
    alice.answer(0, &[choose("full"), link(1)], 1_000);
    alice.exchange(&before);
    lead.exchange(&before);
    alice.answer(1, &[choose("none")], 2_000);
    let judged = texts_judged_by(&alice.study.file, "alice");
    for desk in [&mut lead, &mut alice] {
        desk.study.file.forget_hub().expect("forgotten");
        assert_eq!(desk.study.file.membership().expect("read"), None);
        assert_eq!((desk.waiting(), desk.study.file.only_here().expect("counted")), (0, 0));
    }
    let mut left = lead.copied();
    merged(&mut left.study.file, &alice.study.file).expect("known aliases");
    assert_eq!(texts_judged_by(&left.study.file, "alice"), judged);
    is_sound(&mut left);
    let after = held();
    after.write().expect("whole").hides_systems = true;
    lead.exchange = Exchange::default();
    let me = lead.hub(&after).me;
    lead.study.file.remember_hub(&Membership { address: "memory".into(), me }, true).expect("remembered");
    let mut anew = annotator(&after, "alice");
    lead.exchange(&after);
    anew.exchange(&after);
    merged(&mut anew.study.file, &alice.study.file).expect("the same aliases");
    anew.exchange(&after);
    lead.exchange(&after);
    for desk in [&mut lead, &mut anew] {
        assert_eq!(texts_judged_by(&desk.study.file, "alice"), judged, "{}", desk.name);
        assert_eq!(desk.study.file.candidates().expect("read").len(), 90, "{}", desk.name);
        is_sound(desk);
    }
}

/// A session in a file with aliases comes in with its summaries, and goes on to the hub from there.
#[test]
fn a_session_comes_out_of_a_file_with_aliases() {
    let held = held();
    let (mut lead, mut cem) = (hidden(&held), annotator(&held, "cem"));
    lead.exchange(&held);
    cem.exchange(&held);
    let query = cem.study.file.session_queries().expect("read")[0].id;
    let begun = cem.study.file.begin_session("cem", query, &Setup::default(), 1_000).expect("begun");
    let happenings = [(SessionHappening::Snapshot { is_last: true }, 60_000)];
    cem.study.file.append_to_session(begun.head.id, &happenings, 2_000).expect("appended");
    merged(&mut lead.study.file, &cem.study.file).expect("known aliases");
    let counts = |desk: &Desk| {
        let file = &desk.study.file;
        (file.sessions().expect("read").len(), file.candidates().expect("read").len())
    };
    assert_eq!(counts(&lead), (1, 91));
    assert!(lead.waiting() > 0);
    let mut second = Desk::new(&held, Study::empty(), "second", MemberKind::Lead);
    for desk in [&mut lead, &mut second, &mut cem] {
        desk.exchange(&held);
        assert_eq!((desk.waiting(), counts(desk)), (0, (1, 91)), "{}", desk.name);
        is_sound(desk);
    }
}

/// What is about things that a study lacks is left out and told; all else of a file with aliases comes in.
#[test]
fn a_file_with_aliases_comes_in_but_for_what_is_about_unknown_things() {
    let held = held();
    let (mut lead, mut alice) = (hidden(&held), annotator(&held, "alice"));
    let mut before = lead.copied();
    lead.study
        .import(&[json!({"type":"unit","query":"q0","id":"new","kind":"insight","text":"Another."})])
        .expect("imported");
    lead.exchange(&held);
    alice.exchange(&held);
    alice.study.file.open_queue("alice", coverage()).expect("opened");
    for (place, (_, keys)) in (0..).zip(alice.study.file.item_keys("coverage").expect("read")) {
        let is_new = keys.unit.as_deref() == Some("new");
        if is_new || keys.query == "q1" {
            alice.answer(place, &[choose("none")], 1_000 + i64::try_from(place).expect("small"));
        }
    }
    let path = [alice.study.file.path().to_path_buf()];
    let reports = before.study.file.merge(&path, MergeMode::Write).expect("merged");
    let unit = "unit \"new\" of query \"q0\" is not in the study: 3 events";
    assert_eq!((&reports[0].left_out[..], &reports[0].clashes[..]), (&[unit.to_owned()][..], &[][..]));
    assert_eq!(judged_by(&before.study.file, "alice").len(), 3);
    is_sound(&mut before);
    before.exchange(&held);
    let reports = before.study.file.merge(&path, MergeMode::Write).expect("merged");
    assert_eq!((reports[0].left_out.len(), judged_by(&before.study.file, "alice").len()), (0, 6));
}

/// Who wrote a summary before there was a hub has it once, under its own key, also where the exchange starts over.
#[test]
fn a_summary_from_before_the_hub_is_in_its_writer_s_file_once() {
    let held = held();
    let (study, written) = super::sessions::written();
    let (mut lead, mut cem) = (hiding(&held, study), annotator(&held, "cem"));
    for again in [false, true] {
        if again {
            cem.study.force("UPDATE hub SET pos = 0, received = 0");
            cem.exchange = Exchange::default();
        }
        for desk in [&mut lead, &mut cem] {
            desk.exchange(&held);
            assert_eq!((desk.waiting(), desk.study.file.candidates().expect("read").len()), (0, 6));
            is_sound(desk);
        }
        let all = cem.study.file.candidates().expect("read").into_iter().map(|(_, one)| one);
        let mut hers: Vec<_> = all.filter(|one| one.summarizer.is_some()).collect();
        // In the order of their aliases.
        let mut own = written.candidates();
        [&mut hers, &mut own].into_iter().for_each(|these| these.sort_by(|one, other| one.id.cmp(&other.id)));
        assert_eq!(hers, own);
        assert_eq!(cem.study.file.only_here().expect("counted"), 0);
    }
    merged(&mut lead.study.file, &cem.study.file).expect("known aliases");
    assert_eq!(lead.study.file.candidates().expect("read").len(), 6);
}

/// Aliases that a study does not know, as those of a hub that another made of the same records, come in nowhere.
#[test]
fn aliases_of_another_hub_are_refused() {
    let hubs = [held(), held()];
    let mut leads = hubs.each_ref().map(hidden);
    let mut people = hubs.each_ref().map(|hub| annotator(hub, "alice"));
    for (hub, (lead, alice)) in hubs.iter().zip(leads.iter_mut().zip(&mut people)) {
        lead.exchange(hub);
        alice.exchange(hub);
    }
    let [one, other] = &mut people;
    one.answer(0, &[choose("full"), link(1)], 1_000);
    let error = merged(&mut other.study.file, &one.study.file).expect_err("refused").to_string();
    assert!(error.contains("the aliases of another hub"), "{error}");
    let error = merged(&mut leads[1].study.file, &one.study.file).expect_err("refused").to_string();
    assert!(error.contains("systems have aliases in a file"), "{error}");
    merged(&mut leads[0].study.file, &one.study.file).expect("known aliases");
    assert_eq!(judged_by(&leads[0].study.file, "alice").len(), 1);
    assert_eq!(other.study.file.candidates().expect("read").len(), 90);
}

/// On a hub a person is who she was let in as, whatever she is called in her file.
#[test]
fn what_a_member_does_under_another_name_is_hers() {
    let held = held();
    let (mut lead, mut alice) = (lead(&held), annotator(&held, "alice"));
    lead.exchange(&held);
    alice.exchange(&held);
    alice.answer(0, &[choose("none")], 1_000);
    let alicia = Annotator { id: "alicia".into(), kind: AnnotatorKind::Human, meta: Meta::new() };
    alice.study.file.amend(&[joined("alice", "alicia")], Some(&alicia), false).expect("renamed");
    alice.answer(1, &[choose("none")], 2_000);
    assert_eq!(judged_by(&alice.study.file, "alicia").len(), 2);
    is_sound(&mut alice);
    alice.exchange(&held);
    assert_eq!(alice.waiting(), 0);
    lead.exchange(&held);
    assert_eq!(judged_by(&lead.study.file, "alice").len(), 2);
}

/// A pair is the same item under aliases: its order follows from the texts, and who judged it meant what the lead reads.
#[test]
fn a_pair_judged_under_aliases_is_that_of_the_lead() {
    let held = held();
    let mut lead = hidden(&held);
    let protocol = builtin("preference").expect("built in");
    let mut alice = annotator(&held, "alice");
    lead.exchange(&held);
    alice.exchange(&held);
    let queue = alice.study.file.open_queue("alice", protocol).expect("opened");
    assert_eq!(queue.progress.total, 90, "three pairs of each of thirty queries");
    let mut better = Vec::new();
    for position in 0..20 {
        let item = alice.study.file.load(queue.annotator, protocol, position).expect("loaded").item;
        assert!(item.keys.other.as_ref().is_some_and(|key| key.starts_with("system-")), "{:?}", item.keys);
        // What stands first is better.
        let side = SIDES[usize::from(item.is_turned)];
        let answer = |question: &str| Happening::Answer {
            question: question.to_owned(),
            answer: Answer::Text(side.to_owned()),
        };
        let happenings = [(answer("better"), 10), (answer("first"), 0)];
        let texts = item.texts();
        alice
            .study
            .file
            .append(queue.annotator, protocol, item.id, texts, &happenings, 1_000)
            .expect("appended");
        better.extend(item.candidate.map(|shown| shown.text));
    }
    for desk in [&mut alice, &mut lead] {
        desk.exchange(&held);
    }
    lead.study.file.open_queue("lead", protocol).expect("opened");
    assert_eq!(lead.study.file.items("preference").expect("read").len(), 90, "no pair stands there twice");
    let candidates = lead.study.file.candidates().expect("read");
    let text_of = |query: &str, key: &str| {
        let own = candidates.iter().find(|(_, one)| one.query == query && one.id == key);
        own.map(|(_, one)| one.text.clone()).expect("a candidate")
    };
    let mut read = Vec::new();
    let each = lead.study.file.for_each_judgment(|judgment| {
        let side = judgment.answers["better"].as_str() == Some(SIDES[1]);
        let key = if side { judgment.other } else { judgment.candidate }.expect("a pair");
        assert!(["gpt", "llama", "opus"].contains(&key.as_str()), "{key}");
        read.push(text_of(&judgment.query.expect("named"), &key));
        Ok(())
    });
    each.expect("read");
    better.sort();
    read.sort();
    assert_eq!(read, better);
    for desk in [&mut lead, &mut alice] {
        is_sound(desk);
    }
}

/// A lead's file on a hub that hides systems, with a number of systems' summaries for each of some queries, system by system.
fn hidden(held: &Arc<RwLock<HubContents>>) -> Desk {
    let mut records = vec![
        json!({"type":"collection","id":"exam","title":"Exam"}),
        json!({"type":"document","collection":"exam","id":"d","number":1,"text":"Breaks help."}),
    ];
    records
        .extend((0..30).map(
            |query| json!({"type":"query","collection":"exam","id":format!("q{query}"),"text":"What?"}),
        ));
    for query in 0..30 {
        let id = format!("q{query}");
        records.push(json!({"type":"unit","query":id,"id":"u","kind":"insight","text":"A point."}));
    }
    for (system, query) in
        ["gpt", "llama", "opus"].into_iter().flat_map(|system| (0..30).map(move |query| (system, query)))
    {
        let (id, text) = (format!("q{query}"), format!("- {system} of {query}"));
        records.push(json!({"type":"candidate","query":id,"id":system,"summarizer":system,"text":text}));
        records.push(json!({"type":"unit","query":id,"id":format!("{query} {}", system.len()),"kind":"nugget","candidate":system,
                            "text":"A part."}));
        records.push(json!({"type":"ranking","query":id,"retriever":system,"documents":[{"document":"d"}]}));
    }
    hiding(held, Study::with(&records))
}

/// The lead of a hub that hides the systems of this study.
fn hiding(held: &Arc<RwLock<HubContents>>, study: Study) -> Desk {
    held.write().expect("whole").hides_systems = true;
    let mut lead = Desk { study, name: "lead", kind: MemberKind::Lead, exchange: Exchange::default() };
    let me = lead.hub(held).me;
    lead.study.file.remember_hub(&Membership { address: "memory".into(), me }, true).expect("remembered");
    lead
}

/// The order in which summaries come says nothing of their systems, nor does that of what is assigned.
#[test]
fn what_is_hidden_is_not_told_by_its_order() {
    let held = held();
    let mut lead = hidden(&held);
    let assignable = lead.study.file.assignable(coverage()).expect("read");
    let change = |target: &crate::store::Target| AssignmentChange {
        annotator: "alice".into(),
        target: *target,
        aside: None,
        terms: Some(Terms::of(Role::Work)),
    };
    let changes: Vec<AssignmentChange> = assignable.items.iter().map(change).collect();
    lead.study.file.assign(coverage(), &changes, 1_000).expect("assigned");
    lead.exchange(&held);
    let mut alice = annotator(&held, "alice");
    alice.exchange(&held);
    let fetched = alice.hub(&held).exchange(&[], crate::hub::HubMark::NONE, usize::MAX).expect("fetched");
    let (mut candidates, mut units, mut lists, mut assigned) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for row in fetched.rows {
        match row.what {
            SentThing::Record(record) if matches!(record.kind.as_str(), "candidate" | "unit" | "ranking") => {
                let body: serde_json::Value = serde_json::from_slice(&record.body).expect("JSON");
                match record.kind.as_str() {
                    "candidate" => candidates.push(body["id"].as_str().expect("an alias").to_owned()),
                    "ranking" => lists.push(body["retriever"].as_str().expect("an alias").to_owned()),
                    _ => units.extend(body["candidate"].as_str().map(str::to_owned)),
                }
            }
            SentThing::Event(event) => assigned.push(event.writer),
            SentThing::Record(_) => {}
        }
    }
    assert!(candidates.is_sorted() && candidates.len() == 90, "{candidates:?}");
    assert!(units.is_sorted() && units.len() == 90, "{units:?}");
    assert!(lists.is_sorted() && lists.len() == 90, "{lists:?}");
    // What the server counts of its indexes tells nobody which items are known.
    assert!(held.read().expect("whole").events().all(|event| event.journal != WHOLE || event.item.is_none()));
    assert!(
        assigned.is_sorted() && assigned.len() == changes.len() && assigned.iter().all(|writer| *writer < 0)
    );
    // Another lead has the order of the first.
    let mut second = Desk::new(&held, Study::empty(), "second", MemberKind::Lead);
    second.exchange(&held);
    let keys = |desk: &Desk| -> Vec<(String, String)> {
        let candidates = desk.study.file.candidates().expect("read").into_iter();
        candidates.map(|(_, one)| (one.query, one.id)).collect()
    };
    assert_eq!(keys(&second), keys(&lead));
}

/// An annotator gets items alone. Known answers and roles stay with the leads until she has judged.
#[test]
fn roles_are_the_leads_and_a_known_answer_comes_after_hers() {
    let held = held();
    let mut lead = hidden(&held);
    let targets = lead.study.file.assignable(coverage()).expect("read").items;
    let known = json!({"coverage": "none"}).as_object().expect("an object").clone();
    let told = Terms {
        known,
        known_from: Some("expert".to_owned()),
        explanation: Some("It says nothing.".to_owned()),
        pass: Some(100.0),
        must_pass: true,
        ..Terms::of(Role::Calibration)
    };
    let control = Terms { known_from: Some("expert".to_owned()), ..Terms::of(Role::Control) };
    let shared = Terms { raters: Some(3), ..Terms::of(Role::Shared) };
    let all = [told, control, shared, Terms::of(Role::Check), Terms::of(Role::Work)];
    let change = |(place, terms): (usize, &Terms)| AssignmentChange {
        annotator: "alice".into(),
        target: targets[place],
        aside: None,
        terms: Some(terms.clone()),
    };
    let changes: Vec<AssignmentChange> = all.iter().enumerate().map(change).collect();
    lead.study.file.assign(coverage(), &changes, 1_000).expect("assigned");
    lead.exchange(&held);
    let mut alice = annotator(&held, "alice");
    alice.exchange(&held);
    let fetched = alice.hub(&held).exchange(&[], crate::hub::HubMark::NONE, usize::MAX).expect("fetched");
    for row in fetched.rows {
        let body = match row.what {
            SentThing::Event(event) => event.body,
            SentThing::Record(record) => record.body,
        };
        let said = String::from_utf8_lossy(&body).into_owned();
        for word in ["expert", "control", "shared", "check", "It says nothing", "\"none\""] {
            assert!(
                !said.contains(&format!("\"role\":\"{word}\"")) && (!said.contains(word) || word.len() < 7),
                "{said}"
            );
        }
    }
    let roles = |desk: &Desk| {
        let records = desk.study.file.assignment_records().expect("read");
        let mut roles: Vec<(Role, bool)> =
            records.iter().map(|one| (one.role, one.known.is_empty())).collect();
        roles.sort_unstable();
        roles
    };
    let masked = [[(Role::Work, true); 4].as_slice(), &[(Role::Calibration, true)]].concat();
    assert_eq!(roles(&alice), masked);
    // She judges what she is to be told about; without the hub nothing is told.
    let queue = alice.study.file.open_queue("alice", coverage()).expect("opened");
    let loaded = alice.study.file.load(queue.annotator, coverage(), 0).expect("loaded");
    assert!(loaded.calibration.as_ref().expect("calibration").known.is_empty());
    assert_eq!(queue.progress.total, 1, "the work waits until it is passed");
    let texts = fingerprint(["texts"]);
    let answer = [(choose("none"), 500)];
    alice
        .study
        .file
        .append(queue.annotator, coverage(), loaded.item.id, texts, &answer, 2_000)
        .expect("appended");
    let reload =
        |desk: &Desk| desk.study.file.load(queue.annotator, coverage(), 0).expect("loaded").calibration;
    assert!(reload(&alice).expect("calibration").known.is_empty());
    alice.exchange(&held);
    let calibration = reload(&alice).expect("calibration");
    assert_eq!((calibration.known.len(), calibration.explanation.as_str()), (1, "It says nothing."));
    assert_eq!(alice.study.file.open_queue("alice", coverage()).expect("opened").progress.total, 5, "passed");
    assert_eq!(roles(&alice), [[(Role::Work, true); 4].as_slice(), &[(Role::Calibration, false)]].concat());
    assert_eq!((alice.waiting(), alice.study.file.only_here().expect("counted")), (0, 0));
    // Leads have it all, also in another file.
    let mut second = Desk::new(&held, Study::empty(), "second", MemberKind::Lead);
    let whole = roles(&lead);
    assert_eq!(whole.len(), 5);
    for desk in [&mut second, &mut lead] {
        desk.exchange(&held);
        assert_eq!(roles(desk), whole, "{}", desk.name);
        assert_eq!(desk.study.file.only_here().expect("counted"), 0, "{}", desk.name);
        is_sound(desk);
    }
}

/// Where systems are hidden, a lead's file that cannot hide them sends nothing.
#[test]
fn a_file_without_the_secret_names_no_systems() {
    let held = held();
    let mut lead = hidden(&held);
    let mut other = Desk::new(&held, Study::with(&corpus()), "other", MemberKind::Lead);
    let mut hub = other.hub(&held);
    let refused = other.over(&mut hub).expect_err("no secret").to_string();
    assert!(refused.contains("the hub hides systems, and this file does not know how"), "{refused}");
    assert_eq!(held.read().expect("whole").things.len(), 0);
    lead.exchange(&held);
    other.exchange(&held);
    let things = held.read().expect("whole").things.clone();
    let is_open = |thing: &crate::hub::Fresh| match &thing.what {
        SentThing::Record(record) => {
            record.audience == crate::hub::Audience::All
                && String::from_utf8_lossy(&record.body).contains("gpt-4o")
        }
        SentThing::Event(_) => false,
    };
    assert!(!things.iter().any(is_open));
    assert!(things.len() > 200);
}

#[test]
fn a_refused_event_holds_nothing_back() {
    let held = held();
    lead(&held).exchange(&held);
    let mut alice = annotator(&held, "alice");
    alice.exchange(&held);
    alice.answer(0, &[choose("full")], 1_000);
    let (writer, seq): (i64, i64) = alice
        .study
        .file
        .connection
        .query_row("SELECT w.key, x.id & ((1 << 40) - 1) FROM act x JOIN writer w ON w.no = x.id >> 40 WHERE kind = 3", [], |row| row.try_into())
        .expect("an answer");
    let other = SentEvent {
        writer,
        seq: seq + 9,
        annotator: "lead".to_owned(),
        journal: b'a',
        at: None,
        item: None,
        body: vec![1, b'?'],
    };
    Memory::new(&held, "lead", MemberKind::Lead).send(&[other]).expect("sent");
    let mut again = alice.copied();
    again.answer(1, &[choose("none")], 2_000);
    let mut hub = again.hub(&held);
    assert_eq!(again.over(&mut hub).expect_err("a writer of the lead's").kind(), ErrorKind::Refused);
    assert_eq!(again.waiting(), 1, "what she wrote under another name is there");
}

#[test]
fn a_hub_of_another_study_and_another_s_login_are_refused() {
    let (held, mut alice) = (held(), annotator(&self::held(), "alice"));
    let mut hub = alice.hub(&held);
    hub.me.name = "bora".to_owned();
    assert_eq!(alice.over(&mut hub).expect_err("refused").kind(), ErrorKind::Refused);
    let mut hub = alice.hub(&held);
    hub.me.study = vec![8; 16];
    assert_eq!(alice.over(&mut hub).expect_err("refused").kind(), ErrorKind::Refused);
}

/// Something that happens to a team.
#[derive(Debug, Clone)]
enum Step {
    Answer { desk: usize, item: usize, choice: usize, at: i64 },
    Import { choice: usize },
    Assign { desk: usize, item: usize },
    Amend { which: usize, at: i64 },
    Exchange { desk: usize, cut_at: Option<u32>, loses_answer: bool },
    Copy { desk: usize },
    Reopen { desk: usize },
    BackUp,
    Restore,
}

fn step() -> impl Strategy<Value = Step> {
    let desk = 0..5_usize;
    // Clocks that are off by days.
    let at = -500_000_000..500_000_000_i64;
    prop_oneof![
        4 => (desk.clone(), 0..5_usize, 0..3_usize, at.clone())
            .prop_map(|(desk, item, choice, at)| Step::Answer { desk, item, choice, at: 2_000_000_000 + at }),
        1 => (0..3_usize).prop_map(|choice| Step::Import { choice }),
        1 => (desk.clone(), 0..5_usize).prop_map(|(desk, item)| Step::Assign { desk, item }),
        2 => (0..15_usize, at).prop_map(|(which, at)| Step::Amend { which, at: 2_000_000_000 + at }),
        4 => (desk.clone(), prop::option::of(1..9_u32), any::<bool>())
            .prop_map(|(desk, cut_at, loses_answer)| Step::Exchange { desk, cut_at, loses_answer }),
        1 => desk.clone().prop_map(|desk| Step::Copy { desk }),
        1 => desk.prop_map(|desk| Step::Reopen { desk }),
        1 => Just(Step::BackUp),
        1 => Just(Step::Restore),
    ]
}

const CHOICES: [&str; 3] = ["full", "partial", "none"];

fn go_through(steps: Vec<Step>) {
    let held = held();
    let mut desks =
        vec![lead(&held), annotator(&held, "alice"), annotator(&held, "bora"), annotator(&held, "chen")];
    desks[0].study.file.open_queue("lead", coverage()).expect("opened");
    desks.iter_mut().for_each(|desk| {
        desk.exchange(&held);
    });
    let mut backup = held.read().expect("whole").clone();
    for step in steps {
        let count = desks.len();
        match step {
            Step::Answer { desk, item, choice, at } => {
                desks[desk % count].answer(item, &[choose(CHOICES[choice])], at);
            }
            Step::Import { choice } => {
                let bullet = if choice == 2 { json!(null) } else { json!(1) };
                let answers = json!({"coverage": CHOICES[choice], "bullet": bullet});
                let of = |who: &str| judgment(json!({"annotator": who, "answers": answers}));
                desks[0].study.import_unless_tied(&[of("judge"), of("alice")]);
            }
            Step::Assign { desk, item } => {
                let annotator = desks[desk % count].name.to_owned();
                let lead = &mut desks[0].study.file;
                let Some(target) = lead.items("coverage").expect("read").get(item).map(|item| item.target)
                else {
                    continue;
                };
                let terms = Some(Terms::of(Role::Work));
                let change = AssignmentChange { annotator, target, aside: None, terms };
                if let Err(error) = lead.assign(coverage(), &[change], 1_000) {
                    assert!(error.to_string().contains("was left out of the study"), "{error}");
                }
            }
            Step::Amend { which, at } => {
                let act = if which % 2 == 0 { Act::Withdraw } else { Act::Restore };
                let amendment = match which / 2 {
                    0 => amendment(act, AmendedKind::Query, "stress"),
                    1 => amendment(act, AmendedKind::Candidate, "c1"),
                    2 => amendment(act, AmendedKind::Annotator, "chen"),
                    3 => joined("bora", "alice"),
                    _ => some_revision(which - 8),
                };
                // Names that the lead does not have, or that are one person already, cannot be amended.
                let _ = desks[0].study.file.amend(&[Amendment { at, ..amendment }], None, false);
            }
            Step::Exchange { desk, cut_at, loses_answer } => {
                let desk = &mut desks[desk % count];
                let mut hub = desk.hub(&held);
                (hub.cut_at, hub.loses_answer) = (cut_at, loses_answer);
                if let Err(error) = desk.over(&mut hub) {
                    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
                }
            }
            Step::Copy { desk } if count < 7 => {
                let copy = desks[desk % count].copied();
                desks.push(copy);
            }
            Step::Reopen { desk } => {
                let desk = &mut desks[desk % count];
                desk.study.file = StudyFile::open(desk.study.file.path()).expect("opened");
                desk.exchange = Exchange::default();
            }
            Step::BackUp => backup = held.read().expect("whole").clone(),
            Step::Restore => held.write().expect("whole").restore(&backup),
            Step::Copy { .. } => {}
        }
    }
    for _ in 0..2 {
        desks.iter_mut().for_each(|desk| {
            desk.exchange(&held);
        });
    }
    let all = union(&desks);
    let mut fresh = Desk::new(&held, Study::empty(), "lead", MemberKind::Lead);
    fresh.exchange(&held);
    assert_eq!(everything(&fresh.study.file), all, "what the hub has");
    for desk in &mut desks {
        assert_eq!(desk.waiting(), 0, "{}", desk.name);
        if desk.kind == MemberKind::Lead {
            assert_eq!(everything(&desk.study.file), all, "{}", desk.name);
        } else {
            assert!(names(desk).iter().all(|name| *name == desk.name), "{:?}", names(desk));
        }
        is_sound(desk);
    }
    // A copy has what its original has.
    for one in &desks {
        for other in desks.iter().filter(|other| other.name == one.name) {
            assert_eq!(everything(&one.study.file), everything(&other.study.file), "{}", one.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_all_end_equal_and_equal_to_the_union(steps in prop::collection::vec(step(), 1..40)) {
        go_through(steps);
    }
}

#[test]
fn what_is_imported_waits_for_the_hub() {
    let held = held();
    let mut lead = lead(&held);
    lead.exchange(&held);
    assert_eq!(lead.waiting(), 0);
    let said = judgment(json!({"annotator":"judge","candidate":"c2","answers":{"coverage":"none"}}));
    lead.study.import(&[said]).expect("imported");
    assert!(lead.waiting() > 0);
    lead.exchange(&held);
    assert_eq!(lead.waiting(), 0);
    let mut second = Desk::new(&held, Study::empty(), "second", MemberKind::Lead);
    second.exchange(&held);
    assert_eq!(everything(&lead.study.file), everything(&second.study.file));
}
