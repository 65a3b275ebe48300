//! The loop: wait for one event, take all that are queued, update, draw once. It knows no screen: what
//! fills the terminal is a [`Program`].

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crossterm::event::{self, Event};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::kit::input::{Input, Moment};
use crate::error::{Error, Result};
use crate::term::emitter::{Emitter, Options as EmitterOptions};
use crate::term::guard::{Guard, entered, output};
use crate::term::input;
use crate::term::perform::{Outcome, Request};
use crate::term::signals::Signals;
use crate::view::kit::theme::{Theme, themes};

/// At most this many events are taken before a frame is drawn.
const BATCH: usize = 256;

/// How long the loop waits for a further event of a burst. Well below what anyone can see, and
/// long enough for the bytes of one read to be taken apart.
const BURST: Duration = Duration::from_micros(200);

/// How often signals are looked at, and a program that waits is told that time goes on.
const PATIENCE: Duration = Duration::from_millis(200);

/// A screen with its study: takes messages, draws its state, and carries out what it wants done.
pub(super) trait Program {
    /// What happens to it: what the terminal says, and the answers to its effects.
    type Message: From<Input> + Send + 'static;
    /// What it wants done.
    type Effect;

    /// Takes a message in; the effects are to be carried out in order.
    fn update(&mut self, message: Self::Message) -> Vec<Self::Effect>;

    /// Whether [`Input::Tick`] is due now and then.
    fn is_waiting(&self) -> bool;

    /// Columns and rows, as the last [`Input::Resize`] said.
    fn size(&self) -> (u16, u16);

    /// Counts up with each press of the theme key.
    fn theme(&self) -> usize;

    /// Draws into an empty buffer of its size; returns where the cursor stands, if it is shown.
    fn draw(&self, theme: &Theme, buffer: &mut Buffer) -> Option<Position>;

    /// Carries out one effect. `terminal` takes bytes that are meant for the terminal itself.
    ///
    /// # Errors
    /// The study file can no longer be read.
    fn perform(&mut self, effect: Self::Effect, terminal: &mut dyn Write) -> Result<Outcome<Self::Message>>;
}

/// Something from another thread.
pub enum Incoming<M> {
    Event(Event, Moment),
    Message(M),
    /// The terminal can no longer be read.
    Lost(String),
}

/// Where workers send what they find, and where the loop finds it.
pub(super) type Channel<M> = (Sender<Incoming<M>>, Receiver<Incoming<M>>);

/// Both clocks, from one start.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clocks {
    start: Instant,
}

impl Clocks {
    pub(super) fn start() -> Clocks {
        Clocks { start: Instant::now() }
    }

    pub(super) fn now(self) -> Moment {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Moment {
            wall: i64::try_from(wall.as_millis()).unwrap_or(i64::MAX),
            monotonic: i64::try_from(self.start.elapsed().as_millis()).unwrap_or(i64::MAX),
        }
    }
}

fn terminal_error(error: &std::io::Error) -> Error {
    Error::new(format!("the terminal cannot be used: {error}"))
}

/// A thread that waits for the terminal, so that the loop can take all there is without waiting.
fn read_terminal<M: Send + 'static>(sender: Sender<Incoming<M>>, clocks: Clocks) {
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

/// Takes the terminal over and stays until the program has quit; hands the program back as it is then.
/// `effects` are the first things to do. `incoming` is where its workers, too, send what they find.
///
/// # Errors
/// The terminal or the study file is lost.
pub(super) fn run<P: Program>(
    program: P,
    effects: Vec<P::Effect>,
    greeting: String,
    (sender, receiver): Channel<P::Message>,
    clocks: Clocks,
) -> Result<P> {
    let guard = Guard::enter().map_err(|error| terminal_error(&error))?;
    let mut screen = Loop::new(program, receiver, clocks, guard)?;
    read_terminal(sender, clocks);
    screen.carry_out(effects)?;
    if !greeting.is_empty() {
        screen.update(Input::Notice(greeting).into())?;
    }
    screen.run()?;
    Ok(screen.program)
}

struct Loop<P: Program> {
    program: P,
    receiver: Receiver<Incoming<P::Message>>,
    clocks: Clocks,
    emitter: Emitter<File>,
    signals: Signals,
    guard: Guard,
    buffer: Buffer,
    no_color: bool,
    has_quit: bool,
}

impl<P: Program> Loop<P> {
    fn new(
        mut program: P,
        receiver: Receiver<Incoming<P::Message>>,
        clocks: Clocks,
        guard: Guard,
    ) -> Result<Loop<P>> {
        let (columns, rows) = crossterm::terminal::size().map_err(|error| terminal_error(&error))?;
        // Nothing is to be done before the first effects are.
        program.update(Input::Resize(columns, rows).into());
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Ok(Loop {
            program,
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
                Err(RecvTimeoutError::Timeout) if self.program.is_waiting() => {
                    self.update(Input::Tick(self.clocks.now()).into())?;
                }
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
    fn take_batch(&mut self, first: Incoming<P::Message>) -> Result<()> {
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
                    if let Some(input) = input::input(event, now) {
                        self.update(input.into())?;
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
            Some((columns, rows)) => self.update(Input::Resize(columns, rows).into()),
            None => Ok(()),
        }
    }

    fn update(&mut self, message: P::Message) -> Result<()> {
        let effects = self.program.update(message);
        self.carry_out(effects)
    }

    /// Carries effects out in order, each answer handed back before the next.
    fn carry_out(&mut self, effects: Vec<P::Effect>) -> Result<()> {
        for effect in effects {
            match self.program.perform(effect, self.emitter.writer())? {
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
        self.update(Input::Resumed(self.clocks.now()).into())?;
        let (columns, rows) = crossterm::terminal::size().map_err(|error| terminal_error(&error))?;
        self.update(Input::Resize(columns, rows).into())
    }

    /// Draws the program as it is and tells it when that has reached the terminal.
    fn draw(&mut self) -> Result<()> {
        let (columns, rows) = self.program.size();
        let area = Rect::new(0, 0, columns, rows);
        if self.buffer.area == area {
            self.buffer.reset();
        } else {
            self.buffer = Buffer::empty(area);
        }
        let cursor = self.program.draw(&self.theme(), &mut self.buffer);
        self.emitter.frame(&self.buffer, cursor).map_err(|error| terminal_error(&error))?;
        let effects = self.program.update(Input::Shown(self.clocks.now()).into());
        self.carry_out(effects)
    }

    fn theme(&self) -> std::borrow::Cow<'static, Theme> {
        let all = themes();
        let theme = &all[self.program.theme() % all.len()];
        if self.no_color {
            std::borrow::Cow::Owned(theme.clone().without_colours())
        } else {
            std::borrow::Cow::Borrowed(theme)
        }
    }
}
