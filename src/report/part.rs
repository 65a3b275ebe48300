//! A part of a study: what a filter lets through, or what is drawn from it, in whole groups. What is drawn is a [`Sample`].

use std::cell::OnceCell;
use std::collections::HashSet;
use std::fmt;

use super::filtered::fitting;
use super::frame::{FrameAsked, StudyFrame};
use super::strata::Strata;
use super::table::{Column, Table};
use crate::browse::{BrowseTable, Tables};
use crate::error::{Error, Result};
use crate::number::number_of;
use crate::protocol::{Protocol, TargetPart};
use crate::score::detectable;
use crate::store::{Assignable, AssignableGroup, StudyFile, Target};
use crate::study::assignment::draw::{lot, quotas, share_of};
use crate::study::sample::DRAWN_UNDER;
use crate::study::{Act, AmendedKind, Amendment, Sample, SampleStratum, SampledThing};

/// How many are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SampleSize {
    Number(usize),
    /// Above 0, at most 1.
    Share(f64),
}

/// How many each stratum gives.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Allocation {
    /// In proportion to its size, and one at least where there are as many.
    #[default]
    Proportional,
    /// As many as any other, as far as it goes.
    Equal,
    /// What fits the first of these filters is a stratum, and gives so many; without a filter it is all that is left.
    Each(Vec<(SampleSize, Option<String>)>),
}

impl fmt::Display for SampleSize {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SampleSize::Number(number) => write!(out, "{number}"),
            SampleSize::Share(1.0) => write!(out, "all"),
            SampleSize::Share(share) => write!(out, "{} %", (1e4 * share).round() / 100.0),
        }
    }
}

impl fmt::Display for Allocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Allocation::Each(clauses) = self else {
            return write!(out, "{}", if *self == Allocation::Equal { "equal" } else { "proportional" });
        };
        let clause = |(size, filter): &(SampleSize, Option<String>)| {
            format!("{size} of {}", filter.as_deref().unwrap_or("the rest"))
        };
        write!(out, "{}", clauses.iter().map(clause).collect::<Vec<_>>().join(", "))
    }
}

/// Which part is asked for.
#[derive(Debug, Clone, Default)]
pub struct PartAsked {
    pub filter: Option<String>,
    pub size: Option<SampleSize>,
    pub by: Vec<String>,
    pub allocation: Allocation,
    pub seed: u64,
    /// What the sample is called; where nobody says, it gets a number.
    pub name: Option<String>,
    /// The same in the words of whoever asked.
    pub words: String,
}

/// A part that was chosen.
pub struct PartChosen {
    /// Places among the groups that were chosen from, ascending.
    pub groups: Vec<usize>,
    /// What was drawn, where something was, with its name; the sample of an earlier draw that was asked for in the same way.
    pub sample: Option<(String, Sample)>,
    /// Whether it is on record already.
    is_known: bool,
    /// Items of each stratum that were chosen.
    items: Vec<usize>,
}

/// Items of a protocol, judged or not, in the tables of the study.
struct ItemsAsked {
    tables: Tables,
    /// By place of the item, its row.
    rows: Vec<u32>,
}

impl ItemsAsked {
    fn fitting(&self, study: &StudyFile, filter: &str) -> Result<HashSet<usize>> {
        let chosen: HashSet<u32> =
            fitting(study, &self.tables, BrowseTable::Items, filter)?.into_iter().collect();
        let places = self.rows.iter().enumerate().filter(|(_, row)| chosen.contains(row));
        Ok(places.map(|(place, _)| place).collect())
    }
}

impl PartAsked {
    /// Whether everything is asked for.
    pub fn is_all(&self) -> bool {
        let is_each = matches!(self.allocation, Allocation::Each(_));
        self.filter.is_none() && self.size.is_none() && self.name.is_none() && !is_each
    }

    fn draws(&self) -> bool {
        self.size.is_some() || self.name.is_some() || matches!(self.allocation, Allocation::Each(_))
    }

