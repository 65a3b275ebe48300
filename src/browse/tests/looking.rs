//! Details, comparisons and grids of the small study, by hand.

use super::small::{corpus, tables, tables_of_a_pair, tables_without_gold};
use crate::browse::{
    ACROSS, BrowseTable, Crosstab, DocumentDetail, DocumentRole, FilteredRows, Tables, View, WhoCounts,
};
use crate::journal::Material;
use crate::protocol::builtin;
use crate::score::{CitationScore, Undefined};
use crate::study::{CandidateId, CitedList, ListedDocument, QueryId};

fn opened(tables: &Tables, table: BrowseTable, filter: &str) -> Vec<u32> {
    let view = View { filter: filter.into(), ..View::of(table) };
    tables.rows(&view).unwrap_or_else(|error| panic!("{filter}: {error}"))
}

fn kept(tables: &Tables, table: BrowseTable, filter: &str) -> FilteredRows {
    tables.filtered(table, filter).unwrap_or_else(|error| panic!("{filter}: {error}"))
}

/// Every cell of a grid opens as many rows as it counts.
fn opens_what_it_counts(tables: &Tables, grid: &Crosstab) {
    for (row, cells) in grid.rows.iter().zip(&grid.cells) {
        assert_eq!(cells.len(), grid.columns.len());
        for (column, cell) in grid.columns.iter().zip(cells) {
            assert_eq!(
                opened(tables, grid.table, &cell.filter).len(),
                cell.count,
                "{row} {column}: {}",
                cell.filter
            );
        }
    }
}

#[test]
fn a_query_whose_key_several_collections_have_is_named_with_its_collection() {
    let mut corpus = corpus();
    assert_eq!(tables().name(BrowseTable::Queries, 0), "stress");
    let (_, second) = &mut corpus.queries[1];
    (second.collection, second.id) = ("news".into(), "stress".into());
    let tables = Tables::new(corpus, Vec::<Material>::new(), WhoCounts::People);
    let names = [0, 1].map(|row| tables.name(BrowseTable::Queries, row));
    assert_eq!(names, ["exam / stress", "news / stress"]);
}

#[test]
fn a_candidate_shows_its_working() {
    let tables = tables();
    let detail = tables.detail(BrowseTable::Candidates, 0);
    assert_eq!(detail.title, "stress / c1");
    assert_eq!(detail.query.map(|query| query.id.as_str()), Some("stress"));
    assert!(detail.facts.contains(&("system", "oracle gpt-4o".to_owned())));
    assert!(detail.facts.contains(&("domain", "conversation".to_owned())));
    // Three units, alice and bob.
    assert_eq!(detail.working.len(), 6);
    let walk = &detail.working[2];
    assert_eq!(
        (walk.unit.id.as_str(), walk.annotator.id.as_str(), walk.label.as_str()),
        ("walk", "alice", "partial")
    );
    assert_eq!((walk.bullets.as_slice(), walk.cited.as_slice()), (&[2][..], &[1, 3][..]));
    assert_eq!(
        (walk.right.as_slice(), walk.wrong.as_slice(), walk.missed.as_slice()),
        (&[3][..], &[1][..], &[][..])
    );
    // P 1/2, R 1/1, F1 2/3.
    let citation = walk.citation.expect("covered and linked");
    assert!((citation.f1 - 200.0 / 3.0).abs() < 1e-9);
    assert_eq!(
        CitationScore { f1: 0.0, ..citation },
        CitationScore { precision: 50.0, recall: 100.0, f1: 0.0 }
    );
    assert!((walk.joint.expect("linked") - 100.0 / 3.0).abs() < 1e-9);
    assert_eq!(detail.working[3].citation, Err(Undefined::NothingCovered));
    // Breaks by both, walk by alice.
    assert_eq!(detail.bullets[0].covers, [0, 1]);
    assert_eq!(detail.bullets[1].covers, [2]);
    assert_eq!(detail.bullets[1].cited, [1, 3]);
    let text = &detail.candidate.expect("one").text;
    assert_eq!(detail.bullets[1].span.slice(text), "- They walk [1][3].");
    // 1 and 2 are right for breaks, 3 for walk; 1 is wrong for walk only.
    let roles: Vec<(u32, DocumentRole)> =
        detail.documents.iter().map(|found| (found.document.number, found.role)).collect();
    assert_eq!(roles, [(1, DocumentRole::Right), (2, DocumentRole::Right), (3, DocumentRole::Right)]);
    let joint = detail.scores.expect("judged").joint.expect("linked");
    assert!((joint - (100.0 + 100.0 / 3.0 + 100.0) / 6.0).abs() < 1e-9);
    // Six of people and three of the judge, people first within an item.
    let who: Vec<&str> = detail.judgments.iter().map(|judgment| judgment.annotator.id.as_str()).collect();
    assert_eq!(who, ["alice", "bob", "judge"].repeat(3));
}

