//! Whether two annotators who both name a bullet name the same one.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt};

use super::{Estimate, Intervals, Measure, NumberRange, Undefined, number_of_pair, real};

/// Linking accuracy's numerator and denominator (Laban et al. 2024, Summary of a Haystack, §4.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Linking {
    /// Judgments where both sides name a bullet.
    pub linked: u64,
    /// Of these, those where it is the same.
    pub same: u64,
}

impl Linking {
    /// Counts the bullets that the two sides of each judgment name, both numbered from 1; `None` where a side names
    /// none. The coverage labels do not matter.
    #[must_use]
    pub fn of(pairs: impl IntoIterator<Item = (Option<u32>, Option<u32>)>) -> Self {
        let mut all = Self::default();
        pairs.into_iter().for_each(|(first, second)| all.add(first, second));
        all
    }

    /// Counts one more judgment.
    pub fn add(&mut self, first: Option<u32>, second: Option<u32>) {
        if let (Some(first), Some(second)) = (first, second) {
            self.linked += 1;
            self.same += u64::from(first == second);
        }
    }

    /// Among the judgments where both sides name a bullet, the share that name the same one.
    ///
    /// # Errors
    /// Undefined when there is no such judgment.
    pub fn accuracy(&self) -> Measure {
        Undefined::NoLinkedItems.when(self.linked == 0)?;
        Ok(real(self.same) / real(self.linked))
    }
}

/// [`Linking`] for every pair of raters that link an item in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairLinkings {
    raters: usize,
    /// The links of each item: rater and bullet.
    items: Vec<Vec<(u32, u32)>>,
    /// By the number of the pair, ascending.
    pairs: Vec<(usize, Linking)>,
}

impl PairLinkings {
    /// Counts the bullets that raters name, item by item: the rater's number and the bullet's. No rater stands twice in an
    /// item.
    #[must_use]
    pub fn of(raters: usize, items: Vec<Vec<(u32, u32)>>) -> Self {
        let mut pairs: HashMap<usize, Linking> = HashMap::new();
        for named in &items {
            each_pair(raters, named, |pair, is_same| {
                let linking = pairs.entry(pair).or_default();
                linking.linked += 1;
                linking.same += u64::from(is_same);
            });
        }
        let mut pairs: Vec<(usize, Linking)> = pairs.into_iter().collect();
        pairs.sort_unstable_by_key(|(pair, _)| *pair);
        Self { raters, items, pairs }
    }

    /// Linking accuracy, the mean over the pairs that have one (Laban et al. 2024, §4.2), with its interval over the clusters
    /// of the items.
    #[must_use]
    pub fn accuracy(&self, cluster: impl Fn(usize) -> u32, intervals: Intervals) -> Estimate {
        let mut clusters: BTreeMap<u32, Vec<&[(u32, u32)]>> = BTreeMap::new();
        for (item, named) in self.items.iter().enumerate().filter(|(_, named)| named.len() > 1) {
            clusters.entry(cluster(item)).or_default().push(named);
        }
        let clusters: Vec<Vec<&[(u32, u32)]>> = clusters.into_values().collect();
        let accuracies = || self.iter().filter_map(|linking| linking.accuracy().ok());
        let (sum, number) = (accuracies().sum::<f64>(), accuracies().count() as u64);
        let mean = |sum: f64, number: u64| match number {
            0 => Err(Undefined::NoLinkedItems),
            number => Ok(sum / real(number)),
        };
        // Only the pairs that have something in these clusters change.
        let changed = |changed: &[(usize, u64)]| {
            let mut pairs: HashMap<usize, Linking> = HashMap::new();
            for (at, times) in changed {
                for named in clusters.get(*at).into_iter().flatten() {
                    each_pair(self.raters, named, |pair, is_same| {
                        let linking = pairs.entry(pair).or_insert_with(|| self.of_pair(pair));
                        linking.linked = linking.linked - 1 + times;
                        linking.same = linking.same + u64::from(is_same) * times - u64::from(is_same);
                    });
                }
            }
            // In one order, so that sums have the same digits every time.
            let pairs: BTreeMap<usize, Linking> = pairs.into_iter().collect();
            let (mut sum, mut number) = (sum, number);
            for (pair, linking) in pairs {
                let before = self.of_pair(pair);
                sum += linking.accuracy().unwrap_or(0.0) - before.accuracy().unwrap_or(0.0);
                number -= u64::from(linking.linked == 0);
            }
            vec![mean(sum, number)]
        };
        let whole = [(mean(sum, number), NumberRange::SHARE)];
        let none = Estimate { value: whole[0].0, interval: None, clusters: 0 };
        intervals.of_clusters(clusters.len(), &whole, |_, _| true, changed).first().copied().unwrap_or(none)
    }

