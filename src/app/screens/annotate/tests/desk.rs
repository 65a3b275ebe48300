//! A desk for tests: the app with a study in memory, keys written as a string, and a clock that
//! moves only when told.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::app::kit::{Effect, Input, Moment, Screen, finder};
use crate::app::screens::annotate::{
    AnnotateDesk, AnswerOutcome, AnswersSaved, App, Append, Elsewhere, Find, Spot,
};
use crate::error::Result;
use crate::journal::{
    Calibration, DaysWork, Event, EventId, GoToEntry, Happening, ItemState, Loaded, Neighbour, Progress,
    Queue, Standing, Writer, fold_under,
};
use crate::protocol::{Answer, Answers, Protocol, TargetPart, builtin, is_as_known};
use crate::study::{AnnotatorId, Candidate, Document, Item, ItemId, Passage, Query, TargetKeys, Unit};
use crate::text::span::locate;

pub(crate) struct Desk {
    pub app: App,
    pub now: Moment,
    pub copied: Vec<String>,
    pub has_quit: bool,
    /// How often the shell was called.
    pub suspended: usize,
    /// The error with which the screen was left.
    pub failed: Option<crate::error::Error>,
    /// Whether a frame is drawn after each key, and looked at.
    pub draws: bool,
    pub study: StudyInMemory,
}

/// The study behind the desk, and the calls that came to it.
pub(crate) struct StudyInMemory {
    pub protocol: Arc<Protocol>,
    pub items: Vec<Item>,
    pub events: BTreeMap<ItemId, Vec<Event>>,
    /// Whether the items are assigned, so that those without an answer can be given back.
    pub is_assigned: bool,
    /// Why items were given back.
    pub given_back: Vec<String>,
    /// While set, nothing can be written.
    pub fault: Option<crate::error::Error>,
    /// While set, nothing can be read.
    pub lost: Option<crate::error::Error>,
    /// Known answers to the first items, which are told.
    pub known: Vec<Answers>,
    /// Whether the known items must be passed before the others come.
    pub must_pass: bool,
    /// How often the queue was filled.
    pub filled: usize,
    /// Texts that were others when the items were judged.
    pub was: Vec<crate::journal::RevisedText>,
    /// The field that the queue is sorted by.
    pub sorted_by: Option<String>,
    seq: i64,
}

impl std::ops::Deref for Desk {
    type Target = StudyInMemory;

    fn deref(&self) -> &StudyInMemory {
        &self.study
    }
}

impl std::ops::DerefMut for Desk {
    fn deref_mut(&mut self) -> &mut StudyInMemory {
        &mut self.study
    }
}

/// Two summaries with three insights each, and two documents.
pub(crate) fn coverage_desk() -> Desk {
    Desk::new("coverage", coverage_items())
}

/// The coverage desk, where the first two items are known: fully covered by bullet 2, and not covered.
pub(crate) fn calibration_desk() -> Desk {
    let label = |label: &str| ("coverage".to_owned(), Answer::Text(label.to_owned()));
    let mut desk = coverage_desk();
    desk.known =
        vec![[label("full"), ("bullet".to_owned(), Answer::Bullet(2))].into(), [label("none")].into()];
    // Loads the first item again, with what is known.
    desk.press("right left");
    desk
}

/// The calibration desk, where the known items must be passed before the other four come.
pub(crate) fn gated_desk() -> Desk {
    let mut desk = calibration_desk();
    desk.must_pass = true;
    let mut desk = desk.reopened();
    desk.show();
    desk
}

/// Three key points of a Chinese document.
pub(crate) fn keypoint_desk() -> Desk {
    Desk::new("keypoint", keypoint_items())
}

