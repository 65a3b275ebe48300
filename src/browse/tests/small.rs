//! A small study whose numbers are worked out by hand.
//!
//! Two queries, three summaries by two systems, four insights, two people and a judge. Bullets cite:
//! stress/c1 (oracle gpt-4o, top) 1: {1, 2}, 2: {1, 3}; stress/c2 (claude) 1: {4}, 2: {}; sleep/c1 (oracle
//! gpt-4o, random) 1: {2}.
//!
//! | item | gold | alice | bob | judge |
//! | --- | --- | --- | --- | --- |
//! | stress/c1 breaks | 1, 2 | full, 1: F1 100, joint 100 | full, 1: 100, 100 | none |
//! | stress/c1 walk | 3 | partial, 2: P 50, R 100, F1 66.7, joint 33.3 | none: 0 | full, 2 |
//! | stress/c1 timer | 4 | none: 0 | none: 0 | none |
//! | stress/c2 breaks | 1, 2 | partial, 1: F1 0, joint 0 | | partial, 1 |
//! | stress/c2 walk | 3 | none: 0 | | |
//! | stress/c2 timer | 4 | full, 2: F1 0, joint 0 | | |
//! | sleep/c1 naps | 2 | full, 1: 100, 100 | | |

use crate::browse::{Tables, WhoCounts};
use crate::journal::{JudgmentParts, Material};
use crate::protocol::{Answer, Answers, Protocol, builtin};
use crate::study::{
    Annotator, AnnotatorId, AnnotatorKind, Candidate, CandidateId, Collection, CollectionId, Corpus,
    Document, DocumentId, ItemId, ItemRow, Meta, Query, QueryId, Target, Unit, UnitId,
};

fn document(number: u32, text: &str) -> (DocumentId, Document) {
    let document = Document {
        collection: "exam".into(),
        id: format!("d{number}"),
        number,
        title: Some(format!("Evening {number}")),
        text: text.into(),
        meta: Meta::new(),
    };
    (DocumentId(i64::from(number)), document)
}

fn query(id: i64, key: &str, text: &str, category: Option<&str>) -> (QueryId, Query) {
    let query = Query {
        collection: "exam".into(),
        id: key.into(),
        text: text.into(),
        category: category.map(str::to_owned),
        domain: None,
        meta: Meta::new(),
    };
    (QueryId(id), query)
}

fn unit(id: i64, query: &str, key: &str, text: &str, gold: &[&str]) -> (UnitId, Unit) {
    let unit = Unit {
        collection: "exam".into(),
        query: query.into(),
        id: key.into(),
        kind: "insight".into(),
        candidate: None,
        title: None,
        text: text.into(),
        documents: Some(gold.iter().map(|key| (*key).to_owned()).collect()),
        evidence: Vec::new(),
        score: None,
        meta: Meta::new(),
    };
    (UnitId(id), unit)
}

fn candidate(
    id: i64,
    query: &str,
    key: &str,
    system: (Option<&str>, &str),
    order: Option<&str>,
    text: &str,
) -> (CandidateId, Candidate) {
    let candidate = Candidate {
        cites: None,
        collection: "exam".into(),
        query: query.into(),
        id: key.into(),
        summarizer: Some(system.1.into()),
        retriever: system.0.map(str::to_owned),
        order: order.map(str::to_owned),
        text: text.into(),
        meta: Meta::new(),
    };
    (CandidateId(id), candidate)
}

fn annotator(id: i64, key: &str, kind: AnnotatorKind) -> (AnnotatorId, Annotator) {
    (AnnotatorId(id), Annotator { id: key.into(), kind, meta: Meta::new() })
}

pub(super) fn corpus() -> Corpus {
    let exam = Collection {
        id: "exam".into(),
        title: Some("Three students".into()),
        domain: Some("conversation".into()),
        meta: Meta::new(),
    };
    let oracle = (Some("oracle"), "gpt-4o");
    Corpus {
        collections: vec![(CollectionId(1), exam)],
        documents: vec![
            document(1, "We tried the Pomodoro technique last term."),
            document(2, "Breaks, and naps at noon."),
            document(3, "A walk by the river."),
            document(4, "The kitchen timer rings."),
        ],
        queries: vec![
            query(1, "stress", "How do they handle stress?", Some("explanatory")),
            query(2, "sleep", "How do they sleep?", None),
        ],
        units: vec![
            unit(1, "stress", "breaks", "They take breaks of five minutes.", &["d1", "d2"]),
            unit(2, "stress", "walk", "They go for a walk.", &["d3"]),
            unit(3, "stress", "timer", "They set a timer.", &["d4"]),
            unit(4, "sleep", "naps", "They nap at noon.", &["d2"]),
        ],
        candidates: vec![
            candidate(
                1,
                "stress",
                "c1",
                oracle,
                Some("top"),
                "- They take breaks [1, 2].\n- They walk [1][3].",
            ),
            candidate(2, "stress", "c2", (None, "claude"), None, "- Breaks help [4].\n- A Timer, they say."),
            candidate(3, "sleep", "c1", oracle, Some("random"), "- Naps at noon [2]."),
        ],
        annotators: vec![
            annotator(1, "alice", AnnotatorKind::Human),
            annotator(2, "bob", AnnotatorKind::Human),
            annotator(3, "judge", AnnotatorKind::Model),
        ],
        ..Corpus::default()
    }
}

fn item(id: i64, query: i64, candidate: i64, unit: Option<i64>) -> ItemRow {
    let target = Target {
        candidate: Some(CandidateId(candidate)),
        unit: unit.map(UnitId),
        ..Target::of_query(QueryId(query))
    };
    ItemRow { id: ItemId(id), target }
}

