//! The protocols of a study: the built-in ones and its own.

use crate::error::{Error, Result, Topic};
use crate::protocol::{Protocol, builtins};
use crate::store::{StudyFile, VersionsRead};
use crate::study::AnnotatorId;
use crate::text::near::nearest;
use crate::text::person::renamed_behind;

/// The current version of the protocol with this name: the study's own, else the built-in one.
///
/// # Errors
/// There is no such protocol (usage, with the known names), or the study cannot be read.
pub fn find(study: &StudyFile, name: &str) -> Result<Protocol> {
    match study.protocol(name)? {
        Some(mut protocol) => {
            tell(study, std::slice::from_mut(&mut protocol))?;
            Ok(protocol)
        }
        None => Err(unknown(name, &all(study)?)),
    }
}

/// All protocols: first the built-in ones, then the study's own in the order in which they were added.
pub fn all(study: &StudyFile) -> Result<Vec<Protocol>> {
    let mut own = study.own_protocols()?;
    tell(study, &mut own)?;
    let is_own = |name: &str| own.iter().any(|protocol| protocol.name == name);
    let mut protocols: Vec<Protocol> =
        builtins().iter().filter(|protocol| !is_own(&protocol.name)).cloned().collect();
    protocols.extend(own);
    Ok(protocols)
}

/// Gives the people named in scores the names that the study knows.
fn tell(study: &StudyFile, protocols: &mut [Protocol]) -> Result<()> {
    let named = protocols.iter_mut().filter(|protocol| !protocol.scores.is_empty()).collect::<Vec<_>>();
    if named.is_empty() {
        return Ok(());
    }
    let names = study.names_told()?;
    for protocol in named {
        protocol.scores = protocol.scores.worded(|filter| renamed_behind("@", filter, names.iter()));
    }
    Ok(())
}

/// The protocol with this name, or all protocols.
pub fn named_or_all(study: &StudyFile, name: Option<&str>) -> Result<Vec<Protocol>> {
    name.map_or_else(|| all(study), |name| Ok(vec![find(study, name)?]))
}

/// The error for a protocol that is not among the known ones.
pub fn unknown(name: &str, known: &[Protocol]) -> Error {
    let names: Vec<&str> = known.iter().map(|protocol| protocol.name.as_str()).collect();
    let error = Error::usage(format!("there is no protocol {name:?}")).under(Topic::Protocols);
    match nearest(name, names.iter().copied()) {
        Some(near) => error.advise(format!("did you mean {near}?")),
        None => error.advise(format!("there are {}", names.join(", "))),
    }
}

/// The versions whose answers count: the current one, or all.
pub fn counted(protocol: &Protocol, all_versions: bool) -> VersionsRead {
    if all_versions { VersionsRead::All } else { VersionsRead::Only(protocol.version) }
}

/// A note on judgments under other versions, if there are any.
pub fn version_note(
    study: &StudyFile,
    protocol: &Protocol,
    all_versions: bool,
    is_chosen: impl Fn(AnnotatorId) -> bool,
) -> Result<Option<String>> {
    let mut others = study.judgments_under_other_versions(protocol)?;
    others.retain(|count| is_chosen(count.annotator));
    let judgments: usize = others.iter().map(|count| count.judgments).sum();
    if judgments == 0 {
        return Ok(None);
    }
    let mut numbers: Vec<u32> = others.iter().map(|count| count.version).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
    let (subject, verb) = if judgments == 1 { ("judgment", "is") } else { ("judgments", "are") };
    let age =
        if others.iter().all(|count| count.version < protocol.version) { "an older" } else { "another" };
    let subject =
        format!("{judgments} {subject} under {age} version of {:?} ({})", protocol.name, numbers.join(", "));
    Ok(Some(if all_versions {
        format!(
            "{subject} {verb} counted together with those under version {}; what a version did not ask is in no share of it.",
            protocol.version
        )
    } else {
        format!("{subject} {verb} left out; --all-versions mixes them with version {}.", protocol.version)
    }))
}
