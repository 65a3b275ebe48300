//! Writing a scene as PDF: one page of its size, with searchable text and the used letters embedded.

use std::collections::BTreeMap;

use pdf_writer::types::{CidFontType, FontFlags, LineCapStyle, LineJoinStyle, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str, TextStr};
use subsetter::GlyphRemapper;
use ttf_parser::{Face as Parsed, GlyphId, RawFace, Tag};

use super::outline::refuse_missing;
use super::{BASELINE, before, look};
use crate::{ColourRole, FigureText, Mark, PaperError, Scene, Typeface, advance, glyph};

/// The distance of a quarter circle's Bézier handles from its ends, as a share of the radius.
const HANDLE: f32 = 0.5523;

/// The numbers of the objects in the file.
const CATALOG: Ref = Ref::new(1);
const PAGES: Ref = Ref::new(2);
const PAGE: Ref = Ref::new(3);
const CONTENT: Ref = Ref::new(4);
const INFO: Ref = Ref::new(5);
/// The number of the first font's first object.
const FONTS: i32 = 6;

/// The objects of a font.
#[derive(Clone, Copy)]
struct FontRefs {
    type0: Ref,
    cid: Ref,
    descriptor: Ref,
    file: Ref,
    unicode: Ref,
}

impl FontRefs {
    /// The objects of the font with this number.
    fn of(number: usize) -> FontRefs {
        let at = |place: i32| Ref::new(FONTS + 5 * number as i32 + place);
        FontRefs { type0: at(0), cid: at(1), descriptor: at(2), file: at(3), unicode: at(4) }
    }
}

/// The glyphs of a face that a file uses.
struct FaceUsed {
    map: GlyphRemapper,
    /// Letters and old glyph numbers by new glyph number.
    used: BTreeMap<u16, (char, GlyphId)>,
}

impl FaceUsed {
    /// The name of the font on the page.
    fn name(number: usize) -> String {
        format!("F{number}")
    }
}

/// The bytes of a file with this scene; always the same for the same scene, typeface and title.
///
/// # Errors
/// The typeface lacks a letter, or cannot be embedded.
pub fn file(scene: &Scene, typeface: &Typeface, title: &str) -> Result<Vec<u8>, PaperError> {
    let scene = &typeface.shown(scene);
    refuse_missing(scene, typeface)?;
    let faces = typeface.parsed();
    let unused = || FaceUsed { map: GlyphRemapper::new(), used: BTreeMap::new() };
    let mut drawn = PdfPage {
        height: scene.height,
        faces: &faces,
        used: faces.iter().map(|_| unused()).collect(),
        out: Content::new(),
    };
    scene.marks.iter().for_each(|mark| drawn.mark(mark));
    // Faces without a used letter are not embedded.
    let is_used = |(at, own): (usize, &FaceUsed)| (!own.used.is_empty()).then_some(at);
    let embedded: Vec<usize> = drawn.used.iter().enumerate().filter_map(is_used).collect();
    let mut pdf = Pdf::new();
    // The version that the oldest pdfLaTeX in use takes without a warning.
    pdf.set_version(1, 5);
    pdf.catalog(CATALOG).pages(PAGES);
    pdf.document_info(INFO).title(TextStr(title)).creator(TextStr("haymark"));
    pdf.pages(PAGES).kids([PAGE]).count(1);
    let mut page = pdf.page(PAGE);
    page.media_box(Rect::new(0.0, 0.0, scene.width, scene.height)).parent(PAGES).contents(CONTENT);
    let mut resources = page.resources();
    let mut fonts = resources.fonts();
    for (number, face) in embedded.iter().enumerate() {
        fonts.pair(Name(FaceUsed::name(*face).as_bytes()), FontRefs::of(number).type0);
    }
    fonts.finish();
    resources.finish();
    page.finish();
    pdf.stream(CONTENT, &drawn.out.finish());
    for (number, at) in embedded.iter().enumerate() {
        let (Some(face), Some(parsed), Some(used)) =
            (typeface.faces().get(*at), faces.get(*at), drawn.used.get(*at))
        else {
            continue;
        };
        let (data, index) = face.data();
        let subset = subsetter::subset(data, index, &used.map).map_err(|_| PaperError::NotEmbeddable)?;
        embed(&mut pdf, (number, parsed), used, &subset).ok_or(PaperError::NotEmbeddable)?;
    }
    Ok(pdf.finish())
}

