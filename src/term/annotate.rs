//! The annotate screen in the terminal.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::app::screens::annotate::message::{Effect, Message};
use crate::app::screens::annotate::{App, Step};
use crate::error::Result;
use crate::journal::Progress;
use crate::protocol::Protocol;
use crate::store::StudyFile;
use crate::term::clipboard::Clipboard;
use crate::term::perform::{Outcome, Performer};
use crate::term::run::{Clocks, Program, run};
use crate::view::kit::theme::Theme;
use crate::view::screens::annotate::draw;

/// How the annotate screen is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// The annotator's key.
    pub annotator: String,
    pub protocol: Arc<Protocol>,
    /// Shows which system wrote what.
    pub shows_systems: bool,
    /// Index of the colour theme.
    pub theme: usize,
    /// Shown at the bottom right at first, such as a complaint about the keymap.
    pub greeting: String,
    pub keymap: crate::app::kit::keymap::Keymap,
}

/// How it stood when the annotator left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    pub progress: Progress,
    /// False when the last answer could not be written and the annotator left all the same.
    pub is_saved: bool,
}

/// Opens the annotate screen and stays until the annotator leaves.
///
/// # Errors
/// The queue cannot be opened, or the terminal or the study file is lost.
pub fn annotate(mut study: StudyFile, options: Options) -> Result<Left> {
    let clocks = Clocks::start();
    let protocol = Arc::clone(&options.protocol);
    let queue = study.open_queue(&options.annotator, &protocol)?;
    let undo = study.undo_history(queue.annotator, &protocol.name, 200)?;
    let undo = undo
        .into_iter()
        .map(|step| Step { position: step.position, item: step.item, events: step.events })
        .collect();
    let name = study_name(&study);
    let annotator = queue.annotator;
    let (mut app, effects) = App::new(name, Arc::clone(&protocol), queue, undo, clocks.now());
    app.is_blind = !options.shows_systems;
    app.theme = options.theme;
    app.keymap = options.keymap;
    let (sender, receiver) = mpsc::channel();
    let performer = Performer {
        study,
        protocol,
        annotator,
        clipboard: Clipboard::new(),
        sender: sender.clone(),
        generation: Arc::new(AtomicU64::new(0)),
    };
    let annotating = Annotating { app, performer };
    let Annotating { app, .. } = run(annotating, effects, options.greeting, (sender, receiver), clocks)?;
    Ok(Left { progress: app.queue.progress, is_saved: !app.is_waiting() })
}

/// The annotate screen with its study.
struct Annotating {
    app: App,
    performer: Performer,
}

impl Program for Annotating {
    type Message = Message;
    type Effect = Effect;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        self.app.update(message)
    }

    fn is_waiting(&self) -> bool {
        self.app.is_waiting()
    }

    fn size(&self) -> (u16, u16) {
        self.app.size
    }

    fn theme(&self) -> usize {
        self.app.theme
    }

    fn draw(&self, theme: &Theme, buffer: &mut Buffer) -> Option<Position> {
        draw(&self.app, theme, buffer)
    }

    fn perform(&mut self, effect: Effect, terminal: &mut dyn Write) -> Result<Outcome<Message>> {
        self.performer.perform(effect, terminal)
    }
}

/// What a study is called on a screen.
pub(super) fn study_name(study: &StudyFile) -> String {
    let name = study.path().file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
