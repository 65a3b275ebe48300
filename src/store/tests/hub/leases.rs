//! Work that the hub hands out: nobody is given a group twice, no group to more people than it wants unless somebody went away,
//! and in the end all is judged.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::hub::Offered;
use crate::store::{Ahead, HandedOut, Take};
use crate::study::{Annotator, AnnotatorKind, Meta, RevisedFields};

const GROUPS: usize = 60;

/// Sixty summaries of two points each.
fn many() -> Vec<serde_json::Value> {
    let mut records = vec![json!({"type":"collection","id":"exam","title":"Exam"})];
    for query in 0..10 {
        let id = format!("q{query}");
        records.push(json!({"type":"query","collection":"exam","id":id,"text":"What?"}));
        for unit in 0..2 {
            records.push(
                json!({"type":"unit","query":id,"id":format!("u{unit}"),"kind":"insight","text":"A point."}),
            );
        }
        for candidate in 0..6 {
            let text = format!("- Summary {candidate}");
            records.push(json!({"type":"candidate","query":id,"id":format!("c{candidate}"),"summarizer":"gpt-4o","text":text}));
        }
    }
    records
}

impl Desk {
    fn work(&mut self, hub: &mut dyn Hub) -> Result<Option<Ahead>> {
        self.over(hub)?;
        self.exchange.work(&mut self.study.file, hub, "coverage", Take::AndHold)
    }

    fn queue(&self) -> Vec<i64> {
        self.items("")
    }

    /// The items of the queue in their order.
    fn items(&self, condition: &str) -> Vec<i64> {
        let select = format!(
            "SELECT item FROM queue WHERE annotator = (SELECT id FROM annotator WHERE key = ?1) {condition} ORDER BY position"
        );
        let mut statement = self.study.file.connection.prepare(&select).expect("a statement");
        let items = statement.query_map([self.name], |row| row.get(0)).expect("read");
        items.map(|item| item.expect("a row")).collect()
    }

    /// Judges so many of the items that are next, six minutes each.
    fn judge(&mut self, count: usize, now: i64) {
        let Ok(queue) = self.study.file.open_queue(self.name, coverage()) else {
            return;
        };
        for item in self.items("AND state = 0").into_iter().take(count) {
            let texts = fingerprint(["texts"]);
            let on = crate::study::ItemId(item);
            let answer = [(choose("none"), 360_000)];
            self.study.file.append(queue.annotator, coverage(), on, texts, &answer, now).expect("appended");
        }
    }
}

/// A lead with sixty summaries on a hub where systems have aliases, and people with files of their own.
fn team(held: &Arc<RwLock<HubContents>>, terms: HandedOut, wanted: &[u32]) -> Vec<Desk> {
    let study = Study::with(&many());
    let mut lead = Desk { study, name: "lead", kind: MemberKind::Lead, exchange: Exchange::default() };
    let me = lead.hub(held).me;
    lead.study.file.remember_hub(&Membership { address: "memory".into(), me }, true).expect("remembered");
    lead.study.file.hand_out("coverage", &terms).expect("written");
    lead.exchange(held);
    offer(held, &lead, wanted);
    let mut desks = vec![lead];
    desks.extend(["alice", "bora", "chen"].map(|name| annotator(held, name)));
    desks.push(desks[1].copied());
    desks
}

/// An annotator who took work and judged four items of it, at the hub.
fn judged_four(held: &Arc<RwLock<HubContents>>) -> (Desk, Memory) {
    let mut alice = team(held, HandedOut::default(), &[1]).swap_remove(1);
    let mut hub = alice.hub(held);
    alice.work(&mut hub).expect("worked");
    alice.judge(4, 1_000);
    (alice, hub)
}

/// Offers all groups; what each wants comes around.
fn offer(held: &Arc<RwLock<HubContents>>, lead: &Desk, wanted: &[u32]) -> usize {
    let file = &lead.study.file;
    let assignable = file.assignable(coverage()).expect("read");
    let names = file.names_on_hub(coverage(), &assignable).expect("read");
    assert_eq!(names.len(), GROUPS);
    let groups: Vec<Offered> = names
        .into_iter()
        .zip(wanted.iter().cycle())
        .map(|(name, raters)| Offered {
            key: name.key,
            items: name.items,
            raters: *raters,
            ..Offered::default()
        })
        .collect();
    lead.hub(held).offer("coverage", &groups).expect("offered")
}

