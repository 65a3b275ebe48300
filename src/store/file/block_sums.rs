//! Sums over the journal. Its rows are too many for a sum each, so the rows of one table and writer whose numbers lie in one
//! block have one sum together, in `block_sum`.
//!
//! The sum of a block is the exclusive or of its rows' hashes, so a row is added as it is appended. Where one bit of a row
//! was flipped, the difference of the two sums tells which: no other flip of any row gives it. So `haymark check` names the
//! row, and a recovery restores it.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher;

use rusqlite::functions::FunctionFlags;
use rusqlite::types::{ToSql, ToSqlOutput, Type, ValueRef};
use rusqlite::{Connection, params_from_iter};

use super::{JOURNALS, SumScope, SummedJournal, Tried, all_by, first};
use crate::number::{NAMED, first_of};
use crate::store::corpus::StudyKeys;
use crate::store::journal::{BITS, NUMBERS, WaitingAct, lost_writer};
use crate::text::fast::Multiply;

/// The number of a row without so many of its lowest bits is the number of its block.
pub(super) const BLOCK_BITS: u32 = 8;

/// The longest row that is searched for a flipped bit, in bytes, and the most blocks: where more differ, a page was lost and
/// not a bit.
const LONGEST: usize = 4096;
const MOST: usize = 100;

/// Adds to the sum of a block by exclusive or, for which SQLite has no operator.
const ADD: &str = "ON CONFLICT DO UPDATE SET sum = (sum | excluded.sum) - (sum & excluded.sum)";

/// The hash of a row. Each value is told from the next by its kind and length.
fn of_row<'v>(values: impl Iterator<Item = ValueRef<'v>>) -> i64 {
    let mut hash = Multiply::default();
    for value in values {
        let (kind, bytes) = match value {
            ValueRef::Null => (0, None),
            ValueRef::Integer(number) => {
                hash.write_u64(1);
                hash.write_u64(number.cast_unsigned());
                continue;
            }
            ValueRef::Real(number) => {
                hash.write_u64(2);
                hash.write_u64(number.to_bits());
                continue;
            }
            ValueRef::Text(bytes) => (3, Some(bytes)),
            ValueRef::Blob(bytes) => (4, Some(bytes)),
        };
        hash.write_u64(kind);
        if let Some(bytes) = bytes {
            hash.write_u64(bytes.len() as u64);
            hash.write(bytes);
        }
    }
    hash.finish().cast_signed()
}

/// Gives SQLite `event_sum(values …)`, which the triggers call.
pub(super) fn give_function(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        // As with `with_row`, a schema that is not trusted may call the function.
        | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function(c"event_sum", -1, flags, |context| {
        Ok(of_row((0..context.len()).map(|place| context.get_raw(place))))
    })
}

/// The trigger that keeps the sums of a table.
pub(crate) fn trigger(journal: &SummedJournal) -> String {
    let SummedJournal { table } = journal;
    let columns: Vec<String> = journal.columns().iter().map(|column| format!("new.{column}")).collect();
    format!(
        "CREATE TRIGGER {table}_is_summed AFTER INSERT ON {table} BEGIN
           INSERT INTO block_sum VALUES ('{table}', new.writer, new.seq >> {BLOCK_BITS}, event_sum({}))
           {ADD}; END;",
        columns.join(", ")
    )
}

/// The hash of the values of a row of `act`, in the order of [`JOURNALS`].
fn hash_of_act<B>(row: &WaitingAct<B>, body: &[u8]) -> i64 {
    let [writer, number] = [row.id >> BITS, row.id & NUMBERS];
    let [annotator, item, version] = row.about.map(ValueRef::Integer);
    let values = [
        ValueRef::Integer(writer),
        ValueRef::Integer(number),
        annotator,
        item,
        ValueRef::Integer(row.kind as i64),
        version,
        row.at.map_or(ValueRef::Null, ValueRef::Integer),
        ValueRef::Integer(row.active),
        row.texts.as_ref().map_or(ValueRef::Null, |texts| ValueRef::Blob(&texts.0)),
        ValueRef::Blob(body),
    ];
    of_row(values.into_iter())
}

