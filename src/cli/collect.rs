//! `haymark collect`: the key points that people wrote, reworded and split become content units, to be judged in turn.

use std::collections::HashMap;
use std::path::PathBuf;

use clap::Args;

use super::import::told;
use super::{now, open_to_decide, print};
use crate::error::{Error, Result};
use crate::export::points::edited::{UnitEdits, edits_units};
use crate::export::points::{
    self, UnitName, Units, Worth, asks_for_points, collected_from, key_under, name_of,
};
use crate::protocol::Protocol;
use crate::report::{AnnotatorsChosen, annotators, first_step, nobody, protocols};
use crate::store::{ImportOptions, StudyFile};
use crate::study::{Place, Record, Unit};
use crate::text::hash::fingerprint;
use crate::text::width::visible;

#[derive(Debug, Args)]
pub struct Collect {
    /// The study file
    pub study: PathBuf,
    /// The protocol that the points were written under; when left out, every one that asks for points
    #[arg(long, value_name = "NAME")]
    pub protocol: Option<String>,
    /// Only these annotators (several with commas); when left out, all people
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub annotators: Vec<String>,
    /// The kind of the units; when left out, "human point" for points of documents, "response point" for those of candidates, and
    /// "nugget" for what is made of units
    #[arg(long, value_name = "KIND")]
    pub kind: Option<String>,
}

pub fn run(arguments: &Collect) -> Result<()> {
    if arguments.kind.as_ref().is_some_and(|kind| kind.trim().is_empty()) {
        return Err(Error::usage("--kind is empty").advise("name a kind, such as \"human point\""));
    }
    let mut study = open_to_decide(&arguments.study, false)?;
    let people = annotators::choose(&study, &arguments.annotators)?;
    let mut written = PointsWritten::read(&study, arguments, &people)?;
    let earlier = Earlier::read(&study, &mut written, &people)?;
    let (units, stale) = earlier.beside(&written.units.list)?;
    let source = format!("collected from {}", written.from.join(", "));
    let mut text = if written.units.list.is_empty() {
        format!("{}: nobody wrote a point\n", visible(&source))
    } else {
        let content = fingerprint(units.iter().map(|unit| &unit.id));
        let report = study.import(&source, content, ImportOptions::default(), now(), |sink| {
            units.into_iter().try_for_each(|unit| {
                let place = Place::Path(format!("unit {:?}", unit.id));
                sink.take(place, Record::Unit(unit))
            })
        })?;
        told(&source, &report, false)
    };
    for note in stale_note(stale).into_iter().chain(written.left_out.notes()) {
        text.push_str(&format!("  {note}\n"));
    }
    text.push_str(&what_next(&study, &written.units.list)?);
    print(&text)
}

/// The points that the chosen people wrote.
struct PointsWritten {
    /// Names of the protocols with judgments that count.
    from: Vec<String>,
    /// In the order of protocols, annotators and corpus.
    units: Units,
    left_out: LeftOut,
}

/// Judgments that do not count.
#[derive(Default)]
struct LeftOut {
    unfinished: usize,
    other_versions: usize,
}

impl PointsWritten {
    fn read(study: &StudyFile, arguments: &Collect, people: &AnnotatorsChosen) -> Result<PointsWritten> {
        let protocols = asking(study, arguments.protocol.as_deref())?;
        let mut written =
            PointsWritten { from: Vec::new(), units: Units::default(), left_out: LeftOut::default() };
        for protocol in &protocols {
            written.add(study, protocol, arguments.kind.as_deref(), people)?;
        }
        if written.from.is_empty() {
            let names: Vec<String> =
                protocols.iter().map(|protocol| format!("{:?}", protocol.name)).collect();
            let mut what = format!(
                "{} has judged under {} to the end",
                nobody(&arguments.annotators),
                names.join(" or ")
            );
            for note in written.left_out.notes() {
                what.push_str(&format!("; {note}"));
            }
            return Err(Error::new(what)
                .in_file(study.path())
                .advise(first_step(study, &arguments.annotators)));
        }
        Ok(written)
    }

    fn add(
        &mut self,
        study: &StudyFile,
        protocol: &Protocol,
        kind: Option<&str>,
        people: &AnnotatorsChosen,
    ) -> Result<()> {
        let mut counts = false;
        let is_edit = edits_units(protocol);
        let units = if is_edit { study.units()? } else { Vec::new() };
        let known = units.into_iter().map(|(_, unit)| (name_of(&unit), unit)).collect();
        let mut edits = UnitEdits::default();
        study.for_each_judgment(|judgment| {
            let is_theirs = people.annotators.iter().any(|(_, name)| *name == judgment.annotator);
            if judgment.protocol != protocol.name || !is_theirs {
                return Ok(());
            }
            let worth = match is_edit {
                true => edits.take(protocol, &judgment, &known)?,
                false => points::units(protocol, &judgment, kind)?,
            };
            match worth {
                Worth::Units(units) => {
                    counts = true;
                    units.into_iter().for_each(|unit| self.units.put(unit));
                }
                Worth::Unfinished => self.left_out.unfinished += 1,
                Worth::OtherVersion => self.left_out.other_versions += 1,
                Worth::NoAnswer => {}
            }
            Ok(())
        })?;
        edits.units(protocol, kind).into_iter().for_each(|unit| self.units.put(unit));
        if counts {
            self.from.push(protocol.name.clone());
        }
        Ok(())
    }
}

