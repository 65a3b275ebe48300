//! A study is put right: what is withdrawn counts nowhere, two names are one person, in every file and whatever the order.

use proptest::prelude::*;
use serde_json::json;

use super::check::study_with_session;
use super::journal::all_caches;
use super::{Study, choose, corpus, coverage, judgment, link};
use crate::journal::Happening;
use crate::store::{Amended, AssignmentChange, MergeMode};
use crate::study::amendment::standing;
use crate::study::{Act, AmendedKind, Amendment, Annotator, AnnotatorKind, Meta, Role, Terms};

pub(super) fn amendment(act: Act, of: AmendedKind, id: &str) -> Amendment {
    let in_collection = !matches!(of, AmendedKind::Annotator | AmendedKind::Import);
    let in_query = matches!(of, AmendedKind::Unit | AmendedKind::Candidate);
    Amendment {
        act,
        of,
        collection: if in_collection { "exam".into() } else { String::new() },
        query: if in_query { "stress".into() } else { String::new() },
        id: id.into(),
        into: None,
        to: None,
        by: "lena".into(),
        why: "it was wrong".into(),
        at: 5_000,
    }
}

pub(super) fn joined(name: &str, into: &str) -> Amendment {
    Amendment { into: Some(into.into()), ..amendment(Act::Join, AmendedKind::Annotator, name) }
}

impl Study {
    pub(super) fn amend(&mut self, amendment: Amendment) -> Amended {
        self.file.amend(&[amendment], None, false).expect("amended")
    }

    /// The keys of what stands in somebody's queue, in its order.
    pub(super) fn queue_of(&mut self, annotator: &str) -> Vec<String> {
        let queue = self.file.open_queue(annotator, coverage()).expect("opened");
        let place = |position| {
            let loaded = self.file.load(queue.annotator, coverage(), position).expect("loaded");
            format!("{:?}", loaded.item.keys)
        };
        (0..queue.progress.total).map(place).collect()
    }

    /// Caches are what the journal gives.
    pub(super) fn is_derived(&mut self) {
        let before = all_caches(&self.file);
        self.file.rebuild_caches().expect("rebuilt");
        assert_eq!(all_caches(&self.file), before);
    }
}

/// An earlier judgment of hers is nothing new in another file, under whichever of her names.
#[test]
fn a_file_under_the_old_name_brings_nothing_that_is_here() {
    let of = |who: &str, at: &str, answers| judgment(json!({"annotator":who,"at":at,"answers":answers}));
    let none = of("alcie", "2026-01-05T09:30:00Z", json!({"coverage":"none"}));
    let full = of("alice", "2026-01-06T09:30:00Z", json!({"coverage":"full","bullet":1}));
    let newcomer = json!({"type":"annotator","id":"alcie","kind":"human"});
    let mut study = Study::with(&[corpus(), vec![newcomer.clone(), none.clone(), full]].concat());
    study.amend(joined("alcie", "alice"));
    let counted = study.judgments();
    for file in [vec![none.clone()], vec![newcomer, none.clone()], vec![none]] {
        let report = study.import(&file).expect("imported");
        assert!(
            report.added.is_empty() && report.replaced.is_empty() && report.remarks.is_empty(),
            "{report:?}"
        );
        assert_eq!(report.known.values().sum::<usize>(), file.len());
        assert_eq!(study.judgments(), counted);
    }
    study.is_derived();
}

