//! Between the app and the disk: events are written, and nothing else is done until they are.

use super::{AnnotateDesk, AnswerOutcome, AnswersSaved, App, Append, Elsewhere, Pending, Rest, Spot, Then};
use crate::app::kit::{Purpose, not_saved};
use crate::journal::{EventId, Happening, ItemState, Neighbour, Standing};
use crate::number::number_of;
use crate::protocol::{Answer, Answers, Protocol, Question, QuestionKind};
use crate::text::grapheme::beginning;

impl App {
    /// Writes events; `then` follows once they are on disk.
    pub(super) fn commit(
        &mut self,
        append: Append,
        purpose: Purpose<Spot>,
        then: Then,
        desk: &mut dyn AnnotateDesk,
    ) {
        // The next step goes by the rows in view, laid out without the overlay that the key has closed.
        self.arrange();
        self.pending = Some(Pending { append, purpose, then });
        self.write_pending(desk);
    }

    /// Writes the pending events. Where the disk does not take them, nothing else changes, and they stay pending.
    pub(super) fn write_pending(&mut self, desk: &mut dyn AnnotateDesk) {
        let Some(pending) = self.pending.take() else { return };
        match desk.append(&pending.append) {
            Ok(AnswerOutcome::Written(saved)) => self.appended(pending, *saved, desk),
            Ok(AnswerOutcome::Elsewhere(news)) => self.elsewhere(pending, *news),
            Ok(AnswerOutcome::Refused(why)) => self.frame.warn(why),
            Err(error) => {
                self.pending = Some(pending);
                self.frame.warn(not_saved(&error));
            }
        }
    }

    fn appended(&mut self, pending: Pending, appended: AnswersSaved, desk: &mut dyn AnnotateDesk) {
        self.queue.progress = appended.progress;
        self.begun.judgment_scroll = None;
        self.begun.is_placed = true;
        let before = self.loaded.as_ref().map(|loaded| loaded.standing.clone()).unwrap_or_default();
        self.take_standing(&pending, &appended);
        if before.answers != appended.standing.answers {
            self.reveal_bullet();
        }
        let texts = pending.append.texts;
        let comment = match &pending.purpose {
            Purpose::Undo(_) | Purpose::Redo(..) => "comment as before",
            _ => "comment",
        };
        let is_stale = |standing: &Standing| standing.is_stale(self.protocol.hash, texts);
        let mut changed = changes(&self.protocol, &before, &appended.standing, comment);
        changed.extend(match (is_stale(&before), is_stale(&appended.standing)) {
            (true, false) => Some("no longer stale".to_owned()),
            (false, true) => Some("stale again".to_owned()),
            _ => None,
        });
        changed.extend(appended.beside);
        let changes = told(changed);
        match &pending.purpose {
            Purpose::Visit => {}
            Purpose::Step if self.has_corrected(&before, &appended.standing, pending.then) => {
                self.frame.say(format!("✓ changed · {changes}"))
            }
            Purpose::Step => self.echo(&before, &appended.standing, &changes),
            Purpose::Undo(_) if self.took_back() => {
                self.frame.warn(format!("a key was held down, so taken back · {changes}"));
            }
            Purpose::Undo(_) => self.frame.say(format!("taken back · {changes}")),
            Purpose::Redo(..) => self.frame.say(format!("done again · {changes}")),
        }
        if matches!(pending.purpose, Purpose::Undo(_) | Purpose::Redo(..)) {
            self.begun.corrects = self.state() == ItemState::Judged;
        }
        self.remember(pending.purpose, &pending.append, appended.ids);
        self.run(pending.then, desk);
    }

