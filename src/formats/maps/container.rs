//! Files as records, one at a time: tables, JSON in its forms, lines of a form, Parquet. However large a file, what is in memory
//! is one record and what the map takes from the file besides its records.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::io::{BufRead, BufReader, Read, Seek};
use std::rc::Rc;

use regex::Regex;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::digits::{DigitsKept, digits_kept};
use super::map::ImportMap;
use super::node::{MapNode, nested};
use super::path::{MapScope, PathStep, ValueSpec};
use super::unique::{UniqueKeys, plain_values, refuse_twice};
use crate::error::{Error, Result};
use crate::formats::input::InputBytes;
use crate::formats::lines::{LONGEST, Lines};
use crate::formats::ratings::csv_rows;
use crate::formats::{buffered, json, jsonl, sentence, source, walk};
use crate::study::Place;

/// How records lie in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileShape {
    /// Rows under names of columns.
    Table(u8),
    /// Lines without names.
    Lines,
    JsonLines,
    JsonList,
    JsonObject,
    Parquet,
}

/// A record as it came, with its place and what the `*` of `records` stood for.
pub(super) struct FoundRecord {
    pub(super) place: Place,
    pub(super) star: String,
    pub(super) record: Result<MapNode>,
}

/// Takes what the file says besides its records, and a record; returns whether it wants the next.
type TakeFound<'t> = &'t mut dyn FnMut(&MapNode, FoundRecord) -> Result<bool>;

/// The most fields of an object that a sketch keeps, and the weight of a study's own maps over those that come with haymark.
const SKETCHED: usize = 1_000;

/// How records lie in a file that one of these maps may read.
fn shape_of<'m>(input: &InputBytes, maps: impl IntoIterator<Item = &'m ImportMap>) -> Result<FileShape> {
    let mut head = vec![0; source::HEAD];
    let count = source::fill(&mut input.bytes()?, &mut head)?;
    head.truncate(count);
    if head.starts_with(b"PAR1") && cfg!(feature = "parquet") {
        return Ok(FileShape::Parquet);
    }
    source::check_head(&head)?;
    let head = source::without_mark(&head);
    let text = head.trim_ascii_start();
    match text.first() {
        Some(b'[') => Ok(FileShape::JsonList),
        Some(b'{') => {
            let mut lines = Lines::new(buffered(input.bytes()?));
            let mut whole = 0;
            while let Some((_, line)) = lines.next_line()? {
                match line {
                    Ok(line) if line.trim_ascii().is_empty() => {}
                    // An object that ends on its first line, and others behind it.
                    Ok(line) if whole > 0 || serde_json::from_slice::<IgnoredAny>(line).is_ok() => whole += 1,
                    _ => break,
                }
                if whole > 1 {
                    return Ok(FileShape::JsonLines);
                }
            }
            Ok(FileShape::JsonObject)
        }
        _ => {
            let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let count = |separator: u8| memchr::memchr_iter(separator, first).count();
            let separator = [b'|', b';', b',', b'\t'].into_iter().max_by_key(|separator| count(*separator));
            let separator = separator.unwrap_or(b',');
            let is_table = count(separator) > usize::from(matches!(separator, b'\t' | b'|'));
            // A word of a form, such as Q0, is no column's name: tabs stand between words, and commas within them.
            let is_line = is_table && {
                let first = String::from_utf8_lossy(first);
                let mut forms = maps.into_iter().filter_map(|map| map.says.line.as_deref());
                forms.any(|form| words(form) > 0 && line_form(form).is_ok_and(|form| form.is_match(&first)))
            };
            Ok(if is_table && !is_line { FileShape::Table(separator) } else { FileShape::Lines })
        }
    }
}

/// How many words of its own a form of lines has beside the fields.
fn words(form: &str) -> usize {
    form.split_whitespace().filter(|word| !word.contains('{')).count()
}

