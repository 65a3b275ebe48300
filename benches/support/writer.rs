//! The screen of a session with a long summary, without a terminal or a study: what is written is thrown away.

use std::io::{Sink, sink};

use emitter::{Emitter, Options};
use haymark::app::kit::input::{Input, Moment};
use haymark::app::kit::screen::Screen;
use haymark::app::screens::session::desk::{SessionDesk, TimedHappening};
use haymark::app::screens::session::{SessionApp, SessionOpening};
use haymark::error::Result;
use haymark::journal::session::{DocumentChoice, MINUTE, Session, Setup};
use haymark::study::{Document, Query};
use haymark::text::words;
use haymark::view::kit::theme::themes;
use haymark::view::screens::session::draw;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::desk::Language;

/// Someone who writes.
pub struct Writer {
    app: SessionApp,
    emitter: Emitter<Sink>,
    buffer: Buffer,
    now: Moment,
    draft: Draft,
}

/// The summary to go on with.
struct Draft(String);

impl SessionDesk for Draft {
    fn open(&mut self, _wall: i64) -> Result<Session> {
        Ok(Session { text: self.0.clone(), openings: 1, ..Session::default() })
    }

    fn write(&mut self, records: &[TimedHappening], _wall: i64) -> Result<usize> {
        Ok(records.len())
    }
}

impl Writer {
    /// Goes on in the middle of a summary of this many words, with the document beside it where there is room.
    pub fn open(language: Language, length: usize, (columns, rows): (u16, u16)) -> Writer {
        let now = Moment { wall: 1_767_600_000_000, monotonic: 0 };
        let opening = SessionOpening {
            study: "bench".into(),
            name: "me".into(),
            query: query(),
            documents: vec![document(language.text(60_000, 1))],
            setup: setup(),
            session: Session::default(),
            has_judged: false,
        };
        let mut writer = Writer {
            app: SessionApp::new(opening, now),
            emitter: Emitter::new(sink(), Options::default()),
            buffer: Buffer::empty(Rect::new(0, 0, columns, rows)),
            now,
            draft: Draft(summary(language, length)),
        };
        writer.send(Input::Resize(columns, rows));
        writer.press("enter");
        for _ in 0..50 {
            writer.press("ctrl-up");
        }
        writer.frame();
        writer
    }

    /// Presses a key, a tenth of a second after the one before, without drawing.
    pub fn press(&mut self, key: &str) {
        self.now.wall += 100;
        self.now.monotonic += 100;
        let key = key.parse().expect("a key");
        self.send(Input::Key(key, self.now));
    }

    /// Draws and sends what changed, as the loop of the terminal does.
    pub fn frame(&mut self) {
        self.buffer.reset();
        let cursor = draw(&self.app, &themes()[0], &mut self.buffer);
        self.emitter.frame(&self.buffer, cursor).expect("nothing is in the way of a sink");
        self.send(Input::Shown(self.now));
    }

    fn send(&mut self, input: Input) {
        self.app.update(input, &mut self.draft);
        self.app.frame.take_effects();
    }
}

/// Bullets of some 50 words each, `length` words or more in all.
fn summary(language: Language, length: usize) -> String {
    let mut text = String::new();
    for seed in 2.. {
        if words::count(&text) >= length {
            break;
        }
        let bullet = language.text(250, seed).replace('\n', " ");
        text.push_str(&format!("{} [1]\n", bullet.trim()));
    }
    text
}

fn setup() -> Setup {
    Setup {
        seed: 1,
        limit: 120 * MINUTE,
        documents: DocumentChoice::All,
        order: vec![1],
        shows_clock: true,
        insights: 100,
        has_judged: false,
        ..Setup::default()
    }
}

fn query() -> Query {
    Query {
        collection: "c".into(),
        id: "q".into(),
        text: "What do they discuss?".into(),
        category: None,
        domain: None,
        meta: Default::default(),
    }
}

fn document(text: String) -> Document {
    Document {
        collection: "c".into(),
        id: "d1".into(),
        number: 1,
        title: None,
        text,
        meta: Default::default(),
    }
}
