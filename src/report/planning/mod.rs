//! Plans of work: the work itself first, then what controls its quality.

mod known;
pub mod standing;

use std::collections::BTreeSet;

use super::Strata;
use crate::error::Result;
use crate::protocol::Protocol;
use crate::store::{Assignable, AssignmentChange, StudyFile};
use crate::study::assignment::control::{self, ControlDrawn};
use crate::study::assignment::draw::share_of;
use crate::study::assignment::{Changed, Plan, PlannedChange, Present, Spread, SpreadSettings, Work, spread};
use crate::study::{Aside, Role, Terms};
use known::KnownAnswers;

/// The quality control on top of the work.
#[derive(Debug, Clone)]
pub struct Controls {
    /// The annotator whose judgments are the known answers.
    pub known_from: Option<String>,
    /// Number of calibration items, in whole groups.
    pub calibration: Option<u32>,
    /// The share of calibration items that must be judged as is known, 0 to 1.
    pub pass: f64,
    /// Whether other work waits until this share is reached.
    pub must_pass: bool,
    /// Known items mixed in, as a share of each annotator's work, 0 to 1.
    pub control: Option<f64>,
    /// Items that come a second time, as a share of each annotator's work, 0 to 1.
    pub repeats: Option<f64>,
}

impl Controls {
    fn is_asked_for(&self) -> bool {
        self.known_from.is_some()
            || self.calibration.is_some()
            || self.control.is_some()
            || self.repeats.is_some()
    }
}

/// A plan, with the work and the spread that it was made from.
pub struct PlannedWork {
    pub work: Work,
    pub spread: Spread,
    pub plan: Plan,
    /// Remarks on the plan for its reader.
    pub notes: Vec<String>,
}

/// Plans the work of a study, and the quality control on top of it: as asked, or for newcomers as the others have it.
/// `control` is the share of control items in the work that a hub hands out, where one does.
pub fn plan_of(
    (study, protocol, assignable): (&StudyFile, &Protocol, &Assignable),
    asked: &Controls,
    settings: SpreadSettings,
    work: Work,
    strata: &Strata,
    control: Option<f64>,
) -> Result<PlannedWork> {
    let mut notes = Vec::new();
    let new = if asked.is_asked_for() { Vec::new() } else { newcomers(&work) };
    let of_others = controls_of_others(&work, asked.pass, control).filter(|_| !new.is_empty());
    let controls = of_others.as_ref().unwrap_or(asked);
    let known = match KnownAnswers::read(study, protocol, assignable, controls) {
        // Nobody asked for known answers, so the work is assigned without them.
        Err(error) if of_others.is_some() => {
            notes.push(format!("Newcomers get no calibration and no control items: {error}."));
            None
        }
        known => known?,
    };
    if of_others.is_some() {
        notes.push("Newcomers get, on top of their work, what the others have.".to_owned());
    }
    let planner = Planner {
        study,
        protocol,
        assignable,
        controls,
        only: of_others.is_some().then_some(new),
        settings,
        known,
        strata: strata.names.len(),
        work,
        is_handed_out: control.is_some(),
        notes,
    };
    planner.plan()
}

/// The plan in the terms of the store.
pub fn changes(assignable: &Assignable, work: &Work, plan: Plan) -> Vec<AssignmentChange> {
    let change = |change: PlannedChange| {
        let annotator = work.people.get(change.person)?.name.clone();
        let target = *assignable.items.get(change.item)?;
        let (aside, terms) = match change.what {
            Changed::Given(terms) => (terms.aside(), Some(terms)),
            Changed::Withdrawn(role) => (role.aside(), None),
        };
        Some(AssignmentChange { annotator, target, aside, terms })
    };
    plan.changes.into_iter().filter_map(change).collect()
}

/// The places of active people who have nothing assigned yet.
fn newcomers(work: &Work) -> Vec<usize> {
    let known: BTreeSet<usize> =
        work.present.iter().filter(|one| one.terms.is_some()).map(|one| one.person).collect();
    let people = work.people.iter().enumerate();
    people
        .filter(|(place, person)| person.is_active && !known.contains(place))
        .map(|(place, _)| place)
        .collect()
}

/// The quality control on top of the others' work, in the form of a request; `None` where they have none. `pass` is the
/// mark where their terms name none, `control` the share of control items in the work that a hub hands out.
fn controls_of_others(work: &Work, pass: f64, control: Option<f64>) -> Option<Controls> {
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

/// A plan in the making.
struct Planner<'a> {
    study: &'a StudyFile,
    protocol: &'a Protocol,
    assignable: &'a Assignable,
    controls: &'a Controls,
    /// The places of the people to whom `controls` applies; `None` for everyone.
    only: Option<Vec<usize>>,
    settings: SpreadSettings,
    known: Option<KnownAnswers>,
    /// How many strata there are.
    strata: usize,
    /// The work that stands, and calibration items that are only planned.
    work: Work,
    /// Whether the work is handed out by a hub, so that nobody has any yet.
    is_handed_out: bool,
    /// Remarks on the plan for its reader.
    notes: Vec<String>,
}

