//! Work that the hub hands out on demand: a file takes groups ahead, notes them, and reports them as done. A repeated take
//! gives the same groups, so a lost connection does no harm.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use super::give::hide;
use super::{Exchange, Home};
use crate::error::Result;
use crate::hub::{GroupOffer, Hub, Lease, MemberKind, Offered};
use crate::protocol::Protocol;
use crate::store::corpus::{ItemRows, StudyKeys, Target, counts, protocols};
use crate::store::file::{
    AMENDMENT, ProtocolId, SHORT_PATIENCE, StudyFile, Tried, all, all_by, change, exists, first, first_by,
    one, stored,
};
use crate::store::journal::{caches, person, person_of, sessions};
use crate::store::work::assignable::{Assignable, AssignableGroup};
use crate::store::work::{Gate, QueueOwner, StandingAssignment, assignments, order, queue};
use crate::study::assignment::REPEAT_DISTANCE;
use crate::study::assignment::draw::lot;
use crate::study::sample::DRAWN_UNDER;
use crate::study::{Act, Amendment, AnnotatorId, Aside, ItemId, Role, TargetKeys, Terms};

/// How long the hub holds a group for a member who does not ask again.
const HOLD: Duration = Duration::from_secs(4 * 3600);

/// The work taken ahead: an hour's worth at the annotator's pace (in ms), between [`FEWEST`] and [`MOST`] items;
/// [`USUAL`] items where there are fewer than [`ENOUGH`] judgments to tell the pace.
const HOUR: f64 = 3_600_000.0;
const FEWEST: f64 = 10.0;
const MOST: f64 = 240.0;
const USUAL: f64 = 60.0;
const ENOUGH: u32 = 20;

/// The terms on which the hub hands out the work of a protocol.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HandedOut {
    /// Controls and repeats, each as a share of an annotator's items.
    pub control: f64,
    pub repeats: f64,
    /// How many judgments were still to come when the terms were set, how many were done, and how many items there were.
    pub left: usize,
    pub done: usize,
    pub items: usize,
    /// When the terms were set, in ms since 1970.
    pub at: i64,
    /// The people who are left out of the study, and whose work others were given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reopened: Vec<String>,
    /// The people whose answers are the known ones of calibration and controls. Work is still wanted where they judged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub known_from: Vec<String>,
}

impl HandedOut {
    /// The terms without what only leads are to know.
    pub(super) fn for_all(&self) -> HandedOut {
        HandedOut { control: 0.0, reopened: Vec::new(), known_from: Vec::new(), ..self.clone() }
    }
}

/// The name of a group on the hub, and those of its items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupNames {
    pub key: Vec<u8>,
    pub items: Vec<Vec<u8>>,
}

/// The groups to take from the hub, beside reporting groups that are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    Nothing,
    /// More groups, where little work is left.
    WhereShort,
    /// As `WhereShort`, and held groups are held for longer: somebody works on them.
    AndHold,
}

/// The work that an annotator has ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ahead {
    /// Items that the annotator holds or had done, and has not judged as they are now.
    pub open: usize,
    /// Groups that came just now, and groups that went to others.
    pub came: usize,
    pub went: usize,
}

impl StudyFile {
    /// The terms on which the hub hands out the work of a protocol; `None` where it does not.
    pub fn handed_out(&self, protocol: &str) -> Result<Option<HandedOut>> {
        self.read(|connection| handed_out(connection, protocol))
    }

    /// Notes, for all files of the study, that the hub hands out the work of a protocol; only leads' files
    /// learn the share of controls, whose work was reopened, and whose answers are the known ones.
    pub fn hand_out(&mut self, protocol: &str, terms: &HandedOut) -> Result<()> {
        self.write(SHORT_PATIENCE, |transaction| {
            let insert = "INSERT OR IGNORE INTO handed_out (protocol, terms) VALUES (?1, ?2)";
            for terms in [&terms.for_all(), terms] {
                let terms = serde_json::to_string(terms).unwrap_or_default();
                change(transaction, insert, [protocol, &terms])?;
            }
            caches::look_again(transaction)
        })
    }

