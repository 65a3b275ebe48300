//! The few ways to run a statement. Each is prepared once a connection; ids of rows go in and come out typed.

use crate::number::signed;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Params, Row};

use super::fault::Tried;

use crate::journal::Writer;
use crate::study::{
    AnnotatorId, AnnotatorKind, Aside, CandidateId, CollectionId, DocumentId, ItemId, QueryId, SessionId,
    UnitId,
};

/// Reads all rows.
pub(in crate::store) fn all<T, C: FromIterator<T>>(
    connection: &Connection,
    select: &str,
    of: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Tried<C> {
    Ok(connection.prepare_cached(select)?.query_map(of, read)?.collect::<rusqlite::Result<C>>()?)
}

/// Reads the one row; none is an error.
pub(in crate::store) fn one<T>(
    connection: &Connection,
    select: &str,
    of: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Tried<T> {
    Ok(connection.prepare_cached(select)?.query_row(of, read)?)
}

/// Reads the first row, if there is one.
pub(in crate::store) fn first<T>(
    connection: &Connection,
    select: &str,
    of: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Tried<Option<T>> {
    Ok(connection.prepare_cached(select)?.query_row(of, read).optional()?)
}

/// Runs a statement that writes; returns how many rows it changed.
pub(in crate::store) fn change(connection: &Connection, statement: &str, with: impl Params) -> Tried<usize> {
    Ok(connection.prepare_cached(statement)?.execute(with)?)
}

macro_rules! numbers_of_rows {
    ($($id:ident),* $(,)?) => {$(
        impl FromSql for $id {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<$id> {
                i64::column_result(value).map($id)
            }
        }

        impl ToSql for $id {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                self.0.to_sql()
            }
        }
    )*};
}

numbers_of_rows!(
    AnnotatorId,
    CandidateId,
    CollectionId,
    DocumentId,
    ItemId,
    ProtocolId,
    QueryId,
    QuestionId,
    SessionId,
    UnitId,
    VersionId,
    Writer,
);

macro_rules! words {
    ($($kind:ident: $what:literal),* $(,)?) => {$(
        /// Another word is damage.
        impl FromSql for $kind {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<$kind> {
                let word = value.as_str()?;
                $kind::named(word).ok_or_else(|| FromSqlError::Other(format!("{word:?} is no {}", $what).into()))
            }
        }
    )*};
}

words!(AnnotatorKind: "kind of annotator", Aside: "side of a study");

/// Turns a stored count or position, read as `u32` so that a negative one fails, into one in memory.
pub(in crate::store) fn count(stored: u32) -> usize {
    stored as usize
}

/// Turns a count or position in memory into one to store.
pub(in crate::store) fn stored(count: usize) -> i64 {
    signed(count)
}

/// Row of a protocol's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::store) struct ProtocolId(pub i64);

/// Row of one version of a protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::store) struct VersionId(pub i64);

/// Row of a question of a protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::store) struct QuestionId(pub i64);
