//! The comparison of two rankings of the same systems.

use std::cmp::Ordering;

use super::Ranking;
use crate::score::{GroupLabels, Measure, Undefined};

/// Two rankings compared over the systems that both score. Ranks count only these systems.
#[derive(Debug, Clone, PartialEq)]
pub struct RankingsCompared {
    /// The systems with their ranks in both rankings, in the order of the first.
    pub systems: Vec<(GroupLabels, [usize; 2])>,
    /// Kendall's τ_b = (P − Q)/√((P + Q + T)(P + Q + U)), from −1 to 1: P pairs of systems are in the same order, Q in the
    /// opposite order, T and U tied in the first or in the second ranking only (Kendall 1945, Biometrika 33:239).
    pub tau_b: Measure,
    /// Pairs of systems in opposite orders.
    pub reversed: usize,
}

impl RankingsCompared {
    /// Compares two rankings, each by its own order of the best.
    pub fn between(first: &Ranking, second: &Ranking) -> RankingsCompared {
        let both = first.systems.iter().filter_map(|system| {
            let other = second.system(&system.group)?;
            Some((&system.group, [system.rank?, other.rank?]))
        });
        let both: Vec<(&GroupLabels, [usize; 2])> = both.collect();
        let among = |at: usize, rank: usize| 1 + both.iter().filter(|(_, ranks)| ranks[at] < rank).count();
        let ranked = |(group, [one, other]): &(&GroupLabels, [usize; 2])| {
            ((*group).clone(), [among(0, *one), among(1, *other)])
        };
        let systems = both.iter().map(ranked).collect();
        let (mut same, mut reversed, mut tied_first, mut tied_second) = (0_usize, 0_usize, 0_usize, 0_usize);
        for (at, (_, [a, b])) in both.iter().enumerate() {
            for (_, [other_a, other_b]) in both.iter().skip(at + 1) {
                match (a.cmp(other_a), b.cmp(other_b)) {
                    (Ordering::Equal, Ordering::Equal) => {}
                    (Ordering::Equal, _) => tied_first += 1,
                    (_, Ordering::Equal) => tied_second += 1,
                    (one, other) if one == other => same += 1,
                    _ => reversed += 1,
                }
            }
        }
        let ordered = [same + reversed + tied_second, same + reversed + tied_first];
        let tau_b = match ordered {
            _ if both.len() < 2 => Err(Undefined::OneSystem),
            [0, _] | [_, 0] => Err(Undefined::AllTied),
            // For equal numbers the root is exact, so that τ_b can be exactly ±1; √(n · n) may be rounded.
            [first, second] if first == second => Ok((same as f64 - reversed as f64) / first as f64),
            [first, second] => Ok((same as f64 - reversed as f64) / (first as f64 * second as f64).sqrt()),
        };
        RankingsCompared { systems, tau_b, reversed }
    }

    /// The number of systems with another rank in the second ranking.
    pub fn moved(&self) -> usize {
        self.systems.iter().filter(|(_, [first, second])| first != second).count()
    }

    /// The most places by which a system moves.
    pub fn farthest(&self) -> usize {
        self.systems.iter().map(|(_, [first, second])| first.abs_diff(*second)).max().unwrap_or(0)
    }
}
