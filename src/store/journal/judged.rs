//! Reading judgments in bulk: the walk over standings, and records for export.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use rusqlite::Connection;
use serde::Deserialize;
use serde_json::Value;

use super::acts::{BITS, each_step};
use super::packed::PackedSaid;
use super::{Log, Phrases, packed, state_of};
use crate::error::Result;
use crate::journal::{Happening, ItemState, PARTS, TOTALS, fold_under, is_total};
use crate::protocol::{Answers, Protocol};
use crate::store::corpus::{ItemRow, StudyKeys, counts, items, protocols};
use crate::store::file::{ProtocolId, QuestionId, StudyFile, Tried, all, all_by, said};
use crate::study::{AnnotatorId, ItemId, Judgment, Meta, TargetKeys, seconds_of, time_of};
use crate::text::fast::FastMap;

/// The active time that one annotator spent on one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActiveTime {
    pub annotator: AnnotatorId,
    pub item: ItemId,
    /// Above 0.
    pub milliseconds: u64,
    /// Wall time of the latest answer that counts, in milliseconds since 1970; `None` for an import that does not say.
    pub at: Option<i64>,
}

/// How one annotator judged one item in haymark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WayJudged {
    /// The keys that say something: answers, flags, and what was put aside.
    pub keys: u32,
    /// Whether the item came in an order that somebody asked for.
    pub is_sorted: bool,
}

impl ActiveTime {
    /// The time in seconds.
    pub fn seconds(self) -> f64 {
        self.milliseconds as f64 / 1_000.0
    }
}

/// The order of people in what is handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeopleOrder {
    /// The order of names, which is the same in every file.
    Named,
    /// The order in which people came into the file.
    Came,
}

/// The answers that are read, by the version of the protocol that they were given under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionsRead {
    /// The answers under all versions.
    All,
    /// The answers under the version of this number.
    Only(u32),
}

impl StudyFile {
    /// How everyone judged each item of a protocol in haymark.
    pub fn ways_judged(&self, protocol_name: &str) -> Result<HashMap<(AnnotatorId, ItemId), WayJudged>> {
        let mut found: HashMap<_, WayJudged> = HashMap::new();
        self.read(|connection| {
            each_step(connection, protocol_name, |pair, phrase| {
                let way = found.entry(pair).or_default();
                way.keys += u32::from(matches!(phrase.kind.as_str(), "answer" | "flag" | "skip"));
                way.is_sorted |= matches!(phrase.happening(), Happening::Visit { sorted_by: Some(_), .. });
            })
        })?;
        Ok(found)
    }

    /// How long everyone was active on each item of a protocol, by the keys of annotators and items. Judgments that came
    /// without a time are left out.
    pub fn active_times(&self, protocol_name: &str) -> Result<Vec<ActiveTime>> {
        self.read_under(protocol_name, |connection, protocol| {
            let select =
                "SELECT s.annotator, s.item, s.active, s.at FROM standing s JOIN item i ON i.id = s.item
                 JOIN annotator a ON a.id = s.annotator
                 WHERE i.protocol = ?1 AND s.active > 0 ORDER BY a.key, i.key";
            all_by(connection, select, [protocol.0], |row| {
                let (annotator, item) = (row.get(0)?, row.get(1)?);
                let milliseconds = row.get::<_, i64>(2)?.unsigned_abs();
                Ok(ActiveTime { annotator, item, milliseconds, at: row.get(3)? })
            })
        })
    }

    /// Whether the time of any judgment is that of several, of which files brought some.
    pub fn has_totals(&self) -> Result<bool> {
        self.read(|connection| Ok(!totals(connection)?.is_empty()))
    }

    /// Hands over every current judgment as a record: by protocol, those with a text in the study first, by annotator, both in
    /// the order of their names, which is the same in every file, and by item in the order of the corpus. Collection and query
    /// are always named.
    pub fn for_each_judgment(&self, mut take: impl FnMut(Judgment) -> Result<()>) -> Result<()> {
        self.for_each_stated(|stated| take(stated.record()))
    }

    /// Hands over every current judgment as [`StudyFile::for_each_judgment`] does, without copying shared parts.
    pub fn for_each_stated(&self, take: impl FnMut(Stated) -> Result<()>) -> Result<()> {
        self.for_each_stated_in(PeopleOrder::Named, take)
    }