    /// The protocols of which this file's member takes work: an annotator of all that are handed out, a lead of those that
    /// she began.
    pub fn takes_work_of(&self) -> Result<Vec<String>> {
        self.read(|connection| {
            let Some(home) = Home::read(connection)? else { return Ok(Vec::new()) };
            let select = "SELECT DISTINCT h.protocol FROM handed_out h WHERE ?1 = 'annotator' OR ?1 = 'lead' AND EXISTS
                 (SELECT 1 FROM hub_lease l JOIN item i ON i.id = l.item JOIN protocol p ON p.id = i.protocol
                  WHERE p.name = h.protocol) ORDER BY 1";
            all(connection, select, [home.kind.name()])
        })
    }

    /// The protocols of which the hub hands out the work.
    pub fn handed_out_protocols(&self) -> Result<Vec<String>> {
        let select = "SELECT DISTINCT protocol FROM handed_out ORDER BY 1";
        self.read(|connection| all(connection, select, []))
    }

    /// Whether this file's member holds items of a protocol that are not judged.
    pub fn has_open_work(&self, protocol: &str) -> Result<bool> {
        let select = format!(
            "SELECT 1 FROM hub_lease l JOIN item i ON i.id = l.item JOIN protocol p ON p.id = i.protocol
             LEFT JOIN standing s ON s.annotator = {} AND s.item = l.item
             WHERE p.name = ?1 AND l.grp IS NOT NULL AND coalesce(s.state, 0) = 0 AND {} LIMIT 1",
            member(),
            counts("item", "l.item")
        );
        self.read(|connection| exists(connection, &select, [protocol]))
    }

    /// How many groups the hub holds for this file's member that are not done.
    pub fn groups_held(&self) -> Result<usize> {
        let select = "SELECT count(DISTINCT grp) FROM hub_lease WHERE NOT done";
        self.read(|connection| Ok(one::<u32>(connection, select, [])? as usize))
    }

    /// The names of groups on the hub, in order, each with the keys of its items there.
    pub fn names_on_hub(&self, protocol: &Protocol, assignable: &Assignable) -> Result<Vec<GroupNames>> {
        self.read(|connection| {
            let (home, keys) = (Home::expect(connection)?, StudyKeys::read(connection)?);
            let key = |target| parts_of(&home, &keys, target).item_key(&protocol.name).0.to_vec();
            let names = assignable.groups.iter().filter_map(|group| {
                let targets = || group.items.iter().filter_map(|item| assignable.items.get(*item));
                let group = order::group_of(targets().next()?, protocol.group);
                Some(GroupNames {
                    key: name_of(&home, &keys, &group).to_vec(),
                    items: targets().map(key).collect(),
                })
            });
            Ok(names.collect())
        })
    }
}

pub(crate) fn handed_out(connection: &Connection, protocol: &str) -> Tried<Option<HandedOut>> {
    let select = "SELECT terms FROM handed_out WHERE protocol = ?1 ORDER BY id";
    let all: Vec<String> = all(connection, select, [protocol])?;
    // Terms of a newer program may not be readable; the work is handed out all the same.
    let terms = all.iter().map(|terms| serde_json::from_str(terms).unwrap_or_default());
    let later = |one: &HandedOut, other: &HandedOut| {
        let told = |one: &HandedOut| one.reopened.len() + one.known_from.len();
        one.at.cmp(&other.at).then(one.control.total_cmp(&other.control)).then(told(one).cmp(&told(other)))
    };
    Ok(terms.max_by(later))
}

/// The member of this file, where she holds items of a protocol from the hub.
pub(crate) fn holder(connection: &Connection, protocol: ProtocolId) -> Tried<Option<AnnotatorId>> {
    let select = format!(
        "SELECT id FROM annotator WHERE id = {}
           AND EXISTS (SELECT 1 FROM hub_lease l JOIN item i ON i.id = l.item WHERE i.protocol = ?1)",
        member()
    );
    first(connection, &select, [protocol])
}