    /// The number of items that two or more link.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.items.iter().filter(|named| named.len() > 1).count() as u64
    }

    /// The linking of two raters, a < b.
    #[must_use]
    pub fn between(&self, a: usize, b: usize) -> Linking {
        self.of_pair(number_of_pair(self.raters, a, b))
    }

    fn of_pair(&self, pair: usize) -> Linking {
        let place = self.pairs.binary_search_by_key(&pair, |(pair, _)| *pair);
        place.ok().and_then(|place| self.pairs.get(place)).map(|(_, linking)| *linking).unwrap_or_default()
    }

    /// The pairs that link an item in common, ordered by the first, then the second.
    pub fn iter(&self) -> impl Iterator<Item = Linking> {
        self.pairs.iter().map(|(_, linking)| *linking)
    }
}

/// The numbers of the pairs of those who link an item, and whether they name the same bullet.
fn each_pair(raters: usize, named: &[(u32, u32)], mut visit: impl FnMut(usize, bool)) {
    for (place, (a, first)) in named.iter().enumerate() {
        for (b, second) in named.iter().skip(place + 1) {
            let (low, high) = (*a.min(b) as usize, *a.max(b) as usize);
            if high < raters {
                visit(number_of_pair(raters, low, high), first == second);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_judgments_linked_by_both_count() {
        let linking = Linking::of([
            (Some(1), Some(1)),
            (Some(2), Some(3)),
            (None, Some(1)),
            (Some(1), None),
            (None, None),
        ]);
        assert_eq!(linking, Linking { linked: 2, same: 1 });
        assert_eq!(linking.accuracy(), Ok(0.5));
        assert_eq!(Linking::of([(None, Some(4))]).accuracy(), Err(Undefined::NoLinkedItems));
    }

    #[test]
    fn every_pair_has_its_own_counts() {
        // Items of (rater, bullet); 0 and 2 meet twice and agree once, 1 and 2 meet once and agree.
        let items = vec![vec![(2, 7), (0, 7)], vec![(0, 1), (2, 2)], vec![(1, 3), (2, 3)]];
        let pairs = PairLinkings::of(3, items.clone());
        let expected = [(2, 1), (1, 1)].map(|(linked, same)| Linking { linked, same });
        assert_eq!(pairs.iter().collect::<Vec<_>>(), expected);
        assert_eq!((pairs.between(0, 1), pairs.between(0, 2)), (Linking::default(), expected[0]));
        assert_eq!((pairs.items(), PairLinkings::of(1, items).iter().count()), (3, 0));
    }

    /// 0 and 1 agree on items 0 and 1 of three, 0 and 2 on item 0 of two, 1 and 2 on item 0: (2/3 + 1/2 + 1) / 3 = 13/18.
    #[test]
    fn accuracy_is_the_mean_over_pairs_with_its_interval_over_clusters() {
        let items = vec![
            vec![(0, 1), (1, 1), (2, 1)],
            vec![(0, 2), (1, 2)],
            vec![(0, 3), (1, 4)],
            vec![(0, 5), (2, 6)],
            vec![(2, 1)],
        ];
        let pairs = PairLinkings::of(3, items);
        let cluster = |item: usize| [7, 7, 3, 5, 9][item];
        let found = pairs.accuracy(cluster, Intervals::Jackknife);
        assert!((found.value.expect("defined") - 13.0 / 18.0).abs() < 1e-12 && found.clusters == 3);
        // Without items 0 and 1: 0/1 and 0/1, the third pair has none. Without item 2: 1, 1/2, 1. Without item 3: 2/3, 1, 1.
        let without = [0.0, 5.0 / 6.0, 8.0 / 9.0];
        let mean = without.iter().sum::<f64>() / 3.0;
        let squares: f64 = without.iter().map(|one| (one - mean).powi(2)).sum();
        let interval = found.interval.expect("asked for").expect("defined");
        assert!((interval.se.expect("known") - (2.0 / 3.0 * squares).sqrt()).abs() < 1e-12, "{interval:?}");
        let none = PairLinkings::of(3, vec![vec![(0, 1)]]).accuracy(cluster, Intervals::Jackknife);
        assert_eq!(none.value, Err(Undefined::NoLinkedItems));
    }
}