fn said(label: &str, bullet: Option<u32>) -> Answers {
    let link = bullet.map(|number| ("bullet".to_owned(), Answer::Bullet(number)));
    [("coverage".to_owned(), Answer::Text(label.into()))].into_iter().chain(link).collect()
}

fn coverage() -> Material {
    let items = vec![
        item(1, 1, 1, Some(1)),
        item(2, 1, 1, Some(2)),
        item(3, 1, 1, Some(3)),
        item(4, 1, 2, Some(1)),
        item(5, 1, 2, Some(2)),
        item(6, 1, 2, Some(3)),
        item(7, 2, 3, Some(4)),
    ];
    let mut table = Material::new(builtin("coverage").unwrap().clone(), items);
    let judgments = [
        (0, 1, said("full", Some(1))),
        (1, 1, said("partial", Some(2))),
        (2, 1, said("none", None)),
        (3, 1, said("partial", Some(1))),
        (4, 1, said("none", None)),
        (5, 1, said("full", Some(2))),
        (6, 1, said("full", Some(1))),
        (0, 2, said("full", Some(1))),
        (1, 2, said("none", None)),
        (2, 2, said("none", None)),
        (0, 3, said("none", None)),
        (1, 3, said("full", Some(2))),
        (2, 3, said("none", None)),
        (3, 3, said("partial", Some(1))),
    ];
    for (item, annotator, answers) in judgments {
        let place = table.place(answers);
        let active = if annotator == 1 { 12_000 } else { 0 };
        let parts = JudgmentParts { counts: true, active, ..JudgmentParts::default() };
        table.push(item, AnnotatorId(annotator), place, parts);
    }
    table.arrange();
    table
}

/// Alice tags stress/c2, comments on it and marks it.
fn failure() -> Material {
    let protocol = builtin("failure").unwrap().clone();
    let mut table = Material::new(protocol, vec![item(8, 1, 2, None)]);
    let tags = Answer::Names(vec!["general".into(), "hallucinated".into()]);
    let place = table.place([("failures".to_owned(), tags)].into());
    let comment = Some("nobody said 25 minutes".to_owned());
    let parts = JudgmentParts { counts: true, flagged: true, comment, ..JudgmentParts::default() };
    table.push(0, AnnotatorId(1), place, parts);
    table.arrange();
    table
}

/// Judged for nothing but whether summaries are faithful and comprehensive: alice and bob differ on the second question
/// about c1, and on none about the other.
pub(crate) fn tables_of_faithfulness() -> Tables {
    let protocol = builtin("faithfulness").unwrap().clone();
    let mut table = Material::new(protocol, vec![item(1, 1, 1, None), item(2, 1, 2, None)]);
    for (item, annotator, comprehensive) in
        [(0, 1, "yes"), (0, 2, "no"), (1, 1, "partial"), (1, 2, "partial")]
    {
        let said = |question: &str, label: &str| (question.to_owned(), Answer::Text(label.into()));
        let place = table.place([said("faithful", "yes"), said("comprehensive", comprehensive)].into());
        table.push(
            item,
            AnnotatorId(annotator),
            place,
            JudgmentParts { counts: true, ..JudgmentParts::default() },
        );
    }
    table.arrange();
    let unjudged = Material::new(builtin("coverage").unwrap().clone(), Vec::new());
    let corpus = Corpus { units: Vec::new(), ..corpus() };
    Tables::new(corpus, vec![unjudged, table], WhoCounts::People)
}

/// Judged for how fluent summaries are, from 1 to 5: alice and bob give c1 a 4 and a 5, and alice c2 a 2.
pub(crate) fn tables_of_fluency() -> Tables {
    let text = "name = \"fluency\"\ntitle = \"Fluency\"\nversion = 1\nsource = \"a test\"\ntarget = [\"candidate\"]\n\
                group = \"query\"\nlayout = { above = [\"query\"], left = [], right = [\"candidate\"] }\n[[question]]\n\
                key = \"fluent\"\nprompt = \"Fluent?\"\nkind = \"choice\"\nscale = \"1..5\"\n";
    let protocol = Protocol::parse(text, "").expect("a protocol");
    let mut table = Material::new(protocol, vec![item(1, 1, 1, None), item(2, 1, 2, None)]);
    for (item, annotator, step) in [(0, 1, "4"), (0, 2, "5"), (1, 1, "2")] {
        let place = table.place([("fluent".to_owned(), Answer::Text(step.into()))].into());
        let parts = JudgmentParts { counts: true, ..JudgmentParts::default() };
        table.push(item, AnnotatorId(annotator), place, parts);
    }
    table.arrange();
    Tables::new(corpus(), vec![table], WhoCounts::People)
}

/// Alice finds c2 better than c1, and c2 stood first.
pub(super) fn tables_of_a_pair(corpus: Corpus) -> Tables {
    let mut pair = item(1, 1, 1, None);
    pair.target.other = Some(CandidateId(2));
    let mut table = Material::new(builtin("preference").unwrap().clone(), vec![pair]);
    let said = |question: &str| (question.to_owned(), Answer::Text("other".into()));
    let place = table.place([said("better"), said("first")].into());
    table.push(0, AnnotatorId(1), place, JudgmentParts { counts: true, ..JudgmentParts::default() });
    table.arrange();
    Tables::new(corpus, vec![table], WhoCounts::People)
}

/// The study of [`tables`], where nobody knows which documents contain the insights.
pub(crate) fn tables_without_gold() -> Tables {
    let mut corpus = corpus();
    corpus.units.iter_mut().for_each(|(_, unit)| unit.documents = None);
    Tables::new(corpus, vec![coverage(), failure()], WhoCounts::People)
}

pub(crate) fn tables() -> Tables {
    Tables::new(corpus(), vec![coverage(), failure()], WhoCounts::People)
}