impl LeftOut {
    fn notes(&self) -> Vec<String> {
        let counts = [
            (self.unfinished, "without a required answer"),
            (self.other_versions, "under another version of the protocol"),
        ];
        let note = |(count, what): (usize, &str)| match count {
            0 => None,
            1 => Some(format!("1 judgment {what} is left out")),
            _ => Some(format!("{count} judgments {what} are left out")),
        };
        counts.into_iter().filter_map(note).collect()
    }
}

/// The protocols that ask for points, or the named one, which must.
fn asking(study: &StudyFile, name: Option<&str>) -> Result<Vec<Protocol>> {
    let mut asking = protocols::all(study)?;
    let asks = |protocol: &Protocol| asks_for_points(protocol) || edits_units(protocol);
    asking.retain(asks);
    let Some(name) = name else { return Ok(asking) };
    let protocol = protocols::find(study, name)?;
    if !asks(&protocol) {
        let names: Vec<&str> = asking.iter().map(|protocol| protocol.name.as_str()).collect();
        return Err(Error::usage(format!("the protocol {name:?} asks for no points"))
            .advise(format!("those that do are {}", names.join(", "))));
    }
    Ok(vec![protocol])
}

/// Units collected before from the same protocols and people, by collection, query and key.
struct Earlier {
    units: HashMap<UnitName, Unit>,
}

impl Earlier {
    /// Reads the earlier units, and gives each written unit the key that it has in the study, or under the aliases of a hub.
    fn read(study: &StudyFile, written: &mut PointsWritten, people: &AnnotatorsChosen) -> Result<Earlier> {
        let is_looked_at = |unit: &Unit| {
            collected_from(unit).is_some_and(|(protocol, annotator)| {
                written.from.iter().any(|name| name == protocol)
                    && people.annotators.iter().any(|(_, name)| name == annotator)
            })
        };
        let units = study.units()?.into_iter().map(|(_, unit)| unit).filter(is_looked_at);
        let units: HashMap<UnitName, Unit> = units.map(|unit| (name_of(&unit), unit)).collect();
        let by_words =
            |unit: &Unit| Some((unit.collection.clone(), unit.query.clone(), key_under(None, unit)?));
        let known: HashMap<UnitName, &String> =
            units.values().filter_map(|unit| Some((by_words(unit)?, &unit.id))).collect();
        let alias = study.aliases()?;
        for unit in &mut written.units.list {
            let hidden = || alias(&unit.collection, &unit.query, unit.candidate.as_deref()?);
            let known = known.get(&name_of(unit)).map(|key| (*key).clone());
            if let Some(key) = known.or_else(|| key_under(hidden(), unit)) {
                unit.id = key;
            }
        }
        Ok(Earlier { units })
    }

    /// The written units that can come in, and how many earlier units are not what their writers say now.
    fn beside(mut self, written: &[Unit]) -> Result<(Vec<Unit>, usize)> {
        let mut units = Vec::with_capacity(written.len());
        let mut stale = 0;
        for unit in written {
            match self.units.remove(&name_of(unit)) {
                Some(earlier) if earlier.kind != unit.kind => {
                    let what = format!("the point {:?} was collected as {:?} before", unit.id, earlier.kind);
                    return Err(Error::new(what).advise(format!("add --kind {}", earlier.kind)));
                }
                // The unit was written again with other passages; the corpus keeps those that it has.
                Some(earlier) if earlier != *unit => stale += 1,
                _ => units.push(unit.clone()),
            }
        }
        Ok((units, stale + self.units.len()))
    }
}

fn stale_note(stale: usize) -> Option<String> {
    let (count, is, stays) = match stale {
        0 => return None,
        1 => ("1 unit".to_owned(), "is", "it stays"),
        _ => (format!("{stale} units"), "are", "they stay"),
    };
    Some(format!(
        "{count} collected before {is} not what the writer says now; {stays}, because a study is only added to"
    ))
}

/// The commands to go on with, one for each protocol that judges units of these kinds.
fn what_next(study: &StudyFile, units: &[Unit]) -> Result<String> {
    let judges = |protocol: &&Protocol| units.iter().any(|unit| protocol.units.contains(&unit.kind));
    let line = |protocol: &Protocol| {
        let command = format!("haymark annotate {} --as NAME", study.path().display());
        format!("next: {} --protocol {}\n", visible(&command), visible(&protocol.name))
    };
    Ok(protocols::all(study)?.iter().filter(judges).map(line).collect())
}
