//! `haymark annotate`: the screen, and what is printed after it.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::{LooksArguments, PartArguments, complain, exchange, now, take_work};
use crate::cli::adjudicate;
use crate::error::{Error, ErrorKind, Result};
use crate::export::dataset::gold::rule;
use crate::hub::{Address, HubLink};
use crate::journal::ConsensusRule;
use crate::journal::Progress;
use crate::protocol::Protocol;
use crate::report::{examples, protocols, sorted};
use crate::store::{Assignable, QueueTaken, StudyFile, Target};
use crate::term::{AnnotateOptions, Left, Preferences, annotate};
use crate::text::near::one_letter_off;
use crate::text::shell::quoted;
use crate::text::width::visible;
use crate::view::kit::days_work;

/// How the annotate screen opens.
#[derive(Debug, Args)]
pub struct ScreenArguments {
    /// The protocol; when left out, the first one that the study has items for
    #[arg(long, value_name = "NAME")]
    pub protocol: Option<String>,
    /// Show which system wrote a summary
    #[arg(long)]
    pub show_systems: bool,
    #[command(flatten)]
    pub looks: LooksArguments,
}

#[derive(Debug, Args)]
pub struct Annotate {
    /// The study file
    pub study: PathBuf,
    /// Who is judging: a name or pseudonym
    #[arg(long = "as", value_name = "NAME")]
    pub annotator: String,
    /// Read where gold differs from your answers, and why; nothing is changed
    #[arg(long, conflicts_with_all = ["PartArguments", "sort"])]
    pub review: bool,
    /// How gold is made in a review: "all agree" or "majority of 3"
    #[arg(long, value_name = "RULE", value_parser = rule, requires = "review")]
    pub rule: Option<ConsensusRule>,
    /// Speak of a break after so many minutes of work, from now on; 0 never does
    #[arg(long, value_name = "MINUTES")]
    pub break_after: Option<u32>,
    /// Open the items in the order of a field, in whole groups, such as confidence@judge-a: what the judge was least sure of
    /// first; -FIELD: the largest first. Judgments say that they were given in it
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true)]
    pub sort: Option<String>,
    #[command(flatten)]
    pub part: PartArguments,
    #[command(flatten)]
    pub screen: ScreenArguments,
}

pub fn run(arguments: &Annotate) -> Result<()> {
    let looks = &arguments.screen.looks;
    let mut study = looks.open("annotate", &arguments.study)?;
    if let Some(minutes) = arguments.break_after {
        Preferences::change(|preferences| preferences.break_after = Some(minutes));
    }
    if arguments.review {
        return adjudicate::review(study, arguments);
    }
    if looks.svg.is_none() {
        fetch(&mut study, looks.offline)?;
        ask_whether_new(&study, &arguments.annotator, arguments.screen.protocol.as_deref())?;
    }
    let left = open_screen(study, &arguments.annotator, &arguments.screen, Some(arguments), false)?;
    looks.tell(&format!("{}{}", told(&left), next(&left, &arguments.study)))?;
    looks.tell_only_here(&arguments.study)
}

/// Asks on the terminal whether a name that is one letter off a known one is new. Without a terminal nobody
/// is asked; where all the work is given to others, a new name is refused.
fn ask_whether_new(study: &StudyFile, annotator: &str, protocol: Option<&str>) -> Result<()> {
    study.refuse_stranger(annotator)?;
    let is_known = study.everyone()?.iter().any(|(_, person)| person.id == annotator);
    if is_known || !io::stdin().is_terminal() {
        return Ok(());
    }
    let people = study.annotators()?;
    let known = one_letter_off(annotator, people.iter().map(|(_, person)| person.id.as_str()));
    let Some(known) = known else { return Ok(()) };
    let all = protocols::named_or_all(study, protocol)?;
    let opened = all.iter().find_map(|protocol| study.assignable(protocol).ok());
    if opened.is_some_and(|opened| opened.is_divided()) {
        return Ok(());
    }
    complain(&format!(
        "{:?} is new in this study, which knows {:?}. Are you somebody else? [y/N]",
        visible(annotator),
        visible(known)
    ));
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).map_err(|error| Error::new(format!("no answer: {error}")))?;
    if matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(Error::new(format!(
        "nobody was added, and nothing was opened; --as {} goes on as that person",
        quoted(known)
    )))
}

