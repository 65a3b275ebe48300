//! The browse screen: tables of judgments, the panes of the row under the cursor, and the screens opened from
//! them. Every table has a stack of screens; going back leads to the same place.

mod asking;
mod columns;
pub mod compare;
pub mod desk;
pub mod grid;
pub mod grids;
pub mod judging;
pub mod layout;
mod listing;
pub mod opening;
pub mod panes;
mod pointing;
pub mod settling;
pub mod table;
#[cfg(test)]
pub(crate) mod tests;
mod walking;
mod working;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use columns::{PlacedColumn, place};
use grids::GridsKind;
use judging::{JudgedRow, TaggedRows};
use layout::BrowseLayout;
use opening::OpensTo;
pub use walking::SHARED;

use crate::app::kit::{Frame, Input, Prompt, Purpose, Screen, Undo};
use crate::app::screens::adjudicate::AdjudicateScreen;
use crate::browse::filter::parse;
use crate::browse::{BrowseTable, Tables, View};
use crate::protocol::Protocol;
use crate::study::{ItemId, Target};
use crate::text::search::Finder;
use columns::Wish;
pub(crate) use compare::{BandRow, CompareScreen};
pub(crate) use desk::{BrowseDesk, InPlace, JudgeInPlace, JudgedHere};
use grid::GridStyle;
pub(crate) use grid::{BAR, GridCell, NumberGrid};
pub(crate) use grids::{AROUND, GridsScreen};
use judging::{RowChange, Wants};
use panes::{PaneKind, RowPane, page, unit_name};
pub(crate) use settling::ToSettle;
pub(crate) use table::{GUTTER, TableScreen, cell_text};
use working::{cited, other_scores_line, percent, reckoning, scores_line, sign, working_paragraphs};

/// The content of the screen.
#[derive(Debug, Clone)]
pub enum BrowseContent {
    Table(TableScreen),
    Compare(CompareScreen),
    Grids(GridsScreen),
}

/// A table and the screens opened from it.
#[derive(Debug, Clone)]
struct Stack {
    root: BrowseContent,
    above: Vec<BrowseContent>,
}

impl Stack {
    fn top(&self) -> &BrowseContent {
        self.above.last().unwrap_or(&self.root)
    }

    fn top_mut(&mut self) -> &mut BrowseContent {
        self.above.last_mut().unwrap_or(&mut self.root)
    }

    fn table(&self) -> Option<BrowseTable> {
        match &self.root {
            BrowseContent::Table(screen) => Some(screen.table()),
            _ => None,
        }
    }
}

/// The state of the browse screen.
#[derive(Debug)]
pub struct BrowseScreen {
    /// The study's name, for the top line.
    pub study: String,
    pub tables: Tables,
    pub frame: Frame,
    /// The annotator under whose name tags, flags and comments are kept; `None` where the study is only read.
    pub annotator: Option<String>,
    /// The protocol whose tags name failures.
    pub tagging: Arc<Protocol>,
    pub layout: BrowseLayout,
    /// Whether keys that move act on the pane and not on the table.
    pub is_in_pane: bool,
    pub is_zoomed: bool,
    /// The candidate or system that the next marked one is compared with.
    pub marked: Option<(BrowseTable, u32)>,
    /// The rows that are tagged together, all of one table.
    pub chosen: Vec<(BrowseTable, u32)>,
    /// Name and body of the views that are saved, by name.
    pub views: Vec<(String, String)>,
    stack: Stack,
    /// The stacks of the other tables that were looked at.
    others: Vec<Stack>,
    /// The row that is being tagged or commented.
    subject: Option<JudgedRow>,
    /// Comments that were begun and left, and texts that a tag asks for, by the question. In memory only.
    begun: BTreeMap<(Target, String), Prompt>,
    /// Whether leaving was refused because of them just now.
    has_warned: bool,
    /// The question of a text that a tag asks for, with the targets that it is asked of.
    due_text: Option<(String, Vec<Target>)>,
    /// Judgments that the disk has not taken; nothing else is done until they are written.
    pending: Option<(JudgeInPlace, Purpose<TaggedRows>)>,
    undo: Undo<TaggedRows>,
    /// The screen of disagreements, while it lies over the table.
    pub settling: Option<Box<AdjudicateScreen>>,
    /// Items that were judged on this screen.
    written: BTreeMap<Target, ItemId>,
}

