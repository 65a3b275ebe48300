//! The queue of an annotator where work is assigned: her assigned items and those that she began, nothing else.
//!
//! Groups that were begun keep their order. All others are arranged anew whenever assignments have changed: calibration
//! items first, then the groups in the annotator's order, with each repeat some way behind its first time. Where
//! calibration must be passed, no other assigned item comes in before it is.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, params};

use super::queue::{Standings, standings};
use super::{Gate, QueueOwner, QueueTaken, StandingAssignment, assignments, order, queue};
use crate::error::Error;
use crate::number::{NO_PLACE, counted};
use crate::protocol::Protocol;
use crate::store::corpus::{StudyKeys, Target, protocols};
use crate::store::exchange::hub::leases;
use crate::store::file::{Tried, all};
use crate::store::journal::Log;
use crate::study::assignment::REPEAT_DISTANCE;
use crate::study::assignment::draw::lot;
use crate::study::{Aside, ItemId, Role};
use crate::text::shell::quoted;

/// Items that stand together in a queue.
type QueueBlock = Vec<QueueItem>;

/// An item of a queue.
#[derive(Debug, Clone, Copy)]
struct QueueItem {
    item: ItemId,
    target: Target,
    aside: Option<Aside>,
}

/// Makes the queue anew from the assignments. Returns `false`, and makes none, where no work is assigned: then the queue
/// is to hold everything.
pub(crate) fn make(
    connection: &Connection,
    ready: QueueOwner,
    annotator: &str,
    protocol: &Protocol,
) -> Tried<bool> {
    let mut own = own(connection, ready, protocol)?;
    let sorted: HashMap<ItemId, u32> =
        own.iter().filter_map(|one| Some((one.item, one.terms.sorted.as_ref()?.place))).collect();
    let is_handed_out = is_handed_out(connection, protocol)?;
    if own.is_empty()
        && !is_handed_out
        && !assignments::current(connection, ready.protocol)?.iter().any(|one| one.terms.role.divides())
    {
        return Ok(false);
    }
    if assignments::gate(connection, ready.annotator, ready.protocol, protocol)? == Gate::Closed {
        // Items that were begun before stay all the same.
        own.retain(|one| one.terms.role == Role::Calibration);
    }
    let keys = StudyKeys::read(connection)?;
    let states = states(connection, ready, &protocol.name, &own)?;
    let dealt: Vec<ItemId> =
        leases::dealt(connection, ready.annotator, ready.protocol)?.into_iter().map(|one| one.item).collect();
    let places = assignments::places(connection, ready.protocol)?;
    let entry = |item: ItemId| {
        places.get(&item).map(|(target, aside)| QueueItem { item, target: *target, aside: *aside })
    };
    let mut kept: HashSet<ItemId> = own.iter().map(|one| one.item).collect();
    kept.extend(states.begun.iter().copied().filter(|item| places.contains_key(item)));
    if kept.is_empty() {
        if is_handed_out {
            let what = format!(
                "the hub hands out the work of {:?}, and {annotator:?} has none in this file",
                protocol.name
            );
            let advice = "`haymark sync` takes some for the member whose file it is";
            return Err(Error::new(what).advise(advice).into());
        }
        let what = format!("nothing of {:?} is assigned to {annotator:?}", protocol.name);
        return Err(Error::new(what)
            .advise(format!("ask for a part of the work: `haymark assign STUDY --to {}`", quoted(annotator)))
            .into());
    }
    let mut blocks = begun_blocks(connection, ready, &kept, &states.begun, entry)?;
    let placed: HashSet<ItemId> = blocks.iter().flatten().map(|entry| entry.item).collect();
    let is_left = |item: &&ItemId| kept.contains(item) && !placed.contains(item);
    // Items from the hub stay in the order in which they came.
    let handed: Vec<QueueItem> = dealt.iter().filter(is_left).filter_map(|item| entry(*item)).collect();
    let mut rest: Vec<QueueItem> = kept
        .iter()
        .filter(is_left)
        .filter(|item| !dealt.contains(item))
        .filter_map(|item| entry(*item))
        .collect();
    rest.sort_unstable_by_key(|entry| (entry.target, entry.item));
    let calibration: Vec<QueueItem> = of_side(&rest, Some(Aside::Calibration));
    blocks.extend(grouped(calibration, &keys, "calibration", protocol));
    let mut work = grouped(of_side(&rest, None), &keys, annotator, protocol);
    // Groups that were sorted come before the others.
    work.sort_by_cached_key(|block| {
        block.iter().filter_map(|one| sorted.get(&one.item)).min().copied().unwrap_or(NO_PLACE)
    });
    blocks.extend(work);
    for repeat in of_side(&rest, Some(Aside::Repeat)) {
        let name = keys.of_target(&repeat.target).item_key(annotator).to_string();
        let at = place_of_repeat(&blocks, &repeat, &name);
        blocks.insert(at, vec![repeat]);
    }
    let group = |entry: &QueueItem| (order::group_of(&entry.target, protocol.group), entry.aside);
    blocks.extend(handed.chunk_by(|one, other| group(one) == group(other)).map(<[QueueItem]>::to_vec));
    write(connection, ready, &blocks, &states)?;
    Ok(true)
}

