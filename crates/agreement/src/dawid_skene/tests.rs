use proptest::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::*;
use crate::{Category, Ratings, RatingsBuilder, Scale};

fn table(q: usize, cells: &[Vec<Option<usize>>]) -> Ratings {
    let labels = (0..q).map(|k| k.to_string());
    let mut table = RatingsBuilder::new(Scale::Nominal, Category::numbered(labels)).expect("a good schema");
    for rater in 0..cells.first().map_or(0, Vec::len) {
        table.rater(&rater.to_string()).expect("room");
    }
    for (item, row) in cells.iter().enumerate() {
        table.item(&item.to_string()).expect("room");
        for (rater, label) in row.iter().enumerate() {
            if let Some(label) = label {
                table.add(&item.to_string(), &rater.to_string(), &label.to_string()).expect("a new cell");
            }
        }
    }
    table.finish()
}

fn fit(ratings: &Ratings, smoothing: f64) -> DawidSkene {
    DawidSkene::fit(&Counts::of(ratings), ModelSettings { smoothing, ..ModelSettings::default() })
        .expect("defined")
}

/// A category, drawn with these shares in hundredths.
fn draw(stream: &mut Xoshiro256PlusPlus, shares: &[u64]) -> usize {
    let mut left = stream.next_u64() % 100;
    shares
        .iter()
        .position(|share| {
            left.checked_sub(*share).is_none_or(|rest| {
                left = rest;
                false
            })
        })
        .unwrap_or(0)
}

/// Five annotators with known confusions, one of whom guesses, on 4,000 items of known truth.
const PREVALENCE: [u64; 3] = [50, 30, 20];
const CONFUSIONS: [[[u64; 3]; 3]; 5] = [
    [[90, 5, 5], [5, 90, 5], [5, 5, 90]],
    [[80, 15, 5], [10, 80, 10], [0, 30, 70]],
    [[70, 30, 0], [0, 95, 5], [5, 15, 80]],
    [[95, 0, 5], [40, 55, 5], [10, 10, 80]],
    [[34, 33, 33], [34, 33, 33], [34, 33, 33]],
];

fn simulated() -> (Vec<usize>, Ratings) {
    let mut stream = Xoshiro256PlusPlus::seed_from_u64(11);
    let truth: Vec<usize> = (0..4000).map(|_| draw(&mut stream, &PREVALENCE)).collect();
    let says = |truth: &usize| {
        let said = CONFUSIONS.iter().map(|confusion| draw(&mut stream, &confusion[*truth]));
        // One judgment in ten is missing.
        said.collect::<Vec<_>>()
            .into_iter()
            .map(|label| (stream.next_u64() % 10 > 0).then_some(label))
            .collect()
    };
    let cells: Vec<Vec<Option<usize>>> = truth.iter().map(says).collect();
    let ratings = table(3, &cells);
    (truth, ratings)
}

/// A share of n draws has a standard error of at most 0.5/√n: 0.018 for the rarest truth (800 items), and some more
/// because the truth is estimated too.
#[test]
fn the_parameters_of_simulated_annotators_are_found() {
    let (truth, ratings) = simulated();
    let counts = Counts::of(&ratings);
    let model = fit(&ratings, 0.01);
    assert!(model.converged, "after {} steps", model.trace.len());
    let hundredths = |share: u64| f64::from(u32::try_from(share).expect("at most 100")) / 100.0;
    for (found, wanted) in model.prevalence.iter().zip(PREVALENCE) {
        assert!((found - hundredths(wanted)).abs() < 0.04, "prevalence {:?}", model.prevalence);
    }
    for (rater, (found, wanted)) in model.raters.iter().zip(CONFUSIONS).enumerate() {
        for (found, wanted) in found.confusion.iter().flatten().zip(wanted.iter().flatten()) {
            assert!((found - hundredths(*wanted)).abs() < 0.08, "annotator {rater}: {found} and {wanted}");
        }
        let right: f64 = (0..3).map(|k| hundredths(PREVALENCE[k]) * hundredths(wanted[k][k])).sum();
        assert!((found.accuracy - right).abs() < 0.04, "annotator {rater}: {} and {right}", found.accuracy);
    }
    // The estimated truth is right more often than the best annotator, who is in nine of ten.
    let likeliest = |item: usize| {
        let truth = model.truth(&counts, item).expect("an item");
        truth.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).expect("categories").0
    };
    let right = truth.iter().enumerate().filter(|(item, truth)| likeliest(*item) == **truth).count();
    assert!(right > 3700, "{right} of 4000");
}

