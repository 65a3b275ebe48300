//! Tags, flags and comments in place: judgments of the person at the keyboard under the protocol that names
//! failures. Other annotators' answers are never touched.

use std::collections::BTreeSet;

use super::{BrowseDesk, BrowseScreen, InPlace, JudgeInPlace, JudgedHere};
use crate::app::kit::{List, ListEntry, ListKind, Overlay, Prompt, PromptKind, Purpose, not_saved};
use crate::browse::BrowseTable;
use crate::journal::{EventId, Happening, Standing};
use crate::number::number_of;
use crate::protocol::{Answer, Answers, Protocol, Question, QuestionKind, switched};
use crate::study::{ItemId, ItemRow, Target};
use crate::text::hash::Fingerprint;

/// A change to what the person says about a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowChange {
    /// The tag of this value is put on or taken off; where it `stays`, it is put on only.
    Tag { question: String, tag: String, stays: bool },
    /// The target is flagged from now on, or no longer.
    Flag(bool),
    /// The comment is now this; empty means none.
    Comment(String),
    /// The text that a tag asks for.
    Text { question: String, text: String },
    /// These events are retracted: undo, and redo of an undo.
    Retract(Vec<EventId>),
}

/// The rows of a step, tagged together, each with the number of its events.
pub(super) type TaggedRows = Vec<(Target, usize)>;

/// The row that is being tagged or commented.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct JudgedRow {
    pub(super) target: Target,
    standing: Standing,
    wants: Wants,
}

/// The part of a judgment that is asked about the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wants {
    Tags,
    Comment,
}

impl RowChange {
    /// The events that make the change, given the person's standing and the texts as they are now.
    pub fn happenings(&self, protocol: &Protocol, standing: &Standing, texts: Fingerprint) -> Vec<Happening> {
        match self {
            RowChange::Tag { question, tag, stays } => {
                let answers = standing.answers_under(protocol.hash);
                let is_stale = standing.is_stale(protocol.hash, texts);
                let before = answers.get(question);
                if *stays && !is_stale && before.is_some_and(|before| before.names().contains(tag)) {
                    return Vec::new();
                }
                let names = toggled(protocol, question, (tag, is_stale), before);
                let question = question.clone();
                // Taking off the last tag leaves no judgment; a judgment without tags is made in `annotate`.
                vec![match names.is_empty() {
                    true => Happening::Clear { question },
                    false => Happening::Answer { question, answer: Answer::Names(names) },
                }]
            }
            RowChange::Flag(on) => vec![Happening::Flag(*on)],
            RowChange::Comment(text) => vec![Happening::Comment(text.clone())],
            RowChange::Text { question, text } => {
                let (question, answer) = (question.clone(), Answer::Text(text.clone()));
                vec![Happening::Answer { question, answer }]
            }
            RowChange::Retract(events) => {
                events.iter().rev().map(|event| Happening::Retract { event: *event }).collect()
            }
        }
    }
}

/// The tags with one switched, in the order of the protocol.
fn toggled(
    protocol: &Protocol,
    question: &str,
    (tag, is_stale): (&str, bool),
    before: Option<&Answer>,
) -> Vec<String> {
    let tags = protocol.question(question).map_or(&[] as &[_], Question::tags);
    let order = tags.iter().map(|choice| choice.value.as_str());
    switched(order, before.map_or(&[], Answer::names), tag, is_stale)
}

/// The first question that takes tags.
fn tag_question(protocol: &Protocol) -> Option<&Question> {
    protocol.questions.iter().find(|question| matches!(question.kind, QuestionKind::Tags { .. }))
}

/// The text without which these answers are in no score, since a tag asks for it.
fn due_text<'p>(protocol: &'p Protocol, answers: &Answers) -> Option<&'p Question> {
    let is_text = |question: &&Question| matches!(question.kind, QuestionKind::Text { .. });
    protocol.questions.iter().filter(is_text).find(|question| question.is_due(answers))
}

