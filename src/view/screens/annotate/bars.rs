//! The top line (place, progress, pace) and the bottom line (keys, notice).

use crate::app::kit::{Action, Overlay, extent, wide};
use crate::app::screens::annotate::{App, TourStop};
use crate::number::signed;
use crate::text::width::{visible, width};
use crate::view::kit::{
    Hint, Pen, STILL, bottom_line, clock, duration, fixed, hints_of, pace, progress as progress_of,
    reading_help, sharing, shortened,
};

pub(super) fn header(app: &App, pen: &mut Pen) {
    let area = sharing(&app.frame, pen, app.layout.header);
    let left =
        format!(" {} · {} · {}", visible(&app.study), visible(&app.protocol.name), visible(&app.queue.name));
    let left = shortened(&left, usize::from(area.width) / 2);
    let progress = app.queue.progress;
    let position = app.loaded.as_ref().map_or(0, |loaded| loaded.position + 1);
    let place = if position > progress.total { "–".to_owned() } else { position.to_string() };
    let item = format!("item {place} of {}", progress.total);
    let judged = format!("{} judged ", progress.judged);
    let start = width(&left) + 3;
    pen.line(area, 0, 0, &left, pen.theme.header.0);
    let at = extent(start);
    let at = pen.line(area, 0, at, &format!("{item} · {judged}"), pen.theme.header.0);
    let end = progress_of(pen, area, at, (progress.judged, progress.total));
    let right = times(app, area.width, area.width.saturating_sub(end.saturating_add(2)));
    let column = area.width.saturating_sub(wide(&right).saturating_add(1));
    if column > end {
        pen.line(area, 0, column, &right, pen.theme.quiet.0);
    }
}

/// Time on this item, the annotator's own pace, time left: as much as there is room for.
fn times(app: &App, columns: u16, room: u16) -> String {
    let this = app.shows_clock.then(|| format!("{} this item", clock(app.active())));
    let is_known = app.queue.recent.len() >= ENOUGH;
    let Some(typical) = app.typical_active().filter(|_| is_known) else {
        return this.filter(|_| columns >= WIDE).unwrap_or_default();
    };
    let progress = app.queue.progress;
    let open = progress.total.saturating_sub(progress.judged + progress.skipped);
    let left = typical.saturating_mul(signed(open));
    let typically = format!("{} typical", pace(typical));
    let left = if open == 0 { "all seen".to_owned() } else { format!("{} left", duration(left)) };
    let forms = [
        this.map(|this| format!("{this} · {typically} · {left}")),
        Some(format!("{typically} · {left}")),
        Some(format!("{} · {left}", pace(typical))),
    ];
    forms.into_iter().flatten().find(|form| wide(form) <= room).unwrap_or(left)
}

/// The fewest items from which a pace is told.
const ENOUGH: usize = 10;

/// From this width on the pace is shown in full.
const WIDE: u16 = 120;

/// Actions of the bottom line, the most needed first.
const SHOWN: &[Action] = &[
    Action::NextOpen,
    Action::Back,
    Action::Undo,
    Action::Skip,
    Action::Flag,
    Action::Comment,
    Action::Search,
    Action::Help,
    Action::Guideline,
    Action::NextCitation,
    Action::NextPane,
    Action::Next,
    Action::GoTo,
    Action::Zoom,
    Action::OpenDocument,
];

/// The bottom line, with these keys where nothing lies over the boards.
pub(in crate::view) fn footer(app: &App, pen: &mut Pen, keys: Vec<Hint>) {
    let hints = if app.frame.overlays.is_empty() { keys } else { hints(app) };
    bottom_line(pen, app.layout.footer, &app.frame, hints);
}

