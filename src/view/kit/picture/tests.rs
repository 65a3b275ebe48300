use ratatui::layout::Rect;
use ratatui::style::Style;

use super::*;
use crate::view::kit::themes;

/// The letters of a screen that stand out from their ground by less than 4.5 : 1 (WCAG 2.2, criterion 1.4.3), row by row.
pub(in crate::view) fn faint(buffer: &Buffer, theme: &Theme) -> Vec<String> {
    let drawing = PictureDrawing {
        ink: rgb(theme.picture.0.fg, 0, 0),
        paper: rgb(theme.picture.0.bg, 0, 0),
        shapes: String::new(),
        letters: String::new(),
    };
    let is_faint = |cell: &Cell| {
        let (ink, paper) = drawing.colours(cell, false);
        cell.symbol().chars().any(char::is_alphanumeric) && contrast(ink, paper) < 4.5
    };
    let row = |y| {
        let cells = (0..buffer.area.width).map(move |x| &buffer[(x, y)]);
        cells.filter(|cell| is_faint(cell)).map(Cell::symbol).collect::<String>()
    };
    (0..buffer.area.height).map(row).filter(|letters| !letters.is_empty()).collect()
}

/// The contrast of two colours, from 1 to 21 (WCAG 2.2, relative luminance).
fn contrast(one: u32, other: u32) -> f64 {
    let luminance = |colour: u32| {
        let [_, red, green, blue] = colour.to_be_bytes();
        let linear = |value: u8| match f64::from(value) / 255.0 {
            low if low <= 0.04045 => low / 12.92,
            high => ((high + 0.055) / 1.055).powf(2.4),
        };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn contrast_is_that_of_the_guideline() {
    assert!((contrast(0, 0xffffff) - 21.0).abs() < 1e-9);
    // Figures of the guideline's own examples: 767676 is the lightest grey that passes on white.
    assert!(contrast(0x767676, 0xffffff) >= 4.5 && contrast(0x777777, 0xffffff) < 4.5);
}

fn drawn(text: &str, style: Style) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 6, 1));
    buffer.set_string(0, 0, text, style);
    svg(&buffer, None, &themes()[1], "a <b> & c")
}

#[test]
fn letters_have_places_and_wide_ones_take_two_cells() {
    let picture = drawn("a中b", Style::new().fg(Color::Indexed(25)).add_modifier(Modifier::BOLD));
    assert!(
        picture.contains("<text y=\"13\" fill=\"#005faf\" font-weight=\"700\" x=\"0 8 24\">a中b</text>"),
        "{picture}"
    );
    assert!(picture.contains("width=\"48\" height=\"17\""));
}

#[test]
fn nothing_becomes_markup() {
    let picture = drawn("<&>", Style::new());
    assert!(
        picture.contains(">&lt;&amp;&gt;</text>") && picture.contains("<title>a &lt;b&gt; &amp; c</title>")
    );
}

#[test]
fn lines_and_blocks_are_shapes_and_backgrounds_lie_below() {
    let picture = drawn("─▌x", Style::new().bg(Color::Rgb(1, 2, 3)));
    assert!(picture.contains("<path d=\"M4 8.5l4 0M4 8.5l-4 0\""), "{picture}");
    assert!(picture.contains("<rect x=\"8\" y=\"0\" width=\"4\" height=\"17\""), "{picture}");
    assert!(
        picture.contains("<rect x=\"0\" y=\"0\" width=\"24\" height=\"17\" fill=\"#010203\""),
        "{picture}"
    );
}

#[test]
fn colours_are_those_of_terminals() {
    assert_eq!(rgb(Some(Color::Indexed(196)), 0, 0), 0xff0000);
    assert_eq!(rgb(Some(Color::Indexed(244)), 0, 0), 0x808080);
    assert_eq!(rgb(Some(Color::Reset), 0, 0x123456), 0x123456);
    assert_eq!(mixed(0x000000, 0xffffff), 0x7f7f7f);
}
