//! Ratings from a file or from standard input, for the commands that take either ratings or a study.

use clap::ValueEnum;

use super::{ClusterName, IntervalArguments};
use crate::browse::LinesFilter;
use crate::error::{Error, Result};
use crate::formats::InputBytes;
use crate::formats::ratings::{LineFilter, RatingsAsked, RatingsFile, read_input};
use crate::score::{ClusterKind, Uncertainty};

/// The value of `--cluster`, which may name a column as well.
pub struct ClusterNamed<'a>(pub Option<&'a str>);

impl ClusterNamed<'_> {
    /// The cluster of a study's items.
    fn of_study(&self) -> Result<Option<ClusterKind>> {
        let named = |name: &str| {
            ClusterName::from_str(name, false).map(ClusterKind::from).map_err(|_| {
                Error::usage(format!("--cluster {name:?} is nothing that a study has"))
                    .advise("name summary, query, collection or item")
            })
        };
        self.0.map(named).transpose()
    }

    /// How sure the numbers of a study are to be.
    pub fn uncertainty(&self, intervals: &IntervalArguments) -> Result<Uncertainty> {
        let (cluster, is_unweighted) = (self.of_study()?, intervals.unweighted);
        Ok(Uncertainty { cluster, intervals: intervals.asked(), is_unweighted })
    }
}

/// Reads the ratings on the lines that a filter lets through. `asked` says the rest, but for the cluster.
pub fn read_ratings(
    input: &InputBytes,
    asked: RatingsAsked<'_>,
    cluster: ClusterNamed<'_>,
    filter: Option<&str>,
) -> Result<RatingsFile> {
    let lines =
        filter.map(|text| LinesFilter::parse(text).map_err(|error| error.in_filter(text))).transpose()?;
    let fits = |line: &[(&str, &str)]| lines.as_ref().is_none_or(|lines| lines.fits(line));
    let filter = lines.as_ref().map(|lines| LineFilter { columns: lines.columns().to_vec(), fits: &fits });
    let is_by_item = cluster.0 == Some("item");
    let cluster = cluster.0.filter(|_| !is_by_item);
    read_input(input, &RatingsAsked { cluster, is_by_item, filter: filter.as_ref(), ..asked })
}
