//! Dots with whiskers: a row for each name, in one panel or several beside each other, with values in columns at the right.

use super::{FigureForm, NAMES, NamesShown};
use crate::{Anchor, AxisScale, ColourRole, FigurePage, Scene, TextSize, number};
#[cfg(feature = "agreement")]
use agreement::{Estimate, Measure};

/// The axis of a panel.
#[derive(Debug, Clone, Default)]
pub struct Axis {
    pub title: String,
    /// The lowest and the highest possible value.
    pub bounds: Option<(f64, f64)>,
    /// A value that is drawn as a line, such as 0 for differences.
    pub reference: Option<f64>,
}

impl Axis {
    pub fn of(title: impl Into<String>, bounds: Option<(f64, f64)>, reference: Option<f64>) -> Axis {
        Axis { title: title.into(), bounds, reference }
    }
}

/// A series of dots, one in each row.
#[derive(Debug, Clone)]
pub struct Series {
    pub name: String,
    pub role: ColourRole,
    /// Whether the dots are rings.
    pub is_ring: bool,
}

impl Series {
    pub fn new(name: &str, role: ColourRole, is_ring: bool) -> Series {
        Series { name: name.to_owned(), role, is_ring }
    }

    /// The one series of a figure that needs no name.
    pub fn unnamed() -> Vec<Series> {
        vec![Series::new("", ColourRole::A, false)]
    }
}

/// A number with its interval.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlotPoint {
    pub value: Option<f64>,
    pub interval: Option<(f64, f64)>,
}

impl PlotPoint {
    /// The number with so many decimals; a dash without one.
    pub fn shown(self, decimals: usize) -> String {
        self.value.map_or_else(|| "–".to_owned(), |value| number(value, decimals))
    }

    /// The number with its interval in a sentence: `62.1 (58–66)`.
    pub fn told(self, decimals: usize) -> String {
        let Some((low, high)) = self.interval else { return self.shown(decimals) };
        let between = if low < 0.0 { " to " } else { "–" };
        format!("{} ({}{between}{})", self.shown(decimals), number(low, decimals), number(high, decimals))
    }
}

#[cfg(feature = "agreement")]
impl From<Estimate> for PlotPoint {
    fn from(estimate: Estimate) -> PlotPoint {
        let interval = estimate.interval.and_then(|interval| interval.ok());
        PlotPoint { interval: interval.map(|ends| (ends.low, ends.high)), ..estimate.value.into() }
    }
}

#[cfg(feature = "agreement")]
impl From<Measure> for PlotPoint {
    fn from(measure: Measure) -> PlotPoint {
        PlotPoint { value: measure.ok().filter(|value| value.is_finite()), interval: None }
    }
}

/// No number is a point without a value.
impl<T: Into<PlotPoint>> From<Option<T>> for PlotPoint {
    fn from(one: Option<T>) -> PlotPoint {
        one.map_or_else(PlotPoint::default, T::into)
    }
}

#[derive(Debug, Clone, Default)]
pub struct DotRow {
    pub name: String,
    /// The points, in the order of the series.
    pub points: Vec<PlotPoint>,
    /// The texts at the right, in the order of the columns.
    pub texts: Vec<String>,
}

impl DotRow {
    /// A dot with its number beside it.
    pub fn of(name: impl Into<String>, point: PlotPoint, decimals: usize) -> DotRow {
        DotRow { name: name.into(), points: vec![point], texts: vec![point.shown(decimals)] }
    }
}

/// A panel; panels beside each other have the same names of rows.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    /// The title; empty for the only panel.
    pub title: String,
    pub rows: Vec<DotRow>,
}

#[derive(Debug, Clone, Default)]
pub struct Dots {
    pub axis: Axis,
    /// The series; a single one has no name.
    pub series: Vec<Series>,
    /// Headings of the texts at the right of each panel.
    pub columns: Vec<String>,
    pub panels: Vec<Panel>,
}

/// The least width of a panel's field of dots, in points.
const FIELD: f32 = 44.0;

/// The radius of a dot, in points.
pub const DOT: f32 = 2.6;

/// Horizontal places and widths on a page.
struct Measures {
    names: NamesShown,
    /// The left edge of the first panel, behind the names.
    left: f32,
    field: f32,
    /// The width of each column of texts, with the room before it.
    columns: Vec<f32>,
    /// Room between panels.
    between: f32,
    /// How many panels stand beside each other.
    beside: usize,
}

