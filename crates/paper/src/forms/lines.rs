//! Lines over an axis, named at their ends; constant levels are lines across.

use super::FigureForm;
use super::dots::{Axis, DOT, PlotPoint};
use crate::{Anchor, AxisScale, ColourRole, FigurePage, Scene, TextSize};

/// A line through points from the left to the right.
#[derive(Debug, Clone)]
pub struct PlotLine {
    pub name: String,
    pub role: ColourRole,
    pub points: Vec<(f64, PlotPoint)>,
}

/// A field with lines.
#[derive(Debug, Clone, Default)]
pub struct LineField {
    /// The title; empty for the only field.
    pub title: String,
    pub lines: Vec<PlotLine>,
    /// Names and values of constant levels.
    pub levels: Vec<(String, f64)>,
}

#[derive(Debug, Clone, Default)]
pub struct LinePlot {
    pub across: Axis,
    pub up: Axis,
    pub fields: Vec<LineField>,
    /// Whether the points are drawn as dots without lines.
    pub is_scatter: bool,
}

/// The height of the only field, in rows.
const HIGH: f32 = 9.0;
/// The height of each of several fields, in rows.
const LOW: f32 = 5.0;

/// The most points of a line that get a dot each.
const DOTTED: usize = 10;

/// The least width of a field, in points.
const WIDE: f32 = 92.0;

/// Moves places apart so that none are nearer than `apart`; they keep their order and move as little as possible.
/// Neighbours that are too near are pooled around their mean (isotonic regression by pooling adjacent violators).
pub fn spread(places: &[f32], apart: f32) -> Vec<f32> {
    let mut pools: Vec<(f32, usize)> = Vec::new();
    for (at, place) in places.iter().enumerate() {
        // With the wanted distance taken off, places that are far enough apart ascend, and others are pooled.
        pools.push((place - at as f32 * apart, 1));
        while let [.., (one, count), (other, own)] = pools[..]
            && one / count as f32 > other / own as f32
        {
            pools.truncate(pools.len() - 2);
            pools.push((one + other, count + own));
        }
    }
    let mut found: Vec<f32> = Vec::with_capacity(places.len());
    for (sum, count) in pools {
        for _ in 0..count {
            found.push(sum / count as f32 + found.len() as f32 * apart);
        }
    }
    found
}

impl LinePlot {
    fn scales(&self, field: f32, page: &FigurePage<'_>) -> (AxisScale, AxisScale) {
        let points = || self.fields.iter().flat_map(|field| &field.lines).flat_map(|line| &line.points);
        let levels = self.fields.iter().flat_map(|field| &field.levels).map(|(_, value)| *value);
        let values = points().flat_map(|(_, point)| {
            let ends = point.interval.map(|(low, high)| [low, high]);
            point.value.into_iter().chain(ends.into_iter().flatten())
        });
        let any = (f64::NEG_INFINITY, f64::INFINITY);
        let length = |label: &str| page.width_of(label, TextSize::Note) + page.gap(8.0);
        let across = points().map(|(x, _)| *x).chain(self.across.reference);
        let across = AxisScale::fitting(across, self.across.bounds.unwrap_or(any), field, length);
        let up =
            AxisScale::of(values.chain(levels).chain(self.up.reference), self.up.bounds.unwrap_or(any), 5);
        (across, up)
    }

    /// Draws a field with its corner at this place; returns where it ends.
    fn field(
        &self,
        scene: &mut Scene,
        (page, across, up): (&FigurePage<'_>, &AxisScale, &AxisScale),
        field: &LineField,
        ((left, top), (width, names, high)): ((f32, f32), (f32, f32, f32)),
    ) -> f32 {
        let mut start = top;
        if !field.title.is_empty() {
            let title = page.fitted(&field.title, TextSize::Label, width + names);
            let at = (left, start + page.rows(1.0) / 2.0);
            scene.text(at, (TextSize::Label, ColourRole::Ink, Anchor::Start), title);
            start += page.rows(1.0);
        }
        let end = start + high;
        let x = |value: f64| left + across.share(value).clamp(0.0, 1.0) * width;
        let y = |value: f64| end - up.share(value).clamp(0.0, 1.0) * high;
        for tick in &up.ticks {
            // In a terminal, grid lines would look like curves.
            if !page.is_cells() {
                scene.line(&[(left, y(*tick)), (left + width, y(*tick))], ColourRole::Grid, 0.5);
            }
        }
        let mut ends: Vec<(f32, ColourRole, &str)> = Vec::new();
        for (name, value) in &field.levels {
            scene.line(&[(left, y(*value)), (left + width, y(*value))], ColourRole::Muted, 0.8);
            ends.push((y(*value), ColourRole::Muted, name));
        }
        for line in &field.lines {
            let drawn = line.points.iter().filter_map(|(at, point)| Some((x(*at), y(point.value?))));
            let drawn: Vec<(f32, f32)> = drawn.collect();
            for (at, point) in &line.points {
                if let Some((low, high)) = point.interval.filter(|_| !page.is_cells()) {
                    scene.line(&[(x(*at), y(low)), (x(*at), y(high))], line.role, 0.8);
                }
            }
            if self.is_scatter {
                drawn.iter().for_each(|at| scene.dot(*at, DOT - 0.9, line.role));
                continue;
            }
            if !page.is_cells() {
                scene.line(&drawn, ColourRole::Paper, 3.2);
            }
            scene.line(&drawn, line.role, 1.5);
            if line.points.len() <= DOTTED && !page.is_cells() || drawn.len() == 1 {
                drawn.iter().for_each(|at| scene.dot(*at, DOT - 0.6, line.role));
            }
            ends.extend(drawn.last().map(|(_, y)| (*y, line.role, line.name.as_str())));
        }
        ends.retain(|(.., name)| !name.is_empty());
        ends.sort_by(|one, other| one.0.total_cmp(&other.0));
        let apart = if page.is_cells() { 1.0 } else { 8.0 };
        let places = spread(&ends.iter().map(|(y, ..)| *y).collect::<Vec<f32>>(), apart);
        // Names stay within the field where there is room for all of them.
        let over = places.last().map_or(0.0, |last| (last - end + apart / 2.0).max(0.0));
        for ((_, role, name), place) in ends.iter().zip(places) {
            let name = page.fitted(name, TextSize::Label, names - page.gap(5.0));
            let at = (left + width + page.gap(4.0), place - over);
            scene.text(at, (TextSize::Label, *role, Anchor::Start), name);
        }
        end
    }
}

impl FigureForm for LinePlot {
    fn is_empty(&self) -> bool {
        let mut lines = self.fields.iter().flat_map(|field| &field.lines);
        lines.all(|line| line.points.iter().all(|(_, point)| point.value.is_none()))
    }

