//! Subsets of annotators, those that agree best first.

use serde_json::{Value, json};

use super::findings::{Findings, alpha_on};
use super::tables::{DECIMALS, count};
use crate::agreement::{
    Definition, Interval, MAX_SUBSETS, Measure, Subset, Undefined, best_subsets, number_of_subsets,
};
use crate::cli::args::Agree;
use crate::cli::table::{Cell, Column, Table};
use crate::error::{Error, Result};

/// So many subsets are shown to a reader who does not want all.
const SHOWN: usize = 10;

/// What is asked for.
#[derive(Clone, Copy)]
pub struct Best {
    /// Annotators in a subset.
    size: usize,
    /// What they are ranked by; alpha on the scale of the labels when nothing is named.
    by: Option<&'static Definition>,
    is_brief: bool,
}

/// A subset with the interval of what it is ranked by.
struct Ranked {
    subset: Subset,
    /// `None` where nothing is drawn again.
    interval: Option<std::result::Result<Interval, Undefined>>,
}

impl Best {
    /// What the arguments ask for, if anything.
    ///
    /// # Errors
    /// A usage error: there is no such coefficient, or it is not for so many annotators.
    pub fn of(arguments: &Agree) -> Result<Option<Best>> {
        let Some(size) = arguments.best.best else { return Ok(None) };
        let by = match &arguments.best.best_by {
            None => None,
            Some(name) => {
                let unknown = || {
                    let names: Vec<&str> =
                        crate::agreement::COEFFICIENTS.iter().map(|definition| definition.name).collect();
                    Error::usage(format!("there is no coefficient {name:?}"))
                        .advise(format!("choose among {}", names.join(", ")))
                };
                Some(Definition::named(name).ok_or_else(unknown)?)
            }
        };
        if let Some(definition) = by.filter(|definition| definition.two_raters_only() && size > 2) {
            return Err(Error::usage(format!("{} is for two annotators, not for {size}", definition.title))
                .advise("rank by fleiss_kappa_generalized or by an alpha"));
        }
        Ok(Some(Best { size, by, is_brief: !arguments.prints_everything() }))
    }

