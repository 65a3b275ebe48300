//! The terminal emulator that reads what haymark writes: vt100, with an ear for what it does not draw.

use std::num::NonZeroU16;

use vt100::{Callbacks, Parser, Screen};

/// An emulated terminal.
pub struct Terminal {
    parser: Parser<Heard>,
}

/// What reached the terminal apart from text, colours and movements.
#[derive(Debug, Default)]
pub struct Heard {
    /// Whether a synchronized update has begun and not ended.
    is_updating: bool,
    /// Synchronized updates that have ended.
    pub frames: usize,
    /// Updates that began inside another, or ended without a beginning.
    pub astray: usize,
    /// What haymark has no business to send: bells, titles, the clipboard, unknown sequences.
    pub strange: Vec<String>,
}

impl Terminal {
    pub fn new(columns: u16, rows: u16) -> Terminal {
        let (rows, columns) = (size(rows), size(columns));
        Terminal { parser: Parser::new_with_callbacks(rows, columns, 0, Heard::default()) }
    }

    pub fn process(&mut self, bytes: &[u8]) {
        self.parser.process(bytes);
    }

    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.parser.set_size(size(rows), size(columns));
    }

    pub fn screen(&self) -> &Screen {
        self.parser.screen()
    }

    pub fn heard(&self) -> &Heard {
        self.parser.callbacks()
    }

    /// Whether a frame is half drawn.
    pub fn is_updating(&self) -> bool {
        self.heard().is_updating
    }

    /// Whether a row contains `text`.
    pub fn shows(&self, text: &str) -> bool {
        self.rows().iter().any(|row| row.contains(text))
    }

    /// The rows as text, blanks at their ends left out.
    pub fn rows(&self) -> Vec<String> {
        let (_, columns) = self.screen().size();
        let rows = self.screen().rows(0, columns.get());
        rows.map(|row| row.trim_end().to_owned()).collect()
    }
}

impl Callbacks for Heard {
    fn audible_bell(&mut self, _: &mut Screen) {
        self.strange.push("a bell".into());
    }

    fn visual_bell(&mut self, _: &mut Screen) {
        self.strange.push("a visual bell".into());
    }

    fn resize(&mut self, _: &mut Screen, request: (u16, u16)) {
        self.strange.push(format!("a new size {request:?}"));
    }

    fn set_window_icon_name(&mut self, _: &mut Screen, name: &[u8]) {
        self.strange.push(format!("an icon name {name:?}"));
    }

    fn set_window_title(&mut self, _: &mut Screen, title: &[u8]) {
        self.strange.push(format!("a title {title:?}"));
    }

    fn copy_to_clipboard(&mut self, _: &mut Screen, _: &[u8], data: &[u8]) {
        self.strange.push(format!("a copy of {data:?}"));
    }

    fn paste_from_clipboard(&mut self, _: &mut Screen, _: &[u8]) {
        self.strange.push("a look at the clipboard".into());
    }

    fn unhandled_char(&mut self, _: &mut Screen, character: char) {
        // Every real terminal draws the stand-in for characters without a picture.
        if character != char::REPLACEMENT_CHARACTER {
            self.strange.push(format!("{character:?}"));
        }
    }

    fn unhandled_control(&mut self, _: &mut Screen, byte: u8) {
        self.strange.push(format!("the control character {byte:#x}"));
    }

    fn unhandled_escape(&mut self, _: &mut Screen, _: Option<u8>, _: Option<u8>, byte: u8) {
        self.strange.push(format!("the sequence of {:?}", byte as char));
    }

    fn unhandled_csi(
        &mut self,
        _: &mut Screen,
        mark: Option<u8>,
        _: Option<u8>,
        parameters: &[&[u16]],
        end: char,
    ) {
        match (mark, parameters, end) {
            (Some(b'?'), [[2026]], 'h' | 'l') => self.update(end == 'h'),
            // Automatic wrapping and the focus, which vt100 does not know.
            (Some(b'?'), [[7 | 1004]], 'h' | 'l') => {}
            // Reports of released keys, which vt100 does not know either.
            (Some(b'>'), [[7]], 'u') | (Some(b'<'), [[1]], 'u') => {}
            _ => self.strange.push(format!("the sequence {mark:?} {parameters:?} {end:?}")),
        }
    }

    fn unhandled_osc(&mut self, _: &mut Screen, parameters: &[&[u8]]) {
        if parameters == [b"11", b"?".as_slice()] {
            // The question about the background, which not every terminal answers.
            return;
        }
        self.strange.push(format!("the command {parameters:?}"));
    }
}

impl Heard {
    fn update(&mut self, begins: bool) {
        if begins == self.is_updating {
            self.astray += 1;
        }
        self.frames += usize::from(!begins);
        self.is_updating = begins;
    }
}

fn size(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).expect("a terminal has rows and columns")
}
