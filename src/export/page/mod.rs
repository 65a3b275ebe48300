//! The report's page: one file that needs no other, no script and no network, and lets nothing else run.
//!
//! Every number is a cell of a table of [`crate::report`]; here they are chosen, put in order and written as HTML.

mod brief;
mod cases;
mod figures;
pub mod parts;
mod written;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use clap::Args;
use indexmap::IndexSet;
use minijinja::{Value, context};
use sha2::{Digest, Sha256};

use super::privacy::Privacy;
use super::table::{OutputFormat, TableForm, html, render_named};
use super::template::rendered;
use crate::error::Result;
use crate::figure::write::svg;
use crate::formats::short_text;
use crate::number::number_of;
use crate::protocol::Protocol;
use crate::report::contents::contents;
use crate::report::{Contents, Table};
use crate::score::{ClusterKind, Rate, Uncertainty};
use crate::store::StudyFile;
use crate::text::html::Html;
use cases::Cases;
use figures::DrawnFigure;
use parts::{ReportPart, ReportSection};

/// The style sheet of the page.
const STYLE: &str = include_str!("../../../assets/report.css");

/// What the page shows.
#[derive(Debug, Args)]
pub struct PageAsked {
    /// Write people's names; when left out, they are A1, A2, … as in every export, and judges keep their names
    #[arg(long)]
    pub names: bool,
    /// Only these parts of the page (several with commas)
    #[arg(long, value_enum, value_name = "PARTS", value_delimiter = ',')]
    pub only: Vec<ReportPart>,
    /// A Markdown file with a title and a paragraph of your own, for the head of the page
    #[arg(long, value_name = "FILE.md")]
    pub intro: Option<PathBuf>,
    /// Tell scores by these too: any field of the items, such as domain, unit.kind or meta.KEY (several with commas)
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub by: Vec<String>,
    /// Set another round beside this one, from its study file: agreement, scores, and what was judged
    #[arg(long, value_name = "STUDY")]
    pub compare: Option<PathBuf>,
    /// Compare people's scores with a machine's: a number of the summaries, such as meta.metrics.bleu
    #[arg(long, value_name = "FIELD")]
    pub against: Option<String>,
    /// A file of names that readers see, such as those of systems, and of captions
    #[arg(long, value_name = "FILE")]
    pub display: Option<PathBuf>,
    /// What people are paid: an active hour (25/h, 12.50 EUR/h) or a judged item (1/item)
    #[arg(long, value_name = "RATE")]
    pub pay: Option<Rate>,
    #[command(flatten)]
    pub cases: CaseArguments,
}

/// The cases of the page.
#[derive(Debug, Args)]
#[command(next_help_heading = "Cases")]
pub struct CaseArguments {
    /// Add the cases to look through: texts, judgments with comments, citations, evidence, tags
    #[arg(long)]
    pub with_items: bool,
    /// Only these cases, in the language of browse over its table of candidates, such as 'disagreement>0 tag:unclear'
    #[arg(long, value_name = "FILTER", requires = "with_items", allow_hyphen_values = true)]
    pub filter: Option<String>,
    /// So many cases at most
    #[arg(long, value_name = "N", requires = "with_items", default_value_t = 1000)]
    pub limit: usize,
}

/// Inputs of the page beside the study.
pub struct BesideStudy<'a> {
    /// The name of the study's file.
    pub name: Cow<'a, str>,
    pub uncertainty: Uncertainty,
    /// The other round, where its part is wanted.
    pub other: Option<&'a StudyFile>,
    /// Draws the screens that annotators of the study in this file see under protocols.
    pub screens: DrawsScreens,
}

/// The title of each protocol, and its screen.
pub type ScreensDrawn = Vec<(String, Html)>;
/// A function that draws the screens of the study in a file under protocols.
pub type DrawsScreens = fn(&Path, &[Protocol]) -> Result<ScreensDrawn>;

impl PageAsked {
    /// Whether a part stands on the page.
    fn is_told(&self, part: ReportPart) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }

    /// Whether a part stands on the page, or is spoken of in short.
    pub fn is_wanted(&self, part: ReportPart) -> bool {
        self.is_told(part) || self.is_told(ReportPart::Short)
    }
}

/// The page as one file of HTML, the same for the same study, and how many cases it has.
pub fn page(study: &StudyFile, asked: &PageAsked, beside: &BesideStudy<'_>) -> Result<(String, usize)> {
    let intro = asked.intro.as_deref().map(short_text).transpose()?;
    let privacy = Privacy::told(study, asked.names)?;
    if !asked.names {
        study.tell_as(privacy.names())?;
    }
    let contents = &contents(study)?;
    let sections = &parts::sections(study, contents, asked, (beside, &privacy))?;
    let cases = asked.cases.with_items.then(|| Cases::read(study, &asked.cases, &privacy)).transpose()?;
    let page = ReportPage { asked, beside, intro, contents, sections, cases: cases.as_ref() };
    Ok((page.write()?, cases.as_ref().map_or(0, Cases::count)))
}

/// The contents of a page.
struct ReportPage<'a> {
    asked: &'a PageAsked,
    beside: &'a BesideStudy<'a>,
    /// Markdown by the page's author, for the head.
    intro: Option<String>,
    /// The contents of the study.
    contents: &'a Contents,
    /// The parts in their order.
    sections: &'a [ReportSection],
    cases: Option<&'a Cases<'a>>,
}

impl ReportPage<'_> {
    /// The whole file; `assets/templates/report.html` has its words.
    fn write(&self) -> Result<String> {
        let (title, intro) = self.intro.as_deref().map_or((None, Vec::new()), written::titled);
        let style =
            STYLE.to_owned() + &svg::style() + "\n" + &self.cases.map_or_else(String::new, Cases::style);
        let mut tables = 0;
        let has = |part: &ReportPart| self.asked.is_told(*part);
        let alone = |part: ReportPart| Some(part).filter(has).map(named);
        let links = self.sections.iter().map(|section| named(section.part));
        let links = links.chain(alone(ReportPart::Method));
        let links = links.chain(self.cases.map(|_| context! { anchor => "cases", title => "Cases" }));
        rendered(
            "report.html",
            context! {
                title => title.map_or_else(|| format!("Report on {}", self.beside.name), str::to_owned),
                intro => html_of(|body| written::write(&intro, 2, body)),
                about => self.about(),
                intervals => self.beside.uncertainty.note(ClusterKind::Query),
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
        let named = Some(format!("Study {}", self.beside.name)).filter(|_| !self.beside.name.is_empty());
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

/// The HTML that `write` writes, as a text.
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
