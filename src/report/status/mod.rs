//! The status of a study: work done and left, by whom, its quality and pace, and its cost.

mod coverage;
mod drift;
mod labels;
mod overview;
mod pace;
mod people;
mod tables;

use std::collections::{HashMap, HashSet};

pub use pace::PacePart;
use people::People;
pub use tables::{PASSED, QualityFound};

use super::{PartAsked, Table, choose, duration, first_step, protocols, samples};
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::Protocol;
use crate::score::Rate;
use crate::store::{Assignable, StudyFile, Target};
use people::{Person, PersonJudged};
use tables::{between, ratings, time_cell};

/// The options of the status.
#[derive(Debug, Clone, Default)]
pub struct StatusAsked {
    /// The protocol; all that were judged or assigned if `None`.
    pub protocol: Option<String>,
    /// A filter of items; all items if `None`.
    pub filter: Option<String>,
    /// The people whose work is counted; all people if empty.
    pub annotators: Vec<String>,
    pub pay: Option<Rate>,
    /// The fields by which missing judgments are grouped.
    pub by: Vec<String>,
    /// Whether only the most important tables are wanted.
    pub is_brief: bool,
}

/// The data behind the tables of one protocol.
pub struct StatusScope<'a> {
    pub study: &'a StudyFile,
    pub protocol: &'a Protocol,
    pub assignable: &'a Assignable,
    pub people: &'a People,
    pub asked: &'a StatusAsked,
    /// See [`StudyFile::has_all_work`].
    pub sees_all: bool,
}

/// The tables of the status: an overview of all protocols, then each protocol, unless the brief form is wanted. With a named
/// protocol, the tables of that protocol.
pub fn tables(study: &StudyFile, asked: &StatusAsked) -> Result<Vec<Table>> {
    let chosen = choose(study, &asked.annotators)?.annotators;
    let (mut tables, mut standings, mut left_behind) = (Vec::new(), Vec::new(), Vec::new());
    let mut in_use = study.protocol_names()?;
    in_use.extend(study.handed_out_protocols()?);
    let sees_all = study.has_all_work()?;
    let all = protocols::named_or_all(study, asked.protocol.as_deref())?;
    // Where nothing is judged or assigned yet, every protocol that has items is told of.
    for is_new in [false, true] {
        if is_new && (!standings.is_empty() || asked.filter.is_some()) {
            break;
        }
        for protocol in &all {
            if asked.protocol.is_none() && !is_new && !in_use.contains(&protocol.name) {
                continue;
            }
            let found = assignable(study, protocol, asked);
            let found = if asked.protocol.is_some() { found.map(Some) } else { where_there_is_any(found) };
            let Some(assignable) = found? else { continue };
            let part = asked.filter.as_ref().map(|_| assignable.items.iter().copied().collect());
            let paid = asked.pay.as_ref().map(|_| study.paid_work(&protocol.name, part.as_ref()));
            let paid = paid.transpose()?.unwrap_or_default();
            let people = People::read(study, protocol, &assignable, &chosen, &paid)?;
            let is_open = people.list.is_empty() && assignable.handed_out.is_none();
            if is_open && asked.protocol.is_none() && !is_new {
                continue;
            }
            let (assignable, people) = (&assignable, &people);
            let scope = StatusScope { study, protocol, assignable, people, asked, sees_all };
            left_behind.extend(overview::left_behind(&protocol.name, assignable));
            standings.push(overview::ProtocolStanding::of(&scope));
            if asked.protocol.is_some() || !(asked.is_brief || is_new) {
                tables.extend(of_protocol(&scope)?);
            }
        }
    }
    if let (true, Some(filter)) = (standings.is_empty(), &asked.filter) {
        let what = format!("nothing that is judged or assigned fits the filter {filter:?}");
        return Err(Error::nothing(what).in_file(study.path()));
    }
    if standings.is_empty() {
        let error = Error::new("the study has nothing to judge yet").in_file(study.path());
        return Err(error.advise(first_step(study, &[])));
    }
    if asked.protocol.is_none() {
        tables.insert(0, overview::table(&standings, asked));
    }
    if let Some(first) = tables.first_mut() {
        first.notes.extend(left_behind);
        first.notes.extend(samples(study)?);
        if asked.pay.is_some() && !study.sessions()?.is_empty() {
            let told = "Summaries that people wrote are not in the pay: `haymark session list STUDY` has the minutes.";
            first.notes.push(told.to_owned());
        }
    }
    Ok(tables)
}

