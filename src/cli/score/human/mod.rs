//! `haymark score --human`: what people wrote against the clock, minute by minute, beside the systems.

mod plot;
mod read;
mod tables;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::super::args::Score;
use super::super::gold::{self, GoldBy};
use super::super::output::{print, print_tables, prints_to_terminal, terminal_width};
use super::super::protocols::{self, counted, version_note};
use super::super::table::{OutputFormat, Table};
use super::Scope;
use super::corpus::Corpus;
use super::coverage::summaries;
use super::judged::Judged;
use crate::agreement::Bootstrap;
use crate::error::{Error, Result};
use crate::protocol::Protocol;
use crate::score::{CoverageQuestions, CurvePoint, Scoring, SummaryJudged, curves};
use crate::store::{StoredSession, StudyFile};
use crate::study::{AnnotatorId, AnnotatorKind};
use read::{Baseline, Written};

pub fn run(study: &StudyFile, arguments: &Score) -> Result<()> {
    let sessions = sessions(study)?;
    let corpus = Corpus::read_all(study, &[])?;
    let protocols = protocols::named_or_all(study, arguments.protocol.as_deref())?;
    let about = |protocol: &'_ &Protocol| matches!(Scoring::of(protocol), Scoring::Coverage(_));
    let mut found = None;
    for protocol in protocols.iter().filter(about) {
        let baseline = of_protocol(study, &corpus, protocol, arguments, &sessions)?;
        let is_judged = baseline.has_judgments();
        // Where nothing is judged yet, the first protocol says so.
        if is_judged || found.is_none() {
            found = Some((protocol, baseline));
        }
        if is_judged {
            break;
        }
    }
    let Some((protocol, baseline)) = found else {
        let what = match &arguments.protocol {
            Some(name) => format!("the protocol {name:?} does not ask how far insights are covered"),
            None => "no protocol asks how far insights are covered".to_owned(),
        };
        return Err(Error::new(what).in_file(study.path()).advise("use --protocol coverage"));
    };
    let bootstrap = Bootstrap { resamples: arguments.ranked.resamples, seed: arguments.ranked.seed };
    let curve = curves(&baseline.curves(), bootstrap);
    let tables: Vec<Table> = tables::all(&baseline, &curve, bootstrap)
        .into_iter()
        .map(|table| table.fact("protocol", protocol.name.as_str()))
        .collect();
    print_tables(&tables, arguments.form)?;
    if arguments.form.format == OutputFormat::Table && prints_to_terminal() {
        print(&plotted(&curve, terminal_width()))?;
    }
    Ok(())
}

/// The plot with its title.
fn plotted(curve: &[CurvePoint], width: usize) -> String {
    format!("\n{}", plot::plot(curve, width))
}

/// Every session with its events.
fn sessions(study: &StudyFile) -> Result<Vec<StoredSession>> {
    let sessions =
        study.sessions()?.into_iter().map(|head| study.session(head.id)).collect::<Result<Vec<_>>>()?;
    if sessions.is_empty() {
        return Err(Error::new("nobody has begun a session")
            .in_file(study.path())
            .advise("`haymark session STUDY --as NAME` begins one"));
    }
    Ok(sessions)
}

/// What was written, with what the chosen annotators say about it under one protocol.
fn of_protocol(
    study: &StudyFile,
    corpus: &Corpus<'_>,
    protocol: &Protocol,
    arguments: &Score,
    sessions: &[StoredSession],
) -> Result<Baseline> {
    let Scoring::Coverage(questions) = Scoring::of(protocol) else {
        return Err(Error::new(format!("the protocol {:?} has no scores of coverage", protocol.name)));
    };
    let (chosen, gold) = gold::choose(study, &arguments.annotators, arguments.rule)?;
    let people: BTreeMap<AnnotatorId, String> = chosen.annotators.into_iter().collect();
    let source = Source { study, corpus, protocol, arguments, questions: &questions };
    let by_people = source.summaries(&people, gold.as_ref())?;
    let models: BTreeMap<AnnotatorId, String> = study
        .annotators()?
        .into_iter()
        .filter(|(id, annotator)| annotator.kind == AnnotatorKind::Model && !people.contains_key(id))
        .map(|(id, annotator)| (id, annotator.id))
        .collect();
    let by_models = source.summaries(&models, None)?;
    let note = version_note(study, protocol, arguments.all_versions, |id| people.contains_key(&id))?;
    let written =
        sessions.iter().map(|stored| Written::read(&source, stored)).collect::<Result<Vec<Written>>>()?;
    Ok(Baseline::of(&source, written, by_people, by_models, note))
}

/// Where judgments come from.
struct Source<'a> {
    study: &'a StudyFile,
    corpus: &'a Corpus<'a>,
    protocol: &'a Protocol,
    arguments: &'a Score,
    questions: &'a CoverageQuestions<'a>,
}

impl Source<'_> {
    /// Every summary of which these annotators judged something.
    fn summaries(
        &self,
        people: &BTreeMap<AnnotatorId, String>,
        gold: Option<&GoldBy>,
    ) -> Result<Vec<SummaryJudged>> {
        let versions = counted(self.protocol, self.arguments.all_versions);
        let judged = Judged::read(self.study, self.protocol, people, gold, versions)?;
        let (protocol, corpus, arguments) = (self.protocol, self.corpus, self.arguments);
        let scope = Scope { protocol, corpus, judged: &judged, people, gold, by: &[], arguments };
        Ok(summaries(&scope, self.questions))
    }
}
