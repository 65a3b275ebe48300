//! The tables that show how judges do.

use std::collections::BTreeSet;

use super::compared::{Compared, STATISTICS};
use crate::protocol::{Protocol, Question};
use crate::report::table::{Cell, Column, Table};
use crate::score::JudgeBias;

/// Judges that have room beside each other.
const SIDE_BY_SIDE: usize = 4;

/// People first, then a row a judge; then what each judge's labels were where people gave which; then bias.
pub fn tables(
    protocol: &Protocol,
    question: &Question,
    people: &Compared,
    judges: &[Compared],
) -> Vec<Table> {
    let subject = match question.key == protocol.name {
        true => protocol.name.clone(),
        false => format!("{} · {}", protocol.name, question.key),
    };
    let mut tables = vec![overview(&subject, people, judges)];
    tables.extend(judges.iter().map(|judge| confusion(&subject, question, judge)));
    let biases: Vec<(&str, &JudgeBias)> =
        judges.iter().filter_map(|judge| Some((judge.name.as_str(), judge.bias.as_ref()?))).collect();
    if !biases.is_empty() {
        tables.extend(biases.chunks(SIDE_BY_SIDE).map(|biases| bias_by_summarizer(&subject, biases)));
        tables.push(length_bias(&subject, &biases));
    }
    for table in &mut tables {
        table.facts.insert("protocol".into(), protocol.name.clone().into());
        table.facts.insert("question".into(), question.key.clone().into());
    }
    tables
}

fn overview(subject: &str, people: &Compared, judges: &[Compared]) -> Table {
    let mut columns = vec![
        Column::new("annotator", "annotator", |row: &Compared| row.name.clone()),
        Column::new("pairs", "pairs", |row: &Compared| row.pairs).detail(),
        Column::new("items", "items", |row: &Compared| row.items),
    ];
    columns.extend(STATISTICS.iter().enumerate().map(|(at, statistic)| {
        let value = move |row: &Compared| row.coefficients.get(at).copied();
        Column::new(statistic.name, statistic.heading, value).decimals(3).shown_if(!statistic.is_detail)
    }));
    columns.extend([
        Column::new("linking_accuracy", "linking", |row: &Compared| row.linking_accuracy).decimals(3),
        Column::new("linked", "linked", |row: &Compared| row.linking.linked),
        Column::new("linked_same", "same", |row: &Compared| row.linking.same).detail(),
        Column::new("person_names_none", "person names none", |row: &Compared| {
            row.unlinked.person_names_none
        })
        .detail(),
        Column::new("judge_names_none", "judge names none", |row: &Compared| row.unlinked.judge_names_none)
            .detail(),
        Column::new("judge_names_several", "judge names several", |row: &Compared| {
            row.unlinked.judge_names_several
        })
        .detail(),
        Column::new("cost", "cost", |row: &Compared| row.cost).decimals(2),
    ]);
    let rows = std::iter::once(people).chain(judges);
    let mut table = Table::of(format!("{subject} · Judges against people"), columns, rows);
    table.notes = notes(people, judges);
    table
}

fn notes(people: &Compared, judges: &[Compared]) -> Vec<String> {
    let mut notes = vec![match people.pairs {
        0 => "Only one person judged, so there is no row of people among themselves.".to_owned(),
        1 => {
            "people: the one pair of people; judges: means over the people they share items with.".to_owned()
        }
        pairs => {
            format!("people: means over {pairs} pairs; judges: means over the people they share items with.")
        }
    }];
    if judges.iter().any(|judge| judge.linking.linked > 0) {
        let left_out = |judge: &Compared| {
            let unlinked = judge.unlinked;
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
        let named: Vec<String> = judges.iter().filter_map(left_out).collect();
        if !named.is_empty() {
            notes
                .push(format!("Left out of linking, because one side only is linked: {}.", named.join("; ")));
        }
    }
    notes
}

fn confusion(subject: &str, question: &Question, judge: &Compared) -> Table {
    type Row<'a> = (&'a str, &'a [u64]);
    let choices = question.choices();
    let labels = choices.iter().map(|choice| choice.label.as_str());
    let rows: Vec<Row<'_>> = labels.zip(judge.confusion.iter().map(Vec::as_slice)).collect();
    let mut columns = vec![Column::new("people", "people", |(label, _): &Row<'_>| (*label).to_owned())];
    columns.extend(choices.iter().enumerate().map(|(at, choice)| {
        let count = move |(_, counts): &Row<'_>| counts.get(at).copied();
        Column::new(choice.value.as_str(), choice.label.as_str(), count)
    }));
    Table::of(format!("{subject} · People's labels by those of {}", judge.name), columns, &rows)
        .fact("judge", judge.name.as_str())
}

/// As in Laban et al. 2024, Table 4: a row a summarizer, a column a judge.
fn bias_by_summarizer(subject: &str, biases: &[(&str, &JudgeBias)]) -> Table {
    let of = |bias: &JudgeBias, name: &str| {
        let found = bias.summarizers.iter().find(|(other, ..)| other == name)?;
        Some((found.1, found.2))
    };
    let most = move |name: &&str| biases.iter().filter_map(|(_, bias)| Some(of(bias, name)?.0)).max();
    let mut columns = vec![
        Column::new("summarizer", "summarizer", |name: &&str| (*name).to_owned()),
        Column::new("summaries", "n", move |name: &&str| most(name).unwrap_or(0)),
    ];
    columns.extend(biases.iter().map(|(judge, bias)| {
        Column::new(*judge, judge.replace('_', " "), move |name: &&str| of(bias, name).map(|(_, bias)| bias))
            .decimals(3)
    }));
    let names: BTreeSet<&str> =
        biases.iter().flat_map(|(_, bias)| &bias.summarizers).map(|(name, ..)| name.as_str()).collect();
    let mut table = Table::of(format!("{subject} · Bias by summarizer"), columns, &names);
    let averages = biases.iter().map(|(_, bias)| Cell::number(bias.average));
    table.total = ["average".into(), Cell::Empty].into_iter().chain(averages).collect();
    table.notes.push(
        "Mean coverage under the judge less that under people, 0 to 1, averaged over summaries; the \
                      last row is the unweighted mean of the rows."
            .to_owned(),
    );
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
    let mut table = Table::of(format!("{subject} · Length bias"), columns, biases);
    table.notes.push(
        "Pearson's r over summaries of words per line with the judge's bias, and with its score.".to_owned(),
    );
    table
}
