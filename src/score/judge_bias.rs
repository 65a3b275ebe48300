//! The bias of a judge against people, by summarizer and by length.
//!
//! Source: Laban et al. 2024, Summary of a Haystack, §4.3 and Table 4; words are counted as in the notebook beside the
//! paper.

use std::collections::{BTreeMap, BTreeSet};

use super::{Mean, Measure, Undefined};
use crate::agreement::{Estimate, Intervals, NumberRange, pearson_of_values};
use crate::text::words;

/// A summary that a judge and people judged, over the insights of both.
#[derive(Debug, Clone, PartialEq)]
pub struct SummaryCompared {
    /// The number of the cluster, such as the query.
    pub cluster: u32,
    /// The summarizer; `unnamed` where it is not known.
    pub summarizer: String,
    /// [`words_per_line`] of the text.
    pub words_per_line: Measure,
    /// Mean score under the judge, 0–1.
    pub judge: f64,
    /// Mean score under people, 0–1.
    pub human: f64,
}

/// The bias of a judge: its scores less those of people.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeBias {
    /// For each summarizer: name, number of summaries, and the mean of (judge − human) over them, from −1 to 1.
    pub summarizers: Vec<(String, usize, Estimate)>,
    /// The unweighted mean of the summarizers' rows.
    pub average: Estimate,
    /// Pearson's r over summaries of words per line and (judge − human).
    pub length_to_difference: Estimate,
    /// Pearson's r over summaries of words per line and the judge's score.
    pub length_to_score: Estimate,
}

impl JudgeBias {
    /// The bias over these summaries, the summarizers in the order of their names.
    pub fn of(summaries: &[SummaryCompared], intervals: Intervals) -> JudgeBias {
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        summaries.iter().for_each(|summary| *numbers.entry(&summary.summarizer).or_default() += 1);
        let names: Vec<&str> = numbers.keys().copied().collect();
        let clusters: BTreeSet<u32> = summaries.iter().map(|summary| summary.cluster).collect();
        let clusters: Vec<u32> = clusters.into_iter().collect();
        let number =
            |summary: &SummaryCompared| names.binary_search(&summary.summarizer.as_str()).unwrap_or(0);
        let placed: Vec<PlacedSummary<'_>> = summaries
            .iter()
            .map(|summary| PlacedSummary {
                cluster: clusters.binary_search(&summary.cluster).unwrap_or(0),
                summarizer: number(summary),
                summary,
            })
            .collect();
        // The order of statistics: the bias of each summarizer, the average, the two correlations with length.
        let statistics = names.len() + 3;
        let mut carried = vec![false; clusters.len() * statistics];
        for PlacedSummary { cluster, summarizer, summary } in &placed {
            let words = summary.words_per_line.is_ok();
            let has = [(*summarizer, true), (names.len(), true)];
            let has = has.into_iter().chain([(names.len() + 1, words), (names.len() + 2, words)]);
            has.filter(|(_, has)| *has).for_each(|(at, _)| carried[cluster * statistics + at] = true);
        }
        let carries = |at: usize, statistic: usize| {
            statistic == names.len() || carried.get(at * statistics + statistic).copied().unwrap_or(false)
        };
        let changed = |changed: &[(usize, u64)]| {
            let mut times = vec![1; clusters.len()];
            changed.iter().for_each(|(at, often)| times[*at] = *often);
            let repeated = placed.iter().flat_map(|one| (0..times[one.cluster]).map(move |_| one));
            values(&repeated.collect::<Vec<_>>(), names.len())
        };
        let ranges = names.iter().map(|_| NumberRange::Any).chain([
            NumberRange::Any,
            NumberRange::Correlation,
            NumberRange::Correlation,
        ]);
        let whole: Vec<(Measure, NumberRange)> = changed(&[]).into_iter().zip(ranges).collect();
        let mut found = intervals.of_clusters(clusters.len(), &whole, carries, changed).into_iter();
        let none = Estimate { value: Err(Undefined::NothingJudged), interval: None, clusters: 0 };
        let mut next = || found.next().unwrap_or(none);
        JudgeBias {
            summarizers: numbers.iter().map(|(name, number)| ((*name).to_owned(), *number, next())).collect(),
            average: next(),
            length_to_difference: next(),
            length_to_score: next(),
        }
    }
}

struct PlacedSummary<'a> {
    cluster: usize,
    summarizer: usize,
    summary: &'a SummaryCompared,
}

