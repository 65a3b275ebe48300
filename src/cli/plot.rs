//! `haymark plot`: what the tables of a study say, drawn: in the terminal, and as files for papers.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{
    CountedArguments, Shown, UncertaintyArguments, complain, open_study, print, prints_to_terminal,
    terminal_width, write_file,
};
use crate::error::{Error, Result};
use crate::export::handed_on::NamesTold;
use crate::export::table::display_names;
use crate::export::table::{OutputFormat, TableForm, render_named};
use crate::figure::face::{Face, Typeface};
use crate::figure::page::FigurePage;
use crate::figure::scene::TextSize;
use crate::figure::write::{cells, pdf, svg};
use crate::figure::{Figure, FiguresAsked, FiguresFound, KINDS, Sources, about_font, figures, figures_of};
use crate::files::{IfThere, read_small, write_together};
use crate::number::number_of;
use crate::progress;
use crate::term::print_cells;
use crate::text::width::{visible, width};

#[derive(Debug, Args)]
pub struct Plot {
    /// The study file, or a hub: postgres://…
    pub study: PathBuf,
    /// A figure, such as agreement or systems/coverage; when left out, the figures that this study has are listed
    pub name: Option<String>,
    #[command(flatten)]
    pub counted: CountedArguments,
    /// Only these annotators (several with commas), such as gold for what counts; when left out, those whom the printed
    /// tables take
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub annotators: Vec<String>,
    /// What is ranked, as for `score`: system, retriever, summarizer, order, … (several with commas); when left out, systems, or
    /// summarizers where there are more than twenty of several retrievers. The figure grid takes two: rows and columns
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub by: Vec<String>,
    /// A number of the summaries that people's scores are compared with, for the figure against
    #[arg(long, value_name = "FIELD")]
    pub against: Option<String>,
    /// A file of names that readers see, such as those of systems
    #[arg(long, value_name = "FILE")]
    pub display: Option<PathBuf>,
    /// Write the figures into this folder instead, which is made where it is not there: each as SVG and PDF in every width,
    /// with its data as CSV
    #[arg(long, value_name = "DIR")]
    pub figures: Option<PathBuf>,
    /// How wide the files are, in millimetres (several with commas): a column and a page of text
    #[arg(long, value_name = "MM", value_delimiter = ',', default_values = ["84", "174"], value_parser = millimetres)]
    pub width: Vec<u16>,
    /// A font for the files (TrueType or OpenType), for letters that the one inside haymark lacks. Of a collection it is the face
    /// for the language of the names; FILE.ttc#2 names another by its place, counted from 0
    #[arg(long, value_name = "FILE")]
    pub font: Option<PathBuf>,
    /// Write all letters in that font, not only those that the one inside haymark lacks
    #[arg(long, requires = "font")]
    pub only_font: bool,
    /// Write over files that are there already
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub uncertainty: UncertaintyArguments,
}

/// The figures that --by changes.
const BY: [&str; 5] = ["systems", "ranks", "judges", "power", "grid"];

/// Reads a width on which something can be drawn.
fn millimetres(text: &str) -> std::result::Result<u16, String> {
    match text.parse() {
        Ok(width @ 40..=500) => Ok(width),
        _ => Err("give millimetres from 40 to 500".to_owned()),
    }
}

/// Bytes of a font file: those of all Han characters take about 20 MB.
const LARGEST_FONT: usize = 64 << 20;

pub fn run(arguments: &Plot) -> Result<()> {
    let study = open_study(&arguments.study)?;
    let mut asked = arguments.asked()?;
    let told = NamesTold::of(&study, arguments.figures.is_some() && !arguments.counted.names)?;
    told.annotators(&mut asked.part.annotators);
    told.filter(&mut asked.part.filter);
    let sources = Sources::new(&study, asked);
    if let Some(folder) = &arguments.figures {
        let shown = Shown::begin("drawing", "no figure was written");
        progress::expect(if arguments.name.is_some() { 1 } else { KINDS.len() as u64 });
        return arguments.write(folder, &arguments.chosen(&sources)?, shown);
    }
    if arguments.name.is_none() {
        return list(&figures(&sources)?);
    }
    let mut is_first = true;
    for figure in &arguments.chosen(&sources)?.figures {
        if !std::mem::take(&mut is_first) {
            print("\n")?;
        }
        show(figure)?;
    }
    Ok(())
}

impl Plot {
    fn asked(&self) -> Result<FiguresAsked> {
        Ok(FiguresAsked {
            part: self.counted.part(&self.annotators, &self.by, self.uncertainty.asked()),
            against: self.against.clone(),
            display: self.display.as_deref().map(display_names).transpose()?.unwrap_or_default(),
        })
    }

