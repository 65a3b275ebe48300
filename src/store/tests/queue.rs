//! Queues: order, extension, resuming, finding the way.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{Study, choose, corpus, coverage, judgment, keypoint, link};
use crate::journal::{Happening, Queue};
use crate::protocol::{Protocol, builtin};
use crate::store::work::navigate::QueuePart;
use crate::store::{QueueTaken, StudyFile, Target};
use crate::study::ItemId;
use crate::text::hash::fingerprint;

/// Group and unit of every item of a queue.
fn places(study: &Study, queue: &Queue, protocol: &Protocol) -> Vec<(String, String)> {
    (0..queue.progress.total)
        .map(|position| {
            let loaded = study.file.load(queue.annotator, protocol, position).expect("loaded");
            let keys = loaded.item.keys;
            let group = keys.candidate.or(keys.document).unwrap_or_default();
            (format!("{}/{group}", keys.query), keys.unit.unwrap_or_default())
        })
        .collect()
}

fn answer(study: &mut Study, queue: &Queue, position: usize, what: &[Happening]) {
    let item = study.file.load(queue.annotator, coverage(), position).expect("loaded").item;
    let time = |happening: &Happening| if *happening == left() { 0 } else { 400 };
    let timed: Vec<_> = what.iter().map(|happening| (happening.clone(), time(happening))).collect();
    study.file.append(queue.annotator, coverage(), item.id, item.texts(), &timed, 1_000).expect("appended");
}

/// The annotator went on to another item.
fn left() -> Happening {
    Happening::Visit { documents: Vec::new(), beyond_evidence: false, hint: None, sorted_by: None }
}

fn open(study: &mut Study, name: &str) -> Queue {
    study.file.open_queue(name, coverage()).expect("opened")
}

/// How often the group changes on the way, plus one.
fn runs(places: &[(String, String)], group: impl Fn(&str) -> &str) -> usize {
    let mut groups: Vec<&str> = places.iter().map(|(key, _)| group(key)).collect();
    groups.dedup();
    groups.len()
}

#[test]
fn a_queue_holds_every_item_once_in_groups() {
    let mut study = Study::with(&corpus());
    let queue = open(&mut study, "alice");
    assert_eq!((queue.progress.total, queue.resume, queue.recent.len()), (5, 0, 0));
    let places = places(&study, &queue, coverage());
    assert_eq!(places.iter().collect::<HashSet<_>>().len(), 5);
    assert_eq!(runs(&places, |key| key), 3, "{places:?}");
    let units: Vec<&str> =
        places.iter().filter(|(group, _)| group == "stress/c1").map(|(_, unit)| unit.as_str()).collect();
    assert_eq!(units, ["pomodoro", "tea"], "units keep the order of the corpus");
    let before = study.bytes();
    assert_eq!(open(&mut study, "alice"), queue);
    assert_eq!(study.bytes(), before, "opening again writes nothing");
}

/// Queries `q0`… with two candidates and a unit each, and one document per unit.
fn many(queries: usize) -> Vec<Value> {
    let mut records = vec![json!({"type":"collection","id":"c"})];
    for number in 1..=3 {
        records.push(
            json!({"type":"document","collection":"c","id":format!("d{number}"),"number":number,"text":"x"}),
        );
    }
    for query in 0..queries {
        let query = format!("q{query}");
        records.push(json!({"type":"query","collection":"c","id":query,"text":"?"}));
        for unit in ["u", "v"] {
            records.push(json!({"type":"unit","query":query,"id":unit,"kind":"insight","text":".","documents":["d3","d1"]}));
        }
        for candidate in ["a", "b"] {
            records.push(json!({"type":"candidate","query":query,"id":candidate,"text":"- x"}));
        }
    }
    records
}

#[test]
fn the_order_is_the_annotators_own_and_always_the_same() {
    let (mut one, mut two) = (Study::with(&many(12)), Study::with(&many(12)));
    let order = |study: &mut Study, name: &str| {
        let queue = open(study, name);
        places(study, &queue, coverage())
    };
    let alice = order(&mut one, "alice");
    assert_eq!(order(&mut two, "alice"), alice, "in every copy of the study");
    let bob = order(&mut one, "bob");
    assert_ne!(bob, alice);
    assert_eq!(runs(&alice, |key| key), 24);
    let sorted = |mut places: Vec<_>| {
        places.sort();
        places
    };
    assert_eq!(sorted(bob), sorted(alice));
}

