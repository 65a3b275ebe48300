//! Ratings from elsewhere as a comparison.

use std::collections::HashSet;
use std::path::Path;

use super::comparison::Comparison;
use super::grouping::Grouping;
use crate::agreement::{Category, Clusters, Ratings, RatingsBuilder, Scale};
use crate::error::{Error, Result};
use crate::formats::ratings::RatingsFile;
use crate::score::ClusterKind;

/// What is said about the labels of the ratings.
#[derive(Debug, Clone, Copy, Default)]
pub struct RatingLabels<'a> {
    /// Whether all labels were named, in scale order.
    pub are_named: bool,
    /// Their numbers, in their order; none where they are not given.
    pub scores: &'a [f64],
    pub scale: Option<Scale>,
    /// Who is compared; everyone where nobody is named.
    pub annotators: &'a [String],
    /// What is drawn again.
    pub cluster: Option<ClusterKind>,
}

/// The ratings of a file as one comparison.
///
/// # Errors
/// What was said about the labels does not go with them, or there is no such annotator.
pub fn comparison(file: &RatingsFile, source: &Path, asked: RatingLabels<'_>) -> Result<Comparison> {
    Ok(Comparison {
        protocol: None,
        question: None,
        tag: None,
        ratings: table(asked, file, source)?,
        links: None,
        linked: None,
        grouping: grouping(asked.cluster, file)?,
        notes: Vec::new(),
    })
}

/// The clusters of the column `cluster`, unless every item is to be by itself.
fn grouping(wanted: Option<ClusterKind>, file: &RatingsFile) -> Result<Grouping> {
    let (cluster, clusters) = match (wanted, &file.clusters) {
        (Some(ClusterKind::Item), _) | (None, None) => (ClusterKind::Item, Clusters::items()),
        (None, Some(clusters)) => (ClusterKind::Cluster, Clusters::of(clusters.of_item.clone())),
        (Some(_), _) => {
            return Err(Error::usage("a file of ratings knows no summaries, queries and collections")
                .advise("name what hangs together in a column \"cluster\", and leave --cluster out"));
        }
    };
    Ok(Grouping { cluster, clusters, ..Grouping::default() })
}

fn table(asked: RatingLabels<'_>, file: &RatingsFile, source: &Path) -> Result<Ratings> {
    let codes = codes(asked.scores, &file.categories)?;
    // Whoever gives numbers means them.
    let suiting = if asked.scores.is_empty() { Scale::Nominal } else { Scale::Interval };
    let scale = asked.scale.unwrap_or(suiting);
    if scale != Scale::Nominal && categories_unordered(asked, &file.categories) {
        return Err(Error::usage("the order of the labels is not known")
            .advise("name all of them in scale order with --categories, lowest first"));
    }
    let categories = file.categories.iter().zip(codes);
    let categories = categories.map(|(label, code)| Category::new(label.clone(), code)).collect();
    let broken = |error: crate::agreement::TableError| Error::new(error.to_string()).in_file(source);
    let mut builder = RatingsBuilder::new(scale, categories).map_err(broken)?;
    let chosen = chosen(asked.annotators, &file.annotators, source)?;
    let raters = file
        .annotators
        .iter()
        .map(|name| if chosen.contains(name.as_str()) { builder.rater(name).map(Some) } else { Ok(None) });
    let raters = raters.collect::<std::result::Result<Vec<_>, _>>().map_err(broken)?;
    builder.take_items(file.items.clone()).map_err(broken)?;
    for rating in &file.ratings {
        if let Some(rater) = raters.get(usize::from(rating.annotator)).copied().flatten() {
            builder.set(rating.item as usize, rater, rating.category).map_err(broken)?;
        }
    }
    Ok(builder.finish())
}

/// Whether the labels are neither named in order nor numbers.
fn categories_unordered(asked: RatingLabels<'_>, categories: &[String]) -> bool {
    !asked.are_named && categories.iter().any(|label| label.parse::<f64>().is_err())
}

fn chosen<'a>(named: &'a [String], annotators: &'a [String], source: &Path) -> Result<HashSet<&'a str>> {
    if named.is_empty() {
        return Ok(annotators.iter().map(String::as_str).collect());
    }
    let missing = named.iter().find(|name| !annotators.contains(name));
    match missing {
        Some(name) => Err(Error::new(format!("there is no annotator {name:?}"))
            .in_file(source)
            .advise(format!("there are {}", annotators.join(", ")))),
        None => Ok(named.iter().map(String::as_str).collect()),
    }
}

/// The numbers of the labels: those that were given, else the labels themselves where all are
/// numbers, else their positions.
fn codes(scores: &[f64], categories: &[String]) -> Result<Vec<f64>> {
    if !scores.is_empty() {
        if scores.len() != categories.len() {
            let what = format!("--scores has {} numbers for {} labels", scores.len(), categories.len());
            return Err(Error::usage(what).advise("give one for each label, in the order of --categories"));
        }
        return Ok(scores.to_vec());
    }
    let numbers: Option<Vec<f64>> =
        categories.iter().map(|label| label.parse().ok().filter(|number: &f64| number.is_finite())).collect();
    Ok(numbers.unwrap_or_else(|| (0_i32..).map(f64::from).take(categories.len()).collect()))
}
