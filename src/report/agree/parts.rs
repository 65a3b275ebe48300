//! Tables behind the coefficients: items used, labels and links, categories, groups of items, annotators, confusions.

use std::collections::BTreeMap;

use super::{ComparedPair, DECIMALS, Findings, PairsListed, Partition, alpha_on, notes_of_pairs};
use crate::agreement::{
    AgainstRest, Bootstrap, CategoryAgreement, Counts, Definition, Estimate, Intervals, Share,
};
use crate::report::{Column, IntoCell, Table};

/// The most annotators of a readable matrix.
const MOST_IN_MATRIX: usize = 12;

/// The coefficients of every group of items.
const GROUPED: [(&str, &str); 3] =
    [("percent_agreement_items", "equal"), ("fleiss_kappa_generalized", "Fleiss κ"), ("gwet_ac1", "AC1")];

/// Items that are compared, and items left out by reason.
pub fn used(findings: &Findings<'_>) -> Table {
    let counts = &findings.counts;
    let mut rows: Vec<(&str, String, u64)> = vec![
        ("compared", "items rated twice or more".to_owned(), counts.items_pairable()),
        ("ratings", "their ratings".to_owned(), counts.ratings_pairable()),
    ];
    for (name, number, sentence) in findings.dropped() {
        // The sentence begins with the number, which has a column of its own.
        let what =
            sentence.trim_start_matches(|character: char| character.is_ascii_digit() || character == ' ');
        rows.push((name, format!("left out: {what}"), number as u64));
    }
    let columns: [Column<'_, (&str, String, u64)>; 3] = [
        Column::new("use", "use", |(name, ..): &(&str, String, u64)| (*name).to_owned()).detail(),
        Column::new("what", "what", |(_, what, _): &(&str, String, u64)| what.clone()),
        Column::new("count", "count", |(.., count): &(&str, String, u64)| *count),
    ];
    let comparison = findings.comparison;
    let categories = comparison.ratings.categories();
    let table = Table::of("items used", columns, &rows)
        .keyed("used")
        .fact("scale", comparison.scale_name())
        .fact("categories", labels(findings))
        .fact("scores", categories.iter().map(|category| category.code).collect::<Vec<f64>>())
        .fact("annotators", comparison.annotators())
        .fact("items", counts.items_rated())
        .fact("ratings", counts.ratings())
        .fact("cluster", comparison.grouping.cluster.words().0)
        .fact("clusters", findings.clusters);
    match findings.intervals {
        Intervals::Bootstrap(Bootstrap { resamples, seed }) => {
            table.fact("resamples", resamples).fact("seed", seed)
        }
        _ => table,
    }
}

/// Agreement on labels and links, where a question links.
pub fn linked(findings: &Findings<'_>) -> Option<Table> {
    let linked = findings.comparison.linked.as_ref()?;
    let columns = [
        Column::new("name", "name", |share: &Share| share.name).detail(),
        Column::new("statistic", "labels and links", |share: &Share| share.title),
        Column::new("value", "share", |share: &Share| share.estimate).decimals(DECIMALS),
        Column::new("items", "items", |share: &Share| share.items),
        Column::new("judgment_pairs", "pairs", |share: &Share| share.of),
    ];
    let all = linked.links.total(&findings.comparison.ratings, &linked.asks);
    let table = Table::of("labels and links", columns, &findings.shares)
        .keyed("linked")
        .over(findings.comparison.grouping.cluster)
        .note(format!(
            "Where both labels ask for a bullet, neither names one {} times and one of the two names none {} \
             times; only the label and the bullets together count these, the former as the same, the latter \
             as different.",
            all.both_unlinked, all.one_unlinked
        ));
    Some(table)
}

