//! Measures of a retriever's ranking, and the best citation score that a summary of its list could reach.
//!
//! Sources: Järvelin & Kekäläinen 2002, ACM TOIS 20:422 (nDCG), with the gain of Burges et al. 2005; trec_eval; Laban et al.
//! 2024, Summary of a Haystack, §6 (the ceiling of citation).

use std::collections::{BTreeMap, BTreeSet};

use super::{Measure, Undefined};

/// The scores of one list, from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedScores {
    /// 1 / the rank of the first relevant document; 0 if none is listed.
    pub reciprocal_rank: Measure,
    /// The sum of the precision at each listed relevant document, by the number of all relevant documents.
    pub average_precision: Measure,
    /// The scores by depth, in the order of the depths.
    pub at: Vec<DepthScores>,
}

/// The scores of the first documents, up to a depth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DepthScores {
    pub hit: Measure,
    /// The share of the depth that is relevant documents.
    pub precision: f64,
    /// The share of the relevant documents up to the depth.
    pub recall: Measure,
    /// Discounted gain by the best possible one, with the gain 2^grade − 1; `ndcg_linear` has the grade as the gain.
    pub ndcg: Measure,
    pub ndcg_linear: Measure,
}

impl RankedScores {
    /// The scores of a list by the grades of its documents; a document without a grade has 0. Later repetitions of a document do
    /// not count. A document is relevant from the grade `relevant_from` on.
    pub fn of<D: Ord>(
        ranking: &[D],
        grades: &BTreeMap<D, f64>,
        depths: &[usize],
        relevant_from: f64,
    ) -> RankedScores {
        let mut seen = BTreeSet::new();
        let listed = ranking.iter().filter(|document| seen.insert(*document));
        let found: Vec<f64> =
            listed.map(|document| grades.get(document).copied().unwrap_or(0.0).max(0.0)).collect();
        let is_relevant = |grade: &f64| *grade >= relevant_from;
        let relevant = grades.values().filter(|grade| is_relevant(grade)).count();
        let of_relevant =
            |value: f64| if relevant == 0 { Err(Undefined::NoRelevantDocuments) } else { Ok(value) };
        let hits = |depth: usize| found.iter().take(depth).filter(|grade| is_relevant(grade)).count() as f64;
        let first = found.iter().position(is_relevant_of(relevant_from));
        let precisions = found.iter().enumerate().filter(|(_, grade)| is_relevant(grade));
        let precisions: f64 = precisions.map(|(at, _)| hits(at + 1) / (at + 1) as f64).sum();
        let mut best: Vec<f64> = grades.values().map(|grade| grade.max(0.0)).collect();
        best.sort_by(|one, other| other.total_cmp(one));
        let gained = |grades: &[f64], depth: usize, gain: fn(f64) -> f64| {
            let places = grades.iter().take(depth).enumerate();
            places.map(|(at, grade)| gain(*grade) / (at as f64 + 2.0).log2()).sum::<f64>()
        };
        let discounted = |depth: usize, gain: fn(f64) -> f64| match gained(&best, depth, gain) {
            0.0 => Err(Undefined::NoRelevantDocuments),
            ideal => Ok(gained(&found, depth, gain) / ideal),
        };
        let at = |depth: &usize| DepthScores {
            hit: of_relevant(hits(*depth).min(1.0)),
            precision: hits(*depth) / *depth as f64,
            recall: of_relevant(hits(*depth) / relevant as f64),
            ndcg: discounted(*depth, |grade| grade.exp2() - 1.0),
            ndcg_linear: discounted(*depth, |grade| grade),
        };
        RankedScores {
            reciprocal_rank: of_relevant(first.map_or(0.0, |at| 1.0 / (at as f64 + 1.0))),
            average_precision: of_relevant(precisions / relevant as f64),
            at: depths.iter().map(at).collect(),
        }
    }
}

fn is_relevant_of(relevant_from: f64) -> impl Fn(&f64) -> bool {
    move |grade| *grade >= relevant_from
}

/// The best F1 of citations for a unit: that of citing exactly the given documents that contain it; 0 where none does,
/// undefined where its documents are not known.
pub fn citation_ceiling<D: Ord>(given: &BTreeSet<D>, gold: &BTreeSet<D>) -> Measure {
    Undefined::NoGoldDocuments.when(gold.is_empty())?;
    let reached = gold.intersection(given).count() as f64;
    Ok(2.0 * reached / (reached + gold.len() as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_scored_by_what_is_relevant_in_it() {
        // RR 1/2, AP (1/2 + 2/4) / 3.
        let grades = BTreeMap::from([(3, 3.0), (1, 1.0), (2, 2.0)]);
        let found = RankedScores::of(&[7, 3, 9, 1, 4], &grades, &[5], 1.0);
        assert_eq!((found.reciprocal_rank, found.average_precision), (Ok(0.5), Ok(1.0 / 3.0)));
        assert_eq!((found.at[0].precision, found.at[0].recall), (0.4, Ok(2.0 / 3.0)));
        let twice = RankedScores::of(&[7, 3, 7, 9, 3, 1, 4], &grades, &[5], 1.0);
        assert_eq!(twice, found, "doubles do not count");
        let none = RankedScores::of(&[1], &BTreeMap::from([(1, 0.0)]), &[1], 1.0);
        assert_eq!((none.at[0].precision, none.at[0].ndcg), (0.0, Err(Undefined::NoRelevantDocuments)));
    }

    #[test]
    fn perfect_writing_cites_what_is_there() {
        let set = |numbers: &[u32]| numbers.iter().copied().collect::<BTreeSet<u32>>();
        // Two of three: 2·2 / (2 + 3).
        assert_eq!(citation_ceiling(&set(&[1, 2, 9]), &set(&[1, 2, 3])), Ok(0.8));
        assert_eq!(citation_ceiling(&set(&[9]), &set(&[1])), Ok(0.0));
        assert_eq!(citation_ceiling(&set(&[9]), &set(&[])), Err(Undefined::NoGoldDocuments));
    }
}
