//! The little Markdown that guidelines are written in: headings, paragraphs, entries of lists.

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
