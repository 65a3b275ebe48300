//! The page as a whole: one file that needs no other, no script and no network, and lets nothing else run.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use sha2::{Digest, Sha256};

use super::cases::Cases;
use super::figures::DrawnFigure;
use super::parts::{ReportPart, ReportSection};
use super::written;
use crate::cli::table::{OutputFormat, TableForm, html, render_named};
use crate::error::Result;
use crate::figure::write::svg;
use crate::number::number_of;
use crate::protocol::Protocol;
use crate::report::contents::Contents;
use crate::report::table::Table;
use crate::score::{ClusterKind, Uncertainty};
use crate::text::html::Html;

/// The style sheet of the page.
const STYLE: &str = include_str!("../../../assets/report.css");

/// The contents of a page.
pub struct ReportPage<'a, F: Fn(ReportPart) -> bool> {
    /// The name of the study's file.
    pub name: &'a str,
    /// Markdown by the page's author, for the head.
    pub intro: Option<&'a str>,
    pub uncertainty: Uncertainty,
    /// What the study holds.
    pub contents: &'a Contents,
    /// The parts in their order.
    pub sections: &'a [ReportSection],
    /// Whether a part is asked for.
    pub is_told: F,
    pub cases: Option<&'a Cases<'a>>,
}

impl<F: Fn(ReportPart) -> bool> ReportPage<'_, F> {
    /// The whole file, the same for the same study.
    pub fn write(&self) -> Result<String> {
        let (title, intro) = self.intro.map_or((None, Vec::new()), written::titled);
        let title = title.map_or_else(|| format!("Report on {}", self.name), str::to_owned);
        let mut body = Html::default();
        body.markup("<a class=\"skip\" href=\"#main\">To the text</a>\n<header>\n");
        body.element("h1", &[], &title).markup("\n");
        written::write(&intro, 2, &mut body);
        body.element("p", &[("class", "about")], &self.about()).markup("\n");
        let intervals = self.uncertainty.note(ClusterKind::Query);
        body.element("p", &[("class", "about")], &intervals).markup("\n</header>\n");
        self.contents(&mut body);
        body.markup("<main id=\"main\">\n");
        let mut tables = 0;
        for section in self.sections {
            write_section(section, &mut tables, &mut body);
        }
        if (self.is_told)(ReportPart::Method) {
            self.method(&mut body);
        }
        if let Some(cases) = self.cases {
            cases.write(&mut body);
        }
        if (self.is_told)(ReportPart::Data) {
            self.data(&mut body)?;
        }
        body.markup("</main>\n");
        let style =
            STYLE.to_owned() + &svg::style() + "\n" + &self.cases.map_or_else(String::new, Cases::style);
        Ok(document(&title, &style, &body))
    }

    /// A line on the study, the protocols with their versions, and the days of judging.
    fn about(&self) -> String {
        let version = |protocol: &Protocol| format!("{} {}", protocol.name, protocol.version);
        let protocols: Vec<String> = self.contents.protocols.iter().map(version).collect();
        let named = Some(format!("Study {}", self.name)).filter(|_| !self.name.is_empty());
        let asked =
            Some(format!("by the protocols {}", protocols.join(", "))).filter(|_| !protocols.is_empty());
        let days = self.contents.days.as_ref().map(|(first, last)| match first == last {
            true => format!("judged on {first}"),
            false => format!("judged from {first} to {last}"),
        });
        let written = format!("written by haymark {}", env!("CARGO_PKG_VERSION"));
        [named, asked, days, Some(written)].into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }

    /// Links to the parts.
    fn contents(&self, body: &mut Html) {
        body.markup("<nav aria-label=\"Parts of the page\"><ul>\n");
        let mut link = |anchor: &str, title: &str| {
            let to = format!("#{anchor}");
            body.markup("<li>").element("a", &[("href", &to)], title).markup("</li>\n");
        };
        self.sections.iter().for_each(|section| link(section.part.anchor(), section.part.title()));
        if (self.is_told)(ReportPart::Method) {
            link(ReportPart::Method.anchor(), ReportPart::Method.title());
        }
        if self.cases.is_some() {
            link("cases", "Cases");
        }
        if (self.is_told)(ReportPart::Data) {
            link(ReportPart::Data.anchor(), ReportPart::Data.title());
        }
        body.markup("</ul></nav>\n");
    }

    /// Writes how the numbers are made, and every warning that stands beside one.
    fn method(&self, body: &mut Html) {
        head(ReportPart::Method, body);
        let said = [
            "Every number on this page is the one that haymark prints in the terminal, from the same tables.",
            "What several people said of an item is averaged before items are: an item weighs one, however many judged it.",
            "A number that is not defined is a dash with its reason, never 0.",
            "Judgments count that are complete and under the current version of their protocol.",
        ];
        said.iter().for_each(|sentence| {
            body.element("p", &[], sentence).markup("\n");
        });
        body.element("p", &[], &self.uncertainty.note(ClusterKind::Query)).markup("\n");
        let notes = self.sections.iter().flat_map(ReportSection::all).flat_map(|table| &table.notes);
        let mut warnings: Vec<&str> = Vec::new();
        for note in notes.filter(|note| note.starts_with("Warning")) {
            if !warnings.contains(&note.as_str()) {
                warnings.push(note);
            }
        }
        if !warnings.is_empty() {
            body.markup("<h3>Warnings</h3>\n<ul>\n");
            warnings.iter().for_each(|warning| {
                body.element("li", &[], warning).markup("\n");
            });
            body.markup("</ul>\n");
        }
        body.markup("</section>\n");
    }

    /// Every table with all its columns, at full precision.
    fn data(&self, body: &mut Html) -> Result<()> {
        head(ReportPart::Data, body);
        body.markup("<p>Each table as CSV, with every column and at full precision. The files are in this page; nothing is loaded.</p>\n");
        let form = TableForm::from(OutputFormat::Csv);
        let mut known = BTreeSet::new();
        for section in self.sections {
            // A table that stands in several places of the page is one file.
            let (mut tables, mut texts) = (Vec::new(), Vec::new());
            for table in section.all() {
                let csv = render_named(&[(table.path(), table)], &form, 80)?;
                if known.insert((table.path(), Sha256::digest(&csv).to_vec())) {
                    tables.push(table.clone());
                    texts.push(csv);
                }
            }
            if tables.is_empty() {
                continue;
            }
            body.markup("<details><summary>");
            body.text(&format!("{}: {}", section.part.title(), number_of(tables.len(), "file")))
                .markup("</summary><ul>\n");
            for (named, csv) in form.chosen(&tables)?.into_iter().zip(texts) {
                let file = format!("{}-{}.csv", section.part.anchor(), named.0.replace('/', "-"));
                let data = format!("data:text/csv;charset=utf-8;base64,{}", BASE64.encode(csv));
                body.markup("<li>").element("a", &[("download", &file), ("href", &data)], &file);
                body.text(" · ").text(&named.1.title).markup("</li>\n");
            }
            body.markup("</ul></details>\n");
        }
        body.markup("</section>\n");
        Ok(())
    }
}

