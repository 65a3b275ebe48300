//! From what stands and what is asked for to a plan: the work first, then what controls its quality.

use super::known::KnownAnswers;
use crate::cli::assign::Controls;
use crate::error::Result;
use crate::protocol::Protocol;
use crate::store::{Assignable, StudyFile};
use crate::study::assignment::control::{self, ControlDrawn};
use crate::study::assignment::draw::share_of;
use crate::study::assignment::{Plan, Spread, SpreadSettings, Work, spread};
use crate::study::{Role, Terms};

/// A plan in the making.
pub struct Planner<'a> {
    pub study: &'a StudyFile,
    pub protocol: &'a Protocol,
    pub assignable: &'a Assignable,
    pub controls: &'a Controls,
    /// The places of the people to whom `controls` applies; `None` for everyone.
    pub only: Option<Vec<usize>>,
    pub settings: SpreadSettings,
    pub known: Option<KnownAnswers>,
    /// How many strata there are.
    pub strata: usize,
    /// The work that stands, and calibration items that are only planned.
    pub work: Work,
    /// Whether the work is handed out by a hub, so that nobody has any yet.
    pub is_handed_out: bool,
    /// Remarks on the plan for its reader.
    pub notes: Vec<String>,
}

impl Planner<'_> {
    /// Makes the plan, and the spread of the work.
    pub fn plan(&mut self) -> Result<(Plan, Spread)> {
        let told = self.calibration();
        let spread = spread(&self.work, &self.settings);
        let mut plan = Plan::of(&self.work, &spread, self.strata);
        self.add_calibration(&mut plan, &told);
        self.add_control(&mut plan, &spread);
        self.add_repeats(&mut plan, &spread)?;
        Ok((plan, spread))
    }

    /// The places of the people to whom quality control applies.
    fn active(&self) -> Vec<usize> {
        let people = self.work.people.iter().enumerate();
        let is_meant = |place: usize| self.only.as_ref().is_none_or(|only| only.contains(&place));
        let people = people.filter(|(place, person)| person.is_active && is_meant(*place));
        people.map(|(place, _)| place).collect()
    }

    /// The same people without the one whose answers are known.
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
            let terms = terms.as_ref().filter(|terms| terms.role == Role::Calibration);
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
                if let Some(terms) = known.calibration(item, self.controls) {
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
