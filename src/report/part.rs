//! A part of a study in whole groups: the groups that pass a filter, or a [`Sample`] drawn from them.

use std::collections::{HashMap, HashSet};

use super::{Column, FrameAsked, Strata, StudyFrame, Table, fitting, rows};
use crate::browse::{BrowseTable, Sort, View};
use crate::error::{Error, ErrorKind, Result};
use crate::number::number_of;
use crate::protocol::Protocol;
use crate::score::detectable;
use crate::store::{Assignable, AssignableGroup, StudyFile, Target};
use crate::study::assignment::draw::{lot, quotas, share_of};
use crate::study::sample::DRAWN_UNDER;
use crate::study::{Act, AmendedKind, Amendment, Meta, Sample, SampleStratum, SampledThing, TargetKeys};
use crate::text::shell::quoted;

/// The size of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SampleSize {
    Number(usize),
    /// A share above 0 and at most 1.
    Share(f64),
}

/// The allocation of a sample to strata.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Allocation {
    /// In proportion to the size of each stratum, and at least one of each where the sample is large enough.
    #[default]
    Proportional,
    /// The same number from each stratum, as far as they go.
    Equal,
    /// The strata are given by filters, each with its size. A group belongs to the first filter that it fits; a stratum
    /// without a filter is the rest.
    Each(Vec<(SampleSize, Option<String>)>),
}

/// The options of a part.
#[derive(Debug, Clone, Default)]
pub struct PartAsked {
    pub filter: Option<String>,
    pub named: Option<NamedItems>,
    pub size: Option<SampleSize>,
    pub by: Vec<String>,
    pub allocation: Allocation,
    pub seed: u64,
    /// The name of the sample; if `None`, it gets a number.
    pub name: Option<String>,
    /// The options in the user's own words.
    pub words: String,
}

/// Items that are named by their keys, or by some of them: all that have these.
#[derive(Debug, Clone, Default)]
pub struct NamedItems(HashMap<[bool; 7], HashSet<[Option<String>; 7]>>);

impl NamedItems {
    const KEYS: [&str; 7] = ["collection", "query", "document", "unit", "candidate", "bullet", "other"];

    /// Adds what has these keys; whether there were any, and no others.
    pub fn add(&mut self, keys: &Meta) -> bool {
        let text =
            |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let named = NamedItems::KEYS.map(|key| keys.get(key).map(text));
        let given = named.each_ref().map(Option::is_some);
        let is_any = given.contains(&true) && keys.keys().all(|key| NamedItems::KEYS.contains(&key.as_str()));
        if is_any {
            self.0.entry(given).or_default().insert(named);
        }
        is_any
    }

    fn has(&self, about: TargetKeys) -> bool {
        let TargetKeys { collection, query, document, unit, candidate, bullet, other } = about;
        let bullet = bullet.map(|bullet| bullet.to_string());
        let all = [Some(collection), Some(query), document, unit, candidate, bullet, other];
        self.0.iter().any(|(given, named)| {
            let mut asked = all.clone();
            asked.iter_mut().zip(given).for_each(|(key, given)| *key = key.take().filter(|_| *given));
            named.contains(&asked)
        })
    }
}

/// A part that was chosen.
pub struct PartChosen {
    /// The chosen groups, as ascending places among all groups.
    pub groups: Vec<usize>,
    /// The sample with its name, if one was drawn. A sample that was drawn before with the same options is used again.
    pub sample: Option<(String, Sample)>,
    /// Whether the sample is on record already.
    is_known: bool,
    /// The number of chosen items of each stratum.
    items: Vec<usize>,
}

impl PartAsked {
    /// Whether it is less than everything.
    pub fn is_part(&self) -> bool {
        self.filter.is_some() || self.named.is_some() || self.size.is_some() || !self.clauses().is_empty()
    }

    /// The filters of the strata, where they are chosen by filters.
    fn clauses(&self) -> &[(SampleSize, Option<String>)] {
        if let Allocation::Each(clauses) = &self.allocation { clauses } else { &[] }
    }

    /// Chooses from the assignable groups; without options, all. Gives the strata as well.
    ///
    /// # Errors
    /// A filter, a field or the sample's name is wrong (usage); nothing fits (nothing); or the study cannot be read.
    pub fn choose_groups(
        &self,
        study: &StudyFile,
        protocol: &Protocol,
        assignable: &Assignable,
    ) -> Result<(PartChosen, Strata)> {
        let strata = Strata::read(study, protocol, assignable, &self.by)?;
        let of = SampledThing::from(protocol.group);
        let groups = (assignable.groups.as_slice(), of);
        Ok((self.choose((study, protocol), &assignable.items, groups, &strata)?, strata))
    }

