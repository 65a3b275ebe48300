//! How much more judging brings an interval to a wanted width.

use super::{
    ClusterLabels, Clusters, CoefficientRange, Counts, Definition, Interval, Jackknife, Measure, NumberRange,
    Ratings, Undefined, delete_each, real,
};

/// The most clusters of a plan: nobody judges more.
const MOST: u64 = 1 << 40;

/// The most annotators that are left out one by one; of more, as many are, evenly spaced in their order.
const MOST_LEFT_OUT: usize = 100;

/// The judging that brings the half of an interval's width to a wanted one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntervalPlan {
    /// The present interval.
    pub interval: Interval,
    /// Clusters that hold an item that is rated twice or more now.
    pub clusters: u64,
    /// Items that are rated twice or more now.
    pub items: u64,
    /// The need with the same annotators.
    pub needed: Needed,
    /// The need when each item is rated once more.
    pub with_one_more: Result<WithOneMore, Undefined>,
}

/// Clusters of the size they have now, and the items in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needed {
    pub clusters: u64,
    pub items: u64,
    /// How rough the plan is: the clusters it takes if the variance is at either end of its own 95 %
    /// interval.
    pub between: (u64, u64),
}

/// The need when each item has one rating more than now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithOneMore {
    /// The expected need; with two annotators the least it can be.
    pub needed: Needed,
    /// The most it can be, where two annotators cannot tell.
    pub at_most: Option<Needed>,
}

impl IntervalPlan {
    /// The plan for one coefficient of a table.
    ///
    /// - The interval is that of [`Jackknife`]; its variance goes with 1/(number of clusters), which are taken to stay as large
    ///   as they are, and the labels to vary in as large a part of them. At least three are needed.
    /// - The variance of C clusters is itself known as that of a sample: (C−1)/χ²(C−1) times it.
    /// - The variance over c clusters with r ratings an item is taken as (σ²_items + σ²_raters/r)/c, the
    ///   error variance of a decision study (Brennan 2001, Generalizability Theory, ch. 4). It is estimated once with all
    ///   annotators and once with each of them left out in turn, or a hundred of more; these two give both parts,
    ///   none below 0.
    /// - Two annotators cannot be left out one by one; σ²_items is then anything from 0 to all of the variance, and so are the
    ///   bounds.
    ///
    /// # Errors
    /// Undefined where the interval is.
    pub fn of(
        ratings: &Ratings,
        clusters: &Clusters,
        definition: &Definition,
        wanted: f64,
    ) -> Result<Self, Undefined> {
        // The plan is for a sample like this one.
        let clusters = &clusters.plain();
        let counts = Counts::of(ratings);
        let placed = definition.placed(&counts).unwrap_or(Err(Undefined::NoPairableItems))?;
        let (found, labels, _) = jackknife(ratings, clusters, definition);
        let range = definition.range(Ok(placed), &labels, &counts.codes);
        let interval = found.interval(Ok(placed.value), range)?;
        let items = counts.items_pairable();
        // `part`: a variance as a part of the present one.
        let needed = |part: f64| {
            let clusters = |factor: f64| {
                let half = |clusters: u64| {
                    let size = real(clusters) / real(found.clusters);
                    let less = (part * factor / size).sqrt();
                    let planned = Jackknife {
                        clusters,
                        strata: 1,
                        se: found.se.map(|se| se * less),
                        lowest_se: found.lowest_se * less,
                    };
                    let interval = planned.interval(Ok(placed.value), grown(range, size));
                    interval.map_or(f64::INFINITY, |interval| (interval.high - interval.low) / 2.0)
                };
                fewest(|clusters| half(clusters) <= wanted)
            };
            let freedom = found.clusters - 1;
            let [low, high] = [0.975, 0.025].map(|share| real(freedom) / chi_squared(share, freedom));
            let number = clusters(1.0);
            let items = (real(number) * real(items) / real(found.clusters)).ceil() as u64;
            Needed { clusters: number, items, between: (clusters(low), clusters(high)) }
        };
        let with_one_more = one_more(ratings, clusters, definition)
            .map(|(least, most)| WithOneMore { needed: needed(least), at_most: most.map(needed) });
        Ok(Self { interval, clusters: found.clusters, items, needed: needed(1.0), with_one_more })
    }
}

/// The range where there are so many times the clusters, and labels vary in them as now.
fn grown(range: NumberRange, size: f64) -> NumberRange {
    let NumberRange::Coefficient(CoefficientRange { lowest, effective }) = range else { return range };
    NumberRange::Coefficient(CoefficientRange {
        lowest,
        effective: effective.map(|effective| effective * size),
    })
}

