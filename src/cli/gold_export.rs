//! `haymark export --what gold`: the answer that counts for each item, and where it comes from.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

use super::args::Export;
use super::filtered;
use super::gold::{GoldBy, note};
use super::output::complain;
use super::protocols;
use crate::error::{Error, Result};
use crate::formats::atomic_file::write_atomically;
use crate::journal::{Outcome, Rule};
use crate::protocol::Protocol;
use crate::store::{GoldItem, StudyFile, Versions};
use crate::study::{AnnotatorId, ItemId, TargetKeys};

/// How gold is made and written.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Gold")]
pub struct GoldOptions {
    /// When answers count without adjudication: "all agree", or "majority of 3"; "all agree or single" takes items
    /// that one person judged
    #[arg(long, value_name = "RULE", value_parser = rule)]
    pub rule: Option<Rule>,
    /// Write the unresolved items too, without answers
    #[arg(long)]
    pub with_unresolved: bool,
    /// Count model annotators among those who have to agree
    #[arg(long)]
    pub with_judges: bool,
}

/// Reads a rule for the command line.
pub fn rule(text: &str) -> std::result::Result<Rule, String> {
    text.parse().map_err(|error: Error| error.to_string())
}

/// The forms of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum ExportFormat {
    /// One record a line
    #[default]
    Jsonl,
    /// One row an item, a column for each question; of a view a row a row
    Csv,
    /// A section a row, with its texts (views only)
    Markdown,
}

/// What counts for one item, as it is written.
#[derive(Debug, Serialize)]
struct Record<'a> {
    r#type: &'static str,
    protocol: &'a str,
    version: u32,
    collection: &'a str,
    query: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidate: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bullet: Option<u32>,
    answers: Map<String, Value>,
    source: &'static str,
    /// How many judged the item.
    annotators: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    adjudicator: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    took: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

/// Refuses arguments that only gold has a use for where none is written.
pub fn check(arguments: &Export) -> Result<()> {
    let given = &arguments.gold;
    let unused = [
        ("--rule", given.rule.is_some()),
        ("--with-unresolved", given.with_unresolved),
        ("--with-judges", given.with_judges),
    ];
    match unused.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => {
            Err(Error::usage(format!("{option} is for gold")).advise("add --what gold, or leave it out"))
        }
        None => Ok(()),
    }
}

/// Writes gold, and says on standard error where it comes from and what is left out.
pub fn run(study: &StudyFile, arguments: &Export, target: &Path) -> Result<()> {
    if arguments.format == ExportFormat::Markdown {
        return Err(Error::usage("gold has no Markdown form").advise("choose --format jsonl or csv"));
    }
    let options = &arguments.gold;
    let chosen = arguments.rows.filter.as_deref().map(|filter| filtered::items(study, filter)).transpose()?;
    let by = GoldBy::of_people(study, options.with_judges, options.rule)?;
    let mut all: Vec<(Protocol, Vec<GoldItem>)> = Vec::new();
    for protocol in protocols::named_or_all(study, arguments.requests.protocol.as_deref())? {
        let mut gold = by.read(study, &protocol, Versions::Only(protocol.version))?;
        if let Some(chosen) = &chosen {
            let mut items = study.item_keys(&protocol.name)?;
            items.retain(|(_, keys)| chosen.contains(&keys.item_key(&protocol.name)));
            let items: HashSet<ItemId> = items.into_iter().map(|(id, _)| id).collect();
            gold.retain(|gold| items.contains(&gold.item));
        }
        if !gold.is_empty() {
            all.push((protocol, gold));
        }
    }
    if all.is_empty() {
        return Err(Error::new("nobody judged anything that gold could be made of")
            .in_file(study.path())
            .advise("import or annotate first"));
    }
    let names = study.annotators()?.into_iter().map(|(id, annotator)| (id, annotator.id)).collect();
    write_atomically(target, |out| match arguments.format {
        ExportFormat::Jsonl => write_jsonl(study, &all, &names, options, out),
        // Refused above.
        ExportFormat::Csv | ExportFormat::Markdown => write_csv(study, &all, &names, options, out),
    })?;
    let unresolved = if options.with_unresolved {
        "are written without answers"
    } else {
        "are left out (--with-unresolved writes them)"
    };
    for (protocol, gold) in &all {
        complain(&format!("{}: {}", protocol.name, note(gold, by.rule, unresolved)));
    }
    Ok(())
}

