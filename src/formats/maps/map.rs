//! A map: which fields of a foreign file become which records. Its blocks are haymark's records, and their keys are the records'
//! fields; what stands inside another block belongs to it.

use std::collections::{BTreeMap, HashSet};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use toml::{Table, Value};

use super::path::{FieldPath, ValueSpec, path};
use crate::error::{Error, Result};

/// A map with its text.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportMap {
    /// The TOML.
    pub text: String,
    pub(super) says: MapFile,
    /// Values that a person asked for by `NAME=PATH`, as she wrote them. A file without one of them is not what she meant.
    pub(super) asked: Vec<String>,
}

type MetaSpecs = BTreeMap<String, ValueSpec>;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MapFile {
    pub(super) name: String,
    /// The kind of file that the map reads, and where its shape is described: for people.
    #[serde(default)]
    pub(super) about: String,
    #[serde(default, rename = "source")]
    _source: String,
    /// Where the records stand in a JSON file.
    records: Option<String>,
    /// The form of a line, for files without names of columns.
    pub(super) line: Option<String>,
    /// The kind of record of haymark's own that each row is, in tables that haymark wrote.
    pub(super) row: Option<ValueSpec>,
    /// Fields that the first record has in all such files.
    #[serde(default)]
    pub(super) needs: Vec<ValueSpec>,
    /// Fields that the first record has in no such file.
    #[serde(default)]
    pub(super) lacks: Vec<ValueSpec>,
    /// Fields that are not kept.
    #[serde(default)]
    pub(super) drop: Vec<String>,
    #[serde(default)]
    pub(super) collection: CollectionBlock,
    pub(super) query: Option<QueryBlock>,
    #[serde(default, deserialize_with = "one_or_more")]
    pub(super) document: Vec<DocumentBlock>,
    #[serde(default, deserialize_with = "one_or_more")]
    pub(super) candidate: Vec<CandidateBlock>,
    #[serde(default, deserialize_with = "one_or_more")]
    pub(super) unit: Vec<UnitBlock>,
    #[serde(default, deserialize_with = "one_or_more")]
    pub(super) judgment: Vec<JudgmentBlock>,
    /// Protocols for labels of the file, by their names.
    #[serde(default)]
    pub(super) protocol: BTreeMap<String, LabelProtocol>,
}

impl MapFile {
    /// Names the lists of answers that the map gives no retriever: what a record lists is what its answer was made from. The list
    /// has the name of the system, or of the file.
    fn name_lists(&mut self) -> Result<()> {
        for answer in &mut self.candidate {
            let mut lists = self.document.iter().chain(&answer.document).peekable();
            let is_unnamed = lists.peek().is_some() && lists.all(|list| list.retriever.is_none());
            if answer.retriever.is_none() && is_unnamed {
                let file = ValueSpec::try_from("@file".to_owned()).map_err(Error::new)?;
                answer.list = Some(answer.summarizer.clone().unwrap_or(file));
            }
        }
        Ok(())
    }

    /// The fields without which the map makes nothing of a record: those of the question, of an answer, and of the document that a
    /// record is.
    pub(super) fn makes_of(&self) -> impl Iterator<Item = &ValueSpec> {
        let blocks = self.query.iter().map(|query| [query.text.as_ref(), query.id.as_ref()]);
        let answers = self.candidate.iter().filter(|answer| answer.each.is_none());
        let blocks = blocks.chain(answers.map(|answer| [answer.text.as_ref(), None]));
        let documents = self.document.iter().filter(|document| document.each.is_none());
        let blocks = blocks.chain(documents.map(|document| [document.id.as_ref(), document.text.as_ref()]));
        blocks.filter_map(|fields| fields.into_iter().flatten().find(|field| field.is_of_fields()))
    }
}

#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct CollectionBlock {
    pub(super) id: Option<ValueSpec>,
    pub(super) title: Option<ValueSpec>,
    pub(super) domain: Option<ValueSpec>,
    pub(super) meta: MetaSpecs,
}