    /// Whether an answer took the place of another: on an item that was judged, or of a choice while the item stays.
    fn has_corrected(&self, before: &Standing, after: &Standing, then: Then) -> bool {
        let is_replaced = |question: &Question| {
            let (old, new) = (before.answers.get(&question.key), after.answers.get(&question.key));
            !question.choices().is_empty() && old.is_some() && new.is_some() && old != new
        };
        match self.begun.corrects {
            true => before.answers != after.answers,
            false => then == Then::Stay && self.protocol.questions.iter().any(is_replaced),
        }
    }

    /// Says what was recorded, and on which item.
    fn echo(&mut self, before: &Standing, after: &Standing, changes: &str) {
        let given = answers_told(&self.protocol, &after.answers);
        // Some events are no part of an answer, such as the reason why people differed.
        let is_beside = before.says_the_same(after);
        let told = match before.answers == after.answers || given.is_empty() {
            _ if is_beside => "saved".to_owned(),
            true => changes.to_owned(),
            false => given,
        };
        let what = self.item_name();
        self.frame.say(format!("✓ {what}: {told}"));
    }

    /// The name of an item on its own screen: `insight 2`, or `item 12` where it has no unit.
    pub(super) fn item_name(&self) -> String {
        let Some(loaded) = &self.loaded else { return String::new() };
        let Some(unit) = &loaded.item.unit else {
            return format!("item {}", loaded.position + 1);
        };
        let name = self.protocol.unit_name.as_deref().unwrap_or(&unit.kind).to_lowercase();
        format!("{name} {}", loaded.place_in_group())
    }

    /// Takes note that the item was answered in another terminal: the events that were to be written over that answer are
    /// dropped, and the annotator sees it first.
    fn elsewhere(&mut self, Pending { append, purpose, .. }: Pending, news: Elsewhere) {
        for (_, active) in &append.happenings {
            self.clock.give_back(*active);
        }
        self.undo.put_back(purpose);
        self.held.takes_back = false;
        self.rest = Rest::default();
        let said = said(&self.protocol, &append.shown, &news.standing);
        self.queue.progress = news.progress;
        if let Some(loaded) = self.loaded.as_mut().filter(|loaded| loaded.item.id == append.item) {
            loaded.standing = news.standing;
            loaded.group = news.group;
        }
        self.begun.corrects = self.state() == ItemState::Judged;
        self.begun.judgment_scroll = None;
        self.begun.typed.clear();
        (self.begun.insisted, self.begun.lists) = (None, None);
        let answered = append.happenings.iter().filter_map(|(happening, _)| match happening {
            Happening::Answer { question, .. } => Some(question.clone()),
            _ => None,
        });
        self.begun.refused = answered.collect();
        let keeps = if self.keep_drafts(&append) { "; what you wrote is kept" } else { "" };
        self.frame.warn(format!("answered elsewhere: {said}; again changes it{keeps}"));
    }

    fn take_standing(&mut self, pending: &Pending, appended: &AnswersSaved) {
        let Some(loaded) = &mut self.loaded else { return };
        if loaded.item.id != pending.append.item {
            return;
        }
        let before = loaded.standing.state(&self.protocol);
        loaded.standing = appended.standing.clone();
        let state = loaded.standing.state(&self.protocol);
        for neighbour in &mut loaded.group {
            if neighbour.position == loaded.position {
                neighbour.state = state;
                neighbour.flagged = loaded.standing.flagged;
                neighbour.answers = Neighbour::shown(state, loaded.standing.answers.clone(), &self.protocol);
            }
        }
        if before != ItemState::Judged && state == ItemState::Judged && loaded.standing.active > 0 {
            self.queue.recent.push(loaded.standing.active);
            let surplus = self.queue.recent.len().saturating_sub(50);
            self.queue.recent.drain(..surplus);
        }
    }

    /// Makes the events on disk a step of the undo; a visit is no part of it.
    fn remember(&mut self, purpose: Purpose<Spot>, append: &Append, mut ids: Vec<EventId>) {
        if purpose == Purpose::Step {
            let mut happenings = append.happenings.iter();
            ids.retain(|_| happenings.next().is_none_or(|(happening, _)| happening.kind() != "visit"));
        }
        self.undo.written(purpose, Spot { position: append.position, item: append.item }, ids);
    }
}

