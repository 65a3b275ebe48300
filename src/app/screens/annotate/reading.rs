//! Reading documents: which one is in view, evidence, search, scrolling.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{App, ReadingPlace};
use crate::app::kit::{Action, Effect, Search, around, beyond};
use crate::journal::Loaded;
use crate::protocol::{Answer, Pane, Question, QuestionKind};
use crate::study::{Item, Passage};
use crate::text::bullets::bullets;
use crate::text::citation::citations;
use crate::text::difference::{WordChange, difference};
use crate::text::similar::Sentences;
use crate::text::span::Span;
use crate::text::transcript::speakers;

/// At most this many likely passages are shown.
const GUESSES: usize = 3;

/// The state of reading and searching.
#[derive(Debug, Clone, Default)]
pub struct ReadingState {
    /// Number of the document in view.
    pub number: Option<u32>,
    /// Numbers of the documents that the annotator opened for this item.
    pub opened: BTreeSet<u32>,
    /// Whether the annotator scrolled to where no evidence is highlighted, or opened another document.
    pub is_beyond_evidence: bool,
    /// The passage that was jumped to last.
    pub mark: Option<Passage>,
    /// The units to choose from, one a line.
    pub units: String,
    pub search: Search,
    /// The speakers' names in the document in view, where it is a transcript.
    pub speakers: Vec<Span>,
    /// Places from which documents were opened, the latest last.
    pub(super) places: Vec<ReadingPlace>,
    /// The citation that was opened last: its summary, and its place among the citations there.
    pub(super) citation: Option<(Pane, usize)>,
    /// Likely passages in the document in view, the most alike first, where no evidence came with the unit.
    guesses: Vec<Span>,
    /// The bullet that is most like the unit, where it is marked.
    pub likely_bullet: Option<u32>,
    /// Whether words that differ between two candidates stand out, and the words of each.
    pub shows_difference: bool,
    pub differing: [Vec<Span>; 2],
    /// The sentences of the document that was looked through last, by its number.
    pub(super) sentences: Option<(u32, Sentences)>,
}

impl ReadingState {
    pub(super) fn start_item(&mut self) {
        self.opened.clear();
        self.is_beyond_evidence = false;
        self.mark = None;
        self.places.clear();
        self.citation = None;
    }
}

impl App {
    /// Whether there is a document to read.
    pub fn has_documents(&self) -> bool {
        self.loaded.as_ref().is_some_and(|loaded| !loaded.item.documents.is_empty())
    }

    /// Numbers of the documents that the strip above the text lists: those relevant to the unit where they are known,
    /// else all.
    pub fn strip(&self) -> Vec<u32> {
        let Some(item) = self.loaded.as_ref().map(|loaded| &loaded.item) else { return Vec::new() };
        if let Some(number) = item.document {
            return vec![number];
        }
        match &item.relevant {
            Some(numbers) if !numbers.is_empty() => numbers.clone(),
            _ => item.documents.iter().map(|document| document.number).collect(),
        }
    }

    /// Whether there is more than one document to choose from.
    pub fn has_strip(&self) -> bool {
        self.strip().len() > 1
    }

    /// The bullet that is judged, where the target has one.
    pub fn judged_bullet(&self) -> Option<Span> {
        let item = &self.loaded.as_ref()?.item;
        let place = usize::try_from(item.bullet?.checked_sub(1)?).ok()?;
        bullets(&item.candidate.as_ref()?.text).get(place).copied()
    }

    /// Reveals the judged bullet, or else the chosen ones, once the rows are known.
    pub(super) fn reveal_bullet(&mut self) {
        match self.judged_bullet() {
            Some(span) => self.boards[Pane::Candidate].reveal_later(Some(span.range())),
            None => {
                let answers = self.loaded.iter().flat_map(|loaded| loaded.standing.answers.values());
                self.reveal_bullets(answers.flat_map(Answer::bullets).copied().collect());
            }
        }
    }

    /// Reveals these bullets of the candidate once the rows are known; the first where not all have room.
    pub(in crate::app) fn reveal_bullets(&mut self, numbers: Vec<u32>) {
        let all = bullets(self.text(Pane::Candidate));
        let span = |number: &u32| all.get(usize::try_from(number.checked_sub(1)?).ok()?);
        let (first, last) = (numbers.iter().min().and_then(span), numbers.iter().max().and_then(span));
        let bytes = first.zip(last).map(|(first, last)| first.start()..last.end());
        if bytes.is_some() {
            self.boards[Pane::Candidate].reveal_later(bytes);
        }
    }

