//! All numbers of a comparison as tables: coefficients, pairs, and the parts behind them.

use indexmap::IndexSet;

use super::comparison::{ComparedPair, PairsListed, most_of};
use super::findings::{Findings, title_of};
use super::parts;
use crate::agreement::{Coefficient, Estimate, Interval, LinkedCounts, PairsUsed, Precision, Scale};
use crate::number::NO_PLACE;
use crate::report::table::{Cell, Column, Heading, IntoCell, Table};

/// Decimals of coefficients, as papers print them.
pub const DECIMALS: usize = 3;

/// The most pairs of annotators that are shown to people.
const MOST_SHOWN: usize = 200;

/// All tables of a comparison, from the items used to the confusions.
pub fn tables(findings: &Findings<'_>, is_for_programs: bool) -> Vec<Table> {
    let mut tables = vec![coefficients(findings)];
    if findings.comparison.annotators().len() > 1 {
        let listed = findings.comparison.pairs();
        // Programs get all pairs, people those with the most items.
        let is_shown = match is_for_programs {
            true => vec![true; listed.pairs.len()],
            false => most_of(&listed.pairs.iter().map(|row| row.pair.items).collect::<Vec<_>>(), MOST_SHOWN),
        };
        tables.extend(parts::linked(findings));
        tables.push(by_pair(findings, &listed, &is_shown));
        // Programs read the same numbers from the table of pairs.
        tables.extend(parts::matrix(findings, &listed).filter(|_| !is_for_programs));
        tables.push(parts::by_category(findings));
        tables.extend(parts::by_group(findings));
        tables.push(parts::by_annotator(findings));
        tables.push(parts::confusions(findings, &listed, &is_shown));
    }
    for table in &mut tables {
        table.title = format!("{}: {}", findings.comparison.subject(), table.title);
    }
    tables.insert(0, Table { title: title(findings), ..parts::used(findings) });
    tables.iter_mut().for_each(|table| name_subject(table, findings));
    tables
}

/// Adds protocol, question and tag to every row, for programs.
pub fn name_subject(table: &mut Table, findings: &Findings<'_>) {
    let comparison = findings.comparison;
    let mut subject =
        vec![("protocol", comparison.protocol.clone()), ("question", comparison.question.clone())];
    if let Some(tag) = &comparison.tag {
        subject.push(("tag", Some(tag.clone())));
    }
    for (name, value) in &subject {
        table.facts.insert((*name).to_owned(), value.clone().into());
    }
    table.columns.splice(
        0..0,
        subject.iter().map(|(name, _)| Heading { detail: true, ..Heading::text(*name, *name) }),
    );
    for row in &mut table.rows {
        row.splice(0..0, subject.iter().map(|(_, name)| name.clone().cell()));
    }
}

fn title(findings: &Findings<'_>) -> String {
    let (comparison, counts) = (findings.comparison, &findings.counts);
    format!(
        "{} ({}): items {}, rated twice or more {}, ratings {}, annotators {}",
        comparison.subject(),
        comparison.scale_name(),
        counts.items_rated(),
        counts.items_pairable(),
        counts.ratings(),
        comparison.annotators().len(),
    )
}

struct CoefficientRow {
    name: &'static str,
    title: &'static str,
    estimate: Estimate,
    formula: Precision,
    items: u64,
    /// For means over pairs of annotators.
    pairs: Option<PairsUsed>,
}

