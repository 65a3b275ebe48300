//! `haymark report`: a study as one page to look at, print and hand over.
//!
//! Every number is a cell of a table of [`crate::report`]; here they are chosen, put in order and written as HTML.

mod brief;
mod cases;
mod figures;
mod page;
mod parts;
mod screens;
mod written;

use std::path::PathBuf;

use clap::Args;

use super::args::UncertaintyArguments;
use super::dataset::Privacy;
use super::export::check_targets;
use super::output::complain;
use super::progress::Shown;
use crate::cli::hub::open_study;
use crate::error::{Error, Result};
use crate::files::write_atomically;
use crate::formats::short_text;
use crate::report::contents::contents;
use crate::score::Rate;
use cases::Cases;
use page::ReportPage;
use parts::ReportPart;

#[derive(Debug, Args)]
pub struct Report {
    /// The study file, or a hub: postgres://…
    pub study: PathBuf,
    /// Where to write the page
    #[arg(long, short, value_name = "FILE.html")]
    pub output: PathBuf,
    /// Write over a page that is there already; never over a study
    #[arg(long)]
    pub force: bool,
    /// Write people's names; when left out, they are A1, A2, … as in every export, and judges keep their names
    #[arg(long)]
    pub names: bool,
    /// Only these parts of the page (several with commas)
    #[arg(long, value_enum, value_name = "PARTS", value_delimiter = ',')]
    pub only: Vec<ReportPart>,
    /// A Markdown file with a title and a paragraph of your own, for the head of the page
    #[arg(long, value_name = "FILE.md")]
    pub intro: Option<PathBuf>,
    /// Tell scores by these too: any field of the items, such as domain, unit.kind or meta.KEY (several with commas)
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub by: Vec<String>,
    /// Set another round beside this one, from its study file: agreement, scores, and what was judged
    #[arg(long, value_name = "STUDY")]
    pub compare: Option<PathBuf>,
    /// Compare people's scores with a machine's: a number of the summaries, such as meta.metrics.bleu
    #[arg(long, value_name = "FIELD")]
    pub against: Option<String>,
    /// A file of names that readers see, such as those of systems, and of captions
    #[arg(long, value_name = "FILE")]
    pub display: Option<PathBuf>,
    /// What people are paid: an active hour (25/h, 12.50 EUR/h) or a judged item (1/item)
    #[arg(long, value_name = "RATE")]
    pub pay: Option<Rate>,
    #[command(flatten)]
    pub cases: CaseArguments,
    #[command(flatten)]
    pub uncertainty: UncertaintyArguments,
}

/// The cases of the page.
#[derive(Debug, Args)]
#[command(next_help_heading = "Cases")]
pub struct CaseArguments {
    /// Add the cases to look through: texts, judgments with comments, citations, evidence, tags
    #[arg(long)]
    pub with_items: bool,
    /// Only these cases, in the language of browse over its table of candidates, such as 'disagreement>0 tag:unclear'
    #[arg(long, value_name = "FILTER", requires = "with_items", allow_hyphen_values = true)]
    pub filter: Option<String>,
    /// So many cases at most
    #[arg(long, value_name = "N", requires = "with_items", default_value_t = 1000)]
    pub limit: usize,
}

/// Pages of more bytes, or of more cases, are slow to open.
const LARGE: usize = 50_000_000;
const MANY: usize = 2_000;

pub fn run(arguments: &Report) -> Result<()> {
    if arguments.only.contains(&ReportPart::Rounds) && arguments.compare.is_none() {
        return Err(Error::usage("--only rounds needs another round").advise("name it with --compare"));
    }
    let study = open_study(&arguments.study)?;
    check_targets(&[&arguments.output], arguments.force)?;
    let intro = arguments.intro.as_deref().map(short_text).transpose()?;
    let privacy = Privacy::told(&study, arguments.names)?;
    if !arguments.names {
        study.tell_as(privacy.names())?;
    }
    let shown = Shown::begin("writing the report", "no page was written");
    let contents = contents(&study)?;
    let sections = parts::sections(&study, &contents, (arguments, &privacy))?;
    let cases = arguments.cases.with_items.then(|| Cases::read(&study, &arguments.cases, &privacy));
    let cases = cases.transpose()?;
    let name = arguments.study.file_stem().unwrap_or_default().to_string_lossy();
    let page = ReportPage {
        name: &name,
        intro: intro.as_deref(),
        uncertainty: arguments.uncertainty.asked(),
        contents: &contents,
        sections: &sections,
        is_told: |part| is_told(arguments, part),
        cases: cases.as_ref(),
    };
    let text = page.write()?;
    shown.finish()?;
    // Readers who may not read the study may not read its texts either.
    let source = arguments.cases.with_items.then(|| study.path());
    write_atomically(&arguments.output, source, |out| {
        out.write_all(text.as_bytes()).map_err(|error| Error::new(format!("cannot be written: {error}")))
    })?;
    complain(&format!("wrote {}", arguments.output.display()));
    let count = cases.as_ref().map_or(0, Cases::count);
    if text.len() > LARGE || count > MANY {
        complain(&format!(
            "note: the page has {count} cases and {} MB, and will be slow to open; --filter and --limit write parts of it to pages of \
             their own",
            text.len() / 1_000_000
        ));
    }
    Ok(())
}

/// Whether a part is asked for.
fn is_told(arguments: &Report, part: ReportPart) -> bool {
    arguments.only.is_empty() || arguments.only.contains(&part)
}
