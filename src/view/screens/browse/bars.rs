//! The top line (place, annotators that count, annotator) and the bottom line (keys, notice).

use crate::app::kit::{Action, ListKind, Overlay, wide};
use crate::app::screens::browse::{BrowseContent, BrowseScreen};
use crate::browse::BrowseTable;
use crate::text::grapheme::beginning;
use crate::text::width::visible;
use crate::view::kit::{Hint, Pen, bottom_line, fixed, hints_of, sharing};

pub(super) fn header(browse: &BrowseScreen, pen: &mut Pen) {
    let area = sharing(&browse.frame, pen, browse.layout.header);
    let place = match browse.content() {
        BrowseContent::Table(screen) => screen.table().title().to_lowercase(),
        BrowseContent::Compare(_) => "compare".to_owned(),
        BrowseContent::Grids(screen) => match screen.kind.table().filter(|_| !screen.filter.is_empty()) {
            Some(table) => {
                let (rows, filter) = (table.title().to_lowercase(), beginning(&screen.filter, 40));
                format!("numbers of {rows} ({}): {}", screen.count, visible(&filter))
            }
            None => "numbers of the whole study".to_owned(),
        },
    };
    let back = "‹ ".repeat(browse.depth());
    let left = format!(" {} · {back}{place}", visible(&browse.study));
    let after = pen.line(area, 0, 0, &left, pen.theme.header.0);
    let who = match &browse.annotator {
        Some(name) => format!("as {}", visible(name)),
        None => "read only".to_owned(),
    };
    let marked = match (browse.chosen.len(), browse.marked) {
        (0, None) => String::new(),
        (0, Some(_)) => "◆ marked · ".to_owned(),
        (chosen, _) => format!("◆ {chosen} marked · "),
    };
    let right = format!("{marked}scores of {} · {who} ", visible(&browse.counted_name()));
    let short = format!("{who} ");
    for text in [right, short] {
        let at = area.width.saturating_sub(wide(&text));
        if at > after + 1 {
            pen.line(area, 0, at, &text, pen.theme.quiet.0);
            return;
        }
    }
}

/// Actions of the bottom line, the most needed first.
const TABLE: &[Action] = &[
    Action::OpenRow,
    Action::LeaveRow,
    Action::Search,
    Action::SortColumn,
    Action::NextPane,
    Action::Help,
    Action::Tag,
    Action::MarkRow,
    Action::Columns,
    Action::Whose,
    Action::Agreement,
    Action::PositionLength,
    Action::TagCounts,
    Action::Views,
    Action::Flag,
    Action::Comment,
    Action::Undo,
    Action::Zoom,
    Action::Copy,
];

const GRIDS: &[Action] = &[
    Action::OpenRow,
    Action::LeaveRow,
    Action::NextPane,
    Action::Whose,
    Action::Copy,
    Action::Help,
    Action::Quit,
];

const COMPARE: &[Action] = &[
    Action::NextQuery,
    Action::PreviousQuery,
    Action::Difference,
    Action::LeaveRow,
    Action::OpenRow,
    Action::NextPane,
    Action::Tag,
    Action::Help,
    Action::Copy,
];

pub(super) fn footer(browse: &BrowseScreen, pen: &mut Pen) {
    bottom_line(pen, browse.layout.footer, &browse.frame, hints(browse));
}

/// The keys that work now.
fn hints(browse: &BrowseScreen) -> Vec<Hint> {
    let shown = match (browse.frame.overlays.last(), browse.content()) {
        (Some(Overlay::List(list)), _) => {
            return fixed(match list.kind {
                ListKind::Columns => {
                    &[("⏎", "show or hide"), ("↑ ↓", "choose"), ("alt-↑ ↓", "move"), ("esc", "done")]
                }
                ListKind::Tags if !browse.chosen.is_empty() => {
                    &[("letter space", "put on all"), ("⏎ esc", "back")]
                }
                ListKind::Tags => &[("letter space", "put on or take off"), ("⏎ esc", "done")],
                ListKind::Views => &[("⏎", "open"), ("↑ ↓", "choose"), ("del ^d", "delete"), ("esc", "back")],
                _ => &[("⏎", "choose it"), ("↑ ↓", "choose"), ("esc", "back")],
            });
        }
        (Some(_), _) => return fixed(&[("space b", "page"), ("↓ ↑", "line"), ("esc", "back")]),
        (None, BrowseContent::Table(_)) => TABLE,
        (None, BrowseContent::Grids(_)) => GRIDS,
        (None, BrowseContent::Compare(_)) => COMPARE,
    };
    let tables =
        [Action::TableQueries, Action::TableDocuments].map(|action| browse.frame.keymap.sign(action));
    let tables = (tables.join("–"), "tables");
    let mut hints = hints_of(&browse.frame.keymap, shown);
    if matches!(browse.content(), BrowseContent::Table(_)) {
        hints.insert(2.min(hints.len()), tables);
    }
    let lists_items = browse.table().is_some_and(|screen| screen.table() == BrowseTable::Items);
    if lists_items && browse.annotator.is_some() && browse.frame.overlays.is_empty() {
        hints.splice(2..2, hints_of(&browse.frame.keymap, &[Action::SettleItems]));
    }
    hints
}
