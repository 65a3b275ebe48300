//! Merging of units: the units that an annotator put into no other unit, and those put into several.

use std::collections::{BTreeMap, BTreeSet};

use super::{Column, Table, protocols};
use crate::error::Result;
use crate::protocol::{Protocol, Question};
use crate::store::StudyFile;
use crate::study::{Judgment, Unit};

/// The collection and query in which units are merged; the query is empty where units of all queries are chosen from.
type MergedWithin = (String, String);

/// A unit that one annotator put into none or into several of the merged units.
struct Misplaced {
    protocol: String,
    annotator: String,
    query: String,
    unit: String,
    text: String,
    /// The merged units that hold the unit: none, or two and more.
    stands_in: BTreeSet<String>,
}

/// The units that an annotator put into none or into several merged units, for every question that chooses from units (Qi et
/// al. 2024, Long2RAG, section 3.3). A unit counts as put into none only if the annotator judged all units that could hold it.
pub fn tables(study: &StudyFile) -> Result<Vec<Table>> {
    let units: Vec<Unit> = study.units()?.into_iter().map(|(_, unit)| unit).collect();
    let mut mergings: Vec<Merging> = protocols::all(study)?.into_iter().filter_map(Merging::of).collect();
    study.for_each_judgment(|judgment| {
        let of_judgment = mergings.iter_mut().find(|merging| merging.protocol.name == judgment.protocol);
        of_judgment.into_iter().for_each(|merging| merging.take(&judgment));
        Ok(())
    })?;
    let is_any = mergings.iter().any(|merging| !merging.judged.is_empty());
    let found: Vec<Misplaced> = mergings.iter().flat_map(|merging| merging.misplaced(&units)).collect();
    let stands_in = |row: &Misplaced| match row.stands_in.is_empty() {
        true => "none".to_owned(),
        false => row.stands_in.iter().cloned().collect::<Vec<_>>().join(", "),
    };
    let columns = [
        Column::new("protocol", "protocol", |row: &Misplaced| row.protocol.clone()),
        Column::new("annotator", "annotator", |row: &Misplaced| row.annotator.clone()),
        Column::new("query", "query", |row: &Misplaced| row.query.clone()),
        Column::new("unit", "unit", |row: &Misplaced| row.unit.clone()),
        Column::new("stands_in", "stands in", stands_in),
        Column::new("text", "text", |row: &Misplaced| row.text.clone()),
    ];
    let mut table =
        Table::of("Units in none or in several of the merged ones", columns, &found).keyed("mapping");
    table.notes.push(match found.is_empty() {
        true if !is_any => "Nobody has chosen from units yet.".to_owned(),
        true => "Every unit that was chosen from stands in one.".to_owned(),
        false => "Units of an annotator who has not judged all that they could stand in are left out where they stand in none."
            .to_owned(),
    });
    Ok(vec![table])
}

/// The choices of units under a protocol, by annotator.
struct Merging {
    protocol: Protocol,
    question: Question,
    /// How many units an annotator judged.
    judged: BTreeMap<(String, MergedWithin), usize>,
    /// The units whose answers hold a unit, by the name of the held unit.
    chosen: BTreeMap<(String, MergedWithin, String), BTreeSet<String>>,
}

impl Merging {
    /// The merging under a protocol; `None` where no question chooses from units.
    fn of(protocol: Protocol) -> Option<Merging> {
        let question = protocol.questions.iter().find(|question| !question.kinds().is_empty())?.clone();
        Some(Merging { protocol, question, judged: BTreeMap::new(), chosen: BTreeMap::new() })
    }

    fn within(&self, collection: &str, query: &str) -> MergedWithin {
        (
            collection.to_owned(),
            if self.question.is_of_collection() { String::new() } else { query.to_owned() },
        )
    }

    fn name(&self, query: &str, unit: &str) -> String {
        match self.question.is_of_collection() {
            true => format!("{query}/{unit}"),
            false => unit.to_owned(),
        }
    }

    fn take(&mut self, judgment: &Judgment) {
        let is_current = judgment.version.is_none_or(|version| self.protocol.counts_version(version));
        let answer =
            judgment.answers.get(&self.question.key).filter(|_| is_current && judgment.aside.is_none());
        let (Some(answer), Some(collection), Some(query), Some(unit)) =
            (answer, &judgment.collection, &judgment.query, &judgment.unit)
        else {
            return;
        };
        let (within, holder) = (self.within(collection, query), self.name(query, unit));
        *self.judged.entry((judgment.annotator.clone(), within.clone())).or_default() += 1;
        let names = answer.as_array().into_iter().flatten();
        for name in names.filter_map(serde_json::Value::as_str) {
            let key = (judgment.annotator.clone(), within.clone(), name.to_owned());
            self.chosen.entry(key).or_default().insert(holder.clone());
        }
    }

    fn misplaced(&self, units: &[Unit]) -> Vec<Misplaced> {
        let mut of_place: BTreeMap<MergedWithin, Vec<&Unit>> = BTreeMap::new();
        for unit in units {
            of_place.entry(self.within(&unit.collection, &unit.query)).or_default().push(unit);
        }
        let mut found = Vec::new();
        for ((annotator, within), count) in &self.judged {
            let units = of_place.get(within).map_or(&[][..], Vec::as_slice);
            let is_whole = *count >= units.iter().filter(|unit| self.protocol.takes_unit(&unit.kind)).count();
            for unit in units.iter().filter(|unit| self.question.kinds().contains(&unit.kind)) {
                let key = (annotator.clone(), within.clone(), self.name(&unit.query, &unit.id));
                let stands_in = self.chosen.get(&key).cloned().unwrap_or_default();
                let is_misplaced = stands_in.len() > 1 || stands_in.is_empty() && is_whole;
                found.extend(is_misplaced.then(|| Misplaced {
                    protocol: self.protocol.name.clone(),
                    annotator: annotator.clone(),
                    query: unit.query.clone(),
                    unit: unit.id.clone(),
                    text: unit.text.clone(),
                    stands_in,
                }));
            }
        }
        found
    }
}
