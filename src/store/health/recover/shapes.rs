//! Assigning rows to tables: by the trees of pages, and by the shape of rows.

use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::Connection;
use rusqlite::types::Value;

use super::pages::{PageKind, Pages, RawRow};
use crate::journal::Happening;
use crate::store::file::{Tried, all_by};

/// The shape of a table's rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shape {
    pub(super) table: String,
    /// The columns in the order of a stored row.
    pub(super) columns: Vec<SchemaColumn>,
    has_rowid: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct SchemaColumn {
    pub(super) name: String,
    kind: String,
    required: bool,
    pub(super) is_rowid: bool,
}

/// Columns whose numbers haymark reads as 32 bits.
const SMALL: [&str; 3] = ["number", "bullet", "version"];

/// Columns with packed words.
const PACKED: [&str; 2] = ["body", "answers"];

/// The shapes of all tables of a study.
pub(super) fn shapes(study: &Connection) -> Tried<Vec<Shape>> {
    let mut tables: Vec<(String, bool)> = Vec::new();
    study.pragma_query(None, "table_list", |row| {
        let name: String = row.get("name")?;
        if row.get::<_, String>("schema")? == "main" && !name.starts_with("sqlite_") {
            tables.push((name, !row.get::<_, bool>("wr")?));
        }
        Ok(())
    })?;
    tables.into_iter().map(|(table, has_rowid)| Shape::read(study, table, has_rowid)).collect()
}

impl Shape {
    fn read(study: &Connection, table: String, has_rowid: bool) -> Tried<Shape> {
        let mut columns: Vec<(i64, SchemaColumn)> = Vec::new();
        study.pragma(None, "table_info", &table, |row| {
            let (key, kind): (i64, String) = (row.get("pk")?, row.get("type")?);
            let is_rowid = has_rowid && key == 1 && kind == "INTEGER";
            let required: bool = row.get("notnull")?;
            columns.push((key, SchemaColumn { name: row.get("name")?, kind, required, is_rowid }));
            Ok(())
        })?;
        if !has_rowid {
            // The key comes first.
            columns.sort_by_key(|(key, _)| if *key == 0 { i64::MAX } else { *key });
        }
        Ok(Shape { table, columns: columns.into_iter().map(|(_, column)| column).collect(), has_rowid })
    }

    /// Whether a row has the table's shape.
    pub(super) fn fits(&self, row: &RawRow) -> bool {
        self.has_rowid == row.rowid.is_some()
            && row.values.len() == self.columns.len()
            && self.columns.iter().zip(&row.values).all(|(column, value)| column.takes(value))
    }

    /// Whether rows of the table differ from those of indexes, which have no numbers of their own and hold mostly numbers.
    fn is_telling(&self) -> bool {
        self.has_rowid || self.columns.len() > 3 && self.columns.iter().any(|column| column.kind != "INTEGER")
    }
}

impl SchemaColumn {
    fn takes(&self, value: &Value) -> bool {
        match value {
            Value::Null => self.is_rowid || !self.required,
            Value::Integer(number) => {
                let is_small = u32::try_from(*number).is_ok() || !SMALL.contains(&self.name.as_str());
                !self.is_rowid && is_small && matches!(self.kind.as_str(), "INTEGER" | "REAL")
            }
            Value::Real(number) => self.kind == "REAL" && number.is_finite(),
            Value::Text(_) => self.kind == "TEXT",
            // Every other blob of a study is a fingerprint.
            Value::Blob(bytes) => {
                self.kind == "BLOB" && (bytes.len() == 16 || PACKED.contains(&self.name.as_str()))
            }
        }
    }
}

/// The root pages of tables and indexes, by name.
pub(super) fn roots(pages: &Pages, study: &Connection) -> Tried<BTreeMap<String, usize>> {
    let mut roots: BTreeMap<String, usize> =
        all_by(study, "SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0", [], |row| {
            Ok((row.get(0)?, crate::store::file::sql::count(row.get(1)?)))
        })?;
    // A new study has its trees at the same pages; one that was brought up to date has other ones, which its
    // schema gives unless that page is lost.
    for page in 1..=pages.count() {
        if pages.kind(page) != Some(PageKind::LeafTable) {
            continue;
        }
        for row in pages.rows(page, PageKind::LeafTable) {
            if let [Value::Text(kind), Value::Text(name), Value::Text(_), Value::Integer(root), _] =
                &row.values[..]
                && matches!(kind.as_str(), "table" | "index")
                && let Ok(root) = usize::try_from(*root)
                && (2..=pages.count()).contains(&root)
            {
                roots.insert(name.clone(), root);
            }
        }
    }
    Ok(roots)
}

