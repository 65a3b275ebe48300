//! The status of each annotator under one protocol.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use crate::error::Result;
use crate::journal::{ItemState, JudgmentRow};
use crate::number::{NO_PLACE, number_of, short};
use crate::protocol::{Answers, Protocol, answers_from_json, is_as_known};
use crate::report::duration;
use crate::score::{ENOUGH_TIMES, Measure, Score, TimeLeft, Timing, Undefined, median};
use crate::store::{
    Assignable, AssignableGroup, Assigned, JudgedAside, PaidWork, StudyFile, Target, VersionsRead,
};
use crate::study::{AnnotatorId, Aside, ItemRow, QueryId, Role, SampledThing};

/// The annotators with judgments or work.
pub struct People {
    /// The annotators in the order of the study.
    pub list: Vec<Person>,
    /// Whether work is assigned; otherwise everyone has all items.
    pub is_assigned: bool,
    /// Each set of answers that occurs.
    pub sets: Vec<Answers>,
    /// The number of judgments that count and are not finished: a label may count before its bullet is chosen.
    pub without_bullet: usize,
    pub clusters: QueryClusters,
    /// The times of all annotators together.
    pub timing: Timing,
    /// The number of items judged to the end that the protocol does not ask about in this study, such as pairs from a file.
    /// Scores count them.
    pub beside: usize,
}

/// One person's judgment of one item.
#[derive(Clone, Copy)]
pub struct PersonJudged {
    pub place: u32,
    /// The place of the current answers in [`People::sets`]; [`NONE`] where they do not count.
    pub answers: u32,
    /// Active milliseconds, 0 for what is not judged to the end; and keys. 0 where they are not known.
    active: u32,
    keys: u32,
    /// The time of the last answer; [`NEVER`] where it is not known, or an order of items was asked for.
    at: i64,
}

/// Stands for answers that do not count.
const NONE: u32 = u32::MAX;
const NEVER: i64 = i64::MIN;

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
    /// The work that is paid, where a rate is named.
    pub paid: PaidWork,
    /// The judgments of the study's items, in the order of keys.
    pub judged: Rc<Vec<PersonJudged>>,
    /// Calibration items and repeats judged to the end, each with its active milliseconds, 0 where they are not known.
    pub beside: Vec<(Target, u64)>,
    /// The timing of [`Person::timed_items`].
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

impl PersonJudged {
    /// Whether the answers count.
    pub fn counts(&self) -> bool {
        self.answers != NONE
    }

    /// The active seconds.
    pub fn seconds(&self) -> Option<f64> {
        (self.active > 0).then(|| f64::from(self.active) / 1_000.0)
    }
}

