//! Items that are two candidates of one query.

use serde_json::{Value, json};

use super::amend::amendment;
use super::{Study, corpus};
use crate::journal::{ConsensusRule, Happening, Outcome};
use crate::protocol::{Answer, PairsMade, Protocol, SIDES, builtin};
use crate::store::{GoldSource, StudyFile, VersionsRead};
use crate::study::{Act, AmendedKind, AnnotatorId, Aside};

fn preference() -> &'static Protocol {
    builtin("preference").expect("built in")
}

/// Four summaries of `stress`, two with one text, and ranks for three.
fn four() -> Vec<Value> {
    let more = |id: &str, text: &str, rank: Option<i64>| {
        json!({"type":"candidate","query":"stress","id":id,"summarizer":id,"text":text,
            "meta": rank.map_or(json!({}), |rank| json!({ "rank": rank }))})
    };
    let mut records = corpus();
    records.extend([
        more("c3", "- Walks", Some(2)),
        more("c4", "- Nothing", Some(1)),
        more("c5", "- Naps", Some(3)),
    ]);
    records
}

/// The pairs of a study under these words, as `c1 c2`, sorted.
fn pairs(study: &mut Study, made: &str) -> Vec<String> {
    let text = preference().file_text.replace("\"all\"", &format!("{made:?}"));
    let protocol = Protocol::parse(&text.replace("\"preference\"", "\"mine\""), "").expect("a protocol");
    let queue = study.file.open_queue("alice", &protocol);
    let total = queue.map_or(0, |queue| queue.progress.total);
    let pair = |at: usize| {
        let (annotator, _) = (study.file.open_queue("alice", &protocol).expect("opened").annotator, at);
        let keys = study.file.load(annotator, &protocol, at).expect("loaded").item.keys;
        let mut both = [keys.candidate, keys.other].map(Option::unwrap_or_default);
        both.sort();
        both.join(" ")
    };
    let mut found: Vec<String> = (0..total).map(pair).collect();
    found.sort();
    found
}

#[test]
fn every_two_with_different_texts_are_a_pair_or_as_many_as_are_wanted() {
    // c2 and c4 say the same.
    let all = ["c1 c2", "c1 c3", "c1 c4", "c1 c5", "c2 c3", "c2 c5", "c3 c4", "c3 c5", "c4 c5"];
    let of = |made: &str| pairs(&mut Study::with(&four()), made);
    assert_eq!(of("all"), all);
    let drawn = of("4 a query");
    assert_eq!(drawn.len(), 4);
    assert!(drawn.iter().all(|pair| all.contains(&pair.as_str())), "{drawn:?}");
    assert_eq!(drawn, of("4 a query"), "in every study the same");
    // By rank c4, c3, c5.
    assert_eq!(of("neighbours"), ["c3 c4", "c3 c5"]);
    assert_eq!(preference().pairs, PairsMade::All);
}

/// The documents of both lists come first, and `[1]` of each summary is the first of its own.
#[test]
fn the_citations_of_a_pair_count_in_two_lists() {
    let mut records = corpus();
    records.retain(|record| record["type"] != "candidate");
    for (system, documents) in [("one", ["d3", "d2"]), ("other", ["d2", "d1"])] {
        let documents = documents.map(|document| json!({ "document": document }));
        records.push(json!({"type":"ranking","query":"stress","retriever":system,"documents":documents}));
        records
            .push(json!({"type":"candidate","query":"stress","id":system,"retriever":system,"cites":"list",
            "text":format!("- By {system} [1] [3]")}));
    }
    let mut study = Study::with(&records);
    let alice = study.file.open_queue("alice", preference()).expect("a queue").annotator;
    let item = study.file.load(alice, preference(), 0).expect("a pair").item;
    for shown in item.candidate.iter().chain(&item.other) {
        let meant =
            |written| item.document_numbered(shown.meant(written)).map(|document| document.id.as_str());
        let expected = if shown.id == "one" { ["d3", "d2"] } else { ["d2", "d1"] };
        assert_eq!([meant(1), meant(2), meant(3)], [Some(expected[0]), Some(expected[1]), None]);
    }
    // Under a protocol about one summary, what only the other system found is not listed.
    let protocol = builtin("faithfulness").expect("built in");
    let alice = study.file.open_queue("alice", protocol).expect("a queue").annotator;
    for position in 0..2 {
        let item = study.file.load(alice, protocol, position).expect("a summary").item;
        let listed = item.documents.iter().filter(|document| item.is_listed(document.number));
        let listed: Vec<&str> = listed.map(|document| document.id.as_str()).collect();
        let is_first = item.keys.candidate.as_deref() == Some("one");
        assert_eq!(listed, if is_first { ["d3", "d2"] } else { ["d2", "d1"] });
    }
}

fn judgment(annotator: &str, candidate: &str, other: &str, better: &str) -> Value {
    json!({"type":"judgment","protocol":"preference","annotator":annotator,"collection":"exam","query":"stress",
        "candidate":candidate,"other":other,"answers":{"better":better,"first":"candidate"}})
}

