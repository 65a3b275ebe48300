//! The status of each annotator under one protocol.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::error::Result;
use crate::journal::{ItemState, JudgmentRow};
use crate::number::{number_of, short};
use crate::protocol::{Answers, Protocol, answers_from_json, is_as_known};
use crate::report::table::duration;
use crate::score::{ENOUGH_TIMES, Measure, Score, TimeLeft, Timing, Undefined, median};
use crate::store::{Assignable, Assigned, JudgedAside, StudyFile, Target, VersionsRead};
use crate::study::{AnnotatorId, Aside, ItemId, Role, SampledThing};

/// The annotators with judgments or work.
pub struct People {
    /// The annotators in the order of the study.
    pub list: Vec<Person>,
    /// Whether work is assigned; otherwise everyone has all items.
    pub is_assigned: bool,
    /// The judgments, by person and item.
    pub judged: Vec<JudgmentPlaces>,
    /// Each set of answers that occurs.
    pub sets: Vec<Answers>,
    /// The number of finished judgments among `judged`: a label may count before its bullet is chosen.
    pub done_of_items: usize,
    /// The times of all annotators together.
    pub timing: Timing,
    /// The number of items judged to the end that the protocol does not ask about in this study, such as pairs from a file.
    /// Scores count them.
    pub beside: usize,
}

/// A judgment by the places of the person in [`People::list`], of the item, and of the answers in [`People::sets`].
pub struct JudgmentPlaces {
    pub person: u32,
    pub place: u32,
    pub answers: u32,
    /// When it was last answered; [`NEVER`] where nobody says, or the order was not drawn.
    pub at: i64,
}

/// The status of one annotator.
pub struct Person {
    pub name: String,
    /// Items judged to the end, including calibration items and repeats.
    pub done: usize,
    /// Items that the annotator has and has not judged.
    pub left: usize,
    /// The items left that the annotator skipped.
    pub skipped: usize,
    /// Active milliseconds on everything, judged or not.
    pub active: u64,
    /// Known active seconds of items judged to the end.
    pub seconds: Vec<f64>,
    /// How many keys answered the items of the study among these; 0 for what was not judged here.
    keys: Vec<f64>,
    /// The places of these items; behind them those beside the study.
    timed: Vec<u32>,
    timed_beside: Vec<Target>,
    /// Active seconds of the study's items with a known time of day, in the order of their last answers.
    pub paced: Vec<f64>,
    pub timing: Timing,
    /// The share of calibration items judged like the known answer; `pass` is the mark to reach, in per cent.
    pub calibration: Score,
    pub pass: Option<f64>,
    /// Whether the work waits until the mark is reached; `calibrations` counts how often calibration was begun.
    pub must_pass: bool,
    pub calibrations: u32,
    /// Whether there are calibration items left.
    pub is_calibrating: bool,
    /// The share of control items judged like the known answer.
    pub control: Score,
    /// First and second answers to repeated items, each with the number of the query.
    pub repeats: Vec<(u32, Answers, Answers)>,
}