/// Cohen's kappa of each pair above the diagonal, their common items below it.
pub fn matrix(findings: &Findings<'_>, listed: &PairsListed) -> std::option::IntoIter<Table> {
    let names = findings.comparison.annotators();
    if names.len() < 3 || names.len() > MOST_IN_MATRIX {
        return None.into_iter();
    }
    let pairs = (0..names.len()).flat_map(|a| (a + 1..names.len()).map(move |b| (a, b)));
    let pairs: BTreeMap<(usize, usize), &ComparedPair> = pairs.zip(&listed.pairs).collect();
    let mut columns = vec![Column::new("annotator", "", |row: &usize| names[*row].to_owned())];
    columns.extend(names.iter().enumerate().map(|(column, name)| {
        let pairs = &pairs;
        let cell = move |row: &usize| match (pairs.get(&(*row, column)), pairs.get(&(column, *row))) {
            (Some(above), _) => above.pair.cohen_kappa.cell(),
            (_, below) => below.map(|below| below.pair.items).cell(),
        };
        Column::new(*name, *name, cell).right().decimals(DECIMALS)
    }));
    let rows: Vec<usize> = (0..names.len()).collect();
    Some(Table::of("Cohen's κ above, common items below", columns, &rows)).into_iter()
}

/// Agreement on each label.
pub fn by_category(findings: &Findings<'_>) -> Table {
    let columns: [Column<'_, CategoryAgreement>; 4] = [
        Column::new("label", "label", |category: &CategoryAgreement| category.label.clone()),
        Column::new("ratings", "ratings", |category: &CategoryAgreement| category.ratings),
        Column::new("share", "share", |category: &CategoryAgreement| category.share).decimals(DECIMALS),
        Column::new("specific_agreement", "agreement", |category: &CategoryAgreement| category.agreement)
            .decimals(DECIMALS),
    ];
    Table::of("labels", columns, &findings.counts.by_category())
        .keyed("by_label")
        .note("Agreement: of two ratings of an item, one of which is this label, how often the other is too.")
}

/// A group of items, such as a query or a system.
struct OfGroup {
    label: String,
    items: u64,
    items_pairable: u64,
    /// The coefficients of [`GROUPED`], then alpha.
    estimates: Vec<Option<Estimate>>,
}

/// Agreement in each group: in each query and each system, or by the fields that were asked for.
pub fn by_group(findings: &Findings<'_>) -> Vec<Table> {
    let (ratings, grouping) = (&findings.comparison.ratings, &findings.comparison.grouping);
    let alpha = alpha_on(ratings.scale());
    let named = || GROUPED.into_iter().chain([(alpha, "alpha")]);
    let definitions: Vec<&Definition> = named().filter_map(|(name, _)| Definition::named(name)).collect();
    let of_group = |label: &String, items: &[usize]| {
        let (own, clusters) = (ratings.of_items(items), grouping.clusters.of_items(items));
        let counts = Counts::of(&own);
        let intervals = findings.intervals.of_coefficients(&counts, &clusters, &definitions);
        let (number, weighed) = (clusters.rated(&own, 2), clusters.weigh(&counts));
        let estimates = definitions.iter().zip(intervals).map(|(definition, interval)| {
            Some(Estimate { value: definition.value(&weighed)?, interval, clusters: number })
        });
        OfGroup {
            label: label.clone(),
            items: counts.items_rated(),
            items_pairable: counts.items_pairable(),
            estimates: estimates.collect(),
        }
    };
    let of_partition = |partition: &Partition| {
        let mut items: Vec<Vec<usize>> = vec![Vec::new(); partition.labels.len()];
        for (item, group) in partition.of_item.iter().enumerate() {
            items.get_mut(*group as usize).into_iter().for_each(|items| items.push(item));
        }
        let rows: Vec<OfGroup> =
            partition.labels.iter().zip(&items).map(|(label, items)| of_group(label, items)).collect();
        let mut columns = vec![
            Column::new(&*partition.name, partition.name.replace('_', " "), |group: &OfGroup| {
                group.label.clone()
            }),
            Column::new("items", "items", |group: &OfGroup| group.items),
            Column::new("items_pairable", "rated twice", |group: &OfGroup| group.items_pairable),
        ];
        columns.extend(named().enumerate().map(|(at, (name, heading))| {
            Column::new(name, heading, move |group: &OfGroup| group.estimates.get(at).copied().flatten())
                .decimals(DECIMALS)
        }));
        let title = match &*partition.name {
            "query" => "queries".to_owned(),
            "system" => "systems".to_owned(),
            name => format!("by {}", name.replace('_', " ")),
        };
        Table::of(title, columns, &rows).keyed(format!("by_{}", partition.name)).over(grouping.cluster)
    };
    grouping.partitions.iter().map(of_partition).collect()
}

