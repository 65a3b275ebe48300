//! Every pair of raters by itself.

use super::{Confusion, Counts, Measure, Ratings, Scale, Undefined, Weights, kappa, pearson, real};

/// Two raters and how far they agree on the items that both rated.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// Name of the first rater.
    pub a: String,
    /// Name of the second rater.
    pub b: String,
    /// Items that both rated.
    pub items: u64,
    /// Share of the common items with equal ratings.
    pub percent_agreement: Measure,
    /// Cohen's kappa.
    pub cohen_kappa: Measure,
    /// Cohen's kappa with linear weights.
    pub cohen_kappa_linear: Measure,
    /// Cohen's kappa with quadratic weights.
    pub cohen_kappa_quadratic: Measure,
    /// Pearson's r of the codes.
    pub pearson_r: Measure,
}

/// All pairs of raters, ordered by the number of the first, then of the second; those without a
/// common item too.
#[must_use]
pub fn pairs(ratings: &Ratings) -> Vec<Pair> {
    let counts = Counts::of(ratings);
    let mut pairs = Vec::new();
    counts.each_pair(|a, b, table| pairs.push(Pair::of(&counts, (a, b), table)));
    pairs
}

impl Pair {
    /// Two raters of a table by their numbers, with their contingency table.
    #[must_use]
    pub fn of(counts: &Counts, (a, b): (usize, usize), table: &Confusion) -> Self {
        let name = |rater| counts.table().raters().get(rater).unwrap_or_default().to_owned();
        let items = table.items();
        let agreement = || real(table.agreeing()) / real(items);
        Self {
            a: name(a),
            b: name(b),
            items,
            percent_agreement: if items > 0 { Ok(agreement()) } else { Err(Undefined::NoPairableItems) },
            cohen_kappa: kappa(table, Weights::Identity),
            cohen_kappa_linear: kappa(table, Weights::Linear),
            cohen_kappa_quadratic: kappa(table, Weights::Quadratic),
            pearson_r: pearson(table, &counts.codes),
        }
    }

    /// What means something on this scale: labels without an order have no weighted kappa and no r, since these would change
    /// with the order in which the labels happen to stand.
    #[must_use]
    pub fn on(self, scale: Scale) -> Self {
        if scale > Scale::Nominal {
            return self;
        }
        let none = Err(Undefined::NoOrder);
        Self { cohen_kappa_linear: none, cohen_kappa_quadratic: none, pearson_r: none, ..self }
    }

    /// The statistics with their names.
    pub fn statistics(&self) -> [(&'static str, Measure); 5] {
        [
            ("percent_agreement", self.percent_agreement),
            ("cohen_kappa", self.cohen_kappa),
            ("cohen_kappa_linear", self.cohen_kappa_linear),
            ("cohen_kappa_quadratic", self.cohen_kappa_quadratic),
            ("pearson_r", self.pearson_r),
        ]
    }
}