type Names = std::collections::HashMap<AnnotatorId, String>;

/// Hands over what is written for each item of a protocol, in the order of the corpus.
fn for_each(
    study: &StudyFile,
    (protocol, gold): &(Protocol, Vec<GoldItem>),
    names: &Names,
    options: &GoldOptions,
    mut take: impl FnMut(&Record<'_>) -> Result<()>,
) -> Result<()> {
    for (item, keys) in study.item_keys(&protocol.name)? {
        let found = gold.binary_search_by_key(&item, |gold| gold.item).ok().and_then(|at| gold.get(at));
        let is_written = |gold: &&GoldItem| options.with_unresolved || gold.outcome != Outcome::Unresolved;
        if let Some(gold) = found.filter(is_written) {
            take(&record(protocol, gold, &keys, names))?;
        }
    }
    Ok(())
}

fn record<'a>(
    protocol: &'a Protocol,
    gold: &'a GoldItem,
    keys: &'a TargetKeys,
    names: &'a Names,
) -> Record<'a> {
    let answers = gold.answers.iter().flatten();
    let decision = gold.decision.as_ref().filter(|_| gold.outcome == Outcome::Adjudicated);
    let verdict = decision.map(|decision| &decision.verdict);
    Record {
        r#type: "gold",
        protocol: &protocol.name,
        version: protocol.version,
        collection: &keys.collection,
        query: &keys.query,
        document: keys.document.as_deref(),
        unit: keys.unit.as_deref(),
        candidate: keys.candidate.as_deref(),
        bullet: keys.bullet,
        answers: answers.map(|(question, answer)| (question.clone(), answer.to_json())).collect(),
        source: gold.outcome.name(),
        annotators: gold.raters,
        adjudicator: decision.and_then(|decision| names.get(&decision.by)).map(String::as_str),
        took: verdict.and_then(|verdict| verdict.took.as_deref()),
        reason: verdict.and_then(|verdict| verdict.reason).map(|reason| reason.name()),
        note: verdict.map(|verdict| verdict.note.as_str()).filter(|note| !note.is_empty()),
    }
}

fn unwritable(error: impl std::fmt::Display) -> Error {
    Error::new(format!("cannot be written: {error}"))
}

fn write_jsonl(
    study: &StudyFile,
    all: &[(Protocol, Vec<GoldItem>)],
    names: &Names,
    options: &GoldOptions,
    out: &mut dyn Write,
) -> Result<()> {
    for of_protocol in all {
        for_each(study, of_protocol, names, options, |record| {
            serde_json::to_writer(&mut *out, record).map_err(unwritable)?;
            out.write_all(b"\n").map_err(unwritable)
        })?;
    }
    Ok(())
}

fn write_csv(
    study: &StudyFile,
    all: &[(Protocol, Vec<GoldItem>)],
    names: &Names,
    options: &GoldOptions,
    out: &mut dyn Write,
) -> Result<()> {
    let mut questions: Vec<&str> = Vec::new();
    for question in all.iter().flat_map(|(protocol, _)| &protocol.questions) {
        if !questions.contains(&question.key.as_str()) {
            questions.push(&question.key);
        }
    }
    let mut writer = csv::Writer::from_writer(out);
    let before =
        ["protocol", "version", "collection", "query", "document", "unit", "candidate", "bullet_number"];
    let after = ["source", "annotators", "adjudicator", "took", "reason", "note"];
    writer.write_record(before.iter().chain(&questions).chain(&after)).map_err(unwritable)?;
    for of_protocol in all {
        for_each(study, of_protocol, names, options, |record| {
            let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
            let mut row = vec![
                record.protocol.to_owned(),
                record.version.to_string(),
                record.collection.to_owned(),
                record.query.to_owned(),
                text(record.document),
                text(record.unit),
                text(record.candidate),
                record.bullet.map(|bullet| bullet.to_string()).unwrap_or_default(),
            ];
            row.extend(questions.iter().map(|question| match record.answers.get(*question) {
                None => String::new(),
                Some(Value::String(text)) => text.clone(),
                Some(value) => value.to_string(),
            }));
            row.extend([record.source.to_owned(), record.annotators.to_string()]);
            row.extend([record.adjudicator, record.took, record.reason, record.note].map(text));
            writer.write_record(&row).map_err(unwritable)
        })?;
    }
    writer.flush().map_err(unwritable)
}
