//! Agreement between annotators.

use std::collections::BTreeMap;

use super::{MOST_PEOPLE, PERCENT, about, all_of, largest, of_largest, with_intervals};
use crate::agreement::Pair;
use crate::error::{ErrorKind, Result};
use crate::figure::{Figure, Sources};
use crate::number::number_of;
use crate::report::{
    Column, ComparedPair, Comparison, Findings, QuestionAgreement, Table, TableFinding, is_tied,
};
use crate::score::LabelAgainstOthers;
use crate::text::words::listed;
use paper::forms::{Axis, DotRow, Dots, Grid, Panel, PlotPoint, Series, Shaded};
use paper::scale::number;
use paper::scene::ColourRole;

/// Decimals of coefficients.
const DECIMALS: usize = 2;

/// Alpha and percent agreement on every question.
pub fn agreement(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let intervals = sources.asked.part.uncertainty.intervals;
    let asked: Vec<QuestionAgreement> = sources
        .comparisons()?
        .iter()
        .map(|comparison| Findings::of(comparison, intervals).main())
        .filter(|asked| asked.items > 0)
        .collect();
    let columns: [Column<'_, QuestionAgreement>; 5] = [
        Column::new("question", "question", |row: &QuestionAgreement| row.name.clone()),
        Column::new("items", "items", |row: &QuestionAgreement| row.items),
        Column::new("annotators", "annotators", |row: &QuestionAgreement| row.annotators),
        Column::new("alpha", "Krippendorff's α", |row: &QuestionAgreement| row.alpha).decimals(DECIMALS),
        Column::new("percent_agreement_items", "equal", |row: &QuestionAgreement| row.equal)
            .decimals(DECIMALS),
    ];
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let table = Table::of("Agreement by question", columns, &asked).keyed("agreement").note(
        "Krippendorff's alpha on the scale of the labels; equal: the share of equal ratings, averaged over items.",
    );
    let row = |row: &QuestionAgreement| {
        let (alpha, equal) = (PlotPoint::from(row.alpha), PlotPoint::from(row.equal));
        DotRow {
            name: row.name.clone(),
            points: vec![alpha, PlotPoint { interval: None, ..equal }],
            texts: vec![row.items.to_string(), alpha.shown(DECIMALS)],
        }
    };
    let panels = vec![Panel { title: String::new(), rows: asked.iter().map(row).collect() }];
    let axis = with_intervals("α, from 0 as by chance to 1 where all agree", &panels);
    let dots = Dots {
        axis: Axis::of(axis, Some((-1.0, 1.0)), Some(0.0)),
        series: vec![
            Series::new("Krippendorff’s α", ColourRole::A, false),
            Series::new("share of equal ratings", ColourRole::Muted, true),
        ],
        columns: vec!["items".to_owned(), "α".to_owned()],
        panels,
    };
    let alphas = || asked.iter().map(|row| (row.name.clone(), PlotPoint::from(row.alpha)));
    let says = match alphas().filter(|(_, alpha)| alpha.value.is_some()).collect::<Vec<_>>().as_slice() {
        [] => "No question has an alpha.".to_owned(),
        [(name, only)] => format!("{name}: Krippendorff’s α is {}.", only.told(DECIMALS)),
        all => match ends(alphas()) {
            Some([least, most]) => {
                let count = number_of(all.len(), "question");
                format!("Over {count}, α is lowest for {least} and highest for {most}.")
            }
            None => format!("For each of {} questions, α is {}.", all.len(), all[0].1.shown(DECIMALS)),
        },
    };
    Ok(vec![Figure::new("agreement", &[], "Agreement by question", table, dots).says([says])])
}

