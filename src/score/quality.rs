//! How one annotator's labels lie against those of the others.

use super::measure::{Measure, Undefined, percent};

/// How often one annotator gave a label, and how often the others did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelAgainstOthers {
    /// How often they gave it.
    pub count: usize,
    /// Its share of their labels, 0–100.
    pub share: Measure,
    /// Its share of all other annotators' labels, 0–100.
    pub others: Measure,
}

impl LabelAgainstOthers {
    /// Percentage points by which their share is above that of the others.
    ///
    /// # Errors
    /// One of the shares is undefined.
    pub fn difference(&self) -> Measure {
        Ok(self.share? - self.others?)
    }
}

/// Every annotator's labels against those of all others together. `labels` holds for every annotator how often
/// each label was given.
pub fn labels_against_others(labels: &[Vec<u64>]) -> Vec<Vec<LabelAgainstOthers>> {
    let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let width = labels.iter().map(Vec::len).max().unwrap_or(0);
    let of_label = |label: usize| -> u64 { labels.iter().filter_map(|own| own.get(label)).sum() };
    let all: u64 = labels.iter().flatten().sum();
    labels
        .iter()
        .map(|own| {
            let given: u64 = own.iter().sum();
            (0..width)
                .map(|label| {
                    let of_own = own.get(label).copied().unwrap_or(0);
                    let of_others = of_label(label).saturating_sub(of_own);
                    LabelAgainstOthers {
                        count: count(of_own),
                        share: percent(count(of_own), count(given), Undefined::NothingJudged),
                        others: percent(
                            count(of_others),
                            count(all.saturating_sub(given)),
                            Undefined::NobodyElse,
                        ),
                    }
                })
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One says yes 3 times of 4, the others 2 + 4 of 8 + 4: 75 % and 50 %.
    #[test]
    fn shares_stand_against_those_of_the_others() {
        let found = labels_against_others(&[vec![3, 1], vec![2, 6], vec![4, 0]]);
        assert_eq!((found[0][0].count, found[0][0].share, found[0][0].others), (3, Ok(75.0), Ok(50.0)));
        assert_eq!(found[0][0].difference(), Ok(25.0));
        assert_eq!(found[2][1].share, Ok(0.0));
        let alone = labels_against_others(&[vec![3, 1]]);
        assert_eq!(alone[0][0].others, Err(Undefined::NobodyElse));
        assert_eq!(alone[0][0].difference(), Err(Undefined::NobodyElse));
        let silent = labels_against_others(&[vec![0, 0], vec![1, 1]]);
        assert_eq!(silent[0][0].share, Err(Undefined::NothingJudged));
    }
}
