//! Finding the target of an imported judgment from the keys that it names.

use rusqlite::CachedStatement;

use super::keys::name_of;
use super::{CorpusWriter, StudyKeys, Target, missing};
use crate::error::Error;
use crate::protocol::{Protocol, TargetPart};
use crate::store::file::{Fault, Tried};
use crate::study::{CandidateId, CollectionId, DocumentId, Judgment, QueryId, UnitId};

/// The target of a judgment under this protocol. Collection and query may be left out
/// where the other keys stand in one query only, the document where the unit has exactly one.
///
/// `gold` reads the documents of a unit.
pub(crate) fn target(
    keys: &StudyKeys,
    gold: &mut CachedStatement<'_>,
    protocol: &Protocol,
    judgment: &Judgment,
) -> Tried<Target> {
    check_parts(protocol, judgment)?;
    let query = query_of(keys, judgment)?;
    // A known query has a known collection.
    let collection = keys.query_names.get(&query).map(|(collection, _)| *collection);
    let unit = judgment.unit.as_ref().and_then(|key| keys.units.get(query, key));
    let document = match (&judgment.document, collection) {
        (Some(key), Some(collection)) => keys.documents.get(collection, key),
        _ if protocol.targets(TargetPart::Document) => only_document(gold, unit)?,
        _ => None,
    };
    Ok(Target {
        query,
        document,
        candidate: judgment.candidate.as_ref().and_then(|key| keys.candidates.get(query, key)),
        unit,
        bullet: judgment.bullet,
        other: judgment.other.as_ref().and_then(|key| keys.candidates.get(query, key)),
    })
}

/// The target with the candidates of a pair in the order that they have in every file; tells whether they were exchanged. The
/// order follows from the texts as they came in: a key may say who wrote a text, and may be another one on a hub.
pub(crate) fn in_order(corpus: &mut CorpusWriter<'_>, target: Target) -> Tried<(Target, bool)> {
    let (Some(candidate), Some(other)) = (target.candidate, target.other) else { return Ok((target, false)) };
    if candidate == other {
        return Err(Error::new("a pair is of two candidates, and the same is named twice")
            .advise("name another one as \"other\"")
            .into());
    }
    let mut place = |id: CandidateId| {
        Ok::<_, Fault>((corpus.texts.first(id)?, name_of(&corpus.keys.whole()?.candidate_names, id)))
    };
    let is_reversed = place(other)? < place(candidate)?;
    let target = if is_reversed {
        Target { candidate: Some(other), other: Some(candidate), ..target }
    } else {
        target
    };
    Ok((target, is_reversed))
}

/// Refuses a judgment that names too much or too little for its protocol.
fn check_parts(protocol: &Protocol, judgment: &Judgment) -> Tried<()> {
    let parts = [
        (TargetPart::Document, "document", judgment.document.is_some()),
        (TargetPart::Unit, "unit", judgment.unit.is_some()),
        (TargetPart::Candidate, "candidate", judgment.candidate.is_some()),
        (TargetPart::Bullet, "bullet", judgment.bullet.is_some()),
        (TargetPart::Pair, "other", judgment.other.is_some()),
    ];
    for (part, name, given) in parts {
        let may_be_left_out = part == TargetPart::Document && protocol.targets(TargetPart::Unit);
        // A bullet is named by its candidate and its number in it, a pair by both candidates.
        let owns = [TargetPart::Bullet, TargetPart::Pair].into_iter().any(|whole| protocol.targets(whole));
        let is_owner = part == TargetPart::Candidate && owns;
        let error = match (protocol.targets(part) || is_owner, given) {
            (false, true) => Error::new(format!("the protocol {:?} judges no {name}", protocol.name))
                .advise(format!("leave out {name:?}")),
            (true, false) if !may_be_left_out => {
                Error::new(format!("the protocol {:?} judges a {name}, but none is named", protocol.name))
                    .advise(format!("add {name:?}"))
            }
            _ => continue,
        };
        return Err(error.into());
    }
    Ok(())
}

fn query_of(keys: &StudyKeys, judgment: &Judgment) -> Tried<QueryId> {
    let collection = match &judgment.collection {
        Some(key) => match keys.collections.get(key.as_str()) {
            Some(collection) => Some(*collection),
            None => return Err(missing(&format!("collection {key:?}"))),
        },
        None => None,
    };
    let mut fitting = possible(keys, collection, judgment)
        .into_iter()
        .filter(|(scope, query)| fits(keys, collection, judgment, *scope, *query));
    match (fitting.next(), fitting.next()) {
        (Some((_, query)), None) => Ok(query),
        (None, _) => Err(what_is_missing(keys, judgment)),
        (Some(_), Some(_)) => {
            let fields = match (&judgment.collection, &judgment.query) {
                (None, None) => "add \"query\", and \"collection\" if several have that query",
                (Some(_), None) => "add \"query\"",
                _ => "add \"collection\"",
            };
            let what = format!("{} stands in several queries", named(judgment));
            Err(Error::new(what).advise(fields).into())
        }
    }
}

