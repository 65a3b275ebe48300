//! `haymark export`: a study as haymark JSONL, one record a line, byte for byte the same every time; or
//! a dataset made of it, rows of a table, or requests to a judge.

use std::io::Write;
use std::path::Path;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::dataset;
use super::judge_requests;
use super::output::complain;
use super::view_export;
use crate::cli::dataset::DatasetOptions;
use crate::cli::gold_export::ExportFormat;
use crate::cli::gold_export::GoldOptions;
use crate::cli::hub::open_study;
use crate::cli::judge_requests::JudgeRequests;
use crate::cli::view_export::ViewOptions;
use crate::error::{Error, Result, cannot_write};
use crate::files::{STANDARD_OUTPUT, Scratch, write_atomically};
use crate::formats::InputBytes;
use crate::formats::jsonl::write_record;
use crate::report::filtered::Filtered;
use crate::store::StudyFile;
use crate::study::Record;

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
    /// Collections, documents, queries, units and candidates
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

/// The name of an export, as it is typed.
pub fn name_of(what: What) -> String {
    what.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

pub fn run(arguments: &Export) -> Result<()> {
    let mut study = open_study(&arguments.study)?;
    let target = arguments.output.as_deref().unwrap_or(Path::new(STANDARD_OUTPUT));
    let card = arguments.dataset.card.as_deref();
    check_targets(&[Some(target), card].into_iter().flatten().collect::<Vec<_>>(), arguments.force)?;
    arguments.refuse_unused()?;
    match arguments.what {
        What::View => return view_export::run(&study, arguments, target),
        What::JudgeRequests => return judge_requests::run(&mut study, arguments, target),
        What::JudgePrompt => return judge_requests::write_prompt(&study, arguments, target),
        what if what == What::Dataset || DATASETS.contains(&what) => {
            return dataset::run(&study, arguments, target);
        }
        _ => {}
    }
    let mut count = 0;
    write_atomically(target, Some(study.path()), |out| {
        count = write(&study, arguments.what, out)?;
        Ok(())
    })?;
    if target != Path::new(STANDARD_OUTPUT) {
        complain(&format!("wrote {count} records to {}", target.display()));
    }
    if matches!(arguments.what, What::All | What::Sessions) {
        dataset::warn_of_names(&study)?;
    }
    Ok(())
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
            ("--annotators", !dataset.annotators.is_empty(), &[OF_JUDGMENTS, FOLDER]),
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

    fn refuse_unused(&self) -> Result<()> {
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

/// Refuses to write over a study, and over other files unless that is wanted. Where only some of several files are there,
/// an interrupted run may have left them; if they are something else, they are refused later.
pub fn check_targets(targets: &[&Path], may_replace: bool) -> Result<()> {
    let is_named = |target: &&&Path| **target != Path::new(STANDARD_OUTPUT);
    let there: Vec<&Path> =
        targets.iter().filter(is_named).copied().filter(|target| target.is_file()).collect();
    // A kill may have left files of its own after the targets had their names.
    there.iter().filter_map(|target| target.parent()).for_each(Scratch::sweep_in);
    for target in &there {
        if InputBytes::open(target)?.is_sqlite()? {
            return Err(Error::new("this is a study or another database, which an export never writes over")
                .in_file(target)
                .advise("name another file"));
        }
    }
    match there.first() {
        Some(target) if !may_replace && there.len() == targets.iter().filter(is_named).count() => {
            Err(Error::new("the file is there already")
                .in_file(target)
                .advise("name another, or add --force"))
        }
        _ => Ok(()),
    }
}

/// Writes the chosen records, each behind all that it refers to; returns how many.
fn write(study: &StudyFile, what: What, out: &mut dyn Write) -> Result<usize> {
    let mut count = 0;
    let mut put = |record: Record| {
        count += 1;
        write_record(&mut &mut *out, &record).map_err(cannot_write)
    };
    match what {
        What::All => study.for_each_record(put)?,
        What::Corpus => study.for_each_in_corpus(put)?,
        _ => {
            for (_, annotator) in study.annotators()? {
                put(Record::Annotator(annotator))?;
            }
            study.for_each_session(|session| put(Record::Session(session)))?;
        }
    }
    Ok(count)
}
