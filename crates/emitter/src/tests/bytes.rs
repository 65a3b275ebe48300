//! How many bytes, and which. Limits are those of the project's performance targets, at 200×60.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use unicode_width::UnicodeWidthStr;

use super::{Emitter, Options, Terminal, differences};

/// Words between bars, put together to lines by [`line`].
const ENGLISH: &str = "the |committee |reported |that |water |levels |had |risen |by |1.4 metres |\
    since |March, |according |to |an |earlier |survey |of |coastal |stations. ";
const CHINESE: &str = "委员会|报告|说，|自三月|以来|水位|上升了|一点四米，|根据|此前|\
    对沿海|观测站的|调查。|专家|认为|情况|仍在|变化；|详情|未公布";

/// Line `number` of a long text without structure, `width` columns wide.
fn line(words: &str, number: usize, width: u16) -> String {
    let words: Vec<&str> = words.split('|').collect();
    let mut state = number as u64 + 1;
    let mut line = String::new();
    loop {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = words[(state >> 33) as usize % words.len()];
        if line.width() + word.width() > usize::from(width) {
            return line;
        }
        line.push_str(word);
    }
}

/// A pane of text at 200×60 with a header, a status line and a scroll bar; other text to its right
/// unless `width` is 200.
fn pane(words: &str, width: u16, scroll: usize, selected: Option<u16>) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 200, 60));
    buffer.set_string(0, 0, "Document 3 of 100", Style::new().bold());
    buffer.set_string(0, 59, format!("line {scroll} of 900   ? help"), Style::new().reversed());
    for y in 1..59 {
        let text = line(words, scroll + usize::from(y), width - 3);
        let style = if selected == Some(y) { Style::new().reversed() } else { Style::new() };
        buffer.set_string(0, y, text, style);
        let thumb = usize::from(y) == 1 + scroll / 16;
        buffer.set_string(width - 1, y, if thumb { "█" } else { "│" }, Style::new().dark_gray());
        if width < 200 {
            buffer.set_string(width + 1, y, line(ENGLISH, 9_000 + usize::from(y), 198 - width), Style::new());
        }
    }
    buffer
}

/// Bytes of the second of two frames.
fn bytes_between(first: &Buffer, second: &Buffer) -> usize {
    let mut terminal = Terminal::new(first.area);
    terminal.show(first, None);
    let bytes = terminal.show(second, None).len();
    assert_eq!(differences(terminal.screen.screen(), second), Vec::<String>::new());
    bytes
}

fn check_budget(what: &str, first: &Buffer, second: &Buffer, limit: usize) {
    let bytes = bytes_between(first, second);
    println!("{what}: {bytes} bytes of {limit}");
    assert!(bytes <= limit, "{what} takes {bytes} bytes, at most {limit}");
}

#[test]
fn scrolling_a_line_in_a_full_width_pane_takes_512_bytes() {
    for (what, words) in [("English, full width", ENGLISH), ("Chinese, full width", CHINESE)] {
        // From 15 to 16 the thumb of the scroll bar moves as well.
        for (from, to) in [(7, 8), (8, 7), (15, 16)] {
            check_budget(what, &pane(words, 200, from, None), &pane(words, 200, to, None), 512);
        }
    }
}

#[test]
fn scrolling_a_line_in_a_split_pane_takes_10_kilobytes() {
    for (what, words) in [("English, split", ENGLISH), ("Chinese, split", CHINESE)] {
        check_budget(what, &pane(words, 100, 7, None), &pane(words, 100, 8, None), 10_000);
    }
}

#[test]
fn moving_a_selection_takes_512_bytes() {
    for (what, words) in [("English, selection", ENGLISH), ("Chinese, selection", CHINESE)] {
        check_budget(what, &pane(words, 100, 7, Some(20)), &pane(words, 100, 7, Some(21)), 512);
    }
}

#[test]
fn setting_a_label_takes_few_bytes() {
    let first = pane(ENGLISH, 100, 7, None);
    let mut second = first.clone();
    second.set_string(102, 5, "[x] supported", Style::new().green());
    second.set_string(20, 0, "7/100", Style::new());
    check_budget("label", &first, &second, 80);
}

#[test]
fn a_repaint_of_wide_glyphs_needs_no_moves_between_them() {
    let buffer = pane(CHINESE, 200, 0, None);
    let text: usize =
        (0..60).map(|y| (0..200).map(|x| buffer[(x, y)].symbol().trim().len()).sum::<usize>()).sum();
    let bytes = bytes_between(&Buffer::empty(buffer.area), &buffer);
    // A row costs its move, the grey of its scroll bar and the blanks in between.
    assert!(bytes < text + 60 * 24, "{bytes} bytes for {text} bytes of text");
}

#[test]
fn nothing_is_written_when_nothing_changed() {
    let buffer = pane(ENGLISH, 100, 7, None);
    let mut terminal = Terminal::new(buffer.area);
    assert!(!terminal.show(&buffer, None).is_empty());
    assert_eq!(terminal.show(&buffer, None), "");
    let mut invisible = buffer.clone();
    invisible[(60, 0)].set_fg(Color::Red);
    assert_eq!(terminal.show(&invisible, None), "");
    terminal.emitter.reset();
    assert!(terminal.show(&buffer, None).contains("\x1b[2J"));
}

