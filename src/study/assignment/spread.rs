//! Spreading groups of items evenly over annotators, moving as little as can be and nothing that was judged.

use std::collections::{BTreeMap, BTreeSet};

use super::draw::{lot, share_of, stratified};
use super::{Role, Terms};

/// A present or former annotator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignee {
    /// The annotator's key.
    pub name: String,
    /// Whether work may be given to them.
    pub is_active: bool,
    /// Whether they have left the study. They keep what they judged.
    pub has_left: bool,
}

impl Assignee {
    /// Somebody to whom work may be given.
    pub fn active(name: &str) -> Assignee {
        Assignee { name: name.to_owned(), is_active: true, has_left: false }
    }
}

/// Items that go to an annotator together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The group's name, equal in every file that holds the same data: draws go by it.
    pub name: String,
    /// Places of the items, each in one group only.
    pub items: Vec<usize>,
    /// Number of the stratum.
    pub stratum: usize,
}

/// An assignment of an item to a person, or a judgment of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Present {
    /// Place of the person.
    pub person: usize,
    /// Place of the item.
    pub item: usize,
    /// The assignment, if there is one. An assignment beside the study is of the item that it repeats.
    pub terms: Option<Terms>,
    /// Whether the person has begun to judge it under these terms.
    pub is_judged: bool,
}

/// The groups to spread, the people, and the assignments and judgments that stand.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Work {
    pub people: Vec<Assignee>,
    pub groups: Vec<Group>,
    pub present: Vec<Present>,
    /// Places of an item and a person who may not judge it, since she wrote what is judged.
    pub wrote: BTreeSet<(usize, usize)>,
    /// Places of the items about what somebody wrote, at work or not. Known answers to them are given to nobody: a second name of
    /// whoever wrote it is not told from another person.
    pub written: BTreeSet<usize>,
}

impl Work {
    /// Takes out the items that everybody to whom work may be given wrote; returns how many.
    pub fn leave_to_others(&mut self) -> usize {
        let active: Vec<usize> =
            (0..).zip(&self.people).filter(|(_, one)| one.is_active).map(|(at, _)| at).collect();
        let wrote = &self.wrote;
        let is_own = |item: &usize| active.iter().all(|person| wrote.contains(&(*item, *person)));
        let before: usize = self.groups.iter().map(|group| group.items.len()).sum();
        self.groups.iter_mut().for_each(|group| group.items.retain(|item| !is_own(item)));
        self.present.retain(|present| !is_own(&present.item));
        before - self.groups.iter().map(|group| group.items.len()).sum::<usize>()
    }
}

/// How to spread the work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpreadSettings {
    /// Where the draws begin.
    pub seed: u64,
    /// The share of the groups that several people judge, 0–1; `None` leaves shared what is shared.
    pub overlap: Option<f64>,
    /// Number of people who judge each of these groups; `None` for all.
    pub raters: Option<u32>,
}

/// The annotators of each item: the places of the people, ascending, and the terms. Items that are taken out of the work,
/// such as those for calibration, have nobody.
pub type Spread = BTreeMap<usize, (Vec<usize>, Terms)>;

/// Items of one group that the same number of people is still to judge.
struct SpreadUnit<'w> {
    group: &'w Group,
    items: Vec<usize>,
    need: usize,
    terms: Terms,
    /// People who keep the unit: they have judged some of its group.
    pinned: BTreeSet<usize>,
    /// Everyone who has the unit, the pinned people included.
    chosen: BTreeSet<usize>,
    /// People who hold some of the unit for another reason.
    barred: BTreeSet<usize>,
}

/// Spreads the work so that each item has as many annotators as it should, and loads, counted in items, are as even as
/// whole groups allow: where groups are equal, no two loads differ by more than one group. Judged items stay; items that
/// are only assigned stay as long as that keeps loads even. Strata come second.
pub fn spread(work: &Work, settings: &SpreadSettings) -> Spread {
    let standing = PresentByItem::of(work);
    let mut units = units(work, settings, &standing);
    let mut loads = Loads::of(work, &units);
    for at in order(&units, settings.seed) {
        if let Some(unit) = units.get_mut(at) {
            fill(unit, work, settings.seed, &mut loads);
        }
    }
    level(&mut units, settings.seed, &mut loads);
    let mut found = Spread::new();
    for unit in units {
        let people: Vec<usize> = unit.chosen.into_iter().collect();
        for item in unit.items {
            found.insert(item, (people.clone(), unit.terms.clone()));
        }
    }
    found
}

/// Assignments and judgments by item.
struct PresentByItem<'w> {
    of_item: BTreeMap<usize, Vec<&'w Present>>,
}