/// A page while it is drawn. PDF counts y from the bottom.
struct PdfPage<'f> {
    height: f32,
    faces: &'f [Parsed<'f>],
    /// The used glyphs, in the order of the faces.
    used: Vec<FaceUsed>,
    out: Content,
}

/// Red, green and blue from 0 to 1: `share` of the colour on white.
fn parts(role: ColourRole, share: f32) -> [f32; 3] {
    let (_, colour) = look(role);
    [16, 8, 0].map(|shift| 1.0 - share + share * ((colour >> shift & 0xff) as f32 / 255.0))
}

impl PdfPage<'_> {
    fn fill(&mut self, role: ColourRole, share: f32) {
        let [red, green, blue] = parts(role, share);
        self.out.set_fill_rgb(red, green, blue);
    }

    fn stroke(&mut self, role: ColourRole, width: f32) {
        let [red, green, blue] = parts(role, 1.0);
        self.out.set_stroke_rgb(red, green, blue);
        self.out.set_line_width(width);
    }

    fn mark(&mut self, mark: &Mark) {
        match mark {
            Mark::Line { points, role, width } => {
                self.stroke(*role, *width);
                self.out.set_line_cap(LineCapStyle::RoundCap).set_line_join(LineJoinStyle::RoundJoin);
                for (at, (x, y)) in points.iter().enumerate() {
                    let y = self.height - y;
                    if at == 0 {
                        self.out.move_to(*x, y);
                    } else {
                        self.out.line_to(*x, y);
                    }
                }
                self.out.stroke();
            }
            Mark::Rect { at: (x, y), size: (width, height), fill, stroke } => {
                let bottom = self.height - y - height;
                if let Some((role, share)) = fill {
                    self.fill(*role, *share);
                    self.out.rect(*x, bottom, *width, *height).fill_nonzero();
                }
                if let Some((role, line)) = stroke {
                    self.stroke(*role, *line);
                    self.out.rect(*x, bottom, *width, *height).stroke();
                }
            }
            Mark::Dot { at: (x, y), radius, fill, stroke } => {
                self.fill(*fill, 1.0);
                self.stroke(*stroke, 1.0);
                let (y, r, k) = (self.height - y, *radius, radius * HANDLE);
                self.out
                    .move_to(x + r, y)
                    .cubic_to(x + r, y + k, x + k, y + r, *x, y + r)
                    .cubic_to(x - k, y + r, x - r, y + k, x - r, y)
                    .cubic_to(x - r, y - k, x - k, y - r, *x, y - r)
                    .cubic_to(x + k, y - r, x + r, y - k, x + r, y)
                    .close_path()
                    .fill_nonzero_and_stroke();
            }
            Mark::Text(text) => self.text(text),
        }
    }

    fn text(&mut self, text: &FigureText) {
        let size = text.size.points();
        // Runs of letters of one face.
        let (mut runs, mut width): (Vec<(usize, Vec<u8>)>, f32) = (Vec::new(), 0.0);
        for letter in text.text.chars() {
            let Some((face, id)) = glyph(self.faces, letter) else { continue };
            let Some(own) = self.used.get_mut(face) else { continue };
            let new = own.map.remap(id.0);
            own.used.insert(new, (letter, id));
            match runs.last_mut() {
                Some((last, bytes)) if *last == face => bytes.extend(new.to_be_bytes()),
                _ => runs.push((face, new.to_be_bytes().to_vec())),
            }
            width += advance(self.faces, (face, id)) * size;
        }
        if runs.is_empty() {
            return;
        }
        let (sine, cosine) = text.turn.to_radians().sin_cos();
        // The text begins `along` its line before its place, and `down` on the baseline.
        let (along, down) = (-before(text.anchor, width), size * BASELINE);
        let (x, y) = (text.at.0, self.height - text.at.1);
        let place = (x + along * cosine + down * sine, y + along * sine - down * cosine);
        self.fill(text.role, 1.0);
        self.out.begin_text();
        self.out.set_text_matrix([cosine, sine, -sine, cosine, place.0, place.1]);
        for (face, bytes) in runs {
            self.out.set_font(Name(FaceUsed::name(face).as_bytes()), size).show(Str(&bytes));
        }
        self.out.end_text();
    }
}

