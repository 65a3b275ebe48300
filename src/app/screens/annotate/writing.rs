//! Writing an answer in place: texts, and the points of a list.

use super::{AnnotateDesk, App, Append, Then};
use crate::app::kit::layout::page;
use crate::app::kit::{Editor, Key, KeyCode, Overlay, PUT_ASIDE, Prompt, text_area, type_key};
use crate::journal::Happening;
use crate::protocol::{Answer, Answers, Pane, Point, Question, QuestionKind, Quote, TargetPart};
use crate::study::ItemId;
use crate::text::bullets::{bullets, without_mark};
use crate::text::citation::without_citations;
use crate::text::grapheme::graphemes;
use crate::text::similar::Sentences;
use crate::text::width::width;

/// Number of sentences most like the unit that come before the others.
const MOST_ALIKE: usize = 3;

impl App {
    /// Opens a text question with its answer, else with its beginning.
    pub(super) fn open_text(&mut self, index: usize) {
        let Some(question) = self.protocol.questions.get(index) else { return };
        let text = match self.shown(index) {
            Some(Answer::Text(text)) => text,
            _ => self.beginning(question).unwrap_or_default().to_owned(),
        };
        self.open_editor(Editor::new(index, &text));
    }

    /// The answer on the screen: an editor or a list goes on from it, even where it was given under another
    /// version of the protocol.
    pub(super) fn shown(&self, index: usize) -> Option<Answer> {
        let question = self.protocol.questions.get(index)?;
        self.loaded.as_ref()?.standing.answers.get(&question.key).cloned()
    }

    /// The present answer to a question.
    pub(super) fn given(&self, question: &Question) -> Option<&Answer> {
        self.stand()?.answers.get(&question.key)
    }

    /// Opens an editor, or its draft if that began with the same text.
    fn open_editor(&mut self, editor: Editor) {
        self.begun.judgment_scroll = None;
        let draft = self.draft_key(&editor).and_then(|key| self.drafts.kept.remove(&key));
        let editor = match draft {
            Some(draft) if draft.beginning == editor.beginning && editor.passage.is_none() => draft,
            _ => editor,
        };
        self.frame.overlays.push(Overlay::Editor(editor));
    }

    fn draft_key(&self, editor: &Editor) -> Option<(ItemId, usize, Option<usize>)> {
        Some((self.loaded.as_ref()?.item.id, editor.question, editor.point))
    }

    /// Keeps an editor that is left as a draft, for when it is opened again.
    pub(super) fn put_aside(&mut self, editor: Editor) {
        let is_changed = editor.text() != editor.beginning && !editor.text().trim().is_empty();
        if let Some(key) = self.draft_key(&editor)
            && (is_changed || editor.passage.is_some())
        {
            self.drafts.kept.insert(key, editor);
            self.drafts.has_warned = false;
            self.frame.say(PUT_ASIDE);
        }
    }

    /// Keeps a comment that is left, for when it is opened again.
    pub(super) fn put_comment_aside(&mut self, prompt: Prompt) {
        let Some(loaded) = &self.loaded else { return };
        self.drafts.comments.insert(loaded.item.id, prompt);
        self.drafts.has_warned = false;
        self.frame.say(PUT_ASIDE);
    }

    /// Opens the comment on the item, or the one that was begun and left.
    pub(super) fn open_comment(&mut self) {
        let Some(loaded) = &self.loaded else { return };
        let begun = self.drafts.comments.remove(&loaded.item.id);
        let prompt = Prompt::of_comment(&loaded.standing.comment, begun);
        self.frame.overlays.push(Overlay::Prompt(prompt));
    }

