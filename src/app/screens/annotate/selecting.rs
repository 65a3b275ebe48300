//! Selecting a passage of the document in view or of the candidate, by keys (sentence by sentence, then word by word) or
//! with the mouse.

use std::ops::Range;

use super::{AnnotateDesk, App, Then};
use crate::app::kit::{Action, Context, Key, Overlay, Selection};
use crate::number::NO_PLACE;
use crate::protocol::{Answer, Choice, Pane, Point, Question, QuestionKind, Quote, SelectedIn};
use crate::text::bullets::{bullets, sentences, without_mark};
use crate::text::similar::Sentences;
use crate::text::span::Span;
use crate::text::words::{end_after, letters_before, start_before};

impl App {
    /// Begins a selection for a question, or for one of its points: on the passage that is there, else on
    /// the sentence most like the point, else on the first one in view.
    pub(super) fn select_for(&mut self, index: usize, point: Option<usize>) {
        if self.takes_no_passages(index) {
            return;
        }
        let given = self.shown(index);
        let of_point = point.and_then(|place| given.as_ref()?.points().get(place).cloned());
        if let Some(passage) = of_point.as_ref().and_then(|point| point.passages.first()) {
            return self.select_again(index, point, 0, passage.clone());
        }
        let Some(document) = self.source_of(index) else {
            return self.frame.say("there is no document to select from");
        };
        let span = self.likely_span(of_point.as_ref(), document).or_else(|| self.first_span(document));
        let Some(span) = span else { return self.frame.say("the text is empty") };
        self.put_selection(Selection::of((index, point, None), document, span));
    }

    /// The text in which a question selects: the number of the document in view, or 0 for the candidate.
    fn source_of(&self, index: usize) -> Option<u32> {
        match self.protocol.questions.get(index).map(Question::selected_in) {
            Some(SelectedIn::Candidate) => Some(0),
            _ => self.reading.number,
        }
    }

    pub(super) fn takes_no_passages(&self, index: usize) -> bool {
        let kind = self.protocol.questions.get(index).map(|question| &question.kind);
        !matches!(
            kind,
            Some(QuestionKind::Passages { .. } | QuestionKind::Points { with_passages: true, .. })
        )
    }

    /// Selects anew a passage of a question, by its number counted from 1.
    pub(super) fn reopen_passage(&mut self, index: usize, number: u32) {
        let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let given = self.shown(index);
        let passages = given.as_ref().map(Answer::passages).unwrap_or_default();
        if let Some((place, passage)) = place.and_then(|place| Some((place, passages.get(place)?))) {
            self.select_again(index, None, place, (*passage).clone());
        }
    }

    /// Begins on a passage that was taken, in whichever text it stands.
    fn select_again(&mut self, question: usize, point: Option<usize>, place: usize, passage: Quote) {
        let item = self.loaded.as_ref().map(|loaded| &loaded.item);
        let document = item.and_then(|item| item.documents.iter().find(|other| other.id == passage.document));
        let found = match passage.is_in_candidate() {
            true => passage.find(self.text(Pane::Candidate)).map(|span| (0, span)),
            false => document.and_then(|document| Some((document.number, passage.find(&document.text)?))),
        };
        let Some((document, span)) = found else { return self.select_instead(question, point, place) };
        if document > 0 {
            self.put_document(document);
        }
        self.put_selection(Selection::of((question, point, Some(place)), document, span));
    }

    /// Begins in the document in view, in the place of a passage that no longer stands where it was.
    fn select_instead(&mut self, question: usize, point: Option<usize>, place: usize) {
        let source = self.source_of(question);
        if let Some((document, span)) =
            source.and_then(|document| Some((document, self.first_span(document)?)))
        {
            self.put_selection(Selection::of((question, point, Some(place)), document, span));
        }
        self.frame.warn("the passage no longer stands in its text; ⏎ puts the selected one in its place");
    }

