//! A file of ratings as a comparison.

use std::path::Path;

use super::{Comparison, Grouping, Partition};
use crate::agreement::{Category, Clusters, Ratings, RatingsBuilder, Scale};
use crate::error::{Error, Result};
use crate::formats::ratings::{GroupedItems, RatingsFile};
use crate::score::ClusterKind;

/// The user's options about the labels of the ratings.
#[derive(Debug, Clone, Copy, Default)]
pub struct RatingLabels<'a> {
    /// Whether all labels were named, in scale order.
    pub are_named: bool,
    /// The numbers of the labels, in their order; empty if not given.
    pub scores: &'a [f64],
    pub scale: Option<Scale>,
}

/// The ratings of a file as one comparison.
///
/// # Errors
/// The options do not fit the labels.
pub fn comparison(file: &RatingsFile, source: &Path, asked: RatingLabels<'_>) -> Result<Comparison> {
    Ok(Comparison {
        protocol: None,
        question: None,
        tag: None,
        ratings: table(asked, file, source)?,
        links: None,
        linked: None,
        grouping: grouping(file),
        notes: notes(asked, file),
    })
}

/// Warnings from reading the file, and about labels that may have an order.
fn notes(asked: RatingLabels<'_>, file: &RatingsFile) -> Vec<String> {
    let without_order = asked.scale.is_none()
        && asked.scores.is_empty()
        && file.categories.len() > 2
        && file.numbers().is_some();
    let unordered = without_order.then(|| {
        "the labels are numbers, and are compared as if they had no order; --scale ordinal where it counts".to_owned()
    });
    file.warnings.iter().cloned().chain(unordered).map(|warning| format!("Warning: {warning}.")).collect()
}

/// The clusters from a column, else each item by itself, and the groups from the columns that were asked for.
fn grouping(file: &RatingsFile) -> Grouping {
    let (cluster, clusters) = match &file.clusters {
        None => (ClusterKind::Item, Clusters::items()),
        Some(clusters) => (ClusterKind::Cluster, Clusters::of(clusters.of_item.clone())),
    };
    let partition = |groups: &GroupedItems| {
        let (name, labels) = (groups.column.clone(), groups.names.clone());
        Partition { name, labels, of_item: groups.of_item.clone() }.by_label()
    };
    let partitions = file.groups.iter().map(partition).collect();
    Grouping { cluster, clusters, partitions, ..Grouping::default() }
}

fn table(asked: RatingLabels<'_>, file: &RatingsFile, source: &Path) -> Result<Ratings> {
    // Labels that are no numbers count by their place.
    let places = || (0_i32..).map(f64::from).take(file.categories.len()).collect();
    let codes: Vec<f64> = file.scores(asked.scores)?.unwrap_or_else(places);
    // Given scores mean an interval scale.
    let suiting = if asked.scores.is_empty() { Scale::Nominal } else { Scale::Interval };
    let scale = asked.scale.unwrap_or(suiting);
    if scale != Scale::Nominal && !asked.are_named && file.numbers().is_none() {
        return Err(Error::usage("the order of the labels is not known")
            .advise("name all of them in scale order with --categories, lowest first"));
    }
    let categories = file.categories.iter().zip(codes);
    let categories = categories.map(|(label, code)| Category::new(label.clone(), code)).collect();
    let broken = |error: crate::agreement::TableError| Error::new(error.to_string()).in_file(source);
    let mut builder = RatingsBuilder::new(scale, categories).map_err(broken)?;
    let raters = file.annotators.iter().map(|name| builder.rater(name));
    let raters = raters.collect::<std::result::Result<Vec<_>, _>>().map_err(broken)?;
    builder.take_items(file.items.clone()).map_err(broken)?;
    for rating in &file.ratings {
        if let Some(rater) = raters.get(usize::from(rating.annotator)).copied() {
            builder.set(rating.item as usize, rater, rating.category).map_err(broken)?;
        }
    }
    Ok(builder.finish())
}
