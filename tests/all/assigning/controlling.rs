//! Known answers, repeats and samples: on top of the work, and never in a statistic.

use super::progress::{row, table};
use super::*;
use haymark::store::StudyFile;

/// The expert knows ten of 30 questions; two of their points are not what everyone thinks.
pub fn with_expert() -> Desk {
    let desk = Desk::with_questions(30);
    let mut records = vec![json!({"type":"annotator","id":"expert","kind":"human"})];
    for question in 0..10 {
        for point in ["one", "two", "three", "four"] {
            let mut known =
                judgment("expert", question, point, if point == "four" { "disagree" } else { "agree" });
            known["comment"] = json!(format!("Because of {point}."));
            records.push(known);
        }
    }
    desk.import("expert.jsonl", &records);
    desk
}

const CONTROLS: [&str; 8] =
    ["--known-from", "expert", "--calibration", "8", "--control", "10%", "--repeats", "10%"];

pub fn assigned_with_controls() -> Desk {
    let desk = with_expert();
    desk.out(&[&["assign", "study.db", "--to", "alice,bob"], &CONTROLS[..]].concat());
    desk
}

pub fn of_role<'a>(records: &'a [Value], annotator: &str, role: &str) -> Vec<&'a Value> {
    let fits = |record: &&Value| record["annotator"] == annotator && record["role"] == role;
    records.iter().filter(fits).collect()
}

/// 8 calibration items are 2 questions, so 28 are left: 56 items each. A tenth is 6 control items, which is
/// two questions, and 6 repeats.
#[test]
fn controls_come_on_top_of_the_work() {
    let desk = assigned_with_controls();
    let records = desk.assignments();
    for name in ["alice", "bob"] {
        let count = |role: &str| of_role(&records, name, role).len();
        assert_eq!(["work", "calibration", "control", "repeat"].map(count), [56, 8, 8, 6], "{name}");
    }
    let told = of_role(&records, "alice", "calibration");
    assert_eq!(told.len(), 8);
    let first = told[0];
    assert_eq!(first["known"]["grounded"], "yes");
    assert_eq!((&first["pass"], &first["known_from"]), (&json!(80.0), &json!("expert")));
    assert_eq!(first["explanation"], format!("Because of {}.", first["unit"].as_str().expect("a unit")));
    let units = |records: Vec<&Value>| -> BTreeSet<(String, String)> {
        records.iter().map(|record| (record["query"].to_string(), record["unit"].to_string())).collect()
    };
    assert_eq!(units(told), units(of_role(&records, "bob", "calibration")), "all begin with the same");
    let work = units(of_role(&records, "alice", "work"));
    assert!(units(of_role(&records, "alice", "calibration")).is_disjoint(&work));
    assert!(units(of_role(&records, "alice", "control")).is_disjoint(&work));
    assert!(units(of_role(&records, "alice", "repeat")).is_subset(&work));
    let control = of_role(&records, "alice", "control");
    assert!(
        control.iter().all(|record| record.get("known").is_none()),
        "answers that are not told do not travel"
    );
    let again = desk.run(&[&["assign", "study.db"], &CONTROLS[..]].concat());
    assert!(String::from_utf8_lossy(&again.stderr).contains("nothing had to change"));
}

/// Carol comes later and gets a third of the 28 questions: 36 or 40 items. Of alice's and bob's 112 items 16
/// are control (a seventh: 5 or 6 of hers, which is two questions) and 12 repeats (4 of hers).
#[test]
fn newcomers_get_calibration_controls_and_repeats_too() {
    let desk = assigned_with_controls();
    let told = desk.out(&["assign", "study.db", "--to", "carol"]);
    assert!(told.contains("Newcomers get, on top of their work, what the others have."), "{told}");
    let records = desk.assignments();
    let count = |name: &str, role: &str| of_role(&records, name, role).len();
    assert!([36, 40].contains(&count("carol", "work")));
    assert_eq!(["calibration", "control", "repeat"].map(|role| count("carol", role)), [8, 8, 4]);
    let known = |name: &str| -> BTreeSet<(String, String)> {
        let told = of_role(&records, name, "calibration").into_iter();
        told.map(|one| (format!("{}/{}", one["query"], one["unit"]), one["known"].to_string())).collect()
    };
    assert_eq!(known("carol"), known("alice"), "the same items with the same answers");
    assert_eq!(of_role(&records, "carol", "calibration")[0]["pass"], json!(80.0));
    for name in ["alice", "bob"] {
        assert_eq!(["calibration", "control"].map(|role| count(name, role)), [8, 8], "{name} as before");
    }
    let again = desk.run(&["assign", "study.db", "--to", "carol"]);
    assert!(String::from_utf8_lossy(&again.stderr).contains("nothing had to change"));
}