#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct QueryBlock {
    pub(super) id: Option<ValueSpec>,
    pub(super) text: Option<ValueSpec>,
    pub(super) category: Option<ValueSpec>,
    pub(super) domain: Option<ValueSpec>,
    /// Gold answers, which are kept in `meta`.
    pub(super) answers: Option<ValueSpec>,
    pub(super) meta: MetaSpecs,
    pub(super) join: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct DocumentBlock {
    pub(super) each: Option<ValueSpec>,
    pub(super) id: Option<ValueSpec>,
    pub(super) title: Option<ValueSpec>,
    pub(super) text: Option<ValueSpec>,
    pub(super) score: Option<ValueSpec>,
    pub(super) rank: Option<ValueSpec>,
    /// The retriever in whose list the document stands.
    pub(super) retriever: Option<ValueSpec>,
    pub(super) meta: MetaSpecs,
    pub(super) join: Option<String>,
    #[serde(deserialize_with = "one_or_more")]
    pub(super) judgment: Vec<JudgmentBlock>,
}

#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct CandidateBlock {
    pub(super) each: Option<ValueSpec>,
    pub(super) id: Option<ValueSpec>,
    pub(super) text: Option<ValueSpec>,
    pub(super) summarizer: Option<ValueSpec>,
    pub(super) retriever: Option<ValueSpec>,
    pub(super) order: Option<ValueSpec>,
    /// The short answer beside it, which is kept in `meta`.
    pub(super) answer: Option<ValueSpec>,
    /// The number by which `[n]` cites the first of the answer's own passages.
    pub(super) cites_from: Option<u32>,
    pub(super) meta: MetaSpecs,
    pub(super) join: Option<String>,
    /// The name of the answer's list where a record has one and the map gives it no retriever.
    #[serde(skip)]
    pub(super) list: Option<ValueSpec>,
    /// The answer's own passages.
    #[serde(deserialize_with = "one_or_more")]
    pub(super) document: Vec<DocumentBlock>,
    /// The answer's bullets, where they stand apart.
    #[serde(deserialize_with = "one_or_more")]
    pub(super) line: Vec<LineBlock>,
    #[serde(deserialize_with = "one_or_more")]
    pub(super) unit: Vec<UnitBlock>,
    #[serde(deserialize_with = "one_or_more")]
    pub(super) judgment: Vec<JudgmentBlock>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LineBlock {
    pub(super) each: Option<ValueSpec>,
    pub(super) text: ValueSpec,
    /// Places in the answer's own list, or names of documents.
    pub(super) cites: Option<ValueSpec>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnitBlock {
    pub(super) each: Option<ValueSpec>,
    pub(super) id: Option<ValueSpec>,
    pub(super) kind: ValueSpec,
    pub(super) title: Option<ValueSpec>,
    pub(super) text: ValueSpec,
    pub(super) documents: Option<ValueSpec>,
    pub(super) score: Option<ValueSpec>,
    #[serde(default)]
    pub(super) meta: MetaSpecs,
    pub(super) join: Option<String>,
    #[serde(default, deserialize_with = "one_or_more")]
    pub(super) judgment: Vec<JudgmentBlock>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JudgmentBlock {
    pub(super) each: Option<ValueSpec>,
    pub(super) protocol: ValueSpec,
    pub(super) annotator: ValueSpec,
    /// The kind of annotator: `model` or `EVAL` for a judge.
    pub(super) by: Option<ValueSpec>,
    /// An answer that came in before, by its id.
    pub(super) candidate: Option<ValueSpec>,
    pub(super) seconds: Option<ValueSpec>,
    pub(super) at: Option<ValueSpec>,
    pub(super) comment: Option<ValueSpec>,
    pub(super) skipped: Option<ValueSpec>,
    /// Questions with their values; or `each`, `key` and `value`, where the file names the questions.
    pub(super) answers: BTreeMap<String, ValueSpec>,
    /// Labels of the file as answers of the protocol.
    #[serde(default)]
    pub(super) words: BTreeMap<String, String>,
}

impl JudgmentBlock {
    /// Whether a row answers one question, which it names.
    pub(super) fn is_own_question(&self) -> bool {
        self.answers.get("each").is_some_and(|each| each.text == ".")
    }
}

#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct LabelProtocol {
    pub(super) title: Option<String>,
    pub(super) source: Option<String>,
    pub(super) target: Vec<String>,
    pub(super) units: Vec<String>,
    pub(super) choices: BTreeMap<String, LabelChoices>,
}

/// Labels in their order, or with scores.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub(super) enum LabelChoices {
    Plain(Vec<String>),
    Scored(BTreeMap<String, f64>),
}

