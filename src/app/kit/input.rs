//! Input from the terminal and the clock to a screen: data that carries its own time, so that tests need neither.

use super::Key;

/// A point in time by both clocks, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moment {
    /// Since 1970, as the wall clock shows it.
    pub wall: i64,
    /// Since some fixed point; never runs backwards and stands still while the machine sleeps.
    pub monotonic: i64,
}

/// An input from the terminal or the clock, to any screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    Key(Key, Moment),
    /// A key that comes again because it is held down; terminals that cannot tell send it as a key.
    Repeat(Key, Moment),
    Mouse(Mouse, Moment),
    Paste(String, Moment),
    /// Columns and rows of the terminal.
    Resize(u16, u16),
    /// A frame with the state as it is now has reached the terminal.
    Shown(Moment),
    /// The program goes on after it was suspended.
    Resumed(Moment),
    /// Time has passed; sent now and then to a screen that waits.
    Tick(Moment),
    /// The person looks at another window.
    FocusLost(Moment),
    /// A line for the bottom of the screen.
    Notice(String),
    /// Entries of a list that match the needle of this generation, best first.
    Matches {
        generation: u64,
        matches: Vec<usize>,
    },
    /// Work or records came from the hub.
    Changed,
}

impl Input {
    /// The time that the input carries.
    pub fn moment(&self) -> Option<Moment> {
        match self {
            Input::Key(_, now)
            | Input::Repeat(_, now)
            | Input::Mouse(_, now)
            | Input::Paste(_, now)
            | Input::Shown(now)
            | Input::Resumed(now)
            | Input::FocusLost(now)
            | Input::Tick(now) => Some(*now),
            Input::Resize(..) | Input::Notice(_) | Input::Matches { .. } | Input::Changed => None,
        }
    }
}

/// A mouse event at a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    pub column: u16,
    pub row: u16,
    pub kind: MouseKind,
}

/// A kind of mouse event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseKind {
    Click,
    /// A move with the button down.
    Drag,
    WheelUp,
    WheelDown,
}
