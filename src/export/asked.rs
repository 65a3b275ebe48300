//! What an export is asked for: its part of a study, its form, and the options of each.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::dataset::DatasetOptions;
use super::dataset::gold::GoldOptions;
use super::judge_requests::JudgeRequests;
use super::view::ViewOptions;
use crate::error::{Error, Result};
use crate::report::Filtered;
use crate::store::StudyFile;

#[derive(Debug, Clone, Args)]
pub struct Export {
    /// The study file, or a hub: postgres://…
    pub study: PathBuf,
    /// What to write
    #[arg(long, value_enum, default_value_t = What::All)]
    pub what: What,
    /// The form of judgments, candidates, ratings, labels, retained, gold and views; everything else is JSONL
    #[arg(long, value_enum, default_value_t)]
    pub format: ExportFormat,
    /// Where to write it; standard output when left out
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write over a file that is there already; never over a study
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub dataset: DatasetOptions,
    #[command(flatten)]
    pub gold: GoldOptions,
    #[command(flatten)]
    pub rows: ViewOptions,
    #[command(flatten)]
    pub requests: JudgeRequests,
}

/// Parts of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// The study itself, with names and everything written: what import takes back as it was
    All,
    /// Collections, documents, queries, units and candidates; who wrote in sessions is named
    Corpus,
    /// Candidates only
    Candidates,
    /// Annotators, the study's own protocols, current judgments and adjudications; without names and words
    Judgments,
    /// What each annotator said of each item: a column an annotator, as `haymark agree` reads it
    Ratings,
    /// The label of each item that the model of Dawid and Skene takes for true, with its probability and entropy
    Labels,
    /// The key points that people kept: in their document, and agreed to be one
    Retained,
    /// The answer that counts for each item: unanimous, by majority, or adjudicated
    Gold,
    /// All of these as tables in a folder that `datasets.load_dataset` reads, with a README.md that says what they are (-o FOLDER)
    Dataset,
    /// Rows of a table of browse with their texts: of a saved view, or by --table and --filter
    View,
    /// Annotators, and the writing of summaries against the clock
    Sessions,
    /// What a model has yet to judge, as chat-completion requests (JSONL)
    JudgeRequests,
    /// The built-in prompt of these requests, to be changed and given with --prompt; with --as that by which a judge was asked
    JudgePrompt,
}

/// The name of a value, as it is typed.
pub fn name_of(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The forms of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ExportFormat {
    /// One record a line
    #[default]
    Jsonl,
    /// A row each, a column for each question
    Csv,
    /// The same as CSV; a haymark that is built with the feature parquet writes it
    Parquet,
    /// A section a row, with its texts (views only)
    Markdown,
}

/// Tables that are made of a study.
pub const DATASETS: &[What] =
    &[What::Judgments, What::Candidates, What::Ratings, What::Labels, What::Retained, What::Gold];
/// The folder of all tables.
const FOLDER: &[What] = &[What::Dataset];
const REQUESTS: &[What] = &[What::JudgeRequests];
const PROMPTS: &[What] = &[What::JudgePrompt];
const VIEWS: &[What] = &[What::View];
const BY_RULE: &[What] = &[What::Gold, What::Retained];
/// Exports of judgments.
const OF_JUDGMENTS: &[What] = &[What::Judgments, What::Ratings, What::Labels, What::Retained, What::Gold];

impl Export {
    /// The rows that --filter lets through: of candidates for an export of candidates, else of items.
    pub fn chosen(&self, study: &StudyFile) -> Result<Filtered> {
        let filter = self.rows.filter.as_deref();
        match self.what {
            What::Candidates => Filtered::candidates(study, filter),
            _ => Filtered::items(study, filter),
        }
    }

    /// Every option that only some exports use: its name, whether it is given, and which exports use it.
    fn options(&self) -> [(&'static str, bool, &'static [&'static [What]]); 25] {
        let Export { format, dataset, gold, rows, requests, .. } = self;
        [
            ("--format csv", *format == ExportFormat::Csv, &[DATASETS, FOLDER, VIEWS]),
            ("--format parquet", *format == ExportFormat::Parquet, &[DATASETS, FOLDER]),
            ("--format markdown", *format == ExportFormat::Markdown, &[VIEWS]),
            ("--names", dataset.names, &[DATASETS, FOLDER, VIEWS]),
            ("--with-text", dataset.with_text, &[DATASETS, FOLDER, VIEWS]),
            ("--annotators", !dataset.annotators.is_empty(), &[OF_JUDGMENTS, FOLDER, VIEWS]),
            ("--question", dataset.question.is_some(), &[&[What::Ratings, What::Labels]]),
            ("--latest", dataset.latest, &[&[What::Judgments]]),
            ("--history", dataset.history, &[&[What::Judgments]]),
            ("--card", dataset.card.is_some(), &[DATASETS]),
            ("--rule", gold.rule.is_some(), &[BY_RULE, FOLDER]),
            ("--with-judges", gold.with_judges, &[BY_RULE, FOLDER]),
            ("--with-unresolved", gold.with_unresolved, &[&[What::Gold], FOLDER]),
            ("--view", rows.view.is_some(), &[VIEWS]),
            ("--table", rows.table.is_some(), &[VIEWS]),
            ("--columns", !rows.columns.is_empty(), &[VIEWS]),
            ("--sort", !rows.sort.is_empty(), &[VIEWS]),
            ("--filter", rows.filter.is_some(), &[DATASETS, FOLDER, VIEWS, REQUESTS]),
            ("--protocol", requests.protocol.is_some(), &[DATASETS, FOLDER, REQUESTS, PROMPTS]),
            ("--as", requests.judge.is_some(), &[REQUESTS, PROMPTS]),
            ("--model", requests.model.is_some(), &[REQUESTS]),
            ("--prompt", requests.prompt.is_some(), &[REQUESTS]),
            ("--parameter", !requests.parameters.is_empty(), &[REQUESTS]),
            ("--repeat", requests.repeat.is_some(), &[REQUESTS]),
            ("--examples", requests.examples.is_some(), &[REQUESTS]),
        ]
    }

    /// Refuses an option that the export has no use for.
    pub fn refuse_unused(&self) -> Result<()> {
        if self.dataset.raw && self.format != ExportFormat::Csv {
            return Err(Error::usage("--raw has no use here").advise("it is for --format csv"));
        }
        let options = self.options();
        let unused =
            options.iter().find(|(_, is_given, users)| *is_given && !users.concat().contains(&self.what));
        let Some((option, _, users)) = unused else { return Ok(()) };
        let users: Vec<String> = users.concat().into_iter().map(name_of).collect();
        Err(Error::usage(format!("{option} has no use for --what {}", name_of(self.what)))
            .advise(format!("it is for {}", users.join(", "))))
    }
}
