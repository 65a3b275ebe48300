//! The exchange of a study with its hub: waiting rows are sent, new things are fetched and taken in, and a row counts as
//! shared once it came back.
//!
//! The file keeps one mark: the position up to which it has the hub's things. A hub that no longer has the same thing at the
//! mark was restored from a backup: then all is fetched from the beginning, and rows that do not come back are sent again.
//! Sending a row twice does no harm.

pub(crate) mod body;
mod give;
pub(crate) mod leases;
mod membership;
mod names;
mod take;
mod twins;

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::hub::{
    Audience, Fetched, Fresh, Hub, HubMark, MOST_EVENTS, Me, MemberKind, SentEvent, SentRecord, SentThing,
    other_study,
};
use crate::number::counted;
use crate::progress;
use crate::store::exchange::sense::MOST_BYTES;
use crate::store::file::{
    AMENDMENT, BULK, LONG_PATIENCE, SHORT_PATIENCE, StudyFile, Tried, USUAL, all, change, one,
};
use crate::store::work::MASKED;
use crate::text::hash::fingerprint;
use crate::text::shell::quoted;
pub(crate) use give::deeds;
use give::{Giver, SECRET};
pub(crate) use give::{NOBODY, act_event, push_item};
use leases::Groups;
pub use leases::{Ahead, GroupNames, HandedOut, Take};
pub(crate) use membership::Home;
use membership::start_over;
pub use membership::{HeldThings, Membership};
pub(crate) use take::{FromFile, KnownRows, Taker};
pub(crate) use twins::Twins;

/// The amount of work done at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncPace {
    /// Large pages: nobody works in the file.
    Whole,
    /// Small pages, so that a key never waits for a transaction.
    Beside,
}

impl SyncPace {
    /// The most things in a page, and in a transaction.
    fn most(self) -> (usize, usize) {
        match self {
            SyncPace::Whole => (10_000, 2_000_000),
            SyncPace::Beside => (500, 500),
        }
    }

    fn patience(self) -> Duration {
        match self {
            SyncPace::Whole => LONG_PATIENCE,
            SyncPace::Beside => SHORT_PATIENCE,
        }
    }
}

/// The counts of an exchange so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exchanged {
    /// Things that came, known or not.
    pub fetched: usize,
    /// Things that were new to the study.
    pub new: usize,
    pub sent: usize,
}

/// The most events that go along with a question.
const ALONG: usize = 500;

/// The place before the first row of a table.
const BEFORE_ALL: (i64, i64) = (i64::MIN, i64::MIN);

/// The exchange between a study and its hub. There is one for each connection, which begins with asking who the member is.
#[derive(Default)]
pub struct Exchange {
    known: KnownRows,
    /// Whether the hub hides systems from annotators.
    hides_systems: bool,
    /// The mark in the file, and a later mark up to which nothing came for this member, which is not worth a write.
    marks: Option<(HubMark, HubMark)>,
    is_greeted: bool,
    groups: Option<Groups>,
    ahead: HubAhead,
}

/// The work of the exchange that lies ahead, for the progress display: a position of the hub is fetched and taken in, and a
/// row of the file is sent before it comes back at such a position.
#[derive(Default)]
struct HubAhead {
    /// The last position that is expected.
    last: i64,
    /// The number of rows to be sent that have no position yet.
    own: u64,
}

impl HubAhead {
    /// The work added by so many rows to be sent.
    fn give(&mut self, count: u64) -> u64 {
        self.own += count;
        3 * count
    }

    /// The work added where the file has everything before `from` and the hub reaches to `head`.
    fn reach(&mut self, from: i64, head: i64) -> u64 {
        let more = places(from.max(self.last), head);
        let of_others = more.saturating_sub(self.own);
        self.own -= more - of_others;
        self.last = self.last.max(head);
        2 * of_others
    }
}

/// How long a transaction waits for the next page, and for how long it takes pages in: others want to write too, but each transaction
/// with many things makes the caches of their annotators anew.
const AT_HAND: Duration = Duration::from_millis(300);
const HELD: Duration = Duration::from_secs(10);

/// How taking pages in ended.
enum Taken {
    All,
    /// The hub was restored from a backup.
    Rewound,
    /// Another process has taken in things.
    Elsewhere,
}

/// What one transaction took in, and a page that is none of it.
struct TakenIn {
    to: HubMark,
    fetched: usize,
    new: usize,
    rest: Option<Result<HubPage>>,
}

/// Things that came of a hub in one answer.
struct HubPage {
    rows: Vec<Fresh>,
    /// The position behind which they come, and the mark up to which they reach.
    from: i64,
    to: HubMark,
    head: i64,
    /// Whether the hub has no more.
    is_last: bool,
    is_rewound: bool,
}