/// A block that stands once or more often.
fn one_or_more<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    parser: D,
) -> std::result::Result<Vec<T>, D::Error> {
    let blocks = match Value::deserialize(parser)? {
        Value::Array(blocks) => blocks,
        one => vec![one],
    };
    blocks.into_iter().map(|block| block.try_into().map_err(serde::de::Error::custom)).collect()
}

/// Short names of `--map NAME=PATH`.
const SHORT: [(&str, &str, &str); 10] = [
    ("question", "query", "text"),
    ("id", "query", "id"),
    ("gold", "query", "answers"),
    ("category", "query", "category"),
    ("domain", "query", "domain"),
    ("answer", "candidate", "text"),
    ("system", "candidate", "summarizer"),
    ("retriever", "candidate", "retriever"),
    ("documents", "document", "each"),
    ("cites", "candidate", "cites_from"),
];

/// The text of a document in a list, where flags alone say what a file holds.
const PASSAGE: &str = "text = '. | text | segment | contents | content'";

impl ImportMap {
    /// Reads a map.
    pub fn parse(text: &str) -> Result<ImportMap> {
        let says: MapFile = toml::from_str(text).map_err(|error| {
            let what = Error::new(format!("the map is wrong: {}", error.message().trim().replace('\n', " ")));
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map_or(1, |before| before.matches('\n').count() as u64 + 1);
            what.at_line(line).advise("correct it; `docs/formats.md` says what a map may hold")
        })?;
        let mut map = ImportMap { text: text.to_owned(), says, asked: Vec::new() };
        map.says.name_lists()?;
        if map.says.records.is_some() && map.records().is_none() {
            return Err(Error::new("the map is wrong: \"records\" is no path"));
        }
        Ok(map)
    }

    /// The name by which the map is asked for.
    pub fn name(&self) -> &str {
        &self.says.name
    }

    /// The kind of file that the map reads.
    pub fn about(&self) -> &str {
        &self.says.about
    }

    /// The way to the records of a JSON file.
    pub(super) fn records(&self) -> Option<FieldPath> {
        self.says.records.as_deref().and_then(path)
    }

    /// Whether the map makes documents alone, and the fields of `NAME=PATH,…` say that its texts are something else: both question
    /// and answer, or one of them in the field with the document's text.
    fn is_of_other_texts(&self, flags: &str) -> bool {
        let said = [["question", "query.text"], ["answer", "candidate.text"]].map(|names| {
            let mut flags = flags.split(',').filter_map(|flag| flag.split_once('='));
            flags.find(|(name, _)| names.contains(name)).map(|(_, path)| path)
        });
        let texts = || self.says.document.iter().filter_map(|block| block.text.as_ref());
        let is_text = |path: &str| texts().any(|text| text.text.split(" | ").any(|way| way == path));
        let makes_documents_alone = self.says.query.is_none() && self.says.candidate.is_empty();
        makes_documents_alone && (said.iter().all(Option::is_some) || said.into_iter().flatten().any(is_text))
    }

