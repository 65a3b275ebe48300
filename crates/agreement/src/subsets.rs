//! Which raters agree best: every subset of so many raters by itself.
//!
//! Qi et al. 2024, Long2RAG (App. A.3), let four annotators judge the same items and kept the two that agreed best. The
//! best of several subsets is partly best by luck: its value is too high on average, the more so the fewer its items.

use super::{
    Bootstrap, Clusters, Counts, Definition, DistinctRows, Estimate, Interval, Intervals, Jackknife, Kinds,
    Measure, NumberRange, Ratings, Undefined,
};

/// The most subsets that are looked at.
pub const MAX_SUBSETS: u64 = 5_000;

/// Some of the raters of a table, and how far they agree.
#[derive(Clone, Debug, PartialEq)]
pub struct Subset {
    /// Numbers of the raters, ascending.
    pub raters: Vec<usize>,
    /// Items that two or more of them rated.
    pub items: u64,
    /// The values of the definitions that were asked for, in their order.
    pub values: Vec<Measure>,
}

/// How many subsets of this size there are; `u64::MAX` where there are more than that.
#[must_use]
pub fn number_of_subsets(raters: usize, size: usize) -> u64 {
    let Some(rest) = raters.checked_sub(size) else { return 0 };
    let factors = (1..=size.min(rest) as u128).map(|k| (raters as u128 + 1 - k, k));
    let mut number = 1;
    for (above, below) in factors {
        // Divides without a rest: the product of k numbers in a row is divisible by k!.
        let Ok(more) = u64::try_from(u128::from(number) * above / below) else { return u64::MAX };
        number = more;
    }
    number
}

/// Every subset of `size` raters with its values, ranked by the first definition, the largest first; those without one last.
/// Among equals the one with more items comes first.
///
/// Empty where there are fewer raters than that, or more than [`MAX_SUBSETS`] subsets.
#[must_use]
pub fn best_subsets(ratings: &Ratings, size: usize, definitions: &[&Definition]) -> Vec<Subset> {
    let raters = ratings.raters().len();
    if number_of_subsets(raters, size) > MAX_SUBSETS {
        return Vec::new();
    }
    let mut subsets: Vec<Subset> =
        choices(raters, size).into_iter().map(|chosen| subset(ratings, chosen, definitions)).collect();
    subsets.sort_by(|one, other| {
        let value = |subset: &Subset| {
            let first = subset.values.first().and_then(|value| value.ok());
            first.unwrap_or(f64::NEG_INFINITY)
        };
        value(other).total_cmp(&value(one)).then_with(|| other.items.cmp(&one.items))
    });
    subsets
}

fn subset(ratings: &Ratings, chosen: Vec<usize>, definitions: &[&Definition]) -> Subset {
    let own = ratings.of_raters(&chosen);
    let counts = Counts::of(&own);
    let value =
        |definition: &&Definition| definition.value(&counts).unwrap_or(Err(Undefined::NoPairableItems));
    Subset { items: counts.items_pairable(), values: definitions.iter().map(value).collect(), raters: chosen }
}

impl Subset {
    /// The interval of one of the values; `None` where none is asked for.
    pub fn interval(
        &self,
        ratings: &Ratings,
        clusters: &Clusters,
        definition: &Definition,
        intervals: Intervals,
    ) -> Option<Result<Interval, Undefined>> {
        let own = ratings.of_raters(&self.raters);
        // The values are those of the sample as it is.
        intervals
            .of_coefficients(&Counts::of(&own), &clusters.plain(), &[definition])
            .into_iter()
            .next()
            .flatten()
    }
}

/// How much better one subset agrees than another on the items that two or more of each rated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead {
    /// The items that two or more of each rated.
    pub items: u64,
    /// The value of the first less that of the second, each cluster left out of (or drawn for) both at once.
    pub difference: Estimate,
}

