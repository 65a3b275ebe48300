//! The language, and what it selects in the small study.

use proptest::prelude::*;

use super::{Filter, parse};
use crate::browse::tests::small::tables;
use crate::browse::{BrowseTable, ColumnSource, Tables, View};

const NOBODY: [u32; 0] = [];

fn rows(tables: &Tables, table: BrowseTable, filter: &str) -> Vec<u32> {
    let view = View { filter: filter.into(), ..View::of(table) };
    tables.rows(&view).unwrap_or_else(|error| panic!("{filter}: {error}"))
}

fn wrong<'f>(tables: &Tables, table: BrowseTable, filter: &'f str) -> (&'f str, String) {
    let error = tables.check(table, filter).expect_err(filter);
    (&filter[error.place.clone()], error.sentence)
}

#[test]
fn names_labels_and_numbers() {
    let tables = tables();
    let candidates = |filter: &str| rows(&tables, BrowseTable::Candidates, filter);
    assert_eq!(candidates(""), [0, 1, 2]);
    assert_eq!(candidates("system:GPT-4o"), [0, 2]);
    assert_eq!(candidates("system=gpt-4o"), NOBODY);
    assert_eq!(candidates("system=\"oracle gpt-4o\""), [0, 2]);
    assert_eq!(candidates("system!=claude"), [0, 2]);
    assert_eq!(candidates("system:or*4o"), [0, 2]);
    assert_eq!(candidates("joint<20"), [1]);
    // 38.9 is 38.888… shown rounded.
    assert_eq!(candidates("joint:38.9"), [0]);
    assert_eq!(candidates("joint=39"), [0]);
    assert_eq!(candidates("joint:20..100"), [0, 2]);
    assert_eq!(candidates("joint:..38"), [1]);
    assert_eq!(candidates("joint>=38.8 joint<=99%"), [0]);
    assert_eq!(candidates("joint!=0"), [0, 2]);
    assert_eq!(candidates("joint:>50"), [2]);
    assert_eq!(candidates("joint > 20"), [0, 2], "blanks make no difference");
    assert_eq!(candidates("joint :20..100 or order = top"), [0, 2]);
    assert_eq!(candidates("(joint >= 38.8) joint <= 99%"), [0]);
    assert_eq!(wrong(&tables, BrowseTable::Candidates, "joint< order:top").0, "joint<");
    assert_eq!(wrong(&tables, BrowseTable::Candidates, "joint > or order:top").0, "joint >");
    assert_eq!(candidates("disagreement:undefined"), [1, 2]);
    assert_eq!(candidates("-disagreement:undefined"), [0]);
    assert_eq!(candidates("disagreement>0"), [0]);
    assert_eq!(candidates("order:\"\""), [1]);
    assert_eq!(candidates("order!=top"), [2], "a candidate without an order has no other order");
    assert_eq!(candidates("order:top or order:random"), [0, 2]);
    assert_eq!(candidates("tag:hallucinated"), [1]);
    assert_eq!(candidates("tag:\"too general\""), [1], "by its label");
    assert_eq!(candidates("tag:*"), [1]);
    assert_eq!(candidates("not tag:*"), [0, 2]);
    assert_eq!(candidates("is:flagged"), [1]);
    assert_eq!(candidates("citation:missed"), [1]);
    assert_eq!(candidates("citation:right"), [0, 2]);
    assert_eq!(candidates("citation:uncited"), [1]);
    assert_eq!(candidates("query:stress (tag:hallucinated or joint>30)"), [0, 1]);
    assert_eq!(candidates("query:handle"), [0, 1], "in the text of the query");
    assert_eq!(rows(&tables, BrowseTable::Units, "coverage<20"), [1]);
    assert_eq!(rows(&tables, BrowseTable::Documents, "cited>1"), [1]);
}

#[test]
fn full_width_signs_count_behind_a_field() {
    let tables = tables();
    let candidates = |filter: &str| rows(&tables, BrowseTable::Candidates, filter);
    assert_eq!(candidates("joint＜20"), [1]);
    assert_eq!(candidates("joint ＞＝ 38.8 joint<=99%"), [0]);
    assert_eq!(candidates("joint：>50"), [2]);
    assert_eq!(candidates("order！=top"), [2]);
    let written = |filter: &str| parse(filter).expect(filter).to_string();
    assert_eq!(written("coverage@李雷：full"), "coverage@李雷:full");
    for word in ["标题：正文", "order:上：下"] {
        assert_eq!(written(word), word, "within a word it is a part of it");
    }
    assert_eq!(parse("\"a：b\""), parse("\"a\u{ff1a}b\""));
    assert!(matches!(parse("\"a：b\"").expect("a phrase").root, Some(super::Node::Word { .. })));
    assert_eq!(wrong(&tables, BrowseTable::Candidates, "joint：").0, "joint：");
    let offers = |filter: &str| tables.complete(BrowseTable::Candidates, filter, filter.len()).offers;
    assert!(!offers("order:").is_empty());
    assert_eq!(offers("order："), offers("order:"));
}