fn judged_by(lead: &Desk) -> BTreeMap<(String, String), BTreeSet<String>> {
    let mut found: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    let mut times: BTreeMap<(String, String, String), usize> = BTreeMap::new();
    let read = lead.study.file.for_each_judgment(|one| {
        let of = (one.query.clone().expect("a query"), one.candidate.clone().expect("a candidate"));
        *times.entry((of.0.clone(), of.1.clone(), one.annotator.clone())).or_default() += 1;
        found.entry(of).or_default().insert(one.annotator);
        Ok(())
    });
    read.expect("read");
    assert!(times.values().all(|items| *items == 2), "whole groups: {times:?}");
    found
}

#[derive(Debug, Clone)]
enum Step {
    Work { desk: usize, cut_at: Option<u32>, loses_answer: bool },
    Judge { desk: usize, count: usize },
    Wait { hours: u64 },
    Reopen { desk: usize },
    Offer,
    BackUp,
    Restore,
}

fn step() -> impl Strategy<Value = Step> {
    let desk = 0..4_usize;
    prop_oneof![
        4 => (desk.clone(), prop::option::of(1..8_u32), any::<bool>())
            .prop_map(|(desk, cut_at, loses_answer)| Step::Work { desk, cut_at, loses_answer }),
        4 => (desk.clone(), 1..30_usize).prop_map(|(desk, count)| Step::Judge { desk, count }),
        1 => (1..6_u64).prop_map(|hours| Step::Wait { hours }),
        1 => desk.prop_map(|desk| Step::Reopen { desk }),
        1 => Just(Step::Offer),
        1 => Just(Step::BackUp),
        1 => Just(Step::Restore),
    ]
}

fn go_through(steps: Vec<Step>, wanted: &[u32]) {
    let held = held();
    let mut desks = team(&held, HandedOut::default(), wanted);
    // Groups of which a lease has ended, or was forgotten: a late answer may be one more.
    let mut ended: BTreeSet<usize> = BTreeSet::new();
    let mut now = 1_000;
    let mut backup = held.read().expect("whole").clone();
    for step in steps {
        now += 1_000_000;
        match step {
            Step::Work { desk, cut_at, loses_answer } => {
                let desk = &mut desks[desk + 1];
                let mut hub = desk.hub(&held);
                (hub.cut_at, hub.loses_answer) = (cut_at, loses_answer);
                let before = desk.queue();
                match desk.work(&mut hub) {
                    Ok(ahead) if ahead.is_some_and(|ahead| ahead.went == 0) => {
                        assert_eq!(desk.queue().get(..before.len()), Some(&before[..]), "nothing moved");
                    }
                    Ok(_) => {}
                    Err(error) => assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}"),
                }
            }
            Step::Judge { desk, count } => desks[desk + 1].judge(count, now),
            Step::Wait { hours } => {
                let mut held = held.write().expect("whole");
                held.now += hours * 3_600;
                let is_over = |(state, until): &(char, u64)| *state == 'h' && *until < held.now;
                ended.extend((0..GROUPS).filter(|at| held.groups[*at].of.values().any(is_over)));
            }
            Step::Reopen { desk } => {
                let desk = &mut desks[desk + 1];
                desk.study.file = StudyFile::open(desk.study.file.path()).expect("opened");
                desk.exchange = Exchange::default();
            }
            Step::BackUp => backup = held.read().expect("whole").clone(),
            Step::Restore => {
                held.write().expect("whole").restore(&backup);
                ended.extend(0..GROUPS);
            }
            Step::Offer => assert_eq!(offer(&held, &desks[0], wanted), 0, "they are known"),
        }
        for (at, group) in held.read().expect("whole").groups.iter().enumerate() {
            let taken = group.of.values().filter(|(state, _)| matches!(state, 'h' | 'd')).count();
            assert!(taken <= group.wanted as usize || ended.contains(&at), "{group:?}");
        }
    }
    let is_all_done = |held: &HubContents| {
        let done =
            |of: &BTreeMap<String, (char, u64)>| of.values().filter(|(state, _)| *state == 'd').count();
        held.groups.iter().all(|group| done(&group.of) >= group.wanted as usize)
    };
    for round in 0..200 {
        if is_all_done(&held.read().expect("whole")) {
            break;
        }
        for desk in &mut desks[1..] {
            let mut hub = desk.hub(&held);
            desk.work(&mut hub).expect("worked");
            desk.judge(usize::MAX, now + round * 1_000_000);
        }
    }
    for desk in &mut desks {
        desk.exchange(&held);
    }
    let found = judged_by(&desks[0]);
    assert_eq!(found.len(), GROUPS);
    let names = desks[0].study.file.assignable(coverage()).expect("read");
    let names = desks[0].study.file.names_on_hub(coverage(), &names).expect("read");
    let held = held.read().expect("whole");
    for ((of, people), (name, wanted)) in found.iter().zip(names.iter().zip(wanted.iter().cycle())) {
        let at = held.groups.iter().position(|group| group.key == name.key).expect("offered");
        let is_planned = people.len() == *wanted as usize;
        assert!(is_planned || people.len() > *wanted as usize && ended.contains(&at), "{of:?}: {people:?}");
    }
    for desk in &mut desks {
        is_sound(desk);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_all_is_judged_by_as_many_as_wanted(
        steps in prop::collection::vec(step(), 1..40),
        wanted in prop::collection::vec(1..4_u32, 1..5),
    ) {
        go_through(steps, &wanted);
    }
}