/// The map that fits best: the first record has its `needs`, and no other such map needs more. The study's own maps, where the
/// record has the fields of which they make something, come before haymark's; of haymark's, two that fit alike are an error. Where the first record fits no map, or a map of a table needs more than
/// its cells, a record with the first value of each field is tried.
pub(super) fn recognised<'m>(
    input: &InputBytes,
    own: &'m [ImportMap],
    known: &'m [ImportMap],
) -> Result<&'m ImportMap> {
    let shape = shape_of(input, own.iter().chain(known))?;
    // The first record, for maps of rows; a sketch of the outermost object, for maps that say where records stand. The record
    // with the first value of each field comes second.
    let mut seen: Vec<MapNode> = Vec::new();
    if shape == FileShape::JsonObject {
        seen.push(sketch(input)?);
    } else if shape != FileShape::Lines {
        let (mut filled, mut rows) = (Value::Null, 0);
        each_of(input, shape, None, &mut |_, found| {
            match found.record {
                Ok(record) => fill(&mut filled, record.value()),
                Err(error) if rows == 0 => return Err(error.at(&found.place)),
                Err(_) => return Ok(false),
            }
            if rows == 0 {
                seen.push(MapNode::from(filled.clone()));
            }
            rows += 1;
            Ok(rows < ROWS_SEEN)
        })?;
        seen.extend((rows > 1).then(|| MapNode::from(filled)));
    }
    let fitting = |first: Option<&MapNode>| -> Result<Vec<(usize, &'m ImportMap)>> {
        let mut fits = Vec::new();
        for (is_own, map) in own.iter().map(|map| (true, map)).chain(known.iter().map(|map| (false, map))) {
            let does_fit = match (&map.says.line, first) {
                (Some(_), None) => fits_lines(input, map)?,
                (None, Some(first)) => {
                    let own = map.says.makes_of().filter(|_| is_own);
                    let needs = map.says.needs.iter().chain(own);
                    lacking(shape, first, map, needs).is_some_and(|lacking| lacking.is_empty())
                }
                _ => false,
            };
            if does_fit {
                let needs = map.says.needs.len() + map.says.line.as_deref().map_or(0, words);
                fits.push((needs + if is_own { SKETCHED } else { 0 }, map));
            }
        }
        Ok(fits)
    };
    let mut fits = fitting(seen.first())?;
    if let Some(filled) = seen.get(1).filter(|_| fits.is_empty() || matches!(shape, FileShape::Table(_))) {
        let most = fits.iter().map(|(needs, _)| *needs).max();
        fits.extend(
            fitting(Some(filled))?.into_iter().filter(|(needs, _)| most.is_none_or(|most| *needs > most)),
        );
    }
    fits.sort_by_key(|(needs, _)| std::cmp::Reverse(*needs));
    match fits.as_slice() {
        [] if seen.is_empty() && shape != FileShape::Lines => {
            Err(Error::new("there is no record in it").advise("import it when it has some"))
        }
        [] => Err(unknown(shape, seen.first(), own.iter().chain(known))),
        [(most, map), (next, other), ..] if most == next && *most < SKETCHED => {
            let what = format!("this may be {} or {}", map.name(), other.name());
            Err(Error::new(what).advise(format!("say which (--map {})", map.name())))
        }
        [(_, map), ..] => Ok(map),
    }
}

/// How many records are looked at for a value of each field: a field of the first may be empty.
const ROWS_SEEN: usize = 100;

/// Fills what is null with the values of another record.
fn fill(known: &mut Value, other: Value) {
    match (known, other) {
        (Value::Object(known), Value::Object(other)) => {
            other.into_iter().for_each(|(name, value)| fill(known.entry(name).or_insert(Value::Null), value));
        }
        (known @ Value::Null, other) => *known = other,
        _ => {}
    }
}

/// The error where no map fits, with the nearest: the map of which the record lacks the smallest share, where it has most.
fn unknown<'m>(
    shape: FileShape,
    first: Option<&MapNode>,
    maps: impl Iterator<Item = &'m ImportMap>,
) -> Error {
    let near = maps.filter_map(|map| {
        let lacking = lacking(shape, first?, map, map.says.needs.iter())?;
        (!lacking.is_empty() && 2 * lacking.len() < map.says.needs.len()).then_some((map, lacking))
    });
    let near = near.min_by_key(|(map, lacking)| 1000 * lacking.len() / map.says.needs.len());
    let near = near.map_or(String::new(), |(map, lacking)| {
        let fields: Vec<String> =
            lacking.iter().map(|field| format!("'{}'", field.text.replace(" | ", "' or '"))).collect();
        format!("; the nearest, {}, needs {} too", map.name(), fields.join(" and "))
    });
    let names = first.map(MapNode::names).unwrap_or_default();
    let names: Vec<String> =
        names.iter().take(6).map(|name| format!("'{}'", sentence::one_line(name))).collect();
    let of = if names.is_empty() { "such records".to_owned() } else { names.join(", ") };
    let ratings =
        if names.iter().any(|name| name == "'item'") { "; ratings are read by `haymark agree`" } else { "" };
    Error::new(format!("no map is known for {of}{near}"))
        .advise(format!("say which fields are what, such as --map question=FIELD,answer=FIELD{ratings}"))
}

