//! The quick way for judgments by the million: an annotator's first judgment of an item, with answers that keep
//! every rule. Items and sets of answers are looked up once. Rows are written many at a time, those of the caches at the
//! end and in their order. All other judgments go the careful way, which knows all cases. Both ways write the same rows.

use std::rc::Rc;

use super::drafting::draft;
use super::{CheckedJudgment, Judgments, MOST_SECONDS, NamedProtocol, read_time, resolve};
use crate::journal::Standing;
use crate::number::short;
use crate::protocol::Answers;
use crate::store::corpus::CorpusWriter;
use crate::store::file::{ActTrigger, TOGETHER, Tried};
use crate::store::journal::caches::{Cached, StandingRows, Stands};
use crate::store::journal::{ActKind, ActWriter, BITS, SPAN, WaitingAct};
use crate::study::{AnnotatorId, ItemId, JudgmentLine, Target};
use crate::text::fast::FastMap;
use crate::text::hash::Fingerprint;

/// The most sets of answers that are remembered.
const MOST: usize = 10_000;

/// An item that was looked up.
#[derive(Clone, Copy)]
struct KnownItem {
    target: Target,
    /// The number of the candidate's bullets.
    bullets: usize,
    /// The row of the item, once there is one, and the texts for a judgment's row, if they are not the item's own.
    row: Option<(ItemId, Option<Fingerprint>)>,
}

/// Answers under a version of a protocol, in the form of rows.
struct ReadyAnswers {
    /// The distance from the judgment's first number to the number of its first event.
    slot: i64,
    body: Vec<u8>,
    cached: Rc<Cached>,
}

/// A row of `standing` that waits.
struct WaitingStanding {
    annotator: AnnotatorId,
    item: ItemId,
    at: Option<i64>,
    active: i64,
    says: u32,
}

/// The state of the quick way within one import.
#[derive(Default)]
pub(super) struct Quick {
    /// The version that was named last: protocol, number, and fingerprint of the text.
    under: Option<(String, Option<u32>, Fingerprint)>,
    /// The numbers of texts of versions, with which the keys of `items` and `answers` begin.
    texts: FastMap<[u8; 16], u32>,
    /// Places in `known`.
    items: FastMap<Vec<u8>, u32>,
    known: Vec<KnownItem>,
    /// Places in `ready`; `None` for answers that go the careful way.
    answers: FastMap<Vec<u8>, Option<u32>>,
    ready: Vec<ReadyAnswers>,
    annotator: Option<(String, AnnotatorId)>,
    key: Vec<u8>,
    /// Waiting rows, with the place of their answers in `ready`.
    rows: Vec<WaitingAct<u32>>,
    stands: Vec<WaitingStanding>,
    watch: ActTrigger,
}

impl<'c> Judgments<'c> {
    /// Takes a judgment the quick way; `false` where it must go the careful way.
    pub(crate) fn take_line(&mut self, corpus: &mut CorpusWriter<'c>, new: &JudgmentLine<'_>) -> Tried<bool> {
        let Some((annotator, at, active)) = self.who_and_when(corpus, new)? else { return Ok(false) };
        let Some(text) = self.text_of(new)? else { return Ok(false) };
        let number = short(self.quick.texts.len());
        let number = *self.quick.texts.entry(text.0).or_insert(number);
        let Some(place) = self.known_item(corpus, text, number, new)? else { return Ok(false) };
        let bullets = self.quick.known[place as usize].bullets;
        let Some(says) = self.answers_as_rows(text, number, (bullets, new))? else { return Ok(false) };
        let Some(under) = self.under.get(&text).cloned() else { return Ok(false) };
        let (item, texts) = self.row_of(corpus, &under, place)?;
        if self.caches.has_queue(annotator, under.id)
            || self.log.know_revised(item)?
            || !self.is_first(annotator, item)?
        {
            return Ok(false);
        }
        let version = self.version(&under)?;
        let Some(writer) = self.new_writer(&under)? else { return Ok(false) };
        self.see(annotator, item);
        if let Some(under) = self.under.get_mut(&text) {
            under.next_seq += super::slots(&under.protocol);
        }
        let id = writer << BITS | (under.next_seq + self.quick.ready[says as usize].slot);
        self.quick.stands.push(WaitingStanding { annotator, item, at, active, says });
        let about = [annotator.0, item.0, version.0];
        self.quick.rows.push(WaitingAct {
            id,
            about,
            kind: ActKind::Imported,
            at,
            active,
            texts,
            body: says,
        });
        if self.quick.rows.len() == TOGETHER {
            self.write_rows()?;
        }
        Ok(true)
    }

