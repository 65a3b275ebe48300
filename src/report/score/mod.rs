//! What the judgments say about systems.

mod against;
mod answerability;
mod attribution;
pub mod coverage;
mod evidence;
mod human;
pub mod keypoint;
pub mod labels;
mod matching;
mod placement;
mod ranked;
mod recall;
mod refinement;
mod rules;
mod spot_check;
mod usefulness;

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
use crate::protocol::{Protocol, ScoreRule};
use crate::score::{Average, By, ClusterKind, GroupBy, Grouped, Scoring, Uncertainty, is_about_usefulness};
use crate::store::StudyFile;
use crate::study::AnnotatorId;

pub use human::baseline;
pub use ranked::{asks_for_rankings, rankings};

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
    pub rules: Vec<ScoreRule>,
    /// A number of the summaries, such as a machine's score, that people's scores are compared with.
    pub against: Option<String>,
}

impl ScoresAsked {
    /// What is taken in of the study.
    fn frame(&self) -> FrameAsked<'_> {
        FrameAsked {
            all_versions: self.all_versions,
            filter: self.filter.as_deref(),
            by: &self.by,
            has_snapshots: false,
            rules: &self.rules,
        }
    }
}

impl ScoresAsked {
    /// The scores as data: those that are asked for, else those that the files of these protocols name.
    fn rules_of(&self, protocols: &[Protocol]) -> Vec<ScoreRule> {
        let known = |protocol: &Protocol| match self.against {
            Some(_) => protocol.score_rules(),
            None => protocol.scores.clone(),
        };
        if self.rules.is_empty() { protocols.iter().flat_map(known).collect() } else { self.rules.clone() }
    }
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
    /// The scores as data that are asked for, else those that the protocol's file names.
    fn rules(&self) -> &'a [ScoreRule] {
        if self.asked.rules.is_empty() { &self.protocol.scores } else { &self.asked.rules }
    }

    /// Why an item has no judgment that counts.
    pub fn open_items(&self) -> &'static str {
        if self.gold.is_some() { "that are disputed, or judged by too few for gold" } else { NOBODY_JUDGED }
    }

    /// The same, else those that go with the protocol.
    fn rules_or_known(&self) -> Vec<ScoreRule> {
        if self.rules().is_empty() { self.protocol.score_rules() } else { self.rules().to_vec() }
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
    let rules = asked.rules_of(&protocols);
    let frame = StudyFrame::of(study, FrameAsked { rules: &rules, ..asked.frame() });
    let (corpus, by) = (frame.corpus()?, frame.by()?);
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
    let is_of_protocols = asked.rules.is_empty() && asked.against.is_none();
    if is_of_protocols && (asked.protocol.is_none() || protocols.iter().any(is_about_usefulness)) {
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
    let mut what = match &asked.protocol {
        Some(name) => format!("{nobody} judged anything under {name:?}"),
        None => format!("{nobody} judged anything"),
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
    if let Some(field) = &scope.asked.against {
        return Ok(vec![against::table(scope, field)?]);
    }
    if !scope.asked.rules.is_empty() {
        return Ok(vec![rules::of_the_moment(scope, &scope.asked.rules)?]);
    }
    let scoring = Scoring::of(scope.protocol);
    let mut tables = rules::tables(scope)?;
    tables.extend(match &scoring {
        Scoring::Coverage(questions) => coverage::tables(scope, questions),
        Scoring::KeyPoints => keypoint::tables(scope),
        Scoring::Recall => recall::tables(scope)?,
        Scoring::Usefulness => usefulness::tables(scope)?,
        Scoring::Placement(question) => placement::tables(scope, question),
        Scoring::Attribution(question) => attribution::tables(scope, question),
        Scoring::Refinement(questions) => refinement::tables(scope, questions),
        Scoring::Answerability(questions) => answerability::tables(scope, questions),
        Scoring::Matching(question) => matching::tables(scope, question),
        Scoring::Labels => Vec::new(),
    });
    tables.extend(labels::tables(scope, &scoring.reads()));
    tables.extend(scope.asked.spot_check.map(|share| spot_check::table(scope, share)));
    Ok(tables)
}
