//! Whether two annotators who both name a bullet name the same one.

use serde::Serialize;

use super::coefficient::{Measure, Undefined};
use super::histogram::real;

/// Linking accuracy's numerator and denominator (Laban et al. 2024, Summary of a Haystack, §4.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
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
}
