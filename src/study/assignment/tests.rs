//! Properties of a spread, over made-up studies.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::plan::Changed;
use super::{Assignee, Group, Plan, Present, Role, Spread, SpreadSettings, Terms, Work, spread};

fn people(names: &[&str]) -> Vec<Assignee> {
    names.iter().map(|name| Assignee::active(name)).collect()
}

/// Groups of these sizes, by turns of three strata.
fn groups(sizes: &[usize]) -> Vec<Group> {
    let mut next = 0;
    let group = |(place, size): (usize, &usize)| {
        let items = (next..next + size).collect();
        next += size;
        Group { name: format!("g{place}"), items, stratum: place % 3 }
    };
    sizes.iter().enumerate().map(group).collect()
}

fn settings(seed: u64, overlap: Option<f64>, raters: Option<u32>) -> SpreadSettings {
    SpreadSettings { seed, overlap, raters }
}

/// The work as it stands once a spread is written and some of it judged.
fn after(work: &Work, spread: &Spread, is_judged: impl Fn(usize, usize) -> bool) -> Work {
    let plan = Plan::of(work, spread, 3);
    let mut stands: BTreeMap<(usize, usize), (Option<Terms>, bool)> = BTreeMap::new();
    for present in &work.present {
        stands.insert((present.person, present.item), (present.terms.clone(), present.is_judged));
    }
    for change in plan.changes {
        let at = stands.entry((change.person, change.item)).or_default();
        at.0 = match change.what {
            Changed::Given(terms) => Some(terms),
            Changed::Withdrawn(_) => None,
        };
    }
    let present = stands.into_iter().filter(|(_, (terms, judged))| terms.is_some() || *judged).map(
        |((person, item), (terms, judged))| Present {
            person,
            item,
            is_judged: judged || (terms.is_some() && is_judged(person, item)),
            terms,
        },
    );
    Work { present: present.collect(), ..work.clone() }
}

fn loads(work: &Work, spread: &Spread) -> Vec<usize> {
    Plan::of(work, spread, 3).loads.iter().map(|load| load.items).collect()
}

fn spans(loads: &[usize]) -> usize {
    loads.iter().max().unwrap_or(&0) - loads.iter().min().unwrap_or(&0)
}

/// 7 groups of 2 over three: 3, 2 and 2 groups. With a third of them to all (2 of 7, which is 2.33): 2 shared
/// groups each, and 5 more over three.
#[test]
fn a_small_study_by_hand() {
    let work = Work { people: people(&["a", "b", "c"]), groups: groups(&[2; 7]), ..Work::default() };
    let mut found = loads(&work, &spread(&work, &settings(1, None, None)));
    found.sort_unstable();
    assert_eq!(found, [4, 4, 6]);
    let shared = spread(&work, &settings(1, Some(1.0 / 3.0), None));
    let plan = Plan::of(&work, &shared, 3);
    assert_eq!(plan.raters, [(1, 10), (3, 4)].into());
    let mut found = loads(&work, &shared);
    found.sort_unstable();
    assert_eq!(found, [6, 8, 8], "4 shared each, and 2, 4, 4");
    assert!(plan.loads.iter().all(|load| load.shared == 4));
    let alone = Plan::of(&work, &spread(&work, &settings(1, Some(1.0), Some(1))), 3);
    assert_eq!(alone.raters, [(1, 14)].into());
    assert!(alone.loads.iter().all(|load| load.shared == 0), "nobody else judges it");
}

#[test]
fn someone_new_takes_from_all_and_someone_who_leaves_gives_to_all() {
    let names = ["a", "b", "c", "d", "e"];
    let mut work = Work { people: people(&names[..4]), groups: groups(&[5; 40]), ..Work::default() };
    let first = spread(&work, &settings(7, None, None));
    assert_eq!(loads(&work, &first), [50; 4]);
    // Everyone has judged the first three items of the study that are theirs.
    let mut work = {
        let done = |person: usize, item: usize| {
            let own = first.iter().filter(|(_, (people, _))| people.contains(&person)).map(|(item, _)| *item);
            own.take(3).any(|own| own == item)
        };
        work.present = after(&work, &first, done).present;
        work
    };
    work.people = people(&names);
    let second = spread(&work, &settings(7, None, None));
    assert_eq!(loads(&work, &second), [40; 5]);
    let plan = Plan::of(&work, &second, 3);
    let withdrawn = plan.changes.iter().filter(|change| matches!(change.what, Changed::Withdrawn(_))).count();
    assert_eq!((withdrawn, plan.changes.len()), (40, 80), "only what the new one gets has moved");

    let mut work = after(&work, &second, |_, _| false);
    (work.people[0].is_active, work.people[0].has_left) = (false, true);
    let third = spread(&work, &settings(7, None, None));
    let plan = Plan::of(&work, &third, 3);
    assert_eq!(plan.loads[0].items, 3, "what was judged stays");
    assert_eq!(plan.raters, [(1, 200)].into());
    assert!(spans(&loads(&work, &third)[1..]) <= 5);
}

