//! Strengths of systems from comparisons of two: the model of Bradley & Terry 1952, Biometrika 39:324.
//!
//! The chance that i beats j is σ(θ_i − θ_j), and the strengths θ sum to 0. A tie is half a win for each.

use super::Undefined;
use crate::agreement::Interval;
use crate::agreement::judge::inverted;

/// The strengths that fit best, with their covariance.
#[derive(Debug, Clone, PartialEq)]
pub struct BradleyTerry {
    /// θ, by system.
    pub strengths: Vec<f64>,
    /// The inverse of the information, within strengths that sum to 0.
    covariance: Vec<Vec<f64>>,
}

/// The most steps; no counts need as many, since each step doubles the digits.
const STEPS: usize = 100;

impl BradleyTerry {
    /// The strengths by wins: `wins[i][j]` counts how often i was found better than j.
    ///
    /// # Errors
    /// There are fewer than two systems, or no finite strengths fit best: they do exactly where every system is joined to every
    /// other by a chain of wins (Ford 1957, American Mathematical Monthly 64(8):28).
    pub fn of(wins: &[Vec<f64>]) -> Result<BradleyTerry, Undefined> {
        let size = wins.len();
        Undefined::TooFewSystems.when(size < 2)?;
        Undefined::DisconnectedComparisons
            .when(!reaches_all(size, |one, other| wins[one][other] + wins[other][one]))?;
        if !reaches_all(size, |one, other| wins[one][other])
            || !reaches_all(size, |one, other| wins[other][one])
        {
            return Err(Undefined::PerfectSeparation);
        }
        let mut strengths = vec![0.0; size];
        let scale: f64 = wins.iter().flatten().sum();
        for _ in 0..STEPS {
            let slope: Vec<f64> = (0..size).map(|at| slope_at(wins, &strengths, at)).collect();
            if slope.iter().all(|one| one.abs() <= 1e-13 * scale) {
                break;
            }
            let covariance = covariance_at(wins, &strengths)?;
            let way: Vec<f64> = covariance.iter().map(|row| sum_of_products(row, &slope)).collect();
            // Near the top the likelihood is flat: a value that is lower by rounding only is no step back.
            let least = likelihood(wins, &strengths) * (1.0 + 1e-12);
            let halves = (0..50).map(|halvings| 0.5_f64.powi(halvings));
            let mut tried = halves.map(|share| -> Vec<f64> {
                strengths.iter().zip(&way).map(|(one, way)| one + share * way).collect()
            });
            let Some(better) = tried.find(|tried| likelihood(wins, tried) >= least) else { break };
            let middle = better.iter().sum::<f64>() / size as f64;
            strengths = better.into_iter().map(|one| one - middle).collect();
        }
        Ok(BradleyTerry { covariance: covariance_at(wins, &strengths)?, strengths })
    }

    /// θ_i − θ_j.
    pub fn difference(&self, one: usize, other: usize) -> f64 {
        self.strengths[one] - self.strengths[other]
    }

    /// The interval of a strength by the information of the counts, which takes comparisons as independent.
    pub fn interval(&self, at: usize) -> Interval {
        Interval::normal(self.strengths[at], self.covariance[at][at].sqrt())
    }

    /// The interval of the difference of two strengths.
    pub fn interval_of_difference(&self, one: usize, other: usize) -> Interval {
        let of = &self.covariance;
        let variance = of[one][one] + of[other][other] - 2.0 * of[one][other];
        Interval::normal(self.difference(one, other), variance.sqrt())
    }
}

/// The chance to win, 0–1, with this much more strength.
pub(super) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn sum_of_products(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// Whether every system is reached from the first by steps that are above 0.
fn reaches_all(size: usize, step: impl Fn(usize, usize) -> f64) -> bool {
    let (mut reached, mut next) = (vec![false; size], vec![0]);
    while let Some(at) = next.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            next.extend((0..size).filter(|other| step(at, *other) > 0.0));
        }
    }
    reached.into_iter().all(|one| one)
}

/// The slope of the log-likelihood by a strength: wins less expected wins.
fn slope_at(wins: &[Vec<f64>], strengths: &[f64], at: usize) -> f64 {
    let of = |other: usize| {
        let compared = wins[at][other] + wins[other][at];
        wins[at][other] - compared * logistic(strengths[at] - strengths[other])
    };
    (0..wins.len()).map(of).sum()
}

/// The logarithm of the likelihood.
fn likelihood(wins: &[Vec<f64>], strengths: &[f64]) -> f64 {
    let of = |at: usize, other: usize| {
        let likely = || -(1.0 + (strengths[other] - strengths[at]).exp()).ln();
        if wins[at][other] > 0.0 { wins[at][other] * likely() } else { 0.0 }
    };
    (0..wins.len()).flat_map(|at| (0..wins.len()).map(move |other| of(at, other))).sum()
}

/// The inverse of the information among strengths that sum to 0: (H + 11ᵀ/k)⁻¹ − 11ᵀ/k.
fn covariance_at(wins: &[Vec<f64>], strengths: &[f64]) -> Result<Vec<Vec<f64>>, Undefined> {
    let size = wins.len();
    let mean = 1.0 / size as f64;
    let mut information = vec![vec![mean; size]; size];
    for one in 0..size {
        for other in (0..size).filter(|other| *other != one) {
            let chance = logistic(strengths[one] - strengths[other]);
            let known = (wins[one][other] + wins[other][one]) * chance * (1.0 - chance);
            information[one][other] -= known;
            information[one][one] += known;
        }
    }
    // Strengths may be too far apart for numbers to tell.
    let mut inverse = inverted(information).ok_or(Undefined::NotFinite)?;
    inverse.iter_mut().flatten().for_each(|value| *value -= mean);
    Ok(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_systems_are_as_far_apart_as_the_odds_of_a_win() {
        // 7 to 3: θ_A − θ_B = ln(7/3), and its variance 1/(10 · 0.7 · 0.3).
        let found = BradleyTerry::of(&[vec![0.0, 7.0], vec![3.0, 0.0]]).expect("both win");
        assert!((found.difference(0, 1) - (7.0_f64 / 3.0).ln()).abs() < 1e-12);
        assert!(
            (logistic(found.difference(0, 1)) - 0.7).abs() < 1e-12
                && found.strengths.iter().sum::<f64>().abs() < 1e-12
        );
        let se = found.interval_of_difference(0, 1).se.expect("a formula");
        assert!((se - (1.0_f64 / 2.1).sqrt()).abs() < 1e-12);
        // Far apart, a plain step of Newton's would run away.
        let far = BradleyTerry::of(&[vec![0.0, 4000.0], vec![1.0, 0.0]]).expect("both win");
        assert!((far.difference(0, 1) - 4000.0_f64.ln()).abs() < 1e-9);
    }

    #[test]
    fn strengths_exist_where_chains_of_wins_join_all() {
        let reason = |wins: &[Vec<f64>]| BradleyTerry::of(wins).map(drop);
        assert_eq!(reason(&[vec![0.0]]), Err(Undefined::TooFewSystems));
        assert_eq!(reason(&[vec![0.0, 2.0], vec![0.0, 0.0]]), Err(Undefined::PerfectSeparation));
        assert_eq!(reason(&[vec![0.0, 0.0], vec![0.0, 0.0]]), Err(Undefined::DisconnectedComparisons));
        let circle = [vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0], vec![1.0, 0.0, 0.0]];
        assert_eq!(reason(&circle), Ok(()));
    }
}
