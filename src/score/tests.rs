//! Scores of whole summaries and systems.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::text::bullets::SummaryLength;

/// Coverage, bullets, gold documents.
type Insight<'a> = (Option<f64>, &'a [u32], Option<&'a [u32]>);

fn summary(candidate: &str, order: Option<&str>, text: &str, insights: &[Insight<'_>]) -> SummaryJudged {
    let origin = Origin {
        collection: "exam".into(),
        query: "stress".into(),
        annotator: "alice".into(),
        candidate: Some(candidate.into()),
        system: Some(System {
            retriever: Some("oracle".into()),
            summarizer: Some("gpt-4o".into()),
            order: order.map(str::to_owned),
        }),
        ..Origin::default()
    };
    let insights = insights.iter().enumerate().map(|(at, (coverage, bullets, gold))| InsightJudged {
        insight: AskedInsight {
            unit: format!("unit {}", at + 1),
            gold: gold.map(|gold| Arc::new(gold.iter().copied().collect())),
        },
        said: InsightSaid { coverage: *coverage, bullets: bullets.to_vec() },
    });
    SummaryJudged::of(origin, text, insights.collect())
}

fn near(measure: Measure, expected: f64) {
    let value = measure.unwrap_or_else(|reason| panic!("{expected} expected: {reason}"));
    assert!((value - expected).abs() < 1e-9, "{value} should be {expected}");
}

/// The summary of Laban et al. 2024, Summary of a Haystack, Fig. 2, without its lead-in line.
fn figure_2() -> SummaryJudged {
    let text = "Students shared various methods for handling stress, including the use of meditation apps such as \
                'Calm' to promote relaxation and focus [79,11,46,53,54].\n\
                The 25-5 minute Pomodoro Technique was discussed for its structure and possible positive impact on \
                productivity and well-being [79,80].\n\
                A structured schedule for study and breaks was discussed as crucial for preventing stress and \
                promoting effective exam preparation [80,23].";
    summary(
        "figure 2",
        None,
        text,
        &[
            (Some(100.0), &[2], Some(&[8, 32, 79, 83, 95])),
            (Some(50.0), &[1], Some(&[11, 30, 46, 53, 79, 80])),
            (Some(0.0), &[], Some(&[8, 32, 46, 53, 69, 91, 95])),
        ],
    )
}

/// The scores of each insight, in order; `None` where it is not judged.
fn insight_scores(summary: &SummaryJudged) -> Vec<Option<InsightScore>> {
    let judged = summary.judged();
    judged.map(|(asked, said)| said.score(asked.gold.as_deref(), &summary.text.bullets)).collect()
}

#[test]
fn the_worked_example_of_the_paper_comes_out() {
    let summary = figure_2();
    let each = insight_scores(&summary);
    let [Some(pomodoro), Some(calm), Some(breathing)] = &each[..] else { panic!("all judged: {each:?}") };

    // Pomodoro: cited {79, 80}, gold {8, 32, 79, 83, 95}, right {79}:
    // P = 1/2, R = 1/5, F1 = 2 · 1/10 / (7/10) = 2/7; fully covered, joint 1 · 2/7.
    let citation = pomodoro.parts.citation.expect("linked");
    near(Ok(citation.precision), 50.0);
    near(Ok(citation.recall), 20.0);
    near(Ok(citation.f1), 200.0 / 7.0);
    near(pomodoro.parts.joint, 200.0 / 7.0);
    // Calm: cited {11, 46, 53, 54, 79}, gold {11, 30, 46, 53, 79, 80}, right {11, 46, 53, 79}:
    // P = 4/5, R = 4/6, F1 = 2 · 8/15 / (22/15) = 8/11; partially covered, joint 1/2 · 8/11 = 4/11.
    let citation = calm.parts.citation.expect("linked");
    near(Ok(citation.precision), 80.0);
    near(Ok(citation.recall), 200.0 / 3.0);
    near(Ok(citation.f1), 800.0 / 11.0);
    near(calm.parts.joint, 400.0 / 11.0);
    assert_eq!((breathing.parts.coverage, breathing.parts.joint), (0.0, Ok(0.0)));

    let scores = summary.scores();
    // (100 + 50 + 0) / 3; printed 50
    near(scores.coverage, 50.0);
    // (2/7 + 8/11) / 2 = 39/77; printed 51
    near(scores.citation, 3900.0 / 77.0);
    // (2/7 + 4/11 + 0) / 3 = 50/231; printed 22
    near(scores.joint, 5000.0 / 231.0);
    near(scores.precision, 65.0);
    near(scores.recall, (20.0 + 200.0 / 3.0) / 2.0);
    // 22 + 19 + 20 words, three bullets
    near(scores.words_per_bullet, 61.0 / 3.0);
}

#[test]
fn systems_pool_insights_and_may_average_summaries() {
    let one = summary("1", None, "a [1]", &[(Some(100.0), &[1], Some(&[1]))]);
    let three = [
        (Some(50.0), &[1][..], Some(&[1, 2][..])),
        (Some(0.0), &[], Some(&[3])),
        (Some(0.0), &[], Some(&[3])),
    ];
    let other = summary("2", None, "b c d [1]\ne", &three);
    // Second summary: P 100, R 50, F1 200/3, joint of its insight 100/3.
    let summaries = [one, other];
    let rows = scores_by(&summaries, &["system"], Average::Insight).rows;
    let (group, pooled) = &rows[0];
    assert_eq!(*group, [Some("oracle gpt-4o".to_owned())]);
    let pooled = pooled.scores;
    near(pooled.coverage, 150.0 / 4.0);
    near(pooled.citation, (100.0 + 200.0 / 3.0) / 2.0);
    near(pooled.joint, (100.0 + 100.0 / 3.0) / 4.0);
    near(pooled.words_per_bullet, 7.0 / 3.0);
    let CoverageCounts { summaries: two, judged, units, covered, .. } = pooled.counts;
    assert_eq!((two, judged, units, covered), (2, Counted { items: 4, judgments: 4 }, 4, 2));

    let averaged = &scores_by(&summaries, &["system"], Average::Summary).rows[0].1.scores;
    near(averaged.coverage, (100.0 + 50.0 / 3.0) / 2.0);
    near(averaged.citation, (100.0 + 200.0 / 3.0) / 2.0);
    near(averaged.joint, (100.0 + 100.0 / 9.0) / 2.0);
    near(averaged.words_per_bullet, (2.0 + 2.5) / 2.0);
}

#[test]
fn two_annotators_of_one_summary_are_one_summary() {
    let alice = summary("1", None, "a b [1]", &[(Some(100.0), &[1], Some(&[1]))]);
    let mut bob = summary("1", None, "a b [1]", &[(Some(0.0), &[], Some(&[1]))]);
    Arc::make_mut(&mut bob.origin).annotator = "bob".into();
    let scores = scores(&[&alice, &bob], Average::Insight);
    assert_eq!((scores.counts.summaries, scores.counts.judged), (1, Counted { items: 1, judgments: 2 }));
    near(scores.coverage, 50.0);
    near(scores.words_per_bullet, 3.0);
}

#[test]
fn an_insight_that_several_judged_counts_once_in_every_score() {
    // Bullet 1 cites 1 and 2. The first insight: three people say full by it (gold 1, 2: F1 100), partial by it, and not
    // covered: coverage (100 + 50 + 0) / 3, citation 100, joint (100 + 50 + 0) / 3. The second, judged by one: partial,
    // gold 1 and 3, so P and R are 50. The third, by one: not covered.
    let gold = |numbers: &'static [u32]| Some(numbers);
    let by = |annotator: &str, insights: &[Insight<'_>]| {
        let mut summary = summary("1", None, "a [1, 2]", insights);
        Arc::make_mut(&mut summary.origin).annotator = annotator.into();
        summary
    };
    let open: Insight<'_> = (None, &[], None);
    let judged = [
        by(
            "ana",
            &[
                (Some(100.0), &[1], gold(&[1, 2])),
                (Some(50.0), &[1], gold(&[1, 3])),
                (Some(0.0), &[], gold(&[4])),
            ],
        ),
        by("ben", &[(Some(50.0), &[1], gold(&[1, 2])), open, open]),
        by("cho", &[(Some(0.0), &[], gold(&[1, 2])), open, open]),
    ];
    let found = scores(&judged.iter().collect::<Vec<_>>(), Average::Insight);
    near(found.coverage, (50.0 + 50.0 + 0.0) / 3.0);
    near(found.citation, (100.0 + 50.0) / 2.0);
    near(found.joint, (50.0 + 25.0 + 0.0) / 3.0);
    assert_eq!(found.counts.judged, Counted { items: 3, judgments: 5 });
    assert_eq!((found.counts.units, found.counts.covered), (3, 2));
    assert!(unfinished(&judged).is_empty(), "somebody judged each");
}

#[test]
fn what_is_not_judged_counts_nowhere_and_is_named() {
    let summary = summary(
        "1",
        None,
        "a [1]",
        &[(Some(100.0), &[1], Some(&[1])), (None, &[], Some(&[2])), (None, &[], Some(&[3]))],
    );
    let scores = summary.scores();
    near(scores.coverage, 100.0);
    near(scores.joint, 100.0);
    assert_eq!((scores.counts.judged.items, scores.counts.units), (1, 3));
    let list = [summary, figure_2()];
    let open = unfinished(&list);
    assert_eq!(open.len(), 1);
    assert_eq!((&open[0].units[..], open[0].of), (&["unit 2", "unit 3"][..], 3));
}

#[test]
fn every_lack_has_its_reason() {
    let reasons = |insights: &[Insight<'_>]| {
        let scores = summary("1", None, "a [1]", insights).scores();
        [scores.coverage.err(), scores.citation.err(), scores.joint.err()]
    };
    let nothing = Some(Undefined::NothingJudged);
    assert_eq!(reasons(&[]), [nothing; 3]);
    assert_eq!(reasons(&[(None, &[], Some(&[1]))]), [nothing; 3]);
    assert_eq!(reasons(&[(Some(0.0), &[], Some(&[1]))]), [None, Some(Undefined::NothingCovered), None]);
    let no_gold = Some(Undefined::NoGoldDocuments);
    assert_eq!(reasons(&[(Some(50.0), &[1], None)]), [None, no_gold, no_gold]);
    assert_eq!(reasons(&[(Some(0.0), &[], None)]), [None, Some(Undefined::NothingCovered), no_gold]);
    let unlinked = Some(Undefined::NothingLinked);
    assert_eq!(reasons(&[(Some(50.0), &[], Some(&[1]))]), [None, unlinked, unlinked]);
    let bare = summary("1", None, " \n", &[(Some(0.0), &[], None)]).scores();
    assert_eq!(bare.words_per_bullet, Err(Undefined::NoBullets));
}

#[test]
fn an_unlinked_insight_is_left_out_of_citation_and_joint_but_not_of_coverage() {
    let insights = [(Some(100.0), &[1][..], Some(&[1, 2][..])), (Some(50.0), &[], Some(&[3]))];
    let scores = summary("1", None, "a [1]", &insights).scores();
    near(scores.coverage, 75.0);
    near(scores.citation, 200.0 / 3.0);
    near(scores.joint, 200.0 / 3.0);
    assert_eq!((scores.counts.covered, scores.counts.unlinked), (2, 1));
}

#[test]
fn position_sensitivity_needs_all_three_orders() {
    let at = |order: &str, coverage: f64| {
        summary(order, Some(order), "a [1]", &[(Some(coverage), &[1], Some(&[1]))])
    };
    let mut summaries = vec![at("random", 50.0), at("top", 100.0), summary("none", None, "a", &[])];
    let found = position_sensitivity(&summaries, Average::Insight, Uncertainty::default());
    assert_eq!(found[0].sensitivity, Err(Undefined::OrdersMissing));
    near(found[0].top.value, 100.0);
    summaries.push(at("bottom", 0.0));
    summaries.push(at("bottom", 50.0));
    let found = position_sensitivity(&summaries, Average::Insight, Uncertainty::default());
    // random 50, top 100, bottom 25
    near(found[0].sensitivity, 50.0);
    near(found[0].bottom.value, 25.0);
    assert_eq!((found.len(), found[0].system.as_str()), (1, "oracle gpt-4o"));
    assert_eq!(position_sensitivity(&[figure_2()], Average::Insight, Uncertainty::default()), []);
}

#[test]
fn what_is_not_covered_has_no_citations_and_says_so() {
    let scores = summary("1", None, "a [1]", &[(Some(0.0), &[], Some(&[1]))]).scores();
    let judged = Counted { items: 1, judgments: 1 };
    // Joint is 0 where nothing is covered, so it is over this insight, and citation is over none.
    let counts =
        CoverageCounts { summaries: 1, judged, joined: judged, units: 1, ..CoverageCounts::default() };
    assert_eq!(scores.counts, counts);
    let none = Err(Undefined::NothingCovered);
    assert_eq!(
        scores.measures().map(|(_, measure)| measure),
        [Ok(0.0), none, Ok(0.0), none, none, Ok(2.0), Ok(1.0)]
    );
}

/// A summary of four bullets; covered insights are linked and their documents known when `whole`.
fn any_summary(whole: bool) -> impl Strategy<Value = SummaryJudged> {
    let numbers = || prop::collection::btree_set(1_u32..8, 0..5);
    let link = if whole { 1..2_usize } else { 0..3 };
    let gold = if whole { numbers().prop_map(Some).boxed() } else { prop::option::of(numbers()).boxed() };
    let coverage = prop::option::weighted(0.8, prop::sample::select(vec![0.0, 50.0, 100.0]));
    let insight = (coverage, prop::collection::vec(1_u32..5, link), gold)
        .prop_map(|(coverage, bullets, gold)| (gold.map(Arc::new), InsightSaid { coverage, bullets }));
    let parts =
        (prop::collection::vec(numbers(), 4), prop::collection::vec(insight, 0..7), 0..100_usize, 0..50_u32);
    parts.prop_map(|(bullets, insights, words, name)| {
        let origin = Origin { candidate: Some(name.to_string()), ..Origin::default() };
        let length = SummaryLength { words, uncited_words: words / 2, bullets: bullets.len() };
        let insight = |(at, (gold, said))| (AskedInsight { unit: format!("unit {at}"), gold }, said);
        let (insights, said): (Vec<_>, Vec<_>) = insights.into_iter().enumerate().map(insight).unzip();
        let said = said.into_iter().collect();
        let text = SummaryText { bullets: bullets.into(), length };
        SummaryJudged { origin: origin.into(), text, insights: insights.into(), said, weights: Vec::new() }
    })
}

fn values(scores: &Scores) -> Vec<Result<i64, Undefined>> {
    // Sums of the same numbers in another order may differ in the last bits.
    scores.measures().iter().map(|(_, measure)| measure.map(|value| (value * 1e6).round() as i64)).collect()
}

proptest! {
    #[test]
    fn measures_stay_in_their_bounds(summaries in prop::collection::vec(any_summary(false), 0..5)) {
        let all: Vec<&SummaryJudged> = summaries.iter().collect();
        for average in Average::ALL {
            let scores = scores(&all, average);
            for (name, measure) in &scores.measures()[..5] {
                prop_assert!(measure.is_err() || measure.is_ok_and(|value| (0.0..=100.0 + 1e-9).contains(&value)), "{name}");
            }
            prop_assert!(scores.counts.judged.items <= scores.counts.units);
            prop_assert!(scores.counts.judged.items <= scores.counts.judged.judgments);
            prop_assert_eq!(scores.coverage.is_ok(), scores.counts.judged.items > 0);
        }
    }

    #[test]
    fn joint_is_at_most_coverage_and_citation_between_precision_and_recall(
        summaries in prop::collection::vec(any_summary(true), 1..5),
    ) {
        let all: Vec<&SummaryJudged> = summaries.iter().collect();
        for average in Average::ALL {
            let scores = scores(&all, average);
            if let (Ok(joint), Ok(coverage)) = (scores.joint, scores.coverage) {
                prop_assert!(joint <= coverage + 1e-9);
            }
            prop_assert_eq!(scores.joint.is_ok(), scores.coverage.is_ok());
        }
        for score in summaries.iter().flat_map(insight_scores).flatten() {
            if let Ok(CitationScore { precision, recall, f1 }) = score.parts.citation {
                prop_assert!(precision.min(recall) - 1e-9 <= f1 && f1 <= precision.max(recall) + 1e-9);
            }
            let mut together: Vec<u32> = score.right();
            together.extend(score.wrong());
            prop_assert_eq!(together.into_iter().collect::<BTreeSet<u32>>(), score.cited);
        }
    }

    #[test]
    fn the_order_of_summaries_and_insights_does_not_matter(
        summaries in prop::collection::vec(any_summary(false), 0..5),
    ) {
        let mut turned = summaries.clone();
        turned.reverse();
        for summary in &mut turned {
            summary.insights = summary.insights.iter().rev().cloned().collect();
            summary.said = summary.said.iter().rev().cloned().collect();
        }
        // One candidate has one text, whoever judges it.
        let distinct = |list: &[SummaryJudged]| {
            list.iter().map(|summary| &summary.origin.candidate).collect::<BTreeSet<_>>().len() == list.len()
        };
        prop_assume!(distinct(&summaries));
        for average in Average::ALL {
            let before = scores(&summaries.iter().collect::<Vec<_>>(), average);
            let after = scores(&turned.iter().collect::<Vec<_>>(), average);
            prop_assert_eq!(values(&before), values(&after));
            prop_assert_eq!(before.counts, after.counts);
        }
    }
}