    /// Chooses from items, each a group of its own. `annotator` gives the annotator of an item, where strata are by annotator.
    pub fn choose_items<'a>(
        &self,
        study: &StudyFile,
        protocol: &Protocol,
        items: &[Target],
        annotator: impl Fn(usize) -> &'a str,
    ) -> Result<(PartChosen, Strata)> {
        let strata = Strata::of((study, protocol), items, &self.by, annotator)?;
        let alone = study.keys_of(items)?.into_iter().enumerate().map(|(at, keys)| AssignableGroup {
            name: keys.item_key(DRAWN_UNDER).to_string(),
            items: vec![at],
        });
        let groups = (&*alone.collect::<Vec<_>>(), SampledThing::Item);
        Ok((self.choose((study, protocol), items, groups, &strata)?, strata))
    }

    fn choose(
        &self,
        (study, protocol): (&StudyFile, &Protocol),
        items: &[Target],
        (groups, of): (&[AssignableGroup], SampledThing),
        strata: &Strata,
    ) -> Result<PartChosen> {
        let clauses = self.clauses();
        let of_clauses = clauses.iter().filter_map(|(_, filter)| filter.as_deref());
        let filters: Vec<&str> = self.filter.as_deref().into_iter().chain(of_clauses).collect();
        let any = filters.join(" or ");
        let frame = StudyFrame::of(
            study,
            FrameAsked { filter: Some(&any), has_snapshots: true, ..FrameAsked::default() },
        );
        let read = (!filters.is_empty()).then(|| frame.tables_with(protocol, items)).transpose()?;
        // Splits groups into those with an item that passes a filter, and the others.
        let parted = |there: Vec<usize>, filter: &str| -> Result<(Vec<usize>, Vec<usize>)> {
            let Some((tables, rows)) = &read else { return Ok((there, Vec::new())) };
            let chosen: HashSet<u32> =
                fitting(study, tables, BrowseTable::Items, filter)?.into_iter().collect();
            let is_in = |item: &usize| rows.get(*item).is_some_and(|row| chosen.contains(row));
            let has = |group: &usize| groups.get(*group).is_some_and(|group| group.items.iter().any(is_in));
            Ok(there.into_iter().partition(has))
        };
        let mut there: Vec<usize> = (0..groups.len()).collect();
        if let Some(filter) = &self.filter {
            (there, _) = parted(there, filter)?;
        }
        if let Some(named) = &self.named {
            let is_named: Vec<bool> = study.keys_of(items)?.into_iter().map(|keys| named.has(keys)).collect();
            let is_in = |item: &usize| is_named.get(*item) == Some(&true);
            there.retain(|group| groups.get(*group).is_some_and(|group| group.items.iter().any(is_in)));
        }
        if there.is_empty() && (self.filter.is_some() || self.named.is_some()) {
            let what = "nothing that can be handed out fits the filter, or is named";
            return Err(Error::nothing(what).in_file(study.path()));
        }
        if self.size.is_none() && self.name.is_none() && clauses.is_empty() {
            return Ok(PartChosen { groups: there, sample: None, is_known: false, items: Vec::new() });
        }
        let mut parts: Vec<(String, Vec<usize>, usize)> = Vec::new();
        for (size, filter) in clauses {
            let (own, rest) = match filter {
                None => (there, Vec::new()),
                Some(filter) => match parted(there.clone(), filter) {
                    // A stratum may be empty.
                    Err(error) if error.kind() == ErrorKind::Nothing => (Vec::new(), there),
                    parted => parted?,
                },
            };
            let wanted = size.of(own.len());
            parts.push((filter.clone().unwrap_or_else(|| "the rest".to_owned()), own, wanted));
            there = rest;
        }
        if clauses.is_empty() {
            let wanted = self.size.map_or(there.len(), |size| size.of(there.len()));
            for (number, name) in strata.names.iter().enumerate() {
                let stratum = |group: usize| groups.get(group).map(|group| strata.of_group(&group.items));
                let own: Vec<usize> =
                    there.iter().copied().filter(|group| stratum(*group) == Some(number)).collect();
                parts.extend((!own.is_empty()).then(|| (name.clone(), own, 0)));
            }
            let sizes: Vec<usize> = parts.iter().map(|(_, own, _)| own.len()).collect();
            let given = match self.allocation {
                Allocation::Equal => evenly(wanted, &sizes),
                _ => each_one(wanted, &sizes),
            };
            parts.iter_mut().zip(given).for_each(|((.., of), given)| *of = given);
        }
        let sample = Sample {
            protocol: protocol.name.clone(),
            of,
            filter: self.filter.clone(),
            size: self.words.clone(),
            seed: self.seed,
            strata: Vec::new(),
        };
        self.drawn(study, groups, sample, parts)
    }

    /// Draws from strata, each given by name, places of its groups, and number of groups to draw.
    fn drawn(
        &self,
        study: &StudyFile,
        groups: &[AssignableGroup],
        mut sample: Sample,
        parts: Vec<(String, Vec<usize>, usize)>,
    ) -> Result<PartChosen> {
        let key = |place: &usize| groups.get(*place).map_or("", |group| group.name.as_str());
        for (name, mut own, wanted) in parts {
            let all = own.len();
            own.sort_by_cached_key(|place| (lot(self.seed, "sample", &[key(place)]), *place));
            let mut drawn: Vec<String> = own.iter().take(wanted).map(|place| key(place).to_owned()).collect();
            drawn.sort();
            sample.strata.push(SampleStratum { name, all, drawn });
        }
        let known = study.samples()?;
        let named = |name: &String| known.iter().find(|sample| sample.name == *name);
        let is_alike = |known: &Sample| {
            Sample { strata: Vec::new(), ..known.clone() } == Sample { strata: Vec::new(), ..sample.clone() }
        };
        let same = match &self.name {
            Some(name) => named(name),
            None => known.iter().find(|known| is_alike(&known.sample)),
        };
        if let Some(same) = same.filter(|same| !is_alike(&same.sample)) {
            let what = format!("there is a sample {:?}, which was drawn otherwise", same.name);
            return Err(Error::usage(what).in_file(study.path()).advise(format!(
                "--filter sample=NAME keeps to it; another --name draws another; `haymark withdraw STUDY sample {}` takes it back",
                quoted(&same.name)
            )));
        }
        let is_known = same.is_some();
        let (name, sample) = match same {
            Some(same) => (same.name.clone(), same.sample.clone()),
            None => {
                let free = (1..).map(|number| format!("sample-{number}")).find(|name| named(name).is_none());
                (self.name.clone().or(free).unwrap_or_default(), sample)
            }
        };
        if sample.sizes().0 == 0 {
            return Err(Error::nothing("nothing is drawn: the strata are empty").in_file(study.path()));
        }
        let mut chosen = PartChosen { groups: Vec::new(), sample: None, is_known, items: Vec::new() };
        for stratum in &sample.strata {
            let keys: HashSet<&str> = stratum.drawn.iter().map(String::as_str).collect();
            let own: Vec<usize> = (0..groups.len()).filter(|place| keys.contains(key(place))).collect();
            let sizes = own.iter().filter_map(|place| groups.get(*place)).map(|group| group.items.len());
            chosen.items.push(sizes.sum());
            chosen.groups.extend(own);
        }
        chosen.groups.sort_unstable();
        chosen.sample = Some((name, sample));
        Ok(chosen)
    }
}

