//! `haymark revise`: records of a study get other contents under their names.

use std::collections::HashMap;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value};

use super::{Reasoned, import_by_map, open_to_decide, print};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::maps::{AS_GIVEN, MapReader};
use crate::formats::{self, FileReader, Format, InputBytes, ReadOptions};
use crate::number::number_of;
use crate::store::{RestingJudgments, Revisable, StudyFile};
use crate::study::{Act, AmendedKind, Amendment, Place, RankedList, Record, RevisedFields, Sink};
use crate::text::difference::{difference_in_brief, short};
use crate::text::width::visible;

#[derive(Debug, Args)]
pub struct Revise {
    /// The study file
    pub study: PathBuf,
    /// Haymark JSONL with the new records: documents, queries, units, candidates, annotators, each as a whole; - for standard input. Or a
    /// table such as `import` takes: what it says of the questions and answers that are there
    pub file: PathBuf,
    /// The map by which a table is read, as `import --map` has it
    #[arg(long, value_name = "MAP")]
    pub map: Option<String>,
    /// Let the records of the file say again what they came in with
    #[arg(long)]
    pub restore: bool,
    #[command(flatten)]
    pub decision: Reasoned,
}

/// The records of a file, with their places.
#[derive(Default)]
struct NewRecords(Vec<(Place, Record)>);

impl Sink for NewRecords {
    fn take(&mut self, place: Place, record: Record) -> Result<()> {
        self.0.push((place, record));
        Ok(())
    }

    fn remark(&mut self, _: Place, _: String) {}

    fn refuse(&mut self, place: Place, error: Error) -> Result<()> {
        Err(error.at(&place))
    }
}

impl NewRecords {
    /// Keeps the questions and answers of a table. Lists in the table have to be those of the study.
    fn keep_revisable(&mut self, study: &StudyFile) -> Result<()> {
        let keys = |list: &RankedList| [list.collection.clone(), list.query.clone(), list.retriever.clone()];
        let names =
            |list: RankedList| list.documents.into_iter().map(|ranked| ranked.document).collect::<Vec<_>>();
        let known: HashMap<[String; 3], Vec<String>> =
            study.rankings()?.into_iter().map(|list| (keys(&list), names(list))).collect();
        for (place, record) in &self.0 {
            let Record::Ranking(new) = record else { continue };
            if known.get(&keys(new)) != Some(&names(new.clone())) {
                let what =
                    format!("the study has other documents for {} of query {}", new.retriever, new.query);
                let advice = "a list cannot be revised: leave the documents out of the file, or import it as a system of its own";
                return Err(Error::new(what).advise(advice).at(place));
            }
        }
        self.0.retain(|(_, record)| matches!(record, Record::Query(_) | Record::Candidate(_)));
        Ok(())
    }
}

pub fn run(arguments: &Revise) -> Result<()> {
    let input = InputBytes::open(&arguments.file)?;
    let mut given = NewRecords::default();
    let mut study = open_to_decide(&arguments.study, arguments.decision.dry_run)?;
    let own = import_by_map::own_maps(Some(&study))?;
    let asked = arguments.map.as_deref();
    let map = asked.map(|asked| import_by_map::named_map(asked, &own)).transpose()?.flatten();
    let is_table = match import_by_map::reader(&input, asked, map.as_ref(), &own)? {
        FileReader::Map(map) => {
            MapReader::new(None).read(&input, &map, &mut given)?;
            given.keep_revisable(&study).map_err(|error| error.in_file(input.name()))?;
            true
        }
        FileReader::Format(_) => {
            formats::read(&input, Format::Jsonl, &ReadOptions::default(), &mut given)?;
            false
        }
    };
    let (mut amendments, mut unchanged, mut told) = (Vec::<Amendment>::new(), 0, String::new());
    for (place, new) in &given.0 {
        let at = |error: Error| match error.kind() {
            ErrorKind::Failed => error.at(place).of_file(input.name()),
            _ => error,
        };
        let there = study.revisable(new).map_err(at)?;
        let over = is_table.then(|| over(&there.shown, new)).transpose().map_err(at)?;
        let new = over.as_ref().unwrap_or(new);
        let wanted = if arguments.restore { there.original.as_ref().unwrap_or(&there.shown) } else { new };
        let (was, to) = (RevisedFields::of(&there.shown), RevisedFields::of(wanted));
        let amendment = arguments.decision.amendment(Act::Revise, there.of, &there.id)?;
        if was == to {
            unchanged += 1;
            continue;
        }
        let name = named(&there);
        let (changed, resting) = (changes(was.as_ref(), to.as_ref()), resting(&study, &there)?);
        let amendment = Amendment {
            collection: there.collection,
            query: there.query,
            to: to.filter(|_| !arguments.restore),
            ..amendment
        };
        match amendments.iter().find(|other| other.subject() == amendment.subject()) {
            // A question stands in a table with each of its answers.
            Some(other) if is_table && other.to == amendment.to => continue,
            Some(_) => {
                let what = format!("{name} stands twice in the file");
                return Err(at(Error::new(what).advise("keep the line that is right")));
            }
            None => {}
        }
        told += &format!("{name}\n{changed}{resting}");
        amendments.push(amendment);
    }
    let done = if arguments.restore { "taken back" } else { "revised" };
    if amendments.is_empty() {
        let all = number_of(unchanged, "record");
        return print(&format!("nothing is {done}: {all} in the file, and the study says the same\n"));
    }
    let amended = study.amend(&amendments, None, arguments.decision.dry_run)?;
    if unchanged > 0 {
        told += &format!("{} as in the study\n", number_of(unchanged, "record"));
    }
    let says = if amendments.len() == 1 { "says" } else { "say" };
    let many = format!("what {} {says}", number_of(amendments.len(), "record"));
    print(&(told + &arguments.decision.told(&many, done, amended)))
}

