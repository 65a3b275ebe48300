//! What the judgments say about systems.

mod against;
mod corrected;
pub mod coverage;
mod evidence;
mod human;
pub mod labels;
mod preference;
mod ranked;
mod refinement;
mod retrieval;
mod rules;
mod spot_check;
mod thresholds;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::annotators::{first_step, nobody};
use super::corpus::CorpusIndex;
use super::frame::{FrameAsked, ItemsChosen, StudyFrame};
use super::gold::{self, GoldBy};
use super::judged::Judged;
use super::protocols::{self, version_note};
use super::table::Table;
use crate::error::{Error, ErrorKind, Result};
use crate::journal::ConsensusRule;
use crate::protocol::{Protocol, ScoreRule, ScoreSheet};
use crate::score::{
    Average, By, ClusterKind, CoverageQuestions, GroupBy, Grouped, PreferenceQuestion, RefinementQuestions,
    Uncertainty, is_about_key_points,
};
use crate::store::StudyFile;
use crate::study::AnnotatorId;

pub use human::baseline;
pub use ranked::{asks_for_rankings, rankings};
pub use retrieval::retrieval;

/// Why an item is in no score.
pub const NOBODY_JUDGED: &str = "that nobody judged yet";

/// What is asked about the systems of a study.
#[derive(Debug, Clone, Default)]
pub struct ScoresAsked {
    /// The protocol; all where none is named.
    pub protocol: Option<String>,
    pub all_versions: bool,
    pub by: Vec<String>,
    pub average: Average,
    /// Whose judgments; those of all people where nobody is named.
    pub annotators: Vec<String>,
    /// Which items, in the language of browse; all without one.
    pub filter: Option<String>,
    /// How gold is made.
    pub rule: Option<ConsensusRule>,
    /// The share of the items to be judged again.
    pub spot_check: Option<f64>,
    /// How intervals are made; over queries where no cluster is named.
    pub uncertainty: Uncertainty,
    /// Whether a reader wants the most important only.
    pub is_brief: bool,
    /// Scores of the moment, or of a file, in the place of those of the protocols.
    pub sheet: ScoreSheet,
    /// A number of the summaries, such as a machine's score, that people's scores are compared with.
    pub against: Option<String>,
    /// The judge whose errors are taken out of the scores, with people's labels on a sample.
    pub corrected_by: Option<String>,
    /// Whether people's labels are taken for a random sample, whatever they are.
    pub takes_any_sample: bool,
    /// Whether every summary with both numbers is listed beside it.
    pub has_pairs: bool,
}

impl ScoresAsked {
    /// What is taken in of the study.
    fn frame(&self) -> FrameAsked<'_> {
        FrameAsked {
            all_versions: self.all_versions,
            filter: self.filter.as_deref(),
            by: &self.by,
            has_snapshots: false,
            is_unweighted: self.uncertainty.is_unweighted,
        }
    }
}

impl ScoresAsked {
    /// The scores as data that stand under a protocol: those that are asked for, else those of its file, else those of a
    /// built-in protocol that asks the same. Coverage and wordings have tables that no file can say.
    fn sheet_of<'s>(&'s self, protocol: &'s Protocol) -> Option<&'s ScoreSheet> {
        let is_own = self.sheet.is_empty() && protocol.scores.is_empty();
        match protocol {
            _ if !self.sheet.is_empty() => Some(&self.sheet),
            _ if is_own && self.against.is_none() && has_own_tables(protocol) => None,
            _ => protocol.score_sheet(),
        }
    }

    /// The records, with what the scores of what was judged under these protocols read.
    fn corpus<'f>(&self, frame: &'f StudyFrame<'_>, protocols: &[Protocol]) -> Result<&'f CorpusIndex> {
        let mut rules = Vec::new();
        for protocol in protocols {
            if let Some(sheet) = self.sheet_of(protocol)
                && !frame.material(protocol)?.rows().is_empty()
            {
                rules.extend_from_slice(&sheet.rules);
            }
        }
        frame.corpus_for(&rules)
    }
}

/// Whether the scores of a protocol have tables of their own.
fn has_own_tables(protocol: &Protocol) -> bool {
    CoverageQuestions::of(protocol).is_some() || RefinementQuestions::of(protocol).is_some()
}

/// What is scored under one protocol, and how it is asked for.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    pub frame: &'a StudyFrame<'a>,
    pub study: &'a StudyFile,
    pub protocol: &'a Protocol,
    pub corpus: &'a CorpusIndex,
    /// What is grouped by, where something was named.
    pub by: &'a [By],
    pub judged: &'a Judged<'a>,
    pub people: &'a BTreeMap<AnnotatorId, String>,
    /// How gold is made, where it is among the people.
    pub gold: Option<&'a GoldBy>,
    /// The items that are looked at.
    pub part: &'a ItemsChosen,
    pub asked: &'a ScoresAsked,
}