    fn scene(&self, page: &FigurePage<'_>) -> Scene {
        let is_cells = page.is_cells();
        let fields = || self.fields.iter();
        let named = fields().flat_map(|field| {
            let lines = field.lines.iter().map(|line| line.name.as_str());
            lines.chain(field.levels.iter().map(|(name, _)| name.as_str()))
        });
        let widest = page.widest(named, TextSize::Label).min(page.width * super::NAMES);
        let names = if widest > 0.0 { widest + page.gap(6.0) } else { 0.0 };
        let (_, up) = self.scales(100.0, page);
        let labels: Vec<String> = up.ticks.iter().map(|tick| up.label(*tick)).collect();
        let ticks = page.widest(labels.iter().map(String::as_str), TextSize::Note) + page.gap(4.0);
        let (between, edge) = (page.gap(10.0), page.gap(6.0));
        let room = page.width - ticks - edge;
        let beside = ((room + between) / (page.gap(WIDE) + names + between)).floor().max(1.0) as usize;
        let lines = self.fields.len().div_ceil(beside).max(1);
        let beside = self.fields.len().div_ceil(lines).max(1);
        let width = ((room + between) / beside as f32 - names - between).max(page.gap(30.0));
        let (across, up) = self.scales(width, page);
        // Every name needs a line of its own.
        let most = fields().map(|field| field.lines.len() + field.levels.len()).max().unwrap_or(0) as f32;
        let rows = if self.fields.len() > 1 { LOW } else { HIGH };
        let high = page.rows(rows + if is_cells { 3.0 } else { 0.0 });
        let high = if names > 0.0 { high.max(most * if is_cells { 1.0 } else { 8.4 }) } else { high };
        let mut scene = Scene::new(page.width, 0.0);
        let middle = page.rows(1.0) / 2.0;
        let mut top = 0.0;
        for line in page.wrapped(&self.up.title, TextSize::Note, page.width) {
            scene.text((0.0, top + middle * 0.8), (TextSize::Note, ColourRole::Muted, Anchor::Start), line);
            top += if is_cells { 1.0 } else { 9.0 };
        }
        top += if is_cells { 0.0 } else { 5.0 };
        for chunk in self.fields.chunks(beside) {
            let mut bottom = top;
            for (at, field) in chunk.iter().enumerate() {
                let left = ticks + (width + names + between) * at as f32;
                let place = ((left, top), (width, names, high));
                bottom = self.field(&mut scene, (page, &across, &up), field, place);
                for tick in &across.ticks {
                    let x = left + across.share(*tick) * width;
                    let style = (TextSize::Note, ColourRole::Muted, Anchor::Middle);
                    scene.text((x, bottom + page.rows(1.0) * 0.45), style, across.label(*tick));
                }
            }
            for (tick, label) in up.ticks.iter().zip(&labels) {
                let y = bottom - up.share(*tick) * high;
                let y = if is_cells { y.min(bottom - 1.0) } else { y };
                let at = (ticks - page.gap(4.0), y);
                scene.text(at, (TextSize::Note, ColourRole::Muted, Anchor::End), label.clone());
            }
            top = bottom + page.rows(1.0) + if is_cells { 0.0 } else { 3.0 };
        }
        let centre = if beside > 1 { page.width / 2.0 } else { ticks + width / 2.0 };
        scene.height = top;
        page.write_below(&mut scene, &self.across.title, (Some(centre), page.rows(1.0) * 0.3));
        scene
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_moved_apart_and_keep_their_order() {
        assert_eq!(spread(&[0.0, 20.0], 8.0), [0.0, 20.0]);
        // Around their mean, 11.
        assert_eq!(spread(&[10.0, 12.0], 8.0), [7.0, 15.0]);
        assert_eq!(spread(&[10.0, 10.0, 10.0, 40.0], 8.0), [2.0, 10.0, 18.0, 40.0]);
        assert_eq!(spread(&[], 8.0), Vec::<f32>::new());
    }
}
