//! Everyone's progress, quality and odd times as tables.

use super::super::table::{Cell, Column, OutputFormat, Table};
use super::Scope;
use super::people::Person;
use crate::agreement::{
    Category, Confusion, Counts, Measure as Agreement, RatingsBuilder, Scale, Undefined as NoAgreement,
    Weights, cohen,
};
use crate::cli::agree::study::{categories_of, scale_of};
use crate::error::{Error, Result};
use crate::protocol::{Answers, Question};
use crate::score::{ENOUGH_TIMES, FAST, Measure, Per, SLOW, Share, TimeLeft, Undefined, is_as_known};
use crate::text::width::visible;

/// How many odd items of each annotator a terminal shows.
const SHOWN: usize = 5;

/// Who has done how much, at what pace, what is left and what it costs.
pub fn progress(scope: &Scope<'_>) -> Table {
    let mut table = Table::new(format!("Progress ({})", scope.protocol.name), progress_columns(scope))
        .fact("protocol", scope.protocol.name.as_str())
        .fact("items", scope.assignable.items.len())
        .fact("assigned", scope.people.is_assigned);
    let mut all: Option<std::result::Result<TimeLeft, Undefined>> = None;
    let mut longest: Option<(f64, &str)> = None;
    let mut pay = scope.arguments.pay.as_ref().map(|rate| rate.nothing());
    for person in &scope.people.list {
        let left = scope.people.time_left(person);
        all = Some(match (all.unwrap_or(Ok(TimeLeft { seconds: 0.0, low: 0.0, high: 0.0 })), left) {
            (Ok(all), Ok(left)) => Ok(all.and(left)),
            (Err(reason), _) | (_, Err(reason)) => Err(reason),
        });
        if let Ok(left) = left
            && longest.is_none_or(|(seconds, _)| left.seconds > seconds)
        {
            longest = Some((left.seconds, &person.name));
        }
        let amount = scope.arguments.pay.as_ref().map(|rate| rate.pay(person.done, person.active));
        pay = pay.zip(amount).map(|(sum, amount)| sum.and(amount));
        let mut row: Vec<Cell> = vec![person.name.as_str().into()];
        row.extend(numbers(person, left));
        row.extend(amount.map(|amount| Cell::Text(amount.to_string())));
        table.rows.push(row);
    }
    total(scope, &mut table, all, pay.map(|pay| pay.to_string()));
    table.notes = progress_notes(scope, all, longest);
    table
}

fn progress_columns(scope: &Scope<'_>) -> Vec<Column> {
    let right = |column: Column| Column { right: true, ..column };
    let mut columns = vec![
        Column::text("annotator", "annotator"),
        Column::count("done", "done"),
        Column::count("left", "left"),
        Column::count("skipped", "skipped").detail(),
        Column::number("active_seconds", "active seconds", 3).detail(),
        Column::number("per_hour", "items/h", 0),
        Column::number("median_seconds", "median s", 1),
        Column::number("low_quartile_seconds", "25 % s", 1).detail(),
        Column::number("high_quartile_seconds", "75 % s", 1).detail(),
        Column::count("fast", "fast"),
        Column::count("slow", "slow"),
        right(Column::text("time_left", "time left")),
        Column::number("time_left_seconds", "time left s", 0).detail(),
        Column::number("time_left_low_seconds", "at best s", 0).detail(),
        Column::number("time_left_high_seconds", "at worst s", 0).detail(),
    ];
    if let Some(rate) = &scope.arguments.pay {
        let heading = format!("pay {}", rate.currency);
        columns.push(right(Column::text("pay", heading.trim_end())));
    }
    columns
}

fn numbers(person: &Person, left: std::result::Result<TimeLeft, Undefined>) -> Vec<Cell> {
    let timing = &person.timing;
    let quartile = |at: usize| {
        Cell::number(timing.quartiles.map(|quartiles| quartiles.get(at).copied().unwrap_or_default()))
    };
    let told = match left {
        Ok(left) => Cell::Text(duration(left.seconds)),
        Err(reason) => Cell::number(Measure::Err(reason)),
    };
    vec![
        Cell::Count(person.done),
        Cell::Count(person.left),
        Cell::Count(person.skipped),
        Cell::Number(person.active as f64 / 1_000.0),
        Cell::number(timing.per_hour),
        Cell::number(timing.median),
        quartile(0),
        quartile(1),
        Cell::Count(timing.fast.len()),
        Cell::Count(timing.slow.len()),
        told,
        Cell::number(left.map(|left| left.seconds)),
        Cell::number(left.map(|left| left.low)),
        Cell::number(left.map(|left| left.high)),
    ]
}

