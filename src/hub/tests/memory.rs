//! A hub in memory, for tests: it loses answers, goes back to a backup and cuts connections on demand, and keeps the rules
//! of a server.

use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::hub::{
    Audience, CALIBRATION, Fetched, Fresh, GroupOffer, Hub, HubMark, JUDGMENTS, Lease, Me, MemberKind,
    Offered, SentEvent, SentRecord, SentThing, VERDICT, WHOLE,
};
use crate::number::signed;

/// The contents of the server: things by position, from 1.
#[derive(Debug, Clone, Default)]
pub struct HubContents {
    pub things: Vec<Fresh>,
    clock: i64,
    /// The time by which leases end, in seconds.
    pub now: u64,
    pub groups: Vec<OfferedGroup>,
    pub hides_systems: bool,
}

/// A group that was offered. `of` has for each person the state, a letter as on a server, and the end of the lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedGroup {
    pub protocol: String,
    pub key: Vec<u8>,
    pub items: Vec<Vec<u8>>,
    pub wanted: u32,
    pub rests: bool,
    pub of: BTreeMap<String, (char, u64)>,
}

impl OfferedGroup {
    /// How many people the group still wants.
    fn open(&self) -> usize {
        let taken = self.of.values().filter(|(state, _)| matches!(state, 'h' | 'd')).count();
        if self.rests { 0 } else { (self.wanted as usize).saturating_sub(taken) }
    }
}

/// A connection of one member.
pub struct Memory {
    pub held: Arc<RwLock<HubContents>>,
    pub me: Me,
    /// The call, from 1, from which on the connection is cut.
    pub cut_at: Option<u32>,
    /// Whether the first call that is cut is carried out, and only its answer lost.
    pub loses_answer: bool,
    /// How many calls were made so far.
    pub calls: u32,
}

impl Memory {
    pub fn new(held: &Arc<RwLock<HubContents>>, name: &str, kind: MemberKind) -> Memory {
        let hides_systems = held.read().expect("whole").hides_systems;
        let me = Me { study: vec![7; 16], name: name.to_owned(), kind, hides_systems };
        Memory { held: Arc::clone(held), me, cut_at: None, loses_answer: false, calls: 0 }
    }

    fn call<T>(&mut self, work: impl FnOnce(&mut HubContents, &Me) -> Result<T>) -> Result<T> {
        self.calls += 1;
        let cut = || Err(Error::unreachable("the connection was cut"));
        let is_cut = self.cut_at.is_some_and(|at| self.calls >= at);
        if is_cut && !(self.loses_answer && self.cut_at == Some(self.calls)) {
            return cut();
        }
        let answer = work(&mut self.held.write().expect("whole"), &self.me);
        if is_cut { cut() } else { answer }
    }
}

impl HubContents {
    fn mark(&self, pos: i64) -> Option<HubMark> {
        match pos {
            0 => Some(HubMark::NONE),
            _ => self.things.get(usize::try_from(pos).ok()? - 1).map(|thing| thing.mark),
        }
    }

    fn head(&self) -> i64 {
        self.things.len() as i64
    }

    /// Adds things, all with the time of one call.
    fn add(&mut self, things: Vec<SentThing>) -> i64 {
        self.clock += 1;
        for what in things {
            let mark = HubMark { pos: self.head() + 1, received: self.clock };
            self.things.push(Fresh { mark, what });
        }
        self.head()
    }

    /// Puts the server back to a backup; its clock goes on.
    pub fn restore(&mut self, backup: &HubContents) {
        self.things.clone_from(&backup.things);
        self.groups.clone_from(&backup.groups);
        self.clock += 1_000;
    }

    fn has_judged(&self, me: &Me, item: Option<&[u8]>) -> bool {
        self.events().any(|event| {
            event.journal == JUDGMENTS
                && event.annotator == me.name
                && event.item.as_deref() == item
                && is_answer(&event.body)
        })
    }

