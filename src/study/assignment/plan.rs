//! The changes of a plan, and how even the loads are after it.

use std::collections::{BTreeMap, BTreeSet};

use super::spread::{Spread, Work};
use super::{Role, Terms};

/// One thing to write: an assignment, or the end of one.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedChange {
    /// Place of the person.
    pub person: usize,
    /// Place of the item.
    pub item: usize,
    pub what: Changed,
}

/// The change of an assignment.
#[derive(Debug, Clone, PartialEq)]
pub enum Changed {
    /// The assignment stands on these terms from now on.
    Given(Terms),
    /// The assignment, which had this role, stands no longer.
    Withdrawn(Role),
}

/// The load of one person after a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Load {
    /// Groups of which some items are work.
    pub groups: usize,
    /// Items that are work.
    pub items: usize,
    /// Items of the work that others judge too.
    pub shared: usize,
    /// Items of the work that are judged.
    pub judged: usize,
    /// Items that came with the plan, for whatever role.
    pub given: usize,
    /// Items that went with the plan.
    pub withdrawn: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StratumLoad {
    pub groups: usize,
    pub items: usize,
    /// Items of the stratum that each person has, by person.
    pub by_person: Vec<usize>,
}

/// The changes, in the order of people and items, and the loads after them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    pub changes: Vec<PlannedChange>,
    /// Loads by person.
    pub loads: Vec<Load>,
    pub strata: Vec<StratumLoad>,
    /// Number of items of the work by their number of annotators.
    pub raters: BTreeMap<usize, usize>,
    /// Items that are taken out of the work, because their answers are told for calibration.
    pub told: usize,
}

impl Plan {
    /// The plan that makes `spread` the spread of the work. `strata` is how many strata there are.
    pub fn of(work: &Work, spread: &Spread, strata: usize) -> Plan {
        let mut plan = Plan { changes: changes(work, spread), ..Plan::default() };
        plan.count(work, spread, strata);
        plan
    }

    /// Puts an item on top of the work, such as one that controls its quality.
    pub fn add(&mut self, person: usize, item: usize, terms: Terms) {
        if let Some(load) = self.loads.get_mut(person) {
            load.given += 1;
        }
        self.changes.push(PlannedChange { person, item, what: Changed::Given(terms) });
    }

    fn count(&mut self, work: &Work, spread: &Spread, strata: usize) {
        self.loads = vec![Load::default(); work.people.len()];
        let none = StratumLoad { groups: 0, items: 0, by_person: vec![0; work.people.len()] };
        self.strata = vec![none; strata];
        let judged: BTreeSet<(usize, usize)> = work
            .present
            .iter()
            .filter(|present| present.is_judged)
            .filter(|present| present.terms.as_ref().is_none_or(|terms| terms.role.is_work()))
            .map(|present| (present.person, present.item))
            .collect();
        for group in &work.groups {
            let mut people = BTreeSet::new();
            for item in &group.items {
                let Some((chosen, _)) = spread.get(item) else {
                    self.told += 1;
                    continue;
                };
                // Someone who has left, or judged it unasked, is one of its annotators all the same.
                let mut raters: BTreeSet<usize> = chosen.iter().copied().collect();
                let has = |person: &usize| judged.contains(&(*person, *item));
                raters.extend((0..work.people.len()).filter(has));
                let number = raters.len();
                *self.raters.entry(number).or_default() += 1;
                for person in raters {
                    people.insert(person);
                    let Some(load) = self.loads.get_mut(person) else { continue };
                    load.items += 1;
                    load.shared += usize::from(number > 1);
                    load.judged += usize::from(has(&person));
                    if let Some(count) = self
                        .strata
                        .get_mut(group.stratum)
                        .and_then(|stratum| stratum.by_person.get_mut(person))
                    {
                        *count += 1;
                    }
                }
            }
            for person in people {
                if let Some(load) = self.loads.get_mut(person) {
                    load.groups += 1;
                }
            }
            if let Some(stratum) = self.strata.get_mut(group.stratum) {
                stratum.groups += 1;
                stratum.items += group.items.len();
            }
        }
        for change in &self.changes {
            if let Some(load) = self.loads.get_mut(change.person) {
                match change.what {
                    Changed::Given(_) => load.given += 1,
                    Changed::Withdrawn(_) => load.withdrawn += 1,
                }
            }
        }
    }
}

/// The changes that make the assignments those of the spread. A judged item is never withdrawn.
fn changes(work: &Work, spread: &Spread) -> Vec<PlannedChange> {
    let mut changes = Vec::new();
    let mut stands: BTreeMap<(usize, usize), &Terms> = BTreeMap::new();
    for present in &work.present {
        let Some(terms) = &present.terms else { continue };
        if terms.role.is_work() {
            stands.insert((present.person, present.item), terms);
        }
        let has_left = work.people.get(present.person).is_some_and(|person| person.has_left);
        let is_wanted = match spread.get(&present.item) {
            _ if has_left => false,
            Some((people, _)) => people.contains(&present.person),
            None => false,
        };
        if has_left && present.is_judged && terms.role.is_work() && !terms.left {
            let terms = Terms { left: true, ..terms.clone() };
            changes.push(PlannedChange {
                person: present.person,
                item: present.item,
                what: Changed::Given(terms),
            });
        }
        // An item that nobody is to judge for the first time is not to be judged again either.
        // What was given back, and why, stays on record also of those who have left.
        let is_back = terms.role == Role::Back;
        let is_extra = is_back || (!terms.role.is_work() && terms.role != Role::Repeat && !has_left);
        if !present.is_judged && !is_wanted && !is_extra {
            changes.push(PlannedChange {
                person: present.person,
                item: present.item,
                what: Changed::Withdrawn(terms.role),
            });
        }
    }
    for (item, (people, terms)) in spread {
        for person in people {
            if stands.get(&(*person, *item)).is_none_or(|standing| standing.unsorted() != *terms) {
                changes.push(PlannedChange {
                    person: *person,
                    item: *item,
                    what: Changed::Given(terms.clone()),
                });
            }
        }
    }
    changes.sort_by_key(|change| (change.person, change.item));
    changes
}
