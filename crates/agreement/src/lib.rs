//! How far raters agree: coefficients with their standard errors and intervals over a ratings table.
//!
//! [`RatingsBuilder`] collects (item, rater, label) triples into a [`Ratings`] table; [`all`] gives every
//! coefficient of the table [`COEFFICIENTS`], [`pairs`] every pair of raters.
//!
//! - A statistic without a value is a reason ([`Undefined`]), never 0, 1 or NaN. Whether a denominator
//!   is 0 is decided on whole numbers.
//! - Missing ratings are left out where they are, never the whole item: two-rater coefficients use the items that
//!   both rated, all others every item with two ratings, and some of these the singly-rated ones for the
//!   prevalence of the categories.
//! - Categories are those of the schema, used or not.
//! - Nothing is summed over pairs of ratings. The distinct rows of the table are counted in one pass
//!   ([`Counts`]); everything else is arithmetic on these counts, and so does not depend on the order of the items.
//! - Every number has its interval by the same way ([`Intervals`]): deleting each cluster in turn, unless another is asked for.
//!
//! ```
//! use agreement::{Category, RatingsBuilder, Scale, all};
//!
//! let mut table = RatingsBuilder::new(Scale::Ordinal, Category::numbered(["none", "partial", "full"]))?;
//! for (item, alice, bob) in [("1", "none", "none"), ("2", "full", "full"), ("3", "full", "partial")] {
//!     table.add(item, "alice", alice)?;
//!     table.add(item, "bob", bob)?;
//! }
//! let coefficients = all(&table.finish());
//! let kappa = coefficients.iter().find(|coefficient| coefficient.name == "cohen_kappa");
//! assert_eq!(kappa.and_then(|kappa| kappa.value.ok()), Some(0.5));
//! # Ok::<(), agreement::TableError>(())
//! ```
#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::string_slice, clippy::print_stdout))]

mod bootstrap;
mod builder;
mod cells;
pub mod chance;
mod clusters;
mod coefficient;
mod coefficients;
pub mod cohen;
mod confusion;
pub mod correlation;
mod counts;
mod dawid_skene;
mod fisher;
pub mod fleiss;
pub mod gwet;
mod histogram;
pub mod icc;
mod intervals;
mod jackknife;
pub mod judge;
pub mod krippendorff;
pub mod light;
mod linearised;
mod linked;
mod linking;
mod lowest;
mod margins;
mod names;
mod number;
mod pairs;
pub mod percent;
mod planning;
mod raters;
mod rows;
pub mod scott;
mod spans;
mod student;
mod subsets;
mod table;
mod trend;
mod undefined;
mod values;
mod weights;

#[cfg(test)]
mod tests;

pub use bootstrap::Bootstrap;
pub use builder::{MAX_ITEMS, MAX_RATERS, RatingsBuilder, TableError};
pub use cells::RatingRow;
pub use clusters::{Clusters, Drawn, whole_times};
pub use coefficient::{ClusterCount, Coefficient, Interval, Method, PairsUsed, Precision};
pub use coefficients::{COEFFICIENTS, Definition, Family, all, on_scale};
pub use confusion::Confusion;
pub use counts::Counts;
pub use dawid_skene::{Competence, DawidSkene, ModelSettings};
pub use intervals::{Estimate, FEW_CLUSTERS, Intervals, each_in_parallel};
pub use jackknife::{CoefficientRange, FEWEST_CLUSTERS, Jackknife, NumberRange, SEVERAL_STRATA};
pub use linked::{LinkedCounts, Links, Share};
pub use linking::{Linking, PairLinkings};
pub use lowest::{ClusterLabels, Placed, PlacedMeasure};
pub use margins::Margins;
pub use names::{Names, NoNumber};
pub use pairs::{Pair, pairs};
pub use planning::{IntervalPlan, Needed, WithOneMore};
pub use raters::{AgainstRest, CategoryAgreement};
pub use spans::{MarkedSpan, SpanCounts, SpanScores};
pub use student::quantile_975;
pub use subsets::{Lead, MAX_SUBSETS, Subset, best_subsets, number_of_subsets};
pub use table::{Category, MAX_CATEGORIES, Ratings, Scale};
pub use trend::{Trend, holm};
pub use undefined::{Measure, Undefined};
pub use values::{kendall_of_values, pearson_of_values, spearman_of_values};
pub use weights::Weights;

use cells::RatingRows;
use chance::categories;
use clusters::Kinds;
use cohen::{kappa, ratio};
use confusion::{each_pair, each_without, number_of_pair, number_of_pairs};
use correlation::pearson;
use histogram::{Histogram, Pattern, Totals, real};
use icc::RatedBy;
use intervals::{delete_each, in_parallel};
use jackknife::ROUNDING;
use light::PairMeans;
use linearised::{CoefficientParts, root, standard_error};
use lowest::{LabelDistance, NEAR, are_opposite, by_position, each_opposite, from_minus_one, most_unequal};
use number::{short, signed_short};
use rows::DistinctRows;
use student::{below, beyond_normal};
use values::inversions;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct AgreementReadme;
