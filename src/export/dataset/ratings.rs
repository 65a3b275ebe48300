//! The matrix of ratings: an item a row, an annotator a column, a question at a time. With one question it is the wide form
//! that `haymark agree` reads.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use serde_json::Value;

use super::{ExportWritten, own_columns, write_sheet};
use crate::agreement::{Category, Counts, DawidSkene, ModelSettings, RatingsBuilder, Scale, TableError};
use crate::error::{Error, Result};
use crate::export::asked::{Export, What};
use crate::export::privacy::Privacy;
use crate::formats::sheet::SheetColumn;
use crate::journal::{JudgmentRow, Material};
use crate::protocol::{Answers, Protocol, Question};
use crate::report::{AnnotatorsChosen, CorpusIndex, LAST_SNAPSHOTS, choose, counted, protocols};
use crate::score::{Labels, was_offered};
use crate::store::StudyFile;
use crate::study::{AnnotatorId, ItemId, TargetKeys};

/// A source of labels to compare: a choice question, or one tag as given or not.
struct LabelSource<'p> {
    protocol: &'p Protocol,
    question: &'p Question,
    labels: Labels,
}

impl LabelSource<'_> {
    /// `coverage`, or `failures: general`.
    fn name(&self) -> String {
        match &self.labels.tag {
            Some(tag) => format!("{}: {tag}", self.question.key),
            None => self.question.key.clone(),
        }
    }

    /// All labels in scale order.
    fn values(&self) -> Vec<&str> {
        self.labels.categories.iter().map(|category| category.label.as_str()).collect()
    }

    /// The label in a judgment's answers; none for a tag that the version `under` did not offer.
    fn label<'a>(&self, answers: &'a Answers, under: Option<&Protocol>) -> Option<&'a str> {
        if self.labels.tag.as_ref().is_some_and(|tag| !was_offered(under, self.question, tag)) {
            return None;
        }
        self.labels.label(answers.get(&self.question.key).filter(|_| self.question.is_asked(answers))?)
    }
}

/// Every choice question and tag of a protocol, or those of the named question.
fn labels_of<'p>(protocol: &'p Protocol, key: Option<&str>) -> impl Iterator<Item = LabelSource<'p>> {
    let questions =
        protocol.questions.iter().filter(move |question| key.is_none_or(|key| question.key == key));
    questions.flat_map(move |question| {
        Labels::of(question).into_iter().map(move |labels| LabelSource { protocol, question, labels })
    })
}

/// One protocol with what was judged under it.
struct RatedProtocol {
    protocol: Protocol,
    items: Vec<(ItemId, TargetKeys)>,
    material: Material,
}

