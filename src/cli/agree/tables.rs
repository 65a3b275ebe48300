//! What is printed: tables for people, one complete object for programs.

use serde_json::{Map, Value, json};

use super::comparison::{ComparedPair, Comparison};
use crate::agreement::{Coefficient, Confusion, Definition, Measure, Scale, Undefined};
use crate::cli::table::{Cell, Column, Table};
use crate::error::{Error, Result};

/// Decimals of coefficients, as papers print them.
const DECIMALS: usize = 3;

/// The coefficients over all annotators, then the pairs.
pub fn tables(comparison: &Comparison) -> Vec<Table> {
    let mut tables = vec![over_all(comparison)];
    if comparison.annotators().len() > 1 {
        tables.push(by_pair(comparison));
    }
    for table in &mut tables {
        name_subject(table, comparison);
    }
    tables
}

/// For programs, every row says what it is about.
fn name_subject(table: &mut Table, comparison: &Comparison) {
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

fn title(comparison: &Comparison) -> String {
    let (items, pairable, ratings) = comparison.sizes();
    let subject = match (&comparison.protocol, &comparison.question) {
        (Some(protocol), Some(question)) if protocol != question => {
            format!("{protocol} · {question}")
        }
        (Some(protocol), _) => protocol.clone(),
        _ => "Ratings".to_owned(),
    };
    let tag = comparison.tag.iter().map(|tag| format!(" · {tag}")).collect::<String>();
    format!(
        "{subject}{tag} ({}): items {items}, rated twice or more {pairable}, ratings {ratings}, annotators {}",
        comparison.scale_name(),
        comparison.annotators().len(),
    )
}

fn over_all(comparison: &Comparison) -> Table {
    let columns = vec![
        Column::text("name", "name").detail(),
        Column::text("coefficient", "coefficient"),
        Column::number("value", "value", DECIMALS),
        Column::number("se", "SE", DECIMALS),
        Column::number("low", "95 % from", DECIMALS),
        Column::number("high", "to", DECIMALS),
        Column::count("items", "items"),
    ];
    let mut table = Table::new(title(comparison), columns);
    for coefficient in comparison.coefficients() {
        table.rows.push(coefficient_row(&coefficient));
    }
    if let Some(row) = linking_row(comparison) {
        table.rows.push(row);
    }
    table.notes.clone_from(&comparison.notes);
    table
}

fn coefficient_row(coefficient: &Coefficient) -> Vec<Cell> {
    let title = Definition::named(coefficient.name).map_or(coefficient.name, |definition| definition.title);
    let optional = |value: Option<Measure>| value.map_or(Cell::Empty, Cell::number);
    let interval = coefficient.precision.interval;
    let end =
        |pick: fn(crate::agreement::Interval) -> f64| optional(interval.map(|interval| interval.map(pick)));
    vec![
        coefficient.name.into(),
        title.into(),
        Cell::number(coefficient.value),
        optional(coefficient.precision.se),
        end(|interval| interval.low),
        end(|interval| interval.high),
        count(coefficient.items),
    ]
}

/// Linking accuracy, averaged over the pairs that have one (SummHay §4.2).
fn linking_row(comparison: &Comparison) -> Option<Vec<Cell>> {
    if comparison.links.is_empty() {
        return None;
    }
    let linked: u64 = comparison.links.values().map(|linking| linking.linked).sum();
    Some(vec![
        "linking_accuracy".into(),
        "Linking accuracy".into(),
        Cell::number(mean_linking(comparison)),
        Cell::Empty,
        Cell::Empty,
        Cell::Empty,
        count(linked),
    ])
}

fn mean_linking(comparison: &Comparison) -> Measure {
    let defined: Vec<f64> = comparison.links.values().filter_map(|linking| linking.accuracy().ok()).collect();
    mean(&defined).ok_or(Undefined::NoLinkedItems)
}

fn mean(values: &[f64]) -> Option<f64> {
    let count = u32::try_from(values.len()).ok().filter(|count| *count > 0)?;
    Some(values.iter().sum::<f64>() / f64::from(count))
}

fn count(count: u64) -> Cell {
    Cell::Count(usize::try_from(count).unwrap_or(usize::MAX))
}

fn by_pair(comparison: &Comparison) -> Table {
    let has_links = !comparison.links.is_empty();
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
    ];
    if has_links {
        columns.push(Column::number("linking_accuracy", "linking", DECIMALS));
        columns.push(Column::count("linked", "linked"));
    }
    let mut table = Table::new("Pairs", columns);
    let pairs = comparison.pairs();
    table.rows.extend(pairs.iter().map(pair_row));
    if pairs.len() > 1 {
        table.rows.push(mean_row(&pairs, has_links));
    }
    table
}

