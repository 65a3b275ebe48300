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
    pub(super) findings: &'t FileFindings,
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
    pub(super) fn new(
        name: impl Into<String>,
        line: u64,
        entries: &'t DeTable<'t>,
        findings: &'t FileFindings,
    ) -> FileTable<'t> {
        FileTable { name: name.into(), line, entries, findings, known: Vec::new(), missing: Vec::new() }
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
        read: impl FnOnce(&'t DeValue<'t>) -> Option<T>,
    ) -> Option<At<T>> {
        let entry = self.entry(key, need)?;
        let line = self.findings.line_of(entry.span().start);
        let value = read(entry.get_ref());
        if value.is_none() {
            self.findings.lacks(line, format!("{key:?} of {} must be {expected}", self.name));
        }
        value.map(|value| At { line, value })
    }

    pub(super) fn string(&mut self, key: &'static str, need: Need) -> Option<At<String>> {
        self.read(key, need, "a string", |value| value.as_str().map(str::to_owned))
    }

    /// A string that is not empty.
    pub(super) fn text(&mut self, key: &'static str, need: Need) -> Option<At<String>> {
        let expected = "a string that is not empty";
        let told = |text: &&str| !text.trim().is_empty();
        self.read(key, need, expected, |value| value.as_str().filter(told).map(str::to_owned))
    }

    /// A whole number from 1.
    pub(super) fn ordinal(&mut self, key: &'static str) -> Option<At<u32>> {
        self.read(key, Need::Required, "a whole number from 1", |value| {
            let number = value.as_integer()?;
            u32::from_str_radix(number.as_str(), number.radix()).ok().filter(|number| *number > 0)
        })
    }

    /// A finite number.
    pub(super) fn number(&mut self, key: &'static str) -> Option<At<f64>> {
        self.read(key, Need::Optional, "a finite number", finite)
    }

    /// A text, or a table of finite numbers.
    pub(super) fn text_or_numbers(&mut self, key: &'static str) -> Option<At<ScoreNumber>> {
        self.read(key, Need::Optional, "a text, or a table of numbers", |value| {
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
    pub(super) fn texts(&mut self, key: &'static str) -> Option<At<NamedTexts>> {
        self.read(key, Need::Optional, "a table of strings, or of lists of strings", |value| {
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

    pub(super) fn truth(&mut self, key: &'static str) -> Option<At<bool>> {
        self.read(key, Need::Optional, "true or false", DeValue::as_bool)
    }

    pub(super) fn strings(&mut self, key: &'static str, need: Need) -> Option<At<Vec<At<String>>>> {
        let findings = self.findings;
        self.read(key, need, "a list of strings", |value| {
            let text = |item: &TomlValue<'_>| {
                let line = findings.line_of(item.span().start);
                Some(At { line, value: item.get_ref().as_str()?.to_owned() })
            };
            value.as_array()?.iter().map(text).collect()
        })
    }

    /// One of these words.
    pub(super) fn word<T: Copy>(
        &mut self,
        key: &'static str,
        need: Need,
        words: &[(&'static str, T)],
    ) -> Option<At<T>> {
        let given = self.string(key, need)?;
        self.understood(key, &given, words)
    }

    /// A list of these words; `None` if any of them is another.
    pub(super) fn words<T: Copy>(
        &mut self,
        key: &'static str,
        need: Need,
        words: &[(&'static str, T)],
    ) -> Option<At<Vec<At<T>>>> {
        let given = self.strings(key, need)?;
        // All of them are looked at, so that each unknown one is named.
        let read: Vec<_> = given.value.iter().map(|item| self.understood(key, item, words)).collect();
        Some(At { line: given.line, value: read.into_iter().collect::<Option<Vec<_>>>()? })
    }

    pub(super) fn understood<T: Copy>(
        &self,
        key: &str,
        given: &At<String>,
        words: &[(&'static str, T)],
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
        self.findings.advise(given.line, what, advice);
        None
    }

    /// A table within; `name` is what messages call it.
    pub(super) fn table(&mut self, key: &'static str, need: Need, name: String) -> Option<FileTable<'t>> {
        let found = self.read(key, need, "a table", DeValue::as_table)?;
        Some(FileTable::new(name, found.line, found.value, self.findings))
    }

    /// A list of tables; `name` is what messages call each, with its place counted from 1.
    pub(super) fn tables(
        &mut self,
        key: &'static str,
        need: Need,
        name: &str,
    ) -> Option<At<Vec<FileTable<'t>>>> {
        let findings = self.findings;
        self.read(key, need, "a list of tables", |value| {
            let table = |(place, item): (usize, &'t TomlValue<'t>)| {
                let line = findings.line_of(item.span().start);
                Some(FileTable::new(format!("{name} {place}"), line, item.get_ref().as_table()?, findings))
            };
            (1..).zip(value.as_array()?.iter()).map(table).collect()
        })
    }

    /// Notes the keys that nothing has asked for, and those that are missing. An unknown key that
    /// is close to a missing one is the missing one, and is one mistake, not two.
    pub(super) fn finish(mut self) {
        for (key, _) in self.entries {
            let name = key.get_ref().as_ref();
            if self.known.contains(&name) {
                continue;
            }
            let line = self.findings.line_of(key.span().start);
            let what = format!("the key {name:?} of {} is not known", self.name);
            let near = nearest(name, self.missing.iter().copied());
            match near.or_else(|| nearest(name, self.known.iter().copied())) {
                Some(meant) => {
                    self.missing.retain(|missing| *missing != meant);
                    self.findings.advise(line, what, format!("did you mean {meant:?}?"));
                }
                None => self.findings.advise(line, what, format!("known are {}", self.known.join(", "))),
            }
        }
        for key in &self.missing {
            self.findings.lacks(self.line, format!("{key:?} of {} is missing", self.name));
        }
    }
}
