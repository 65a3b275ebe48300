use super::*;
use crate::{Category, Coefficient, Intervals, Ratings, RatingsBuilder, Scale};

/// Each item is a text of labels, one a rater.
fn table<'a>(items: impl IntoIterator<Item = &'a str>) -> Ratings {
    let mut table =
        RatingsBuilder::new(Scale::Ordinal, Category::numbered(["a", "b", "c"])).expect("a good schema");
    for (number, item) in items.into_iter().enumerate() {
        for (rater, label) in item.chars().enumerate() {
            table.add(&number.to_string(), &rater.to_string(), &label.to_string()).expect("a new cell");
        }
    }
    table.finish()
}

fn find(coefficients: &[Coefficient], name: &str) -> Coefficient {
    let found = coefficients.iter().find(|coefficient| coefficient.name == name);
    found.cloned().unwrap_or_else(|| panic!("no {name}"))
}

fn interval(ratings: &Ratings, clusters: &Clusters, name: &str) -> Result<Interval, Undefined> {
    let bootstrap = Intervals::Bootstrap(Bootstrap { resamples: 2000, seed: 7 });
    find(&bootstrap.coefficients(ratings, clusters), name).interval.expect("it was asked for")
}

const CLUSTERS: ClusterCount = ClusterCount { number: 9, effective: None };

/// 50 items, 35 of them with equal labels: the number of agreeing items in a resample is binomial with n = 50 and
/// p = 0.7, standard deviation √(0.7 · 0.3 / 50) = 0.0648. Its 2.5 % and 97.5 % quantiles are 28/50 and 41/50
/// (P(X ≤ 27) = 0.0221, P(X ≤ 28) = 0.0416, P(X ≤ 40) = 0.9598, P(X ≤ 41) = 0.9811).
#[test]
fn a_share_has_the_interval_of_its_binomial() {
    let items = ["aa"; 20].into_iter().chain(["bb"; 15]).chain(["ab"; 15]);
    let found = interval(&table(items), &Clusters::items(), "percent_agreement").expect("defined");
    assert_eq!(found.method, Method::Bootstrap);
    assert!((found.low - 0.56).abs() < 0.021 && (found.high - 0.82).abs() < 0.021, "{found:?}");
}

/// Ten copies of every item in one cluster say no more than one: the interval is that of 50 items, not of 500.
#[test]
fn items_of_a_cluster_are_drawn_together() {
    let kinds = || ["aa"; 20].into_iter().chain(["bb"; 15]).chain(["ab"; 15]);
    let copies = table(kinds().flat_map(|item| [item; 10]));
    let of_item = (0..500).map(|item| item / 10).collect();
    let together = interval(&copies, &Clusters::of(of_item), "percent_agreement").expect("defined");
    let apart = interval(&copies, &Clusters::items(), "percent_agreement").expect("defined");
    assert!((together.low - 0.56).abs() < 0.021 && (together.high - 0.82).abs() < 0.021, "{together:?}");
    // A tenth of the variance: ± 1.96 · 0.0648 / √10 = ± 0.040.
    assert!((apart.low - 0.66).abs() < 0.01 && (apart.high - 0.74).abs() < 0.01, "{apart:?}");
}

#[test]
fn both_ways_of_drawing_have_the_mean_and_variance_of_a_multinomial() {
    // Few kinds are drawn as binomials, many as single clusters; the first kind has a tenth of 100 clusters in both.
    let few: Vec<u64> = vec![10, 20, 30, 40];
    let many: Vec<u64> = [10].into_iter().chain([1; 90]).collect();
    for sizes in [few, many] {
        let urn = Urn::of(&sizes);
        let mut times = vec![0; sizes.len()];
        let draws: Vec<f64> = (0..4000)
            .map(|number| {
                urn.draw(&mut Bootstrap { resamples: 0, seed: 3 }.stream(number), &mut times);
                assert_eq!(times.iter().sum::<u64>(), 100);
                f64::from(u32::try_from(times[0]).expect("at most 100"))
            })
            .collect();
        let mean = draws.iter().sum::<f64>() / 4000.0;
        let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / 4000.0;
        // Binomial, n = 100 and p = 0.1: mean 10 ± 3/√4000 · 3, variance 9.
        assert!((mean - 10.0).abs() < 0.15 && (variance - 9.0).abs() < 0.7, "{mean} {variance}");
    }
}

#[test]
fn the_seed_decides_and_the_number_of_threads_does_not() {
    let ratings = table(["aa", "bb", "ab", "cc", "bc", "aa", "ca", "bb"]);
    let of = |seed| {
        let bootstrap = Intervals::Bootstrap(Bootstrap { resamples: 200, seed });
        bootstrap.coefficients(&ratings, &Clusters::items())
    };
    assert_eq!(of(1), of(1));
    let ends = |seed| find(&of(seed), "krippendorff_alpha_ordinal").interval;
    assert_ne!(ends(1), ends(2));
}

