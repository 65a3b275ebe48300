//! Labels that come with links: coverage and the bullets that cover.

use std::collections::{BTreeMap, HashMap};
use std::ops::AddAssign;

use super::{Clusters, Estimate, Intervals, Measure, NumberRange, Ratings, Undefined, real, short};

/// Which bullets each rater linked to each item, beside a ratings table.
#[derive(Clone, Debug)]
pub struct Links {
    /// The links of each item: the rater, and n for the set n − 1.
    items: Vec<Vec<(u32, u32)>>,
    /// Sets of bullets, ascending, none empty, each once.
    sets: Vec<Vec<u32>>,
    /// The number of each set.
    numbers: BTreeMap<Vec<u32>, u32>,
}

/// Counts of agreement between two raters on the items that both rated; added up also over pairs of raters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkedCounts {
    /// Items that both rated.
    pub items: u64,
    /// Items that both gave the same label.
    pub same_label: u64,
    /// Items to which both linked a bullet, whatever their labels (Laban et al. 2024, §4.2).
    pub linked: u64,
    /// Of these, those with the same set of bullets.
    pub exact: u64,
    /// Of these, those with a bullet in common.
    pub overlapping: u64,
    /// Items where both labels ask for a link, as those do that say it is covered, and neither judgment names a bullet.
    pub both_unlinked: u64,
    /// Items where both labels ask for a link, and one judgment alone names a bullet.
    pub one_unlinked: u64,
    /// Items with the same label and, where that asks for a link, the same set of bullets; two judgments without bullets have
    /// the same.
    pub same_both: u64,
}

/// A share with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The name in files.
    pub name: &'static str,
    /// The name in tables.
    pub title: &'static str,
    /// From 0 to 1.
    pub estimate: Estimate,
    /// Pairs of judgments of one item that it is a share of, and the number of items with such a pair.
    pub of: u64,
    pub items: u64,
}

/// Sums of the items' shares, and how many items have one.
#[derive(Clone, Copy, Default)]
struct ShareSums([(f64, u64); 4]);

impl ShareSums {
    fn of(counts: &LinkedCounts) -> Self {
        Self(counts.shares().map(|share| share.estimate.value.map_or((0.0, 0), |value| (value, 1))))
    }

    fn mean(&self, at: usize) -> Measure {
        match self.0[at] {
            (_, 0) => LinkedCounts::default().shares()[at].estimate.value,
            (sum, items) => Ok(sum / real(items)),
        }
    }
}

impl AddAssign for ShareSums {
    fn add_assign(&mut self, other: Self) {
        for (own, (sum, items)) in self.0.iter_mut().zip(other.0) {
            *own = (own.0 + sum, own.1 + items);
        }
    }
}

impl Links {
    /// No link yet, for the items and raters of this table.
    #[must_use]
    pub fn none(ratings: &Ratings) -> Self {
        let items = vec![Vec::new(); ratings.items().len()];
        Self { items, sets: Vec::new(), numbers: BTreeMap::new() }
    }

    /// A set of bullets, for [`Links::set`]; the order does not matter.
    pub fn bullets(&mut self, bullets: &[u32]) -> u32 {
        let mut set = bullets.to_vec();
        set.sort_unstable();
        set.dedup();
        if set.is_empty() {
            return 0;
        }
        // There are as many sets as distinct answers, far fewer than 2³².
        let next = short(self.sets.len() + 1);
        *self.numbers.entry(set).or_insert_with_key(|set| {
            self.sets.push(set.clone());
            next
        })
    }

    /// Notes the bullets of one judgment, once; without such an item nothing happens.
    pub fn set(&mut self, item: usize, rater: usize, bullets: u32) {
        if let Some(linked) = self.items.get_mut(item).filter(|_| bullets > 0) {
            linked.push((short(rater), bullets));
        }
    }

    /// The number of the bullets of one judgment; 0 for none.
    fn at(&self, item: usize, rater: usize) -> u32 {
        let mut linked = self.items.get(item).into_iter().flatten();
        linked.find(|(other, _)| *other as usize == rater).map_or(0, |(_, bullets)| *bullets)
    }

    /// Whether two sets have a bullet in common.
    fn overlap(&self, one: u32, other: u32) -> bool {
        let set = |number: u32| self.sets.get((number as usize).checked_sub(1)?);
        let (Some(one), Some(other)) = (set(one), set(other)) else { return false };
        one.iter().any(|bullet| other.contains(bullet))
    }

    /// The counts of the pairs of raters that have an item in common. `asks` says which categories ask for a link.
    #[must_use]
    pub fn pairs(&self, ratings: &Ratings, asks: &[bool]) -> HashMap<(usize, usize), LinkedCounts> {
        let mut pairs: HashMap<(usize, usize), LinkedCounts> = HashMap::new();
        for item in 0..ratings.items().len() {
            self.each_pair(ratings, asks, item, |pair, counts| *pairs.entry(pair).or_default() += counts);
        }
        pairs
    }

