//! Coverage, citation and joint score of summaries and systems.
//!
//! Source: Laban et al. 2024, Summary of a Haystack, §4.1. Every measure is on 0–100, except words per bullet. An item is an
//! insight in a summary; its value is the mean over the people who judged it.
//!
//! - coverage: mean over all judged items.
//! - citation (F1), precision, recall: mean over the items that someone calls covered and whose documents are
//!   known. Only judgments that link the item to a bullet count.
//! - joint: mean over all judged items of coverage × F1, 0 for an item that is not covered; covered items without a
//!   link, and items whose documents are not known, are left out.
//! - Insights that are not judged count nowhere, and are named.
//!
//! So joint ≤ coverage wherever every covered insight is linked and all documents are known; [`CoverageCounts`] counts the
//! items that are left out.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::AddAssign;
use std::sync::Arc;

use super::{
    AskedInsight, ClusterKind, Counted, GroupBy, Grouped, InsightJudged, InsightSaid, Measure, Numbered,
    Origin, SaidOfInsights, Score, ScoreParts, Tally, Thing, Undefined, by_thing, mean,
};
use crate::agreement::{Drawn, each_in_parallel};
use crate::text::bullets::{SummaryLength, bullets, length};
use crate::text::citation::cited;

/// One annotator's judgments of one summary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SummaryJudged {
    pub origin: Arc<Origin>,
    pub text: SummaryText,
    /// All insights of the query, judged or not, each once. The judgments of a summary can share them.
    pub insights: Arc<[AskedInsight]>,
    /// The judgment of each insight, in their order.
    pub said: SaidOfInsights,
    /// The sampling weight of each insight, in their order; empty where all are one.
    pub weights: Vec<f64>,
}

/// The parts of a summary's text that scores need; they are the same for all judgments.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SummaryText {
    /// The documents that each bullet cites, in the order of the bullets.
    pub bullets: Arc<[BTreeSet<u32>]>,
    /// Words and bullets of the summary.
    pub length: SummaryLength,
}

impl SummaryText {
    /// Reads a text; `cited` gives the documents that a bullet cites.
    pub fn of(text: &str, cited: impl Fn(&str) -> BTreeSet<u32>) -> SummaryText {
        let bullets = bullets(text).iter().map(|bullet| cited(bullet.slice(text))).collect();
        SummaryText { bullets, length: length(text) }
    }
}

named! {
    /// How a system's score is averaged.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Average {
        /// One mean over the insights of all summaries, as in the published tables.
        #[default]
        Insight = "insight",
        /// The mean of the summaries' scores, each counting the same.
        Summary = "summary",
    }
}

/// Counts behind the scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CoverageCounts {
    /// Summaries with a judged insight.
    pub summaries: usize,
    /// Insights that are judged, and their judgments.
    pub judged: Counted,
    /// Those of them that citation and joint are over.
    pub cited: Counted,
    pub joined: Counted,
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

impl AddAssign for CoverageCounts {
    fn add_assign(&mut self, other: CoverageCounts) {
        self.summaries += other.summaries;
        self.judged += other.judged;
        self.cited += other.cited;
        self.joined += other.joined;
        self.units += other.units;
        self.covered += other.covered;
        self.unlinked += other.unlinked;
        self.without_gold += other.without_gold;
    }
}

/// The scores of one summary or of several together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    pub counts: CoverageCounts,
    pub coverage: Measure,
    /// Citation F1.
    pub citation: Measure,
    pub joint: Measure,
    /// Citation precision.
    pub precision: Measure,
    /// Citation recall.
    pub recall: Measure,
    /// Words of the summaries, with citations, by their bullets; each summary counts once.
    pub words_per_bullet: Measure,
    /// Words of the summaries, without citations, by their bullets.
    pub uncited_words_per_bullet: Measure,
}

/// The number of measures of [`Scores`].
const MEASURES: usize = 7;

impl Scores {
    /// Scores from values in the order of [`Scores::measures`].
    fn of(counts: CoverageCounts, values: [Measure; MEASURES]) -> Scores {
        let [coverage, citation, joint, precision, recall, words_per_bullet, uncited_words_per_bullet] =
            values;
        Scores {
            counts,
            coverage,
            citation,
            joint,
            precision,
            recall,
            words_per_bullet,
            uncited_words_per_bullet,
        }
    }

    /// Name and value of every measure, in the order of the published tables.
    pub fn measures(&self) -> [(&'static str, Measure); MEASURES] {
        [
            ("coverage", self.coverage),
            ("citation", self.citation),
            ("joint", self.joint),
            ("precision", self.precision),
            ("recall", self.recall),
            ("words_per_bullet", self.words_per_bullet),
            ("uncited_words_per_bullet", self.uncited_words_per_bullet),
        ]
    }
}

impl SummaryJudged {
    /// The judgments of a summary with this text.
    pub fn of(origin: Origin, text: &str, insights: Vec<InsightJudged>) -> SummaryJudged {
        let parts = insights.into_iter().map(|judged| (judged.insight, judged.said));
        let (insights, said): (Vec<AskedInsight>, Vec<InsightSaid>) = parts.unzip();
        let said = said.into_iter().collect();
        SummaryJudged {
            origin: origin.into(),
            text: SummaryText::of(text, cited),
            insights: insights.into(),
            said,
            weights: Vec::new(),
        }
    }

