//! Bringing judgments into the journal.
//!
//! Every judgment becomes events of a writer that is derived from the content of the file and the
//! protocol, with numbers that depend only on its place in the file. So the same file imported
//! into two copies of a study gives equal events, and merging the copies does not double them.

mod adjudication;
mod drafting;
mod quick;

use std::collections::HashMap;
use std::rc::Rc;

use rusqlite::{CachedStatement, Connection};

use super::acts::Subject;
use super::caches::Caches;
use super::revise::TextsGiven;
use super::{Log, amend, log, revise};
use crate::error::Error;
use crate::journal::{Event, Happening, PARTS, Standing, Writer};
use crate::number::counted;
use crate::protocol::{Answers, Protocol, Question, Violation, builtin, builtins};
use crate::store::corpus::items::PlaceBits;
use crate::store::corpus::resolve::named;
use crate::store::corpus::{
    CorpusWriter, GOLD_OF_UNIT, ItemRows, RecordTaken, Target, protocols, references, resolve, shorten,
};
use crate::store::file::schema::{INDEX_ACTS, UNINDEX_ACTS};
use crate::store::file::{Fault, ProtocolId, Tried, VersionId};
use crate::study::amendment::Act;
use crate::study::{Amendment, AnnotatorId, CandidateId, ItemId, Judgment, RecordKind, whole_second};
use crate::text::bullets::bullets;
use crate::text::hash::{Fingerprint, fingerprint};
use crate::text::shell::quoted;
use crate::text::width::visible;
use drafting::{draft, is_before_parts, keep_apart};
use quick::Quick;

/// Most seconds that a judgment may claim: about three years.
const MOST_SECONDS: f64 = 86_400.0;

/// Adds judgments within one transaction.
pub(crate) struct Judgments<'c> {
    connection: &'c Connection,
    log: Log<'c>,
    caches: Caches<'c>,
    pub(crate) items: ItemRows<'c>,
    gold: CachedStatement<'c>,
    /// Fingerprint of the imported file.
    content: Fingerprint,
    /// Versions of protocols by the fingerprint of their text.
    under: HashMap<Fingerprint, NamedProtocol>,
    /// The fingerprint of the text of each version that was named, by protocol and number.
    named: HashMap<(String, Option<u32>), Fingerprint>,
    texts: HashMap<ItemId, Fingerprint>,
    /// The amendments of the study, read when the first judgment of a revised item comes.
    amendments: Option<Rc<[Amendment]>>,
    bullets: HashMap<CandidateId, usize>,
    /// The items judged in this import, by annotator.
    seen: HashMap<AnnotatorId, PlaceBits>,
    /// Whether the journal held nothing before.
    was_empty: bool,
    index: Index,
    quick: Quick,
}

/// The state of the index of acts, while an import into an empty journal goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Index {
    Kept,
    PutOff,
}

/// A protocol that judgments of this file name, and the writer of their events.
#[derive(Clone)]
struct NamedProtocol {
    protocol: Rc<Protocol>,
    /// The current version, under which the caches are kept.
    current: Rc<Protocol>,
    id: ProtocolId,
    /// The row of `protocol`, stored when the first event needs it.
    version: Option<VersionId>,
    writer: Writer,
    /// The number of the writer in this file, once that was looked up; `Some(None)` where the file had the writer before.
    number: Option<Option<i64>>,
    /// Number of the next judgment's first event. Every judgment has a number for each question
    /// and for comment, flag and skip, used or not.
    next_seq: i64,
}

impl NamedProtocol {
    /// Whether an event is one of the judgment whose first number is the next.
    fn gave(&self, event: &Event) -> bool {
        let numbers = self.next_seq..self.next_seq + slots(&self.protocol);
        event.id.writer == self.writer && numbers.contains(&event.id.seq)
    }
}

/// A time before all revisions, when a record was as it came in.
const CAME_IN: i64 = i64::MIN;

/// A judgment, read and checked as far as that goes without the study.
struct CheckedJudgment {
    answers: Answers,
    active: i64,
    at: Option<i64>,
    /// Whether it counts beside the answers to other questions that stand.
    is_beside: bool,
}

