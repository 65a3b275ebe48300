//! Joins: answers from other judgments about a thing that a row belongs to.
//!
//! Unless a name says whose, the answers come from all people of the study, whoever is scored: a thing's label is a property
//! of the thing, like its meta.
//! The label of an item is the decided one, else the label that more than half of its annotators gave; a tie has none. A thing
//! with several items has all their labels, and its number is the mean over the items.

use std::collections::HashMap;

use indexmap::IndexSet;

use super::{RowsOf, asks_of};
use crate::browse::{Bits, Entity, NONE, QuestionPlace, Sets, Tables, from};
use crate::journal::{JudgmentRow, Material};
use crate::number::short;
use crate::protocol::{Answers, Protocol, Question, ScoreLevel};
use crate::score::Mean;
use crate::study::{AnnotatorId, AnnotatorKind};

/// Whose answers a join takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::browse) enum WhoSays {
    Most,
    /// The decided answer, else the answer on which all agree.
    Gold,
    Anyone,
    /// A place among the annotators.
    Annotator(u16),
}

/// The joined answers to a question, thing by thing.
pub(in crate::browse) struct Joined {
    pub(super) question: u16,
    /// For each row, the place of its thing.
    pub(super) places: Vec<u32>,
    /// The labels, by place.
    pub(super) sets: Sets,
    /// The number, by place: the mean over people, then over items; `NaN` where there is none.
    pub(super) means: Vec<f64>,
    /// The items without a label.
    split: Vec<SplitItem>,
}

/// An item of which too few people say the same for a label: they may still decide a test alike.
struct SplitItem {
    /// The place of its thing.
    place: u32,
    /// The sets of answers of those who gave a label, or were not asked for one.
    said: Vec<u32>,
    /// How many of them decide; 0 where the decided answers leave the question unasked.
    enough: usize,
}

impl Joined {
    /// The rows of which a test of the question is decided: those with a label, and those where as many people as make a label
    /// say what is so without one, each in their own way. `own` has the sets of answers for which the test holds, `there` the things.
    pub(super) fn known(&self, own: &Bits, there: &Bits) -> Bits {
        let mut known = Bits::of(self.sets.codes.len(), |place| from(&self.sets.codes, place) != NONE);
        for SplitItem { place, said, enough } in &self.split {
            let alike = said.iter().filter(|answers| own.has(**answers) == there.has(*place)).count();
            if alike >= *enough {
                known.insert(*place);
            }
        }
        Bits::of(self.places.len(), |row| known.has(from(&self.places, row)))
    }

    /// The labels of each row.
    pub(in crate::browse) fn spread(self) -> Sets {
        Sets { codes: self.places.iter().map(|place| from(&self.sets.codes, *place)).collect(), ..self.sets }
    }
}

impl Entity {
    /// This kind as a level of scores; `None` for a system.
    pub(in crate::browse) fn level(self) -> Option<ScoreLevel> {
        ScoreLevel::named(self.name())
    }
}

impl Tables {
    /// The questions that are asked about a kind of thing.
    pub(in crate::browse) fn asked_of(&self, thing: Entity) -> impl Iterator<Item = u16> {
        let asks = move |place: &QuestionPlace| {
            let protocol = self.judged.get(place.protocol).map(|table| &table.protocol);
            thing.level().zip(protocol).is_some_and(|(level, protocol)| asks_of(protocol, level))
        };
        (0..).zip(&self.questions).filter(move |(_, place)| asks(place)).map(|(number, _)| number)
    }

    /// The name of a joined question: `unit.importance`, with the protocol where several protocols ask it.
    pub(in crate::browse) fn joined_name(&self, thing: Entity, question: u16) -> String {
        let place = |number: u16| self.questions.get(usize::from(number));
        let Some(asked) = place(question) else { return String::new() };
        let same = |number: &u16| place(*number).is_some_and(|other| other.key == asked.key);
        let protocol = self.judged.get(asked.protocol).map_or("", |table| &table.protocol.name);
        match self.asked_of(thing).filter(same).count() {
            0 | 1 => format!("{}.{}", thing.name(), asked.key),
            _ => format!("{}.{protocol}.{}", thing.name(), asked.key),
        }
    }

    /// The labels of a question in each set of answers, coded by a lexicon that begins with the offered labels. A question that
    /// was not asked has no answer.
    pub(super) fn own_labels(&self, question: u16, from: Option<&Material>) -> Sets {
        let Some((table, asked, _)) = self.asked(question) else { return Sets::default() };
        let table = from.unwrap_or(table);
        let mut words: IndexSet<String> = asked.offered().iter().map(|choice| choice.value.clone()).collect();
        let mut sets: IndexSet<Vec<u32>> = IndexSet::new();
        let codes = table
            .answer_sets()
            .iter()
            .map(|answers| set_of(&table.protocol, asked, answers, &mut words, &mut sets));
        let codes = codes.collect();
        Sets { codes, sets: sets.into_iter().collect(), words: words.into_iter().collect() }
    }

    /// The sets of answers that leave a question open.
    pub(super) fn left_open(&self, question: u16, from: Option<&Material>) -> Bits {
        let Some((table, asked, _)) = self.asked(question) else { return Bits::default() };
        let table = from.unwrap_or(table);
        Bits::of(table.answer_sets().len(), |at| table.leaves_open(at, asked))
    }

