//! Assigning work as a shell does it: even shares, whole groups, nothing judged ever moves, and queues that
//! hold what is assigned.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use haymark::protocol::builtin;
use haymark::store::StudyFile;
use serde_json::{Value, json};

use crate::harness::Desk;

pub mod controlling;
mod parts;
mod progress;

impl Desk {
    /// A study of `questions` questions with four key points each, of domains by turns.
    fn with_questions(questions: usize) -> Desk {
        let desk = Desk::new();
        desk.import("corpus.jsonl", &corpus(questions));
        desk
    }

    /// The assignments that stand, as exported.
    fn assignments(&self) -> Vec<Value> {
        self.exported("assignment")
    }

    fn study(&self) -> StudyFile {
        StudyFile::open(&self.path("study.db")).expect("a study")
    }

    /// The units of an annotator's queue, in its order.
    fn queue(&self, annotator: &str) -> Vec<String> {
        let protocol = builtin("keypoint").expect("built in");
        let mut study = self.study();
        let queue = study.open_queue(annotator, protocol).expect("a queue");
        (0..queue.progress.total)
            .map(|position| {
                let loaded = study.load(queue.annotator, protocol, position).expect("an item");
                let item = loaded.item.keys;
                format!("{}/{}", item.query, item.unit.expect("a key point"))
            })
            .collect()
    }
}

fn corpus(questions: usize) -> Vec<Value> {
    let mut records = Vec::new();
    for number in 0..questions {
        let domain = ["law", "health", "travel"][number % 3];
        let (collection, query) = (format!("c{number}"), format!("q{number}"));
        records.push(json!({"type":"collection","id":collection,"domain":domain}));
        records.push(json!({"type":"document","collection":collection,"id":"d","number":1,
            "text":"One. Two. Three. Four."}));
        records.push(json!({"type":"query","collection":collection,"id":query,"text":"What?"}));
        for point in ["one", "two", "three", "four"] {
            records.push(json!({"type":"unit","collection":collection,"query":query,"id":point,
                "kind":"keypoint","text":point,"documents":["d"]}));
        }
    }
    for name in ["alice", "bob", "carol", "dan"] {
        records.push(json!({"type":"annotator","id":name,"kind":"human"}));
    }
    records
}

/// A judgment under `keypoint`: grounded, and this validity.
fn judgment(annotator: &str, question: usize, point: &str, validity: &str) -> Value {
    json!({"type":"judgment","protocol":"keypoint","annotator":annotator,"collection":format!("c{question}"),
        "query":format!("q{question}"),"document":"d","unit":point,
        "answers":{"grounded":"yes","validity":validity},"seconds":10.0,"at":"2026-01-05T09:30:00Z"})
}

/// Who has which item, by query and unit.
fn holders(assignments: &[Value]) -> BTreeMap<(String, String), BTreeSet<String>> {
    let mut holders: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for record in assignments {
        let text = |key: &str| record[key].as_str().expect("a key").to_owned();
        holders.entry((text("query"), text("unit"))).or_default().insert(text("annotator"));
    }
    holders
}

const ASSIGN: [&str; 4] = ["assign", "study.db", "--to", "alice,bob,carol,dan"];