/// The first item of the coverage desk and, where there are more, those after it; each without what the
/// protocol does not judge.
pub(crate) fn items_for(protocol: &Protocol, count: usize) -> Vec<Item> {
    let mut items: Vec<Item> = coverage_items().into_iter().take(count).collect();
    for (number, item) in (1..).zip(&mut items) {
        if !protocol.targets(TargetPart::Unit) {
            (item.unit, item.keys.unit, item.evidence, item.relevant) = (None, None, Vec::new(), None);
        }
        if protocol.targets(TargetPart::Pair) {
            let other = item.candidate.clone().map(|candidate| Candidate {
                id: "other".to_owned(),
                text: candidate.text.replace("25", "45").lines().rev().collect::<Vec<_>>().join("\n"),
                ..candidate
            });
            (item.keys.other, item.other) = (Some("other".to_owned()), other);
        }
        let is_about_candidates = protocol.is_about_candidates() || protocol.targets(TargetPart::Pair);
        if !is_about_candidates {
            (item.candidate, item.keys.candidate) = (None, None);
        }
        if protocol.targets(TargetPart::Document) {
            item.document = Some(1 + number % 2);
            item.keys.document = item.document.map(|number| format!("d{number}"));
        }
        if protocol.targets(TargetPart::Bullet) {
            item.bullet = Some(3);
        }
        if protocol.questions.iter().any(|question| !question.kinds().is_empty()) {
            item.choices = vec![
                unit("stress", "m1", "keypoint", "Twenty-five minutes of work, five of rest."),
                unit("stress", "m2", "keypoint", "They sleep\nlonger."),
                unit("stress", "m3", "keypoint", "A break after each block of work."),
            ];
        }
    }
    items
}

fn document(collection: &str, number: u32, title: &str, text: &str) -> Document {
    Document {
        collection: collection.into(),
        id: format!("d{number}"),
        number,
        title: Some(title.into()),
        text: text.into(),
        meta: Default::default(),
    }
}

fn unit(query: &str, id: &str, kind: &str, text: &str) -> Unit {
    Unit {
        collection: "c".into(),
        query: query.into(),
        id: id.into(),
        kind: kind.into(),
        candidate: None,
        title: None,
        text: text.into(),
        documents: None,
        evidence: Vec::new(),
        score: None,
        meta: Default::default(),
    }
}

fn query(id: &str, text: &str) -> Query {
    Query {
        collection: "c".into(),
        id: id.into(),
        text: text.into(),
        category: None,
        domain: None,
        meta: Default::default(),
    }
}

fn coverage_items() -> Vec<Item> {
    let breaks = "Ana: We tried the kitchen timer again.\nBen: Twenty-five minutes of work, then five minutes off. It got me through the whole chapter on kidneys.\nAna: I still prefer long stretches.";
    let calm = "Ben: I downloaded that app, Calm.\nAna: Fifteen minutes every morning, before the others wake up.\nBen: Does it help?\nAna: It does. And we should take a walk after lunch.";
    let documents: Arc<[Document]> =
        Arc::from([document("c", 1, "Tuesday evening", breaks), document("c", 2, "Wednesday", calm)]);
    let units = [
        (
            "timer",
            "One student works 25 minutes and rests 5.",
            vec![1],
            vec![(1, "Twenty-five minutes of work, then five minutes off")],
        ),
        (
            "calm",
            "A student uses the app Calm for 15 minutes each morning.",
            vec![2],
            vec![(2, "Fifteen minutes every morning")],
        ),
        ("walk", "They want to walk after lunch.", vec![1, 2], vec![(2, "take a walk after lunch")]),
    ];
    let summaries = [
        "Here is what they say:\n- They work in blocks of 25 minutes with 5 off [1].\n- An app called Calm helps one of them in the morning [2, 1].",
        "- Stress is a problem for many.\n- Walks are planned [2].",
    ];
    let mut items = Vec::new();
    for (number, summary) in (1..).zip(summaries) {
        for (id, text, relevant, evidence) in &units {
            let candidate = Candidate {
                cites: None,
                collection: "c".into(),
                query: "stress".into(),
                id: format!("s{number}"),
                summarizer: Some("large-a".into()),
                retriever: Some("oracle".into()),
                order: None,
                text: summary.into(),
                meta: Default::default(),
            };
            items.push(Item {
                id: ItemId(items.len() as i64 + 1),
                keys: TargetKeys {
                    collection: "c".into(),
                    query: "stress".into(),
                    unit: Some((*id).into()),
                    candidate: Some(candidate.id.clone()),
                    ..TargetKeys::default()
                },
                query: query("stress", "What do the students say about stress?"),
                documents: Arc::clone(&documents),
                relevant: Some(relevant.clone()),
                document: None,
                unit: Some(unit("stress", id, "insight", text)),
                evidence: passages(&documents, evidence),
                candidate: Some(candidate),
                other: None,
                is_turned: false,
                choices: Vec::new(),
                bullet: None,
            });
        }
    }
    items
}

