//! Where everything stands on the screen: a function of size, protocol and what is there to show.

use ratatui::layout::Rect;

use crate::app::kit::layout::{Panes, Placed, cut_bottom, cut_top, extent, placed};
use crate::protocol::{Layout, Pane};

/// From this width on, panes stand in two columns; below, long ones become tabs.
const WIDE: u16 = 100;

/// The screen, cut into places. Areas that do not fit are empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnnotateLayout {
    pub header: Rect,
    pub footer: Rect,
    pub panes: Panes<Pane>,
    /// Panes that share one place; the shown one is among `panes`. Empty where nothing is shared.
    pub tabs: Vec<Pane>,
    pub judgment: Placed,
    /// The line between two columns.
    pub divider: Option<Rect>,
}

/// What the layout needs to know about the contents.
pub struct Contents<'a> {
    pub layout: &'a Layout,
    /// Whether a pane has anything to show.
    pub is_present: &'a dyn Fn(Pane) -> bool,
    /// Rows that a pane's text needs at a width.
    pub rows: &'a dyn Fn(Pane, u16) -> u16,
    /// Rows that the questions need at a width.
    pub judgment_rows: &'a dyn Fn(u16) -> u16,
    pub focus: Pane,
    pub is_zoomed: bool,
    /// Whether one bullet of the candidate is judged, and the others stand around it.
    pub judges_bullet: bool,
}

/// A short pane has at least this many rows where there is room, so that what lies under it does
/// not move from one short text to the next.
const STEADY: u16 = 3;

/// With fewer rows for the texts than this, all of them share one place.
const TIGHT: u16 = 6;

/// Whether a pane holds long texts and takes what room there is.
fn is_long(pane: Pane) -> bool {
    matches!(pane, Pane::Documents | Pane::Candidate | Pane::Units)
}

/// Cuts a screen of this size into places.
pub fn lay_out(width: u16, height: u16, contents: &Contents) -> AnnotateLayout {
    let whole = Rect::new(0, 0, width, height);
    let (header, rest) = cut_top(whole, 1);
    let (middle, footer) = cut_bottom(rest, 1);
    let mut screen = AnnotateLayout { header, footer, ..AnnotateLayout::default() };
    if contents.is_zoomed {
        zoomed(&mut screen, middle, contents);
    } else if width >= WIDE {
        wide(&mut screen, middle, contents);
    } else {
        narrow(&mut screen, middle, contents);
    }
    screen
}

/// The width of the text in a pane of this width.
fn inner(width: u16) -> u16 {
    width.saturating_sub(2)
}

fn cut_judgment(screen: &mut AnnotateLayout, area: Rect, contents: &Contents) -> Rect {
    let rows = (contents.judgment_rows)(inner(area.width)).saturating_add(1);
    let (rest, bottom) = cut_bottom(area, rows.min(area.height / 2 + 1));
    screen.judgment = placed(bottom);
    rest
}

fn zoomed(screen: &mut AnnotateLayout, middle: Rect, contents: &Contents) {
    let rest = cut_judgment(screen, middle, contents);
    screen.panes.0.push((contents.focus, placed(rest)));
}

fn cut_short(
    screen: &mut AnnotateLayout,
    area: Rect,
    pane: Pane,
    rows: (u16, u16),
    contents: &Contents,
) -> Rect {
    let (least, most) = rows;
    let rows = (contents.rows)(pane, inner(area.width)).max(least).min(most.max(1));
    let (top, rest) = cut_top(area, rows + 1);
    screen.panes.0.push((pane, placed(top)));
    rest
}

fn present(panes: &[Pane], contents: &Contents) -> Vec<Pane> {
    panes.iter().copied().filter(|pane| (contents.is_present)(*pane)).collect()
}

fn wide(screen: &mut AnnotateLayout, middle: Rect, contents: &Contents) {
    let mut rest = middle;
    for pane in present(&contents.layout.above, contents) {
        rest = cut_short(screen, rest, pane, (1, middle.height / 8), contents);
    }
    let left = present(&contents.layout.left, contents);
    if left.is_empty() {
        return column(screen, rest, &present(&contents.layout.right, contents), contents);
    }
    let half = rest.width / 2;
    let left_area = Rect { width: half, ..rest };
    screen.divider = Some(Rect { x: rest.x + half, width: 1, ..rest });
    let right_area = Rect { x: rest.x + half + 1, width: rest.width - half - 1, ..rest };
    stack(screen, left_area, &left, contents);
    column(screen, right_area, &present(&contents.layout.right, contents), contents);
}

/// Panes above each other, as high as their texts where there is room, and the judgment straight
/// under them, so that it is near what it is about.
fn column(screen: &mut AnnotateLayout, area: Rect, panes: &[Pane], contents: &Contents) {
    let mut questions = (contents.judgment_rows)(inner(area.width)).saturating_add(1);
    if !panes.is_empty() {
        // However much is written, what it is about stays on the screen.
        questions = questions.min(area.height / 2 + 1);
    }
    let free = area.height.saturating_sub(questions);
    let needed = |pane: &Pane| {
        let rows = (contents.rows)(*pane, inner(area.width));
        if is_long(*pane) { rows.saturating_add(2) } else { rows.max(STEADY).min(free / 3 + 1) + 1 }
    };
    let wanted = panes.iter().map(needed).fold(0_u16, u16::saturating_add);
    let (above, below) = cut_top(area, wanted.min(free));
    stack(screen, above, panes, contents);
    screen.judgment = placed(cut_top(below, questions).0);
}

