//! The name of a request, its `custom_id`, by which the answer finds its item again.

use std::fmt;

use crate::study::{Item, ItemKey};
use crate::text::hash::{Fingerprint, fingerprint};

/// Which item was asked, under which version of its protocol, of whom, and what was shown.
///
/// Written as `haymark-VERSION-JUDGE-SHOWN-ITEM`: letters, digits and dashes, and no more than 64 of
/// them up to version 99999, which is what services take. The item's key holds the name of its protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct RequestName {
    /// Number of the protocol's version.
    pub(super) version: u32,
    /// Of the judge's name.
    pub(super) judge: ShortFingerprint,
    /// Of the texts that are judged and of the units to choose from, whose numbers are answers.
    pub(super) shown: ShortFingerprint,
    pub(super) item: ItemKey,
}

/// The first 32 bits of a fingerprint: enough to notice that something is another one. Printed as 8
/// hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ShortFingerprint(u32);

impl ShortFingerprint {
    fn of(Fingerprint([a, b, c, d, ..]): Fingerprint) -> ShortFingerprint {
        ShortFingerprint(u32::from_be_bytes([a, b, c, d]))
    }

    /// The mark of a judge's name.
    pub(super) fn of_judge(judge: &str) -> ShortFingerprint {
        ShortFingerprint::of(fingerprint(["judge", judge]))
    }

    /// The mark of what an item shows.
    pub(super) fn of_shown(item: &Item) -> ShortFingerprint {
        let mut parts = vec![item.texts().to_string()];
        for unit in &item.choices {
            parts.extend([unit.id.clone(), unit.text.clone()]);
        }
        ShortFingerprint::of(fingerprint(parts))
    }

    fn parse(text: &str) -> Option<ShortFingerprint> {
        let is_mark = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        u32::from_str_radix(text, 16).ok().filter(|_| is_mark).map(ShortFingerprint)
    }
}

impl fmt::Display for ShortFingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:08x}", self.0)
    }
}

impl RequestName {
    /// Reads what `Display` prints.
    pub(super) fn parse(text: &str) -> Option<RequestName> {
        let mut parts = text.split('-');
        let is_ours = parts.next() == Some("haymark");
        let version = parts.next()?.parse().ok()?;
        let (judge, shown) =
            (ShortFingerprint::parse(parts.next()?)?, ShortFingerprint::parse(parts.next()?)?);
        let item = parts.next()?.parse().ok()?;
        (is_ours && parts.next().is_none()).then_some(RequestName { version, judge, shown, item })
    }
}

impl fmt::Display for RequestName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "haymark-{}-{}-{}-{}", self.version, self.judge, self.shown, self.item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_back_and_short_enough_for_every_service() {
        let name = RequestName {
            version: 99_999,
            judge: ShortFingerprint::of_judge("裁判"),
            shown: ShortFingerprint(7),
            item: Fingerprint([0xab; 16]),
        };
        let text = name.to_string();
        assert_eq!(text.len(), 64, "{text}");
        assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'), "{text}");
        assert_eq!(RequestName::parse(&text), Some(name));
        let key = "ab".repeat(16);
        for other in [
            String::new(),
            "request-1".to_owned(),
            format!("haymark-1-00000007-{key}"),
            format!("haymark-1-00000007-00000007-{key}-1"),
            format!("haymark-x-00000007-00000007-{key}"),
            format!("haymark-1-7-00000007-{key}"),
            format!("haymark-1-+0000007-00000007-{key}"),
            format!("haymark-1-00000007-00000007-{key}0"),
        ] {
            assert_eq!(RequestName::parse(&other), None, "{other}");
        }
        assert_ne!(ShortFingerprint::of_judge("a"), ShortFingerprint::of_judge("b"));
    }
}
