//! `haymark assign`: who is to judge what. The plan is shown, then written.

mod dynamic;
mod tables;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use clap::Args;

use super::{PartArguments, complain, now, open_to_decide, print_told, share};
use crate::error::{Error, ErrorKind, Result};
use crate::export::table::TableForm;
use crate::number::number_of;
use crate::protocol::Protocol;
use crate::report::{Controls, PartChosen, PlannedWork, changes, plan_of, protocols, sorted, standing};
use crate::store::{Assignable, AssignmentChange, StudyFile, Target};
use crate::study::assignment::{SpreadSettings, Work};
use crate::study::{SortedPlace, Terms};

#[derive(Debug, Clone, Args)]
pub struct Assign {
    /// The study file
    pub study: PathBuf,
    /// Who is to judge (several with commas), beside those who have work already; a part of the study they judge alone. Who is
    /// new also gets the calibration, control and repeated items that others have, unless those are asked for anew
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub to: Vec<String>,
    /// Who leaves the study (several with commas): what they have not judged goes to the others
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub remove: Vec<String>,
    /// With --dynamic, whose work others do too (several with commas): what they hold or have done is wanted again
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "dynamic")]
    pub reopen: Vec<String>,
    /// The protocol; when left out, the first one that the study has items for
    #[arg(long, value_name = "NAME")]
    pub protocol: Option<String>,
    /// The share of the work that several people judge, such as 10%, in whole groups; when left out, what is shared stays
    /// shared
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub overlap: Option<f64>,
    /// By how many people that share is judged; all when left out. Without --overlap, everything is
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub raters: Option<u32>,
    /// Let the study's hub hand out the work: each file takes the next groups as it needs them. --to then names who gets
    /// calibration and control items, all who are invited where nobody is named
    #[arg(long)]
    pub dynamic: bool,
    /// Let what is given come in the order of a field, in whole groups, such as confidence@judge-a: what the judge was least
    /// sure of first; -FIELD: the largest first
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true, conflicts_with = "dynamic")]
    pub sort: Option<String>,
    /// Show the plan, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub part: PartArguments,
    #[command(flatten)]
    pub control: ControlArguments,
    /// Write people's names in Markdown, LaTeX and HTML too; when left out, people are A1, A2, … there
    #[arg(long)]
    pub names: bool,
    #[command(flatten)]
    pub form: TableForm,
}

/// What is put on top of the work to control its quality.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Quality control")]
pub struct ControlArguments {
    /// The annotator whose judgments are the known answers
    #[arg(long, value_name = "NAME")]
    pub known_from: Option<String>,
    /// So many items to begin with, in whole groups; each shows the known answer, and NAME's comment, once it is judged
    #[arg(long, value_name = "N", requires = "known_from", value_parser = clap::value_parser!(u32).range(1..))]
    pub calibration: Option<u32>,
    /// The share of the calibration items that must be judged as is known
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "80%")]
    pub pass: f64,
    /// Who is below that gets no other work: the guideline opens at what went wrong, and calibration begins again
    #[arg(long, requires = "calibration")]
    pub must_pass: bool,
    /// Known items mixed in unseen, as a share of each annotator's work, such as 5%, in whole groups
    #[arg(long, value_name = "SHARE", value_parser = share, requires = "known_from")]
    pub control: Option<f64>,
    /// Items that come a second time, as a share of each annotator's work, such as 5%
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub repeats: Option<f64>,
}

impl ControlArguments {
    fn asked(&self) -> Controls {
        let ControlArguments { known_from, calibration, pass, must_pass, control, repeats } = self.clone();
        Controls { known_from, calibration, pass, must_pass, control, repeats }
    }
}

impl Assign {
    /// The same for the people behind the names: whoever has another name since may be called by any.
    fn with_names_of_now(&self, study: &StudyFile) -> Result<Assign> {
        let mut now = self.clone();
        let lists = [&mut now.to, &mut now.remove, &mut now.reopen];
        for name in lists.into_iter().flatten().chain(&mut now.control.known_from) {
            *name = study.person_behind(name)?;
        }
        Ok(now)
    }
}

