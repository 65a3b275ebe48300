//! Letters for systems that cannot be told apart: two have a letter in common if and only if they are not known to differ.
//!
//! This relation is not transitive: a may be like b and b like c while a and c differ. So bars that join neighbours would
//! be wrong. The letters are those of Piepho 2004, An algorithm for a letter-based representation of all-pairwise
//! comparisons, Journal of Computational and Graphical Statistics 13:456. It begins with one set of all things, splits the
//! sets at each pair that differs, and drops sets within others.

use std::collections::BTreeSet;

/// The most sets: one for each letter of the alphabet.
const MOST: usize = 26;

/// The letters of `count` things, given the pairs that differ; `None` where there would be too many letters.
pub fn letters(count: usize, differ: &[(usize, usize)]) -> Option<Vec<String>> {
    let mut sets: Vec<BTreeSet<usize>> = vec![(0..count).collect()];
    for (one, other) in differ {
        let mut split = Vec::with_capacity(sets.len() * 2);
        for set in sets {
            if set.contains(one) && set.contains(other) {
                for left_out in [one, other] {
                    split.push(set.iter().copied().filter(|place| place != left_out).collect());
                }
            } else {
                split.push(set);
            }
        }
        sets = largest(split);
        // Later splits seldom lower the number of sets.
        if sets.len() > 8 * MOST {
            return None;
        }
    }
    // The first thing gets the first letter.
    sets.sort();
    let named = |place: usize| {
        let own = sets.iter().zip('a'..='z').filter(|(set, _)| set.contains(&place));
        own.map(|(_, letter)| letter).collect()
    };
    (sets.len() <= MOST).then(|| (0..count).map(named).collect())
}

/// The sets that are within no other.
fn largest(mut sets: Vec<BTreeSet<usize>>) -> Vec<BTreeSet<usize>> {
    sets.sort_by_key(|set| std::cmp::Reverse(set.len()));
    let mut kept: Vec<BTreeSet<usize>> = Vec::with_capacity(sets.len());
    for set in sets {
        if !set.is_empty() && !kept.iter().any(|larger| set.is_subset(larger)) {
            kept.push(set);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The case of the samples: opus is like sonnet and like gpt-4o, and sonnet differs from gpt-4o.
    #[test]
    fn like_is_not_transitive() {
        let found = letters(3, &[(1, 2)]).expect("few");
        assert_eq!(found, ["ab", "a", "b"]);
        assert_eq!(letters(3, &[]).expect("few"), ["a", "a", "a"]);
        assert_eq!(letters(3, &[(0, 1), (0, 2), (1, 2)]).expect("few"), ["a", "b", "c"]);
        assert_eq!(letters(1, &[]).expect("few"), ["a"]);
        assert_eq!(letters(0, &[]).expect("few"), Vec::<String>::new());
    }

    /// By hand: of four in a row each differs from all but its neighbours, so that each two neighbours have a letter.
    #[test]
    fn a_chain_has_a_letter_a_link() {
        assert_eq!(letters(4, &[(0, 2), (0, 3), (1, 3)]).expect("few"), ["a", "ab", "bc", "c"]);
    }

    proptest! {
        #[test]
        fn a_common_letter_means_not_told_apart(pairs in prop::collection::btree_set((0usize..7, 0usize..7), 0..21)) {
            let differ: Vec<(usize, usize)> = pairs.into_iter().filter(|(one, other)| one < other).collect();
            let found = letters(7, &differ).expect("seven things have few sets");
            for one in 0..7 {
                prop_assert!(!found[one].is_empty());
                for other in one + 1..7 {
                    let is_common = found[one].chars().any(|letter| found[other].contains(letter));
                    prop_assert_eq!(is_common, !differ.contains(&(one, other)));
                }
            }
        }
    }
}