/// 30 questions of 4 points for 4 annotators, a tenth (3 questions) to all: 27 questions over 4 are 7, 7, 7 and 6,
/// so 10 or 9 questions each, which is 40 or 36 items.
#[test]
fn the_work_is_spread_evenly_in_whole_groups_and_a_share_goes_to_all() {
    let desk = Desk::with_questions(30);
    let plan = desk.json(&[&ASSIGN[..], &["--overlap", "10%", "--stratify", "domain"]].concat());
    let rows = plan[0]["rows"].as_array().expect("rows");
    let items: Vec<u64> = rows.iter().map(|row| row["items"].as_u64().expect("a count")).collect();
    assert_eq!(items.iter().sum::<u64>(), 3 * 4 * 4 + 27 * 4);
    assert!(items.iter().all(|items| [36, 40].contains(items)), "{items:?}");
    assert!(rows.iter().all(|row| row["shared"] == 12), "{rows:?}");
    for stratum in plan[1]["rows"].as_array().expect("strata") {
        assert_eq!((&stratum["groups"], &stratum["items"]), (&json!(10), &json!(40)));
        let apart = stratum["most"].as_u64().expect("most") - stratum["least"].as_u64().expect("least");
        assert!(apart <= 4, "{stratum}");
    }
    let holders = holders(&desk.assignments());
    assert_eq!(holders.len(), 120);
    let mut by_query: BTreeMap<&str, BTreeSet<&BTreeSet<String>>> = BTreeMap::new();
    for ((query, _), people) in &holders {
        by_query.entry(query).or_default().insert(people);
    }
    assert!(by_query.values().all(|people| people.len() == 1), "all points of a question go together");
    let shared: Vec<&&str> = by_query
        .iter()
        .filter(|(_, people)| people.iter().any(|all| all.len() == 4))
        .map(|(query, _)| query)
        .collect();
    let domains: BTreeSet<usize> = shared
        .iter()
        .map(|query| query.trim_start_matches('q').parse::<usize>().expect("a number") % 3)
        .collect();
    assert_eq!((shared.len(), domains.len()), (3, 3), "one question of each domain is shared");
}

#[test]
fn a_dry_run_writes_nothing_and_the_same_seed_gives_the_same_plan() {
    let desk = Desk::with_questions(9);
    let before = fs::read(desk.path("study.db")).expect("the study");
    let dry = desk.out(&[&ASSIGN[..], &["--dry-run"]].concat());
    let dry_words = dry.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        dry_words.contains(
            "Each annotator has 8 to 12 items. Groups are handed out whole, and the largest has 4 items: shares, also \
             of control items, are met as nearly as groups allow."
        ),
        "{dry}"
    );
    assert_eq!(fs::read(desk.path("study.db")).expect("the study"), before, "not a byte has changed");
    assert!(dry.lines().all(|line| line.chars().count() <= 80), "{dry}");
    let other = Desk::with_questions(9);
    other.out(&["assign", "study.db", "--to", "dan,carol,bob,alice"]);
    desk.out(&ASSIGN);
    assert_eq!(holders(&desk.assignments()), holders(&other.assignments()));
    let seeded = Desk::with_questions(9);
    seeded.out(&[&ASSIGN[..], &["--seed", "2"]].concat());
    assert_ne!(holders(&desk.assignments()), holders(&seeded.assignments()));
    let again = desk.run(&ASSIGN);
    assert!(String::from_utf8_lossy(&again.stderr).contains("nothing had to change"));
}

/// Alice has judged two of three questions of four points; the third goes to bob, who has nothing.
#[test]
fn the_plan_says_what_is_still_to_be_judged() {
    let desk = Desk::with_questions(3);
    let points = ["one", "two", "three", "four"];
    let judged = (0..2).flat_map(|question| points.map(|point| judgment("alice", question, point, "agree")));
    desk.import("judged.jsonl", &judged.collect::<Vec<_>>());
    let told = desk.out(&["assign", "study.db", "--to", "alice,bob", "--dry-run"]);
    let words = told.split_whitespace().collect::<Vec<_>>().join(" ");
    let note = "Each annotator has 4 to 8 items, and 0 to 4 of them still to judge: what was judged stays.";
    assert!(words.contains(note), "{told}");
}

