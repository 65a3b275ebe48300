//! Letters as outlines: each glyph is defined once, and texts use it.

use std::collections::BTreeMap;
use std::fmt::Write;

use ttf_parser::{Face as Parsed, GlyphId, OutlineBuilder};

use super::{BASELINE, before};
use crate::{FigureText, PaperError, Scene, Typeface, advance, glyph};

/// The glyphs of a scene.
pub struct Outlines<'f> {
    faces: Vec<Parsed<'f>>,
    /// The path of each glyph that has one, by its face.
    paths: BTreeMap<(usize, u16), String>,
}

/// The identifier of a glyph in the file.
fn name((face, id): (usize, u16)) -> String {
    if face == 0 { format!("g{id}") } else { format!("g{face}-{id}") }
}

impl<'f> Outlines<'f> {
    /// The outlines of all letters of a scene.
    ///
    /// # Errors
    /// The typeface lacks one of the letters.
    pub fn of(scene: &Scene, typeface: &'f Typeface) -> Result<Outlines<'f>, PaperError> {
        refuse_missing(scene, typeface)?;
        let faces = typeface.parsed();
        let mut paths = BTreeMap::new();
        for letter in scene.texts().flat_map(|text| text.text.chars()) {
            let Some((face, id)) = glyph(&faces, letter) else { continue };
            let mut path = Path(String::new());
            if faces.get(face).is_some_and(|own| own.outline_glyph(id, &mut path).is_some()) {
                paths.insert((face, id.0), path.0);
            }
        }
        Ok(Outlines { faces, paths })
    }

    /// The definitions of all glyphs.
    pub fn definitions(&self) -> String {
        let glyphs =
            self.paths.iter().map(|(id, path)| format!("<path id=\"{}\" d=\"{path}\"/>\n", name(*id)));
        format!("<defs>\n{}</defs>\n", glyphs.collect::<String>())
    }

    /// A text in a colour: a group for each run of letters in one face, because each face has its own units.
    pub fn text(&self, text: &FigureText, colour: &str) -> String {
        let size = text.size.points();
        let glyphs: Vec<(usize, GlyphId)> =
            text.text.chars().filter_map(|letter| glyph(&self.faces, letter)).collect();
        let wide =
            |run: &[(usize, GlyphId)]| run.iter().map(|one| advance(&self.faces, *one)).sum::<f32>() * size;
        let (left, top) = text.at;
        let turn = if text.turn == 0.0 { String::new() } else { format!(" rotate({})", -text.turn) };
        let mut start = -before(text.anchor, wide(&glyphs));
        let mut out = String::new();
        for run in glyphs.chunk_by(|one, next| one.0 == next.0) {
            let Some(face) = run.first().and_then(|(face, _)| self.faces.get(*face)) else { continue };
            let scale = size / f32::from(face.units_per_em());
            let (mut uses, mut x) = (String::new(), 0.0);
            for (at, id) in run {
                if self.paths.contains_key(&(*at, id.0)) {
                    let _ = write!(uses, "<use href=\"#{}\" x=\"{x}\"/>", name((*at, id.0)));
                }
                x += f32::from(face.glyph_hor_advance(*id).unwrap_or(0));
            }
            let _ = writeln!(
                out,
                "<g fill=\"{colour}\" transform=\"translate({left:.2} {top:.2}){turn} translate({start:.2} {:.2}) \
                 scale({scale:.6} -{scale:.6})\">{uses}</g>",
                size * BASELINE
            );
            start += wide(run);
        }
        out
    }
}

/// Refuses letters that would be drawn as boxes.
///
/// # Errors
/// The typeface lacks one of the scene's letters.
pub fn refuse_missing(scene: &Scene, typeface: &Typeface) -> Result<(), PaperError> {
    let missing = typeface.missing(scene);
    if missing.is_empty() { Ok(()) } else { Err(PaperError::Missing(missing)) }
}

/// A path in the units of its face.
struct Path(String);

impl Path {
    /// Adds a command with its numbers; writing into a string cannot fail.
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
