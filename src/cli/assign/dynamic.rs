//! `haymark assign --dynamic`: the study's hub hands out the work as it is needed.

use std::collections::{BTreeMap, BTreeSet};

use super::{Assign, tables};
use crate::cli::{Logins, complain, exchange, now, print_told};
use crate::error::{Error, Result};
use crate::hub::{Address, GroupOffer, Hub, HubLink, MemberKind, Offered, TakenGroup};
use crate::number::{number_of, short};
use crate::protocol::Protocol;
use crate::report::{Column, Controls, Strata, Table, changes, plan_of, standing};
use crate::store::{Assignable, AssignableGroup, Assigned, GroupNames, HandedOut, StudyFile};
use crate::study::assignment::draw::lot;
use crate::study::assignment::{Changed, Plan, PlannedChange, Present, Spread, SpreadSettings, Work};
use crate::study::{Role, Terms};
use crate::text::shell::quoted;
use crate::text::width::visible;

/// Offers the work of a protocol to whoever asks for it.
pub fn run(arguments: &Assign, mut study: StudyFile, protocol: &Protocol) -> Result<()> {
    let mut link = link(&study)?;
    if !arguments.dry_run {
        exchange(&mut study, &mut link)?;
    }
    let before = study.handed_out(&protocol.name)?;
    let mut assignable = study.assignable(protocol)?;
    let names = study.names_on_hub(protocol, &assignable)?;
    let offers: Offers =
        link.offers(&protocol.name)?.into_iter().map(|offer| (offer.key.clone(), offer)).collect();
    let was = before.clone().unwrap_or_default();
    // Whose answers are the known ones: of these, work is still wanted.
    let experts = assignable.assigned.iter().filter_map(|one| one.terms.known_from.clone());
    let experts = experts.chain(arguments.control.known_from.clone()).chain(was.known_from);
    let experts = experts.map(|name| study.person_behind(&name)).collect::<Result<BTreeSet<String>>>()?;
    let (mut chosen, strata) = arguments.part.asked()?.choose_groups(&study, protocol, &assignable)?;
    // Groups that the hub offers already stay offered, whatever part is asked for now.
    let known = (0..).zip(&names).filter(|(_, name)| offers.contains_key(&name.key)).map(|(place, _)| place);
    chosen.groups = chosen.groups.into_iter().chain(known).collect::<BTreeSet<usize>>().into_iter().collect();
    let names: Vec<GroupNames> =
        chosen.groups.iter().filter_map(|place| names.get(*place).cloned()).collect();
    chosen.keep(&mut assignable);

    let logins = Logins::of(&study, &mut link)?;
    let left_out = study.people_left_out()?;
    check_names(arguments, &assignable, &logins, &left_out)?;
    let mut to = arguments.to.clone();
    if to.is_empty() {
        to.extend(logins.annotators().filter(|person| !left_out.contains(person)).cloned());
    }
    to.retain(|name| !arguments.remove.contains(name));
    // An annotator who leaves may hold only groups from the hub, and has no assignment here.
    let is_assigned = |name: &&String| assignable.assigned.iter().any(|one| one.annotator == **name);
    let leaves: Vec<String> = arguments.remove.iter().filter(is_assigned).cloned().collect();
    let mut work = standing::work(&study, &assignable, &strata, &to, &leaves)?;
    work.present.extend(shared(&assignable, &names, &offers));
    let people: Vec<String> = work.people.iter().map(|person| person.name.clone()).collect();
    let counted: BTreeSet<&str> = logins.persons().chain(people.iter().map(String::as_str)).collect();
    // Who is no member has done what she judged whole, and goes on with nothing else.
    let judges: BTreeSet<&str> = assignable.done.names().filter(|name| !experts.contains(*name)).collect();
    let judges: BTreeSet<&str> = judges.union(&counted).copied().collect();

    let mut terms = HandedOut {
        control: arguments.control.control.unwrap_or(was.control),
        repeats: arguments.control.repeats.unwrap_or(was.repeats),
        items: assignable.items.len(),
        at: now(),
        reopened: was.reopened.into_iter().chain(arguments.reopen.clone()).collect(),
        known_from: experts.into_iter().collect(),
        ..HandedOut::default()
    };
    let counts = study.annotators()?;
    terms.reopened.retain(|name| !counts.iter().any(|(_, annotator)| annotator.id == *name));
    // Each file draws its repeats itself, from what it was given.
    let asked = Controls { repeats: None, ..arguments.control.asked() };
    let settings = settings(arguments, work.people.iter().filter(|person| person.is_active).count());
    let mut planned =
        plan_of((&study, protocol, &assignable), &asked, settings, work, &strata, Some(terms.control))?;
    planned.plan.changes.retain(|change| is_for(&planned.work, change));
    let groups =
        offered(&assignable, &names, &offers, &planned.work, (&planned.plan, &planned.spread), &judges);
    let mut groups = in_order(&assignable, &strata, arguments.part.seed, groups);
    // Who leaves holds nothing any more, and does not get it again.
    let removed: Vec<String> = arguments.remove.iter().map(|name| logins.login_of(name)).collect();
    let leaves = |one: &TakenGroup| !one.is_done && !one.is_back && removed.contains(&one.name);
    let (ended, taken): (Vec<_>, Vec<_>) = link.taken(&protocol.name)?.into_iter().partition(leaves);
    for one in &ended {
        let person = logins.person_of(&one.name);
        let group = groups.iter_mut().map(|(_, group)| group).find(|group| group.key == one.key);
        if let Some(group) = group.filter(|group| group.had.iter().all(|name| name != person)) {
            group.barred.push(person.to_owned());
        }
    }
    let holders = Holders::of(&taken, &logins, &arguments.reopen);

    let mut table = table(protocol, &assignable, &groups, &holders, arguments);
    table.notes.extend(std::mem::take(&mut planned.notes));
    table.notes.extend(too_few(arguments, &groups, &planned.work));
    // Of whom work is opened again in any case, none has lapsed.
    let is_reopened = |login: &str| arguments.reopen.iter().any(|name| logins.login_of(name) == login);
    for (login, person) in logins.out() {
        if !is_reopened(login) && !left_out.iter().any(|name| name == person) {
            let had =
                taken.iter().filter(|one| one.is_done && one.name == login).map(|one| &one.key).collect();
            table.notes.extend(lapsed(protocol, &assignable, &names, &had, person));
        }
    }
    let extras = tables::extras_table(protocol, &planned.work, &planned.plan);
    let tables = [Some(table), extras, chosen.table()].into_iter().flatten().collect();
    let told = people.iter().map(String::as_str).chain(logins.persons());
    print_told(&study, tables, told, &arguments.form, arguments.names)?;
    if arguments.dry_run {
        complain("nothing was written; without --dry-run it is");
        return Ok(());
    }
    let changes = changes(&assignable, &planned.work, planned.plan);
    let wanted =
        |(place, group): &(usize, Offered)| wanted_of(&assignable, *place, group, &holders, &counted);
    let mut left = groups.iter().map(wanted).sum();
    // What is withdrawn for now is wanted again once it is restored.
    let mut rests = offers;
    names.iter().for_each(|name| drop(rests.remove(&name.key)));
    for offer in rests.values() {
        left += (offer.wanted * offer.items) as usize;
        terms.items += offer.items as usize;
    }
    chosen.record(&mut study, now())?;
    // The terms go first: the assignments of a protocol whose work is handed out travel another way.
    let control = terms.control;
    study.hand_out(&protocol.name, &HandedOut { left, done: assignable.done_as_work(), ..terms })?;
    study.assign(protocol, &changes, now())?;
    exchange(&mut study, &mut link)?;
    give_back(arguments, protocol, &mut link, &logins, &left_out)?;
    let count = groups.iter().filter(|(_, group)| group.raters > 0).count();
    let mut groups: Vec<Offered> = groups.into_iter().map(|(_, group)| group).collect();
    for name in groups.iter_mut().flat_map(|group| group.had.iter_mut().chain(&mut group.barred)) {
        *name = logins.login_of(name);
    }
    let new = link.offer(&protocol.name, &groups)?;
    let mut assignable = study.assignable(protocol)?;
    chosen.keep(&mut assignable);
    let controls: Vec<_> = controls(&assignable, &names, &logins).into_iter().collect();
    link.mix(&protocol.name, control, &controls)?;
    complain(&match before {
        None => format!("the hub offers {count} groups"),
        Some(_) => format!("the hub offers {count} groups; {new} more than before"),
    });
    Ok(())
}