impl Dots {
    fn measures(&self, page: &FigurePage<'_>) -> Measures {
        let rows = || self.panels.iter().flat_map(|panel| &panel.rows);
        let names = rows().map(|row| row.name.as_str());
        let names = NamesShown::of(page, names, TextSize::Label, page.width * NAMES);
        let left = names.width + page.gap(8.0);
        let width_of = |(at, heading): (usize, &String)| {
            let texts = rows().filter_map(|row| row.texts.get(at)).chain([heading]).map(String::as_str);
            page.widest(texts, TextSize::Label) + page.gap(6.0)
        };
        let columns: Vec<f32> = self.columns.iter().enumerate().map(width_of).collect();
        let texts: f32 = columns.iter().sum();
        let between = page.gap(10.0);
        // The last tick may hang over the edge.
        let edge = if columns.is_empty() { page.gap(6.0) } else { 0.0 };
        let room = page.width - left - edge;
        let each = page.gap(FIELD) + texts + between;
        let beside = ((room + between) / each).floor().max(1.0) as usize;
        let lines = self.panels.len().div_ceil(beside.min(self.panels.len()).max(1)).max(1);
        // Lines get about as many panels each.
        let beside = self.panels.len().div_ceil(lines).max(1);
        let field = (room + between) / beside as f32 - texts - between;
        let field = field.max(page.gap(12.0));
        // In a terminal panels begin at a cell, so that they are alike.
        let field = if page.is_cells() { field.floor() } else { field };
        Measures { names, left, field, columns, between, beside }
    }

    fn scale(&self, page: &FigurePage<'_>, field: f32) -> AxisScale {
        let points = self.panels.iter().flat_map(|panel| &panel.rows).flat_map(|row| &row.points);
        let numbers = points.flat_map(|point| {
            let ends = point.interval.map(|(low, high)| [low, high]);
            point.value.into_iter().chain(ends.into_iter().flatten())
        });
        let bounds = self.axis.bounds.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        let length = |label: &str| page.width_of(label, TextSize::Note) + page.gap(4.0);
        AxisScale::fitting(numbers.chain(self.axis.reference), bounds, field, length)
    }

    /// Draws the key: the names of the series behind their markers. Returns its height.
    fn key(&self, page: &FigurePage<'_>, scene: &mut Scene) -> f32 {
        if self.series.len() < 2 {
            return 0.0;
        }
        let (mut x, mut row) = (0.0, 0.0);
        for series in &self.series {
            let width = page.gap(8.0) + page.width_of(&series.name, TextSize::Label);
            if x > 0.0 && x + width > page.width {
                (x, row) = (0.0, row + 1.0);
            }
            let y = page.rows(row) + page.rows(1.0) / 2.0;
            mark(scene, (x + page.gap(DOT) * if page.is_cells() { 0.5 } else { 1.0 }, y), series);
            let style = (TextSize::Label, series.role, Anchor::Start);
            scene.text((x + page.gap(8.0), y), style, series.name.clone());
            x += width + page.gap(12.0);
        }
        page.rows(row + 1.0) + if page.is_cells() { 0.0 } else { 3.0 }
    }