/// Wherever it ends, two thousand steps more lead nowhere else.
#[test]
fn it_ends_at_the_fixed_point() {
    let (_, ratings) = simulated();
    let counts = Counts::of(&ratings);
    for smoothing in [0.0, 0.01] {
        let model = fit(&ratings, smoothing);
        assert!(model.converged);
        let mut posteriors = model.posteriors.clone();
        for _ in 0..2000 {
            Parameters::maximising(&counts, &posteriors, smoothing).expect(&counts, &mut posteriors);
        }
        let distance = largest_change(&model.posteriors, &posteriors);
        assert!(distance < 1e-9, "{smoothing}: {distance}");
    }
}

/// Annotators who always agree: the truth is what they say, and nobody errs. ln L = 6 ln 0.6 + 4 ln 0.4.
#[test]
fn complete_agreement_is_believed() {
    let cells: Vec<Vec<Option<usize>>> = (0..10).map(|item| vec![Some(usize::from(item >= 6)); 3]).collect();
    let ratings = table(2, &cells);
    let model = fit(&ratings, 0.0);
    assert!(model.converged);
    assert!((model.prevalence[0] - 0.6).abs() < 1e-12);
    assert!(model.raters.iter().all(|rater| (rater.accuracy - 1.0).abs() < 1e-12));
    let wanted = 6.0 * 0.6_f64.ln() + 4.0 * 0.4_f64.ln();
    assert!((model.log_likelihood - wanted).abs() < 1e-9, "{}", model.log_likelihood);
    assert_eq!(model.truth(&Counts::of(&ratings), 9), Some([0.0, 1.0].as_slice()));
    assert_eq!(model.truth(&Counts::of(&ratings), 10), None);
}

#[test]
fn what_has_no_model_says_why() {
    let none = table(2, &[vec![Some(0), None], vec![None, Some(1)]]);
    let fit = |ratings: &Ratings| DawidSkene::fit(&Counts::of(ratings), ModelSettings::default());
    assert_eq!(fit(&none), Err(Undefined::NoPairableItems));
    assert_eq!(fit(&table(1, &[vec![Some(0), Some(0)]])), Err(Undefined::SingleCategorySchema));
    let wide = table(250, &[vec![Some(0); 300]]);
    assert_eq!(fit(&wide), Err(Undefined::TooManyParameters));
    let short =
        DawidSkene::fit(&Counts::of(&simulated().1), ModelSettings { steps: 3, ..ModelSettings::default() });
    assert!(!short.expect("defined").converged);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn no_step_lowers_the_likelihood(
        cells in (2..5_usize, 2..6_usize).prop_flat_map(|(q, raters)| {
            let cell = prop_oneof![1 => Just(None), 4 => (0..q).prop_map(Some)];
            (Just(q), prop::collection::vec(prop::collection::vec(cell, raters), 1..30))
        }),
        smoothing in prop_oneof![Just(0.0), Just(0.01), Just(1.0)],
    ) {
        let ratings = table(cells.0, &cells.1);
        let counts = Counts::of(&ratings);
        let Ok(model) = DawidSkene::fit(&counts, ModelSettings { smoothing, ..ModelSettings::default() }) else {
            prop_assert_eq!(counts.items_pairable(), 0);
            return Ok(());
        };
        for step in model.trace.windows(2) {
            prop_assert!(step[1] >= step[0] - 1e-9 * step[0].abs().max(1.0), "{:?}", step);
        }
        let is_share = |value: f64| (0.0..=1.0 + 1e-12).contains(&value);
        let sums_to_1 = |values: &[f64]| (values.iter().sum::<f64>() - 1.0).abs() < 1e-9;
        prop_assert!(sums_to_1(&model.prevalence) && model.log_likelihood <= 1e-9);
        for rater in &model.raters {
            prop_assert!(is_share(rater.accuracy));
            prop_assert!(rater.confusion.iter().all(|row| sums_to_1(row)));
        }
        for item in 0..ratings.items().len() {
            prop_assert!(sums_to_1(model.truth(&counts, item).expect("an item")));
        }
    }
}