/// What came before a cut comes again, and nothing else.
#[test]
fn who_is_killed_before_it_is_written_is_given_the_same() {
    let held = held();
    let mut desks = team(&held, HandedOut::default(), &[1]);
    // Who one is, what is new, what there is to do.
    for cut_at in 1..=3 {
        let mut hub = desks[1].hub(&held);
        (hub.cut_at, hub.loses_answer) = (Some(cut_at), true);
        desks[1].exchange = Exchange::default();
        desks[1].work(&mut hub).expect_err("cut");
    }
    let of_alice =
        |held: &HubContents| held.groups.iter().filter(|group| group.of.contains_key("alice")).count();
    assert_eq!(of_alice(&held.read().expect("whole")), 30, "sixty items");
    let mut hub = desks[1].hub(&held);
    let ahead = desks[1].work(&mut hub).expect("worked").expect("handed out");
    assert_eq!((ahead.open, ahead.came, of_alice(&held.read().expect("whole"))), (60, 30, 30));
    assert_eq!(desks[1].study.file.open_queue("alice", coverage()).expect("opened").progress.total, 60);
}

/// A laptop that was closed overnight: what was begun stays and is sent, what was not has gone to others.
#[test]
fn what_nobody_works_on_goes_to_others_and_a_late_answer_is_kept() {
    let held = held();
    let mut desks = team(&held, HandedOut::default(), &[1]);
    let mut hub = desks[1].hub(&held);
    desks[1].work(&mut hub).expect("worked");
    desks[1].judge(1, 5_000);
    held.write().expect("whole").now += 5 * 3_600;
    for desk in [2, 3] {
        let mut hub = desks[desk].hub(&held);
        desks[desk].work(&mut hub).expect("worked");
    }
    // Without the network nothing has changed for her.
    assert_eq!(desks[1].study.file.open_queue("alice", coverage()).expect("opened").progress.total, 60);
    let ahead = desks[1].work(&mut hub).expect("worked").expect("handed out");
    assert_eq!((ahead.came, ahead.went), (0, 29), "others have all");
    let queue = desks[1].study.file.open_queue("alice", coverage()).expect("opened");
    assert_eq!((queue.progress.total, queue.progress.judged), (2, 1));
    desks[1].judge(1, 6_000);
    desks[1].work(&mut hub).expect("worked");
    desks[0].exchange(&held);
    assert_eq!(judged_by(&desks[0]).len(), 1);
}

