//! The records that a map makes of a file.

mod alike;
mod blocks;
mod cited;
mod lists;
mod making;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use indexmap::IndexSet;

use self::blocks::quoted;
use self::lists::FileLists;
use self::making::Making;
use super::container;
use super::labels::{self, LabelJudgment};
use super::map::ImportMap;
use super::path::MapScope;
use crate::error::{Error, Result};
use crate::formats::input::InputBytes;
use crate::study::{Document, Place, Record, RecordKind, Sink};
use crate::text::near::nearest;

/// Reads files by maps, one after the other: the records of one file are known when the next is read.
#[derive(Debug, Default)]
pub struct MapReader {
    /// The protocol of all labels, where a person named one.
    as_protocol: Option<String>,
    /// The collections that want a text for a document, by the document's id.
    wanted: HashMap<String, Vec<String>>,
    /// The labels of answers and units, by file.
    labels: Vec<FileLabels>,
    notes: FileNotes,
    /// Whether the map could read any record of the last file.
    has_read: bool,
}

/// The free field with the text of an answer as its file has it, where its citations were counted anew.
pub const AS_GIVEN: &str = "as_given";

/// The most names of fields that are looked at, and that a sentence lists.
const NAMES: usize = 1_000;
const NAMES_LISTED: usize = 12;

/// The facts of a file that a person should know besides its records.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileNotes {
    /// Fields that the map does not name, kept in `meta` of a record.
    pub kept: BTreeSet<String>,
    /// Fields that the map does not name and that belong to no record that was made.
    pub lost: BTreeSet<String>,
    /// Questions whose labels are of a kind that no judgment holds, such as spans of a text.
    pub unread: BTreeSet<String>,
    /// Questions that the map does not name: every field that it leaves over is one.
    pub labels: BTreeSet<String>,
    /// How many items annotators skipped.
    pub skipped: usize,
    /// How many citations lead to no document, and where the first stands.
    pub astray: Option<(usize, Place)>,
    /// How many answers there are by what the `*` of their column stood for, and in how many rows.
    pub answers: BTreeMap<String, usize>,
    pub rows: usize,
}

impl FileNotes {
    /// Counts citations of a record that lead to no document.
    fn note_astray(&mut self, count: usize, place: &Place) {
        if count > 0 {
            self.astray.get_or_insert((0, place.clone())).0 += count;
        }
    }
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
        Ok(self.records.iter().find(|record| (record.kind(), record.keys()) == (kind, Some(keys))).cloned())
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
    /// The names of the questions as the file has them, by their keys.
    pub(super) prompts: HashMap<String, String>,
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
    pub fn try_first(
        input: &InputBytes,
        map: &ImportMap,
        as_protocol: Option<String>,
    ) -> Result<TriedRecord> {
        let (mut reader, mut sink) = (MapReader::new(as_protocol), Collected::default());
        let names = reader.read_first(input, map, 1, &mut sink)?;
        reader.finish(0, &mut sink)?;
        let dropped = names.into_iter().filter(|name| map.says.drop.contains(name)).collect();
        Ok(TriedRecord { records: sink.records, dropped })
    }

    /// The notes on the last file.
    pub fn notes(&self) -> &FileNotes {
        &self.notes
    }