    fn who_and_when(
        &mut self,
        corpus: &CorpusWriter<'c>,
        new: &JudgmentLine<'_>,
    ) -> Tried<Option<(AnnotatorId, Option<i64>, i64)>> {
        let seconds = new.seconds.unwrap_or(0.0);
        let Ok(at) = read_time(new.at) else { return Ok(None) };
        if !(0.0..=MOST_SECONDS).contains(&seconds) {
            return Ok(None);
        }
        let annotator = match &self.quick.annotator {
            Some((key, annotator)) if key == new.annotator => *annotator,
            _ => {
                let Some(annotator) = corpus.keys.annotator(new.annotator) else { return Ok(None) };
                self.quick.annotator = Some((new.annotator.to_owned(), annotator));
                annotator
            }
        };
        // Between 0 and 1e11, so nothing is lost but the fraction.
        Ok(Some((annotator, at, (seconds * 1000.0).round() as i64)))
    }

    /// The fingerprint of the version that the judgment names.
    fn text_of(&mut self, new: &JudgmentLine<'_>) -> Tried<Option<Fingerprint>> {
        if let Some((name, version, text)) = &self.quick.under
            && name == new.protocol
            && *version == new.version
        {
            return Ok(Some(*text));
        }
        let Some(text) = self.named.get(&(new.protocol.to_owned(), new.version)).copied() else {
            // The careful way looks the version up.
            return Ok(None);
        };
        self.quick.under = Some((new.protocol.to_owned(), new.version, text));
        Ok(Some(text))
    }

    fn known_item(
        &mut self,
        corpus: &mut CorpusWriter<'c>,
        text: Fingerprint,
        number: u32,
        new: &JudgmentLine<'_>,
    ) -> Tried<Option<u32>> {
        let mut key = std::mem::take(&mut self.quick.key);
        key.clear();
        key.extend_from_slice(&number.to_le_bytes());
        key.extend_from_slice(&new.bullet.map_or(u64::MAX, u64::from).to_le_bytes());
        for part in [new.collection, new.query, new.document, new.unit, new.candidate, new.other] {
            key.push(u8::from(part.is_some()));
            key.extend_from_slice(part.unwrap_or_default().as_bytes());
            key.push(0);
        }
        let mut found = self.quick.items.get(&key).copied();
        if found.is_none()
            && let Some(known) = self.learn_item(corpus, text, new)?
        {
            let place = short(self.quick.known.len());
            self.quick.known.push(known);
            self.quick.items.insert(key.clone(), place);
            found = Some(place);
        }
        self.quick.key = key;
        Ok(found)
    }

    /// The row of an item, made where there is none.
    fn row_of(
        &mut self,
        corpus: &mut CorpusWriter<'c>,
        under: &NamedProtocol,
        place: u32,
    ) -> Tried<(ItemId, Option<Fingerprint>)> {
        let KnownItem { target, row, .. } = self.quick.known[place as usize];
        if let Some(row) = row {
            return Ok(row);
        }
        let texts = corpus.texts.of_target(&target)?;
        let names = corpus.keys.whole()?.of_target(&target);
        let (item, is_new) =
            self.items.keep_with((under.id, &under.protocol.name), target, (None, Some(texts)), || names)?;
        let own = if is_new { None } else { self.log.acts.own_texts(item, texts, ActKind::Imported)? };
        if is_new {
            self.log.acts.know_texts(item, texts);
        }
        self.quick.known[place as usize].row = Some((item, own));
        Ok((item, own))
    }

    fn learn_item(
        &mut self,
        corpus: &mut CorpusWriter<'c>,
        text: Fingerprint,
        new: &JudgmentLine<'_>,
    ) -> Tried<Option<KnownItem>> {
        let Some(under) = self.under.get(&text).cloned() else { return Ok(None) };
        // The careful way gives the error.
        let Some(record) = new.record() else { return Ok(None) };
        let Ok(target) = resolve::target(corpus.keys.whole()?, &mut self.gold, &under.protocol, &record)
        else {
            return Ok(None);
        };
        // Answers that name the candidates of a pair in the other order are turned by the careful way.
        let Ok((target, false)) = resolve::in_order(corpus, target) else { return Ok(None) };
        let bullets = self.bullets_of(corpus, target)?;
        if new.bullet.is_some_and(|number| !(1..=bullets).contains(&(number as usize))) {
            return Ok(None);
        }
        Ok(Some(KnownItem { target, bullets, row: None }))
    }

