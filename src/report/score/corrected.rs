//! Scores of systems corrected for a judge's errors: people judged a sample, the judge all.

use std::collections::BTreeMap;

use indexmap::IndexSet;

use super::Scope;
use crate::agreement::Measure;
use crate::agreement::judge::PoweredMean;
use crate::error::{Error, Result};
use crate::number::short;
use crate::protocol::{Answer, Answers, Better, Question};
use crate::report::{
    Cell, Column, CorrectedRow, CountedJudgment, HOW_CORRECTED, HOW_CORRECTED_VARIES, Judged, Table,
    corrected_columns, insert_groups, names,
};
use crate::score::{ClusterKind, GroupLabels, score_range};
use crate::study::{AnnotatorKind, StandingSample, Target};

/// An item that the judge judged.
struct JudgedItem {
    group: GroupLabels,
    cluster: u32,
    /// The parts of the target that two systems share: collection, query, unit and document.
    about: String,
    people: Vec<f64>,
    judge: f64,
    target: Target,
    /// How many items this one stands for in the sample that people labelled.
    weight: f64,
}

/// The difference of two groups on the subjects of both.
struct SystemsApart {
    systems: [String; 2],
    row: CorrectedRow,
    p: Cell,
}

/// The corrected mean of a question's scores by group, the best first as a score of the protocol has it, else the largest; and the
/// differences of groups that are neighbours in rank.
pub(super) fn tables(scope: &Scope<'_>, judge: &str) -> Result<Vec<Table>> {
    let question = question(scope)?;
    let (mut items, (low, high)) = items(scope, question, judge)?;
    let rules = scope.rules();
    let mut said = rules.iter().filter(|rule| rule.is_mean_of(&question.key)).map(|rule| rule.better);
    let best = said.find(|better| *better != Better::Unsaid).unwrap_or(Better::High);
    let sample = weigh(scope, &mut items)?;
    let by = scope.by_or(&["system"]).by;
    let mut groups: BTreeMap<&GroupLabels, Vec<&JudgedItem>> = BTreeMap::new();
    items.iter().for_each(|item| groups.entry(&item.group).or_default().push(item));
    let mut rows: Vec<(GroupLabels, CorrectedRow, f64, Measure)> = groups
        .iter()
        .map(|(group, items)| {
            let mean =
                mean_of(items.iter().map(|item| (item.cluster, people_mean(item), item.judge, item.weight)));
            let value = mean.corrected().or(mean.classical);
            let worth = value.map_or(f64::NEG_INFINITY, |mean| best.worth(mean.estimate));
            let row = CorrectedRow::of(String::new(), &mean, None, (low, high));
            ((*group).clone(), row, worth, mean.corrected().map(|mean| mean.estimate))
        })
        .collect();
    rows.sort_by(|one, other| other.2.total_cmp(&one.2));
    let ordered: Vec<&GroupLabels> = rows.iter().map(|(group, ..)| group).collect();
    let apart: Vec<SystemsApart> = rows
        .windows(2)
        .filter_map(|two| {
            let [one, other] = [two.first()?, two.get(1)?];
            apart(&groups, (&one.0, &other.0), (high - low, one.3.or(other.3)))
        })
        .collect();
    let cells = rows.iter().map(|(_, row, ..)| row);
    let title = |what: &str| format!("{what} ({})", question.key);
    let mut table = Table::of(title("Corrected scores"), corrected_columns(1, false, best), cells)
        .keyed("corrected")
        .fact("question", question.key.as_str())
        .fact("by", names(&by))
        .fact("judge", judge)
        .headline()
        .note(format!("The means of people's labels over all that {judge} judged; over queries."))
        .noted([HOW_CORRECTED, HOW_CORRECTED_VARIES])
        .note(sample);
    insert_groups(&mut table, 0, &by, ordered.into_iter());
    table.method = HOW_CORRECTED_VARIES.to_owned();
    let columns = [
        Column::new("better", "ranked higher", |row: &SystemsApart| row.systems[0].clone()),
        Column::new("worse", "ranked lower", |row: &SystemsApart| row.systems[1].clone()),
    ];
    let numbers =
        corrected_columns(1, false, best).into_iter().map(|column| column.of(|row: &SystemsApart| &row.row));
    let p = Column::new("p", "p", |row: &SystemsApart| row.p.clone()).p_value();
    let mut differences =
        Table::of(title("Corrected differences"), columns.into_iter().chain(numbers).chain([p]), &apart)
            .keyed("corrected_differences")
            .fact("question", question.key.as_str())
            .fact("judge", judge);
    differences.method = HOW_CORRECTED_VARIES.to_owned();
    Ok(std::iter::once(table).chain((!apart.is_empty()).then_some(differences)).collect())
}

