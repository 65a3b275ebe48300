//! Tables of progress, quality and odd times.

use std::collections::BTreeMap;

use super::{People, Person, PersonJudged, StatusAsked, StatusScope};
use crate::agreement::{Clusters, Counts, Definition, Estimate, Intervals, Ratings};
use crate::error::{Error, Result};
use crate::number::NO_PLACE;
use crate::protocol::{Answers, Question, is_as_known};
use crate::report::{Cell, Column, Table, TableFinding, duration};
use crate::score::{
    Amount, ClusterKind, ENOUGH_TIMES, FAST, Labels, Measure, Per, SLOW, Score, Tally, TimeLeft, Timing,
    Uncertainty, Undefined, ratings_of,
};
use crate::store::{Assigned, Target};
use crate::study::{Role, TargetKeys};
use crate::text::width::visible;

/// The most odd items of each annotator in the brief form.
const SHOWN: usize = 5;

/// The progress of an annotator, or of all together.
struct ProgressRow<'a> {
    name: &'a str,
    done: usize,
    left: usize,
    skipped: usize,
    /// Active milliseconds.
    active: u64,
    /// Keys an item.
    keys: Measure,
    timing: &'a Timing,
    fast: usize,
    slow: usize,
    time_left: std::result::Result<TimeLeft, Undefined>,
    pay: Option<Amount>,
    pay_left: Option<std::result::Result<Amount, Undefined>>,
}

/// The table of progress: work done and left, pace and cost of each annotator.
pub fn progress(scope: &StatusScope<'_>) -> Table {
    let people = scope.people;
    let rows = people.list.iter().map(|person| {
        let time_left = people.time_left(person);
        ProgressRow {
            name: &person.name,
            done: person.done,
            left: person.left,
            skipped: person.skipped,
            active: person.active,
            keys: People::keys_an_item(std::slice::from_ref(person)),
            timing: &person.timing,
            fast: person.timing.fast.len(),
            slow: person.timing.slow.len(),
            time_left,
            pay: scope.asked.pay.as_ref().map(|rate| rate.pay(person.paid.judged, person.paid.active)),
            pay_left: pay_left(scope, person.left, time_left),
        }
    });
    let rows: Vec<ProgressRow<'_>> = rows.collect();
    let all = all_together(scope, &rows);
    let mut table =
        Table::of(format!("Progress ({})", scope.protocol.name), columns(scope), rows.iter().chain([&all]))
            .fact("protocol", scope.protocol.name.as_str())
            .fact("items", scope.assignable.items.len())
            .fact("assigned", people.is_assigned);
    let total = table.rows.pop().unwrap_or_default();
    if rows.len() > 1 {
        table.total = total;
    }
    table.notes = progress_notes(scope, &rows, &all);
    table.notes.extend(super::overview::beside(&scope.protocol.name, people.beside));
    if scope.assignable.handed_out.is_some() && scope.sees_all {
        table
            .notes
            .push("left: what was assigned beforehand; the rest comes from whoever asks the hub.".to_owned());
    }
    table
}

