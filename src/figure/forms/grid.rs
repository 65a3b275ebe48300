//! A grid of numbers, each on a shade of its size.

use super::{FigureForm, width_of_names};
use crate::figure::page::FigurePage;
use crate::figure::scene::{Anchor, ColourRole, Scene, TextSize};

/// What stands in a field.
#[derive(Debug, Clone, Default)]
pub struct Shaded {
    pub text: String,
    /// Below it and smaller, where there is room.
    pub note: String,
    /// From 0 to 1; nothing where there is no number.
    pub share: Option<f64>,
    /// Whether the second hue shades it, as for numbers below 0.
    pub is_other: bool,
    pub is_framed: bool,
}

#[derive(Debug, Clone, Default)]
pub struct Grid {
    /// What the rows are, and what the columns.
    pub titles: [String; 2],
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    /// A row each.
    pub fields: Vec<Vec<Shaded>>,
    /// Sums or means outside the grid: their name, then one a row, and one a column.
    pub outside: Option<(String, Vec<String>, Vec<String>)>,
    /// What is said below: always, and where the notes are drawn.
    pub foot: String,
    pub note_foot: String,
}

/// The faintest and the strongest shade; on neither does a text become hard to read.
const SHADES: (f64, f64) = (0.04, 0.46);

/// The widest field, in points.
const WIDEST: f32 = 64.0;

impl Grid {
    fn fields(&self) -> impl Iterator<Item = &Shaded> {
        self.fields.iter().flatten()
    }

    /// Whether the headings of columns fit side by side in fields of this width.
    fn are_flat(&self, page: &FigurePage<'_>, field: f32) -> bool {
        page.widest(self.columns.iter().map(String::as_str), TextSize::Label) + page.gap(4.0) <= field
    }
}

