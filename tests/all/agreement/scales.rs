//! Rating scales against values computed elsewhere: intraclass correlations and quadratic kappa.

use haymark::agreement::{Category, Interval, Measure, RatingsBuilder, Scale, Undefined, all};
use serde_json::Value;

use crate::harness::shared_text;

/// The coefficients whose values stand in this oracle and in no other.
pub const NAMES: [&str; 3] = ["icc2_1", "icc2_k", "light_kappa_quadratic"];

#[test]
fn scales_agree_with_the_oracle() {
    let Some(json) = shared_text("oracles/measures2.json") else { return };
    let oracle: Value = serde_json::from_str(&json).expect("JSON");
    let cases = oracle["cases"].as_array().expect("cases").iter();
    let mut compared = 0;
    for case in cases.filter(|case| case["measure"] == "rating_scale") {
        let name = case["name"].as_str().expect("a name");
        let input = &case["input"];
        let codes: Vec<f64> =
            input["categories"].as_array().expect("codes").iter().filter_map(Value::as_f64).collect();
        let categories = codes.iter().map(|code| Category::new(code.to_string(), *code)).collect();
        let mut table = RatingsBuilder::new(Scale::Interval, categories).expect("a schema");
        let rows = input["ratings"].as_array().expect("rows");
        for rater in 0..rows.iter().filter_map(|row| Some(row.as_array()?.len())).max().unwrap_or(0) {
            table.rater(&rater.to_string()).expect("room");
        }
        for (item, row) in rows.iter().enumerate() {
            for (rater, code) in row.as_array().expect("a row").iter().enumerate() {
                if let Some(code) = code.as_f64() {
                    table.add(&item.to_string(), &rater.to_string(), &code.to_string()).expect("a new cell");
                }
            }
        }
        let found = all(&table.finish());
        let of = |name: &str| found.iter().find(|one| one.name == name).expect("applies");
        let kappa = of("light_kappa_quadratic");
        for (key, one) in [("icc2_1", of("icc2_1")), ("icc2_k", of("icc2_k")), ("kappa_quadratic", kappa)] {
            let expected = &case["expected"][key];
            let reason = case["undefined"][key].as_str();
            check(&format!("{name}: {key}"), one.value, expected, reason, 1e-9);
            compared += 1;
            if key.starts_with("icc") {
                let key = format!("{key}_ci95");
                let ends = one.precision.interval.expect("a formula");
                let reason = case["undefined"][&key].as_str();
                for (place, end) in
                    [|ends: Interval| ends.low, |ends: Interval| ends.high].into_iter().enumerate()
                {
                    let expected = &case["expected"][&key];
                    if case["expected"].get(&key).is_some() {
                        check(&format!("{name}: {key}"), ends.map(end), &expected[place], reason, 1e-8);
                    }
                }
            }
        }
        if let Some(complete) = case["expected"]["n_complete"].as_u64() {
            assert_eq!(of("icc2_1").items, complete, "{name}");
        }
        if let (Some(pairs), Some(defined)) = (kappa.pairs, case["expected"]["kappa_pairs_defined"].as_u64())
        {
            assert_eq!(pairs.defined, defined, "{name}");
        }
    }
    assert!(compared >= 30, "{compared} values only");
}

fn check(place: &str, found: Measure, expected: &Value, reason: Option<&str>, tolerance: f64) {
    match (found, expected.as_f64()) {
        (Ok(found), Some(expected)) => {
            let reach = tolerance * expected.abs().max(1.0);
            assert!((found - expected).abs() <= reach, "{place}: {found} instead of {expected}");
        }
        (Err(found), None) => assert_eq!(Some(Undefined::code(found)), reason, "{place}"),
        (found, expected) => panic!("{place}: {found:?} instead of {expected:?}"),
    }
}
