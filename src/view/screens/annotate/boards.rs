//! The boards: titles, texts with their highlights, and the judgment.

use std::ops::Range;

use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

use crate::app::kit::{Action, PlacedPane, Tone, extent, gutter};
use crate::app::screens::annotate::App;
use crate::journal::{ItemState, Neighbour};
use crate::protocol::{Answer, Answers, Pane, Question, TargetPart};
use crate::text::bullets::bullets;
use crate::text::citation::{Citation, citations};
use crate::text::markdown::MarkdownStyle;
use crate::text::span::Span;
use crate::text::width::{visible, width};
use crate::view::kit::{Pen, Theme, before_position, divider, over, pane_title, shortened, state_sign};

/// Draws the boards; returns the place of the cursor, where an answer is being written.
pub(in crate::view) fn draw(app: &App, pen: &mut Pen) -> Option<Position> {
    for (pane, place) in &app.layout.panes.0 {
        title(app, pen, *pane, *place);
        match pane {
            Pane::Documents => documents(app, pen, place.body),
            _ => text(app, pen, *pane, place.body),
        }
    }
    let cursor = judgment(app, pen);
    if let Some((drawer, place)) = app.drawer() {
        let seen = (drawer.page.len(), drawer.page.scroll, place.body.height);
        let name = (place.title.x + 2, "Guideline".to_owned(), drawer.is_focused);
        let closes = format!("{} closes", app.frame.keymap.sign(Action::Guideline));
        pane_title(pen, place.title, seen, std::iter::once(name), &closes);
        pen.page_rows(&drawer.page, drawer.page.scroll, place.body);
    }
    for area in &app.layout.dividers {
        divider(pen, *area);
    }
    cursor
}

fn title(app: &App, pen: &mut Pen, pane: Pane, place: PlacedPane) {
    let board = &app.boards[pane];
    let has_focus = |pane| pane == app.focus && !app.is_in_drawer();
    let seen = (board.len(), board.scroll, app.body_height(pane, place.body.height));
    let mut names = vec![(place.title.x + 2, name(app, pane), has_focus(pane))];
    if app.layout.tabs.contains(&pane) {
        let tabs = app.tab_places().into_iter();
        names = tabs.map(|(at, tab)| (at.start, app.tab_title(tab), has_focus(tab))).collect();
    }
    pane_title(pen, place.title, seen, names.into_iter(), &details(app, pane));
}

fn name(app: &App, pane: Pane) -> String {
    let Some(loaded) = &app.loaded else { return String::new() };
    match pane {
        Pane::Query | Pane::Documents | Pane::Candidate | Pane::Other | Pane::Units => app.tab_title(pane),
        Pane::Unit => {
            let of = loaded.group.len().max(1);
            format!("{} {} of {of}", app.tab_title(pane), loaded.place_in_group())
        }
    }
}

