//! The scores of one insight in one summary: its coverage, and the citations of the bullets that cover it.
//!
//! Source: Laban et al. 2024, Summary of a Haystack, §4.1. Everything is on 0–100.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Measure, Undefined};

/// An insight and its judgment in one summary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InsightJudged {
    pub insight: AskedInsight,
    pub said: InsightSaid,
}

/// An insight of a query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AskedInsight {
    /// Key of the content unit.
    pub unit: String,
    /// Numbers of the documents that contain the insight; `None` when that is not known.
    pub gold: Option<Arc<BTreeSet<u32>>>,
}

/// One annotator's judgment of an insight in a summary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InsightSaid {
    /// 0 not covered, 50 partially, 100 fully; `None` if not judged.
    pub coverage: Option<f64>,
    /// 1-based numbers of the linked bullets; empty if none is linked.
    pub bullets: Vec<u32>,
}

/// One annotator's judgments of all insights of a summary, as places in a table that many summaries can share.
#[derive(Debug, Clone, Default)]
pub struct SaidOfInsights {
    table: Arc<[InsightSaid]>,
    places: Box<[u32]>,
}

impl SaidOfInsights {
    /// The judgments at these places of the table.
    ///
    /// # Panics
    /// Reading panics where a place is beyond the end of the table.
    pub fn new(table: &Arc<[InsightSaid]>, places: impl IntoIterator<Item = u32>) -> SaidOfInsights {
        SaidOfInsights { table: Arc::clone(table), places: places.into_iter().collect() }
    }

    /// The judgment of each insight, in their order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &InsightSaid> + Clone {
        self.places.iter().map(|place| self.at(*place))
    }

    /// The judgment of the insight at this place.
    pub fn get(&self, insight: usize) -> Option<&InsightSaid> {
        self.places.get(insight).map(|place| self.at(*place))
    }

    /// Replaces the judgment of an insight.
    pub fn set(&mut self, insight: usize, said: InsightSaid) {
        let mut all: Vec<InsightSaid> = self.iter().cloned().collect();
        if let Some(old) = all.get_mut(insight) {
            *old = said;
        }
        *self = all.into_iter().collect();
    }

    fn at(&self, place: u32) -> &InsightSaid {
        // `new` was given places of the table.
        &self.table[place as usize]
    }
}

impl FromIterator<InsightSaid> for SaidOfInsights {
    fn from_iter<I: IntoIterator<Item = InsightSaid>>(said: I) -> SaidOfInsights {
        let table: Arc<[InsightSaid]> = said.into_iter().collect();
        SaidOfInsights::new(&table, (0..).take(table.len()))
    }
}

impl PartialEq for SaidOfInsights {
    fn eq(&self, other: &SaidOfInsights) -> bool {
        self.iter().eq(other.iter())
    }
}

/// How well cited documents match the documents that contain an insight; each 0–100.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CitationScore {
    /// |cited ∩ gold| / |cited|; 0 when nothing is cited.
    pub precision: f64,
    /// |cited ∩ gold| / |gold|; 0 when no document contains the insight.
    pub recall: f64,
    /// Harmonic mean of precision and recall; 0 when both are 0.
    pub f1: f64,
}

impl CitationScore {
    /// Compares the documents that are cited with those that contain the insight.
    pub fn of(cited: &BTreeSet<u32>, gold: &BTreeSet<u32>) -> CitationScore {
        let right = cited.iter().filter(|number| gold.contains(number)).count() as f64;
        // An empty side gives 0 / 1: SummHay scores it 0 rather than leaving it out.
        let precision = right / cited.len().max(1) as f64;
        let recall = right / gold.len().max(1) as f64;
        let f1 = match precision + recall {
            0.0 => 0.0,
            sum => 2.0 * precision * recall / sum,
        };
        CitationScore { precision: 100.0 * precision, recall: 100.0 * recall, f1: 100.0 * f1 }
    }
}

