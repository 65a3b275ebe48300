//! Single categories, single raters and single groups of items.

use super::{Counts, Measure, Pattern, Undefined, real};

/// A category, how often it was chosen, and how far raters agree on it.
#[derive(Clone, Debug, PartialEq)]
pub struct CategoryAgreement {
    pub label: String,
    /// How often the category was chosen.
    pub ratings: u64,
    /// The category's share of all ratings.
    pub share: Measure,
    /// Σ_i r_ik(r_ik−1) / Σ_i r_ik(r_i−1): given that a rater chose the category, the chance that another one did too (Fleiss
    /// 1971, Psychological Bulletin 76:378; for two raters the specific agreement 2a/(2a+b+c) of Cicchetti & Feinstein
    /// 1990, Journal of Clinical Epidemiology 43:551).
    pub agreement: Measure,
}

/// A rater and the majority of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgainstRest {
    /// Items that the rater rated and on which one category leads among the others.
    pub items: u64,
    /// Of these, those where the rater chose it.
    pub equal: u64,
    /// Items that the rater rated and on which the others' lead is divided; they are left out.
    pub ties: u64,
}

impl AgainstRest {
    /// The share of items on which the rater agrees with the others' majority.
    ///
    /// # Errors
    /// Undefined when there is no such item.
    pub fn agreement(&self) -> Measure {
        Undefined::NoMajority.when(self.items == 0)?;
        Ok(real(self.equal) / real(self.items))
    }
}

