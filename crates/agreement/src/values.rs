//! Correlation of plain numbers, where there are no categories.

use super::{Measure, Undefined, real};

/// Numbers that differ by less than this share of the larger are equal: such a difference is one of rounding.
const TIED: f64 = 1e-9;

/// The pairs with numbers of one side made equal where they differ by rounding alone.
fn without_rounding(pairs: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut pairs = pairs.to_vec();
    for is_first in [true, false] {
        let side = |pair| -> &mut f64 {
            let (first, second): &mut (f64, f64) = pair;
            if is_first { first } else { second }
        };
        let mut numbers: Vec<&mut f64> = pairs.iter_mut().map(side).collect();
        numbers.sort_by(|one, other| one.total_cmp(other));
        let mut before: Option<f64> = None;
        for number in numbers {
            if let Some(before) = before.filter(|one| *number - one <= TIED * number.abs().max(one.abs())) {
                *number = before;
            }
            before = Some(*number);
        }
    }
    pairs
}

/// Pearson's r of pairs of numbers.
///
/// # Errors
/// Undefined with fewer than two pairs, and when the numbers of a side are all equal.
pub fn pearson_of_values(pairs: &[(f64, f64)]) -> Measure {
    Undefined::TooFewItems.when(pairs.len() < 2)?;
    let pairs = without_rounding(pairs);
    let is_constant = |side: fn(&(f64, f64)) -> f64| {
        pairs.windows(2).all(|two| match two {
            [a, b] => side(a) == side(b),
            _ => true,
        })
    };
    Undefined::ZeroVariance.when(is_constant(|pair| pair.0) || is_constant(|pair| pair.1))?;
    let count = real(pairs.len() as u64);
    let mean = |side: fn(&(f64, f64)) -> f64| pairs.iter().map(side).sum::<f64>() / count;
    let (first, second) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let (mut products, mut squares) = (0.0, (0.0, 0.0));
    for (a, b) in &pairs {
        let (a, b) = (a - first, b - second);
        products += a * b;
        squares = (squares.0 + a * a, squares.1 + b * b);
    }
    let scale = (squares.0 * squares.1).sqrt();
    // 0 where the numbers differ by less than their squares can tell.
    if scale > 0.0 { Ok((products / scale).clamp(-1.0, 1.0)) } else { Err(Undefined::ZeroVariance) }
}

/// Spearman's ρ of pairs of numbers: Pearson's r of their mid-ranks.
///
/// # Errors
/// As [`pearson_of_values`].
pub fn spearman_of_values(pairs: &[(f64, f64)]) -> Measure {
    let pairs = without_rounding(pairs);
    let ranks = |side: fn(&(f64, f64)) -> f64| {
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.sort_by(|one, other| side(&pairs[*one]).total_cmp(&side(&pairs[*other])));
        let mut ranks = vec![0.0; pairs.len()];
        let mut before = 0_u64;
        for tied in order.chunk_by(|one, other| side(&pairs[*one]) == side(&pairs[*other])) {
            let count = tied.len() as u64;
            tied.iter().for_each(|at| ranks[*at] = real(before) + (real(count) + 1.0) / 2.0);
            before += count;
        }
        ranks
    };
    let ranked: Vec<(f64, f64)> = ranks(|pair| pair.0).into_iter().zip(ranks(|pair| pair.1)).collect();
    pearson_of_values(&ranked)
}

/// Kendall's τ_b of pairs of numbers (Kendall 1945, Biometrika 33:239), in n log n steps (Knight 1966, JASA 61:436).
///
/// # Errors
/// As [`pearson_of_values`].
pub fn kendall_of_values(pairs: &[(f64, f64)]) -> Measure {
    Undefined::TooFewItems.when(pairs.len() < 2)?;
    let couples = |count: usize| real(count as u64) * (real(count as u64) - 1.0) / 2.0;
    let mut ordered = without_rounding(pairs);
    ordered.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let first: f64 = ordered.chunk_by(|one, other| one.0 == other.0).map(|tied| couples(tied.len())).sum();
    let both: f64 = ordered.chunk_by(|one, other| one == other).map(|tied| couples(tied.len())).sum();
    let mut seconds: Vec<f64> = ordered.iter().map(|pair| pair.1).collect();
    let discordant = inversions(&mut seconds);
    let second: f64 = seconds.chunk_by(|one, other| one == other).map(|tied| couples(tied.len())).sum();
    let all = couples(pairs.len());
    let scale = ((all - first) * (all - second)).sqrt();
    let concordant = all - first - second + both - discordant;
    if scale > 0.0 {
        Ok(((concordant - discordant) / scale).clamp(-1.0, 1.0))
    } else {
        Err(Undefined::ZeroVariance)
    }
}

/// Sorts numbers, and returns how many pairs of them stood the wrong way round.
pub(super) fn inversions(numbers: &mut [f64]) -> f64 {
    if numbers.len() < 2 {
        return 0.0;
    }
    let (left, right) = numbers.split_at_mut(numbers.len() / 2);
    let mut count = inversions(left) + inversions(right);
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    let mut merged = Vec::with_capacity(left.len() + right.len());
    while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
        if one <= other {
            merged.extend(left.next());
        } else {
            count += real(left.len() as u64);
            merged.extend(right.next());
        }
    }
    merged.extend(left.chain(right));
    numbers.copy_from_slice(&merged);
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of (1,1), (2,4), (3,4), (4,2): ranks of the second side 1, 3.5, 3.5, 2; deviations (-1.5, -.5, .5, 1.5) and (-1.5, 1, 1,
    /// -.5): products 1.5, squares 5 and 4.5. Of six pairs 3 agree, 2 differ and one is tied: 1 / √(6 · 5).
    #[test]
    fn ranks_correlate() {
        let pairs = [(3.0, 4.0), (1.0, 1.0), (4.0, 2.0), (2.0, 4.0)];
        assert!((spearman_of_values(&pairs).unwrap() - 1.5 / 22.5_f64.sqrt()).abs() < 1e-12);
        assert!((kendall_of_values(&pairs).unwrap() - 1.0 / 30.0_f64.sqrt()).abs() < 1e-12);
        let reversed = [(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)];
        assert_eq!(kendall_of_values(&reversed), Ok(-1.0));
        assert_eq!(kendall_of_values(&[(1.0, 2.0), (2.0, 2.0)]), Err(Undefined::ZeroVariance));
    }

    #[test]
    fn numbers_correlate() {
        // Deviations (-1, 0, 1) and (-2, 1, 1): products 3, squares 2 and 6; 3 / √12.
        let pairs = [(1.0, 1.0), (2.0, 4.0), (3.0, 4.0)];
        assert!((pearson_of_values(&pairs).unwrap() - 3.0 / 12.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(pearson_of_values(&pairs[..1]), Err(Undefined::TooFewItems));
        assert_eq!(pearson_of_values(&[(1.0, 2.0), (1.0, 3.0)]), Err(Undefined::ZeroVariance));
        assert_eq!(pearson_of_values(&[(1.0, 2.0), (2.0, 2.0)]), Err(Undefined::ZeroVariance));
    }
}
