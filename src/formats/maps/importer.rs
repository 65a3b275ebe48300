//! The records that a map makes of a file.

mod alike;
mod blocks;
mod making;

use std::collections::{BTreeSet, HashMap};

use indexmap::IndexMap;

use self::alike::keys_of;
use self::making::Making;
use super::container;
use super::labels::{self, LabelJudgment};
use super::map::ImportMap;
use super::path::MapScope;
use crate::error::{Error, Result};
use crate::formats::input::InputBytes;
use crate::study::{Document, Place, RankedDocument, RankedList, Record, RecordKind, Sink};
use crate::text::hash::Fingerprint;

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
    /// The fields of the last file that its map does not name.
    unnamed: UnnamedFields,
}

/// The fields of a file that its map does not name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UnnamedFields {
    /// Those kept in `meta` of a record.
    pub kept: BTreeSet<String>,
    /// Those that belong to no record that was made.
    pub lost: BTreeSet<String>,
}

/// The records that the first record of a file becomes.
#[derive(Debug, Clone, PartialEq)]
pub struct TriedRecord {
    pub records: Vec<Record>,
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
        let dropped = names.into_iter().filter(|name| map.says.drop.contains(name)).collect();
        Ok(TriedRecord { records: sink.records, dropped })
    }

    /// The fields of the file that was read last which its map does not name.
    pub fn unnamed(&self) -> &UnnamedFields {
        &self.unnamed
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
        self.unnamed = UnnamedFields::default();
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
