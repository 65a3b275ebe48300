//! The typeface of figures: widths of texts, and letters that have no glyph.

use std::borrow::Cow;
use std::collections::BTreeSet;

use ttf_parser::{Face as Parsed, GlyphId};
use unicode_width::UnicodeWidthChar;

use super::{Mark, Scene};
use crate::PaperError;
use graphemes::width::visible;

/// Open Sans, for Latin, Greek and Cyrillic letters: `fonts/README.md`.
const BUNDLED: &[u8] = include_bytes!("../fonts/open_sans.ttf");

/// A font from a file.
pub struct Face {
    data: Cow<'static, [u8]>,
    /// The place of the face in a font collection.
    index: u32,
}

impl Face {
    /// Reads a TrueType or OpenType file. `place` chooses the face of a collection, counted from 0; without it, the face for the
    /// language of `letters` is taken, else the first.
    ///
    /// # Errors
    /// The bytes are no font, or there is no such place.
    pub fn read(bytes: Vec<u8>, place: Option<u32>, letters: &BTreeSet<char>) -> Result<Face, PaperError> {
        let count = ttf_parser::fonts_in_collection(&bytes).unwrap_or(1);
        let families: Vec<String> =
            (0..count).map_while(|at| Parsed::parse(&bytes, at).ok()).map(|face| family(&face)).collect();
        if families.is_empty() {
            return Err(PaperError::NoFont);
        }
        let languages = language(letters);
        let is_own = |family: &String| family.split(' ').any(|word| languages.contains(&word));
        let index = place
            .unwrap_or_else(|| (0..).zip(&families).find(|(_, own)| is_own(own)).map_or(0, |(at, _)| at));
        if index as usize >= families.len() {
            return Err(PaperError::NoFace { place: index, faces: families });
        }
        Ok(Face { data: Cow::Owned(bytes), index })
    }

    /// The bytes of the file, and the place of the face in it.
    pub fn data(&self) -> (&[u8], u32) {
        (&self.data, self.index)
    }

    /// The tables of the file; never `None`, since [`Face::read`] refuses such bytes.
    pub fn parsed(&self) -> Option<Parsed<'_>> {
        Parsed::parse(&self.data, self.index).ok()
    }
}

fn family(face: &Parsed<'_>) -> String {
    let names = face.names().into_iter().filter(|name| name.name_id == ttf_parser::name_id::FAMILY);
    names.filter_map(|name| name.to_string()).next().unwrap_or_default()
}

/// Letters of traditional Chinese alone.
const TRADITIONAL: &str = "們個來時為國說這對會學麼點過發樣經現開關問間題無東車長門見頭電話書機愛師讓記給應實從兩樂種氣號變體單統結準檢強彙圖數據庫檔網頁標題統計語義評測資訊";

/// The words in the names of faces of a collection that mark the language of these letters.
fn language(letters: &BTreeSet<char>) -> &'static [&'static str] {
    let any = |is_own: &dyn Fn(char) -> bool| letters.iter().any(|letter| is_own(*letter));
    if any(&|letter| ('\u{3040}'..='\u{30ff}').contains(&letter)) {
        &["JP", "J"]
    } else if any(&|letter| ('\u{ac00}'..='\u{d7a3}').contains(&letter)) {
        &["KR", "K"]
    } else if any(&|letter| ('\u{3100}'..='\u{312f}').contains(&letter) || TRADITIONAL.contains(letter)) {
        &["TC", "TW", "HK"]
    } else {
        &["SC", "CN"]
    }
}

/// The faces of figures: a letter is set in the first face that has it.
pub struct Typeface {
    faces: Vec<Face>,
}

impl Typeface {
    /// The face that comes with the crate.
    pub fn bundled() -> Typeface {
        Typeface { faces: vec![Face { data: Cow::Borrowed(BUNDLED), index: 0 }] }
    }

    /// The bundled face, and another for the letters that it lacks.
    pub fn filled_by(face: Face) -> Typeface {
        let mut typeface = Typeface::bundled();
        typeface.faces.push(face);
        typeface
    }

