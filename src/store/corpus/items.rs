//! Items in the study file: their targets, and rows for new ones.

use rusqlite::types::FromSql;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};

use super::{StudyKeys, counts};
use crate::error::Result;
use crate::number::{NO_PLACE, short};
use crate::store::file::{FromRow, ProtocolId, StudyFile, Tried, all, exists};
use crate::study::{Aside, ItemId, RecordKind, TargetKeys};
pub(crate) use crate::study::{ItemRow, Target};
use crate::text::fast::FastMap;
use crate::text::hash::Fingerprint;

impl StudyFile {
    /// The items of a protocol that someone was asked or has judged, in the order of the corpus:
    /// by query, document, candidate, unit, bullet and other candidate.
    pub fn items(&self, protocol_name: &str) -> Result<Vec<ItemRow>> {
        self.read_under(protocol_name, in_corpus_order)
    }

    /// The keys of the items of a protocol, in the order of the corpus.
    pub fn item_keys(&self, protocol_name: &str) -> Result<Vec<(ItemId, TargetKeys)>> {
        self.read_under(protocol_name, |connection, protocol| {
            let keys = StudyKeys::read(connection)?;
            let items = in_corpus_order(connection, protocol)?.into_iter();
            Ok(items.map(|item| (item.id, keys.of_target(&item.target))).collect())
        })
    }
}

/// The items of a protocol in the order of the corpus. Items beside the study, such as repeats, are left out.
pub(crate) fn in_corpus_order(connection: &Connection, protocol: ProtocolId) -> Tried<Vec<ItemRow>> {
    let mut items: Vec<ItemRow> = all(
        connection,
        &format!(
            "SELECT query, document, candidate, unit, bullet, other, id FROM item
             WHERE protocol = ?1 AND aside IS NULL AND {}",
            counts("item", "id")
        ),
        [protocol.0],
    )?;
    items.sort_unstable_by_key(|item| item.target);
    items.shrink_to_fit();
    Ok(items)
}

/// The items in the order in which statistics take them: by key, which is the same in every file. So no interval and no
/// last digit depends on which file was merged into which.
pub(crate) fn in_key_order(connection: &Connection, protocol: ProtocolId) -> Tried<Vec<ItemRow>> {
    let mut items = in_corpus_order(connection, protocol)?;
    let (mut places, by_key) = (PlaceOfItem::default(), "SELECT id FROM item ORDER BY key");
    let by_key: Vec<ItemId> = all(connection, by_key, [])?;
    by_key.into_iter().enumerate().for_each(|(place, item)| places.put(item, place));
    items.sort_by_cached_key(|item| places.get(item.id).map_or(NO_PLACE, short));
    Ok(items)
}

/// The place of each item that has a row, by the number of the row, from 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct PlaceOfItem(Vec<u32>);

impl PlaceOfItem {
    pub(crate) fn put(&mut self, item: ItemId, place: usize) {
        let Ok(number) = usize::try_from(item.0) else { return };
        if self.0.len() <= number {
            self.0.resize(number + 1, NO_PLACE);
        }
        // Items are in memory, and fewer than 2³².
        self.0[number] = short(place);
    }

    pub(crate) fn get(&self, item: ItemId) -> Option<usize> {
        let place = *self.0.get(usize::try_from(item.0).ok()?)?;
        (place != NO_PLACE).then_some(place as usize)
    }
}

/// A set of places, a bit each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PlaceBits(pub(crate) Vec<u64>);

impl PlaceBits {
    pub(crate) fn insert(&mut self, place: usize) {
        if self.0.len() <= place / 64 {
            self.0.resize(place / 64 + 1, 0);
        }
        if let Some(word) = self.0.get_mut(place / 64) {
            *word |= 1 << (place % 64);
        }
    }

    pub(crate) fn has(&self, place: usize) -> bool {
        self.0.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 == 1)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        let words = self.0.iter().enumerate().filter(|(_, word)| **word != 0);
        words.flat_map(|(at, word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * 64 + bit)
        })
    }
}

