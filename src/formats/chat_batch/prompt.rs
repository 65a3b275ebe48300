//! The prompt: a Markdown text with places that a protocol and an item fill.

use crate::error::{Error, Result};
use crate::formats::sentence::quoted_list;

/// The text of the prompt that comes with haymark.
pub const PROMPT: &str = include_str!("../../../assets/prompts/judge.md");

/// The line between the system's message, above it, and the user's. Without the line there is only the user's message.
const DIVIDER: &str = "---";

/// A prompt with its places still open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgePrompt {
    /// Each message by its role and its parts.
    messages: Vec<(&'static str, Vec<PromptPart>)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum PromptPart {
    Text(String),
    Open(PromptPlace),
}

named! {
    /// A place that is filled, written as its name in braces.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum PromptPlace {
        /// The protocol's title.
        Title = "{title}",
        /// The text of the guideline before its first section.
        Task = "{task}",
        /// Every question with its labels and what the guideline says of them.
        Questions = "{questions}",
        /// An example of each label.
        Examples = "{examples}",
        /// The form that the answer must have.
        Format = "{format}",
        /// The texts of the item.
        Item = "{item}",
    }
}

impl JudgePrompt {
    /// Reads a prompt. Braces around anything but a lower-case word stand for themselves.
    ///
    /// # Errors
    /// A word in braces is no place to fill (the line is named), or the prompt has no place for the
    /// item or for the form of the answer, which the import goes by.
    pub fn parse(text: &str) -> Result<JudgePrompt> {
        let known = || quoted_list(PromptPlace::ALL.map(PromptPlace::name));
        let prompt = JudgePrompt::of(text);
        for (number, line) in (1..).zip(text.lines()) {
            let parts = parts(line);
            let is_unknown =
                |part: &&PromptPart| matches!(part, PromptPart::Text(text) if is_braced_word(text));
            if let Some(PromptPart::Text(name)) = parts.iter().find(is_unknown) {
                return Err(Error::new(format!("{name:?} is no place that a prompt has"))
                    .at_line(number)
                    .advise(format!("known are {}; without the braces it is a word", known())));
            }
        }
        for needed in [PromptPlace::Format, PromptPlace::Item] {
            if !prompt.messages.iter().any(|(_, parts)| parts.contains(&PromptPart::Open(needed))) {
                return Err(Error::new(format!("the prompt has no {:?}", needed.name()))
                    .advise("put it where the judge is to read it"));
            }
        }
        Ok(prompt)
    }

    fn of(text: &str) -> JudgePrompt {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut around = lines.splitn(2, |line| line.trim_end() == DIVIDER).map(<[&str]>::concat);
        let messages = match (around.next(), around.next()) {
            (Some(above), Some(below)) => vec![("system", parts(&above)), ("user", parts(&below))],
            _ => vec![("user", parts(text))],
        };
        JudgePrompt { messages }
    }

    /// The messages by role, with every place filled. Fillings are taken as they are: braces in them stand for themselves.
    pub(super) fn filled<'f>(&self, fill: impl Fn(PromptPlace) -> &'f str) -> Vec<(&'static str, String)> {
        let filled = |parts: &[PromptPart]| {
            let mut message = String::new();
            for part in parts {
                message.push_str(match part {
                    PromptPart::Text(text) => text,
                    PromptPart::Open(place) => fill(*place),
                });
            }
            message.trim().to_owned()
        };
        self.messages.iter().map(|(role, parts)| (*role, filled(parts))).collect()
    }
}

/// The text in parts; a word in braces is a part of its own, known or not.
fn parts(text: &str) -> Vec<PromptPart> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        let word = behind.split_once('}').filter(|(word, _)| is_word(word));
        found.push(PromptPart::Text(before.to_owned()));
        rest = match word {
            Some((word, after)) => {
                let name = format!("{{{word}}}");
                let place = PromptPlace::named(&name);
                found.push(place.map_or(PromptPart::Text(name), PromptPart::Open));
                after
            }
            None => {
                found.push(PromptPart::Text("{".to_owned()));
                behind
            }
        };
    }
    found.push(PromptPart::Text(rest.to_owned()));
    found
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_')
}

fn is_braced_word(text: &str) -> bool {
    text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).is_some_and(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(place: PromptPlace) -> &'static str {
        match place {
            PromptPlace::Item => "ITEM {task}",
            PromptPlace::Format => "JSON",
            _ => "…",
        }
    }

    #[test]
    fn places_are_filled_once_and_other_braces_stay() {
        let prompt =
            JudgePrompt::parse("A {\"b\": {item}} {}\n---\n{format} { c }\n---\n").expect("a prompt");
        // What fills a place is not looked through again, and the second divider is a line like others.
        assert_eq!(
            prompt.filled(fill),
            [("system", "A {\"b\": ITEM {task}} {}".to_owned()), ("user", "JSON { c }\n---".to_owned())]
        );
        let one = JudgePrompt::parse("{format}{item}").expect("a prompt");
        assert_eq!(one.filled(fill), [("user", "JSONITEM {task}".to_owned())]);
    }

    #[test]
    fn what_is_wrong_with_a_prompt_is_said() {
        let sentence = |text: &str| JudgePrompt::parse(text).expect_err("refused").to_string();
        assert_eq!(
            sentence("{format}\n{item} {itme}"),
            "line 2: \"{itme}\" is no place that a prompt has; known are \"{title}\", \"{task}\", \"{questions}\", \
             \"{examples}\", \"{format}\" and \"{item}\"; without the braces it is a word"
        );
        assert_eq!(
            sentence("{item}"),
            "the prompt has no \"{format}\"; put it where the judge is to read it"
        );
        assert!(sentence("{format}").contains("no \"{item}\""));
    }

    #[test]
    fn the_built_in_prompt_is_one() {
        let filled = JudgePrompt::parse(PROMPT).expect("a prompt").filled(fill);
        assert_eq!(filled.iter().map(|(role, _)| *role).collect::<Vec<_>>(), ["system", "user"]);
        for place in PromptPlace::ALL {
            assert_eq!(PROMPT.matches(place.name()).count(), 1, "{place:?}");
        }
    }
}
