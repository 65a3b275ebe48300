//! The forms for documents: Markdown and LaTeX.

use super::{BOLD, ShownCell, ShownTable, Table, footnote, parts, shown};
use crate::agreement::Undefined;
use crate::report::without_commands;
use crate::text::width::{visible, width as columns_of};

/// The marks around the best number of a column, and around the second.
const MARKS: [[&str; 2]; 2] = [["**", "**"], ["<u>", "</u>"]];
const LATEX_MARKS: [[&str; 2]; 2] = [["\\textbf{", "}"], ["\\underline{", "}"]];

/// A pipe table with its title in bold above and its notes below.
pub(super) fn markdown(table: &Table) -> String {
    let shown = shown(table, BOLD, |_| true);
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = String::new();
    if !table.title.is_empty() {
        text += &format!("**{}**\n\n", escape_markdown(&table.title));
    }
    text += &row(shown.columns.iter().map(|column| escape_markdown(&column.label())).collect());
    let rule = |right: bool| if right { "---:" } else { ":---" }.to_owned();
    text += &row(shown.columns.iter().map(|column| rule(column.right)).collect());
    for (at, cells) in shown.rows.iter().enumerate() {
        let cell = |(column, cell): (usize, &ShownCell)| match cell {
            ShownCell::Text(text) => shown.marked((at, column), escape_markdown(text), MARKS),
            other => shown.marked((at, column), other.text(|number| format!("<sup>{number}</sup>")), MARKS),
        };
        text += &row(cells.iter().enumerate().map(cell).collect());
    }
    let footnotes = numbered(&shown.reasons)
        .map(|(number, sentence)| format!("<sup>{number}</sup> {}", escape_markdown(&sentence)));
    for note in footnotes.chain(notes(table, &shown).map(|note| escape_markdown(&note))) {
        text += &format!("\n{note}\n");
    }
    text
}

/// The notes of a table that stands alone in a document. The number of clusters of its intervals is added
/// where no note has it.
fn notes<'t>(table: &'t Table, shown: &'t ShownTable<'_>) -> impl Iterator<Item = String> {
    let clusters = table.clusters().filter(|_| !table.facts.contains_key("cluster"));
    let over = clusters.map(|(from, most)| match most {
        1 => "Intervals are over 1 cluster.".to_owned(),
        most => format!("Intervals are over {from}{most} clusters."),
    });
    let notes = shown.notes.iter().chain(&table.notes).map(|note| without_commands(note));
    notes.chain(over).filter(|note| !note.is_empty())
}

/// Points that text takes across an article's page, and across a column of two.
const PAGE: f32 = 345.0;
const COLUMN: f32 = 229.0;

/// A table that is higher than this, in points, goes over several pages.
const HIGH: f32 = 480.0;

/// The fewest points to which a column of texts is narrowed.
const LEAST: f32 = 56.0;

/// The width of a text in ten-point type, in points: about that of Computer Modern, rounded up.
fn points(text: &str) -> f32 {
    let of = |letter: char| match letter {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '!' | '|' | ' ' | '\u{a0}' => 3.4,
        't' | 'f' | 'r' | 's' | 'I' | '(' | ')' | '-' => 4.0,
        'm' | 'w' | '%' | '−' | '×' | '→' | '—' => 8.4,
        'M' | 'W' => 10.4,
        letter if letter.is_uppercase() => 7.4,
        letter if columns_of(letter.encode_utf8(&mut [0; 4])) > 1 => 10.0,
        _ => 5.4,
    };
    text.chars().map(of).sum()
}

/// The setting of a LaTeX table: intervals stand beside their numbers, or in smaller type below.
#[derive(Clone, Copy, PartialEq)]
enum Setting {
    Wide,
    Narrow,
}

impl Setting {
    /// The points of a text in the type of this setting.
    fn points(self, text: &str) -> f32 {
        points(text) * if self == Setting::Wide { 1.0 } else { 0.85 }
    }

    /// The points between two columns.
    fn gap(self) -> f32 {
        if self == Setting::Wide { 12.0 } else { 6.0 }
    }

    /// The points that a line takes.
    fn line(self) -> f32 {
        if self == Setting::Wide { 12.0 } else { 9.8 }
    }

