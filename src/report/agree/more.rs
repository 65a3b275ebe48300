//! Tables that are computed on request: how much more to judge, who agrees best, and the model of Dawid and Skene.

use super::{Best, DECIMALS, Findings, name_subject, parts, title_of};
use crate::agreement::{
    Coefficient, DawidSkene, Definition, IntervalPlan, ModelSettings, Undefined, WithOneMore,
};
use crate::report::{Column, Table};
use crate::score::ClusterKind;
use crate::text::words::capitalised;

/// The tables that are requested.
#[derive(Clone, Copy, Default)]
pub struct More {
    /// The wanted half of an interval's width.
    pub plan: Option<f64>,
    pub best: Option<Best>,
    pub model: bool,
    /// Whether to give the groups of items, where only requested tables are printed.
    pub groups: bool,
}

impl More {
    /// The requested tables of a comparison.
    pub fn tables(&self, findings: &Findings<'_>) -> Vec<Table> {
        let mut tables: Vec<Table> = self.plan.map(|width| plan_table(findings, width)).into_iter().collect();
        tables.extend(self.best.map(|best| best.table(findings)));
        if self.model {
            tables.push(model_table(findings));
        }
        if self.groups {
            tables.extend(parts::by_group(findings));
        }
        tables.iter_mut().for_each(|table| {
            table.title = format!("{}: {}", findings.comparison.subject(), table.title);
            name_subject(table, findings);
        });
        tables
    }
}

type PlannedCoefficient<'a> = (&'a Coefficient, Result<IntervalPlan, Undefined>);

/// The clusters and items that alpha and kappa need for the wanted interval.
fn plan_table(findings: &Findings<'_>, width: f64) -> Table {
    let grouping = &findings.comparison.grouping;
    let plan = |coefficient: &Coefficient| {
        let definition = Definition::named(coefficient.name).ok_or(Undefined::TooFewItems)?;
        IntervalPlan::of(&findings.comparison.ratings, &grouping.clusters, definition, width)
    };
    let wanted = [findings.alpha(), findings.kappa()].into_iter().flatten();
    let rows: Vec<PlannedCoefficient<'_>> =
        wanted.map(|coefficient| (coefficient, plan(coefficient))).collect();
    let of_plan = |pick: fn(&IntervalPlan) -> u64| {
        move |(_, plan): &PlannedCoefficient<'_>| plan.as_ref().map(pick).map_err(|reason| *reason)
    };
    let more = |pick: fn(&WithOneMore) -> Option<u64>| {
        move |(_, plan): &PlannedCoefficient<'_>| {
            let more = plan.as_ref().ok()?.with_one_more;
            more.map(|more| pick(&more)).transpose()
        }
    };
    let (one, several) = grouping.cluster.words();
    let columns: [Column<'_, PlannedCoefficient<'_>>; 10] = [
        Column::new("name", "name", |(coefficient, _): &PlannedCoefficient<'_>| coefficient.name).detail(),
        Column::new("coefficient", "coefficient", |(coefficient, _): &PlannedCoefficient<'_>| {
            title_of(coefficient)
        }),
        Column::new("half_width", "now ±", |(_, plan): &PlannedCoefficient<'_>| {
            plan.map(|plan| (plan.interval.high - plan.interval.low) / 2.0)
        })
        .decimals(DECIMALS),
        Column::new("clusters", several, of_plan(|plan| plan.clusters)),
        Column::new("clusters_needed", "needed", of_plan(|plan| plan.needed.clusters)),
        Column::new("clusters_needed_from", "from", of_plan(|plan| plan.needed.between.0)),
        Column::new("clusters_needed_to", "to", of_plan(|plan| plan.needed.between.1)),
        Column::new("items_needed", "items needed", of_plan(|plan| plan.needed.items)),
        Column::new(
            "clusters_with_one_more",
            "with one rating more",
            more(|more| Some(more.needed.clusters)),
        ),
        Column::new("clusters_with_one_more_at_most", "at most", more(|more| Some(more.at_most?.clusters))),
    ];
    let mut table = Table::of(format!("{several} for an interval of ± {width}"), columns, &rows)
        .keyed("plan")
        .fact("wanted", width)
        .fact("cluster", one);
    let known = rows.iter().find_map(|(_, plan)| plan.ok());
    table.notes.extend(known.map(|plan| {
        format!(
            "A pilot of {} knows its own spread only roughly: what is needed lies between `from` and `to` (95 %).",
            grouping.cluster.counted(plan.clusters)
        )
    }));
    let items =
        if grouping.cluster == ClusterKind::Item { "" } else { " Items: in clusters as large as now." };
    table.notes.push(format!(
        "{} in all that hold items rated twice or more: needed with as many ratings an item as now; with one rating more, when \
         every item has one more. What another annotator takes off is estimated by leaving each one out; with two annotators \
         only its bounds are known.{items}",
        capitalised(several)
    ));
    table
}

