//! The JSON parser's messages, in words for people who did not write the parser.

use serde_json::error::Category;

use crate::error::Error;

/// How many characters of a foreign text a sentence repeats.
const LONGEST_QUOTE: usize = 80;

/// How many texts a list in a sentence repeats.
const LONGEST_LIST: usize = 12;

/// The numbers that Python writes into JSON and that JSON does not have.
const NO_NUMBERS: [&[u8]; 2] = [b"NaN", b"Infinity"];

/// The error with its column, and with advice where there is some. `stopped` is the text from the byte at which the parser stopped.
pub(super) fn told(error: &serde_json::Error, column: usize, stopped: &[u8]) -> Error {
    let is_there = |word: &&&[u8]| error.is_syntax() && stopped.starts_with(word);
    if let Some(word) = NO_NUMBERS.iter().find(is_there) {
        let word = String::from_utf8_lossy(word);
        return Error::new(format!("{word} is no JSON (column {})", column.max(1))).advise(
            "write null where there is no value; Python's json.dumps writes it for a float that is none",
        );
    }
    let told = Error::new(format!("{} (column {})", what(error), column.max(1)));
    match error.classify() {
        Category::Eof => told.advise("it was cut off; get it again"),
        Category::Syntax => told.advise("correct it by hand, or have it written by a JSON library"),
        Category::Io | Category::Data => told,
    }
}

/// The sentence on an error, without the place.
pub(super) fn what(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let message = match message.rfind(" at line ") {
        Some(end) => message.get(..end).unwrap_or(&message),
        None => &message,
    };
    if let Some(rest) = message.strip_prefix("EOF while parsing ") {
        return format!("the text ends in the middle of {rest}");
    }
    if let Some((found, expected)) = found_and_expected(message) {
        return format!("expected {}, found {}", plain_expected(expected), plain_found(found));
    }
    if message == "recursion limit exceeded" {
        return "lists and objects stand more than 127 deep inside each other".to_owned();
    }
    match backticked(message) {
        Some(("missing field", field)) => format!("{field:?} is missing"),
        Some(("duplicate field", field)) => format!("{field:?} stands twice"),
        _ if error.classify() == Category::Syntax => {
            format!("this is no JSON: {}", one_line(message))
        }
        _ => one_line(message),
    }
}

/// The field that the parser did not know, and those that it knows, as a list.
pub(super) fn unknown_field(error: &serde_json::Error) -> Option<(String, String)> {
    let message = error.to_string();
    let rest = message.strip_prefix("unknown field `")?;
    // The name may hold anything; what follows it is the parser's.
    let (field, known) = rest.rsplit_once("`, expected ")?;
    let known = known.get(..known.rfind(" at line ")?)?;
    let known = known.strip_prefix("one of ").unwrap_or(known);
    Some((one_line(field), known.replace('`', "\"")))
}

fn found_and_expected(message: &str) -> Option<(&str, &str)> {
    let rest = ["invalid type: ", "invalid value: ", "invalid length "]
        .iter()
        .find_map(|start| message.strip_prefix(start))?;
    // What was found may hold any text; what was expected is the parser's.
    let middle = rest.rfind(", expected ")?;
    Some((rest.get(..middle)?, rest.get(middle..)?.strip_prefix(", expected ")?))
}

fn plain_expected(expected: &str) -> &str {
    match expected {
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number, 0 or more",
        "f64" | "f32" => "a number",
        "a sequence" => "a list",
        "a map" => "an object",
        "a boolean" => "true or false",
        _ if expected.starts_with("struct ") => "an object",
        _ => expected,
    }
}

fn plain_found(found: &str) -> String {
    match found {
        "map" => "an object".into(),
        "sequence" => "a list".into(),
        _ => match backticked(found) {
            Some(("integer" | "floating point", number)) => format!("the number {number}"),
            Some(("boolean", value)) => value.into(),
            _ => match found.strip_prefix("string ") {
                Some(text) => format!("the text {}", one_line(text)),
                None => one_line(found),
            },
        },
    }
}

/// `word` and `name` of a message of the form "word `name`".
fn backticked(message: &str) -> Option<(&str, &str)> {
    let (word, rest) = message.split_once(" `")?;
    Some((word, rest.strip_suffix('`')?))
}

/// `text` on one line, cut to a length that fits a message.
pub(super) fn one_line(text: &str) -> String {
    let mut line: String = text
        .chars()
        .take(LONGEST_QUOTE)
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect();
    if text.chars().nth(LONGEST_QUOTE).is_some() {
        line.push('…');
    }
    line
}

/// `text` in quotation marks, on one line, cut to a length that fits a message.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text))
}

/// A list in words, such as `"a", "b" and "c"`; a long one is cut.
pub(super) fn quoted_list<Texts>(texts: Texts) -> String
where
    Texts: IntoIterator<Item: AsRef<str>>,
{
    let mut texts = texts.into_iter();
    let quoted: Vec<String> = texts.by_ref().take(LONGEST_LIST).map(|text| quoted(text.as_ref())).collect();
    match (quoted.split_last(), texts.count()) {
        (_, more @ 1..) => format!("{} and {more} more", quoted.join(", ")),
        (Some((last, rest)), 0) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        #[serde(rename = "text")]
        _text: String,
        #[serde(default, rename = "number")]
        _number: u32,
    }

    #[test]
    fn messages_are_plain_words() {
        let check = |json: &str, expected: &str| {
            let error = serde_json::from_str::<Sample>(json).expect_err(json);
            assert_eq!(what(&error), expected, "{json}");
        };
        check(r#"{"text":3}"#, "expected a string, found the number 3");
        check(r#"{"text":{}}"#, "expected a string, found an object");
        check(
            r#"{"number":"five, expected u32"}"#,
            "expected a whole number from 0 to 4294967295, found the text \"five, expected u32\"",
        );
        check(r#"{"number":-1}"#, "expected a whole number from 0 to 4294967295, found the number -1");
        check(r#"{"number":true}"#, "expected a whole number from 0 to 4294967295, found true");
        check(r#"{"number":null}"#, "expected a whole number from 0 to 4294967295, found null");
        check("{}", "\"text\" is missing");
        check(r#"{"text":"a","text":"b"}"#, "\"text\" stands twice");
        check(r#"{"text":"a"#, "the text ends in the middle of a string");
        check(r#"{"text":'a'}"#, "this is no JSON: expected value");
        check("3", "expected an object, found the number 3");
    }

    #[test]
    fn the_unknown_field_is_found_whatever_its_name() {
        for name in ["mood", "a`, b", "x at line 3"] {
            let json = format!("{{{:?}:1}}", name);
            let error = serde_json::from_str::<Sample>(&json).expect_err("unknown");
            let known = "\"text\" or \"number\"".to_owned();
            assert_eq!(unknown_field(&error), Some((name.to_owned(), known)));
        }
        let error = serde_json::from_str::<Sample>("{}").expect_err("missing");
        assert_eq!(unknown_field(&error), None);
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(one_line(&"a".repeat(LONGEST_QUOTE)).chars().count(), LONGEST_QUOTE);
        let cut = one_line(&"é\n".repeat(LONGEST_QUOTE));
        assert_eq!(cut.chars().count(), LONGEST_QUOTE + 1);
        assert!(cut.ends_with('…') && !cut.contains('\n'));
        assert_eq!(quoted_list(["a", "b", "c"]), "\"a\", \"b\" and \"c\"");
        assert_eq!((quoted_list(["a"]), quoted_list([""; 0])), ("\"a\"".into(), String::new()));
        assert!(quoted_list(["a"; 100]).ends_with("\"a\" and 88 more"));
    }
}
