//! A number that may not exist, and means that know when they do not.

use std::fmt;

use serde::{Serialize, Serializer, ser::SerializeMap};

/// Why a score has no value. The codes are part of the output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Undefined {
    /// No item is judged.
    NothingJudged,
    /// No insight is covered.
    NothingCovered,
    /// Covered insights name no bullet.
    NothingLinked,
    /// It is not known which documents contain the insights.
    NoGoldDocuments,
    /// No key point is in its document.
    NothingGrounded,
    /// The summaries have no bullets.
    NoBullets,
    /// Not all of the three document orders occur.
    OrdersMissing,
    /// The choices have no scores.
    NoScores,
    /// No response is judged for both recall and precision.
    NotBoth,
    /// No key point has a score as high as that.
    NothingKept,
    /// No query has a refined text.
    NothingRefined,
    /// No judgment says how long it took.
    NoTimes,
    /// Nothing was written.
    NothingWritten,
    /// No answered question has both an answer and one of the reference.
    NoAnswers,
    /// No candidate of this kind has a predicted answer.
    NoPredictions,
    /// The collections have no passages.
    NoPassages,
    /// Nobody else has judged by the same question.
    NobodyElse,
    /// No item with a known answer is judged.
    NothingKnown,
    /// No item is judged a second time.
    NothingRepeated,
    /// Two systems are scored on no query in common.
    NoCommonQuery,
    /// Fewer than two systems are scored on both sides.
    OneSystem,
    /// One side ties all systems.
    AllTied,
    /// Nothing is judged by two annotators or more.
    NotTwo,
    /// No citation was written.
    NothingCited,
}

impl Undefined {
    /// Every reason.
    pub const ALL: [Undefined; 24] = [
        Undefined::NothingJudged,
        Undefined::NothingCovered,
        Undefined::NothingLinked,
        Undefined::NoGoldDocuments,
        Undefined::NothingGrounded,
        Undefined::NoBullets,
        Undefined::OrdersMissing,
        Undefined::NoScores,
        Undefined::NotBoth,
        Undefined::NothingKept,
        Undefined::NothingRefined,
        Undefined::NoTimes,
        Undefined::NothingWritten,
        Undefined::NoAnswers,
        Undefined::NoPredictions,
        Undefined::NoPassages,
        Undefined::NobodyElse,
        Undefined::NothingKnown,
        Undefined::NothingRepeated,
        Undefined::NoCommonQuery,
        Undefined::OneSystem,
        Undefined::AllTied,
        Undefined::NotTwo,
        Undefined::NothingCited,
    ];

    /// The reason's code, as in JSON.
    pub fn code(self) -> &'static str {
        match self {
            Undefined::NothingJudged => "nothing_judged",
            Undefined::NothingCovered => "nothing_covered",
            Undefined::NothingLinked => "nothing_linked",
            Undefined::NoGoldDocuments => "no_gold_documents",
            Undefined::NothingGrounded => "nothing_grounded",
            Undefined::NoBullets => "no_bullets",
            Undefined::OrdersMissing => "orders_missing",
            Undefined::NoScores => "no_scores",
            Undefined::NotBoth => "no_response_judged_for_both",
            Undefined::NothingKept => "nothing_kept",
            Undefined::NothingRefined => "nothing_refined",
            Undefined::NoTimes => "no_times",
            Undefined::NothingWritten => "nothing_written",
            Undefined::NoAnswers => "no_answers",
            Undefined::NoPredictions => "no_predictions",
            Undefined::NoPassages => "no_passages",
            Undefined::NobodyElse => "nobody_else",
            Undefined::NothingKnown => "nothing_known",
            Undefined::NothingRepeated => "nothing_repeated",
            Undefined::NoCommonQuery => "no_common_query",
            Undefined::OneSystem => "one_system",
            Undefined::AllTied => "all_tied",
            Undefined::NotTwo => "fewer_than_two_annotators",
            Undefined::NothingCited => "nothing_cited",
        }
    }

    /// One sentence for people.
    pub fn sentence(self) -> &'static str {
        match self {
            Undefined::NothingJudged => "Nothing is judged yet.",
            Undefined::NothingCovered => "No insight is covered, so there are no citations to look at.",
            Undefined::NothingLinked => {
                "The covered insights are linked to no bullet, so there are no citations to look at."
            }
            Undefined::NoGoldDocuments => {
                "It is not known which documents contain the insights, so citations cannot be scored."
            }
            Undefined::NothingGrounded => "No key point was found in its document.",
            Undefined::NoBullets => "The summaries have no bullets.",
            Undefined::OrdersMissing => {
                "Position sensitivity needs summaries made with the documents in the orders top, bottom and random."
            }
            Undefined::NoScores => "The choices of the question have no scores.",
            Undefined::NotBoth => "No response is judged for both recall and precision.",
            Undefined::NothingKept => "No key point has a score as high as that.",
            Undefined::NothingRefined => "No query has a refined text.",
            Undefined::NoTimes => "No judgment says how long it took.",
            Undefined::NothingWritten => "Nothing was written.",
            Undefined::NoAnswers => "No answered question has both an answer and one of the reference.",
            Undefined::NoPredictions => "No candidate of this kind has a predicted answer.",
            Undefined::NoPassages => "The collections have no passages.",
            Undefined::NobodyElse => "Nobody else has judged by the same question.",
            Undefined::NothingKnown => "No item with a known answer is judged.",
            Undefined::NothingRepeated => "No item is judged a second time.",
            Undefined::NoCommonQuery => "The two systems are scored on no query in common.",
            Undefined::OneSystem => {
                "Fewer than two systems are scored on both sides, so there are no ranks to compare."
            }
            Undefined::NothingCited => "No citation was written.",
            Undefined::AllTied => "One side ties all systems, so there are no ranks to compare.",
            Undefined::NotTwo => "Nothing here is judged by two annotators or more.",
        }
    }
}

