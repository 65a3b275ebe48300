//! Assignments in the study file: events that give an item to an annotator or take it back. The latest event of
//! an annotator and an item counts, by time, writer and number.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{Connection, Params, params};

use crate::error::{Error, Result};
use crate::journal::{Calibration, EventId, Happening, ItemState, Writer};
use crate::protocol::{Answers, Protocol, answers_from_json, is_as_known, reaches};
use crate::store::corpus::{
    CorpusWriter, Counting, GOLD_OF_UNIT, ItemRows, RecordTaken, StudyKeys, Target, counts, in_corpus_order,
    protocols, resolve,
};
use crate::store::exchange::hub::leases;
use crate::store::file::{
    LONG_PATIENCE, Opening, ProtocolId, SHORT_PATIENCE, StudyFile, Tried, change, exists, later_than, one,
    said,
};
use crate::store::journal::judgments::{read_time, unknown_annotator, unknown_protocol};
use crate::store::journal::{
    AnnotatorStep, HER_NAMES, Log, asides, caches, import_writer, key_of, person, person_of,
};
use crate::study::assignment::NOT_GIVEN_BACK;
use crate::study::{AnnotatorId, Aside, Assignment, ItemId, Judgment, Role, Terms, time_of};
use crate::text::hash::{Fingerprint, fingerprint};

/// The event number of a masked assignment, which its annotator gets from a hub or takes home, under a writer that is
/// derived. Leads have the whole assignment, under its own name.
pub(crate) const MASKED: i64 = 1 << 39;

/// An assignment that stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StandingAssignment {
    pub(crate) annotator: AnnotatorId,
    /// The item; for one beside the study, its own row.
    pub(crate) item: ItemId,
    pub(crate) terms: Terms,
    /// Wall time in milliseconds since 1970.
    pub(crate) at: i64,
}

/// A change to write: an item is given to an annotator, or taken back.
#[derive(Debug, Clone, PartialEq)]
pub struct AssignmentChange {
    /// The annotator's key; added as a person when the study does not know it.
    pub annotator: String,
    pub target: Target,
    /// The side of the study, where the item is taken back.
    pub aside: Option<Aside>,
    /// The terms; `None` takes the item back.
    pub terms: Option<Terms>,
}