    /// Goes on to the next passage of the point, or of the question.
    fn select_other(&mut self) {
        let Some(selection) = self.selection().cloned() else { return };
        let shown = self.shown(selection.question);
        let passages: Vec<Quote> = match (selection.point, shown.as_ref()) {
            (Some(point), Some(answer)) => {
                answer.points().get(point).map_or(Vec::new(), |point| point.passages.clone())
            }
            (None, Some(answer)) => answer.passages().into_iter().cloned().collect(),
            (_, None) => Vec::new(),
        };
        let next = selection.replaces.map_or(0, |place| place + 1) % passages.len().max(1);
        match passages.get(next) {
            Some(passage) => self.select_again(selection.question, selection.point, next, passage.clone()),
            None => self.frame.say("no passage is taken yet"),
        }
    }

    fn put_selection(&mut self, selection: Selection) {
        self.boards[selection.pane()].reveal_later(Some(selection.span.range()));
        self.focus = selection.pane();
        if matches!(self.frame.overlays.last(), Some(Overlay::Selection(_))) {
            self.frame.overlays.pop();
        }
        self.frame.overlays.push(Overlay::Selection(selection));
    }

    /// The selection that is going on.
    pub fn selection(&self) -> Option<&Selection> {
        match self.frame.overlays.last() {
            Some(Overlay::Selection(selection)) => Some(selection),
            _ => None,
        }
    }

    /// Passages of the candidate that the answers hold: span, number with the keys of its marks, and index of its tag.
    pub fn marked_passages(&self) -> Vec<(Span, String, usize)> {
        let Some(loaded) = &self.loaded else { return Vec::new() };
        let text = self.text(Pane::Candidate);
        let mut found = Vec::new();
        for question in &self.protocol.questions {
            let given = loaded.standing.answers.get(&question.key).map(Answer::passages).unwrap_or_default();
            for (number, passage) in (1..).zip(given).filter(|(_, passage)| passage.is_in_candidate()) {
                let place =
                    question.marks()[0].iter().position(|tag| Some(&tag.value) == passage.tag.as_ref());
                let sign = format!("{number}{}", mark_keys(question, passage));
                found.extend(passage.find(text).map(|span| (span, sign, place.unwrap_or(0))));
            }
        }
        found
    }

    /// Passages of the document in view that the answers hold.
    pub fn taken_passages(&self) -> Vec<Span> {
        let Some(loaded) = &self.loaded else { return Vec::new() };
        let document = self.reading.number.and_then(|number| loaded.item.document_numbered(number));
        let Some(document) = document else { return Vec::new() };
        let taken = loaded.standing.answers.values().flat_map(Answer::passages);
        taken
            .filter(|passage| passage.document == document.id)
            .filter_map(|passage| passage.find(&document.text))
            .collect()
    }

    fn likely_span(&mut self, point: Option<&Point>, document: u32) -> Option<Span> {
        let mark = self.reading.mark.filter(|mark| mark.document == document);
        match point {
            Some(point) => self.sentences_of(document).most_like(&point.text, 1).first().copied(),
            None => mark.map(|mark| mark.span),
        }
    }

    /// The first sentence that begins in view; in the candidate, the one at the first bullet in view.
    fn first_span(&mut self, document: u32) -> Option<Span> {
        let pane = if document == 0 { Pane::Candidate } else { Pane::Documents };
        let height = self.layout.panes.height(pane);
        let Range { start: mut top, end } = self.boards[pane].visible(height);
        if document == 0 {
            let text = self.text(pane);
            // A row begins behind the mark of its bullet.
            let starts = bullets(text).into_iter();
            let starts = starts.map(|bullet| bullet.end() - without_mark(bullet.slice(text)).len());
            let (before, behind): (Vec<usize>, Vec<usize>) = starts.partition(|start| *start < top);
            let in_view = behind.first().filter(|start| **start < end);
            top = in_view.or(before.last()).copied().unwrap_or(top);
        }
        let spans = self.sentences_of(document).spans();
        spans.get(spans.partition_point(|span| span.start() < top)).or(spans.last()).copied()
    }

    /// The sentences of the document in view, taken apart once.
    pub(super) fn sentences_in_view(&mut self) -> &Sentences {
        self.sentences_of(self.reading.number.map_or(NO_PLACE, |number| number))
    }