/// Keeps to the groups in which the annotator has an item, where work is assigned.
fn keep_own(assignable: &mut Assignable, annotator: &str) {
    if !assignable.is_divided() {
        return;
    }
    let assigned = assignable.assigned.iter().filter(|one| one.annotator == annotator).map(|one| one.item);
    let judged = assignable.judged.iter().filter(|(name, _)| *name == annotator).map(|(_, item)| item);
    let own: BTreeSet<usize> = assigned.chain(judged).collect();
    assignable.groups.retain(|group| group.items.iter().any(|item| own.contains(item)));
}

/// Keeps to the part of the work that is asked for, in the order that is asked for; says so, where it is no more than that.
fn take_part(study: &mut StudyFile, protocol: &Protocol, arguments: &Annotate) -> Result<Option<String>> {
    let asked = arguments.part.asked()?;
    if !asked.is_part() && arguments.sort.is_none() {
        return Ok(None);
    }
    let mut assignable = study.assignable(protocol)?;
    keep_own(&mut assignable, &study.person_behind(&arguments.annotator)?);
    let all: usize = assignable.groups.iter().map(|group| group.items.len()).sum();
    let (chosen, _) = asked.choose_groups(study, protocol, &assignable)?;
    chosen.record(study, now())?;
    chosen.keep(&mut assignable);
    let places = assignable.groups.iter().flat_map(|group| &group.items);
    let mut items: Vec<Target> = places.filter_map(|item| assignable.items.get(*item).copied()).collect();
    if let Some(field) = &arguments.sort {
        let order = sorted(study, protocol, &items, field)?;
        items = order.into_iter().filter_map(|place| items.get(place).copied()).collect();
    }
    let open = format!("open are {} of {all} items, in whole groups; without the options, all", items.len());
    study.take_part(Some(QueueTaken { items, sorted_by: arguments.sort.clone() }));
    Ok(asked.is_part().then_some(open))
}

/// Opens the screen on a study, with the tour for a newcomer where that is wanted, and stays until the annotator leaves. `arguments`
/// say which part of the work it is.
pub fn open_screen(
    mut study: StudyFile,
    annotator: &str,
    screen: &ScreenArguments,
    arguments: Option<&Annotate>,
    tours: bool,
) -> Result<Left> {
    study.refuse_stranger(annotator)?;
    let asked = ask_for_work(&mut study, annotator, screen)?;
    let explained = |error: Error| match &asked {
        Some(answer) if error.kind() == ErrorKind::Failed => without_work(answer),
        _ => error,
    };
    let protocol = chosen(&mut study, annotator, screen.protocol.as_deref()).map_err(explained)?;
    let greeting = arguments.map(|asked| take_part(&mut study, &protocol, asked)).transpose()?.flatten();
    if asked.is_some() {
        study.open_queue(annotator, &protocol).map_err(explained)?;
    }
    let protocol = examples::with_examples(&study, protocol)?;
    let mut looks = screen.looks.read(&study, Some(&protocol))?;
    if let Some(greeting) = greeting.filter(|_| looks.greeting.is_empty()) {
        looks.greeting = greeting;
    }
    let options = AnnotateOptions {
        annotator: annotator.to_owned(),
        protocol: Arc::new(protocol),
        shows_systems: screen.show_systems,
        tours,
        looks,
    };
    annotate(study, options)
}

/// How long opening a file waits for its hub.
const FETCH: Duration = Duration::from_secs(3);

/// Brings a file up to its hub, since work may have been handed out or assigned meanwhile. Without a network the file opens as it
/// is, and the screen says so.
fn fetch(study: &mut StudyFile, is_offline: bool) -> Result<()> {
    let Some(hub) = study.membership()?.filter(|_| !is_offline) else { return Ok(()) };
    let Ok(link) = Address::read(&hub.address).and_then(HubLink::to) else { return Ok(()) };
    let mut link = link.within(FETCH);
    let fetched = exchange(study, &mut link);
    link.end();
    fetched.map(drop).or_else(|error| if error.kind() == ErrorKind::Stopped { Err(error) } else { Ok(()) })
}

