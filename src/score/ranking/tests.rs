//! Rankings worked out by hand.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::agreement::Bootstrap;

const NO_DRAWS: Intervals = Intervals::Bootstrap(Bootstrap { resamples: 0, seed: 1 });

/// Ranks systems by their values on queries.
fn ranked(things: &[(&str, &str, &[f64])], intervals: Intervals) -> Ranking {
    ranked_within(things, intervals, &[])
}

/// Ranks as [`ranked`], with the number of the cluster that each query is in.
fn ranked_within(things: &[(&str, &str, &[f64])], intervals: Intervals, within: &[u32]) -> Ranking {
    let queries: BTreeSet<&str> = things.iter().map(|(_, query, _)| *query).collect();
    let mut systems: BTreeMap<&str, Score> = BTreeMap::new();
    for (system, query, values) in things {
        let score = systems.entry(system).or_insert(Score::new(Undefined::NothingJudged));
        let cluster = queries.iter().position(|one| one == query).expect("a query") as u32;
        values.iter().for_each(|value| score.add(cluster, Tally::one(Some(*value))));
    }
    let systems: Vec<(GroupLabels, Score)> =
        systems.into_iter().map(|(system, score)| (vec![Some(system.to_owned())], score)).collect();
    Ranking::of(
        systems.iter().map(|(group, score)| (group, Counted::default(), score)),
        (NumberRange::Any, Better::High),
        (intervals, within),
    )
}

fn names(ranking: &Ranking) -> Vec<(&str, Option<usize>, Measure)> {
    let name = |system: &SystemRanked| (system.rank, system.score.value);
    ranking
        .systems
        .iter()
        .map(|system| (system.group[0].as_deref().expect("a name"), name(system).0, name(system).1))
        .collect()
}

#[test]
fn scores_pool_their_queries_and_ties_share_a_rank() {
    let ranking = ranked(
        &[
            // (100 + 0 + 50) / 3, pooled: the mean of the queries' means would be 50 and 50.
            ("a", "q1", &[100.0, 0.0]),
            ("a", "q2", &[50.0]),
            ("b", "q1", &[50.0]),
            ("c", "q1", &[80.0]),
            ("d", "q1", &[50.0]),
            ("e", "q1", &[]),
        ],
        NO_DRAWS,
    );
    let undefined = Err(Undefined::NothingJudged);
    assert_eq!(
        names(&ranking),
        [
            ("c", Some(1), Ok(80.0)),
            ("a", Some(2), Ok(50.0)),
            ("b", Some(2), Ok(50.0)),
            ("d", Some(2), Ok(50.0)),
            ("e", None, undefined)
        ]
    );
    assert_eq!(ranking.systems[1].queries, 2);
    assert_eq!(ranking.systems.iter().map(|system| system.score.interval).collect::<Vec<_>>(), [None; 5]);
    assert_eq!(ranking.fewest_queries(), 1);
}

#[test]
fn differences_are_over_the_queries_of_both() {
    let ranking = ranked(
        &[("a", "q1", &[90.0]), ("a", "q2", &[10.0]), ("b", "q2", &[40.0]), ("c", "q3", &[0.0])],
        NO_DRAWS,
    );
    // a 50, b 40, c 0. On q2, which both a and b have, a is 30 below b.
    let found: Vec<(usize, usize, usize, Measure)> = ranking
        .differences
        .iter()
        .map(|pair| (pair.better, pair.worse, pair.queries, pair.difference.value))
        .collect();
    let none = Err(Undefined::NoCommonQuery);
    assert_eq!(found, [(0, 1, 1, Ok(-30.0)), (0, 2, 0, none), (1, 2, 0, none)]);
}

#[test]
fn a_constant_difference_has_no_spread_though_the_scores_have() {
    let bootstrap = Intervals::Bootstrap(Bootstrap { resamples: 500, seed: 7 });
    let scores = [0.0, 20.0, 40.0, 60.0];
    let queries = ["q1", "q2", "q3", "q4"];
    let better: Vec<[f64; 1]> = scores.iter().map(|score| [score + 10.0]).collect();
    let worse: Vec<[f64; 1]> = scores.iter().map(|score| [*score]).collect();
    let mut things: Vec<(&str, &str, &[f64])> = Vec::new();
    for (at, query) in queries.iter().enumerate() {
        things.push(("better", query, &better[at]));
        things.push(("worse", query, &worse[at]));
    }
    let ranking = ranked(&things, bootstrap);
    let difference = &ranking.differences[0];
    assert_eq!(difference.difference.value, Ok(10.0));
    // The same queries are drawn for both, so every resample differs by 10.
    assert_eq!(difference.difference.interval, Some(Err(Undefined::NoVariation)));
    let interval = ranking.systems[0].score.interval.expect("drawn").expect("defined");
    // All resamples of four queries lie between those of the lowest and of the highest query only.
    assert!(
        interval.low >= 10.0 && interval.high <= 70.0 && interval.high - interval.low > 10.0,
        "{interval:?}"
    );
    assert_eq!(ranking, ranked(&things, bootstrap), "the seed decides");
}

#[test]
fn one_query_has_no_interval() {
    let ranking = ranked(&[("a", "q1", &[1.0]), ("b", "q1", &[2.0])], Intervals::Jackknife);
    let too_few = Some(Err(Undefined::TooFewClusters));
    assert!(ranking.systems.iter().all(|system| system.score.interval == too_few));
    assert_eq!(ranking.differences[0].difference.interval, too_few);
}