/// The words behind a pane's name.
fn details(app: &App, pane: Pane) -> String {
    let Some(loaded) = &app.loaded else { return String::new() };
    let item = &loaded.item;
    match pane {
        Pane::Query => item.query.category.clone().unwrap_or_default(),
        Pane::Unit => {
            let here = |neighbour: &Neighbour| match (neighbour.position == loaded.position, neighbour.state)
            {
                (true, ItemState::Judged) => "◆",
                (true, _) => "◇",
                (false, state) => state_sign(state),
            };
            let told = loaded.group.iter().map(|neighbour| {
                let is_here = neighbour.position == loaded.position;
                match (answer_signs(app, &neighbour.answers), neighbour.state) {
                    (signs, _) if signs.is_empty() => here(neighbour).to_owned(),
                    // Half answered.
                    (signs, ItemState::Open) if is_here => format!("◇{signs}·"),
                    (signs, ItemState::Open) => format!("{signs}·"),
                    (signs, _) if is_here => format!("◆{signs}"),
                    (signs, _) => signs,
                }
            });
            let told = told.collect::<Vec<String>>().join(" ");
            // Where the answers have no room, signs tell the states.
            let room = app.layout.panes.place(pane).map_or(0, |place| usize::from(place.title.width) / 2);
            if width(&told) <= room { told } else { loaded.group.iter().map(here).collect() }
        }
        Pane::Units => String::new(),
        Pane::Candidate | Pane::Other if app.is_blind => "system hidden".to_owned(),
        Pane::Other => item.other.as_ref().map(|other| other.system()).unwrap_or_default(),
        Pane::Candidate => item.candidate.as_ref().map(|candidate| candidate.system()).unwrap_or_default(),
        Pane::Documents => {
            let title = app
                .reading
                .number
                .and_then(|number| item.document_numbered(number))
                .and_then(|document| document.title.clone());
            let relevant = item.relevant.as_ref().filter(|_| item.document.is_none());
            let count = relevant.map(|numbers| format!("{} relevant", numbers.len()));
            let score = item.candidate.as_ref().and_then(|candidate| candidate.cites.as_ref());
            let score = score.zip(app.reading.number).and_then(|(list, number)| list.score_of(number));
            let score = score.map(|score| format!("retriever's score {score}"));
            let is_guessed = app.is_guess() && !app.passages().is_empty();
            let guessed = is_guessed.then(|| "likely passages underlined".to_owned());
            let is_listed = app.reading.number.is_none_or(|number| item.is_listed(number));
            let unlisted = (!is_listed).then(|| "not cited from here".to_owned());
            [count, guessed, score, unlisted, title]
                .into_iter()
                .flatten()
                .collect::<Vec<String>>()
                .join(" · ")
        }
    }
}

fn documents(app: &App, pen: &mut Pen, area: Rect) {
    if !app.has_strip() {
        return text(app, pen, Pane::Documents, area);
    }
    let places = app.strip_places(area.width);
    let strip = app.strip();
    if strip.first() != places.first().map(|(_, number)| number) {
        pen.line(area, 0, 0, "…", pen.theme.quiet.0);
    }
    let mut end = 0;
    for (column, number) in &places {
        let is_shown = app.reading.number == Some(*number);
        let style = if is_shown { pen.theme.chosen.0 } else { pen.theme.citation.0 };
        let sign = match app.loaded.as_ref().is_none_or(|loaded| loaded.item.is_listed(*number)) {
            _ if is_shown => format!("▸{number} "),
            true => format!("[{number}]"),
            // No citation of what is judged means this one.
            false => format!(" {number} "),
        };
        end = pen.line(area, 0, *column, &sign, style) + 1;
    }
    if strip.last() != places.last().map(|(_, number)| number) {
        pen.line(area, 0, end, "…", pen.theme.quiet.0);
    }
    let body = Rect { y: area.y + 1.min(area.height), height: area.height.saturating_sub(1), ..area };
    text(app, pen, Pane::Documents, body);
}

/// Answers as the keys that give them: `f3`.
fn answer_signs(app: &App, answers: &Answers) -> String {
    let signs = |question: &Question| {
        let keys = |value: &String| question.offered().iter().find(|choice| choice.value == *value);
        match answers.get(&question.key) {
            Some(Answer::Nothing) => "0".to_owned(),
            Some(Answer::Text(value)) => keys(value).map(|choice| choice.key).into_iter().collect(),
            Some(Answer::Names(names)) => names.iter().filter_map(keys).map(|choice| choice.key).collect(),
            Some(answer) => answer.bullets().iter().map(u32::to_string).collect::<Vec<_>>().join("+"),
            None => String::new(),
        }
    };
    app.protocol.questions.iter().map(signs).collect()
}

/// The bullets that answers to other items about the same summary name.
fn used_bullets(app: &App) -> Vec<u32> {
    let shares = app.protocol.group == TargetPart::Candidate;
    let loaded = app.loaded.iter().filter(|_| shares);
    let others = loaded
        .flat_map(|loaded| loaded.group.iter().filter(|neighbour| neighbour.position != loaded.position));
    others.flat_map(|other| other.answers.values()).flat_map(|answer| answer.bullets().to_vec()).collect()
}