fn passages(documents: &[Document], quotes: &[(u32, &str)]) -> Vec<Passage> {
    quotes
        .iter()
        .map(|(number, quote)| {
            let text = &documents[*number as usize - 1].text;
            Passage { document: *number, span: locate(text, quote).expect("the quote is there") }
        })
        .collect()
}

fn keypoint_items() -> Vec<Item> {
    let text = "冬天开电动车，续航会明显下降。😂 我上个月跑了三百公里，实际只有标称的六成半。\n工程师说，低温时电池的化学反应变慢，暖风也要用电；预热电池可以少掉一些损失。";
    let documents: Arc<[Document]> = Arc::from([document("c", 1, "论坛", text)]);
    [
        ("k1", "低温使电池化学反应变慢。", "低温时电池的化学反应变慢"),
        ("k2", "预热电池能减少损失。", "预热电池可以少掉一些损失"),
        ("k3", "论坛用户换了新轮胎。", "我上个月跑了三百公里"),
    ]
    .iter()
    .zip(1..)
    .map(|((id, point, quote), number)| Item {
        id: ItemId(number),
        keys: TargetKeys {
            collection: "c".into(),
            query: "winter".into(),
            document: Some("d1".into()),
            unit: Some((*id).into()),
            ..TargetKeys::default()
        },
        query: query("winter", "电动汽车冬天为什么续航下降？怎样减少损失？"),
        documents: Arc::clone(&documents),
        relevant: Some(vec![1]),
        document: Some(1),
        unit: Some(unit("winter", id, "keypoint", point)),
        evidence: passages(&documents, &[(1, quote)]),
        candidate: None,
        other: None,
        is_turned: false,
        choices: Vec::new(),
        bullet: None,
    })
    .collect()
}

impl Desk {
    pub fn new(protocol: &str, items: Vec<Item>) -> Desk {
        Desk::under(builtin(protocol).expect("built in").clone(), items)
    }

    pub fn under(protocol: Protocol, items: Vec<Item>) -> Desk {
        Desk::sized(protocol, items, (80, 24))
    }

    /// A desk whose screen has this size before the first item is on it.
    pub fn sized(protocol: Protocol, items: Vec<Item>, (columns, rows): (u16, u16)) -> Desk {
        let protocol = Arc::new(protocol);
        let study = StudyInMemory {
            protocol: Arc::clone(&protocol),
            items,
            events: BTreeMap::new(),
            is_assigned: false,
            given_back: Vec::new(),
            fault: None,
            lost: None,
            known: Vec::new(),
            must_pass: false,
            filled: 0,
            was: Vec::new(),
            sorted_by: None,
            seq: 0,
        };
        let now = Moment { wall: 1_767_600_000_000, monotonic: 10_000 };
        let app = App::new("demo".into(), protocol, study.queue(), Vec::new(), now);
        let mut desk = Desk {
            app,
            now,
            copied: Vec::new(),
            has_quit: false,
            suspended: 0,
            failed: None,
            draws: true,
            study,
        };
        desk.resize(columns, rows);
        desk.app.open(&mut desk.study);
        desk.carry_out();
        desk.show();
        desk
    }

    /// Presses keys written as in the keymap file, separated by blanks, a second apart.
    pub fn press(&mut self, keys: &str) -> &mut Desk {
        for key in keys.split_whitespace() {
            self.wait(1_000);
            self.press_now(key);
            self.show();
        }
        self
    }

    /// Presses one key without a frame before or after it.
    pub fn press_now(&mut self, key: &str) {
        let key = key.parse().expect("a key");
        self.send(Input::Key(key, self.now));
    }

    pub fn send(&mut self, input: Input) {
        self.app.update(input, &mut self.study);
        self.carry_out();
    }