/// An annotator: labels chosen, and agreement with the majority of the others.
struct OfAnnotator<'a> {
    name: &'a str,
    chosen: Vec<u64>,
    rest: AgainstRest,
}

/// Labels and agreement of every annotator.
pub fn by_annotator(findings: &Findings<'_>) -> Table {
    let counts = &findings.counts;
    let chosen = counts.labels_by_rater().into_iter().zip(counts.against_rest());
    let rows: Vec<OfAnnotator<'_>> = findings
        .comparison
        .annotators()
        .into_iter()
        .zip(chosen)
        .map(|(name, (chosen, rest))| OfAnnotator { name, chosen, rest })
        .collect();
    let mut columns = vec![
        Column::new("annotator", "annotator", |row: &OfAnnotator<'_>| row.name.to_owned()),
        Column::new("ratings", "ratings", |row: &OfAnnotator<'_>| row.chosen.iter().sum::<u64>()),
    ];
    columns.extend(labels(findings).into_iter().enumerate().map(|(at, label)| {
        Column::new(format!("chosen_{label}"), label, move |row: &OfAnnotator<'_>| {
            row.chosen.get(at).copied()
        })
    }));
    columns.extend([
        Column::new("agreement_with_rest", "with the rest", |row: &OfAnnotator<'_>| row.rest.agreement())
            .decimals(DECIMALS),
        Column::new("rest_items", "of", |row: &OfAnnotator<'_>| row.rest.items),
        Column::new("rest_ties", "ties", |row: &OfAnnotator<'_>| row.rest.ties),
    ]);
    Table::of("annotators", columns, &rows).keyed("by_annotator").note(
        "With the rest: the share of items on which the annotator is of the others' majority; items on which \
         the others are divided are left out and counted as ties.",
    )
}

fn labels<'a>(findings: &'a Findings<'_>) -> Vec<&'a str> {
    findings.comparison.ratings.categories().iter().map(|category| category.label.as_str()).collect()
}

/// A row of a pair's confusion matrix: how often b chose each label where a chose this one.
struct PairConfusionRow<'a> {
    pair: [&'a str; 2],
    label: &'a str,
    counts: &'a [u64],
}

/// The confusion matrix of each pair: rows are the labels of a, columns those of b.
pub fn confusions(findings: &Findings<'_>, listed: &PairsListed, is_shown: &[bool]) -> Table {
    let labels = labels(findings);
    let shown = listed.pairs.iter().zip(is_shown).filter(|(_, is_shown)| **is_shown);
    let rows: Vec<PairConfusionRow<'_>> = shown
        .flat_map(|(ComparedPair { pair, confusion, .. }, _)| {
            labels.iter().zip(confusion.rows()).map(|(label, counts)| PairConfusionRow {
                pair: [&pair.a, &pair.b],
                label,
                counts,
            })
        })
        .collect();
    let mut columns = vec![
        Column::new("a", "a", |row: &PairConfusionRow<'_>| row.pair[0].to_owned()),
        Column::new("b", "b", |row: &PairConfusionRow<'_>| row.pair[1].to_owned()),
        Column::new("label", "a says", |row: &PairConfusionRow<'_>| row.label.to_owned()),
    ];
    columns.extend(labels.iter().enumerate().map(|(at, label)| {
        let count = move |row: &PairConfusionRow<'_>| row.counts.get(at).copied();
        Column::new(format!("b_says_{label}"), format!("b says {label}"), count)
    }));
    Table::of("confusion", columns, &rows).keyed("confusion").noted(notes_of_pairs(listed, is_shown))
}
