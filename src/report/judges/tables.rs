//! The tables of judges.

use std::collections::BTreeSet;

use super::compared::{Beside, Compared, Statistic, Statistics, Unlinked};
use super::on_question::{JudgeAgainstPeople, JudgesFound};
use crate::agreement::{Estimate, Intervals, Undefined};
use crate::protocol::{Choice, Protocol, Question};
use crate::report::{
    Cell, Column, IntoCell, Table, TableFinding, counted_columns, few_effective_clusters,
    within_these_queries,
};
use crate::score::{JudgeBias, Measure};
use crate::text::natural::by_name;

/// Decimals of statistics.
const DECIMALS: usize = 3;

/// The tables of one question: people and judges; the same on the items that all judged; judges beside people on the same
/// items; each judge's labels against those of people; bias.
pub fn tables(
    protocol: &Protocol,
    question: &Question,
    found: &JudgesFound,
    intervals: Intervals,
) -> Vec<Table> {
    let subject = match question.key == protocol.name {
        true => protocol.name.clone(),
        false => format!("{} · {}", protocol.name, question.key),
    };
    let mut tables = vec![overview(&subject, found)];
    tables.extend(on_common(&subject, found));
    tables.extend(beside_people(&subject, found, intervals));
    let compared = found.judges.iter().map(|judge| &judge.compared);
    tables.extend(compared.map(|judge| confusion(&subject, question, judge)));
    let biases: Vec<(&str, &JudgeBias)> = found
        .judges
        .iter()
        .filter_map(|judge| Some((judge.compared.name.as_str(), judge.bias.as_ref()?)))
        .collect();
    if !biases.is_empty() {
        tables.push(bias_by_summarizer(&subject, &biases).over(found.cluster));
        tables.push(length_bias(&subject, &biases).over(found.cluster));
    }
    for table in &mut tables {
        table.facts.insert("protocol".into(), protocol.name.clone().into());
        table.facts.insert("question".into(), question.key.clone().into());
    }
    tables
}

/// Columns for the name, counts and statistics of comparisons.
fn compared_columns<'a, 'r>(
    rows: impl IntoIterator<Item = &'r Compared>,
    statistics: &Statistics,
) -> Vec<Column<'a, Compared>> {
    let has_pairs = rows.into_iter().any(|row| row.items.judgments != row.items.items);
    let mut columns = vec![
        Column::new("annotator", "annotator", |row: &Compared| row.name.clone()),
        Column::new("over", "over", |row: &Compared| row.kind.counted(row.clusters())).detail(),
        Column::new("pairs", "pairs", |row: &Compared| row.pairs()).detail(),
        Column::new("least_items", "least overlap", |row: &Compared| u64::from(row.least_items())).detail(),
    ];
    let [items, pairs] = counted_columns("items", |row: &Compared| row.items);
    columns.extend([
        items,
        pairs.named("judgment_pairs", "judgment pairs").shown_if(has_pairs),
        Column::new("linked", "linked", |row: &Compared| row.linking().linked),
    ]);
    columns.extend(statistics.list().enumerate().map(|(at, (statistic, is_shown))| {
        let value = move |row: &Compared| row.values.get(at).copied();
        Column::new(statistic.name, statistic.heading, value).decimals(DECIMALS).shown_if(is_shown)
    }));
    let unlinked = |count: fn(Unlinked) -> usize| move |row: &Compared| row.unlinked.map(count);
    columns.extend([
        Column::new("linked_same", "same", |row: &Compared| row.linking().same).detail(),
        Column::new("person_names_none", "person names none", unlinked(|of| of.person_names_none)).detail(),
        Column::new("judge_names_none", "judge names none", unlinked(|of| of.judge_names_none)).detail(),
        Column::new("judge_names_several", "judge names several", unlinked(|of| of.judge_names_several))
            .detail(),
    ]);
    columns
}

