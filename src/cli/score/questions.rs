//! Question recall and precision.

use super::super::table::{Cell, Column, Table};
use super::Scope;
use super::grouped::{fill, grouped_table};
use super::judged::{CandidateJudged, candidates};
use crate::score::{AnswerQuestions, By, QuestionRow, TextJudged, question_table, reference_answers};

/// Every text of which someone judged what it answers, by annotator.
pub fn texts(scope: &Scope<'_>, questions: &AnswerQuestions<'_>) -> Vec<TextJudged> {
    let text = |candidate: CandidateJudged<'_>| {
        let asked = candidate.units.iter().filter(|(unit, _)| reference_answers(&unit.meta));
        let read: Vec<_> = asked.map(|(unit, answers)| questions.read(answers, &unit.meta)).collect();
        TextJudged { left_out: candidate.units.len() - read.len(), questions: read, origin: candidate.origin }
    };
    candidates(scope.protocol, scope.corpus, scope.judged).into_iter().map(text).collect()
}

/// The table of a protocol about questions that a text answers.
pub fn tables(scope: &Scope<'_>, questions: &AnswerQuestions<'_>) -> Vec<Table> {
    let by = scope.by_or(&[By::System]);
    let texts = texts(scope, questions);
    let rows = question_table(&texts, by);
    let all = question_table(&texts, &[]);
    vec![question_score_table(&rows, all.first(), by)]
}

/// Recall and precision by group, as in Lyu et al. 2024, §3.6.
pub fn question_score_table(rows: &[QuestionRow], all: Option<&QuestionRow>, by: &[By]) -> Table {
    let columns = [
        Column::count("texts", "texts"),
        Column::count("judged", "questions"),
        Column::count("questions", "to judge").detail(),
        Column::count("left_out", "left out").detail(),
        Column::count("answerable", "answered"),
        Column::count("compared", "compared"),
        Column::percent("recall", "recall"),
        Column::percent("precision", "precision"),
    ];
    let mut table = grouped_table("Question recall and precision", by, columns);
    let cells = |row: &QuestionRow| {
        let scores = &row.scores;
        let counts = [
            scores.texts,
            scores.judged,
            scores.questions,
            scores.left_out,
            scores.answerable,
            scores.compared,
        ];
        let measures = [scores.recall, scores.precision].map(Cell::number);
        counts.map(Cell::Count).into_iter().chain(measures).collect()
    };
    fill(&mut table, by, rows, all, |row| &row.group, cells);
    table.notes = all.map_or_else(Vec::new, notes);
    table
}

fn notes(all: &QuestionRow) -> Vec<String> {
    let scores = &all.scores;
    let counted = [
        ("Questions not judged yet, and not in the scores", scores.questions - scores.judged),
        ("Questions that the reference itself does not answer, left out", scores.left_out),
        (
            "Answered questions without an answer of theirs or of the reference, not in the precision",
            scores.answerable - scores.compared,
        ),
    ];
    let open =
        counted.iter().filter(|(_, count)| *count > 0).map(|(what, count)| format!("{what}: {count}."));
    let means = "Means over texts. Precision is the word-level F1 between the answers and the reference's.";
    open.chain([means.to_owned()]).collect()
}