    /// The place of the answers in `ready`.
    fn answers_as_rows(
        &mut self,
        text: Fingerprint,
        number: u32,
        (bullets, new): (usize, &JudgmentLine<'_>),
    ) -> Tried<Option<u32>> {
        let mut key = std::mem::take(&mut self.quick.key);
        key.clear();
        key.extend_from_slice(&number.to_le_bytes());
        key.extend_from_slice(&(bullets as u64).to_le_bytes());
        key.extend_from_slice(new.answers.as_bytes());
        let found = match self.quick.answers.get(&key) {
            Some(found) => *found,
            None => {
                let found = self.make_ready(text, bullets, new)?;
                if self.quick.answers.len() >= MOST {
                    self.quick.answers.clear();
                }
                self.quick.answers.insert(key.clone(), found);
                found
            }
        };
        self.quick.key = key;
        Ok(found)
    }

    fn make_ready(
        &mut self,
        text: Fingerprint,
        bullets: usize,
        new: &JudgmentLine<'_>,
    ) -> Tried<Option<u32>> {
        let Some(under) = self.under.get(&text).cloned() else { return Ok(None) };
        let Some(record) = new.record() else { return Ok(None) };
        let mut answers = Answers::new();
        for (key, value) in &record.answers {
            let Some(answer) = under.protocol.answer_from_json(key, value) else { return Ok(None) };
            answers.insert(key.clone(), answer);
        }
        // Answers that name units or passages are checked one by one.
        let names_others = |answers: &Answers| {
            under.protocol.questions.iter().any(|question| {
                let answer = answers.get(&question.key);
                answer.is_some_and(|answer| !question.kinds().is_empty() || !answer.passages().is_empty())
            })
        };
        if answers.is_empty()
            || names_others(&answers)
            || !under.protocol.violations(&answers, bullets).is_empty()
        {
            return Ok(None);
        }
        let said = CheckedJudgment { answers, active: 0, at: None, is_beside: false };
        let events = draft(&under, &record, &said, &Standing::default(), Fingerprint([0; 16]));
        let numbers = events.first().zip(events.last()).map(|(first, last)| (first.id.seq, last.id.seq));
        // The careful way spreads more over several rows.
        let Some((first, _)) = numbers.filter(|(first, last)| last - first < SPAN) else { return Ok(None) };
        let body = self.log.acts.phrases.pack(&events)?;
        let standing = self.log.fold_alone(&events, Some(&under.protocol));
        if standing.answers != said.answers {
            return Ok(None);
        }
        let cached = Rc::new(self.caches.cached((under.id, &under.current), &standing)?);
        self.quick.ready.push(ReadyAnswers { slot: first - under.next_seq, body, cached });
        Ok(u32::try_from(self.quick.ready.len() - 1).ok())
    }

    /// Forgets everything that depends on versions of protocols.
    pub(super) fn forget_ready(&mut self) {
        self.quick.answers.clear();
        self.quick.under = None;
    }

    /// The number of the writer, if the file did not have it before.
    fn new_writer(&mut self, under: &NamedProtocol) -> Tried<Option<i64>> {
        if let Some(writer) = under.number {
            return Ok(writer);
        }
        let number = Some(self.log.acts.writers.keep(self.connection, under.writer)?);
        if let Some(under) = self.under.get_mut(&under.protocol.hash) {
            under.number = Some(number);
        }
        Ok(number)
    }

    /// Writes the waiting rows, so that they can be read.
    pub(super) fn write_rows(&mut self) -> Tried<()> {
        let rows = std::mem::take(&mut self.quick.rows);
        if rows.len() == TOGETHER {
            self.quick.watch.leave(self.connection)?;
        }
        let ready = &self.quick.ready;
        ActWriter::prepare(self.connection)?.write(&rows, |says| &ready[*says as usize].body)?;
        self.quick.rows = rows;
        self.quick.rows.clear();
        Ok(())
    }

    /// Puts the trigger back.
    pub(super) fn watch(&mut self) -> Tried<()> {
        Ok(self.quick.watch.come_back(self.connection)?)
    }

    /// Writes the waiting standings, in the order of the table. Rows that were written since stay.
    pub(super) fn write_standings(&mut self) -> Tried<()> {
        let mut stands = std::mem::take(&mut self.quick.stands);
        stands.sort_unstable_by_key(|row| (row.annotator, row.item));
        let mut rows = StandingRows::prepare(self.connection)?;
        for WaitingStanding { annotator, item, at, active, says } in stands {
            let cached = Rc::clone(&self.quick.ready[says as usize].cached);
            rows.put(Stands { annotator, item, active, at, cached })?;
        }
        rows.write()
    }
}