#[test]
fn steps_of_a_scale_are_labels_and_numbers() {
    let tables = super::super::tests::small::tables_of_fluency();
    let candidates = |filter: &str| rows(&tables, BrowseTable::Candidates, filter);
    assert_eq!(candidates("fluent>=4"), [0]);
    assert_eq!(candidates("fluent>4"), [0], "the mean is 4.5");
    assert_eq!(candidates("fluent>=5"), NOBODY);
    assert_eq!(candidates("fluent<4"), [1]);
    assert_eq!(candidates("fluent<=2"), [1]);
    assert_eq!(candidates("fluent:1..3"), [1]);
    assert_eq!(candidates("fluent:5"), [0], "somebody says so");
    assert_eq!(candidates("fluent=4"), [0]);
    assert_eq!(candidates("fluent@bob>=5"), [0]);
    assert_eq!(candidates("fluent@majority<=2"), [1]);
}

#[test]
fn annotators_and_their_labels() {
    let tables = tables();
    let items = |filter: &str| rows(&tables, BrowseTable::Items, filter);
    assert_eq!(items("coverage@judge:full coverage@alice:partial"), [1]);
    assert_eq!(items("coverage@judge=full -coverage@bob:full"), [1]);
    assert_eq!(items("coverage:none"), [1, 2, 4], "where none has most votes, alone or with another");
    assert_eq!(items("coverage@*:full"), [0, 1, 5, 6]);
    assert_eq!(items("coverage@alice!=@bob"), [1]);
    assert_eq!(items("coverage@alice=@bob"), [0, 2]);
    // Other tables have the rows with such an item: alice and bob differ on walk of c1, and agree on breaks and timer.
    assert_eq!(rows(&tables, BrowseTable::Candidates, "coverage@alice!=@bob"), [0]);
    assert_eq!(rows(&tables, BrowseTable::Candidates, "coverage@alice=@bob"), [0]);
    assert_eq!(rows(&tables, BrowseTable::Units, "coverage@alice!=@bob"), [1]);
    assert_eq!(items("coverage@alice!=@judge"), [0, 1]);
    assert_eq!(items("coverage@judge>=50"), [1, 3]);
    assert_eq!(items("coverage@bob!=none"), [0]);
    assert_eq!(items("coverage@bob:\"\""), [3, 4, 5, 6, 7]);
    assert_eq!(items("bullet@alice:2"), [1, 5]);
    assert_eq!(items("outcome:unanimous"), [0, 2]);
    assert_eq!(items("outcome:unresolved"), [1]);
    assert_eq!(items("outcome:single"), [3, 4, 5, 6, 7]);
    assert_eq!(items("coverage@gold:full"), [0]);
    assert_eq!(items("protocol:failure"), [7]);
    assert_eq!(items("coverage:0"), [2, 4], "a number is the score");
    assert_eq!(rows(&tables, BrowseTable::Candidates, "coverage@judge:full"), [0], "of one of its insights");
}

#[test]
fn what_was_decided_counts() {
    use crate::journal::{Decision, EventId, Reason, Verdict, Writer};
    use crate::protocol::{Answer, builtin};
    use crate::study::{AnnotatorId, ItemId};
    let mut tables = tables();
    assert_eq!(rows(&tables, BrowseTable::Items, "outcome:adjudicated"), NOBODY);
    let answers = [("coverage".to_owned(), Answer::Text("none".into()))].into();
    let verdict = Verdict { answers, reason: Some(Reason::Slip), ..Verdict::default() };
    let decision = Decision {
        verdict,
        by: AnnotatorId(2),
        event: EventId { writer: Writer(1), seq: 1 },
        at: None,
        protocol: builtin("coverage").unwrap().hash,
        texts: crate::text::hash::fingerprint(&["t"]),
    };
    tables.decide("coverage", ItemId(2), Some(decision));
    assert_eq!(rows(&tables, BrowseTable::Items, "outcome:adjudicated"), [1]);
    assert_eq!(rows(&tables, BrowseTable::Items, "coverage@gold:none"), [1, 2]);
    assert_eq!(rows(&tables, BrowseTable::Items, "reason:slip"), [1]);
    assert_eq!(rows(&tables, BrowseTable::Candidates, "reason:slip outcome:adjudicated"), [0]);
    tables.decide("coverage", ItemId(2), None);
    assert_eq!(rows(&tables, BrowseTable::Items, "outcome:unresolved"), [1]);
}

