//! Pages over the panes: the briefing, the pause, the end, help and prompts.

use ratatui::layout::Position;

use super::bars::hours;
use crate::app::kit::{Action, HelpSection, Overlay, Paragraph, PromptKind, Tone};
use crate::app::screens::annotate::paragraphs;
use crate::app::screens::session::{BulletFault, SessionApp, Stage};
use crate::journal::session::{DocumentChoice, Ending, minute_name};
use crate::number::number_of;
use crate::text::width::visible;
use crate::view::kit::{
    Pen, action_help, group_help, help_line, hits_told, keys_page, page, section_help, short_page,
};

/// Actions of the annotate screen that mean the same in a session, while one reads.
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

const PROGRAM: &[Action] = &[Action::Theme, Action::Measure, Action::Help, Action::Redraw, Action::Suspend];

pub(super) fn draw(app: &SessionApp, pen: &mut Pen) -> Option<Position> {
    match app.frame.overlays.last() {
        Some(Overlay::Help(shown)) => return keys_page(pen, shown, help(app)),
        Some(Overlay::Guideline { scroll }) => {
            let guideline = app.setup.guideline.as_deref().unwrap_or_default();
            page::page(pen, "Instructions", *scroll, paragraphs(guideline));
        }
        Some(Overlay::Finish) => short_page(pen, "End the session?", finish(app)),
        Some(Overlay::Prompt(prompt)) => {
            return page::prompt(pen, prompt, &hits(app, prompt.kind));
        }
        _ => match app.stage {
            Stage::Working => {}
            Stage::Briefing => short_page(pen, "A summary against the clock", briefing(app)),
            Stage::Paused => short_page(pen, "Paused", paused(app)),
            Stage::TimeUp => short_page(pen, "The time is up", time_up(app)),
            Stage::Over(ending) => short_page(pen, "The session is over", over(app, ending)),
        },
    }
    None
}

fn briefing(app: &SessionApp) -> Vec<Paragraph> {
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
        Paragraph::heading(&app.query.text),
        Paragraph::gap(),
        Paragraph::plain(match documents {
            1 => format!("There is 1 document to read{}.", to_read(app)),
            _ => format!("There are {documents} documents to read: {which}, shuffled{}.", to_read(app)),
        }),
        Paragraph::plain(format!("{insights} and cite the documents that say it at its end: [3] or [3,8].")),
        Paragraph::plain(limit(app)),
    ];
    if app.setup.draft.is_some() {
        lines.push(Paragraph::plain("A draft stands on the page: change what is wrong, add what it lacks."));
    }
    lines.extend([
        Paragraph::gap(),
        Paragraph::quiet(
            "Searching is allowed. Nothing can be copied out of a document or pasted; attempts are in the log.",
        ),
        Paragraph::quiet(
            "What you write is on disk within two seconds. Whatever happens, it opens again at the same second.",
        ),
        Paragraph::gap(),
    ]);
    if app.session.openings > 0 {
        lines.push(Paragraph::default().toned(format!("So far: {}", so_far(app)), Tone::Accent));
        lines.push(Paragraph::gap());
    }
    if app.must_confirm() {
        let warning = "You have judged summaries of this query, and know more of it than a writer should.";
        lines.push(Paragraph::default().toned(warning, Tone::Wrong));
        lines.push(Paragraph::plain("If you write all the same, that is recorded."));
        lines.push(Paragraph::gap());
        lines.push(help_line("y", "begins all the same"));
    } else {
        lines.push(help_line("⏎", "starts the clock"));
    }
    if app.setup.guideline.is_some() {
        lines.push(help_line(&app.frame.keymap.sign(Action::Guideline), "shows the instructions"));
    }
    lines.push(help_line(&app.frame.keymap.sign(Action::Quit), "leaves"));
    lines
}

/// Words that a grown person reads silently in a minute (Brysbaert 2019, J. Mem. Lang. 109:104047, non-fiction).
const READ_IN_A_MINUTE: usize = 238;

/// How long the documents are, and how long reading them takes.
fn to_read(app: &SessionApp) -> String {
    let (words, minutes) = (app.words_to_read, app.words_to_read.div_ceil(READ_IN_A_MINUTE));
    format!("; {}, about {}", number_of(words, "word"), number_of(minutes, "minute"))
}

fn limit(app: &SessionApp) -> String {
    let hidden = if app.setup.shows_clock { "" } else { "; the clock is hidden" };
    format!("You have {} at most. Pauses do not count{hidden}.", hours(app.setup.limit))
}

