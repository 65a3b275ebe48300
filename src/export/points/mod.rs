//! Key points that somebody wrote, as content units.

pub mod edited;

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::protocol::{Answer, Answers, Point, Protocol, Question, QuestionKind, Quote};
use crate::study::{Evidence, Judgment, Meta, Unit};
use crate::text::hash::fingerprint;

/// The kind of a point that was written on a document.
const OF_DOCUMENT: &str = "human point";
/// The kind of a point that was written on a candidate.
const OF_CANDIDATE: &str = "response point";

/// Hexadecimal digits of a collected unit's key: 48 bits, far more than one writer's points on one query.
const DIGITS: usize = 12;

/// The units that a judgment gives to a collection of points, or why it gives none.
#[derive(Debug, Clone, PartialEq)]
pub enum Worth {
    /// The units of its points; empty where deliberately no point was written.
    Units(Vec<Unit>),
    /// A required question has no answer.
    Unfinished,
    /// The judgment was given under another version of the protocol than the current one.
    OtherVersion,
    /// The judgment answers no question: it is a comment or a flag.
    NoAnswer,
}

/// Whether the protocol asks for points.
pub fn asks_for_points(protocol: &Protocol) -> bool {
    protocol.questions.iter().any(takes_points)
}

fn takes_points(question: &Question) -> bool {
    matches!(question.kind, QuestionKind::Points { .. })
}

/// Makes units of the points of a judgment under this protocol, in the order in which they were written. `kind` is the
/// kind of the units; without it, the kind follows from what was judged.
///
/// # Errors
/// The study holds an answer that this program does not understand.
pub fn units(protocol: &Protocol, judgment: &Judgment, kind: Option<&str>) -> Result<Worth> {
    let answers = match whole(protocol, judgment)? {
        Ok(answers) => answers,
        Err(worth) => return Ok(worth),
    };
    let asked = protocol.asked(&answers).filter(|question| takes_points(question));
    let points = asked.filter_map(|question| answers.get(&question.key)).flat_map(Answer::points);
    Ok(Worth::Units(points.map(|point| unit(judgment, point, kind)).collect()))
}

/// The answers of a judgment that counts, else the worth of the judgment.
pub(super) fn whole(protocol: &Protocol, judgment: &Judgment) -> Result<std::result::Result<Answers, Worth>> {
    if judgment.answers.is_empty() {
        return Ok(Err(Worth::NoAnswer));
    }
    let version = judgment.version.unwrap_or(protocol.version);
    if !protocol.counts_version(version) {
        return Ok(Err(Worth::OtherVersion));
    }
    let answers = judgment.answers.iter().map(|(key, value)| match Answer::from_json(value) {
        Some(answer) => Ok((key.clone(), answer)),
        None => Err(Error::new(format!("the answer {value} to {key:?} is not understood by this haymark"))
            .advise("update haymark")),
    });
    let answers = protocol.answers_now(version, &answers.collect::<Result<Answers>>()?);
    Ok(if protocol.is_complete(&answers) { Ok(answers) } else { Err(Worth::Unfinished) })
}

fn unit(judgment: &Judgment, point: &Point, kind: Option<&str>) -> Unit {
    let is_of_candidate = judgment.candidate.is_some() && judgment.document.is_none();
    let usual = if is_of_candidate { OF_CANDIDATE } else { OF_DOCUMENT };
    let mut unit = Unit {
        collection: judgment.collection.clone().unwrap_or_default(),
        query: judgment.query.clone().unwrap_or_default(),
        kind: kind.unwrap_or(usual).to_owned(),
        candidate: judgment.candidate.clone(),
        text: point.text.clone(),
        documents: judgment.document.clone().map(|document| vec![document]),
        evidence: point.passages.iter().filter(|passage| !passage.is_in_candidate()).map(evidence).collect(),
        meta: Meta::from_iter([
            ("annotator".to_owned(), judgment.annotator.as_str().into()),
            ("protocol".to_owned(), judgment.protocol.as_str().into()),
        ]),
        ..Unit::default()
    };
    unit.id = key(&judgment.protocol, &judgment.annotator, &unit);
    unit
}

fn evidence(passage: &Quote) -> Evidence {
    Evidence { document: passage.document.clone(), quote: passage.quote.clone(), start: passage.start }
}

/// Units in the order in which they were put. A point that somebody wrote twice is one unit, with the passages of both.
#[derive(Default)]
pub struct Units {
    pub list: Vec<Unit>,
    positions: HashMap<UnitName, usize>,
}