    /// Keeps the texts of answers that were not written as drafts; returns whether there are any.
    pub(super) fn keep_drafts(&mut self, append: &Append) -> bool {
        let is_text = |question: &Question| matches!(question.kind, QuestionKind::Text { .. });
        let mut is_any = false;
        for (happening, _) in &append.happenings {
            let Happening::Answer { question, answer } = happening else { continue };
            let asked = |other: &Question| other.key == *question;
            let Some(index) = self.protocol.questions.iter().position(asked) else { continue };
            let shown = self.shown(index);
            let before = append.shown.answers.get(question).map_or(&[][..], Answer::points);
            let mut drafts = Vec::new();
            match answer {
                Answer::Text(text) if self.protocol.questions.get(index).is_some_and(is_text) => {
                    let beginning = shown.as_ref().and_then(Answer::as_text);
                    let starts = self.protocol.questions.get(index).and_then(|asked| self.beginning(asked));
                    drafts.push((None, text, beginning.or(starts).unwrap_or_default().to_owned()));
                }
                Answer::Points(points) => {
                    let is_new = |(place, point): &(usize, &Point)| before.get(*place) != Some(*point);
                    for (place, point) in points.iter().enumerate().filter(is_new) {
                        let there = shown.as_ref().and_then(|shown| shown.points().get(place));
                        let beginning = there.map(|point| point.text.clone()).unwrap_or_default();
                        drafts.push((there.map(|_| place), &point.text, beginning));
                    }
                }
                _ => {}
            }
            is_any |= !drafts.is_empty();
            for (point, text, beginning) in drafts {
                let editor = Editor { point, beginning, ..Editor::new(index, text) };
                self.drafts.kept.insert((append.item, index, point), editor);
            }
        }
        is_any
    }

    /// The text that a question begins with.
    pub fn beginning(&self, question: &Question) -> Option<&str> {
        let QuestionKind::Text { starts_with: Some(part), .. } = &question.kind else { return None };
        let item = &self.loaded.as_ref()?.item;
        match part {
            TargetPart::Query => Some(&item.query.text),
            TargetPart::Unit => item.unit.as_ref().map(|unit| unit.text.as_str()),
            TargetPart::Candidate | TargetPart::Bullet | TargetPart::Pair => {
                item.candidate.as_ref().map(|candidate| candidate.text.as_str())
            }
            TargetPart::Document => item
                .document
                .and_then(|number| item.document_numbered(number))
                .map(|document| document.text.as_str()),
        }
    }

    /// Opens the point of this number, counted from 1, or a new one.
    pub(super) fn open_point(&mut self, index: usize, number: Option<u32>) {
        let place = number.and_then(|number| usize::try_from(number).ok()?.checked_sub(1));
        let shown = self.shown(index);
        let point = place.and_then(|place| shown.as_ref()?.points().get(place));
        let text = point.map_or("", |point| &point.text);
        let mut editor = Editor::new(index, text);
        editor.point = place.filter(|_| point.is_some());
        self.open_editor(editor);
    }

    pub(super) fn press_in_editor(&mut self, key: Key, desk: &mut dyn AnnotateDesk) {
        self.begun.judgment_scroll = None;
        match key.code {
            KeyCode::Enter if !key.alt => return self.keep_written(desk),
            KeyCode::PageDown => return self.scroll_beside(1),
            KeyCode::PageUp => return self.scroll_beside(-1),
            KeyCode::Up | KeyCode::Down if !key.control && !key.alt => {
                return self.move_by_a_row(key.code == KeyCode::Down);
            }
            _ => {}
        }
        if self.begin_with_bullet(key) {
            return;
        }
        if key.code == KeyCode::Tab {
            return self.take_words();
        }
        if let Some(Overlay::Editor(editor)) = self.frame.overlays.last_mut() {
            let key = if key.code == KeyCode::Enter { Key::plain(KeyCode::Enter) } else { key };
            type_key(&mut editor.area, key);
        }
    }

