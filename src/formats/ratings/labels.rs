//! The labels of a column: which texts are one label, which say that there is none, and which a person should look at. All of
//! it is done once for each text that occurs, and not for each cell.

use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization;

use super::MOST_CATEGORIES;
use super::collector::RatingCell;
use crate::error::{Error, Result};
use crate::formats::sentence::{quoted, quoted_list};
use crate::number::number_of;
use agreement::Names;

/// Texts that pandas reads as a missing value, and its own word for a missing time. Each is a label only where it is named as
/// one.
const MISSING: [&str; 19] = [
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A",
    "NA", "NULL", "NaN", "NaT", "None", "n/a", "nan", "null",
];

/// Signs that are a label in some files and a gap in others, alone or one behind the other.
const GAPS: &str = "-–—.…?*_/";

/// The labels that were named, in scale order.
#[derive(Default)]
pub(super) struct NamedLabels {
    names: Names,
    /// The labels as numbers, where they are numbers.
    numbers: Vec<Option<f64>>,
    folded: HashSet<String>,
}

impl NamedLabels {
    /// The labels that an option names.
    pub(super) fn of(labels: &[String]) -> Result<NamedLabels> {
        let limits = || Error::usage(format!("--categories takes 1 to {MOST_CATEGORIES} labels"));
        let mut named = NamedLabels::default();
        for label in labels {
            if label.trim_matches(is_space).is_empty() {
                return Err(Error::usage("--categories names a label without text")
                    .advise("leave it out, with its comma; an empty cell is a missing rating"));
            }
            if let Some(known) = named.find(label).and_then(|place| named.names.get(place)) {
                let other = if known == label { "" } else { &format!(", as {} too", quoted(label)) };
                return Err(Error::usage(format!("--categories names {} twice{other}", quoted(known)))
                    .advise("name every label once, in scale order"));
            }
            named.numbers.push(number(label));
            named.folded.insert(folded(label));
            named.names.number(label.as_bytes()).map_err(|_| limits())?;
        }
        if labels.is_empty() || labels.len() > MOST_CATEGORIES { Err(limits()) } else { Ok(named) }
    }

    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    /// The place of a label, also where it is another way to write the same number.
    fn find(&self, text: &str) -> Option<usize> {
        let same = || {
            let number = number(text);
            self.numbers.iter().position(|own| is_one(*own, number))
        };
        self.names.find(text).or_else(same)
    }
}

/// A text that occurs in a column.
#[derive(Clone, Copy)]
enum LabelText {
    /// A label, by its number in the column; where all labels are named, by its place among them.
    Label(u8),
    /// A text of nothing but white space.
    Blank,
    /// One of [`MISSING`], in so many cells.
    Missing(usize),
    /// A text that is none of the named labels.
    Unknown,
}

/// A label with its first cell.
pub(super) struct FoundLabel {
    pub(super) text: String,
    pub(super) line: u64,
}

/// The labels in one column; where each line is a rating, those of all annotators.
#[derive(Default)]
pub(super) struct LabelColumn {
    texts: Names,
    kinds: Vec<LabelText>,
    /// Labels by number; empty where all labels are named.
    pub(super) labels: Vec<FoundLabel>,
    /// Whether a label is one of the named ones, or nearly so.
    pub(super) is_known: bool,
    /// Whether there are more labels than a scale has; then no further cell is looked at.
    pub(super) is_full: bool,
}

impl LabelColumn {
    /// The number of the label in a cell; `None` where it says that there is none.
    pub(super) fn label(&mut self, cell: RatingCell<'_>, named: Option<&NamedLabels>) -> Result<Option<u8>> {
        let place = match self.texts.find(cell.text) {
            Some(place) => place,
            None => self.add(cell, named)?,
        };
        match self.kinds.get_mut(place) {
            Some(LabelText::Label(number)) => Ok(Some(*number)),
            Some(LabelText::Missing(cells)) => {
                *cells += 1;
                Ok(None)
            }
            Some(LabelText::Blank) | None => Ok(None),
            Some(LabelText::Unknown) => {
                let label = quoted(&String::from_utf8_lossy(cell.text));
                let given = quoted_list(named.into_iter().flat_map(|named| named.names.iter()));
                let unknown = format!("{label} is none of the categories {given}");
                Err(cell.error(unknown).advise("correct it, or name it with --categories"))
            }
        }
    }

