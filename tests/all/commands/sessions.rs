//! `haymark session list` and `session replay`, and sessions through import and export.

use serde_json::{Value, json};

use crate::harness::Desk;

impl Desk {
    /// A study with the sample haystack, its judgments and its sessions.
    fn with_sessions() -> Desk {
        let desk = Desk::new();
        desk.samples("study.db", &["haystack", "haystack_judgments", "sessions"]);
        desk
    }
}

#[test]
fn the_list_says_who_wrote_what_for_how_long_and_how_it_ended() {
    let desk = Desk::with_sessions();
    let list = desk.json(&["session", "list", "study.db"]);
    let row = &list["rows"][0];
    assert_eq!(
        (&row["annotator"], &row["query"], &row["ended"]),
        (&json!("mira"), &json!("stress"), &json!("finished"))
    );
    assert_eq!(
        (&row["snapshots"], &row["pastes_refused"], &row["openings"]),
        (&json!(4), &json!(1), &json!(2))
    );
    let table = desk.out(&["session", "list", "study.db"]);
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    assert!(table.contains("jonas"), "{table}");
}

#[test]
fn a_part_tells_of_the_sessions_in_it() {
    let desk = Desk::with_sessions();
    let told = desk.out(&["split", "study.db", "--for", "mira"]);
    assert!(told.contains("1 session by mira;"), "{told}");
}

#[test]
fn a_replay_ends_in_the_text_of_the_last_snapshot() {
    let desk = Desk::with_sessions();
    let candidates = desk.out(&["export", "study.db", "--what", "candidates", "--names"]);
    let candidates: Vec<Value> =
        candidates.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let at = |who: &str, minute: Value| {
        let of =
            |one: &&Value| one["summarizer"] == format!("human:{who}") && one["meta"]["minute"] == minute;
        candidates.iter().find(of).expect("a snapshot")["text"].as_str().expect("a text").to_owned() + "\n"
    };
    assert_eq!(desk.out(&["session", "replay", "study.db", "7c41"]), at("mira", json!(34.29)));
    assert_eq!(desk.out(&["session", "replay", "study.db", "7c41", "--at", "20"]), at("mira", json!(20)));
    // The latest, when none is named.
    assert_eq!(desk.out(&["session", "replay", "study.db"]), at("jonas", json!(22.14)));

    let whole = desk.json(&["session", "replay", "study.db", "7c41"]);
    let states = whole["states"].as_array().expect("states");
    let texts: Vec<&str> = states.iter().filter_map(|state| state["text"].as_str()).collect();
    assert_eq!(format!("{}\n", texts.last().expect("texts")), at("mira", json!(34.29)));
    let minutes: Vec<f64> = states
        .iter()
        .filter(|state| state["kind"] == "snapshot")
        .filter_map(|state| state["minute"].as_f64())
        .collect();
    assert_eq!(minutes[..3], [10.0, 20.0, 30.0], "exactly");
}

#[test]
fn sessions_go_through_another_study_byte_by_byte() {
    let desk = Desk::with_sessions();
    let first = desk.out(&["export", "study.db"]);
    desk.file("first.jsonl", &first);
    desk.out(&["import", "second.db", "first.jsonl"]);
    assert_eq!(desk.out(&["export", "second.db"]), first);
    let again = desk.out(&["import", "second.db", "first.jsonl"]);
    assert!(again.contains("nothing new"), "{again}");
}

#[test]
fn what_cannot_be_done_is_said() {
    let desk = Desk::with_sessions();
    let (status, said) = desk.fails(&["session", "study.db", "--as", "mira"]);
    assert_eq!(status, 1);
    assert!(said.contains("needs a terminal"), "{said}");
    let (status, said) = desk.fails(&["session", "replay", "study.db", "ffff"]);
    assert_eq!(status, 1);
    assert!(said.contains("session list"), "{said}");
    assert_eq!(desk.fails(&["session"]).0, 2);
    assert_eq!(desk.fails(&["session", "study.db", "--as", "mira", "--limit", "soon"]).0, 2);
    desk.out(&["init", "empty.db"]);
    let (status, said) = desk.fails(&["session", "list", "empty.db"]);
    assert_eq!(status, 1);
    assert!(said.contains("nobody has begun"), "{said}");
}

