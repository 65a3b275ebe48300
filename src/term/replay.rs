//! The replay of a session in the terminal.

use std::io::Write;
use std::sync::mpsc;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::app::kit::input::Input;
use crate::app::screens::replay::{Effect, Replay};
use crate::error::Result;
use crate::term::perform::{Outcome, Request};
use crate::term::run::{Clocks, Program, run};
use crate::view::kit::theme::Theme;
use crate::view::screens::replay::draw_replay;

/// Plays a session until the person leaves.
///
/// # Errors
/// The terminal is lost.
pub fn play(replay: Replay, greeting: String) -> Result<()> {
    run(Playing(replay), Vec::new(), greeting, mpsc::channel(), Clocks::start())?;
    Ok(())
}

struct Playing(Replay);

impl Program for Playing {
    type Message = Input;
    type Effect = Effect;

    fn update(&mut self, input: Input) -> Vec<Effect> {
        self.0.update(input)
    }

    fn is_waiting(&self) -> bool {
        self.0.is_playing
    }

    fn size(&self) -> (u16, u16) {
        self.0.size
    }

    fn theme(&self) -> usize {
        self.0.theme
    }

    fn draw(&self, theme: &Theme, buffer: &mut Buffer) -> Option<Position> {
        draw_replay(&self.0, theme, buffer)
    }

    fn perform(&mut self, effect: Effect, _terminal: &mut dyn Write) -> Result<Outcome<Input>> {
        Ok(Outcome::Request(match effect {
            Effect::Redraw => Request::Redraw,
            Effect::Suspend => Request::Suspend,
            Effect::Quit => Request::Quit,
        }))
    }
}
