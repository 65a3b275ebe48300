//! `haymark judges`: every model annotator against the people.

use std::path::PathBuf;

use clap::Args;

use super::{
    ClusterNamed, CountedArguments, IntervalArguments, is_hub, open_study, print_tables, read_ratings,
};
use crate::error::{Error, Result};
use crate::export::handed_on::{NamesTold, is_handed_on};
use crate::export::table::{Table, TableForm};
use crate::formats::InputBytes;
use crate::formats::ratings::RatingsAsked;
use crate::report::judges::tables;
use crate::report::{JudgesAsked, LabelsAsked, of_labels};

#[derive(Debug, Args)]
pub struct Judges {
    /// A study file, a hub (postgres://…), or a file of labels (CSV or JSONL, an item a line): a column for each person and each
    /// judge, blank where a judge went alone
    pub source: PathBuf,
    #[command(flatten)]
    pub counted: CountedArguments,
    /// Only these annotators (several with commas); all people where none of them is a person, all judges where none
    /// is a judge
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub annotators: Vec<String>,
    /// Compare by each of these groups by itself too: any field of the items, such as domain, system or meta.KEY (several with commas)
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub by: Vec<String>,
    /// What hangs together and is left out (or drawn again) as a whole: summary, query, collection or item; when left out, what
    /// suits the items. For a file of labels a column; when left out, the one named "cluster"
    #[arg(long, value_name = "WHAT", help_heading = "Intervals")]
    pub cluster: Option<String>,
    /// What a judge costs for one summary; when left out, its meta field cost_per_summary (may be repeated)
    #[arg(long, value_name = "JUDGE=COST")]
    pub cost: Vec<String>,
    /// What a person costs an hour, for the cost of the people
    #[arg(long, value_name = "RATE")]
    pub hourly_rate: Option<f64>,
    /// Say whether each judge is as good as people: its agreement with them no more than this below theirs with each other
    #[arg(long, value_name = "DIFFERENCE", value_parser = margin)]
    pub margin: Option<f64>,
    #[command(flatten)]
    pub labels: LabelArguments,
    #[command(flatten)]
    pub intervals: IntervalArguments,
    #[command(flatten)]
    pub form: TableForm,
}

/// A file of labels.
#[derive(Debug, Args)]
#[command(next_help_heading = "A file of labels")]
pub struct LabelArguments {
    /// The columns that are judges (several with commas); when left out, those with judge, model, llm or auto in their names
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub judge: Vec<String>,
    /// All labels in scale order, used or not (with commas)
    #[arg(long, value_name = "LABELS", value_delimiter = ',', allow_hyphen_values = true)]
    pub categories: Vec<String>,
    /// The labels' numbers, in the same order (with commas), for the corrected mean, quadratic kappa, and who is nearer to
    /// the others
    #[arg(
        long,
        value_name = "NUMBERS",
        value_delimiter = ',',
        allow_hyphen_values = true,
        requires = "categories"
    )]
    pub scores: Vec<f64>,
    /// How much worse than a person a judge may be that stands for one: 0.2 for experts, 0.15 for skilled people, 0.1 for a crowd
    #[arg(long, value_name = "SHARE", default_value_t = 0.15, value_parser = share)]
    pub epsilon: f64,
    /// Say how many more labels of people bring the corrected shares to this half-width, in points
    #[arg(long, value_name = "POINTS", value_parser = points)]
    pub plan: Option<f64>,
}

fn share(text: &str) -> std::result::Result<f64, String> {
    text.parse()
        .ok()
        .filter(|share| (0.0..1.0).contains(share))
        .ok_or_else(|| "give a share from 0 to 1".to_owned())
}

fn margin(text: &str) -> std::result::Result<f64, String> {
    let margin = text.parse().ok().filter(|margin| (0.0..=1.0).contains(margin));
    margin.ok_or_else(|| "give a difference from 0 to 1, such as 0.05".to_owned())
}

fn points(text: &str) -> std::result::Result<f64, String> {
    let points = text.parse().ok().filter(|points| *points >= 0.01 && *points < 100.0);
    points.ok_or_else(|| "give points between 0 and 100, such as 2".to_owned())
}

pub fn run(arguments: &Judges) -> Result<()> {
    let input = if is_hub(&arguments.source) { None } else { Some(InputBytes::open(&arguments.source)?) };
    if let Some(input) = &input
        && !input.is_sqlite()?
    {
        return print_tables(&arguments.of_labels(input)?, &arguments.form);
    }
    let study = open_study(&arguments.source)?;
    let costs = arguments.cost.iter().map(|given| read_cost(given)).collect::<Result<_>>()?;
    let uncertainty = ClusterNamed(arguments.cluster.as_deref()).uncertainty(&arguments.intervals)?;
    let mut asked = JudgesAsked {
        part: arguments.counted.part(&arguments.annotators, &arguments.by, uncertainty),
        costs,
        hourly_rate: arguments.hourly_rate,
        margin: arguments.margin,
    };
    let told = NamesTold::of(&study, is_handed_on(&arguments.form, arguments.counted.names))?;
    told.annotators(&mut asked.part.annotators);
    told.filter(&mut asked.part.filter);
    print_tables(&tables(&study, &asked)?, &arguments.form)
}

impl Judges {
    fn of_labels(&self, input: &InputBytes) -> Result<Vec<Table>> {
        if self.counted.protocol.is_some() {
            return Err(
                Error::usage("--protocol is for a study; this is a file of labels").advise("leave it out")
            );
        }
        if !self.cost.is_empty() || self.hourly_rate.is_some() {
            return Err(Error::usage("costs are those of the judges of a study").advise("leave them out"));
        }
        if self.margin.is_some() {
            let advice = "of a file of labels, --epsilon says how much worse than a person a judge may be";
            return Err(Error::usage("--margin is for a study").advise(advice));
        }
        let labels = &self.labels;
        if labels.scores.iter().any(|score| !score.is_finite()) {
            return Err(Error::usage("--scores takes numbers").advise("give one for each label"));
        }
        let asked = RatingsAsked {
            categories: (!labels.categories.is_empty()).then_some(labels.categories.as_slice()),
            annotators: &self.annotators,
            by: &self.by,
            ..RatingsAsked::default()
        };
        let cluster = ClusterNamed(self.cluster.as_deref());
        let file = read_ratings(input, asked, cluster, self.counted.filter.as_deref())?;
        let asked = LabelsAsked {
            judges: labels.judge.clone(),
            scores: file.scores(&labels.scores)?.unwrap_or_default(),
            epsilon: labels.epsilon,
            alignment_is_near: file.categories.len() > 2,
            plan: labels.plan,
            intervals: self.intervals.asked(),
        };
        of_labels(&file, &asked).map_err(|error| error.in_file(&self.source))
    }
}

/// Reads `judge=0.03`.
fn read_cost(given: &str) -> Result<(String, f64)> {
    let read = given.rsplit_once('=').and_then(|(name, cost)| Some((name, cost.parse::<f64>().ok()?)));
    match read {
        Some((name, cost)) if cost.is_finite() && cost >= 0.0 => Ok((name.to_owned(), cost)),
        _ => Err(Error::usage(format!("--cost {given:?} is not of the form JUDGE=COST"))
            .advise("give the cost of one summary, such as --cost gpt-4o=0.034")),
    }
}
