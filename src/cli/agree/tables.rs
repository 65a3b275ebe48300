//! Everything as tables: coefficients, pairs, and what they are made of.

use super::comparison::ComparedPair;
use super::findings::{Findings, title_of};
use super::parts;
use crate::agreement::{Coefficient, Measure, Method, PairLinkings, Scale, Share, Undefined};
use crate::cli::table::{Cell, Column, Table};

/// Decimals of coefficients, as papers print them.
pub const DECIMALS: usize = 3;

/// All tables of a comparison: first what was used, last the confusions.
pub fn tables(findings: &Findings<'_>, is_for_programs: bool) -> Vec<Table> {
    let mut tables = vec![coefficients(findings)];
    if findings.comparison.annotators().len() > 1 {
        tables.extend(parts::linked(findings));
        tables.push(by_pair(findings));
        // Programs have the same numbers by pair.
        tables.extend(parts::matrix(findings).filter(|_| !is_for_programs));
        tables.push(parts::by_category(findings));
        tables.extend(parts::by_group(findings));
        tables.push(parts::by_annotator(findings));
        tables.push(parts::confusions(findings));
    }
    for table in &mut tables {
        table.title = format!("{}: {}", findings.comparison.subject(), table.title);
    }
    tables.insert(0, Table { title: title(findings), ..parts::used(findings) });
    tables.iter_mut().for_each(|table| name_subject(table, findings));
    tables
}

