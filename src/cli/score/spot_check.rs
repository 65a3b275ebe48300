//! A sample of what was judged, to be looked at again (Lyu et al. 2024, CRUD-RAG, §3.4: 5 %).

use std::collections::{BTreeMap, BTreeSet};

use super::super::table::{Cell, Column, Table};
use super::Scope;
use crate::store::Target;
use crate::study::{ItemId, ItemKey, TargetKeys};

/// The parts of an item that may have a column.
const PARTS: [&str; 4] = ["document", "unit", "candidate", "bullet"];

/// A share of the judged items, at least one: drawn from the items' keys, so that everyone who holds the
/// same judgments draws the same. In the order of the study.
pub fn table(scope: &Scope<'_>, share: f64) -> Table {
    let mut judged: BTreeMap<ItemId, (&Target, BTreeSet<&str>)> = BTreeMap::new();
    for judgment in scope.judged.each() {
        let entry = judged.entry(judgment.item).or_insert_with(|| (judgment.target, BTreeSet::new()));
        entry.1.insert(judgment.name);
    }
    let all = judged.len();
    let seed = format!("a sample of {} to be judged again", scope.protocol.name);
    let mut drawn: Vec<(ItemKey, &Target, TargetKeys, BTreeSet<&str>)> = judged
        .into_values()
        .filter_map(|(target, names)| {
            let keys = keys(scope, target)?;
            // The key of an item under a name that no protocol has is as good as random.
            Some((keys.item_key(&seed), target, keys, names))
        })
        .collect();
    drawn.sort_unstable_by_key(|(draw, ..)| *draw);
    drawn.truncate(sample_size(share, all));
    drawn.sort_unstable_by_key(|(_, target, ..)| **target);
    let parts = |keys: &TargetKeys| {
        let bullet = keys.bullet.map(|number| number.to_string());
        [keys.document.clone(), keys.unit.clone(), keys.candidate.clone(), bullet]
    };
    let is_there =
        |at: usize| drawn.iter().any(|(_, _, keys, _)| parts(keys).get(at).is_some_and(Option::is_some));
    let places: Vec<usize> = (0..PARTS.len()).filter(|at| is_there(*at)).collect();
    let mut columns = vec![Column::text("collection", "collection"), Column::text("query", "query")];
    columns.extend(places.iter().filter_map(|at| PARTS.get(*at)).map(|part| Column::text(*part, *part)));
    columns.push(Column::text("judged_by", "judged by"));
    let mut table = Table::new("To be judged again", columns).fact("share", 100.0 * share).fact("of", all);
    for (_, _, keys, names) in &drawn {
        let parts = parts(keys);
        let mut row: Vec<Cell> = vec![keys.collection.as_str().into(), keys.query.as_str().into()];
        row.extend(places.iter().filter_map(|at| parts.get(*at)).cloned().map(Cell::from));
        row.push(names.iter().copied().collect::<Vec<&str>>().join(", ").as_str().into());
        table.rows.push(row);
    }
    table.notes.push(format!("{} of {all} items that are judged.", drawn.len()));
    table
}

/// How many items of so many a share is: rounded up, so that a share of something is never nothing.
fn sample_size(share: f64, all: usize) -> usize {
    let size = (share * all as f64).ceil();
    // Between 0 and `all`, which is a number of things in memory.
    (size as usize).min(all)
}

/// The keys of what an item is about.
pub fn keys(scope: &Scope<'_>, target: &Target) -> Option<TargetKeys> {
    let corpus = scope.corpus;
    let query = corpus.queries.get(&target.query)?;
    let document = target.document.and_then(|id| corpus.documents.get(&id));
    let unit = target.unit.and_then(|id| corpus.unit(id));
    let candidate = target.candidate.and_then(|id| corpus.candidates.get(&id));
    Some(TargetKeys {
        collection: query.collection.clone(),
        query: query.id.clone(),
        document: document.map(|document| document.key.clone()),
        unit: unit.map(|unit| unit.id.clone()),
        candidate: candidate.map(|candidate| candidate.id.clone()),
        bullet: target.bullet,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_rounded_up() {
        for (share, all, size) in [(0.05, 100, 5), (0.05, 101, 6), (0.05, 1, 1), (1.0, 7, 7), (0.5, 0, 0)] {
            assert_eq!(sample_size(share, all), size, "{share} of {all}");
        }
    }
}
