//! Screens of numbers: scores by position, length, domain and category; counts of tags; a system against a
//! system; agreement of pairs and their confusion.

use ratatui::layout::Rect;

use super::{GridCell, GridStyle, NumberGrid, OpensTo, percent};
use crate::agreement::{Pair, Ratings, Scale, pairs};
use crate::browse::{ACROSS, AskedQuestion, BrowseTable, Crosstab, CrosstabCell, FilteredRows, Tables};
use crate::number::number_of;
use crate::score::{Labels, Measure, ratings_of};
use crate::study::AnnotatorId;

/// The subject of a screen of numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum GridsKind {
    /// A score, by its name, by document order, length, domain and category.
    Scores(String),
    /// Counts of tags by system.
    Tags,
    /// How far each pair agrees on a question.
    Agreement { question: String },
    /// The confusion matrix of a pair.
    Confusion { question: String, first: String, second: String },
    /// Two rows of the table of systems.
    Duel(u32, u32),
}

impl GridsKind {
    /// The table whose rows are counted, of which a filter can keep some; `None` where two rows are compared.
    pub fn table(&self) -> Option<BrowseTable> {
        match self {
            GridsKind::Scores(_) | GridsKind::Tags => Some(BrowseTable::Candidates),
            GridsKind::Agreement { .. } | GridsKind::Confusion { .. } => Some(BrowseTable::Items),
            GridsKind::Duel(..) => None,
        }
    }
}

/// Grids of numbers, one of them in view.
#[derive(Debug, Clone, PartialEq)]
pub struct GridsScreen {
    pub title: String,
    pub kind: GridsKind,
    /// The filter of the rows that are counted; empty for the whole study.
    pub filter: String,
    /// The number of rows that pass the filter.
    pub count: usize,
    pub tabs: Vec<NumberGrid>,
    /// Index of the grid in view.
    pub tab: usize,
}

/// Rows of the screen around the rows of a grid: headings, a gap, the sentence about the cell, the note.
pub const AROUND: u16 = 5;

impl GridsScreen {
    /// The numbers of this kind, or a word that there are none.
    pub fn new(tables: &Tables, kind: GridsKind, filter: &str) -> GridsScreen {
        GridsScreen::of(tables, kind.clone(), filter).unwrap_or_else(|| GridsScreen {
            title: "Nothing to show".to_owned(),
            kind,
            filter: filter.to_owned(),
            count: 0,
            tabs: Vec::new(),
            tab: 0,
        })
    }

    /// The main score that has a value anywhere; without known documents only coverage has one.
    pub fn known_score(tables: &Tables, filter: &str) -> String {
        let is_known = |of: &&str| {
            let kept = tables.filtered(BrowseTable::Candidates, filter);
            let counted = kept.map(|kept| tables.pivot(&ACROSS[0], of, &kept));
            counted.is_ok_and(|counted| counted.cells.iter().flatten().any(|cell| cell.value.is_ok()))
        };
        tables.scores_of_systems().into_iter().find(is_known).unwrap_or("joint").to_owned()
    }

    /// The numbers of this kind over the rows that pass the filter; `None` where there are none.
    pub fn of(tables: &Tables, kind: GridsKind, filter: &str) -> Option<GridsScreen> {
        let kept = tables.filtered(kind.table().unwrap_or(BrowseTable::Systems), filter).ok()?;
        let (title, tabs) = match &kind {
            GridsKind::Scores(of) => {
                (format!("Where the {} score stands", of), score_grids(tables, of, &kept))
            }
            GridsKind::Tags => ("What goes wrong".to_owned(), vec![tag_grid(tables, &kept)?]),
            GridsKind::Agreement { question } => {
                (format!("Agreement on {question}"), vec![agreement_grid(tables, question, &kept)?])
            }
            GridsKind::Confusion { question, first, second } => {
                let grid = confusion_grid(tables, question, (first, second), &kept)?;
                (format!("Confusion on {question}"), vec![grid])
            }
            GridsKind::Duel(left, right) => {
                ("System against system".to_owned(), vec![duel_grid(tables, *left, *right)])
            }
        };
        let (filter, count) = (filter.to_owned(), kept.count());
        (!tabs.is_empty()).then_some(GridsScreen { title, kind, filter, count, tabs, tab: 0 })
    }

    /// Makes the numbers anew; the cursors keep their places.
    pub fn rebuild(&mut self, tables: &Tables) {
        if let Some(mut screen) = GridsScreen::of(tables, self.kind.clone(), &self.filter) {
            screen.stay_at(self);
            *self = screen;
        }
    }

