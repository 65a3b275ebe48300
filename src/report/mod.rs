//! Reports on a study: judgments become findings, and findings become tables.
//!
//! Reports call the arithmetic of [`crate::agreement`] and [`crate::score`], and [`crate::export`] writes them. They know no
//! arguments, no terminal and no other form than [`table::Table`]. The options of each report are a struct `…Asked`.
//!
//! Every call fails where the study cannot be read, where a name, a field or a filter is wrong (usage), and where there is nothing to
//! tell of (failed or nothing). A section on errors names other reasons.

pub mod agree;
pub mod amendments;
pub mod annotators;
pub mod clusters;
pub mod contents;
pub mod corpus;
mod corrected;
pub mod display;
pub mod examples;
pub mod filtered;
pub mod finding;
pub mod frame;
pub mod gold;
pub mod grouped;
pub mod items;
pub mod judged;
pub mod judges;
pub mod mapping;
pub mod part;
pub mod pivot;
pub mod planning;
pub mod protocols;
pub mod rounds;
pub mod score;
pub mod sessions;
pub mod settled;
pub mod status;
pub mod strata;
pub mod table;

/// A time in milliseconds since 1970 in UTC, in this form.
fn in_utc(time: i64, form: &str) -> Option<String> {
    Some(jiff::Timestamp::from_millisecond(time).ok()?.strftime(form).to_string())
}