#[test]
fn the_curve_rises_and_the_baseline_stands_beside_the_systems() {
    let desk = Desk::with_sessions();
    let tables = desk.json(&["score", "study.db", "--human"]);
    let rows = |table: usize| tables[table]["rows"].as_array().expect("rows").clone();
    let curve = rows(0);
    let minutes: Vec<&Value> = curve.iter().map(|row| &row["minute"]).collect();
    assert_eq!(minutes, [10, 20, 30, 40]);
    // At minute 10 both annotators found one of mira's six insights covered in full; of jonas's five, alice one in
    // part, bora two in part: (16.67 + (10 + 20) / 2) / 2.
    let first = curve[0]["coverage"].as_f64().expect("a number");
    assert!((first - (100.0 / 6.0 + 15.0) / 2.0).abs() < 1e-9, "{first}");
    // jonas ended at 22 minutes and holds 85 (alice 90, bora 80); mira's 30 is 4 of 6 by both.
    let third = curve[2]["coverage"].as_f64().expect("a number");
    assert!((third - (85.0 + 400.0 / 6.0) / 2.0).abs() < 1e-9, "{third}");
    let values: Vec<f64> = curve.iter().filter_map(|row| row["coverage"].as_f64()).collect();
    assert!(values.is_sorted() && values.len() == 4, "{values:?}");

    // Beside the systems: at the end 11.5 of 12 and 8.5 of 10 judgments, two an item.
    let human = rows(3).into_iter().find(|row| row["summarizer"] == "human").expect("a row for people");
    assert_eq!(
        (&human["summaries"], &human["items"], &human["judgments"]),
        (&json!(2), &json!(11), &json!(22))
    );
    let coverage = human["coverage"].as_f64().expect("a number");
    assert!((coverage - 2000.0 / 22.0).abs() < 1e-9, "{coverage}");
    let baseline = rows(4);
    assert_eq!((&baseline[0]["measure"], &baseline[0]["published"]), (&json!("coverage"), &json!(74.5)));
    assert_eq!((&baseline[0]["value"], &baseline[0]["sessions"]), (&human["coverage"], &json!(2)));
    let again = desk.json(&["score", "study.db", "--human"]);
    assert_eq!(again, tables, "the same seed draws the same sessions");
    // Intervals are spoken of where there are some: over the queries beside the systems, not over two sessions or one collection.
    let says = |tables: &Value, table: usize, words: &str| {
        let notes = tables[table]["notes"].as_array().expect("notes");
        notes.iter().any(|note| note.as_str().is_some_and(|note| note.starts_with(words)))
    };
    assert!(!says(&tables, 0, "95 % intervals"), "{}", tables[0]["notes"]);
    assert!(says(&tables, 3, "95 % intervals over queries;"), "{}", tables[3]["notes"]);
    let wide = desk.json(&["score", "study.db", "--human", "--cluster", "collection"]);
    assert!([0, 3].into_iter().all(|table| !says(&wide, table, "95 % intervals")), "{wide}");
    assert_eq!(wide[4]["rows"][0]["sessions"], 2, "of one collection");
    // In groups of any field people keep rows of their own: mira and jonas wrote about one query each.
    let written = |by: &str| {
        let tables = desk.json(&["score", "study.db", "--human", "--by", by]);
        let rows = tables[3]["rows"].as_array().expect("rows").iter();
        let of_people = rows.filter(|row| row["summarizer"] == "human");
        of_people.map(|row| row["coverage"].as_f64().expect("a number")).collect::<Vec<_>>()
    };
    let mut by_query = written("query");
    by_query.sort_by(f64::total_cmp);
    assert_eq!(by_query.len(), 2);
    assert!((by_query[0] - 85.0).abs() < 1e-9 && (by_query[1] - 1150.0 / 12.0).abs() < 1e-9, "{by_query:?}");
    assert_eq!(written("unit.kind"), [coverage]);
}

#[test]
fn scores_of_systems_hold_the_last_snapshots_only() {
    let desk = Desk::with_sessions();
    let scores = desk.json(&["score", "study.db", "--protocol", "coverage", "--by", "summarizer"]);
    let rows = scores[0]["rows"].as_array().expect("rows");
    let mira = rows.iter().find(|row| row["summarizer"] == "human:mira").expect("mira");
    // Six insights by two annotators, and not those of four snapshots.
    assert_eq!((&mira["summaries"], &mira["items"], &mira["judgments"]), (&json!(1), &json!(6), &json!(12)));
}