impl People {
    /// Reads the status of the chosen annotators.
    pub fn read(
        study: &StudyFile,
        protocol: &Protocol,
        assignable: &Assignable,
        chosen: &[(AnnotatorId, String)],
    ) -> Result<People> {
        let read = ReadOnce::of_study(study, protocol, assignable)?;
        let judged = read.own.values().map(Vec::len).sum();
        let mut people = People {
            list: Vec::new(),
            is_assigned: assignable.handed_out.is_some()
                || assignable.assigned.iter().any(|one| one.terms.role.is_work()),
            judged: Vec::with_capacity(judged),
            sets: Vec::new(),
            done_of_items: 0,
            timing: Timing::of(&[]),
            beside: 0,
        };
        let mut beside: BTreeSet<u32> = BTreeSet::new();
        let mut all_held: HashMap<&str, Vec<&Assigned>> = HashMap::new();
        for one in &assignable.assigned {
            all_held.entry(&one.annotator).or_default().push(one);
        }
        for (id, name) in chosen {
            let held = all_held.remove(name.as_str()).unwrap_or_default();
            let own_beside = || read.beside.get(id).into_iter().flatten();
            beside.extend(own_beside());
            let has_judged = assignable.judged.count(name) > 0 || own_beside().next().is_some();
            let has_work = !held.is_empty() || assignable.taken.count(name) > 0;
            if !has_work && !has_judged && !read.asides.contains_key(id) {
                continue;
            }
            let place = people.list.len();
            people.list.push(read.person(protocol, assignable, people.is_assigned, (*id, name), &held));
            people.done_of_items += assignable.done.count(name);
            let answered = read.of(*id).iter().filter(|own| own.answers != NONE);
            // There are fewer than 2³² people.
            let person = short(place);
            people.judged.extend(answered.map(|own| JudgmentPlaces {
                person,
                place: own.place,
                answers: own.answers,
                at: own.at,
            }));
        }
        let all: Vec<f64> = people.list.iter().flat_map(|person| &person.seconds).copied().collect();
        people.timing = Timing::of(&all);
        (people.sets, people.beside) = (read.sets, beside.len());
        Ok(people)
    }

    /// The time that an annotator's remaining items will take: by the annotator's own times, or where these are too few by those
    /// of all.
    ///
    /// # Errors
    /// Items are left, and no times are known.
    pub fn time_left(&self, person: &Person) -> std::result::Result<TimeLeft, Undefined> {
        TimeLeft::of(person.left, if person.has_own_pace() { &person.timing } else { &self.timing })
    }

    /// What a group of items, such as a summary, takes, of those that somebody judged to the end and whose times are known; `None`
    /// where there are none.
    pub fn effort(&self, protocol: &Protocol, assignable: &Assignable) -> Option<String> {
        let groups = || assignable.groups.iter().filter(|group| group.items.len() > 1);
        let sums = |numbers: fn(&Person) -> &[f64]| -> Vec<f64> {
            let of_person = |person: &Person| -> Vec<f64> {
                let places = person.timed.iter().map(|place| *place as usize);
                let known = places.zip(numbers(person).iter().copied()).filter(|(_, number)| *number > 0.0);
                let known: HashMap<usize, f64> = known.collect();
                groups()
                    .filter_map(|group| group.items.iter().map(|item| known.get(item).copied()).sum())
                    .collect()
            };
            self.list.iter().flat_map(of_person).collect()
        };
        let (seconds, keys) = (sums(|person| &person.seconds), sums(|person| &person.keys));
        let of = SampledThing::from(protocol.group).name();
        let count = number_of(seconds.len(), of);
        let time = median(seconds, Undefined::NoTimes).ok()?;
        let keys = median(keys, Undefined::NoTimes).map(|keys| format!(" and {keys:.0} keys"));
        let with = if keys.is_ok() { " Keys are answers, flags, and what was put aside." } else { "" };
        Some(format!(
            "A {of} takes {}{} in the median, all its items together: {count}, each by one person.{with}",
            duration(time),
            keys.unwrap_or_default()
        ))
    }

    /// Keys an item, the median over what was judged here.
    pub fn keys_an_item(of: &[Person]) -> Measure {
        let keys = of.iter().flat_map(|person| &person.keys).copied().filter(|keys| *keys > 0.0);
        median(keys.collect(), Undefined::NothingJudged)
    }

    /// The time that all remaining items will take together.
    ///
    /// # Errors
    /// Items are left, and no times are known.
    pub fn time_left_of_all(&self) -> std::result::Result<TimeLeft, Undefined> {
        let (own, others): (Vec<&Person>, Vec<&Person>) =
            self.list.iter().partition(|person| person.has_own_pace());
        // Estimates from the times of all share one error, so their items count as those of one person.
        let others = TimeLeft::of(others.iter().map(|person| person.left).sum(), &self.timing)?;
        own.iter().try_fold(others, |sum, person| Ok(sum.and(self.time_left(person)?)))
    }
}

