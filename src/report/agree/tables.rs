//! All numbers of a comparison as tables: coefficients, pairs, and the parts behind them.

use indexmap::IndexSet;

use super::{ComparedPair, Comparison, Findings, PairsListed, most_of, parts, title_of};
use crate::agreement::{Coefficient, Estimate, Interval, LinkedCounts, Measure, PairsUsed, Precision, Scale};
use crate::number::NO_PLACE;
use crate::report::{Column, Heading, IntoCell, Table, TableFinding};
use crate::score::ClusterKind;

/// Decimals of coefficients, as papers print them.
pub const DECIMALS: usize = 3;

/// The most pairs of annotators that are shown to people.
const MOST_SHOWN: usize = 200;

/// All tables of a comparison, from the items used to the confusions.
pub fn tables(findings: &Findings<'_>, is_for_programs: bool) -> Vec<Table> {
    let mut tables = vec![coefficients(findings)];
    if findings.comparison.annotators().len() > 1 {
        let listed = findings.comparison.pairs();
        // Programs get all pairs, people those with the most items.
        let is_shown = match is_for_programs {
            true => vec![true; listed.pairs.len()],
            false => most_of(&listed.pairs.iter().map(|row| row.pair.items).collect::<Vec<_>>(), MOST_SHOWN),
        };
        tables.extend(parts::linked(findings));
        tables.push(by_pair(findings, &listed, &is_shown));
        // Programs read the same numbers from the table of pairs.
        tables.extend(parts::matrix(findings, &listed).filter(|_| !is_for_programs));
        tables.push(parts::by_category(findings));
        tables.extend(parts::by_group(findings));
        tables.push(parts::by_annotator(findings));
        tables.push(parts::confusions(findings, &listed, &is_shown));
    }
    for table in &mut tables {
        table.title = format!("{}: {}", findings.comparison.subject(), table.title);
    }
    Table::note_intervals(&mut tables, findings.method());
    tables.insert(0, Table { title: title(findings), ..parts::used(findings) });
    tables.iter_mut().for_each(|table| name_subject(table, findings));
    tables
}

/// Adds protocol, question and tag to every row, for programs.
pub fn name_subject(table: &mut Table, findings: &Findings<'_>) {
    let comparison = findings.comparison;
    let mut subject =
        vec![("protocol", comparison.protocol.clone()), ("question", comparison.question.clone())];
    if let Some(tag) = &comparison.tag {
        subject.push(("tag", Some(tag.clone())));
    }
    for (name, value) in &subject {
        table.facts.insert((*name).to_owned(), value.clone().into());
    }
    table.columns.splice(
        0..0,
        subject.iter().map(|(name, _)| Heading { detail: true, ..Heading::text(*name, *name) }),
    );
    for row in &mut table.rows {
        row.splice(0..0, subject.iter().map(|(_, name)| name.clone().cell()));
    }
}

fn title(findings: &Findings<'_>) -> String {
    let (comparison, counts) = (findings.comparison, &findings.counts);
    format!(
        "{} ({}): items {}, rated twice or more {}, ratings {}, annotators {}",
        comparison.subject(),
        comparison.scale_name(),
        counts.items_rated(),
        counts.items_pairable(),
        counts.ratings(),
        comparison.annotators().len(),
    )
}

struct CoefficientRow {
    name: &'static str,
    title: &'static str,
    estimate: Estimate,
    formula: Precision,
    items: u64,
    /// The pairs behind a mean over pairs of annotators.
    pairs: Option<PairsUsed>,
}

fn coefficients(findings: &Findings<'_>) -> Table {
    let mut rows: Vec<CoefficientRow> = findings
        .coefficients
        .iter()
        .map(|coefficient| CoefficientRow {
            name: coefficient.name,
            title: title_of(coefficient),
            estimate: findings.estimate(coefficient),
            formula: coefficient.precision,
            items: coefficient.items,
            pairs: coefficient.pairs,
        })
        .collect();
    rows.extend(linking_row(findings));
    let end = |pick: fn(&Interval) -> f64| {
        move |row: &CoefficientRow| {
            row.formula.interval.map(|interval| interval.as_ref().map(pick).map_err(|reason| *reason))
        }
    };
    let has_pairs = findings.comparison.number_of_pairs() > 1;
    let count = |row: &CoefficientRow| row.estimate.interval?.ok()?.clusters;
    let has_few = rows.iter().any(|row| count(row).is_some_and(|count| count.few().is_some()));
    let several = match findings.comparison.grouping.cluster {
        ClusterKind::Item => "clusters",
        kind => kind.words().1,
    };
    let columns = [
        Column::new("name", "name", |row: &CoefficientRow| row.name).detail(),
        Column::new("coefficient", "coefficient", |row: &CoefficientRow| row.title),
        Column::new("value", "value", |row: &CoefficientRow| row.estimate),
        Column::new("se", "SE", |row: &CoefficientRow| {
            row.estimate.interval.and_then(|interval| interval.ok()?.se)
        }),
        Column::new("formula_se", "SE by formula", |row: &CoefficientRow| row.formula.se),
        Column::new("formula_low", "low by formula", end(|interval| interval.low)).detail(),
        Column::new("formula_high", "high by formula", end(|interval| interval.high)).detail(),
        Column::new("items", "items", |row: &CoefficientRow| row.items),
        Column::new("pairs", "pairs", |row: &CoefficientRow| row.pairs.map(|pairs| pairs.defined))
            .shown_if(has_pairs),
        Column::new("least_items", "least overlap", |row: &CoefficientRow| {
            row.pairs.map(|pairs| pairs.least_items)
        })
        .shown_if(has_pairs),
        // An interval's clusters have the same two names in JSON and CSV.
        Column::new("clusters", several, |row: &CoefficientRow| Some(count(row)?.number)),
        Column::new("effective_clusters", "in effect", |row: &CoefficientRow| Some(count(row)?.in_effect()))
            .shown_if(has_few),
    ];
    let columns = columns.map(|column| column.decimals(DECIMALS));
    Table::of("coefficients", columns, &rows)
        .keyed("coefficients")
        .headline()
        .fact("why", findings.why())
        .fact("remarks", findings.remarks().into_iter().map(|(code, _)| code).collect::<Vec<_>>())
        .noted(findings.why())
        .noted(findings.notes())
}