/// The summaries that somebody wrote in sessions count nowhere while she is left out, under whichever of her names.
#[test]
fn with_a_person_who_is_left_out_go_the_summaries_that_she_wrote() {
    for (is_renamed, name) in [(false, "alice"), (true, "alicia")] {
        let mut study = study_with_session();
        if is_renamed {
            let new = Annotator { id: name.into(), kind: AnnotatorKind::Human, meta: Meta::new() };
            study.file.amend(&[joined("alice", name)], Some(&new), false).expect("renamed");
        }
        let written = |study: &Study| {
            let all = study.file.candidates().expect("read");
            all.iter().filter(|(_, one)| one.summarizer.as_deref() == Some("human:alice")).count()
        };
        let (queue, exported) = (study.queue_of("carl"), study.exported());
        assert_eq!(written(&study), 1);
        study.amend(amendment(Act::Withdraw, AmendedKind::Annotator, name));
        assert_eq!(written(&study), 0);
        assert!(study.queue_of("carl").len() < queue.len(), "nobody is asked about it");
        let is_hers = |record: &serde_json::Value| record["summarizer"] == "human:alice";
        assert!(exported.iter().any(is_hers) && !study.exported().iter().any(is_hers));
        study.is_derived();
        study.import(&exported).expect("imported");
        assert_eq!(written(&study), 0, "nor when it comes in again");
        study.amend(amendment(Act::Restore, AmendedKind::Annotator, name));
        assert_eq!((written(&study), study.queue_of("carl").len()), (1, queue.len()));
        study.is_derived();
    }
}

/// Whoever is joined with somebody goes on where she was under the other name.
#[test]
fn a_first_queue_of_a_joined_person_knows_what_she_did_last() {
    let mut study = Study::with(&corpus());
    study.answer("alcie", 0, &[choose("none")], 1_000);
    study.amend(joined("alcie", "alice"));
    study.file.open_queue("alice", coverage()).expect("opened");
    study.is_derived();
}

#[test]
fn a_withdrawn_query_is_out_of_queues_and_counts_and_comes_back() {
    let mut study = Study::with(&corpus());
    study.answer("alice", 0, &[choose("full"), link(1)], 1_000);
    study.answer("alice", 4, &[choose("none")], 2_000);
    let (queue, counted) = (study.queue_of("alice"), study.judgments());
    assert_eq!(counted.len(), 2);

    let trial = study.file.amend(&[amendment(Act::Withdraw, AmendedKind::Query, "stress")], None, true);
    assert_eq!(trial.expect("tried"), Amended { before: 2, after: 1 });
    assert_eq!(study.judgments(), counted, "a trial writes nothing");

    study.amend(amendment(Act::Withdraw, AmendedKind::Query, "stress"));
    let rest: Vec<String> = queue.iter().filter(|keys| !keys.contains("stress")).cloned().collect();
    assert_eq!(study.queue_of("alice"), rest, "the rest keeps its order");
    assert_eq!(study.queue_of("bora").len(), rest.len());
    assert_eq!(study.judgments().len(), 1);
    assert_eq!(study.file.queries().expect("read").len(), 1);
    assert_eq!(study.file.units().expect("read").len(), 1);
    assert_eq!(study.file.candidates().expect("read").len(), 1);
    study.is_derived();
    // What is brought for it meanwhile is kept and does not count.
    study.import(&[judgment(json!({"annotator":"judge"}))]).expect("imported");
    assert_eq!(study.judgments().len(), 1);
    study.is_derived();

    study.amend(amendment(Act::Restore, AmendedKind::Query, "stress"));
    assert_eq!(study.judgments().len(), 3);
    let mut back = study.queue_of("alice");
    back.sort();
    let mut all = queue;
    all.sort();
    assert_eq!(back, all);
    study.is_derived();
}

/// Of a withdrawn document only name and number are exported, so no quote stands in it.
#[test]
fn an_export_with_a_withdrawn_document_comes_in_without_a_remark() {
    let mut study = Study::with(&corpus());
    let withdraw = [amendment(Act::Withdraw, AmendedKind::Document, "d2")];
    study.file.amend(&withdraw, None, false).expect("withdrawn");
    let report = Study::empty().import(&study.exported()).expect("imported");
    assert_eq!(report.remarks, []);
}