/// The items that an annotator has: assigned, or taken from the hub. Where the hub hands out work, controls come with it.
pub(crate) fn own(
    connection: &Connection,
    ready: QueueOwner,
    protocol: &Protocol,
) -> Tried<Vec<StandingAssignment>> {
    let mut own = assignments::of_annotator(connection, ready.annotator, ready.protocol)?;
    own.retain(|one| one.terms.role != Role::Back);
    if is_handed_out(connection, protocol)? {
        own.retain(|one| one.terms.role != Role::Control);
        own.extend(leases::dealt(connection, ready.annotator, ready.protocol)?);
    }
    Ok(own)
}

/// Whether the hub hands out the work of a protocol.
pub(super) fn is_handed_out(connection: &Connection, protocol: &Protocol) -> Tried<bool> {
    Ok(leases::handed_out(connection, &protocol.name)?.is_some())
}

fn of_side(entries: &[QueueItem], side: Option<Aside>) -> Vec<QueueItem> {
    entries.iter().filter(|entry| entry.aside == side).copied().collect()
}

/// The states of an annotator's items that matter to the queue.
struct States {
    of_item: Standings,
    /// Items that are answered in part or whole, skipped or flagged.
    begun: HashSet<ItemId>,
}

fn states(
    connection: &Connection,
    ready: QueueOwner,
    protocol: &str,
    own: &[StandingAssignment],
) -> Tried<States> {
    let mut of_item = standings(connection, ready.annotator)?;
    let mut begun: HashSet<ItemId> = all(
        connection,
        "SELECT s.item FROM standing s JOIN item i ON i.id = s.item
             WHERE s.annotator = ?1 AND i.protocol = ?2
               AND (s.state <> 0 OR s.version IS NOT NULL OR s.flagged OR s.comment IS NOT NULL)",
        params![ready.annotator.0, ready.protocol.0],
    )?;
    let mut log = Log::prepare(connection)?;
    let current = protocols::find(connection, protocol)?;
    for one in own.iter().filter(|one| one.terms.aside().is_some()) {
        let standing = log.standing(ready.annotator, one.item, current.as_ref())?;
        if let Some(protocol) = &current {
            of_item.insert(one.item, (standing.state(protocol), standing.flagged));
        }
        let is_begun = !standing.answers.is_empty() || standing.skipped || standing.flagged;
        if is_begun || standing.times_anew > 0 {
            begun.insert(one.item);
        }
    }
    Ok(States { of_item, begun })
}