/// Adds rows of `act` to the sums of their blocks. A trigger would take as long for each row as the row itself.
pub(crate) fn add_acts<'r, B>(
    connection: &Connection,
    rows: &'r [WaitingAct<B>],
    body: impl Fn(&'r B) -> &'r Vec<u8>,
) -> Tried<()> {
    let insert = format!("INSERT INTO block_sum VALUES ('act', ?1, ?2, ?3) {ADD}");
    let mut add = connection.prepare_cached(&insert)?;
    for together in rows.chunk_by(|one, next| one.id >> BLOCK_BITS == next.id >> BLOCK_BITS) {
        let sum = together.iter().fold(0, |sum, row| sum ^ hash_of_act(row, body(&row.body)));
        let id = together.first().map_or(0, |row| row.id);
        add.execute([id >> BITS, (id & NUMBERS) >> BLOCK_BITS, sum])?;
    }
    Ok(())
}

/// A value of a row. Its bytes are those of a text, which may be no UTF-8, or of a blob; a number has eight, the lowest first.
#[derive(Debug, Clone, PartialEq)]
struct RowValue {
    kind: Type,
    bytes: Vec<u8>,
}

impl RowValue {
    fn of(value: ValueRef<'_>) -> RowValue {
        let bytes = match value {
            ValueRef::Null => Vec::new(),
            ValueRef::Integer(number) => number.to_le_bytes().to_vec(),
            ValueRef::Real(number) => number.to_le_bytes().to_vec(),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.to_vec(),
        };
        RowValue { kind: value.data_type(), bytes }
    }

    fn value(&self) -> ValueRef<'_> {
        let eight = self.bytes.first_chunk().copied().unwrap_or_default();
        match self.kind {
            Type::Null => ValueRef::Null,
            Type::Integer => ValueRef::Integer(i64::from_le_bytes(eight)),
            Type::Real => ValueRef::Real(f64::from_le_bytes(eight)),
            Type::Text => ValueRef::Text(&self.bytes),
            Type::Blob => ValueRef::Blob(&self.bytes),
        }
    }

    fn number(&self) -> i64 {
        self.value().as_i64().unwrap_or_default()
    }

    fn len(&self) -> usize {
        if matches!(self.kind, Type::Text | Type::Blob) { self.bytes.len() } else { 8 }
    }

    /// The value with one bit flipped, by the bit's number below [`RowValue::flips`].
    fn flipped(&self, bit: usize) -> RowValue {
        /// The widths of stored integers in bits; the highest bit is the sign.
        const WIDTHS: [u32; 5] = [8, 16, 24, 32, 48];
        let mut flipped = self.clone();
        match flipped.bytes.get_mut(bit / 8) {
            Some(byte) => *byte ^= 1 << (bit % 8),
            None => {
                let width = bit.checked_sub(64).and_then(|at| WIDTHS.get(at));
                let sign = width.map_or(0, |width| -1 << (width - 1));
                flipped.bytes = (self.number() ^ sign).to_le_bytes().to_vec();
            }
        }
        flipped
    }

    fn flips(&self) -> usize {
        8 * self.bytes.len() + if self.kind == Type::Integer { 5 } else { 0 }
    }
}

impl ToSql for RowValue {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(self.value()))
    }
}

/// The values of a row in the order of [`JOURNALS`]: first writer and number.
type JournalRow = Vec<RowValue>;

/// A writer, and the highest bits of the numbers of its events.
type Block = (i64, i64);

fn hash_of(row: &JournalRow) -> i64 {
    of_row(row.iter().map(RowValue::value))
}

fn block_of(row: &JournalRow) -> Block {
    let number = |place: usize| row.get(place).map_or(0, RowValue::number);
    (number(0), number(1) >> BLOCK_BITS)
}

