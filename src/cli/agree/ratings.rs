//! Ratings out of a file or standard input.

use std::collections::HashSet;

use super::super::args::{Agree, ClusterName, ScaleName};
use super::comparison::Comparison;
use super::grouping::{ClusterKind, Grouping};
use crate::agreement::{Category, Clusters, Ratings, RatingsBuilder, Scale};
use crate::error::{Error, Result};
use crate::formats::Input;
use crate::formats::ratings::{RatingsFile, read_input};

/// The ratings as one comparison, and what a person should know about them.
pub fn comparison(arguments: &Agree, input: &Input) -> Result<(Comparison, Vec<String>)> {
    if arguments.protocol.is_some() || arguments.question.is_some() {
        return Err(Error::usage("--protocol and --question are for a study; this is a file of ratings"));
    }
    let categories = (!arguments.categories.is_empty()).then_some(arguments.categories.as_slice());
    let file = read_input(input, categories)?;
    let comparison = Comparison {
        protocol: None,
        question: None,
        tag: None,
        ratings: table(arguments, &file)?,
        links: None,
        linked: None,
        grouping: grouping(arguments, &file)?,
        notes: Vec::new(),
    };
    Ok((comparison, file.warnings))
}

/// The clusters of the column `cluster`, unless every item is to be by itself.
fn grouping(arguments: &Agree, file: &RatingsFile) -> Result<Grouping> {
    let (cluster, clusters) = match (arguments.resampling.cluster, &file.clusters) {
        (Some(ClusterName::Item), _) | (None, None) => (ClusterKind::Item, Clusters::items()),
        (None, Some(clusters)) => (ClusterKind::Cluster, Clusters::of(clusters.of_item.clone())),
        (Some(_), _) => {
            return Err(Error::usage("a file of ratings knows no summaries, queries and collections")
                .advise("name what hangs together in a column \"cluster\", and leave --cluster out"));
        }
    };
    Ok(Grouping { cluster, clusters, ..Grouping::default() })
}

fn table(arguments: &Agree, file: &RatingsFile) -> Result<Ratings> {
    let codes = codes(arguments, &file.categories)?;
    let scale = match arguments.scale {
        Some(ScaleName::Nominal) => Scale::Nominal,
        Some(ScaleName::Ordinal) => Scale::Ordinal,
        Some(ScaleName::Interval) => Scale::Interval,
        // Whoever gives numbers means them.
        None if !arguments.scores.is_empty() => Scale::Interval,
        None => Scale::Nominal,
    };
    if scale != Scale::Nominal && categories_unordered(arguments, &file.categories) {
        return Err(Error::usage("the order of the labels is not known")
            .advise("name all of them in scale order with --categories, lowest first"));
    }
    let categories = file.categories.iter().zip(codes);
    let categories = categories.map(|(label, code)| Category::new(label.clone(), code)).collect();
    let broken =
        |error: crate::agreement::TableError| Error::new(error.to_string()).in_file(&arguments.source);
    let mut builder = RatingsBuilder::new(scale, categories).map_err(broken)?;
    let chosen = chosen(arguments, &file.annotators)?;
    let raters = file
        .annotators
        .iter()
        .map(|name| if chosen.contains(name.as_str()) { builder.rater(name).map(Some) } else { Ok(None) });
    let raters = raters.collect::<std::result::Result<Vec<_>, _>>().map_err(broken)?;
    let items = file.items.iter().map(|name| builder.item(name));
    let items = items.collect::<std::result::Result<Vec<_>, _>>().map_err(broken)?;
    for rating in &file.ratings {
        let item = items.get(rating.item as usize);
        let rater = raters.get(usize::from(rating.annotator)).copied().flatten();
        if let (Some(item), Some(rater)) = (item, rater) {
            builder.set(*item, rater, rating.category).map_err(broken)?;
        }
    }
    Ok(builder.finish())
}

/// Whether the labels are neither named in order nor numbers.
fn categories_unordered(arguments: &Agree, categories: &[String]) -> bool {
    arguments.categories.is_empty() && categories.iter().any(|label| label.parse::<f64>().is_err())
}

fn chosen<'a>(arguments: &'a Agree, annotators: &'a [String]) -> Result<HashSet<&'a str>> {
    if arguments.annotators.is_empty() {
        return Ok(annotators.iter().map(String::as_str).collect());
    }
    let missing = arguments.annotators.iter().find(|name| !annotators.contains(name));
    match missing {
        Some(name) => Err(Error::new(format!("there is no annotator {name:?}"))
            .in_file(&arguments.source)
            .advise(format!("there are {}", annotators.join(", ")))),
        None => Ok(arguments.annotators.iter().map(String::as_str).collect()),
    }
}

/// The numbers of the labels: those that were given, else the labels themselves where all are
/// numbers, else their positions.
fn codes(arguments: &Agree, categories: &[String]) -> Result<Vec<f64>> {
    if !arguments.scores.is_empty() {
        if arguments.scores.len() != categories.len() {
            let what =
                format!("--scores has {} numbers for {} labels", arguments.scores.len(), categories.len());
            return Err(Error::usage(what).advise("give one for each label, in the order of --categories"));
        }
        return Ok(arguments.scores.clone());
    }
    let numbers: Option<Vec<f64>> =
        categories.iter().map(|label| label.parse().ok().filter(|number: &f64| number.is_finite())).collect();
    Ok(numbers.unwrap_or_else(|| (0_i32..).map(f64::from).take(categories.len()).collect()))
}