/// Collection, query and key of a unit.
pub type UnitName = (String, String, String);

/// The name by which a study knows a unit.
pub fn name_of(unit: &Unit) -> UnitName {
    (unit.collection.clone(), unit.query.clone(), unit.id.clone())
}

impl Units {
    /// Adds a unit, or its passages to the unit of the same name.
    pub fn put(&mut self, unit: Unit) {
        let position = *self.positions.entry(name_of(&unit)).or_insert(self.list.len());
        match self.list.get_mut(position) {
            Some(other) => {
                let evidence = unit.evidence.into_iter();
                let new: Vec<Evidence> =
                    evidence.filter(|passage| !other.evidence.contains(passage)).collect();
                other.evidence.extend(new);
            }
            None => self.list.push(unit),
        }
    }
}

/// The key of a collected unit: the same for the same words of the same writer on the same thing, in
/// every study.
pub(super) fn key(protocol: &str, annotator: &str, unit: &Unit) -> String {
    // A tag keeps "no document" apart from a document whose key is empty.
    let part = |key: Option<&String>| key.map_or_else(String::new, |key| format!("={key}"));
    let document = part(unit.documents.as_ref().and_then(|documents| documents.first()));
    let candidate = part(unit.candidate.as_ref());
    let parts =
        ["point", protocol, annotator, &unit.collection, &unit.query, &document, &candidate, &unit.text];
    let digits: String = fingerprint(parts).to_string().chars().take(DIGITS).collect();
    format!("{annotator}-{digits}")
}

/// Protocol and annotator of a unit that was collected; `None` for units that came in otherwise.
pub fn collected_from(unit: &Unit) -> Option<(&str, &str)> {
    let field = |name: &str| unit.meta.get(name)?.as_str();
    let (protocol, annotator) = (field("protocol")?, field("annotator")?);
    // The key of a point on a candidate may be made with an alias of the candidate, which only some files know.
    let digits = unit.id.strip_prefix(annotator)?.strip_prefix('-')?;
    let may_be_hidden = unit.candidate.is_some()
        && digits.len() == DIGITS
        && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    (may_be_hidden || unit.id == key(protocol, annotator, unit)).then_some((protocol, annotator))
}

