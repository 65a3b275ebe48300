//! What can be typed after `haymark`.

use clap::{CommandFactory, Parser};

use super::Command;

/// Judge retrieval-augmented summaries in the terminal, and measure how far annotators agree.
#[derive(Debug, Parser)]
#[command(name = "haymark", version, arg_required_else_help = true, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
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

/// The command line as clap knows it, for tests on its texts.
pub fn command() -> clap::Command {
    Arguments::command()
}
