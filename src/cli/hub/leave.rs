//! `haymark hub leave`: a study file goes on without its hub.

use std::path::PathBuf;

use clap::Args;

use super::exchange::exchange;
use crate::cli::{complain, print};
use crate::error::Result;
use crate::hub::{Address, HubLink};
use crate::number::number_of;
use crate::store::StudyFile;
use crate::text::width::visible;

#[derive(Debug, Args)]
pub struct Leave {
    /// The study file
    pub study: PathBuf,
}

pub fn run(arguments: &Leave) -> Result<()> {
    let mut study = StudyFile::open(&arguments.study)?;
    let file = arguments.study.display();
    let membership = study.membership_or("there is nothing to leave")?;
    let sent = Address::read(&membership.address)
        .and_then(HubLink::to)
        .and_then(|mut link| exchange(&mut study, &mut link));
    if let Err(error) = sent {
        complain(&format!("nothing was sent: {}", error.what()));
    }
    let (unsent, held) = (study.only_here()?, study.groups_held()?);
    study.forget_hub()?;
    print(&format!("{file} has no hub any more, and holds what it held\n"))?;
    if held > 0 {
        let (name, are) = (visible(&membership.me.name), if held == 1 { "is" } else { "are" });
        complain(&format!(
            "{} that the hub handed out to {name} {are} not done, and no more in the queue of {file}: others get them four hours \
             after {name} last sent something, or at once where a lead takes them back by `haymark assign STUDY --dynamic --remove NAME`",
            number_of(held, "group")
        ));
    }
    if unsent > 0 {
        complain(&format!(
            "{unsent} of the things that were done did not go from {file} to the hub; they are in it"
        ));
    }
    Ok(())
}