#[test]
fn whoever_comes_or_leaves_moves_only_what_is_not_judged() {
    let desk = Desk::with_questions(20);
    desk.out(&["assign", "study.db", "--to", "alice,bob,carol"]);
    let first = holders(&desk.assignments());
    // Alice has judged two questions of hers to the end and begun a third, and bob one.
    let of = |name: &str| -> Vec<usize> {
        let own = first.iter().filter(|(_, people)| people.contains(name));
        let queries: BTreeSet<usize> =
            own.map(|((query, _), _)| query.trim_start_matches('q').parse().expect("a number")).collect();
        queries.into_iter().collect()
    };
    let mut judged = Vec::new();
    for (name, question, points) in [
        ("alice", of("alice")[0], 4),
        ("alice", of("alice")[1], 4),
        ("alice", of("alice")[2], 1),
        ("bob", of("bob")[0], 4),
    ] {
        let points = ["one", "two", "three", "four"].into_iter().take(points);
        judged.extend(points.map(|point| judgment(name, question, point, "agree")));
    }
    desk.import("judgments.jsonl", &judged);

    desk.out(&["assign", "study.db", "--to", "dan"]);
    let second = holders(&desk.assignments());
    assert!(second.values().all(|people| people.len() == 1));
    // 20 questions over four: five each.
    for name in ["alice", "bob", "carol", "dan"] {
        assert_eq!(second.values().filter(|people| people.contains(name)).count(), 20, "{name}");
    }
    let moved = first.iter().filter(|(item, people)| second[*item] != **people);
    assert!(moved.clone().all(|(item, _)| second[item].contains("dan")), "only to the new one");
    assert_eq!(moved.count(), 20);
    for record in &judged {
        let item =
            (record["query"].as_str().expect("q").to_owned(), record["unit"].as_str().expect("u").to_owned());
        assert_eq!(second[&item], first[&item], "{record}");
    }

    desk.out(&["assign", "study.db", "--remove", "alice"]);
    let third = holders(&desk.assignments());
    let of_alice = third.iter().filter(|(_, people)| people.contains("alice")).count();
    assert_eq!((third.len(), of_alice), (80, 9), "what she judged stays hers");
    assert!(third.values().all(|people| people.len() == 1), "and is not given to others");
    assert_eq!(desk.queue("alice").len(), 9);
    desk.out(&["assign", "study.db"]);
    assert_eq!(holders(&desk.assignments()), third, "she does not come back by herself");
}

/// Who is left out may be removed before or after.
#[test]
fn the_work_of_who_is_left_out_goes_to_the_others() {
    let remove = "assign study.db --remove bob";
    let leave_out = "people study.db --leave-out bob --as lena --reason gone";
    for order in [[remove, leave_out], [leave_out, remove]] {
        let desk = Desk::with_questions(8);
        desk.out(&["assign", "study.db", "--to", "alice,bob"]);
        let [first, second] = order.map(|command| {
            desk.out(&command.split(' ').collect::<Vec<_>>());
            let told = "keypoint: 16 items given to people who are left out, to be handed out again:";
            let of_protocol = desk.out(&["status", "study.db", "--protocol", "keypoint"]);
            assert!(!of_protocol.contains("assigned to nobody"), "{of_protocol}");
            desk.out(&["status", "study.db"]).contains(told)
        });
        assert_eq!([first, second], [order[0] == leave_out, false]);
        desk.out(&["people", "study.db", "--take-back", "bob", "--as", "lena", "--reason", "back"]);
        let holders = holders(&desk.assignments());
        assert!(holders.len() == 32 && holders.values().all(|people| people.iter().eq(["alice"])));
    }
}

