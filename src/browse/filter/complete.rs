//! Completion of a filter: fields, then the values of a field with how many rows have them.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use super::ast::quoted;
use super::{Reader, Relation, Term, written};
use crate::browse::{BrowseTable, ColumnSource, ColumnValues, Tables};

/// The completions at the cursor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completion {
    /// Bytes of the filter that a suggestion replaces.
    pub replaces: Range<usize>,
    /// The suggestions, the likeliest first.
    pub offers: Vec<Suggestion>,
}

/// One completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The text that replaces [`Completion::replaces`].
    pub text: String,
    /// The suggestion as it is shown.
    pub shown: String,
    pub about: String,
    /// Number of rows with this value.
    pub count: Option<usize>,
}

/// The most values that are offered.
const MOST: usize = 100;

impl Tables {
    /// Completes a filter at the cursor, given as a byte of the filter.
    pub fn complete(&self, table: BrowseTable, filter: &str, cursor: usize) -> Completion {
        let start = word_start(filter, cursor);
        let typed = filter.get(start..cursor).unwrap_or_default();
        let sign = typed.len() - typed.trim_start_matches(['-', '~']).len();
        let (start, typed) = (start + sign, typed.get(sign..).unwrap_or_default());
        // An open quotation mark is closed, so that the text typed so far can be read.
        let closed = format!("{typed}\"");
        let mut reader = Reader { text: typed, at: 0 };
        let term = reader.term().or_else(|_| Reader { text: &closed, at: 0 }.term());
        match term {
            Ok(Term::Test(field, comparison, value)) => {
                let at = start + value.place.start;
                self.values(table, &field.text, comparison, &value.text, at..cursor)
            }
            Ok(Term::Word(word)) if !word.quoted => self.field_offers(table, &word.text, start..cursor),
            Ok(Term::Word(_)) => Completion { replaces: start..cursor, offers: Vec::new() },
            // A field with nothing behind it yet.
            Err(_) => match typed.char_indices().find_map(|(place, _)| sign_at_end(typed, place)) {
                Some((place, comparison)) => {
                    let field = typed.get(..place).unwrap_or_default().replace('"', "");
                    self.values(table, &field, comparison, "", cursor..cursor)
                }
                None => Completion { replaces: cursor..cursor, offers: Vec::new() },
            },
        }
    }

    fn field_offers(&self, table: BrowseTable, typed: &str, replaces: Range<usize>) -> Completion {
        let typed = typed.to_lowercase();
        let mut offers: Vec<(bool, Suggestion)> = Vec::new();
        for (source, name) in self.named_sources(table) {
            let lower = name.to_lowercase();
            // Another thing's field is offered only when its name is typed from the start.
            let is_meant = match source {
                ColumnSource::Of(..) => lower.starts_with(&typed),
                _ => lower.contains(&typed),
            };
            if name.is_empty() || !is_meant || offers.iter().any(|(_, offer)| offer.shown == name) {
                continue;
            }
            let is_number = self.kind_of(source).is_number();
            let text = if is_number { written(name) } else { format!("{}:", written(name)) };
            let offer =
                Suggestion { text, shown: name.to_owned(), about: source.about().to_owned(), count: None };
            offers.push((!lower.starts_with(&typed), offer));
        }
        let others = [
            (
                "comment",
                "What someone wrote beside a judgment; comment@NAME of one, reason@JUDGE why a judge answered so.",
            ),
            ("document", "The texts of its documents."),
        ];
        for (name, about) in others.into_iter().filter(|(name, _)| name.contains(&typed)) {
            if offers.iter().all(|(_, offer)| offer.shown != name) {
                let offer = Suggestion {
                    text: format!("{name}:"),
                    shown: name.to_owned(),
                    about: about.to_owned(),
                    count: None,
                };
                offers.push((!name.starts_with(&typed), offer));
            }
        }
        offers.sort_by_key(|(is_inside, _)| *is_inside);
        Completion { replaces, offers: offers.into_iter().map(|(_, offer)| offer).collect() }
    }

