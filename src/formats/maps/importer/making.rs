//! The records that one record of a file becomes.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use super::MapReader;
use super::alike::{Difference, merged, print_of};
use super::blocks::{meta_of, missing, quoted};
use super::lists::{FileLists, ListKeys};
use crate::error::{Error, Result};
use crate::formats::maps::labels::LabelJudgment;
use crate::formats::maps::map::{CandidateBlock, ImportMap, JudgmentBlock, QueryBlock};
use crate::formats::maps::node::MapNode;
use crate::formats::maps::own_rows;
use crate::formats::maps::path::MapScope;
use crate::study::{
    Candidate, Collection, Document, Judgment, Meta, Place, Query, RankedDocument, Record, RecordKind, Sink,
};
use crate::text::hash::{Fingerprint, fingerprint};

/// A record that is being made into records of haymark.
pub(super) struct Making<'m> {
    pub(super) reader: &'m mut MapReader,
    pub(super) map: &'m ImportMap,
    pub(super) sink: &'m mut dyn Sink,
    pub(super) lists: &'m mut FileLists,
    pub(super) place: Place,
    /// The records that this one became so far. All of them come in, or none.
    pub(super) made: Vec<Record>,
    /// Positions in `made`, by the fingerprint of the record's name.
    pub(super) made_at: HashMap<Fingerprint, usize>,
    /// The fingerprints of names that are neither of this record nor of one before.
    pub(super) absent: HashSet<Fingerprint>,
    /// The largest number of a document so far, by collection.
    pub(super) numbers: HashMap<String, u32>,
    /// Passages in lists, each with the answer whose list it is, if it is an answer's own; `None` where a row has no passage.
    pub(super) ranked: Vec<(ListKeys, String, Option<usize>)>,
    /// The numbers by which answers cite their lists.
    pub(super) cited: Vec<(ListKeys, String, BTreeSet<u32>)>,
    pub(super) passages: Vec<ListedPassage>,
    pub(super) judgments: Vec<LabelJudgment>,
    pub(super) collection: Option<String>,
    pub(super) query: Option<String>,
}

/// The words of Python and pandas for no value.
const NO_VALUE: [&str; 3] = ["NaN", "nan", "None"];

/// A document in a list.
pub(super) struct ListedPassage {
    pub(super) document: Document,
    pub(super) retriever: Option<String>,
    pub(super) rank: Option<f64>,
    pub(super) score: Option<f64>,
    /// Fields that the document has in this list and not in others.
    pub(super) own: Meta,
}

/// An answer that is made, with the scope and the block that it was made from.
pub(super) struct MadeAnswer<'m, 'r> {
    pub(super) candidate: Candidate,
    pub(super) scope: MapScope<'r>,
    pub(super) block: &'m CandidateBlock,
}