/// Of a list that a system was given, what it does not cite is there too, in the list's order.
#[test]
fn documents_that_a_system_was_given_come_in_its_order() {
    let mut corpus = corpus();
    // Its bullets cite the first and second, and the first and third place.
    let listed = |number| ListedDocument { number, score: None };
    corpus.candidates[0].1.cites = Some(CitedList::of([4, 3, 2, 1].map(listed).to_vec()));
    let nobody_judged = Tables::new(corpus, Vec::<Material>::new(), WhoCounts::People);
    let detail = nobody_judged.detail(BrowseTable::Candidates, 0);
    let shown =
        |found: &DocumentDetail<'_>| (found.document.number, found.role, detail.citing(found.document));
    let shown: Vec<_> = detail.documents.iter().map(shown).collect();
    let [cited, given] = [DocumentRole::Cited, DocumentRole::Given];
    let place = str::to_owned;
    assert_eq!(
        shown,
        [(4, cited, place("1")), (3, cited, place("2")), (2, cited, place("3")), (1, given, place("4"))]
    );
}

#[test]
fn an_item_of_another_protocol_shows_the_working_of_its_candidate() {
    let tables = tables();
    let detail = tables.detail(BrowseTable::Items, 7);
    assert_eq!(detail.working.len(), 3);
    let [judgment] = detail.judgments.as_slice() else { panic!("one judgment") };
    assert_eq!(judgment.comment, Some("nobody said 25 minutes"));
    assert!(judgment.flagged);
    assert_eq!(judgment.answers[0].1, "too general, hallucinated");
    let item = tables.detail(BrowseTable::Items, 3);
    // breaks: gold 1, 2; cited 4.
    let roles: Vec<(u32, DocumentRole)> =
        item.documents.iter().map(|found| (found.document.number, found.role)).collect();
    assert_eq!(roles, [(1, DocumentRole::Missed), (2, DocumentRole::Missed), (4, DocumentRole::Wrong)]);
    assert_eq!(tables.detail(BrowseTable::Systems, 0).scores.and_then(|scores| scores.joint.ok()), Some(0.0));
    for table in BrowseTable::ALL {
        for row in 0..=tables.len(table) as u32 {
            let detail = tables.detail(table, row);
            assert_eq!(detail.title.is_empty(), row as usize == tables.len(table), "{table} {row}");
        }
    }
}

#[test]
fn two_candidates_are_aligned_by_insight() {
    let tables = tables();
    let compared = tables.compare(0, 1);
    let units: Vec<&str> = compared.insights.iter().map(|aligned| aligned.unit.id.as_str()).collect();
    assert_eq!(units, ["breaks", "walk", "timer"]);
    let breaks = &compared.insights[0];
    assert_eq!(breaks.gold.as_deref(), Some(&[1, 2][..]));
    assert_eq!((breaks.sides[0].len(), breaks.sides[1].len()), (2, 1));
    assert_eq!(breaks.sides[1][0].wrong, [4]);
    assert_eq!(compared.unaligned, [vec![], vec![]] as [Vec<u32>; 2]);
    assert_eq!(compared.sides[1].system, "claude");
    assert_eq!(tables.others(0), [1]);
    assert_eq!(tables.next_pair(0, 1, false), None, "claude did not answer the other query");
    assert_eq!(tables.next_pair(0, 0, false), Some((2, 2)));
    assert_eq!(tables.next_pair(0, 0, true), Some((2, 2)));
}

#[test]
fn systems_meet_where_both_answered() {
    let tables = tables();
    // 0 is claude, 1 gpt-4o: 0 against 38.9.
    let duel = tables.duel(1, 0);
    assert_eq!((duel.wins, duel.ties, duel.rows.len()), ([1, 0], 0, 1));
    let margin = duel.rows[0].margin.expect("both judged");
    assert!((margin - 350.0 / 9.0).abs() < 1e-9, "(100 + 33.3 + 100) / 6 is 350 / 9: {margin}");
    assert_eq!((duel.rows[0].query, duel.rows[0].candidates), (0, [0, 1]));
    assert_eq!((tables.duel(0, 1).wins, duel.measure), ([0, 1], "joint".to_owned()));
}

#[test]
fn where_no_documents_are_known_systems_meet_by_coverage() {
    let tables = tables_without_gold();
    let duel = tables.duel(1, 0);
    assert_eq!(duel.measure, "coverage");
    // c1: the items 100, 25 and 0; c2: 50, 0 and 100.
    let margin = duel.rows[0].margin.expect("both judged");
    assert!((margin - (125.0 / 3.0 - 50.0)).abs() < 1e-9, "{margin}");
    assert_eq!(duel.wins, [0, 1]);
}