/// The known answers are a person's, whatever her name.
#[test]
fn known_answers_stay_known_under_another_name() {
    let desk = assigned_with_controls();
    desk.out(&[
        "people", "study.db", "--rename", "expert", "--into", "教授", "--as", "lena", "--reason", "asked",
    ]);
    let told = desk.out(&["assign", "study.db", "--to", "carol"]);
    assert!(told.contains("Newcomers get, on top of their work, what the others have."), "{told}");
    let records = desk.assignments();
    let count = |role: &str| of_role(&records, "carol", role).len();
    assert_eq!(["calibration", "control"].map(count), [8, 8]);
    assert_eq!(of_role(&records, "carol", "calibration")[0]["known_from"], "教授");
}

#[test]
fn calibration_comes_first_and_repeats_well_behind_their_first_time() {
    let desk = assigned_with_controls();
    let records = desk.assignments();
    let queue = desk.queue("alice");
    assert_eq!(queue.len(), 56 + 8 + 8 + 6);
    let name = |record: &Value| {
        format!("{}/{}", record["query"].as_str().expect("q"), record["unit"].as_str().expect("u"))
    };
    let calibration: BTreeSet<String> =
        of_role(&records, "alice", "calibration").into_iter().map(name).collect();
    assert_eq!(queue.iter().take(8).cloned().collect::<BTreeSet<String>>(), calibration);
    for repeat in of_role(&records, "alice", "repeat") {
        let places: Vec<usize> =
            queue.iter().enumerate().filter(|(_, item)| **item == name(repeat)).map(|(at, _)| at).collect();
        assert_eq!(places.len(), 2, "{repeat}");
        assert!(places[1] - places[0] > 20, "{places:?}");
    }
}

/// Answers everything in the annotator's queue with `validity`, except what `differs` names.
pub fn judge_all(desk: &Desk, annotator: &str, differs: impl Fn(usize) -> bool) {
    use haymark::journal::Happening;
    use haymark::protocol::Answer;
    let protocol = builtin("keypoint").expect("built in");
    let mut study = desk.study();
    let queue = study.open_queue(annotator, protocol).expect("a queue");
    for position in 0..queue.progress.total {
        let loaded = study.load(queue.annotator, protocol, position).expect("an item");
        let answer = |question: &str, value: &str| Happening::Answer {
            question: question.to_owned(),
            answer: Answer::Text(value.to_owned()),
        };
        let validity = if differs(position) { "neutral" } else { "agree" };
        let happenings = [(answer("grounded", "yes"), 4_000), (answer("validity", validity), 6_000)];
        let now = 1_767_600_000_000 + i64::try_from(position).expect("few") * 10_000;
        study
            .append(queue.annotator, protocol, loaded.item.id, loaded.item.texts(), &happenings, now)
            .expect("saved");
    }
    let done = study.open_queue(annotator, protocol).expect("a queue").progress;
    assert_eq!((done.judged, done.total), (queue.progress.total, queue.progress.total));
}

