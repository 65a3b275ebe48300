//! Verdicts beside judgments: what they change, and all that they leave alone.

use serde_json::{Value, json};

use super::{Study, choose, corpus, coverage, judgment};
use crate::journal::{ConsensusRule, EventId, Happening, Outcome, Queue, Reason, Verdict};
use crate::protocol::{Answer, Answers};
use crate::store::{Adjudicated, GoldItem, GoldSource, StepOutcome, StudyFile, VersionsRead, check};
use crate::study::{Adjudication, AnnotatorId, ItemId, Judgment};
use crate::text::hash::fingerprint;

fn full(bullet: u32) -> Answers {
    let pairs = [("coverage", Answer::Text("full".into())), ("bullet", Answer::Bullet(bullet))];
    pairs.map(|(question, answer)| (question.to_owned(), answer)).into()
}

fn none() -> Answers {
    [("coverage".to_owned(), Answer::Text("none".into()))].into()
}

fn says(answers: Answers) -> Happening {
    Happening::Adjudicate(Box::new(Verdict { answers, active: 3_000, ..Verdict::default() }))
}

/// alice and bea judge `pomodoro` in `c1` differently and `tea` alike; bea alone judges `pomodoro` in `c2`.
fn judged() -> Vec<Value> {
    let bea = |more: Value| {
        let mut fields = judgment(json!({"annotator": "bea"}));
        for (key, value) in more.as_object().expect("an object") {
            fields[key] = value.clone();
        }
        fields
    };
    vec![
        json!({"type":"annotator","id":"bea","kind":"human"}),
        judgment(json!({})),
        bea(json!({"answers":{"coverage":"none"}})),
        judgment(json!({"unit":"tea","answers":{"coverage":"full","bullet":2}})),
        bea(json!({"unit":"tea","answers":{"coverage":"full","bullet":[2]}})),
        bea(json!({"candidate":"c2","answers":{"coverage":"none"}})),
    ]
}

fn study() -> Study {
    Study::with(&[corpus(), judged()].concat())
}

fn people(file: &StudyFile) -> Vec<AnnotatorId> {
    let all = file.annotators().expect("read").into_iter();
    all.filter(|(_, annotator)| annotator.id != "judge").map(|(id, _)| id).collect()
}

fn gold(file: &StudyFile, rule: &str) -> Vec<GoldItem> {
    let rule: ConsensusRule = rule.parse().expect(rule);
    let annotators = people(file);
    let source =
        GoldSource { protocol: coverage(), annotators: &annotators, versions: VersionsRead::Only(1), rule };
    file.gold(&source).expect("read")
}

/// The item of this unit and candidate.
fn item(file: &StudyFile, unit: &str, candidate: &str) -> ItemId {
    let is = |keys: &crate::study::TargetKeys| {
        keys.unit.as_deref() == Some(unit) && keys.candidate.as_deref() == Some(candidate)
    };
    let all = file.item_keys("coverage").expect("read");
    all.into_iter().find(|(_, keys)| is(keys)).map(|(id, _)| id).expect("the item")
}

fn outcome(gold: &[GoldItem], item: ItemId) -> (Outcome, Option<Answers>) {
    let found = gold.iter().find(|gold| gold.item == item).expect("gold of the item");
    (found.outcome, found.answers.clone())
}

fn decide(study: &mut Study, who: &str, item: ItemId, what: &[Happening], now: i64) -> Adjudicated {
    let who = study.file.adjudicator(who).expect("a person");
    let shown = study.file.decision(item).expect("read").map(|decision| decision.event);
    let on = (item, fingerprint(["t"]));
    match study.file.adjudicate(shown, who, coverage(), on, what, now).expect("written") {
        StepOutcome::Written(adjudicated) => adjudicated,
        StepOutcome::Elsewhere(decision) => panic!("{decision:?}"),
    }
}

fn judgments(file: &StudyFile) -> Vec<Judgment> {
    let mut all = Vec::new();
    file.for_each_judgment(|judgment| {
        all.push(judgment);
        Ok(())
    })
    .expect("read");
    all
}

