//! References of imported answers: to units of the query, and to passages of the collection's documents.

use super::keys::name_of;
use super::{CorpusWriter, StudyKeys, Target, shorten};
use crate::error::Error;
use crate::protocol::{Answers, Protocol, Question, Quote};
use crate::store::file::Tried;
use crate::study::{DocumentId, RecordKind, UnitId};
use crate::text::span::Span;

/// Refuses answers that name a unit or a document which is not there, and returns a sentence for each passage that does
/// not stand where it should. Such a passage is kept, because somebody selected it.
pub(crate) fn check(
    corpus: &mut CorpusWriter<'_>,
    protocol: &Protocol,
    target: &Target,
    answers: &Answers,
) -> Tried<Vec<String>> {
    let mut notes = Vec::new();
    for question in &protocol.questions {
        let Some(answer) = answers.get(&question.key) else { continue };
        if !question.kinds().is_empty() {
            check_units(corpus, question, target, answer.names())?;
        }
        for quote in answer.passages() {
            if let (true, Some(candidate)) = (quote.is_in_candidate(), target.candidate) {
                let text = corpus.texts.of(RecordKind::Candidate, candidate.0)?;
                notes.extend(misplaced(quote, &text));
                continue;
            }
            let document = document_of(corpus.keys.whole()?, question, target, quote)?;
            let text = corpus.texts.of(RecordKind::Document, document.0)?;
            notes.extend(misplaced(quote, &text));
        }
    }
    Ok(notes)
}

/// Refuses units that are not of the query or of the question's kinds, and the unit that is judged.
fn check_units(
    corpus: &mut CorpusWriter<'_>,
    question: &Question,
    target: &Target,
    names: &[String],
) -> Tried<()> {
    for name in names {
        let named = format!("{:?} names unit {name:?}", question.key);
        let keys = corpus.keys.whole()?;
        let unit = match question.is_of_collection() {
            true => in_collection(keys, target, name),
            false => keys.units.get(target.query, name),
        };
        let Some(unit) = unit else {
            let query = keys.query_names.get(&target.query);
            let query = query.map_or_else(String::new, |(_, key)| key.to_string());
            return Err(Error::new(format!("{named}, which query {query:?} does not have"))
                .advise("import the unit first, or correct its key")
                .into());
        };
        if target.unit == Some(unit) {
            let what = format!("{named}, which is the one that is judged");
            return Err(Error::new(what).advise("name other units only, or null for none").into());
        }
        let kind = corpus.kind_of(unit)?;
        if !question.kinds().contains(&kind) {
            return Err(Error::new(format!("{named}, which is of the kind {kind:?}"))
                .advise(format!("it chooses from units of the kind {}", question.kinds().join(" or ")))
                .into());
        }
    }
    Ok(())
}

/// The unit that `QUERY/UNIT` names in the collection of a target. Either key may contain a slash.
fn in_collection(keys: &StudyKeys, target: &Target, name: &str) -> Option<UnitId> {
    let (collection, _) = keys.query_names.get(&target.query)?;
    let mut splits = name.match_indices('/').filter_map(|(at, _)| name.split_at_checked(at));
    splits.find_map(|(query, unit)| {
        let query = keys.queries.get(*collection, query)?;
        keys.units.get(query, unit.get(1..)?)
    })
}

fn document_of(keys: &StudyKeys, question: &Question, target: &Target, quote: &Quote) -> Tried<DocumentId> {
    // A known query has a known collection.
    let collection = keys.query_names.get(&target.query).map(|(collection, _)| *collection);
    let document = collection.and_then(|collection| keys.documents.get(collection, &quote.document));
    document.ok_or_else(|| {
        let collection = collection.map_or_else(String::new, |id| name_of(&keys.collection_names, id));
        let what = format!(
            "{:?} has a passage of document {:?}, which collection {collection:?} does not have",
            question.key, quote.document
        );
        Error::new(what).advise("import the document first, or correct its key").into()
    })
}

/// A sentence about a passage that does not stand word for word at its place in this text; `None` where it does.
fn misplaced(quote: &Quote, text: &str) -> Option<String> {
    let found = quote.find(text);
    let absence = match quote.start {
        None => found.is_none().then(|| "does not stand there".to_owned()),
        Some(start) => {
            let stands = |span: Span| span.start() as u64 == start && span.slice(text) == quote.quote;
            let cuts = |span: Span| span.slice(text).contains(&quote.quote) && span.len() > quote.quote.len();
            (!found.is_some_and(stands)).then(|| match found.is_some_and(cuts) {
                true => "ends within what is seen as one letter, and reaches over all of it".to_owned(),
                false => format!("does not stand there at byte {start}"),
            })
        }
    };
    let other_text = (!quote.may_be_of(text)).then(|| "was selected in another text of it".to_owned());
    let reasons: Vec<String> = other_text.into_iter().chain(absence).collect();
    (!reasons.is_empty()).then(|| {
        let passage = shorten(&quote.quote);
        let of = match quote.is_in_candidate() {
            true => "the candidate".to_owned(),
            false => format!("document {:?}", quote.document),
        };
        format!("the passage {passage:?} of {of} {}", reasons.join(" and "))
    })
}
