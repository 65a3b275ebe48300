//! Values of cells, worked out by hand from the table of the small study.

use super::small::{corpus, tables, tables_of_faithfulness};
use crate::browse::{BrowseTable, Sort, TableValue, Tables, View, WhoCounts};
use crate::journal::Material;
use crate::protocol::builtin;
use crate::study::{AnnotatorId, CandidateId, ItemId, ItemRow, QueryId, Target};

fn shown(tables: &Tables, table: BrowseTable, column: &str) -> Vec<String> {
    let id = tables.column(table, column).expect("a column");
    (0..tables.len(table) as u32).map(|row| tables.shown(table, row, id)).collect()
}

#[test]
fn scores_of_candidates_average_everyone_who_counts_item_by_item() {
    let tables = tables();
    // c1: alice 100, 50, 0 and bob 100, 0, 0: the items 100, 25 and 0. c2: 50, 0, 100. The last: 100.
    assert_eq!(shown(&tables, BrowseTable::Candidates, "coverage"), ["41.7", "50.0", "100.0"]);
    // c1: breaks 100 by both, walk 66.7 by alice, who alone calls it covered.
    assert_eq!(shown(&tables, BrowseTable::Candidates, "citation"), ["83.3", "0.0", "100.0"]);
    // c1: (100 + (33.3 + 0) / 2 + 0) / 3.
    assert_eq!(shown(&tables, BrowseTable::Candidates, "joint"), ["38.9", "0.0", "100.0"]);
    // c1: P (100 + 50) / 2.
    assert_eq!(shown(&tables, BrowseTable::Candidates, "precision"), ["75.0", "0.0", "100.0"]);
    assert_eq!(shown(&tables, BrowseTable::Candidates, "recall"), ["100.0", "0.0", "100.0"]);
    assert_eq!(shown(&tables, BrowseTable::Candidates, "covered"), ["2", "2", "1"]);
    assert_eq!(shown(&tables, BrowseTable::Candidates, "uncovered"), ["1", "1", "0"]);
    // c1 walk: alice's bullet cites 1 besides 3. c2: breaks misses 1 and 2 and cites 4; timer misses 4.
    assert_eq!(shown(&tables, BrowseTable::Candidates, "missed"), ["0.0", "3.0", "0.0"]);
    assert_eq!(shown(&tables, BrowseTable::Candidates, "wrong"), ["1.0", "1.0", "0.0"]);
    // Of the two units that c2 covers, the bullet on the timer cites nothing.
    assert_eq!(shown(&tables, BrowseTable::Candidates, "uncited"), ["0.0", "50.0", "0.0"]);
}

#[test]
fn scores_of_systems_units_and_items() {
    let tables = tables();
    assert_eq!(shown(&tables, BrowseTable::Systems, "name"), ["claude", "oracle gpt-4o"]);
    // gpt-4o: (100 + 25 + 0 + 100) / 4 and (100 + 16.7 + 0 + 100) / 4.
    assert_eq!(shown(&tables, BrowseTable::Systems, "coverage"), ["50.0", "56.2"]);
    assert_eq!(shown(&tables, BrowseTable::Systems, "joint"), ["0.0", "54.2"]);
    assert_eq!(shown(&tables, BrowseTable::Systems, "candidates"), ["1", "2"]);
    // claude: 3 + 4 words and the citation; 2 bullets: "- Breaks help [4]." has 4, "- A Timer, they say." 5.
    assert_eq!(shown(&tables, BrowseTable::Systems, "words_per_bullet"), ["4.5", "5.0"]);
    // Of c1 and c2, breaks: 100 and 50; walk: half of 50 and 0; timer: 0 and 100.
    assert_eq!(shown(&tables, BrowseTable::Units, "coverage"), ["75.0", "12.5", "50.0", "100.0"]);
    // The item of the failure protocol has no coverage.
    assert_eq!(
        shown(&tables, BrowseTable::Items, "joint"),
        ["100.0", "16.7", "0.0", "0.0", "0.0", "0.0", "100.0", "–"]
    );
    assert_eq!(shown(&tables, BrowseTable::Queries, "units"), ["3", "1"]);
    assert_eq!(shown(&tables, BrowseTable::Documents, "units"), ["1", "2", "1", "1"]);
    assert_eq!(shown(&tables, BrowseTable::Documents, "cited"), ["1", "2", "1", "1"]);
}