/// The fields that a map needs and a record lacks; `None` where the record cannot be the map's.
fn lacking<'m>(
    shape: FileShape,
    first: &MapNode,
    map: &ImportMap,
    needs: impl Iterator<Item = &'m ValueSpec>,
) -> Option<Vec<&'m ValueSpec>> {
    // A tree remembers the fields that a map has named, so each map gets a new one.
    let file = MapNode::from(first.value());
    let scope = MapScope::of_record((&file, &file), "", "", &[]);
    let walked = match map.records().filter(|_| shape == FileShape::JsonObject) {
        Some(records) => match scope.walk(&records) {
            Ok(found) => found.into_iter().next().map(|(record, _)| record),
            Err(_) => None,
        },
        None => Some(&file),
    };
    let flat =
        walked.filter(|_| shape == FileShape::JsonObject && map.records().is_none()).and_then(as_columns);
    let row = flat.map(MapNode::from);
    let record = row.as_ref().or(walked)?;
    let scope = MapScope::of_record((&file, record), "", "", &[]);
    // An empty text is there as well.
    let has = |field: &ValueSpec| {
        matches!(scope.raw(Some(field)), Ok(Some(_))) || matches!(scope.text(Some(field), None), Ok(Some(_)))
    };
    let can_be =
        matches!(record.value(), Value::Object(_) | Value::Array(_)) && !map.says.lacks.iter().any(has);
    can_be.then(|| needs.filter(|field| !has(field)).collect())
}

/// The first row of an object of lists.
fn as_columns(object: &MapNode) -> Option<Value> {
    let Value::Object(columns) = object.value() else { return None };
    let first = |(name, column): (String, Value)| match column {
        Value::Array(cells) => Some((name, cells.into_iter().next()?)),
        _ => None,
    };
    columns.into_iter().map(first).collect::<Option<Map<_, _>>>().map(Value::Object)
}

fn fits_lines(input: &InputBytes, map: &ImportMap) -> Result<bool> {
    let mut fits = false;
    each_of(input, FileShape::Lines, Some(map), &mut |_, found| {
        fits = found.record.is_ok();
        Ok(false)
    })?;
    Ok(fits)
}

/// Hands over the records of a file, found where the map says.
pub(super) fn each_record(input: &InputBytes, map: &ImportMap, take: TakeFound<'_>) -> Result<()> {
    let shape = shape_of(input, [map])?;
    if (shape == FileShape::Lines) != map.says.line.is_some() {
        let what = format!("the map {} is of files of another form", map.name());
        return Err(Error::new(what).advise("leave --map out, or name another"));
    }
    each_of(input, shape, Some(map), take)
}

fn each_of(input: &InputBytes, shape: FileShape, map: Option<&ImportMap>, take: TakeFound<'_>) -> Result<()> {
    let nothing = MapNode::from(Value::Null);
    let mut hand_over = |place: Place, record: Result<Value>| {
        let record = record.and_then(flat_names).map(MapNode::from);
        take(&nothing, FoundRecord { place, star: String::new(), record })
    };
    match shape {
        FileShape::Table(separator) => csv_rows::each_row(input.bytes()?, separator, |line, row| {
            hand_over(Place::Line(line), row.and_then(nested).map(Value::Object))
        }),
        FileShape::Lines | FileShape::JsonLines => {
            let form = map
                .and_then(|map| map.says.line.as_deref())
                .map(|line| Ok::<_, Error>((line, line_form(line)?)));
            let form = form.transpose()?;
            let mut lines = Lines::new(buffered(input.bytes()?));
            while let Some((number, line)) = lines.next_text()? {
                let record = line.and_then(|line| match &form {
                    Some((text, form)) => fields_of_line(line, text, form),
                    None => {
                        let line = &digits_kept(line);
                        let read = serde_json::from_str(line).map(|UniqueKeys(record)| record);
                        read.map_err(|error| jsonl::described(line, &error))
                    }
                });
                if !hand_over(Place::Line(number), record)? {
                    break;
                }
            }
            Ok(())
        }
        FileShape::Parquet => {
            parquet_rows(input, &mut |row, record| hand_over(Place::Path(format!("row {row}")), record))
        }
        FileShape::JsonList => {
            let element = [PathStep::Each];
            stream(input, &element, &nothing, take)
        }
        FileShape::JsonObject => match map.and_then(ImportMap::records) {
            Some(records) => {
                let file = MapNode::from(beside(input, &records.steps)?);
                stream(input, &records.steps, &file, take)
            }
            None => {
                let text =
                    source::whole_text(input.bytes()?).map_err(|error| error.advise("write it as lines"))?;
                let text = digits_kept(&text);
                let UniqueKeys(whole) = json::root(&text)?.read().map_err(json::Misfit::into_error)?;
                let rows = columns(&whole)?;
                if rows.is_none() {
                    hand_over(Place::Line(1), Ok(whole))?;
                    return Ok(());
                }
                for (number, row) in (1..).zip(rows.into_iter().flatten()) {
                    if !hand_over(Place::Path(format!("row {number}")), Ok(row))? {
                        break;
                    }
                }
                Ok(())
            }
        },
    }
}