    /// Hands over every current judgment, with annotators in this order.
    pub fn for_each_stated_in(
        &self,
        order: PeopleOrder,
        take: impl FnMut(Stated) -> Result<()>,
    ) -> Result<()> {
        self.hand_over(take, |connection, take| {
            let keys = Rc::new(StudyKeys::read(connection)?);
            let totals = totals(connection)?;
            for protocol in self.protocols_in_order(connection)? {
                stated_under(connection, (&keys, &totals), (protocol, order), take)?;
            }
            Ok(())
        })
    }

    /// All protocols in the order of their judgments in an export.
    pub(crate) fn protocols_in_order(&self, connection: &Connection) -> Tried<Vec<(ProtocolId, String)>> {
        // An export has the texts before all judgments, so an import of it makes these protocols first.
        let texts: HashSet<String> = self.protocol_texts()?.into_iter().map(|text| text.name).collect();
        let mut protocols = protocols::names(connection)?;
        protocols.sort_by_cached_key(|(_, name)| (!texts.contains(name), name.clone()));
        Ok(protocols)
    }
}

/// A current judgment. Item and answers are named by numbers that count from 0 within the protocol.
pub struct Stated {
    under: Rc<UnderProtocol>,
    by: Rc<str>,
    /// The number of the item.
    pub rank: u32,
    /// The number of the set of answers.
    pub set: u32,
    /// The version that the judgment was given under, where a record names it.
    pub version: Option<u32>,
    /// Active milliseconds.
    pub active: i64,
    /// Whether the time is that of several judgments of the item, of which files brought some.
    pub is_total: bool,
    /// Milliseconds since 1970.
    pub at: Option<i64>,
    pub comment: Option<String>,
    pub flagged: bool,
    pub skipped: bool,
}

/// The parts that judgments under one protocol share.
struct UnderProtocol {
    name: String,
    keys: Rc<StudyKeys>,
    items: Vec<ItemRow>,
    sets: RefCell<Vec<Meta>>,
}

impl Stated {
    /// The name of the protocol.
    pub fn protocol(&self) -> &str {
        &self.under.name
    }

    /// The key of the annotator.
    pub fn annotator(&self) -> &str {
        &self.by
    }

    /// The keys of the target.
    pub fn about(&self) -> TargetKeys {
        self.under
            .items
            .get(self.rank as usize)
            .map(|item| self.under.keys.of_target(&item.target))
            .unwrap_or_default()
    }

    pub fn answers(&self) -> Meta {
        self.under.sets.borrow().get(self.set as usize).cloned().unwrap_or_default()
    }

    pub fn record(self) -> Judgment {
        let about = self.about();
        let record = Judgment {
            protocol: self.under.name.clone(),
            version: self.version,
            annotator: self.by.to_string(),
            answers: self.answers(),
            seconds: seconds_of(self.active),
            total: self.is_total,
            at: self.at.and_then(time_of),
            comment: self.comment,
            flagged: self.flagged,
            skipped: self.skipped,
            ..Judgment::default()
        };
        record.on(about)
    }
}

/// The pairs of annotator and item whose time is that of several judgments, of which files brought some.
fn totals(connection: &Connection) -> Tried<HashSet<(AnnotatorId, ItemId)>> {
    // The index alone tells the few pairs that may be such in a study by import; one without an import has none.
    let several = "SELECT annotator, item FROM (SELECT annotator, item FROM act
             WHERE EXISTS (SELECT 1 FROM writer WHERE key < 0) GROUP BY annotator, item HAVING count(*) > 1) p
         WHERE EXISTS (SELECT 1 FROM act x WHERE (x.annotator, x.item) = (p.annotator, p.item) AND x.kind = 0)
         UNION SELECT x.annotator, x.item FROM joined j CROSS JOIN act x ON x.annotator = j.annotator
         UNION SELECT x.annotator, x.item FROM writer w
             JOIN act x ON x.id BETWEEN w.no << ?1 | ?2 AND (w.no << ?1 | ?3) - 1 WHERE w.key < 0";
    let mut log = Log::prepare(connection)?;
    let mut found = HashSet::new();
    let pairs: Vec<(AnnotatorId, ItemId)> = all(connection, several, (BITS, TOTALS, PARTS))?;
    for (annotator, item) in pairs {
        let annotator = log.counting().person(annotator);
        if is_total(&log.events(annotator, item)?) {
            found.insert((annotator, item));
        }
    }
    Ok(found)
}