impl BrowseScreen {
    /// Opens the tags or the comment of the row under the cursor.
    pub(super) fn ask_about_row(&mut self, wants: Wants, desk: &mut dyn BrowseDesk) {
        if wants == Wants::Tags && !self.chosen.is_empty() {
            // The tags that each row has already are read when the change is written.
            return match self.chosen_targets().first().copied().filter(|_| self.annotator.is_some()) {
                Some(target) => self.ask_about(JudgedRow { target, standing: Standing::default(), wants }),
                None => self.frame.warn("open the study with --as NAME, and mark rows that have a summary"),
            };
        }
        let Some(target) = self.judged_target() else { return };
        let own = self.own_item(&target);
        let standing = own.map_or_else(|| Ok(Standing::default()), |item| desk.standing(item));
        if let Some(standing) = self.frame.read(standing) {
            self.ask_about(JudgedRow { target, standing, wants });
        }
    }

    /// The targets of the marked rows, each once.
    fn chosen_targets(&self) -> Vec<Target> {
        let target = |(table, row): &(BrowseTable, u32)| self.tables.target(*table, *row, &self.tagging);
        let targets: BTreeSet<Target> = self.chosen.iter().filter_map(target).collect();
        targets.into_iter().collect()
    }

    /// The target of a judgment in place; says why there is none.
    fn judged_target(&mut self) -> Option<Target> {
        if self.annotator.is_none() {
            self.frame.warn("read only: open the study with --as NAME to tag, flag and comment");
            return None;
        }
        let place = self.judged_row();
        let target = place.and_then(|(table, row)| self.tables.target(table, row, &self.tagging));
        if target.is_none() {
            self.frame.warn("this row has no summary to judge; open one of its candidates");
        }
        target
    }

    /// The item that the person judged on the row under the cursor, and whether it is flagged.
    fn own_judgment(&self) -> Option<(ItemId, bool)> {
        let (table, row) = self.judged_row()?;
        // The row of an item of another protocol holds that item's judgments alone, so the row of its candidate is read.
        let (table, row) = match self.tables.candidate_of(table, row) {
            Some(candidate) => (BrowseTable::Candidates, candidate),
            None => (table, row),
        };
        let detail = self.tables.detail(table, row);
        let is_own = |judgment: &&crate::browse::JudgmentDetail| {
            Some(&judgment.annotator.id) == self.annotator.as_ref()
                && judgment.protocol.name == self.tagging.name
        };
        detail.judgments.iter().find(is_own).map(|judgment| (judgment.item, judgment.flagged))
    }

    /// The item of this target, where the person has judged it.
    fn own_item(&self, target: &Target) -> Option<ItemId> {
        let own = self.own_judgment().map(|(item, _)| item);
        own.or_else(|| self.written.get(target).copied())
    }

    /// Opens the tags or the comment of a row.
    fn ask_about(&mut self, subject: JudgedRow) {
        let wants = subject.wants;
        let comment = subject.standing.comment.clone();
        let target = subject.target;
        self.subject = Some(subject);
        match wants {
            Wants::Comment => {
                let prompt = Prompt::of_comment(&comment, self.begun.remove(&(target, String::new())));
                self.frame.overlays.push(Overlay::Prompt(prompt));
            }
            Wants::Tags => {
                let has_none = |(table, row): &&(BrowseTable, u32)| {
                    self.tables.target(*table, *row, &self.tagging).is_none()
                };
                let summaries = number_of(self.chosen_targets().len(), "summary");
                let title = match (self.chosen.len(), self.chosen.iter().filter(has_none).count()) {
                    (0, _) => "Tags".to_owned(),
                    (_, 0) => format!("A tag for {summaries}"),
                    (_, without) => {
                        format!("A tag for {summaries}; {} without one", number_of(without, "row"))
                    }
                };
                let list = List::new(ListKind::Tags, title, self.tag_entries());
                self.frame.overlays.push(Overlay::List(list));
            }
        }
    }