    /// Another face for all letters.
    pub fn of(face: Face) -> Typeface {
        Typeface { faces: vec![face] }
    }

    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// The tables of all faces.
    pub fn parsed(&self) -> Vec<Parsed<'_>> {
        self.faces.iter().filter_map(Face::parsed).collect()
    }

    /// The width of a text at a size of 1. A letter that no face has gets a usual width.
    pub fn width(&self, text: &str) -> f32 {
        let faces = self.parsed();
        let advance = |letter: char| match glyph(&faces, letter) {
            Some((face, id)) => advance(&faces, (face, id)),
            None if letter.width() == Some(2) => 1.0,
            None if letter.width() == Some(0) => 0.0,
            None => 0.6,
        };
        text.chars().map(advance).sum()
    }

    /// The letters of a scene that no face has, each once.
    pub fn missing(&self, scene: &Scene) -> BTreeSet<char> {
        let faces = self.parsed();
        let letters = scene.texts().flat_map(|text| text.text.chars());
        letters.filter(|letter| glyph(&faces, *letter).is_none()).collect()
    }

    /// The scene with texts as they are shown. Few faces have the pictures of control characters such as `␉`: where they are
    /// missing, a tab or a line's end becomes a blank, any other a dot.
    pub fn shown(&self, scene: &Scene) -> Scene {
        let faces = self.parsed();
        let has = |sign: char| glyph(&faces, sign).is_some();
        let spelled = |sign: char| match sign {
            '␉'..='␍' if !has(sign) => ' ',
            '␀'..='␡' | '\u{fffd}' if !has(sign) => '·',
            _ => sign,
        };
        let mut scene = scene.clone();
        for mark in &mut scene.marks {
            if let Mark::Text(text) = mark {
                text.text = visible(&text.text).chars().map(spelled).collect();
            }
        }
        scene
    }
}

/// The first face that has a letter, and its glyph.
pub fn glyph(faces: &[Parsed<'_>], letter: char) -> Option<(usize, GlyphId)> {
    let own = |face: &Parsed<'_>| face.glyph_index(letter).filter(|glyph| *glyph != GlyphId(0));
    faces.iter().enumerate().find_map(|(at, face)| Some((at, own(face)?)))
}

/// The width of a glyph at a size of 1.
pub fn advance(faces: &[Parsed<'_>], (face, glyph): (usize, GlyphId)) -> f32 {
    faces.get(face).map_or(0.0, |face| {
        f32::from(face.glyph_hor_advance(glyph).unwrap_or(0)) / f32::from(face.units_per_em())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Anchor, ColourRole, TextSize};

    #[test]
    fn widths_are_those_of_the_face_and_digits_are_all_as_wide() {
        let face = Typeface::bundled();
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
        assert_eq!(Typeface::bundled().missing(&scene).into_iter().collect::<String>(), "甲系统");
    }

    #[test]
    fn signs_without_a_shape_stop_no_figure() {
        let mut scene = Scene::new(10.0, 10.0);
        let text = "a\r\nb\tc\u{1b}[2J\u{202e}d\u{200b}";
        scene.text((0.0, 0.0), (TextSize::Label, ColourRole::Ink, Anchor::Start), text);
        let shown = Typeface::bundled().shown(&scene);
        let text: String = shown.texts().map(|text| text.text.as_str()).collect();
        assert!(text.starts_with("a b    c·[2J") && text.ends_with('d'), "{text:?}");
        assert!(Typeface::bundled().missing(&shown).is_empty());
    }

    #[test]
    fn what_is_no_font_is_refused() {
        let read = |bytes: &[u8], place| Face::read(bytes.to_vec(), place, &BTreeSet::new()).err();
        assert_eq!(read(b"no font", None), Some(PaperError::NoFont));
        let faces = vec!["Open Sans".to_owned()];
        assert_eq!(read(BUNDLED, Some(1)), Some(PaperError::NoFace { place: 1, faces }));
    }

    #[test]
    fn letters_say_their_language() {
        let told = |text: &str| language(&text.chars().collect())[0];
        assert_eq!(
            ["检索增强", "檢索增強", "検索モデル", "검색 모델", "小模型"].map(told),
            ["SC", "TC", "JP", "KR", "SC"]
        );
    }
}
