//! Records of a study of any size in the manner of SummHay, the same in every run.

// Every bench uses a part of it.
#![allow(dead_code)]

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use haymark::formats::jsonl::write_record;
use haymark::study::{
    Annotator, AnnotatorKind, Candidate, Collection, Document, Evidence, Judgment, Meta, Query, Record, Unit,
};

use super::texts::{Dice, english};

/// The size of a study. Every candidate is judged for every unit of its query.
#[derive(Clone, Copy)]
pub struct Shape {
    pub collections: usize,
    /// In each collection.
    pub documents: usize,
    /// In each collection.
    pub queries: usize,
    /// For each query.
    pub units: usize,
    /// For each query.
    pub candidates: usize,
    pub annotators: usize,
    /// Number of judges: the last of the annotators.
    pub models: usize,
    /// Bytes of a document.
    pub document: usize,
}

/// A study that someone has just begun.
pub const SMALL: Shape = Shape {
    collections: 1,
    documents: 20,
    queries: 2,
    units: 10,
    candidates: 5,
    annotators: 2,
    models: 0,
    document: 6_000,
};

/// A haystack of 600 KB.
pub const HAYSTACK: Shape = Shape { documents: 100, ..SMALL };

/// One document of 600 KB.
pub const LONG: Shape = Shape { documents: 1, document: 600_000, ..SMALL };

/// 60 MB of documents, and 250,000 items judged by 4 people: 1,000,000 judgments.
pub const MILLION: Shape = Shape {
    collections: 100,
    documents: 100,
    queries: 5,
    units: 25,
    candidates: 20,
    annotators: 4,
    models: 0,
    document: 6_000,
};

/// 12,500 items judged by 8, two of whom are judges: 100,000 judgments for every ten collections.
pub const COMMANDS: Shape = Shape {
    collections: 10,
    documents: 100,
    queries: 5,
    units: 25,
    candidates: 10,
    annotators: 8,
    models: 2,
    document: 300,
};

/// Bullets of a candidate.
const BULLETS: usize = 8;

/// Writes everything but the judgments as haymark JSONL.
pub fn write_corpus(path: &Path, shape: Shape) {
    let mut out = Lines::create(path);
    for collection in 0..shape.collections {
        let id = format!("haystack{collection}");
        let texts: Vec<String> = (0..shape.documents)
            .map(|number| english(shape.document, (collection * 1000 + number) as u64 + 1))
            .collect();
        out.put(Record::Collection(Collection {
            id: id.clone(),
            title: None,
            domain: Some("conversation".into()),
            meta: Meta::new(),
        }));
        for (number, text) in (1..).zip(&texts) {
            out.put(Record::Document(Document {
                collection: id.clone(),
                id: format!("d{number}"),
                number,
                title: Some(format!("Conversation {number}")),
                text: text.clone(),
                meta: Meta::new(),
            }));
        }
        for query in 0..shape.queries {
            write_query(&mut out, shape, &id, query, &texts);
        }
    }
    for annotator in 0..shape.annotators {
        out.put(Record::Annotator(Annotator {
            id: name(annotator),
            kind: if annotator + shape.models < shape.annotators {
                AnnotatorKind::Human
            } else {
                AnnotatorKind::Model
            },
            meta: Meta::new(),
        }));
    }
    out.finish();
}

fn write_query(out: &mut Lines, shape: Shape, collection: &str, query: usize, texts: &[String]) {
    let id = format!("q{query}");
    out.put(Record::Query(Query {
        collection: collection.to_owned(),
        id: id.clone(),
        text: "What do the students say about how they handle stress before an exam?".into(),
        category: None,
        domain: None,
        meta: Meta::new(),
    }));
    for unit in 0..shape.units {
        let first = (query * shape.units + unit) % texts.len();
        let quote = texts[first].split(". ").nth(1).unwrap_or_default();
        let gold = [first, first + 7, first + 19].map(|index| index % texts.len());
        let gold: BTreeSet<usize> = gold.into();
        out.put(Record::Unit(Unit {
            collection: collection.to_owned(),
            query: id.clone(),
            id: format!("u{unit}"),
            kind: "insight".into(),
            candidate: None,
            title: None,
            text: english(120, unit as u64 + 17),
            documents: Some(gold.iter().map(|index| format!("d{}", index + 1)).collect()),
            evidence: vec![Evidence {
                document: format!("d{}", first + 1),
                quote: quote.to_owned(),
                start: None,
            }],
            score: None,
            meta: Meta::new(),
        }));
    }
    for candidate in 0..shape.candidates {
        out.put(Record::Candidate(Candidate {
            cites: None,
            collection: collection.to_owned(),
            query: id.clone(),
            id: format!("c{candidate}"),
            summarizer: Some(format!("model-{}", candidate % 5)),
            retriever: Some(format!("retriever-{}", candidate / 5)),
            order: None,
            text: summary(candidate as u64),
            meta: Meta::new(),
        }));
    }
}

