//! Worked examples from the literature, typed in from the sources named.

use super::*;

/// Ratings written as rows of one character a rater, `.` for missing.
fn table(categories: &str, rows: &[&str]) -> Ratings {
    on(Scale::Interval, categories, rows)
}

/// The same on another scale.
pub(super) fn on(scale: Scale, categories: &str, rows: &[&str]) -> Ratings {
    let labels = categories.chars().map(String::from);
    let mut table = RatingsBuilder::new(scale, Category::numbered(labels)).expect("a good schema");
    for (item, row) in rows.iter().enumerate() {
        for (rater, label) in row.chars().enumerate() {
            table.rater(&rater.to_string()).expect("room");
            if label != '.' {
                table.add(&item.to_string(), &rater.to_string(), &label.to_string()).expect("a new cell");
            }
        }
    }
    table.finish()
}

/// Two raters' contingency table, rows the first rater, as a ratings table.
fn contingency(counts: &[&[usize]]) -> Ratings {
    let categories: String = ('a'..='z').take(counts.len()).collect();
    let letters: Vec<char> = categories.chars().collect();
    let mut rows = Vec::new();
    for (row, first) in counts.iter().zip(&letters) {
        for (count, second) in row.iter().zip(&letters) {
            rows.extend(std::iter::repeat_n(format!("{first}{second}"), *count));
        }
    }
    table(&categories, &rows.iter().map(String::as_str).collect::<Vec<_>>())
}

fn find(ratings: &Ratings, name: &str) -> Coefficient {
    let found = all(ratings).into_iter().find(|coefficient| coefficient.name == name);
    found.unwrap_or_else(|| panic!("no {name}"))
}

/// Compares values with printed ones of so many decimals.
fn prints(ratings: &Ratings, decimals: i32, wanted: &[(&str, f64)]) {
    let half = 0.5 * 10f64.powi(-decimals) * (1.0 + 1e-9);
    for (name, printed) in wanted {
        let value = find(ratings, name).value.expect("defined");
        assert!((value - printed).abs() <= half, "{name}: {value}, printed {printed}");
    }
}

fn prints_error(ratings: &Ratings, name: &str, decimals: i32, printed: f64) {
    let se = find(ratings, name).precision.se.expect("a formula").expect("defined");
    assert!((se - printed).abs() <= 0.5 * 10f64.powi(-decimals), "{name}: SE {se}, printed {printed}");
}

/// Cohen 1960, Educational and Psychological Measurement 20:37: 200 patients, two psychiatrists.
#[test]
fn cohen_1960() {
    let ratings = contingency(&[&[88, 14, 18], &[10, 40, 10], &[2, 6, 12]]);
    prints(&ratings, 3, &[("cohen_kappa", 0.492), ("percent_agreement", 0.7)]);
}

/// Fleiss 1971, Psychological Bulletin 76:378, table 1: 30 patients, six psychiatrists each.
#[test]
fn fleiss_1971() {
    let counts = [
        "00060", "03003", "01401", "00006", "03030", "20400", "00402", "20310", "20040", "00006", "10050",
        "11040", "03300", "10050", "02031", "00501", "30012", "51000", "02040", "10203", "00006", "01050",
        "02013", "20040", "10041", "05010", "40002", "02040", "10500", "00006",
    ];
    let expand = |row: &str| -> String {
        let repeat = |(category, count): (char, char)| {
            std::iter::repeat_n(category, count.to_digit(10).expect("a digit") as usize)
        };
        "abcde".chars().zip(row.chars()).flat_map(repeat).collect()
    };
    let rows: Vec<String> = counts.map(expand).into();
    let ratings = table("abcde", &rows.iter().map(String::as_str).collect::<Vec<_>>());
    prints(&ratings, 3, &[("fleiss_kappa", 0.430), ("percent_agreement_items", 0.556)]);
}

/// Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, examples A and B.
#[test]
fn krippendorff_2011_complete() {
    let binary = table("01", &["10", "11", "01", "00", "00", "01", "00", "01", "00", "00"]);
    prints(&binary, 3, &[("krippendorff_alpha_nominal", 0.095)]);
    let nominal = table("abcde", &["ab", "aa", "bb", "bb", "db", "cc", "cc", "cc", "ee", "dd", "dd", "ad"]);
    prints(&nominal, 3, &[("krippendorff_alpha_nominal", 0.692)]);
}