fn stated_under(
    connection: &Connection,
    (keys, totals): (&Rc<StudyKeys>, &HashSet<(AnnotatorId, ItemId)>),
    ((protocol, name), order): ((ProtocolId, String), PeopleOrder),
    take: &mut dyn FnMut(Stated) -> Result<()>,
) -> Tried<()> {
    let unnamed = protocols::unnamed_version(connection, &name)?;
    let mut before = GivenBefore::read(connection, &name)?;
    let questions = protocols::questions(connection, protocol, &name)?;
    let items = items::in_corpus_order(connection, protocol)?;
    // An answer that cannot be read comes out as text.
    let as_it_stands = |value: &str| Ok(serde_json::from_str(value).unwrap_or_else(|_| Value::from(value)));
    let mut asked = AnswersRead::new(questions, &items, as_it_stands);
    let under = Rc::new(UnderProtocol { name, keys: Rc::clone(keys), items, sets: RefCell::default() });
    for (annotator, annotator_key) in annotators(connection, order)? {
        let by: Rc<str> = annotator_key.into();
        let mut found = Vec::new();
        asked.each(connection, annotator, EVERY_ITEM, |_, mut row| {
            // Readers would take the answers for a judgment of the current texts.
            if row.is_outdated {
                (row.set, row.version, row.at) = (NOTHING_GIVEN, None, None);
            }
            if row.flagged || row.skipped || row.comment.is_some() || row.set != NOTHING_GIVEN {
                found.push(row);
            }
            Ok(())
        })?;
        for row in &mut found {
            if let Some(answers) = before.answers(annotator, row)? {
                row.set = asked.place(&answers)?;
            }
        }
        let mut sets = under.sets.borrow_mut();
        for set in sets.len()..asked.sets.len() {
            sets.push(asked.answers(set).map(|(key, value)| (key.clone(), value.clone())).collect());
        }
        drop(sets);
        found.sort_by_key(|row| row.rank);
        for row in found {
            take(Stated {
                under: Rc::clone(&under),
                by: Rc::clone(&by),
                rank: row.rank,
                set: row.set,
                version: row.version.filter(|version| unnamed != Some(*version)),
                active: row.active,
                is_total: totals.contains(&(annotator, row.item)),
                at: row.at,
                comment: row.comment,
                flagged: row.flagged,
                skipped: row.skipped,
            })?;
        }
    }
    Ok(())
}

/// Earlier versions of a protocol whose answers stand under the current one. A record has such answers as they were given: a file
/// that names their version is read in the words of now, and knows what could not be given then.
struct GivenBefore<'c> {
    log: Option<Log<'c>>,
    current: u32,
    versions: Vec<Protocol>,
}