#[test]
fn what_stands_beside_the_study_is_in_no_statistic_and_goes_through_export_and_back() {
    let desk = assigned_with_controls();
    let before = desk.json(&["score", "study.db"]);
    judge_all(&desk, "alice", |position| position >= 60);
    let study = desk.study();
    let alice = validity(&study).into_iter().filter(|label| label != "disagree");
    // 40 answers of the expert, of which 10 are "disagree"; of alice's 78 only work and control count.
    assert_eq!(alice.count(), 30 + 56 + 8);
    assert_eq!(study.active_times("keypoint").expect("times").len(), 40 + 64);
    assert_eq!(study.items("keypoint").expect("items").len(), 120);
    assert_ne!(desk.json(&["score", "study.db"]), before);
    drop(study);

    let beside: Vec<Value> =
        desk.exported("judgment").into_iter().filter(|record| record.get("aside").is_some()).collect();
    assert_eq!(beside.len(), 8 + 6);
    let told = desk.out(&["status", "study.db", "--protocol", "keypoint"]);
    assert!(told.contains("14 of the 118 done are calibration items or repeats"), "40 and 78: {told}");
    let first = desk.out(&["export", "study.db"]);
    fs::write(desk.path("first.jsonl"), &first).expect("written");
    desk.out(&["import", "second.db", "first.jsonl"]);
    assert_eq!(desk.out(&["export", "second.db"]), first);
    assert_eq!(desk.out(&["score", "second.db"]), desk.out(&["score", "study.db"]));
    let told = desk.out(&["import", "second.db", "first.jsonl"]);
    assert!(told.contains("nothing new"), "{told}");

    let mut study = desk.study();
    let protocol = builtin("keypoint").expect("built in");
    let progress = study.open_queue("alice", protocol).expect("a queue").progress;
    study.rebuild_caches().expect("rebuilt");
    assert_eq!(study.open_queue("alice", protocol).expect("a queue").progress, progress);
    drop(study);
    assert_eq!(desk.out(&["export", "study.db"]), first, "nothing of it is in a cache");
}

#[test]
fn a_sample_for_a_second_look_is_stratified_and_assigned() {
    let desk = Desk::with_questions(12);
    let mut records = Vec::new();
    for question in 0..12 {
        for point in ["one", "two", "three", "four"] {
            records.push(judgment("alice", question, point, "agree"));
        }
    }
    desk.import("judgments.jsonl", &records);
    let sample = ["check-sample", "study.db", "--share", "25%", "--stratify", "domain"];
    let listed = desk.json(&sample);
    let rows = listed["rows"].as_array().expect("rows");
    // A quarter of 48 is 12: four of each domain.
    assert_eq!((rows.len(), &listed["of"]), (12, &json!(48)));
    for domain in ["law", "health", "travel"] {
        assert_eq!(rows.iter().filter(|row| row["stratum"] == domain).count(), 4);
    }
    assert_eq!(desk.json(&sample), listed, "the same seed draws the same");
    assert_ne!(desk.json(&[&sample[..], &["--seed", "2"]].concat())["rows"], listed["rows"]);
    assert_eq!(desk.assignments().len(), 0, "without --to nothing is assigned");
    desk.out(&[&sample[..], &["--to", "bob"]].concat());
    let assigned = desk.assignments();
    assert_eq!(assigned.len(), 12);
    assert!(assigned.iter().all(|record| record["role"] == "check" && record["annotator"] == "bob"));
    assert_eq!(desk.queue("bob").len(), 12);
    assert_eq!(desk.queue("carol").len(), 48, "a sample for one leaves the others as they are");
    assert_eq!(desk.json(&[&sample[..], &["--to", "bob"]].concat())["rows"], listed["rows"], "no more of it");
    assert_eq!(desk.assignments().len(), 12);
}

/// Alice takes her part home, judges all of it there, and it comes back: calibration answers travel with her
/// assignments, the expert's judgments do not.
#[test]
fn a_part_is_taken_home_and_comes_back() {
    let desk = assigned_with_controls();
    desk.out(&["split", "study.db", "--for", "alice", "--to", "home.db"]);
    let home = Desk::new();
    fs::copy(desk.path("home.db"), home.path("study.db")).expect("taken home");
    assert_eq!(home.queue("alice"), desk.queue("alice"));
    assert!(home.exported("judgment").is_empty(), "nobody else's judgments");
    {
        let protocol = builtin("keypoint").expect("built in");
        let mut study = home.study();
        let queue = study.open_queue("alice", protocol).expect("a queue");
        let first = study.load(queue.annotator, protocol, 0).expect("an item").calibration.expect("known");
        assert_eq!((first.count, first.pass, first.known.len()), (8, Some(80.0), 2));
        assert!(first.explanation.starts_with("Because of "), "{}", first.explanation);
    }
    let told = home.out(&["status", "study.db", "--protocol", "keypoint"]);
    assert!(
        told.contains("what others have is not in this file") && !told.contains("assigned to nobody"),
        "{told}"
    );
    judge_all(&home, "alice", |_| false);
    fs::copy(home.path("study.db"), desk.path("back.db")).expect("brought back");
    desk.out(&["merge", "study.db", "back.db"]);
    let status = desk.json(&["status", "study.db", "--protocol", "keypoint"]);
    let alice = &status[0]["rows"].as_array().expect("rows").iter().find(|row| row["annotator"] == "alice");
    assert_eq!(alice.expect("alice")["done"], 78);
    assert_eq!(validity(&desk.study()).len(), 40 + 64, "what stands beside the study stays there");
}