/// The bias of each summarizer, their average, and the two correlations with length.
fn values(summaries: &[&PlacedSummary<'_>], summarizers: usize) -> Vec<Measure> {
    let mut biases = vec![Mean::default(); summarizers];
    for PlacedSummary { summarizer, summary, .. } in summaries {
        if let Some(mean) = biases.get_mut(*summarizer) {
            mean.add(summary.judge - summary.human);
        }
    }
    // Equal sums may leave a remainder by rounding.
    let whole = |bias: f64| if bias.abs() < 1e-12 { 0.0 } else { bias };
    let mut values: Vec<Measure> =
        biases.iter().map(|mean| mean.or(Undefined::NothingJudged).map(whole)).collect();
    let average = values.iter().filter_map(|value| value.ok()).collect::<Mean>();
    values.push(average.or(Undefined::NothingJudged));
    for score in
        [|summary: &SummaryCompared| summary.judge - summary.human, |summary: &SummaryCompared| summary.judge]
    {
        let pair = |one: &&PlacedSummary<'_>| Some((one.summary.words_per_line.ok()?, score(one.summary)));
        values.push(pearson_of_values(&summaries.iter().filter_map(pair).collect::<Vec<_>>()));
    }
    values
}

/// Words per line as the published notebook counts them: runs of two or more white-space characters become one space, words are
/// the spaces plus one, and line feeds separate lines. A text with Han characters or kana, which stand without spaces, has its
/// words counted as everywhere else. Undefined for an empty text.
pub fn words_per_line(text: &str) -> Measure {
    Undefined::NoBullets.when(text.is_empty())?;
    let lines = text.split('\n').count();
    if text.chars().any(words::stands_alone) {
        return Ok(words::count(text) as f64 / lines as f64);
    }
    let (mut spaces, mut run, mut last) = (0_usize, 0_usize, ' ');
    for character in text.chars().chain(['.']) {
        if character.is_whitespace() {
            (run, last) = (run + 1, character);
            continue;
        }
        // Two or more white-space characters count as one space; a single one counts only if it is a space.
        spaces += usize::from(run > 1 || (run == 1 && last == ' '));
        run = 0;
    }
    Ok((spaces + 1) as f64 / lines as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(summarizer: &str, words: f64, judge: f64, human: f64) -> SummaryCompared {
        SummaryCompared { cluster: 0, summarizer: summarizer.into(), words_per_line: Ok(words), judge, human }
    }

    #[test]
    fn words_are_counted_as_in_the_notebook() {
        // "- a b\n- c": four spaces would be words 5; the line feed is none, so spaces 3, words 4, lines 2.
        assert_eq!(words_per_line("- a b\n- c"), Ok(2.0));
        // Two blanks are one space, and so is a line feed with a blank behind it: 2 spaces, 3 words, 2 lines.
        assert_eq!(words_per_line("a  b\n c"), Ok(1.5));
        assert_eq!(words_per_line("one"), Ok(1.0));
        assert_eq!(words_per_line("- 他们走路 [1]。\n- 睡觉"), Ok(4.5));
        assert_eq!(words_per_line(""), Err(Undefined::NoBullets));
    }

    #[test]
    fn bias_is_the_mean_over_summaries_and_the_average_that_over_summarizers() {
        let mut summaries = [
            summary("b", 10.0, 0.75, 0.5),
            summary("a", 10.0, 0.5, 0.5),
            summary("b", 20.0, 0.5, 0.75),
            summary("b", 30.0, 0.75, 0.0),
        ];
        summaries.iter_mut().zip(0..).for_each(|(summary, cluster)| summary.cluster = cluster);
        let bias = JudgeBias::of(&summaries, Intervals::Jackknife);
        // b: (0.25 − 0.25 + 0.75) / 3 = 0.25; a: 0; their mean 0.125.
        let rows: Vec<_> = bias
            .summarizers
            .iter()
            .map(|(name, number, bias)| (name.as_str(), *number, bias.value))
            .collect();
        assert_eq!(rows, [("a", 1, Ok(0.0)), ("b", 3, Ok(0.25))]);
        assert_eq!(bias.average.value, Ok(0.125));
        // Words 10, 10, 20, 30: deviations −7.5, −7.5, 2.5, 12.5, squares 275. Differences 0.25, 0, −0.25, 0.75:
        // mean 0.1875, deviations 0.0625, −0.1875, −0.4375, 0.5625, squares 0.546875, products 6.875.
        let expected = 6.875 / (275.0_f64 * 0.546_875).sqrt();
        assert!((bias.length_to_difference.value.unwrap() - expected).abs() < 1e-12);
        // b has clusters of 0.25, −0.25 and 0.75: SE² = 0.5 / (3 · 2); a has one.
        let se = |estimate: &Estimate| estimate.interval.unwrap().map(|interval| interval.se.unwrap());
        assert!((se(&bias.summarizers[1].2).unwrap() - (0.5_f64 / 6.0).sqrt()).abs() < 1e-12);
        assert_eq!(se(&bias.summarizers[0].2), Err(Undefined::TooFewClusters));
        // Without a's cluster the average is b's 1/4; without those of b (0.5/2)/2, (1/2)/2 and 0: 4, 2, 4, 0 in sixteenths, with
        // squares of 11 about their mean 2.5.
        assert!((se(&bias.average).unwrap() - (0.75_f64 * 11.0 / 256.0).sqrt()).abs() < 1e-12);
        let none = JudgeBias::of(&[], Intervals::Jackknife);
        assert_eq!(none.average.value, Err(Undefined::NothingJudged));
        assert_eq!(none.length_to_score.value, Err(Undefined::TooFewItems));
    }
}