impl<'c> GivenBefore<'c> {
    fn read(connection: &'c Connection, name: &str) -> Tried<GivenBefore<'c>> {
        let Some(current) = protocols::find(connection, name)? else {
            return Ok(GivenBefore { log: None, current: 0, versions: Vec::new() });
        };
        let versions =
            current.earlier.iter().map(|(_, number)| protocols::find_version(connection, name, *number));
        let versions: Vec<Protocol> = versions.filter_map(Tried::transpose).collect::<Tried<_>>()?;
        let log = if versions.is_empty() { None } else { Some(Log::prepare(connection)?) };
        Ok(GivenBefore { log, current: current.version, versions })
    }

    /// The answers of a row as they were given under an earlier version; of a row that has none such, the version is that of its words.
    fn answers(&mut self, annotator: AnnotatorId, row: &mut JudgmentSaid) -> Tried<Option<Answers>> {
        let under = self.versions.iter().find(|earlier| Some(earlier.version) == row.version);
        let (Some(under), Some(log)) = (under, &mut self.log) else { return Ok(None) };
        let given = fold_under(&log.events(annotator, row.item)?, under).answers;
        if given.is_empty() {
            row.version = Some(self.current);
        }
        Ok(Some(given).filter(|given| !given.is_empty()))
    }
}

pub(crate) fn annotators(connection: &Connection, order: PeopleOrder) -> Tried<Vec<(AnnotatorId, String)>> {
    let by = match order {
        PeopleOrder::Named => "key",
        PeopleOrder::Came => "id",
    };
    let select = format!("SELECT id, key FROM annotator WHERE {} ORDER BY {by}", counts("annotator", "id"));
    all(connection, &select, [])
}

/// The questions of one protocol, and the answers that occur, each read once. All reading of judgments in bulk goes
/// through it.
pub(super) struct AnswersRead<V> {
    questions: Vec<(QuestionId, String)>,
    /// The place of each item among the given ones, ascending by item.
    ranks: Vec<(ItemId, u32)>,
    read: fn(&str) -> Tried<V>,
    values: Vec<V>,
    /// The place of each value.
    codes: HashMap<String, u32>,
    /// The places of question and answer in the phrases of the file, by number; `None` where the question is not asked.
    phrases: FastMap<i64, Option<GivenPlaces>>,
    /// Each set of answers that occurs, in the order of the questions. The first one is empty.
    sets: Vec<Vec<GivenPlaces>>,
    /// The place of each set.
    places: FastMap<Vec<GivenPlaces>, u32>,
    /// The places of short packed answers, which occur again and again.
    packed: FastMap<Vec<u8>, u32>,
}

/// The place of the set of no answers.
pub(super) const NOTHING_GIVEN: u32 = 0;

/// The longest packed answers that are remembered, in bytes.
const SHORT: usize = 24;

/// The first and the last item of a walk.
pub(super) type ItemRange = (ItemId, ItemId);

pub(super) const EVERY_ITEM: ItemRange = (ItemId(i64::MIN), ItemId(i64::MAX));

/// The judgment of one annotator on one item, its answers by number.
pub(super) struct JudgmentSaid {
    pub(crate) item: ItemId,
    /// The place of the item.
    pub(crate) rank: u32,
    pub(crate) flagged: bool,
    pub(crate) skipped: bool,
    pub(crate) active: i64,
    pub(crate) at: Option<i64>,
    pub(crate) comment: Option<String>,
    pub(crate) version: Option<u32>,
    pub(crate) state: ItemState,
    /// Whether it was given on texts that were revised since.
    pub(crate) is_outdated: bool,
    /// The place of the set of answers.
    pub(crate) set: u32,
}

/// The places of a question and of its answer.
type GivenPlaces = (u32, u32);

impl<V> AnswersRead<V> {
    pub(crate) fn new(
        questions: Vec<(QuestionId, String)>,
        items: &[ItemRow],
        read: fn(&str) -> Tried<V>,
    ) -> AnswersRead<V> {
        let mut ranks: Vec<(ItemId, u32)> = items.iter().map(|item| item.id).zip(0..).collect();
        ranks.sort_unstable();
        AnswersRead {
            questions,
            ranks,
            read,
            values: Vec::new(),
            codes: HashMap::new(),
            phrases: FastMap::default(),
            sets: vec![Vec::new()],
            places: FastMap::from_iter([(Vec::new(), NOTHING_GIVEN)]),
            packed: FastMap::default(),
        }
    }

    /// Hands over an annotator's judgments of the items of this range, by item. Standings and ranks both come by item and
    /// are walked side by side.
    pub(crate) fn each(
        &mut self,
        connection: &Connection,
        annotator: AnnotatorId,
        range: ItemRange,
        mut take: impl FnMut(&AnswersRead<V>, JudgmentSaid) -> Tried<()>,
    ) -> Tried<()> {
        let ranks = std::mem::take(&mut self.ranks);
        let walked = self.walk(connection, annotator, range, &ranks, &mut take);
        self.ranks = ranks;
        walked
    }

    fn walk(
        &mut self,
        connection: &Connection,
        annotator: AnnotatorId,
        (from, to): ItemRange,
        ranks: &[(ItemId, u32)],
        take: &mut impl FnMut(&AnswersRead<V>, JudgmentSaid) -> Tried<()>,
    ) -> Tried<()> {
        let mut phrases = Phrases::prepare(connection)?;
        let mut ranks = ranks;
        let mut standings = connection.prepare_cached(
            "SELECT item, flagged, skipped, active, at, comment, version, state, answers, is_outdated FROM standing
             WHERE annotator = ?1 AND item BETWEEN ?2 AND ?3 ORDER BY item",
        )?;
        let mut standings = standings.query((annotator, from, to))?;
        while let Some(row) = standings.next()? {
            let item = row.get(0)?;
            let Some(rank) = at_item(&mut ranks, item) else { continue };
            let set = match row.get_ref(8)?.as_blob_or_null()? {
                Some(answers) => self.set(&mut phrases, answers)?,
                None => NOTHING_GIVEN,
            };
            let said = JudgmentSaid {
                item,
                rank,
                flagged: row.get(1)?,
                skipped: row.get(2)?,
                active: row.get(3)?,
                at: row.get(4)?,
                comment: row.get(5)?,
                version: row.get(6)?,
                state: state_of(row.get(7)?),
                is_outdated: row.get::<_, Option<bool>>(9)?.unwrap_or_default(),
                set,
            };
            take(self, said)?;
        }
        Ok(())
    }

