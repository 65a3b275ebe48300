//! The current judgments under one protocol, packed. All that is said of a study is made of them.

use std::collections::{BTreeMap, HashMap};

use super::{Decision, Standing};
use crate::protocol::{Answers, Protocol};
use crate::study::{AnnotatorId, ItemId, ItemRow, Target};

/// What everyone currently says under one protocol: a row a judgment, answers and comments each once.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// The current version.
    pub protocol: Protocol,
    /// The items that someone was asked or has judged, in the order of the corpus or of their keys; later ones behind.
    pub items: Vec<ItemRow>,
    /// By item, then by annotator.
    rows: Vec<JudgmentRow>,
    /// Each set of answers that occurs.
    answers: Vec<Answers>,
    comments: Vec<String>,
    places: HashMap<Answers, u32>,
    decisions: BTreeMap<u32, Decision>,
}

/// One annotator's current judgment of one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgmentRow {
    /// Index into [`Material::items`].
    pub item: u32,
    pub annotator: AnnotatorId,
    /// See [`Material::answers`].
    answers: u32,
    /// [`NONE`] without one.
    comment: u32,
    /// Active milliseconds; 0 where nobody says. More than 49 days are counted as 49 days.
    pub active: u32,
    /// [`NEVER`] where nobody says.
    at: i64,
    /// Whether the answers count: under a version that does, and not left in the middle.
    pub counts: bool,
    /// Whether there are answers, and a required one is missing.
    pub is_unfinished: bool,
    pub flagged: bool,
    pub skipped: bool,
}

/// No comment.
const NONE: u32 = u32::MAX;
/// No time.
const NEVER: i64 = i64::MIN;

/// A judgment on its way into the table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JudgmentParts {
    pub comment: Option<String>,
    pub counts: bool,
    pub is_unfinished: bool,
    pub flagged: bool,
    pub skipped: bool,
    pub active: u64,
    pub at: Option<i64>,
}

impl Material {
    /// A table without judgments.
    pub fn new(protocol: Protocol, items: Vec<ItemRow>) -> Material {
        Material {
            protocol,
            items,
            rows: Vec::new(),
            answers: Vec::new(),
            comments: Vec::new(),
            places: HashMap::new(),
            decisions: BTreeMap::new(),
        }
    }

    /// The judgments, by item and annotator.
    pub fn rows(&self) -> &[JudgmentRow] {
        &self.rows
    }

    /// The item of a row.
    pub fn item(&self, row: &JudgmentRow) -> ItemRow {
        // Whoever pushed the row gave an index into the items.
        self.items[row.item as usize]
    }

    /// The judgments of these annotators that count, those of each item together, in the order of the items.
    pub fn counted_by_item(
        &self,
        is_chosen: impl Fn(AnnotatorId) -> bool,
    ) -> impl Iterator<Item = (ItemRow, Vec<&JudgmentRow>)> {
        self.rows.chunk_by(|one, other| one.item == other.item).filter_map(move |rows| {
            let counted = |row: &&JudgmentRow| row.counts && is_chosen(row.annotator);
            let chosen: Vec<&JudgmentRow> = rows.iter().filter(counted).collect();
            Some((self.item(chosen.first()?), chosen))
        })
    }

    /// The judgments of one item, by annotator.
    pub fn of_item(&self, item: u32) -> &[JudgmentRow] {
        let start = self.rows.partition_point(|row| row.item < item);
        let rest = self.rows.get(start..).unwrap_or_default();
        rest.get(..rest.partition_point(|row| row.item == item)).unwrap_or_default()
    }

    /// What somebody decided, by the index of the item.
    pub fn decisions(&self) -> &BTreeMap<u32, Decision> {
        &self.decisions
    }

    /// Notes what was decided about many items, in one walk over the table. Those that are not in it are left out.
    pub fn decide_all(&mut self, mut decisions: BTreeMap<ItemId, Decision>) {
        if decisions.is_empty() {
            return;
        }
        let decided = self.items.iter().zip(0..).filter_map(|(item, index)| {
            let decision = decisions.remove(&item.id)?;
            Some((index, decision))
        });
        self.decisions.extend(decided);
    }

    /// Notes what was decided about an item, or that nothing is.
    pub fn decide(&mut self, item: ItemId, decision: Option<Decision>) {
        let index = self.items.iter().position(|other| other.id == item).map(packed);
        match (index, decision) {
            (Some(index), Some(decision)) => {
                self.decisions.insert(index, decision);
            }
            (Some(index), None) => {
                self.decisions.remove(&index);
            }
            (None, _) => {}
        }
    }

    /// Every set of answers that occurs, once; a row's is at [`JudgmentRow::answers`].
    pub fn answer_sets(&self) -> &[Answers] {
        &self.answers
    }

    /// The answers of a row.
    pub fn answers(&self, row: &JudgmentRow) -> &Answers {
        static NONE: Answers = Answers::new();
        self.answers.get(row.answers as usize).unwrap_or(&NONE)
    }

    /// The comment of a row, which is not empty.
    pub fn comment(&self, row: &JudgmentRow) -> Option<&str> {
        self.comments.get(row.comment as usize).map(String::as_str)
    }

    /// The place of a set of answers, to be given to [`Material::push`].
    pub fn place(&mut self, answers: Answers) -> u32 {
        let next = packed(self.answers.len());
        match self.places.get(&answers) {
            Some(place) => *place,
            None => {
                self.places.insert(answers.clone(), next);
                self.answers.push(answers);
                next
            }
        }
    }

