//! The evaluation benchmark of *Summary of a Haystack* (Laban et al. 2024, §4.2-4.3): the file
//! `eval_benchmark_data.json`, a list with one object an annotated summary.
//!
//! The annotation becomes the person `human`, each `predictions_X` the model annotator `X`. Lines
//! are counted from 0 in the annotation and from 1 in the predictions. Labels without a link and
//! links without a label are kept: the published agreement numbers rest on them. The file says
//! nothing of documents, so the documents of its insights are not known.
//!
//! The `query` of a reference insight is a question about that insight alone. It is kept with the
//! insight; the query that was summarized is the subtopic's text.

use std::collections::{HashMap, HashSet};

use super::json::{Fields, Fits, Misfit, Piece, refuse, root, take};
use super::sentence;
use super::summhay::{Label, Lines, Subtopic, coverage, judge_label, model};
use crate::error::Result;
use crate::protocol::Answer;
use crate::study::{
    Annotator, AnnotatorKind, Collection, Meta, Query, Record, RecordKind, Sink, Unit,
};

/// The annotator that the people's annotation becomes.
const HUMAN: &str = "human";

/// Reads the benchmark from the text of its file.
///
/// # Errors
/// The text is no JSON list, or the sink does not skip a bad row. The file is not named yet.
pub(super) fn read(text: &str, sink: &mut dyn Sink) -> Result<()> {
    let summaries = root(text)?.elements().map_err(Misfit::into_error)?;
    let mut seen = Seen::default();
    for piece in summaries {
        match Summary::read(&piece, &seen) {
            Ok(summary) => summary.hand_on(&mut seen, sink)?,
            Err(misfit) => refuse(sink, misfit)?,
        }
    }
    Ok(())
}

/// What came up before: a topic, a subtopic and an insight stand in many objects and must be the
/// same in all of them.
#[derive(Default)]
struct Seen {
    records: HashMap<RecordName, (Record, String)>,
    annotators: HashSet<String>,
}

/// Kind and keys of a record.
type RecordName = (RecordKind, String, String, String);

impl Seen {
    /// Whether the record is new. One that was there before must be equal.
    fn is_new(&self, record: &Record, piece: &Piece<'_>) -> Fits<bool> {
        match self.records.get(&name(record)) {
            None => Ok(true),
            Some((earlier, _)) if earlier == record => Ok(false),
            Some((_, place)) => {
                let kind = record.kind().name();
                let misfit = piece.misfit(format!(
                    "the {kind} differs from the {kind} of the same key at {place}"
                ));
                Err(misfit.advise("make them equal, or give them keys of their own"))
            }
        }
    }

    fn remember(&mut self, record: &Record, piece: &Piece<'_>) {
        let entry = (record.clone(), piece.path().to_owned());
        self.records.insert(name(record), entry);
    }
}

fn name(record: &Record) -> RecordName {
    let keys = match record {
        Record::Collection(collection) => [&collection.id, "", ""],
        Record::Query(query) => [query.collection.as_str(), &query.id, ""],
        Record::Unit(unit) => [unit.collection.as_str(), &unit.query, &unit.id],
        Record::Candidate(candidate) => [
            candidate.collection.as_str(),
            &candidate.query,
            &candidate.id,
        ],
        // These do not repeat.
        Record::Document(_) | Record::Annotator(_) | Record::Judgment(_) => [""; 3],
    };
    let [collection, query, id] = keys.map(str::to_owned);
    (record.kind(), collection, query, id)
}

/// An object of the file.
struct Summary<'a> {
    fields: Fields<'a>,
    subtopic: Subtopic,
    /// Collection, query and candidate, as far as they are new.
    records: Vec<Record>,
    candidate: String,
    lines: Lines,
    insights: Vec<Piece<'a>>,
}