/// The scores of one insight in one summary.
#[derive(Debug, Clone, PartialEq)]
pub struct InsightScore {
    pub parts: ScoreParts,
    /// The documents that the linked bullets cite, together; empty without a link.
    pub cited: BTreeSet<u32>,
    /// The documents that contain the insight, where known.
    pub gold: Option<BTreeSet<u32>>,
}

/// The numbers of an [`InsightScore`] without the documents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreParts {
    /// 0, 50 or 100.
    pub coverage: f64,
    /// Whether the documents that contain the insight are known.
    pub has_gold: bool,
    /// Whether the insight is covered and linked to no existing bullet.
    pub is_unlinked: bool,
    /// Undefined when the insight is not covered, its documents are not known, or it is not linked.
    pub citation: Result<CitationScore, Undefined>,
    /// coverage/100 × F1, 0–100; 0 when not covered; undefined when the documents are not known, or a covered
    /// insight is not linked.
    pub joint: Measure,
}

impl InsightSaid {
    /// The scores, given the documents that contain the insight, where known, and the documents that each bullet of the summary
    /// cites; `None` if the insight is not judged.
    ///
    /// A covered insight that is linked to no bullet (or only to bullets that do not exist) has no citation score: there is
    /// no text whose citations could be right or wrong. The score is left out, not 0. The published code scores such an
    /// insight against the last bullet but one by an accident of its indexing.
    pub fn score(&self, gold: Option<&BTreeSet<u32>>, bullets: &[BTreeSet<u32>]) -> Option<InsightScore> {
        let cited = self.linked(bullets).flatten().copied().collect();
        Some(InsightScore { parts: self.parts(gold, bullets)?, cited, gold: gold.cloned() })
    }

    /// The scores without the documents.
    pub fn parts(&self, gold: Option<&BTreeSet<u32>>, bullets: &[BTreeSet<u32>]) -> Option<ScoreParts> {
        let coverage = self.coverage?;
        let is_covered = coverage > 0.0;
        let mut linked = self.linked(bullets);
        let first = linked.next();
        let is_unlinked = is_covered && first.is_none();
        let citation = match (gold, first) {
            _ if !is_covered => Err(Undefined::NothingCovered),
            (None, _) => Err(Undefined::NoGoldDocuments),
            (Some(_), None) => Err(Undefined::NothingLinked),
            (Some(gold), Some(first)) => Ok(match linked.next() {
                None => CitationScore::of(first, gold),
                Some(second) => {
                    let all = [first, second].into_iter().chain(linked).flatten();
                    CitationScore::of(&all.copied().collect(), gold)
                }
            }),
        };
        let joint = match (gold, citation) {
            (None, _) => Err(Undefined::NoGoldDocuments),
            (Some(_), _) if !is_covered => Ok(0.0),
            (Some(_), citation) => citation.map(|citation| coverage / 100.0 * citation.f1),
        };
        Some(ScoreParts { coverage, has_gold: gold.is_some(), is_unlinked, citation, joint })
    }

    /// The documents that each linked bullet cites, for bullets that exist.
    fn linked<'b>(&self, bullets: &'b [BTreeSet<u32>]) -> impl Iterator<Item = &'b BTreeSet<u32>> {
        let bullet = |number: &u32| bullets.get(usize::try_from(number.checked_sub(1)?).ok()?);
        self.bullets.iter().filter_map(bullet)
    }
}

impl InsightScore {
    /// Cited documents that contain the insight, ascending; none where the documents are not known.
    pub fn right(&self) -> Vec<u32> {
        let gold = self.gold.iter().flat_map(|gold| gold.iter());
        gold.filter(|number| self.cited.contains(number)).copied().collect()
    }

    /// Cited documents that do not contain the insight, ascending; none where the documents are not known.
    pub fn wrong(&self) -> Vec<u32> {
        let Some(gold) = &self.gold else { return Vec::new() };
        self.cited.difference(gold).copied().collect()
    }

