//! Ratings as they come in, with the checks that every layout shares.

use std::collections::HashSet;

use super::{MOST_ANNOTATORS, MOST_CATEGORIES, NamedClusters, Rating, RatingsFile};
use crate::error::{Error, Result};
use crate::formats::sentence::{quoted, quoted_list};
use crate::number::short;
use crate::text::names::{Names, NoNumber};

/// Annotators whose ratings are noted as bits of one word.
const BITS: u16 = 64;

/// What programs write for a missing value; it is a label only where it is named as one.
const MISSING: [&[u8]; 7] = [b"NaN", b"nan", b"NA", b"N/A", b"<NA>", b"null", b"NULL"];

/// Collects ratings.
pub(super) struct Collector {
    items: Names,
    annotators: Names,
    categories: Names,
    /// Whether the categories were given, so that no label may be added.
    is_closed: bool,
    /// Their numbers where all that were given are such.
    numbers: Option<Vec<f64>>,
    /// Cells with one of [`MISSING`].
    missing: usize,
    ratings: Vec<Rating>,
    lines: RatingLines,
    /// Which of the first annotators have rated an item.
    rated: Vec<u64>,
    /// What the other annotators have rated.
    rated_by_others: HashSet<(u32, u16)>,
    clusters: ClustersSoFar,
}

/// The line of each rating, a byte each where lines follow one another.
#[derive(Default)]
struct RatingLines {
    /// How many lines behind that of the rating before; [`JUMP`] where the list below has it.
    steps: Vec<u8>,
    /// Ratings with their lines.
    jumps: Vec<(usize, u64)>,
    last: u64,
}

/// A step that no byte holds.
const JUMP: u8 = u8::MAX;

impl RatingLines {
    fn push(&mut self, line: u64) {
        let step = line.checked_sub(self.last).and_then(|step| u8::try_from(step).ok());
        let step = step.unwrap_or(JUMP);
        if step == JUMP {
            self.jumps.push((self.steps.len(), line));
        }
        self.steps.push(step);
        self.last = line;
    }

    /// The line of a rating.
    fn get(&self, rating: usize) -> Option<u64> {
        let before = self.jumps.partition_point(|(at, _)| *at <= rating).checked_sub(1);
        let (from, start) = match before.and_then(|at| self.jumps.get(at)) {
            Some((at, line)) => (at + 1, *line),
            None => (0, 0),
        };
        let steps = self.steps.get(from..=rating)?;
        Some(start + steps.iter().map(|step| u64::from(*step)).sum::<u64>())
    }
}

#[derive(Default)]
struct ClustersSoFar {
    names: Names,
    /// Cluster and line for each item.
    of_item: Vec<(u32, u32)>,
}

/// A name in quotation marks.
fn name(names: &Names, number: usize) -> String {
    quoted(names.get(number).unwrap_or_default())
}

/// The number that a label is.
fn number(label: &str) -> Option<f64> {
    label.trim().parse::<f64>().ok().filter(|number| number.is_finite())
}

fn texts(names: &Names) -> Vec<String> {
    names.iter().map(str::to_owned).collect()
}

fn without_cluster(item: &str) -> Error {
    Error::new(format!("the item {item} has no cluster, and others have one"))
        .advise("give all items a \"cluster\" or none")
}

/// Where a name or label stands.
#[derive(Clone, Copy)]
pub(super) struct RatingCell<'a> {
    pub(super) text: &'a [u8],
    pub(super) line: u64,
    /// The name of the column.
    pub(super) column: &'a str,
}

impl RatingCell<'_> {
    /// The error that the caller found in this cell.
    pub(super) fn error(self, what: impl std::fmt::Display) -> Error {
        Error::new(format!("column {}: {what}", quoted(self.column))).at_line(self.line)
    }

    fn number_in(self, names: &mut Names) -> Result<usize> {
        if self.text.is_empty() {
            return Err(self.error("the cell is empty").advise("fill it, or remove the line"));
        }
        names.number(self.text).map_err(|error| match error {
            NoNumber::NotText(byte) => self
                .error(format!("byte {} of the cell is not UTF-8", byte + 1))
                .advise("convert the file to UTF-8"),
            NoNumber::Full => self.error("there are too many names").advise("split the file"),
        })
    }
}