/// A summary of eight bullets with citations.
fn summary(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let bullet = |number: usize| {
        let said = english(140, seed * 100 + number as u64).replace('\n', " ");
        let said = said.trim_end_matches([' ', '.', ',', '?']);
        format!("- {said} [{}, {}].\n", 1 + dice.roll(100), 1 + dice.roll(100))
    };
    (0..BULLETS).map(bullet).collect()
}

/// Writes the judgments as haymark JSONL, annotator by annotator in the order of the corpus.
pub fn write_judgments(path: &Path, shape: Shape) {
    write_judgments_of(path, shape, 0..shape.annotators);
}

/// Writes the judgments of these annotators only, as [`write_judgments`] does.
pub fn write_judgments_of(path: &Path, shape: Shape, annotators: std::ops::Range<usize>) {
    let mut out = Lines::create(path);
    for annotator in annotators {
        let mut dice = Dice::new(99 + annotator as u64);
        for item in 0..shape.collections * shape.queries * shape.candidates * shape.units {
            out.put(Record::Judgment(judgment(shape, annotator, item, &mut dice)));
        }
    }
    out.finish();
}

/// Writes judgments of three annotators on each summary, who are drawn anew for each.
pub fn write_judgments_of_three(path: &Path, shape: Shape) {
    let mut out = Lines::create(path);
    let mut dice = Dice::new(7);
    for summary in 0..shape.collections * shape.queries * shape.candidates {
        let mut annotators = BTreeSet::new();
        while annotators.len() < 3 {
            annotators.insert(dice.roll(shape.annotators));
        }
        for annotator in annotators {
            for unit in 0..shape.units {
                let item = summary * shape.units + unit;
                out.put(Record::Judgment(judgment(shape, annotator, item, &mut dice)));
            }
        }
    }
    out.finish();
}

/// Annotators agree on about four items of five.
fn judgment(shape: Shape, annotator: usize, item: usize, dice: &mut Dice) -> Judgment {
    let (rest, unit) = (item / shape.units, item % shape.units);
    let (rest, candidate) = (rest / shape.candidates, rest % shape.candidates);
    let (collection, query) = (rest / shape.queries, rest % shape.queries);
    let truth = Dice::new(item as u64).roll(10);
    let seen = if dice.roll(5) == 0 { dice.roll(10) } else { truth };
    let (coverage, is_covered) = match seen {
        0..=3 => ("none", false),
        4 | 5 => ("partial", true),
        _ => ("full", true),
    };
    let mut answers = Meta::new();
    answers.insert("coverage".into(), coverage.into());
    if is_covered {
        answers.insert("bullet".into(), (1 + (truth + unit) % BULLETS).into());
    }
    let minutes = item / 4;
    Judgment {
        protocol: "coverage".into(),
        version: None,
        annotator: name(annotator),
        collection: Some(format!("haystack{collection}")),
        query: Some(format!("q{query}")),
        document: None,
        unit: Some(format!("u{unit}")),
        candidate: Some(format!("c{candidate}")),
        bullet: None,
        other: None,
        answers,
        seconds: Some(5.0 + dice.roll(200) as f64 / 10.0),
        total: false,
        at: Some(format!(
            "2026-{:02}-{:02}T{:02}:{:02}:{:02}Z",
            1 + minutes / 40_320 % 12,
            1 + minutes / 1440 % 28,
            minutes / 60 % 24,
            minutes % 60,
            item % 4 * 15
        )),
        comment: None,
        flagged: false,
        skipped: false,
        aside: None,
        complete: None,
        sum: None,
        is_part: false,
    }
}

/// The key of an annotator by number.
pub fn name(annotator: usize) -> String {
    format!("person{annotator}")
}

/// A JSONL file that is being written.
struct Lines(BufWriter<File>);

impl Lines {
    fn create(path: &Path) -> Lines {
        Lines(BufWriter::new(File::create(path).expect("a file can be made")))
    }

    fn put(&mut self, record: Record) {
        write_record(&mut self.0, &record).expect("the disk takes it");
    }

    /// Waits for the disk, so that it is idle when something is measured.
    fn finish(mut self) {
        self.0.flush().expect("the disk takes it");
        self.0.get_ref().sync_all().expect("the disk takes it");
    }
}