/// The change from another terminal, in few words: the answers where they differ, else what else is different.
fn said(protocol: &Protocol, before: &Standing, after: &Standing) -> String {
    if before.answers == after.answers {
        return told(changes(protocol, before, after, "comment"));
    }
    let given = answers_told(protocol, &after.answers);
    if given.is_empty() { "taken back".to_owned() } else { given }
}

impl App {
    /// Answers to any item in a few words, those to a pair in the order in which it was shown.
    pub(super) fn told_as_shown(&self, answers: &Answers) -> String {
        match self.stored.was_turned(answers) {
            Some(is_turned) => answers_told(&self.stored.on_screen(is_turned), answers),
            None => answers_told(&self.protocol, answers),
        }
    }
}

/// The answers in a few words: `full, bullet 3`.
pub(super) fn answers_told(protocol: &Protocol, answers: &Answers) -> String {
    let told = |question: &Question| {
        let answer = answers.get(&question.key)?;
        Some(match (&question.kind, answer) {
            (_, Answer::Nothing) => question.none_label().unwrap_or("none").to_owned(),
            (QuestionKind::Bullet { .. }, answer) => format!("bullet {}", named(question, Some(answer))),
            _ => named(question, Some(answer)),
        })
    };
    protocol.questions.iter().filter_map(told).collect::<Vec<String>>().join(", ")
}

/// The changes, each in a few words: `Covered? full → open`; `comment` says that the comment is another.
fn changes(protocol: &Protocol, before: &Standing, after: &Standing, comment: &str) -> Vec<String> {
    let mut words = Vec::new();
    for question in &protocol.questions {
        let (old, new) = (before.answers.get(&question.key), after.answers.get(&question.key));
        // An answer that is gone because its question is no longer asked is not named.
        let is_asked = new.is_some() || question.is_asked(&after.answers);
        if old != new && is_asked {
            let passages = |answer: Option<&Answer>| {
                number_of(answer.map_or(0, |answer| answer.passages().len()), "passage")
            };
            let (mut was, mut is) = (named(question, old), named(question, new));
            if was == is {
                (was, is) = (passages(old), passages(new));
            }
            let what = if was == is { "changed".to_owned() } else { format!("{was} → {is}") };
            words.push(format!("{} {what}", question.prompt));
        }
    }
    let states = [
        (before.flagged, after.flagged, "flagged", "not flagged"),
        (before.skipped, after.skipped, "skipped", "not skipped"),
    ];
    for (old, new, on, off) in states {
        if old != new {
            words.push(if new { on } else { off }.to_owned());
        }
    }
    if before.comment != after.comment {
        words.push(comment.to_owned());
    }
    words
}

fn told(changes: Vec<String>) -> String {
    if changes.is_empty() { "nothing changed".to_owned() } else { changes.join(", ") }
}

pub(super) fn named(question: &Question, answer: Option<&Answer>) -> String {
    match answer {
        None => "open".to_owned(),
        Some(Answer::Nothing) => "0".to_owned(),
        Some(Answer::Text(value)) if question.choices().is_empty() => {
            format!("“{}”", beginning(value, NOTICED))
        }
        Some(Answer::Text(value)) => question.label_of(value).to_owned(),
        Some(Answer::Names(names)) => {
            names.iter().map(|name| question.label_of(name)).collect::<Vec<&str>>().join("+")
        }
        Some(Answer::Points(points)) => format!("{} written", points.len()),
        Some(Answer::Passages(passages)) => format!("{} selected", passages.len()),
        Some(answer) => answer.bullets().iter().map(u32::to_string).collect::<Vec<String>>().join("+"),
    }
}

/// Graphemes of a text that a notice has room for.
const NOTICED: usize = 24;
