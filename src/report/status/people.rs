//! Where everyone stands under one protocol.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::error::Result;
use crate::journal::State;
use crate::protocol::{Answers, Protocol, answers_from_json, is_as_known};
use crate::score::{ENOUGH_TIMES, Score, TimeLeft, Timing, Undefined};
use crate::store::{Assignable, Assigned, JudgedAside, StudyFile, Target, Versions};
use crate::study::{AnnotatorId, Aside, ItemId, Role};

/// Everyone who judged something or has work.
pub struct People {
    /// In the order of the study.
    pub list: Vec<Person>,
    /// Whether the protocol's work is assigned; else everyone has everything.
    pub is_assigned: bool,
    /// Who answered what, as place in [`People::list`], place of the item and answers.
    pub judged: Vec<(usize, usize, Answers)>,
    /// How many of these are finished: a label may count before its bullet is chosen.
    pub done_of_items: usize,
    /// The times of all of them together.
    pub timing: Timing,
}

/// Where one annotator stands.
pub struct Person {
    pub name: String,
    /// Items judged to the end, those beside the study among them.
    pub done: usize,
    /// Items that they have and have not judged.
    pub left: usize,
    /// Of these, those that they put aside.
    pub skipped: usize,
    /// Active milliseconds on everything, judged or not.
    pub active: u64,
    /// What was judged to the end and how many active seconds it took, where that is known.
    pub times: Vec<(Target, f64)>,
    /// The active seconds of items of the study with a known hour, in the order in which they were last answered.
    pub paced: Vec<f64>,
    pub timing: Timing,
    /// Calibration items judged as is known, and the mark in per cent.
    pub calibration: Score,
    pub pass: Option<f64>,
    /// Whether the work waits until that is reached, and how many times calibration was begun.
    pub must_pass: bool,
    pub calibrations: u32,
    /// Whether there are calibration items left.
    pub is_calibrating: bool,
    /// Control items judged as is known.
    pub control: Score,
    /// First and second answers to what was judged twice, by the number of the query.
    pub repeats: Vec<(u32, Answers, Answers)>,
}

impl People {
    /// Reads where the chosen annotators stand.
    ///
    /// # Errors
    /// The study cannot be read.
    pub fn read(
        study: &StudyFile,
        protocol: &Protocol,
        assignable: &Assignable,
        chosen: &[(AnnotatorId, String)],
    ) -> Result<People> {
        let read = Read::of(study, protocol, assignable)?;
        let mut people = People {
            list: Vec::new(),
            is_assigned: assignable.assigned.iter().any(|one| one.terms.role.is_work()),
            judged: Vec::new(),
            done_of_items: 0,
            timing: Timing::of(&[]),
        };
        for (id, name) in chosen {
            let held: Vec<&Assigned> =
                assignable.assigned.iter().filter(|one| one.annotator == *name).collect();
            let has_judged = assignable.judged.iter().any(|(annotator, _)| annotator == name);
            if held.is_empty() && !has_judged && !read.asides.iter().any(|aside| aside.annotator == *id) {
                continue;
            }
            let place = people.list.len();
            people.list.push(read.person(protocol, assignable, people.is_assigned, (*id, name), &held));
            let is_own = |(annotator, _): &&(String, usize)| annotator == name;
            people.done_of_items += assignable.done.iter().filter(is_own).count();
            let own = read.answers.range((*id, 0)..=(*id, usize::MAX));
            people.judged.extend(own.map(|((_, item), answers)| (place, *item, answers.clone())));
        }
        let all: Vec<f64> =
            people.list.iter().flat_map(|person| person.times.iter().map(|(_, time)| *time)).collect();
        people.timing = Timing::of(&all);
        Ok(people)
    }

    /// How long someone's rest will take: by their own times, or by those of all where theirs are too few.
    ///
    /// # Errors
    /// There is something left, and nobody's times to go by.
    pub fn time_left(&self, person: &Person) -> std::result::Result<TimeLeft, Undefined> {
        TimeLeft::of(person.left, if person.has_own_pace() { &person.timing } else { &self.timing })
    }

