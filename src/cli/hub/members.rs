//! `haymark hub invite`, `remove`, `members`: who may come.

use std::path::Path;

use clap::{Args, ValueEnum};

use super::{Logins, Where, is_hub};
use crate::cli::{print, print_tables};
use crate::error::{Error, ErrorKind, Result};
use crate::export::table::TableForm;
use crate::hub::{Address, Hub, HubLink, Member, MemberKind};
use crate::number::counted;
use crate::report::{Cell, Column, Table};
use crate::store::StudyFile;
use crate::study::time_of;
use crate::text::shell::quoted;
use crate::text::width::visible;

#[derive(Debug, Args)]
pub struct Invite {
    /// Her name, under which she judges. New names that the study gave people are known with a study file in --hub, and not with
    /// the address of the hub
    pub name: String,
    /// What she may do
    #[arg(long = "as", value_enum, default_value_t)]
    pub kind: MemberKindName,
    #[command(flatten)]
    pub hub: Where,
}

#[derive(Debug, Args)]
pub struct Remove {
    /// Her name, on the hub or in the study file
    pub name: String,
    #[command(flatten)]
    pub hub: Where,
}

#[derive(Debug, Args)]
pub struct Limit {
    /// Her name
    pub name: String,
    /// How much all that she does may take on the hub, in MB
    #[arg(value_name = "MB")]
    pub megabytes: u32,
    #[command(flatten)]
    pub hub: Where,
}

#[derive(Debug, Args)]
pub struct Members {
    #[command(flatten)]
    pub hub: Where,
    #[command(flatten)]
    pub form: TableForm,
}

/// What a member may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum MemberKindName {
    /// Reads everything, assigns, imports, adjudicates, and invites
    Lead,
    /// Judges, and sees what is hers and nobody else's judgments
    #[default]
    Annotator,
    /// Reads everything and writes nothing
    Observer,
}

pub fn invite(arguments: &Invite) -> Result<()> {
    let name = arguments.name.trim();
    let kind = match arguments.kind {
        MemberKindName::Lead => MemberKind::Lead,
        MemberKindName::Annotator => MemberKind::Annotator,
        MemberKindName::Observer => MemberKind::Observer,
    };
    let (mut link, study) = arguments.hub.link_and_study()?;
    // A second login of hers could not send what waits in the file of the first, and a removed one may have some waiting.
    let hers = match study {
        Some(study) => Logins::of(&study, &mut link)?.login_of(&study.person_behind(name)?),
        None => name.to_owned(),
    };
    let members = link.members()?;
    let login = members.iter().find(|member| member.name == name);
    let is_again = login.is_some();
    if hers != name && !login.is_some_and(|login| login.is_removed) {
        let invite = format!("`haymark hub invite {}{}`", quoted(&hers), arguments.hub.told());
        return Err(Error::new(format!(
            "{name:?} is {hers:?} on the hub, since both are one person in the study"
        ))
        .advise(format!("{invite} lets her in; somebody else takes another name")));
    }
    let invited = link.invite(name, kind);
    let (login, password) = invited.map_err(|error| match error.kind() {
        ErrorKind::NoRight | ErrorKind::Refused => error.also("only a lead invites: ask one"),
        _ => error,
    })?;
    print(&invitation(name, kind, &link.address().of(&login), &password, is_again))
}

/// The hub's name of somebody who is called so there or in the study. Who has another name in the study has the login of the
/// earlier one.
fn login_of(study: Option<StudyFile>, link: &mut HubLink, name: &str) -> Result<String> {
    match study {
        Some(study) => Ok(Logins::of(&study, link)?.login_of(name)),
        None => Ok(name.to_owned()),
    }
}

/// The lines that the invited person types.
fn invitation(name: &str, kind: MemberKind, address: &Address, password: &str, is_again: bool) -> String {
    let (start, line) = (quoted(&address.password_line("")), quoted(&address.password_line(password)));
    let earlier = match is_again {
        true => " Her earlier one, if any, no longer works, and the first line takes its place.",
        false => "",
    };
    let url = quoted(&address.to_string());
    let file: String =
        name.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '_' }).collect();
    let then = match kind {
        MemberKind::Annotator => format!("haymark annotate {file}.db --as {}", quoted(name)),
        _ => format!("haymark status {file}.db"),
    };
    format!(
        "{} is in, as {kind}. The password is shown once and kept nowhere; another `hub invite` makes a new one.{earlier}\n\
         She types:\n\n  \
         (umask 077; grep -svF {start} ~/.pgpass > ~/.pgpass.new; echo {line} >> ~/.pgpass.new; mv ~/.pgpass.new ~/.pgpass)\n  \
         haymark hub join {url} -o {file}.db\n  \
         {then}\n",
        visible(name)
    )
}

