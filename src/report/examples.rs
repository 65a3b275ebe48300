//! Judged items as examples: those that adjudicators marked stand at the end of the guideline, and in prompts for judges.

use serde_json::Value;

use crate::error::Result;
use crate::journal::Decision;
use crate::protocol::{Answer, Answers, Protocol, QuestionKind};
use crate::store::StudyFile;
use crate::study::Item;
use crate::text::bullets::{bullets, without_mark};
use crate::text::words::{capitalised, on_one_line};

/// The protocol with the study's examples in its guideline. The stored protocol stays as it is.
pub fn with_examples(study: &StudyFile, mut protocol: Protocol) -> Result<Protocol> {
    let marked = marked(study, &protocol)?;
    let texts: Vec<String> = (1..)
        .zip(&marked)
        .map(|(number, Example { item, answers, decision })| {
            example(number, &protocol, item, &told(&protocol.on_screen(false), answers), decision.as_ref())
        })
        .collect();
    if !texts.is_empty() {
        let guideline = protocol.guideline.trim_end();
        protocol.guideline = format!("{guideline}\n\n## Examples of this study\n\n{}", texts.join("\n\n"));
    }
    Ok(protocol)
}

/// A judged item that shows how to judge.
pub struct Example {
    pub item: Item,
    pub answers: Answers,
    /// The adjudication, where there was one.
    pub decision: Option<Decision>,
}

/// The items that adjudicators marked, with their final answers.
pub fn marked(study: &StudyFile, protocol: &Protocol) -> Result<Vec<Example>> {
    let mut found = Vec::new();
    for (item, decision) in study.decisions(&protocol.name)? {
        let answers = decision.answers(protocol).filter(|_| decision.verdict.is_example).cloned();
        if let Some(answers) = answers {
            found.push(Example { item: study.item(protocol, item)?, answers, decision: Some(decision) });
        }
    }
    Ok(found)
}

/// An example as a prompt shows it: its answer is in the form that a judge is to give.
pub fn for_judge(number: usize, protocol: &Protocol, shown: &Example) -> String {
    let Example { item, answers, decision } = shown;
    let answers = answers.iter().map(|(key, answer)| (key.clone(), answer.to_json()));
    let answers = Value::Object(answers.collect());
    example(number, protocol, item, &format!("Answer: {answers}"), decision.as_ref())
}

/// One example in Markdown: texts, final answers, why.
fn example(
    number: usize,
    protocol: &Protocol,
    item: &Item,
    told: &str,
    decision: Option<&Decision>,
) -> String {
    let mut lines = vec![format!("### Example {number}"), String::new()];
    lines.push(format!("- Query: {}", on_one_line(&item.query.text)));
    if let Some(unit) = &item.unit {
        let name = protocol.unit_name.as_deref().unwrap_or(&unit.kind);
        lines.push(format!("- {}: {}", capitalised(name), on_one_line(&unit.text)));
    }
    if let Some(document) = item.document.and_then(|number| item.document_numbered(number)) {
        let title = document.title.as_deref().unwrap_or_default();
        lines.push(format!("- Document {}: {}", document.number, on_one_line(title)));
    }
    for passage in &item.evidence {
        let document = item.document_numbered(passage.document);
        let quote = document.map_or("", |document| passage.span.slice(&document.text));
        lines.push(format!("- Evidence [{}]: “{}”", passage.document, on_one_line(quote)));
    }
    let names = if item.other.is_some() { ["First summary", "Second summary"] } else { ["Summary"; 2] };
    for (name, candidate) in names.into_iter().zip([&item.candidate, &item.other]) {
        let Some(candidate) = candidate else { continue };
        for (number, bullet) in (1_u32..).zip(bullets(&candidate.text)) {
            let is_judged = item.bullet.is_none_or(|judged| judged == number);
            if is_judged {
                let text = on_one_line(without_mark(bullet.slice(&candidate.text)));
                lines.push(format!("- {name}, {number}: {text}"));
            }
        }
    }
    lines.push(String::new());
    lines.push(told.to_owned());
    let verdict = decision.map(|decision| &decision.verdict);
    let reason = verdict.and_then(|verdict| verdict.reason);
    let why =
        [reason.map(|reason| reason.name().to_owned()), verdict.map(|verdict| on_one_line(&verdict.note))];
    let why: Vec<String> = why.into_iter().flatten().filter(|text| !text.is_empty()).collect();
    if !why.is_empty() {
        lines.push(format!("Why: {}", why.join(" · ")));
    }
    lines.join("\n")
}

/// The final answers, question by question.
fn told(protocol: &Protocol, answers: &Answers) -> String {
    let mut said = Vec::new();
    for question in &protocol.questions {
        let Some(answer) = answers.get(&question.key) else { continue };
        let answer = match answer {
            Answer::Nothing => "none".to_owned(),
            Answer::Text(value) if matches!(question.kind, QuestionKind::Choice { .. }) => {
                question.label_of(value).to_owned()
            }
            Answer::Text(text) => format!("“{}”", on_one_line(text)),
            Answer::Bullet(_) | Answer::Bullets(_) => {
                answer.bullets().iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
            }
            Answer::Names(names) => {
                names.iter().map(|name| question.label_of(name)).collect::<Vec<_>>().join(", ")
            }
            Answer::Passages(passages) => {
                let quoted = passages.iter().map(|passage| format!("“{}”", on_one_line(&passage.quote)));
                quoted.collect::<Vec<_>>().join(" ")
            }
            Answer::Points(points) => {
                points.iter().map(|point| on_one_line(&point.text)).collect::<Vec<_>>().join("; ")
            }
        };
        said.push(format!("{} {answer}", question.prompt));
    }
    format!("Answer: {}", said.join(" · "))
}