#[test]
fn what_is_part_of_something_goes_alone() {
    let mut study = Study::with(&corpus());
    study.answer("alice", 0, &[choose("none")], 1_000);
    for (of, id) in
        [(AmendedKind::Unit, "tea"), (AmendedKind::Candidate, "c2"), (AmendedKind::Document, "d1")]
    {
        study.amend(amendment(Act::Withdraw, of, id));
    }
    let units = study.file.units().expect("read");
    let documents: Vec<_> =
        units.iter().map(|(_, unit)| (unit.id.as_str(), unit.documents.clone())).collect();
    assert_eq!(documents, [("pomodoro", Some(vec!["d2".to_owned()])), ("dark", None)]);
    assert_eq!(study.file.document_heads().expect("read").len(), 2);
    assert_eq!(study.queue_of("bora").len(), 2, "pomodoro with c1, and dark");
    study.is_derived();
}

#[test]
fn a_file_of_judgments_is_taken_back_as_one() {
    let mut study = Study::with(&corpus());
    study.answer("alice", 1, &[choose("none")], 1_000);
    let records =
        [judgment(json!({"annotator":"judge"})), judgment(json!({"annotator":"judge","unit":"tea"}))];
    study.import(&records).expect("imported");
    let files = study.file.imported_files().expect("read");
    let file = files.last().expect("one").content.to_string();
    let amended = study.amend(amendment(Act::Withdraw, AmendedKind::Import, &file));
    assert_eq!(amended, Amended { before: 3, after: 1 });
    study.is_derived();
    let again = study.import(&records).expect("imported");
    assert!(again.added.is_empty(), "{again:?}");
    assert_eq!(study.judgments().len(), 1);
    study.amend(amendment(Act::Restore, AmendedKind::Import, &file));
    assert_eq!(study.judgments().len(), 3);
}

#[test]
fn two_names_of_one_person_are_one_and_can_be_parted() {
    let mut study = Study::with(&corpus());
    study.answer("alice", 0, &[choose("none")], 1_000);
    study.answer("alcie", 0, &[choose("full"), link(1)], 2_000);
    study.answer("alcie", 1, &[choose("none")], 3_000);
    let apart = study.judgments();
    assert_eq!(apart.len(), 3);
    study.amend(joined("alcie", "alice"));
    let one = study.judgments();
    assert_eq!(one.len(), 2, "an item counts once");
    assert!(
        one.iter().all(|judgment| judgment.contains("\"alice\"") && !judgment.contains("alcie")),
        "{one:?}"
    );
    // The later answer holds, and both times are hers.
    assert!(
        one.iter().any(|judgment| judgment.contains("full") && judgment.contains("\"seconds\":1.5")),
        "{one:?}"
    );
    study.is_derived();
    // Whoever opens under the old name is who she is.
    let queue = study.file.open_queue("alcie", coverage()).expect("opened");
    assert_eq!(queue.annotator, study.file.open_queue("alice", coverage()).expect("opened").annotator);
    assert_eq!(queue.progress.judged, 2);
    let names: Vec<String> =
        study.file.annotators().expect("read").into_iter().map(|(_, one)| one.id).collect();
    assert_eq!(names, ["alice", "judge"]);
    study.amend(amendment(Act::Restore, AmendedKind::Annotator, "alcie"));
    assert_eq!(study.judgments(), apart);
    study.is_derived();
}

