//! Items for a judge outside of haymark: handing over those that it has not judged, finding those that its
//! answers name, and keeping the record of how it was asked.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use rusqlite::{Connection, params};

use super::{DocumentCache, load, order};
use crate::error::{Error, Result};
use crate::journal::ItemState;
use crate::protocol::{Protocol, builtins};
use crate::store::corpus::writer::add_annotator;
use crate::store::corpus::{StudyKeys, Target, protocols, read};
use crate::store::file::{LONG_PATIENCE, StudyFile, Tried, all, first};
use crate::store::journal::{amend, state_code};
use crate::study::{
    Annotator, AnnotatorKind, AskedItem, Item, ItemId, ItemKey, JudgeRun, Meta, ProtocolText, QueryId,
    RunOnRecord, judge_run,
};

/// The row of an item that has none: SQLite counts rows from 1.
const NO_ROW: ItemId = ItemId(0);

impl StudyFile {
    /// Collection and query of all items that an annotator judged under this version of a protocol.
    pub fn queries_judged(&self, annotator: &str, protocol: &Protocol) -> Result<HashSet<[String; 2]>> {
        self.read(|connection| {
            let queries: HashSet<QueryId> =
                judged(connection, annotator, protocol)?.into_iter().map(|target| target.query).collect();
            let keys = queries.into_iter().map(|query| -> Tried<[String; 2]> {
                let query = read::query(connection, query)?;
                Ok([query.collection, query.id])
            });
            keys.collect()
        })
    }

    /// The records of how judges were asked, in the order of the first use.
    pub fn judge_runs(&self) -> Result<Vec<RunOnRecord>> {
        Ok(judge_run::runs(&self.amendments()?))
    }

    /// Puts on record how a judge is asked, unless it is there.
    ///
    /// # Errors
    /// The judge has no name or is a person, or the file cannot be written.
    pub fn put_judge_run(&mut self, judge: &str, run: &JudgeRun, now_ms: i64) -> Result<()> {
        let is_there = self.read(|connection| check_judge(connection, judge))?;
        if self.judge_runs()?.iter().any(|known| known.judge == judge && known.run == *run) {
            return Ok(());
        }
        self.write(LONG_PATIENCE, |transaction| {
            // The record needs an annotator that it is about.
            if !is_there {
                let new = Annotator { id: judge.to_owned(), kind: AnnotatorKind::Model, meta: Meta::new() };
                add_annotator(transaction, None, &new)?;
            }
            amend::put(transaction, &run.asked(judge, now_ms))
        })
    }

    /// Hands over the items of a protocol that a judge has not judged under this version of it, in the
    /// order of the corpus, and returns how many items the protocol has. A judge whom the study does not
    /// know has judged none. The `id` of the items is 0.
    ///
    /// # Errors
    /// The judge has no name or is a person, there is nothing to judge, the file cannot be read, or
    /// `take` fails.
    pub fn for_each_unjudged(
        &self,
        judge: &str,
        protocol: &Protocol,
        mut take: impl FnMut(&Item) -> Result<()>,
    ) -> Result<usize> {
        self.read_once(|connection| {
            check_judge(connection, judge)?;
            let targets = order::targets(connection, protocol, &StudyKeys::read(connection)?)?;
            if targets.is_empty() {
                return Err(order::nothing_to_judge(connection, protocol)?.into());
            }
            let judged = judged(connection, judge, protocol)?;
            let mut documents = DocumentCache::default();
            for target in targets.iter().filter(|target| !judged.contains(target)) {
                take(&load::shown(connection, &mut documents, protocol, NO_ROW, target)?)?;
            }
            Ok(targets.len())
        })
    }
}

/// Refuses a person, who judges in haymark; returns whether the study knows the judge.
fn check_judge(connection: &Connection, judge: &str) -> Tried<bool> {
    if judge.is_empty() {
        return Err(Error::new("the judge has no name").advise("give one with --as").into());
    }
    let is_person: Option<bool> =
        first(connection, "SELECT kind <> 'model' FROM annotator WHERE key = ?1", [judge])?;
    match is_person {
        Some(true) => Err(Error::new(format!("{judge:?} is a person, who judges with `haymark annotate`"))
            .advise("name a model with --as")
            .into()),
        known => Ok(known.is_some()),
    }
}

fn judged(connection: &Connection, judge: &str, protocol: &Protocol) -> Tried<HashSet<Target>> {
    all(
        connection,
        "SELECT i.query, i.document, i.candidate, i.unit, i.bullet, i.other FROM standing s
             JOIN annotator a ON a.id = s.annotator AND a.key = ?1
             JOIN item i ON i.id = s.item JOIN protocol p ON p.id = i.protocol AND p.name = ?2
             WHERE s.state = ?3",
        params![judge, protocol.name, state_code(ItemState::Judged)],
    )
}

/// Finds items by their keys, whether or not they have rows.
#[derive(Default)]
pub(crate) struct AskedItems {
    documents: DocumentCache,
    /// Versions of protocols whose items were looked through already.
    known: Vec<ProtocolItems>,
    /// Names and versions of protocols that were looked for, found or not.
    looked_for: HashSet<(String, u32)>,
}

/// All items of one version of a protocol.
struct ProtocolItems {
    protocol: Protocol,
    text: Rc<ProtocolText>,
    targets: HashMap<ItemKey, Target>,
}

impl AskedItems {
    /// The item of this key under the version of this number of any protocol.
    pub(crate) fn find(
        &mut self,
        connection: &Connection,
        keys: &StudyKeys,
        key: ItemKey,
        version: u32,
    ) -> Tried<Option<AskedItem>> {
        let has =
            |known: &ProtocolItems| known.protocol.version == version && known.targets.contains_key(&key);
        if !self.known.iter().any(has) {
            self.look_further(connection, keys, version, has)?;
        }
        let Some(known) = self.known.iter().find(|known| has(known)) else { return Ok(None) };
        let Some(target) = known.targets.get(&key) else { return Ok(None) };
        let item = load::shown(connection, &mut self.documents, &known.protocol, NO_ROW, target)?;
        Ok(Some(AskedItem { protocol: Rc::clone(&known.text), item }))
    }

    /// Reads the items of one protocol after another until one has the item: a file of answers is mostly
    /// about one protocol.
    fn look_further(
        &mut self,
        connection: &Connection,
        keys: &StudyKeys,
        version: u32,
        is_enough: impl Fn(&ProtocolItems) -> bool,
    ) -> Tried<()> {
        let own = protocols::names(connection)?.into_iter().map(|(_, name)| name);
        let names: Vec<String> = own.chain(builtins().iter().map(|protocol| protocol.name.clone())).collect();
        for name in names {
            if !self.looked_for.insert((name.clone(), version)) {
                continue;
            }
            let Some(protocol) = protocols::find_version(connection, &name, version)? else { continue };
            let known = ProtocolItems::read(connection, keys, protocol)?;
            let is_found = is_enough(&known);
            self.known.push(known);
            if is_found {
                break;
            }
        }
        Ok(())
    }
}

impl ProtocolItems {
    fn read(connection: &Connection, keys: &StudyKeys, protocol: Protocol) -> Tried<ProtocolItems> {
        let targets = order::targets(connection, &protocol, keys)?.into_iter();
        let targets =
            targets.map(|target| (keys.of_target(&target).item_key(&protocol.name), target)).collect();
        let text = ProtocolText {
            name: protocol.name.clone(),
            version: protocol.version,
            text: protocol.file_text.clone(),
            guideline: protocol.guideline.clone(),
        };
        Ok(ProtocolItems { protocol, text: Rc::new(text), targets })
    }
}
