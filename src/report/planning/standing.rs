//! The people and the work that stands, as the plan needs them.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{Error, Result};
use crate::report::Strata;
use crate::store::{Assignable, StudyFile};
use crate::study::AnnotatorKind;
use crate::study::assignment::{Assignee, Group, Present, Work};

/// The work of a protocol: its groups, the people who have work, come or leave, and their assignments and judgments.
/// Judgments of others are no part of it.
pub fn work(
    study: &StudyFile,
    assignable: &Assignable,
    strata: &Strata,
    to: &[String],
    remove: &[String],
) -> Result<Work> {
    check_names(study, assignable, to, remove)?;
    let people = people(study, assignable, to, remove)?;
    let places: BTreeMap<&str, usize> =
        people.iter().enumerate().map(|(place, person)| (person.name.as_str(), place)).collect();
    let mut present = Vec::new();
    let mut assigned: BTreeSet<(usize, usize)> = BTreeSet::new();
    for one in assignable.assigned.iter().chain(&assignable.left_out) {
        let Some(person) = places.get(one.annotator.as_str()).copied() else { continue };
        if one.terms.aside().is_none() {
            assigned.insert((person, one.item));
        }
        let terms = Some(one.terms.clone());
        present.push(Present { person, item: one.item, terms, is_judged: one.is_judged });
    }
    for (name, item) in assignable.judged.iter() {
        let person = places.get(name).copied();
        let person = person.filter(|person| !assigned.contains(&(*person, item)));
        present.extend(person.map(|person| Present { person, item, terms: None, is_judged: true }));
    }
    present.sort_by_key(|one| (one.person, one.item, one.terms.as_ref().map(|terms| terms.role)));
    let group = |group: &crate::store::AssignableGroup| Group {
        name: group.name.clone(),
        items: group.items.clone(),
        stratum: strata.of_group(&group.items),
    };
    let wrote = assignable.wrote.iter().filter_map(|(name, item)| Some((item, *places.get(name)?))).collect();
    let written = assignable.wrote.iter().map(|(_, item)| item).collect();
    Ok(Work { groups: assignable.groups.iter().map(group).collect(), people, present, wrote, written })
}

/// Who goes on with work that is not judged beforehand.
pub fn at_work(assignable: &Assignable) -> BTreeSet<&str> {
    let work = assignable.assigned.iter().filter(|one| one.terms.role.is_work() && !one.terms.left);
    work.map(|one| one.annotator.as_str()).collect()
}

/// The people who have work, in the order of the study, then newcomers, then people who were left out.
fn people(
    study: &StudyFile,
    assignable: &Assignable,
    to: &[String],
    remove: &[String],
) -> Result<Vec<Assignee>> {
    let at_work = at_work(assignable);
    let with_work: BTreeSet<&str> = assignable.assigned.iter().map(|one| one.annotator.as_str()).collect();
    let mut people: Vec<Assignee> = Vec::new();
    let known = study.annotators()?.into_iter().map(|(_, annotator)| annotator.id);
    let known = known.filter(|name| with_work.contains(name.as_str()));
    let left_out = assignable.left_out.iter().map(|one| one.annotator.clone());
    for name in known.chain(to.iter().cloned()).chain(left_out) {
        if people.iter().any(|person| person.name == name) {
            continue;
        }
        let comes = to.contains(&name) || at_work.contains(name.as_str());
        let is_active = comes && !remove.contains(&name);
        people.push(Assignee { name, is_active, has_left: !is_active });
    }
    Ok(people)
}

fn check_names(study: &StudyFile, assignable: &Assignable, to: &[String], remove: &[String]) -> Result<()> {
    if to.iter().chain(remove).any(|name| name.trim().is_empty()) {
        return Err(Error::usage("a name is empty").advise("separate names with single commas"));
    }
    if let Some(name) = to.iter().find(|name| remove.contains(name)) {
        return Err(Error::usage(format!("{name:?} stands in --to and in --remove")).advise("name it once"));
    }
    let models: Vec<String> = study
        .annotators()?
        .into_iter()
        .filter(|(_, annotator)| annotator.kind == AnnotatorKind::Model)
        .map(|(_, annotator)| annotator.id)
        .collect();
    if let Some(name) = to.iter().find(|name| models.contains(name)) {
        return Err(
            Error::usage(format!("{name:?} is a model, whose judgments are imported")).advise("name people")
        );
    }
    if let Some(one) = assignable.left_out.iter().find(|one| to.contains(&one.annotator)) {
        return Err(Error::new(format!("{:?} was left out of the study", one.annotator))
            .advise("`haymark people STUDY` says why; --take-back lets the name count again"));
    }
    let with_work = assignable.assigned.iter().chain(&assignable.left_out);
    let has_work = |name: &String| with_work.clone().any(|one| one.annotator == *name);
    if let Some(name) = remove.iter().find(|name| !has_work(name)) {
        return Err(Error::usage(format!("nothing is assigned to {name:?}"))
            .advise("see who has work with `haymark status STUDY`"));
    }
    Ok(())
}
