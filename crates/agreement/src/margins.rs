//! The marginals of two raters, and their effect on kappa.

use super::{Confusion, Measure, Undefined, ratio, real};

/// How far two raters differ in how often they use the categories, how unevenly they use them together, and the
/// largest kappa that this leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margins {
    /// Half of Σ_k |p_k. − p_.k|: 0 when both use the categories equally often, 1 when they share none. For two categories
    /// it is |b − c|/n, the bias index of Byrt, Bishop & Carlin 1993, Journal of Clinical Epidemiology 46:423.
    pub bias_index: Measure,
    /// (q max_k m_k − 1)/(q − 1) with m_k the mean of p_k. and p_.k: 0 when all categories are equally frequent, 1 when
    /// one only is used. For two categories it is |a − d|/n, the prevalence index of the same source.
    pub prevalence_index: Measure,
    /// (Σ_k min(p_k., p_.k) − pe)/(1 − pe), the largest kappa with these marginals (Cohen 1960, Educational and
    /// Psychological Measurement 20:37).
    pub kappa_max: Measure,
}

impl Margins {
    /// The margins of a contingency table. Undefined without a common item; the prevalence index also in a schema of one
    /// category, and the largest kappa where kappa itself is.
    #[must_use]
    pub fn of(table: &Confusion) -> Self {
        if table.items() == 0 {
            let none = Err(Undefined::NoPairableItems);
            return Self { bias_index: none, prevalence_index: none, kappa_max: none };
        }
        let n = table.items();
        let both = || table.first().iter().zip(table.second());
        let apart: u64 = both().map(|(first, second)| first.abs_diff(*second)).sum();
        Self {
            bias_index: Ok(real(apart) / real(2 * n)),
            prevalence_index: prevalence(both().map(|(first, second)| first + second).max(), table),
            kappa_max: kappa_max(table),
        }
    }
}

fn prevalence(most: Option<u64>, table: &Confusion) -> Measure {
    let categories = table.categories() as u64;
    Undefined::SingleCategorySchema.when(categories <= 1)?;
    let most = real(most.unwrap_or(0)) / real(2 * table.items());
    Ok((real(categories) * most - 1.0) / (real(categories) - 1.0))
}

fn kappa_max(table: &Confusion) -> Measure {
    Undefined::ZeroExpectedDisagreement.when(table.one_category())?;
    let n = i128::from(table.items());
    let both = || table.first().iter().zip(table.second());
    let most: i128 = both().map(|(first, second)| i128::from(*first.min(second))).sum();
    let chance: i128 = both().map(|(first, second)| i128::from(*first) * i128::from(*second)).sum();
    Ok(ratio(n * most - chance, n * n - chance))
}

#[cfg(test)]
mod tests {
    use super::super::{Category, RatingsBuilder, Scale};
    use super::*;

    fn margins(counts: &[&[usize]]) -> Margins {
        let labels = (0..counts.len()).map(|k| k.to_string());
        let mut table =
            RatingsBuilder::new(Scale::Nominal, Category::numbered(labels)).expect("a good schema");
        for rater in ["a", "b"] {
            table.rater(rater).expect("room");
        }
        let mut item = 0;
        for (k, row) in counts.iter().enumerate() {
            for (l, count) in row.iter().enumerate() {
                for _ in 0..*count {
                    item += 1;
                    table.add(&item.to_string(), "a", &k.to_string()).expect("a new cell");
                    table.add(&item.to_string(), "b", &l.to_string()).expect("a new cell");
                }
            }
        }
        Margins::of(&Confusion::between(&table.finish(), 0, 1).expect("two raters"))
    }

    fn near(found: Measure, wanted: f64) {
        let found = found.expect("defined");
        assert!((found - wanted).abs() < 1e-12, "{found} instead of {wanted}");
    }

    /// a = 80, b = 10, c = 5, d = 5: bias |10 − 5|/100, prevalence |80 − 5|/100. Marginals 90, 10 and 85, 15:
    /// pe = 0.9 · 0.85 + 0.1 · 0.15 = 0.78, Σ min = 0.85 + 0.10 = 0.95, so kappa reaches 0.17/0.22.
    #[test]
    fn two_categories() {
        let found = margins(&[&[80, 10], &[5, 5]]);
        near(found.bias_index, 0.05);
        near(found.prevalence_index, 0.75);
        near(found.kappa_max, 0.17 / 0.22);
    }

    /// Marginals 5, 3, 2 and 3, 3, 4 of 10: half of 2 + 0 + 2 over 10; the most frequent category has (5 + 3)/20 = 0.4, so
    /// (3 · 0.4 − 1)/2; pe = 0.15 + 0.09 + 0.08 = 0.32, Σ min = 0.3 + 0.3 + 0.2 = 0.8.
    #[test]
    fn three_categories() {
        let found = margins(&[&[3, 1, 1], &[0, 2, 1], &[0, 0, 2]]);
        near(found.bias_index, 0.2);
        near(found.prevalence_index, 0.1);
        near(found.kappa_max, 0.48 / 0.68);
    }

    #[test]
    fn undefined_where_there_is_nothing_to_say() {
        assert_eq!(margins(&[&[0, 0], &[0, 0]]).bias_index, Err(Undefined::NoPairableItems));
        let one = margins(&[&[4, 0], &[0, 0]]);
        assert_eq!(one.kappa_max, Err(Undefined::ZeroExpectedDisagreement));
        near(one.prevalence_index, 1.0);
        assert_eq!(margins(&[&[4]]).prevalence_index, Err(Undefined::SingleCategorySchema));
    }
}
