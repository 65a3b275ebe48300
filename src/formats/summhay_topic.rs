//! A haystack of *Summary of a Haystack* (Laban et al. 2024, §3): one topic with its documents,
//! subtopics, insights, summaries and the automatic evaluation of the summaries.
//!
//! A document's number is its position in the file: that is what summaries cite. The insights that
//! the documents were written from say which documents contain them, so the relevant documents of
//! every insight are known. The automatic evaluation does not name its model and becomes the model
//! annotator `auto`. Scores of retrievers stay with the query, under `retriever`.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::json::{Fields, Fits, Misfit, Piece, refuse, root, take};
use super::sentence;
use super::summhay::{Subtopic, SummaryLines, judge_label, model};
use crate::error::Result;
use crate::study::{Collection, Document, Meta, Query, Record, Sink, Unit};

/// The annotator that the automatic evaluation becomes.
const AUTO: &str = "auto";

/// Reads a topic from the text of its file.
pub(super) fn read(text: &str, sink: &mut dyn Sink) -> Result<()> {
    let fields = root(text)?.fields().map_err(Misfit::into_error)?;
    let collection = collection(&fields).map_err(Misfit::into_error)?;
    let documents = list(&fields, "documents")?;
    let subtopics = list(&fields, "subtopics")?;

    let mut topic = TopicShared {
        collection: collection.id.clone(),
        insights: insight_names(&subtopics),
        containing: HashMap::new(),
        auto_is_known: false,
    };
    take(sink, &fields.piece, Record::Collection(collection))?;
    topic.read_documents(&documents, sink)?;
    for subtopic in &subtopics {
        match topic.read_subtopic(subtopic) {
            Ok(read) => topic.hand_on(&read, sink)?,
            Err(misfit) => refuse(sink, misfit)?,
        }
    }
    Ok(())
}

fn list<'a>(fields: &Fields<'a>, key: &str) -> Result<Vec<Piece<'a>>> {
    let elements = fields.piece(key).and_then(|piece| piece.elements());
    elements.map_err(Misfit::into_error)
}

fn collection(fields: &Fields<'_>) -> Fits<Collection> {
    let meta = meta(fields, "topic_metadata")?;
    let domain = match meta.get("domain") {
        Some(Value::String(domain)) => Some(domain.clone()),
        // Haystacks of conversations name who speaks, those of news what they were made from.
        _ if meta.contains_key("participants") => Some("conversation".to_owned()),
        _ if meta.contains_key("articles") => Some("news".to_owned()),
        _ => None,
    };
    Ok(Collection { id: fields.required("topic_id")?, title: fields.required("topic")?, domain, meta })
}

/// The free fields under `key`: an object as it is, anything else that is not empty under its own name.
fn meta(fields: &Fields<'_>, key: &str) -> Fits<Meta> {
    Ok(match fields.find(key).map(|piece| piece.free()).transpose()? {
        None => Meta::new(),
        Some(Value::Object(meta)) => meta,
        Some(Value::Array(values)) if values.is_empty() => Meta::new(),
        Some(other) => [(key.to_owned(), other)].into_iter().collect(),
    })
}

/// The insights of all subtopics, as far as they can be read: bad ones are refused in their turn.
fn insight_names(subtopics: &[Piece<'_>]) -> HashSet<String> {
    fn insights<'a>(subtopic: &Piece<'a>) -> Option<Vec<Piece<'a>>> {
        subtopic.fields().ok()?.piece("insights").ok()?.elements().ok()
    }
    let name = |insight: Piece<'_>| insight.fields().ok()?.required("insight_id").ok();
    subtopics.iter().filter_map(insights).flatten().filter_map(name).collect()
}

/// The state that subtopics share.
struct TopicShared {
    collection: String,
    /// The insights of all subtopics.
    insights: HashSet<String>,
    /// Keys of the documents that contain an insight.
    containing: HashMap<String, Vec<String>>,
    /// Whether the annotator of the evaluation is with the sink already.
    auto_is_known: bool,
}

/// Remarks on a document that carries another position, counted from 0, which it had when the summaries were made.
fn note_position(piece: &Piece<'_>, number: u32, earlier: Option<u32>, sink: &mut dyn Sink) {
    let earlier = earlier.and_then(|index| index.checked_add(1));
    if let Some(earlier) = earlier.filter(|earlier| *earlier != number) {
        let what = format!(
            "\"idx\" makes this document number {earlier}, but it stands at position {number}; \
             citations are read by position"
        );
        sink.remark(piece.place(), what);
    }
}

/// A subtopic, of which nothing has been handed on.
struct ReadSubtopic<'a> {
    subtopic: Subtopic,
    fields: Fields<'a>,
    query: Query,
    insights: Vec<Piece<'a>>,
    summaries: Option<Fields<'a>>,
    evaluations: Option<Fields<'a>>,
}