    /// The sentences of the document of this number, which is in view, or of the candidate for 0.
    fn sentences_of(&mut self, number: u32) -> &Sentences {
        if self.reading.sentences.as_ref().is_none_or(|(known, _)| *known != number) {
            let pane = if number == 0 { Pane::Candidate } else { Pane::Documents };
            let text = self.text(pane);
            let sentences = match number {
                0 => Sentences::among(text, &sentences(text)),
                _ => Sentences::of(text),
            };
            self.reading.sentences = Some((number, sentences));
        }
        &self.reading.sentences.get_or_insert_with(|| (number, Sentences::default())).1
    }

    pub(super) fn press_in_selection(&mut self, key: Key, desk: &mut dyn AnnotateDesk) {
        if self.selection().is_some_and(|selection| selection.marking.is_some()) {
            return self.mark_selection(key, desk);
        }
        match self.frame.keymap.action_in(Context::Selection, key) {
            Some(Action::SelectTake) => self.take_selection(false, desk),
            Some(Action::SelectAdd) => self.take_selection(true, desk),
            Some(Action::SelectRemove) => self.remove_selected(desk),
            Some(Action::SelectOther) => self.select_other(),
            Some(Action::SelectNextDocument) => self.select_in_document(true),
            Some(Action::SelectPreviousDocument) => self.select_in_document(false),
            Some(action) => self.move_selection(action),
            None => match self.frame.keymap.action(key) {
                Some(
                    action @ (Action::Help | Action::Redraw | Action::Suspend | Action::Theme | Action::Zoom),
                ) => {
                    self.act(action, desk);
                }
                _ => self.frame.say("⏎ takes the selected passage, esc leaves it"),
            },
        }
    }

    /// The choices of the next mark that a taken passage needs.
    pub fn mark_asked(&self) -> Option<&[Choice]> {
        let selection = self.selection()?;
        let (_, tag) = selection.marking.as_ref()?;
        let [tags, severities] = self.protocol.questions.get(selection.question)?.marks();
        Some(if tag.is_none() && !tags.is_empty() { tags } else { severities })
    }

    /// Takes the key of a mark for a taken passage: its tag, or its severity.
    fn mark_selection(&mut self, key: Key, desk: &mut dyn AnnotateDesk) {
        let offered = self.mark_asked().unwrap_or_default();
        let chosen = key.plain_char().and_then(|letter| offered.iter().find(|choice| choice.key == letter));
        let Some(value) = chosen.map(|choice| choice.value.clone()) else {
            let labels: Vec<String> =
                offered.iter().map(|choice| format!("{} {}", choice.key, choice.label)).collect();
            return self.frame.say(format!("it is: {}; esc leaves it", labels.join(", ")));
        };
        let Some(before) = self.selection().cloned() else { return };
        let Some((beside, tag)) = before.marking.clone() else { return };
        let [tags, severities] =
            self.protocol.questions.get(before.question).map(Question::marks).unwrap_or_default();
        let (tag, severity) = match (tag, tags.is_empty()) {
            (None, false) => (Some(value), None),
            (tag, _) => (tag, Some(value)),
        };
        if severity.is_none() && !severities.is_empty() {
            return self.put_selection(Selection { marking: Some((beside, tag)), ..before });
        }
        self.keep_selected((tag, severity), beside, desk);
    }

    fn select_in_document(&mut self, forwards: bool) {
        if self.selection().is_some_and(|selection| selection.document == 0) {
            return self.frame.say("passages are selected in the summary here");
        }
        self.step_document(forwards);
        let (Some(before), Some(document)) = (self.selection().cloned(), self.reading.number) else { return };
        if document == before.document {
            return;
        }
        match self.first_span(document) {
            Some(span) => self.put_selection(Selection { document, span, ..before }),
            None => {
                self.frame.overlays.pop();
                self.frame.say("the document is empty, so nothing is selected");
            }
        }
    }

    fn move_selection(&mut self, action: Action) {
        let Some(before) = self.selection().cloned() else { return };
        let moved = match action {
            Action::SelectNext => self.sentence_from(&before, 1),
            Action::SelectPrevious => self.sentence_from(&before, -1),
            Action::SelectPageDown => self.sentence_a_page_from(&before, true),
            Action::SelectPageUp => self.sentence_a_page_from(&before, false),
            Action::SelectMore => {
                let next = self.sentence_from(&before, 1).filter(|next| next.start() >= before.span.end());
                next.map(|next| self.spanning(before.pane(), before.span.start(), next.end()))
            }
            Action::SelectLikely => self.likely_after(&before),
            _ => self.by_a_word(action, &before),
        };
        match moved {
            Some(span) => self.put_selection(Selection { span, ..before }),
            None => self.frame.say("no further"),
        }
    }