/// Everyone's current answers to the question, a word a judgment.
fn validity(study: &StudyFile) -> Vec<String> {
    let protocol = haymark::protocol::builtin("keypoint").expect("built in");
    let material = study.material(protocol, haymark::store::VersionsRead::All).expect("read");
    let answer = |row| Some(material.answers(row).get("validity")?.as_text()?.to_owned());
    material.rows().iter().filter_map(answer).collect()
}

/// The expert's answers to the calibration items, or others, in the place of alice's.
fn calibrate(desk: &Desk, is_right: bool) {
    use haymark::journal::Happening;
    use haymark::protocol::Answer;
    let protocol = builtin("keypoint").expect("built in");
    let mut study = desk.study();
    let queue = study.open_queue("alice", protocol).expect("a queue");
    for position in 0..8 {
        let loaded = study.load(queue.annotator, protocol, position).expect("an item");
        let known = loaded.calibration.expect("a calibration item").known;
        let wrong = [("grounded".to_owned(), Answer::Text("no".to_owned()))];
        let given = if is_right { known.into_iter().collect() } else { wrong.to_vec() };
        let answer = |(question, answer)| (Happening::Answer { question, answer }, 5_000);
        let happenings: Vec<_> = given.into_iter().map(answer).collect();
        study
            .append(queue.annotator, protocol, loaded.item.id, loaded.item.texts(), &happenings, 0)
            .expect("saved");
    }
}

fn quality_of_alice(desk: &Desk) -> (Value, Value) {
    let status = desk.json(&["status", "study.db", "--protocol", "keypoint"]);
    let tables = status.as_array().expect("tables");
    let rows = tables.iter().filter_map(|table| table["rows"].as_array()).flatten();
    let mut alice = rows.filter(|row| row["annotator"] == "alice" && row.get("mark").is_some());
    let alice = alice.next().expect("a row with a mark");
    (alice["mark"].clone(), alice["calibrations"].clone())
}

