//! Judges in a file of labels: their agreement with people, and scores corrected for their errors.

use indexmap::IndexMap;

use crate::agreement::judge::{
    Alignment, AlternativeTest, AnnotatorTested, CorrectedShares, JudgeConfusion, PoweredMean,
};
use crate::agreement::{
    Category, Clusters, Estimate, Interval, Intervals, Measure, NumberRange, Ratings, RatingsBuilder, Scale,
    TableError, Undefined,
};
use crate::error::{Error, Result};
use crate::formats::ratings::{GroupedItems, RatingsFile};
use crate::number::number_of;
use crate::report::{
    Better, Cell, Column, CorrectedRow, HOW_CORRECTED, HOW_CORRECTED_VARIES, Table, corrected_columns,
};

/// The options for the judges of a file.
#[derive(Debug, Clone, Default)]
pub struct LabelsAsked {
    /// The columns that are judges; if empty, the columns whose names say so.
    pub judges: Vec<String>,
    /// The numbers of the labels, in their order; empty if they have none.
    pub scores: Vec<f64>,
    /// How much worse than a person a judge may be, from 0 to 1: see [`AlternativeTest`].
    pub epsilon: f64,
    pub alignment_is_near: bool,
    /// The wanted half width of intervals, in percentage points; a note says how many more labels that takes.
    pub plan: Option<f64>,
    pub intervals: Intervals,
}

/// The false discovery rate of the procedure of Benjamini and Yekutieli.
const LEVEL: f64 = 0.05;

/// The labels of an item, as places among the labels of the file.
struct LabelledItem {
    cluster: u32,
    /// The label of each annotator.
    labels: Vec<Option<usize>>,
}

/// A judge's labels beside the reference: the label that more than half of the people gave.
struct JudgedItems {
    name: String,
    /// Items with a reference: cluster, reference label, judge's label.
    both: Vec<(u32, usize, usize)>,
    /// Items that the judge alone labelled: cluster and label.
    alone: Vec<(u32, usize)>,
    /// Items on which people tie.
    ties: usize,
}

/// A row of the first table.
struct FileJudgeRow {
    judge: String,
    group: Option<String>,
    items: usize,
    alone: usize,
    /// Accuracy, balanced accuracy, macro F1.
    estimates: Vec<Estimate>,
    /// Cohen's kappa, and that with quadratic weights where labels have numbers.
    kappas: [Option<Estimate>; 2],
}

/// Tables of the judges: agreement with people, overall and by label; corrected shares and means; and whether a judge may
/// stand for a person.
///
/// # Errors
/// No column is a judge's, or no column is a person's.
pub fn of_labels(file: &RatingsFile, asked: &LabelsAsked) -> Result<Vec<Table>> {
    let is_judge = judges_among(file, asked)?;
    let items = labelled_items(file);
    let clusters = match &file.clusters {
        None => "items".to_owned(),
        Some(clusters) => format!("the groups of {}", clusters.column),
    };
    let judges: Vec<JudgedItems> = (0..file.annotators.len())
        .filter(|annotator| is_judge[*annotator])
        .map(|annotator| JudgedItems::of(file, &items, &is_judge, annotator))
        .collect();
    let mut tables = vec![overview(file, &items, &judges, &is_judge, asked)];
    for judge in &judges {
        tables.extend(corrected(file, judge, asked));
        tables.push(by_label(file, judge, asked.intervals));
    }
    tables.extend(alternative(file, &items, &is_judge, asked));
    if let Some(first) = tables.first_mut() {
        first.notes.extend(file.warnings.iter().map(|warning| format!("Warning: {warning}.")));
        first.notes.extend(left_out(&items, &is_judge, &judges));
    }
    let note = format!("95 % intervals over {clusters}; each is left out in turn (jackknife).");
    Table::note_intervals(&mut tables, note);
    Ok(tables)
}

