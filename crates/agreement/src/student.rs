//! Student's t distribution, as far as intervals need it.

use std::f64::consts::PI;

use super::Interval;

/// From here on four terms of the asymptotic expansion are exact to the last digits.
const ASYMPTOTIC: f64 = 500.0;

/// The 0.975 quantile of Student's t distribution for any real number of degrees of freedom; infinite where it is not above 0.
///
/// Below 500 degrees of freedom by Newton's method from the series that the recurrence of Abramowitz & Stegun 1964, 26.7.3–4,
/// makes when it is never ended; from there on by their expansion 26.7.5. Relative error below 1e-12.
#[must_use]
pub fn quantile_975(degrees_of_freedom: f64) -> f64 {
    match degrees_of_freedom {
        ..=0.0 => f64::INFINITY,
        ..ASYMPTOTIC => solve(degrees_of_freedom),
        _ => expand(degrees_of_freedom),
    }
}

/// P(T ≤ t) of Student's t distribution with any real number of degrees of freedom above 0.
#[must_use]
pub fn below(t: f64, degrees_of_freedom: f64) -> f64 {
    let first = first_factor(degrees_of_freedom);
    let beyond = if t.abs() < SMALL {
        // The density at 0 times the way there; the series of what lies beyond would not end.
        let density = first * degrees_of_freedom.sqrt() / 2.0;
        1.0 - 2.0
            * density
            * t.abs()
            * (1.0 - (degrees_of_freedom + 1.0) * t * t / (6.0 * degrees_of_freedom))
    } else {
        two_sided(degrees_of_freedom, first, (t.abs() / degrees_of_freedom.sqrt()).atan()).0
    };
    if t < 0.0 { beyond / 2.0 } else { 1.0 - beyond / 2.0 }
}

/// From here on the series of what lies beyond ends soon.
const SMALL: f64 = 1e-3;

/// P(|Z| > |z|) of the standard normal distribution.
#[must_use]
pub fn beyond_normal(z: f64) -> f64 {
    libm::erfc(z.abs() / std::f64::consts::SQRT_2)
}

/// √ν tan θ for the angle θ beyond which 0.05 lies. It is reached from the normal quantile, which is on the left of it: the
/// probability beyond is convex in θ, so no step overshoots.
fn solve(degrees_of_freedom: f64) -> f64 {
    let first = first_factor(degrees_of_freedom);
    let mut angle = (Interval::NORMAL / degrees_of_freedom.sqrt()).atan();
    for _ in 0..60 {
        let (beyond, slope) = two_sided(degrees_of_freedom, first, angle);
        let step = (beyond - 0.05) / slope;
        angle += step;
        if step.abs() <= 1e-15 {
            break;
        }
    }
    angle.tan() * degrees_of_freedom.sqrt()
}

/// P(|T| > √ν tan θ) = sin θ Σ_j c_(ν+2j) cos^(ν+2j) θ with c_ν = Γ((ν+1)/2) / (√π Γ(ν/2 + 1)), and how fast it falls with θ,
/// ν c_ν cos^(ν−1) θ. `first` is c_ν.
fn two_sided(degrees_of_freedom: f64, first: f64, angle: f64) -> (f64, f64) {
    let (sine, cosine) = angle.sin_cos();
    let (mut term, mut k, mut sum) =
        (first * sine * cosine.powf(degrees_of_freedom), degrees_of_freedom, 0.0);
    while term > sum * 1e-17 {
        sum += term;
        k += 2.0;
        term *= (k - 1.0) / k * cosine * cosine;
    }
    (sum, degrees_of_freedom * first * cosine.powf(degrees_of_freedom - 1.0))
}

/// c_ν, from the expansion of Γ(x + 1/2)/Γ(x) for large x = ν/2 (Abramowitz & Stegun 1964, 6.1.47), to which the recurrence of
/// Γ leads.
fn first_factor(degrees_of_freedom: f64) -> f64 {
    let (mut nu, mut ratio) = (degrees_of_freedom, 1.0);
    while nu < 100.0 {
        ratio *= nu / (nu + 1.0);
        nu += 2.0;
    }
    let x = 1.0 / (4.0 * nu);
    let terms = [-49.875, -2.625, 2.5, 0.5, -1.0, 1.0];
    let series = terms.iter().fold(0.0, |sum, factor| sum * x + factor);
    ratio * (nu / 2.0).sqrt() * series * 2.0 / (degrees_of_freedom * PI.sqrt())
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
        close(quantile_975(1.0), (0.475 * std::f64::consts::PI).tan());
        close(quantile_975(2.0), 0.95 * (2.0 / (1.0_f64 - 0.95 * 0.95)).sqrt());
        // Shaw 2006, Journal of Computational Finance 9(4): ν = 4 in terms of α = 4 p (1−p).
        let alpha: f64 = 4.0 * 0.975 * 0.025;
        close(quantile_975(4.0), 2.0 * ((alpha.sqrt().acos() / 3.0).cos() / alpha.sqrt() - 1.0).sqrt());
    }

    /// From the incomplete beta function with 30 digits (mpmath), outside this program.
    #[test]
    fn computed_with_more_digits() {
        close(quantile_975(1.5), 6.016_663_104_427_931);
        close(quantile_975(2.5), 3.574_654_842_003_683);
        close(quantile_975(7.25), 2.348_194_849_105_372);
        close(quantile_975(123.4), 1.979_374_946_317_42);
        close(quantile_975(498.5), 1.964_734_182_155_579);
        close(quantile_975(6.0), 2.446_911_851_144_97);
        close(quantile_975(39.0), 2.022_690_920_036_761);
        close(quantile_975(55.0), 2.004_044_783_289_146);
        close(quantile_975(199.0), 1.971_956_544_251_754);
        close(quantile_975(499.0), 1.964_729_390_987_689);
    }

    /// ν = 1 and 2 have closed forms; t of the quantile lies where 0.975 does.
    #[test]
    fn what_lies_below() {
        for t in [-3.0_f64, -0.5, -1e-4, 0.0, 5e-4, 1.0, 4.0] {
            close(below(t, 1.0), 0.5 + t.atan() / std::f64::consts::PI);
            close(below(t, 2.0), 0.5 + t / (2.0 * (2.0 + t * t).sqrt()));
        }
        for degrees in [3.0, 29.0, 57.0, 300.0] {
            close(below(quantile_975(degrees), degrees), 0.975);
            close(below(-quantile_975(degrees), degrees), 0.025);
        }
        close(beyond_normal(Interval::NORMAL), 0.05);
    }

    #[test]
    fn integrating_the_density_gives_the_probability() {
        for degrees in [3.0, 4.5, 5.5, 6.0, 29.0, 99.9, 223.0, 499.0] {
            let quantile = quantile_975(degrees);
            let density = |t: f64| (1.0 + t * t / degrees).powf(-(degrees + 1.0) / 2.0);
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
        for degrees in [400.0, 498.5, 500.0, 600.5, 1418.0] {
            close(solve(degrees), expand(degrees));
        }
        close(quantile_975(1e18), Interval::NORMAL);
        assert!(quantile_975(0.0).is_infinite());
    }
}
