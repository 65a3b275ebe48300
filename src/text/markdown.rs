//! Markdown: the little that guidelines are written in as blocks, and the parts of any text that it marks, each where it stands.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

/// The meaning of a part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkdownStyle {
    Strong,
    Emphasis,
    Heading,
    /// The signs that mark other parts: `**`, `#`, the bars of a table.
    Mark,
}

/// The parts of a text that Markdown marks, as ranges of its bytes by where they begin. Nothing is taken out of the text.
pub fn styles(text: &str) -> Vec<(Range<usize>, MarkdownStyle)> {
    let mut found = Vec::new();
    let mut tables: Vec<Range<usize>> = Vec::new();
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        let part = text.get(range.clone()).unwrap_or_default();
        let (style, mark) = match event {
            Event::Start(Tag::Strong) => (Some(MarkdownStyle::Strong), 2),
            Event::Start(Tag::Emphasis) => (Some(MarkdownStyle::Emphasis), 1),
            Event::Start(Tag::Heading { .. }) => (Some(MarkdownStyle::Heading), 0),
            Event::Start(Tag::TableHead) => (Some(MarkdownStyle::Strong), 0),
            Event::Code(_) => (None, part.len() - part.trim_start_matches('`').len()),
            _ => (None, 0),
        };
        found.extend(style.map(|style| (range.clone(), style)));
        let mut mark_out = |mark: Range<usize>| {
            if !mark.is_empty() {
                found.push((mark, MarkdownStyle::Mark));
            }
        };
        mark_out(range.start..range.start + mark);
        mark_out(range.end - mark..range.end);
        match event {
            Event::Start(Tag::Heading { .. }) => {
                let words = part.trim_start_matches('#');
                mark_out(range.start..range.start + part.len() - words.len());
            }
            Event::Start(Tag::Table(_)) => tables.push(range),
            _ => {}
        }
    }
    for table in tables {
        let is_bar = |letter: char| matches!(letter, '|' | '-' | ':' | ' ');
        let mut start = table.start;
        for line in text.get(table).unwrap_or_default().split_inclusive('\n') {
            if line.trim_end().chars().all(is_bar) {
                found.push((start..start + line.len(), MarkdownStyle::Mark));
            } else {
                found.extend(
                    line.match_indices('|').map(|(at, _)| (start + at..start + at + 1, MarkdownStyle::Mark)),
                );
            }
            start += line.len();
        }
    }
    found.sort_by_key(|(range, _)| range.start);
    found
}

/// A block of a text, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkdownBlock<'t> {
    /// A heading with its level, 1 for the title.
    Heading(usize, &'t str),
    /// An entry of a list, without its mark.
    Entry(String),
    Paragraph(String),
    /// An empty line.
    Gap,
}

/// The blocks of a text in their order. Lines that Markdown reads as one are joined.
pub fn blocks(markdown: &str) -> Vec<MarkdownBlock<'_>> {
    let mut found: Vec<MarkdownBlock> = Vec::new();
    for line in markdown.lines().map(str::trim) {
        let heading = line.trim_start_matches('#');
        let level = line.len() - heading.len();
        let entry = line.strip_prefix("- ");
        match (found.last_mut(), entry) {
            _ if line.is_empty() => found.push(MarkdownBlock::Gap),
            _ if level > 0 => found.push(MarkdownBlock::Heading(level, heading.trim())),
            (_, Some(entry)) => found.push(MarkdownBlock::Entry(entry.to_owned())),
            (Some(MarkdownBlock::Entry(before) | MarkdownBlock::Paragraph(before)), None) => {
                before.push(' ');
                before.push_str(line);
            }
            (_, None) => found.push(MarkdownBlock::Paragraph(line.to_owned())),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts as text, each with the sign of its style.
    fn told(text: &str) -> Vec<String> {
        let sign = |style| match style {
            MarkdownStyle::Strong => 'b',
            MarkdownStyle::Emphasis => 'i',
            MarkdownStyle::Heading => 'h',
            MarkdownStyle::Mark => '-',
        };
        styles(text)
            .into_iter()
            .map(|(range, style)| format!("{}{}", sign(style), text[range].trim_end()))
            .collect()
    }

    #[test]
    fn parts_stay_where_they_stand() {
        assert_eq!(told("## 结论\n\nplain [1][2]"), ["h## 结论", "-##"]);
        assert_eq!(told("- **Cost**: up *much* [3]"), ["b**Cost**", "-**", "-**", "i*much*", "-*", "-*"]);
        assert_eq!(told("a `b|c` d"), ["-`", "-`"]);
        assert_eq!(
            told("| a | b |\n|---|---|\n| 1 | 2 |\n"),
            ["b| a | b |", "-|", "-|", "-|", "-|---|---|", "-|", "-|", "-|"]
        );
        // No text is cut within a letter, whatever is marked wrongly.
        for text in ["", "**", "*中*文*", "###", "|", "a\n===", "```\n|x", "__é", "1. [x](", "\u{0}**\u{0}**"]
        {
            assert!(styles(text).iter().all(|(range, _)| text.get(range.clone()).is_some()), "{text:?}");
        }
    }

    #[test]
    fn lines_that_belong_together_are_joined() {
        let found = blocks("# Title\nOne\n  two.\n\n- a\n  b\n- c\n### d");
        let text = str::to_owned;
        assert_eq!(
            found,
            [
                MarkdownBlock::Heading(1, "Title"),
                MarkdownBlock::Paragraph(text("One two.")),
                MarkdownBlock::Gap,
                MarkdownBlock::Entry(text("a b")),
                MarkdownBlock::Entry(text("c")),
                MarkdownBlock::Heading(3, "d"),
            ]
        );
    }
}