/// The keys that work now.
pub(in crate::view) fn hints(app: &App) -> Vec<Hint> {
    let sign = |action| app.frame.keymap.sign(action);
    match app.frame.overlays.last() {
        Some(Overlay::GoTo(_)) => fixed(&[("⏎", "go there"), ("↑ ↓", "choose"), ("esc", "back")]),
        Some(Overlay::Editor(_)) => {
            let mut hints = fixed(&[
                ("⏎", "keep it"),
                ("alt-⏎", "new line"),
                ("esc", "as it was"),
                ("^u ^r", "undo redo"),
            ]);
            if app.has_words_to_take() {
                hints.insert(1, ("tab".to_owned(), "words of the summary"));
            }
            hints
        }
        Some(Overlay::Selection(selection)) => selection_hints(app, selection.replaces.is_some()),
        Some(Overlay::Known) => {
            let on = match app.told() {
                _ if app.is_guideline_due() => "what went wrong",
                Some(told) if told.begins_anew() => "calibration again",
                _ => "go on",
            };
            let guideline = sign(Action::Guideline);
            fixed(&[("⏎", on), ("←", "back"), (&guideline, "guideline"), ("esc", "look at the item")])
        }
        Some(Overlay::Rest(_)) => fixed(&[("⏎", "record them"), ("esc", "leave it")]),
        Some(Overlay::Done) => {
            hints_of(&app.frame.keymap, &[Action::NextFlagged, Action::Back, Action::Undo, Action::Quit])
        }
        Some(Overlay::Help(_)) => reading_help(),
        Some(Overlay::Changes { .. }) => {
            let confirm = sign(Action::Confirm);
            fixed(&[(&confirm, "confirm"), ("space b", "page"), ("↓ ↑", "line"), ("esc", "back")])
        }
        Some(Overlay::Guideline { .. }) => fixed(&[("space b", "page"), ("↓ ↑", "line"), ("esc", "back")]),
        _ if app.tour().is_some() => tour(app),
        _ => {
            let mut shown = SHOWN.to_vec();
            let place = |wanted| SHOWN.iter().position(|action| *action == wanted);
            if let (true, Some(search), Some(cited)) =
                (app.follows_citations(), place(Action::Search), place(Action::NextCitation))
            {
                shown.swap(search, cited);
            }
            let shown = shown.iter();
            // Undo comes first after an answer; on a wide screen, where the keys stay in place, they have it anyway.
            let leads = app.layout.footer.width < STILL && app.frame.notice.text.starts_with('✓');
            let undo = leads.then_some(&Action::Undo);
            let shown = undo.into_iter().chain(shown.filter(|action| undo != Some(*action)));
            let works = shown.filter(|action| match action {
                Action::OpenDocument => app.has_documents(),
                Action::NextCitation => app.follows_citations(),
                _ => true,
            });
            hints_of(&app.frame.keymap, works)
        }
    }
}

/// The hints of the tour, with their keys.
fn tour(app: &App) -> Vec<Hint> {
    use Action::{Guideline, Help, NextPane, PageDown, Tour, Undo};
    let (step, said, keys) = match app.tour() {
        // The question stands as a sign, so that it is seen.
        Some(TourStop::Task) => {
            let asked = format!("1 of 5 {}", app.task_question());
            let keys = [(NextPane, "other texts"), (PageDown, "a page on")];
            return std::iter::once((asked, "")).chain(with_signs(app, keys)).collect();
        }
        Some(TourStop::Answer) => (
            "2 of 5",
            "press the letter beside your answer",
            [(Guideline, "how to decide"), (Help, "all keys")],
        ),
        Some(TourStop::More) => {
            ("3 of 5", "answer what is in colour now", [(Undo, "a step back"), (Help, "all keys")])
        }
        Some(TourStop::Saved) => ("4 of 5", "it is on disk", [(Undo, "takes it back"), (Help, "all keys")]),
        _ => ("5 of 5", "that was all", [(Help, "all keys, at any time"), (Tour, "all this again")]),
    };
    fixed(&[(step, said)]).into_iter().chain(with_signs(app, keys)).collect()
}

/// The keys of actions, each with its meaning there.
fn with_signs(app: &App, keys: [(Action, &'static str); 2]) -> [Hint; 2] {
    keys.map(|(action, does)| (app.frame.keymap.sign(action), does))
}

fn selection_hints(app: &App, replaces: bool) -> Vec<Hint> {
    let mut shown = vec![
        Action::SelectTake,
        Action::SelectNext,
        Action::SelectLonger,
        Action::SelectShorter,
        Action::SelectMore,
        Action::SelectEarlier,
        Action::SelectLater,
        Action::SelectLikely,
    ];
    if replaces {
        shown.splice(1..1, [Action::SelectAdd, Action::SelectRemove]);
    }
    let mut hints = hints_of(&app.frame.keymap, &shown);
    hints.insert(1, ("esc".to_owned(), "leave"));
    hints
}
