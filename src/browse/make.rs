//! Columns in the making: one pass over the records or the judgments each.

use super::column::{Column, Lexicon, Sets, pack};
use super::field::Field;
use super::relations::{NONE, at, from};
use super::table::Table;
use super::tables::Tables;
use crate::protocol::{Answer, Answers, Protocol};
use crate::score::{Measure, Undefined};
use crate::text::words;

/// A kind of record that a row may have one of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entity {
    Collection,
    Document,
    Query,
    Unit,
    Candidate,
    System,
}

/// Letters of a text that a cell holds at most.
const LINE: usize = 300;

impl Tables {
    /// The place of the record of this kind that a row has; [`NONE`] where it has none, or several.
    pub(super) fn place(&self, table: Table, row: u32, entity: Entity) -> u32 {
        let relations = &self.relations;
        let of_query = |query: u32| match entity {
            Entity::Query => query,
            Entity::Collection => from(&relations.collection_of_query, query),
            _ => NONE,
        };
        match table {
            Table::Queries => of_query(row),
            Table::Units if entity == Entity::Unit => row,
            Table::Units => of_query(from(&relations.query_of_unit, row)),
            Table::Candidates => match entity {
                Entity::Candidate => row,
                Entity::System => from(&relations.system_of_candidate, row),
                _ => of_query(from(&relations.query_of_candidate, row)),
            },
            Table::Systems if entity == Entity::System => row,
            Table::Systems => NONE,
            Table::Documents => match entity {
                Entity::Document => row,
                Entity::Collection => from(&relations.collection_of_document, row),
                _ => NONE,
            },
            Table::Items => at(&relations.items, row).map_or(NONE, |item| match entity {
                Entity::Document => item.document,
                Entity::Unit => item.unit,
                Entity::Candidate => item.candidate,
                Entity::System => from(&relations.system_of_candidate, item.candidate),
                _ => of_query(item.query),
            }),
        }
    }

    /// The row of a table that an item belongs to; [`NONE`] where it belongs to none.
    pub(super) fn row_of_item(&self, table: Table, item: u32) -> u32 {
        match table {
            Table::Items => item,
            Table::Queries => self.place(Table::Items, item, Entity::Query),
            Table::Units => self.place(Table::Items, item, Entity::Unit),
            Table::Candidates => self.place(Table::Items, item, Entity::Candidate),
            Table::Systems => self.place(Table::Items, item, Entity::System),
            Table::Documents => self.place(Table::Items, item, Entity::Document),
        }
    }

    /// Makes a column.
    pub(super) fn make(&self, table: Table, field: Field) -> Column {
        match field {
            Field::Name
            | Field::Text
            | Field::Protocol
            | Field::Collection
            | Field::Query
            | Field::QueryText
            | Field::Domain
            | Field::Category
            | Field::Kind
            | Field::System
            | Field::Summarizer
            | Field::Retriever
            | Field::Order
            | Field::Candidate
            | Field::Unit
            | Field::UnitText
            | Field::Document => self.words_of(table, field),
            Field::Bullet
            | Field::Number
            | Field::Candidates
            | Field::Units
            | Field::Items
            | Field::Cited
            | Field::Bullets
            | Field::Words
            | Field::WordsPerBullet => self.sizes(table, field),
            Field::Coverage
            | Field::Citation
            | Field::Precision
            | Field::Recall
            | Field::Joint
            | Field::Covered
            | Field::Uncovered
            | Field::Missed
            | Field::Wrong
            | Field::Uncited
            | Field::Citations => self.scores_of(table).column(field),
            Field::Judgments | Field::Flags | Field::Comments => self.tallied(table, field),
            Field::Seconds => self.seconds(table),
            Field::Disagreement => self.disagreement(table),
            Field::Is => self.states(table),
            Field::Tags => self.tags(table),
            Field::Label(question) => self.majority(table, question),
            Field::LabelBy(question, annotator) => self.labels_by(table, question, Some(annotator)),
            Field::LabelOfAny(question) => self.labels_by(table, question, None),
            Field::Gold(question) => self.gold_labels(table, question),
            Field::Outcome => self.outcomes(table),
            Field::Reason => self.reasons(table),
        }
    }

