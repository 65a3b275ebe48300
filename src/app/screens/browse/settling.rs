//! Settling from a table of items: the adjudicate screen on these items lies over the table for a while.

use super::{BrowseDesk, BrowseScreen};
use crate::app::kit::{Action, Effect, Frame, Input, Notice, Screen};
use crate::app::screens::adjudicate::{AdjudicateDesk, AdjudicateScreen, Settle, VerdictOutcome};
use crate::browse::{BrowseTable, Tables, WhoCounts};
use crate::error::Result;
use crate::journal::Contested;
use crate::study::ItemId;

/// Items of a table that are to be settled.
#[derive(Debug, Clone, PartialEq)]
pub struct ToSettle {
    /// The protocol's name.
    pub protocol: String,
    /// Items in the order of the table.
    pub items: Vec<ItemId>,
    /// The item under the cursor.
    pub first: ItemId,
    /// The annotators whose opinions count.
    pub counted: WhoCounts,
}

impl BrowseScreen {
    /// Puts the adjudicate screen over the table, on its items under the protocol of the row under the cursor.
    pub(super) fn settle_here(&mut self, desk: &mut dyn BrowseDesk) {
        if self.annotator.is_none() {
            return self.frame.warn("read only: open the study with --as NAME to settle");
        }
        let table = self.table().filter(|screen| screen.table() == BrowseTable::Items);
        let Some((screen, row)) = table.and_then(|screen| Some((screen, screen.row()?))) else {
            return self.frame.say("items are settled: open those of this row first");
        };
        let Some((protocol, first)) = self.tables.item(row) else { return };
        let items = screen.rows.iter().filter_map(|row| self.tables.item(*row));
        let items = items.filter(|(other, _)| std::ptr::eq(*other, protocol)).map(|(_, item)| item);
        let asked = ToSettle {
            protocol: protocol.name.clone(),
            items: items.collect(),
            first,
            counted: self.tables.counted().clone(),
        };
        let opening = match desk.open_settling(&asked) {
            Ok(opening) => opening,
            Err(error) => return self.frame.warn(error.reason()),
        };
        let mut settling = AdjudicateScreen::new(self.study.clone(), opening, self.frame.now);
        let quit = self.frame.keymap.sign(Action::Quit);
        let notice = Notice { text: format!("{quit} leads back to the table"), is_warning: false };
        settling.app.frame = Frame { overlays: Vec::new(), refused: None, notice, ..self.frame.clone() };
        settling.open(desk);
        self.settling = Some(Box::new(settling));
    }

    /// Hands an input to the adjudicate screen over the table.
    pub(super) fn hand_over(&mut self, input: Input, desk: &mut dyn BrowseDesk) {
        if let Input::Resize(columns, rows) = &input {
            self.frame.size = (*columns, *rows);
        }
        let Some(settling) = &mut self.settling else { return };
        let protocol = settling.app.protocol.name.clone();
        settling.update(input, &mut DecidingDesk { desk, tables: &mut self.tables, protocol });
        let (quits, others) =
            settling.app.frame.take_effects().into_iter().partition(|effect| *effect == Effect::Quit);
        let quits: Vec<Effect> = quits;
        settling.app.frame.effects = others;
        if !quits.is_empty() {
            self.close_settling();
        }
    }

    /// Goes back to the table, to the row that one came from.
    fn close_settling(&mut self) {
        let Some(settling) = self.settling.take() else { return };
        let Frame { theme, follows_terminal, measure, now, effects, .. } = settling.app.frame;
        self.frame =
            Frame { theme, follows_terminal, measure, now, effects, ..std::mem::take(&mut self.frame) };
        let progress = settling.app.queue.progress;
        match settling.app.pending.is_some() {
            true => self.frame.warn("the last decision was not saved"),
            false => self.frame.say(format!("{} of {} settled", progress.judged, progress.total)),
        }
        self.refresh();
    }
}

/// The desk of the adjudicate screen over the table: decisions count in the tables at once.
struct DecidingDesk<'d> {
    desk: &'d mut dyn BrowseDesk,
    tables: &'d mut Tables,
    /// The protocol's name.
    protocol: String,
}

impl AdjudicateDesk for DecidingDesk<'_> {
    fn contested(&mut self, position: usize) -> Result<Contested> {
        self.desk.contested(position)
    }

    fn settle(&mut self, settle: &Settle) -> Result<VerdictOutcome> {
        let settled = self.desk.settle(settle)?;
        let (VerdictOutcome::Written(_, decision) | VerdictOutcome::Elsewhere(decision)) = &settled;
        self.tables.decide(&self.protocol, settle.item, decision.clone());
        Ok(settled)
    }
}