impl<'m> Making<'m> {
    /// The records that this one becomes, each behind those that it refers to.
    pub(super) fn record(mut self, scope: &MapScope<'_>) -> Result<Vec<Record>> {
        let says = &self.map.says;
        if let Some(kind) = scope.text(says.row.as_ref(), None)? {
            return Ok(own_rows::record(&kind, scope.record, self.sink)?.into_iter().collect());
        }
        let asked = says.query.as_ref();
        let mut query = asked.map(|block| query_of(scope, block)).transpose()?.unwrap_or_default();
        let of = &says.collection;
        let named = scope.some_text(of.id.as_ref(), None)?;
        let mut collection = Collection {
            title: scope.some_text(of.title.as_ref(), None)?,
            domain: scope.some_text(of.domain.as_ref(), None)?,
            meta: meta_of(scope, &of.meta)?,
            ..Collection::default()
        };
        self.query = Some(query.id.clone()).filter(|id| !id.is_empty());
        self.collection = named.or_else(|| self.query.clone());
        if asked.is_none() && self.collection.is_none() && !says.document.is_empty() {
            return Err(Error::new("these are texts, and no question is known that they belong to").advise(
                "bring them in with --texts FILE behind files that name them, or say which fields are what (--map question=FIELD,answer=FIELD)",
            ));
        }
        if let Some(block) = asked.filter(|_| query.text.is_empty()) {
            self.refuse_unasked(block, &query.id)?;
        }
        let (mut labelled, mut shared) = (Vec::new(), Vec::new());
        let mut has_element = false;
        for block in &says.document {
            for found in self.passages(scope, block)? {
                shared.push(found);
                let of_row = found.filter(|_| block.each.is_none());
                has_element |= block.each.is_none();
                labelled.extend(of_row.map(|passage| (&block.judgment, passage)));
            }
        }
        let is_pattern =
            |block: &CandidateBlock| block.each.as_ref().is_some_and(|each| each.text.contains('*'));
        let (mut made, mut columns) = (Vec::new(), Vec::new());
        for block in &says.candidate {
            for inside in scope.each(block.each.as_ref())? {
                columns.extend(is_pattern(block).then(|| inside.star.to_string()));
                made.push(self.answer((inside, block), scope, &shared)?);
            }
        }
        if let Some(id) = self.collection.clone() {
            let is_of_query = Some(&id) == self.query.as_ref();
            let title = collection.title.take();
            collection.title =
                title.or_else(|| Some(query.text.clone()).filter(|text| is_of_query && !text.is_empty()));
            collection.id = id;
            self.add(Record::Collection(collection))?;
        }
        self.take_passages()?;
        let first = made.first().map(|answer| answer.candidate.id.clone());
        for block in &says.unit {
            self.units(scope, block, None, first.as_deref())?;
        }
        for answer in &made {
            let id = answer.candidate.id.as_str();
            for block in &answer.block.unit {
                self.units(&answer.scope, block, Some(id), Some(id))?;
            }
        }
        for block in &says.judgment {
            self.judge(scope, block, &Judgment::default())?;
        }
        for (blocks, passage) in labelled {
            let document = self.passages.get(passage).map(|passage| passage.document.id.clone());
            let about = Judgment { document, ..Judgment::default() };
            blocks.iter().try_for_each(|block| self.judge(scope, block, &about))?;
        }
        for answer in &mut made {
            let about = Judgment { candidate: Some(answer.candidate.id.clone()), ..Judgment::default() };
            answer.block.judgment.iter().try_for_each(|block| self.judge(&answer.scope, block, &about))?;
            if !std::ptr::eq(answer.scope.element, scope.record) {
                answer.candidate.meta.extend(self.left_over(answer.scope.element));
            }
        }
        let answers = asked.and_then(|block| block.answers.as_ref());
        let is_said = |answers: &Vec<String>| answers.iter().any(|answer| !answer.is_empty());
        if let Some(answers) = scope.list(answers)?.filter(is_said) {
            query.meta.insert("answers".to_owned(), answers.into());
        }
        // Fields left over go to the answer where there is one, and to the query where there are several or none.
        let rest = self.left_over(scope.record);
        let mut own: Vec<&mut MadeAnswer<'_, '_>> =
            made.iter_mut().filter(|answer| !is_pattern(answer.block)).collect();
        match own.as_mut_slice() {
            [only] => {
                // Of rows of a question each, a field that is another in each belongs to no answer.
                let is_again = only.block.judgment.iter().any(JudgmentBlock::is_own_question);
                let held = if is_again { self.held_answer(&only.candidate)? } else { Meta::new() };
                let is_other =
                    |name: &String, value: &Value| held.get(name).is_some_and(|known| known != value);
                for (name, value) in rest {
                    if is_other(&name, &value) {
                        self.reader.notes.lost.insert(name);
                    } else {
                        only.candidate.meta.insert(name, value);
                    }
                }
            }
            _ if !has_element => self.leave_to_query(&mut query, rest)?,
            _ => self.leave_to_lists(rest),
        }
        let notes = &mut self.reader.notes;
        notes.rows += 1;
        columns.into_iter().for_each(|column| *notes.answers.entry(column).or_default() += 1);
        if !query.text.is_empty() {
            query.collection = self.collection.clone().unwrap_or_default();
            self.add(Record::Query(query))?;
        }
        for answer in made {
            self.add(Record::Candidate(answer.candidate))?;
        }
        self.finish()
    }

    /// Refuses a row without a question where no row before it had the question either.
    fn refuse_unasked(&mut self, block: &QueryBlock, id: &str) -> Result<()> {
        let collection = self.collection.clone().unwrap_or_default();
        if self.held(RecordKind::Query, [&collection, "", id])?.is_some() {
            return Ok(());
        }
        let first = "import the file with the questions first";
        let spec = block.text.as_ref().or(block.id.as_ref());
        if !id.is_empty() && block.text.is_none() {
            return Err(Error::new(format!("there is no query {} here", quoted(id))).advise(first));
        }
        let which = if id.is_empty() { String::new() } else { format!(" (query {})", quoted(id)) };
        Err(missing(
            spec,
            "text",
            "question",
            &format!("name the field with the question, or {first}{which}"),
        ))
    }

