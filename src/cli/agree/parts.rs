//! What the coefficients are made of: items used, labels and links, categories, groups of items, annotators, confusions.

use super::findings::{Findings, alpha_on};
use super::tables::{DECIMALS, count, ends};
use crate::agreement::{Confusion, Counts, Definition};
use crate::cli::table::{Cell, Column, Table};

/// More annotators than this make no readable matrix.
const MOST_IN_MATRIX: usize = 12;

/// The coefficients that are given for every group of items.
pub const GROUPED: [(&str, &str); 3] =
    [("percent_agreement_items", "equal"), ("fleiss_kappa_generalized", "Fleiss κ"), ("gwet_ac1", "AC1")];

/// Items that are compared, and what is left out and why.
pub fn used(findings: &Findings<'_>) -> Table {
    let columns = vec![
        Column::text("use", "use").detail(),
        Column::text("what", "what"),
        Column::count("count", "count"),
    ];
    let mut table = Table::new("items used", columns);
    let counts = &findings.counts;
    table.rows.push(vec![
        "compared".into(),
        "items rated twice or more".into(),
        count(counts.items_pairable()),
    ]);
    table.rows.push(vec!["ratings".into(), "their ratings".into(), count(counts.ratings_pairable())]);
    for (name, number, sentence) in findings.dropped() {
        // The sentence begins with the number, which has a column of its own.
        let what =
            sentence.trim_start_matches(|character: char| character.is_ascii_digit() || character == ' ');
        table.rows.push(vec![name.into(), format!("left out: {what}").as_str().into(), Cell::Count(number)]);
    }
    table
}

/// Agreement on labels and links, where a question links.
pub fn linked(findings: &Findings<'_>) -> Option<Table> {
    let linked = findings.comparison.linked.as_ref()?;
    let columns = vec![
        Column::text("name", "name").detail(),
        Column::text("statistic", "over all pairs of annotators"),
        Column::number("value", "share", DECIMALS),
        Column::number("low", "95 % from", DECIMALS),
        Column::number("high", "to", DECIMALS),
        Column::text("interval", "by"),
        Column::count("items", "of"),
    ];
    let mut table = Table::new("labels and links", columns);
    for share in &findings.shares {
        let mut row = vec![share.name.into(), share.title.into(), Cell::number(share.value)];
        row.extend(ends(share.interval));
        row.push(count(share.of));
        table.rows.push(row);
    }
    let all = linked.links.total(&findings.comparison.ratings, &linked.asks);
    table.notes.push(format!(
        "Where both cover, neither names a bullet {} times, which counts as the same, and one of the two names none {} \
         times, which counts as different.",
        all.both_unlinked, all.one_unlinked
    ));
    Some(table)
}

/// Cohen's kappa of each pair above the diagonal, their common items below it.
pub fn matrix(findings: &Findings<'_>) -> std::option::IntoIter<Table> {
    let names = findings.comparison.annotators();
    if names.len() < 3 || names.len() > MOST_IN_MATRIX {
        return None.into_iter();
    }
    let mut columns = vec![Column::text("annotator", "")];
    columns.extend(names.iter().map(|name| Column::number(*name, *name, DECIMALS)));
    let mut table = Table::new("Cohen's κ above, common items below", columns);
    let mut cells = vec![vec![Cell::Empty; names.len()]; names.len()];
    let pairs = (0..names.len()).flat_map(|a| (a + 1..names.len()).map(move |b| (a, b)));
    for ((a, b), compared) in pairs.zip(findings.comparison.pairs()) {
        // a and b are numbers of annotators.
        cells[a][b] = Cell::number(compared.pair.cohen_kappa);
        cells[b][a] = count(compared.pair.items);
    }
    for (name, cells) in names.iter().zip(cells) {
        table.rows.push(std::iter::once((*name).into()).chain(cells).collect());
    }
    Some(table).into_iter()
}

/// How far annotators agree on each label.
pub fn by_category(findings: &Findings<'_>) -> Table {
    let columns = vec![
        Column::text("label", "label"),
        Column::count("ratings", "ratings"),
        Column::number("share", "share", DECIMALS),
        Column::number("specific_agreement", "agreement", DECIMALS),
    ];
    let mut table = Table::new("labels", columns);
    for category in findings.counts.by_category() {
        table.rows.push(vec![
            category.label.as_str().into(),
            count(category.ratings),
            Cell::number(category.share),
            Cell::number(category.agreement),
        ]);
    }
    table.notes.push(
        "Agreement: of two ratings of an item, one of which is this label, how often the other is too."
            .to_owned(),
    );
    table
}