/// The number of rows of a table, and the sums of its blocks.
pub(crate) fn of(
    connection: &Connection,
    journal: &SummedJournal,
    scope: SumScope,
) -> rusqlite::Result<(usize, BTreeMap<Block, i64>)> {
    let mut sums = BTreeMap::new();
    let mut last: (Block, i64) = ((0, 0), 0);
    let mut number = 0;
    let mut statement = connection.prepare(&journal.select(scope))?;
    let columns = journal.columns().len();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        number += 1;
        let block = (row.get(0)?, row.get::<_, i64>(1)? >> BLOCK_BITS);
        if block != last.0 {
            *sums.entry(last.0).or_insert(0) ^= last.1;
            last = (block, 0);
        }
        // There are as many values as columns.
        last.1 ^= of_row((0..columns).map(|place| row.get_ref(place).unwrap_or(ValueRef::Null)));
    }
    *sums.entry(last.0).or_insert(0) ^= last.1;
    sums.retain(|_, sum| *sum != 0);
    Ok((number, sums))
}

/// Makes the sums of all rows.
pub(crate) fn make(connection: &Connection) -> rusqlite::Result<()> {
    let mut keep = connection.prepare("INSERT INTO block_sum VALUES (?1, ?2, ?3, ?4)")?;
    for journal in JOURNALS {
        let (_, sums) = of(connection, journal, SumScope::Study)?;
        for ((writer, block), sum) in sums {
            keep.execute((journal.table, writer, block, sum))?;
        }
    }
    Ok(())
}

/// A row in which one bit was flipped after it was written.
pub(crate) struct FlippedRow {
    journal: &'static SummedJournal,
    now: JournalRow,
    then: JournalRow,
}

/// A block that differs from its sum.
pub(crate) struct DoubtfulBlock {
    journal: &'static SummedJournal,
    block: Block,
    /// The rows of the block, where it was searched.
    rows: Option<Vec<JournalRow>>,
}

/// The parts of the journal that differ from their sums.
#[derive(Default)]
pub(crate) struct AlteredJournal {
    /// Rows of the journal in all.
    pub(crate) rows: usize,
    pub(crate) flipped: Vec<FlippedRow>,
    pub(crate) doubtful: Vec<DoubtfulBlock>,
}

