//! Applying a filter to the rows of a table.

use super::{Filter, FilterError, Node, Relation, Test, TestSubject, quoted};
use crate::browse::{
    Bits, BrowseTable, ColumnSource, ColumnValues, Feed, NONE, NOTHING, Needle, Sets, Tables, at, mean,
};
use crate::number::signed_short;
use crate::text::search::Finder;

/// The word for a number that does not exist.
const UNDEFINED: &str = "undefined";

/// A range of numbers; `has_low` and `has_high` tell whether the ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::browse) struct Bounds {
    low: f64,
    has_low: bool,
    high: f64,
    has_high: bool,
}

/// A pattern for words, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WordPattern {
    Contains(String),
    Is(String),
    /// The parts between the stars.
    Stars(Vec<String>),
}

impl Tables {
    /// Checks that a filter can be read, and that this table has its fields and values.
    pub fn check(&self, table: BrowseTable, filter: &str) -> Result<(), FilterError> {
        self.select(table, &super::parse(filter)?).map(|_| ())
    }

    /// The rows that a filter lets through.
    pub(in crate::browse) fn select(&self, table: BrowseTable, filter: &Filter) -> Result<Bits, FilterError> {
        match &filter.root {
            Some(root) => self.select_node(table, root),
            None => Ok(Bits::all(self.len(table))),
        }
    }

    pub(super) fn select_node(&self, table: BrowseTable, node: &Node) -> Result<Bits, FilterError> {
        let len = self.len(table);
        match node {
            Node::And(nodes) => nodes
                .iter()
                .try_fold(Bits::all(len), |bits, node| Ok(bits.and(&self.select_node(table, node)?))),
            Node::Or(nodes) => nodes
                .iter()
                .try_fold(Bits::none(len), |bits, node| Ok(bits.or(&self.select_node(table, node)?))),
            Node::Not(node) => Ok(self.select_node(table, node)?.complement()),
            Node::Word { text, slip, .. } => {
                Ok(self.rows_with(table, &Needle { text: text.clone(), slip: *slip }))
            }
            Node::Test(test) => self.select_test(table, test),
        }
    }

    /// The rows of a table for which a test of a field holds. A test of a summary holds for a pair where it does for either of the
    /// two, and with `!=` where it does for both.
    pub(in crate::browse) fn select_test(
        &self,
        table: BrowseTable,
        test: &Test,
    ) -> Result<Bits, FilterError> {
        let (found, items) = (self.select_rows(table, test)?, &self.relations.items);
        let named = |table| self.field_named(table, &test.field, false);
        let is_of_record = |source: ColumnSource| source.feed() == Feed::Corpus && source.name() != "sample";
        let has_pairs = table == BrowseTable::Items && items.iter().any(|item| item.other != NONE);
        if !has_pairs || !named(table).is_some_and(is_of_record) || named(BrowseTable::Candidates).is_none() {
            return Ok(found);
        }
        let summaries = self.select_rows(BrowseTable::Candidates, test)?;
        Ok(Bits::of(items.len(), |row| match at(items, row).filter(|item| item.other != NONE) {
            None => found.has(row),
            Some(pair) if test.comparison == Relation::IsNot => {
                summaries.has(pair.candidate) && summaries.has(pair.other)
            }
            Some(pair) => summaries.has(pair.candidate) || summaries.has(pair.other),
        }))
    }

    fn select_rows(&self, table: BrowseTable, test: &Test) -> Result<Bits, FilterError> {
        let is_undefined = !test.quoted && test.value.eq_ignore_ascii_case(UNDEFINED);
        let bounds = bounds(test);
        let is_empty = test.quoted && test.value.is_empty();
        let wants_label = bounds.is_none() && !is_undefined && !is_empty && !means_number(test);
        match self.subject(table, test, wants_label)? {
            TestSubject::Comment(who) => {
                let pattern = WordPattern::of(test, false);
                Ok(self.rows_with_comment(table, who, |comment| pattern.fits(comment)))
            }
            TestSubject::Documents => {
                Ok(self.rows_with_document(table, &Needle { text: test.value.clone(), slip: false }))
            }
            TestSubject::Of(source) => match (self.column_of(table, source), bounds) {
                (None, _) => Ok(Bits::none(self.len(table))),
                (Some(ColumnValues::Sets(sets)), _) => self.select_sets(table, test, source, sets, bounds),
                (Some(ColumnValues::Words { codes, words }), _) => {
                    self.select_words(test, source, codes, words)
                }
                (Some(column), Some(bounds)) => Ok(numbers(column, test, &bounds)),
                (Some(column), None) if is_undefined || is_empty => {
                    let negative = test.comparison == Relation::IsNot;
                    Ok(Bits::of(self.len(table), |row| column.number(row).is_none() != negative))
                }
                (Some(_), None) => Err(no_number(test)),
            },
        }
    }

