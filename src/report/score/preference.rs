//! Preferences between systems, and whether people prefer the summary that stands first.

use std::collections::BTreeMap;

use super::Scope;
use crate::error::Result;
use crate::protocol::TargetPart;
use crate::report::{Column, CountedJudgment, Table, TableFinding, insert_groups};
use crate::score::{
    FirstPreferred, GroupLabels, Grouped, PairJudged, PairPreferred, PairSaid, PreferenceQuestion,
    PreferenceScores, System, SystemPreferred,
};
use crate::study::{AnnotatorId, Aside, CandidateId, ItemId};

/// The tables of systems by strength, of every two systems, and of sides.
pub(super) fn tables(scope: &Scope<'_>, question: &PreferenceQuestion<'_>) -> Result<Vec<Table>> {
    let mut again: BTreeMap<(AnnotatorId, ItemId), PairSaid> = BTreeMap::new();
    for aside in scope.study.asides(&scope.protocol.name)? {
        let said = question.read(&aside.standing.answers).filter(|_| aside.aside == Aside::Repeat);
        if let (Some(item), Some(said)) = (aside.item, said) {
            again.insert((aside.annotator, item), said);
        }
    }
    let system = |id: Option<CandidateId>| Some(System::from(scope.corpus.candidate(id?)?).name());
    let pair = |judgment: CountedJudgment<'_>| {
        Some(PairJudged {
            origin: scope.judged.origin(scope.corpus, &judgment)?,
            systems: [system(judgment.target.candidate)?, system(judgment.target.other)?],
            said: question.read(judgment.answers)?,
            again: again.get(&(judgment.annotator, judgment.item)).copied(),
        })
    };
    let pairs: Vec<PairJudged> = scope.judged.each().filter_map(pair).collect();
    let mut by = scope.by_or(&[]);
    by.by.retain(|by| pairs.iter().any(|pair| by.label(&pair.origin).is_some()));
    let intervals = by.uncertainty.intervals;
    let found = Grouped::of(&pairs, |pair| &pair.origin, by, |pairs| PreferenceScores::of(pairs, intervals));
    // A pair is judged once, or once with each unit.
    let items = if scope.protocol.targets(TargetPart::Unit) { "items" } else { "pairs" };
    let mut first = systems(&found, items);
    let is_less = found.by.len() < scope.by.len();
    first.notes.extend(is_less.then(|| {
        let advice = "--filter 'system=NAME', and so on, takes the pairs that either of the two is in";
        format!("A pair is in no group by a field of one summary; {advice}.")
    }));
    Ok(vec![first, against(&found, items), sides(&found)])
}

/// A table with several rows for each group, such as its systems.
fn listed<'a, R: 'a>(
    title: &str,
    found: &'a Grouped<PreferenceScores>,
    rows: impl Fn(&'a PreferenceScores) -> &'a [R],
    columns: impl IntoIterator<Item = Column<'a, R>>,
) -> Table {
    let all: Vec<(&GroupLabels, &R)> =
        found.rows.iter().flat_map(|(group, one)| rows(one).iter().map(move |row| (group, row))).collect();
    let mut table = Table::of(title, columns, all.iter().map(|(_, row)| *row));
    insert_groups(&mut table, 0, &found.by, all.iter().map(|(group, _)| *group));
    table
}

fn systems(found: &Grouped<PreferenceScores>, items: &str) -> Table {
    let columns: [Column<'_, SystemPreferred>; 5] = [
        Column::new("system", "system", |row: &SystemPreferred| row.system.clone()),
        Column::new("items", items, |row: &SystemPreferred| row.compared.items),
        Column::new("judgments", "judgments", |row: &SystemPreferred| row.compared.judgments),
        Column::new("win_rate", "win rate", |row: &SystemPreferred| row.win_rate).percent(),
        Column::new("strength", "strength", |row: &SystemPreferred| row.strength).decimals(2),
    ];
    listed("Preferences", found, |one| &one.systems, columns)
        .headline()
        .finding(TableFinding::Preferred(
            found.rows.iter().flat_map(|(_, one)| one.systems.iter().cloned()).collect(),
        ))
        .note(
            "win rate: pairs won and half of the ties, of those that the system is in. strength: by the \
             model of Bradley and Terry, in which the chance to win grows with the difference of two \
             strengths; they sum to 0.",
        )
}

fn against(found: &Grouped<PreferenceScores>, items: &str) -> Table {
    let columns: [Column<'_, PairPreferred>; 7] = [
        Column::new("system", "system", |row: &PairPreferred| row.systems[0].clone()),
        Column::new("against", "against", |row: &PairPreferred| row.systems[1].clone()),
        Column::new("items", items, |row: &PairPreferred| row.compared.items),
        Column::new("judgments", "judgments", |row: &PairPreferred| row.compared.judgments).detail(),
        Column::new("win_rate", "win rate", |row: &PairPreferred| row.win_rate).percent().turned(100),
        Column::new("difference", "stronger by", |row: &PairPreferred| row.difference).decimals(2).turned(0),
        Column::new("chance", "chance to win", |row: &PairPreferred| row.beats).percent().turned(100),
    ];
    listed("Preferences between two systems", found, |one| &one.pairs, columns).keyed("preference_pairs")
}

fn sides(found: &Grouped<PreferenceScores>) -> Table {
    let columns: [Column<'_, FirstPreferred>; 8] = [
        Column::new("decided", "decided", |row: &FirstPreferred| row.decided),
        Column::new("ties", "ties", |row: &FirstPreferred| row.ties),
        Column::new("first_wins", "first won", |row: &FirstPreferred| row.first_wins).detail(),
        Column::new("first_win_rate", "first won", |row: &FirstPreferred| row.share).percent(),
        Column::new("p", "p", |row: &FirstPreferred| row.p).p_value(),
        Column::new("swapped", "both orders", |row: &FirstPreferred| row.swapped),
        Column::new("same", "same answer", |row: &FirstPreferred| row.same).detail(),
        Column::new("swap_consistency", "same answer", |row: &FirstPreferred| row.consistency).percent(),
    ];
    listed("Sides", found, |one| std::slice::from_ref(&one.position), columns).keyed("preference_sides").note(
        "first won: the share of the decided judgments in which the summary that was shown first was found \
         better; without a bias it is near 50. p: the chance of a share as far from 50. both orders: pairs \
         that one person judged twice, the second time the other way round.",
    )
}
