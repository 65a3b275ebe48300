//! One annotator's labels against those of the others.

use super::{Measure, Undefined};

/// How often one annotator gave a label, against the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelAgainstOthers {
    /// How often the annotator gave the label.
    pub count: u64,
    /// The label's share of the annotator's labels, 0–100.
    pub share: Measure,
    /// The label's share of the others' labels, 0–100: the mean over the items that the annotator judged.
    pub others: Measure,
}

impl LabelAgainstOthers {
    /// The annotator's share less that of the others, in percentage points; undefined where one of the shares is.
    pub fn difference(&self) -> Measure {
        Ok(self.share? - self.others?)
    }
}

/// Every annotator's labels against those of all others together. For every annotator, `labels` has the count of each label,
/// and `others` the mean share of each label among the others' labels of an item, 0–1.
pub fn labels_against_others(
    labels: &[Vec<u64>],
    others: &[Option<Vec<f64>>],
) -> Vec<Vec<LabelAgainstOthers>> {
    let of_annotator = |(own, others): (&Vec<u64>, &Option<Vec<f64>>)| {
        let given: u64 = own.iter().sum();
        let of_label = |(at, count): (usize, &u64)| LabelAgainstOthers {
            count: *count,
            share: if given > 0 {
                Ok(100.0 * *count as f64 / given as f64)
            } else {
                Err(Undefined::NothingJudged)
            },
            others: others
                .as_ref()
                .and_then(|shares| shares.get(at))
                .map_or(Err(Undefined::NobodyElse), |share| Ok(100.0 * share)),
        };
        own.iter().enumerate().map(of_label).collect()
    };
    labels.iter().zip(others).map(of_annotator).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One says yes 3 times of 4, the others to half of an item on average: 75 % and 50 %.
    #[test]
    fn shares_stand_against_those_of_the_others() {
        let found = labels_against_others(&[vec![3, 1], vec![0, 0]], &[Some(vec![0.5, 0.5]), None]);
        assert_eq!((found[0][0].count, found[0][0].share, found[0][0].others), (3, Ok(75.0), Ok(50.0)));
        assert_eq!(found[0][0].difference(), Ok(25.0));
        assert_eq!(found[1][0].share, Err(Undefined::NothingJudged));
        assert_eq!(found[1][0].difference(), Err(Undefined::NothingJudged));
        assert_eq!(found[1][1].others, Err(Undefined::NobodyElse));
    }
}