    /// A column whose values come from one record a row.
    fn words_of(&self, table: Table, field: Field) -> Column {
        let own = match table {
            Table::Queries => Entity::Query,
            Table::Units => Entity::Unit,
            Table::Candidates => Entity::Candidate,
            Table::Systems => Entity::System,
            Table::Documents => Entity::Document,
            Table::Items => Entity::Unit,
        };
        let entity = match field {
            Field::Name | Field::Text => own,
            Field::Protocol => return self.protocols(),
            Field::Collection => Entity::Collection,
            Field::Domain if table == Table::Documents => Entity::Collection,
            Field::Query | Field::QueryText | Field::Domain | Field::Category => Entity::Query,
            Field::Kind | Field::Unit | Field::UnitText => Entity::Unit,
            Field::Order | Field::Candidate => Entity::Candidate,
            Field::Document => Entity::Document,
            _ => Entity::System,
        };
        let codes = (0..self.len(table) as u32).map(|row| self.place(table, row, entity)).collect();
        Column::Words { codes, words: self.words(entity, field) }
    }

    /// What each record of a kind says to a field.
    fn words(&self, entity: Entity, field: Field) -> Vec<Option<String>> {
        let corpus = &self.corpus;
        let is_text = matches!(field, Field::Text | Field::QueryText | Field::UnitText);
        let said = |text: &str, key: &str| Some(if is_text { first_line(text) } else { key.to_owned() });
        match entity {
            Entity::Collection => corpus
                .collections
                .iter()
                .map(|(_, collection)| match field {
                    Field::Domain => collection.domain.clone(),
                    _ => Some(collection.id.clone()),
                })
                .collect(),
            Entity::Document => corpus
                .documents
                .iter()
                .map(|(_, document)| match (&document.title, is_text) {
                    (Some(title), true) => Some(title.clone()),
                    _ => said(&document.text, &document.id),
                })
                .collect(),
            Entity::Query => (0..corpus.queries.len() as u32)
                .map(|place| match field {
                    Field::Domain => self.domain(place).map(str::to_owned),
                    Field::Category => at(&corpus.queries, place)?.1.category.clone(),
                    _ => at(&corpus.queries, place).and_then(|(_, query)| said(&query.text, &query.id)),
                })
                .collect(),
            Entity::Unit => corpus
                .units
                .iter()
                .map(|(_, unit)| match field {
                    Field::Kind => Some(unit.kind.clone()),
                    _ => said(&unit.text, &unit.id),
                })
                .collect(),
            Entity::Candidate => corpus
                .candidates
                .iter()
                .map(|(_, made)| match field {
                    Field::Order => made.order.clone(),
                    _ => said(&made.text, &made.id),
                })
                .collect(),
            Entity::System => (0..self.relations.systems.len() as u32)
                .map(|place| {
                    let system = at(&self.relations.systems, place)?;
                    match field {
                        Field::Summarizer => system.summarizer.clone(),
                        Field::Retriever => {
                            Some(system.retriever.clone().unwrap_or_else(|| "full context".to_owned()))
                        }
                        _ => Some(self.system_name(place)),
                    }
                })
                .collect(),
        }
    }

    /// The domain of a query, else of its collection.
    pub(super) fn domain(&self, query: u32) -> Option<&str> {
        let own = at(&self.corpus.queries, query)?.1.domain.as_deref();
        let collection = from(&self.relations.collection_of_query, query);
        own.or_else(|| at(&self.corpus.collections, collection)?.1.domain.as_deref())
    }

    /// The name of a system, as scores print it.
    pub(super) fn system_name(&self, system: u32) -> String {
        let Some(parts) = at(&self.relations.systems, system) else {
            return String::new();
        };
        let summarizer = parts.summarizer.as_deref().unwrap_or("unnamed");
        match &parts.retriever {
            Some(retriever) => format!("{retriever} {summarizer}"),
            None => summarizer.to_owned(),
        }
    }

    fn protocols(&self) -> Column {
        let words = self.judged.iter().map(|table| Some(table.protocol.name.clone())).collect();
        let codes = self.relations.items.iter().map(|item| u32::from(item.protocol)).collect();
        Column::Words { codes, words }
    }