    fn carry_out(&mut self) {
        for effect in self.app.frame.take_effects() {
            match effect {
                Effect::Match { generation, needle, entries } => {
                    if let Some(matches) = finder::find(&entries, &needle, &|| false) {
                        self.send(Input::Matches { generation, matches });
                    }
                }
                Effect::Copy(text) => self.copied.push(text),
                Effect::Quit => self.has_quit = true,
                Effect::Suspend => self.suspended += 1,
                Effect::Redraw => {}
                Effect::Fail(error) => self.failed = Some(error),
            }
        }
    }

    pub fn wait(&mut self, milliseconds: i64) {
        self.now.wall += milliseconds;
        self.now.monotonic += milliseconds;
    }

    /// A frame reaches the terminal.
    pub fn show(&mut self) {
        if self.draws {
            self.send(Input::Shown(self.now));
        }
    }

    pub fn resize(&mut self, columns: u16, rows: u16) -> &mut Desk {
        self.send(Input::Resize(columns, rows));
        self
    }

    /// 1-based number of the item on the screen.
    pub fn item_number(&self) -> usize {
        self.app.loaded.as_ref().expect("an item").position + 1
    }

    /// Stores answers that judge the item of this 1-based number, as another program would.
    pub fn judge(&mut self, number: usize) {
        let item = &self.items[number - 1];
        let (item, texts) = (item.id, item.texts());
        let mut answers = Answers::new();
        while let Some(question) = self.protocol.open_question(&answers) {
            let answer = match question.offered().first() {
                Some(choice) if question.grows() => Answer::Names(vec![choice.value.clone()]),
                Some(choice) => Answer::Text(choice.value.clone()),
                None if question.none_label().is_some() => Answer::Nothing,
                None => Answer::Text("written".to_owned()),
            };
            answers.insert(question.key.clone(), answer);
        }
        let answer = |(question, answer)| (Happening::Answer { question, answer }, 0);
        let happenings = answers.into_iter().map(answer).collect();
        let shown = self.standing(item);
        let append = Append { item, position: number - 1, shown, texts, happenings, wall: self.now.wall };
        self.append(&append).expect("written");
    }

    /// Takes over the events of another desk of the same person.
    pub fn take_from(&mut self, other: &Desk) {
        (self.study.events, self.study.seq) = (other.events.clone(), other.study.seq);
    }

    /// The app as it would be after a kill: built anew from the stored events and this position.
    pub fn reopened(&self) -> Desk {
        let mut desk = Desk::under((*self.protocol).clone(), self.items.clone());
        desk.events = self.events.clone();
        desk.known = self.known.clone();
        desk.must_pass = self.must_pass;
        desk.was = self.was.clone();
        desk.study.seq = self.study.seq;
        desk.now = self.now;
        let mut queue = desk.queue();
        queue.resume = self.app.loaded.as_ref().map_or(0, |loaded| loaded.position);
        let undo = Vec::new();
        desk.app = App::new("demo".into(), Arc::clone(&desk.protocol), queue, undo, desk.now);
        desk.app.open(&mut desk.study);
        desk.app.frame.size = self.app.frame.size;
        desk
    }
}

impl StudyInMemory {
    /// The stored answers of an item by its 1-based number, as JSON.
    pub fn stored(&self, number: i64) -> String {
        let standing = self.standing(ItemId(number));
        let answers: serde_json::Map<String, serde_json::Value> =
            standing.answers.iter().map(|(key, answer)| (key.clone(), answer.to_json())).collect();
        serde_json::Value::from(answers).to_string()
    }

    pub fn standing(&self, item: ItemId) -> Standing {
        self.events.get(&item).map_or_else(Standing::default, |events| fold_under(events, &self.protocol))
    }

    pub fn progress(&self) -> Progress {
        let standings: Vec<Standing> = self.items.iter().map(|item| self.standing(item.id)).collect();
        let count = |state: ItemState| {
            standings.iter().filter(|standing| standing.state(&self.protocol) == state).count()
        };
        Progress {
            total: self.items.len() - self.held(),
            judged: count(ItemState::Judged),
            skipped: count(ItemState::Skipped),
            flagged: standings.iter().filter(|standing| standing.flagged).count(),
        }
    }

