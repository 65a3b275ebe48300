//! Markdown on the page: the guideline, and what the page's author writes for its head.

use crate::text::html::Html;
use crate::text::markdown::{MarkdownBlock, blocks};

/// The first heading of level 1, and the pieces of the text without it.
pub fn titled(markdown: &str) -> (Option<&str>, Vec<MarkdownBlock<'_>>) {
    let mut pieces = blocks(markdown);
    let title = pieces.iter().position(|piece| matches!(piece, MarkdownBlock::Heading(1, _)));
    let title = title.map(|at| pieces.remove(at)).and_then(|piece| match piece {
        MarkdownBlock::Heading(_, title) => Some(title),
        _ => None,
    });
    (title, pieces)
}

/// Writes the pieces, headings of level 2 as those of `level`.
pub fn write(pieces: &[MarkdownBlock<'_>], level: usize, page: &mut Html) {
    const HEADINGS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];
    let mut in_list = false;
    for piece in pieces {
        if matches!(piece, MarkdownBlock::Gap) {
            continue;
        }
        let is_entry = matches!(piece, MarkdownBlock::Entry(_));
        if is_entry != in_list {
            page.markup(if is_entry { "<ul>\n" } else { "</ul>\n" });
            in_list = is_entry;
        }
        match piece {
            MarkdownBlock::Heading(own, text) => {
                let at = (level + own.saturating_sub(2)).clamp(1, HEADINGS.len()) - 1;
                let heading = HEADINGS.get(at).copied().unwrap_or("h6");
                page.open(heading, &[]);
                inline(text, page);
                page.close(heading).markup("\n");
            }
            MarkdownBlock::Entry(text) => {
                page.markup("<li>");
                inline(text, page);
                page.markup("</li>\n");
            }
            MarkdownBlock::Paragraph(text) => {
                page.markup("<p>");
                inline(text, page);
                page.markup("</p>\n");
            }
            MarkdownBlock::Gap => {}
        }
    }
    if in_list {
        page.markup("</ul>\n");
    }
}

/// Writes a line with the words between `**`, `*` and backticks set apart, and with links to the web.
fn inline(text: &str, page: &mut Html) {
    const MARKS: [(&str, &str); 3] = [("**", "strong"), ("*", "em"), ("`", "code")];
    let mut rest = text;
    while let Some(at) = rest.find(['*', '`', '[']) {
        let (before, from) = rest.split_at(at);
        page.text(before);
        if let Some((words, to, after)) = link(from) {
            page.element("a", &[("href", to), ("rel", "noreferrer")], words);
            rest = after;
            continue;
        }
        let marked = MARKS.iter().find_map(|(mark, element)| {
            let (inside, after) = from.strip_prefix(mark)?.split_once(mark)?;
            let is_closed = !inside.is_empty() && inside.trim() == inside;
            is_closed.then_some((*element, inside, after))
        });
        rest = match marked {
            Some((element, inside, after)) => {
                page.element(element, &[], inside);
                after
            }
            None => {
                let mut letters = from.chars();
                let mark = letters.next().map(String::from).unwrap_or_default();
                page.text(&mark);
                letters.as_str()
            }
        };
    }
    page.text(rest);
}

/// `[words](https://…)` at the beginning of a text, and what stands behind it.
fn link(text: &str) -> Option<(&str, &str, &str)> {
    let (words, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (to, rest) = rest.split_once(')')?;
    let is_of_web = ["https://", "http://", "mailto:"].iter().any(|scheme| to.starts_with(scheme));
    (is_of_web && !words.contains(['[', ']'])).then_some((words, to, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(markdown: &str) -> String {
        let mut page = Html::default();
        write(&titled(markdown).1, 3, &mut page);
        page.as_str().replace('\n', "")
    }

    #[test]
    fn the_title_is_taken_out_and_the_rest_is_markup_of_its_own() {
        assert_eq!(titled("# Our *study*\n\ntext").0, Some("Our *study*"));
        assert_eq!(
            written("# T\n\nOne **two** *three* `4 * 5`\n- a\n- b\n\n## Part\n"),
            "<p>One <strong>two</strong> <em>three</em> <code>4 * 5</code></p><ul><li>a</li><li>b</li></ul><h3>Part</h3>"
        );
    }

    #[test]
    fn what_is_no_markdown_is_shown_as_it_is() {
        assert_eq!(
            written("2 * 3 * 4 ** <b> [x](javascript:alert(1))"),
            "<p>2 * 3 * 4 ** &lt;b&gt; [x](javascript:alert(1))</p>"
        );
        assert_eq!(
            written("[a & b](https://x.org/?q=\"1\")"),
            "<p><a href=\"https://x.org/?q=&quot;1&quot;\" rel=\"noreferrer\">a &amp; b</a></p>"
        );
    }
}
