//! The items to assign under a protocol, and the state of each with everyone.

use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::Connection;

use super::places::Places;
use super::{StandingAssignment, assignments, order};
use crate::error::Result;
use crate::journal::ItemState;
use crate::protocol::Protocol;
use crate::store::corpus::items::{PlaceBits, PlaceOfItem};
use crate::store::corpus::{ItemRow, StudyKeys, Target, in_corpus_order, protocols};
use crate::store::exchange::hub::leases::{self, HandedOut};
use crate::store::file::{StudyFile, Tried, all};
use crate::store::journal::people::LEFT_OUT;
use crate::store::journal::{asides, sessions, state_of};
use crate::study::sample::DRAWN_UNDER;
use crate::study::{AnnotatorId, AnnotatorKind, ItemId, Role, TargetKeys, Terms};

/// The items of a protocol, with their assignments and judgments.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Assignable {
    /// Every item, in the order of the corpus.
    pub items: Vec<Target>,
    /// Whether these are not all that there are.
    pub is_part: bool,
    /// The place of each that has a row.
    of_items: PlaceOfItem,
    /// Items that go to an annotator together, in the order of the corpus.
    pub groups: Vec<AssignableGroup>,
    /// The assignments that stand.
    pub assigned: Vec<Assigned>,
    /// The work that stands of people who were left out of the study. Nothing of it is judged, since nothing of theirs counts.
    pub left_out: Vec<Assigned>,
    /// The people who were left out after they judged something of the hub's work, which others do not have yet.
    pub to_reopen: Vec<String>,
    /// The items of the hub's work that the member of the file holds.
    pub taken: Places,
    /// The terms on which the hub hands out the work.
    pub handed_out: Option<HandedOut>,
    /// The items that people have begun to judge in the study itself.
    pub judged: Places,
    /// The items that people have judged completely under the current version.
    pub done: Places,
    /// The items that people have skipped and not judged.
    pub skipped: Places,
    /// The items about summaries that people wrote themselves, which only others judge.
    pub wrote: Places,
}

/// Items that go to an annotator together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssignableGroup {
    /// The name of the group, equal in every file that holds the same data.
    pub name: String,
    /// The places of the group's items in [`Assignable::items`].
    pub items: Vec<usize>,
}

/// An assignment that stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Assigned {
    /// The annotator's key.
    pub annotator: String,
    /// The place of the item, or of the item that it repeats.
    pub item: usize,
    pub terms: Terms,
    /// Whether the annotator has begun to judge it on these terms.
    pub is_judged: bool,
}

impl Assignable {
    /// The place of an item that has a row.
    pub fn place_of(&self, item: ItemId) -> Option<usize> {
        self.of_items.get(item)
    }

    /// Whether an annotator has what is assigned. A control in work that a hub hands out she has once the hub gives it to her.
    pub fn is_given(&self, one: &Assigned) -> bool {
        self.handed_out.is_none() || one.terms.role != Role::Control
    }

    /// Whether everybody judges only what is assigned.
    pub fn is_divided(&self) -> bool {
        self.assigned.iter().any(|one| one.terms.role.divides())
    }

    /// How many items people have judged, each but those that are a control to her.
    pub fn done_as_work(&self) -> usize {
        let controls = self.assigned.iter().filter(|one| one.terms.role == Role::Control);
        let done = controls.filter(|one| self.done.has(&one.annotator, one.item));
        self.done.iter().count() - done.count()
    }
}

impl StudyFile {
    /// The items to assign under a protocol. Nothing is written: items need no rows.
    ///
    /// # Errors
    /// There is nothing to judge, or the file cannot be read.
    pub fn assignable(&self, protocol: &Protocol) -> Result<Assignable> {
        self.assignable_among(protocol, None)
    }