/// An SQL expression: the row of the person who is the member of this file.
fn member() -> String {
    person_of("(SELECT member FROM hub)")
}

/// The items that the hub gave an annotator, in order, with the controls and repeats mixed in.
pub(crate) fn dealt(
    connection: &Connection,
    annotator: AnnotatorId,
    protocol: ProtocolId,
) -> Tried<Vec<StandingAssignment>> {
    let select = format!(
        "SELECT l.item, l.grp IS NULL, i.aside IS NULL FROM hub_lease l JOIN item i ON i.id = l.item
         WHERE i.protocol = ?1 AND ?2 = {} ORDER BY l.place",
        member()
    );
    all_by(connection, &select, params![protocol, annotator], |row| {
        let role = match (row.get(1)?, row.get(2)?) {
            (false, _) => Role::Work,
            (true, true) => Role::Control,
            (true, false) => Role::Repeat,
        };
        Ok(StandingAssignment { annotator, item: row.get(0)?, terms: Terms::of(role), at: 0 })
    })
}

/// A group's name on the hub; where systems have aliases, it is made with these.
fn name_of(home: &Home, keys: &StudyKeys, group: &Target) -> [u8; 16] {
    parts_of(home, keys, group).item_key(DRAWN_UNDER).0
}

/// The keys of a target in the names of the hub.
fn parts_of(home: &Home, keys: &StudyKeys, target: &Target) -> TargetKeys {
    let mut parts = keys.of_target(target);
    if let Some(secret) = &home.secret {
        hide(secret, &mut parts);
    }
    parts
}

/// The groups of a protocol by their names on the hub.
pub(super) struct Groups {
    protocol: String,
    revision: i64,
    of: HashMap<[u8; 16], Vec<Target>>,
}

impl Groups {
    fn read(connection: &Connection, home: &Home, member: AnnotatorId, protocol: &Protocol) -> Tried<Groups> {
        let keys = StudyKeys::read(connection)?;
        let own = sessions::own_candidates(connection, member)?;
        let mut by_group: HashMap<Target, Vec<Target>> = HashMap::new();
        for target in order::targets(connection, protocol, &keys)? {
            // Nobody judges her own summaries.
            if !target.candidates().any(|candidate| own.contains(&candidate)) {
                by_group.entry(order::group_of(&target, protocol.group)).or_default().push(target);
            }
        }
        let of = by_group.into_iter().map(|(group, targets)| (name_of(home, &keys, &group), targets));
        Ok(Groups {
            protocol: protocol.name.clone(),
            revision: queue::revision(connection)?,
            of: of.collect(),
        })
    }

    /// The number of groups that together have about `items` items.
    fn count_for(&self, items: f64) -> usize {
        let all: usize = self.of.values().map(Vec::len).sum();
        // Numbers of things in memory; not below 0.
        (items * self.of.len() as f64 / all.max(1) as f64).ceil().max(0.0) as usize
    }
}

/// The state of an annotator's leases.
struct LeaseStand {
    open: usize,
    /// How many items the annotator should have ahead.
    wanted: f64,
    /// Groups that are not reported as done.
    held: usize,
    /// The names of held groups that are done.
    done: Vec<Vec<u8>>,
    is_held_back: bool,
}

