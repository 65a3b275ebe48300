//! The columns of tables, computed from the records or the judgments.

use indexmap::IndexSet;
use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{
    BrowseTable, Bullet, ColumnValues, ItemPlace, NONE, Sets, SystemParts, Tables, at, code, from, offers,
    pack,
};
use crate::journal::{JudgmentRow, Material};
use crate::number::short;
use crate::protocol::{Answer, Answers, Protocol};
use crate::score::{Mean, Measure, Undefined, reference_answers};
use crate::study::{Candidate, Collection, Document, Query, Target, Unit, system_name};
use crate::text::bullets::SummaryLength;
use crate::text::words;

/// A kind of record that a row can belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entity {
    Collection,
    Document,
    Query,
    Unit,
    Candidate,
    System,
}

/// The most characters of a text that a cell holds.
const LINE: usize = 300;

impl Entity {
    /// The things that have fields, by their words in filters. Where a row belongs to several, the first counts.
    pub(super) const THINGS: [(&str, Entity); 5] = [
        ("unit", Entity::Unit),
        ("candidate", Entity::Candidate),
        ("document", Entity::Document),
        ("query", Entity::Query),
        ("collection", Entity::Collection),
    ];

    /// The word for this kind in filters.
    pub(super) fn name(self) -> &'static str {
        Entity::THINGS.iter().find(|(_, thing)| *thing == self).map_or("system", |(name, _)| name)
    }

    /// The table whose rows are records of this kind, if there is one.
    pub(super) fn table(self) -> Option<BrowseTable> {
        Some(match self {
            Entity::Collection => return None,
            Entity::Document => BrowseTable::Documents,
            Entity::Query => BrowseTable::Queries,
            Entity::Unit => BrowseTable::Units,
            Entity::Candidate => BrowseTable::Candidates,
            Entity::System => BrowseTable::Systems,
        })
    }

    /// The kind of record that a row of a table is; for an item, its unit.
    pub(super) fn of(table: BrowseTable) -> Entity {
        match table {
            BrowseTable::Queries => Entity::Query,
            BrowseTable::Units | BrowseTable::Items => Entity::Unit,
            BrowseTable::Candidates => Entity::Candidate,
            BrowseTable::Systems => Entity::System,
            BrowseTable::Documents => Entity::Document,
        }
    }
}

impl BrowseTable {
    /// The things that a row belongs to, the row among them; none for a system.
    pub(super) fn things(self) -> &'static [Entity] {
        use Entity::{Candidate, Collection, Document, Query, Unit};
        match self {
            BrowseTable::Items => &[Unit, Candidate, Document, Query, Collection],
            BrowseTable::Units => &[Unit, Candidate, Query, Collection],
            BrowseTable::Candidates => &[Candidate, Query, Collection],
            BrowseTable::Documents => &[Document, Collection],
            BrowseTable::Queries => &[Query, Collection],
            BrowseTable::Systems => &[],
        }
    }
}

/// The length of several summaries together.
#[derive(Debug, Clone, Copy)]
pub(super) struct SummaryLengths {
    summaries: usize,
    words: u64,
    /// Bullets and words without headings.
    length: SummaryLength,
}

impl SummaryLengths {
    /// Mean bullets of a summary.
    pub(super) fn bullets(&self) -> Measure {
        ratio(self.length.bullets as f64, self.summaries, Undefined::NothingWritten)
    }

    /// Mean words of a summary.
    pub(super) fn words(&self) -> Measure {
        ratio(self.words as f64, self.summaries, Undefined::NothingWritten)
    }

    pub(super) fn words_per_bullet(&self) -> Measure {
        ratio(self.length.words as f64, self.length.bullets, Undefined::NoBullets)
    }
}

fn ratio(sum: f64, count: usize, reason: Undefined) -> Measure {
    if count == 0 { Err(reason) } else { Ok(sum / count as f64) }
}

pub(super) fn lengths<T>(lists: &[Vec<T>]) -> ColumnValues {
    ColumnValues::Counts(lists.iter().map(|list| list.len() as u32).collect())
}