/// The coefficients of a group of items.
pub fn of_group(counts: &Counts<'_>, alpha: &str) -> Vec<(&'static str, Cell)> {
    let alpha = Definition::named(alpha);
    let names = GROUPED.iter().filter_map(|(name, _)| Definition::named(name));
    let definitions = names.chain(alpha);
    definitions
        .filter_map(|definition| Some((definition.name, Cell::number(definition.value(counts)?))))
        .collect()
}

/// Every query and every system by itself.
pub fn by_group(findings: &Findings<'_>) -> Vec<Table> {
    let alpha = alpha_on(findings.comparison.ratings.scale());
    let partitions = findings.comparison.grouping.partitions.iter();
    partitions
        .map(|partition| {
            let mut columns = vec![
                Column::text(partition.name, partition.name),
                Column::count("items", "items"),
                Column::count("items_pairable", "rated twice"),
            ];
            columns.extend(GROUPED.map(|(name, heading)| Column::number(name, heading, DECIMALS)));
            columns.push(Column::number(alpha, "alpha", DECIMALS));
            let title = if partition.name == "query" { "queries" } else { "systems" };
            let mut table = Table::new(title, columns);
            findings.counts.each_group(&partition.of_item, |group, counts| {
                if let Some(label) = partition.labels.get(group as usize) {
                    let mut row = vec![
                        label.as_str().into(),
                        count(counts.items_rated()),
                        count(counts.items_pairable()),
                    ];
                    row.extend(of_group(counts, alpha).into_iter().map(|(_, cell)| cell));
                    table.rows.push(row);
                }
            });
            table
        })
        .collect()
}

/// Every annotator: labels chosen, and agreement with the majority of the others.
pub fn by_annotator(findings: &Findings<'_>) -> Table {
    let labels = labels(findings);
    let mut columns = vec![Column::text("annotator", "annotator"), Column::count("ratings", "ratings")];
    columns.extend(labels.iter().map(|label| Column::count(format!("chosen_{label}"), *label)));
    columns.push(Column::number("agreement_with_rest", "with the rest", DECIMALS));
    columns.push(Column::count("rest_items", "of"));
    columns.push(Column::count("rest_ties", "ties"));
    let mut table = Table::new("annotators", columns);
    let counts = &findings.counts;
    let chosen = counts.labels_by_rater().into_iter().zip(counts.against_rest());
    for (name, (chosen, rest)) in findings.comparison.annotators().iter().zip(chosen) {
        let mut row = vec![(*name).into(), count(chosen.iter().sum())];
        row.extend(chosen.into_iter().map(count));
        row.extend([Cell::number(rest.agreement()), count(rest.items), count(rest.ties)]);
        table.rows.push(row);
    }
    table.notes.push(
        "With the rest: the share of items on which the annotator is of the others' majority; items on which the others \
         are divided are left out and counted as ties."
            .to_owned(),
    );
    table
}

fn labels<'a>(findings: &'a Findings<'_>) -> Vec<&'a str> {
    findings.comparison.ratings.categories().iter().map(|category| category.label.as_str()).collect()
}

/// How often a chose each label of the row and b that of the column, for each pair.
pub fn confusions(findings: &Findings<'_>) -> Table {
    let labels = labels(findings);
    let mut columns = vec![Column::text("a", "a"), Column::text("b", "b"), Column::text("label", "a says")];
    columns.extend(
        labels.iter().map(|label| Column::count(format!("b_says_{label}"), format!("b says {label}"))),
    );
    let mut table = Table::new("confusion", columns);
    let names = findings.comparison.annotators();
    each_confusion(findings, |a, b, confusion| {
        for (label, counts) in labels.iter().zip(confusion.rows()) {
            let name = |rater: usize| Cell::from(names.get(rater).copied().unwrap_or_default());
            let mut row: Vec<Cell> = vec![name(a), name(b), (*label).into()];
            row.extend(counts.iter().copied().map(count));
            table.rows.push(row);
        }
    });
    table.notes.extend(findings.comparison.why_no_pairs());
    table
}

/// Hands over the confusion of every pair, unless they are too many to list.
pub fn each_confusion(findings: &Findings<'_>, visit: impl FnMut(usize, usize, &Confusion)) {
    if findings.comparison.why_no_pairs().is_none() {
        findings.counts.each_pair(visit);
    }
}
