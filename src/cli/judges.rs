//! `haymark judges`: every model annotator against the people.

use std::path::PathBuf;

use clap::Args;

use super::args::{CountedArguments, UncertaintyArguments};
use super::handed_on::{NamesTold, is_handed_on};
use super::output::print_tables;
use super::table::TableForm;
use crate::cli::hub::open_study;
use crate::error::{Error, Result};
use crate::report::judges::{JudgesAsked, tables};

#[derive(Debug, Args)]
pub struct Judges {
    /// The study file, or a hub: postgres://…
    pub study: PathBuf,
    #[command(flatten)]
    pub counted: CountedArguments,
    /// Only these annotators (several with commas); all people where none of them is a person, all judges where none
    /// is a judge
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub annotators: Vec<String>,
    /// Compare by each of these groups by itself too: any field of the items, such as domain, system or meta.KEY (several with commas)
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub by: Vec<String>,
    /// What a judge costs for one summary; when left out, its meta field cost_per_summary (may be repeated)
    #[arg(long, value_name = "JUDGE=COST")]
    pub cost: Vec<String>,
    /// What a person costs an hour, for the cost of the people
    #[arg(long, value_name = "RATE")]
    pub hourly_rate: Option<f64>,
    #[command(flatten)]
    pub uncertainty: UncertaintyArguments,
    #[command(flatten)]
    pub form: TableForm,
}

pub fn run(arguments: &Judges) -> Result<()> {
    let study = open_study(&arguments.study)?;
    let mut asked = JudgesAsked {
        protocol: arguments.counted.protocol.clone(),
        all_versions: arguments.counted.all_versions,
        filter: arguments.counted.filter.clone(),
        annotators: arguments.annotators.clone(),
        by: arguments.by.clone(),
        costs: arguments.cost.iter().map(|given| read_cost(given)).collect::<Result<_>>()?,
        hourly_rate: arguments.hourly_rate,
        uncertainty: arguments.uncertainty.asked(),
    };
    let told = NamesTold::of(&study, is_handed_on(&arguments.form, arguments.counted.names))?;
    told.annotators(&mut asked.annotators);
    told.filter(&mut asked.filter);
    print_tables(&tables(&study, &asked)?, &arguments.form)
}

/// Reads `judge=0.03`.
fn read_cost(given: &str) -> Result<(String, f64)> {
    let read = given.rsplit_once('=').and_then(|(name, cost)| Some((name, cost.parse::<f64>().ok()?)));
    match read {
        Some((name, cost)) if cost.is_finite() && cost >= 0.0 => Ok((name.to_owned(), cost)),
        _ => Err(Error::usage(format!("--cost {given:?} is not of the form JUDGE=COST"))
            .advise("give the cost of one summary, such as --cost gpt-4o=0.034")),
    }
}
