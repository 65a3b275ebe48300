//! Questions with what was retrieved for them, as DPR writes them (Karpukhin et al. 2020) and RECOMP
//! reads them (Xu et al. 2023): a list, or one object a line, of
//! {`question` or `query`, `id`, `_id` or `q_id`, `answers` or `answer`, `ctxs` or `retrieved_docs`
//! [{`id`, `title`, `text`, …}]}.
//!
//! Every object is a collection of its own, with one query under the same key: its id, else the
//! fingerprint of its question, so that files about the same questions meet. A passage's number is
//! its position; its other fields (`score`, `has_answer`, …) stay with it. Gold answers stay with the
//! query under `answers`. Summaries stand in fields that the reader is told of; each is a candidate.

use std::collections::{HashMap, HashSet};
use std::io::BufRead;

use super::json::{Fields, Fits, Misfit, Piece, refuse, root, take};
use super::on_line::each_line;
use super::options::ReadOptions;
use super::{sentence, source};
use crate::error::{Error, Result};
use crate::study::{Candidate, Collection, Document, Meta, Place, Query, Record, Sink};
use crate::text::hash::fingerprint;

/// Reads the questions of a source of about `size` bytes.
///
/// # Errors
/// The source is no list and no lines of JSON, no object has a field that the options name, or the
/// sink does not skip a bad row. The file is not named yet.
pub(super) fn read(
    mut source: impl BufRead,
    size: u64,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<()> {
    let mut questions = Questions::new(options);
    let start = source.fill_buf().map_err(|error| source::cannot_read(&error))?;
    let first = source::without_mark(start).iter().find(|byte| !byte.is_ascii_whitespace());
    if first == Some(&b'[') {
        let text = source::text_of(source, size)?;
        for piece in root(&text)?.elements().map_err(Misfit::into_error)? {
            questions.take(&piece, piece.place(), sink)?;
        }
    } else {
        each_line(source, sink, |piece, number, sink| questions.take(piece, Place::Line(number), sink))?;
    }
    questions.finish(sink)
}

/// What is known across the objects of a file.
struct Questions<'o> {
    options: &'o ReadOptions,
    /// Keys of the objects before, and where they stand.
    seen: HashMap<String, Place>,
    /// How many objects have each of the summaries' fields.
    with_summary: Vec<usize>,
    /// Fields of the first object, for the message that a field is in none.
    fields: Vec<String>,
}

/// An object, of which nothing has been handed on.
struct Question<'a> {
    fields: Fields<'a>,
    collection: String,
    query: Query,
    passages: Vec<Piece<'a>>,
}

impl<'o> Questions<'o> {
    fn new(options: &'o ReadOptions) -> Self {
        let with_summary = vec![0; options.summary_fields.len()];
        Questions { options, seen: HashMap::new(), with_summary, fields: Vec::new() }
    }

    /// Gives all records of the object at `piece` to the sink. `place` tells it from the others.
    fn take(&mut self, piece: &Piece<'_>, place: Place, sink: &mut dyn Sink) -> Result<()> {
        match self.read(piece) {
            Ok(question) => {
                self.seen.insert(question.query.id.clone(), place);
                self.hand_on(&question, sink)
            }
            Err(misfit) => refuse(sink, misfit),
        }
    }