    /// The rows whose word fits. For a key of a record with a text, the text is searched too.
    fn select_words(
        &self,
        test: &Test,
        source: ColumnSource,
        codes: &[u32],
        words: &[Option<String>],
    ) -> Result<Bits, FilterError> {
        let pattern = WordPattern::of(test, false);
        refuse_order(test)?;
        let entity = if let ColumnSource::Field(field) = source { field.looks_into } else { None };
        let finder = entity.zip(match &pattern {
            WordPattern::Contains(text) => Some(Finder::new(text)),
            _ => None,
        });
        let in_text = |place: usize| {
            finder.as_ref().is_some_and(|(entity, finder)| {
                self.text_of(*entity, place as u32).is_some_and(|text| finder.is_in(text))
            })
        };
        let fits: Vec<bool> = words
            .iter()
            .enumerate()
            .map(|(place, word)| match word {
                Some(word) => pattern.fits(word) || in_text(place),
                None => pattern.is_empty(),
            })
            .collect();
        let is_none = pattern.is_empty();
        let negative = test.comparison == Relation::IsNot;
        Ok(Bits::of(codes.len(), |row| {
            let code = codes.get(row as usize).copied().unwrap_or(NONE);
            let has_word = words.get(code as usize).is_some_and(Option::is_some);
            match fits.get(code as usize) {
                Some(fits) if negative => has_word && !fits,
                Some(fits) => *fits,
                None => is_none && !negative,
            }
        }))
    }

    pub(in crate::browse) fn select_sets(
        &self,
        table: BrowseTable,
        test: &Test,
        source: ColumnSource,
        sets: &Sets,
        bounds: Option<Bounds>,
    ) -> Result<Bits, FilterError> {
        let question = source.question();
        if let (ColumnSource::LabelBy(question, _), Some(other), false) =
            (source, test.value.strip_prefix('@'), test.quoted)
        {
            return self.select_differing(table, test, (question, source), other);
        }
        let is_word = |word: &str| sets.words.iter().any(|other| other.eq_ignore_ascii_case(word));
        // A step of a scale such as `3` is a label and a number: with `<` and `>` the number is meant.
        let is_order = refuse_order(test).is_err();
        let scores = question.filter(|_| bounds.is_some() && (is_order || !is_word(&test.value)));
        if let (Some(question), Some(bounds)) = (scores, bounds) {
            let fits: Vec<bool> =
                (0..sets.sets.len()).map(|set| self.score_fits(question, sets, set, &bounds)).collect();
            return Ok(by_set(sets, &fits, false, test.comparison == Relation::IsNot));
        }
        if is_order && question.is_some_and(|question| self.has_label_scores(question)) {
            return Err(no_number(test));
        }
        refuse_order(test)?;
        let offered = self.offered(source);
        let is_text = question.is_some() && offered.is_empty();
        let pattern = WordPattern::of(test, !is_text);
        if !is_text && !pattern.is_empty() && matches!(pattern, WordPattern::Is(_)) {
            refuse_unknown_label(test, &offered, sets, &pattern)?;
        }
        let label = |word: &str| offered.iter().find(|(value, _)| *value == word).map(|(_, label)| *label);
        let fits_word =
            |word: &String| pattern.fits(word) || label(word).is_some_and(|label| pattern.fits(label));
        let fits_word: Vec<bool> = sets.words.iter().map(fits_word).collect();
        let fits = |set: &Vec<u32>| set.iter().any(|word| fits_word.get(*word as usize) == Some(&true));
        let fits: Vec<bool> = sets.sets.iter().map(fits).collect();
        Ok(by_set(sets, &fits, pattern.is_empty(), test.comparison == Relation::IsNot))
    }