impl fmt::Display for Undefined {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.sentence())
    }
}

impl Serialize for Undefined {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

/// A finite number, or why there is none. Written to JSON by [`write_measure`].
pub type Measure = Result<f64, Undefined>;

/// The key beside `name` that holds the reason where `name` is null: `undefined` for `value`,
/// `citation_undefined` for `citation`.
pub fn undefined_key(name: &str) -> String {
    match name {
        "value" => "undefined".to_owned(),
        _ => format!("{name}_undefined"),
    }
}

/// Writes a measure as a number, or as null and its reason's code under [`undefined_key`].
///
/// # Errors
/// What the serializer says.
pub fn write_measure<M: SerializeMap>(map: &mut M, name: &str, measure: Measure) -> Result<(), M::Error> {
    map.serialize_entry(name, &measure.ok())?;
    match measure {
        Ok(_) => Ok(()),
        Err(reason) => map.serialize_entry(&undefined_key(name), &reason),
    }
}

/// An arithmetic mean in the making.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Mean {
    sum: f64,
    count: usize,
}

impl Mean {
    /// Takes one more value.
    pub fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    /// The mean of the values, or `reason` when there were none.
    ///
    /// # Errors
    /// `reason`, without values.
    pub fn or(self, reason: Undefined) -> Measure {
        match self.count {
            0 => Err(reason),
            count => Ok(self.sum / count as f64),
        }
    }
}

impl Extend<f64> for Mean {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, values: I) {
        for value in values {
            self.add(value);
        }
    }
}

impl FromIterator<f64> for Mean {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Mean {
        let mut mean = Mean::default();
        mean.extend(values);
        mean
    }
}

/// The value in the middle, or between the two in the middle; `reason` where there are none.
///
/// # Errors
/// `reason`, without values.
pub fn median(mut values: Vec<f64>, reason: Undefined) -> Measure {
    values.sort_unstable_by(f64::total_cmp);
    let half = values.len() / 2;
    match (half.checked_sub(1).and_then(|below| values.get(below)), values.get(half)) {
        (Some(below), Some(above)) if values.len().is_multiple_of(2) => Ok(f64::midpoint(*below, *above)),
        (_, Some(middle)) => Ok(*middle),
        (_, None) => Err(reason),
    }
}

/// `part` in a hundred of `whole`, or `reason` when there is no whole.
///
/// # Errors
/// `reason`, when `whole` is 0.
pub fn percent(part: usize, whole: usize, reason: Undefined) -> Measure {
    match whole {
        0 => Err(reason),
        _ => Ok(100.0 * part as f64 / whole as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_one_code_and_one_sentence() {
        let codes: std::collections::BTreeSet<&str> =
            Undefined::ALL.iter().map(|reason| reason.code()).collect();
        assert_eq!(codes.len(), Undefined::ALL.len());
        for reason in Undefined::ALL {
            let sentence = reason.to_string();
            assert!(sentence.ends_with('.') && !sentence.contains(". "), "{sentence}");
        }
    }

    #[test]
    fn a_mean_of_nothing_is_its_reason() {
        assert_eq!([1.0, 2.0, 6.0].into_iter().collect::<Mean>().or(Undefined::NoScores), Ok(3.0));
        assert_eq!(Mean::default().or(Undefined::NoScores), Err(Undefined::NoScores));
        assert_eq!(median(vec![9.0, 1.0, 2.0], Undefined::NoTimes), Ok(2.0));
        assert_eq!(median(vec![4.0, 1.0], Undefined::NoTimes), Ok(2.5));
        assert_eq!(median(vec![], Undefined::NoTimes), Err(Undefined::NoTimes));
        assert_eq!(percent(1, 4, Undefined::NothingJudged), Ok(25.0));
        assert_eq!(percent(0, 0, Undefined::NothingJudged), Err(Undefined::NothingJudged));
    }
}
