//! A grid of numbers, each on a shade of its size.

use super::{FigureForm, NAMES, NamesShown};
use crate::{Anchor, ColourRole, FigurePage, Scene, TextSize};

/// A field of a grid.
#[derive(Debug, Clone, Default)]
pub struct Shaded {
    pub text: String,
    /// A smaller text below, where there is room.
    pub note: String,
    /// The strength of the shade, from 0 to 1; `None` without a number.
    pub share: Option<f64>,
    /// Whether the shade has the second hue, as for numbers below 0.
    pub is_other: bool,
    pub is_framed: bool,
}

#[derive(Debug, Clone, Default)]
pub struct Grid {
    /// The titles of the rows and of the columns.
    pub titles: [String; 2],
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    /// The fields, row by row.
    pub fields: Vec<Vec<Shaded>>,
    /// Sums or means outside the grid: their name, then one for each row, and one for each column.
    pub outside: Option<(String, Vec<String>, Vec<String>)>,
    /// The text below the grid; `note_foot` is added where the notes are drawn.
    pub foot: String,
    pub note_foot: String,
}

/// The faintest and the strongest shade; text is readable on both.
const SHADES: (f64, f64) = (0.04, 0.46);

/// The widest field, in points.
const WIDEST: f32 = 64.0;

/// Headings wider than this are broken in a terminal, in columns.
const CELLS: f32 = 6.0;

/// The most lines of a heading in a terminal.
const LINES: f32 = 3.0;

/// How far a text turned by 45 degrees reaches across and up, as a share of its length.
pub const SLOPE: f32 = 0.71;

/// The greatest length of turned headings, as a share of the page's width.
const HEADINGS: f32 = 0.35;

/// The least distance of turned headings that do not overlap, in points.
const TURNED: f32 = 10.0;

/// The widths of the parts of a grid on a page.
struct GridMeasures {
    names: NamesShown,
    headings: NamesShown,
    /// The left edge of the fields, behind the rows' title and names.
    left: f32,
    /// The width of the sums or means outside, with the room before them.
    outside: f32,
    field: f32,
    is_flat: bool,
    /// How many columns fit with a number in every field.
    fitting: usize,
}

impl Grid {
    fn fields(&self) -> impl Iterator<Item = &Shaded> {
        self.fields.iter().flatten()
    }

    fn row_title(&self, page: &FigurePage<'_>) -> f32 {
        if self.titles[0].is_empty() || page.is_cells() { 0.0 } else { 11.0 }
    }

    fn measures(&self, page: &FigurePage<'_>) -> GridMeasures {
        let is_cells = page.is_cells();
        let (rows, columns) = (self.rows.iter().map(String::as_str), self.columns.iter().map(String::as_str));
        let names = NamesShown::of(page, rows, TextSize::Label, page.width * NAMES);
        let left = self.row_title(page) + names.width + page.gap(6.0);
        let outside = self.outside.as_ref().map_or(0.0, |(name, rows, _)| {
            page.widest(rows.iter().chain([name]).map(String::as_str), TextSize::Note) + page.gap(6.0)
        });
        let count = self.columns.len().max(1) as f32;
        let room = page.width - left - outside;
        let field = (room / count).min(page.gap(WIDEST));
        let numbers = page.widest(self.fields().map(|one| one.text.as_str()), TextSize::Note);
        if is_cells {
            let framed = if self.fields().any(|one| one.is_framed) { 2.0 } else { 0.0 };
            let widest = page.widest(columns.clone(), TextSize::Label);
            let headings = NamesShown { width: widest, ..NamesShown::default() };
            // Headings longer than CELLS get several lines.
            let least = (numbers + framed).max(widest.min(CELLS)) + 1.0;
            let field = field.min((numbers + framed).max(widest) + 1.0).floor().max(least);
            let fitting = (room / least).floor().max(1.0) as usize;
            return GridMeasures { names, headings, left, outside, field, is_flat: true, fitting };
        }
        let is_flat = page.widest(columns.clone(), TextSize::Label) + page.gap(4.0) <= field;
        let headings = NamesShown::of(page, columns, TextSize::Label, page.width * HEADINGS);
        // Turned headings hang over the last column.
        let hanging = if is_flat { 0.0 } else { headings.width * SLOPE + 2.0 - outside };
        let least = (numbers + page.gap(2.0)).max(if is_flat { 0.0 } else { TURNED });
        let fitting = (room / least).min((room - hanging) / least + 0.5).floor().max(1.0) as usize;
        let field = field.min((room - hanging) / (count - 0.5));
        GridMeasures { names, headings, left, outside, field, is_flat, fitting }
    }

