//! `haymark adjudicate`: the items that people disagree on, settled one by one; and `haymark annotate --review`,
//! the way back to those who judged.

mod places;
mod scored;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::{Annotate, PartArguments, ScreenArguments, now, print};
use crate::app::screens::adjudicate::{AdjudicateOpening, AdjudicateWork, DisputedItem, MovableScores};
use crate::app::screens::browse::ToSettle;
use crate::browse::WhoCounts;
use crate::error::{Error, Result};
use crate::export::dataset::gold::rule;
use crate::journal::{ConsensusRule, ItemState};
use crate::protocol::Protocol;
use crate::report::{GoldBy, PartChosen, protocols, sorted, with_examples};
use crate::store::{StudyFile, Target, VersionsRead};
use crate::study::ItemId;
use crate::term::{AdjudicateOptions, Left, adjudicate};

#[derive(Debug, clap::Args)]
pub struct Adjudicate {
    /// The study file
    pub study: PathBuf,
    /// Who decides: a name or pseudonym
    #[arg(long = "as", value_name = "NAME")]
    pub annotator: String,
    /// Count model annotators among those who disagree
    #[arg(long)]
    pub with_judges: bool,
    /// In which order the items come
    #[arg(long, value_enum, default_value_t)]
    pub order: Order,
    /// Take the items in the order of a field instead, such as query; -FIELD: the largest first (`haymark help filters`)
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true, conflicts_with = "order")]
    pub sort: Option<String>,
    /// Do not show who said what
    #[arg(long)]
    pub hide_names: bool,
    /// What needs nobody to decide: "all agree", or "majority of 3"
    #[arg(long, value_name = "RULE", value_parser = rule)]
    pub rule: Option<ConsensusRule>,
    #[command(flatten)]
    pub part: PartArguments,
    #[command(flatten)]
    pub screen: ScreenArguments,
}

/// How many earlier verdicts can be taken back.
const MOST_UNDONE: usize = 200;

/// In which order disagreements come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Order {
    /// Evenly split ones first, then those whose answers are furthest apart
    #[default]
    Hardest,
    /// As in the study
    Given,
}

pub fn run(arguments: &Adjudicate) -> Result<()> {
    let looks = &arguments.screen.looks;
    let mut study = looks.open("adjudicate", &arguments.study)?;
    study.refuse_stranger(&arguments.annotator)?;
    let by = GoldBy::of_people(&study, arguments.with_judges, arguments.rule)?;
    let protocols = protocols::named_or_all(&study, arguments.screen.protocol.as_deref())?;
    let mut found = None;
    for protocol in protocols {
        let mut places = places::contested(&study, &protocol, &by, arguments.order)?;
        if !places.is_empty() {
            let chosen = part(&study, &protocol, &mut places, arguments)?;
            chosen.record(&mut study, now())?;
            found = Some((protocol, places));
            break;
        }
    }
    let Some((protocol, places)) = found else {
        let whose = if arguments.with_judges { "people or judges" } else { "people" };
        let study = arguments.study.display();
        return print(&format!(
            "there is nothing to settle: no two {whose} who judged the same differ\nNext:\n  haymark status {study}   says \
             who has what left\n  haymark agree {study}    says how far they agree\n"
        ));
    };
    let annotator = study.adjudicator(&arguments.annotator)?;
    let undo = study.adjudication_history(annotator, &protocol.name, MOST_UNDONE)?;
    let last = undo.last().map(|(item, _)| *item);
    let opening = AdjudicateOpening {
        work: AdjudicateWork::Settle,
        annotator: (annotator, arguments.annotator.clone()),
        scored: scored::scored(&study, &protocol, &by)?,
        resume: resume(&places, last),
        places,
        undo,
        hides_names: arguments.hide_names,
        opinions_of: by.raters,
        protocol: Arc::new(with_examples(&study, protocol)?),
    };
    let left = open(study, opening, &arguments.screen)?;
    looks.tell(&told(&left))?;
    looks.tell_only_here(&arguments.study)
}

/// Keeps the part of the items that is asked for, in the order of the field that is asked for.
fn part(
    study: &StudyFile,
    protocol: &Protocol,
    places: &mut Vec<DisputedItem>,
    arguments: &Adjudicate,
) -> Result<PartChosen> {
    let targets: HashMap<ItemId, Target> =
        study.items(&protocol.name)?.into_iter().map(|item| (item.id, item.target)).collect();
    places.retain(|place| targets.contains_key(&place.item));
    let items: Vec<Target> = places.iter().filter_map(|place| targets.get(&place.item).copied()).collect();
    let (chosen, _) = arguments.part.asked()?.choose_items(study, protocol, &items, |_| "")?;
    let order = match &arguments.sort {
        Some(field) => sorted(study, protocol, &items, field)?,
        None => (0..places.len()).collect(),
    };
    let kept: HashSet<usize> = chosen.groups.iter().copied().collect();
    let kept = order.into_iter().filter(|place| kept.contains(place));
    *places = kept.filter_map(|place| places.get(place).cloned()).collect();
    places.iter_mut().enumerate().for_each(|(position, place)| place.entry.position = position);
    Ok(chosen)
}

