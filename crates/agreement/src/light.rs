//! Means over the pairs of raters: percent agreement and Light's kappa.

use super::{
    Confusion, Counts, Measure, PairsUsed, Placed, PlacedMeasure, Undefined, Weights, cohen, each_without,
    real,
};

/// Light's kappa: the mean of Cohen's kappa over the pairs of raters where it is defined (Light 1971, Psychological Bulletin
/// 76:365). [`PairMeans::kappas`] has the number of these pairs.
///
/// # Errors
/// Undefined when no pair has a kappa.
pub fn kappa(counts: &Counts) -> Measure {
    counts.pair_means().light_kappa().map(|kappa| kappa.value)
}

/// The sums that means over pairs of raters are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairMeans {
    pairs: u64,
    with_items: u64,
    agreement: Sum,
    kappa: KappaSum,
    /// Kappas with quadratic weights, where labels have an order.
    quadratic: KappaSum,
    /// The fewest items that a pair has in common, of pairs that have any; counted over all items, also where some are left out.
    least_items: u64,
}

/// Kappas of pairs that have one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct KappaSum {
    pairs: u64,
    value: Sum,
    /// The sum of the lowest values that these kappas could have.
    lowest: Sum,
}

impl KappaSum {
    fn add(&mut self, table: &Confusion, weights: Weights) {
        if let Ok(Placed { value, lowest }) = cohen::placed(table, weights) {
            self.pairs += 1;
            self.value.add(value);
            self.lowest.add(lowest);
        }
    }

    fn replace(&mut self, old: Self, new: Self) {
        self.pairs = self.pairs + new.pairs - old.pairs;
        self.value.add(new.value.value - old.value.value);
        self.lowest.add(new.lowest.value - old.lowest.value);
    }

    fn mean(&self) -> PlacedMeasure {
        let mean = |sum: Sum| mean(sum.value, self.pairs).ok_or(Undefined::NoDefinedPair);
        Ok(Placed { value: mean(self.value)?, lowest: mean(self.lowest)? })
    }
}

/// A sum of very many numbers that keeps what rounding takes away (Kahan 1965, Communications of the ACM 8:40).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sum {
    value: f64,
    lost: f64,
}

impl Sum {
    fn add(&mut self, value: f64) {
        let value = value - self.lost;
        let sum = self.value + value;
        self.lost = (sum - self.value) - value;
        self.value = sum;
    }
}

impl PairMeans {
    /// The means of so many pairs, none of which has an item in common so far.
    pub(super) fn of_pairs(pairs: u64) -> Self {
        Self { pairs, ..Self::default() }
    }

    /// Adds a pair with an item in common.
    pub(super) fn add(&mut self, table: &Confusion) {
        if table.items() > 0 {
            self.least_items =
                if self.with_items == 0 { table.items() } else { self.least_items.min(table.items()) };
            self.with_items += 1;
            self.agreement.add(real(table.agreeing()) / real(table.items()));
        }
        self.kappa.add(table, Weights::Identity);
        self.quadratic.add(table, Weights::Quadratic);
    }

    /// Replaces what a pair added before by what it adds now.
    fn replace(&mut self, before: &Confusion, after: &Confusion) {
        let (mut old, mut new) = (Self::default(), Self::default());
        old.add(before);
        new.add(after);
        self.with_items = self.with_items + new.with_items - old.with_items;
        self.agreement.add(new.agreement.value - old.agreement.value);
        self.kappa.replace(old.kappa, new.kappa);
        self.quadratic.replace(old.quadratic, new.quadratic);
    }

    /// The means without each of these contents, which are rows with numbers of items. Only the pairs that
    /// rated such an item are counted again.
    pub(super) fn without_each(counts: &Counts, contents: &[Vec<(u32, u32)>]) -> Vec<Self> {
        let all = *counts.pair_means();
        each_without(counts.table(), counts.rows(), contents, all, Self::replace)
    }

    /// Pairs with a common item, of all pairs.
    #[must_use]
    pub fn with_common_items(&self) -> PairsUsed {
        PairsUsed { defined: self.with_items, total: self.pairs, least_items: self.least_items }
    }

    /// Pairs for which Cohen's kappa is defined, of all pairs.
    #[must_use]
    pub fn kappas(&self) -> PairsUsed {
        PairsUsed { defined: self.kappa.pairs, ..self.with_common_items() }
    }

    /// Pairs for which Cohen's kappa with quadratic weights is defined, of all pairs.
    #[must_use]
    pub fn quadratic_kappas(&self) -> PairsUsed {
        PairsUsed { defined: self.quadratic.pairs, ..self.with_common_items() }
    }

    pub(super) fn percent_agreement(&self) -> Measure {
        mean(self.agreement.value, self.with_items).ok_or(Undefined::NoPairableItems)
    }

    pub(super) fn light_kappa(&self) -> PlacedMeasure {
        self.kappa.mean()
    }

    pub(super) fn light_kappa_quadratic(&self) -> PlacedMeasure {
        self.quadratic.mean()
    }
}

fn mean(sum: f64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum / real(count))
}