    fn read<'a>(&mut self, piece: &Piece<'a>) -> Fits<Question<'a>> {
        let fields = piece.fields()?;
        if self.fields.is_empty() {
            self.fields = fields.entries().map(|(key, _)| key.to_owned()).collect();
        }
        let asked = one_of(&fields, ["question", "query"])?;
        let text: String = asked.read()?;
        let key = match fields.first(&["id", "_id", "q_id"]) {
            Some(id) => id.key()?,
            None => fingerprint([&text]).to_string(),
        };
        if let Some(earlier) = self.seen.get(&key) {
            let name = sentence::quoted(&text);
            let misfit = piece.misfit(format!("{name} has the key of the question at {earlier}"));
            return Err(misfit.advise("keep one of the two, or give each an \"id\" of its own"));
        }
        let collection = match &self.options.collection {
            Some(start) => format!("{start}/{key}"),
            None => key.clone(),
        };
        let query = Query {
            collection: collection.clone(),
            id: key,
            text,
            meta: answers(&fields)?,
            ..Query::default()
        };
        let passages = one_of(&fields, ["ctxs", "retrieved_docs"])?.elements()?;
        Ok(Question { fields, collection, query, passages })
    }

    fn hand_on(&mut self, question: &Question<'_>, sink: &mut dyn Sink) -> Result<()> {
        let piece = &question.fields.piece;
        let collection = Collection {
            id: question.collection.clone(),
            title: Some(question.query.text.clone()),
            ..Collection::default()
        };
        take(sink, piece, Record::Collection(collection))?;
        let mut known = HashSet::new();
        for (number, passage) in (1..).zip(&question.passages) {
            match document(passage, number, &question.collection, &mut known) {
                Ok(document) => take(sink, passage, Record::Document(document))?,
                Err(misfit) => refuse(sink, misfit)?,
            }
        }
        take(sink, piece, Record::Query(question.query.clone()))?;
        for index in 0..self.options.summary_fields.len() {
            match self.candidate(index, question) {
                Ok(Some((piece, candidate))) => take(sink, &piece, Record::Candidate(candidate))?,
                Ok(None) => {}
                Err(misfit) => refuse(sink, misfit)?,
            }
        }
        Ok(())
    }

    /// The candidate of the summaries' field of this index, where the object has it.
    fn candidate<'a>(
        &mut self,
        index: usize,
        question: &Question<'a>,
    ) -> Fits<Option<(Piece<'a>, Candidate)>> {
        let field = self.options.summary_fields.get(index);
        let Some((field, piece)) = field.and_then(|field| Some((field, question.fields.find(field)?))) else {
            return Ok(None);
        };
        if let Some(count) = self.with_summary.get_mut(index) {
            *count += 1;
        }
        let answer: Option<String> = match self.options.answer_fields.get(index) {
            Some(field) => question.fields.optional(field)?,
            None => None,
        };
        let candidate = Candidate {
            collection: question.collection.clone(),
            query: question.query.id.clone(),
            id: field.clone(),
            summarizer: Some(field.clone()),
            retriever: self.options.retriever.clone(),
            order: None,
            text: piece.text()?,
            meta: answer.map(|answer| ("answer".to_owned(), answer.into())).into_iter().collect(),
        };
        Ok(Some((piece, candidate)))
    }

    /// Says which of the named fields were missing.
    fn finish(self, sink: &mut dyn Sink) -> Result<()> {
        let objects = self.seen.len();
        for (field, count) in self.options.summary_fields.iter().zip(self.with_summary) {
            let name = sentence::quoted(field);
            if count == 0 && objects > 0 {
                return Err(Error::new(format!("no object has the field {name} with a summary"))
                    .advise(format!("the fields are {}", sentence::quoted_list(&self.fields))));
            }
            if count < objects {
                let missing = objects - count;
                let what = format!("the field {name} is missing from {missing} of {objects} questions");
                sink.remark(Place::Line(1), what);
            }
        }
        Ok(())
    }
}

fn one_of<'a>(fields: &Fields<'a>, keys: [&str; 2]) -> Fits<Piece<'a>> {
    let [first, second] = keys;
    let missing = || fields.piece.misfit(format!("{first:?} or {second:?} is missing"));
    fields.first(&keys).ok_or_else(missing)
}

/// The gold answers: a list, or a single text.
fn answers(fields: &Fields<'_>) -> Fits<Meta> {
    let answers: Vec<String> = match fields.optional("answers")? {
        Some(answers) => answers,
        None => fields.optional("answer")?.into_iter().collect(),
    };
    let known = (!answers.is_empty()).then(|| ("answers".to_owned(), answers.into()));
    Ok(known.into_iter().collect())
}

fn document(piece: &Piece<'_>, number: u32, collection: &str, known: &mut HashSet<String>) -> Fits<Document> {
    let fields = piece.fields()?;
    let id = match fields.find("id") {
        Some(id) => id.key()?,
        None => format!("d{number}"),
    };
    let mut meta = Meta::new();
    for (key, value) in fields.entries().filter(|(key, _)| !["id", "title", "text"].contains(key)) {
        meta.insert(key.to_owned(), value.free()?);
    }
    let document = Document {
        collection: collection.to_owned(),
        id,
        number,
        title: fields.optional("title")?,
        text: fields.required("text")?,
        meta,
    };
    if !known.insert(document.id.clone()) {
        let misfit = piece.misfit(format!("the id {} stands twice here", sentence::quoted(&document.id)));
        return Err(misfit.advise("keep one of the two, or give each an id of its own"));
    }
    Ok(document)
}

#[cfg(test)]
mod tests;
