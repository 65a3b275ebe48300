//! `haymark hub create`: the tables, and all that the study holds.

use std::path::PathBuf;

use clap::Args;

use super::exchange::exchange;
use crate::cli::output::{complain, print};
use crate::error::Result;
use crate::hub::{Address, Hub, HubLink, Made};
use crate::store::{Membership, StudyFile};

#[derive(Debug, Args)]
pub struct Create {
    /// The database, which holds nothing else: postgres://NAME@host/database
    pub url: String,
    /// The study file
    pub study: PathBuf,
    /// Your name in the study, as its lead
    #[arg(long = "as", value_name = "NAME", default_value = "lead")]
    pub lead: String,
    /// Let annotators see which system wrote what; without it they get an alias for each
    #[arg(long)]
    pub show_systems: bool,
}

pub fn run(arguments: &Create) -> Result<()> {
    let mut study = StudyFile::open(&arguments.study)?;
    let address = Address::read(&arguments.url)?;
    let mut link = HubLink::to(address.clone())?;
    // If the hub was made before, sending the study may have been cut off.
    let known = study.membership()?;
    let is_ours = known.is_some_and(|known| link.me().is_ok_and(|me| me.study == known.me.study));
    let made = match is_ours {
        true => None,
        false => Some(link.create(&arguments.lead)?),
    };
    if let Some(Made::Older(version)) = made {
        return print(&format!("took the hub at {} along from version {version}\n", address.place()));
    }
    let membership = Membership { address: address.to_string(), me: link.me()? };
    study.remember_hub(&membership, !arguments.show_systems)?;
    let exchanged = exchange(&mut study, &mut link)?;
    let file = study.path().display();
    let (place, sent) = (address.place(), exchanged.sent);
    print(&format!("{file} is on the hub at {place}: {sent} sent\n"))?;
    if address.has_password() {
        complain("the password is kept nowhere; PGPASSWORD or ~/.pgpass says it the next time");
    }
    complain(&format!("`haymark hub invite NAME --hub {file}` lets people in"));
    Ok(())
}