/// Krippendorff 2011, example C: four observers, twelve units, missing ratings.
#[test]
fn krippendorff_2011_missing() {
    let ratings = table(
        "12345",
        &["11.1", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", ".555", "..11", ".3.."],
    );
    let alpha = [
        ("krippendorff_alpha_nominal", 0.743),
        ("krippendorff_alpha_ordinal", 0.815),
        ("krippendorff_alpha_interval", 0.849),
    ];
    prints(&ratings, 3, &alpha);
    assert_eq!(find(&ratings, "fleiss_kappa").value, Err(Undefined::UnequalRatingsPerItem));
}

/// Gwet 2014, Handbook of Inter-Rater Reliability, data set `cac.raw4raters`; values as printed by irrCAC (R).
#[test]
fn gwet_2014_raw4raters() {
    let ratings = table(
        "12345",
        &["11.1", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", ".555", "..11", "..3."],
    );
    let values = [
        ("percent_agreement_items", 0.81818),
        ("gwet_ac1", 0.77544),
        ("fleiss_kappa_generalized", 0.76117),
        ("krippendorff_alpha_nominal", 0.74342),
        ("brennan_prediger", 0.77273),
        ("gwet_ac2_quadratic", 0.91400),
        ("krippendorff_alpha_interval", 0.84911),
    ];
    prints(&ratings, 5, &values);
    prints_error(&ratings, "percent_agreement_items", 5, 0.12561);
    prints_error(&ratings, "gwet_ac1", 5, 0.14295);
    prints_error(&ratings, "fleiss_kappa_generalized", 5, 0.15302);
    prints_error(&ratings, "krippendorff_alpha_nominal", 5, 0.14557);
    prints_error(&ratings, "brennan_prediger", 5, 0.14472);
    prints_error(&ratings, "gwet_ac2_quadratic", 5, 0.10396);
    prints_error(&ratings, "krippendorff_alpha_interval", 5, 0.12913);
    let interval = find(&ratings, "gwet_ac1").precision.interval.expect("a formula").expect("defined");
    assert!((interval.low - 0.461).abs() < 5e-4 && interval.high == 1.0, "{interval:?}");
}

/// Gwet 2014, data set `cont3x3abstractors`; values as printed by irrCAC (R).
#[test]
fn gwet_2014_abstractors() {
    let ratings = contingency(&[&[13, 0, 0], &[0, 20, 7], &[0, 4, 56]]);
    let values = [
        ("cohen_kappa", 0.796_409_4),
        ("scott_pi", 0.796_239_7),
        ("gwet_ac1", 0.849_330_5),
        ("brennan_prediger", 0.835),
        ("pabak", 0.835),
        ("krippendorff_alpha_nominal", 0.797_258_5),
        ("cohen_kappa_quadratic", 0.892_156_9),
    ];
    prints(&ratings, 7, &values);
    prints_error(&ratings, "cohen_kappa", 8, 0.058_910_72);
    prints_error(&ratings, "scott_pi", 8, 0.059_054_73);
    prints_error(&ratings, "cohen_kappa_quadratic", 8, 0.035_351_51);
}

/// SAS/STAT PROC FREQ: 19 items, three ordered levels; level 1 is never used by the second rater.
#[test]
fn sas_proc_freq() {
    let ratings = contingency(&[&[0, 4, 1], &[0, 8, 0], &[0, 1, 5]]);
    prints(&ratings, 4, &[("cohen_kappa", 0.4842), ("cohen_kappa_linear", 0.4701)]);
    prints_error(&ratings, "cohen_kappa", 4, 0.1380);
    prints_error(&ratings, "cohen_kappa_linear", 4, 0.1457);
    let se0 = |name| find(&ratings, name).precision.se0.expect("a formula").expect("defined");
    assert!((se0("cohen_kappa") - 0.1484).abs() < 5e-5);
    assert!((se0("cohen_kappa_linear") - 0.1426).abs() < 5e-5);
}

/// Randolph 2005, calculator example: free and fixed marginals of seven raters on two items.
#[test]
fn randolph_2005() {
    let ratings = table("abc", &["aaaaaab", "bbbbbbb"]);
    prints(&ratings, 6, &[("randolph_kappa", 0.785_714), ("fleiss_kappa", 0.708_333)]);
}

/// Feinstein & Cicchetti 1990, Journal of Clinical Epidemiology 43:543: the same agreement, another kappa.
#[test]
fn feinstein_cicchetti_1990() {
    prints(&contingency(&[&[40, 9], &[6, 45]]), 2, &[("cohen_kappa", 0.70), ("pabak", 0.70)]);
    prints(&contingency(&[&[80, 10], &[5, 5]]), 2, &[("cohen_kappa", 0.32), ("pabak", 0.70)]);
}

#[test]
fn one_category_only_is_undefined_where_chance_would_agree_too() {
    let ratings = table("abc", &["aa"; 10]);
    for name in
        ["cohen_kappa", "scott_pi", "fleiss_kappa", "fleiss_kappa_generalized", "krippendorff_alpha_ordinal"]
    {
        assert_eq!(find(&ratings, name).value, Err(Undefined::ZeroExpectedDisagreement), "{name}");
    }
    for name in ["gwet_ac1", "gwet_ac2_linear", "brennan_prediger", "randolph_kappa", "pabak"] {
        assert_eq!(find(&ratings, name).value, Ok(1.0), "{name}");
    }
    assert_eq!(
        find(&ratings, "light_kappa").pairs,
        Some(PairsUsed { defined: 0, total: 1, least_items: 10 })
    );
}

#[test]
fn a_perfect_correlation_is_exact_and_has_no_interval() {
    let codes = [0.1, 0.2, 0.3].map(|code| Category::new(code.to_string(), code)).to_vec();
    let mut table = RatingsBuilder::new(Scale::Interval, codes).expect("a good schema");
    for (item, (first, second)) in
        [("0.1", "0.3"), ("0.2", "0.2"), ("0.3", "0.1"), ("0.3", "0.1")].iter().enumerate()
    {
        table.add(&item.to_string(), "a", first).expect("a new cell");
        table.add(&item.to_string(), "b", second).expect("a new cell");
    }
    let r = find(&table.finish(), "pearson_r");
    assert_eq!((r.value, r.precision.interval), (Ok(-1.0), Some(Err(Undefined::PerfectCorrelation))));
}

/// The coefficient beside the lowest that it could be.
fn placed(ratings: &Ratings, name: &str) -> Placed {
    let definition = Definition::named(name).expect("in the table");
    definition.placed(&Counts::of(ratings)).expect("it applies").expect("defined")
}

/// Three of 30 ratings are b, none of them agreed on, in items of two, three and five: 2/2, 2/3 and 2/5 of their pairs disagree, as
/// many as b allows. π = 1/10, so pe of alpha is 2 · 27 · 3/(30 · 29), and its lowest is 1 − 2 · 0.1 · 30 · 29/(2 · 27 · 3).
#[test]
fn as_much_disagreement_as_the_labels_allow_is_known_from_counts() {
    let rows = ["ab...", "aab..", "aaaab", "aaaaa", "aaaaa", "aaa..", "aaaaa", "aa..."];
    let ratings = table("abc", &rows);
    assert_eq!(find(&ratings, "krippendorff_alpha_nominal").ratings, 30);
    for name in [
        "krippendorff_alpha_nominal",
        "krippendorff_alpha_ordinal",
        "krippendorff_alpha_interval",
        "fleiss_kappa_generalized",
    ] {
        let found = placed(&ratings, name);
        assert_eq!(found.value, found.lowest, "{name}");
    }
    let lowest = placed(&ratings, "krippendorff_alpha_nominal").lowest;
    assert!((lowest - (1.0 - 0.2 * 870.0 / 162.0)).abs() < 1e-12, "{lowest}");
    // One b that is agreed on, and it is not the lowest any more.
    let ratings = table("abc", &[&rows[..7], &["bb..."]].concat());
    let found = placed(&ratings, "krippendorff_alpha_nominal");
    assert!(found.value > found.lowest + 0.1, "{found:?}");
    // Two people: 2 of 8 labels are b, so the lowest pi is 1 − 0.5/(1 − 0.75² − 0.25²).
    let found = placed(&table("ab", &["aa", "aa", "bb", "aa"]), "scott_pi");
    assert!((found.value, (found.lowest + 1.0 / 3.0).abs() < 1e-12) == (1.0, true), "{found:?}");
    assert_eq!(
        placed(&table("ab", &["aa", "ab", "aa", "ba"]), "scott_pi"),
        Placed { value: found.lowest, ..found }
    );
    // Where all labels are apart everywhere; with weights only where they are as far apart as can be.
    let apart = table("abc", &["ac", "ca", "ac"]);
    for name in ["gwet_ac1", "gwet_ac2_ordinal", "randolph_kappa", "pabak", "cohen_kappa_linear"] {
        let found = placed(&apart, name);
        assert_eq!(found.value, found.lowest, "{name}");
    }
    assert!(placed(&table("abc", &["ab", "ca", "ac"]), "gwet_ac2_linear").value > -0.9);
}

/// One item that two people label a and b, and others that one person labels a. With 8 of them π_b = 0.5/9 = 1/18, so the
/// generalised Fleiss kappa is 1 − 1/(2 · 1/18 · 17/18) = −145/17, below −1; with none, π_b = 1/2 and it is −1.
/// AC2 with quadratic weights of three labels, one item a and c, one of b alone: π = 1/4, 1/2, 1/4, T = (3 + 4 · 3/4)/6 = 1, pe =
/// 2 · 3/16 + 1/4 = 5/8 and −5/3.
#[test]
fn no_kappa_lies_below_minus_one() {
    let single = ["ab", "a.", "a.", "a.", "a.", "a.", "a.", "a.", "a."];
    let fleiss = |rows: &[&str]| find(&table("ab", rows), "fleiss_kappa_generalized");
    let found = fleiss(&single);
    assert_eq!(found.value, Err(Undefined::BelowMinusOne));
    assert_eq!(found.precision.se, Some(Err(Undefined::BelowMinusOne)));
    assert_eq!(fleiss(&single[..1]).value, Ok(-1.0));
    // The labels compared are those of one item, whatever stands elsewhere.
    for name in ["cohen_kappa", "scott_pi", "krippendorff_alpha_nominal", "gwet_ac1"] {
        assert!(find(&table("ab", &single), name).value.is_ok(), "{name}");
    }
    let ordered = table("abc", &["ac", "b."]);
    assert_eq!(find(&ordered, "gwet_ac2_quadratic").value, Err(Undefined::BelowMinusOne));
}

#[test]
fn one_common_item_has_a_kappa_but_no_error() {
    let kappa = find(&table("ab", &["ab"]), "cohen_kappa");
    assert_eq!(kappa.value, Ok(0.0));
    assert_eq!(kappa.precision.se, Some(Err(Undefined::TooFewItems)));
    assert_eq!(kappa.precision.interval, Some(Err(Undefined::TooFewItems)));
}

#[test]
fn codes_far_apart_or_equal_give_no_infinity() {
    let schema = |codes: [f64; 2]| vec![Category::new("a", codes[0]), Category::new("b", codes[1])];
    for (codes, value) in
        [([f64::MIN, f64::MAX], Ok(-0.1)), ([7.0, 7.0], Err(Undefined::ZeroExpectedDisagreement))]
    {
        let mut table = RatingsBuilder::new(Scale::Interval, schema(codes)).expect("a good schema");
        for (item, row) in
            ["aaa", "aab", "aaa", "aab", "aaa"].iter().enumerate().map(|(i, r)| (i.to_string(), r))
        {
            for (rater, label) in row.chars().enumerate() {
                table.add(&item, &rater.to_string(), &label.to_string()).expect("a new cell");
            }
        }
        let ratings = table.finish();
        let alpha = find(&ratings, "krippendorff_alpha_interval").value;
        let nominal = find(&ratings, "krippendorff_alpha_nominal").value;
        match value {
            Ok(_) => assert!((alpha.expect("defined") - nominal.expect("defined")).abs() < 1e-12),
            Err(reason) => assert_eq!(alpha, Err(reason)),
        }
    }
}

#[test]
fn labels_without_an_order_have_no_weights_and_no_r() {
    let pair = pairs(&table("abc", &["aa", "ba", "ab", "cb", "cc"])).remove(0);
    let values = |pair: &Pair| pair.statistics().map(|(_, value)| value);
    assert_eq!(values(&pair.clone().on(Scale::Ordinal)), values(&pair));
    let none = Err(Undefined::NoOrder);
    let expected = [pair.percent_agreement, pair.cohen_kappa, none, none, none];
    assert_eq!(values(&pair.on(Scale::Nominal)), expected);
}

#[test]
fn pairs_have_values_or_reasons() {
    let ratings = table("ab", &["aaa", "aab", "..a"]);
    let pairs = pairs(&ratings);
    assert_eq!(pairs[0].cohen_kappa, Err(Undefined::ZeroExpectedDisagreement));
    assert_eq!((pairs[1].a.as_str(), pairs[1].b.as_str(), pairs[1].items), ("0", "2", 2));
    assert_eq!((pairs[1].percent_agreement, pairs[1].cohen_kappa), (Ok(0.5), Ok(0.0)));
    let confusion = Confusion::between(&ratings, 0, 2).expect("raters");
    assert_eq!(confusion.rows().collect::<Vec<_>>(), [[1, 1], [0, 0]]);
    assert!(Confusion::between(&ratings, 0, 3).is_none());
}

/// 78 pairs of 254 × 254 counters do not fit one block.
#[test]
fn pairs_counted_in_several_blocks() {
    let labels = (0..254).map(|number| number.to_string());
    let mut builder = RatingsBuilder::new(Scale::Nominal, Category::numbered(labels)).expect("a good schema");
    for item in 0..20_usize {
        for rater in (0..13_usize).filter(|rater| (item + rater) % 5 != 0) {
            let label = (item * 97 + rater * (item % 3)) % 254;
            builder.add(&item.to_string(), &rater.to_string(), &label.to_string()).expect("a new cell");
        }
    }
    let ratings = builder.finish();
    let counts = Counts::of(&ratings);
    let mut seen = Vec::new();
    counts.each_pair(|a, b, table| {
        seen.push((a, b));
        assert_eq!(Some(table), Confusion::between(&ratings, a, b).as_ref(), "{a} and {b}");
    });
    let every: Vec<_> = (0..13).flat_map(|a| (a + 1..13).map(move |b| (a, b))).collect();
    assert_eq!(seen, every);
}
