//! Coverage, citation and joint score of summaries and systems.
//!
//! Source: Laban et al. 2024, Summary of a Haystack, §4.1. Every measure is on 0–100, save words per bullet. An item is an
//! insight in a summary; where several people judged it, its value is the mean of theirs.
//!
//! - coverage: mean over all judged items.
//! - citation (F1), precision, recall: mean over the items that someone calls covered and whose documents are
//!   known. Only judgments that link the item to a bullet count.
//! - joint: mean over all judged items of coverage × F1, 0 for one that is not covered; judgments whose
//!   citations cannot be looked at are left out.
//! - Insights that are not judged count nowhere, and are named.
//!
//! So joint ≤ coverage wherever every covered insight is linked and all documents are known; what was left out
//! stands in [`CoverageCounts`].

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::{AddAssign, Range};
use std::str::FromStr;
use std::sync::Arc;

use super::insight::{InsightJudged, InsightScore, ScoreParts};
use super::items::{Counted, Numbered, Score, Tally, Thing, by_thing, mean};
use super::measure::{Measure, Undefined};
use super::origin::{GroupBy, Grouped, Origin};
use super::uncertainty::ClusterKind;
use crate::agreement::in_parallel;
use crate::error::Error;
use crate::text::bullets::{SummaryLength, bullets, length};
use crate::text::citation::cited;

/// One annotator's judgments of one summary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SummaryJudged {
    pub origin: Origin,
    pub text: SummaryText,
    /// All insights of the query, judged or not, each once. What several say of an insight is kept once.
    pub insights: Vec<Arc<InsightJudged>>,
}

/// What scores need of a summary's text, the same for everyone who judged it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SummaryText {
    /// The documents that each bullet cites, by the bullets' order.
    pub bullets: Arc<[BTreeSet<u32>]>,
    /// Words of the whole summary, separated by white space.
    pub length: SummaryLength,
}

impl SummaryText {
    /// Reads a text.
    pub fn of(text: &str) -> SummaryText {
        let bullets = bullets(text).iter().map(|bullet| cited(bullet.slice(text))).collect();
        SummaryText { bullets, length: length(text) }
    }
}

/// How the scores of summaries become the score of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Average {
    /// One mean over the insights of all summaries, as in the published tables.
    #[default]
    Insight,
    /// The mean of the summaries' scores, each counting the same.
    Summary,
}

impl Average {
    /// Both.
    pub const ALL: [Average; 2] = [Average::Insight, Average::Summary];

    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Average::Insight => "insight",
            Average::Summary => "summary",
        }
    }
}

impl FromStr for Average {
    type Err = Error;

    fn from_str(name: &str) -> Result<Average, Error> {
        let found = Average::ALL.into_iter().find(|average| average.name() == name);
        found.ok_or_else(|| {
            Error::usage(format!("scores are not averaged over {name:?}")).advise("choose insight or summary")
        })
    }
}

/// What the scores are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Summaries with a judged insight.
    pub summaries: usize,
    /// Insights that are judged, and their judgments.
    pub judged: Counted,
    /// Insights of the summaries, judged or not.
    pub units: usize,
    /// Insights that someone calls covered, partially or fully.
    pub covered: usize,
    /// Judgments that call an insight with known documents covered and link it to no bullet; left out of citation and
    /// joint.
    pub unlinked: usize,
    /// Judged insights whose documents are not known; left out of citation and joint.
    pub without_gold: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.summaries += other.summaries;
        self.judged += other.judged;
        self.units += other.units;
        self.covered += other.covered;
        self.unlinked += other.unlinked;
        self.without_gold += other.without_gold;
    }
}

/// The scores of one summary or of several together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    pub counts: Counts,
    pub coverage: Measure,
    /// Citation F1.
    pub citation: Measure,
    pub joint: Measure,
    /// Citation precision.
    pub precision: Measure,
    /// Citation recall.
    pub recall: Measure,
    /// Words of the summaries / their bullets, each summary counted once.
    pub words_per_bullet: Measure,
}