#[test]
fn what_is_told_for_calibration_is_no_work() {
    let mut work = Work { people: people(&["a", "b"]), groups: groups(&[2; 6]), ..Work::default() };
    let told = Present { person: 0, item: 4, terms: Some(Terms::of(Role::Calibration)), is_judged: false };
    work.present.push(told);
    let found = spread(&work, &settings(1, None, None));
    assert!(!found.contains_key(&4) && !found.contains_key(&5));
    let plan = Plan::of(&work, &found, 3);
    assert_eq!((plan.told, plan.raters), (2, [(1, 10)].into()));
    assert!(plan.changes.iter().all(|change| matches!(&change.what, Changed::Given(_))), "it stays");
}

#[test]
fn strata_are_spread_evenly_too() {
    let work = Work { people: people(&["a", "b", "c"]), groups: groups(&[4; 90]), ..Work::default() };
    let plan = Plan::of(&work, &spread(&work, &settings(3, Some(0.1), None)), 3);
    for stratum in &plan.strata {
        assert_eq!((stratum.groups, stratum.items), (30, 120));
        assert!(spans(&stratum.by_person) <= 4, "{:?}", stratum.by_person);
    }
    assert_eq!(plan.raters, [(1, 81 * 4), (3, 9 * 4)].into(), "a tenth of each stratum");
}

fn work() -> impl Strategy<Value = (Work, u64)> {
    (prop::collection::vec(1_usize..6, 1..40), 1_usize..6, any::<u64>()).prop_map(|(sizes, count, seed)| {
        let names = ["ann", "bo", "cy", "di", "ed"];
        let names = &names[..count.min(5)];
        (Work { people: people(names), groups: groups(&sizes), ..Work::default() }, seed)
    })
}

proptest! {
    #[test]
    fn every_item_has_as_many_annotators_as_asked(
        (work, seed) in work(), overlap in 0.0..1.0_f64, raters in prop::option::of(1_u32..4)
    ) {
        let active = work.people.len();
        let raters = raters.filter(|raters| *raters as usize <= active);
        let found = spread(&work, &settings(seed, Some(overlap), raters));
        let items: usize = work.groups.iter().map(|group| group.items.len()).sum();
        prop_assert_eq!(found.len(), items);
        for (people, terms) in found.values() {
            let wanted = match (terms.role, terms.raters) {
                (Role::Shared, None) => active,
                (Role::Shared, Some(raters)) => raters as usize,
                _ => 1,
            };
            prop_assert_eq!(people.len(), wanted);
        }
        for group in &work.groups {
            let of_group: BTreeSet<&Vec<usize>> =
                group.items.iter().filter_map(|item| Some(&found.get(item)?.0)).collect();
            prop_assert_eq!(of_group.len(), 1, "whole groups stay together");
        }
        prop_assert_eq!(&found, &spread(&work, &settings(seed, Some(overlap), raters)), "the same seed");
    }

    #[test]
    fn loads_differ_by_one_group_at_most_where_groups_are_equal(
        size in 1_usize..6, count in 1_usize..40, people_count in 1_usize..6, seed: u64,
        overlap in 0.0..1.0_f64, raters in 1_u32..4
    ) {
        let names = ["ann", "bo", "cy", "di", "ed"];
        let work =
            Work { people: people(&names[..people_count]), groups: groups(&vec![size; count]), ..Work::default() };
        let raters = Some(raters).filter(|raters| *raters as usize <= people_count);
        let found = spread(&work, &settings(seed, Some(overlap), raters));
        prop_assert!(spans(&loads(&work, &found)) <= size, "{:?}", loads(&work, &found));
    }

    #[test]
    fn what_is_judged_never_moves_and_a_spread_that_stands_stays(
        (work, seed) in work(), overlap in prop::option::of(0.0..1.0_f64), judged in any::<u64>(),
        leaves in 0_usize..5, joins: bool
    ) {
        let first = spread(&work, &settings(seed, overlap, None));
        let is_judged = |person: usize, item: usize| (judged >> ((person * 7 + item) % 64)) & 1 == 1;
        let mut stands = after(&work, &first, is_judged);
        let again = spread(&stands, &settings(seed, None, None));
        prop_assert_eq!(Plan::of(&stands, &again, 3).changes, vec![], "nothing to do");

        if joins {
            stands.people.push(Assignee::active("flo"));
        }
        if stands.people.len() > 1 && leaves < stands.people.len() {
            (stands.people[leaves].is_active, stands.people[leaves].has_left) = (false, true);
        }
        let next = spread(&stands, &settings(seed, None, None));
        let plan = Plan::of(&stands, &next, 3);
        for change in &plan.changes {
            let present = stands
                .present
                .iter()
                .find(|present| (present.person, present.item) == (change.person, change.item));
            if matches!(change.what, Changed::Withdrawn(_)) {
                prop_assert!(present.is_some_and(|present| !present.is_judged), "{change:?}");
            } else if !stands.people[change.person].is_active {
                let stays = present.is_some_and(|present| present.is_judged);
                prop_assert!(stays && matches!(&change.what, Changed::Given(terms) if terms.left), "{change:?}");
            }
        }
        for group in &stands.groups {
            for item in &group.items {
                let (people, terms) = &next[item];
                let left = stands.present.iter().filter(|present| {
                    present.item == *item && present.is_judged && !stands.people[present.person].is_active
                });
                let active = stands.people.iter().filter(|person| person.is_active).count();
                let wanted = if terms.role == Role::Shared { active } else { 1_usize.saturating_sub(left.count()) };
                prop_assert!(people.len() >= wanted, "item {item}: {people:?}");
            }
        }
    }
}

