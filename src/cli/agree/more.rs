//! What is computed when it is asked for: how much more to judge, who agrees best, and the model of Dawid and Skene.

use serde_json::{Map, Value, json};

use super::best::Best;
use super::findings::{Findings, title_of};
use super::tables::{DECIMALS, count, name_subject};
use crate::agreement::{Coefficient, DawidSkene, Definition, Plan, Settings, Undefined};
use crate::cli::args::Agree;
use crate::cli::table::{Cell, Column, Table};
use crate::error::{Error, Result};

/// What is asked for.
pub struct More {
    /// The wanted half of an interval's width.
    width: Option<f64>,
    best: Option<Best>,
    model: bool,
}

impl More {
    /// # Errors
    /// A usage error: the width is no number that an interval can have, or those of [`Best::of`].
    pub fn of(arguments: &Agree) -> Result<Self> {
        let is_width = |width: f64| width.is_finite() && width > 0.0 && width < 1.0;
        if arguments.plan.is_some_and(|width| !is_width(width)) {
            return Err(Error::usage("--plan takes half the width of an interval, between 0 and 1")
                .advise("0.05 is a usual one"));
        }
        Ok(Self { width: arguments.plan, best: Best::of(arguments)?, model: arguments.model })
    }

    /// The tables that go with a comparison.
    pub fn tables(&self, findings: &Findings<'_>) -> Vec<Table> {
        let mut tables: Vec<Table> =
            self.width.map(|width| plan_table(findings, width)).into_iter().collect();
        tables.extend(self.best.map(|best| best.table(findings)));
        if self.model {
            tables.extend(model_tables(findings));
        }
        tables.iter_mut().for_each(|table| {
            table.title = format!("{}: {}", findings.comparison.subject(), table.title);
            name_subject(table, findings);
        });
        tables
    }

    /// The fields that go with a comparison.
    pub fn json(&self, findings: &Findings<'_>) -> Map<String, Value> {
        let mut object = Map::new();
        if let Some(width) = self.width {
            object.insert("plan".into(), plan_json(findings, width));
        }
        if let Some(best) = self.best {
            object.insert("best".into(), best.json(findings));
        }
        if self.model {
            object.insert("model".into(), model_json(findings));
        }
        object
    }
}

/// Alpha and kappa with their plans.
fn plans<'a>(
    findings: &'a Findings<'_>,
    width: f64,
) -> Vec<(&'a Coefficient, std::result::Result<Plan, Undefined>)> {
    let (ratings, clusters) = (&findings.comparison.ratings, &findings.comparison.grouping.clusters);
    let plan = |coefficient: &Coefficient| {
        let definition = Definition::named(coefficient.name).ok_or(Undefined::TooFewItems)?;
        let interval = coefficient.precision.interval.unwrap_or(Err(Undefined::TooFewClusters))?;
        Plan::of(ratings, clusters, definition, Ok(interval), width)
    };
    let wanted = [findings.alpha(), findings.kappa()].into_iter().flatten();
    wanted.map(|coefficient| (coefficient, plan(coefficient))).collect()
}

fn plan_table(findings: &Findings<'_>, width: f64) -> Table {
    let columns = vec![
        Column::text("name", "name").detail(),
        Column::text("coefficient", "coefficient"),
        Column::number("half_width", "now ±", DECIMALS),
        Column::count("items", "items"),
        Column::count("items_needed", "needed"),
        Column::count("items_with_one_more", "with one rating more"),
        Column::count("items_with_one_more_at_most", "at most"),
    ];
    let mut table = Table::new(format!("items for an interval of ± {width}"), columns);
    for (coefficient, plan) in plans(findings, width) {
        let mut row = vec![coefficient.name.into(), title_of(coefficient).into()];
        match plan {
            Err(reason) => row.push(Cell::number(Err(reason))),
            Ok(plan) => {
                row.extend([Cell::Number(plan.half_width), count(plan.items), count(plan.items_needed)]);
                match plan.with_one_more {
                    Err(reason) => row.push(Cell::number(Err(reason))),
                    Ok(more) => {
                        row.extend([count(more.items_needed), more.at_most.map_or(Cell::Empty, count)])
                    }
                }
            }
        }
        table.rows.push(row);
    }
    table.notes.push(
        "Items rated twice or more in all: needed with as many ratings an item as now; with one rating more, when every \
         item has one more. The width goes with 1/√(items); what another annotator takes off is estimated by leaving each one \
         out, and with two annotators only its bounds are known."
            .to_owned(),
    );
    table
}

