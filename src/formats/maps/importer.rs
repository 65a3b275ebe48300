//! The records that a map makes of a file.

use std::collections::{BTreeMap, HashMap};

use indexmap::IndexMap;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::labels::{self, LabelJudgment};
use super::map::{CandidateBlock, DocumentBlock, ImportMap, JudgmentBlock, UnitBlock};
use super::node::as_text;
use super::path::{MapScope, ValueSpec};
use super::{container, own_rows};
use crate::error::{Error, Result};
use crate::formats::input::InputBytes;
use crate::formats::sentence;
use crate::study::{
    Annotator, AnnotatorKind, Candidate, CitedList, Collection, Document, Judgment, Meta, Place, Query,
    RankedDocument, RankedList, Record, RecordKind, Sink, Unit,
};
use crate::text::citation::citations;
use crate::text::hash::{Fingerprint, fingerprint};

/// Reads files by maps, one after the other: the records of one file are known when the next is read.
#[derive(Debug, Default)]
pub struct MapReader {
    /// The protocol of all labels, where a person named one.
    as_protocol: Option<String>,
    /// The places of the records that came in, by the fingerprint of their names.
    places: HashMap<Fingerprint, Place>,
    /// The collections that want a text for a document, by the document's id.
    wanted: HashMap<String, Vec<String>>,
    /// The labels of answers and units, by file.
    labels: Vec<FileLabels>,
}

/// The records that the first record of a file becomes.
#[derive(Debug, Clone, PartialEq)]
pub struct TriedRecord {
    pub records: Vec<Record>,
    /// Fields that are kept in `meta`.
    pub kept: Vec<String>,
    /// Fields that the map leaves out.
    pub dropped: Vec<String>,
}

/// Records that come into no study.
#[derive(Default)]
struct Collected {
    records: Vec<Record>,
}

impl Sink for Collected {
    fn take(&mut self, _: Place, record: Record) -> Result<()> {
        self.records.push(record);
        Ok(())
    }

    fn held(&mut self, kind: RecordKind, keys: [&str; 3]) -> Result<Option<Record>> {
        Ok(self.records.iter().find(|record| keys_of(record) == Some((kind, keys))).cloned())
    }

    fn remark(&mut self, _: Place, _: String) {}

    fn refuse(&mut self, place: Place, error: Error) -> Result<()> {
        Err(error.at(&place))
    }
}

/// The labels of a file.
#[derive(Debug, Clone)]
pub(super) struct FileLabels {
    pub(super) map: ImportMap,
    pub(super) judgments: Vec<LabelJudgment>,
}

/// The lists of a file: by collection, query and retriever, each document with its rank.
type ListsOfFile = IndexMap<[String; 3], IndexMap<String, (f64, RankedDocument)>>;

/// A record that is being made into records of haymark.
struct Making<'m> {
    reader: &'m mut MapReader,
    map: &'m ImportMap,
    sink: &'m mut dyn Sink,
    lists: &'m mut ListsOfFile,
    place: Place,
    /// The records that this one became so far. All of them come in, or none.
    made: Vec<Record>,
    /// Positions in `made`, by the fingerprint of the record's name.
    made_at: HashMap<Fingerprint, usize>,
    /// The largest number of a document so far, by collection.
    numbers: HashMap<String, u32>,
    ranked: Vec<([String; 3], usize)>,
    passages: Vec<ListedPassage>,
    judgments: Vec<LabelJudgment>,
    collection: Option<String>,
    query: Option<String>,
}

/// A document in somebody's list.
struct ListedPassage {
    document: Document,
    retriever: Option<String>,
    rank: Option<f64>,
    score: Option<f64>,
    /// Fields that the document has in this list and not in others.
    own: Meta,
}

/// An answer that is made, with the scope and the block that it was made from.
struct MadeAnswer<'m, 'r> {
    candidate: Candidate,
    scope: MapScope<'r>,
    block: &'m CandidateBlock,
}

impl MapReader {
    /// A reader whose labels are judgments of this protocol; without one, of the protocols that the maps name.
    pub fn new(as_protocol: Option<String>) -> MapReader {
        MapReader { as_protocol, ..MapReader::default() }
    }

    /// Reads a file, all but its labels; these wait for [`MapReader::finish`], since their protocol is known at the end.
    pub fn read(&mut self, input: &InputBytes, map: &ImportMap, sink: &mut dyn Sink) -> Result<()> {
        self.read_first(input, map, usize::MAX, sink).map(|_| ())
    }

