//! The mean of people's labels over all items, from people's labels on a sample and a judge's on all: prediction-powered
//! inference.
//!
//! Source: Angelopoulos et al. 2023, Science 382:669; the weight of the judge as in PPI++ (Angelopoulos, Duchi & Zrnic 2023,
//! arXiv:2311.01453). Over clusters with the sandwich of Liang & Zeger 1986, Biometrika 73:13, which the weight makes smallest.

use std::collections::BTreeMap;

use crate::Interval;
use crate::histogram::real;
use crate::student::{beyond_normal, quantile_975};
use crate::undefined::{Measure, Undefined};

/// One estimate of the mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JudgedMean {
    /// The weight of the judge: 0 takes people's labels alone, 1 all of the judge's.
    pub weight: f64,
    pub estimate: f64,
    pub se: f64,
    /// How many standard errors the interval reaches.
    reach: f64,
}

impl JudgedMean {
    /// The 95 % interval, not cut at the labels' least and largest number.
    pub fn interval(&self) -> Interval {
        let reach = self.reach * self.se;
        Interval { se: Some(self.se), ..Interval::formula(self.estimate - reach, self.estimate + reach) }
    }

    /// The probability of an estimate as far from 0 as this, were there no difference.
    ///
    /// # Errors
    /// Nothing varies.
    pub fn p(&self) -> Measure {
        if self.se > 0.0 { Ok(beyond_normal(self.estimate / self.se)) } else { Err(Undefined::ZeroVariance) }
    }
}

/// A labelled item: the number of its cluster, people's number, the judge's, and how many items it stands for.
pub type LabelDrawn = (u32, f64, f64, f64);

/// Three estimates of the mean.
#[derive(Debug, Clone, PartialEq)]
pub struct PoweredMean {
    /// People's labels alone.
    pub classical: Result<JudgedMean, Undefined>,
    /// The judge with its whole weight.
    pub whole: Result<JudgedMean, Undefined>,
    /// The judge with the weight that makes the standard error smallest.
    pub tuned: Result<JudgedMean, Undefined>,
    /// How many labels of people alone would give the standard error of the tuned mean.
    pub effective: Measure,
    /// The mean of people's labels alone, which one label has too.
    pub labelled_mean: Measure,
    /// The judge's own mean over all items.
    pub judged_mean: f64,
    /// Labelled items, and the items that the judge labelled alone.
    pub labelled: usize,
    pub judged: usize,
    /// Clusters with a labelled item, where the mean is over clusters.
    pub clusters: Option<usize>,
}

impl PoweredMean {
    /// The mean over items that are drawn one by one: pairs of a person's number and the judge's, and the judge's numbers
    /// of the others.
    pub fn of(labelled: &[(f64, f64)], judged: &[f64]) -> PoweredMean {
        let (n, m) = (real(labelled.len() as u64), real(judged.len() as u64));
        let own: Vec<f64> = labelled.iter().map(|pair| pair.1).collect();
        let pooled: Vec<f64> = own.iter().chain(judged).copied().collect();
        let labels: Vec<f64> = labelled.iter().map(|pair| pair.0).collect();
        if labelled.len() < 2 {
            let counts = (labelled.len(), judged.len(), None);
            return PoweredMean::none(Undefined::TooFewItems, (mean(&labels), mean(&pooled)), counts);
        }
        let at = |weight: f64| {
            let left: Vec<f64> = labelled.iter().map(|(label, judge)| label - weight * judge).collect();
            let others = if judged.is_empty() { 0.0 } else { weight * weight * variance(judged) / m };
            JudgedMean {
                weight,
                estimate: if judged.is_empty() { 0.0 } else { weight * mean(judged) } + mean(&left),
                se: (others + variance(&left) / n).sqrt(),
                reach: Interval::NORMAL,
            }
        };
        let spread = variance(&pooled) * real(pooled.len() as u64) / (real(pooled.len() as u64) - 1.0);
        let (label_mean, judge_mean) = (mean(&labels), mean(&own));
        let together = labelled.iter().map(|(label, judge)| (label - label_mean) * (judge - judge_mean));
        let scale = (1.0 + n / m) * spread;
        let weight = if scale > 0.0 { (together.sum::<f64>() / n / scale).clamp(0.0, 1.0) } else { 0.0 };
        let made = PoweredMean::made(at, weight, (labelled.len(), judged.len(), None), |tuned| {
            variance(&labels) / (tuned.se * tuned.se)
        });
        PoweredMean { labelled_mean: Ok(label_mean), judged_mean: mean(&pooled), ..made }
    }