/// The rows of an object of lists, which must have one length; `None` for any other value.
fn columns(whole: &Value) -> Result<Option<Vec<Value>>> {
    let lists = whole.as_object().and_then(|columns| {
        columns.iter().map(|(name, column)| Some((name, column.as_array()?))).collect::<Option<Vec<_>>>()
    });
    let Some(lists): Option<Vec<(&String, &Vec<Value>)>> = lists.filter(|lists| !lists.is_empty()) else {
        return Ok(None);
    };
    let length = lists.first().map_or(0, |(_, cells)| cells.len());
    if let Some((name, cells)) = lists.iter().find(|(_, cells)| cells.len() != length) {
        let what = format!(
            "the lists have different lengths: {:?} has {length}, {name:?} has {}",
            lists.first().map_or("", |(name, _)| name.as_str()),
            cells.len()
        );
        return Err(Error::new(what).advise("give each column a value a row"));
    }
    let cell =
        |(name, cells): &(&String, &Vec<Value>), row: usize| Some(((*name).clone(), cells.get(row)?.clone()));
    let row = |row: usize| lists.iter().filter_map(|list| cell(list, row)).collect::<Map<_, _>>();
    Ok(Some((0..length).map(|number| Value::Object(row(number))).collect()))
}

/// Pairs of a label and its value, as Potato writes them, as an object: the values by the labels' schemas and names.
fn of_pairs(pairs: &[Value]) -> Option<Map<String, Value>> {
    let mut schemas = Map::new();
    for pair in pairs {
        let [label, value] = pair.as_array()?.as_slice() else { return None };
        let (schema, name) = (label.get("schema")?.as_str()?, label.get("name")?.as_str()?);
        let values = schemas.entry(schema).or_insert_with(|| Value::Object(Map::new()));
        values.as_object_mut()?.insert(name.to_owned(), value.clone());
    }
    Some(schemas)
}

/// A record with its dotted names read as paths.
fn flat_names(record: Value) -> Result<Value> {
    if json::depth(&record) > json::DEEPEST_FREE {
        let what = format!("lists and objects stand more than {} deep inside each other", json::DEEPEST_FREE);
        return Err(Error::new(what).advise("leave out what is not needed"));
    }
    match record {
        Value::Object(fields) if fields.keys().any(|name| name.contains('.')) => {
            nested(fields).map(Value::Object)
        }
        Value::Object(fields) => Ok(Value::Object(fields)),
        other => {
            if let Some(fields) = other.as_array().and_then(|pairs| of_pairs(pairs)) {
                return Ok(Value::Object(fields));
            }
            let what = format!("expected an object, found {}", MapNode::from(other).shown());
            Err(Error::new(what).advise("correct it"))
        }
    }
}

/// The form of lines as a regular expression: `{name}` stands for a word, the last one behind a tab for the rest of the line.
fn line_form(form: &str) -> Result<Regex> {
    let mut pattern = "^".to_owned();
    let mut rest = form;
    while let Some((before, (name, behind))) =
        rest.split_once('{').and_then(|(before, behind)| Some((before, behind.split_once('}')?)))
    {
        pattern += &regex::escape(before).replace(' ', r"[ \t]+");
        let is_rest = form.contains('\t') && !behind.contains('{');
        pattern += &format!("(?P<{name}>{})", if is_rest { ".+?" } else { r"[^ \t\r]+" });
        rest = behind;
    }
    pattern += &regex::escape(rest);
    let wrong = |_| Error::new(format!("the map is wrong: {form:?} is no form of a line"));
    Regex::new(&format!(r"{pattern}[ \t\r]*$")).map_err(wrong)
}

