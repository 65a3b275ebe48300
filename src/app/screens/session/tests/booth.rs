//! A booth for tests: a session with its events in memory, keys written as a string, and clocks that move
//! only when told.

use crate::app::kit::{Effect, Input, Moment, Screen};
use crate::app::screens::session::{SessionApp, SessionDesk, SessionOpening, TimedHappening};
use crate::error::{Error, Result};
use crate::journal::session::{DocumentChoice, MINUTE, Session, SessionEvent, SessionHappening, Setup};
use crate::journal::{EventId, Writer};
use crate::study::{Document, Query};

pub(crate) struct Booth {
    pub app: SessionApp,
    pub now: Moment,
    pub has_quit: bool,
    pub suspensions: usize,
    pub disk: Disk,
}

/// The session on disk.
pub(crate) struct Disk {
    pub events: Vec<SessionEvent>,
    /// While set, nothing can be written.
    pub fault: Option<Error>,
    opening: SessionOpening,
    writer: i64,
}

impl std::ops::Deref for Booth {
    type Target = Disk;

    fn deref(&self) -> &Disk {
        &self.disk
    }
}

impl std::ops::DerefMut for Booth {
    fn deref_mut(&mut self) -> &mut Disk {
        &mut self.disk
    }
}

pub(crate) fn document(number: u32, title: &str, text: &str) -> Document {
    Document {
        collection: "exam".into(),
        id: format!("d{number}"),
        number,
        title: Some(title.into()),
        text: text.into(),
        meta: Default::default(),
    }
}

/// Three documents for two insights.
pub(crate) fn documents() -> Vec<Document> {
    let breaks = "Ana: We tried the kitchen timer again.\nBen: Twenty-five minutes of work, then five minutes off. \
                  It got me through the whole chapter on kidneys.\nAna: I still prefer long stretches.";
    let calm = "Ben: I downloaded that app, Calm.\nAna: Fifteen minutes every morning, before the others wake up.\n\
                Ben: Does it help?\nAna: It does. And we should take a walk after lunch.";
    let long: String = (1..=120).map(|number| format!("Cleo: Remark number {number} on walks.\n")).collect();
    vec![
        document(8, "Tuesday evening", breaks),
        document(3, "Wednesday", calm),
        document(41, "The long talk", &long),
    ]
}

pub(crate) fn chinese_documents() -> Vec<Document> {
    let forum = "冬天开电动车，续航会明显下降。😂 我上个月跑了三百公里，实际只有标称的六成半。\n工程师说，低温时电池的化学反应变慢，\
                 暖风也要用电；预热电池可以少掉一些损失。";
    let test = "我们在零下十度测试了五款车。热泵每小时只用一千瓦，电阻加热要三千瓦。\n结论：出发前预热，车速不超过一百。";
    vec![document(1, "论坛", forum), document(2, "冬季测试报告", test)]
}

impl Booth {
    /// A session of two hours on two insights, just opened; nothing has begun.
    pub fn new() -> Booth {
        Booth::with("What do the students say about stress?", documents(), 120 * MINUTE)
    }

    pub fn with(query: &str, documents: Vec<Document>, limit: i64) -> Booth {
        let query = Query {
            collection: "exam".into(),
            id: "stress".into(),
            text: query.into(),
            category: None,
            domain: None,
            meta: Default::default(),
        };
        let setup = Setup {
            seed: 1,
            limit,
            documents: DocumentChoice::Relevant,
            order: documents.iter().map(|document| document.number).collect(),
            shows_clock: true,
            insights: 2,
            has_judged: false,
            ..Setup::default()
        };
        let opening = SessionOpening {
            study: "demo.db".into(),
            name: "zoe".into(),
            query,
            documents,
            setup,
            session: Session::default(),
            has_judged: false,
        };
        Booth::open(opening, Moment { wall: 1_767_600_000_000, monotonic: 10_000 }, Vec::new(), 7)
    }

    fn open(opening: SessionOpening, now: Moment, events: Vec<SessionEvent>, writer: i64) -> Booth {
        let app = SessionApp::new(opening.clone(), now);
        let disk = Disk { events, fault: None, opening, writer };
        Booth { app, now, has_quit: false, suspensions: 0, disk }
    }

    /// A session that is begun, with the summary in focus.
    pub fn working() -> Booth {
        let mut booth = Booth::new();
        booth.press("enter tab");
        booth
    }

