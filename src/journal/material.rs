//! The current judgments under one protocol, packed. All reports on a study are made from them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::thread;

use super::{Decision, Standing};
use crate::number::{short, signed_short};
use crate::protocol::{Answers, Protocol, Question};
use crate::study::{AnnotatorId, ItemId, ItemRow, Target};

/// The current judgments of everyone under one protocol: a row for each judgment, and each set of answers once.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// The current version.
    pub protocol: Protocol,
    /// The items that someone was asked or has judged, in the order of the corpus or of their keys; later ones behind. Other
    /// judgments of the same items can share them.
    pub items: Arc<Vec<ItemRow>>,
    /// Judgments, by item and then by annotator.
    rows: Vec<JudgmentRow>,
    /// Each set of answers that occurs.
    answers: Vec<Answers>,
    /// Comments, by item and annotator; none is empty.
    comments: BTreeMap<(u32, AnnotatorId), String>,
    /// The number of the version that a judgment was given under, by item and annotator, where it is not the current one.
    others: BTreeMap<(u32, AnnotatorId), u32>,
    /// The versions in `others`, by their numbers.
    versions: BTreeMap<u32, Arc<Protocol>>,
    places: HashMap<Answers, u32>,
    /// The questions that the people who gave a set of answers did not settle, by the place of the set; see [`Material::leaves_open`].
    tied: BTreeMap<u32, Vec<String>>,
    decisions: BTreeMap<u32, Decision>,
}

/// One annotator's current judgment of one item, in 24 bytes: there are millions of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgmentRow {
    /// Index into [`Material::items`].
    pub item: u32,
    /// Active milliseconds; 0 where not known. More than 49 days are counted as 49 days.
    pub active: u32,
    /// Wall time in milliseconds since 1970; [`NEVER`] where not known.
    at: i64,
    /// The row of the annotator, which is far below 2³¹.
    annotator: i32,
    /// Index into [`Material::answer_sets`], below 2²⁸, and above it a bit for each of `COUNTS` to `SKIPPED`.
    answers: u32,
}

const COUNTS: u32 = 1 << 28;
const IS_UNFINISHED: u32 = 1 << 29;
const FLAGGED: u32 = 1 << 30;
const SKIPPED: u32 = 1 << 31;

/// The number of rows from which on a second thread is worth its start.
const MANY: usize = 10_000;
const NEVER: i64 = i64::MIN;

/// The parts of a judgment that is to be added.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JudgmentParts {
    pub comment: Option<String>,
    pub counts: bool,
    pub is_unfinished: bool,
    pub flagged: bool,
    pub skipped: bool,
    pub active: u64,
    pub at: Option<i64>,
    /// The version that the judgment was given under; `None` for the current one.
    pub version: Option<u32>,
}

impl Material {
    /// A table without judgments.
    pub fn new(protocol: Protocol, items: impl Into<Arc<Vec<ItemRow>>>) -> Material {
        Material {
            protocol,
            items: items.into(),
            rows: Vec::new(),
            answers: Vec::new(),
            comments: BTreeMap::new(),
            others: BTreeMap::new(),
            versions: BTreeMap::new(),
            places: HashMap::new(),
            tied: BTreeMap::new(),
            decisions: BTreeMap::new(),
        }
    }

    /// The judgments, by item and annotator.
    pub fn rows(&self) -> &[JudgmentRow] {
        &self.rows
    }

    pub fn item(&self, row: &JudgmentRow) -> ItemRow {
        // `push` was given an index into the items.
        self.items[row.item as usize]
    }

    /// The judgments that are chosen, those of each item together, in the order of the items.
    pub fn by_item(
        &self,
        is_chosen: impl Fn(&JudgmentRow) -> bool,
    ) -> impl Iterator<Item = (ItemRow, Vec<&JudgmentRow>)> {
        self.rows.chunk_by(|one, other| one.item == other.item).filter_map(move |rows| {
            let chosen: Vec<&JudgmentRow> = rows.iter().filter(|row| is_chosen(row)).collect();
            Some((self.item(chosen.first()?), chosen))
        })
    }

    /// The judgments of these annotators that count, by item as [`Material::by_item`] has them.
    pub fn counted_by_item(
        &self,
        is_chosen: impl Fn(AnnotatorId) -> bool,
    ) -> impl Iterator<Item = (ItemRow, Vec<&JudgmentRow>)> {
        self.by_item(move |row| row.counts() && is_chosen(row.annotator()))
    }