fn pair_row(compared: &ComparedPair) -> Vec<Cell> {
    let pair = &compared.pair;
    let mut row = vec![pair.a.as_str().into(), pair.b.as_str().into(), count(pair.items)];
    row.extend(pair.statistics().map(|(_, value)| Cell::number(value)));
    if let Some(linking) = compared.linking {
        row.push(Cell::number(linking.accuracy()));
        row.push(count(linking.linked));
    }
    row
}

/// The mean of each statistic over the pairs where it is defined.
fn mean_row(pairs: &[ComparedPair], has_links: bool) -> Vec<Cell> {
    let statistic = |index: usize| {
        let values: Vec<f64> = pairs
            .iter()
            .filter_map(|compared| compared.pair.statistics().get(index).and_then(|(_, value)| value.ok()))
            .collect();
        Cell::number(mean(&values).ok_or(Undefined::NoDefinedPair))
    };
    let mut row = vec!["mean".into(), Cell::Empty, Cell::Empty];
    row.extend((0..5).map(statistic));
    if has_links {
        let values: Vec<f64> =
            pairs.iter().filter_map(|compared| compared.linking?.accuracy().ok()).collect();
        row.push(Cell::number(mean(&values).ok_or(Undefined::NoLinkedItems)));
    }
    row
}

/// One comparison as an object, several as a list of objects.
pub fn json(comparisons: &[Comparison]) -> Result<String> {
    let objects = comparisons.iter().map(object).collect::<Result<Vec<Value>>>()?;
    let value = match <[Value; 1]>::try_from(objects) {
        Ok([object]) => object,
        Err(objects) => Value::Array(objects),
    };
    let text = serde_json::to_string_pretty(&value).map_err(|error| unwritten(&error))?;
    Ok(text + "\n")
}

fn unwritten(error: &serde_json::Error) -> Error {
    Error::new(format!("the numbers cannot be written as JSON: {error}"))
}

fn object(comparison: &Comparison) -> Result<Value> {
    let (items, pairable, ratings) = comparison.sizes();
    let categories = comparison.ratings.categories();
    let labels: Vec<&str> = categories.iter().map(|category| category.label.as_str()).collect();
    let scores: Vec<f64> = categories.iter().map(|category| category.code).collect();
    let mut coefficients =
        serde_json::to_value(comparison.coefficients()).map_err(|error| unwritten(&error))?;
    if let (Some(list), false) = (coefficients.as_array_mut(), comparison.links.is_empty()) {
        let linked: u64 = comparison.links.values().map(|linking| linking.linked).sum();
        let mut linking = json!({"name": "linking_accuracy", "items": linked});
        insert(&mut linking, "value", mean_linking(comparison));
        list.push(linking);
    }
    let mut object = json!({
        "protocol": comparison.protocol,
        "question": comparison.question,
        "scale": comparison.scale_name(),
        "categories": labels,
        "scores": scores,
        "items": items,
        "items_pairable": pairable,
        "annotators": comparison.annotators(),
        "ratings": ratings,
        "coefficients": coefficients,
        "notes": comparison.notes,
    });
    let pairs = comparison.pairs().iter().map(pair_object).collect::<Result<Vec<Value>>>()?;
    if let Some(map) = object.as_object_mut() {
        if let Some(tag) = &comparison.tag {
            map.insert("tag".into(), tag.as_str().into());
        }
        map.insert("pairs".into(), pairs.into());
        map.insert("confusion".into(), confusion(comparison));
    }
    Ok(object)
}

fn insert(object: &mut Value, name: &str, measure: Measure) {
    let Some(map) = object.as_object_mut() else {
        return;
    };
    map.insert(name.into(), measure.ok().into());
    if let Err(reason) = measure {
        map.insert("undefined".into(), reason.as_str().into());
    }
}

fn pair_object(compared: &ComparedPair) -> Result<Value> {
    let mut object = serde_json::to_value(&compared.pair).map_err(|error| unwritten(&error))?;
    if let (Some(map), Some(linking)) = (object.as_object_mut(), compared.linking) {
        map.insert("linking_accuracy".into(), linking.accuracy().ok().into());
        map.insert("linked".into(), linking.linked.into());
    }
    Ok(object)
}

/// Rows are the first annotator's labels, columns the second's, in scale order.
fn confusion(comparison: &Comparison) -> Value {
    let names = comparison.annotators();
    let mut tables = Map::new();
    for (a, first) in names.iter().enumerate() {
        for (b, second) in names.iter().enumerate().skip(a + 1) {
            if let Some(table) = Confusion::between(&comparison.ratings, a, b) {
                let rows: Vec<&[u64]> = table.rows().collect();
                tables.insert(format!("{first}|{second}"), json!(rows));
            }
        }
    }
    Value::Object(tables)
}
