//! `haymark agree --best`: which annotators agree best.

use crate::harness::Desk;

/// Four annotators on eight items: a and b agree everywhere, c with them on six, d on four.
const RATINGS: &str = "item,a,b,c,d\n\
    1,yes,yes,yes,yes\n2,no,no,no,yes\n3,yes,yes,yes,yes\n4,no,no,no,yes\n\
    5,yes,yes,yes,no\n6,no,no,no,no\n7,yes,yes,no,no\n8,no,no,yes,no\n";

#[test]
fn the_pair_that_agrees_best_comes_first() {
    let desk = Desk::new();
    let file = desk.file("ratings.csv", RATINGS);
    let asked = ["agree", &file, "--categories", "no,yes", "--best", "2"];
    let json = desk.agreement(&[&asked[..], &["--best-by", "randolph_kappa"]].concat());
    assert_eq!((&json["size"], &json["ranked_by"]), (&2.into(), &"randolph_kappa".into()));
    let subsets = json["best"].as_array().expect("subsets");
    assert_eq!(subsets.len(), 6);
    let values: Vec<(String, f64)> = subsets
        .iter()
        .map(|subset| {
            (
                subset["annotators"].as_str().expect("names").replace(", ", ""),
                subset["randolph_kappa"].as_f64().expect("a number"),
            )
        })
        .collect();
    // (Po − 1/2) / (1 − 1/2): ab 8 of 8, ac and bc 6 of 8, ad and bd 4 of 8, cd 4 of 8 (1, 3, 6, 7 are equal, and 8 is not).
    let expected = [("ab", 1.0), ("ac", 0.5), ("bc", 0.5), ("ad", 0.0), ("bd", 0.0), ("cd", 0.0)];
    for ((name, value), (expected_name, expected)) in values.iter().zip(expected) {
        assert_eq!(name, expected_name);
        assert!((value - expected).abs() < 1e-12, "{name} {value}");
    }
    // They agree on all of 8 items: exactly from −1 + 2 · 0.025^(1/8).
    assert_eq!(subsets[0]["randolph_kappa_interval"], "exact");
    let low = subsets[0]["randolph_kappa_low"].as_f64().expect("an end");
    assert!((low - (2.0 * 0.025_f64.powf(0.125) - 1.0)).abs() < 1e-12, "{low}");
    let end = |name: &str| subsets[1][format!("randolph_kappa_{name}")].as_f64().expect("an end");
    assert!(-1.0 < end("low") && end("low") < 0.5 && 0.5 < end("high") && end("high") < 1.0);

    // Behind the best by 1/2: by item six times 0 and twice 2, so SE² = 6 / (8 · 7), t(0.975, 7) = 2.364624252.
    let reach = 2.364_624_252 * (6.0_f64 / 56.0).sqrt();
    let behind = |name: &str| subsets[1][format!("behind{name}")].as_f64().expect("a number");
    assert!((behind("") - 0.5).abs() < 1e-12 && (behind("_low") - (0.5 - reach)).abs() < 1e-8);
    assert!(subsets[0]["behind"].is_null() && subsets[1]["common_items"] == 8);

    let text = desk.out(&asked);
    assert!(text.contains("Ratings: 2 annotators who agree best"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let triples = desk.out(&["agree", &file, "--categories", "no,yes", "--best", "3", "--format", "csv"]);
    assert!(triples.contains("\"a, b, c\""), "{triples}");
}

#[test]
fn what_cannot_be_ranked_is_refused() {
    let desk = Desk::new();
    let file = desk.file("ratings.csv", RATINGS);
    let fails = |more: &[&str]| desk.fails(&[&["agree", &file, "--categories", "no,yes"][..], more].concat());
    assert_eq!(fails(&["--best", "1"]).0, 2);
    let (status, told) = fails(&["--best", "3", "--best-by", "cohen_kappa"]);
    assert!(status == 2 && told.contains("is for two annotators, not for 3"), "{told}");
    assert_eq!(fails(&["--best", "2", "--best-by", "kappa"]).0, 2);
    let text = desk.out(&["agree", &file, "--categories", "no,yes", "--best", "7"]);
    assert!(text.contains("Only 4 annotators answered this question."), "{text}");
}

/// 250 annotators are 31,125 pairs: programs get them all, people 200, and it is said.
#[test]
fn of_very_many_annotators_what_is_not_done_is_said() {
    let desk = Desk::new();
    let names: Vec<String> = (0..250).map(|number| format!("a{number}")).collect();
    let row = |item: usize| {
        let labels = (0..250).map(|rater| if (rater * item) % 7 < 3 { ",yes" } else { ",no" });
        format!("{item}{}\n", labels.collect::<String>())
    };
    let rows: String = (1..9).map(row).collect();
    let file = desk.file("many.csv", format!("item,{}\n{rows}", names.join(",")));
    let asked = ["agree", &file, "--categories", "no,yes", "--resamples", "2"];
    let tables = desk.json(&[&asked[..], &["--best", "2"]].concat());
    let table = |name: &str| {
        tables.as_array().expect("tables").iter().find(|table| table["table"] == name).expect(name)
    };
    let rows = |name: &str| table(name)["rows"].as_array().expect("rows").len();
    assert_eq!((rows("pairs"), rows("confusion"), rows("best")), (31_125 + 1, 31_125 * 2, 0));
    let note = table("best")["notes"][0].as_str().expect("it is said");
    assert!(note.starts_with("There are 31125 subsets, none of which was tried"), "{note}");
    let coefficients = table("coefficients")["rows"].as_array().expect("a list");
    let light = coefficients.iter().find(|one| one["name"] == "light_kappa");
    assert!(light.is_some_and(|light| light["value"].is_f64()), "{light:?}");

    let text = desk.out(&asked);
    assert!(text.contains("a29 and 220 others"), "{text}");
    assert!(text.contains("Worst pair by Cohen's kappa: "), "{text}");
    let text = desk.out(&[&asked[..], &["--full"]].concat());
    assert_eq!(text.matches("200 of 31125 pairs of annotators are shown").count(), 2, "{text}");
    assert!(text.lines().count() < 2_000, "{}", text.lines().count());
}

/// 400 annotators of whom each met six others: of 79,800 pairs only those are listed that met.
#[test]
fn of_pairs_without_end_only_those_that_met_are_listed() {
    let desk = Desk::new();
    let mut rows = "item,annotator,label\n".to_owned();
    for rater in 0..400 {
        for item in rater..rater + 4 {
            rows += &format!("{item},a{rater},{}\n", if (rater * item) % 7 < 3 { "yes" } else { "no" });
        }
    }
    let file = desk.file("crowd.csv", rows);
    let asked = ["agree", &file, "--categories", "no,yes"];
    let tables = desk.json(&asked);
    let pairs = tables.as_array().expect("tables").iter().find(|table| table["table"] == "pairs");
    let pairs = pairs.expect("a table of pairs");
    // Each met the three before and the three behind: 399 + 398 + 397 pairs.
    assert_eq!(pairs["rows"].as_array().map(Vec::len), Some(1_194));
    let note = pairs["notes"][0].as_str().expect("it is said");
    assert!(note.starts_with("1194 of the 79800 pairs of annotators are listed: those with items"), "{note}");
    let rows = pairs["rows"].as_array().expect("rows").iter();
    assert!(rows.clone().all(|row| row["items"].as_u64().is_some_and(|items| items > 0)));
    assert!(rows.clone().all(|row| row["a"] != "mean"), "no mean of pairs that were picked");
}