/// Linking accuracy: how often two annotators who link an item to one bullet name the same one, averaged over pairs
/// (SummHay §4.2).
fn linking_row(findings: &Findings<'_>) -> Option<CoefficientRow> {
    let links = findings.comparison.links.as_ref()?;
    let of_place = &findings.comparison.grouping.of_place;
    let linked = || links.iter().map(|linking| linking.linked).filter(|linked| *linked > 0);
    let cluster = |place: usize| of_place.get(place).copied().unwrap_or(NO_PLACE);
    Some(CoefficientRow {
        name: "linking_accuracy",
        title: "Linking accuracy",
        estimate: links.accuracy(cluster, findings.intervals),
        formula: Precision::default(),
        items: links.items(),
        pairs: Some(PairsUsed {
            defined: linked().count() as u64,
            total: findings.comparison.number_of_pairs() as u64,
            least_items: linked().min().unwrap_or(0),
        }),
    })
}

/// Notes on the pairs of annotators that a table leaves out.
pub fn notes_of_pairs<'l>(
    listed: &'l PairsListed,
    is_shown: &[bool],
) -> impl Iterator<Item = String> + use<'l> {
    let (all, shown) = (is_shown.len(), is_shown.iter().filter(|is| **is).count());
    let note = format!(
        "{shown} of {all} pairs of annotators are shown, those with the most items in common; --format json has {all}."
    );
    listed.note.clone().into_iter().chain((shown < all).then_some(note))
}

/// The statistics of a pair, or their means over all pairs.
struct PairRow {
    names: [String; 2],
    items: Option<u64>,
    /// The items that both link.
    linked: Option<u64>,
    /// The numbers, in the order of the statistics; `None` where there is nothing to compute.
    numbers: Vec<Option<Measure>>,
}

/// A statistic of pairs: its name, its heading, whether people see it, and its number.
type PairStatistic = (&'static str, &'static str, bool, Box<dyn Fn(&ComparedPair) -> Option<Measure>>);

fn pair_statistics(comparison: &Comparison) -> Vec<PairStatistic> {
    // Labels without an order have no codes to correlate.
    let is_ordered = comparison.ratings.scale() != Scale::Nominal;
    let mut found: Vec<PairStatistic> = vec![
        ("percent_agreement", "equal", true, Box::new(|row| Some(row.pair.percent_agreement))),
        ("cohen_kappa", "Cohen κ", true, Box::new(|row| Some(row.pair.cohen_kappa))),
        ("cohen_kappa_linear", "κ linear", false, Box::new(|row| Some(row.pair.cohen_kappa_linear))),
        ("cohen_kappa_quadratic", "κ quadratic", false, Box::new(|row| Some(row.pair.cohen_kappa_quadratic))),
        ("pearson_r", "Pearson r", is_ordered, Box::new(|row| Some(row.pair.pearson_r))),
        ("kappa_max", "κ at most", true, Box::new(|row| Some(row.margins.kappa_max))),
        ("bias_index", "bias", true, Box::new(|row| Some(row.margins.bias_index))),
        ("prevalence_index", "preva- lence", true, Box::new(|row| Some(row.margins.prevalence_index))),
    ];
    if comparison.links.is_some() {
        let accuracy = |row: &ComparedPair| row.linking.map(|linking| linking.accuracy());
        found.push(("linking_accuracy", "linking", true, Box::new(accuracy)));
        for (at, share) in LinkedCounts::default().shares().into_iter().enumerate().skip(1) {
            let value =
                move |row: &ComparedPair| Some(row.linked.unwrap_or_default().shares()[at].estimate.value);
            found.push((share.name, share.title, false, Box::new(value)));
        }
    }
    found
}