    /// How long the rest of all will take together.
    ///
    /// # Errors
    /// There is something left, and nobody's times to go by.
    pub fn time_left_of_all(&self) -> std::result::Result<TimeLeft, Undefined> {
        let (own, others): (Vec<&Person>, Vec<&Person>) =
            self.list.iter().partition(|person| person.has_own_pace());
        // Those who go by the pace of all are as wrong about it together as one would be.
        let others = TimeLeft::of(others.iter().map(|person| person.left).sum(), &self.timing)?;
        own.iter().try_fold(others, |sum, person| Ok(sum.and(self.time_left(person)?)))
    }
}

impl Person {
    fn has_own_pace(&self) -> bool {
        self.times.len() >= ENOUGH_TIMES
    }
}

/// What is read once for everyone.
struct Read {
    /// Current answers of finished judgments, by annotator and place of the item.
    answers: BTreeMap<(AnnotatorId, usize), Answers>,
    ids: HashMap<String, AnnotatorId>,
    /// Active milliseconds by annotator and place.
    times: BTreeMap<(AnnotatorId, usize), u64>,
    /// When each was last answered.
    hours: BTreeMap<(AnnotatorId, usize), i64>,
    asides: Vec<JudgedAside>,
}

impl Read {
    fn of(study: &StudyFile, protocol: &Protocol, assignable: &Assignable) -> Result<Read> {
        let places: HashMap<ItemId, usize> =
            assignable.rows.iter().map(|(place, item)| (*item, *place)).collect();
        let annotators = study.annotators_by_key()?;
        let material = study.material(protocol, Versions::Only(protocol.version))?;
        let answers = material.rows().iter().filter(|row| row.counts).filter_map(|row| {
            let place = places.get(&material.item(row).id)?;
            Some(((row.annotator, *place), material.answers(row).clone()))
        });
        let (mut times, mut hours) = (BTreeMap::new(), BTreeMap::new());
        for time in study.active_times(&protocol.name)? {
            let Some(place) = places.get(&time.item) else { continue };
            times.insert((time.annotator, *place), time.milliseconds);
            hours.extend(time.at.map(|at| ((time.annotator, *place), at)));
        }
        Ok(Read {
            answers: answers.collect(),
            ids: annotators.into_iter().map(|(id, annotator)| (annotator.id, id)).collect(),
            times,
            hours,
            asides: study.asides(&protocol.name)?,
        })
    }

    fn person(
        &self,
        protocol: &Protocol,
        assignable: &Assignable,
        is_assigned: bool,
        (id, name): (AnnotatorId, &str),
        held: &[&Assigned],
    ) -> Person {
        let has = |set: &std::collections::HashSet<(String, usize)>, item: usize| {
            set.contains(&(name.to_owned(), item))
        };
        let asides = || self.asides.iter().filter(move |aside| aside.annotator == id);
        let beside: Vec<&JudgedAside> =
            asides().filter(|aside| aside.standing.state(protocol) == State::Judged).collect();
        let done_beside: BTreeSet<(Target, Aside)> =
            beside.iter().map(|aside| (aside.target, aside.aside)).collect();
        let is_done = |one: &&Assigned| match (one.terms.role.aside(), assignable.items.get(one.item)) {
            (Some(aside), Some(target)) => done_beside.contains(&(*target, aside)),
            _ => has(&assignable.done, one.item),
        };
        let own_done: Vec<usize> =
            (0..assignable.items.len()).filter(|item| has(&assignable.done, *item)).collect();
        let open: Vec<usize> = if !held.is_empty() || is_assigned {
            let stays = held.iter().copied().filter(|one| !one.terms.left);
            stays.filter(|one| !is_done(one)).map(|one| one.item).collect()
        } else {
            (0..assignable.items.len()).filter(|item| !has(&assignable.done, *item)).collect()
        };
        let times = self.times_of(assignable, id, &own_done, &beside);
        let seconds: Vec<f64> = times.iter().map(|(_, time)| *time).collect();
        let of_items = self.times.range((id, 0)..=(id, usize::MAX)).map(|(_, time)| *time);
        let of_asides = asides().map(|aside| aside.standing.active.unsigned_abs());
        let calibration = self.calibration(protocol, assignable, held, &beside);
        Person {
            name: name.to_owned(),
            done: own_done.len() + beside.len(),
            left: open.len(),
            skipped: open.iter().filter(|item| has(&assignable.skipped, **item)).count(),
            active: of_items.chain(of_asides).sum(),
            times,
            paced: self.paced(id, &own_done),
            timing: Timing::of(&seconds),
            is_calibrating: held.iter().any(|one| one.terms.role == Role::Calibration && !is_done(one)),
            pass: held.iter().find_map(|one| one.terms.pass),
            must_pass: held.iter().any(|one| one.terms.must_pass),
            calibrations: calibrations(&mut asides()),
            calibration,
            control: self.control(protocol, assignable, id, held),
            repeats: self.repeats(assignable, id, &beside),
        }
    }