impl LeaseStand {
    fn read(connection: &Connection, ready: QueueOwner, protocol: &Protocol) -> Tried<LeaseStand> {
        let of = params![ready.annotator, ready.protocol];
        let counts = counts("item", "l.item");
        let select = format!(
            "SELECT l.grp, total(coalesce(s.state, 0) = 0 AND {counts}),
               min(coalesce(s.state, 0) = 1 OR NOT ({counts})) AND max({counts}), min(l.done) FROM hub_lease l
             JOIN item i ON i.id = l.item LEFT JOIN standing s ON s.annotator = ?1 AND s.item = l.item
             WHERE i.protocol = ?2 AND l.grp IS NOT NULL GROUP BY l.grp ORDER BY min(l.place)"
        );
        let groups: Vec<(Vec<u8>, f64, bool, bool)> = all(connection, &select, of)?;
        // What was done is open again under a new version of the protocol, or where its text was revised.
        // A number of rows.
        let open = groups.iter().map(|(_, open, ..)| *open as usize).sum();
        let held: Vec<_> = groups.into_iter().filter(|(.., is_reported)| !is_reported).collect();
        let select = "SELECT avg(active), count(*) FROM (SELECT s.active FROM standing s JOIN item i ON i.id = s.item
             WHERE s.annotator = ?1 AND i.protocol = ?2 AND s.state = 1 AND s.active > 0 ORDER BY s.at DESC LIMIT 50)";
        let (pace, times): (Option<f64>, u32) = one(connection, select, of)?;
        let pace = pace.filter(|_| times >= ENOUGH);
        let gate = assignments::gate(connection, ready.annotator, ready.protocol, protocol)?;
        Ok(LeaseStand {
            open,
            wanted: pace.map_or(USUAL, |pace| (HOUR / pace).clamp(FEWEST, MOST)),
            held: held.len(),
            done: held.into_iter().filter(|(_, _, is_done, _)| *is_done).map(|(name, ..)| name).collect(),
            is_held_back: gate == Gate::Closed,
        })
    }
}

/// The outcome of a take.
#[derive(Default)]
struct LeasesTaken {
    came: usize,
    went: usize,
    /// Groups that are done here and not on the hub.
    done: Vec<Vec<u8>>,
    /// Groups that this study does not have.
    none: Vec<Vec<u8>>,
}

impl Exchange {
    /// Reports to the hub the groups that are done, and takes more. To be called after [`Exchange::run`], so that the hub has
    /// the judgments of what is reported. `None` where the hub does not hand out work of the protocol to this file's member.
    ///
    /// # Errors
    /// The hub or the file fails. Groups that were taken and not kept come again.
    pub fn work(
        &mut self,
        study: &mut StudyFile,
        hub: &mut dyn Hub,
        protocol: &str,
        take: Take,
    ) -> Result<Option<Ahead>> {
        let home = study.read(Home::expect)?;
        let found = study.read(|connection| {
            let terms = handed_out(connection, protocol)?;
            Ok(terms.zip(protocols::find(connection, protocol)?))
        })?;
        let Some((terms, protocol)) = found.filter(|_| home.kind != MemberKind::Observer) else {
            return Ok(None);
        };
        let ready = ready(study, &home, &protocol.name)?;
        let stand = study.read(|connection| LeaseStand::read(connection, ready, &protocol))?;
        settle(study, hub, ready, &protocol.name, &stand.done)?;
        let mut ahead = Ahead { open: stand.open, ..Ahead::default() };
        let held = stand.held - stand.done.len();
        let is_short = take != Take::Nothing && stand.open as f64 * 4.0 < stand.wanted * 3.0;
        let holds = take == Take::AndHold && held > 0;
        if stand.is_held_back || !is_short && !holds {
            return Ok(Some(ahead));
        }
        let groups = self.groups_of(study, &home, ready.annotator, &protocol)?;
        let more = if is_short { groups.count_for(stand.wanted - stand.open as f64) } else { 0 };
        let leases = hub.take(&protocol.name, held + more, HOLD)?;
        let kept = study.write(SHORT_PATIENCE, |transaction| {
            keep(transaction, ready, (&protocol, &terms), &leases, groups)
        })?;
        settle(study, hub, ready, &protocol.name, &kept.done)?;
        if !kept.none.is_empty() {
            hub.settle(&protocol.name, &kept.none, false)?;
        }
        (ahead.came, ahead.went) = (kept.came, kept.went);
        ahead.open = study.read(|connection| LeaseStand::read(connection, ready, &protocol))?.open;
        Ok(Some(ahead))
    }