impl StudyFile {
    /// Writes changes of assignments as one step.
    ///
    /// # Errors
    /// An annotator is a model, an item that is taken back has been judged meanwhile, or the file cannot be
    /// written. Nothing was written.
    pub fn assign(&mut self, protocol: &Protocol, changes: &[AssignmentChange], now_ms: i64) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        self.write_events(LONG_PATIENCE, |transaction, opening| {
            write(transaction, protocol, changes, opening, now_ms)
        })
    }

    /// Takes an item from the annotator who does not want it, so that another has it, and says why.
    ///
    /// # Errors
    /// It cannot be given back, or the file cannot be written. Nothing was written.
    pub fn give_back(&mut self, annotator: AnnotatorId, item: ItemId, why: &str, now_ms: i64) -> Result<()> {
        let keeps_all = self.keeps_all()?;
        self.write_events(SHORT_PATIENCE, |transaction, opening| {
            let Some(terms) = returnable(transaction, annotator, item)?.filter(|_| !keeps_all) else {
                return Err(Error::new(NOT_GIVEN_BACK).into());
            };
            let explanation = Some(why.to_owned());
            let terms = Terms { explanation, aside: terms.aside(), ..Terms::of(Role::Back) };
            let at = time(transaction, now_ms)?;
            if !append(transaction, opening.next(), annotator, item, Some(&terms), at)? {
                return Err(said("the number of an assignment is taken already; try again"));
            }
            caches::look_again(transaction)
        })
    }

    /// Whether an item can be given back: it is assigned to the annotator in this file, and has no answer yet. Calibration that
    /// must be passed, before which nothing else is in the queue, stays, and so does what a hub hands out.
    pub fn can_give_back(&self, annotator: AnnotatorId, item: ItemId) -> Result<bool> {
        Ok(!self.keeps_all()? && self.read(|connection| returnable(connection, annotator, item))?.is_some())
    }

    /// Whether nothing can be given back here: a member of a hub who is no lead cannot send the event, so it would stay in this file.
    fn keeps_all(&self) -> Result<bool> {
        Ok(self.membership()?.is_some_and(|hub| !hub.me.kind.sees_all()))
    }

    /// Whether the file has everyone's work; false for that of an annotator of a hub, and for one that somebody took home.
    pub fn has_all_work(&self) -> Result<bool> {
        if let Some(membership) = self.membership()? {
            return Ok(membership.me.kind.sees_all());
        }
        let whole = "EXISTS (SELECT 1 FROM assignment_event a JOIN item i ON i.id = a.item WHERE a.seq <> ?1 AND i.aside IS NULL)";
        let select = format!("SELECT {whole} OR NOT EXISTS (SELECT 1 FROM assignment_event WHERE seq = ?1)");
        self.read(|connection| one(connection, &select, [MASKED]))
    }

    /// The protocols of which something is assigned or handed out by the hub, in the order of first use, each with the keys
    /// of those who have something.
    pub fn assigned_protocols(&self) -> Result<Vec<(String, Vec<String>)>> {
        self.read(|connection| {
            let any = "SELECT 1 FROM assignment_event UNION ALL SELECT 1 FROM handed_out";
            let any = exists(connection, any, [])?;
            let mut found = Vec::new();
            for (id, name) in if any { protocols::names(connection)? } else { Vec::new() } {
                let mut people: BTreeSet<AnnotatorId> =
                    current(connection, id)?.into_iter().map(|one| one.annotator).collect();
                people.extend(leases::holder(connection, id)?);
                let people =
                    people.into_iter().map(|id| key_of(connection, id)).collect::<Tried<Vec<_>>>()?;
                if !people.is_empty() || leases::handed_out(connection, &name)?.is_some() {
                    found.push((name, people));
                }
            }
            Ok(found)
        })
    }

    /// The assignments that stand, as records: by name of protocol, annotator, and in the order of the corpus.
    pub fn assignment_records(&self) -> Result<Vec<Assignment>> {
        self.read(|connection| {
            let keys = StudyKeys::read(connection)?;
            let names: HashMap<AnnotatorId, String> =
                keys.annotators.iter().map(|(key, id)| (*id, key.to_string())).collect();
            let mut protocols = protocols::names(connection)?;
            protocols.sort_by(|one, other| one.1.cmp(&other.1));
            let mut records = Vec::new();
            for (id, protocol) in protocols {
                let mut standing = current(connection, id)?;
                if standing.is_empty() {
                    continue;
                }
                let places = places(connection, id)?;
                standing.sort_by_key(|one| (names.get(&one.annotator), places.get(&one.item).copied()));
                for one in &standing {
                    if let (Some((target, _)), Some(name)) =
                        (places.get(&one.item), names.get(&one.annotator))
                    {
                        records.push(record(&keys, &protocol, name, target, one));
                    }
                }
            }
            Ok(records)
        })
    }
}

/// The target of each item of a protocol, and its side of the study.
pub(crate) fn places(
    connection: &Connection,
    protocol: ProtocolId,
) -> Tried<HashMap<ItemId, (Target, Option<Aside>)>> {
    let items = in_corpus_order(connection, protocol)?.into_iter().map(|item| (item.id, (item.target, None)));
    let asides = asides::rows(connection, protocol)?;
    let asides = asides.into_iter().map(|row| (row.item.id, (row.item.target, Some(row.aside))));
    Ok(items.chain(asides).collect())
}

/// The assignments of a protocol that stand, by annotator and item.
pub(crate) fn current(connection: &Connection, protocol: ProtocolId) -> Tried<Vec<StandingAssignment>> {
    Ok(standing_where(connection, "i.protocol = ?1", [protocol])?.0)
}

