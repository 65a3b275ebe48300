//! A screen's first frame as a file, without a terminal.

use std::path::PathBuf;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::run::{Answering, DrawScreen};
use crate::app::kit::input::Input;
use crate::app::kit::screen::{Effect, Message, Screen};
use crate::error::{Result, cannot_write};
use crate::files::write_atomically;
use crate::view::kit::picture::svg;
use crate::view::kit::theme::themes;

/// Description of the picture for people who cannot see it.
const TITLE: &str = "A screen of haymark";

/// The file of a picture, and the size of the screen on it.
#[derive(Debug, Clone)]
pub struct Picture {
    pub path: PathBuf,
    /// Columns and rows.
    pub size: (u16, u16),
}

/// Opens the screen as on a terminal of that size, draws it once and writes the picture.
pub(super) fn take<S: Screen>(
    mut screen: S,
    effects: Vec<Effect<S::Request>>,
    picture: &Picture,
    draw: DrawScreen<S>,
    answer: Answering<'_, S>,
) -> Result<S> {
    let (columns, rows) = picture.size;
    screen.update(Input::Resize(columns, rows).into());
    carry_out(&mut screen, effects, answer)?;
    let theme = &themes()[screen.frame().theme % themes().len()];
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
    let cursor = draw(&screen, theme, &mut buffer);
    let text = svg(&buffer, cursor, theme, TITLE);
    write_atomically(&picture.path, None, |out| out.write_all(text.as_bytes()).map_err(cannot_write))?;
    Ok(screen)
}

/// Carries out requests to the study; clipboard, lists and the terminal have no part in a picture.
fn carry_out<S: Screen>(
    screen: &mut S,
    effects: Vec<Effect<S::Request>>,
    answer: Answering<'_, S>,
) -> Result<()> {
    for effect in effects {
        if let Effect::Ask(request) = effect
            && let Some(reply) = answer(request)?
        {
            let further = screen.update(Message::Reply(reply));
            carry_out(screen, further, answer)?;
        }
    }
    Ok(())
}
