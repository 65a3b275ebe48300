//! The places of the annotate screen: a function of size, protocol and contents.

use ratatui::layout::Rect;

use crate::app::kit::{Panes, PlacedPane, centred, cut_bottom, cut_top, extent, placed};
use crate::protocol::{Layout, Pane};

/// From this width on, panes stand in two columns; below, long ones become tabs.
const WIDE: u16 = 100;

/// From this width on the guideline stands beside the item, and the judgment beside a text that is alone.
pub const ROOMY: u16 = 160;

/// Columns that are at least this wide stand side by side even where there are three.
const COLUMN: u16 = 82;

/// The fewest columns of the bars, where the screen has them.
const BARS: u16 = 160;

/// The screen, cut into places. Areas that do not fit are empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnnotateLayout {
    pub header: Rect,
    pub footer: Rect,
    pub panes: Panes<Pane>,
    /// Panes that share one place; the shown one is among `panes`. Empty where nothing is shared.
    pub tabs: Vec<Pane>,
    pub judgment: PlacedPane,
    /// The guideline beside the item, where it is open and has room.
    pub drawer: Option<PlacedPane>,
    /// The lines between columns.
    pub dividers: Vec<Rect>,
}

/// The contents, as far as the layout needs to know them.
pub struct PaneContents<'a> {
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
    /// Whether the guideline is wanted beside the item.
    pub has_drawer: bool,
    /// The longest rows of texts.
    pub measure: u16,
}

/// A short pane has at least this many rows where there is room, so that what lies under it does
/// not move from one short text to the next.
const STEADY: u16 = 3;

/// Rows that a short summary must leave for the documents under it, with the titles of both.
const LEFT: u16 = 10;

/// The fewest rows for the texts in which several of them are seen; with fewer, all share one place.
const TIGHT: u16 = 6;

/// Whether a pane holds long texts and takes what room there is.
fn is_long(pane: Pane) -> bool {
    matches!(pane, Pane::Documents | Pane::Candidate | Pane::Other | Pane::Units)
}

/// Cuts a screen of this size into places.
pub fn lay_out(width: u16, height: u16, contents: &PaneContents) -> AnnotateLayout {
    let whole = Rect::new(0, 0, width, height);
    let (header, rest) = cut_top(whole, 1);
    let (middle, footer) = cut_bottom(rest, 1);
    let mut screen = AnnotateLayout { header, footer, ..AnnotateLayout::default() };
    // A text and the blank on either side of it.
    let widest = contents.measure.saturating_add(2);
    let drawer = if contents.has_drawer && width >= ROOMY { (width / 3).min(widest) } else { 0 };
    let room = width - if drawer > 0 { drawer + 1 } else { 0 };
    let columns = columns(room, contents);
    let count = extent(columns.len());
    let column = match count {
        0 => 0,
        _ => (room - (count - 1)) / count,
    };
    let is_narrow = !contents.is_zoomed && room < WIDE;
    let column = if is_narrow { room } else { column.min(widest) };
    let item = column * count + count.saturating_sub(1);
    // Cells left over go to the last column.
    let item = if column < widest { room } else { item };
    let block = centred(middle, item + (width - room));
    let area = Rect { width: item, ..block };
    if drawer > 0 {
        screen.dividers.push(Rect { x: area.right(), width: 1, ..area });
        screen.drawer = Some(placed(Rect { x: area.right() + 1, width: drawer, ..area }));
    }
    let bars = block.width.max(BARS.min(width));
    for bar in [&mut screen.header, &mut screen.footer] {
        *bar = centred(*bar, bars);
    }
    if contents.is_zoomed {
        zoomed(&mut screen, area, contents);
    } else if is_narrow {
        narrow(&mut screen, area, contents);
    } else {
        wide(&mut screen, area, (column, &columns), contents);
    }
    screen
}

