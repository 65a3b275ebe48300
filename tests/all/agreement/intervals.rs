//! The one interval of every number against values computed elsewhere (see the oracles' own page), to 1e-9.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use haymark::agreement::{
    Category, Clusters, Estimate, Intervals, Measure, NumberRange, RatingsBuilder, Scale, Undefined, on_scale,
};
use serde::Deserialize;

use crate::harness::shared_text;

const TOLERANCE: f64 = 1e-9;

#[derive(Deserialize)]
struct Oracle {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    #[serde(flatten)]
    measure: Measured,
}

#[derive(Deserialize)]
#[serde(tag = "measure", rename_all = "snake_case")]
enum Measured {
    AgreementInterval {
        categories: Vec<String>,
        codes: Vec<f64>,
        ratings: Vec<Vec<Option<String>>>,
        clusters: Vec<String>,
        expected: BTreeMap<String, Expected>,
    },
    ScoreInterval {
        items: Vec<Item>,
        expected: Scores,
    },
}

#[derive(Deserialize)]
struct Item {
    query: String,
    system: String,
    values: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
struct Scores {
    systems: BTreeMap<String, Expected>,
    differences: BTreeMap<String, Expected>,
}

#[derive(Deserialize)]
struct Expected {
    value: Option<f64>,
    se: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    clusters: Option<u64>,
    effective: Option<f64>,
    queries: Option<u64>,
    method: Option<String>,
    undefined: Option<String>,
}

impl Expected {
    fn check(&self, place: &str, Estimate { value, interval, clusters }: Estimate) {
        assert!(self.clusters.is_none_or(|wanted| wanted == clusters), "{place}: {clusters} clusters");
        let near = |found: Option<f64>, wanted: Option<f64>| match (found, wanted) {
            (Some(found), Some(wanted)) => (found - wanted).abs() <= TOLERANCE,
            (found, wanted) => found == wanted,
        };
        assert!(near(value.ok(), self.value), "{place}: {value:?} instead of {:?}", self.value);
        let interval = interval.unwrap_or_else(|| panic!("{place}: no interval"));
        match (interval, &self.undefined) {
            (Err(reason), Some(code)) => assert_eq!(reason.code(), code, "{place}"),
            (Ok(found), None) => {
                // An exact bound is made of no standard error.
                let se = if found.se.is_some() { self.se } else { None };
                let ends = [(Some(found.low), self.low), (Some(found.high), self.high), (found.se, se)];
                assert!(ends.into_iter().all(|(found, wanted)| near(found, wanted)), "{place}: {found:?}");
                assert_eq!(Some(found.method.name()), self.method.as_deref(), "{place}");
                let count = found.clusters.expect("it is made over clusters");
                assert_eq!(count.number, clusters, "{place}");
                let effective =
                    self.effective.is_none_or(|wanted| (wanted - count.in_effect()).abs() <= TOLERANCE);
                assert!(effective, "{place}: effectively {count:?} instead of {:?}", self.effective);
            }
            (found, wanted) => panic!("{place}: {found:?} instead of {wanted:?}"),
        }
    }
}

impl Case {
    fn check(&self) {
        match &self.measure {
            Measured::AgreementInterval { categories, codes, ratings, clusters, expected } => {
                let labels = categories.iter().zip(codes).map(|(label, code)| Category::new(label, *code));
                // Every coefficient is expected, whatever the labels' scale.
                let mut table =
                    RatingsBuilder::new(Scale::Interval, labels.collect()).expect("a good schema");
                for (item, row) in ratings.iter().enumerate() {
                    for (rater, label) in row.iter().enumerate() {
                        let label = label.iter();
                        label.for_each(|label| {
                            table.add(&item.to_string(), &rater.to_string(), label).expect("a new cell");
                        });
                    }
                    table.item(&item.to_string()).expect("room");
                }
                let table = table.finish();
                let number = |name: &String| {
                    u32::try_from(clusters.iter().position(|other| other == name).expect("itself"))
                };
                let clusters = Clusters::of(clusters.iter().map(|name| number(name).expect("few")).collect());
                let count = clusters.rated(&table, 2);
                let found = Intervals::Jackknife.coefficients(&table, &clusters);
                assert_eq!(found.len(), on_scale(&table).len());
                for (name, expected) in expected {
                    let found = found.iter().find(|one| one.name == name).expect("it is computed");
                    let estimate = Estimate { value: found.value, interval: found.interval, clusters: count };
                    expected.check(&format!("{}: {name}", self.name), estimate);
                }
            }
            Measured::ScoreInterval { items, expected } => {
                let of_system = |name: &str| {
                    let mut queries: BTreeMap<&str, Tally> = BTreeMap::new();
                    for item in items.iter().filter(|item| item.system == name) {
                        // Item first: the mean of what people said of it.
                        let mean = item.values.values().sum::<f64>() / item.values.len() as f64;
                        *queries.entry(&item.query).or_default() += Tally(mean, 1.0);
                    }
                    queries
                };
                for (name, wanted) in &expected.systems {
                    let parts: Vec<Tally> = of_system(name).into_values().collect();
                    let found = Intervals::Jackknife.over(&parts, NumberRange::PERCENT, Tally::mean);
                    wanted.check(&format!("{}: {name}", self.name), found);
                }
                for (names, wanted) in &expected.differences {
                    let (one, other) = names.split_once('|').expect("two systems");
                    let (one, other) = (of_system(one), of_system(other));
                    let both = one.iter().filter_map(|(query, one)| Some(Both(*one, *other.get(query)?)));
                    let difference = |both: &Both| Ok(both.0.mean()? - both.1.mean()?);
                    let found =
                        Intervals::Jackknife.over(&both.collect::<Vec<_>>(), NumberRange::Any, difference);
                    wanted.check(&format!("{}: {names}", self.name), found);
                    assert_eq!(wanted.queries, Some(found.clusters), "{names}");
                }
            }
        }
    }
}

/// A sum and a number.
#[derive(Clone, Copy, Default)]
struct Tally(f64, f64);

impl Tally {
    fn mean(&self) -> Measure {
        if self.1 > 0.0 { Ok(self.0 / self.1) } else { Err(Undefined::NothingJudged) }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        *self = Tally(self.0 + other.0, self.1 + other.1);
    }
}

/// Those of two systems.
#[derive(Clone, Copy, Default)]
struct Both(Tally, Tally);

impl AddAssign for Both {
    fn add_assign(&mut self, other: Both) {
        self.0 += other.0;
        self.1 += other.1;
    }
}

#[test]
fn every_interval_of_every_case() {
    let Some(text) = shared_text("oracles/intervals_rare.json") else {
        return;
    };
    let oracle: Oracle = serde_json::from_str(&text).expect("the oracle's format");
    assert!(oracle.cases.len() >= 24);
    oracle.cases.iter().for_each(Case::check);
}
