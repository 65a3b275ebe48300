//! A hub in the place of a study file: a file of the person's own that is brought up to date, then read as any other.

use std::path::{Path, PathBuf};

use super::exchange::exchange;
use crate::cli::complain;
use crate::error::{Error, ErrorKind, Result, cannot_write};
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

/// Names the hub in an error about the file for what was fetched from it, which nobody made.
pub fn about_hub(error: Error) -> Error {
    // What is wrong with the file itself is said of the file.
    let is_of_hub = matches!(error.kind(), ErrorKind::Failed | ErrorKind::Usage | ErrorKind::Nothing);
    let is_kept = |file: &&Path| is_of_hub && folder().is_ok_and(|own| file.starts_with(own));
    let named = error.file().filter(is_kept);
    let of = named.and_then(|file| StudyFile::open_read_only(file).ok()?.membership().ok()?);
    match of.and_then(|of| Address::read(&of.address).ok()) {
        Some(address) => error.of_file(format!("the hub at {}", address.place())),
        None => error,
    }
}

/// The folder of files for what was fetched. They can be removed at any time.
fn folder() -> Result<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "haymark").ok_or_else(|| {
        Error::new("your cache folder is not known, because there is no home folder").advise("set HOME")
    })?;
    Ok(folders.cache_dir().join("hubs"))
}

/// The file for what was fetched for a member.
fn kept(me: &Me) -> Result<PathBuf> {
    let folder = folder()?;
    make_folders(&folder).map_err(|error| cannot_write(error).in_file(&folder))?;
    let study: String = me.study.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(folder.join(format!("{}.db", fingerprint([study.as_str(), &me.name, me.kind.name()]))))
}