    /// Whether the mean score of the labels of a set lies within bounds.
    fn score_fits(&self, question: u16, sets: &Sets, set: usize, bounds: &Bounds) -> bool {
        mean(self.label_scores(question, sets, set)).is_some_and(|score| bounds.has(score))
    }

    /// The rows with an item that two annotators both answered, alike or (with `!=`) differently.
    fn select_differing(
        &self,
        table: BrowseTable,
        test: &Test,
        (question, source): (u16, ColumnSource),
        other: &str,
    ) -> Result<Bits, FilterError> {
        let Some(annotator) = self.annotator_named(other) else {
            let names = self.corpus.annotators.iter().map(|(_, annotator)| annotator.id.as_str());
            let names = names.take(8).collect::<Vec<_>>().join(", ");
            let what = format!("there is no annotator {}; choose among {names}", quoted(other));
            return Err(FilterError::new(test.value_place.0.clone(), what));
        };
        refuse_order(test)?;
        let negative = test.comparison == Relation::IsNot;
        // Items are compared one by one: two annotators' labels over a summary may be the same though no item's are.
        let columns = [source, ColumnSource::LabelBy(question, annotator)];
        let [Some(ColumnValues::Sets(ones)), Some(ColumnValues::Sets(others))] =
            columns.map(|source| self.column_of(BrowseTable::Items, source))
        else {
            return Ok(Bits::none(self.len(table)));
        };
        let mut found = Bits::none(self.len(table));
        for item in 0..self.len(BrowseTable::Items) {
            let [mut one, mut two] = [ones, others].map(|sets| sets.of(item).collect::<Vec<&str>>());
            one.sort_unstable();
            two.sort_unstable();
            let row = self.row_of_item(table, item as u32);
            if !one.is_empty() && !two.is_empty() && (one == two) != negative && row != NONE {
                found.insert(row);
            }
        }
        Ok(found)
    }
}

/// Refuses a label that the question does not offer and nobody gave: it is a typing error.
fn refuse_unknown_label(
    test: &Test,
    offered: &[(&str, &str)],
    sets: &Sets,
    pattern: &WordPattern,
) -> Result<(), FilterError> {
    let is_offered = offered.iter().any(|(value, label)| pattern.fits(value) || pattern.fits(label));
    let is_said = sets.words.iter().any(|word| pattern.fits(word)) || test.value == NOTHING;
    let is_number = test.value.parse::<u32>().is_ok();
    if is_offered || is_said || is_number {
        return Ok(());
    }
    let values: Vec<&str> = match offered.is_empty() {
        true => sets.words.iter().take(8).map(String::as_str).collect(),
        false => offered.iter().map(|(value, _)| *value).collect(),
    };
    let advice = match values.is_empty() {
        true => "nobody gave any".to_owned(),
        false => format!("choose among {}", values.join(", ")),
    };
    let what = format!("{} is no {} here; {advice}", quoted(&test.value), test.field);
    Err(FilterError::new(test.value_place.0.clone(), what))
}

/// Whether only a number can be meant: behind `<`, `<=`, `>` and `>=`, and as an end of a range.
fn means_number(test: &Test) -> bool {
    let is_range = |(low, high)| !test.quoted && (read(low).is_some() || read(high).is_some());
    refuse_order(test).is_err() || test.value.split_once("..").is_some_and(is_range)
}

/// Refuses a value that is no number.
fn no_number(test: &Test) -> FilterError {
    let what =
        format!("{} is a number, and {} is none; type one such as 20", test.field, quoted(&test.value));
    FilterError::new(test.value_place.0.clone(), what)
}

/// Refuses `<`, `<=`, `>` and `>=` for a field of words.
pub(super) fn refuse_order(test: &Test) -> Result<(), FilterError> {
    match test.comparison {
        Relation::Has | Relation::Is | Relation::IsNot => Ok(()),
        other => Err(FilterError::new(
            test.field_place.0.start..test.value_place.0.end,
            format!("{} is no number, so nothing is {} it; use : or =", test.field, other.sign()),
        )),
    }
}