/// Query, document, candidate, unit, bullet and other candidate are the first columns.
impl FromRow for Target {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Target> {
        Ok(Target {
            query: row.get(0)?,
            document: row.get(1)?,
            candidate: row.get(2)?,
            unit: row.get(3)?,
            bullet: row.get(4)?,
            other: row.get(5)?,
        })
    }
}

/// A target, and the column behind it.
impl<T: FromSql> FromRow for (Target, T) {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<(Target, T)> {
        Ok((Target::from_row(row)?, row.get(6)?))
    }
}

impl FromRow for ItemRow {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<ItemRow> {
        let (target, id) = FromRow::from_row(row)?;
        Ok(ItemRow { id, target })
    }
}

/// The records whose texts a target is about, each by its kind and row: query, document, unit, candidate and other candidate.
pub(crate) fn records_of(target: &Target) -> [(RecordKind, Option<i64>); 5] {
    [
        (RecordKind::Query, Some(target.query.0)),
        (RecordKind::Document, target.document.map(|id| id.0)),
        (RecordKind::Unit, target.unit.map(|id| id.0)),
        (RecordKind::Candidate, target.candidate.map(|id| id.0)),
        (RecordKind::Candidate, target.other.map(|id| id.0)),
    ]
}

/// Finds items and makes rows for new ones.
pub(crate) struct ItemRows<'c> {
    connection: &'c Connection,
    known: FastMap<(ProtocolId, Target, Option<Aside>), ItemId>,
    /// Whether `known` holds every item of the file.
    complete: bool,
    find: CachedStatement<'c>,
    insert: CachedStatement<'c>,
}

impl<'c> ItemRows<'c> {
    pub(crate) fn prepare(connection: &'c Connection) -> Tried<ItemRows<'c>> {
        Ok(ItemRows {
            connection,
            known: FastMap::default(),
            complete: !exists(connection, "SELECT 1 FROM item LIMIT 1", [])?,
            find: connection.prepare_cached("SELECT id FROM item WHERE key = ?1")?,
            insert: connection.prepare_cached(
                "INSERT INTO item (key, protocol, query, document, candidate, unit, bullet, other, aside, texts)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?,
        })
    }

    /// The item of this target, or the item beside the study that repeats it, made where there is none. `keys` gives the keys
    /// of the target.
    pub(crate) fn keep(
        &mut self,
        (protocol, name): (ProtocolId, &str),
        target: Target,
        aside: Option<Aside>,
        keys: impl FnOnce() -> TargetKeys,
    ) -> Tried<ItemId> {
        self.keep_with((protocol, name), target, (aside, None), keys).map(|(item, _)| item)
    }

    /// The item as [`ItemRows::keep`] has it, and whether it was made; a new row keeps the fingerprint of its texts.
    pub(crate) fn keep_with(
        &mut self,
        (protocol, name): (ProtocolId, &str),
        target: Target,
        (aside, texts): (Option<Aside>, Option<Fingerprint>),
        keys: impl FnOnce() -> TargetKeys,
    ) -> Tried<(ItemId, bool)> {
        if let Some(item) = self.known.get(&(protocol, target, aside)) {
            return Ok((*item, false));
        }
        let key = keys().item_key_beside(name, aside);
        let found =
            if self.complete { None } else { self.find.query_row([key], |row| row.get(0)).optional()? };
        let is_new = found.is_none();
        let item = match found {
            Some(item) => item,
            None => {
                let Target { query, document, candidate, unit, bullet, other } = target;
                let aside = aside.map(Aside::name);
                self.insert.execute(params![
                    key, protocol, query, document, candidate, unit, bullet, other, aside, texts
                ])?;
                ItemId(self.connection.last_insert_rowid())
            }
        };
        self.known.insert((protocol, target, aside), item);
        Ok((item, is_new))
    }

    /// Reads all items of a protocol at once, where most of them will be looked up.
    pub(crate) fn learn(&mut self, protocol: ProtocolId) -> Tried<()> {
        for item in in_corpus_order(self.connection, protocol)? {
            self.known.insert((protocol, item.target, None), item.id);
        }
        Ok(())
    }
}
