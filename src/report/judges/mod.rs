//! Judges (model annotators) against people.

mod answered;
mod compared;
mod file;
mod runs;
mod tables;

use std::collections::{BTreeMap, BTreeSet};

use answered::{AnsweredChoices, ItemClusters};
use compared::{Beside, Compared, Statistics};
pub use file::{LabelsAsked, of_labels};

use super::annotators::choose;
use super::clusters::{ClusterKeys, first_with_enough, kinds_for_agreement};
use super::frame::{FrameAsked, ItemsChosen, StudyFrame};
use super::grouped::name_of;
use super::judged::Judged;
use super::protocols::{self, version_note};
use super::table::Table;
use crate::agreement::Undefined;
use crate::error::{Error, Result};
use crate::protocol::{Protocol, Question};
use crate::score::{By, ClusterKind, GroupLabels, JudgeBias, Measure, Uncertainty};
use crate::store::StudyFile;
use crate::study::{Annotator, AnnotatorId, AnnotatorKind, Candidate, CandidateId};

/// The options for judges.
#[derive(Debug, Clone, Default)]
pub struct JudgesAsked {
    /// The protocol; all protocols if `None`.
    pub protocol: Option<String>,
    pub all_versions: bool,
    /// The annotators to compare; everyone if empty.
    pub annotators: Vec<String>,
    /// A filter of items in the language of [`crate::browse::filter`]; all items if `None`.
    pub filter: Option<String>,
    /// Fields by whose groups judges are also compared.
    pub by: Vec<String>,
    /// The cost of a judge for one summary, by judge.
    pub costs: BTreeMap<String, f64>,
    /// The cost of a person for an hour.
    pub hourly_rate: Option<f64>,
    /// The margin of non-inferiority: how far a judge's agreement with people may lie below that of people among themselves
    /// for the judge to be as good; 0 or more.
    pub margin: Option<f64>,
    /// How intervals are computed; over queries if no cluster is named.
    pub uncertainty: Uncertainty,
}