    fn add(&mut self, cell: RatingCell<'_>, named: Option<&NamedLabels>) -> Result<usize> {
        let place = cell.number_in(&mut self.texts)?;
        let text = self.texts.get(place).unwrap_or_default();
        let bare = text.trim_matches(is_space);
        let is_missing = MISSING.contains(&bare) && named.is_none_or(|named| named.find(bare).is_none());
        let found = named.and_then(|named| named.find(text));
        // At most 254 labels can be named.
        let kind = match (named, u8::try_from(found.unwrap_or(self.labels.len()))) {
            _ if bare.is_empty() => LabelText::Blank,
            _ if is_missing => LabelText::Missing(0),
            (Some(named), _) if found.is_none() => {
                self.is_known |= named.folded.contains(&folded(text));
                self.is_full |= self.texts.len() > MOST_CATEGORIES;
                LabelText::Unknown
            }
            (_, Ok(number)) if usize::from(number) < MOST_CATEGORIES => LabelText::Label(number),
            _ => {
                self.is_full = true;
                return Err(one_too_many(cell, text));
            }
        };
        match (named, kind) {
            (Some(_), LabelText::Label(_)) => self.is_known = true,
            (None, LabelText::Label(_)) => {
                self.labels.push(FoundLabel { text: text.to_owned(), line: cell.line });
            }
            _ => {}
        }
        self.kinds.push(kind);
        Ok(place)
    }

    /// The texts that are taken as missing, each with how many cells hold it.
    pub(super) fn missing(&self) -> impl Iterator<Item = (&str, usize)> {
        self.texts.iter().zip(&self.kinds).filter_map(|(text, kind)| match kind {
            LabelText::Missing(cells) => Some((text, *cells)),
            _ => None,
        })
    }

    /// The labels in a form in which those are equal that a person would take for one.
    pub(super) fn folded(&self) -> HashSet<String> {
        self.labels.iter().map(|label| folded(&label.text)).collect()
    }
}

/// The error that a label is one more than there may be.
pub(super) fn one_too_many(cell: RatingCell<'_>, label: &str) -> Error {
    cell.error(format!("{} is one label more than the {MOST_CATEGORIES} there may be", quoted(label)))
        .advise("check that the column holds labels")
}

/// The number that a label is.
pub(super) fn number(label: &str) -> Option<f64> {
    label.trim().parse::<f64>().ok().filter(|number| number.is_finite())
}

/// Whether two labels are one number, such as `2` and `2.0`. Long names of digits, as documents have them, are none.
pub(super) fn is_one(one: Option<f64>, other: Option<f64>) -> bool {
    one == other && one.is_some_and(|number| number.abs() < EXACT)
}

/// 2⁵³, from which on two whole numbers may be one number of 64 bits.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// White space, and characters that take no room.
fn is_space(character: char) -> bool {
    let takes_no_room = matches!(
        character,
        '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
    );
    takes_no_room || character.is_whitespace()
}

/// A name without differences that typing makes: case, spaces, characters that take no room, the forms that Unicode has
/// for the same character (NFKC).
fn typed_alike(name: &str) -> String {
    let text: String = name.nfkc().filter(|character| !is_space(*character)).collect();
    text.to_lowercase()
}

/// A label without these differences, and without the comma of a decimal number.
fn folded(label: &str) -> String {
    let text = typed_alike(label);
    match number(&text.replacen(',', ".", 1)) {
        // Adding 0 takes the sign from −0.
        Some(number) if number.abs() < EXACT => (number + 0.0).to_string(),
        _ => text,
    }
}

