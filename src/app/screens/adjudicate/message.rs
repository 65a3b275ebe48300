//! What happens to the adjudicate screen, and what it wants done.

use crate::app::kit::input::Input;
use crate::app::screens::annotate::message;
use crate::journal::{Contested, Decision, EventId, Happening};
use crate::study::ItemId;
use crate::text::hash::Fingerprint;

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// What happens to every screen of texts and answers.
    Screen(message::Message),
    /// Answers [`Effect::Load`].
    Contested(Box<Contested>),
    /// Answers [`Effect::Settle`]: it is on disk.
    Settled(Box<Settled>),
    /// Answers [`Effect::Settle`]: nothing was written, since this was decided in another terminal.
    Elsewhere(Option<Box<Decision>>),
}

impl From<Input> for Message {
    fn from(input: Input) -> Message {
        Message::Screen(input.into())
    }
}

impl From<message::Message> for Message {
    fn from(message: message::Message) -> Message {
        Message::Screen(message)
    }
}

/// Something that the screen wants done, as in [`message::Effect`].
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// What other screens want done too; never reading or writing items.
    Screen(message::Effect),
    /// Read the item at this 0-based position, with everyone's opinions.
    Load(usize),
    /// Write verdicts or retractions on one item, durably, in one transaction.
    Settle(Settle),
}

/// Verdicts on one item, or retractions of them, that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Settle {
    pub item: ItemId,
    /// The decision on the screen: where another one is final, nothing is written.
    pub shown: Option<EventId>,
    /// The texts that were on the screen.
    pub texts: Fingerprint,
    pub happenings: Vec<Happening>,
    /// Wall time in milliseconds since 1970.
    pub wall: i64,
}

/// What a commit gave back.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// The new events, in the order in which they were handed over.
    pub ids: Vec<EventId>,
    /// What is final now.
    pub decision: Option<Decision>,
}
