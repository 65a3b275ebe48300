//! `haymark hub create`: the tables, and all that the study holds.

use std::path::PathBuf;

use clap::Args;

use super::exchange::exchange;
use crate::cli::{complain, print};
use crate::error::{Error, Result};
use crate::hub::{Address, Founding, Hub, HubLink, Made, Me, MemberKind};
use crate::store::{Membership, StudyFile};
use crate::text::shell::quoted;

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
    let known = study.membership()?;
    // If the hub was made before, sending the study may have been cut off, or its answer lost.
    let is_ours = |link: &mut HubLink, known: &Membership| {
        link.me().map(|me| me.study == known.me.study).unwrap_or(known.address == address.to_string())
    };
    if let Some(known) = known.as_ref().filter(|known| !is_ours(&mut link, known)) {
        // Of a server that does not answer nobody knows whose hub is there.
        link.connect()?;
        return Err(Error::new(format!("the study has another hub: {}", known.address))
            .advise(
                "name the study of this hub; one that moves here is restored here first; `haymark hub leave` forgets the other one",
            )
            .in_file(&arguments.study));
    }
    let is_made = known.is_some() && link.me().is_ok();
    if is_made {
        link.set_rights()?;
    } else if let Some(version) = found(&mut study, &mut link, arguments, known.as_ref())? {
        print(&format!("took the hub at {} along from version {version}\n", address.place()))?;
        if known.is_none() {
            return Ok(());
        }
    }
    let place = address.place();
    if let Some(Membership { address: before, me }) = known
        && before != address.to_string()
        && link.me()?.name == me.name
    {
        // The same hub on another server: whatever goes by the file goes there from now on.
        study.remember_hub(&Membership { address: address.to_string(), me }, false)?;
        let before = Address::read(&before).map_or(before, |before| before.place());
        print(&format!("{} goes by the hub at {place} from now on, not {before}\n", study.path().display()))?;
    }
    let exchanged = exchange(&mut study, &mut link)?;
    let (file, sent) = (study.path().display(), exchanged.sent);
    print(&format!("{file} is on the hub at {place}: {sent} sent\n"))?;
    if address.has_password() {
        complain("the password is kept nowhere; PGPASSWORD or ~/.pgpass says it the next time");
    }
    let hub = quoted(&file.to_string());
    complain(&format!("`haymark hub invite NAME --hub {hub}` lets people in"));
    Ok(())
}

/// Makes the hub; or brings an older one up to date, and returns its version. A new hub is noted in the file before it is
/// made: wherever the run is cut off, nobody is let in who sees systems that are to be hidden.
fn found(
    study: &mut StudyFile,
    link: &mut HubLink,
    arguments: &Create,
    known: Option<&Membership>,
) -> Result<Option<usize>> {
    let mut founding = Founding::of(&arguments.lead, !arguments.show_systems)?;
    if let Some(Membership { me, .. }) = known {
        founding =
            Founding { lead: me.name.clone(), study: me.study.clone(), hides_systems: me.hides_systems };
    }
    let Founding { lead, study: key, hides_systems } = founding.clone();
    let me = Me { study: key, name: lead, kind: MemberKind::Lead, hides_systems };
    let membership = Membership { address: link.address().to_string(), me };
    let made = link.found(&founding, &mut || study.remember_hub(&membership, hides_systems));
    match made {
        Ok(Made::Older(version)) => Ok(Some(version)),
        Ok(Made::New) => Ok(None),
        // The server has taken back all that was made.
        Err(error) if known.is_none() && error.is_refusal() => {
            study.forget_hub()?;
            Err(error)
        }
        Err(error) => Err(error),
    }
}