    /// Joins a question to each thing of a level; without a level, to each item of the row's own protocol.
    pub(in crate::browse) fn joined(
        &self,
        of: RowsOf,
        level: Option<ScoreLevel>,
        question: u16,
        whose: WhoSays,
    ) -> Joined {
        let level = level.unwrap_or(ScoreLevel::Item);
        let places = self.levels(of.table(), level);
        let of_items = self.levels(crate::browse::BrowseTable::Items, level);
        let things = places
            .iter()
            .chain(&of_items)
            .filter(|place| **place != NONE)
            .max()
            .map_or(0, |most| *most as usize + 1);
        let (sets, split) = (Sets::default(), Vec::new());
        let mut found = Joined { question, places, sets, means: vec![f64::NAN; things], split };
        let Some((table, asked, rows)) = self.asked(question) else { return found };
        let depth = table.protocol.questions.len();
        let is_unasked = |answers: &Answers| !is_asked(&table.protocol, asked, answers, depth);
        let sets = table.answer_sets();
        let without = Bits::of(sets.len(), |at| sets.get(at as usize).is_some_and(is_unasked));
        let own = self.own_labels(question, None);
        let mut words: IndexSet<String> = own.words.iter().cloned().collect();
        let mut decided_sets: IndexSet<Vec<u32>> = own.sets.iter().cloned().collect();
        let is_person: HashMap<AnnotatorId, bool> =
            self.corpus.annotators.iter().map(|(id, who)| (*id, who.kind == AnnotatorKind::Human)).collect();
        let named = if let WhoSays::Annotator(place) = whose {
            self.corpus.annotators.get(usize::from(place))
        } else {
            None
        };
        let is_meant = |row: &&JudgmentRow| match named {
            Some((id, _)) => row.counts() && row.annotator() == *id,
            None => row.counts() && is_person.get(&row.annotator()) == Some(&true),
        };
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut means: HashMap<u32, Mean> = HashMap::new();
        let mut take = |place: u32, set: u32, sets: &IndexSet<Vec<u32>>| {
            pairs.extend(sets.get_index(set as usize).into_iter().flatten().map(|label| (place, *label)));
        };
        for index in 0..short(table.items.len()) {
            let place = from(&of_items, from(rows, index));
            if place == NONE {
                continue;
            }
            let meant = table.of_item(index).iter().filter(is_meant).map(|row| short(row.answers()));
            let mut said: Vec<u32> = meant.collect();
            let given: Vec<u32> = said.iter().map(|answers| from(&own.codes, *answers)).collect();
            let scores: Mean =
                given.iter().flat_map(|set| self.label_scores(question, &own, *set as usize)).collect();
            if let Ok(mean) = scores.or(crate::score::Undefined::NothingJudged) {
                means.entry(place).or_default().add(mean);
            }
            let decided =
                table.decisions().get(&index).and_then(|decision| decision.answers(&table.protocol));
            if let (Some(answers), WhoSays::Most | WhoSays::Gold) = (decided, whose) {
                let set = set_of(&table.protocol, asked, answers, &mut words, &mut decided_sets);
                take(place, set, &decided_sets);
                if is_unasked(answers) {
                    found.split.push(SplitItem { place, said: Vec::new(), enough: 0 });
                }
                continue;
            }
            let votes = |set: u32| given.iter().filter(|other| **other == set).count();
            let enough = match whose {
                WhoSays::Most => given.len() / 2 + 1,
                WhoSays::Gold => given.len().max(1),
                WhoSays::Anyone | WhoSays::Annotator(_) => 1,
            };
            let labels: Vec<u32> =
                given.iter().copied().filter(|set| *set != NONE && votes(*set) >= enough).collect();
            labels.iter().for_each(|set| take(place, *set, &decided_sets));
            if labels.is_empty() {
                said.retain(|answers| from(&own.codes, *answers) != NONE || without.has(*answers));
                found.split.push(SplitItem { place, said, enough });
            }
        }
        means.into_iter().for_each(|(place, mean)| {
            if let (Some(slot), Ok(mean)) =
                (found.means.get_mut(place as usize), mean.or(crate::score::Undefined::NothingJudged))
            {
                *slot = mean;
            }
        });
        found.sets = Sets::from_pairs(things, pairs, words.into_iter().collect());
        found
    }
}

/// The code of a question's labels among answers; [`NONE`] where there are none, or the question was not asked.
fn set_of(
    protocol: &Protocol,
    asked: &Question,
    answers: &Answers,
    words: &mut IndexSet<String>,
    sets: &mut IndexSet<Vec<u32>>,
) -> u32 {
    let answer =
        answers.get(&asked.key).filter(|_| is_asked(protocol, asked, answers, protocol.questions.len()));
    let said = answer.map(crate::browse::answer_words).unwrap_or_default();
    // An answer that names nothing on purpose is no label.
    let said = said.iter().filter(|word| *word != crate::browse::labels::NOTHING);
    let mut set: Vec<u32> = said.map(|word| short(words.insert_full(word.clone()).0)).collect();
    set.sort_unstable();
    set.dedup();
    crate::browse::column::set_code(sets, set)
}

/// Whether a question is asked, and so is every question on which it depends.
fn is_asked(protocol: &Protocol, question: &Question, answers: &Answers, depth: usize) -> bool {
    let Some(condition) = &question.ask_when else { return true };
    let before = protocol.question(&condition.question);
    condition.holds(answers)
        && depth > 0
        && before.is_none_or(|before| is_asked(protocol, before, answers, depth - 1))
}
