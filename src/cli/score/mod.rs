//! `haymark score`: what the judgments say about systems.

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use clap::Args;

use super::{
    CountedArguments, UncertaintyArguments, open_study, print, print_tables, prints_to_terminal, share, show,
};
use crate::error::{Error, Result, Topic};
use crate::export::dataset::gold::rule;
use crate::export::handed_on::{NamesTold, is_handed_on};
use crate::export::table::{OutputFormat, TableForm};
use crate::figure::{KINDS, Sources, figures_of};
use crate::formats::short_text;
use crate::journal::ConsensusRule;
use crate::protocol::{RatioRule, ScoreLevel, ScoreNumber, ScoreRule, ScoreSheet, score_sheet};
use crate::report::{ScoresAsked, asks_for_rankings, baseline, pivoted, rankings, retrieval, scores};
use crate::score::{Average, ClusterKind};

#[derive(Debug, Args)]
pub struct ScoreArguments {
    /// The study file, or a hub: postgres://…
    pub study: PathBuf,
    #[command(flatten)]
    pub counted: CountedArguments,
    /// Group by any field of the items: system, retriever, summarizer, order, domain, category, query, collection, unit.kind,
    /// meta.KEY, document_length, response_length, … (`haymark help filters`); by annotator; by summary (several with commas)
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub by: Vec<String>,
    /// Rows and columns, a table a measure: the last field of --by stands over the columns, with totals, and the best marked
    #[arg(long, requires = "by", conflicts_with_all = ["spot_check", "human"])]
    pub pivot: bool,
    /// How far people's scores go with a number of the summaries, such as meta.metrics.bleu: r, ρ and τ-b over summaries and
    /// over systems
    #[arg(long, value_name = "FIELD", requires = "protocol", conflicts_with_all = ["by", "pivot", "spot_check", "human"])]
    pub against: Option<String>,
    /// Score retrievers instead, by the lists that the study holds: MRR, MAP, and precision, recall and nDCG of the first so many (several
    /// with commas)
    #[arg(long, value_name = "DEPTHS", value_delimiter = ',', num_args = 0..=1, default_missing_value = "5,10", value_parser = clap::value_parser!(u16).range(1..=1000), conflicts_with_all = ["by", "filter", "cluster", "corrected_by", "against", "pivot", "spot_check", "human", "count", "scores"])]
    pub retrieval: Option<Vec<u16>>,
    /// Take the errors of this judge out of its scores: people judged a random sample, the judge all
    #[arg(long, value_name = "JUDGE", requires = "protocol", conflicts_with_all = ["against", "pivot", "spot_check", "human", "count", "scores"])]
    pub corrected_by: Option<String>,
    /// Take what people judged for a random sample, though no sample of the study has it
    #[arg(long, requires = "corrected_by")]
    pub any_sample: bool,
    /// Pool the insights of all summaries, or average the summaries' scores
    #[arg(long, value_enum, default_value_t = AverageName::Pooled)]
    pub average: AverageName,
    /// Only these annotators (several with commas), such as gold for what counts; when left out, all people. `each`
    /// ranks the systems under every annotator, the majority and every judge by itself (`each,alice,bora` under these), and says
    /// whether one is better than another: the difference with its interval
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub annotators: Vec<String>,
    /// How gold is made: "all agree" or "majority of 3", with " or single" behind it where one person is enough
    #[arg(long, value_name = "RULE", value_parser = rule)]
    pub rule: Option<ConsensusRule>,
    /// List a share of the judged items, such as 5%, to be judged again; always the same ones
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub spot_check: Option<f64>,
    /// Print what people wrote in sessions instead: scores by minute, and the human baseline beside the systems, in the groups of
    /// --by
    #[arg(long, conflicts_with_all = ["spot_check", "average", "filter"])]
    pub human: bool,
    #[command(flatten)]
    pub moment: MomentArguments,
    #[command(flatten)]
    pub form: TableForm,
    #[command(flatten)]
    pub uncertainty: UncertaintyArguments,
}