fn fields_of_line(line: &str, text: &str, form: &Regex) -> Result<Value> {
    let found = form
        .captures(line)
        .ok_or_else(|| Error::new(format!("this is no line of the form '{text}'")).advise("correct it"))?;
    let names = form.capture_names().flatten();
    Ok(names.filter_map(|name| Some((name.to_owned(), Value::from(found.name(name)?.as_str())))).collect())
}

#[cfg(feature = "parquet")]
fn parquet_rows(input: &InputBytes, take: &mut dyn FnMut(u64, Result<Value>) -> Result<bool>) -> Result<()> {
    crate::formats::sheet::each_parquet_row(input.bytes()?, take)
}

#[cfg(not(feature = "parquet"))]
fn parquet_rows(_: &InputBytes, _: &mut dyn FnMut(u64, Result<Value>) -> Result<bool>) -> Result<()> {
    Ok(())
}

/// A source that fails where one record is larger than the longest line that is read.
struct BoundedSource<R> {
    source: R,
    left: Rc<Cell<usize>>,
}

impl<R: Read> Read for BoundedSource<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.source.read(buffer)?;
        let left = self.left.get().checked_sub(count).ok_or_else(|| {
            let what =
                "one record is larger than 64 MiB; write it as several, or leave out what is not needed";
            std::io::Error::new(std::io::ErrorKind::InvalidData, what)
        })?;
        self.left.set(left);
        Ok(count)
    }
}

/// The work on the JSON of a file, which is never read whole.
enum JsonJob<'j> {
    /// Hands over the values at the end of the way, with what the file says besides them.
    Records(RefCell<(&'j MapNode, TakeFound<'j>)>),
    /// Keeps the values beside the way.
    Beside,
    /// Keeps the first elements of lists.
    Sketch,
}

/// A place of the JSON, and the way that leads on from it.
struct JsonWay<'w, 'j> {
    steps: &'w [PathStep],
    path: String,
    star: String,
    run: &'w JsonRun<'j>,
}

struct JsonRun<'j> {
    job: JsonJob<'j>,
    left: Rc<Cell<usize>>,
    /// Why the reading stopped before the end: nothing more was wanted, or an error.
    stopped: RefCell<Option<Result<()>>>,
}

fn stream(input: &InputBytes, steps: &[PathStep], file: &MapNode, take: TakeFound<'_>) -> Result<()> {
    run(input, steps, JsonJob::Records(RefCell::new((file, take)))).map(|_| ())
}

fn beside(input: &InputBytes, steps: &[PathStep]) -> Result<Value> {
    run(input, steps, JsonJob::Beside)
}

fn sketch(input: &InputBytes) -> Result<MapNode> {
    run(input, &[], JsonJob::Sketch).map(MapNode::from)
}

fn run(input: &InputBytes, steps: &[PathStep], job: JsonJob<'_>) -> Result<Value> {
    let mut file = input.bytes()?;
    let mut mark = [0; 3];
    let count = source::fill(&mut file, &mut mark)?;
    if source::without_mark(&mark).len() == mark.len() || count < mark.len() {
        file.rewind().map_err(|error| source::cannot_read(&error))?;
    }
    let run = JsonRun { job, left: Rc::new(Cell::new(LONGEST)), stopped: RefCell::new(None) };
    let source = BoundedSource { source: buffered(file), left: Rc::clone(&run.left) };
    let source = DigitsKept::of(BufReader::new(source));
    let mut parser = serde_json::Deserializer::from_reader(source);
    let way = JsonWay { steps, path: String::new(), star: String::new(), run: &run };
    let read = way.deserialize(&mut parser).and_then(|value| parser.end().map(|()| value));
    let stopped = run.stopped.take();
    match (stopped, read) {
        (Some(stopped), _) => stopped.map(|()| Value::Null),
        (None, Ok(value)) => Ok(value),
        (None, Err(error)) if error.is_io() => Err(source::cannot_read(&error.into())),
        (None, Err(error)) => {
            // Where the place cannot be read again, the parser's own words have to do.
            let stopped = stopped_at(input, &error).unwrap_or_default();
            Err(sentence::told(&error, error.column(), &stopped).at_line(error.line() as u64))
        }
    }
}

