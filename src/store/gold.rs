//! Gold: what counts as the answer to each item, by a rule over the finished judgments of some annotators and
//! by what was decided where they disagree.

use std::collections::{BTreeMap, HashMap};

use super::judged::Versions;
use super::study_file::StudyFile;
use crate::error::Result;
use crate::journal::{Decision, Outcome, Rule};
use crate::protocol::{Answers, Protocol};
use crate::study::{AnnotatorId, ItemId};

/// The annotator that stands for gold where answers are read as somebody's. Rows of the study are counted from 1.
pub const GOLD: AnnotatorId = AnnotatorId(0);

/// The finished judgments of some annotators under a protocol. Those with the same answers share them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FinishedJudgments {
    /// Each set of answers that occurs, once.
    pub answers: Vec<Answers>,
    /// By item, then by annotator.
    pub rows: Vec<FinishedRow>,
}

/// One annotator's finished judgment of one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FinishedRow {
    pub item: ItemId,
    pub annotator: AnnotatorId,
    /// Index into [`FinishedJudgments::answers`].
    pub answers: usize,
}

impl FinishedJudgments {
    /// The judgments of each item together, by item.
    pub fn by_item(&self) -> impl Iterator<Item = &[FinishedRow]> {
        self.rows.chunk_by(|one, other| one.item == other.item)
    }

    /// The answers of a judgment.
    pub fn of(&self, row: &FinishedRow) -> &Answers {
        static NONE: Answers = Answers::new();
        self.answers.get(row.answers).unwrap_or(&NONE)
    }
}

/// Whose judgments gold is made of, and how.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    pub protocol: &'a Protocol,
    /// In the order in which the answers of the first of them are preferred where several are taken for the same.
    pub annotators: &'a [AnnotatorId],
    pub versions: Versions,
    pub rule: Rule,
}

/// What counts for one item.
#[derive(Debug, Clone, PartialEq)]
pub struct GoldItem {
    pub item: ItemId,
    pub outcome: Outcome,
    /// `None` exactly when unresolved.
    pub answers: Option<Answers>,
    /// How many of the annotators judged it.
    pub raters: usize,
    /// What was decided, complete or not.
    pub decision: Option<Decision>,
}

impl StudyFile {
    /// What these annotators answered and do not stand in the middle of.
    ///
    /// # Errors
    /// The file cannot be read, or holds an answer that this program does not understand.
    pub fn finished_judgments(
        &self,
        protocol: &Protocol,
        annotators: &[AnnotatorId],
        versions: Versions,
    ) -> Result<FinishedJudgments> {
        let unfinished = self.unfinished(&protocol.name)?;
        let mut given: Vec<(ItemId, AnnotatorId, usize, u32)> = Vec::new();
        let mut columns = Vec::new();
        for (question, asked) in protocol.questions.iter().enumerate() {
            let column = self.answers(&protocol.name, &asked.key, versions)?;
            let counted = column.rows.iter().filter(|row| {
                annotators.contains(&row.annotator) && !unfinished.contains(&(row.annotator, row.item))
            });
            given.extend(counted.map(|row| (row.item, row.annotator, question, row.answer)));
            columns.push((asked.key.as_str(), column.answers));
        }
        given.sort_unstable();
        let mut finished = FinishedJudgments::default();
        let mut places: HashMap<Vec<(usize, u32)>, usize> = HashMap::new();
        for judgment in given.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            let codes: Vec<(usize, u32)> =
                judgment.iter().map(|(.., question, code)| (*question, *code)).collect();
            let answers = *places.entry(codes).or_insert_with_key(|codes| {
                let answer = |(question, code): &(usize, u32)| {
                    let (key, answers) = columns.get(*question)?;
                    Some(((*key).to_owned(), answers.get(usize::try_from(*code).ok()?)?.clone()))
                };
                finished.answers.push(codes.iter().filter_map(answer).collect());
                finished.answers.len() - 1
            });
            let row = judgment.first().map(|(item, annotator, ..)| (*item, *annotator));
            finished.rows.extend(row.map(|(item, annotator)| FinishedRow { item, annotator, answers }));
        }
        Ok(finished)
    }

    /// What counts for every item that one of the annotators finished or somebody decided, by item.
    ///
    /// # Errors
    /// The file cannot be read, or holds an answer that this program does not understand.
    pub fn gold(&self, source: &Source<'_>) -> Result<Vec<GoldItem>> {
        let Source { protocol, annotators, versions, rule } = source;
        let finished = self.finished_judgments(protocol, annotators, *versions)?;
        let mut decisions = self.decisions(&protocol.name)?;
        let mut gold: BTreeMap<ItemId, GoldItem> = BTreeMap::new();
        let place = |row: &&FinishedRow| annotators.iter().position(|annotator| *annotator == row.annotator);
        for rows in finished.by_item() {
            let Some(item) = rows.first().map(|row| row.item) else {
                continue;
            };
            let mut rows: Vec<&FinishedRow> = rows.iter().collect();
            rows.sort_by_key(place);
            let given: Vec<&Answers> = rows.into_iter().map(|row| finished.of(row)).collect();
            let decision = decisions.remove(&item);
            gold.insert(item, gold_of(item, &given, decision, protocol, *rule));
        }
        for (item, decision) in decisions {
            gold.insert(item, gold_of(item, &[], Some(decision), protocol, *rule));
        }
        Ok(gold.into_values().collect())
    }
}

fn gold_of(
    item: ItemId,
    given: &[&Answers],
    decision: Option<Decision>,
    protocol: &Protocol,
    rule: Rule,
) -> GoldItem {
    let decided = decision.as_ref().and_then(|decision| decision.answers(protocol));
    let (outcome, answers) = rule.outcome(given, decided);
    let answers = answers.cloned();
    GoldItem { item, outcome, answers, raters: given.len(), decision }
}