fn total(
    scope: &Scope<'_>,
    table: &mut Table,
    left: Option<std::result::Result<TimeLeft, Undefined>>,
    pay: Option<String>,
) {
    let people = &scope.people.list;
    let Some(left) = left.filter(|_| people.len() > 1) else {
        return;
    };
    let sum = |of: fn(&Person) -> usize| Cell::Count(people.iter().map(of).sum());
    let timing = &scope.people.timing;
    let active: u64 = people.iter().map(|person| person.active).sum();
    let odd = [sum(|person| person.timing.fast.len()), sum(|person| person.timing.slow.len())];
    let mut row: Vec<Cell> = vec!["all".into()];
    row.extend([sum(|person| person.done), sum(|person| person.left), sum(|person| person.skipped)]);
    row.extend([
        Cell::Number(active as f64 / 1_000.0),
        Cell::number(timing.per_hour),
        Cell::number(timing.median),
    ]);
    row.extend([0, 1].map(|at: usize| {
        Cell::number(timing.quartiles.map(|quartiles| quartiles.get(at).copied().unwrap_or_default()))
    }));
    row.extend(odd);
    row.push(match left {
        Ok(left) => Cell::Text(duration(left.seconds)),
        Err(reason) => Cell::number(Measure::Err(reason)),
    });
    row.extend([
        Cell::number(left.map(|left| left.seconds)),
        Cell::number(left.map(|left| left.low)),
        Cell::number(left.map(|left| left.high)),
    ]);
    row.extend(pay.map(Cell::Text));
    table.total = row;
}

fn progress_notes(
    scope: &Scope<'_>,
    left: Option<std::result::Result<TimeLeft, Undefined>>,
    longest: Option<(f64, &str)>,
) -> Vec<String> {
    let mut notes = Vec::new();
    if let (Some(Ok(left)), Some((seconds, name))) = (left, longest)
        && left.seconds > 0.0
    {
        notes.push(format!(
            "About {} of active time is left, {} to {} if all goes as the quicker or the slower half did; the \
             longest part, {}, is that of {}.",
            duration(left.seconds),
            duration(left.low),
            duration(left.high),
            duration(seconds),
            visible(name)
        ));
    }
    let has_few = scope.people.list.iter().any(|person| person.left > 0 && person.times.len() < ENOUGH_TIMES);
    if has_few && scope.people.timing.median.is_ok() {
        notes.push(format!(
            "Whoever has fewer than {ENOUGH_TIMES} timed items is expected to be as quick as all together."
        ));
    }
    if scope.people.list.iter().any(|person| !person.timing.fast.is_empty() || !person.timing.slow.is_empty())
    {
        notes.push(format!(
            "Fast: below {FAST} of the annotator's median; slow: above {SLOW} times it; from {ENOUGH_TIMES} items on."
        ));
    }
    if let Some(rate) = &scope.arguments.pay {
        let what = match rate.per {
            Per::Hour => "all active time, that on calibration items and repeats too",
            Per::Item => "everything judged to the end, calibration items and repeats too",
        };
        notes.push(format!("Pay: {} for {what}.", rate.told()));
    }
    notes
}

/// Seconds as a person says them: `2 h 05`, `38 min`, `40 s`.
fn duration(seconds: f64) -> String {
    // Finite and not negative; what is beyond the whole numbers is told as the largest.
    let whole = seconds.round() as u64;
    match (whole + 30) / 60 {
        _ if whole == 0 => "–".to_owned(),
        0 | 1 if whole < 60 => format!("{whole} s"),
        minutes if minutes < 60 => format!("{minutes} min"),
        minutes => format!("{} h {:02}", minutes / 60, minutes % 60),
    }
}

