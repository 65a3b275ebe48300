//! `haymark agree`: how far annotators agree, in a study or in a file of ratings.

mod best;
mod comparison;
mod findings;
mod first;
mod grouping;
mod json;
mod more;
mod parts;
mod places;
mod ratings;
pub(super) mod study;
mod tables;
mod why;

use self::findings::Findings;
pub use self::findings::Number;
use self::more::More;
use super::args::Agree;
use super::output::{complain, print, say_what_csv_cannot, terminal_width};
use super::table::{OutputFormat, render};
use crate::error::{Error, Result};
use crate::formats::Input;

pub fn run(arguments: &Agree) -> Result<()> {
    let input = Input::open(&arguments.source)?;
    let comparisons = if input.is_sqlite()? {
        if input.is_pipe() {
            return Err(Error::new("a study cannot come through a pipe")
                .in_file(input.name())
                .advise("name its file"));
        }
        refuse_ratings_options(arguments)?;
        study::comparisons(arguments)?
    } else {
        if arguments.rule.is_some() {
            return Err(Error::usage("--rule is for gold, which only a study has").advise("leave it out"));
        }
        let (comparison, warnings) = ratings::comparison(arguments, &input)?;
        for warning in warnings {
            complain(&format!("warning: {warning}"));
        }
        vec![comparison]
    };
    let findings: Vec<Findings> =
        comparisons.iter().map(|comparison| Findings::of(comparison, &arguments.resampling)).collect();
    let asked = More::of(arguments)?;
    let text = match arguments.form.format {
        OutputFormat::Json => json::json(&findings, |found| Ok(asked.json(found)))?,
        OutputFormat::Table if !arguments.full => {
            let first = first::screen(&findings, terminal_width());
            let tables: Vec<_> = findings.iter().flat_map(|found| asked.tables(found)).collect();
            let gap = if tables.is_empty() { "" } else { "\n" };
            first + gap + &render(&tables, OutputFormat::Table, terminal_width())?
        }
        format => {
            let is_csv = format == OutputFormat::Csv;
            let tables = |found| tables::tables(found, is_csv).into_iter().chain(asked.tables(found));
            let tables: Vec<_> = findings.iter().flat_map(tables).collect();
            say_what_csv_cannot(&tables, format);
            render(&tables, arguments.form, terminal_width())?
        }
    };
    print(&text)
}

/// What a reader of one question of a study needs first.
pub struct Summary {
    /// Protocol, question and tag.
    pub subject: String,
    /// Items that two or more rated.
    pub items: u64,
    /// Keys of those who are compared.
    pub annotators: Vec<String>,
    pub numbers: Vec<Number>,
    /// How the intervals were made.
    pub method: String,
}

/// The numbers that are printed first, question by question.
///
/// # Errors
/// Nobody can be compared, or the study cannot be read.
pub fn summaries(arguments: &Agree) -> Result<Vec<Summary>> {
    let summary = |comparison: &comparison::Comparison| {
        let findings = Findings::of(comparison, &arguments.resampling);
        Summary {
            subject: comparison.subject(),
            items: findings.counts.items_pairable(),
            annotators: comparison.annotators().into_iter().map(str::to_owned).collect(),
            numbers: findings.first(),
            method: findings.method(),
        }
    };
    Ok(study::comparisons(arguments)?.iter().map(summary).collect())
}

fn refuse_ratings_options(arguments: &Agree) -> Result<()> {
    let given = !arguments.categories.is_empty() || !arguments.scores.is_empty() || arguments.scale.is_some();
    if given {
        return Err(Error::usage("--categories, --scores and --scale are for a file of ratings")
            .advise("a study takes them from its protocol"));
    }
    Ok(())
}