impl People {
    /// Reads the status of the chosen annotators; `paid` is the work of each, where a rate is named.
    pub fn read(
        study: &StudyFile,
        protocol: &Protocol,
        assignable: &Assignable,
        chosen: &[(AnnotatorId, String)],
        paid: &HashMap<AnnotatorId, PaidWork>,
    ) -> Result<People> {
        let read = ReadOnce::of_study(study, protocol, assignable)?;
        let is_assigned = assignable.handed_out.is_some() || assignable.is_divided();
        let (mut list, mut without_bullet): (Vec<Person>, usize) = (Vec::new(), 0);
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
            if !has_work && !has_judged && !read.asides.contains_key(id) && !paid.contains_key(id) {
                continue;
            }
            let person = read.person(protocol, assignable, is_assigned, (*id, name), &held);
            list.push(Person { paid: paid.get(id).copied().unwrap_or_default(), ..person });
            without_bullet += read.own.get(id).map_or(0, |own| own.without_bullet);
        }
        let times = list.iter().flat_map(|person| person.timed_items(&assignable.items));
        let timing = Timing::of(&times.map(|(_, seconds)| seconds).collect::<Vec<f64>>());
        let ReadOnce { sets, clusters, .. } = read;
        Ok(People { list, is_assigned, sets, without_bullet, clusters, timing, beside: beside.len() })
    }

    /// The time that an annotator's remaining items will take: by the annotator's own times, or where these are too few by those
    /// of all.
    ///
    /// # Errors
    /// Items are left, and no times are known.
    pub fn time_left(&self, person: &Person) -> std::result::Result<TimeLeft, Undefined> {
        TimeLeft::of(person.left, if person.has_own_pace() { &person.timing } else { &self.timing })
    }

    /// A sentence on the time of a group of items, such as a summary, over the groups that one person judged
    /// to the end with known times; `None` without such a group.
    pub fn effort(&self, protocol: &Protocol, assignable: &Assignable) -> Option<String> {
        let groups = || assignable.groups.iter().filter(|group| group.items.len() > 1);
        // Whole numbers, so that the order of items changes no sum.
        let sums = |number: fn(&PersonJudged) -> u32| -> Vec<f64> {
            let of_person = |person: &Person| -> Vec<f64> {
                let mut known = vec![0; assignable.items.len()];
                person.timed().for_each(|own| known[own.place as usize] = number(own)); // a place of an item
                let number =
                    |item: &usize| known.get(*item).filter(|number| **number > 0).map(|one| u64::from(*one));
                let of_group = |group: &AssignableGroup| group.items.iter().map(number).sum::<Option<u64>>();
                groups().filter_map(of_group).map(|sum| sum as f64).collect()
            };
            self.list.iter().flat_map(of_person).collect()
        };
        let (times, keys) = (sums(|own| own.active), sums(|own| own.keys));
        let of = SampledThing::from(protocol.group).name();
        let count = number_of(times.len(), "time");
        let time = median(times, Undefined::NoTimes).ok()? / 1_000.0;
        let keys = median(keys, Undefined::NoTimes).map(|keys| format!(" and {keys:.0} keys"));
        let with = if keys.is_ok() { " Keys are answers, flags, and what was put aside." } else { "" };
        Some(format!(
            "A {of} takes {}{}, all its items together: the median of {count}, one for each person and {of}.{with}",
            duration(time),
            keys.unwrap_or_default()
        ))
    }

    /// The median number of keys an item, over the judgments with a known time.
    pub fn keys_an_item(of: &[Person]) -> Measure {
        let keys = of.iter().flat_map(Person::timed).map(|own| own.keys).filter(|keys| *keys > 0);
        let is_any = of.iter().any(|person| !person.judged.is_empty());
        median(
            keys.map(f64::from).collect(),
            if is_any { Undefined::NoKeys } else { Undefined::NothingJudged },
        )
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
        self.timing.items >= ENOUGH_TIMES
    }

    /// The judgments of the study's items with a known time.
    fn timed(&self) -> impl Iterator<Item = &PersonJudged> {
        self.judged.iter().filter(|own| own.active > 0)
    }

    /// The items judged to the end, each with its known active seconds: first the study's, then those beside.
    pub fn timed_items<'a>(&'a self, items: &'a [Target]) -> impl Iterator<Item = (&'a Target, f64)> {
        let own = self.timed().filter_map(|own| Some((items.get(own.place as usize)?, own.seconds()?)));
        let beside = self.beside.iter().filter(|(_, active)| *active > 0);
        own.chain(beside.map(|(target, active)| (target, *active as f64 / 1_000.0)))
    }

    /// The judgments with a known time of day, in the order in which they were last answered.
    pub fn in_order(&self) -> Vec<PersonJudged> {
        let mut own: Vec<PersonJudged> = self.judged.iter().filter(|own| own.at != NEVER).copied().collect();
        // The sort is stable: what was answered in one moment stays in the order of keys.
        own.sort_by_key(|own| own.at);
        own
    }
}

