//! Search for words in all texts of a study. Results are kept, so that typing on narrows them.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{Bits, BrowseTable, ColumnValues, Entity, NONE, Tables, answer_words, at};
use crate::journal::JudgmentRow;
use crate::number::short;
use crate::protocol::{Answer, Answers, Protocol, QuestionKind};
use crate::text::search::Finder;
use crate::text::words::stands_alone;

/// A word or phrase to search for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Needle {
    pub(super) text: String,
    /// Whether one slip is allowed.
    pub(super) slip: bool,
}

/// The records whose texts contain a needle.
#[derive(Debug)]
pub(super) struct Hits {
    needle: Needle,
    /// The records of each kind of [`SEARCHED`].
    records: [Bits; SEARCHED.len()],
    /// The items with the needle in a comment or a written answer.
    said: Bits,
    /// The documents; searched only when a table or a filter needs them, since their texts are long.
    documents: OnceLock<Bits>,
}

/// The kinds of record that every search looks into.
const SEARCHED: [Entity; 4] = [Entity::Query, Entity::Unit, Entity::Candidate, Entity::System];

/// The latest searches.
#[derive(Debug, Default)]
pub(super) struct Searches {
    kept: Mutex<Vec<Arc<Hits>>>,
    /// Comments and written answers, with their items.
    written: OnceLock<Vec<(u32, String)>>,
}

/// How many searches are kept: the words of a filter, and their beginnings as they were typed.
const KEPT: usize = 24;

impl Searches {
    /// Drops all searches, after a judgment changed.
    pub(super) fn forget(&mut self) {
        self.kept.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        self.written.take();
    }
}

impl Needle {
    pub(super) fn finder(&self) -> Finder {
        if self.slip { Finder::near(&self.text) } else { Finder::new(&self.text) }
    }

    /// Whether every text that contains this needle contains the other.
    fn narrows(&self, other: &Needle) -> bool {
        // Graphemes always end between such characters, so a part of the needle is found wherever the needle is.
        let is_plain = |letter: char| letter.is_ascii_graphic() || letter == ' ' || stands_alone(letter);
        let contains = || self.text.to_ascii_lowercase().contains(&other.text.to_ascii_lowercase());
        !self.slip && !other.slip && !other.text.is_empty() && self.text.chars().all(is_plain) && contains()
    }
}

/// The annotators whose comments a test is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhoComments {
    Everyone,
    /// The annotator at this place.
    One(u16),
}

impl Tables {
    /// The records whose texts contain a needle. An earlier search for a part of it narrows the search.
    pub(super) fn hits(&self, needle: &Needle) -> Arc<Hits> {
        let mut kept = self.searches.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = kept.iter().position(|hits| hits.needle == *needle) {
            let hits = kept.remove(place);
            kept.push(Arc::clone(&hits));
            return hits;
        }
        let wider = kept.iter().filter(|hits| needle.narrows(&hits.needle));
        let wider = wider.max_by_key(|hits| hits.needle.text.len()).cloned();
        let hits = Arc::new(self.search(needle, wider.as_deref()));
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push(Arc::clone(&hits));
        hits
    }

    fn search(&self, needle: &Needle, wider: Option<&Hits>) -> Hits {
        let finder = needle.finder();
        let records = std::array::from_fn(|kind| {
            let within = wider.map(|hits| &hits.records[kind]);
            Bits::of(self.records_of(SEARCHED[kind]), |place| {
                within.is_none_or(|bits| bits.has(place)) && self.is_in(&finder, SEARCHED[kind], place)
            })
        });
        let mut said = Bits::none(self.relations.items.len());
        for (item, text) in self.written() {
            if wider.is_none_or(|hits| hits.said.has(*item)) && finder.is_in(text) {
                said.insert(*item);
            }
        }
        let documents = OnceLock::new();
        if let Some(bits) = wider.and_then(|hits| hits.documents.get()) {
            let _ = documents.set(self.search_documents(&finder, Some(bits)));
        }
        Hits { needle: needle.clone(), records, said, documents }
    }

    /// Whether the needle is in the text, title or key of a record.
    fn is_in(&self, finder: &Finder, entity: Entity, place: u32) -> bool {
        let title = match entity {
            Entity::Unit => self.unit(place).and_then(|unit| unit.title.as_deref()),
            Entity::Document => self.document(place).and_then(|document| document.title.as_deref()),
            _ => None,
        };
        let texts = [self.text_of(entity, place), title];
        texts.into_iter().flatten().any(|text| finder.is_in(text))
            || self.key_of(entity, place).is_some_and(|key| finder.is_in(&key))
    }

    fn search_documents(&self, finder: &Finder, within: Option<&Bits>) -> Bits {
        Bits::of(self.corpus.documents.len(), |place| {
            within.is_none_or(|bits| bits.has(place)) && self.is_in(finder, Entity::Document, place)
        })
    }

