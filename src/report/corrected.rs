//! Scores corrected for a judge's errors, beside those of people and of the judge alone.

use super::{Better, Cell, Column, IntoCell};
use crate::agreement::judge::PoweredMean;
use crate::agreement::{Estimate, Interval, Measure, Undefined};

/// A note on the method of correction.
pub const HOW_CORRECTED: &str = "corrected: people's labels on their sample, the judge's on all (PPI++ over clusters). It holds where the sample is a random one.";

/// The method of the intervals of corrected scores.
pub const HOW_CORRECTED_VARIES: &str = "95 % intervals of corrected scores: ± t standard errors over clusters (sandwich). With people's labels in fewer than three clusters there is none.";

/// A score by people, by the judge, and corrected.
pub struct CorrectedRow {
    pub what: String,
    people: Cell,
    judge: Cell,
    corrected: Cell,
    effective: Cell,
    inverted: Cell,
}

/// A number with its interval, or the reason why there is none.
type Bounded = Result<(f64, Interval), Undefined>;

impl CorrectedRow {
    /// A row from a mean, kept within a range, and from the inversion of the judge's errors where asked for.
    pub fn of(
        what: String,
        mean: &PoweredMean,
        inverted: Option<Bounded>,
        (low, high): (f64, f64),
    ) -> CorrectedRow {
        let clusters = mean.clusters.unwrap_or_default() as u64;
        let estimate = |value: Measure, interval: Result<Interval, Undefined>| {
            let varies = |interval: Interval| match interval.low < interval.high {
                _ if mean.has_few_clusters() => Err(Undefined::TooFewClusters),
                true => Ok(interval.within(low, high)),
                false => Err(Undefined::NoVariation),
            };
            let interval = Some(interval.and_then(varies));
            Estimate { value: value.map(|value| value.clamp(low, high)), interval, clusters }.cell()
        };
        let cell = |found: Bounded| estimate(found.map(|found| found.0), found.map(|found| found.1));
        CorrectedRow {
            what,
            people: estimate(mean.labelled_mean, mean.classical.map(|mean| mean.interval())),
            // The judge's labels alone tell nothing of their errors, so there is no interval.
            judge: match mean.labelled + mean.judged {
                0 => Cell::Undefined(Undefined::NoItems),
                _ => Cell::Number(mean.judged_mean),
            },
            corrected: cell(mean.corrected().map(|mean| (mean.estimate, mean.interval()))),
            effective: mean.corrected().and(mean.effective).map_or_else(
                |why| {
                    // The labels may vary where the corrected mean does not.
                    Cell::Undefined(if why == Undefined::ZeroVariance { Undefined::NoVariation } else { why })
                },
                Cell::Number,
            ),
            inverted: inverted.map_or(Cell::Empty, cell),
        }
    }
}

/// The columns of corrected scores, of which `best` are the best.
pub fn corrected_columns<'a>(
    decimals: usize,
    has_inverted: bool,
    best: Better,
) -> Vec<Column<'a, CorrectedRow>> {
    let column = |name: &'static str, heading: &'static str, of: fn(&CorrectedRow) -> &Cell| {
        Column::new(name, heading, move |row: &CorrectedRow| of(row).clone()).right().decimals(decimals)
    };
    vec![
        column("people", "people's sample", |row| &row.people),
        column("judge", "judge alone", |row| &row.judge),
        column("corrected", "corrected", |row| &row.corrected).better(best),
        column("effective", "worth labels", |row| &row.effective).decimals(0),
        column("rogan_gladen", "Rogan–Gladen", |row| &row.inverted).shown_if(has_inverted),
    ]
}
