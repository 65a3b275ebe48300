//! Seeded draws: the same on every machine, and independent of the order in which things are named.

use std::collections::BTreeMap;

use crate::number::counted;
use crate::text::hash::{Fingerprint, fingerprint};

/// The lot that decides a draw: as good as random, and always the same for the same words.
pub fn lot(seed: u64, purpose: &str, names: &[&str]) -> Fingerprint {
    let seed = seed.to_string();
    fingerprint(["lot", seed.as_str(), purpose].into_iter().chain(names.iter().copied()))
}

/// How many of `all` things a share is, rounded to the nearest, and one at least where there is something.
pub fn share_of(share: f64, all: usize) -> usize {
    if share <= 0.0 || all == 0 {
        return 0;
    }
    // Between 0 and `all`, which is a number of things in memory.
    ((share * all as f64).round() as usize).clamp(1, all)
}

/// How many of `wanted` each stratum gives, in proportion to its size, by largest remainders; ties go to the stratum that
/// stands first. `sizes` and the result are by stratum.
pub fn quotas(wanted: usize, sizes: &[usize]) -> Vec<usize> {
    let all: usize = sizes.iter().sum();
    let wanted = wanted.min(all);
    if all == 0 {
        return vec![0; sizes.len()];
    }
    // The arithmetic is in whole numbers, so that no rounding decides a tie. Sizes are numbers of things in memory.
    let product = |size: usize| (wanted as u128) * (size as u128);
    let mut quotas: Vec<usize> = sizes.iter().map(|size| counted(product(*size) / all as u128)).collect();
    let mut by_remainder: Vec<usize> = (0..sizes.len()).collect();
    by_remainder.sort_by_key(|at| {
        let remainder = sizes.get(*at).map_or(0, |size| product(*size) % all as u128);
        (std::cmp::Reverse(remainder), *at)
    });
    let missing = wanted - quotas.iter().sum::<usize>().min(wanted);
    for at in by_remainder.into_iter().take(missing) {
        if let Some(quota) = quotas.get_mut(at) {
            *quota += 1;
        }
    }
    quotas
}

/// Draws `wanted` members, stratum by stratum in proportion: `lot_of` decides, the lowest first. Returns their places,
/// ascending.
pub fn stratified<K: Ord>(strata: &[usize], wanted: usize, mut lot_of: impl FnMut(usize) -> K) -> Vec<usize> {
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, stratum) in strata.iter().enumerate() {
        members.entry(*stratum).or_default().push(place);
    }
    let sizes: Vec<usize> = members.values().map(Vec::len).collect();
    let mut drawn = Vec::new();
    for (mut members, quota) in members.into_values().zip(quotas(wanted, &sizes)) {
        members.sort_by_cached_key(|place| (lot_of(*place), *place));
        drawn.extend(members.into_iter().take(quota));
    }
    drawn.sort_unstable();
    drawn
}

/// Draws whole groups until there are `wanted` items or no more groups; `sizes` has the size of each group. Returns the
/// places of the groups in the order in which they were drawn.
pub fn until<K: Ord>(sizes: &[usize], wanted: usize, mut lot_of: impl FnMut(usize) -> K) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_cached_key(|place| (lot_of(*place), *place));
    let mut items = 0;
    let is_wanted = |place: &usize| {
        let is_enough = items >= wanted;
        items += sizes.get(*place).copied().unwrap_or(0);
        !is_enough
    };
    order.into_iter().take_while(is_wanted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10 of 60, 30 and 10: exact shares 6, 3, 1. 2 of 1, 1, 1: shares 2/3 each, so the first two.
    /// 5 of 7, 2: 3.9 and 1.1, so 4 and 1.
    #[test]
    fn strata_give_in_proportion() {
        assert_eq!(quotas(10, &[60, 30, 10]), [6, 3, 1]);
        assert_eq!(quotas(2, &[1, 1, 1]), [1, 1, 0]);
        assert_eq!(quotas(5, &[7, 2]), [4, 1]);
        assert_eq!(quotas(9, &[2, 3]), [2, 3], "no more than there is");
        assert_eq!(quotas(1, &[]), [0; 0]);
        assert_eq!(quotas(1, &[0, 0]), [0, 0]);
    }

    /// 5 % of 560 is 28; 5 % of 9 is 0.45, which is one; nothing of nothing.
    #[test]
    fn a_share_is_one_at_least() {
        for (share, all, count) in
            [(0.05, 560, 28), (0.05, 9, 1), (1.0, 7, 7), (0.5, 0, 0), (0.0, 9, 0), (0.1, 15, 2)]
        {
            assert_eq!(share_of(share, all), count, "{share} of {all}");
        }
    }

    #[test]
    fn a_draw_takes_the_lowest_lots_of_each_stratum() {
        let lots = [9, 1, 5, 3, 7, 2];
        assert_eq!(stratified(&[0, 0, 0, 1, 1, 1], 2, |place| lots[place]), [1, 5]);
        assert_eq!(stratified(&[0, 0, 0, 1, 1, 1], 6, |place| lots[place]), [0, 1, 2, 3, 4, 5]);
        assert_eq!(until(&[3, 2, 4, 5, 1, 2], 6, |place| lots[place]), [1, 5, 3], "2 + 2 + 5 items");
        assert!(until(&[3], 0, |place| place).is_empty());
    }

    #[test]
    fn lots_differ_by_seed_purpose_and_name() {
        let one = lot(1, "shared", &["a"]);
        assert_eq!(one, lot(1, "shared", &["a"]));
        for other in [lot(2, "shared", &["a"]), lot(1, "control", &["a"]), lot(1, "shared", &["b"])] {
            assert_ne!(one, other);
        }
    }
}
