//! The curves as a plot of characters: every line has its own sign, so that no colour is needed.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::symbols::Marker;
use ratatui::widgets::{Axis, Chart, Dataset, GraphType, Widget};

use crate::number::extent;
use crate::score::{CurvePoint, SnapshotMeasure};

/// Lines of the plot, the later ones above the earlier.
const LINES: [(SnapshotMeasure, char, &str); 3] = [
    (SnapshotMeasure::Citation, '·', "citation F1"),
    (SnapshotMeasure::Coverage, '●', "coverage"),
    (SnapshotMeasure::Joint, '×', "joint"),
];

/// The most columns and the rows of a plot.
const SIZE: (u16, u16) = (100, 16);

/// Coverage, citation F1 and joint score over active minutes in so many columns, with a key below; empty where there is
/// nothing to draw.
pub fn plot(curve: &[CurvePoint], width: usize) -> String {
    let lines = LINES.map(|(measure, sign, name)| (sign, name, points(curve, measure)));
    let last = curve.last().map_or(0.0, |point| f64::from(point.minute));
    if lines.iter().all(|(.., points)| points.is_empty()) || last == 0.0 {
        return String::new();
    }
    let datasets = lines.iter().map(|(sign, _, points)| {
        let kind = if points.len() > 1 { GraphType::Line } else { GraphType::Scatter };
        Dataset::default().marker(Marker::Custom(*sign)).graph_type(kind).data(points)
    });
    let ticks = |count: u32| (0..=count).map(move |tick| f64::from(tick) / f64::from(count));
    let minutes = ticks(4).map(|share| format!("{:.0}", share * last));
    let scores = ticks(4).map(|share| format!("{:.0}", share * 100.0));
    let chart = Chart::new(datasets.collect())
        .x_axis(Axis::default().bounds([0.0, last]).labels(minutes))
        .y_axis(Axis::default().bounds([0.0, 100.0]).labels(scores));
    let columns = extent(width).clamp(20, SIZE.0);
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, SIZE.1));
    chart.render(buffer.area, &mut buffer);
    let mut text = rows(&buffer);
    let key: Vec<String> = lines.iter().map(|(sign, name, _)| format!("{sign} {name}")).collect();
    text.push_str(&format!("    {}   by active minute\n", key.join("  ")));
    text
}

fn points(curve: &[CurvePoint], measure: SnapshotMeasure) -> Vec<(f64, f64)> {
    let value = |point: &CurvePoint| {
        let (_, (_, estimate)) =
            SnapshotMeasure::ALL.iter().zip(&point.values).find(|(one, _)| **one == measure)?;
        Some((f64::from(point.minute), estimate.value.ok()?))
    };
    curve.iter().filter_map(value).collect()
}

/// The cells as lines of text.
fn rows(buffer: &Buffer) -> String {
    let area = buffer.area;
    let mut text = String::new();
    for y in area.top()..area.bottom() {
        let row: String = (area.left()..area.right())
            .filter_map(|x| buffer.cell((x, y)).map(ratatui::buffer::Cell::symbol))
            .collect();
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}