/// Panes that stand side by side in so much room, column by column. The judgment is in the last column.
fn columns(room: u16, contents: &PaneContents) -> Vec<Vec<Pane>> {
    let left = present(&contents.layout.left, contents);
    let right = present(&contents.layout.right, contents);
    if contents.is_zoomed || room < WIDE {
        return vec![Vec::new()];
    }
    if is_pair(contents) {
        return compared(left.into_iter().chain(right).collect(), room >= 3 * COLUMN, contents);
    }
    let (long, short): (Vec<Pane>, Vec<Pane>) = right.iter().partition(|pane| is_long(**pane));
    let is_alone = left.is_empty();
    let has_room = if is_alone { room >= ROOMY } else { room >= 3 * COLUMN };
    let sides = match (long.is_empty(), has_room) {
        (false, true) => vec![left, long, short],
        _ => vec![left, right],
    };
    sides
        .into_iter()
        .enumerate()
        .filter(|(index, side)| *index > 0 || !side.is_empty())
        .map(|(_, side)| side)
        .collect()
}

/// The width of the text in a pane of this width.
fn inner(width: u16) -> u16 {
    width.saturating_sub(2)
}

fn cut_judgment(screen: &mut AnnotateLayout, area: Rect, contents: &PaneContents) -> Rect {
    let rows = (contents.judgment_rows)(inner(area.width)).saturating_add(1);
    let (rest, bottom) = cut_bottom(area, rows.min(area.height / 2 + 1));
    screen.judgment = placed(bottom);
    rest
}

fn zoomed(screen: &mut AnnotateLayout, middle: Rect, contents: &PaneContents) {
    let rest = cut_judgment(screen, middle, contents);
    screen.panes.0.push((contents.focus, placed(rest)));
}

/// The most rows of a short pane: a part of the area, or what the long panes among the others leave idle.
fn most_rows(area: Rect, pane: Pane, part: u16, others: &[Pane], contents: &PaneContents) -> u16 {
    let rows = |pane: Pane| (contents.rows)(pane, inner(area.width));
    if rows(pane) <= part {
        return part;
    }
    let room = area.height.saturating_sub(1);
    let long = || others.iter().copied().filter(|other| is_long(*other));
    // A row for each title, and one for the strip of the documents.
    let needs = || long().map(|other| rows(other).saturating_add(2));
    let together = needs().fold(0, u16::saturating_add);
    let shares = |other| other != Pane::Documents && rows(other).saturating_add(LEFT) <= room;
    // Texts that have no room together are seen one after the other.
    let is_together = together <= room || long().any(shares);
    let needed = if is_together { together } else { needs().max().unwrap_or(0) };
    part.max(room.saturating_sub(needed))
}

fn cut_short(
    screen: &mut AnnotateLayout,
    area: Rect,
    pane: Pane,
    rows: (u16, u16),
    contents: &PaneContents,
) -> Rect {
    let (least, most) = rows;
    let rows = (contents.rows)(pane, inner(area.width)).max(least).min(most.max(1));
    let (top, rest) = cut_top(area, rows + 1);
    screen.panes.0.push((pane, placed(top)));
    rest
}

fn present(panes: &[Pane], contents: &PaneContents) -> Vec<Pane> {
    panes.iter().copied().filter(|pane| (contents.is_present)(*pane)).collect()
}

fn wide(
    screen: &mut AnnotateLayout,
    middle: Rect,
    (column, columns): (u16, &[Vec<Pane>]),
    contents: &PaneContents,
) {
    let mut rest = middle;
    for pane in present(&contents.layout.above, contents) {
        rest = cut_short(screen, rest, pane, (1, middle.height / 8), contents);
    }
    if is_pair(contents) {
        // Above the two texts the judgment stays in its place, however long they are.
        let questions = (contents.judgment_rows)(inner(rest.width)).saturating_add(1);
        let (judgment, below) = cut_top(rest, questions.min(rest.height / 2));
        screen.judgment = placed(judgment);
        rest = below;
        if columns.len() < 3 {
            screen.tabs = tabs_of_pair(contents);
        }
    }
    let Some((last, before)) = columns.split_last() else { return };
    for panes in before {
        stack(screen, Rect { width: column, ..rest }, panes, contents);
        screen.dividers.push(Rect { x: rest.x + column, width: 1, ..rest });
        rest = Rect { x: rest.x + column + 1, width: rest.width - column - 1, ..rest };
    }
    match is_pair(contents) {
        true => stack(screen, rest, last, contents),
        false => asked(screen, rest, last, contents),
    }
}

