//! Kinds of events that this program does not understand: of a newer haymark, or words with a flipped byte.

use std::collections::BTreeMap;

use super::{CheckReport, Severity};
use crate::number::number_of;

/// Events of kinds that are not understood, by kind.
pub(super) struct Strange {
    known: &'static [&'static str],
    found: BTreeMap<String, usize>,
}

impl Strange {
    pub(super) fn among(known: &'static [&'static str]) -> Strange {
        Strange { known, found: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, kind: String) {
        *self.found.entry(kind).or_default() += 1;
    }

    /// Adds a finding for each kind; `what` is the noun for one, such as `event`.
    pub(super) fn report(self, area: &'static str, what: &str, report: &mut CheckReport) {
        for (kind, number) in self.found {
            let events = format!("{} of the kind {kind:?}", number_of(number, what));
            if self.known.contains(&kind.as_str()) {
                let what = format!("{events} with contents that make no sense, counted for nothing");
                report.wrong(area, what).advise(COPY);
            } else if let Some(meant) = one_byte_from(&kind, self.known.iter().copied()) {
                let what = format!("{events}, which a flipped byte made of {meant:?}: counted for nothing");
                report.wrong(area, what).advise(COPY);
            } else {
                let what = format!("{events}, kept and not understood");
                let advice = "a newer haymark may have written them: update";
                report.add(Severity::Remark, area, what).advise(advice);
            }
        }
    }
}

/// The advice for an event whose contents are lost.
pub(super) const COPY: &str = "go back to a copy, or merge one into a new study";

/// The known word that differs from this one in one byte.
pub(super) fn one_byte_from<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let differences =
        |known: &str| known.bytes().zip(word.bytes()).filter(|(one, other)| one != other).count();
    known.into_iter().find(|known| known.len() == word.len() && differences(known) == 1)
}