    fn times_of(
        &self,
        assignable: &Assignable,
        id: AnnotatorId,
        done: &[usize],
        beside: &[&JudgedAside],
    ) -> Vec<(Target, f64)> {
        let seconds = |milliseconds: u64| milliseconds as f64 / 1_000.0;
        let own = done.iter().filter_map(|item| {
            Some((*assignable.items.get(*item)?, seconds(*self.times.get(&(id, *item))?)))
        });
        let beside = beside.iter().filter(|aside| aside.standing.active > 0);
        own.chain(beside.map(|aside| (aside.target, seconds(aside.standing.active.unsigned_abs())))).collect()
    }

    /// The seconds that these items took, in the order in which they were last answered.
    fn paced(&self, id: AnnotatorId, done: &[usize]) -> Vec<f64> {
        let timed = |item: &usize| {
            let place = (id, *item);
            Some((*self.hours.get(&place)?, *item, *self.times.get(&place)? as f64 / 1_000.0))
        };
        let mut timed: Vec<(i64, usize, f64)> = done.iter().filter_map(timed).collect();
        timed.sort_by_key(|(at, item, _)| (*at, *item));
        timed.into_iter().map(|(.., seconds)| seconds).collect()
    }

    /// Calibration items judged as is known. The known answers came with the assignments.
    fn calibration(
        &self,
        protocol: &Protocol,
        assignable: &Assignable,
        held: &[&Assigned],
        beside: &[&JudgedAside],
    ) -> Score {
        let mut share = Score::new(Undefined::NothingKnown);
        for one in held.iter().filter(|one| one.terms.role == Role::Calibration) {
            let target = assignable.items.get(one.item);
            let given = beside
                .iter()
                .find(|aside| aside.aside == Aside::Calibration && Some(&aside.target) == target);
            if let Some(given) = given {
                let query = query_of(target);
                share.count(
                    query,
                    is_as_known(protocol, &answers_from_json(&one.terms.known), &given.standing.answers),
                );
            }
        }
        share
    }

    /// Control items judged as whoever is named there did.
    fn control(
        &self,
        protocol: &Protocol,
        assignable: &Assignable,
        id: AnnotatorId,
        held: &[&Assigned],
    ) -> Score {
        let mut share = Score::new(Undefined::NothingKnown);
        for one in held.iter().filter(|one| one.terms.role == Role::Control) {
            let from = one.terms.known_from.as_ref().and_then(|name| self.ids.get(name));
            let known = from.and_then(|from| self.answers.get(&(*from, one.item)));
            if let (Some(known), Some(given)) = (known, self.answers.get(&(id, one.item))) {
                let query = query_of(assignable.items.get(one.item));
                share.count(query, is_as_known(protocol, known, given));
            }
        }
        share
    }

    fn repeats(
        &self,
        assignable: &Assignable,
        id: AnnotatorId,
        beside: &[&JudgedAside],
    ) -> Vec<(u32, Answers, Answers)> {
        let places: HashMap<ItemId, usize> =
            assignable.rows.iter().map(|(place, item)| (*item, *place)).collect();
        let repeats = beside.iter().filter(|aside| aside.aside == Aside::Repeat);
        let both = |aside: &&JudgedAside| {
            let first = self.answers.get(&(id, *places.get(&aside.item?)?))?;
            Some((query_of(Some(&aside.target)), first.clone(), aside.standing.answers.clone()))
        };
        repeats.filter_map(both).collect()
    }
}

/// How many times calibration was begun: once more for each time that its items were given anew.
fn calibrations(asides: &mut dyn Iterator<Item = &JudgedAside>) -> u32 {
    let times = asides.filter(|one| one.aside == Aside::Calibration).map(|one| one.standing.times_anew);
    times.max().map_or(0, |anew| anew + 1)
}

/// The number of an item's query, as that of a cluster.
pub fn query_of(target: Option<&Target>) -> u32 {
    target.and_then(|target| u32::try_from(target.query.0).ok()).unwrap_or(u32::MAX)
}