/// A record of a table over the one that is there: fields of which the table says nothing stay.
fn over(shown: &Record, new: &Record) -> Result<Record> {
    let fields = |record| match serde_json::to_value(record) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let mut whole = fields(shown);
    if let (Record::Candidate(shown), Record::Candidate(new)) = (shown, new)
        && shown.meta.contains_key(AS_GIVEN)
    {
        if new.cites.is_none() && new.text != shown.text {
            let what = "the citations of the answer were counted anew when it came in";
            return Err(Error::new(what).advise("give its documents in the file too"));
        }
        whole.get_mut("meta").and_then(Value::as_object_mut).map(|meta| meta.remove(AS_GIVEN));
    }
    for (name, value) in fields(new).into_iter().filter(|(_, value)| !value.is_null()) {
        match (whole.get_mut(&name), value) {
            (Some(Value::Object(there)), Value::Object(more)) => there.extend(more),
            (_, value) => drop(whole.insert(name, value)),
        }
    }
    whole.remove("type");
    shown.kind().read(Value::Object(whole)).map_err(|error| Error::new(error.to_string()))
}

/// Lines on judgments that rest on a document and stay as they are: a judgment of a unit is opened again by the unit's
/// own text only.
fn resting(study: &StudyFile, there: &Revisable) -> Result<String> {
    if there.of != AmendedKind::Document {
        return Ok(String::new());
    }
    let line = |one: RestingJudgments| {
        let RestingJudgments { protocol, units, judgments } = one;
        let (units, judgments) =
            (number_of(units as usize, "unit"), number_of(judgments as usize, "judgment"));
        format!("  {judgments} under {protocol} of {units} that rest on it stand: look at them again\n")
    };
    Ok(study.resting_on(&there.collection, &there.id)?.into_iter().map(line).collect())
}

/// The name of a record as people know it.
fn named(there: &Revisable) -> String {
    let parts = [&there.collection, &there.query, &there.id];
    let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).map(|part| visible(part)).collect();
    format!("{} {}", there.of.name(), parts.join(" / "))
}

/// The fields that change, a line each: a text with the words that go and come, anything else as it was and is.
fn changes(was: Option<&RevisedFields>, to: Option<&RevisedFields>) -> String {
    let (Some(RevisedFields(was)), Some(RevisedFields(to))) = (was, to) else { return String::new() };
    let new = to.keys().filter(|name| !was.contains_key(*name));
    let mut told = String::new();
    for name in was.keys().chain(new).filter(|name| was.get(*name) != to.get(*name)) {
        let change = match (was.get(name), to.get(name)) {
            (Some(Value::String(was)), Some(Value::String(to))) => difference_in_brief(was, to),
            (was, to) => format!("{} → {}", shown(was), shown(to)),
        };
        told += &format!("  {name}: {change}\n");
    }
    told
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| short(&value.to_string()))
}
