//! What every screen has: keys, colours, a size, a line that says what just happened.

use super::action::Action;
use super::input::Moment;
use super::keymap::Keymap;
use super::overlay::Overlay;
use super::screen::Effect;
use crate::error::{Error, ErrorKind};

/// The state that every screen has.
#[derive(Debug, Clone)]
pub struct Frame {
    pub keymap: Keymap,
    /// Its place among the themes; counts up with each press of the theme key.
    pub theme: usize,
    /// Whether nobody has chosen the theme, so that it suits the terminal.
    pub follows_terminal: bool,
    /// Columns and rows.
    pub size: (u16, u16),
    pub notice: Notice,
    /// What lies over the screen; keys go to the topmost.
    pub overlays: Vec<Overlay>,
    /// The time of the latest input that carries one.
    pub now: Moment,
}

/// The line that says what just happened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Notice {
    pub text: String,
    pub is_warning: bool,
}

impl Default for Frame {
    fn default() -> Frame {
        Frame {
            keymap: Keymap::default(),
            theme: 0,
            follows_terminal: true,
            size: (80, 24),
            notice: Notice::default(),
            overlays: Vec::new(),
            now: Moment::default(),
        }
    }
}

impl Frame {
    /// Takes the next theme; it is a person's choice.
    pub fn change_theme(&mut self) {
        self.theme += 1;
        self.follows_terminal = false;
    }

    /// Takes the theme of this place, unless a person has chosen one.
    pub fn suit(&mut self, theme: usize) {
        if self.follows_terminal {
            self.theme = theme;
        }
    }

    /// Says what happened.
    pub fn say(&mut self, text: impl Into<String>) {
        self.notice = Notice { text: text.into(), is_warning: false };
    }

    /// Says what did not happen, or what to look out for.
    pub fn warn(&mut self, text: impl Into<String>) {
        self.notice = Notice { text: text.into(), is_warning: true };
    }

    /// A key while something waits for the disk: nothing but leaving is done.
    pub fn hold<R>(&mut self, action: Option<Action>, effects: &mut Vec<Effect<R>>) {
        match action {
            Some(Action::Quit) => effects.push(Effect::Quit),
            _ => self.warn("not saved yet, so this key was not used; q leaves without saving"),
        }
    }

    /// Says nothing any more.
    pub fn hush(&mut self) {
        self.notice = Notice::default();
    }
}

/// What a screen says of an answer that is not on disk: the reason first, since a path would take its room.
pub fn not_saved(error: &Error) -> String {
    match error.kind() {
        ErrorKind::Busy => "not saved yet: waiting for another haymark to finish writing".to_owned(),
        _ => format!("not saved: {}", error.reason()),
    }
}