    /// The items to assign under a protocol, of these items only.
    ///
    /// # Errors
    /// As [`StudyFile::assignable`].
    pub fn assignable_among(
        &self,
        protocol: &Protocol,
        only: Option<&HashSet<Target>>,
    ) -> Result<Assignable> {
        self.read(|connection| {
            if let Some(lack) = order::lack(connection, protocol)? {
                return Err(lack.into());
            }
            let keys = StudyKeys::read(connection)?;
            let mut items = order::targets(connection, protocol, &keys)?;
            items.retain(|target| only.is_none_or(|only| only.contains(target)));
            if items.is_empty() {
                return Err(order::nothing_to_judge(connection, protocol)?.into());
            }
            let groups = groups(protocol, &keys, &items);
            let mut found = Assignable { groups, items, is_part: only.is_some(), ..Assignable::default() };
            read_standing(connection, protocol, &keys, &mut found)?;
            Ok(found)
        })
    }

    /// How many items each of these protocols has in the study; 0 where there is nothing to judge.
    pub fn count_items(&self, protocols: &[Protocol]) -> Result<Vec<usize>> {
        self.read(|connection| {
            let keys = StudyKeys::read(connection)?;
            let count = |protocol| Ok(order::targets(connection, protocol, &keys)?.len());
            protocols.iter().map(count).collect()
        })
    }

    /// The groups of [`StudyFile::assignable`] by their places, in the order in which an annotator gets them.
    pub fn order_of_groups(
        &self,
        protocol: &Protocol,
        annotator: &str,
        assignable: &Assignable,
    ) -> Result<Vec<usize>> {
        self.read(|connection| {
            let keys = StudyKeys::read(connection)?;
            let first = |(place, group): (usize, &AssignableGroup)| {
                let item = group.items.first().and_then(|item| assignable.items.get(*item));
                item.map(|target| (*target, place))
            };
            let mut groups: Vec<(Target, usize)> =
                assignable.groups.iter().enumerate().filter_map(first).collect();
            order::arrange(&mut groups, &keys, annotator, protocol);
            Ok(groups.into_iter().map(|(_, place)| place).collect())
        })
    }
}

fn groups(protocol: &Protocol, keys: &StudyKeys, items: &[Target]) -> Vec<AssignableGroup> {
    let mut places: BTreeMap<Target, usize> = BTreeMap::new();
    let mut groups: Vec<AssignableGroup> = Vec::new();
    // Items of one group mostly stand together.
    let mut latest: Option<(Target, usize)> = None;
    for (item, target) in items.iter().enumerate() {
        let of = order::group_of(target, protocol.group);
        let place = match latest {
            Some((known, place)) if known == of => place,
            _ => *places.entry(of).or_insert_with(|| {
                // The name is the key of an item under a name that no protocol has.
                let name = keys.of_target(&of).item_key(DRAWN_UNDER).to_string();
                groups.push(AssignableGroup { name, items: Vec::new() });
                groups.len() - 1
            }),
        };
        latest = Some((of, place));
        if let Some(group) = groups.get_mut(place) {
            group.items.push(item);
        }
    }
    groups
}