/// The beginning of a part.
fn head(part: ReportPart, body: &mut Html) {
    let title = format!("{}-title", part.anchor());
    body.open("section", &[("id", part.anchor()), ("aria-labelledby", &title)]);
    body.element("h2", &[("id", &title)], part.title()).markup("\n");
}

fn write_section(section: &ReportSection, tables: &mut usize, body: &mut Html) {
    head(section.part, body);
    if section.part == ReportPart::Short {
        body.markup("<ul class=\"short\">\n");
        section.sentences.iter().for_each(|sentence| {
            body.element("li", &[], sentence).markup("\n");
        });
        body.markup("</ul>\n</section>\n");
        return;
    }
    section.sentences.iter().for_each(|sentence| {
        body.element("p", &[], sentence).markup("\n");
    });
    let mut table = |table: &Table, body: &mut Html| {
        *tables += 1;
        html(table, &format!("t{tables}"), body);
    };
    let mut protocols = vec![""];
    section.all().map(protocol_of).for_each(|name| {
        if !protocols.contains(&name) {
            protocols.push(name);
        }
    });
    // Tables about no protocol, or about all of them, stand first.
    for name in protocols {
        if !name.is_empty() {
            body.element("h3", &[], name).markup("\n");
        }
        write_part(section, name, &mut table, body);
        if name.is_empty() {
            write_asked(section, body);
        }
    }
    body.markup("</section>\n");
}

