//! The panel under the texts: the answers of everyone side by side, the reason why people disagreed, and, once the item
//! is decided, the scores under each answer if they are asked for. The panel is words; their places on the screen follow
//! from its columns.

use super::{AdjudicateScreen, AdjudicateWork, Moved, REASONS, choosing};
use crate::app::kit::{Mouse, Tone, extent};
use crate::journal::{Opinion, Outcome};
use crate::protocol::{Answer, Answers, Question, QuestionKind};
use crate::study::Item;
use crate::text::bullets::{bullets, without_mark};
use crate::text::width::width;
use crate::text::words::on_one_line;

/// Columns of the words before a row, at least and at most.
const LABEL: (u16, u16) = (12, 19);

/// The fewest columns of an opinion, with the gutter behind it.
const NARROWEST: u16 = 16;

/// Columns between two opinions, with a line in the middle.
pub const GUTTER: u16 = 3;

/// Rows that a long answer takes at most, where there is room.
const ROWS: usize = 4;

/// From this many rows of the screen on, all scores are shown.
const TALL: u16 = 40;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PanelRow {
    /// A cell for each opinion.
    Cells { label: String, cells: Vec<PanelCell> },
    /// One line over the whole width.
    Line(Vec<PanelPiece>),
}

/// A cell of a row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PanelCell {
    pub key: Option<char>,
    pub text: String,
    pub tone: Tone,
}

/// A piece of a line: a key and its meaning; either may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PanelPiece {
    pub key: String,
    pub text: String,
    pub tone: Tone,
}

/// A column: an opinion, or the gold answers.
struct OpinionColumn<'a> {
    heading: PanelCell,
    answers: &'a Answers,
    comment: &'a str,
    seen: String,
}

impl AdjudicateScreen {
    /// Columns of the words before a row: as many as the questions need.
    pub fn label_width(&self) -> u16 {
        let prompts = self.app.protocol.questions.iter().map(|question| width(&question.prompt) + 1);
        let widest = prompts.max().map_or(LABEL.1, extent);
        widest.clamp(LABEL.0, LABEL.1)
    }

    /// How many opinions fit side by side.
    pub fn columns_shown(&self) -> usize {
        let room = self.app.layout.footer.width.saturating_sub(self.label_width() + 1);
        usize::from((room / NARROWEST).max(1)).min(self.columns().len())
    }

    /// Columns of the screen that each opinion has.
    pub fn column_width(&self) -> u16 {
        let room = self.app.layout.footer.width.saturating_sub(self.label_width() + 1);
        (room / extent(self.columns_shown().max(1))).min(self.app.frame.measure.saturating_add(GUTTER))
    }

    /// Rows of the panel with its title, at most half of the screen.
    pub(super) fn panel_rows(&self) -> u16 {
        let rows = extent(self.panel().len() + 1);
        rows.min(self.most_rows())
    }

    fn most_rows(&self) -> u16 {
        self.app.frame.size.1 / 2
    }

    /// The first row of the panel, which is its title.
    pub fn panel_top(&self) -> u16 {
        self.app.layout.footer.y.saturating_sub(self.app.reserved)
    }

    /// The column of the screen where the mouse is, if it is in the panel.
    pub(super) fn panel_place(&self, mouse: Mouse) -> Option<u16> {
        let rows = self.panel_top()..self.app.layout.footer.y;
        (self.app.reserved > 0 && rows.contains(&mouse.row)).then_some(mouse.column)
    }

    /// The opinion at a column of the screen.
    pub(super) fn opinion_at(&self, column: u16) -> Option<usize> {
        let before = self.app.layout.footer.x + self.label_width() + 1;
        let place = column.checked_sub(before)? / self.column_width().max(1);
        let opinion = self.first_shown + usize::from(place);
        (usize::from(place) < self.columns_shown() && opinion < self.columns().len()).then_some(opinion)
    }