/// Length of the summary, and the time that it took.
fn so_far(app: &SessionApp) -> String {
    let totals = app.summary.sheet.totals();
    let mut text = format!("{}, {}", number_of(totals.bullets, "bullet"), number_of(totals.words, "word"));
    if app.setup.shows_clock {
        text.push_str(&format!(", {} of {}", hours(app.clock.active()), hours(app.setup.limit)));
    }
    text
}

fn paused(app: &SessionApp) -> Vec<Paragraph> {
    vec![
        Paragraph::plain("The clock stands still, and documents and summary are hidden."),
        Paragraph::gap(),
        Paragraph::default().toned(so_far(app), Tone::Accent),
        Paragraph::gap(),
        help_line("⏎", "goes on"),
        help_line(&app.frame.keymap.sign(Action::Quit), "leaves; it goes on when it is opened again"),
    ]
}

fn time_up(app: &SessionApp) -> Vec<Paragraph> {
    vec![
        Paragraph::plain(format!("Your summary is kept as it is: {}.", so_far(app))),
        Paragraph::gap(),
        help_line("e", "ends the session here"),
        help_line("w", "writes on; from here on it is recorded as over time"),
    ]
}

fn finish(app: &SessionApp) -> Vec<Paragraph> {
    let mut lines = vec![Paragraph::plain(so_far(app))];
    let warnings = [
        fewer_bullets(app),
        counted(app, "cites nothing", "cite nothing", |fault| matches!(fault, BulletFault::Uncited)),
        counted(app, "cites a document that is not here", "cite documents that are not here", |fault| {
            matches!(fault, BulletFault::Unknown(_))
        }),
        unread(app),
    ];
    lines.extend(
        warnings.into_iter().flatten().map(|warning| Paragraph::default().toned(warning, Tone::Wrong)),
    );
    lines.push(Paragraph::gap());
    lines.push(Paragraph::quiet("Nothing can be changed afterwards. The clock runs on meanwhile."));
    lines.push(Paragraph::gap());
    lines.push(help_line("y", "ends the session"));
    lines.push(help_line("esc", "goes on writing"));
    lines
}

fn fewer_bullets(app: &SessionApp) -> Option<String> {
    let (bullets, insights) = (app.summary.sheet.totals().bullets, app.setup.insights);
    (bullets < insights).then(|| format!("fewer bullets than insights: {bullets} for {insights}"))
}

fn counted(app: &SessionApp, one: &str, several: &str, is_meant: fn(&BulletFault) -> bool) -> Option<String> {
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

fn over(app: &SessionApp, ending: Ending) -> Vec<Paragraph> {
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
        Paragraph::plain(how),
        Paragraph::default().toned(so_far(app), Tone::Accent),
        Paragraph::gap(),
        Paragraph::plain(kept),
        Paragraph::gap(),
        help_line("⏎", "leaves"),
    ]
}

fn help(app: &SessionApp) -> Vec<Paragraph> {
    let keymap = &app.frame.keymap;
    let own = |action: Action, says: &str| action_help(keymap, action, says);
    let section = |title: &str, actions: &[Action]| {
        let actions = section_help(keymap, title, actions.iter().copied());
        std::iter::once(Paragraph::gap()).chain(actions)
    };
    if matches!(app.stage, Stage::Over(_)) {
        let mut lines = vec![help_line("⏎", "leaves")];
        lines.extend(section("Program", PROGRAM));
        return lines;
    }
    let mut lines = group_help(keymap, HelpSection::Session);
    lines.push(own(Action::NextPane, "from reading to writing, and back"));
    lines.push(own(Action::PreviousPane, "the pane before: summary, document, list"));
    lines.push(own(Action::Quit, "leave; the clock stands still until it is opened again"));
    let writing: Vec<Action> =
        Action::ALL.into_iter().filter(|action| action.group() == HelpSection::Writing).collect();
    lines.extend(section("Writing", &writing));
    lines.extend(section("Reading", READING));
    lines.extend(section("Program", PROGRAM));
    lines.push(Paragraph::gap());
    let signs = "Beside a bullet: ? cites no document here · = cites one twice · – cites nothing. ○ unread · ◐ part-read · ● read.";
    lines.push(Paragraph::quiet(signs));
    lines.push(Paragraph::quiet(
        "While you write, letters are text; the other keys do the same as elsewhere.",
    ));
    lines
}

/// The number of hits, and their place.
fn hits(app: &SessionApp, kind: PromptKind) -> String {
    if kind == PromptKind::OpenDocument || app.shelf.search.is_off() {
        return String::new();
    }
    if kind == PromptKind::FindInSummary {
        return format!(" {} in the summary ", app.hits_in_summary().len());
    }
    hits_told(app.shelf.board.hits.len(), &app.shelf.hit_counts())
}
