//! Settling from a table of items: the adjudicate screen on these items lies over the table for a while.

use super::BrowseScreen;
use super::message::{BrowseEffect, BrowseReply, BrowseRequest};
use crate::app::kit::action::Action;
use crate::app::kit::frame::{Frame, Notice};
use crate::app::kit::input::Input;
use crate::app::kit::screen::{Message, Screen};
use crate::app::screens::adjudicate::message as adjudicate;
use crate::app::screens::adjudicate::{AdjudicateOpening, AdjudicateScreen};
use crate::browse::{BrowseTable, WhoCounts};
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
    /// Asks to settle the items of the table under the protocol of the row under the cursor.
    pub(super) fn settle_here(&mut self, effects: &mut Vec<BrowseEffect>) {
        if self.annotator.is_none() {
            return self.frame.warn("read only: open the study with --as NAME to settle");
        }
        let table = self.table().filter(|screen| screen.table() == BrowseTable::Items);
        let Some((screen, row)) = table.and_then(|screen| Some((screen, screen.row()?))) else {
            return self.frame.say("items are settled: open those of this row first");
        };
        let Some((protocol, first)) = self.tables.item(row) else {
            return;
        };
        let items = screen.rows.iter().filter_map(|row| self.tables.item(*row));
        let items = items.filter(|(other, _)| std::ptr::eq(*other, protocol)).map(|(_, item)| item);
        let asked = ToSettle {
            protocol: protocol.name.clone(),
            items: items.collect(),
            first,
            counted: self.tables.counted().clone(),
        };
        effects.push(BrowseEffect::Ask(BrowseRequest::Settle(asked)));
    }

    /// Puts the adjudicate screen over the table.
    pub(super) fn open_settling(&mut self, opening: AdjudicateOpening) -> Vec<BrowseEffect> {
        let (mut settling, effects) = AdjudicateScreen::new(opening, self.frame.now);
        let quit = self.frame.keymap.sign(Action::Quit);
        let notice = Notice { text: format!("{quit} leads back to the table"), is_warning: false };
        settling.app.frame = Frame { overlays: Vec::new(), refused: None, notice, ..self.frame.clone() };
        self.settling = Some(Box::new(settling));
        self.carry_over(effects)
    }

    /// Hands a message to the adjudicate screen over the table.
    pub(super) fn hand_over(&mut self, message: Message<BrowseReply>) -> Vec<BrowseEffect> {
        if let Message::Input(Input::Resize(columns, rows)) = &message {
            self.frame.size = (*columns, *rows);
        }
        let message = match message {
            Message::Input(input) => Message::Input(input),
            Message::Reply(BrowseReply::Settling(reply)) => {
                self.take_decision(&reply);
                Message::Reply(*reply)
            }
            // Only the adjudicate screen has asked for anything.
            Message::Reply(_) => return Vec::new(),
        };
        let effects = self.settling.as_mut().map_or_else(Vec::new, |settling| settling.update(message));
        self.carry_over(effects)
    }

    fn carry_over(&mut self, effects: Vec<adjudicate::AdjudicateEffect>) -> Vec<BrowseEffect> {
        let mut wanted = Vec::new();
        for effect in effects {
            match effect.asked() {
                Ok(request) => wanted.push(BrowseEffect::Ask(BrowseRequest::Settling(request))),
                Err(BrowseEffect::Quit) => self.close_settling(),
                Err(other) => wanted.push(other),
            }
        }
        wanted
    }

    /// Lets a decision count in the tables at once.
    fn take_decision(&mut self, reply: &adjudicate::AdjudicateReply) {
        let decision = match reply {
            adjudicate::AdjudicateReply::Settled(settled) => settled.decision.clone(),
            adjudicate::AdjudicateReply::Elsewhere(decision) => decision.as_deref().cloned(),
            adjudicate::AdjudicateReply::Contested(_) | adjudicate::AdjudicateReply::NotSettled(_) => return,
        };
        let settling = self.settling.as_ref();
        let place = settling.and_then(|settling| Some((settling, settling.contested.as_ref()?.item.id)));
        if let Some((settling, item)) = place {
            self.tables.decide(&settling.app.protocol.name, item, decision);
        }
    }

    /// Goes back to the table, to the row that one came from.
    fn close_settling(&mut self) {
        let Some(settling) = self.settling.take() else {
            return;
        };
        let Frame { theme, follows_terminal, measure, now, .. } = settling.app.frame;
        self.frame = Frame { theme, follows_terminal, measure, now, ..std::mem::take(&mut self.frame) };
        let progress = settling.app.queue.progress;
        match settling.app.pending.is_some() {
            true => self.frame.warn("the last decision was not saved"),
            false => self.frame.say(format!("{} of {} settled", progress.judged, progress.total)),
        }
        self.refresh();
    }
}