/// Notes on what people labelled and no number of a judge counts: ties, and items that the judge has no label of.
fn left_out(items: &[LabelledItem], is_judge: &[bool], judges: &[JudgedItems]) -> Vec<String> {
    let of_people = |item: &LabelledItem| -> Vec<usize> {
        let people = item.labels.iter().zip(is_judge).filter(|(_, is_judge)| !**is_judge);
        people.filter_map(|(label, _)| *label).collect()
    };
    let people: Vec<Vec<usize>> = items.iter().map(of_people).filter(|people| !people.is_empty()).collect();
    let ties = people.iter().filter(|people| majority(people).is_none()).count();
    let tied = format!(
        "People tie on {}, which no number counts but those of the test whether a judge may stand for a person.",
        number_of(ties, "item")
    );
    let silent = judges.iter().filter_map(|judge| {
        let silent = people.len() - judge.both.len() - judge.ties;
        let items = number_of(silent, "item");
        let note = format!(
            "{} says nothing of {items} that people labelled; no number of {0} counts them.",
            judge.name
        );
        (silent > 0).then_some(note)
    });
    (ties > 0).then_some(tied).into_iter().chain(silent).collect()
}

/// For each annotator, whether it is a judge.
fn judges_among(file: &RatingsFile, asked: &LabelsAsked) -> Result<Vec<bool>> {
    let is_called = |name: &str| {
        let name = name.to_lowercase();
        ["judge", "model", "llm", "auto"].iter().any(|word| name.contains(word))
    };
    if let Some(unknown) = asked.judges.iter().find(|name| !file.annotators.contains(name)) {
        return Err(Error::usage(format!("there is no column {unknown:?} of labels"))
            .advise(format!("there are {}", file.annotators.join(", "))));
    }
    let is_judge = |name: &String| match asked.judges.as_slice() {
        [] => is_called(name),
        named => named.contains(name),
    };
    let found: Vec<bool> = file.annotators.iter().map(is_judge).collect();
    if !found.contains(&true) || !found.contains(&false) {
        let what = if found.contains(&true) { "a person's" } else { "a judge's" };
        return Err(Error::usage(format!("no column is {what}"))
            .advise(format!("name the judges with --judge; there are {}", file.annotators.join(", "))));
    }
    Ok(found)
}

fn labelled_items(file: &RatingsFile) -> Vec<LabelledItem> {
    let cluster = |item: u32| match &file.clusters {
        Some(clusters) => clusters.of_item.get(item as usize).copied().unwrap_or(item),
        None => item,
    };
    let nobody = vec![None; file.annotators.len()];
    let mut items: Vec<LabelledItem> = (0..file.items.len() as u32)
        .map(|item| LabelledItem { cluster: cluster(item), labels: nobody.clone() })
        .collect();
    for rating in &file.ratings {
        let item = items.get_mut(rating.item as usize);
        if let Some(label) = item.and_then(|item| item.labels.get_mut(usize::from(rating.annotator))) {
            *label = Some(usize::from(rating.category));
        }
    }
    items
}

impl JudgedItems {
    fn of(file: &RatingsFile, items: &[LabelledItem], is_judge: &[bool], judge: usize) -> JudgedItems {
        let name = file.annotators[judge].clone(); // one of them
        let mut found = JudgedItems { name, both: Vec::new(), alone: Vec::new(), ties: 0 };
        for item in items {
            let Some(judged) = item.labels.get(judge).copied().flatten() else { continue };
            let people = item.labels.iter().zip(is_judge).filter(|(_, is_judge)| !**is_judge);
            let people: Vec<usize> = people.filter_map(|(label, _)| *label).collect();
            match (people.is_empty(), majority(&people)) {
                (true, _) => found.alone.push((item.cluster, judged)),
                (false, Some(reference)) => found.both.push((item.cluster, reference, judged)),
                (false, None) => found.ties += 1,
            }
        }
        found
    }

    fn confusion(&self, labels: usize) -> JudgeConfusion {
        JudgeConfusion::of(labels, self.both.iter().map(|(_, reference, judge)| (*reference, *judge)))
    }

    /// The mean over all items of a number of each label.
    fn powered(&self, number: impl Fn(usize) -> f64) -> PoweredMean {
        let both = self.both.iter();
        let labelled: Vec<(u32, f64, f64, f64)> =
            both.map(|(cluster, people, judge)| (*cluster, number(*people), number(*judge), 1.0)).collect();
        let alone: Vec<(u32, f64)> =
            self.alone.iter().map(|(cluster, judge)| (*cluster, number(*judge))).collect();
        PoweredMean::of_clusters(&labelled, &alone)
    }
}