/// Embeds a font with its used glyphs; `None` where the font has no table that can be embedded.
fn embed(pdf: &mut Pdf, (number, face): (usize, &Parsed<'_>), used: &FaceUsed, subset: &[u8]) -> Option<()> {
    let (refs, used) = (FontRefs::of(number), &used.used);
    let scale = 1000.0 / f32::from(face.units_per_em());
    let own = face.names().into_iter().find(|name| name.name_id == ttf_parser::name_id::POST_SCRIPT_NAME);
    let own = own.and_then(|name| name.to_string()).unwrap_or_else(|| "Font".to_owned());
    let own: String = own.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-').collect();
    // PDF marks a subset of a font by six letters, different for each.
    let tag = char::from(b'A' + u8::try_from(number).ok()?);
    let name = format!("AAAAA{tag}+{own}");
    let name = Name(name.as_bytes());
    let is_compact = face.tables().cff.is_some();
    pdf.type0_font(refs.type0)
        .base_font(name)
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(refs.cid)
        .to_unicode(refs.unicode);
    let system = |ordering: &'static [u8]| SystemInfo {
        registry: Str(b"Adobe"),
        ordering: Str(ordering),
        supplement: 0,
    };
    let mut cid = pdf.cid_font(refs.cid);
    cid.subtype(if is_compact { CidFontType::Type0 } else { CidFontType::Type2 })
        .base_font(name)
        .system_info(system(b"Identity"))
        .font_descriptor(refs.descriptor)
        .default_width(0.0);
    if !is_compact {
        cid.cid_to_gid_map_predefined(Name(b"Identity"));
    }
    let mut widths = cid.widths();
    for (new, (_, glyph)) in used {
        let advance = f32::from(face.glyph_hor_advance(*glyph).unwrap_or(0));
        widths.consecutive(*new, [advance * scale]);
    }
    widths.finish();
    cid.finish();
    let (bounds, height) = (face.global_bounding_box(), |units: i16| f32::from(units) * scale);
    let mut descriptor = pdf.font_descriptor(refs.descriptor);
    descriptor
        .name(name)
        .flags(FontFlags::NON_SYMBOLIC)
        .bbox(Rect::new(
            height(bounds.x_min),
            height(bounds.y_min),
            height(bounds.x_max),
            height(bounds.y_max),
        ))
        .italic_angle(0.0)
        .ascent(height(face.ascender()))
        .descent(height(face.descender()))
        .cap_height(height(face.capital_height().unwrap_or(face.ascender())))
        .stem_v(80.0);
    if is_compact {
        descriptor.font_file3(refs.file);
    } else {
        descriptor.font_file2(refs.file);
    }
    descriptor.finish();
    // Of an OpenType file with CFF outlines, only the CFF table is embedded: whole files need a later version of PDF.
    let file = match is_compact {
        true => RawFace::parse(subset, 0).ok()?.table(Tag::from_bytes(b"CFF "))?,
        false => subset,
    };
    let mut stream = pdf.stream(refs.file, file);
    if is_compact {
        stream.pair(Name(b"Subtype"), Name(b"CIDFontType0C"));
    } else {
        stream.pair(Name(b"Length1"), file.len() as i32);
    }
    stream.finish();
    let mut letters = UnicodeCmap::<u16>::new(Name(b"Custom"), system(b"UCS"));
    used.iter().for_each(|(new, (letter, _))| letters.pair(*new, *letter));
    pdf.stream(refs.unicode, &letters.finish());
    Some(())
}