fn overview(subject: &str, found: &JudgesFound) -> Table {
    type OverviewRow<'a> = (&'a Compared, Measure);
    let rows: Vec<OverviewRow<'_>> = std::iter::once((&found.people, found.people_cost.0))
        .chain(found.judges.iter().map(|JudgeAgainstPeople { compared, cost, .. }| (compared, *cost)))
        .chain(found.with_themselves.iter().map(|itself| (itself, Err(Undefined::NoCost))))
        .collect();
    let has_costs = rows.iter().any(|(_, cost)| *cost != Err(Undefined::NoCost));
    let mut columns: Vec<Column<'_, OverviewRow<'_>>> =
        compared_columns(rows.iter().map(|(row, _)| *row), &found.statistics)
            .into_iter()
            .map(|column| column.of(|(row, _): &OverviewRow<'_>| *row))
            .collect();
    columns.push(
        Column::new("cost", "cost", |(_, cost): &OverviewRow<'_>| *cost).decimals(2).shown_if(has_costs),
    );
    let kappa = found.statistics.list().position(|(statistic, _)| statistic.name == "cohen_kappa");
    let compared = rows.iter().map(|(row, _)| *row);
    let kappas = compared.map(|row| (row.name.clone(), kappa.and_then(|at| row.values.get(at).copied())));
    let mut table = Table::of(format!("{subject} · Judges against people"), columns, &rows)
        .keyed("judges")
        .finding(TableFinding::Judges(kappas.collect()))
        .noted(notes(found))
        .note(rests_on(rows.iter().map(|(row, _)| *row)));
    let remarks = remarks(found);
    table.facts.insert("remarks".to_owned(), remarks.iter().map(|(code, _)| *code).collect());
    table.notes.extend(remarks.into_iter().map(|(_, remark)| remark));
    table
}

/// A note on the pairs and clusters behind each row.
fn rests_on<'r>(rows: impl IntoIterator<Item = &'r Compared>) -> String {
    let row = |row: &Compared| {
        let (least, clusters) = (row.least_items(), row.kind.counted(row.clusters()));
        match row.pairs() {
            1 => format!("{}: one pair with {least} items in common, over {clusters}", row.name),
            pairs => {
                format!("{}: {pairs} pairs with {least} items or more in common, over {clusters}", row.name)
            }
        }
    };
    let judged = rows.into_iter().filter(|row| row.pairs() > 0);
    judged.map(row).collect::<Vec<_>>().join("; ") + "."
}

/// Remarks on limits of the intervals of each row, each with its code.
fn remarks(found: &JudgesFound) -> Vec<(&'static str, String)> {
    let rows = || std::iter::once(&found.people).chain(found.judges.iter().map(|judge| &judge.compared));
    let within = rows().filter_map(|row| {
        let holds = within_these_queries(row.within?, row.kind);
        Some(("within_these_queries", format!("{}: agreement {holds}.", row.name)))
    });
    let few = rows().filter_map(|row| {
        let few = few_effective_clusters(row.values.iter().copied(), row.kind)?;
        Some(("few_effective_clusters", format!("{}: {few}.", row.name)))
    });
    within.chain(few).collect()
}

fn notes(found: &JudgesFound) -> Vec<String> {
    let mut notes = vec![match found.people.pairs() {
        0 => "Only one person judged, so there is no row of people among themselves.".to_owned(),
        1 => {
            "people: the one pair of people; judges: means over the people they share items with.".to_owned()
        }
        pairs => {
            format!("people: means over {pairs} pairs; judges: means over the people they share items with.")
        }
    }];
    if let (Ok(_), timed, items) = found.people_cost {
        let of_timed = match items - timed {
            0 => String::new(),
            _ => format!(" at the mean time of the {timed} whose time is known"),
        };
        notes.push(format!("cost of people: one pass of one person over their {items} items{of_timed}."));
    }
    let left_out = |judge: &Compared| {
        let unlinked = judge.unlinked.unwrap_or_default();
        let parts = [
            (unlinked.person_names_none, "where the person names no single bullet"),
            (unlinked.judge_names_none, "where the judge names none"),
            (unlinked.judge_names_several, "where it names several"),
        ];
        let said: Vec<String> = parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        (!said.is_empty()).then(|| format!("{} {}", judge.name, said.join(", ")))
    };
    let compared = || found.judges.iter().map(|judge| &judge.compared);
    let named: Vec<String> = compared().filter_map(left_out).collect();
    if compared().any(|judge| judge.linking().linked > 0) && !named.is_empty() {
        notes.push(format!("Left out of linking, because one side only is linked: {}.", named.join("; ")));
    }
    notes
}

/// All judges and the people on the items that all of them judged, so that none had easier items.
fn on_common(subject: &str, found: &JudgesFound) -> Option<Table> {
    let rows = found.on_common.as_slice();
    let judges = rows.get(1..)?;
    let items = judges.first()?.items.items;
    if items == 0 {
        return None;
    }
    let title = format!("{subject} · On the {items} items that a person and all judges judged");
    let table = Table::of(title, compared_columns(rows, &found.statistics), rows)
        .keyed("common_items")
        .note(rests_on(rows));
    Some(table)
}

/// Each judge's agreement with people beside that of people among themselves.
fn beside_people(subject: &str, found: &JudgesFound, intervals: Intervals) -> Option<Table> {
    struct DifferenceRow<'a> {
        beside: &'a Beside,
        at: usize,
        statistic: &'static Statistic,
        difference: Estimate,
    }
    let mut rows = Vec::new();
    for beside in &found.beside {
        let differences = beside.differences(&found.statistics, intervals).into_iter().enumerate();
        rows.extend(
            differences.zip(found.statistics.list()).map(|((at, difference), (statistic, _))| {
                DifferenceRow { beside, at, statistic, difference }
            }),
        );
    }
    let value = |of: fn(&Beside) -> &Compared| {
        move |row: &DifferenceRow<'_>| Some(of(row.beside).values.get(row.at)?.value)
    };
    let columns = [
        Column::new("annotator", "annotator", |row: &DifferenceRow<'_>| row.beside.judge.name.clone()),
        Column::new("statistic", "statistic", |row: &DifferenceRow<'_>| row.statistic.heading),
        Column::new("name", "name", |row: &DifferenceRow<'_>| row.statistic.name).detail(),
        Column::new("items", "items", |row: &DifferenceRow<'_>| row.beside.judge.items.items),
        Column::new("over", "over", |row: &DifferenceRow<'_>| {
            row.beside.judge.kind.counted(row.difference.clusters)
        }),
        Column::new("judge", "with people", value(|beside| &beside.judge)).decimals(DECIMALS),
        Column::new("people", "people", value(|beside| &beside.people)).decimals(DECIMALS),
        Column::new("difference", "difference", |row: &DifferenceRow<'_>| row.difference).decimals(DECIMALS),
        Column::new("as_good", "as good", |row: &DifferenceRow<'_>| as_good(row.difference, found.margin?))
            .shown_if(found.margin.is_some()),
    ];
    let mut table = Table::of(format!("{subject} · Judges beside people on the same items"), columns, &rows)
        .keyed("beside_people")
        .note(
            "On the items that the judge and at least two people judged: its agreement with people, that of \
             people with each other, and the difference. Above 0 the judge agrees with people better than \
             they do.",
        );
    if let Some(margin) = found.margin {
        table.facts.insert("margin".to_owned(), margin.into());
        table.notes.push(format!(
            "As good: yes where the whole interval of the difference is above −{margin}, no where it is below, open where it holds both \
             (a test of non-inferiority with the margin given, at 2.5 %)."
        ));
    }
    (!rows.is_empty()).then_some(table)
}

/// Whether the interval of a difference lies above −margin (yes), below it (no), or on both sides (open).
fn as_good(difference: Estimate, margin: f64) -> Option<&'static str> {
    let interval = difference.interval?.ok()?;
    Some(match (interval.low > -margin, interval.high < -margin) {
        (true, _) => "yes",
        (_, true) => "no",
        _ => "open",
    })
}

fn confusion(subject: &str, question: &Question, judge: &Compared) -> Table {
    type ChoiceRow<'a> = (&'a Choice, Vec<u64>);
    let choices = question.choices();
    let counts = judge.confusion(choices.len()).into_iter();
    let counts = counts.map(|row| row.into_iter().map(u64::from).collect());
    let rows: Vec<ChoiceRow<'_>> = choices.iter().zip(counts).collect();
    let mut columns = vec![
        Column::new("people", "people", |(choice, _): &ChoiceRow<'_>| choice.value.clone()).detail(),
        Column::new("label", "people", |(choice, _): &ChoiceRow<'_>| choice.label.clone()),
    ];
    columns.extend(choices.iter().enumerate().map(|(at, choice)| {
        let count = move |(_, counts): &ChoiceRow<'_>| counts.get(at).copied();
        Column::new(choice.value.as_str(), choice.label.as_str(), count)
    }));
    let mut table =
        Table::of(format!("{subject} · People's labels by those of {}", judge.name), columns, &rows)
            .keyed(format!("labels_by_{}", judge.name))
            .fact("judge", judge.name.as_str())
            .finding(TableFinding::LabelsByJudge(
                rows.into_iter().map(|(choice, counts)| (choice.label.clone(), counts)).collect(),
            ));
    if judge.items.judgments > judge.items.items {
        table.notes.push("Counts are pairs of a person's and the judge's judgment.".to_owned());
    }
    table
}

/// The bias of each judge for each summarizer, as in Laban et al. 2024, Table 4.
fn bias_by_summarizer(subject: &str, biases: &[(&str, &JudgeBias)]) -> Table {
    let all = biases.iter().flat_map(|(_, bias)| &bias.summarizers);
    let names: BTreeSet<&str> = all.map(|(name, ..)| name.as_str()).collect();
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by(|one, other| by_name(one, other));
    let mut columns = vec![Column::new("summarizer", "summarizer", |name: &&str| (*name).to_owned())];
    for (judge, bias) in biases {
        let of = |name: &&str| bias.summarizers.iter().find(|(other, ..)| other == name);
        let number = move |name: &&str| of(name).map(|(_, number, _)| *number);
        columns.push(Column::new(format!("{judge}_summaries"), "n", number));
        let bias = move |name: &&str| of(name).map(|(.., bias)| *bias);
        // A judge may have the name of another column.
        let is_taken =
            *judge == "summarizer" || biases.iter().any(|(other, _)| *judge == format!("{other}_summaries"));
        let key = if is_taken { format!("judge_{judge}") } else { (*judge).to_owned() };
        columns.push(Column::new(key, *judge, bias).decimals(DECIMALS));
    }
    let mut table = Table::of(format!("{subject} · Bias by summarizer"), columns, &names)
        .keyed("bias")
        .finding(TableFinding::Bias(
            names.iter().map(|name| (*name).to_owned()).collect(),
            biases.iter().map(|(judge, bias)| ((*judge).to_owned(), (*bias).clone())).collect(),
        ))
        .note(
            "Mean score under the judge less that under people, from 0 for the least label to 1 for the \
             greatest, averaged over the n summaries that both judged; the last row is the unweighted mean \
             of the rows.",
        );
    let averages = biases.iter().map(|(_, bias)| bias.average.cell());
    let averages = averages.flat_map(|average| [Cell::Empty, average]);
    table.total = std::iter::once("average".into()).chain(averages).collect();
    table
}

fn length_bias(subject: &str, biases: &[(&str, &JudgeBias)]) -> Table {
    let columns: [Column<'_, (&str, &JudgeBias)>; 3] = [
        Column::new("judge", "judge", |(judge, _): &(&str, &JudgeBias)| (*judge).to_owned()),
        Column::new("length_to_difference", "length to difference", |(_, bias): &(&str, &JudgeBias)| {
            bias.length_to_difference
        })
        .decimals(3),
        Column::new("length_to_score", "length to score", |(_, bias): &(&str, &JudgeBias)| {
            bias.length_to_score
        })
        .decimals(3),
    ];
    Table::of(format!("{subject} · Length bias"), columns, biases)
        .keyed("length_bias")
        .note("Pearson's r over summaries of words per line with the judge's bias, and with its score.")
}
