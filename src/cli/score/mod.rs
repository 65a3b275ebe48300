//! `haymark score`: what the judgments say about systems.

mod plot;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use clap::Args;

use super::gold_export::rule;
use super::output::{print, print_tables, prints_to_terminal, terminal_width};
use super::table::{Form, OutputFormat};
use crate::agreement::Bootstrap;
use crate::cli::args::share;
use crate::error::Result;
use crate::journal::Rule;
use crate::report::score::{Asked, asks_for_rankings, baseline, rankings, scores};
use crate::score::{Average, By};
use crate::store::StudyFile;

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

/// How scores are averaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum AverageName {
    /// Over insights, as the published tables do
    Pooled,
    /// Over summaries
    Summary,
}

/// How `score --annotators each` draws again, and how much it prints.
#[derive(Debug, Args)]
#[command(next_help_heading = "With --annotators each or --human")]
pub struct Ranked {
    /// How often to draw the queries (with --human the sessions) again for intervals; 0 for none
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub resamples: u32,
    /// Where the random numbers begin
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

pub fn run(arguments: &Score) -> Result<()> {
    let study = StudyFile::open(&arguments.study)?;
    let (form, asked) = (&arguments.form, arguments.asked()?);
    if arguments.human {
        let (tables, curve) = baseline(&study, &asked)?;
        print_tables(&tables, form)?;
        if form.format == OutputFormat::Table && prints_to_terminal() {
            print(&format!("\n{}", plot::plot(&curve, terminal_width())))?;
        }
        return Ok(());
    }
    let wants_rankings = asks_for_rankings(&asked.annotators);
    print_tables(&if wants_rankings { rankings(&study, &asked)? } else { scores(&study, &asked)? }, form)
}

impl Score {
    fn asked(&self) -> Result<Asked> {
        Ok(Asked {
            protocol: self.protocol.clone(),
            all_versions: self.all_versions,
            by: self.by.iter().map(|name| name.parse()).collect::<Result<Vec<By>>>()?,
            average: match self.average {
                AverageName::Pooled => Average::Insight,
                AverageName::Summary => Average::Summary,
            },
            annotators: self.annotators.clone(),
            rule: self.rule,
            spot_check: self.spot_check,
            bootstrap: Bootstrap { resamples: self.ranked.resamples, seed: self.ranked.seed },
            is_brief: self.form.is_brief(),
        })
    }
}
