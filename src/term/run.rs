//! The loop: wait for one event, take all that are queued, update, draw once.

use std::fs::File;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crossterm::event::{self, Event};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::clipboard::Clipboard;
use super::emitter::{Emitter, Options as EmitterOptions};
use super::guard::{Guard, entered, output};
use super::input;
use super::perform::{Outcome, Performer, Request};
use super::signals::Signals;
use crate::app::message::{Effect, Message, Moment};
use crate::app::{App, Step};
use crate::error::{Error, Result};
use crate::journal::Progress;
use crate::protocol::Protocol;
use crate::store::StudyFile;
use crate::view::draw;
use crate::view::theme::{Theme, themes};

/// At most this many events are taken before a frame is drawn.
const BATCH: usize = 256;

/// How long the loop waits for a further event of a burst. Well below what anyone can see, and
/// long enough for the bytes of one read to be taken apart.
const BURST: Duration = Duration::from_micros(200);

/// How often signals are looked at, and what could not be written is tried again.
const PATIENCE: Duration = Duration::from_millis(200);

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
    pub keymap: crate::app::keymap::Keymap,
}

/// Something from another thread.
pub enum Incoming {
    Event(Event, Moment),
    Message(Message),
    /// The terminal can no longer be read.
    Lost(String),
}

/// Both clocks, from one start.
#[derive(Debug, Clone, Copy)]
struct Clocks {
    start: Instant,
}

impl Clocks {
    fn now(self) -> Moment {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Moment {
            wall: i64::try_from(wall.as_millis()).unwrap_or(i64::MAX),
            monotonic: i64::try_from(self.start.elapsed().as_millis()).unwrap_or(i64::MAX),
        }
    }
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
    let clocks = Clocks { start: Instant::now() };
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
    let guard = Guard::enter().map_err(|error| terminal_error(&error))?;
    let mut screen = Loop::new(app, performer, receiver, clocks, guard)?;
    read_terminal(sender, clocks);
    screen.carry_out(effects)?;
    if !options.greeting.is_empty() {
        screen.update(Message::Notice(options.greeting))?;
    }
    screen.run()?;
    Ok(Left { progress: screen.app.queue.progress, is_saved: !screen.app.is_waiting() })
}