impl SampleSize {
    fn of(self, all: usize) -> usize {
        match self {
            SampleSize::Number(number) => number.min(all),
            SampleSize::Share(share) => share_of(share, all),
        }
    }
}

/// Items of a protocol by a field of browse, `-` before it for the largest first: their places in that order, what has no value last.
pub fn sorted(study: &StudyFile, protocol: &Protocol, items: &[Target], field: &str) -> Result<Vec<usize>> {
    let frame = StudyFrame::of(study, FrameAsked { has_snapshots: true, ..FrameAsked::default() });
    let (tables, of_items) = frame.tables_with(protocol, items)?;
    let (column, descending) = field.strip_prefix('-').map_or((field, false), |field| (field, true));
    if tables.column(BrowseTable::Items, column).is_none() {
        return Err(Error::usage(format!("items have no field {column:?} to be sorted by"))
            .in_file(study.path())
            .advise("docs/filters.md lists them; in `haymark browse`, C on the table of items (5) shows those of this study"));
    }
    let sort = vec![Sort { column: column.to_owned(), descending }];
    let place: HashMap<u32, usize> = of_items.into_iter().zip(0..).collect();
    let found = rows(&tables, &View { sort, ..View::of(BrowseTable::Items) })?;
    Ok(found.iter().filter_map(|row| place.get(row).copied()).collect())
}

