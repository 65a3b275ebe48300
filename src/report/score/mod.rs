//! Scores of systems from the judgments of a study.

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

use super::{
    CorpusIndex, GoldBy, ItemsChosen, Judged, StudyFrame, StudyPart, Table, first_step, gold, nobody, pivots,
    protocols, version_note,
};
use crate::error::{Error, ErrorKind, Result};
use crate::journal::{ConsensusRule, Material};
use crate::protocol::{Protocol, ScoreRule, ScoreSheet};
use crate::score::{
    Average, By, ClusterKind, CoverageQuestions, GroupBy, Grouped, PreferenceQuestion, RefinementQuestions,
    is_about_key_points,
};
use crate::store::StudyFile;
use crate::study::AnnotatorId;

pub use against::CorrelationRow;
pub use human::{MeasureRow, baseline, heading};
pub use ranked::{DetectableRow, MeasureRankings, ViewRanking, Whose, asks_for_rankings, rankings};
pub use retrieval::retrieval;

/// The phrase for items without a judgment.
pub const NOBODY_JUDGED: &str = "that nobody judged yet";

/// The first names that a note gives, and how many more there are; JSON has all.
fn first_of(names: impl ExactSizeIterator<Item = String>) -> String {
    const NAMED: usize = 3;
    let more = names.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!("and {more} more"));
    names.take(NAMED).chain(more).collect::<Vec<String>>().join("; ")
}

/// The options of scores.
#[derive(Debug, Clone, Default)]
pub struct ScoresAsked {
    pub part: StudyPart,
    pub average: Average,
    /// The rule by which gold is made.
    pub rule: Option<ConsensusRule>,
    /// The share of the items to list for judging again.
    pub spot_check: Option<f64>,
    /// Whether only the most important columns and tables are wanted.
    pub is_brief: bool,
    /// Scores from the command line or a file that replace those of the protocols.
    pub sheet: ScoreSheet,
    /// A field of the summaries, such as a machine's score, with which people's scores are compared.
    pub against: Option<String>,
    /// The judge for whose errors scores are corrected by people's labels on a sample.
    pub corrected_by: Option<String>,
    /// Whether to take people's labels for a random sample without a record of one.
    pub takes_any_sample: bool,
    /// Whether `against` also lists every summary with both numbers.
    pub has_pairs: bool,
}

impl ScoresAsked {
    /// The score rules for a protocol: those of the options, else those of its file, else those of a built-in protocol that
    /// asks the same. `None` for coverage and refinement, which have tables of their own.
    fn sheet_of<'s>(&'s self, protocol: &'s Protocol) -> Option<&'s ScoreSheet> {
        let is_own = self.sheet.is_empty() && protocol.scores.is_empty();
        match protocol {
            _ if !self.sheet.is_empty() => Some(&self.sheet),
            _ if is_own && self.against.is_none() && has_own_tables(protocol) => None,
            _ => protocol.score_sheet(),
        }
    }

    /// The records, with the texts of documents if the scores of the judged protocols read them.
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

/// The judgments under one protocol, and the options of their scores.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    pub frame: &'a StudyFrame<'a>,
    pub study: &'a StudyFile,
    pub protocol: &'a Protocol,
    pub corpus: &'a CorpusIndex,
    /// The groupings that were asked for.
    pub by: &'a [By],
    pub judged: &'a Judged<'a>,
    pub people: &'a BTreeMap<AnnotatorId, String>,
    /// The rule by which gold is made, where gold is among the people.
    pub gold: Option<&'a GoldBy>,
    /// Judgments under other protocols that scores read in the place of the study's, as those of the majority.
    pub elsewhere: &'a [Arc<Material>],
    /// The items that pass the filter.
    pub part: &'a ItemsChosen,
    pub asked: &'a ScoresAsked,
}

impl<'a> Scope<'a> {
    /// The score rules, if any.
    fn sheet(&self) -> Option<&'a ScoreSheet> {
        self.asked.sheet_of(self.protocol)
    }

    /// The phrase for items without a judgment that counts.
    pub fn open_items(&self) -> &'static str {
        if self.gold.is_some() { "without gold in texts that have some" } else { NOBODY_JUDGED }
    }

    /// The rules of the sheet, else those for the labels of the protocol.
    fn rules(&self) -> Vec<ScoreRule> {
        self.sheet().map_or_else(|| self.protocol.score_rules(), |sheet| sheet.rules.clone())
    }

    /// The groupings that were asked for, else `suiting`, which suit the table.
    pub fn by_or(&self, suiting: &[&str]) -> GroupBy {
        let uncertainty = self.asked.part.uncertainty;
        match self.by {
            [] => GroupBy::own(suiting, uncertainty),
            by => GroupBy { by: by.to_vec(), uncertainty },
        }
    }

    /// The candidates, and the findings for each group. `read` reads candidates in parts by these groupings; the total is
    /// computed over whole candidates.
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
pub fn scores(study: &StudyFile, asked: &ScoresAsked) -> Result<Vec<Table>> {
    scores_of(&StudyFrame::of(study, asked.part.frame()), asked)
}

/// The scores by rows and columns, as [`pivots`] has them.
pub fn pivoted(study: &StudyFile, asked: &ScoresAsked) -> Result<Vec<Table>> {
    let frame = StudyFrame::of(study, asked.part.frame());
    let of = |by: &[String]| {
        let part = StudyPart { by: by.to_vec(), ..asked.part.clone() };
        scores_of(&frame.grouped_by(by), &ScoresAsked { part, ..asked.clone() })
    };
    pivots(&asked.part.by, of)
}

