//! Whatever happens to the screen, the terminal shows it.

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};

use super::{Terminal, differences};

/// One change to the screen.
#[derive(Debug, Clone)]
enum Step {
    Write(u16, u16, String, Style),
    Fill(Rect, Style),
    Wipe(Rect),
    Shift { top: u16, bottom: u16, lines: i16, fresh: String },
    Resize(u16, u16),
    Repaint,
}

fn apply(buffer: &mut Buffer, step: &Step) {
    let area = buffer.area;
    match step {
        Step::Write(x, y, text, style) => {
            buffer.set_string(x % area.width, y % area.height, text, *style);
        }
        Step::Fill(part, style) => buffer.set_style(part.intersection(area), *style),
        Step::Wipe(part) => {
            for position in part.intersection(area).positions() {
                buffer[position].reset();
            }
        }
        Step::Shift { top, bottom, lines, fresh } => {
            let (top, bottom) = (top % area.height, bottom % area.height);
            let old = buffer.clone();
            for y in top..=bottom {
                let source = y.checked_add_signed(*lines).filter(|source| (top..=bottom).contains(source));
                for x in 0..area.width {
                    buffer[(x, y)] = source.map(|source| old[(x, source)].clone()).unwrap_or_default();
                }
                if source.is_none() {
                    buffer.set_string(0, y, fresh, Style::new());
                }
            }
        }
        Step::Resize(width, height) => *buffer = Buffer::empty(Rect::new(0, 0, *width, *height)),
        Step::Repaint => {}
    }
}

fn a_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-zA-Z0-9 .]{1,12}",
        3 => "[中文字句子，。 ]{1,8}",
        1 => Just("🙂".to_string()),
        1 => Just("❤\u{fe0f}".to_string()),
        1 => Just("e\u{301}o\u{308}".to_string()),
        1 => Just("\u{1112}\u{1161}\u{11ab}".to_string()),
        1 => Just("“—…”│─é".to_string()),
        1 => Just("          ".to_string()),
    ];
    proptest::collection::vec(piece, 1..5).prop_map(|pieces| pieces.concat())
}

fn a_colour() -> impl Strategy<Value = Color> {
    prop_oneof![
        Just(Color::Reset),
        Just(Color::Red),
        Just(Color::LightBlue),
        any::<u8>().prop_map(Color::Indexed),
        any::<[u8; 3]>().prop_map(|[red, green, blue]| Color::Rgb(red, green, blue)),
    ]
}

fn a_style() -> impl Strategy<Value = Style> {
    // The emulator knows either bold or dim.
    let modifiers = prop_oneof![
        Just(Modifier::empty()),
        Just(Modifier::BOLD),
        Just(Modifier::DIM | Modifier::ITALIC),
        Just(Modifier::UNDERLINED),
        Just(Modifier::REVERSED | Modifier::BOLD),
    ];
    let set = (a_colour(), a_colour(), a_colour(), modifiers).prop_map(
        |(foreground, background, line, modifier)| {
            let colours = Style::reset().fg(foreground).bg(background).underline_color(line);
            colours.add_modifier(modifier)
        },
    );
    prop_oneof![Just(Style::reset()), set]
}

fn an_area() -> impl Strategy<Value = Rect> {
    (0..40_u16, 0..12_u16, 1..40_u16, 1..12_u16)
        .prop_map(|(x, y, width, height)| Rect::new(x, y, width, height))
}

fn a_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..40_u16, 0..12_u16, a_text(), a_style()).prop_map(|(x, y, text, style)| Step::Write(x, y, text, style)),
        2 => (an_area(), a_style()).prop_map(|(area, style)| Step::Fill(area, style)),
        2 => an_area().prop_map(Step::Wipe),
        4 => (0..12_u16, 0..12_u16, -3..=3_i16, a_text())
            .prop_map(|(top, bottom, lines, fresh)| Step::Shift { top, bottom, lines, fresh }),
        1 => (1..=40_u16, 1..=12_u16).prop_map(|(width, height)| Step::Resize(width, height)),
        1 => Just(Step::Repaint),
    ]
}

fn a_frame() -> impl Strategy<Value = (Vec<Step>, Option<(u16, u16)>)> {
    let cursor = proptest::option::of((0..40_u16, 0..12_u16));
    (proptest::collection::vec(a_step(), 0..6), cursor)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn the_terminal_shows_the_buffer(
        width in 1..=40_u16,
        height in 1..=12_u16,
        frames in proptest::collection::vec(a_frame(), 1..12),
    ) {
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        let mut terminal = Terminal::new(buffer.area);
        for (steps, cursor) in frames {
            for step in &steps {
                apply(&mut buffer, step);
                if matches!(step, Step::Repaint) {
                    terminal.emitter.reset();
                }
            }
            let cursor = cursor.map(|(x, y)| Position::new(x % buffer.area.width, y % buffer.area.height));
            let bytes = terminal.show(&buffer, cursor);
            let screen = terminal.screen.screen();
            prop_assert_eq!(differences(screen, &buffer), Vec::<String>::new(), "{:?}", bytes);
            prop_assert_eq!(screen.hide_cursor(), cursor.is_none());
            if let Some(cursor) = cursor {
                prop_assert_eq!(screen.cursor_position(), (cursor.y, cursor.x));
            }
            prop_assert_eq!(terminal.show(&buffer, cursor), "");
        }
    }
}
