//! A study and its hub become the same, once, while somebody looks on.

use std::io::{self, IsTerminal, Write};

use crate::error::Result;
use crate::hub::Hub;
use crate::store::{Ahead, Exchange, Exchanged, StudyFile, SyncPace, Take};

/// Exchanges everything; says how far it is where a person looks.
///
/// # Errors
/// Those of the hub and of the file. What was exchanged so far stays.
pub fn exchange(study: &mut StudyFile, hub: &mut dyn Hub) -> Result<Exchanged> {
    let mut err = io::stderr();
    let is_seen = err.is_terminal();
    let mut told = |so_far: Exchanged| {
        if is_seen {
            let _ = write!(err, "\r{} fetched, {} sent", so_far.fetched, so_far.sent);
        }
    };
    let outcome = Exchange::default().run(study, hub, SyncPace::Whole, &mut told);
    if is_seen {
        let _ = write!(io::stderr(), "\r{:50}\r", "");
    }
    outcome
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