fn adjudications(file: &StudyFile) -> Vec<Adjudication> {
    let mut all = Vec::new();
    file.for_each_adjudication(|adjudication| {
        all.push(adjudication);
        Ok(())
    })
    .expect("read");
    all
}

#[test]
fn gold_says_where_each_answer_comes_from() {
    let mut study = study();
    let (disputed, agreed, single) = (
        item(&study.file, "pomodoro", "c1"),
        item(&study.file, "tea", "c1"),
        item(&study.file, "pomodoro", "c2"),
    );
    let before = gold(&study.file, "all agree");
    assert_eq!(before.len(), 3);
    assert_eq!(outcome(&before, disputed), (Outcome::Unresolved, None));
    assert_eq!(outcome(&before, agreed), (Outcome::Unanimous, Some(full(2))), "[2] is 2");
    assert_eq!(outcome(&before, single), (Outcome::Unresolved, None));
    let taken = gold(&study.file, "all agree or single");
    assert_eq!(outcome(&taken, single), (Outcome::Single, Some(none())));

    let done = decide(&mut study, "carol", disputed, &[says(full(1))], 1_000);
    assert_eq!(done.decision.map(|decision| decision.verdict.answers), Some(full(1)));
    let after = gold(&study.file, "all agree");
    assert_eq!(outcome(&after, disputed), (Outcome::Adjudicated, Some(full(1))));
    // Half an answer is no decision.
    let half = [("coverage".to_owned(), Answer::Text("full".into()))].into();
    decide(&mut study, "carol", disputed, &[says(half)], 2_000);
    assert_eq!(outcome(&gold(&study.file, "all agree"), disputed), (Outcome::Unresolved, None));
}

#[test]
fn nothing_that_anybody_judged_changes() {
    let mut study = study();
    let queue: Queue = study.file.open_queue("alice", coverage()).expect("opened");
    let first = study.file.load(queue.annotator, coverage(), 0).expect("loaded").item;
    study
        .file
        .append(queue.annotator, coverage(), first.id, first.texts(), &[(choose("none"), 700)], 5_000)
        .expect("appended");
    let reopened = study.file.open_queue("alice", coverage()).expect("opened");
    let (before, times) = (judgments(&study.file), study.file.active_times("coverage").expect("read"));
    let undo = study.file.undo_history(queue.annotator, "coverage", 10).expect("read");
    assert_eq!(undo.len(), 1);
    // alice settles what she judged herself, and takes it back.
    let disputed = item(&study.file, "pomodoro", "c1");
    let done = decide(&mut study, "alice", disputed, &[says(none())], 6_000);
    for _ in 0..2 {
        assert_eq!(judgments(&study.file), before);
        assert_eq!(study.file.active_times("coverage").expect("read"), times);
        assert_eq!(study.file.undo_history(queue.annotator, "coverage", 10).expect("read"), undo);
        assert_eq!(study.file.open_queue("alice", coverage()).expect("opened"), reopened);
        study.file.rebuild_caches().expect("rebuilt");
    }
    let back = Happening::Retract { event: done.ids[0] };
    let undone = decide(&mut study, "alice", disputed, &[back], 7_000);
    assert_eq!(undone.decision, None);
    assert_eq!(judgments(&study.file), before);
    study.file.rebuild_caches().expect("rebuilt");
    assert_eq!(study.file.open_queue("alice", coverage()).expect("opened"), reopened);
    // Who only settles is nowhere among those who judge.
    decide(&mut study, "carol", disputed, &[says(none())], 8_000);
    study.file.rebuild_caches().expect("rebuilt");
    assert_eq!(judgments(&study.file), before);
}

#[test]
fn a_decision_is_later_than_all_before_it_whatever_the_clock_says() {
    let mut study = study();
    let disputed = item(&study.file, "pomodoro", "c1");
    decide(&mut study, "carol", disputed, &[says(full(1))], 9_000);
    let second = decide(&mut study, "dan", disputed, &[says(none())], 1_000);
    let decision = second.decision.expect("decided");
    assert_eq!((decision.verdict.answers, decision.at), (none(), Some(9_001)));
    let dan = study.file.adjudicator("dan").expect("a person");
    let carol = study.file.adjudicator("carol").expect("a person");
    let history = |who| -> Vec<(ItemId, EventId)> {
        study.file.adjudication_history(who, "coverage", 10).expect("read")
    };
    assert_eq!(history(dan), [(disputed, second.ids[0])]);
    assert_eq!(history(carol).len(), 1);
    let Err(error) = study.file.adjudicator("judge") else {
        panic!("a judge adjudicates");
    };
    assert!(error.to_string().contains("is a model"), "{error}");
}

