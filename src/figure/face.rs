//! The typeface of figures: how wide texts are, and which letters it lacks.

use std::borrow::Cow;
use std::collections::BTreeSet;

use ttf_parser::{Face as Parsed, GlyphId};
use unicode_width::UnicodeWidthChar;

use super::scene::Scene;
use crate::error::{Error, Result};

/// Open Sans, for Latin, Greek and Cyrillic letters: `assets/fonts/README.md`.
const BUNDLED: &[u8] = include_bytes!("../../assets/fonts/open_sans.ttf");

/// A typeface, of a collection the first.
pub struct Face {
    data: Cow<'static, [u8]>,
}

impl Face {
    /// The face that comes with the program.
    pub fn bundled() -> Face {
        Face { data: Cow::Borrowed(BUNDLED) }
    }

    /// The face in the bytes of a file: TrueType or OpenType.
    ///
    /// # Errors
    /// They are none.
    pub fn read(bytes: Vec<u8>) -> Result<Face> {
        match Parsed::parse(&bytes, 0) {
            Ok(_) => Ok(Face { data: Cow::Owned(bytes) }),
            Err(_) => Err(Error::new("this is no font").advise("name a TrueType or OpenType file")),
        }
    }

    /// The bytes of the file.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// The tables of the file; `None` only for bytes that were refused when they were read.
    pub fn parsed(&self) -> Option<Parsed<'_>> {
        Parsed::parse(&self.data, 0).ok()
    }

    /// How wide a text is at a size of 1. What the face lacks is as wide as another would have it.
    pub fn width(&self, text: &str) -> f32 {
        let Some(face) = self.parsed() else { return 0.0 };
        let em = f32::from(face.units_per_em());
        let advance = |letter: char| match face.glyph_index(letter).and_then(|id| face.glyph_hor_advance(id))
        {
            Some(advance) => f32::from(advance) / em,
            None if letter.width() == Some(2) => 1.0,
            None if letter.width() == Some(0) => 0.0,
            None => 0.6,
        };
        text.chars().map(advance).sum()
    }

    /// The letters of a scene that the face lacks, each once.
    pub fn missing(&self, scene: &Scene) -> BTreeSet<char> {
        let face = self.parsed();
        let has = |letter: &char| {
            let glyph = face.as_ref().and_then(|face| face.glyph_index(*letter));
            glyph.is_some_and(|glyph| glyph != GlyphId(0))
        };
        scene.texts().flat_map(|text| text.text.chars()).filter(|letter| !has(letter)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::scene::{Anchor, ColourRole, TextSize};

    #[test]
    fn widths_are_those_of_the_face_and_digits_are_all_as_wide() {
        let face = Face::bundled();
        // Open Sans has 2048 units an em; every digit is 1171 of them wide.
        for digit in "0123456789".chars() {
            assert!((face.width(&digit.to_string()) - 1171.0 / 2048.0).abs() < 1e-6, "{digit}");
        }
        assert!((face.width("中文") - 2.0).abs() < 1e-6);
    }

    #[test]
    fn missing_letters_are_named_once() {
        let mut scene = Scene::new(10.0, 10.0);
        for text in ["a−κ–·…", "系统甲", "系统 B"] {
            scene.text((0.0, 0.0), (TextSize::Label, ColourRole::Ink, Anchor::Start), text);
        }
        assert_eq!(Face::bundled().missing(&scene).into_iter().collect::<String>(), "甲系统");
    }

    #[test]
    fn what_is_no_font_is_refused() {
        assert!(Face::read(b"no font".to_vec()).is_err());
    }
}
