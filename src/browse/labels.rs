//! Columns of labels: those of one annotator, those of the majority, and how often annotators differ.

use std::collections::HashMap;

use super::{
    Bits, BrowseTable, ColumnValues, Field, NONE, QuestionPlace, RowsOf, Sets, Tables, WhoSays, at, code,
    from, pack, set_code,
};
use indexmap::IndexSet;

use crate::journal::{JudgmentRow, Material};
use crate::protocol::{Answer, Protocol, Question, QuestionKind};
use crate::score::{Mean, Undefined};
use crate::study::AnnotatorId;

/// The word for an answer that names nothing on purpose.
pub(super) const NOTHING: &str = "nothing";

impl Tables {
    /// The questions of all protocols, with names that no field and no other question has.
    pub(super) fn read_questions(&self) -> Vec<QuestionPlace> {
        let mut asked: HashMap<&str, usize> = HashMap::new();
        for question in self.judged.iter().flat_map(|table| &table.protocol.questions) {
            *asked.entry(&question.key).or_default() += 1;
        }
        let mut questions = Vec::new();
        for (protocol, table) in self.judged.iter().enumerate() {
            let used = self.answers_used(table);
            for question in &table.protocol.questions {
                let long = format!("{}.{}", table.protocol.name, question.key);
                let is_alone = asked.get(question.key.as_str()) == Some(&1);
                let is_free = is_alone && !Field::is_name(&question.key);
                questions.push(QuestionPlace {
                    protocol,
                    key: question.key.clone(),
                    name: if is_free { question.key.clone() } else { long.clone() },
                    short: if is_alone { question.key.clone() } else { long },
                    annotators: self.answering(table, &used, &question.key),
                });
            }
        }
        questions
    }

    /// For each annotator, the sets of answers that they gave.
    fn answers_used(&self, table: &Material) -> Vec<Bits> {
        let mut used = vec![Bits::none(table.answer_sets().len()); self.corpus.annotators.len()];
        let ids: Vec<AnnotatorId> = self.corpus.annotators.iter().map(|(id, _)| *id).collect();
        for row in table.rows() {
            let place = ids.binary_search(&row.annotator()).ok();
            if let Some(used) = place.and_then(|place| used.get_mut(place)) {
                used.insert(row.answers() as u32);
            }
        }
        used
    }

    /// The annotators who answered a question, people first, as places in the corpus.
    fn answering(&self, table: &Material, used: &[Bits], key: &str) -> Vec<u16> {
        let sets = table.answer_sets();
        let has =
            |used: &Bits| (0..).zip(sets).any(|(set, answers)| used.has(set) && answers.contains_key(key));
        let places = (0..).zip(used).filter(|(_, used)| has(used)).map(|(place, _)| place);
        let mut places: Vec<u16> = places.collect();
        let kind = |place: &u16| self.corpus.annotators.get(usize::from(*place)).map(|(_, who)| who.kind);
        places.sort_by_key(kind);
        places
    }

    /// Whether this is the main question of its protocol.
    pub(super) fn is_main(&self, place: &QuestionPlace) -> bool {
        let protocol = self.judged.get(place.protocol).map(|table| &table.protocol);
        protocol.and_then(main_question).is_some_and(|question| question.key == place.key)
    }

    /// A question and the judgments under its protocol, with their rows of the table of items.
    pub(super) fn asked(&self, question: u16) -> Option<(&Material, &Question, &[u32])> {
        let place = self.questions.get(usize::from(question))?;
        let table = self.judged.get(place.protocol)?;
        let rows = self.relations.rows_of_items.get(place.protocol)?;
        Some((table, table.protocol.question(&place.key)?, rows))
    }

    /// The labels that one annotator gave, or that anyone gave.
    pub(super) fn labels_by(
        &self,
        table: BrowseTable,
        question: u16,
        annotator: Option<u16>,
    ) -> ColumnValues {
        let who = annotator.and_then(|place| self.corpus.annotators.get(usize::from(place)));
        let is_meant = |row: &JudgmentRow| match who {
            Some((id, _)) => row.annotator() == *id,
            None => annotator.is_none(),
        };
        let Some((judgments, asked, rows)) = self.asked(question) else {
            return ColumnValues::Sets(Sets::default());
        };
        let mut lexicon = IndexSet::new();
        let codes = answer_codes(judgments, asked, &mut lexicon);
        let mut pairs = Vec::new();
        for row in judgments.rows().iter().filter(|row| row.counts() && is_meant(row)) {
            let place = self.row_of_item(table, from(rows, row.item));
            pairs.extend(codes.get(row.answers()).into_iter().flatten().map(|code| (place, *code)));
        }
        ColumnValues::Sets(Sets::from_pairs(self.len(table), pairs, lexicon.into_iter().collect()))
    }

