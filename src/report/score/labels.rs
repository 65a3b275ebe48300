//! What can be said of any protocol: labels, tags, texts and lists.

use super::Scope;
use crate::protocol::{Choice, Part, Question, QuestionKind};
use crate::report::grouped::{grouped_table, names};
use crate::report::table::{Column, Table};
use crate::score::{
    By, Grouped, ItemJudged, ListCounts, QuestionLabels, TagCounts, TextCounts, Undefined, question_labels,
};

/// A table for each question that the scores of its protocol do not read.
pub fn tables(scope: &Scope<'_>, read: &[&str]) -> Vec<Table> {
    let rest = |question: &&Question| !read.contains(&question.key.as_str());
    let questions: Vec<&Question> = scope.protocol.questions.iter().filter(rest).collect();
    if questions.is_empty() {
        return Vec::new();
    }
    let is_about_candidates = scope.protocol.targets(Part::Candidate) || scope.protocol.targets(Part::Bullet);
    let by = scope.by_or(if is_about_candidates { &[By::System] } else { &[] });
    let items = scope.judged.items(scope.corpus);
    questions.into_iter().filter_map(|question| question_table(question, &items, by)).collect()
}

/// What was answered to one question, by group.
pub fn question_table(question: &Question, items: &[ItemJudged], by: &[By]) -> Option<Table> {
    Some(match question.kind {
        QuestionKind::Choice { .. } => {
            let labels = |items: Vec<&ItemJudged>| {
                question_labels(question, items.into_iter().map(|item| &item.answers))
            };
            table_of("Labels", question, items, by, labels, label_columns(question))
        }
        QuestionKind::Tags { .. } => {
            let count = |items: Vec<&ItemJudged>| TagCounts::of(question, items);
            let mut table = table_of("Tags", question, items, by, count, tag_columns(question));
            table.notes.push("Shares of what is judged; one may have several tags.".to_owned());
            table
        }
        QuestionKind::Text { .. } => {
            let count = |items: Vec<&ItemJudged>| TextCounts::of(question, items);
            let columns = [
                Column::new("asked", "asked", |texts: &TextCounts| texts.asked),
                Column::new("written", "written", |texts: &TextCounts| texts.written),
                Column::new("mean_words", "words", |texts: &TextCounts| texts.mean_words),
            ];
            table_of("Texts", question, items, by, count, columns)
        }
        QuestionKind::Passages { .. } => list_table("Passages", question, items, by, false),
        QuestionKind::Points { with_passages, .. } => {
            list_table("Points", question, items, by, with_passages)
        }
        QuestionKind::Units { .. } => list_table("Units", question, items, by, false),
        QuestionKind::Bullet { .. } => return None,
    })
}

/// A table named by its question.
fn table_of<'i, 'a, T>(
    what: &str,
    question: &Question,
    items: &'i [ItemJudged],
    by: &[By],
    count: impl Fn(Vec<&'i ItemJudged>) -> T,
    columns: impl IntoIterator<Item = Column<'a, T>>,
) -> Table {
    // One row says it all where nothing is grouped.
    let found = Grouped { all: None, ..Grouped::of(items, |item| &item.origin, by, count) };
    let mut table = grouped_table(what, &found, columns);
    table.title = format!("{} ({})", table.title, question.key);
    table.facts.clear();
    table.fact("question", question.key.as_str()).fact("by", names(by))
}

/// How often each of these was chosen, and the share.
fn choice_columns<'a, T: 'a>(
    choices: &[Choice],
    count: fn(&T, usize) -> usize,
    share: fn(&T, usize) -> crate::score::Measure,
) -> impl Iterator<Item = Column<'a, T>> {
    choices.iter().enumerate().flat_map(move |(at, choice)| {
        let (name, heading) = (&choice.value, choice.label.as_str());
        [
            Column::new(format!("count_{name}"), heading, move |found: &T| count(found, at)).detail(),
            Column::new(format!("share_{name}"), heading, move |found: &T| share(found, at)).percent(),
        ]
    })
}

/// The share of each label.
fn label_columns<'a>(question: &Question) -> Vec<Column<'a, QuestionLabels>> {
    let choices = question.choices();
    let is_scored = choices.iter().all(|choice| choice.score.is_some());
    let mut columns = vec![Column::new("answered", "answered", |found: &QuestionLabels| found.answered)];
    columns.extend(choice_columns(choices, QuestionLabels::count, QuestionLabels::share));
    columns.push(
        Column::new("mean_score", "mean score", |found: &QuestionLabels| found.mean_score)
            .shown_if(is_scored),
    );
    columns
}

/// How often each tag was given.
fn tag_columns<'a>(question: &Question) -> Vec<Column<'a, TagCounts>> {
    let count = |found: &TagCounts, at: usize| found.tags.get(at).map_or(0, |tag| tag.count);
    let share = |found: &TagCounts, at: usize| found.share(found.tags.get(at).map_or(0, |tag| tag.count));
    let mut columns = vec![Column::new("judged", "judged", |found: &TagCounts| found.judged)];
    columns.extend(choice_columns(question.tags(), count, share));
    columns.push(Column::new("count_none", "none", |found: &TagCounts| found.none).detail());
    columns.push(Column::new("share_none", "none", |found: &TagCounts| found.share(found.none)).percent());
    columns
}

/// How much was listed.
fn list_table(
    what: &str,
    question: &Question,
    items: &[ItemJudged],
    by: &[By],
    with_passages: bool,
) -> Table {
    let columns: [Column<'_, ListCounts>; 6] = [
        Column::new("judged", "judged", |lists: &ListCounts| lists.judged),
        Column::new("listed", what.to_lowercase(), |lists: &ListCounts| lists.listed),
        Column::new("per_item", "per item", |lists: &ListCounts| lists.per_item),
        Column::new("count_with_passage", "with passage", |lists: &ListCounts| lists.with_passage.part)
            .detail(),
        Column::new("with_passage", "with passage", |lists: &ListCounts| {
            lists.with_passage.percent(Undefined::NothingWritten)
        })
        .percent()
        .shown_if(with_passages),
        Column::new("mean_words", "words", |lists: &ListCounts| lists.mean_words).shown_if(what != "Units"),
    ];
    table_of(what, question, items, by, |items| ListCounts::of(question, items), columns)
}
