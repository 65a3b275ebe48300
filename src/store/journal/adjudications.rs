//! Verdicts in the study file: appended to the journal like any event, and kept apart from judgments. Verdicts
//! touch no cache, so no judgment changes with them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::{Connection, params};

use super::append::{StepOutcome, Written, protocol_of};
use super::{AnnotatorStep, Log};
use crate::error::Result;
use crate::journal::{Decision, Event, EventId, Happening, Verdict, settle, standing_verdicts};
use crate::number::number_of;
use crate::protocol::Protocol;
use crate::store::corpus::keys::parts;
use crate::store::corpus::{Counting, StudyKeys, counts, items, protocols};
use crate::store::file::{
    LONG_PATIENCE, ProtocolId, SHORT_PATIENCE, StudyFile, Tried, all, all_by, exists, later_than,
};
use crate::store::journal::judged::PeopleOrder;
use crate::store::journal::people;
use crate::study::{Adjudication, AnnotatorId, AnnotatorKind, ItemId, Meta, TargetKeys, seconds_of, time_of};
use crate::text::hash::Fingerprint;

/// The result of an adjudication.
#[derive(Debug, Clone, PartialEq)]
pub struct Adjudicated {
    /// The events, in the order of the happenings.
    pub ids: Vec<EventId>,
    /// The decision that is final now, if there is one.
    pub decision: Option<Decision>,
}

/// All events on an item of the people who settled it.
pub(super) type Verdicts = Vec<(AnnotatorId, Event)>;

impl StudyFile {
    /// The row of a person, who is added where the study does not know the name.
    ///
    /// # Errors
    /// The name is empty or that of a model, or the file cannot be written.
    pub fn adjudicator(&mut self, name: &str) -> Result<AnnotatorId> {
        let known = self.annotators()?.into_iter().find(|(_, known)| known.id == name);
        if let Some((id, known)) = known
            && known.kind == AnnotatorKind::Human
        {
            return Ok(id);
        }
        self.write(LONG_PATIENCE, |transaction| people::person(transaction, name))
    }

    /// Appends verdicts, or retractions of earlier ones, as one step, if the final event is still the one
    /// that is `shown`; else returns the decision that is final now. When this returns, the events are on disk. They count as
    /// later than every verdict on the item so far, whatever the clock says.
    ///
    /// # Errors
    /// Nothing was written. [`crate::error::ErrorKind::Busy`] when another process writes: try again.
    pub fn adjudicate(
        &mut self,
        shown: Option<EventId>,
        annotator: AnnotatorId,
        protocol: &Protocol,
        (item, texts): (ItemId, Fingerprint),
        happenings: &[Happening],
        now_ms: i64,
    ) -> Result<StepOutcome<Adjudicated, Option<Decision>>> {
        self.write_events(SHORT_PATIENCE, |transaction, opening| {
            let id = protocol_of(transaction, item, protocol)?;
            let step = AnnotatorStep { annotator, item, texts, protocol: (id, protocol) };
            let mut verdicts = verdicts_on(transaction, item)?;
            let decision = settle(&verdicts);
            if decision.as_ref().map(|decision| decision.event) != shown {
                return Ok(StepOutcome::Elsewhere(decision));
            }
            let now_ms = later_than(verdicts.iter().filter_map(|(_, event)| event.at).max(), now_ms);
            // A verdict holds its own active time, so the event has none.
            let happenings: Vec<(Happening, i64)> =
                happenings.iter().map(|happening| (happening.clone(), 0)).collect();
            let Written { new, .. } =
                step.write(transaction, &mut Log::prepare(transaction)?, opening, &happenings, now_ms)?;
            let ids = new.iter().map(|event| event.id).collect();
            verdicts.extend(new.into_iter().map(|event| (annotator, event)));
            Ok(StepOutcome::Written(Adjudicated { ids, decision: settle(&verdicts) }))
        })
    }

    /// The final decision about an item, if anybody settled it.
    pub fn decision(&self, item: ItemId) -> Result<Option<Decision>> {
        self.read(|connection| Ok(settle(&verdicts_on(connection, item)?)))
    }

