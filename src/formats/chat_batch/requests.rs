//! Requests: one line an item, with the texts that a person would see and nothing else of the study.

use std::io::Write;

use serde::Serialize;

use super::name::{RequestName, ShortFingerprint};
use super::prompt::{JudgePrompt, PromptPlace};
use super::{panes, questions, shown_documents};
use crate::protocol::{Pane, Protocol};
use crate::study::{Candidate, Document, Item, Unit};
use crate::text::bullets::{bullets, without_mark};

/// Writes the requests to one judge under one protocol.
///
/// They are blind: no system's name, no key of the study and nobody's answers are in them.
#[derive(Debug)]
pub struct Requests<'p> {
    protocol: &'p Protocol,
    prompt: &'p JudgePrompt,
    judge: ShortFingerprint,
    model: &'p str,
    /// The parts of the prompt that are the same for all items.
    task: String,
    questions: String,
    examples: String,
    format: String,
}

#[derive(Serialize)]
struct BatchRequest<'r> {
    custom_id: String,
    method: &'r str,
    url: &'r str,
    body: Body<'r>,
}

#[derive(Serialize)]
struct Body<'r> {
    model: &'r str,
    messages: Vec<ChatMessage<'r>>,
    temperature: u32,
    response_format: ResponseFormat<'r>,
}

#[derive(Serialize)]
struct ChatMessage<'r> {
    role: &'r str,
    content: String,
}

#[derive(Serialize)]
struct ResponseFormat<'r> {
    #[serde(rename = "type")]
    kind: &'r str,
}

impl<'p> Requests<'p> {
    /// Requests to `judge`, which the service calls `model`.
    pub fn new(protocol: &'p Protocol, judge: &str, model: &'p str, prompt: &'p JudgePrompt) -> Requests<'p> {
        Requests {
            protocol,
            prompt,
            judge: ShortFingerprint::of_judge(judge),
            model,
            task: questions::task(protocol),
            questions: questions::questions(protocol),
            examples: questions::examples(protocol),
            format: questions::format(protocol),
        }
    }

    /// Writes the request about an item of the protocol as one line.
    pub fn write(&self, out: &mut impl Write, item: &Item) -> std::io::Result<()> {
        let texts = item_texts(self.protocol, item);
        let fill = |place| match place {
            PromptPlace::Title => self.protocol.title.as_str(),
            PromptPlace::Task => &self.task,
            PromptPlace::Questions => &self.questions,
            PromptPlace::Examples => &self.examples,
            PromptPlace::Format => &self.format,
            PromptPlace::Item => &texts,
        };
        let messages = self.prompt.filled(fill).into_iter();
        let request = BatchRequest {
            custom_id: self.name(item).to_string(),
            method: "POST",
            url: "/v1/chat/completions",
            body: Body {
                model: self.model,
                messages: messages.map(|(role, content)| ChatMessage { role, content }).collect(),
                temperature: 0,
                response_format: ResponseFormat { kind: "json_object" },
            },
        };
        serde_json::to_writer(&mut *out, &request)?;
        out.write_all(b"\n")
    }

    fn name(&self, item: &Item) -> RequestName {
        RequestName {
            version: self.protocol.version,
            judge: self.judge,
            shown: ShortFingerprint::of_shown(item),
            item: item.keys.item_key(&self.protocol.name),
        }
    }
}

/// The texts of the protocol's panes, in the order in which they are read.
fn item_texts(protocol: &Protocol, item: &Item) -> String {
    let mut texts = Vec::new();
    for pane in panes(protocol) {
        match pane {
            Pane::Query => texts.push(labelled("Query", &item.query.text)),
            Pane::Documents => texts.extend(shown_documents(protocol, item).into_iter().map(document)),
            Pane::Unit => {
                texts.extend(item.unit.iter().map(|unit| labelled(&unit_name(protocol, unit), &unit.text)))
            }
            Pane::Candidate => texts.extend(item.candidate.iter().map(|shown| candidate(shown, item.bullet))),
            Pane::Units => texts.push(units(&item.choices)),
        }
    }
    texts.join("\n\n")
}

/// A text between its marks. What looks like the mark behind it is broken, so that no text ends itself.
fn labelled(label: &str, text: &str) -> String {
    let text = text.replace("</text>", "<\\/text>");
    format!("{label}:\n<text>\n{}\n</text>", text.trim_end_matches(['\n', '\r']))
}

fn document(document: &Document) -> String {
    let label = match &document.title {
        Some(title) => format!("Document [{}], {title:?}", document.number),
        None => format!("Document [{}]", document.number),
    };
    labelled(&label, &document.text)
}

/// What the protocol calls a unit, else the unit's kind.
fn unit_name(protocol: &Protocol, unit: &Unit) -> String {
    let name = protocol.unit_name.as_ref().unwrap_or(&unit.kind);
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn candidate(candidate: &Candidate, judged: Option<u32>) -> String {
    let text = &candidate.text;
    let numbered = numbered(bullets(text).iter().map(|span| without_mark(span.slice(text))));
    let shown = labelled("Summary, its bullets numbered", &numbered);
    match judged {
        Some(number) => format!("{shown}\n\nThe bullet that is judged is number {number}."),
        None => shown,
    }
}

fn units(choices: &[Unit]) -> String {
    match choices {
        [] => "Texts to choose from: there are none.".to_owned(),
        choices => labelled("Texts to choose from", &numbered(choices.iter().map(|unit| unit.text.as_str()))),
    }
}

fn numbered<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    (1..)
        .zip(texts)
        .map(|(number, text): (u32, _)| format!("{number}. {text}"))
        .collect::<Vec<_>>()
        .join("\n")
}
