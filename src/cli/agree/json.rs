//! One complete object for programs.

use serde_json::{Map, Value, json};

use super::comparison::ComparedPair;
use super::findings::{Findings, alpha_on};
use super::parts::{self, each_confusion};
use super::tables::mean_linking;
use crate::agreement::{LinkedCounts, Measure, Share};
use crate::cli::table::Cell;
use crate::error::{Error, Result};

/// One comparison as an object, several as a list of objects.
pub fn json(
    all: &[Findings<'_>],
    more: impl Fn(&Findings<'_>) -> Result<Map<String, Value>>,
) -> Result<String> {
    let complete = |findings: &Findings<'_>| {
        let mut object = object(findings)?;
        object.extend(more(findings)?);
        Ok(Value::Object(object))
    };
    let objects = all.iter().map(complete).collect::<Result<Vec<Value>>>()?;
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

fn object(findings: &Findings<'_>) -> Result<Map<String, Value>> {
    let (comparison, counts) = (findings.comparison, &findings.counts);
    let categories = comparison.ratings.categories();
    let labels: Vec<&str> = categories.iter().map(|category| category.label.as_str()).collect();
    let scores: Vec<f64> = categories.iter().map(|category| category.code).collect();
    let dropped: Map<String, Value> =
        findings.dropped().into_iter().map(|(name, number, _)| (name.to_owned(), number.into())).collect();
    let object = json!({
        "protocol": comparison.protocol,
        "question": comparison.question,
        "scale": comparison.scale_name(),
        "categories": labels,
        "scores": scores,
        "items": counts.items_rated(),
        "items_pairable": counts.items_pairable(),
        "dropped": dropped,
        "annotators": comparison.annotators(),
        "ratings": counts.ratings(),
        "cluster": comparison.grouping.cluster.words().0,
        "clusters": findings.clusters,
        "resamples": findings.bootstrap.resamples,
        "seed": findings.bootstrap.seed,
        "coefficients": coefficients(findings)?,
        "why": findings.why(),
        "notes": findings.notes(),
        "pairs": comparison.pairs().iter().map(pair).collect::<Result<Vec<Value>>>()?,
        "confusion": confusion(findings),
        "by_category": by_category(findings),
        "by_annotator": by_annotator(findings),
    });
    let mut object = if let Value::Object(object) = object { object } else { Map::new() };
    if let Some(why) = comparison.why_no_pairs() {
        object.insert("pairs_not_listed".into(), why.into());
    }
    if let Some(tag) = &comparison.tag {
        object.insert("tag".into(), tag.as_str().into());
    }
    if let Some(linked) = &comparison.linked {
        let all = linked.links.total(&comparison.ratings, &linked.asks);
        object.insert("linked".into(), findings.shares.iter().map(share).collect());
        object.insert("unlinked".into(), json!({"both": all.both_unlinked, "one": all.one_unlinked}));
    }
    for partition in &comparison.grouping.partitions {
        object.insert(format!("by_{}", partition.name), by_group(findings, partition));
    }
    Ok(object)
}

/// Adds a value, or null and the reason under the name with `_undefined`.
pub fn insert(object: &mut Map<String, Value>, name: &str, measure: Measure) {
    object.insert(name.into(), measure.ok().into());
    if let Err(reason) = measure {
        let key = if name == "value" { "undefined".to_owned() } else { format!("{name}_undefined") };
        object.insert(key, reason.as_str().into());
    }
}

fn coefficients(findings: &Findings<'_>) -> Result<Value> {
    let mut list = serde_json::to_value(&findings.coefficients).map_err(|error| unwritten(&error))?;
    if let (Some(list), Some(links)) = (list.as_array_mut(), &findings.comparison.links) {
        let linked: u64 = links.iter().map(|linking| linking.linked).sum();
        let mut linking =
            Map::from_iter([("name".into(), "linking_accuracy".into()), ("items".into(), linked.into())]);
        insert(&mut linking, "value", mean_linking(findings));
        list.push(Value::Object(linking));
    }
    Ok(list)
}

fn share(share: &Share) -> Value {
    let mut object =
        Map::from_iter([("name".to_owned(), Value::from(share.name)), ("items".into(), share.of.into())]);
    insert(&mut object, "value", share.value);
    if let Some(interval) = share.interval {
        insert(&mut object, "low", interval.map(|interval| interval.low));
        insert(&mut object, "high", interval.map(|interval| interval.high));
        object.insert("interval".into(), interval.is_ok().then_some("bootstrap").into());
    }
    Value::Object(object)
}

fn pair(compared: &ComparedPair) -> Result<Value> {
    let mut value = serde_json::to_value(&compared.pair).map_err(|error| unwritten(&error))?;
    if let Some(object) = value.as_object_mut() {
        let margins = compared.margins;
        insert(object, "kappa_max", margins.kappa_max);
        insert(object, "bias_index", margins.bias_index);
        insert(object, "prevalence_index", margins.prevalence_index);
        if let Some(linking) = compared.linking {
            object.insert("linking_accuracy".into(), linking.accuracy().ok().into());
            object.insert("linked".into(), linking.linked.into());
        }
        if let Some(linked) = compared.linked {
            object.insert("covered_by_both".into(), linked.covered.into());
            object
                .insert("unlinked".into(), json!({"both": linked.both_unlinked, "one": linked.one_unlinked}));
        }
        for share in compared.linked.iter().flat_map(LinkedCounts::shares).skip(1) {
            insert(object, share.name, share.value);
        }
    }
    Ok(value)
}

/// Rows are the first annotator's labels, columns the second's, in scale order.
fn confusion(findings: &Findings<'_>) -> Value {
    let names = findings.comparison.annotators();
    let mut tables = Map::new();
    each_confusion(findings, |a, b, table| {
        if let (Some(first), Some(second)) = (names.get(a), names.get(b)) {
            let rows: Vec<&[u64]> = table.rows().collect();
            tables.insert(format!("{first}|{second}"), json!(rows));
        }
    });
    Value::Object(tables)
}

fn by_category(findings: &Findings<'_>) -> Value {
    let categories = findings.counts.by_category().into_iter().map(|category| {
        let mut object = Map::from_iter([
            ("label".to_owned(), Value::from(category.label)),
            ("ratings".into(), category.ratings.into()),
        ]);
        insert(&mut object, "share", category.share);
        insert(&mut object, "specific_agreement", category.agreement);
        Value::Object(object)
    });
    categories.collect()
}

fn by_annotator(findings: &Findings<'_>) -> Value {
    let counts = &findings.counts;
    let chosen = counts.labels_by_rater().into_iter().zip(counts.against_rest());
    let names = findings.comparison.annotators();
    let labels = || findings.comparison.ratings.categories().iter().map(|category| category.label.clone());
    let annotators = names.iter().zip(chosen).map(|(name, (chosen, rest))| {
        let labels: Map<String, Value> = labels().zip(chosen.into_iter().map(Value::from)).collect();
        let mut object = Map::from_iter([
            ("annotator".to_owned(), Value::from(*name)),
            ("labels".into(), labels.into()),
            ("rest_items".into(), rest.items.into()),
            ("rest_ties".into(), rest.ties.into()),
        ]);
        insert(&mut object, "agreement_with_rest", rest.agreement());
        Value::Object(object)
    });
    annotators.collect()
}

fn by_group(findings: &Findings<'_>, partition: &super::grouping::Partition) -> Value {
    let alpha = alpha_on(findings.comparison.ratings.scale());
    let mut groups = Vec::new();
    findings.counts.each_group(&partition.of_item, |group, counts| {
        let label = partition.labels.get(group as usize).cloned();
        let mut object = Map::from_iter([
            (partition.name.to_owned(), Value::from(label)),
            ("items".into(), counts.items_rated().into()),
            ("items_pairable".into(), counts.items_pairable().into()),
        ]);
        for (name, cell) in parts::of_group(counts, alpha) {
            match cell {
                Cell::Number(value) => object.insert(name.into(), value.into()),
                Cell::Undefined(reason) => {
                    object.insert(name.into(), Value::Null);
                    object.insert(format!("{name}_undefined"), reason.code.into())
                }
                _ => None,
            };
        }
        groups.push(Value::Object(object));
    });
    Value::Array(groups)
}
