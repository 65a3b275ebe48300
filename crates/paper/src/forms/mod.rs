//! The forms of figures: each lays out numbers and names, and knows nothing of studies.

mod dots;
mod grid;
mod lines;
mod ranks;

pub use dots::{Axis, DotRow, Dots, Panel, PlotPoint, Series};
pub use grid::{Grid, Shaded};
pub use lines::{LineField, LinePlot, PlotLine};
pub use ranks::Ranks;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::{FigurePage, Kept, Scene, TextSize};

/// Numbers and names that can be laid out on a page.
pub trait FigureForm {
    /// The drawing, as wide as the page and as high as needed.
    fn scene(&self, page: &FigurePage<'_>) -> Scene;

    /// Whether the form has no number, and would be an empty frame.
    fn is_empty(&self) -> bool;
}

/// The share of a page that names of rows may take. Longer names are shortened; the figure's table has them whole.
const NAMES: f32 = 0.36;

/// Names shortened to the room of a page. Names that are too wide lose their common beginning first, then their middles.
#[derive(Default)]
struct NamesShown {
    /// The common beginning that is left out, such as `anthropic/`; empty if none is.
    beginning: String,
    /// The width of the widest shown name.
    width: f32,
    /// Each name as it is shown; different names are shown differently.
    shortened: BTreeMap<String, String>,
}

impl NamesShown {
    fn of<'t>(
        page: &FigurePage<'_>,
        names: impl Iterator<Item = &'t str> + Clone,
        size: TextSize,
        most: f32,
    ) -> NamesShown {
        let is_wide = |name: &&str| page.width_of(name, size) > most;
        let mut shown = NamesShown { width: most, ..NamesShown::default() };
        let part =
            |name: &'t str| name.split_inclusive(is_sign).next().filter(|part| part.ends_with(is_sign));
        let mut parts = names.clone().filter(is_wide).map(part);
        if let Some(Some(first)) = parts.next()
            && parts.all(|part| part == Some(first))
        {
            let alike: BTreeSet<&str> = names.clone().filter(|name| name.starts_with(first)).collect();
            if alike.len() > 1 {
                shown.beginning = common_beginning(&alike);
            }
        }
        let told = |name: &str| page.width_of(&shown.without_beginning(name), size);
        shown.width = names.clone().map(told).fold(0.0, f32::max).min(most);
        let all: BTreeSet<&str> = names.collect();
        let mut taken = BTreeSet::new();
        for name in all {
            let rest = shown.without_beginning(name);
            let fitted = |kept| page.fitted_around(&rest, size, shown.width, kept).into_owned();
            let other =
                || [Kept::End, Kept::Beginning].into_iter().map(fitted).find(|text| !taken.contains(text));
            let text = match fitted(Kept::Both) {
                text if taken.contains(&text) => other().unwrap_or(text),
                text => text,
            };
            taken.insert(text.clone());
            shown.shortened.insert(name.to_owned(), text);
        }
        shown
    }

    fn without_beginning<'t>(&self, name: &'t str) -> Cow<'t, str> {
        match name.strip_prefix(&self.beginning) {
            Some(rest) if !self.beginning.is_empty() => Cow::Owned(format!("…{rest}")),
            _ => Cow::Borrowed(name),
        }
    }

    fn shown<'s>(&'s self, name: &'s str) -> &'s str {
        self.shortened.get(name).map_or(name, String::as_str)
    }
}

/// Whether a letter separates the parts of a name.
fn is_sign(letter: char) -> bool {
    !letter.is_alphanumeric()
}

/// The common beginning of names, up to a separator.
fn common_beginning(names: &BTreeSet<&str>) -> String {
    let (Some(first), Some(last)) = (names.first(), names.last()) else { return String::new() };
    // Among sorted names, the first and the last have the shortest common beginning.
    let parts = first.split_inclusive(is_sign).zip(last.split_inclusive(is_sign));
    let alike = parts.take_while(|(one, other)| one == other && one.ends_with(is_sign));
    alike.map(|(part, _)| part).collect()
}
