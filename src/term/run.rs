//! The loop: wait for one event, take all that are queued, update, draw once. It runs any [`Screen`].

use std::fs::File;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crossterm::event::{self, Event, KeyCode};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::background::{Background, BackgroundQuery, Heard};
use super::clipboard::Clipboard;
use super::courier::{Courier, HubWay, News};
use super::guard::{Guard, entered, output};
use super::input::Keyboard;
use super::looks::{Looks, Preferences};
use super::picture;
use super::signals::Signals;
use crate::app::kit::{Effect, Frame, Input, Moment, Screen, finder};
use crate::error::{Error, ErrorKind, Result};
use crate::journal::GoToEntry;
use crate::number::millis;
use crate::view::kit::{Theme, themes};
use emitter::{Emitter, Options as EmitterOptions};

/// At most this many events are taken before a frame is drawn.
const BATCH: usize = 256;

/// How long the loop waits for a further event of a burst. Well below what anyone can see, and
/// long enough for the bytes of one read to be taken apart.
const BURST: Duration = Duration::from_micros(200);

/// Time after which signals are looked at, and a waiting screen gets a tick.
const PATIENCE: Duration = Duration::from_millis(200);

/// Draws a screen into an empty buffer of its size; returns the place of the cursor, if it is shown.
pub(super) type DrawScreen<S> = fn(&S, &Theme, &mut Buffer) -> Option<Position>;

/// Something from another thread.
enum Incoming {
    Event(Event, Moment),
    Input(Input),
    Background(Background),
    Sharing(String),
    /// The terminal can no longer be read.
    Lost(String),
}

/// Tries of a read while another process writes; each try waits a quarter of a second.
const TRIES: usize = 120;

/// Reads again while another process holds the study: half a minute of a big import is no reason to leave.
pub(super) fn patiently<T>(mut read: impl FnMut() -> Result<T>) -> Result<T> {
    let mut outcome = read();
    for _ in 1..TRIES {
        match &outcome {
            Err(error) if error.kind() == ErrorKind::Busy => outcome = read(),
            _ => break,
        }
    }
    outcome
}

/// Both clocks; the monotonic one begins at `start`.
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
        Moment { wall: millis(wall), monotonic: millis(self.start.elapsed()) }
    }
}

fn terminal_error(error: &std::io::Error) -> Error {
    Error::new(format!("the terminal cannot be used: {error}"))
}

/// Most terminals have answered about their background this long after the start.
const ANSWERED: Duration = Duration::from_millis(300);

/// Longest wait for the rest of the terminal's answer after its first byte, an escape.
const REST: Duration = Duration::from_millis(30);

/// A thread that waits for the terminal, so that the loop can take all there is without waiting.
fn read_terminal(sender: Sender<Incoming>, clocks: Clocks, mut question: BackgroundQuery) {
    let mut escape = None;
    let mut read = move || -> std::io::Result<Vec<Incoming>> {
        let event = event::read()?;
        let mut incoming = Vec::new();
        let heard = match escape.take() {
            Some(_) if question.hear_after_escape(&event) == Heard::Part => Heard::Part,
            held => {
                incoming.extend(held.map(|escape| Incoming::Event(escape, clocks.now())));
                question.hear(&event)
            }
        };
        match heard {
            Heard::Other if question.is_open() && is_escape(&event) && event::poll(REST)? => {
                escape = Some(event)
            }
            Heard::Other => incoming.push(Incoming::Event(event, clocks.now())),
            Heard::Answer(Some(background)) => incoming.push(Incoming::Background(background)),
            Heard::Part | Heard::Answer(None) => {}
        }
        Ok(incoming)
    };
    thread::spawn(move || {
        loop {
            let (all, is_lost) = match read() {
                Ok(all) => (all, false),
                Err(error) => (vec![Incoming::Lost(error.to_string())], true),
            };
            // The receiver is gone only when the program is ending.
            if all.into_iter().any(|incoming| sender.send(incoming).is_err()) || is_lost {
                return;
            }
        }
    });
}

fn is_escape(event: &Event) -> bool {
    matches!(event, Event::Key(key) if key.code == KeyCode::Esc)
}

