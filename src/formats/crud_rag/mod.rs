//! The files of CRUD-RAG (Lyu et al. 2024, §3.6): caches of questions generated from the references,
//! and what its evaluators write. Both go into one collection, `crud-rag` unless told otherwise, with
//! a query for every ID, so that the questions of a cache meet the answers of the systems.
//!
//! A cache knows an ID and its questions, not what was asked of the systems. A query that comes with
//! a cache therefore has its ID for a text, and one that the study holds is left as it is: results
//! first and the cache after them gives queries with their texts. The three question-answering tasks
//! use the same IDs for different questions and need a collection each.

pub(super) mod questions;
pub(super) mod results;

use super::json::{Piece, take};
use super::options::ReadOptions;
use crate::error::Result;
use crate::study::{Collection, Meta, Query, Record, Sink, Unit};

/// What a cache answers where the reference does not answer its question ("cannot be inferred").
/// Such a question is left out of recall and precision (§3.6).
const NOT_ANSWERED: &str = "无法推断";

/// The collection of these files.
fn collection(options: &ReadOptions) -> Collection {
    Collection {
        id: options.collection.clone().unwrap_or_else(|| "crud-rag".into()),
        title: Some("CRUD-RAG".into()),
        ..Collection::default()
    }
}

/// Hands on a query. One whose text is only its ID never stands against one that the study holds,
/// nor the other way round. Returns whether the text is lost, because the study holds the ID only.
fn ask(piece: &Piece<'_>, query: Query, sink: &mut dyn Sink) -> Result<bool> {
    let held = sink.query_text(&query.collection, &query.id)?;
    match held {
        Some(held) if held == query.id || query.text == query.id => {
            Ok(held != query.text && held == query.id)
        }
        _ => take(sink, piece, Record::Query(query)).map(|()| false),
    }
}

/// Hands on the questions made from a reference, with what the reference answers. Where the two
/// lists differ in length, which answer is whose is not known, and the answers are left out.
fn take_questions(
    piece: &Piece<'_>,
    query: &Query,
    (questions, mut answers): (Vec<String>, Vec<String>),
    sink: &mut dyn Sink,
) -> Result<()> {
    if questions.len() != answers.len() {
        let what = format!(
            "the numbers of questions ({}) and answers ({}) differ, so which answer is whose is not known; \
             the questions come without",
            questions.len(),
            answers.len()
        );
        sink.remark(piece.place(), what);
        answers.clear();
    }
    let mut answers = answers.into_iter();
    for (number, text) in (1..).zip(questions) {
        let mut meta = Meta::new();
        if let Some(answer) = answers.next() {
            if answer == NOT_ANSWERED {
                meta.insert("answerable".into(), false.into());
            }
            meta.insert("answer".into(), answer.into());
        }
        take(sink, piece, Record::Unit(unit(query, format!("q{number}"), "question", text, meta)))?;
    }
    Ok(())
}

fn unit(query: &Query, id: String, kind: &str, text: String, meta: Meta) -> Unit {
    Unit {
        collection: query.collection.clone(),
        query: query.id.clone(),
        id,
        kind: kind.into(),
        text,
        meta,
        ..Unit::default()
    }
}

#[cfg(test)]
mod tests;
