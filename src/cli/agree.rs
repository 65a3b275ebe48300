//! `haymark agree`: how far annotators agree, in a study or in a file of ratings.

use std::path::PathBuf;

use clap::Args;

use super::{
    ClusterNamed, CountedArguments, IntervalArguments, is_hub, open_study, print, print_tables, read_ratings,
    terminal_width,
};
use crate::agreement::Scale;
use crate::error::{Error, Result};
use crate::export::dataset::gold::rule;
use crate::export::handed_on::{NamesTold, is_handed_on};
use crate::export::table::{OutputFormat, TableForm, render};
use crate::formats::InputBytes;
use crate::formats::ratings::RatingsAsked;
use crate::journal::ConsensusRule;
use crate::report::agree::tables;
use crate::report::{
    AgreementAsked, Best, Comparison, Findings, More, RatingLabels, comparison, comparisons, passage_tables,
    screen,
};

#[derive(Debug, Args)]
pub struct Agree {
    /// A study file, a hub (postgres://…), a file of ratings (CSV or JSONL, long or wide), or - for ratings on standard input
    pub source: PathBuf,
    #[command(flatten)]
    pub counted: CountedArguments,
    /// The question; when left out, every one with choices or tags (each tag by itself)
    #[arg(long, value_name = "KEY")]
    pub question: Option<String>,
    /// Only these annotators (several with commas), such as gold for what counts in a study; when left out, all people
    /// of a study, or all of a file
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub annotators: Vec<String>,
    /// How gold is made: "all agree" or "majority of 3", with " or single" behind it where one person is enough
    #[arg(long, value_name = "RULE", value_parser = rule)]
    pub rule: Option<ConsensusRule>,
    /// All labels of a ratings file in scale order, used or not (with commas)
    #[arg(long, value_name = "LABELS", value_delimiter = ',', allow_hyphen_values = true)]
    pub categories: Vec<String>,
    /// The labels' numbers, in the same order (with commas)
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_hyphen_values = true)]
    pub scores: Vec<f64>,
    /// What the order and distance of the labels of a ratings file mean
    #[arg(long, value_enum)]
    pub scale: Option<ScaleName>,
    /// Tell agreement for each of these by itself too: domain, query, system, unit.kind, meta.KEY or any other field of the items
    /// (`haymark help filters`), or summary; or columns of a ratings file (several with commas)
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub by: Vec<String>,
    /// What hangs together and is left out (or drawn again) as a whole: summary, query, collection or item; when left out, what
    /// suits the items. For a file of ratings a column; when left out, the one named "cluster"
    #[arg(long, value_name = "WHAT", help_heading = "Intervals")]
    pub cluster: Option<String>,
    #[command(flatten)]
    pub intervals: IntervalArguments,
    /// Say how many more items, or one more annotator, would bring the intervals of alpha and kappa to this half-width
    #[arg(long, value_name = "WIDTH")]
    pub plan: Option<f64>,
    #[command(flatten)]
    pub best: BestArguments,
    /// Estimate the true labels, and every annotator's competence and confusion, by the model of Dawid and Skene
    #[arg(long)]
    pub model: bool,
    #[command(flatten)]
    pub form: TableForm,
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

/// Subsets of annotators, ranked.
#[derive(Debug, Args)]
pub struct BestArguments {
    /// Rank all subsets of so many annotators by how far they agree, to choose whose judgments to keep
    #[arg(long, value_name = "N", value_parser = number)]
    pub best: Option<usize>,
    /// What --best ranks by: a coefficient by its name in JSON, such as randolph_kappa; when left out, Krippendorff's alpha
    /// on the scale of the labels
    #[arg(long, value_name = "NAME", requires = "best")]
    pub best_by: Option<String>,
}

/// Reads the size of the subsets that are ranked.
fn number(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(number) if number >= 2 => Ok(number),
        _ => Err("agreement needs two annotators or more".to_owned()),
    }
}