/// Takes the terminal over and stays until the screen has quit; hands the screen back as it is then.
/// `way` leads to the study's hub, where there is one.
pub(super) fn run<'a, S: Screen>(
    mut screen: S,
    looks: &Looks,
    clocks: Clocks,
    way: Option<HubWay>,
    draw: DrawScreen<S>,
    desk: &'a mut S::Desk<'a>,
) -> Result<S> {
    looks.dress(screen.frame_mut());
    if let Some(picture) = &looks.picture {
        return picture::take(screen, picture, draw, desk);
    }
    let chosen = |frame: &Frame| Some(frame.theme).filter(|_| !frame.follows_terminal);
    let theme = chosen(screen.frame());
    let guard = Guard::enter().map_err(|error| terminal_error(&error))?;
    let mut running = Loop::new(screen, clocks, guard, draw, desk)?;
    // The terminal is asked also where a theme was chosen: the theme that suits it is one key away.
    let question = match running.no_color {
        false => output().and_then(BackgroundQuery::ask).map_err(|error| terminal_error(&error))?,
        true => BackgroundQuery::default(),
    };
    running.awaits_background = question.is_open();
    read_terminal(running.sender.clone(), clocks, question);
    running.screen.open(running.desk);
    running.carry_out()?;
    if !looks.greeting.is_empty() {
        running.update(Input::Notice(looks.greeting.clone()))?;
    }
    let sender = running.sender.clone();
    let tell = move |news| {
        // The receiver is gone only when the program is ending.
        let _ = sender.send(match news {
            News::Sharing(word) => Incoming::Sharing(word),
            News::Said(sentence) => Incoming::Input(Input::Notice(sentence)),
            News::Changed => Incoming::Input(Input::Changed),
        });
    };
    let courier = way.and_then(|way| {
        let started = Courier::start(way, tell.clone());
        started.map_err(|error| tell(News::Said(error.to_string()))).ok()
    });
    running.run()?;
    drop(courier);
    if running.awaits_background {
        // An answer that came later would be typed into the shell.
        thread::sleep(ANSWERED.saturating_sub(clocks.start.elapsed()));
    }
    let frame = running.screen.frame();
    if chosen(frame) != theme {
        Preferences::choose_theme(chosen(frame));
    }
    if frame.measure != looks.measure {
        Preferences::choose_measure(frame.measure);
    }
    Ok(running.screen)
}

struct Loop<'a, S: Screen> {
    screen: S,
    draw: DrawScreen<S>,
    desk: &'a mut S::Desk<'a>,
    sender: Sender<Incoming>,
    receiver: Receiver<Incoming>,
    /// The newest of all searches in lists; older searches stop.
    search: Arc<AtomicU64>,
    clocks: Clocks,
    emitter: Emitter<File>,
    clipboard: Clipboard,
    signals: Signals,
    keyboard: Keyboard,
    guard: Guard,
    buffer: Buffer,
    no_color: bool,
    /// Whether the terminal was asked about its background and has not answered.
    awaits_background: bool,
    has_quit: bool,
}

