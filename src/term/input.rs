//! From the terminal's events to ours; the only place where crossterm's keys are named.

use crossterm::event::{
    Event, KeyCode as Code, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};

use crate::app::kit::input::{Input, Moment, Mouse, MouseKind};
use crate::app::kit::key::{Key, KeyCode};

/// What an event means; `None` for what means nothing here, such as a released key.
pub fn input(event: Event, now: Moment) -> Option<Input> {
    match event {
        Event::Key(event) => key(event).map(|key| Input::Key(key, now)),
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
        Event::FocusLost => Some(Input::FocusLost(now)),
        Event::FocusGained => None,
    }
}

fn key(event: KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
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
        let released = KeyEvent::new_with_kind(Code::Char('f'), none, KeyEventKind::Release);
        assert_eq!(key(released), None);
    }
}
