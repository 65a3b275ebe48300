//! The published evaluation benchmark of *Summary of a Haystack*, where the file is at hand: every
//! count of its schema page, taken from what the reader hands on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use haymark::error::{Error, Result};
use haymark::formats::{self, FileReader, Format, InputBytes, ReadOptions};
use haymark::protocol::{Answer, Answers, builtin};
use haymark::study::{Candidate, Judgment, Place, Record, RecordKind, Sink};
use haymark::text::bullets::bullets;

use crate::harness::shared;

#[derive(Default)]
struct Collected {
    records: Vec<(String, Record)>,
}

impl Sink for Collected {
    fn take(&mut self, place: Place, record: Record) -> Result<()> {
        self.records.push((place.to_string(), record));
        Ok(())
    }

    fn remark(&mut self, place: Place, what: String) {
        panic!("nothing is to be remarked: {place}: {what}");
    }

    fn refuse(&mut self, _: Place, error: Error) -> Result<()> {
        Err(error)
    }
}

fn data() -> Option<PathBuf> {
    shared("data/summhay/eval_benchmark_data.json")
}

fn collected() -> Option<Collected> {
    let input = InputBytes::open(&data()?).expect("there");
    assert_eq!(formats::recognise(&input, &[]), Ok(FileReader::Format(Format::SummhayBenchmark)));
    let mut collected = Collected::default();
    formats::read(&input, Format::SummhayBenchmark, &ReadOptions::default(), &mut collected)
        .expect("the published file is good");
    Some(collected)
}

impl Collected {
    fn judgments(&self) -> impl Iterator<Item = (&str, &Judgment)> {
        self.records.iter().filter_map(|(place, record)| match record {
            Record::Judgment(judgment) => Some((place.as_str(), judgment)),
            _ => None,
        })
    }

    fn candidates(&self) -> impl Iterator<Item = &Candidate> {
        self.records.iter().filter_map(|(_, record)| match record {
            Record::Candidate(candidate) => Some(candidate),
            _ => None,
        })
    }
}

fn answers(judgment: &Judgment) -> Answers {
    let answer = |(key, value): (&String, _)| (key.clone(), Answer::from_json(value).expect("an answer"));
    judgment.answers.iter().map(answer).collect()
}

#[test]
fn everything_comes_in_once() {
    let Some(collected) = collected() else { return };
    let mut counts = BTreeMap::new();
    for (_, record) in &collected.records {
        *counts.entry(record.kind()).or_insert(0) += 1;
    }
    let expected = [
        (RecordKind::Collection, 3),
        (RecordKind::Query, 29),
        (RecordKind::Unit, 195),
        (RecordKind::Candidate, 200),
        (RecordKind::Annotator, 7),
        (RecordKind::Judgment, 1419 * 7),
    ];
    assert_eq!(counts, BTreeMap::from(expected));

    let mut with_question = 0;
    let mut domains = BTreeMap::new();
    for (_, record) in &collected.records {
        match record {
            Record::Collection(collection) => {
                domains.insert(collection.id.as_str(), collection.domain.as_deref().expect("a domain"));
            }
            Record::Unit(unit) => {
                assert_eq!((unit.kind.as_str(), &unit.documents), ("insight", &None));
                with_question += usize::from(unit.meta.contains_key("query"));
            }
            _ => {}
        }
    }
    // All 58 + 58 insights of the conversations, and those of one news subtopic (9).
    assert_eq!(with_question, 58 + 58 + 9);
    let expected = [
        ("6419263d9c6c91e5010d4abf", "news"),
        ("data/topic_664eac18d68e5dd3b795fd6c.json", "conversation"),
        ("data/topic_doctor_patient.json", "conversation"),
    ];
    assert_eq!(domains, BTreeMap::from(expected));
}

#[test]
fn systems_and_bullets_are_those_of_the_schema_page() {
    let Some(collected) = collected() else { return };
    let (mut summarizers, mut retrievers, mut lines, mut domains) =
        (BTreeMap::new(), BTreeMap::new(), 0, BTreeMap::new());
    for candidate in collected.candidates() {
        *summarizers.entry(candidate.summarizer.as_deref().expect("named")).or_insert(0) += 1;
        *retrievers.entry(candidate.retriever.as_deref().unwrap_or("")).or_insert(0) += 1;
        *domains.entry(candidate.collection.starts_with("data/")).or_insert(0) += 1;
        lines += bullets(&candidate.text).len();
        assert_eq!(candidate.order, None);
    }
    let expected = [
        ("gpt4-turbo", 31),
        ("claude3-sonnet", 29),
        ("gpt-4o", 24),
        ("claude3-opus", 24),
        ("claude3-haiku", 23),
        ("gemini-1.5-pro", 21),
        ("gemini-1.5-flash", 21),
        ("command-r-plus", 18),
        ("gpt3.5", 9),
    ];
    assert_eq!(summarizers, BTreeMap::from(expected));
    let expected = [
        ("vector", 35),
        ("random", 34),
        ("keywords", 34),
        ("oracle", 33),
        ("dwzhu/e5-base-4k", 32),
        ("", 32),
    ];
    assert_eq!(retrievers, BTreeMap::from(expected));
    assert_eq!(domains, BTreeMap::from([(true, 114), (false, 86)]));
    assert_eq!(lines, 1566);
}