    /// The insights, each with its judgment.
    pub fn judged(&self) -> impl Iterator<Item = (&AskedInsight, &InsightSaid)> + Clone {
        self.insights.iter().zip(self.said.iter())
    }

    /// The scores of the insight at this place, without documents; `None` if not judged.
    fn parts(&self, at: usize) -> Option<ScoreParts> {
        let (insight, said) = (self.insights.get(at)?, self.said.get(at)?);
        said.parts(insight.gold.as_deref(), &self.text.bullets)
    }

    /// The scores of this summary alone.
    pub fn scores(&self) -> Scores {
        ScorePool::of_summary(&[self]).scores()
    }
}

/// The scores of systems, retrievers, domains, … (Table 2).
pub fn scores_by(
    summaries: &[SummaryJudged],
    by: impl Into<GroupBy>,
    average: Average,
) -> Grouped<SystemScores> {
    let known = KnownPools::default();
    let found =
        |members: &[Thing<'_, SummaryJudged>]| SystemScores::of_pools(members, average, known.pools(members));
    Grouped::of(summaries, |summary| &summary.origin, by, found)
}

/// Pools by summary. They are kept, since each summary is needed twice: in its group, and over all groups.
#[derive(Default)]
struct KnownPools(RefCell<HashMap<(*const SummaryJudged, usize), ScorePool>>);

impl KnownPools {
    /// The pools of these summaries. Within a grouping, the first judgment of a summary and the number of judgments identify
    /// them.
    fn pools(&self, summaries: &[Thing<'_, SummaryJudged>]) -> Vec<ScorePool> {
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

fn pools(summaries: &[&Thing<'_, SummaryJudged>]) -> Vec<ScorePool> {
    let pool = |summary: &&Thing<'_, SummaryJudged>| ScorePool::of_summary(&summary.judgments);
    // For few summaries, threads would take longer than the work.
    if summaries.len() > 256 {
        each_in_parallel(summaries, pool)
    } else {
        summaries.iter().map(pool).collect()
    }
}

/// A summary with insights that nobody judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Unfinished<'a> {
    pub origin: &'a Origin,
    /// Keys of the insights that are not judged.
    pub units: Vec<&'a str>,
    /// The number of insights, judged or not.
    pub of: usize,
}

/// The summaries with insights that nobody judged, in the order given.
pub fn unfinished(summaries: &[SummaryJudged]) -> Vec<Unfinished<'_>> {
    let mut found = Vec::new();
    let is_judged = |(_, said): &(&AskedInsight, &InsightSaid)| said.coverage.is_some();
    if summaries.iter().all(|summary| summary.judged().all(|one| is_judged(&one))) {
        return found;
    }
    for Thing { judgments, .. } in things(&summaries.iter().collect::<Vec<_>>()) {
        if judgments.first().is_some_and(|first| first.judged().all(|one| is_judged(&one))) {
            continue;
        }
        let judged = judgments.iter().flat_map(|summary| summary.judged()).filter(is_judged);
        let judged: BTreeSet<&str> = judged.map(|(insight, _)| insight.unit.as_str()).collect();
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
    let pairs = || summary.insights.iter().zip(other.insights.iter());
    Arc::ptr_eq(&summary.insights, &other.insights)
        || summary.insights.len() == other.insights.len()
            && pairs().all(|(one, other)| one.unit == other.unit)
}

fn things<'a>(summaries: &[&'a SummaryJudged]) -> Vec<Thing<'a, SummaryJudged>> {
    let origins = summaries.iter().map(|summary| summary.origin.as_ref());
    by_thing(summaries, |summary| &summary.origin, &Numbered::of(ClusterKind::Query, origins))
}

/// The scores of several summaries together. Takes one [`SummaryJudged`] for each annotator and summary that the
/// annotator was to judge.
pub fn scores(summaries: &[&SummaryJudged], average: Average) -> Scores {
    SystemScores::of(&things(summaries), average).scores
}

/// The scores of several summaries, and the contributions of each cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemScores {
    pub scores: Scores,
    /// The measures as means over clusters, in the order of [`Scores::measures`].
    pub parts: [Score; MEASURES],
}

impl SystemScores {
    pub fn of(summaries: &[Thing<'_, SummaryJudged>], average: Average) -> SystemScores {
        SystemScores::of_pools(summaries, average, pools(&summaries.iter().collect::<Vec<_>>()))
    }

    /// The scores from the pools of the summaries, in their order.
    fn of_pools(
        summaries: &[Thing<'_, SummaryJudged>],
        average: Average,
        pools: Vec<ScorePool>,
    ) -> SystemScores {
        let mut all = ScorePool::default();
        pools.iter().for_each(|pool| all += *pool);
        let pooled = all.scores();
        let reasons = pooled.measures().map(|(_, measure)| measure.err().unwrap_or(Undefined::NothingJudged));
        let mut parts = reasons.map(Score::new);
        for (Thing { cluster, drawn, .. }, pool) in summaries.iter().zip(pools) {
            let tallies = match average {
                // The tallies are weighted already.
                Average::Insight => pool.tallies,
                Average::Summary => {
                    let one = |measure: Measure| Tally::one(measure.ok()).times(drawn.weight);
                    pool.scores().measures().map(|(_, measure)| one(measure))
                }
            };
            let drawn = Drawn { weight: 1.0, ..*drawn };
            parts.iter_mut().zip(tallies).for_each(|(part, tally)| part.add_drawn(*cluster, tally, drawn));
        }
        // A pooled measure is undefined exactly when it is undefined for every summary.
        SystemScores { scores: Scores::of(all.counts, parts.each_ref().map(Score::value)), parts }
    }
}

/// Sums from which scores are computed, over items. Small enough for each row of a large table.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScorePool {
    counts: CoverageCounts,
    /// The sums in the order of [`Scores::measures`].
    tallies: [Tally; MEASURES],
}

impl AddAssign for ScorePool {
    fn add_assign(&mut self, other: ScorePool) {
        self.counts += other.counts;
        self.tallies.iter_mut().zip(other.tallies).for_each(|(tally, more)| *tally += more);
    }
}

impl ScorePool {
    /// The pool of one summary, from all its judgments.
    fn of_summary(judgments: &[&SummaryJudged]) -> ScorePool {
        let mut pool = ScorePool::default();
        let Some(first) = judgments.first() else { return pool };
        // Sums go by the insights' keys, so that the order of insights changes no digit.
        let mut order: Vec<(&str, usize)> =
            first.insights.iter().zip(0..).map(|(insight, at)| (insight.unit.as_str(), at)).collect();
        order.sort_unstable();
        if order.windows(2).any(|two| matches!(two, [one, other] if one.0 == other.0))
            || judgments.iter().any(|summary| !has_insights_of(summary, first))
        {
            return ScorePool::of_mixed(judgments);
        }
        let mut of_item = Vec::with_capacity(judgments.len());
        for (_, at) in &order {
            of_item.clear();
            of_item.extend(judgments.iter().filter_map(|summary| summary.parts(*at)));
            pool.add(&of_item, first.weights.get(*at).copied().unwrap_or(1.0));
        }
        pool.of_text(first, order.len());
        pool
    }

