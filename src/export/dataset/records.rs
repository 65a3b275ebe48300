//! Judgments and candidates: as haymark's own records, or a row each; and everything that was ever answered.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write;
use std::path::Path;

use serde_json::Value;

use super::lines::JudgmentWriter;
use super::{
    ExportWritten, answer_cell, key_cells, key_columns, own_columns, record_cells, sheet_format,
    with_answers, write_sheet,
};
use crate::error::{Result, cannot_write};
use crate::export::asked::{Export, ExportFormat};
use crate::export::privacy::Privacy;
use crate::files::write_atomically;
use crate::formats::jsonl::write_record;
use crate::formats::sheet::{Sheet, SheetColumn, SheetFormat};
use crate::protocol::{Protocol, TargetPart, answers_from_json};
use crate::report::{Filtered, choose, protocols};
use crate::store::{PastAnswer, PeopleOrder, StudyFile};
use crate::study::{AnnotatorId, ItemId, Judgment, Record, TargetKeys, seconds_of, time_of};

/// The annotators and protocols whose judgments are written.
pub(super) struct RecordsWanted {
    annotators: HashSet<String>,
    protocol: Option<String>,
    /// The items that a filter lets through.
    part: Filtered,
}

impl RecordsWanted {
    fn of(study: &StudyFile, arguments: &Export) -> Result<RecordsWanted> {
        let names = &arguments.dataset.annotators;
        let annotators = match names.is_empty() {
            true => study.annotators()?.into_iter().map(|(_, annotator)| annotator.id).collect(),
            false => choose(study, names)?.annotators.into_iter().map(|(_, key)| key).collect(),
        };
        let protocol = arguments.requests.protocol.clone();
        if let Some(name) = &protocol {
            protocols::find(study, name)?;
        }
        let part = arguments.chosen(study)?;
        Ok(RecordsWanted { annotators, protocol, part })
    }

    pub(super) fn has(&self, annotator: &str, protocol: &str, about: &TargetKeys) -> bool {
        self.annotators.contains(annotator)
            && self.has_protocol(protocol)
            && self.part.has_item(protocol, about)
    }

    fn has_judgment(&self, judgment: &Judgment) -> bool {
        self.has(&judgment.annotator, &judgment.protocol, &judgment.about())
    }

    fn has_protocol(&self, protocol: &str) -> bool {
        self.protocol.as_ref().is_none_or(|name| name == protocol)
    }
}

/// Writes the judgments that count now.
pub fn judgments(
    study: &StudyFile,
    arguments: &Export,
    privacy: &Privacy,
    target: &Path,
) -> Result<ExportWritten> {
    let wanted = RecordsWanted::of(study, arguments)?;
    let (mut rows, mut told, mut empty) = (0, Vec::new(), 0);
    write_atomically(target, Some(study.path()), |out| {
        rows = match sheet_format(arguments) {
            SheetFormat::Jsonl => {
                let mut records = RecordWriter { out, written: 0, empty: 0 };
                judgment_records(study, &wanted, privacy, &mut records)?;
                empty = records.empty;
                records.written
            }
            format => {
                let columns = judgment_columns(study, &wanted, privacy)?;
                told.clone_from(&columns.all);
                let mut sheet = Sheet::begin(format, None, columns.all.clone(), out)?;
                let protocols = protocols::all(study)?;
                let mut put = |judgment: Judgment| {
                    match wanted.has_judgment(&judgment) {
                        true => {
                            let judgment = completed(&protocols, judgment);
                            // A record of a built-in protocol need not name its current version; a row does.
                            let version =
                                judgment.version.or_else(|| Some(named(&protocols, &judgment)?.version));
                            let judgment = privacy.judgment(Judgment { version, ..judgment });
                            sheet.row(judgment_cells(judgment, &columns))
                        }
                        false => Ok(()),
                    }
                };
                study.for_each_stated_in(privacy.order(), |stated| put(stated.record()))?;
                study.judgments_aside()?.into_iter().try_for_each(&mut put)?;
                sheet.finish()?
            }
        };
        Ok(())
    })?;
    let what = if arguments.format == ExportFormat::Jsonl { "records" } else { "judgments" };
    let (judgments, hold) = if empty == 1 { ("judgment", "holds") } else { ("judgments", "hold") };
    let note = format!(
        "left out: {empty} {judgments} that {hold} nothing but what people wrote; --with-text writes it"
    );
    Ok(ExportWritten { rows, columns: told, what, notes: (empty > 0).then_some(note).into_iter().collect() })
}

/// The annotators whose judgments are wanted, as they are told.
fn told_annotators(study: &StudyFile, wanted: &RecordsWanted, privacy: &Privacy) -> Result<Vec<Record>> {
    let all = match privacy.order() {
        PeopleOrder::Named => study.annotators_by_key()?,
        PeopleOrder::Came => study.annotators()?,
    };
    let told = all.into_iter().map(|(_, annotator)| annotator);
    let told = told.filter(|annotator| wanted.annotators.contains(&annotator.id));
    Ok(told.map(|annotator| Record::Annotator(privacy.annotator(annotator))).collect())
}