/// Opens the items of which gold differs from what one annotator said.
pub fn review(study: StudyFile, arguments: &Annotate) -> Result<()> {
    let name = &arguments.annotator;
    let known = study.annotators()?.into_iter().find(|(_, annotator)| annotator.id == *name);
    let Some((annotator, _)) = known else {
        return Err(Error::new(format!("there is no annotator {name:?}"))
            .in_file(study.path())
            .advise("name one who has judged"));
    };
    let by = GoldBy::of_people(&study, false, arguments.rule)?;
    let mut found = None;
    for protocol in protocols::named_or_all(&study, arguments.screen.protocol.as_deref())? {
        let places = places::differing(&study, &protocol, &by, annotator)?;
        if !places.is_empty() {
            found = Some((protocol, places));
            break;
        }
    }
    let Some((protocol, places)) = found else {
        return print(&format!("gold differs nowhere from what {name} answered\n"));
    };
    let differ = places.len();
    let opening = AdjudicateOpening {
        protocol: Arc::new(with_examples(&study, protocol)?),
        work: AdjudicateWork::Review,
        annotator: (annotator, name.clone()),
        scored: MovableScores::Nothing,
        resume: 0,
        places,
        undo: Vec::new(),
        hides_names: true,
        opinions_of: vec![annotator],
    };
    open(study, opening, &arguments.screen)?;
    print(&format!("gold differs from what {name} answered on {differ} items\n"))
}

fn open(study: StudyFile, opening: AdjudicateOpening, screen: &ScreenArguments) -> Result<Left> {
    let (shows_systems, looks) = (screen.show_systems, screen.looks.read(&study, Some(&opening.protocol))?);
    adjudicate(study, AdjudicateOptions { opening, shows_systems, looks })
}

/// The opening of the screen on those items that annotators disagree on, in the given order; `None` where they disagree on
/// none.
pub fn opening_of_some(
    study: &mut StudyFile,
    name: &str,
    asked: &ToSettle,
) -> Result<Option<AdjudicateOpening>> {
    let protocol = protocols::find(study, &asked.protocol)?;
    let mut found = None;
    // Where all people agree, a judge may differ from them.
    for with_judges in [asked.counted != WhoCounts::People, true] {
        let mut by = GoldBy::of_people(study, with_judges, None)?;
        if let WhoCounts::Only(some) = &asked.counted {
            by.raters.retain(|rater| some.contains(rater));
        }
        let places = places::contested_among(study, &protocol, &by, &asked.items)?;
        if !places.is_empty() {
            found = Some((by, places));
            break;
        }
    }
    let Some((by, places)) = found else { return Ok(None) };
    let annotator = study.adjudicator(name)?;
    Ok(Some(AdjudicateOpening {
        work: AdjudicateWork::Settle,
        annotator: (annotator, name.to_owned()),
        scored: scored::scored(study, &protocol, &by)?,
        resume: places.iter().position(|place| place.item == asked.first).unwrap_or(0),
        undo: study.adjudication_history(annotator, &protocol.name, MOST_UNDONE)?,
        places,
        hides_names: false,
        opinions_of: by.raters,
        protocol: Arc::new(with_examples(study, protocol)?),
    }))
}

/// The item that was worked on last where it is half decided, else the first open one behind it, else the first open
/// one, else the first.
fn resume(places: &[DisputedItem], last: Option<crate::study::ItemId>) -> usize {
    let is_open = |place: &&DisputedItem| place.entry.state == ItemState::Open;
    let from = places.iter().position(|place| Some(place.item) == last).unwrap_or(0);
    let behind = places.iter().skip(from).find(is_open);
    behind.or_else(|| places.iter().find(is_open)).map_or(0, |place| place.entry.position)
}

/// The sentence that is printed after the screen has closed.
fn told(left: &Left) -> String {
    let progress = left.progress;
    let mut text = format!("{} of {} disagreements settled", progress.judged, progress.total);
    if progress.skipped > 0 {
        text.push_str(&format!(", {} put aside", progress.skipped));
    }
    text.push_str(if left.is_saved {
        "; everything is saved\n"
    } else {
        "; the last decision was NOT saved\n"
    });
    text
}

/// The versions whose answers are settled: the current one.
fn versions(protocol: &Protocol) -> VersionsRead {
    VersionsRead::Only(protocol.version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::GoToEntry;
    use crate::study::ItemId;

    #[test]
    fn it_opens_on_what_is_half_decided() {
        use ItemState::{Judged, Open};
        let opens = |states: &[ItemState], last: Option<i64>| {
            let place = |(position, state): (usize, &ItemState)| DisputedItem {
                item: ItemId(i64::try_from(position).expect("small")),
                entry: GoToEntry {
                    position,
                    query: String::new(),
                    unit: String::new(),
                    group: 1,
                    state: *state,
                    flagged: false,
                },
                decided: Default::default(),
                gold: None,
            };
            let places: Vec<DisputedItem> = states.iter().enumerate().map(place).collect();
            resume(&places, last.map(ItemId))
        };
        assert_eq!(opens(&[Judged, Open, Open], Some(1)), 1, "half decided");
        assert_eq!(opens(&[Open, Judged, Open], Some(1)), 2, "settled: the next open one");
        assert_eq!(opens(&[Open, Judged, Judged], Some(2)), 0, "from the beginning again");
        assert_eq!(opens(&[Judged, Judged], Some(1)), 0, "nothing is open");
        assert_eq!(opens(&[Judged, Open], None), 1);
    }
}