/// The assignments that stand among the events `a` on items `i` of this condition, by person and item: the
/// last event decides, whatever name it gave. The assignments of people who were left out come second.
pub(super) fn standing_where(
    connection: &Connection,
    condition: &str,
    of: impl Params,
) -> Tried<(Vec<StandingAssignment>, Vec<StandingAssignment>)> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT a.annotator, a.item, a.kind, a.body, a.at FROM assignment_event a JOIN item i ON i.id = a.item
         WHERE {condition} AND {} ORDER BY a.annotator, a.item, a.at, a.seq <> {MASKED}, a.writer, a.seq",
        counts("item", "i.id")
    ))?;
    let counting = Counting::read(connection)?;
    let mut rows = statement.query(of)?;
    let mut events: Vec<(AnnotatorId, ItemId, Option<Terms>, i64)> = Vec::new();
    while let Some(row) = rows.next()? {
        let terms = match row.get_ref(2)?.as_str()? {
            GIVEN => read_terms(row.get_ref(3)?.as_str()?),
            WITHDRAWN => None,
            // An event of a newer program is kept and ignored.
            _ => continue,
        };
        events.push((counting.person(row.get(0)?), row.get(1)?, terms, row.get(4)?));
    }
    events.sort_by_key(|(annotator, item, _, at)| (*annotator, *item, *at));
    let last = events.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)).filter_map(<[_]>::last);
    let standing = |(annotator, item, terms, at): &(AnnotatorId, ItemId, Option<Terms>, i64)| {
        Some(StandingAssignment { annotator: *annotator, item: *item, terms: terms.clone()?, at: *at })
    };
    Ok(last.filter_map(standing).partition(|one| counting.has(one.annotator)))
}

/// Kinds of events.
pub(crate) const GIVEN: &str = "assign";
pub(crate) const WITHDRAWN: &str = "withdraw";
pub(crate) const KINDS: [&str; 2] = [GIVEN, WITHDRAWN];

fn read_terms(body: &str) -> Option<Terms> {
    serde_json::from_str(body).ok()
}

fn write(
    connection: &Connection,
    protocol: &Protocol,
    changes: &[AssignmentChange],
    opening: &mut Opening,
    now_ms: i64,
) -> Tried<()> {
    let id = protocols::keep_name(connection, &protocol.name)?;
    let keys = StudyKeys::read(connection)?;
    let mut items = ItemRows::prepare(connection)?;
    items.learn(id)?;
    let mut annotators: HashMap<&str, AnnotatorId> = HashMap::new();
    let at = time(connection, now_ms)?;
    for change in changes {
        let name = change.annotator.as_str();
        let annotator = match annotators.get(name) {
            Some(annotator) => *annotator,
            None => {
                let annotator = match change.terms {
                    Some(_) => person(connection, name)?,
                    // Work is taken back also from people who were left out.
                    None => one(connection, &format!("SELECT {}", person_of("?1")), [name])?,
                };
                annotators.insert(name, annotator);
                annotator
            }
        };
        let aside = change.terms.as_ref().map_or(change.aside, Terms::aside);
        let keys = || keys.of_target(&change.target);
        let item = items.keep((id, &protocol.name), change.target, aside, keys)?;
        if change.terms.is_none() && is_judged(connection, annotator, item)? {
            let what =
                format!("{:?} has judged something meanwhile that was to be taken back", change.annotator);
            return Err(Error::new(what).advise("run the same again").into());
        }
        if !append(connection, opening.next(), annotator, item, change.terms.as_ref(), at)? {
            return Err(said("the number of an assignment is taken already; run the same again"));
        }
    }
    caches::look_again(connection)
}

