//! Annotators who come to a study with quality control get the same items for it as the others, on top of their work.

use std::collections::BTreeSet;

use super::Controls;
use crate::study::assignment::{Present, Work};
use crate::study::{Role, Terms};

/// The places of active people who have nothing assigned yet.
pub fn newcomers(work: &Work) -> Vec<usize> {
    let known: BTreeSet<usize> =
        work.present.iter().filter(|one| one.terms.is_some()).map(|one| one.person).collect();
    let people = work.people.iter().enumerate();
    people
        .filter(|(place, person)| person.is_active && !known.contains(place))
        .map(|(place, _)| place)
        .collect()
}

/// The quality control that others have on top of their work, as it would be asked for; `None` where they have none.
/// `pass` is the mark where their terms name none, `control` the share of control items in the work that a hub hands out.
pub fn controls_of_others(work: &Work, pass: f64, control: Option<f64>) -> Option<Controls> {
    let told: BTreeSet<usize> = with(work, Role::Calibration).map(|(one, _)| one.item).collect();
    let (of_calibration, of_control) = (with(work, Role::Calibration), with(work, Role::Control));
    let mut from = of_calibration.chain(of_control).filter_map(|(_, terms)| terms.known_from.clone());
    let of_others = with(work, Role::Calibration).find_map(|(_, terms)| terms.pass);
    let must_pass = with(work, Role::Calibration).any(|(_, terms)| terms.must_pass);
    let controls = Controls {
        known_from: from.next(),
        calibration: u32::try_from(told.len()).ok().filter(|count| *count > 0),
        pass: of_others.map_or(pass, |percent| percent / 100.0),
        must_pass,
        control: share(work, Role::Control).or(control.filter(|share| *share > 0.0)),
        repeats: share(work, Role::Repeat),
    };
    (controls.known_from.is_some() || controls.repeats.is_some()).then_some(controls)
}

/// The share of items with this role in the work of those who have any.
fn share(work: &Work, role: Role) -> Option<f64> {
    let people: BTreeSet<usize> = with(work, role).map(|(one, _)| one.person).collect();
    let is_work = |one: &&Present| one.terms.as_ref().is_some_and(|terms| terms.role.is_work());
    let own = work.present.iter().filter(is_work).filter(|one| people.contains(&one.person)).count();
    // The counts are of things in memory, so they are exact as f64.
    (own > 0 && !people.is_empty()).then(|| (with(work, role).count() as f64 / own as f64).min(1.0))
}

fn with(work: &Work, role: Role) -> impl Iterator<Item = (&Present, &Terms)> {
    let found = work.present.iter().filter_map(|one| Some((one, one.terms.as_ref()?)));
    found.filter(move |(_, terms)| terms.role == role)
}