    fn spanning(&self, pane: Pane, start: usize, end: usize) -> Span {
        Span::around(self.text(pane), start, end)
    }

    /// The first sentence that begins behind the selection, or the last that begins before it.
    fn sentence_from(&mut self, selection: &Selection, by: isize) -> Option<Span> {
        let span = selection.span;
        let spans = self.sentences_of(selection.document).spans();
        let found = if by > 0 {
            spans.get(spans.partition_point(|sentence| sentence.start() < span.end()))
        } else {
            spans.get(spans.partition_point(|sentence| sentence.start() < span.start()).checked_sub(1)?)
        };
        found.copied()
    }

    fn sentence_a_page_from(&mut self, selection: &Selection, forwards: bool) -> Option<Span> {
        let (pane, span) = (selection.pane(), selection.span);
        let rows = self.layout.panes.height(pane).saturating_sub(2);
        let board = &self.boards[pane];
        let by = rows.max(1) as isize;
        let by = if forwards { by } else { -by };
        let row = board.row_of(span.start()).saturating_add_signed(by).min(board.len().saturating_sub(1));
        let byte = board.row(row)?.bytes.start;
        let spans = self.sentences_of(selection.document).spans();
        let found = spans.get(spans.partition_point(|sentence| sentence.end() <= byte)).or(spans.last());
        found.copied().filter(|found| *found != span)
    }

    /// The next search hit, else the next likely passage or evidence, going round.
    fn likely_after(&self, selection: &Selection) -> Option<Span> {
        let (pane, span) = (selection.pane(), selection.span);
        let hits = &self.boards[pane].hits;
        let marks = match hits.is_empty() {
            true if pane == Pane::Documents => self.passages(),
            _ => hits.clone(),
        };
        marks.iter().find(|mark| mark.start() > span.start()).or(marks.first()).copied()
    }

    fn by_a_word(&self, action: Action, selection: &Selection) -> Option<Span> {
        let (text, span) = (self.text(selection.pane()), selection.span);
        let (start, end) = match action {
            Action::SelectLonger => (span.start(), end_after(text, span.end())?),
            Action::SelectShorter => {
                let last = start_before(text, span.end())?;
                (span.start(), text.get(..last)?.trim_end().len())
            }
            Action::SelectEarlier => (letters_before(text, span.start())?, span.end()),
            Action::SelectLater => {
                let first = end_after(text, span.start())?;
                let rest = text.get(first..)?;
                (first + rest.len() - rest.trim_start().len(), span.end())
            }
            _ => return None,
        };
        (start < end).then(|| Span::around(text, start, end))
    }

    /// Selects by a drag of the mouse over the document in view or the candidate, for the first question that takes passages
    /// there and is asked.
    pub(super) fn drag_selection(&mut self, pane: Pane, from: usize, to: usize) {
        // The grapheme under the mouse belongs to the selection, a line feed behind the row does not.
        let span = self.spanning(pane, from.min(to), from.max(to) + 1);
        let kept = span.slice(self.text(pane)).trim_end().len();
        let span = self.spanning(pane, span.start(), span.start() + kept);
        let (document, source) = match pane {
            Pane::Candidate => (Some(0), SelectedIn::Candidate),
            _ => (self.reading.number, SelectedIn::Documents),
        };
        let Some(document) = document.filter(|_| !span.is_empty()) else { return };
        if let Some(before) = self.selection().filter(|before| before.pane() == pane).cloned() {
            return self.put_selection(Selection { document, span, ..before });
        }
        let answers = self.answers();
        let takes = |index: &usize| {
            let question = self.protocol.questions.get(*index);
            let is_here =
                |question: &Question| question.is_asked(&answers) && question.selected_in() == source;
            question.is_some_and(is_here) && !self.takes_no_passages(*index)
        };
        let question = (0..self.protocol.questions.len()).find(takes);
        if let (Some(question), true) = (question, self.frame.overlays.is_empty()) {
            self.put_selection(Selection::of((question, None, None), document, span));
        }
    }