    fn columns(&self) -> Vec<OpinionColumn<'_>> {
        let Some(contested) = &self.docket.contested else { return Vec::new() };
        let opinions = contested.opinions.iter().enumerate();
        let mut columns: Vec<OpinionColumn<'_>> =
            opinions.map(|(index, opinion)| self.column(index, opinion)).collect();
        columns.extend(self.gold_column());
        columns
    }

    fn column<'a>(&'a self, index: usize, opinion: &'a Opinion) -> OpinionColumn<'a> {
        let standing = &opinion.standing;
        let name = match (self.docket.work, self.docket.hides_names) {
            (AdjudicateWork::Review, _) => "you".to_owned(),
            (_, true) => format!("annotator {}", index + 1),
            (_, false) if opinion.is_model => format!("{} (judge)", opinion.name),
            (_, false) => opinion.name.clone(),
        };
        let seconds = standing.active / 1_000;
        let time = (standing.active > 0).then(|| format!(" {}:{:02}", seconds / 60, seconds % 60));
        let flag = if standing.flagged { " !" } else { "" };
        let took = self.decision().and_then(|decision| decision.verdict.took.as_deref());
        let is_taken = self.docket.work == AdjudicateWork::Settle && took == Some(opinion.name.as_str());
        let opened = opinion.opened.iter().map(u32::to_string).collect::<Vec<String>>().join(" ");
        let beyond = opinion.beyond_evidence.then(|| "looked beyond".to_owned());
        let seen: Vec<String> = (!opened.is_empty()).then_some(opened).into_iter().chain(beyond).collect();
        OpinionColumn {
            heading: PanelCell {
                key: self.take_key(index),
                text: format!("{name}{}{flag}", time.unwrap_or_default()),
                tone: if is_taken { Tone::Chosen } else { Tone::Plain },
            },
            answers: standing.answers_under(self.app.protocol.hash),
            comment: &standing.comment,
            seen: seen.join(" · "),
        }
    }

    /// The gold answers, beside the reader's own.
    fn gold_column(&self) -> Option<OpinionColumn<'_>> {
        let contested = self.docket.contested.as_ref()?;
        let (outcome, answers) = self.docket.places.get(contested.position)?.gold.as_ref()?;
        let note = contested.decision.as_ref().filter(|_| *outcome == Outcome::Adjudicated);
        let heading =
            PanelCell { key: None, text: format!("gold · {}", outcome.name()), tone: Tone::Chosen };
        let comment = note.map_or("", |decision| decision.verdict.note.as_str());
        Some(OpinionColumn { heading, answers, comment, seen: String::new() })
    }

    /// The rows of the panel under its title, with as many for long answers as there is room for.
    pub fn panel(&self) -> Vec<PanelRow> {
        let fits = |rows: &Vec<PanelRow>| rows.len() < usize::from(self.most_rows());
        let roomy = (2..=ROWS).rev().map(|most| self.panel_of(most)).find(fits);
        roomy.unwrap_or_else(|| self.panel_of(1))
    }

    /// The rows of the panel where a long answer takes at most so many.
    fn panel_of(&self, most: usize) -> Vec<PanelRow> {
        let Some(contested) = &self.docket.contested else { return Vec::new() };
        let columns = self.columns();
        let shown = columns.iter().skip(self.first_shown).take(self.columns_shown());
        let shown: Vec<&OpinionColumn<'_>> = shown.collect();
        let cells = |label: &str, cells: Vec<PanelCell>| PanelRow::Cells { label: label.to_owned(), cells };
        let mut rows = vec![cells("", shown.iter().map(|column| column.heading.clone()).collect())];
        for question in &self.app.protocol.questions {
            rows.extend(self.question_rows(question, &columns, &shown, (&contested.item, most)));
        }
        let plain = |text: String| PanelCell { key: None, text, tone: Tone::Quiet };
        if columns.iter().any(|column| !column.comment.is_empty()) {
            let comment = |column: &&OpinionColumn<'_>| match column.comment {
                "" => Vec::new(),
                comment => vec![format!("“{}”", on_one_line(comment))],
            };
            rows.extend(self.lines("comment", shown.iter().map(comment).collect(), Tone::Quiet, most));
        }
        if columns.iter().any(|column| !column.seen.is_empty()) {
            rows.push(cells("opened", shown.iter().map(|column| plain(column.seen.clone())).collect()));
        }
        if self.docket.work == AdjudicateWork::Settle {
            if self.shows_scores() {
                rows.extend(self.score_rows(&shown, contested.item.id));
                rows.extend(self.choice_row(contested.item.id));
            }
            rows.push(self.why_row());
        } else {
            rows.extend(self.reason_row());
        }
        rows
    }

    /// The answers of everyone to a question; nothing where nobody was asked.
    fn question_rows(
        &self,
        question: &Question,
        all: &[OpinionColumn<'_>],
        shown: &[&OpinionColumn<'_>],
        (item, most): (&Item, usize),
    ) -> Vec<PanelRow> {
        let given = |column: &OpinionColumn<'_>| column.answers.get(&question.key).cloned();
        let Some(first) = all.first().map(given) else { return Vec::new() };
        if all.iter().all(|column| given(column).is_none()) {
            return Vec::new();
        }
        let differs = all.iter().any(|column| given(column) != first);
        let cell = |column: &&OpinionColumn<'_>| {
            given(column).map_or_else(|| vec!["–".to_owned()], |answer| told(question, &answer, item))
        };
        let tone = if differs { Tone::Heading } else { Tone::Plain };
        self.lines(&question.prompt, shown.iter().map(cell).collect(), tone, most)
    }

    /// A row of cells, or at most so many where the things that they name are long.
    fn lines(&self, label: &str, cells: Vec<Vec<String>>, tone: Tone, most: usize) -> Vec<PanelRow> {
        let columns = self.column_width().saturating_sub(GUTTER);
        let wrapped: Vec<Vec<String>> = cells.iter().map(|things| fitted(things, columns, most)).collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
        let row = |index: usize| PanelRow::Cells {
            label: if index == 0 { label.to_owned() } else { String::new() },
            cells: wrapped
                .iter()
                .map(|lines| PanelCell {
                    key: None,
                    text: lines.get(index).cloned().unwrap_or_default(),
                    tone,
                })
                .collect(),
        };
        (0..height).map(row).collect()
    }

    /// Whether the scores are on the screen: never before the decision, which nobody should make by its consequences.
    fn shows_scores(&self) -> bool {
        self.wants_scores && self.docket.is_settled()
    }

    fn under(&self, item: crate::study::ItemId, answers: &Answers) -> Vec<Moved> {
        self.docket.scored.under(&self.app.protocol, item, answers)
    }

    /// The scores under each opinion: of the item's part / on the whole.
    fn score_rows(&self, shown: &[&OpinionColumn<'_>], item: crate::study::ItemId) -> Vec<PanelRow> {
        let moved: Vec<Vec<Moved>> = shown.iter().map(|column| self.under(item, column.answers)).collect();
        let Some(first) = moved.first() else { return Vec::new() };
        let is_tall = self.app.frame.size.1 >= TALL;
        let skipped = if is_tall { 0 } else { first.len().saturating_sub(1) };
        let row = |index: usize| PanelRow::Cells {
            label: first.get(index).map_or(String::new(), |moved| moved.name.clone()),
            cells: moved
                .iter()
                .map(|moved| PanelCell {
                    key: None,
                    text: moved.get(index).map_or(String::new(), pair),
                    tone: Tone::Plain,
                })
                .collect(),
        };
        (skipped..first.len()).map(row).collect()
    }

    /// The first score under each choice of the main question.
    fn choice_row(&self, item: crate::study::ItemId) -> Option<PanelRow> {
        let question = self.app.protocol.main_question()?;
        let chosen = self.decision().and_then(|decision| decision.verdict.answers.get(&question.key));
        let mut name = String::new();
        let mut pieces = Vec::new();
        for choice in self.app.protocol.labels_shown(question) {
            let moved = self.under(item, &choosing(question, &choice.value)).into_iter().next()?;
            let is_chosen = chosen.and_then(Answer::as_text) == Some(choice.value.as_str());
            pieces.push(PanelPiece {
                key: choice.key.to_string(),
                text: format!("{} {}", choice.label, pair(&moved)),
                tone: if is_chosen { Tone::Chosen } else { Tone::Plain },
            });
            name = moved.name;
        }
        pieces.insert(0, label_piece(&format!("{name} if")));
        Some(PanelRow::Line(pieces))
    }

    fn why_row(&self) -> PanelRow {
        use crate::app::kit::action::Action;
        let verdict = self.decision().map(|decision| &decision.verdict);
        let sign = |action: Action| self.app.frame.keymap.sign(action);
        let tone = |is_so: bool| if is_so { Tone::Chosen } else { Tone::Quiet };
        // On a narrow screen the short names of the bottom line stand for the reasons.
        let is_wide = self.app.frame.size.0 >= 100;
        let mut pieces = vec![label_piece("why")];
        pieces.extend(REASONS.map(|(action, reason)| PanelPiece {
            key: sign(action),
            text: if is_wide { reason.name() } else { action.brief() }.to_owned(),
            tone: tone(verdict.is_some_and(|verdict| verdict.reason == Some(reason))),
        }));
        pieces.push(PanelPiece {
            key: sign(Action::Example),
            text: "example".to_owned(),
            tone: tone(verdict.is_some_and(|verdict| verdict.is_example)),
        });
        PanelRow::Line(pieces)
    }

    /// The reason of the decision, for the reader.
    fn reason_row(&self) -> Option<PanelRow> {
        let contested = self.docket.contested.as_ref()?;
        let (outcome, _) = self.docket.places.get(contested.position)?.gold.as_ref()?;
        let reason = match (outcome, contested.decision.as_ref().and_then(|one| one.verdict.reason)) {
            (Outcome::Adjudicated, Some(reason)) => reason.name(),
            (Outcome::Adjudicated, None) => "no reason is given",
            _ => "most of those who judged it say so",
        };
        let piece = PanelPiece { key: String::new(), text: reason.to_owned(), tone: Tone::Plain };
        Some(PanelRow::Line(vec![label_piece("why"), piece]))
    }

    /// The words behind the panel's name.
    pub fn panel_details(&self) -> String {
        let (shown, all) = (self.columns_shown(), self.columns().len());
        let more = match all.saturating_sub(shown) {
            0 => String::new(),
            more => {
                let key = self.app.frame.keymap.sign(crate::app::kit::action::Action::MoreOpinions);
                format!("{more} more: {key}")
            }
        };
        let scores = match (self.docket.work, self.docket.scored.is_about_systems(), &self.docket.scored) {
            (AdjudicateWork::Review, ..) | (_, _, super::moves::MovableScores::Nothing) => String::new(),
            _ if !self.shows_scores() => {
                let key = self.app.frame.keymap.sign(crate::app::kit::action::Action::MovedScores);
                format!("scores, once decided: {key}")
            }
            (_, true, _) => "scores: this summary / its system".to_owned(),
            (_, false, _) => "scores: this query / all".to_owned(),
        };
        [scores, more].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" · ")
    }
}

