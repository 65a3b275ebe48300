//! A lab's own protocol: what is read has no finding, what has one is not read, and a protocol that
//! is read can be answered to its end.
#![no_main]

use haymark::protocol::{Answer, Answers, Protocol, Question, QuestionKind, Violation, check};
use haymark_fuzz::assert_sentence;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let findings = check(text, &|_| None);
    findings.iter().for_each(|finding| assert_sentence(&finding.to_string()));
    match Protocol::parse(text, "Read.") {
        Ok(protocol) => {
            assert_eq!(findings, [], "a protocol that is read has no finding");
            assert_eq!(protocol.file_text, text);
            assert_eq!(Protocol::parse(text, "Read.").as_ref(), Ok(&protocol));
            assert_reserved(&protocol);
            assert_answerable(&protocol, 0);
            assert_answerable(&protocol, usize::MAX);
        }
        Err(error) => {
            assert_sentence(&error.to_string());
            assert_eq!(findings.first(), Some(&error), "a protocol that is not read has a finding");
        }
    }
});

/// Every key that is needed elsewhere is a finding.
fn assert_reserved(protocol: &Protocol) {
    let letters =
        |question: &Question| question.offered().len() + usize::from(question.key_to_open().is_some());
    let letters: usize = protocol.questions.iter().map(letters).sum();
    let findings = check(&protocol.file_text, &|_| Some("quit"));
    findings.iter().for_each(|finding| assert_sentence(&finding.to_string()));
    assert_eq!(findings.len(), letters);
}

/// Answers every question that is open with the choice of this number, or the last one, until
/// nothing is open.
fn assert_answerable(protocol: &Protocol, number: usize) {
    let mut answers = Answers::new();
    while let Some(question) = protocol.open_question(&answers) {
        let answer = match &question.kind {
            QuestionKind::Choice { choices, .. } => {
                let choice = choices.get(number).or(choices.last()).expect("two choices or more");
                Answer::Text(choice.value.clone())
            }
            QuestionKind::Bullet { several: false } => Answer::Bullet(1),
            QuestionKind::Bullet { several: true } => Answer::Bullets(vec![1]),
            QuestionKind::Text { .. } => Answer::Text("Written.".to_owned()),
            QuestionKind::Tags { tags } => {
                let tag = tags.get(number).or(tags.last()).expect("one tag or more");
                Answer::Names(vec![tag.value.clone()])
            }
            QuestionKind::Units { .. } | QuestionKind::Passages { .. } | QuestionKind::Points { .. } => {
                Answer::Nothing
            }
        };
        let key = question.key.clone();
        assert_eq!(answers.insert(key, answer), None, "an answered question is not open");
        assert!(protocol.left_over(&answers).is_empty());
    }
    // Which answers go together is for the file to say.
    let mut violations = protocol.violations(&answers, 1);
    violations.retain(|violation| !matches!(violation, Violation::Together { .. }));
    assert_eq!(violations, []);
    assert!(protocol.is_complete(&answers));
}
