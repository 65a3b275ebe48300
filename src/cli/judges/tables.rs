//! The tables that show how judges do.

use std::collections::BTreeSet;

use super::compared::{COEFFICIENTS, Compared};
use crate::cli::table::{Cell, Column, Table};
use crate::protocol::{Protocol, Question};
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
    // In the order of the statistics.
    let headings =
        ["r", "accuracy", "kappa", "kappa linear", "kappa²", "alpha nominal", "alpha", "AC1", "AC2"];
    let is_detail = [false, false, false, true, false, true, false, false, true];
    let mut columns = vec![
        Column::text("annotator", "annotator"),
        Column::count("pairs", "pairs").detail(),
        Column::count("items", "items"),
    ];
    for ((name, heading), detail) in COEFFICIENTS.iter().zip(headings).zip(is_detail) {
        let column = Column::number(*name, heading, 3);
        columns.push(if detail { column.detail() } else { column });
    }
    columns.extend([
        Column::number("linking_accuracy", "linking", 3),
        Column::count("linked", "linked"),
        Column::count("linked_same", "same").detail(),
        Column::count("person_names_none", "person names none").detail(),
        Column::count("judge_names_none", "judge names none").detail(),
        Column::count("judge_names_several", "judge names several").detail(),
        Column::number("cost", "cost", 2),
    ]);
    let mut table = Table::new(format!("{subject} · Judges against people"), columns);
    table.rows.push(row(people));
    table.rows.extend(judges.iter().map(row));
    table.notes = notes(people, judges);
    table
}

fn row(compared: &Compared) -> Vec<Cell> {
    let items = usize::try_from(compared.items).unwrap_or(usize::MAX);
    let mut cells: Vec<Cell> =
        vec![compared.name.as_str().into(), Cell::Count(compared.pairs), Cell::Count(items)];
    cells.extend(compared.coefficients.iter().map(|value| Cell::number(*value)));
    let count = |number: u64| Cell::Count(usize::try_from(number).unwrap_or(usize::MAX));
    cells.extend([
        Cell::number(compared.linking_accuracy),
        count(compared.linking.linked),
        count(compared.linking.same),
        Cell::Count(compared.unlinked.person_names_none),
        Cell::Count(compared.unlinked.judge_names_none),
        Cell::Count(compared.unlinked.judge_names_several),
        compared.cost.map_or(Cell::Empty, Cell::Number),
    ]);
    cells
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
    let mut columns = vec![Column::text("people", "people")];
    columns.extend(
        question.choices().iter().map(|choice| Column::count(choice.value.as_str(), choice.label.as_str())),
    );
    let mut table = Table::new(format!("{subject} · People's labels by those of {}", judge.name), columns)
        .fact("judge", judge.name.as_str());
    for (choice, counts) in question.choices().iter().zip(&judge.confusion) {
        let counts = counts.iter().map(|count| Cell::Count(usize::try_from(*count).unwrap_or(usize::MAX)));
        table.rows.push(std::iter::once(Cell::from(choice.label.as_str())).chain(counts).collect());
    }
    table
}

/// As in Laban et al. 2024, Table 4: a row a summarizer, a column a judge.
fn bias_by_summarizer(subject: &str, biases: &[(&str, &JudgeBias)]) -> Table {
    let mut columns = vec![Column::text("summarizer", "summarizer"), Column::count("summaries", "n")];
    columns.extend(biases.iter().map(|(judge, _)| Column::number(*judge, judge.replace('_', " "), 3)));
    let mut table = Table::new(format!("{subject} · Bias by summarizer"), columns);
    let names: BTreeSet<&str> =
        biases.iter().flat_map(|(_, bias)| &bias.summarizers).map(|(name, ..)| name.as_str()).collect();
    for name in names {
        let found = |bias: &JudgeBias| bias.summarizers.iter().find(|(other, ..)| other == name).cloned();
        let count = biases.iter().filter_map(|(_, bias)| Some(found(bias)?.1)).max().unwrap_or(0);
        let values =
            biases.iter().map(|(_, bias)| found(bias).map_or(Cell::Empty, |(.., bias)| Cell::Number(bias)));
        table.rows.push([name.into(), Cell::Count(count)].into_iter().chain(values).collect());
    }
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
    let columns = vec![
        Column::text("judge", "judge"),
        Column::number("length_to_difference", "length to difference", 3),
        Column::number("length_to_score", "length to score", 3),
    ];
    let mut table = Table::new(format!("{subject} · Length bias"), columns);
    for (judge, bias) in biases {
        let cells = [Cell::number(bias.length_to_difference), Cell::number(bias.length_to_score)];
        table.rows.push(std::iter::once(Cell::from(*judge)).chain(cells).collect());
    }
    table.notes.push(
        "Pearson's r over summaries of words per line with the judge's bias, and with its score.".to_owned(),
    );
    table
}