/// Labels full, partial, none; then links: one bullet, none, a list.
const EXPECTED: [(&str, [usize; 3], [usize; 3]); 7] = [
    ("human", [567, 386, 466], [948, 471, 0]),
    ("prompted_gpt-4o", [588, 508, 323], [1096, 323, 0]),
    ("prompted_claude3-haiku", [936, 458, 25], [1289, 26, 104]),
    ("prompted_claude3-opus", [556, 582, 281], [1138, 281, 0]),
    ("prompted_gemini-1.5-pro", [624, 388, 407], [1012, 407, 0]),
    ("prompted_gpt3.5", [744, 331, 344], [1071, 348, 0]),
    ("9fs_gpt-4o", [630, 415, 374], [1045, 374, 0]),
];

#[test]
fn labels_and_links_are_those_of_the_schema_page() {
    let Some(collected) = collected() else { return };
    let mut found: BTreeMap<&str, ([usize; 3], [usize; 3])> = BTreeMap::new();
    let mut human_lines = [0; 10];
    for (_, judgment) in collected.judgments() {
        let answers = answers(judgment);
        let (labels, links) = found.entry(&judgment.annotator).or_default();
        let label = answers.get("coverage").and_then(Answer::as_text).expect("a label");
        let position = ["full", "partial", "none"].iter().position(|name| *name == label);
        labels[position.expect("a coverage label")] += 1;
        let link = match answers.get("bullet") {
            Some(Answer::Bullet(number)) => {
                if judgment.annotator == "human" {
                    human_lines[*number as usize - 1] += 1;
                }
                0
            }
            None => 1,
            Some(Answer::Bullets(_)) => 2,
            other => panic!("{other:?} is no link"),
        };
        links[link] += 1;
    }
    let expected: BTreeMap<_, _> = EXPECTED.map(|(name, labels, links)| (name, (labels, links))).into();
    assert_eq!(found, expected);
    assert_eq!(human_lines, [83, 198, 161, 148, 132, 93, 67, 28, 25, 13]);
}

#[test]
fn exactly_the_known_rows_break_the_rules() {
    let Some(collected) = collected() else { return };
    let protocol = builtin("coverage").expect("built in");
    let count = |candidate: &Candidate| bullets(&candidate.text).len();
    let bullets_of: BTreeMap<(&str, &str), usize> = collected
        .candidates()
        .map(|candidate| ((candidate.query.as_str(), candidate.id.as_str()), count(candidate)))
        .collect();
    let mut broken: BTreeMap<&str, usize> = BTreeMap::new();
    let mut places = BTreeSet::new();
    for (place, judgment) in collected.judgments() {
        let target =
            (judgment.query.as_deref().expect("named"), judgment.candidate.as_deref().expect("named"));
        let violations = protocol.violations(&answers(judgment), bullets_of[&target]);
        assert!(violations.iter().all(|violation| !violation.is_fatal()), "{place}: {violations:?}");
        if !violations.is_empty() {
            *broken.entry(&judgment.annotator).or_insert(0) += 1;
            places.insert(place);
        }
    }
    let expected = [("human", 7), ("prompted_claude3-haiku", 1), ("prompted_gpt3.5", 4)];
    assert_eq!(broken, BTreeMap::from(expected));
    assert_eq!(places.len(), 12);
    assert!(places.iter().all(|place| place.starts_with('[') && place.ends_with(']')), "{places:?}");
}

#[test]
fn what_came_in_goes_out_as_jsonl_and_comes_back() {
    let Some(collected) = collected() else { return };
    let mut out = Vec::new();
    for (_, record) in &collected.records {
        formats::jsonl::write_record(&mut out, record).expect("memory can be written");
    }
    let mut again = Collected::default();
    formats::jsonl::read(out.as_slice(), &mut again).expect("what was written");
    assert_eq!(again.records.len(), collected.records.len());
    let mut second = Vec::new();
    for ((_, first), (_, record)) in collected.records.iter().zip(&again.records) {
        assert_eq!(first, record);
        formats::jsonl::write_record(&mut second, record).expect("memory can be written");
    }
    assert!(second == out, "the bytes are the same");
}
