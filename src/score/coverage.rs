//! Coverage, citation and joint score of summaries and systems.
//!
//! Source: Laban et al. 2024, Summary of a Haystack, §4.1. Every measure is on 0–100, save words per bullet.
//!
//! - coverage: mean over all judged insights.
//! - citation (F1), precision, recall: mean over the covered insights whose citations can be looked at, that is,
//!   which are linked to a bullet and whose documents are known.
//! - joint: mean over all judged insights of coverage × F1, 0 for one that is not covered; those whose
//!   citations cannot be looked at are left out.
//! - Insights that are not judged count nowhere, and are named.
//!
//! So joint ≤ coverage wherever every covered insight is linked and all documents are known; what was left out
//! stands in [`Counts`].

use std::collections::BTreeSet;
use std::str::FromStr;

use super::insight::{InsightJudged, InsightScore, ScoreParts};
use super::measure::{Mean, Measure, Undefined};
use super::origin::{By, Grouped, Origin};
use crate::error::Error;
use crate::text::{bullets::bullets, citation::cited, words};

/// One annotator's judgments of one summary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SummaryJudged {
    pub origin: Origin,
    /// The documents that each bullet cites, by the bullets' order.
    pub bullets: Vec<BTreeSet<u32>>,
    /// Words of the whole summary, separated by white space.
    pub words: usize,
    /// All insights of the query, judged or not.
    pub insights: Vec<InsightJudged>,
}

/// How summaries are put together to the score of a system.
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
    /// Different summaries with a judged insight.
    pub summaries: usize,
    /// Judgments: judged insights, once for each annotator.
    pub judged: usize,
    /// Insights to judge, once for each annotator; more than `judged` when something is missing.
    pub units: usize,
    /// Judged insights that are covered, partially or fully.
    pub covered: usize,
    /// Covered insights with known documents that are linked to no bullet; left out of citation and joint.
    pub unlinked: usize,
    /// Judged insights whose documents are not known; left out of citation and joint.
    pub without_gold: usize,
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
    /// Whether every insight is judged.
    pub fn is_complete(&self) -> bool {
        self.counts.judged == self.counts.units
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
        SummaryJudged {
            origin,
            bullets: bullets(text).iter().map(|bullet| cited(bullet.slice(text))).collect(),
            words: words::count(text),
            insights,
        }
    }

    /// The scores of each insight, in order; `None` where it is not judged.
    pub fn insight_scores(&self) -> Vec<Option<InsightScore>> {
        self.insights.iter().map(|insight| insight.score(&self.bullets)).collect()
    }

    /// The scores of this summary alone.
    pub fn scores(&self) -> Scores {
        pooled([self])
    }

    /// Keys of the insights that are not judged.
    pub fn unjudged(&self) -> impl Iterator<Item = &str> {
        let open = self.insights.iter().filter(|insight| insight.coverage.is_none());
        open.map(|insight| insight.unit.as_str())
    }
}

/// The scores of systems, retrievers, domains, … (Table 2).
pub fn scores_by(summaries: &[SummaryJudged], by: &[By], average: Average) -> Grouped<Scores> {
    Grouped::of(summaries, |summary| &summary.origin, by, |members| scores(&members, average))
}

/// A summary that an annotator has not finished.
#[derive(Debug, Clone, PartialEq)]
pub struct Unfinished<'a> {
    pub origin: &'a Origin,
    /// Keys of the insights that are not judged.
    pub units: Vec<&'a str>,
    /// Number of its insights, judged or not.
    pub of: usize,
}

/// The summaries with insights that are not judged, in the order given.
pub fn unfinished(summaries: &[SummaryJudged]) -> Vec<Unfinished<'_>> {
    summaries
        .iter()
        .map(|summary| Unfinished {
            origin: &summary.origin,
            units: summary.unjudged().collect(),
            of: summary.insights.len(),
        })
        .filter(|unfinished| !unfinished.units.is_empty())
        .collect()
}

