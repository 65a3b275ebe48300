//! The little Markdown that guidelines are written in: headings, paragraphs, entries of lists.

/// A piece of a text, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block<'t> {
    /// With its level, 1 for the title.
    Heading(usize, &'t str),
    /// An entry of a list, without its mark.
    Entry(String),
    Paragraph(String),
    /// An empty line.
    Gap,
}

/// The pieces of a text in their order. Lines that Markdown reads as one are joined.
pub fn blocks(markdown: &str) -> Vec<Block<'_>> {
    let mut found: Vec<Block> = Vec::new();
    for line in markdown.lines().map(str::trim) {
        let heading = line.trim_start_matches('#');
        let level = line.len() - heading.len();
        let entry = line.strip_prefix("- ");
        match (found.last_mut(), entry) {
            _ if line.is_empty() => found.push(Block::Gap),
            _ if level > 0 => found.push(Block::Heading(level, heading.trim())),
            (_, Some(entry)) => found.push(Block::Entry(entry.to_owned())),
            (Some(Block::Entry(before) | Block::Paragraph(before)), None) => {
                before.push(' ');
                before.push_str(line);
            }
            (_, None) => found.push(Block::Paragraph(line.to_owned())),
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
                Block::Heading(1, "Title"),
                Block::Paragraph(text("One two.")),
                Block::Gap,
                Block::Entry(text("a b")),
                Block::Entry(text("c")),
                Block::Heading(3, "d"),
            ]
        );
    }
}