impl<'a, S: Screen> Loop<'a, S> {
    fn new(
        mut screen: S,
        clocks: Clocks,
        guard: Guard,
        draw: DrawScreen<S>,
        desk: &'a mut S::Desk<'a>,
    ) -> Result<Loop<'a, S>> {
        let (columns, rows) = crossterm::terminal::size().map_err(|error| terminal_error(&error))?;
        // The screen needs its size before the first effects.
        screen.update(Input::Resize(columns, rows), desk);
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let (sender, receiver) = mpsc::channel();
        Ok(Loop {
            screen,
            draw,
            desk,
            sender,
            receiver,
            search: Arc::new(AtomicU64::new(0)),
            clocks,
            emitter: Emitter::new(
                output().map_err(|error| terminal_error(&error))?,
                EmitterOptions::from_environment(|name| std::env::var_os(name)),
            ),
            clipboard: Clipboard::new(),
            signals: Signals::register().map_err(|error| terminal_error(&error))?,
            keyboard: Keyboard::default(),
            guard,
            buffer: Buffer::empty(Rect::new(0, 0, columns, rows)),
            no_color,
            awaits_background: false,
            has_quit: false,
        })
    }

    fn run(&mut self) -> Result<()> {
        self.draw()?;
        while !self.has_quit && !self.signals.should_stop() {
            let received = self.receiver.recv_timeout(PATIENCE);
            if self.signals.was_continued() {
                self.guard.take_again().map_err(|error| terminal_error(&error))?;
                self.go_on()?;
                self.draw()?;
            }
            match received {
                Ok(first) => self.take_batch(first)?,
                // Where the hang-up signal is ignored, nothing else tells that the terminal is gone.
                Err(RecvTimeoutError::Timeout) if !std::io::stdin().is_terminal() => {
                    return Err(Error::new("the terminal is gone").advise("every answer so far is saved"));
                }
                Err(RecvTimeoutError::Timeout) if self.screen.is_waiting() => {
                    self.update(Input::Tick(self.clocks.now()))?;
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

    /// Takes all queued events; of several sizes only the last counts.
    fn take_batch(&mut self, first: Incoming) -> Result<()> {
        let mut size = None;
        let mut next = Some(first);
        for taken in 1..=BATCH {
            let Some(incoming) = next else { break };
            match incoming {
                Incoming::Lost(error) => {
                    return Err(Error::new(format!("the terminal is gone: {error}"))
                        .advise("every answer so far is saved"));
                }
                Incoming::Event(Event::Resize(columns, rows), _) => size = Some((columns, rows)),
                Incoming::Event(event, now) => {
                    if let Some(input) = self.keyboard.input(event, now) {
                        self.update(input)?;
                    }
                }
                Incoming::Input(input) => self.update(input)?,
                Incoming::Sharing(word) => self.screen.frame_mut().sharing = word,
                Incoming::Background(background) => {
                    self.awaits_background = false;
                    self.screen.frame_mut().suit(background.theme());
                }
            }
            if self.has_quit {
                return Ok(());
            }
            next = if taken < BATCH { self.receiver.recv_timeout(BURST).ok() } else { None };
        }
        match size {
            Some((columns, rows)) => self.update(Input::Resize(columns, rows)),
            None => Ok(()),
        }
    }

    fn update(&mut self, input: Input) -> Result<()> {
        self.screen.update(input, self.desk);
        self.carry_out()
    }

    /// Carries out, in order, what the screen wants done outside its study.
    fn carry_out(&mut self) -> Result<()> {
        for effect in self.screen.frame_mut().take_effects() {
            match effect {
                Effect::Match { generation, needle, entries } => self.search(generation, needle, entries),
                Effect::Copy(text) => {
                    let said = self.clipboard.copy_and_tell(&text, self.emitter.writer());
                    self.update(Input::Notice(said))?;
                }
                Effect::Redraw => self.emitter.reset(),
                Effect::Suspend => self.suspend()?,
                Effect::Quit => self.has_quit = true,
                Effect::Fail(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Matches a list in a thread.
    fn search(&self, generation: u64, needle: String, entries: Arc<[GoToEntry]>) {
        self.search.store(generation, Ordering::Relaxed);
        let (newest, sender) = (Arc::clone(&self.search), self.sender.clone());
        thread::spawn(move || {
            let is_late = || newest.load(Ordering::Relaxed) != generation;
            if let Some(matches) = finder::find(&entries, &needle, &is_late) {
                // The receiver is gone only when the program is ending.
                let _ = sender.send(Incoming::Input(Input::Matches { generation, matches }));
            }
        });
    }

    fn suspend(&mut self) -> Result<()> {
        self.guard.suspend().map_err(|error| terminal_error(&error))?;
        self.go_on()
    }

    /// Draws everything anew after the shell had the terminal.
    fn go_on(&mut self) -> Result<()> {
        self.signals.was_continued();
        self.emitter.reset();
        self.update(Input::Resumed(self.clocks.now()))?;
        let (columns, rows) = crossterm::terminal::size().map_err(|error| terminal_error(&error))?;
        self.update(Input::Resize(columns, rows))
    }

    /// Draws the screen as it is, and tells it when that has reached the terminal.
    fn draw(&mut self) -> Result<()> {
        let (columns, rows) = self.screen.frame().size;
        let area = Rect::new(0, 0, columns, rows);
        if self.buffer.area == area {
            self.buffer.reset();
        } else {
            self.buffer = Buffer::empty(area);
        }
        let cursor = (self.draw)(&self.screen, &self.theme(), &mut self.buffer);
        self.emitter.frame(&self.buffer, cursor).map_err(|error| terminal_error(&error))?;
        self.update(Input::Shown(self.clocks.now()))
    }

    fn theme(&self) -> std::borrow::Cow<'static, Theme> {
        let all = themes();
        let theme = &all[self.screen.frame().theme % all.len()];
        if self.no_color {
            std::borrow::Cow::Owned(theme.clone().without_colours())
        } else {
            std::borrow::Cow::Borrowed(theme)
        }
    }
}
