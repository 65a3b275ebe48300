//! The annotate screen: texts, questions about them, and a queue of items. `update` changes its state for an input, and
//! asks the [desk](AnnotateDesk) what it needs of the study.

mod answering;
mod arranging;
pub mod calibrating;
mod citing;
mod clock;
pub mod desk;
pub mod guideline;
mod holding;
pub mod judgment;
pub mod layout;
mod moving;
mod pointing;
pub mod reading;
mod rest;
mod revised;
mod saving;
mod selecting;
#[cfg(test)]
pub(crate) mod tests;
pub mod tour;
mod typing;
mod writing;

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

use calibrating::Telling;
use clock::{ActiveClock, Breaks};
use guideline::Drawer;
use holding::HeldKey;
use layout::AnnotateLayout;
use reading::ReadingState;
use rest::Rest;
use tour::Tour;

use crate::app::kit::layout::page;
use crate::app::kit::{
    Action, Board, Editor, Frame, HelpSection, Input, Key, KeyCode, Moment, NOT_KEPT, Overlay, Prompt,
    Purpose, Screen, Undo, UndoStep,
};
use crate::journal::{DaysWork, ItemState, Loaded, Queue};
use crate::protocol::{Answer, Pane, Protocol, Question, QuestionKind, TargetPart};
use crate::study::ItemId;
use crate::text::bullets::bullets;

use calibrating::{Told, ToldQuestion};
use citing::ReadingPlace;
pub use clock::typical;
pub(crate) use desk::{AnnotateDesk, AnswerOutcome, AnswersSaved, Append, Elsewhere, Find};
pub(crate) use guideline::paragraphs;
use judgment::given_at;
use layout::{PaneContents, ROOMY, lay_out};
use saving::{answers_told, named};
pub(crate) use tour::TourStop;

/// The state of the annotate screen.
#[derive(Debug, Clone)]
pub struct App {
    /// The study's name, for the top line.
    pub study: String,
    /// The protocol as it is asked on the screen.
    pub protocol: Arc<Protocol>,
    /// The protocol as it stands in the study.
    stored: Arc<Protocol>,
    pub frame: Frame,
    /// Rows above the bottom line that are left free for another screen.
    pub reserved: u16,
    pub queue: Queue,
    /// None only until the first item is read.
    pub loaded: Option<Loaded>,
    pub layout: AnnotateLayout,
    pub boards: Boards,
    pub reading: ReadingState,
    pub focus: Pane,
    pub is_zoomed: bool,
    /// Whether long rows of citations in the summary are folded.
    pub is_folded: bool,
    /// The guideline beside the item, where it was opened.
    drawer: Option<Drawer>,
    pub clock: ActiveClock,
    pub advances: bool,
    /// Why nothing at all can be given back here.
    pub keeps: Option<&'static str>,
    /// Whether the queue is to be opened anew, since work came from the hub.
    is_outdated: bool,
    /// Whether the names of systems are hidden.
    pub is_blind: bool,
    /// Events that the disk has not taken; nothing else is done until they are written.
    pub pending: Option<Pending>,
    /// Number of searches in all go-to lists, so that late matches are never taken for those of another list.
    searches: u64,
    undo: Undo<Spot>,
    arrival: Arrival,
    held: HeldKey,
    pub begun: Begun,
    drafts: Drafts,
    rest: Rest,
    /// Whether the bullet that is most like the unit is marked.
    pub hints: bool,
    pub breaks: Breaks,
    /// Whether the time on the item is shown.
    pub shows_clock: bool,
    /// Work done today, read whenever no open item is left.
    pub day: DaysWork,
    /// The tour that leads a newcomer through the first item.
    tour: Option<Tour>,
}

/// The panes' rows and scrolls.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Boards([Board; Pane::ALL.len()]);

impl Index<Pane> for Boards {
    type Output = Board;

    fn index(&self, pane: Pane) -> &Board {
        &self.0[pane as usize]
    }
}

impl IndexMut<Pane> for Boards {
    fn index_mut(&mut self, pane: Pane) -> &mut Board {
        &mut self.0[pane as usize]
    }
}