    /// Splits the grid into parts of so many columns, each with the rows that are not empty there.
    fn parts(&self, columns: usize) -> Vec<Grid> {
        let starts = (0..self.columns.len()).step_by(columns);
        let part = |start: usize| {
            let is_last = start + columns >= self.columns.len();
            let own = |texts: &[String]| texts.iter().skip(start).take(columns).cloned().collect();
            let fields =
                self.fields.iter().map(|row| row.iter().skip(start).take(columns).cloned().collect());
            let rows = self.rows.iter().cloned().zip(fields);
            let rows = rows.filter(|(_, row): &(_, Vec<Shaded>)| row.iter().any(|one| !one.text.is_empty()));
            let (rows, fields) = rows.unzip();
            let outside = self.outside.as_ref().map(|(name, rows, columns)| {
                let rows = if is_last { rows.clone() } else { Vec::new() };
                (name.clone(), rows, own(columns))
            });
            let foot = |text: &str| if is_last { text.to_owned() } else { String::new() };
            Grid {
                titles: self.titles.clone(),
                rows,
                columns: own(&self.columns),
                fields,
                outside,
                foot: foot(&self.foot),
                note_foot: foot(&self.note_foot),
            }
        };
        starts.map(part).collect()
    }

    /// The size of the numbers in fields of this width, and whether the smaller notes have room below them.
    fn lettering(&self, page: &FigurePage<'_>, field: f32) -> (TextSize, bool) {
        let fits = |text: fn(&Shaded) -> &str, size| {
            page.widest(self.fields().map(text), size) + page.gap(2.0) <= field || page.is_cells()
        };
        let mut sizes = [TextSize::Count, TextSize::Label].into_iter();
        let size = sizes.find(|size| fits(|one| &one.text, *size));
        let has_notes =
            self.fields().any(|one| !one.note.is_empty()) && fits(|one| &one.note, TextSize::Note);
        (size.unwrap_or(TextSize::Note), has_notes && size.is_some() && !page.is_cells())
    }

    /// Draws the grid without splitting it.
    fn whole(&self, page: &FigurePage<'_>, measures: &GridMeasures, lettering: (TextSize, bool)) -> Scene {
        let (is_cells, has_notes) = (page.is_cells(), lettering.1);
        let height = match (is_cells, has_notes) {
            (true, _) => 1.0,
            (false, true) => 26.0,
            (false, false) => 17.0,
        };
        let mut scene = Scene::new(page.width, 0.0);
        let top = self.draw_heads(&mut scene, page, measures);
        let row_title = self.row_title(page);
        if row_title > 0.0 {
            let middle = top + height * self.rows.len() as f32 / 2.0;
            let title = page.fitted(&self.titles[0], TextSize::Note, height * self.rows.len() as f32);
            scene.turned((4.0, middle), (TextSize::Note, ColourRole::Muted, Anchor::Middle), 90.0, title);
        }
        self.draw_fields(&mut scene, page, measures, lettering, (top, height));
        scene.height = self.draw_outside(&mut scene, page, measures, (top, height));
        let foot = match has_notes && !self.note_foot.is_empty() {
            true => format!("{}; {}", self.foot, self.note_foot),
            false => self.foot.clone(),
        };
        page.write_below(&mut scene, &foot, (None, page.rows(1.0) * 0.5));
        scene.height += if is_cells { 0.0 } else { 4.0 };
        scene
    }

    /// Draws the title and the names of the columns; returns where the fields begin.
    fn draw_heads(&self, scene: &mut Scene, page: &FigurePage<'_>, measures: &GridMeasures) -> f32 {
        let GridMeasures { headings, left, field, is_flat, .. } = measures;
        let (left, field, is_flat) = (*left, *field, *is_flat);
        let line = page.rows(1.0);
        let mut top = 0.0;
        if !self.titles[1].is_empty() {
            let title = match (page.is_cells(), self.titles[0].is_empty()) {
                (true, false) => format!("{} ↓  {} →", self.titles[0], self.titles[1]),
                _ => self.titles[1].clone(),
            };
            let half = page.width_of(&title, TextSize::Note) / 2.0;
            let grid = field * self.columns.len() as f32;
            let centre = (left + grid / 2.0).max(half).min(page.width - half);
            scene.text((centre, line / 2.0), (TextSize::Note, ColourRole::Muted, Anchor::Middle), title);
            top += line;
        }
        let broken = |name: &String| {
            let name = page.fitted(name, TextSize::Label, (field - 1.0) * LINES);
            page.broken(&name, TextSize::Label, field - 1.0)
        };
        let heads: Vec<Vec<String>> = match is_flat {
            true => self.columns.iter().map(broken).collect(),
            false => self.columns.iter().map(|name| vec![headings.shown(name).to_owned()]).collect(),
        };
        let lines = heads.iter().map(Vec::len).max().unwrap_or(1) as f32;
        top += if is_flat { line * lines } else { headings.width * SLOPE + 7.0 };
        for (at, head) in heads.iter().enumerate() {
            let x = left + field * (at as f32 + 0.5);
            for (back, name) in head.iter().rev().enumerate() {
                let y = top - line * (back as f32 + 0.5);
                let style = |anchor| (TextSize::Label, ColourRole::Ink, anchor);
                match is_flat {
                    true => scene.text((x, y), style(Anchor::Middle), name.clone()),
                    false => scene.turned((x, top - 5.0), style(Anchor::Start), 45.0, name.clone()),
                }
            }
        }
        top
    }