fn coefficients(findings: &Findings<'_>) -> Table {
    let mut rows: Vec<CoefficientRow> = findings
        .coefficients
        .iter()
        .map(|coefficient| CoefficientRow {
            name: coefficient.name,
            title: title_of(coefficient),
            estimate: findings.estimate(coefficient),
            formula: coefficient.precision,
            items: coefficient.items,
            pairs: coefficient.pairs,
        })
        .collect();
    rows.extend(linking_row(findings));
    let end = |pick: fn(&Interval) -> f64| {
        move |row: &CoefficientRow| {
            row.formula.interval.map(|interval| interval.as_ref().map(pick).map_err(|reason| *reason))
        }
    };
    let has_pairs = findings.comparison.number_of_pairs() > 1;
    let count = |row: &CoefficientRow| row.estimate.interval?.ok()?.clusters;
    let has_few = rows.iter().any(|row| count(row).is_some_and(|count| count.few().is_some()));
    let several = findings.comparison.grouping.cluster.words().1;
    let columns = [
        Column::new("name", "name", |row: &CoefficientRow| row.name).detail(),
        Column::new("coefficient", "coefficient", |row: &CoefficientRow| row.title),
        Column::new("value", "value", |row: &CoefficientRow| row.estimate),
        Column::new("se", "SE", |row: &CoefficientRow| {
            row.estimate.interval.and_then(|interval| interval.ok()?.se)
        }),
        Column::new("formula_se", "SE by formula", |row: &CoefficientRow| row.formula.se),
        Column::new("formula_low", "low by formula", end(|interval| interval.low)).detail(),
        Column::new("formula_high", "high by formula", end(|interval| interval.high)).detail(),
        Column::new("items", "items", |row: &CoefficientRow| row.items),
        Column::new("pairs", "pairs", |row: &CoefficientRow| row.pairs.map(|pairs| pairs.defined))
            .shown_if(has_pairs),
        Column::new("least_items", "least overlap", |row: &CoefficientRow| {
            row.pairs.map(|pairs| pairs.least_items)
        })
        .shown_if(has_pairs),
        // JSON and CSV use the same names for the clusters of an interval.
        Column::new("clusters", several, |row: &CoefficientRow| Some(count(row)?.number)),
        Column::new("effective_clusters", "in effect", |row: &CoefficientRow| Some(count(row)?.in_effect()))
            .shown_if(has_few),
    ];
    let columns = columns.map(|column| column.decimals(DECIMALS));
    let mut table = Table::of("coefficients", columns, &rows)
        .keyed("coefficients")
        .headline()
        .fact("why", findings.why())
        .fact("remarks", findings.remarks().into_iter().map(|(code, _)| code).collect::<Vec<_>>());
    table.notes.extend(findings.why());
    table.notes.extend(findings.notes());
    table.notes.push(findings.method());
    table
}

/// Linking accuracy: how often two annotators who link an item to one bullet name the same one, averaged over pairs
/// (SummHay §4.2).
fn linking_row(findings: &Findings<'_>) -> Option<CoefficientRow> {
    let links = findings.comparison.links.as_ref()?;
    let of_place = &findings.comparison.grouping.of_place;
    let linked = || links.iter().map(|linking| linking.linked).filter(|linked| *linked > 0);
    let cluster = |place: usize| of_place.get(place).copied().unwrap_or(NO_PLACE);
    Some(CoefficientRow {
        name: "linking_accuracy",
        title: "Linking accuracy",
        estimate: links.accuracy(cluster, findings.intervals),
        formula: Precision::default(),
        items: linked().sum(),
        pairs: Some(PairsUsed {
            defined: linked().count() as u64,
            total: findings.comparison.number_of_pairs() as u64,
            least_items: linked().min().unwrap_or(0),
        }),
    })
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Why not all pairs of annotators stand in a table.
pub fn notes_of_pairs<'l>(
    listed: &'l PairsListed,
    is_shown: &[bool],
) -> impl Iterator<Item = String> + use<'l> {
    let (all, shown) = (is_shown.len(), is_shown.iter().filter(|is| **is).count());
    let note = format!(
        "{shown} of {all} pairs of annotators are shown, those with the most items in common; --format json has {all}."
    );
    listed.note.clone().into_iter().chain((shown < all).then_some(note))
}

fn by_pair(findings: &Findings<'_>, listed: &PairsListed, is_shown: &[bool]) -> Table {
    let comparison = findings.comparison;
    let mut columns = vec![
        Column::new("a", "a", |row: &ComparedPair| row.pair.a.clone()),
        Column::new("b", "b", |row: &ComparedPair| row.pair.b.clone()),
        Column::new("items", "items", |row: &ComparedPair| row.pair.items),
        Column::new("percent_agreement", "equal", |row: &ComparedPair| row.pair.percent_agreement),
        Column::new("cohen_kappa", "Cohen κ", |row: &ComparedPair| row.pair.cohen_kappa),
        Column::new("cohen_kappa_linear", "κ linear", |row: &ComparedPair| row.pair.cohen_kappa_linear)
            .detail(),
        Column::new("cohen_kappa_quadratic", "κ quadratic", |row: &ComparedPair| {
            row.pair.cohen_kappa_quadratic
        })
        .detail(),
        // Labels without an order have no codes to correlate.
        Column::new("pearson_r", "Pearson r", |row: &ComparedPair| row.pair.pearson_r)
            .shown_if(comparison.ratings.scale() != Scale::Nominal),
        Column::new("kappa_max", "κ at most", |row: &ComparedPair| row.margins.kappa_max),
        Column::new("bias_index", "bias", |row: &ComparedPair| row.margins.bias_index),
        Column::new("prevalence_index", "preva- lence", |row: &ComparedPair| row.margins.prevalence_index),
    ];
    if comparison.links.is_some() {
        columns.push(Column::new("linking_accuracy", "linking", |row: &ComparedPair| {
            row.linking.map(|linking| linking.accuracy())
        }));
        columns.push(Column::new("linked", "linked", |row: &ComparedPair| {
            row.linking.map(|linking| linking.linked)
        }));
        for (at, share) in LinkedCounts::default().shares().into_iter().enumerate().skip(1) {
            let value = move |row: &ComparedPair| row.linked.unwrap_or_default().shares()[at].estimate.value;
            columns.push(Column::new(share.name, share.title, value).detail());
        }
    }
    let columns = columns.into_iter().map(|column| column.decimals(DECIMALS));
    let mut table = Table::of("pairs", columns, &listed.pairs).keyed("pairs");
    // A mean over selected pairs would not be that of all.
    let mean = (table.rows.len() > 1 && listed.note.is_none()).then(|| mean_row(&table.rows));
    let mut is_kept = is_shown.iter();
    table.rows.retain(|_| is_kept.next() == Some(&true));
    table.rows.extend(mean);
    table.notes.extend(notes_of_pairs(listed, is_shown));
    table.notes.push(
        "κ at most: the largest kappa that these marginals allow. Bias: how far the two differ in how often they use \
         the labels. Prevalence: how unevenly they use them together. All from 0 to 1."
            .to_owned(),
    );
    table
}

