//! `haymark agree`: how far annotators agree, in a study or in a file of ratings.

mod comparison;
mod printed;
mod ratings;
mod study;

use std::io::Read;

use super::args::Agree;
use super::output::{complain, print, terminal_width};
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
            render(&tables, format, terminal_width())?
        }
    };
    print(&text)
}

/// Whether the file begins as SQLite's do; ratings are text.
fn is_sqlite(path: &std::path::Path) -> Result<bool> {
    let unreadable = |error: std::io::Error| {
        Error::new(format!("cannot be read: {error}"))
            .in_file(path)
            .advise("name a study file, a file of ratings, or - for standard input")
    };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.is_dir() {
        return Err(Error::new("this is a folder")
            .in_file(path)
            .advise("name a study file or a file of ratings"));
    }
    let mut head = Vec::new();
    file.take(16).read_to_end(&mut head).map_err(unreadable)?;
    Ok(head.starts_with(b"SQLite format 3"))
}

fn refuse_ratings_options(arguments: &Agree) -> Result<()> {
    let given = !arguments.categories.is_empty() || !arguments.scores.is_empty() || arguments.scale.is_some();
    if given {
        return Err(Error::usage("--categories, --scores and --scale are for a file of ratings")
            .advise("a study takes them from its protocol"));
    }
    Ok(())
}
