//! Dawid and Skene's model: true labels that nobody saw, and annotators who confuse them, each in their own way.
//!
//! An item has one true label k with probability p_k; annotator a, when the truth is k, says l with probability
//! π_akl, independently of the others. Truth, p and π are found together by expectation–maximisation (Dawid & Skene 1979,
//! Applied Statistics 28:20), over the distinct rows of the table.
//!
//! - It begins with each row's own shares of labels as the probabilities of its truth, and so is deterministic.
//! - Smoothing adds a small count to every cell of p and π, as a Dirichlet prior would; the paper has none.
//!   The steps then never lower the log-likelihood plus that of the prior.
//! - It ends after 2,000 steps, or as soon as no probability of a truth is farther than 1e-10 from its limit,
//!   which follows from how the steps shrink.
//! - Ties between labels are broken by the data alone; with fewer than three annotators many models fit equally well.

use super::{Counts, RatingRow, Undefined, real};

/// How the model is fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelSettings {
    /// The count that is added to every cell; 0 as in the paper.
    pub smoothing: f64,
    /// The most steps.
    pub steps: usize,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self { smoothing: 0.01, steps: 2000 }
    }
}

/// A fitted model.
#[derive(Clone, Debug, PartialEq)]
pub struct DawidSkene {
    /// p_k, the share of items whose true label is k.
    pub prevalence: Vec<f64>,
    /// The competence of each rater.
    pub raters: Vec<Competence>,
    /// The log-likelihood of the data, with that of the smoothing prior up to a constant, before each step and at the end:
    /// never lower than before, but for rounding.
    pub trace: Vec<f64>,
    /// The log-likelihood of the data alone, at the end.
    pub log_likelihood: f64,
    /// Whether the fit ended because nothing changed any more.
    pub converged: bool,
    /// For each distinct row of the table: the probability of each true label.
    posteriors: Vec<Vec<f64>>,
}

/// How an annotator labels items, given their true labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Competence {
    /// π_akl: row k is the true label, column l what the annotator says; rows sum to 1.
    pub confusion: Vec<Vec<f64>>,
    /// Σ_k p_k π_akk, how often the annotator is expected to be right.
    pub accuracy: f64,
}

/// How far a probability may be from its limit. A smaller change counts as none.
const DISTANCE: f64 = 1e-10;
const NO_CHANGE: f64 = 1e-14;

/// The largest number of cells of all confusions together: 128 MiB of them.
const MOST_CELLS: usize = 1 << 24;

impl DawidSkene {
    /// Fits the model to all items with a rating.
    ///
    /// # Errors
    /// Undefined without a pairable item, in a schema of one category, and when all confusions together have more
    /// than 2²⁴ cells.
    pub fn fit(counts: &Counts, settings: ModelSettings) -> Result<Self, Undefined> {
        let (q, raters) = (counts.table().categories().len(), counts.table().raters().len());
        Undefined::NoPairableItems.when(counts.items_pairable() == 0)?;
        Undefined::SingleCategorySchema.when(q < 2)?;
        Undefined::TooManyParameters.when(raters.saturating_mul(q * q) > MOST_CELLS)?;
        let mut posteriors = majorities(counts, q);
        let mut model = Parameters::maximising(counts, &posteriors, settings.smoothing);
        let mut trace = Vec::new();
        let mut changed = 0.0;
        let (log_likelihood, converged) = loop {
            let before = posteriors.clone();
            let log_likelihood = model.expect(counts, &mut posteriors);
            trace.push(log_likelihood + model.log_prior(settings.smoothing));
            let change = largest_change(&before, &posteriors);
            // Steps shrink by the same share in the end, so what is left is a geometric series.
            let share = change / changed;
            let converged = change <= NO_CHANGE || share < 1.0 && change * share / (1.0 - share) <= DISTANCE;
            changed = change;
            if converged || trace.len() > settings.steps {
                break (log_likelihood, converged);
            }
            model = Parameters::maximising(counts, &posteriors, settings.smoothing);
        };
        let raters = model.confusions(raters);
        Ok(Self { prevalence: model.prevalence, raters, trace, log_likelihood, converged, posteriors })
    }

    /// The probabilities of an item's true labels, by category; `None` for an item of another table.
    #[must_use]
    pub fn truth(&self, counts: &Counts, item: usize) -> Option<&[f64]> {
        let row = counts.rows().row_of_item().get(item)?;
        self.posteriors.get(*row as usize).map(Vec::as_slice)
    }
}