    /// Takes over tab and cursors of an earlier screen.
    pub fn stay_at(&mut self, before: &GridsScreen) {
        self.tab = before.tab.min(self.tabs.len().saturating_sub(1));
        for grid in &mut self.tabs {
            if let Some(old) = before.tabs.iter().find(|old| old.title == grid.title) {
                grid.stay_at(old);
            }
        }
    }

    /// The grid in view.
    pub fn grid(&self) -> Option<&NumberGrid> {
        self.tabs.get(self.tab)
    }

    /// Moves the cursor of the grid in view.
    pub fn move_by(&mut self, rows: isize, columns: isize) {
        if let Some(grid) = self.tabs.get_mut(self.tab) {
            grid.move_by(rows, columns);
        }
    }

    /// Turns to another tab.
    pub fn turn(&mut self, by: isize) {
        let count = self.tabs.len().max(1);
        self.tab = (self.tab + count).saturating_add_signed(by) % count;
    }

    /// Keeps the cursor visible in this area.
    pub fn keep_visible(&mut self, area: Rect) {
        if let Some(grid) = self.tabs.get_mut(self.tab) {
            grid.keep_visible(area.width.saturating_sub(2), area.height.saturating_sub(AROUND));
        }
    }
}

/// A crosstab as a grid; each cell opens the rows that it is made of.
fn from_counted(counted: &Crosstab, corner: &str, cell: impl Fn(&CrosstabCell) -> GridCell) -> NumberGrid {
    let mut cells = Vec::new();
    for (row, name) in counted.rows.iter().enumerate() {
        for (column, heading) in counted.columns.iter().enumerate() {
            let Some(found) = counted.cells.get(row).and_then(|cells| cells.get(column)) else {
                cells.push(GridCell::default());
                continue;
            };
            let mut made = cell(found);
            if found.count == 0 && found.value.is_err() {
                made = GridCell::default();
            }
            let title = format!("{name} · {heading}");
            if !made.text.is_empty() && !found.filter.is_empty() {
                made.says = format!("{title}: {}", made.says);
                made.opens =
                    Some(OpensTo::Rows { table: counted.table, filter: found.filter.clone(), title });
            }
            cells.push(made);
        }
    }
    NumberGrid::new(&counted.title, corner, (counted.rows.clone(), counted.columns.clone()), cells)
}

fn score_cell(of: &str, cell: &CrosstabCell) -> GridCell {
    let says = match cell.value {
        Ok(value) => format!("{} {value:.1} over {}", of, number_of(cell.count, "summary")),
        Err(reason) => format!("{}; {}", number_of(cell.count, "summary"), reason.sentence()),
    };
    GridCell { text: percent(cell.value), share: share(cell.value), says, opens: None }
}

/// A percentage as a share of the whole, 0 to 1.
fn share(percent: Measure) -> Option<f64> {
    percent.ok().map(|value| (value / 100.0).clamp(0.0, 1.0))
}

fn score_grids(tables: &Tables, of: &str, kept: &FilteredRows) -> Vec<NumberGrid> {
    let mut found = Vec::new();
    if let Some(positions) = tables.positions(of, kept) {
        let note = "sensitivity: the greatest difference of top and bottom from random order";
        let grid = from_counted(&positions, "system", |cell| score_cell(of, cell));
        found.push(grid.titled("Position").drawn(GridStyle::Bars, note));
    }
    for across in &ACROSS {
        let counted = tables.pivot(across, of, kept);
        // A study without domains or orders has nothing to say about them.
        let says_nothing = counted.columns.iter().all(|heading| heading == "(none)" || heading == "none");
        if says_nothing || counted.rows.is_empty() {
            continue;
        }
        let note = format!("{of} score over what was judged of the summaries in a cell");
        let grid = from_counted(&counted, "system", |cell| score_cell(of, cell));
        found.push(grid.titled(across.title).drawn(GridStyle::Bars, note));
    }
    found
}

fn tag_grid(tables: &Tables, kept: &FilteredRows) -> Option<NumberGrid> {
    let counted = tables.failures(kept)?;
    let cell = |cell: &CrosstabCell| GridCell {
        text: cell.count.to_string(),
        share: share(cell.value),
        says: match cell.value {
            Ok(value) => format!("{}, {value:.1} % of those tagged at all", number_of(cell.count, "summary")),
            Err(_) => number_of(cell.count, "summary"),
        },
        opens: None,
    };
    let note =
        "summaries with each tag; the bar is their share of the system's summaries that were tagged at all";
    let grid = from_counted(&counted, "system", cell);
    Some(grid.titled("Tags by system").drawn(GridStyle::Bars, note))
}