#[test]
fn a_screen_that_was_open_meanwhile_is_told_and_keeps_nothing() {
    let mut study = Study::with(&corpus());
    let mut open = |name: &str| study.file.open_queue(name, coverage()).expect("opened").annotator;
    let (alice, alcie, bora) = (open("alice"), open("alcie"), open("bora"));
    let items = study.file.items("coverage").expect("read");
    study.amend(joined("alcie", "alice"));
    study.amend(amendment(Act::Withdraw, AmendedKind::Annotator, "bora"));
    study.amend(amendment(Act::Withdraw, AmendedKind::Query, "stress"));
    let texts = crate::text::hash::fingerprint(["texts"]);
    let step = [(choose("none"), 500)];
    for (who, item, what) in [
        (alcie, 4, "\"alcie\" is \"alice\" now"),
        (bora, 4, "\"bora\" was left out"),
        (alice, 0, "this was withdrawn"),
    ] {
        let refused = study.file.append(who, coverage(), items[item].id, texts, &step, 9_000);
        let told = refused.expect_err("refused").to_string();
        assert!(told.contains(what), "{told}");
    }
    study.file.append(alice, coverage(), items[4].id, texts, &step, 9_000).expect("appended");
    assert_eq!(study.judgments().len(), 1);
    study.is_derived();
}

#[test]
fn whoever_is_left_out_is_nowhere_and_may_not_go_on() {
    let mut study = Study::with(&corpus());
    study.answer("alice", 0, &[choose("none")], 1_000);
    study.answer("bora", 0, &[choose("full"), link(1)], 2_000);
    study.amend(amendment(Act::Withdraw, AmendedKind::Annotator, "bora"));
    assert_eq!(study.judgments().len(), 1);
    let refused = study.file.open_queue("bora", coverage()).expect_err("left out").to_string();
    assert!(refused.contains("left out"), "{refused}");
    study.is_derived();
}

#[test]
fn a_renamed_person_keeps_everything() {
    let mut study = Study::with(&corpus());
    study.answer("bora", 0, &[choose("none")], 1_000);
    let new = Annotator { id: "boris".into(), kind: AnnotatorKind::Human, meta: Meta::new() };
    let before = study.judgments();
    study.file.amend(&[joined("bora", "boris")], Some(&new), false).expect("renamed");
    let renamed: Vec<String> = before.iter().map(|judgment| judgment.replace("bora", "boris")).collect();
    assert_eq!(study.judgments(), renamed);
}

/// Work that was given under one name is the person's under any other.
#[test]
fn a_renamed_person_keeps_the_work_that_is_open() {
    let mut study = Study::with(&corpus());
    study.answer("bora", 0, &[choose("none")], 1_000);
    let assignable = study.file.assignable(coverage()).expect("read");
    let change = |target: &crate::store::Target| AssignmentChange {
        annotator: "bora".into(),
        target: *target,
        aside: None,
        terms: Some(Terms::of(Role::Work)),
    };
    let changes: Vec<AssignmentChange> = assignable.items.iter().map(change).collect();
    study.file.assign(coverage(), &changes, 2_000).expect("assigned");
    let before = study.queue_of("bora");
    let new = Annotator { id: "boris".into(), kind: AnnotatorKind::Human, meta: Meta::new() };
    study.file.amend(&[joined("bora", "boris")], Some(&new), false).expect("renamed");
    for name in ["boris", "bora"] {
        let mut after = study.queue_of(name);
        let mut all = before.clone();
        after.sort();
        all.sort();
        assert_eq!(after, all, "{name}");
    }
    // The last event decides, under whichever name.
    let taken = AssignmentChange { annotator: "boris".into(), terms: None, ..change(&assignable.items[1]) };
    study.file.assign(coverage(), &[taken], 8_000).expect("taken back");
    assert_eq!(study.queue_of("bora").len(), before.len() - 1);
}

#[test]
fn what_is_not_there_cannot_be_amended() {
    let mut study = Study::with(&corpus());
    for (wrong, what) in [
        (amendment(Act::Withdraw, AmendedKind::Query, "nope"), "query \"nope\" is not in the study"),
        (joined("alice", "alice"), "one person already"),
        (joined("alice", "nobody"), "annotator \"nobody\" is not in the study"),
    ] {
        let refused = study.file.amend(&[wrong], None, false).expect_err("refused").to_string();
        assert!(refused.contains(what), "{refused}");
    }
    assert!(study.file.amendments().expect("read").is_empty());
}

