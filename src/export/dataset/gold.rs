//! Gold: the answer that counts for each item, and where it comes from.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;

use super::{ExportWritten, answer_cell, key_cells, key_columns, own_columns, sheet_format, with_answers};
use crate::error::{Error, Result, cannot_write};
use crate::export::asked::Export;
use crate::export::privacy::Privacy;
use crate::files::write_atomically;
use crate::formats::sheet::{Sheet, SheetColumn, SheetFormat};
use crate::journal::{ConsensusRule, Outcome};
use crate::protocol::{Protocol, QuestionKind, TargetPart};
use crate::report::{GoldBy, first_step, note, protocols, warning};
use crate::store::{GoldItem, StudyFile, VersionsRead};
use crate::study::{AnnotatorId, TargetKeys};

/// How gold is made and written.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Gold")]
pub struct GoldOptions {
    /// When answers count without adjudication: "all agree", or "majority of 3"; "all agree or single" takes items
    /// that one person judged
    #[arg(long, value_name = "RULE", value_parser = rule)]
    pub rule: Option<ConsensusRule>,
    /// Write the unresolved items too, without answers
    #[arg(long)]
    pub with_unresolved: bool,
    /// Count model annotators among those who have to agree
    #[arg(long)]
    pub with_judges: bool,
}

/// Reads a rule for the command line.
pub fn rule(text: &str) -> std::result::Result<ConsensusRule, String> {
    text.parse().map_err(|error: Error| error.to_string())
}

/// The gold of one item, as a record.
#[skip_serializing_none]
#[derive(Debug, Serialize)]
struct GoldRecord<'a> {
    r#type: &'static str,
    protocol: &'a str,
    version: u32,
    collection: &'a str,
    query: &'a str,
    document: Option<&'a str>,
    unit: Option<&'a str>,
    candidate: Option<&'a str>,
    bullet: Option<u32>,
    other: Option<&'a str>,
    answers: Map<String, Value>,
    source: &'static str,
    /// Number of annotators who judged the item.
    annotators: usize,
    adjudicator: Option<String>,
    took: Option<String>,
    reason: Option<&'static str>,
    note: Option<&'a str>,
}

/// The gold to write, and what may be told of it.
struct GoldToWrite<'a> {
    study: &'a StudyFile,
    all: Vec<(Protocol, Vec<GoldItem>)>,
    names: HashMap<AnnotatorId, String>,
    options: &'a GoldOptions,
    privacy: &'a Privacy,
}

/// Writes gold; the notes say where it comes from and what is left out.
pub fn run(study: &StudyFile, arguments: &Export, privacy: &Privacy, target: &Path) -> Result<ExportWritten> {
    let options = &arguments.gold;
    let by = GoldBy::of_named(study, &arguments.dataset.annotators, options.with_judges, options.rule)?;
    let chosen = arguments.chosen(study)?;
    let mut all: Vec<(Protocol, Vec<GoldItem>)> = Vec::new();
    for protocol in protocols::named_or_all(study, arguments.requests.protocol.as_deref())? {
        let mut gold = by.read(study, &protocol, VersionsRead::Only(protocol.version))?;
        if let Some(chosen) = chosen.items_of(study, &protocol.name)? {
            gold.retain(|gold| chosen.contains(&gold.item));
        }
        if !gold.is_empty() {
            all.push((protocol, gold));
        }
    }
    if all.is_empty() {
        return Err(Error::nothing("nobody judged anything that gold could be made of")
            .in_file(study.path())
            .advise(first_step(study, &[])));
    }
    let names = study.annotators()?.into_iter().map(|(id, annotator)| (id, annotator.id)).collect();
    let scene = GoldToWrite { study, all, names, options, privacy };
    let (mut rows, columns) = (0, scene.columns());
    write_atomically(target, Some(study.path()), |out| {
        rows = match sheet_format(arguments) {
            SheetFormat::Jsonl => write_jsonl(&scene, out)?,
            format => write_sheet(&scene, format, columns.clone(), out)?,
        };
        Ok(())
    })?;
    let unresolved = if options.with_unresolved {
        "are written without answers"
    } else {
        "are left out (--with-unresolved writes them)"
    };
    let notes = scene.all.iter().flat_map(|(protocol, gold)| {
        let notes = [Some(note(gold, by.rule, unresolved)), warning(gold, by.rule)];
        notes.into_iter().flatten().map(|note| format!("{}: {note}", protocol.name))
    });
    Ok(ExportWritten { rows, columns, what: "items", notes: notes.collect() })
}