/// What is said of the pairs, by annotator: the better one and the one that stood first, by their keys.
fn said(file: &StudyFile) -> Vec<(String, String)> {
    let mut found = Vec::new();
    file.for_each_judgment(|judgment| {
        let named = |key: &str| match judgment.answers[key].as_str() {
            Some("candidate") => judgment.candidate.clone().unwrap_or_default(),
            Some("other") => judgment.other.clone().unwrap_or_default(),
            word => word.unwrap_or_default().to_owned(),
        };
        found.push((named("better"), named("first")));
        Ok(())
    })
    .expect("read");
    found
}

#[test]
fn a_pair_is_one_item_in_whichever_order_a_file_names_it() {
    let mut study = Study::with(&corpus());
    study.import(&[judgment("alice", "c1", "c2", "candidate")]).expect("imported");
    study.import(&[judgment("judge", "c2", "c1", "other")]).expect("imported");
    let items = study.file.items("preference").expect("read");
    assert_eq!(items.len(), 1);
    let expected = [("c1".to_owned(), "c1".to_owned()), ("c1".to_owned(), "c2".to_owned())];
    assert_eq!(said(&study.file), expected);
    // The careful way takes what the quick one does.
    let mut careful = Study::with(&corpus());
    let mut flagged = judgment("judge", "c2", "c1", "other");
    flagged["flagged"] = true.into();
    careful.import(&[judgment("alice", "c1", "c2", "candidate"), flagged]).expect("imported");
    assert_eq!(said(&careful.file), expected);
    let twice = study.import(&[judgment("alice", "c1", "c1", "tie")]).expect_err("one candidate").to_string();
    assert!(twice.contains("the same is named twice"), "{twice}");
    let half = json!({"type":"judgment","protocol":"preference","annotator":"alice","query":"stress",
        "candidate":"c1","answers":{"better":"tie"}});
    let half = study.import(&[half]).expect_err("no pair").to_string();
    assert!(half.contains("judges a other") || half.contains("add \"other\""), "{half}");
}

#[test]
fn who_saw_the_sides_the_other_way_round_agrees_all_the_same() {
    let mut study = Study::with(&corpus());
    let mut judge = judgment("judge", "c1", "c2", "candidate");
    judge["answers"]["first"] = "other".into();
    study.import(&[judgment("alice", "c1", "c2", "candidate"), judge]).expect("imported");
    let annotators: Vec<AnnotatorId> =
        study.file.annotators().expect("read").into_iter().map(|(id, _)| id).collect();
    let (versions, rule) = (VersionsRead::Only(1), ConsensusRule::default());
    let source = GoldSource { protocol: preference(), annotators: &annotators, versions, rule };
    let gold = study.file.gold(&source).expect("read");
    let answers = [("better".to_owned(), Answer::Text("candidate".to_owned()))].into();
    assert_eq!((gold[0].outcome, &gold[0].answers), (Outcome::Unanimous, &Some(answers)));
}

#[test]
fn what_was_shown_first_stays_and_a_repeat_comes_the_other_way_round() {
    let mut study = Study::with(&four());
    let queue = study.file.open_queue("alice", preference()).expect("opened");
    let total = queue.progress.total;
    let load = |study: &Study, at: usize| study.file.load(queue.annotator, preference(), at).expect("loaded");
    let turned: Vec<bool> = (0..total).map(|at| load(&study, at).item.is_turned).collect();
    assert!(turned.contains(&true) && turned.contains(&false), "{turned:?}");
    for (at, is_turned) in turned.iter().enumerate() {
        let item = load(&study, at).item;
        let shown = item.candidate.as_ref().map(|shown| shown.id.clone());
        assert_eq!(shown, if *is_turned { item.keys.other.clone() } else { item.keys.candidate.clone() });
        assert_eq!(item.keys.is_turned("alice", None), *is_turned);
        assert_eq!(item.keys.is_turned("alice", Some(Aside::Repeat)), !is_turned);
        // What is on record counts, whatever would be drawn.
        let answer = |question: &str, side: &str| Happening::Answer {
            question: question.to_owned(),
            answer: Answer::Text(side.to_owned()),
        };
        let other = SIDES[usize::from(!is_turned)];
        let happenings = [(answer("better", "tie"), 10), (answer("first", other), 0)];
        study
            .file
            .append(queue.annotator, preference(), item.id, item.texts(), &happenings, 1_000)
            .expect("appended");
        let again = load(&study, at);
        assert_eq!(again.item.is_turned, !is_turned);
        assert!(!again.standing.is_stale(preference().hash, again.item.texts()), "the same texts");
    }
}

#[test]
fn a_pair_goes_with_either_candidate_and_lies_in_another_file_as_it_was() {
    let mut study = Study::with(&four());
    study
        .import(&[judgment("alice", "c1", "c3", "other"), judgment("alice", "c3", "c5", "candidate")])
        .expect("imported");
    let mut other = Study::with(&four());
    other.merge(&[&study]).expect("merged");
    assert_eq!(said(&other.file), said(&study.file));
    other.is_derived();
    other.amend(amendment(Act::Withdraw, AmendedKind::Candidate, "c5"));
    assert_eq!(said(&other.file).len(), 1);
}
