//! Places of a session's screen.

use ratatui::layout::Rect;

use super::{GUTTER, WORDS};
use crate::app::kit::{Panes, PlacedPane, centred, cut_bottom, cut_top, placed};

/// From this width on one reads and writes side by side; below, they are one key apart.
pub const SIDE_BY_SIDE: u16 = 120;

/// From this width on the list of documents has a column of its own.
const THREE_COLUMNS: u16 = 160;

/// Columns of the list of documents.
const LIST: u16 = 48;

/// A pane, which can have the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionPane {
    List,
    Document,
    Summary,
}

impl SessionPane {
    pub const ALL: [SessionPane; 3] = [SessionPane::List, SessionPane::Document, SessionPane::Summary];
}

/// The screen, cut into places. Areas that do not fit are empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionLayout {
    pub header: Rect,
    pub query: PlacedPane,
    pub panes: Panes<SessionPane>,
    /// The lines between columns.
    pub dividers: Vec<Rect>,
    /// One row: the fault of the bullet at the cursor, and the notice.
    pub status: Rect,
    pub footer: Rect,
    /// Whether the panes share one place.
    pub has_tabs: bool,
}

/// Cuts a screen of this size into places. `query` tells the rows that the query needs at a width.
pub fn lay_out(
    size: (u16, u16),
    focus: SessionPane,
    is_zoomed: bool,
    measure: u16,
    query: &dyn Fn(u16) -> u16,
) -> SessionLayout {
    let (width, height) = size;
    let (header, rest) = cut_top(Rect::new(0, 0, width, height), 1);
    let (rest, footer) = cut_bottom(rest, 1);
    let (rest, status) = cut_bottom(rest, 1);
    // A text has a blank on either side, a bullet its number and its word count as well. Nothing is wider.
    let reading = measure.saturating_add(2);
    let writing = reading.saturating_add(GUTTER + WORDS);
    let has_tabs = is_zoomed || width < SIDE_BY_SIDE;
    let rest = centred(rest, if has_tabs { writing } else { (LIST + 2).saturating_add(reading + writing) });
    let needed = query(rest.width.saturating_sub(2)).clamp(1, (height / 8).max(1));
    let (above, middle) = cut_top(rest, needed + 1);
    let mut screen =
        SessionLayout { header, query: placed(above), status, footer, ..SessionLayout::default() };
    if has_tabs {
        screen.panes.0.push((focus, placed(middle)));
        screen.has_tabs = true;
    } else if width >= THREE_COLUMNS {
        let (list, rest) = left(middle, LIST, &mut screen);
        let (document, summary) = left(rest, (rest.width / 2).min(reading), &mut screen);
        screen.panes.0.extend([
            (SessionPane::List, placed(list)),
            (SessionPane::Document, placed(document)),
            (SessionPane::Summary, placed(summary)),
        ]);
    } else {
        let (reading, summary) = left(middle, middle.width / 2, &mut screen);
        let (list, document) = cut_top(reading, (reading.height / 4).max(4));
        screen.panes.0.extend([
            (SessionPane::List, placed(list)),
            (SessionPane::Document, placed(document)),
            (SessionPane::Summary, placed(summary)),
        ]);
    }
    screen
}

/// Cuts off a column of so many cells and a divider; returns the column and the rest.
fn left(area: Rect, columns: u16, screen: &mut SessionLayout) -> (Rect, Rect) {
    let columns = columns.min(area.width.saturating_sub(1));
    let after = area.x + columns;
    screen.dividers.push(Rect { x: after, width: 1.min(area.width), ..area });
    let rest = area.width.saturating_sub(columns + 1);
    (Rect { width: columns, ..area }, Rect { x: after + 1, width: rest, ..area })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_overlaps_or_leaves_the_screen_at_any_size() {
        for width in (0..=30).chain([79, 80, 119, 120, 121, 159, 160, 200, 400]) {
            for height in (0..=30).chain([60, 100]) {
                for (focus, is_zoomed) in [(SessionPane::Document, false), (SessionPane::Summary, true)] {
                    let screen = lay_out((width, height), focus, is_zoomed, 90, &|_| 3);
                    let mut areas = vec![screen.header, screen.status, screen.footer];
                    areas.extend([screen.query.title, screen.query.body]);
                    areas.extend(screen.dividers.iter().copied());
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
    fn nothing_is_wider_than_its_text_and_the_rest_is_around_it() {
        let widths = |size| -> Vec<u16> {
            let screen = lay_out(size, SessionPane::Summary, false, 90, &|_| 1);
            screen.panes.0.iter().map(|(_, at)| at.body.width).collect()
        };
        assert_eq!(widths((400, 100)), [46, 90, 100]);
        assert_eq!(widths((200, 60)), [46, 73, 73]);
        let screen = lay_out((400, 100), SessionPane::Summary, true, 90, &|_| 1);
        let alone = screen.panes.place(SessionPane::Summary).expect("alone").title;
        assert_eq!((alone.x, alone.width), (149, 102));
    }

    #[test]
    fn reading_and_writing_stand_side_by_side_from_120_columns() {
        let panes = |width| -> Vec<SessionPane> {
            let screen = lay_out((width, 40), SessionPane::Summary, false, 90, &|_| 1);
            screen.panes.0.iter().map(|(pane, _)| *pane).collect()
        };
        assert_eq!(panes(119), [SessionPane::Summary]);
        assert_eq!(panes(120), SessionPane::ALL);
        assert_eq!(panes(200), SessionPane::ALL);
        let narrow = lay_out((80, 24), SessionPane::Document, false, 90, &|_| 1);
        assert!(narrow.panes.place(SessionPane::Document).is_some_and(|at| at.body.height >= 17));
    }
}
