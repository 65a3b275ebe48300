//! The tables that figures are made from, each computed once, when a figure first asks for it.

use std::cell::OnceCell;

use crate::error::Result;
use crate::report::{
    Comparison, DisplayNames, Heading, ScoresByGroup, StudyPart, Table, agree, judges, score, status,
};
use crate::score::{ClusterKind, GroupLabels, RankedMeasure};
use crate::store::StudyFile;

/// The options of the figures of a study.
#[derive(Debug, Clone, Default)]
pub struct FiguresAsked {
    pub part: StudyPart,
    /// A field of the summaries, a number with which people's scores are compared.
    pub against: Option<String>,
    /// The names that readers see.
    pub display: DisplayNames,
}

/// The most systems in a figure with a row for each.
const MANY: usize = 20;

type Once<T> = OnceCell<Result<T>>;

/// A study with the tables computed so far.
pub struct Sources<'a> {
    study: &'a StudyFile,
    pub asked: FiguresAsked,
    known: TablesKnown,
}

/// The tables computed so far.
#[derive(Default)]
struct TablesKnown {
    scores: Once<Vec<Table>>,
    by_length: Once<Vec<Table>>,
    by_two: Once<Vec<Table>>,
    against: Once<Vec<Table>>,
    rankings: Once<Vec<Table>>,
    comparisons: Once<Vec<Comparison>>,
    judges: Once<Vec<Table>>,
    status: Once<Vec<Table>>,
    baseline: Once<Vec<Table>>,
}