#[test]
fn documents_of_one_query_stay_together() {
    let mut records = many(12);
    for record in &mut records {
        if record["type"] == "unit" {
            record["kind"] = json!("keypoint");
        }
    }
    let mut study = Study::with(&records);
    let queue = study.file.open_queue("alice", keypoint()).expect("opened");
    let places = places(&study, &queue, keypoint());
    assert_eq!(places.len(), 48);
    assert_eq!(runs(&places, |key| key), 24, "two documents a query");
    assert_eq!(runs(&places, |key| key.split('/').next().unwrap_or_default()), 12);
}

#[test]
fn what_comes_in_later_stands_at_the_end() {
    let mut study = Study::with(&corpus());
    let queue = open(&mut study, "alice");
    answer(&mut study, &queue, 0, &[choose("none")]);
    let before = places(&study, &queue, coverage());
    study
        .import(&[json!({"type":"unit","query":"stress","id":"walk","kind":"insight","text":"Walks help."})])
        .expect("imported");
    study
        .import(&[judgment(json!({"unit":"walk","answers":{"coverage":"none"}}))])
        .expect("imported before the queue was extended");
    let queue = open(&mut study, "alice");
    assert_eq!((queue.progress.total, queue.progress.judged), (7, 2));
    let after = places(&study, &queue, coverage());
    assert_eq!(after[..5], before);
    assert!(after[5..].iter().all(|(_, unit)| unit == "walk"), "{after:?}");
}

#[test]
fn opens_where_the_annotator_left_off() {
    let mut study = Study::with(&corpus());
    let queue = open(&mut study, "alice");
    answer(&mut study, &queue, 0, &[choose("none"), left()]);
    answer(&mut study, &queue, 3, &[choose("none")]);
    assert_eq!(open(&mut study, "alice").resume, 3, "it is judged, but was on the screen");
    answer(&mut study, &queue, 3, &[left()]);
    assert_eq!(open(&mut study, "alice").resume, 4, "the next open one");
    answer(&mut study, &queue, 4, &[choose("none"), left()]);
    assert_eq!(open(&mut study, "alice").resume, 1, "past the end it begins anew");
    answer(&mut study, &queue, 1, &[choose("full")]);
    assert_eq!(open(&mut study, "alice").resume, 1, "the bullet is missing");
    answer(&mut study, &queue, 1, &[link(1), left()]);
    answer(&mut study, &queue, 2, &[choose("none"), left()]);
    let queue = open(&mut study, "alice");
    assert_eq!((queue.resume, queue.progress.judged), (4, 5), "all done");
    assert_eq!(queue.recent, [400, 400, 400, 800, 400]);
}

#[test]
fn an_item_that_was_put_aside_comes_last_also_when_the_study_opens_again() {
    let mut study = Study::with(&corpus());
    let queue = open(&mut study, "alice");
    answer(&mut study, &queue, 1, &[Happening::Skip(true), left()]);
    assert_eq!(open(&mut study, "alice").resume, 2, "the next open one");
    answer(&mut study, &queue, 1, &[left()]);
    assert_eq!(open(&mut study, "alice").resume, 1, "she went there again");
    for position in [0, 2, 3, 4] {
        answer(&mut study, &queue, position, &[choose("none"), left()]);
    }
    assert_eq!(open(&mut study, "alice").resume, 1, "nothing else is left");
}

/// 2,400 items in 60 groups.
fn long() -> Vec<Value> {
    let mut records = vec![
        json!({"type":"collection","id":"c"}),
        json!({"type":"query","collection":"c","id":"q","text":"?"}),
    ];
    records.extend(
        (0..40).map(
            |unit| json!({"type":"unit","query":"q","id":format!("u{unit}"),"kind":"insight","text":"x"}),
        ),
    );
    records.extend(
        (0..60).map(|one| json!({"type":"candidate","query":"q","id":format!("k{one}"),"text":"- x"})),
    );
    records
}

