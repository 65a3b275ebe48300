//! The contents of a study: counts of its corpus, the questions asked, and who judged how much, when and for how long.

use std::collections::{BTreeMap, BTreeSet};

use super::{Cell, Column, CorpusIndex, Table, TableFinding, counted, in_utc, protocols};
use crate::error::Result;
use crate::protocol::Protocol;
use crate::store::StudyFile;
use crate::study::{Annotator, AnnotatorId, AnnotatorKind};

/// The contents of a study, and the protocols with judgments.
pub struct Contents {
    /// The tables of texts, questions and people.
    pub tables: Vec<Table>,
    pub protocols: Vec<Protocol>,
    /// The first and the last day with a judgment, in UTC, where known.
    pub days: Option<(String, String)>,
}

/// The work of one annotator.
#[derive(Debug, Clone, PartialEq)]
pub struct AnnotatorPart {
    pub annotator: Annotator,
    protocols: usize,
    pub judgments: usize,
    /// The judgments that came from files.
    pub from_files: usize,
    /// Known active time in milliseconds; judgments from files have none.
    active: u64,
    /// Times of the first and of the last judgment, in milliseconds since 1970.
    times: Option<(i64, i64)>,
}

/// A protocol with judgments.
struct ProtocolInUse {
    protocol: Protocol,
    items: usize,
    judgments: usize,
}

/// Counts the contents of a study. Of summaries written in sessions, only the last snapshots count.
pub fn contents(study: &StudyFile) -> Result<Contents> {
    let annotators = study.annotators_by_key()?;
    let part = |annotator| AnnotatorPart {
        annotator,
        protocols: 0,
        judgments: 0,
        from_files: 0,
        active: 0,
        times: None,
    };
    let order: Vec<AnnotatorId> = annotators.iter().map(|(id, _)| *id).collect();
    let mut people: BTreeMap<AnnotatorId, AnnotatorPart> =
        annotators.into_iter().map(|(id, annotator)| (id, part(annotator))).collect();
    let mut asked = Vec::new();
    let from_files = study.judgments_from_files()?;
    for protocol in protocols::all(study)? {
        let material = study.material(&protocol, counted(&protocol, false))?;
        let rows = || material.rows().iter().filter(|row| row.counts());
        let items: BTreeSet<u32> = rows().map(|row| row.item).collect();
        let mut given: BTreeMap<AnnotatorId, usize> = BTreeMap::new();
        for row in rows() {
            *given.entry(row.annotator()).or_default() += 1;
            let Some(part) = people.get_mut(&row.annotator()) else { continue };
            part.active += u64::from(row.active);
            if let Some(at) = row.at() {
                let (first, last) = part.times.unwrap_or((at, at));
                part.times = Some((first.min(at), last.max(at)));
            }
        }
        for (id, judgments) in given {
            let Some(part) = people.get_mut(&id) else { continue };
            part.protocols += 1;
            part.judgments += judgments;
            // Some judgments from files may not count.
            let came = from_files.get(&(protocol.name.clone(), id)).copied().unwrap_or(0);
            part.from_files += came.min(judgments);
        }
        let judgments = rows().count();
        if judgments > 0 {
            asked.push(ProtocolInUse { protocol, items: items.len(), judgments });
        }
    }
    let people: Vec<AnnotatorPart> =
        order.iter().filter_map(|id| people.remove(id)).filter(|part| part.judgments > 0).collect();
    let tables = vec![texts(study)?, questions(&asked), who(&people)];
    let times = || people.iter().filter_map(|part| part.times);
    let first = times().map(|(first, _)| first).min().and_then(day);
    let last = times().map(|(_, last)| last).max().and_then(day);
    let protocols = asked.into_iter().map(|asked| asked.protocol).collect();
    Ok(Contents { tables, protocols, days: first.zip(last) })
}

fn day(time: i64) -> Option<String> {
    in_utc(time, "%Y-%m-%d")
}