/// The fewest clusters from three on that are enough, [`MOST`] where more are not enough.
fn fewest(is_enough: impl Fn(u64) -> bool) -> u64 {
    let mut enough = 3;
    while enough < MOST && !is_enough(enough) {
        enough *= 2;
    }
    let (mut low, mut high) = (3, enough.min(MOST));
    while low < high {
        let middle = u64::midpoint(low, high);
        if is_enough(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

/// The quantile of the χ² distribution, by bisection of the series of its distribution function,
/// (x/2)^(ν/2) e^(−x/2) Σ_n (x/2)^n / Γ(ν/2 + n + 1) (Abramowitz & Stegun 1964, 26.4.6).
fn chi_squared(share: f64, freedom: u64) -> f64 {
    // Beyond 300 the cube of a normal number is as good (Wilson & Hilferty 1931, PNAS 17:684).
    if freedom > 300 {
        let part = 2.0 / (9.0 * real(freedom));
        let z = if share > 0.5 { Interval::NORMAL } else { -Interval::NORMAL };
        return real(freedom) * (1.0 - part + z * part.sqrt()).powi(3);
    }
    let below = |x: f64| {
        // The first term, x/2 to the ν/2 over Γ(ν/2 + 1), factor by factor.
        let (half, odd) = (x / 2.0, freedom % 2);
        let mut term =
            (-half).exp() * if odd == 1 { 2.0 * (half / std::f64::consts::PI).sqrt() } else { 1.0 };
        let mut factor = 1.0 + real(odd) / 2.0;
        while factor <= real(freedom) / 2.0 {
            term *= half / factor;
            factor += 1.0;
        }
        let mut sum = 0.0;
        while term > sum * 1e-16 {
            sum += term;
            term *= half / factor;
            factor += 1.0;
        }
        sum
    };
    let (mut low, mut high) = (0.0, 1_000.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if below(middle) < share { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// The variance with one rating more an item, as a part of the present one; with two annotators the bounds of it.
fn one_more(
    ratings: &Ratings,
    clusters: &Clusters,
    definition: &Definition,
) -> Result<(f64, Option<f64>), Undefined> {
    let variance = |(found, _, r): (Jackknife, ClusterLabels, Measure)| Ok((found.se?.powi(2), r?));
    let (present, r) = variance(jackknife(ratings, clusters, definition))?;
    let raters = ratings.raters().len();
    if raters < 3 {
        return Ok((r / (r + 1.0), Some(1.0)));
    }
    let left_out = (0..raters).step_by(raters.div_ceil(MOST_LEFT_OUT));
    let without = left_out.map(|rater| variance(jackknife(&ratings.without(rater), clusters, definition)));
    // Without one of the annotators there may be nothing left to compare.
    let known: Vec<(f64, f64)> = without.filter_map(|found: Result<_, Undefined>| found.ok()).collect();
    Undefined::TooFewItems.when(known.is_empty())?;
    let mean = |of: fn(&(f64, f64)) -> f64| known.iter().map(of).sum::<f64>() / real(known.len() as u64);
    let (fewer, inverse) = (mean(|(variance, _)| *variance), mean(|(_, r)| 1.0 / r));
    // present = a + b/r and fewer = a + b·inverse, so far as both parts are at least 0.
    let b = ((fewer - present) / (inverse - 1.0 / r)).clamp(0.0, present * r);
    Ok(((present - b / r + b / (r + 1.0)) / present, None))
}

/// The coefficient without each cluster, the labels of these, and the mean number of ratings of a pairable item.
fn jackknife(
    ratings: &Ratings,
    clusters: &Clusters,
    definition: &Definition,
) -> (Jackknife, ClusterLabels, Measure) {
    let counts = Counts::of(ratings);
    let (found, labels) = delete_each(&counts, clusters, &[definition]);
    let r = match counts.items_pairable() {
        0 => Err(Undefined::NoPairableItems),
        items => Ok(real(counts.ratings_pairable()) / real(items)),
    };
    (found.into_iter().next().unwrap_or_else(|| Jackknife::of([])), labels, r)
}

#[cfg(test)]
mod tests {
    use super::super::Scale;
    use super::*;

    fn table(items: &[&str]) -> Ratings {
        crate::tests::on(Scale::Nominal, "abc", items)
    }

    fn definition(name: &str) -> &'static Definition {
        Definition::named(name).expect("in the table")
    }

    const TEN: [&str; 10] = ["aa", "aa", "aa", "aa", "bb", "bb", "bb", "ab", "ab", "ba"];

    fn plan(wanted: f64) -> IntervalPlan {
        let agreement = definition("percent_agreement_items");
        IntervalPlan::of(&table(&TEN), &Clusters::items(), agreement, wanted).expect("defined")
    }

    /// The jackknife of a mean is its usual variance: of 10 shares, 7 of them 1, Σ (x − 0.7)² = 2.1, over 10 · 9. With n items
    /// logit 0.7 ± t · √(0.7 · 0.3 · 10/9 / n) / 0.21.
    #[test]
    fn so_many_clusters_are_needed() {
        let found = plan(0.1);
        let half = |n: u64| {
            let reach = crate::quantile_975(real(n - 1)) * (2.1 / 9.0 / real(n)).sqrt() / 0.21;
            let share = |z: f64| 1.0 / (1.0 + (-z).exp());
            let logit = (0.7_f64 / 0.3).ln();
            (share(logit + reach) - share(logit - reach)) / 2.0
        };
        let Needed { clusters, items, between } = found.needed;
        assert!(half(clusters) <= 0.1 && half(clusters - 1) > 0.1, "{clusters}");
        assert_eq!((found.clusters, found.items, items), (10, 10, clusters));
        // χ²(9) has the quantiles 2.7004 and 19.0228: 0.473 to 3.333 times the variance.
        let ratio = |number: u64| real(number) / real(clusters);
        assert!(
            (ratio(between.0) - 0.473).abs() < 0.05 && (ratio(between.1) - 3.333).abs() < 0.1,
            "{between:?}"
        );
        // With a third annotator at least 2/3 of the variance stays.
        let more = found.with_one_more.expect("defined");
        assert!((ratio(more.needed.clusters) - 2.0 / 3.0).abs() < 0.05, "{more:?}");
        assert_eq!(more.at_most, Some(found.needed));
        // Never fewer than an interval takes.
        assert_eq!((plan(0.497).needed.clusters, plan(0.497).needed.between.0), (3, 3));
    }

    /// Quantiles from tables (Abramowitz & Stegun 1964, table 26.8).
    #[test]
    fn quantiles_of_chi_squared() {
        for (share, freedom, wanted) in [
            (0.975, 1, 5.023_89),
            (0.025, 2, 0.050_635_6),
            (0.975, 2, 7.377_76),
            (0.025, 9, 2.700_39),
            (0.975, 9, 19.022_8),
            (0.025, 30, 16.790_8),
            (0.975, 100, 129.561),
        ] {
            let found = chi_squared(share, freedom);
            assert!((found / wanted - 1.0).abs() < 1e-5, "{freedom}: {found} instead of {wanted}");
        }
        let both = [300, 301].map(|freedom| chi_squared(0.025, freedom) / real(freedom));
        assert!((both[0] / both[1] - 1.0).abs() < 1e-3, "{both:?}");
    }

    /// Four annotators say b for a third of the items each, independently of item and each other: the agreement of an item with
    /// r of them has the variance 4(r−2)/(r(r−1)) · 2/81 + 2/(r(r−1)) · 20/81, 0.058 for r = 4 and 0.099 for r = 3. That falls
    /// faster than 1/r, so all of it is the annotators', and a fifth one leaves 4/5.
    #[test]
    fn one_more_annotator_takes_off_what_is_theirs() {
        let says =
            |item: u32, rater: u32| if (item / 3_u32.pow(rater)).is_multiple_of(3) { 'b' } else { 'a' };
        let all: Vec<String> = (0..81).map(|item| (0..4).map(|rater| says(item, rater)).collect()).collect();
        let rows: Vec<&str> = all.iter().map(String::as_str).collect();
        let agreement = definition("percent_agreement_items");
        let (ratio, most) = one_more(&table(&rows), &Clusters::items(), agreement).expect("defined");
        assert!((ratio - 0.8).abs() < 1e-9 && most.is_none(), "{ratio}");
        // Items on which all agree or nobody does: any two annotators say as much as three, and a fourth adds nothing.
        let rows: Vec<&str> = (0..20).map(|item| if item % 2 == 0 { "aaa" } else { "abc" }).collect();
        let (ratio, _) = one_more(&table(&rows), &Clusters::items(), agreement).expect("defined");
        assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
    }

    #[test]
    fn no_interval_no_plan() {
        let alpha = definition("krippendorff_alpha_nominal");
        let plan = |items: &[&str]| IntervalPlan::of(&table(items), &Clusters::items(), alpha, 0.05);
        assert_eq!(plan(&["aa", "ab"]), Err(Undefined::TooFewClusters));
        // One item holds all that varies.
        assert_eq!(plan(&["aa", "aa", "aa", "bb"]), Err(Undefined::UndefinedWithoutACluster));
    }

    /// Four items and no disagreement, two labels equally often: α from L + (1 − L) b to 1, with b = 0.025^(1/n) for n items.
    #[test]
    fn without_disagreement_the_exact_bound_is_planned() {
        let alpha = definition("krippendorff_alpha_nominal");
        let found = IntervalPlan::of(&table(&["aa", "bb", "aa", "bb"]), &Clusters::items(), alpha, 0.05);
        let found = found.expect("defined");
        // L = 1 − 7 · 8/(2 · 4 · 4) = −0.75.
        let half = |n: u64| (1.75 * (1.0 - 0.025_f64.powf(1.0 / real(n)))) / 2.0;
        let needed = found.needed.clusters;
        assert!(half(needed) <= 0.05 && half(needed - 1) > 0.05, "{needed}");
        assert_eq!(found.with_one_more, Err(Undefined::NoVariation));
    }
}
