//! `haymark status`: who has done how much of what, how well and how quickly, what is left, and what it costs.

use std::path::PathBuf;

use clap::Args;

use super::output::print_tables;
use super::table::Form;
use crate::error::Result;
use crate::report::status::{Asked, tables};
use crate::score::Rate;
use crate::store::StudyFile;

#[derive(Debug, Args)]
pub struct Status {
    /// The study file
    pub study: PathBuf,
    /// The protocol; when left out, every one that was judged or assigned
    #[arg(long, value_name = "NAME")]
    pub protocol: Option<String>,
    /// Only these annotators (several with commas); when left out, all people
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub annotators: Vec<String>,
    /// What they are paid: an active hour (25/h, 12.50 EUR/h) or a judged item (1/item)
    #[arg(long, value_name = "RATE")]
    pub pay: Option<Rate>,
    /// Say where judgments are missing by: system, domain, category, collection, query, … (several with commas)
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub by: Vec<String>,
    #[command(flatten)]
    pub form: Form,
}

pub fn run(arguments: &Status) -> Result<()> {
    let asked = Asked {
        protocol: arguments.protocol.clone(),
        annotators: arguments.annotators.clone(),
        pay: arguments.pay.clone(),
        by: arguments.by.clone(),
        is_brief: arguments.form.is_brief(),
    };
    print_tables(&tables(&StudyFile::open(&arguments.study)?, &asked)?, &arguments.form)
}