/// Compares every block of the journal with its sum.
pub(crate) fn compare(connection: &Connection, scope: SumScope) -> Tried<AlteredJournal> {
    let mut altered = AlteredJournal::default();
    for journal in JOURNALS {
        let (rows, now) = of(connection, journal, scope)?;
        altered.rows += rows;
        let kept = "SELECT writer, block, sum FROM block_sum WHERE tbl = ?1 AND sum <> 0";
        let then: Vec<(Block, i64)> =
            all_by(connection, kept, [journal.table], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?;
        let mut other = now;
        for (block, sum) in then {
            *other.entry(block).or_insert(0) ^= sum;
        }
        other.retain(|_, sum| *sum != 0);
        if !other.is_empty() {
            altered.search(connection, (journal, scope), other)?;
        }
    }
    Ok(altered)
}

impl AlteredJournal {
    /// The first row or block that differs, in words.
    pub(crate) fn first(&self, connection: &Connection) -> Tried<Option<String>> {
        let (flipped, doubtful) = (self.flipped.first(), self.doubtful.first());
        let keys = if self.is_right() { StudyKeys::default() } else { StudyKeys::read(connection)? };
        match (flipped, doubtful) {
            (Some(row), _) => row.name(connection, &keys).map(Some),
            (None, Some(block)) => Ok(Some(block.name(connection, &keys)?.told(NAMED))),
            (None, None) => Ok(None),
        }
    }

    /// Whether a row, by its writer and number, lies in a block of which some row may not be what was written.
    pub(crate) fn is_doubtful(&self, table: &str, [writer, seq]: [i64; 2]) -> bool {
        let block = (writer, seq >> BLOCK_BITS);
        self.doubtful.iter().any(|one| one.journal.table == table && one.block == block)
    }

    pub(crate) fn is_right(&self) -> bool {
        self.flipped.is_empty() && self.doubtful.is_empty()
    }

    /// Searches the blocks that differ, each with its difference, for rows with a flipped bit.
    fn search(
        &mut self,
        connection: &Connection,
        (journal, scope): (&'static SummedJournal, SumScope),
        mut other: BTreeMap<Block, i64>,
    ) -> Tried<()> {
        let behind = other.keys().nth(MOST).copied();
        let not_searched = behind.map_or_else(BTreeMap::new, |block| other.split_off(&block));
        let mut found: Vec<JournalRow> = Vec::new();
        let mut statement = connection.prepare(&journal.select(scope))?;
        let columns = journal.columns().len();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if other.contains_key(&(row.get(0)?, row.get::<_, i64>(1)? >> BLOCK_BITS)) {
                let cells = (0..columns).map(|place| row.get_ref(place).map(RowValue::of));
                found.push(cells.collect::<rusqlite::Result<_>>()?);
            }
        }
        for now in found.iter().filter(|row| row.iter().map(RowValue::len).sum::<usize>() <= LONGEST) {
            if let Some(then) = as_written(now, &other) {
                for row in [now, &then] {
                    *other.entry(block_of(row)).or_insert(0) ^= hash_of(row);
                }
                self.flipped.push(FlippedRow { journal, now: now.clone(), then });
            }
        }
        other.retain(|_, sum| *sum != 0);
        for block in other.into_keys() {
            let rows = found.iter().filter(|row| block_of(row) == block).cloned().collect();
            self.doubtful.push(DoubtfulBlock { journal, block, rows: Some(rows) });
        }
        let unseen = not_searched.into_keys().map(|block| DoubtfulBlock { journal, block, rows: None });
        self.doubtful.extend(unseen);
        Ok(())
    }
}

/// The row as it was written, if one flipped bit explains the differences of its block and of the block that it was written
/// into.
fn as_written(now: &JournalRow, other: &BTreeMap<Block, i64>) -> Option<JournalRow> {
    let (here, hash) = (block_of(now), hash_of(now));
    let difference = *other.get(&here)?;
    let mut then = now.clone();
    for place in 0..then.len() {
        let cell = now.get(place)?;
        for bit in 0..cell.flips() {
            *then.get_mut(place)? = cell.flipped(bit);
            let there = block_of(&then);
            let is_it = if there == here {
                hash_of(&then) == difference ^ hash
            } else {
                hash == difference && other.get(&there).is_some_and(|sum| *sum == hash_of(&then))
            };
            if is_it {
                return Some(then);
            }
        }
        *then.get_mut(place)? = cell.clone();
    }
    None
}

impl FlippedRow {
    /// The row as it was written, in words, and the column with the flipped bit.
    pub(crate) fn name(&self, connection: &Connection, keys: &StudyKeys) -> Tried<String> {
        let place = self.now.iter().zip(&self.then).position(|(now, then)| now != then);
        let column = place.map_or("", |place| self.journal.name_of(place));
        let row = named(connection, keys, self.journal, &self.then)?;
        Ok(format!("{row}, one bit of its {column}"))
    }

    /// Puts the row back as it was written, in the table where it was found.
    pub(crate) fn restore(&self, connection: &Connection) -> Tried<()> {
        let columns = self.journal.columns();
        let is: Vec<String> = columns.iter().map(|column| format!("({column}) IS ?")).collect();
        let id = [0, 1].map(|place| self.then.get(place).map_or(0, RowValue::number));
        let id = RowValue::of(ValueRef::Integer(id[0] << BITS | id[1]));
        // The number of a row of `act` is made of two.
        let (set, then) = match self.journal.is_by_id() {
            true => (
                [&["id"], columns.get(2..).unwrap_or_default()].concat(),
                [id].iter().chain(self.then.iter().skip(2)).cloned().collect(),
            ),
            false => (columns.to_vec(), self.then.clone()),
        };
        let set: Vec<String> = set.iter().map(|column| format!("{column} = ?")).collect();
        for table in ["main.", "temp.doubled_"] {
            let table = format!("{table}{}", self.journal.table);
            let update =
                format!("UPDATE OR IGNORE {table} SET {} WHERE {}", set.join(", "), is.join(" AND "));
            if connection.execute(&update, params_from_iter(then.iter().chain(&self.now)))? > 0 {
                break;
            }
        }
        Ok(())
    }
}

impl DoubtfulBlock {
    /// The rows that may differ, in words.
    pub(crate) fn name(&self, connection: &Connection, keys: &StudyKeys) -> Tried<NamedBlock> {
        let Self { journal, block: (writer, block), rows } = self;
        let alone = |block| NamedBlock { block, subjects: Vec::new() };
        if let Some([row]) = rows.as_deref() {
            return named(connection, keys, journal, row).map(alone);
        }
        let (low, kind) = (block << BLOCK_BITS, journal.kind());
        let high = low | ((1 << BLOCK_BITS) - 1);
        let writer = writer_of(connection, journal, *writer)?;
        let block = format!("{kind}s {low} to {high} of writer {writer:016x}");
        let Some(rows) = rows else { return Ok(alone(block)) };
        let mut subjects = BTreeSet::new();
        for row in rows {
            subjects.insert(subject(connection, keys, journal, row)?);
        }
        let number = if rows.is_empty() { "none".to_owned() } else { rows.len().to_string() };
        let block = format!("{block}, of which there are {number}");
        Ok(NamedBlock { block, subjects: subjects.into_iter().collect() })
    }
}

/// A block in words, and the subjects of its rows, where they are known.
#[derive(Debug)]
pub(crate) struct NamedBlock {
    block: String,
    subjects: Vec<String>,
}

impl NamedBlock {
    /// The block, with this many subjects by name.
    pub(crate) fn told(&self, most: usize) -> String {
        match self.subjects.is_empty() {
            true => self.block.clone(),
            false => format!("{}: {}", self.block, first_of(&self.subjects, most)),
        }
    }
}

/// A row in words.
fn named(
    connection: &Connection,
    keys: &StudyKeys,
    journal: &SummedJournal,
    row: &JournalRow,
) -> Tried<String> {
    let number = |place: usize| row.get(place).map_or(0, RowValue::number);
    let writer = writer_of(connection, journal, number(0))?;
    let (kind, about) = (journal.kind(), subject(connection, keys, journal, row)?);
    Ok(format!("{kind} {} of writer {writer:016x}: {about}", number(1)))
}

fn writer_of(connection: &Connection, journal: &SummedJournal, writer: i64) -> Tried<i64> {
    if !journal.is_by_id() {
        return Ok(writer);
    }
    let key = first(connection, "SELECT key FROM writer WHERE no = ?1", [writer])?;
    Ok(key.unwrap_or_else(|| lost_writer(writer).0))
}

/// The subject of a row, in words.
fn subject(
    connection: &Connection,
    keys: &StudyKeys,
    journal: &SummedJournal,
    row: &JournalRow,
) -> Tried<String> {
    let of =
        |name: &str| journal.columns().iter().position(|column| *column == name).and_then(|at| row.get(at));
    if let (Some(annotator), Some(item)) = (of("annotator"), of("item")) {
        return keys.of_pair(connection, annotator.number(), item.number());
    }
    if let Some(session) = of("session") {
        let find = "SELECT a.key, lower(hex(s.key)) FROM session s JOIN annotator a ON a.id = s.annotator WHERE s.id = ?1";
        let found: Option<(String, String)> = first(connection, find, [session.number()])?;
        return Ok(match found {
            Some((who, key)) => format!("the session {key} of {who}"),
            None => format!("session {}", session.number()),
        });
    }
    Ok(match of("name").map(RowValue::value) {
        Some(ValueRef::Text(name)) => format!("the view {:?}", String::from_utf8_lossy(name)),
        _ => String::new(),
    })
}