    /// The counts of all pairs of raters together.
    #[must_use]
    pub fn total(&self, ratings: &Ratings, asks: &[bool]) -> LinkedCounts {
        let mut total = LinkedCounts::default();
        for item in 0..ratings.items().len() {
            self.each_pair(ratings, asks, item, |_, counts| total += counts);
        }
        total
    }

    /// Compares the raters of an item, pair by pair.
    fn each_pair(
        &self,
        ratings: &Ratings,
        asks: &[bool],
        item: usize,
        mut visit: impl FnMut((usize, usize), LinkedCounts),
    ) {
        let present: Vec<(usize, u8)> = ratings.row(item).ratings().collect();
        let mut rest = present.as_slice();
        while let Some((first, others)) = rest.split_first() {
            for second in others {
                visit((first.0, second.0), self.compare(asks, item, *first, *second));
            }
            rest = others;
        }
    }

    /// Label agreement, link agreement where both link, and both together, with intervals over the clusters: each the mean over
    /// items of the share of an item's pairs of raters, so that an item counts once, however many rated it.
    #[must_use]
    pub fn shares(
        &self,
        ratings: &Ratings,
        asks: &[bool],
        clusters: &Clusters,
        intervals: Intervals,
    ) -> Vec<Share> {
        let mut clustered: BTreeMap<u32, ShareSums> = BTreeMap::new();
        let (mut all, mut total) = (ShareSums::default(), LinkedCounts::default());
        for item in 0..ratings.items().len() {
            let mut counts = LinkedCounts::default();
            self.each_pair(ratings, asks, item, |_, of_pair| counts += of_pair);
            total += counts;
            all += ShareSums::of(&counts);
            let Some(cluster) = clusters.of_item(item) else { continue };
            *clustered.entry(cluster).or_default() += ShareSums::of(&counts);
        }
        let parts: Vec<ShareSums> = clustered.into_values().collect();
        let shares = total.shares().into_iter().enumerate();
        let estimate = |at: usize| intervals.over(&parts, NumberRange::SHARE, |sums| sums.mean(at));
        shares.map(|(at, share)| Share { estimate: estimate(at), items: all.0[at].1, ..share }).collect()
    }

    /// Compares two raters, each given with the category.
    fn compare(
        &self,
        asks: &[bool],
        item: usize,
        (a, first): (usize, u8),
        (b, second): (usize, u8),
    ) -> LinkedCounts {
        let asks = |category: u8| asks.get(usize::from(category)).copied().unwrap_or(false);
        let (ours, theirs) = (self.at(item, a), self.at(item, b));
        let covered = asks(first) && asks(second);
        let (exact, unlinked) = (ours == theirs, (ours == 0, theirs == 0));
        let linked = unlinked == (false, false);
        let count = |holds: bool| u64::from(holds);
        LinkedCounts {
            items: 1,
            same_label: count(first == second),
            linked: count(linked),
            exact: count(linked && exact),
            overlapping: count(linked && self.overlap(ours, theirs)),
            both_unlinked: count(covered && unlinked == (true, true)),
            one_unlinked: count(covered && unlinked.0 != unlinked.1),
            same_both: count(first == second && (!covered || exact)),
        }
    }
}

impl LinkedCounts {
    /// Label agreement, link agreement (exact, overlapping), and both together, without intervals.
    #[must_use]
    pub fn shares(&self) -> [Share; 4] {
        let share = |name, title, part: u64, of: u64, reason| {
            let value = if of > 0 { Ok(real(part) / real(of)) } else { Err(reason) };
            Share { name, title, estimate: Estimate { value, interval: None, clusters: 0 }, of, items: of }
        };
        let (none, unlinked) = (Undefined::NoPairableItems, Undefined::NoLinkedItems);
        [
            share("label_agreement", "Same label", self.same_label, self.items, none),
            share("link_agreement_exact", "Same bullets, where both link", self.exact, self.linked, unlinked),
            share(
                "link_agreement_overlapping",
                "A bullet in common, where both link",
                self.overlapping,
                self.linked,
                unlinked,
            ),
            share(
                "label_and_link_agreement",
                "Same label and same bullets",
                self.same_both,
                self.items,
                none,
            ),
        ]
    }
}

impl AddAssign for LinkedCounts {
    fn add_assign(&mut self, other: Self) {
        self.items += other.items;
        self.same_label += other.same_label;
        self.linked += other.linked;
        self.exact += other.exact;
        self.overlapping += other.overlapping;
        self.both_unlinked += other.both_unlinked;
        self.one_unlinked += other.one_unlinked;
        self.same_both += other.same_both;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Category, RatingsBuilder, Scale};
    use super::*;