    /// Takes a number at the beginning of a new point: the words of that bullet come there; backspace then leaves the number
    /// itself. Returns whether the key is used up.
    fn begin_with_bullet(&mut self, key: Key) -> bool {
        let Some(loaded) = &self.loaded else { return false };
        let Some(Overlay::Editor(editor)) = self.frame.overlays.last() else { return false };
        let question = self.protocol.questions.get(editor.question);
        let is_list = question.is_some_and(|question| matches!(question.kind, QuestionKind::Points { .. }));
        let Some(candidate) = loaded.item.candidate.as_ref().filter(|_| is_list && editor.point.is_none())
        else {
            return false;
        };
        let text = editor.text();
        let words = |number: &str| {
            let place = number.parse::<usize>().ok()?.checked_sub(1)?;
            let bullet = bullets(&candidate.text).get(place)?.slice(&candidate.text);
            Some(without_citations(without_mark(bullet)))
        };
        let begun = self.begun.from_bullet.take().filter(|number| words(number).as_ref() == Some(&text));
        let begins = |number: String| match words(&number) {
            Some(words) => (words, Some(number)),
            None => (number, None),
        };
        let (written, number) = match (key.plain_char().filter(char::is_ascii_digit), begun) {
            (Some(digit), None) if text.is_empty() => begins(digit.to_string()),
            (Some(digit), Some(number)) => begins(format!("{number}{digit}")),
            (None, Some(number)) if key.code == KeyCode::Backspace => (number, None),
            _ => return false,
        };
        if number.is_none() && key.code != KeyCode::Backspace {
            self.frame.say(format!("there is no bullet {written}; what you write begins with {written}"));
        }
        if let Some(number) = &number {
            self.frame.say(format!("the words of bullet {number}; backspace writes {number} instead"));
        }
        if let Some(Overlay::Editor(editor)) = self.frame.overlays.last_mut() {
            editor.area = text_area(&written);
        }
        self.begun.from_bullet = number;
        true
    }

    /// Whether the text that is being written can begin with a sentence of the summary.
    pub fn has_words_to_take(&self) -> bool {
        let Some(Overlay::Editor(editor)) = self.frame.overlays.last() else { return false };
        let kind = self.protocol.questions.get(editor.question).map(|question| &question.kind);
        let is_free = matches!(kind, Some(QuestionKind::Text { starts_with: None, .. }));
        is_free && !self.text(Pane::Candidate).is_empty()
    }

    /// Puts a sentence of the summary into an empty text, those most like the unit first. The next one takes its place
    /// as long as nothing else is typed.
    fn take_words(&mut self) {
        if !self.has_words_to_take() {
            return;
        }
        let summary = self.text(Pane::Candidate);
        let sentences = Sentences::of(summary);
        let mut spans = sentences.most_like(self.text(Pane::Unit), MOST_ALIKE);
        let others = sentences.spans().iter().filter(|span| !spans.contains(span)).copied();
        spans.extend(others.collect::<Vec<_>>());
        let words = spans.iter().map(|span| without_citations(without_mark(span.slice(summary))));
        let words: Vec<String> = words.filter(|words| !words.is_empty()).collect();
        let Some(Overlay::Editor(editor)) = self.frame.overlays.last_mut() else { return };
        let text = editor.text();
        let taken = words.iter().position(|words| *words == text);
        let next = match taken {
            Some(place) => (place + 1) % words.len(),
            None if text.is_empty() => 0,
            None => return self.frame.say("tab takes words of the summary where nothing is written yet"),
        };
        if let Some(words) = words.get(next) {
            editor.area = text_area(words);
        }
        self.frame.say(format!("sentence {} of {}: tab takes another", next + 1, words.len()));
    }

    /// Makes the written text the answer, or the point.
    fn keep_written(&mut self, desk: &mut dyn AnnotateDesk) {
        let Some(Overlay::Editor(editor)) = self.frame.overlays.last() else { return };
        let (index, text) = (editor.question, editor.text().trim().to_owned());
        let Some(question) = self.protocol.questions.get(index).cloned() else { return };
        if matches!(question.kind, QuestionKind::Points { .. }) {
            return self.keep_point(text, desk);
        }
        if text.is_empty() {
            return self.frame.warn("nothing is written yet; esc leaves it as it was");
        }
        if self.beginning(&question) == Some(text.as_str()) {
            return self.frame.warn("it is not changed yet; esc leaves it as it was");
        }
        self.frame.overlays.pop();
        if self.given(&question).and_then(Answer::as_text) == Some(text.as_str()) {
            return self.frame.say("as it was");
        }
        self.answer(index, Answer::Text(text), Then::Stay, desk);
    }

