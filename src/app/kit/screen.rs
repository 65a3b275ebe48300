//! The interface of a screen: messages go in, effects come out. Both are data.

use std::sync::Arc;

use super::frame::Frame;
use super::input::Input;
use crate::journal::GoToEntry;

/// A state that takes messages in. It does no I/O and asks no clock.
pub trait Screen {
    /// A question or an order of the screen to its study.
    type Request;
    /// The study's answer to a request.
    type Reply;

    /// Takes a message in; the effects are to be carried out in order.
    fn update(&mut self, message: Message<Self::Reply>) -> Vec<Effect<Self::Request>>;

    /// The state that every screen has.
    fn frame(&self) -> &Frame;

    /// The same state, to be changed: see [`Frame::suit`].
    fn frame_mut(&mut self) -> &mut Frame;

    /// Whether the screen waits for something, so that [`Input::Tick`] is due now and then.
    fn is_waiting(&self) -> bool;
}

/// Something that happened to a screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Message<R> {
    Input(Input),
    /// The answer to [`Effect::Ask`].
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
    /// The request to the study; else the effect, for a screen with other requests.
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
