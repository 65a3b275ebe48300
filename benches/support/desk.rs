//! The annotate screen on a real study, without a terminal: what is sent is counted and thrown away.

use std::io::{Sink, sink};
use std::path::Path;
use std::sync::Arc;

use emitter::{Emitter, Options};
use haymark::app::kit::input::{Input, Moment};
use haymark::app::kit::screen::Screen;
use haymark::app::screens::annotate::desk::{AnnotateDesk, AnswerOutcome, AnswersSaved, Append, Find};
use haymark::app::screens::annotate::{App, Spot};
use haymark::error::Result;
use haymark::formats::jsonl;
use haymark::journal::{Calibration, DaysWork, GoToEntry, Loaded, Queue};
use haymark::protocol::{Answers, Pane, Protocol, builtin};
use haymark::store::{ImportOptions, QueuePart, StudyFile};
use haymark::study::{AnnotatorId, ItemId};
use haymark::text::hash::fingerprint;
use haymark::view::kit::theme::themes;
use haymark::view::screens::annotate::draw;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::json;
use tempfile::TempDir;

use super::texts::{chinese, english};

/// Bytes of the document.
const DOCUMENT: usize = 600_000;

/// The language of the texts.
#[derive(Clone, Copy)]
pub enum Language {
    English,
    Chinese,
}

impl Language {
    pub const ALL: [Language; 2] = [Language::English, Language::Chinese];

    pub fn name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::Chinese => "Chinese",
        }
    }

    pub fn text(self, bytes: usize, seed: u64) -> String {
        match self {
            Language::English => english(bytes, seed),
            Language::Chinese => chinese(bytes, seed),
        }
    }
}

/// The study on disk.
struct File {
    study: StudyFile,
    protocol: Arc<Protocol>,
    annotator: AnnotatorId,
}

/// Someone who judges a long document.
pub struct Desk {
    app: App,
    file: File,
    emitter: Emitter<Sink>,
    buffer: Buffer,
    now: Moment,
    _folder: TempDir,
}

impl Desk {
    /// Opens the screen deep in the document, with the documents in focus.
    ///
    /// # Panics
    /// The disk does not take the study.
    pub fn open(language: Language, (columns, rows): (u16, u16)) -> Desk {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let mut study = study(&folder.path().join("study.db"), language);
        let protocol = Arc::new(builtin("coverage").expect("it is built in").clone());
        let queue = study.open_queue("me", &protocol).expect("there are items");
        let annotator = queue.annotator;
        let now = Moment { wall: 1_767_600_000_000, monotonic: 0 };
        let app = App::new("bench".into(), Arc::clone(&protocol), queue, vec![], now);
        let mut desk = Desk {
            app,
            file: File { study, protocol, annotator },
            emitter: Emitter::new(sink(), Options::default()),
            buffer: Buffer::empty(Rect::new(0, 0, columns, rows)),
            now,
            _folder: folder,
        };
        desk.app.open(&mut desk.file);
        desk.send(Input::Resize(columns, rows));
        while desk.app.focus != Pane::Documents {
            desk.press("tab");
        }
        desk.press("end");
        desk.press_often("b", 25);
        desk.frame();
        desk
    }

    /// Presses a key, a tenth of a second after the one before, without drawing.
    pub fn press(&mut self, key: &str) {
        self.now.wall += 100;
        self.now.monotonic += 100;
        let key = key.parse().expect("a key");
        self.send(Input::Key(key, self.now));
    }

    pub fn press_often(&mut self, key: &str, count: usize) {
        for _ in 0..count {
            self.press(key);
        }
    }

    /// Draws and sends what changed, as the loop of the terminal does; returns the bytes.
    pub fn frame(&mut self) -> usize {
        self.buffer.reset();
        let cursor = draw(&self.app, &themes()[0], &mut self.buffer);
        let sent = self.emitter.frame(&self.buffer, cursor);
        self.send(Input::Shown(self.now));
        sent.expect("nothing is in the way of a sink")
    }

    fn send(&mut self, input: Input) {
        self.app.update(input, &mut self.file);
        self.app.frame.take_effects();
    }
}