/// The known answer to a calibration item of an annotator, and how she did on the others; `None` for any
/// other item.
pub(crate) fn calibration(
    connection: &Connection,
    annotator: AnnotatorId,
    item: ItemId,
    protocol: &Protocol,
) -> Tried<Option<Calibration>> {
    if asides::aside_of(connection, item)? != Some(Aside::Calibration) {
        return Ok(None);
    }
    let of_protocol = one(connection, "SELECT protocol FROM item WHERE id = ?1", [item])?;
    let calibrated = calibrated(connection, annotator, of_protocol, protocol)?;
    let Some(terms) = calibrated.iter().find(|one| one.item == item).map(|one| &one.terms) else {
        return Ok(None);
    };
    let others = calibrated.iter().filter(|other| other.item != item);
    // The hub tells a known answer once it has the given one.
    let told = |other: &Calibrated| Some(other.known()).filter(|known| !known.is_empty());
    let judged = |other: &Calibrated| Some((told(other)?, other.given.clone()?));
    Ok(Some(Calibration {
        known: answers_from_json(&terms.known),
        explanation: terms.explanation.clone().unwrap_or_default(),
        pass: terms.pass,
        must_pass: terms.must_pass,
        others: others.filter_map(judged).collect(),
        count: calibrated.len(),
    }))
}

impl StudyFile {
    /// The known answer to an item of an annotator, as far as it is told by now; `None` where the item is none of calibration.
    pub fn known_answer(
        &self,
        annotator: AnnotatorId,
        item: ItemId,
        protocol: &Protocol,
    ) -> Result<Option<Calibration>> {
        self.read(|connection| calibration(connection, annotator, item, protocol))
    }
}

/// A calibration item of an annotator.
struct Calibrated {
    item: ItemId,
    terms: Terms,
    /// The answers, once the item is judged.
    given: Option<Answers>,
}

impl Calibrated {
    fn known(&self) -> Answers {
        answers_from_json(&self.terms.known)
    }
}

/// The calibration items of an annotator under a protocol.
fn calibrated(
    connection: &Connection,
    annotator: AnnotatorId,
    of: ProtocolId,
    protocol: &Protocol,
) -> Tried<Vec<Calibrated>> {
    let condition = format!("a.annotator IN {HER_NAMES} AND i.aside = 'calibration' AND i.protocol = ?2");
    let (mut standing, _) = standing_where(connection, &condition, params![annotator, of])?;
    standing.retain(|one| one.terms.role == Role::Calibration);
    let mut log = Log::prepare(connection)?;
    let calibrated = standing.into_iter().map(|one| {
        let given = log.standing(annotator, one.item, Some(protocol))?;
        let is_judged = given.state(protocol) == ItemState::Judged;
        Ok(Calibrated { item: one.item, terms: one.terms, given: is_judged.then_some(given.answers) })
    });
    calibrated.collect()
}

/// Calibration that an annotator has to pass before the work begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gate {
    /// There is no calibration to be passed.
    None,
    Closed,
    /// Calibration has been passed.
    Open,
}

/// Whether the annotator's work waits for calibration, which is passed when all of its items are judged, and
/// enough of them like the known answer.
pub(crate) fn gate(
    connection: &Connection,
    annotator: AnnotatorId,
    of: ProtocolId,
    protocol: &Protocol,
) -> Tried<Gate> {
    let calibrated = calibrated(connection, annotator, of, protocol)?;
    let Some(terms) = calibrated.iter().map(|one| &one.terms).find(|terms| terms.must_pass) else {
        return Ok(Gate::None);
    };
    let is_right = |one: &&Calibrated| {
        one.given.as_ref().is_some_and(|given| is_as_known(protocol, &one.known(), given))
    };
    let right = calibrated.iter().filter(is_right).count();
    let is_done = calibrated.iter().all(|one| one.given.is_some());
    let passes = is_done && reaches(right, calibrated.len(), terms.pass.unwrap_or(100.0));
    Ok(if passes { Gate::Open } else { Gate::Closed })
}

/// The assignments of an annotator that stand.
pub(crate) fn of_annotator(
    connection: &Connection,
    annotator: AnnotatorId,
    of: ProtocolId,
) -> Tried<Vec<StandingAssignment>> {
    let condition = format!("a.annotator IN {HER_NAMES} AND i.protocol = ?2");
    Ok(standing_where(connection, &condition, params![annotator, of])?.0)
}