#[test]
fn of_a_circle_of_names_the_newer_join_holds() {
    let (mut one, mut two) = (Study::with(&corpus()), Study::with(&corpus()));
    for study in [&mut one, &mut two] {
        study.answer("alice", 0, &[choose("none")], 1_000);
        study.answer("alcie", 1, &[choose("none")], 2_000);
    }
    one.amend(joined("alcie", "alice"));
    two.amend(Amendment { at: 6_000, ..joined("alice", "alcie") });
    one.file.merge(&[two.file.path().to_owned()], MergeMode::Write).expect("merged");
    two.file.merge(&[one.file.path().to_owned()], MergeMode::Write).expect("merged");
    for study in [&mut one, &mut two] {
        study.is_derived();
        let names: Vec<String> =
            study.file.annotators_by_key().expect("read").into_iter().map(|(_, one)| one.id).collect();
        assert_eq!(names, ["alcie", "judge"]);
        let amendments = study.file.amendments().expect("read");
        let holding: Vec<&str> = standing(&amendments).iter().map(|join| join.id.as_str()).collect();
        assert_eq!(holding, ["alice"], "and it alone is shown");
    }
    assert_eq!(one.judgments(), two.judgments());
}

/// Two leads give one name, to a person and to a model.
#[test]
fn a_name_that_a_person_and_a_model_were_given_is_the_persons() {
    let (mut one, mut two) = (Study::with(&corpus()), Study::with(&corpus()));
    one.import(&[judgment(json!({"annotator":"judge"}))]).expect("imported");
    two.answer("alice", 1, &[choose("none")], 2_000);
    for (study, name, kind) in
        [(&mut one, "judge", AnnotatorKind::Model), (&mut two, "alice", AnnotatorKind::Human)]
    {
        let new = Annotator { id: "yan".into(), kind, meta: Meta::new() };
        study.file.amend(&[joined(name, "yan")], Some(&new), false).expect("renamed");
    }
    let reports = one.merge(&[&two]).expect("merged");
    assert!(reports[0].remarks[0].contains("\"yan\" is the name of a person in one file"), "{reports:?}");
    two.merge(&[&one]).expect("merged");
    let names = |study: &Study| -> Vec<(String, AnnotatorKind)> {
        let people = study.file.annotators_by_key().expect("read");
        people.into_iter().map(|(_, one)| (one.id, one.kind)).collect()
    };
    for study in [&mut one, &mut two] {
        study.is_derived();
        let those = [("judge".to_owned(), AnnotatorKind::Model), ("yan".to_owned(), AnnotatorKind::Human)];
        assert_eq!(names(study), those);
    }
    assert_eq!((one.judgments().len(), one.judgments()), (2, two.judgments()));

    // Whoever did something under the name keeps it, whichever file takes in the other.
    let (mut real, mut given) = (Study::with(&corpus()), Study::with(&corpus()));
    real.answer("yan", 1, &[choose("none")], 2_000);
    given.import(&[judgment(json!({"annotator":"judge"}))]).expect("imported");
    let new = Annotator { id: "yan".into(), kind: AnnotatorKind::Model, meta: Meta::new() };
    given.file.amend(&[joined("judge", "yan")], Some(&new), false).expect("renamed");
    given.merge(&[&real]).expect("merged");
    real.merge(&[&given]).expect("merged");
    assert_eq!((given.judgments().len(), given.judgments()), (2, real.judgments()));
    given.is_derived();
    real.is_derived();
}

#[test]
fn a_part_for_a_person_has_what_she_did_under_all_names() {
    let mut study = Study::with(&corpus());
    study.answer("alice", 0, &[choose("none")], 1_000);
    study.answer("alcie", 1, &[choose("none")], 2_000);
    study.answer("bora", 1, &[choose("none")], 3_000);
    study.amend(joined("alcie", "alice"));
    study.amend(amendment(Act::Withdraw, AmendedKind::Annotator, "bora"));
    let folder = tempfile::tempdir().expect("a folder");
    let part = folder.path().join("part.db");
    study.file.split("alice", &part).expect("split");
    let part = Study { file: crate::store::StudyFile::open(&part).expect("opened"), _folder: folder };
    assert_eq!(part.judgments(), study.judgments());
    let about: Vec<String> = part.file.amendments().expect("read").into_iter().map(|one| one.id).collect();
    assert_eq!(about, ["alcie"], "of others she learns nothing");
}