pub fn run(arguments: &Agree) -> Result<()> {
    let more = arguments.more()?;
    let input = if is_hub(&arguments.source) { None } else { Some(InputBytes::open(&arguments.source)?) };
    let mut passages = Vec::new();
    let comparisons = match &input {
        Some(input) if !input.is_sqlite()? => vec![arguments.of_ratings(input)?],
        Some(input) if input.is_pipe() => {
            return Err(Error::new("a study cannot come through a pipe")
                .in_file(input.name())
                .advise("name its file"));
        }
        _ if !arguments.categories.is_empty()
            || !arguments.scores.is_empty()
            || arguments.scale.is_some() =>
        {
            return Err(Error::usage("--categories, --scores and --scale are for a file of ratings")
                .advise("a study takes them from its protocol"));
        }
        _ => {
            let (study, mut asked) = (open_study(&arguments.source)?, arguments.asked()?);
            let told = NamesTold::of(&study, is_handed_on(&arguments.form, arguments.counted.names))?;
            told.annotators(&mut asked.part.annotators);
            told.filter(&mut asked.part.filter);
            passages = passage_tables(&study, &asked)?;
            match comparisons(&study, &asked) {
                Err(_) if !passages.is_empty() => Vec::new(),
                found => found?,
            }
        }
    };
    let intervals = arguments.intervals.asked();
    let findings: Vec<Findings<'_>> =
        comparisons.iter().map(|comparison| Findings::of(comparison, intervals)).collect();
    if arguments.is_brief() {
        let first = screen(&findings, terminal_width());
        let asked_for =
            findings.iter().flat_map(|found| more.tables(found)).chain(passages).collect::<Vec<_>>();
        let asked_for = arguments.form.displayed(&asked_for)?.unwrap_or(asked_for);
        let first = if findings.is_empty() { String::new() } else { first };
        let gap = if asked_for.is_empty() || first.is_empty() { "" } else { "\n" };
        return print(&(first + gap + &render(&asked_for, OutputFormat::Table, terminal_width())?));
    }
    let is_for_programs = matches!(arguments.form.format, OutputFormat::Json | OutputFormat::Csv);
    let all = |found| tables(found, is_for_programs).into_iter().chain(more.tables(found));
    print_tables(&findings.iter().flat_map(all).chain(passages).collect::<Vec<_>>(), &arguments.form)
}

impl Agree {
    /// Whether the numbers that a reader needs first are all that is printed.
    fn is_brief(&self) -> bool {
        self.form.is_brief()
    }

    fn asked(&self) -> Result<AgreementAsked> {
        if self.by.iter().any(|name| name == "annotator") {
            return Err(Error::usage("agreement is between annotators, not within one")
                .advise("--annotators names who is compared"));
        }
        let uncertainty = ClusterNamed(self.cluster.as_deref()).uncertainty(&self.intervals)?;
        Ok(AgreementAsked {
            part: self.counted.part(&self.annotators, &self.by, uncertainty),
            question: self.question.clone(),
            rule: self.rule,
            is_brief: self.is_brief(),
        })
    }

    /// The analyses that are asked for beside the coefficients.
    fn more(&self) -> Result<More> {
        let is_width = |width: f64| width.is_finite() && width > 0.0 && width < 1.0;
        if self.plan.is_some_and(|width| !is_width(width)) {
            return Err(Error::usage("--plan takes half the width of an interval, between 0 and 1")
                .advise("0.05 is a usual one"));
        }
        let best = |size| Best::of(size, self.best.best_by.as_deref(), self.is_brief());
        Ok(More {
            plan: self.plan,
            best: self.best.best.map(best).transpose()?,
            model: self.model,
            groups: self.is_brief() && !self.by.is_empty(),
        })
    }

    /// The ratings of a file or of standard input.
    fn of_ratings(&self, input: &InputBytes) -> Result<Comparison> {
        if self.rule.is_some() {
            return Err(Error::usage("--rule is for gold, which only a study has").advise("leave it out"));
        }
        if self.counted.protocol.is_some() || self.question.is_some() {
            let what = "--protocol and --question are for a study; this is a file of ratings";
            return Err(Error::usage(what).advise("--filter chooses lines by any column"));
        }
        let asked = RatingsAsked {
            categories: (!self.categories.is_empty()).then_some(self.categories.as_slice()),
            annotators: &self.annotators,
            by: &self.by,
            ..RatingsAsked::default()
        };
        let cluster = ClusterNamed(self.cluster.as_deref());
        let file = read_ratings(input, asked, cluster, self.counted.filter.as_deref())?;
        let labels = RatingLabels {
            are_named: asked.categories.is_some(),
            scores: &self.scores,
            scale: self.scale.map(Scale::from),
        };
        comparison(&file, &self.source, labels)
    }
}

impl From<ScaleName> for Scale {
    fn from(name: ScaleName) -> Scale {
        match name {
            ScaleName::Nominal => Scale::Nominal,
            ScaleName::Ordinal => Scale::Ordinal,
            ScaleName::Interval => Scale::Interval,
        }
    }
}