    fn tag_entries(&self) -> Vec<ListEntry> {
        let Some(question) = tag_question(&self.tagging) else { return Vec::new() };
        let standing = self.subject.as_ref().map(|subject| &subject.standing);
        let given = standing.and_then(|standing| {
            standing.answers_under(self.tagging.hash).get(&question.key).map(Answer::names)
        });
        let entry = |choice: &crate::protocol::Choice| ListEntry {
            name: choice.label.clone(),
            about: String::new(),
            is_on: given.is_some_and(|given| given.contains(&choice.value)),
            key: Some(choice.key),
        };
        question.tags().iter().map(entry).collect()
    }

    /// Switches the tag of this index in the list.
    pub(super) fn switch_tag(&mut self, index: usize, desk: &mut dyn BrowseDesk) {
        let question = tag_question(&self.tagging);
        let tag = question.and_then(|question| Some((question.key.clone(), question.tags().get(index)?)));
        let (Some((question, tag)), Some(subject)) = (tag, &self.subject) else { return };
        let stays = !self.chosen.is_empty();
        let change = RowChange::Tag { question, tag: tag.value.clone(), stays };
        let (target, shown) = (subject.target, subject.standing.clone());
        if stays {
            let changes = self.chosen_targets().into_iter().map(|target| (target, change.clone())).collect();
            self.frame.overlays.pop();
            self.subject = None;
            return self.judge_all((changes, None), Purpose::Step, desk);
        }
        self.judge((target, Some(shown)), change, Purpose::Step, desk);
    }

    pub(super) fn flag(&mut self, desk: &mut dyn BrowseDesk) {
        if let Some(target) = self.judged_target() {
            let is_flagged = self.own_judgment().is_some_and(|(_, flagged)| flagged);
            self.judge((target, None), RowChange::Flag(!is_flagged), Purpose::Step, desk);
        }
    }

    pub(super) fn comment(&mut self, text: &str, desk: &mut dyn BrowseDesk) {
        if let Some(subject) = self.subject.take()
            && subject.standing.comment != text
        {
            let change = RowChange::Comment(text.to_owned());
            self.judge((subject.target, Some(subject.standing)), change, Purpose::Step, desk);
        }
    }

    /// Asks for the text that a tag needs on some of these targets.
    fn ask_for_text(&mut self, judged: &[JudgedHere]) {
        let due = |one: &JudgedHere| due_text(&self.tagging, one.standing.answers_under(self.tagging.hash));
        let Some(question) = judged.iter().find_map(due) else { return };
        let targets: Vec<Target> =
            judged.iter().filter(|one| due(one).is_some()).map(|one| one.target).collect();
        let begun = |target: &Target| self.begun.remove(&(*target, question.key.clone()));
        let begun: Vec<Prompt> = targets.iter().filter_map(begun).collect();
        let prompt = begun.into_iter().next().unwrap_or_else(|| Prompt::asked(&question.prompt));
        self.due_text = Some((question.key.clone(), targets));
        self.frame.overlays.push(Overlay::Prompt(prompt));
    }

    /// Writes the text that a tag needs.
    pub(super) fn say_text(&mut self, text: &str, desk: &mut dyn BrowseDesk) {
        if text.is_empty() {
            return self.leave_text(None);
        }
        let Some((question, targets)) = self.due_text.take() else { return };
        let change = RowChange::Text { question, text: text.to_owned() };
        let changes = targets.into_iter().map(|target| (target, change.clone())).collect();
        self.judge_all((changes, None), Purpose::Step, desk);
    }

    /// Leaves the text that a tag needs open, and says that the tag counts nowhere. What was begun is there again when it is asked anew.
    pub(super) fn leave_text(&mut self, prompt: Option<Prompt>) {
        let Some((question, targets)) = self.due_text.take() else { return };
        let begun = prompt.filter(Prompt::is_begun);
        if let Some(question) = self.tagging.question(&question) {
            let with = if begun.is_some() { ", with what you wrote" } else { "" };
            let prompt = &question.prompt;
            self.frame
                .warn(format!("{prompt:?} is open, so the tag counts nowhere; off and on asks again{with}"));
        }
        if let Some(prompt) = begun {
            self.begun.extend(targets.into_iter().map(|target| ((target, question.clone()), prompt.clone())));
        }
    }