    /// The text of a pane; empty where there is none.
    pub fn text(&self, pane: Pane) -> &str {
        let Some(item) = self.loaded.as_ref().map(|loaded| &loaded.item) else { return "" };
        match pane {
            Pane::Query => &item.query.text,
            Pane::Unit => item.unit.as_ref().map_or("", |unit| &unit.text),
            Pane::Candidate => item.candidate.as_ref().map_or("", |candidate| &candidate.text),
            Pane::Other => item.other.as_ref().map_or("", |other| &other.text),
            Pane::Units => &self.reading.units,
            Pane::Documents => self
                .reading
                .number
                .and_then(|number| item.document_numbered(number))
                .map_or("", |document| &document.text),
        }
    }

    /// The passages in the document in view that speak of the unit: its evidence, or a guess at it.
    pub fn passages(&self) -> Vec<Span> {
        if self.is_guess() {
            let mut guesses = self.reading.guesses.clone();
            guesses.sort_unstable();
            return guesses;
        }
        let (Some(loaded), Some(number)) = (&self.loaded, self.reading.number) else { return Vec::new() };
        let all = &loaded.item.evidence;
        let start = all.partition_point(|passage| passage.document < number);
        let end = all.partition_point(|passage| passage.document <= number);
        all.get(start..end).unwrap_or(&[]).iter().map(|passage| passage.span).collect()
    }

    /// Whether likely passages stand in for evidence, because the unit has none. A protocol that hides evidence shows no likely
    /// passages either: they would give away as much.
    pub fn is_guess(&self) -> bool {
        let is_unmarked = self.loaded.as_ref().is_some_and(|loaded| loaded.item.evidence.is_empty());
        is_unmarked && self.protocol.shows_evidence
    }

    /// The passage with which a document opens: its first evidence, or the most alike.
    pub(super) fn first_passage(&self) -> Option<Span> {
        if self.is_guess() { self.reading.guesses.first().copied() } else { self.passages().first().copied() }
    }

    /// Looks for likely passages in the document in view, where no evidence came with the unit or the bullet.
    fn guess(&mut self) {
        self.reading.guesses.clear();
        let about = self.judged_statement().map(str::to_owned);
        let (Some(about), Some(_), true) = (about, self.reading.number, self.is_guess()) else { return };
        self.reading.guesses = self.sentences_in_view().most_like(&about, GUESSES);
    }

    /// The unit or the bullet that is held against the documents.
    fn judged_statement(&self) -> Option<&str> {
        let item = &self.loaded.as_ref()?.item;
        match (&item.unit, self.judged_bullet()) {
            (Some(unit), _) => Some(&unit.text),
            (None, Some(span)) => Some(span.slice(&item.candidate.as_ref()?.text)),
            (None, None) => None,
        }
    }

    /// Finds speakers, hits and likely passages anew, after another unit or another document came in view.
    pub(super) fn look_again(&mut self) {
        self.reading.speakers = speakers(self.text(Pane::Documents));
        self.find_hits();
        self.guess();
        self.guess_bullet();
        self.find_difference();
    }

    /// The words that only one of two candidates has, where they are to stand out.
    pub(super) fn find_difference(&mut self) {
        self.reading.differing = <[Vec<Span>; 2]>::default();
        if !self.reading.shows_difference || !self.is_present(Pane::Other) {
            return;
        }
        let texts = [Pane::Candidate, Pane::Other].map(|pane| self.text(pane));
        let (mut ends, mut found) = ([0, 0], <[Vec<Span>; 2]>::default());
        for change in difference(texts[0], texts[1]) {
            let own = match &change {
                WordChange::Kept(_) => [true, true],
                WordChange::Removed(_) => [true, false],
                WordChange::Added(_) => [false, true],
            };
            for side in [0, 1].into_iter().filter(|side| own[*side]) {
                let start = ends[side];
                ends[side] += change.text().len();
                if own != [true, true] {
                    found[side].push(Span::around(texts[side], start, ends[side]));
                }
            }
        }
        self.reading.differing = found;
    }

    /// Looks for the bullet that is most like the unit, where a question asks for one and the annotator wants it marked.
    pub(super) fn guess_bullet(&mut self) {
        let is_asked = |question: &Question| matches!(question.kind, QuestionKind::Bullet { .. });
        let wanted = self.hints && self.protocol.questions.iter().any(is_asked);
        let about = self.loaded.as_ref().and_then(|loaded| loaded.item.unit.as_ref()).filter(|_| wanted);
        let text = self.text(Pane::Candidate);
        let all = bullets(text);
        let like =
            about.and_then(|unit| Sentences::among(text, &all).most_like(&unit.text, 1).first().copied());
        let place = like.and_then(|span| {
            all.iter().position(|bullet| bullet.start() <= span.start() && span.start() < bullet.end())
        });
        self.reading.likely_bullet = place.and_then(|place| u32::try_from(place + 1).ok());
    }