/// The protocol that a table is about; empty for none.
fn protocol_of(table: &Table) -> &str {
    table.facts.get("protocol").and_then(serde_json::Value::as_str).unwrap_or_default()
}

/// Writes the figures, tables and folded tables of a part that are about a protocol.
fn write_part(
    section: &ReportSection,
    protocol: &str,
    table: &mut impl FnMut(&Table, &mut Html),
    body: &mut Html,
) {
    let is_own = |table: &&Table| protocol_of(table) == protocol;
    let (first, others): (Vec<&DrawnFigure>, Vec<&DrawnFigure>) =
        section.figures.iter().filter(|drawn| is_own(&&drawn.table)).partition(|drawn| drawn.is_first);
    first.iter().for_each(|drawn| write_figure(drawn, table, body));
    if !others.is_empty() {
        body.markup("<details><summary>Further figures");
        body.open("span", &[("class", "count")]).text(&format!(" {}", others.len()));
        body.markup("</span></summary>\n");
        others.iter().for_each(|drawn| write_figure(drawn, table, body));
        body.markup("</details>\n");
    }
    section.tables.iter().filter(is_own).for_each(|one| table(one, body));
    for (title, folded) in &section.more {
        let folded: Vec<&Table> = folded.iter().filter(is_own).collect();
        if folded.is_empty() {
            continue;
        }
        body.markup("<details><summary>").text(title);
        body.open("span", &[("class", "count")]);
        body.text(&format!(" {}", number_of(folded.len(), "table")));
        body.markup("</span></summary>\n");
        folded.into_iter().for_each(|one| table(one, body));
        body.markup("</details>\n");
    }
}

/// Writes the guidelines that annotators read, and the screens that they saw.
fn write_asked(section: &ReportSection, body: &mut Html) {
    let are_many = section.guidelines.len() > 2;
    if are_many {
        body.markup("<details><summary>Guidelines, as annotators read them</summary>\n");
    }
    for protocol in &section.guidelines {
        let (title, pieces) = written::titled(&protocol.guideline);
        if pieces.is_empty() {
            continue;
        }
        body.markup("<details class=\"guideline\"><summary>").text("Guideline · ");
        body.text(title.unwrap_or(&protocol.name)).markup("</summary>\n");
        written::write(&pieces, 3, body);
        body.markup("</details>\n");
    }
    if are_many {
        body.markup("</details>\n");
    }
    if !section.screens.is_empty() {
        body.markup("<details><summary>Screens, as annotators saw them</summary>\n");
        for (title, drawing) in &section.screens {
            body.markup("<details class=\"screen\"><summary>Screen · ").text(title).markup("</summary>\n");
            body.part(drawing).markup("</details>\n");
        }
        body.markup("</details>\n");
    }
}

/// Writes a figure, its caption, and its numbers.
fn write_figure(drawn: &DrawnFigure, table: &mut impl FnMut(&Table, &mut Html), body: &mut Html) {
    body.open("figure", &[("id", &drawn.anchor)]).markup("\n");
    for (class, drawing) in ["narrow", "wide"].into_iter().zip(&drawn.drawings) {
        body.open("div", &[("class", class)]).part(drawing).markup("</div>\n");
    }
    let link = format!("#{}", drawn.anchor);
    body.markup("<figcaption><strong>").element("a", &[("href", &link)], &drawn.title);
    body.markup("</strong>").text(" ").text(&drawn.caption).markup("</figcaption>\n</figure>\n");
    body.markup("<details class=\"numbers\"><summary>Numbers</summary>\n");
    table(&drawn.table, body);
    body.markup("</details>\n");
}

/// The file around a body. The one style is named by its hash, and nothing else is let in: no script, no picture, no request.
fn document(title: &str, style: &str, body: &Html) -> String {
    let hash = BASE64.encode(Sha256::digest(style));
    let mut head = Html::default();
    let policy =
        format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'");
    head.markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    head.open("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &policy)]).markup("\n");
    head.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    head.markup("<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n");
    head.element("title", &[], title).markup("\n<style>");
    // The style is the program's own and holds no text of a study.
    format!("{}{style}</style>\n</head>\n<body>\n{}</body>\n</html>\n", head.as_str(), body.as_str())
}