impl Scores {
    /// Values in the order of [`Scores::measures`].
    fn of(counts: Counts, values: [Measure; 6]) -> Scores {
        let [coverage, citation, joint, precision, recall, words_per_bullet] = values;
        Scores { counts, coverage, citation, joint, precision, recall, words_per_bullet }
    }

    /// Whether every insight is judged.
    pub fn is_complete(&self) -> bool {
        self.counts.judged.items == self.counts.units
    }

    /// Name and value of every measure, in the order of the published tables.
    pub fn measures(&self) -> [(&'static str, Measure); 6] {
        [
            ("coverage", self.coverage),
            ("citation", self.citation),
            ("joint", self.joint),
            ("precision", self.precision),
            ("recall", self.recall),
            ("words_per_bullet", self.words_per_bullet),
        ]
    }
}

impl SummaryJudged {
    /// The judgments of the summary with this text.
    pub fn of(origin: Origin, text: &str, insights: Vec<InsightJudged>) -> SummaryJudged {
        let insights = insights.into_iter().map(Arc::new).collect();
        SummaryJudged { origin, text: SummaryText::of(text), insights }
    }

    /// The scores of each insight, in order; `None` where it is not judged.
    pub fn insight_scores(&self) -> Vec<Option<InsightScore>> {
        self.insights.iter().map(|insight| insight.score(&self.text.bullets)).collect()
    }

    /// The scores of this summary alone.
    pub fn scores(&self) -> Scores {
        Pool::of_summary(&[self]).scores()
    }
}

/// The scores of systems, retrievers, domains, … (Table 2).
pub fn scores_by<'b>(
    summaries: &[SummaryJudged],
    by: impl Into<GroupBy<'b>>,
    average: Average,
) -> Grouped<SystemScores> {
    let known = Known::default();
    let found =
        |members: &[Thing<'_, SummaryJudged>]| SystemScores::of_pools(members, average, known.pools(members));
    Grouped::of(summaries, |summary| &summary.origin, by, found)
}

/// Pools by summary, kept because a summary is looked at twice: in its group, and in all groups together.
#[derive(Default)]
struct Known(RefCell<HashMap<(*const SummaryJudged, usize), Pool>>);

impl Known {
    /// The pools of these summaries. Of a grouping, whoever judged one first and how many there are say which judgments these
    /// are.
    fn pools(&self, summaries: &[Thing<'_, SummaryJudged>]) -> Vec<Pool> {
        let key = |of: &Thing<'_, SummaryJudged>| {
            (
                of.judgments.first().map_or(std::ptr::null(), |first| std::ptr::from_ref(*first)),
                of.judgments.len(),
            )
        };
        let mut known = self.0.borrow_mut();
        let new: Vec<&Thing<'_, SummaryJudged>> =
            summaries.iter().filter(|summary| !known.contains_key(&key(summary))).collect();
        known.extend(new.iter().map(|summary| key(summary)).zip(pools(&new)));
        summaries.iter().filter_map(|summary| known.get(&key(summary)).copied()).collect()
    }
}

/// The pool of each of these summaries.
fn pools(summaries: &[&Thing<'_, SummaryJudged>]) -> Vec<Pool> {
    let part = |places: Range<u32>| {
        let part = summaries.get(places.start as usize..places.end as usize).unwrap_or_default();
        part.iter().map(|summary| Pool::of_summary(&summary.judgments)).collect()
    };
    // One after the other where threads would take longer than the work.
    match u32::try_from(summaries.len()) {
        Ok(count) if count > 256 => in_parallel(count, part),
        _ => summaries.iter().map(|summary| Pool::of_summary(&summary.judgments)).collect(),
    }
}

/// A summary with insights that nobody judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Unfinished<'a> {
    pub origin: &'a Origin,
    /// Keys of the insights that are not judged.
    pub units: Vec<&'a str>,
    /// Number of its insights, judged or not.
    pub of: usize,
}

/// The summaries with insights that nobody judged, in the order given.
pub fn unfinished(summaries: &[SummaryJudged]) -> Vec<Unfinished<'_>> {
    let mut found = Vec::new();
    for Thing { judgments, .. } in things(&summaries.iter().collect::<Vec<_>>()) {
        let said = || judgments.iter().flat_map(|summary| &summary.insights);
        let of_first = judgments.first().into_iter().flat_map(|summary| &summary.insights);
        if of_first.clone().all(|insight| insight.coverage.is_some()) {
            continue;
        }
        let judged = said().filter(|insight| insight.coverage.is_some());
        let judged: BTreeSet<&str> = judged.map(|insight| insight.unit.as_str()).collect();
        for SummaryJudged { origin, insights, .. } in judgments.iter().copied().take(1) {
            let units = insights.iter().map(|insight| insight.unit.as_str());
            let units: Vec<&str> = units.filter(|unit| !judged.contains(unit)).collect();
            if !units.is_empty() {
                found.push(Unfinished { origin, units, of: insights.len() });
            }
        }
    }
    found
}

