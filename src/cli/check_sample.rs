//! `haymark check-sample`: a stratified random sample of what was judged, for a second look (Lyu et al. 2024,
//! CRUD-RAG, §3.4: 5 %).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use clap::Args;

use super::{PartArguments, complain, now, open_to_decide, print_told};
use crate::error::{Error, Result};
use crate::export::table::TableForm;
use crate::protocol::Protocol;
use crate::report::{Column, Strata, Table, first_step, item_columns, names, protocols};
use crate::store::{Assignable, AssignmentChange, StudyFile, Target};
use crate::study::{Annotator, AnnotatorKind, Role, TargetKeys, Terms};
use crate::text::shell::quoted;

#[derive(Debug, Args)]
pub struct CheckSample {
    /// The study file
    pub study: PathBuf,
    /// Who takes the second look; when left out, the sample is only listed
    #[arg(long, value_name = "NAME")]
    pub to: Option<String>,
    /// The protocol; when left out, the first one that was judged
    #[arg(long, value_name = "NAME")]
    pub protocol: Option<String>,
    /// Draw also from what these judges judged (several with commas), whether or not a person did
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub judges: Vec<String>,
    /// List the sample, and assign nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub part: PartArguments,
    /// Write people's names in Markdown, LaTeX and HTML too; when left out, people are A1, A2, … there
    #[arg(long)]
    pub names: bool,
    #[command(flatten)]
    pub form: TableForm,
}

pub fn run(arguments: &CheckSample) -> Result<()> {
    let is_listed = arguments.to.is_none() && arguments.part.name.is_none();
    let mut study = open_to_decide(&arguments.study, arguments.dry_run || is_listed)?;
    // Whoever has another name since may be called by any.
    let to = arguments.to.as_deref().map(|name| study.person_behind(name)).transpose()?;
    let (protocol, assignable) = chosen(&study, arguments.protocol.as_deref(), !arguments.judges.is_empty())?;
    let by_judges = judged_by(&study, &protocol, &assignable, &arguments.judges)?;
    let pool = SamplePool::of(&assignable, &by_judges, to.as_deref());
    let keys = study.keys_of(&pool.items)?;
    if pool.items.is_empty() {
        return Err(
            Error::nothing("there is nothing left that somebody else has judged").in_file(study.path())
        );
    }
    let asked = arguments.part.asked()?;
    let (chosen, strata) =
        asked.choose_items(&study, &protocol, &pool.items, |at| pool.first_annotator(at))?;
    let drawn = &chosen.groups;
    let mut table = table(&protocol, arguments, &pool, &keys, &strata, drawn);
    table.notes.extend(chosen.notes());
    print_told(&study, vec![table], to.as_deref(), &arguments.form, arguments.names)?;
    let Some(to) = to.as_deref().filter(|_| !arguments.dry_run) else {
        if arguments.part.name.is_some() && !arguments.dry_run {
            chosen.record(&mut study, now())?;
        }
        return Ok(());
    };
    let change = |at: &usize| {
        let target = pool.items.get(*at).filter(|_| !pool.assigned.contains(at))?;
        let terms = Some(Terms::of(Role::Check));
        Some(AssignmentChange { annotator: to.to_owned(), target: *target, aside: None, terms })
    };
    let changes: Vec<AssignmentChange> = drawn.iter().filter_map(change).collect();
    chosen.record(&mut study, now())?;
    study.assign(&protocol, &changes, now())?;
    complain(&format!(
        "assigned {} items to {to}, who judges them with `haymark annotate STUDY --as {} --protocol {}`",
        changes.len(),
        quoted(to),
        quoted(&protocol.name)
    ));
    Ok(())
}

/// The items that these judges judged, each with the judge's name and its place among the items.
fn judged_by<'a>(
    study: &StudyFile,
    protocol: &Protocol,
    assignable: &Assignable,
    judges: &'a [String],
) -> Result<Vec<(&'a str, usize)>> {
    if judges.is_empty() {
        return Ok(Vec::new());
    }
    let annotators = study.annotators()?;
    let mut found = Vec::new();
    let places: HashMap<Target, usize> = assignable.items.iter().copied().zip(0..).collect();
    let material = study.material(protocol, protocols::counted(protocol, false))?;
    for judge in judges {
        let is_judge = |one: &Annotator| one.id == *judge && one.kind == AnnotatorKind::Model;
        let Some((id, _)) = annotators.iter().find(|(_, one)| is_judge(one)) else {
            return Err(Error::usage(format!("there is no judge {judge:?}"))
                .in_file(study.path())
                .advise("`haymark judges STUDY` lists them"));
        };
        let own = material.rows().iter().filter(|row| row.counts() && row.annotator() == *id);
        let place = own.filter_map(|row| places.get(&material.items.get(row.item as usize)?.target));
        found.extend(place.map(|place| (judge.as_str(), *place)));
    }
    Ok(found)
}

