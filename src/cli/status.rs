//! `haymark status`: who has done how much of what, how well and how quickly, what is left, and what it costs.

use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use clap::Args;

use super::{clear_terminal, complain, members_of, open_study, print_tables, print_watched, say_held};
use crate::error::{ErrorKind, Result};
use crate::export::handed_on::{NamesTold, is_handed_on};
use crate::export::table::TableForm;
use crate::report::StatusAsked;
use crate::report::status::tables;
use crate::score::Rate;

#[derive(Debug, Args)]
pub struct Status {
    /// The study file, or a hub: postgres://…
    pub study: PathBuf,
    /// The protocol; when left out, every one that was judged or assigned
    #[arg(long, value_name = "NAME")]
    pub protocol: Option<String>,
    /// Only items that this lets through, in the language of browse, such as 'sample=pilot'
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Option<String>,
    /// Only these annotators (several with commas); when left out, all people
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub annotators: Vec<String>,
    /// What they are paid: an active hour (25/h, 12.50 EUR/h) or a judged item (1/item)
    #[arg(long, value_name = "RATE")]
    pub pay: Option<Rate>,
    /// Say where judgments are missing by: system, domain, category, collection, query, … (several with commas)
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub by: Vec<String>,
    /// Print it anew every so many seconds, until it is ended
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "5", value_parser = clap::value_parser!(u64).range(1..))]
    pub watch: Option<u64>,
    /// Write people's names in Markdown and LaTeX too; when left out, people are A1, A2, … there
    #[arg(long)]
    pub names: bool,
    #[command(flatten)]
    pub form: TableForm,
}

pub fn run(arguments: &Status) -> Result<()> {
    let asked = StatusAsked {
        protocol: arguments.protocol.clone(),
        filter: arguments.filter.clone(),
        annotators: arguments.annotators.clone(),
        pay: arguments.pay.clone(),
        by: arguments.by.clone(),
        is_brief: arguments.form.is_brief(),
    };
    let Some(seconds) = arguments.watch else { return shown(arguments, &asked) };
    loop {
        clear_terminal()?;
        match shown(arguments, &asked) {
            // The next try may go well.
            Err(error)
                if error.is_passing() || matches!(error.kind(), ErrorKind::Unreachable | ErrorKind::Full) =>
            {
                complain(&error.to_string());
            }
            done => done?,
        }
        sleep(Duration::from_secs(seconds));
    }
}

fn shown(arguments: &Status, asked: &StatusAsked) -> Result<()> {
    let study = open_study(&arguments.study)?;
    let told = NamesTold::of(&study, is_handed_on(&arguments.form, arguments.names))?;
    let at_work = members_of(&arguments.study)?.map(|table| told.table(table));
    let mut asked = asked.clone();
    told.annotators(&mut asked.annotators);
    told.filter(&mut asked.filter);
    let tables = match tables(&study, &asked) {
        // The table of members is shown all the same.
        Err(error) if at_work.is_some() && error.kind() == ErrorKind::Failed => {
            complain(&error.to_string());
            Vec::new()
        }
        tables => tables?,
    };
    say_held(&study)?;
    let tables: Vec<_> = tables.into_iter().chain(at_work).collect();
    match arguments.watch {
        Some(_) => print_watched(&tables, &arguments.form),
        None => print_tables(&tables, &arguments.form),
    }
}