    /// Shows what a map makes of the first record of a file.
    pub fn try_first(input: &InputBytes, map: &ImportMap) -> Result<TriedRecord> {
        let (mut reader, mut sink) = (MapReader::default(), Collected::default());
        let names = reader.read_first(input, map, 1, &mut sink)?;
        reader.finish(0, &mut sink)?;
        let meta = |record: &Record| match fields_of(record).remove("meta") {
            Some(Value::Object(meta)) => meta,
            _ => Meta::new(),
        };
        let kept = sink.records.iter().map(meta).flat_map(|meta| meta.into_iter().map(|(name, _)| name));
        let (mut kept, dropped): (Vec<String>, _) =
            (kept.collect(), names.into_iter().filter(|name| map.says.drop.contains(name)).collect());
        kept.sort_unstable();
        kept.dedup();
        Ok(TriedRecord { records: sink.records, kept, dropped })
    }

    /// Reads at most so many records; gives the names of the fields of the first.
    fn read_first(
        &mut self,
        input: &InputBytes,
        map: &ImportMap,
        most: usize,
        sink: &mut dyn Sink,
    ) -> Result<Vec<String>> {
        let (mut count, mut names) = (0, Vec::new());
        let name = input.name().file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut lists = ListsOfFile::new();
        self.labels.push(FileLabels { map: map.clone(), judgments: Vec::new() });
        let read = container::each_record(input, map, &mut |file, found| {
            let place = found.place;
            count += 1;
            let taken = found.record.and_then(|record| {
                if count == 1 {
                    names = record.names();
                }
                let scope = MapScope::of_record((file, &record), &found.star, &name, &map.says.drop);
                let making = Making {
                    reader: self,
                    map,
                    sink,
                    lists: &mut lists,
                    place: place.clone(),
                    made: Vec::new(),
                    made_at: HashMap::new(),
                    numbers: HashMap::new(),
                    ranked: Vec::new(),
                    passages: Vec::new(),
                    judgments: Vec::new(),
                    collection: None,
                    query: None,
                };
                making.record(&scope)
            });
            match taken {
                Ok(made) => made.into_iter().try_for_each(|record| {
                    sink.take(place.clone(), record).map_err(|error| error.at(&place))
                })?,
                Err(error) => sink.refuse(place.clone(), error).map_err(|error| error.at(&place))?,
            }
            Ok(count < most)
        });
        let done = read.and_then(|()| lists_of(lists, sink)).map_err(|error| error.in_file(input.name()));
        done.map(|()| names)
    }

    /// Hands over the labels of the file that was read at this place, with the protocols that they need.
    pub fn finish(&self, file: usize, sink: &mut dyn Sink) -> Result<()> {
        labels::hand_over(&self.labels, file, sink)
    }

    /// Whether the file that was read at this place has labels.
    pub fn has_labels(&self, file: usize) -> bool {
        self.labels.get(file).is_some_and(|labels| !labels.judgments.is_empty())
    }

    /// How many documents have no text yet.
    pub fn wanted(&self) -> usize {
        self.wanted.values().map(Vec::len).sum()
    }

    /// Takes from a corpus the texts that are wanted, and nothing else.
    pub fn fill(&mut self, input: &InputBytes, map: &ImportMap, sink: &mut dyn Sink) -> Result<()> {
        let read = container::each_record(input, map, &mut |file, found| {
            let (record, place) = (found.record?, found.place);
            let scope = MapScope::of_record((file, &record), "", "", &[]);
            for block in &map.says.document {
                let join = block.join.as_deref();
                let Some(id) = scope.some_text(block.id.as_ref(), join)? else { continue };
                for collection in self.wanted.remove(&id).unwrap_or_default() {
                    let held = sink.held(RecordKind::Document, [&collection, "", &id])?;
                    if let (Some(Record::Document(held)), Some(text)) =
                        (held, scope.text(block.text.as_ref(), join)?)
                    {
                        sink.take(place.clone(), Record::Document(Document { text, ..held }))?;
                    }
                }
            }
            Ok(!self.wanted.is_empty())
        });
        read.map_err(|error| error.in_file(input.name()))
    }
}