/// Notes on the work of people who were left out, for each protocol.
pub fn left_behind(study: &StudyFile) -> Result<Vec<String>> {
    match study.everyone()?.len() == study.annotators()?.len() {
        true => Ok(Vec::new()),
        false => of_each(study, overview::left_behind),
    }
}

/// Notes on what others were given of a person's work before she was taken back, for each protocol.
pub fn taken_over(study: &StudyFile, name: &str) -> Result<Vec<String>> {
    of_each(study, |protocol, assignable| overview::taken_over(protocol, assignable, name))
}

fn of_each(study: &StudyFile, of: impl Fn(&str, &Assignable) -> Vec<String>) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    let in_use = study.protocol_names()?;
    for protocol in protocols::all(study)?.iter().filter(|protocol| in_use.contains(&protocol.name)) {
        let assignable = where_there_is_any(study.assignable(protocol))?;
        notes.extend(assignable.iter().flat_map(|found| of(&protocol.name, found)));
    }
    Ok(notes)
}

/// `None` where a protocol has nothing to judge.
fn where_there_is_any(found: Result<Assignable>) -> Result<Option<Assignable>> {
    match found {
        Err(error) if matches!(error.kind(), ErrorKind::Failed | ErrorKind::Nothing) => Ok(None),
        found => found.map(Some),
    }
}

/// Sentences on the active time of a protocol's judgments, and of a group of its items; `None` without times.
pub fn effort(study: &StudyFile, protocol: &Protocol, annotators: &[String]) -> Result<Option<String>> {
    let chosen = choose(study, annotators)?.annotators;
    let assignable = match study.assignable(protocol) {
        Err(error) if error.kind() == ErrorKind::Failed => return Ok(None),
        assignable => assignable?,
    };
    let people = People::read(study, protocol, &assignable, &chosen, &HashMap::new())?;
    let told = people.effort(protocol, &assignable).map_or_else(String::new, |told| format!(" {told}"));
    let seconds: f64 = people.list.iter().map(|person| person.active as f64 / 1_000.0).sum();
    Ok((seconds > 0.0).then(|| format!("{} of people's active time.{told}", duration(seconds))))
}

/// The items that are to be judged and pass the filter.
fn assignable(study: &StudyFile, protocol: &Protocol, asked: &StatusAsked) -> Result<Assignable> {
    let all = study.assignable(protocol)?;
    if asked.filter.is_none() {
        return Ok(all);
    }
    let part = PartAsked { filter: asked.filter.clone(), ..PartAsked::default() };
    let (chosen, _) = part.choose_items(study, protocol, &all.items, |_| "")?;
    let only: HashSet<Target> =
        chosen.groups.iter().filter_map(|place| all.items.get(*place).copied()).collect();
    study.assignable_among(protocol, Some(&only))
}

fn of_protocol(scope: &StatusScope<'_>) -> Result<Vec<Table>> {
    let mut tables = vec![tables::progress(scope)];
    tables.extend(tables::quality(scope)?);
    tables.extend(coverage::tables(scope)?);
    tables.extend(labels::tables(scope)?);
    tables.extend(pace::table(scope));
    tables.extend(drift::table(scope));
    tables.extend(tables::odd_times(scope)?);
    tables.extend(tables::given_back(scope)?);
    Ok(tables)
}
