//! `haymark export --what judge-requests`: what a model has yet to judge, as requests to it. They are
//! written to a file and sent by whoever runs the program; nothing here speaks to a service.

use std::collections::HashSet;
use std::path::Path;
use std::path::PathBuf;

use clap::Args;

use super::output::complain;
use crate::cli::export::Export;
use crate::error::{Error, Result};
use crate::files::{STANDARD_OUTPUT, write_atomically};
use crate::formats::chat_batch::{JudgePrompt, PROMPT, Requests};
use crate::formats::short_text;
use crate::protocol::Protocol;
use crate::report::part::PartAsked;
use crate::report::protocols;
use crate::store::StudyFile;
use crate::study::TargetKeys;

/// What judge requests ask, of whom, and how.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Judge requests")]
pub struct JudgeRequests {
    /// The protocol to judge by; of a dataset, the only one
    #[arg(long, value_name = "NAME", required_if_eq("what", "judge-requests"))]
    pub protocol: Option<String>,
    /// The judge: the name under which its answers are imported
    #[arg(long = "as", value_name = "JUDGE", required_if_eq("what", "judge-requests"))]
    pub judge: Option<String>,
    /// What the service calls the model; the judge's name when left out
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// A prompt of your own (Markdown) instead of the built-in one
    #[arg(long, value_name = "FILE.md")]
    pub prompt: Option<PathBuf>,
}

/// The items that a filter lets through, judged or not, in whole groups; `None` for all.
fn chosen(
    study: &StudyFile,
    protocol: &Protocol,
    filter: Option<&str>,
) -> Result<Option<HashSet<TargetKeys>>> {
    let Some(filter) = filter else { return Ok(None) };
    let assignable = study.assignable(protocol)?;
    let asked = PartAsked { filter: Some(filter.to_owned()), ..PartAsked::default() };
    let (part, _) = asked.choose_groups(study, protocol, &assignable)?;
    let groups = part.groups.iter().filter_map(|place| assignable.groups.get(*place));
    let items = groups.flat_map(|group| &group.items).filter_map(|item| assignable.items.get(*item).copied());
    Ok(Some(study.keys_of(&items.collect::<Vec<_>>())?.into_iter().collect()))
}

/// Writes the requests, and says on standard error how many there are.
pub fn run(study: &StudyFile, arguments: &Export, target: &Path) -> Result<()> {
    let given = &arguments.requests;
    // The command line does not come this far without them.
    let judge = given.judge.as_deref().unwrap_or_default();
    let protocol = protocols::find(study, given.protocol.as_deref().unwrap_or_default())?;
    let prompt = given.prompt.as_deref().map_or_else(|| Ok(JudgePrompt::built_in()), read_prompt)?;
    let requests = Requests::new(&protocol, judge, given.model.as_deref().unwrap_or(judge), &prompt);
    let (mut written, mut items) = (0, None);
    let chosen = chosen(study, &protocol, arguments.rows.filter.as_deref())?;
    let is_chosen = |keys: &TargetKeys| chosen.as_ref().is_none_or(|chosen| chosen.contains(keys));
    write_atomically(target, Some(study.path()), |out| {
        items = Some(study.for_each_unjudged(judge, &protocol, |item| {
            if !is_chosen(&item.keys) {
                return Ok(());
            }
            written += 1;
            requests
                .write(&mut &mut *out, item)
                .map_err(|error| Error::new(format!("cannot be written: {error}")))
        })?);
        Ok(())
    })?;
    // Whoever read them has stopped reading.
    let Some(items) = items else { return Ok(()) };
    let name = &protocol.name;
    complain(&match items - written {
        judged if written == 0 => format!("{judge:?} has judged all {judged} items of {name:?}"),
        0 => format!("wrote requests for all {items} items of {name:?}"),
        judged => {
            format!("wrote requests for {written} of {items} items of {name:?}; {judged} are judged already")
        }
    });
    Ok(())
}

fn read_prompt(path: &Path) -> Result<JudgePrompt> {
    JudgePrompt::parse(&short_text(path)?).map_err(|error| error.in_file(path))
}

/// Writes the built-in prompt.
pub fn write_prompt(target: &Path) -> Result<()> {
    write_atomically(target, None, |out| {
        out.write_all(PROMPT.as_bytes()).map_err(|error| Error::new(format!("cannot be written: {error}")))
    })?;
    if target != Path::new(STANDARD_OUTPUT) {
        complain(&format!("wrote the prompt to {}", target.display()));
    }
    Ok(())
}