    /// The document and the place in it with which an item opens: its first evidence; else the document of the target or the
    /// first relevant one; else the first that a summary judged without a unit cites; else the one in view.
    pub(super) fn opening(&self, loaded: &Loaded) -> (Option<u32>, Option<Range<usize>>) {
        let item = &loaded.item;
        let in_target = |passage: &&Passage| item.document.is_none_or(|number| number == passage.document);
        if let Some(passage) = item.evidence.iter().find(in_target) {
            return (Some(passage.document), Some(passage.span.range()));
        }
        let first = item.document.or_else(|| item.relevant.as_ref()?.first().copied());
        let kept = self.reading.number.filter(|number| item.document_numbered(*number).is_some());
        let any = item.documents.first().map(|document| document.number);
        let has_number = |number: &u32| item.document_numbered(*number).is_some();
        let judged_whole = item.candidate.as_ref().filter(|_| item.unit.is_none());
        let cited = judged_whole.and_then(|candidate| {
            let written = citations(&candidate.text).into_iter().flat_map(|citation| citation.numbers);
            written.map(|written| candidate.meant(written)).find(has_number)
        });
        (first.or(cited).or(kept).or(any), None)
    }

    /// Puts a document in view, from its beginning.
    pub(super) fn put_document(&mut self, number: u32) {
        if self.reading.number != Some(number) {
            self.reading.number = Some(number);
            self.reading.mark = None;
            self.boards[Pane::Documents].clear();
            self.look_again();
        }
    }

    /// Opens a document because the annotator asked for it; returns whether there is one.
    pub(super) fn open_document(&mut self, number: u32) -> bool {
        let Some(item) = self.loaded.as_ref().map(|loaded| &loaded.item) else { return false };
        if item.document_numbered(number).is_none() {
            let last = item.documents.last().map_or(0, |document| document.number);
            self.frame.warn(format!("there is no document {number}; the numbers go up to {last}"));
            return false;
        }
        self.remember_place();
        self.put_document(number);
        self.reading.opened.insert(number);
        if self.passages().is_empty() {
            self.reading.is_beyond_evidence = true;
        }
        self.focus_documents();
        true
    }

    /// Shows the documents where they are behind another tab.
    fn focus_documents(&mut self) {
        if self.layout.panes.place(Pane::Documents).is_none() {
            self.focus = Pane::Documents;
        }
    }

    /// Opens the next or previous document of the strip, going round.
    pub(super) fn step_document(&mut self, forwards: bool) {
        let now = self.reading.number.unwrap_or(0);
        match around(&self.strip(), now, forwards) {
            Some(number) if number != now => {
                self.open_document(number);
            }
            Some(_) => {
                let open = self.frame.keymap.sign(Action::OpenDocument);
                self.frame.say(format!("there is no other document here; {open} opens one by its number"));
            }
            None => self.frame.say("this study has no documents for the query"),
        }
    }

    /// Searches for these words from now on, and shows the first hit in view or after it.
    pub(super) fn search(&mut self, needle: &str) {
        self.reading.search = Search::of(needle);
        self.find_hits();
        let pane = self.searched_pane();
        match self.boards[pane].first_hit(self.layout.panes.height(pane)) {
            Some(hit) => self.mark(pane, hit),
            None => self.reading.mark = None,
        }
    }

    /// The pane that search walks through.
    pub(super) fn searched_pane(&self) -> Pane {
        let layout = &self.protocol.layout;
        let shows_documents =
            [&layout.above, &layout.left, &layout.right].iter().any(|panes| panes.contains(&Pane::Documents));
        match self.focus {
            _ if shows_documents && self.has_documents() => Pane::Documents,
            Pane::Other => Pane::Other,
            _ => Pane::Candidate,
        }
    }

    pub(super) fn find_hits(&mut self) {
        for pane in [Pane::Documents, Pane::Candidate, Pane::Other, Pane::Unit, Pane::Query] {
            self.boards[pane].hits = self.reading.search.hits_in(self.text(pane));
        }
    }

    /// Hits of the search by document number, documents without hits left out.
    pub fn hit_counts(&self) -> Vec<(u32, usize)> {
        let documents = self.loaded.iter().flat_map(|loaded| loaded.item.documents.iter());
        self.reading.search.counts(documents.map(|document| (document.number, document.text.as_str())))
    }

    /// Shows where the mark is, and says which hit it is on.
    pub(super) fn show_mark(&mut self) {
        if self.reading.mark.is_some() && self.searched_pane() == Pane::Documents {
            self.focus_documents();
        }
        self.say_marks();
    }

    fn mark(&mut self, pane: Pane, span: Span) {
        if pane == Pane::Documents {
            let document = self.reading.number.unwrap_or(0);
            self.reading.mark = Some(Passage { document, span });
            self.boards[Pane::Documents].reveal_later(Some(span.range()));
        } else {
            let height = self.layout.panes.height(pane);
            self.boards[pane].reveal(span.range(), height);
            self.reading.mark = Some(Passage { document: 0, span });
        }
    }

