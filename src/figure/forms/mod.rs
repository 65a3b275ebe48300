//! The forms that figures have: each is numbers and names with a way to lay them out, and knows nothing of studies.

mod dots;
mod grid;
mod lines;
mod ranks;

pub use dots::{Axis, DotRow, Dots, Panel, PlotPoint, Series};
pub use grid::{Grid, Shaded};
pub use lines::{LineField, LinePlot, PlotLine};
pub use ranks::Ranks;

use super::page::FigurePage;
use super::scene::Scene;

/// Something that can be laid out on a page.
pub trait FigureForm {
    /// The drawing, as wide as the page and as high as it needs.
    fn scene(&self, page: &FigurePage<'_>) -> Scene;
}

/// The share of a page that names of rows may take; longer ones are shortened, and their table has them whole.
const NAMES: f32 = 0.36;

/// How wide the names of rows are, at most their share of the page.
fn width_of_names<'t>(page: &FigurePage<'_>, names: impl IntoIterator<Item = &'t str>) -> f32 {
    page.widest(names, super::scene::TextSize::Label).min(page.width * NAMES)
}
