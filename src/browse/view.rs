//! A view: a table, its columns, how it is sorted and filtered. Views are saved under a name.

use serde::{Deserialize, Serialize};

use super::{Bits, BrowseTable, ColumnId, FilterError, Tables, WhoCounts, parse};
use crate::error::{Error, Result};
use crate::study::AnnotatorKind;

/// The columns and rows of a table that are shown, and their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    pub table: BrowseTable,
    /// Names of columns; empty for the table's default columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The columns to sort by, the most important first; the order of the corpus breaks ties.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sort: Vec<Sort>,
    /// The filter as it was typed; empty for all rows.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub filter: String,
    /// Whose judgments count; `None` for [`Tables::usually_counted`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<WhoCounts<String>>,
}

/// A column by which rows are sorted; rows without a value come last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sort {
    /// Name of the column.
    pub column: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub descending: bool,
}

impl View {
    /// A whole table with its default columns.
    pub fn of(table: BrowseTable) -> View {
        View { table, columns: Vec::new(), sort: Vec::new(), filter: String::new(), counts: None }
    }

    /// The view as it is saved.
    pub fn to_json(&self) -> String {
        // Texts and flags only: this cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the form of [`View::to_json`].
    ///
    /// # Errors
    /// The text is no view, or that of a newer haymark.
    pub fn from_json(body: &str) -> Result<View> {
        serde_json::from_str(body).map_err(|error| {
            Error::new(format!("the saved view cannot be read: {error}"))
                .advise("save it anew, or update haymark")
        })
    }
}

/// The rows of a table that pass a filter: the cells of a [`super::Crosstab`] count these, and open no others.
#[derive(Debug, Clone)]
pub struct FilteredRows {
    filter: String,
    rows: Bits,
}

impl FilteredRows {
    pub(super) fn has(&self, row: u32) -> bool {
        self.rows.has(row)
    }

    /// The number of rows that pass.
    pub fn count(&self) -> usize {
        self.rows.count()
    }

    /// The filter that keeps those of these rows which pass a further one too.
    pub(super) fn with(&self, further: &str) -> String {
        match self.filter.trim() {
            "" => further.to_owned(),
            filter => format!("({filter}) {further}"),
        }
    }
}

impl Tables {
    /// The annotators whose judgments count where nobody is chosen: people, or everyone where only judges have judged.
    pub fn usually_counted(&self) -> WhoCounts {
        let has_judged =
            |id| self.judged.iter().any(|table| table.rows().iter().any(|row| row.annotator() == id));
        let mut annotators = self.corpus.annotators.iter();
        match annotators.any(|(id, one)| one.kind == AnnotatorKind::Human && has_judged(*id)) {
            true => WhoCounts::People,
            false => WhoCounts::Everyone,
        }
    }

    /// Whose judgments count now, by name.
    pub fn counted_by_name(&self) -> WhoCounts<String> {
        match self.counted() {
            WhoCounts::People => WhoCounts::People,
            WhoCounts::Everyone => WhoCounts::Everyone,
            WhoCounts::Only(ids) => {
                let named = self.corpus.annotators.iter().filter(|(id, _)| ids.contains(id));
                WhoCounts::Only(named.map(|(_, annotator)| annotator.id.clone()).collect())
            }
        }
    }

    /// Lets the judgments count that count in a view.
    ///
    /// # Errors
    /// The study has no annotator whom the view names.
    pub fn count_as_in(&mut self, view: &View) -> Result<()> {
        let id = |name: &String| {
            let found = self.corpus.annotators.iter().find(|(_, annotator)| annotator.id == *name);
            found.map(|(id, _)| *id).ok_or_else(|| {
                Error::new(format!("the view counts the judgments of {name:?}, who is not in this study"))
                    .advise("save it anew with those of others")
            })
        };
        let counted = match &view.counts {
            None => self.usually_counted(),
            Some(WhoCounts::People) => WhoCounts::People,
            Some(WhoCounts::Everyone) => WhoCounts::Everyone,
            Some(WhoCounts::Only(names)) => WhoCounts::Only(names.iter().map(id).collect::<Result<_>>()?),
        };
        if counted != *self.counted() {
            self.count(counted);
        }
        Ok(())
    }

    /// The rows of a table that pass a filter; an empty one keeps all.
    pub fn filtered(
        &self,
        table: BrowseTable,
        filter: &str,
    ) -> std::result::Result<FilteredRows, FilterError> {
        Ok(FilteredRows { filter: filter.to_owned(), rows: self.select(table, &parse(filter)?)? })
    }

    /// The numbers of the rows that pass the view's filter, sorted. Sort columns that the table does not have, such as those
    /// of an absent annotator, are ignored.
    pub fn rows(&self, view: &View) -> std::result::Result<Vec<u32>, FilterError> {
        let chosen = self.select(view.table, &parse(&view.filter)?)?;
        let by: Vec<(ColumnId, bool)> = (view.sort.iter())
            .filter_map(|sort| Some((self.column(view.table, &sort.column)?, sort.descending)))
            .collect();
        let order = self.order(view.table, &by);
        Ok(order.iter().copied().filter(|row| chosen.has(*row)).collect())
    }

    /// The columns that a view shows. Columns that the table does not have are ignored.
    pub fn shown_columns(&self, view: &View) -> Vec<ColumnId> {
        if view.columns.is_empty() {
            let shown = (0..).zip(self.columns(view.table)).filter(|(_, head)| head.shown);
            return shown.map(|(place, _)| ColumnId(place)).collect();
        }
        view.columns.iter().filter_map(|name| self.column(view.table, name)).collect()
    }
}