impl Subset {
    /// The lead of this subset over another.
    #[must_use]
    pub fn lead(
        &self,
        other: &Subset,
        ratings: &Ratings,
        clusters: &Clusters,
        (definition, intervals): (&Definition, Intervals),
    ) -> Lead {
        let is_rated = |item: usize, raters: &[usize]| {
            let row = ratings.row(item);
            raters.iter().filter_map(|rater| row.get(*rater)).nth(1).is_some()
        };
        let is_common = |item: &usize| is_rated(*item, &self.raters) && is_rated(*item, &other.raters);
        let items: Vec<usize> = (0..ratings.items().len()).filter(is_common).collect();
        let common = ratings.of_items(&items);
        let (one, two) = (common.of_raters(&self.raters), common.of_raters(&other.raters));
        let (one, two) = (Counts::of(&one), Counts::of(&two));
        let either: std::collections::BTreeSet<usize> =
            self.raters.iter().chain(&other.raters).copied().collect();
        let both = common.of_raters(&either.into_iter().collect::<Vec<_>>());
        let rows = DistinctRows::of(&both);
        let kinds = Kinds::of(&both, &rows, &clusters.plain().of_items(&items));
        // For each row of both, its row in each subset's own table.
        let mut places = vec![(0, 0); rows.multiplicity().len()];
        let own = one.rows().row_of_item().iter().zip(two.rows().row_of_item());
        for (row, (one, two)) in rows.row_of_item().iter().zip(own) {
            places[*row as usize] = (*one as usize, *two as usize); // one place a row
        }
        let start = || (one.clone(), two.clone(), vec![0; rows.multiplicity().len()]);
        let value = |counts: &mut Counts<'_>, of: fn(&(usize, usize)) -> usize, rows: &[u64]| {
            let mut own = vec![0; counts.rows().multiplicity().len()];
            places.iter().zip(rows).for_each(|(place, items)| own[of(place)] += items);
            counts.reweight_rows(&own);
            definition.value(counts).unwrap_or(Err(Undefined::NoPairableItems))
        };
        let difference = |one: &mut Counts<'_>, two: &mut Counts<'_>, rows: &[u64]| -> Measure {
            Ok(value(one, |place| place.0, rows)? - value(two, |place| place.1, rows)?)
        };
        let (mut first, mut second, _) = start();
        let whole = difference(&mut first, &mut second, rows.multiplicity());
        let interval = match intervals {
            Intervals::Formula => Some(Err(Undefined::NoFormula)),
            Intervals::Bootstrap(Bootstrap { resamples: 0, .. }) => None,
            Intervals::Jackknife => {
                let mut left = rows.multiplicity().to_vec();
                let without = kinds.contents.iter().zip(&kinds.sizes).map(|(content, size)| {
                    content.iter().for_each(|(row, items)| left[*row as usize] -= u64::from(*items));
                    let rest = difference(&mut first, &mut second, &left);
                    content.iter().for_each(|(row, items)| left[*row as usize] += u64::from(*items));
                    (rest, *size)
                });
                Some(Jackknife::of(without).interval(whole, NumberRange::Any))
            }
            Intervals::Bootstrap(bootstrap) => {
                let drawn = |(one, two, rows): &mut (Counts<'_>, Counts<'_>, Vec<u64>), times: &[u64]| {
                    kinds.add_up(times, rows);
                    vec![difference(one, two, rows)]
                };
                bootstrap.resample(&kinds.sizes, &[whole], start, drawn).into_iter().next()
            }
        };
        let difference = Estimate { value: whole, interval, clusters: kinds.sizes.iter().sum() };
        Lead { items: items.len() as u64, difference }
    }
}

