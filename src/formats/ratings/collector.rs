//! Ratings as they come in, with the checks that every layout shares.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use super::labels::{
    FoundLabel, LabelColumn, NamedLabels, is_one, number, one_too_many, remarks, remarks_on_names,
};
use super::layout::RatingsLayout;
use super::{GroupedItems, MOST_ANNOTATORS, MOST_CATEGORIES, Rating, RatingsAsked, RatingsFile};
use crate::error::{Error, Result};
use crate::formats::sentence::{quoted, quoted_list};
use crate::number::{number_of, short};
use agreement::{Names, NoNumber};

/// The number of annotators whose ratings of an item are noted as bits of one word.
const BITS: u16 = 64;

/// Collects ratings.
pub(super) struct Collector<'a> {
    asked: &'a RatingsAsked<'a>,
    /// The layout, once the header is read.
    layout: Option<Rc<RatingsLayout>>,
    /// Whether each annotator has a column.
    is_wide: bool,
    items: Names,
    annotators: Names,
    /// The labels that were named; where none were, the labels that occur are taken.
    named: Option<NamedLabels>,
    /// Columns by annotator where each has one, else a single column.
    columns: Vec<AnnotatorColumn>,
    /// By annotator, whether the ratings are read.
    is_chosen: Vec<bool>,
    /// Ratings, with the numbers that labels have in their column.
    ratings: Vec<Rating>,
    lines: RatingLines,
    /// Which of the first annotators have rated an item.
    rated: Vec<u64>,
    /// The items that the other annotators have rated, each with the annotator.
    rated_by_others: HashSet<(u32, u16)>,
    of_item: Vec<ItemColumn>,
}

/// A column of ratings.
#[derive(Default)]
struct AnnotatorColumn {
    labels: LabelColumn,
    /// The first cell that is no rating, by its line: an error only if the column is one of ratings.
    fault: Option<(u64, Error)>,
}

/// The line of each rating, a byte each where lines follow one another.
#[derive(Default)]
struct RatingLines {
    /// How many lines behind that of the rating before; [`JUMP`] where `jumps` has the line.
    steps: Vec<u8>,
    /// Ratings with their lines.
    jumps: Vec<(usize, u64)>,
    last: u64,
}

/// The byte for a step that no byte holds.
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

/// The groups of items in a column.
#[derive(Default)]
struct ItemColumn {
    names: Names,
    /// Group and line of each item.
    of_item: Vec<(u32, u32)>,
}

/// The group of items whose cell in a column is empty.
const NO_GROUP: &str = "(none)";

/// A name in quotation marks.
fn name(names: &Names, number: usize) -> String {
    quoted(names.get(number).unwrap_or_default())
}

fn texts(names: &Names) -> Vec<String> {
    names.iter().map(str::to_owned).collect()
}

fn without_cluster(item: &str) -> Error {
    Error::new(format!("the item {item} has no cluster, and others have one"))
        .advise("give all items a \"cluster\" or none")
}