/// Repeats come far enough behind, not all at once.
#[test]
fn repeats_are_mixed_in() {
    let held = held();
    let mut desks = team(&held, HandedOut { repeats: 0.2, ..HandedOut::default() }, &[1]);
    let alice = &mut desks[1];
    let mut hub = alice.hub(&held);
    let count = |desk: &Desk, condition: &str| {
        let select =
            format!("SELECT count(*) FROM hub_lease l JOIN item i ON i.id = l.item WHERE {condition}");
        desk.study
            .file
            .connection
            .query_row(&select, [], |row| row.get::<_, isize>(0).map(isize::unsigned_abs))
            .expect("read")
    };
    let repeats = "i.aside = 'repeat'";
    alice.work(&mut hub).expect("worked");
    assert_eq!(count(alice, repeats), 0);
    let mut now = 2_000;
    // As many rounds as it takes: how many repeats are drawn is chance.
    for round in 0.. {
        assert!(round < 100, "there is no end of it");
        alice.judge(3, now);
        now += 10_000_000;
        if alice.work(&mut hub).expect("worked").expect("handed out").open == 0 {
            break;
        }
    }
    let repeated = count(alice, repeats);
    assert!((5..40).contains(&repeated), "about a fifth of those that have others behind them: {repeated}");
    let select = "SELECT min(second.place - first.place) FROM hub_lease second JOIN item r ON r.id = second.item
         JOIN item f ON f.query = r.query AND f.candidate = r.candidate AND f.unit = r.unit AND f.aside IS NULL
         JOIN hub_lease first ON first.item = f.id WHERE r.aside = 'repeat'";
    let nearest: usize = alice
        .study
        .file
        .connection
        .query_row(select, [], |row| row.get::<_, isize>(0).map(isize::unsigned_abs))
        .expect("read");
    assert!(nearest >= 20, "{nearest}");
    // What is mixed in is not among what is open.
    alice.judge(usize::MAX, now);
    let progress = alice.study.file.open_queue("alice", coverage()).expect("opened").progress;
    assert_eq!((progress.total, progress.judged), (120 + repeated, 120 + repeated));
}

/// Where calibration must be passed, nothing is taken before it is.
#[test]
fn nothing_is_taken_before_calibration_is_passed() {
    let held = held();
    let mut desks = team(&held, HandedOut::default(), &[1]);
    let lead = &mut desks[0];
    let target = lead.study.file.assignable(coverage()).expect("read").items[0];
    let known = json!({"coverage": "none"}).as_object().expect("an object").clone();
    let terms = Some(Terms { known, pass: Some(100.0), must_pass: true, ..Terms::of(Role::Calibration) });
    let change = AssignmentChange { annotator: "alice".into(), target, aside: None, terms };
    lead.study.file.assign(coverage(), &[change], 1_000).expect("assigned");
    lead.exchange(&held);
    let alice = &mut desks[1];
    let mut hub = alice.hub(&held);
    let ahead = alice.work(&mut hub).expect("worked").expect("handed out");
    assert_eq!((ahead.open, ahead.came), (0, 0));
    assert!(held.read().expect("whole").groups.iter().all(|group| group.of.is_empty()));
    alice.judge(1, 2_000);
    let ahead = alice.work(&mut hub).expect("worked").expect("handed out");
    assert_eq!((ahead.open, ahead.came), (60, 30));
    assert_eq!(alice.study.file.open_queue("alice", coverage()).expect("opened").progress.total, 61);
}

/// Who began before the work was handed out has done what she judged, and nobody else gets it.
#[test]
fn what_was_judged_unasked_is_done() {
    let held = held();
    let study = Study::with(&many());
    let mut lead = Desk { study, name: "lead", kind: MemberKind::Lead, exchange: Exchange::default() };
    let me = lead.hub(&held).me;
    lead.study.file.remember_hub(&Membership { address: "memory".into(), me }, true).expect("remembered");
    lead.exchange(&held);
    let mut alice = annotator(&held, "alice");
    alice.exchange(&held);
    alice.judge(5, 1_000);
    lead.study.file.hand_out("coverage", &HandedOut::default()).expect("written");
    lead.exchange(&held);
    offer(&held, &lead, &[1]);
    let mut hub = alice.hub(&held);
    for _ in 0..2 {
        alice.work(&mut hub).expect("worked");
    }
    let count = |state| {
        held.read()
            .expect("whole")
            .groups
            .iter()
            .filter(|group| group.of.values().any(|of| of.0 == state))
            .count()
    };
    let (done, held) = (count('d'), count('h'));
    // The order of her queue is drawn from aliases, which are others each time: what she judged may be among the first thirty.
    assert!(done == 2 && (28..=30).contains(&held), "two whole groups: {done}, {held}");
    let queue = alice.study.file.open_queue("alice", coverage()).expect("opened");
    let total = 2 * (done + held);
    assert!((total..=total + 1).contains(&queue.progress.total), "{total} {:?}", queue.progress);
}