/// Remarks on labels that nobody named, a sentence each; `cells` has how many cells each label has.
pub(super) fn remarks(labels: &[String], cells: &[usize]) -> Vec<String> {
    let all: Vec<(&String, usize, String)> =
        labels.iter().zip(cells).map(|(label, cells)| (label, *cells, folded(label))).collect();
    let is_gap = |label: &str| label.chars().all(|character| GAPS.contains(character));
    let gaps = all.iter().filter(|(_, _, folded)| is_gap(folded)).map(|(label, cells, _)| {
        let (says, is) = if *cells == 1 { ("cell says", "is") } else { ("cells say", "are") };
        format!(
            "{cells} {says} {} and {is} counted as a label; empty them if nothing was said, or name all labels with --categories",
            quoted(label)
        )
    });
    let is_first = |at: &usize| all.iter().position(|other| other.2 == all[*at].2) == Some(*at);
    let alike = (0..all.len()).filter(is_first).filter_map(|at| {
        let alike: Vec<_> = all.iter().filter(|other| other.2 == all[at].2).collect();
        let counts: Vec<String> = alike.iter().map(|(_, cells, _)| number_of(*cells, "cell")).collect();
        let labels: Vec<&str> = alike.iter().map(|(label, ..)| label.as_str()).collect();
        (alike.len() > 1).then(|| told_alike(&labels, "label", &counts))
    });
    gaps.chain(alike).collect()
}

fn told_alike(names: &[&str], what: &str, counts: &[String]) -> String {
    format!(
        "{} are counted as {} ({}), though they differ only in case, spaces or how a character is written; write them alike if they \
         are one",
        told_apart(names.iter().copied()),
        number_of(names.len(), what),
        counts.join(", ")
    )
}

/// The most names written in several ways that have a sentence each.
const TOLD: usize = 3;

/// Remarks on names that a person would take for one; `ratings` says how many the name at a place has.
pub(super) fn remarks_on_names<'n, N: Iterator<Item = &'n str>>(
    names: impl Fn() -> N,
    what: &str,
    ratings: impl Fn(usize) -> usize,
) -> Vec<String> {
    // Most names have nothing that typing changes, and only others can be like another: a million items are looked through.
    let is_plain =
        |name: &str| name.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase());
    let mut alike: HashMap<String, Vec<(usize, &str)>> = HashMap::new();
    for (place, name) in names().enumerate().filter(|(_, name)| !is_plain(name)) {
        alike.entry(typed_alike(name)).or_default().push((place, name));
    }
    if !alike.is_empty() {
        for (place, name) in names().enumerate().filter(|(_, name)| is_plain(name)) {
            alike.get_mut(name).into_iter().for_each(|known| known.push((place, name)));
        }
    }
    let mut alike: Vec<_> = alike.into_values().filter(|names| names.len() > 1).collect();
    alike.iter_mut().for_each(|names| names.sort_unstable());
    alike.sort_unstable();
    let mut remarks = Vec::new();
    for names in alike.iter().take(TOLD) {
        let counts: Vec<String> =
            names.iter().map(|(place, _)| number_of(ratings(*place), "rating")).collect();
        let names: Vec<&str> = names.iter().map(|(_, name)| *name).collect();
        remarks.push(told_alike(&names, what, &counts));
    }
    if let more @ 1.. = alike.len().saturating_sub(TOLD) {
        let are = if more == 1 { "is" } else { "are" };
        remarks.push(format!("{} {are} written in several ways", number_of(more, &format!("more {what}"))));
    }
    remarks
}

/// Labels in quotation marks; those that would look the same, with the numbers of their characters.
fn told_apart<'l>(labels: impl Iterator<Item = &'l str> + Clone) -> String {
    let seen = |label: &str| label.nfc().filter(|character| !is_space(*character)).collect::<String>();
    let looks: Vec<String> = labels.clone().map(seen).collect();
    let is_twin = |look: &String| looks.iter().filter(|other| *other == look).count() > 1;
    let shown = |(label, look): (&str, &String)| match is_twin(look) {
        true => label.escape_default().to_string(),
        false => label.to_owned(),
    };
    quoted_list(labels.zip(&looks).map(shown))
}
