//! Faithful, comprehensive, useful and short summaries.

use super::Scope;
use crate::error::Result;
use crate::report::grouped::{counted_columns, grouped_table};
use crate::report::judged::CountedJudgment;
use crate::report::table::{Column, Table};
use crate::score::{Grouped, ItemJudged, QuestionLabels, SummaryTrust, Thing, Usefulness};
use crate::text::words;

/// What everyone said of each summary.
pub fn summaries(scope: &Scope<'_>) -> Result<Vec<SummaryTrust>> {
    let lengths = scope.corpus.lengths(scope.study)?;
    let summary = |judgment: CountedJudgment<'_>| {
        let candidate = scope.corpus.candidate(judgment.target.candidate?)?;
        let origin = scope.judged.origin(scope.corpus, &judgment)?;
        Some(SummaryTrust {
            words: words::count(&candidate.text),
            passage_words: lengths.get(&origin.collection).copied().unwrap_or(0),
            item: ItemJudged { origin, answers: judgment.answers.clone(), under: judgment.under.cloned() },
        })
    };
    Ok(scope.judged.each().filter_map(summary).collect())
}

/// The share of each label, of useful summaries, and compression, as in Xu et al. 2023, Table 4.
pub fn tables(scope: &Scope<'_>) -> Result<Vec<Table>> {
    let summaries = summaries(scope)?;
    let by = scope.by_or(&["system"]);
    let useful = |summaries: &[Thing<'_, SummaryTrust>]| Usefulness::of(scope.protocol, summaries);
    let Grouped { by, uncertainty, rows, all } =
        Grouped::of(&summaries, |summary| &summary.item.origin, by, useful);
    let rows = rows.into_iter().filter_map(|(group, found)| Some((group, found?))).collect();
    Ok(vec![usefulness_table(&Grouped { by, uncertainty, rows, all: all.flatten() })])
}

fn usefulness_table(found: &Grouped<Usefulness>) -> Table {
    let how = found.uncertainty;
    let mut columns: Vec<Column<'_, Usefulness>> =
        counted_columns("items", |found: &Usefulness| found.judged).into();
    for (place, question) in found.all.iter().flat_map(|all| all.labels.iter().enumerate()) {
        let key = &question.question;
        columns.push(
            Column::new(format!("{key}_answered"), "answered", move |found: &Usefulness| {
                found.labels[place].answered.items
            })
            .detail(),
        );
        // As the paper prints them: yes first, and initials.
        let last = question.labels.len().saturating_sub(1);
        for (at, label) in question.labels.iter().enumerate().rev() {
            let name = format!("{key}_{}", label.value);
            let initial = initial(&label.value);
            let heading = if at == last { format!("{key} {initial}") } else { initial };
            let share = move |found: &Usefulness| {
                found.labels[place].labels.get(at).map(|label| how.percent(&label.share))
            };
            let count = move |found: &Usefulness| found.labels[place].count(at);
            columns.push(Column::new(format!("judgments_{name}"), heading.as_str(), count).detail());
            columns.push(Column::new(name, heading, share).percent());
        }
        let mean = move |found: &Usefulness| found.labels[place].estimate(how);
        columns.push(Column::new(format!("{key}_mean_score"), "mean", mean).detail());
    }
    columns
        .push(Column::new("useful", "useful", move |found: &Usefulness| how.percent(&found.useful)).score());
    let compression = move |found: &Usefulness| how.positive(&found.compression);
    columns.push(Column::new("compression", "compression", compression).percent().spare());
    let mut table = grouped_table("Faithful and comprehensive", found, columns);
    table.notes.extend(found.all.iter().map(|all| legend(&all.labels)));
    table.notes.push(
        "useful: yes to both. compression: words of the summaries in a hundred of their passages' words."
            .to_owned(),
    );
    table
}

/// What the initials stand for.
fn legend(questions: &[QuestionLabels]) -> String {
    let mut values: Vec<&str> = Vec::new();
    for label in questions.iter().flat_map(|question| question.labels.iter().rev()) {
        if !values.contains(&label.value.as_str()) {
            values.push(&label.value);
        }
    }
    let initials: Vec<String> = values.iter().map(|value| initial(value)).collect();
    format!("{}: {}.", initials.join(", "), values.join(", "))
}

/// The letter by which the paper calls a label.
fn initial(value: &str) -> String {
    value.chars().next().map_or_else(String::new, |letter| letter.to_uppercase().collect())
}