/// Events that the disk has not taken, with what is to follow once it has.
#[derive(Debug, Clone, PartialEq)]
pub struct Pending {
    pub append: Append,
    purpose: Purpose<Spot>,
    then: Then,
}

/// The step that follows once the events are on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app) enum Then {
    Stay,
    /// Load the item at this position.
    Load(usize, Arrival),
    Find(Find),
    Quit,
    /// Open a text for writing, or the next point of a list.
    Write(usize),
    /// Show the known answer.
    Tell,
    /// Open the queue again, with the items behind calibration.
    Reopen,
    /// Begin calibration again.
    CalibrateAnew,
    /// Give the item back.
    GiveBack,
    /// Go on with the rest of the group.
    Rest,
    /// Select a passage for a point of a question.
    Select(usize, usize),
}

/// An item in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// 0-based position in the queue.
    pub position: usize,
    pub item: ItemId,
}

/// State of the item on the screen; the next item begins without it.
#[derive(Debug, Clone, Default)]
pub struct Begun {
    /// The reason for which the item is given back, once the time on it is on record.
    back_for: Option<String>,
    /// Digits of a bullet number that could still go on.
    pub typed: String,
    /// The answer that broke a rule and was refused; given once more, it is kept.
    insisted: Option<(usize, Answer)>,
    /// Questions whose answers were dropped, because another terminal had answered them. Keys for questions that hang on them
    /// are dropped as well.
    refused: Vec<String>,
    /// The question that was answered or opened last; a letter that several questions take is for the next one.
    answered: Option<usize>,
    telling: Telling,
    /// Whether the guideline has been opened at the question that was missed in calibration.
    has_read_guideline: bool,
    /// First visible line of the judgment, where it was scrolled.
    judgment_scroll: Option<usize>,
    /// Index of the question whose list is being written: once a new point is kept, the next one is opened.
    lists: Option<usize>,
    /// The number of the bullet whose words a new point begins with, as long as nothing else is typed.
    from_bullet: Option<String>,
    /// The first row that was visible when a search began.
    searched_from: usize,
    /// Where the mouse was pressed in the document in view or in the candidate, in bytes.
    pressed: Option<(Pane, usize)>,
    /// Whether the item was judged when it came on the screen: new answers correct it, and nothing goes on by itself.
    pub corrects: bool,
    /// Whether the journal knows that the person is at this item.
    is_placed: bool,
    /// The kind of text that is new with this item, such as `summary`.
    pub other_text: Option<&'static str>,
}

/// Texts of editors that were left. In memory only.
#[derive(Debug, Clone, Default)]
struct Drafts {
    /// Editors by item, question and point.
    kept: BTreeMap<(ItemId, usize, Option<usize>), Editor>,
    /// Prompts with comments, by item.
    comments: BTreeMap<ItemId, Prompt>,
    /// Whether leaving was refused once because of the drafts.
    has_warned: bool,
}

impl Drafts {
    fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.comments.is_empty()
    }
}

/// The way in which the present item came on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app) enum Arrival {
    /// A person asked for the item.
    Asked,
    /// The item will come by itself when it is loaded; the number is the position before.
    Advancing(usize),
    /// The item came by itself and has not been drawn.
    Unseen(usize),
    /// The item came by itself and was drawn at this monotonic time.
    Seen(usize, i64),
    /// An undo or a redo goes on here once it is loaded.
    Undo,
    Redo,
    /// The item is one of the rest, which are answered at once.
    Rest,
}

impl Screen for App {
    type Desk<'d> = dyn AnnotateDesk + 'd;

    fn open(&mut self, desk: &mut Self::Desk<'_>) {
        self.load(self.queue.resume, self.arrival, desk);
        self.tidy(false);
    }

