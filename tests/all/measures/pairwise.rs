//! PreferenceScores against the shared oracle, where it is at hand.

use haymark::agreement::{Bootstrap, Estimate, Intervals, Measure};
use haymark::score::{BradleyTerry, Grouped, Origin, PairJudged, PairPreferred, PairSaid, PreferenceScores};
use serde_json::Value;

use crate::harness::shared_text;

/// Every comparison is a pair of its own, as in the oracle: what people say of one pair is not averaged there.
fn judged(input: &Value) -> Vec<PairJudged> {
    let texts = |row: &Value| -> Vec<String> {
        row.as_array().expect("a row").iter().map(|one| one.as_str().expect("a text").to_owned()).collect()
    };
    let rows: Vec<Vec<String>> =
        input["comparisons"].as_array().expect("comparisons").iter().map(texts).collect();
    let said = |row: &[String]| {
        let place = |name: &String| row[2..4].iter().position(|system| system == name);
        PairSaid { better: place(&row[5]), first: place(&row[4]) }
    };
    let judgment = |(at, row): (usize, &Vec<String>)| {
        // The first time that a person judged the pair has the second time with it.
        let same = |other: &&Vec<String>| other[..4] == row[..4] && other[4] != row[4];
        let is_first = !rows[..at].iter().any(|other| same(&other));
        PairJudged {
            origin: Origin {
                query: row[0].clone(),
                annotator: row[1].clone(),
                candidate: Some(at.to_string()),
                ..Origin::default()
            },
            systems: [row[2].clone(), row[3].clone()],
            said: said(row),
            again: rows[at..].iter().find(same).filter(|_| is_first).map(|other| said(other)),
        }
    };
    rows.iter().enumerate().map(judgment).collect()
}

fn check(name: &str, found: Measure, expected: &Value, scale: f64) {
    match (found, expected.as_f64()) {
        (Ok(found), Some(expected)) => {
            let expected = expected * scale;
            assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{name}: {found} {expected}");
        }
        (found, expected) => assert_eq!(found.ok(), expected, "{name}"),
    }
}

fn ends(estimate: &Estimate) -> [Measure; 2] {
    match estimate.interval.expect("asked for") {
        Ok(interval) => [Ok(interval.low), Ok(interval.high)],
        Err(why) => [Err(why); 2],
    }
}

