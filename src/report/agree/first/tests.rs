use super::*;
use crate::agreement::{Bootstrap, Category, Clusters, Intervals, RatingsBuilder, Scale};
use crate::report::agree::{Comparison, Dropped, Grouping};

/// Items of one character an annotator, `.` for missing, in clusters of `size` items that follow each other.
fn comparison(annotators: &[&str], items: &[&str], size: u32) -> Comparison {
    let mut table =
        RatingsBuilder::new(Scale::Nominal, Category::numbered(["a", "b"])).expect("a good schema");
    for (item, row) in items.iter().enumerate() {
        for (annotator, label) in annotators.iter().zip(row.chars()).filter(|(_, label)| *label != '.') {
            table.add(&item.to_string(), annotator, &label.to_string()).expect("a new cell");
        }
    }
    let of_item = (0..).take(items.len()).map(|item: u32| item / size).collect();
    Comparison {
        tag: None,
        protocol: Some("tone".into()),
        question: Some("kind".into()),
        ratings: table.finish(),
        links: Default::default(),
        linked: None,
        grouping: Grouping {
            cluster: ClusterKind::Summary,
            clusters: Clusters::of(of_item),
            ..Grouping::default()
        },
        notes: Vec::new(),
    }
}

fn shown(comparisons: &[Comparison], intervals: Intervals) -> String {
    let findings: Vec<Findings> =
        comparisons.iter().map(|comparison| Findings::of(comparison, intervals)).collect();
    screen(&findings, 80)
}

/// Four items twenty times over, with `last` in the place of the eightieth.
fn eighty(last: &str) -> Vec<&str> {
    let mut items = ["aa", "aa", "bb", "ab"].repeat(20);
    items.pop();
    items.push(last);
    items
}

/// Of each 4 items ana and ben agree on 3, save in the last summary, where they agree on all: po = 61/80.
///
/// ana says a for 60 items, ben for 41: pe = (60 · 41 + 20 · 39)/80² = 0.50625, κ = 0.25625/0.49375 = 0.519. Together 101 a and 59 b
/// of 160; 19 items disagree, so alpha = 1 − 159 · 38/(2 · 101 · 59) = 0.493. AC1: pe = 2 · 0.63125 · 0.36875 = 0.46555, (0.7625 −
/// 0.46555)/0.53445 = 0.556. The largest kappa: ((41 + 20)/80 − pe)/(1 − pe) = 0.519.
///
/// Agreement without a summary is 58/76 = 0.763158, or 57/76 = 0.75 without the last: their mean is 0.7625, the squares add up to 19 ·
/// 0.000658² + 0.0125² = 0.000164474, SE² = 19/20 of that, SE = 0.0125. logit 0.7625 = 1.166435, t(0.975, 19) = 2.093024, and
/// 1.166435 ± 2.093024 · 0.0125/(0.7625 · 0.2375): 0.735 and 0.788.
#[test]
fn one_screen_says_which_kappa_over_what_how_sure_and_why_so_low() {
    let mut found = comparison(&["ana", "ben"], &eighty("aa"), 4);
    found.grouping.dropped = Dropped { unfinished: 1, not_asked: 3, ..Dropped::default() };
    let text = shown(&[found], Intervals::Jackknife);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..5],
        [
            "tone · kind (nominal)",
            "80 items in 20 summaries compared, rated by 2 annotators (ana, ben). Left out: 1",
            "judgment begun and not finished, 3 judgments where an earlier answer leaves the",
            "question out.",
            "                                  value  95 % interval    summaries",
        ],
        "{text}"
    );
    assert_eq!(lines[5], "  Percent agreement               0.762  0.735 to 0.788   20");
    for (line, (name, value)) in lines[6..9].iter().zip([
        ("Krippendorff's alpha, nominal", "0.493"),
        ("Cohen's kappa", "0.519"),
        ("Gwet's AC1", "0.556"),
    ]) {
        assert!(line.trim_start().starts_with(name) && line.contains(value), "{text}");
    }
    assert_eq!(
        lines[9..],
        [
            "Low kappa though they agree on 76\u{a0}%: 51\u{a0}% is chance, as 63\u{a0}% of labels are \"a\";",
            "(0.762 − 0.506)/(1 − 0.506) = 0.519, with these marginals 0.519 at most.",
            "",
            "95 % intervals over summaries; each summary is left out in turn (jackknife).",
            "People are taken as fixed. --full prints all.",
        ],
        "{text}"
    );
}

