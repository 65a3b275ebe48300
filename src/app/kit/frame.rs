//! What every screen has: keys, colours, a size, a line that says what just happened.

use super::action::Action;
use super::board::MEASURE;
use super::input::Moment;
use super::key::Key;
use super::keymap::Keymap;
use super::overlay::Overlay;
use super::screen::Effect;
use crate::error::{Error, ErrorKind};

/// How long the screen says that keys were not taken, in milliseconds.
const REFUSED: i64 = 2_000;

/// Of more keys than stand in so many bytes the later ones are not named.
const MOST_REFUSED: usize = 24;

/// The themes by their places, as they are called.
pub const THEMES: [&str; 3] = ["dark", "light", "high contrast"];

/// The measures to choose from.
const MEASURES: [u16; 4] = [70, MEASURE, 110, 130];

/// The state that every screen has.
#[derive(Debug, Clone)]
pub struct Frame {
    pub keymap: Keymap,
    /// Its place among the themes.
    pub theme: usize,
    /// Whether nobody has chosen the theme, so that it suits the terminal.
    pub follows_terminal: bool,
    /// The place of the theme that suits the terminal.
    pub(in crate::app) suits: usize,
    /// Columns and rows.
    pub size: (u16, u16),
    /// Columns of the longest rows of texts.
    pub measure: u16,
    pub notice: Notice,
    /// How far the study's hub has what is in it, in a word; empty without a hub.
    pub sharing: String,
    /// Keys that were not taken, and until when, by the monotonic clock, that is said.
    pub(in crate::app) refused: Option<(String, i64)>,
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
            suits: 0,
            size: (80, 24),
            measure: MEASURE,
            notice: Notice::default(),
            sharing: String::new(),
            refused: None,
            overlays: Vec::new(),
            now: Moment::default(),
        }
    }
}

impl Frame {
    /// Takes the next theme, a person's choice; behind the one that suits the terminal comes what suits any.
    pub fn change_theme(&mut self) {
        let is_last = !self.follows_terminal && self.theme == self.suits;
        self.theme = if is_last { self.suits } else { (self.theme + 1) % THEMES.len() };
        self.follows_terminal = is_last;
        let name = THEMES.get(self.theme).unwrap_or(&"");
        self.say(match is_last {
            true => format!("colours: auto, as the terminal is ({name})"),
            false => format!("colours: {name}"),
        });
    }

    /// Makes the rows of texts longer; from the longest the shortest follow. It is a person's choice.
    pub fn change_measure(&mut self) {
        let next = MEASURES.iter().copied().find(|measure| *measure > self.measure);
        self.measure = next.unwrap_or(MEASURES.iter().copied().min().unwrap_or(MEASURE));
        self.say(format!("texts are at most {} columns wide", self.measure));
    }

    /// Takes the theme of this place, unless a person has chosen one.
    pub fn suit(&mut self, theme: usize) {
        self.suits = theme;
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

    /// A key that is bound to nothing.
    pub fn does_nothing(&mut self, key: Key) {
        let help = self.keymap.sign(Action::Help);
        self.say(format!("{} does nothing here; {help} shows the keys", key.sign()));
    }

    /// A key while something waits for the disk: nothing but leaving is done.
    pub fn hold<R>(&mut self, key: Key, action: Option<Action>, effects: &mut Vec<Effect<R>>) {
        match action {
            Some(Action::Quit) => return effects.push(Effect::Quit),
            _ if self.notice.text.is_empty() => self.warn("not saved yet; q leaves without saving"),
            _ => {}
        }
        self.refuse(key);
    }

    /// Takes note of a key that is not taken. That stays on the screen for a while, until a key is taken, with the keys
    /// before it that were not taken either; those that are held down once.
    pub fn refuse(&mut self, key: Key) {
        let mut keys = self.refusal().map_or(String::new(), |keys| format!("{keys} "));
        let sign = key.sign();
        if keys.trim_end().rsplit(' ').next() != Some(sign.as_str()) && keys.len() < MOST_REFUSED {
            keys.push_str(&sign);
        }
        self.refused = Some((keys.trim_end().to_owned(), self.now.monotonic + REFUSED));
    }

    /// The keys that were not taken of late.
    pub fn refusal(&self) -> Option<&str> {
        let (keys, until) = self.refused.as_ref()?;
        (self.now.monotonic < *until).then_some(keys)
    }

    /// Says nothing any more, of keys that were not taken either.
    pub fn hush(&mut self) {
        (self.notice, self.refused) = (Notice::default(), None);
    }
}

/// What a screen says of an answer that is not on disk: the reason first, since a path would take its room.
pub fn not_saved(error: &Error) -> String {
    match error.kind() {
        ErrorKind::Busy => "not saved yet: waiting for another haymark to finish writing".to_owned(),
        _ => format!("not saved: {}", error.reason()),
    }
}