/// The sums over all people.
fn all_together<'a>(scope: &StatusScope<'a>, rows: &[ProgressRow<'_>]) -> ProgressRow<'a> {
    let sum = |of: fn(&ProgressRow<'_>) -> usize| rows.iter().map(of).sum();
    let time_left = scope.people.time_left_of_all();
    ProgressRow {
        name: "all",
        done: sum(|row| row.done),
        left: sum(|row| row.left),
        skipped: sum(|row| row.skipped),
        active: rows.iter().map(|row| row.active).sum(),
        keys: People::keys_an_item(&scope.people.list),
        timing: &scope.people.timing,
        fast: sum(|row| row.fast),
        slow: sum(|row| row.slow),
        time_left,
        pay: pay_of_all(scope),
        pay_left: pay_left(scope, sum(|row| row.left), time_left),
    }
}

/// The pay still to come, where a rate is named. A rate by the hour pays the expected time.
pub fn pay_left(
    scope: &StatusScope<'_>,
    left: usize,
    time: std::result::Result<TimeLeft, Undefined>,
) -> Option<std::result::Result<Amount, Undefined>> {
    let rate = scope.asked.pay.as_ref()?;
    Some(match rate.per {
        Per::Item => Ok(rate.pay(left, 0)),
        // The expected time is finite and not negative.
        Per::Hour => time.map(|time| rate.pay(left, (time.seconds * 1_000.0).round() as u64)),
    })
}

fn pay_cell(pay: Option<std::result::Result<Amount, Undefined>>) -> Cell {
    pay.map_or(Cell::Empty, |pay| pay.map_or_else(Cell::Undefined, |pay| Cell::Text(pay.to_string())))
}

/// The columns of pay earned and still to come, where a rate is named.
pub fn pay_columns<'a, R: 'a>(
    scope: &StatusAsked,
    earned: impl Fn(&R) -> Option<Amount> + 'a,
    left: impl Fn(&R) -> Option<std::result::Result<Amount, Undefined>> + 'a,
) -> Vec<Column<'a, R>> {
    let Some(rate) = &scope.pay else { return Vec::new() };
    let heading = |what: &str| format!("{what} {}", rate.currency).trim_end().to_owned();
    vec![
        Column::new("pay", heading("pay"), move |row: &R| earned(row).map(|pay| pay.to_string())).right(),
        Column::new("pay_left", heading("pay left"), move |row: &R| pay_cell(left(row))).right(),
    ]
}

/// The pay of all people together, where a rate is named.
pub fn pay_of_all(scope: &StatusScope<'_>) -> Option<Amount> {
    let rate = scope.asked.pay.as_ref()?;
    let each = scope.people.list.iter().map(|person| rate.pay(person.paid.judged, person.paid.active));
    Some(each.fold(rate.nothing(), |sum, amount| sum.and(amount)))
}

fn columns<'a>(scope: &StatusScope<'_>) -> Vec<Column<'a, ProgressRow<'a>>> {
    let quartile =
        |at: usize| move |row: &ProgressRow<'_>| row.timing.quartiles.map(|quartiles| quartiles[at]);
    let end = |at: usize| move |row: &ProgressRow<'_>| Ok(row.time_left?.range()?[at]);
    let told = |row: &ProgressRow<'_>| time_cell(row.time_left);
    let mut columns: Vec<Column<'a, ProgressRow<'a>>> = vec![
        Column::new("annotator", "annotator", |row: &ProgressRow<'a>| row.name.to_owned()),
        Column::new("done", "done", |row: &ProgressRow<'a>| row.done),
        Column::new("left", "left", |row: &ProgressRow<'a>| row.left),
        Column::new("skipped", "skipped", |row: &ProgressRow<'a>| row.skipped).detail(),
        Column::new("active_seconds", "active seconds", |row: &ProgressRow<'a>| row.active as f64 / 1_000.0)
            .decimals(3)
            .detail(),
        Column::new("hours", "hours", |row: &ProgressRow<'a>| row.active as f64 / 3_600_000.0).decimals(1),
        Column::new("per_hour", "items/h", |row: &ProgressRow<'a>| row.timing.per_hour).decimals(0),
        Column::new("median_seconds", "median s", |row: &ProgressRow<'a>| row.timing.median),
        Column::new("median_keys", "keys", |row: &ProgressRow<'a>| row.keys)
            .spare()
            .shown_if(People::keys_an_item(&scope.people.list).is_ok()),
        Column::new("low_quartile_seconds", "25 % s", quartile(0)).detail(),
        Column::new("high_quartile_seconds", "75 % s", quartile(1)).detail(),
        Column::new("fast", "fast", |row: &ProgressRow<'a>| row.fast),
        Column::new("slow", "slow", |row: &ProgressRow<'a>| row.slow),
        Column::new("time_left_seconds", "time left", told).right(),
        Column::new("time_left_low_seconds", "at best s", end(0)).detail(),
        Column::new("time_left_high_seconds", "at worst s", end(1)).detail(),
    ];
    columns.extend(pay_columns(
        scope.asked,
        |row: &ProgressRow<'a>| row.pay,
        |row: &ProgressRow<'a>| row.pay_left,
    ));
    columns
}

fn progress_notes(scope: &StatusScope<'_>, rows: &[ProgressRow<'_>], all: &ProgressRow<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let mut longest: Option<(f64, &str)> = None;
    for row in rows {
        if let Ok(left) = row.time_left
            && longest.is_none_or(|(seconds, _)| left.seconds > seconds)
        {
            longest = Some((left.seconds, row.name));
        }
    }
    if let (Ok(left), Some((seconds, name))) = (all.time_left, longest)
        && left.seconds > 0.0
    {
        notes.push(format!(
            "About {} of active time is left{}: the items that are left at the mean time of those that are done; the longest \
             part, {}, is that of {}.",
            duration(left.seconds),
            between(left),
            duration(seconds),
            visible(name)
        ));
    }
    notes.extend(scope.people.effort(scope.protocol, scope.assignable));
    let has_few =
        scope.people.list.iter().any(|person| person.left > 0 && person.timing.items < ENOUGH_TIMES);
    if has_few && scope.people.timing.median.is_ok() {
        notes.push(format!(
            "Whoever has fewer than {ENOUGH_TIMES} timed items is expected to be as quick as all together."
        ));
    }
    let beside: usize = scope.people.list.iter().map(|person| person.beside.len()).sum();
    let why = "are calibration items or repeats, which check the work and are no judgments of their own";
    notes.extend((beside > 0).then(|| format!("{beside} of the {} done {why}.", all.done)));
    notes.extend(super::overview::without_bullet(&scope.protocol.name, scope.people.without_bullet));
    if all.fast + all.slow > 0 {
        notes.push(format!(
            "Fast: below {FAST} of the annotator's median; slow: above {SLOW} times it; from {ENOUGH_TIMES} items on."
        ));
    }
    if let Some(rate) = &scope.asked.pay {
        let what = match rate.per {
            Per::Hour => "all active time of judging, that on calibration items and repeats too",
            Per::Item => "everything judged to the end, calibration items and repeats too",
        };
        let left = match rate.per {
            Per::Hour => "for the time that is left",
            Per::Item => "for the items that are left",
        };
        notes.push(format!(
            "Pay: {} for {what}, and what was withdrawn or revised since. Pay left: {left}.",
            rate.told()
        ));
    }
    notes
}

/// A cell for remaining time.
pub fn time_cell(left: std::result::Result<TimeLeft, Undefined>) -> Cell {
    left.map_or_else(Cell::Undefined, |left| Cell::Seconds(left.seconds))
}

/// The range of a remaining time, as `, 1 h 10 to 2 h 30 in 95 % of cases`; empty where it reaches over a
/// century, some 3 · 10⁹ seconds, as of two or three times.
pub fn between(left: TimeLeft) -> String {
    left.range().ok().filter(|[_, high]| *high < 3e9).map_or_else(String::new, |[low, high]| {
        format!(", {} to {} in 95 % of cases", duration(low), duration(high))
    })
}

/// The quality of an annotator's judgments.
struct Quality<'a> {
    person: &'a Person,
    found: QualityFound,
    /// The number of repeated items.
    repeats: usize,
    /// Cohen's kappa between the two times.
    kappa: Estimate,
    /// The number of items with a majority of the others.
    with_others: usize,
}

/// How often an annotator's judgments are as known, the same again, and as those of others.
#[derive(Debug, Clone, PartialEq)]
pub struct QualityFound {
    pub name: String,
    /// Whether the mark of calibration was reached; `None` without a mark.
    pub mark: Option<&'static str>,
    /// Percentages: as known on calibration and on control items, the same again, as most of the others.
    pub shares: [Estimate; 4],
}

/// The mark of somebody who reached the share of known answers that a protocol asks for.
pub const PASSED: &str = "passed";

/// Whether the mark was reached; `None` without a mark.
fn mark(person: &Person) -> Option<&'static str> {
    let (pass, known) = (person.pass?, person.calibration.total());
    Some(match (known.sum >= pass * known.weight, person.must_pass) {
        (_, false) if person.is_calibrating => "not done",
        (_, true) if person.is_calibrating => "not done, work waits",
        (true, _) => PASSED,
        (false, false) => "not passed",
        (false, true) => "not passed, work waits",
    })
}

/// The table of quality: agreement with known answers, with oneself and with others; `None` without judgments.
///
/// # Errors
/// There are more annotators than a table of ratings can hold.
pub fn quality(scope: &StatusScope<'_>) -> Result<Option<Table>> {
    let people = &scope.people.list;
    let counted = people.iter().flat_map(|person| person.judged.iter()).any(|said| said.counts());
    if !counted && people.iter().all(|person| person.calibration.part().1 == 0) {
        return Ok(None);
    }
    let question = scope.protocol.questions.iter().find(|question| !question.choices().is_empty());
    let rest = question.map(|question| against_rest(scope, question)).transpose()?.unwrap_or_default();
    let how = Uncertainty::default();
    let rows = people.iter().enumerate().map(|(place, person)| {
        let kappa = question.filter(|_| !person.repeats.is_empty());
        let kappa = kappa.map(|question| kappa_with_oneself(question, &person.repeats)).transpose()?;
        let mut same = Score::new(Undefined::NothingRepeated);
        for (query, first, second) in &person.repeats {
            same.count(*query, is_as_known(scope.protocol, first, second));
        }
        let rest = rest.get(place).cloned().unwrap_or(Score::new(Undefined::NoMajority));
        let shares = [&person.calibration, &person.control, &same, &rest].map(|share| how.percent(share));
        Ok(Quality {
            person,
            found: QualityFound { name: person.name.clone(), mark: mark(person), shares },
            repeats: same.part().1,
            kappa: kappa.flatten().unwrap_or(Estimate {
                value: Err(Undefined::NothingRepeated),
                interval: None,
                clusters: 0,
            }),
            with_others: rest.part().1,
        })
    });
    let rows = rows.collect::<Result<Vec<Quality<'_>>>>()?;
    let has_calibration =
        people.iter().any(|person| person.pass.is_some() || person.calibration.part().1 > 0);
    let is_repeated = people.iter().any(|person| person.calibrations > 1);
    let has_control = people.iter().any(|person| person.control.part().1 > 0);
    let has_repeats = people.iter().any(|person| !person.repeats.is_empty());
    let share = |at: usize| move |row: &Quality<'_>| row.found.shares[at];
    let columns: [Column<'_, Quality<'_>>; 12] = [
        Column::new("annotator", "annotator", |row: &Quality<'_>| row.person.name.clone()),
        Column::new("calibration_items", "calibration items", |row: &Quality<'_>| {
            row.person.calibration.part().1
        })
        .detail(),
        Column::new("calibration", "calibration", share(0)).percent().shown_if(has_calibration),
        Column::new("mark", "mark", |row: &Quality<'_>| row.found.mark).shown_if(has_calibration),
        Column::new("calibrations", "times begun", |row: &Quality<'_>| u64::from(row.person.calibrations))
            .shown_if(is_repeated),
        Column::new("control_items", "control items", |row: &Quality<'_>| row.person.control.part().1)
            .shown_if(has_control),
        Column::new("control", "control", share(1)).percent().shown_if(has_control),
        Column::new("repeats", "repeats", |row: &Quality<'_>| row.repeats).shown_if(has_repeats),
        Column::new("with_oneself", "with oneself", share(2)).percent().shown_if(has_repeats),
        Column::new("kappa_with_oneself", "κ with oneself", |row: &Quality<'_>| row.kappa)
            .decimals(2)
            .shown_if(has_repeats),
        Column::new("items_with_others", "items with others", |row: &Quality<'_>| row.with_others),
        Column::new("with_others", "with others", share(3)).percent(),
    ];
    let mut table = Table::of(format!("Quality ({})", scope.protocol.name), columns, &rows)
        .fact("protocol", scope.protocol.name.as_str())
        .fact("question", question.map(|question| question.key.as_str()))
        .finding(TableFinding::Quality(rows.iter().map(|row| row.found.clone()).collect()))
        .noted(
            (has_control || has_repeats || has_calibration)
                .then_some("As known, and the same again: equal labels and tags, and a bullet in common."),
        )
        .noted(question.map(|question| {
            format!("With others: the label that most of the others gave to \"{}\".", question.prompt)
        }));
    Table::note_intervals(std::slice::from_mut(&mut table), how.note(ClusterKind::Query));
    Ok(Some(table))
}

fn broken(error: crate::agreement::TableError) -> Error {
    Error::new(error.to_string())
}

/// Cohen's kappa between first and second answers.
fn kappa_with_oneself(question: &Question, repeats: &[(u32, Answers, Answers)]) -> Result<Option<Estimate>> {
    let Some(labels) = Labels::of_choice(question) else { return Ok(None) };
    let code = |answers: &Answers| labels.code(answers.get(&question.key)?);
    let given = (0..).zip(repeats).flat_map(|(item, (_, first, second))| {
        let answers = [first, second].into_iter().enumerate();
        answers.filter_map(move |(rater, answers)| Some((item, rater, code(answers)?)))
    });
    let ratings = ratings_of(&labels, &["first", "second"], given).map_err(broken)?;
    // Items are named by their places among the repeats.
    let place = |name: &str| repeats.get(name.parse::<usize>().ok()?).map(|(query, ..)| *query);
    let clusters = ratings.items().iter().map(|name| place(name).unwrap_or(NO_PLACE)).collect();
    let (counts, clusters) = (Counts::of(&ratings), Clusters::of(clusters));
    let Some(kappa) = Definition::named("cohen_kappa") else { return Ok(None) };
    let interval = Intervals::Jackknife.of_coefficients(&counts, &clusters, &[kappa]).into_iter().next();
    let value = kappa.value(&counts).unwrap_or(Err(Undefined::NoPairableItems));
    Ok(Some(Estimate { value, interval: interval.flatten(), clusters: clusters.rated(&ratings, 2) }))
}

/// The ratings of everyone on one choice question; raters are the people in their order.
///
/// # Errors
/// There are more annotators than a table of ratings can hold.
pub fn ratings(scope: &StatusScope<'_>, question: &Question) -> Result<Option<Ratings>> {
    let names: Vec<&str> = scope.people.list.iter().map(|person| person.name.as_str()).collect();
    let Some(labels) = Labels::of_choice(question) else { return Ok(None) };
    let codes = labels.codes(question, &scope.people.sets);
    let given = scope.people.list.iter().enumerate().flat_map(|(rater, person)| {
        let code = |said: &PersonJudged| codes.get(said.answers as usize).copied().flatten();
        person.judged.iter().filter_map(move |said| Some((said.place, rater, code(said)?)))
    });
    ratings_of(&labels, &names, given).map(Some).map_err(broken)
}

/// How often each person agrees with the majority of the others, over the items with a majority.
fn against_rest(scope: &StatusScope<'_>, question: &Question) -> Result<Vec<Score>> {
    let mut found = vec![Score::new(Undefined::NoMajority); scope.people.list.len()];
    let Some(ratings) = ratings(scope, question)? else { return Ok(found) };
    let mut queries: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (item, name) in ratings.items().iter().enumerate() {
        // Items are named by their places.
        let target = name.parse::<usize>().ok().and_then(|place| scope.assignable.items.get(place));
        if let Some(target) = target {
            queries.entry(scope.people.clusters.of(target)).or_default().push(item);
        }
    }
    for (query, items) in queries {
        let own = ratings.of_items(&items);
        for (score, rest) in found.iter_mut().zip(Counts::of(&own).against_rest()) {
            score.add(query, Tally { sum: 100.0 * rest.equal as f64, weight: rest.items as f64 });
        }
    }
    Ok(found)
}

/// The name of an item within its query.
fn name_of(keys: &TargetKeys) -> String {
    let TargetKeys { candidate, document, unit, bullet, other, .. } = keys.clone();
    let bullet = bullet.map(|bullet| format!("bullet {bullet}"));
    [candidate, other, document, unit, bullet].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// The table of the items that people gave back, and why; `None` without any.
pub fn given_back(scope: &StatusScope<'_>) -> Result<Option<Table>> {
    let back = scope.assignable.assigned.iter().filter(|one| one.terms.role == Role::Back);
    let item = |one: &Assigned| scope.assignable.items.get(one.item).copied();
    let (targets, back): (Vec<Target>, Vec<&Assigned>) =
        back.filter_map(|one| Some((item(one)?, one))).unzip();
    let rows: Vec<(TargetKeys, &Assigned)> = scope.study.keys_of(&targets)?.into_iter().zip(back).collect();
    let columns = [
        Column::new("annotator", "annotator", |(_, one): &(TargetKeys, &Assigned)| one.annotator.clone()),
        Column::new("query", "query", |(keys, _): &(TargetKeys, &Assigned)| keys.query.clone()),
        Column::new("item", "item", |(keys, _): &(TargetKeys, &Assigned)| name_of(keys)),
        Column::new("why", "why", |(_, one): &(TargetKeys, &Assigned)| one.terms.explanation.clone()),
    ];
    let table = Table::of(format!("Given back ({})", scope.protocol.name), columns, &rows)
        .fact("protocol", scope.protocol.name.as_str())
        .note("`haymark assign STUDY --to NAMES` gives it to others.");
    Ok((!rows.is_empty()).then_some(table))
}

/// An item that took oddly long or short.
struct Odd<'a> {
    name: &'a str,
    what: &'static str,
    seconds: f64,
    keys: TargetKeys,
}

/// The table of items with an oddly long or short time; `None` without any.
pub fn odd_times(scope: &StatusScope<'_>) -> Result<Option<Table>> {
    let most = if scope.asked.is_brief { SHOWN } else { usize::MAX };
    let mut odd = Vec::new();
    let mut left_out = 0;
    for person in &scope.people.list {
        let timed: Vec<(&Target, f64)> = person.timed_items(&scope.assignable.items).collect();
        for (what, places) in [("fast", &person.timing.fast), ("slow", &person.timing.slow)] {
            for (target, seconds) in places.iter().take(most).filter_map(|at| timed.get(*at)) {
                odd.push((**target, (person.name.as_str(), what, *seconds)));
            }
            left_out += places.len().saturating_sub(most);
        }
    }
    let (targets, odd): (Vec<Target>, Vec<_>) = odd.into_iter().unzip();
    let keys = scope.study.keys_of(&targets)?;
    let row = |((name, what, seconds), keys)| Odd { name, what, seconds, keys };
    let rows: Vec<Odd<'_>> = odd.into_iter().zip(keys).map(row).collect();
    let has_collections =
        rows.iter().any(|row| Some(&row.keys.collection) != rows.first().map(|row| &row.keys.collection));
    let columns: [Column<'_, Odd<'_>>; 6] = [
        Column::new("annotator", "annotator", |row: &Odd<'_>| row.name.to_owned()),
        Column::new("what", "what", |row: &Odd<'_>| row.what),
        Column::new("seconds", "seconds", |row: &Odd<'_>| row.seconds),
        Column::new("query", "query", |row: &Odd<'_>| row.keys.query.clone()),
        Column::new("item", "item", |row: &Odd<'_>| name_of(&row.keys)),
        Column::new("collection", "collection", |row: &Odd<'_>| row.keys.collection.clone())
            .shown_if(has_collections),
    ];
    let table = Table::of(format!("Too fast or too slow ({})", scope.protocol.name), columns, &rows)
        .fact("protocol", scope.protocol.name.as_str())
        .noted((left_out > 0).then(|| format!("{left_out} more; --full lists them all.")));
    Ok((!rows.is_empty()).then_some(table))
}