/// All ways to choose `size` of the numbers below `of`, each ascending, in dictionary order.
fn choices(of: usize, size: usize) -> Vec<Vec<usize>> {
    if size > of {
        return Vec::new();
    }
    let mut all = Vec::new();
    let mut chosen: Vec<usize> = (0..size).collect();
    loop {
        all.push(chosen.clone());
        // The last number that can grow; those behind it follow it closely.
        let Some(place) =
            (0..size).rev().find(|place| chosen.get(*place).is_some_and(|n| n + size < of + place))
        else {
            return all;
        };
        let next = chosen.get(place).map_or(0, |number| number + 1);
        for (number, slot) in (next..).zip(chosen.iter_mut().skip(place)) {
            *slot = number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Category, RatingsBuilder, Scale};
    use super::*;

    /// Items of one character a rater, `.` for missing.
    fn table(items: &[&str]) -> Ratings {
        let mut table =
            RatingsBuilder::new(Scale::Nominal, Category::numbered(["a", "b"])).expect("a good schema");
        for (item, row) in items.iter().enumerate() {
            for (rater, label) in row.chars().enumerate().filter(|(_, label)| *label != '.') {
                table.add(&item.to_string(), &rater.to_string(), &label.to_string()).expect("a new cell");
            }
        }
        table.finish()
    }

    #[test]
    fn every_choice_comes_once() {
        assert_eq!(choices(3, 2), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(choices(2, 2), [[0, 1]]);
        assert_eq!(choices(1, 2), Vec::<Vec<usize>>::new());
        assert_eq!(choices(7, 3).len() as u64, number_of_subsets(7, 3));
        // 7 · 6 · 5 / 6 = 35; 20 choose 10 = 184,756; 100 choose 50 has thirty digits.
        let numbers = [(7, 3, 35), (20, 10, 184_756), (4, 4, 1), (3, 4, 0), (100, 50, u64::MAX)];
        for (raters, size, number) in numbers {
            assert_eq!(number_of_subsets(raters, size), number, "{size} of {raters}");
        }
    }

    #[test]
    fn the_raters_who_agree_come_first() {
        // 0 and 1 agree on 3 of 4 items, 0 and 2 on 1 of 4, 1 and 2 on 2 of 4; 3 rated nothing that another did.
        let ratings = table(&["aab.", "bba.", "aaa.", "abb.", "...a"]);
        let agreement = Definition::named("percent_agreement_items").expect("in the table");
        let found = best_subsets(&ratings, 2, &[agreement]);
        let pairs: Vec<(&[usize], u64, Measure)> =
            found.iter().map(|subset| (subset.raters.as_slice(), subset.items, subset.values[0])).collect();
        let none = Err(Undefined::NoPairableItems);
        assert_eq!(
            pairs,
            [
                (&[0, 1][..], 4, Ok(0.75)),
                (&[1, 2][..], 4, Ok(0.5)),
                (&[0, 2][..], 4, Ok(0.25)),
                (&[0, 3][..], 0, none),
                (&[1, 3][..], 0, none),
                (&[2, 3][..], 0, none),
            ]
        );
        // 3 of 4: SE² = 0.75 · 0.25 / 3, t(0.975, 3) = 3.182, z′ = 1 / (0.75 · 0.25).
        let interval = |subset: &Subset| {
            let found = subset.interval(&ratings, &Clusters::items(), agreement, Intervals::Jackknife);
            found.expect("asked for")
        };
        let reach = 3.182_446_305_284_263 * (0.75_f64 * 0.25 / 3.0).sqrt() / (0.75 * 0.25);
        let low = 1.0 / (1.0 + (reach - 3.0_f64.ln()).exp());
        assert!((interval(&found[0]).expect("four items").low - low).abs() < 1e-12, "{low}");
        assert_eq!(interval(&found[5]), Err(Undefined::ValueUndefined));
    }

    /// 0 and 1 agree on the first four of the six items that both pairs rated, 0 and 2 on the last three: 4/6 less 3/6.
    #[test]
    fn a_lead_is_over_the_items_of_both() {
        let ratings = table(&["aab.", "bba.", "aab.", "bbb.", "aba.", "bab.", "a..a"]);
        let agreement = Definition::named("percent_agreement_items").expect("in the table");
        let found = best_subsets(&ratings, 2, &[agreement]);
        let subset = |raters: &[usize]| found.iter().find(|subset| subset.raters == raters).expect("a pair");
        let how = (agreement, Intervals::Jackknife);
        let lead = subset(&[0, 1]).lead(subset(&[0, 2]), &ratings, &Clusters::items(), how);
        // By item 1, 1, 1, 0, −1, −1: mean 1/6, squares 5 − 1/6, SE² = (29/6) / (6 · 5), t(0.975, 5) = 2.570581836.
        assert_eq!((lead.items, lead.difference.clusters), (6, 6));
        assert!((lead.difference.value.expect("defined") - 1.0 / 6.0).abs() < 1e-12);
        let interval = lead.difference.interval.expect("asked for").expect("defined");
        let reach = 2.570_581_835_636_197 * (29.0_f64 / 180.0).sqrt();
        assert!(
            (interval.low - (1.0 / 6.0 - reach)).abs() < 1e-9
                && (interval.high - (1.0 / 6.0 + reach)).abs() < 1e-9
        );
        // In clusters of two items: means 1, 1/2 and −1, whose squares about 1/6 are 13/6.
        let clusters = Clusters::of(vec![0, 0, 1, 1, 2, 2, 3]);
        let lead = subset(&[0, 1]).lead(subset(&[0, 2]), &ratings, &clusters, how);
        let se = lead.difference.interval.expect("asked for").expect("defined").se.expect("known");
        assert!((se - (13.0_f64 / 6.0 / 6.0).sqrt()).abs() < 1e-12 && lead.difference.clusters == 3);
        let alone = subset(&[0, 1]).lead(subset(&[0, 3]), &ratings, &clusters, how);
        assert_eq!((alone.items, alone.difference.value), (0, Err(Undefined::NoPairableItems)));
    }

    #[test]
    fn too_many_subsets_are_none() {
        let row: String = "a".repeat(20);
        let agreement = Definition::named("percent_agreement_items").expect("in the table");
        assert!(best_subsets(&table(&[&row]), 10, &[agreement]).is_empty());
    }
}