    fn update(&mut self, input: Input, desk: &mut Self::Desk<'_>) {
        let is_key = matches!(input, Input::Key(..));
        match input {
            Input::Key(key, now) => {
                self.touch(now);
                self.strike(key, now, desk);
            }
            Input::Repeat(key, now) => {
                self.touch(now);
                let is_read = self.frame.overlays.is_empty() && self.pending.is_none();
                if !(is_read && self.is_labelling(key)) {
                    self.frame.hush();
                    self.press(key, desk);
                }
            }
            Input::Mouse(mouse, now) => {
                self.touch(now);
                self.held.let_go();
                self.point(mouse, desk);
            }
            Input::Paste(text, now) => {
                self.touch(now);
                self.paste(&text);
            }
            Input::Resize(columns, rows) => self.frame.size = (columns, rows),
            Input::Shown(now) => {
                if self.begun.telling == Telling::Unseen {
                    self.begun.telling = Telling::Yes;
                }
                // The queue is filled while the first item is read.
                if std::mem::take(&mut self.queue.is_begun) {
                    let filled = desk.fill_queue();
                    self.frame.read(filled);
                }
                if let Arrival::Unseen(from) = self.arrival {
                    self.arrival = Arrival::Seen(from, now.monotonic);
                    self.held.shows(self.begun.other_text.is_some(), now);
                }
            }
            Input::Resumed(now) => {
                self.frame.now = now;
                self.clock.resume(now);
            }
            // Events that could not be written are tried again, and known answers that have not come are asked for again.
            Input::Tick(now) | Input::FocusLost(now) => {
                self.frame.now = now;
                let awaited = self.awaited();
                self.write_pending(desk);
                if let Some((item, known)) =
                    awaited.and_then(|item| Some((item, self.frame.read(desk.known(item))?)))
                {
                    self.hear_known(item, known);
                }
                self.place_after_a_while(now, desk);
            }
            Input::Notice(text) => self.frame.say(text),
            Input::Matches { generation, matches } => self.matched(generation, matches),
            Input::Changed => self.is_outdated = true,
        }
        if self.is_outdated {
            self.renew(desk);
        }
        self.tidy(is_key);
    }

    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn frame_mut(&mut self) -> &mut Frame {
        &mut self.frame
    }

    /// Whether events wait for the disk, a known answer for the hub or a new queue for its moment, the place in the queue is not on
    /// record, or refused keys are named for a while.
    fn is_waiting(&self) -> bool {
        let is_one_awaited = self.pending.is_some() || self.awaited().is_some() || self.is_outdated;
        is_one_awaited || self.has_no_place() || self.frame.refusal().is_some()
    }
}

impl App {
    /// An app for this queue. `undo` holds earlier steps, oldest first.
    pub fn new(
        study: String,
        protocol: Arc<Protocol>,
        queue: Queue,
        undo: Vec<UndoStep<Spot>>,
        now: Moment,
    ) -> App {
        let stored = protocol;
        let protocol = Arc::new(stored.on_screen(false));
        let focus = home(&protocol);
        let start = queue.resume;
        let mut app = App {
            study,
            protocol,
            stored,
            frame: Frame { now, ..Frame::default() },
            reserved: 0,
            queue,
            loaded: None,
            layout: AnnotateLayout::default(),
            boards: Boards::default(),
            reading: ReadingState::default(),
            focus,
            is_zoomed: false,
            is_folded: false,
            drawer: None,
            clock: ActiveClock::default(),
            advances: true,
            shows_clock: true,
            day: DaysWork::default(),
            keeps: None,
            is_outdated: false,
            is_blind: true,
            pending: None,
            searches: 0,
            undo: Undo::new(undo),
            // The first item comes by itself too: keys typed before it was drawn answer nothing.
            arrival: Arrival::Advancing(start),
            held: HeldKey::default(),
            begun: Begun::default(),
            drafts: Drafts::default(),
            rest: Rest::default(),
            hints: false,
            breaks: Breaks::default(),
            tour: None,
        };
        app.clock.resume(now);
        app
    }

    /// Brings tour, clock and layout up to what was done.
    pub(in crate::app) fn tidy(&mut self, is_key: bool) {
        self.follow_tour(is_key);
        self.pause_clock();
        self.arrange();
    }

    /// Bullets of the candidate on the screen.
    pub fn bullet_count(&self) -> usize {
        let candidate = self.loaded.as_ref().and_then(|loaded| loaded.item.candidate.as_ref());
        candidate.map_or(0, |candidate| bullets(&candidate.text).len())
    }

