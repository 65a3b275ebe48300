//! Gold: the answer to each item, by a rule over the finished judgments of some annotators and
//! by decisions where they disagree.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::error::Result;
use crate::journal::{ConsensusRule, Decision, JudgmentRow, Outcome};
use crate::protocol::{Answers, Protocol};
use crate::store::file::StudyFile;
use crate::store::journal::judged::VersionsRead;
use crate::study::{AnnotatorId, ItemId};

/// The annotator that stands for gold where answers are read as an annotator's. Rows of the study are counted from 1.
pub const GOLD: AnnotatorId = AnnotatorId(0);

/// The protocol, the annotators and the rule that gold is made by.
#[derive(Debug, Clone, Copy)]
pub struct GoldSource<'a> {
    pub protocol: &'a Protocol,
    /// The annotators. Where several answer alike in other words, the first one's answers are taken.
    pub annotators: &'a [AnnotatorId],
    pub versions: VersionsRead,
    pub rule: ConsensusRule,
}

/// The gold of one item.
#[derive(Debug, Clone, PartialEq)]
pub struct GoldItem {
    pub item: ItemId,
    pub outcome: Outcome,
    /// The final answers; `None` exactly for an unresolved item.
    pub answers: Option<Answers>,
    /// How many of the annotators judged the item; 0 where all who finished it say that it cannot be judged, or it is only decided.
    pub raters: usize,
    /// The decision, complete or not.
    pub decision: Option<Decision>,
}

impl StudyFile {
    /// The gold of every item that one of the annotators finished or somebody decided, by item.
    pub fn gold(&self, source: &GoldSource<'_>) -> Result<Vec<GoldItem>> {
        let GoldSource { protocol, annotators, versions, rule } = source;
        let material = self.material(protocol, *versions)?;
        let mut decisions = self.decisions(&protocol.name)?;
        let mut gold: BTreeMap<ItemId, GoldItem> = BTreeMap::new();
        let places: BTreeMap<AnnotatorId, usize> = annotators.iter().copied().zip(0..).collect();
        let is_finished = |row: &JudgmentRow| {
            places.contains_key(&row.annotator()) && (row.counts() || material.is_set_aside(row))
        };
        for (item, mut rows) in material.by_item(is_finished) {
            // That an item cannot be judged is no answer to agree with.
            rows.retain(|row| row.counts());
            rows.sort_by_key(|row| places.get(&row.annotator()));
            let given = rows.into_iter().map(|row| protocol.without_side(material.answers(row)));
            let given: Vec<Cow<'_, Answers>> = given.collect();
            let given: Vec<&Answers> = given.iter().map(AsRef::as_ref).collect();
            let decision = decisions.remove(&item.id);
            gold.insert(item.id, gold_of(item.id, &given, decision, protocol, *rule));
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
    rule: ConsensusRule,
) -> GoldItem {
    let decided = decision.as_ref().and_then(|decision| decision.answers(protocol));
    let (outcome, answers) = rule.outcome(given, decided);
    let answers = answers.map(|answers| protocol.without_side(answers).into_owned());
    GoldItem { item, outcome, answers, raters: given.len(), decision }
}
