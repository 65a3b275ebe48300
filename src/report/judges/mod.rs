//! Judges (model annotators) against people.

mod answered;
mod compared;
mod file;
mod on_question;
mod runs;
mod tables;

use std::collections::BTreeMap;

pub use file::{LabelsAsked, of_labels};
use on_question::tables_of;

use super::{
    ClusterKeys, ItemsChosen, Judged, StudyFrame, StudyPart, Table, choose, kinds_for_agreement, name_of,
    protocols, version_note,
};
use crate::error::{Error, Result};
use crate::score::{By, ClusterKind, GroupLabels};
use crate::store::StudyFile;
use crate::study::{Annotator, AnnotatorId, AnnotatorKind, Candidate, CandidateId};

/// The options for judges.
#[derive(Debug, Clone, Default)]
pub struct JudgesAsked {
    pub part: StudyPart,
    /// The cost of a judge for one summary, by judge.
    pub costs: BTreeMap<String, f64>,
    /// The cost of a person for an hour.
    pub hourly_rate: Option<f64>,
    /// The margin of non-inferiority: how far a judge's agreement with people may lie below that of people among themselves
    /// for the judge to be as good; 0 or more.
    pub margin: Option<f64>,
}

/// The tables of judges, question by question.
pub fn tables(study: &StudyFile, asked: &JudgesAsked) -> Result<Vec<Table>> {
    let scene = JudgesAndCosts::read(study, asked)?;
    let protocols = protocols::named_or_all(study, asked.part.protocol.as_deref())?;
    if asked.part.by.iter().any(|name| name == "annotator") {
        return Err(
            Error::usage("each judge has a row of its own already").advise("leave annotator out of --by")
        );
    }
    let by = scene.frame.by()?;
    let mut tables = Vec::new();
    for protocol in &protocols {
        let judged = Judged::read(&scene.frame, protocol, &scene.names, None, &scene.part)?;
        let note =
            version_note(study, protocol, asked.part.all_versions, |id| scene.names.contains_key(&id))?;
        let kinds = kinds_for_agreement(protocol, asked.part.uncertainty.cluster).into_iter();
        let keys: Vec<ClusterKeys> =
            kinds.map(|kind| ClusterKeys::read(study, kind)).collect::<Result<_>>()?;
        let mut found: Vec<Table> = Vec::new();
        for question in &protocol.questions {
            found.extend(tables_of(&scene, (protocol, question), &judged, &keys)?.unwrap_or_default());
        }
        let of_groups = if by.is_empty() { Vec::new() } else { judged.in_groups(scene.frame.corpus()?, &by) };
        for (group, judged) in &of_groups {
            for question in &protocol.questions {
                let tables = tables_of(&scene, (protocol, question), judged, &keys)?.unwrap_or_default();
                found.extend(tables.into_iter().map(|table| of_group(table, &by, group)));
            }
        }
        if let Some(first) = found.first_mut() {
            first.notes.extend(note.into_iter().chain(judged.notes(&[])));
        }
        tables.extend(found);
    }
    // The note on intervals stands once.
    Table::note_intervals(&mut tables, asked.part.uncertainty.note_on_people(ClusterKind::Query));
    if let Some(first) = tables.first_mut() {
        first.notes.extend(scene.frame.weighed()?);
    }
    tables.extend(runs::table(study, asked.part.protocol.as_deref(), &scene.names)?);
    if tables.is_empty() {
        let error = Error::new("no model annotator judged anything that a person judged too");
        return Err(error.in_file(study.path()).advise(
            "import a judge's judgments, or write its requests with `haymark export --what judge-requests`; a model that came in as a \
             person becomes one with `haymark revise` and its record, {\"type\":\"annotator\",\"id\":…,\"kind\":\"model\"}",
        ));
    }
    Ok(tables)
}

/// Names a group in the title and the facts of its table.
fn of_group(mut table: Table, by: &[By], group: &GroupLabels) -> Table {
    table.title = format!("{} · {}", name_of(group), table.title);
    for (by, label) in by.iter().zip(group) {
        table.facts.insert(by.name().to_owned(), label.clone().into());
    }
    table
}

/// The annotators to compare, and the costs of judges.
struct JudgesAndCosts<'a> {
    asked: &'a JudgesAsked,
    annotators: Vec<(AnnotatorId, Annotator)>,
    /// The items that pass the filter.
    part: ItemsChosen,
    frame: StudyFrame<'a>,
    names: BTreeMap<AnnotatorId, String>,
    candidates: BTreeMap<CandidateId, Candidate>,
    /// The cost of a summary, by judge.
    costs: BTreeMap<String, f64>,
}

impl<'a> JudgesAndCosts<'a> {
    fn read(study: &'a StudyFile, asked: &'a JudgesAsked) -> Result<JudgesAndCosts<'a>> {
        let annotators = study.annotators_by_key()?;
        let mut costs = BTreeMap::new();
        for (_, annotator) in &annotators {
            if let Some(cost) = annotator.meta.get("cost_per_summary").and_then(serde_json::Value::as_f64) {
                costs.insert(annotator.id.clone(), cost);
            }
        }
        for (name, cost) in &asked.costs {
            if !annotators.iter().any(|(_, annotator)| annotator.id == *name) {
                return Err(Error::new(format!("there is no annotator {name:?}")).in_file(study.path()));
            }
            costs.insert(name.clone(), *cost);
        }
        let annotators = chosen(study, annotators, &asked.part.annotators)?;
        let names = annotators.iter().map(|(id, annotator)| (*id, annotator.id.clone())).collect();
        let candidates = study.candidates()?.into_iter().collect();
        let frame = StudyFrame::of(study, asked.part.frame());
        let part = frame.items()?;
        Ok(JudgesAndCosts { asked, annotators, names, candidates, costs, part, frame })
    }

    /// The judge of which this annotator is a repetition, if any.
    fn again_of(&self, id: AnnotatorId) -> Option<&str> {
        let (_, annotator) = self.annotators.iter().find(|(other, _)| *other == id)?;
        annotator.again_of()
    }

    fn of_kind(&self, kind: AnnotatorKind) -> impl Iterator<Item = (AnnotatorId, &str)> {
        let fits = move |(_, annotator): &&(AnnotatorId, Annotator)| annotator.kind == kind;
        self.annotators.iter().filter(fits).map(|(id, annotator)| (*id, annotator.id.as_str()))
    }
}

/// The annotators with these names. If no person is named, all people stay, and likewise judges, since a comparison
/// needs both.
fn chosen(
    study: &StudyFile,
    all: Vec<(AnnotatorId, Annotator)>,
    names: &[String],
) -> Result<Vec<(AnnotatorId, Annotator)>> {
    if names.is_empty() {
        return Ok(all);
    }
    let named: BTreeMap<AnnotatorId, String> = choose(study, names)?.annotators.into_iter().collect();
    let has = |kind| all.iter().any(|(id, annotator)| annotator.kind == kind && named.contains_key(id));
    let restricted = [AnnotatorKind::Human, AnnotatorKind::Model].map(|kind| (kind, has(kind)));
    let is_restricted = |kind| restricted.contains(&(kind, true));
    let is_named = |name: &str| named.values().any(|known| known == name);
    let stays = |(id, annotator): &(AnnotatorId, Annotator)| {
        named.contains_key(id) || !is_restricted(annotator.kind) || annotator.again_of().is_some_and(is_named)
    };
    Ok(all.into_iter().filter(stays).collect())
}