/// What somebody does in one of three files.
#[derive(Debug, Clone)]
enum Deed {
    Answer(u8, usize, bool),
    Amend(u8),
    Merge(usize),
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        3 => (0..3_u8, 0..5_usize, any::<bool>()).prop_map(|(who, item, full)| Deed::Answer(who, item, full)),
        2 => (0..8_u8).prop_map(Deed::Amend),
        1 => (0..3_usize).prop_map(Deed::Merge),
    ]
}

#[test]
fn a_queue_begins_behind_what_came_with_a_merge() {
    let (mut theirs, mut ours) = (Study::with(&corpus()), Study::with(&corpus()));
    theirs.file.open_queue("alice", coverage()).expect("opened");
    theirs.answer("alice", 1, &[choose("none")], 1_000);
    theirs.answer("alice", 0, &[choose("none")], 2_000);
    ours.file.merge(&[theirs.file.path().to_owned()], MergeMode::Write).expect("merged");
    let there = theirs.file.open_queue("alice", coverage()).expect("opened").resume;
    assert_eq!(ours.file.open_queue("alice", coverage()).expect("opened").resume, there);
    ours.is_derived();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn files_that_are_amended_and_merged_in_any_order_end_alike(
        deeds in prop::collection::vec((0..3_usize, deed()), 1..14),
    ) {
        let mut files: Vec<Study> = (0..3).map(|_| Study::with(&corpus())).collect();
        for (at, (file, deed)) in (1_i64..).zip(deeds) {
            let now = at * 1_000;
            match deed {
                Deed::Answer(who, item, full) => {
                    let who = ["alice", "alcie", "bora"][usize::from(who)];
                    let what: &[Happening] =
                        if full { &[choose("full"), link(1)] } else { &[choose("none")] };
                    // Who was left out may not; what is withdrawn is not asked.
                    let items = files[file].file.items("coverage").expect("read");
                    if files[file].file.open_queue(who, coverage()).is_ok() && item < items.len() {
                        files[file].answer(who, item, what, now);
                    }
                }
                Deed::Amend(which) => {
                    let act = if which % 2 == 0 { Act::Withdraw } else { Act::Restore };
                    let wanted = match which / 2 {
                        0 => amendment(act, AmendedKind::Query, "stress"),
                        1 => amendment(act, AmendedKind::Candidate, "c1"),
                        2 => amendment(act, AmendedKind::Annotator, "bora"),
                        _ => joined("alcie", "alice"),
                    };
                    // Nobody may be there yet of this name, or the two are one already.
                    let _ = files[file].file.amend(&[Amendment { at: now, ..wanted }], None, false);
                }
                Deed::Merge(other) if other != file => {
                    let path = files[other].file.path().to_owned();
                    files[file].file.merge(&[path], MergeMode::Write).expect("merged");
                }
                Deed::Merge(_) => {}
            }
            files[file].is_derived();
        }
        let paths: Vec<_> = files.iter().map(|study| study.file.path().to_owned()).collect();
        let mut ends = Vec::new();
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let mut end = Study::with(&corpus());
            for at in order {
                end.file.merge(&[paths[at].clone()], MergeMode::Write).expect("merged");
            }
            end.is_derived();
            ends.push((end.judgments(), end.file.amendments().expect("read")));
        }
        prop_assert_eq!(&ends[0], &ends[1]);
        prop_assert_eq!(&ends[0], &ends[2]);
    }
}
