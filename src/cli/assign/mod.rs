//! `haymark assign`: who is to judge what. The plan is shown, then written.

mod known;
mod planner;
mod standing;
pub mod strata;
mod tables;

use super::args::Assign;
use super::import::now;
use super::output::{complain, print_tables};
use super::protocols;
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::Protocol;
use crate::store::{Assignable, AssignmentChange, StudyFile};
use crate::study::assignment::{Change, Changed, Plan, Settings, Work};
use known::Known;
use planner::Planner;
use strata::Strata;

pub fn run(arguments: &Assign) -> Result<()> {
    let mut study = StudyFile::open(&arguments.study)?;
    let protocol = chosen(&study, arguments.protocol.as_deref())?;
    let assignable = study.assignable(&protocol)?;
    let strata = Strata::read(&study, &assignable, &arguments.stratify)?;
    let work = standing::work(&study, &assignable, &strata, &arguments.to, &arguments.remove)?;
    let mut planner = Planner {
        study: &study,
        protocol: &protocol,
        assignable: &assignable,
        controls: &arguments.control,
        settings: settings(arguments, &work)?,
        known: Known::read(&study, &protocol, &assignable, &arguments.control)?,
        strata: strata.names.len(),
        work,
        notes: Vec::new(),
    };
    let plan = planner.plan()?;
    let Planner { work, notes, .. } = planner;
    let mut tables = tables::tables(&protocol, &work, &plan, &strata, arguments);
    if let Some(table) = tables.first_mut() {
        table.notes.extend(notes);
    }
    print_tables(&tables, arguments.form)?;
    if arguments.dry_run {
        complain("nothing was written; without --dry-run it is");
        return Ok(());
    }
    let changes = changes(&assignable, &work, plan);
    study.assign(&protocol, &changes, now())?;
    complain(&match changes.len() {
        0 => "nothing had to change".to_owned(),
        1 => "wrote 1 change".to_owned(),
        count => format!("wrote {count} changes"),
    });
    Ok(())
}

/// The named protocol, or the first one that the study has items for.
fn chosen(study: &StudyFile, name: Option<&str>) -> Result<Protocol> {
    if let Some(name) = name {
        return protocols::find(study, name);
    }
    let mut first_error = None;
    for protocol in protocols::all(study)? {
        match study.assignable(&protocol) {
            Ok(_) => return Ok(protocol),
            // It has nothing to judge under this one.
            Err(error) if error.kind() == ErrorKind::Failed => first_error = first_error.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    Err(first_error.unwrap_or_else(|| Error::new("there is no protocol")))
}

fn settings(arguments: &Assign, work: &Work) -> Result<Settings> {
    let active = work.people.iter().filter(|person| person.is_active).count();
    if active == 0 {
        return Err(Error::usage("nobody is there to judge").advise("name annotators with --to a,b,c"));
    }
    if let Some(raters) = arguments.raters.filter(|raters| *raters as usize > active) {
        return Err(Error::usage(format!("--raters {raters} is more than the {active} annotators"))
            .advise("name more with --to"));
    }
    let overlap = match (arguments.overlap, arguments.raters) {
        (None, Some(_)) => Some(1.0),
        (overlap, _) => overlap,
    };
    Ok(Settings { seed: arguments.seed, overlap, raters: arguments.raters })
}

/// The plan in the terms of the store.
fn changes(assignable: &Assignable, work: &Work, plan: Plan) -> Vec<AssignmentChange> {
    let change = |change: Change| {
        let annotator = work.people.get(change.person)?.name.clone();
        let target = *assignable.items.get(change.item)?;
        let (aside, terms) = match change.what {
            Changed::Given(terms) => (terms.role.aside(), Some(terms)),
            Changed::Withdrawn(role) => (role.aside(), None),
        };
        Some(AssignmentChange { annotator, target, aside, terms })
    };
    plan.changes.into_iter().filter_map(change).collect()
}
