//! The figures of the page, each in the part that it is about and with the table that it shows.

use super::parts::{ReportPart, ReportSection};
use crate::error::Result;
use crate::figure::face::Typeface;
use crate::figure::page::FigurePage;
use crate::figure::write::svg;
use crate::figure::{Figure, KINDS, Sources, figures_of};
use crate::report::Table;
use crate::text::html::Html;

/// How wide a drawing is laid out, in millimetres: a column of a paper, which is legible on a phone too, and a whole page,
/// which is shown where there is room for it.
const WIDTHS: [f32; 2] = [84.0, 174.0];

/// A figure as it stands on the page.
pub struct DrawnFigure {
    /// The figure's place on the page, for links.
    pub anchor: String,
    pub title: String,
    pub caption: String,
    /// The drawing for narrow pages and for paper, and the one for wide pages.
    pub drawings: [Html; 2],
    pub table: Table,
    /// Whether the figure is the first of its kind in its part, and so is seen at once; the others are folded.
    pub is_first: bool,
}

/// The part that figures of a kind belong to.
fn part_of(kind: &str) -> ReportPart {
    match kind {
        "agreement" | "pairs" | "confusion" | "shares" => ReportPart::Agreement,
        "judges" | "bias" => ReportPart::Judges,
        "calibration" | "pace" => ReportPart::Quality,
        "curve" => ReportPart::Sessions,
        "missed" => ReportPart::Failures,
        _ => ReportPart::Scores,
    }
}

/// Draws the figures that the study has into the parts that they belong to.
pub fn draw(sources: &Sources<'_>, sections: &mut [ReportSection]) -> Result<()> {
    let face = Typeface::bundled();
    for section in sections {
        let kinds = KINDS.iter().filter(|kind| part_of(kind.name) == section.part);
        let mut last = String::new();
        for figure in figures_of(sources, kinds)?.figures {
            let kind = figure.name.split('/').next().unwrap_or_default().to_owned();
            let is_first = std::mem::replace(&mut last, kind.clone()) != kind;
            section.figures.push(drawn(figure, is_first, &face));
        }
    }
    Ok(())
}

fn drawn(figure: Figure, is_first: bool, face: &Typeface) -> DrawnFigure {
    let anchor = format!("figure-{}", figure.file_name());
    let drawings = WIDTHS.map(|wide| {
        let id = format!("{anchor}-{wide}");
        let about = svg::AltText { id: &id, title: &figure.title, text: &figure.caption };
        Html::drawn(svg::for_page(&figure.scene(&FigurePage::paper(wide, face)), about))
    });
    DrawnFigure {
        anchor,
        title: figure.title,
        caption: figure.caption,
        drawings,
        table: figure.table,
        is_first,
    }
}