fn read_standing(
    connection: &Connection,
    protocol: &Protocol,
    keys: &StudyKeys,
    found: &mut Assignable,
) -> Tried<()> {
    found.handed_out = leases::handed_out(connection, &protocol.name)?;
    let names: HashMap<AnnotatorId, &str> =
        keys.annotators.iter().map(|(key, annotator)| (*annotator, &**key)).collect();
    for (person, own) in sessions::own_by_person(connection)? {
        let mut wrote = PlaceBits::default();
        let is_own = |target: &Target| target.candidates().any(|candidate| own.contains(&candidate));
        let places = (0..).zip(&found.items).filter(|(_, target)| is_own(target));
        places.for_each(|(place, _)| wrote.insert(place));
        if let Some(name) = names.get(&person) {
            found.wrote.put(name, wrote);
        }
    }
    let Some(id) = protocols::id_of(connection, &protocol.name)? else { return Ok(()) };
    if let Some(terms) = &found.handed_out {
        let select = format!(
            "SELECT key FROM annotator a WHERE {LEFT_OUT} AND EXISTS (
               SELECT 1 FROM act e JOIN item i ON i.id = e.item WHERE i.protocol = ?1 AND e.annotator IN
                 (SELECT a.id UNION ALL SELECT annotator FROM joined WHERE person = a.id)) ORDER BY 1"
        );
        found.to_reopen = all(connection, &select, [id])?;
        found.to_reopen.retain(|name| !terms.reopened.contains(name));
    }
    // Items and rows are put into one order and walked side by side.
    let mut order: Vec<usize> = (0..found.items.len()).collect();
    order.sort_unstable_by_key(|place| found.items.get(*place));
    let place_of = |target: &Target| {
        let at = order.binary_search_by_key(&Some(target), |place| found.items.get(*place)).ok()?;
        order.get(at).copied()
    };
    let mut of_item = PlaceOfItem::default();
    let mut ordered = order.iter().peekable();
    for ItemRow { id, target } in in_corpus_order(connection, id)? {
        while ordered.next_if(|place| found.items.get(**place) < Some(&target)).is_some() {}
        if let Some(place) = ordered.next_if(|place| found.items.get(**place) == Some(&target)) {
            of_item.put(id, *place);
        }
    }
    let people: Vec<(AnnotatorId, AnnotatorKind)> =
        all(connection, "SELECT id, kind FROM annotator ORDER BY id", [])?;
    for (annotator, _) in people.into_iter().filter(|(_, kind)| *kind == AnnotatorKind::Human) {
        let Some(name) = names.get(&annotator) else { continue };
        let (mut begun, mut done, mut skipped) =
            (PlaceBits::default(), PlaceBits::default(), PlaceBits::default());
        let mut statement = connection.prepare_cached(
            // State and version come as one number, which saves fetching one value a row.
            "SELECT item, state << 1 | (version IS NOT NULL) FROM standing WHERE annotator = ?1",
        )?;
        let mut standings = statement.query([annotator])?;
        while let Some(row) = standings.next()? {
            let Some(place) = of_item.get(row.get(0)?) else { continue };
            let says: i64 = row.get(1)?;
            let (state, has_answer) = (state_of(says >> 1), says & 1 == 1);
            let is_done = state == ItemState::Judged;
            if is_done {
                done.insert(place);
            }
            if is_done || has_answer {
                begun.insert(place);
            } else if state == ItemState::Skipped {
                skipped.insert(place);
            }
        }
        found.judged.put(name, begun);
        found.done.put(name, done);
        found.skipped.put(name, skipped);
    }
    let asides = asides::rows(connection, id)?;
    let of_aside: HashMap<ItemId, usize> =
        asides.iter().filter_map(|row| Some((row.item.id, place_of(&row.item.target)?))).collect();
    let judged_aside: HashSet<(AnnotatorId, Target, _)> = asides::standings(connection, id)?
        .into_iter()
        .filter(|judged| !judged.standing.answers.is_empty())
        .map(|judged| (judged.annotator, judged.target, judged.aside))
        .collect();
    if let Some(holder) = leases::holder(connection, id)? {
        let mut taken = PlaceBits::default();
        let dealt = leases::dealt(connection, holder, id)?;
        let work = dealt.iter().filter(|one| one.terms.role.is_work());
        work.filter_map(|one| of_item.get(one.item)).for_each(|place| taken.insert(place));
        if let Some(name) = names.get(&holder) {
            found.taken.put(name, taken);
        }
    }
    let as_assigned = |one: StandingAssignment| {
        let item = of_item.get(one.item).or_else(|| of_aside.get(&one.item).copied())?;
        let name = names.get(&one.annotator)?;
        let is_judged = match (one.terms.aside(), found.items.get(item)) {
            (Some(aside), Some(target)) => judged_aside.contains(&(one.annotator, *target, aside)),
            _ => found.judged.has(name, item),
        };
        Some(Assigned { annotator: (*name).to_owned(), item, terms: one.terms, is_judged })
    };
    let (counting, left_out) = assignments::standing_where(connection, "i.protocol = ?1", [id])?;
    let assigned = counting.into_iter().filter_map(as_assigned).collect();
    let left_out = left_out.into_iter().filter(|one| one.terms.role.is_work());
    let left_out = left_out.filter_map(as_assigned).collect();
    (found.assigned, found.left_out, found.of_items) = (assigned, left_out, of_item);
    Ok(())
}

impl StudyFile {
    /// The keys of targets, in their order.
    pub fn keys_of(&self, targets: &[Target]) -> Result<Vec<TargetKeys>> {
        self.read(|connection| {
            let keys = StudyKeys::read(connection)?;
            Ok(targets.iter().map(|target| keys.of_target(target)).collect())
        })
    }
}
