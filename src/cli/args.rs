//! What can be typed after `haymark`.

mod best;
mod dataset;
mod files;
mod quality;
mod ranked;

use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use super::adjudicate::Adjudicate;
use super::gold_export::{ExportFormat, GoldOptions, rule};
use super::table::{Form, OutputFormat};
use super::view_export::ViewOptions;
use crate::journal::Rule;

pub use best::BestArguments;
pub use dataset::DatasetOptions;
pub use files::{Check, Merge, Split, Sync};
pub use quality::{Assign, CheckSample, Controls, Status};
pub use ranked::Ranked;

/// Judge retrieval-augmented summaries in the terminal, and measure how far annotators agree.
#[derive(Debug, Parser)]
#[command(name = "haymark", version, arg_required_else_help = true, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Open a ready-made study as one of its annotators
    Demo(Demo),
    /// Make an empty study
    Init(Init),
    /// Bring files into a study: haymark JSONL, SummHay, retrieval JSON, CRUD-RAG, a judge's answers
    Import(Import),
    /// Write a study, or a part of it, as haymark JSONL, or what a model is to judge as requests to it
    Export(Export),
    /// Judge the items of a protocol
    Annotate(Annotate),
    /// Write a summary against the clock; list and play what was written
    Session(super::session::args::Session),
    /// Look into what was judged: tables, comparisons, agreement, kinds of failure
    Browse(super::browse::Browse),
    /// Settle what people disagree on
    Adjudicate(Adjudicate),
    /// Make content units of the key points that people wrote, to be judged in turn
    Collect(Collect),
    /// List, show, check and add protocols: what is asked about the items
    #[command(subcommand)]
    Protocol(Protocol),
    /// Spread the items of a protocol over annotators, with what controls the quality
    Assign(Assign),
    /// Draw a sample of what was judged for a second look
    CheckSample(CheckSample),
    /// Print who has done how much of what, how well and how quickly, and what is left
    Status(Status),
    /// Print the scores that the judgments give
    Score(Score),
    /// Print how far annotators agree, in a study or in a file of ratings
    Agree(Agree),
    /// Compare every model annotator with the people: correlation, linking, kappas, bias, cost
    Judges(Judges),
    /// Take into a study what other study files hold more: judgments, assignments, corpus
    Merge(Merge),
    /// Merge two study files both ways, such as yours and one on a share
    Sync(Sync),
    /// Write the study file that one annotator takes home; `merge` brings it back
    Split(Split),
    /// Say what is wrong with a study file and what to do, and save what a damaged one still holds
    Check(Check),
    /// List the keys of all screens
    Keys(Keys),
}

#[derive(Debug, Args)]
pub struct Demo {
    /// Start over; the study so far is kept beside the new one
    #[arg(long)]
    pub fresh: bool,
    #[command(flatten)]
    pub screen: Screen,
    /// Who is judging
    #[arg(long = "as", value_name = "NAME", default_value = "alice")]
    pub annotator: String,
}

#[derive(Debug, Args)]
pub struct Init {
    /// The study file to make
    pub study: PathBuf,
}

#[derive(Debug, Args)]
pub struct Import {
    /// The study file; made when it is not there
    pub study: PathBuf,
    /// The files to bring in, each as a whole or not at all; - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// What the files are, when their contents do not tell: jsonl, summhay-topic, summhay-benchmark,
    /// retrieval, crud-rag-questions, crud-rag-results, judge-responses
    #[arg(long)]
    pub format: Option<String>,
    /// A field of retrieval JSON that holds a summary, which becomes a candidate of that name (repeat for more)
    #[arg(long, value_name = "FIELD")]
    pub summary_field: Vec<String>,
    /// The field with the answer predicted from that summary, one for each --summary-field in its order
    #[arg(long, value_name = "FIELD")]
    pub answer_field: Vec<String>,
    /// The retriever behind the candidates of retrieval JSON and CRUD-RAG results
    #[arg(long, value_name = "NAME")]
    pub retriever: Option<String>,
    /// The model behind CRUD-RAG results, when the file does not name it
    #[arg(long, value_name = "NAME")]
    pub summarizer: Option<String>,
    /// The collection of CRUD-RAG files (crud-rag when left out); for retrieval JSON what the collections' names begin with
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
    /// The judge whose answers are brought in: the one that the judge requests were exported for
    #[arg(long = "as", value_name = "JUDGE")]
    pub judge: Option<String>,
    /// Leave out records that cannot be taken, and list them
    #[arg(long)]
    pub skip_bad: bool,
}