    /// The place of the set of answers that a row has to the questions.
    fn set(&mut self, phrases: &mut Phrases<'_>, answers: &[u8]) -> Tried<u32> {
        if let Some(set) = self.packed.get(answers) {
            return Ok(*set);
        }
        let given = self.given(phrases, answers)?;
        let set = self.place_of(given)?;
        if answers.len() <= SHORT {
            self.packed.insert(answers.to_vec(), set);
        }
        Ok(set)
    }

    fn place_of(&mut self, given: Vec<GivenPlaces>) -> Tried<u32> {
        if let Some(set) = self.places.get(&given) {
            return Ok(*set);
        }
        let set = u32::try_from(self.sets.len()).map_err(|_| said("there are too many answers"))?;
        self.sets.push(given.clone());
        self.places.insert(given, set);
        Ok(set)
    }

    /// The place of these answers.
    fn place(&mut self, answers: &Answers) -> Tried<u32> {
        let keys: Vec<(u32, String)> = (0..).zip(self.questions.iter().map(|(_, key)| key.clone())).collect();
        let mut given = Vec::new();
        for (place, key) in keys {
            if let Some(answer) = answers.get(&key) {
                given.push((place, self.code(&answer.to_json().to_string())?));
            }
        }
        self.place_of(given)
    }

    /// The answers of a row to the questions, in the order of the questions.
    fn given(&mut self, phrases: &mut Phrases<'_>, answers: &[u8]) -> Tried<Vec<GivenPlaces>> {
        let mut given = Vec::new();
        for part in packed::parts(answers) {
            let Some(part) = part else {
                return Err(said("answers in the study cannot be read; `haymark check` says more"));
            };
            match part.said {
                PackedSaid::Phrase(number) => {
                    let one = match self.phrases.get(&number) {
                        Some(one) => *one,
                        None => {
                            let one = self.one(&phrases.numbered(number)?.body)?;
                            self.phrases.insert(number, one);
                            one
                        }
                    };
                    given.extend(one);
                }
                PackedSaid::Text { body, .. } => given.extend(self.one(body)?),
            }
        }
        given.sort_unstable_by_key(|(question, _)| *question);
        Ok(given)
    }

    /// The places of a question and of its answer, where the question is asked.
    fn one(&mut self, body: &str) -> Tried<Option<GivenPlaces>> {
        #[derive(Deserialize)]
        struct StoredAnswer<'b> {
            #[serde(borrow)]
            question: std::borrow::Cow<'b, str>,
            #[serde(borrow)]
            answer: &'b serde_json::value::RawValue,
        }
        let Ok(StoredAnswer { question, answer }) = serde_json::from_str(body) else {
            return Err(said("answers in the study cannot be read; `haymark check` says more"));
        };
        let place = (0..).zip(&self.questions).find(|(_, (_, key))| *key == question).map(|(place, _)| place);
        place.map(|place| Ok((place, self.code(answer.get())?))).transpose()
    }

    fn code(&mut self, value: &str) -> Tried<u32> {
        if let Some(code) = self.codes.get(value) {
            return Ok(*code);
        }
        let code = u32::try_from(self.values.len()).map_err(|_| said("there are too many answers"))?;
        self.values.push((self.read)(value)?);
        self.codes.insert(value.to_owned(), code);
        Ok(code)
    }

    /// The answers of a set with the keys of their questions.
    pub(crate) fn answers(&self, set: usize) -> impl Iterator<Item = (&String, &V)> {
        let given = self.sets.get(set).into_iter().flatten();
        given.map(|(question, code)| (&self.questions[*question as usize].1, &self.values[*code as usize]))
    }
}

/// The value at this item in a column that ascends by item, as the items asked for do. The column is cut to begin at it.
fn at_item<T: Copy>(column: &mut &[(ItemId, T)], item: ItemId) -> Option<T> {
    // Most often the item is the next one. Doubling the reach avoids walking over all where few were judged.
    let mut reach = 1;
    while column.get(reach).is_some_and(|(next, _)| *next < item) {
        reach *= 2;
    }
    let near = column.get(..=reach).unwrap_or(column);
    *column = column.get(near.partition_point(|(next, _)| *next < item)..)?;
    let (next, found) = column.first()?;
    (*next == item).then_some(*found)
}
