//! Strata over which work and samples are spread.

use std::collections::BTreeMap;

use super::{FrameAsked, StudyFrame};
use crate::error::Result;
use crate::number::NO_PLACE;
use crate::protocol::Protocol;
use crate::score::{By, Origin, groups};
use crate::store::{Assignable, StudyFile, Target};

/// The stratum of each item.
pub struct Strata {
    pub by: Vec<By>,
    /// The names by number of the stratum; a single empty name without strata.
    pub names: Vec<String>,
    /// The stratum of each item, by its place.
    of_item: Vec<usize>,
}

impl Strata {
    /// Stratifies the assignable items by fields.
    pub fn read(
        study: &StudyFile,
        protocol: &Protocol,
        assignable: &Assignable,
        by: &[String],
    ) -> Result<Strata> {
        Strata::of((study, protocol), &assignable.items, by, |_| "")
    }

    /// Stratifies any items by fields. Where strata are by annotator, `annotator` gives the annotator of each place.
    pub fn of<'a>(
        (study, protocol): (&StudyFile, &Protocol),
        items: &[Target],
        by: &[String],
        annotator: impl Fn(usize) -> &'a str,
    ) -> Result<Strata> {
        if by.is_empty() {
            return Ok(Strata { by: Vec::new(), names: vec![String::new()], of_item: vec![0; items.len()] });
        }
        let frame = StudyFrame::of(study, FrameAsked { by, ..FrameAsked::default() });
        let corpus = frame.corpus()?;
        let (by, rows) = frame.by_of(protocol, items)?;
        let origin = |(place, target): (usize, &Target)| {
            let row = rows.get(place).copied().unwrap_or(NO_PLACE);
            let unknown = || Origin { row, ..Origin::default() };
            (place, corpus.origin(target, annotator(place), row).unwrap_or_else(unknown))
        };
        let origins: Vec<(usize, Origin)> = items.iter().enumerate().map(origin).collect();
        let mut strata = Strata { names: Vec::new(), of_item: vec![0; items.len()], by };
        for (number, (group, members)) in
            groups(&origins, |(_, origin)| origin, &strata.by).into_iter().enumerate()
        {
            let labels: Vec<&str> = group.iter().map(|label| label.as_deref().unwrap_or("(none)")).collect();
            strata.names.push(labels.join(" · "));
            for (place, _) in members {
                if let Some(of_item) = strata.of_item.get_mut(*place) {
                    *of_item = number;
                }
            }
        }
        Ok(strata)
    }

    pub fn of_item(&self, place: usize) -> usize {
        self.of_item.get(place).copied().unwrap_or(0)
    }

    /// The most frequent stratum among the items of a group; the first in a tie.
    pub fn of_group(&self, items: &[usize]) -> usize {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for item in items {
            *counts.entry(self.of_item(*item)).or_default() += 1;
        }
        counts
            .into_iter()
            .min_by_key(|(stratum, count)| (std::cmp::Reverse(*count), *stratum))
            .map_or(0, |most| most.0)
    }
}