/// One of 12 labels in each of two summaries is b, and 6 of 12 in the third: w_b is larger than w_a, and the third holds most of what
/// varies. Of 48 labels in four summaries 8 are b: w_a = ½(1 − 2 · 5/6 + 26/36) = 1/36 and w_b = ½(1 − 1/3 + 26/36) = 25/36, so e is
/// (11 + 25)/36 = 1 twice, (6 + 150)/36 = 13/3 once, 12/36 = 1/3 once, and m = (20/3)²/(1 + 1 + 169/9 + 1/9) = 400/188 = 2.13.
#[test]
fn few_effective_clusters_stand_beside_the_interval_and_are_remarked_on() {
    let items: Vec<&str> = [
        ["aa", "aa", "aa", "aa", "aa", "ab"],
        ["aa", "aa", "aa", "aa", "ba", "aa"],
        ["bb", "ab", "aa", "bb", "aa", "ba"],
        ["aa", "aa", "aa", "aa", "aa", "aa"],
    ]
    .concat();
    let mut found = comparison(&["ana", "ben"], &items, 6);
    found.grouping.within = Some(2);
    let text = shown(&[found], Intervals::Jackknife);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.lines().any(|line| line.contains("alpha") && line.ends_with("  4 (in effect 2.1)")),
        "{text}"
    );
    assert!(text.lines().any(|line| line.contains("AC1") && line.ends_with("  4")), "{text}");
    for wanted in [
        "The labels vary in effectively 2.1 of 4 summaries; the interval is wide for this reason.",
        "Agreement holds for these 2 queries only; with fewer than three, intervals are over summaries.",
    ] {
        assert!(words.contains(wanted), "{wanted}: {text}");
    }
    assert!(text.lines().all(|line| columns_of(line) <= 80), "{text}");
}

/// ana and ben agree on 3 of 4 (κ = 0.5 as above), ana and chi on all (1), ben and chi as ana and ben; one item more has a
/// single rating, so that Fleiss' kappa is the generalised one.
#[test]
fn three_annotators_have_a_worst_and_a_best_pair() {
    let items = ["aaa", "aaa", "bbb", "aba", "..a"];
    let none = Intervals::Bootstrap(Bootstrap { resamples: 0, seed: 7 });
    let text = shown(&[comparison(&["ana", "ben", "chi"], &items, 1)], none);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for wanted in [
        "4 items in 4 summaries compared, rated by 3 annotators (ana, ben, chi). Left out: 1 item rated once only.",
        "Worst pair by Cohen's kappa: ana and ben 0.500 (4 items); best: ana and chi 1.000 (4 items).",
        "Fleiss' kappa, generalised 0.",
        "No resamples, so no intervals. --full prints all.",
    ] {
        assert!(words.contains(wanted), "{wanted}: {text}");
    }
}

#[test]
fn what_is_undefined_says_why_and_few_clusters_are_warned_of() {
    let drawn = Intervals::Bootstrap(Bootstrap { resamples: 100, seed: 7 });
    let text = shown(&[comparison(&["ana", "ben"], &["aa", "aa", "aa"], 1)], drawn);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for wanted in [
        "Cohen's kappa – – ",
        "–: All ratings that count lie in one category",
        "Warning: only 3 summaries with items that were rated twice; under 20,",
    ] {
        assert!(words.contains(wanted), "{wanted}: {text}");
    }
}

#[test]
fn two_questions_fit_one_screen_and_share_their_notes() {
    let mut one = comparison(&["ana", "ben"], &eighty("aa"), 4);
    one.notes.push("People only.".into());
    let mut other = comparison(&["ana", "ben"], &eighty("bb"), 4);
    other.notes.push("People only.".into());
    let text = shown(&[one, other], Intervals::Jackknife);
    assert_eq!(text.matches("People only.").count(), 1, "{text}");
    assert!(text.lines().count() < 24 && text.lines().all(|line| columns_of(line) <= 80), "{text}");
}

/// ana and ben differ on 4 of 45 items, and say "b" three times of 90; 200 items that ana alone calls "b" are in no kappa of two. pe =
/// (43 · 42 + 2 · 3)/45² = 0.895, po = 42/45.
#[test]
fn the_commonest_label_is_that_of_the_ratings_compared() {
    let items = [vec!["aa"; 41], vec!["ab", "ba", "ab", "bb"], vec!["b."; 200]].concat();
    let text = shown(&[comparison(&["ana", "ben"], &items, 1)], Intervals::Jackknife);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("89 % is chance, as 94 % of labels are \"a\";"), "{words}");
}

/// Each says "a" of one half of the items and "b" of the other, and they agree on half: κ is a zero without a sign.
#[test]
fn the_sentence_has_no_negative_zero() {
    let items = ["aa", "ab", "ba", "bb", "aa", "ab", "ba", "bb", "aa", "ab", "ba", "bb"];
    let text = shown(&[comparison(&["ana", "ben"], &items, 1)], Intervals::Jackknife);
    assert!(!text.contains("-0.000"), "{text}");
    assert!(text.replace('\n', " ").contains("(0.500 − 0.500)/(1 − 0.500) = 0.000"), "{text}");
}
