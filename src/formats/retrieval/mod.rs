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

use serde_json::value::RawValue;

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
    let mut questions = RetrievalFile::new(options);
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

/// Fields that are read without being named.
const READ: [&str; 8] = ["question", "query", "id", "_id", "q_id", "answers", "ctxs", "retrieved_docs"];

/// How many fields that may hold a summary are named at most.
const UNREAD: usize = 5;

/// What is known across the objects of a file.
struct RetrievalFile<'o> {
    options: &'o ReadOptions,
    /// Keys of the objects before, and where they stand.
    seen: HashMap<String, Place>,
    /// How many objects have each of the summaries' fields.
    with_summary: Vec<usize>,
    /// Fields of the first object, for the message that a field is in none.
    fields: Vec<String>,
    /// Fields with a text that nothing was made of, each with the length of its longest, while no field is named for summaries;
    /// and whether `answer` was taken as gold.
    unread: Vec<(String, usize)>,
    is_answer_gold: bool,
}

/// An object, of which nothing has been handed on.
struct RetrievalQuestion<'a> {
    fields: Fields<'a>,
    collection: String,
    query: Query,
    passages: Vec<Piece<'a>>,
}

impl<'o> RetrievalFile<'o> {
    fn new(options: &'o ReadOptions) -> Self {
        let with_summary = vec![0; options.summary_fields.len()];
        RetrievalFile {
            options,
            seen: HashMap::new(),
            with_summary,
            fields: Vec::new(),
            unread: Vec::new(),
            is_answer_gold: false,
        }
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

    fn read<'a>(&mut self, piece: &Piece<'a>) -> Fits<RetrievalQuestion<'a>> {
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
        let is_summary = self.options.summary_fields.iter().any(|field| field == "answer");
        let query = Query {
            collection: collection.clone(),
            id: key,
            text,
            meta: answers(&fields, !is_summary)?,
            ..Query::default()
        };
        if self.options.summary_fields.is_empty() {
            self.note_unread(&fields);
        }
        let passages = one_of(&fields, ["ctxs", "retrieved_docs"])?.elements()?;
        Ok(RetrievalQuestion { fields, collection, query, passages })
    }

    /// Remembers fields that may hold the summary.
    fn note_unread(&mut self, fields: &Fields<'_>) {
        let has_answers = fields.find("answers").is_some();
        self.is_answer_gold |= !has_answers && fields.find("answer").is_some();
        for (name, piece) in fields.entries() {
            let is_read = READ.contains(&name) || (name == "answer" && !has_answers);
            let length = piece.read::<&RawValue>().map_or(0, |value| value.get().len());
            if is_read || piece.text().is_err() {
                continue;
            }
            let has_room = self.unread.len() < UNREAD;
            match self.unread.iter_mut().find(|(known, _)| known == name) {
                Some((_, longest)) => *longest = length.max(*longest),
                None if has_room => self.unread.push((name.to_owned(), length)),
                None => {}
            }
        }
    }

    fn hand_on(&mut self, question: &RetrievalQuestion<'_>, sink: &mut dyn Sink) -> Result<()> {
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
        question: &RetrievalQuestion<'a>,
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

    /// Says which of the named fields were missing, or which may hold the summary where none is named.
    fn finish(mut self, sink: &mut dyn Sink) -> Result<()> {
        let objects = self.seen.len();
        self.unread.sort_by_key(|(_, length)| std::cmp::Reverse(*length));
        let unread: Vec<String> = self.unread.into_iter().map(|(name, _)| name).collect();
        if let Some(first) = unread.first() {
            let what = format!(
                "no summaries came in; --summary-field {first} takes that field as one (not read: {})",
                sentence::quoted_list(&unread)
            );
            sink.remark(Place::Line(1), what);
        } else if self.is_answer_gold {
            let what = "no summaries came in, and \"answer\" is taken as the known answer; --summary-field answer takes it \
                        as a summary";
            sink.remark(Place::Line(1), what.to_owned());
        }
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

/// The gold answers: a list, or a single text where that is no summary.
fn answers(fields: &Fields<'_>, takes_text: bool) -> Fits<Meta> {
    let answers: Vec<String> = match fields.optional("answers")? {
        Some(answers) => answers,
        None if takes_text => fields.optional("answer")?.into_iter().collect(),
        None => Vec::new(),
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