impl<'a> Scope<'a> {
    /// The scores as data, where there are some.
    fn sheet(&self) -> Option<&'a ScoreSheet> {
        self.asked.sheet_of(self.protocol)
    }

    /// Why an item has no judgment that counts.
    pub fn open_items(&self) -> &'static str {
        if self.gold.is_some() { "that are disputed, or judged by too few for gold" } else { NOBODY_JUDGED }
    }

    /// The scores that each summary has, else those of its labels.
    fn rules(&self) -> Vec<ScoreRule> {
        self.sheet().map_or_else(|| self.protocol.score_rules(), |sheet| sheet.rules.clone())
    }

    /// What is grouped by: what was asked for, else what suits the table.
    pub fn by_or(&self, suiting: &[&str]) -> GroupBy {
        let uncertainty = self.asked.uncertainty;
        match self.by {
            [] => GroupBy::own(suiting, uncertainty),
            by => GroupBy { by: by.to_vec(), uncertainty },
        }
    }

    /// What is found out about each group. Where a candidate comes in parts by what is grouped by, all of them together
    /// are made of whole ones: `read` reads them by this.
    pub fn grouped_candidates<J, T>(
        &self,
        read: impl Fn(&[By]) -> Vec<J>,
        found: impl Fn(&[J], GroupBy) -> Grouped<T>,
        suiting: &[&str],
    ) -> (Vec<J>, Grouped<T>) {
        let whole = read(&[]);
        let by = self.by_or(suiting);
        if by.by.iter().all(|by| by.code(0).is_none()) {
            let grouped = found(&whole, by);
            return (whole, grouped);
        }
        let all = found(&whole, GroupBy { by: Vec::new(), ..by.clone() }).all;
        let grouped = Grouped { all, ..found(&read(&by.by), by) };
        (whole, grouped)
    }
}

/// The scores under every protocol that was judged.
///
/// # Errors
/// Nothing is judged, a name is unknown, or the study cannot be read.
pub fn scores(study: &StudyFile, asked: &ScoresAsked) -> Result<Vec<Table>> {
    let protocols = protocols::named_or_all(study, asked.protocol.as_deref())?;
    let (chosen, gold) = gold::choose(study, &asked.annotators, asked.rule)?;
    let people: BTreeMap<AnnotatorId, String> = chosen.annotators.into_iter().collect();
    let frame = StudyFrame::of(study, asked.frame());
    let (corpus, by) = (asked.corpus(&frame, &protocols)?, frame.by()?);
    // What nobody judged may fit still: summaries with a gold answer.
    let (part, mut unfit) = match frame.items() {
        Err(error) if error.kind() == ErrorKind::Nothing => (Some(Arc::default()), Some(error)),
        part => (part?, None),
    };
    let mut scored: Vec<(&Protocol, Vec<Table>)> = Vec::new();
    let (mut left_out, mut half_answered) = (Vec::new(), 0);
    for protocol in &protocols {
        let judged = Judged::read(&frame, protocol, &people, gold.as_ref(), &part)?;
        let is_chosen = |annotator| people.contains_key(&annotator);
        let note = version_note(study, protocol, asked.all_versions, is_chosen)?;
        if judged.is_empty() {
            left_out.extend(note);
            half_answered += judged.half_answered();
            continue;
        }
        let (frame, by, part) = (&frame, &by, &part);
        let (judged, people, gold) = (&judged, &people, gold.as_ref());
        let scope = Scope { frame, study, protocol, corpus, by, judged, people, gold, part, asked };
        let mut tables = tables_of(&scope)?;
        if let Some(first) = tables.first_mut() {
            first.notes.extend(note.into_iter().chain(judged.notes()));
        }
        scored.push((protocol, tables));
    }
    let mut tables = named(scored);
    let is_of_protocols = asked.sheet.is_empty() && asked.against.is_none() && asked.corrected_by.is_none();
    if is_of_protocols && (asked.protocol.is_none() || protocols.iter().any(evidence::is_beside)) {
        match evidence::tables(&frame, asked) {
            Err(error) if error.kind() == ErrorKind::Nothing => unfit = unfit.or(Some(error)),
            found => tables.extend(found?),
        }
    }
    // What the ranges are is said once.
    if let Some(first) =
        tables.iter_mut().find(|table| (0..table.columns.len()).any(|at| table.has_intervals(at)))
    {
        first.notes.push(asked.uncertainty.note(ClusterKind::Query));
        // Corrected scores say themselves by what they are weighed.
        first.notes.extend(frame.weighed()?.filter(|_| asked.corrected_by.is_none()));
    }
    if !tables.is_empty() {
        return Ok(tables);
    }
    Err(unfit.unwrap_or_else(|| nothing(study, asked, &left_out, half_answered)))
}

/// The error where there is nothing to print.
fn nothing(study: &StudyFile, asked: &ScoresAsked, left_out: &[String], half_answered: usize) -> Error {
    if !left_out.is_empty() {
        return Error::new(left_out.join(" ")).in_file(study.path());
    }
    let nobody = nobody(&asked.annotators);
    let chosen = if asked.filter.is_some() { "of what the filter chooses " } else { "" };
    let mut what = match &asked.protocol {
        Some(name) => format!("{chosen}{nobody} judged anything under {name:?}"),
        None => format!("{chosen}{nobody} judged anything"),
    };
    if half_answered > 0 {
        what += &format!(" to the end; half-answered judgments: {half_answered}");
    }
    Error::new(what).in_file(study.path()).advise(first_step(study, &asked.annotators))
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
    if let Some(judge) = &scope.asked.corrected_by {
        return corrected::tables(scope, judge);
    }
    if let Some(field) = &scope.asked.against {
        return against::tables(scope, field);
    }
    if !scope.asked.sheet.is_empty() {
        return rules::of_the_moment(scope, &scope.asked.sheet);
    }
    let mut tables = rules::tables(scope)?;
    if let Some(questions) = CoverageQuestions::of(scope.protocol) {
        tables.extend(coverage::tables(scope, &questions));
    } else if let Some(questions) = RefinementQuestions::of(scope.protocol) {
        tables.extend(refinement::tables(scope, &questions));
    } else if let Some(question) = PreferenceQuestion::of(scope.protocol) {
        tables.extend(preference::tables(scope, &question)?);
    } else if is_about_key_points(scope.protocol) {
        tables.extend(thresholds::table(scope));
    }
    tables.extend(labels::tables(scope));
    tables.extend(scope.asked.spot_check.map(|share| spot_check::table(scope, share)));
    Ok(tables)
}
