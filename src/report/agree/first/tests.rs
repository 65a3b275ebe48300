use super::*;
use crate::agreement::{Bootstrap, Category, Clusters, RatingsBuilder, Scale};
use crate::report::agree::Resampling;
use crate::report::agree::comparison::Comparison;
use crate::report::agree::grouping::{ClusterKind, Dropped, Grouping};

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

fn resampling(resamples: u32) -> Resampling {
    Resampling { bootstrap: Bootstrap { resamples, seed: 7 }, for_all: true }
}

fn shown(comparisons: &[Comparison], resamples: u32) -> String {
    let resampling = resampling(resamples);
    let findings: Vec<Findings> =
        comparisons.iter().map(|comparison| Findings::of(comparison, resampling)).collect();
    screen(&findings, 80)
}

/// 20 summaries of the same content: whatever is drawn, the numbers are the same.
///
/// Of each 4 items ana and ben agree on 3: po = 0.75. ana says a for 3/4, ben for 2/4: pe = 0.75 · 0.5 + 0.25 · 0.5 = 0.5,
/// κ = 0.5. Together 100 a and 60 b of 160; 20 items disagree, so alpha = 1 − 159 · 40/(2 · 100 · 60) = 0.47. AC1: pe = 2 ·
/// 0.625 · 0.375 = 0.46875, (0.75 − 0.46875)/0.53125 = 0.529. The largest kappa: (0.5 + 0.25 − 0.5)/0.5 = 0.5.
#[test]
fn one_screen_says_which_kappa_over_what_how_sure_and_why_so_low() {
    let mut found = comparison(&["ana", "ben"], &["aa", "aa", "bb", "ab"].repeat(20), 4);
    found.grouping.dropped = Dropped { unfinished: 1, stale: 0, not_asked: 3, unknown_label: 0 };
    assert_eq!(
        shown(&[found], 100),
        "tone · kind (nominal)\n\
         80 items compared, rated by 2 annotators (ana, ben). Left out: 1 judgment begun\n\
         and not finished, 3 judgments where an earlier answer leaves the question out.\n\
         \x20                                 value  95 % interval     from\n\
         \x20 Percent agreement               0.750  0.750 to 0.750    20 summaries\n\
         \x20 Krippendorff's alpha, nominal   0.470  0.470 to 0.470    20 summaries\n\
         \x20 Cohen's kappa                   0.500  0.500 to 0.500    20 summaries\n\
         \x20 Gwet's AC1                      0.529  0.529 to 0.529    20 summaries\n\
         Low kappa though they agree on 75\u{a0}%: 50\u{a0}% is chance, as 62\u{a0}% of labels are \"a\";\n\
         (0.75 − 0.50)/(1 − 0.50) = 0.50, with these marginals 0.50 at most.\n\
         \n\
         100 resamples, seed 7. --full prints all.\n"
    );
}

/// ana and ben agree on 3 of 4 (κ = 0.5 as above), ana and chi on all (1), ben and chi as ana and ben; one item more has a
/// single rating, so that Fleiss' kappa is the generalised one.
#[test]
fn three_annotators_have_a_worst_and_a_best_pair() {
    let items = ["aaa", "aaa", "bbb", "aba", "..a"];
    let text = shown(&[comparison(&["ana", "ben", "chi"], &items, 1)], 0);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for wanted in [
        "4 items compared, rated by 3 annotators (ana, ben, chi). Left out: 1 item rated once only.",
        "Worst pair by Cohen's kappa: ana and ben 0.500 (4 items); best: ana and chi 1.000 (4 items).",
        "Fleiss' kappa, generalised 0.",
        "No resamples; formulas take items as independent. --full prints all.",
    ] {
        assert!(words.contains(wanted), "{wanted}: {text}");
    }
}

#[test]
fn what_is_undefined_says_why_and_few_clusters_are_warned_of() {
    let text = shown(&[comparison(&["ana", "ben"], &["aa", "aa", "aa"], 1)], 100);
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
    let mut one = comparison(&["ana", "ben"], &["aa", "aa", "bb", "ab"].repeat(20), 4);
    one.notes.push("People only.".into());
    let mut other = comparison(&["ana", "ben"], &["aa", "bb", "bb", "ab"].repeat(20), 4);
    other.notes.push("People only.".into());
    let text = shown(&[one, other], 100);
    assert_eq!(text.matches("People only.").count(), 1, "{text}");
    assert!(text.lines().count() < 24 && text.lines().all(|line| columns_of(line) <= 80), "{text}");
}