/// Refuses the name of somebody who can have no work to be taken.
fn check_names(
    arguments: &Assign,
    assignable: &Assignable,
    logins: &Logins,
    left_out: &[String],
) -> Result<()> {
    let assigned = assignable.assigned.iter().map(|one| one.annotator.as_str());
    let known = logins.persons().chain(assigned).chain(assignable.done.names());
    let known: BTreeSet<&str> = known.chain(left_out.iter().map(String::as_str)).collect();
    let mut asked = arguments.remove.iter().chain(&arguments.reopen);
    match asked.find(|name| !known.contains(name.as_str())) {
        Some(name) => Err(Error::usage(format!("nothing is assigned to {name:?}, who is not on the hub"))
            .advise("see who has work with `haymark status STUDY`")),
        None => Ok(()),
    }
}

/// The groups that the hub offers already, by their keys.
type Offers = BTreeMap<Vec<u8>, GroupOffer>;

/// Groups that several people were to judge, which stay shared.
fn shared(assignable: &Assignable, names: &[GroupNames], offers: &Offers) -> Vec<Present> {
    let mut all = Vec::new();
    for (group, name) in assignable.groups.iter().zip(names) {
        let Some(offer) = offers.get(&name.key).filter(|offer| offer.wanted > 1) else { continue };
        let terms = Some(Terms { raters: Some(offer.wanted), ..Terms::of(Role::Shared) });
        let stands =
            |item: &usize| Present { person: NOBODY, item: *item, terms: terms.clone(), is_judged: false };
        all.extend(group.items.iter().map(stands));
    }
    all
}

