//! The escape sequences of a frame, as bytes (ECMA-48; synchronized output is private mode 2026).

/// Asks the terminal to hold the picture until [`END_SYNCHRONIZED`].
pub(super) const BEGIN_SYNCHRONIZED: &[u8] = b"\x1b[?2026h";
/// Shows what was drawn since [`BEGIN_SYNCHRONIZED`].
pub(super) const END_SYNCHRONIZED: &[u8] = b"\x1b[?2026l";
/// Plain pen, no scroll region, nothing on the screen.
pub(super) const CLEAR: &[u8] = b"\x1b[m\x1b[r\x1b[2J";
pub(super) const SHOW_CURSOR: &[u8] = b"\x1b[?25h";
pub(super) const HIDE_CURSOR: &[u8] = b"\x1b[?25l";
/// Erases from the cursor to the end of the row, with the pen's background.
pub(super) const ERASE_TO_END: &[u8] = b"\x1b[K";

/// Appends a decimal number.
pub(super) fn number(out: &mut Vec<u8>, number: usize) {
    if number >= 10 {
        self::number(out, number / 10);
    }
    out.push(b'0' + (number % 10) as u8);
}

/// Appends `ESC [ count letter`; a count of one is left out, it is the default.
pub(super) fn counted(out: &mut Vec<u8>, count: usize, letter: u8) {
    out.extend_from_slice(b"\x1b[");
    if count != 1 {
        number(out, count);
    }
    out.push(letter);
}

/// Appends an absolute move to a column and row, both counted from 0.
pub(super) fn place(out: &mut Vec<u8>, x: usize, y: usize) {
    if x == 0 {
        counted(out, y + 1, b'H');
        return;
    }
    out.extend_from_slice(b"\x1b[");
    if y != 0 {
        number(out, y + 1);
    }
    out.push(b';');
    number(out, x + 1);
    out.push(b'H');
}

/// Appends the settings of a scroll region, rows counted from 0, both inclusive.
pub(super) fn region(out: &mut Vec<u8>, top: usize, bottom: usize) {
    out.extend_from_slice(b"\x1b[");
    number(out, top + 1);
    out.push(b';');
    number(out, bottom + 1);
    out.push(b'r');
}

/// Bytes that [`counted`] appends.
pub(super) fn counted_length(count: usize) -> usize {
    let digits = if count == 1 { 0 } else { count.checked_ilog10().unwrap_or(0) as usize + 1 };
    3 + digits
}