/// Whether two summaries have the same insights at the same places.
fn has_insights_of(summary: &SummaryJudged, other: &SummaryJudged) -> bool {
    let pairs = || summary.insights.iter().zip(&other.insights);
    summary.insights.len() == other.insights.len()
        && pairs().all(|(one, other)| Arc::ptr_eq(one, other) || one.unit == other.unit)
}

fn things<'a>(summaries: &[&'a SummaryJudged]) -> Vec<Thing<'a, SummaryJudged>> {
    let origins = summaries.iter().map(|summary| &summary.origin);
    by_thing(summaries, |summary| &summary.origin, &Numbered::of(ClusterKind::Query, origins))
}

/// The scores of several summaries together. Give one [`SummaryJudged`] for each annotator and summary
/// that the annotator was to judge.
pub fn scores(summaries: &[&SummaryJudged], average: Average) -> Scores {
    SystemScores::of(&things(summaries), average).scores
}

/// The scores of several summaries, and what each cluster adds to them.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemScores {
    pub scores: Scores,
    /// In the order of [`Scores::measures`].
    pub parts: [Score; 6],
}

impl SystemScores {
    /// The scores of these summaries.
    pub fn of(summaries: &[Thing<'_, SummaryJudged>], average: Average) -> SystemScores {
        SystemScores::of_pools(summaries, average, pools(&summaries.iter().collect::<Vec<_>>()))
    }

    /// The same from the pools of the summaries, in their order.
    fn of_pools(summaries: &[Thing<'_, SummaryJudged>], average: Average, pools: Vec<Pool>) -> SystemScores {
        let mut all = Pool::default();
        pools.iter().for_each(|pool| all += *pool);
        let pooled = all.scores();
        let reasons = pooled.measures().map(|(_, measure)| measure.err().unwrap_or(Undefined::NothingJudged));
        let mut parts = reasons.map(Score::new);
        for (cluster, pool) in summaries.iter().map(|summary| summary.cluster).zip(pools) {
            let tallies = match average {
                Average::Insight => pool.tallies,
                Average::Summary => pool.scores().measures().map(|(_, measure)| Tally::one(measure.ok())),
            };
            parts.iter_mut().zip(tallies).for_each(|(part, tally)| part.add(cluster, tally));
        }
        // A pooled measure is undefined exactly when it is undefined for every summary.
        SystemScores { scores: Scores::of(all.counts, parts.each_ref().map(Score::value)), parts }
    }
}

/// Scores in the making, over items. Light enough for one a row of a large table.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pool {
    counts: Counts,
    /// In the order of [`Scores::measures`].
    tallies: [Tally; 6],
}

impl AddAssign for Pool {
    fn add_assign(&mut self, other: Pool) {
        self.counts += other.counts;
        self.tallies.iter_mut().zip(other.tallies).for_each(|(tally, more)| *tally += more);
    }
}

impl Pool {
    /// One summary, with the judgments of everyone who judged it.
    fn of_summary(judgments: &[&SummaryJudged]) -> Pool {
        let mut pool = Pool::default();
        let Some(first) = judgments.first() else { return pool };
        // By the insights' keys, so that their order changes no digit.
        let mut order: Vec<(&str, usize)> =
            first.insights.iter().zip(0..).map(|(insight, at)| (insight.unit.as_str(), at)).collect();
        order.sort_unstable();
        if order.windows(2).any(|two| matches!(two, [one, other] if one.0 == other.0))
            || judgments.iter().any(|summary| !has_insights_of(summary, first))
        {
            return Pool::of_mixed(judgments);
        }
        let mut of_item = Vec::with_capacity(judgments.len());
        for (_, at) in &order {
            of_item.clear();
            of_item.extend(
                judgments
                    .iter()
                    .filter_map(|summary| summary.insights.get(*at)?.parts(&summary.text.bullets)),
            );
            pool.add(&of_item);
        }
        pool.of_text(first, order.len());
        pool
    }

