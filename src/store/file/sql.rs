//! The few ways to run a statement. Each is prepared once a connection; ids of rows go in and come out typed.

use crate::number::signed;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Params, Row};

use super::Tried;

use crate::journal::Writer;
use crate::study::{
    AnnotatorId, AnnotatorKind, Aside, CandidateId, CollectionId, DocumentId, ItemId, QueryId, SessionId,
    UnitId,
};
use crate::text::hash::Fingerprint;

/// A value that a row is read into.
pub(crate) trait FromRow: Sized {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self>;
}

impl<T: FromSql> FromRow for Option<T> {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        row.get(0)
    }
}

macro_rules! first_columns {
    ($($value:ty),* $(,)?) => {$(
        impl FromRow for $value {
            fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
                row.get(0)
            }
        }
    )*};
}

first_columns!(bool, i64, u32, String, Vec<u8>);

/// A count, read as `u32` so that a negative one fails.
impl FromRow for usize {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        row.get(0).map(count)
    }
}

macro_rules! first_columns_together {
    ($(($($value:ident $place:literal),*))*) => {$(
        impl<$($value: FromSql),*> FromRow for ($($value,)*) {
            fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
                Ok(($(row.get($place)?,)*))
            }
        }
    )*};
}

first_columns_together! { (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) }

/// Reads all rows.
pub(crate) fn all<T: FromRow, C: FromIterator<T>>(
    connection: &Connection,
    select: &str,
    of: impl Params,
) -> Tried<C> {
    all_by(connection, select, of, T::from_row)
}

/// Reads the one row; none is an error.
pub(crate) fn one<T: FromRow>(connection: &Connection, select: &str, of: impl Params) -> Tried<T> {
    one_by(connection, select, of, T::from_row)
}

/// Reads the first row, if there is one.
pub(crate) fn first<T: FromRow>(connection: &Connection, select: &str, of: impl Params) -> Tried<Option<T>> {
    first_by(connection, select, of, T::from_row)
}

/// Whether there is a row.
pub(crate) fn exists(connection: &Connection, select: &str, of: impl Params) -> Tried<bool> {
    Ok(connection.prepare_cached(select)?.exists(of)?)
}

/// Reads all rows by a function of their own.
pub(crate) fn all_by<T, C: FromIterator<T>>(
    connection: &Connection,
    select: &str,
    of: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Tried<C> {
    Ok(connection.prepare_cached(select)?.query_map(of, read)?.collect::<rusqlite::Result<C>>()?)
}

/// Reads the one row by a function of its own; none is an error.
pub(crate) fn one_by<T>(
    connection: &Connection,
    select: &str,
    of: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Tried<T> {
    Ok(connection.prepare_cached(select)?.query_row(of, read)?)
}

/// Reads the first row, if there is one, by a function of its own.
pub(crate) fn first_by<T>(
    connection: &Connection,
    select: &str,
    of: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Tried<Option<T>> {
    Ok(connection.prepare_cached(select)?.query_row(of, read).optional()?)
}

/// Runs a statement that writes; returns how many rows it changed.
pub(crate) fn change(connection: &Connection, statement: &str, with: impl Params) -> Tried<usize> {
    Ok(connection.prepare_cached(statement)?.execute(with)?)
}

macro_rules! stored_as {
    ($stored:ty: $($value:ident),* $(,)?) => {$(
        first_columns!($value);

        impl FromSql for $value {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<$value> {
                <$stored>::column_result(value).map($value)
            }
        }

        impl ToSql for $value {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                self.0.to_sql()
            }
        }
    )*};
}

stored_as!(
    i64: AnnotatorId,
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

stored_as!([u8; 16]: Fingerprint);

macro_rules! words {
    ($($kind:ident: $what:literal),* $(,)?) => {$(
        first_columns!($kind);

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
pub(crate) fn count(stored: u32) -> usize {
    stored as usize
}

/// Turns a count or position in memory into one to store.
pub(crate) fn stored(count: usize) -> i64 {
    signed(count)
}

/// Row of a protocol's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ProtocolId(pub i64);

/// Row of one version of a protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct VersionId(pub i64);

/// Row of a question of a protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct QuestionId(pub i64);