/// For programs, every row says what it is about.
pub fn name_subject(table: &mut Table, findings: &Findings<'_>) {
    let comparison = findings.comparison;
    let mut subject = vec![
        ("protocol", Cell::from(comparison.protocol.clone())),
        ("question", comparison.question.clone().into()),
    ];
    if let Some(tag) = &comparison.tag {
        subject.push(("tag", tag.as_str().into()));
    }
    table.columns.splice(0..0, subject.iter().map(|(name, _)| Column::text(*name, *name).detail()));
    for row in &mut table.rows {
        row.splice(0..0, subject.iter().map(|(_, cell)| cell.clone()));
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

fn coefficients(findings: &Findings<'_>) -> Table {
    let columns = vec![
        Column::text("name", "name").detail(),
        Column::text("coefficient", "coefficient"),
        Column::number("value", "value", DECIMALS),
        Column::number("se", "SE", DECIMALS),
        Column::number("low", "95 % from", DECIMALS),
        Column::number("high", "to", DECIMALS),
        Column::text("interval", "by"),
        Column::count("items", "items"),
    ];
    let mut table = Table::new("coefficients", columns);
    table.rows.extend(findings.coefficients.iter().map(coefficient_row));
    table.rows.extend(linking_row(findings));
    table.notes.extend(findings.why());
    table.notes.extend(findings.notes());
    table.notes.push(findings.method());
    table
}

fn coefficient_row(coefficient: &Coefficient) -> Vec<Cell> {
    let mut row =
        vec![coefficient.name.into(), title_of(coefficient).into(), Cell::number(coefficient.value)];
    row.push(optional(coefficient.precision.se));
    row.extend(ends(coefficient.precision.interval));
    row.push(count(coefficient.items));
    row
}

/// Both ends of an interval, and how it was made.
pub fn ends(interval: Option<Result<crate::agreement::Interval, Undefined>>) -> [Cell; 3] {
    let method = match interval {
        Some(Ok(interval)) if interval.method == Method::Analytic => "analytic".into(),
        Some(Ok(_)) => "bootstrap".into(),
        _ => Cell::Text(String::new()),
    };
    let end =
        |pick: fn(crate::agreement::Interval) -> f64| optional(interval.map(|interval| interval.map(pick)));
    [end(|interval| interval.low), end(|interval| interval.high), method]
}

fn optional(value: Option<Measure>) -> Cell {
    value.map_or(Cell::Empty, Cell::number)
}

/// Linking accuracy, averaged over the pairs that have one (SummHay §4.2).
fn linking_row(findings: &Findings<'_>) -> Option<Vec<Cell>> {
    let links = findings.comparison.links.as_ref()?;
    let linked: u64 = links.iter().map(|linking| linking.linked).sum();
    let mut row = vec!["linking_accuracy".into(), "Linking accuracy".into()];
    row.extend([Cell::number(mean_linking(findings)), Cell::Empty, Cell::Empty, Cell::Empty]);
    row.extend([Cell::Text(String::new()), count(linked)]);
    Some(row)
}

/// The mean linking accuracy over the pairs that have one.
pub fn mean_linking(findings: &Findings<'_>) -> Measure {
    let links = findings.comparison.links.iter().flat_map(PairLinkings::iter);
    let defined: Vec<f64> = links.filter_map(|linking| linking.accuracy().ok()).collect();
    mean(&defined).ok_or(Undefined::NoLinkedItems)
}

fn mean(values: &[f64]) -> Option<f64> {
    let count = u32::try_from(values.len()).ok().filter(|count| *count > 0)?;
    Some(values.iter().sum::<f64>() / f64::from(count))
}

/// A number of items or ratings.
pub fn count(count: u64) -> Cell {
    Cell::Count(usize::try_from(count).unwrap_or(usize::MAX))
}

fn by_pair(findings: &Findings<'_>) -> Table {
    let comparison = findings.comparison;
    let has_links = comparison.links.is_some();
    let pearson = Column::number("pearson_r", "Pearson r", DECIMALS);
    // Labels without an order have no codes to correlate.
    let is_ordered = comparison.ratings.scale() != Scale::Nominal;
    let pearson = if is_ordered { pearson } else { pearson.detail() };
    let mut columns = vec![
        Column::text("a", "a"),
        Column::text("b", "b"),
        Column::count("items", "items"),
        Column::number("percent_agreement", "equal", DECIMALS),
        Column::number("cohen_kappa", "Cohen κ", DECIMALS),
        Column::number("cohen_kappa_linear", "κ linear", DECIMALS).detail(),
        Column::number("cohen_kappa_quadratic", "κ quadratic", DECIMALS).detail(),
        pearson,
        Column::number("kappa_max", "κ at most", DECIMALS),
        Column::number("bias_index", "bias", DECIMALS),
        Column::number("prevalence_index", "preva- lence", DECIMALS),
    ];
    if has_links {
        columns.push(Column::number("linking_accuracy", "linking", DECIMALS));
        columns.push(Column::count("linked", "linked"));
        let share = |share: Share| Column::number(share.name, share.title, DECIMALS).detail();
        columns.extend(crate::agreement::LinkedCounts::default().shares().into_iter().skip(1).map(share));
    }
    let mut table = Table::new("pairs", columns);
    let pairs = comparison.pairs();
    table.rows.extend(pairs.iter().map(pair_row));
    if pairs.len() > 1 {
        table.rows.push(mean_row(&table.rows));
    }
    table.notes.extend(comparison.why_no_pairs());
    table.notes.push(
        "κ at most: the largest kappa that these marginals allow. Bias: how far the two differ in how often they use \
         the labels. Prevalence: how unevenly they use them together. All from 0 to 1."
            .to_owned(),
    );
    table
}

fn pair_row(compared: &ComparedPair) -> Vec<Cell> {
    let pair = &compared.pair;
    let mut row = vec![pair.a.as_str().into(), pair.b.as_str().into(), count(pair.items)];
    row.extend(pair.statistics().map(|(_, value)| Cell::number(value)));
    let margins = compared.margins;
    row.extend([margins.kappa_max, margins.bias_index, margins.prevalence_index].map(Cell::number));
    if let Some(linking) = compared.linking {
        row.push(Cell::number(linking.accuracy()));
        row.push(count(linking.linked));
        let shares = compared.linked.unwrap_or_default().shares();
        row.extend(shares.into_iter().skip(1).map(|share| Cell::number(share.value)));
    }
    row
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
