//! Merging a file in which systems have aliases that this study knows: what people did there comes in as it would from the hub.
//! All else there is here under its own names, or a lead's to decide.

use std::collections::{BTreeMap, HashMap};

use super::standings::Before;
use super::{MergeCount, Merger, Tried};
use crate::store::corpus::writer::CorpusWriter;
use crate::store::exchange::hub::{Home, KnownRows, Taker, deeds};
use crate::store::file::sql::all;
use crate::study::AnnotatorId;

/// The tables of what people do, each after those that it refers to; the events of a session make the candidate that is
/// judged after it.
const ROUNDS: [&[&str]; 2] = [&["protocol_version", "session", "session_event"], &["act"]];

impl Merger<'_> {
    /// Brings in what people did; returns the caches before, and the counts of events by annotator.
    pub(super) fn by_aliases(&mut self, home: &Home) -> Tried<(Before, BTreeMap<AnnotatorId, MergeCount>)> {
        self.annotators(&mut CorpusWriter::prepare(self.connection)?)?;
        let before = Before::read(self.connection, self.who_did_something()?)?;
        let people: HashMap<String, AnnotatorId> = all(self.connection, "SELECT key, id FROM annotator", [])?;
        let (mut events, mut known) = (BTreeMap::<AnnotatorId, MergeCount>::new(), KnownRows::default());
        for tables in ROUNDS {
            let mut taker = Taker::new(self.connection, home, known)?;
            for table in tables {
                let kind = if *table == "act" { "event".to_owned() } else { table.replace('_', " ") };
                for (deed, number) in self.theirs(deeds(&self.other.connection, table))? {
                    let is_new = match taker.take_from_file(&deed)? {
                        Ok(is_new) => is_new,
                        Err(why) => {
                            self.clash(&kind, why);
                            continue;
                        }
                    };
                    let count = MergeCount::of(is_new, number);
                    self.add(&kind, count);
                    if let Some(annotator) = people.get(&deed.annotator).filter(|_| *table == "act") {
                        *events.entry(*annotator).or_default() += count;
                    }
                }
            }
            known = taker.finish(false)?.1;
        }
        Ok((before, events))
    }
}
