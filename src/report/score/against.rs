//! Machine scores against people's: the correlation of a field of the summaries with their scores.

use std::collections::BTreeMap;

use super::Scope;
use super::rules::CandidateScores;
use crate::agreement::{
    Estimate, Measure, NumberRange, kendall_of_values, pearson_of_values, spearman_of_values,
};
use crate::error::Result;
use crate::report::{Column, Table, TableFinding};

/// The coefficients, in the order of the columns.
const COEFFICIENTS: [Correlation; 3] = [pearson_of_values, spearman_of_values, kendall_of_values];

type Correlation = fn(&[(f64, f64)]) -> Measure;

/// A summary with both numbers.
struct MachinePair {
    system: String,
    cluster: u32,
    /// The machine's number, then people's.
    numbers: (f64, f64),
}

/// A score, with its correlations over summaries or over systems.
#[derive(Debug, Clone, PartialEq)]
pub struct CorrelationRow {
    pub score: String,
    pub level: &'static str,
    pairs: usize,
    /// Pearson's r, Spearman's ρ and Kendall's τ-b.
    pub coefficients: Vec<Estimate>,
}

/// The correlation of a field of the summaries with each score of a protocol, over summaries and over the means of systems.
/// With `has_pairs`, also a table of the summaries for each score.
pub(super) fn tables(scope: &Scope<'_>, field: &str) -> Result<Vec<Table>> {
    let machine = scope.frame.tables()?.numbers_of_candidates(field)?;
    let rules = scope.rules();
    let mut rows: Vec<CorrelationRow> = Vec::new();
    let mut listed = Vec::new();
    for CandidateScores { heading, scores } in super::rules::of_candidates(scope, &rules)? {
        let pair = |(candidate, system, cluster, score): (u32, String, u32, f64)| {
            let number = machine.get(candidate as usize).copied().filter(|number| !number.is_nan())?;
            Some(MachinePair { system, cluster, numbers: (number, score) })
        };
        let paired: Vec<MachinePair> = scores.into_iter().filter_map(pair).collect();
        if scope.asked.has_pairs {
            listed.push(pairs_table(&heading, field, &paired));
        }
        for (level, numbers) in [("summary", summaries as fn(&[&MachinePair]) -> _), ("system", systems)] {
            rows.push(compared(scope, (&heading, level), &paired, numbers));
        }
    }
    let coefficient = |at: usize| move |row: &CorrelationRow| row.coefficients.get(at).copied();
    let columns = [
        Column::new("score", "score", |row: &CorrelationRow| row.score.clone()),
        Column::new("level", "over", |row: &CorrelationRow| row.level),
        Column::new("pairs", "pairs", |row: &CorrelationRow| row.pairs),
        Column::new("pearson", "r", coefficient(0)).decimals(3),
        Column::new("spearman", "ρ", coefficient(1)).decimals(3),
        Column::new("kendall", "τ-b", coefficient(2)).decimals(3),
    ];
    let table = Table::of(format!("People's scores against {field}"), columns, &rows)
        .keyed("against")
        .fact("against", field)
        .finding(TableFinding::Correlations(rows.into()))
        .note("Over systems, the means of each system's summaries are compared.");
    Ok(std::iter::once(table).chain(listed).collect())
}

/// The table of summaries with the machine's number and people's score.
fn pairs_table(score: &str, field: &str, paired: &[MachinePair]) -> Table {
    let columns = [
        Column::new("system", "system", |pair: &MachinePair| pair.system.clone()),
        Column::new("machine", field, |pair: &MachinePair| pair.numbers.0).decimals(3),
        Column::new("people", score, |pair: &MachinePair| pair.numbers.1),
    ];
    Table::of(format!("{score} and {field} of each summary"), columns, paired)
        .keyed("against_pairs")
        .fact("against", field)
        .fact("measure", score)
        .finding(TableFinding::MachinePairs(paired.iter().map(|pair| pair.numbers).collect()))
}

fn summaries(paired: &[&MachinePair]) -> Vec<(f64, f64)> {
    paired.iter().map(|pair| pair.numbers).collect()
}

/// The means of both numbers for each system.
fn systems(paired: &[&MachinePair]) -> Vec<(f64, f64)> {
    let mut of_system: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    paired.iter().for_each(|pair| of_system.entry(&pair.system).or_default().push(pair.numbers));
    let mean = |numbers: &[(f64, f64)], side: fn(&(f64, f64)) -> f64| {
        numbers.iter().map(side).sum::<f64>() / numbers.len() as f64
    };
    let means = of_system.values();
    means.map(|numbers| (mean(numbers, |pair| pair.0), mean(numbers, |pair| pair.1))).collect()
}

fn compared(
    scope: &Scope<'_>,
    (score, level): (&str, &'static str),
    paired: &[MachinePair],
    numbers: impl Fn(&[&MachinePair]) -> Vec<(f64, f64)> + Sync,
) -> CorrelationRow {
    let mut clusters: Vec<u32> = paired.iter().map(|pair| pair.cluster).collect();
    clusters.sort_unstable();
    clusters.dedup();
    let values = |numbers: &[(f64, f64)]| COEFFICIENTS.map(|coefficient| coefficient(numbers)).to_vec();
    let whole = numbers(&paired.iter().collect::<Vec<_>>());
    let ranged: Vec<(Measure, NumberRange)> =
        values(&whole).into_iter().map(|value| (value, NumberRange::Correlation)).collect();
    let changed = |times: &[(usize, u64)]| {
        let times_of = |cluster: u32| {
            let is_own = |at: usize| clusters.get(at) == Some(&cluster);
            times.iter().find(|(at, _)| is_own(*at)).map_or(1, |(_, times)| *times)
        };
        let drawn = paired.iter().flat_map(|pair| (0..times_of(pair.cluster)).map(move |_| pair));
        values(&numbers(&drawn.collect::<Vec<_>>()))
    };
    let intervals = scope.asked.part.uncertainty.intervals;
    let coefficients = intervals.of_clusters(clusters.len(), &ranged, |_, _| true, changed);
    CorrelationRow { score: score.to_owned(), level, pairs: whole.len(), coefficients }
}
