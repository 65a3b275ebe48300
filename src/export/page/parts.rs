//! The parts of the page, and the tables that each shows.

use std::collections::HashMap;

use clap::ValueEnum;

use super::figures::{self, DrawnFigure};
use super::{BesideStudy, DrawsScreens, PageAsked, ScreensDrawn, brief};
use crate::error::{ErrorKind, Result};
use crate::export::asked::name_of;
use crate::export::privacy::Privacy;
use crate::export::table::display_names;
use crate::figure::{FiguresAsked, KINDS, Sources};
use crate::progress;
use crate::protocol::Protocol;
use crate::report::contents::contents as report_contents;
use crate::report::{
    Contents, DisplayNames, PeopleNamed, ScoresByGroup, StudyPart, Table, agree, amendments, rounds, score,
    sessions, settled, status, without_commands,
};
use crate::score::{Rate, Uncertainty};
use crate::store::StudyFile;
use crate::study::{Annotator, AnnotatorKind};

/// A part of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ReportPart {
    /// A sentence for each of the others
    #[default]
    Short,
    /// What there is, what was asked, who judged
    Study,
    /// How far people agree
    Agreement,
    /// What the judgments say about systems
    Scores,
    /// The same numbers of another round
    Rounds,
    /// Every model annotator against the people
    Judges,
    /// Summaries that people wrote against the clock
    Sessions,
    /// Tags, and what was written to them
    Failures,
    /// What is settled, how, and why people disagreed
    Disagreements,
    /// What is left, how well each did, how fast, and what it costs
    Quality,
    /// How the numbers are made
    Method,
    /// The tables as CSV
    Data,
}

impl ReportPart {
    /// The part's heading.
    pub fn title(self) -> &'static str {
        match self {
            ReportPart::Short => "In short",
            ReportPart::Study => "Study",
            ReportPart::Agreement => "Agreement",
            ReportPart::Scores => "Scores",
            ReportPart::Rounds => "Beside another round",
            ReportPart::Judges => "Judges",
            ReportPart::Sessions => "Sessions",
            ReportPart::Failures => "Failures",
            ReportPart::Disagreements => "Disagreements and how they were settled",
            ReportPart::Quality => "Quality and pace",
            ReportPart::Method => "Method",
            ReportPart::Data => "Data",
        }
    }

    /// The part's place on the page, for links: its name on the command line.
    pub fn anchor(self) -> String {
        name_of(self)
    }
}

/// A part with what it shows.
#[derive(Default)]
pub struct ReportSection {
    pub part: ReportPart,
    /// Sentences, each a paragraph.
    pub sentences: Vec<String>,
    pub figures: Vec<DrawnFigure>,
    /// Tables that are seen at once.
    pub tables: Vec<Table>,
    /// Tables that are folded, under a title each.
    pub more: Vec<(String, Vec<Table>)>,
    /// Protocols with the guidelines that annotators read.
    pub guidelines: Vec<Protocol>,
    /// Screens that annotators saw, with the title of each protocol; only where texts may be on the page.
    pub screens: ScreensDrawn,
}

impl ReportSection {
    fn of(part: ReportPart) -> ReportSection {
        ReportSection { part, ..ReportSection::default() }
    }

    /// Whether the part shows nothing, except perhaps why.
    fn is_empty(&self) -> bool {
        self.all().next().is_none() && self.guidelines.is_empty() && self.screens.is_empty()
    }

    /// All tables of the part in their order.
    pub fn all(&self) -> impl Iterator<Item = &Table> {
        let figures = self.figures.iter().map(|figure| &figure.table);
        figures.chain(&self.tables).chain(self.more.iter().flat_map(|(_, tables)| tables))
    }

    /// Takes tables in: the first about each protocol and question is seen, the others are folded behind it.
    fn take(&mut self, tables: Vec<Table>) {
        let about =
            |table: &Table| ["protocol", "question", "tag"].map(|fact| table.facts.get(fact).cloned());
        let mut last = None;
        for table in tables {
            let subject = Some(about(&table));
            if subject != last {
                last = subject;
                self.tables.push(table);
            } else {
                self.fold("Further tables", table);
            }
        }
    }