impl Tables {
    /// The place of the record of this kind that a row belongs to; [`NONE`] where there is none, or several.
    pub(super) fn place(&self, table: BrowseTable, row: u32, entity: Entity) -> u32 {
        let relations = &self.relations;
        let of_query = |query: u32| match entity {
            Entity::Query => query,
            Entity::Collection => from(&relations.collection_of_query, query),
            _ => NONE,
        };
        match table {
            BrowseTable::Queries => of_query(row),
            BrowseTable::Units if entity == Entity::Unit => row,
            BrowseTable::Units => of_query(from(&relations.query_of_unit, row)),
            BrowseTable::Candidates => match entity {
                Entity::Candidate => row,
                Entity::System => from(&relations.system_of_candidate, row),
                _ => of_query(from(&relations.query_of_candidate, row)),
            },
            BrowseTable::Systems if entity == Entity::System => row,
            BrowseTable::Systems => NONE,
            BrowseTable::Documents => match entity {
                Entity::Document => row,
                Entity::Collection => from(&relations.collection_of_document, row),
                _ => NONE,
            },
            BrowseTable::Items => at(&relations.items, row).map_or(NONE, |item| match entity {
                Entity::Document => item.document,
                Entity::Unit => item.unit,
                Entity::Candidate => item.candidate,
                Entity::System => from(&relations.system_of_candidate, item.candidate),
                _ => of_query(item.query),
            }),
        }
    }

    /// As [`Tables::place`], but the candidate may also be the one from which the row's unit was taken. A pair has no single
    /// candidate, and no system.
    pub(super) fn part(&self, table: BrowseTable, row: u32, thing: Entity) -> u32 {
        let is_pair = || at(&self.relations.items, row).is_some_and(|item| item.other != NONE);
        match (self.place(table, row, thing), thing) {
            (_, Entity::Candidate | Entity::System) if table == BrowseTable::Items && is_pair() => NONE,
            (NONE, Entity::Candidate) => {
                from(&self.relations.owner_of_unit, self.place(table, row, Entity::Unit))
            }
            (NONE, Entity::System) => {
                let candidate = self.part(table, row, Entity::Candidate);
                from(&self.relations.system_of_candidate, candidate)
            }
            (place, _) => place,
        }
    }

    /// The row of a table that an item belongs to; [`NONE`] where it belongs to none.
    pub(super) fn row_of_item(&self, table: BrowseTable, item: u32) -> u32 {
        match table {
            BrowseTable::Items => item,
            other => self.place(BrowseTable::Items, item, Entity::of(other)),
        }
    }

    /// A column of words, each from the one record of a kind that the row belongs to.
    pub(super) fn words(
        &self,
        table: BrowseTable,
        entity: Entity,
        word: impl Fn(u32) -> Option<String>,
    ) -> ColumnValues {
        let codes = (0..self.len(table) as u32).map(|row| self.place(table, row, entity)).collect();
        ColumnValues::Words { codes, words: (0..self.records_of(entity) as u32).map(word).collect() }
    }

    /// Counts the records of a kind.
    pub(super) fn records_of(&self, entity: Entity) -> usize {
        match entity {
            Entity::Collection => self.corpus.collections.len(),
            Entity::Document => self.corpus.documents.len(),
            Entity::Query => self.corpus.queries.len(),
            Entity::Unit => self.corpus.units.len(),
            Entity::Candidate => self.corpus.candidates.len(),
            Entity::System => self.relations.systems.len(),
        }
    }

    /// The keys of the records of this kind that rows belong to.
    pub(super) fn keys(&self, table: BrowseTable, entity: Entity) -> ColumnValues {
        self.words(table, entity, |place| self.key_of(entity, place).map(Cow::into_owned))
    }

    /// By item, the key of the second candidate of its pair.
    pub(super) fn other_keys(&self) -> ColumnValues {
        let key = |place: u32| self.key_of(Entity::Candidate, place).map(Cow::into_owned);
        ColumnValues::Words {
            codes: self.relations.items.iter().map(|item| item.other).collect(),
            words: (0..self.records_of(Entity::Candidate) as u32).map(key).collect(),
        }
    }