    /// The documents that contain a needle.
    fn document_hits<'h>(&self, hits: &'h Hits) -> &'h Bits {
        hits.documents.get_or_init(|| self.search_documents(&hits.needle.finder(), None))
    }

    /// Comments and written answers, with their items.
    fn written(&self) -> &[(u32, String)] {
        self.searches.written.get_or_init(|| {
            let mut written = Vec::new();
            let has_texts: Vec<Vec<bool>> = (self.judged.iter())
                .map(|table| {
                    let is_text = |answers| !texts(&table.protocol, answers).is_empty();
                    table.answer_sets().iter().map(is_text).collect()
                })
                .collect();
            for ((table, rows), has_texts) in
                self.judged.iter().zip(&self.relations.rows_of_items).zip(&has_texts)
            {
                for row in table.rows() {
                    let item = super::relations::from(rows, row.item);
                    written.extend(table.comment(row).map(|comment| (item, comment.to_owned())));
                    if has_texts.get(row.answers()) == Some(&true) {
                        let texts = texts(&table.protocol, table.answers(row));
                        written.extend(texts.into_iter().map(|text| (item, text)));
                    }
                }
            }
            written
        })
    }

    /// The writing of counted annotators about each row: comments, and answers in words.
    pub(super) fn written_words(&self, table: BrowseTable) -> ColumnValues {
        let mut of_rows: Vec<Vec<String>> = vec![Vec::new(); self.len(table)];
        for (item, judgments, row) in self.all_rows().filter(|(.., row)| self.is_counted(row.annotator())) {
            if let Some(written) = of_rows.get_mut(self.row_of_item(table, item) as usize) {
                written.extend(judgments.comment(row).map(str::to_owned));
                written.extend(texts(&judgments.protocol, judgments.answers(row)));
            }
        }
        let words = of_rows.into_iter().map(|written| (!written.is_empty()).then(|| written.join(" · ")));
        ColumnValues::Words { codes: (0..short(self.len(table))).collect(), words: words.collect() }
    }

    /// The rows of a table with the needle in a text: their own, that of their query, or what people wrote about
    /// them. The texts of documents count for the table of documents and for items about one.
    pub(super) fn rows_with(&self, table: BrowseTable, needle: &Needle) -> Bits {
        let hits = self.hits(needle);
        let mut said = Bits::none(self.len(table));
        for item in (0..self.relations.items.len() as u32).filter(|item| hits.said.has(*item)) {
            said.insert(self.row_of_item(table, item));
        }
        let about_documents = match table {
            BrowseTable::Documents => true,
            BrowseTable::Items => self.relations.items.iter().any(|item| item.document != NONE),
            _ => false,
        };
        let documents = about_documents.then(|| self.document_hits(&hits));
        Bits::of(self.len(table), |row| {
            let has = |entity, bits: &Bits| bits.has(self.place(table, row, entity));
            said.has(row)
                || SEARCHED.into_iter().zip(&hits.records).any(|(entity, bits)| has(entity, bits))
                || documents.is_some_and(|bits| has(Entity::Document, bits))
        })
    }

    /// The rows of a table with the needle in a document: the judged one, else the gold documents of the unit, else the
    /// documents that the candidate cites, else all of the collection.
    pub(super) fn rows_with_document(&self, table: BrowseTable, needle: &Needle) -> Bits {
        let hits = self.hits(needle);
        let holds = self.document_hits(&hits);
        let in_collection = |collection: u32, mut numbers: &mut dyn Iterator<Item = u32>| {
            (&mut numbers).any(|number| holds.has(self.document_numbered(collection, number)))
        };
        Bits::of(self.len(table), |row| {
            let place = |entity| self.place(table, row, entity);
            let (document, collection) = (place(Entity::Document), place(Entity::Collection));
            let gold = at(&self.relations.gold, place(Entity::Unit)).and_then(Option::as_ref);
            let bullets = at(&self.relations.bullets, place(Entity::Candidate));
            match (gold, bullets) {
                _ if document != NONE => holds.has(document),
                (Some(gold), _) => in_collection(collection, &mut gold.iter().copied()),
                (None, Some(bullets)) => {
                    let cited = bullets.iter().flat_map(|bullet| bullet.cited.iter().copied());
                    in_collection(collection, &mut { cited })
                }
                (None, None) => {
                    let all = at(&self.relations.documents_of_collection, collection);
                    all.is_some_and(|all| all.iter().any(|place| holds.has(*place)))
                }
            }
        })
    }

    /// The rows of a table with a comment for which `fits` holds.
    pub(super) fn rows_with_comment(
        &self,
        table: BrowseTable,
        who: WhoComments,
        fits: impl Fn(&str) -> bool,
    ) -> Bits {
        let mut bits = Bits::none(self.len(table));
        let one = match who {
            WhoComments::Everyone => None,
            WhoComments::One(place) => self.corpus.annotators.get(usize::from(place)).map(|(id, _)| *id),
        };
        let is_hers = |row: &JudgmentRow| one.is_none_or(|one| one == row.annotator());
        for (item, judgments, row) in self.all_rows() {
            if is_hers(row) && judgments.comment(row).is_some_and(&fits) {
                bits.insert(self.row_of_item(table, item));
            }
        }
        bits
    }
}

/// The written texts among the answers of one judgment.
fn texts(protocol: &Protocol, answers: &Answers) -> Vec<String> {
    let is_written = |kind: &QuestionKind| {
        matches!(
            kind,
            QuestionKind::Text { .. } | QuestionKind::Points { .. } | QuestionKind::Passages { .. }
        )
    };
    let asked = protocol.questions.iter().filter(|question| is_written(&question.kind));
    let given = asked.filter_map(|question| answers.get(&question.key));
    given.filter(|answer| **answer != Answer::Nothing).flat_map(answer_words).collect()
}