impl AnnotateDesk for File {
    fn load(&mut self, position: usize) -> Result<Loaded> {
        self.study.load(self.annotator, &self.protocol, position)
    }

    fn find(&mut self, find: Find, after: usize) -> Result<Option<usize>> {
        let is_backwards = find == Find::PreviousOpen;
        self.study.next_of(&QueuePart::OPEN, self.annotator, &self.protocol.name, after, is_backwards)
    }

    fn append(&mut self, append: &Append) -> Result<AnswerOutcome> {
        let Append { item, texts, happenings, wall, .. } = append;
        let done = self.study.append(self.annotator, &self.protocol, *item, *texts, happenings, *wall)?;
        Ok(AnswerOutcome::Written(Box::new(AnswersSaved {
            ids: done.ids,
            standing: done.standing,
            progress: done.progress,
            beside: Vec::new(),
        })))
    }

    fn fill_queue(&mut self) -> Result<()> {
        Ok(())
    }

    fn directory(&mut self) -> Result<Arc<[GoToEntry]>> {
        unreachable!("no list is opened")
    }

    fn untouched(&mut self, _position: usize) -> Result<Vec<usize>> {
        unreachable!("no rest is answered")
    }

    fn known(&mut self, _item: ItemId) -> Result<Option<Calibration>> {
        unreachable!("nothing is calibrated")
    }

    fn reopen(&mut self) -> Result<Queue> {
        unreachable!("nothing is calibrated or given back")
    }

    fn place_of(&mut self, _item: ItemId) -> Result<Option<usize>> {
        unreachable!("no work comes from a hub")
    }

    fn calibrate_anew(&mut self, _wall: i64) -> Result<()> {
        unreachable!("nothing is calibrated")
    }

    fn can_give_back(&mut self, _item: ItemId) -> Result<bool> {
        Ok(false)
    }

    fn give_back(&mut self, _item: ItemId, _why: &str, _wall: i64) -> Result<()> {
        unreachable!("nothing is given back")
    }

    fn days_work(&mut self) -> Result<DaysWork> {
        Ok(DaysWork::default())
    }

    fn history(&mut self, _spots: &[Spot]) -> Result<Vec<(GoToEntry, Answers)>> {
        unreachable!("no list is opened")
    }
}

/// A study with one long document in which evidence is highlighted here and there, a summary and
/// two insights.
fn study(path: &Path, language: Language) -> StudyFile {
    let text = language.text(DOCUMENT, 1);
    let mut records = vec![
        json!({"type": "collection", "id": "c"}),
        json!({"type": "document", "collection": "c", "id": "d1", "number": 1, "text": text}),
        json!({"type": "document", "collection": "c", "id": "d2", "number": 2,
            "text": language.text(6_000, 2)}),
        json!({"type": "query", "collection": "c", "id": "q", "text": language.text(90, 3).trim()}),
    ];
    for unit in ["u1", "u2"] {
        records.push(json!({"type": "unit", "query": "q", "id": unit, "kind": "insight",
            "text": language.text(150, 4), "documents": ["d1", "d2"], "evidence": evidence(&text)}));
    }
    let bullets: String = (0..6)
        .map(|seed| format!("- {} [1, 2]\n", language.text(150, seed + 9).replace('\n', " ").trim()))
        .collect();
    records.push(json!({"type": "candidate", "query": "q", "id": "s", "text": bullets}));
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    let mut study = StudyFile::create(path).expect("the disk takes it");
    study
        .import("bench", fingerprint([&lines]), ImportOptions::default(), 0, |sink| {
            jsonl::read(lines.as_bytes(), sink)
        })
        .expect("the records are good");
    study
}

/// A passage of 80 characters every 1,500.
fn evidence(text: &str) -> Vec<serde_json::Value> {
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    characters
        .chunks(1_500)
        .map(|piece| {
            let quote: String = piece.iter().take(80).map(|(_, character)| character).collect();
            let start = piece.first().map(|(start, _)| start);
            json!({"document": "d1", "quote": quote, "start": start})
        })
        .collect()
}
