//! What CRUD-RAG's evaluators write: {`info`, `overall`, `results`}, or the list of results alone.
//! A result is {`id` or `ID`, `metrics`, `log` {`generated_text`, `ground_truth_text`,
//! `quest_eval_save`}, `valid`, `original_data`}; the fields of `log` may also stand beside it.
//!
//! The generated text becomes a candidate, the ground truth a unit of kind `reference`, and the
//! questions of `quest_eval_save` the same units as those of a cache. What the evaluating model
//! answered from the generated text stays with the candidate under `answers_gm4gt`.

use serde_json::Value;

use super::{ask, collection, take_questions, unit};
use crate::error::Result;
use crate::formats::json::{Fields, Fits, Misfit, Piece, refuse, root, take};
use crate::formats::options::ReadOptions;
use crate::study::{Candidate, Meta, Place, Query, Record, Sink};

/// Where a task keeps what it asks of a system: in the first of these that is there whole.
/// A continuation to be corrected stands behind the beginning of its article.
const ASKED: [&[&str]; 7] = [
    &["questions"],
    &["newsBeginning", "hallucinatedContinuation"],
    &["newsBeginning"],
    &["beginning"],
    &["event"],
    &["question"],
    &["query"],
];

/// Reads results from the text of their file.
///
/// # Errors
/// The text is neither form of results, or the sink does not skip a bad row. The file is not named yet.
pub(in crate::formats) fn read(text: &str, options: &ReadOptions, sink: &mut dyn Sink) -> Result<()> {
    let root = root(text)?;
    let (run, rows) = CrudRun::read(&root, text, options).map_err(Misfit::into_error)?;
    take(sink, &root, Record::Collection(collection(options)))?;
    let (count, mut lost) = (rows.len(), 0_usize);
    for piece in rows {
        match run.row(&piece) {
            Ok(row) => lost += usize::from(row.hand_on(&piece, sink)?),
            Err(misfit) => refuse(sink, misfit)?,
        }
    }
    if lost > 0 {
        let what = format!(
            "{lost} of {count} queries came earlier with a cache of questions, which knows only IDs; \
             to have their texts, import the results before the cache, into another study"
        );
        sink.remark(Place::Line(1), what);
    }
    Ok(())
}

/// What all results of a file share.
struct CrudRun {
    collection: String,
    task: Option<String>,
    summarizer: Option<String>,
    retriever: Option<String>,
}

/// A result, of which nothing has been handed on.
struct CrudResult {
    query: Query,
    reference: Option<String>,
    questions: (Vec<String>, Vec<String>),
    candidate: Candidate,
}

impl CrudRun {
    fn read<'a>(root: &Piece<'a>, text: &str, options: &ReadOptions) -> Fits<(CrudRun, Vec<Piece<'a>>)> {
        let mut run = CrudRun {
            collection: collection(options).id,
            task: None,
            summarizer: options.summarizer.clone(),
            retriever: options.retriever.clone(),
        };
        if text.trim_start().starts_with('[') {
            return Ok((run, root.elements()?));
        }
        let fields = root.fields()?;
        if let Some(info) = fields.find("info").map(|info| info.fields()).transpose()? {
            run.task = info.optional("task")?;
            let named = info.optional("llm")?;
            run.summarizer = run.summarizer.or(named.as_ref().and_then(model_name));
        }
        let rows = fields.piece("results")?.elements()?;
        Ok((run, rows))
    }

    fn row(&self, piece: &Piece<'_>) -> Fits<CrudResult> {
        let fields = piece.fields()?;
        let inner = |key: &str| fields.find(key).map(|inner| inner.fields()).transpose();
        let (log, original) = (inner("log")?, inner("original_data")?);
        let log = log.as_ref().unwrap_or(&fields);
        let id = fields.first(&["id", "ID"]).ok_or_else(|| piece.misfit("\"id\" is missing"))?.key()?;
        let saved = log.find("quest_eval_save").map(|saved| saved.fields()).transpose()?;
        let list = |key: &str| -> Fits<Vec<String>> {
            let list = saved.as_ref().map(|saved| saved.optional(key)).transpose()?;
            Ok(list.flatten().unwrap_or_default())
        };
        let text = match original.as_ref().map(asked).transpose()?.flatten() {
            Some(text) => text,
            None => asked(&fields)?.unwrap_or_else(|| id.clone()),
        };
        let query = Query {
            collection: self.collection.clone(),
            id,
            text,
            category: self.task.clone(),
            ..Query::default()
        };
        let meta = candidate_meta(&fields, original.as_ref(), list("answers_gm4gt")?)?;
        Ok(CrudResult {
            candidate: self.candidate(&query.id, log.required("generated_text")?, meta),
            reference: log.optional("ground_truth_text")?,
            questions: (list("questions_gt")?, list("answers_gt4gt")?),
            query,
        })
    }

    /// The candidate is named by its system, so that the results of several systems stand side by side.
    fn candidate(&self, query: &str, text: String, meta: Meta) -> Candidate {
        let parts: Vec<&str> = self.retriever.iter().chain(&self.summarizer).map(String::as_str).collect();
        Candidate {
            collection: self.collection.clone(),
            query: query.to_owned(),
            id: if parts.is_empty() { "generated_text".into() } else { parts.join(" ") },
            summarizer: self.summarizer.clone(),
            retriever: self.retriever.clone(),
            order: None,
            text,
            meta,
        }
    }
}

impl CrudResult {
    /// Gives all records to the sink; returns whether the query's text is lost.
    fn hand_on(self, piece: &Piece<'_>, sink: &mut dyn Sink) -> Result<bool> {
        let lost = ask(piece, self.query.clone(), sink)?;
        if let Some(text) = self.reference {
            let reference = unit(&self.query, "reference".into(), "reference", text, Meta::new());
            take(sink, piece, Record::Unit(reference))?;
        }
        take_questions(piece, &self.query, self.questions, sink)?;
        take(sink, piece, Record::Candidate(self.candidate))?;
        Ok(lost)
    }
}

/// What was asked, where the object says it.
fn asked(fields: &Fields<'_>) -> Fits<Option<String>> {
    let whole = |keys: &[&str]| keys.iter().map(|key| fields.find(key)).collect::<Option<Vec<_>>>();
    let Some(pieces) = ASKED.into_iter().find_map(whole) else {
        return Ok(None);
    };
    let texts: Vec<String> = pieces.iter().map(Piece::text).collect::<Fits<_>>()?;
    Ok(Some(texts.join("\n\n")))
}

fn candidate_meta(fields: &Fields<'_>, original: Option<&Fields<'_>>, answers: Vec<String>) -> Fits<Meta> {
    let mut meta = Meta::new();
    let retrieved = original.and_then(|original| original.find("retrieve_context"));
    let found = [("metrics", fields.find("metrics")), ("valid", fields.find("valid"))];
    for (key, piece) in found.into_iter().chain([("retrieve_context", retrieved)]) {
        if let Some(piece) = piece {
            meta.insert(key.into(), piece.free()?);
        }
    }
    if !answers.is_empty() {
        meta.insert("answers_gm4gt".into(), answers.into());
    }
    Ok(meta)
}

/// The model among the parameters of a run, which stand there as Python prints a dictionary.
fn model_name(parameters: &Value) -> Option<String> {
    let name = match parameters {
        Value::String(text) => text.split_once("'model_name': '")?.1.split_once('\'')?.0,
        parameters => parameters.get("model_name")?.as_str()?,
    };
    (!name.is_empty()).then(|| name.to_owned())
}