#[derive(Debug, Args)]
pub struct Export {
    /// The study file
    pub study: PathBuf,
    /// What to write
    #[arg(long, value_enum, default_value_t = What::All)]
    pub what: What,
    /// The form of judgments, candidates, ratings, retained, gold and views; everything else is JSONL
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

/// What judge requests ask, of whom, and how.
#[derive(Debug, Args)]
#[command(next_help_heading = "Judge requests")]
pub struct JudgeRequests {
    /// The protocol to judge by; of a dataset, the only one
    #[arg(long, value_name = "NAME", required_if_eq("what", "judge-requests"))]
    pub protocol: Option<String>,
    /// The judge: the name under which its answers are imported
    #[arg(long = "as", value_name = "JUDGE", required_if_eq("what", "judge-requests"))]
    pub judge: Option<String>,
    /// What the service calls the model; the judge's name when left out
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// A prompt of your own (Markdown) instead of the built-in one
    #[arg(long, value_name = "FILE.md")]
    pub prompt: Option<PathBuf>,
}

/// Parts of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
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
    /// The key points that people kept: in their document, and agreed to be one
    Retained,
    /// The answer that counts for each item: unanimous, by majority, or adjudicated
    Gold,
    /// Rows of a table of browse with their texts: of a saved view, or by --table and --filter
    View,
    /// Annotators, and the writing of summaries against the clock
    Sessions,
    /// What a model has yet to judge, as chat-completion requests (JSONL)
    JudgeRequests,
    /// The built-in prompt of these requests, to be changed and given with --prompt
    JudgePrompt,
}

