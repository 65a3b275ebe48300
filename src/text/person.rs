//! Names of people, which other people type, tell apart, and list with commas.

use unicode_normalization::UnicodeNormalization;

use crate::error::{Error, Result};

/// The name that stands for gold among annotators.
pub const GOLD_NAME: &str = "gold";

/// Longest name, in characters.
const MOST: usize = 200;

/// Refuses a name that nobody could type again, tell from another, or put into a list: `alice`, `María José` and `王 芳` are names.
pub fn refuse_name(name: &str) -> Result<()> {
    let what = match name {
        _ if name.trim().is_empty() => "has no sign that is seen",
        _ if name.trim() != name => "begins or ends with a blank",
        _ if name.contains([',', ';']) => "has a comma or semicolon, which stand between names",
        _ if name.chars().any(char::is_control) => "has a line break or another control character",
        _ if name.chars().count() > MOST => "has more than 200 signs",
        _ if !name.nfc().eq(name.chars()) => "is not in the composed form of Unicode (NFC)",
        GOLD_NAME => "stands for the answers that count",
        _ => return Ok(()),
    };
    Err(Error::usage(format!("{name:?} is no name of a person: it {what}")).advise("type it anew"))
}

/// A text with other names behind a mark: `coverage@alice:none` becomes `coverage@A1:none`.
pub fn renamed_behind<'n>(
    mark: &str,
    text: &str,
    names: impl Iterator<Item = (&'n String, &'n String)> + Clone,
) -> String {
    let mut parts = text.split(mark);
    let mut told = parts.next().unwrap_or_default().to_owned();
    for rest in parts {
        // The longest name counts, because one name may begin another.
        let named = names.clone().filter(|(key, _)| rest.starts_with(key.as_str()));
        let (key, name) = named.max_by_key(|(key, _)| key.len()).unzip();
        told += mark;
        told += name.map_or("", String::as_str);
        told += key.and_then(|key| rest.strip_prefix(key.as_str())).unwrap_or(rest);
    }
    told
}

/// Replaces names in a sentence, wherever they stand as whole words. The longest name counts, because one name may begin another.
pub fn renamed_words<'n>(
    sentence: &str,
    names: impl Iterator<Item = (&'n String, &'n String)> + Clone,
) -> String {
    let is_of_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
    let (mut told, mut rest, mut is_within) = (String::new(), sentence, false);
    while let Some(letter) = rest.chars().next() {
        let stands = |key: &str| {
            let behind = rest.strip_prefix(key).filter(|_| !(is_within && key.starts_with(is_of_word)));
            behind.is_some_and(|behind| !(key.ends_with(is_of_word) && behind.starts_with(is_of_word)))
        };
        let named = names.clone().filter(|(key, _)| !key.is_empty() && stands(key));
        let signs = match named.max_by_key(|(key, _)| key.len()) {
            Some((key, name)) => {
                told.push_str(name);
                key.as_str()
            }
            None => {
                told.push(letter);
                rest.get(..letter.len_utf8()).unwrap_or_default()
            }
        };
        is_within = signs.ends_with(is_of_word);
        rest = rest.strip_prefix(signs).unwrap_or_default();
    }
    told
}

/// A cell that holds names, with commas between them, with other names; what is told of somebody in brackets stays.
pub fn renamed_list<'n>(list: &str, name: impl Fn(&str) -> Option<&'n str>) -> String {
    let renamed = |one: &str| {
        let (key, rest) = one.find(" (").map_or((one, ""), |at| one.split_at(at));
        match (name(one), name(key)) {
            (Some(whole), _) => whole.to_owned(),
            (None, Some(name)) => format!("{name}{rest}"),
            (None, None) => one.to_owned(),
        }
    };
    list.split(", ").map(renamed).collect::<Vec<String>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_be_typed_told_apart_and_listed() {
        for name in ["alice", "María José", "王 芳", "judge-2", "o'neill", &"x".repeat(MOST)] {
            refuse_name(name).expect(name);
        }
        let long = "x".repeat(MOST + 1);
        for (name, why) in [
            ("", "no sign that is seen"),
            ("\u{3000}", "no sign that is seen"),
            (" alice", "begins or ends"),
            ("alice\n", "begins or ends"),
            ("a,b", "a comma"),
            ("a;b", "a comma or semicolon"),
            ("a\tb", "control character"),
            ("a\u{1b}[2J", "control character"),
            (long.as_str(), "more than 200"),
            ("Jose\u{301}", "composed form"),
            ("gold", "the answers that count"),
        ] {
            let told = refuse_name(name).expect_err(name).to_string();
            assert!(told.contains(why) && told.ends_with("; type it anew"), "{told}");
        }
    }
}