/// Fills the column of the judgment: short texts, the judgment straight under them where it does not move, then long texts.
/// Where all stand in one column, the judgment comes under the texts that it is about.
fn asked(screen: &mut AnnotateLayout, area: Rect, panes: &[Pane], contents: &PaneContents) {
    let mut questions = (contents.judgment_rows)(inner(area.width)).saturating_add(1);
    if !panes.is_empty() {
        // However long the answers are, the judged texts stay on the screen.
        questions = questions.min(area.height / 2 + 1);
    }
    let free = area.height.saturating_sub(questions);
    let needed = |pane: &Pane| {
        let rows = (contents.rows)(*pane, inner(area.width));
        let most = || most_rows(Rect { height: free, ..area }, *pane, free / 3 + 1, panes, contents);
        if is_long(*pane) { rows.saturating_add(2) } else { rows.max(STEADY).min(most()) + 1 }
    };
    let (long, short): (Vec<Pane>, Vec<Pane>) = panes.iter().partition(|pane| is_long(**pane));
    let is_only = screen.dividers.len() == usize::from(screen.drawer.is_some());
    let above = if is_only { panes } else { &short };
    let wanted = above.iter().map(needed).fold(0_u16, u16::saturating_add);
    let (top, below) = cut_top(area, wanted.min(free));
    stack(screen, top, above, contents);
    let (judgment, below) = cut_top(below, questions);
    screen.judgment = placed(judgment);
    if !is_only {
        stack(screen, below, &long, contents);
    }
}

/// Two compared texts, a column each. Their documents have a third column where there is room, else they share the place of
/// the second text.
fn compared(panes: Vec<Pane>, has_room: bool, contents: &PaneContents) -> Vec<Vec<Pane>> {
    let has_documents = panes.contains(&Pane::Documents);
    let (second, first): (Vec<Pane>, Vec<Pane>) =
        panes.into_iter().filter(|pane| *pane != Pane::Documents).partition(|pane| *pane == Pane::Other);
    match has_documents {
        true if has_room => vec![first, second, vec![Pane::Documents]],
        true if contents.focus == Pane::Documents => vec![first, vec![Pane::Documents]],
        _ => vec![first, second],
    }
}

/// The documents share the place of the second text.
fn tabs_of_pair(contents: &PaneContents) -> Vec<Pane> {
    let has_documents = present(&contents.layout.left, contents).contains(&Pane::Documents)
        || present(&contents.layout.right, contents).contains(&Pane::Documents);
    if has_documents { vec![Pane::Other, Pane::Documents] } else { Vec::new() }
}

/// Whether two candidates are compared: both are seen at once.
fn is_pair(contents: &PaneContents) -> bool {
    let sides = [&contents.layout.left, &contents.layout.right];
    sides.iter().any(|side| side.contains(&Pane::Other)) && (contents.is_present)(Pane::Other)
}

/// Short panes as high as they need (a third at most), long ones share the rest.
fn stack(screen: &mut AnnotateLayout, area: Rect, panes: &[Pane], contents: &PaneContents) {
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
            let most = most_rows(area, *pane, area.height / 3, panes, contents);
            rest = cut_short(screen, rest, *pane, (STEADY, most), contents);
        }
    }
}