impl Planner<'_> {
    /// Makes the plan, and the spread of the work.
    fn plan(mut self) -> Result<PlannedWork> {
        let told = self.calibration();
        let spread = spread(&self.work, &self.settings);
        let mut plan = Plan::of(&self.work, &spread, self.strata);
        self.add_calibration(&mut plan, &told);
        self.add_control(&mut plan, &spread);
        self.add_repeats(&mut plan, &spread)?;
        Ok(PlannedWork { work: self.work, spread, plan, notes: self.notes })
    }

    /// The places of the people to whom quality control applies.
    fn active(&self) -> Vec<usize> {
        let people = self.work.people.iter().enumerate();
        let is_meant = |place: usize| self.only.as_ref().is_none_or(|only| only.contains(&place));
        let people = people.filter(|(place, person)| person.is_active && is_meant(*place));
        people.map(|(place, _)| place).collect()
    }

    /// The active people without the one whose answers are known.
    fn others(&self) -> Vec<usize> {
        let from = self.from();
        self.active().into_iter().filter(|person| Some(*person) != from).collect()
    }

    /// The place of the annotator whose answers are known, if they work as well.
    fn from(&self) -> Option<usize> {
        let known = self.known.as_ref()?;
        self.work.people.iter().position(|person| person.name == known.from)
    }

    /// Takes the calibration groups out of the work. Returns the groups, and the people who get them.
    fn calibration(&mut self) -> (Vec<usize>, Vec<usize>) {
        let (Some(known), Some(wanted)) = (&self.known, self.controls.calibration) else {
            return Default::default();
        };
        let wanted = wanted as usize;
        let (items, from) = (known.places(), self.from());
        let groups = control::calibration(&self.work, &items, from, wanted, self.settings.seed);
        let of_groups = groups.iter().filter_map(|place| self.work.groups.get(*place));
        let found: usize = of_groups.map(|group| group.items.len()).sum();
        if found < wanted {
            self.notes.push(format!(
                "{found} of {wanted} calibration items: there are no more groups that {} has judged whole and \
                 nobody else has begun.",
                known.from
            ));
        }
        let must_pass = self.controls.must_pass;
        // People who have calibration items get them again only where they must now pass.
        let is_calibration = |terms: &Option<Terms>| {
            let terms = terms.as_ref().filter(|terms| terms.aside() == Some(Aside::Calibration));
            terms.is_some_and(|terms| terms.must_pass || !must_pass)
        };
        let has = |person: usize| {
            self.work.present.iter().any(|one| one.person == person && is_calibration(&one.terms))
        };
        let people: Vec<usize> = self.others().into_iter().filter(|person| !has(*person)).collect();
        for person in &people {
            let told = control::told(&self.work, &groups, *person);
            self.work.present.extend(told);
        }
        (groups, people)
    }

    fn add_calibration(&self, plan: &mut Plan, (groups, people): &(Vec<usize>, Vec<usize>)) {
        let Some(known) = &self.known else { return };
        for person in people {
            for item in self.items_of(groups) {
                let wrote = self.work.wrote.contains(&(item, *person));
                if let Some(terms) = known.calibration(item, self.controls).filter(|_| !wrote) {
                    plan.add(*person, item, terms);
                }
            }
        }
    }

    fn add_control(&mut self, plan: &mut Plan, spread: &Spread) {
        let (Some(known), Some(share)) = (&self.known, self.controls.control) else { return };
        let (items, terms) = (known.places(), known.control());
        let of_nobody =
            |(item, (_, terms)): (&usize, &(Vec<usize>, Terms))| (*item, (Vec::new(), terms.clone()));
        let free: Option<Spread> = self.is_handed_out.then(|| spread.iter().map(of_nobody).collect());
        for person in self.others() {
            let wanted = share_of(share, control::items_of(spread, person).count());
            let spread = free.as_ref().unwrap_or(spread);
            let drawn = control::control(&self.work, spread, &items, person, wanted, self.settings.seed);
            for item in self.items_of(&drawn.places) {
                plan.add(person, item, terms.clone());
            }
            self.note_shortage(person, &drawn, "control items", "they have all else that is known");
        }
    }

    fn add_repeats(&mut self, plan: &mut Plan, spread: &Spread) -> Result<()> {
        let Some(share) = self.controls.repeats else { return Ok(()) };
        for person in self.active() {
            let name = self.name(person).to_owned();
            let order = self.study.order_of_groups(self.protocol, &name, self.assignable)?;
            let drawn = control::repeats(&self.work, spread, &order, person, share, self.settings.seed);
            for item in &drawn.places {
                plan.add(person, *item, Terms::of(Role::Repeat));
            }
            self.note_shortage(person, &drawn, "repeats", "too few items would stand between the two times");
        }
        Ok(())
    }

    fn items_of(&self, groups: &[usize]) -> Vec<usize> {
        let groups = groups.iter().filter_map(|place| self.work.groups.get(*place));
        groups.flat_map(|group| group.items.iter().copied()).collect()
    }

    fn name(&self, person: usize) -> &str {
        self.work.people.get(person).map_or("", |person| &person.name)
    }

    /// Notes that fewer items were found than asked for.
    fn note_shortage(&mut self, person: usize, drawn: &ControlDrawn, what: &str, why: &str) {
        if drawn.found < drawn.wanted {
            let name = self.name(person);
            self.notes.push(format!("{name} gets {} of {} {what}: {why}.", drawn.found, drawn.wanted));
        }
    }
}