/// The first bytes from where the parser stopped in a file.
fn stopped_at(input: &InputBytes, error: &serde_json::Error) -> Result<Vec<u8>> {
    let cannot_read = |error| source::cannot_read(&error);
    let (mut file, mut bytes) = (buffered(input.bytes()?), Vec::new());
    for _ in 1..error.line() {
        file.skip_until(b'\n').map_err(cannot_read)?;
    }
    let before = error.column().saturating_sub(1) as u64;
    std::io::copy(&mut file.by_ref().take(before), &mut std::io::sink()).map_err(cannot_read)?;
    file.take(8).read_to_end(&mut bytes).map_err(cannot_read)?;
    Ok(bytes)
}

impl<'w, 'j> JsonWay<'w, 'j> {
    fn on(&self, path: String, star: String) -> JsonWay<'w, 'j> {
        JsonWay { steps: self.steps.get(1..).unwrap_or_default(), path, star, run: self.run }
    }

    fn is_beside(&self) -> bool {
        !matches!(self.run.job, JsonJob::Records(_))
    }

    /// Whether the way goes through this field.
    fn enters(&self, name: &str) -> bool {
        match (&self.run.job, self.steps.first()) {
            (JsonJob::Sketch, _) => true,
            (_, Some(PathStep::Field(field))) => field == "*" || field == name,
            _ => false,
        }
    }
}

impl<'de> DeserializeSeed<'de> for JsonWay<'_, '_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> std::result::Result<Value, D::Error> {
        self.run.left.set(LONGEST);
        match &self.run.job {
            JsonJob::Records(job) if self.steps.is_empty() => {
                let UniqueKeys(record) = serde::Deserialize::deserialize(parser)?;
                let is_whole_list = record.is_array() && !self.path.is_empty() && !self.path.ends_with(']');
                let record = flat_names(record).map(MapNode::from).map_err(|error| match is_whole_list {
                    true => error.advise(format!(
                        "where its elements are the records, the map says records = \"{}[]\"",
                        self.path
                    )),
                    false => error,
                });
                let (file, take) = &mut *job.borrow_mut();
                let stopped = match take(
                    file,
                    FoundRecord { place: Place::Path(self.path), star: self.star, record },
                ) {
                    Ok(true) => return Ok(Value::Null),
                    Ok(false) => Ok(()),
                    Err(error) => Err(error),
                };
                *self.run.stopped.borrow_mut() = Some(stopped);
                Err(serde::de::Error::custom("stopped"))
            }
            JsonJob::Beside if self.steps.is_empty() => {
                parser.deserialize_ignored_any(IgnoredAny).map(|_| Value::Null)
            }
            _ => parser.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for JsonWay<'_, '_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Value, A::Error> {
        let mut kept = Vec::new();
        let is_sketch = matches!(self.run.job, JsonJob::Sketch);
        let is_way = self.steps.first() == Some(&PathStep::Each);
        for number in 0_usize.. {
            let more = if is_sketch && number > 0 || !(is_sketch || is_way || self.is_beside()) {
                list.next_element::<IgnoredAny>()?.map(|_| ())
            } else if is_sketch || is_way {
                let element =
                    list.next_element_seed(self.on(format!("{}[{number}]", self.path), self.star.clone()))?;
                element.map(|element| kept.extend(Some(element).filter(|_| is_sketch)))
            } else {
                list.next_element()?.map(|element| kept.push(element))
            };
            if more.is_none() {
                break;
            }
        }
        Ok(Value::Array(kept))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> std::result::Result<Value, A::Error> {
        let mut kept = Map::new();
        while let Some(name) = object.next_key::<String>()? {
            refuse_twice(&kept, &name)?;
            if self.enters(&name) && kept.len() < SKETCHED {
                let is_star = self.steps.first() == Some(&PathStep::Field("*".to_owned()));
                let star = if is_star { name.clone() } else { self.star.clone() };
                let value = object.next_value_seed(self.on(walk::entry(&self.path, &name), star))?;
                if self.is_beside() {
                    kept.insert(name, value);
                }
            } else if self.is_beside() && kept.len() < SKETCHED {
                let UniqueKeys(value) = object.next_value()?;
                kept.insert(name, value);
            } else {
                object.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Value::Object(kept))
    }

    plain_values!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_unit<E>(self) -> std::result::Result<Value, E> {
        Ok(Value::Null)
    }
}