impl StudyFile {
    /// Gives an annotator the calibration items again once all are judged, as one step. Earlier answers stay on record.
    pub fn calibrate_anew(&mut self, annotator: AnnotatorId, protocol: &Protocol, now_ms: i64) -> Result<()> {
        self.write_events(SHORT_PATIENCE, |transaction, opening| {
            let Some(of) = protocols::id_of(transaction, &protocol.name)? else { return Ok(()) };
            let calibrated = calibrated(transaction, annotator, of, protocol)?;
            if calibrated.iter().any(|one| one.given.is_none()) {
                return Ok(());
            }
            let mut log = Log::prepare(transaction)?;
            for Calibrated { item, .. } in calibrated {
                let events = log.events(annotator, item)?;
                // A judged item always has an event.
                let Some(latest) = events.iter().max_by_key(|event| event.order()) else { continue };
                let texts = latest.texts;
                let step = AnnotatorStep { annotator, item, texts, protocol: (of, protocol) };
                step.append(transaction, &mut log, opening, &[(Happening::Anew, 0)], now_ms)?;
            }
            Ok(())
        })
    }
}

/// Now, but later than every assignment so far.
fn time(connection: &Connection, now_ms: i64) -> Tried<i64> {
    let last = one(connection, "SELECT max(at) FROM assignment_event", [])?;
    Ok(later_than(last, now_ms))
}

/// Appends an event; `false` where it is there already.
fn append(
    connection: &Connection,
    EventId { writer, seq }: EventId,
    annotator: AnnotatorId,
    item: ItemId,
    terms: Option<&Terms>,
    at: i64,
) -> Tried<bool> {
    let kind = if terms.is_some() { GIVEN } else { WITHDRAWN };
    let body = match terms {
        Some(terms) => serde_json::to_string(terms)
            .map_err(|error| said(format!("the terms of an assignment cannot be written: {error}")))?,
        None => "{}".to_owned(),
    };
    let appended = change(
        connection,
        "INSERT INTO assignment_event (writer, seq, annotator, item, kind, body, at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (writer, seq) DO NOTHING",
        params![writer.0, seq, annotator.0, item.0, kind, body, at],
    )?;
    Ok(appended == 1)
}

/// The terms of an item that the annotator can give back. In all roles she can alike: what can be given back must not tell the role.
fn returnable(connection: &Connection, annotator: AnnotatorId, item: ItemId) -> Tried<Option<Terms>> {
    let of_protocol = one(connection, "SELECT protocol FROM item WHERE id = ?1", [item])?;
    let is_dealt = leases::dealt(connection, annotator, of_protocol)?.iter().any(|one| one.item == item);
    let terms = latest(connection, annotator, item)?;
    let is_kept = is_dealt || is_judged(connection, annotator, item)?;
    Ok(terms.filter(|terms| !is_kept && !terms.must_pass && terms.role != Role::Back))
}

/// Whether the annotator has answered anything on the item. In the study itself, retracted answers do not count.
fn is_judged(connection: &Connection, annotator: AnnotatorId, item: ItemId) -> Tried<bool> {
    if asides::aside_of(connection, item)?.is_some() {
        let events = Log::prepare(connection)?.events(annotator, item)?;
        return Ok(events.iter().any(|event| matches!(event.happening, Happening::Answer { .. })));
    }
    one(
        connection,
        "SELECT EXISTS (SELECT 1 FROM standing
             WHERE annotator = ?1 AND item = ?2 AND (state = 1 OR version IS NOT NULL))",
        params![annotator.0, item.0],
    )
}

fn record(
    keys: &StudyKeys,
    protocol: &str,
    annotator: &str,
    target: &Target,
    one: &StandingAssignment,
) -> Assignment {
    let Terms { role, raters, known_from, known, explanation, pass, must_pass, left, sorted, aside } =
        one.terms.clone();
    let record = Assignment {
        protocol: protocol.to_owned(),
        annotator: annotator.to_owned(),
        role,
        raters,
        known_from,
        known,
        explanation,
        pass,
        must_pass,
        left,
        sorted,
        aside,
        // 0 stands for an import that did not say.
        at: Some(one.at).filter(|at| *at > 0).and_then(time_of),
        ..Assignment::default()
    };
    record.on(keys.of_target(target))
}