/// A score of the moment; see `haymark help protocols`.
#[derive(Debug, Args)]
#[command(next_help_heading = "A score of the moment")]
pub struct MomentArguments {
    /// What a judgment under --protocol is worth: a filter (100 where it holds, else 0), such as 'entailed:yes', or a question
    /// whose choices have scores, or a number's field
    #[arg(long, value_name = "WHAT", requires = "protocol", allow_hyphen_values = true)]
    pub count: Option<String>,
    /// What counts at all: a filter, such as 'unit.validity:agree'
    #[arg(long, value_name = "FILTER", requires = "count", allow_hyphen_values = true)]
    pub among: Option<String>,
    /// How much a judgment weighs: as --count; 1 where it is left out
    #[arg(long, value_name = "WHAT", requires = "count")]
    pub weight: Option<String>,
    /// What counts once: item, bullet, unit, document, candidate or query
    #[arg(long, value_name = "THING", requires = "count", value_parser = level)]
    pub once: Option<ScoreLevel>,
    /// Where the ratio is made before it is averaged: bullet, unit, document, candidate, query or collection; when left out, over
    /// everything
    #[arg(long, value_name = "THING", requires = "count", value_parser = level)]
    pub mean: Option<ScoreLevel>,
    /// A file of scores ([[score]]) in the place of those of the protocol
    #[arg(long, value_name = "FILE", requires = "protocol", conflicts_with = "count")]
    pub scores: Option<PathBuf>,
}

fn level(name: &str) -> std::result::Result<ScoreLevel, String> {
    ScoreLevel::named(name).ok_or_else(|| {
        "choose among item, bullet, unit, document, candidate, query and collection".to_owned()
    })
}

impl MomentArguments {
    fn sheet(&self) -> Result<ScoreSheet> {
        if let Some(file) = &self.scores {
            let sheet = score_sheet(&short_text(file)?).and_then(|sheet| match sheet.is_empty() {
                true => Err(Error::new("there is no [[score]] in it").advise("write one")),
                false => Ok(sheet),
            });
            return sheet.map_err(|error| error.in_file(file).under(Topic::Protocols));
        }
        let Some(count) = &self.count else { return Ok(ScoreSheet::default()) };
        let once = self.once.unwrap_or(ScoreLevel::Item);
        if self.mean.is_some_and(|mean| once > mean) {
            return Err(Error::usage("what counts once is wider than where the ratio is made"));
        }
        let ratio = RatioRule {
            value: ScoreNumber::Text(count.clone()),
            among: self.among.clone(),
            weight: self.weight.clone().map(ScoreNumber::Text),
            once,
            empty: None,
            empty_where: None,
            protocol: None,
        };
        Ok(ScoreSheet::of(vec![ScoreRule::of_the_moment(ratio, self.mean)]))
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

pub fn run(arguments: &ScoreArguments) -> Result<()> {
    let study = open_study(&arguments.study)?;
    let (form, mut asked) = (&arguments.form, arguments.asked()?);
    let told = NamesTold::of(&study, is_handed_on(form, arguments.counted.names))?;
    told.annotators(&mut asked.part.annotators);
    told.filter(&mut asked.part.filter);
    told.scores(&mut asked.sheet);
    if arguments.human {
        let tables = baseline(&study, &asked)?;
        print_tables(&tables, form)?;
        if form.format == OutputFormat::Table && prints_to_terminal() {
            let curves = KINDS.iter().filter(|kind| kind.name == "curve");
            for figure in figures_of(&Sources::of_baseline(&study, tables), curves)?.figures {
                print("\n")?;
                show(&figure)?;
            }
        }
        return Ok(());
    }
    if let Some(depths) = &arguments.retrieval {
        let depths: Vec<usize> = depths.iter().map(|depth| usize::from(*depth)).collect();
        return print_tables(&retrieval(&study, &asked, &depths)?, form);
    }
    if arguments.pivot {
        return print_tables(&pivoted(&study, &asked)?, form);
    }
    let wants_rankings = asks_for_rankings(&asked.part.annotators);
    print_tables(&if wants_rankings { rankings(&study, &asked)? } else { scores(&study, &asked)? }, form)
}

impl ScoreArguments {
    fn asked(&self) -> Result<ScoresAsked> {
        let uncertainty = self.uncertainty.asked();
        if uncertainty.cluster == Some(ClusterKind::Item) {
            return Err(Error::usage(
                "items of one summary hang together, so scores have no intervals over items",
            )
            .advise("choose summary, query or collection"));
        }
        Ok(ScoresAsked {
            part: self.counted.part(&self.annotators, &self.by, uncertainty),
            average: match self.average {
                AverageName::Pooled => Average::Insight,
                AverageName::Summary => Average::Summary,
            },
            rule: self.rule,
            spot_check: self.spot_check,
            is_brief: self.form.is_brief(),
            sheet: self.moment.sheet()?,
            against: self.against.clone(),
            has_pairs: false,
            corrected_by: self.corrected_by.clone(),
            takes_any_sample: self.any_sample,
        })
    }
}