    /// Documents that contain the insight and are not cited, ascending; none where the documents are not known.
    pub fn missed(&self) -> Vec<u32> {
        let gold = self.gold.iter().flat_map(|gold| gold.iter());
        gold.filter(|number| !self.cited.contains(number)).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[u32]) -> BTreeSet<u32> {
        numbers.iter().copied().collect()
    }

    fn score(coverage: f64, bullets: &[u32], gold: Option<&[u32]>) -> InsightScore {
        let cited = [set(&[1, 2]), set(&[2, 3, 9]), set(&[])];
        let said = InsightSaid { coverage: Some(coverage), bullets: bullets.to_vec() };
        said.score(gold.map(set).as_ref(), &cited).expect("it is judged")
    }

    #[test]
    fn what_is_said_stands_once_in_a_table_and_is_replaced_in_one_summary_only() {
        let said = |coverage| InsightSaid { coverage: Some(coverage), bullets: vec![1] };
        let table: Arc<[InsightSaid]> = [said(0.0), said(100.0), InsightSaid::default()].into();
        let first = SaidOfInsights::new(&table, [1, 0, 2, 1]);
        let mut second = first.clone();
        second.set(2, said(50.0));
        let none = InsightSaid::default();
        assert!(first.iter().eq([&said(100.0), &said(0.0), &none, &said(100.0)]));
        assert!(second.iter().eq([&said(100.0), &said(0.0), &said(50.0), &said(100.0)]));
        assert_eq!((second.get(2), second.get(4)), (Some(&said(50.0)), None));
        assert_ne!(first, second);
        second.set(2, none);
        assert_eq!(first, second, "from another table");
        assert_eq!(first, first.iter().cloned().collect());
    }

    #[test]
    fn an_empty_side_is_zero() {
        for (cited, gold) in [(&[][..], &[1][..]), (&[1], &[]), (&[], &[])] {
            let nothing = CitationScore { precision: 0.0, recall: 0.0, f1: 0.0 };
            assert_eq!(CitationScore::of(&set(cited), &set(gold)), nothing, "{cited:?} {gold:?}");
        }
        assert_eq!(score(100.0, &[3], Some(&[1])).parts.joint, Ok(0.0));
    }

    #[test]
    fn several_bullets_cite_together() {
        let score = score(50.0, &[1, 2], Some(&[1, 2, 3, 4]));
        // cited {1,2,3,9}: precision 3/4, recall 3/4, F1 3/4; joint 0.5 × 75
        assert_eq!(score.parts.citation, Ok(CitationScore { precision: 75.0, recall: 75.0, f1: 75.0 }));
        assert_eq!(score.parts.joint, Ok(37.5));
        assert_eq!(score.right(), [1, 2, 3]);
        assert_eq!(score.wrong(), [9]);
        assert_eq!(score.missed(), [4]);
    }

    #[test]
    fn without_link_or_gold_citations_are_left_out() {
        for bullets in [&[][..], &[0], &[4]] {
            let score = score(100.0, bullets, Some(&[1]));
            assert_eq!(score.parts.citation, Err(Undefined::NothingLinked), "{bullets:?}");
            assert_eq!(score.parts.joint, Err(Undefined::NothingLinked), "{bullets:?}");
        }
        let unknown = score(100.0, &[1], None);
        assert_eq!(unknown.parts.citation, Err(Undefined::NoGoldDocuments));
        assert_eq!(unknown.parts.joint, Err(Undefined::NoGoldDocuments));
        assert!(unknown.right().is_empty() && unknown.wrong().is_empty() && unknown.missed().is_empty());
    }

    #[test]
    fn not_covered_is_zero_and_not_judged_is_nothing() {
        // A link that stands although nothing is covered changes nothing.
        let score = score(0.0, &[1], Some(&[1]));
        assert_eq!((score.parts.citation, score.parts.joint), (Err(Undefined::NothingCovered), Ok(0.0)));
        assert_eq!(InsightSaid::default().score(None, &[]), None);
    }
}
