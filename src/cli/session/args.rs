//! What can be typed after `haymark session`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::LooksArguments;
use crate::export::table::TableForm;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct SessionArguments {
    #[command(flatten)]
    pub open: Option<SessionOpen>,
    // The looks stand beside `open`: by the fields of a struct inside it, clap does not tell that an optional struct is given.
    #[command(flatten)]
    pub looks: LooksArguments,
    #[command(subcommand)]
    pub command: Option<SessionCommand>,
}

#[derive(Debug, Subcommand)]
pub enum SessionCommand {
    /// List the sessions of a study: who, what, how long, how many words, how it ended
    List(SessionList),
    /// Play the writing of a session
    Replay(SessionReplay),
}

/// A session that is begun, or gone on with.
#[derive(Debug, Args)]
pub struct SessionOpen {
    /// The study file
    #[arg(required = true)]
    pub study: PathBuf,
    /// Who is writing: a name or pseudonym
    #[arg(long = "as", value_name = "NAME", required = true)]
    pub annotator: String,
    /// The query to write on; when left out, the unfinished session, else the first query without one
    #[arg(long, value_name = "QUERY")]
    pub query: Option<String>,
    /// The time that it may take, such as 2h, 90m or 1h30m; 2h when left out
    #[arg(long, value_name = "TIME", value_parser = limit)]
    pub limit: Option<i64>,
    /// Which documents to offer: relevant (when left out), all, or those that a retriever of this name ranks first
    #[arg(long, value_name = "WHICH")]
    pub documents: Option<String>,
    /// How many words of a retriever's documents; 15000 when left out
    #[arg(long, value_name = "N")]
    pub words: Option<usize>,
    /// What shuffles the documents; drawn at random when left out
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Begin with the summary that this system wrote, to be changed: summaries then have the field meta.draft
    #[arg(long, value_name = "SYSTEM")]
    pub draft: Option<String>,
    /// Instructions of this session, a file in Markdown; i shows them
    #[arg(long, value_name = "FILE.md")]
    pub guideline: Option<PathBuf>,
    /// Do not show the clock; warnings come all the same
    #[arg(long)]
    pub hide_clock: bool,
}

#[derive(Debug, Args)]
pub struct SessionList {
    /// The study file
    pub study: PathBuf,
    /// Only sessions on queries that this lets through, in the language of browse, such as 'sample=pilot'
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Option<String>,
    /// Write people's names in Markdown and LaTeX too; when left out, people are A1, A2, … there
    #[arg(long)]
    pub names: bool,
    #[command(flatten)]
    pub form: TableForm,
}

#[derive(Debug, Args)]
pub struct SessionReplay {
    /// The study file
    pub study: PathBuf,
    /// The session: the first signs of its key, as `session list` prints it; the latest when left out
    pub session: Option<String>,
    /// How many times faster than it was written
    #[arg(long, value_name = "TIMES", default_value_t = 60.0, value_parser = speed)]
    pub speed: f64,
    /// The active minute to begin at, or to print the text of
    #[arg(long, value_name = "MINUTE")]
    pub at: Option<f64>,
    /// Print instead of playing: text (the summary) or json (every state); text where there is no terminal
    #[arg(long, value_enum)]
    pub format: Option<ReplayFormat>,
    #[command(flatten)]
    pub looks: LooksArguments,
}

/// The forms in which a replay is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ReplayFormat {
    /// The text at the end, or at --at
    Text,
    /// Everything that happened, each with the text after it
    Json,
}

/// Reads a time such as `2h`, `90m`, `1h30m`, `45s` or `45` (minutes) into milliseconds.
fn limit(text: &str) -> Result<i64, String> {
    let wrong = || "write a time such as 2h, 90m, 1h30m or 45s, of a second at least".to_owned();
    let (mut total, mut number) = (0_i64, String::new());
    let add = |total: i64, number: &str, seconds: i64| {
        let count: i64 = number.parse().ok()?;
        total.checked_add(count.checked_mul(seconds)?)
    };
    for character in text.chars() {
        let seconds = match character {
            '0'..='9' => {
                number.push(character);
                continue;
            }
            'h' => 3_600,
            'm' => 60,
            's' => 1,
            _ => return Err(wrong()),
        };
        total = add(total, &number, seconds).ok_or_else(wrong)?;
        number.clear();
    }
    if !number.is_empty() {
        total = add(total, &number, 60).ok_or_else(wrong)?;
    }
    // A year: longer than anyone writes.
    if (1..=365 * 24 * 3_600).contains(&total) { Ok(total * 1_000) } else { Err(wrong()) }
}

fn speed(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(speed) if (0.25..=4096.0).contains(&speed) => Ok(speed),
        _ => Err("write a number from 0.25 to 4096".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        assert_eq!(limit("2h"), Ok(7_200_000));
        assert_eq!(limit("90m"), Ok(5_400_000));
        assert_eq!(limit("1h30m"), Ok(5_400_000));
        assert_eq!(limit("1h30"), Ok(5_400_000));
        assert_eq!(limit("45"), Ok(2_700_000));
        assert_eq!(limit("45s"), Ok(45_000));
        assert_eq!(limit("1m30s"), Ok(90_000));
        for wrong in
            ["", "0", "h", "2 h", "-5m", "1d", "99999999999999999999m", "9223372036854775807h", "9999999h"]
        {
            assert!(limit(wrong).is_err(), "{wrong}");
        }
    }
}
