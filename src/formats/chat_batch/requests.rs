//! Requests: one line an item, with the texts that a person would see and nothing else of the study.

use std::io::Write;

use serde_json::{Map, Value, json};

use super::name::{RequestName, mark_of_judge, mark_of_shown};
use super::prompt::{JudgePrompt, PromptPlace};
use super::{panes, questions, schema, shown_documents};
use crate::error::Result;
use crate::protocol::{Pane, Protocol};
use crate::study::{Candidate, Document, Item, JudgeRun, RunMark, Unit};
use crate::text::bullets::{bullets, without_mark};
use crate::text::citation::cited;

/// Writes the requests of one run to one judge.
///
/// Requests are blind: they hold no system's name, no key of the study, and nobody's answers but those of examples.
#[derive(Debug)]
pub struct Requests<'p> {
    protocol: &'p Protocol,
    prompt: JudgePrompt,
    judge: RunMark,
    run: &'p JudgeRun,
    mark: RunMark,
    /// Fields of the body beside the model and the messages.
    fields: Map<String, Value>,
    /// The parts of the prompt that are the same for all items.
    task: String,
    questions: String,
    examples: String,
    format: String,
}

/// The parameter whose value `schema` stands for the form of the answer as a JSON schema.
const ANSWER_FORM: &str = "response_format";

impl<'p> Requests<'p> {
    /// Requests to `judge`, asked as `run` says.
    pub fn new(protocol: &'p Protocol, judge: &str, run: &'p JudgeRun) -> Result<Requests<'p>> {
        let asked = protocol.on_screen(false);
        let mut fields = run.parameters.clone();
        let form = match fields.get(ANSWER_FORM).and_then(Value::as_str) {
            Some("schema") => Some(schema::answer(&asked)),
            Some("none") => {
                fields.remove(ANSWER_FORM);
                None
            }
            _ if fields.contains_key(ANSWER_FORM) => None,
            _ => Some(json!({"type": "json_object"})),
        };
        fields.extend(form.map(|form| (ANSWER_FORM.to_owned(), form)));
        let mut examples =
            run.examples.iter().map(|shown| shown.text.as_str()).collect::<Vec<_>>().join("\n\n");
        let of_labels = questions::examples(&asked);
        if !of_labels.is_empty() {
            examples.push_str(if examples.is_empty() { "" } else { "\n\n" });
            examples.push_str(&of_labels);
        }
        if examples.is_empty() {
            examples.push_str("The guideline gives none.");
        }
        Ok(Requests {
            protocol,
            prompt: JudgePrompt::parse(&run.prompt)?,
            judge: mark_of_judge(judge),
            run,
            mark: run.mark(),
            fields,
            task: questions::task(protocol),
            questions: questions::questions(&asked),
            examples,
            format: questions::format(&asked),
        })
    }

    /// Writes the request about an item of the protocol as one line, the `time`th with this item, from 1.
    pub fn write(&self, out: &mut impl Write, item: &Item, time: u8) -> std::io::Result<()> {
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
        let messages: Vec<Value> =
            messages.map(|(role, content)| json!({"role": role, "content": content})).collect();
        let mut body = Map::new();
        body.insert("model".to_owned(), self.run.model.as_str().into());
        body.insert("messages".to_owned(), messages.into());
        body.extend(self.fields.clone());
        // The same seed would give the same answer again.
        if let Some(seed) = body.get("seed").and_then(Value::as_u64) {
            body.insert("seed".to_owned(), seed.saturating_add(u64::from(time) - 1).into());
        }
        let request = json!({
            "custom_id": self.name(item, time).to_string(), "method": "POST", "url": "/v1/chat/completions", "body": body,
        });
        serde_json::to_writer(&mut *out, &request)?;
        out.write_all(b"\n")
    }

    fn name(&self, item: &Item, time: u8) -> RequestName {
        RequestName {
            version: self.protocol.version,
            judge: self.judge,
            run: self.mark,
            shown: mark_of_shown(item),
            item: item.keys.item_key(&self.protocol.name),
            time,
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
            Pane::Candidate => {
                let name = if item.other.is_some() { "First summary" } else { "Summary" };
                texts.extend(item.candidate.iter().map(|shown| candidate(name, shown, item.bullet)));
            }
            Pane::Other => {
                texts.extend(item.other.iter().map(|shown| candidate("Second summary", shown, None)))
            }
            Pane::Units => texts.push(units(&item.choices)),
        }
    }
    texts.join("\n\n")
}

/// A text between its marks. A closing mark within the text is broken, so that no text ends itself.
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

/// The protocol's word for a unit, else the unit's kind.
fn unit_name(protocol: &Protocol, unit: &Unit) -> String {
    let name = protocol.unit_name.as_ref().unwrap_or(&unit.kind);
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn candidate(name: &str, candidate: &Candidate, judged: Option<u32>) -> String {
    let text = &candidate.text;
    let numbered = numbered(bullets(text).iter().map(|span| without_mark(span.slice(text))));
    let mut shown = labelled(&format!("{name}, its bullets numbered"), &numbered);
    if let Some(number) = judged {
        shown.push_str(&format!("\n\nThe bullet that is judged is number {number}."));
    }
    if let Some(meant) = citations_meant(candidate) {
        shown.push_str(&format!("\n\n{meant}"));
    }
    shown
}

/// Which documents the citations of a candidate mean, where these are not their numbers.
fn citations_meant(candidate: &Candidate) -> Option<String> {
    let list = candidate.cites.as_ref()?;
    let told = cited(&candidate.text).into_iter().filter_map(|written| match candidate.meant(written) {
        number if number == written => None,
        number if list.numbers().any(|listed| listed == number) => {
            Some(format!("[{written}] is Document [{number}]"))
        }
        _ => Some(format!("[{written}] is no document")),
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("Its citations count in a list of their own: {}.", told.join(", ")))
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
