//! People under other names, in files that are given away.

use std::collections::{BTreeMap, HashMap};

use rusqlite::params;

use crate::error::Result;
use crate::store::file::{StudyFile, Tried, all, named, one};
use crate::store::journal::sessions::summarizer_of;

/// Temporary tables of this connection, which SQLite reads in the place of the file's.
const SHADOWS: &str = "
CREATE TEMP TABLE told (was TEXT PRIMARY KEY, is_now TEXT NOT NULL) STRICT;
CREATE TEMP TABLE annotator (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, meta TEXT) STRICT;
CREATE TEMP VIEW candidate AS
  SELECT c.id, c.query, c.key, coalesce((SELECT t.is_now FROM told t WHERE t.was = c.summarizer), c.summarizer) AS summarizer,
    c.retriever, c.document_order, c.meta, c.text
  FROM main.candidate c;
";

impl StudyFile {
    /// From now on this opening shows annotators under these names only, as judges and as writers of summaries
    /// in sessions. Nothing in the file changes. Free fields of a person with a new name are left out. Texts that people wrote
    /// may name anybody, and so may the annotator whose answers an adjudication took: both stay as they are.
    pub fn tell_as(&self, names: &HashMap<String, String>) -> Result<()> {
        let tell = || -> Tried<()> {
            // A reading would roll back tables that are made within it, so these are made outside of one.
            let connection = &self.connection;
            type Row = (i64, String, String, Option<String>, bool);
            let select =
                "SELECT id, key, kind, meta, id IN (SELECT annotator FROM joined) FROM annotator ORDER BY id";
            let annotators: Vec<Row> = all(connection, select, [])?;
            connection.execute_batch(SHADOWS)?;
            let mut annotator = connection.prepare("INSERT INTO temp.annotator VALUES (?1, ?2, ?3, ?4)")?;
            let mut told = connection.prepare("INSERT INTO temp.told VALUES (?1, ?2)")?;
            for (id, key, kind, meta, is_joined) in annotators {
                let name = names.get(&key).unwrap_or(&key);
                let meta = meta.filter(|_| *name == key);
                // A row of its own keeps each name of a person.
                let row = if is_joined && *name != key { format!("{name} ({id})") } else { name.clone() };
                annotator.execute(params![id, row, kind, meta])?;
                told.execute([summarizer_of(&key), summarizer_of(name)])?;
            }
            Ok(())
        };
        named(&self.path, tell())
    }

    /// The new names of people in this opening, by their names in the file; people who keep theirs are left out.
    pub fn names_told(&self) -> Result<BTreeMap<String, String>> {
        self.read(|connection| {
            let is_told = "SELECT count(*) FROM sqlite_temp_master WHERE name = 'told'";
            if one::<i64>(connection, is_told, [])? == 0 {
                return Ok(BTreeMap::new());
            }
            let names = "SELECT m.key, t.key FROM main.annotator m JOIN temp.annotator t USING (id) WHERE m.key <> t.key";
            all(connection, names, [])
        })
    }
}
