//! Judgments that the caches of a damaged file still hold and its journal no longer gives. Without them, a judgment
//! whose event was read as something else would be lost in silence.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};

use crate::journal::Happening;
use crate::store::corpus::StudyKeys;
use crate::store::file::Tried;
use crate::store::journal::{Phrases, acts, caches};

/// The known parts of judgments, by annotator and item.
type KnownJudgments = BTreeMap<(i64, i64), Vec<String>>;

/// The caches that are read from a damaged file.
pub(super) const CACHES: [&str; 4] = ["question", "standing", "row_sum", "block_sum"];

/// Makes the caches anew, and returns a sentence for each judgment that differed in the old ones.
pub(super) fn lost(connection: &Connection) -> Tried<Vec<String>> {
    connection.execute_batch(KEEP_ASIDE)?;
    answers(connection, "known_answer")?;
    caches::rebuild(connection)?;
    answers(connection, "given_answer")?;
    let mut known = KnownJudgments::new();
    for query in [OTHER_ANSWERS, OTHER_STANDINGS] {
        let mut statement = connection.prepare(query)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let known = known.entry((row.get(0)?, row.get(1)?)).or_default();
            known.extend(row.get::<_, Option<String>>(2)?);
        }
    }
    connection.execute_batch(
        "DROP TABLE temp.known_answer; DROP TABLE temp.given_answer; DROP TABLE temp.known_standing;",
    )?;
    let keys = StudyKeys::read(connection)?;
    let mut sentences = Vec::with_capacity(known.len());
    for ((annotator, item), what) in known {
        let pair = keys.of_pair(connection, annotator, item)?;
        let what = if what.is_empty() { "no answers".to_owned() } else { what.join(", ") };
        sentences.push(format!("{pair}: {what}"));
    }
    Ok(sentences)
}

/// Puts the answers of all standings into a table, by the keys of their questions, because the numbers of
/// questions may change when standings are made anew.
fn answers(connection: &Connection, table: &str) -> Tried<()> {
    let mut phrases = Phrases::prepare(connection)?;
    let mut insert = connection.prepare(&format!(
        "INSERT OR IGNORE INTO temp.{table} (annotator, item, key, value) VALUES (?1, ?2, ?3, ?4)"
    ))?;
    let mut statement =
        connection.prepare("SELECT annotator, item, answers FROM standing WHERE answers IS NOT NULL")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let whose: [i64; 2] = [row.get(0)?, row.get(1)?];
        for (_, phrase) in acts::said(&mut phrases, row.get_ref(2)?.as_blob()?)? {
            if let Happening::Answer { question, answer } = phrase.happening() {
                insert.execute(params![whose[0], whose[1], question, answer.to_json().to_string()])?;
            }
        }
    }
    Ok(())
}

const KEEP_ASIDE: &str = "
CREATE TEMP TABLE known_answer (annotator, item, key, value, PRIMARY KEY (annotator, item, key));
CREATE TEMP TABLE given_answer (annotator, item, key, value, PRIMARY KEY (annotator, item, key));
CREATE TEMP TABLE known_standing AS SELECT annotator, item, flagged, skipped, active, comment FROM standing;
";

const OTHER_ANSWERS: &str = "
SELECT b.annotator, b.item,
  b.key || ' ' || b.value || coalesce(' (now ' || a.value || ')', '')
FROM temp.known_answer b JOIN item i ON i.id = b.item
  LEFT JOIN temp.given_answer a ON a.key = b.key AND a.annotator = b.annotator AND a.item = b.item
WHERE a.value IS NOT b.value ORDER BY b.annotator, b.item, b.key";

const OTHER_STANDINGS: &str = "
SELECT b.annotator, b.item, CASE
    WHEN s.annotator IS NULL THEN NULL
    WHEN s.comment IS NOT b.comment THEN 'the comment ' || coalesce(b.comment, '(none)')
    WHEN s.flagged <> b.flagged THEN 'the flag'
    WHEN s.skipped <> b.skipped THEN 'that it was skipped or not'
    ELSE (b.active / 1000.0) || ' s of time (now ' || (s.active / 1000.0) || ')' END
FROM temp.known_standing b LEFT JOIN standing s ON s.annotator = b.annotator AND s.item = b.item
WHERE (s.comment, s.flagged, s.skipped, s.active) IS NOT (b.comment, b.flagged, b.skipped, b.active)
ORDER BY b.annotator, b.item";