/// A pane's visible rows.
fn text(app: &App, pen: &mut Pen, pane: Pane, area: Rect) {
    let board = &app.boards[pane];
    let text = app.text(pane);
    let linked = linked_bullets(app, pane);
    let used = if pane == Pane::Candidate { used_bullets(app) } else { Vec::new() };
    let indent = match pane {
        Pane::Candidate => gutter(app.bullet_count()),
        Pane::Other => gutter(bullets(text).len()),
        Pane::Units => gutter(app.loaded.as_ref().map_or(0, |loaded| loaded.item.choices.len())),
        _ => 0,
    };
    let judged =
        app.loaded.as_ref().and_then(|loaded| loaded.item.bullet).filter(|_| pane == Pane::Candidate);
    let takes_numbers = app.takes_numbers(pane);
    // The text that is asked about stands out; the query stands back, unless it is judged itself.
    let base = match pane {
        Pane::Unit => pen.theme.of(Tone::Heading),
        Pane::Query if app.protocol.target == [TargetPart::Query] => pen.theme.of(Tone::Heading),
        // The query of a new text is shown in full colour: the text was written for it.
        Pane::Query if app.begun.other_text.is_some() => pen.theme.text.0,
        Pane::Query => pen.theme.quiet.0,
        _ => pen.theme.text.0,
    };
    if matches!(pane, Pane::Candidate | Pane::Other) && board.is_empty() {
        pen.line(area, 0, 0, "this summary is empty", pen.theme.quiet.0);
    }
    let margin = Rect { x: area.x.saturating_sub(1), width: 1.min(area.x), ..area };
    let highlights = highlights(app, pen.theme, pane, &board.visible(area.height));
    let mut marked = if pane == Pane::Candidate { app.marked_passages() } else { Vec::new() };
    for index in 0..area.height {
        let Some(row) = board.row(board.scroll + usize::from(index)) else { break };
        let content = text.get(row.bytes.clone()).unwrap_or("");
        let indent = if pane == Pane::Documents { board.indent(text, &row) } else { indent };
        let is_linked = row.bullet.is_some_and(|number| linked.contains(&number));
        if let Some(number) = row.bullet.filter(|_| row.is_first) {
            let style = match (is_linked, takes_numbers) {
                (true, _) => pen.theme.chosen.0,
                (false, true) => pen.theme.key.0,
                (false, false) => pen.theme.quiet.0,
            };
            let wide = usize::from(indent.saturating_sub(1));
            pen.line(area, index, 0, &format!("{number:>wide$}"), style);
            if used.contains(&number) && !is_linked {
                pen.line(area, index, indent.saturating_sub(1), "•", pen.theme.quiet.0);
            }
            if app.reading.likely_bullet == Some(number) && pane == Pane::Candidate {
                pen.line(area, index, indent.saturating_sub(1), "≈", pen.theme.accent.0);
            }
            if judged == Some(number) {
                pen.line(area, index, indent.saturating_sub(1), "▸", pen.theme.accent.0);
            }
        }
        // Where one bullet is judged, the others are there to be read around it.
        let base = match judged {
            Some(judged) if row.bullet != Some(judged) => pen.theme.quiet.0,
            _ if is_linked => pen.theme.chosen.0,
            _ => base,
        };
        let start = row.bytes.start;
        let end = pen.styled(area, index, indent, content, |offset| over(base, &highlights, start + offset));
        if let Some(folded) = &row.folded {
            let sign = format!(" [{} cited]", folded.count);
            let end = pen.line(area, index, end, &sign, pen.theme.citation.0);
            pen.line(area, index, end, text.get(folded.end.clone()).unwrap_or(""), base);
        }
        if is_linked {
            pen.line(margin, index, 0, "▌", pen.theme.accent.0);
        }
        // A passage has its sign on the row where it begins to be visible.
        let is_here = |(span, ..): &mut (Span, String, usize)| {
            span.start() < row.bytes.end && span.end() > row.bytes.start
        };
        let signs: Vec<String> = marked.extract_if(.., is_here).map(|(_, sign, _)| sign).collect();
        let room = area.width.saturating_sub(end + 1);
        let signs = shortened(&signs.join(" "), usize::from(room));
        let column = area.width.saturating_sub(extent(width(&signs)));
        if !signs.is_empty() && end < column {
            pen.line(area, index, column, &signs, pen.theme.accent.0);
        }
        if let Some(whose) =
            row.bullet.filter(|_| is_linked && row.is_first).and_then(|number| whose(app, number))
        {
            let column = area.width.saturating_sub(extent(width(whose)));
            if end < column {
                pen.line(area, index, column, whose, pen.theme.accent.0);
            }
        }
    }
}