/// The mean over the pairs where a statistic is defined, else the reason why it is not.
fn mean(numbers: impl Iterator<Item = Measure> + Clone) -> Option<Measure> {
    let defined: Vec<f64> = numbers.clone().flatten().filter(|value| value.is_finite()).collect();
    match defined.len() {
        0 => numbers.clone().find(Measure::is_err),
        count => Some(Ok(defined.iter().sum::<f64>() / count as f64)),
    }
}

fn by_pair(findings: &Findings<'_>, listed: &PairsListed, is_shown: &[bool]) -> Table {
    let statistics = pair_statistics(findings.comparison);
    let row = |pair: &ComparedPair| PairRow {
        names: [pair.pair.a.clone(), pair.pair.b.clone()],
        items: Some(pair.pair.items),
        linked: pair.linking.map(|linking| linking.linked),
        numbers: statistics.iter().map(|(.., number)| number(pair)).collect(),
    };
    let pairs = listed.pairs.iter().zip(is_shown).filter(|(_, is_shown)| **is_shown);
    let mut rows: Vec<PairRow> = pairs.map(|(pair, _)| row(pair)).collect();
    // A mean over selected pairs would not be that of all.
    if listed.pairs.len() > 1 && listed.note.is_none() {
        let mean = |(.., number): &PairStatistic| mean(listed.pairs.iter().filter_map(number));
        let numbers = statistics.iter().map(mean).collect();
        let names = ["mean", ""].map(str::to_owned);
        rows.push(PairRow { names, items: None, linked: None, numbers });
    }
    let mut columns = vec![
        Column::new("a", "a", |row: &PairRow| row.names[0].clone()),
        Column::new("b", "b", |row: &PairRow| row.names[1].clone()),
        Column::new("items", "items", |row: &PairRow| row.items),
    ];
    for (at, (name, heading, is_shown, _)) in statistics.iter().enumerate() {
        let number = move |row: &PairRow| row.numbers.get(at).copied().flatten();
        columns.push(Column::new(*name, *heading, number).shown_if(*is_shown));
        if *name == "linking_accuracy" {
            columns.push(Column::new("linked", "linked", |row: &PairRow| row.linked));
        }
    }
    let columns = columns.into_iter().map(|column| column.decimals(DECIMALS));
    Table::of("pairs", columns, &rows).keyed("pairs").noted(notes_of_pairs(listed, is_shown)).note(
        "κ at most: the largest kappa that these marginals allow. Bias: how far the two differ in how often \
         they use the labels. Prevalence: how unevenly they use them together. All from 0 to 1.",
    )
}

/// The main numbers of every question, a row for each.
pub fn overview(findings: &[Findings<'_>]) -> Table {
    type FindingsRow<'a> = Findings<'a>;
    let of = |found: &FindingsRow<'_>, coefficient: Option<&Coefficient>| {
        coefficient.map(|one| found.estimate(one))
    };
    let links = |found: &FindingsRow<'_>| {
        let link = found.shares.iter().find(|share| share.name == "link_agreement_exact");
        link.map(|share| share.estimate)
    };
    let columns = [
        Column::new("question", "question", |found: &FindingsRow<'_>| found.comparison.subject()),
        Column::new("annotators", "people", |found: &FindingsRow<'_>| found.comparison.annotators().len()),
        Column::new("items", "items judged twice or more", |found: &FindingsRow<'_>| {
            found.counts.items_pairable()
        }),
        Column::new("over", "over", Findings::clusters_in_words),
        Column::new("agreement", "equal", |found: &FindingsRow<'_>| of(found, found.agreement_of_kappa())),
        Column::new("alpha", "Krippendorff's α", |found: &FindingsRow<'_>| of(found, found.alpha())),
        Column::new("kappa", "κ", |found: &FindingsRow<'_>| of(found, found.kappa())),
        Column::new("ac1", "Gwet's AC1", |found: &FindingsRow<'_>| of(found, found.find("gwet_ac1"))),
        Column::new("links", "same bullets", links)
            .shown_if(findings.iter().any(|found| links(found).is_some())),
        Column::new("alpha_name", "α is", |found: &FindingsRow<'_>| found.comparison.scale_name()).detail(),
        Column::new("kappa_name", "κ is", |found: &FindingsRow<'_>| found.kappa().map(title_of)).detail(),
    ];
    let columns = columns.map(|column| column.decimals(DECIMALS));
    let mut table = Table::of("Agreement by question", columns, findings)
        .keyed("agreement")
        .headline()
        .finding(TableFinding::Agreement(findings.iter().map(Findings::main).collect()));
    let kappas: IndexSet<&str> = findings.iter().filter_map(|found| found.kappa().map(title_of)).collect();
    let kappas: Vec<&str> = kappas.into_iter().collect();
    table.notes.push(format!(
        "equal: the share of agreement that κ corrects for chance. α is on the scale of the labels. κ is {}. A dash: not asked, \
         or not defined.",
        kappas.join(", ")
    ));
    for found in findings {
        let remarks = found.remarks().into_iter();
        table.notes.extend(remarks.map(|(_, remark)| format!("{}: {remark}", found.comparison.subject())));
    }
    table.notes.extend(findings.iter().map(Findings::method).collect::<IndexSet<String>>());
    table
}