    /// The most frequent answer among counted annotators; all of them in a tie. For texts, and for questions whose answers
    /// name several things, everything that was named.
    pub(super) fn majority(&self, table: BrowseTable, question: u16) -> ColumnValues {
        let Some((judgments, asked, rows)) = self.asked(question) else {
            return ColumnValues::Sets(Sets::default());
        };
        let mut lexicon = IndexSet::new();
        let codes = answer_codes(judgments, asked, &mut lexicon);
        let mut sets = IndexSet::new();
        let sets_of: Vec<u32> = codes.into_iter().map(|set| set_code(&mut sets, set)).collect();
        let votes = matches!(asked.kind, QuestionKind::Choice { .. } | QuestionKind::Bullet { .. });
        let mut pairs = Vec::new();
        let mut ballot: Vec<(u32, usize)> = Vec::new();
        for of_item in judgments.rows().chunk_by(|one, other| one.item == other.item) {
            ballot.clear();
            for row in of_item.iter().filter(|row| self.is_counting(row)) {
                let set = from(&sets_of, row.answers() as u32);
                match ballot.iter_mut().find(|(other, _)| *other == set) {
                    Some((_, votes)) => *votes += 1,
                    None if set != NONE => ballot.push((set, 1)),
                    None => {}
                }
            }
            let most = ballot.iter().map(|(_, votes)| *votes).max();
            let item = of_item.first().map_or(NONE, |row| row.item);
            let place = self.row_of_item(table, from(rows, item));
            for (set, _) in ballot.iter().filter(|(_, count)| !votes || Some(*count) == most) {
                pairs.extend(sets.get_index(*set as usize).into_iter().flatten().map(|word| (place, *word)));
            }
        }
        ColumnValues::Sets(Sets::from_pairs(self.len(table), pairs, lexicon.into_iter().collect()))
    }

    /// The decided labels of each row's items, else the labels that more than half of the people gave, as scores read them.
    pub(super) fn majority_labels(&self, table: BrowseTable, question: u16) -> ColumnValues {
        let Some(protocol) = self.questions.get(usize::from(question)).map(|place| place.protocol) else {
            return ColumnValues::Sets(Sets::default());
        };
        let found = self.joined(RowsOf::Protocol(protocol), None, question, WhoSays::Most).spread();
        let of_item = |(item, set): (u32, &u32)| {
            let row = self.row_of_item(table, item);
            at(&found.sets, *set).into_iter().flatten().map(move |word| (row, *word)).collect::<Vec<_>>()
        };
        let pairs = (0..).zip(&found.codes).flat_map(of_item).collect();
        ColumnValues::Sets(Sets::from_pairs(self.len(table), pairs, found.words))
    }

    /// The percentage of pairs of annotators who answer any compared question differently: for an item, else the mean over
    /// the items with a pair.
    pub(super) fn disagreement(&self, table: BrowseTable) -> ColumnValues {
        let mut means = vec![Mean::default(); self.len(table)];
        for (judgments, rows) in self.judged.iter().zip(&self.relations.rows_of_items) {
            // The answers to all compared questions as one code; none where the first question has no answer.
            let mut said = IndexSet::new();
            let mut together: Vec<Option<Vec<u32>>> = vec![Some(Vec::new()); judgments.answer_sets().len()];
            for (place, question) in compared(&judgments.protocol).enumerate() {
                let (mut lexicon, mut sets) = (IndexSet::new(), IndexSet::new());
                let codes = answer_codes(judgments, question, &mut lexicon);
                for (all, set) in together.iter_mut().zip(codes) {
                    match set_code(&mut sets, set) {
                        NONE if place == 0 => *all = None,
                        code => all.iter_mut().for_each(|all| all.push(code)),
                    }
                }
            }
            let sets_of: Vec<u32> =
                together.into_iter().map(|all| all.map_or(NONE, |all| set_code(&mut said, all))).collect();
            let mut given = Vec::new();
            for of_item in judgments.rows().chunk_by(|one, other| one.item == other.item) {
                given.clear();
                let counted = of_item.iter().filter(|row| self.is_counting(row));
                given.extend(
                    counted.map(|row| from(&sets_of, row.answers() as u32)).filter(|set| *set != NONE),
                );
                let item = of_item.first().map_or(NONE, |row| row.item);
                let place = self.row_of_item(table, from(rows, item));
                if let (Some(share), Some(mean)) = (differing(&mut given), means.get_mut(place as usize)) {
                    mean.add(share);
                }
            }
        }
        ColumnValues::Numbers(means.into_iter().map(|mean| pack(mean.or(Undefined::NotTwo))).collect())
    }

