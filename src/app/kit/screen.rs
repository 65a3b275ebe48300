//! The interface of a screen: inputs go in, and the screen asks a desk about its study.

use std::sync::Arc;

use super::{Frame, Input};
use crate::error::Error;
use crate::journal::GoToEntry;

/// A state that takes inputs. It asks no clock, and knows its study through its desk alone.
pub trait Screen {
    /// The part of a study that the screen reads and writes. A call returns with its answer.
    type Desk<'d>: ?Sized;

    /// Reads what is shown first, once the size of the screen is known.
    fn open(&mut self, _desk: &mut Self::Desk<'_>) {}

    /// Takes an input in; [`Frame::take_effects`] tells what is to be done outside the study.
    fn update(&mut self, input: Input, desk: &mut Self::Desk<'_>);

    /// The frame: the state that every screen has.
    fn frame(&self) -> &Frame;

    /// The frame, to be changed: see [`Frame::suit`].
    fn frame_mut(&mut self) -> &mut Frame;

    /// Whether the screen waits for something, so that [`Input::Tick`] is due now and then.
    fn is_waiting(&self) -> bool;
}

/// Something that a screen wants done outside its study. Effects are carried out in order, before the next key is read.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Match a list against what was typed, off the drawing path; [`Input::Matches`] answers it.
    Match {
        generation: u64,
        needle: String,
        entries: Arc<[GoToEntry]>,
    },
    /// Put a text on the clipboard; [`Input::Notice`] tells how that went.
    Copy(String),
    /// Forget what the terminal shows and draw everything.
    Redraw,
    Suspend,
    Quit,
    /// Leave with this error: the study cannot be read any more.
    Fail(Error),
}