/// The annotators whose judgments are exported, for the table of the corpus.
pub(super) fn annotators(study: &StudyFile, arguments: &Export, privacy: &Privacy) -> Result<Vec<Record>> {
    told_annotators(study, &RecordsWanted::of(study, arguments)?, privacy)
}

/// Writes records, and counts them.
struct RecordWriter<'o> {
    out: &'o mut dyn Write,
    written: usize,
    /// How many judgments hold nothing that may be told.
    empty: usize,
}

impl RecordWriter<'_> {
    fn put(&mut self, record: Record) -> Result<()> {
        self.written += 1;
        write_record(&mut self.out, &record).map_err(cannot_write)
    }
}

/// Writes records that `import` takes: annotators, protocols, judgments, adjudications and assignments.
fn judgment_records(
    study: &StudyFile,
    wanted: &RecordsWanted,
    privacy: &Privacy,
    records: &mut RecordWriter<'_>,
) -> Result<()> {
    told_annotators(study, wanted, privacy)?.into_iter().try_for_each(|told| records.put(told))?;
    for protocol in study.protocol_texts()? {
        if wanted.has_protocol(&protocol.name) {
            records.put(Record::Protocol(protocol))?;
        }
    }
    let protocols = protocols::all(study)?;
    let mut lines = JudgmentWriter::new(wanted, privacy, &protocols);
    study.for_each_stated_in(privacy.order(), |stated| {
        records.written += usize::from(lines.put(stated, records.out)?);
        Ok(())
    })?;
    records.empty += lines.empty;
    study.for_each_adjudication_in(privacy.order(), |given| {
        if !wanted.has_judgment(&given.as_judgment()) {
            return Ok(());
        }
        match privacy.adjudication(given) {
            told if told.answers.is_empty() => {
                records.empty += 1;
                Ok(())
            }
            told => records.put(Record::Adjudication(told)),
        }
    })?;
    for judgment in study.judgments_aside()? {
        if wanted.has_judgment(&judgment) {
            match privacy.judgment(completed(&protocols, judgment)) {
                told if told.says_nothing() => records.empty += 1,
                told => records.put(Record::Judgment(told))?,
            }
        }
    }
    for assignment in study.assignment_records()? {
        if wanted.has(&assignment.annotator, &assignment.protocol, &assignment.about()) {
            records.put(Record::Assignment(privacy.assignment(assignment)))?;
        }
    }
    Ok(())
}

struct JudgmentColumns {
    all: Vec<SheetColumn>,
    /// Keys of the questions that have a column.
    questions: Vec<String>,
    /// Whether two candidates are compared under one of the protocols.
    has_pairs: bool,
    /// Whether the time of one of them is that of several judgments.
    has_totals: bool,
}

/// A column for each question that is told; questions of the same key share one.
fn judgment_columns(study: &StudyFile, wanted: &RecordsWanted, privacy: &Privacy) -> Result<JudgmentColumns> {
    let judged: HashSet<String> = judged_protocols(study)?;
    let (mut questions, mut has_pairs) = (Vec::<String>::new(), false);
    for protocol in protocols::all(study)? {
        let is_in = wanted.has_protocol(&protocol.name) && judged.contains(&protocol.name);
        has_pairs |= is_in && protocol.targets(TargetPart::Pair);
        for question in protocol.questions.iter().filter(|_| is_in) {
            if !questions.contains(&question.key) && privacy.tells(&protocol.name, &question.key) {
                questions.push(question.key.clone());
            }
        }
    }
    let mut before = own_columns(["protocol", "version", "annotator"]);
    before.extend(key_columns(has_pairs));
    let has_totals = study.has_totals()?;
    let after = ["complete", "seconds", "total", "at", "comment", "flagged", "skipped", "aside"];
    let after = own_columns(after.into_iter().filter(|name| *name != "total" || has_totals));
    let all = with_answers(before, questions.iter().map(String::as_str), after);
    Ok(JudgmentColumns { all, questions, has_pairs, has_totals })
}

/// The names of the protocols with an item.
fn judged_protocols(study: &StudyFile) -> Result<HashSet<String>> {
    let mut judged = HashSet::new();
    for protocol in protocols::all(study)? {
        if !study.items(&protocol.name)?.is_empty() {
            judged.insert(protocol.name);
        }
    }
    Ok(judged)
}

/// The protocol of a judgment.
fn named<'p>(protocols: &'p [Protocol], judgment: &Judgment) -> Option<&'p Protocol> {
    protocols.iter().find(|protocol| protocol.name == judgment.protocol)
}

