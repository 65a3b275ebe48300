//! A cache of generated questions, such as `QuestAnswer1Doc_quest_gt_save.json`: an object of
//! {ID: {`question`: […], `answers`: […]}}. A question is a unit of kind `question`; what the
//! reference answers stands in its `answer`, and `answerable` is false where it does not answer.
//! `key_info`, from which the questions were made, is not kept.

use super::{ask, collection, take_questions};
use crate::error::Result;
use crate::formats::json::{Fits, Misfit, Piece, refuse, root, take};
use crate::formats::options::ReadOptions;
use crate::formats::sentence;
use crate::study::{Query, Record, Sink};

/// Reads a cache from the text of its file.
///
/// # Errors
/// The text is no JSON object, or the sink does not skip a bad row. The file is not named yet.
pub(in crate::formats) fn read(text: &str, options: &ReadOptions, sink: &mut dyn Sink) -> Result<()> {
    let fields = root(text)?.fields().map_err(Misfit::into_error)?;
    let collection = collection(options);
    let name = collection.id.clone();
    take(sink, &fields.piece, Record::Collection(collection))?;
    let (mut all, mut without) = (0, Vec::new());
    for (id, piece) in fields.entries() {
        all += 1;
        match questions(&piece) {
            Ok((questions, _)) if questions.is_empty() => without.push(id),
            Ok(lists) => {
                let query = Query {
                    collection: name.clone(),
                    id: id.to_owned(),
                    text: id.to_owned(),
                    ..Query::default()
                };
                ask(&piece, query.clone(), sink)?;
                take_questions(&piece, &query, lists, sink)?;
            }
            Err(misfit) => refuse(sink, misfit)?,
        }
    }
    if !without.is_empty() {
        let names = sentence::quoted_list(&without);
        let what = format!("{} of {all} IDs came without a question: {names}", without.len());
        sink.remark(fields.piece.place(), what);
    }
    Ok(())
}

/// Questions and answers of one ID. Where generating them failed, the published caches hold `{}`.
fn questions(piece: &Piece<'_>) -> Fits<(Vec<String>, Vec<String>)> {
    let fields = piece.fields()?;
    if fields.entries().next().is_none() {
        return Ok((Vec::new(), Vec::new()));
    }
    Ok((fields.required("question")?, fields.optional("answers")?.unwrap_or_default()))
}