/// The bytes between the marks of synchronized output that lead from one row to another.
fn row_change(from: &str, to: &str) -> String {
    let row = |text: &str| {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 30, 1));
        buffer.set_string(0, 0, text, Style::new());
        buffer
    };
    let mut terminal = Terminal::new(row("").area);
    terminal.show(&row(from), None);
    let bytes = terminal.show(&row(to), None);
    let inner = bytes.strip_prefix("\x1b[?2026h").and_then(|rest| rest.strip_suffix("\x1b[?2026l"));
    inner.unwrap().replace("\x1b[", "^")
}

#[test]
fn the_shortest_form_is_chosen() {
    // A short gap is written again, a long one moved over: forward by a count or to a named column.
    assert_eq!(row_change("a bc d", "x bc y"), "^Hx bc y");
    assert_eq!(row_change("a bcdefghi d", "x bcdefghi y"), "^Hx^12Gy");
    assert_eq!(row_change("abcdefghijkl", "xbcdefghykl"), "^Hx^9Gykl ");
    assert_eq!(row_change("abcdefghijklmnopqrst", "xbcdefghiyklmnopqrst"), "^Hx^8Cy");
    // A blank rest is erased; three blanks are as well written.
    assert_eq!(row_change("abcdefgh", "abcd"), "^;5H^K");
    assert_eq!(row_change("abcdefgh", "abcde"), "^;6H   ");
    // After wide glyphs the cursor is where they end.
    assert_eq!(row_change("", "中文字"), "^H中文字");
    assert_eq!(row_change("中文字", "中a字"), "^;3Ha字 ");
    assert_eq!(row_change("中文字", "中a 字"), "^;3Ha ");
}

#[test]
fn a_glyph_in_doubt_is_followed_by_a_move_and_by_what_it_may_have_spoilt() {
    assert_eq!(row_change("ab cdef", "🙂 cdef"), "^H  \r🙂");
    assert_eq!(row_change("", "a“b”c"), "^Ha“^3Gb”^5Gc");
    assert_eq!(row_change("a'bcd", "a”bcd"), "^;2H”^3Gb");
    // An emulator that adds up the parts of a joined emoji still shows the columns behind it.
    let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 1));
    buffer.set_string(0, 0, "ab..the rest", Style::new());
    let mut terminal = Terminal::new(buffer.area);
    terminal.show(&buffer, None);
    buffer.set_string(2, 0, "👨\u{200d}👩\u{200d}👧", Style::new());
    terminal.show(&buffer, None);
    assert_eq!(terminal.screen.screen().rows(4, 16).next().unwrap(), "the rest");
}

#[test]
fn control_characters_in_a_cell_never_reach_the_terminal() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 9, 1));
    for (x, symbol) in ["\x1b", "\x07", "\u{9b}2J", "\x7f", "\r\n"].iter().enumerate() {
        buffer[(x as u16, 0)].set_symbol(symbol);
    }
    let mut emitter = Emitter::new(Vec::new(), Options::default());
    emitter.frame(&buffer, None).unwrap();
    let sent = String::from_utf8(std::mem::take(emitter.writer())).unwrap();
    assert!(sent.contains("???2J"), "{sent:?}");
    assert!(!sent.contains(['\x07', '\u{9b}', '\x7f', '\r', '\n']), "{sent:?}");
}

#[test]
fn options_come_from_the_environment() {
    let read = |name: &'static str, value: &'static str| {
        Options::from_environment(|asked| (asked == name).then(|| value.into()))
    };
    assert_eq!(read("TERM", "xterm"), Options::default());
    assert!(read("NO_COLOR", "1").no_color);
    assert!(!read("NO_COLOR", "").no_color);
    assert!(!read("STY", "1234.pts").erase_keeps_background);
}

#[test]
fn without_colours_and_erasing_background_the_bytes_follow() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 1));
    buffer.set_style(buffer.area, Style::new().on_blue());
    buffer.set_string(0, 0, "x", Style::new().red().bold());
    let sent = |options| {
        let mut emitter = Emitter::new(Vec::new(), options);
        emitter.frame(&buffer, None).unwrap();
        String::from_utf8(std::mem::take(emitter.writer())).unwrap()
    };
    assert!(sent(Options::default()).contains("\x1b[1;31;44mx\x1b[K"));
    let screen = Options { erase_keeps_background: false, ..Options::default() };
    assert!(sent(screen).contains(&format!("mx{}\x1b", " ".repeat(11))));
    let colourless = Options { no_color: true, ..Options::default() };
    assert!(sent(colourless).contains("\x1b[H\x1b[1mx\x1b[?25l\x1b[m"));
}

#[test]
fn a_failed_write_is_followed_by_a_full_frame() {
    struct Broken(bool, Vec<u8>);
    impl std::io::Write for Broken {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if self.0 {
                return Err(std::io::Error::other("gone"));
            }
            self.1.extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut buffer = Buffer::empty(Rect::new(0, 0, 9, 2));
    let mut emitter = Emitter::new(Broken(false, Vec::new()), Options::default());
    emitter.frame(&buffer, None).unwrap();
    buffer.set_string(0, 0, "one", Style::new());
    emitter.writer().0 = true;
    assert!(emitter.frame(&buffer, None).is_err());
    *emitter.writer() = Broken(false, Vec::new());
    emitter.frame(&buffer, None).unwrap();
    let sent = String::from_utf8(emitter.writer().1.clone()).unwrap();
    assert!(sent.contains("\x1b[2J") && sent.contains("one"), "{sent:?}");
}
