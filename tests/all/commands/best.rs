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
    let json = desk.json(&[&asked[..], &["--best-by", "randolph_kappa"]].concat());
    let best = &json["best"];
    assert_eq!((&best["size"], &best["by"]), (&2.into(), &"randolph_kappa".into()));
    let subsets = best["subsets"].as_array().expect("subsets");
    assert_eq!(subsets.len(), 6);
    let values: Vec<(String, f64)> = subsets
        .iter()
        .map(|subset| {
            let names = subset["annotators"].as_array().expect("names").iter();
            let names: Vec<&str> = names.filter_map(|name| name.as_str()).collect();
            (names.join(""), subset["randolph_kappa"].as_f64().expect("a number"))
        })
        .collect();
    // (Po − 1/2) / (1 − 1/2): ab 8 of 8, ac and bc 6 of 8, ad and bd 4 of 8, cd 4 of 8 (1, 3, 6, 7 are equal, and 8 is not).
    let expected = [("ab", 1.0), ("ac", 0.5), ("bc", 0.5), ("ad", 0.0), ("bd", 0.0), ("cd", 0.0)];
    for ((name, value), (expected_name, expected)) in values.iter().zip(expected) {
        assert_eq!(name, expected_name);
        assert!((value - expected).abs() < 1e-12, "{name} {value}");
    }
    assert_eq!((&subsets[0]["low"], &subsets[0]["high"]), (&1.0.into(), &1.0.into()));
    assert!(subsets[1]["low"].as_f64() < Some(0.5) && subsets[1]["high"] == 1.0);

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
