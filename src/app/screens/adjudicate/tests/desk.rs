//! A desk for tests of the adjudicate screen: opinions and verdicts in memory, keys as a string.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::app::kit::{Effect, Input, Moment, Screen, finder};
use crate::app::screens::adjudicate::{
    AdjudicateDesk, AdjudicateOpening, AdjudicateScreen, AdjudicateWork, DisputedItem, MovableScores, Settle,
    VerdictOutcome,
};
use crate::error::Result;
use crate::journal::{
    Contested, Decision, Event, EventId, GoToEntry, Happening, ItemState, Opinion, Standing, Writer, settle,
};
use crate::protocol::{Answer, Answers, Protocol, builtin};
use crate::score::{AskedInsight, InsightJudged, InsightSaid, Origin, SummaryJudged};
use crate::study::{AnnotatorId, Item, ItemId};

/// The adjudicator.
pub(crate) const CAROL: AnnotatorId = AnnotatorId(9);

pub(crate) struct Desk {
    pub screen: AdjudicateScreen,
    pub now: Moment,
    pub has_quit: bool,
    pub study: Disputes,
}

/// The study behind the desk.
pub(crate) struct Disputes {
    protocol: Arc<Protocol>,
    pub items: Vec<Item>,
    pub opinions: Vec<Vec<Opinion>>,
    /// Everything that was ever written.
    pub events: BTreeMap<ItemId, Vec<(AnnotatorId, Event)>>,
    /// While set, nothing can be written.
    pub fault: Option<crate::error::Error>,
    seq: i64,
}

impl std::ops::Deref for Desk {
    type Target = Disputes;

    fn deref(&self) -> &Disputes {
        &self.study
    }
}

impl std::ops::DerefMut for Desk {
    fn deref_mut(&mut self) -> &mut Disputes {
        &mut self.study
    }
}

/// Answers of a protocol with a choice and a link: `full 2`, `none`.
pub(crate) fn answers(protocol: &Protocol, text: &str) -> Answers {
    let mut words = text.split_whitespace();
    let mut answers = Answers::new();
    let main = protocol.main_question().expect("a choice");
    answers.insert(main.key.clone(), Answer::Text(words.next().expect("a choice").into()));
    for (question, word) in protocol.questions.iter().skip(1).zip(words) {
        let answer = word.parse().map_or_else(|_| Answer::Text(word.into()), Answer::Bullet);
        answers.insert(question.key.clone(), answer);
    }
    answers
}

fn opinion(protocol: &Protocol, number: i64, name: &str, said: &str, comment: &str) -> Opinion {
    let standing = Standing {
        answers: answers(protocol, said),
        comment: comment.to_owned(),
        active: 12_000 * number,
        ..Standing::default()
    };
    Opinion {
        annotator: AnnotatorId(number),
        name: name.to_owned(),
        is_model: name.starts_with("judge"),
        standing,
        opened: if number == 2 { vec![1, 2] } else { Vec::new() },
        beyond_evidence: number == 2,
    }
}

/// Three insights of one summary, on which ann and ben, and on the last a judge, disagree.
pub(crate) fn coverage_desk() -> Desk {
    let protocol = builtin("coverage").expect("built in");
    let items: Vec<Item> =
        crate::app::screens::annotate::tests::desk::coverage_desk().study.items.into_iter().take(3).collect();
    let said = |number, name, said, comment| opinion(protocol, number, name, said, comment);
    let opinions = vec![
        vec![said(1, "ann", "full 2", ""), said(2, "ben", "partial 2", "Only the blocks, not the rest.")],
        vec![said(1, "ann", "full 3", ""), said(2, "ben", "full 1", "")],
        vec![said(1, "ann", "none", ""), said(2, "ben", "partial 1", ""), said(3, "judge-a", "full 1", "")],
    ];
    let insight = |item: &Item| InsightJudged {
        insight: AskedInsight {
            unit: item.keys.unit.clone().expect("a unit"),
            gold: item.relevant.clone().map(|numbers| Arc::new(numbers.into_iter().collect())),
        },
        said: InsightSaid::default(),
    };
    let text = items[0].candidate.as_ref().expect("a summary").text.clone();
    let summary = SummaryJudged::of(Origin::default(), &text, items.iter().map(insight).collect());
    let places = items.iter().enumerate().map(|(place, item)| (item.id, (0, place))).collect();
    let scored = MovableScores::Coverage { summaries: vec![summary], places };
    Desk::new(protocol, items, opinions, scored, AdjudicateWork::Settle)
}

