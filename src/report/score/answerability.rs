//! Question recall and precision.

use super::Scope;
use crate::report::grouped::{counted_columns, grouped_table};
use crate::report::judged::{CandidateJudged, candidates};
use crate::report::table::{Column, Table};
use crate::score::{AnswerQuestions, By, Grouped, QuestionScores, TextJudged, reference_answers};

/// Every text of which someone judged what it answers, by annotator.
pub fn texts(scope: &Scope<'_>, questions: &AnswerQuestions<'_>, by: &[By]) -> Vec<TextJudged> {
    let text = |candidate: CandidateJudged<'_>| {
        let asked = candidate.units.iter().filter(|judged| reference_answers(&judged.unit.meta));
        let read: Vec<_> = asked.map(|judged| questions.read(judged.answers, &judged.unit.meta)).collect();
        TextJudged { left_out: candidate.units.len() - read.len(), questions: read, origin: candidate.origin }
    };
    candidates(scope, by, text)
}

/// Recall and precision by group, as in Lyu et al. 2024, §3.6.
pub fn tables(scope: &Scope<'_>, questions: &AnswerQuestions<'_>) -> Vec<Table> {
    let scores = |texts: &[TextJudged], by| Grouped::of(texts, |text| &text.origin, by, QuestionScores::of);
    let (_, found) = scope.grouped_candidates(|by| texts(scope, questions, by), scores, &["system"]);
    let how = found.uncertainty;
    let mut columns = vec![Column::new("texts", "texts", |scores: &QuestionScores| scores.texts)];
    columns.extend(counted_columns("questions", |scores: &QuestionScores| scores.judged));
    columns.extend([
        Column::new("questions", "to judge", |scores: &QuestionScores| scores.questions).detail(),
        Column::new("left_out", "left out", |scores: &QuestionScores| scores.left_out).detail(),
        Column::new("judgments_answerable", "answered", |scores: &QuestionScores| scores.answerable).detail(),
        Column::new("judgments_compared", "compared", |scores: &QuestionScores| scores.compared).detail(),
        Column::new("without_answer", "without answer", |scores: &QuestionScores| scores.without_answer)
            .detail(),
        Column::new("recall", "recall", move |scores: &QuestionScores| how.percent(&scores.recall)).score(),
        Column::new("precision", "precision", move |scores: &QuestionScores| how.percent(&scores.precision))
            .score(),
    ]);
    let mut table = grouped_table("Question recall and precision", &found, columns);
    table.notes = found.all.as_ref().map_or_else(Vec::new, |all| notes(all, scope.open_items()));
    vec![table]
}

fn notes(all: &QuestionScores, why: &str) -> Vec<String> {
    let counted = [
        (format!("Questions {why}, and not in the scores"), all.questions - all.judged.items),
        ("Questions that the reference itself does not answer, left out".to_owned(), all.left_out),
        (
            "Judgments that a question is answered whose answer, or the reference's, has no words, not in the precision"
                .to_owned(),
            all.answerable - all.compared,
        ),
        ("Texts without such an answer, not in the precision".to_owned(), all.without_answer),
    ];
    let open =
        counted.iter().filter(|(_, count)| *count > 0).map(|(what, count)| format!("{what}: {count}."));
    let means = "Means over texts. Precision is the word-level F1 between the answers and the reference's.";
    open.chain([means.to_owned()]).collect()
}