    fn groups_of(
        &mut self,
        study: &StudyFile,
        home: &Home,
        member: AnnotatorId,
        protocol: &Protocol,
    ) -> Result<&Groups> {
        let revision = study.revision()?;
        let known = self.groups.take();
        let is_known = |one: &Groups| one.protocol == protocol.name && one.revision == revision;
        let groups = match known.filter(is_known) {
            Some(groups) => groups,
            None => study.read(|connection| Groups::read(connection, home, member, protocol))?,
        };
        Ok(self.groups.insert(groups))
    }
}

/// The rows of the member and the protocol, made where there are none.
fn ready(study: &mut StudyFile, home: &Home, protocol: &str) -> Result<QueueOwner> {
    let select = format!(
        "SELECT a.id, p.id FROM annotator a JOIN protocol p ON p.name = ?2 WHERE a.id = {}",
        person_of("?1")
    );
    let of = [home.member.as_str(), protocol];
    let read = |row: &rusqlite::Row<'_>| Ok(QueueOwner { annotator: row.get(0)?, protocol: row.get(1)? });
    match study.read(|connection| first_by(connection, &select, of, read))? {
        Some(ready) => Ok(ready),
        None => study.write(SHORT_PATIENCE, |transaction| {
            let annotator = person(transaction, &home.member)?;
            Ok(QueueOwner { annotator, protocol: protocols::keep_name(transaction, protocol)? })
        }),
    }
}

/// Reports groups to the hub as done, and notes that they are reported.
fn settle(
    study: &mut StudyFile,
    hub: &mut dyn Hub,
    ready: QueueOwner,
    protocol: &str,
    done: &[Vec<u8>],
) -> Result<()> {
    if done.is_empty() {
        return Ok(());
    }
    hub.settle(protocol, done, true)?;
    study.write(SHORT_PATIENCE, |transaction| {
        for name in done {
            let update = "UPDATE hub_lease SET done = 1 WHERE grp = ?1
                 AND item IN (SELECT id FROM item WHERE protocol = ?2)";
            change(transaction, update, params![name, ready.protocol])?;
        }
        Ok(())
    })
}

/// Offers the groups of all protocols anew, without what is withdrawn. What people did under names that were joined counts once.
pub(super) fn offer_anew(study: &StudyFile, hub: &mut dyn Hub) -> Result<()> {
    for name in study.handed_out_protocols()? {
        let joined = study.read(|connection| joined_anew(connection, &name))?;
        let Some(protocol) = study.read(|connection| protocols::find(connection, &name))? else { continue };
        let assignable = match study.count_items(std::slice::from_ref(&protocol))?.as_slice() {
            [0] => Assignable::default(),
            _ => study.assignable(&protocol)?,
        };
        let had = |group: &AssignableGroup| {
            let has_done =
                |person: &&String| group.items.iter().all(|item| assignable.done.has(person, *item));
            joined.iter().map(|(_, person)| person).filter(has_done).cloned().collect::<Vec<String>>()
        };
        let names = study.names_on_hub(&protocol, &assignable)?.into_iter().zip(&assignable.groups);
        let mut there: HashMap<_, _> = names.map(|(group, of)| (group.key, (group.items, had(of)))).collect();
        let again = |GroupOffer { key, wanted, .. }| {
            let there = there.remove(&key);
            let rests = there.is_none();
            let (items, had) = there.unwrap_or_default();
            Offered { key, items, raters: wanted, rests, had, ..Offered::default() }
        };
        let groups: Vec<Offered> = hub.offers(&name)?.into_iter().map(again).collect();
        hub.offer(&name, &groups)?;
        for (joined, _) in joined {
            hub.reopen(&name, &joined)?;
        }
    }
    Ok(())
}

