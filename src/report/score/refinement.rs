//! Refinement of queries.

use super::Scope;
use crate::report::{Column, CountedJudgment, Table, counted_columns, grouped_table};
use crate::score::{Edit, Grouped, QueryJudged, Refinement, RefinementQuestions, Score};

/// The queries that need refinement, the size of the changes, and the time taken, as in Lyu et al. 2024, §3.4.
pub fn tables(scope: &Scope<'_>, questions: &RefinementQuestions<'_>) -> Vec<Table> {
    let query = |judgment: CountedJudgment<'_>| {
        let text = &scope.corpus.query(judgment.target.query)?.text;
        let (needs, refined) = questions.read(judgment.answers);
        Some(QueryJudged {
            origin: scope.judged.origin(scope.corpus, &judgment)?,
            needs,
            edit: refined.map(|refined| Edit::between(text, refined)),
            seconds: judgment.seconds,
        })
    };
    let queries: Vec<QueryJudged> = scope.judged.each().filter_map(query).collect();
    let found = Grouped::of(&queries, |query| &query.origin, scope.by_or(&["annotator"]), Refinement::of);
    let how = found.uncertainty;
    let share = move |refinement: &Refinement| how.percent(&refinement.share_needed);
    let mean = |of: fn(&Refinement) -> &Score| move |refinement: &Refinement| how.positive(of(refinement));
    let mut columns: Vec<Column<'_, Refinement>> =
        counted_columns("queries", |refinement: &Refinement| refinement.judged).into();
    columns.extend([
        Column::new("judgments_needed", "to refine", |refinement: &Refinement| refinement.needed).detail(),
        Column::new("share_needed", "to refine", share).percent(),
        Column::new("refined", "refined", |refinement: &Refinement| refinement.refined.items).detail(),
        Column::new("mean_distance", "mean edits", mean(|refinement| &refinement.mean_distance)),
        Column::new("median_distance", "median edits", |refinement: &Refinement| refinement.median_distance),
        Column::new("mean_share", "of the length", mean(|refinement| &refinement.mean_share)).percent(),
        Column::new("timed", "timed", |refinement: &Refinement| refinement.timed.items).detail(),
        Column::new("median_seconds", "median seconds", |refinement: &Refinement| refinement.median_seconds),
    ]);
    vec![grouped_table("Query refinement", &found, columns).note(
        "Edits are characters inserted, deleted or replaced between a query and its refined text; seconds \
         are active ones.",
    )]
}