fn scores_of(frame: &StudyFrame<'_>, asked: &ScoresAsked) -> Result<Vec<Table>> {
    let study = frame.study;
    let protocols = protocols::named_or_all(study, asked.part.protocol.as_deref())?;
    let (chosen, gold) = gold::choose(study, &asked.part.annotators, asked.rule)?;
    let people: BTreeMap<AnnotatorId, String> = chosen.annotators.into_iter().collect();
    let (corpus, by) = (asked.corpus(frame, &protocols)?, frame.by()?);
    // A filter that no judged item passes may still fit summaries with gold answers.
    let (part, mut unfit) = match frame.items() {
        Err(error) if error.kind() == ErrorKind::Nothing => (Some(Arc::default()), Some(error)),
        part => (part?, None),
    };
    let (by, people, gold, part, elsewhere) = (&by, &people, gold.as_ref(), &part, &[][..]);
    let (mut tables, _, unjudged) =
        of_protocols((frame, asked, part), (people, gold), &protocols, |protocol, judged| {
            let scope =
                Scope { frame, study, protocol, corpus, by, judged, people, gold, elsewhere, part, asked };
            tables_of(&scope).map(Some)
        })?;
    let is_of_protocols = asked.sheet.is_empty() && asked.against.is_none() && asked.corrected_by.is_none();
    if is_of_protocols && (asked.part.protocol.is_none() || protocols.iter().any(evidence::is_beside)) {
        match evidence::tables(frame, asked) {
            Err(error) if error.kind() == ErrorKind::Nothing => unfit = unfit.or(Some(error)),
            // The brief form of a named protocol only tells of the tables of evidence.
            found if asked.is_brief && asked.part.protocol.is_some() && !tables.is_empty() => {
                if !found?.is_empty()
                    && let Some(first) = tables.first_mut()
                {
                    let note = "--full also prints how many gold answers stand in passages and summaries.";
                    first.notes.push(note.to_owned());
                }
            }
            found => tables.extend(found?),
        }
    }
    Table::note_intervals(&mut tables, asked.part.uncertainty.note(ClusterKind::Query));
    if let Some(first) = tables.first_mut() {
        // Corrected scores have a note of their own on weights.
        first.notes.extend(frame.weighed()?.filter(|_| asked.corrected_by.is_none()));
        return Ok(tables);
    }
    Err(unfit.unwrap_or_else(|| nothing(study, asked, &unjudged)))
}

/// Notes on judgments under versions that do not count, and the numbers of half-answered judgments and of those on revised texts.
type Unjudged = (Vec<String>, [usize; 2]);

/// The tables of each protocol with judgments, the protocols without tables, and what nobody judged.
fn of_protocols<'p>(
    (frame, asked, part): (&StudyFrame<'_>, &ScoresAsked, &ItemsChosen),
    (people, gold): (&BTreeMap<AnnotatorId, String>, Option<&GoldBy>),
    protocols: &'p [Protocol],
    find: impl Fn(&'p Protocol, &Judged<'_>) -> Result<Option<Vec<Table>>>,
) -> Result<(Vec<Table>, Vec<&'p str>, Unjudged)> {
    let (mut scored, mut without, mut unjudged, study) =
        (Vec::new(), Vec::new(), (Vec::new(), [0; 2]), frame.study);
    for protocol in protocols {
        let judged = &Judged::read(frame, protocol, people, gold, part)?;
        let note = version_note(study, protocol, asked.part.all_versions, |id| people.contains_key(&id))?;
        if judged.is_empty() {
            unjudged.0.extend(note);
            unjudged.1[0] += judged.half_answered();
            unjudged.1[1] += judged.outdated();
            continue;
        }
        match find(protocol, judged)? {
            Some(mut tables) => {
                let rules = asked.sheet_of(protocol).map_or(&[][..], |sheet| &sheet.rules);
                if let Some(first) = tables.first_mut() {
                    first.notes.extend(note.into_iter().chain(judged.notes(rules)));
                }
                scored.push((protocol, tables));
            }
            None => without.push(protocol.name.as_str()),
        }
    }
    Ok((named(scored), without, unjudged))
}

/// The error where no protocol has a judgment that counts.
fn nothing(
    study: &StudyFile,
    asked: &ScoresAsked,
    (left_out, [half_answered, outdated]): &Unjudged,
) -> Error {
    if !left_out.is_empty() {
        return Error::new(left_out.join(" ")).in_file(study.path());
    }
    let nobody = nobody(&asked.part.annotators);
    let chosen = if asked.part.filter.is_some() { "of what the filter chooses " } else { "" };
    let mut what = match &asked.part.protocol {
        Some(name) => format!("{chosen}{nobody} judged anything under {name:?}"),
        None => format!("{chosen}{nobody} judged anything"),
    };
    if *half_answered > 0 {
        what += &format!(" to the end; half-answered judgments: {half_answered}");
    }
    if *outdated > 0 {
        what += &format!("; judgments on texts that were revised since: {outdated}");
        return Error::new(what).in_file(study.path()).advise("--all-versions counts them");
    }
    Error::new(what).in_file(study.path()).advise(first_step(study, &asked.part.annotators))
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