    /// A judgment: a label, then its bullets.
    type Said<'a> = (&'a str, &'a [u32]);

    fn compared(items: &[(Said<'_>, Said<'_>)]) -> (Ratings, Links) {
        let labels = Category::numbered(["none", "partial", "full"]);
        let mut table = RatingsBuilder::new(Scale::Ordinal, labels).expect("a good schema");
        for (number, (a, b)) in items.iter().enumerate() {
            table.add(&number.to_string(), "a", a.0).expect("a new cell");
            table.add(&number.to_string(), "b", b.0).expect("a new cell");
        }
        let ratings = table.finish();
        let mut links = Links::none(&ratings);
        for (item, (a, b)) in items.iter().enumerate() {
            for (rater, said) in [a, b].into_iter().enumerate() {
                let set = links.bullets(said.1);
                links.set(item, rater, set);
            }
        }
        (ratings, links)
    }

    const ASKS: [bool; 3] = [false, true, true];

    fn six() -> (Ratings, Links) {
        compared(&[
            (("full", &[1, 2]), ("full", &[2, 1])), // label, exact
            (("full", &[1]), ("partial", &[1, 3])), // overlapping
            (("full", &[1]), ("full", &[2])),       // label only
            (("none", &[]), ("none", &[])),         // label, nothing to link
            (("full", &[4]), ("none", &[])),        // nothing
            (("partial", &[]), ("partial", &[])),   // label, both unlinked: together the same
            (("partial", &[]), ("partial", &[5])),  // label, one unlinked: together not the same
        ])
    }

    /// Label: items 1, 3, 4, 6, 7. Linked by both: 1, 2 and 3. Exact: 1; overlapping: also 2. Both together: 1, 4 and 6.
    #[test]
    fn links_are_compared_where_both_link() {
        let (ratings, links) = six();
        let counts = links.pairs(&ratings, &ASKS)[&(0, 1)];
        assert_eq!(
            counts,
            LinkedCounts {
                items: 7,
                same_label: 5,
                linked: 3,
                exact: 1,
                overlapping: 2,
                both_unlinked: 1,
                one_unlinked: 1,
                same_both: 3,
            }
        );
        let values = counts.shares().map(|share| share.estimate.value.expect("defined"));
        assert_eq!(values, [5.0 / 7.0, 1.0 / 3.0, 2.0 / 3.0, 3.0 / 7.0]);
    }

    #[test]
    fn shares_have_intervals_over_clusters() {
        let (ratings, links) = six();
        for share in links.shares(&ratings, &ASKS, &Clusters::items(), Intervals::Jackknife) {
            let interval = share.estimate.interval.expect("asked for").expect("defined");
            let value = share.estimate.value.expect("defined");
            assert!(0.0 < interval.low && interval.low < value && value < interval.high, "{share:?}");
        }
        let two =
            links.shares(&ratings, &ASKS, &Clusters::of(vec![0, 0, 0, 1, 1, 1, 1]), Intervals::Jackknife);
        assert_eq!(two[0].estimate.interval, Some(Err(Undefined::TooFewClusters)));
    }

    /// Three of four raters link the first item alike and the fourth elsewhere, 3 of 6 pairs; two link the second alike. Item
    /// first that is (1/2 + 1)/2; of its pairs it would be 4 of 7.
    #[test]
    fn an_item_counts_once_however_many_pairs_it_has() {
        let mut table =
            RatingsBuilder::new(Scale::Ordinal, Category::numbered(["none", "full"])).expect("a good schema");
        let said = [("1", "abcd"), ("2", "ab")];
        for (item, raters) in said {
            for rater in raters.chars() {
                table.add(item, &rater.to_string(), "full").expect("a new cell");
            }
        }
        let ratings = table.finish();
        let mut links = Links::none(&ratings);
        for (item, rater, bullet) in [(0, 0, 1), (0, 1, 1), (0, 2, 1), (0, 3, 2), (1, 0, 3), (1, 1, 3)] {
            let set = links.bullets(&[bullet]);
            links.set(item, rater, set);
        }
        let shares = links.shares(&ratings, &[false, true], &Clusters::items(), Intervals::Jackknife);
        let exact = shares[1];
        assert_eq!((exact.estimate.value, exact.items, exact.of), (Ok(0.75), 2, 7));
    }

    #[test]
    fn nothing_linked_by_both_is_undefined() {
        let (ratings, links) = compared(&[(("none", &[]), ("full", &[1]))]);
        let shares = links.pairs(&ratings, &ASKS)[&(0, 1)].shares();
        assert_eq!(shares[1].estimate.value, Err(Undefined::NoLinkedItems));
        assert_eq!(shares[0].estimate.value, Ok(0.0));
    }
}