    /// Chooses from these groups of items; all of them where nothing is asked for.
    ///
    /// # Errors
    /// A filter or a field is wrong, or the name is that of another sample (usage); nothing fits (nothing); or the study cannot be read.
    pub fn choose(
        &self,
        study: &StudyFile,
        protocol: &Protocol,
        items: &[Target],
        (groups, of): (&[AssignableGroup], SampledThing),
        strata: &Strata,
    ) -> Result<PartChosen> {
        let everything = || PartChosen {
            groups: (0..groups.len()).collect(),
            sample: None,
            is_known: false,
            items: Vec::new(),
        };
        if self.is_all() {
            return Ok(everything());
        }
        let asked = OnceCell::new();
        let fits = |filter: &str| -> Result<HashSet<usize>> {
            if asked.get().is_none() {
                let frame =
                    StudyFrame::of(study, FrameAsked { filter: Some(&self.words), ..FrameAsked::default() });
                let (tables, rows) = frame.tables_with(protocol, items)?;
                let _ = asked.set(ItemsAsked { tables, rows });
            }
            asked.get().map_or_else(|| Ok(HashSet::new()), |asked| asked.fitting(study, filter))
        };
        let has = |group: &usize, chosen: &HashSet<usize>| {
            groups.get(*group).is_some_and(|group| group.items.iter().any(|item| chosen.contains(item)))
        };
        let mut there: Vec<usize> = (0..groups.len()).collect();
        if let Some(filter) = &self.filter {
            let chosen = fits(filter)?;
            there.retain(|group| has(group, &chosen));
        }
        if there.is_empty() {
            return Err(
                Error::nothing("nothing that can be handed out fits the filter").in_file(study.path())
            );
        }
        if !self.draws() {
            return Ok(PartChosen { groups: there, ..everything() });
        }
        let sample = Sample {
            protocol: protocol.name.clone(),
            of,
            filter: self.filter.clone(),
            size: self.words.clone(),
            seed: self.seed,
            strata: Vec::new(),
        };
        let mut parts: Vec<(String, Vec<usize>, usize)> = Vec::new();
        if let Allocation::Each(clauses) = &self.allocation {
            for (size, filter) in clauses {
                let chosen = filter.as_deref().map(fits).transpose()?;
                let is_in = |group: &usize| chosen.as_ref().is_none_or(|chosen| has(group, chosen));
                let (own, rest): (Vec<usize>, Vec<usize>) = there.into_iter().partition(is_in);
                there = rest;
                let wanted = size.of(own.len());
                parts.push((filter.clone().unwrap_or_else(|| "the rest".to_owned()), own, wanted));
            }
        } else {
            let all = there.len();
            for (number, name) in strata.names.iter().enumerate() {
                let is_in = |group: &&usize| {
                    groups.get(**group).is_some_and(|group| strata.of_group(&group.items) == number)
                };
                let own: Vec<usize> = there.iter().filter(is_in).copied().collect();
                if !own.is_empty() {
                    parts.push((name.clone(), own, 0));
                }
            }
            let sizes: Vec<usize> = parts.iter().map(|(_, own, _)| own.len()).collect();
            let wanted = self.size.map_or(all, |size| size.of(all));
            let given = if self.allocation == Allocation::Equal {
                evenly(wanted, &sizes)
            } else {
                each_one(wanted, &sizes)
            };
            parts.iter_mut().zip(given).for_each(|((.., of), given)| *of = given);
        }
        self.drawn(study, groups, sample, parts)
    }

    /// The same of items, each by itself: their places.
    ///
    /// # Errors
    /// As [`PartAsked::choose`].
    pub fn choose_items<'a>(
        &self,
        study: &StudyFile,
        protocol: &Protocol,
        items: &[Target],
        annotator: impl Fn(usize) -> &'a str,
    ) -> Result<(PartChosen, Strata)> {
        let strata = Strata::of((study, protocol), items, &self.by, annotator)?;
        let keys = study.keys_of(items)?.into_iter().enumerate();
        let alone = keys.map(|(at, keys)| AssignableGroup {
            name: keys.item_key(DRAWN_UNDER).to_string(),
            items: vec![at],
        });
        let alone: Vec<AssignableGroup> = alone.collect();
        Ok((self.choose(study, protocol, items, (&alone, SampledThing::Item), &strata)?, strata))
    }

    /// Draws from strata, each with the places of its groups and how many it gives.
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
                "--filter sample={0} keeps to it; another --name draws another; `haymark withdraw STUDY sample {0}` takes it back",
                same.name
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
            chosen
                .items
                .push(own.iter().filter_map(|place| groups.get(*place)).map(|group| group.items.len()).sum());
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