impl Counts<'_> {
    /// Every category of the schema, in scale order.
    #[must_use]
    pub fn by_category(&self) -> Vec<CategoryAgreement> {
        let (ratings, all) = (&self.histogram.rated().by_category, self.ratings());
        let categories = self.table().categories().iter().zip(ratings).enumerate();
        let of = |k: usize| {
            let pairs = |pattern: &Pattern| {
                let own =
                    pattern.shares().find(|(category, _)| *category == k).map_or(0.0, |(_, count)| count);
                let items = real(pattern.items);
                (items * own * (own - 1.0), items * own * (f64::from(pattern.ratings) - 1.0))
            };
            let add = |sum: (f64, f64), part: (f64, f64)| (sum.0 + part.0, sum.1 + part.1);
            let (equal, all) = self.histogram.pairable_patterns().map(pairs).fold((0.0, 0.0), add);
            if all > 0.0 { Ok(equal / all) } else { Err(Undefined::UnusedCategory) }
        };
        categories
            .map(|(k, (category, ratings))| CategoryAgreement {
                label: category.label.clone(),
                ratings: *ratings,
                share: if all > 0 { Ok(real(*ratings) / real(all)) } else { Err(Undefined::NoPairableItems) },
                agreement: of(k),
            })
            .collect()
    }

    /// How often each rater chose each category: a list of categories for every rater.
    #[must_use]
    pub fn labels_by_rater(&self) -> Vec<Vec<u64>> {
        let mut labels = vec![vec![0; self.table().categories().len()]; self.table().raters().len()];
        for (row, items) in self.rows().iter(self.table()) {
            for (rater, category) in row.ratings() {
                labels[rater][usize::from(category)] += items; // raters and categories of this table
            }
        }
        labels
    }

    /// For every rater the mean share of each category among what the others chose, over the items that others rated; `None`
    /// where nobody else rated anything. An item counts once, however many rated it.
    #[must_use]
    pub fn shares_of_others(&self) -> Vec<Option<Vec<f64>>> {
        // The shares among all ratings of all items, less those of the own items, plus those without the own rating.
        let none = (0.0, vec![0.0; self.table().categories().len()]);
        let add = |sum: &mut (f64, Vec<f64>), weight: f64, (ratings, chosen): (f64, &[f64])| {
            if ratings > 0.0 {
                sum.0 += weight;
                sum.1.iter_mut().zip(chosen).for_each(|(share, count)| *share += weight * count / ratings);
            }
        };
        let (mut all, mut own) = (none.clone(), vec![none; self.table().raters().len()]);
        let mut chosen = all.1.clone();
        for (row, items) in self.rows().iter(self.table()) {
            chosen.fill(0.0);
            row.ratings().for_each(|(_, category)| chosen[usize::from(category)] += 1.0);
            let (ratings, items) = (chosen.iter().sum(), real(items));
            add(&mut all, items, (ratings, &chosen));
            for (rater, category) in row.ratings() {
                // Raters and categories of this table.
                let (sum, category) = (&mut own[rater], usize::from(category));
                add(sum, -items, (ratings, &chosen));
                chosen[category] -= 1.0;
                add(sum, items, (ratings - 1.0, &chosen));
                chosen[category] += 1.0;
            }
        }
        let mean = |(items, shares): (f64, Vec<f64>)| {
            let items = all.0 + items;
            let share = |(all, share): (&f64, f64)| ((all + share) / items).clamp(0.0, 1.0);
            (items > 0.0).then(|| all.1.iter().zip(shares).map(share).collect())
        };
        own.into_iter().map(mean).collect()
    }

    /// Every rater against the majority of the others, by rater.
    #[must_use]
    pub fn against_rest(&self) -> Vec<AgainstRest> {
        let mut found = vec![AgainstRest::default(); self.table().raters().len()];
        let mut chosen = vec![0_u32; self.table().categories().len()];
        for (row, items) in self.rows().iter(self.table()) {
            chosen.fill(0);
            row.ratings().for_each(|(_, category)| chosen[usize::from(category)] += 1);
            for (rater, category) in row.ratings() {
                // Raters and categories of this table; the rater's own rating does not count.
                let (rest, own) = (&mut found[rater], usize::from(category));
                chosen[own] -= 1;
                let most = chosen.iter().copied().max().unwrap_or(0);
                let leading = chosen.iter().filter(|count| **count == most).count();
                match (most, leading) {
                    (0, _) => {}
                    (_, 1) => {
                        rest.items += items;
                        rest.equal += if chosen[own] == most { items } else { 0 };
                    }
                    _ => rest.ties += items,
                }
                chosen[own] += 1;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Ratings, Scale};
    use super::*;

    /// Items of one character a rater, `.` for missing.
    fn table(items: &[&str]) -> Ratings {
        crate::tests::on(Scale::Nominal, "abc", items)
    }

    /// aaa: 6 ordered pairs of a, all equal. aab: a in 2 · 2 = 4 pairs, 2 of them equal; b in 2, none equal.
    /// ab.: a in 1, b in 1, none equal. a: 8/11, b: 0/3, c: never; `c` alone on an item makes no pair.
    #[test]
    fn agreement_on_a_category() {
        let found = Counts::of(&table(&["aaa", "aab", "ab.", "c.."])).by_category();
        assert_eq!(found.iter().map(|category| category.ratings).collect::<Vec<_>>(), [6, 2, 1]);
        assert_eq!((found[0].agreement, found[0].share), (Ok(8.0 / 11.0), Ok(6.0 / 9.0)));
        assert_eq!(found[1].agreement, Ok(0.0));
        assert_eq!(found[2].agreement, Err(Undefined::UnusedCategory));
    }

    /// Rater 0: with aab the others are divided, with baa they say a and 0 does not, with aaa and ab. they have a
    /// majority and 0 shares the first; c.. has no others.
    #[test]
    fn a_rater_against_the_rest() {
        let ratings = table(&["aaa", "aab", "baa", "ab.", "c.."]);
        let found = Counts::of(&ratings).against_rest();
        assert_eq!(found[0], AgainstRest { items: 3, equal: 1, ties: 1 });
        // Rater 2: aaa yes, aab the others say a, baa divided.
        assert_eq!(found[2], AgainstRest { items: 2, equal: 1, ties: 1 });
        assert_eq!(found[2].agreement(), Ok(0.5));
        assert_eq!(AgainstRest::default().agreement(), Err(Undefined::NoMajority));
        assert_eq!(Counts::of(&ratings).labels_by_rater()[1], [3, 1, 0]);
        // The others of 0: a and a, a and b, a and a, b alone, nobody; of 2: a and a twice, divided, a and b, c alone.
        let others = Counts::of(&ratings).shares_of_others();
        for (rater, expected) in [(0, [2.5 / 4.0, 1.5 / 4.0, 0.0]), (2, [3.0 / 5.0, 1.0 / 5.0, 1.0 / 5.0])] {
            let found = others[rater].as_ref().expect("others rated something");
            let is_close = |(found, expected): (&f64, f64)| (found - expected).abs() < 1e-12;
            assert!(found.iter().zip(expected).all(is_close), "{rater}: {found:?}");
        }
        assert_eq!(Counts::of(&table(&["a", "b"])).shares_of_others(), [None]);
    }
}
