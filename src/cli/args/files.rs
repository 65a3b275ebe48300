//! Arguments of the commands that put study files together, take them apart and look after them.

use std::path::PathBuf;

use clap::Args;

use crate::cli::table::Form;

#[derive(Debug, Args)]
pub struct Merge {
    /// The study file that takes the others in
    pub study: PathBuf,
    /// The study files to take in; they stay as they are
    #[arg(required = true, value_name = "OTHER")]
    pub others: Vec<PathBuf>,
    /// Say what would come in and where the files differ, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub form: Form,
}

#[derive(Debug, Args)]
pub struct Sync {
    /// The study file
    pub study: PathBuf,
    /// The other study file, or a folder with one of the same name: a path, or file://…
    #[arg(value_name = "URL")]
    pub with: String,
    /// Say what would go which way and where the files differ, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub form: Form,
}

#[derive(Debug, Args)]
pub struct Split {
    /// The study file
    pub study: PathBuf,
    /// Who takes the file home
    #[arg(long = "for", value_name = "NAME")]
    pub annotator: String,
    /// The file to write; when left out, STUDY-NAME.db beside the study
    #[arg(long, value_name = "FILE")]
    pub to: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Check {
    /// The study file, which stays as it is
    pub study: PathBuf,
    /// Save every event and record that can be read, also of a damaged file, into this new study
    #[arg(long, value_name = "NEW")]
    pub recover: Option<PathBuf>,
    /// Derive answers, marks and counts anew from the journal first; writes to the study
    #[arg(long, conflicts_with = "recover")]
    pub rebuild: bool,
    #[command(flatten)]
    pub form: Form,
}