/// A data set has what sessions ended with, without the sessions: the latest snapshot of each is its summary.
#[test]
fn a_dataset_of_sessions_scores_as_its_study() {
    let desk = Desk::with_sessions();
    desk.out(&["export", "study.db", "--what", "dataset", "-o", "given"]);
    let given = ["given/corpus.csv", "given/candidates.csv", "given/judgments.csv"];
    desk.out(&[&["import", "other.db"], &given[..]].concat());
    // mira and jonas are A3 and A4 in what is given to others.
    let scores = |study: &str| {
        let asked = ["score", study, "--protocol", "coverage", "--by", "summarizer", "--table", "scores"];
        let mut rows = desk.json(&asked)["rows"].as_array().expect("rows").clone();
        rows.iter_mut().for_each(|row| row["summarizer"] = Value::Null);
        rows.sort_by_key(Value::to_string);
        rows
    };
    assert_eq!(scores("study.db"), scores("other.db"));
}

/// Two people judged: what both rated is all judgments less the items.
#[test]
fn agreement_counts_the_items_that_scores_count() {
    let desk = Desk::with_sessions();
    let of = |command: &str, table: &str| {
        desk.json(&[command, "study.db", "--protocol", "coverage", "--table", table])
    };
    let scored = &of("score", "scores")["total"];
    let number = |key: &str| scored[key].as_u64().expect("a count");
    let agreed = of("agree", "coefficients");
    assert_eq!(agreed["rows"][0]["items"].as_u64(), Some(number("judgments") - number("items")), "{agreed}");
    let told = desk.out(&["agree", "study.db", "--protocol", "coverage"]).replace('\n', " ");
    assert!(told.contains("Of what was written in sessions the last snapshots count"), "{told}");
}

#[test]
fn what_nobody_judged_is_named_and_citations_may_come_from_a_judge() {
    let desk = Desk::with_sessions();
    // What the people said of mira's second snapshot is taken out of the sample; a judge alone has seen it.
    let sample = desk.out(&["export", "study.db"]);
    let candidates: Vec<Value> =
        sample.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let is_second = |one: &&Value| one["summarizer"] == "human:mira" && one["meta"]["minute"] == 20;
    let key = candidates.iter().find(is_second).expect("a snapshot")["id"].clone();
    let mut records = String::new();
    for record in &candidates {
        // Without the journal, what the judgments say is all that comes in.
        if record["type"] == "journal" {
            continue;
        }
        let mut record = record.clone();
        if record["type"] == "judgment" && record["candidate"] == key {
            if record["annotator"] == "bora" {
                continue;
            }
            record["annotator"] = json!("judge-small");
        }
        records.push_str(&format!("{record}\n"));
    }
    desk.file("less.jsonl", records);
    desk.out(&["import", "less.db", "less.jsonl"]);
    let tables = desk.json(&["score", "less.db", "--human"]);
    assert_eq!(tables[0]["unjudged"], json!(["mira at minute 20"]));
    let (coverage, citation) = (&tables[0]["rows"][1], &tables[1]["rows"][1]);
    assert_eq!(coverage["sessions_coverage"], 1, "jonas alone");
    // Both annotators: 100, 100, 100, 50 and 0 of jonas's five.
    assert_eq!(coverage["coverage"], 70.0);
    assert_eq!(citation["sessions_citation"], 2, "the links of the judge are enough for citations");
    let notes = tables[0]["notes"].to_string();
    assert!(notes.contains("mira at minute 20") && notes.contains("links of judges: 1"), "{notes}");
}

#[test]
fn tables_know_only_the_last_snapshots_as_scores_do() {
    let desk = Desk::with_sessions();
    let view = ["export", "study.db", "--what", "view", "--table", "candidates", "--filter", "system:human"];
    let rows: Vec<Value> =
        desk.out(&view).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    // Two sessions with seven snapshots.
    assert_eq!(rows.len(), 2, "{rows:#?}");
    // What the sessions ended with, as `score --human` has it.
    let tables = desk.json(&["score", "study.db", "--human"]);
    let sessions = tables.as_array().expect("tables").iter().find(|table| table["title"] == "Sessions");
    let printed = sessions.expect("a table of sessions")["rows"].as_array().expect("rows");
    for row in &rows {
        let coverage = row["values"]["coverage"].as_f64().expect("a score");
        let same = |printed: &&Value| {
            printed["coverage"].as_f64().is_some_and(|other| (other - coverage).abs() < 1e-9)
        };
        assert_eq!(printed.iter().filter(same).count(), 1, "{coverage} in {printed:?}");
    }
}

