//! Tables for any protocol: labels, tags, texts and lists.

use std::collections::HashMap;

use super::Scope;
use crate::protocol::{Choice, Protocol, Question, QuestionKind, Quote, SelectedIn};
use crate::report::{Better, Column, Table, counted_columns, grouped_table, names};
use crate::score::{
    CoverageQuestions, GroupBy, Grouped, ItemJudged, LabelCount, ListCounts, PreferenceQuestion,
    QuestionLabels, RefinementQuestions, Score, TagCounts, Tally, TextCounts, Thing, Uncertainty, Undefined,
    question_labels, was_offered,
};
use crate::text::words::count;

/// A table for each question that the built-in scores of the protocol do not read, without those that are answered instead of all
/// others: what has such an answer is in no number. Scores in a protocol's own file do not leave a question out.
pub fn tables(scope: &Scope<'_>) -> Vec<Table> {
    let sheet = scope.sheet().filter(|_| scope.protocol.scores.is_empty());
    let own = own_questions(scope.protocol);
    let rest = |question: &&Question| {
        !question.instead
            && !own.contains(&question.key.as_str())
            && !sheet.is_some_and(|sheet| sheet.reads(question))
    };
    let questions: Vec<&Question> = scope.protocol.questions.iter().filter(rest).collect();
    if questions.is_empty() {
        return Vec::new();
    }
    let is_about_candidates = scope.protocol.is_about_candidates();
    let by = scope.by_or(if is_about_candidates { &["system"] } else { &[] });
    let items = scope.judged.items(scope.corpus);
    let mut tables = Vec::new();
    for question in questions {
        tables.extend(mark_table(scope, question, &items, by.clone()));
        tables.extend(question_table(question, &items, by.clone()));
    }
    tables
}

/// The keys of the questions that the tables of coverage, of refinement or of preferences read.
fn own_questions(protocol: &Protocol) -> Vec<&str> {
    let coverage = CoverageQuestions::of(protocol);
    let coverage = coverage.map(|questions| questions.keys());
    coverage
        .or_else(|| RefinementQuestions::of(protocol).map(|of| of.keys()))
        .map(Vec::from)
        .or_else(|| PreferenceQuestion::of(protocol).map(|of| vec![of.key()]))
        .unwrap_or_default()
}

