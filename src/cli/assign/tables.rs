//! The plan as tables: what everyone has, and how evenly the strata are spread.

use std::collections::BTreeMap;

use super::super::args::Assign;
use super::super::table::{Cell, Column, Table};
use super::strata::Strata;
use crate::protocol::Protocol;
use crate::study::Role;
use crate::study::assignment::{Changed, Plan, Work};

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
    let extras = extras(work, plan);
    let shown: Vec<&(Role, &str)> =
        EXTRAS.iter().filter(|(role, _)| extras.keys().any(|(_, other)| other == role)).collect();
    let mut columns = vec![
        Column::text("annotator", "annotator"),
        Column::count("groups", "groups"),
        Column::count("items", "items"),
        Column::count("shared", "shared"),
        Column::count("judged", "judged"),
    ];
    columns.extend(shown.iter().map(|(role, heading)| Column::count(role.name(), *heading)));
    columns.extend([Column::count("given", "given now"), Column::count("withdrawn", "taken back")]);
    let title = format!("Assignments ({})", protocol.name);
    let mut table = Table::new(title, columns).fact("protocol", protocol.name.as_str());
    table = table.fact("seed", arguments.seed).fact("dry_run", arguments.dry_run);
    for (place, (person, load)) in work.people.iter().zip(&plan.loads).enumerate() {
        let name = if person.is_active { person.name.clone() } else { format!("{} (left)", person.name) };
        let mut row: Vec<Cell> = vec![Cell::Text(name)];
        row.extend([load.groups, load.items, load.shared, load.judged].map(Cell::Count));
        let extra = |role: Role| Cell::Count(extras.get(&(place, role)).copied().unwrap_or(0));
        row.extend(shown.iter().map(|(role, _)| extra(*role)));
        row.extend([load.given, load.withdrawn].map(Cell::Count));
        table.rows.push(row);
    }
    table.notes = notes(work, plan);
    table
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

/// How many items so many annotators have, and how far apart the loads are.
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
    notes.push(format!("{items} items: {}.", by_raters.join(", ")));
    if plan.told > 0 {
        notes.push(format!(
            "{} more are told for calibration, so their judgment is that of whose answers are known.",
            plan.told
        ));
    }
    let active = work.people.iter().zip(&plan.loads).filter(|(person, _)| person.is_active);
    let loads: Vec<usize> = active.map(|(_, load)| load.items).collect();
    if let (Some(least), Some(most)) = (loads.iter().min(), loads.iter().max()) {
        let largest = work.groups.iter().map(|group| group.items.len()).max().unwrap_or(0);
        notes.push(format!(
            "Balance: {least} to {most} items an annotator, {} apart; the largest group has {largest}.",
            most - least
        ));
    }
    notes
}

fn balance(work: &Work, plan: &Plan, strata: &Strata) -> Table {
    let names: Vec<&str> = strata.by.iter().map(|by| by.name()).collect();
    let mut columns = vec![
        Column::text("stratum", names.join(" · ")),
        Column::count("groups", "groups"),
        Column::count("items", "items"),
        Column::count("least", "least"),
        Column::count("most", "most"),
    ];
    let people: Vec<_> = work.people.iter().enumerate().filter(|(_, person)| person.is_active).collect();
    for (_, person) in &people {
        columns.push(Column::count(format!("items_{}", person.name), person.name.as_str()).detail());
    }
    let mut table = Table::new("Balance over strata", columns).fact("by", names.join(","));
    for (name, stratum) in strata.names.iter().zip(&plan.strata) {
        let loads: Vec<usize> =
            people.iter().map(|(at, _)| stratum.by_person.get(*at).copied().unwrap_or(0)).collect();
        let (least, most) = (loads.iter().min().copied(), loads.iter().max().copied());
        let mut row: Vec<Cell> = vec![name.as_str().into()];
        row.extend([stratum.groups, stratum.items].map(Cell::Count));
        row.extend([least, most].map(|count| Cell::Count(count.unwrap_or(0))));
        row.extend(loads.into_iter().map(Cell::Count));
        table.rows.push(row);
    }
    table.notes.push("Least and most: items of the stratum that an annotator has.".to_owned());
    table
}
