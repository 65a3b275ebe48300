//! Queries and differences against the shared oracle, where it is at hand.

use haymark::score::{detectable, deviation, required};
use serde_json::Value;

use crate::harness::shared_text;

/// The cases at 5 % with a power of 80 %, which are the ones that are printed.
#[test]
fn power_is_that_of_the_oracle() {
    let Some(json) = shared_text("oracles/measures2.json") else { return };
    let oracle: Value = serde_json::from_str(&json).expect("the oracle is JSON");
    let cases = oracle["cases"].as_array().expect("cases").iter();
    let is_ours = |case: &&Value| {
        case["measure"] == "power" && case["input"]["alpha"] == 0.05 && case["input"]["power"] == 0.8
    };
    let mut compared = 0;
    for case in cases.filter(is_ours) {
        let (input, expected) = (&case["input"], &case["expected"]);
        let differences = input["differences"].as_array().expect("a list").iter();
        let differences: Vec<f64> = differences.map(|one| one.as_f64().expect("a number")).collect();
        let found = deviation(&differences);
        let same = |found: Option<f64>, expected: &Value| match (found, expected.as_f64()) {
            (Some(found), Some(expected)) => (found - expected).abs() <= 1e-9 * expected.abs().max(1.0),
            (found, expected) => found == expected,
        };
        let name = &case["name"];
        assert!(same(found.ok(), &expected["sd"]), "{name}: {found:?}");
        let shown = detectable(found, differences.len());
        assert!(same(shown.ok(), &expected["detectable"]), "{name}: {shown:?}");
        let needed = required(found, input["delta"].as_f64().expect("a number"));
        assert_eq!(needed.ok(), expected["n_required"].as_u64(), "{name}");
        compared += 1;
    }
    assert!(compared > 3, "{compared} cases");
}