/// The names that were joined to people since the last exchange, each with its person, where that has judged something of the
/// protocol under a name of her own: who was given another name only goes on under the one that the hub knows.
fn joined_anew(connection: &Connection, protocol: &str) -> Tried<Vec<(String, String)>> {
    let waits = "SELECT m.record FROM hub_waits w JOIN amendment m ON w.what = ?1 AND m.id = w.number";
    let waits: Vec<String> = all(connection, waits, [AMENDMENT])?;
    let waits = waits.iter().filter_map(|record| serde_json::from_str::<Amendment>(record).ok());
    let select = "SELECT n.key, p.key FROM annotator n JOIN joined j ON j.annotator = n.id JOIN annotator p ON p.id = j.person
         WHERE n.key = ?1 AND n.kind = 'human' AND EXISTS (SELECT 1 FROM act e JOIN item i ON i.id = e.item
           JOIN protocol q ON q.id = i.protocol WHERE e.annotator = p.id AND e.kind > 1 AND q.name = ?2)";
    let joins = waits.filter(|one| one.act == Act::Join);
    let found = joins.map(|one| first(connection, select, [&one.id, protocol]));
    Ok(found.collect::<Tried<Vec<Option<_>>>>()?.into_iter().flatten().collect())
}

/// Brings the leases in the file up to those that its member holds on the hub.
fn keep(
    connection: &Connection,
    ready: QueueOwner,
    (protocol, terms): (&Protocol, &HandedOut),
    leases: &[Lease],
    groups: &Groups,
) -> Tried<LeasesTaken> {
    let select = "SELECT l.grp, min(l.done) FROM hub_lease l JOIN item i ON i.id = l.item
         WHERE i.protocol = ?1 AND l.grp IS NOT NULL GROUP BY l.grp";
    let known: HashMap<Vec<u8>, bool> = all(connection, select, [ready.protocol])?;
    let mut kept = LeasesTaken::default();
    for (name, _) in known.iter().filter(|(_, is_done)| !**is_done) {
        if !leases.iter().any(|lease| lease.key == *name) {
            kept.went += usize::from(let_go(connection, ready, name)?);
        }
    }
    let mut items = ItemRows::prepare(connection)?;
    items.learn(ready.protocol)?;
    let mut keys = None;
    let mut keep_item = |target: Target, aside: Option<Aside>| -> Tried<ItemId> {
        let keys = match &keys {
            Some(keys) => keys,
            None => keys.insert(StudyKeys::read(connection)?),
        };
        items.keep((ready.protocol, &protocol.name), target, aside, || keys.of_target(&target))
    };
    let mut blocks: Vec<(Option<&[u8]>, Vec<ItemId>)> = Vec::new();
    for lease in leases {
        let name = <[u8; 16]>::try_from(lease.key.as_slice()).ok();
        match (name.and_then(|name| groups.of.get(&name)), known.get(&lease.key)) {
            // One of which all is withdrawn is held on: given back, it would not come again where that is restored.
            (_, Some(false)) => {}
            (_, Some(true)) => kept.done.push(lease.key.clone()),
            (None, None) => kept.none.push(lease.key.clone()),
            (Some(targets), None) => {
                let items = targets.iter().map(|target| keep_item(*target, None)).collect::<Tried<_>>()?;
                blocks.push((Some(&lease.key), items));
            }
        }
    }
    kept.came = blocks.len();
    for (name, targets) in judged_unasked(connection, ready, groups)? {
        if !known.contains_key(name.as_slice()) && !leases.iter().any(|lease| lease.key == *name) {
            let items = targets.iter().map(|target| keep_item(*target, None)).collect::<Tried<_>>()?;
            blocks.push((Some(name), items));
        }
    }
    let mut extras = Vec::new();
    for (target, _) in repeats(connection, ready, terms)? {
        let item = keep_item(target, Some(Aside::Repeat))?;
        let is_there = "SELECT 1 FROM hub_lease WHERE item = ?1";
        if !exists(connection, is_there, [item])? {
            extras.push(vec![item]);
        }
    }
    for extra in extras {
        let name = extra.first().map_or(0, |item| item.0).to_string();
        let [a, b, ..] = lot(0, "mixed in", &[&name]).0;
        let at = usize::from(u16::from_be_bytes([a, b])) % (blocks.len() + 1);
        blocks.insert(at, (None, extra));
    }
    let mut new = Vec::new();
    for (name, items) in &blocks {
        for item in items {
            let insert = "INSERT INTO hub_lease (place, item, grp, done)
                 VALUES ((SELECT coalesce(max(place), 0) + 1 FROM hub_lease), ?1, ?2, 0)
                 ON CONFLICT (item) DO UPDATE SET grp = excluded.grp, done = 0";
            change(connection, insert, params![item, name])?;
            new.push(*item);
        }
    }
    queue::grow(connection, ready, protocol, &new)?;
    if kept.went > 0 {
        caches::look_again(connection)?;
    }
    Ok(kept)
}

