//! Comparison of a judgment with the known answers.

use std::collections::BTreeSet;

use super::{Answer, Answers, Protocol, Question, QuestionKind};

/// Whether the answers to one question say the same; `None` for written answers, which no two people word alike. Labels, tags
/// and units must be equal. Bullets must have one in common, as linking accuracy counts them (SummHay §4.2), or both be none.
pub fn says_the_same(question: &Question, known: Option<&Answer>, given: Option<&Answer>) -> Option<bool> {
    match &question.kind {
        QuestionKind::Choice { .. } => Some(known == given),
        QuestionKind::Tags { .. } | QuestionKind::Units { .. } => {
            let names = |answer: Option<&Answer>| -> BTreeSet<String> {
                answer.map(Answer::names).unwrap_or_default().iter().cloned().collect()
            };
            Some(names(known) == names(given))
        }
        QuestionKind::Bullet { .. } => {
            let bullets = |answer: Option<&Answer>| -> BTreeSet<u32> {
                answer.map(Answer::bullets).unwrap_or_default().iter().copied().collect()
            };
            let (known, given) = (bullets(known), bullets(given));
            Some(if known.is_empty() { given.is_empty() } else { !known.is_disjoint(&given) })
        }
        QuestionKind::Text { .. }
        | QuestionKind::Passages { .. }
        | QuestionKind::Points { .. }
        | QuestionKind::Side => None,
    }
}

/// Whether a judgment agrees with the known answers: everything that can be compared is the same.
pub fn is_as_known(protocol: &Protocol, known: &Answers, given: &Answers) -> bool {
    protocol.questions.iter().all(|question| {
        says_the_same(question, known.get(&question.key), given.get(&question.key)).unwrap_or(true)
    })
}

/// Whether so many right judgments of so many reach a mark in per cent, 0–100.
pub fn reaches(right: usize, judged: usize, mark: f64) -> bool {
    // The numbers are those of one person's items, so a float holds them exactly.
    100.0 * right as f64 >= mark * judged as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtin;

    fn answers(label: &str, bullets: &[u32]) -> Answers {
        let bullets = match bullets {
            [] => Answer::Nothing,
            [one] => Answer::Bullet(*one),
            several => Answer::Bullets(several.to_vec()),
        };
        [("coverage".to_owned(), Answer::Text(label.to_owned())), ("bullet".to_owned(), bullets)].into()
    }

    #[test]
    fn labels_are_equal_and_bullets_have_one_in_common() {
        let protocol = builtin("coverage").expect("built in");
        let known = answers("full", &[2, 3]);
        for (given, is_right) in [
            (answers("full", &[3]), true),
            (answers("full", &[1]), false),
            (answers("full", &[]), false),
            (answers("partial", &[2, 3]), false),
            (Answers::new(), false),
        ] {
            assert_eq!(is_as_known(protocol, &known, &given), is_right, "{given:?}");
        }
        let none: Answers = [("coverage".to_owned(), Answer::Text("none".to_owned()))].into();
        assert!(is_as_known(protocol, &none, &answers("none", &[])), "no bullet either way");
    }

    #[test]
    fn what_is_written_is_not_compared() {
        let protocol = builtin("refinement").expect("built in");
        let written = |text: &str| -> Answers {
            protocol
                .questions
                .iter()
                .map(|question| {
                    let answer = if question.choices().is_empty() { text } else { "needs_refinement" };
                    (question.key.clone(), Answer::Text(answer.to_owned()))
                })
                .collect()
        };
        assert!(is_as_known(protocol, &written("Which flood?"), &written("What flood?")));
    }
}
