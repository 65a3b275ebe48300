//! The page as a whole: one file that needs no other, no script and no network, and lets nothing else run.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use indexmap::IndexSet;
use minijinja::{Value, context};
use sha2::{Digest, Sha256};

use super::cases::Cases;
use super::figures::DrawnFigure;
use super::parts::{ReportPart, ReportSection};
use super::written;
use crate::cli::table::{OutputFormat, TableForm, html, render_named};
use crate::cli::template::rendered;
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
    /// The whole file, the same for the same study; `assets/templates/report.html` has its words.
    pub fn write(&self) -> Result<String> {
        let (title, intro) = self.intro.map_or((None, Vec::new()), written::titled);
        let style =
            STYLE.to_owned() + &svg::style() + "\n" + &self.cases.map_or_else(String::new, Cases::style);
        let mut tables = 0;
        let has = |part: &ReportPart| (self.is_told)(*part);
        let alone = |part: ReportPart| Some(part).filter(has).map(named);
        let links = self.sections.iter().map(|section| named(section.part));
        let links = links.chain(alone(ReportPart::Method));
        let links = links.chain(self.cases.map(|_| context! { anchor => "cases", title => "Cases" }));
        rendered(
            "report.html",
            context! {
                title => title.map_or_else(|| format!("Report on {}", self.name), str::to_owned),
                intro => html_of(|body| written::write(&intro, 2, body)),
                about => self.about(),
                intervals => self.uncertainty.note(ClusterKind::Query),
                links => links.chain(alone(ReportPart::Data)).collect::<Vec<_>>(),
                sections => self.sections.iter().map(|one| section(one, &mut tables)).collect::<Vec<_>>(),
                method => alone(ReportPart::Method).map(|part| context! { warnings => self.warnings(), ..part }),
                cases => self.cases.map(Cases::html).transpose()?,
                data => match alone(ReportPart::Data) {
                    Some(part) => Some(context! { groups => self.files()?, ..part }),
                    None => None,
                },
                // The one style is named by its hash, and nothing else is let in: no script, no picture, no request.
                hash => BASE64.encode(Sha256::digest(&style)),
                style,
            },
        )
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

    /// Every warning that stands beside a number, once.
    fn warnings(&self) -> Vec<String> {
        let notes = self.sections.iter().flat_map(ReportSection::all).flat_map(|table| &table.notes);
        let warnings = notes.filter(|note| note.starts_with("Warning")).cloned();
        warnings.collect::<IndexSet<_>>().into_iter().collect()
    }

    /// Every table as a file of its part, with all its columns and at full precision.
    fn files(&self) -> Result<Vec<Value>> {
        let form = TableForm::from(OutputFormat::Csv);
        let mut known = BTreeSet::new();
        let mut groups = Vec::new();
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
            let file = |((path, table), csv): ((String, Table), String)| {
                let name = format!("{}-{}.csv", section.part.anchor(), path.replace('/', "-"));
                context! { name, csv => BASE64.encode(csv), title => table.title }
            };
            let chosen = form.chosen(&tables)?;
            let files: Vec<Value> =
                chosen.into_iter().map(|(path, table)| (path, table.clone())).zip(texts).map(file).collect();
            if !files.is_empty() {
                let count = number_of(files.len(), "file");
                groups.push(context! { title => section.part.title(), count, files });
            }
        }
        Ok(groups)
    }
}

/// The place of a part on the page, and its title.
fn named(part: ReportPart) -> Value {
    context! { anchor => part.anchor(), title => part.title() }
}

/// HTML that is written apart.
fn html_of(write: impl FnOnce(&mut Html)) -> String {
    let mut body = Html::default();
    write(&mut body);
    body.as_str().to_owned()
}

/// A part: its sentences, then by protocol its figures, tables and folded tables.
fn section(section: &ReportSection, tables: &mut usize) -> Value {
    let mut table = |table: &Table| {
        *tables += 1;
        html_of(|body| html(table, &format!("t{tables}"), body))
    };
    // Tables about no protocol, or about all of them, stand first.
    let names: IndexSet<&str> = std::iter::once("").chain(section.all().map(protocol_of)).collect();
    let mut about = |name: &str| {
        let is_own = |table: &&Table| protocol_of(table) == name;
        let (first, others): (Vec<&DrawnFigure>, Vec<&DrawnFigure>) =
            section.figures.iter().filter(|drawn| is_own(&&drawn.table)).partition(|drawn| drawn.is_first);
        let mut drawn = |figures: Vec<&DrawnFigure>| -> Vec<Value> {
            figures.into_iter().map(|one| figure(one, table(&one.table))).collect()
        };
        let (first, others) = (drawn(first), drawn(others));
        let own: Vec<String> = section.tables.iter().filter(is_own).map(&mut table).collect();
        let more = section.more.iter().filter_map(|(title, folded)| {
            let tables: Vec<String> = folded.iter().filter(is_own).map(&mut table).collect();
            let count = number_of(tables.len(), "table");
            (!tables.is_empty()).then(|| context! { title => title.as_str(), count, tables })
        });
        context! { name, first, others, more => more.collect::<Vec<_>>(), tables => own }
    };
    let protocols: Vec<Value> = match section.part {
        ReportPart::Short => Vec::new(),
        _ => names.into_iter().map(&mut about).collect(),
    };
    let guideline = |protocol: &Protocol| {
        let (title, pieces) = written::titled(&protocol.guideline);
        let title = title.unwrap_or(&protocol.name);
        let text = html_of(|body| written::write(&pieces, 3, body));
        (!pieces.is_empty()).then(|| context! { title, text })
    };
    let screen = |(title, drawing): &(String, Html)| {
        context! { title => title.as_str(), drawing => drawing.as_str() }
    };
    context! {
        short => section.part == ReportPart::Short,
        sentences => section.sentences.clone(),
        guidelines => section.guidelines.iter().filter_map(guideline).collect::<Vec<_>>(),
        screens => section.screens.iter().map(screen).collect::<Vec<_>>(),
        protocols,
        ..named(section.part)
    }
}

/// The protocol that a table is about; empty for none.
fn protocol_of(table: &Table) -> &str {
    table.facts.get("protocol").and_then(serde_json::Value::as_str).unwrap_or_default()
}

/// A figure, its caption, and its numbers as a table.
fn figure(drawn: &DrawnFigure, numbers: String) -> Value {
    let [narrow, wide] = drawn.drawings.each_ref().map(Html::as_str);
    context! {
        anchor => drawn.anchor.as_str(),
        title => drawn.title.as_str(),
        caption => drawn.caption.as_str(),
        narrow,
        wide,
        numbers,
    }
}