/// Three insights of a summary of forty bullets, of which people chose those at 21, 38 and 3.
pub(crate) fn tall_desk() -> Desk {
    let mut desk = coverage_desk();
    let lines: Vec<String> =
        (1..=40).map(|number| format!("- Bullet {number} says something [1].")).collect();
    for item in &mut desk.items {
        item.candidate.as_mut().expect("a summary").text = lines.join("\n");
    }
    let protocol = Arc::clone(&desk.protocol);
    for (opinions, first) in desk.opinions.iter_mut().zip([21, 38, 3]) {
        *opinions = vec![
            opinion(&protocol, 1, "ann", &format!("full {first}"), ""),
            opinion(&protocol, 2, "ben", &format!("partial {}", first + 1), ""),
        ];
    }
    Desk::new(
        &protocol,
        desk.study.items,
        desk.study.opinions,
        MovableScores::Nothing,
        AdjudicateWork::Settle,
    )
}

/// Three key points of a Chinese document, on which two people disagree.
pub(crate) fn keypoint_desk() -> Desk {
    let protocol = builtin("keypoint").expect("built in");
    let items = crate::app::screens::annotate::tests::desk::keypoint_desk().study.items;
    let both = || {
        vec![
            opinion(protocol, 1, "小明", "yes agree", ""),
            opinion(protocol, 2, "小红", "no", "文中没有说新轮胎，也没有说冬天以外的情况。"),
        ]
    };
    let opinions = items.iter().map(|_| both()).collect();
    Desk::new(protocol, items, opinions, MovableScores::Nothing, AdjudicateWork::Settle)
}

/// ann reads that carol decided otherwise.
pub(crate) fn review_desk() -> Desk {
    let mut desk = coverage_desk();
    desk.press("2 G c h a l f enter");
    let gold = desk.decision(1).expect("decided").verdict.answers;
    desk.opinions.truncate(1);
    desk.opinions[0].truncate(1);
    desk.items.truncate(1);
    let mut places = places(&desk.items);
    places[0].gold = Some((crate::journal::Outcome::Adjudicated, gold));
    desk.open(places, MovableScores::Nothing, AdjudicateWork::Review, AnnotatorId(1));
    desk
}

fn places(items: &[Item]) -> Vec<DisputedItem> {
    let place = |(position, item): (usize, &Item)| DisputedItem {
        item: item.id,
        entry: GoToEntry {
            position,
            query: item.query.text.clone(),
            unit: item.unit.as_ref().map(|unit| unit.text.clone()).unwrap_or_default(),
            group: 1,
            state: ItemState::Open,
            flagged: false,
        },
        decided: Answers::new(),
        gold: None,
    };
    items.iter().enumerate().map(place).collect()
}

impl Desk {
    pub fn new(
        protocol: &Protocol,
        items: Vec<Item>,
        opinions: Vec<Vec<Opinion>>,
        scored: MovableScores,
        work: AdjudicateWork,
    ) -> Desk {
        let protocol = Arc::new(protocol.clone());
        let mut opinions = opinions;
        for (item, opinions) in items.iter().zip(&mut opinions) {
            for opinion in opinions {
                opinion.standing.judged_under = Some((protocol.hash, item.texts()));
            }
        }
        let now = Moment { wall: 1_767_600_000_000, monotonic: 10_000 };
        let places = places(&items);
        let screen = AdjudicateScreen::new(
            "demo".into(),
            opening(&protocol, places.clone(), scored.clone(), work, CAROL),
            now,
        );
        let study = Disputes { protocol, items, opinions, events: BTreeMap::new(), fault: None, seq: 0 };
        let mut desk = Desk { screen, now, has_quit: false, study };
        desk.open(places, scored, work, CAROL);
        desk
    }

    fn open(
        &mut self,
        mut places: Vec<DisputedItem>,
        scored: MovableScores,
        work: AdjudicateWork,
        who: AnnotatorId,
    ) {
        for place in &mut places {
            let decided = self.decided(place.item);
            let is_done = decided.as_ref().is_some_and(|decision| decision.answers(&self.protocol).is_some());
            if is_done {
                place.entry.state = ItemState::Judged;
            }
        }
        self.screen = AdjudicateScreen::new(
            "demo".into(),
            opening(&self.protocol, places, scored, work, who),
            self.now,
        );
        self.screen.open(&mut self.study);
        self.carry_out();
        self.show();
    }