#[test]
fn preferences_are_those_of_the_oracle() {
    let Some(json) = shared_text("oracles/measures2.json") else { return };
    let oracle: Value = serde_json::from_str(&json).expect("the oracle is JSON");
    let cases = oracle["cases"].as_array().expect("cases").iter();
    let mut compared = 0;
    for case in cases.filter(|case| case["measure"] == "pairwise") {
        let (name, expected) = (case["name"].as_str().expect("a name"), &case["expected"]);
        let pairs = judged(&case["input"]);
        let found = |intervals| {
            let found =
                Grouped::of(&pairs, |pair| &pair.origin, &[], |of| PreferenceScores::of(of, intervals));
            found.all.expect("comparisons")
        };
        let by_formula = found(Intervals::Formula);
        let undefined = |path: String| case["undefined"][path].as_str();
        let model = &expected["bradley_terry"];
        for row in &by_formula.systems {
            let system = row.system.as_str();
            assert_eq!(Some(row.compared.items as u64), expected["n"][system].as_u64(), "{name} {system}");
            check(name, row.win_rate.value, &expected["win_rate"][system], 100.0);
            check(name, row.strength.value, &model["strength"][system], 1.0);
            let reason = undefined(format!("bradley_terry/strength/{system}"));
            assert_eq!(row.strength.value.err().map(|why| why.code()), reason, "{name} {system}");
            let se = row.strength.interval.and_then(Result::ok).and_then(|interval| interval.se);
            assert_eq!(se.is_none(), model["se"][system].is_null(), "{name} {system}");
            if let Some(se) = se {
                check(name, Ok(se), &model["se"][system], 1.0);
            }
        }
        for row in &by_formula.pairs {
            // The oracle has each pair in one order, the stronger one first or not.
            let [one, other] = &row.systems;
            let (key, turned) = (format!("{one}|{other}"), format!("{other}|{one}"));
            let is_turned = expected["pair_win_rate"].get(&key).is_none();
            let key = if is_turned { turned } else { key };
            let of =
                |value: Measure, whole: f64| if is_turned { value.map(|value| whole - value) } else { value };
            let PairPreferred { win_rate, beats, difference, .. } = row;
            check(name, of(win_rate.value, 100.0), &expected["pair_win_rate"][&key], 100.0);
            check(name, of(*beats, 100.0), &model["p_beats"][&key], 100.0);
            let [low, high] = ends(difference);
            let [low, high] = if is_turned { [of(high, 0.0), of(low, 0.0)] } else { [low, high] };
            check(name, low, &model["ci95_difference"][&key][0], 1.0);
            check(name, high, &model["ci95_difference"][&key][1], 1.0);
        }
        let (sides, position) = (&by_formula.position, &expected["position"]);
        let counts = [sides.decided, sides.ties, sides.first_wins, sides.swapped].map(|count| count as u64);
        let keys = ["n_decided", "n_ties", "first_wins", "n_swapped"].map(|key| position[key].as_u64());
        assert_eq!(counts.map(Some), keys, "{name}");
        check(name, sides.share.value, &position["first_win_rate"], 100.0);
        check(name, sides.p, &position["p_binomial"], 1.0);
        check(name, sides.consistency.value, &position["swap_consistency"], 100.0);
        let [low, high] = ends(&sides.share);
        check(name, low, &position["wilson95"][0], 100.0);
        check(name, high, &position["wilson95"][1], 100.0);
        for (key, found) in [
            ("first_win_rate", sides.share.value),
            ("p_binomial", sides.p),
            ("swap_consistency", sides.consistency.value),
        ] {
            let reason = undefined(format!("position/{key}"));
            assert_eq!(found.err().map(|why| why.code()), reason, "{name} {key}");
        }
        if case["input"]["bootstrap"] == true {
            let drawn = found(Intervals::Bootstrap(Bootstrap { resamples: 10_000, seed: 7 }));
            for row in &drawn.systems {
                let of = |what: &str| &expected["bootstrap"][what][row.system.as_str()];
                for (estimate, what, scale) in
                    [(&row.win_rate, "win_rate", 100.0), (&row.strength, "strength", 1.0)]
                {
                    let accepted = |end: &str, found: f64| {
                        let [low, high] =
                            [0, 1].map(|at| of(what)[end][at].as_f64().expect("a number") * scale);
                        assert!(
                            low - 1e-9 <= found && found <= high + 1e-9,
                            "{name} {what}: {found} {low} {high}"
                        );
                    };
                    match (ends(estimate), of(what).is_null()) {
                        ([Ok(low), Ok(high)], false) => {
                            accepted("accept_low", low);
                            accepted("accept_high", high);
                        }
                        ([low, _], is_null) => assert_eq!(low.is_err(), is_null, "{name} {what}"),
                    }
                }
            }
        }
        compared += 1;
    }
    assert!(compared > 8, "{compared} cases");
}

/// One against the other on four queries, 2 to 1 on three of them and 1 to 2 on one: the difference is ln(7/5), and the interval is
/// that of a jackknife over queries.
#[test]
fn intervals_leave_each_query_out() {
    let pair = |query: u32, at: u32, better| PairJudged {
        origin: Origin { query: query.to_string(), candidate: Some(at.to_string()), ..Origin::default() },
        systems: ["A".to_owned(), "B".to_owned()],
        said: PairSaid { better: Some(better), first: Some(0) },
        again: None,
    };
    let pairs: Vec<PairJudged> = (0..4)
        .flat_map(|query| {
            let won = if query == 3 { 1 } else { 2 };
            (0..3).map(move |at| pair(query, at, usize::from(at >= won)))
        })
        .collect();
    let found =
        Grouped::of(&pairs, |pair| &pair.origin, &[], |of| PreferenceScores::of(of, Intervals::Jackknife));
    let found = found.all.expect("comparisons");
    let difference = found.pairs[0].difference;
    let without = |wins: f64| (wins / (9.0 - wins)).ln();
    let each = [without(5.0), without(5.0), without(5.0), without(6.0)];
    let mean = each.iter().sum::<f64>() / 4.0;
    let se = (0.75 * each.iter().map(|one| (one - mean).powi(2)).sum::<f64>()).sqrt();
    let interval = difference.interval.expect("asked for").expect("it varies");
    // t(0.975, 3) = 3.182446305.
    assert!((difference.value.expect("defined") - (7.0_f64 / 5.0).ln()).abs() < 1e-12);
    assert!((interval.high - interval.low - 2.0 * 3.182_446_305_284_263 * se).abs() < 1e-9, "{interval:?}");
    assert!(BradleyTerry::of(&[vec![0.0, 7.0], vec![5.0, 0.0]]).is_ok());
}
