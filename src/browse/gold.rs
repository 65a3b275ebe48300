//! Gold answers of items: those on which all counted annotators agree, or that an adjudicator decided.

use std::sync::Arc;

use indexmap::IndexSet;

use super::{BrowseTable, ColumnValues, Feed, NONE, Sets, Tables, answer_words, code, from};
use crate::journal::{ConsensusRule, Decision, Material, Outcome};
use crate::protocol::Answers;
use crate::study::ItemId;

impl Tables {
    /// Replaces the decision about an item; `None` takes it back.
    pub fn decide(&mut self, protocol_name: &str, item: ItemId, decision: Option<Decision>) {
        let of_protocol = self.judged.iter_mut().find(|table| table.protocol.name == protocol_name);
        if let Some(table) = of_protocol {
            Arc::make_mut(table).decide(item, decision);
        }
        self.forget(|_, feed| matches!(feed, Feed::Judgments | Feed::Question(_)));
    }

    /// How the answers to the items of each row were settled: `unanimous`, `single`, `adjudicated` or `unresolved`.
    pub(super) fn outcomes(&self, table: BrowseTable) -> ColumnValues {
        let rule = ConsensusRule { single: true, ..ConsensusRule::default() };
        let mut pairs = Vec::new();
        self.for_each_outcome(rule, |item, outcome, _| {
            let place = Outcome::ALL.iter().position(|other| *other == outcome).unwrap_or(0);
            pairs.push((self.row_of_item(table, item), place as u32));
        });
        let words = Outcome::ALL.map(|outcome| outcome.name().to_owned()).to_vec();
        ColumnValues::Sets(Sets::from_pairs(self.len(table), pairs, words))
    }

    /// The reasons for disagreement that adjudicators gave.
    pub(super) fn reasons(&self, table: BrowseTable) -> ColumnValues {
        let mut lexicon = IndexSet::new();
        let mut pairs = Vec::new();
        for (judgments, rows) in self.judged.iter().zip(&self.relations.rows_of_items) {
            for (item, decision) in judgments.decisions() {
                if let Some(reason) = decision.verdict.reason {
                    let place = self.row_of_item(table, from(rows, *item));
                    pairs.push((place, code(&mut lexicon, reason.name())));
                }
            }
        }
        ColumnValues::Sets(Sets::from_pairs(self.len(table), pairs, lexicon.into_iter().collect()))
    }

    /// The gold answers to a question.
    pub(super) fn gold_labels(&self, table: BrowseTable, question: u16) -> ColumnValues {
        let Some((judgments, asked, _)) = self.asked(question) else {
            return ColumnValues::Sets(Sets::default());
        };
        let mut lexicon = IndexSet::new();
        let mut pairs = Vec::new();
        let protocol = self.judged.iter().position(|other| std::ptr::eq(other.as_ref(), judgments));
        self.for_each_outcome(ConsensusRule::default(), |item, _, answers| {
            let own = self.relations.items.get(item as usize).map(|place| place.protocol as usize);
            let words = answers.filter(|_| own == protocol).and_then(|answers| answers.get(&asked.key));
            for word in words.map(answer_words).unwrap_or_default() {
                pairs.push((self.row_of_item(table, item), code(&mut lexicon, &word)));
            }
        });
        ColumnValues::Sets(Sets::from_pairs(self.len(table), pairs, lexicon.into_iter().collect()))
    }

    /// Calls `take` for every item that was judged by a counted annotator or decided.
    fn for_each_outcome(&self, rule: ConsensusRule, mut take: impl FnMut(u32, Outcome, Option<&Answers>)) {
        for (judgments, rows) in self.judged.iter().zip(&self.relations.rows_of_items) {
            for index in 0..judgments.items.len() as u32 {
                let counted = judgments.of_item(index).iter();
                let counted = counted.filter(|row| self.is_counting(row));
                let given: Vec<&Answers> = counted.map(|row| judgments.answers(row)).collect();
                let decided = decided(judgments, index);
                if !given.is_empty() || decided.is_some() {
                    let (outcome, answers) = rule.outcome(&given, decided);
                    let row = rows.get(index as usize).copied().unwrap_or(NONE);
                    take(row, outcome, answers);
                }
            }
        }
    }
}

/// The answers decided for an item, if any.
fn decided(judgments: &Material, index: u32) -> Option<&Answers> {
    judgments.decisions().get(&index)?.answers(&judgments.protocol)
}