/// Of a newcomer's long queue the first items are made at first, and it ends as if all had been made at once.
#[test]
fn a_long_queue_is_begun_and_filled() {
    let order = |study: &Study| -> Vec<(String, String, u32)> {
        let select = "SELECT k.key, u.key, q.group_number FROM queue q JOIN item i ON i.id = q.item
             JOIN candidate k ON k.id = i.candidate JOIN unit u ON u.id = i.unit ORDER BY q.position";
        let mut statement = study.file.connection.prepare(select).expect("a statement");
        let rows = statement.query_map([], |row| row.try_into()).expect("read");
        rows.collect::<rusqlite::Result<_>>().expect("read")
    };
    let in_file = |study: &Study| {
        let count = "SELECT count(*) FROM queue";
        study.file.connection.query_row(count, [], |row| row.get::<_, i64>(0)).expect("counted")
    };
    // An annotator who has judged before has the whole queue at once.
    let mut whole = Study::with(&long());
    let seen = json!({"type":"judgment","protocol":"coverage","annotator":"alice","query":"q","unit":"u3",
        "candidate":"k7","answers":{"coverage":"none"}});
    whole.import(&[json!({"type":"annotator","id":"alice","kind":"human"}), seen]).expect("imported");
    let expected = open(&mut whole, "alice");
    assert_eq!((expected.is_begun, expected.progress.total, in_file(&whole)), (false, 2_400, 2_400));
    let whole = order(&whole);

    let mut study = Study::with(&long());
    let begun = open(&mut study, "alice");
    assert_eq!(
        (begun.is_begun, begun.progress.total, in_file(&study)),
        (true, 2_400, 1_000),
        "25 groups of 40"
    );
    assert!(open(&mut study, "alice").is_begun, "nothing was added meanwhile");
    let loaded = |study: &Study| study.file.load(begun.annotator, coverage(), 41).expect("loaded");
    let first = loaded(&study);
    assert_eq!((first.place_of_group, first.group.len()), ((2, 60), 40));
    study.file.fill_queue("alice", coverage()).expect("filled");
    assert_eq!((loaded(&study), in_file(&study)), (first, 2_400));
    answer(&mut study, &begun, 2_399, &[choose("none")]);
    let queue = open(&mut study, "alice");
    assert_eq!((queue.is_begun, queue.progress.total, queue.progress.judged), (false, 2_400, 1));
    assert_eq!(order(&study), whole);

    // Another opening, or the same after a kill, fills what was begun.
    let mut killed = Study::with(&long());
    open(&mut killed, "alice");
    let mut other = StudyFile::open(killed.file.path()).expect("opened");
    let again = other.open_queue("alice", coverage()).expect("opened");
    assert_eq!((again.is_begun, again.progress.total, in_file(&killed)), (false, 2_400, 2_400));
    assert_eq!(order(&killed), whole);
}

#[test]
fn refuses_models_and_empty_studies() {
    let mut study = Study::with(&corpus());
    let error = study.file.open_queue("judge", coverage()).expect_err("a model").to_string();
    assert!(error.contains("\"judge\" is a model"), "{error}");
    for name in ["", "alice, bora", " alice"] {
        let error = study.file.open_queue(name, coverage()).expect_err("no name").to_string();
        assert!(error.contains("is no name of a person: it "), "{error}");
    }
    // A name that the study knows is allowed, whatever it is.
    let report =
        study.import(&[json!({"type":"annotator","id":"alice, bora","kind":"human"})]).expect("imported");
    assert!(report.remarks[0].what.contains("`haymark people --rename` gives another"), "{report:?}");
    study.file.refuse_stranger("alice, bora").expect("known");
    study.file.open_queue("alice, bora", coverage()).expect("known");

    let mut study = Study::empty();
    for (records, expected) in [
        (vec![], "the study has no queries"),
        (
            vec![
                json!({"type":"collection","id":"c"}),
                json!({"type":"query","collection":"c","id":"q","text":"?"}),
                json!({"type":"query","collection":"c","id":"r","text":"?"}),
            ],
            "the study has no candidates",
        ),
        (
            vec![json!({"type":"candidate","query":"q","id":"k","text":"- x"})],
            "the study has no content units",
        ),
        (
            vec![json!({"type":"unit","query":"r","id":"u","kind":"insight","text":"x"})],
            "no query of the study has everything that \"coverage\" judges",
        ),
    ] {
        study.import(&records).expect("imported");
        let before = study.bytes();
        let error = study.file.open_queue("alice", coverage()).expect_err("nothing").to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(study.bytes(), before, "not even the name is kept");
    }
}

#[test]
fn a_protocol_of_ranked_documents_asks_for_rankings() {
    let mut study = Study::with(&corpus());
    let retrieval = builtin("retrieval").expect("built in");
    let error = study.file.open_queue("alice", retrieval).expect_err("nothing is ranked").to_string();
    assert!(error.contains("the study has no `ranking` records"), "{error}");
    assert!(error.contains("import some `ranking` records first"), "{error}");
    let ranking = json!({"type":"ranking","query":"stress","retriever":"r","documents":[{"document":"d1"}]});
    study.import(&[ranking]).expect("imported");
    assert_eq!(study.file.open_queue("alice", retrieval).expect("opened").progress.total, 1);
}