    /// Takes in events that are new; returns why others are refused.
    fn bring(&mut self, me: &Me, events: &[SentEvent]) -> Option<Error> {
        let (mut new, mut refused): (Vec<SentThing>, _) = (Vec::new(), false);
        for event in events {
            let is_hers = event.annotator == me.name && matches!(event.journal, JUDGMENTS | b's');
            let of_writer = |known: &&SentEvent| known.writer == event.writer;
            let first = self.events().find(of_writer).filter(|_| event.writer > 0);
            let is_anothers = first.is_some_and(|first| {
                first.annotator != me.name || !matches!(first.journal, JUDGMENTS | b's' | VERDICT)
            });
            if me.kind == MemberKind::Observer
                || me.kind == MemberKind::Annotator && (!is_hers || is_anothers)
            {
                refused = true;
                continue;
            }
            let known = self
                .events()
                .filter(of_writer)
                .find(|known| (known.seq, &known.annotator) == (event.seq, &event.annotator));
            match known {
                Some(known) => refused |= known.body != event.body,
                None => new.push(SentThing::Event(event.clone())),
            }
        }
        self.add(new);
        refused.then(|| Error::refused("some of it is another's, or says something else here"))
    }

    pub fn events(&self) -> impl Iterator<Item = &SentEvent> {
        self.things.iter().filter_map(|thing| match &thing.what {
            SentThing::Event(event) => Some(event),
            SentThing::Record(_) => None,
        })
    }
}

/// A thing in the form in which members get it.
fn as_fetched(thing: &Fresh) -> Fresh {
    let mut thing = thing.clone();
    if let SentThing::Event(event) = &mut thing.what
        && matches!(event.journal, WHOLE | CALIBRATION)
    {
        event.journal = b'a';
    }
    thing
}

fn refused<T>() -> Result<T> {
    Err(Error::refused("only a lead may"))
}

impl Hub for Memory {
    fn me(&mut self) -> Result<Me> {
        self.call(|_, me| Ok(me.clone()))
    }

    fn exchange(&mut self, events: &[SentEvent], after: HubMark, limit: usize) -> Result<Fetched> {
        self.call(|held, me| {
            let is_rewound = held.mark(after.pos) != Some(after);
            let refused = held.bring(me, events);
            let head = held.mark(held.head()).unwrap_or(HubMark::NONE);
            let is_for = |thing: &&Fresh| match &thing.what {
                _ if me.kind.sees_all() => true,
                SentThing::Event(event) => {
                    event.annotator == me.name
                        && event.journal != WHOLE
                        && (event.journal != CALIBRATION || held.has_judged(me, event.item.as_deref()))
                }
                SentThing::Record(record) => record.audience == Audience::All,
            };
            let behind = held.things.iter().filter(|thing| thing.mark.pos > after.pos && !is_rewound);
            let rows = behind.filter(is_for).take(limit).map(as_fetched).collect();
            Ok(Fetched { refused, is_rewound, head, rows })
        })
    }

    fn told(&mut self, items: &[Vec<u8>]) -> Result<Vec<Fresh>> {
        self.call(|held, me| {
            let is_told = |thing: &&Fresh| {
                let SentThing::Event(event) = &thing.what else { return false };
                let item = event.item.as_deref();
                event.annotator == me.name
                    && event.journal == CALIBRATION
                    && item.is_some_and(|item| items.iter().any(|asked| asked == item))
                    && held.has_judged(me, item)
            };
            Ok(held.things.iter().filter(is_told).map(as_fetched).collect())
        })
    }

    fn put(&mut self, records: &[SentRecord]) -> Result<i64> {
        self.call(|held, me| {
            if me.kind != MemberKind::Lead {
                return refused();
            }
            let is_known = |held: &HubContents, new: &SentRecord| {
                held.things.iter().any(|thing| match &thing.what {
                    SentThing::Record(known) => (&known.kind, &known.key) == (&new.kind, &new.key),
                    SentThing::Event(_) => false,
                })
            };
            let new = records.iter().filter(|record| !is_known(held, record)).cloned();
            let new = new.map(SentThing::Record).collect();
            Ok(held.add(new))
        })
    }