/// Of q1 to q5 in the collections 0, 0, 1, 2, 2 both systems are scored on all but q5.
#[test]
fn intervals_are_over_what_queries_are_in_and_differences_over_what_both_are_scored_on() {
    let queries = ["q1", "q2", "q3", "q4", "q5"];
    let values = [[8.0], [6.0], [10.0], [4.0], [100.0]];
    let zero = [0.0];
    let mut things: Vec<(&str, &str, &[f64])> =
        queries.iter().zip(&values).map(|(query, value)| ("a", *query, value.as_slice())).collect();
    things.extend(queries.iter().take(4).map(|query| ("b", *query, zero.as_slice())));
    let ranking = ranked_within(&things, Intervals::Jackknife, &[0, 0, 1, 2, 2]);
    let se = |estimate: &Estimate| estimate.interval.expect("asked for").expect("defined").se.expect("known");
    let difference = &ranking.differences[0];
    assert_eq!((difference.queries, difference.difference.clusters), (4, 3));
    assert_eq!(difference.difference.value, Ok(7.0));
    // Without each collection (10 + 4) / 2, (8 + 6 + 4) / 3 and (8 + 6 + 10) / 3: 7, 6, 8, with squares of 2.
    assert!((se(&difference.difference) - (4.0_f64 / 3.0).sqrt()).abs() < 1e-12);
    // a alone has q5 too: 114 / 3, 118 / 4 and 24 / 3, so 38, 29.5 and 8 about 25.166….
    let (score, mean) = (&ranking.systems[0].score, 75.5 / 3.0);
    let squares: f64 = [38.0, 29.5, 8.0].iter().map(|one: &f64| (one - mean).powi(2)).sum();
    assert!((se(score) - (2.0 / 3.0 * squares).sqrt()).abs() < 1e-12);
    assert_eq!((ranking.systems[0].queries, score.clusters), (5, 3));
}

fn of_scores(scores: &[(&str, f64)]) -> Ranking {
    let values: Vec<(&str, [f64; 1])> = scores.iter().map(|(system, score)| (*system, [*score])).collect();
    let things: Vec<(&str, &str, &[f64])> =
        values.iter().map(|(system, value)| (*system, "q", value.as_slice())).collect();
    ranked(&things, NO_DRAWS)
}

#[test]
fn rankings_are_compared_over_common_systems() {
    let first = of_scores(&[("a", 4.0), ("b", 3.0), ("c", 2.0), ("d", 1.0), ("only here", 9.0)]);
    let second = of_scores(&[("a", 3.0), ("b", 4.0), ("c", 2.0), ("d", 1.0)]);
    let compared = RankingsCompared::between(&first, &second);
    // Of six pairs one is reversed: (5 − 1) / 6.
    assert_eq!(compared.tau_b, Ok(4.0 / 6.0));
    assert_eq!(
        (compared.systems.len(), compared.moved(), compared.farthest(), compared.reversed),
        (4, 2, 1, 1)
    );
    // The first of the first ranking is not counted, so a is first among the common systems.
    assert_eq!(compared.systems[0], (vec![Some("a".to_owned())], [1, 2]));
}

#[test]
fn where_low_is_better_the_lowest_is_first_in_both() {
    let score = |(system, value): (&str, f64)| {
        let mut score = Score::new(Undefined::NothingJudged);
        score.add(0, Tally::one(Some(value)));
        (vec![Some(system.to_owned())], score)
    };
    let ranked = |scores: [(&str, f64); 3]| {
        let scores = scores.map(score);
        let scores = scores.iter().map(|(group, score)| (group, Counted::default(), score));
        Ranking::of(scores, (NumberRange::Any, Better::Low), (NO_DRAWS, &[]))
    };
    let (first, second) =
        (ranked([("a", 1.0), ("b", 4.0), ("c", 9.0)]), ranked([("a", 2.0), ("b", 8.0), ("c", 3.0)]));
    let compared = RankingsCompared::between(&first, &second);
    let ranks: Vec<[usize; 2]> = compared.systems.iter().map(|(_, ranks)| *ranks).collect();
    assert_eq!((ranks, compared.reversed), (vec![[1, 1], [2, 3], [3, 2]], 1));
}

#[test]
fn ties_lower_tau_b_as_kendall_has_it() {
    let first = of_scores(&[("a", 3.0), ("b", 2.0), ("c", 1.0)]);
    let second = of_scores(&[("a", 2.0), ("b", 2.0), ("c", 1.0)]);
    let compared = RankingsCompared::between(&first, &second);
    // Two pairs in the same order, one tied in the second only: 2 / √(3 · 2).
    assert!((compared.tau_b.unwrap() - 2.0 / 6.0_f64.sqrt()).abs() < 1e-12);
    let tied = of_scores(&[("a", 1.0), ("b", 1.0), ("c", 1.0)]);
    assert_eq!(RankingsCompared::between(&first, &tied).tau_b, Err(Undefined::AllTied));
    assert_eq!(RankingsCompared::between(&first, &of_scores(&[("a", 1.0)])).tau_b, Err(Undefined::OneSystem));
    assert_eq!(RankingsCompared::between(&first, &first).tau_b, Ok(1.0));
}