impl<'a> Summary<'a> {
    fn read(piece: &Piece<'a>, seen: &Seen) -> Fits<Summary<'a>> {
        let fields = piece.fields()?;
        let (collection, query) = (
            collection(&fields)?,
            fields.required::<String>("subtopic_id")?,
        );
        let key: String = fields.required("summkey")?;
        let lines = Lines::read(&fields.piece("summary")?)?;
        let insights = fields.piece("reference_insights")?.elements()?;
        fields.piece("annotation")?;

        let subtopic = Subtopic {
            collection: collection.id.clone(),
            query: query.clone(),
        };
        let asked = Query {
            collection: collection.id.clone(),
            id: query,
            text: fields.required("subtopic")?,
            category: None,
            domain: None,
            meta: Meta::new(),
        };
        let candidate = subtopic.candidate(&key, &lines);
        let mut records = Vec::new();
        for record in [
            Record::Collection(collection),
            Record::Query(asked),
            Record::Candidate(candidate),
        ] {
            match (seen.is_new(&record, piece)?, record.kind()) {
                (true, _) => records.push(record),
                (false, RecordKind::Candidate) => {
                    let what = format!(
                        "the summary {} of this subtopic stands twice",
                        sentence::quoted(&key)
                    );
                    return Err(piece.misfit(what).advise("keep one of the two"));
                }
                (false, _) => {}
            }
        }
        Ok(Summary {
            fields,
            subtopic,
            records,
            candidate: key,
            lines,
            insights,
        })
    }

    /// Gives all records of the object to the sink.
    fn hand_on(self, seen: &mut Seen, sink: &mut dyn Sink) -> Result<()> {
        for record in &self.records {
            seen.remember(record, &self.fields.piece);
            take(sink, &self.fields.piece, record.clone())?;
        }
        let mut known = HashSet::new();
        for piece in &self.insights {
            match self.unit(piece, seen) {
                Ok((unit, is_new)) => {
                    known.insert(unit.id.clone());
                    if is_new {
                        let record = Record::Unit(unit);
                        seen.remember(&record, piece);
                        take(sink, piece, record)?;
                    }
                }
                Err(misfit) => refuse(sink, misfit)?,
            }
        }
        for (key, rows) in self.fields.entries() {
            if let Some(annotator) = annotator(key) {
                self.rows(&annotator, &rows, &known, seen, sink)?;
            }
        }
        Ok(())
    }

    /// The insight at `piece`, and whether it is new.
    fn unit(&self, piece: &Piece<'a>, seen: &Seen) -> Fits<(Unit, bool)> {
        let unit = self.subtopic.unit(piece)?;
        let is_new = seen.is_new(&Record::Unit(unit.clone()), piece)?;
        Ok((unit, is_new))
    }

    /// The judgments of one annotator.
    fn rows(
        &self,
        annotator: &Annotator,
        rows: &Piece<'a>,
        known: &HashSet<String>,
        seen: &mut Seen,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let elements = match rows.elements() {
            Ok(elements) => elements,
            Err(misfit) => return refuse(sink, misfit),
        };
        if seen.annotators.insert(annotator.id.clone()) {
            take(sink, rows, Record::Annotator(annotator.clone()))?;
        }
        let mut judged = HashSet::new();
        for row in elements {
            let label = row.fields().and_then(|fields| match annotator.kind {
                AnnotatorKind::Human => human_label(&fields, &self.lines),
                AnnotatorKind::Model => judge_label(&fields, &self.lines),
            });
            match label.and_then(|label| label.expected_among(known, &mut judged, &row)) {
                Ok(label) => {
                    let judgment = self
                        .subtopic
                        .judgment(&annotator.id, &self.candidate, label);
                    take(sink, &row, Record::Judgment(judgment))?;
                }
                Err(misfit) => refuse(sink, misfit)?,
            }
        }
        Ok(())
    }
}

/// The topic that an object is about. Conversations are named by their file, news by an id.
fn collection(fields: &Fields<'_>) -> Fits<Collection> {
    let file: Option<String> = fields.optional("topic_fn")?;
    let (id, domain) = match (file, fields.optional("topic_id")?) {
        (Some(file), None) => (file, "conversation"),
        (None, Some(id)) => (id, "news"),
        (None, None) => {
            return Err(fields
                .piece
                .misfit("\"topic_id\" or \"topic_fn\" is missing"));
        }
        (Some(_), Some(_)) => {
            let what = "\"topic_id\" and \"topic_fn\" both stand here, and one was expected";
            return Err(fields.piece.misfit(what));
        }
    };
    Ok(Collection {
        id,
        title: fields.required("topic")?,
        domain: Some(domain.into()),
        meta: Meta::new(),
    })
}

/// The annotator whose judgments stand under this key of an object.
fn annotator(key: &str) -> Option<Annotator> {
    if key == "annotation" {
        return Some(Annotator {
            id: HUMAN.into(),
            kind: AnnotatorKind::Human,
            meta: Meta::new(),
        });
    }
    key.strip_prefix("predictions_").map(model)
}

/// A row of the annotation: `insight_id`, `coverage` (`fully_covered`, …), `candidate_id` (0-based
/// number of a line as text, or `"no_selection"`).
fn human_label(row: &Fields<'_>, lines: &Lines) -> Fits<Label> {
    const LABELS: [(&str, &str); 3] = [
        ("not_covered", "none"),
        ("partially_covered", "partial"),
        ("fully_covered", "full"),
    ];
    let piece = row.piece("candidate_id")?;
    let selected: String = piece.read()?;
    let link = if selected == "no_selection" {
        None
    } else {
        let line = selected
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| selected.parse().ok());
        let strange = || {
            let found = sentence::quoted(&selected);
            piece.misfit(format!(
                "expected the number of a line from 0 as text, or \"no_selection\", found {found}"
            ))
        };
        let line = line.flatten().ok_or_else(strange)?;
        Some(Answer::Bullet(lines.bullet(line, &piece)?))
    };
    Ok(Label {
        insight: row.required("insight_id")?,
        coverage: coverage(&row.piece("coverage")?, LABELS)?,
        link,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::study::Place;

    /// Collects, and skips what is bad when told so.
    #[derive(Default)]
    struct Collected {
        records: Vec<(String, Record)>,
        refused: Vec<String>,
        skips: bool,
    }

    impl Sink for Collected {
        fn take(&mut self, place: Place, record: Record) -> Result<()> {
            self.records.push((place.to_string(), record));
            Ok(())
        }

        fn remark(&mut self, _: Place, _: String) {}

        fn refuse(&mut self, place: Place, error: Error) -> Result<()> {
            self.refused.push(format!("{place}: {error}"));
            if self.skips { Ok(()) } else { Err(error) }
        }
    }

    const GOOD: &str = r#"[{"topic_fn": "t.json", "topic": "T", "subtopic_id": "s", "subtopic": "S?",
 "summkey": "summary_subtopic_oracle_m", "summary": ["Here:", "- a [1]", "- b [2]"],
 "reference_insights": [{"insight_id": "i", "insight": "I", "insight_name": "in", "query": "Is it?"},
  {"insight_id": "j", "insight": "J", "insight_name": "jn"}],
 "annotation": [{"insight_id": "i", "coverage": "fully_covered", "candidate_id": "1"},
  {"insight_id": "j", "coverage": "not_covered", "candidate_id": "no_selection"}],
 "predictions_judge": [{"insight_id": "i", "coverage": "PARTIAL_COVERAGE", "bullet_id": [2]},
  {"insight_id": "j", "coverage": "NO_COVERAGE", "bullet_id": "NA"}]}]"#;