    /// Keeps a new or changed point; removes a point whose text is empty. After a new point the next one is
    /// opened; an empty new point ends the list.
    fn keep_point(&mut self, text: String, desk: &mut dyn AnnotateDesk) {
        let Some(Overlay::Editor(editor)) = self.frame.overlays.pop() else { return };
        let index = editor.question;
        let mut points = self.shown(index).as_ref().map_or(&[][..], Answer::points).to_vec();
        let is_empty = text.is_empty();
        let place = editor.point.unwrap_or(points.len());
        let is_new = editor.point.is_none();
        let ends = self.begun.lists.take().is_some() && is_empty;
        match points.get_mut(place) {
            Some(point) if !is_empty && point.text == text => return self.select_for(index, Some(place)),
            Some(point) if !is_empty => point.text = text,
            Some(_) => {
                points.remove(place);
            }
            None if is_empty => {
                self.put_aside(editor);
                return if ends {
                    self.frame.say("the list ends here; ⏎ goes on")
                };
            }
            None => points.push(Point { text, passages: editor.passage.into_iter().collect() }),
        }
        let lacks_passage = points.get(place).is_some_and(|point| point.passages.is_empty());
        let selects = lacks_passage && !is_empty && !self.takes_no_passages(index);
        // An annotator who selects the passage first begins each point with one.
        self.begun.lists = Some(index).filter(|_| is_new && lacks_passage);
        let after = match (selects, self.begun.lists) {
            (true, _) => Then::Select(index, place),
            (false, Some(_)) => Then::Write(index),
            (false, None) => Then::Stay,
        };
        self.answer(index, Answer::Points(points), after, desk);
    }

    /// Scrolls the document, or the summary, by a page while one writes.
    fn scroll_beside(&mut self, pages: isize) {
        let pane =
            if self.layout.panes.place(Pane::Documents).is_some() { Pane::Documents } else { self.focus };
        self.scroll_pane(pane, pages * page(self.layout.panes.height(pane)));
    }

    /// Moves the cursor by a row on the screen, not by a line of the text.
    fn move_by_a_row(&mut self, down: bool) {
        let rows = self.judgment_lines(self.layout.judgment.body.width).written;
        let Some(Overlay::Editor(editor)) = self.frame.overlays.last_mut() else { return };
        let (text, cursor) = (editor.text(), editor.cursor());
        let here = rows.partition_point(|row| row.start <= cursor).saturating_sub(1);
        let target = if down { here + 1 } else { here.wrapping_sub(1) };
        let (Some(from), Some(to)) = (rows.get(here), rows.get(target)) else { return };
        let column = width(text.get(from.start..cursor).unwrap_or(""));
        let mut used = 0;
        let row = text.get(to.clone()).unwrap_or("");
        let before = graphemes(row).take_while(|(_, grapheme)| {
            used += width(grapheme);
            used <= column
        });
        editor.put_cursor(to.start + before.map(|(_, grapheme)| grapheme.len()).sum::<usize>());
    }

    /// Name and text of the unit's field that a question shows once it is answered.
    pub fn revealed(&self, question: &Question, answers: &Answers) -> Option<(String, String)> {
        let QuestionKind::Text { reveals: Some(field), .. } = &question.kind else { return None };
        if !answers.contains_key(&question.key) {
            return None;
        }
        let unit = self.loaded.as_ref()?.item.unit.as_ref()?;
        let text = unit.meta.get(field)?.as_str()?;
        Some((field.clone(), text.to_owned()))
    }

    /// Opens a new point with a passage that was selected before it.
    pub(super) fn open_point_with(&mut self, index: usize, passage: Quote) {
        let mut editor = Editor::new(index, "");
        editor.passage = Some(passage);
        self.frame.overlays.push(Overlay::Editor(editor));
    }
}
