//! What there is to assign under a protocol, and how it stands with everyone.

use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::Connection;

use super::asides;
use super::assignments;
use super::fault::Tried;
use super::items::{ItemRow, Target, in_corpus_order};
use super::keys::Keys;
use super::order;
use super::protocols::{self};
use super::study_file::StudyFile;
use crate::error::Result;
use crate::protocol::Protocol;
use crate::study::{AnnotatorId, ItemId, TargetKeys, Terms};

/// Everything that a protocol asks of the study, and how it stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Assignable {
    /// Every item, in the order of the corpus.
    pub items: Vec<Target>,
    /// The rows of those that have one.
    pub rows: HashMap<usize, ItemId>,
    /// Items that go to an annotator together, in the order of the corpus.
    pub groups: Vec<AssignableGroup>,
    /// The assignments that stand.
    pub assigned: Vec<Assigned>,
    /// What people have begun to judge in the study itself: annotator's key and place of the item.
    pub judged: HashSet<(String, usize)>,
    /// What people have judged to the end under the current version, in the same form.
    pub done: HashSet<(String, usize)>,
    /// What people have skipped and not judged, in the same form.
    pub skipped: HashSet<(String, usize)>,
}

/// Items that go to an annotator together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssignableGroup {
    /// Equal in every file that holds the same data.
    pub name: String,
    /// Places of its items.
    pub items: Vec<usize>,
}

/// An assignment that stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Assigned {
    /// The annotator's key.
    pub annotator: String,
    /// Place of the item, or of the one that it repeats.
    pub item: usize,
    pub terms: Terms,
    /// Whether the annotator has begun to judge it on these terms.
    pub is_judged: bool,
}

impl StudyFile {
    /// What there is to assign under a protocol. Nothing is written: items need no rows.
    ///
    /// # Errors
    /// There is nothing to judge, or the file cannot be read.
    pub fn assignable(&self, protocol: &Protocol) -> Result<Assignable> {
        self.read(|connection| {
            let keys = Keys::read(connection)?;
            let items = order::targets(connection, protocol, &keys)?;
            if items.is_empty() {
                return Err(order::nothing_to_judge(connection, protocol)?.into());
            }
            let mut found =
                Assignable { groups: groups(protocol, &keys, &items), items, ..Assignable::default() };
            read_standing(connection, protocol, &keys, &mut found)?;
            Ok(found)
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
            let keys = Keys::read(connection)?;
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

fn groups(protocol: &Protocol, keys: &Keys, items: &[Target]) -> Vec<AssignableGroup> {
    let mut places: BTreeMap<Target, usize> = BTreeMap::new();
    let mut groups: Vec<AssignableGroup> = Vec::new();
    for (item, target) in items.iter().enumerate() {
        let of = order::group_of(target, protocol.group);
        let place = *places.entry(of).or_insert_with(|| {
            // The key of an item under a name that no protocol has.
            let name = keys.of_target(&of).item_key("a group").to_string();
            groups.push(AssignableGroup { name, items: Vec::new() });
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(place) {
            group.items.push(item);
        }
    }
    groups
}

fn read_standing(
    connection: &Connection,
    protocol: &Protocol,
    keys: &Keys,
    found: &mut Assignable,
) -> Tried<()> {
    let Some(id) = protocols::id_of(connection, &protocol.name)? else {
        return Ok(());
    };
    let names: HashMap<AnnotatorId, &str> =
        keys.annotators.iter().map(|(key, annotator)| (*annotator, &**key)).collect();
    let places: HashMap<Target, usize> =
        found.items.iter().enumerate().map(|(place, target)| (*target, place)).collect();
    let mut of_item: HashMap<ItemId, usize> = HashMap::new();
    for ItemRow { id, target } in in_corpus_order(connection, id)? {
        if let Some(place) = places.get(&target) {
            of_item.insert(id, *place);
            found.rows.insert(*place, id);
        }
    }
    let mut statement = connection.prepare_cached(
        "SELECT s.annotator, s.item, s.state = 1 OR s.version IS NOT NULL, s.state = 2, s.state = 1
         FROM standing s JOIN item i ON i.id = s.item JOIN annotator a ON a.id = s.annotator
         WHERE i.protocol = ?1 AND a.kind = 'human'",
    )?;
    let mut rows = statement.query([id.0])?;
    while let Some(row) = rows.next()? {
        let (annotator, item) = (row.get(0)?, row.get(1)?);
        if let (Some(name), Some(place)) = (names.get(&annotator), of_item.get(&item)) {
            let (judged, skipped): (bool, bool) = (row.get(2)?, row.get(3)?);
            if row.get(4)? {
                found.done.insert(((*name).to_owned(), *place));
            }
            if judged {
                found.judged.insert(((*name).to_owned(), *place));
            } else if skipped {
                found.skipped.insert(((*name).to_owned(), *place));
            }
        }
    }
    let asides = asides::rows(connection, id)?;
    let of_aside: HashMap<ItemId, usize> =
        asides.iter().filter_map(|row| Some((row.item.id, *places.get(&row.item.target)?))).collect();
    let judged_aside: HashSet<(AnnotatorId, Target, _)> = asides::standings(connection, id)?
        .into_iter()
        .filter(|judged| !judged.standing.answers.is_empty())
        .map(|judged| (judged.annotator, judged.target, judged.aside))
        .collect();
    for one in assignments::current(connection, id)? {
        let place = of_item.get(&one.item).or_else(|| of_aside.get(&one.item)).copied();
        let (Some(place), Some(name)) = (place, names.get(&one.annotator)) else {
            continue;
        };
        let is_judged = match (one.terms.role.aside(), found.items.get(place)) {
            (Some(aside), Some(target)) => judged_aside.contains(&(one.annotator, *target, aside)),
            _ => found.judged.contains(&((*name).to_owned(), place)),
        };
        let annotator = (*name).to_owned();
        found.assigned.push(Assigned { annotator, item: place, terms: one.terms, is_judged });
    }
    Ok(())
}

impl StudyFile {
    /// The keys of targets, in their order.
    pub fn keys_of(&self, targets: &[Target]) -> Result<Vec<TargetKeys>> {
        self.read(|connection| {
            let keys = Keys::read(connection)?;
            Ok(targets.iter().map(|target| keys.of_target(target)).collect())
        })
    }
}
