//! The adjudicate screen in the terminal.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{self, Sender};

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::app::screens::adjudicate::message::{Effect, Message, Settle, Settled};
use crate::app::screens::adjudicate::{Adjudicate, Opening, Work};
use crate::app::screens::annotate::message::{Effect as ScreenEffect, Message as ScreenMessage};
use crate::error::Result;
use crate::journal::Contested;
use crate::protocol::Protocol;
use crate::store::{Kept, StudyFile};
use crate::study::{AnnotatorId, ItemId};
use crate::term::annotate::Left;
use crate::term::clipboard::Clipboard;
use crate::term::perform::{Outcome, Request, patiently, search};
use crate::term::run::{Clocks, Incoming, Program, run};
use crate::view;
use crate::view::kit::theme::Theme;

/// How the screen is opened.
#[derive(Debug, Clone)]
pub struct AdjudicateOptions {
    pub opening: Opening,
    /// Whose opinions are shown.
    pub opinions_of: Vec<AnnotatorId>,
    /// Shows which system wrote what.
    pub shows_systems: bool,
    /// Index of the colour theme.
    pub theme: usize,
    /// Shown at the bottom right at first, such as a complaint about the keymap.
    pub greeting: String,
}

/// Opens the screen and stays until the person leaves.
///
/// # Errors
/// The terminal or the study file is lost.
pub fn adjudicate(study: StudyFile, options: AdjudicateOptions) -> Result<Left> {
    let clocks = Clocks::start();
    let opening = options.opening;
    let (sender, receiver) = mpsc::channel();
    let performer = Performer {
        study,
        protocol: Arc::clone(&opening.protocol),
        annotator: opening.annotator.0,
        work: opening.work,
        items: opening.places.iter().map(|place| place.item).collect(),
        opinions_of: options.opinions_of,
        clipboard: Clipboard::new(),
        sender: sender.clone(),
        generation: Arc::new(AtomicU64::new(0)),
    };
    let (mut screen, effects) = Adjudicate::new(opening, clocks.now());
    screen.app.is_blind = !options.shows_systems;
    screen.app.theme = options.theme;
    let program = Adjudicating { screen, performer };
    let Adjudicating { screen, .. } = run(program, effects, options.greeting, (sender, receiver), clocks)?;
    Ok(Left { progress: screen.app.queue.progress, is_saved: !screen.is_waiting() })
}

/// The screen with its study.
struct Adjudicating {
    screen: Adjudicate,
    performer: Performer,
}

impl Program for Adjudicating {
    type Message = Message;
    type Effect = Effect;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        self.screen.update(message)
    }

    fn is_waiting(&self) -> bool {
        self.screen.is_waiting()
    }

    fn size(&self) -> (u16, u16) {
        self.screen.app.size
    }

    fn theme(&self) -> usize {
        self.screen.app.theme
    }

    fn draw(&self, theme: &Theme, buffer: &mut Buffer) -> Option<Position> {
        view::screens::adjudicate::draw(&self.screen, theme, buffer)
    }

    fn perform(&mut self, effect: Effect, terminal: &mut dyn Write) -> Result<Outcome<Message>> {
        self.performer.perform(effect, terminal)
    }
}

/// What effects work on.
struct Performer {
    study: StudyFile,
    protocol: Arc<Protocol>,
    annotator: AnnotatorId,
    work: Work,
    items: Vec<ItemId>,
    opinions_of: Vec<AnnotatorId>,
    clipboard: Clipboard,
    sender: Sender<Incoming<Message>>,
    generation: Arc<AtomicU64>,
}

impl Performer {
    fn perform(&mut self, effect: Effect, terminal: &mut dyn Write) -> Result<Outcome<Message>> {
        Ok(match effect {
            Effect::Load(position) => match patiently(|| self.load(position))? {
                Some(contested) => Outcome::Message(Message::Contested(Box::new(contested))),
                None => Outcome::Nothing,
            },
            Effect::Settle(settle) => Outcome::Message(self.settle(&settle)),
            Effect::Screen(ScreenEffect::Match { generation, needle, entries }) => {
                search(&self.generation, &self.sender, generation, (needle, entries));
                Outcome::Nothing
            }
            Effect::Screen(ScreenEffect::Copy(text)) => {
                let said = self.clipboard.copy_and_tell(&text, terminal);
                Outcome::Message(ScreenMessage::Notice(said).into())
            }
            Effect::Screen(ScreenEffect::Redraw) => Outcome::Request(Request::Redraw),
            Effect::Screen(ScreenEffect::Suspend) => Outcome::Request(Request::Suspend),
            Effect::Screen(ScreenEffect::Quit) => Outcome::Request(Request::Quit),
            // The screen does these itself, or turns them into its own.
            Effect::Screen(
                ScreenEffect::Load(_)
                | ScreenEffect::Find(..)
                | ScreenEffect::Append(_)
                | ScreenEffect::Directory,
            ) => Outcome::Nothing,
        })
    }

    fn load(&self, position: usize) -> Result<Option<Contested>> {
        let Some(item) = self.items.get(position) else {
            return Ok(None);
        };
        Ok(Some(Contested {
            position,
            item: self.study.item(&self.protocol, *item)?,
            opinions: self.study.opinions(&self.protocol, *item, &self.opinions_of)?,
            decision: self.study.decision(*item)?,
        }))
    }

    fn settle(&mut self, settle: &Settle) -> Message {
        // Nothing asks for it in a review, and nothing would be written if it did.
        if self.work == Work::Review {
            return ScreenMessage::NotAppended(crate::error::Error::new("a review only reads")).into();
        }
        let Settle { item, shown, texts, happenings, wall } = settle;
        let on = (*item, *texts);
        match self.study.adjudicate(*shown, self.annotator, &self.protocol, on, happenings, *wall) {
            Ok(Kept::Elsewhere(decision)) => Message::Elsewhere(decision.map(Box::new)),
            Ok(Kept::Written(done)) => {
                Message::Settled(Box::new(Settled { ids: done.ids, decision: done.decision }))
            }
            Err(error) => ScreenMessage::NotAppended(error).into(),
        }
    }
}