    /// Goes to the next or previous search hit, or evidence where nothing is searched for; through all
    /// documents, going round.
    pub(super) fn step_mark(&mut self, forwards: bool) {
        let pane = self.searched_pane();
        let in_view = self.marks_in_view();
        let mark = self.reading.mark.map(|mark| mark.span);
        // Backwards without a mark leads to the document before.
        let is_here = forwards || mark.is_some();
        match is_here.then(|| beyond(&in_view, mark, forwards)).flatten() {
            Some(span) => self.mark(pane, span),
            None => self.step_marked_document(forwards, &in_view),
        }
        self.show_mark();
    }

    /// Goes on to the next document that has a hit or evidence; back to this one if it is the only one.
    fn step_marked_document(&mut self, forwards: bool, in_view: &[Span]) {
        let now = self.reading.number.unwrap_or(0);
        let spans: Vec<Span> = match around(&self.marked_documents(), now, forwards) {
            Some(number) if number != now => {
                self.open_document(number);
                self.marks_in_view()
            }
            _ => in_view.to_vec(),
        };
        let span = if forwards { spans.first() } else { spans.last() };
        match span.copied() {
            Some(span) => self.mark(self.searched_pane(), span),
            None if self.reading.search.is_off() => {
                let find = self.frame.keymap.sign(Action::Search);
                let none = match self.protocol.shows_evidence {
                    true => "nothing here looks like it",
                    false => "evidence is not shown here",
                };
                self.frame.say(format!("{none}; {find} finds words"));
            }
            None => self.frame.say(format!("{:?} is nowhere", self.reading.search.needle())),
        }
    }

    fn marks_in_view(&self) -> Vec<Span> {
        if self.reading.search.is_off() {
            self.passages()
        } else {
            self.boards[self.searched_pane()].hits.clone()
        }
    }

    fn marked_documents(&self) -> Vec<u32> {
        if !self.reading.search.is_off() {
            return self.hit_counts().into_iter().map(|(number, _)| number).collect();
        }
        if self.is_guess() {
            return self.strip();
        }
        let item: Option<&Item> = self.loaded.as_ref().map(|loaded| &loaded.item);
        let mut numbers: Vec<u32> =
            item.map_or(&[][..], |item| &item.evidence).iter().map(|passage| passage.document).collect();
        numbers.dedup();
        numbers
    }

    /// Says which hit this is, of how many.
    fn say_marks(&mut self) {
        if !self.frame.notice.text.is_empty() {
            return;
        }
        let marks = self.marks_in_view();
        let Some(index) = self.reading.mark.and_then(|mark| marks.iter().position(|span| *span == mark.span))
        else {
            return;
        };
        let best = self.reading.guesses.first().filter(|_| self.is_guess() && self.reading.search.is_off());
        let rank = match best {
            Some(best) if marks.len() > 1 && marks.get(index) == Some(best) => ", the most alike",
            _ => "",
        };
        let what = match (self.reading.search.is_off(), self.is_guess()) {
            (false, _) => "hit",
            (true, false) => "passage",
            (true, true) => "likely passage",
        };
        let documents = self.marked_documents().len();
        let elsewhere =
            if documents > 1 { format!(" here · {documents} documents have some") } else { String::new() };
        self.frame.say(format!("{what} {} of {}{rank}{elsewhere}", index + 1, marks.len()));
    }

    /// Clears the search and the mark.
    pub(super) fn clear_marks(&mut self) {
        self.reading.search = Search::default();
        self.reading.mark = None;
        self.find_hits();
    }

    pub(super) fn scroll_pane(&mut self, pane: Pane, by: isize) {
        let height =
            self.layout.panes.place(pane).map_or(0, |place| self.body_height(pane, place.body.height));
        self.boards[pane].scroll_by(by, height);
        if pane == Pane::Documents {
            self.note_beyond(height);
        }
    }

    /// Rows of a pane's body that hold its text: the documents have a strip above it.
    pub fn body_height(&self, pane: Pane, rows: u16) -> u16 {
        match pane {
            Pane::Documents if self.has_strip() => rows.saturating_sub(1),
            _ => rows,
        }
    }

    fn note_beyond(&mut self, height: u16) {
        let visible = self.boards[Pane::Documents].visible(height);
        let shows = |span: &Span| span.start() < visible.end && span.end() > visible.start;
        if !self.passages().iter().any(shows) {
            self.reading.is_beyond_evidence = true;
        }
    }

    pub(super) fn copy(&mut self) {
        let text = self.text(self.focus).to_owned();
        if text.is_empty() {
            self.frame.say("the focused pane is empty");
        } else {
            self.frame.want(Effect::Copy(text));
        }
    }
}