    /// The final decisions under all versions of a protocol, by item. Items that nobody settled are left out.
    pub fn decisions(&self, protocol_name: &str) -> Result<BTreeMap<ItemId, Decision>> {
        self.read_under(protocol_name, |connection, protocol| {
            let (verdicts, log) = (verdicts_under(connection, protocol)?, Log::prepare(connection)?);
            let now = |events: Verdicts| -> Verdicts {
                events.into_iter().map(|(by, event)| (by, log.in_words_of_now(event))).collect()
            };
            let decided =
                verdicts.into_iter().filter_map(|(item, events)| Some((item, settle(&now(events))?)));
            Ok(decided.collect())
        })
    }

    /// The latest verdicts of an adjudicator under a protocol that still count, oldest first, at most `limit`. Imported
    /// verdicts are left out: they cannot be undone.
    pub fn adjudication_history(
        &self,
        annotator: AnnotatorId,
        protocol_name: &str,
        limit: usize,
    ) -> Result<Vec<(ItemId, EventId)>> {
        self.read_under(protocol_name, |connection, protocol| {
            let mut own = Vec::new();
            for (item, events) in verdicts_under(connection, protocol)? {
                let counted = standing_verdicts(&events).into_iter();
                let here = counted.filter(|(by, event)| *by == annotator && event.id.writer.0 > 0);
                own.extend(here.map(|(_, event)| (event.order(), item)));
            }
            own.sort_unstable();
            let surplus = own.len().saturating_sub(limit);
            Ok(own.into_iter().skip(surplus).map(|((_, event), item)| (item, event)).collect())
        })
    }

    /// A sentence on the items that people decided differently; `None` where there are none.
    pub(crate) fn told_of_rivals(&self) -> Result<Option<String>> {
        let mut decided: BTreeMap<(String, Option<u32>, TargetKeys), Vec<Meta>> = BTreeMap::new();
        self.for_each_adjudication(|one| {
            if !one.skipped && !one.answers.is_empty() {
                let item = (one.protocol.clone(), one.version, one.about());
                decided.entry(item).or_default().push(one.answers);
            }
            Ok(())
        })?;
        decided.retain(|_, answers| answers.windows(2).any(|both| both[0] != both[1]));
        let items = decided.keys().map(|(protocol, _, item)| format!("{} under {protocol:?}", parts(item)));
        let (items, number) = (items.collect::<Vec<_>>().join(", "), number_of(decided.len(), "item"));
        let told = "decided differently by several adjudicators; the later decision counts";
        Ok((!decided.is_empty()).then(|| format!("{number} {told}: {items}")))
    }

    /// Hands over the last verdict of every adjudicator on every item, as records: by protocol in the order of
    /// [`StudyFile::for_each_judgment`], by annotator in the order of their names, by item in the order of the
    /// corpus.
    pub fn for_each_adjudication(&self, take: impl FnMut(Adjudication) -> Result<()>) -> Result<()> {
        self.for_each_adjudication_in(PeopleOrder::Named, take)
    }

    /// Hands over the last verdicts, with adjudicators in this order.
    pub fn for_each_adjudication_in(
        &self,
        order: PeopleOrder,
        take: impl FnMut(Adjudication) -> Result<()>,
    ) -> Result<()> {
        self.hand_over(take, |connection, take| {
            if !exists(connection, ANY_VERDICT, [])? {
                return Ok(());
            }
            let keys = StudyKeys::read(connection)?;
            let annotators: HashMap<AnnotatorId, String> =
                self.annotators()?.into_iter().map(|(id, annotator)| (id, annotator.id)).collect();
            for (protocol, name) in self.protocols_in_order(connection)? {
                records_under(connection, &keys, (&annotators, order), (protocol, &name), take)?;
            }
            Ok(())
        })
    }
}

const ANY_VERDICT: &str = "SELECT 1 FROM act INDEXED BY act_of_verdict WHERE kind BETWEEN 1 AND 2";

/// Every event on the item of the people who ever settled it.
fn verdicts_on(connection: &Connection, item: ItemId) -> Tried<Verdicts> {
    let annotators: Vec<AnnotatorId> = all(
        connection,
        "SELECT DISTINCT annotator FROM act INDEXED BY act_of_verdict
             WHERE kind BETWEEN 1 AND 2 AND item = ?1 ORDER BY annotator",
        [item.0],
    )?;
    let counting = Counting::read(connection)?;
    let people: BTreeSet<AnnotatorId> = annotators.into_iter().map(|one| counting.person(one)).collect();
    let mut log = Log::prepare(connection)?;
    let mut verdicts = Vec::new();
    for annotator in people.into_iter().filter(|one| counting.has(*one)) {
        let events = log.events_with_verdicts(annotator, item)?.into_iter();
        verdicts.extend(events.map(|event| (annotator, log.in_words_of_now(event))));
    }
    Ok(verdicts)
}