    /// Takes the selected passage; where the question marks passages, asks for its marks first.
    fn take_selection(&mut self, beside: bool, desk: &mut dyn AnnotateDesk) {
        let Some(selection) = self.selection().cloned() else { return };
        let marks = self.protocol.questions.get(selection.question).map(Question::marks).unwrap_or_default();
        if marks.iter().all(|offered| offered.is_empty()) {
            return self.keep_selected((None, None), beside, desk);
        }
        self.put_selection(Selection { marking: Some((beside, None)), ..selection });
        let labels = self.mark_asked().unwrap_or_default().iter();
        let labels: Vec<String> = labels.map(|choice| format!("{} {}", choice.key, choice.label)).collect();
        self.frame.say(format!("it is: {}", labels.join(", ")));
    }

    /// Keeps the selected passage, with its tag and its severity.
    fn keep_selected(
        &mut self,
        (tag, severity): (Option<String>, Option<String>),
        beside: bool,
        desk: &mut dyn AnnotateDesk,
    ) {
        let Some(Overlay::Selection(selection)) = self.frame.overlays.pop() else { return };
        let item = self.loaded.as_ref().map(|loaded| &loaded.item);
        let text = match selection.document {
            0 => Some(("", self.text(Pane::Candidate))),
            number => {
                let document = item.and_then(|item| item.document_numbered(number));
                document.map(|document| (document.id.as_str(), document.text.as_str()))
            }
        };
        let Some((document, text)) = text else { return };
        let quote = Quote { tag, severity, ..Quote::of(document, text, selection.span) };
        let index = selection.question;
        let is_list = matches!(
            self.protocol.questions.get(index).map(|question| &question.kind),
            Some(QuestionKind::Points { .. })
        );
        if is_list && selection.point.is_none() {
            return self.open_point_with(index, quote);
        }
        let place = selection.replaces.filter(|_| !beside);
        self.change_passages(&selection, desk, |passages| {
            match place.filter(|place| *place < passages.len()) {
                Some(place) => {
                    passages.remove(place);
                    passages.insert(place, quote);
                }
                None if passages.contains(&quote) => {}
                None => passages.push(quote),
            }
        });
    }

    fn remove_selected(&mut self, desk: &mut dyn AnnotateDesk) {
        let Some(place) = self.selection().and_then(|selection| selection.replaces) else {
            return self.frame.say("nothing is taken yet; esc leaves");
        };
        let Some(Overlay::Selection(selection)) = self.frame.overlays.pop() else { return };
        self.change_passages(&selection, desk, |passages| {
            if place < passages.len() {
                passages.remove(place);
            }
        });
    }

    /// Changes the passages of the question or the point that a selection is for.
    fn change_passages(
        &mut self,
        selection: &Selection,
        desk: &mut dyn AnnotateDesk,
        change: impl FnOnce(&mut Vec<Quote>),
    ) {
        let index = selection.question;
        let shown = self.shown(index);
        let answer = match selection.point {
            Some(place) => {
                let mut points = shown.as_ref().map_or(&[][..], Answer::points).to_vec();
                let Some(point) = points.get_mut(place) else { return };
                change(&mut point.passages);
                Answer::Points(points)
            }
            None => {
                let mut passages: Vec<Quote> = shown.iter().flat_map(Answer::passages).cloned().collect();
                change(&mut passages);
                Answer::Passages(passages)
            }
        };
        let question = self.protocol.questions.get(index);
        if question.and_then(|question| self.given(question)) == Some(&answer) {
            self.begun.lists = None;
            return self.frame.say("as it was");
        }
        let after = if self.begun.lists == Some(index) { Then::Write(index) } else { Then::Stay };
        self.answer(index, answer, after, desk);
    }
}

/// The keys of a passage's tag and severity.
pub(super) fn mark_keys(question: &Question, passage: &Quote) -> String {
    let key = |(offered, given): (&[Choice], &Option<String>)| {
        offered.iter().find(|choice| Some(&choice.value) == given.as_ref()).map(|choice| choice.key)
    };
    question.marks().into_iter().zip([&passage.tag, &passage.severity]).filter_map(key).collect()
}
