//! The name of a request, its `custom_id`, by which the answer finds its item again.

use std::fmt;

use crate::study::{Item, ItemKey, RunMark};
use crate::text::hash::fingerprint;

/// The item that was asked, with its protocol's version, the judge, the way it was asked, and the texts that were shown.
///
/// Written as `hm-VERSION-JUDGE-RUN-SHOWN-ITEM`, and `-2` and so on behind it where it is asked again: letters, digits and
/// dashes, and no more than 64 of them up to version 99999, which is what services take. The item's key holds the name of its
/// protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct RequestName {
    /// Number of the protocol's version.
    pub(super) version: u32,
    /// The mark of the judge's name.
    pub(super) judge: RunMark,
    /// The mark of the prompt, its examples, the model and the parameters.
    pub(super) run: RunMark,
    /// The mark of the texts that are judged and of the units to choose from, whose numbers are answers.
    pub(super) shown: RunMark,
    pub(super) item: ItemKey,
    /// The place of this request among those on the same item, from 1 to 9.
    pub(super) time: u8,
}

/// How often one item may be asked of one judge.
pub const MOST_TIMES: u8 = 9;

/// The mark of a judge's name.
pub(super) fn mark_of_judge(judge: &str) -> RunMark {
    RunMark::of(fingerprint(["judge", judge]))
}

/// The mark of what an item shows.
pub(super) fn mark_of_shown(item: &Item) -> RunMark {
    let mut parts = vec![item.texts().to_string()];
    for unit in &item.choices {
        parts.extend([unit.id.clone(), unit.text.clone()]);
    }
    RunMark::of(fingerprint(parts))
}

impl RequestName {
    /// Reads what `Display` prints.
    pub(super) fn parse(text: &str) -> Option<RequestName> {
        let mut parts = text.split('-');
        let is_ours = parts.next() == Some("hm");
        let version = parts.next()?.parse().ok()?;
        let mut mark = || RunMark::parse(parts.next()?);
        let (judge, run, shown) = (mark()?, mark()?, mark()?);
        let item = parts.next()?.parse().ok()?;
        let time = match parts.next() {
            Some(time) => time.parse().ok().filter(|time| (2..=MOST_TIMES).contains(time))?,
            None => 1,
        };
        let name = RequestName { version, judge, run, shown, item, time };
        (is_ours && parts.next().is_none()).then_some(name)
    }
}

impl fmt::Display for RequestName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RequestName { version, judge, run, shown, item, time } = self;
        write!(formatter, "hm-{version}-{judge}-{run}-{shown}-{item}")?;
        if *time > 1 { write!(formatter, "-{time}") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::hash::Fingerprint;

    #[test]
    fn a_name_is_read_back_and_short_enough_for_every_service() {
        let name = RequestName {
            version: 99_999,
            judge: mark_of_judge("裁判"),
            run: mark_of_judge("run"),
            shown: RunMark::of(Fingerprint([0; 16])),
            item: Fingerprint([0xab; 16]),
            time: 9,
        };
        let text = name.to_string();
        assert_eq!(text.len(), 64, "{text}");
        assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'), "{text}");
        assert_eq!(RequestName::parse(&text), Some(name));
        let once = RequestName { time: 1, ..name };
        assert_eq!(RequestName::parse(&once.to_string()), Some(once));
        let key = "ab".repeat(16);
        for other in [
            String::new(),
            "request-1".to_owned(),
            format!("hm-1-000007-000007-{key}"),
            format!("hm-1-000007-000007-000007-{key}-1"),
            format!("hm-1-000007-000007-000007-{key}-10"),
            format!("hm-x-000007-000007-000007-{key}"),
            format!("hm-1-7-000007-000007-{key}"),
            format!("hm-1-+00007-000007-000007-{key}"),
            format!("hm-1-000007-000007-000007-{key}0"),
        ] {
            assert_eq!(RequestName::parse(&other), None, "{other}");
        }
        assert_ne!(mark_of_judge("a"), mark_of_judge("b"));
    }
}