    /// The fields of a node that the map does not name.
    pub(super) fn left_over(&mut self, node: &MapNode) -> Meta {
        let left = node.left_over(&self.map.says.drop);
        for name in left.keys() {
            if !self.reader.notes.kept.contains(name) {
                self.reader.notes.kept.insert(name.clone());
            }
        }
        left
    }

    /// The fields of an answer that came before.
    fn held_answer(&mut self, new: &Candidate) -> Result<Meta> {
        Ok(match self.held(RecordKind::Candidate, [&new.collection, &new.query, &new.id])? {
            Some(Record::Candidate(held)) => held.meta,
            _ => Meta::new(),
        })
    }

    /// Keeps the fields of a row that is a document with the document's place in a list. Where it is in no list, they are lost.
    pub(super) fn leave_to_lists(&mut self, rest: Meta) {
        match self.ranked.first().and_then(|(.., passage)| self.passages.get_mut((*passage)?)) {
            Some(passage) => passage.own.extend(rest),
            None => {
                for (name, _) in rest {
                    self.reader.notes.kept.remove(&name);
                    self.reader.notes.lost.insert(name);
                }
            }
        }
    }

    /// Keeps fields that nobody named with the query. A field for which an earlier record gave another value stays as it is.
    pub(super) fn leave_to_query(&mut self, query: &mut Query, rest: Meta) -> Result<()> {
        let collection = self.collection.clone().unwrap_or_default();
        let held = match self.held(RecordKind::Query, [&collection, "", &query.id])? {
            Some(Record::Query(held)) => held.meta,
            _ => Meta::new(),
        };
        for (name, value) in rest {
            match held.get(&name) {
                Some(known) if *known != value => {
                    let what = format!(
                        "the field {name:?} is not that of query {:?}, which came before; the first is kept",
                        query.id
                    );
                    self.sink.remark(self.place.clone(), what);
                }
                _ => {
                    query.meta.insert(name, value);
                }
            }
        }
        Ok(())
    }

    /// Notes the lists and labels, once everything of the record is right.
    pub(super) fn finish(mut self) -> Result<Vec<Record>> {
        // In files units stand before candidates, and behind queries.
        self.made.sort_by_key(Record::kind);
        for record in &self.made {
            if let Record::Document(document) = record {
                let wanting = self.reader.wanted.entry(document.id.clone()).or_default();
                wanting.retain(|collection| *collection != document.collection);
                if document.text.is_empty() {
                    wanting.push(document.collection.clone());
                } else if wanting.is_empty() {
                    self.reader.wanted.remove(&document.id);
                }
            }
        }
        for record in &self.made {
            let (id, text) = match record {
                Record::Document(document) => (&document.id, &document.text),
                Record::Candidate(candidate) => (&candidate.id, &candidate.text),
                _ => continue,
            };
            if NO_VALUE.contains(&text.as_str()) {
                let kind = record.kind().name();
                let what = format!(
                    "the whole text of {kind} {id:?} is {}, which programs write where there is no value; correct the file where it is none",
                    quoted(text)
                );
                self.sink.remark(self.place.clone(), what);
            }
        }
        for (list, answer, cites) in self.cited {
            self.lists.begin((list, answer), cites, &self.place)?;
        }
        for (list, answer, passage) in self.ranked {
            let passage = passage.and_then(|passage| self.passages.get(passage));
            let ranked = passage.map(|passage| RankedDocument {
                document: passage.document.id.clone(),
                score: passage.score,
                meta: passage.own.clone(),
            });
            let rank = passage.and_then(|passage| passage.rank);
            self.lists.add((list, answer), (rank, ranked.as_ref()), &self.place)?;
        }
        if let Some(labels) = self.reader.labels.last_mut() {
            labels.judgments.append(&mut self.judgments);
        }
        Ok(self.made)
    }

    pub(super) fn keys(&self) -> [String; 2] {
        [self.collection.clone().unwrap_or_default(), self.query.clone().unwrap_or_default()]
    }