impl FigureForm for Grid {
    fn scene(&self, page: &FigurePage<'_>) -> Scene {
        let is_cells = page.is_cells();
        let row_title = if self.titles[0].is_empty() || is_cells { 0.0 } else { 11.0 };
        let names = width_of_names(page, self.rows.iter().map(String::as_str));
        let left = row_title + names + page.gap(6.0);
        let outside = self.outside.as_ref().map_or(0.0, |(name, rows, _)| {
            page.widest(rows.iter().chain([name]).map(String::as_str), TextSize::Note) + page.gap(6.0)
        });
        let count = self.columns.len().max(1) as f32;
        let fits = |field: f32, texts: &mut dyn Iterator<Item = &str>, size| {
            page.widest(texts, size) + page.gap(2.0) <= field
        };
        let room = page.width - left - outside;
        // Turned headings hang over the last column.
        let turned = page.widest(self.columns.iter().map(String::as_str), TextSize::Label) * 0.71;
        let mut field = (room / count).min(page.gap(WIDEST));
        let is_flat = is_cells || self.are_flat(page, field);
        if !is_flat {
            field = ((room - (turned - field / 2.0 - outside).max(0.0)) / count).min(page.gap(WIDEST));
        }
        if is_cells {
            let texts =
                self.fields().map(|one| one.text.as_str()).chain(self.columns.iter().map(String::as_str));
            field = field.min(page.widest(texts, TextSize::Label) + 2.0).floor().max(1.0);
        }
        let has_texts = fits(field, &mut self.fields().map(|one| one.text.as_str()), TextSize::Label);
        let has_large = fits(field, &mut self.fields().map(|one| one.text.as_str()), TextSize::Count);
        let has_notes = !is_cells
            && self.fields().any(|one| !one.note.is_empty())
            && fits(field, &mut self.fields().map(|one| one.note.as_str()), TextSize::Note);
        let height = if is_cells {
            1.0
        } else if has_notes {
            26.0
        } else {
            17.0
        };
        let line = page.rows(1.0);
        let mut scene = Scene::new(page.width, 0.0);
        let grid = field * self.columns.len() as f32;
        let mut top = 0.0;
        if !self.titles[1].is_empty() {
            let title = match (is_cells, self.titles[0].is_empty()) {
                (true, false) => format!("{} ↓  {} →", self.titles[0], self.titles[1]),
                _ => self.titles[1].clone(),
            };
            let half = page.width_of(&title, TextSize::Note) / 2.0;
            let centre = (left + grid / 2.0).max(half).min(page.width - half);
            scene.text((centre, line / 2.0), (TextSize::Note, ColourRole::Muted, Anchor::Middle), title);
            top += line;
        }
        top += if is_flat { line } else { turned + 6.0 };
        for (at, name) in self.columns.iter().enumerate() {
            let x = left + field * (at as f32 + 0.5);
            if is_flat {
                let name = page.fitted(name, TextSize::Label, field - page.gap(1.0));
                scene.text((x, top - line / 2.0), (TextSize::Label, ColourRole::Ink, Anchor::Middle), name);
            } else {
                let style = (TextSize::Label, ColourRole::Ink, Anchor::Start);
                scene.turned((x, top - 5.0), style, 45.0, page.fitted(name, TextSize::Label, 110.0));
            }
        }
        if row_title > 0.0 {
            let middle = top + height * self.rows.len() as f32 / 2.0;
            let title = page.fitted(&self.titles[0], TextSize::Note, height * self.rows.len() as f32);
            scene.turned((4.0, middle), (TextSize::Note, ColourRole::Muted, Anchor::Middle), 90.0, title);
        }
        for (at, (name, fields)) in self.rows.iter().zip(&self.fields).enumerate() {
            let y = top + height * at as f32;
            let name = page.fitted(name, TextSize::Label, names);
            let middle = y + height / 2.0;
            let edge = if is_cells { (0.0, Anchor::Start) } else { (left - 5.0, Anchor::End) };
            scene.text((edge.0, middle), (TextSize::Label, ColourRole::Ink, edge.1), name);
            for (column, one) in fields.iter().enumerate() {
                let x = left + field * column as f32;
                let role = if one.is_other { ColourRole::B } else { ColourRole::A };
                let shade = one.share.map(|share| (SHADES.0 + SHADES.1 * share.clamp(0.0, 1.0)) as f32);
                let rim = if is_cells { 0.0 } else { 0.75 };
                scene.rect(
                    (x + rim, y + rim),
                    (field - 2.0 * rim, height - 2.0 * rim),
                    shade.map(|shade| (role, shade)),
                    one.is_framed.then_some((ColourRole::Ink, 1.0)),
                );
                let has_note = has_notes && !one.note.is_empty();
                let (size, up) = (
                    if has_large { TextSize::Count } else { TextSize::Label },
                    if has_note { 4.5 } else { 0.0 },
                );
                if has_texts {
                    let style = (size, ColourRole::Ink, Anchor::Middle);
                    let text = match is_cells && one.is_framed {
                        true => format!("[{}]", one.text),
                        false => one.text.clone(),
                    };
                    scene.text((x + field / 2.0, middle - up), style, text);
                }
                if has_note {
                    let style = (TextSize::Note, ColourRole::Ink, Anchor::Middle);
                    scene.text((x + field / 2.0, middle + 5.0), style, one.note.clone());
                }
            }
        }
        let mut bottom = top + height * self.rows.len() as f32;
        if let Some((name, rows, columns)) = &self.outside {
            let right = left + grid + outside;
            let style = (TextSize::Note, ColourRole::Muted, Anchor::End);
            let head = if is_flat { (right, top - line / 2.0) } else { (right, top - 5.0) };
            scene.text(head, style, name.clone());
            for (at, text) in rows.iter().enumerate() {
                scene.text((right, top + height * (at as f32 + 0.5)), style, text.clone());
            }
            if !columns.is_empty() {
                let edge = if is_cells { (0.0, Anchor::Start) } else { (left - 5.0, Anchor::End) };
                scene.text(
                    (edge.0, bottom + line / 2.0),
                    (TextSize::Note, ColourRole::Muted, edge.1),
                    name.clone(),
                );
                for (at, text) in columns.iter().enumerate() {
                    let x = left + field * (at as f32 + 0.5);
                    scene.text(
                        (x, bottom + line / 2.0),
                        (TextSize::Note, ColourRole::Muted, Anchor::Middle),
                        text.clone(),
                    );
                }
                bottom += line;
            }
        }
        let foot = match has_notes && !self.note_foot.is_empty() {
            true => format!("{}; {}", self.foot, self.note_foot),
            false => self.foot.clone(),
        };
        for text in page.wrapped(&foot, TextSize::Note, page.width) {
            if text.is_empty() {
                continue;
            }
            scene.text((0.0, bottom + line * 0.5), (TextSize::Note, ColourRole::Muted, Anchor::Start), text);
            bottom += if is_cells { 1.0 } else { 8.5 };
        }
        scene.height = bottom + if is_cells { 0.0 } else { 4.0 };
        scene
    }
}
