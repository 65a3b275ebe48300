//! The page of a figure: paper, measured in points, or a terminal, measured in cells. It gives layouts the sizes of things.

use std::borrow::Cow;

use super::{Anchor, ColourRole, Scene, TextSize, Typeface};
use graphemes::grapheme::graphemes;
use graphemes::width::{visible, width};

/// Points in a millimetre.
const POINTS: f32 = 72.0 / 25.4;

/// The distance of rows of text on paper, in points.
const ROW: f32 = 13.0;

/// Points on paper that make one column in a terminal.
const COLUMN: f32 = 5.0;

/// Paper or a terminal of some width.
#[derive(Clone, Copy)]
pub struct FigurePage<'f> {
    /// The width in units of the scene.
    pub width: f32,
    /// The typeface; `None` in a terminal.
    face: Option<&'f Typeface>,
}

/// The ends that are kept of a name that is too wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    Both,
    End,
    Beginning,
}

impl<'f> FigurePage<'f> {
    /// Paper of this width in millimetres, lettered in this face.
    pub fn paper(millimetres: f32, face: &'f Typeface) -> FigurePage<'f> {
        FigurePage { width: millimetres * POINTS, face: Some(face) }
    }

    /// A terminal of so many columns.
    pub fn cells(columns: usize) -> FigurePage<'static> {
        FigurePage { width: columns as f32, face: None }
    }

    pub fn is_cells(&self) -> bool {
        self.face.is_none()
    }

    /// The width of a text.
    pub fn width_of(&self, text: &str, size: TextSize) -> f32 {
        match self.face {
            Some(face) => face.width(text) * size.points(),
            None => width(text) as f32,
        }
    }

    /// The width of the widest of these texts.
    pub fn widest<'t>(&self, texts: impl IntoIterator<Item = &'t str>, size: TextSize) -> f32 {
        texts.into_iter().map(|text| self.width_of(text, size)).fold(0.0, f32::max)
    }

    /// A horizontal distance, given in points.
    pub fn gap(&self, points: f32) -> f32 {
        if self.is_cells() { (points / COLUMN).round().max(1.0) } else { points }
    }

    /// A vertical distance, given in rows of text; whole rows in a terminal.
    pub fn rows(&self, rows: f32) -> f32 {
        if self.is_cells() { rows.floor() } else { rows * ROW }
    }

    /// A text shortened in its middle to this width.
    pub fn fitted<'t>(&self, text: &'t str, size: TextSize, most: f32) -> Cow<'t, str> {
        self.fitted_around(text, size, most, Kept::Both)
    }

    /// A text shortened to this width; `kept` chooses the ends that stay.
    pub fn fitted_around<'t>(&self, text: &'t str, size: TextSize, most: f32, kept: Kept) -> Cow<'t, str> {
        let text = visible(text);
        if self.width_of(&text, size) <= most {
            return text;
        }
        let letters: Vec<char> = text.chars().collect();
        let shortened = |number: usize| {
            let (head, tail) = match kept {
                Kept::Both => (number.div_ceil(2), number / 2),
                Kept::End => (0, number),
                Kept::Beginning => (number, 0),
            };
            let (head, tail) = (letters.iter().take(head), letters.iter().skip(letters.len() - tail));
            head.chain(['…'].iter()).chain(tail).collect::<String>()
        };
        let fits = |number: &usize| self.width_of(&shortened(*number), size) <= most;
        Cow::Owned(shortened((1..letters.len()).rev().find(fits).unwrap_or(1)))
    }

    /// A name broken into lines of at most this width, with nothing cut: behind signs and blanks where that is enough, else
    /// within words.
    pub fn broken(&self, name: &str, size: TextSize, most: f32) -> Vec<String> {
        let fits = |text: &str| self.width_of(text.trim_end(), size) <= most;
        let mut lines = vec![String::new()];
        for word in visible(name).split_inclusive(|letter: char| !letter.is_alphanumeric()) {
            let letters = if fits(word) { vec![word] } else { graphemes(word).map(|(_, one)| one).collect() };
            for piece in letters {
                match lines.last_mut() {
                    Some(line) if line.is_empty() || fits(&format!("{line}{piece}")) => line.push_str(piece),
                    _ => lines.push(piece.to_owned()),
                }
            }
        }
        lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
    }

    /// Writes a small text below a drawing, around a centre or else from the left. `down` is how far the middle of its
    /// first line lies below.
    pub fn write_below(&self, scene: &mut Scene, text: &str, (centre, down): (Option<f32>, f32)) {
        for line in self.wrapped(text, TextSize::Note, self.width).into_iter().filter(|line| !line.is_empty())
        {
            let half = self.width_of(&line, TextSize::Note) / 2.0;
            let (x, anchor) = match centre {
                Some(centre) => (centre.max(half).min(self.width - half), Anchor::Middle),
                None => (0.0, Anchor::Start),
            };
            let at = (x, scene.height + down);
            scene.text(at, (TextSize::Note, ColourRole::Muted, anchor), line);
            scene.height += if self.is_cells() { 1.0 } else { 8.5 };
        }
    }

    /// A text wrapped at blanks into lines of this width; a longer word has a line of its own.
    pub fn wrapped(&self, text: &str, size: TextSize, most: f32) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split(' ') {
            match lines.last_mut() {
                Some(line) if self.width_of(&format!("{line} {word}"), size) <= most => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(word.to_owned()),
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_shortened_in_their_middle() {
        let page = FigurePage::cells(80);
        assert_eq!(page.fitted("claude3-opus", TextSize::Label, 12.0), "claude3-opus");
        assert_eq!(page.fitted("claude3-opus", TextSize::Label, 7.0), "cla…pus");
        assert_eq!(page.fitted("检索增强摘要", TextSize::Label, 7.0), "检索…要");
        assert_eq!(page.fitted("abc", TextSize::Label, 0.0), "a…");
    }

    #[test]
    fn headings_are_broken_behind_signs_and_never_cut() {
        let lines = |name, most| FigurePage::cells(80).broken(name, TextSize::Label, most).join("|");
        assert_eq!(lines("gpt-4o", 9.0), "gpt-4o");
        assert_eq!(lines("prompted_claude3-haiku", 9.0), "prompted_|claude3-|haiku");
        assert_eq!(lines("检索增强摘要系统", 7.0), "检索增|强摘要|系统");
        assert_eq!(lines("all people", 7.0), "all|people");
    }
}
