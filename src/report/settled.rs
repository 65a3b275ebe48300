//! Disagreements and how they were settled: items by outcome, and adjudications by reason.

use std::collections::BTreeMap;

use super::{Column, GoldBy, Table, TableFinding, counted, protocols};
use crate::error::{Error, Result};
use crate::journal::{Outcome, Reason};
use crate::store::StudyFile;

/// The outcomes of the items of one protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    protocol: String,
    /// The number of items by outcome, in the order of [`Outcome::ALL`].
    pub outcomes: [usize; 5],
}

/// The adjudications of one protocol with one reason.
#[derive(Default)]
struct Because {
    items: usize,
    /// The adjudications that took one annotator's answers unchanged.
    taken: usize,
    /// Active milliseconds.
    active: i64,
}

/// Items by outcome, and adjudications by reason, from people's judgments.
pub fn tables(study: &StudyFile) -> Result<Vec<Table>> {
    let by = GoldBy::of_people(study, false, None)?;
    let mut settled = Vec::new();
    let mut reasons: BTreeMap<(usize, Option<Reason>), Because> = BTreeMap::new();
    for protocol in protocols::all(study)? {
        let gold = by.read(study, &protocol, counted(&protocol, false))?;
        if gold.is_empty() {
            continue;
        }
        let count = |outcome| gold.iter().filter(|item| item.outcome == outcome).count();
        let verdicts = gold.iter().filter(|item| item.outcome == Outcome::Adjudicated);
        for verdict in verdicts.filter_map(|item| Some(&item.decision.as_ref()?.verdict)) {
            let because = reasons.entry((settled.len(), verdict.reason)).or_default();
            because.items += 1;
            because.taken += usize::from(verdict.took.is_some());
            because.active += verdict.active;
        }
        settled.push(Settled { protocol: protocol.name.clone(), outcomes: Outcome::ALL.map(count) });
    }
    if settled.is_empty() {
        return Err(Error::new("nobody judged anything").in_file(study.path()));
    }
    let mut tables = vec![outcomes(&settled, &by)];
    if !reasons.is_empty() {
        tables.push(why(&settled, &reasons.into_iter().collect::<Vec<_>>()));
    }
    Ok(tables)
}

fn outcomes(settled: &[Settled], by: &GoldBy) -> Table {
    let mut columns = vec![
        Column::new("protocol", "protocol", |row: &Settled| row.protocol.clone()),
        Column::new("items", "items judged", |row: &Settled| row.outcomes.iter().sum::<usize>()),
    ];
    let some = settled.iter().map(|row| row.outcomes);
    let all = some.fold([0; 5], |sum, row| std::array::from_fn(|at| sum[at] + row[at]));
    columns.extend(Outcome::ALL.iter().enumerate().map(|(at, outcome)| {
        let is_shown = all[at] > 0 || matches!(outcome, Outcome::Unanimous | Outcome::Adjudicated);
        Column::new(outcome.name(), outcome.name(), move |row: &Settled| row.outcomes[at]).shown_if(is_shown)
    }));
    Table::of("Items by what settles them", columns, settled)
        .keyed("outcomes")
        .headline()
        .finding(TableFinding::Settled(settled.into()))
        .note(format!(
            "By the rule \"{}\" over people's judgments. unresolved: disputed and not adjudicated, or judged \
             by too few for the rule.",
            by.rule
        ))
}

fn why(settled: &[Settled], reasons: &[((usize, Option<Reason>), Because)]) -> Table {
    type ReasonRow = ((usize, Option<Reason>), Because);
    let columns = [
        Column::new("protocol", "protocol", |((at, _), _): &ReasonRow| {
            settled.get(*at).map(|settled| settled.protocol.clone())
        }),
        Column::new("reason", "reason", |((_, reason), _): &ReasonRow| {
            reason.map_or("none given", Reason::name)
        }),
        Column::new("items", "items", |(_, because): &ReasonRow| because.items),
        Column::new("taken", "as one said", |(_, because): &ReasonRow| because.taken),
        Column::new("anew", "answered anew", |(_, because): &ReasonRow| because.items - because.taken),
        Column::new("seconds", "seconds an item", |(_, because): &ReasonRow| {
            (because.active > 0).then(|| because.active as f64 / 1_000.0 / because.items as f64)
        }),
    ];
    Table::of("Why they disagreed, as the adjudicator says", columns, reasons).keyed("reasons")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::Cell;

    #[test]
    fn outcomes_that_no_item_has_are_no_column_for_people() {
        let settled = [Settled { protocol: "coverage".to_owned(), outcomes: [4, 0, 0, 2, 1] }];
        let by = GoldBy { raters: Vec::new(), rule: Default::default() };
        let table = outcomes(&settled, &by);
        let shown: Vec<&str> =
            table.columns.iter().filter(|column| !column.detail).map(|column| column.name.as_str()).collect();
        assert_eq!(shown, ["protocol", "items", "unanimous", "adjudicated", "unresolved"]);
        assert_eq!(table.rows[0][1], Cell::Count(7));
    }
}