#[test]
fn grids_open_their_rows() {
    let tables = tables();
    let all = kept(&tables, BrowseTable::Candidates, "");
    for across in &ACROSS {
        let grid = tables.pivot(across, "joint", &all);
        opens_what_it_counts(&tables, &grid);
    }
    let grid = tables.pivot(&ACROSS[4], "coverage", &all);
    assert_eq!(
        (grid.rows.as_slice(), grid.columns.as_slice()),
        (
            &["claude".to_owned(), "oracle gpt-4o".to_owned()][..],
            &["explanatory".to_owned(), "(none)".to_owned()][..],
        )
    );
    assert_eq!(grid.cells[1][1].value, Ok(100.0));
    assert_eq!(grid.cells[0][1].value, Err(Undefined::NothingJudged));
    let positions = tables.positions("joint", &all).expect("orders");
    opens_what_it_counts(&tables, &positions);
    assert_eq!(positions.rows, ["oracle gpt-4o"], "claude names no order");
    assert_eq!(positions.columns, ["top", "random", "bottom", "sensitivity"]);
    assert_eq!(positions.cells[0][1].value, Ok(100.0));
    assert_eq!(positions.cells[0][3].value, Err(Undefined::OrdersMissing));
}

/// The one case of failure, a summary of claude, has the tag.
#[test]
fn grids_and_duels_are_of_any_protocols_scores() {
    let tables = tables();
    let scores = tables.scores_of_systems();
    assert!(
        scores.starts_with(&["joint", "coverage"]) && scores.contains(&"failures_hallucinated"),
        "{scores:?}"
    );
    let grid = tables.pivot(&ACROSS[4], "failures_hallucinated", &kept(&tables, BrowseTable::Candidates, ""));
    assert_eq!(grid.rows, ["claude", "oracle gpt-4o"]);
    assert_eq!(grid.cells[0][0].value, Ok(100.0));
    assert_eq!(grid.cells[1][0].value, Err(Undefined::NothingJudged));
    opens_what_it_counts(&tables, &grid);
}

#[test]
fn failures_and_annotators_open_their_cases() {
    let tables = tables();
    let all = kept(&tables, BrowseTable::Items, "");
    let failures = tables.failures(&kept(&tables, BrowseTable::Candidates, "")).expect("tags");
    opens_what_it_counts(&tables, &failures);
    assert_eq!(failures.columns, ["irrelevant", "general", "hallucinated", "citation", "other"]);
    let counts: Vec<usize> = failures.cells[0].iter().map(|cell| cell.count).collect();
    assert_eq!(counts, [0, 1, 1, 0, 0]);
    assert_eq!(failures.cells[0][1].value, Ok(100.0));
    let pairs = tables.pairs("coverage", &all).expect("a question");
    assert_eq!(pairs.rows, ["alice", "bob", "judge"]);
    // alice and bob on three items, two equal; alice and the judge on four: timer and breaks of c2.
    assert_eq!((pairs.cells[0][1].count, pairs.cells[0][1].value), (3, Ok(200.0 / 3.0)));
    assert_eq!((pairs.cells[0][2].count, pairs.cells[0][2].value), (4, Ok(50.0)));
    assert_eq!(opened(&tables, BrowseTable::Items, &pairs.cells[0][1].filter), [1]);
    assert_eq!(opened(&tables, BrowseTable::Items, &pairs.cells[0][0].filter).len(), 7);
    let confusion = tables.confusion("coverage", ("alice", "judge"), &all).expect("both answered");
    opens_what_it_counts(&tables, &confusion);
    assert_eq!(confusion.rows, ["none", "partial", "full"]);
    let counts: Vec<Vec<usize>> =
        confusion.cells.iter().map(|row| row.iter().map(|cell| cell.count).collect()).collect();
    // breaks: full against none; walk: partial against full; timer: none twice; c2 breaks: partial twice.
    assert_eq!(counts, [vec![1, 0, 0], vec![0, 1, 1], vec![1, 0, 0]]);
    // Two tags of one judgment are a label of their own, and its cell opens.
    let tags = tables.confusion("failures", ("alice", "alice"), &all).expect("she tagged one");
    opens_what_it_counts(&tables, &tags);
    let both = tags.rows.iter().position(|row| row == "general, hallucinated").expect("both tags");
    assert_eq!(tags.cells[both][both].count, 1);
}