/// A row of an annotator's confusion matrix: the labels given where the truth is one label.
struct ConfusionRow<'a> {
    annotator: &'a str,
    competence: f64,
    truth: &'a str,
    shares: &'a [f64],
}

fn model_table(findings: &Findings<'_>) -> Table {
    let categories = findings.comparison.ratings.categories();
    let labels: Vec<&str> = categories.iter().map(|category| category.label.as_str()).collect();
    let settings = ModelSettings::default();
    let model = DawidSkene::fit(&findings.counts, settings);
    let mut rows = Vec::new();
    for (annotator, rater) in
        findings.comparison.annotators().into_iter().zip(model.iter().flat_map(|model| &model.raters))
    {
        rows.extend(labels.iter().zip(&rater.confusion).map(|(truth, shares)| ConfusionRow {
            annotator,
            competence: rater.accuracy,
            truth,
            shares,
        }));
    }
    let mut columns = vec![
        Column::new("annotator", "annotator", |row: &ConfusionRow<'_>| row.annotator.to_owned()),
        Column::new("competence", "compe- tence", |row: &ConfusionRow<'_>| row.competence).decimals(DECIMALS),
        Column::new("truth", "the truth is", |row: &ConfusionRow<'_>| row.truth.to_owned()),
    ];
    columns.extend(labels.iter().enumerate().map(|(at, label)| {
        let share = move |row: &ConfusionRow<'_>| row.shares.get(at).copied();
        Column::new(format!("says_{label}"), format!("says {label}"), share).decimals(DECIMALS)
    }));
    let mut table = Table::of("annotators by the model of Dawid and Skene", columns, &rows).keyed("model");
    let model = match &model {
        Ok(model) => model,
        Err(reason) => {
            table.notes.push(reason.sentence().to_owned());
            return table.fact("undefined", reason.code());
        }
    };
    let steps = model.trace.len() - 1;
    table = table
        .fact("prevalence", model.prevalence.as_slice())
        .fact("smoothing", settings.smoothing)
        .fact("steps", steps)
        .fact("converged", model.converged)
        .fact("log_likelihood", model.log_likelihood)
        .fact("trace", model.trace.as_slice());
    let shares =
        labels.iter().zip(&model.prevalence).map(|(label, share)| format!("{label} {:.1} %", 100.0 * share));
    table.notes.push(format!("Estimated truth: {}.", shares.collect::<Vec<_>>().join(", ")));
    let ended = if model.converged { "It converged" } else { "It did not converge" };
    table.notes.push(format!("{ended} after {steps} steps; log-likelihood {:.3}.", model.log_likelihood));
    if findings.comparison.annotators().len() < 3 {
        table
            .notes
            .push("With two annotators many models fit equally well, so this one says little.".to_owned());
    }
    table.notes.push(
        "Competence: how often the annotator is expected to be right. Smoothed by 0.01 in every cell. `haymark export STUDY \
         --what labels` writes each item's label with its probability and entropy."
            .to_owned(),
    );
    table
}