/// How well everyone does against known answers, themselves and the others; nothing where nobody judged.
///
/// # Errors
/// There are more annotators than a table of ratings can hold.
pub fn quality(scope: &Scope<'_>) -> Result<Option<Table>> {
    let people = &scope.people.list;
    if scope.people.judged.is_empty() && people.iter().all(|person| person.calibration.of == 0) {
        return Ok(None);
    }
    let question = scope.protocol.questions.iter().find(|question| !question.choices().is_empty());
    let rest = question.map(|question| against_rest(scope, question)).transpose()?;
    let has_calibration = people.iter().any(|person| person.pass.is_some() || person.calibration.of > 0);
    let shown = |column: Column, is_shown: bool| if is_shown { column } else { column.detail() };
    let has_control = people.iter().any(|person| person.control.of > 0);
    let has_repeats = people.iter().any(|person| !person.repeats.is_empty());
    let columns = vec![
        Column::text("annotator", "annotator"),
        Column::count("calibration_items", "calibration items").detail(),
        shown(Column::percent("calibration", "calibration"), has_calibration),
        shown(Column::text("mark", "mark"), has_calibration),
        shown(Column::count("control_items", "control items"), has_control),
        shown(Column::percent("control", "control"), has_control),
        Column::percent("control_low", "control low").detail(),
        Column::percent("control_high", "control high").detail(),
        shown(Column::count("repeats", "repeats"), has_repeats),
        shown(Column::percent("with_oneself", "with oneself"), has_repeats),
        shown(Column::number("kappa_with_oneself", "κ with oneself", 2), has_repeats),
        Column::count("items_with_others", "items with others"),
        Column::percent("with_others", "with others"),
    ];
    let mut table = Table::new(format!("Quality ({})", scope.protocol.name), columns)
        .fact("protocol", scope.protocol.name.as_str())
        .fact("question", question.map(|question| question.key.as_str()));
    for (place, person) in people.iter().enumerate() {
        let rest = rest.as_ref().and_then(|rest| rest.get(place).copied());
        table.rows.push(quality_row(scope, person, question, rest)?);
    }
    let mut notes = Vec::new();
    if has_control || has_repeats || has_calibration {
        notes.push("As known, and the same again: equal labels and tags, and a bullet in common.".to_owned());
    }
    if let Some(question) = question {
        notes
            .push(format!("With others: the label that most of the others gave to \"{}\".", question.prompt));
    }
    table.notes = notes;
    Ok(Some(table))
}

fn quality_row(
    scope: &Scope<'_>,
    person: &Person,
    question: Option<&Question>,
    rest: Option<(u64, Agreement)>,
) -> Result<Vec<Cell>> {
    let known = |share: Share| Cell::number(share.percent(Undefined::NothingKnown));
    let mark = match person.pass {
        Some(_) if person.is_calibrating => "not done",
        Some(pass) => {
            let is_reached = 100.0 * person.calibration.part as f64 >= pass * person.calibration.of as f64;
            if is_reached { "passed" } else { "not passed" }
        }
        None => "",
    };
    let control = person.control.interval(Undefined::NothingKnown);
    let end = |at: usize| Cell::number(control.map(|ends| ends.get(at).copied().unwrap_or_default()));
    let mut same = Share::default();
    for (first, second) in &person.repeats {
        same.count(is_as_known(scope.protocol, first, second));
    }
    let kappa = match question {
        Some(question) if !person.repeats.is_empty() => {
            Cell::number(kappa_with_oneself(question, &person.repeats)?)
        }
        _ => Cell::number(Measure::Err(Undefined::NothingRepeated)),
    };
    let (items, agreement) = rest.unwrap_or((0, Err(NoAgreement::NoMajority)));
    Ok(vec![
        person.name.as_str().into(),
        Cell::Count(person.calibration.of),
        known(person.calibration),
        if mark.is_empty() { Cell::Empty } else { mark.into() },
        Cell::Count(person.control.of),
        known(person.control),
        end(0),
        end(1),
        Cell::Count(same.of),
        Cell::number(same.percent(Undefined::NothingRepeated)),
        kappa,
        Cell::Count(usize::try_from(items).unwrap_or(usize::MAX)),
        Cell::number(agreement.map(|share| 100.0 * share)),
    ])
}

/// A table of the labels of one question; nobody rates an item twice.
fn builder(question: &Question) -> Result<RatingsBuilder> {
    let scale = match &question.kind {
        crate::protocol::QuestionKind::Choice { scale, .. } => scale_of(*scale),
        _ => Scale::Nominal,
    };
    let categories: Vec<Category> = categories_of(question.choices());
    RatingsBuilder::new(scale, categories).map_err(|error| Error::new(error.to_string()))
}

fn label<'a>(question: &Question, answers: &'a Answers) -> Option<&'a str> {
    answers.get(&question.key)?.as_text()
}

