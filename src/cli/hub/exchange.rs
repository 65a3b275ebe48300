//! A study and its hub become the same, once, while somebody looks on.

use crate::cli::progress::Shown;
use crate::error::Result;
use crate::hub::Hub;
use crate::store::{Ahead, Exchange, Exchanged, StudyFile, SyncPace, Take};

/// Exchanges everything; says how far it is where a person looks.
///
/// # Errors
/// Those of the hub and of the file. What was exchanged so far stays.
pub fn exchange(study: &mut StudyFile, hub: &mut dyn Hub) -> Result<Exchanged> {
    let shown = Shown::begin("exchanging with the hub", "nothing was exchanged");
    Exchange::default().run(study, hub, SyncPace::Whole, &mut |so_far: Exchanged| {
        shown.done(format!(
            "{} fetched, {} sent; `haymark sync` goes on from there",
            so_far.fetched, so_far.sent
        ));
    })
}

/// Takes work ahead of what the hub hands out to this file's member, after an exchange. Gives how far it
/// reaches, by protocol.
///
/// # Errors
/// Those of the hub and of the file.
pub fn take_work(
    study: &mut StudyFile,
    hub: &mut dyn Hub,
    protocols: Vec<String>,
) -> Result<Vec<(String, Ahead)>> {
    let mut taken = Vec::new();
    for protocol in protocols {
        let ahead = Exchange::default().work(study, hub, &protocol, Take::AndHold)?;
        taken.extend(ahead.map(|ahead| (protocol, ahead)));
    }
    Ok(taken)
}
