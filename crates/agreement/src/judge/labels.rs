//! A judge's labels beside the reference's.

use crate::{Measure, Undefined, real};

/// How often a judge gives each label where the reference gives each: rows are the reference's, columns the judge's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeConfusion {
    pub counts: Vec<Vec<u64>>,
}

impl JudgeConfusion {
    /// Counts pairs of the reference's label and the judge's, both below `labels`.
    pub fn of(labels: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> JudgeConfusion {
        let mut counts = vec![vec![0; labels]; labels];
        for (reference, judge) in pairs {
            if let Some(count) = counts.get_mut(reference).and_then(|row: &mut Vec<u64>| row.get_mut(judge)) {
                *count += 1;
            }
        }
        JudgeConfusion { counts }
    }

    fn count(&self, reference: usize, judge: usize) -> u64 {
        self.counts.get(reference).and_then(|row| row.get(judge)).copied().unwrap_or(0)
    }

    /// How many items have both labels.
    pub fn items(&self) -> u64 {
        self.counts.iter().flatten().sum()
    }

    /// How often the reference gives a label.
    pub fn support(&self, label: usize) -> u64 {
        self.counts.get(label).into_iter().flatten().sum()
    }

    /// How often the judge gives a label.
    pub fn predicted(&self, label: usize) -> u64 {
        (0..self.counts.len()).map(|reference| self.count(reference, label)).sum()
    }

    /// The share of the items with the same label, 0 to 1.
    ///
    /// # Errors
    /// There is no item.
    pub fn accuracy(&self) -> Measure {
        let same: u64 = (0..self.counts.len()).map(|label| self.count(label, label)).sum();
        share(same, self.items(), Undefined::NoPairableItems)
    }

    /// Of the items that the judge gives a label, those that have it, 0 to 1.
    ///
    /// # Errors
    /// The judge never gives the label.
    pub fn precision(&self, label: usize) -> Measure {
        share(self.count(label, label), self.predicted(label), Undefined::LabelNeverPredicted)
    }

    /// Of the items that have a label, those that the judge gives it (true positive rate), 0 to 1.
    ///
    /// # Errors
    /// No item has the label.
    pub fn recall(&self, label: usize) -> Measure {
        share(self.count(label, label), self.support(label), Undefined::LabelAbsentInReference)
    }

    /// Of the items that have another label, those that the judge does not give this one (true negative rate), 0 to 1.
    ///
    /// # Errors
    /// All items have the label.
    pub fn rejection(&self, label: usize) -> Measure {
        let others = self.items() - self.support(label);
        let wrongly = self.predicted(label) - self.count(label, label);
        share(others - wrongly, others, Undefined::LabelAbsentInReference)
    }

    /// Youden's index of a label against all others: both rates less 1, −1 to 1.
    ///
    /// # Errors
    /// As its rates.
    pub fn youden(&self, label: usize) -> Measure {
        Ok(self.recall(label)? + self.rejection(label)? - 1.0)
    }

    /// The harmonic mean of precision and recall of a label, 0 to 1.
    ///
    /// # Errors
    /// Neither side gives it.
    pub fn f1(&self, label: usize) -> Measure {
        let both = self.support(label) + self.predicted(label);
        share(2 * self.count(label, label), both, Undefined::LabelAbsent)
    }

    /// The mean recall over the labels that the reference gives, and how many these are.
    ///
    /// # Errors
    /// There is no item.
    pub fn balanced_accuracy(&self) -> (Measure, usize) {
        let recalls: Vec<f64> = (0..self.counts.len()).filter_map(|label| self.recall(label).ok()).collect();
        (mean(&recalls), recalls.len())
    }

    /// The mean F1 over the labels that either side gives.
    ///
    /// # Errors
    /// There is no item.
    pub fn macro_f1(&self) -> Measure {
        mean(&(0..self.counts.len()).filter_map(|label| self.f1(label).ok()).collect::<Vec<f64>>())
    }
}

fn share(part: u64, whole: u64, reason: Undefined) -> Measure {
    if whole == 0 { Err(reason) } else { Ok(real(part) / real(whole)) }
}

fn mean(values: &[f64]) -> Measure {
    match values.len() {
        0 => Err(Undefined::NoPairableItems),
        count => Ok(values.iter().sum::<f64>() / real(count as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_a_label_are_against_all_others() {
        // Of four that have 1 the judge finds three; of six others it takes one for 1.
        let pairs = [(1, 1), (1, 1), (1, 1), (1, 0), (0, 1), (0, 0), (0, 0), (2, 2), (2, 2), (2, 0)];
        let confusion = JudgeConfusion::of(3, pairs);
        assert_eq!((confusion.precision(1), confusion.recall(1)), (Ok(0.75), Ok(0.75)));
        assert_eq!((confusion.rejection(1), confusion.accuracy()), (Ok(5.0 / 6.0), Ok(0.7)));
        let none = JudgeConfusion::of(2, []);
        assert_eq!(
            (none.accuracy(), none.macro_f1()),
            (Err(Undefined::NoPairableItems), Err(Undefined::NoPairableItems))
        );
        assert_eq!(JudgeConfusion::of(2, [(0, 0)]).precision(1), Err(Undefined::LabelNeverPredicted));
    }
}