    /// The mean over clusters, which labelled and other items may share; each item has the number of its cluster. A
    /// labelled item counts as many as its weight says, above 0. Where weights differ, the judge's items are to be all
    /// that it judged, the labelled ones among them, since the others alone are no random part.
    pub fn of_clusters(labelled: &[LabelDrawn], judged: &[(u32, f64)]) -> PoweredMean {
        let (n, m) = (real(labelled.len() as u64), real(judged.len() as u64));
        let weights: f64 = labelled.iter().map(|item| item.3).sum();
        let weigh = |weight: f64| weight * n / weights;
        let mean_of = |of: &dyn Fn(&LabelDrawn) -> f64| {
            labelled.iter().map(|item| of(item) * weigh(item.3)).sum::<f64>() / n
        };
        let own: Vec<f64> = labelled.iter().map(|item| item.2).collect();
        let others: Vec<f64> = judged.iter().map(|item| item.1).collect();
        let (label_mean, own_mean, other_mean) =
            (mean_of(&|item| item.1), mean_of(&|item| item.2), mean(&others));
        let judged_mean = mean(&[own, others].concat());
        let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        for (cluster, label, judge, weight) in labelled {
            let sum = sums.entry(*cluster).or_default();
            sum.0 += (label - label_mean) * weigh(*weight) / n;
            sum.1 -= (judge - own_mean) * weigh(*weight) / n;
        }
        let clusters = sums.len();
        if clusters < 2 {
            let counts = (labelled.len(), judged.len(), Some(clusters));
            return PoweredMean::none(Undefined::TooFewClusters, (label_mean, judged_mean), counts);
        }
        for (cluster, judge) in judged {
            sums.entry(*cluster).or_default().1 += (judge - other_mean) / m;
        }
        let count = real(clusters as u64);
        let variance = |weight: f64| {
            let each = sums.values().map(|(label, judge)| (label + weight * judge).powi(2));
            count / (count - 1.0) * each.sum::<f64>()
        };
        let at = |weight: f64| JudgedMean {
            weight,
            estimate: if judged.is_empty() {
                label_mean
            } else {
                weight * (other_mean - own_mean) + label_mean
            },
            se: variance(weight).sqrt(),
            reach: quantile_975(count - 1.0),
        };
        let squares: f64 = sums.values().map(|(_, judge)| judge * judge).sum();
        let products: f64 = sums.values().map(|(label, judge)| label * judge).sum();
        let weight = if squares > 0.0 { (-products / squares).clamp(0.0, 1.0) } else { 0.0 };
        let made = PoweredMean::made(at, weight, (labelled.len(), judged.len(), Some(clusters)), |tuned| {
            n * variance(0.0) / variance(tuned.weight)
        });
        PoweredMean { labelled_mean: Ok(label_mean), judged_mean, ..made }
    }

    /// Whether the clusters with a label of a person are too few to tell how far clusters vary.
    pub fn has_few_clusters(&self) -> bool {
        self.clusters.is_some_and(|clusters| clusters < 3)
    }

    /// The probability of a tuned mean as far from 0 as this, were there no difference.
    ///
    /// # Errors
    /// There is no tuned mean, nothing varies, or the clusters are too few to tell.
    pub fn tuned_p(&self) -> Measure {
        if self.has_few_clusters() { Err(Undefined::TooFewClusters) } else { self.tuned?.p() }
    }

    fn made(
        at: impl Fn(f64) -> JudgedMean,
        weight: f64,
        (labelled, judged, clusters): (usize, usize, Option<usize>),
        effective: impl Fn(&JudgedMean) -> f64,
    ) -> PoweredMean {
        let with_judge =
            |weight| if judged == 0 { Err(Undefined::NoUnlabelledItems) } else { Ok(at(weight)) };
        let tuned = with_judge(weight);
        PoweredMean {
            classical: Ok(at(0.0)),
            whole: with_judge(1.0),
            tuned,
            effective: tuned.and_then(|tuned| {
                if tuned.se > 0.0 { Ok(effective(&tuned)) } else { Err(Undefined::ZeroVariance) }
            }),
            labelled_mean: Err(Undefined::NoItems),
            judged_mean: 0.0,
            labelled,
            judged,
            clusters,
        }
    }

    fn none(
        reason: Undefined,
        (labelled_mean, judged_mean): (f64, f64),
        (labelled, judged, clusters): (usize, usize, Option<usize>),
    ) -> PoweredMean {
        let with_judge = if labelled > 0 && judged == 0 { Undefined::NoUnlabelledItems } else { reason };
        PoweredMean {
            classical: Err(reason),
            whole: Err(with_judge),
            tuned: Err(with_judge),
            effective: Err(with_judge),
            labelled_mean: if labelled > 0 { Ok(labelled_mean) } else { Err(reason) },
            judged_mean,
            labelled,
            judged,
            clusters,
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / real(values.len() as u64)
}

/// The mean square about the mean.
fn variance(values: &[f64]) -> f64 {
    let middle = mean(values);
    values.iter().map(|value| (value - middle).powi(2)).sum::<f64>() / real(values.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_perfect_judge_makes_every_item_count() {
        let labelled = [(1.0, 1.0), (0.0, 0.0), (1.0, 1.0), (0.0, 0.0)];
        let judged = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0];
        let found = PoweredMean::of(&labelled, &judged);
        let whole = found.whole.expect("judged");
        assert!(
            (whole.estimate - 0.75).abs() < 1e-12 && (whole.se - (0.1875_f64 / 8.0).sqrt()).abs() < 1e-12
        );
        assert!(found.tuned.expect("judged").se <= found.classical.expect("labelled").se);
        let alone = PoweredMean::of(&labelled, &[]);
        assert_eq!(
            (alone.tuned, alone.effective),
            (Err(Undefined::NoUnlabelledItems), Err(Undefined::NoUnlabelledItems))
        );
        assert!((alone.classical.expect("labelled").estimate - 0.5).abs() < 1e-12);
    }

    /// One cluster tells nothing of how far clusters vary, and still has a mean.
    #[test]
    fn labels_of_one_cluster_have_a_mean() {
        let labelled = [(7, 1.0, 0.0, 1.0), (7, 0.0, 0.0, 3.0)];
        let found = PoweredMean::of_clusters(&labelled, &[(8, 1.0)]);
        assert_eq!((found.labelled_mean, found.classical), (Ok(0.25), Err(Undefined::TooFewClusters)));
        assert_eq!(found.tuned, Err(Undefined::TooFewClusters));
        let whole = PoweredMean::of_clusters(&labelled, &[]);
        assert_eq!((whole.labelled_mean, whole.tuned), (Ok(0.25), Err(Undefined::NoUnlabelledItems)));
    }
}