#[test]
fn the_share_of_controls_is_in_no_file_of_an_annotator() {
    let held = held();
    let terms = HandedOut { control: 0.25, repeats: 0.1, left: 120, at: 5, ..HandedOut::default() };
    let mut desks = team(&held, terms.clone(), &[1]);
    desks[1].exchange(&held);
    let told = |desk: &Desk| desk.study.file.handed_out("coverage").expect("read");
    assert_eq!(told(&desks[0]), Some(terms.clone()));
    assert_eq!(told(&desks[1]), Some(HandedOut { control: 0.0, ..terms }));
}

/// Nobody waits for what was withdrawn.
#[test]
fn what_was_withdrawn_is_no_open_work() {
    let held = held();
    let alice = &mut team(&held, HandedOut::default(), &[1])[1];
    let mut hub = alice.hub(&held);
    alice.work(&mut hub).expect("worked");
    let withdraw = |query: u32| amendment(Act::Withdraw, AmendedKind::Query, &format!("q{query}"));
    let withdrawn: Vec<Amendment> = (0..10).map(withdraw).collect();
    alice.study.file.amend(&withdrawn, None, false).expect("withdrawn");
    let ahead = alice.exchange.work(&mut alice.study.file, &mut hub, "coverage", Take::Nothing);
    assert_eq!(ahead.expect("worked").expect("handed out").open, 0);
    assert!(!alice.study.file.has_open_work("coverage").expect("read"));
}

/// What was done is open again where its text was revised, and less is taken ahead then.
#[test]
fn what_is_open_again_is_counted() {
    let held = held();
    let (mut alice, mut hub) = judged_four(&held);
    let open = |ahead: Result<Option<Ahead>>| ahead.expect("worked").expect("handed out").open;
    let before = open(alice.work(&mut hub));
    let judged =
        "SELECT u.key, q.key FROM standing s JOIN item i ON i.id = s.item JOIN unit u ON u.id = i.unit
         JOIN query q ON q.id = i.query WHERE s.state = 1 LIMIT 1";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let (unit, query): (String, String) =
        alice.study.file.connection.query_row(judged, [], read).expect("a judgment");
    let to = json!({"text": "Another point.", "kind": "insight"});
    let to = RevisedFields(to.as_object().expect("fields").clone());
    let about = amendment(Act::Revise, AmendedKind::Unit, &unit);
    let revised = Amendment { query, to: Some(to), ..about };
    alice.study.file.amend(&[revised], None, false).expect("revised");
    let ahead = alice.exchange.work(&mut alice.study.file, &mut hub, "coverage", Take::Nothing);
    assert!(open(ahead) > before);
}

/// A member who was renamed has done what she judged under either name.
#[test]
fn a_renamed_member_works_on() {
    let held = held();
    let (mut alice, mut hub) = judged_four(&held);
    let new = Annotator { id: "alicia".into(), kind: AnnotatorKind::Human, meta: Meta::new() };
    alice.study.file.amend(&[joined("alice", "alicia")], Some(&new), false).expect("renamed");
    let ahead = alice.work(&mut hub).expect("worked").expect("handed out");
    let progress = alice.study.file.open_queue("alice", coverage()).expect("opened").progress;
    assert_eq!((progress.judged, ahead.open), (4, progress.total - 4));
    alice.name = "alicia";
    alice.judge(progress.total, 2_000);
    assert!(!alice.study.file.has_open_work("coverage").expect("read"));
}