impl<'w> PresentByItem<'w> {
    fn of(work: &'w Work) -> PresentByItem<'w> {
        let mut of_item: BTreeMap<usize, Vec<&Present>> = BTreeMap::new();
        for present in &work.present {
            of_item.entry(present.item).or_default().push(present);
        }
        PresentByItem { of_item }
    }

    fn at(&self, item: usize) -> impl Iterator<Item = &'w Present> + '_ {
        self.of_item.get(&item).into_iter().flatten().copied()
    }

    fn of_group<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = &'w Present> + 'a {
        group.items.iter().flat_map(|item| self.at(*item))
    }
}

/// Whether an assignment is a part of the work, or a judgment stands without an assignment.
fn counts_as_work(present: &Present) -> bool {
    match &present.terms {
        Some(terms) => terms.role.is_work(),
        None => present.is_judged,
    }
}

fn units<'w>(work: &'w Work, settings: &SpreadSettings, standing: &PresentByItem<'w>) -> Vec<SpreadUnit<'w>> {
    let active = work.people.iter().filter(|person| person.is_active).count();
    let is_active =
        |present: &&Present| work.people.get(present.person).is_some_and(|person| person.is_active);
    let mut units = Vec::new();
    for (group, terms) in with_terms(work, settings, standing) {
        let work_of = |item: usize| standing.at(item).filter(|present| counts_as_work(present));
        let pinned: BTreeSet<usize> = group
            .items
            .iter()
            .flat_map(|item| work_of(*item))
            .filter(|present| present.is_judged)
            .filter(is_active)
            .map(|present| present.person)
            .collect();
        let wanted = match (terms.role, terms.raters) {
            (Role::Shared, None) => active,
            (Role::Shared, Some(raters)) => raters as usize,
            _ => 1,
        };
        // A person who gave an item back does not get it again, and nobody gets what she wrote, whatever they judged beside it.
        let kept_from = |item: usize| -> BTreeSet<usize> {
            let is_back = |present: &&Present| {
                present.terms.as_ref().is_some_and(|terms| terms.role == Role::Back && terms.aside.is_none())
            };
            let gave_back = standing.at(item).filter(is_back).map(|present| present.person);
            let wrote = work.wrote.range((item, 0)..=(item, usize::MAX));
            gave_back.chain(wrote.map(|(_, person)| *person)).collect()
        };
        let mut by_need: BTreeMap<(usize, BTreeSet<usize>), Vec<usize>> = BTreeMap::new();
        for item in &group.items {
            let has_left = |present: &&Present| present.is_judged && !is_active(present);
            let past = if terms.raters.is_none() && terms.role == Role::Shared {
                0
            } else {
                work_of(*item).filter(has_left).count()
            };
            let need = wanted.saturating_sub(past).min(active);
            by_need.entry((need, kept_from(*item))).or_default().push(*item);
        }
        for ((need, kept_from), items) in by_need {
            let pinned: BTreeSet<usize> = pinned.difference(&kept_from).copied().collect();
            let of_unit = || items.iter().flat_map(|item| standing.at(*item)).filter(is_active);
            let holders = of_unit().filter(|present| counts_as_work(present)).map(|present| present.person);
            let barred = of_unit().filter(|present| {
                present
                    .terms
                    .as_ref()
                    .is_some_and(|terms| !terms.role.is_work() && terms.role.aside().is_none())
            });
            let barred = barred.map(|present| present.person).chain(kept_from.iter().copied()).collect();
            let mut chosen = pinned.clone();
            let may = |person: &usize| !pinned.contains(person) && !kept_from.contains(person);
            let mut holders: Vec<usize> = holders.filter(may).collect();
            holders.sort_by_cached_key(|person| lot_of(work, settings.seed, group, *person));
            holders.dedup();
            for holder in holders {
                if chosen.len() < need {
                    chosen.insert(holder);
                }
            }
            let (pinned, terms) = (pinned.clone(), terms.clone());
            units.push(SpreadUnit { group, items, need, terms, pinned, chosen, barred });
        }
    }
    units
}

/// The groups that are work, each with the terms on which it is given.
fn with_terms<'w>(
    work: &'w Work,
    settings: &SpreadSettings,
    standing: &PresentByItem<'_>,
) -> Vec<(&'w Group, Terms)> {
    // An annotator who has seen the known answer has nothing left to judge.
    let is_told = |group: &Group| {
        let told =
            |present: &Present| present.terms.as_ref().is_some_and(|terms| terms.role == Role::Calibration);
        standing.of_group(group).any(told)
    };
    let groups: Vec<&Group> = work.groups.iter().filter(|group| !is_told(group)).collect();
    let shared_now = |group: &Group| {
        let terms = standing.of_group(group).filter_map(|present| present.terms.as_ref());
        // Of whoever has left, the terms may be older ones.
        terms
            .filter(|terms| terms.role == Role::Shared)
            .max_by_key(|terms| (!terms.left, terms.raters.is_none(), terms.raters))
    };
    let Some(overlap) = settings.overlap else {
        let anew = |terms: &Terms| Terms { left: false, ..terms.unsorted() };
        let kept = |group: &'w Group| (group, shared_now(group).map_or(Terms::of(Role::Work), anew));
        return groups.into_iter().map(kept).collect();
    };
    let strata: Vec<usize> = groups.iter().map(|group| group.stratum).collect();
    let shared = stratified(&strata, share_of(overlap, groups.len()), |at| {
        // Groups that are shared already stay shared.
        groups
            .get(at)
            .map(|group| (shared_now(group).is_none(), lot(settings.seed, "shared", &[&group.name])))
    });
    let shared: BTreeSet<usize> = shared.into_iter().collect();
    let several = Terms { raters: settings.raters, ..Terms::of(Role::Shared) };
    let terms = |at: usize| if shared.contains(&at) { several.clone() } else { Terms::of(Role::Work) };
    groups.into_iter().enumerate().map(|(at, group)| (group, terms(at))).collect()
}