#[test]
fn columns_of_one_name_say_whose_they_are() {
    let of = |name: &str| Material::new(builtin(name).expect("built in").clone(), Vec::new());
    let protocols = ["coverage", "claims", "refinement", "statement-support"];
    let tables = Tables::new(corpus(), protocols.map(of).into(), WhoCounts::People);
    let headings = tables.columns(BrowseTable::Items).iter().map(|head| head.heading.as_str());
    let headings: Vec<&str> = headings.collect();
    for whose in ["joint", "statement-support joint", "claims verdict", "refinement verdict"] {
        assert!(headings.contains(&whose), "{whose} in {headings:?}");
    }
    assert_eq!(headings.iter().filter(|heading| **heading == "joint").count(), 1, "{headings:?}");
    assert!(!headings.contains(&"verdict"), "{headings:?}");
}

#[test]
fn judgments_labels_and_disagreement() {
    let tables = tables();
    // Of the pairs alice and bob: breaks equal, walk not, timer equal.
    assert_eq!(
        shown(&tables, BrowseTable::Items, "disagreement"),
        ["0.0", "100.0", "0.0", "–", "–", "–", "–", "–"]
    );
    assert_eq!(shown(&tables, BrowseTable::Candidates, "disagreement"), ["33.3", "–", "–"]);
    // partial and none have a vote each.
    assert_eq!(
        shown(&tables, BrowseTable::Items, "coverage.coverage"),
        ["full", "none, partial", "none", "partial", "none", "full", "full", ""]
    );
    assert_eq!(
        shown(&tables, BrowseTable::Items, "coverage@judge"),
        ["none", "full", "none", "partial", "", "", "", ""]
    );
    assert_eq!(shown(&tables, BrowseTable::Candidates, "tag"), ["", "general, hallucinated", ""]);
    assert_eq!(shown(&tables, BrowseTable::Candidates, "flags"), ["0", "1", "0"]);
    assert_eq!(shown(&tables, BrowseTable::Candidates, "comments"), ["0", "1", "0"]);
    // 6 of coverage; 3 of coverage and 1 of failure; 1.
    assert_eq!(shown(&tables, BrowseTable::Candidates, "judgments"), ["6", "4", "1"]);
    // Alice took 12 seconds an item: three of each of the first two, one of the last.
    assert_eq!(shown(&tables, BrowseTable::Candidates, "seconds"), ["36.0", "36.0", "12.0"]);
    assert_eq!(shown(&tables, BrowseTable::Systems, "seconds"), ["12.0", "12.0"]);
}

#[test]
fn answers_stand_beside_the_gold_ones() {
    let mut corpus = tables().corpus().clone();
    let meta = |value: serde_json::Value| value.as_object().expect("an object").clone();
    corpus.queries[0].1.meta = meta(serde_json::json!({"answers": ["The river", "a walk by the river"]}));
    corpus.candidates[0].1.meta = meta(serde_json::json!({"answer": "river"}));
    corpus.candidates[1].1.meta = meta(serde_json::json!({"answer": "walk by a river bank"}));
    corpus.candidates[2].1.meta = meta(serde_json::json!({"answer": "no gold"}));
    let tables = Tables::new(corpus, tables().judged().to_vec(), WhoCounts::People);
    let candidates = |column: &str| shown(&tables, BrowseTable::Candidates, column);
    assert_eq!(
        candidates("answers"),
        ["The river | a walk by the river", "The river | a walk by the river", ""]
    );
    assert_eq!(candidates("predicted")[0], "river");
    assert_eq!(candidates("em"), ["100.0", "0.0", "–"]);
    // walk, by, river are common: P 3/4, R 3/3, F1 6/7.
    assert_eq!(candidates("answer_f1"), ["100.0", "85.7", "–"]);
    // The third document is that of the walk.
    assert_eq!(candidates("answer_at"), ["3", "3", ""]);
}

#[test]
fn what_is_shown_is_what_was_judged() {
    let tables = tables_of_faithfulness();
    let names = |table: BrowseTable| -> Vec<String> {
        let shown = tables.shown_columns(&View::of(table)).into_iter();
        shown.filter_map(|id| Some(tables.columns(table).get(usize::from(id.0))?.name.clone())).collect()
    };
    assert_eq!(
        names(BrowseTable::Candidates),
        ["query_line", "system", "order", "disagreement", "tag", "faithful", "comprehensive"]
    );
    assert_eq!(
        names(BrowseTable::Items),
        ["query_line", "system", "disagreement", "flags", "written", "faithful", "comprehensive"]
    );
    assert_eq!(shown(&tables, BrowseTable::Candidates, "comprehensive"), ["no, yes", "partial", ""]);
    // alice and bob say yes to the first question, and differ on the second.
    assert_eq!(shown(&tables, BrowseTable::Items, "disagreement"), ["100.0", "0.0"]);
}