/// Cohen's kappa of every two annotators.
pub fn pairs(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let mut found = Vec::new();
    for comparison in sources.comparisons()? {
        let names = comparison.annotators();
        if names.len() < 3 || names.len() > MOST_PEOPLE {
            continue;
        }
        let pairs = comparison.pairs().pairs;
        let columns: [Column<'_, ComparedPair>; 5] = [
            Column::new("a", "a", |row: &ComparedPair| row.pair.a.clone()),
            Column::new("b", "b", |row: &ComparedPair| row.pair.b.clone()),
            Column::new("items", "items", |row: &ComparedPair| row.pair.items),
            Column::new("percent_agreement", "equal", |row: &ComparedPair| row.pair.percent_agreement)
                .decimals(DECIMALS),
            Column::new("cohen_kappa", "Cohen κ", |row: &ComparedPair| row.pair.cohen_kappa)
                .decimals(DECIMALS),
        ];
        let subject = comparison.subject();
        let title = format!("{subject}: Cohen’s κ of each pair");
        let table = Table::of(title.as_str(), columns, &pairs).keyed("pairs");
        let table = of_protocol(table, comparison);
        let of_pair: BTreeMap<(&str, &str), &Pair> =
            pairs.iter().map(|row| ((row.pair.a.as_str(), row.pair.b.as_str()), &row.pair)).collect();
        let kappa = |pair: &Pair| PlotPoint::from(pair.cohen_kappa);
        let field = |a: &&str, b: &&str| match of_pair.get(&(*a, *b)).or_else(|| of_pair.get(&(*b, *a))) {
            Some(pair) => Shaded {
                text: kappa(pair).shown(DECIMALS),
                note: pair.items.to_string(),
                share: kappa(pair).value.map(f64::abs),
                is_other: kappa(pair).value.is_some_and(|kappa| kappa < 0.0),
                is_framed: false,
            },
            None => Shaded::default(),
        };
        // Only below the diagonal, so that each pair stands once.
        let fields = names.iter().enumerate().skip(1).map(|(at, a)| {
            let own = names.iter().enumerate().take(names.len() - 1);
            own.map(|(other, b)| if other < at { field(a, b) } else { Shaded::default() }).collect()
        });
        let kappas = pairs.iter().map(|row| &row.pair);
        let kappas = kappas.map(|pair| (format!("{} with {}", pair.a, pair.b), kappa(pair)));
        let says = ends(kappas).map(|[least, most]| format!("Least agree {least}; most agree {most}."));
        let grid = Grid {
            rows: names.iter().skip(1).map(|name| (*name).to_owned()).collect(),
            columns: names.iter().take(names.len() - 1).map(|name| (*name).to_owned()).collect(),
            fields: fields.collect(),
            foot: "Cohen’s κ".to_owned(),
            note_foot: "below it the items of both".to_owned(),
            ..Grid::default()
        };
        let about = [subject.replace(" · ", "/")];
        let about: Vec<&str> = about.iter().map(String::as_str).collect();
        found.push(Figure::new("pairs", &about, title, table.clone(), grid).says(says));
    }
    Ok(found)
}

/// All with the lowest number and all with the highest, each with the number; `None` where these are one.
fn ends(numbered: impl Iterator<Item = (String, PlotPoint)> + Clone) -> Option<[String; 2]> {
    let end = |sign: f64| {
        let valued = numbered.clone().filter_map(|(name, point)| Some((sign * point.value?, (name, point))));
        let (number, all) = largest(valued)?;
        let shown = all.first()?.1.shown(DECIMALS);
        let names: Vec<String> = all.into_iter().map(|(name, _)| name).collect();
        Some((sign * number, format!("{} ({shown})", listed(&names))))
    };
    let ((low, least), (high, most)) = (end(-1.0)?, end(1.0)?);
    (!is_tied(low, high)).then_some([least, most])
}

/// Adds the protocol of a comparison to its table, where there is one.
fn of_protocol(table: Table, comparison: &Comparison) -> Table {
    match &comparison.protocol {
        Some(protocol) => table.fact("protocol", protocol.as_str()),
        None => table,
    }
}

/// The most pairs of people whose confusions are drawn; with more none is, and two people can be named.
const PAIRS: usize = 3;

/// Labels of one annotator against those of another: pairs of people, and judges against people.
pub fn confusion(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let mut found = Vec::new();
    let (mut first, mut why) = (Vec::new(), None);
    match sources.comparisons() {
        Ok(comparisons) => first.extend(comparisons),
        Err(error) if error.kind() == ErrorKind::Failed => why = Some(error),
        Err(error) => return Err(error),
    }
    for comparison in first.iter().filter(|comparison| comparison.tag.is_none()) {
        if comparison.number_of_pairs() > PAIRS {
            continue;
        }
        let findings = Findings::of(comparison, sources.asked.part.uncertainty.intervals);
        let names = comparison.annotators();
        let labels: Vec<&str> =
            comparison.ratings.categories().iter().map(|category| category.label.as_str()).collect();
        findings.counts.each_pair(|a, b, confusion| {
            let [a, b] = [a, b].map(|rater| names.get(rater).copied().unwrap_or_default());
            let counts: Vec<Vec<u64>> = confusion.rows().map(<[u64]>::to_vec).collect();
            let rows: Vec<(&str, &Vec<u64>)> = labels.iter().copied().zip(&counts).collect();
            let mut columns =
                vec![Column::new("label", format!("{a} says"), |row: &(&str, &Vec<u64>)| row.0)];
            columns.extend(labels.iter().enumerate().map(|(at, label)| {
                let count = move |row: &(&str, &Vec<u64>)| row.1.get(at).copied();
                Column::new(format!("says_{label}"), *label, count)
            }));
            let subject = comparison.subject();
            let title = format!("{subject}: labels of {a} and {b}");
            let table = of_protocol(Table::of(title, columns, &rows).keyed("confusion"), comparison);
            let about = [subject.replace(" · ", "/"), format!("{a}-{b}")];
            let titles = [a, b].map(|name| format!("{name} says"));
            found.extend(confusion_of(&about, titles, &labels, &counts, table));
        });
    }
    let by_judge = sources.judges().unwrap_or_default();
    for table in by_judge {
        let TableFinding::LabelsByJudge(rows) = &table.finding else { continue };
        let (labels, counts): (Vec<&str>, Vec<Vec<u64>>) =
            rows.iter().map(|(label, counts)| (label.as_str(), counts.clone())).unzip();
        let (judge, [protocol, question]) = (table.said("judge"), about(table).map(str::to_owned));
        let about = [protocol, question, format!("people-{judge}")];
        let titles = ["people say".to_owned(), format!("{judge} says")];
        found.extend(confusion_of(&about, titles, &labels, &counts, table.clone()));
    }
    match why {
        Some(error) if found.is_empty() => Err(error),
        _ => Ok(found),
    }
}

