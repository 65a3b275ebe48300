//! A screen's first frame as a file, without a terminal.

use std::path::PathBuf;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::run::DrawScreen;
use crate::app::kit::{Effect, Input, Screen};
use crate::error::{Result, cannot_write};
use crate::files::write_atomically;
use crate::view::kit::{svg, themes};

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
    picture: &Picture,
    draw: DrawScreen<S>,
    desk: &mut S::Desk<'_>,
) -> Result<S> {
    let (columns, rows) = picture.size;
    screen.update(Input::Resize(columns, rows), desk);
    screen.open(desk);
    // Clipboard, lists and the terminal have no part in a picture.
    for effect in screen.frame_mut().take_effects() {
        if let Effect::Fail(error) = effect {
            return Err(error);
        }
    }
    let theme = &themes()[screen.frame().theme % themes().len()];
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
    let cursor = draw(&screen, theme, &mut buffer);
    let text = svg(&buffer, cursor, theme, TITLE);
    write_atomically(&picture.path, None, |out| out.write_all(text.as_bytes()).map_err(cannot_write))?;
    Ok(screen)
}