    /// The state of the item on the screen.
    pub fn state(&self) -> ItemState {
        self.loaded.as_ref().map_or(ItemState::Open, |loaded| loaded.standing.state(&self.protocol))
    }

    /// Active milliseconds on the item so far, earlier visits included.
    pub fn active(&self) -> i64 {
        let written = self.loaded.as_ref().map_or(0, |loaded| loaded.standing.active);
        written + self.clock.unwritten()
    }

    /// The middle of the last items' active milliseconds.
    pub fn typical_active(&self) -> Option<i64> {
        typical(&self.queue.recent)
    }

    /// The pane with the text that is judged.
    fn home(&self) -> Pane {
        home(&self.protocol)
    }

    pub(in crate::app) fn touch(&mut self, now: Moment) {
        self.frame.now = now;
        self.clock.touch(now);
        self.breaks.touch(now);
    }

    /// Stops the clock while the help, a known answer or the last page is read in place of the texts.
    fn pause_clock(&mut self) {
        let reads_help = self.frame.overlays.last();
        let reads_help = matches!(reads_help, Some(Overlay::Help { .. } | Overlay::Known | Overlay::Done));
        self.clock.set_paused(reads_help);
    }

    fn press(&mut self, key: Key, desk: &mut dyn AnnotateDesk) {
        let action = self.frame.keymap.action(key);
        if self.pending.is_some() {
            return self.frame.hold(key, action);
        }
        if !self.frame.overlays.is_empty() {
            return self.press_in_overlay(key, desk);
        }
        match self.earlier_item() {
            _ if self.is_unread() && self.is_labelling(key) => self.hold_back(key),
            Some(from) => self.press_for_earlier(from, key, action, desk),
            None => self.press_in_boards(key, action, desk),
        }
    }

    /// A key that was typed while the item before was still on the screen: it may look around and
    /// leave, but answers nothing here.
    fn press_for_earlier(
        &mut self,
        from: usize,
        key: Key,
        action: Option<Action>,
        desk: &mut dyn AnnotateDesk,
    ) {
        use Action::{Back, Next, NextOpen};
        match action {
            // The item that the key was to leave has been left already.
            Some(Next | NextOpen) => {}
            Some(Back) => self.leave(Then::Load(from.saturating_sub(1), Arrival::Asked), desk),
            _ => self.press_in_boards(key, action, desk),
        }
    }

    fn press_in_boards(&mut self, key: Key, action: Option<Action>, desk: &mut dyn AnnotateDesk) {
        if self.continue_typed(key, desk) {
            return;
        }
        match action {
            Some(action) => self.act(action, desk),
            None if key.code == KeyCode::Escape && self.is_in_drawer() => self.drawer = None,
            None if key.code == KeyCode::Escape => self.clear_marks(),
            None => match key.plain_char() {
                Some(character) => self.answer_key(character, desk),
                None => self.frame.does_nothing(key),
            },
        }
    }

