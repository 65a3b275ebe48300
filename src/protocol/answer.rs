//! Answers, and their form in files.

use std::collections::BTreeMap;

use serde_json::Value;

/// The answers of one judgment by question key.
pub type Answers = BTreeMap<String, Answer>;

/// One answer.
///
/// In JSON: a choice is its value as a string, a link is a number, several links are a list of
/// numbers, and a link that was asked for but deliberately not given is `null`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// The `value` of a choice.
    Choice(String),
    /// The 1-based number of one bullet.
    Bullet(u32),
    /// Several bullets, in the order given. A list of one stays a list: a published
    /// number may count it apart (SummHay's linking accuracy does).
    Bullets(Vec<u32>),
    /// Covered, but by no single bullet: the rule was overridden, and that is on record.
    Unlinked,
}

impl Answer {
    /// The form in JSON files and in the journal.
    pub fn to_json(&self) -> Value {
        match self {
            Answer::Choice(value) => Value::from(value.as_str()),
            Answer::Bullet(number) => Value::from(*number),
            Answer::Bullets(numbers) => Value::from(numbers.clone()),
            Answer::Unlinked => Value::Null,
        }
    }

    /// Reads the form of [`Answer::to_json`]; `None` when it is none of these.
    pub fn from_json(value: &Value) -> Option<Answer> {
        match value {
            Value::Null => Some(Answer::Unlinked),
            Value::String(text) => Some(Answer::Choice(text.clone())),
            Value::Number(_) => bullet_number(value).map(Answer::Bullet),
            Value::Array(values) => {
                values.iter().map(bullet_number).collect::<Option<Vec<u32>>>().map(Answer::Bullets)
            }
            Value::Bool(_) | Value::Object(_) => None,
        }
    }

    /// The choice's value, if it is a choice.
    pub fn as_choice(&self) -> Option<&str> {
        match self {
            Answer::Choice(value) => Some(value),
            _ => None,
        }
    }

    /// The linked bullets; empty for a choice and for an overridden link.
    pub fn bullets(&self) -> &[u32] {
        match self {
            Answer::Bullet(number) => std::slice::from_ref(number),
            Answer::Bullets(numbers) => numbers,
            Answer::Choice(_) | Answer::Unlinked => &[],
        }
    }
}

fn bullet_number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_goes_both_ways() {
        for (answer, value) in [
            (Answer::Choice("full".into()), json!("full")),
            (Answer::Bullet(3), json!(3)),
            (Answer::Bullets(vec![2]), json!([2])),
            (Answer::Unlinked, json!(null)),
        ] {
            assert_eq!(answer.to_json(), value);
            assert_eq!(Answer::from_json(&value), Some(answer));
        }
    }

    #[test]
    fn refuses_what_is_no_answer() {
        for value in [json!(0), json!(-1), json!(1.5), json!(true), json!({}), json!([1, "2"])] {
            assert_eq!(Answer::from_json(&value), None, "{value}");
        }
    }
}