/// Items that each person has, over all and by stratum.
struct Loads {
    all: Vec<usize>,
    by_stratum: BTreeMap<(usize, usize), usize>,
    active: Vec<usize>,
}

impl Loads {
    fn of(work: &Work, units: &[SpreadUnit<'_>]) -> Loads {
        let active = work.people.iter().enumerate().filter(|(_, person)| person.is_active);
        let mut loads = Loads {
            all: vec![0; work.people.len()],
            by_stratum: BTreeMap::new(),
            active: active.map(|(place, _)| place).collect(),
        };
        for unit in units {
            for person in &unit.chosen {
                loads.add(*person, unit);
            }
        }
        loads
    }

    fn of_person(&self, person: usize) -> usize {
        self.all.get(person).copied().unwrap_or(0)
    }

    fn in_stratum(&self, person: usize, stratum: usize) -> usize {
        self.by_stratum.get(&(person, stratum)).copied().unwrap_or(0)
    }

    fn add(&mut self, person: usize, unit: &SpreadUnit<'_>) {
        if let Some(all) = self.all.get_mut(person) {
            *all += unit.items.len();
        }
        *self.by_stratum.entry((person, unit.group.stratum)).or_default() += unit.items.len();
    }

    fn take(&mut self, person: usize, unit: &SpreadUnit<'_>) {
        if let Some(all) = self.all.get_mut(person) {
            *all = all.saturating_sub(unit.items.len());
        }
        let of_stratum = self.by_stratum.entry((person, unit.group.stratum)).or_default();
        *of_stratum = of_stratum.saturating_sub(unit.items.len());
    }
}

/// The order in which units are given: those of several people first, then stratum by stratum, the large
/// ones before the small ones that level them.
fn order(units: &[SpreadUnit<'_>], seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by_cached_key(|at| {
        units.get(*at).map(|unit| {
            let size = std::cmp::Reverse(unit.items.len());
            let lot = lot(seed, "order", &[&unit.group.name]);
            (std::cmp::Reverse(unit.need), unit.group.stratum, size, lot, *at)
        })
    });
    order
}

fn lot_of(work: &Work, seed: u64, group: &Group, person: usize) -> Option<crate::text::hash::Fingerprint> {
    work.people.get(person).map(|person| lot(seed, "person", &[&group.name, &person.name]))
}

/// Gives a unit to those with the least to do until it has as many people as it needs.
fn fill(unit: &mut SpreadUnit<'_>, work: &Work, seed: u64, loads: &mut Loads) {
    while unit.chosen.len() < unit.need {
        let may = |person: &&usize| !unit.chosen.contains(person) && !unit.barred.contains(person);
        let least = loads.active.iter().filter(may).min_by_key(|person| {
            let in_stratum = loads.in_stratum(**person, unit.group.stratum);
            (loads.of_person(**person), in_stratum, lot_of(work, seed, unit.group, **person))
        });
        let Some(least) = least.copied() else { return };
        unit.chosen.insert(least);
        loads.add(least, unit);
    }
}