/// A confusion matrix, shaded by the share of the row.
fn confusion_of(
    about: &[String],
    titles: [String; 2],
    labels: &[&str],
    counts: &[Vec<u64>],
    table: Table,
) -> Option<Figure> {
    let all: u64 = counts.iter().flatten().sum();
    let same: u64 = counts.iter().enumerate().filter_map(|(at, row)| row.get(at)).sum();
    if all == 0 {
        return None;
    }
    let row = |(at, row): (usize, &Vec<u64>)| {
        let sum: u64 = row.iter().sum();
        let field = |(column, count): (usize, &u64)| {
            let share = (sum > 0).then(|| *count as f64 / sum as f64);
            Shaded {
                text: count.to_string(),
                note: share.map_or_else(String::new, |share| format!("{} %", number(share * 100.0, 0))),
                share,
                is_other: false,
                is_framed: at == column,
            }
        };
        row.iter().enumerate().map(field).collect()
    };
    let sums = counts.iter().map(|row| row.iter().sum::<u64>().to_string()).collect();
    let columns =
        (0..labels.len()).map(|at| counts.iter().filter_map(|row| row.get(at)).sum::<u64>().to_string());
    let names = || labels.iter().map(|label| (*label).to_owned()).collect::<Vec<String>>();
    let grid = Grid {
        titles,
        rows: names(),
        columns: names(),
        fields: counts.iter().enumerate().map(row).collect(),
        outside: Some(("all".to_owned(), sums, columns.collect())),
        foot: "counts, shaded by their share of the row".to_owned(),
        note_foot: "below them the share".to_owned(),
    };
    let about: Vec<&str> = about.iter().map(String::as_str).collect();
    let says =
        format!("The same label in {same} of {all} ({} %).", number(same as f64 * 100.0 / all as f64, 0));
    let title = table.title.clone();
    Some(Figure::new("confusion", &about, title, table, grid).says([says]))
}

/// How often each annotator gives each label, beside the others, each over all that she judged.
pub fn shares(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let figure = |table: &Table| {
        let TableFinding::LabelShares(choices, people) = &table.finding else { return None };
        if !(2..=MOST_PEOPLE).contains(&people.len()) {
            return None;
        }
        let mut apart: Vec<(f64, String)> = Vec::new();
        let mut panel = |(at, heading): (usize, &String)| {
            let row = |(name, labels): &(String, Vec<LabelAgainstOthers>)| {
                let name = sources.name("annotator", name);
                let label = labels.get(at);
                let points: [PlotPoint; 2] =
                    [label.map(|label| label.share), label.map(|label| label.others)].map(PlotPoint::from);
                if let [Some(one), Some(other)] = points.map(|point| point.value) {
                    let told = format!(
                        "{name} gives “{heading}” {}\u{a0}% of the time, the others {}\u{a0}%",
                        number(one, 0),
                        number(other, 0)
                    );
                    apart.push(((one - other).abs(), told));
                }
                DotRow { name, points: points.to_vec(), texts: Vec::new() }
            };
            Panel { title: heading.clone(), rows: people.iter().map(row).collect() }
        };
        let panels: Vec<Panel> = choices.iter().enumerate().map(&mut panel).collect();
        let dots = Dots {
            axis: Axis::of("share of the labels, %", PERCENT, None),
            series: vec![
                Series::new("the annotator", ColourRole::A, false),
                Series::new("the others, on all that they judged", ColourRole::Muted, true),
            ],
            columns: Vec::new(),
            panels,
        };
        let about = about(table);
        let title = format!("{}: labels of each annotator", about.join(" ").trim_end());
        let alike = "Each label has the same share for everyone.";
        let says = of_largest(apart, alike, |_, told| format!("Farthest from the others: {}.", all_of(told)));
        Some(Figure::new("shares", &about, title, table.clone(), dots).says(says))
    };
    Ok(sources.status()?.iter().filter_map(figure).collect())
}