impl Person {
    fn has_own_pace(&self) -> bool {
        self.seconds.len() >= ENOUGH_TIMES
    }

    /// The item whose time stands at this place of [`Person::seconds`].
    pub fn timed(&self, at: usize, items: &[Target]) -> Option<Target> {
        match self.timed.get(at) {
            Some(place) => items.get(*place as usize).copied(),
            None => self.timed_beside.get(at.checked_sub(self.timed.len())?).copied(),
        }
    }
}

/// Data that is read once for all annotators.
struct ReadOnce {
    /// Each annotator's judgments, sorted by place.
    own: HashMap<AnnotatorId, Vec<OwnJudgment>>,
    /// Each set of answers that occurs.
    sets: Vec<Answers>,
    /// For each annotator, items judged to the end that the protocol does not ask about in this study.
    beside: HashMap<AnnotatorId, Vec<u32>>,
    ids: HashMap<String, AnnotatorId>,
    asides: HashMap<AnnotatorId, Vec<JudgedAside>>,
    places: HashMap<ItemId, u32>,
}

/// One annotator's judgment of one item.
#[derive(Clone, Copy)]
struct OwnJudgment {
    place: u32,
    /// The place of the current answers among the sets; [`NONE`] where they do not count.
    answers: u32,
    /// Active milliseconds, and keys; 0 where nobody says.
    active: u32,
    keys: u32,
    /// When it was last answered; [`NEVER`] where nobody says.
    at: i64,
}

/// Stands for answers that do not count.
const NONE: u32 = u32::MAX;
pub const NEVER: i64 = i64::MIN;

impl ReadOnce {
    fn of_study(study: &StudyFile, protocol: &Protocol, assignable: &Assignable) -> Result<ReadOnce> {
        let annotators = study.annotators_by_key()?;
        let material = study.material(protocol, VersionsRead::Only(protocol.version))?;
        let sorted = study.judged_in_sorted_order(&protocol.name)?;
        let keys = study.answer_keys(&protocol.name)?;
        let places: HashMap<ItemId, u32> = places(assignable).collect();
        let of_item: Vec<Option<u32>> =
            material.items.iter().map(|item| places.get(&item.id).copied()).collect();
        let mut ids: Vec<AnnotatorId> = annotators.iter().map(|(id, _)| *id).collect();
        ids.sort_unstable();
        // There are many judgments, so each list gets its final capacity.
        let mut counts = vec![0; ids.len()];
        let of = |row: &JudgmentRow| ids.binary_search(&row.annotator).ok();
        material.rows().iter().filter_map(of).for_each(|at| counts[at] += 1);
        let mut own: Vec<Vec<OwnJudgment>> = counts.into_iter().map(Vec::with_capacity).collect();
        let mut beside: HashMap<AnnotatorId, Vec<u32>> = HashMap::new();
        for row in material.rows() {
            let place = of_item.get(row.item as usize).copied().flatten();
            let said = of(row).and_then(|at| own.get_mut(at));
            if place.is_none() && row.counts && !assignable.is_part {
                beside.entry(row.annotator).or_default().push(row.item);
            }
            if let (Some(place), Some(said)) = (place, said) {
                // There are fewer than 2³² sets.
                let set = short(row.answers());
                let answers = if row.counts { set } else { NONE };
                let item = material.items.get(row.item as usize).map(|item| (row.annotator, item.id));
                // In such an order, time and material cannot be told apart.
                let is_sorted = item.is_some_and(|item| sorted.contains(&item));
                let at = row.at().filter(|_| !is_sorted).unwrap_or(NEVER);
                let keys = item.and_then(|item| keys.get(&item).copied()).unwrap_or(0);
                said.push(OwnJudgment { place, answers, active: row.active, keys, at });
            }
        }
        own.iter_mut().for_each(|said| said.sort_unstable_by_key(|own| own.place));
        let own = ids.into_iter().zip(own).collect();
        let mut asides: HashMap<AnnotatorId, Vec<JudgedAside>> = HashMap::new();
        let kept: HashSet<&Target> = assignable.items.iter().collect();
        let is_kept = |aside: &JudgedAside| !assignable.is_part || kept.contains(&aside.target);
        for aside in study.asides(&protocol.name)?.into_iter().filter(is_kept) {
            asides.entry(aside.annotator).or_default().push(aside);
        }
        Ok(ReadOnce {
            own,
            beside,
            sets: material.answer_sets().to_vec(),
            ids: annotators.into_iter().map(|(id, annotator)| (annotator.id, id)).collect(),
            asides,
            places,
        })
    }