/// The number of each stratum, the same for all as far as their sizes go.
fn evenly(wanted: usize, sizes: &[usize]) -> Vec<usize> {
    let (mut given, mut left) = (vec![0; sizes.len()], wanted.min(sizes.iter().sum()));
    while left > 0 {
        for (given, size) in given.iter_mut().zip(sizes) {
            let more = usize::from(*given < *size && left > 0);
            (*given, left) = (*given + more, left - more);
        }
    }
    given
}

/// In proportion, and at least one of each where there are enough: nothing can be estimated of a stratum that is never
/// drawn.
fn each_one(wanted: usize, sizes: &[usize]) -> Vec<usize> {
    let mut given = quotas(wanted, sizes);
    while wanted >= given.len()
        && let Some(none) = given.iter().position(|given| *given == 0)
    {
        let Some(most) = (0..given.len()).max_by_key(|at| given.get(*at).copied()) else { break };
        if let Ok([none, most]) = given.get_disjoint_mut([none, most]) {
            (*none, *most) = (1, *most - 1);
        }
    }
    given
}

impl PartChosen {
    /// Keeps only the chosen groups among the assignable ones, and only the assignments of their items.
    pub fn keep(&self, assignable: &mut Assignable) {
        let chosen: HashSet<usize> = self.groups.iter().copied().collect();
        let mut place = 0..;
        assignable.groups.retain(|_| place.next().is_some_and(|place| chosen.contains(&place)));
        let items: HashSet<usize> =
            assignable.groups.iter().flat_map(|group| group.items.iter().copied()).collect();
        assignable.assigned.retain(|one| items.contains(&one.item));
        assignable.left_out.retain(|one| items.contains(&one.item));
    }

    /// Puts a new sample on record; `at` is the time in milliseconds since 1970.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn record(&self, study: &mut StudyFile, at: i64) -> Result<()> {
        let Some((name, sample)) = self.sample.as_ref().filter(|_| !self.is_known) else { return Ok(()) };
        let by = study.membership()?.map_or_else(String::new, |membership| membership.me.name);
        let about = Amendment::about(Act::Draw, AmendedKind::Sample, name, at);
        study.keep_sample(&Amendment { to: sample.fields(), by, why: sample.size.clone(), ..about })
    }

    /// Notes on how the sample was drawn, and on its limits.
    pub fn notes(&self) -> Vec<String> {
        let Some((name, sample)) = &self.sample else { return Vec::new() };
        let mut notes = Vec::new();
        notes.push(sample.sentence(name));
        if self.is_known {
            notes.push("It is on record, and is not drawn again.".to_owned());
        }
        let never = sample.strata.iter().filter(|one| one.all > 0 && one.drawn.is_empty());
        let never: Vec<&str> = never.map(|one| one.name.as_str()).collect();
        if !never.is_empty() {
            notes.push(format!(
                "Warning: nothing is drawn of {}, so no estimate is about that.",
                never.join(", ")
            ));
        }
        let effective = sample.effective();
        // Two systems are compared over queries that both answer: how many of single summaries pair is left to the draw.
        if sample.of == SampledThing::Query
            && let Ok(least) = detectable(Ok(50.0), effective)
        {
            notes.push(format!(
                "In four cases of five they show a difference between two systems of {least:.0} points of 100, where the difference \
                 has a standard deviation of 50 points."
            ));
        }
        if effective < sample.sizes().0 {
            notes.push(format!(
                "With their weights they are worth {}.",
                number_of(effective, sample.of.name())
            ));
        }
        notes
    }

    /// A table with a row for each stratum; `None` without a sample.
    pub fn table(&self) -> Option<Table> {
        let (name, sample) = self.sample.as_ref()?;
        type DrawnRow<'a> = (&'a SampleStratum, usize);
        let rows: Vec<DrawnRow<'_>> = sample.strata.iter().zip(self.items.iter().copied()).collect();
        let columns = [
            Column::new("stratum", "stratum", |(stratum, _): &DrawnRow<'_>| stratum.name.clone())
                .shown_if(sample.strata.len() > 1),
            Column::new("of", "in all", |(stratum, _): &DrawnRow<'_>| stratum.all),
            Column::new("drawn", "drawn", |(stratum, _): &DrawnRow<'_>| stratum.drawn.len()),
            Column::new("items", "items", |(_, items): &DrawnRow<'_>| *items),
            Column::new("probability", "probability", |(stratum, _): &DrawnRow<'_>| stratum.probability())
                .decimals(3),
        ];
        let table = Table::of(format!("Sample {name}"), columns, &rows)
            .keyed("sample")
            .fact("sample", name.as_str())
            .fact("protocol", sample.protocol.as_str())
            .fact("seed", sample.seed)
            .noted(self.notes());
        Some(table)
    }
}