/// Moves units from those with more to those with less as long as that brings two loads closer together.
fn level(units: &mut [SpreadUnit<'_>], seed: u64, loads: &mut Loads) {
    let mut movable = Movable::of(units, seed, loads);
    while let Some((from, to, at)) = best_move(units, &movable, loads) {
        let Some(unit) = units.get_mut(at) else { return };
        unit.chosen.remove(&from);
        unit.chosen.insert(to);
        loads.take(from, unit);
        loads.add(to, unit);
        movable.moved(at, unit, from, to);
    }
}

/// Units by their sizes and strata, each with its place in a drawn order before its own.
type BySize = BTreeMap<usize, BTreeMap<usize, BTreeSet<(usize, usize)>>>;

/// The units that each person could hand on.
struct Movable {
    of_person: BTreeMap<usize, BySize>,
    /// The place of each unit in an order that is drawn.
    rank: Vec<usize>,
}

impl Movable {
    fn of(units: &[SpreadUnit<'_>], seed: u64, loads: &Loads) -> Movable {
        let mut order: Vec<usize> = (0..units.len()).collect();
        order.sort_by_cached_key(|at| {
            units.get(*at).map(|unit| (lot(seed, "move", &[&unit.group.name]), *at))
        });
        let mut rank = vec![0; units.len()];
        for (place, at) in order.into_iter().enumerate() {
            if let Some(rank) = rank.get_mut(at) {
                *rank = place;
            }
        }
        let of_person = loads.active.iter().map(|person| (*person, BTreeMap::new())).collect();
        let mut movable = Movable { of_person, rank };
        for (at, unit) in units.iter().enumerate() {
            for person in unit.chosen.difference(&unit.pinned) {
                movable.put(at, unit, *person);
            }
        }
        movable
    }

    fn put(&mut self, at: usize, unit: &SpreadUnit<'_>, person: usize) {
        let rank = self.rank.get(at).copied().unwrap_or(at);
        let by_size = self.of_person.entry(person).or_default();
        let by_stratum = by_size.entry(unit.items.len()).or_default();
        by_stratum.entry(unit.group.stratum).or_default().insert((rank, at));
    }

    fn moved(&mut self, at: usize, unit: &SpreadUnit<'_>, from: usize, to: usize) {
        let rank = self.rank.get(at).copied().unwrap_or(at);
        let by_size = self.of_person.entry(from).or_default();
        if let Some(units) =
            by_size.get_mut(&unit.items.len()).and_then(|strata| strata.get_mut(&unit.group.stratum))
        {
            units.remove(&(rank, at));
        }
        self.put(at, unit, to);
    }
}

/// The move that brings the two loads which are furthest apart, and can be, closest together: from whom, to
/// whom, and which unit.
fn best_move(units: &[SpreadUnit<'_>], movable: &Movable, loads: &Loads) -> Option<(usize, usize, usize)> {
    let mut people = loads.active.clone();
    people.sort_by_key(|person| loads.of_person(*person));
    let mut pairs: Vec<(usize, usize, usize)> = Vec::new();
    for (place, to) in people.iter().enumerate() {
        for from in people.iter().skip(place + 1) {
            let apart = loads.of_person(*from) - loads.of_person(*to);
            pairs.push((apart, *from, *to));
        }
    }
    pairs.sort_by_key(|(apart, from, to)| (std::cmp::Reverse(*apart), *from, *to));
    pairs
        .into_iter()
        .filter(|(apart, ..)| *apart > 1)
        .find_map(|(apart, from, to)| Some((from, to, between(units, movable, loads, apart, from, to)?)))
}

/// The unit to move between two people whose loads are this far apart: of a size next to half of that, from
/// the stratum that the one has most too much of.
fn between(
    units: &[SpreadUnit<'_>],
    movable: &Movable,
    loads: &Loads,
    apart: usize,
    from: usize,
    to: usize,
) -> Option<usize> {
    let by_size = movable.of_person.get(&from)?;
    let mut sizes: Vec<usize> = by_size.range(1..apart).map(|(size, _)| *size).collect();
    sizes.sort_by_key(|size| (apart.abs_diff(2 * size), *size));
    let may_take = |at: usize| {
        units.get(at).is_some_and(|unit| !unit.chosen.contains(&to) && !unit.barred.contains(&to))
    };
    for size in sizes {
        let mut strata: Vec<_> = by_size.get(&size)?.iter().collect();
        strata.sort_by_key(|(stratum, _)| {
            let (more, less) = (loads.in_stratum(from, **stratum), loads.in_stratum(to, **stratum));
            (std::cmp::Reverse(more.saturating_add(apart).saturating_sub(less)), **stratum)
        });
        let found = strata
            .into_iter()
            .find_map(|(_, of_stratum)| of_stratum.iter().map(|(_, at)| *at).find(|at| may_take(*at)));
        if found.is_some() {
            return found;
        }
    }
    None
}
