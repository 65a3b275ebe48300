//! Ratings out of a study: the answers to each choice question with the bullets that go with them,
//! and each tag as given or not.

use std::collections::{HashMap, HashSet};

use super::super::args::Agree;
use super::super::gold::{self, GoldBy};
use super::super::protocols::{self, counted, version_note};
use super::comparison::{Comparison, Linked};
use super::grouping::{Corpus, Dropped, Grouping};
use super::places::Places;
use crate::agreement::{Category, Links, MISSING, PairLinkings, Ratings, RatingsBuilder, Scale};
use crate::error::{Error, Result};
use crate::protocol::{self, Answer, Choice, Protocol, Question, QuestionKind};
use crate::store::{AnswerColumn, AnswerRow, GOLD, GoldItem, StudyFile, Versions};
use crate::study::{AnnotatorId, ItemId};

/// Every question that is asked for and was answered.
pub fn comparisons(arguments: &Agree) -> Result<Vec<Comparison>> {
    let study = StudyFile::open(&arguments.source)?;
    let people = People::choose(&study, arguments)?;
    let protocols = protocols::named_or_all(&study, arguments.protocol.as_deref())?;
    if let Some(key) = &arguments.question {
        refuse_incomparable(&protocols, key)?;
    }
    let mut comparisons = Vec::new();
    let mut left_out = Vec::new();
    for protocol in &protocols {
        let versions = counted(protocol, arguments.all_versions);
        let is_chosen = |annotator| people.position(annotator).is_some();
        let note = version_note(&study, protocol, arguments.all_versions, is_chosen)?;
        let mut corpus = None;
        for question in asked_for(protocol, arguments.question.as_deref()) {
            for mut comparison in compare(&study, protocol, question, &people, versions)? {
                comparison.notes.extend(note.clone());
                let known = match corpus.take() {
                    Some(known) => known,
                    None => Corpus::read(&study, protocol)?,
                };
                group(&mut comparison, &known, question, arguments, is_chosen)?;
                corpus = Some(known);
                comparisons.push(comparison);
            }
        }
        left_out.extend(note);
    }
    if comparisons.is_empty() && !left_out.is_empty() {
        return Err(Error::new(left_out.join(" ")).in_file(study.path()));
    }
    if !comparisons.is_empty() && comparisons.iter().all(|comparison| comparison.annotators().len() < 2) {
        let only = comparisons.first().map_or(String::new(), |comparison| comparison.annotators().join(", "));
        let notes: String = left_out.iter().map(|note| format!("; {note}")).collect();
        return Err(Error::new(format!("only {only} has judged, and agreement needs two{notes}"))
            .in_file(study.path())
            .advise("name a model with --annotators, or let a second person judge"));
    }
    comparisons.retain(|comparison| comparison.annotators().len() > 1);
    if comparisons.is_empty() {
        let what = match (&arguments.protocol, &arguments.question) {
            (_, Some(question)) => {
                format!("nobody among these annotators answered a question {question:?}")
            }
            (Some(name), None) => {
                format!("nobody among these annotators judged anything under {name:?}")
            }
            (None, None) => "nobody among these annotators judged anything".to_owned(),
        };
        return Err(Error::new(what)
            .in_file(study.path())
            .advise("import or annotate first, or name others with --annotators"));
    }
    Ok(comparisons)
}

fn asked_for<'a>(protocol: &'a Protocol, key: Option<&'a str>) -> impl Iterator<Item = &'a Question> {
    protocol
        .questions
        .iter()
        .filter(move |question| key.is_none_or(|key| question.key == key))
        .filter(|question| !question.offered().is_empty())
}

