use super::*;
use crate::score::Grouped;

/// The result over all judgments.
pub fn together<J, T>(
    judged: &[J],
    origin: impl Fn(&J) -> &Origin,
    find: impl Fn(&[Thing<'_, J>]) -> T,
) -> T {
    let empty = find(&[]);
    Grouped::of(judged, origin, &[], |things| find(things)).all.unwrap_or(empty)
}

/// An annotator's value of an item, on 0–100.
struct Said(Origin, Option<f64>);

fn said(query: &str, candidate: &str, annotator: &str, value: Option<f64>) -> Said {
    let (query, annotator) = (query.to_owned(), annotator.to_owned());
    Said(Origin { query, annotator, candidate: Some(candidate.to_owned()), ..Origin::default() }, value)
}

#[test]
fn an_item_weighs_one_however_many_judged_it() {
    // The first item: (100 + 100 + 0) / 3, without the judgment that has no value; the second 50; the third has no value.
    let judged = [
        said("q1", "a", "ana", Some(100.0)),
        said("q1", "a", "ben", Some(100.0)),
        said("q2", "a", "ana", Some(50.0)),
        said("q1", "a", "cho", Some(0.0)),
        said("q1", "a", "dee", None),
        said("q2", "b", "ana", None),
    ];
    let score = |things: &[Thing<'_, Said>]| Score::over(things, Undefined::NothingJudged, |one| one.1);
    let found = together(&judged, |one| &one.0, score);
    assert!((found.value().unwrap() - (200.0 / 3.0 + 50.0) / 2.0).abs() < 1e-9, "pooled it would be 62.5");
    let clusters: Vec<f64> = found.clusters.values().map(|tally| tally.weight).collect();
    assert_eq!(clusters, [1.0, 1.0], "an item of each query");
    let counted = together(&judged, |one| &one.0, |things| Counted::of(things, |one| one.1.is_some()));
    assert_eq!(counted, Counted { items: 2, judgments: 4 });
    assert_eq!(together(&[], |one: &Said| &one.0, score).value(), Err(Undefined::NothingJudged));
}

/// Two systems on four items, the first of which four people judged: `several_judges` in the definitions.
#[test]
fn pooling_judgments_would_turn_the_ranking_round() {
    let mut judged = Vec::new();
    for (system, overlap, rest) in [("a", 100.0, [0.0, 0.0, 50.0]), ("b", 0.0, [100.0, 50.0, 50.0])] {
        judged.extend(["ana", "ben", "cho", "dee"].map(|who| said("u1", system, who, Some(overlap))));
        judged.extend((2..).zip(rest).map(|(at, value)| said(&format!("u{at}"), system, "ana", Some(value))));
    }
    let score = |things: &[Thing<'_, Said>]| Score::over(things, Undefined::NothingJudged, |one| one.1);
    let of = |system: &str| {
        let own: Vec<Said> = judged
            .iter()
            .filter(|one| one.0.candidate.as_deref() == Some(system))
            .map(|one| Said(one.0.clone(), one.1))
            .collect();
        together(&own, |one| &one.0, score).value()
    };
    // (100 + 0 + 0 + 50) / 4 and (0 + 100 + 50 + 50) / 4; pooled 450 / 7 and 200 / 7.
    assert_eq!((of("a"), of("b")), (Ok(37.5), Ok(50.0)));
}