fn narrow(screen: &mut AnnotateLayout, middle: Rect, contents: &PaneContents) {
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
        let (least, part) = if middle.height >= 20 { (STEADY, 4) } else { (1, 2) };
        let most = most_rows(rest, *pane, part, &columns, contents);
        rest = cut_short(screen, rest, *pane, (least, most), contents);
    }
    let mut long: Vec<Pane> = columns.into_iter().filter(|pane| is_long(*pane)).collect();
    if is_pair(contents) {
        screen.tabs = tabs_of_pair(contents);
        // A row for the title, and one for the strip of the documents.
        let titles = |pane: Pane| 1 + u16::from(pane == Pane::Documents);
        let needs = |pane: &Pane| (contents.rows)(*pane, inner(rest.width)).saturating_add(titles(*pane));
        let texts: Vec<Pane> = compared(long, false, contents).into_iter().flatten().collect();
        if let [first, second] = texts[..] {
            // One text over the other: a short text leaves its room to the long one.
            let most = (rest.height / 2).max(rest.height.saturating_sub(needs(&second)));
            let (top, below) = cut_top(rest, needs(&first).min(most));
            screen.panes.0.extend([(first, placed(top)), (second, placed(below))]);
        } else {
            screen.panes.0.extend(texts.last().map(|pane| (*pane, placed(rest))));
        }
        return;
    }
    // A short summary leaves its documents room: nothing is behind a tab.
    let listed = long.iter().position(|pane| *pane != Pane::Documents).filter(|_| long.len() > 1);
    if let Some((place, pane)) = listed.and_then(|place| Some((place, *long.get(place)?))) {
        let rows = (contents.rows)(pane, inner(rest.width));
        if rows.saturating_add(LEFT) <= rest.height {
            rest = cut_short(screen, rest, pane, (1, rows), contents);
            long.remove(place);
        }
    }
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
        drawn(width, height, protocol, (is_zoomed, false))
    }

    fn drawn(
        width: u16,
        height: u16,
        protocol: usize,
        (is_zoomed, has_drawer): (bool, bool),
    ) -> AnnotateLayout {
        let contents = PaneContents {
            layout: &builtins()[protocol].layout,
            is_present: &|_| true,
            rows: &|pane, _| if is_long(pane) { 500 } else { 3 },
            judgment_rows: &|_| 2,
            focus: Pane::Candidate,
            is_zoomed,
            judges_bullet: false,
            has_drawer,
            measure: 90,
        };
        lay_out(width, height, &contents)
    }

    #[test]
    fn nothing_overlaps_or_leaves_the_screen_at_any_size() {
        for width in (0..=30).chain([80, 99, 100, 159, 160, 161, 200, 247, 400]) {
            for height in (0..=30).chain([60, 100]) {
                for (protocol, opened) in
                    [(0, (false, false)), (1, (false, true)), (0, (true, false)), (0, (true, true))]
                {
                    let screen = drawn(width, height, protocol, opened);
                    let mut areas =
                        vec![screen.header, screen.footer, screen.judgment.title, screen.judgment.body];
                    areas.extend(screen.dividers.iter().copied());
                    areas.extend(screen.drawer.iter().flat_map(|at| [at.title, at.body]));
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
    fn two_texts_that_are_compared_are_seen_at_once_and_their_documents_behind_a_tab() {
        let layout = &crate::protocol::builtin("preference").expect("built in").layout;
        let seen = |(width, height): (u16, u16), focus| {
            let contents = PaneContents {
                layout,
                is_present: &|pane| pane != Pane::Unit,
                rows: &|pane, _| if is_long(pane) { 500 } else { 1 },
                judgment_rows: &|_| 1,
                focus,
                is_zoomed: false,
                judges_bullet: false,
                has_drawer: false,
                measure: 90,
            };
            let screen = lay_out(width, height, &contents);
            let panes: Vec<Pane> = screen.panes.0.iter().map(|(pane, _)| *pane).collect();
            let heights = [Pane::Candidate, Pane::Other].map(|pane| screen.panes.height(pane));
            (panes, heights, screen.tabs.len())
        };
        use Pane::{Candidate, Documents, Other, Query};
        assert_eq!(seen((80, 24), Candidate), (vec![Query, Candidate, Other], [8, 8], 2));
        assert_eq!(seen((80, 24), Documents), (vec![Query, Candidate, Documents], [8, 0], 2));
        assert_eq!(seen((120, 40), Other).0, [Query, Candidate, Other]);
        assert_eq!(seen((120, 40), Documents).0, [Query, Candidate, Documents]);
        let (panes, heights, tabs) = seen((250, 60), Candidate);
        assert_eq!((panes, tabs), (vec![Query, Candidate, Other, Documents], 0));
        assert!(heights[0] == heights[1] && heights[0] > 50, "{heights:?}");
    }

    #[test]
    fn a_long_insight_takes_the_rows_that_are_idle_and_no_others() {
        let unit_and_summary = |size: (u16, u16), rows: &dyn Fn(Pane, u16) -> u16, has_documents: bool| {
            let contents = PaneContents {
                layout: &builtins()[0].layout,
                is_present: &|pane| has_documents || pane != Pane::Documents,
                rows,
                judgment_rows: &|_| 1,
                focus: Pane::Candidate,
                is_zoomed: false,
                judges_bullet: false,
                has_drawer: false,
                measure: 90,
            };
            let screen = lay_out(size.0, size.1, &contents);
            (screen.panes.height(Pane::Unit), screen.panes.height(Pane::Candidate))
        };
        let long = |summary: u16| {
            move |pane, _| match pane {
                Pane::Unit => 30,
                Pane::Candidate => summary,
                Pane::Documents => 500,
                _ => 1,
            }
        };
        for size in [(80, 24), (120, 30), (200, 60)] {
            let (unit, summary) = unit_and_summary(size, &long(5), false);
            assert!(unit >= 10 && summary >= 5, "{size:?}: {unit} {summary}");
        }
        for size in [(80, 24), (120, 30)] {
            let (unit, _) = unit_and_summary(size, &long(200), false);
            assert!(unit <= size.1 / 3, "{size:?}: a long summary leaves none");
        }
        assert_eq!(unit_and_summary((80, 24), &long(5), true).0, 4, "the documents are read");
    }

    #[test]
    fn on_a_tiny_screen_every_text_can_be_read() {
        for focus in [Pane::Unit, Pane::Candidate, Pane::Documents] {
            let contents = PaneContents {
                layout: &builtins()[0].layout,
                is_present: &|_| true,
                rows: &|_, _| 9,
                judgment_rows: &|_| 4,
                focus,
                is_zoomed: false,
                judges_bullet: false,
                has_drawer: false,
                measure: 90,
            };
            let tiny = lay_out(40, 10, &contents);
            assert!(tiny.panes.height(focus) > 1, "{focus:?}: {tiny:?}");
            assert!(tiny.tabs.contains(&focus));
        }
    }

    /// The panes side by side, left to right, with the judgment in its place.
    fn side_by_side(width: u16, has_documents: bool) -> (AnnotateLayout, Vec<(u16, u16)>) {
        let contents = PaneContents {
            layout: &builtins()[0].layout,
            is_present: &|pane| has_documents || pane != Pane::Documents,
            rows: &|pane, _| if is_long(pane) { 500 } else { 3 },
            judgment_rows: &|_| 1,
            focus: Pane::Candidate,
            is_zoomed: false,
            judges_bullet: false,
            has_drawer: false,
            measure: 90,
        };
        let screen = lay_out(width, 60, &contents);
        let bodies = screen.panes.0.iter().map(|(_, at)| at.body).chain([screen.judgment.body]);
        let mut columns: Vec<(u16, u16)> = bodies.map(|body| (body.x, body.width)).collect();
        columns.sort_unstable();
        columns.dedup_by_key(|(x, _)| *x);
        (screen, columns)
    }

    #[test]
    fn what_is_asked_stands_beside_the_summary_and_nothing_is_wider_than_the_measure() {
        for (width, has_documents, count) in [
            (120, false, 1),
            (200, false, 2),
            (400, false, 2),
            (120, true, 2),
            (200, true, 2),
            (400, true, 3),
        ] {
            let (screen, columns) = side_by_side(width, has_documents);
            assert_eq!(columns.len(), count, "{width} {columns:?}");
            let at = |pane| screen.panes.place(pane).expect("on the screen").body;
            let (unit, summary) = (at(Pane::Unit), at(Pane::Candidate));
            let judgment = screen.judgment.body;
            assert_eq!(unit.x, judgment.x, "{width}");
            assert_eq!(count == 1 || (has_documents && count == 2), summary.x == unit.x, "{width}");
            if count > 1 {
                assert!(
                    unit.bottom() < judgment.y && (judgment.bottom() < summary.y) == (summary.x == unit.x)
                );
            }
            let whole = screen.panes.place(Pane::Query).expect("on the screen").title;
            for (_, wide) in &columns {
                assert!(*wide <= 90 || *wide == whole.width - 2, "{width} {columns:?}");
            }
            assert!(whole.width <= 92 * extent(count) + extent(count), "no blank field between: {whole:?}");
            assert!(whole.x.abs_diff(width - whole.right()) <= 1, "in the middle: {whole:?}");
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