    #[test]
    fn an_object_becomes_records_with_their_places() {
        let mut collected = Collected::default();
        read(GOOD, &mut collected).expect("good");
        let found: Vec<(&str, &str)> = collected
            .records
            .iter()
            .map(|(place, record)| (record.kind().name(), place.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("collection", "[0]"),
                ("query", "[0]"),
                ("candidate", "[0]"),
                ("unit", "[0].reference_insights[0]"),
                ("unit", "[0].reference_insights[1]"),
                ("annotator", "[0].annotation"),
                ("judgment", "[0].annotation[0]"),
                ("judgment", "[0].annotation[1]"),
                ("annotator", "[0].predictions_judge"),
                ("judgment", "[0].predictions_judge[0]"),
                ("judgment", "[0].predictions_judge[1]"),
            ]
        );
        let answers: Vec<String> = collected
            .records
            .iter()
            .filter_map(|(_, record)| match record {
                Record::Judgment(judgment) => {
                    Some(serde_json::to_string(&judgment.answers).expect("JSON"))
                }
                _ => None,
            })
            .collect();
        let none = r#"{"coverage":"none"}"#;
        let expected = [
            r#"{"coverage":"full","bullet":2}"#,
            none,
            r#"{"coverage":"partial","bullet":[2]}"#,
            none,
        ];
        assert_eq!(answers, expected);
    }

