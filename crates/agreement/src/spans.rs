//! How far two people mark the same passages: by characters, by whole spans, and by spans that touch each other's characters.
//!
//! A span is [start, end) in Unicode scalar values of a text. One without a character is dropped; those of one person and one
//! tag that overlap are one, those that only touch are two. The first person is the reference of precision and recall; F1 and
//! kappa are the same either way. Everything is a sum over texts, so that clusters are left out by leaving out their sums.

use std::ops::AddAssign;

use super::{Measure, Undefined, ratio, real};

/// Characters of a text, from the first to one behind the last.
pub type MarkedSpan = (u64, u64);

/// Counts of the passages that two people marked, in one text or in several, under one tag or under any.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpanCounts {
    /// Characters of the texts.
    pub length: u64,
    /// Characters that the first person marked, the second, and both.
    marked: [u64; 3],
    /// Spans of the first and of the second.
    pub spans: [u64; 2],
    /// Numbers of spans: the same in both, of the first that meet one of the second, of the second that meet one of the first.
    found: [u64; 3],
    /// Texts in which anybody marked anything, and in which nobody did.
    pub texts: [u64; 2],
    /// Σ F1 over the texts in which anybody marked anything.
    f1: f64,
}

/// Precision, recall and their harmonic mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpanScores {
    pub precision: Measure,
    pub recall: Measure,
    pub f1: Measure,
}

impl SpanCounts {
    /// The counts of one text of so many characters.
    #[must_use]
    pub fn of(length: u64, first: &[MarkedSpan], second: &[MarkedSpan]) -> Self {
        let (first, second) = (joined(first, length), joined(second, length));
        let sum = |spans: &[MarkedSpan]| spans.iter().map(|(start, end)| end - start).sum::<u64>();
        let meets = |one: &MarkedSpan, other: &MarkedSpan| one.0 < other.1 && other.0 < one.1;
        let both = first.iter().flat_map(|one| {
            let shared = |other: &MarkedSpan| one.1.min(other.1) - one.0.max(other.0);
            second.iter().filter(|other| meets(one, other)).map(shared)
        });
        let met = |spans: &[MarkedSpan], others: &[MarkedSpan]| {
            spans.iter().filter(|one| others.iter().any(|other| meets(one, other))).count() as u64
        };
        let same = first.iter().filter(|one| second.contains(one)).count() as u64;
        let mut counts = Self {
            length,
            marked: [sum(&first), sum(&second), both.sum()],
            spans: [first.len() as u64, second.len() as u64],
            found: [same, met(&first, &second), met(&second, &first)],
            ..Self::default()
        };
        match counts.characters().f1 {
            Ok(f1) => (counts.texts, counts.f1) = ([1, 0], f1),
            Err(_) => counts.texts = [0, 1],
        }
        counts
    }

    /// The scores by characters, over all texts together.
    #[must_use]
    pub fn characters(&self) -> SpanScores {
        let [first, second, both] = self.marked;
        SpanScores {
            precision: share(both, second),
            recall: share(both, first),
            f1: share(2 * both, first + second),
        }
    }

    /// F1 by characters, the mean over the texts in which anybody marked anything.
    ///
    /// # Errors
    /// Nobody marked anything.
    pub fn mean_text_f1(&self) -> Measure {
        if self.texts[0] == 0 { Err(Undefined::NoSpans) } else { Ok(self.f1 / real(self.texts[0])) }
    }

    /// The scores by spans that begin and end alike.
    #[must_use]
    pub fn exact(&self) -> SpanScores {
        self.whole(self.found[0], self.found[0])
    }

    /// The scores by spans that share a character with one of the other person.
    #[must_use]
    pub fn overlapping(&self) -> SpanScores {
        self.whole(self.found[1], self.found[2])
    }

