//! The top line (where am I, whose judgments count, who am I) and the bottom line (keys, and what just happened).

use ratatui::buffer::Buffer;

use crate::app::action::Action;
use crate::app::browse::list::ListKind;
use crate::app::browse::{Browse, Overlay, Screen};
use crate::text::width::{visible, width};
use crate::view::paint::line;
use crate::view::theme::Theme;

pub(super) fn header(browse: &Browse, theme: &Theme, buffer: &mut Buffer) {
    let area = browse.layout.header;
    let place = match browse.screen() {
        Screen::Table(screen) => screen.table().title().to_lowercase(),
        Screen::Compare(_) => "compare".to_owned(),
        Screen::Grids(_) => "numbers".to_owned(),
    };
    let back = "‹ ".repeat(browse.depth());
    let left = format!(" {} · {back}{place}", visible(&browse.study));
    let after = line(buffer, area, 0, 0, &left, theme.header.0);
    let who = match &browse.annotator {
        Some(name) => format!("as {}", visible(name)),
        None => "read only".to_owned(),
    };
    let marked = if browse.marked.is_some() { "◆ marked · " } else { "" };
    let right = format!("{marked}scores of {} · {who} ", visible(&browse.counted_name()));
    let short = format!("{who} ");
    for text in [right, short] {
        let at = area.width.saturating_sub(u16::try_from(width(&text)).unwrap_or(u16::MAX));
        if at > after + 1 {
            line(buffer, area, 0, at, &text, theme.quiet.0);
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

pub(super) fn footer(browse: &Browse, theme: &Theme, buffer: &mut Buffer) {
    let area = browse.layout.footer;
    let notice = visible(&browse.notice.text);
    if !notice.is_empty() {
        let style = if browse.notice.is_warning { theme.warning.0 } else { theme.quiet.0 };
        line(buffer, area, 0, 1, &notice, style);
        return;
    }
    let mut column = 1;
    for (sign, name) in hints(browse) {
        let needs = width(&sign) + 1 + width(name) + 2;
        if usize::from(column) + needs > usize::from(area.width) + 2 {
            break;
        }
        let after = line(buffer, area, 0, column, &sign, theme.key.0);
        column = line(buffer, area, 0, after + 1, name, theme.quiet.0) + 2;
    }
}

/// The keys that work now, with what they do.
fn hints(browse: &Browse) -> Vec<(String, &'static str)> {
    let fixed = |pairs: &[(&str, &'static str)]| {
        pairs.iter().map(|(sign, name)| ((*sign).to_owned(), *name)).collect::<Vec<_>>()
    };
    let shown = match (browse.overlays.last(), browse.screen()) {
        (Some(Overlay::List(list)), _) => {
            return fixed(match list.kind {
                ListKind::Columns => {
                    &[("⏎", "show or hide"), ("↑ ↓", "choose"), ("alt-↑ ↓", "move"), ("esc", "done")]
                }
                ListKind::Tags => &[("letter", "put on or take off"), ("esc", "done")],
                ListKind::Views => &[("⏎", "open"), ("↑ ↓", "choose"), ("del ^d", "delete"), ("esc", "back")],
                _ => &[("⏎", "choose it"), ("↑ ↓", "choose"), ("esc", "back")],
            });
        }
        (Some(_), _) => return fixed(&[("space b", "page"), ("↓ ↑", "line"), ("esc", "back")]),
        (None, Screen::Table(_)) => TABLE,
        (None, Screen::Grids(_)) => GRIDS,
        (None, Screen::Compare(_)) => COMPARE,
    };
    let tables = [Action::TableQueries, Action::TableDocuments].map(|action| browse.keymap.sign(action));
    let tables = (tables.join("–"), "tables");
    let sign = |action: &Action| (browse.keymap.sign(*action), action.brief());
    let mut hints: Vec<(String, &'static str)> =
        shown.iter().map(sign).filter(|(sign, name)| !sign.is_empty() && !name.is_empty()).collect();
    if matches!(browse.screen(), Screen::Table(_)) {
        hints.insert(2.min(hints.len()), tables);
    }
    hints
}