    /// The map with the fields of `NAME=PATH,…` in the place of its own; without a map, those fields alone.
    pub fn with_flags(map: Option<&ImportMap>, flags: &str) -> Result<ImportMap> {
        // Rows that are records are read without a map's fields.
        let map = map.filter(|map| map.says.row.is_none() && !map.is_of_other_texts(flags));
        let alone = || Table::from_iter([("name".to_owned(), flags.into())]);
        let mut table: Table =
            map.map_or_else(|| Ok(alone()), |map| map.text.parse()).map_err(|_| unusable())?;
        let (mut needs, mut asked, mut said) = (Vec::new(), Vec::new(), HashSet::new());
        let made_candidate = !table.contains_key("candidate");
        for flag in flags.split(',') {
            let refused = || {
                let names: Vec<&str> = SHORT.iter().map(|(name, ..)| *name).collect();
                Error::usage(format!("--map {flag:?} is no field of a record"))
                    .advise(format!("write FIELD=PATH; short names are {}", names.join(", ")))
            };
            let (name, value) = flag.split_once('=').ok_or_else(refused)?;
            let short =
                SHORT.iter().find(|(short, ..)| *short == name).map(|(_, block, field)| (*block, *field));
            let (block, field) = short.or_else(|| name.split_once('.')).ok_or_else(refused)?;
            let is_single = ["query", "collection"].contains(&block);
            // Passages of each answer of a row stand with the answer.
            let is_of_answer = block == "document" && !table.contains_key("document");
            let of_answer = table.get_mut("candidate").filter(|_| is_of_answer);
            let of_answer = of_answer.and_then(|all| all.get_mut(0)?.get_mut("document")?.get_mut(0));
            if let (Some(inner), "each") = (of_answer.and_then(Value::as_table_mut), field) {
                let from_row = if value.starts_with('/') { value.to_owned() } else { format!("/{value}") };
                inner.insert("each".to_owned(), from_row.into());
                asked.push(format!("/{value}"));
                continue;
            }
            let blocks = table.entry(block).or_insert_with(|| match is_single {
                true => Value::Table(Table::new()),
                false if block == "document" => {
                    Value::Array(vec![Value::Table(PASSAGE.parse().unwrap_or_default())])
                }
                false => Value::Array(vec![Value::Table(Table::new())]),
            });
            let inner =
                if is_single { Some(blocks) } else { blocks.as_array_mut().and_then(|all| all.first_mut()) };
            let inner = inner.and_then(Value::as_table_mut).ok_or_else(refused)?;
            let value = match field {
                "cites_from" => Value::Integer(value.parse().map_err(|_| refused())?),
                "each" if !value.contains(['[', '*']) => format!("{value}[]").into(),
                _ => value.into(),
            };
            let path = ValueSpec::try_from(value.as_str().unwrap_or(".").to_owned()).map_err(Error::usage)?;
            asked.extend(Some(&path.text).filter(|_| path.is_of_fields()).cloned());
            needs.extend(
                Some(path.text.replace("[]", "")).filter(|text| !text.starts_with(['@', '\'', '.', '{'])),
            );
            if !said.insert((block, field)) {
                let what = format!("--map says twice what {name} is");
                return Err(
                    Error::usage(what).advise("say it once; \"A | B\" is the first of both that is there")
                );
            }
            inner.insert(field.to_owned(), value);
        }
        // An answer without a system has its field as the system where the file is known, else the file's name. It cites
        // from its own list. Where a field says the system, a file of another name brings the same systems.
        let made = table.get_mut("candidate").and_then(Value::as_array_mut);
        if let Some(made) = made.and_then(|all| all.first_mut()?.as_table_mut()) {
            let is_asked = |name: &str| flags.split(',').any(|flag| flag.starts_with(&format!("{name}=")));
            let system =
                made.get("summarizer").cloned().filter(|_| is_asked("system") && !is_asked("retriever"));
            let is_of_file =
                made.get("retriever").is_none_or(|retriever| retriever.as_str() == Some("@file"));
            if let Some(system) = system.filter(|_| is_of_file) {
                made.insert("retriever".to_owned(), system);
            }
            if made_candidate {
                let field = made.get("text").and_then(Value::as_str).filter(|_| map.is_some());
                let field = field.and_then(|field| field.split(" | ").next());
                let system = field.map_or_else(|| "@file".to_owned(), |field| format!("'{field}'"));
                made.entry("summarizer").or_insert_with(|| system.into());
                made.entry("retriever").or_insert_with(|| "@file".into());
                made.entry("cites_from").or_insert(Value::Integer(1));
            }
        }
        if map.is_none() {
            table.insert("needs".to_owned(), Value::Array(needs.into_iter().map(Value::from).collect()));
        } else {
            table.insert("name".to_owned(), format!("{} {flags}", map.map_or("", ImportMap::name)).into());
        }
        let text = toml::to_string(&table).map_err(|_| unusable())?;
        // This text was made here, so the number of a line in it helps nobody.
        let map = ImportMap::parse(&text)
            .map_err(|error| Error::usage(error.what().replacen("the map", "--map", 1)))?;
        Ok(ImportMap { asked, ..map })
    }
}

fn unusable() -> Error {
    Error::usage("the flags of --map make no map").advise("write the map as a file")
}