    /// The key of a record; of a system its name.
    pub(super) fn key_of(&self, entity: Entity, place: u32) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(match entity {
            Entity::Collection => &self.collection(place)?.id,
            Entity::Document => &self.document(place)?.id,
            Entity::Query => &self.query(place)?.id,
            Entity::Unit => &self.unit(place)?.id,
            Entity::Candidate => &self.candidate(place)?.id,
            Entity::System => return Some(Cow::Owned(self.system_name(place))),
        }))
    }

    /// The first lines of the texts of the records of this kind; for a document, its title where it has one.
    pub(super) fn lines(&self, table: BrowseTable, entity: Entity) -> ColumnValues {
        self.words(table, entity, |place| match entity {
            Entity::Document => self.document(place)?.title.clone().or_else(|| self.line(entity, place)),
            _ => self.line(entity, place),
        })
    }

    fn line(&self, entity: Entity, place: u32) -> Option<String> {
        self.text_of(entity, place).map(first_line)
    }

    /// The text of a record; for a collection, its title.
    pub(super) fn text_of(&self, entity: Entity, place: u32) -> Option<&str> {
        match entity {
            Entity::Collection => self.collection(place)?.title.as_deref(),
            Entity::Document => Some(&self.document(place)?.text),
            Entity::Query => Some(&self.query(place)?.text),
            Entity::Unit => Some(&self.unit(place)?.text),
            Entity::Candidate => Some(&self.candidate(place)?.text),
            Entity::System => None,
        }
    }

    pub(super) fn collection(&self, place: u32) -> Option<&Collection> {
        at(&self.corpus.collections, place).map(|(_, collection)| collection)
    }

    pub(super) fn document(&self, place: u32) -> Option<&Document> {
        at(&self.corpus.documents, place).map(|(_, document)| document)
    }

    pub(super) fn query(&self, place: u32) -> Option<&Query> {
        at(&self.corpus.queries, place).map(|(_, query)| query)
    }

    pub(super) fn unit(&self, place: u32) -> Option<&Unit> {
        at(&self.corpus.units, place).map(|(_, unit)| unit)
    }

    pub(super) fn candidate(&self, place: u32) -> Option<&Candidate> {
        at(&self.corpus.candidates, place).map(|(_, candidate)| candidate)
    }

    pub(super) fn system(&self, place: u32) -> Option<&SystemParts> {
        at(&self.relations.systems, place)
    }

    /// The domain of a query, else of its collection.
    pub(super) fn domain(&self, query: u32) -> Option<&str> {
        let collection = from(&self.relations.collection_of_query, query);
        self.query(query)?.domain.as_deref().or_else(|| self.collection(collection)?.domain.as_deref())
    }

    /// The name of a system, as scores print it.
    pub(super) fn system_name(&self, system: u32) -> String {
        self.system(system).map_or_else(String::new, |parts| {
            system_name(parts.retriever.as_deref(), parts.summarizer.as_deref())
        })
    }

    pub(super) fn protocols(&self) -> ColumnValues {
        let words = self.judged.iter().map(|table| Some(table.protocol.name.clone())).collect();
        let codes = self.relations.items.iter().map(|item| item.protocol).collect();
        ColumnValues::Words { codes, words }
    }

    /// A measure of the lengths of each row's summaries.
    pub(super) fn measured(
        &self,
        table: BrowseTable,
        measure: fn(&SummaryLengths) -> Measure,
    ) -> ColumnValues {
        let written = |row: u32| {
            let own = [row];
            let summaries: &[u32] = match table {
                BrowseTable::Systems => {
                    at(&self.relations.candidates_of_system, row).map_or(&[], Vec::as_slice)
                }
                _ => &own,
            };
            let words = summaries.iter().filter_map(|place| at(&self.relations.words, *place));
            let lengths = summaries.iter().filter_map(|place| at(&self.relations.lengths, *place));
            SummaryLengths {
                summaries: summaries.len(),
                words: words.copied().map(u64::from).sum(),
                length: lengths.copied().sum(),
            }
        };
        ColumnValues::Numbers((0..self.len(table) as u32).map(|row| pack(measure(&written(row)))).collect())
    }

    /// Words of the summary of each row.
    pub(super) fn response_lengths(&self, table: BrowseTable) -> ColumnValues {
        let rows = 0..self.len(table) as u32;
        let words = |row| from(&self.relations.words, self.part(table, row, Entity::Candidate));
        ColumnValues::Counts(rows.map(words).collect())
    }

    /// Words of the document of each row, else of all documents of its collection.
    pub(super) fn document_lengths(&self, table: BrowseTable) -> ColumnValues {
        let of_document = |(_, document): &(_, Document)| short(words::count(&document.text));
        let of_document: Vec<u32> = self.corpus.documents.iter().map(of_document).collect();
        let of_collection = |documents: &Vec<u32>| match documents.as_slice() {
            [] => NONE,
            documents => documents.iter().map(|document| from(&of_document, *document)).sum(),
        };
        let of_collection: Vec<u32> =
            self.relations.documents_of_collection.iter().map(of_collection).collect();
        let words = |row: u32| match self.place(table, row, Entity::Document) {
            NONE => from(&of_collection, self.place(table, row, Entity::Collection)),
            document => from(&of_document, document),
        };
        ColumnValues::Counts((0..self.len(table) as u32).map(words).collect())
    }

    /// Words of each row's summary as a percentage of its documents' words.
    pub(super) fn compressions(&self, table: BrowseTable) -> ColumnValues {
        let (summaries, documents) = (self.response_lengths(table), self.document_lengths(table));
        let share = |row: u32| match (summaries.number(row), documents.number(row)) {
            (Some(summary), Some(documents)) if documents > 0.0 => pack(Ok(100.0 * summary / documents)),
            _ => pack(Err(Undefined::NoPassages)),
        };
        ColumnValues::Numbers((0..self.len(table) as u32).map(share).collect())
    }

    /// The share of each summary's bullets that cite nothing.
    pub(super) fn bullets_uncited(&self) -> ColumnValues {
        let share = |bullets: &Vec<Bullet>| {
            let uncited = bullets.iter().filter(|bullet| bullet.cited.is_empty()).count();
            pack(ratio(100.0 * uncited as f64, bullets.len(), Undefined::NoBullets))
        };
        ColumnValues::Numbers(self.relations.bullets.iter().map(share).collect())
    }

    /// A column of how often each row is named.
    pub(super) fn counts(&self, table: BrowseTable, rows: impl Iterator<Item = u32>) -> ColumnValues {
        let mut counts = vec![0; self.len(table)];
        for row in rows {
            if let Some(count) = counts.get_mut(row as usize) {
                *count += 1;
            }
        }
        ColumnValues::Counts(counts)
    }

    pub(super) fn item_counts(&self, table: BrowseTable) -> ColumnValues {
        let items = 0..self.relations.items.len() as u32;
        self.counts(table, items.map(|item| self.row_of_item(table, item)))
    }

    /// The number of units that each document contains.
    pub(super) fn gold_counts(&self) -> ColumnValues {
        let gold = self.relations.gold.iter().map(|gold| gold.iter().flatten().copied());
        self.document_counts(gold.zip(&self.relations.query_of_unit))
    }

    /// The number of candidates that cite each document.
    pub(super) fn cited_counts(&self) -> ColumnValues {
        let cited = |bullets: &Vec<Bullet>| {
            bullets.iter().flat_map(|bullet| bullet.cited.iter().copied()).collect::<BTreeSet<u32>>()
        };
        let cited = self.relations.bullets.iter().map(cited);
        self.document_counts(cited.zip(&self.relations.query_of_candidate))
    }

    /// A column of how often each document is named, by its number in the collection of a query.
    fn document_counts<'q>(
        &self,
        named: impl Iterator<Item = (impl IntoIterator<Item = u32>, &'q u32)>,
    ) -> ColumnValues {
        let collection = |query: &u32| from(&self.relations.collection_of_query, *query);
        let places = named.flat_map(|(numbers, query)| {
            numbers.into_iter().map(move |number| self.document_numbered(collection(query), number))
        });
        self.counts(BrowseTable::Documents, places)
    }

    /// The place of the document with this number in a collection; [`NONE`] where there is none.
    pub(super) fn document_numbered(&self, collection: u32, number: u32) -> u32 {
        let Some(documents) = at(&self.relations.documents_of_collection, collection) else { return NONE };
        let number_of = |place: &u32| at(&self.corpus.documents, *place).map_or(0, |(_, found)| found.number);
        let found = documents.binary_search_by_key(&number, number_of);
        found.ok().and_then(|place| documents.get(place)).copied().unwrap_or(NONE)
    }

    /// The number of each row's judgments for which `is_meant` holds.
    pub(super) fn tallied(
        &self,
        table: BrowseTable,
        is_meant: impl Fn(&Material, &JudgmentRow) -> bool,
    ) -> ColumnValues {
        let meant = self.all_rows().filter(|(_, judgments, row)| is_meant(judgments, row));
        self.counts(table, meant.map(|(item, ..)| self.row_of_item(table, item)))
    }

    /// Mean active seconds of each row's judgments, over those with a time.
    pub(super) fn seconds(&self, table: BrowseTable) -> ColumnValues {
        let mut means = vec![Mean::default(); self.len(table)];
        for (item, _, row) in self.counted_rows() {
            if let (Some(seconds), Some(mean)) =
                (row.seconds(), means.get_mut(self.row_of_item(table, item) as usize))
            {
                mean.add(seconds);
            }
        }
        ColumnValues::Numbers(means.into_iter().map(|mean| pack(mean.or(Undefined::NoTimes))).collect())
    }

    /// Sum of active seconds over the items of each candidate, over those with a time.
    pub(super) fn seconds_of_candidates(&self) -> ColumnValues {
        let mut sums: Vec<Measure> = vec![Err(Undefined::NoTimes); self.corpus.candidates.len()];
        if let ColumnValues::Numbers(seconds) = self.seconds(BrowseTable::Items) {
            for (item, seconds) in (0..).zip(seconds).filter(|(_, seconds)| !seconds.is_nan()) {
                let candidate = self.row_of_item(BrowseTable::Candidates, item);
                if let Some(sum) = sums.get_mut(candidate as usize) {
                    *sum = Ok(sum.unwrap_or(0.0) + seconds);
                }
            }
        }
        ColumnValues::Numbers(sums.into_iter().map(pack).collect())
    }

    /// The words of the field `is` that hold for each row.
    pub(super) fn states(&self, table: BrowseTable) -> ColumnValues {
        const WORDS: [&str; 5] = ["flagged", "skipped", "commented", "judged", "open"];
        let mut pairs = Vec::new();
        for (item, judgments, row) in self.all_rows() {
            let place = self.row_of_item(table, item);
            let holds = [
                row.flagged(),
                row.skipped(),
                judgments.comment(row).is_some(),
                self.is_counting(row),
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
        ColumnValues::Sets(Sets::from_pairs(self.len(table), pairs, WORDS.map(str::to_owned).to_vec()))
    }

    /// As [`Tables::keys`], but the candidate may also be the one from which the row's unit was taken.
    pub(super) fn parts(&self, table: BrowseTable, entity: Entity) -> ColumnValues {
        let codes = (0..short(self.len(table))).map(|row| self.part(table, row, entity)).collect();
        let key = |place: u32| self.key_of(entity, place).map(Cow::into_owned);
        ColumnValues::Words { codes, words: (0..short(self.records_of(entity))).map(key).collect() }
    }

    /// Whether each item's document is among the gold documents of its unit.
    pub(super) fn mapped(&self) -> ColumnValues {
        let code = |item: &ItemPlace| {
            let gold = at(&self.relations.gold, item.unit)?.as_ref()?;
            Some(u32::from(!gold.contains(&self.document(item.document)?.number)))
        };
        let codes = self.relations.items.iter().map(|item| code(item).unwrap_or(NONE)).collect();
        ColumnValues::Words { codes, words: ["yes", "no"].map(|word| Some(word.to_owned())).to_vec() }
    }

    /// Whether the reference answers each unit's question: yes, unless the unit's `meta` says no.
    pub(super) fn references(&self) -> ColumnValues {
        let codes =
            self.corpus.units.iter().map(|(_, unit)| u32::from(!reference_answers(&unit.meta))).collect();
        ColumnValues::Words { codes, words: ["yes", "no"].map(|word| Some(word.to_owned())).to_vec() }
    }

    /// How many of the numbers that each item's bullet cites belong to a document (`is_known`), or to none.
    pub(super) fn bullet_citations(&self, is_known: bool) -> ColumnValues {
        let count = |item: &ItemPlace| {
            let bullet =
                at(&self.relations.bullets, item.candidate)?.get(item.bullet.checked_sub(1)? as usize)?;
            let collection = from(&self.relations.collection_of_query, item.query);
            let documents = at(&self.relations.documents_of_collection, collection)?;
            let has = |number: &&u32| {
                documents.iter().any(|place| self.document(*place).is_some_and(|one| one.number == **number))
                    == is_known
            };
            Some(short(bullet.cited.iter().filter(has).count()))
        };
        ColumnValues::Counts(self.relations.items.iter().map(|item| count(item).unwrap_or(NONE)).collect())
    }

    /// The samples that each row is in, or has a part in.
    pub(super) fn samples(&self, table: BrowseTable) -> ColumnValues {
        let mut pairs = Vec::new();
        for (code, sample) in (0..).zip(&self.corpus.samples) {
            // A row with a part that was drawn is in the sample as well.
            for within in [table, BrowseTable::Candidates, BrowseTable::Items] {
                for row in 0..short(self.len(within)) {
                    let keys = self.target_at(within, row).and_then(|target| self.corpus.keys(&target));
                    if keys.is_some_and(|keys| sample.stratum(&keys).is_some()) {
                        let row =
                            if within == table { row } else { self.place(within, row, Entity::of(table)) };
                        pairs.push((row, code));
                    }
                }
            }
        }
        pairs.retain(|(row, _)| *row != NONE);
        pairs.sort_unstable();
        pairs.dedup();
        let names = self.corpus.samples.iter().map(|sample| sample.name.clone()).collect();
        ColumnValues::Sets(Sets::from_pairs(self.len(table), pairs, names))
    }

    /// The target of a row: for an item its own, else the records that the row belongs to.
    pub(super) fn target_at(&self, table: BrowseTable, row: u32) -> Option<Target> {
        match table {
            BrowseTable::Items => self.item_row(row).map(|item| item.target),
            _ => self.target_of(table, row),
        }
    }

    pub(super) fn tags(&self, table: BrowseTable) -> ColumnValues {
        let mut lexicon = IndexSet::new();
        let mut pairs = Vec::new();
        for (judgments, rows) in self.judged.iter().zip(&self.relations.rows_of_items) {
            let codes: Vec<Vec<u32>> = judgments
                .answer_sets()
                .iter()
                .map(|answers| {
                    tags(&judgments.protocol, answers).map(|tag| code(&mut lexicon, tag)).collect()
                })
                .collect();
            if codes.iter().all(Vec::is_empty) {
                continue;
            }
            let counted = judgments.rows().iter().filter(|row| self.is_counting(row));
            for row in counted {
                let place = self.row_of_item(table, from(rows, row.item));
                pairs.extend(codes.get(row.answers()).into_iter().flatten().map(|code| (place, *code)));
            }
        }
        ColumnValues::Sets(Sets::from_pairs(self.len(table), pairs, lexicon.into_iter().collect()))
    }

    /// The tags of all protocols, each with its label.
    pub(super) fn tags_offered(&self) -> Vec<(&str, &str)> {
        let questions = self.judged.iter().flat_map(|table| &table.protocol.questions);
        questions.filter(|question| !question.tags().is_empty()).flat_map(offers).collect()
    }
}

/// The tags among the answers of one judgment.
pub(super) fn tags<'a>(protocol: &'a Protocol, answers: &'a Answers) -> impl Iterator<Item = &'a str> {
    let asked = protocol.questions.iter().filter(|question| !question.tags().is_empty());
    asked.filter_map(|question| answers.get(&question.key)).flat_map(Answer::names).map(String::as_str)
}

/// The first line of a text that is not blank, cut to a cell.
fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    line.chars().take(LINE).collect()
}