/// Refuses a question that is asked for by name and has no agreement in any of the protocols.
fn refuse_incomparable(protocols: &[Protocol], key: &str) -> Result<()> {
    let named = || protocols.iter().filter_map(|protocol| Some((protocol, protocol.question(key)?)));
    if named().any(|(_, question)| !question.offered().is_empty()) {
        return Ok(());
    }
    let Some((_, question)) = named().next() else {
        return Ok(());
    };
    let refused =
        |takes: &str| Error::usage(format!("agreement on {key:?} is not defined: it takes {takes}"));
    Err(match &question.kind {
        QuestionKind::Bullet { .. } => match question.ask_when.as_ref() {
            Some(condition) => refused("bullets")
                .advise(format!("--question {} says how far the bullets agree too", condition.question)),
            None => refused("bullets")
                .advise("let it be asked after a choice question, and that one's agreement has theirs"),
        },
        QuestionKind::Units { .. } => refused("any number of units").advise(
            "ask about one unit at a time with a choice question, or compare the lists that \
             `haymark export STUDY --what judgments` writes",
        ),
        _ => refused("what people write or select")
            .advise("read the answers side by side, which `haymark export STUDY --what judgments` writes"),
    })
}

/// The annotators that are compared, in the order of the study.
struct People {
    chosen: Vec<(AnnotatorId, String)>,
    /// How gold is made, where it is among them.
    gold: Option<GoldBy>,
    notes: Vec<String>,
}

impl People {
    fn choose(study: &StudyFile, arguments: &Agree) -> Result<People> {
        let (chosen, gold) = gold::choose(study, &arguments.annotators, arguments.rule)?;
        let left_out = match chosen.models_left_out {
            0 => None,
            1 => Some("one model annotator is".to_owned()),
            models => Some(format!("{models} model annotators are")),
        };
        let note = |left_out| format!("People only: {left_out} left out; --annotators names others.");
        Ok(People { chosen: chosen.annotators, gold, notes: left_out.map(note).into_iter().collect() })
    }

    fn position(&self, id: AnnotatorId) -> Option<usize> {
        self.chosen.iter().position(|(other, _)| *other == id)
    }
}

/// One comparison for a choice question, one a tag for a question with tags; none where nobody answered.
fn compare(
    study: &StudyFile,
    protocol: &Protocol,
    question: &Question,
    people: &People,
    versions: Versions,
) -> Result<Vec<Comparison>> {
    let column = finished(study, protocol, question, people, versions)?;
    let said = column.rows.iter().filter(|row| people.position(row.annotator).is_some()).count();
    let mut comparisons = Vec::new();
    for labels in Labels::of(question) {
        let table = table(&labels, &column, people)?;
        if table.items().is_empty() {
            continue;
        }
        let (links, linked) = match protocol.links_of(question) {
            Some(bullets) => {
                let column = finished(study, protocol, bullets, people, versions)?;
                let linked = bullet_sets(&column, people, &table, question, bullets);
                (Some(linking(&column, people, &table)), Some(linked))
            }
            None => (None, None),
        };
        let mut grouping = Grouping::default();
        grouping.dropped.unknown_label = said.saturating_sub(ratings_of(&table));
        comparisons.push(Comparison {
            protocol: Some(protocol.name.clone()),
            question: Some(question.key.clone()),
            tag: labels.tag,
            ratings: table,
            links,
            linked,
            grouping,
            notes: people.notes.clone(),
        });
    }
    Ok(comparisons)
}

fn ratings_of(table: &Ratings) -> usize {
    let rows = (0..table.items().len()).map(|item| table.row(item));
    rows.flatten().filter(|cell| **cell != MISSING).count()
}

/// What hangs together among the items, and what is left out of them.
fn group(
    comparison: &mut Comparison,
    corpus: &Corpus<'_>,
    question: &Question,
    arguments: &Agree,
    is_chosen: impl Fn(AnnotatorId) -> bool,
) -> Result<()> {
    let (ratings, grouping) = (&comparison.ratings, &mut comparison.grouping);
    let versions = counted(corpus.protocol, arguments.all_versions);
    let dropped = corpus.dropped(question, versions, is_chosen)?;
    grouping.dropped = Dropped { unknown_label: grouping.dropped.unknown_label, ..dropped };
    (grouping.cluster, grouping.clusters) = corpus.clusters(ratings, arguments.resampling.cluster)?;
    if arguments.prints_everything() {
        grouping.partitions = corpus.partitions(ratings)?;
    }
    Ok(())
}