/// Short panes as high as they need (a third at most), long ones share the rest.
fn stack(screen: &mut AnnotateLayout, area: Rect, panes: &[Pane], contents: &Contents) {
    let mut rest = area;
    let mut long_left = panes.iter().filter(|pane| is_long(**pane)).count();
    for pane in panes {
        if is_long(*pane) || panes.len() == 1 {
            let share = rest.height / extent(long_left.max(1));
            let (top, below) = cut_top(rest, share);
            screen.panes.0.push((*pane, placed(top)));
            long_left = long_left.saturating_sub(1);
            rest = below;
        } else {
            rest = cut_short(screen, rest, *pane, (STEADY, area.height / 3), contents);
        }
    }
}

fn narrow(screen: &mut AnnotateLayout, middle: Rect, contents: &Contents) {
    let mut rest = cut_judgment(screen, middle, contents);
    let columns = contents.layout.right.iter().chain(&contents.layout.left);
    let columns: Vec<Pane> = present(&columns.copied().collect::<Vec<Pane>>(), contents);
    if rest.height < TIGHT {
        return share(screen, rest, columns, contents.focus);
    }
    // A bullet needs little room, and its document much.
    let is_long = |pane: Pane| is_long(pane) && !(contents.judges_bullet && pane == Pane::Candidate);
    for pane in present(&contents.layout.above, contents) {
        if rest.height > 8 {
            rest = cut_short(screen, rest, pane, (1, 2), contents);
        }
    }
    for pane in columns.iter().filter(|pane| !is_long(**pane)) {
        let rows = if middle.height >= 20 { (STEADY, 4) } else { (1, 2) };
        rest = cut_short(screen, rest, *pane, rows, contents);
    }
    let long: Vec<Pane> = columns.into_iter().filter(|pane| is_long(*pane)).collect();
    share(screen, rest, long, contents.focus);
}

/// Panes in one place: the focused one is seen, else the first long one, and the others are behind it.
fn share(screen: &mut AnnotateLayout, area: Rect, panes: Vec<Pane>, focus: Pane) {
    let first = || panes.iter().find(|pane| is_long(**pane)).or(panes.first());
    if let Some(pane) = panes.iter().find(|pane| **pane == focus).or_else(first) {
        screen.panes.0.push((*pane, placed(area)));
    }
    if panes.len() > 1 {
        screen.tabs = panes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtins;

    fn screen(width: u16, height: u16, protocol: usize, is_zoomed: bool) -> AnnotateLayout {
        let contents = Contents {
            layout: &builtins()[protocol].layout,
            is_present: &|_| true,
            rows: &|pane, _| if is_long(pane) { 500 } else { 3 },
            judgment_rows: &|_| 2,
            focus: Pane::Candidate,
            is_zoomed,
            judges_bullet: false,
        };
        lay_out(width, height, &contents)
    }

    #[test]
    fn nothing_overlaps_or_leaves_the_screen_at_any_size() {
        for width in (0..=30).chain([80, 99, 100, 200, 400]) {
            for height in (0..=30).chain([60, 100]) {
                for (protocol, is_zoomed) in [(0, false), (1, false), (0, true)] {
                    let screen = screen(width, height, protocol, is_zoomed);
                    let mut areas =
                        vec![screen.header, screen.footer, screen.judgment.title, screen.judgment.body];
                    areas.extend(screen.divider);
                    areas.extend(screen.panes.0.iter().flat_map(|(_, at)| [at.title, at.body]));
                    for (index, area) in areas.iter().enumerate() {
                        assert!(area.right() <= width && area.bottom() <= height, "{area:?}");
                        for other in areas.iter().skip(index + 1) {
                            assert!(area.intersection(*other).is_empty(), "{area:?} {other:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn on_a_tiny_screen_every_text_can_be_read() {
        for focus in [Pane::Unit, Pane::Candidate, Pane::Documents] {
            let contents = Contents {
                layout: &builtins()[0].layout,
                is_present: &|_| true,
                rows: &|_, _| 9,
                judgment_rows: &|_| 4,
                focus,
                is_zoomed: false,
                judges_bullet: false,
            };
            let tiny = lay_out(40, 10, &contents);
            assert!(tiny.panes.height(focus) > 1, "{focus:?}: {tiny:?}");
            assert!(tiny.tabs.contains(&focus));
        }
    }

    #[test]
    fn a_narrow_screen_shares_one_place_and_a_wide_one_shows_all() {
        let narrow = screen(80, 24, 0, false);
        assert_eq!(narrow.tabs, [Pane::Candidate, Pane::Documents]);
        assert!(narrow.panes.place(Pane::Documents).is_none());
        assert!(narrow.panes.place(Pane::Candidate).is_some_and(|at| at.body.height >= 8));
        let wide = screen(200, 60, 0, false);
        assert!(wide.tabs.is_empty());
        assert_eq!(wide.panes.0.len(), 4);
    }
}
