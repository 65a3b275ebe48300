//! What can be said of any protocol: labels, tags, texts and lists.

use super::super::table::{Cell, Column, Table};
use super::Scope;
use super::grouped::{grouped_table, names};
use crate::protocol::{Part, Question, QuestionKind};
use crate::score::{
    By, Group, ItemJudged, LabelRow, ListCounts, TagCounts, TextCounts, counted_table, label_tables,
};

/// A table for each question that the scores of its protocol do not read.
pub fn tables(scope: &Scope<'_>, read: &[&str]) -> Vec<Table> {
    let rest = |question: &&Question| !read.contains(&question.key.as_str());
    if !scope.protocol.questions.iter().any(|question| rest(&question)) {
        return Vec::new();
    }
    let is_about_candidates = scope.protocol.targets(Part::Candidate) || scope.protocol.targets(Part::Bullet);
    let by = scope.by_or(if is_about_candidates { &[By::System] } else { &[] });
    let items = scope.judged.items(scope.corpus);
    let mut labels = label_tables(scope.protocol, &items, by).into_iter();
    let mut tables = Vec::new();
    for question in &scope.protocol.questions {
        let table = match question.kind {
            QuestionKind::Choice { .. } => labels.next().map(|rows| label_table(question, &rows, by)),
            QuestionKind::Tags { .. } => {
                let count = |question: &Question, items: Vec<&ItemJudged>| TagCounts::of(question, items);
                Some(tag_table(question, &counted_table(question, &items, by, count), by))
            }
            QuestionKind::Text { .. } => {
                let count = |question: &Question, items: Vec<&ItemJudged>| TextCounts::of(question, items);
                Some(text_table(question, &counted_table(question, &items, by, count), by))
            }
            QuestionKind::Passages { .. } | QuestionKind::Points { .. } | QuestionKind::Units { .. } => {
                let count = |question: &Question, items: Vec<&ItemJudged>| ListCounts::of(question, items);
                Some(list_table(question, &counted_table(question, &items, by, count), by))
            }
            QuestionKind::Bullet { .. } => None,
        };
        tables.extend(table.filter(|_| rest(&question)));
    }
    tables
}

/// A table named by its question.
fn of_question(what: &str, question: &Question, by: &[By], columns: Vec<Column>) -> Table {
    let mut table = grouped_table(what, by, columns);
    table.title = format!("{} ({})", table.title, question.key);
    table.facts.clear();
    table.fact("question", question.key.as_str()).fact("by", names(by))
}

fn row(group: &Group, cells: Vec<Cell>) -> Vec<Cell> {
    group.iter().cloned().map(Cell::from).chain(cells).collect()
}

/// The share of each label of one question by group.
pub fn label_table(question: &Question, rows: &[LabelRow], by: &[By]) -> Table {
    let choices = question.choices();
    let is_scored = choices.iter().all(|choice| choice.score.is_some());
    let mut columns = vec![Column::count("answered", "answered")];
    for choice in choices {
        columns.push(Column::count(format!("count_{}", choice.value), choice.label.as_str()).detail());
        columns.push(Column::percent(format!("share_{}", choice.value), choice.label.as_str()));
    }
    let mean = Column::number("mean_score", "mean score", 1);
    columns.push(if is_scored { mean } else { mean.detail() });
    let mut table = of_question("Labels", question, by, columns);
    for LabelRow { group, labels } in rows {
        let mut cells = vec![Cell::Count(labels.answered)];
        for (label, (_, share)) in labels.labels.iter().zip(labels.shares()) {
            cells.extend([Cell::Count(label.count), Cell::number(share)]);
        }
        cells.push(Cell::number(labels.mean_score));
        table.rows.push(row(group, cells));
    }
    table
}

/// How often each tag was given, by group.
pub fn tag_table(question: &Question, rows: &[(Group, TagCounts)], by: &[By]) -> Table {
    let mut columns = vec![Column::count("judged", "judged")];
    for tag in question.tags() {
        columns.push(Column::count(format!("count_{}", tag.value), tag.label.as_str()).detail());
        columns.push(Column::percent(format!("share_{}", tag.value), tag.label.as_str()));
    }
    columns.push(Column::count("count_none", "none").detail());
    columns.push(Column::percent("share_none", "none"));
    let mut table = of_question("Tags", question, by, columns);
    for (group, counts) in rows {
        let mut cells = vec![Cell::Count(counts.judged)];
        for count in counts.tags.iter().map(|tag| tag.count).chain([counts.none]) {
            cells.extend([Cell::Count(count), Cell::number(counts.share(count))]);
        }
        table.rows.push(row(group, cells));
    }
    table.notes.push("Shares of what is judged; one may have several tags.".to_owned());
    table
}

/// How many texts were written, by group.
pub fn text_table(question: &Question, rows: &[(Group, TextCounts)], by: &[By]) -> Table {
    let columns = vec![
        Column::count("asked", "asked"),
        Column::count("written", "written"),
        Column::number("mean_words", "words", 1),
    ];
    let mut table = of_question("Texts", question, by, columns);
    for (group, counts) in rows {
        let cells = [Cell::Count(counts.asked), Cell::Count(counts.written), Cell::number(counts.mean_words)];
        table.rows.push(row(group, cells.to_vec()));
    }
    table
}

/// How much was listed, by group.
pub fn list_table(question: &Question, rows: &[(Group, ListCounts)], by: &[By]) -> Table {
    let (what, with_passages) = match question.kind {
        QuestionKind::Points { with_passages, .. } => ("Points", with_passages),
        QuestionKind::Passages { .. } => ("Passages", false),
        _ => ("Units", false),
    };
    let shown = |column: Column, is_shown: bool| if is_shown { column } else { column.detail() };
    let columns = vec![
        Column::count("judged", "judged"),
        Column::count("listed", what.to_lowercase()),
        Column::number("per_item", "per item", 1),
        Column::count("count_with_passage", "with passage").detail(),
        shown(Column::percent("with_passage", "with passage"), with_passages),
        shown(Column::number("mean_words", "words", 1), what != "Units"),
    ];
    let mut table = of_question(what, question, by, columns);
    for (group, counts) in rows {
        let cells = [
            Cell::Count(counts.judged),
            Cell::Count(counts.listed),
            Cell::number(counts.per_item),
            Cell::Count(counts.with_passage.part),
            Cell::number(counts.with_passage.percent(crate::score::Undefined::NothingWritten)),
            Cell::number(counts.mean_words),
        ];
        table.rows.push(row(group, cells.to_vec()));
    }
    table
}