    /// Draws a panel with its corner at this place; returns where its rows end.
    fn panel(
        &self,
        scene: &mut Scene,
        (page, measures, scale): (&FigurePage<'_>, &Measures, &AxisScale),
        (panel, title): (&Panel, &[String]),
        (left, top): (f32, f32),
    ) -> f32 {
        let has_headings = self.columns.iter().any(|heading| !heading.is_empty());
        let middle = page.rows(1.0) / 2.0;
        let mut start = top;
        for line in title {
            let style = (TextSize::Label, ColourRole::Ink, Anchor::Start);
            if !line.is_empty() {
                scene.text((left, start + middle), style, line.clone());
            }
            start += page.rows(if page.is_cells() { 1.0 } else { 0.7 });
        }
        start += if title.is_empty() { 0.0 } else { page.rows(0.3) };
        if has_headings {
            let mut x = left + measures.field;
            for (heading, width) in self.columns.iter().zip(&measures.columns) {
                x += width;
                let style = (TextSize::Note, ColourRole::Muted, Anchor::End);
                scene.text((x, start + middle), style, heading.clone());
            }
            start += page.rows(1.0);
        }
        let end = start + page.rows(panel.rows.len() as f32);
        let x = |value: f64| left + scale.share(value).clamp(0.0, 1.0) * measures.field;
        for tick in &scale.ticks {
            scene.line(&[(x(*tick), start), (x(*tick), end)], ColourRole::Grid, 0.5);
        }
        if let Some(reference) = self.axis.reference {
            scene.line(&[(x(reference), start), (x(reference), end)], ColourRole::Muted, 0.8);
        }
        for (at, row) in panel.rows.iter().enumerate() {
            let y = start + page.rows(at as f32) + middle;
            // Two dots of a row lie a little apart where there is room.
            let apart = if page.is_cells() { 0.0 } else { 4.4 };
            let lowest = (row.points.iter().filter(|point| point.value.is_some()).count() as f32 - 1.0) / 2.0;
            let drawn = || {
                let known = row.points.iter().zip(&self.series);
                let known = known.filter_map(|(point, series)| Some((point.value?, point.interval, series)));
                known.enumerate().map(|(number, (value, interval, series))| {
                    (y + (number as f32 - lowest.max(0.0)) * apart, value, interval, series)
                })
            };
            // No whisker hides a dot.
            for (y, _, interval, series) in drawn() {
                if let Some((low, high)) = interval {
                    scene.line(&[(x(low), y), (x(high), y)], series.role, 1.25);
                }
            }
            drawn().for_each(|(y, value, _, series)| mark(scene, (x(value), y), series));
            let mut right = left + measures.field;
            for (text, width) in row.texts.iter().zip(&measures.columns) {
                right += width;
                scene.text((right, y), (TextSize::Label, ColourRole::Ink, Anchor::End), text.clone());
            }
        }
        end
    }
}

/// Draws a dot of a series.
fn mark(scene: &mut Scene, at: (f32, f32), series: &Series) {
    if series.is_ring {
        scene.ring(at, DOT - 0.4, series.role);
    } else {
        scene.dot(at, DOT, series.role);
    }
}

impl FigureForm for Dots {
    fn is_empty(&self) -> bool {
        let mut points = self.panels.iter().flat_map(|panel| &panel.rows).flat_map(|row| &row.points);
        points.all(|point| point.value.is_none())
    }

    fn scene(&self, page: &FigurePage<'_>) -> Scene {
        let measures = self.measures(page);
        let scale = self.scale(page, measures.field);
        let mut scene = Scene::new(page.width, 0.0);
        let mut top = self.key(page, &mut scene);
        let middle = page.rows(1.0) / 2.0;
        let step = measures.field + measures.columns.iter().sum::<f32>() + measures.between;
        for line in self.panels.chunks(measures.beside) {
            let mut bottom = top;
            // Titles have as many lines as the longest of them, so that rows stand beside their names.
            let titles = line.iter().map(|panel| match panel.title.as_str() {
                "" => Vec::new(),
                title => page.broken(title, TextSize::Label, step - measures.between),
            });
            let mut titles: Vec<Vec<String>> = titles.collect();
            let most = titles.iter().map(Vec::len).max().unwrap_or(0);
            for (at, (panel, title)) in line.iter().zip(&mut titles).enumerate() {
                let above = most - title.len();
                title.splice(0..0, vec![String::new(); above]);
                let left = measures.left + step * at as f32;
                let place = (left, top);
                bottom = bottom.max(self.panel(&mut scene, (page, &measures, &scale), (panel, title), place));
            }
            let rows = line.iter().map(|panel| &panel.rows).max_by_key(|rows| rows.len());
            for (back, row) in rows.into_iter().flatten().rev().enumerate() {
                let y = bottom - page.rows(back as f32 + 1.0) + middle;
                let name = measures.names.shown(&row.name);
                scene.text((0.0, y), (TextSize::Label, ColourRole::Ink, Anchor::Start), name);
            }
            for at in 0..line.len() {
                let left = measures.left + step * at as f32;
                for tick in &scale.ticks {
                    let x = left + scale.share(*tick) * measures.field;
                    let style = (TextSize::Note, ColourRole::Muted, Anchor::Middle);
                    scene.text((x, bottom + page.rows(1.0) * 0.4), style, scale.label(*tick));
                }
            }
            top = bottom + page.rows(1.0) + if page.is_cells() { 0.0 } else { 3.0 };
        }
        let centre =
            if measures.beside > 1 { page.width / 2.0 } else { measures.left + measures.field / 2.0 };
        scene.height = top;
        page.write_below(&mut scene, &self.axis.title, (Some(centre), page.rows(1.0) * 0.3));
        scene
    }
}
