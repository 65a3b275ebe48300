//! Units that questions merge into others: those that nobody's choice holds, and those that stand in two.

use std::collections::{BTreeMap, BTreeSet};

use super::protocols;
use super::table::{Column, Table};
use crate::error::Result;
use crate::protocol::{Protocol, Question};
use crate::store::StudyFile;
use crate::study::Unit;

/// The collection and query in which units are merged; the query is empty where units of all queries are chosen from.
type MergedWithin = (String, String);

/// A unit that does not stand in exactly one of the merged ones, by one annotator.
struct Misplaced {
    protocol: String,
    annotator: String,
    query: String,
    unit: String,
    text: String,
    /// The units whose answers hold it: none, or two and more.
    stands_in: BTreeSet<String>,
}

/// The units that stand in none or in several of those that they are merged into, by every question that chooses from units (Qi et
/// al. 2024, Long2RAG, section 3.3). A unit stands in none only by an annotator who judged all that it could stand in.
///
/// # Errors
/// The study cannot be read.
pub fn tables(study: &StudyFile) -> Result<Vec<Table>> {
    let units: Vec<Unit> = study.units()?.into_iter().map(|(_, unit)| unit).collect();
    let (mut found, mut is_any) = (Vec::new(), false);
    for protocol in protocols::all(study)? {
        let asked = protocol.questions.iter().find(|question| !question.kinds().is_empty());
        if let Some(question) = asked {
            let (misplaced, was_judged) = misplaced(study, &protocol, question, &units)?;
            found.extend(misplaced);
            is_any |= was_judged;
        }
    }
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

fn misplaced(
    study: &StudyFile,
    protocol: &Protocol,
    question: &Question,
    units: &[Unit],
) -> Result<(Vec<Misplaced>, bool)> {
    let of_collection = question.is_of_collection();
    let scope_of = |collection: &str, query: &str| -> MergedWithin {
        (collection.to_owned(), if of_collection { String::new() } else { query.to_owned() })
    };
    let name_of = |query: &str, unit: &str| match of_collection {
        true => format!("{query}/{unit}"),
        false => unit.to_owned(),
    };
    let mut judged: BTreeMap<(String, MergedWithin), usize> = BTreeMap::new();
    let mut chosen: BTreeMap<(String, MergedWithin, String), BTreeSet<String>> = BTreeMap::new();
    study.for_each_judgment(|judgment| {
        let is_current = judgment.version.is_none_or(|version| version == protocol.version);
        let counts = is_current && judgment.aside.is_none() && judgment.answers.contains_key(&question.key);
        let (Some(collection), Some(query), Some(unit)) =
            (&judgment.collection, &judgment.query, &judgment.unit)
        else {
            return Ok(());
        };
        if judgment.protocol != protocol.name || !counts {
            return Ok(());
        }
        let scope = scope_of(collection, query);
        *judged.entry((judgment.annotator.clone(), scope.clone())).or_default() += 1;
        let names = judgment.answers.get(&question.key).and_then(serde_json::Value::as_array);
        for name in names.into_iter().flatten().filter_map(serde_json::Value::as_str) {
            let key = (judgment.annotator.clone(), scope.clone(), name.to_owned());
            chosen.entry(key).or_default().insert(name_of(query, unit));
        }
        Ok(())
    })?;
    let all_in = |scope: &MergedWithin| {
        let is_judged = |unit: &&Unit| {
            protocol.takes_unit(&unit.kind) && scope_of(&unit.collection, &unit.query) == *scope
        };
        units.iter().filter(is_judged).count()
    };
    let mut found = Vec::new();
    for ((annotator, scope), count) in &judged {
        let is_whole = *count >= all_in(scope);
        let is_offered = |unit: &&Unit| {
            question.kinds().contains(&unit.kind) && scope_of(&unit.collection, &unit.query) == *scope
        };
        for unit in units.iter().filter(is_offered) {
            let name = name_of(&unit.query, &unit.id);
            let stands_in =
                chosen.get(&(annotator.clone(), scope.clone(), name)).cloned().unwrap_or_default();
            let is_misplaced = stands_in.len() > 1 || stands_in.is_empty() && is_whole;
            if is_misplaced {
                found.push(Misplaced {
                    protocol: protocol.name.clone(),
                    annotator: annotator.clone(),
                    query: unit.query.clone(),
                    unit: unit.id.clone(),
                    text: unit.text.clone(),
                    stands_in,
                });
            }
        }
    }
    Ok((found, !judged.is_empty()))
}