/// The question whose scores are corrected: the main one of the protocol.
fn question<'a>(scope: &Scope<'a>) -> Result<&'a Question> {
    let main = scope.protocol.main_question().filter(|question| score_range(question).is_some());
    main.ok_or_else(|| {
        Error::usage(format!("{:?} asks nothing whose choices have scores", scope.protocol.name))
            .in_file(scope.study.path())
            .advise("export the labels, and give them to `haymark judges FILE`")
    })
}

/// The items that the judge judged, with people's labels, and the range of scores.
fn items(scope: &Scope<'_>, question: &Question, judge: &str) -> Result<(Vec<JudgedItem>, (f64, f64))> {
    let wrong = |what: String| Error::usage(what).in_file(scope.study.path());
    let judges = scope.study.annotators_by_key()?;
    let found = judges.iter().find(|(_, who)| who.id == judge && who.kind == AnnotatorKind::Model);
    let Some((id, _)) = found else {
        let names = judges.iter().filter(|(_, who)| who.kind == AnnotatorKind::Model);
        let names: Vec<&str> = names.map(|(_, who)| who.id.as_str()).collect();
        return Err(
            wrong(format!("there is no judge {judge:?}")).advise(format!("there are {}", names.join(", ")))
        );
    };
    let people = BTreeMap::from([(*id, judge.to_owned())]);
    let judged = Judged::read(scope.frame, scope.protocol, &people, None, scope.part)?;
    let by = scope.by_or(&["system"]).by;
    let mut clusters: IndexSet<(String, String)> = IndexSet::new();
    let mut found: BTreeMap<u32, JudgedItem> = BTreeMap::new();
    for one in judged.each() {
        let (Some(number), Some(origin)) =
            (number_of(question, one.answers), judged.origin(scope.corpus, &one))
        else {
            continue;
        };
        let key = match scope.asked.part.uncertainty.cluster_or(ClusterKind::Query) {
            ClusterKind::Collection => (origin.collection.clone(), String::new()),
            _ => (origin.collection.clone(), origin.query.clone()),
        };
        let keys = scope.corpus.keys(one.target);
        let about = keys.map_or_else(String::new, |keys| {
            format!("{:?}", (&keys.collection, &keys.query, &keys.unit, &keys.document))
        });
        let group = by.iter().map(|by| by.label(&origin)).collect();
        let cluster = short(clusters.insert_full(key).0);
        found.insert(
            one.place,
            JudgedItem {
                group,
                cluster,
                about,
                people: Vec::new(),
                judge: number,
                target: *one.target,
                weight: 1.0,
            },
        );
    }
    let take = |one: CountedJudgment<'_>| {
        if let (Some(item), Some(number)) = (found.get_mut(&one.place), number_of(question, one.answers)) {
            item.people.push(number);
        }
    };
    scope.judged.each().filter(|one| one.annotator != *id).for_each(take);
    if found.is_empty() {
        return Err(wrong(format!("{judge} judged nothing under {:?}", scope.protocol.name)));
    }
    let scores = || question.choices().iter().filter_map(|choice| choice.score);
    let range = (scores().fold(f64::INFINITY, f64::min), scores().fold(f64::NEG_INFINITY, f64::max));
    Ok((found.into_values().collect(), range))
}

/// The score of the given label.
fn number_of(question: &Question, answers: &Answers) -> Option<f64> {
    let label = answers.get(&question.key).and_then(Answer::as_text)?;
    question.choices().iter().find(|choice| choice.value == label)?.score
}

fn people_mean(item: &JudgedItem) -> Option<f64> {
    let count = item.people.len();
    (count > 0).then(|| item.people.iter().sum::<f64>() / count as f64)
}

/// The corrected mean of items: cluster, people's number if any, the judge's number, and weight.
fn mean_of(items: impl Iterator<Item = (u32, Option<f64>, f64, f64)>) -> PoweredMean {
    let items: Vec<_> = items.collect();
    let labelled: Vec<(u32, f64, f64, f64)> =
        items.iter().filter_map(|item| Some((item.0, item.1?, item.2, item.3))).collect();
    let is_weighed = labelled.iter().any(|item| (item.3 - 1.0).abs() > 1e-9);
    let has_alone = labelled.len() < items.len();
    let judged = items.iter().filter(|item| item.1.is_none() || is_weighed && has_alone);
    let mean = PoweredMean::of_clusters(&labelled, &judged.map(|item| (item.0, item.2)).collect::<Vec<_>>());
    let judges_own = items.iter().map(|item| item.2).sum::<f64>() / items.len() as f64;
    PoweredMean { judged_mean: judges_own, ..mean }
}

