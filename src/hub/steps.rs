//! The tables of a hub, version by version.

use super::address::Address;
use crate::error::{Error, Result};

/// The step to version n stands at n - 1. Steps are added, never changed: hubs in use were made by them. Each is one
/// transaction and writes its number into `hub.meta`.
pub(super) const STEPS: &[&str] = &[include_str!("schema_1.sql"), include_str!("schema_3.sql")];

/// A step's statements for one hub, whose roles bear its id.
pub(super) fn filled(step: &str, hub: &str) -> String {
    let roles = ["owner", "gate", "member", "reader", "inviter"];
    let step = roles.iter().fold(step.to_owned(), |step, role| {
        step.replace(&format!("{{{role}}}"), &format!("hm_{hub}_{role}"))
    });
    step.replace("{hub}", hub)
}

/// Refuses a hub whose tables this program does not know.
pub(super) fn refuse_other(version: &str, address: &Address) -> Result<()> {
    match version.parse::<usize>() {
        Ok(version) if version == STEPS.len() => Ok(()),
        Ok(version) if version < STEPS.len() => Err(Error::other_version(format!(
            "the hub at {} is of an older haymark",
            address.place()
        ))
        .advise(
            "its lead runs `haymark hub create` once more, which takes it along; work goes on in the file",
        )),
        _ => Err(Error::other_version(format!("the hub at {} is of a newer haymark", address.place()))
            .advise("install the newest haymark; until then work goes on in the file")),
    }
}
