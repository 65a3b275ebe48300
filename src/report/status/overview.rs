//! The overview: for each protocol, how much is judged, what is left, and how long it will take.

use std::collections::BTreeSet;

use super::{StatusAsked, StatusScope, between, coverage, tables, time_cell};
use crate::number::number_of;
use crate::report::{Column, Table, counted_columns, duration};
use crate::score::{Amount, Counted, TimeLeft, Undefined};
use crate::store::{Assignable, Assigned};
use crate::text::shell::quoted;
use crate::text::width::visible;

/// The status of a protocol.
pub struct ProtocolStanding {
    protocol: String,
    people: usize,
    /// The number of items.
    items: usize,
    judged: Counted,
    /// The judgments still to come of people with assignments, else of all who judged; and those to hand out.
    left: usize,
    /// The missing judgments that the hub still hands out, or has handed out to others.
    to_hand_out: usize,
    /// See [`super::People::beside`].
    beside: usize,
    /// See [`super::People::without_bullet`].
    without_bullet: usize,
    time_left: Result<TimeLeft, Undefined>,
    pay: Option<Amount>,
    pay_left: Option<Result<Amount, Undefined>>,
}

impl ProtocolStanding {
    /// Computes the status of a protocol.
    pub fn of(scope: &StatusScope<'_>) -> ProtocolStanding {
        let to_hand_out = to_hand_out(scope);
        let Assignable { items, handed_out, .. } = scope.assignable;
        // Where nobody has begun, each item is to be judged once.
        let is_new = scope.people.list.is_empty() && handed_out.is_none();
        let of_nobody = if is_new { items.len() } else { to_hand_out };
        let left = scope.people.list.iter().map(|person| person.left).sum::<usize>() + of_nobody;
        let of_people = scope.people.time_left_of_all();
        let time_left =
            of_people.and_then(|left| Ok(left.and(TimeLeft::of(of_nobody, &scope.people.timing)?)));
        ProtocolStanding {
            protocol: scope.protocol.name.clone(),
            people: scope.people.list.len(),
            items: items.len(),
            judged: coverage::judged(scope),
            left,
            time_left,
            to_hand_out,
            beside: scope.people.beside,
            without_bullet: scope.people.without_bullet,
            pay: tables::pay_of_all(scope),
            pay_left: tables::pay_left(scope, left, time_left),
        }
    }
}

/// Counts the judgments that the hub is still to hand out; 0 in an annotator's file, which tells nothing of others.
pub fn to_hand_out(scope: &StatusScope<'_>) -> usize {
    let Some(terms) = scope.assignable.handed_out.as_ref().filter(|_| scope.sees_all) else { return 0 };
    let Assignable { done, taken, items, .. } = scope.assignable;
    let held = taken.iter().filter(|(name, item)| !done.has(name, *item)).count();
    // What was withdrawn since is asked of nobody: each item as often as all are on average.
    let before = if terms.items == 0 { items.len().max(1) } else { terms.items };
    let wanted = (terms.left + terms.done) * items.len().min(before) / before;
    wanted.saturating_sub(scope.assignable.done_as_work() + held)
}

/// A note on judged items that the protocol does not ask about in this study, and that are not counted.
pub fn beside(protocol: &str, items: usize) -> Option<String> {
    (items > 0).then(|| {
        format!(
            "{protocol}: {} more judged, which the protocol does not ask of this study; `haymark score` counts {}.",
            if items == 1 { "1 item is".to_owned() } else { format!("{items} items are") },
            if items == 1 { "it" } else { "them" }
        )
    })
}

/// A note on labels that count, and whose items are open until a bullet is chosen.
pub fn without_bullet(protocol: &str, labels: usize) -> Option<String> {
    let count = number_of(labels, "label");
    let what = "without the bullet that is asked for, in scores and agreement but still open here";
    (labels > 0).then(|| format!("{protocol}: {count} {what}."))
}