/// The answers to a question on items that are not in the middle of being answered.
fn finished(
    study: &StudyFile,
    protocol: &Protocol,
    question: &Question,
    people: &People,
    versions: Versions,
) -> Result<AnswerColumn> {
    let mut column = study.answers(&protocol.name, &question.key, versions)?;
    let unfinished = study.unfinished(&protocol.name)?;
    if !unfinished.is_empty() {
        column.rows.retain(|row| !unfinished.contains(&(row.annotator, row.item)));
    }
    if let Some(gold) = &people.gold {
        add_gold(&mut column, question, gold.read(study, protocol, versions)?);
    }
    Ok(column)
}

/// What counts, as the answers of one more annotator.
fn add_gold(column: &mut AnswerColumn, question: &Question, gold: Vec<GoldItem>) {
    let mut codes: HashMap<Answer, u32> = column.answers.iter().cloned().zip(0..).collect();
    for item in gold {
        let Some(answer) = item.answers.and_then(|mut answers| answers.remove(&question.key)) else {
            continue;
        };
        let next = u32::try_from(column.answers.len()).unwrap_or(u32::MAX);
        let code = *codes.entry(answer).or_insert_with_key(|answer| {
            column.answers.push(answer.clone());
            next
        });
        column.rows.push(AnswerRow { item: item.item, annotator: GOLD, answer: code });
    }
}

/// The scale of a question as agreement knows it.
pub fn scale_of(scale: protocol::Scale) -> Scale {
    match scale {
        protocol::Scale::Nominal => Scale::Nominal,
        protocol::Scale::Ordinal => Scale::Ordinal,
    }
}

/// Choices as categories, each with its score, else its place counted from 0.
pub fn categories_of(choices: &[Choice]) -> Vec<Category> {
    let category = |(choice, place): (&Choice, i32)| {
        Category::new(choice.value.clone(), choice.score.unwrap_or(f64::from(place)))
    };
    choices.iter().zip(0_i32..).map(category).collect()
}

/// The labels that answers to a question are compared by.
struct Labels {
    /// Where it is one of several tags: the tag, whose labels are `no` and `yes`.
    tag: Option<String>,
    scale: Scale,
    /// With their numbers, in scale order.
    categories: Vec<Category>,
}