/// The answers to one question, by group.
pub fn question_table(question: &Question, items: &[ItemJudged], by: GroupBy) -> Option<Table> {
    let how = by.uncertainty;
    Some(match question.kind {
        QuestionKind::Choice { .. } => {
            let labels = |items: &[Thing<'_, ItemJudged>]| question_labels(question, items, ItemJudged::said);
            table_of("Labels", question, items, by, labels, label_columns(question, how))
        }
        QuestionKind::Tags { .. } => {
            let count = |items: &[Thing<'_, ItemJudged>]| TagCounts::of(question, items);
            table_of("Tags", question, items, by, count, tag_columns(question, how))
                .note("Shares of what is judged; one may have several tags.")
        }
        QuestionKind::Text { .. } => {
            let count = |items: &[Thing<'_, ItemJudged>]| TextCounts::of(question, items);
            let mut columns: Vec<Column<'_, TextCounts>> =
                counted_columns("asked", |texts: &TextCounts| texts.asked).into();
            columns.extend([
                Column::new("written", "written", |texts: &TextCounts| texts.written.items),
                Column::new("judgments_written", "written", |texts: &TextCounts| texts.written.judgments)
                    .detail(),
                Column::new("mean_words", "words", move |texts: &TextCounts| how.positive(&texts.mean_words)),
            ]);
            table_of("Texts", question, items, by, count, columns)
        }
        QuestionKind::Passages { .. } => list_table("Passages", question, items, by, false),
        QuestionKind::Points { with_passages, .. } => {
            list_table("Points", question, items, by, with_passages)
        }
        QuestionKind::Units { .. } => list_table("Units", question, items, by, false),
        QuestionKind::Bullet { .. } | QuestionKind::Side => return None,
    })
}

/// A table by group whose title names the question.
fn table_of<'i, 'a, T>(
    what: &str,
    question: &Question,
    items: &'i [ItemJudged],
    by: GroupBy,
    count: impl Fn(&[Thing<'i, ItemJudged>]) -> T,
    columns: impl IntoIterator<Item = Column<'a, T>>,
) -> Table {
    let found = Grouped::of(items, |item| &item.origin, by, count);
    let mut table = grouped_table(what, &found, columns);
    table.title = format!("{} ({})", table.title, question.key);
    table.facts.clear();
    table.fact("question", question.key.as_str()).fact("by", names(&found.by))
}

/// Two columns for each choice: how often it was given, and its share.
fn choice_columns<'a, T: 'a>(
    choices: impl Iterator<Item = (String, String)>,
    labels: fn(&T) -> &[LabelCount],
    how: Uncertainty,
) -> impl Iterator<Item = Column<'a, T>> {
    choices.enumerate().flat_map(move |(at, (name, heading))| {
        let count = move |found: &T| labels(found).get(at).map(|label| label.counted.judgments);
        let share = move |found: &T| labels(found).get(at).map(|label| how.percent(&label.share));
        [
            Column::new(format!("judgments_{name}"), heading.as_str(), count).detail(),
            Column::new(format!("share_{name}"), heading, share).percent(),
        ]
    })
}

fn named(choices: &[Choice]) -> impl Iterator<Item = (String, String)> {
    choices.iter().map(|choice| (choice.value.clone(), choice.label.clone()))
}

/// The columns of a question with labels: counts, shares, and the mean score.
fn label_columns<'a>(question: &Question, how: Uncertainty) -> Vec<Column<'a, QuestionLabels>> {
    let choices = question.choices();
    let is_scored = choices.iter().all(|choice| choice.score.is_some());
    let mut columns: Vec<Column<'a, QuestionLabels>> =
        counted_columns("items", |found: &QuestionLabels| found.answered).into();
    columns.extend(choice_columns(named(choices), |found: &QuestionLabels| found.labels.as_slice(), how));
    let mean_score = move |found: &QuestionLabels| found.estimate(how);
    let mean_score =
        Column::new("mean_score", "mean score", mean_score).better(Better::Unsaid).shown_if(is_scored);
    // For a scale, the mean stands before the shares of its steps.
    let place = if question.is_scale() { 2 } else { columns.len() };
    columns.insert(place, mean_score);
    columns
}

/// The columns of a question with tags; the last column is for no tag.
fn tag_columns<'a>(question: &Question, how: Uncertainty) -> Vec<Column<'a, TagCounts>> {
    let [items, judgments] = counted_columns("items", |found: &TagCounts| found.judged);
    let mut columns: Vec<Column<'a, TagCounts>> = vec![items, judgments.spare()];
    let none = ("none".to_owned(), "none".to_owned());
    let tags = named(question.tags()).chain(named(question.marks()[0])).chain([none]);
    columns.extend(choice_columns(tags, |found: &TagCounts| found.tags.as_slice(), how));
    columns
}

/// Counts of marked passages in summaries.
struct MarkCounts {
    /// The percentage of the summaries with any passage.
    any: Score,
    tags: TagCounts,
    /// Passages in a hundred words of the summaries: with any tag, then by tag.
    per_hundred: Vec<Score>,
}

/// The share of summaries with passages of each tag, and passages in a hundred words (CRUD-RAG §3.5); `None`
/// for a question that marks no passages of summaries with tags.
fn mark_table(scope: &Scope<'_>, question: &Question, items: &[ItemJudged], by: GroupBy) -> Option<Table> {
    let marks = question.marks()[0];
    if question.selected_in() != SelectedIn::Candidate || marks.is_empty() {
        return None;
    }
    let mut words: HashMap<(String, String, String), f64> = HashMap::new();
    for judgment in scope.judged.each() {
        if let Some(candidate) = judgment.target.candidate.and_then(|id| scope.corpus.candidate(id)) {
            let key = (candidate.collection.clone(), candidate.query.clone(), candidate.id.clone());
            words.entry(key).or_insert_with(|| count(&candidate.text) as f64); // far fewer than 2⁵³
        }
    }
    let how = by.uncertainty;
    let found = |things: &[Thing<'_, ItemJudged>]| {
        let length = |thing: &Thing<'_, ItemJudged>| {
            let origin = &thing.judgments.first()?.origin;
            words.get(&(origin.collection.clone(), origin.query.clone(), origin.candidate.clone()?)).copied()
        };
        let per_hundred = |tag: Option<&Choice>| {
            let is_one = |quote: &&Quote| tag.is_none_or(|tag| quote.tag.as_ref() == Some(&tag.value));
            let number = |one: &ItemJudged| {
                let marked = one.answers.get(&question.key)?.passages();
                let is_offered =
                    tag.is_none_or(|tag| was_offered(one.under.as_deref(), question, &tag.value));
                is_offered.then(|| marked.into_iter().filter(|quote| is_one(quote)).count() as f64)
            };
            let tally = |thing: &Thing<'_, ItemJudged>| {
                let tally = Tally { sum: 100.0 * thing.mean(number)?, weight: length(thing)? };
                Some((thing.cluster, tally, thing.drawn))
            };
            let mut score = Score::new(Undefined::NothingJudged);
            let tallies = things.iter().filter_map(tally);
            tallies.for_each(|(cluster, tally, drawn)| score.add_drawn(cluster, tally, drawn));
            score
        };
        let tags = std::iter::once(None).chain(marks.iter().map(Some));
        let any = |one: &ItemJudged| {
            Some(if one.answers.get(&question.key)?.passages().is_empty() { 0.0 } else { 100.0 })
        };
        MarkCounts {
            any: Score::over(things, Undefined::NothingJudged, any),
            tags: TagCounts::of(question, things),
            per_hundred: tags.map(per_hundred).collect(),
        }
    };
    let mut columns: Vec<Column<'_, MarkCounts>> =
        counted_columns("items", |found: &MarkCounts| found.tags.judged).into();
    columns
        .push(Column::new("share_any", "any", move |found: &MarkCounts| how.percent(&found.any)).percent());
    columns.extend(choice_columns(named(marks), |found: &MarkCounts| found.tags.tags.as_slice(), how));
    let headed = |value: &str, label: &str| (format!("per_hundred_{value}"), format!("{label} on 100 words"));
    let headings =
        std::iter::once(headed("any", "any")).chain(marks.iter().map(|tag| headed(&tag.value, &tag.label)));
    for (at, (name, heading)) in headings.enumerate() {
        let number = move |found: &MarkCounts| found.per_hundred.get(at).map(|score| how.positive(score));
        let column = Column::new(name, heading, number).decimals(2);
        columns.push(if at == 0 { column } else { column.spare() });
    }
    let mut table = table_of("Marked passages", question, items, by, found, columns);
    table
        .notes
        .push("Shares of the summaries judged that have such a passage; one may have several.".to_owned());
    Some(table)
}

/// The table of a question whose answers are lists.
fn list_table(
    what: &str,
    question: &Question,
    items: &[ItemJudged],
    by: GroupBy,
    with_passages: bool,
) -> Table {
    let how = by.uncertainty;
    let mut columns: Vec<Column<'_, ListCounts>> =
        counted_columns("items", |lists: &ListCounts| lists.judged).into();
    columns.extend([
        Column::new("listed", what.to_lowercase(), |lists: &ListCounts| lists.listed).detail(),
        Column::new("per_item", "per item", move |lists: &ListCounts| how.positive(&lists.per_item)),
        Column::new("with_passage", "with passage", move |lists: &ListCounts| {
            how.percent(&lists.with_passage)
        })
        .percent()
        .shown_if(with_passages),
        Column::new("mean_words", "words", move |lists: &ListCounts| how.positive(&lists.mean_words))
            .shown_if(what != "Units"),
    ]);
    table_of(what, question, items, by, |items| ListCounts::of(question, items), columns)
}