/// Data that is read once for all annotators.
struct ReadOnce {
    /// The judgments of each annotator.
    own: HashMap<AnnotatorId, OwnRead>,
    /// Each set of answers that occurs.
    sets: Vec<Answers>,
    /// For each annotator, items judged to the end that the protocol does not ask about in this study.
    beside: HashMap<AnnotatorId, Vec<u32>>,
    ids: HashMap<String, AnnotatorId>,
    asides: HashMap<AnnotatorId, Vec<JudgedAside>>,
    /// The rank of each place in the order of keys; [`NO_PLACE`] where nobody was asked or judged.
    ranks: Vec<u32>,
    clusters: QueryClusters,
}

/// One annotator's judgments of the study's items.
#[derive(Default)]
struct OwnRead {
    /// See [`Person::judged`].
    judged: Rc<Vec<PersonJudged>>,
    /// Active milliseconds, also on what is not judged to the end.
    active: u64,
    /// See [`People::without_bullet`].
    without_bullet: usize,
}

impl ReadOnce {
    fn of_study(study: &StudyFile, protocol: &Protocol, assignable: &Assignable) -> Result<ReadOnce> {
        let annotators = study.annotators_by_key()?;
        let material = study.material_by_key(protocol, VersionsRead::Only(protocol.version))?;
        let ways = study.ways_judged(&protocol.name)?;
        let place = |item: &ItemRow| assignable.place_of(item.id).map(short);
        let of_item: Vec<Option<u32>> = material.items.iter().map(place).collect();
        let mut ranks = vec![NO_PLACE; assignable.items.len()];
        (0..).zip(&of_item).for_each(|(rank, place)| {
            if let Some(known) = place.and_then(|place| ranks.get_mut(place as usize)) {
                *known = rank;
            }
        });
        let mut people: Vec<(AnnotatorId, &str)> =
            annotators.iter().map(|(id, annotator)| (*id, annotator.id.as_str())).collect();
        people.sort_unstable();
        // There are many judgments, so each list gets its final capacity.
        let mut counts = vec![0; people.len()];
        let of = |row: &JudgmentRow| people.binary_search_by_key(&row.annotator(), |(id, _)| *id).ok();
        material.rows().iter().filter_map(of).for_each(|at| counts[at] += 1);
        let room = |count| OwnRead { judged: Vec::with_capacity(count).into(), ..OwnRead::default() };
        let mut own: Vec<OwnRead> = counts.into_iter().map(room).collect();
        let mut beside: HashMap<AnnotatorId, Vec<u32>> = HashMap::new();
        for row in material.rows() {
            let place = of_item.get(row.item as usize).copied().flatten();
            if place.is_none() && row.counts() && !assignable.is_part {
                beside.entry(row.annotator()).or_default().push(row.item);
            }
            if let (Some(place), Some(at)) = (place, of(row)) {
                let (own, (_, name)) = (&mut own[at], people[at]);
                let way = ways.get(&(row.annotator(), material.item(row).id)).copied().unwrap_or_default();
                let is_done = assignable.done.has(name, place as usize);
                own.active += u64::from(row.active);
                own.without_bullet += usize::from(row.counts() && !is_done);
                Rc::make_mut(&mut own.judged).push(PersonJudged {
                    place,
                    // There are fewer than 2³² sets.
                    answers: if row.counts() { short(row.answers()) } else { NONE },
                    active: if is_done { row.active } else { 0 },
                    keys: way.keys,
                    // In an order that was asked for, time and material cannot be told apart.
                    at: row.at().filter(|_| !way.is_sorted).unwrap_or(NEVER),
                });
            }
        }
        let own = people.iter().map(|(id, _)| *id).zip(own).collect();
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
            ranks,
            clusters: QueryClusters::read(study)?,
        })
    }

    /// The judgments of an annotator, in the order of keys.
    fn of(&self, annotator: AnnotatorId) -> &[PersonJudged] {
        self.own.get(&annotator).map(|own| own.judged.as_slice()).unwrap_or_default()
    }

    /// The judgment of an annotator on the item at a place.
    fn on(&self, annotator: AnnotatorId, place: usize) -> Option<&PersonJudged> {
        let (own, rank) = (self.of(annotator), |place: usize| self.ranks.get(place).copied());
        own.get(own.binary_search_by_key(&rank(place), |own| rank(own.place as usize)).ok()?)
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
        let is_done = |one: &&Assigned| match (one.terms.aside(), assignable.items.get(one.item)) {
            (Some(aside), Some(target)) => done_beside.contains(&(*target, aside)),
            _ => assignable.done.has(name, one.item),
        };
        let is_skipped = |item: &usize| assignable.skipped.has(name, *item);
        let (left, skipped) = if !held.is_empty() || is_assigned {
            let stays = held.iter().copied().filter(|one| !one.terms.left && one.terms.role != Role::Back);
            let stays = stays.filter(|one| assignable.is_given(one));
            let taken = assignable.taken.of(name).filter(|item| !assignable.done.has(name, *item));
            let open: Vec<usize> =
                stays.filter(|one| !is_done(one)).map(|one| one.item).chain(taken).collect();
            (open.len(), open.iter().copied().filter(is_skipped).count())
        } else {
            let is_open = |item: &usize| !assignable.done.has(name, *item);
            let left = assignable.items.len().saturating_sub(assignable.done.count(name));
            (left, assignable.skipped.of(name).filter(is_open).count())
        };
        let of_asides = asides().map(|aside| aside.standing.active.unsigned_abs());
        let timed = beside.iter().map(|aside| (aside.target, aside.standing.active.unsigned_abs()));
        let calibration = self.calibration(protocol, assignable, held, &beside);
        let mut person = Person {
            name: name.to_owned(),
            done: assignable.done.count(name) + beside.len(),
            left,
            skipped,
            active: self.own.get(&id).map_or(0, |own| own.active) + of_asides.sum::<u64>(),
            paid: PaidWork::default(),
            judged: self.own.get(&id).map(|own| Rc::clone(&own.judged)).unwrap_or_default(),
            beside: timed.collect(),
            timing: Timing::of(&[]),
            is_calibrating: held.iter().any(|one| one.terms.role == Role::Calibration && !is_done(one)),
            pass: held.iter().find_map(|one| one.terms.pass),
            must_pass: held.iter().any(|one| one.terms.must_pass),
            calibrations: calibrations(&mut asides()),
            calibration,
            control: self.control(protocol, assignable, id, held),
            repeats: self.repeats(assignable, id, &beside),
        };
        let seconds: Vec<f64> = person.timed_items(&assignable.items).map(|(_, seconds)| seconds).collect();
        person.timing = Timing::of(&seconds);
        person
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
                    self.clusters.of(&given.target),
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
                share.count(self.clusters.of(target), is_as_known(protocol, known, given));
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
        let repeats = beside.iter().filter(|aside| aside.aside == Aside::Repeat);
        let both = |aside: &&JudgedAside| {
            let first = self.answers(id, assignable.place_of(aside.item?)?)?;
            Some((self.clusters.of(&aside.target), first.clone(), aside.standing.answers.clone()))
        };
        repeats.filter_map(both).collect()
    }
}

/// Counts how often calibration was begun: once, and again each time its items were given anew.
fn calibrations(asides: &mut dyn Iterator<Item = &JudgedAside>) -> u32 {
    let times = asides.filter(|one| one.aside == Aside::Calibration).map(|one| one.standing.times_anew);
    times.max().map_or(0, |anew| anew + 1)
}

/// The queries as clusters, numbered in the order of their keys, so that no sum depends on the order in a file.
pub struct QueryClusters(HashMap<QueryId, u32>);

impl QueryClusters {
    fn read(study: &StudyFile) -> Result<QueryClusters> {
        let mut queries = study.queries()?;
        queries
            .sort_by(|(_, one), (_, other)| (&one.collection, &one.id).cmp(&(&other.collection, &other.id)));
        Ok(QueryClusters(queries.into_iter().map(|(id, _)| id).zip(0..).collect()))
    }

    /// The number of the cluster of an item.
    pub fn of(&self, target: &Target) -> u32 {
        self.0.get(&target.query).copied().unwrap_or(NO_PLACE)
    }
}