pub fn run(arguments: &Assign) -> Result<()> {
    let mut study = open_to_decide(&arguments.study, arguments.dry_run)?;
    let arguments = &arguments.with_names_of_now(&study)?;
    let protocol = chosen(&study, arguments.protocol.as_deref())?;
    if arguments.dynamic {
        return dynamic::run(arguments, study, &protocol);
    }
    if study.handed_out(&protocol.name)?.is_some() {
        return Err(Error::usage(format!("the hub hands out the work of {:?}", protocol.name)).in_file(study.path()).advise(
            "add --dynamic: it offers what is new, gives calibration and control items, and --remove lets others have what \
             somebody holds",
        ));
    }
    let mut assignable = study.assignable(&protocol)?;
    let part = arguments.part.asked()?;
    let (chosen, strata) = part.choose_groups(&study, &protocol, &assignable)?;
    if arguments.to.is_empty() && arguments.remove.is_empty() && chosen.sample.is_some() {
        return draw(arguments, &mut study, &chosen);
    }
    let mut to = arguments.to.clone();
    if part.is_part() && to.is_empty() && !arguments.remove.is_empty() {
        // What is taken from somebody goes to the others, whatever else they have.
        let others = standing::at_work(&assignable).into_iter().map(str::to_owned);
        to.extend(others.filter(|name| !arguments.remove.contains(name)));
    }
    chosen.keep(&mut assignable);
    let mut work = standing::work(&study, &assignable, &strata, &to, &arguments.remove)?;
    let mut stays = 0;
    if part.is_part() && !arguments.to.is_empty() {
        // Who is named has the part alone, but for what she wrote.
        work.people.iter_mut().for_each(|person| person.is_active &= arguments.to.contains(&person.name));
        stays = work.leave_to_others();
    }
    let settings = settings(arguments, &work)?;
    let planned =
        plan_of((&study, &protocol, &assignable), &arguments.control.asked(), settings, work, &strata, None)?;
    let PlannedWork { work, plan, notes, .. } = planned;
    let mut tables = tables::tables(&protocol, &work, &plan, &strata, arguments);
    tables.extend(chosen.table());
    if let Some(table) = tables.first_mut() {
        table.notes.extend(notes);
        let wrote = "which who is named wrote, stay where they are: only others judge them";
        table.notes.extend((stays > 0).then(|| format!("{}, {wrote}.", number_of(stays, "item"))));
    }
    let mut changes = changes(&assignable, &work, plan);
    if let Some(field) = &arguments.sort {
        sort((&study, &protocol, &assignable), field, &mut changes)?;
    }
    let people = work.people.iter().map(|person| person.name.as_str());
    print_told(&study, tables, people, &arguments.form, arguments.names)?;
    if arguments.dry_run {
        complain("nothing was written; without --dry-run it is");
        return Ok(());
    }
    chosen.record(&mut study, now())?;
    study.assign(&protocol, &changes, now())?;
    complain(&match changes.len() {
        0 => "nothing had to change".to_owned(),
        count => format!("wrote {}", number_of(count, "change")),
    });
    Ok(())
}

/// Puts a sample on record, and gives it to nobody.
fn draw(arguments: &Assign, study: &mut StudyFile, chosen: &PartChosen) -> Result<()> {
    print_told(study, chosen.table().into_iter().collect(), [], &arguments.form, arguments.names)?;
    if !arguments.dry_run {
        chosen.record(study, now())?;
    }
    complain(if arguments.dry_run {
        "nothing was written; without --dry-run it is"
    } else {
        "nobody has it yet: --to does"
    });
    Ok(())
}

/// The named protocol, or the first one that the study has items for.
fn chosen(study: &StudyFile, name: Option<&str>) -> Result<Protocol> {
    if let Some(name) = name {
        return protocols::find(study, name);
    }
    let mut first_error = None;
    for protocol in protocols::all(study)? {
        match study.assignable(&protocol) {
            Ok(_) => return Ok(protocol),
            // The study has no items for this protocol.
            Err(error) if error.kind() == ErrorKind::Failed => first_error = first_error.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    Err(first_error.unwrap_or_else(|| Error::new("there is no protocol")))
}

fn settings(arguments: &Assign, work: &Work) -> Result<SpreadSettings> {
    let active = work.people.iter().filter(|person| person.is_active).count();
    if active == 0 {
        return Err(Error::usage("nobody is there to judge").advise("name annotators with --to a,b,c"));
    }
    if let Some(raters) = arguments.raters.filter(|raters| *raters as usize > active) {
        return Err(Error::usage(format!("--raters {raters} is more than the {active} annotators"))
            .advise("name more with --to"));
    }
    let overlap = match (arguments.overlap, arguments.raters) {
        (None, Some(_)) => Some(1.0),
        (overlap, _) => overlap,
    };
    Ok(SpreadSettings { seed: arguments.part.seed, overlap, raters: arguments.raters })
}

/// Puts what is given, and what stands and is not begun, in the order of a field.
fn sort(
    (study, protocol, assignable): (&StudyFile, &Protocol, &Assignable),
    field: &str,
    changes: &mut Vec<AssignmentChange>,
) -> Result<()> {
    let order = sorted(study, protocol, &assignable.items, field)?;
    let places: HashMap<Target, u32> =
        order.into_iter().filter_map(|item| assignable.items.get(item).copied()).zip(0..).collect();
    let placed = |target: &Target, terms: &Terms| {
        let sorted = places.get(target).map(|place| SortedPlace { by: field.to_owned(), place: *place });
        Terms { sorted, ..terms.clone() }
    };
    let mut changed = HashSet::new();
    for change in changes.iter_mut() {
        if let Some(terms) = change.terms.as_mut().filter(|terms| terms.role.is_work()) {
            *terms = placed(&change.target, terms);
        }
        changed.insert((change.annotator.clone(), change.target));
    }
    let stands = assignable.assigned.iter().filter(|one| one.terms.role.is_work() && !one.is_judged);
    changes.extend(stands.filter_map(|one| {
        let (annotator, target) = (one.annotator.clone(), *assignable.items.get(one.item)?);
        let terms = Some(placed(&target, &one.terms)).filter(|terms| *terms != one.terms)?;
        let is_changed = changed.contains(&(annotator.clone(), target));
        (!is_changed).then(|| AssignmentChange { annotator, target, aside: None, terms: Some(terms) })
    }));
    Ok(())
}
