//! Letters as outlines: each glyph once, and texts that use them.

use std::collections::BTreeMap;
use std::fmt::Write;

use ttf_parser::{Face as Parsed, GlyphId, OutlineBuilder};

use super::{BASELINE, before};
use crate::error::{Error, Result};
use crate::figure::face::Face;
use crate::figure::scene::{FigureText, Scene};

/// The glyphs of a scene.
pub struct Outlines<'f> {
    face: Parsed<'f>,
    /// The path of each glyph that has one.
    paths: BTreeMap<u16, String>,
}

impl<'f> Outlines<'f> {
    /// The outlines of all letters of a scene.
    ///
    /// # Errors
    /// The face lacks one of them.
    pub fn of(scene: &Scene, face: &'f Face) -> Result<Outlines<'f>> {
        refuse_missing(scene, face)?;
        let Some(parsed) = face.parsed() else { return Err(Error::new("this is no font")) };
        let mut paths = BTreeMap::new();
        for letter in scene.texts().flat_map(|text| text.text.chars()) {
            let Some(glyph) = parsed.glyph_index(letter) else { continue };
            let mut path = Path(String::new());
            if parsed.outline_glyph(glyph, &mut path).is_some() {
                paths.insert(glyph.0, path.0);
            }
        }
        Ok(Outlines { face: parsed, paths })
    }

    /// All glyphs, to be used by their names.
    pub fn definitions(&self) -> String {
        let glyphs = self.paths.iter().map(|(id, path)| format!("<path id=\"g{id}\" d=\"{path}\"/>\n"));
        format!("<defs>\n{}</defs>\n", glyphs.collect::<String>())
    }

    /// A text of these glyphs in a colour.
    pub fn text(&self, text: &FigureText, colour: &str) -> String {
        let scale = text.size.points() / f32::from(self.face.units_per_em());
        let mut uses = String::new();
        let mut x = 0.0;
        for glyph in text.text.chars().filter_map(|letter| self.face.glyph_index(letter)) {
            if self.paths.contains_key(&glyph.0) {
                let _ = write!(uses, "<use href=\"#g{}\" x=\"{x}\"/>", glyph.0);
            }
            x += self.advance(glyph);
        }
        let (left, top) = text.at;
        let turn = if text.turn == 0.0 { String::new() } else { format!(" rotate({})", -text.turn) };
        let start = -before(text.anchor, x * scale);
        format!(
            "<g fill=\"{colour}\" transform=\"translate({left:.2} {top:.2}){turn} translate({start:.2} {:.2}) \
             scale({scale:.6} -{scale:.6})\">{uses}</g>\n",
            text.size.points() * BASELINE
        )
    }

    fn advance(&self, glyph: GlyphId) -> f32 {
        f32::from(self.face.glyph_hor_advance(glyph).unwrap_or(0))
    }
}

/// Refuses letters that would be drawn as boxes.
///
/// # Errors
/// The face lacks one of the scene's letters.
pub fn refuse_missing(scene: &Scene, face: &Face) -> Result<()> {
    /// How many letters are named.
    const NAMED: usize = 12;
    let missing = face.missing(scene);
    if missing.is_empty() {
        return Ok(());
    }
    let more = if missing.len() > NAMED { " …" } else { "" };
    let named: Vec<String> = missing.iter().take(NAMED).map(char::to_string).collect();
    Err(Error::new(format!("the typeface lacks {}{more}", named.join(" "))).advise(
        "name a font that has them, such as --font /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    ))
}

/// A path in the units of its face.
struct Path(String);

impl Path {
    /// Adds a command with its numbers. Writing into a string cannot fail.
    fn push(&mut self, command: char, numbers: &[f32]) {
        self.0.push(command);
        for (at, number) in numbers.iter().enumerate() {
            let _ = write!(self.0, "{}{number}", if at == 0 { "" } else { " " });
        }
    }
}

impl OutlineBuilder for Path {
    fn move_to(&mut self, x: f32, y: f32) {
        self.push('M', &[x, y]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.push('L', &[x, y]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.push('Q', &[x1, y1, x, y]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.push('C', &[x1, y1, x2, y2, x, y]);
    }

    fn close(&mut self) {
        self.0.push('Z');
    }
}