#[test]
fn words_are_looked_for_in_all_texts_of_a_row() {
    let tables = tables();
    let found = |table, filter: &str| rows(&tables, table, filter);
    assert_eq!(found(BrowseTable::Candidates, "timer"), [1]);
    assert_eq!(found(BrowseTable::Candidates, "\"take breaks\""), [0]);
    assert_eq!(found(BrowseTable::Candidates, "take help"), NOBODY);
    assert_eq!(found(BrowseTable::Candidates, "25"), [1], "in a comment");
    assert_eq!(found(BrowseTable::Candidates, "comment:\"25 min\""), [1]);
    assert_eq!(found(BrowseTable::Candidates, "handle"), [0, 1], "in the query");
    assert_eq!(found(BrowseTable::Candidates, "~tmier"), [1]);
    assert_eq!(found(BrowseTable::Candidates, "tmier"), NOBODY);
    assert_eq!(found(BrowseTable::Candidates, "claude"), [1]);
    assert_eq!(found(BrowseTable::Candidates, "pomodoro"), NOBODY);
    assert_eq!(found(BrowseTable::Documents, "pomodoro"), [0]);
    assert_eq!(found(BrowseTable::Candidates, "document:pomodoro"), [0], "c1 cites document 1");
    assert_eq!(found(BrowseTable::Units, "document:pomodoro"), [0], "document 1 contains it");
    assert_eq!(found(BrowseTable::Queries, "document:pomodoro"), [0, 1], "one collection");
    assert_eq!(found(BrowseTable::Items, "document=\"\"").len(), 8, "no item is about one document");
    assert_eq!(found(BrowseTable::Items, "document=d1"), NOBODY);
    assert_eq!(found(BrowseTable::Items, "naps"), [6]);
    assert_eq!(found(BrowseTable::Systems, "gpt"), [1]);
}

#[test]
fn typing_on_narrows_what_was_found() {
    let tables = tables();
    let whole = "breaks help";
    for end in 1..=whole.len() {
        let filter = format!("\"{}\"", &whole[..end]);
        let fresh = super::super::tests::small::tables();
        assert_eq!(
            rows(&tables, BrowseTable::Candidates, &filter),
            rows(&fresh, BrowseTable::Candidates, &filter),
            "{filter}"
        );
    }
}

#[test]
fn errors_point_at_their_place() {
    let tables = tables();
    for (filter, place, says) in [
        ("joint<20 jiont>3", "jiont", "did you mean joint?"),
        ("system:x )", ")", "closes nothing"),
        ("(joint<20", "(", "not closed"),
        ("a or", "or", "missing"),
        ("or a", "or", "nothing to join"),
        ("joint<", "joint<", "a value is missing"),
        ("<20", "<", "a field is missing"),
        ("joint<abc", "abc", "is none; type one"),
        ("system<20", "system<20", "no number"),
        ("tag:halucinated", "halucinated", "hallucinated"),
        ("say \"so", "\"so", "not closed"),
        ("x -", "-", "negates nothing"),
        ("~", "~", "a word is missing"),
        ("()", "()", "nothing in these"),
        ("\"\"", "\"\"", "there is nothing"),
        ("coverage@carol:full", "coverage@carol", "no field"),
        ("http://x.y", "http", "quote it"),
    ] {
        let (at, sentence) = wrong(&tables, BrowseTable::Candidates, filter);
        assert_eq!(at, place, "{filter}: {sentence}");
        assert!(sentence.contains(says), "{filter}: {sentence}");
    }
    for (filter, at, number) in [
        ("joint<abc", "abc", "joint"),
        ("joint:20..x", "20..x", "joint"),
        ("coverage>=full", "full", "coverage"),
        ("coverage@alice<abc", "abc", "coverage@alice"),
    ] {
        let says = format!("{number} is a number, and \"{at}\" is none; type one such as 20");
        assert_eq!(wrong(&tables, BrowseTable::Items, filter), (at, says));
    }
    let (_, sentence) = wrong(&tables, BrowseTable::Candidates, "system<abc");
    assert_eq!(sentence, "system is no number, so nothing is < it; use : or =");
    let (_, sentence) = wrong(&tables, BrowseTable::Items, "coverage@alice=@rob");
    assert_eq!(sentence, "there is no annotator \"rob\"; choose among alice, bob, judge");
    let (_, sentence) = wrong(&tables, BrowseTable::Units, "order:top");
    assert!(sentence.contains("the table of candidates has it"), "{sentence}");
    let deep = "(".repeat(5_000);
    assert!(parse(&deep).is_err());
    assert!(parse(&"-".repeat(5_000)).is_err());
}

