//! Whether two annotators who both name a bullet name the same one.

use super::confusion::{number_of_pair, number_of_pairs};
use super::histogram::real;
use super::undefined::{Measure, Undefined};

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
        let both = pairs.into_iter().filter_map(|(first, second)| Some((first?, second?)));
        both.fold(Self::default(), |Self { linked, same }, (first, second)| Self {
            linked: linked + 1,
            same: same + u64::from(first == second),
        })
    }

    /// Among the judgments where both sides name a bullet, the share that name the same one.
    ///
    /// # Errors
    /// Undefined when there is no such judgment.
    pub fn accuracy(&self) -> Measure {
        if self.linked == 0 {
            return Err(Undefined::NoLinkedItems);
        }
        Ok(real(self.same) / real(self.linked))
    }
}

/// [`Linking`] for every pair of the raters of a table: eight bytes a pair, since raters may be thousands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairLinkings {
    raters: usize,
    /// `linked` and `same` by the number of the pair.
    pairs: Vec<(u32, u32)>,
}

impl PairLinkings {
    /// Counts the bullets that raters name, item by item: the rater's number and the bullet's. No rater stands twice in an
    /// item.
    #[must_use]
    pub fn of<'i>(raters: usize, items: impl IntoIterator<Item = &'i [(usize, u32)]>) -> Self {
        let mut pairs = vec![(0, 0); number_of_pairs(raters)];
        for named in items {
            for (place, (a, first)) in named.iter().enumerate() {
                for (b, second) in named.iter().skip(place + 1) {
                    if let Some((linked, same)) = pairs.get_mut(number_of_pair(raters, *a.min(b), *a.max(b)))
                    {
                        *linked += 1;
                        *same += u32::from(first == second);
                    }
                }
            }
        }
        Self { raters, pairs }
    }

    /// Two raters, a < b.
    #[must_use]
    pub fn between(&self, a: usize, b: usize) -> Linking {
        self.pairs.get(number_of_pair(self.raters, a, b)).map(counted).unwrap_or_default()
    }

    /// All pairs, ordered by the first, then the second.
    pub fn iter(&self) -> impl Iterator<Item = Linking> {
        self.pairs.iter().map(counted)
    }
}

fn counted((linked, same): &(u32, u32)) -> Linking {
    Linking { linked: u64::from(*linked), same: u64::from(*same) }
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
        let items: [&[(usize, u32)]; 3] = [&[(2, 7), (0, 7)], &[(0, 1), (2, 2)], &[(1, 3), (2, 3)]];
        let pairs = PairLinkings::of(3, items);
        let expected = [(0, 0), (2, 1), (1, 1)].map(|(linked, same)| Linking { linked, same });
        assert_eq!(pairs.iter().collect::<Vec<_>>(), expected);
        assert_eq!(pairs.between(0, 2), expected[1]);
        assert_eq!(PairLinkings::of(1, items).iter().count(), 0);
    }
}