impl<'a> Sources<'a> {
    pub fn new(study: &'a StudyFile, asked: FiguresAsked) -> Sources<'a> {
        Sources { study, asked, known: TablesKnown::default() }
    }

    /// A study whose human baseline is computed already.
    pub fn of_baseline(study: &'a StudyFile, baseline: Vec<Table>) -> Sources<'a> {
        let known = TablesKnown { baseline: Once::from(Ok(baseline)), ..TablesKnown::default() };
        Sources { study, asked: FiguresAsked::default(), known }
    }

    /// The options of scores by these fields, of these annotators.
    pub fn scored(&self, annotators: &[String], by: Vec<String>) -> score::ScoresAsked {
        let mut part = StudyPart { annotators: annotators.to_vec(), ..self.part(by) };
        // Items of one summary are not independent, so scores are not clustered by item or summary.
        if let Some(ClusterKind::Item | ClusterKind::Summary) = part.uncertainty.cluster {
            part.uncertainty.cluster = None;
        }
        score::ScoresAsked { part, ..score::ScoresAsked::default() }
    }

    fn part(&self, by: Vec<String>) -> StudyPart {
        StudyPart { by, ..self.asked.part.clone() }
    }

    fn tables_by(&self, by: Vec<String>) -> Result<Vec<Table>> {
        self.shown(score::scores(self.study, &self.scored(&self.asked.part.annotators, by)))
    }

    /// The tables of `haymark score --full`.
    pub fn scores(&self) -> Result<&[Table]> {
        once(&self.known.scores, || self.tables_by(Vec::new()))
    }

    /// The tables of `haymark score --by response_length`.
    pub fn by_length(&self) -> Result<&[Table]> {
        once(&self.known.by_length, || self.tables_by(vec!["response_length".to_owned()]))
    }

    /// The tables of `haymark score --by ROWS,COLUMNS` where two fields are asked for, else those by system.
    pub fn by_two(&self) -> Result<&[Table]> {
        if self.asked.part.by.len() != 2 {
            return self.scores();
        }
        once(&self.known.by_two, || self.tables_by(self.asked.part.by.clone()))
    }

    /// The tables of `haymark score --against FIELD`, and each summary with both numbers; `None` without a field.
    pub fn against(&self) -> Option<Result<&[Table]>> {
        let field = self.asked.against.clone()?;
        let asked = score::ScoresAsked {
            against: Some(field),
            has_pairs: true,
            ..self.scored(&self.asked.part.annotators, Vec::new())
        };
        Some(once(&self.known.against, || self.shown(score::scores(self.study, &asked))))
    }

    /// The tables of `haymark score --annotators each --full`, by the fields that are asked for.
    pub fn rankings(&self) -> Result<&[Table]> {
        once(&self.known.rankings, || {
            let by =
                if self.has_a_grid() { vec!["summarizer".to_owned()] } else { self.asked.part.by.clone() };
            self.shown(score::rankings(self.study, &self.scored(&self.asked.part.annotators, by)))
        })
    }

    /// Whether there are too many systems of several retrievers and summarizers for a row each. Then a grid shows them, and
    /// the summarizers are ranked.
    fn has_a_grid(&self) -> bool {
        let is_many = |table: &Table| {
            table.scores().is_some_and(|found| found.groups.len() > MANY && found.is_crossed())
        };
        self.asked.part.by.is_empty() && self.scores().is_ok_and(|tables| tables.iter().any(is_many))
    }

    /// The comparisons of `haymark agree`.
    pub fn comparisons(&self) -> Result<&[Comparison]> {
        once(&self.known.comparisons, || {
            let part = self.part(Vec::new());
            let asked = agree::AgreementAsked { part, is_brief: true, ..agree::AgreementAsked::default() };
            agree::comparisons(self.study, &asked)
        })
    }

    /// The tables of `haymark judges --full`.
    pub fn judges(&self) -> Result<&[Table]> {
        once(&self.known.judges, || {
            let asked = judges::JudgesAsked { part: self.part(Vec::new()), ..judges::JudgesAsked::default() };
            self.shown(judges::tables(self.study, &asked))
        })
    }

    /// The tables with the names that readers see.
    fn shown(&self, tables: Result<Vec<Table>>) -> Result<Vec<Table>> {
        Ok(tables?.iter().map(|table| self.asked.display.shown(table)).collect())
    }

    /// The tables of `haymark status --full`.
    pub fn status(&self) -> Result<&[Table]> {
        once(&self.known.status, || {
            let StudyPart { protocol, annotators, .. } = self.asked.part.clone();
            let asked = status::StatusAsked { protocol, annotators, ..status::StatusAsked::default() };
            self.shown(status::tables(self.study, &asked))
        })
    }

    /// The tables of `haymark score --human`.
    pub fn baseline(&self) -> Result<&[Table]> {
        let asked = self.scored(&self.asked.part.annotators, Vec::new());
        once(&self.known.baseline, || self.shown(score::baseline(self.study, &asked)))
    }

    /// The name that readers see for a value of a field; `(none)` where the value is empty.
    pub fn name(&self, field: &str, value: &str) -> String {
        match self.asked.display.name(field, value) {
            "" => "(none)".to_owned(),
            name => name.to_owned(),
        }
    }

    /// The names of a group by these fields, as one text.
    pub fn names(&self, by: &[String], group: &GroupLabels) -> String {
        let name =
            |(by, label): (&String, &Option<String>)| self.name(by, label.as_deref().unwrap_or_default());
        by.iter().zip(group).map(name).collect::<Vec<String>>().join(" · ")
    }

    /// The name of each group by a field; `None` where they are not by it.
    pub fn labels(&self, found: &ScoresByGroup, field: &str) -> Option<Vec<String>> {
        let at = found.by.iter().position(|by| by == field)?;
        // A group has a label or none for each field.
        let name = |group: &GroupLabels| self.name(field, group[at].as_deref().unwrap_or_default());
        Some(found.groups.iter().map(name).collect())
    }

    /// The title of an axis for the column of a score.
    pub fn titled_of(&self, head: &Heading) -> String {
        self.titled(&head.name, &head.heading, head.unit.is_some())
    }

    /// The heading that readers see of a ranked measure: its own, or that of all scores.
    pub fn heading<'n>(&'n self, measure: &'n RankedMeasure) -> &'n str {
        let display = &self.asked.display;
        display.heading(&measure.name, display.heading("score", &measure.heading))
    }

    /// The title of an axis for a ranked measure.
    pub fn titled_measure(&self, measure: &RankedMeasure) -> String {
        self.titled(&measure.name, self.heading(measure), measure.is_percent)
    }

    /// The title of an axis for a column: `joint, %`.
    pub fn titled(&self, column: &str, heading: &str, is_percent: bool) -> String {
        let heading = self.asked.display.heading(column, heading);
        if is_percent { format!("{heading}, %") } else { heading.to_owned() }
    }
}

fn once<T>(cell: &Once<Vec<T>>, find: impl FnOnce() -> Result<Vec<T>>) -> Result<&[T]> {
    cell.get_or_init(find).as_deref().map_err(Clone::clone)
}