/// The label that more than half gave.
fn majority(labels: &[usize]) -> Option<usize> {
    let votes = |label: usize| labels.iter().filter(|other| **other == label).count();
    labels.iter().copied().find(|label| 2 * votes(*label) > labels.len())
}

/// Statistics of pairs with their intervals over clusters.
fn estimated(
    pairs: &[(u32, usize, usize)],
    labels: usize,
    intervals: Intervals,
    statistics: impl Fn(&JudgeConfusion) -> Vec<(Measure, NumberRange)> + Sync,
) -> Vec<Estimate> {
    let mut of_cluster: IndexMap<u32, Vec<(usize, usize)>> = IndexMap::new();
    for (cluster, reference, judge) in pairs {
        of_cluster.entry(*cluster).or_default().push((*reference, *judge));
    }
    let of_cluster: Vec<Vec<(usize, usize)>> = of_cluster.into_values().collect();
    let of = |confusion: &JudgeConfusion| statistics(confusion).into_iter().map(|(value, _)| value).collect();
    let whole = JudgeConfusion::of(labels, of_cluster.iter().flatten().copied());
    let each: Vec<Vec<Measure>> =
        of_cluster.iter().map(|own| of(&JudgeConfusion::of(labels, own.iter().copied()))).collect();
    let carries = |cluster: usize, at: usize| {
        each.get(cluster).and_then(|values: &Vec<Measure>| values.get(at)).is_some_and(|value| value.is_ok())
    };
    let changed = |changed: &[(usize, u64)]| {
        let mut counts = whole.counts.clone();
        for (cluster, times) in changed {
            for (reference, judge) in of_cluster.get(*cluster).into_iter().flatten() {
                if let Some(count) = counts.get_mut(*reference).and_then(|row| row.get_mut(*judge)) {
                    *count = *count - 1 + times;
                }
            }
        }
        of(&JudgeConfusion { counts })
    };
    intervals.of_clusters(of_cluster.len(), &statistics(&whole), carries, changed)
}

/// Cohen's kappa of the reference and the judge, as in `haymark agree`, and with quadratic weights where labels have numbers.
fn kappas(
    pairs: &[(u32, usize, usize)],
    labels: &[String],
    scores: Option<&Vec<f64>>,
    intervals: Intervals,
) -> [Option<Estimate>; 2] {
    let (ratings, clusters) = (paired(pairs, labels, scores), pairs.iter().map(|pair| pair.0).collect());
    // This cannot fail: the file has no more labels than a table, and each item comes once.
    let Ok(ratings) = ratings else { return [None, None] };
    let found = intervals.coefficients(&ratings, &Clusters::of(clusters));
    let names = ["cohen_kappa", "cohen_kappa_quadratic"];
    names.map(|name| {
        let found = found.iter().find(|coefficient| coefficient.name == name)?;
        Some(Estimate { value: found.value, interval: found.interval, clusters: found.items })
    })
}

fn paired(
    pairs: &[(u32, usize, usize)],
    labels: &[String],
    scores: Option<&Vec<f64>>,
) -> std::result::Result<Ratings, TableError> {
    let scale = if scores.is_some() { Scale::Interval } else { Scale::Nominal };
    let number = |at: usize| scores.and_then(|scores| scores.get(at)).copied().unwrap_or(at as f64);
    let categories = labels.iter().enumerate().map(|(at, label)| Category::new(label.clone(), number(at)));
    let mut builder = RatingsBuilder::new(scale, categories.collect())?;
    for (at, (_, reference, judge)) in pairs.iter().enumerate() {
        for (rater, label) in [("people", reference), ("judge", judge)] {
            builder.add(&at.to_string(), rater, labels.get(*label).map_or("", String::as_str))?;
        }
    }
    Ok(builder.finish())
}

fn shares_of(value: Measure) -> (Measure, NumberRange) {
    (value, NumberRange::Between(0.0, 1.0))
}