/// Cohen's kappa between the first and the second time.
fn kappa_with_oneself(question: &Question, repeats: &[(Answers, Answers)]) -> Result<Agreement> {
    let broken = |error: crate::agreement::TableError| Error::new(error.to_string());
    let mut table = builder(question)?;
    let (first, second) = (table.rater("first").map_err(broken)?, table.rater("second").map_err(broken)?);
    for (place, (one, two)) in repeats.iter().enumerate() {
        let item = table.item(&place.to_string()).map_err(broken)?;
        for (rater, answers) in [(first, one), (second, two)] {
            if let Some(category) = label(question, answers).and_then(|label| table.category(label)) {
                table.set(item, rater, category).map_err(broken)?;
            }
        }
    }
    let ratings = table.finish();
    let confusion = Confusion::between(&ratings, first, second);
    Ok(confusion.map_or(Err(NoAgreement::NoPairableItems), |table| cohen::kappa(&table, Weights::Identity)))
}

/// The ratings of everyone on one question, as a table whose raters are the people in their order.
///
/// # Errors
/// There are more annotators than it can hold.
pub fn ratings(scope: &Scope<'_>, question: &Question) -> Result<crate::agreement::Ratings> {
    let broken = |error: crate::agreement::TableError| Error::new(error.to_string());
    let mut table = builder(question)?;
    for person in &scope.people.list {
        table.rater(&person.name).map_err(broken)?;
    }
    for (person, item, answers) in &scope.people.judged {
        if let Some(category) = label(question, answers).and_then(|label| table.category(label)) {
            let item = table.item(&item.to_string()).map_err(broken)?;
            table.set(item, *person, category).map_err(broken)?;
        }
    }
    Ok(table.finish())
}

/// For each person the items with a majority among the others, and how often they are of it.
fn against_rest(scope: &Scope<'_>, question: &Question) -> Result<Vec<(u64, Agreement)>> {
    let ratings = ratings(scope, question)?;
    let rest = Counts::of(&ratings).against_rest();
    Ok(rest.into_iter().map(|rest| (rest.items, rest.agreement())).collect())
}

/// The items that took oddly long or short; nothing where there are none.
///
/// # Errors
/// The study cannot be read.
pub fn odd_times(scope: &Scope<'_>) -> Result<Option<Table>> {
    let shows_all = scope.arguments.full || scope.arguments.form.format != OutputFormat::Table;
    let columns = vec![
        Column::text("annotator", "annotator"),
        Column::text("what", "what"),
        Column::number("seconds", "seconds", 1),
        Column::text("query", "query"),
        Column::text("item", "item"),
        Column::text("collection", "collection").detail(),
    ];
    let mut table = Table::new(format!("Too fast or too slow ({})", scope.protocol.name), columns);
    let mut left_out = 0;
    for person in &scope.people.list {
        for (what, places) in [("fast", &person.timing.fast), ("slow", &person.timing.slow)] {
            let count = if shows_all { places.len() } else { SHOWN.min(places.len()) };
            left_out += places.len() - count;
            let odd: Vec<_> = places.iter().take(count).filter_map(|at| person.times.get(*at)).collect();
            let targets: Vec<_> = odd.iter().map(|(target, _)| *target).collect();
            for ((_, seconds), keys) in odd.iter().zip(scope.study.keys_of(&targets)?) {
                let bullet = keys.bullet.map(|bullet| format!("bullet {bullet}"));
                let parts = [keys.candidate, keys.document, keys.unit, bullet];
                let item: Vec<String> = parts.into_iter().flatten().collect();
                table.rows.push(vec![
                    person.name.as_str().into(),
                    what.into(),
                    Cell::Number(*seconds),
                    keys.query.as_str().into(),
                    item.join(" · ").as_str().into(),
                    keys.collection.as_str().into(),
                ]);
            }
        }
    }
    if left_out > 0 {
        table.notes.push(format!("{left_out} more; --full lists them all."));
    }
    Ok((!table.rows.is_empty()).then_some(table))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_said_as_people_do() {
        let told = [0.0, 40.0, 59.4, 60.0, 89.0, 2_280.0, 3_590.0, 7_500.0].map(duration);
        assert_eq!(told, ["–", "40 s", "59 s", "1 min", "1 min", "38 min", "1 h 00", "2 h 05"]);
    }
}