/// The note that groups want more people than there are.
fn too_few(arguments: &Assign, groups: &[(usize, Offered)], work: &Work) -> Option<String> {
    let most = groups.iter().map(|(_, group)| group.raters as usize).max().unwrap_or(0);
    let active = work.people.iter().filter(|person| person.is_active).count();
    if most <= active {
        return None;
    }
    let people = if most == 1 { "1 person".to_owned() } else { format!("{most} people") };
    let so_far = if active == 0 { "nobody".to_owned() } else { active.to_string() };
    // Who is not in is given no calibration.
    let then = match arguments.control.calibration.is_some() || arguments.control.must_pass {
        true => "; once they have joined, run this again: calibration is given to those who are in",
        false => "",
    };
    Some(format!(
        "Some groups want {people}, and so far {so_far} can take work: `haymark hub invite NAME --hub STUDY` lets more in{then}."
    ))
}

/// The note on groups that a removed person did on the hub, and that are not judged whole under this version of the protocol.
fn lapsed(
    protocol: &Protocol,
    assignable: &Assignable,
    names: &[GroupNames],
    had: &BTreeSet<&Vec<u8>>,
    person: &str,
) -> Option<String> {
    let is_done = |group: &AssignableGroup| group.items.iter().all(|item| assignable.done.has(person, *item));
    let lapsed = assignable.groups.iter().zip(names).filter(|(_, name)| had.contains(&name.key));
    let lapsed = lapsed.filter(|(group, _)| !is_done(group)).count();
    (lapsed > 0).then(|| {
        format!(
            "{} is out, and did {} of which not all is judged under this version: `haymark assign STUDY --dynamic --protocol {} --reopen {}` has others judge that.",
            visible(person), number_of(lapsed, "group"), protocol.name, quoted(person)
        )
    })
}