/// Hands over the lists of a file.
fn lists_of(lists: ListsOfFile, sink: &mut dyn Sink) -> Result<()> {
    for ([collection, query, retriever], mut documents) in lists {
        documents.sort_by(|_, (one, _), _, (other, _)| one.total_cmp(other));
        let documents = documents.into_values().map(|(_, document)| document).collect();
        let ranking = RankedList { collection, query, retriever, documents };
        sink.take(Place::Line(1), Record::Ranking(ranking))?;
    }
    Ok(())
}

/// The error for a missing field, by its name in the map.
fn missing(spec: Option<&ValueSpec>, name: &str, flag: &str, advice: &str) -> Error {
    let spec = spec.map_or(name, |spec| &spec.text);
    Error::new(format!("{spec} is missing or empty")).advise(format!("{advice} (--map {flag}=…)"))
}

fn meta_of(scope: &MapScope<'_>, specs: &BTreeMap<String, ValueSpec>) -> Result<Meta> {
    let mut meta = Meta::new();
    for (name, spec) in specs {
        meta.extend(scope.raw(Some(spec))?.map(|value| (name.clone(), value)));
    }
    Ok(meta)
}

/// A text of the file, for a sentence.
fn quoted(text: &str) -> String {
    format!("'{}'", sentence::one_line(text))
}

/// A short name made of the fingerprint of texts.
fn short_name(begin: &str, texts: &[&str]) -> String {
    let print = fingerprint(texts).to_string();
    format!("{begin}{}", print.get(..12).unwrap_or(&print))
}