    fn values(
        &self,
        table: BrowseTable,
        field: &str,
        comparison: Relation,
        typed: &str,
        replaces: Range<usize>,
    ) -> Completion {
        let name = field.to_lowercase();
        let known = self.field_named(table, &name, true);
        if let (Some(ColumnSource::LabelBy(..)), Some(begun)) = (known, typed.strip_prefix('@')) {
            return self.annotator_offers(begun, replaces);
        }
        let typed = typed.to_lowercase();
        let mut counts = known.map(|source| self.value_counts(table, source)).unwrap_or_default();
        let offered = known.map(|source| self.offered(source)).unwrap_or_default();
        let label = |value: &str| offered.iter().find(|(other, _)| *other == value).map(|(_, label)| *label);
        let begins =
            |value: &str| value.to_lowercase().split_whitespace().any(|word| word.starts_with(&typed));
        counts.retain(|(value, _)| value.to_lowercase().contains(&typed));
        counts.sort_by_cached_key(|(value, count)| (!begins(value), Reverse(*count), value.clone()));
        counts.truncate(MOST);
        let is_exact = matches!(comparison, Relation::Is | Relation::IsNot);
        let offer = |(value, count): (String, usize)| Suggestion {
            text: if is_exact { quoted(&value) } else { written(&value) },
            about: label(&value).filter(|label| *label != value).unwrap_or_default().to_owned(),
            shown: value,
            count: Some(count),
        };
        Completion { replaces, offers: counts.into_iter().map(offer).collect() }
    }

    fn annotator_offers(&self, begun: &str, replaces: Range<usize>) -> Completion {
        let begun = begun.to_lowercase();
        let names = self.corpus.annotators.iter().map(|(_, annotator)| &annotator.id);
        let offers = names.filter(|name| name.to_lowercase().contains(&begun)).map(|name| Suggestion {
            text: format!("@{}", written(name)),
            shown: format!("@{name}"),
            about: String::new(),
            count: None,
        });
        Completion { replaces, offers: offers.collect() }
    }

    /// The values of a field, each with the number of its rows; empty for numbers.
    pub(in crate::browse) fn value_counts(
        &self,
        table: BrowseTable,
        source: ColumnSource,
    ) -> Vec<(String, usize)> {
        match self.column_of(table, source) {
            Some(ColumnValues::Words { codes, words }) => {
                let mut of_code = vec![0_usize; words.len()];
                for code in codes {
                    if let Some(count) = of_code.get_mut(*code as usize) {
                        *count += 1;
                    }
                }
                let mut counts: HashMap<&str, usize> = HashMap::new();
                for (word, count) in words.iter().zip(of_code).filter(|(_, count)| *count > 0) {
                    if let Some(word) = word {
                        *counts.entry(word).or_default() += count;
                    }
                }
                counts.into_iter().map(|(word, count)| (word.to_owned(), count)).collect()
            }
            Some(ColumnValues::Sets(sets)) => {
                let mut of_set = vec![0_usize; sets.sets.len()];
                for code in &sets.codes {
                    if let Some(count) = of_set.get_mut(*code as usize) {
                        *count += 1;
                    }
                }
                let mut counts = vec![0; sets.words.len()];
                for (set, count) in sets.sets.iter().zip(of_set) {
                    for word in set {
                        if let Some(of_word) = counts.get_mut(*word as usize) {
                            *of_word += count;
                        }
                    }
                }
                sets.words.iter().cloned().zip(counts).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The sign at a place, if nothing stands behind it.
fn sign_at_end(typed: &str, place: usize) -> Option<(usize, Relation)> {
    let rest = typed.get(place..)?;
    let (found, length) = Relation::begins(rest, true)?;
    (length == rest.len()).then_some((place, found))
}

/// The beginning of the word at the cursor: behind a space or parenthesis outside of quotation marks.
fn word_start(filter: &str, cursor: usize) -> usize {
    let mut start = 0;
    let mut is_quoted = false;
    let mut is_escaped = false;
    for (place, letter) in filter.char_indices().take_while(|(place, _)| *place < cursor) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ if !is_quoted && (letter.is_whitespace() || letter == '(' || letter == ')') => {
                start = place + letter.len_utf8();
            }
            _ => {}
        }
    }
    start
}