/// Lets others have what people hold who leave, and what is to be judged again.
fn give_back(
    arguments: &Assign,
    protocol: &Protocol,
    link: &mut HubLink,
    logins: &Logins,
    left_out: &[String],
) -> Result<()> {
    for name in &arguments.remove {
        let released = link.release(&logins.login_of(name))?;
        complain(&format!("{name} held {released} groups, which go to others"));
        if logins.annotators().any(|person| person == name) {
            let hers = quoted(name);
            complain(&format!(
                "{name} may take other work: `haymark hub remove {hers} --hub STUDY` ends that"
            ));
        }
    }
    // Nothing counts of who was left out, so what was given her beforehand goes to others too.
    let gone = arguments.remove.iter().filter(|name| left_out.contains(name));
    for name in arguments.reopen.iter().chain(gone) {
        let reopened = link.reopen(&protocol.name, &logins.login_of(name))?;
        complain(&format!("{reopened} groups that {name} held or had done are wanted of others again"));
    }
    // What somebody did under an earlier login counts once: under the name that holds.
    logins.ended().try_for_each(|login| link.reopen(&protocol.name, login).map(drop))
}

/// The control items that are not judged, as logins with the keys of their groups.
fn controls(assignable: &Assignable, names: &[GroupNames], logins: &Logins) -> BTreeSet<(String, Vec<u8>)> {
    let of_item: BTreeMap<usize, &GroupNames> = (assignable.groups.iter().zip(names))
        .flat_map(|(group, name)| group.items.iter().map(move |item| (*item, name)))
        .collect();
    let is_control = |one: &&Assigned| one.terms.role == Role::Control && !one.is_judged;
    (assignable.assigned.iter().filter(is_control))
        .filter_map(|one| Some((logins.login_of(&one.annotator), of_item.get(&one.item)?.key.clone())))
        .collect()
}

/// The way to the hub, for a lead.
fn link(study: &StudyFile) -> Result<HubLink> {
    let membership = study.membership_or(
        "`haymark hub create URL STUDY` makes one that hands out the work; without --dynamic it is given beforehand",
    )?;
    let mut link = HubLink::to(Address::read(&membership.address)?)?;
    match link.me()?.kind {
        MemberKind::Lead => Ok(link),
        kind => Err(Error::refused(format!(
            "{} is {kind} on the hub, and only a lead hands out work",
            membership.me.name
        ))
        .advise("ask the lead")),
    }
}

/// The place of no person, for shared groups that nobody has yet.
const NOBODY: usize = usize::MAX;

fn settings(arguments: &Assign, active: usize) -> SpreadSettings {
    let all = short(active.max(2));
    let (overlap, raters) = match (arguments.overlap, arguments.raters) {
        (None, None) => (None, None),
        (Some(overlap), raters) => (Some(overlap), Some(raters.unwrap_or(all))),
        (None, Some(raters)) => (Some(1.0), Some(raters)),
    };
    SpreadSettings { seed: arguments.part.seed, overlap, raters }
}

/// Whether a change is assigned beforehand: items on top of the work, and all that a leaving annotator gives back.
fn is_for(work: &Work, change: &PlannedChange) -> bool {
    let leaves = work.people.get(change.person).is_some_and(|person| person.has_left);
    leaves || matches!(&change.what, Changed::Given(terms) if !terms.role.is_work())
}