/// Groups that were judged whole without a lease, as before the hub handed out work, to be reported as done.
fn judged_unasked<'g>(
    connection: &Connection,
    ready: QueueOwner,
    groups: &'g Groups,
) -> Tried<Vec<(&'g [u8; 16], &'g [Target])>> {
    let select = "SELECT i.query, i.document, i.candidate, i.unit, i.bullet, i.other FROM standing s JOIN item i ON i.id = s.item
         WHERE s.annotator = ?1 AND i.protocol = ?2 AND s.state = 1 AND s.item NOT IN (SELECT item FROM hub_lease)";
    let judged: HashSet<Target> = all(connection, select, params![ready.annotator, ready.protocol])?;
    if judged.is_empty() {
        return Ok(Vec::new());
    }
    let all_of = |targets: &[Target]| targets.iter().all(|target| judged.contains(target));
    let whole = groups.of.iter().filter(|(_, targets)| all_of(targets));
    Ok(whole.map(|(name, targets)| (name, targets.as_slice())).collect())
}

/// Drops a group that went to others, unless it was begun; returns whether it was dropped.
fn let_go(connection: &Connection, ready: QueueOwner, name: &[u8]) -> Tried<bool> {
    let of_group = "item IN (SELECT l.item FROM hub_lease l JOIN item i ON i.id = l.item
         WHERE l.grp = ?1 AND i.protocol = ?2)";
    let begun = format!(
        "SELECT 1 FROM standing WHERE annotator = ?3 AND {of_group}
           AND (state <> 0 OR version IS NOT NULL OR flagged OR comment IS NOT NULL) LIMIT 1"
    );
    let of = params![name, ready.protocol, ready.annotator];
    if exists(connection, &begun, of)? {
        return Ok(false);
    }
    let delete = format!("DELETE FROM hub_lease WHERE {of_group}");
    Ok(change(connection, &delete, params![name, ready.protocol])? > 0)
}

/// The items that were judged far enough back and are drawn to come again, with their keys.
fn repeats(connection: &Connection, ready: QueueOwner, terms: &HandedOut) -> Tried<Vec<(Target, String)>> {
    let select =
        "SELECT i.query, i.document, i.candidate, i.unit, i.bullet, i.other, hex(i.key) FROM hub_lease l
         JOIN item i ON i.id = l.item JOIN standing s ON s.annotator = ?1 AND s.item = l.item AND s.state = 1
         WHERE ?3 > 0 AND i.protocol = ?2 AND l.grp IS NOT NULL
           AND l.place + ?4 <= (SELECT max(place) FROM hub_lease) ORDER BY l.place";
    let distance = stored(REPEAT_DISTANCE);
    let of = params![ready.annotator, ready.protocol, terms.repeats, distance];
    let mut found: Vec<(Target, String)> = all(connection, select, of)?;
    found.retain(|(_, key)| {
        let [a, b, c, d, ..] = lot(0, "repeat", &[key]).0;
        f64::from(u32::from_be_bytes([a, b, c, d])) < terms.repeats * f64::from(u32::MAX)
    });
    Ok(found)
}