/// What is written, as it is typed.
pub fn name_of(what: What) -> String {
    what.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// How the annotate screen opens.
#[derive(Debug, Args)]
pub struct Screen {
    /// The protocol; when left out, the first one that the study has items for
    #[arg(long, value_name = "NAME")]
    pub protocol: Option<String>,
    /// Show which system wrote a summary
    #[arg(long)]
    pub show_systems: bool,
    /// Colours: dark, light, contrast
    #[arg(long, value_name = "NAME", default_value = "dark")]
    pub theme: String,
    /// A keymap file with keys of your own (see `haymark keys`)
    #[arg(long, value_name = "FILE")]
    pub keymap: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Annotate {
    /// The study file
    pub study: PathBuf,
    /// Who is judging: a name or pseudonym
    #[arg(long = "as", value_name = "NAME")]
    pub annotator: String,
    /// Read where gold differs from your answers, and why; nothing is changed
    #[arg(long)]
    pub review: bool,
    /// How gold is made in a review: "all agree" or "majority of 3"
    #[arg(long, value_name = "RULE", value_parser = rule, requires = "review")]
    pub rule: Option<Rule>,
    #[command(flatten)]
    pub screen: Screen,
}

#[derive(Debug, Args)]
pub struct Collect {
    /// The study file
    pub study: PathBuf,
    /// The protocol that the points were written under; when left out, every one that asks for points
    #[arg(long, value_name = "NAME")]
    pub protocol: Option<String>,
    /// Only these annotators (several with commas); when left out, all people
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub annotators: Vec<String>,
    /// The kind of the units; when left out, "human point" for points of documents and "response point" for those of candidates
    #[arg(long, value_name = "KIND")]
    pub kind: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum Protocol {
    /// List the built-in protocols, and those of a study with how much was judged under which version
    List(ProtocolList),
    /// Print the file of a protocol, or its guideline
    Show(ProtocolShow),
    /// Name every mistake in a protocol file, with its line
    Check(ProtocolCheck),
    /// Add a protocol of your own to a study, or a new version of one
    Add(ProtocolAdd),
    /// Print a commented protocol file to start from
    New(ProtocolNew),
}

#[derive(Debug, Args)]
pub struct ProtocolList {
    /// A study file, to list its own protocols too
    pub study: Option<PathBuf>,
    #[command(flatten)]
    pub form: Form,
}

#[derive(Debug, Args)]
pub struct ProtocolShow {
    /// The protocol
    pub name: String,
    /// The study file that the protocol lies in, when it is not a built-in one
    pub study: Option<PathBuf>,
    /// Print the guideline for annotators instead
    #[arg(long)]
    pub guideline: bool,
}

#[derive(Debug, Args)]
pub struct ProtocolCheck {
    /// The protocol file (TOML)
    pub file: PathBuf,
}

#[derive(Debug, Args)]
pub struct ProtocolAdd {
    /// The study file; made when it is not there
    pub study: PathBuf,
    /// The protocol file (TOML)
    pub file: PathBuf,
    /// The guideline for annotators (Markdown)
    #[arg(long, value_name = "FILE.md")]
    pub guideline: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ProtocolNew {
    /// The name that commands call it by
    #[arg(default_value = "mine")]
    pub name: String,
}

#[derive(Debug, Args)]
pub struct Score {
    /// The study file
    pub study: PathBuf,
    /// The protocol; when left out, every one that was judged
    #[arg(long, value_name = "NAME")]
    pub protocol: Option<String>,
    /// Count judgments under older versions of a protocol together with those under the current one
    #[arg(long)]
    pub all_versions: bool,
    /// Group by: system, retriever, summarizer, order, domain, category, query, collection, annotator, summary,
    /// document_length, response_length (several with commas)
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub by: Vec<String>,
    /// Pool the insights of all summaries, or average the summaries' scores
    #[arg(long, value_enum, default_value_t = AverageName::Pooled)]
    pub average: AverageName,
    /// Only these annotators (several with commas), such as gold for what counts; when left out, all people. `each`
    /// ranks the systems under every annotator, the majority and every judge by itself (`each,alice,bora` under these)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub annotators: Vec<String>,
    /// How gold is made: "all agree" or "majority of 3", with " or single" behind it where one person is enough
    #[arg(long, value_name = "RULE", value_parser = rule)]
    pub rule: Option<Rule>,
    /// List a share of the judged items, such as 5%, to be judged again; always the same ones
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub spot_check: Option<f64>,
    /// Print what people wrote in sessions instead: scores by minute, and the human baseline beside the systems
    #[arg(long, conflicts_with_all = ["by", "spot_check", "average"])]
    pub human: bool,
    #[command(flatten)]
    pub form: Form,
    #[command(flatten)]
    pub ranked: Ranked,
}

/// Reads a share above 0 and up to 1, written as `5%` or `0.05`.
fn share(text: &str) -> Result<f64, String> {
    let (number, whole) = match text.strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    match number.trim().parse::<f64>() {
        Ok(part) if part > 0.0 && part <= whole => Ok(part / whole),
        _ => Err("write a share such as 5% or 0.05".to_owned()),
    }
}

/// How scores are averaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum AverageName {
    /// Over insights, as the published tables do
    Pooled,
    /// Over summaries
    Summary,
}

#[derive(Debug, Args)]
pub struct Agree {
    /// A study file, a file of ratings (CSV or JSONL, long or wide), or - for ratings on standard input
    pub source: PathBuf,
    /// The protocol of a study; when left out, every one that was judged
    #[arg(long, value_name = "NAME")]
    pub protocol: Option<String>,
    /// Count judgments under older versions of a protocol together with those under the current one
    #[arg(long)]
    pub all_versions: bool,
    /// The question; when left out, every one with choices or tags (each tag by itself)
    #[arg(long, value_name = "KEY")]
    pub question: Option<String>,
    /// Only these annotators (several with commas), such as gold for what counts in a study; when left out, all people
    /// of a study, or all of a file
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub annotators: Vec<String>,
    /// How gold is made: "all agree" or "majority of 3", with " or single" behind it where one person is enough
    #[arg(long, value_name = "RULE", value_parser = rule)]
    pub rule: Option<Rule>,
    /// All labels of a ratings file in scale order, used or not (with commas)
    #[arg(long, value_name = "LABELS", value_delimiter = ',')]
    pub categories: Vec<String>,
    /// The labels' numbers, in the same order (with commas)
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_hyphen_values = true)]
    pub scores: Vec<f64>,
    /// What the order and distance of the labels of a ratings file mean
    #[arg(long, value_enum)]
    pub scale: Option<ScaleName>,
    #[command(flatten)]
    pub resampling: Resampling,
    /// Say how many more items, or one more annotator, would bring the intervals of alpha and kappa to this half-width
    #[arg(long, value_name = "WIDTH")]
    pub plan: Option<f64>,
    #[command(flatten)]
    pub best: BestArguments,
    /// Estimate the true labels, and every annotator's competence and confusion, by the model of Dawid and Skene
    #[arg(long)]
    pub model: bool,
    /// Print everything, not only what a reader needs first; all other formats always do
    #[arg(long)]
    pub full: bool,
    #[command(flatten)]
    pub form: Form,
}

#[derive(Debug, Args)]
pub struct Judges {
    /// The study file
    pub study: PathBuf,
    /// The protocol; when left out, every one that people and judges judged by
    #[arg(long, value_name = "NAME")]
    pub protocol: Option<String>,
    /// Count judgments under older versions of a protocol together with those under the current one
    #[arg(long)]
    pub all_versions: bool,
    /// Only these annotators (several with commas); all people where none of them is a person, all judges where none
    /// is a judge
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub annotators: Vec<String>,
    /// What a judge costs for one summary; when left out, its meta field cost_per_summary (may be repeated)
    #[arg(long, value_name = "JUDGE=COST")]
    pub cost: Vec<String>,
    /// What a person costs an hour, for the cost of the people
    #[arg(long, value_name = "RATE")]
    pub hourly_rate: Option<f64>,
    #[command(flatten)]
    pub form: Form,
}

impl Agree {
    /// Whether the numbers that a reader needs first are all that is printed.
    pub fn prints_everything(&self) -> bool {
        self.full || self.form.format != OutputFormat::Table
    }
}

/// How intervals are made where no formula gives one.
#[derive(Debug, Args)]
pub struct Resampling {
    /// What is drawn again as a whole; when left out, the summary where items have one, else the query. A file of
    /// ratings names it in its column "cluster"
    #[arg(long, value_enum)]
    pub cluster: Option<ClusterName>,
    /// How often to draw again; 0 for no interval but those by formula
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub resamples: u32,
    /// Where the random numbers begin
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Draw again for all intervals, also where there is a formula (formulas take items as independent)
    #[arg(long)]
    pub bootstrap: bool,
}

/// What hangs together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ClusterName {
    /// All items of one summary; of one query, for items without a summary
    Summary,
    /// All items of one query
    Query,
    /// All items of one collection
    Collection,
    /// Nothing: every item by itself
    Item,
}

/// What the order and distance of labels mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ScaleName {
    /// Nothing
    Nominal,
    /// Their order counts
    Ordinal,
    /// Their distances count
    Interval,
}

#[derive(Debug, Args)]
pub struct Keys {
    /// Print the built-in keymap file, to be copied and changed
    #[arg(long)]
    pub file: bool,
}

/// The command line as clap knows it, for tests on its texts.
pub fn command() -> clap::Command {
    Arguments::command()
}