fn texts(study: &StudyFile) -> Result<Table> {
    let corpus = CorpusIndex::read(study)?.records;
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    corpus.units.iter().for_each(|(_, unit)| *kinds.entry(unit.kind.as_str()).or_default() += 1);
    let systems: BTreeSet<String> =
        corpus.candidates.iter().map(|(_, candidate)| candidate.system()).collect();
    let [candidates, queries, documents] =
        [corpus.candidates.len(), corpus.queries.len(), corpus.documents.len()];
    let systems = systems.len();
    let mut rows = vec![
        ("collections".to_owned(), corpus.collections.len()),
        ("documents".to_owned(), documents),
        ("queries".to_owned(), queries),
    ];
    rows.extend(kinds.into_iter().map(|(kind, count)| (format!("content units: {kind}"), count)));
    rows.push(("summaries and responses".to_owned(), candidates));
    rows.push(("systems that wrote them".to_owned(), systems));
    rows.retain(|(_, count)| *count > 0);
    let columns = [
        Column::new("what", "what", |(what, _): &(String, usize)| what.clone()),
        Column::new("count", "count", |(_, count): &(String, usize)| *count),
    ];
    Ok(Table::of("What there is", columns, &rows).keyed("texts").finding(TableFinding::Corpus {
        candidates,
        systems,
        queries,
        documents,
    }))
}

fn questions(asked: &[ProtocolInUse]) -> Table {
    let listed = |row: &ProtocolInUse| {
        let keys = row.protocol.questions.iter().map(|question| question.prompt.as_str());
        keys.collect::<Vec<_>>().join(" · ")
    };
    let columns = [
        Column::new("protocol", "protocol", |row: &ProtocolInUse| row.protocol.name.clone()),
        Column::new("title", "title", |row: &ProtocolInUse| row.protocol.title.clone()),
        Column::new("questions", "questions", listed),
        Column::new("version", "version", |row: &ProtocolInUse| row.protocol.version as usize),
        Column::new("items", "items judged", |row: &ProtocolInUse| row.items),
        Column::new("judgments", "judgments", |row: &ProtocolInUse| row.judgments),
        Column::new("source", "after", |row: &ProtocolInUse| {
            Some(row.protocol.source.clone()).filter(|source| !source.is_empty())
        }),
        Column::new("hash", "fingerprint", |row: &ProtocolInUse| row.protocol.hash.to_string()).detail(),
    ];
    Table::of("What was asked", columns, asked)
        .keyed("protocols")
        .note("Judgments count that are complete and under this version of the protocol.")
}

fn who(people: &[AnnotatorPart]) -> Table {
    let kind = |row: &AnnotatorPart| match row.annotator.kind {
        AnnotatorKind::Human => "person",
        AnnotatorKind::Model => "judge (model)",
    };
    let day = |pick: fn((i64, i64)) -> i64| move |row: &AnnotatorPart| day(pick(row.times?));
    let active = |row: &AnnotatorPart| {
        if row.active > 0 { Cell::Seconds(row.active as f64 / 1_000.0) } else { Cell::Empty }
    };
    let has_files = people.iter().any(|part| part.from_files > 0);
    let columns = [
        Column::new("annotator", "annotator", |row: &AnnotatorPart| row.annotator.id.clone()),
        Column::new("kind", "kind", kind),
        Column::new("protocols", "protocols", |row: &AnnotatorPart| row.protocols),
        Column::new("judgments", "judgments", |row: &AnnotatorPart| row.judgments),
        Column::new("from_files", "from files", |row: &AnnotatorPart| row.from_files).shown_if(has_files),
        Column::new("active_seconds", "active time", active).right(),
        Column::new("first", "first", day(|(first, _)| first)).right(),
        Column::new("last", "last", day(|(_, last)| last)).right(),
    ];
    Table::of("Who judged", columns, people)
        .keyed("annotators")
        .finding(TableFinding::Annotators(people.into()))
        .noted(has_files.then_some(
            "From files: judgments that came in with a file. Nothing is known here of how they were made: in \
             which order, how blind, with which guideline.",
        ))
        .noted(
            (people.iter().any(|part| part.active > 0))
                .then_some("Active time leaves out pauses of more than two minutes; days are those of UTC."),
        )
}