    /// How much there is of something in the corpus.
    fn sizes(&self, table: Table, field: Field) -> Column {
        let relations = &self.relations;
        let rows = 0..self.len(table) as u32;
        let count = |list: Option<&Vec<u32>>| list.map_or(0, |list| list.len() as u32);
        let counts: Vec<u32> = match (table, field) {
            (_, Field::Bullet) => relations.items.iter().map(|item| item.bullet).collect(),
            (_, Field::Number) => self.corpus.documents.iter().map(|(_, document)| document.number).collect(),
            (_, Field::Items) => self.item_counts(table),
            (Table::Queries, Field::Candidates) => {
                rows.map(|row| count(at(&relations.candidates_of_query, row))).collect()
            }
            (_, Field::Candidates) => {
                rows.map(|row| count(at(&relations.candidates_of_system, row))).collect()
            }
            (Table::Documents, Field::Units) => self.gold_counts(),
            (_, Field::Units) => rows.map(|row| count(at(&relations.units_of_query, row))).collect(),
            (Table::Documents, Field::Cited) => self.cited_counts(),
            (_, Field::Cited) => {
                let gold = relations.gold.iter();
                gold.map(|gold| gold.as_ref().map_or(NONE, |gold| gold.len() as u32)).collect()
            }
            (Table::Candidates, Field::Bullets) => {
                relations.bullets.iter().map(|bullets| bullets.len() as u32).collect()
            }
            (Table::Candidates, Field::Words) => relations.words.clone(),
            (Table::Documents, Field::Words) => {
                let texts = self.corpus.documents.iter();
                texts.map(|(_, document)| words::count(&document.text) as u32).collect()
            }
            _ => return Column::Numbers(rows.map(|row| pack(self.length(table, row, field))).collect()),
        };
        Column::Counts(counts)
    }

    /// Words or bullets of a system's summaries, on average, or words by bullets of a row's summaries.
    fn length(&self, table: Table, row: u32, field: Field) -> Measure {
        let own = [row];
        let summaries: &[u32] = match table {
            Table::Systems => at(&self.relations.candidates_of_system, row).map_or(&[], Vec::as_slice),
            _ => &own,
        };
        let bullets: usize =
            summaries.iter().filter_map(|place| at(&self.relations.bullets, *place)).map(Vec::len).sum();
        let words: u64 = summaries
            .iter()
            .filter_map(|place| at(&self.relations.words, *place))
            .copied()
            .map(u64::from)
            .sum();
        match field {
            Field::WordsPerBullet if bullets == 0 => Err(Undefined::NoBullets),
            Field::WordsPerBullet => Ok(words as f64 / bullets as f64),
            _ if summaries.is_empty() => Err(Undefined::NothingWritten),
            Field::Bullets => Ok(bullets as f64 / summaries.len() as f64),
            _ => Ok(words as f64 / summaries.len() as f64),
        }
    }

    fn item_counts(&self, table: Table) -> Vec<u32> {
        let mut counts = vec![0; self.len(table)];
        for item in 0..self.relations.items.len() as u32 {
            if let Some(count) = counts.get_mut(self.row_of_item(table, item) as usize) {
                *count += 1;
            }
        }
        counts
    }

