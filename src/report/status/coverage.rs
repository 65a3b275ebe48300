//! The number of judgments of the items, and where judgments are missing.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::StatusScope;
use crate::error::Result;
use crate::report::{Column, Strata, Table};
use crate::score::{self, Undefined, percent};
use crate::study::Role;

/// The tables of items by number of judgments, and of missing judgments.
pub fn tables(scope: &StatusScope<'_>) -> Result<Vec<Table>> {
    let counts = JudgedByPlace::of(scope);
    let mut tables = vec![coverage(scope, &counts)];
    tables.extend(missing(scope, &counts)?);
    Ok(tables)
}

/// Counts the items that these people judged to the end, and their judgments.
pub fn judged(scope: &StatusScope<'_>) -> score::Counted {
    let mut judged = score::Counted::default();
    JudgedByPlace::of(scope).judged.into_iter().for_each(|times| judged.add(times));
    judged
}

/// Judgments of each item, by its place.
struct JudgedByPlace {
    /// The number of people who judged the item to the end.
    judged: Vec<usize>,
    /// The number of people who have the item and have not judged it. One where nobody has or judged the
    /// item, but 0 for calibration items of nobody, and in a file with the part of one person.
    missing: Vec<usize>,
    /// The number of items that nobody has or judged, without those of people who were left out.
    unassigned: usize,
}

impl JudgedByPlace {
    fn of(scope: &StatusScope<'_>) -> JudgedByPlace {
        let names: BTreeSet<&str> = scope.people.list.iter().map(|person| person.name.as_str()).collect();
        let items = scope.assignable.items.len();
        let mut counts = JudgedByPlace { judged: vec![0; items], missing: vec![0; items], unassigned: 0 };
        let done = &scope.assignable.done;
        for item in names.iter().flat_map(|name| done.of(name)) {
            if let Some(judged) = counts.judged.get_mut(item) {
                *judged += 1;
            }
        }
        let told: BTreeSet<usize> = scope
            .assignable
            .assigned
            .iter()
            .filter(|one| one.terms.role == Role::Calibration)
            .map(|one| one.item)
            .collect();
        let mut holders: HashMap<usize, usize> = HashMap::new();
        let work = scope.assignable.assigned.iter().filter(|one| one.terms.aside().is_none());
        let work = work.filter(|one| scope.assignable.is_given(one) && !one.terms.left);
        let is_part = is_part(scope);
        let taken = scope.assignable.taken.iter().filter(|_| is_part);
        for (name, item) in work.map(|one| (one.annotator.as_str(), one.item)).chain(taken) {
            *holders.entry(item).or_default() += 1;
            let is_open = names.contains(name) && !done.has(name, item);
            if let Some(missing) = counts.missing.get_mut(item).filter(|_| is_open) {
                *missing += 1;
            }
        }
        let left_behind: BTreeSet<usize> = scope.assignable.left_out.iter().map(|one| one.item).collect();
        for item in 0..items {
            let has_nobody = !holders.contains_key(&item) && counts.judged.get(item) == Some(&0);
            let is_missing = has_nobody && !told.contains(&item) && !is_part;
            if let Some(missing) = counts.missing.get_mut(item).filter(|_| is_missing) {
                *missing = 1;
                counts.unassigned += usize::from(!left_behind.contains(&item));
            }
        }
        counts
    }
}

/// A group of items, with their judgments and missing judgments.
#[derive(Default)]
struct CoveredItems {
    items: usize,
    judgments: usize,
    missing: usize,
}