#[test]
fn adjudications_go_out_and_come_in_again() {
    let mut study = study();
    let disputed = item(&study.file, "pomodoro", "c1");
    let verdict = Verdict {
        answers: full(1),
        took: Some("alice".into()),
        reason: Some(Reason::GuidelineUnclear),
        note: "休息 counts".into(),
        is_example: true,
        is_put_aside: false,
        active: 12_345,
    };
    decide(&mut study, "carol", disputed, &[says(none())], 1_767_605_400_000);
    let final_one = Happening::Adjudicate(Box::new(verdict));
    decide(&mut study, "carol", disputed, &[final_one], 1_767_605_400_250);
    let out = adjudications(&study.file);
    let record = json!({"protocol":"coverage","annotator":"carol","collection":"exam","query":"stress",
        "unit":"pomodoro","candidate":"c1","answers":{"coverage":"full","bullet":1},"took":"alice",
        "reason":"guideline unclear","note":"休息 counts","example":true,"seconds":12.345,
        "at":"2026-01-05T09:30:00.25Z"});
    let expected: Adjudication = serde_json::from_value(record.clone()).expect("a record");
    assert_eq!(out, [expected]);

    let mut other = self::study();
    let mut line = record;
    line["type"] = json!("adjudication");
    let carol = json!({"type":"annotator","id":"carol","kind":"human"});
    let before = judgments(&other.file);
    other.import(&[carol.clone(), line.clone()]).expect("imported");
    assert_eq!(adjudications(&other.file), out);
    assert_eq!(judgments(&other.file), before);
    let bytes = other.bytes();
    other.import(&[carol, line.clone()]).expect("imported again");
    assert_eq!(other.bytes(), bytes, "known");
    // An older one that comes later changes nothing that counts, and says so.
    line["at"] = json!("2026-01-04T09:30:00Z");
    line["reason"] = json!("slip");
    let report = other.import(&[line.clone()]).expect("imported");
    assert!(report.remarks[0].what.contains("has a later adjudication"), "{:?}", report.remarks);
    assert_eq!(adjudications(&other.file), out);
    for (field, value, complaint) in [
        ("reason", json!("the moon"), "is no reason for a disagreement"),
        ("annotator", json!("judge"), "is a model, and people decide"),
        ("took", json!("nobody"), "annotator \"nobody\" is not in the study"),
        ("answers", json!({"coverage":"most"}), "most"),
        ("unit", json!("nowhere"), "nowhere"),
    ] {
        let mut wrong = line.clone();
        wrong[field] = value;
        let error = other.import(&[wrong]).expect_err(field).to_string();
        assert!(error.contains(complaint), "{error}");
    }
}

/// Two adjudicators decide in files of their own: the later one counts, and both are told.
#[test]
fn decisions_that_differ_are_named_where_files_meet() {
    let (mut carol, mut dan) = (study(), study());
    for (study, who, answers) in [(&mut carol, "carol", full(1)), (&mut dan, "dan", none())] {
        for (unit, answers, now) in [("pomodoro", answers, 2_000), ("tea", none(), 3_000)] {
            let item = item(&study.file, unit, "c1");
            decide(study, who, item, &[says(answers)], now + i64::from(who == "dan"));
        }
    }
    let told = "1 item decided differently by several adjudicators; the later decision counts: exam / stress / pomodoro / c1";
    let reports = carol.merge(&[&dan]).expect("merged");
    assert!(reports[0].remarks.iter().any(|remark| remark.starts_with(told)), "{:?}", reports[0].remarks);
    let found = check(&carol.path()).expect("checked").findings;
    assert!(found.iter().any(|finding| finding.what.starts_with(told)), "{found:?}");
}