/// The mean of each statistic over the pairs where it is defined.
fn mean_row(rows: &[Vec<Cell>]) -> Vec<Cell> {
    let width = rows.first().map_or(0, Vec::len);
    let column = |index: usize| {
        let cells = || rows.iter().filter_map(|row| row.get(index));
        let numbers: Vec<f64> = cells()
            .filter_map(|cell| if let Cell::Number(value) = cell { Some(*value) } else { None })
            .collect();
        let undefined = cells().find(|cell| matches!(cell, Cell::Undefined(_)));
        match (mean(&numbers), undefined) {
            (Some(mean), _) => Cell::Number(mean),
            (None, Some(reason)) => reason.clone(),
            (None, None) => Cell::Text(String::new()),
        }
    };
    let mut row = vec!["mean".into()];
    row.extend((1..width).map(column));
    row
}

/// The main numbers of every question, a row for each.
pub fn overview(findings: &[Findings<'_>]) -> Table {
    type FindingsRow<'a> = Findings<'a>;
    let of = |found: &FindingsRow<'_>, coefficient: Option<&Coefficient>| {
        coefficient.map(|one| found.estimate(one))
    };
    let links = |found: &FindingsRow<'_>| {
        let link = found.shares.iter().find(|share| share.name == "link_agreement_exact");
        link.map(|share| share.estimate)
    };
    let columns = [
        Column::new("question", "question", |found: &FindingsRow<'_>| found.comparison.subject()),
        Column::new("annotators", "people", |found: &FindingsRow<'_>| found.comparison.annotators().len()),
        Column::new("items", "items judged twice or more", |found: &FindingsRow<'_>| {
            found.counts.items_pairable()
        }),
        Column::new("over", "over", Findings::clusters_in_words),
        Column::new("agreement", "equal", |found: &FindingsRow<'_>| of(found, found.agreement_of_kappa())),
        Column::new("alpha", "Krippendorff's α", |found: &FindingsRow<'_>| of(found, found.alpha())),
        Column::new("kappa", "κ", |found: &FindingsRow<'_>| of(found, found.kappa())),
        Column::new("ac1", "Gwet's AC1", |found: &FindingsRow<'_>| of(found, found.find("gwet_ac1"))),
        Column::new("links", "same bullets", links)
            .shown_if(findings.iter().any(|found| links(found).is_some())),
        Column::new("kappa_name", "κ is", |found: &FindingsRow<'_>| found.kappa().map(title_of)).detail(),
    ];
    let columns = columns.map(|column| column.decimals(DECIMALS));
    let mut table = Table::of("Agreement by question", columns, findings).keyed("agreement").headline();
    let kappas: IndexSet<&str> = findings.iter().filter_map(|found| found.kappa().map(title_of)).collect();
    let kappas: Vec<&str> = kappas.into_iter().collect();
    table.notes.push(format!(
        "equal: the share of agreement that κ corrects for chance. α is on the scale of the labels. κ is {}. A dash: not asked, \
         or not defined.",
        kappas.join(", ")
    ));
    for found in findings {
        let remarks = found.remarks().into_iter();
        table.notes.extend(remarks.map(|(_, remark)| format!("{}: {remark}", found.comparison.subject())));
    }
    table.notes.extend(findings.iter().map(Findings::method).collect::<IndexSet<String>>());
    table
}
