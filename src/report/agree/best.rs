//! Subsets of annotators, ranked by their agreement.

use super::{DECIMALS, Findings, alpha_on};
use crate::agreement::{
    Definition, Estimate, Interval, Lead, MAX_SUBSETS, Subset, Undefined, best_subsets, number_of_subsets,
};
use crate::error::{Error, Result, Topic};
use crate::report::{Column, Table};

/// How many subsets a brief table shows.
const SHOWN: usize = 10;

/// The options of the table.
#[derive(Clone, Copy)]
pub struct Best {
    /// Annotators in a subset.
    size: usize,
    /// The coefficient to rank by; if `None`, alpha on the scale of the labels.
    by: Option<&'static Definition>,
    is_brief: bool,
}

/// A subset with the interval of its coefficient.
struct Ranked {
    place: usize,
    subset: Subset,
    /// The interval of the subset's value; `None` where none was asked for.
    interval: Option<std::result::Result<Interval, Undefined>>,
    /// The lead of the best subset over this one.
    behind: Option<Lead>,
}

impl Best {
    /// Subsets of this size, ranked by the coefficient with this name.
    ///
    /// # Errors
    /// There is no such coefficient, or it is not for so many annotators (usage).
    pub fn of(size: usize, by: Option<&str>, is_brief: bool) -> Result<Best> {
        let unknown = |name: &str| {
            let names: Vec<&str> =
                crate::agreement::COEFFICIENTS.iter().map(|definition| definition.name).collect();
            Error::usage(format!("there is no coefficient {name:?}"))
                .advise(format!("choose among {}", names.join(", ")))
                .under(Topic::Statistics)
        };
        let by = by.map(|name| Definition::named(name).ok_or_else(|| unknown(name))).transpose()?;
        if let Some(definition) = by.filter(|definition| definition.two_raters_only() && size > 2) {
            return Err(Error::usage(format!("{} is for two annotators, not for {size}", definition.title))
                .advise("rank by fleiss_kappa_generalized or by an alpha"));
        }
        Ok(Best { size, by, is_brief })
    }

    /// The coefficient to rank by, then those shown beside it.
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

    /// The subsets to show, and the number of all.
    fn ranked(&self, findings: &Findings<'_>, definitions: &[&'static Definition]) -> (Vec<Ranked>, usize) {
        let (ratings, clusters) = (&findings.comparison.ratings, &findings.comparison.grouping.clusters);
        let subsets = best_subsets(ratings, self.size, definitions);
        let all = subsets.len();
        let shown = if self.is_brief { SHOWN } else { all };
        let interval =
            |subset: &Subset| subset.interval(ratings, clusters, definitions.first()?, findings.intervals);
        let best = subsets.first().cloned();
        let behind = |subset: &Subset| {
            let (best, by) = (best.as_ref()?, definitions.first()?);
            (best != subset).then(|| best.lead(subset, ratings, clusters, (by, findings.intervals)))
        };
        let ranked = |(place, subset): (usize, Subset)| {
            let (interval, behind) = (interval(&subset), behind(&subset));
            Ranked { place, subset, interval, behind }
        };
        ((1..).zip(subsets).take(shown).map(ranked).collect(), all)
    }

    /// The table of a comparison.
    pub fn table(&self, findings: &Findings<'_>) -> Table {
        let definitions = self.definitions(findings);
        let (ranked, all) = self.ranked(findings, &definitions);
        let names = findings.comparison.annotators();
        let named = |ranked: &Ranked| {
            let raters = ranked.subset.raters.iter().filter_map(|rater| names.get(*rater).copied());
            raters.collect::<Vec<&str>>().join(", ")
        };
        let mut columns = vec![
            Column::new("place", "place", |ranked: &Ranked| ranked.place),
            Column::new("annotators", "annotators", named),
            Column::new("items", "items", |ranked: &Ranked| ranked.subset.items),
        ];
        for (at, definition) in definitions.iter().enumerate() {
            let estimate = move |ranked: &Ranked| {
                let interval = ranked.interval.filter(|_| at == 0);
                ranked.subset.values.get(at).map(|value| Estimate { value: *value, interval, clusters: 0 })
            };
            columns.push(Column::new(definition.name, short(definition), estimate).decimals(DECIMALS));
        }
        let is_uneven =
            ranked.iter().any(|ranked| ranked.behind.is_some_and(|lead| lead.items != ranked.subset.items));
        columns.extend([
            Column::new("common_items", "common items", |ranked: &Ranked| Some(ranked.behind?.items))
                .shown_if(is_uneven),
            Column::new("behind", "behind the best", |ranked: &Ranked| Some(ranked.behind?.difference))
                .decimals(DECIMALS),
        ]);
        Table::of(format!("{} annotators who agree best", self.size), columns, &ranked)
            .keyed("best")
            .fact("size", self.size)
            .fact("ranked_by", definitions.first().map(|definition| definition.name))
            .noted(self.notes(findings, &definitions, ranked.len(), all))
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
            "Ranked by {title} over the items that two or more of them rated. {}",
            findings.method()
        ));
        if all > 1 {
            notes.push(
                "Behind the best: by how much the best agree better on the common items, those that two or more of both rated; what \
                 is left out is left out of both. Where the interval holds 0 it is open which are better. The best of \
                 several look better than they are, since no interval knows that they were picked: name the rule before \
                 looking."
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
