//! `haymark report`: a study as one page to look at, print and hand over.

mod screens;

use std::path::PathBuf;

use clap::Args;

use super::{Shown, UncertaintyArguments, check_targets, complain, open_study};
use crate::error::{Error, Result, cannot_write};
use crate::export::page::parts::ReportPart;
use crate::export::page::{self, BesideStudy, PageAsked};
use crate::files::write_atomically;

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
    #[command(flatten)]
    pub page: PageAsked,
    #[command(flatten)]
    pub uncertainty: UncertaintyArguments,
}

/// Pages of more bytes, or of more cases, are slow to open.
const LARGE: usize = 50_000_000;
const MANY: usize = 2_000;

pub fn run(arguments: &Report) -> Result<()> {
    let asked = &arguments.page;
    if asked.only.contains(&ReportPart::Rounds) && asked.compare.is_none() {
        return Err(Error::usage("--only rounds needs another round").advise("name it with --compare"));
    }
    let study = open_study(&arguments.study)?;
    check_targets(&[&arguments.output], arguments.force)?;
    let other = asked.compare.as_deref().filter(|_| asked.is_wanted(ReportPart::Rounds));
    let shown = Shown::begin("writing the report", "no page was written");
    let other = other.map(open_study).transpose()?;
    let beside = BesideStudy {
        name: arguments.study.file_stem().unwrap_or_default().to_string_lossy(),
        uncertainty: arguments.uncertainty.asked(),
        other: other.as_ref(),
        screens: screens::screens,
    };
    let (text, cases) = page::page(&study, asked, &beside)?;
    shown.finish()?;
    // People who may not read the study may not read its report either.
    write_atomically(&arguments.output, Some(study.path()), |out| {
        out.write_all(text.as_bytes()).map_err(cannot_write)
    })?;
    complain(&format!("wrote {}", arguments.output.display()));
    if text.len() > LARGE || cases > MANY {
        complain(&format!(
            "note: the page has {cases} cases and {} MB, and will be slow to open; --filter and --limit write parts of it to pages of \
             their own",
            text.len() / 1_000_000
        ));
    }
    Ok(())
}
