//! Names on the hub. Where systems are hidden, a candidate has an alias there, because its key often tells
//! which system wrote it; the key of an item about it follows from the alias. The study's secret tells
//! which alias is whose. The secret is a record for leads.

use crate::text::hash::fingerprint;

/// What an alias begins with.
pub(super) const PREFIX: &str = "system-";

/// The number of hexadecimal digits in an alias.
const DIGITS: usize = 12;

/// The alias of a candidate of a query.
pub(super) fn alias(secret: &[u8], collection: &str, query: &str, candidate: &str) -> String {
    let secret: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    let print = fingerprint([secret.as_str(), "candidate", collection, query, candidate]);
    format!("{PREFIX}{}", print.to_string().chars().take(DIGITS).collect::<String>())
}

/// Whether a key has the form of an alias.
pub(super) fn is_alias(key: &str) -> bool {
    let is_digit = |sign: u8| matches!(sign, b'0'..=b'9' | b'a'..=b'f');
    key.strip_prefix(PREFIX).is_some_and(|digits| digits.len() == DIGITS && digits.bytes().all(is_digit))
}

/// The alias, for one query, of the retriever from whose list a candidate cites.
pub(super) fn list_alias(secret: &[u8], collection: &str, query: &str, retriever: &str) -> String {
    alias(secret, collection, query, &format!("list of {retriever}"))
}

/// The digits of an alias as a number, for an order that tells nothing about systems.
pub(super) fn number_of(alias: &str) -> i64 {
    alias.split_once('-').and_then(|(_, digits)| i64::from_str_radix(digits, 16).ok()).unwrap_or(0)
}

/// Draws the secret of a study.
pub(super) fn draw() -> Result<[u8; 16], getrandom::Error> {
    let mut secret = [0; 16];
    getrandom::fill(&mut secret)?;
    Ok(secret)
}
