//! Quality control, put on top of the work: items with known answers, and repeats.

use std::collections::{BTreeMap, BTreeSet};

use super::draw::{lot, share_of, until};
use super::spread::{Present, Spread, Work};
use super::{Aside, REPEAT_DISTANCE, Role, Terms};

/// The groups for calibration, by their places: those that some people have already, and further ones until there are
/// `wanted` items. Further groups are whole, all their answers are known, and nobody else has begun them: once the
/// answers are told, nobody can judge them any more. `from` is the place of the person whose answers are known.
pub fn calibration(
    work: &Work,
    known: &BTreeSet<usize>,
    from: Option<usize>,
    wanted: usize,
    seed: u64,
) -> Vec<usize> {
    let with = |is: &dyn Fn(&Present) -> bool| -> BTreeSet<usize> {
        work.present.iter().filter(|present| is(present)).map(|present| present.item).collect()
    };
    let told = with(&|present| role_of(present) == Some(Role::Calibration));
    let begun = with(&|present| {
        present.is_judged && Some(present.person) != from && role_of(present) != Some(Role::Calibration)
    });
    let is_in = |items: &BTreeSet<usize>, place: usize| {
        work.groups.get(place).is_some_and(|group| group.items.iter().any(|item| items.contains(item)))
    };
    let mut chosen: Vec<usize> = (0..work.groups.len()).filter(|place| is_in(&told, *place)).collect();
    let have: usize = chosen.iter().map(|place| size(work, *place)).sum();
    let fitting: Vec<usize> = (0..work.groups.len())
        .filter(|place| is_known(work, known, *place) && !is_in(&begun, *place))
        .filter(|place| !is_in(&told, *place))
        .collect();
    chosen
        .extend(drawn(work, &fitting, wanted.saturating_sub(have), |name| lot(seed, "calibration", &[name])));
    chosen
}

/// Control groups for one person, by their places: until `wanted` items of their work are known to someone else. The
/// person has none of these groups and has begun none.
pub fn control(
    work: &Work,
    spread: &Spread,
    known: &BTreeSet<usize>,
    person: usize,
    wanted: usize,
    seed: u64,
) -> ControlDrawn {
    let own: BTreeSet<usize> = items_of(spread, person).collect();
    let of_person = || work.present.iter().filter(|present| present.person == person);
    let have = of_person().filter(|present| role_of(present) == Some(Role::Control)).count();
    let taken: BTreeSet<usize> = of_person().map(|present| present.item).chain(own.iter().copied()).collect();
    let is_free = |place: &usize| {
        work.groups.get(*place).is_some_and(|group| {
            // Groups that are no work are told for calibration.
            let fits = |item: &usize| !taken.contains(item) && spread.contains_key(item);
            group.items.iter().all(fits)
        })
    };
    let fitting: Vec<usize> =
        (0..work.groups.len()).filter(|place| is_known(work, known, *place)).filter(is_free).collect();
    let name = work.people.get(person).map_or("", |person| &person.name);
    let places =
        drawn(work, &fitting, wanted.saturating_sub(have), |group| lot(seed, "control", &[group, name]));
    let found = have + places.iter().map(|place| size(work, *place)).sum::<usize>();
    ControlDrawn { places, wanted, found }
}

/// The places drawn for a person, and whether they are as many as they should be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ControlDrawn {
    /// Places of groups for [`control`], of items for [`repeats`].
    pub places: Vec<usize>,
    /// How many items there should be.
    pub wanted: usize,
    /// How many items there are, those from before included.
    pub found: usize,
}

/// Items that one person judges a second time: a share of their work, from the part of it that has
/// [`REPEAT_DISTANCE`] items behind it. `order` holds the places of the groups as they come to the person.
pub fn repeats(
    work: &Work,
    spread: &Spread,
    order: &[usize],
    person: usize,
    share: f64,
    seed: u64,
) -> ControlDrawn {
    let own: BTreeSet<usize> = items_of(spread, person).collect();
    let have: BTreeSet<usize> = work
        .present
        .iter()
        // One that was given back does not come again.
        .filter(|present| present.person == person && is_repeat(present))
        .map(|present| present.item)
        .filter(|item| own.contains(item))
        .collect();
    let wanted = share_of(share, own.len());
    let groups = order.iter().filter_map(|place| work.groups.get(*place));
    let queue: Vec<(usize, usize, &str)> = groups
        .flat_map(|group| (0..).zip(&group.items).map(|(at, item)| (*item, at, group.name.as_str())))
        .filter(|(item, ..)| own.contains(item))
        .collect();
    let early = queue.len().saturating_sub(REPEAT_DISTANCE);
    let mut fitting: Vec<(usize, usize, &str)> = queue.into_iter().take(early).collect();
    fitting.retain(|(item, ..)| !have.contains(item));
    let name = work.people.get(person).map_or("", |person| &person.name);
    fitting.sort_by_cached_key(|(_, at, group)| lot(seed, "repeat", &[group, &at.to_string(), name]));
    let missing = wanted.saturating_sub(have.len());
    let mut places: Vec<usize> = fitting.into_iter().take(missing).map(|(item, ..)| item).collect();
    places.sort_unstable();
    ControlDrawn { found: have.len() + places.len(), places, wanted }
}

