//! What can be typed after `haymark assign`, `check-sample` and `status`.

use std::path::PathBuf;

use clap::Args;

use super::super::table::Form;
use super::share;
use crate::score::Rate;

#[derive(Debug, Args)]
pub struct Assign {
    /// The study file
    pub study: PathBuf,
    /// Who is to judge (several with commas), beside those who have work already
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub to: Vec<String>,
    /// Who leaves the study (several with commas): what they have not judged goes to the others
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub remove: Vec<String>,
    /// The protocol; when left out, the first one that the study has items for
    #[arg(long, value_name = "NAME")]
    pub protocol: Option<String>,
    /// The share of the work that several people judge, such as 10%; when left out, what is shared stays shared
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub overlap: Option<f64>,
    /// By how many people that share is judged; all when left out. Without --overlap, everything is
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub raters: Option<u32>,
    /// Spread each of these evenly: domain, category, system, … (several with commas)
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub stratify: Vec<String>,
    /// Where the random numbers begin
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Show the plan, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub control: Controls,
    #[command(flatten)]
    pub form: Form,
}

/// What is put on top of the work to control its quality.
#[derive(Debug, Args)]
#[command(next_help_heading = "Quality control")]
pub struct Controls {
    /// The annotator whose judgments are the known answers
    #[arg(long, value_name = "NAME")]
    pub known_from: Option<String>,
    /// So many items to begin with, in whole groups; each shows the known answer, and NAME's comment, once it is judged
    #[arg(long, value_name = "N", requires = "known_from", value_parser = clap::value_parser!(u32).range(1..))]
    pub calibration: Option<u32>,
    /// The share of the calibration items that must be judged as is known
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "80%")]
    pub pass: f64,
    /// Known items mixed in unseen, as a share of each annotator's work, such as 5%
    #[arg(long, value_name = "SHARE", value_parser = share, requires = "known_from")]
    pub control: Option<f64>,
    /// Items that come a second time, as a share of each annotator's work, such as 5%
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub repeats: Option<f64>,
}

#[derive(Debug, Args)]
pub struct CheckSample {
    /// The study file
    pub study: PathBuf,
    /// The share of the judged items to look at again, such as 5%
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub share: f64,
    /// Who takes the second look; when left out, the sample is only listed
    #[arg(long, value_name = "NAME")]
    pub to: Option<String>,
    /// The protocol; when left out, the first one that was judged
    #[arg(long, value_name = "NAME")]
    pub protocol: Option<String>,
    /// Draw from each of these in proportion: domain, category, system, annotator, … (several with commas)
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub stratify: Vec<String>,
    /// Where the random numbers begin
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// List the sample, and assign nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub form: Form,
}

#[derive(Debug, Args)]
pub struct Status {
    /// The study file
    pub study: PathBuf,
    /// The protocol; when left out, every one that was judged or assigned
    #[arg(long, value_name = "NAME")]
    pub protocol: Option<String>,
    /// Only these annotators (several with commas); when left out, all people
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub annotators: Vec<String>,
    /// What they are paid: an active hour (25/h, 12.50 EUR/h) or a judged item (1/item)
    #[arg(long, value_name = "RATE")]
    pub pay: Option<Rate>,
    /// Say where judgments are missing by: system, domain, category, collection, query, … (several with commas)
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub by: Vec<String>,
    /// List every item that was too fast or too slow, not only the five oddest of each annotator; all other formats always do
    #[arg(long)]
    pub full: bool,
    #[command(flatten)]
    pub form: Form,
}