    /// The scores of the labels of a set; empty if any label has no score.
    pub(super) fn label_scores(&self, question: u16, sets: &Sets, set: usize) -> Vec<f64> {
        let words = sets.sets.get(set).into_iter().flatten();
        let score = |word: &u32| self.label_score(question, sets.words.get(*word as usize)?);
        words.map(score).collect::<Option<Vec<f64>>>().unwrap_or_default()
    }

    /// Whether a question has labels with scores.
    pub(super) fn has_label_scores(&self, question: u16) -> bool {
        let asked = self.asked(question);
        asked.is_some_and(|(_, asked, _)| asked.choices().iter().any(|choice| choice.score.is_some()))
    }

    /// The score of a label, where its question has scores.
    pub(super) fn label_score(&self, question: u16, label: &str) -> Option<f64> {
        let (_, asked, _) = self.asked(question)?;
        asked.choices().iter().find(|choice| choice.value == label)?.score
    }
}

/// The mean of scores; `None` without any.
pub(super) fn mean(scores: Vec<f64>) -> Option<f64> {
    scores.into_iter().collect::<Mean>().or(Undefined::NoScores).ok()
}

/// The questions that disagreement compares: all with choices, and the main question.
fn compared(protocol: &Protocol) -> impl Iterator<Item = &Question> {
    let choices = protocol.questions.iter().filter(|question| is_choice(question));
    let other = main_question(protocol).filter(|question| !is_choice(question));
    choices.chain(other)
}

pub(super) fn is_choice(question: &Question) -> bool {
    matches!(question.kind, QuestionKind::Choice { .. })
}

/// The question whose label is shown: the first with choices, else the first with labels.
pub(super) fn main_question(protocol: &Protocol) -> Option<&Question> {
    let labelled = || protocol.questions.iter().find(|question| question.has_labels());
    protocol.main_question().or_else(labelled)
}

/// The words of each set of answers to a question, as codes, ascending.
fn answer_codes(judgments: &Material, asked: &Question, lexicon: &mut IndexSet<String>) -> Vec<Vec<u32>> {
    // The offered labels come first, so that several labels stand in the order of the scale.
    for choice in asked.offered() {
        code(lexicon, &choice.value);
    }
    let mut codes = Vec::with_capacity(judgments.answer_sets().len());
    for answers in judgments.answer_sets() {
        let answer = answers.get(&asked.key);
        let mut set: Vec<u32> =
            answer.map(answer_words).unwrap_or_default().iter().map(|word| code(lexicon, word)).collect();
        set.sort_unstable();
        set.dedup();
        codes.push(set);
    }
    codes
}

/// The words of an answer, as filters compare and cells show them.
pub fn answer_words(answer: &Answer) -> Vec<String> {
    match answer {
        Answer::Text(text) => vec![text.clone()],
        Answer::Bullet(number) => vec![number.to_string()],
        Answer::Bullets(numbers) if numbers.is_empty() => vec![NOTHING.to_owned()],
        Answer::Bullets(numbers) => numbers.iter().map(u32::to_string).collect(),
        Answer::Names(names) if names.is_empty() => vec![NOTHING.to_owned()],
        Answer::Names(names) => names.clone(),
        // Tag and severity come along, so that a filter finds a passage by them.
        Answer::Passages(passages) => passages
            .iter()
            .flat_map(|passage| [Some(passage.quote.clone()), passage.tag.clone(), passage.severity.clone()])
            .flatten()
            .collect(),
        Answer::Points(points) => points.iter().map(|point| point.text.clone()).collect(),
        Answer::Nothing => vec![NOTHING.to_owned()],
    }
}

/// The percentage of pairs that differ; `None` without a pair.
fn differing(given: &mut [u32]) -> Option<f64> {
    let pairs = |count: usize| count * count.saturating_sub(1) / 2;
    let all = pairs(given.len());
    given.sort_unstable();
    let equal: usize = given.chunk_by(|one, other| one == other).map(|same| pairs(same.len())).sum();
    (all > 0).then(|| 100.0 * (all - equal) as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disagreement_is_the_share_of_pairs_that_differ() {
        assert_eq!(differing(&mut [1]), None);
        assert_eq!(differing(&mut [1, 1]), Some(0.0));
        assert_eq!(differing(&mut [1, 2]), Some(100.0));
        // Of the six pairs of a, a, a, b three differ.
        assert_eq!(differing(&mut [7, 2, 7, 7]), Some(50.0));
    }

    #[test]
    fn answers_become_words() {
        assert_eq!(answer_words(&Answer::Bullets(vec![2, 1])), ["2", "1"]);
        assert_eq!(answer_words(&Answer::Nothing), [NOTHING]);
        assert_eq!(answer_words(&Answer::Names(vec![])), [NOTHING]);
    }
}
