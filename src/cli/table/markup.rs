//! The forms for documents: Markdown and LaTeX.

use super::{ShownCell, Table, footnote, shown};
use crate::agreement::Undefined;
use crate::text::width::visible;

/// A pipe table with its title in bold above and its notes below.
pub(super) fn markdown(table: &Table) -> String {
    let shown = shown(table);
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = String::new();
    if !table.title.is_empty() {
        text += &format!("**{}**\n\n", escape_markdown(&table.title));
    }
    text += &row(shown.columns.iter().map(|column| escape_markdown(&column.label())).collect());
    let rule = |right: bool| if right { "---:" } else { ":---" }.to_owned();
    text += &row(shown.columns.iter().map(|column| rule(column.right)).collect());
    for cells in &shown.rows {
        let cell = |cell: &ShownCell| match cell {
            ShownCell::Text(text) => escape_markdown(text),
            other => other.text(|number| format!("<sup>{number}</sup>")),
        };
        text += &row(cells.iter().map(cell).collect());
    }
    let footnotes = numbered(&shown.reasons)
        .map(|(number, sentence)| format!("<sup>{number}</sup> {}", escape_markdown(&sentence)));
    for note in footnotes.chain(table.notes.iter().map(|note| escape_markdown(note))) {
        text += &format!("\n{note}\n");
    }
    text
}

/// A floating table in the style of the booktabs package.
pub(super) fn latex(table: &Table) -> String {
    let shown = shown(table);
    let row = |cells: Vec<String>| format!("    {} \\\\\n", cells.join(" & "));
    let alignment: String = shown.columns.iter().map(|column| if column.right { 'r' } else { 'l' }).collect();
    let mut text = "% needs \\usepackage{booktabs}\n\\begin{table}\n  \\centering\n".to_owned();
    if !table.title.is_empty() {
        text += &format!("  \\caption{{{}}}\n", escape_latex(&table.title));
    }
    text += &format!("  \\begin{{tabular}}{{{alignment}}}\n    \\toprule\n");
    text += &row(shown.columns.iter().map(|column| escape_latex(&column.label())).collect());
    text += "    \\midrule\n";
    for cells in &shown.rows {
        let cell = |cell: &ShownCell| match cell {
            ShownCell::Text(text) => escape_latex(text),
            other => other.text(|number| format!("\\textsuperscript{{{number}}}")).replace('–', "--"),
        };
        text += &row(cells.iter().map(cell).collect());
    }
    text += "    \\bottomrule\n  \\end{tabular}\n";
    let footnotes = numbered(&shown.reasons)
        .map(|(number, sentence)| format!("\\textsuperscript{{{number}}} {}", escape_latex(&sentence)));
    for note in footnotes.chain(table.notes.iter().map(|note| escape_latex(note))) {
        text += &format!("  \\par{{\\footnotesize {note}}}\n");
    }
    text + "\\end{table}\n"
}

fn numbered(reasons: &[Undefined]) -> impl Iterator<Item = (usize, String)> {
    reasons.iter().enumerate().map(|(index, reason)| (index + 1, footnote(reason)))
}

/// The text as Markdown that shows it as it is, on one line.
pub fn escape_markdown(text: &str) -> String {
    let mut escaped = String::new();
    for character in visible(text).chars() {
        if matches!(character, '\\' | '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '&' | '~' | '$') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// The text as LaTeX that shows it as it is.
fn escape_latex(text: &str) -> String {
    let mut escaped = String::new();
    for character in visible(text).chars() {
        match character {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(character);
            }
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '|' => escaped.push_str("\\textbar{}"),
            // A bracket after a line's end would be read as the argument of \\.
            '[' | ']' => escaped.push_str(&format!("{{{character}}}")),
            '–' => escaped.push_str("--"),
            _ => escaped.push(character),
        }
    }
    escaped
}
