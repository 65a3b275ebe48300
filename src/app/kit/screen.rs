//! What a screen is to whoever runs it: messages go in, and what it wants done comes out. Both are data.

use std::sync::Arc;

use super::frame::Frame;
use super::input::Input;
use crate::journal::GoToEntry;

/// A state that takes messages in. It does no I/O and asks no clock.
pub trait Screen {
    /// What it asks of its study.
    type Request;
    /// What its study answers.
    type Reply;

    /// Takes a message in; the effects are to be carried out in order.
    fn update(&mut self, message: Message<Self::Reply>) -> Vec<Effect<Self::Request>>;

    /// What it has as every screen.
    fn frame(&self) -> &Frame;

    /// The same, for whoever knows how it looks: see [`Frame::suit`].
    fn frame_mut(&mut self) -> &mut Frame;

    /// Whether [`Input::Tick`] is due now and then.
    fn is_waiting(&self) -> bool;
}

/// Something that happened to a screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Message<R> {
    Input(Input),
    /// Answers [`Effect::Ask`].
    Reply(R),
}

impl<R> From<Input> for Message<R> {
    fn from(input: Input) -> Message<R> {
        Message::Input(input)
    }
}

/// Something that a screen wants done. Effects are carried out in order, and each reply is handed back before the
/// next key is read.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect<R> {
    /// Read or write the study.
    Ask(R),
    /// Match a list against what was typed, off the drawing path; [`Input::Matches`] answers it.
    Match {
        generation: u64,
        needle: String,
        entries: Arc<[GoToEntry]>,
    },
    /// Put a text on the clipboard.
    Copy(String),
    /// Forget what the terminal shows and draw everything.
    Redraw,
    Suspend,
    Quit,
}

impl<R> Effect<R> {
    /// What is asked of the study; else the effect, for a screen that asks for other things.
    pub fn asked<S>(self) -> Result<R, Effect<S>> {
        Err(match self {
            Effect::Ask(request) => return Ok(request),
            Effect::Match { generation, needle, entries } => Effect::Match { generation, needle, entries },
            Effect::Copy(text) => Effect::Copy(text),
            Effect::Redraw => Effect::Redraw,
            Effect::Suspend => Effect::Suspend,
            Effect::Quit => Effect::Quit,
        })
    }
}
