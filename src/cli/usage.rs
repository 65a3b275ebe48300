//! Examples for each command, at the end of its help. They work on the demo's data as `study.db`; a test runs every one.

use clap::Command;

/// The name of each command, and under it lines to type, each with what it does.
const EXAMPLES: &str = include_str!("../../assets/help/examples.txt");

/// The first steps, under the help of haymark itself.
const START: &str = include_str!("../../assets/help/start.txt");

/// The command line with the examples at the end of each help.
pub fn with_examples(command: Command) -> Command {
    let mut command = command.after_help(START.trim_end());
    for lines in EXAMPLES.lines().collect::<Vec<_>>().chunk_by(|_, next| next.starts_with(' ')) {
        if let [name, examples @ ..] = lines {
            let told = format!("Examples:\n{}", examples.join("\n"));
            command = command.mut_subcommand(*name, |command| command.after_help(told));
        }
    }
    command
}