/// The scores of several summaries together. Give one [`SummaryJudged`] for each annotator and summary
/// that the annotator was to judge.
pub fn scores(summaries: &[&SummaryJudged], average: Average) -> Scores {
    let pooled = pooled(summaries.iter().copied());
    match average {
        Average::Insight => pooled,
        Average::Summary => {
            let each: Vec<Scores> = summaries.iter().map(|summary| summary.scores()).collect();
            // A pooled measure is undefined exactly when it is undefined for every summary.
            let mean = |measure: fn(&Scores) -> Measure| {
                let values: Mean = each.iter().filter_map(|scores| measure(scores).ok()).collect();
                measure(&pooled).and_then(|_| values.or(Undefined::NothingJudged))
            };
            Scores {
                counts: pooled.counts,
                coverage: mean(|scores| scores.coverage),
                citation: mean(|scores| scores.citation),
                joint: mean(|scores| scores.joint),
                precision: mean(|scores| scores.precision),
                recall: mean(|scores| scores.recall),
                words_per_bullet: mean(|scores| scores.words_per_bullet),
            }
        }
    }
}

/// Scores in the making, over insights.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    counts: Counts,
    coverage: Mean,
    joint: Mean,
    f1: Mean,
    precision: Mean,
    recall: Mean,
    words: usize,
    bullets: usize,
}

fn pooled<'a>(summaries: impl IntoIterator<Item = &'a SummaryJudged>) -> Scores {
    let mut pool = Pool::default();
    let mut seen = BTreeSet::new();
    for summary in summaries {
        pool.counts.units += summary.insights.len();
        let judged = pool.counts.judged;
        for score in summary.insight_scores().into_iter().flatten() {
            pool.add(&score);
        }
        let Origin { collection, query, candidate, .. } = &summary.origin;
        if pool.counts.judged > judged && seen.insert((collection, query, candidate)) {
            pool.words += summary.words;
            pool.bullets += summary.bullets.len();
        }
    }
    pool.counts.summaries = seen.len();
    pool.scores()
}

impl Pool {
    /// Takes one judged insight.
    pub fn add(&mut self, score: &InsightScore) {
        self.add_parts(&score.parts());
    }

    /// Takes one judged insight by its numbers.
    pub fn add_parts(&mut self, score: &ScoreParts) {
        self.counts.judged += 1;
        self.counts.covered += usize::from(score.coverage > 0.0);
        self.counts.without_gold += usize::from(!score.has_gold);
        self.coverage.add(score.coverage);
        self.joint.extend(score.joint.ok());
        match score.citation {
            Ok(citation) => {
                self.f1.add(citation.f1);
                self.precision.add(citation.precision);
                self.recall.add(citation.recall);
            }
            Err(reason) => self.counts.unlinked += usize::from(reason == Undefined::NothingLinked),
        }
    }

    /// The scores of what was taken; words per bullet are not known from insights alone.
    pub fn scores(self) -> Scores {
        let counts = self.counts;
        let unlooked = match counts.unlinked {
            0 => Undefined::NoGoldDocuments,
            _ => Undefined::NothingLinked,
        };
        let uncited = match counts {
            Counts { judged: 0, .. } => Undefined::NothingJudged,
            Counts { covered: 0, .. } => Undefined::NothingCovered,
            _ => unlooked,
        };
        let unjoined = match counts.judged {
            0 => Undefined::NothingJudged,
            _ => unlooked,
        };
        let words_per_bullet = match (counts.judged, self.bullets) {
            (0, _) => Err(Undefined::NothingJudged),
            (_, 0) => Err(Undefined::NoBullets),
            (_, bullets) => Ok(self.words as f64 / bullets as f64),
        };
        Scores {
            counts,
            coverage: self.coverage.or(Undefined::NothingJudged),
            citation: self.f1.or(uncited),
            joint: self.joint.or(unjoined),
            precision: self.precision.or(uncited),
            recall: self.recall.or(uncited),
            words_per_bullet,
        }
    }
}