    /// The judgments of an annotator, sorted by place.
    fn of(&self, annotator: AnnotatorId) -> &[OwnJudgment] {
        self.own.get(&annotator).map(Vec::as_slice).unwrap_or_default()
    }

    /// The judgment of an annotator on the item at a place.
    fn on(&self, annotator: AnnotatorId, place: usize) -> Option<&OwnJudgment> {
        let own = self.of(annotator);
        own.get(own.binary_search_by_key(&place, |own| own.place as usize).ok()?)
    }

    /// The answers of an annotator on the item at a place, where they count.
    fn answers(&self, annotator: AnnotatorId, place: usize) -> Option<&Answers> {
        self.sets.get(self.on(annotator, place)?.answers as usize)
    }

    fn person(
        &self,
        protocol: &Protocol,
        assignable: &Assignable,
        is_assigned: bool,
        (id, name): (AnnotatorId, &str),
        held: &[&Assigned],
    ) -> Person {
        let asides = || self.asides.get(&id).into_iter().flatten();
        let beside: Vec<&JudgedAside> =
            asides().filter(|aside| aside.standing.state(protocol) == ItemState::Judged).collect();
        let done_beside: BTreeSet<(Target, Aside)> =
            beside.iter().map(|aside| (aside.target, aside.aside)).collect();
        let is_done = |one: &&Assigned| match (one.terms.role.aside(), assignable.items.get(one.item)) {
            (Some(aside), Some(target)) => done_beside.contains(&(*target, aside)),
            _ => assignable.done.has(name, one.item),
        };
        let is_skipped = |item: &usize| assignable.skipped.has(name, *item);
        let (left, skipped) = if !held.is_empty() || is_assigned {
            let stays = held.iter().copied().filter(|one| !one.terms.left && one.terms.role != Role::Back);
            let taken = assignable.taken.of(name).filter(|item| !assignable.done.has(name, *item));
            let open: Vec<usize> =
                stays.filter(|one| !is_done(one)).map(|one| one.item).chain(taken).collect();
            (open.len(), open.iter().copied().filter(is_skipped).count())
        } else {
            let is_open = |item: &usize| !assignable.done.has(name, *item);
            let left = assignable.items.len().saturating_sub(assignable.done.count(name));
            (left, assignable.skipped.of(name).filter(is_open).count())
        };
        let (seconds, keys, timed, timed_beside) = self.times_of(assignable, (id, name), &beside);
        let of_items = self.of(id).iter().map(|own| u64::from(own.active));
        let of_asides = asides().map(|aside| aside.standing.active.unsigned_abs());
        let calibration = self.calibration(protocol, assignable, held, &beside);
        Person {
            name: name.to_owned(),
            done: assignable.done.count(name) + beside.len(),
            left,
            skipped,
            active: of_items.chain(of_asides).sum(),
            timing: Timing::of(&seconds),
            seconds,
            keys,
            timed,
            timed_beside,
            paced: self.paced(assignable, (id, name)),
            is_calibrating: held.iter().any(|one| one.terms.role == Role::Calibration && !is_done(one)),
            pass: held.iter().find_map(|one| one.terms.pass),
            must_pass: held.iter().any(|one| one.terms.must_pass),
            calibrations: calibrations(&mut asides()),
            calibration,
            control: self.control(protocol, assignable, id, held),
            repeats: self.repeats(id, &beside),
        }
    }

