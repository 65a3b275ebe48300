//! How systems are ranked under each annotator.

use clap::Args;

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
    /// Print every measure, and the differences of all systems under everyone; all other formats always do
    #[arg(long)]
    pub full: bool,
}