impl Labels {
    /// One for a choice question, one a tag for a question with tags, none for others.
    fn of(question: &Question) -> Vec<Labels> {
        match &question.kind {
            QuestionKind::Choice { scale, choices } => {
                vec![Labels { tag: None, scale: scale_of(*scale), categories: categories_of(choices) }]
            }
            QuestionKind::Tags { tags } => {
                let labels = |tag: &Choice| Labels {
                    tag: Some(tag.value.clone()),
                    scale: Scale::Nominal,
                    categories: vec![Category::new(NOT_GIVEN, 0.0), Category::new(GIVEN, 1.0)],
                };
                tags.iter().map(labels).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The label that an answer gives, if it gives one.
    fn label<'a>(&self, answer: &'a Answer) -> Option<&'a str> {
        match (&self.tag, answer) {
            (None, Answer::Text(value)) => Some(value),
            (Some(tag), Answer::Names(_) | Answer::Nothing) => {
                Some(if answer.names().contains(tag) { GIVEN } else { NOT_GIVEN })
            }
            _ => None,
        }
    }
}

/// The labels of a tag.
const GIVEN: &str = "yes";
const NOT_GIVEN: &str = "no";

fn table(labels: &Labels, column: &AnswerColumn, people: &People) -> Result<Ratings> {
    let broken = |error: crate::agreement::TableError| Error::new(error.to_string());
    let mut builder = RatingsBuilder::new(labels.scale, labels.categories.clone()).map_err(broken)?;
    let codes: Vec<Option<u8>> = column
        .answers
        .iter()
        .map(|answer| labels.label(answer).and_then(|value| builder.category(value)))
        .collect();
    // Only annotators who answered take part, in the order of the study.
    let answered: HashSet<AnnotatorId> = column.rows.iter().map(|row| row.annotator).collect();
    let mut raters = HashMap::new();
    for (id, name) in people.chosen.iter().filter(|(id, _)| answered.contains(id)) {
        raters.insert(*id, builder.rater(name).map_err(broken)?);
    }
    let mut places = Places::default();
    let mut items: Vec<usize> = Vec::new();
    for row in &column.rows {
        let code = usize::try_from(row.answer).ok().and_then(|index| codes.get(index).copied().flatten());
        let (Some(rater), Some(code)) = (raters.get(&row.annotator), code) else {
            continue;
        };
        let place = places.place(row.item);
        let item = match items.get(place) {
            Some(item) => *item,
            None => {
                let item = builder.item(&row.item.0.to_string()).map_err(broken)?;
                items.push(item);
                item
            }
        };
        builder.set(item, *rater, code).map_err(broken)?;
    }
    Ok(builder.finish())
}

/// Links of every pair of annotators of the table. Labels do not matter (SummHay §4.2), and a list
/// of bullets names no single one.
fn linking(column: &AnswerColumn, people: &People, table: &Ratings) -> PairLinkings {
    let mut places = Places::default();
    let mut linked: Vec<Vec<(usize, u32)>> = Vec::new();
    let raters = raters_of(people, table);
    let numbers: Vec<Option<u32>> = column.answers.iter().map(single_bullet).collect();
    for row in &column.rows {
        let rater = raters.get(&row.annotator).copied();
        let number = numbers.get(row.answer as usize).copied().flatten();
        if let (Some(rater), Some(number)) = (rater, number) {
            let place = places.place(row.item);
            linked.resize_with(places.len(), Vec::new);
            linked.get_mut(place).into_iter().for_each(|item| item.push((rater, number)));
        }
    }
    PairLinkings::of(table.raters().len(), linked.iter().map(Vec::as_slice))
}

/// The annotators who take part in a table, with their numbers there.
fn raters_of(people: &People, table: &Ratings) -> HashMap<AnnotatorId, usize> {
    people.chosen.iter().filter_map(|(id, name)| Some((*id, table.raters().find(name)?))).collect()
}

fn single_bullet(answer: &Answer) -> Option<u32> {
    match answer {
        Answer::Bullet(number) => Some(*number),
        _ => None,
    }
}

/// The bullets of every judgment, a set each, whether the answer was one number or a list.
fn bullet_sets(
    column: &AnswerColumn,
    people: &People,
    table: &Ratings,
    labels: &Question,
    bullets: &Question,
) -> Linked {
    let mut links = Links::none(table);
    let sets: Vec<u32> = column.answers.iter().map(|answer| links.bullets(answer.bullets())).collect();
    let raters = raters_of(people, table);
    // The names of the table's items are the numbers of the study's.
    let mut places = Places::default();
    for name in table.items().iter() {
        places.place(ItemId(name.parse().unwrap_or(0)));
    }
    for row in &column.rows {
        let set = sets.get(row.answer as usize);
        if let (Some(item), Some(rater), Some(set)) = (places.find(row.item), raters.get(&row.annotator), set)
        {
            links.set(item, *rater, *set);
        }
    }
    let asks = bullets.ask_when.as_ref().map(|condition| condition.is.as_slice()).unwrap_or_default();
    let asks = labels.choices().iter().map(|choice| asks.contains(&choice.value)).collect();
    Linked { links, asks }
}