/// Whoever leaves somebody out is told of her open work, and of the command that gives it to others.
#[test]
fn leaving_out_tells_of_open_work() {
    let desk = Desk::with_questions(8);
    desk.out(&["assign", "study.db", "--to", "alice,bob"]);
    let leave_out = ["people", "study.db", "--leave-out", "bob", "--as", "lena", "--reason", "gone"];
    let open = "keypoint: 16 items given to people who are left out, to be handed out again: \
        `haymark assign STUDY --protocol keypoint --remove bob`.";
    let told = |arguments: &[&str]| {
        let told = desk.run(arguments);
        let told = String::from_utf8_lossy(&[told.stdout, told.stderr].concat()).into_owned();
        told.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let tried = told(&[&leave_out[..], &["--dry-run"]].concat());
    assert!(!tried.contains("16 items"), "{tried}");
    for arguments in [&leave_out[..], &["people", "study.db"], &["status", "study.db"]] {
        let told = told(arguments);
        assert!(told.contains(open), "{told}");
    }
    desk.out(&["assign", "study.db", "--protocol", "keypoint", "--remove", "bob"]);
    assert!(!told(&["people", "study.db"]).contains("16 items"));
}

#[test]
fn queues_hold_what_is_assigned_and_say_so_where_that_is_nothing() {
    let desk = Desk::with_questions(8);
    assert_eq!(desk.queue("alice").len(), 32, "without assignments everything");
    desk.import("judgments.jsonl", &[judgment("carol", 3, "two", "agree")]);
    desk.out(&["assign", "study.db", "--to", "alice,bob"]);
    let (alice, bob): (BTreeSet<_>, BTreeSet<_>) =
        (desk.queue("alice").into_iter().collect(), desk.queue("bob").into_iter().collect());
    assert_eq!((alice.len(), bob.len(), alice.union(&bob).count()), (16, 16, 32));
    assert_eq!(desk.queue("carol"), ["q3/two"], "what she judged before");
    let mut study = desk.study();
    let error =
        study.open_queue("dan", builtin("keypoint").expect("built in")).expect_err("nothing").to_string();
    assert!(
        error.contains(
            "nothing of \"keypoint\" is assigned to \"dan\"; ask for a part of the work: \
        `haymark assign STUDY --to dan`"
        ),
        "{error}"
    );
    let groups: Vec<String> =
        desk.queue("alice").iter().map(|item| item.split('/').next().expect("a query").to_owned()).collect();
    let mut once = groups.clone();
    once.dedup();
    assert_eq!(once.len(), once.iter().collect::<BTreeSet<_>>().len(), "groups stand together: {groups:?}");
}

#[test]
fn assignments_go_through_export_and_import() {
    let desk = Desk::with_questions(6);
    desk.out(&[&ASSIGN[..], &["--overlap", "50%", "--raters", "2"]].concat());
    let first = desk.out(&["export", "study.db"]);
    assert!(desk.assignments().iter().any(|record| record["role"] == "shared" && record["raters"] == 2));
    fs::write(desk.path("first.jsonl"), &first).expect("written");
    let told = desk.out(&["import", "second.db", "first.jsonl"]);
    assert!(told.contains("36 assignments came in"), "3 questions of 2, 3 of 1, 4 points each: {told}");
    assert_eq!(desk.out(&["export", "second.db"]), first);
    let told = desk.out(&["import", "second.db", "first.jsonl"]);
    assert!(told.contains("nothing new"), "{told}");
    let bad = json!({"type":"assignment","protocol":"keypoint","annotator":"zoe","query":"q1","unit":"one","role":"work"});
    fs::write(desk.path("bad.jsonl"), bad.to_string()).expect("written");
    let (status, error) = desk.fails(&["import", "second.db", "bad.jsonl"]);
    assert_eq!(status, 1);
    assert!(error.contains("annotator \"zoe\" is not in the study"), "{error}");
}

#[test]
fn what_cannot_be_assigned_is_said_in_a_sentence() {
    let desk = Desk::with_questions(2);
    for (arguments, status, sentence) in [
        (
            &["--to", "alice", "--raters", "3"][..],
            2,
            "--raters 3 is more than the 1 annotators; name more with --to",
        ),
        (&[], 2, "nobody is there to judge; name annotators with --to a,b,c"),
        (&["--to", "alice,,bob"], 2, "a name is empty; separate names with single commas"),
        (
            &["--to", "alice", "--remove", "alice"],
            2,
            "\"alice\" stands in --to and in --remove; name it once",
        ),
        (&["--remove", "bob"], 2, "nothing is assigned to \"bob\""),
        (&["--to", "alice", "--stratify", "colour"], 2, "there is no field \"colour\" in the table of items"),
        (&["--to", "alice", "--protocol", "coverage"], 1, "so there is nothing to judge under \"coverage\""),
        (
            &["--to", "alice", "--known-from", "bob", "--control", "5%"],
            1,
            "\"bob\" has judged nothing to the end",
        ),
        (&["--to", "alice", "--known-from", "bob"], 2, "add --calibration 20 or --control 5%"),
        (&["--to", "alice", "--calibration", "2"], 2, "--known-from"),
    ] {
        let (found, error) = desk.fails(&[&["assign", "study.db"], arguments].concat());
        assert_eq!(found, status, "{arguments:?}: {error}");
        assert!(error.contains(sentence), "{arguments:?}: {error}");
    }
    assert_eq!(desk.assignments().len(), 0);
}

/// Without a terminal `annotate` opens nothing, so the choice of its protocol is asked of the study.
#[test]
fn the_study_knows_who_has_something_of_what() {
    let desk = Desk::with_questions(4);
    assert_eq!(desk.study().assigned_protocols().expect("read"), []);
    desk.out(&["assign", "study.db", "--to", "bob,alice"]);
    let people = vec!["alice".to_owned(), "bob".to_owned()];
    assert_eq!(desk.study().assigned_protocols().expect("read"), [("keypoint".to_owned(), people)]);
}

/// A person whose name has a blank is left out, and everything that is told can be typed; then all is one other person's, and no
/// file that somebody took home.
#[test]
fn what_is_told_of_a_name_with_a_blank_can_be_typed() {
    let desk = Desk::with_questions(4);
    desk.out(&["assign", "study.db", "--to", "Anna Maria,bob"]);
    let hers: Vec<Value> =
        desk.assignments().into_iter().filter(|one| one["annotator"] == "Anna Maria").collect();
    let judged = |one: &Value| {
        let number =
            one["query"].as_str().and_then(|query| query.strip_prefix('q')?.parse().ok()).expect("a number");
        judgment("Anna Maria", number, one["unit"].as_str().expect("a unit"), "agree")
    };
    desk.import("hers.jsonl", &hers.iter().map(judged).collect::<Vec<_>>());
    let who = ["--as", "lena", "--reason", "gone"];
    let people = |what: &str| {
        let told = desk.run(&[&["people", "study.db", what, "Anna Maria"][..], &who].concat());
        String::from_utf8_lossy(&told.stderr).into_owned()
    };
    let told = people("--leave-out");
    assert!(told.contains("`haymark assign STUDY --protocol keypoint --remove 'Anna Maria'`"), "{told}");
    desk.out(&["assign", "study.db", "--protocol", "keypoint", "--remove", "Anna Maria"]);
    let told = desk.out(&["status", "study.db", "--protocol", "keypoint"]);
    assert!(!told.contains("what others have"), "{told}");
    // Taken back, what she judged is no more work for anybody.
    let told = people("--take-back");
    let again = "keypoint: 8 items that Anna Maria judged are others' to judge: `haymark assign STUDY --protocol keypoint --to 'Anna Maria'`";
    assert!(told.contains(again), "{told}");
    desk.out(&["assign", "study.db", "--protocol", "keypoint", "--to", "Anna Maria"]);
    let holders = holders(&desk.assignments());
    assert!(holders.values().all(|people| people.len() == 1), "{holders:?}");
    let told = desk.out(&["split", "study.db", "--for", "Anna Maria"]);
    assert!(
        told.contains("`haymark annotate 'study-Anna Maria.db' --as 'Anna Maria'` goes on in it"),
        "{told}"
    );
}
