//! Means over the pairs of raters: percent agreement and Light's kappa.

use super::coefficient::PairsUsed;
use super::cohen;
use super::confusion::Confusion;
use super::counts::Counts;
use super::histogram::real;
use super::undefined::{Measure, Undefined};
use super::weights::Weights;

/// Light's kappa: the mean of Cohen's kappa over the pairs of raters where it is defined (Light 1971, Psychological
/// Bulletin 76:365). How many that are, is in [`PairMeans::kappas`].
///
/// # Errors
/// Undefined when no pair has a kappa.
pub fn kappa(counts: &Counts) -> Measure {
    counts.pair_means().light_kappa()
}

/// What the means over pairs of raters are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairMeans {
    pairs: u64,
    with_items: u64,
    agreement: f64,
    with_kappa: u64,
    kappa: f64,
}

impl PairMeans {
    pub(super) fn add(&mut self, table: &Confusion) {
        self.pairs += 1;
        if table.items() > 0 {
            self.with_items += 1;
            self.agreement += real(table.agreeing()) / real(table.items());
        }
        if let Ok(kappa) = cohen::kappa(table, Weights::Identity) {
            self.with_kappa += 1;
            self.kappa += kappa;
        }
    }

    /// Pairs with a common item, of all pairs.
    #[must_use]
    pub fn with_common_items(&self) -> PairsUsed {
        PairsUsed { defined: self.with_items, total: self.pairs }
    }

    /// Pairs for which Cohen's kappa is defined, of all pairs.
    #[must_use]
    pub fn kappas(&self) -> PairsUsed {
        PairsUsed { defined: self.with_kappa, total: self.pairs }
    }

    pub(super) fn percent_agreement(&self) -> Measure {
        mean(self.agreement, self.with_items).ok_or(Undefined::NoPairableItems)
    }

    pub(super) fn light_kappa(&self) -> Measure {
        mean(self.kappa, self.with_kappa).ok_or(Undefined::NoDefinedPair)
    }
}

fn mean(sum: f64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum / real(count))
}