    /// Adds a judgment; [`Material::arrange`] has to follow the last one.
    pub fn push(&mut self, item: u32, annotator: AnnotatorId, answers: u32, parts: JudgmentParts) {
        let row = self.row(item, annotator, answers, parts);
        self.rows.push(row);
    }

    /// Brings what was pushed into order.
    pub fn arrange(&mut self) {
        let order = |row: &JudgmentRow| (row.item, row.annotator);
        if !self.rows.is_sorted_by_key(order) {
            // Items are numbered without gaps: each row goes to the place that the numbers before its own leave.
            let last = self.rows.iter().map(|row| row.item).max().unwrap_or(0) as usize;
            let mut next: Vec<usize> = vec![0; last + 2];
            self.rows.iter().for_each(|row| next[row.item as usize + 1] += 1);
            (1..next.len()).for_each(|item| next[item] += next[item - 1]);
            let mut arranged = self.rows.clone();
            for row in &self.rows {
                let place = &mut next[row.item as usize];
                arranged[*place] = *row;
                *place += 1;
            }
            arranged
                .chunk_by_mut(|one, other| one.item == other.item)
                .for_each(|of_item| of_item.sort_by_key(order));
            self.rows = arranged;
        }
        self.rows.shrink_to_fit();
    }

    /// Takes in another table under the same protocol, about other items, which it names by their indexes in
    /// this one. [`Material::arrange`] has to follow.
    pub fn take_in(&mut self, other: Material) {
        let answers: Vec<u32> = other.answers.into_iter().map(|answers| self.place(answers)).collect();
        let comments = packed(self.comments.len());
        self.comments.extend(other.comments);
        self.rows.extend(other.rows.into_iter().map(|row| JudgmentRow {
            answers: answers.get(row.answers as usize).copied().unwrap_or(row.answers),
            comment: if row.comment == NONE { NONE } else { row.comment + comments },
            ..row
        }));
    }

    fn row(&mut self, item: u32, annotator: AnnotatorId, answers: u32, parts: JudgmentParts) -> JudgmentRow {
        let comment = parts.comment.filter(|comment| !comment.is_empty()).map(|comment| {
            self.comments.push(comment);
            packed(self.comments.len() - 1)
        });
        JudgmentRow {
            item,
            annotator,
            answers,
            comment: comment.unwrap_or(NONE),
            active: u32::try_from(parts.active).unwrap_or(u32::MAX),
            at: parts.at.unwrap_or(NEVER),
            counts: parts.counts,
            is_unfinished: parts.is_unfinished,
            flagged: parts.flagged,
            skipped: parts.skipped,
        }
    }

    /// The index of the item of this target.
    pub fn item_of(&self, target: &Target) -> Option<u32> {
        self.items.iter().position(|item| item.target == *target).map(packed)
    }

    /// Replaces where an annotator stands on an item. A new item is put behind all others. Returns the item's
    /// index.
    pub fn replace(&mut self, item: &ItemRow, annotator: AnnotatorId, standing: &Standing) -> u32 {
        let index = self.item_of(&item.target).unwrap_or_else(|| {
            self.items.push(*item);
            packed(self.items.len() - 1)
        });
        let current = standing.answers_under(self.protocol.hash).clone();
        let is_complete = self.protocol.is_complete(&current);
        let place = self.place(current);
        let parts = JudgmentParts {
            comment: Some(standing.comment.clone()),
            counts: is_complete,
            is_unfinished: !is_complete,
            flagged: standing.flagged,
            skipped: standing.skipped,
            active: standing.active.unsigned_abs(),
            at: standing.at,
        };
        let row = self.row(index, annotator, place, parts);
        match self.rows.binary_search_by_key(&(index, annotator), |row| (row.item, row.annotator)) {
            Ok(at) => {
                if let Some(known) = self.rows.get_mut(at) {
                    *known = row;
                }
            }
            Err(at) => self.rows.insert(at, row),
        }
        index
    }
}

impl JudgmentRow {
    /// The index into [`Material::answer_sets`].
    pub fn answers(&self) -> usize {
        self.answers as usize
    }

    /// The active seconds that it took, where that is known.
    pub fn seconds(&self) -> Option<f64> {
        (self.active > 0).then(|| f64::from(self.active) / 1_000.0)
    }

    /// Wall time of the latest answer, in milliseconds since 1970.
    pub fn at(&self) -> Option<i64> {
        Some(self.at).filter(|at| *at != NEVER)
    }

    /// Whether it says anything at all.
    pub fn says_something(&self, table: &Material) -> bool {
        self.flagged || self.skipped || self.comment != NONE || !table.answers(self).is_empty()
    }
}

/// Indexes are kept in 32 bits: a study of four thousand million judgments would not fit in memory.
fn packed(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtins;

    #[test]
    fn rows_come_by_item_and_annotator_however_they_were_pushed() {
        let mut material = Material::new(builtins()[0].clone(), Vec::new());
        let pushed = [(7, 2), (0, 9), (7, 1), (3, 4), (0, 2), (3, 1)];
        for (item, annotator) in pushed {
            material.push(item, AnnotatorId(annotator), 0, JudgmentParts::default());
        }
        material.arrange();
        let mut wanted = pushed.map(|(item, annotator)| (item, AnnotatorId(annotator)));
        wanted.sort();
        assert_eq!(material.rows().iter().map(|row| (row.item, row.annotator)).collect::<Vec<_>>(), wanted);
        material.arrange();
        assert_eq!(material.rows().len(), pushed.len());
    }
}
