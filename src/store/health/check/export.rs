//! Checks that everything can be read for an export, and that an import would take it back.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::CheckReport;
use crate::error::Result;
use crate::number::number_of;
use crate::protocol::{Answers, Protocol};
use crate::store::corpus::protocols;
use crate::store::file::{StudyFile, Tried};
use crate::study::{Judgment, TargetKeys};
use crate::text::bullets::bullets;

/// Protocols by name and version.
type KnownProtocols = HashMap<(String, Option<u32>), Option<Protocol>>;
/// Numbers of bullets by collection, query and candidate.
type Bullets = HashMap<(String, String, String), usize>;

pub(super) fn look_at(study: &StudyFile, report: &mut CheckReport) -> Tried<()> {
    let numbers: Bullets = study
        .candidates()?
        .into_iter()
        .map(|(_, it)| ((it.collection, it.query, it.id), bullets(&it.text).len()))
        .collect();
    let mut documents = 0;
    study.for_each_document(|_, _| {
        documents += 1;
        Ok(())
    })?;
    let units = study.units()?.len();
    // These are read only to see that they can be.
    study.collections()?;
    study.queries()?;
    study.annotators()?;
    study.for_each_session(|_| Ok(()))?;
    let mut known = KnownProtocols::new();
    let (mut judgments, mut refused, mut first, mut whose) = (0, 0, None, BTreeSet::new());
    // Each set of answers under a version is checked once for candidates with equally many bullets.
    let (mut protocol, mut places, mut taken) = (String::new(), Vec::new(), HashSet::new());
    study.for_each_stated(|stated| {
        judgments += 1;
        if protocol != stated.protocol() {
            stated.protocol().clone_into(&mut protocol);
            places.clear();
            taken.clear();
        }
        let place = stated.rank as usize;
        if places.len() <= place {
            places.resize(place + 1, None);
        }
        let bullets = *places[place].get_or_insert_with(|| {
            let TargetKeys { collection, query, candidate, .. } = stated.about();
            numbers.get(&(collection, query, candidate.unwrap_or_default())).copied().unwrap_or_default()
        });
        let alike = (stated.version, stated.set, bullets);
        if taken.contains(&alike) {
            return Ok(());
        }
        let judgment = stated.record();
        let why = refusal(study, &mut known, bullets, &judgment)?;
        if why.is_none() {
            taken.insert(alike);
        }
        if let Some(why) = why {
            refused += 1;
            whose.insert(judgment.annotator);
            first.get_or_insert(why);
        }
        Ok(())
    })?;
    if let Some(first) = first {
        let what = format!("{} that an import would refuse", number_of(refused, "judgment"));
        let (found, advice) = (
            ("export", &*what, &*format!(", such as {first}")),
            "judge these items again, or update haymark",
        );
        return report.misfits(&study.connection, found, &whose, advice);
    }
    report.right(
        "export",
        format!(
            "it would hold {}, {}, {} and {}",
            number_of(documents, "document"),
            number_of(units, "unit"),
            number_of(numbers.len(), "candidate"),
            number_of(judgments, "judgment")
        ),
    );
    Ok(())
}

/// The reason why an import would refuse the judgment, if it would.
fn refusal(
    study: &StudyFile,
    known: &mut KnownProtocols,
    bullets: usize,
    judgment: &Judgment,
) -> Result<Option<String>> {
    let who = || format!("{} under {:?}", judgment.annotator, judgment.protocol);
    let asked = (judgment.protocol.clone(), judgment.version);
    if !known.contains_key(&asked) {
        let protocol = study.read(|connection| match judgment.version {
            Some(version) => protocols::find_version(connection, &judgment.protocol, version),
            None => protocols::find(connection, &judgment.protocol),
        })?;
        known.insert(asked.clone(), protocol);
    }
    let Some(Some(protocol)) = known.get(&asked) else {
        return Ok(Some(format!("{}: the study does not have that version", who())));
    };
    let mut answers = Answers::new();
    for (key, value) in &judgment.answers {
        let Some(answer) = protocol.answer_from_json(key, value) else {
            return Ok(Some(format!("{}: {value} is no answer to {key:?}", who())));
        };
        answers.insert(key.clone(), answer);
    }
    if answers.is_empty() {
        return Ok(None);
    }
    let violation = protocol.violations(&answers, bullets).into_iter().find(|it| it.is_fatal());
    Ok(violation.map(|violation| format!("{}: {violation}", who())))
}