/// Cells count and open rows that pass the filter, also one whose parts stand side by side as alternatives.
#[test]
fn a_filter_reaches_the_grids() {
    let tables = tables();
    let random = kept(&tables, BrowseTable::Candidates, "order:random or order:bottom");
    assert_eq!(random.count(), 1);
    for of in ["joint", "failures_hallucinated"] {
        let grid = tables.pivot(&ACROSS[4], of, &random);
        opens_what_it_counts(&tables, &grid);
        let counts: Vec<usize> = grid.cells.iter().flatten().map(|cell| cell.count).collect();
        assert_eq!(
            (counts.iter().sum::<usize>(), grid.cells[0][0].value),
            (1, Err(Undefined::NothingJudged))
        );
    }
    let coverage = tables.pivot(&ACROSS[4], "coverage", &random);
    assert_eq!(coverage.rows, ["oracle gpt-4o"], "a system of which nothing is left has no row");
    assert_eq!(
        (coverage.cells[0][0].value, coverage.cells[0][1].value),
        (Err(Undefined::NothingJudged), Ok(100.0))
    );
    assert!(tables.failures(&random).is_none(), "the case of failure is of another summary");
    let gpt = kept(&tables, BrowseTable::Candidates, "system:claude");
    opens_what_it_counts(&tables, &tables.failures(&gpt).expect("its tags"));
    let walk = kept(&tables, BrowseTable::Items, "unit:walk");
    let pairs = tables.pairs("coverage", &walk).expect("a question");
    // Alice calls it partial, bob none, and the judge full.
    assert_eq!((pairs.cells[0][1].count, pairs.cells[0][1].value), (1, Ok(0.0)));
    assert_eq!(opened(&tables, BrowseTable::Items, &pairs.cells[0][1].filter), [1]);
    let confusion = tables.confusion("coverage", ("alice", "judge"), &walk).expect("both answered");
    opens_what_it_counts(&tables, &confusion);
    assert_eq!(confusion.cells.iter().flatten().map(|cell| cell.count).sum::<usize>(), 1);
}

#[test]
fn a_row_opens_what_belongs_to_it() {
    let tables = tables();
    let rows = |table, row, to| opened(&tables, to, &tables.opens(table, row, to).expect("a way"));
    assert_eq!(rows(BrowseTable::Systems, 1, BrowseTable::Candidates), [0, 2]);
    assert_eq!(rows(BrowseTable::Queries, 1, BrowseTable::Units), [3]);
    assert_eq!(rows(BrowseTable::Candidates, 0, BrowseTable::Items), [0, 1, 2]);
    assert_eq!(rows(BrowseTable::Units, 0, BrowseTable::Items), [0, 3]);
    assert_eq!(tables.opens(BrowseTable::Documents, 0, BrowseTable::Items), None);
    let failure = builtin("failure").expect("built in");
    let target = tables.target(BrowseTable::Items, 0, failure).expect("an item has a candidate");
    assert_eq!((target.query, target.candidate, target.unit), (QueryId(1), Some(CandidateId(1)), None));
    assert_eq!(tables.target(BrowseTable::Units, 0, failure), None);
}

#[test]
fn a_preference_names_the_system_or_where_it_stood() {
    let said = |corpus| {
        let tables = tables_of_a_pair(corpus);
        let detail = tables.detail(BrowseTable::Items, 0);
        let answers = detail.judgments[0].answers.iter();
        answers.map(|(question, answer)| format!("{} {answer}", question.prompt)).collect::<Vec<_>>()
    };
    assert_eq!(said(corpus()), ["Better? claude", "Shown first claude"]);
    let mut hidden = corpus();
    hidden.candidates.iter_mut().for_each(|(_, one)| (one.retriever, one.summarizer) = (None, None));
    assert_eq!(said(hidden), ["Better? the one shown first"]);
}

/// Alice compares c1, of oracle and gpt-4o, with c2, of claude; c2 is the second in the file.
#[test]
fn a_pair_is_of_both_its_summaries() {
    let mut both = corpus();
    both.candidates[1].1.order = Some("bottom".into());
    both.candidates[1].1.meta.insert("year".into(), 2024.into());
    let tables = tables_of_a_pair(both);
    for (filter, fits) in [
        ("system=claude", true),
        ("system:gpt-4o", true),
        ("summarizer:other", false),
        ("order:top", true),
        ("candidate.order:bottom", true),
        ("candidate.order:random", false),
        ("candidate.meta.year>2000", true),
        ("candidate.summarizer=claude", true),
        ("retriever:oracle", true),
        ("category:explanatory", true),
        // Another than this: of both.
        ("system!=claude", false),
        ("-system=claude", false),
        ("summarizer!=other", true),
        // Each of the two by itself.
        ("candidate:c1 other_candidate:c2", true),
        ("candidate:c2", false),
    ] {
        assert_eq!(opened(&tables, BrowseTable::Items, filter).len(), usize::from(fits), "{filter}");
    }
}