/// Notes on the work of people who were left out.
pub fn left_behind(protocol: &str, assignable: &Assignable) -> Vec<String> {
    let Assignable { left_out, to_reopen, handed_out, .. } = assignable;
    let names: BTreeSet<&str> = left_out.iter().map(|one| one.annotator.as_str()).collect();
    let names = quoted(&names.into_iter().collect::<Vec<_>>().join(","));
    let items = number_of(left_out.len(), "item");
    let dynamic = if handed_out.is_some() { " --dynamic" } else { "" };
    let assign = format!("`haymark assign STUDY{dynamic} --protocol {protocol}");
    let assigned = (!left_out.is_empty()).then(|| {
        format!("{protocol}: {items} given to people who are left out, to be handed out again: {assign} --remove {names}`.")
    });
    let of_hub = (!to_reopen.is_empty()).then(|| {
        let (hers, names) = (visible(&to_reopen.join(", ")).into_owned(), quoted(&to_reopen.join(",")));
        format!("{protocol}: what the hub gave people who are left out ({hers}) goes to others by {assign} --reopen {names}`.")
    });
    assigned.into_iter().chain(of_hub).collect()
}

/// Notes on what others were given of a person's work before she was taken back, and what is to be done.
pub fn taken_over(protocol: &str, assignable: &Assignable, name: &str) -> Vec<String> {
    let Assignable { assigned, done, handed_out, .. } = assignable;
    let shown = visible(name);
    if let Some(terms) = handed_out {
        let is_of_hub = terms.reopened.iter().any(|reopened| reopened == name);
        return is_of_hub.then(|| {
            format!("{protocol}: what the hub gave others of {shown}'s work stays theirs, and for the rest of it one more person is asked.")
        }).into_iter().collect();
    }
    let hers: BTreeSet<usize> =
        assigned.iter().filter(|one| one.annotator == name).map(|one| one.item).collect();
    let is_open = |one: &&Assigned| one.terms.role.is_work() && !one.is_judged && done.has(name, one.item);
    let items: BTreeSet<usize> =
        assigned.iter().filter(is_open).map(|one| one.item).filter(|item| !hers.contains(item)).collect();
    let told = (number_of(items.len(), "item"), quoted(name));
    let is_any = !items.is_empty();
    is_any.then(|| {
        format!("{protocol}: {} that {shown} judged are others' to judge: `haymark assign STUDY --protocol {protocol} --to {}` takes back \
                 what they have not judged.", told.0, told.1)
    }).into_iter().collect()
}

/// The table of all protocols.
pub fn table(standings: &[ProtocolStanding], asked: &StatusAsked) -> Table {
    let end = |at: usize| move |row: &ProtocolStanding| Ok(row.time_left?.range()?[at]);
    let mut columns = vec![
        Column::new("protocol", "protocol", |row: &ProtocolStanding| row.protocol.clone()),
        Column::new("people", "people", |row: &ProtocolStanding| row.people),
        Column::new("of", "items", |row: &ProtocolStanding| row.items),
    ];
    columns.extend(counted_columns("judged", |row: &ProtocolStanding| row.judged));
    columns.extend([
        Column::new("left", "left", |row: &ProtocolStanding| row.left),
        Column::new("time_left_seconds", "time left", |row: &ProtocolStanding| time_cell(row.time_left))
            .right(),
        Column::new("time_left_low_seconds", "at best s", end(0)).detail(),
        Column::new("time_left_high_seconds", "at worst s", end(1)).detail(),
    ]);
    columns.extend(tables::pay_columns(
        asked,
        |row: &ProtocolStanding| row.pay,
        |row: &ProtocolStanding| row.pay_left,
    ));
    let mut table = Table::of("Overview", columns, standings);
    let all =
        standings.iter().try_fold(TimeLeft::NONE, |sum, one| Ok::<_, Undefined>(sum.and(one.time_left?)));
    if let Some(left) = all.ok().filter(|left| left.seconds > 0.0) {
        table.notes.push(format!(
            "About {} of active time is left{}.",
            duration(left.seconds),
            between(left)
        ));
    }
    for row in standings.iter().filter(|row| row.to_hand_out > 0) {
        table.notes.push(format!(
            "{}: {} of what is left come from whoever asks the hub.",
            row.protocol, row.to_hand_out
        ));
    }
    table.notes.extend(standings.iter().filter_map(|row| beside(&row.protocol, row.beside)));
    table.notes.extend(standings.iter().filter_map(|row| without_bullet(&row.protocol, row.without_bullet)));
    if standings.iter().all(|row| row.people == 0 && row.to_hand_out == 0) {
        let begins = "`haymark annotate STUDY --as NAME` begins, and `haymark assign STUDY --to a,b,c` hands out work.";
        table.notes.push(begins.to_owned());
    }
    table.notes.push("judged: items that a person judged to the end. left: judgments still to come. --protocol NAME says who has done what.".to_owned());
    table
}