/// The named protocol, or the first one that someone judged by.
fn chosen(study: &StudyFile, name: Option<&str>, has_judges: bool) -> Result<(Protocol, Assignable)> {
    let named = protocols::named_or_all(study, name)?;
    for protocol in named {
        match study.assignable(&protocol) {
            Ok(assignable) if !assignable.judged.is_empty() || has_judges && name.is_some() => {
                return Ok((protocol, assignable));
            }
            Err(error) if name.is_some() => return Err(error),
            _ => {}
        }
    }
    Err(Error::new("nobody has judged anything that could be looked at again")
        .in_file(study.path())
        .advise(first_step(study, &[])))
}

/// Items that a sample is drawn from: somebody else has judged them, and the second annotator has not.
struct SamplePool<'a> {
    items: Vec<Target>,
    /// The annotators who have judged each item.
    judged_by: Vec<BTreeSet<&'a str>>,
    /// Positions of items that are assigned to the second annotator already.
    assigned: BTreeSet<usize>,
}

impl<'a> SamplePool<'a> {
    fn of(assignable: &'a Assignable, by_judges: &[(&'a str, usize)], to: Option<&str>) -> SamplePool<'a> {
        let mut judged_by: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
        for (judge, item) in by_judges {
            judged_by.entry(*item).or_default().insert(judge);
        }
        for (annotator, item) in assignable.judged.iter() {
            judged_by.entry(item).or_default().insert(annotator);
        }
        let held: BTreeMap<usize, Role> = assignable
            .assigned
            .iter()
            .filter(|one| Some(one.annotator.as_str()) == to)
            .map(|one| (one.item, one.terms.role))
            .collect();
        let mut pool = SamplePool { items: Vec::new(), judged_by: Vec::new(), assigned: BTreeSet::new() };
        for (place, annotators) in judged_by {
            // An annotator's own work is no second look; nor is an item whose answer they were told for calibration.
            let role = held.get(&place);
            let is_check = role == Some(&Role::Check);
            let is_own = to.is_some_and(|to| annotators.contains(to)) && !is_check;
            if is_own || role.is_some_and(|role| *role != Role::Check) {
                continue;
            }
            if let Some(target) = assignable.items.get(place) {
                if is_check {
                    pool.assigned.insert(pool.items.len());
                }
                pool.items.push(*target);
                pool.judged_by.push(annotators.into_iter().filter(|name| Some(*name) != to).collect());
            }
        }
        pool
    }

    fn first_annotator(&self, at: usize) -> &'a str {
        self.judged_by.get(at).and_then(|names| names.first().copied()).unwrap_or("")
    }
}

/// An item that is drawn.
struct SampledItem<'a> {
    keys: &'a TargetKeys,
    stratum: Option<&'a str>,
    judged_by: String,
}

fn table(
    protocol: &Protocol,
    arguments: &CheckSample,
    pool: &SamplePool<'_>,
    keys: &[TargetKeys],
    strata: &Strata,
    drawn: &[usize],
) -> Table {
    let row = |at: &usize| {
        let names = pool.judged_by.get(*at).into_iter().flatten().copied().collect::<Vec<&str>>();
        let stratum = strata.names.get(strata.of_item(*at)).map(String::as_str);
        Some(SampledItem { keys: keys.get(*at)?, stratum, judged_by: names.join(", ") })
    };
    let rows: Vec<SampledItem<'_>> = drawn.iter().filter_map(row).collect();
    let mut columns = item_columns(&rows, |row: &SampledItem<'_>| row.keys);
    let by = names(&strata.by);
    if !by.is_empty() {
        let stratum = |row: &SampledItem<'_>| row.stratum.map(str::to_owned);
        columns.push(Column::new("stratum", by.join(" · "), stratum));
    }
    columns.push(Column::new("judged_by", "judged by", |row: &SampledItem<'_>| row.judged_by.clone()));
    let mut table = Table::of(format!("To be checked ({})", protocol.name), columns, &rows)
        .fact("protocol", protocol.name.as_str())
        .fact("of", pool.items.len())
        .fact("seed", arguments.part.seed);
    table.notes.push(format!("{} of {} items that are judged.", drawn.len(), pool.items.len()));
    table
}
