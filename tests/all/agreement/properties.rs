//! What must hold for every ratings table.

use std::collections::BTreeMap;

use haymark::agreement::{
    Bootstrap, COEFFICIENTS, Category, Clusters, Coefficient, Counts, Definition, Family, Intervals,
    Jackknife, Measure, Ratings, RatingsBuilder, Scale, Undefined, all, pairs,
};
use proptest::prelude::*;

/// Cells are `None` where missing, else a category's position.
#[derive(Clone, Debug)]
struct Data {
    categories: usize,
    cells: Vec<Vec<Option<usize>>>,
}

impl Data {
    fn raters(&self) -> usize {
        self.cells.first().map_or(0, Vec::len)
    }

    /// A table with these names for raters and items, filled in the given order of items.
    fn named(
        &self,
        rater: impl Fn(usize) -> String,
        item: impl Fn(usize) -> String,
        order: &[usize],
    ) -> Ratings {
        let categories = (0..self.categories).map(label).zip([0.0, 50.0, 100.0, 130.0, 200.0]);
        let categories = categories.map(|(label, code)| Category::new(label, code)).collect();
        let mut table = RatingsBuilder::new(Scale::Interval, categories).expect("a good schema");
        (0..self.raters()).for_each(|number| drop(table.rater(&rater(number))));
        for row in order {
            table.item(&item(*row)).expect("room");
            for (number, cell) in self.cells[*row].iter().enumerate() {
                if let Some(category) = cell {
                    table.add(&item(*row), &rater(number), &label(*category)).expect("a new cell");
                }
            }
        }
        table.finish()
    }

    fn table(&self) -> Ratings {
        let order: Vec<usize> = (0..self.cells.len()).collect();
        self.named(|rater| format!("r{rater}"), |item| format!("i{item}"), &order)
    }

    fn map(&self, category: impl Fn(usize) -> usize) -> Self {
        let row = |row: &Vec<Option<usize>>| row.iter().map(|cell| cell.map(&category)).collect();
        Self { categories: self.categories, cells: self.cells.iter().map(row).collect() }
    }
}

fn label(category: usize) -> String {
    format!("c{category}")
}

fn data(raters: std::ops::Range<usize>, missing: u32) -> impl Strategy<Value = Data> {
    (raters, 1..6_usize).prop_flat_map(move |(raters, categories)| {
        let cell = prop_oneof![missing => Just(None), 4 => (0..categories).prop_map(Some)];
        let row = prop::collection::vec(cell, raters);
        prop::collection::vec(row, 1..14).prop_map(move |cells| Data { categories, cells })
    })
}

fn values(ratings: &Ratings) -> BTreeMap<&'static str, Coefficient> {
    all(ratings).into_iter().map(|coefficient| (coefficient.name, coefficient)).collect()
}

fn value(ratings: &Ratings, name: &str) -> Measure {
    values(ratings)[name].value
}

/// The numbers of a coefficient in a row, for comparison.
fn numbers(coefficient: &Coefficient) -> Vec<Measure> {
    let precision = coefficient.precision;
    let ends = precision.interval.map(|interval| [interval.map(|one| one.low), interval.map(|one| one.high)]);
    let errors = [precision.se, precision.se0].into_iter().flatten();
    [coefficient.value].into_iter().chain(errors).chain(ends.into_iter().flatten()).collect()
}

fn same(left: &Coefficient, right: &Coefficient) -> Result<(), TestCaseError> {
    let (a, b) = (numbers(left), numbers(right));
    prop_assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(&b) {
        match (a, b) {
            // Relative to 1, as the coefficients are; standard errors of tiny tables may be larger.
            (Ok(a), Ok(b)) => {
                prop_assert!((a - b).abs() < 1e-9 * a.abs().max(1.0), "{}: {} and {}", left.name, a, b)
            }
            (a, b) => prop_assert_eq!(a, b, "{}", left.name),
        }
    }
    prop_assert_eq!((left.items, left.ratings, left.pairs), (right.items, right.ratings, right.pairs));
    Ok(())
}