    /// The points of each column's widest line: of its cells, and of its heading.
    fn widths(self, shown: &ShownTable<'_>) -> Vec<f32> {
        let of_column = |(at, column): (usize, &&super::Heading)| {
            let cells = shown.rows.iter().filter_map(|row| row.get(at));
            let cells = cells.map(|cell| self.width(cell)).fold(0.0, f32::max);
            let label = column.label();
            let heading = match self {
                Setting::Wide => self.points(&label),
                Setting::Narrow => label.split(' ').map(|word| self.points(word)).fold(0.0, f32::max),
            };
            cells.max(heading)
        };
        shown.columns.iter().enumerate().map(of_column).collect()
    }

    /// The points that columns of these widths take together.
    fn total(self, widths: impl Iterator<Item = f32>) -> f32 {
        widths.map(|width| width + self.gap()).sum()
    }

    fn fits(self, shown: &ShownTable<'_>) -> bool {
        self.total(self.widths(shown).into_iter()) <= PAGE
    }

    /// The points of a cell's widest line.
    fn width(self, cell: &ShownCell) -> f32 {
        match cell {
            ShownCell::Estimate(value, ends) if self == Setting::Narrow => {
                let ends = ends.as_ref().map_or(8.0, |ends| self.points(ends) * 0.9);
                self.points(value).max(ends)
            }
            cell => self.points(&visible(&cell.text(|number| number.to_string()))),
        }
    }

    /// The lines of a cell, in LaTeX: its text, or a number with its interval on one line or on two.
    fn lines(self, cell: &ShownCell, is_wrapped: bool) -> Vec<String> {
        let raised = |number: usize| format!("\\textsuperscript{{{number}}}");
        match cell {
            ShownCell::Text(text) if is_wrapped => vec![breakable(&escape_latex(text))],
            ShownCell::Text(text) => vec![escape_latex(text)],
            ShownCell::Estimate(value, ends) if self == Setting::Narrow => {
                let ends = ends.clone().unwrap_or_else(|number| format!("–{}", raised(number)));
                vec![signs(value), signs(&ends)]
            }
            other => vec![signs(&other.text(raised))],
        }
    }
}

/// Signs in names behind which a line may end.
const BREAKS: [&str; 3] = ["\\_", "/", "+"];

/// Words of notes with more bytes than this may be broken too.
const LONG: usize = 32;

/// A text in LaTeX whose names may be broken behind their signs.
fn breakable(text: &str) -> String {
    BREAKS.iter().fold(text.to_owned(), |text, sign| text.replace(sign, &format!("{sign}\\allowbreak{{}}")))
}