/// The offer of each group, with the group's place. `known` holds the offers that the hub has already.
fn offered(
    assignable: &Assignable,
    names: &[GroupNames],
    known: &Offers,
    work: &Work,
    (plan, spread): (&Plan, &Spread),
    judges: &BTreeSet<&str>,
) -> Vec<(usize, Offered)> {
    // The annotators who have an item, and whether it is part of their work.
    let mut has: BTreeMap<usize, BTreeMap<&str, bool>> = BTreeMap::new();
    for one in assignable.assigned.iter().filter(|one| one.terms.role != Role::Repeat) {
        *has.entry(one.item).or_default().entry(&one.annotator).or_default() |= one.terms.role.is_work();
    }
    for change in &plan.changes {
        let Some(person) = work.people.get(change.person) else { continue };
        let of_item = has.entry(change.item).or_default();
        match &change.what {
            Changed::Given(terms) => *of_item.entry(&person.name).or_default() |= terms.role.is_work(),
            Changed::Withdrawn(_) => drop(of_item.remove(person.name.as_str())),
        }
    }
    let mut groups = Vec::new();
    for (place, (group, name)) in assignable.groups.iter().zip(names).enumerate() {
        let terms = group.items.first().and_then(|item| spread.get(item)).map(|(_, terms)| terms);
        // A calibration group is in no spread: its answers are told, so nobody is wanted for it.
        let raters =
            terms.map_or(0, |terms| if terms.role == Role::Shared { terms.raters.unwrap_or(2) } else { 1 });
        if raters == 0 && !known.contains_key(&name.key) {
            continue;
        }
        let (mut had, mut barred) = (Vec::new(), Vec::new());
        for person in judges {
            let given: Vec<bool> =
                group.items.iter().filter_map(|item| has.get(item)?.get(person).copied()).collect();
            let wrote = group.items.iter().any(|item| assignable.wrote.has(person, *item));
            let is_done = group.items.iter().all(|item| assignable.done.has(person, *item));
            if is_done || given.iter().any(|is_work| *is_work) {
                had.push((*person).to_owned());
            } else if wrote || !given.is_empty() {
                barred.push((*person).to_owned());
            }
        }
        let GroupNames { key, items } = name.clone();
        groups.push((place, Offered { key, items, raters, rests: false, had, barred }));
    }
    groups
}

/// The offered groups in a drawn order in which the strata come evenly.
fn in_order(
    assignable: &Assignable,
    strata: &Strata,
    seed: u64,
    groups: Vec<(usize, Offered)>,
) -> Vec<(usize, Offered)> {
    let mut by_stratum: BTreeMap<usize, Vec<_>> = BTreeMap::new();
    for (place, offered) in groups {
        let Some(group) = assignable.groups.get(place) else { continue };
        let drawn = lot(seed, "offer", &[&group.name]);
        by_stratum.entry(strata.of_group(&group.items)).or_default().push((drawn, place, offered));
    }
    let mut all = Vec::new();
    for mut of_stratum in by_stratum.into_values() {
        of_stratum.sort_by_key(|(drawn, place, _)| (*drawn, *place));
        let count = of_stratum.len() as f64;
        let spread = of_stratum.into_iter().enumerate();
        all.extend(
            spread.map(|(at, (drawn, place, group))| ((at as f64 + 0.5) / count, drawn, (place, group))),
        );
    }
    all.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    all.into_iter().map(|(.., group)| group).collect()
}

fn size(assignable: &Assignable, place: usize) -> usize {
    assignable.groups.get(place).map_or(0, |group| group.items.len())
}

/// The people to whom the hub gave each group, by the names that the study has for them.
struct Holders<'t> {
    /// Who holds or has done a group, by its key.
    has: GroupPeople<'t>,
    /// Who gave it back, or whose work on it others do too.
    gave: GroupPeople<'t>,
    reopen: &'t [String],
}

type GroupPeople<'t> = BTreeMap<&'t [u8], BTreeSet<&'t str>>;