#[test]
fn completion_offers_fields_then_their_values_with_counts() {
    let tables = tables();
    let offered = |table, filter: &str| {
        let completion = tables.complete(table, filter, filter.len());
        let first = completion.offers.first().cloned();
        (completion.replaces.clone(), first.map(|offer| (offer.text, offer.count)))
    };
    assert_eq!(offered(BrowseTable::Candidates, "sys"), (0..3, Some(("system:".into(), None))));
    assert_eq!(offered(BrowseTable::Candidates, "tag:x -joi"), (7..10, Some(("joint".into(), None))));
    assert_eq!(
        offered(BrowseTable::Candidates, "system:"),
        (7..7, Some(("\"oracle gpt-4o\"".into(), Some(2))))
    );
    assert_eq!(offered(BrowseTable::Candidates, "system:cl"), (7..9, Some(("claude".into(), Some(1)))));
    assert_eq!(
        offered(BrowseTable::Candidates, "(system:\"orac"),
        (8..13, Some(("\"oracle gpt-4o\"".into(), Some(2))))
    );
    assert_eq!(offered(BrowseTable::Items, "coverage@judge:pa"), (15..17, Some(("partial".into(), Some(1)))));
    assert_eq!(offered(BrowseTable::Items, "coverage@alice!=@b"), (16..18, Some(("@bob".into(), None))));
    assert_eq!(offered(BrowseTable::Items, "joint<"), (6..6, None));
    assert_eq!(offered(BrowseTable::Items, ""), (0..0, Some(("protocol:".into(), None))));
}

fn printed_parses_to_the_same(filter: &Filter) {
    let text = filter.to_string();
    assert_eq!(parse(&text).as_ref(), Ok(filter), "{text}");
}

#[test]
fn what_is_printed_parses_to_the_same() {
    for text in [
        "system:gpt-4o joint<20 tag:hallucinated disagreement>0 citation:missed \"pomodoro\"",
        "(a or b) c -(d e) --f not g",
        "a or b c or (d or e)",
        "a and b and (c and d)",
        "\"or\" \"-x\" \"~y\" \"a:b\" \"\\\"\" \"\\\\\"",
        "or:x \"a b\":c \"a\"=\"b c\" x:\"*\" x:* x==y x:!y x!==y",
        "coverage@alice!=@bob ~\"two words\"",
        "",
    ] {
        printed_parses_to_the_same(&parse(text).unwrap_or_else(|error| panic!("{text}: {error}")));
    }
}

proptest! {
    #[test]
    fn nothing_that_is_typed_panics(
        pieces in prop::collection::vec(prop_oneof![
            Just("(".to_owned()), Just(")".to_owned()), Just(" ".to_owned()), Just("\"".to_owned()),
            Just("-".to_owned()), Just("~".to_owned()), Just("or".to_owned()), Just(" and ".to_owned()),
            Just("not".to_owned()), Just("joint".to_owned()), Just("<".to_owned()), Just(":".to_owned()),
            Just("=".to_owned()), Just("!".to_owned()), Just("*".to_owned()), Just("..".to_owned()),
            Just("coverage@alice".to_owned()), Just("@bob".to_owned()), Just("20".to_owned()),
            Just("system".to_owned()), Just("tag".to_owned()), Just("\\".to_owned()), ".{0,3}",
        ], 0..16),
        cursor in 0..40_usize,
    ) {
        let text = pieces.concat();
        if let Ok(filter) = parse(&text) {
            printed_parses_to_the_same(&filter);
        }
        let tables = tables();
        for table in BrowseTable::ALL {
            if let Err(error) = tables.check(table, &text) {
                prop_assert!(text.get(error.place.clone()).is_some(), "{text:?} {:?}", error.place);
            }
        }
        let cursor = (0..=cursor.min(text.len())).rev().find(|place| text.is_char_boundary(*place));
        let completion = tables.complete(BrowseTable::Items, &text, cursor.unwrap_or(0));
        prop_assert!(text.get(completion.replaces.clone()).is_some());
    }
}

#[test]
fn the_readme_names_every_field() {
    let readme = include_str!("../../../docs/filters.md");
    let tables = tables();
    for table in BrowseTable::ALL {
        let is_of_study = |(source, name): &(ColumnSource, &str)| {
            matches!(source, ColumnSource::Score(_)) || name.contains(['@', '.']) || *name == "failures"
        };
        for (_, name) in tables.named_sources(table).filter(|named| !is_of_study(named)) {
            let is_there = name.is_empty() || name == "other" || readme.contains(&format!("`{name}`"));
            assert!(is_there, "docs/filters.md does not name the field {name} of {table}");
        }
    }
}
