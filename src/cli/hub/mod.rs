//! `haymark hub`: the server that a team shares. The server's side is in `hub`, the exchange with it in `store`.

mod check;
mod create;
mod exchange;
mod fetched;
mod join;
mod leave;
mod logins;
mod members;

use std::path::Path;

use clap::Subcommand;

pub use exchange::{exchange, take_work};
pub use fetched::{about_hub, is_hub, open_study};
pub use join::{say_held, say_only_here, sync};
pub use logins::Logins;
pub use members::members_of;

use crate::error::Result;
use crate::hub::{Address, HubLink};
use crate::store::StudyFile;
use crate::text::shell::quoted;

#[derive(Debug, Subcommand)]
pub enum HubCommand {
    /// Make the hub of a study in an empty PostgreSQL database, and send the study there
    Create(create::Create),
    /// Let somebody in, or in again with a new password, and print what she types
    Invite(members::Invite),
    /// Make a file of your own for a study that is on a hub
    Join(join::Join),
    /// End somebody's access; what she did is kept
    Remove(members::Remove),
    /// List who is in, who was, and when each last sent what she judged or wrote
    Members(members::Members),
    /// Say how much an annotator may send: 256 MB where nothing was said
    Limit(members::Limit),
    /// Look at how a hub is: rights, connections, size, backups, and what does not fit into a file
    Check(check::HubCheck),
    /// Forget the hub of a study file, after sending what still waits there; the file is the whole of what is in it
    Leave(leave::Leave),
}

pub fn run(command: &HubCommand) -> Result<()> {
    match command {
        HubCommand::Create(arguments) => create::run(arguments),
        HubCommand::Invite(arguments) => members::invite(arguments),
        HubCommand::Join(arguments) => join::run(arguments),
        HubCommand::Remove(arguments) => members::remove(arguments),
        HubCommand::Members(arguments) => members::list(arguments),
        HubCommand::Limit(arguments) => members::limit(arguments),
        HubCommand::Check(arguments) => check::run(arguments),
        HubCommand::Leave(arguments) => leave::run(arguments),
    }
}

/// Which hub is meant.
#[derive(Debug, clap::Args)]
pub struct Where {
    /// The hub, or a study file that has one; when left out, study.db where it is here, else what PGHOST, PGDATABASE,
    /// PGSERVICE and the like say
    #[arg(long = "hub", value_name = "URL|STUDY")]
    pub hub: Option<String>,
}

impl Where {
    /// What a command that is told has to say of the hub.
    fn told(&self) -> String {
        self.hub.as_deref().map_or_else(String::new, |place| format!(" --hub {}", quoted(place)))
    }

    fn lists(&self) -> String {
        format!("`haymark hub members{}` lists who is in", self.told())
    }

    /// The link to the hub.
    pub fn link(&self) -> Result<HubLink> {
        Ok(self.link_and_study()?.0)
    }

    /// The link to the hub, and the study file by which it is named, if it is.
    pub fn link_and_study(&self) -> Result<(HubLink, Option<StudyFile>)> {
        let usual = || if Path::new("study.db").exists() { "study.db" } else { "postgres://" };
        let place = self.hub.as_deref().unwrap_or_else(usual);
        if Address::is_one(place) {
            return Ok((HubLink::to(Address::read(place)?)?, None));
        }
        let advice = "name the hub, or a study file that has one: --hub postgres://… or --hub FILE";
        let study = StudyFile::open(Path::new(place))?;
        let address = Address::read(&study.membership_or(advice)?.address)?;
        Ok((HubLink::to(address)?, Some(study)))
    }
}