    pub(super) fn undo(&mut self, desk: &mut dyn BrowseDesk) {
        match self.undo.take_back() {
            Some(step) => self.retract(step, desk),
            None => {
                self.frame.warn("nothing to undo: what you tagged, flagged or commented since you came in")
            }
        }
    }

    pub(super) fn redo(&mut self, desk: &mut dyn BrowseDesk) {
        match self.undo.do_again() {
            Some(step) => self.retract(step, desk),
            None => self.frame.warn("nothing to do again"),
        }
    }

    fn retract(&mut self, purpose: Purpose<TaggedRows>, desk: &mut dyn BrowseDesk) {
        if let Purpose::Undo(step) | Purpose::Redo(step, _) = &purpose {
            let mut events = purpose.retracts().iter().copied();
            let own = |(target, count): &(Target, usize)| {
                (*target, RowChange::Retract(events.by_ref().take(*count).collect()))
            };
            let changes = step.place.iter().map(own).collect();
            self.judge_all((changes, None), purpose, desk);
        }
    }

    fn judge(
        &mut self,
        (target, shown): (Target, Option<Standing>),
        change: RowChange,
        purpose: Purpose<TaggedRows>,
        desk: &mut dyn BrowseDesk,
    ) {
        self.judge_all((vec![(target, change)], shown), purpose, desk);
    }

    fn judge_all(
        &mut self,
        (changes, shown): (Vec<(Target, RowChange)>, Option<Standing>),
        purpose: Purpose<TaggedRows>,
        desk: &mut dyn BrowseDesk,
    ) {
        let judge = JudgeInPlace { changes, shown, wall: self.frame.now.wall };
        self.pending = Some((judge, purpose));
        self.write_pending(desk);
    }

    /// Writes the pending judgments. Where the disk does not take them, they stay pending and nothing else changes.
    pub(super) fn write_pending(&mut self, desk: &mut dyn BrowseDesk) {
        let Some((judge, purpose)) = self.pending.take() else { return };
        match desk.judge(&judge) {
            Ok(InPlace::Written(judged)) => self.judged(judge, purpose, &judged),
            Ok(InPlace::Elsewhere(news)) => self.elsewhere(judge, purpose, &news),
            Err(error) => {
                self.pending = Some((judge, purpose));
                self.frame.warn(not_saved(&error));
            }
        }
    }

    /// Takes note of judgments that are on disk.
    fn judged(&mut self, judge: JudgeInPlace, purpose: Purpose<TaggedRows>, judged: &[JudgedHere]) {
        let (Some(first), Some((_, change))) = (judged.first(), judge.changes.first()) else {
            return self.frame.say("all of them have it already");
        };
        let said = match (&purpose, change) {
            (Purpose::Undo(_), _) => "taken back".to_owned(),
            (Purpose::Redo(..), _) => "done again".to_owned(),
            (Purpose::Step, RowChange::Flag(_)) if first.standing.flagged => "flagged · saved".to_owned(),
            (Purpose::Step, RowChange::Flag(_)) => "no longer flagged · saved".to_owned(),
            (Purpose::Step, RowChange::Tag { question, tag, stays }) => {
                let said = self.said_of_tag(question, tag, &judge.shown, &first.standing);
                match stays {
                    false => said,
                    true => format!("{said} on {}", number_of(judged.len(), "summary")),
                }
            }
            (_, _) => "saved".to_owned(),
        };
        let is_tagged = matches!((&purpose, change), (Purpose::Step, RowChange::Tag { .. }));
        let rows = judged.iter().map(|one| (one.target, one.ids.len())).collect();
        self.undo.written(purpose, rows, judged.iter().flat_map(|one| one.ids.iter().copied()).collect());
        judged.iter().for_each(|one| self.take_standing(one));
        self.chosen.clear();
        self.frame.say(said);
        self.refresh();
        if is_tagged {
            self.ask_for_text(judged);
        }
    }

