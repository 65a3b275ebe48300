//! Agreement weights between categories.

use super::short;

/// How much two different categories still agree.
///
/// With q categories at the positions k, l = 0 … q−1 of the schema (never the codes, never only the
/// categories that occur), the weight is w = 1 − distance / span. Weights are 1 on the diagonal and
/// the largest distance is the span, hence the smallest weight 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weights {
    /// w = 1 when k = l, else 0.
    Identity,
    /// w = 1 − |k−l|/(q−1) (Cicchetti & Allison 1971).
    Linear,
    /// w = 1 − (k−l)²/(q−1)² (Cohen 1968; Fleiss & Cohen 1973).
    Quadratic,
    /// w = 1 − C(|k−l|+1, 2)/C(q, 2) (Gwet 2014, Handbook of Inter-Rater Reliability, ch. 3).
    Ordinal,
}

impl Weights {
    /// The whole-numbered distance of two positions, at most 253².
    #[must_use]
    pub fn distance(self, k: usize, l: usize) -> u32 {
        let steps = short(k.abs_diff(l));
        match self {
            Self::Identity => steps.min(1),
            Self::Linear => steps,
            Self::Quadratic => steps.saturating_mul(steps),
            Self::Ordinal => steps.saturating_mul(steps.saturating_add(1)) / 2,
        }
    }

    /// The distance between the first and the last of `categories`, at least 1.
    #[must_use]
    pub fn span(self, categories: usize) -> u32 {
        self.distance(0, categories.saturating_sub(1)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::Weights::{Identity, Linear, Ordinal, Quadratic};

    #[test]
    fn three_categories() {
        let first_row = |weights: super::Weights| {
            [0, 1, 2].map(|l| (weights.span(3) - weights.distance(0, l), weights.span(3)))
        };
        assert_eq!(first_row(Identity), [(1, 1), (0, 1), (0, 1)]);
        assert_eq!(first_row(Linear), [(2, 2), (1, 2), (0, 2)]);
        assert_eq!(first_row(Quadratic), [(4, 4), (3, 4), (0, 4)]);
        assert_eq!(first_row(Ordinal), [(3, 3), (2, 3), (0, 3)]);
    }
}
