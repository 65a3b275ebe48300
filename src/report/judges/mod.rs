//! Every model annotator against the people.

mod compared;
mod tables;

use std::collections::BTreeMap;

use compared::{Answered, People, compare_judge, compare_people};

use super::annotators::choose;
use super::judged::Judged;
use super::protocols::{self, counted, version_note};
use super::table::Table;
use crate::error::{Error, Result};
use crate::protocol::{Protocol, Question};
use crate::store::StudyFile;
use crate::study::{Annotator, AnnotatorId, AnnotatorKind, Candidate, CandidateId};

/// What is asked about judges.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// The protocol; all where none is named.
    pub protocol: Option<String>,
    pub all_versions: bool,
    /// Who is compared; everyone where nobody is named.
    pub annotators: Vec<String>,
    /// What judges cost for one summary.
    pub costs: BTreeMap<String, f64>,
    /// What a person costs an hour.
    pub hourly_rate: Option<f64>,
}

/// How judges do, question by question.
///
/// # Errors
/// No judge can be compared, a name is unknown, or the study cannot be read.
pub fn tables(study: &StudyFile, asked: &Asked) -> Result<Vec<Table>> {
    let scene = Scene::read(study, asked)?;
    let protocols = protocols::named_or_all(study, asked.protocol.as_deref())?;
    let mut tables = Vec::new();
    for protocol in &protocols {
        let versions = counted(protocol, asked.all_versions);
        let judged = Judged::read(study, protocol, &scene.names, None, versions)?;
        let note = version_note(study, protocol, asked.all_versions, |id| scene.names.contains_key(&id))?;
        let mut found: Vec<Table> = Vec::new();
        for question in &protocol.questions {
            found.extend(tables_of(&scene, protocol, question, &judged)?.unwrap_or_default());
        }
        if let Some(first) = found.first_mut() {
            first.notes.extend(note.into_iter().chain(judged.notes()));
        }
        tables.extend(found);
    }
    if tables.is_empty() {
        let error = Error::new("no model annotator judged anything that a person judged too");
        return Err(error.in_file(study.path()).advise(
            "import a judge's judgments, or write its requests with `haymark export --what judge-requests`",
        ));
    }
    Ok(tables)
}

/// Who judges, and what a judgment costs.
struct Scene<'a> {
    study: &'a StudyFile,
    asked: &'a Asked,
    annotators: Vec<(AnnotatorId, Annotator)>,
    names: BTreeMap<AnnotatorId, String>,
    candidates: BTreeMap<CandidateId, Candidate>,
    /// Cost of a summary by judge.
    costs: BTreeMap<String, f64>,
}

impl<'a> Scene<'a> {
    fn read(study: &'a StudyFile, asked: &'a Asked) -> Result<Scene<'a>> {
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
        let annotators = chosen(study, annotators, &asked.annotators)?;
        let names = annotators.iter().map(|(id, annotator)| (*id, annotator.id.clone())).collect();
        let candidates = study.candidates()?.into_iter().collect();
        Ok(Scene { study, asked, annotators, names, candidates, costs })
    }

    fn of_kind(&self, kind: AnnotatorKind) -> impl Iterator<Item = (AnnotatorId, &str)> {
        let fits = move |(_, annotator): &&(AnnotatorId, Annotator)| annotator.kind == kind;
        self.annotators.iter().filter(fits).map(|(id, annotator)| (*id, annotator.id.as_str()))
    }
}

/// The annotators of these names; a kind of which nobody is named stays whole, because a comparison needs both.
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
    let stays =
        |(id, annotator): &(AnnotatorId, Annotator)| named.contains_key(id) || !is_restricted(annotator.kind);
    Ok(all.into_iter().filter(stays).collect())
}

/// The tables of one question; none where no judge can be compared.
fn tables_of(
    scene: &Scene,
    protocol: &Protocol,
    question: &Question,
    judged: &Judged,
) -> Result<Option<Vec<Table>>> {
    if question.choices().is_empty() {
        return Ok(None);
    }
    let answered = Answered::read(protocol, question, judged);
    let people: People = scene.of_kind(AnnotatorKind::Human).filter(|(id, _)| answered.by(*id)).collect();
    let judges: Vec<(AnnotatorId, &str)> =
        scene.of_kind(AnnotatorKind::Model).filter(|(id, _)| answered.by(*id)).collect();
    if people.is_empty() || judges.is_empty() {
        return Ok(None);
    }
    let seconds = scene.study.active_times(&protocol.name)?;
    let rate = scene.asked.hourly_rate;
    let first = compare_people(question, &answered, &people, rate.map(|rate| (rate, seconds.as_slice())))?;
    let mut rows = Vec::new();
    for (id, name) in judges {
        let cost = scene.costs.get(name).copied();
        if let Some(row) = compare_judge(question, &answered, &people, (id, name), cost, &scene.candidates)? {
            rows.push(row);
        }
    }
    Ok((!rows.is_empty()).then(|| tables::tables(protocol, question, &first, &rows)))
}
