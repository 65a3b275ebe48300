//! The form of an answer as a JSON schema, in the strict form that services take: every key is required, and null stands for an
//! answer that is not asked for.

use serde_json::{Map, Value, json};

use super::questions::REASON;
use crate::protocol::{Choice, Protocol, Question, QuestionKind, SelectedIn};

/// The value of `response_format`.
pub(super) fn answer(protocol: &Protocol) -> Value {
    let mut properties = Map::new();
    if protocol.question(REASON).is_none() {
        properties.insert(REASON.to_owned(), json!({"type": ["string", "null"]}));
    }
    for question in &protocol.questions {
        properties.insert(question.key.clone(), of_question(question));
    }
    let schema = object(properties);
    json!({"type": "json_schema", "json_schema": {"name": "answer", "strict": true, "schema": schema}})
}

/// An object with these keys and no others.
fn object(properties: Map<String, Value>) -> Value {
    let required: Vec<&String> = properties.keys().collect();
    json!({"type": "object", "required": required, "additionalProperties": false, "properties": properties})
}

fn of_question(question: &Question) -> Value {
    let may_lack = !question.required || question.ask_when.is_some();
    let kinds = |kind: &str, may_lack: bool| if may_lack { json!([kind, "null"]) } else { json!(kind) };
    let list = |items: Value| json!({"type": ["array", "null"], "items": items});
    match &question.kind {
        QuestionKind::Choice { choices, .. } => {
            let null = may_lack.then_some(Value::Null);
            let values: Vec<Value> = names(choices).into_iter().chain(null).collect();
            json!({"type": kinds("string", may_lack), "enum": values})
        }
        QuestionKind::Text { .. } | QuestionKind::Side => json!({"type": kinds("string", may_lack)}),
        QuestionKind::Tags { tags } => list(json!({"type": "string", "enum": names(tags)})),
        QuestionKind::Bullet { several: false } => json!({"type": ["integer", "null"]}),
        QuestionKind::Bullet { several: true } | QuestionKind::Units { .. } => {
            list(json!({"type": "integer"}))
        }
        QuestionKind::Passages { from: SelectedIn::Candidate, tags, severities, .. } => {
            let marks = [("tag", tags), ("severity", severities)]
                .into_iter()
                .filter(|(_, offered)| !offered.is_empty());
            let mark = |(name, offered): (&str, &Vec<Choice>)| {
                (name.to_owned(), json!({"type": "string", "enum": names(offered)}))
            };
            let quote = std::iter::once(("quote".to_owned(), json!({"type": "string"})));
            list(object(quote.chain(marks.map(mark)).collect()))
        }
        QuestionKind::Passages { .. } => list(passage()),
        QuestionKind::Points { with_passages: false, .. } => list(json!({"type": "string"})),
        QuestionKind::Points { with_passages: true, .. } => {
            let fields = [
                ("text", json!({"type": "string"})),
                ("passages", json!({"type": "array", "items": passage()})),
            ];
            list(object(fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()))
        }
    }
}

fn names(choices: &[Choice]) -> Vec<Value> {
    choices.iter().map(|choice| choice.value.as_str().into()).collect()
}

/// A place in a document that was shown.
fn passage() -> Value {
    let fields = [("document", json!({"type": "integer"})), ("quote", json!({"type": "string"}))];
    object(fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect())
}