/// Eight calibration items and, of the other 28 questions with four points each, half. 80 % must be as known.
#[test]
fn work_waits_until_calibration_is_passed() {
    let desk = with_expert();
    let must = ["--known-from", "expert", "--calibration", "8", "--must-pass"];
    desk.out(&[&["assign", "study.db", "--to", "alice,bob"], &must[..]].concat());
    assert!(of_role(&desk.assignments(), "alice", "calibration").iter().all(|one| one["must_pass"] == true));
    let protocol = builtin("keypoint").expect("built in");
    let open = || desk.study().open_queue("alice", protocol).expect("a queue");
    let stands = || {
        let queue = open();
        (queue.progress.total, queue.progress.judged, queue.held)
    };
    assert_eq!(stands(), (8, 0, 56));
    assert_eq!(quality_of_alice(&desk), (json!("not done, work waits"), json!(0)));
    calibrate(&desk, false);
    assert_eq!(stands(), (8, 8, 56), "nothing is as known");
    let paid = || {
        let status = desk.json(&["status", "study.db", "--protocol", "keypoint", "--pay", "1/item"]);
        row(&table(&status, "Progress"), "alice")["pay"].clone()
    };
    assert_eq!(paid(), "8.00");
    assert_eq!(quality_of_alice(&desk), (json!("not passed, work waits"), json!(1)));

    // The file that travels, and what comes of both together, say the same.
    desk.out(&["split", "study.db", "--for", "alice", "--to", "home.db"]);
    let mut home = StudyFile::open(&desk.path("home.db")).expect("a study");
    assert_eq!(home.open_queue("alice", protocol).expect("a queue").held, 56);
    let annotator = open().annotator;
    desk.study().calibrate_anew(annotator, protocol, 0).expect("written");
    assert_eq!(stands(), (8, 0, 56), "all is to be judged again");
    assert_eq!(paid(), "8.00", "what was done stays paid");
    desk.study().calibrate_anew(annotator, protocol, 0).expect("nothing to do");
    calibrate(&desk, true);
    assert_eq!(stands(), (64, 8, 0), "and then the work comes, behind it");
    assert_eq!(paid(), "16.00", "it was done twice");
    assert_eq!(quality_of_alice(&desk), (json!("passed"), json!(2)));
    drop(home);
    desk.out(&["merge", "home.db", "study.db"]);
    let mut home = StudyFile::open(&desk.path("home.db")).expect("a study");
    let queue = home.open_queue("alice", protocol).expect("a queue");
    assert_eq!((queue.progress.total, queue.progress.judged, queue.held), (64, 8, 0));

    // Who comes later must pass too; and those who need not so far must, once they are told.
    desk.out(&["assign", "study.db", "--to", "carol"]);
    assert_eq!(desk.study().open_queue("carol", protocol).expect("a queue").progress.total, 8);
    let free = assigned_with_controls();
    assert_eq!(free.queue("alice").len(), 78);
    free.out(&[&["assign", "study.db"], &must[..]].concat());
    assert_eq!(free.queue("alice").len(), 8);
    assert_eq!(of_role(&free.assignments(), "alice", "calibration").len(), 8, "the same ones");

    let bad = json!({"type":"assignment","protocol":"keypoint","annotator":"alice","collection":"c1","query":"q1",
        "document":"d","unit":"one","role":"calibration","must_pass":true});
    free.records("bad.jsonl", &[bad]);
    let told = free.told(&["import", "study.db", "bad.jsonl"]);
    assert!(told.contains("\"must_pass\" has no mark"), "{told}");
}

/// What somebody wrote is no known answer for anybody: a second name of hers is known to nobody.
#[test]
fn what_somebody_wrote_is_known_to_nobody() {
    let desk = Desk::new();
    let setup = json!({"seed":7,"limit":7_200_000,"documents":"relevant","order":[1],"shows_clock":true,
        "insights":2,"has_judged":false});
    let events = json!({"2f6b10c49d7735a1":[[1,1_000,0,"open",{"after":null,"has_judged":false}],
        [2,2_000,1_000,"edit",[0,0,"- Breaks"]],[3,3_000,2_000,"snapshot",{"is_last":true}],[4,3_001,2_001,"end","finished"]]});
    let mut records = vec![
        json!({"type":"collection","id":"c"}),
        json!({"type":"document","collection":"c","id":"d1","number":1,"text":"Breaks help."}),
        json!({"type":"query","collection":"c","id":"q","text":"What helps?"}),
        json!({"type":"unit","query":"q","id":"u1","kind":"insight","text":"Breaks help.","documents":["d1"]}),
        json!({"type":"annotator","id":"expert","kind":"human"}),
        json!({"type":"annotator","id":"alice","kind":"human"}),
        json!({"type":"session","id":"7c41d0a95be2438f90a6c3d57e18f2b4","annotator":"alice","collection":"c",
            "query":"q","setup":setup,"events":events}),
    ];
    records.extend((0..5).map(|number| {
        json!({"type":"candidate","query":"q","id":format!("s{number}"),"summarizer":"gpt","text":"- Breaks help [1]"})
    }));
    desk.import("corpus.jsonl", &records);
    let exported = desk.out(&["export", "study.db"]);
    let candidates = exported.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let candidates: Vec<Value> = candidates.filter(|record| record["type"] == "candidate").collect();
    let hers = candidates
        .iter()
        .find(|one| one["summarizer"].as_str().is_some_and(|it| it.starts_with("human:")))
        .expect("hers")["id"]
        .clone();
    let judged = |one: &Value| {
        json!({"type":"judgment","protocol":"coverage","annotator":"expert","collection":"c","query":"q",
            "unit":"u1","candidate":one["id"],"answers":{"coverage":"none"},"seconds":5.0,"at":"2026-01-05T09:30:00Z"})
    };
    desk.import("expert.jsonl", &candidates.iter().map(judged).collect::<Vec<_>>());
    std::fs::copy(desk.path("study.db"), desk.path("before.db")).expect("copied");
    for (asked, share, role) in [("--calibration", "9", "calibration"), ("--control", "100%", "control")] {
        std::fs::copy(desk.path("before.db"), desk.path("study.db")).expect("copied");
        desk.out(&[
            "assign",
            "study.db",
            "--to",
            "alice2,bora",
            "--protocol",
            "coverage",
            "--known-from",
            "expert",
            asked,
            share,
        ]);
        let given = desk.assignments();
        let known = |name: &str| {
            of_role(&given, name, role).into_iter().map(|one| one["candidate"].clone()).collect::<Vec<_>>()
        };
        assert!(!known("bora").is_empty(), "{given:?}");
        for name in ["alice2", "bora"] {
            assert!(!known(name).contains(&hers), "{role} of {name}: {given:?}");
        }
    }
}