    fn offer(&mut self, protocol: &str, groups: &[Offered]) -> Result<usize> {
        self.call(|held, me| {
            if me.kind != MemberKind::Lead {
                return refused();
            }
            let mut new = 0;
            for Offered { key, items, raters, rests, had, barred } in groups {
                let known = held.groups.iter_mut().find(|one| one.protocol == protocol && one.key == *key);
                let group = match known {
                    Some(group) => group,
                    None if *raters == 0 => continue,
                    None => {
                        new += 1;
                        let (protocol, key) = (protocol.to_owned(), key.clone());
                        held.groups.push(OfferedGroup {
                            protocol,
                            key,
                            items: items.clone(),
                            wanted: 0,
                            rests: false,
                            of: BTreeMap::new(),
                        });
                        held.groups.last_mut().expect("pushed")
                    }
                };
                (group.wanted, group.rests) = (*raters, *rests);
                for (name, state) in
                    had.iter().map(|name| (name, 'd')).chain(barred.iter().map(|name| (name, 'r')))
                {
                    group.of.entry(name.clone()).or_insert((state, 0));
                }
            }
            Ok(new)
        })
    }

    fn offers(&mut self, protocol: &str) -> Result<Vec<GroupOffer>> {
        self.call(|held, _| {
            let groups = held.groups.iter().filter(|group| group.protocol == protocol);
            let offer = |OfferedGroup { key, wanted, .. }: &OfferedGroup| (key.clone(), *wanted);
            Ok(groups.map(offer).map(|(key, wanted)| GroupOffer { key, wanted, open: 0, items: 0 }).collect())
        })
    }

    fn take(&mut self, protocol: &str, want: usize, hold: Duration) -> Result<Vec<Lease>> {
        self.call(|held, me| {
            if me.kind == MemberKind::Observer {
                return refused();
            }
            let (now, until) = (held.now, held.now + hold.as_secs());
            let mut groups: Vec<&mut OfferedGroup> =
                held.groups.iter_mut().filter(|group| group.protocol == protocol).collect();
            let mut count = 0;
            for (name, lease) in groups.iter_mut().flat_map(|group| &mut group.of) {
                if let ('h', end) = lease
                    && *name == me.name
                {
                    (*end, count) = (until, count + 1);
                }
            }
            for group in &mut groups {
                let is_free = group.of.get(&me.name).is_none_or(|(state, _)| *state == 'e');
                if count >= want || !is_free {
                    continue;
                }
                let lies = |(state, end): &&mut (char, u64)| *state == 'h' && *end < now;
                if group.open() == 0
                    && let Some((state, _)) = group.of.values_mut().find(lies)
                {
                    *state = 'e';
                }
                if group.open() > 0 {
                    group.of.insert(me.name.clone(), ('h', until));
                    count += 1;
                }
            }
            let hers =
                groups.iter().filter(|group| group.of.get(&me.name).is_some_and(|(state, _)| *state == 'h'));
            let until = signed(until);
            Ok(hers.map(|group| Lease { key: group.key.clone(), until }).collect())
        })
    }

    fn settle(&mut self, protocol: &str, keys: &[Vec<u8>], done: bool) -> Result<()> {
        self.call(|held, me| {
            let has_judged =
                |group: &OfferedGroup| group.items.iter().all(|item| held.has_judged(me, Some(item)));
            let judged: Vec<bool> = held.groups.iter().map(has_judged).collect();
            for (group, is_judged) in held.groups.iter_mut().zip(judged) {
                if group.protocol == protocol && keys.contains(&group.key) && (is_judged || !done) {
                    let lease = group.of.entry(me.name.clone()).or_insert(('e', 0));
                    if lease.0 != 'd' {
                        lease.0 = if done { 'd' } else { 'r' };
                    }
                }
            }
            Ok(())
        })
    }

    fn reopen(&mut self, protocol: &str, name: &str) -> Result<usize> {
        self.call(|held, _| {
            let groups = held.groups.iter_mut().filter(|group| group.protocol == protocol);
            let hers = groups.filter_map(|group| group.of.get_mut(name));
            let hers = hers.filter(|(state, _)| matches!(state, 'h' | 'd'));
            Ok(hers.map(|lease| lease.0 = 'r').count())
        })
    }
}

/// Whether an event is an answer or an import, which its first bytes say, and not a look at the item.
fn is_answer(body: &[u8]) -> bool {
    body.strip_prefix(b"\x01e\x04").is_none_or(|kind| kind.starts_with(b"\x06answer"))
}