impl TopicShared {
    fn read_documents(&mut self, pieces: &[Piece<'_>], sink: &mut dyn Sink) -> Result<()> {
        for (number, piece) in (1..).zip(pieces) {
            let read = piece.fields().and_then(|fields| {
                let earlier: Option<u32> = fields.optional("idx").ok().flatten();
                let insights: Vec<String> = fields.required("insights_included")?;
                Ok((self.document(&fields, number)?, insights, earlier))
            });
            match read {
                Ok((document, insights, earlier)) => {
                    note_position(piece, number, earlier, sink);
                    self.note_insights(piece, &document.id, insights, sink);
                    take(sink, piece, Record::Document(document))?;
                }
                Err(misfit) => refuse(sink, misfit)?,
            }
        }
        Ok(())
    }

    fn document(&self, fields: &Fields<'_>, number: u32) -> Fits<Document> {
        let meta = meta(fields, "document_metadata")?;
        Ok(Document {
            collection: self.collection.clone(),
            id: fields.required("document_id")?,
            number,
            title: meta.get("title").and_then(Value::as_str).map(str::to_owned),
            text: fields.required("document_text")?,
            meta,
        })
    }

    fn note_insights(
        &mut self,
        piece: &Piece<'_>,
        document: &str,
        insights: Vec<String>,
        sink: &mut dyn Sink,
    ) {
        let unknown: Vec<&String> =
            insights.iter().filter(|insight| !self.insights.contains(*insight)).collect();
        if !unknown.is_empty() {
            let names = sentence::quoted_list(unknown);
            sink.remark(piece.place(), format!("contains {names}, which no subtopic has as an insight"));
        }
        let mut seen = HashSet::new();
        for insight in insights {
            if seen.insert(insight.clone()) {
                self.containing.entry(insight).or_default().push(document.to_owned());
            }
        }
    }

    fn read_subtopic<'a>(&self, piece: &Piece<'a>) -> Fits<ReadSubtopic<'a>> {
        let fields = piece.fields()?;
        let subtopic =
            Subtopic { collection: self.collection.clone(), query: fields.required("subtopic_id")? };
        let described: String = fields.required("subtopic")?;
        let asked: Option<String> =
            fields.optional("query")?.filter(|query: &String| !query.trim().is_empty());
        let mut meta = Meta::new();
        for (key, name) in [("subtopic_name", "name"), ("retriever", "retriever")] {
            if let Some(piece) = fields.find(key) {
                meta.insert(name.into(), piece.free()?);
            }
        }
        if asked.is_some() {
            meta.insert("subtopic".into(), Value::from(described.as_str()));
        }
        let object = |key: &str| fields.find(key).map(|piece| piece.fields()).transpose();
        Ok(ReadSubtopic {
            query: Query {
                collection: self.collection.clone(),
                id: subtopic.query.clone(),
                text: asked.unwrap_or(described),
                meta,
                ..Query::default()
            },
            insights: fields.piece("insights")?.elements()?,
            summaries: object("summaries")?,
            evaluations: object("eval_summaries")?,
            subtopic,
            fields,
        })
    }

    /// Gives all records of a subtopic to the sink.
    fn hand_on(&mut self, read: &ReadSubtopic<'_>, sink: &mut dyn Sink) -> Result<()> {
        take(sink, &read.fields.piece, Record::Query(read.query.clone()))?;
        let mut known = HashSet::new();
        for piece in &read.insights {
            match self.unit(piece, &read.subtopic) {
                Ok(unit) => {
                    known.insert(unit.id.clone());
                    take(sink, piece, Record::Unit(unit))?;
                }
                Err(misfit) => refuse(sink, misfit)?,
            }
        }
        let mut candidates = HashMap::new();
        for (key, piece) in read.summaries.iter().flat_map(Fields::entries) {
            match SummaryLines::read(&piece) {
                Ok(lines) => {
                    take(sink, &piece, Record::Candidate(read.subtopic.candidate(key, &lines)))?;
                    candidates.insert(key, lines);
                }
                Err(misfit) => refuse(sink, misfit)?,
            }
        }
        for (key, piece) in read.evaluations.iter().flat_map(Fields::entries) {
            match candidates.get(key) {
                Some(lines) => self.read_evaluation(&piece, (key, lines), &read.subtopic, &known, sink)?,
                None => {
                    let what =
                        format!("judges the summary {}, which \"summaries\" lacks", sentence::quoted(key));
                    refuse(sink, piece.misfit(what))?;
                }
            }
        }
        Ok(())
    }

    fn unit(&self, piece: &Piece<'_>, subtopic: &Subtopic) -> Fits<Unit> {
        let mut unit = subtopic.unit(piece)?;
        unit.documents = Some(self.containing.get(&unit.id).cloned().unwrap_or_default());
        Ok(unit)
    }

    /// The automatic judgments of one candidate.
    fn read_evaluation(
        &mut self,
        piece: &Piece<'_>,
        (candidate, lines): (&str, &SummaryLines),
        subtopic: &Subtopic,
        known: &HashSet<String>,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let rows = match piece.elements() {
            Ok(rows) => rows,
            Err(misfit) => return refuse(sink, misfit),
        };
        if !self.auto_is_known {
            self.auto_is_known = true;
            take(sink, piece, Record::Annotator(model(AUTO)))?;
        }
        let mut judged = HashSet::new();
        for row in rows {
            let label = judge_label(&row, lines);
            match label.and_then(|label| label.expected_among(known, &mut judged, &row)) {
                Ok(label) => {
                    let judgment = subtopic.judgment(AUTO, candidate, label);
                    take(sink, &row, Record::Judgment(judgment))?;
                }
                Err(misfit) => refuse(sink, misfit)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