fn all_same(left: &Ratings, right: &Ratings) -> Result<(), TestCaseError> {
    let (left, right) = (values(left), values(right));
    prop_assert_eq!(left.len(), right.len());
    left.values().try_for_each(|coefficient| same(coefficient, &right[coefficient.name]))
}

/// Nominal alpha by its definition, over pairs of ratings.
fn alpha_over_pairs(data: &Data) -> Option<f64> {
    let (mut observed, mut values) = (0.0, Vec::new());
    for row in &data.cells {
        let unit: Vec<usize> = row.iter().flatten().copied().collect();
        if unit.len() >= 2 {
            let unequal =
                unit.iter().flat_map(|c| unit.iter().map(move |k| f64::from(u8::from(c != k)))).sum::<f64>();
            observed += unequal / (unit.len() - 1) as f64;
            values.extend(unit);
        }
    }
    let expected =
        values.iter().flat_map(|c| values.iter().map(move |k| f64::from(u8::from(c != k)))).sum::<f64>();
    (expected > 0.0).then(|| 1.0 - (values.len() as f64 - 1.0) * observed / expected)
}

/// The largest pe of AC1 and AC2: with all q categories equally frequent, (sum of weights)/q².
fn most_chance_of_gwet(name: &str, categories: usize) -> f64 {
    let q = categories as f64;
    let weight = |k: usize, l: usize| {
        let distance = k.abs_diff(l) as f64;
        match name {
            "gwet_ac2_linear" => 1.0 - distance / (q - 1.0),
            "gwet_ac2_quadratic" => 1.0 - (distance / (q - 1.0)).powi(2),
            "gwet_ac2_ordinal" => 1.0 - distance * (distance + 1.0) / (q * (q - 1.0)),
            _ => f64::from(u8::from(k == l)),
        }
    };
    let sum: f64 = (0..categories).flat_map(|k| (0..categories).map(move |l| weight(k, l))).sum();
    sum / (q * q)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(192) })]

    #[test]
    fn values_are_finite_and_within_their_bounds(data in data(1..12, 1)) {
        for coefficient in all(&data.table()) {
            let family = Definition::named(coefficient.name).expect("in the table").family;
            let low = match family {
                Family::Percent => 0.0,
                Family::Correlation => -1.0,
                Family::Gwet => {
                    let chance = most_chance_of_gwet(coefficient.name, data.categories);
                    (-chance / (1.0 - chance)).max(-1.0)
                }
                Family::Cohen | Family::Fleiss | Family::Krippendorff | Family::Uniform => -1.0,
                Family::Variance => f64::MIN,
            };
            if let Ok(value) = coefficient.value {
                prop_assert!((low - 1e-12..=1.0).contains(&value), "{} {}", coefficient.name, value);
            }
            for number in numbers(&coefficient).into_iter().flatten() {
                prop_assert!(number.is_finite(), "{}", coefficient.name);
            }
            for error in [coefficient.precision.se, coefficient.precision.se0].into_iter().flatten().flatten() {
                prop_assert!(error >= 0.0, "{}", coefficient.name);
            }
            if let (Ok(value), Some(Ok(interval))) = (coefficient.value, coefficient.precision.interval) {
                prop_assert!(interval.low <= value + 1e-12 && value <= interval.high + 1e-12, "{}", coefficient.name);
            }
        }
    }

    #[test]
    fn names_and_order_of_raters_and_items_do_not_matter(
        (data, order, turn) in data(2..10, 1).prop_flat_map(|data| {
            let order: Vec<usize> = (0..data.cells.len()).collect();
            (Just(data), Just(order).prop_shuffle(), 0..10_usize)
        })
    ) {
        let plain = data.table();
        let renamed = data.named(|rater| format!("Ms {}", 99 - rater), |item| format!("n° {}", 99 - item), &order);
        all_same(&plain, &renamed)?;
        // Not even in the last digit.
        for (left, right) in all(&plain).iter().zip(&all(&renamed)) {
            prop_assert_eq!(left, right);
        }
        let mut turned = data.clone();
        turned.cells.iter_mut().for_each(|row| row.rotate_left(turn % data.raters()));
        all_same(&plain, &turned.table())?;
    }

    #[test]
    fn nominal_coefficients_do_not_know_the_categories_names(
        (data, relabelled) in data(2..6, 1).prop_flat_map(|data| {
            let labels: Vec<usize> = (0..data.categories).collect();
            (Just(data), Just(labels).prop_shuffle())
        })
    ) {
        let (plain, other) = (values(&data.table()), values(&data.map(|category| relabelled[category]).table()));
        for definition in COEFFICIENTS.iter().filter(|definition| !definition.needs_order()) {
            if let Some(coefficient) = plain.get(definition.name) {
                same(coefficient, &other[definition.name])?;
            }
        }
    }

    #[test]
    fn turning_the_scale_around_changes_ordered_coefficients_at_most_in_sign(data in data(2..5, 1)) {
        let last = data.categories - 1;
        let (plain, turned) = (values(&data.table()), values(&data.map(|category| last - category).table()));
        // The codes of this table are not evenly spaced, so those that use them are left out.
        let by_position = |name: &&str| !["krippendorff_alpha_interval", "pearson_r", "icc2_1", "icc2_k"].contains(name);
        for name in plain.keys().filter(|name| by_position(name)) {
            same(&plain[name], &turned[name])?;
        }
    }

    #[test]
    fn items_without_ratings_and_raters_without_ratings_add_nothing(data in data(3..6, 1)) {
        let mut padded = data.clone();
        padded.cells.push(vec![None; data.raters()]);
        all_same(&data.table(), &padded.table())?;
        padded.cells.iter_mut().for_each(|row| row.push(None));
        let (plain, padded) = (values(&data.table()), values(&padded.table()));
        for (name, coefficient) in &plain {
            let without_pairs = |coefficient: &Coefficient| Coefficient { pairs: None, ..coefficient.clone() };
            same(&without_pairs(coefficient), &without_pairs(&padded[name]))?;
        }
    }

    #[test]
    fn counting_items_again_is_repeating_them(
        (data, times) in data(2..6, 1).prop_flat_map(|data| {
            let times = prop::collection::vec(0..4_u32, data.cells.len());
            (Just(data), times)
        })
    ) {
        let repeat = |(row, times): (&Vec<_>, &u32)| vec![row.clone(); *times as usize];
        let cells: Vec<_> = data.cells.iter().zip(&times).flat_map(repeat).collect();
        prop_assume!(!cells.is_empty());
        let (table, repeated) = (data.table(), Data { cells, ..data.clone() }.table());
        let mut counts = Counts::of(&table);
        prop_assert_eq!(counts.confusion().is_some(), data.raters() == 2);
        counts.reweight(&times);
        let expected = values(&repeated);
        for definition in &COEFFICIENTS {
            if let Some(coefficient) = definition.coefficient(&counts) {
                same(&coefficient, &expected[definition.name])?;
            }
        }
    }

    #[test]
    fn intervals_by_resampling_are_bounded_and_do_not_see_copies_within_a_cluster(
        (data, seed) in (data(2..5, 1), 0..1000_u64)
    ) {
        let bootstrap = Intervals::Bootstrap(Bootstrap { resamples: 40, seed });
        // Two items a cluster; then every item twice, its copy in the same cluster.
        let cluster = |items: usize, size: u32| Clusters::of((0..).take(items).map(|item: u32| item / size).collect());
        let items = data.cells.len();
        let found = bootstrap.coefficients(&data.table(), &cluster(items, 2));
        prop_assert_eq!(&found, &bootstrap.coefficients(&data.table(), &cluster(items, 2)));
        let cells = data.cells.iter().flat_map(|row| [row.clone(), row.clone()]).collect();
        let copied = Data { cells, ..data.clone() }.table();
        let copied = bootstrap.coefficients(&copied, &cluster(2 * items, 4));
        for (one, other) in found.iter().zip(&copied) {
            let family = Definition::named(one.name).expect("in the table").family;
            let ends = |coefficient: &Coefficient| coefficient.interval.expect("it is asked for");
            match (ends(one), ends(other)) {
                (Ok(interval), Ok(doubled)) => {
                    prop_assert!(one.value.is_ok() && interval.low <= interval.high && interval.high <= 1.0 + 1e-12);
                    // Alpha corrects for the number of values; a single item, drawn again, has no correlation.
                    if ![Family::Krippendorff, Family::Correlation, Family::Variance].contains(&family) {
                        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
                        prop_assert!(close(interval.low, doubled.low) && close(interval.high, doubled.high), "{}", one.name);
                    }
                }
                // A single item has a reason of its own, and so have the mean squares of few.
                (one, other) => prop_assert!(one == other || [Family::Correlation, Family::Variance].contains(&family), "{:?} {:?}", one, other),
            }
        }
    }

    #[test]
    fn intervals_lie_around_their_value_and_within_their_range(data in data(2..5, 1), size in 1..4_u32) {
        let table = data.table();
        let of_item: Vec<u32> = (0..).take(data.cells.len()).map(|item: u32| item / size).collect();
        let clusters = Clusters::of(of_item.clone());
        for coefficient in Intervals::Jackknife.coefficients(&table, &clusters) {
            let interval = coefficient.interval.expect("it is asked for");
            if let (Ok(value), Ok(interval)) = (coefficient.value, interval) {
                let definition = Definition::named(coefficient.name).expect("in the table");
                // K, from the tables without each cluster that holds a pairable item.
                let placed = |table: &Ratings| definition.placed(&Counts::of(table)).expect("it applies");
                let holds = |cluster: &u32| {
                    let own: Vec<usize> = (0..of_item.len()).filter(|item| of_item[*item] == *cluster).collect();
                    clusters.of_items(&own).rated(&table.of_items(&own), 2) > 0
                };
                let without = |cluster: u32| {
                    let rest: Vec<usize> = (0..of_item.len()).filter(|item| of_item[*item] != cluster).collect();
                    (placed(&table.of_items(&rest)), 1, 0)
                };
                let mut all = of_item.clone();
                all.dedup();
                let deleted = Jackknife::of_coefficient(all.into_iter().filter(holds).map(without));
                let lowest = placed(&table).expect("defined").lowest.max(-1.0);
                let below = (lowest - 2.0 * deleted.lowest_se).max(-1.0).min(value);
                prop_assert!(below - 1e-9 <= interval.low && interval.high <= 1.0, "{} {:?}", coefficient.name, interval);
                prop_assert!(interval.low <= value && value <= interval.high && interval.low < interval.high);
                let count = interval.clusters.expect("it is over clusters");
                prop_assert!(count.number == clusters.rated(&table, 2) && count.number >= 3);
                prop_assert!((1.0 - 1e-9..=count.number as f64).contains(&count.in_effect()), "{:?}", count);
            }
            if clusters.rated(&table, 2) < 3 {
                let reason = if coefficient.value.is_ok() { Undefined::TooFewClusters } else { Undefined::ValueUndefined };
                prop_assert_eq!(interval, Err(reason));
            }
        }
    }

    #[test]
    fn intervals_know_no_names_and_no_order(
        (data, order, names, turn, relabelled) in data(2..5, 1).prop_flat_map(|data| {
            let (order, names): (Vec<usize>, Vec<u32>) = ((0..data.cells.len()).collect(), (0..20).collect());
            let labels: Vec<usize> = (0..data.categories).collect();
            (Just(data), Just(order).prop_shuffle(), Just(names).prop_shuffle(), 0..10_usize, Just(labels).prop_shuffle())
        }),
        size in 1..4_usize,
    ) {
        let of = |table: &Ratings, of_item: Vec<u32>| Intervals::Jackknife.coefficients(table, &Clusters::of(of_item));
        let places: Vec<usize> = (0..data.cells.len()).collect();
        let plain = of(&data.table(), places.iter().map(|item| names[item / size]).collect());
        // Not even in the last digit.
        let moved = data.named(|rater| format!("r{rater}"), |item| format!("i{item}"), &order);
        let moved = of(&moved, order.iter().map(|item| names[19 - item / size]).collect());
        prop_assert_eq!(&plain, &moved);
        let clusters = || places.iter().map(|item| names[item / size]).collect();
        let mut turned = data.clone();
        turned.cells.iter_mut().for_each(|row| row.rotate_left(turn % data.raters()));
        let turned = of(&turned.table(), clusters());
        let renamed = of(&data.map(|category| relabelled[category]).table(), clusters());
        for (others, keeps_order) in [(turned, true), (renamed, false)] {
            for (one, other) in plain.iter().zip(&others) {
                let definition = Definition::named(one.name).expect("in the table");
                if !keeps_order && definition.needs_order() {
                    continue;
                }
                match (one.interval.expect("asked for"), other.interval.expect("asked for")) {
                    (Ok(a), Ok(b)) => {
                        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
                        prop_assert!(close(a.low, b.low) && close(a.high, b.high), "{}: {:?} {:?}", one.name, a, b);
                        prop_assert_eq!(a.method, b.method, "{}", one.name);
                    }
                    (a, b) => prop_assert_eq!(a, b, "{}", one.name),
                }
            }
        }
    }

    /// Every way to pair the labels of one with those of the other.
    #[test]
    fn the_lowest_value_is_that_of_the_worst_pairing(
        (first, second) in (2..7_usize).prop_flat_map(|items| {
            let labels = || prop::collection::vec(0..4_usize, items);
            (labels(), labels())
        })
    ) {
        let paired = |second: &[usize]| {
            let cells = first.iter().zip(second).map(|(one, other)| vec![Some(*one), Some(*other)]).collect();
            Data { categories: 4, cells }.table()
        };
        let mut pairings = vec![Vec::new()];
        for number in 0..first.len() {
            let with = |pairing: &Vec<usize>| {
                (0..=pairing.len()).map(|at| { let mut more = pairing.clone(); more.insert(at, number); more }).collect::<Vec<_>>()
            };
            pairings = pairings.iter().flat_map(with).collect();
        }
        let names = ["cohen_kappa", "cohen_kappa_linear", "cohen_kappa_quadratic", "light_kappa", "pearson_r"];
        let mut least = [f64::INFINITY; 5];
        for pairing in &pairings {
            let table = paired(&pairing.iter().map(|place| second[*place]).collect::<Vec<_>>());
            let found = values(&table);
            for (least, name) in least.iter_mut().zip(names) {
                *least = found[name].value.map_or(*least, |value| least.min(value));
            }
        }
        let table = paired(&second);
        for (least, name) in least.into_iter().zip(names) {
            let placed = Definition::named(name).expect("in the table").placed(&Counts::of(&table)).expect("two raters");
            if let Ok(placed) = placed {
                prop_assert!((placed.lowest - least).abs() < 1e-9, "{}: {:?} {}", name, placed, least);
                // Exactly there, or visibly above it.
                prop_assert!(placed.value == placed.lowest || placed.value > placed.lowest + 1e-6, "{}", name);
            }
        }
    }

    #[test]
    fn perfect_agreement_is_1(column in prop::collection::vec(0..4_usize, 2..20), raters in 2..6_usize) {
        prop_assume!(column.iter().any(|category| *category != column[0]));
        let cells = column.iter().map(|category| vec![Some(*category); raters]).collect();
        for coefficient in all(&(Data { categories: 4, cells }).table()) {
            let value = coefficient.value.expect("defined");
            prop_assert_eq!(value, 1.0, "{}", coefficient.name);
            if let Some(se) = coefficient.precision.se {
                prop_assert_eq!(se, Ok(0.0), "{}", coefficient.name);
            }
        }
    }

    #[test]
    fn a_constant_rater_has_kappa_0_and_no_correlation(column in prop::collection::vec(0..4_usize, 2..20)) {
        prop_assume!(column.iter().any(|category| *category != column[0]));
        let cells = column.iter().map(|category| vec![Some(2), Some(*category)]).collect();
        let table = Data { categories: 4, cells }.table();
        let found = values(&table);
        for name in ["cohen_kappa", "cohen_kappa_linear", "cohen_kappa_quadratic"] {
            prop_assert_eq!(found[name].value, Ok(0.0));
            prop_assert_eq!(found[name].precision.se, Some(Ok(0.0)));
            prop_assert_eq!(found[name].precision.se0, Some(Ok(0.0)));
        }
        for name in ["pearson_r", "spearman_rho", "kendall_tau_b"] {
            prop_assert_eq!(found[name].value, Err(Undefined::ZeroVariance));
        }
    }

    #[test]
    fn coefficients_that_coincide_on_two_complete_raters(data in data(2..3, 1)) {
        let both = |row: &&Vec<Option<usize>>| row.iter().all(Option::is_some);
        let cells: Vec<_> = data.cells.iter().filter(both).cloned().collect();
        prop_assume!(!cells.is_empty());
        let items = cells.len() as f64;
        let table = Data { cells, ..data }.table();
        let close = |left: Measure, right: Measure| match (left, right) {
            (Ok(left), Ok(right)) => (left - right).abs() < 1e-12,
            (left, right) => left == right,
        };
        let named = |name| value(&table, name);
        prop_assert!(close(named("scott_pi"), named("fleiss_kappa")));
        prop_assert!(close(named("scott_pi"), named("fleiss_kappa_generalized")));
        prop_assert!(close(named("pabak"), named("brennan_prediger")));
        prop_assert!(close(named("cohen_kappa"), named("light_kappa").or(named("cohen_kappa"))));
        prop_assert!(close(named("percent_agreement"), named("percent_agreement_items")));
        prop_assert!(close(named("percent_agreement"), named("percent_agreement_pooled")));
        // Alpha corrects pi for the size of the sample (Krippendorff 2011).
        let alpha = named("scott_pi").map(|pi| 1.0 - (1.0 - pi) * (2.0 * items - 1.0) / (2.0 * items));
        prop_assert!(close(named("krippendorff_alpha_nominal"), alpha));
    }

    #[test]
    fn alpha_is_what_a_loop_over_pairs_of_ratings_gives(data in data(2..20, 1)) {
        let found = value(&data.table(), "krippendorff_alpha_nominal");
        match alpha_over_pairs(&data) {
            Some(alpha) => prop_assert!((found.expect("defined") - alpha).abs() < 1e-12),
            None => prop_assert!(found.is_err()),
        }
    }

    #[test]
    fn a_pair_is_its_own_table(data in data(3..20, 2)) {
        let listed = pairs(&data.table());
        prop_assert_eq!(listed.len(), data.raters() * (data.raters() - 1) / 2);
        let numbers = (0..data.raters()).flat_map(|a| (a + 1..data.raters()).map(move |b| (a, b)));
        for (pair, (a, b)) in listed.iter().zip(numbers) {
            prop_assert_eq!((&pair.a, &pair.b), (&format!("r{a}"), &format!("r{b}")));
            let cells = data.cells.iter().map(|row| vec![row[a], row[b]]).collect();
            let found = values(&(Data { cells, ..data.clone() }).table());
            for (name, value) in pair.statistics() {
                prop_assert_eq!(value, found[name].value);
            }
        }
    }
}

#[test]
fn independent_raters_agree_by_chance() {
    // Every combination of the marginals equally often: two raters, shares 1/2, 1/3, 1/6.
    let shares = [0, 0, 0, 1, 1, 2];
    let cells = shares.iter().flat_map(|a| shares.map(|b| vec![Some(*a), Some(b)])).collect();
    let table = Data { categories: 3, cells }.table();
    let found = values(&table);
    for name in ["cohen_kappa", "cohen_kappa_linear", "cohen_kappa_quadratic", "scott_pi", "fleiss_kappa"] {
        assert!(found[name].value.expect("defined").abs() < 1e-15, "{name}");
    }
    for name in ["pearson_r", "spearman_rho", "kendall_tau_b"] {
        assert!(found[name].value.expect("defined").abs() < 1e-15, "{name}");
    }
}