/// A row for each judge, and one for each judge and group.
fn overview(
    file: &RatingsFile,
    items: &[LabelledItem],
    judges: &[JudgedItems],
    is_judge: &[bool],
    asked: &LabelsAsked,
) -> Table {
    let labels = file.categories.len();
    let statistics = |confusion: &JudgeConfusion| {
        [confusion.accuracy(), confusion.balanced_accuracy().0, confusion.macro_f1()].map(shares_of).to_vec()
    };
    let has_numbers = labels > 2 && asked.scores.len() == labels;
    let row = |judge: &JudgedItems, group: Option<String>| FileJudgeRow {
        judge: judge.name.clone(),
        group,
        items: judge.both.len(),
        alone: judge.alone.len(),
        estimates: estimated(&judge.both, labels, asked.intervals, statistics),
        kappas: kappas(&judge.both, &file.categories, has_numbers.then_some(&asked.scores), asked.intervals),
    };
    let mut rows: Vec<FileJudgeRow> = judges.iter().map(|judge| row(judge, None)).collect();
    for GroupedItems { names, of_item, .. } in &file.groups {
        for (group, name) in (0..).zip(names) {
            let own = items.iter().zip(of_item).filter(|(_, of)| **of == group).map(|(item, _)| item);
            let own: Vec<LabelledItem> =
                own.map(|item| LabelledItem { cluster: item.cluster, labels: item.labels.clone() }).collect();
            let judges = (0..file.annotators.len()).filter(|annotator| is_judge[*annotator]);
            rows.extend(
                judges.map(|judge| row(&JudgedItems::of(file, &own, is_judge, judge), Some(name.clone()))),
            );
        }
    }
    let mut columns: Vec<Column<'_, FileJudgeRow>> =
        vec![Column::new("judge", "judge", |row: &FileJudgeRow| row.judge.clone())];
    if !file.groups.is_empty() {
        columns.push(Column::new("group", "group", |row: &FileJudgeRow| {
            row.group.clone().unwrap_or_else(|| "all".into())
        }));
    }
    columns.extend([
        Column::new("items", "with people", |row: &FileJudgeRow| row.items),
        Column::new("alone", "alone", |row: &FileJudgeRow| row.alone),
    ]);
    let estimate = |at: usize| move |row: &FileJudgeRow| row.estimates.get(at).copied();
    let kappa = |at: usize| move |row: &FileJudgeRow| row.kappas.get(at).copied().flatten();
    columns.extend([
        Column::new("accuracy", "accuracy", estimate(0)).decimals(3),
        Column::new("cohen_kappa", "kappa", kappa(0)).decimals(3),
        Column::new("cohen_kappa_quadratic", "quadratic kappa", kappa(1)).decimals(3).shown_if(has_numbers),
        Column::new("balanced_accuracy", "balanced accuracy", estimate(1)).decimals(3).spare(),
        Column::new("macro_f1", "macro F1", estimate(2)).decimals(3),
    ]);
    Table::of("Judges against people", columns, &rows).keyed("judges").headline()
}

/// A label, with the statistics of the judge on it.
struct JudgedLabelRow {
    label: String,
    people: u64,
    judge: u64,
    estimates: Vec<Estimate>,
}

fn by_label(file: &RatingsFile, judge: &JudgedItems, intervals: Intervals) -> Table {
    let labels = file.categories.len();
    let whole = judge.confusion(labels);
    let row = |(label, name): (usize, &String)| JudgedLabelRow {
        label: name.clone(),
        people: whole.support(label),
        judge: whole.predicted(label),
        estimates: estimated(&judge.both, labels, intervals, |confusion| {
            [
                confusion.precision(label),
                confusion.recall(label),
                confusion.f1(label),
                confusion.rejection(label),
            ]
            .map(shares_of)
            .to_vec()
        }),
    };
    let rows: Vec<JudgedLabelRow> = file.categories.iter().enumerate().map(row).collect();
    let estimate = |at: usize| move |row: &JudgedLabelRow| row.estimates.get(at).copied();
    let columns = [
        Column::new("label", "label", |row: &JudgedLabelRow| row.label.clone()),
        Column::new("people", "people", |row: &JudgedLabelRow| row.people as usize),
        Column::new("judge", "judge", |row: &JudgedLabelRow| row.judge as usize),
        Column::new("precision", "precision", estimate(0)).decimals(3),
        Column::new("recall", "recall (TPR)", estimate(1)).decimals(3),
        Column::new("f1", "F1", estimate(2)).decimals(3),
        Column::new("tnr", "TNR", estimate(3)).decimals(3),
    ];
    Table::of(format!("{}: labels against people's", judge.name), columns, &rows)
        .keyed("labels")
        .fact("judge", judge.name.as_str())
}