/// The queries that the judgment may be about, by the key that narrows them down the most.
fn possible(
    keys: &StudyKeys,
    collection: Option<CollectionId>,
    judgment: &Judgment,
) -> Vec<(CollectionId, QueryId)> {
    let with_collection = |query: QueryId| Some((keys.query_names.get(&query)?.0, query));
    if let Some(key) = &judgment.query {
        return match collection {
            Some(scope) => keys.queries.get(scope, key).map(|query| (scope, query)).into_iter().collect(),
            None => keys.queries.everywhere(key).to_vec(),
        };
    }
    if let Some(key) = &judgment.candidate {
        let rows = keys.candidates.everywhere(key).iter();
        return rows.filter_map(|(query, _)| with_collection(*query)).collect();
    }
    if let Some(key) = &judgment.unit {
        let rows = keys.units.everywhere(key).iter();
        return rows.filter_map(|(query, _)| with_collection(*query)).collect();
    }
    keys.query_names.keys().filter_map(|query| with_collection(*query)).collect()
}

/// Whether every key that the judgment names stands in this query.
fn fits(
    keys: &StudyKeys,
    collection: Option<CollectionId>,
    judgment: &Judgment,
    scope: CollectionId,
    query: QueryId,
) -> bool {
    let mut candidates = judgment.candidate.iter().chain(&judgment.other);
    let unit = judgment.unit.as_ref();
    let document = judgment.document.as_ref();
    collection.is_none_or(|collection| collection == scope)
        && candidates.all(|key| keys.candidates.get(query, key).is_some())
        && unit.is_none_or(|key| keys.units.get(query, key).is_some())
        && document.is_none_or(|key| keys.documents.get(scope, key).is_some())
}

fn what_is_missing(keys: &StudyKeys, judgment: &Judgment) -> Fault {
    let nowhere = |key: &Option<String>, name: &str, known: &dyn Fn(&str) -> bool| {
        let key = key.as_deref().filter(|key| !known(key))?;
        Some(missing(&format!("{name} {key:?}")))
    };
    nowhere(&judgment.query, "query", &|key| !keys.queries.everywhere(key).is_empty())
        .or_else(|| {
            nowhere(&judgment.candidate, "candidate", &|key| !keys.candidates.everywhere(key).is_empty())
        })
        .or_else(|| nowhere(&judgment.other, "candidate", &|key| !keys.candidates.everywhere(key).is_empty()))
        .or_else(|| nowhere(&judgment.unit, "unit", &|key| !keys.units.everywhere(key).is_empty()))
        .or_else(|| {
            nowhere(&judgment.document, "document", &|key| !keys.documents.everywhere(key).is_empty())
        })
        .unwrap_or_else(|| {
            Error::new(format!("no query of the study has {} together", named(judgment)))
                .advise("see that the keys belong together")
                .into()
        })
}

/// The keys that a judgment names, for a message: `candidate "c1", unit "u2", query "q"`.
pub(crate) fn named(judgment: &Judgment) -> String {
    let parts = [
        ("candidate", &judgment.candidate),
        ("other", &judgment.other),
        ("unit", &judgment.unit),
        ("document", &judgment.document),
        ("query", &judgment.query),
        ("collection", &judgment.collection),
    ];
    let named: Vec<String> =
        parts.iter().filter_map(|(name, key)| Some(format!("{name} {:?}", key.as_ref()?))).collect();
    named.join(", ")
}

/// The document of a unit; `None` where its documents are not known, an error where it has none or several.
fn only_document(gold: &mut CachedStatement<'_>, unit: Option<UnitId>) -> Tried<Option<DocumentId>> {
    let Some(unit) = unit else { return Ok(None) };
    let rows: Vec<(bool, Option<i64>)> =
        gold.query_map([unit.0], |row| row.try_into())?.collect::<rusqlite::Result<_>>()?;
    match rows.as_slice() {
        [(false, _)] => Ok(None),
        [(true, Some(document))] => Ok(Some(DocumentId(*document))),
        _ => {
            let error = Error::new("the unit does not stand in exactly one document");
            Err(error.advise("add \"document\"").into())
        }
    }
}

/// Selects whether the documents of a unit are known, and the documents: one row at least.
pub(crate) const GOLD_OF_UNIT: &str = "SELECT u.gold_known, g.document FROM unit u
    LEFT JOIN gold g ON g.unit = u.id WHERE u.id = ?1";