/// The items that are work of this person.
pub fn items_of(spread: &Spread, person: usize) -> impl Iterator<Item = usize> + '_ {
    spread.iter().filter(move |(_, (people, _))| people.contains(&person)).map(|(item, _)| *item)
}

/// Calibration items as they stand while they are being planned: nothing of their groups is work.
pub fn told(work: &Work, groups: &[usize], person: usize) -> Vec<Present> {
    let items = groups.iter().filter_map(|place| work.groups.get(*place)).flat_map(|group| &group.items);
    let terms = Some(Terms::of(Role::Calibration));
    items.map(|item| Present { person, item: *item, terms: terms.clone(), is_judged: false }).collect()
}

fn is_repeat(present: &Present) -> bool {
    present.terms.as_ref().and_then(Terms::aside) == Some(Aside::Repeat)
}

fn role_of(present: &Present) -> Option<Role> {
    present.terms.as_ref().map(|terms| terms.role)
}

fn size(work: &Work, place: usize) -> usize {
    work.groups.get(place).map_or(0, |group| group.items.len())
}

fn is_known(work: &Work, known: &BTreeSet<usize>, place: usize) -> bool {
    let is_known = |item: &usize| known.contains(item) && !work.written.contains(item);
    work.groups.get(place).is_some_and(|group| group.items.iter().all(is_known))
}

/// Draws among groups until there are so many items.
fn drawn<K: Ord>(work: &Work, fitting: &[usize], wanted: usize, lot_of: impl Fn(&str) -> K) -> Vec<usize> {
    let sizes: Vec<usize> = fitting.iter().map(|place| size(work, *place)).collect();
    let names: BTreeMap<usize, &str> = fitting
        .iter()
        .enumerate()
        .filter_map(|(at, place)| Some((at, work.groups.get(*place)?.name.as_str())))
        .collect();
    let drawn = until(&sizes, wanted, |at| names.get(&at).map(|name| lot_of(name)));
    drawn.into_iter().filter_map(|at| fitting.get(at).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Assignee, Group, SpreadSettings, spread};
    use super::*;

    /// Groups of two items; everyone is active.
    fn work(groups: usize, people: &[&str]) -> Work {
        let group = |place: usize| Group {
            name: format!("g{place}"),
            items: vec![2 * place, 2 * place + 1],
            stratum: 0,
        };
        let person = |name: &&str| Assignee::active(name);
        Work {
            people: people.iter().map(person).collect(),
            groups: (0..groups).map(group).collect(),
            ..Work::default()
        }
    }

    fn judged(person: usize, item: usize) -> Present {
        Present { person, item, terms: None, is_judged: true }
    }

    /// Groups 0 to 3 are known; 1 is known by half, and someone else has begun 2. Three items want two groups.
    #[test]
    fn calibration_takes_whole_groups_that_nobody_else_has_begun() {
        let mut study = work(6, &["expert", "ann"]);
        let known: BTreeSet<usize> = [0, 1, 2, 4, 5, 6, 7].into();
        study.present.push(judged(1, 4));
        let mut found = calibration(&study, &known, Some(0), 3, 1);
        found.sort_unstable();
        assert_eq!(found, [0, 3]);
        assert_eq!(calibration(&study, &known, Some(0), 2, 1).len(), 1);
        study.present.extend(told(&study, &[0], 1));
        assert_eq!(calibration(&study, &known, Some(0), 2, 1), [0], "what some have, all get");
    }

    /// Twelve groups over two: 12 items each; a quarter of that is 3 items, which is two groups.
    #[test]
    fn control_items_are_work_of_others() {
        let study = work(12, &["ann", "bo"]);
        let known: BTreeSet<usize> = (0..24).collect();
        let found = spread(&study, &SpreadSettings { seed: 1, overlap: None, raters: None });
        let control = control(&study, &found, &known, 0, share_of(0.25, 12), 1);
        assert_eq!((control.wanted, control.found, control.places.len()), (3, 4, 2));
        let own: BTreeSet<usize> = items_of(&found, 0).collect();
        for place in control.places {
            assert!(study.groups[place].items.iter().all(|item| !own.contains(item)));
        }
    }

    /// 30 items in their order: only the first 10 have 20 behind them; a tenth of 30 is 3.
    #[test]
    fn repeats_come_from_the_part_with_enough_behind_it() {
        let mut study = work(15, &["ann"]);
        let found = spread(&study, &SpreadSettings { seed: 1, overlap: None, raters: None });
        let order: Vec<usize> = (0..15).rev().collect();
        let drawn = repeats(&study, &found, &order, 0, 0.1, 1);
        assert_eq!((drawn.wanted, drawn.found), (3, 3));
        assert!(drawn.places.iter().all(|item| *item >= 20), "{:?}", drawn.places);
        for item in &drawn.places {
            let terms = Some(Terms::of(Role::Repeat));
            study.present.push(Present { person: 0, item: *item, terms, is_judged: false });
        }
        let again = repeats(&study, &found, &order, 0, 0.1, 1);
        assert_eq!((again.places, again.found), (vec![], 3), "there are as many already");
        let few = work(5, &["ann"]);
        let found = spread(&few, &SpreadSettings { seed: 1, overlap: None, raters: None });
        assert_eq!(repeats(&few, &found, &[0, 1, 2, 3, 4], 0, 0.5, 1).found, 0);
    }
}