/// Asks the hub for work, if it hands some out to this file's member and none is left here; gives what came
/// of asking.
fn ask_for_work(
    study: &mut StudyFile,
    annotator: &str,
    screen: &ScreenArguments,
) -> Result<Option<Result<()>>> {
    let hub = study.membership()?.filter(|hub| hub.me.name == annotator);
    let Some(hub) = hub.filter(|_| !screen.looks.offline && screen.looks.svg.is_none()) else {
        return Ok(None);
    };
    let is_meant = |name: &String| screen.protocol.as_ref().is_none_or(|one| one == name);
    let names: Vec<String> = study.handed_out_protocols()?.into_iter().filter(is_meant).collect();
    if names.is_empty() {
        return Ok(None);
    }
    for name in &names {
        if study.has_open_work(name)? {
            return Ok(None);
        }
    }
    let ask = || {
        let mut link = HubLink::to(Address::read(&hub.address)?)?;
        exchange(study, &mut link)?;
        take_work(study, &mut link, names).map(drop)
    };
    Ok(Some(ask()))
}

/// Why there is nothing to judge, after the hub was asked.
fn without_work(answer: &Result<()>) -> Error {
    match answer {
        Ok(()) => Error::new("the hub has no work for you now")
            .advise("what others give back comes up later; ask the lead how far the study is"),
        Err(error) => {
            Error::unreachable(format!("there is no work left here, and none comes: {}", error.what()))
                .advise("try again with a network; `haymark sync FILE` takes work ahead")
        }
    }
}

/// The sentences that are printed after the screen has closed.
pub fn told(left: &Left) -> String {
    let Progress { total, judged, skipped, flagged } = &left.progress;
    let mut text = format!("{judged} of {total} judged");
    if *skipped > 0 {
        text.push_str(&format!(", {skipped} skipped"));
    }
    if *flagged > 0 {
        text.push_str(&format!(", {flagged} flagged"));
    }
    if left.day.half_answered > 0 {
        text.push_str(&format!(", {} half answered", left.day.half_answered));
    }
    text.push_str(if left.is_saved {
        "; everything is saved\n"
    } else {
        "; the last answer was NOT saved\n"
    });
    if let Some(day) = days_work(&left.day) {
        text.push_str(&format!("{day}\n"));
    }
    text
}

/// The command to go on with, once a queue is finished; none about agreement, which is not hers to see.
fn next(left: &Left, study: &Path) -> String {
    let Progress { total, judged, .. } = left.progress;
    if judged < total {
        return String::new();
    }
    format!("Next:\n  haymark status {}   says what is left\n", quoted(&study.display().to_string()))
}

/// The named protocol, else the first one of which something is assigned to the annotator, else the first that the
/// study has items for. One that is assigned to others only is not passed over in silence.
fn chosen(study: &mut StudyFile, annotator: &str, name: Option<&str>) -> Result<Protocol> {
    if let Some(name) = name {
        return protocols::find(study, name);
    }
    let all = protocols::all(study)?;
    let assigned = study.assigned_protocols()?;
    let is_own = |protocol: &&Protocol| {
        assigned
            .iter()
            .any(|(name, people)| *name == protocol.name && people.iter().any(|one| one == annotator))
    };
    if let Some(protocol) = all.iter().find(is_own) {
        return Ok(protocol.clone());
    }
    // Protocols that the hub hands out go before those that nobody asked for.
    let handed_out = study.handed_out_protocols()?;
    let is_member = study.membership()?.is_some_and(|hub| hub.me.name == annotator);
    if let Some(protocol) = all.iter().find(|protocol| is_member && handed_out.contains(&protocol.name)) {
        return Ok(protocol.clone());
    }
    let mut first_error = None;
    for protocol in all {
        match study.open_queue(annotator, &protocol) {
            Ok(_) => return Ok(protocol),
            Err(error) if assigned.iter().any(|(name, _)| *name == protocol.name) => return Err(error),
            // The study has no items for this protocol.
            Err(error) if error.kind() == ErrorKind::Failed => first_error = first_error.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    Err(first_error.unwrap_or_else(|| Error::new("there is no protocol")))
}