pub fn run(study: &StudyFile, arguments: &Export, privacy: &Privacy, target: &Path) -> Result<ExportWritten> {
    let names = &arguments.dataset.annotators;
    let is_estimated = arguments.what == What::Labels;
    // The model is that of `agree --model`, so it is of the same annotators.
    let (annotators, models) = if names.is_empty() && !is_estimated {
        let all = study.annotators()?.into_iter().filter(|(_, annotator)| annotator.again_of().is_none());
        (all.map(|(id, annotator)| (id, annotator.id)).collect(), Vec::new())
    } else {
        let chosen = choose(study, names)?;
        (chosen.annotators, chosen.models_left_out)
    };
    let ids: Vec<AnnotatorId> = annotators.iter().map(|(id, _)| *id).collect();
    let chosen = arguments.chosen(study)?;
    let corpus = CorpusIndex::read(study)?;
    let mut has_earlier = false;
    let mut judged = Vec::new();
    let mut everyone = HashSet::new();
    for protocol in protocols::named_or_all(study, arguments.requests.protocol.as_deref())? {
        let material = study.material(&protocol, counted(&protocol, false))?;
        everyone.extend(material.rows().iter().filter(|row| row.counts()).map(|row| row.annotator()));
        let is_chosen = |row: &JudgmentRow| row.counts() && ids.contains(&row.annotator());
        if material.rows().iter().any(is_chosen) {
            let mut items = study.item_keys(&protocol.name)?;
            let rated = material.rows().iter().map(|row| material.item(row));
            let earlier: HashSet<ItemId> =
                rated.filter(|item| !corpus.counts(&item.target)).map(|item| item.id).collect();
            has_earlier |= !earlier.is_empty();
            items.retain(|(id, about)| !earlier.contains(id) && chosen.has_item(&protocol.name, about));
            judged.push(RatedProtocol { items, material, protocol });
        }
    }
    let key = arguments.dataset.question.as_deref();
    let all: Vec<(&RatedProtocol, LabelSource<'_>)> = judged
        .iter()
        .flat_map(|judged| labels_of(&judged.protocol, key).map(move |labels| (judged, labels)))
        .collect();
    if all.is_empty() {
        return Err(Error::nothing("nobody among these annotators answered a question with choices or tags")
            .in_file(study.path())
            .advise("name another with --protocol and --question, or others with --annotators"));
    }
    // Only annotators with a rating have a column.
    let has_rated = |id: AnnotatorId| {
        judged
            .iter()
            .any(|judged| judged.material.rows().iter().any(|row| row.counts() && row.annotator() == id))
    };
    let mut raters: Vec<(AnnotatorId, String)> = annotators
        .into_iter()
        .filter(|(id, _)| has_rated(*id))
        .map(|(id, key)| (id, privacy.name(&key)))
        .collect();
    raters.sort_by(|(_, one), (_, other)| one.cmp(other));
    let names_question = all.len() > 1;
    let first: &[&str] = if names_question { &["protocol", "question"] } else { &[] };
    let fixed = first.iter().copied().chain(["item", "cluster"]);
    let columns: Vec<SheetColumn> = if is_estimated {
        own_columns(fixed.chain(["label", "probability", "entropy", "shares"]))
    } else {
        SheetColumn::texts(fixed.chain(raters.iter().map(|(_, name)| name.as_str())))
    };
    let note = AnnotatorsChosen::note(&models, |model| everyone.contains(model));
    let mut notes = if is_estimated { note.into_iter().collect() } else { notes(&all) };
    notes.extend(has_earlier.then(|| LAST_SNAPSHOTS.to_owned()));
    let rows = write_sheet(study, arguments, (target, None), &columns, |sheet| {
        for (judged, labels) in &all {
            let mut told = matrix(judged, labels, &raters);
            if is_estimated {
                match estimated(labels, &told) {
                    Ok(found) => told = found,
                    Err(reason) => {
                        notes.push(format!("{}: no labels: {reason}", labels.name()));
                        continue;
                    }
                }
            }
            for mut cells in told {
                if names_question {
                    cells.splice(0..0, [labels.protocol.name.as_str().into(), labels.name().into()]);
                }
                sheet.row(cells)?;
            }
        }
        Ok(())
    })?;
    Ok(ExportWritten {
        rows,
        columns,
        what: if is_estimated { "estimated labels" } else { "items by annotators" },
        notes,
    })
}

/// The label of each item by the model of Dawid and Skene, its probability, the entropy −Σ p ln p over the labels, and
/// the share of annotators for each label. The rows are those of [`matrix`].
fn estimated(labels: &LabelSource<'_>, told: &[Vec<Value>]) -> std::result::Result<Vec<Vec<Value>>, String> {
    let values = labels.values();
    let broken = |error: TableError| error.to_string();
    let mut table =
        RatingsBuilder::new(Scale::Nominal, Category::numbered(values.iter().copied())).map_err(broken)?;
    for (item, cells) in told.iter().enumerate() {
        for (rater, label) in cells.iter().skip(2).enumerate() {
            if let Some(label) = label.as_str().filter(|label| values.contains(label)) {
                table.add(&item.to_string(), &rater.to_string(), label).map_err(broken)?;
            }
        }
    }
    let ratings = table.finish();
    let counts = Counts::of(&ratings);
    let model = DawidSkene::fit(&counts, ModelSettings::default()).map_err(|reason| reason.to_string())?;
    let row = |(item, cells): (usize, &Vec<Value>)| {
        let truth = model.truth(&counts, ratings.items().find(item.to_string())?)?;
        let (probability, label) = truth.iter().zip(&values).max_by(|one, other| one.0.total_cmp(other.0))?;
        let entropy: f64 = truth.iter().filter(|share| **share > 0.0).map(|share| -share * share.ln()).sum();
        let mut row: Vec<Value> = cells.iter().take(2).cloned().collect();
        row.extend([(*label).into(), (*probability).into(), entropy.into(), shares(&values, &cells[2..])]);
        Some(row)
    };
    Ok(told.iter().enumerate().filter_map(row).collect())
}

/// The share of each label among the ratings of an item; 0 for a label that nobody gave.
fn shares(values: &[&str], ratings: &[Value]) -> Value {
    let count = |value: &str| ratings.iter().filter(|rating| rating.as_str() == Some(value)).count();
    let all: usize = values.iter().map(|value| count(value)).sum();
    let share = |value: &&str| ((*value).to_owned(), Value::from(count(value) as f64 / all.max(1) as f64));
    Value::Object(values.iter().map(share).collect())
}

/// The rows of one question: item, cluster, then a cell an annotator. Items without a rating are left out.
fn matrix(
    judged: &RatedProtocol,
    labels: &LabelSource<'_>,
    raters: &[(AnnotatorId, String)],
) -> Vec<Vec<Value>> {
    let mut given: HashMap<ItemId, BTreeMap<AnnotatorId, &str>> = HashMap::new();
    let is_told = |row: &&JudgmentRow| row.counts() && raters.iter().any(|(id, _)| *id == row.annotator());
    for row in judged.material.rows().iter().filter(is_told) {
        let under = judged.material.other_version(row).map(AsRef::as_ref);
        if let Some(label) = labels.label(judged.material.answers(row), under) {
            given.entry(judged.material.item(row).id).or_default().insert(row.annotator(), label);
        }
    }
    let row = |(item, keys): &(ItemId, TargetKeys)| {
        let ratings = given.get(item)?;
        let mut cells: Vec<Value> = vec![item_name(keys).into(), cluster_name(keys).into()];
        cells.extend(raters.iter().map(|(id, _)| Value::from(ratings.get(id).copied())));
        Some(cells)
    };
    judged.items.iter().filter_map(row).collect()
}

/// The name of an item, made of its keys.
fn item_name(keys: &TargetKeys) -> String {
    let bullet = keys.bullet.map(|number| format!("bullet {number}"));
    let parts = [&keys.document, &keys.unit, &keys.candidate, &bullet, &keys.other].into_iter().flatten();
    let all = [&keys.collection, &keys.query].into_iter().chain(parts);
    all.map(String::as_str).collect::<Vec<&str>>().join(" / ")
}

/// The item's cluster: its query.
fn cluster_name(keys: &TargetKeys) -> String {
    format!("{} / {}", keys.collection, keys.query)
}

/// Notes on how `agree` reads the file.
fn notes(all: &[(&RatedProtocol, LabelSource<'_>)]) -> Vec<String> {
    let Some((_, labels)) = all.first() else { return Vec::new() };
    // A file of several questions says in two columns which a row is of.
    let of = match all.len() {
        1 => String::new(),
        _ => {
            format!(" --filter 'protocol=\"{}\" question=\"{}\"'", labels.protocol.name, labels.name())
        }
    };
    let scale = match labels.labels.scale {
        Scale::Nominal => String::new(),
        Scale::Ordinal => " --scale ordinal".to_owned(),
        // A step's value is its number.
        Scale::Interval => format!(" --scores {} --scale interval", labels.values().join(",")),
    };
    let what = if of.is_empty() { "it" } else { "the first question, and another filter the others" };
    vec![format!("`haymark agree FILE{of} --categories {}{scale}` reads {what}", labels.values().join(","))]
}
