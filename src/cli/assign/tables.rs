//! The plan as tables: what everyone has, and how evenly the strata are spread.

use std::collections::BTreeMap;

use crate::cli::assign::Assign;
use crate::protocol::Protocol;
use crate::report::{Column, Strata, Table, names};
use crate::study::Role;
use crate::study::assignment::{Assignee, Changed, Load, Plan, StratumLoad, Work};

/// The tables of a plan.
pub fn tables(
    protocol: &Protocol,
    work: &Work,
    plan: &Plan,
    strata: &Strata,
    arguments: &Assign,
) -> Vec<Table> {
    let mut tables = vec![people(protocol, work, plan, arguments)];
    if !strata.by.is_empty() {
        tables.push(balance(work, plan, strata));
    }
    tables
}

/// Roles that are put on top of the work, with their columns.
const EXTRAS: [(Role, &str); 4] = [
    (Role::Calibration, "calibration"),
    (Role::Control, "control"),
    (Role::Repeat, "repeats"),
    (Role::Check, "to check"),
];

fn people(protocol: &Protocol, work: &Work, plan: &Plan, arguments: &Assign) -> Table {
    type LoadRow<'a> = (usize, &'a Assignee, &'a Load);
    let extras = extras(work, plan);
    let name = |(_, person, _): &LoadRow<'_>| match person.has_left {
        true => format!("{} (left)", person.name),
        false => person.name.clone(),
    };
    let mut columns = vec![
        Column::new("annotator", "annotator", name),
        Column::new("groups", "groups", |(.., load): &LoadRow<'_>| load.groups),
        Column::new("items", "items", |(.., load): &LoadRow<'_>| load.items),
        Column::new("shared", "shared", |(.., load): &LoadRow<'_>| load.shared),
        Column::new("judged", "judged", |(.., load): &LoadRow<'_>| load.judged),
    ];
    for (role, heading) in EXTRAS {
        if extras.keys().any(|(_, other)| *other == role) {
            let extras = &extras;
            let extra = move |(place, ..): &LoadRow<'_>| extras.get(&(*place, role)).copied().unwrap_or(0);
            columns.push(Column::new(role.name(), heading, extra));
        }
    }
    columns.push(Column::new("given", "given now", |(.., load): &LoadRow<'_>| load.given));
    columns.push(Column::new("withdrawn", "taken back", |(.., load): &LoadRow<'_>| load.withdrawn));
    let people = work.people.iter().zip(&plan.loads).enumerate();
    let rows: Vec<LoadRow<'_>> = people.map(|(place, (person, load))| (place, person, load)).collect();
    let mut table = Table::of(format!("Assignments ({})", protocol.name), columns, &rows)
        .fact("protocol", protocol.name.as_str())
        .fact("seed", arguments.part.seed)
        .fact("dry_run", arguments.dry_run);
    table.notes = notes(work, plan);
    table
}

/// The table of the items that people have on top of work that is handed out; `None` without such items.
pub fn extras_table(protocol: &Protocol, work: &Work, plan: &Plan) -> Option<Table> {
    type ControlRow<'a> = (usize, &'a Assignee);
    let extras = extras(work, plan);
    let has = |place: usize| extras.keys().any(|(person, _)| *person == place);
    let rows: Vec<ControlRow<'_>> = work.people.iter().enumerate().filter(|(place, _)| has(*place)).collect();
    let mut columns =
        vec![Column::new("annotator", "annotator", |(_, person): &ControlRow<'_>| person.name.clone())];
    for (role, heading) in EXTRAS {
        let extras = &extras;
        let count = move |(place, _): &ControlRow<'_>| extras.get(&(*place, role)).copied().unwrap_or(0);
        columns.push(Column::new(role.name(), heading, count));
    }
    let title = format!("On top of it ({})", protocol.name);
    (!rows.is_empty()).then(|| Table::of(title, columns, &rows).keyed("extras"))
}

/// How many items each person has on top of their work once the plan is written, by role.
fn extras(work: &Work, plan: &Plan) -> BTreeMap<(usize, Role), usize> {
    let mut stands: BTreeMap<(usize, usize, Role), bool> = BTreeMap::new();
    // Calibration items that are only planned stand among the present ones and among the changes.
    for present in &work.present {
        if let Some(terms) = present.terms.as_ref().filter(|terms| !terms.role.is_work()) {
            stands.insert((present.person, present.item, terms.role), true);
        }
    }
    for change in &plan.changes {
        match &change.what {
            Changed::Given(terms) if !terms.role.is_work() => {
                stands.insert((change.person, change.item, terms.role), true);
            }
            Changed::Withdrawn(role) if !role.is_work() => {
                stands.insert((change.person, change.item, *role), false);
            }
            _ => {}
        }
    }
    let mut counts = BTreeMap::new();
    for ((person, _, role), _) in stands.into_iter().filter(|(_, stands)| *stands) {
        *counts.entry((person, role)).or_default() += 1;
    }
    counts
}

/// Notes on how many items are judged by how many annotators, and on how far apart the loads are.
fn notes(work: &Work, plan: &Plan) -> Vec<String> {
    let mut notes = Vec::new();
    let by_raters: Vec<String> = plan
        .raters
        .iter()
        .map(|(raters, items)| match raters {
            1 => format!("{items} by one annotator"),
            _ => format!("{items} by {raters}"),
        })
        .collect();
    let items: usize = plan.raters.values().sum();
    if items > 0 {
        notes.push(format!("{items} items: {}.", by_raters.join(", ")));
    }
    if plan.told > 0 {
        notes.push(format!(
            "{} more are told for calibration, so their judgment is that of whose answers are known.",
            plan.told
        ));
    }
    let active = || work.people.iter().zip(&plan.loads).filter(|(person, _)| person.is_active);
    let range = |of: fn(&Load) -> usize| {
        let loads = || active().map(|(_, load)| of(load));
        loads().min().zip(loads().max())
    };
    if let Some((least, most)) = range(|load| load.items) {
        let mut note = format!("Each annotator has {} items", told(least, most));
        let is_judged = active().any(|(_, load)| load.judged > 0);
        if let Some((least, most)) = range(|load| load.items - load.judged).filter(|_| is_judged) {
            note += &format!(", and {} of them still to judge: what was judged stays", told(least, most));
        }
        notes.push(note + ".");
    }
    let largest = work.groups.iter().map(|group| group.items.len()).max().unwrap_or(0);
    if largest > 1 {
        notes.push(format!(
            "Groups are handed out whole, and the largest has {largest} items: shares, also of control items, are met as \
             nearly as groups allow."
        ));
    }
    notes
}

/// Writes a range: `8`, or `8 to 12`.
fn told(least: usize, most: usize) -> String {
    if least == most { least.to_string() } else { format!("{least} to {most}") }
}

fn balance(work: &Work, plan: &Plan, strata: &Strata) -> Table {
    type StratumRow<'a> = (&'a String, &'a StratumLoad);
    let people: Vec<_> = work.people.iter().enumerate().filter(|(_, person)| person.is_active).collect();
    let items = |at: usize, stratum: &StratumLoad| stratum.by_person.get(at).copied().unwrap_or(0);
    let loads =
        |(_, stratum): &StratumRow<'_>| people.iter().map(|(at, _)| items(*at, stratum)).collect::<Vec<_>>();
    let names = names(&strata.by);
    let mut columns = vec![
        Column::new("stratum", names.join(" · "), |(name, _): &StratumRow<'_>| (*name).clone()),
        Column::new("groups", "groups", |(_, stratum): &StratumRow<'_>| stratum.groups),
        Column::new("items", "items", |(_, stratum): &StratumRow<'_>| stratum.items),
        Column::new("least", "least", |row: &StratumRow<'_>| loads(row).into_iter().min().unwrap_or(0)),
        Column::new("most", "most", |row: &StratumRow<'_>| loads(row).into_iter().max().unwrap_or(0)),
    ];
    columns.extend(people.iter().map(|(at, person)| {
        let at = *at;
        let load = move |(_, stratum): &StratumRow<'_>| items(at, stratum);
        Column::new(format!("items_{}", person.name), person.name.as_str(), load).detail()
    }));
    let rows: Vec<StratumRow<'_>> = strata.names.iter().zip(&plan.strata).collect();
    let mut table = Table::of("Balance over strata", columns, &rows).fact("by", names.join(","));
    table.notes.push("Least and most: items of the stratum that an annotator has.".to_owned());
    table
}