    /// The message about a tag that was switched.
    fn said_of_tag(&self, question: &str, tag: &str, before: &Option<Standing>, now: &Standing) -> String {
        let is_on = |standing: &Standing| {
            let names = standing.answers_under(self.tagging.hash).get(question).map(Answer::names);
            names.is_some_and(|names| names.iter().any(|name| name == tag))
        };
        let tags = self.tagging.question(question).map_or(&[] as &[_], Question::tags);
        let label = tags.iter().find(|choice| choice.value == tag).map_or(tag, |choice| &choice.label);
        match (before.as_ref().is_some_and(is_on), is_on(now)) {
            (true, true) => format!("{label}: confirmed on the texts as they are now · saved"),
            (_, true) => format!("{label} · saved"),
            (_, false) => format!("no longer {label} · saved"),
        }
    }

    /// Shows first what the person said in another terminal. A comment that was written stays, to be sent again.
    fn elsewhere(&mut self, judge: JudgeInPlace, purpose: Purpose<TaggedRows>, news: &JudgedHere) {
        self.undo.put_back(purpose);
        self.take_standing(news);
        let said = match judge.changes.into_iter().next() {
            Some((target, RowChange::Comment(text))) => {
                let there = news.standing.comment.clone();
                self.subject =
                    Some(JudgedRow { target, standing: news.standing.clone(), wants: Wants::Comment });
                self.frame.overlays.push(Overlay::Prompt(Prompt::new(PromptKind::Comment, &text)));
                format!("answered elsewhere, with the comment {there:?}; ⏎ again writes yours")
            }
            _ => "answered elsewhere, as it is shown now; again changes it".to_owned(),
        };
        self.frame.warn(said);
        self.refresh();
    }

    fn take_standing(&mut self, judged: &JudgedHere) {
        let target = judged.target;
        self.written.insert(target, judged.item);
        let item = ItemRow { id: judged.item, target };
        let name = self.annotator.clone().unwrap_or_default();
        self.tables.replace(&self.tagging, &item, (judged.annotator, &name), &judged.standing);
        if let Some(subject) = &mut self.subject
            && subject.target == target
        {
            subject.standing = judged.standing.clone();
            let entries = self.tag_entries();
            if let Some(Overlay::List(list)) = self.frame.overlays.last_mut()
                && list.kind == ListKind::Tags
            {
                list.entries = entries;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtins;
    use crate::text::hash::fingerprint;

    fn protocol() -> &'static Protocol {
        builtins().iter().find(|protocol| tag_question(protocol).is_some()).expect("one asks for tags")
    }

    fn check(before: &[&str], tag: usize, after: &[usize]) {
        let question = tag_question(protocol()).expect("found above");
        let value = |index: usize| question.tags()[index].value.clone();
        let answer = Answer::Names(before.iter().map(|name| (*name).to_owned()).collect());
        let mut standing = Standing::default();
        standing.answers.insert(question.key.clone(), answer);
        let change = RowChange::Tag { question: question.key.clone(), tag: value(tag), stays: false };
        let question = question.key.clone();
        let expected = match after {
            [] => Happening::Clear { question },
            some => {
                let names = some.iter().map(|index| value(*index)).collect();
                Happening::Answer { question, answer: Answer::Names(names) }
            }
        };
        assert_eq!(change.happenings(protocol(), &standing, fingerprint(["t"])), [expected]);
    }

    #[test]
    fn tags_are_switched_in_the_order_of_the_protocol() {
        let question = tag_question(protocol()).expect("found above");
        let values: Vec<&str> = question.tags().iter().map(|tag| tag.value.as_str()).collect();
        check(&[], 2, &[2]);
        check(&[values[2]], 0, &[0, 2]);
        check(&[values[0], values[2]], 0, &[2]);
        check(&[values[2]], 2, &[]);
    }

    #[test]
    fn a_step_is_taken_back_from_its_end() {
        let id = |seq| EventId { writer: crate::journal::Writer(1), seq };
        let change = RowChange::Retract(vec![id(1), id(2)]);
        let retract = |seq| Happening::Retract { event: id(seq) };
        let happenings = change.happenings(protocol(), &Standing::default(), fingerprint(["t"]));
        assert_eq!(happenings, [retract(2), retract(1)]);
    }
}
