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
    for note in footnotes.chain(shown.notes.iter().chain(&table.notes).map(|note| escape_markdown(note))) {
        text += &format!("\n{note}\n");
    }
    text
}

/// A floating table in the style of the booktabs package.
pub(super) fn latex(table: &Table, caption: Option<&str>, label: Option<String>) -> String {
    let shown = shown(table);
    let row = |cells: Vec<String>| format!("    {} \\\\\n", cells.join(" & "));
    let alignment: String = shown.columns.iter().map(|column| if column.right { 'r' } else { 'l' }).collect();
    let mut text = "\\begin{table}\n  \\centering\n".to_owned();
    // A caption that is given is LaTeX already.
    let caption = caption.map_or_else(|| escape_latex(&table.title), str::to_owned);
    if !caption.is_empty() {
        text += &format!("  \\caption{{{caption}}}\n");
    }
    if let Some(label) = label {
        text += &format!("  \\label{{{label}}}\n");
    }
    text += &format!("  \\begin{{tabular}}{{{alignment}}}\n    \\toprule\n");
    text += &row(shown.columns.iter().map(|column| escape_latex(&column.label())).collect());
    text += "    \\midrule\n";
    for cells in &shown.rows {
        let cell = |cell: &ShownCell| match cell {
            ShownCell::Text(text) => escape_latex(text),
            other => signs(&other.text(|number| format!("\\textsuperscript{{{number}}}"))),
        };
        text += &row(cells.iter().map(cell).collect());
    }
    text += "    \\bottomrule\n  \\end{tabular}\n";
    let footnotes = numbered(&shown.reasons)
        .map(|(number, sentence)| format!("\\textsuperscript{{{number}}} {}", escape_latex(&sentence)));
    for note in footnotes.chain(shown.notes.iter().chain(&table.notes).map(|note| escape_latex(note))) {
        text += &format!("  \\par{{\\footnotesize {note}}}\n");
    }
    // Greek and the like are written as commands; letters of other scripts stay as they are.
    let is_beyond = |sign: char| sign > '\u{24f}' && !SIGNS.iter().any(|(known, _)| *known == sign);
    let engine =
        if text.contains(is_beyond) { ", and XeLaTeX or LuaLaTeX with a font for its letters" } else { "" };
    format!("% needs \\usepackage{{booktabs}}{engine}\n{text}\\end{{table}}\n")
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
            _ => escaped.push(character),
        }
    }
    signs(&escaped)
}

/// The same with what pdfLaTeX has no letter for written in its own way.
fn signs(text: &str) -> String {
    text.chars()
        .map(|sign| match SIGNS.iter().find(|(known, _)| *known == sign) {
            Some((_, written)) => (*written).to_owned(),
            None => sign.to_string(),
        })
        .collect()
}

/// Signs in titles, headings, notes and names, as pdfLaTeX takes them without further packages.
const SIGNS: [(char, &str); 30] = [
    ('α', "$\\alpha$"),
    ('κ', "$\\kappa$"),
    ('π', "$\\pi$"),
    ('ρ', "$\\rho$"),
    ('τ', "$\\tau$"),
    ('χ', "$\\chi$"),
    ('Δ', "$\\Delta$"),
    ('−', "$-$"),
    ('±', "$\\pm$"),
    ('×', "$\\times$"),
    ('÷', "$\\div$"),
    ('·', "$\\cdot$"),
    ('≤', "$\\leq$"),
    ('≥', "$\\geq$"),
    ('≈', "$\\approx$"),
    ('≠', "$\\neq$"),
    ('√', "$\\surd$"),
    ('∞', "$\\infty$"),
    ('→', "$\\rightarrow$"),
    ('←', "$\\leftarrow$"),
    ('–', "--"),
    ('—', "---"),
    ('…', "\\ldots{}"),
    ('“', "``"),
    ('”', "\'\'"),
    ('‘', "`"),
    ('’', "\'"),
    ('²', "\\textsuperscript{2}"),
    ('³', "\\textsuperscript{3}"),
    ('\u{a0}', "~"),
];
