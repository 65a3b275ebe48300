//! The key points that people kept: grounded in their document, and agreed to be key points (Qi et al. 2024, Long2RAG,
//! App. A.3), by a rule over several people and by what was decided.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde_json::Value;

use super::{ExportWritten, key_cells, key_columns, own_columns, write_sheet};
use crate::error::{Error, Result};
use crate::export::asked::Export;
use crate::formats::sheet::SheetColumn;
use crate::journal::{Agreement, ConsensusRule, Outcome};
use crate::protocol::{Answer, Answers, Protocol};
use crate::report::{GoldBy, counted, protocols};
use crate::score::{PointVerdict, is_about_key_points};
use crate::store::{StudyFile, VersionsRead};
use crate::study::{ItemId, Query, TargetKeys, Unit};

/// The rule where none is named: a key point is kept if nobody who judged it rejects it.
const RULE: ConsensusRule = ConsensusRule { agreement: Agreement::All, single: true };

/// The outcome of one key point.
struct PointFate {
    outcome: Outcome,
    /// Whether the point is kept; `None` exactly when unresolved.
    is_retained: Option<bool>,
    raters: usize,
}

/// Writes the retained key points of every protocol about key points, or of the named one.
pub fn run(study: &StudyFile, arguments: &Export, target: &Path) -> Result<ExportWritten> {
    let rule = Some(arguments.gold.rule.unwrap_or(RULE));
    let by = GoldBy::of_named(study, &arguments.dataset.annotators, arguments.gold.with_judges, rule)?;
    let chosen = arguments.chosen(study)?;
    let mut all: Vec<(Protocol, BTreeMap<ItemId, PointFate>)> = Vec::new();
    for protocol in protocols::named_or_all(study, arguments.requests.protocol.as_deref())? {
        if is_about_key_points(&protocol) {
            let mut fates = fates(study, &protocol, &by, counted(&protocol, false))?;
            if let Some(chosen) = chosen.items_of(study, &protocol.name)? {
                fates.retain(|item, _| chosen.contains(item));
            }
            if !fates.is_empty() {
                all.push((protocol, fates));
            }
        }
    }
    if all.is_empty() {
        return Err(Error::nothing("nobody among these annotators judged key points")
            .in_file(study.path())
            .advise("retention is of a protocol that asks whether a point is grounded and valid, such as keypoint"));
    }
    let rows = write_sheet(study, arguments, (target, Some("retained")), &columns(), |sheet| {
        for (protocol, fates) in &all {
            for cells in retained(study, protocol, fates)? {
                sheet.row(cells)?;
            }
        }
        Ok(())
    })?;
    let notes = all.iter().map(|(protocol, fates)| note(protocol, fates, by.rule)).collect();
    Ok(ExportWritten { rows, columns: columns(), what: "retained key points", notes })
}

/// The fates of all key points that somebody judged to the end or decided about.
fn fates(
    study: &StudyFile,
    protocol: &Protocol,
    by: &GoldBy,
    versions: VersionsRead,
) -> Result<BTreeMap<ItemId, PointFate>> {
    // People have to agree only on whether a point is kept: one who finds the point in no document and one who finds
    // it no key point both reject it.
    let said = |is_retained: bool| -> Answers {
        [("retained".to_owned(), Answer::Text(is_retained.to_string()))].into()
    };
    let (kept, rejected) = (said(true), said(false));
    let read = |answers: &Answers| {
        let verdict = PointVerdict::read(answers)?;
        Some(if verdict.is_retained() { &kept } else { &rejected })
    };
    let material = study.material(protocol, versions)?;
    let mut given: BTreeMap<ItemId, Vec<&Answers>> = BTreeMap::new();
    for (item, rows) in material.counted_by_item(|annotator| by.raters.contains(&annotator)) {
        for said in rows.into_iter().filter_map(|row| read(material.answers(row))) {
            given.entry(item.id).or_default().push(said);
        }
    }
    let mut decided: BTreeMap<ItemId, &Answers> = BTreeMap::new();
    for (item, decision) in study.decisions(&protocol.name)? {
        if let Some(said) = decision.answers(protocol).and_then(read) {
            decided.insert(item, said);
            given.entry(item).or_default();
        }
    }
    let fate = |(item, given): (ItemId, Vec<&Answers>)| {
        let (outcome, answers) = by.rule.outcome(&given, decided.get(&item).copied());
        let is_retained = answers.map(|answers| *answers == kept);
        (item, PointFate { outcome, is_retained, raters: given.len() })
    };
    Ok(given.into_iter().map(fate).collect())
}