/// Corrected shares of the labels, and the corrected mean where labels have numbers; `None` where the judge labelled
/// nothing alone.
fn corrected(file: &RatingsFile, judge: &JudgedItems, asked: &LabelsAsked) -> Option<Table> {
    if judge.alone.is_empty() {
        return None;
    }
    let labels = file.categories.len();
    let counts: Vec<u64> =
        (0..labels).map(|label| judge.alone.iter().filter(|(_, own)| *own == label).count() as u64).collect();
    let scores: Vec<f64> =
        if asked.scores.len() == labels { asked.scores.clone() } else { vec![0.0; labels] };
    let shares = CorrectedShares::of(&judge.confusion(labels), &counts, &scores);
    let mut rows: Vec<CorrectedRow> = Vec::new();
    let mut widest: Vec<f64> = Vec::new();
    for (label, name) in file.categories.iter().enumerate() {
        let mean = judge.powered(|own| if own == label { 100.0 } else { 0.0 });
        let inverted = shares.as_ref().map_err(|why| *why).and_then(|shares| {
            let interval = shares.interval(label).ok_or(Undefined::NoItems)?;
            Ok((100.0 * shares.shares.get(label).copied().unwrap_or_default(), times(interval, 100.0)))
        });
        widest.extend(mean.corrected().ok().map(|tuned| tuned.se));
        rows.push(CorrectedRow::of(format!("share of {name}, %"), &mean, Some(inverted), (0.0, 100.0)));
    }
    if asked.scores.len() == labels {
        let (low, high) = ends(&scores);
        let inverted =
            shares.as_ref().map_err(|why| *why).map(|shares| (shares.mean, shares.mean_interval(&scores)));
        let mean = judge.powered(|label| scores.get(label).copied().unwrap_or_default());
        rows.push(CorrectedRow::of("mean".to_owned(), &mean, Some(inverted), (low, high)));
    }
    let title = format!("{}: what the scores are once its errors are known", judge.name);
    let decimals = if asked.scores.len() == labels { 2 } else { 1 };
    let columns = [Column::new("what", "", |row: &CorrectedRow| row.what.clone())];
    let columns = columns.into_iter().chain(corrected_columns(decimals, true, Better::Unsaid));
    let mut table =
        Table::of(title, columns, &rows).keyed("corrected").fact("judge", judge.name.as_str()).headline();
    table.method = HOW_CORRECTED_VARIES.to_owned();
    table.notes.extend([HOW_CORRECTED, HOW_CORRECTED_VARIES].map(str::to_owned));
    table.notes.push("Each share is corrected by itself, so together they need not be 100.".to_owned());
    table.notes.push(
        "Rogan–Gladen: the shares of the items that the judge labelled alone, with its errors as on people's items taken out."
            .to_owned(),
    );
    if shares.is_ok_and(|shares| shares.is_clipped) {
        table.notes.push(
            "Rogan–Gladen lies outside of 0 and 100 before it is cut; its interval is poor there.".to_owned(),
        );
    }
    let widest = widest.into_iter().reduce(f64::max);
    table.notes.extend(asked.plan.zip(widest).map(|(half, se)| planned(judge.both.len(), se, half)));
    Some(table)
}

/// A note on how many more items people would have to label. The error is taken to fall with the root of the number of
/// items that people labelled.
fn planned(labelled: usize, se: f64, half: f64) -> String {
    let wanted = labelled as f64 * (Interval::NORMAL * se / half).powi(2);
    match (wanted.ceil() as usize).saturating_sub(labelled) {
        0 => format!("The intervals of the shares are within ± {half} points already."),
        more => format!("About {more} more items labelled by people bring the shares to ± {half} points."),
    }
}

