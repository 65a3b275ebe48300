//! A TOML table, read key by key: every mistake becomes a finding with its line, and reading goes on.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::findings::{At, FileFindings};
use super::score_rule::ScoreNumber;
use crate::text::near::nearest;

type TomlValue<'t> = Spanned<DeValue<'t>>;

/// Lists of texts by name.
pub(super) type NamedTexts = Vec<(String, Vec<String>)>;

/// A finite number, whole or not.
fn finite(value: &DeValue<'_>) -> Option<f64> {
    let text = value.as_float().map(|number| number.as_str().to_owned());
    let whole = || {
        let number = value.as_integer()?;
        i64::from_str_radix(number.as_str(), number.radix()).ok().map(|number| number.to_string())
    };
    let number: f64 = text.or_else(whole)?.parse().ok()?;
    Some(number).filter(|number| number.is_finite())
}

/// A table, with its keys that were asked for so far and those that are missing.
pub(super) struct FileTable<'t> {
    /// The name in messages, such as `question "coverage"`.
    name: String,
    pub(super) line: u64,
    entries: &'t DeTable<'t>,
    known: Vec<&'static str>,
    missing: Vec<&'static str>,
}

/// Whether a key may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Required,
    Optional,
}

impl<'t> FileTable<'t> {
    pub(super) fn new(name: impl Into<String>, line: u64, entries: &'t DeTable<'t>) -> FileTable<'t> {
        FileTable { name: name.into(), line, entries, known: Vec::new(), missing: Vec::new() }
    }

    /// The name in messages.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Renames the table in messages from here on.
    pub(super) fn call(&mut self, name: String) {
        self.name = name;
    }

    fn entry(&mut self, key: &'static str, need: Need) -> Option<&'t TomlValue<'t>> {
        self.known.push(key);
        let entry = self.entries.get(key);
        if entry.is_none() && need == Need::Required {
            self.missing.push(key);
        }
        entry
    }

    /// Reads one key; `expected` says in a message what its value must be.
    fn read<T>(
        &mut self,
        key: &'static str,
        need: Need,
        expected: &str,
        findings: &mut FileFindings,
        read: impl FnOnce(&'t DeValue<'t>) -> Option<T>,
    ) -> Option<At<T>> {
        let entry = self.entry(key, need)?;
        let line = findings.lines.at(entry.span().start);
        let value = read(entry.get_ref());
        if value.is_none() {
            findings.lacks(line, format!("{key:?} of {} must be {expected}", self.name));
        }
        value.map(|value| At { line, value })
    }

    pub(super) fn string(
        &mut self,
        key: &'static str,
        need: Need,
        findings: &mut FileFindings,
    ) -> Option<At<String>> {
        self.read(key, need, "a string", findings, |value| value.as_str().map(str::to_owned))
    }

    /// A string that is not empty.
    pub(super) fn text(
        &mut self,
        key: &'static str,
        need: Need,
        findings: &mut FileFindings,
    ) -> Option<At<String>> {
        let expected = "a string that is not empty";
        let told = |text: &&str| !text.trim().is_empty();
        self.read(key, need, expected, findings, |value| value.as_str().filter(told).map(str::to_owned))
    }

    /// A whole number from 1.
    pub(super) fn ordinal(&mut self, key: &'static str, findings: &mut FileFindings) -> Option<At<u32>> {
        self.read(key, Need::Required, "a whole number from 1", findings, |value| {
            let number = value.as_integer()?;
            u32::from_str_radix(number.as_str(), number.radix()).ok().filter(|number| *number > 0)
        })
    }

    /// A finite number.
    pub(super) fn number(&mut self, key: &'static str, findings: &mut FileFindings) -> Option<At<f64>> {
        self.read(key, Need::Optional, "a finite number", findings, finite)
    }

    /// A text, or a table of finite numbers.
    pub(super) fn text_or_numbers(
        &mut self,
        key: &'static str,
        findings: &mut FileFindings,
    ) -> Option<At<ScoreNumber>> {
        self.read(key, Need::Optional, "a text, or a table of numbers", findings, |value| {
            if let Some(text) = value.as_str() {
                return Some(ScoreNumber::Text(text.to_owned())).filter(|_| !text.trim().is_empty());
            }
            let rows = value.as_table()?.iter();
            let row = |(name, number): (&Spanned<_>, &TomlValue<'_>)| {
                let name: &std::borrow::Cow<'_, str> = name.get_ref();
                Some((name.clone().into_owned(), finite(number.get_ref())?))
            };
            Some(ScoreNumber::Largest(rows.map(row).collect::<Option<_>>()?))
        })
    }

    /// A table of texts, or of lists of them.
    pub(super) fn texts(&mut self, key: &'static str, findings: &mut FileFindings) -> Option<At<NamedTexts>> {
        self.read(key, Need::Optional, "a table of strings, or of lists of strings", findings, |value| {
            let text = |value: &TomlValue<'_>| value.get_ref().as_str().map(str::to_owned);
            let row = |(name, value): (&Spanned<_>, &TomlValue<'_>)| {
                let name: &std::borrow::Cow<'_, str> = name.get_ref();
                let texts = match value.get_ref().as_array() {
                    Some(items) => items.iter().map(text).collect::<Option<Vec<_>>>()?,
                    None => vec![text(value)?],
                };
                Some((name.clone().into_owned(), texts))
            };
            value.as_table()?.iter().map(row).collect()
        })
    }

    pub(super) fn truth(&mut self, key: &'static str, findings: &mut FileFindings) -> Option<At<bool>> {
        self.read(key, Need::Optional, "true or false", findings, DeValue::as_bool)
    }

    pub(super) fn strings(
        &mut self,
        key: &'static str,
        need: Need,
        findings: &mut FileFindings,
    ) -> Option<At<Vec<At<String>>>> {
        let lines = findings.lines.clone();
        self.read(key, need, "a list of strings", findings, |value| {
            let items = value.as_array()?.iter();
            items
                .map(|item| {
                    Some(At { line: lines.at(item.span().start), value: item.get_ref().as_str()?.to_owned() })
                })
                .collect()
        })
    }

    /// One of these words.
    pub(super) fn word<T: Copy>(
        &mut self,
        key: &'static str,
        need: Need,
        words: &[(&'static str, T)],
        findings: &mut FileFindings,
    ) -> Option<At<T>> {
        let given = self.string(key, need, findings)?;
        self.understood(key, &given, words, findings)
    }

    /// A list of these words; `None` if any of them is another.
    pub(super) fn words<T: Copy>(
        &mut self,
        key: &'static str,
        words: &[(&'static str, T)],
        findings: &mut FileFindings,
    ) -> Option<At<Vec<At<T>>>> {
        let given = self.strings(key, Need::Required, findings)?;
        // All of them are looked at, so that each unknown one is named.
        let read: Vec<_> =
            given.value.iter().map(|item| self.understood(key, item, words, findings)).collect();
        Some(At { line: given.line, value: read.into_iter().collect::<Option<Vec<_>>>()? })
    }

    /// A list of these words that may be left out.
    pub(super) fn optional_words<T: Copy>(
        &mut self,
        key: &'static str,
        words: &[(&'static str, T)],
        findings: &mut FileFindings,
    ) -> Option<At<Vec<At<T>>>> {
        self.known.push(key);
        if !self.entries.contains_key(key) { None } else { self.words(key, words, findings) }
    }

    pub(super) fn understood<T: Copy>(
        &self,
        key: &str,
        given: &At<String>,
        words: &[(&'static str, T)],
        findings: &mut FileFindings,
    ) -> Option<At<T>> {
        if let Some((_, meaning)) = words.iter().find(|(word, _)| *word == given.value) {
            return Some(At { line: given.line, value: *meaning });
        }
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let advice = match nearest(&given.value, known.iter().copied()) {
            Some(word) => format!("did you mean {word:?}?"),
            None => format!("known are {}", known.join(", ")),
        };
        let what = format!("{:?} is not known in {key:?} of {}", given.value, self.name);
        findings.advise(given.line, what, advice);
        None
    }

    /// A table within; `name` is what messages call it.
    pub(super) fn table(
        &mut self,
        key: &'static str,
        need: Need,
        name: String,
        findings: &mut FileFindings,
    ) -> Option<FileTable<'t>> {
        let found = self.read(key, need, "a table", findings, DeValue::as_table)?;
        Some(FileTable::new(name, found.line, found.value))
    }

    /// A list of tables; `name` is what messages call each, with its place counted from 1.
    pub(super) fn tables(
        &mut self,
        key: &'static str,
        need: Need,
        name: &str,
        findings: &mut FileFindings,
    ) -> Option<At<Vec<FileTable<'t>>>> {
        let lines = findings.lines.clone();
        self.read(key, need, "a list of tables", findings, |value| {
            let items = (1..).zip(value.as_array()?.iter());
            items
                .map(|(place, item)| {
                    let entries = item.get_ref().as_table()?;
                    Some(FileTable::new(format!("{name} {place}"), lines.at(item.span().start), entries))
                })
                .collect()
        })
    }

    /// Notes the keys that nothing has asked for, and those that are missing. An unknown key that
    /// is close to a missing one is the missing one, and is one mistake, not two.
    pub(super) fn finish(mut self, findings: &mut FileFindings) {
        for (key, _) in self.entries {
            let name = key.get_ref().as_ref();
            if self.known.contains(&name) {
                continue;
            }
            let line = findings.lines.at(key.span().start);
            let what = format!("the key {name:?} of {} is not known", self.name);
            let near = nearest(name, self.missing.iter().copied());
            match near.or_else(|| nearest(name, self.known.iter().copied())) {
                Some(meant) => {
                    self.missing.retain(|missing| *missing != meant);
                    findings.advise(line, what, format!("did you mean {meant:?}?"));
                }
                None => findings.advise(line, what, format!("known are {}", self.known.join(", "))),
            }
        }
        for key in &self.missing {
            findings.lacks(self.line, format!("{key:?} of {} is missing", self.name));
        }
    }
}