/// Each row's shares of labels; uniform for a row without a rating, which counts nowhere.
fn majorities(counts: &Counts, q: usize) -> Vec<Vec<f64>> {
    let shares = |row: RatingRow<'_>| {
        let mut shares = vec![0.0; q];
        row.ratings().for_each(|(_, category)| shares[usize::from(category)] += 1.0);
        normalise(&mut shares);
        shares
    };
    counts.rows().iter(counts.table()).map(|(row, _)| shares(row)).collect()
}

fn largest_change(before: &[Vec<f64>], now: &[Vec<f64>]) -> f64 {
    let pairs = before.iter().flatten().zip(now.iter().flatten());
    pairs.map(|(before, now)| (before - now).abs()).fold(0.0, f64::max)
}

/// Makes the numbers sum to 1; all equal when they are all 0.
fn normalise(values: &mut [f64]) {
    let sum: f64 = values.iter().sum();
    let equal = 1.0 / real(values.len() as u64);
    values.iter_mut().for_each(|value| *value = if sum > 0.0 { *value / sum } else { equal });
}

/// p and π.
struct Parameters {
    q: usize,
    prevalence: Vec<f64>,
    /// Rater after rater, true label after true label: π_ak1 … π_akq.
    confusion: Vec<f64>,
}

impl Parameters {
    /// The M step: the most likely parameters, given the probabilities of the truth.
    fn maximising(counts: &Counts, posteriors: &[Vec<f64>], smoothing: f64) -> Self {
        let (q, raters) = (counts.table().categories().len(), counts.table().raters().len());
        let mut prevalence = vec![smoothing; q];
        let mut confusion = vec![smoothing; raters * q * q];
        for ((row, items), posterior) in counts.rows().iter(counts.table()).zip(posteriors) {
            if items == 0 || row.ratings().next().is_none() {
                continue;
            }
            for (k, probability) in posterior.iter().enumerate() {
                let weight = real(items) * probability;
                prevalence[k] += weight; // one for each category
                for (rater, said) in row.ratings() {
                    confusion[(rater * q + k) * q + usize::from(said)] += weight; // cells of this table
                }
            }
        }
        normalise(&mut prevalence);
        confusion.chunks_exact_mut(q).for_each(normalise);
        Self { q, prevalence, confusion }
    }

    /// The E step: the probabilities of the truth, given the parameters. Returns the log-likelihood.
    fn expect(&self, counts: &Counts, posteriors: &mut [Vec<f64>]) -> f64 {
        let logarithms = |shares: &[f64]| shares.iter().map(|share| share.ln()).collect::<Vec<f64>>();
        let (prevalence, confusion) = (logarithms(&self.prevalence), logarithms(&self.confusion));
        let mut total = 0.0;
        for ((row, items), posterior) in counts.rows().iter(counts.table()).zip(posteriors) {
            if items == 0 || row.ratings().next().is_none() {
                continue;
            }
            for (k, logarithm) in posterior.iter_mut().enumerate() {
                // Cells of this table.
                let said = row
                    .ratings()
                    .map(|(rater, said)| confusion[(rater * self.q + k) * self.q + usize::from(said)]);
                *logarithm = prevalence[k] + said.sum::<f64>();
            }
            // Relative to the largest, so that no product of many small numbers becomes 0.
            let largest = posterior.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            posterior.iter_mut().for_each(|logarithm| *logarithm = (*logarithm - largest).exp());
            total += real(items) * (largest + posterior.iter().sum::<f64>().ln());
            normalise(posterior);
        }
        total
    }

    /// The log-density of the smoothing prior, up to a constant.
    fn log_prior(&self, smoothing: f64) -> f64 {
        if smoothing == 0.0 {
            return 0.0;
        }
        smoothing * self.prevalence.iter().chain(&self.confusion).map(|share| share.ln()).sum::<f64>()
    }

    fn confusions(&self, raters: usize) -> Vec<Competence> {
        let blocks = self.confusion.chunks_exact(self.q * self.q).take(raters);
        let competence = |block: &[f64]| {
            let confusion: Vec<Vec<f64>> = block.chunks_exact(self.q).map(<[f64]>::to_vec).collect();
            let right = block.iter().step_by(self.q + 1).zip(&self.prevalence);
            Competence { confusion, accuracy: right.map(|(right, share)| right * share).sum() }
        };
        blocks.map(competence).collect()
    }
}

#[cfg(test)]
mod tests;
