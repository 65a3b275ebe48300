//! The systems under gold, the people together, their majority, each annotator and each judge, how sure each score is, and how far the rankings differ.

mod tables;
mod views;

use std::collections::BTreeMap;

use views::{Everyone, Views, Whose};

use super::{Asked, Scope, answerability, coverage, keypoint, named, nothing, recall};
use crate::error::{Error, Result};
use crate::protocol::{Part, Protocol};
use crate::report::corpus::Corpus;
use crate::report::judged::Judged;
use crate::report::protocols::{self, counted, version_note};
use crate::report::table::Table;
use crate::score::{
    By, Contribution, ItemJudged, RankedMeasure, Ranking, Scoring, ranked_labels, ranked_measures,
};
use crate::store::{GOLD, StudyFile};
use crate::study::AnnotatorId;

/// What asks for rankings where names of annotators stand.
const EACH: &str = "each";

/// Whether the systems are to be ranked under each annotator.
pub fn asks_for_rankings(annotators: &[String]) -> bool {
    annotators.iter().any(|name| name == EACH)
}

/// The rankings of every protocol that is about systems.
///
/// # Errors
/// Nothing is judged, there is nothing to rank, or the study cannot be read.
pub fn rankings(study: &StudyFile, asked: &Asked) -> Result<Vec<Table>> {
    refuse_what_is_not_for_rankings(asked)?;
    let names: Vec<String> = asked.annotators.iter().filter(|name| *name != EACH).cloned().collect();
    let everyone = Everyone::read(study, &names)?;
    let corpus = Corpus::read(study, &asked.by)?;
    let protocols = protocols::named_or_all(study, asked.protocol.as_deref())?;
    let mut ranked: Vec<(&Protocol, Vec<Table>)> = Vec::new();
    let (mut left_out, mut without_systems) = (Vec::new(), Vec::new());
    for protocol in &protocols {
        let judged =
            Judged::read(study, protocol, &everyone.names, None, counted(protocol, asked.all_versions))?;
        let is_chosen = |annotator: AnnotatorId| everyone.names.contains_key(&annotator);
        let note = version_note(study, protocol, asked.all_versions, is_chosen)?;
        if judged.is_empty() {
            left_out.extend(note);
            continue;
        }
        let (judged, people) = (&judged, &everyone.names);
        let scope = Scope { protocol, corpus: &corpus, judged, people, gold: None, asked };
        match tables_of(&scope, &everyone)? {
            Some(mut tables) => {
                if let Some(first) = tables.first_mut() {
                    first.notes.extend(note);
                }
                ranked.push((protocol, tables));
            }
            None => without_systems.push(protocol.name.as_str()),
        }
    }
    let tables = named(ranked);
    if tables.is_empty() && !without_systems.is_empty() {
        let names = without_systems.join(", ");
        return Err(Error::new(format!("what is judged under {names} is about no system"))
            .in_file(study.path())
            .advise("name what to rank with --by, such as --by domain"));
    }
    if tables.is_empty() {
        return Err(nothing(study, asked, &left_out));
    }
    Ok(tables)
}

fn refuse_what_is_not_for_rankings(asked: &Asked) -> Result<()> {
    if asked.spot_check.is_some() {
        return Err(Error::usage("--spot-check lists items and ranks no system")
            .advise("leave out `--annotators each`"));
    }
    if asked.by.contains(&By::Annotator) {
        return Err(Error::usage("`--annotators each` scores every annotator by itself already")
            .advise("leave annotator out of --by"));
    }
    Ok(())
}

/// What is ranked by one measure under each view.
struct Measured {
    measure: RankedMeasure,
    /// In the order of the views.
    rankings: Vec<Ranking>,
}

/// The tables of one protocol; `None` where it is about no system and nothing else was named to be ranked.
fn tables_of(scope: &Scope<'_>, everyone: &Everyone) -> Result<Option<Vec<Table>>> {
    let is_about_systems = scope.protocol.targets(Part::Candidate) || scope.protocol.targets(Part::Bullet);
    let measures = ranked_measures(scope.protocol);
    let is_about_nothing = !is_about_systems && scope.asked.by.is_empty();
    if measures.is_empty() || is_about_nothing {
        return Ok(None);
    }
    let by = scope.by_or(&[By::System]);
    let made = BTreeMap::from(
        [(views::MAJORITY, Whose::Majority), (GOLD, Whose::Gold)]
            .map(|(id, whose)| (id, whose.name().to_owned())),
    );
    let views = Views::of(scope, everyone, &made)?;
    let (bootstrap, is_brief) = (scope.asked.bootstrap, scope.asked.is_brief);
    let judged: Vec<Vec<Contribution>> = views
        .all
        .iter()
        .map(|view| contributions(&Scope { judged: &view.judged, people: view.people, ..*scope }))
        .collect();
    // The headline, or what has a score where the headline has none.
    let has_score = |place: &usize| {
        let tallies = judged.iter().flatten().filter_map(|thing| thing.tallies.get(*place));
        tallies.map(|tally| tally.count).any(|count| count > 0)
    };
    let headline = (0..measures.len()).find(has_score).unwrap_or(0);
    let shown = |place: usize| !is_brief || place == headline;
    let mut found = Vec::new();
    let mut others = Vec::new();
    for (place, measure) in measures.into_iter().enumerate() {
        if !shown(place) {
            others.push(measure.heading);
            continue;
        }
        let ranking =
            |judged: &Vec<Contribution>| Ranking::of(judged, place, by, measure.undefined, bootstrap);
        let rankings = judged.iter().map(ranking).collect();
        let measured = Measured { rankings, measure };
        found.extend(tables::tables(&views, &measured, by, is_brief));
    }
    if let Some(first) = found.first_mut() {
        first.notes.extend(tables::method(bootstrap));
        first.notes.extend(views.notes());
        if !others.is_empty() {
            first.notes.push(format!("--full also ranks by {}.", others.join(", ")));
        }
    }
    Ok(Some(found))
}

/// What everything that was judged adds to the scores, by the measures of the protocol.
fn contributions(scope: &Scope<'_>) -> Vec<Contribution> {
    let items = || scope.judged.items(scope.corpus);
    match Scoring::of(scope.protocol) {
        Scoring::Coverage(questions) => {
            let average = scope.asked.average;
            let summaries = coverage::summaries(scope, &questions);
            summaries.iter().map(|summary| summary.contribution(average)).collect()
        }
        Scoring::Recall => {
            let responses = recall::responses_judged(scope);
            responses.iter().map(|(_, response)| response.contribution()).collect()
        }
        Scoring::KeyPoints => keypoint::points(scope).iter().map(|point| point.contribution()).collect(),
        Scoring::Usefulness => items().iter().map(ItemJudged::usefulness_contribution).collect(),
        Scoring::Attribution(question) => {
            let support = |item: &ItemJudged| item.attribution_contribution(question.read(&item.answers));
            items().iter().map(support).collect()
        }
        Scoring::Answerability(asked) => {
            answerability::texts(scope, &asked).iter().map(|text| text.contribution()).collect()
        }
        _ => items().iter().map(|item| ranked_labels(scope.protocol, item)).collect(),
    }
}
