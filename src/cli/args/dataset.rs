//! How the finished dataset is written.

use std::path::PathBuf;

use clap::Args;

/// Whose judgments go into a dataset, under which names, and what is told beside it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Judgments, gold, retained, ratings, candidates, views")]
pub struct DatasetOptions {
    /// Write people's names; when left out, they are A1, A2, … in the order in which they came, and judges keep their names
    #[arg(long)]
    pub names: bool,
    /// Write what people wrote: comments, notes, and answers that are texts or points
    #[arg(long)]
    pub with_text: bool,
    /// Only these annotators (several with commas); when left out, everyone (for gold and retained all people)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub annotators: Vec<String>,
    /// Of ratings, only this question
    #[arg(long, value_name = "KEY")]
    pub question: Option<String>,
    /// Of judgments, only what now counts, as when left out
    #[arg(long, conflicts_with = "history")]
    pub latest: bool,
    /// Of judgments, everything that anybody ever answered, a row each, with whether it still counts
    #[arg(long)]
    pub history: bool,
    /// Leave CSV cells as they are that a spreadsheet would run as formulas; without it they are marked as text by a '
    #[arg(long)]
    pub raw: bool,
    /// Write a datasheet beside it: what it is, who judged and how, agreement, counts, versions and seeds
    #[arg(long, value_name = "FILE.md")]
    pub card: Option<PathBuf>,
}
