//! `haymark hub join`: a member's own file of a study that is on a hub.

use std::path::{Path, PathBuf};

use clap::Args;

use super::exchange::{exchange, take_work};
use super::fetched::make;
use crate::cli::{complain, print};
use crate::error::{Error, ErrorKind, Result};
use crate::hub::{Address, Hub, HubLink, MemberKind};
use crate::number::number_of;
use crate::store::{Ahead, Exchanged, HeldThings, Membership, StudyFile};
use crate::text::shell::quoted;
use crate::text::width::visible;

#[derive(Debug, Args)]
pub struct Join {
    /// The hub, as whoever invited you wrote it: postgres://NAME@host/database
    pub url: String,
    /// The study file to make
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

pub fn run(arguments: &Join) -> Result<()> {
    let path = &arguments.output;
    if path.symlink_metadata().is_ok() {
        return Err(Error::new("there is a file of this name already")
            .advise(
                "choose another name; `haymark sync FILE` brings a file that has a hub up to date; where its login no longer \
                 works, join with a new file, then `haymark merge NEW.db FILE` and `haymark sync NEW.db` bring what is in it",
            )
            .in_file(path));
    }
    let address = Address::read(&arguments.url)?;
    let mut link = HubLink::to(address.clone())?;
    let me = link.me()?;
    make(path, &Membership { address: address.to_string(), me: me.clone() })?;
    let mut study = StudyFile::open(path)?;
    exchange(&mut study, &mut link).map_err(|error| {
        if error.kind() == ErrorKind::Stopped {
            return error;
        }
        let what = format!("{}; {} is there, with what came so far", error.what(), path.display());
        let file = quoted(&path.display().to_string());
        Error::unreachable(what).advise(format!("`haymark sync {file}` fetches the rest"))
    })?;
    let works = study.takes_work_of()?;
    let taken = take_work(&mut study, &mut link, works)?;
    let file = path.display();
    let holds = [
        number_of(study.document_heads()?.len(), "document"),
        number_of(study.units()?.len(), "unit"),
        number_of(study.candidates()?.len(), "candidate"),
    ];
    let (name, to) = (visible(&me.name), quoted(&file.to_string()));
    let then = match me.kind {
        MemberKind::Annotator => format!("haymark annotate {to} --as {}", quoted(&me.name)),
        _ => format!("haymark status {to}"),
    };
    print(&format!(
        "made {file}, the file of {name} ({}) on the hub at {}: {}\n  `{then}` goes on in it\n",
        me.kind,
        address.place(),
        holds.join(", "),
    ))?;
    say_taken(&taken)?;
    if address.has_password() {
        complain("the password is kept nowhere; PGPASSWORD or ~/.pgpass says it the next time");
    }
    say_held(&study)
}

/// Makes a study and its hub the same, once.
pub fn sync(path: &Path) -> Result<()> {
    let mut study = StudyFile::open(path)?;
    let membership = study.membership_or(
        "name the other file to sync it with, or make a hub: `haymark hub create URL STUDY`",
    )?;
    let address = Address::read(&membership.address)?;
    let mut link = HubLink::to(address.clone())?;
    let outcome = exchange(&mut study, &mut link);
    if outcome.is_err() {
        say_only_here(path)?;
    }
    let Exchanged { new, sent, .. } = outcome?;
    let works = study.takes_work_of()?;
    let taken = take_work(&mut study, &mut link, works)?;
    let waiting = match study.waiting_for_hub()? {
        0 => String::new(),
        1 => "; 1 waits".to_owned(),
        waiting => format!("; {waiting} wait"),
    };
    print(&format!(
        "{} and the hub at {}: {new} new here, {sent} sent{waiting}\n",
        path.display(),
        address.place()
    ))?;
    say_taken(&taken)?;
    say_not_hers(&study, &membership)?;
    say_held(&study)
}

/// Says how much of a study waits in its file that is not its member's to send.
fn say_not_hers(study: &StudyFile, membership: &Membership) -> Result<()> {
    let others = study.others_waiting_for_hub()?;
    if others > 0 {
        let name = visible(&membership.me.name);
        let are = if others == 1 { "is" } else { "are" };
        complain(&format!(
            "{others} more in the file {are} not {name}'s to send: whoever did it joins with a file of her own and \
             merges this one into it, or a lead merges it into hers; what a lead decides, a lead does again"
        ));
    }
    Ok(())
}

/// Says how much there is to judge of what the hub hands out.
fn say_taken(taken: &[(String, Ahead)]) -> Result<()> {
    for (protocol, Ahead { open, came, .. }) in taken {
        print(&match (open, came) {
            (0, _) => format!("{protocol}: the hub has no more work now\n"),
            (1, _) => format!("{protocol}: 1 item is here to judge\n"),
            _ => format!("{protocol}: {open} items are here to judge\n"),
        })?;
    }
    Ok(())
}

/// Says how much of a study is in its file and not on its hub, and how it gets there.
pub fn say_only_here(path: &Path) -> Result<()> {
    let study = StudyFile::open(path)?;
    let Some(membership) = study.membership()? else { return Ok(()) };
    say_not_hers(&study, &membership)?;
    let file = path.display();
    let what = match study.waiting_for_hub()? {
        0 => return Ok(()),
        1 => "1 thing that was done is".to_owned(),
        many => format!("{many} things that were done are"),
    };
    let sync = quoted(&file.to_string());
    complain(&format!("{what} only in {file} yet: `haymark sync {sync}` sends"));
    Ok(())
}

/// Says which things came and could not be taken in, and whose they are.
pub fn say_held(study: &StudyFile) -> Result<()> {
    for HeldThings { sender, why, count } in study.held_from_hub()? {
        let what = number_of(count, "thing");
        let whose = sender.map_or_else(|| "a lead".to_owned(), |name| visible(&name).into_owned());
        complain(&format!("{what} of {whose} on the hub is kept aside until it fits: {why}"));
    }
    Ok(())
}
