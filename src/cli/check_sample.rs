//! `haymark check-sample`: a stratified random sample of what was judged, for a second look (Lyu et al. 2024,
//! CRUD-RAG, §3.4: 5 %).

use std::collections::{BTreeMap, BTreeSet};

use super::args::CheckSample;
use super::assign::strata::Strata;
use super::import::now;
use super::output::{complain, print_tables};
use super::protocols;
use super::table::{Cell, Column, Table};
use crate::error::{Error, Result};
use crate::protocol::Protocol;
use crate::store::{Assignable, AssignmentChange, StudyFile, Target};
use crate::study::assignment::draw::{lot, share_of, stratified};
use crate::study::{Role, TargetKeys, Terms};

pub fn run(arguments: &CheckSample) -> Result<()> {
    let mut study = StudyFile::open(&arguments.study)?;
    let (protocol, assignable) = chosen(&study, arguments.protocol.as_deref())?;
    let pool = Pool::of(&assignable, arguments.to.as_deref());
    let keys = study.keys_of(&pool.items)?;
    let strata = Strata::of(&study, &pool.items, &arguments.stratify, |at| pool.first_annotator(at))?;
    let of_item: Vec<usize> = (0..pool.items.len()).map(|at| strata.of_item(at)).collect();
    let wanted = share_of(arguments.share, pool.items.len());
    let drawn = stratified(&of_item, wanted, |at| {
        let name = keys.get(at).map(|keys| keys.item_key(&protocol.name).to_string());
        lot(arguments.seed, "check", &[&name.unwrap_or_default()])
    });
    let table = table(&protocol, arguments, &pool, &keys, &strata, &drawn);
    print_tables(std::slice::from_ref(&table), arguments.form)?;
    let Some(to) = arguments.to.as_deref().filter(|_| !arguments.dry_run) else {
        return Ok(());
    };
    let change = |at: &usize| {
        let target = pool.items.get(*at).filter(|_| !pool.assigned.contains(at))?;
        let terms = Some(Terms::of(Role::Check));
        Some(AssignmentChange { annotator: to.to_owned(), target: *target, aside: None, terms })
    };
    let changes: Vec<AssignmentChange> = drawn.iter().filter_map(change).collect();
    study.assign(&protocol, &changes, now())?;
    complain(&format!(
        "assigned {} items to {to}, who judges them with `haymark annotate STUDY --as {to} --protocol {}`",
        changes.len(),
        protocol.name
    ));
    Ok(())
}

/// The named protocol, or the first one that someone judged by.
fn chosen(study: &StudyFile, name: Option<&str>) -> Result<(Protocol, Assignable)> {
    let named = protocols::named_or_all(study, name)?;
    for protocol in named {
        match study.assignable(&protocol) {
            Ok(assignable) if !assignable.judged.is_empty() => return Ok((protocol, assignable)),
            Err(error) if name.is_some() => return Err(error),
            _ => {}
        }
    }
    Err(Error::new("nobody has judged anything that could be looked at again").in_file(study.path()))
}

/// What a sample is drawn from: items that someone else has judged, and that the second annotator has not.
struct Pool<'a> {
    items: Vec<Target>,
    /// Who has judged each.
    judged_by: Vec<BTreeSet<&'a str>>,
    /// Places of those that are assigned to the second annotator already.
    assigned: BTreeSet<usize>,
}

impl<'a> Pool<'a> {
    fn of(assignable: &'a Assignable, to: Option<&str>) -> Pool<'a> {
        let mut judged_by: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
        for (annotator, item) in &assignable.judged {
            judged_by.entry(*item).or_default().insert(annotator);
        }
        let held: BTreeMap<usize, Role> = assignable
            .assigned
            .iter()
            .filter(|one| Some(one.annotator.as_str()) == to)
            .map(|one| (one.item, one.terms.role))
            .collect();
        let mut pool = Pool { items: Vec::new(), judged_by: Vec::new(), assigned: BTreeSet::new() };
        for (place, annotators) in judged_by {
            // Their own work is no second look; what they were told for calibration is neither.
            let role = held.get(&place);
            let is_check = role == Some(&Role::Check);
            let is_own = to.is_some_and(|to| annotators.contains(to)) && !is_check;
            if is_own || role.is_some_and(|role| *role != Role::Check) {
                continue;
            }
            if let Some(target) = assignable.items.get(place) {
                if is_check {
                    pool.assigned.insert(pool.items.len());
                }
                pool.items.push(*target);
                pool.judged_by.push(annotators.into_iter().filter(|name| Some(*name) != to).collect());
            }
        }
        pool
    }

    fn first_annotator(&self, at: usize) -> &'a str {
        self.judged_by.get(at).and_then(|names| names.first().copied()).unwrap_or("")
    }
}

/// The parts of an item that may have a column.
const PARTS: [&str; 4] = ["document", "unit", "candidate", "bullet"];

fn table(
    protocol: &Protocol,
    arguments: &CheckSample,
    pool: &Pool<'_>,
    keys: &[TargetKeys],
    strata: &Strata,
    drawn: &[usize],
) -> Table {
    let parts = |keys: &TargetKeys| {
        let bullet = keys.bullet.map(|number| number.to_string());
        [keys.document.clone(), keys.unit.clone(), keys.candidate.clone(), bullet]
    };
    let has = |at: usize| {
        let of_drawn = drawn.iter().filter_map(|place| keys.get(*place)).map(parts);
        of_drawn.filter_map(|parts| parts.get(at).cloned()).any(|part| part.is_some())
    };
    let places: Vec<usize> = (0..PARTS.len()).filter(|at| has(*at)).collect();
    let mut columns = vec![Column::text("collection", "collection"), Column::text("query", "query")];
    columns.extend(places.iter().filter_map(|at| PARTS.get(*at)).map(|part| Column::text(*part, *part)));
    let by: Vec<&str> = strata.by.iter().map(|by| by.name()).collect();
    if !by.is_empty() {
        columns.push(Column::text("stratum", by.join(" · ")));
    }
    columns.push(Column::text("judged_by", "judged by"));
    let mut table = Table::new(format!("To be checked ({})", protocol.name), columns)
        .fact("protocol", protocol.name.as_str())
        .fact("share", 100.0 * arguments.share)
        .fact("of", pool.items.len())
        .fact("seed", arguments.seed);
    for at in drawn {
        let Some(keys) = keys.get(*at) else {
            continue;
        };
        let parts = parts(keys);
        let mut row: Vec<Cell> = vec![keys.collection.as_str().into(), keys.query.as_str().into()];
        row.extend(places.iter().filter_map(|at| parts.get(*at)).cloned().map(Cell::from));
        if !by.is_empty() {
            row.push(strata.names.get(strata.of_item(*at)).map_or(Cell::Empty, |name| name.as_str().into()));
        }
        let names = pool.judged_by.get(*at).into_iter().flatten().copied().collect::<Vec<&str>>();
        row.push(names.join(", ").as_str().into());
        table.rows.push(row);
    }
    table.notes.push(format!("{} of {} items that are judged.", drawn.len(), pool.items.len()));
    table
}
