//! One exchange between a study and its hub, with progress for whoever looks on.

use crate::cli::Shown;
use crate::error::Result;
use crate::hub::Hub;
use crate::store::{Ahead, Exchange, Exchanged, StudyFile, SyncPace, Take};

/// Exchanges everything, with progress in a terminal. After an error, what was exchanged so far stays.
pub fn exchange(study: &mut StudyFile, hub: &mut dyn Hub) -> Result<Exchanged> {
    let shown = Shown::begin("exchanging with the hub", "nothing was exchanged");
    Exchange::default().run(study, hub, SyncPace::Whole, &mut |so_far: Exchanged| {
        shown.done(format!(
            "{} fetched, {} sent; `haymark sync` goes on from there",
            so_far.fetched, so_far.sent
        ));
    })
}

/// Takes ahead the work that the hub hands out to this file's member, after an exchange. Returns how far it reaches, by
/// protocol.
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