    /// The same of summaries whose insights are not in one order.
    fn of_mixed(judgments: &[&SummaryJudged]) -> Pool {
        let mut pool = Pool::default();
        let mut items: BTreeMap<&str, Vec<ScoreParts>> = BTreeMap::new();
        for summary in judgments {
            for insight in &summary.insights {
                items.entry(&insight.unit).or_default().extend(insight.parts(&summary.text.bullets));
            }
        }
        items.values().for_each(|of_item| pool.add(of_item));
        judgments.iter().take(1).for_each(|first| pool.of_text(first, items.len()));
        pool
    }

    /// Notes how many insights there are, and the length of the text where some are judged.
    fn of_text(&mut self, summary: &SummaryJudged, units: usize) {
        self.counts.units = units;
        if self.counts.judged.items > 0 {
            let SummaryLength { words, bullets } = summary.text.length;
            self.counts.summaries = 1;
            self.tallies[5] = Tally { sum: words as f64, weight: bullets as f64 };
        }
    }

    /// Takes an insight in a summary with the judgments of everyone who judged it.
    pub fn add(&mut self, of_item: &[ScoreParts]) {
        let counts = &mut self.counts;
        counts.judged.add(of_item.len());
        counts.covered += usize::from(of_item.iter().any(|one| one.coverage > 0.0));
        counts.without_gold += usize::from(of_item.iter().any(|one| !one.has_gold));
        counts.unlinked += of_item.iter().filter(|one| one.is_unlinked).count();
        let citation = || of_item.iter().filter_map(|one| one.citation.ok());
        let values = [
            mean(of_item.iter().map(|one| one.coverage)),
            mean(citation().map(|citation| citation.f1)),
            mean(of_item.iter().filter_map(|one| one.joint.ok())),
            mean(citation().map(|citation| citation.precision)),
            mean(citation().map(|citation| citation.recall)),
        ];
        self.tallies.iter_mut().zip(values).for_each(|(tally, value)| *tally += Tally::one(value));
    }

    /// The scores of what was taken; words per bullet are not known from insights alone.
    pub fn scores(self) -> Scores {
        let counts = self.counts;
        let unlooked = match counts.without_gold < counts.judged.items {
            true => Undefined::NothingLinked,
            false => Undefined::NoGoldDocuments,
        };
        let [uncited, unjoined, unbulleted] = match counts {
            Counts { judged: Counted { items: 0, .. }, .. } => [Undefined::NothingJudged; 3],
            Counts { covered: 0, .. } => [Undefined::NothingCovered, unlooked, Undefined::NoBullets],
            _ => [unlooked, unlooked, Undefined::NoBullets],
        };
        let reasons = [Undefined::NothingJudged, uncited, unjoined, uncited, uncited, unbulleted];
        let mut values = reasons.map(Err);
        for ((value, tally), reason) in values.iter_mut().zip(self.tallies).zip(reasons) {
            *value = tally.mean(reason);
        }
        Scores::of(counts, values)
    }
}
