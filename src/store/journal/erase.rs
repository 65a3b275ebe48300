//! Erasing texts for good: they are overwritten here, and in every file to which the amendment comes.
//!
//! The record keeps its name and the fingerprint of its text; judgments stay in the journal. The text is also
//! taken out of the record as it came in, of revisions, and of quotes of a document.

use rusqlite::{Connection, params};

use super::amend;
use crate::error::Error;
use crate::store::corpus::{ERASED_FIELD, LOST_FIELD, StudyKeys};
use crate::store::file::{Tried, all, change, first, one};
use crate::study::{Act, AmendedKind, Amendment, Meta, RevisedFields};
use crate::text::hash::fingerprint;

/// Overwrites the texts of erased records that are still there. Returns the amendments without these texts.
pub(super) fn settle(
    connection: &Connection,
    amendments: Vec<Amendment>,
    keys: &StudyKeys,
) -> Tried<Vec<Amendment>> {
    let erased: Vec<Amendment> = amendments.iter().filter(|one| one.act == Act::Erase).cloned().collect();
    if erased.is_empty() {
        return Ok(amendments);
    }
    for one in &erased {
        if let Some(row) = amend::row_of_subject(keys, one) {
            overwrite(connection, one, row)?;
        }
    }
    let (mut kept, mut rows) = (Vec::with_capacity(amendments.len()), amend::AmendmentRows::default());
    for amendment in amendments {
        let mut new = amendment.clone();
        erased.iter().for_each(|one| take_out(&mut new, one));
        // The amendment keeps its key, which is the same in all files.
        if new != amendment {
            let record = serde_json::to_string(&new).map_err(|error| Error::new(error.to_string()))?;
            let update = "UPDATE amendment SET record = ?2 WHERE id = ?1";
            for row in rows.find(connection, &amendment)? {
                change(connection, update, params![row, record])?;
            }
        }
        kept.push(new);
    }
    Ok(kept)
}

/// Takes the text of an erased record out of a revision.
fn take_out(amendment: &mut Amendment, erased: &Amendment) {
    if amendment.act != Act::Revise {
        return;
    }
    if amendment.subject() == erased.subject() {
        amendment.to = None;
    }
    let is_quoting = erased.of == AmendedKind::Document && amendment.collection == erased.collection;
    if let Some(RevisedFields(fields)) = amendment.to.as_mut().filter(|_| is_quoting) {
        empty_quotes(fields, &erased.id);
    }
}

/// Empties the quotes of a document in the fields of a unit; returns whether there were any.
fn empty_quotes(fields: &mut Meta, document: &str) -> bool {
    let mut is_changed = false;
    for passage in
        fields.get_mut("evidence").and_then(|evidence| evidence.as_array_mut()).into_iter().flatten()
    {
        let is_its = passage.get("document").and_then(|key| key.as_str()) == Some(document);
        if let Some(quote) = passage.get_mut("quote").filter(|quote| is_its && **quote != "") {
            *quote = "".into();
            is_changed = true;
        }
    }
    is_changed
}

/// Overwrites the text of a record, unless that was done before.
fn overwrite(connection: &Connection, erased: &Amendment, row: i64) -> Tried<()> {
    let table = erased.of.name();
    let select = format!("SELECT text, coalesce(instr(meta, ?2), 0) > 0 FROM {table} WHERE id = ?1");
    let (text, is_done): (String, bool) = one(connection, &select, params![row, ERASED_FIELD])?;
    if is_done {
        return Ok(());
    }
    // Every file knows the text as it came in, whatever revisions it has.
    let select = "SELECT record FROM original WHERE tbl = ?1 AND id = ?2";
    let original: Option<String> = first(connection, select, params![table, row])?;
    let fields: Option<Meta> = original.and_then(|record| serde_json::from_str(&record).ok());
    let came = fields.and_then(|fields| fields.get("text")?.as_str().map(str::to_owned)).unwrap_or(text);
    let mark = serde_json::json!({ LOST_FIELD: true, ERASED_FIELD: fingerprint([&came]).to_string() });
    let title =
        if matches!(erased.of, AmendedKind::Document | AmendedKind::Unit) { ", title = NULL" } else { "" };
    let update = format!("UPDATE {table} SET text = '', meta = ?2{title} WHERE id = ?1");
    change(connection, &update, params![row, mark.to_string()])?;
    change(connection, "DELETE FROM original WHERE tbl = ?1 AND id = ?2", params![table, row])?;
    if matches!(erased.of, AmendedKind::Document | AmendedKind::Unit) {
        let of = format!(
            "UPDATE evidence SET quote = '', span_start = NULL, span_end = NULL WHERE {table} = ?1 AND quote <> ''"
        );
        change(connection, &of, [row])?;
    }
    if erased.of == AmendedKind::Document {
        let units: Vec<(i64, String)> =
            all(connection, "SELECT id, record FROM original WHERE tbl = 'unit'", [])?;
        for (id, record) in units {
            let mut fields: Meta = serde_json::from_str(&record).map_err(|error| {
                Error::damaged(format!("what unit {id} was revised from cannot be read: {error}"))
            })?;
            let is_near = fields.get("collection").and_then(|key| key.as_str()) == Some(&*erased.collection);
            if is_near && empty_quotes(&mut fields, &erased.id) {
                let record = serde_json::Value::Object(fields).to_string();
                change(connection, "DELETE FROM original WHERE tbl = 'unit' AND id = ?1", [id])?;
                change(connection, "INSERT INTO original VALUES ('unit', ?1, ?2)", params![id, record])?;
            }
        }
    }
    Ok(())
}
