//! Scores of protocol files in the small study, and the scores of built-in protocols.

use super::check_scores;
use crate::browse::tests::small;
use crate::browse::{BrowseTable, Tables, View};
use crate::error::Result;
use crate::protocol::{Protocol, ScoreRule, ScoreSheet, builtins, score_sheet};

fn score_rules(text: &str) -> Result<Vec<ScoreRule>> {
    score_sheet(text).map(|sheet| sheet.rules)
}

#[test]
fn the_scores_that_come_along_name_what_there_is() {
    for protocol in builtins() {
        let with_scores = Protocol { scores: ScoreSheet::of(protocol.score_rules()), ..protocol.clone() };
        check_scores(&with_scores, builtins(), Default::default())
            .unwrap_or_else(|error| panic!("{}: {error}", protocol.name));
    }
}

#[test]
fn a_score_has_not_the_name_of_what_scores_are_grouped_by() {
    let coverage = builtins().iter().find(|protocol| protocol.name == "coverage").expect("built in");
    for name in ["system", "query", "unit", "category", "candidate"] {
        let text = score("coverage").replace("\"a\"", &format!("{name:?}"));
        let scores = score_sheet(&text).expect("scores");
        let named = Protocol { scores, ..coverage.clone() };
        let said = check_scores(&named, builtins(), Default::default()).expect_err(name).to_string();
        assert!(said.contains("line 1") && said.contains("give it another"), "{said}");
    }
}

fn scored(tables: &Tables, text: &str) -> std::result::Result<f64, String> {
    let rules = score_rules(text).expect("scores");
    let known = tables.score_rules("coverage", &rules).map_err(|error| error.to_string())?;
    let people = |who| tables.is_counted(who);
    let all = tables.scored_by(&known, rules.len() - 1, Default::default(), |row| {
        row.annotator.is_none_or(people).then_some(0)
    });
    all.get(&0)
        .map_or_else(|| Err("nothing".to_owned()), |score| score.value().map_err(|why| why.code().to_owned()))
}

fn score(value: &str) -> String {
    format!("[[score]]\nname = \"a\"\nvalue = {value:?}\n")
}

/// The joint score of c1 (38.9) and of c2 (0) is the same by the field and by the built-in column.
#[test]
fn a_judgment_has_its_own_numbers() {
    let tables = small::tables();
    let joint = tables.column(BrowseTable::Candidates, "joint").expect("a column");
    for (row, name) in [(0, "c1"), (1, "c2")] {
        let column = tables.shown(BrowseTable::Candidates, row, joint);
        let rules = score_rules(&score("joint")).expect("a score");
        let known = tables.score_rules("coverage", &rules).expect("known");
        let of_row = |scored: crate::browse::ScoredRow| {
            let counts = scored.annotator.is_none_or(|who| tables.is_counted(who));
            let candidate = tables.row_of_item(BrowseTable::Candidates, scored.row);
            (counts && candidate == row).then_some(0)
        };
        let found = tables.scored_by(&known, 0, Default::default(), of_row);
        assert_eq!(format!("{:.1}", found[&0].value().expect(name)), column, "{name}");
    }
}

#[test]
fn what_other_judgments_say_is_a_field_of_a_thing() {
    let tables = small::tables();
    let rows = |table, filter: &str| {
        let view = View { filter: filter.into(), ..View::of(table) };
        tables.rows(&view).unwrap_or_else(|error| panic!("{filter}: {error}"))
    };
    // More than half of those who judged an item of the unit say so; alice and bob differ on walk.
    let full = rows(BrowseTable::Units, "unit.coverage:full");
    assert!(full.contains(&0) && !rows(BrowseTable::Units, "unit.coverage:partial").contains(&1), "{full:?}");
    let groups = tables.groups(BrowseTable::Items, "unit.coverage");
    assert!(groups.is_err() || groups.is_ok_and(|groups| !groups.groups.is_empty()));
}

#[test]
fn a_score_compares_the_steps_of_a_scale() {
    let tables = small::tables_of_fluency();
    for value in ["fluent>=4", "fluent@majority>=4", "fluent@bob>4"] {
        let rules = score_rules(&score(value)).expect("a score");
        assert!(tables.score_rules("fluency", &rules).is_ok(), "{value}");
    }
    let rules = score_rules(&score("fluent>=4")).expect("a score");
    let known = tables.score_rules("fluency", &rules).expect("known");
    let all = tables.scored_by(&known, 0, Default::default(), |_| Some(0));
    let score = all.get(&0).expect("a score").value().expect("defined");
    // c1 has 100 from both annotators, c2 has 0.
    assert!((score - 50.0).abs() < 1e-9, "{score}");
}

#[test]
fn what_a_score_cannot_ask_is_said_with_its_place() {
    let tables = small::tables();
    for (value, what) in [
        ("covrage:full", "did you mean \"coverage\""),
        ("coverage:ful", "choose among"),
        ("coverage:full nonsense", "no test of a field"),
        ("unit.nothing:x", "there is no field or question"),
        ("coverage@zoe:full", "there is no annotator"),
        ("system", "is no number"),
    ] {
        let error = scored(&tables, &score(value)).expect_err(value);
        assert!(error.contains(what), "{value}: {error}");
    }
    let mean = format!("{}mean = \"bullet\"\n", score("coverage"));
    assert!(scored(&tables, &mean).expect_err("no bullet").contains("has no bullet"));
}