impl Screen for BrowseScreen {
    type Desk<'d> = dyn BrowseDesk + 'd;

    fn update(&mut self, input: Input, desk: &mut Self::Desk<'_>) {
        if self.settling.is_some() {
            return self.hand_over(input, desk);
        }
        if !matches!(input, Input::Shown(_)) {
            self.take(input, desk);
            self.arrange();
        }
    }

    fn frame(&self) -> &Frame {
        self.settling.as_ref().map_or(&self.frame, |settling| settling.frame())
    }

    fn frame_mut(&mut self) -> &mut Frame {
        self.settling.as_mut().map_or(&mut self.frame, |settling| settling.frame_mut())
    }

    /// Whether a judgment waits for the disk, or refused keys are named for a while.
    fn is_waiting(&self) -> bool {
        let settles = self.settling.as_ref().is_some_and(|settling| settling.is_waiting());
        settles || self.pending.is_some() || self.frame.refusal().is_some()
    }
}

impl BrowseScreen {
    /// A screen over these tables that opens on the candidates.
    pub fn new(
        study: String,
        tables: Tables,
        tagging: Arc<Protocol>,
        annotator: Option<String>,
    ) -> BrowseScreen {
        let table = if tables.len(BrowseTable::Candidates) > 0 {
            BrowseTable::Candidates
        } else {
            BrowseTable::Queries
        };
        let stack = Stack { root: root(&tables, table), above: Vec::new() };
        BrowseScreen {
            study,
            tables,
            frame: Frame::default(),
            annotator,
            tagging,
            layout: BrowseLayout::default(),
            is_in_pane: false,
            is_zoomed: false,
            marked: None,
            chosen: Vec::new(),
            views: Vec::new(),
            stack,
            others: Vec::new(),
            subject: None,
            begun: BTreeMap::new(),
            has_warned: false,
            due_text: None,
            pending: None,
            undo: Undo::new(Vec::new()),
            settling: None,
            written: BTreeMap::new(),
        }
    }

    fn take(&mut self, input: Input, desk: &mut dyn BrowseDesk) {
        if let Some(now) = input.moment() {
            self.frame.now = now;
        }
        match input {
            Input::Key(key, _) | Input::Repeat(key, _) => {
                if self.pending.is_none() {
                    self.frame.hush();
                }
                self.press(key, desk);
            }
            Input::Mouse(mouse, _) => self.point(mouse),
            Input::Paste(text, _) => self.paste(&text),
            Input::Resize(columns, rows) => self.frame.size = (columns, rows),
            Input::Tick(_) => self.write_pending(desk),
            Input::Notice(text) => self.frame.say(text),
            Input::Resumed(_)
            | Input::Shown(_)
            | Input::FocusLost(_)
            | Input::Matches { .. }
            | Input::Changed => {}
        }
    }

    /// The content of the screen now.
    pub fn content(&self) -> &BrowseContent {
        self.stack.top()
    }

    /// Number of screens to go back to.
    pub fn depth(&self) -> usize {
        self.stack.above.len()
    }

    /// The table that is on the screen.
    pub fn table(&self) -> Option<&TableScreen> {
        match self.content() {
            BrowseContent::Table(screen) => Some(screen),
            _ => None,
        }
    }

    fn table_mut(&mut self) -> Option<&mut TableScreen> {
        match self.stack.top_mut() {
            BrowseContent::Table(screen) => Some(screen),
            _ => None,
        }
    }