/// The key of a collected unit, made from its contents; with an alias for its candidate, nobody can find out by trying whose
/// the candidate is.
pub fn key_under(alias: Option<String>, unit: &Unit) -> Option<String> {
    let (protocol, annotator) = collected_from(unit)?;
    let candidate = alias.or_else(|| unit.candidate.clone());
    Some(key(protocol, annotator, &Unit { candidate, ..unit.clone() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtin;
    use serde_json::{Value, json};

    fn judgment(fields: Value) -> Judgment {
        let mut record = json!({"protocol":"extraction","annotator":"alice","collection":"exam",
            "query":"sleep","document":"d1"});
        for (key, value) in fields.as_object().expect("an object") {
            record[key] = value.clone();
        }
        serde_json::from_value(record).expect("a judgment")
    }

    fn worth(judgment: &Judgment, kind: Option<&str>) -> Worth {
        let protocol = builtin(&judgment.protocol).expect("built in");
        units(protocol, judgment, kind).expect("understood")
    }

    fn made(judgment: &Judgment, kind: Option<&str>) -> Vec<Unit> {
        match worth(judgment, kind) {
            Worth::Units(units) => units,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_point_written_on_a_document_stands_in_it() {
        let said = judgment(json!({"answers":{"points":[{"text":"They slept badly","passages":[
            {"document":"d1","start":5,"quote":"slept badly"}]}]}}));
        let units = made(&said, None);
        // From Python: hashlib.sha256(b"".join(len(p.encode()).to_bytes(8, "big") + p.encode() for p in
        // ["point", "extraction", "alice", "exam", "sleep", "=d1", "", "They slept badly"])).hexdigest()[:12]
        let expected = json!({"collection":"exam","query":"sleep","id":"alice-bd6ead245987","kind":"human point",
            "text":"They slept badly","documents":["d1"],
            "evidence":[{"document":"d1","quote":"slept badly","start":5}],
            "meta":{"annotator":"alice","protocol":"extraction"}});
        assert_eq!(serde_json::to_value(&units).expect("JSON"), json!([expected]));
        assert_eq!(collected_from(&units[0]), Some(("extraction", "alice")));
        assert_eq!(made(&said, Some("keypoint"))[0].kind, "keypoint");
        let changed = Unit { text: "They slept".into(), ..units[0].clone() };
        assert_eq!(collected_from(&changed), None);
    }

    #[test]
    fn a_point_written_on_a_candidate_belongs_to_it() {
        let mut said = judgment(json!({"protocol":"decomposition","candidate":"c1",
            "answers":{"points":[{"text":"Tea helps"}]}}));
        said.document = None;
        let units = made(&said, None);
        assert_eq!((units[0].kind.as_str(), units[0].candidate.as_deref()), ("response point", Some("c1")));
        assert_eq!((&units[0].documents, units[0].evidence.len()), (&None, 0));
    }

    #[test]
    fn a_point_written_beside_an_insight_is_one_of_the_candidate() {
        let text = builtin("coverage")
            .expect("built in")
            .file_text
            .replace("name = \"coverage\"", "name = \"own\"")
            + "\n[[question]]\nkey = \"more\"\nprompt = \"More\"\nkind = \"points\"\nhotkey = \"a\"\nrequired = false\n";
        let protocol = Protocol::parse(&text, "").unwrap_or_else(|error| panic!("{error}"));
        assert!(!edited::edits_units(&protocol));
        let mut said = judgment(json!({"protocol":"own","candidate":"c1","unit":"u1",
            "answers":{"coverage":"none","more":[{"text":"Tea helps"}]}}));
        said.document = None;
        let Worth::Units(units) = units(&protocol, &said, None).expect("understood") else { panic!("units") };
        assert_eq!((units[0].kind.as_str(), units[0].candidate.as_deref()), ("response point", Some("c1")));
    }

    #[test]
    fn the_key_is_that_of_the_words_their_writer_and_their_place() {
        let ids: Vec<String> = [
            json!({"answers":{"points":[{"text":"a"}]}}),
            json!({"answers":{"points":[{"text":"b"}]}}),
            json!({"answers":{"points":[{"text":"a"}]},"annotator":"bora"}),
            json!({"answers":{"points":[{"text":"a"}]},"document":"d2"}),
            json!({"answers":{"points":[{"text":"a"}]},"query":"stress"}),
            json!({"answers":{"points":[{"text":"a"}]},"collection":"other"}),
        ]
        .into_iter()
        .map(|fields| made(&judgment(fields), None)[0].id.clone())
        .collect();
        for (index, id) in ids.iter().enumerate() {
            assert!(!ids[..index].contains(id), "{ids:?}");
        }
        // The key stays, whatever else is written beside the point and in whatever order.
        let more = judgment(json!({"answers":{"points":[{"text":"c"},{"text":"a"}]},"seconds":3.0}));
        assert_eq!(made(&more, None)[1].id, ids[0]);
    }

    #[test]
    fn what_was_written_twice_is_one_unit() {
        let passage = |quote: &str| json!({"document":"d1","quote":quote});
        let said = judgment(json!({"answers":{"points":[
            {"text":"a","passages":[passage("x")]}, {"text":"b"},
            {"text":"a","passages":[passage("y"), passage("x")]}]}}));
        let mut units = Units::default();
        made(&said, None).into_iter().for_each(|unit| units.put(unit));
        let units = units.list;
        let texts: Vec<&str> = units.iter().map(|unit| unit.text.as_str()).collect();
        assert_eq!(texts, ["a", "b"]);
        let quotes: Vec<&str> = units[0].evidence.iter().map(|passage| passage.quote.as_str()).collect();
        assert_eq!(quotes, ["x", "y"]);
    }

    #[test]
    fn only_complete_answers_under_the_current_version_count() {
        assert_eq!(worth(&judgment(json!({"answers":{"points":null}})), None), Worth::Units(Vec::new()));
        assert_eq!(worth(&judgment(json!({"flagged":true})), None), Worth::NoAnswer);
        let older = judgment(json!({"version":7,"answers":{"points":[{"text":"a"}]}}));
        assert_eq!(worth(&older, None), Worth::OtherVersion);
        let strange = judgment(json!({"answers":{"points":{}}}));
        let error = units(builtin("extraction").expect("built in"), &strange, None).expect_err("strange");
        assert!(error.to_string().contains("update haymark"), "{error}");

        let mut text = builtin("extraction").expect("built in").file_text.clone();
        text.push_str("\n[[question]]\nkey = \"note\"\nprompt = \"Note\"\nkind = \"text\"\nhotkey = \"e\"\n");
        let protocol = Protocol::parse(&text, "").unwrap_or_else(|error| panic!("{error}"));
        let said = judgment(json!({"answers":{"points":[{"text":"a"}]}}));
        assert_eq!(units(&protocol, &said, None).expect("understood"), Worth::Unfinished);
    }
}