    /// Reads at most so many records; gives the names of the fields of the first.
    fn read_first(
        &mut self,
        input: &InputBytes,
        map: &ImportMap,
        most: usize,
        sink: &mut dyn Sink,
    ) -> Result<Vec<String>> {
        let (mut count, mut names, mut all_names) = (0, Vec::new(), IndexSet::new());
        let unseen = RefCell::new(map.asked.clone());
        let name = input.name().file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut lists = FileLists::new();
        self.labels.push(FileLabels { map: map.clone(), judgments: Vec::new(), prompts: HashMap::new() });
        (self.notes, self.has_read) = (FileNotes::default(), false);
        let read = container::each_record(input, map, &mut |file, found| {
            let place = found.place;
            count += 1;
            let taken = found.record.and_then(|record| {
                if count == 1 {
                    names = record.names();
                }
                if !unseen.borrow().is_empty() && all_names.len() < NAMES {
                    all_names.extend(record.names());
                }
                let scope = MapScope::of_record((file, &record), &found.star, &name, &map.says.drop);
                let scope = scope.watching(&unseen);
                let making = Making {
                    reader: self,
                    map,
                    sink,
                    lists: &mut lists,
                    place: place.clone(),
                    made: Vec::new(),
                    made_at: HashMap::new(),
                    absent: HashSet::new(),
                    numbers: HashMap::new(),
                    ranked: Vec::new(),
                    cited: Vec::new(),
                    passages: Vec::new(),
                    judgments: Vec::new(),
                    collection: None,
                    query: None,
                };
                making.record(&scope)
            });
            if taken.is_ok() && !self.has_read {
                self.has_read = true;
                if let Some(records) = map.records() {
                    MapScope::of_record((file, file), "", "", &[]).walk(&records)?;
                }
                self.notes.lost.extend(file.left_over(&map.says.drop).into_iter().map(|(name, _)| name));
            }
            match taken {
                Ok(made) => made.into_iter().try_for_each(|record| {
                    sink.take(place.clone(), record).map_err(|error| error.at(&place))
                })?,
                Err(error) => sink.refuse(place.clone(), error).map_err(|error| error.at(&place))?,
            }
            Ok(count < most)
        });
        // Where no record was read, nothing is known of what stands inside a field.
        let has_read = self.has_read;
        let is_missing = |asked: &&String| {
            let field = field_of(asked);
            !all_names.contains(field) || has_read && asked.trim_end_matches("[]") != field
        };
        let is_meant = |()| match unseen.borrow().iter().find(is_missing) {
            Some(asked) if most == usize::MAX && count > 0 => Err(no_such_field(asked, &all_names)),
            _ => Ok(()),
        };
        let done = read.and_then(is_meant).and_then(|()| lists.hand_over(sink, &mut self.notes));
        done.map(|()| names).map_err(|error| error.in_file(input.name()))
    }

    /// Whether the map could read any record of the last file.
    pub fn has_read(&self) -> bool {
        self.has_read
    }

    /// Hands over the labels of the file that was read at this place, with the protocols that they need.
    pub fn finish(&self, file: usize, sink: &mut dyn Sink) -> Result<()> {
        labels::hand_over(&self.labels, file, sink)
    }

    /// Whether the file that was read at this place has labels.
    pub fn has_labels(&self, file: usize) -> bool {
        self.labels.get(file).is_some_and(|labels| !labels.judgments.is_empty())
    }

    /// Whether labels of the file that was read at this place are judgments under this protocol.
    pub fn judges_under(&self, file: usize, protocol: &str) -> bool {
        let labels = self.labels.get(file).into_iter().flat_map(|labels| &labels.judgments);
        labels.map(|label| &label.judgment.protocol).any(|name| name == protocol)
    }

    /// How many documents have no text yet.
    pub fn wanted(&self) -> usize {
        self.wanted.values().map(Vec::len).sum()
    }

    /// Takes from a corpus the texts that are wanted, with their titles and the fields that the map does not name.
    pub fn fill(&mut self, input: &InputBytes, map: &ImportMap, sink: &mut dyn Sink) -> Result<()> {
        self.notes = FileNotes::default();
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
                        let title = scope.some_text(block.title.as_ref(), join)?;
                        let (title, mut meta) = (held.title.clone().or(title), held.meta.clone());
                        let rest = record.left_over(&map.says.drop);
                        // What the file with the list says of a document stays alone: that it comes again must change nothing.
                        let notes = &mut self.notes;
                        let noted = if meta.is_empty() { &mut notes.kept } else { &mut notes.lost };
                        noted.extend(rest.keys().cloned());
                        if meta.is_empty() {
                            meta = rest;
                        }
                        sink.take(place.clone(), Record::Document(Document { text, title, meta, ..held }))?;
                    }
                }
            }
            Ok(!self.wanted.is_empty())
        });
        read.map_err(|error| error.in_file(input.name()))
    }
}

/// The field of a record at which a path begins.
fn field_of(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or(path)
}

/// The error for a field that somebody asked for and that no record has. It lists the fields that there are, the nearest first.
fn no_such_field(asked: &str, names: &IndexSet<String>) -> Error {
    let near = nearest(field_of(asked), names.iter().map(String::as_str));
    let others = names.iter().map(String::as_str).filter(|name| Some(*name) != near);
    let listed: Vec<String> = near.into_iter().chain(others).take(NAMES_LISTED).map(quoted).collect();
    let more = if names.len() > NAMES_LISTED { ", …" } else { "" };
    Error::usage(format!("no record has the field {}", quoted(asked)))
        .advise(format!("take one of those that there are: {}{more}", listed.join(", ")))
}