fn plan_json(findings: &Findings<'_>, width: f64) -> Value {
    let plan = |(coefficient, plan): (&Coefficient, std::result::Result<Plan, Undefined>)| match plan {
        Err(reason) => json!({"name": coefficient.name, "half_width": null, "undefined": reason.as_str()}),
        Ok(plan) => json!({
            "name": coefficient.name,
            "half_width": plan.half_width,
            "wanted": width,
            "items": plan.items,
            "items_needed": plan.items_needed,
            "items_with_one_more": plan.with_one_more.ok().map(|more| more.items_needed),
            "items_with_one_more_at_most": plan.with_one_more.ok().and_then(|more| more.at_most),
        }),
    };
    plans(findings, width).into_iter().map(plan).collect()
}

fn fitted(findings: &Findings<'_>) -> std::result::Result<DawidSkene, Undefined> {
    DawidSkene::fit(&findings.counts, Settings::default())
}

fn model_tables(findings: &Findings<'_>) -> Vec<Table> {
    let categories = findings.comparison.ratings.categories();
    let labels: Vec<&str> = categories.iter().map(|category| category.label.as_str()).collect();
    let mut columns = vec![
        Column::text("annotator", "annotator"),
        Column::number("competence", "compe- tence", DECIMALS),
        Column::text("truth", "the truth is"),
    ];
    columns.extend(
        labels.iter().map(|label| Column::number(format!("says_{label}"), format!("says {label}"), DECIMALS)),
    );
    let mut table = Table::new("annotators by the model of Dawid and Skene", columns);
    let model = match fitted(findings) {
        Ok(model) => model,
        Err(reason) => {
            table.notes.push(reason.explanation().to_owned());
            return vec![table];
        }
    };
    for (name, rater) in findings.comparison.annotators().into_iter().zip(&model.raters) {
        for (label, shares) in labels.iter().zip(&rater.confusion) {
            let mut row = vec![name.into(), Cell::Number(rater.accuracy), (*label).into()];
            row.extend(shares.iter().copied().map(Cell::Number));
            table.rows.push(row);
        }
    }
    let shares =
        labels.iter().zip(&model.prevalence).map(|(label, share)| format!("{label} {:.1} %", 100.0 * share));
    table.notes.push(format!("Estimated truth: {}.", shares.collect::<Vec<_>>().join(", ")));
    let steps = model.trace.len() - 1;
    let ended = if model.converged { "It converged" } else { "It did not converge" };
    table.notes.push(format!("{ended} after {steps} steps; log-likelihood {:.3}.", model.log_likelihood));
    if findings.comparison.annotators().len() < 3 {
        table
            .notes
            .push("With two annotators many models fit equally well, so this one says little.".to_owned());
    }
    table.notes.push(
        "Competence: how often the annotator is expected to be right. Smoothed by 0.01 in every cell."
            .to_owned(),
    );
    vec![table]
}

fn model_json(findings: &Findings<'_>) -> Value {
    let model = match fitted(findings) {
        Ok(model) => model,
        Err(reason) => return json!({"undefined": reason.as_str()}),
    };
    let names = findings.comparison.annotators();
    let annotator = |(name, rater): (&str, &crate::agreement::Competence)| json!({"annotator": name, "competence": rater.accuracy, "confusion": rater.confusion});
    let annotators: Vec<Value> = names.into_iter().zip(&model.raters).map(annotator).collect();
    json!({
        "prevalence": model.prevalence,
        "annotators": annotators,
        "smoothing": Settings::default().smoothing,
        "steps": model.trace.len() - 1,
        "converged": model.converged,
        "log_likelihood": model.log_likelihood,
        "trace": model.trace,
    })
}
