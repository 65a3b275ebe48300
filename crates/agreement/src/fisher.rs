//! Fisher's F distribution, as far as intervals need it.

/// The 0.975 quantile of F with any real numbers of degrees of freedom above 0, by halving its logarithm. Relative error below
/// 1e-10.
#[must_use]
pub fn quantile_975(of_numerator: f64, of_denominator: f64) -> f64 {
    let (mut low, mut high) = (-80.0_f64, 80.0_f64);
    for _ in 0..120 {
        let middle = f64::midpoint(low, high);
        if above(middle.exp(), of_numerator, of_denominator) > 0.025 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high).exp()
}

/// P(F > f).
#[must_use]
pub fn above(f: f64, of_numerator: f64, of_denominator: f64) -> f64 {
    let sum = of_numerator * f + of_denominator;
    incomplete_beta(of_denominator / 2.0, of_numerator / 2.0, of_denominator / sum, of_numerator * f / sum)
}

/// I_x(a, b) with y = 1 − x, by the continued fraction of Abramowitz & Stegun 1964, 26.5.8, made with the algorithm of Lentz
/// (Press et al. 1992, Numerical Recipes in C, 6.4).
fn incomplete_beta(a: f64, b: f64, x: f64, y: f64) -> f64 {
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, y, x);
    }
    if x <= 0.0 {
        return 0.0;
    }
    let log = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * x.ln() + b * y.ln();
    let apart = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / apart(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    let mut m = 1.0;
    while m < 10_000.0 {
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut step = 1.0;
        for part in [even, odd] {
            d = 1.0 / apart(1.0 + part * d);
            c = apart(1.0 + part / c);
            step = c * d;
            fraction *= step;
        }
        if (step - 1.0).abs() < 1e-15 {
            break;
        }
        m += 1.0;
    }
    log.exp() * fraction / a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, wanted: f64) {
        assert!((found / wanted - 1.0).abs() < 1e-10, "{found} instead of {wanted}");
    }

    /// F with two degrees of freedom above has a closed form, and t² is F(1, ν).
    #[test]
    fn closed_forms() {
        for nu in [1.0, 2.5, 7.0, 120.0] {
            close(quantile_975(2.0, nu), nu / 2.0 * (0.025_f64.powf(-2.0 / nu) - 1.0));
            let t = crate::quantile_975(nu);
            close(above(t * t, 1.0, nu), 0.05);
            for f in [0.1, 1.0, 3.0] {
                close(above(f, 4.5, nu), 1.0 - above(1.0 / f, nu, 4.5));
            }
        }
    }
}