impl<'t> Holders<'t> {
    fn of(taken: &'t [TakenGroup], logins: &'t Logins, reopen: &'t [String]) -> Holders<'t> {
        let mut holders = Holders { has: GroupPeople::new(), gave: GroupPeople::new(), reopen };
        for one in taken {
            let people = if one.is_back { &mut holders.gave } else { &mut holders.has };
            people.entry(&one.key).or_default().insert(logins.person_of(&one.name));
        }
        holders
    }

    /// Whether others are to do a person's work on a group too.
    fn is_back(&self, key: &[u8], person: &str) -> bool {
        let is_among = |people: &GroupPeople<'_>| people.get(key).is_some_and(|of| of.contains(person));
        self.reopen.iter().any(|name| name == person) || is_among(&self.gave) && !is_among(&self.has)
    }

    /// Whose work on a group counts, as far as this file knows.
    fn had<'g>(&self, group: &'g Offered) -> BTreeSet<&'g str> {
        group.had.iter().map(String::as_str).filter(|person| !self.is_back(&group.key, person)).collect()
    }

    /// How many people a group wants beside those who have or had it.
    fn open(&self, group: &Offered) -> usize {
        let of_hub = self.has.get(group.key.as_slice()).into_iter().flatten().copied();
        let mut people = self.had(group);
        people.extend(of_hub.filter(|person| !self.is_back(&group.key, person)));
        (group.raters as usize).saturating_sub(people.len())
    }
}

/// How many judgments a group still wants. Those of whoever is in the midst of it are there already.
fn wanted_of(
    assignable: &Assignable,
    place: usize,
    group: &Offered,
    holders: &Holders<'_>,
    counted: &BTreeSet<&str>,
) -> usize {
    let items = assignable.groups.get(place).map_or(&[][..], |group| group.items.as_slice());
    let had: BTreeSet<&str> = group.had.iter().chain(&group.barred).map(String::as_str).collect();
    let in_midst = counted.difference(&had).filter(|person| !holders.is_back(&group.key, person));
    let there = |person: &&str| items.iter().filter(|item| assignable.done.has(person, **item)).count();
    let wanted = (group.raters as usize).saturating_sub(holders.had(group).len());
    (wanted * items.len()).saturating_sub(in_midst.map(there).sum())
}

/// How many groups are offered to how many people.
fn table(
    protocol: &Protocol,
    assignable: &Assignable,
    groups: &[(usize, Offered)],
    holders: &Holders<'_>,
    arguments: &Assign,
) -> Table {
    type DynamicRow = (u32, [usize; 4]);
    let mut rows: BTreeMap<u32, [usize; 4]> = BTreeMap::new();
    for (place, group) in groups.iter().filter(|(_, group)| group.raters > 0) {
        let items = size(assignable, *place);
        let wanted = group.raters as usize * items;
        let [count, all, had, left] = rows.entry(group.raters).or_default();
        (*count, *all) = (*count + 1, *all + items);
        let open = holders.open(group) * items;
        (*had, *left) = (*had + wanted - open, *left + open);
    }
    let rows: Vec<DynamicRow> = rows.into_iter().collect();
    let columns = [
        Column::new("raters", "people", |(raters, _): &DynamicRow| u64::from(*raters)),
        Column::new("groups", "groups", |(_, [groups, ..]): &DynamicRow| *groups),
        Column::new("items", "items", |(_, [_, items, ..]): &DynamicRow| *items),
        Column::new("had", "taken", |(_, [.., had, _]): &DynamicRow| *had),
        Column::new("left", "open", |(_, [.., left]): &DynamicRow| *left),
    ];
    let mut table = Table::of(format!("Work for whoever asks ({})", protocol.name), columns, &rows)
        .keyed("offer")
        .fact("protocol", protocol.name.as_str())
        .fact("seed", arguments.part.seed)
        .fact("dry_run", arguments.dry_run);
    table.notes.push(
        "taken, open: judgments of items, by those who have or had them, and to be handed out.".to_owned(),
    );
    table
}