fn label_piece(text: &str) -> PanelPiece {
    PanelPiece { key: String::new(), text: text.to_owned(), tone: Tone::Quiet }
}

/// `66.7 / 61.2`, a dash for what is undefined.
fn pair(moved: &Moved) -> String {
    let number =
        |measure: crate::score::Measure| measure.map_or("–".to_owned(), |value| format!("{value:.1}"));
    format!("{} / {}", number(moved.here), number(moved.whole))
}

/// The first of these things, as many as so many lines hold, and how many more there are.
fn fitted(things: &[String], columns: u16, most: usize) -> Vec<String> {
    let lines = |shown: usize| {
        let more = match things.len() - shown {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        lines_of(&things.get(..shown).unwrap_or(things).join("; "), &more, columns, most)
    };
    // No more are tried than have room, since this is done for each frame. A row may end in a space beyond it.
    let mut room = most * (usize::from(columns) + 1);
    let has_room = |thing: &&String| room.checked_sub(width(thing)).map(|left| room = left).is_some();
    let most_shown = things.iter().take_while(has_room).count();
    let whole = (2..=most_shown).rev().map(lines).find(|(_, is_whole)| *is_whole);
    whole.unwrap_or_else(|| lines(things.len().min(1))).0
}

/// The first lines of a text with these words behind it, and whether it is whole; where it is not, an ellipsis stands before the words.
fn lines_of(text: &str, end: &str, columns: u16, most: usize) -> (Vec<String>, bool) {
    let text = format!("{text}{end}");
    let rows = crate::text::wrap::wrap(&text, columns.max(1));
    let mut lines: Vec<String> =
        rows.iter().take(most).map(|row| text.get(row).unwrap_or("").trim_end().to_owned()).collect();
    let is_whole = rows.len() <= most;
    if let Some(last) = lines.last_mut().filter(|_| !is_whole) {
        let room = usize::from(columns).saturating_sub(1 + width(end));
        while width(last) > room && last.pop().is_some() {}
        last.push('…');
        last.push_str(end);
    }
    (lines, is_whole)
}

/// The things that an answer names, in words, with the text of what it points to.
fn told(question: &Question, answer: &Answer, item: &Item) -> Vec<String> {
    let numbered = |(number, text): (u32, &str)| format!("{number} {}", on_one_line(text));
    let quoted = |text: &str| format!("“{}”", on_one_line(text));
    match answer {
        Answer::Nothing => vec![question.none_label().unwrap_or("none").to_owned()],
        Answer::Text(value) if matches!(question.kind, QuestionKind::Choice { .. }) => {
            vec![question.label_of(value).to_owned()]
        }
        Answer::Text(text) => vec![quoted(text)],
        Answer::Bullet(_) | Answer::Bullets(_) => bullets_told(answer.bullets(), item),
        Answer::Names(names) if question.kinds().is_empty() => {
            names.iter().map(|name| question.label_of(name).to_owned()).collect()
        }
        Answer::Names(names) => {
            let choices = (1..).zip(&item.choices).filter(|(_, unit)| names.contains(&unit.id));
            choices.map(|(number, unit)| numbered((number, &unit.text))).collect()
        }
        Answer::Passages(passages) => passages.iter().map(|passage| quoted(&passage.quote)).collect(),
        Answer::Points(points) => {
            (1..).zip(points).map(|(number, point)| numbered((number, &point.text))).collect()
        }
    }
}

fn bullets_told(numbers: &[u32], item: &Item) -> Vec<String> {
    let text = item.candidate.as_ref().map_or("", |candidate| candidate.text.as_str());
    let spans = bullets(text);
    let told = |number: &u32| {
        let span = usize::try_from(*number).ok().and_then(|number| spans.get(number.checked_sub(1)?));
        let bullet = span.map_or("", |span| without_mark(span.slice(text)));
        format!("{number} {}", on_one_line(bullet))
    };
    numbers.iter().map(told).collect()
}
