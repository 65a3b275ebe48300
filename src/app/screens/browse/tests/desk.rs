//! A desk for tests of the browse screen: a study and judgments in memory, keys as a string.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::app::kit::{Effect, Input, Moment, Screen};
use crate::app::screens::adjudicate::{AdjudicateDesk, AdjudicateOpening, Settle, VerdictOutcome};
use crate::app::screens::browse::{
    BrowseDesk, BrowseScreen, InPlace, JudgeInPlace, JudgedHere, RowChange, TableScreen, ToSettle,
};
use crate::browse::BrowseTable;
use crate::browse::tests::small::tables;
use crate::error::{Error, Result};
use crate::journal::{Contested, Event, EventId, Standing, Writer, fold_under};
use crate::protocol::builtin;
use crate::study::{AnnotatorId, ItemId, Target};
use crate::text::hash::fingerprint;

/// The first item that is made here: behind those of the small study.
const FIRST: i64 = 100;

/// Zoe's row among the annotators of the small study: behind all others.
const ZOE: AnnotatorId = AnnotatorId(9);

pub(crate) struct Desk {
    pub browse: BrowseScreen,
    pub copied: Vec<String>,
    pub has_quit: bool,
    pub now: Moment,
    study: SmallStudy,
}

/// The study behind the desk, and the calls that came to it.
pub(crate) struct SmallStudy {
    /// While set, nothing can be written.
    pub fault: Option<Error>,
    pub views: BTreeMap<String, String>,
    pub events: BTreeMap<Target, Vec<Event>>,
    /// Targets that were judged here, in the order of their items.
    pub items: Vec<Target>,
    /// Requests to settle items.
    pub to_settle: Vec<ToSettle>,
    /// The judged texts.
    pub texts: [&'static str; 1],
    seq: i64,
}

impl std::ops::Deref for Desk {
    type Target = SmallStudy;

    fn deref(&self) -> &SmallStudy {
        &self.study
    }
}

impl std::ops::DerefMut for Desk {
    fn deref_mut(&mut self) -> &mut SmallStudy {
        &mut self.study
    }
}

/// The small study, opened by zoe.
pub(crate) fn desk() -> Desk {
    Desk::opened_by(Some("zoe"))
}

impl Desk {
    pub fn opened_by(annotator: Option<&str>) -> Desk {
        let tagging = Arc::new(builtin("failure").expect("built in").clone());
        let browse = BrowseScreen::new("small".into(), tables(), tagging, annotator.map(str::to_owned));
        let study = SmallStudy {
            fault: None,
            views: BTreeMap::new(),
            events: BTreeMap::new(),
            items: Vec::new(),
            to_settle: Vec::new(),
            texts: ["t"],
            seq: 0,
        };
        let now = Moment { wall: 1_767_600_000_000, monotonic: 10_000 };
        let mut desk = Desk { browse, copied: Vec::new(), has_quit: false, now, study };
        desk.resize(80, 24);
        desk
    }

    /// Presses keys written as in the keymap file, separated by blanks, a second apart.
    pub fn press(&mut self, keys: &str) -> &mut Desk {
        for key in keys.split_whitespace() {
            self.now.wall += 1_000;
            let key = key.parse().expect("a key");
            self.send(Input::Key(key, self.now));
        }
        self
    }

    /// Types a text, blanks too.
    pub fn type_text(&mut self, text: &str) -> &mut Desk {
        for character in text.chars() {
            let key = crate::app::kit::key::Key::plain(crate::app::kit::key::KeyCode::Char(character));
            self.send(Input::Key(key, self.now));
        }
        self
    }

    pub fn resize(&mut self, columns: u16, rows: u16) -> &mut Desk {
        self.send(Input::Resize(columns, rows));
        self
    }

    pub fn send(&mut self, input: Input) {
        self.browse.update(input, &mut self.study);
        for effect in self.browse.frame_mut().take_effects() {
            match effect {
                Effect::Copy(text) => self.copied.push(text),
                Effect::Quit => self.has_quit = true,
                Effect::Redraw | Effect::Suspend | Effect::Match { .. } => {}
                Effect::Fail(error) => panic!("{error}"),
            }
        }
    }