impl Collector {
    /// A collector for these categories, or for those that will occur.
    ///
    /// # Errors
    /// A usage error: no category, too many, or one that stands twice.
    pub(super) fn new(categories: Option<&[String]>) -> Result<Collector> {
        let mut names = Names::default();
        for (index, category) in categories.unwrap_or_default().iter().enumerate() {
            if names.number(category.as_bytes()) != Ok(index) {
                return Err(Error::usage(format!("--categories names {} twice", quoted(category)))
                    .advise("name every label once, in scale order"));
            }
        }
        if categories.is_some_and(<[String]>::is_empty) || names.len() > MOST_CATEGORIES {
            return Err(Error::usage(format!("--categories takes 1 to {MOST_CATEGORIES} labels")));
        }
        let numbers = categories.and_then(|labels| labels.iter().map(|label| number(label)).collect());
        Ok(Collector {
            items: Names::default(),
            annotators: Names::default(),
            categories: names,
            is_closed: categories.is_some(),
            numbers,
            missing: 0,
            ratings: Vec::new(),
            lines: RatingLines::default(),
            rated: Vec::new(),
            rated_by_others: HashSet::new(),
            clusters: ClustersSoFar::default(),
        })
    }

    /// Makes ready for items of these names.
    pub(super) fn approach<'n>(&self, items: impl Iterator<Item = &'n [u8]>) {
        self.items.approach(items);
    }

    /// The number of an item.
    pub(super) fn item(&mut self, cell: RatingCell<'_>) -> Result<u32> {
        let number = cell.number_in(&mut self.items)?;
        if number == self.rated.len() {
            self.rated.push(0);
        }
        u32::try_from(number).map_err(|_| cell.error("there are too many items"))
    }

    /// The number of an annotator.
    pub(super) fn annotator(&mut self, cell: RatingCell<'_>) -> Result<u16> {
        let number = cell.number_in(&mut self.annotators)?;
        let number = u16::try_from(number).ok().filter(|number| usize::from(*number) < MOST_ANNOTATORS);
        number.ok_or_else(|| cell.error(format!("there are more than {MOST_ANNOTATORS} annotators")))
    }

    /// Takes the rating that an annotator gave an item; an empty cell is none, nor is one that says so.
    pub(super) fn rate(&mut self, item: u32, annotator: u16, cell: RatingCell<'_>) -> Result<()> {
        if cell.text.is_empty() {
            return Ok(());
        }
        if MISSING.contains(&cell.text) && !(self.is_closed && self.categories.find(cell.text).is_some()) {
            self.missing += 1;
            return Ok(());
        }
        let category = self.category(cell)?;
        if !self.is_first(item, annotator) {
            return Err(self.second(item, annotator, cell));
        }
        self.ratings.push(Rating { item, annotator, category });
        self.lines.push(cell.line);
        Ok(())
    }

    fn category(&mut self, cell: RatingCell<'_>) -> Result<u8> {
        let found = match self.categories.find(cell.text) {
            None if !self.is_closed => Some(cell.number_in(&mut self.categories)?),
            None => self.numbers.as_ref().and_then(|numbers| {
                let given = number(str::from_utf8(cell.text).ok()?)?;
                numbers.iter().position(|number| *number == given)
            }),
            found => found,
        };
        let label = || quoted(&String::from_utf8_lossy(cell.text));
        let Some(number) = found else {
            let given = quoted_list(self.categories.iter());
            return Err(cell
                .error(format!("{} is none of the categories {given}", label()))
                .advise("correct it, or name it with --categories"));
        };
        let number = u8::try_from(number).ok().filter(|number| usize::from(*number) < MOST_CATEGORIES);
        number.ok_or_else(|| {
            cell.error(format!("{} is one label more than the {MOST_CATEGORIES} there may be", label()))
                .advise("check that the column holds labels")
        })
    }

    /// Notes that the annotator rated the item; false when that was so before.
    fn is_first(&mut self, item: u32, annotator: u16) -> bool {
        if annotator >= BITS {
            return self.rated_by_others.insert((item, annotator));
        }
        let bit = 1 << annotator;
        // The item's number was given out by `item`, which made room for it.
        let Some(rated) = self.rated.get_mut(item as usize) else {
            return true;
        };
        let is_first = *rated & bit == 0;
        *rated |= bit;
        is_first
    }

    fn second(&self, item: u32, annotator: u16, cell: RatingCell<'_>) -> Error {
        let first = self
            .ratings
            .iter()
            .position(|rating| (rating.item, rating.annotator) == (item, annotator))
            .and_then(|index| self.lines.get(index))
            .unwrap_or_default();
        cell.error(format!(
            "{} rated the item {} on line {first} already",
            name(&self.annotators, usize::from(annotator)),
            name(&self.items, item as usize),
        ))
        .advise("keep one of the two lines")
    }

    /// Notes the cluster of an item, which must be the same on all its lines.
    pub(super) fn cluster(&mut self, item: u32, cell: RatingCell<'_>) -> Result<()> {
        let number = cell.number_in(&mut self.clusters.names)?;
        let number = u32::try_from(number).map_err(|_| cell.error("there are too many clusters"))?;
        let known = &mut self.clusters.of_item;
        if known.len() < item as usize {
            let earlier = name(&self.items, known.len());
            return Err(without_cluster(&earlier).at_line(cell.line));
        }
        match known.get(item as usize) {
            Some((earlier, _)) if *earlier == number => Ok(()),
            Some((earlier, line)) => {
                let names = &self.clusters.names;
                Err(cell
                    .error(format!(
                        "the item {} is in the cluster {} here and in {} on line {line}",
                        name(&self.items, item as usize),
                        name(names, number as usize),
                        name(names, *earlier as usize),
                    ))
                    .advise("give it the same cluster on all its lines"))
            }
            None => {
                known.push((number, short(cell.line)));
                Ok(())
            }
        }
    }

    /// Everything that came in.
    ///
    /// # Errors
    /// There is no rating at all.
    pub(super) fn finish(mut self) -> Result<RatingsFile> {
        if self.ratings.is_empty() {
            return Err(Error::new("there is no rating").advise("check that the value column is filled"));
        }
        let clustered = self.clusters.of_item.len();
        if clustered > 0 && clustered < self.items.len() {
            return Err(without_cluster(&name(&self.items, clustered)));
        }
        let mut warnings = Vec::new();
        let categories = if self.is_closed {
            texts(&self.categories)
        } else {
            let (categories, how) = self.in_natural_order();
            warnings.push(format!(
                "the categories are those that occur, {how}: {}; name all of them in scale order with --categories",
                quoted_list(&categories)
            ));
            categories
        };
        if self.missing > 0 {
            let (cells, are) = if self.missing == 1 { ("cell says", "is") } else { ("cells say", "are") };
            warnings.push(format!(
                "{} {cells} NaN, NA or null and {are} taken as missing; name that with --categories if it is a label",
                self.missing
            ));
        }
        self.items.close();
        let clusters = (clustered > 0).then(|| NamedClusters {
            names: texts(&self.clusters.names),
            of_item: self.clusters.of_item.into_iter().map(|(cluster, _)| cluster).collect(),
        });
        Ok(RatingsFile {
            annotators: texts(&self.annotators),
            items: self.items,
            categories,
            ratings: self.ratings,
            clusters,
            warnings,
        })
    }

    /// The categories by their numbers where all are numbers, of which `2` and `2.0` are one, else as they first appeared; the
    /// ratings are renumbered to match.
    fn in_natural_order(&mut self) -> (Vec<String>, &'static str) {
        let labels = texts(&self.categories);
        let Some(numbers) = labels.iter().map(|label| number(label)).collect::<Option<Vec<f64>>>() else {
            return (labels, "in the order in which they first appear");
        };
        let mut order: Vec<(f64, u8, String)> =
            (0..).zip(labels).zip(numbers).map(|((old, label), number)| (number, old, label)).collect();
        // Of labels that are one number the shortest first.
        let length = |label: &String| label.len();
        order.sort_by(|one, other| one.0.total_cmp(&other.0).then(length(&one.2).cmp(&length(&other.2))));
        let mut renumbered = [0; MOST_CATEGORIES];
        let mut categories: Vec<String> = Vec::new();
        for (new, labels) in (0..).zip(order.chunk_by(|one, other| one.0 == other.0)) {
            for (_, old, label) in labels {
                if let Some(place) = renumbered.get_mut(usize::from(*old)) {
                    *place = new;
                }
                if categories.len() == usize::from(new) {
                    categories.push(label.clone());
                }
            }
        }
        for rating in &mut self.ratings {
            if let Some(new) = renumbered.get(usize::from(rating.category)) {
                rating.category = *new;
            }
        }
        (categories, "in the order of their numbers")
    }
}

#[cfg(test)]
mod tests {
    use super::RatingLines;

    #[test]
    fn every_rating_has_its_line() {
        let given = [2, 3, 3, 9, 263, 264, 100_000, 100_254, 100_509, 100_510, 7];
        let mut lines = RatingLines::default();
        given.iter().for_each(|line| lines.push(*line));
        assert!((0..).zip(given).all(|(at, line)| lines.get(at) == Some(line)));
        assert_eq!((lines.get(given.len()), lines.jumps.len()), (None, 3));
    }
}