fn study_name(study: &StudyFile) -> String {
    let name = study.path().file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn terminal_error(error: &std::io::Error) -> Error {
    Error::new(format!("the terminal cannot be used: {error}"))
}

/// A thread that waits for the terminal, so that the loop can take all there is without waiting.
fn read_terminal(sender: Sender<Incoming>, clocks: Clocks) {
    thread::spawn(move || {
        loop {
            let incoming = match event::read() {
                Ok(event) => Incoming::Event(event, clocks.now()),
                Err(error) => Incoming::Lost(error.to_string()),
            };
            let is_lost = matches!(incoming, Incoming::Lost(_));
            if sender.send(incoming).is_err() || is_lost {
                return;
            }
        }
    });
}

struct Loop {
    app: App,
    performer: Performer,
    receiver: Receiver<Incoming>,
    clocks: Clocks,
    emitter: Emitter<File>,
    signals: Signals,
    guard: Guard,
    buffer: Buffer,
    no_color: bool,
    has_quit: bool,
}

impl Loop {
    fn new(
        mut app: App,
        performer: Performer,
        receiver: Receiver<Incoming>,
        clocks: Clocks,
        guard: Guard,
    ) -> Result<Loop> {
        let (columns, rows) = crossterm::terminal::size().map_err(|error| terminal_error(&error))?;
        app.size = (columns, rows);
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Ok(Loop {
            app,
            performer,
            receiver,
            clocks,
            emitter: Emitter::new(
                output().map_err(|error| terminal_error(&error))?,
                EmitterOptions::from_environment(|name| std::env::var_os(name)),
            ),
            signals: Signals::register().map_err(|error| terminal_error(&error))?,
            guard,
            buffer: Buffer::empty(Rect::new(0, 0, columns, rows)),
            no_color,
            has_quit: false,
        })
    }

    fn run(&mut self) -> Result<()> {
        self.draw()?;
        while !self.has_quit && !self.signals.should_stop() {
            match self.receiver.recv_timeout(PATIENCE) {
                Ok(first) => self.take_batch(first)?,
                Err(RecvTimeoutError::Timeout) if self.app.is_waiting() => self.update(Message::Retry)?,
                // Where the hang-up signal is ignored, nothing else says that the terminal is gone.
                Err(RecvTimeoutError::Timeout) if !std::io::stdin().is_terminal() => {
                    return Err(Error::new("the terminal is gone").advise("every answer so far is saved"));
                }
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if !entered() {
                // A panic in another thread has given the terminal back; nothing may be drawn over its message.
                return Err(Error::new("a part of haymark failed").advise("every answer so far is saved"));
            }
            if !self.has_quit {
                self.draw()?;
            }
        }
        Ok(())
    }

    /// Takes what is queued; of several sizes only the last counts.
    fn take_batch(&mut self, first: Incoming) -> Result<()> {
        let mut size = None;
        let mut next = Some(first);
        for taken in 1..=BATCH {
            let Some(incoming) = next else {
                break;
            };
            match incoming {
                Incoming::Lost(error) => {
                    return Err(Error::new(format!("the terminal is gone: {error}"))
                        .advise("every answer so far is saved"));
                }
                Incoming::Event(Event::Resize(columns, rows), _) => size = Some((columns, rows)),
                Incoming::Event(event, now) => {
                    if let Some(message) = input::message(event, now) {
                        self.update(message)?;
                    }
                }
                Incoming::Message(message) => self.update(message)?,
            }
            if self.has_quit {
                return Ok(());
            }
            next = if taken < BATCH { self.receiver.recv_timeout(BURST).ok() } else { None };
        }
        match size {
            Some((columns, rows)) => self.update(Message::Resize(columns, rows)),
            None => Ok(()),
        }
    }

    fn update(&mut self, message: Message) -> Result<()> {
        let effects = self.app.update(message);
        self.carry_out(effects)
    }

    /// Carries effects out in order, each answer handed back before the next.
    fn carry_out(&mut self, effects: Vec<Effect>) -> Result<()> {
        for effect in effects {
            match self.performer.perform(effect, self.emitter.writer())? {
                Outcome::Message(message) => self.update(message)?,
                Outcome::Request(Request::Quit) => self.has_quit = true,
                Outcome::Request(Request::Redraw) => self.emitter.reset(),
                Outcome::Request(Request::Suspend) => self.suspend()?,
                Outcome::Nothing => {}
            }
        }
        Ok(())
    }

    fn suspend(&mut self) -> Result<()> {
        self.guard.suspend().map_err(|error| terminal_error(&error))?;
        self.emitter.reset();
        self.update(Message::Resumed(self.clocks.now()))?;
        let (columns, rows) = crossterm::terminal::size().map_err(|error| terminal_error(&error))?;
        self.update(Message::Resize(columns, rows))
    }

    /// Draws the app as it is and tells it when that has reached the terminal.
    fn draw(&mut self) -> Result<()> {
        let (columns, rows) = self.app.size;
        let area = Rect::new(0, 0, columns, rows);
        if self.buffer.area == area {
            self.buffer.reset();
        } else {
            self.buffer = Buffer::empty(area);
        }
        let cursor = draw(&self.app, &self.theme(), &mut self.buffer);
        self.emitter.frame(&self.buffer, cursor).map_err(|error| terminal_error(&error))?;
        let effects = self.app.update(Message::Shown(self.clocks.now()));
        self.carry_out(effects)
    }

    fn theme(&self) -> std::borrow::Cow<'static, Theme> {
        let all = themes();
        let theme = &all[self.app.theme % all.len()];
        if self.no_color {
            std::borrow::Cow::Owned(theme.clone().without_colours())
        } else {
            std::borrow::Cow::Borrowed(theme)
        }
    }
}