    /// The annotators whose judgments count, in a few words.
    pub fn counted_name(&self) -> String {
        self.tables.counted_by_name().to_string()
    }

    /// The row that a judgment in place is about.
    fn judged_row(&self) -> Option<(BrowseTable, u32)> {
        match self.content() {
            BrowseContent::Table(screen) => Some((screen.table(), screen.row()?)),
            BrowseContent::Compare(screen) => Some((BrowseTable::Candidates, screen.focused())),
            BrowseContent::Grids(_) => None,
        }
    }

    /// Shows another table, as it was left.
    fn switch(&mut self, table: BrowseTable) {
        if self.stack.table() == Some(table) {
            self.stack.above.clear();
        } else {
            let found = self.others.iter().position(|stack| stack.table() == Some(table));
            let next = match found {
                Some(index) => self.others.swap_remove(index),
                None => Stack { root: root(&self.tables, table), above: Vec::new() },
            };
            let left = std::mem::replace(&mut self.stack, next);
            self.others.push(left);
        }
        self.is_in_pane = false;
        self.refresh_top();
    }

    /// Opens a screen over the present one.
    fn push(&mut self, screen: BrowseContent) {
        self.is_in_pane = false;
        self.stack.above.push(screen);
    }

    fn open(&mut self, opening: OpensTo) {
        match opening {
            OpensTo::Rows { table, filter, title } => {
                let view = View { filter, ..View::of(table) };
                match TableScreen::open(&self.tables, view, title) {
                    Ok(screen) => self.push(BrowseContent::Table(screen)),
                    Err(error) => self.frame.warn(error.sentence),
                }
            }
            OpensTo::Compare(left, right) => {
                let screen = CompareScreen::new(&self.tables, left, right);
                self.push(BrowseContent::Compare(screen));
            }
            OpensTo::Confusion { question, first, second } => {
                let kind = GridsKind::Confusion { question, first, second };
                match GridsScreen::of(&self.tables, kind.clone(), &self.filter_for(&kind)) {
                    Some(screen) => self.push(BrowseContent::Grids(screen)),
                    None => self.frame.warn("these two have no item in common under this question"),
                }
            }
        }
    }

    /// Updates the screen after a change of judgments or of whose judgments count.
    fn refresh(&mut self) {
        self.refresh_top();
        self.arrange();
    }

    /// Updates the topmost screen; the screens under it follow when they come up.
    fn refresh_top(&mut self) {
        let refreshed = match self.stack.top_mut() {
            BrowseContent::Table(screen) => screen.resolve(&self.tables).err(),
            BrowseContent::Compare(screen) => {
                screen.rebuild(&self.tables);
                None
            }
            BrowseContent::Grids(screen) => {
                screen.rebuild(&self.tables);
                None
            }
        };
        if let Some(error) = refreshed {
            self.frame.warn(error.sentence);
        }
    }

    /// Finders of the words that the table is filtered for.
    fn finders(&self) -> Vec<Finder> {
        let filter = self.table().and_then(|screen| parse(&screen.view.filter).ok());
        let words = filter.map_or_else(Vec::new, |filter| filter.words());
        let finder =
            |(word, slips): &(String, bool)| if *slips { Finder::near(word) } else { Finder::new(word) };
        words.iter().map(finder).collect()
    }

    /// Lays the screen out, and makes the pages that it shows.
    fn arrange(&mut self) {
        self.hold_panes();
        self.layout = layout::lay_out(self);
        self.fit();
        self.fill_panes();
    }
}

/// The whole of a table.
fn root(tables: &Tables, table: BrowseTable) -> BrowseContent {
    let view = View::of(table);
    match TableScreen::open(tables, view.clone(), "") {
        Ok(screen) => BrowseContent::Table(screen),
        // A view without a filter has none that could be wrong.
        Err(_) => BrowseContent::Table(TableScreen::empty(view)),
    }
}