/// A note in LaTeX.
fn of_note(note: &str) -> String {
    let word = |word: &str| match word.len() > LONG {
        true => breakable(&escape_latex(word)),
        false => escape_latex(word),
    };
    note.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// How a table is laid out on a page.
struct LatexLayout {
    setting: Setting,
    /// The width of each column, in points.
    widths: Vec<f32>,
    /// Whether the texts of a column are wrapped.
    wrapped: Vec<bool>,
    /// The columns that stand beside each other: all, or as many as there is room for, each time behind the names of the rows.
    parts: Vec<Vec<usize>>,
}

impl LatexLayout {
    fn of(shown: &ShownTable<'_>) -> LatexLayout {
        let setting = if Setting::Wide.fits(shown) { Setting::Wide } else { Setting::Narrow };
        let mut widths = setting.widths(shown);
        let natural = widths.clone();
        let longest = |at: usize| {
            let texts = shown.rows.iter().filter_map(|row| match row.get(at)? {
                ShownCell::Text(text) => Some(text.as_str()),
                _ => None,
            });
            let words = texts.flat_map(|text| text.split_inclusive([' ', '-', '_', '/', '+']));
            let heading = shown.columns.get(at).map_or_else(String::new, |column| column.label());
            let heading = heading.split(' ').map(|word| setting.points(word)).fold(LEAST, f32::max);
            words.map(|word| setting.points(word.trim_end())).fold(heading, f32::max)
        };
        let is_text = |at: &usize| shown.columns.get(*at).is_some_and(|column| !column.right);
        let floors: Vec<f32> =
            (0..widths.len()).map(|at| if is_text(&at) { longest(at) } else { PAGE }).collect();
        // The widest texts are wrapped first.
        while setting.total(widths.iter().copied()) > PAGE {
            let columns = widths.iter_mut().zip(&floors).filter(|(width, floor)| **width > **floor);
            let Some((widest, floor)) = columns.max_by(|one, other| one.0.total_cmp(other.0)) else { break };
            *widest = (*widest - 4.0).max(*floor);
        }
        let total = |part: &[usize]| setting.total(part.iter().filter_map(|at| widths.get(*at)).copied());
        let parts = parts(shown, |part| total(part) <= PAGE);
        let wrapped = widths.iter().zip(&natural).map(|(width, natural)| width < natural).collect();
        LatexLayout { setting, widths, wrapped, parts }
    }

    /// The points of the widest part.
    fn width(&self) -> f32 {
        let widths = |part: &Vec<usize>| part.iter().filter_map(|at| self.widths.get(*at)).copied().collect();
        let total = |widths: Vec<f32>| self.setting.total(widths.into_iter());
        self.parts.iter().map(widths).map(total).fold(0.0, f32::max)
    }

    /// The approximate height of all parts together, in points.
    fn height(&self, shown: &ShownTable<'_>) -> f32 {
        let lines = |(at, cell): (usize, &ShownCell)| match cell {
            ShownCell::Estimate(..) if self.setting == Setting::Narrow => 2.0,
            ShownCell::Text(text) if self.wrapped.get(at) == Some(&true) => {
                let width = self.widths.get(at).copied().unwrap_or(LEAST);
                (self.setting.points(text) * 1.15 / width).ceil()
            }
            _ => 1.0,
        };
        let row = |row: &Vec<ShownCell>| {
            row.iter().enumerate().map(lines).fold(1.0, f32::max) * self.setting.line()
        };
        (shown.rows.iter().map(row).sum::<f32>() + 60.0) * self.parts.len() as f32
    }

    /// The alignment of a part's columns, for LaTeX.
    fn alignment(&self, shown: &ShownTable<'_>, part: &[usize]) -> String {
        let column = |at: &usize| match (self.wrapped.get(*at), shown.columns.get(*at)) {
            (Some(true), _) => {
                let width = self.widths.get(*at).copied().unwrap_or(LEAST);
                format!(">{{\\raggedright\\arraybackslash}}p{{{width:.0}pt}}")
            }
            (_, Some(column)) if column.right => "r".to_owned(),
            _ => "l".to_owned(),
        };
        part.iter().map(column).collect()
    }

    /// The headings of a part, broken between words where they are wider than their cells.
    fn headings(&self, shown: &ShownTable<'_>, part: &[usize]) -> String {
        let heading = |at: &usize| {
            let (Some(column), Some(width)) = (shown.columns.get(*at), self.widths.get(*at)) else {
                return String::new();
            };
            let label = visible(&column.label()).into_owned();
            let mut lines: Vec<String> = Vec::new();
            for word in label.split(' ') {
                match lines.last_mut() {
                    Some(line) if self.setting.points(&format!("{line} {word}")) <= *width => {
                        line.push(' ');
                        line.push_str(word);
                    }
                    _ => lines.push(word.to_owned()),
                }
            }
            let lines: Vec<String> = lines.iter().map(|line| escape_latex(line)).collect();
            match lines.as_slice() {
                [line] => line.clone(),
                lines => format!(
                    "\\shortstack[{}]{{{}}}",
                    if column.right { 'r' } else { 'l' },
                    lines.join("\\\\")
                ),
            }
        };
        row(part.iter().map(heading).collect())
    }

    /// The rows of a part; the total is set apart.
    fn rows(&self, shown: &ShownTable<'_>, part: &[usize], has_total: bool) -> String {
        let mut text = String::new();
        for (number, cells) in shown.rows.iter().enumerate() {
            if has_total && number + 1 == shown.rows.len() {
                text += "    \\midrule\n";
            }
            let cell = |at: &usize| {
                let is_wrapped = self.wrapped.get(*at) == Some(&true);
                let mut lines =
                    cells.get(*at).map(|cell| self.setting.lines(cell, is_wrapped)).unwrap_or_default();
                if let Some(first) = lines.first_mut() {
                    *first = shown.marked((number, *at), std::mem::take(first), LATEX_MARKS);
                }
                lines
            };
            let lines: Vec<Vec<String>> = part.iter().map(cell).collect();
            let line = |at: usize| lines.iter().map(move |lines| lines.get(at).map_or("", String::as_str));
            let is_high = lines.iter().any(|lines| lines.len() > 1);
            let first = row(line(0).map(str::to_owned).collect());
            // A number and its interval stay on one page.
            text += &if is_high { first.replace("\\\\\n", "\\\\*\n") } else { first };
            if is_high {
                let small = |line: &str| match line {
                    "" => String::new(),
                    line => format!("{{\\scriptsize {line}}}"),
                };
                text += &row(line(1).map(small).collect());
            }
        }
        text
    }
}

/// A row of a LaTeX table.
fn row(cells: Vec<String>) -> String {
    format!("    {} \\\\\n", cells.join(" & "))
}

/// A table in the style of the booktabs package: a floating one, across both columns of a page where it is wide, and over several
/// pages where it is long.
pub(super) fn latex(table: &Table, caption: Option<&str>, label: Option<String>) -> String {
    let shown = shown(table, BOLD, |shown| Setting::Narrow.fits(shown));
    let layout = LatexLayout::of(&shown);
    let has_total = !table.total.is_empty() && shown.rows.len() > 1;
    // A caption that is given is LaTeX already.
    let caption = caption.map_or_else(|| escape_latex(&table.title), str::to_owned);
    let label = label.map(|label| format!("\\label{{{label}}}")).unwrap_or_default();
    let footnotes = numbered(&shown.reasons)
        .map(|(number, sentence)| format!("\\textsuperscript{{{number}}} {}", escape_latex(&sentence)));
    let notes: Vec<String> = footnotes.chain(notes(table, &shown).map(|note| of_note(&note))).collect();
    let of_notes: f32 = notes.iter().map(|note| (points(note) * 0.85 / PAGE).ceil() * 9.8 + 2.0).sum();
    let is_long = layout.height(&shown) + of_notes > HIGH;
    let small =
        if layout.setting == Setting::Narrow { "\\footnotesize\\setlength{\\tabcolsep}{3pt}" } else { "" };
    let notes: String = notes.iter().map(|note| format!("  \\par{{\\footnotesize {note}}}\n")).collect();
    let mut text = String::new();
    let environment = if layout.width() > COLUMN { "table*" } else { "table" };
    if is_long {
        text += &format!("\\begingroup{small}\n");
    } else {
        text += &format!("\\begin{{{environment}}}\n  \\centering\n");
        if !caption.is_empty() {
            text += &format!("  \\caption{{{caption}}}\n");
        }
        if !label.is_empty() {
            text += &format!("  {label}\n");
        }
        if !small.is_empty() {
            text += &format!("  {small}\n");
        }
    }
    for (number, part) in layout.parts.iter().enumerate() {
        let (alignment, headings) = (layout.alignment(&shown, part), layout.headings(&shown, part));
        let rows = layout.rows(&shown, part, has_total);
        if !is_long {
            let above = if number > 0 { "  \\par\\medskip\n" } else { "" };
            text += &format!(
                "{above}  \\begin{{tabular}}{{{alignment}}}\n    \\toprule\n{headings}    \\midrule\n{rows}"
            );
            text += "    \\bottomrule\n  \\end{tabular}\n";
            continue;
        }
        let head = format!("    \\toprule\n{headings}    \\midrule\n");
        // Only the first part has the caption: further parts are the same table.
        let first = if number == 0 && !caption.is_empty() {
            format!("  \\caption{{{caption}}}{label}\\\\\n")
        } else {
            String::new()
        };
        text += &format!(
            "  \\begin{{longtable}}{{{alignment}}}\n{first}{head}    \\endfirsthead\n{head}    \\endhead\n"
        );
        text += &format!("    \\bottomrule\n    \\endfoot\n{rows}  \\end{{longtable}}\n");
    }
    text += &notes;
    text += &if is_long { "\\par\\endgroup\n".to_owned() } else { format!("\\end{{{environment}}}\n") };
    let mut packages = vec!["booktabs"];
    packages.extend(layout.wrapped.contains(&true).then_some("array"));
    packages.extend(is_long.then_some("longtable"));
    // Greek and the like are written as commands; letters of other scripts stay as they are.
    let is_beyond = |sign: char| sign > '\u{24f}' && !SIGNS.iter().any(|(known, _)| *known == sign);
    let engine =
        if text.contains(is_beyond) { ", and XeLaTeX or LuaLaTeX with a font for its letters" } else { "" };
    let columns = if is_long { ", and \\onecolumn before it on a page of two columns" } else { "" };
    format!("% needs \\usepackage{{{}}}{engine}{columns}\n{text}", packages.join(","))
}

fn numbered(reasons: &[Undefined]) -> impl Iterator<Item = (usize, String)> {
    reasons.iter().enumerate().map(|(index, reason)| (index + 1, without_commands(&footnote(reason))))
}

/// The text as Markdown that shows it as it is, on one line; read as HTML it holds no markup either.
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

/// Writes signs that pdfLaTeX has no letter for in LaTeX's own way.
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
