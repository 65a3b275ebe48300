//! The forms for documents: Markdown and LaTeX.

use super::terminal::wrapped;
use super::{ShownCell, ShownTable, Table, footnote, shown};
use crate::agreement::Undefined;
use crate::text::width::{visible, width as columns_of};

/// A pipe table with its title in bold above and its notes below.
pub(super) fn markdown(table: &Table) -> String {
    let shown = shown(table, |_| true);
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

/// Points that text takes across an article's page.
const PAGE: usize = 345;

/// How a LaTeX table is set: intervals beside their numbers where there is room, else smaller, and below them.
#[derive(Clone, Copy, PartialEq)]
enum Setting {
    Wide,
    Narrow,
}

impl Setting {
    /// The widest line of each column, in characters: of its cells, and of the words of its heading.
    fn widths(self, shown: &ShownTable<'_>) -> Vec<usize> {
        let of_column = |(at, column): (usize, &&super::Heading)| {
            let cells = shown.rows.iter().filter_map(|row| row.get(at));
            let cells = cells.map(|cell| self.width(cell)).max().unwrap_or(0);
            let label = column.label();
            match self {
                Setting::Wide => cells.max(columns_of(&label)),
                Setting::Narrow => cells.max(label.split(' ').map(columns_of).max().unwrap_or(0)),
            }
        };
        shown.columns.iter().enumerate().map(of_column).collect()
    }

    /// About the points that it takes: a character has 5, or 4.4 where it is smaller, and the gap between two columns 12 or 6.
    fn fits(self, shown: &ShownTable<'_>) -> bool {
        let (letter, gap) = if self == Setting::Wide { (50, 12) } else { (44, 6) };
        let widths = self.widths(shown);
        widths.iter().sum::<usize>() * letter / 10 + widths.len() * gap <= PAGE
    }

    /// The characters of a cell's widest line.
    fn width(self, cell: &ShownCell) -> usize {
        match cell {
            ShownCell::Estimate(value, ends) if self == Setting::Narrow => {
                columns_of(value).max(ends.as_ref().map_or(2, |ends| columns_of(ends)))
            }
            cell => columns_of(&visible(&cell.text(|number| number.to_string()))),
        }
    }

    /// The lines of a cell, in LaTeX: its text, or a number with its interval on one line or on two.
    fn lines(self, cell: &ShownCell) -> Vec<String> {
        let raised = |number: usize| format!("\\textsuperscript{{{number}}}");
        match cell {
            ShownCell::Text(text) => vec![escape_latex(text)],
            ShownCell::Estimate(value, ends) if self == Setting::Narrow => {
                let ends = ends.clone().unwrap_or_else(|number| format!("–{}", raised(number)));
                vec![signs(value), signs(&ends)]
            }
            other => vec![signs(&other.text(raised))],
        }
    }
}

/// A floating table in the style of the booktabs package.
pub(super) fn latex(table: &Table, caption: Option<&str>, label: Option<String>) -> String {
    let shown = shown(table, |shown| Setting::Narrow.fits(shown));
    let setting = if Setting::Wide.fits(&shown) { Setting::Wide } else { Setting::Narrow };
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
    if setting == Setting::Narrow {
        text += "  \\footnotesize\\setlength{\\tabcolsep}{3pt}\n";
    }
    text += &format!("  \\begin{{tabular}}{{{alignment}}}\n    \\toprule\n");
    let headings = shown.columns.iter().zip(setting.widths(&shown)).map(|(column, width)| {
        let lines: Vec<String> = wrapped(&visible(&column.label()), width)
            .iter()
            .map(|line| escape_latex(line.trim_end()))
            .collect();
        match lines.as_slice() {
            [line] => line.clone(),
            lines => {
                format!("\\shortstack[{}]{{{}}}", if column.right { 'r' } else { 'l' }, lines.join("\\\\"))
            }
        }
    });
    text += &row(headings.collect());
    text += "    \\midrule\n";
    let has_total = !table.total.is_empty() && shown.rows.len() > 1;
    for (at, cells) in shown.rows.iter().enumerate() {
        if has_total && at + 1 == shown.rows.len() {
            text += "    \\midrule\n";
        }
        let lines: Vec<Vec<String>> = cells.iter().map(|cell| setting.lines(cell)).collect();
        let line = |at: usize| lines.iter().map(move |lines| lines.get(at).map_or("", String::as_str));
        text += &row(line(0).map(str::to_owned).collect());
        if lines.iter().any(|lines| lines.len() > 1) {
            let small = |line: &str| match line {
                "" => String::new(),
                line => format!("{{\\scriptsize {line}}}"),
            };
            text += &row(line(1).map(small).collect());
        }
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

/// The text as Markdown that shows it as it is, on one line; whoever reads it as HTML finds no markup in it either.
pub fn escape_markdown(text: &str) -> String {
    let text = visible(text);
    let mark = block_mark(&text);
    let mut escaped = String::new();
    for (at, character) in text.char_indices() {
        match character {
            _ if mark == Some(at) => escaped.extend(['\\', character]),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '~' | '$' => escaped.extend(['\\', character]),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// The sign at which a text would begin a heading, a list or a rule where it stands first on its line.
fn block_mark(text: &str) -> Option<usize> {
    let word = text.split(' ').next().filter(|word| !word.is_empty())?;
    let is_of = |signs: &str| word.chars().all(|sign| signs.contains(sign));
    match word.strip_suffix(['.', ')']) {
        Some(number) if !number.is_empty() && number.chars().all(|sign| sign.is_ascii_digit()) => {
            Some(number.len())
        }
        _ => ["#", "-", "=", "+"].iter().any(|sign| is_of(sign)).then_some(0),
    }
}

/// The text as LaTeX that shows it as it is.
fn escape_latex(text: &str) -> String {
    let mut escaped = String::new();
    for character in visible(text).chars() {
        match character {
            // Two hyphens would be set as a dash.
            '-' if escaped.ends_with('-') => escaped.push_str("{}-"),
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
