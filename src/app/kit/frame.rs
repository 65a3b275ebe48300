//! The state that every screen has: keymap, theme, size, overlays, and the line that says what just happened.

use super::{Action, Effect, Key, Keymap, MEASURE, Moment, Overlay};
use crate::error::{Error, ErrorKind, Result};

/// Time for which the screen names refused keys, in milliseconds.
const REFUSED: i64 = 2_000;

/// Refused keys are named up to this many bytes; later ones are left out.
const MOST_REFUSED: usize = 24;

/// Names of the themes, by index.
pub const THEMES: [&str; 3] = ["dark", "light", "high contrast"];

/// Measures to choose from, in columns.
const MEASURES: [u16; 4] = [70, MEASURE, 110, 130];

/// The state that every screen has.
#[derive(Debug, Clone)]
pub struct Frame {
    pub keymap: Keymap,
    /// Index of the theme in [`THEMES`].
    pub theme: usize,
    /// Whether nobody has chosen the theme, so that it suits the terminal.
    pub follows_terminal: bool,
    /// Index of the theme that suits the terminal.
    pub(in crate::app) suits: usize,
    /// Columns and rows.
    pub size: (u16, u16),
    /// Columns of the longest rows of texts.
    pub measure: u16,
    pub notice: Notice,
    /// How far the study is shared with its hub, in a word; empty without a hub.
    pub sharing: String,
    /// Keys that were refused, and the monotonic time until which the screen names them.
    pub(in crate::app) refused: Option<(String, i64)>,
    /// Overlays, the topmost last; keys go to that one.
    pub overlays: Vec<Overlay>,
    /// The time of the latest input that carries one.
    pub now: Moment,
    /// Effects that are to be carried out, in order.
    pub(in crate::app) effects: Vec<Effect>,
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
            effects: Vec::new(),
        }
    }
}

impl Frame {
    /// Takes the next theme as a person's choice. After the terminal's own theme, chosen by hand, the theme follows the
    /// terminal again.
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

    /// Takes the next longer measure as a person's choice; after the longest comes the shortest.
    pub fn change_measure(&mut self) {
        let next = MEASURES.iter().copied().find(|measure| *measure > self.measure);
        self.measure = next.unwrap_or(MEASURES.iter().copied().min().unwrap_or(MEASURE));
        self.say(format!("texts are at most {} columns wide", self.measure));
    }

    /// Notes the theme that suits the terminal, and takes it unless a person has chosen one.
    pub fn suit(&mut self, theme: usize) {
        self.suits = theme;
        if self.follows_terminal {
            self.theme = theme;
        }
    }

    /// Adds an effect to those that are to be carried out.
    pub(in crate::app) fn want(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Takes out the effects wanted since the last call, in order.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// The value that was read; where the study cannot be read any more, the screen is left with that error.
    pub(in crate::app) fn read<T>(&mut self, outcome: Result<T>) -> Option<T> {
        outcome.map_err(|error| self.want(Effect::Fail(error))).ok()
    }

    pub fn say(&mut self, text: impl Into<String>) {
        self.notice = Notice { text: text.into(), is_warning: false };
    }

    /// Warns of a failure, or of something to look out for.
    pub fn warn(&mut self, text: impl Into<String>) {
        self.notice = Notice { text: text.into(), is_warning: true };
    }

    /// Says that a key is bound to nothing.
    pub fn does_nothing(&mut self, key: Key) {
        let help = self.keymap.sign(Action::Help);
        self.say(format!("{} does nothing here; {help} shows the keys", key.sign()));
    }

    /// Refuses a key while an event waits for the disk; only leaving is possible.
    pub fn hold(&mut self, key: Key, action: Option<Action>) {
        match action {
            Some(Action::Quit) => return self.want(Effect::Quit),
            _ if self.notice.text.is_empty() => {
                let quit = self.keymap.sign(Action::Quit);
                self.warn(format!("not saved yet; {quit} leaves without saving"));
            }
            _ => {}
        }
        self.refuse(key);
    }

    /// Notes a refused key. Refused keys are named on the screen for a while, until a key is taken; a key that is held down is
    /// named once.
    pub fn refuse(&mut self, key: Key) {
        let mut keys = self.refusal().map_or(String::new(), |keys| format!("{keys} "));
        let sign = key.sign();
        if keys.trim_end().rsplit(' ').next() != Some(sign.as_str()) && keys.len() < MOST_REFUSED {
            keys.push_str(&sign);
        }
        self.refused = Some((keys.trim_end().to_owned(), self.now.monotonic + REFUSED));
    }

    /// The refused keys that the screen still names.
    pub fn refusal(&self) -> Option<&str> {
        let (keys, until) = self.refused.as_ref()?;
        (self.now.monotonic < *until).then_some(keys)
    }

    /// Clears the notice and the refused keys.
    pub fn hush(&mut self) {
        (self.notice, self.refused) = (Notice::default(), None);
    }
}

/// The message about an answer that is not on disk. The reason stands first, since a path would take its room.
pub fn not_saved(error: &Error) -> String {
    match error.kind() {
        ErrorKind::Busy => "not saved yet: waiting for another haymark to finish writing".to_owned(),
        _ => format!("not saved: {}", error.reason()),
    }
}