/// A cell with a name or label.
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

    pub(super) fn number_in(self, names: &mut Names) -> Result<usize> {
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

impl<'a> Collector<'a> {
    /// A collector of what is asked for.
    pub(super) fn new(asked: &'a RatingsAsked<'a>) -> Result<Collector<'a>> {
        Ok(Collector {
            asked,
            layout: None,
            is_wide: false,
            items: Names::default(),
            annotators: Names::default(),
            named: asked.categories.map(NamedLabels::of).transpose()?,
            columns: Vec::new(),
            is_chosen: Vec::new(),
            ratings: Vec::new(),
            lines: RatingLines::default(),
            rated: Vec::new(),
            rated_by_others: HashSet::new(),
            of_item: Vec::new(),
        })
    }

    pub(super) fn asked(&self) -> &'a RatingsAsked<'a> {
        self.asked
    }

    /// Takes the layout that the header gives, before the first rating.
    pub(super) fn begin(&mut self, layout: Rc<RatingsLayout>) {
        self.of_item.resize_with(layout.of_item.len(), ItemColumn::default);
        self.is_wide = layout.long.is_none();
        if !self.is_wide {
            self.columns.push(AnnotatorColumn::default());
        }
        self.layout = Some(layout);
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
        let place = cell.number_in(&mut self.annotators)?;
        let number = u16::try_from(place).ok().filter(|number| usize::from(*number) < MOST_ANNOTATORS);
        let number =
            number.ok_or_else(|| cell.error(format!("there are more than {MOST_ANNOTATORS} annotators")))?;
        if place == self.is_chosen.len() {
            let names = self.asked.annotators;
            self.is_chosen.push(names.is_empty() || names.iter().any(|name| name.as_bytes() == cell.text));
            if self.is_wide {
                self.columns.push(AnnotatorColumn::default());
            }
        }
        Ok(number)
    }

    /// Takes the rating that an annotator gave an item. An empty cell is no rating, nor is a cell that says so.
    pub(super) fn rate(&mut self, item: u32, annotator: u16, cell: RatingCell<'_>) -> Result<()> {
        if cell.text.is_empty() || self.is_chosen.get(usize::from(annotator)) != Some(&true) {
            return Ok(());
        }
        let Some(column) = self.columns.get_mut(if self.is_wide { usize::from(annotator) } else { 0 }) else {
            return Ok(());
        };
        if column.labels.is_full {
            return Ok(());
        }
        let category = match column.labels.label(cell, self.named.as_ref()) {
            Ok(Some(category)) => category,
            Ok(None) => return Ok(()),
            Err(error) => return self.refuse(annotator, cell.line, error),
        };
        if !self.is_first(item, annotator) {
            return self.refuse(annotator, cell.line, self.second(item, annotator, cell));
        }
        self.ratings.push(Rating { item, annotator, category });
        self.lines.push(cell.line);
        Ok(())
    }

    /// Takes the error of a cell that is no rating; in the wide form it waits, since the column may turn out to hold
    /// something else.
    pub(super) fn refuse(&mut self, annotator: u16, line: u64, error: Error) -> Result<()> {
        match self.columns.get_mut(usize::from(annotator)) {
            Some(column) if self.is_wide => {
                column.fault.get_or_insert((line, error));
                Ok(())
            }
            _ => Err(error),
        }
    }

    /// Notes that the annotator rated the item; false when that was so before.
    fn is_first(&mut self, item: u32, annotator: u16) -> bool {
        if annotator >= BITS {
            return self.rated_by_others.insert((item, annotator));
        }
        let bit = 1 << annotator;
        // The item's number was given out by `item`, which made room for it.
        let Some(rated) = self.rated.get_mut(item as usize) else { return true };
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
        let advice = match self.layout.as_deref() {
            Some(RatingsLayout { question: Some(column), .. }) => {
                format!("read one question at a time, with --filter '{column}=…'")
            }
            Some(layout) if layout.long.is_none() => format!(
                "each line is read as an item, and {} as annotators; where a line is one rating, name its columns \"item\", \
                 \"annotator\" and \"value\", else keep one of the two lines",
                quoted_list(self.annotators.iter())
            ),
            Some(layout) if !layout.beside().is_empty() => format!(
                "keep one of the two lines, or, where another column than {} tells the items apart (there are {}), name that one \
                 \"item\"",
                quoted(&layout.item),
                quoted_list(layout.beside())
            ),
            _ => "keep one of the two lines".to_owned(),
        };
        cell.error(format!(
            "{} rated the item {} on line {first} already",
            name(&self.annotators, usize::from(annotator)),
            name(&self.items, item as usize),
        ))
        .advise(advice)
    }

    /// Notes the group of an item in a column, which must be the same on all the item's lines.
    pub(super) fn say_of(&mut self, item: u32, column: usize, cell: RatingCell<'_>) -> Result<()> {
        let is_cluster = column == 0 && self.layout.as_ref().is_some_and(|layout| layout.has_cluster);
        let Some(ItemColumn { names, of_item }) = self.of_item.get_mut(column) else { return Ok(()) };
        let text = if cell.text.is_empty() && !is_cluster { NO_GROUP.as_bytes() } else { cell.text };
        let number = RatingCell { text, ..cell }.number_in(names)?;
        let number = u32::try_from(number).map_err(|_| cell.error("there are too many groups"))?;
        if of_item.len() < item as usize {
            let earlier = name(&self.items, of_item.len());
            return Err(without_cluster(&earlier).at_line(cell.line));
        }
        match of_item.get(item as usize) {
            Some((earlier, _)) if *earlier == number => Ok(()),
            Some((earlier, line)) => Err(cell
                .error(format!(
                    "the item {} is in the {} {} here and in {} on line {line}",
                    name(&self.items, item as usize),
                    cell.column,
                    name(names, number as usize),
                    name(names, *earlier as usize),
                ))
                .advise(format!("give it the same {} on all its lines", cell.column))),
            None => {
                of_item.push((number, short(cell.line)));
                Ok(())
            }
        }
    }

    /// The ratings that came in.
    pub(super) fn finish(mut self) -> Result<RatingsFile> {
        if self.asked.filter.is_some() && self.items.is_empty() {
            return Err(Error::nothing("no line fits the filter").advise("change --filter, or leave it out"));
        }
        self.check_named()?;
        self.choose_columns()?;
        let mut warnings = self.layout.as_ref().map_or_else(Vec::new, |layout| layout.unsure.clone());
        warnings.extend(self.left_out());
        let annotators = self.drop_others();
        if let Some(fault) = self.first_fault() {
            return Err(fault);
        }
        if self.ratings.is_empty() {
            return Err(Error::new("there is no rating").advise("check that the value column is filled"));
        }
        let has_gaps = |column: &&ItemColumn| (1..self.items.len()).contains(&column.of_item.len());
        if let Some(column) = self.of_item.iter().find(has_gaps) {
            return Err(without_cluster(&name(&self.items, column.of_item.len())));
        }
        let categories = match &self.named {
            Some(named) => texts(named.names()),
            None => self.take_labels(&annotators, &mut warnings)?,
        };
        warnings.extend(self.missing());
        let count = |is_its: &dyn Fn(&Rating) -> bool| self.ratings.iter().filter(|one| is_its(one)).count();
        let by = |place: usize| count(&|rating| usize::from(rating.annotator) == place);
        let of = |place: usize| count(&|rating| rating.item as usize == place);
        warnings.extend(remarks_on_names(|| annotators.iter().map(String::as_str), "annotator", by));
        warnings.extend(remarks_on_names(|| self.items.iter(), "item", of));
        let (names, has_cluster) =
            self.layout.map_or((Vec::new(), false), |layout| (layout.of_item.clone(), layout.has_cluster));
        let mut groups = names.into_iter().zip(self.of_item).map(|(column, said)| GroupedItems {
            column,
            names: texts(&said.names),
            of_item: said.of_item.into_iter().map(|(group, _)| group).collect(),
        });
        let clusters =
            if has_cluster { groups.next() } else { None }.filter(|groups| !groups.of_item.is_empty());
        let (items, ratings, groups) = (self.items, self.ratings, groups.collect());
        Ok(RatingsFile { annotators, items, categories, ratings, clusters, groups, warnings })
    }

    /// Checks that every annotator who was named is there.
    fn check_named(&self) -> Result<()> {
        let is_missing = |name: &&String| self.annotators.find(name.as_str()).is_none();
        let Some(missing) = self.asked.annotators.iter().find(is_missing) else { return Ok(()) };
        let there: Vec<&str> = match &self.layout {
            Some(layout) if self.is_wide => {
                layout.header.iter().filter(|name| **name != layout.item).map(String::as_str).collect()
            }
            _ => self.annotators.iter().collect(),
        };
        Err(Error::new(format!("there is no annotator {missing:?}"))
            .advise(format!("there are {}", there.join(", "))))
    }

    /// Finds the columns that hold what an annotator says. Where nobody is named, such a column has a label that was
    /// named or, where no label was, that another column has too.
    fn choose_columns(&mut self) -> Result<()> {
        if !self.is_wide || !self.asked.annotators.is_empty() || self.columns.len() < 2 {
            return Ok(());
        }
        let labels: Vec<HashSet<String>> = self.columns.iter().map(|column| column.labels.folded()).collect();
        let mut columns_with: HashMap<&str, usize> = HashMap::new();
        for (_, labels) in self.columns.iter().zip(&labels).filter(|(column, _)| !column.labels.is_full) {
            labels.iter().for_each(|label| *columns_with.entry(label).or_default() += 1);
        }
        let is_shared = |label: &String| columns_with.get(label.as_str()).is_some_and(|columns| *columns > 1);
        let is_annotator = |(column, own): (&AnnotatorColumn, &HashSet<String>)| {
            !column.labels.is_full && (column.labels.is_known || own.iter().any(is_shared))
        };
        self.is_chosen = self.columns.iter().zip(&labels).map(is_annotator).collect();
        if self.is_chosen.contains(&true) {
            return Ok(());
        }
        let columns = quoted_list(self.annotators.iter());
        let what =
            format!("no two of the columns {columns} share a label, so it is not known who is an annotator");
        let unknown = || Error::new(what).advise("name the annotators with --annotators");
        let none = || Error::new("there is no rating").advise("check that the columns are filled");
        let is_empty = self.ratings.is_empty();
        Err(self.first_fault().unwrap_or_else(|| if is_empty { none() } else { unknown() }))
    }

    /// The error of the first cell that is no rating.
    fn first_fault(&mut self) -> Option<Error> {
        let faults = self.columns.iter_mut().filter_map(|column| column.fault.take());
        faults.min_by_key(|(line, _)| *line).map(|(_, fault)| fault)
    }

    /// A sentence on columns that are left out.
    fn left_out(&self) -> Option<String> {
        let layout = self.layout.as_ref()?;
        if !self.is_wide || !self.asked.annotators.is_empty() {
            return None;
        }
        let others = self.annotators.iter().zip(&self.is_chosen).filter(|(_, is_chosen)| !**is_chosen);
        let others = others.map(|(name, _)| name);
        let out: Vec<&str> = others.chain(layout.aside.iter().map(String::as_str)).collect();
        if out.is_empty() {
            return None;
        }
        let [columns, are, why] = match (self.named.is_some(), out.len()) {
            (false, 1) => ["column", "is", "it shares no label with the others, or numbers the items"],
            (true, 1) => ["column", "is", "it has none of the labels that are named, or numbers the items"],
            (false, _) => ["columns", "are", "they share no label with the others, or number the items"],
            (true, _) => {
                ["columns", "are", "they have none of the labels that are named, or number the items"]
            }
        };
        Some(format!(
            "the {columns} {} {are} not taken for annotators: {why}; name all annotators with --annotators where that is wrong",
            quoted_list(out)
        ))
    }

    /// Leaves out the annotators who are not compared, numbers the others anew, and returns their names.
    fn drop_others(&mut self) -> Vec<String> {
        let mut next = 0_u16..;
        let places: Vec<Option<u16>> =
            self.is_chosen.iter().map(|is_chosen| if *is_chosen { next.next() } else { None }).collect();
        if places.contains(&None) {
            let place = |rating: &Rating| places.get(usize::from(rating.annotator)).copied().flatten();
            self.ratings.retain(|rating| place(rating).is_some());
            for rating in &mut self.ratings {
                rating.annotator = place(rating).unwrap_or_default();
            }
        }
        if self.is_wide {
            let mut is_chosen = self.is_chosen.iter();
            self.columns.retain(|_| is_chosen.next() == Some(&true));
        }
        let chosen = self.annotators.iter().zip(&self.is_chosen).filter(|(_, is_chosen)| **is_chosen);
        chosen.map(|(name, _)| name.to_owned()).collect()
    }

    /// The labels that occur, with remarks on them: by their numbers where all are numbers, else as they first appeared.
    /// `2` and `2.0` are one label. The ratings are renumbered to match.
    fn take_labels(&mut self, annotators: &[String], warnings: &mut Vec<String>) -> Result<Vec<String>> {
        let mut found: Vec<(usize, usize, &FoundLabel)> = Vec::new();
        for (at, column) in self.columns.iter().enumerate() {
            found.extend(column.labels.labels.iter().enumerate().map(|(code, label)| (at, code, label)));
        }
        found.sort_by_key(|(_, _, label)| label.line);
        let mut categories: Vec<(String, Option<f64>)> = Vec::new();
        let mut places = vec![[0_usize; MOST_CATEGORIES]; self.columns.len()];
        for (at, code, label) in found {
            let (text, own) = (&label.text, number(&label.text));
            let is_same = |(other, number): &(String, Option<f64>)| other == text || is_one(own, *number);
            let place = categories.iter().position(is_same).unwrap_or(categories.len());
            match categories.get_mut(place) {
                Some((known, _)) if text.len() < known.len() => known.clone_from(text),
                Some(_) => {}
                None if place < MOST_CATEGORIES => categories.push((text.clone(), own)),
                None => {
                    let column = annotators.get(at).map_or("value", String::as_str);
                    return Err(one_too_many(RatingCell { text: &[], line: label.line, column }, text));
                }
            }
            if let Some(new) = places.get_mut(at).and_then(|places| places.get_mut(code)) {
                *new = place;
            }
        }
        let are_numbers = categories.iter().all(|(_, number)| number.is_some());
        let mut order: Vec<usize> = (0..categories.len()).collect();
        if are_numbers {
            let number =
                |place: &usize| categories.get(*place).and_then(|(_, number)| *number).unwrap_or_default();
            order.sort_by(|one, other| number(one).total_cmp(&number(other)));
        }
        let mut ranks = vec![0; order.len()];
        for (rank, place) in (0..).zip(&order) {
            ranks.get_mut(*place).into_iter().for_each(|own| *own = rank);
        }
        let mut cells = vec![0; order.len()];
        for rating in &mut self.ratings {
            let column = if self.is_wide { usize::from(rating.annotator) } else { 0 };
            let place = places.get(column).and_then(|places| places.get(usize::from(rating.category)));
            rating.category = place.and_then(|place| ranks.get(*place)).copied().unwrap_or_default();
            cells.get_mut(usize::from(rating.category)).into_iter().for_each(|cells| *cells += 1);
        }
        let label = |place: &usize| categories.get(*place).map(|(label, _)| label.clone());
        let categories: Vec<String> = order.iter().filter_map(label).collect();
        let how = if are_numbers { "of their numbers" } else { "in which they first appear" };
        warnings.push(format!(
            "the categories are those that occur, in the order {how}: {}; name all of them in scale order with --categories",
            quoted_list(&categories)
        ));
        warnings.extend(remarks(&categories, &cells));
        Ok(categories)
    }

    /// A sentence on the texts that are taken as missing besides empty cells.
    fn missing(&self) -> Option<String> {
        let mut cells: BTreeMap<&str, usize> = BTreeMap::new();
        for (text, count) in self.columns.iter().flat_map(|column| column.labels.missing()) {
            *cells.entry(text).or_default() += count;
        }
        let all: usize = cells.values().sum();
        let are = if all == 1 { "is" } else { "are" };
        let each: Vec<String> =
            cells.iter().map(|(text, cells)| format!("{} {cells}", quoted(text))).collect();
        (all > 0).then(|| {
            format!(
                "{} {are} taken as missing ({}); name with --categories what is a label",
                number_of(all, "cell"),
                each.join(", ")
            )
        })
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