    /// The screen as it would be after a kill: built anew from what was written.
    pub fn reopen(&mut self) {
        let scored = self.screen.docket.scored.clone();
        self.open(places(&self.items), scored, AdjudicateWork::Settle, CAROL);
    }

    /// Presses keys written as in the keymap file, separated by blanks, a second apart.
    pub fn press(&mut self, keys: &str) -> &mut Desk {
        for key in keys.split_whitespace() {
            self.now.wall += 1_000;
            self.now.monotonic += 1_000;
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
        self.screen.update(input, &mut self.study);
        self.carry_out();
    }

    fn carry_out(&mut self) {
        for effect in self.screen.frame_mut().take_effects() {
            match effect {
                Effect::Match { generation, needle, entries } => {
                    if let Some(matches) = finder::find(&entries, &needle, &|| false) {
                        self.send(Input::Matches { generation, matches });
                    }
                }
                Effect::Quit => self.has_quit = true,
                Effect::Copy(_) | Effect::Redraw | Effect::Suspend => {}
                Effect::Fail(error) => panic!("{error}"),
            }
        }
    }

    pub fn resize(&mut self, columns: u16, rows: u16) -> &mut Desk {
        self.send(Input::Resize(columns, rows));
        self
    }

    fn show(&mut self) {
        self.send(Input::Shown(self.now));
    }

    /// 1-based number of the item on the screen.
    pub fn item_number(&self) -> usize {
        self.screen.docket.contested.as_ref().expect("an item").position + 1
    }
}

impl Disputes {
    fn decided(&self, item: ItemId) -> Option<Decision> {
        settle(self.events.get(&item)?)
    }

    /// The decision on an item by its 1-based number.
    pub fn decision(&self, number: i64) -> Option<Decision> {
        self.decided(ItemId(number))
    }

    /// The final answers of an item by its 1-based number, as JSON.
    pub fn stored(&self, number: i64) -> String {
        let answers = self.decision(number).map(|decision| decision.verdict.answers).unwrap_or_default();
        let answers: serde_json::Map<String, serde_json::Value> =
            answers.into_iter().map(|(key, answer)| (key, answer.to_json())).collect();
        serde_json::Value::from(answers).to_string()
    }
}

impl AdjudicateDesk for Disputes {
    fn contested(&mut self, position: usize) -> Result<Contested> {
        let item = self.items[position].clone();
        let (decision, opinions) = (self.decided(item.id), self.opinions[position].clone());
        Ok(Contested { position, item, opinions, decision })
    }

    fn settle(&mut self, asked: &Settle) -> Result<VerdictOutcome> {
        if let Some(error) = &self.fault {
            return Err(error.clone());
        }
        let Settle { item, shown, texts, happenings, wall } = asked.clone();
        let decision = self.decided(item);
        if decision.as_ref().map(|decision| decision.event) != shown {
            return Ok(VerdictOutcome::Elsewhere(decision));
        }
        let mut ids = Vec::new();
        for happening in happenings {
            assert!(
                matches!(happening, Happening::Adjudicate(_) | Happening::Retract { .. }),
                "{happening:?}"
            );
            self.seq += 1;
            let id = EventId { writer: Writer(7), seq: self.seq };
            ids.push(id);
            let event =
                Event { id, happening, at: Some(wall), active: 0, protocol: self.protocol.hash, texts };
            self.events.entry(item).or_default().push((CAROL, event));
        }
        Ok(VerdictOutcome::Written(ids, self.decided(item)))
    }
}

fn opening(
    protocol: &Arc<Protocol>,
    places: Vec<DisputedItem>,
    scored: MovableScores,
    work: AdjudicateWork,
    who: AnnotatorId,
) -> AdjudicateOpening {
    let name = if who == CAROL { "carol" } else { "ann" };
    AdjudicateOpening {
        protocol: Arc::clone(protocol),
        work,
        annotator: (who, name.into()),
        places,
        resume: 0,
        undo: Vec::new(),
        scored,
        hides_names: false,
        opinions_of: Vec::new(),
    }
}