    /// Known active seconds of finished items: first of the study's items, with their places, then of calibration items and
    /// repeats.
    fn times_of(
        &self,
        assignable: &Assignable,
        (id, name): (AnnotatorId, &str),
        beside: &[&JudgedAside],
    ) -> (Vec<f64>, Vec<f64>, Vec<u32>, Vec<Target>) {
        let is_done = |own: &&OwnJudgment| own.active > 0 && assignable.done.has(name, own.place as usize);
        let own: Vec<&OwnJudgment> = self.of(id).iter().filter(is_done).collect();
        let mut times: Vec<f64> = own.iter().map(|own| f64::from(own.active) / 1_000.0).collect();
        let keys = own.iter().map(|own| f64::from(own.keys)).collect();
        let timed = own.iter().map(|own| own.place).collect();
        let beside = beside.iter().filter(|aside| aside.standing.active > 0);
        let timed_beside = beside.clone().map(|aside| aside.target).collect();
        times.extend(beside.map(|aside| aside.standing.active.unsigned_abs() as f64 / 1_000.0));
        (times, keys, timed, timed_beside)
    }

    /// Known active seconds of finished items, in the order of their last answers.
    fn paced(&self, assignable: &Assignable, (id, name): (AnnotatorId, &str)) -> Vec<f64> {
        let is_done = |own: &&OwnJudgment| own.active > 0 && assignable.done.has(name, own.place as usize);
        let timed = |own: &OwnJudgment| (own.at, own.place, f64::from(own.active) / 1_000.0);
        let own = self.of(id).iter().filter(is_done).filter(|own| own.at != NEVER);
        let mut timed: Vec<(i64, u32, f64)> = own.map(timed).collect();
        timed.sort_unstable_by_key(|(at, place, _)| (*at, *place));
        timed.into_iter().map(|(.., seconds)| seconds).collect()
    }

    /// The share of calibration items judged like the known answers, which come with the assignments.
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
                share.count(
                    query_of(&given.target),
                    is_as_known(protocol, &answers_from_json(&one.terms.known), &given.standing.answers),
                );
            }
        }
        share
    }

    /// The share of control items judged like the annotator that the assignment names.
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
            let known = from.and_then(|from| self.answers(*from, one.item));
            let target = assignable.items.get(one.item);
            if let (Some(known), Some(given), Some(target)) = (known, self.answers(id, one.item), target) {
                share.count(query_of(target), is_as_known(protocol, known, given));
            }
        }
        share
    }

    fn repeats(&self, id: AnnotatorId, beside: &[&JudgedAside]) -> Vec<(u32, Answers, Answers)> {
        let repeats = beside.iter().filter(|aside| aside.aside == Aside::Repeat);
        let both = |aside: &&JudgedAside| {
            let first = self.answers(id, *self.places.get(&aside.item?)? as usize)?;
            Some((query_of(&aside.target), first.clone(), aside.standing.answers.clone()))
        };
        repeats.filter_map(both).collect()
    }
}

/// Counts how often calibration was begun: once, and again each time its items were given anew.
fn calibrations(asides: &mut dyn Iterator<Item = &JudgedAside>) -> u32 {
    let times = asides.filter(|one| one.aside == Aside::Calibration).map(|one| one.standing.times_anew);
    times.max().map_or(0, |anew| anew + 1)
}

/// The place of each item that is in the study file.
fn places(assignable: &Assignable) -> impl Iterator<Item = (ItemId, u32)> {
    // There are fewer than 2³² items.
    assignable.rows.iter().zip(0..).filter_map(|(row, place)| Some(((*row)?, place)))
}

/// The id of an item's query as the number of a cluster.
pub fn query_of(target: &Target) -> u32 {
    short(target.query.0)
}