/// The owner of a chosen bullet's answer, while the known answer is told.
fn whose(app: &App, number: u32) -> Option<&'static str> {
    let links = |answers: &Answers| answers.values().any(|answer| answer.bullets().contains(&number));
    let is_given = app.loaded.as_ref().is_some_and(|loaded| links(&loaded.standing.answers));
    app.known().map(links).map(|is_known| match (is_known, is_given) {
        (true, true) => "both",
        (true, false) => "known",
        (false, _) => "yours",
    })
}

fn linked_bullets(app: &App, pane: Pane) -> Vec<u32> {
    let Some(loaded) = &app.loaded else { return Vec::new() };
    let known = app.known().into_iter().flat_map(Answers::values);
    let answers = loaded.standing.answers.values().chain(known);
    match pane {
        Pane::Candidate => answers.flat_map(|answer| answer.bullets().iter().copied()).collect(),
        Pane::Units => {
            let names: Vec<&String> = answers.flat_map(Answer::names).collect();
            let chosen = (1..).zip(&loaded.item.choices).filter(|(_, unit)| names.contains(&&unit.id));
            chosen.map(|(number, _)| number).collect()
        }
        _ => Vec::new(),
    }
}

/// The highlights that touch the visible bytes of a pane, the ones drawn over others last.
fn highlights(app: &App, theme: &Theme, pane: Pane, visible: &Range<usize>) -> Vec<(Span, Style)> {
    let touches = |span: &Span| span.start() < visible.end && span.end() > visible.start;
    let mut found: Vec<(Span, Style)> = Vec::new();
    let document = app.loaded.as_ref().and_then(|loaded| loaded.item.document);
    let judged = app.judged_bullet().zip(document);
    if pane == Pane::Documents {
        let spoken = app.reading.speakers.iter().filter(|span| touches(span));
        found.extend(spoken.map(|span| (*span, theme.quiet.0)));
        let style = if app.is_guess() { theme.guess.0 } else { theme.evidence.0 };
        found.extend(app.passages().into_iter().filter(touches).map(|span| (span, style)));
        found.extend(app.taken_passages().into_iter().filter(touches).map(|span| (span, theme.chosen.0)));
    }
    if matches!(pane, Pane::Candidate | Pane::Other) {
        found.extend(app.boards[pane].styles_in(visible).filter_map(|(range, style)| {
            let style = match style {
                MarkdownStyle::Strong => Style::new().add_modifier(Modifier::BOLD),
                MarkdownStyle::Emphasis => Style::new().add_modifier(Modifier::ITALIC),
                MarkdownStyle::Heading => theme.of(Tone::Heading),
                MarkdownStyle::Mark => theme.quiet.0,
            };
            Some((Span::new(app.text(pane), range.start, range.end)?, style))
        }));
        // Passages are underlined, and each tag has a style of its own, since colour never speaks alone.
        let ways = [Modifier::empty(), Modifier::BOLD, Modifier::ITALIC, Modifier::REVERSED];
        let way = |place: usize| ways.get(place % ways.len()).copied().unwrap_or_default();
        let marked = app.marked_passages().into_iter();
        let marked = marked.filter(|(span, ..)| pane == Pane::Candidate && touches(span));
        found.extend(
            marked.map(|(span, _, place)| {
                (span, theme.chosen.0.add_modifier(Modifier::UNDERLINED | way(place)))
            }),
        );
        found.extend(cited(app.text(pane), visible).into_iter().map(|citation| {
            let is_judged = judged.is_some_and(|(bullet, number)| {
                citation.numbers.contains(&number) && bullet.range().contains(&citation.span.start())
            });
            (citation.span, if is_judged { theme.of(Tone::Open) } else { theme.citation.0 })
        }));
    }
    let differing = match pane {
        Pane::Candidate => app.reading.differing[0].as_slice(),
        Pane::Other => &app.reading.differing[1],
        _ => &[],
    };
    found.extend(differing.iter().filter(|span| touches(span)).map(|span| (*span, theme.hit.0)));
    found.extend(app.boards[pane].hits_in(visible).map(|hit| (*hit, theme.hit.0)));
    if let Some(selection) = app.selection().filter(|selection| {
        pane == selection.pane()
            && (selection.document == 0 || app.reading.number == Some(selection.document))
    }) {
        found.push((selection.span, theme.mark.0));
    }
    if let Some(citation) = app.opened_citation(pane) {
        found.push((citation, theme.mark.0));
    }
    let is_marked_pane = pane == Pane::Documents || !app.has_documents();
    if let Some(mark) = app.reading.mark.filter(|_| is_marked_pane)
        && touches(&mark.span)
        && (pane != Pane::Documents || app.reading.number == Some(mark.document))
    {
        found.push((mark.span, theme.mark.0));
    }
    found
}