    /// Names of the rows of the table on the screen.
    pub fn rows(&self) -> Vec<String> {
        let screen = self.browse.table().expect("a table");
        screen.rows.iter().map(|row| self.browse.tables.name(screen.table(), *row)).collect()
    }

    pub fn table(&self) -> BrowseTable {
        self.browse.table().expect("a table").table()
    }

    pub fn cursor(&self) -> usize {
        self.browse.table().expect("a table").cursor
    }

    pub fn tags(&self) -> String {
        let tables = &self.browse.tables;
        let row = self.browse.table().and_then(TableScreen::row).expect("a row");
        let column = tables.column(BrowseTable::Candidates, "tag").expect("there is one");
        tables.shown(BrowseTable::Candidates, row, column)
    }
}

impl AdjudicateDesk for SmallStudy {
    fn contested(&mut self, _position: usize) -> Result<Contested> {
        panic!("no settling was opened")
    }

    fn settle(&mut self, _settle: &Settle) -> Result<VerdictOutcome> {
        panic!("no settling was opened")
    }
}

impl BrowseDesk for SmallStudy {
    fn standing(&mut self, item: ItemId) -> Result<Standing> {
        let target = usize::try_from(item.0 - FIRST).ok().and_then(|place| self.items.get(place));
        let events = target.and_then(|target| self.events.get(target));
        let protocol = builtin("failure").expect("built in");
        Ok(events.map_or_else(Standing::default, |events| fold_under(events, protocol)))
    }

    fn judge(&mut self, judge: &JudgeInPlace) -> Result<InPlace> {
        if let Some(error) = &self.fault {
            return Err(error.clone());
        }
        let shown = judge.shown.as_ref();
        let mut all = Vec::new();
        for (target, change) in &judge.changes {
            match self.change(*target, change, (shown, judge.wall)) {
                Ok(judged) => all.extend((!judged.ids.is_empty()).then_some(judged)),
                Err(news) => return Ok(InPlace::Elsewhere(news)),
            }
        }
        Ok(InPlace::Written(all))
    }

    fn views(&mut self) -> Result<Vec<(String, String)>> {
        Ok(self.views.clone().into_iter().collect())
    }

    fn keep_view(&mut self, name: &str, body: Option<&str>, _wall: i64) -> Result<()> {
        match body {
            Some(body) => drop(self.views.insert(name.to_owned(), body.to_owned())),
            None => drop(self.views.remove(name)),
        }
        Ok(())
    }

    fn open_settling(&mut self, asked: &ToSettle) -> Result<AdjudicateOpening> {
        self.to_settle.push(asked.clone());
        Err(Error::new("nobody disagrees"))
    }
}

impl SmallStudy {
    fn change(
        &mut self,
        target: Target,
        change: &RowChange,
        (shown, wall): (Option<&Standing>, i64),
    ) -> std::result::Result<JudgedHere, Box<JudgedHere>> {
        let protocol = builtin("failure").expect("built in");
        let known = self.items.iter().position(|known| *known == target);
        let place = known.unwrap_or_else(|| {
            self.items.push(target);
            self.items.len() - 1
        });
        let item = ItemId(FIRST + place as i64);
        let events = self.events.entry(target).or_default();
        let before = fold_under(events, protocol);
        if shown.is_some_and(|shown| !shown.says_the_same(&before)) {
            let news = JudgedHere { target, annotator: ZOE, item, standing: before, ids: Vec::new() };
            return Err(Box::new(news));
        }
        let mut ids = Vec::new();
        for happening in change.happenings(protocol, &before, fingerprint(&self.texts)) {
            self.seq += 1;
            let id = EventId { writer: Writer(7), seq: self.seq };
            ids.push(id);
            events.push(Event {
                id,
                happening,
                at: Some(wall),
                active: 0,
                protocol: protocol.hash,
                texts: fingerprint(&self.texts),
            });
        }
        let standing = fold_under(events, protocol);
        Ok(JudgedHere { target, annotator: ZOE, item, standing, ids })
    }
}
