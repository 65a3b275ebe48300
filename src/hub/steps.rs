//! The tables of a hub, version by version.

use super::address::Address;
use crate::error::{Error, Result};

/// The step to version n stands at n - 1. Steps are added, never changed: hubs in use were made by them. Each is one
/// transaction and writes its number into `hub.meta`.
pub(super) const STEPS: &[&str] = &[
    include_str!("schema_1.sql"),
    include_str!("schema_2.sql"),
    include_str!("schema_3.sql"),
    include_str!("schema_4.sql"),
    include_str!("schema_5.sql"),
];

/// Joins steps to one transaction, so that a hub is never between versions. For an existing hub, the login is given the
/// owner's roles for as long as the transaction takes.
pub(super) fn joined(steps: &[&str], is_new: bool) -> String {
    let lines =
        steps.iter().flat_map(|step| step.lines()).filter(|line| !matches!(*line, "begin;" | "commit;"));
    let owns = if is_new { "" } else { "grant {owner}, {gate}, {inviter} to current_user;" };
    let steps = lines.collect::<Vec<_>>().join("\n");
    format!(
        "begin;\n{owns}\n{steps}\nreset role;\nrevoke {{owner}}, {{gate}}, {{inviter}} from current_user;\ncommit;"
    )
}

/// A step's statements for one hub, whose roles bear its id.
pub(super) fn filled(step: &str, hub: &str) -> String {
    let roles = ["owner", "gate", "member", "reader", "inviter"];
    let step = roles.iter().fold(step.to_owned(), |step, role| {
        step.replace(&format!("{{{role}}}"), &format!("hm_{hub}_{role}"))
    });
    step.replace("{hub}", hub)
}

/// Refuses a hub that does not serve a program of `own` steps. `version` is the version of the hub's tables, `oldest` the
/// version of the oldest program that it serves; without `oldest`, the hub serves its own version.
pub(super) fn refuse_other(own: usize, version: &str, oldest: Option<&str>, address: &Address) -> Result<()> {
    let oldest = oldest.unwrap_or(version).parse::<usize>();
    match (version.parse::<usize>(), oldest) {
        (Ok(version), _) if version < own => Err(Error::other_version(format!(
            "the hub at {} is of an older haymark",
            address.place()
        ))
        .advise(
            "its lead runs `haymark hub create` once more, which takes it along; work goes on in the file",
        )),
        (Ok(_), Ok(oldest)) if oldest <= own => Ok(()),
        _ => Err(Error::other_version(format!(
            "the hub at {} wants a newer haymark than this one",
            address.place()
        ))
        .advise("install the newest haymark; until then work goes on in the file")),
    }
}
