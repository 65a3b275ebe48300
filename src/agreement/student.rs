//! Student's t distribution, as far as intervals need it.

use std::f64::consts::{FRAC_1_PI, FRAC_2_PI};

use super::coefficient::Interval;
use super::histogram::real;

/// From here on four terms of the asymptotic expansion are exact to the last digits.
const ASYMPTOTIC: u64 = 500;

/// The 0.975 quantile of Student's t distribution; infinite for 0 degrees of freedom.
///
/// Below 500 degrees of freedom from the exact finite series of Abramowitz & Stegun 1964, 26.7.3–4, by
/// Newton's method; from there on by their expansion 26.7.5. Relative error below 1e-12.
#[must_use]
pub fn quantile_975(degrees_of_freedom: u64) -> f64 {
    match degrees_of_freedom {
        0 => f64::INFINITY,
        1..ASYMPTOTIC => solve(degrees_of_freedom),
        _ => expand(real(degrees_of_freedom)),
    }
}

/// √ν tan θ for the angle θ with A(θ) = 0.95, reached from the left: A is concave, so no step overshoots.
fn solve(degrees_of_freedom: u64) -> f64 {
    let mut angle: f64 = 0.0;
    for _ in 0..60 {
        let (within, slope) = two_sided(degrees_of_freedom, angle);
        let step = (0.95 - within) / slope;
        angle += step;
        if step.abs() <= 1e-16 {
            break;
        }
    }
    angle.tan() * real(degrees_of_freedom).sqrt()
}

/// A(θ) = P(|T| ≤ √ν tan θ) and its derivative 2 Γ((ν+1)/2) / (√π Γ(ν/2)) cos^(ν−1) θ.
fn two_sided(degrees_of_freedom: u64, angle: f64) -> (f64, f64) {
    let (sine, cosine) = angle.sin_cos();
    let odd = degrees_of_freedom % 2;
    let (mut term, mut slope, mut sum) = if odd == 1 { (cosine, FRAC_2_PI, 0.0) } else { (1.0, cosine, 0.0) };
    let mut k = odd;
    while k < degrees_of_freedom {
        sum += term;
        term *= real(k + 1) / real(k + 2) * cosine * cosine;
        if k > 0 {
            slope *= real(k + 1) / real(k) * cosine * cosine;
        }
        k += 2;
    }
    let within = if odd == 1 { 2.0 * FRAC_1_PI * (angle + sine * sum) } else { sine * sum };
    (within, slope)
}

fn expand(degrees_of_freedom: f64) -> f64 {
    let z = Interval::NORMAL;
    let polynomial =
        |coefficients: &[f64]| z * coefficients.iter().fold(0.0, |sum, factor| sum * z * z + factor);
    let terms = [
        polynomial(&[1.0, 1.0]) / 4.0,
        polynomial(&[5.0, 16.0, 3.0]) / 96.0,
        polynomial(&[3.0, 19.0, 17.0, -15.0]) / 384.0,
        polynomial(&[79.0, 776.0, 1482.0, -1920.0, -945.0]) / 92_160.0,
    ];
    z + terms.iter().rev().fold(0.0, |sum, term| (sum + term) / degrees_of_freedom)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, wanted: f64) {
        assert!((found / wanted - 1.0).abs() < 1e-12, "{found} instead of {wanted}");
    }

    #[test]
    fn closed_forms() {
        close(quantile_975(1), (0.475 * std::f64::consts::PI).tan());
        close(quantile_975(2), 0.95 * (2.0 / (1.0_f64 - 0.95 * 0.95)).sqrt());
        // Shaw 2006, Journal of Computational Finance 9(4): ν = 4 in terms of α = 4 p (1−p).
        let alpha: f64 = 4.0 * 0.975 * 0.025;
        close(quantile_975(4), 2.0 * ((alpha.sqrt().acos() / 3.0).cos() / alpha.sqrt() - 1.0).sqrt());
    }

    /// By bisection of the same series in 40-digit decimal arithmetic, outside this program.
    #[test]
    fn computed_with_more_digits() {
        close(quantile_975(6), 2.446_911_851_144_97);
        close(quantile_975(39), 2.022_690_920_036_761);
        close(quantile_975(55), 2.004_044_783_289_146);
        close(quantile_975(199), 1.971_956_544_251_754);
        close(quantile_975(499), 1.964_729_390_987_689);
    }

    #[test]
    fn integrating_the_density_gives_the_probability() {
        for degrees in [3, 5, 6, 10, 11, 29, 99, 223, 499] {
            let quantile = quantile_975(degrees);
            let nu = real(degrees);
            let density = |t: f64| (1.0 + t * t / nu).powf(-(nu + 1.0) / 2.0);
            // Simpson's rule over the half line, t = u / (1 − u).
            let simpson = |from: f64, to: f64| {
                let steps = 200_000;
                let width = (to - from) / f64::from(steps);
                let point = |step: i32| {
                    let u = from + f64::from(step) * width;
                    if u >= 1.0 { 0.0 } else { density(u / (1.0 - u)) / (1.0 - u).powi(2) }
                };
                let weight = |step| {
                    if step == 0 || step == steps { 1.0 } else { 2.0 + 2.0 * f64::from(step % 2) }
                };
                (0..=steps).map(|step| weight(step) * point(step)).sum::<f64>() * width / 3.0
            };
            let within = simpson(0.0, quantile / (1.0 + quantile));
            assert!((within / simpson(0.0, 1.0) - 0.95).abs() < 1e-11, "{degrees} degrees of freedom");
        }
    }

    #[test]
    fn the_two_methods_meet_and_tend_to_the_normal() {
        for degrees in [400, 499, 500, 600, 1418] {
            close(solve(degrees), expand(real(degrees)));
        }
        close(quantile_975(u64::MAX), Interval::NORMAL);
        assert!(quantile_975(0).is_infinite());
    }
}
