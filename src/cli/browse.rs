//! `haymark browse`: tables over a study.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::LooksArguments;
use crate::cli::adjudicate;
use crate::error::{Error, Result};
use crate::protocol::QuestionKind;
use crate::report::protocols;
use crate::term::{BrowseOptions, browse};

#[derive(Debug, Args)]
pub struct Browse {
    /// The study file
    pub study: PathBuf,
    /// Under whose name tags, flags, comments and views are kept; when left out, nothing can be changed
    #[arg(long = "as", value_name = "NAME")]
    pub annotator: Option<String>,
    /// The saved view to open first
    #[arg(long, value_name = "NAME")]
    pub view: Option<String>,
    /// The protocol whose tags name failures
    #[arg(long, value_name = "PROTOCOL", default_value = "failure")]
    pub tags: String,
    #[command(flatten)]
    pub looks: LooksArguments,
}

pub fn run(arguments: &Browse) -> Result<()> {
    let study = arguments.looks.open("browse", &arguments.study)?;
    arguments.annotator.iter().try_for_each(|name| study.refuse_stranger(name))?;
    let tagging = protocols::find(&study, &arguments.tags)?;
    let has_tags = |question: &crate::protocol::Question| matches!(question.kind, QuestionKind::Tags { .. });
    if !tagging.questions.iter().any(has_tags) {
        return Err(Error::usage(format!("the protocol {:?} asks for no tags", arguments.tags)));
    }
    let options = BrowseOptions {
        annotator: arguments.annotator.clone(),
        tagging: Arc::new(tagging),
        view: arguments.view.clone(),
        looks: arguments.looks.read(&study, None)?,
        opens_settling: adjudicate::opening_of_some,
    };
    browse(study, options)
}