    fn act(&mut self, action: Action, desk: &mut dyn AnnotateDesk) {
        self.drafts.has_warned &= action == Action::Quit;
        if let Some((_, place)) = self.drawer().filter(|(drawer, _)| drawer.is_focused)
            && let Some(rows) = action.rows(page(place.body.height))
        {
            return self.scroll_drawer(rows);
        }
        let scrolled = self.scrolled_pane();
        if let Some(rows) = action.rows(page(self.layout.panes.height(scrolled))) {
            return self.scroll_pane(scrolled, rows);
        }
        match action {
            Action::Undo => self.undo(desk),
            Action::Redo => self.redo(desk),
            Action::Skip => self.toggle_skip(desk),
            Action::Flag => self.toggle_flag(desk),
            Action::AutoAdvance => self.toggle_advance(),
            Action::ItemClock => self.toggle_clock(),
            Action::Confirm => self.confirm(desk),
            Action::Changes => self.open_changes(),
            Action::RestNone => self.ask_for_rest(desk),
            Action::LikelyBullet => self.toggle_hints(),
            Action::DifferentWords => self.toggle_difference(),
            Action::Next | Action::Back | Action::NextOpen | Action::PreviousOpen | Action::NextFlagged => {
                self.walk(action, desk);
            }
            Action::GiveBack => self.ask_to_give_back(desk),
            Action::Comment | Action::Search | Action::Jump | Action::OpenDocument => {
                self.ask(action);
            }
            Action::GoTo => self.open_go_to(desk),
            Action::History => self.open_history(desk),
            Action::Guideline => self.open_guideline(),
            Action::Tour => self.begin_tour(true),
            Action::NextPane => self.cycle_focus(1),
            Action::PreviousPane => self.cycle_focus(-1),
            Action::Zoom => self.is_zoomed = !self.is_zoomed,
            Action::FoldCitations => self.is_folded = !self.is_folded,
            Action::NextDocument => self.step_document(true),
            Action::PreviousDocument => self.step_document(false),
            Action::NextMark => self.step_mark(true),
            Action::PreviousMark => self.step_mark(false),
            Action::NextCitation => self.step_citation(true),
            Action::PreviousCitation => self.step_citation(false),
            Action::Return => self.return_to_place(),
            Action::Copy => self.copy(),
            Action::JudgmentUp => self.scroll_judgment(-1),
            Action::JudgmentDown => self.scroll_judgment(1),
            Action::Quit if !self.drafts.is_empty() && !self.drafts.has_warned => {
                self.drafts.has_warned = true;
                self.frame.warn(NOT_KEPT);
            }
            Action::Quit => self.leave(Then::Quit, desk),
            _ => self.frame.act(action),
        }
    }

    /// Whether an action can do anything under this protocol and with these texts.
    pub fn applies(&self, action: Action) -> bool {
        use Action::{
            DifferentWords, FoldCitations, LikelyBullet, NextCitation, NextDocument, OpenDocument,
            PreviousCitation,
        };
        use Action::{PreviousDocument, RestNone, Return};
        let questions = || 0..self.protocol.questions.len();
        let is_bullet = |question: &Question| matches!(question.kind, QuestionKind::Bullet { .. });
        match action {
            RestNone => self.lowest().is_some(),
            LikelyBullet => self.protocol.questions.iter().any(is_bullet) && self.is_present(Pane::Unit),
            FoldCitations => self.is_present(Pane::Candidate),
            DifferentWords => self.is_present(Pane::Other),
            NextCitation | PreviousCitation => self.has_documents() && self.is_present(Pane::Candidate),
            NextDocument | PreviousDocument | OpenDocument | Return => self.has_documents(),
            _ if action.group() == HelpSection::Selecting => {
                questions().any(|index| !self.takes_no_passages(index))
            }
            _ => true,
        }
    }

    fn toggle_hints(&mut self) {
        self.hints = !self.hints;
        self.guess_bullet();
        self.frame.say(match self.hints {
            true => "the most similar bullet is marked, and judgments say that it was",
            false => "no bullet is marked",
        });
    }

    fn toggle_difference(&mut self) {
        self.reading.shows_difference = !self.reading.shows_difference;
        self.find_difference();
        self.frame.say(match self.reading.shows_difference {
            true => "words that only one of the two has are marked",
            false => "words that differ are not marked",
        });
    }

    fn toggle_clock(&mut self) {
        self.shows_clock = !self.shows_clock;
        self.frame.say(match self.shows_clock {
            true => "the time on each item is shown",
            false => "the time on each item is hidden, and still recorded",
        });
    }

    fn toggle_advance(&mut self) {
        self.advances = !self.advances;
        self.frame.say(if self.advances {
            "goes on by itself after the last answer"
        } else {
            "stays after the last answer"
        });
    }
}

fn home(protocol: &Protocol) -> Pane {
    if protocol.questions.iter().any(|question| !question.kinds().is_empty()) {
        return Pane::Units;
    }
    let judges_documents = protocol.targets(TargetPart::Document);
    let judges_candidates = protocol.is_about_candidates() || protocol.targets(TargetPart::Pair);
    if judges_candidates && !judges_documents { Pane::Candidate } else { Pane::Documents }
}
