//! Answers that were predicted from summaries, beside the gold answers of their queries.

use super::{BrowseTable, ColumnValues, Entity, NONE, Tables, at, pack};
use crate::number::short;
use crate::score::{Measure, Normalised, Undefined, gold_answers, predicted_answer};

impl Tables {
    /// The gold answers of the query of each row.
    pub(super) fn gold_answers(&self, table: BrowseTable) -> ColumnValues {
        self.words(table, Entity::Query, |place| {
            let answers = gold_answers(&self.query(place)?.meta);
            (!answers.is_empty()).then(|| answers.join(" | "))
        })
    }

    /// The answer predicted from the summary of each row.
    pub(super) fn predicted_answers(&self, table: BrowseTable) -> ColumnValues {
        self.words(table, Entity::Candidate, |place| {
            predicted_answer(&self.candidate(place)?.meta).map(str::to_owned)
        })
    }

    /// The score of each row's predicted answer against the gold answers of its query.
    pub(super) fn answer_scores(
        &self,
        table: BrowseTable,
        score: fn(&Normalised, &[Normalised]) -> f64,
    ) -> ColumnValues {
        let of_candidate = |candidate: u32| -> Measure {
            let query =
                at(&self.relations.query_of_candidate, candidate).and_then(|query| self.query(*query));
            let gold = query.map_or_else(Vec::new, |query| Normalised::all(&gold_answers(&query.meta)));
            let predicted = self.candidate(candidate).and_then(|found| predicted_answer(&found.meta));
            match predicted.filter(|_| !gold.is_empty()) {
                Some(predicted) => Ok(score(&Normalised::of(predicted), &gold)),
                None => Err(Undefined::NoPredictions),
            }
        };
        let scores = (0..self.corpus.candidates.len() as u32).map(|candidate| pack(of_candidate(candidate)));
        let rows = (0..self.len(table) as u32).map(|row| self.part(table, row, Entity::Candidate));
        ColumnValues::Numbers(scores.collect()).of_rows(rows)
    }

    /// The place, by number and from 1, of the first document of the collection with a gold answer of the query.
    pub(super) fn answer_places(&self, table: BrowseTable) -> ColumnValues {
        let mut places = vec![NONE; self.corpus.queries.len()];
        let of_collection = self.relations.queries_of_collection.iter();
        for (queries, documents) in of_collection.zip(&self.relations.documents_of_collection) {
            let asked = queries.iter().filter_map(|query| {
                let gold = Normalised::all(&gold_answers(&self.query(*query)?.meta));
                (!gold.is_empty()).then_some((*query, gold))
            });
            let mut asked: Vec<(u32, Vec<Normalised>)> = asked.collect();
            for (place, document) in documents.iter().enumerate() {
                if asked.is_empty() {
                    break;
                }
                let text = self.document(*document).map(|document| Normalised::of(&document.text));
                asked.retain(|(query, gold)| {
                    let is_here =
                        text.as_ref().is_some_and(|text| gold.iter().any(|gold| text.contains(gold)));
                    if let Some(slot) = places.get_mut(*query as usize).filter(|_| is_here) {
                        *slot = short(place + 1);
                    }
                    !is_here
                });
            }
        }
        let rows = (0..self.len(table) as u32).map(|row| self.place(table, row, Entity::Query));
        ColumnValues::Counts(places).of_rows(rows)
    }
}