fn duel_grid(tables: &Tables, left: u32, right: u32) -> NumberGrid {
    let duel = tables.duel(left, right);
    let [left_name, right_name] = &duel.systems;
    let mut cells = Vec::new();
    let mut rows = Vec::new();
    for row in &duel.rows {
        let name = tables.name(BrowseTable::Queries, row.query);
        let opens = Some(OpensTo::Compare(row.candidates[0], row.candidates[1]));
        let says = format!(
            "{name}: {} {} · {} {}",
            left_name,
            percent(row.scores[0]),
            right_name,
            percent(row.scores[1])
        );
        for score in row.scores {
            let (text, share) = (percent(score), share(score));
            cells.push(GridCell { text, share, says: says.clone(), opens: opens.clone() });
        }
        let text = row.margin.map_or_else(|_| "–".to_owned(), |margin| format!("{margin:+.1}"));
        cells.push(GridCell { text, share: None, says, opens });
        rows.push(name);
    }
    let columns = vec![left_name.clone(), right_name.clone(), "margin".to_owned()];
    let [left_wins, right_wins] = duel.wins;
    let mean = duel.margin.map_or_else(|_| "–".to_owned(), |margin| format!("{margin:+.1}"));
    let note = format!(
        "{left_name} wins {left_wins}, {right_name} wins {right_wins}, {} ties by {}; mean margin {mean}; ⏎ compares the two summaries",
        duel.ties, duel.measure
    );
    NumberGrid::new("System against system", "query", (rows, columns), cells).drawn(GridStyle::Bars, note)
}

/// Coefficients above the diagonal, numbers of items below it.
fn agreement_grid(tables: &Tables, name: &str, kept: &FilteredRows) -> Option<NumberGrid> {
    let asked = tables.asked_questions().into_iter().find(|asked| asked.name == name)?;
    let counted = tables.pairs(name, kept)?;
    let rated = ratings(&asked, tables, kept);
    let on_scale = |rated: &Ratings| pairs(rated).into_iter().map(|pair| pair.on(rated.scale())).collect();
    let pairs: Vec<Pair> = rated.as_ref().map_or_else(Vec::new, on_scale);
    let is_ordinal = rated.as_ref().is_some_and(|ratings| ratings.scale() == Scale::Ordinal);
    let annotators = &counted.rows;
    let mut cells = Vec::with_capacity(annotators.len() * annotators.len());
    for (row, first) in annotators.iter().enumerate() {
        for (column, second) in annotators.iter().enumerate() {
            let pair = pairs.iter().find(|pair| {
                (pair.a == *first && pair.b == *second) || (pair.a == *second && pair.b == *first)
            });
            let cell = match pair {
                Some(pair) if row != column => pair_cell(pair, column > row, is_ordinal),
                None if row != column => equal_cell(&counted, (row, column)),
                _ => GridCell { text: "·".to_owned(), ..GridCell::default() },
            };
            let in_common =
                counted.cells.get(row).and_then(|cells| cells.get(column)).map_or(0, |cell| cell.count);
            let opens = (row != column && in_common > 0).then(|| OpensTo::Confusion {
                question: name.to_owned(),
                first: first.clone(),
                second: second.clone(),
            });
            cells.push(GridCell { opens, ..cell });
        }
    }
    let what = match (rated.is_some(), is_ordinal) {
        (true, true) => "Cohen's kappa with quadratic weights",
        (true, false) => "Cohen's kappa",
        (false, _) => "the share of equal answers",
    };
    let note =
        format!("above the diagonal {what}, below it the items that both judged; ⏎ opens their confusion");
    let names = (annotators.clone(), annotators.clone());
    Some(NumberGrid::new(name, "annotator", names, cells).drawn(GridStyle::Shades, note))
}

/// The share of equal answers above the diagonal, the items below it.
fn equal_cell(counted: &Crosstab, (row, column): (usize, usize)) -> GridCell {
    let Some(found) = counted.cells.get(row).and_then(|cells| cells.get(column)) else {
        return GridCell::default();
    };
    let says = format!("{}, {} % equal", number_of(found.count, "item"), percent(found.value));
    match column > row {
        true => {
            let share = share(found.value);
            GridCell { text: percent(found.value), share, says, opens: None }
        }
        false => GridCell { text: found.count.to_string(), share: None, says, opens: None },
    }
}