    fn fold(&mut self, title: &str, table: Table) {
        match self.more.iter_mut().find(|(known, _)| known == title) {
            Some((_, tables)) => tables.push(table),
            None => self.more.push((title.to_owned(), vec![table])),
        }
    }

    /// Puts the names that readers see in the place of the study's.
    fn show_names(&mut self, display: &DisplayNames) {
        let folded = self.more.iter_mut().flat_map(|(_, tables)| tables);
        self.tables.iter_mut().chain(folded).for_each(|table| *table = display.shown(table));
    }

    /// Leaves commands to type out of the notes: on a page they are of no use.
    fn leave_out_commands(&mut self) {
        let figures = self.figures.iter_mut().map(|figure| &mut figure.table);
        let folded = self.more.iter_mut().flat_map(|(_, tables)| tables);
        for table in figures.chain(&mut self.tables).chain(folded) {
            table.notes = table
                .notes
                .iter()
                .map(|note| without_commands(note))
                .filter(|note| !note.is_empty())
                .collect();
        }
    }

    /// Adds a sentence on why there is nothing to show, where the study has nothing for the part.
    fn unless_empty<T>(&mut self, found: Result<T>) -> Result<Option<T>> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(error) if matches!(error.kind(), ErrorKind::Failed | ErrorKind::Nothing) => {
                self.sentences.push(sentence(error.what()));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// The words of an error as a sentence of a page.
fn sentence(what: &str) -> String {
    let mut letters = what.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}{}", letters.as_str(), if what.ends_with('.') { "" } else { "." })
}

/// The parts that are asked for, in the order of the page, each with what it shows. The short part speaks of all the others.
pub fn sections(
    study: &StudyFile,
    contents: &Contents,
    asked: &PageAsked,
    (beside, privacy): (&BesideStudy<'_>, &Privacy),
) -> Result<Vec<ReportSection>> {
    use ReportPart::{Agreement, Disagreements, Judges, Quality, Scores, Sessions, Study};
    let uncertainty = beside.uncertainty;
    let part = StudyPart { uncertainty, ..StudyPart::default() };
    let display = asked.display.as_deref().map(display_names).transpose()?.unwrap_or_default();
    let against = asked.against.clone();
    let figures = FiguresAsked { part, against, display: display.clone() };
    let sources = Sources::new(study, figures);
    let mut sections = Vec::new();
    let is_wanted = |part| asked.is_wanted(part);
    // The short part, failures, method and data take no time of their own; each kind of figures does.
    let parts = [Study, Agreement, Scores, Judges, Sessions, Disagreements, Quality];
    progress::expect((parts.into_iter().filter(|part| is_wanted(*part)).count() + KINDS.len()) as u64);
    if is_wanted(ReportPart::Study) {
        let names = if asked.names { PeopleNamed::Yes } else { PeopleNamed::No };
        let screens = asked.cases.with_items.then_some(beside.screens);
        sections.push(study_itself(study, contents, names, screens)?);
        progress::advance(1);
    }
    if is_wanted(ReportPart::Agreement) {
        sections.push(agreement(study, uncertainty)?);
        progress::advance(1);
    }
    if is_wanted(ReportPart::Scores) || is_wanted(ReportPart::Failures) {
        sections.extend(scores(study, &sources, &asked.by)?);
        progress::advance(1);
    }
    if let (Some(other), Some(path)) = (beside.other, &asked.compare) {
        if !asked.names {
            other.tell_as(&names_beside(privacy, other)?)?;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        sections.push(other_round((other, &name), (study, contents, &sources))?);
    }
    if is_wanted(ReportPart::Judges) {
        let mut section = ReportSection::of(ReportPart::Judges);
        let found = section.unless_empty(sources.judges())?;
        section.take(found.unwrap_or_default().to_vec());
        sections.push(section);
        progress::advance(1);
    }
    if is_wanted(ReportPart::Sessions) {
        sections.push(written(study, &sources)?);
        progress::advance(1);
    }
    if is_wanted(ReportPart::Disagreements) {
        let mut section = ReportSection::of(ReportPart::Disagreements);
        section.tables = section.unless_empty(settled::tables(study))?.unwrap_or_default();
        sections.push(section);
        progress::advance(1);
    }
    if is_wanted(ReportPart::Quality) {
        sections.push(quality(study, asked.pay.clone())?);
        progress::advance(1);
    }
    let mut short = ReportSection::of(ReportPart::Short);
    short.sentences = brief::sentences(&sections, &display);
    sections.sort_by_key(|section| section.part as u8);
    let (empty, told): (Vec<ReportSection>, _) = sections.into_iter().partition(ReportSection::is_empty);
    short.sentences.extend(brief::left_out(&empty));
    // A part that was asked for by name and is empty says why in its place.
    let mut sections = told;
    sections.extend(empty.into_iter().filter(|_| !asked.only.is_empty()));
    sections.insert(0, short);
    sections.retain(|section| asked.is_told(section.part));
    sections.sort_by_key(|section| section.part as u8);
    figures::draw(&sources, &mut sections)?;
    for section in &mut sections {
        section.leave_out_commands();
        section.show_names(&display);
    }
    Ok(sections)
}

fn study_itself(
    study: &StudyFile,
    contents: &Contents,
    names: PeopleNamed,
    screens: Option<DrawsScreens>,
) -> Result<ReportSection> {
    let mut section = ReportSection::of(ReportPart::Study);
    section.tables.clone_from(&contents.tables);
    section.tables.extend(amendments::table(study, names)?);
    if let Some(first) = section.tables.first_mut() {
        first.notes.extend(amendments::samples(study)?);
    }
    section.guidelines.clone_from(&contents.protocols);
    if let Some(screens) = screens {
        section.screens = screens(study.path(), &section.guidelines)?;
    }
    Ok(section)
}

/// The told names of people in another round: as here for people who are here too, and B1, B2 and so on for the others.
fn names_beside(here: &Privacy, other: &StudyFile) -> Result<HashMap<String, String>> {
    let privacy = Privacy::told(other, false)?;
    let told = |Annotator { id, kind, .. }: Annotator| {
        let name = match (here.known(&id), kind) {
            (Some(own), _) => own.to_owned(),
            (None, AnnotatorKind::Model) => id.clone(),
            (None, AnnotatorKind::Human) => privacy.name(&id).replacen('A', "B", 1),
        };
        (id, name)
    };
    Ok(other.annotators()?.into_iter().map(|(_, annotator)| told(annotator)).collect())
}

/// Another round beside this one.
fn other_round(
    (other, name): (&StudyFile, &str),
    (study, contents, sources): (&StudyFile, &Contents, &Sources<'_>),
) -> Result<ReportSection> {
    let uncertainty = sources.asked.part.uncertainty;
    let asked = FiguresAsked { against: None, ..sources.asked.clone() };
    let beside = Sources::new(other, asked);
    let mut section = ReportSection::of(ReportPart::Rounds);
    let there = report_contents(other)?;
    let differing = contents.protocols.iter().filter_map(|own| {
        let other = there.protocols.iter().find(|other| other.name == own.name && other.hash != own.hash)?;
        Some(format!(
            "{} is version {} here and version {} in {name}, with another text: what is compared under it was not asked alike.",
            own.name, own.version, other.version
        ))
    });
    section.sentences.extend(differing);
    let pairs = [
        (
            "Agreement in both rounds",
            [agreement(study, uncertainty)?, agreement(other, uncertainty)?].map(|of| of.tables),
        ),
        (
            "Scores in both rounds",
            [sources.scores(), beside.scores()].map(|found| found.unwrap_or_default().to_vec()),
        ),
        ("What both rounds hold", [contents.tables.clone(), there.tables]),
    ];
    for (title, [own, others]) in pairs {
        section.tables.extend(rounds::beside(title, &own, name, &others));
    }
    // Counts of texts and people are folded: a reader looks them up.
    if section.tables.len() > 1
        && let Some(table) = section.tables.pop()
    {
        section.fold("What both rounds hold", table);
    }
    if section.tables.is_empty() {
        section.sentences.push(format!("Nothing is judged in {name} that is judged here."));
    }
    Ok(section)
}

fn quality(study: &StudyFile, pay: Option<Rate>) -> Result<ReportSection> {
    let mut section = ReportSection::of(ReportPart::Quality);
    let asked = status::StatusAsked { pay, ..status::StatusAsked::default() };
    for table in section.unless_empty(status::tables(study, &asked))?.unwrap_or_default() {
        match table.key.as_str() {
            "overview" => section.tables.push(table),
            "quality" => {
                section.fold("Calibration, controls, repeated items and agreement with others", table)
            }
            "labels" => section.fold("Labels of each annotator beside those of the others", table),
            "progress" => section.fold("Progress, pace and pay", table),
            _ => section.fold("Judgments by item, and what is missing", table),
        }
    }
    Ok(section)
}

fn agreement(study: &StudyFile, uncertainty: Uncertainty) -> Result<ReportSection> {
    let mut section = ReportSection::of(ReportPart::Agreement);
    let part = StudyPart { uncertainty, ..StudyPart::default() };
    let asked = agree::AgreementAsked { part, ..agree::AgreementAsked::default() };
    let Some(comparisons) = section.unless_empty(agree::comparisons(study, &asked))? else {
        return Ok(section);
    };
    let findings: Vec<agree::Findings<'_>> =
        comparisons.iter().map(|comparison| agree::Findings::of(comparison, uncertainty.intervals)).collect();
    section.tables.push(agree::overview(&findings));
    for found in &findings {
        section.more.push((found.comparison.subject(), agree::tables(found, false)));
    }
    Ok(section)
}

/// The part of scores, and the part of failures.
fn scores(study: &StudyFile, sources: &Sources<'_>, by: &[String]) -> Result<[ReportSection; 2]> {
    let mut section = ReportSection::of(ReportPart::Scores);
    let mut failures = ReportSection::of(ReportPart::Failures);
    let found = section.unless_empty(sources.scores())?.unwrap_or_default().to_vec();
    let is_of_failures = |table: &Table| matches!(table.key.as_str(), "tags" | "texts");
    let (of_failures, tables): (Vec<Table>, Vec<Table>) = found.into_iter().partition(is_of_failures);
    let crossed = tables.iter().find(|table| is_crossed(table)).map(Table::path);
    section.take(tables);
    if let Some(path) = crossed {
        // Tables of the retrievers alone, and of the summarizers alone, are read first.
        if let Some(at) = section.tables.iter().position(|table| table.path() == path) {
            let table = section.tables.remove(at);
            section.fold("Further tables", table);
        }
        for by in ["retriever", "summarizer"] {
            let again = score::scores(study, &sources.scored(&[], vec![by.to_owned()]))?;
            section.tables.splice(0..0, again.into_iter().filter(|table| table.path() == path));
        }
    }
    if !by.is_empty() {
        let again = score::scores(study, &sources.scored(&[], by.to_vec()))?;
        section.tables.extend(again.into_iter().filter(|table| !is_of_failures(table)));
    }
    if let Some(table) =
        sources.against().and_then(|found| section.unless_empty(found).transpose()).transpose()?
    {
        section.tables.extend(table.iter().filter(|table| table.key == "against").cloned());
    }
    // Where nobody ranks systems there is nothing to add to what was said.
    for table in sources.rankings().unwrap_or_default() {
        section.fold("Systems ranked under each annotator", table.clone());
    }
    if of_failures.is_empty() {
        failures.sentences.push("No tags were given.".to_owned());
    }
    failures.tables = of_failures;
    Ok([section, failures])
}

/// Whether a table of scores has rows that differ both by retriever and by summarizer.
fn is_crossed(table: &Table) -> bool {
    table.key == "scores" && table.scores().is_some_and(ScoresByGroup::is_crossed)
}

fn written(study: &StudyFile, sources: &Sources<'_>) -> Result<ReportSection> {
    let mut section = ReportSection::of(ReportPart::Sessions);
    let Some(sessions) = section.unless_empty(sessions::table(study, None))? else { return Ok(section) };
    section.tables.push(sessions);
    for table in section.unless_empty(sources.baseline())?.unwrap_or_default().to_vec() {
        match table.key.as_str() {
            "human_baseline" | "scores" => section.tables.push(table),
            _ => section.fold("By minute and by session", table),
        }
    }
    Ok(section)
}