fn coverage(scope: &StatusScope<'_>, counts: &JudgedByPlace) -> Table {
    let mut rows: BTreeMap<usize, CoveredItems> = BTreeMap::new();
    for (judged, missing) in counts.judged.iter().zip(&counts.missing) {
        let row = rows.entry(*judged).or_default();
        row.items += 1;
        row.missing += missing;
    }
    let rows: Vec<(usize, CoveredItems)> = rows.into_iter().collect();
    let all = counts.judged.len();
    let columns: [Column<'_, (usize, CoveredItems)>; 4] = [
        Column::new("judgments", "judgments", |(judged, _): &(usize, CoveredItems)| *judged),
        Column::new("items", "items", |(_, row): &(usize, CoveredItems)| row.items),
        Column::new("share", "share", move |(_, row): &(usize, CoveredItems)| {
            percent(row.items, all, Undefined::NothingJudged)
        })
        .percent(),
        Column::new("missing", "still to come", |(_, row): &(usize, CoveredItems)| row.missing),
    ];
    let title = format!("Items by number of judgments ({})", scope.protocol.name);
    let mut table = Table::of(title, columns, &rows).fact("protocol", scope.protocol.name.as_str());
    if is_part(scope) {
        let nor =
            if scope.assignable.handed_out.is_some() { ", nor what the hub still hands out" } else { "" };
        table.notes.push(format!(
            "This is the part of one person: what others have is not in this file{nor}. Still to come is what she has."
        ));
    } else if scope.assignable.handed_out.is_some() {
        table.notes.push(format!(
            "The hub hands out the work, and {} judgments are to come from whoever asks; still to come counts one for each item \
             that nobody judged.",
            super::overview::to_hand_out(scope)
        ));
    } else if scope.people.is_assigned {
        if counts.unassigned > 0 {
            table.notes.push(format!(
                "{} items are assigned to nobody and judged by nobody; `haymark assign STUDY` spreads them.",
                counts.unassigned
            ));
        }
    } else {
        table.notes.push("Nothing is assigned: still to come is what is missing for one judgment an item. The overview and the progress count what \
             everyone has left who judges every item.".to_owned());
    }
    table
}

/// Whether the file has only what one person has of the work.
fn is_part(scope: &StatusScope<'_>) -> bool {
    scope.people.is_assigned && !scope.sees_all
}

/// The table of missing judgments by group, the groups with the most first.
fn missing(scope: &StatusScope<'_>, counts: &JudgedByPlace) -> Result<Option<Table>> {
    let by = match scope.asked.by.as_slice() {
        [] => {
            let judges_candidates = scope.protocol.is_about_candidates();
            vec![if judges_candidates { "system".to_owned() } else { "domain".to_owned() }]
        }
        by => by.to_vec(),
    };
    let strata = Strata::of((scope.study, scope.protocol), &scope.assignable.items, &by, |_| "")?;
    let mut rows: BTreeMap<usize, CoveredItems> = BTreeMap::new();
    for item in 0..scope.assignable.items.len() {
        let row = rows.entry(strata.of_item(item)).or_default();
        row.items += 1;
        row.judgments += counts.judged.get(item).copied().unwrap_or(0);
        row.missing += counts.missing.get(item).copied().unwrap_or(0);
    }
    let mut rows: Vec<(usize, CoveredItems)> = rows.into_iter().filter(|(_, row)| row.missing > 0).collect();
    if rows.is_empty() {
        return Ok(None);
    }
    rows.sort_by_key(|(stratum, row)| (std::cmp::Reverse(row.missing), *stratum));
    let columns: [Column<'_, (usize, CoveredItems)>; 4] = [
        Column::new("where", by.join(" · "), |(stratum, _): &(usize, CoveredItems)| {
            strata.names.get(*stratum).cloned()
        }),
        Column::new("items", "items", |(_, row): &(usize, CoveredItems)| row.items),
        Column::new("judgments", "judgments", |(_, row): &(usize, CoveredItems)| row.judgments),
        Column::new("missing", "still to come", |(_, row): &(usize, CoveredItems)| row.missing),
    ];
    let title = format!("Where judgments are missing ({})", scope.protocol.name);
    let protocol = scope.protocol.name.as_str();
    Ok(Some(Table::of(title, columns, &rows).fact("protocol", protocol).fact("by", by.join(","))))
}