fn pair_cell(pair: &Pair, is_above: bool, is_ordinal: bool) -> GridCell {
    let kappa = if is_ordinal { pair.cohen_kappa_quadratic } else { pair.cohen_kappa };
    let number = |measure: Measure| measure.map_or_else(|_| "–".to_owned(), |value| format!("{value:.3}"));
    let says = format!(
        "{} and {}: {} items, {} equal, κ {}, κ² {}, r {}",
        pair.a,
        pair.b,
        pair.items,
        pair.percent_agreement.map_or_else(|_| "–".to_owned(), |share| format!("{:.1} %", 100.0 * share)),
        number(pair.cohen_kappa),
        number(pair.cohen_kappa_quadratic),
        number(pair.pearson_r)
    );
    if is_above {
        GridCell {
            text: number(kappa),
            share: kappa.ok().map(|value| value.clamp(0.0, 1.0)),
            says,
            opens: None,
        }
    } else {
        GridCell { text: pair.items.to_string(), share: None, says, opens: None }
    }
}

/// The category of each item by each annotator; `None` where the question has no choices.
fn ratings(asked: &AskedQuestion<'_>, tables: &Tables, kept: &FilteredRows) -> Option<Ratings> {
    let labels = Labels::of_choice(asked.question)?;
    let mut raters: Vec<AnnotatorId> = Vec::new();
    let mut given = Vec::new();
    for row in asked.counted(kept) {
        let answer = asked.judged.answers(row).get(&asked.question.key);
        let Some(answer) = answer.filter(|answer| labels.label(answer).is_some()) else { continue };
        let known = raters.iter().position(|id| *id == row.annotator());
        if known.is_none() {
            raters.push(row.annotator());
        }
        given.push((row.item, known.unwrap_or(raters.len() - 1), answer));
    }
    let name = |id: &AnnotatorId| {
        let (_, annotator) = tables.corpus().annotators.iter().find(|(other, _)| other == id)?;
        Some(annotator.id.as_str())
    };
    let names = raters.iter().map(name).collect::<Option<Vec<&str>>>()?;
    let given =
        given.into_iter().filter_map(|(item, rater, answer)| Some((item, rater, labels.code(answer)?)));
    ratings_of(&labels, &names, given).ok()
}

/// Labels of the first annotator against labels of the second; the last row counts all that differ.
fn confusion_grid(
    tables: &Tables,
    question: &str,
    (first, second): (&str, &str),
    kept: &FilteredRows,
) -> Option<NumberGrid> {
    let counted = tables.confusion(question, (first, second), kept)?;
    let total: usize = counted.cells.iter().flatten().map(|cell| cell.count).sum();
    let cell = |cell: &CrosstabCell| GridCell {
        text: cell.count.to_string(),
        share: (total > 0).then(|| cell.count as f64 / total as f64),
        says: format!("{} of {total} items", cell.count),
        opens: None,
    };
    let mut grid = from_counted(&counted, first, cell);
    grid.title = format!("{first} ↓ · {second} →");
    let note = format!("rows are what {first} says, columns what {second} says; ⏎ opens exactly these items");
    let pairs = tables.pairs(question, kept)?;
    if let Some(differing) = differing(&pairs, (first, second), &counted) {
        grid.add_row("all that differ", differing);
    }
    Some(grid.drawn(GridStyle::Shades, note))
}

/// The items on which two annotators differ, as a row of one number.
fn differing(pairs: &Crosstab, (first, second): (&str, &str), counted: &Crosstab) -> Option<GridCell> {
    let place = |name: &str| pairs.rows.iter().position(|row| row == name);
    let filter = pairs.cells.get(place(first)?)?.get(place(second)?)?.filter.clone();
    let differs = |(row, cells): (usize, &Vec<CrosstabCell>)| -> usize {
        let name = counted.rows.get(row);
        let others = cells.iter().zip(&counted.columns).filter(|(_, column)| Some(*column) != name);
        others.map(|(cell, _)| cell.count).sum()
    };
    let count: usize = counted.cells.iter().enumerate().map(differs).sum();
    let title = "all that differ".to_owned();
    Some(GridCell {
        text: count.to_string(),
        share: None,
        says: format!("{} on which the two differ", number_of(count, "item")),
        opens: (count > 0).then_some(OpensTo::Rows { table: BrowseTable::Items, filter, title }),
    })
}
