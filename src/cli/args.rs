//! What can be typed after `haymark`.

use std::sync::LazyLock;

use clap::{Args, CommandFactory, Parser, ValueEnum};

use super::{Command, with_examples};
use crate::agreement::{Bootstrap, Intervals};
use crate::report::StudyPart;
use crate::score::{ClusterKind, Uncertainty};

/// The version with what it was built of.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let commit = option_env!("HAYMARK_COMMIT").filter(|commit| !commit.is_empty()).unwrap_or("not known");
    let parquet = if cfg!(feature = "parquet") { "built in" } else { "not built in (--features parquet)" };
    format!("{}\ncommit: {commit}\nParquet files: {parquet}", env!("CARGO_PKG_VERSION"))
});

/// Judge retrieval-augmented summaries in the terminal, and measure how far annotators agree.
#[derive(Debug, Parser)]
#[command(
    name = "haymark",
    bin_name = "haymark",
    version,
    long_version = VERSION.as_str(),
    arg_required_else_help = true,
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

/// Which judgments of a study are counted.
#[derive(Debug, Args)]
pub struct CountedArguments {
    /// The protocol of a study; when left out, every one that was judged
    #[arg(long, value_name = "NAME")]
    pub protocol: Option<String>,
    /// Count judgments under older versions of a protocol together with those under the current one
    #[arg(long)]
    pub all_versions: bool,
    /// Only these items of a study, in the language of browse, such as 'domain=news tag:unclear'
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Option<String>,
    /// Write people's names in what is handed on too: Markdown, LaTeX, HTML and files of figures. When left out, people are A1,
    /// A2, … there, as in every report and dataset, and judges keep their names
    #[arg(long)]
    pub names: bool,
}

impl CountedArguments {
    /// The part of the study that is asked for.
    pub fn part(&self, annotators: &[String], by: &[String], uncertainty: Uncertainty) -> StudyPart {
        StudyPart {
            protocol: self.protocol.clone(),
            all_versions: self.all_versions,
            annotators: annotators.to_vec(),
            filter: self.filter.clone(),
            by: by.to_vec(),
            uncertainty,
        }
    }
}

/// How sure numbers are.
#[derive(Debug, Args)]
#[command(next_help_heading = "Intervals")]
pub struct UncertaintyArguments {
    /// What hangs together and is left out (or drawn again) as a whole; when left out, the query, or for agreement the summary
    /// where there are fewer than three queries
    #[arg(long, value_enum)]
    pub cluster: Option<ClusterName>,
    #[command(flatten)]
    pub intervals: IntervalArguments,
}

/// How intervals are made.
#[derive(Debug, Args)]
#[command(next_help_heading = "Intervals")]
pub struct IntervalArguments {
    /// How 95 % intervals are made
    #[arg(long, value_enum, default_value_t)]
    pub interval: IntervalName,
    /// How often to draw again by the bootstrap; 0 for no intervals
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub resamples: u32,
    /// Where the random numbers of the bootstrap begin
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Let every item count alike, also where --filter keeps to a sample that was drawn with unequal probabilities
    #[arg(long)]
    pub unweighted: bool,
}

/// What hangs together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
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

/// How intervals are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum IntervalName {
    /// From the numbers without each cluster, by Student's t, within their range
    #[default]
    Jackknife,
    /// From clusters drawn again
    Bootstrap,
    /// By the published formula, where there is one; it takes items as independent
    Formula,
}

impl UncertaintyArguments {
    pub fn asked(&self) -> Uncertainty {
        let cluster = self.cluster.map(ClusterKind::from);
        Uncertainty { cluster, intervals: self.intervals.asked(), is_unweighted: self.intervals.unweighted }
    }
}

impl From<ClusterName> for ClusterKind {
    fn from(name: ClusterName) -> ClusterKind {
        match name {
            ClusterName::Summary => ClusterKind::Summary,
            ClusterName::Query => ClusterKind::Query,
            ClusterName::Collection => ClusterKind::Collection,
            ClusterName::Item => ClusterKind::Item,
        }
    }
}

impl IntervalArguments {
    pub fn asked(&self) -> Intervals {
        match self.interval {
            IntervalName::Jackknife => Intervals::Jackknife,
            IntervalName::Bootstrap => {
                Intervals::Bootstrap(Bootstrap { resamples: self.resamples, seed: self.seed })
            }
            IntervalName::Formula => Intervals::Formula,
        }
    }
}

/// Reads a share above 0 and up to 1, written as `5%` or `0.05`.
pub fn share(text: &str) -> Result<f64, String> {
    let (number, whole) = match text.strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    match number.trim().parse::<f64>() {
        Ok(part) if part > 0.0 && part <= whole => Ok(part / whole),
        _ => Err("write a share such as 5% or 0.05".to_owned()),
    }
}

/// The command line as clap knows it, with examples.
pub fn command() -> clap::Command {
    with_examples(Arguments::command())
}
