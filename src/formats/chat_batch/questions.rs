//! A protocol in words for a judge: its questions, examples of its labels, the form of the answer.

use crate::protocol::{Choice, Condition, LabelAdvice, Protocol, Question, QuestionKind, SelectedIn};

/// The paragraphs of the task.
pub(super) fn task(protocol: &Protocol) -> String {
    protocol.task().join("\n\n")
}

/// Every question with what the guideline says of it and its labels, then the rules between them.
pub(super) fn questions(protocol: &Protocol) -> String {
    let mut told: Vec<String> = protocol.questions.iter().map(|question| told(protocol, question)).collect();
    if !protocol.rules.is_empty() {
        let rules = protocol.rules.iter().map(|rule| format!("- {}", rule.message));
        told.push(format!("## What must hold between the answers\n\n{}", lines(rules)));
    }
    told.join("\n\n")
}

fn told(protocol: &Protocol, question: &Question) -> String {
    let mut paragraphs = vec![format!("## {:?}: {}", question.key, question.prompt)];
    if let Some(condition) = &question.ask_when {
        paragraphs.push(format!("Asked only when {}.", when(protocol, condition)));
    }
    paragraphs.extend(protocol.advice_on(question));
    let label = |(label, advice): (&Choice, LabelAdvice)| {
        let about = lines(advice.about.iter().map(|about| format!("  {about}")));
        let head = format!("- {:?} ({})", label.value, label.label);
        if about.is_empty() { head } else { format!("{head}\n{about}") }
    };
    let labels = lines(protocol.advice_on_labels(question).into_iter().map(label));
    if !labels.is_empty() {
        paragraphs.push(labels);
    }
    paragraphs.join("\n\n")
}

/// The examples of all labels, question after question; empty where there is none.
pub(super) fn examples(protocol: &Protocol) -> String {
    let mut examples = Vec::new();
    for question in &protocol.questions {
        for (label, advice) in protocol.advice_on_labels(question) {
            let given = format!("- {:?}: {:?}", question.key, label.value);
            examples.extend(advice.examples.into_iter().map(|example| format!("{given} — {example}")));
        }
    }
    examples.join("\n")
}

/// The form of the answer, in words.
pub(super) fn format(protocol: &Protocol) -> String {
    let entry = |question: &Question| {
        let mut entry = format!("- {:?}: {}", question.key, form(&question.kind));
        if let Some(condition) = &question.ask_when {
            entry.push_str(&format!(" — only when {}", when(protocol, condition)));
        }
        if !question.required {
            entry.push_str(" — may be left out");
        }
        entry
    };
    let reason = (protocol.question(REASON).is_none())
        .then(|| format!("- {REASON:?}: why, in a sentence or two, before you decide — may be left out"));
    format!(
        "One JSON object and nothing else: no words before or behind it, no keys but these. Leave out the key of a \
         question that is not asked, or give null.\n\n{}",
        lines(reason.into_iter().chain(protocol.questions.iter().map(entry)))
    )
}

/// The key under which a judge says why, where the protocol has no question of this name.
pub(super) const REASON: &str = "reason";

fn form(kind: &QuestionKind) -> String {
    match kind {
        QuestionKind::Choice { choices, .. } => format!("one of {}", values(choices)),
        QuestionKind::Tags { tags } => {
            format!("a list of those that apply of {}, or null when none does", values(tags))
        }
        QuestionKind::Bullet { several: false } => {
            "the number of one bullet, such as 2, or null when it is no single one".to_owned()
        }
        QuestionKind::Bullet { several: true } => {
            "a list of numbers of bullets, such as [1, 3], or null when it is none".to_owned()
        }
        QuestionKind::Text { .. } | QuestionKind::Side => "a text".to_owned(),
        QuestionKind::Passages { from: SelectedIn::Candidate, tags, severities, .. } => {
            let mark = |(name, offered): (&str, &Vec<Choice>)| {
                (!offered.is_empty()).then(|| format!("\"{name}\" one of {}", values(offered)))
            };
            let marks: Vec<String> =
                [("tag", tags), ("severity", severities)].into_iter().filter_map(mark).collect();
            let with =
                if marks.is_empty() { String::new() } else { format!(", each with {}", marks.join(" and ")) };
            format!(
                "a list of passages of the summary such as {{\"quote\": \"…\"}}{with}, or null when there is none; a quote is word for \
                 word what stands in the summary"
            )
        }
        QuestionKind::Passages { .. } => {
            format!("a list of passages such as {PASSAGE}, or null when there is none; {WORD_FOR_WORD}")
        }
        QuestionKind::Points { with_passages: false, .. } => {
            "a list of texts such as [\"…\", \"…\"], or null when there is none".to_owned()
        }
        QuestionKind::Points { with_passages: true, .. } => format!(
            "a list of points such as {{\"text\": \"…\", \"passages\": [{PASSAGE}]}}, or null when there is none; \
             {WORD_FOR_WORD}"
        ),
        QuestionKind::Units { .. } => {
            "a list of numbers of the texts to choose from, such as [1, 3], or null when it is none"
                .to_owned()
        }
    }
}

const PASSAGE: &str = "{\"document\": 8, \"quote\": \"…\"}";
const WORD_FOR_WORD: &str =
    "the document is named by its number, and the quote is copied from it word for word";

/// The condition in words, such as `"coverage" is "partial" or "full"`.
fn when(protocol: &Protocol, condition: &Condition) -> String {
    let quoted: Vec<String> = condition.is.iter().map(|value| format!("{value:?}")).collect();
    let is_tagged =
        protocol.question(&condition.question).is_some_and(|question| !question.tags().is_empty());
    let verb = if is_tagged { "has" } else { "is" };
    format!("{:?} {verb} {}", condition.question, quoted.join(" or "))
}

fn values(choices: &[Choice]) -> String {
    choices.iter().map(|choice| format!("{:?}", choice.value)).collect::<Vec<_>>().join(", ")
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}