    /// What subsets are ranked by, then what stands beside it.
    fn definitions(&self, findings: &Findings<'_>) -> Vec<&'static Definition> {
        let kappa = if self.size == 2 { "cohen_kappa" } else { "fleiss_kappa_generalized" };
        let alpha = alpha_on(findings.comparison.ratings.scale());
        let first = self.by.map_or(alpha, |definition| definition.name);
        let mut names = vec![first];
        for name in [alpha, kappa, "randolph_kappa", "percent_agreement_items"] {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.into_iter().filter_map(Definition::named).collect()
    }

    /// The subsets that are shown, and how many there are.
    fn ranked(&self, findings: &Findings<'_>, definitions: &[&'static Definition]) -> (Vec<Ranked>, usize) {
        let (ratings, clusters) = (&findings.comparison.ratings, &findings.comparison.grouping.clusters);
        let subsets = best_subsets(ratings, self.size, definitions);
        let all = subsets.len();
        let shown = if self.is_brief { SHOWN } else { all };
        let interval = |subset: &Subset| {
            let definition = definitions.first().filter(|_| findings.bootstrap.resamples > 0)?;
            Some(subset.interval(ratings, clusters, definition, findings.bootstrap))
        };
        let ranked = subsets.into_iter().take(shown);
        (ranked.map(|subset| Ranked { interval: interval(&subset), subset }).collect(), all)
    }

    /// The table of a comparison.
    pub fn table(&self, findings: &Findings<'_>) -> Table {
        let definitions = self.definitions(findings);
        let mut columns = vec![Column::count("place", "place"), Column::text("annotators", "annotators")];
        columns.push(Column::count("items", "items"));
        for (place, definition) in definitions.iter().enumerate() {
            columns.push(Column::number(definition.name, short(definition), DECIMALS));
            if place == 0 {
                columns.push(Column::number("low", "95 % from", DECIMALS));
                columns.push(Column::number("high", "to", DECIMALS));
            }
        }
        let mut table = Table::new(format!("{} annotators who agree best", self.size), columns);
        let (ranked, all) = self.ranked(findings, &definitions);
        let names = findings.comparison.annotators();
        for (place, ranked) in ranked.iter().enumerate() {
            let mut row = vec![Cell::Count(place + 1), Cell::Text(named(&names, &ranked.subset).join(", "))];
            row.push(count(ranked.subset.items));
            for (place, value) in ranked.subset.values.iter().enumerate() {
                row.push(Cell::number(*value));
                if place == 0 {
                    row.extend(ends(*value, ranked.interval));
                }
            }
            table.rows.push(row);
        }
        table.notes = self.notes(findings, &definitions, ranked.len(), all);
        table
    }

    fn notes(&self, findings: &Findings<'_>, by: &[&Definition], shown: usize, all: usize) -> Vec<String> {
        let annotators = findings.comparison.annotators().len();
        if all == 0 {
            return vec![self.why_none(annotators)];
        }
        let title = by.first().map_or("", |definition| definition.title);
        let mut notes = Vec::new();
        if shown < all {
            notes.push(format!("The best {shown} of {all}; --full prints all."));
        }
        notes.push(format!(
            "Ranked by {title} over the items that two or more of them rated; intervals from {}.",
            findings.clusters_in_words()
        ));
        if all > 1 {
            notes.push(
                "The best of several looks better than it is: its interval does not know that it was picked. Judge by where \
                 the intervals lie apart, and name the rule before looking."
                    .to_owned(),
            );
        }
        notes
    }

    /// Why no subset is compared.
    fn why_none(&self, annotators: usize) -> String {
        let number = match number_of_subsets(annotators, self.size) {
            0 => return format!("Only {annotators} annotators answered this question."),
            u64::MAX => format!("more than {}", u64::MAX),
            number => number.to_string(),
        };
        format!(
            "There are {number} subsets, none of which was tried: at most {MAX_SUBSETS} are; name fewer annotators with \
             --annotators."
        )
    }

    /// The same for programs.
    pub fn json(&self, findings: &Findings<'_>) -> Value {
        let definitions = self.definitions(findings);
        let names = findings.comparison.annotators();
        let (ranked, _) = self.ranked(findings, &definitions);
        let subset = |ranked: &Ranked| {
            let mut object = serde_json::Map::new();
            object.insert("annotators".into(), json!(named(&names, &ranked.subset)));
            object.insert("items".into(), ranked.subset.items.into());
            for (definition, value) in definitions.iter().zip(&ranked.subset.values) {
                object.insert(definition.name.into(), json!(value.ok()));
                if let Err(reason) = value {
                    object.insert(format!("{}_undefined", definition.name), reason.as_str().into());
                }
            }
            match ranked.interval {
                Some(Ok(interval)) => {
                    object.insert("low".into(), interval.low.into());
                    object.insert("high".into(), interval.high.into());
                }
                Some(Err(reason)) => {
                    object.insert("interval_undefined".into(), reason.as_str().into());
                }
                None => {}
            }
            Value::Object(object)
        };
        let mut best = json!({
            "size": self.size,
            "by": definitions.first().map(|definition| definition.name),
            "subsets": ranked.iter().map(subset).collect::<Vec<Value>>(),
        });
        if let (Some(best), true) = (best.as_object_mut(), ranked.is_empty()) {
            best.insert("why_none".into(), self.why_none(names.len()).into());
        }
        best
    }
}

fn named<'a>(names: &[&'a str], subset: &Subset) -> Vec<&'a str> {
    subset.raters.iter().filter_map(|rater| names.get(*rater).copied()).collect()
}

/// Both ends; a value that does not exist has said why already.
fn ends(value: Measure, interval: Option<std::result::Result<Interval, Undefined>>) -> [Cell; 2] {
    let end = |pick: fn(Interval) -> f64| match interval.filter(|_| value.is_ok()) {
        None => Cell::Empty,
        Some(interval) => Cell::number(interval.map(pick)),
    };
    [end(|interval| interval.low), end(|interval| interval.high)]
}

/// A heading that leaves room for the others.
fn short(definition: &Definition) -> String {
    match definition.name {
        "krippendorff_alpha_nominal" | "krippendorff_alpha_ordinal" | "krippendorff_alpha_interval" => {
            "alpha"
        }
        "cohen_kappa" => "Cohen κ",
        "fleiss_kappa_generalized" => "Fleiss κ",
        "randolph_kappa" => "Randolph κ",
        "percent_agreement_items" => "equal",
        _ => definition.title,
    }
    .to_owned()
}
