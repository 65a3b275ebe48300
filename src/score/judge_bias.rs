//! Whether a judge is kinder to some systems than people are, and whether length pleases it.
//!
//! Source: Laban et al. 2024, Summary of a Haystack, §4.3 and Table 4; words as the notebook beside
//! it counts them.

use std::collections::BTreeMap;

use super::measure::{Mean, Measure, Undefined};
use crate::agreement::{self, pearson_of_values};

/// One summary that both a judge and people judged, over the insights that both did.
#[derive(Debug, Clone, PartialEq)]
pub struct SummaryCompared {
    /// Who made it; `unnamed` where that is not known.
    pub summarizer: String,
    /// [`words_per_line`] of its text.
    pub words_per_line: Measure,
    /// Mean coverage under the judge, 0–1.
    pub judge: f64,
    /// Mean coverage under people, 0–1.
    pub human: f64,
}

/// How far a judge's coverage is above that of people.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeBias {
    /// By summarizer: its summaries, and the mean of (judge − human) over them, on 0–1.
    pub summarizers: Vec<(String, usize, f64)>,
    /// The unweighted mean of the summarizers' rows.
    pub average: Measure,
    /// Pearson's r over summaries of words per line and (judge − human).
    pub length_to_difference: agreement::Measure,
    /// Pearson's r over summaries of words per line and the judge's coverage.
    pub length_to_score: agreement::Measure,
}

impl JudgeBias {
    /// The bias over these summaries, the summarizers in the order of their names.
    pub fn of(summaries: &[SummaryCompared]) -> JudgeBias {
        let mut by_summarizer: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for summary in summaries {
            by_summarizer.entry(&summary.summarizer).or_default().push(summary.judge - summary.human);
        }
        let row = |(name, differences): (&str, Vec<f64>)| {
            let mean = differences.iter().sum::<f64>() / differences.len() as f64;
            (name.to_owned(), differences.len(), mean)
        };
        let summarizers: Vec<(String, usize, f64)> = by_summarizer.into_iter().map(row).collect();
        let average = summarizers.iter().map(|(_, _, bias)| *bias).collect::<Mean>();
        let against = |score: fn(&SummaryCompared) -> f64| {
            let pair = |summary: &SummaryCompared| Some((summary.words_per_line.ok()?, score(summary)));
            pearson_of_values(&summaries.iter().filter_map(pair).collect::<Vec<_>>())
        };
        JudgeBias {
            summarizers,
            average: average.or(Undefined::NothingJudged),
            length_to_difference: against(|summary| summary.judge - summary.human),
            length_to_score: against(|summary| summary.judge),
        }
    }
}

/// Words per line as the published notebook counts them: runs of two or more white-space characters
/// become one space, words are the spaces and one more, lines are what line feeds separate.
///
/// # Errors
/// Undefined for an empty text.
pub fn words_per_line(text: &str) -> Measure {
    if text.is_empty() {
        return Err(Undefined::NoBullets);
    }
    let lines = text.split('\n').count();
    let (mut spaces, mut run, mut last) = (0_usize, 0_usize, ' ');
    for character in text.chars().chain(['.']) {
        if character.is_whitespace() {
            (run, last) = (run + 1, character);
            continue;
        }
        // A run of several is one space whatever it is made of, a single one only if it is a space.
        spaces += usize::from(run > 1 || (run == 1 && last == ' '));
        run = 0;
    }
    Ok((spaces + 1) as f64 / lines as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(summarizer: &str, words: f64, judge: f64, human: f64) -> SummaryCompared {
        SummaryCompared { summarizer: summarizer.into(), words_per_line: Ok(words), judge, human }
    }

    #[test]
    fn words_are_counted_as_in_the_notebook() {
        // "- a b\n- c": four spaces would be words 5; the line feed is none, so spaces 3, words 4, lines 2.
        assert_eq!(words_per_line("- a b\n- c"), Ok(2.0));
        // Two blanks are one space, and so is a line feed with a blank behind it: 2 spaces, 3 words, 2 lines.
        assert_eq!(words_per_line("a  b\n c"), Ok(1.5));
        assert_eq!(words_per_line("one"), Ok(1.0));
        assert_eq!(words_per_line(""), Err(Undefined::NoBullets));
    }

    #[test]
    fn bias_is_the_mean_over_summaries_and_the_average_that_over_summarizers() {
        let bias = JudgeBias::of(&[
            summary("b", 10.0, 0.75, 0.5),
            summary("a", 10.0, 0.5, 0.5),
            summary("b", 20.0, 0.5, 0.75),
            summary("b", 30.0, 0.75, 0.0),
        ]);
        // b: (0.25 − 0.25 + 0.75) / 3 = 0.25; a: 0; their mean 0.125.
        assert_eq!(bias.summarizers, [("a".into(), 1, 0.0), ("b".into(), 3, 0.25)]);
        assert_eq!(bias.average, Ok(0.125));
        // Words 10, 10, 20, 30: deviations −7.5, −7.5, 2.5, 12.5, squares 275. Differences 0.25, 0, −0.25, 0.75:
        // mean 0.1875, deviations 0.0625, −0.1875, −0.4375, 0.5625, squares 0.546875, products 6.875.
        let expected = 6.875 / (275.0_f64 * 0.546_875).sqrt();
        assert!((bias.length_to_difference.unwrap() - expected).abs() < 1e-12);
        let none = JudgeBias::of(&[]);
        assert_eq!(none.average, Err(Undefined::NothingJudged));
        assert_eq!(none.length_to_score, Err(agreement::Undefined::TooFewItems));
    }
}
