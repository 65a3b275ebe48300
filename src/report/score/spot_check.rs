//! A sample of the judged items, to be judged again (Lyu et al. 2024, CRUD-RAG, §3.4: 5 %).

use std::collections::{BTreeMap, BTreeSet};

use super::Scope;
use crate::report::{Column, Table, item_columns};
use crate::store::Target;
use crate::study::{ItemId, ItemKey, TargetKeys};

struct DrawnItem<'a> {
    draw: ItemKey,
    target: &'a Target,
    keys: TargetKeys,
    judged_by: BTreeSet<&'a str>,
}

/// A share of the judged items, at least one, in the order of the study. The draw depends on the items' keys alone, so that
/// everyone with the same judgments draws the same.
pub fn table(scope: &Scope<'_>, share: f64) -> Table {
    let mut judged: BTreeMap<ItemId, (&Target, BTreeSet<&str>)> = BTreeMap::new();
    for judgment in scope.judged.each() {
        let entry = judged.entry(judgment.item).or_insert_with(|| (judgment.target, BTreeSet::new()));
        entry.1.insert(judgment.name);
    }
    let all = judged.len();
    let seed = format!("a sample of {} to be judged again", scope.protocol.name);
    let mut drawn: Vec<DrawnItem<'_>> = judged
        .into_values()
        .filter_map(|(target, judged_by)| {
            let keys = scope.corpus.keys(target)?;
            // The item's key under this seed, a name that no protocol has, serves as a random number.
            Some(DrawnItem { draw: keys.item_key(&seed), target, keys, judged_by })
        })
        .collect();
    drawn.sort_unstable_by_key(|item| item.draw);
    drawn.truncate(sample_size(share, all));
    drawn.sort_unstable_by_key(|item| *item.target);
    let mut columns = item_columns(&drawn, |item: &DrawnItem<'_>| &item.keys);
    let judged_by = |item: &DrawnItem<'_>| item.judged_by.iter().copied().collect::<Vec<&str>>().join(", ");
    columns.push(Column::new("judged_by", "judged by", judged_by));
    Table::of("To be judged again", columns, &drawn)
        .fact("share", 100.0 * share)
        .fact("of", all)
        .note(format!("{} of {all} items that are judged.", drawn.len()))
}

/// The number of items of a share, rounded up, so that a share above 0 has at least one.
fn sample_size(share: f64, all: usize) -> usize {
    let size = (share * all as f64).ceil();
    // The size lies between 0 and `all`.
    (size as usize).min(all)
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