#[test]
fn finds_the_next_open_and_flagged_ones() {
    let mut study = Study::with(&corpus());
    let queue = open(&mut study, "alice");
    answer(&mut study, &queue, 1, &[choose("none")]);
    answer(&mut study, &queue, 3, &[Happening::Skip(true), Happening::Flag(true)]);
    let file = &study.file;
    let open =
        |after, back| file.next_of(&QueuePart::OPEN, queue.annotator, "coverage", after, back).expect("read");
    assert_eq!(
        [open(0, false), open(2, false), open(4, false), open(4, true), open(0, true)],
        [Some(2), Some(4), Some(0), Some(2), Some(4)]
    );
    let flagged = |after, back| {
        file.next_of(&QueuePart::FLAGGED, queue.annotator, "coverage", after, back).expect("read")
    };
    assert_eq!([flagged(0, false), flagged(3, false), flagged(0, true)], [Some(3); 3]);
    assert_eq!(file.next_of(&QueuePart::FLAGGED, queue.annotator, "keypoint", 0, false).expect("read"), None);
    for position in [0, 2, 4] {
        answer(&mut study, &queue, position, &[choose("none")]);
    }
    assert_eq!(
        study.file.next_of(&QueuePart::OPEN, queue.annotator, "coverage", 0, false).expect("read"),
        None
    );
}

#[test]
fn the_directory_names_every_item() {
    let mut study = Study::with(&corpus());
    let queue = open(&mut study, "alice");
    let directory = study.file.directory(queue.annotator, "coverage").expect("read");
    assert_eq!(directory.len(), 5);
    for (position, entry) in directory.iter().enumerate() {
        let loaded = study.file.load(queue.annotator, coverage(), position).expect("loaded");
        assert_eq!(entry.position, position);
        assert_eq!(Some(&entry.unit), loaded.item.unit.as_ref().map(|unit| &unit.text));
        assert_eq!(entry.query, loaded.item.query.text);
        assert!(loaded.group.iter().any(|other| other.position == position));
    }
    assert_eq!(directory.last().map(|entry| entry.group), Some(3));
}

#[test]
fn there_is_nothing_beyond_the_queue() {
    let mut study = Study::with(&corpus());
    let queue = open(&mut study, "alice");
    let error = study.file.load(queue.annotator, coverage(), 5).expect_err("beyond").to_string();
    assert!(error.contains("has no item 6"), "{error}");
    let texts = fingerprint(["t"]);
    let nowhere = study.file.append(queue.annotator, coverage(), ItemId(999), texts, &[], 1);
    assert!(nowhere.is_err());
}

/// Groups of two: the eighth, then the third, as if sorted by a field.
#[test]
fn a_part_is_opened_by_itself_and_the_whole_again_after_it() {
    let mut study = Study::with(&many(6));
    let queue = open(&mut study, "alice");
    let whole = places(&study, &queue, coverage());
    let assignable = study.file.assignable(coverage()).expect("read");
    let items: Vec<Target> = [7, 2]
        .iter()
        .flat_map(|group| &assignable.groups[*group].items)
        .map(|item| assignable.items[*item])
        .collect();
    let part = |sorted_by: Option<&str>| {
        Some(QueueTaken { items: items.clone(), sorted_by: sorted_by.map(str::to_owned) })
    };
    study.file.take_part(part(Some("-seconds")));
    let queue = open(&mut study, "alice");
    let sorted = places(&study, &queue, coverage());
    let loaded = study.file.load(queue.annotator, coverage(), 0).expect("loaded");
    assert_eq!(
        (sorted.len(), loaded.item.keys.query.as_str()),
        (4, "q3"),
        "the eighth group is of the fourth query"
    );
    assert_eq!((loaded.sorted_by.as_deref(), loaded.place_of_group), (Some("-seconds"), (1, 2)));
    answer(&mut study, &queue, 0, &[choose("none")]);
    study.file.take_part(part(None));
    let queue = open(&mut study, "alice");
    let mut drawn = whole.clone();
    drawn.retain(|place| sorted.contains(place));
    assert_eq!((places(&study, &queue, coverage()), queue.progress.judged), (drawn, 1));
    study.file.take_part(None);
    let queue = open(&mut study, "alice");
    assert_eq!((places(&study, &queue, coverage()), queue.progress.judged), (whole, 1));
    assert_eq!(study.file.load(queue.annotator, coverage(), 0).expect("loaded").sorted_by, None);
}