fn by_set(sets: &Sets, fits: &[bool], fits_none: bool, negative: bool) -> Bits {
    Bits::of(sets.codes.len(), |row| {
        let set = sets.codes.get(row as usize).and_then(|code| fits.get(*code as usize));
        match set {
            Some(fits) => *fits != negative,
            // `!=` means another label: a row without labels has none.
            None => fits_none && !negative,
        }
    })
}

fn numbers(column: &ColumnValues, test: &Test, bounds: &Bounds) -> Bits {
    let negative = test.comparison == Relation::IsNot;
    let fits = |number: f64| bounds.has(number) != negative;
    match column {
        ColumnValues::Numbers(numbers) => Bits::of(numbers.len(), |row| {
            numbers.get(row as usize).is_some_and(|number| !number.is_nan() && fits(*number))
        }),
        ColumnValues::Counts(counts) => Bits::of(counts.len(), |row| {
            counts.get(row as usize).is_some_and(|count| *count != NONE && fits(f64::from(*count)))
        }),
        ColumnValues::Words { .. } | ColumnValues::Sets(_) => Bits::default(),
    }
}

/// The bounds that a test sets for a number; `None` where its value is no number.
pub(in crate::browse) fn bounds(test: &Test) -> Option<Bounds> {
    let value = test.value.strip_suffix('%').unwrap_or(&test.value);
    let everything = Bounds { low: f64::NEG_INFINITY, has_low: true, high: f64::INFINITY, has_high: true };
    if let (Some((low, high)), Relation::Has | Relation::Is) = (value.split_once(".."), test.comparison) {
        let end = |text: &str, open: f64| if text.is_empty() { Some(open) } else { read(text) };
        let (low, high) = (end(low, f64::NEG_INFINITY)?, end(high, f64::INFINITY)?);
        return Some(Bounds { low, high, ..everything });
    }
    let number = read(value)?;
    // A number that is shown rounded is found by its rounded form.
    let decimals = value.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let half = 0.5 * 10_f64.powi(-signed_short(decimals));
    Some(match test.comparison {
        Relation::Has | Relation::Is | Relation::IsNot => {
            Bounds { low: number - half, has_low: true, high: number + half, has_high: false }
        }
        Relation::Below => Bounds { high: number, has_high: false, ..everything },
        Relation::AtMost => Bounds { high: number, ..everything },
        Relation::Above => Bounds { low: number, has_low: false, ..everything },
        Relation::AtLeast => Bounds { low: number, ..everything },
    })
}

/// A finite number in plain digits.
pub(super) fn read(text: &str) -> Option<f64> {
    let is_plain = text.chars().all(|letter| letter.is_ascii_digit() || letter == '.' || letter == '-');
    text.parse().ok().filter(|number: &f64| is_plain && number.is_finite())
}

impl Bounds {
    pub(super) fn has(&self, number: f64) -> bool {
        let above = if self.has_low { number >= self.low } else { number > self.low };
        let below = if self.has_high { number <= self.high } else { number < self.high };
        above && below
    }
}

impl WordPattern {
    /// The pattern of a test's value. A label or tag must be the value; a name or text may contain it.
    pub(super) fn of(test: &Test, is_label: bool) -> WordPattern {
        let value = test.value.to_lowercase();
        let has_stars = !test.quoted && value.contains('*');
        match test.comparison {
            Relation::Has if has_stars => WordPattern::Stars(value.split('*').map(str::to_owned).collect()),
            Relation::Has if !is_label && !value.is_empty() => WordPattern::Contains(value),
            _ => WordPattern::Is(value),
        }
    }

    /// Whether the pattern is the empty word.
    fn is_empty(&self) -> bool {
        *self == WordPattern::Is(String::new())
    }

    pub(super) fn fits(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        match self {
            WordPattern::Contains(part) => word.contains(part),
            WordPattern::Is(whole) => word == *whole,
            WordPattern::Stars(parts) => {
                let Some((first, rest)) = parts.split_first() else { return false };
                let Some(mut left) = word.strip_prefix(first.as_str()) else { return false };
                let Some((last, between)) = rest.split_last() else { return left.is_empty() };
                for part in between {
                    match left.split_once(part.as_str()) {
                        Some((_, behind)) => left = behind,
                        None => return false,
                    }
                }
                left.ends_with(last.as_str())
            }
        }
    }
}