/// Which items can be given back must not tell their roles: all can that have no answer. Neither the item nor its repeat comes again.
#[test]
fn an_item_in_any_role_is_given_back() {
    let desk = assigned_with_controls();
    let protocol = builtin("keypoint").expect("built in");
    let before = desk.assignments();
    let mut study = desk.study();
    let queue = study.open_queue("alice", protocol).expect("a queue");
    study.fill_queue("alice", protocol).expect("filled");
    let name = |record: &Value| {
        format!("{}/{}", record["query"].as_str().expect("q"), record["unit"].as_str().expect("u"))
    };
    let names = desk.queue("alice");
    let mut gone = Vec::new();
    for role in ["work", "control", "repeat", "calibration"] {
        let mut of = of_role(&before, "alice", role);
        of.retain(|one| {
            role != "work" || !of_role(&before, "alice", "repeat").iter().any(|two| name(one) == name(two))
        });
        // A repeat comes after its first time.
        let is_it = |(_, at): &(usize, &String)| of.iter().any(|one| name(one) == **at);
        let position = names.iter().enumerate().rfind(is_it).expect(role).0;
        let item = study.load(queue.annotator, protocol, position).expect("an item").item.id;
        gone.push((role, item, names[position].clone()));
    }
    for (role, item, _) in &gone {
        study
            .give_back(queue.annotator, *item, "too hard", 1_000)
            .unwrap_or_else(|error| panic!("{role}: {error}"));
    }
    drop(study);
    let count = |records: &[Value]| {
        ["work", "control", "repeat", "calibration", "back"].map(|role| of_role(records, "alice", role).len())
    };
    let after = desk.assignments();
    assert_eq!((count(&before), count(&after)), ([56, 8, 6, 8, 0], [55, 7, 5, 7, 4]));
    let status = desk.out(&["status", "study.db", "--protocol", "keypoint"]);
    assert_eq!(status.matches("too hard").count(), 4, "{status}");
    desk.out(&["check", "study.db"]);
    assert_eq!(desk.queue("alice").len(), names.len() - 4);
    // An export tells the same, and makes the same study.
    desk.out(&["export", "study.db", "--format", "jsonl", "--output", "all.jsonl"]);
    desk.out(&["import", "other.db", "all.jsonl"]);
    let other = StudyFile::open(&desk.path("other.db")).expect("a study").assignment_records().expect("read");
    let other = other.iter().map(|one| json!(one));
    let mut sides: Vec<String> =
        other.filter(|one| one["role"] == "back").map(|one| one["aside"].to_string()).collect();
    sides.sort_unstable();
    assert_eq!(sides, ["\"calibration\"", "\"repeat\"", "null", "null"]);
    // The next plan gives none of them to her again, and leaves her the work of which she gave the repeat back.
    desk.out(&[&["assign", "study.db", "--to", "alice,bob"], &CONTROLS[..]].concat());
    let planned = desk.assignments();
    assert_eq!(of_role(&planned, "alice", "back").len(), 4, "{planned:?}");
    let repeated = &gone[2].2;
    assert!(of_role(&planned, "alice", "work").iter().any(|one| name(one) == *repeated), "{repeated}");
    desk.out(&["check", "study.db"]);
}