    /// Draws the rows: their names, and their fields with numbers and notes.
    fn draw_fields(
        &self,
        scene: &mut Scene,
        page: &FigurePage<'_>,
        GridMeasures { names, left, field, .. }: &GridMeasures,
        (size, has_notes): (TextSize, bool),
        (top, height): (f32, f32),
    ) {
        let is_cells = page.is_cells();
        let edge = names_edge(page, *left);
        let rim = if is_cells { 0.0 } else { 0.75 };
        for (at, (name, fields)) in self.rows.iter().zip(&self.fields).enumerate() {
            let y = top + height * at as f32;
            let middle = y + height / 2.0;
            scene.text((edge.0, middle), (TextSize::Label, ColourRole::Ink, edge.1), names.shown(name));
            for (column, one) in fields.iter().enumerate() {
                let x = left + field * column as f32;
                let role = if one.is_other { ColourRole::B } else { ColourRole::A };
                let shade = one.share.map(|share| (SHADES.0 + SHADES.1 * share.clamp(0.0, 1.0)) as f32);
                scene.rect(
                    (x + rim, y + rim),
                    (field - 2.0 * rim, height - 2.0 * rim),
                    shade.map(|shade| (role, shade)),
                    one.is_framed.then_some((ColourRole::Ink, 1.0)),
                );
                let has_note = has_notes && !one.note.is_empty();
                let up = if has_note { 4.5 } else { 0.0 };
                let text = match is_cells && one.is_framed {
                    true => format!("[{}]", one.text),
                    false => one.text.clone(),
                };
                if !text.is_empty() {
                    let style = (size, ColourRole::Ink, Anchor::Middle);
                    scene.text((x + field / 2.0, middle - up), style, text);
                }
                if has_note {
                    let style = (TextSize::Note, ColourRole::Ink, Anchor::Middle);
                    scene.text((x + field / 2.0, middle + 5.0), style, one.note.clone());
                }
            }
        }
    }

    /// Draws what stands beside the rows and below the columns; returns where the grid ends.
    fn draw_outside(
        &self,
        scene: &mut Scene,
        page: &FigurePage<'_>,
        GridMeasures { left, outside, field, is_flat, .. }: &GridMeasures,
        (top, height): (f32, f32),
    ) -> f32 {
        let line = page.rows(1.0);
        let bottom = top + height * self.rows.len() as f32;
        let Some((name, rows, columns)) = &self.outside else { return bottom };
        let right = left + field * self.columns.len() as f32 + outside;
        let style = |anchor| (TextSize::Note, ColourRole::Muted, anchor);
        let head = if *is_flat { (right, top - line / 2.0) } else { (right, top - 5.0) };
        if !rows.is_empty() {
            scene.text(head, style(Anchor::End), name.clone());
        }
        for (at, text) in rows.iter().enumerate() {
            scene.text((right, top + height * (at as f32 + 0.5)), style(Anchor::End), text.clone());
        }
        if columns.is_empty() {
            return bottom;
        }
        let edge = names_edge(page, *left);
        scene.text((edge.0, bottom + line / 2.0), style(edge.1), name.clone());
        for (at, text) in columns.iter().enumerate() {
            let x = left + field * (at as f32 + 0.5);
            scene.text((x, bottom + line / 2.0), style(Anchor::Middle), text.clone());
        }
        bottom + line
    }
}

/// The edge that the names of rows stand at.
fn names_edge(page: &FigurePage<'_>, left: f32) -> (f32, Anchor) {
    if page.is_cells() { (0.0, Anchor::Start) } else { (left - 5.0, Anchor::End) }
}

impl FigureForm for Grid {
    fn is_empty(&self) -> bool {
        self.fields().all(|one| one.share.is_none())
    }

    fn scene(&self, page: &FigurePage<'_>) -> Scene {
        let measures = self.measures(page);
        if self.columns.len() <= measures.fitting {
            return self.whole(page, &measures, self.lettering(page, measures.field));
        }
        // The parts have about as many columns each, and fields of one width.
        let parts = self.columns.len().div_ceil(measures.fitting);
        let parts = self.parts(self.columns.len().div_ceil(parts));
        let measured = || parts.iter().map(|part| (part, part.measures(page)));
        let field = measured().map(|(_, own)| own.field).fold(f32::INFINITY, f32::min);
        let mut scene = Scene::new(page.width, 0.0);
        for (part, own) in measured() {
            let gap = if scene.height > 0.0 { page.rows(1.0) } else { 0.0 };
            let own = GridMeasures { field, ..own };
            scene.put_below(part.whole(page, &own, self.lettering(page, field)), gap);
        }
        scene
    }
}