/// The groups of the queue in which an item was begun, with those of their items that are kept.
fn begun_blocks(
    connection: &Connection,
    ready: QueueOwner,
    kept: &HashSet<ItemId>,
    begun: &HashSet<ItemId>,
    entry: impl Fn(ItemId) -> Option<QueueItem>,
) -> Tried<Vec<QueueBlock>> {
    let rows: Vec<(ItemId, i64)> = all(
        connection,
        "SELECT item, group_number FROM queue WHERE annotator = ?1 AND protocol = ?2 ORDER BY position",
        params![ready.annotator.0, ready.protocol.0],
    )?;
    let blocks = rows
        .chunk_by(|one, other| one.1 == other.1)
        .filter(|block| block.iter().any(|(item, _)| begun.contains(item) && kept.contains(item)));
    let entries = |block: &[(ItemId, i64)]| {
        block.iter().filter(|(item, _)| kept.contains(item)).filter_map(|(item, _)| entry(*item)).collect()
    };
    Ok(blocks.map(entries).collect())
}

/// The entries as whole groups, in the order that is drawn from this name.
fn grouped(entries: Vec<QueueItem>, keys: &StudyKeys, name: &str, protocol: &Protocol) -> Vec<QueueBlock> {
    let mut arranged: Vec<(Target, QueueItem)> =
        entries.into_iter().map(|entry| (entry.target, entry)).collect();
    order::arrange(&mut arranged, keys, name, protocol);
    let group = |target: &Target| order::group_of(target, protocol.group);
    arranged
        .chunk_by(|one, other| group(&one.0) == group(&other.0))
        .map(|block| block.iter().map(|(_, entry)| *entry).collect())
        .collect()
}

/// The block before which a repeat comes: drawn among the blocks that are far enough behind the item's first time, and the
/// end.
fn place_of_repeat(blocks: &[QueueBlock], repeat: &QueueItem, name: &str) -> usize {
    let is_first = |entry: &QueueItem| entry.aside.is_none() && entry.target == repeat.target;
    let first = blocks.iter().flatten().position(is_first);
    let from = first.map_or(0, |first| first + 1 + REPEAT_DISTANCE);
    let mut items = 0;
    let mut fitting = Vec::new();
    for (place, block) in blocks.iter().enumerate() {
        if items >= from && block.iter().all(|entry| entry.aside != Some(Aside::Calibration)) {
            fitting.push(place);
        }
        items += block.len();
    }
    fitting.push(blocks.len());
    let [a, b, c, d, ..] = lot(0, "repeat", &[name]).0;
    let draw = counted(u32::from_be_bytes([a, b, c, d]));
    fitting.get(draw % fitting.len()).copied().unwrap_or(blocks.len())
}

/// Reduces a whole queue to the items of a part. Groups stay in the order of the queue, or come as the part was sorted.
pub(super) fn keep_part(
    connection: &Connection,
    ready: QueueOwner,
    protocol: &Protocol,
    part: &QueueTaken,
) -> Tried<()> {
    let ranks: HashMap<Target, usize> = part.items.iter().copied().zip(0..).collect();
    let places = assignments::places(connection, ready.protocol)?;
    let kept: HashSet<ItemId> =
        places.iter().filter(|(_, (target, _))| ranks.contains_key(target)).map(|(item, _)| *item).collect();
    let entry = |item: ItemId| {
        places.get(&item).map(|(target, aside)| QueueItem { item, target: *target, aside: *aside })
    };
    let mut blocks = begun_blocks(connection, ready, &kept, &kept, entry)?;
    if blocks.is_empty() {
        let what = format!("nothing of the part is in the queue of {:?}", protocol.name);
        return Err(Error::nothing(what).advise("leave the part out to see what is").into());
    }
    if part.sorted_by.is_some() {
        let rank = |one: &QueueItem| ranks.get(&one.target).copied();
        blocks.sort_by_cached_key(|block| block.iter().filter_map(rank).min());
    }
    let own = own(connection, ready, protocol)?;
    write(connection, ready, &blocks, &states(connection, ready, &protocol.name, &own)?)
}

/// Replaces the queue by these blocks, and counts anew.
fn write(connection: &Connection, ready: QueueOwner, blocks: &[QueueBlock], states: &States) -> Tried<()> {
    queue::empty(connection, ready, None)?;
    let items =
        (1..).zip(blocks).flat_map(|(group, block)| block.iter().map(move |entry| (entry.item, group)));
    let progress = queue::write_rows(connection, ready, (0, items), &states.of_item)?;
    queue::note_progress(connection, ready, progress, None)
}