pub fn remove(arguments: &Remove) -> Result<()> {
    let (mut link, study) = arguments.hub.link_and_study()?;
    let login = login_of(study, &mut link, &arguments.name)?;
    let name = login.as_str();
    if !link.remove(name)? {
        let is_out = link.members()?.iter().any(|member| member.name == name && member.is_removed);
        let what = match is_out {
            true => format!("{name:?} was removed before"),
            false if link.me()?.name == name => {
                return Err(Error::new("you cannot remove yourself").advise(format!(
                    "another lead can: `haymark hub invite NAME --as lead{}` lets one in where there is none",
                    arguments.hub.told()
                )));
            }
            false => format!("nobody called {name:?} is in"),
        };
        return Err(Error::new(what).advise(arguments.hub.lists()));
    }
    print(&format!("{} is out; what she did is kept\n", visible(name)))
}

pub fn limit(arguments: &Limit) -> Result<()> {
    let Limit { name, megabytes, hub } = arguments;
    let (mut link, study) = hub.link_and_study()?;
    let name = login_of(study, &mut link, name)?;
    let hers = link.members()?.into_iter().filter(|member| member.name == name);
    let kinds: Vec<MemberKind> = hers.map(|member| member.kind).collect();
    if !kinds.contains(&MemberKind::Annotator) {
        let what = match kinds.first() {
            Some(kind) => format!("{name:?} is {kind} on the hub, and only annotators have a limit"),
            None => format!("nobody called {name:?} is in"),
        };
        return Err(Error::new(what).advise(hub.lists()));
    }
    link.limit(&name, i64::from(*megabytes) << 20)?;
    print(&format!("{} may send {megabytes} MB\n", visible(&name)))
}

pub fn list(arguments: &Members) -> Result<()> {
    print_tables(&[table(&mut arguments.hub.link()?)?], &arguments.form)
}

/// The members of a hub that is named in the place of a study file, where the login may see them.
pub fn members_of(place: &Path) -> Result<Option<Table>> {
    if !is_hub(place) {
        return Ok(None);
    }
    let mut link = HubLink::to(Address::read(&place.to_string_lossy())?)?;
    if !link.me()?.kind.sees_all() {
        return Ok(None);
    }
    table(&mut link).map(Some)
}

fn table(link: &mut HubLink) -> Result<Table> {
    let members = link.members()?;
    let state = |member: &Member| if member.is_removed { "removed" } else { "in" };
    let last = |member: &Member| member.last.and_then(|at| time_of(at / 1_000 * 1_000));
    // A clock that was set back gives less than nothing, and no time at all is shown as none.
    let idle = |member: &Member| member.idle.map(|idle| Cell::Seconds(idle.max(1) as f64));
    let columns = [
        Column::new("name", "name", |member: &Member| visible(&member.name).into_owned()),
        Column::new("kind", "kind", |member: &Member| member.kind.name()),
        Column::new("state", "state", state),
        Column::new("events", "events", |member: &Member| counted(member.events)),
        Column::new("idle", "last sent before", idle).right(),
        Column::new("last", "last sent", last).detail(),
        Column::new("login", "login", |member: &Member| member.login.clone()).spare(),
    ];
    let title = format!("Members of the hub at {}", link.address().place());
    Ok(Table::of(title, columns, &members).keyed("members"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_is_what_a_shell_takes() {
        let address = Address::read("postgres://hm_1_2@db.example.org:6000/team").expect("an address");
        let told = invitation("O'Hara", MemberKind::Annotator, &address, "abc", false);
        assert_eq!(
            told,
            "O'Hara is in, as annotator. The password is shown once and kept nowhere; another `hub invite` makes a new one.\n\
             She types:\n\n  \
             (umask 077; grep -svF db.example.org:6000:team:hm_1_2: ~/.pgpass > ~/.pgpass.new; \
             echo db.example.org:6000:team:hm_1_2:abc >> ~/.pgpass.new; mv ~/.pgpass.new ~/.pgpass)\n  \
             haymark hub join postgres://hm_1_2@db.example.org:6000/team -o O_Hara.db\n  \
             haymark annotate O_Hara.db --as 'O'\\''Hara'\n"
        );
        let told = invitation("bora", MemberKind::Annotator, &address, "abc", true);
        assert!(told.contains("Her earlier one, if any, no longer works"), "{told}");
    }
}