fn ends(scores: &[f64]) -> (f64, f64) {
    let low = scores.iter().copied().fold(f64::INFINITY, f64::min);
    (low, scores.iter().copied().fold(f64::NEG_INFINITY, f64::max))
}

fn times(interval: Interval, factor: f64) -> Interval {
    Interval { low: interval.low * factor, high: interval.high * factor, ..interval }
}

/// A judge in the place of one person.
struct ReplacedRow {
    judge: String,
    person: String,
    tested: AnnotatorTested,
}

/// The alternative annotator test of each judge; `None` with fewer than three people.
fn alternative(
    file: &RatingsFile,
    items: &[LabelledItem],
    is_judge: &[bool],
    asked: &LabelsAsked,
) -> Option<Table> {
    let people: Vec<usize> = (0..file.annotators.len()).filter(|annotator| !is_judge[*annotator]).collect();
    if people.len() < 3 {
        return None;
    }
    let has_numbers = asked.scores.len() == file.categories.len();
    let number = |label: usize| if has_numbers { asked.scores[label] } else { label as f64 };
    let of = |annotator: usize| -> Vec<Option<f64>> {
        items.iter().map(|item| item.labels.get(annotator).copied().flatten().map(number)).collect()
    };
    let labels: Vec<Vec<Option<f64>>> = people.iter().map(|person| of(*person)).collect();
    let alignment = if asked.alignment_is_near && has_numbers { Alignment::Near } else { Alignment::Same };
    let mut rows = Vec::new();
    let mut notes = Vec::new();
    for judge in (0..file.annotators.len()).filter(|annotator| is_judge[*annotator]) {
        let name = &file.annotators[judge];
        let test = AlternativeTest::of(&labels, &of(judge), alignment, (asked.epsilon, LEVEL));
        notes.push(match (test.winning, test.advantage) {
            (Ok(share), Ok(advantage)) => format!(
                "{name} may stand for {:.0} % of the people, which {}; it is at least as near to the others as a person on {:.1} % \
                 of the items.",
                100.0 * share,
                if share >= 0.5 { "passes" } else { "does not pass: half of them is asked" },
                100.0 * advantage
            ),
            (Err(why), _) | (_, Err(why)) => format!("{name}: {why}"),
        });
        let tested = people.iter().zip(test.people);
        rows.extend(tested.map(|(person, tested)| ReplacedRow {
            judge: name.clone(),
            person: file.annotators[*person].clone(),
            tested,
        }));
    }
    let share = |of: fn(&AnnotatorTested) -> Measure| {
        move |row: &ReplacedRow| {
            of(&row.tested).map_or_else(Cell::Undefined, |value| Cell::Number(100.0 * value))
        }
    };
    let columns = [
        Column::new("judge", "judge", |row: &ReplacedRow| row.judge.clone()),
        Column::new("person", "in the place of", |row: &ReplacedRow| row.person.clone()),
        Column::new("items", "items", |row: &ReplacedRow| row.tested.items),
        Column::new("judge_share", "judge as near", share(|tested| tested.judge)).right().percent(),
        Column::new("person_share", "person as near", share(|tested| tested.person)).right().percent(),
        Column::new("p", "p", |row: &ReplacedRow| {
            row.tested.adjusted.map_or_else(Cell::Undefined, Cell::Number)
        })
        .p_value(),
    ];
    let mut table = Table::of("May a judge stand for a person", columns, &rows).keyed("alternative");
    table.notes = notes;
    table.notes.push(match alignment {
        Alignment::Same => "Nearer is who has the label of more of the others.".to_owned(),
        Alignment::Near => "Nearer is whose label has the smaller mean squared distance to those of the others, by the labels' numbers.".to_owned(),
    });
    table.notes.push(format!(
        "Alternative annotator test (Calderon et al. 2025), at most {} worse; p is adjusted for the number of people.",
        asked.epsilon
    ));
    Some(table)
}