/// Brings in assignments within one transaction.
pub(crate) struct Assignments<'c> {
    connection: &'c Connection,
    writer: Writer,
    /// How many records have come, taken or not: the event number of each depends on its place only.
    seen: i64,
}

impl<'c> Assignments<'c> {
    /// Begins an import; `content` is the fingerprint of the imported file.
    pub(crate) fn prepare(connection: &'c Connection, content: Fingerprint) -> Assignments<'c> {
        let writer = import_writer(content, fingerprint(["assignments"]), None);
        Assignments { connection, writer, seen: 0 }
    }

    /// Appends an assignment, unless it stands already.
    pub(crate) fn take(
        &mut self,
        corpus: &mut CorpusWriter<'c>,
        items: &mut ItemRows<'c>,
        new: &Assignment,
    ) -> Tried<RecordTaken> {
        self.seen += 1;
        let connection = self.connection;
        let Some(protocol) = protocols::find(connection, &new.protocol)? else {
            return Err(unknown_protocol(connection, &new.protocol)?);
        };
        let annotator = corpus.keys.annotator(&new.annotator);
        let annotator = annotator.ok_or_else(|| unknown_annotator(&new.annotator))?;
        check(new)?;
        let mut gold = connection.prepare_cached(GOLD_OF_UNIT)?;
        let target = resolve::target(corpus.keys.whole()?, &mut gold, &protocol, &naming(new))?;
        let (target, _) = resolve::in_order(corpus, target)?;
        let id = protocols::keep_name(connection, &protocol.name)?;
        let keys = corpus.keys.whole()?.of_target(&target);
        let terms = new.terms();
        let item = items.keep((id, &protocol.name), target, terms.aside(), || keys)?;
        let at = read_time(new.at.as_deref())?.unwrap_or(0);
        if stands(connection, annotator, item, &terms)? {
            return Ok(RecordTaken::Known);
        }
        let is_new = append(
            connection,
            EventId { writer: self.writer, seq: self.seen },
            annotator,
            item,
            Some(&terms),
            at,
        )?;
        Ok(if is_new { RecordTaken::Added } else { RecordTaken::Known })
    }
}

/// Whether the annotator has the item on these terms, under any of her names.
fn stands(connection: &Connection, annotator: AnnotatorId, item: ItemId, terms: &Terms) -> Tried<bool> {
    Ok(latest(connection, annotator, item)?.as_ref() == Some(terms))
}

/// The terms on which the annotator has the item, under any of her names.
pub(crate) fn latest(connection: &Connection, annotator: AnnotatorId, item: ItemId) -> Tried<Option<Terms>> {
    let person = Counting::read(connection)?.person(annotator);
    let condition = format!("a.annotator IN {HER_NAMES} AND a.item = ?2");
    let (standing, _) = standing_where(connection, &condition, params![person, item])?;
    Ok(standing.into_iter().next().map(|one| one.terms))
}

fn check(new: &Assignment) -> Tried<()> {
    if new.raters == Some(0) {
        return Err(Error::new("\"raters\" is 0").advise("give how many annotators judge the item").into());
    }
    if let Some(pass) = new.pass.filter(|pass| !(0.0..=100.0).contains(pass)) {
        return Err(Error::new(format!("\"pass\" is {pass}")).advise("give per cent, from 0 to 100").into());
    }
    if new.must_pass && new.pass.is_none() {
        return Err(Error::new("\"must_pass\" has no mark").advise("give \"pass\" in per cent").into());
    }
    Ok(())
}

/// The keys of an assignment as a judgment would name them.
fn naming(new: &Assignment) -> Judgment {
    Judgment {
        collection: new.collection.clone(),
        query: new.query.clone(),
        document: new.document.clone(),
        unit: new.unit.clone(),
        candidate: new.candidate.clone(),
        bullet: new.bullet,
        other: new.other.clone(),
        ..Judgment::default()
    }
}
