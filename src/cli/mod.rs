//! The command line: arguments, one file a command, and how results leave the program.
//!
//! Standard output carries the result and nothing else; standard error carries the rest. Exit
//! status: 0 done, 1 could not do it, 2 wrong usage.

mod adjudicate;
mod agree;
mod annotate;
mod args;
mod assign;
mod check_sample;
mod browse;
mod check;
mod collect;
mod completions;
mod demo;
mod export;
mod help;
mod hub;
mod import;
mod import_by_map;
mod init;
mod judges;
mod keys;
mod looks;
mod man;
mod merge;
mod open;
mod output;
mod part;
mod people;
mod plot;
mod progress;
mod protocol;
mod ratings;
mod report;
mod revise;
mod score;
mod session;
mod split;
mod status;
mod sync;
mod usage;
mod withdraw;

use std::process::ExitCode;

use clap::{FromArgMatches, Subcommand};

use crate::error::{ErrorKind, Result};
use crate::files::Scratch;
use crate::system::survive_file_limit;
use crate::term::signals::clean_before_end;
pub use args::command;

use annotate::{Annotate, ScreenArguments, open_screen};
use args::{Arguments, ClusterName, CountedArguments, IntervalArguments, UncertaintyArguments, share};
use check::print_findings;
use export::check_targets;
use hub::{Logins, exchange, is_hub, members_of, open_study, say_held, say_only_here, take_work};
use import::{Import, import_as, now};
use looks::LooksArguments;
use merge::{refuse_clashes, tables};
use open::{caution, open_to_decide};
use output::{
    clear_terminal, complain, is_terminal, needs_terminal, print, print_tables, print_told, print_watched,
    prints_to_terminal, screen_columns, terminal_width, write_file,
};
use part::PartArguments;
use plot::show;
use progress::Shown;
use ratings::{ClusterNamed, read_ratings};
use usage::with_examples;
use withdraw::Reasoned;

/// Runs the program with the process's arguments.
pub fn main() -> ExitCode {
    completions::answer_shell();
    let matches = command().try_get_matches();
    let arguments = match matches.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(error) => return output::refuse(error),
    };
    // Temporary copies of a killed haymark are removed.
    Scratch::sweep_temporary();
    // Where the handler is refused, the limit kills as it would have.
    let _ = survive_file_limit();
    // Where the thread cannot listen, the next haymark cleans.
    let _ = clean_before_end(progress::end);
    match run(arguments.command).map_err(hub::about_hub) {
        Ok(()) => ExitCode::SUCCESS,
        // The thread that was asked to end the program says what was done, and ends it.
        Err(error) if error.kind() == ErrorKind::Stopped => loop {
            std::thread::park();
        },
        Err(error) => {
            let more = error.topic().map(|topic| format!(" (haymark help {})", topic.name()));
            output::complain(&format!("error: {error}{}", more.unwrap_or_default()));
            if error.kind() == ErrorKind::Usage { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

/// Each command once: what help says of it, its arguments, and the file that runs it.
macro_rules! commands {
    ($($(#[$said:meta])* $name:ident($module:ident: $arguments:ty),)*) => {
        #[derive(Debug, Subcommand)]
        pub enum Command {
            $($(#[$said])* $name($arguments),)*
        }

        fn run(command: Command) -> Result<()> {
            match command {
                $(Command::$name(arguments) => $module::run(&arguments),)*
            }
        }
    };
}

commands! {
    /// Open a ready-made study as one of its annotators
    Demo(demo: demo::Demo),
    /// Make an empty study
    Init(init: init::Init),
    /// Bring files into a study: haymark JSONL, those of other programs by maps, a judge's answers
    Import(import: import::Import),
    /// Write a study, or a part of it, as haymark JSONL, or what a model is to judge as requests to it
    Export(export: crate::export::asked::Export),
    /// Judge the items of a protocol
    Annotate(annotate: annotate::Annotate),
    /// Write a summary against the clock; list and play what was written
    Session(session: session::args::SessionArguments),
    /// Look into what was judged: tables, comparisons, agreement, kinds of failure
    Browse(browse: browse::Browse),
    /// Settle what people disagree on
    Adjudicate(adjudicate: adjudicate::Adjudicate),
    /// Make content units of the key points that people wrote, to be judged in turn
    Collect(collect: collect::Collect),
    /// List, show, check and add protocols: what is asked about the items
    #[command(subcommand)]
    Protocol(protocol: protocol::ProtocolCommand),
    /// Spread the items of a protocol over annotators, with what controls the quality
    Assign(assign: assign::Assign),
    /// Draw a sample of what was judged for a second look
    CheckSample(check_sample: check_sample::CheckSample),
    /// Print who has done how much of what, how well and how quickly, and what is left
    Status(status: status::Status),
    /// Print the scores that the judgments give
    Score(score: score::ScoreArguments),
    /// Print how far annotators agree, in a study or in a file of ratings
    Agree(agree: agree::Agree),
    /// Compare every model annotator with the people: correlation, linking, kappas, bias, cost
    Judges(judges: judges::Judges),
    /// Write a study as one page to look at, print and hand over
    Report(report: report::Report),
    /// Draw what the tables say: in the terminal, and as SVG and PDF for papers
    Plot(plot: plot::Plot),
    /// Take into a study what other study files hold more: judgments, assignments, corpus
    Merge(merge: merge::Merge),
    /// List who judged; join two names of one person, rename, or leave somebody out everywhere
    People(people: people::PeopleArguments),
    /// Give documents, queries, units, candidates and annotators other contents under their names, with the judgments open again
    Revise(revise: revise::Revise),
    /// Let a query, document, unit, candidate or imported file count no more, or again; list what was put right
    Withdraw(withdraw: withdraw::Withdraw),
    /// Merge two study files both ways, such as yours and one on a share
    Sync(sync: sync::Sync),
    /// Share a study among many people by a PostgreSQL server: make the hub, invite people
    #[command(subcommand)]
    Hub(hub: hub::HubCommand),
    /// Write the study file that one annotator takes home; `merge` brings it back
    Split(split: split::Split),
    /// Say what is wrong with a study file and what to do, and save what a damaged one still holds
    Check(check: check::Check),
    /// List the keys of all screens
    Keys(keys: keys::Keys),
    /// Write the manual pages
    Man(man: man::ManPages),
    /// Write what a shell needs to complete haymark's commands, and the names in a study
    Completions(completions: completions::Completions),
    /// Print the help of haymark, of a command, or of a topic: filters, formats, protocols, statistics
    Help(help: help::Help),
}
