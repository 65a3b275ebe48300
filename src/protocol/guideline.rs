//! The sections of a guideline: on the task, on each question, on each label.
//!
//! A question's section stands under `## prompt`, a label's within it under `### key · label`. The text
//! between the title and the first of them tells the task. A guideline need not have any of this.

use super::{Choice, Protocol, Question};
use crate::text::markdown::{MarkdownBlock, blocks};

/// The beginnings of entries that show a label on an example.
const EXAMPLE: [&str; 4] = ["Example:", "Examples:", "示例：", "例："];

/// The advice of a guideline on a label.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LabelAdvice {
    /// What the label means and when to use it: one paragraph or entry of a list each.
    pub about: Vec<String>,
    /// Examples of the label.
    pub examples: Vec<String>,
}

/// A heading and the entries under it, up to the next heading.
struct Section<'g> {
    /// 1 for the title.
    level: usize,
    heading: &'g str,
    /// Paragraphs and entries of lists, each on one line, without the mark of the list.
    entries: Vec<String>,
}

impl Protocol {
    /// The task as the guideline puts it: the paragraphs before its first section.
    pub fn task(&self) -> Vec<String> {
        let before = sections(&self.guideline).into_iter().take_while(|section| section.level < 2);
        before.flat_map(|section| section.entries).collect()
    }

    /// The task in one question: the first that the guideline's text on the task asks.
    pub fn task_question(&self) -> Option<String> {
        let asked = |paragraph: &String| {
            let before = paragraph.split_once('?')?.0;
            Some(format!("{}?", before.rsplit(". ").next().unwrap_or(before)))
        };
        self.task().iter().find_map(asked)
    }

    /// The advice of the guideline on a question, without its labels.
    pub fn advice_on(&self, question: &Question) -> Vec<String> {
        let mut sections = self.sections_of(question).into_iter();
        sections.next().map(|section| section.entries).unwrap_or_default()
    }

    /// The question's choices or tags, each with the guideline's advice on it: in the order of the guideline, since a label may
    /// be explained by the one before; then the labels that it does not name.
    pub fn advice_on_labels<'q>(&self, question: &'q Question) -> Vec<(&'q Choice, LabelAdvice)> {
        let sections = self.sections_of(question);
        let mut labels: Vec<(&Choice, Option<&Section<'_>>)> =
            question.offered().iter().map(|label| (label, section_of(&sections, label))).collect();
        let place = |section: Option<&Section<'_>>| {
            section.and_then(|section| sections.iter().position(|other| std::ptr::eq(other, section)))
        };
        labels.sort_by_key(|(_, section)| place(*section).unwrap_or(sections.len()));
        let advice = |section: Option<&Section<'_>>| section.map(Section::advice).unwrap_or_default();
        labels.into_iter().map(|(label, section)| (label, advice(section))).collect()
    }

    /// The question's choices or tags as screens show them: in the order of the guideline, so that eye and hand learn one.
    /// Labels that it does not name come last, in the order of the file.
    pub fn labels_shown<'q>(&self, question: &'q Question) -> Vec<&'q Choice> {
        self.advice_on_labels(question).into_iter().map(|(label, _)| label).collect()
    }

    /// The section of a question, and behind it the sections within.
    fn sections_of(&self, question: &Question) -> Vec<Section<'_>> {
        let is_its_own = |section: &Section<'_>| section.level == 2 && section.heading == question.prompt;
        let mut sections = sections(&self.guideline).into_iter().skip_while(|section| !is_its_own(section));
        let first = sections.next();
        first.into_iter().chain(sections.take_while(|section| section.level > 2)).collect()
    }
}

/// The section that explains a label.
fn section_of<'s, 'g>(sections: &'s [Section<'g>], label: &Choice) -> Option<&'s Section<'g>> {
    let heading = format!("{} · {}", label.key, label.label);
    sections.iter().find(|section| section.level > 2 && section.heading == heading)
}

impl Section<'_> {
    /// The entries, parted into explanations and examples.
    fn advice(&self) -> LabelAdvice {
        let mut advice = LabelAdvice::default();
        for entry in &self.entries {
            match EXAMPLE.iter().find_map(|start| entry.strip_prefix(start)) {
                Some(example) => advice.examples.push(example.trim().to_owned()),
                None => advice.about.push(entry.clone()),
            }
        }
        advice
    }
}

/// The sections of a Markdown text; text before its first heading is in a section without one.
fn sections(markdown: &str) -> Vec<Section<'_>> {
    let mut found = vec![Section { level: 0, heading: "", entries: Vec::new() }];
    for block in blocks(markdown) {
        match (block, found.last_mut()) {
            (MarkdownBlock::Heading(level, heading), _) => {
                found.push(Section { level, heading, entries: Vec::new() });
            }
            (MarkdownBlock::Entry(text) | MarkdownBlock::Paragraph(text), Some(section)) => {
                section.entries.push(text)
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{builtin, builtins};

    #[test]
    fn a_guideline_is_taken_apart_at_its_headings() {
        let mut protocol = builtin("coverage").expect("built in").clone();
        protocol.guideline = "Before.\n\n# Title\n\nOne\ntwo.\n\n## Covered?\n\nAbout\nit.\n\n### p · partial\n\n\
                              Half.\n\n### f · full\n\n\
                              All.\n\n- Use when: a\n  b\n- Example: c\n  d\n- 示例：茶\n\n## By bullet\n\nType.\n"
            .to_owned();
        assert_eq!(protocol.task(), ["Before.", "One two."]);
        let [covered, bullet] = protocol.questions.as_slice() else { panic!("two questions") };
        assert_eq!(protocol.advice_on(covered), ["About it."]);
        assert_eq!(protocol.advice_on(bullet), ["Type."]);
        let labels = protocol.advice_on_labels(covered);
        // Labels stand as in the guideline; "none", which the guideline does not name, comes last.
        let values: Vec<&str> = labels.iter().map(|(label, _)| label.value.as_str()).collect();
        assert_eq!(values, ["partial", "full", "none"]);
        assert_eq!(labels[1].1.about, ["All.", "Use when: a b"]);
        assert_eq!(labels[1].1.examples, ["c d", "茶"]);
        assert_eq!(labels[2].1, LabelAdvice::default());
        protocol.guideline = String::new();
        assert_eq!((protocol.task(), protocol.advice_on(covered)), (Vec::new(), Vec::new()));
    }

    #[test]
    fn every_label_of_the_built_in_protocols_has_an_example() {
        for protocol in builtins() {
            assert_eq!(protocol.task().len(), 1, "{}", protocol.name);
            // The question has room on the bottom line of 80 columns, behind "1 of 5".
            let question = protocol.task_question().expect(&protocol.name);
            assert!(question.len() <= 71, "{}: {question}", protocol.name);
            for question in &protocol.on_screen(false).questions {
                for (label, advice) in protocol.advice_on_labels(question) {
                    assert_eq!(advice.examples.len(), 1, "{}, {}", protocol.name, label.value);
                    // A definition, when to use it and when not to.
                    assert_eq!(advice.about.len(), 3, "{}, {}", protocol.name, label.value);
                }
                if question.offered().is_empty() {
                    assert!(!protocol.advice_on(question).is_empty(), "{}, {}", protocol.name, question.key);
                }
            }
        }
    }
}