/// Weights the items by the sample that holds all of people's labels, and gives a note on the sample. Labels
/// that no sample holds are refused, unless any sample is taken.
fn weigh(scope: &Scope<'_>, items: &mut [JudgedItem]) -> Result<String> {
    let records = &scope.corpus.records;
    let keys = |item: &JudgedItem| records.keys(&item.target);
    let labelled: Vec<_> = items.iter().filter(|item| !item.people.is_empty()).filter_map(keys).collect();
    if labelled.len() == items.len() {
        return Ok("People labelled all that the judge did.".to_owned());
    }
    let has_all = |sample: &&StandingSample| labelled.iter().all(|about| sample.stratum(about).is_some());
    let Some(sample) = records.samples.iter().filter(|_| !labelled.is_empty()).find(has_all) else {
        if scope.asked.takes_any_sample {
            return Ok(
                "Warning: that what people labelled is a random sample is taken for granted.".to_owned()
            );
        }
        let what = "what people labelled is no random sample that the study knows, and corrected scores hold for one only";
        return Err(Error::usage(what).in_file(scope.study.path()).advise(
            "draw one with `haymark assign STUDY --sample N --name NAME`, or take what there is for one with --any-sample",
        ));
    };
    for item in items.iter_mut().filter(|_| !scope.asked.part.uncertainty.is_unweighted) {
        let stratum = keys(item).and_then(|about| sample.stratum(&about));
        item.weight = stratum.map_or(1.0, |stratum| sample.weight(stratum));
    }
    Ok(sample.sample.sentence(&sample.name))
}

/// The means over the items of a group about one subject, such as the bullets of a summary: cluster, people's
/// number where they judged every item, the judge's number, and weight. `None` without items.
fn subject_of(items: &[&JudgedItem]) -> Option<(u32, Option<f64>, f64, f64)> {
    let mean = |number: &dyn Fn(&JudgedItem) -> Option<f64>| {
        let numbers: Option<Vec<f64>> = items.iter().map(|item| number(item)).collect();
        numbers.map(|numbers| numbers.iter().sum::<f64>() / items.len() as f64)
    };
    Some((
        items.first()?.cluster,
        mean(&people_mean),
        mean(&|item| Some(item.judge))?,
        mean(&|item| Some(item.weight))?,
    ))
}

/// The difference of two groups on the subjects that the judge judged in both; `None` without such a subject. Where neither
/// score can be corrected, nor can the difference.
fn apart(
    groups: &BTreeMap<&GroupLabels, Vec<&JudgedItem>>,
    (better, worse): (&GroupLabels, &GroupLabels),
    (range, corrected): (f64, Measure),
) -> Option<SystemsApart> {
    let by_subject = |group: &GroupLabels| -> Option<BTreeMap<&str, Vec<&JudgedItem>>> {
        let mut of: BTreeMap<&str, Vec<&JudgedItem>> = BTreeMap::new();
        groups.get(group)?.iter().for_each(|item| of.entry(&item.about).or_default().push(item));
        Some(of)
    };
    let (ones, others) = (by_subject(better)?, by_subject(worse)?);
    let pairs = ones.iter().filter_map(|(about, one)| {
        let (one, other) = (subject_of(one)?, subject_of(others.get(about)?)?);
        let people = one.1.zip(other.1).map(|(one, other)| one - other);
        Some((one.0, people, one.2 - other.2, one.3))
    });
    let mean = mean_of(pairs);
    let mean = PoweredMean { tuned: corrected.and(mean.tuned), ..mean };
    (mean.labelled + mean.judged > 0).then(|| SystemsApart {
        systems: [better, worse].map(crate::report::grouped::name_of),
        p: mean.corrected_p().map_or_else(Cell::Undefined, Cell::Number),
        row: CorrectedRow::of(String::new(), &mean, None, (-range, range)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bullets of one summary are one subject of a pair of systems: no bullet stands for the others.
    #[test]
    fn a_subject_is_the_mean_of_its_items() {
        let item = |judge: f64, people: &[f64]| JudgedItem {
            group: GroupLabels::default(),
            cluster: 3,
            about: String::new(),
            people: people.to_vec(),
            judge,
            target: Target {
                query: crate::study::QueryId(1),
                document: None,
                candidate: None,
                unit: None,
                bullet: None,
                other: None,
            },
            weight: 2.0,
        };
        let (both, alone) = (item(100.0, &[100.0, 0.0]), item(0.0, &[]));
        assert_eq!(subject_of(&[&both, &item(50.0, &[0.0])]), Some((3, Some(25.0), 75.0, 2.0)));
        assert_eq!(subject_of(&[&both, &alone]), Some((3, None, 50.0, 2.0)));
        assert_eq!(subject_of(&[]), None);
    }
}