#[test]
fn every_interval_is_made_in_the_way_that_is_asked_for() {
    let ratings = table(["aa", "bb", "ab", "cc", "bc", "aa", "ca", "bb"]);
    let of = |intervals: Intervals, name| {
        find(&intervals.coefficients(&ratings, &Clusters::items()), name).interval
    };
    let bootstrap = Intervals::Bootstrap(Bootstrap { resamples: 100, seed: 1 });
    for (intervals, method) in [
        (Intervals::Jackknife, Method::Jackknife),
        (bootstrap, Method::Bootstrap),
        (Intervals::Formula, Method::Formula),
    ] {
        let found = of(intervals, "cohen_kappa").expect("asked for").expect("defined");
        assert_eq!(found.method, method);
    }
    let without_formula = of(Intervals::Formula, "krippendorff_alpha_ordinal");
    assert_eq!(without_formula, Some(Err(Undefined::NoFormula)));
    let none = Intervals::Bootstrap(Bootstrap { resamples: 0, seed: 1 });
    assert_eq!(of(none, "cohen_kappa"), None);
}

#[test]
fn what_cannot_be_drawn_again_is_undefined_and_says_why() {
    let name = "krippendorff_alpha_nominal";
    let one = table(["aa", "ab"]);
    let found = interval(&one, &Clusters::of(vec![4, 4]), name);
    assert_eq!(found, Err(Undefined::TooFewClusters));
    // Nine of 27 resamples of these three items hold one category only.
    let three = interval(&table(["aa", "bb", "aa"]), &Clusters::items(), name);
    assert_eq!(three, Err(Undefined::UndefinedResamples));
    let constant = interval(&table(["aa", "aa", "aa"]), &Clusters::items(), name);
    assert_eq!(constant, Err(Undefined::ValueUndefined));
    let same = interval(&table(["aa", "aa", "aa"]), &Clusters::items(), "percent_agreement");
    assert_eq!(same, Err(Undefined::NoVariation));
}

#[test]
fn quantiles_lie_between_neighbours() {
    // Of the 5 values 0 … 4, the 2.5 % quantile lies at place 4 · 0.025 = 0.1 and the 97.5 % one at 3.9.
    let sorted = [0.0, 10.0, 20.0, 30.0, 40.0];
    assert!((quantile(&sorted, 25) - 1.0).abs() < 1e-12 && (quantile(&sorted, 975) - 39.0).abs() < 1e-12);
    assert_eq!(quantile(&[3.0], 975), 3.0);
    let mostly: Vec<Measure> =
        (0..100).map(|n| if n < 6 { Err(Undefined::ZeroVariance) } else { Ok(1.0) }).collect();
    assert_eq!(percentile(mostly.iter().copied(), CLUSTERS), Err(Undefined::UndefinedResamples));
    assert_eq!(percentile([Ok(1.0)].into_iter(), CLUSTERS), Err(Undefined::NoVariation));
    assert!(percentile([Ok(1.0), Ok(2.0)].into_iter(), CLUSTERS).is_ok());
}

#[test]
fn clusters_without_a_rating_do_not_count() {
    let mut table =
        RatingsBuilder::new(Scale::Nominal, Category::numbered(["a", "b"])).expect("a good schema");
    for (item, rated) in [("1", true), ("2", true), ("3", false), ("4", true)] {
        table.item(item).expect("room");
        for rater in ["x", "y"].into_iter().filter(|_| rated) {
            table.add(item, rater, "a").expect("a new cell");
        }
    }
    let ratings = table.finish();
    assert_eq!((Clusters::items().rated(&ratings, 1), Clusters::items().rated(&ratings, 3)), (3, 0));
    assert_eq!(Clusters::of(vec![9, 9, 5, 1]).rated(&ratings, 2), 2);
    let counts = Counts::of(&ratings);
    assert_eq!(Kinds::of(&ratings, counts.rows(), &Clusters::of(vec![9, 9, 5, 1])).clusters(), 2);
    assert_eq!(Kinds::of(&ratings, counts.rows(), &Clusters::items()).clusters(), 3);
}

/// 448 raters make 100,128 pairs, of which 224² differ on the first two items, and none on the third: S = 224² / 100,128.
#[test]
fn means_over_very_many_pairs_are_not_drawn_but_jackknifed() {
    let rows = ["ab".repeat(224), "ba".repeat(224), "aa".repeat(224)];
    let ratings = table(rows.iter().map(String::as_str));
    let bootstrap = Intervals::Bootstrap(Bootstrap { resamples: 5, seed: 1 });
    let all = bootstrap.coefficients(&ratings, &Clusters::items());
    for (name, is_over_pairs) in [("light_kappa", true), ("percent_agreement", true), ("gwet_ac1", false)] {
        let found = find(&all, name);
        assert!(found.value.is_ok(), "{found:?}");
        assert_eq!(found.interval == Some(Err(Undefined::TooManyPairs)), is_over_pairs, "{found:?}");
    }
    // Without each item 1 − S/2, 1 − S/2 and 1 − S: their mean is 1 − 2S/3, and SE² = 2/3 · (2/36 + 1/9) S².
    let all = Intervals::Jackknife.coefficients(&ratings, &Clusters::items());
    let interval = find(&all, "percent_agreement").interval.expect("asked for").expect("defined");
    let share = 224.0_f64 * 224.0 / 100_128.0;
    assert!((interval.se.expect("known") - share / 3.0).abs() < 1e-12, "{interval:?}");
}