fn columns() -> Vec<SheetColumn> {
    let mut columns = own_columns(["protocol", "version"]);
    columns.extend(key_columns(false));
    let about = ["domain", "category", "question", "kind", "text", "score", "source", "annotators"];
    columns.extend(own_columns(about));
    columns
}

/// The rows of a protocol, in the order of the corpus.
fn retained(
    study: &StudyFile,
    protocol: &Protocol,
    fates: &BTreeMap<ItemId, PointFate>,
) -> Result<Vec<Vec<Value>>> {
    let domains: HashMap<String, Option<String>> =
        study.collections()?.into_iter().map(|(_, collection)| (collection.id, collection.domain)).collect();
    let key = |collection: &str, query: &str| (collection.to_owned(), query.to_owned());
    let queries: HashMap<(String, String), Query> =
        study.queries()?.into_iter().map(|(_, query)| (key(&query.collection, &query.id), query)).collect();
    let units: HashMap<(String, String, String), Unit> = study
        .units()?
        .into_iter()
        .map(|(_, unit)| ((unit.collection.clone(), unit.query.clone(), unit.id.clone()), unit))
        .collect();
    let row = |(item, keys): (ItemId, TargetKeys)| {
        let fate = fates.get(&item).filter(|fate| fate.is_retained == Some(true))?;
        let query = queries.get(&key(&keys.collection, &keys.query));
        let unit = keys
            .unit
            .clone()
            .and_then(|unit| units.get(&(keys.collection.clone(), keys.query.clone(), unit)));
        let domain = query.and_then(|query| query.domain.clone());
        let domain = domain.or_else(|| domains.get(&keys.collection).cloned().flatten());
        let mut cells: Vec<Value> = vec![protocol.name.as_str().into(), protocol.version.into()];
        cells.extend(key_cells(&keys, false));
        cells.extend([domain.into(), query.and_then(|query| query.category.clone()).into()]);
        cells.push(query.map(|query| query.text.as_str()).into());
        cells.extend(
            [unit.map(|unit| unit.kind.as_str()), unit.map(|unit| unit.text.as_str())].map(Value::from),
        );
        cells.push(unit.and_then(|unit| unit.score).into());
        cells.extend([fate.outcome.name().into(), fate.raters.into()]);
        Some(cells)
    };
    Ok(study.item_keys(&protocol.name)?.into_iter().filter_map(row).collect())
}

/// Counts the key points kept, by source: `keypoint: 14 of 17 key points retained (82.4 %) by the rule "all agree or
/// single": 9 unanimous, 5 single; 2 rejected, 1 unresolved and left out.`
fn note(protocol: &Protocol, fates: &BTreeMap<ItemId, PointFate>, rule: ConsensusRule) -> String {
    let count =
        |is_counted: &dyn Fn(&PointFate) -> bool| fates.values().filter(|fate| is_counted(fate)).count();
    let kept = count(&|fate| fate.is_retained == Some(true));
    let rejected = count(&|fate| fate.is_retained == Some(false));
    let by_source: Vec<String> = Outcome::ALL
        .into_iter()
        .map(|outcome| (outcome, count(&|fate| fate.is_retained == Some(true) && fate.outcome == outcome)))
        .filter(|(_, count)| *count > 0)
        .map(|(outcome, count)| format!("{count} {}", outcome.name()))
        .collect();
    let from = if by_source.is_empty() { String::new() } else { format!(": {}", by_source.join(", ")) };
    let unresolved = fates.len() - kept - rejected;
    let share = 100.0 * kept as f64 / fates.len().max(1) as f64;
    format!(
        "{}: {kept} of {} key points retained ({share:.1} %) by the rule \"{rule}\"{from}; {rejected} rejected, {unresolved} \
         unresolved and left out.",
        protocol.name,
        fates.len()
    )
}