    /// The figures of this name: all of a kind, or those about something; all figures where no name is given.
    fn chosen(&self, sources: &Sources<'_>) -> Result<FiguresFound> {
        let Some(name) = self.name.as_deref() else { return figures(sources) };
        let kind = name.split('/').next().unwrap_or(name);
        let Some(kind) = KINDS.iter().find(|one| one.name == kind) else {
            let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
            return Err(Error::usage(format!("there is no figure {name:?}"))
                .advise(format!("there are {}", names.join(", "))));
        };
        if !self.by.is_empty() && !BY.contains(&kind.name) {
            let what = format!("the figure {} is of no groups, so --by changes nothing", kind.name);
            return Err(Error::usage(what).advise(format!("leave it out, or draw {}", BY.join(", "))));
        }
        if kind.name == "grid" && ![0, 2].contains(&self.by.len()) {
            return Err(Error::usage("the figure grid takes two fields: rows and columns")
                .advise("name both, such as --by summarizer,retriever"));
        }
        let mut found = figures_of(sources, std::iter::once(kind))?;
        if let Some((_, why)) = found.absent.first() {
            return Err(Error::new(format!("the figure {name:?} has nothing to show: {why}")));
        }
        let known: Vec<String> = found.figures.iter().map(|figure| figure.name.clone()).collect();
        let is_within = |whole: &str| {
            whole.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        found.figures.retain(|figure| is_within(&figure.name));
        if found.figures.is_empty() {
            return Err(Error::usage(format!("there is no figure {name:?}"))
                .advise(format!("there are {}", known.join(", "))));
        }
        Ok(found)
    }

    /// The typeface of the figures' files.
    fn typeface(&self, found: &FiguresFound) -> Result<Typeface> {
        let bundled = Typeface::bundled();
        let Some(named) = &self.font else { return Ok(bundled) };
        let whole = named.to_string_lossy();
        let with_place =
            whole.rsplit_once('#').and_then(|(file, place)| Some((PathBuf::from(file), place.parse().ok()?)));
        let (file, place) = match with_place {
            Some((file, place)) if !named.exists() => (file, Some(place)),
            _ => (named.clone(), None),
        };
        let bytes = read_small(&file, LARGEST_FONT)?;
        let bytes = bytes.ok_or_else(|| Error::new("there is no such font").in_file(&file))?;
        let page = FigurePage::paper(174.0, &bundled);
        let letters = found.figures.iter().flat_map(|figure| bundled.missing(&figure.scene(&page))).collect();
        let face = Face::read(bytes, place, &letters).map_err(|error| about_font(error).in_file(&file))?;
        Ok(if self.only_font { Typeface::of(face) } else { Typeface::filled_by(face) })
    }

    /// Writes each figure in every width, with its data.
    fn write(&self, folder: &Path, found: &FiguresFound, shown: Shown) -> Result<()> {
        let face = self.typeface(found)?;
        progress::expect(found.figures.len() as u64);
        // All that can be refused is refused before the first file.
        let mut drawings: Vec<(String, Vec<u8>)> = Vec::new();
        for figure in &found.figures {
            let name = figure.file_name();
            let refuse = |error| {
                let why = about_font(error);
                Error::new(format!("the figure {:?} cannot be written: {why}", figure.name))
            };
            for width in &self.width {
                let scene = figure.scene(&FigurePage::paper(f32::from(*width), &face));
                let about = svg::AltText { id: &name, title: &figure.title, text: &figure.caption };
                let drawn = svg::file(&scene, &face, about).map_err(refuse)?;
                drawings.push((format!("{name}-{width}mm.svg"), drawn.into_bytes()));
                let drawn = pdf::file(&scene, &face, &figure.title).map_err(refuse)?;
                drawings.push((format!("{name}-{width}mm.pdf"), drawn));
            }
            let data =
                render_named(&[(name.clone(), &figure.table)], &TableForm::from(OutputFormat::Csv), 80)?;
            drawings.push((format!("{name}.csv"), data.into_bytes()));
            progress::advance(1);
        }
        shown.finish()?;
        let if_there = match self.force {
            true => IfThere::Replace,
            false => IfThere::Refuse("name another folder, or add --force"),
        };
        write_together(if_there, |files| {
            let made = files.folder(folder)?;
            drawings.iter().try_for_each(|(name, bytes)| write_file(&made.join(name), bytes))
        })?;
        complain(&format!("wrote {} to {}", number_of(drawings.len(), "file"), folder.display()));
        Ok(())
    }
}

/// A line for each figure, and for each kind that has none the reason.
fn list(found: &FiguresFound) -> Result<()> {
    let figures = found.figures.iter().map(|figure| (figure.name.as_str(), figure.title.as_str()));
    let absent = found.absent.iter().map(|(kind, why)| (kind.name, why.as_str()));
    let mut told = listed(figures);
    if !found.absent.is_empty() {
        let gap = if told.is_empty() { "" } else { "\n" };
        told += &format!("{gap}Nothing to show:\n{}", listed(absent));
    }
    print(&told)
}

/// Lists names with a description beside each. A name is there to be typed and is never cut: a description that does not
/// fit beside it begins below.
fn listed<'t>(rows: impl Iterator<Item = (&'t str, &'t str)> + Clone) -> String {
    let page = FigurePage::cells(terminal_width().max(60));
    let names = rows.clone().map(|(name, _)| name);
    let left = page.widest(names, TextSize::Label).min(page.width / 2.0) as usize + 2;
    let mut told = String::new();
    for (name, what) in rows {
        let name = visible(name);
        told.push_str(&name);
        let mut column = width(&name);
        for line in page.wrapped(&visible(what), TextSize::Label, page.width - left as f32) {
            if column >= left {
                told.push('\n');
                column = 0;
            }
            told.push_str(&" ".repeat(left - column));
            told.push_str(&line);
            column = usize::MAX;
        }
        told.push('\n');
    }
    told
}

/// The most columns that a figure takes; wider ones are hard to follow across.
const COLUMNS: usize = 120;

/// Draws a figure on standard output, in colours in a terminal.
pub(super) fn show(figure: &Figure) -> Result<()> {
    let columns = terminal_width().min(COLUMNS);
    let page = FigurePage::cells(columns);
    let drawn = cells::buffer(&figure.scene(&page));
    print(&format!("{}\n\n", figure.title))?;
    if prints_to_terminal() {
        print_cells(&drawn)?;
    } else {
        print(&cells::text(&drawn))?;
    }
    let caption = page.wrapped(&figure.caption, TextSize::Note, columns as f32);
    print(&format!("\n{}\n", caption.join("\n")))
}