/// The citations on the lines of these bytes, so that no more of a long text is looked through.
fn cited(text: &str, visible: &Range<usize>) -> Vec<Citation> {
    let start = text.get(..visible.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let after = text.get(visible.end..).and_then(|after| after.find('\n'));
    let end = after.map_or(text.len(), |at| visible.end + at);
    let citations = citations(text.get(start..end).unwrap_or("")).into_iter();
    citations
        .map(|citation| {
            let span = Span::around(text, start + citation.span.start(), start + citation.span.end());
            Citation { span, ..citation }
        })
        .collect()
}

fn judgment(app: &App, pen: &mut Pen) -> Option<Position> {
    let place = app.layout.judgment;
    pen.rule(place.title, pen.theme.rule.0);
    let name = if app.is_telling() { "Known answer" } else { "Judgment" };
    let lines = app.judgment_lines(place.body.width);
    let first = app.judgment_top(&lines);
    let title = before_position(pen, place.title, (lines.lines.len(), first, place.body.height));
    let column = pen.label(title, 1, name, pen.theme.title.0);
    let status = status(app);
    if !status.is_empty() {
        pen.label(title, column + 1, &status, pen.theme.warning.0);
    }
    for (row, segments) in (0..place.body.height).zip(lines.lines.iter().skip(first)) {
        let mut column = 0;
        for segment in segments {
            column = pen.line(place.body, row, column, &visible(&segment.text), pen.theme.of(segment.tone));
        }
    }
    let (row, column) = lines.cursor?;
    let row = u16::try_from(row.checked_sub(first)?).ok().filter(|row| *row < place.body.height)?;
    Some(Position::new(place.body.x + column.min(place.body.width.saturating_sub(1)), place.body.y + row))
}

/// The state of the item in words, since colour never speaks alone.
fn status(app: &App) -> String {
    let Some(loaded) = &app.loaded else { return String::new() };
    let standing = &loaded.standing;
    let mut words = Vec::new();
    if standing.flagged {
        words.push("flagged".to_owned());
    }
    if app.state() == ItemState::Skipped {
        words.push("skipped".to_owned());
    }
    if app.state() == ItemState::Judged && app.begun.corrects {
        words.push("already judged".to_owned());
    }
    if app.is_stale() {
        words.push("stale".to_owned());
    }
    words.extend(loaded.sorted_by.as_ref().map(|by| format!("sorted by {}", visible(by))));
    if !standing.comment.is_empty() {
        words.push(format!("“{}”", standing.comment));
    }
    words.join(" · ")
}