    /// Everything that was done to an item by its 1-based number.
    pub fn events_of(&self, number: i64) -> Vec<Event> {
        self.events.get(&ItemId(number)).cloned().unwrap_or_default()
    }

    pub fn loaded(&self, position: usize) -> Loaded {
        let item = self.items[position].clone();
        let group = |item: &Item| (item.keys.candidate.clone(), item.keys.document.clone());
        let neighbours = self.items.iter().enumerate().filter(|(_, other)| group(other) == group(&item));
        Loaded {
            was: self.was.clone(),
            position,
            standing: self.standing(item.id),
            group: neighbours
                .map(|(position, other)| {
                    let standing = self.standing(other.id);
                    let state = standing.state(&self.protocol);
                    let answers = Neighbour::shown(state, standing.answers, &self.protocol);
                    Neighbour { position, state, flagged: standing.flagged, answers }
                })
                .collect(),
            place_of_group: self.place_of_group(position),
            calibration: self.calibration(position),
            sorted_by: self.sorted_by.clone(),
            item,
        }
    }

    /// The known answer to one of the first items, where the test gives one.
    fn calibration(&self, position: usize) -> Option<Calibration> {
        let known = self.known.get(position)?;
        let judged = |other: usize| {
            let standing = self.standing(self.items.get(other)?.id);
            (standing.state(&self.protocol) == ItemState::Judged).then_some(standing.answers)
        };
        let others = (0..self.known.len()).filter(|other| *other != position);
        Some(Calibration {
            known: known.clone(),
            explanation: format!("It is item {}.", position + 1),
            pass: Some(60.0),
            must_pass: self.must_pass,
            others: others
                .filter_map(|other| Some((self.known.get(other)?.clone(), judged(other)?)))
                .collect(),
            count: self.known.len(),
        })
    }

    /// How many items wait until the known ones are judged right.
    fn held(&self) -> usize {
        let given = (0..self.known.len()).map(|place| self.standing(self.items[place].id));
        let is_right = |(standing, known): &(Standing, &Answers)| {
            standing.state(&self.protocol) == ItemState::Judged
                && is_as_known(&self.protocol, known, &standing.answers)
        };
        let right = given.zip(&self.known).filter(is_right).count();
        if self.must_pass && right < self.known.len() { self.items.len() - self.known.len() } else { 0 }
    }

    /// The queue as it is when it is opened.
    fn queue(&self) -> Queue {
        Queue {
            annotator: AnnotatorId(1),
            name: "alice".into(),
            progress: self.progress(),
            resume: 0,
            recent: Vec::new(),
            held: self.held(),
            is_handed_out: false,
            is_begun: false,
        }
    }

    fn place_of_group(&self, position: usize) -> (usize, usize) {
        let mut groups: Vec<_> =
            self.items.iter().map(|item| (item.keys.candidate.clone(), item.keys.document.clone())).collect();
        let here = groups[position].clone();
        groups.dedup();
        (groups.iter().position(|group| *group == here).unwrap_or(0) + 1, groups.len())
    }
}

impl AnnotateDesk for StudyInMemory {
    fn load(&mut self, position: usize) -> Result<Loaded> {
        self.lost.clone().map_or_else(|| Ok(self.loaded(position)), Err)
    }

    fn fill_queue(&mut self) -> Result<()> {
        self.filled += 1;
        Ok(())
    }

    fn find(&mut self, find: Find, after: usize) -> Result<Option<usize>> {
        let count = self.items.len() - self.held();
        let fits = |position: &usize| {
            let standing = self.standing(self.items[*position].id);
            match find {
                Find::NextFlagged => standing.flagged,
                _ => standing.state(&self.protocol) == ItemState::Open,
            }
        };
        let mut round: Vec<usize> = (1..=count).map(|step| (after + step) % count).collect();
        if find == Find::PreviousOpen {
            round = (1..=count).map(|step| (after + count - step) % count).collect();
        }
        let skipped = |position: &usize| {
            let walks = matches!(find, Find::NextOpen | Find::PreviousOpen);
            walks && self.standing(self.items[*position].id).state(&self.protocol) == ItemState::Skipped
        };
        Ok(round.iter().copied().find(fits).or_else(|| round.iter().copied().find(skipped)))
    }

