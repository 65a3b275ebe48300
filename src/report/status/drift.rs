//! Drift: whether an annotator's labels, agreement with others and pace change over the order of work.

use std::collections::BTreeMap;

use super::{PersonJudged, StatusScope};
use crate::agreement::{Measure, Trend, holm};
use crate::report::{Column, Table};
use crate::score::{Labels, Mean, Undefined, percent};

/// A measure of one person that may change.
struct DriftRow<'a> {
    name: &'a str,
    what: String,
    /// The mean over the first and over the last quarter.
    quarters: [Measure; 2],
    trend: Trend,
    /// The p-value; for labels without an order, adjusted for the number of labels.
    p: Measure,
}

/// A table with rows for the labels of the main question, for agreement with others, and for seconds; `None` where nobody's order
/// of work is known.
pub fn table(scope: &StatusScope<'_>) -> Option<Table> {
    let question = scope.protocol.main_question()?;
    let labels = Labels::of_choice(question)?;
    let codes = labels.codes(question, &scope.people.sets);
    let code = |said: &PersonJudged| codes.get(said.answers as usize).copied().flatten();
    let choices = question.choices().len();
    // How many people gave each label to each item.
    let mut given = vec![0_u32; scope.assignable.items.len() * choices];
    for said in scope.people.list.iter().flat_map(|person| person.judged.iter()) {
        if let Some(code) = code(said) {
            given[said.place as usize * choices + usize::from(code)] += 1; // a place of an item, and of a choice
        }
    }
    let scores: Option<Vec<f64>> = question.choices().iter().map(|choice| choice.score).collect();
    let mut rows: Vec<DriftRow<'_>> = Vec::new();
    for person in &scope.people.list {
        let own = person.in_order();
        let labelled: Vec<(u32, u8)> =
            own.iter().filter_map(|said| Some((said.place, code(said)?))).collect();
        if labelled.len() < 2 {
            continue;
        }
        let row = |what: String, numbers: &[f64]| {
            let trend = Trend::of(numbers);
            DriftRow { name: &person.name, what, quarters: quarters(numbers), trend, p: trend.p }
        };
        let of_groups = |number: &dyn Fn(u8) -> f64| grouped(scope, &labelled, number);
        match &scores {
            // Numbers are means of summaries: judgments of a summary are alike, and singly would show a trend too often.
            Some(scores) => {
                let numbers = of_groups(&|code| scores.get(usize::from(code)).copied().unwrap_or_default());
                rows.push(row(format!("{}, mean", question.key), &numbers));
            }
            // A label that names a side of a pair says nothing about the annotator.
            None if question.names_sides() => {}
            None => {
                let mut of_labels: Vec<DriftRow<'_>> = (0..)
                    .zip(question.choices())
                    .map(|(place, choice)| {
                        let numbers = of_groups(&|code| if code == place { 100.0 } else { 0.0 });
                        row(format!("{}, %", choice.label), &numbers)
                    })
                    .collect();
                let adjusted = holm(&of_labels.iter().map(|row| row.p).collect::<Vec<Measure>>());
                of_labels.iter_mut().zip(adjusted).for_each(|(row, p)| row.p = p);
                rows.extend(of_labels);
            }
        }
        let with_others = labelled.iter().filter_map(|(place, code)| {
            let of_item = given.get(*place as usize * choices..)?.get(..choices)?;
            let others = of_item.iter().sum::<u32>() - 1;
            let same = of_item.get(usize::from(*code))? - 1;
            percent(same as usize, others as usize, Undefined::NobodyElse).ok()
        });
        let with_others: Vec<f64> = with_others.collect();
        if with_others.len() > 1 {
            rows.push(row("same as others, %".to_owned(), &with_others));
        }
        let seconds: Vec<f64> = own.iter().filter_map(PersonJudged::seconds).collect();
        if seconds.len() > 1 {
            rows.push(row("seconds".to_owned(), &seconds));
        }
    }
    if rows.is_empty() {
        return None;
    }
    let columns: [Column<'_, DriftRow<'_>>; 7] = [
        Column::new("annotator", "annotator", |row: &DriftRow<'_>| row.name.to_owned()),
        Column::new("what", "what", |row: &DriftRow<'_>| row.what.clone()),
        Column::new("numbers", "in order", |row: &DriftRow<'_>| row.trend.numbers),
        Column::new("first", "first quarter", |row: &DriftRow<'_>| row.quarters[0]),
        Column::new("last", "last quarter", |row: &DriftRow<'_>| row.quarters[1]),
        Column::new("tau_b", "τ-b", |row: &DriftRow<'_>| row.trend.tau_b).decimals(3),
        Column::new("p", "p", |row: &DriftRow<'_>| row.p).p_value(),
    ];
    let table = Table::of(format!("Drift over the order of work ({})", scope.protocol.name), columns, &rows)
        .keyed("drift")
        .fact("protocol", scope.protocol.name.as_str())
        .note(
            "Mann and Kendall's test of a trend; labels of one summary count as one number. What came in \
                 an order that was asked for (`--sort`) is left out: there, drift and material cannot be \
                 told apart.",
        );
    Some(table)
}

/// The mean number of each summary, in the order in which summaries were begun; an item without a summary stands alone.
fn grouped(scope: &StatusScope<'_>, labelled: &[(u32, u8)], number: &dyn Fn(u8) -> f64) -> Vec<f64> {
    let mut places: BTreeMap<i64, usize> = BTreeMap::new();
    let mut means: Vec<Mean> = Vec::new();
    for (place, code) in labelled {
        let candidate = scope.assignable.items.get(*place as usize).and_then(|target| target.candidate);
        // Candidates have ids above 0, so items get numbers below 0.
        let key = candidate.map_or(-1 - i64::from(*place), |candidate| candidate.0);
        let at = *places.entry(key).or_insert_with(|| {
            means.push(Mean::default());
            means.len() - 1
        });
        if let Some(mean) = means.get_mut(at) {
            mean.add(number(*code));
        }
    }
    means.into_iter().filter_map(|mean| mean.or(Undefined::NothingJudged).ok()).collect()
}

/// The mean over the first and the last quarter.
fn quarters(numbers: &[f64]) -> [Measure; 2] {
    let quarter = numbers.len().div_ceil(4);
    let mean = |part: &[f64]| part.iter().copied().collect::<Mean>().or(Undefined::NothingJudged);
    [
        mean(numbers.get(..quarter).unwrap_or_default()),
        mean(numbers.get(numbers.len() - quarter..).unwrap_or_default()),
    ]
}