    /// The record known under this name: made of this one, made of one before, or held by the study.
    pub(super) fn held(&mut self, kind: RecordKind, keys: [&str; 3]) -> Result<Option<Record>> {
        let print = print_of(kind, keys);
        if let Some(record) = self.made_at.get(&print).and_then(|place| self.made.get(*place)) {
            return Ok(Some(record.clone()));
        }
        if self.absent.contains(&print) {
            return Ok(None);
        }
        let held = self.sink.held(kind, keys)?;
        if held.is_none() {
            self.absent.insert(print);
        }
        Ok(held)
    }

    pub(super) fn push(&mut self, record: Record) {
        if let Some(keys) = record.keys() {
            self.made_at.insert(print_of(record.kind(), keys), self.made.len());
        }
        if let Record::Document(document) = &record {
            let last = self.numbers.entry(document.collection.clone()).or_default();
            *last = document.number.max(*last);
        }
        self.made.push(record);
    }

    /// Adds a record once. An equal record is known, a record that says more takes its place, and one that says something
    /// else is refused.
    pub(super) fn add(&mut self, record: Record) -> Result<()> {
        let kind = record.kind();
        let Some(keys) = record.keys().map(|keys| keys.map(str::to_owned)) else {
            self.push(record);
            return Ok(());
        };
        let keys = keys.each_ref().map(String::as_str);
        let Some(held) = self.held(kind, keys)? else {
            self.push(record);
            return Ok(());
        };
        let here = self.made_at.get(&print_of(kind, keys)).copied();
        let (whole, grew) = match merged(held, &record) {
            Ok(merged) => merged,
            Err(Difference { part, field }) => {
                // A file from before a revision says nothing new.
                let original = if here.is_some() { None } else { self.sink.as_it_came(kind, keys)? };
                if let Some(Ok((whole, grew))) = original.map(|original| merged(original, &record)) {
                    let said = if grew { Some(whole) } else { self.sink.held(kind, keys)? };
                    said.into_iter().for_each(|said| self.push(said));
                    return Ok(());
                }
                let came_at =
                    if here.is_some() { Some(self.place.clone()) } else { self.sink.came_at(kind, keys)? };
                let place =
                    came_at.as_ref().map_or_else(|| "in the study".to_owned(), |place| format!("at {place}"));
                let ([.., id], name) = (keys, kind.name());
                let (shown, cures) = field.map_or_else(Default::default, |(field, [known, new])| {
                    let [known, new] = [known, new].map(|value| quoted(&value));
                    let cures = format!(
                        "where a person of each row says it, call the person's column annotator; where it is of no use, \
                         leave it out (drop = [{field:?}] in a map); else "
                    );
                    let is_row = kind == RecordKind::Candidate;
                    (
                        format!(" ({field:?}: {known} there, {new} here)"),
                        Some(cures).filter(|_| is_row).unwrap_or_default(),
                    )
                });
                let advice = match came_at {
                    Some(_) => format!("{cures}give each an id of its own (--map {name}.id=…)"),
                    None => format!(
                        "{cures}where this one is right, `haymark revise` puts the record right; else give it another id (--map {name}.id=…)"
                    ),
                };
                return Err(Error::new(format!("{name} {} has another {part} {place}{shown}", quoted(id)))
                    .advise(advice));
            }
        };
        match here.and_then(|here| self.made.get_mut(here)) {
            Some(made) => *made = whole,
            // A record of the study is handed on once even where it did not grow, so that it is counted as known.
            None if grew || self.sink.came_at(kind, keys)?.is_none() => self.push(whole),
            None => {}
        }
        Ok(())
    }
}

/// The query of a row. A question without an id is named after its text, in whichever form of Unicode it came.
fn query_of(scope: &MapScope<'_>, block: &QueryBlock) -> Result<Query> {
    let join = block.join.as_deref();
    let text = scope.some_text(block.text.as_ref(), join)?.unwrap_or_default();
    let mut id = scope.some_text(block.id.as_ref(), join)?.unwrap_or_default();
    if id.is_empty() && !text.is_empty() {
        id = fingerprint([text.nfc().collect::<String>()]).to_string();
    }
    Ok(Query {
        id,
        text,
        category: scope.some_text(block.category.as_ref(), join)?,
        domain: scope.some_text(block.domain.as_ref(), join)?,
        meta: meta_of(scope, &block.meta)?,
        ..Query::default()
    })
}
