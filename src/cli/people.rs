//! `haymark people`: who is in a study, and what to do about wrong names and people who should not count.

use std::path::PathBuf;

use clap::Args;

use super::{Reasoned, complain, open_to_decide, print, print_tables};
use crate::error::{Error, Result};
use crate::export::handed_on::{NamesTold, is_handed_on};
use crate::export::table::TableForm;
use crate::hub::{Address, HubLink, MemberKind};
use crate::report::amendments::table;
use crate::report::{Column, PeopleNamed, Table, left_behind, taken_over};
use crate::store::{Membership, StudyFile};
use crate::study::{Act, AmendedKind, Amendment, Annotator, AnnotatorKind, Meta};
use crate::text::person::refuse_name;
use crate::text::shell::quoted;
use crate::text::width::visible;

#[derive(Debug, Args)]
pub struct PeopleArguments {
    /// The study file
    pub study: PathBuf,
    /// Somebody is the same person as --into: what was done under this name is hers
    #[arg(long, value_name = "NAME", requires_all = ["into", "by"], conflicts_with_all = ["rename", "leave_out", "take_back"])]
    pub join: Option<String>,
    /// Give somebody a name that nobody has: --into
    #[arg(long, value_name = "NAME", requires_all = ["into", "by"], conflicts_with_all = ["leave_out", "take_back"])]
    pub rename: Option<String>,
    /// The name that holds from now on
    #[arg(long, value_name = "NAME")]
    pub into: Option<String>,
    /// Nothing of this person counts any more
    #[arg(long, value_name = "NAME", requires = "by", conflicts_with = "take_back")]
    pub leave_out: Option<String>,
    /// This name stands for itself and counts again
    #[arg(long, value_name = "NAME", requires = "by")]
    pub take_back: Option<String>,
    #[command(flatten)]
    pub decision: Reasoned,
    /// Write people's names in Markdown, LaTeX and HTML too; when left out, people are A1, A2, … there
    #[arg(long)]
    pub names: bool,
    #[command(flatten)]
    pub form: TableForm,
}

pub fn run(arguments: &PeopleArguments) -> Result<()> {
    let PeopleArguments { join, rename, leave_out, take_back, into, decision, .. } = arguments;
    let named = |act: Act, name: &str| decision.amendment(act, AmendedKind::Annotator, name);
    let (name, amendment, done) = if let Some(name) = join.as_ref().or(rename.as_ref()) {
        let other = into.as_deref().unwrap_or_default();
        let amendment = Amendment { into: into.clone(), ..named(Act::Join, name)? };
        (name, amendment, format!("joined to {}", visible(other)))
    } else if let Some(name) = leave_out {
        (name, named(Act::Withdraw, name)?, "left out".to_owned())
    } else if let Some(name) = take_back {
        (name, named(Act::Restore, name)?, "taken back".to_owned())
    } else {
        return list(arguments);
    };
    let mut study = open_to_decide(&arguments.study, decision.dry_run)?;
    let newcomer = match (rename, into) {
        (Some(name), Some(into)) => Some(renamed(&study, name, into)?),
        _ => None,
    };
    let amended = study.amend(&[amendment], newcomer.as_ref(), decision.dry_run)?;
    print(&decision.told(&visible(name), &done, amended))?;
    if take_back.is_some() && !decision.dry_run {
        taken_over(&study, name)?.iter().for_each(|note| complain(note));
    }
    if leave_out.is_some() && !decision.dry_run {
        left_behind(&study)?.iter().for_each(|note| complain(note));
    }
    // Who is only given another name goes on with her login.
    let ends_access = join.is_some() || leave_out.is_some();
    if ends_access && !decision.dry_run && study.membership()?.is_some() {
        let two = "; while both names go on, the hub counts them as two people";
        let why = if leave_out.is_some() { "" } else { two };
        complain(&format!("`haymark hub remove {} --hub STUDY` ends the access{why}", quoted(name)));
    }
    Ok(())
}

/// The annotator under the new name, which must be free.
fn renamed(study: &StudyFile, name: &str, into: &str) -> Result<Annotator> {
    refuse_name(into)?;
    let all = study.annotators()?;
    let of = |name: &str| all.iter().find(|(_, annotator)| annotator.id == name);
    if of(into).is_some() {
        return Err(Error::new(format!("{into:?} is somebody in the study"))
            .in_file(study.path())
            .advise("--join makes two names one person"));
    }
    if study.everyone()?.iter().any(|(_, annotator)| annotator.id == into) {
        return Err(Error::new(format!(
            "{into:?} is the name of somebody who was joined, renamed or left out"
        ))
        .in_file(study.path())
        .advise(format!("--take-back {} lets it stand for itself again", quoted(into))));
    }
    refuse_member(study, into)?;
    let kind = of(name).map_or(AnnotatorKind::Human, |(_, annotator)| annotator.kind);
    Ok(Annotator { id: into.to_owned(), kind, meta: Meta::new() })
}

/// Refuses the name of somebody who is in on the hub, also where she has done nothing yet. Without the network nobody knows.
fn refuse_member(study: &StudyFile, into: &str) -> Result<()> {
    let Some(Membership { address, me }) = study.membership()? else { return Ok(()) };
    if me.kind != MemberKind::Lead {
        return Ok(());
    }
    let members = Address::read(&address).and_then(HubLink::to).and_then(|mut link| link.members());
    match members.is_ok_and(|members| members.iter().any(|member| member.name == into)) {
        true => Err(Error::new(format!("{into:?} is the name of a member of the hub"))
            .in_file(study.path())
            .advise("take another name; --join makes two names one person")),
        false => Ok(()),
    }
}

/// Prints the people of the study, and its amendments.
fn list(arguments: &PeopleArguments) -> Result<()> {
    let study = StudyFile::open_read_only(&arguments.study)?;
    let is_handed_on = is_handed_on(&arguments.form, arguments.names);
    NamesTold::of(&study, is_handed_on)?;
    let judged = study.judgments_of_everyone()?;
    let rows = study.annotators_by_key()?;
    let kind =
        |annotator: &Annotator| if annotator.kind == AnnotatorKind::Human { "person" } else { "model" };
    let columns = [
        Column::new("name", "name", |(_, annotator): &(_, Annotator)| annotator.id.clone()),
        Column::new("kind", "kind", move |(_, annotator): &(_, Annotator)| kind(annotator)),
        Column::new("judgments", "judgments", move |(id, _): &(_, Annotator)| {
            judged.get(id).copied().unwrap_or_default()
        }),
    ];
    let people = Table { notes: left_behind(&study)?, ..Table::of("People", columns, &rows) };
    let mut tables = vec![people];
    tables.extend(table(&study, if is_handed_on { PeopleNamed::No } else { PeopleNamed::Yes })?);
    print_tables(&tables, &arguments.form)
}
