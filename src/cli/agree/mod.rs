//! `haymark agree`: how far annotators agree, in a study or in a file of ratings.

mod comparison;
mod printed;
mod ratings;
mod study;

use super::args::Agree;
use super::output::{complain, is_sqlite, print, say_what_csv_cannot, terminal_width};
use super::table::{OutputFormat, render};
use crate::error::{Error, Result};

pub fn run(arguments: &Agree) -> Result<()> {
    let is_study = arguments.source.as_os_str() != "-" && is_sqlite(&arguments.source)?;
    let comparisons = if is_study {
        refuse_ratings_options(arguments)?;
        study::comparisons(arguments)?
    } else {
        let (comparison, warnings) = ratings::comparison(arguments)?;
        for warning in warnings {
            complain(&format!("warning: {warning}"));
        }
        vec![comparison]
    };
    let text = match arguments.format {
        OutputFormat::Json => printed::json(&comparisons)?,
        format => {
            let tables: Vec<_> = comparisons.iter().flat_map(printed::tables).collect();
            say_what_csv_cannot(&tables, format);
            render(&tables, format, terminal_width())?
        }
    };
    print(&text)
}

fn refuse_ratings_options(arguments: &Agree) -> Result<()> {
    let given = !arguments.categories.is_empty() || !arguments.scores.is_empty() || arguments.scale.is_some();
    if given {
        return Err(Error::usage("--categories, --scores and --scale are for a file of ratings")
            .advise("a study takes them from its protocol"));
    }
    Ok(())
}
