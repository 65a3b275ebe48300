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

use serde::Deserialize;

use super::json::{Fields, Fits, JsonText, Misfit, Piece, refuse, root, take};
use super::sentence;
use super::summhay::{Label, Subtopic, SummaryLines, coverage, judge_label, model};
use crate::error::Result;
use crate::protocol::Answer;
use crate::study::{Annotator, AnnotatorKind, Collection, Meta, Query, Record, RecordKind, Sink, Unit};

/// The annotator that the people's annotation becomes.
const HUMAN: &str = "human";

/// Reads the benchmark from the text of its file.
pub(super) fn read(text: &str, sink: &mut dyn Sink) -> Result<()> {
    let summaries = root(text)?.elements().map_err(Misfit::into_error)?;
    let mut seen = SeenBefore::default();
    for piece in summaries {
        match SummaryObject::read(&piece, &seen) {
            Ok(summary) => summary.hand_on(&mut seen, sink)?,
            Err(misfit) => refuse(sink, misfit)?,
        }
    }
    Ok(())
}

/// Records that came up before: a topic, a subtopic and an insight stand in many objects and must be the same in all of them.
#[derive(Default)]
struct SeenBefore {
    records: HashMap<RecordName, (Record, String)>,
    annotators: HashSet<String>,
}

/// Kind and keys of a record.
type RecordName = (RecordKind, String, String, String);

impl SeenBefore {
    /// Whether the record is new. A record that was there before must be equal.
    fn is_new(&self, record: &Record, piece: &Piece<'_>) -> Fits<bool> {
        match self.records.get(&name(record)) {
            None => Ok(true),
            Some((earlier, _)) if earlier == record => Ok(false),
            Some((_, place)) => {
                let kind = record.kind().name();
                let misfit =
                    piece.misfit(format!("the {kind} differs from the {kind} of the same key at {place}"));
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
        Record::Candidate(candidate) => [candidate.collection.as_str(), &candidate.query, &candidate.id],
        // Other records do not repeat.
        _ => [""; 3],
    };
    let [collection, query, id] = keys.map(str::to_owned);
    (record.kind(), collection, query, id)
}

/// An object of the file.
struct SummaryObject<'a> {
    fields: Fields<'a>,
    subtopic: Subtopic,
    /// Collection, query and candidate, as far as they are new.
    records: Vec<Record>,
    candidate: String,
    lines: SummaryLines,
    insights: Vec<Piece<'a>>,
}

impl<'a> SummaryObject<'a> {
    fn read(piece: &Piece<'a>, seen: &SeenBefore) -> Fits<SummaryObject<'a>> {
        let fields = piece.fields()?;
        let (collection, query) = (collection(&fields)?, fields.required::<String>("subtopic_id")?);
        let key: String = fields.required("summkey")?;
        let lines = SummaryLines::read(&fields.piece("summary")?)?;
        let insights = fields.piece("reference_insights")?.elements()?;
        fields.piece("annotation")?;

        let subtopic = Subtopic { collection: collection.id.clone(), query: query.clone() };
        let asked = Query {
            collection: collection.id.clone(),
            id: query,
            text: fields.required("subtopic")?,
            ..Query::default()
        };
        let candidate = subtopic.candidate(&key, &lines);
        let mut records = Vec::new();
        for record in [Record::Collection(collection), Record::Query(asked), Record::Candidate(candidate)] {
            match (seen.is_new(&record, piece)?, record.kind()) {
                (true, _) => records.push(record),
                (false, RecordKind::Candidate) => {
                    let what =
                        format!("the summary {} of this subtopic stands twice", sentence::quoted(&key));
                    return Err(piece.misfit(what).advise("keep one of the two"));
                }
                (false, _) => {}
            }
        }
        Ok(SummaryObject { fields, subtopic, records, candidate: key, lines, insights })
    }

    /// Gives all records of the object to the sink.
    fn hand_on(self, seen: &mut SeenBefore, sink: &mut dyn Sink) -> Result<()> {
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
    fn unit(&self, piece: &Piece<'a>, seen: &SeenBefore) -> Fits<(Unit, bool)> {
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
        seen: &mut SeenBefore,
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
            let label = match annotator.kind {
                AnnotatorKind::Human => human_label(&row, &self.lines),
                AnnotatorKind::Model => judge_label(&row, &self.lines),
            };
            match label.and_then(|label| label.expected_among(known, &mut judged, &row)) {
                Ok(label) => {
                    let judgment = self.subtopic.judgment(&annotator.id, &self.candidate, label);
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
            return Err(fields.piece.misfit("\"topic_id\" or \"topic_fn\" is missing"));
        }
        (Some(_), Some(_)) => {
            let what = "\"topic_id\" and \"topic_fn\" both stand here, and one was expected";
            return Err(fields.piece.misfit(what));
        }
    };
    Ok(Collection { id, title: fields.required("topic")?, domain: Some(domain.into()), meta: Meta::new() })
}

/// The annotator whose judgments stand under this key of an object.
fn annotator(key: &str) -> Option<Annotator> {
    if key == "annotation" {
        return Some(Annotator { id: HUMAN.into(), kind: AnnotatorKind::Human, meta: Meta::new() });
    }
    let name = key.strip_prefix("predictions_");
    name.filter(|name| !name.is_empty()).map(model)
}

/// A row of the annotation: `insight_id`, `coverage` (`fully_covered`, …), `candidate_id` (0-based
/// number of a line as text, or `"no_selection"`).
fn human_label(row: &Piece<'_>, lines: &SummaryLines) -> Fits<Label> {
    #[derive(Deserialize)]
    struct HumanRow<'a> {
        insight_id: String,
        #[serde(borrow)]
        coverage: JsonText<'a>,
        #[serde(borrow)]
        candidate_id: JsonText<'a>,
    }
    const LABELS: [(&str, &str); 3] =
        [("not_covered", "none"), ("partially_covered", "partial"), ("fully_covered", "full")];
    let read: HumanRow<'_> = row.read()?;
    let link = match read.candidate_id.0.as_ref() {
        "no_selection" => None,
        selected => {
            // Parsing alone would let a plus sign pass.
            let digits = selected.bytes().all(|byte| byte.is_ascii_digit());
            let line = digits.then(|| selected.parse().ok()).flatten();
            let place = || row.entry("candidate_id");
            let strange = || {
                let found = sentence::quoted(selected);
                place().misfit(format!(
                    "expected the number of a line from 0 as text, or \"no_selection\", found {found}"
                ))
            };
            Some(Answer::Bullet(lines.bullet(line.ok_or_else(strange)?, place)?))
        }
    };
    Ok(Label { insight: read.insight_id, coverage: coverage(&read.coverage, LABELS, row)?, link })
}

#[cfg(test)]
mod tests;