/// The verdicts as [`verdicts_on`] has them, for every item of a protocol that anybody settled.
fn verdicts_under(connection: &Connection, protocol: ProtocolId) -> Tried<BTreeMap<ItemId, Verdicts>> {
    let select = format!(
        "SELECT DISTINCT e.annotator, e.item FROM act e INDEXED BY act_of_verdict
         JOIN item i ON i.id = e.item WHERE e.kind BETWEEN 1 AND 2 AND i.protocol = ?1 AND {}",
        counts("item", "i.id")
    );
    let named: Vec<(AnnotatorId, ItemId)> = all(connection, &select, params![protocol.0])?;
    let counting = Counting::read(connection)?;
    let pairs: BTreeSet<(ItemId, AnnotatorId)> =
        named.into_iter().map(|(annotator, item)| (item, counting.person(annotator))).collect();
    let mut log = Log::prepare(connection)?;
    let mut found: BTreeMap<ItemId, Verdicts> = BTreeMap::new();
    for (item, annotator) in pairs.into_iter().filter(|(_, annotator)| counting.has(*annotator)) {
        let events = log.events_with_verdicts(annotator, item)?.into_iter().map(|event| (annotator, event));
        found.entry(item).or_default().extend(events);
    }
    Ok(found)
}

fn records_under(
    connection: &Connection,
    keys: &StudyKeys,
    (annotators, order): (&HashMap<AnnotatorId, String>, PeopleOrder),
    (protocol, name): (ProtocolId, &str),
    take: &mut dyn FnMut(Adjudication) -> Result<()>,
) -> Tried<()> {
    let mut verdicts = verdicts_under(connection, protocol)?;
    if verdicts.is_empty() {
        return Ok(());
    }
    let unnamed = protocols::unnamed_version(connection, name)?;
    let numbers = version_numbers(connection, protocol)?;
    let mut records: Vec<(AnnotatorId, usize, Adjudication)> = Vec::new();
    for (rank, item) in items::in_corpus_order(connection, protocol)?.iter().enumerate() {
        let mut events = verdicts.remove(&item.id).unwrap_or_default();
        events.sort_by_key(|(annotator, _)| *annotator);
        for own in events.chunk_by(|one, other| one.0 == other.0) {
            let Some(decision) = settle(own) else { continue };
            let version = numbers.get(&decision.protocol).copied();
            let version = version.filter(|version| unnamed != Some(*version));
            let about = keys.of_target(&item.target);
            let annotator = annotators.get(&decision.by).cloned().unwrap_or_default();
            let named =
                Adjudication { protocol: name.to_owned(), version, annotator, ..Adjudication::default() };
            records.push((decision.by, rank, record(named, about, &decision)));
        }
    }
    records.sort_by_key(|(annotator, rank, _)| (*annotator, *rank));
    if order == PeopleOrder::Named {
        records.sort_by(|(.., one), (.., other)| one.annotator.cmp(&other.annotator));
    }
    for (.., record) in records {
        take(record)?;
    }
    Ok(())
}

/// Completes a record that names its protocol and its adjudicator.
fn record(named: Adjudication, about: TargetKeys, decision: &Decision) -> Adjudication {
    let Verdict { answers, took, reason, note, is_example, is_put_aside, active } = &decision.verdict;
    let record = Adjudication {
        answers: answers.iter().map(|(question, answer)| (question.clone(), answer.to_json())).collect(),
        took: took.clone(),
        reason: reason.map(|reason| reason.name().to_owned()),
        note: Some(note.clone()).filter(|note| !note.is_empty()),
        example: *is_example,
        skipped: *is_put_aside,
        seconds: seconds_of(*active),
        at: decision.at.and_then(time_of),
        ..named
    };
    record.on(about)
}

/// The numbers of the stored versions by the hash that events carry.
fn version_numbers(connection: &Connection, protocol: ProtocolId) -> Tried<HashMap<Fingerprint, u32>> {
    let versions = protocols::versions(connection)?;
    all_by(
        connection,
        "SELECT hash, version FROM protocol_version WHERE protocol = ?1",
        [protocol.0],
        |row| Ok((versions.counted_as(row.get(0)?), row.get(1)?)),
    )
}