/// 12 items of which half are for all of a and b; a leaves after some; all items are for two from then on; a comes back: two people
/// judge each, and nobody is asked on the terms of whoever had left.
#[test]
fn whoever_comes_back_shares_on_the_terms_of_now() {
    let mut work = Work { people: people(&["a", "b"]), groups: groups(&[1; 12]), ..Work::default() };
    let step = |work: &Work, settings: &SpreadSettings, done: usize| {
        let spread = spread(work, settings);
        let own = |person: usize| {
            spread.iter().filter(move |(_, (people, _))| people.contains(&person)).map(|(item, _)| *item)
        };
        let judged: BTreeSet<(usize, usize)> =
            (0..2).flat_map(|person| own(person).take(done).map(move |item| (person, item))).collect();
        let is_judged = |person: usize, item: usize| judged.contains(&(person, item));
        (after(work, &spread, is_judged), Plan::of(work, &spread, 3))
    };
    (work, _) = step(&work, &settings(1, Some(0.5), None), 4);
    (work.people[0].is_active, work.people[0].has_left) = (false, true);
    (work, _) = step(&work, &settings(1, None, None), 0);
    work.people.push(Assignee::active("c"));
    (work, _) = step(&work, &settings(1, Some(1.0), Some(2)), 0);
    (work.people[0].is_active, work.people[0].has_left) = (true, false);
    let (work, plan) = step(&work, &settings(1, None, None), 0);
    assert_eq!(plan.raters, [(2, 12)].into());
    let left = |present: &&Present| present.terms.as_ref().is_some_and(|terms| terms.left);
    assert_eq!(work.present.iter().filter(left).count(), 0);
}

/// Twelve groups of two over three; `a` wrote what the first two are about, and the second half of the third is hers.
#[test]
fn nobody_is_given_what_she_wrote() {
    let wrote: BTreeSet<(usize, usize)> = [0, 1, 2, 3, 5].map(|item| (item, 0)).into();
    let written = wrote.iter().map(|(item, _)| *item).collect();
    let (people, groups) = (people(&["a", "b", "c"]), groups(&[2; 12]));
    let work = Work { people, groups, wrote, written, ..Work::default() };
    for (overlap, raters) in [(None, None), (Some(1.0), Some(2)), (Some(1.0), None)] {
        let found = spread(&work, &settings(1, overlap, raters));
        for (item, (people, _)) in &found {
            assert!(!people.contains(&0) || !work.wrote.contains(&(*item, 0)), "item {item}");
            let wanted = match (overlap, raters) {
                (None, _) => 1,
                (_, Some(raters)) => raters as usize,
                _ if work.wrote.contains(&(*item, 0)) => 2,
                _ => 3,
            };
            assert_eq!(people.len(), wanted, "item {item}");
        }
    }
    let known: BTreeSet<usize> = (0..24).collect();
    let of_b: Spread = (0..24).map(|item| (item, (vec![1], Terms::of(Role::Work)))).collect();
    let drawn = super::control::control(&work, &of_b, &known, 0, 24, 1);
    let mut places = drawn.places;
    places.sort_unstable();
    assert_eq!(places, (3..12).collect::<Vec<_>>());
}