    fn whole(&self, of_first: u64, of_second: u64) -> SpanScores {
        let [first, second] = self.spans;
        let (precision, recall) = (share(of_second, second), share(of_first, first));
        let f1 = match (precision, recall) {
            (Ok(precision), Ok(recall)) if precision + recall > 0.0 => {
                Ok(2.0 * precision * recall / (precision + recall))
            }
            (Err(reason), Err(_)) => Err(reason),
            _ => Ok(0.0),
        };
        SpanScores { precision, recall, f1 }
    }

    /// Cohen's kappa on whether a character is marked. Characters are not independent, so it has no error by formula.
    ///
    /// # Errors
    /// There is no text, or both marked nothing or everything.
    pub fn kappa(&self) -> Measure {
        let [first, second, both] = self.marked.map(i128::from);
        let length = i128::from(self.length);
        Undefined::NoPairableItems.when(length == 0)?;
        let chance = first * second + (length - first) * (length - second);
        let agreed = length * (length - first - second + 2 * both);
        match length * length - chance {
            0 => Err(Undefined::ZeroExpectedDisagreement),
            apart => Ok(ratio(agreed - chance, apart)),
        }
    }
}

impl AddAssign for SpanCounts {
    fn add_assign(&mut self, other: Self) {
        fn add<const N: usize>(sums: &mut [u64; N], more: [u64; N]) {
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        self.length += other.length;
        add(&mut self.marked, other.marked);
        add(&mut self.spans, other.spans);
        add(&mut self.found, other.found);
        add(&mut self.texts, other.texts);
        self.f1 += other.f1;
    }
}

fn share(part: u64, of: u64) -> Measure {
    if of == 0 { Err(Undefined::NoSpans) } else { Ok(real(part) / real(of)) }
}

/// Spans in their order, those that overlap as one; none is empty or beyond the text.
fn joined(spans: &[MarkedSpan], length: u64) -> Vec<MarkedSpan> {
    let within = |(start, end): &MarkedSpan| (*start, (*end).min(length));
    let mut spans: Vec<MarkedSpan> = spans.iter().map(within).filter(|(start, end)| start < end).collect();
    spans.sort_unstable();
    let mut joined: Vec<MarkedSpan> = Vec::new();
    for span in spans {
        match joined.last_mut().filter(|last| span.0 < last.1) {
            Some(last) => last.1 = last.1.max(span.1),
            None => joined.push(span),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spans() -> impl Strategy<Value = Vec<MarkedSpan>> {
        prop::collection::vec(
            (0..40_u64, 0..12_u64).prop_map(|(start, length)| (start, start + length)),
            0..5,
        )
    }

    proptest! {
        #[test]
        fn f1_and_kappa_are_symmetric_and_within_their_ends(first in spans(), second in spans()) {
            let (one, other) = (SpanCounts::of(60, &first, &second), SpanCounts::of(60, &second, &first));
            for (one, other) in [(one.characters(), other.characters()), (one.exact(), other.exact()), (one.overlapping(), other.overlapping())] {
                prop_assert_eq!((one.precision, one.recall), (other.recall, other.precision));
                prop_assert_eq!(one.f1, other.f1);
                for value in [one.precision, one.recall, one.f1].into_iter().flatten() {
                    prop_assert!((0.0..=1.0).contains(&value));
                }
            }
            prop_assert_eq!(one.kappa(), other.kappa());
            let alone = SpanCounts::of(60, &first, &first);
            prop_assert!(alone.characters().f1.is_ok_and(|f1| f1 == 1.0) || joined(&first, 60).is_empty());
        }

        #[test]
        fn characters_are_counted_as_one_by_one(first in spans(), second in spans()) {
            let is_in = |spans: &[MarkedSpan], at: u64| spans.iter().any(|(start, end)| (*start..*end).contains(&at));
            let count = |holds: &dyn Fn(u64) -> bool| (0..60).filter(|at| holds(*at)).count() as u64;
            let counts = SpanCounts::of(60, &first, &second);
            let expected = [
                count(&|at| is_in(&first, at)),
                count(&|at| is_in(&second, at)),
                count(&|at| is_in(&first, at) && is_in(&second, at)),
            ];
            prop_assert_eq!(counts.marked, expected);
        }
    }
}