    /// What is refused when `from` is replaced by `to`, and how many records still come in.
    fn refused(from: &str, to: &str) -> (Vec<String>, usize) {
        assert!(GOOD.contains(from), "{from:?} stands in the file");
        let text = GOOD.replacen(from, to, 1);
        let mut skipping = Collected {
            skips: true,
            ..Collected::default()
        };
        read(&text, &mut skipping).expect("bad rows are skipped");
        let error = read(&text, &mut Collected::default())
            .expect_err(to)
            .to_string();
        let first = skipping.refused.first().expect("something is refused");
        assert!(
            first.contains(error.split(": ").last().expect("a part")),
            "{error} is the first of {first}"
        );
        (skipping.refused, skipping.records.len())
    }

    #[test]
    fn a_bad_row_is_left_out_alone() {
        let check = |from: &str, to: &str, expected: &str, left: usize| {
            let (refused, records) = refused(from, to);
            assert!(
                refused[0].contains(expected),
                "{} should contain {expected}",
                refused[0]
            );
            assert_eq!(records, left, "{refused:?}");
        };
        check(
            "fully_covered",
            "FULL_COVERAGE",
            "[0].annotation[0].coverage: line 5: \"FULL_COVERAGE\" is none of",
            10,
        );
        check(
            "\"1\"",
            "\"3\"",
            "[0].annotation[0].candidate_id: line 5: points at line 4 of a summary that has 3",
            10,
        );
        check(
            "\"1\"",
            "1",
            "[0].annotation[0].candidate_id: line 5: expected a string, found the number 1",
            10,
        );
        check("\"1\"", "\"one\"", "found \"one\"", 10);
        check(
            "\"bullet_id\": [2]",
            "\"bullet_id\": [9]",
            "[0].predictions_judge[0].bullet_id: line 7: points at line 9",
            10,
        );
        check(
            "\"insight_id\": \"j\", \"coverage\"",
            "\"coverage\"",
            "[0].annotation[1]: line 6: \"insight_id\" is missing",
            10,
        );
        check(
            "\"insight\": \"J\"",
            "\"insight\": 7",
            "[0].reference_insights[1].insight: line 4",
            8,
        );
        check(
            "{\"insight_id\": \"j\", \"coverage\"",
            "{\"insight_id\": \"i\", \"coverage\"",
            "a second time",
            10,
        );
        check(
            "\"summkey\"",
            "\"sumkey\"",
            "[0]: line 1: \"summkey\" is missing",
            0,
        );
        check(
            "\"topic\": \"T\"",
            "\"topic_id\": \"x\", \"topic\": \"T\"",
            "both stand here",
            0,
        );
        check(
            "\"- b [2]\"",
            "null",
            "[0].summary[2]: line 2: expected a string, found null",
            0,
        );
    }

    #[test]
    fn repeats_must_be_equal() {
        let object = GOOD.trim_start_matches('[').trim_end_matches(']');
        let other = object.replace("oracle_m", "vector_m");
        let second = |other: &str| {
            let mut collected = Collected::default();
            read(&format!("[{object},{other}]"), &mut collected).map(|()| collected.records.len())
        };
        assert_eq!(
            second(&other),
            Ok(16),
            "a candidate and four judgments are new"
        );
        let error = |other: &str| second(other).expect_err("differs").to_string();
        assert!(error(object).contains(
            "[1]: the summary \"summary_subtopic_oracle_m\" of this subtopic stands twice"
        ));
        let differs = error(&other.replace("S?", "What?"));
        assert!(
            differs.contains("[1]: the query differs from the query of the same key at [0];"),
            "{differs}"
        );
        let differs = error(&other.replace("\"I\"", "\"II\""));
        assert!(differs.contains(
            "the unit differs from the unit of the same key at [0].reference_insights[0]"
        ));
    }
}