#[test]
fn a_query_whose_key_several_collections_have_stands_with_its_collection() {
    let names = |tables: &Tables| -> Vec<String> {
        let shown = tables.shown_columns(&View::of(BrowseTable::Queries)).into_iter();
        shown
            .filter_map(|id| Some(tables.columns(BrowseTable::Queries).get(usize::from(id.0))?.name.clone()))
            .collect()
    };
    let tables = tables();
    assert!(!names(&tables).contains(&"collection".to_owned()), "{:?}", names(&tables));
    let mut corpus = tables.corpus().clone();
    corpus.queries[1].1.id = corpus.queries[0].1.id.clone();
    corpus.queries[1].1.collection = "another".to_owned();
    let twins = Tables::new(corpus, Vec::<Material>::new(), WhoCounts::People);
    assert!(names(&twins).contains(&"collection".to_owned()), "{:?}", names(&twins));
}

#[test]
fn annotators_are_counted_once_a_row() {
    let mut tables = tables();
    // Alice judges everything, c2 under two protocols; Bob the insights of c1.
    assert_eq!(shown(&tables, BrowseTable::Candidates, "annotators"), ["2", "1", "1"]);
    assert_eq!(shown(&tables, BrowseTable::Items, "annotators"), ["2", "2", "2", "1", "1", "1", "1", "1"]);
    assert_eq!(shown(&tables, BrowseTable::Systems, "annotators"), ["1", "2"]);
    // The judge looks at c1 and at one insight of c2.
    tables.count(WhoCounts::Everyone);
    assert_eq!(shown(&tables, BrowseTable::Candidates, "annotators"), ["3", "2", "1"]);
}

#[test]
fn who_counts_can_be_changed() {
    let mut tables = tables();
    tables.count(WhoCounts::Only(vec![AnnotatorId(3)]));
    // The judge: none, full, none; partial.
    assert_eq!(shown(&tables, BrowseTable::Candidates, "coverage"), ["33.3", "50.0", "–"]);
    tables.count(WhoCounts::Everyone);
    // breaks: full, full, none: two of three pairs differ. walk: partial, none, full: all do.
    let id = tables.column(BrowseTable::Items, "disagreement").expect("a column");
    assert_eq!(tables.value(BrowseTable::Items, 0, id), TableValue::Number(200.0 / 3.0));
    assert_eq!(tables.value(BrowseTable::Items, 1, id), TableValue::Number(100.0));
}

#[test]
fn rows_are_sorted_with_the_undefined_last() {
    let tables = tables();
    let rows = |column: &str, descending| {
        let sort = vec![Sort { column: column.into(), descending }];
        tables.rows(&View { sort, ..View::of(BrowseTable::Candidates) }).expect("no filter")
    };
    assert_eq!(rows("joint", false), [1, 0, 2]);
    assert_eq!(rows("joint", true), [2, 0, 1]);
    assert_eq!(rows("disagreement", true), [0, 1, 2]);
    assert_eq!(rows("query", false), [2, 0, 1]);
    let two = |first: (&str, bool), second: (&str, bool)| {
        let sort = [first, second].map(|(column, descending)| Sort { column: column.into(), descending });
        tables.rows(&View { sort: sort.to_vec(), ..View::of(BrowseTable::Candidates) }).expect("no filter")
    };
    assert_eq!(two(("query", true), ("joint", true)), [0, 1, 2]);
}

#[test]
fn what_is_judged_in_place_is_seen_at_once() {
    use crate::journal::{Happening, Standing};
    let mut tables = tables();
    assert_eq!(shown(&tables, BrowseTable::Candidates, "tag"), ["", "general, hallucinated", ""]);
    let protocol = builtin("failure").expect("built in");
    let target = Target { candidate: Some(CandidateId(3)), ..Target::of_query(QueryId(2)) };
    let answer = crate::protocol::Answer::Names(vec!["citation".into()]);
    let happening = Happening::Answer { question: "failures".into(), answer };
    let standing: Standing = crate::journal::fold_under(
        &[crate::journal::Event {
            id: crate::journal::EventId { writer: crate::journal::Writer(1), seq: 1 },
            happening,
            at: Some(5),
            active: 900,
            protocol: protocol.hash,
            texts: crate::text::hash::fingerprint(&["t"]),
        }],
        protocol,
    );
    let item = ItemRow { id: ItemId(99), target };
    tables.replace(protocol, &item, (AnnotatorId(9), "carol"), &standing);
    assert_eq!(shown(&tables, BrowseTable::Candidates, "tag"), ["", "general, hallucinated", "citation"]);
    assert_eq!(tables.len(BrowseTable::Items), 9);
    assert_eq!(
        shown(&tables, BrowseTable::Items, "failures@carol").last().map(String::as_str),
        Some("citation")
    );
    assert_eq!(shown(&tables, BrowseTable::Candidates, "joint"), ["38.9", "0.0", "100.0"]);
}