/// Hands over the rows of a tree, page by page, as far as its pages can be followed; returns the number of
/// pages that hold fewer rows than they give, or do not give their kind.
fn walk(
    pages: &Pages,
    root: usize,
    leaf: PageKind,
    mut take: impl FnMut(usize, Vec<RawRow>) -> usize,
) -> usize {
    let mut open = vec![root];
    let mut seen = HashSet::new();
    let mut damaged = 0;
    while let Some(page) = open.pop() {
        if !seen.insert(page) {
            continue;
        }
        // A page that does not give its kind may still hold its rows.
        let kind = pages.kind(page).unwrap_or(leaf);
        if matches!(kind, PageKind::InteriorTable | PageKind::InteriorIndex) {
            open.extend(pages.children(page));
        }
        let said = pages.kind(page).map(|kind| pages.expected(page, kind));
        let taken = take(page, pages.rows(page, kind));
        damaged += usize::from(said != Some(taken));
    }
    damaged
}

/// Hands over every readable row with its table: by the trees first, then from pages that no tree
/// leads to any more. Returns the number of damaged pages by table.
pub(super) fn for_each_row(
    pages: &Pages,
    shapes: &[Shape],
    roots: &BTreeMap<String, usize>,
    mut take: impl FnMut(&Shape, &RawRow) -> Tried<()>,
) -> Tried<BTreeMap<String, usize>> {
    let mut damaged = BTreeMap::new();
    let mut taken: HashSet<usize> = pages.free().into_iter().collect();
    let mut outcome = Ok(());
    for shape in shapes {
        let leaf = if shape.has_rowid { PageKind::LeafTable } else { PageKind::LeafIndex };
        let Some(root) = roots.get(&shape.table) else { continue };
        let pages_damaged = walk(pages, *root, leaf, |page, rows| {
            let fitting: Vec<&RawRow> = rows.iter().filter(|row| shape.fits(row)).collect();
            for row in &fitting {
                taken.insert(page);
                if outcome.is_ok() {
                    outcome = take(shape, row);
                }
            }
            fitting.len()
        });
        if pages_damaged > 0 {
            damaged.insert(shape.table.clone(), pages_damaged);
        }
    }
    outcome?;
    for page in (1..=pages.count()).filter(|page| !taken.contains(page)) {
        let Some(kind) = pages.kind(page) else { continue };
        for row in pages.rows(page, kind) {
            // Phrases look like other pairs of texts, but for their kinds.
            let is_phrase = matches!(&row.values[..], [_, Value::Text(kind), _]
                if Happening::KINDS.contains(&kind.as_str()));
            let is_of = |shape: &&Shape| shape.fits(&row) && (!is_phrase || shape.table == "phrase");
            let mut fitting = shapes.iter().filter(is_of);
            if let (Some(shape), None) = (fitting.next().filter(|shape| shape.is_telling()), fitting.next()) {
                take(shape, &row)?;
            }
        }
    }
    Ok(damaged)
}

/// The rows of an index.
pub(super) fn index(pages: &Pages, roots: &BTreeMap<String, usize>, name: &str) -> Vec<Vec<Value>> {
    let mut found = Vec::new();
    if let Some(root) = roots.get(name) {
        walk(pages, *root, PageKind::LeafIndex, |_, rows| {
            found.extend(rows.into_iter().map(|row| row.values));
            0
        });
    }
    found
}

/// The names that a unique index of a table gives its rows: the columns of the index by row.
pub(super) fn names(
    pages: &Pages,
    roots: &BTreeMap<String, usize>,
    table: &str,
    number: usize,
) -> HashMap<i64, Vec<Value>> {
    let rows = index(pages, roots, &format!("sqlite_autoindex_{table}_{number}"));
    rows.into_iter()
        .filter_map(|mut values| match values.pop() {
            Some(Value::Integer(row)) => Some((row, values)),
            _ => None,
        })
        .collect()
}
