//! What lies over the panes: what is asked before the session begins, the pause, the end, help and prompts.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Modifier;

use super::bars::hours;
use crate::app::kit::action::{Action, Group};
use crate::app::kit::overlay::{Overlay, PromptKind};
use crate::app::screens::session::{Fault, SessionApp, Stage};
use crate::journal::session::{DocumentChoice, Ending, minute_name};
use crate::text::width::visible;
use crate::text::wrap::wrap;
use crate::view::kit::page::{
    self, Line, action_help, group_help, help_line, page, section_help, short_page,
};
use crate::view::kit::theme::Theme;

/// Actions of the annotate screen that mean the same here, while one reads.
const READING: &[Action] = &[
    Action::ScrollDown,
    Action::ScrollUp,
    Action::PageDown,
    Action::PageUp,
    Action::Top,
    Action::Bottom,
    Action::Zoom,
    Action::NextDocument,
    Action::PreviousDocument,
    Action::OpenDocument,
    Action::Search,
    Action::NextMark,
    Action::PreviousMark,
];

const PROGRAM: &[Action] = &[Action::Theme, Action::Help, Action::Redraw, Action::Suspend];

pub(super) fn draw(app: &SessionApp, theme: &Theme, buffer: &mut Buffer) -> Option<Position> {
    match app.frame.overlays.last() {
        Some(Overlay::Help { scroll }) => page(theme, buffer, "Keys", *scroll, &help(app, theme)),
        Some(Overlay::Finish) => short_page(theme, buffer, "End the session?", finish(app, theme)),
        Some(Overlay::Prompt(prompt)) => {
            return page::prompt(theme, buffer, prompt, &hits(app, prompt.kind));
        }
        _ => match app.stage {
            Stage::Working => {}
            Stage::Briefing => short_page(theme, buffer, "A summary against the clock", briefing(app, theme)),
            Stage::Paused => short_page(theme, buffer, "Paused", paused(app, theme)),
            Stage::TimeUp => short_page(theme, buffer, "The time is up", time_up(app, theme)),
            Stage::Over(ending) => short_page(theme, buffer, "The session is over", over(app, theme, ending)),
        },
    }
    None
}

fn briefing(app: &SessionApp, theme: &Theme) -> Vec<Line> {
    let plain = |text: String| vec![(text, theme.text.0)];
    let quiet = |text: &str| vec![(text.to_owned(), theme.quiet.0)];
    let documents = app.shelf.documents().len();
    let which = match &app.setup.documents {
        DocumentChoice::Relevant => "the documents that speak of it".to_owned(),
        DocumentChoice::All => "all documents".to_owned(),
        DocumentChoice::Retriever { name, .. } => format!("what {} found", visible(name)),
    };
    let insights = match app.setup.insights {
        0 => "Write a bullet for each insight that they hold,".to_owned(),
        1 => "They hold 1 insight. Write a bullet for it,".to_owned(),
        insights => format!("They hold {insights} insights. Write a bullet for each,"),
    };
    let mut lines = vec![
        vec![(visible(&app.query.text).into_owned(), theme.text.0.add_modifier(Modifier::BOLD))],
        Vec::new(),
        plain(format!("There are {documents} documents to read: {which}, shuffled.")),
        plain(format!("{insights} and cite the documents that say it at its end: [3] or [3,8].")),
        plain(limit(app)),
        Vec::new(),
        quiet(
            "Searching is allowed. Nothing can be copied out of a document or pasted; attempts are in the log.",
        ),
        quiet(
            "What you write is on disk within two seconds. Whatever happens, it opens again at the same second.",
        ),
        Vec::new(),
    ];
    if app.session.openings > 0 {
        lines.push(vec![(format!("So far: {}", so_far(app)), theme.accent.0)]);
        lines.push(Vec::new());
    }
    if app.must_confirm() {
        let warning = "You have judged summaries of this query, and know more of it than a writer should.";
        lines.push(vec![(warning.to_owned(), theme.warning.0)]);
        lines.push(plain("If you write all the same, that is recorded.".to_owned()));
        lines.push(Vec::new());
        lines.push(help_line(theme, "y", "begins all the same"));
    } else {
        lines.push(help_line(theme, "⏎", "starts the clock"));
    }
    lines.push(help_line(theme, &app.frame.keymap.sign(Action::Quit), "leaves"));
    lines
}

fn limit(app: &SessionApp) -> String {
    let hidden = if app.setup.shows_clock { "" } else { "; the clock is hidden" };
    format!("You have {} at most. Pauses do not count{hidden}.", hours(app.setup.limit))
}

/// How much is written, and how long it took.
fn so_far(app: &SessionApp) -> String {
    let count = |number: usize, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    let totals = app.summary.sheet.totals();
    let mut text = format!("{}, {}", count(totals.bullets, "bullet"), count(totals.words, "word"));
    if app.setup.shows_clock {
        text.push_str(&format!(", {} of {}", hours(app.clock.active()), hours(app.setup.limit)));
    }
    text
}

fn paused(app: &SessionApp, theme: &Theme) -> Vec<Line> {
    vec![
        vec![("The clock stands still, and documents and summary are hidden.".to_owned(), theme.text.0)],
        Vec::new(),
        vec![(so_far(app), theme.accent.0)],
        Vec::new(),
        help_line(theme, "⏎", "goes on"),
        help_line(theme, &app.frame.keymap.sign(Action::Quit), "leaves; it goes on when it is opened again"),
    ]
}