    fn append(&mut self, append: &Append) -> Result<AnswerOutcome> {
        if let Some(error) = &self.fault {
            return Err(error.clone());
        }
        let only_looks = append.happenings.iter().all(|(happening, _)| happening.kind() == "visit");
        if !only_looks && !self.standing(append.item).says_the_same(&append.shown) {
            let Loaded { standing, group, .. } = self.loaded(append.position);
            let progress = self.progress();
            return Ok(AnswerOutcome::Elsewhere(Box::new(Elsewhere { standing, group, progress })));
        }
        let mut ids = Vec::new();
        for (happening, active) in &append.happenings {
            self.seq += 1;
            let id = EventId { writer: Writer(7), seq: self.seq };
            ids.push(id);
            self.events.entry(append.item).or_default().push(Event {
                id,
                happening: happening.clone(),
                at: Some(append.wall),
                active: *active,
                protocol: self.protocol.hash,
                texts: append.texts,
            });
        }
        let (standing, progress) = (self.standing(append.item), self.progress());
        Ok(AnswerOutcome::Written(Box::new(AnswersSaved { ids, standing, progress, beside: Vec::new() })))
    }

    fn directory(&mut self) -> Result<Arc<[GoToEntry]>> {
        let entries = self
            .items
            .iter()
            .enumerate()
            .map(|(position, item)| GoToEntry {
                position,
                query: item.query.text.clone(),
                unit: item.unit.as_ref().map(|unit| unit.text.clone()).unwrap_or_default(),
                group: self.place_of_group(position).0,
                state: self.standing(item.id).state(&self.protocol),
                flagged: self.standing(item.id).flagged,
            })
            .collect();
        Ok(entries)
    }

    fn untouched(&mut self, position: usize) -> Result<Vec<usize>> {
        let group = self.loaded(position).group.into_iter().map(|neighbour| neighbour.position);
        let is_untouched = |position: &usize| {
            let standing = self.standing(self.items[*position].id);
            standing == Standing { active: standing.active, ..Standing::default() }
        };
        Ok(group.filter(is_untouched).collect())
    }

    fn known(&mut self, item: ItemId) -> Result<Option<Calibration>> {
        let position = self.items.iter().position(|one| one.id == item).expect("an item");
        Ok(self.calibration(position))
    }

    fn reopen(&mut self) -> Result<Queue> {
        Ok(self.queue())
    }

    fn place_of(&mut self, item: ItemId) -> Result<Option<usize>> {
        Ok(self.items.iter().position(|one| one.id == item))
    }

    fn calibrate_anew(&mut self, wall: i64) -> Result<()> {
        for place in 0..self.known.len() {
            let item = &self.items[place];
            let (item, texts) = (item.id, item.texts());
            let happenings = vec![(Happening::Anew, 0)];
            let shown = self.standing(item);
            self.append(&Append { item, position: place, shown, texts, happenings, wall })?;
        }
        Ok(())
    }

    fn can_give_back(&mut self, item: ItemId) -> Result<bool> {
        Ok(self.is_assigned && self.standing(item).answers.is_empty())
    }

    fn give_back(&mut self, item: ItemId, why: &str, _wall: i64) -> Result<()> {
        self.items.retain(|one| one.id != item);
        self.given_back.push(why.to_owned());
        Ok(())
    }

    fn days_work(&mut self) -> Result<DaysWork> {
        Ok(DaysWork {
            items: 12,
            active: 14 * 60_000,
            waiting: vec![("attribution".to_owned(), Some(30)), ("keypoint".to_owned(), None)],
            ..DaysWork::default()
        })
    }

    fn history(&mut self, spots: &[Spot]) -> Result<Vec<(GoToEntry, Answers)>> {
        let directory = self.directory()?;
        let answered = |spot: &Spot| (directory[spot.position].clone(), self.standing(spot.item).answers);
        Ok(spots.iter().map(answered).collect())
    }
}
