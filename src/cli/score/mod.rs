//! `haymark score`: what the judgments say about systems.

mod attribution;
pub mod corpus;
mod coverage;
mod evidence;
mod grouped;
mod human;
pub(super) mod judged;
mod key_points;
mod labels;
mod matching;
mod placement;
mod questions;
mod ranked;
mod recall;
mod refinement;
mod spot_check;
mod usefulness;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::args::Score;
use super::gold::{self, GoldBy};
use super::output::print_tables;
use super::protocols::{self, counted, version_note};
use super::table::Table;
use crate::error::{Error, Result};
use crate::protocol::Protocol;
use crate::score::{By, Scoring, is_about_usefulness};
use crate::store::StudyFile;
use crate::study::AnnotatorId;
use corpus::Corpus;
use judged::Judged;

/// What is scored under one protocol, and how it is asked for.
pub struct Scope<'a> {
    pub protocol: &'a Protocol,
    pub corpus: &'a Corpus<'a>,
    pub judged: &'a Judged<'a>,
    pub people: &'a BTreeMap<AnnotatorId, String>,
    /// How gold is made, where it is among the people.
    pub gold: Option<&'a GoldBy>,
    pub by: &'a [By],
    pub arguments: &'a Score,
}

impl<'a> Scope<'a> {
    /// What is grouped by: what was asked for, else what suits the table.
    pub fn by_or(&self, suiting: &'a [By]) -> &'a [By] {
        if self.by.is_empty() { suiting } else { self.by }
    }
}

pub fn run(arguments: &Score) -> Result<()> {
    let study = StudyFile::open(&arguments.study)?;
    let by = arguments.by.iter().map(|name| name.parse()).collect::<Result<Vec<By>>>()?;
    if arguments.human {
        return human::run(&study, arguments);
    }
    if ranked::is_wanted(arguments) {
        return ranked::run(&study, arguments, &by);
    }
    let protocols = protocols::named_or_all(&study, arguments.protocol.as_deref())?;
    let (chosen, gold) = gold::choose(&study, &arguments.annotators, arguments.rule)?;
    let people: BTreeMap<AnnotatorId, String> = chosen.annotators.into_iter().collect();
    let corpus = Corpus::read(&study, &by)?;
    let mut scored: Vec<(&Protocol, Vec<Table>)> = Vec::new();
    let mut left_out = Vec::new();
    for protocol in &protocols {
        let versions = counted(protocol, arguments.all_versions);
        let judged = Judged::read(&study, protocol, &people, gold.as_ref(), versions)?;
        let is_chosen = |annotator| people.contains_key(&annotator);
        let note = version_note(&study, protocol, arguments.all_versions, is_chosen)?;
        if judged.is_empty() {
            left_out.extend(note);
            continue;
        }
        let (corpus, judged, people, by) = (&corpus, &judged, &people, by.as_slice());
        let gold = gold.as_ref();
        let mut tables = tables_of(&Scope { protocol, corpus, judged, people, gold, by, arguments })?;
        if let Some(first) = tables.first_mut() {
            first.notes.extend(note.into_iter().chain(judged.note().cloned()));
        }
        scored.push((protocol, tables));
    }
    let mut tables = named(scored);
    if arguments.protocol.is_none() || protocols.iter().any(is_about_usefulness) {
        tables.extend(evidence::tables(&corpus, &by)?);
    }
    if tables.is_empty() {
        return Err(nothing(&study, arguments, &left_out));
    }
    print_tables(&tables, arguments.form)
}

/// The error where there is nothing to print.
fn nothing(study: &StudyFile, arguments: &Score, left_out: &[String]) -> Error {
    if !left_out.is_empty() {
        return Error::new(left_out.join(" ")).in_file(study.path());
    }
    let what = match &arguments.protocol {
        Some(name) => format!("nobody among these annotators judged anything under {name:?}"),
        None => "nobody among these annotators judged anything".to_owned(),
    };
    Error::new(what)
        .in_file(study.path())
        .advise("import or annotate first, or name others with --annotators")
}

/// All tables, each with its protocol in JSON, and in its title where there are several protocols.
fn named(scored: Vec<(&Protocol, Vec<Table>)>) -> Vec<Table> {
    let several = scored.iter().filter(|(_, tables)| !tables.is_empty()).count() > 1;
    let name = |protocol: &Protocol, mut table: Table| {
        if several {
            table.title = format!("{} · {}", protocol.name, table.title);
        }
        table.fact("protocol", protocol.name.as_str())
    };
    scored
        .into_iter()
        .flat_map(|(protocol, tables)| tables.into_iter().map(move |table| name(protocol, table)))
        .collect()
}

fn tables_of(scope: &Scope<'_>) -> Result<Vec<Table>> {
    let scoring = Scoring::of(scope.protocol);
    let mut tables = match &scoring {
        Scoring::Coverage(questions) => coverage::tables(scope, questions),
        Scoring::KeyPoints => key_points::tables(scope),
        Scoring::Recall => recall::tables(scope)?,
        Scoring::Usefulness => usefulness::tables(scope)?,
        Scoring::Placement(question) => placement::tables(scope, question),
        Scoring::Attribution(question) => attribution::tables(scope, question),
        Scoring::Refinement(questions) => refinement::tables(scope, questions)?,
        Scoring::Answerability(questions) => questions::tables(scope, questions),
        Scoring::Matching(question) => matching::tables(scope, question),
        Scoring::Labels => Vec::new(),
    };
    tables.extend(labels::tables(scope, &scoring.reads()));
    tables.extend(scope.arguments.spot_check.map(|share| spot_check::table(scope, share)));
    Ok(tables)
}
