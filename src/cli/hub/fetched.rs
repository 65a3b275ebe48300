//! A hub in the place of a study file: a file of the person's own that is brought up to date, then read as any other.

use std::path::{Path, PathBuf};

use super::exchange::exchange;
use crate::cli::output::complain;
use crate::error::{Error, Result, cannot_write};
use crate::files::make_folders;
use crate::hub::{Address, Hub, HubLink, Me};
use crate::store::{Membership, StudyFile};
use crate::text::hash::fingerprint;

/// Opens a study file; or, for a hub, a file of the person's own, after an exchange with the hub.
pub fn open_study(place: &Path) -> Result<StudyFile> {
    if !is_hub(place) {
        return StudyFile::open(place);
    }
    let address = Address::read(&place.to_string_lossy())?;
    let mut link = HubLink::to(address.clone())?;
    let me = link.me()?;
    if !me.kind.sees_all() {
        complain(&format!("{} is an annotator there: what others judged is not among it", me.name));
    }
    let path = kept(&me)?;
    if !path.exists() {
        make(&path, &Membership { address: address.to_string(), me })?;
    }
    let mut study = StudyFile::open(&path)?;
    exchange(&mut study, &mut link)?;
    Ok(study)
}

/// Whether the place of a study file names a hub.
pub fn is_hub(place: &Path) -> bool {
    place.to_str().is_some_and(Address::is_one)
}

/// Makes the file of a member, with nothing in it yet.
pub fn make(path: &Path, membership: &Membership) -> Result<()> {
    // Whether systems are hidden comes with the things on the hub.
    match StudyFile::create_with(path, |study| study.remember_hub(membership, false)) {
        // A file that another haymark made meanwhile stays.
        Err(_) if path.exists() => Ok(()),
        done => done,
    }
}

/// The file for what was fetched for a member. It can be removed at any time.
fn kept(me: &Me) -> Result<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "haymark").ok_or_else(|| {
        Error::new("your cache folder is not known, because there is no home folder").advise("set HOME")
    })?;
    let folder = folders.cache_dir().join("hubs");
    make_folders(&folder).map_err(|error| cannot_write(error).in_file(&folder))?;
    let study: String = me.study.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(folder.join(format!("{}.db", fingerprint([study.as_str(), &me.name, me.kind.name()]))))
}