impl HubPage {
    /// Asks for all things after a mark, page by page, for as long as somebody takes them; the first question takes events along.
    /// Returns why the hub refuses some of them.
    fn ask(
        hub: &mut dyn Hub,
        mark: HubMark,
        along: &[SentEvent],
        most: usize,
        give: &SyncSender<Result<HubPage>>,
    ) -> Option<Error> {
        let (mut mark, mut along, mut why) = (mark, along, None);
        loop {
            let page = hub.exchange(std::mem::take(&mut along), mark, most).map(|fetched| {
                let Fetched { refused, is_rewound, head, rows } = fetched;
                why = why.take().or(refused);
                let is_last = rows.len() < most || is_rewound;
                let to = rows.last().filter(|_| !is_last).map_or(head, |last| last.mark);
                HubPage { rows, from: mark.pos, to, head: head.pos, is_last, is_rewound }
            });
            let next = page.as_ref().ok().filter(|page| !page.is_last).map(|page| page.to);
            match (give.send(page), next) {
                (Ok(()), Some(to)) => mark = to,
                _ => return why,
            }
        }
    }

    fn secret(&self) -> Option<&[u8]> {
        self.rows.iter().find_map(|row| match &row.what {
            SentThing::Record(SentRecord { kind, body, .. }) if kind == SECRET => Some(body.as_slice()),
            _ => None,
        })
    }
}

/// The number of positions from one to a later one.
fn places(from: i64, to: i64) -> u64 {
    counted(to.saturating_sub(from)) as u64
}

impl Exchange {
    /// Takes in new things of the hub, sends waiting rows, and takes them in as they come back. `told` hears the counts so far.
    /// A fetch with nothing new is one question to the hub and writes nothing.
    ///
    /// # Errors
    /// The hub or the file fails. Everything exchanged so far stays.
    pub fn run(
        &mut self,
        study: &mut StudyFile,
        hub: &mut dyn Hub,
        pace: SyncPace,
        told: &mut dyn FnMut(Exchanged),
    ) -> Result<Exchanged> {
        let outcome = self.exchange(study, hub, pace, told);
        if outcome.is_err() {
            // The rows of a rolled back transaction are gone, so their numbers may be other rows' next time.
            *self = Exchange::default();
        }
        outcome
    }

    fn exchange(
        &mut self,
        study: &mut StudyFile,
        hub: &mut dyn Hub,
        pace: SyncPace,
        told: &mut dyn FnMut(Exchanged),
    ) -> Result<Exchanged> {
        if !self.is_greeted {
            let me = hub.me()?;
            greet(study, &me)?;
            self.hides_systems = me.hides_systems;
            self.is_greeted = true;
            // Things that were held for a newer program may be understood by now.
            if !study.held_from_hub()?.is_empty() {
                self.take(study, pace, None, None)?;
            }
        }
        if progress::is_watched() {
            progress::expect(self.ahead.give(study.waiting_for_hub()? as u64));
        }
        let (mut so_far, mut refused) = (Exchanged::default(), None);
        // Rows that were sent and did not come back are sent again the next time.
        for _ in 0..2 {
            let along = self.going_along(study)?;
            refused = self.fetch(study, hub, pace, &along, &mut so_far, told)?.or(refused);
            let before = so_far.sent;
            refused = self.send(study, hub, &mut so_far, told)?.or(refused);
            if so_far.sent == before {
                break;
            }
        }
        so_far.new += self.told(study, hub, pace)?;
        refused.map_or(Ok(so_far), Err)
    }

    /// Takes in the known answers to the items that the member has judged; returns how many.
    fn told(&mut self, study: &mut StudyFile, hub: &mut dyn Hub, pace: SyncPace) -> Result<usize> {
        let (mark, items) = study.read(|connection| {
            let select = "SELECT DISTINCT i.key FROM hub h JOIN annotator n ON n.key = h.member
                 JOIN assignment_event a ON a.annotator = n.id AND a.seq = ?1
                 JOIN item i ON i.id = a.item AND i.aside = 'calibration'
                 WHERE h.kind = 'annotator'
                   AND EXISTS (SELECT 1 FROM act e WHERE e.annotator = a.annotator AND e.item = a.item AND e.kind = 3)
                   AND NOT EXISTS (SELECT 1 FROM assignment_event b WHERE b.annotator = a.annotator AND b.item = a.item
                     AND b.at >= a.at AND b.seq <> ?1)";
            let items: Vec<Vec<u8>> = all(connection, select, [MASKED])?;
            Ok((Home::expect(connection)?.mark, items))
        })?;
        if items.is_empty() {
            return Ok(0);
        }
        let rows = hub.told(&items)?;
        if rows.is_empty() {
            return Ok(0);
        }
        let (from, head) = (mark.pos, mark.pos);
        let page = HubPage { rows, from, to: mark, head, is_last: true, is_rewound: false };
        Ok(self.take(study, pace, Some((mark, page)), None)?.map_or(0, |taken| taken.new))
    }