fn time_up(app: &SessionApp, theme: &Theme) -> Vec<Line> {
    vec![
        vec![(format!("Your summary is kept as it is: {}.", so_far(app)), theme.text.0)],
        Vec::new(),
        help_line(theme, "e", "ends the session here"),
        help_line(theme, "w", "writes on; from here on it is recorded as over time"),
    ]
}

fn finish(app: &SessionApp, theme: &Theme) -> Vec<Line> {
    let mut lines = vec![vec![(so_far(app), theme.text.0)]];
    let warnings = [
        fewer_bullets(app),
        counted(app, "cites nothing", "cite nothing", |fault| matches!(fault, Fault::Uncited)),
        counted(app, "cites a document that is not here", "cite documents that are not here", |fault| {
            matches!(fault, Fault::Unknown(_))
        }),
        unread(app),
    ];
    lines.extend(warnings.into_iter().flatten().map(|warning| vec![(warning, theme.warning.0)]));
    lines.push(Vec::new());
    lines.push(vec![(
        "Nothing can be changed afterwards. The clock runs on meanwhile.".to_owned(),
        theme.quiet.0,
    )]);
    lines.push(Vec::new());
    lines.push(help_line(theme, "y", "ends the session"));
    lines.push(help_line(theme, "esc", "goes on writing"));
    lines
}

fn fewer_bullets(app: &SessionApp) -> Option<String> {
    let (bullets, insights) = (app.summary.sheet.totals().bullets, app.setup.insights);
    (bullets < insights).then(|| format!("fewer bullets than insights: {bullets} for {insights}"))
}

fn counted(app: &SessionApp, one: &str, several: &str, is_meant: fn(&Fault) -> bool) -> Option<String> {
    let lines = app.summary.sheet.lines().iter();
    match lines.filter(|line| line.faults.iter().any(is_meant)).count() {
        0 => None,
        1 => Some(format!("1 bullet {one}")),
        count => Some(format!("{count} bullets {several}")),
    }
}

fn unread(app: &SessionApp) -> Option<String> {
    let left = app.shelf.documents().len() - app.documents_read();
    (left > 0)
        .then(|| format!("{left} of {} documents were not read to their end", app.shelf.documents().len()))
}

fn over(app: &SessionApp, theme: &Theme, ending: Ending) -> Vec<Line> {
    let how = match ending {
        Ending::Finished => "You finished before the limit.",
        Ending::Limit => "The time was up.",
        Ending::OverTime => "You finished over time.",
    };
    let snapshots = app.session.snapshots.iter();
    let mut minutes: Vec<String> = snapshots.map(|snapshot| minute_name(snapshot.active)).collect();
    minutes.dedup();
    let kept = match minutes.len() {
        0 | 1 => "Your summary is kept, to be judged by others.".to_owned(),
        _ => format!(
            "Your summary is kept as it was at minutes {}, to be judged by others.",
            minutes.join(", ")
        ),
    };
    vec![
        vec![(how.to_owned(), theme.text.0)],
        vec![(so_far(app), theme.accent.0)],
        Vec::new(),
        vec![(kept, theme.text.0)],
        Vec::new(),
        help_line(theme, "⏎", "leaves"),
    ]
}

fn help(app: &SessionApp, theme: &Theme) -> Vec<Line> {
    let keymap = &app.frame.keymap;
    let own = |action: Action, says: &str| action_help(keymap, action, says, theme);
    let section = |title: &str, actions: &[Action]| {
        let actions = section_help(keymap, title, actions.iter().copied(), theme);
        std::iter::once(Vec::new()).chain(actions)
    };
    let mut lines = group_help(keymap, Group::Session, theme);
    lines.push(own(Action::NextPane, "from reading to writing, and back"));
    lines.push(own(Action::PreviousPane, "the pane before: summary, document, list"));
    lines.push(own(Action::Quit, "leave; the clock stands still until it is opened again"));
    let writing: Vec<Action> =
        Action::ALL.iter().copied().filter(|action| action.group() == Group::Writing).collect();
    lines.extend(section("Writing", &writing));
    lines.extend(section("Reading", READING));
    lines.extend(section("Program", PROGRAM));
    lines.push(Vec::new());
    let signs = "Beside a bullet: ? cites no document here · = cites one twice · – cites nothing. ○ unread · ◐ part-read · ● read.";
    lines.extend(wrapped(signs, app.frame.size.0, theme));
    lines.extend(wrapped(
        "While you write, letters are text; the other keys do the same as elsewhere.",
        app.frame.size.0,
        theme,
    ));
    lines
}

fn wrapped(text: &str, columns: u16, theme: &Theme) -> Vec<Line> {
    let rows = wrap(text, columns.saturating_sub(4));
    rows.iter().map(|bytes| vec![(text.get(bytes).unwrap_or("").to_owned(), theme.quiet.0)]).collect()
}

/// How often the words occur, and where.
fn hits(app: &SessionApp, kind: PromptKind) -> String {
    if kind == PromptKind::OpenDocument || app.shelf.needle.is_empty() {
        return String::new();
    }
    if kind == PromptKind::FindInSummary {
        return format!(" {} in the summary ", app.hits_in_summary().len());
    }
    let counts = app.shelf.hit_counts();
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    match counts.len() {
        0 => " nowhere ".to_owned(),
        1 => format!(" {} here, {total} in 1 document ", app.shelf.board.hits.len()),
        documents => format!(" {} here, {total} in {documents} documents ", app.shelf.board.hits.len()),
    }
}
