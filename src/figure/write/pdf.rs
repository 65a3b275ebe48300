//! PDF: one page of the scene's size, with the letters that it uses embedded as text that can be searched.

use std::collections::BTreeMap;

use pdf_writer::types::{CidFontType, FontFlags, LineCapStyle, LineJoinStyle, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str, TextStr};
use subsetter::GlyphRemapper;
use ttf_parser::{Face as Parsed, GlyphId};

use super::outline::refuse_missing;
use super::{BASELINE, PRINTED, before, colour};
use crate::error::{Error, Result};
use crate::figure::face::Face;
use crate::figure::scene::{ColourRole, FigureText, Mark, Scene};
use crate::number::signed_short;

/// The name under which the page knows its font.
const FONT: Name<'static> = Name(b"F");

/// How far the handles of a quarter of a circle lie from its ends, as a share of the radius.
const HANDLE: f32 = 0.5523;

/// What stands where in the file.
const CATALOG: Ref = Ref::new(1);
const PAGES: Ref = Ref::new(2);
const PAGE: Ref = Ref::new(3);
const CONTENT: Ref = Ref::new(4);
const TYPE0: Ref = Ref::new(5);
const CID: Ref = Ref::new(6);
const DESCRIPTOR: Ref = Ref::new(7);
const FILE: Ref = Ref::new(8);
const UNICODE: Ref = Ref::new(9);
const INFO: Ref = Ref::new(10);

/// The glyphs that a file uses: their new numbers, with their letters and old ones.
type Used = BTreeMap<u16, (char, GlyphId)>;

/// The bytes of a file with this scene; always the same for the same scene, face and title.
///
/// # Errors
/// The face lacks a letter, or cannot be embedded.
pub fn file(scene: &Scene, face: &Face, title: &str) -> Result<Vec<u8>> {
    refuse_missing(scene, face)?;
    let broken = || Error::new("this font cannot be embedded").advise("name another with --font");
    let parsed = face.parsed().ok_or_else(broken)?;
    let mut drawn = PdfPage {
        height: scene.height,
        face: &parsed,
        map: GlyphRemapper::new(),
        used: Used::new(),
        out: Content::new(),
    };
    scene.marks.iter().for_each(|mark| drawn.mark(mark));
    let subset = subsetter::subset(face.data(), 0, &drawn.map).map_err(|_| broken())?;
    let mut pdf = Pdf::new();
    // What the oldest pdfLaTeX in use takes without a warning.
    pdf.set_version(1, 5);
    pdf.catalog(CATALOG).pages(PAGES);
    pdf.document_info(INFO).title(TextStr(title)).creator(TextStr("haymark"));
    pdf.pages(PAGES).kids([PAGE]).count(1);
    let mut page = pdf.page(PAGE);
    page.media_box(Rect::new(0.0, 0.0, scene.width, scene.height)).parent(PAGES).contents(CONTENT);
    page.resources().fonts().pair(FONT, TYPE0);
    page.finish();
    pdf.stream(CONTENT, &drawn.out.finish());
    embed(&mut pdf, &parsed, &drawn.used, &subset);
    Ok(pdf.finish())
}

/// A page while it is drawn. PDF counts from the bottom.
struct PdfPage<'f> {
    height: f32,
    face: &'f Parsed<'f>,
    map: GlyphRemapper,
    used: Used,
    out: Content,
}

/// The parts of a colour from 0 to 1, mixed with so much of white.
fn parts(role: ColourRole, share: f32) -> [f32; 3] {
    let colour = colour(&PRINTED, role);
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
        let (size, em) = (text.size.points(), f32::from(self.face.units_per_em()));
        let (mut bytes, mut width) = (Vec::new(), 0.0);
        for letter in text.text.chars() {
            let Some(glyph) = self.face.glyph_index(letter) else { continue };
            let new = self.map.remap(glyph.0);
            self.used.insert(new, (letter, glyph));
            bytes.extend(new.to_be_bytes());
            width += f32::from(self.face.glyph_hor_advance(glyph).unwrap_or(0)) / em * size;
        }
        let (sine, cosine) = text.turn.to_radians().sin_cos();
        // From the place back along the line, and down to the baseline.
        let (along, down) = (-before(text.anchor, width), size * BASELINE);
        let (x, y) = (text.at.0, self.height - text.at.1);
        let place = (x + along * cosine + down * sine, y + along * sine - down * cosine);
        self.fill(text.role, 1.0);
        self.out.begin_text().set_font(FONT, size);
        self.out.set_text_matrix([cosine, sine, -sine, cosine, place.0, place.1]);
        self.out.show(Str(&bytes)).end_text();
    }
}

/// Writes the font with the glyphs that are used.
fn embed(pdf: &mut Pdf, face: &Parsed<'_>, used: &Used, subset: &[u8]) {
    let scale = 1000.0 / f32::from(face.units_per_em());
    let own = face.names().into_iter().find(|name| name.name_id == ttf_parser::name_id::POST_SCRIPT_NAME);
    let own = own.and_then(|name| name.to_string()).unwrap_or_else(|| "Font".to_owned());
    let own: String = own.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-').collect();
    let name = format!("AAAAAA+{own}");
    let name = Name(name.as_bytes());
    let is_compact = face.tables().cff.is_some();
    pdf.type0_font(TYPE0)
        .base_font(name)
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(CID)
        .to_unicode(UNICODE);
    let system = |ordering: &'static [u8]| SystemInfo {
        registry: Str(b"Adobe"),
        ordering: Str(ordering),
        supplement: 0,
    };
    let mut cid = pdf.cid_font(CID);
    cid.subtype(if is_compact { CidFontType::Type0 } else { CidFontType::Type2 })
        .base_font(name)
        .system_info(system(b"Identity"))
        .font_descriptor(DESCRIPTOR)
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
    let mut descriptor = pdf.font_descriptor(DESCRIPTOR);
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
        descriptor.font_file3(FILE);
    } else {
        descriptor.font_file2(FILE);
    }
    descriptor.finish();
    let mut stream = pdf.stream(FILE, subset);
    if is_compact {
        stream.pair(Name(b"Subtype"), Name(b"CIDFontType0C"));
    } else {
        stream.pair(Name(b"Length1"), signed_short(subset.len()));
    }
    stream.finish();
    let mut letters = UnicodeCmap::<u16>::new(Name(b"Custom"), system(b"UCS"));
    used.iter().for_each(|(new, (letter, _))| letters.pair(*new, *letter));
    pdf.stream(UNICODE, &letters.finish());
}