/// As many of each, as far as it goes.
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

/// In proportion, and one of each at least where there are as many: of what is never drawn nothing can be said.
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

/// What the groups of a protocol are, as something that is drawn.
pub fn drawn_of(protocol: &Protocol) -> SampledThing {
    match protocol.group {
        TargetPart::Query => SampledThing::Query,
        TargetPart::Document => SampledThing::Document,
        TargetPart::Unit => SampledThing::Unit,
        TargetPart::Candidate => SampledThing::Candidate,
        TargetPart::Bullet => SampledThing::Bullet,
    }
}

impl PartChosen {
    /// Keeps only what was chosen of what there is to assign, and what already stands where this holds.
    pub fn keep(&self, assignable: &mut Assignable) {
        let chosen: HashSet<usize> = self.groups.iter().copied().collect();
        let mut place = 0..;
        assignable.groups.retain(|_| place.next().is_some_and(|place| chosen.contains(&place)));
        let items: HashSet<usize> =
            assignable.groups.iter().flat_map(|group| group.items.iter().copied()).collect();
        assignable.assigned.retain(|one| items.contains(&one.item));
    }

    /// Puts what was drawn on record, if it is not there; `at` is the time.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn record(&self, study: &mut StudyFile, at: i64) -> Result<()> {
        let Some((name, sample)) = self.sample.as_ref().filter(|_| !self.is_known) else { return Ok(()) };
        let by = study.membership()?.map_or_else(String::new, |membership| membership.me.name);
        study.keep_sample(&Amendment {
            act: Act::Draw,
            of: AmendedKind::Sample,
            collection: String::new(),
            query: String::new(),
            id: name.clone(),
            into: None,
            to: sample.fields(),
            by,
            why: sample.size.clone(),
            at,
        })
    }

    /// How it was drawn, and what a reader must know of it.
    pub fn notes(&self) -> Vec<String> {
        let Some((name, sample)) = &self.sample else { return Vec::new() };
        let mut notes = Vec::new();
        notes.push(sample.sentence(name));
        if self.is_known {
            notes.push("It is on record, and is not drawn again.".to_owned());
        }
        let never: Vec<&str> = sample
            .strata
            .iter()
            .filter(|one| one.all > 0 && one.drawn.is_empty())
            .map(|one| one.name.as_str())
            .collect();
        if !never.is_empty() {
            notes.push(format!(
                "Warning: nothing is drawn of {}, so no estimate is about that.",
                never.join(", ")
            ));
        }
        let effective = sample.effective();
        if let Ok(least) = detectable(Ok(50.0), effective) {
            notes.push(format!(
                "In four cases of five it shows a difference between two systems of {least:.0} points of 100, where the difference \
                 has a standard deviation of 50 points; weights make it worth {}.",
                number_of(effective, sample.of.name())
            ));
        }
        notes
    }

    /// A row a stratum; `None` where nothing was drawn.
    pub fn table(&self) -> Option<Table> {
        let (name, sample) = self.sample.as_ref()?;
        type DrawnRow<'a> = (&'a SampleStratum, usize);
        let rows: Vec<DrawnRow<'_>> = sample.strata.iter().zip(self.items.iter().copied()).collect();
        let columns = [
            Column::new("stratum", "stratum", |(stratum, _): &DrawnRow<'_>| stratum.name.clone())
                .shown_if(sample.strata.len() > 1),
            Column::new("of", "there are", |(stratum, _): &DrawnRow<'_>| stratum.all),
            Column::new("drawn", "drawn", |(stratum, _): &DrawnRow<'_>| stratum.drawn.len()),
            Column::new("items", "items", |(_, items): &DrawnRow<'_>| *items),
            Column::new("probability", "probability", |(stratum, _): &DrawnRow<'_>| stratum.probability())
                .decimals(3),
        ];
        let mut table = Table::of(format!("Sample {name}"), columns, &rows)
            .keyed("sample")
            .fact("sample", name.as_str())
            .fact("protocol", sample.protocol.as_str())
            .fact("seed", sample.seed);
        table.notes = self.notes();
        Some(table)
    }
}