    /// The pool of one summary whose judgments list the insights in different orders.
    fn of_mixed(judgments: &[&SummaryJudged]) -> ScorePool {
        let mut pool = ScorePool::default();
        let mut items: BTreeMap<&str, Vec<ScoreParts>> = BTreeMap::new();
        for summary in judgments {
            for (at, insight) in summary.insights.iter().enumerate() {
                items.entry(&insight.unit).or_default().extend(summary.parts(at));
            }
        }
        items.values().for_each(|of_item| pool.add(of_item, 1.0));
        judgments.iter().take(1).for_each(|first| pool.of_text(first, items.len()));
        pool
    }

    /// Adds the number of insights, and where some are judged, the length of the text.
    fn of_text(&mut self, summary: &SummaryJudged, units: usize) {
        self.counts.units = units;
        if self.counts.judged.items > 0 {
            let SummaryLength { words, uncited_words, bullets } = summary.text.length;
            self.counts.summaries = 1;
            let [.., all, uncited] = &mut self.tallies;
            let of = |words: usize| {
                Tally { sum: words as f64, weight: bullets as f64 }.times(summary.origin.drawn.weight)
            };
            (*all, *uncited) = (of(words), of(uncited_words));
        }
    }

    /// Adds an insight in a summary with all its judgments and its weight.
    pub fn add(&mut self, of_item: &[ScoreParts], weight: f64) {
        let counts = &mut self.counts;
        counts.judged.add(of_item.len());
        counts.cited.add(of_item.iter().filter(|one| one.citation.is_ok()).count());
        counts.joined.add(of_item.iter().filter(|one| one.joint.is_ok()).count());
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
        self.tallies.iter_mut().zip(values).for_each(|(tally, value)| {
            *tally += Tally::one(value).times(weight);
        });
    }

    /// The scores of the pool; words per bullet are undefined for a pool of insights alone.
    pub fn scores(self) -> Scores {
        let counts = self.counts;
        let unlooked = match counts.without_gold < counts.judged.items {
            true => Undefined::NothingLinked,
            false => Undefined::NoGoldDocuments,
        };
        let [uncited, unjoined, unbulleted] = match counts {
            CoverageCounts { judged: Counted { items: 0, .. }, .. } => [Undefined::NothingJudged; 3],
            CoverageCounts { covered: 0, .. } => [Undefined::NothingCovered, unlooked, Undefined::NoBullets],
            _ => [unlooked, unlooked, Undefined::NoBullets],
        };
        let reasons = [Undefined::NothingJudged, uncited, unjoined, uncited, uncited, unbulleted, unbulleted];
        let mut values = reasons.map(Err);
        for ((value, tally), reason) in values.iter_mut().zip(self.tallies).zip(reasons) {
            *value = tally.mean(reason);
        }
        Scores::of(counts, values)
    }
}