    /// The units that each document contains.
    fn gold_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.corpus.documents.len()];
        for (gold, query) in self.relations.gold.iter().zip(&self.relations.query_of_unit) {
            for number in gold.iter().flatten() {
                self.count_document(&mut counts, *query, *number);
            }
        }
        counts
    }

    /// The candidates that cite each document.
    fn cited_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.corpus.documents.len()];
        for (bullets, query) in self.relations.bullets.iter().zip(&self.relations.query_of_candidate) {
            let mut cited: Vec<u32> =
                bullets.iter().flat_map(|bullet| bullet.cited.iter().copied()).collect();
            cited.sort_unstable();
            cited.dedup();
            for number in cited {
                self.count_document(&mut counts, *query, number);
            }
        }
        counts
    }

    fn count_document(&self, counts: &mut [u32], query: u32, number: u32) {
        let place = self.document_numbered(from(&self.relations.collection_of_query, query), number);
        if let Some(count) = counts.get_mut(place as usize) {
            *count += 1;
        }
    }

    /// The place of the document of this number in a collection; [`NONE`] where there is none.
    pub(super) fn document_numbered(&self, collection: u32, number: u32) -> u32 {
        let Some(documents) = at(&self.relations.documents_of_collection, collection) else {
            return NONE;
        };
        let number_of = |place: &u32| at(&self.corpus.documents, *place).map_or(0, |(_, found)| found.number);
        let found = documents.binary_search_by_key(&number, number_of);
        found.ok().and_then(|place| documents.get(place)).copied().unwrap_or(NONE)
    }

    /// Judgments that count, flags and comments of everyone.
    fn tallied(&self, table: Table, field: Field) -> Column {
        let mut counts = vec![0; self.len(table)];
        for (item, judgments, row) in self.all_rows() {
            let is_meant = match field {
                Field::Flags => row.flagged,
                Field::Comments => judgments.comment(row).is_some(),
                _ => row.counts && self.is_counted(row.annotator),
            };
            if is_meant && let Some(count) = counts.get_mut(self.row_of_item(table, item) as usize) {
                *count += 1;
            }
        }
        Column::Counts(counts)
    }

    /// Mean active seconds of the judgments that say how long they took.
    fn seconds(&self, table: Table) -> Column {
        let mut sums = vec![(0_u64, 0_u32); self.len(table)];
        for (item, _, row) in self.counted_rows().filter(|(.., row)| row.active > 0) {
            if let Some((sum, count)) = sums.get_mut(self.row_of_item(table, item) as usize) {
                *sum += u64::from(row.active);
                *count += 1;
            }
        }
        let mean = |(sum, count): (u64, u32)| match count {
            0 => Err(Undefined::NoTimes),
            count => Ok(sum as f64 / 1_000.0 / f64::from(count)),
        };
        Column::Numbers(sums.into_iter().map(|sum| pack(mean(sum))).collect())
    }

    /// The words of `is:`.
    fn states(&self, table: Table) -> Column {
        const WORDS: [&str; 5] = ["flagged", "skipped", "commented", "judged", "open"];
        let mut pairs = Vec::new();
        for (item, judgments, row) in self.all_rows() {
            let place = self.row_of_item(table, item);
            let holds = [
                row.flagged,
                row.skipped,
                judgments.comment(row).is_some(),
                row.counts && self.is_counted(row.annotator),
                false,
            ];
            pairs.extend((0..).zip(holds).filter(|(_, holds)| *holds).map(|(word, _)| (place, word)));
        }
        let mut is_judged = vec![false; self.relations.items.len()];
        for (item, ..) in self.counted_rows() {
            if let Some(judged) = is_judged.get_mut(item as usize) {
                *judged = true;
            }
        }
        let open = (0..).zip(is_judged).filter(|(_, judged)| !judged);
        pairs.extend(open.map(|(item, _)| (self.row_of_item(table, item), 4)));
        Column::Sets(Sets::from_pairs(self.len(table), pairs, WORDS.map(str::to_owned).to_vec()))
    }

    /// The tags that anyone who is counted gave.
    fn tags(&self, table: Table) -> Column {
        let mut lexicon = Lexicon::default();
        let mut pairs = Vec::new();
        for (judgments, rows) in self.judged.iter().zip(&self.relations.rows_of_items) {
            let codes: Vec<Vec<u32>> = judgments
                .answer_sets()
                .iter()
                .map(|answers| tags(&judgments.protocol, answers).map(|tag| lexicon.code(tag)).collect())
                .collect();
            if codes.iter().all(Vec::is_empty) {
                continue;
            }
            let counted = judgments.rows().iter().filter(|row| row.counts && self.is_counted(row.annotator));
            for row in counted {
                let place = self.row_of_item(table, from(rows, row.item));
                pairs.extend(codes.get(row.answers()).into_iter().flatten().map(|code| (place, *code)));
            }
        }
        Column::Sets(Sets::from_pairs(self.len(table), pairs, lexicon.words))
    }
}

/// The tags among the answers.
pub(super) fn tags<'a>(protocol: &'a Protocol, answers: &'a Answers) -> impl Iterator<Item = &'a str> {
    let asked = protocol.questions.iter().filter(|question| !question.tags().is_empty());
    asked.filter_map(|question| answers.get(&question.key)).flat_map(Answer::names).map(String::as_str)
}

/// The first line of a text that says something, as a cell.
fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    line.chars().take(LINE).collect()
}