    /// The judgments of one item, by annotator.
    pub fn of_item(&self, item: u32) -> &[JudgmentRow] {
        let start = self.rows.partition_point(|row| row.item < item);
        let rest = self.rows.get(start..).unwrap_or_default();
        rest.get(..rest.partition_point(|row| row.item == item)).unwrap_or_default()
    }

    /// The decisions of adjudicators, by the index of the item.
    pub fn decisions(&self) -> &BTreeMap<u32, Decision> {
        &self.decisions
    }

    /// Notes decisions about many items, in one walk over the table. Items that are not in the table are left out.
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

    /// Notes the decision about an item, or that there is none.
    pub fn decide(&mut self, item: ItemId, decision: Option<Decision>) {
        let index = self.items.iter().position(|other| other.id == item).map(short);
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

    /// Every set of answers that occurs, once; the set of a row is at [`JudgmentRow::answers`].
    pub fn answer_sets(&self) -> &[Answers] {
        &self.answers
    }

    pub fn answers(&self, row: &JudgmentRow) -> &Answers {
        // `push` was given a place in this list.
        &self.answers[row.answers()]
    }

    /// The comment of a row, which is not empty.
    pub fn comment(&self, row: &JudgmentRow) -> Option<&str> {
        self.comments.get(&(row.item, row.annotator())).map(String::as_str)
    }

    /// Whether the judgment says, under the current version, that the item cannot be judged.
    pub fn is_set_aside(&self, row: &JudgmentRow) -> bool {
        let is_current = !self.others.contains_key(&(row.item, row.annotator()));
        is_current && !row.counts() && !row.is_unfinished() && self.protocol.is_instead(self.answers(row))
    }

    /// Whether the judgment was given on texts that were revised since, and would count on these.
    pub fn is_outdated(&self, row: &JudgmentRow) -> bool {
        let answers = self.answers(row);
        let version = self.others.get(&(row.item, row.annotator()));
        let is_whole = !row.is_unfinished() && !answers.is_empty() && !self.protocol.is_instead(answers);
        !row.counts() && is_whole && version.is_none_or(|version| self.protocol.counts_version(*version))
    }

    /// Why the answers of a judgment do not count; `None` where they do, and where there are none.
    pub fn why_uncounted(&self, row: &JudgmentRow) -> Option<String> {
        let answers = self.answers(row);
        if row.counts() || answers.is_empty() {
            return None;
        }
        let version = self.others.get(&(row.item, row.annotator()));
        Some(match version.filter(|version| !self.protocol.counts_version(**version)) {
            Some(version) => format!("stale, given under version {version}"),
            None if self.is_outdated(row) => "stale, its text was revised".to_owned(),
            None if row.is_unfinished() => "half answered".to_owned(),
            None => "does not count".to_owned(),
        })
    }

    /// The version that a judgment was given under, where it is not the current one and its text is known.
    pub fn other_version(&self, row: &JudgmentRow) -> Option<&Arc<Protocol>> {
        self.versions.get(self.others.get(&(row.item, row.annotator()))?)
    }

    /// Keeps the text of another version that judgments were given under.
    pub fn keep_version(&mut self, version: Protocol) {
        self.versions.insert(version.version, Arc::new(version));
    }

    /// The place of a set of answers, to be given to [`Material::push`].
    pub fn place(&mut self, answers: Answers) -> u32 {
        let next = short(self.answers.len());
        match self.places.get(&answers) {
            Some(place) => *place,
            None => {
                self.places.insert(answers.clone(), next);
                self.answers.push(answers);
                next
            }
        }
    }

    /// The place of a set of answers in which these questions, by their keys, are not settled.
    pub fn place_tied(&mut self, answers: Answers, tied: Vec<String>) -> u32 {
        if tied.is_empty() {
            return self.place(answers);
        }
        let is_same = |(place, known): &(&u32, &Vec<String>)| {
            **known == tied && self.answers.get(**place as usize) == Some(&answers)
        };
        if let Some((place, _)) = self.tied.iter().find(is_same) {
            return *place;
        }
        let next = short(self.answers.len());
        self.answers.push(answers);
        self.tied.insert(next, tied);
        next
    }

    /// Whether there is a question that the people behind the answers of a row did not settle.
    pub fn is_tied(&self, row: &JudgmentRow) -> bool {
        self.tied.contains_key(&row.place())
    }

    /// Whether the answers at a place leave a question open: it is not settled, or has to be answered and is not, or hangs on one
    /// that is left open.
    pub fn leaves_open(&self, place: u32, question: &Question) -> bool {
        let answers = self.answers.get(place as usize);
        let Some(answers) = answers.filter(|answers| !answers.contains_key(&question.key)) else {
            return false;
        };
        let is_tied = self.tied.get(&place).is_some_and(|tied| tied.contains(&question.key));
        let before = question.ask_when.as_ref().and_then(|asked| self.protocol.question(&asked.question));
        is_tied
            || question.has_to_be_answered() && question.is_asked(answers)
            || before.is_some_and(|before| self.leaves_open(place, before))
    }

    /// Adds a judgment; [`Material::arrange`] has to follow the last one.
    pub fn push(&mut self, item: u32, annotator: AnnotatorId, answers: u32, parts: JudgmentParts) {
        let row = self.row(item, annotator, answers, parts);
        self.rows.push(row);
    }

    /// Adds answers that count, unless they say that the item cannot be judged; [`Material::arrange`] has to follow the last one.
    pub fn push_counted(&mut self, item: u32, annotator: AnnotatorId, answers: u32) {
        let counts = self.answers.get(answers as usize).is_none_or(|said| !self.protocol.is_instead(said));
        self.push(item, annotator, answers, JudgmentParts { counts, ..JudgmentParts::default() });
    }

    /// Sorts the rows by item and annotator.
    pub fn arrange(&mut self) {
        let order = |row: &JudgmentRow| (row.item, row.annotator());
        if !self.rows.is_sorted_by_key(order) {
            let middle = self.rows.len() / 2;
            // No two rows are equal, so an unstable sort will do. One half is sorted while the other is.
            let (low, _, high) = self.rows.select_nth_unstable_by_key(middle, order);
            thread::scope(|scope| {
                if middle > MANY {
                    scope.spawn(|| low.sort_unstable_by_key(order));
                } else {
                    low.sort_unstable_by_key(order);
                }
                high.sort_unstable_by_key(order);
            });
        }
        self.rows.shrink_to_fit();
    }

    /// Takes in another table under the same protocol. Its rows are about other items, named by their indexes in this table.
    /// [`Material::arrange`] has to follow.
    pub fn take_in(&mut self, other: Material) {
        let answers: Vec<u32> = other.answers.into_iter().map(|answers| self.place(answers)).collect();
        self.comments.extend(other.comments);
        self.others.extend(other.others);
        self.versions.extend(other.versions);
        self.rows.reserve_exact(other.rows.len());
        // The other table gave the place.
        let answers = |row: &JudgmentRow| answers[row.answers()] | row.answers & !(COUNTS - 1);
        self.rows.extend(other.rows.iter().map(|row| JudgmentRow { answers: answers(row), ..*row }));
    }

    fn row(&mut self, item: u32, annotator: AnnotatorId, answers: u32, parts: JudgmentParts) -> JudgmentRow {
        if let Some(comment) = parts.comment.filter(|comment| !comment.is_empty()) {
            self.comments.insert((item, annotator), comment);
        }
        if let Some(version) = parts.version.filter(|version| *version != self.protocol.version) {
            self.others.insert((item, annotator), version);
        }
        let said = [
            (parts.counts, COUNTS),
            (parts.is_unfinished, IS_UNFINISHED),
            (parts.flagged, FLAGGED),
            (parts.skipped, SKIPPED),
        ];
        let said = said.into_iter().filter(|(is_so, _)| *is_so).fold(0, |all, (_, bit)| all | bit);
        JudgmentRow {
            item,
            active: short(parts.active),
            at: parts.at.unwrap_or(NEVER),
            annotator: signed_short(annotator.0),
            answers: answers | said,
        }
    }

    /// The index of the item of this target.
    pub fn item_of(&self, target: &Target) -> Option<u32> {
        self.items.iter().position(|item| item.target == *target).map(short)
    }

    /// Replaces the judgment of an annotator on an item. A new item is put behind all others. Returns the item's index.
    pub fn replace(&mut self, item: &ItemRow, annotator: AnnotatorId, standing: &Standing) -> u32 {
        let index = self.item_of(&item.target).unwrap_or_else(|| {
            Arc::make_mut(&mut self.items).push(*item);
            short(self.items.len() - 1)
        });
        let current = standing.answers_under(self.protocol.hash).clone();
        let is_complete = self.protocol.is_complete(&current);
        let counts = is_complete && !self.protocol.is_instead(&current);
        let place = self.place(current);
        let parts = JudgmentParts {
            comment: Some(standing.comment.clone()),
            counts,
            is_unfinished: !is_complete,
            flagged: standing.flagged,
            skipped: standing.skipped,
            active: standing.active.unsigned_abs(),
            at: standing.at,
            version: None,
        };
        self.comments.remove(&(index, annotator));
        self.others.remove(&(index, annotator));
        let row = self.row(index, annotator, place, parts);
        match self.rows.binary_search_by_key(&(index, annotator), |row| (row.item, row.annotator())) {
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
    pub fn annotator(&self) -> AnnotatorId {
        AnnotatorId(self.annotator.into())
    }

    /// The index into [`Material::answer_sets`].
    pub fn answers(&self) -> usize {
        self.place() as usize
    }

    fn place(&self) -> u32 {
        self.answers & (COUNTS - 1)
    }

    /// Whether the answers count: complete, and given under a version that counts.
    pub fn counts(&self) -> bool {
        self.answers & COUNTS > 0
    }

    /// Whether there are answers, and a required one is missing.
    pub fn is_unfinished(&self) -> bool {
        self.answers & IS_UNFINISHED > 0
    }

    pub fn flagged(&self) -> bool {
        self.answers & FLAGGED > 0
    }

    pub fn skipped(&self) -> bool {
        self.answers & SKIPPED > 0
    }

    /// The active seconds that the judgment took, where known.
    pub fn seconds(&self) -> Option<f64> {
        (self.active > 0).then(|| f64::from(self.active) / 1_000.0)
    }

    /// Wall time of the latest answer, in milliseconds since 1970.
    pub fn at(&self) -> Option<i64> {
        Some(self.at).filter(|at| *at != NEVER)
    }

    /// Whether the judgment has an answer, a comment, a flag or a skip.
    pub fn says_something(&self, table: &Material) -> bool {
        self.flagged() || self.skipped() || !table.answers(self).is_empty() || table.comment(self).is_some()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::{Answer, builtin, builtins};

    #[test]
    fn a_question_with_an_answer_is_not_open_whatever_it_hangs_on() {
        let mut material = Material::new(builtin("coverage").expect("built in").clone(), Vec::new());
        let [coverage, bullet] = ["coverage", "bullet"]
            .map(|key| material.protocol.question(key).expect("a question of coverage").clone());
        let full = Answers::from([("coverage".to_owned(), Answer::Text("full".to_owned()))]);
        let linked = Answers::from([("bullet".to_owned(), Answer::Bullet(1))]);
        let is_open =
            |material: &Material, at| [&coverage, &bullet].map(|asked| material.leaves_open(at, asked));
        for (answers, tied, open) in [
            (Answers::new(), vec![], [true, true]),
            (full.clone(), vec![], [false, false]),
            (full, vec!["bullet".to_owned()], [false, true]),
            (linked, vec![], [true, false]),
        ] {
            let at = material.place_tied(answers, tied);
            assert_eq!(is_open(&material, at), open, "{:?}", material.answer_sets()[at as usize]);
        }
    }

    fn pushed(pairs: &[(u32, i64)]) -> Material {
        let mut material = Material::new(builtins()[0].clone(), Vec::new());
        let nothing = material.place(Answers::new());
        for (item, annotator) in pairs {
            let comment = (annotator % 3 == 0).then(|| format!("{item} {annotator}"));
            let parts = JudgmentParts { comment, ..JudgmentParts::default() };
            material.push(*item, AnnotatorId(*annotator), nothing, parts);
        }
        material
    }

    proptest::proptest! {
        #[test]
        fn rows_come_by_item_and_annotator_however_they_were_pushed(
            pairs in proptest::collection::btree_set((0..9_u32, 0..7_i64), 0..40)
                .prop_map(|pairs| pairs.into_iter().collect::<Vec<_>>())
                .prop_shuffle(),
            half in 0..40_usize,
        ) {
            let (first, second) = pairs.split_at(half.min(pairs.len()));
            let mut material = pushed(first);
            material.take_in(pushed(second));
            for _ in 0..2 {
                material.arrange();
                let mut wanted: Vec<_> = pairs.iter().map(|(item, who)| (*item, AnnotatorId(*who))).collect();
                wanted.sort();
                assert_eq!(material.rows().iter().map(|row| (row.item, row.annotator())).collect::<Vec<_>>(), wanted);
            }
            for row in material.rows() {
                let (item, annotator) = (row.item, row.annotator().0);
                let comment = (annotator % 3 == 0).then(|| format!("{item} {annotator}"));
                assert_eq!(material.comment(row), comment.as_deref());
            }
        }
    }
}