/// A draft is on the page, in the journal and in the fields of what comes of it; the instructions are a key away.
#[test]
fn a_session_begins_with_a_draft_and_instructions_of_its_own() {
    let desk = Desk::with_sessions();
    desk.file("ours.md", "# Ours\n\nWrite as for a colleague.\n");
    let open = ["session", "study.db", "--as", "zoe", "--query", "stress"];
    let (status, said) = desk.fails(&[&open[..], &["--draft", "nobody"]].concat());
    assert!(status == 1 && (said.contains("terminal") || said.contains("begins with one")), "{said}");
    let summaries = desk.out(&["export", "study.db", "--what", "candidates", "--names"]);
    let summaries: Vec<Value> =
        summaries.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let is_machines = |one: &&Value| one["query"] == "stress" && one["meta"]["session"].is_null();
    let one = summaries.iter().find(is_machines).expect("a machine's summary");
    let system = match (one["retriever"].as_str(), one["summarizer"].as_str()) {
        (Some(retriever), Some(summarizer)) => format!("{retriever} {summarizer}"),
        (_, summarizer) => summarizer.expect("a name").to_owned(),
    };
    let begun = [&open[..], &["--draft", &system, "--guideline", "ours.md"]].concat();
    let mut session = desk.start(&begun);
    session.wait_for("A draft stands on the page").wait_for(", about ");
    session.type_keys("i").wait_for("Write as for a colleague.").type_keys("i").wait_for("starts the clock");
    session.type_keys("\r").wait_for("the clock runs");
    session.quit();
    let replayed = desk.out(&["session", "replay", "study.db", "--at", "0"]);
    assert_eq!(replayed.trim_end(), one["text"].as_str().expect("a text").trim_end());
    let list = desk.json(&["session", "list", "study.db"]);
    let rows = list["rows"].as_array().expect("rows");
    assert_eq!(rows.last().expect("zoe's")["draft"], json!(system), "{list}");
}

#[test]
fn nobody_is_assigned_her_own_summary() {
    let desk = Desk::with_sessions();
    let candidates = desk.exported("candidate");
    let writers: std::collections::BTreeMap<String, &str> = candidates
        .iter()
        .map(|one| (one["id"].to_string(), one["summarizer"].as_str().unwrap_or_default()))
        .collect();
    let assign = |more: &[&str]| {
        desk.out(&[&["assign", "study.db", "--protocol", "coverage"][..], more].concat());
        let given = desk.exported("assignment");
        for one in &given {
            let writer = writers[&one["candidate"].to_string()];
            let person = one["annotator"].as_str().expect("a name");
            assert_ne!(writer, format!("human:{person}"), "{one}");
        }
        given
    };
    let of = |given: &[Value], writer: &str| {
        given.iter().filter(|one| writers[&one["candidate"].to_string()] == writer).count()
    };
    let given = assign(&["--to", "mira,jonas,cy", "--raters", "2"]);
    for writer in ["human:mira", "human:jonas"] {
        assert!(of(&given, writer) > 0, "others judge what {writer} wrote");
    }
    // Of a part that she is given, what she wrote stays with the others.
    let after = assign(&["--filter", "query=stress", "--to", "mira"]);
    assert_eq!(of(&after, "human:mira"), of(&given, "human:mira"));
    // What is given as a part is taken back as that part.
    assign(&["--filter", "query=stress", "--remove", "mira"]);
    assign(&["--to", "mira,jonas,cy", "--known-from", "alice", "--calibration", "30"]);
}

/// Who comes later is told what the others were told, but for what she wrote.
#[test]
fn nobody_is_calibrated_by_her_own_summary() {
    let desk = Desk::with_sessions();
    let candidates = desk.exported("candidate");
    let by_mira: Vec<String> = candidates
        .iter()
        .filter(|one| one["summarizer"] == "human:mira")
        .map(|one| one["id"].to_string())
        .collect();
    let assign = |more: &[&str]| {
        desk.out(&[&["assign", "study.db", "--protocol", "coverage"][..], more].concat());
        desk.exported("assignment")
    };
    let of = |given: &[Value], person: &str| {
        let told = given.iter().filter(|one| one["annotator"] == person && one["role"] == "calibration");
        let (hers, others): (Vec<_>, Vec<_>) =
            told.partition(|one| by_mira.contains(&one["candidate"].to_string()));
        (hers.len(), others.len())
    };
    let given = assign(&["--to", "cy,dan", "--known-from", "alice", "--calibration", "1000"]);
    // Nobody else is, either: a second name of hers is not told from another person.
    let (hers, others) = of(&given, "cy");
    assert!(!by_mira.is_empty() && hers == 0 && others > 0, "{hers} and {others}");
    assert_eq!(of(&assign(&["--to", "mira"]), "mira"), (0, others));
}