impl GoldToWrite<'_> {
    /// The questions whose answers may be told.
    fn questions(&self) -> Vec<&str> {
        let mut questions: Vec<&str> = Vec::new();
        for (protocol, _) in &self.all {
            // The side that was shown first is an annotator's own: gold has none.
            for question in protocol.questions.iter().filter(|one| one.kind != QuestionKind::Side) {
                let is_told = self.privacy.tells(&protocol.name, &question.key);
                if is_told && !questions.contains(&question.key.as_str()) {
                    questions.push(&question.key);
                }
            }
        }
        questions
    }

    fn has_pairs(&self) -> bool {
        self.all.iter().any(|(protocol, _)| protocol.targets(TargetPart::Pair))
    }

    fn columns(&self) -> Vec<SheetColumn> {
        let mut before = own_columns(["protocol", "version"]);
        before.extend(key_columns(self.has_pairs()));
        let after = own_columns(["source", "annotators", "adjudicator", "took", "reason", "note"]);
        with_answers(before, self.questions(), after)
    }

    /// Hands over the record of each item of a protocol, in the order of the corpus.
    fn for_each(
        &self,
        (protocol, gold): &(Protocol, Vec<GoldItem>),
        mut take: impl FnMut(&GoldRecord<'_>, &TargetKeys) -> Result<()>,
    ) -> Result<()> {
        for (item, keys) in self.study.item_keys(&protocol.name)? {
            let found = gold.binary_search_by_key(&item, |gold| gold.item).ok().and_then(|at| gold.get(at));
            let is_written =
                |gold: &&GoldItem| self.options.with_unresolved || gold.outcome != Outcome::Unresolved;
            if let Some(gold) = found.filter(is_written) {
                take(&self.record(protocol, gold, &keys), &keys)?;
            }
        }
        Ok(())
    }

    fn record<'r>(&self, protocol: &'r Protocol, gold: &'r GoldItem, keys: &'r TargetKeys) -> GoldRecord<'r> {
        let answers = gold.answers.iter().flatten();
        let told = answers.filter(|(question, _)| self.privacy.tells(&protocol.name, question));
        let decision = gold.decision.as_ref().filter(|_| gold.outcome == Outcome::Adjudicated);
        let verdict = decision.map(|decision| &decision.verdict);
        let adjudicator = decision.and_then(|decision| self.names.get(&decision.by));
        let note = verdict.map(|verdict| verdict.note.as_str()).filter(|note| !note.is_empty());
        GoldRecord {
            r#type: "gold",
            protocol: &protocol.name,
            version: protocol.version,
            collection: &keys.collection,
            query: &keys.query,
            document: keys.document.as_deref(),
            unit: keys.unit.as_deref(),
            candidate: keys.candidate.as_deref(),
            bullet: keys.bullet,
            other: keys.other.as_deref(),
            answers: told.map(|(question, answer)| (question.clone(), answer.to_json())).collect(),
            source: gold.outcome.name(),
            annotators: gold.raters,
            adjudicator: adjudicator.map(|key| self.privacy.name(key)),
            took: verdict.and_then(|verdict| verdict.took.as_deref()).map(|key| self.privacy.name(key)),
            reason: verdict.and_then(|verdict| verdict.reason).map(|reason| reason.name()),
            note: note.filter(|_| self.privacy.with_text()),
        }
    }
}

fn write_jsonl(scene: &GoldToWrite<'_>, out: &mut dyn Write) -> Result<usize> {
    let mut rows = 0;
    for of_protocol in &scene.all {
        scene.for_each(of_protocol, |record, _| {
            rows += 1;
            serde_json::to_writer(&mut *out, record).map_err(cannot_write)?;
            out.write_all(b"\n").map_err(cannot_write)
        })?;
    }
    Ok(rows)
}

fn write_sheet(
    scene: &GoldToWrite<'_>,
    format: SheetFormat,
    columns: Vec<SheetColumn>,
    out: &mut dyn Write,
) -> Result<usize> {
    let questions = scene.questions();
    let mut sheet = Sheet::begin(format, None, columns, out)?;
    for of_protocol in &scene.all {
        scene.for_each(of_protocol, |record, keys| {
            let mut row: Vec<Value> = vec![record.protocol.into(), record.version.into()];
            row.extend(key_cells(keys, scene.has_pairs()));
            row.extend(questions.iter().map(|key| answer_cell(record.answers.get(*key).cloned())));
            row.extend([record.source.into(), record.annotators.into()]);
            row.extend([record.adjudicator.clone(), record.took.clone()].map(Value::from));
            row.extend([record.reason, record.note].map(Value::from));
            sheet.row(row)
        })?;
    }
    sheet.finish()
}