    /// The first of an annotator's waiting events, which go along with the first question, often the only
    /// one. A lead's events wait, since they may depend on what comes.
    fn going_along(&mut self, study: &mut StudyFile) -> Result<Vec<SentEvent>> {
        self.giving(study, |home, giver| {
            let mut events = Vec::new();
            for what in give::given_by(home.kind).filter(|_| home.kind == MemberKind::Annotator) {
                events.extend(giver.batch(what, BEFORE_ALL, ALONG - events.len())?.events);
                // A table that may have more rows is the last, since rows of later tables refer to them.
                if events.len() == ALONG
                    || events.iter().map(|event| event.body.len()).sum::<usize>() > MOST_BYTES
                {
                    break;
                }
            }
            events.retain(|event| event.body.len() <= MOST_BYTES);
            Ok(events)
        })
    }

    /// Writes rows as things for the hub; names that were looked up stay known.
    fn giving<T>(
        &mut self,
        study: &StudyFile,
        mut work: impl FnMut(&Home, &mut Giver<'_>) -> Tried<T>,
    ) -> Result<T> {
        let names = &mut self.known.names;
        study.read(|connection| {
            let home = Home::expect(connection)?;
            let mut giver = Giver::new(connection, &home, std::mem::take(names))?;
            let done = work(&home, &mut giver)?;
            *names = giver.into_names();
            Ok(done)
        })
    }

    /// Takes in all new things, and sends events with the first question; returns why the hub refuses some of them.
    fn fetch(
        &mut self,
        study: &mut StudyFile,
        hub: &mut dyn Hub,
        pace: SyncPace,
        along: &[SentEvent],
        so_far: &mut Exchanged,
        told: &mut dyn FnMut(Exchanged),
    ) -> Result<Option<Error>> {
        let (stored, from) = self.marks(study)?;
        // Pages are on their way while others are taken in.
        let (taken, why) = thread::scope(|threads| {
            let (give, pages) = sync_channel(1);
            let hub = &mut *hub;
            let asking = threads.spawn(move || HubPage::ask(hub, from, along, pace.most().0, &give));
            let taken = self.take_pages(study, pace, stored, pages, so_far, told);
            let why = asking.join().unwrap_or_else(|panic| resume_unwind(panic));
            if taken.is_ok() {
                so_far.sent += along.len();
                progress::advance(along.len() as u64);
            }
            (taken, why)
        });
        match taken? {
            Taken::All => Ok(why),
            Taken::Rewound => {
                study.write(pace.patience(), |transaction| start_over(transaction))?;
                (self.marks, self.known, self.ahead) = (None, KnownRows::default(), HubAhead::default());
                Ok(self.fetch(study, hub, pace, &[], so_far, told)?.or(why))
            }
            // Another process has taken in the next things; this one goes on from there.
            Taken::Elsewhere => {
                self.marks = None;
                Ok(self.fetch(study, hub, pace, &[], so_far, told)?.or(why))
            }
        }
    }

    /// The mark in the file, and the one up to which nothing is to be taken in.
    fn marks(&mut self, study: &StudyFile) -> Result<(HubMark, HubMark)> {
        if let Some(marks) = self.marks {
            return Ok(marks);
        }
        let mark = study.read(|connection| Ok(Home::expect(connection)?.mark))?;
        Ok(*self.marks.insert((mark, mark)))
    }

    /// Takes pages in until the last.
    fn take_pages(
        &mut self,
        study: &mut StudyFile,
        pace: SyncPace,
        mut stored: HubMark,
        pages: Receiver<Result<HubPage>>,
        so_far: &mut Exchanged,
        told: &mut dyn FnMut(Exchanged),
    ) -> Result<Taken> {
        let mut next = pages.recv().ok();
        while let Some(page) = next.take() {
            let page = page?;
            if page.is_rewound {
                return Ok(Taken::Rewound);
            }
            // Then nothing came, and a mark is not worth a write.
            if page.rows.is_empty() {
                progress::expect(self.ahead.reach(page.from, page.head));
                progress::advance(2 * places(page.from, page.to.pos));
                self.marks = Some((stored, page.to));
                break;
            }
            let Some(taken) = self.take(study, pace, Some((stored, page)), Some(&pages))? else {
                return Ok(Taken::Elsewhere);
            };
            so_far.fetched += taken.fetched;
            so_far.new += taken.new;
            told(*so_far);
            stored = taken.to;
            next = taken.rest.or_else(|| pages.recv().ok());
        }
        Ok(Taken::All)
    }

    /// Takes a page in, with those that follow it as far as they belong into one transaction, and moves the mark behind them. `None`
    /// where the file's mark has moved meanwhile. Without a page, it tries the held things again.
    fn take(
        &mut self,
        study: &mut StudyFile,
        pace: SyncPace,
        first: Option<(HubMark, HubPage)>,
        pages: Option<&Receiver<Result<HubPage>>>,
    ) -> Result<Option<TakenIn>> {
        let is_much = first.as_ref().is_some_and(|(_, page)| page.rows.len() > 1_000);
        if is_much {
            study.configure(BULK)?;
        }
        let (known, ahead) = (&mut self.known, &mut self.ahead);
        let outcome = study.write(pace.patience(), |transaction| {
            let mut home = Home::expect(transaction)?;
            let tries_held = first.is_none();
            let (stored, mut next) = first.map_or((home.mark, None), |(stored, page)| (stored, Some(page)));
            if home.mark != stored {
                return Ok(None);
            }
            let began = Instant::now();
            change(transaction, "UPDATE hub SET takes = 1", [])?;
            if let Some(secret) = next.as_ref().and_then(HubPage::secret) {
                change(transaction, "UPDATE hub SET secret = ?1", [secret])?;
                change(transaction, "DELETE FROM hub_waits WHERE what = ?1", [SECRET])?;
                home.secret = Some(secret.to_vec());
            }
            let mut taker = Taker::new(transaction, &home, std::mem::take(known))?;
            let mut taken = TakenIn { to: stored, fetched: 0, new: 0, rest: None };
            while let Some(page) = next.take() {
                progress::expect(ahead.reach(page.from, page.head));
                progress::advance(places(page.from, page.to.pos));
                let mut behind = page.from;
                for Fresh { mark, what } in &page.rows {
                    taker.take(mark.pos, what)?;
                    progress::advance(places(behind, mark.pos));
                    behind = behind.max(mark.pos);
                }
                progress::advance(places(behind, page.to.pos));
                taken.to = page.to;
                taken.fetched += page.rows.len();
                if page.is_last || taken.fetched >= pace.most().1 || began.elapsed() > HELD {
                    break;
                }
                match pages.map(|pages| pages.recv_timeout(AT_HAND)) {
                    Some(Ok(Ok(page))) if !page.is_rewound && page.secret().is_none() => next = Some(page),
                    Some(Ok(other)) => taken.rest = Some(other),
                    _ => {}
                }
            }
            let count;
            (count, *known) = taker.finish(tries_held)?;
            taken.new = count.new;
            let mark = [taken.to.pos, taken.to.received];
            change(transaction, "UPDATE hub SET takes = 0, pos = ?1, received = ?2", mark)?;
            Ok(Some(taken))
        });
        if is_much {
            study.configure(USUAL)?;
        }
        let taken = outcome?;
        if let Some(taken) = &taken {
            self.marks = Some((taken.to, taken.to));
        }
        Ok(taken)
    }

    /// Sends the waiting rows; returns why the hub refuses some of them.
    fn send(
        &mut self,
        study: &mut StudyFile,
        hub: &mut dyn Hub,
        so_far: &mut Exchanged,
        told: &mut dyn FnMut(Exchanged),
    ) -> Result<Option<Error>> {
        let (kind, secret, waits, has_amendments) = study.read(|connection| {
            let home = Home::expect(connection)?;
            let select = "SELECT EXISTS (SELECT 1 FROM hub_waits WHERE what = ?1)";
            let waits = |what| one::<bool>(connection, select, [what]);
            Ok((home.kind, home.secret, waits(SECRET)?, waits(AMENDMENT)?))
        })?;
        if kind == MemberKind::Lead && self.hides_systems && secret.is_none() {
            return Ok(Some(
                Error::refused("the hub hides systems, and this file does not know how: it sends nothing")
                    .advise("sync the file with which the hub was made, then this one again"),
            ));
        }
        if let (Some(body), MemberKind::Lead, true) = (secret, kind, waits) {
            let key = fingerprint([SECRET]).0.to_vec();
            hub.put(&[SentRecord { audience: Audience::Leads, kind: SECRET.to_owned(), key, body }])?;
            so_far.sent += 1;
        }
        // Before anybody learns of it, so that a cut in between does no harm.
        if kind == MemberKind::Lead && has_amendments {
            leases::offer_anew(study, hub)?;
        }
        // One refused row does not keep the others from the hub.
        let mut refused = None;
        for what in give::given_by(kind) {
            let of_table = self.send_table(study, hub, what, so_far, told)?;
            refused = refused.or(of_table);
        }
        Ok(refused)
    }

    /// Sends the waiting rows of one table; returns why the hub refuses some of them.
    fn send_table(
        &mut self,
        study: &mut StudyFile,
        hub: &mut dyn Hub,
        what: &str,
        so_far: &mut Exchanged,
        told: &mut dyn FnMut(Exchanged),
    ) -> Result<Option<Error>> {
        // A row that is too long, or refused, does not keep the others from the hub.
        let mut refused = None;
        let mut batch = self.giving(study, |_, giver| giver.batch(what, BEFORE_ALL, MOST_EVENTS))?;
        while let Some(last) = batch.last {
            let before = batch.events.len();
            batch.events.retain(|event| event.body.len() <= MOST_BYTES);
            if batch.events.len() < before {
                let what = format!(
                    "something that was done has more than {MOST_BYTES} bytes, the most that a hub takes"
                );
                refused = refused.or_else(|| Some(Error::refused(what).advise("it stays in your file")));
            }
            let (next, sent) = beside(
                || self.giving(study, |_, giver| giver.batch(what, last, MOST_EVENTS)),
                || match batch.records.is_empty() {
                    true => hub.send(&batch.events),
                    false => hub.put(&batch.records),
                },
            );
            match sent {
                Err(error) if error.is_refusal() => refused = refused.or(Some(error)),
                sent => drop(sent?),
            }
            let count = batch.events.len() + batch.records.len();
            progress::advance(count as u64);
            so_far.sent += count;
            told(*so_far);
            batch = next?;
        }
        Ok(refused)
    }
}

/// Does two things at once, the second of them on a thread of its own.
fn beside<A, B: Send>(here: impl FnOnce() -> A, there: impl FnOnce() -> B + Send) -> (A, B) {
    thread::scope(|threads| {
        let there = threads.spawn(there);
        let here = here();
        (here, there.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Checks that the hub is the study's and the member the same. Where the rights of the member have changed, the exchange
/// starts over, since the member now sees other things.
fn greet(study: &mut StudyFile, me: &Me) -> Result<()> {
    let home = study.read(Home::expect)?;
    if home.study != me.study {
        return Err(other_study(&home.address));
    }
    if home.member != me.name {
        let what = format!("the login is that of {:?}, and this file is {:?}'s", me.name, home.member);
        return Err(
            Error::refused(what).advise("use the login of this file's member, or join with a new file")
        );
    }
    if home.kind == me.kind {
        return Ok(());
    }
    let has_aliases = home.kind == MemberKind::Annotator && home.secret.is_none() && me.hides_systems;
    if has_aliases && me.kind.sees_all() {
        return Err(names_beside_aliases(study, me));
    }
    study.write(LONG_PATIENCE, |transaction| {
        change(transaction, "UPDATE hub SET kind = ?1", [me.kind.name()])?;
        start_over(transaction)
    })
}

/// The error of a file in which systems have aliases, once its member sees their names: each summary would come in twice.
fn names_beside_aliases(study: &StudyFile, me: &Me) -> Error {
    let what = format!("{:?} is {} of the hub now, and systems have aliases in her file", me.name, me.kind);
    let file = quoted(&study.path().display().to_string());
    let unsent = match me.kind {
        MemberKind::Lead => format!("`haymark merge NEW.db {file}` brings what this one did not send"),
        _ => format!("what this one did not send, a lead brings in: `haymark merge STUDY {file}`"),
    };
    Error::refused(what).advise(format!("join as the invitation says, with `-o NEW.db`; {unsent}"))
}

#[cfg(test)]
mod tests {
    use super::HubAhead;

    #[test]
    fn what_lies_ahead_is_counted_once() {
        let mut ahead = HubAhead::default();
        assert_eq!(ahead.give(100), 300, "sent, fetched, taken in");
        assert_eq!(ahead.reach(0, 1_000), 2 * 900, "some of what is there may be the file's own");
        assert_eq!(ahead.reach(400, 1_000), 0, "known");
        assert_eq!(ahead.reach(1_000, 1_100), 2 * 100, "somebody else was at work meanwhile");
        let mut ahead = HubAhead::default();
        assert_eq!(
            (ahead.reach(500, 600), ahead.give(10), ahead.reach(600, 610)),
            (200, 30, 0),
            "its own come back"
        );
    }
}