/// Marks a judgment with whether scores and agreement count it; under a version that does not count it has no mark.
pub(super) fn completed(protocols: &[Protocol], judgment: Judgment) -> Judgment {
    let counts = |protocol: &Protocol| {
        let version = judgment.version.unwrap_or(protocol.version);
        let answers = answers_from_json(&judgment.answers);
        protocol.counts_version(version).then(|| protocol.counts(&protocol.answers_now(version, &answers)))
    };
    let complete = named(protocols, &judgment).and_then(counts);
    Judgment { complete, ..judgment }
}

fn judgment_cells(
    judgment: Judgment,
    JudgmentColumns { questions, has_pairs, has_totals, .. }: &JudgmentColumns,
) -> Vec<Value> {
    let keys = judgment.about();
    let mut cells: Vec<Value> =
        vec![judgment.protocol.into(), judgment.version.into(), judgment.annotator.into()];
    cells.extend(key_cells(&keys, *has_pairs));
    let mut answers = judgment.answers;
    cells.extend(questions.iter().map(|key| answer_cell(answers.remove(key))));
    cells.extend([judgment.complete.into(), judgment.seconds.into()]);
    cells.extend(has_totals.then_some(judgment.total).map(Value::from));
    cells.extend([judgment.at, judgment.comment].map(Value::from));
    cells.extend([judgment.flagged, judgment.skipped].map(Value::from));
    cells.push(judgment.aside.map(|aside| aside.name()).into());
    cells
}

pub fn candidates(
    study: &StudyFile,
    arguments: &Export,
    privacy: &Privacy,
    target: &Path,
) -> Result<ExportWritten> {
    let part = arguments.chosen(study)?;
    let names = ["collection", "query", "id", "summarizer", "retriever", "order", "cites", "text", "meta"];
    let columns = own_columns(names);
    let mut rows = 0;
    write_atomically(target, Some(study.path()), |out| {
        let chosen = study.candidates()?.into_iter().filter(|(id, _)| part.has_candidate(*id));
        let candidates = chosen.map(|(_, candidate)| privacy.candidate(candidate));
        if arguments.format == ExportFormat::Jsonl {
            for candidate in candidates {
                rows += 1;
                let record = Record::Candidate(candidate);
                write_record(&mut &mut *out, &record).map_err(cannot_write)?;
            }
            return Ok(());
        }
        let mut sheet = Sheet::begin(sheet_format(arguments), None, columns.clone(), out)?;
        for candidate in candidates {
            sheet.row(record_cells(candidate, &columns)?)?;
        }
        rows = sheet.finish()?;
        Ok(())
    })?;
    Ok(ExportWritten { rows, columns, what: "candidates", notes: Vec::new() })
}

/// Writes everything that anybody ever answered, changed and taken back answers too.
pub fn history(
    study: &StudyFile,
    arguments: &Export,
    privacy: &Privacy,
    target: &Path,
) -> Result<ExportWritten> {
    let wanted = RecordsWanted::of(study, arguments)?;
    let names: HashMap<AnnotatorId, String> =
        study.annotators()?.into_iter().map(|(id, annotator)| (id, annotator.id)).collect();
    let mut items: BTreeMap<ItemId, (Protocol, TargetKeys)> = BTreeMap::new();
    for protocol in protocols::all(study)?.into_iter().filter(|protocol| wanted.has_protocol(&protocol.name))
    {
        let keys = study.item_keys(&protocol.name)?;
        items.extend(keys.into_iter().map(|(item, keys)| (item, (protocol.clone(), keys))));
    }
    let mut columns = own_columns(["protocol", "annotator"]);
    let has_pairs = items.values().any(|(protocol, _)| protocol.targets(TargetPart::Pair));
    columns.extend(key_columns(has_pairs));
    columns.extend(own_columns(["question", "answer", "seconds", "at", "state", "hint"]));
    let mut superseded = 0;
    let rows = write_sheet(study, arguments, (target, Some("answer")), &columns, |sheet| {
        study.for_each_past_answer(|past: PastAnswer<'_>| {
            let (Some((protocol, keys)), Some(name)) = (items.get(&past.item), names.get(&past.annotator))
            else {
                return Ok(());
            };
            if !wanted.has(name, &protocol.name, keys) || !privacy.tells(&protocol.name, past.question) {
                return Ok(());
            }
            superseded += usize::from(!past.state.counts());
            let mut cells: Vec<Value> = vec![protocol.name.as_str().into(), privacy.name(name).into()];
            cells.extend(key_cells(keys, has_pairs));
            cells.extend([past.question.into(), past.answer.map(|answer| answer.to_json()).into()]);
            cells.extend([seconds_of(past.active).into(), past.at.and_then(time_of).into()]);
            cells.extend([past.state.name().into(), past.hint.into()]);
            sheet.row(cells)
        })
    })?;
    let notes = vec![format!("{superseded} of them no longer count: they were answered anew or taken back")];
    Ok(ExportWritten { rows, columns, what: "answers", notes })
}
