//! The way from the terminal's events to inputs; the only place where crossterm's keys are named.

use crossterm::event::{
    Event, KeyCode as Code, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};

use crate::app::kit::{Input, Key, KeyCode, Moment, Mouse, MouseKind};

/// A held key begins to come again within this time, in milliseconds.
const BEGINS: i64 = 2_000;

/// The state of the keyboard. Where the terminal reports that keys are let go of, a key that comes again without such a report
/// is held down.
#[derive(Debug, Default)]
pub struct Keyboard {
    tells_releases: bool,
    /// The key that is down, and when it came last.
    down: Option<(Key, i64)>,
}

impl Keyboard {
    /// The input of an event; `None` for an event without meaning here, such as a released key.
    pub fn input(&mut self, event: Event, now: Moment) -> Option<Input> {
        match event {
            Event::Key(event) => self.key(event, now),
            Event::Mouse(event) => {
                let kind = match event.kind {
                    MouseEventKind::Down(MouseButton::Left) => MouseKind::Click,
                    MouseEventKind::Drag(MouseButton::Left) => MouseKind::Drag,
                    MouseEventKind::ScrollUp => MouseKind::WheelUp,
                    MouseEventKind::ScrollDown => MouseKind::WheelDown,
                    _ => return None,
                };
                let mouse = Mouse { column: event.column, row: event.row, kind };
                Some(Input::Mouse(mouse, now))
            }
            Event::Paste(text) => Some(Input::Paste(text, now)),
            Event::Resize(columns, rows) => Some(Input::Resize(columns, rows)),
            Event::FocusLost => {
                // The key may be let go of where we do not hear it.
                self.down = None;
                Some(Input::FocusLost(now))
            }
            Event::FocusGained => None,
        }
    }

    fn key(&mut self, event: KeyEvent, now: Moment) -> Option<Input> {
        let key = key(event)?;
        let is_down = |(down, at): (Key, i64)| down == key && now.monotonic - at < BEGINS;
        if event.kind == KeyEventKind::Release {
            self.tells_releases = true;
            self.down = self.down.filter(|(down, _)| *down != key);
            return None;
        }
        // No terminal reports that these keys are let go of, so that a shell stays usable where a program forgot to switch the
        // reports off.
        let is_told = !matches!(key.code, KeyCode::Enter | KeyCode::Tab | KeyCode::Backspace);
        let is_held = self.tells_releases && is_told && self.down.is_some_and(is_down);
        self.down = Some((key, now.monotonic));
        Some(if is_held || event.kind == KeyEventKind::Repeat {
            Input::Repeat(key, now)
        } else {
            Input::Key(key, now)
        })
    }
}

fn key(event: KeyEvent) -> Option<Key> {
    let control = event.modifiers.contains(KeyModifiers::CONTROL);
    let code = match event.code {
        // Terminals that send these for Backspace and Enter mean the keys, not the letters.
        Code::Char('h') if control => return Some(Key::plain(KeyCode::Backspace)),
        Code::Char('j') if control => return Some(Key::plain(KeyCode::Enter)),
        Code::Char(character) => KeyCode::Char(character),
        Code::Enter => KeyCode::Enter,
        Code::Esc => KeyCode::Escape,
        Code::Backspace => KeyCode::Backspace,
        Code::Delete => KeyCode::Delete,
        Code::Tab => KeyCode::Tab,
        Code::BackTab => KeyCode::BackTab,
        Code::Left => KeyCode::Left,
        Code::Right => KeyCode::Right,
        Code::Up => KeyCode::Up,
        Code::Down => KeyCode::Down,
        Code::Home => KeyCode::Home,
        Code::End => KeyCode::End,
        Code::PageUp => KeyCode::PageUp,
        Code::PageDown => KeyCode::PageDown,
        Code::F(number) => KeyCode::Function(number),
        _ => return None,
    };
    Some(Key { code, control, alt: event.modifiers.contains(KeyModifiers::ALT) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(code: Code, modifiers: KeyModifiers) -> Option<String> {
        key(KeyEvent::new(code, modifiers)).map(|key| key.to_string())
    }

    #[test]
    fn keys_get_their_written_form() {
        let none = KeyModifiers::NONE;
        assert_eq!(read(Code::Char('f'), none).as_deref(), Some("f"));
        assert_eq!(read(Code::Char('G'), KeyModifiers::SHIFT).as_deref(), Some("G"));
        assert_eq!(read(Code::Char('z'), KeyModifiers::CONTROL).as_deref(), Some("ctrl-z"));
        assert_eq!(read(Code::Char('h'), KeyModifiers::CONTROL).as_deref(), Some("backspace"));
        assert_eq!(read(Code::Enter, KeyModifiers::ALT).as_deref(), Some("alt-enter"));
        assert_eq!(read(Code::CapsLock, none), None);
    }

    #[test]
    fn a_key_that_is_not_let_go_of_is_held_down() {
        let mut keyboard = Keyboard::default();
        let mut at = 0;
        let mut told = |code, kind, wait| {
            at += wait;
            let event = KeyEvent::new_with_kind(code, KeyModifiers::NONE, kind);
            match keyboard.input(Event::Key(event), Moment { wall: 0, monotonic: at }) {
                Some(Input::Key(..)) => "key",
                Some(Input::Repeat(..)) => "again",
                _ => "nothing",
            }
        };
        let (x, p) = (Code::Char('x'), Code::Char('p'));
        let (press, repeat, release) = (KeyEventKind::Press, KeyEventKind::Repeat, KeyEventKind::Release);
        assert_eq!([told(x, press, 0), told(x, press, 500)], ["key", "key"], "nobody knows yet");
        assert_eq!([told(x, release, 9), told(x, press, 30)], ["nothing", "key"]);
        assert_eq!([told(x, press, 500), told(x, repeat, 30)], ["again", "again"]);
        assert_eq!([told(p, press, 30), told(x, press, 30)], ["key", "key"], "another key came between");
        assert_eq!(told(x, press, 3_000), "key", "it was let go of elsewhere");
        assert_eq!([told(Code::Enter, press, 9), told(Code::Enter, press, 9)], ["key", "key"]);
        assert_eq!(told(p, repeat, 9), "again", "the terminal says it");
    }
}
