//! `haymark status`: who has done how much of what, how well and how quickly, what is left, and what it costs.

mod coverage;
mod labels;
mod people;
mod tables;

use super::annotators::choose;
use super::args::Status;
use super::output::print_tables;
use super::protocols;
use super::table::Table;
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::Protocol;
use crate::store::{Assignable, StudyFile};
use people::People;

/// What the tables of one protocol are made of.
pub struct Scope<'a> {
    pub study: &'a StudyFile,
    pub protocol: &'a Protocol,
    pub assignable: &'a Assignable,
    pub people: &'a People,
    pub arguments: &'a Status,
}

pub fn run(arguments: &Status) -> Result<()> {
    let study = StudyFile::open(&arguments.study)?;
    let chosen = choose(&study, &arguments.annotators)?.annotators;
    let mut tables = Vec::new();
    for protocol in protocols::named_or_all(&study, arguments.protocol.as_deref())? {
        let assignable = match study.assignable(&protocol) {
            Ok(assignable) => assignable,
            Err(error) if error.kind() == ErrorKind::Failed && arguments.protocol.is_none() => continue,
            Err(error) => return Err(error),
        };
        let people = People::read(&study, &protocol, &assignable, &chosen)?;
        if people.list.is_empty() && arguments.protocol.is_none() {
            continue;
        }
        let (study, protocol, assignable) = (&study, &protocol, &assignable);
        tables.extend(of_protocol(&Scope { study, protocol, assignable, people: &people, arguments })?);
    }
    if tables.is_empty() {
        return Err(Error::new("nothing is judged or assigned yet").in_file(study.path()).advise(
            "assign work with `haymark assign STUDY --to a,b,c`, or name a --protocol to see what there is",
        ));
    }
    print_tables(&tables, arguments.form)?;
    Ok(())
}

fn of_protocol(scope: &Scope<'_>) -> Result<Vec<Table>> {
    let mut tables = vec![tables::progress(scope)];
    tables.extend(tables::quality(scope)?);
    tables.extend(coverage::tables(scope)?);
    tables.extend(labels::tables(scope)?);
    tables.extend(tables::odd_times(scope)?);
    Ok(tables)
}