    /// Changes the opening of the session; before anything else.
    pub fn reset(&mut self, change: impl FnOnce(&mut SessionOpening)) -> &mut Booth {
        change(&mut self.disk.opening);
        self.app = SessionApp::new(self.opening.clone(), self.now);
        self
    }

    /// Presses keys written as in the keymap file, separated by blanks, a tenth of a second apart.
    pub fn press(&mut self, keys: &str) -> &mut Booth {
        for key in keys.split_whitespace() {
            self.wait(100);
            self.send(|now| Input::Key(key.parse().expect("a key"), now));
        }
        self
    }

    /// Types a text, a tenth of a second a character.
    pub fn write(&mut self, text: &str) -> &mut Booth {
        self.write_every(100, text)
    }

    pub fn write_every(&mut self, gap: i64, text: &str) -> &mut Booth {
        for character in text.chars() {
            self.now.wall += gap;
            self.now.monotonic += gap;
            let key = match character {
                '\n' => "enter".to_owned(),
                ' ' => "space".to_owned(),
                other => other.to_string(),
            };
            self.send(|now| Input::Key(key.parse().expect("a key"), now));
        }
        self
    }

    /// Something happens now.
    pub fn send(&mut self, input: impl FnOnce(Moment) -> Input) -> &mut Booth {
        self.app.update(input(self.now), &mut self.disk);
        for effect in self.app.frame.take_effects() {
            match effect {
                Effect::Quit => self.has_quit = true,
                Effect::Suspend => self.suspensions += 1,
                Effect::Redraw | Effect::Copy(_) | Effect::Match { .. } => {}
                Effect::Fail(error) => panic!("{error}"),
            }
        }
        self
    }

    /// Lets time pass as it does for a program that waits: a tick every fifth of a second.
    pub fn wait(&mut self, milliseconds: i64) -> &mut Booth {
        let mut left = milliseconds;
        while left > 200 {
            left -= 200;
            self.shift(200, 200);
            self.send(Input::Tick);
        }
        self.shift(left, left)
    }

    /// Lets the clocks go on without the program.
    pub fn shift(&mut self, wall: i64, monotonic: i64) -> &mut Booth {
        self.now.wall += wall;
        self.now.monotonic += monotonic;
        self
    }

    pub fn resize(&mut self, columns: u16, rows: u16) -> &mut Booth {
        self.send(|_| Input::Resize(columns, rows))
    }

    /// The program is killed, and the session opened again from what is on disk, some time later.
    pub fn killed(&self) -> Booth {
        let mut opening = self.opening.clone();
        opening.session = Session::of(&opening.setup, &self.events);
        let now = Moment { wall: self.now.wall + 3_600_000, monotonic: 5_000 };
        let mut booth = Booth::open(opening, now, self.events.clone(), self.writer + 1);
        booth.app.frame.size = self.app.frame.size;
        booth
    }

    pub fn text(&self) -> &str {
        self.app.summary.text()
    }

    /// Everything on disk of this kind, as its body and active time.
    pub fn stored(&self, kind: &str) -> Vec<(String, i64)> {
        let events = self.events.iter().filter(|event| event.happening.kind() == kind);
        events.map(|event| (event.happening.body().to_string(), event.active)).collect()
    }
}

impl Disk {
    /// The session as the file has it.
    pub fn session(&self) -> Session {
        Session::of(&self.opening.setup, &self.events)
    }

    /// Whether anything can be written.
    fn takes(&self) -> Result<()> {
        self.fault.clone().map_or(Ok(()), Err)
    }
}

impl SessionDesk for Disk {
    fn open(&mut self, wall: i64) -> Result<Session> {
        self.takes()?;
        let before = self.session();
        let has_judged = self.opening.has_judged;
        let opened = SessionHappening::Opened { after: before.tip, has_judged };
        self.write(&[(opened, before.active)], wall)?;
        Ok(self.session())
    }

    fn write(&mut self, records: &[TimedHappening], wall: i64) -> Result<usize> {
        self.takes()?;
        for (happening, active) in records {
            let seq = i64::try_from(self.events.len()).unwrap_or(0) + 1;
            let id = EventId { writer: Writer(self.writer), seq };
            self.events.push(SessionEvent { id, at: wall, active: *active, happening: happening.clone() });
        }
        Ok(records.len())
    }
}