impl<'c> Judgments<'c> {
    pub(crate) fn prepare(connection: &'c Connection, content: Fingerprint) -> Tried<Judgments<'c>> {
        let is_empty = !log::has_events(connection)?;
        let log = Log::prepare(connection)?;
        Ok(Judgments {
            connection,
            caches: Caches::prepare(connection, log.counting())?,
            log,
            items: ItemRows::prepare(connection)?,
            gold: connection.prepare_cached(GOLD_OF_UNIT)?,
            content,
            under: HashMap::new(),
            named: HashMap::new(),
            texts: HashMap::new(),
            amendments: None,
            bullets: HashMap::new(),
            seen: HashMap::new(),
            was_empty: is_empty,
            index: Index::Kept,
            quick: Quick::default(),
        })
    }

    /// Adds a judgment; notes rules that it breaks without being refused.
    pub(crate) fn take(
        &mut self,
        corpus: &mut CorpusWriter<'c>,
        new: &Judgment,
        notes: &mut Vec<String>,
    ) -> Tried<RecordTaken> {
        let mut under = self.under(&new.protocol, new.version)?;
        if new.is_part {
            under.next_seq += PARTS;
        }
        let mut said = read(&under.protocol, new)?;
        let annotator = corpus.keys.annotator(&new.annotator);
        let annotator = annotator.ok_or_else(|| unknown_annotator(&new.annotator))?;
        let (target, misplaced) = self.judged(corpus, &under.protocol, (new, &mut said), notes)?;
        notes
            .extend(misplaced.into_iter().map(|what| format!("{} on {}: {what}", new.annotator, named(new))));
        let keys = corpus.keys.whole()?.of_target(&target);
        let item = self.items.keep((under.id, &under.protocol.name), target, new.aside, || keys)?;
        let mut events = self.events_so_far(annotator, item)?;
        let is_first = events.is_empty();
        said.is_beside |= is_before_parts(&events, &said);
        let texts = self.texts_given(corpus, (item, target), &events, &mut under, &mut said)?;
        let before = self.log.fold_as_given(item, &events, &under.protocol);
        let is_on_them = !before.is_outdated || before.judged_under.is_none_or(|(_, on)| on == texts);
        let is_held = is_under(&before, new, &under) && holds(&before, new, &said) && is_on_them;
        // What another file says may be withdrawn with it. An export only tells again what its study has, and when that was said.
        let of_this_file = |event: &Event| {
            event.id.writer == under.writer
                || event.id.writer == import_writer(self.content, event.protocol, None)
        };
        let is_told_again = |event: &Event| {
            let has_time = said.active <= before.active && (said.at.is_none() || event.at == said.at);
            has_time && new.is_as_exported()
        };
        let stay = |event: &&Event| event.id.writer.0 >= 0 || is_told_again(event) || of_this_file(event);
        let stays: Vec<&Event> = events.iter().filter(stay).collect();
        // What is said again at another time was said twice.
        let is_again = |event: &&Event| event.is_of_time(said.at);
        if is_held && (events.is_empty() || stays.iter().any(is_again)) {
            let is_earlier_line =
                |event: &&Event| event.id.writer == under.writer && event.id.seq < under.next_seq;
            let gives_again = stays.iter().any(|event| is_again(event) && is_earlier_line(event));
            return Ok(if gives_again { RecordTaken::GivenAgain } else { RecordTaken::Known });
        }
        self.refuse_tie((&events, &before), &under, new, &said)?;
        let version = self.version(&under)?;
        let subject = Subject { annotator, item, version };
        let mut drafted = draft(&under, new, &said, &before, texts);
        if !is_first {
            let with =
                |new: &[Event]| self.log.fold_as_given(item, &[&events, new].concat(), &under.protocol);
            keep_apart(&mut drafted, (&stays, &before), with, new, &said);
        }
        let appended = self.append(subject, drafted, said.active)?;
        if appended.is_empty() {
            return Ok(RecordTaken::Known);
        }
        events.extend(appended);
        let after = self.log.fold(item, &events, Some(&under.protocol));
        self.caches.keep(annotator, (item, new.aside.is_some()), (under.id, &under.current), &after)?;
        let after = self.log.fold_as_given(item, &events, &under.protocol);
        let was_answered = !before.answers.is_empty();
        let stays = |(question, answer)| after.answers.get(question) == Some(answer);
        let is_joined = new.is_part && was_answered && before.answers.iter().all(stays);
        if !is_first && !holds(&after, new, &said) {
            notes.push(format!(
                "{} has a later judgment of {}, which stays the current one",
                visible(&new.annotator),
                named(new)
            ));
        }
        if after.is_outdated && !before.is_outdated && !said.answers.is_empty() {
            notes.push(format!(
                "{} judged {} before its text was revised, and is asked to confirm",
                visible(&new.annotator),
                named(new)
            ));
        }
        Ok(match is_held {
            true => RecordTaken::Repeated,
            false if is_joined => RecordTaken::Joined,
            false if was_answered && before.answers != after.answers => RecordTaken::Replaced,
            false => RecordTaken::Added,
        })
    }

    /// The target of a judgment, whose answers are turned where it names the candidates of a pair in the other order, and a
    /// sentence for each passage that does not stand where it should. Refuses answers that break the rules, or notes them.
    fn judged(
        &mut self,
        corpus: &mut CorpusWriter<'c>,
        protocol: &Protocol,
        (new, said): (&Judgment, &mut CheckedJudgment),
        notes: &mut Vec<String>,
    ) -> Tried<(Target, Vec<String>)> {
        let target = resolve::target(corpus.keys.whole()?, &mut self.gold, protocol, new)?;
        let (target, is_reversed) = resolve::in_order(corpus, target)?;
        if is_reversed {
            protocol.exchange_sides(&mut said.answers);
        }
        check(protocol, new, said, self.bullets_of(corpus, target)?, notes)?;
        let misplaced = references::check(corpus, protocol, &target, &said.answers)?;
        Ok((target, misplaced))
    }

    /// The texts of an item on which a judgment was given: those of its time, or the current ones for a new judgment that has
    /// none. A judgment on revised texts has a writer of its own and no earlier time than the revision: so the same
    /// file gives equal events in studies that were revised and in others.
    fn texts_given(
        &mut self,
        corpus: &mut CorpusWriter<'c>,
        (item, target): (ItemId, Target),
        events: &[Event],
        under: &mut NamedProtocol,
        said: &mut CheckedJudgment,
    ) -> Tried<Fingerprint> {
        if !self.log.know_revised(item)? {
            return self.texts_of(corpus, item, target);
        }
        let amendments = match &self.amendments {
            Some(known) => Rc::clone(known),
            None => self.amendments.insert(amend::read(self.connection)?.into()).clone(),
        };
        // A file that comes in again says what it said, on the texts of then.
        let gave = |since: &Option<i64>| {
            let writer = import_writer(self.content, under.protocol.hash, *since);
            let of = NamedProtocol { writer, ..under.clone() };
            events.iter().any(|event| of.gave(event))
        };
        let revised = amendments.iter().filter(|one| one.act == Act::Revise).map(|one| Some(one.at));
        let before = || std::iter::once(None).chain(revised).find(gave);
        let at = said.at.or_else(|| Some(before()?.unwrap_or(CAME_IN)));
        let about = (&amendments[..], corpus.keys.whole()?);
        let TextsGiven { texts, since } = revise::texts_at(self.connection, about, &target, at)?;
        if since.is_some() {
            under.writer = import_writer(self.content, under.protocol.hash, since);
            said.at = said.at.or(since);
        }
        Ok(texts)
    }

    /// Refuses a judgment of the same time as another one that says something else: which of them counts would hang on the names
    /// of their files, or on the order of lines.
    fn refuse_tie(
        &self,
        (earlier, before): (&[Event], &Standing),
        under: &NamedProtocol,
        new: &Judgment,
        said: &CheckedJudgment,
    ) -> Tried<()> {
        let is_tied = |event: &Event| match &event.happening {
            Happening::Answer { question, answer } => {
                event.at == said.at
                    && before.answers.get(question) == Some(answer)
                    && said.answers.get(question).map_or(!new.is_part, |said| said != answer)
            }
            _ => false,
        };
        let is_known = earlier.iter().any(|event| under.gave(event));
        let tied =
            earlier.iter().find(|event| is_tied(event)).filter(|_| !said.answers.is_empty() && !is_known);
        let Some(tied) = tied else { return Ok(()) };
        let another = match &tied.happening {
            Happening::Answer { question, .. } if new.is_part => {
                format!("another answer to {question:?} for")
            }
            _ => "another judgment of".to_owned(),
        };
        let time = if said.at.is_some() { "of the same time" } else { "without a time" };
        let (who, what) = (visible(&new.annotator), named(new));
        let advice = match amend::file_of(self.connection, tied.id.writer)? {
            _ if tied.id.writer == under.writer => {
                "both are in this file: take out the wrong one, or give the later one a later \"at\""
                    .to_owned()
            }
            Some(file) => format!(
                "give this one a later \"at\"; or take the earlier file out, if this one is to replace it: \
                 `haymark withdraw STUDY import {} --as NAME --reason …`",
                quoted(&file)
            ),
            None => "give this one a later \"at\"".to_owned(),
        };
        let error = format!("{who} has {another} {what} {time}, so nobody knows which one counts");
        Err(Error::new(error).advise(advice).into())
    }

    /// The version of the protocol, with the number of the judgment's first event, which is then used up.
    fn under(&mut self, name: &str, version: Option<u32>) -> Tried<NamedProtocol> {
        let asked = (name.to_owned(), version);
        let text = match self.named.get(&asked) {
            Some(text) => *text,
            None => {
                let text = self.learn(name, version)?;
                self.named.insert(asked, text);
                text
            }
        };
        let Some(under) = self.under.get_mut(&text) else {
            return Err(unknown_protocol(self.connection, name)?);
        };
        let this = under.clone();
        under.next_seq += slots(&this.protocol);
        Ok(this)
    }

    /// Looks a version up, or the current one; returns the fingerprint of its text.
    fn learn(&mut self, name: &str, version: Option<u32>) -> Tried<Fingerprint> {
        let Some(current) = protocols::find(self.connection, name)? else {
            return Err(unknown_protocol(self.connection, name)?);
        };
        let protocol = match version {
            None => current.clone(),
            Some(number) => protocols::find_version(self.connection, name, number)?
                .ok_or_else(|| unknown_version(&current, number))?,
        };
        let text = protocol.hash;
        if !self.under.contains_key(&text) {
            let id = protocols::keep_name(self.connection, name)?;
            let writer = import_writer(self.content, text, None);
            let (protocol, current) = (Rc::new(protocol), Rc::new(current));
            let is_known = self.log.acts.writers.find(self.connection, writer)?.is_some();
            let number = is_known.then_some(None);
            let under = NamedProtocol { protocol, current, id, version: None, writer, number, next_seq: 1 };
            self.under.insert(text, under);
        }
        Ok(text)
    }

    /// Looks everything up anew, after the journal has grown from elsewhere.
    pub(crate) fn look_again(&mut self) -> Tried<()> {
        self.was_empty = false;
        self.amendments = None;
        self.items = ItemRows::prepare(self.connection)?;
        self.log = Log::prepare(self.connection)?;
        self.caches = Caches::prepare(self.connection, self.log.counting())?;
        self.forget_current()
    }

    /// Looks protocols up anew, after one has come in.
    pub(crate) fn forget_current(&mut self) -> Tried<()> {
        self.named.clear();
        self.forget_ready();
        for under in self.under.values_mut() {
            if let Some(current) = protocols::find(self.connection, &under.protocol.name)? {
                under.current = Rc::new(current);
            }
        }
        Ok(())
    }

    fn version(&mut self, under: &NamedProtocol) -> Tried<VersionId> {
        if let Some(version) = under.version {
            return Ok(version);
        }
        let version = protocols::keep_version(self.connection, under.id, &under.protocol)?;
        self.log.read_versions(self.connection)?;
        if let Some(under) = self.under.get_mut(&under.protocol.hash) {
            under.version = Some(version);
        }
        Ok(version)
    }

    fn bullets_of(&mut self, corpus: &mut CorpusWriter<'c>, target: Target) -> Tried<usize> {
        let Some(candidate) = target.candidate else { return Ok(0) };
        if let Some(number) = self.bullets.get(&candidate) {
            return Ok(*number);
        }
        let number = bullets(&corpus.texts.of(RecordKind::Candidate, candidate.0)?).len();
        self.bullets.insert(candidate, number);
        Ok(number)
    }

    fn texts_of(
        &mut self,
        corpus: &mut CorpusWriter<'c>,
        item: ItemId,
        target: Target,
    ) -> Tried<Fingerprint> {
        if let Some(texts) = self.texts.get(&item) {
            return Ok(*texts);
        }
        let texts = corpus.texts.of_target(&target)?;
        self.texts.insert(item, texts);
        Ok(texts)
    }

    /// The events of a pair before this judgment. In a journal that was empty there are none, until
    /// a pair comes for the second time.
    fn events_so_far(&mut self, annotator: AnnotatorId, item: ItemId) -> Tried<Vec<Event>> {
        self.write_rows()?;
        let is_seen = self.is_seen(annotator, item);
        self.see(annotator, item);
        if self.was_empty && !is_seen {
            return Ok(Vec::new());
        }
        self.index()?;
        self.log.events(annotator, item)
    }

    /// Whether the pair has no events, neither of this import nor in the file.
    fn is_first(&mut self, annotator: AnnotatorId, item: ItemId) -> Tried<bool> {
        if self.is_seen(annotator, item) {
            return Ok(false);
        }
        Ok(self.was_empty || !self.log.has_any(annotator, item)?)
    }

    fn is_seen(&self, annotator: AnnotatorId, item: ItemId) -> bool {
        self.seen.get(&annotator).is_some_and(|seen| seen.has(counted(item.0)))
    }

    fn see(&mut self, annotator: AnnotatorId, item: ItemId) {
        if self.was_empty && self.seen.is_empty() && self.connection.execute_batch(UNINDEX_ACTS).is_ok() {
            self.index = Index::PutOff;
        }
        self.seen.entry(annotator).or_default().insert(counted(item.0));
    }

    /// Makes the index that was put off.
    fn index(&mut self) -> Tried<()> {
        if self.index == Index::PutOff {
            self.connection.execute_batch(INDEX_ACTS)?;
            self.index = Index::Kept;
        }
        Ok(())
    }

    /// Writes the waiting rows, and makes index and trigger. To be called before the import ends.
    pub(crate) fn finish(&mut self) -> Tried<()> {
        self.write_rows()?;
        self.watch()?;
        self.index()?;
        self.write_standings()
    }

    /// Appends the events of a judgment; returns those that the journal did not have.
    fn append(&mut self, subject: Subject, mut drafted: Vec<Event>, active: i64) -> Tried<Vec<Event>> {
        if let Some(first) = drafted.first_mut() {
            first.active = active;
        }
        self.log.acts.append(subject, drafted, false)
    }
}

/// How many event numbers a judgment has.
fn slots(protocol: &Protocol) -> i64 {
    crate::store::file::sql::stored(protocol.questions.len() + 3)
}

/// Whether the judgment may be the one that stands: not where it names another version. A judgment that
/// names no version may be older than the current one.
fn is_under(standing: &Standing, new: &Judgment, under: &NamedProtocol) -> bool {
    let same = standing.judged_under.is_none_or(|(version, _)| version == under.protocol.hash);
    new.version.is_none() || new.answers.is_empty() || same
}

/// Whether the standing has everything that the judgment says.
fn holds(standing: &Standing, new: &Judgment, said: &CheckedJudgment) -> bool {
    let comment = new.comment.as_deref().unwrap_or_default();
    let has = |(question, answer)| standing.answers.get(question) == Some(answer);
    let is_said =
        if said.is_beside { said.answers.iter().all(has) } else { said.answers == standing.answers };
    (said.answers.is_empty() || is_said)
        && (comment.is_empty()
            || comment == standing.comment
            || (new.is_part && standing.comment.contains(comment)))
        && (!new.flagged || standing.flagged)
        && (!new.skipped || standing.skipped)
}

/// The writer of the events that an imported file gives under one version of a protocol, on texts that were revised at this
/// time or never: below 0.
pub(crate) fn import_writer(content: Fingerprint, protocol: Fingerprint, revised: Option<i64>) -> Writer {
    let (content, protocol) = (content.to_string(), protocol.to_string());
    Writer::derived(match revised {
        Some(at) => fingerprint(["import", &content, &protocol, &at.to_string()]),
        None => fingerprint(["import", &content, &protocol]),
    })
}

fn read(protocol: &Protocol, new: &Judgment) -> Tried<CheckedJudgment> {
    let mut answers = Answers::new();
    for (key, value) in &new.answers {
        let Some(answer) = protocol.answer_from_json(key, value) else {
            let value = value.to_string();
            let error = Error::new(format!("{} is no answer to {key:?}", visible(&shorten(&value))));
            return Err(error
                .advise("answers are strings, numbers of bullets, lists of these, of passages or of points, or null")
                .into());
        };
        answers.insert(key.clone(), answer);
    }
    if new.says_nothing() {
        return Err(Error::new("the judgment says nothing")
            .advise("add \"answers\"; where it comes from `haymark export`, export it again with --with-text")
            .into());
    }
    let seconds = new.seconds.unwrap_or(0.0);
    if !(0.0..=MOST_SECONDS).contains(&seconds) {
        let error = Error::new(format!("\"seconds\" is {seconds}"));
        return Err(error.advise(format!("give a number from 0 to {MOST_SECONDS}")).into());
    }
    // Between 0 and 1e8, so nothing is lost but the fraction.
    let active = (seconds * 1000.0).round() as i64;
    Ok(CheckedJudgment { answers, active, at: read_time(new.at.as_deref())?, is_beside: new.is_part })
}

pub(crate) fn read_time(at: Option<&str>) -> Tried<Option<i64>> {
    let Some(text) = at else { return Ok(None) };
    if let Some(at) = whole_second(text) {
        return Ok(Some(at));
    }
    let time: jiff::Timestamp = text.parse().map_err(|_| {
        Error::new(format!("\"at\" is {text:?}, which is no time"))
            .advise("write it like 2026-01-05T09:30:00Z")
    })?;
    Ok(Some(time.as_millisecond()))
}

/// Refuses answers that the protocol does not understand, and notes other breaches of its rules.
fn check(
    protocol: &Protocol,
    new: &Judgment,
    said: &CheckedJudgment,
    bullets: usize,
    notes: &mut Vec<String>,
) -> Tried<()> {
    if let Some(number) = new.bullet.filter(|number| !(1..=bullets).contains(&(*number as usize))) {
        return Err(Error::new(format!("there is no bullet {number}, the candidate has {bullets}")).into());
    }
    if said.answers.is_empty() {
        return Ok(());
    }
    let violations = protocol.violations(&said.answers, bullets).into_iter();
    // What the rest of a part's judgment says stands elsewhere.
    for violation in violations.filter(|violation| !new.is_part || violation.is_fatal()) {
        if violation.is_fatal() {
            return Err(Error::new(violation.to_string()).advise(choose(protocol, &violation)).into());
        }
        notes.push(format!("{} on {}: {violation}", visible(&new.annotator), named(new)));
    }
    Ok(())
}

/// What helps against a breach of the rules.
fn choose(protocol: &Protocol, violation: &Violation) -> String {
    let version = match protocol.version {
        1 => String::new(),
        number => format!("; an answer under an earlier version than {number} says so with \"version\""),
    };
    let choices = match violation {
        Violation::UnknownAnswer { question, .. } => protocol.question(question).map(Question::choices),
        _ => None,
    };
    match choices.filter(|choices| !choices.is_empty()) {
        Some(choices) => {
            let values: Vec<&str> = choices.iter().map(|choice| choice.value.as_str()).collect();
            let offered = values.join(", ");
            format!("choose among {offered}; another one needs a new version of the protocol{version}")
        }
        None => format!("correct the answers{version}"),
    }
}

pub(crate) fn unknown_annotator(key: &str) -> Fault {
    let record = serde_json::json!({"type": "annotator", "id": key, "kind": "human"});
    Error::new(format!("annotator {key:?} is not in the study"))
        .advise(format!("put {} before it, or \"model\" if it is one", visible(&record.to_string())))
        .into()
}

pub(crate) fn unknown_protocol(connection: &Connection, name: &str) -> Tried<Fault> {
    let mut known: Vec<String> = builtins().iter().map(|protocol| protocol.name.clone()).collect();
    let own = protocols::names(connection)?.into_iter().map(|(_, name)| name);
    known.extend(own.filter(|name| builtin(name).is_none()));
    Ok(Error::new(format!("there is no protocol {name:?}"))
        .advise(format!("use one of: {}; `haymark protocol add` adds one of your own", known.join(", ")))
        .into())
}

fn unknown_version(current: &Protocol, number: u32) -> Error {
    Error::new(format!("there is no version {number} of the protocol {:?} in the study", current.name))
        .advise(format!(
            "the current one is {}; add that version with `haymark protocol add`, or put its \"protocol\" record before it",
            current.version
        ))
}