/// The tables of judges, question by question.
pub fn tables(study: &StudyFile, asked: &JudgesAsked) -> Result<Vec<Table>> {
    let scene = JudgesAndCosts::read(study, asked)?;
    let protocols = protocols::named_or_all(study, asked.protocol.as_deref())?;
    if asked.by.iter().any(|name| name == "annotator") {
        return Err(
            Error::usage("each judge has a row of its own already").advise("leave annotator out of --by")
        );
    }
    let by = scene.frame.by()?;
    let mut tables = Vec::new();
    for protocol in &protocols {
        let judged = Judged::read(&scene.frame, protocol, &scene.names, None, &scene.part)?;
        let note = version_note(study, protocol, asked.all_versions, |id| scene.names.contains_key(&id))?;
        let kinds = kinds_for_agreement(protocol, asked.uncertainty.cluster).into_iter();
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
            first.notes.extend(note.into_iter().chain(judged.notes()));
        }
        tables.extend(found);
    }
    // The note on intervals stands once.
    Table::note_intervals(&mut tables, asked.uncertainty.note_on_people(ClusterKind::Query));
    if let Some(first) = tables.first_mut() {
        first.notes.extend(scene.frame.weighed()?);
    }
    tables.extend(runs::table(study, asked.protocol.as_deref(), &scene.names)?);
    if tables.is_empty() {
        let error = Error::new("no model annotator judged anything that a person judged too");
        return Err(error.in_file(study.path()).advise(
            "import a judge's judgments, or write its requests with `haymark export --what judge-requests`",
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
        let annotators = chosen(study, annotators, &asked.annotators)?;
        let names = annotators.iter().map(|(id, annotator)| (*id, annotator.id.clone())).collect();
        let candidates = study.candidates()?.into_iter().collect();
        let filter = asked.filter.as_deref();
        let frame = StudyFrame::of(
            study,
            FrameAsked {
                all_versions: asked.all_versions,
                filter,
                by: &asked.by,
                is_unweighted: asked.uncertainty.is_unweighted,
                ..FrameAsked::default()
            },
        );
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

/// The comparisons on one question.
struct JudgesFound {
    statistics: Statistics,
    /// The kind of cluster of biases.
    cluster: ClusterKind,
    people: Compared,
    /// The cost of one person judging the people's items once, the number of timed items, and that of all items.
    people_cost: (Measure, usize, usize),
    judges: Vec<JudgeAgainstPeople>,
    /// The judges that answered the same items several times, each against itself.
    with_themselves: Vec<Compared>,
    /// The people, then every judge, on the items that all judges and a person judged; empty with a single judge.
    on_common: Vec<Compared>,
    beside: Vec<Beside>,
    margin: Option<f64>,
}

/// A judge against the people with whom it shares items.
struct JudgeAgainstPeople {
    compared: Compared,
    cost: Measure,
    bias: Option<JudgeBias>,
}

/// The tables of one question; `None` where no judge can be compared.
fn tables_of(
    scene: &JudgesAndCosts,
    (protocol, question): (&Protocol, &Question),
    judged: &Judged,
    keys: &[ClusterKeys],
) -> Result<Option<Vec<Table>>> {
    let Some(statistics) = Statistics::of(question)? else { return Ok(None) };
    // Reading the answers of thousands of people is expensive, and useless without a judge.
    if scene.of_kind(AnnotatorKind::Model).next().is_none() {
        return Ok(None);
    }
    let answered = AnsweredChoices::read(protocol, question, judged, (keys, &scene.frame.corpus()?.records));
    let intervals = scene.asked.uncertainty.intervals;
    let of_kind = |kind| -> Vec<(AnnotatorId, &str)> {
        scene.of_kind(kind).filter(|(id, _)| answered.by(*id)).collect()
    };
    let people: Vec<AnnotatorId> = of_kind(AnnotatorKind::Human).into_iter().map(|(id, _)| id).collect();
    let judges: Vec<(AnnotatorId, &str)> = of_kind(AnnotatorKind::Model)
        .into_iter()
        .filter(|(judge, _)| scene.again_of(*judge).is_none())
        .filter(|(judge, _)| people.iter().any(|person| answered.both(*person, *judge).next().is_some()))
        .collect();
    if people.is_empty() || judges.is_empty() {
        return Ok(None);
    }
    let among = pairs_of(&people);
    let with = |judge: AnnotatorId| -> Vec<(AnnotatorId, AnnotatorId)> {
        people.iter().map(|person| (*person, judge)).collect()
    };
    let compare = |name: &str, pairs: &[_], on: &dyn Fn(u32) -> bool| {
        let made = |clusters: &ItemClusters| {
            Compared::of(name, (question, &statistics), &answered, (pairs, on), clusters)
        };
        let found = first_with_enough(answered.clusters(), Compared::clusters, made)?;
        let (mut found, within) = found.unwrap_or_default();
        found.within = within;
        Ok::<Compared, Error>(found)
    };
    let sure = |compared: Compared| compared.with_intervals(&statistics, intervals);
    let compared = sure(compare("people", &among, &|_| true)?.of_people());
    // The number of people who judged each item.
    let of_people = answered.counts(&people);
    let (mut rows, mut beside) = (Vec::new(), Vec::new());
    for (judge, name) in &judges {
        let pairs = with(*judge);
        let cost = scene.costs.get(*name).ok_or(Undefined::NoCost);
        // A summary is paid for once, however many questions were asked about it.
        let own = judged.rows().filter(|row| row.annotator == *judge);
        let summaries: BTreeSet<CandidateId> =
            own.filter_map(|row| judged.material.item(row).target.candidate).collect();
        let summaries = Some(summaries.len()).filter(|count| *count > 0).ok_or(Undefined::NoCost);
        rows.push(JudgeAgainstPeople {
            compared: sure(compare(name, &pairs, &|_| true)?),
            cost: cost.and_then(|cost| Ok(cost * summaries? as f64)),
            bias: answered.bias(question, &people, *judge, (&scene.candidates, intervals)),
        });
        let of_judge = answered.counts(&[*judge]);
        let of_both = |item: u32| of_people[item as usize] > 1 && of_judge[item as usize] > 0;
        // Both comparisons have the same clusters, so that each is left out of both at once.
        let made = |clusters: &ItemClusters| {
            let of = |pairs: &[_]| {
                Compared::of(name, (question, &statistics), &answered, (pairs, &of_both), clusters)
            };
            Ok(Beside { judge: of(&pairs)?, people: of(&among)? })
        };
        let pair = first_with_enough(answered.clusters(), Beside::clusters, made)?.map(|(pair, _)| pair);
        beside.extend(pair.filter(|pair| pair.judge.items.items > 0));
    }
    let mut with_themselves = Vec::new();
    for (judge, name) in &judges {
        let again = scene.of_kind(AnnotatorKind::Model).map(|(id, _)| id);
        let mut answers: Vec<AnnotatorId> =
            again.filter(|id| scene.again_of(*id) == Some(*name) && answered.by(*id)).collect();
        if !answers.is_empty() {
            answers.insert(0, *judge);
            with_themselves.push(sure(compare(
                &format!("{name} with itself"),
                &pairs_of(&answers),
                &|_| true,
            )?));
        }
    }
    let mut on_common = Vec::new();
    if judges.len() > 1 {
        let all: BTreeSet<AnnotatorId> = judges.iter().map(|(id, _)| *id).collect();
        let all: Vec<AnnotatorId> = all.into_iter().collect();
        let of_judges = answered.counts(&all);
        let of_all = |item: u32| of_judges[item as usize] == all.len() && of_people[item as usize] > 0;
        on_common.push(sure(compare("people", &among, &of_all)?.of_people()));
        for (judge, name) in &judges {
            on_common.push(sure(compare(name, &with(*judge), &of_all)?));
        }
    }
    let (seconds, timed, items) = answered.one_pass(&people);
    let rate = scene.asked.hourly_rate.ok_or(Undefined::NoCost);
    let people_cost = (rate.and_then(|rate| Ok(rate * seconds? / 3_600.0)), timed, items);
    let cluster = keys.first().map_or(ClusterKind::Query, ClusterKeys::kind);
    let found = JudgesFound {
        statistics,
        cluster,
        people: compared,
        people_cost,
        judges: rows,
        with_themselves,
        on_common,
        beside,
        margin: scene.asked.margin,
    };
    Ok(Some(tables::tables(protocol, question, &found, intervals)))
}

fn pairs_of(annotators: &[AnnotatorId]) -> Vec<(AnnotatorId, AnnotatorId)> {
    let with_later = |(place, first): (usize, &AnnotatorId)| {
        let first = *first;
        annotators.iter().skip(place + 1).map(move |second| (first, *second))
    };
    annotators.iter().enumerate().flat_map(with_later).collect()
}