impl<'m> Making<'m> {
    /// The records that this one becomes, each behind those that it refers to.
    fn record(mut self, scope: &MapScope<'_>) -> Result<Vec<Record>> {
        let says = &self.map.says;
        if let Some(kind) = scope.text(says.row.as_ref(), None)? {
            return Ok(vec![own_rows::record(&kind, scope.record, self.sink)?]);
        }
        let asked = says.query.as_ref();
        let mut query = Query::default();
        let mut answers = None;
        if let Some(block) = asked {
            let join = block.join.as_deref();
            query.id = scope.some_text(block.id.as_ref(), join)?.unwrap_or_default();
            query.text = scope.some_text(block.text.as_ref(), join)?.unwrap_or_default();
            query.category = scope.some_text(block.category.as_ref(), join)?;
            query.domain = scope.some_text(block.domain.as_ref(), join)?;
            query.meta = meta_of(scope, &block.meta)?;
            answers = block.answers.as_ref();
        }
        let of = &says.collection;
        let named = scope.some_text(of.id.as_ref(), None)?;
        let mut collection = Collection {
            title: scope.some_text(of.title.as_ref(), None)?,
            domain: scope.some_text(of.domain.as_ref(), None)?,
            meta: meta_of(scope, &of.meta)?,
            ..Collection::default()
        };
        if query.id.is_empty() && !query.text.is_empty() {
            query.id = fingerprint([&query.text]).to_string();
        }
        self.query = Some(query.id.clone()).filter(|id| !id.is_empty());
        self.collection = named.or_else(|| self.query.clone());
        if let Some(block) = asked.filter(|_| query.text.is_empty()) {
            let (scope, id) = (self.collection.clone().unwrap_or_default(), query.id.clone());
            if self.held(RecordKind::Query, [&scope, "", &id])?.is_none() {
                let spec = block.text.as_ref().or(block.id.as_ref());
                let which = if id.is_empty() { String::new() } else { format!(" (query {})", quoted(&id)) };
                let advice = format!(
                    "name the field with the question, or import the file with the questions first{which}"
                );
                return Err(missing(spec, "text", "question", &advice));
            }
        }
        let mut labelled = Vec::new();
        let mut has_element = false;
        for block in &says.document {
            for (inside, passage) in self.passages(scope, block)? {
                has_element |= block.each.is_none();
                labelled.push((inside, &block.judgment, passage));
            }
        }
        let shared: Vec<usize> = labelled.iter().map(|(.., passage)| *passage).collect();
        let mut made = Vec::new();
        for block in &says.candidate {
            for inside in scope.each(block.each.as_ref())? {
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
        for (inside, blocks, passage) in &labelled {
            let document = self.passages.get(*passage).map(|passage| passage.document.id.clone());
            let about = Judgment { document, ..Judgment::default() };
            blocks.iter().try_for_each(|block| self.judge(inside, block, &about))?;
        }
        for answer in &made {
            let about = Judgment { candidate: Some(answer.candidate.id.clone()), ..Judgment::default() };
            answer.block.judgment.iter().try_for_each(|block| self.judge(&answer.scope, block, &about))?;
        }
        if let Some(answers) = scope.list(answers)? {
            query.meta.insert("answers".to_owned(), answers.into());
        }
        // Fields left over go to the answer where there is one, and to the query where there are several or none.
        let rest = scope.record.left_over(&says.drop);
        let is_pattern =
            |block: &CandidateBlock| block.each.as_ref().is_some_and(|each| each.text.contains('*'));
        let mut own: Vec<&mut MadeAnswer<'_, '_>> =
            made.iter_mut().filter(|answer| !is_pattern(answer.block)).collect();
        match own.as_mut_slice() {
            [only] => only.candidate.meta.extend(rest),
            _ if !has_element => self.leave_to_query(&mut query, rest)?,
            _ => {}
        }
        if !query.text.is_empty() {
            query.collection = self.collection.clone().unwrap_or_default();
            self.add(Record::Query(query))?;
        }
        for answer in made {
            self.add(Record::Candidate(answer.candidate))?;
        }
        Ok(self.finish())
    }

    /// Keeps fields that nobody named with the query. A field that the query has otherwise from another record stays as it is.
    fn leave_to_query(&mut self, query: &mut Query, rest: Meta) -> Result<()> {
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

    /// Notes the records and their places, once everything of the record is right.
    fn finish(mut self) -> Vec<Record> {
        // In files units stand before candidates, and behind queries.
        self.made.sort_by_key(Record::kind);
        for record in &self.made {
            if let Some((kind, keys)) = keys_of(record) {
                self.reader.places.entry(print_of(kind, keys)).or_insert_with(|| self.place.clone());
            }
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
        for (list, passage) in self.ranked {
            let Some(passage) = self.passages.get(passage) else { continue };
            let held = self.lists.entry(list).or_default();
            let rank = passage.rank.unwrap_or((held.len() + 1) as f64);
            let (id, score, meta) = (passage.document.id.clone(), passage.score, passage.own.clone());
            held.entry(id.clone()).or_insert((rank, RankedDocument { document: id, score, meta }));
        }
        if let Some(labels) = self.reader.labels.last_mut() {
            labels.judgments.append(&mut self.judgments);
        }
        self.made
    }

    fn keys(&self) -> [String; 2] {
        [self.collection.clone().unwrap_or_default(), self.query.clone().unwrap_or_default()]
    }

    /// The record known under this name: made of this one, made of one before, or held by the study.
    fn held(&mut self, kind: RecordKind, keys: [&str; 3]) -> Result<Option<Record>> {
        let here = self.made_at.get(&print_of(kind, keys)).and_then(|place| self.made.get(*place));
        match here {
            Some(record) => Ok(Some(record.clone())),
            None => self.sink.held(kind, keys),
        }
    }

    fn push(&mut self, record: Record) {
        if let Some((kind, keys)) = keys_of(&record) {
            self.made_at.insert(print_of(kind, keys), self.made.len());
        }
        if let Record::Document(document) = &record {
            let last = self.numbers.entry(document.collection.clone()).or_default();
            *last = document.number.max(*last);
        }
        self.made.push(record);
    }

    /// Adds a record once. An equal record is known, a record that says more takes its place, and one that says something
    /// else is refused.
    fn add(&mut self, record: Record) -> Result<()> {
        let Some((kind, keys)) = keys_of(&record) else {
            self.push(record);
            return Ok(());
        };
        let keys = keys.map(str::to_owned);
        let keys = keys.each_ref().map(String::as_str);
        let Some(held) = self.held(kind, keys)? else {
            self.push(record);
            return Ok(());
        };
        let here = self.made_at.get(&print_of(kind, keys)).copied();
        let (merged, grew) = merged(held, &record).map_err(|part| {
            let [.., id] = keys;
            let place = if here.is_some() {
                Some(&self.place)
            } else {
                self.reader.places.get(&print_of(kind, keys))
            };
            let place = place.map_or_else(|| "in the study".to_owned(), |place| format!("at {place}"));
            let name = kind.name();
            Error::new(format!("{name} {} has another {part} {place}", quoted(id)))
                .advise(format!("give each an id of its own (--map {name}.id=…)"))
        })?;
        match here.and_then(|here| self.made.get_mut(here)) {
            Some(made) => *made = merged,
            // A record of the study is handed on once even where it did not grow, so that it is counted as known.
            None if grew || !self.reader.places.contains_key(&print_of(kind, keys)) => self.push(merged),
            None => {}
        }
        Ok(())
    }

    /// The documents of a block, by their places among those of this record.
    fn passages<'r>(
        &mut self,
        scope: &MapScope<'r>,
        block: &DocumentBlock,
    ) -> Result<Vec<(MapScope<'r>, usize)>> {
        let mut found = Vec::new();
        let join = block.join.as_deref();
        for inside in scope.each(block.each.as_ref())? {
            let id = inside.some_text(block.id.as_ref(), join)?;
            let title = inside.some_text(block.title.as_ref(), join)?;
            let text = inside.some_text(block.text.as_ref(), join)?;
            let (score, rank) = (inside.number(block.score.as_ref())?, inside.number(block.rank.as_ref())?);
            let retriever = inside.some_text(block.retriever.as_ref(), join)?;
            let mut meta = meta_of(&inside, &block.meta)?;
            let id = match (id, &text) {
                (Some(id), _) => id,
                (None, Some(text)) => short_name("d", &[title.as_deref().unwrap_or_default(), text]),
                (None, None) => {
                    let advice = "name the field with an id or the text of the document";
                    return Err(missing(block.text.as_ref(), "text", "document.text", advice));
                }
            };
            if block.each.is_some() {
                meta.extend(inside.element.left_over(&self.map.says.drop));
            }
            let [collection, _] = self.keys();
            let text = text.unwrap_or_default();
            let document = Document { collection, id, number: 0, title, text, meta };
            self.passages.push(ListedPassage { document, retriever, rank, score, own: Meta::new() });
            found.push((inside, self.passages.len() - 1));
        }
        for (_, place) in &found {
            let retriever = self.passages.get(*place).and_then(|passage| passage.retriever.clone());
            retriever.into_iter().for_each(|retriever| self.rank(retriever, *place));
        }
        Ok(found)
    }

    fn rank(&mut self, retriever: String, passage: usize) {
        let [collection, query] = self.keys();
        self.ranked.push(([collection, query, retriever], passage));
    }

    /// Adds the documents. Fields that differ from what is known of a document stand with its place in the list.
    fn take_passages(&mut self) -> Result<()> {
        for place in 0..self.passages.len() {
            let Some(passage) = self.passages.get(place) else { continue };
            let mut document = passage.document.clone();
            let (collection, id) = (document.collection.clone(), document.id.clone());
            match self.held(RecordKind::Document, [&collection, "", &id])? {
                Some(Record::Document(held)) => {
                    document.number = held.number;
                    if held.meta != document.meta
                        && let Some(passage) = self.passages.get_mut(place)
                    {
                        passage.own = std::mem::take(&mut document.meta);
                    }
                }
                _ => {
                    let last = self.numbers.get(&collection).copied().unwrap_or_default();
                    document.number = self.sink.free_number(&collection, last + 1)?;
                }
            }
            self.add(Record::Document(document))?;
        }
        Ok(())
    }

    fn answer<'r>(
        &mut self,
        (scope, block): (MapScope<'r>, &'m CandidateBlock),
        whole: &MapScope<'r>,
        shared: &[usize],
    ) -> Result<MadeAnswer<'m, 'r>> {
        let join = block.join.as_deref();
        let [collection, query] = self.keys();
        let mut candidate = Candidate { collection, query, ..Candidate::default() };
        let id = scope.some_text(block.id.as_ref(), join)?;
        let mut text = scope.text(block.text.as_ref(), join)?;
        candidate.summarizer = scope.some_text(block.summarizer.as_ref(), join)?;
        candidate.retriever = scope.some_text(block.retriever.as_ref(), join)?;
        candidate.order = scope.some_text(block.order.as_ref(), join)?;
        candidate.meta = meta_of(&scope, &block.meta)?;
        let mut own = Vec::new();
        for inner in &block.document {
            own.extend(self.passages(&scope, inner)?.into_iter().map(|(_, passage)| passage));
        }
        let list = if own.is_empty() { shared } else { &own };
        let names: Vec<String> = list
            .iter()
            .filter_map(|place| self.passages.get(*place))
            .map(|passage| passage.document.id.clone())
            .collect();
        for inner in &block.line {
            let mut lines = Vec::new();
            for line in scope.each(inner.each.as_ref())? {
                let said = line.some_text(Some(&inner.text), None)?;
                let said = said.ok_or_else(|| {
                    missing(Some(&inner.text), "text", "candidate.line.text", "correct the line")
                })?;
                let cites =
                    cites(line.raw(inner.cites.as_ref())?, block.cites_from.unwrap_or_default(), &names)?;
                lines.push(format!("{}{cites}", said.replace('\n', " ")));
            }
            text = Some(lines.join("\n")).filter(|text| !text.is_empty());
        }
        if let (Some(said), Some(start), true) =
            (&text, block.cites_from, block.line.is_empty() && !names.is_empty())
        {
            let counted = from_one(said, start, names.len());
            if counted != *said {
                candidate.meta.insert("as_given".to_owned(), said.as_str().into());
                text = Some(counted);
            }
        }
        candidate.text = text.ok_or_else(|| {
            missing(block.text.as_ref(), "text", "answer", "name the field with the answer")
        })?;
        candidate.id = id.unwrap_or_else(|| match (&candidate.retriever, &candidate.summarizer) {
            (Some(retriever), Some(summarizer)) if retriever != summarizer => {
                format!("{retriever} {summarizer}")
            }
            (Some(name), _) | (None, Some(name)) => name.clone(),
            (None, None) => short_name("a", &[&candidate.text]),
        });
        let is_counted = !block.line.is_empty() || block.cites_from.is_some();
        // An answer whose list is empty cites nothing, whatever its numbers are elsewhere.
        let mut has_list = !names.is_empty();
        for (scope, documents) in [(whole, &self.map.says.document), (&scope, &block.document)] {
            for document in documents {
                has_list |= scope.has_field(document.each.as_ref())?;
            }
        }
        candidate.cites = (has_list && is_counted).then(CitedList::default);
        let answer = scope.text(block.answer.as_ref(), None)?.filter(|answer| !answer.is_empty());
        candidate.meta.extend(answer.map(|answer| ("answer".to_owned(), answer.into())));
        if let Some(retriever) = &candidate.retriever {
            list.iter().for_each(|place| self.rank(retriever.clone(), *place));
        }
        if !std::ptr::eq(scope.element, whole.record) {
            candidate.meta.extend(scope.element.left_over(&self.map.says.drop));
        }
        Ok(MadeAnswer { candidate, scope, block })
    }

    /// The units of a block; `owner` is the answer that they were taken from, `judged` the one that their labels are about.
    fn units(
        &mut self,
        scope: &MapScope<'_>,
        block: &UnitBlock,
        owner: Option<&str>,
        judged: Option<&str>,
    ) -> Result<()> {
        let join = block.join.as_deref();
        for inside in scope.each(block.each.as_ref())? {
            let [collection, query] = self.keys();
            let id = inside.some_text(block.id.as_ref(), join)?;
            let kind = inside.some_text(Some(&block.kind), join)?.unwrap_or_default();
            let title = inside.some_text(block.title.as_ref(), join)?;
            let text = inside.some_text(Some(&block.text), join)?;
            let text = text.ok_or_else(|| {
                missing(Some(&block.text), "text", "unit.text", "name the field with the text of the unit")
            })?;
            let documents = inside.list(block.documents.as_ref())?;
            let score = inside.number(block.score.as_ref())?;
            let mut meta = meta_of(&inside, &block.meta)?;
            let id = match id {
                Some(id) => id,
                None => self.name_of_unit([&collection, &query], [&kind, &text], owner)?,
            };
            for document in documents.iter().flatten() {
                if self.held(RecordKind::Document, [&collection, "", document])?.is_none() {
                    let spec = block.documents.as_ref().map_or("documents", |spec| &spec.text);
                    let advice =
                        "correct it, or name the field with the documents' ids (--map document.id=…)";
                    return Err(Error::new(format!(
                        "{spec}: there is no document {} here",
                        quoted(document)
                    ))
                    .advise(advice));
                }
            }
            let about = Judgment {
                unit: Some(id.clone()),
                candidate: judged.map(str::to_owned),
                ..Judgment::default()
            };
            block.judgment.iter().try_for_each(|inner| self.judge(&inside, inner, &about))?;
            if block.each.is_some() {
                meta.extend(inside.element.left_over(&self.map.says.drop));
            }
            let candidate = owner.map(str::to_owned);
            let evidence = Vec::new();
            self.add(Record::Unit(Unit {
                collection,
                query,
                id,
                kind,
                candidate,
                title,
                text,
                documents,
                evidence,
                score,
                meta,
            }))?;
        }
        Ok(())
    }

    /// A name of a unit that the file does not name; another one where another answer says the same.
    fn name_of_unit(
        &mut self,
        [collection, query]: [&str; 2],
        [kind, text]: [&str; 2],
        owner: Option<&str>,
    ) -> Result<String> {
        let name = short_name("u", &[kind, text]);
        let is_of_another =
            |held: &Record| matches!(held, Record::Unit(held) if held.candidate.as_deref() != owner);
        let held = self.held(RecordKind::Unit, [collection, query, &name])?;
        Ok(match (held.filter(is_of_another), owner) {
            (Some(_), Some(owner)) => short_name("u", &[kind, text, owner]),
            _ => name,
        })
    }

    fn judge(&mut self, scope: &MapScope<'_>, block: &JudgmentBlock, about: &Judgment) -> Result<()> {
        for inside in scope.each(block.each.as_ref())? {
            let named = inside.some_text(Some(&block.protocol), None)?.unwrap_or_default();
            let annotator = inside.some_text(Some(&block.annotator), None)?;
            let is_model = inside.some_text(block.by.as_ref(), None)?.as_deref() == Some("model");
            let about_other = inside.some_text(block.candidate.as_ref(), None)?;
            let seconds = inside.number(block.seconds.as_ref())?;
            let at = inside.some_text(block.at.as_ref(), None)?.map(as_time);
            let comment = inside.some_text(block.comment.as_ref(), None)?;
            let skipped = inside.raw(block.skipped.as_ref())?;
            let skipped = skipped.is_some_and(|skipped| as_text(&skipped).eq_ignore_ascii_case("true"));
            let answers = labels::answers(&inside, block)?;
            if answers.is_empty() && !skipped {
                continue;
            }
            let annotator = annotator.ok_or_else(|| {
                let advice = "nobody is known to have judged; name the field or the person";
                missing(Some(&block.annotator), "annotator", "annotator", advice)
            })?;
            labels::check(&self.map.says.protocol, &named, &answers)?;
            let [collection, query] = [self.collection.clone(), self.query.clone()];
            let mut judgment = Judgment {
                collection,
                query,
                annotator,
                answers,
                seconds,
                at,
                comment,
                skipped,
                ..about.clone()
            };
            if let Some(candidate) = about_other {
                let mut places = self.sink.queries_of(&candidate)?;
                let (Some([collection, query]), true) = (places.pop(), places.is_empty()) else {
                    let spec = block.candidate.as_ref().map_or("candidate", |spec| &spec.text);
                    let many = if places.is_empty() { "no" } else { "more than one" };
                    let what = format!("{spec}: {many} answer is called {}", quoted(&candidate));
                    let advice =
                        "import the texts first, with this id as the answer's (--map candidate.id=…)";
                    return Err(Error::new(what).advise(advice));
                };
                (judgment.collection, judgment.query) = (Some(collection), Some(query));
                judgment.candidate = Some(candidate);
            }
            judgment.protocol = self.reader.as_protocol.clone().unwrap_or_else(|| named.clone());
            let kind = if is_model { AnnotatorKind::Model } else { AnnotatorKind::Human };
            let annotator = Annotator { id: judgment.annotator.clone(), kind, meta: Meta::new() };
            self.judgments.push(LabelJudgment { place: self.place.clone(), named, annotator, judgment });
        }
        Ok(())
    }
}

/// A time of a foreign file in whole seconds as RFC 3339, in UTC where it says no other zone; what is no time is refused when it
/// comes into the study.
fn as_time(at: String) -> String {
    let civil = || Some(at.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp());
    let time = at.parse::<Timestamp>().ok().or_else(civil);
    time.map_or(at, |time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// The citations of a line, as a group of numbers behind it: places in the list, counted from 1.
fn cites(given: Option<Value>, start: u32, names: &[String]) -> Result<String> {
    let Some(Value::Array(given)) = given else { return Ok(String::new()) };
    let place = |cited: &Value| {
        let text = as_text(cited);
        let by_name = names.iter().position(|name| *name == text);
        let by_number =
            || text.parse::<usize>().ok()?.checked_sub(start as usize).filter(|place| *place < names.len());
        by_name.or_else(by_number).map(|place| (place + 1).to_string()).ok_or_else(|| {
            let text = sentence::one_line(&text);
            Error::new(format!("a line cites {text}, but its list has {} passages", names.len()))
                .advise("correct the line or the list")
        })
    };
    let places = given.iter().map(place).collect::<Result<Vec<_>>>()?;
    Ok(if places.is_empty() { String::new() } else { format!(" [{}]", places.join(", ")) })
}

/// Renumbers an answer whose `[n]` count from `start`, so that they count from 1.
fn from_one(text: &str, start: u32, length: usize) -> String {
    let mut counted = String::with_capacity(text.len());
    let mut behind = 0;
    for citation in citations(text).into_iter().filter(|_| start != 1) {
        let number = |number: &u32| match number.checked_sub(start) {
            Some(place) if (place as usize) < length => place + 1,
            _ => *number,
        };
        let numbers: Vec<String> = citation.numbers.iter().map(|cited| number(cited).to_string()).collect();
        counted += text.get(behind..citation.span.start()).unwrap_or_default();
        counted += &format!("[{}]", numbers.join(", "));
        behind = citation.span.end();
    }
    counted + text.get(behind..).unwrap_or_default()
}

/// The kind of a record of the corpus, and what names it: collection, query and its own key.
fn keys_of(record: &Record) -> Option<(RecordKind, [&str; 3])> {
    let keys = match record {
        Record::Collection(one) => ["", "", one.id.as_str()],
        Record::Document(one) => [one.collection.as_str(), "", &one.id],
        Record::Query(one) => [one.collection.as_str(), "", &one.id],
        Record::Unit(one) => [one.collection.as_str(), &one.query, &one.id],
        Record::Candidate(one) => [one.collection.as_str(), &one.query, &one.id],
        _ => return None,
    };
    Some((record.kind(), keys))
}

fn print_of(kind: RecordKind, [collection, query, id]: [&str; 3]) -> Fingerprint {
    fingerprint([kind.name(), collection, query, id])
}

/// The parts in which two records of one name may differ, in the order in which they are told.
const PARTS: &str =
    "text kind candidate summarizer retriever order category title domain documents score meta";

/// Merges two records of one name, and tells whether the result says more than the first; or names the part in which they
/// differ.
fn merged(held: Record, new: &Record) -> std::result::Result<(Record, bool), &'static str> {
    let kind = held.kind();
    let (mut whole, mut said, mut grew) = (fields_of(&held), fields_of(new), false);
    if kind == RecordKind::Query {
        // A query that came with its id alone has the id as its text, which counts as none.
        let named = if said.get("text") == said.get("id") { &mut said } else { &mut whole };
        if named.get("text") == named.get("id") {
            named.remove("text");
        }
    }
    for name in PARTS.split(' ') {
        let called = if name == "documents" { "list of documents" } else { name };
        let is_none =
            |value: &Value| value.is_null() || value == "" || value.as_object().is_some_and(Map::is_empty);
        let (known, new) = (whole.get(name).filter(|value| !is_none(value)), said.remove(name));
        match (known, new.filter(|value| !is_none(value))) {
            // The fields of a passage stand with its place in the list.
            _ if kind == RecordKind::Document && name == "meta" => {}
            (None, None) => {}
            (Some(_), None) if name != "candidate" => {}
            (Some(known), Some(new)) if *known == new => {}
            (Some(Value::Object(known)), Some(Value::Object(new))) if kind == RecordKind::Query => {
                let mut fields = known.clone();
                for (field, value) in new {
                    match fields.get(&field) {
                        Some(known) if *known != value => return Err(called),
                        Some(_) => {}
                        None => drop(fields.insert(field, value)),
                    }
                }
                grew |= fields.len() > known.len();
                whole.insert(name.to_owned(), fields.into());
            }
            (None, Some(new)) if name != "candidate" => {
                whole.insert(name.to_owned(), new);
                grew = true;
            }
            _ => return Err(called),
        }
    }
    if !grew {
        return Ok((held, false));
    }
    kind.read(Value::Object(whole)).map(|merged| (merged, true)).map_err(|_| "form")
}

/// The fields of a record, without its type.
fn fields_of(record: &Record) -> Meta {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(record) else { return Meta::new() };
    fields.remove("type");
    fields
}
