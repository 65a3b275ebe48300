//! The values and weights of judgments in a score.

use std::sync::Arc;

use super::{KnownRatio, NameMeant, RowTest, RowsOf, is_about};
use crate::agreement::NumberRange;
use crate::browse::{Bits, BrowseTable, ColumnKind, Sets, Tables, at, from, mean};
use crate::error::Result;
use crate::journal::{JudgmentRow, Material};
use crate::number::short;
use crate::protocol::{Protocol, ScoreLevel, ScoreMade, ScoreNumber, ScoreRule};
use crate::score::{AnswerQuestions, CoverageQuestions, Edit, RatioKind, RefinementQuestions, ScoreParts};

/// A number of a row, with its names looked up.
pub(super) enum RowNumber {
    One,
    /// A number for each set of answers, `NaN` where there is none, and the sets that leave the question open.
    Own(Vec<f64>, Bits),
    /// A number for each row; `NaN` where there is none.
    Row(Vec<f64>),
    /// A number of the judgment.
    Judged(&'static JudgedField),
    /// The largest number whose test holds, else 0; missing where a name in a test has no value.
    Largest {
        rows: Vec<(RowTest, f64)>,
        known: Vec<Bits>,
    },
}

/// Why a row has no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    Missing,
    /// The number hangs on a question that is left open.
    Open,
}

impl RowNumber {
    /// The number of a row with its judgment.
    pub(super) fn at(
        &self,
        tables: &Tables,
        row: u32,
        judged: Option<(&Material, &JudgmentRow)>,
    ) -> std::result::Result<f64, Unknown> {
        let answers = judged.map_or(0, |(_, judged)| judged.answers());
        let known =
            |number: Option<&f64>| number.copied().filter(|number| !number.is_nan()).ok_or(Unknown::Missing);
        match self {
            RowNumber::One => Ok(1.0),
            RowNumber::Own(_, open) if open.has(short(answers)) => Err(Unknown::Open),
            RowNumber::Own(numbers, _) => known(numbers.get(answers)),
            RowNumber::Row(numbers) => known(numbers.get(row as usize)),
            RowNumber::Judged(field) => {
                let number = judged
                    .and_then(|(table, judged)| (field.of)(&OneJudgment { tables, table, row, judged }));
                // It may hang on any question of the judgment.
                number.ok_or(Unknown::Open)
            }
            RowNumber::Largest { rows, known } => {
                let is_known = known.iter().all(|known| known.has(row));
                let (mut holding, mut open) = (0.0_f64, 0.0_f64);
                for (test, number) in rows {
                    match test.holds(answers, row) {
                        Some(true) => holding = holding.max(*number),
                        Some(false) => {}
                        None => open = open.max(*number),
                    }
                }
                match (is_known, open <= holding) {
                    (false, _) => Err(Unknown::Missing),
                    (true, false) => Err(Unknown::Open),
                    (true, true) => Ok(holding),
                }
            }
        }
    }
}

impl Tables {
    /// Looks up the names of a ratio.
    pub(super) fn known_ratio(
        &self,
        protocol: &str,
        rule: &ScoreRule,
        judged: &[Arc<Material>],
    ) -> Result<KnownRatio> {
        let ScoreMade::Ratio(ratio) = &rule.made else { return Err(rule.wrong("it has no value")) };
        let of_protocol = |name: &str| self.judged.iter().position(|table| table.protocol.name == name);
        let records = |name: &str| {
            let table = [("candidate", BrowseTable::Candidates), ("query", BrowseTable::Queries)];
            let others = [("document", BrowseTable::Documents), ("unit", BrowseTable::Units)];
            table.into_iter().chain(others).find(|(known, _)| *known == name).map(|(_, table)| table)
        };
        let named = ratio.protocol.as_deref().unwrap_or(protocol);
        let of = match (records(named), of_protocol(named)) {
            (Some(table), _) => RowsOf::Records(table),
            (None, Some(place)) => RowsOf::Protocol(place),
            (None, None) => return Err(rule.wrong(format!("there is no protocol {named:?}"))),
        };
        let judgments = |place: usize| {
            let known = self.judged.get(place)?;
            let instead = judged.iter().find(|other| other.protocol.name == known.protocol.name);
            Some(Arc::clone(instead.unwrap_or(known)))
        };
        let own = if let RowsOf::Protocol(place) = of { judgments(place) } else { None };
        let is_other = |place: &usize| matches!(of, RowsOf::Protocol(own) if own != *place);
        let file = of_protocol(protocol).filter(is_other);
        let file = file.and_then(|place| Some((RowsOf::Protocol(place), judgments(place)?)));
        let from = own.as_deref();
        if let RowsOf::Protocol(place) = of
            && let Some(table) = self.judged.get(place)
        {
            let candidate =
                |level| level == ScoreLevel::Candidate && is_about(&table.protocol, ScoreLevel::Unit);
            let lacks = |level: &ScoreLevel| !is_about(&table.protocol, *level) && !candidate(*level);
            if let Some(level) = [Some(ratio.once), rule.mean].into_iter().flatten().find(lacks) {
                return Err(rule.wrong(format!("an item of {named} has no {}", level.name())));
            }
        }
        let among =
            ratio.among.as_deref().map(|among| self.read_filter(rule, of, from, among)).transpose()?;
        let (value, range) = self.number(rule, of, from, &ratio.value)?;
        let weight = match &ratio.weight {
            Some(weight) => match self.number(rule, of, from, weight)? {
                (_, NumberRange::Any) => return Err(rule.wrong("a weight is from 0 on, and some are below")),
                (weight, _) => weight,
            },
            None => RowNumber::One,
        };
        let kind = RatioKind { has_level: rule.mean.is_some(), empty: ratio.empty, is_drawn: false, range };
        if let (Some(empty), NumberRange::Between(low, high)) = (ratio.empty, range)
            && !(low..=high).contains(&empty)
        {
            return Err(rule.wrong(format!("\"empty\" lies between {low} and {high}")));
        }
        let among = among.map(|among| among.test);
        let empty_where = match (&file, &ratio.empty_where) {
            (Some((of, judged)), Some(filter)) => {
                Some(self.read_filter(rule, *of, Some(judged), filter)?.test)
            }
            _ => None,
        };
        Ok(KnownRatio {
            empty_where,
            of,
            judged: own,
            file,
            among,
            value,
            weight,
            once: ratio.once,
            mean: rule.mean,
            kind,
        })
    }

    /// Looks up a number, and gives its range.
    fn number(
        &self,
        rule: &ScoreRule,
        of: RowsOf,
        own: Option<&Material>,
        number: &ScoreNumber,
    ) -> Result<(RowNumber, NumberRange)> {
        let Some(name) = number.name() else {
            let (mut rows, mut known, mut most) = (Vec::new(), Vec::new(), 0.0_f64);
            for (filter, number) in number.filters() {
                let read = self.read_filter(rule, of, own, filter)?;
                rows.push((read.test, number));
                known.extend(read.known);
                most = most.max(number);
            }
            return Ok((RowNumber::Largest { rows, known }, NumberRange::Between(0.0, most)));
        };
        match self.named(of, name).map_err(|what| rule.wrong(what))? {
            NameMeant::Own(question) => {
                let range = self.scale_of(rule, question, name)?;
                let labels = self.own_labels(question, own);
                let scores = labels.codes.iter().map(|set| self.mean_score(question, &labels, *set));
                Ok((RowNumber::Own(scores.collect(), self.left_open(question, own)), range))
            }
            NameMeant::Joined(joined) => {
                let range = self.scale_of(rule, joined.question, name)?;
                let number = |place: &u32| match name.contains('@') {
                    true => self.mean_score(joined.question, &joined.sets, from(&joined.sets.codes, *place)),
                    false => joined.means.get(*place as usize).copied().unwrap_or(f64::NAN),
                };
                Ok((RowNumber::Row(joined.places.iter().map(number).collect()), range))
            }
            NameMeant::Later => Ok((RowNumber::Row(Vec::new()), NumberRange::PERCENT)),
            NameMeant::Judged(field) => Ok((RowNumber::Judged(field), field.range)),
            NameMeant::Field { table, name, places } => {
                let source = self.field_named(table, &name, false);
                let kind = source.map(|source| self.kind_of(source));
                let column = source.and_then(|source| self.column_of(table, source));
                let Some(column) = column.filter(|_| kind.is_some_and(ColumnKind::is_number)) else {
                    return Err(rule.wrong(format!(
                        "{name:?} is no number; write {name:?}:VALUE to ask for one of its values"
                    )));
                };
                let number = |place: &u32| column.number(*place).unwrap_or(f64::NAN);
                let numbers: Vec<f64> = places.iter().map(number).collect();
                let range = match kind {
                    Some(ColumnKind::Percent) => NumberRange::PERCENT,
                    _ if numbers.iter().any(|number| *number < 0.0) => NumberRange::Any,
                    _ => NumberRange::Positive,
                };
                Ok((RowNumber::Row(numbers), range))
            }
        }
    }

    /// The range of a question's scores, from the lowest to the highest.
    fn scale_of(&self, rule: &ScoreRule, question: u16, name: &str) -> Result<NumberRange> {
        let range = self.asked(question).and_then(|(_, asked, _)| crate::score::score_range(asked));
        range.ok_or_else(|| {
            rule.wrong(format!(
                "not every choice of {name:?} has a score; give them scores, or write {name}:LABEL"
            ))
        })
    }

    /// The mean of the scores of labels; `NaN` without labels, or where one has no score.
    fn mean_score(&self, question: u16, labels: &Sets, set: u32) -> f64 {
        mean(self.label_scores(question, labels, set as usize)).unwrap_or(f64::NAN)
    }
}

/// A judgment from which a [`JudgedField`] is computed.
pub(super) struct OneJudgment<'t> {
    tables: &'t Tables,
    table: &'t Material,
    row: u32,
    judged: &'t JudgmentRow,
}

/// A number of a single judgment that is not an answer.
pub(super) struct JudgedField {
    pub(super) name: &'static str,
    range: NumberRange,
    /// Whether judgments under a protocol have the number.
    suits: fn(&Protocol) -> bool,
    of: fn(&OneJudgment<'_>) -> Option<f64>,
}

impl JudgedField {
    /// The range of the number with this name, if judgments under the protocol have it.
    pub(super) fn range(protocol: &Protocol, name: &str) -> Option<NumberRange> {
        JUDGED_FIELDS
            .iter()
            .find(|field| field.name == name && (field.suits)(protocol))
            .map(|field| field.range)
    }

    /// Whether judgments under the protocol at this place have the number.
    pub(super) fn is_of(&self, tables: &Tables, place: usize) -> bool {
        tables.judged.get(place).is_some_and(|table| (self.suits)(&table.protocol))
    }
}

/// All numbers of single judgments.
pub(super) static JUDGED_FIELDS: [JudgedField; 8] = {
    const COVERS: fn(&Protocol) -> bool = |protocol| CoverageQuestions::of(protocol).is_some();
    const REFINES: fn(&Protocol) -> bool = |protocol| RefinementQuestions::of(protocol).is_some();
    const ANSWERS: fn(&Protocol) -> bool = |protocol| AnswerQuestions::of(protocol).is_some();
    const PERCENT: NumberRange = NumberRange::PERCENT;
    const POSITIVE: NumberRange = NumberRange::Positive;
    [
        judged_field("citation", PERCENT, COVERS, |one| Some(one.parts()?.citation.ok()?.f1)),
        judged_field("precision", PERCENT, COVERS, |one| Some(one.parts()?.citation.ok()?.precision)),
        judged_field("recall", PERCENT, COVERS, |one| Some(one.parts()?.citation.ok()?.recall)),
        judged_field("joint", PERCENT, COVERS, |one| one.parts()?.joint.ok()),
        judged_field("reference_f1", PERCENT, ANSWERS, |one| one.answer_f1()),
        judged_field("edit", POSITIVE, REFINES, |one| Some(one.edit()?.distance as f64)),
        judged_field("edit_share", POSITIVE, REFINES, |one| {
            let edit = one.edit().filter(|edit| edit.length > 0)?;
            Some(100.0 * edit.distance as f64 / edit.length as f64)
        }),
        judged_field("seconds", POSITIVE, |_| true, |one| one.judged.seconds()),
    ]
};

const fn judged_field(
    name: &'static str,
    range: NumberRange,
    suits: fn(&Protocol) -> bool,
    of: fn(&OneJudgment<'_>) -> Option<f64>,
) -> JudgedField {
    JudgedField { name, range, suits, of }
}

impl OneJudgment<'_> {
    /// Coverage and citation of one insight in one summary (SummHay §4.1).
    fn parts(&self) -> Option<ScoreParts> {
        let table = self.table;
        let said = CoverageQuestions::of(&table.protocol)?.read(table.answers(self.judged));
        Some(self.tables.insight_score(&said, at(&self.tables.relations.items, self.row)?)?.parts)
    }

    /// Token F1 of the answer against the reference's (CRUD-RAG §3.6).
    fn answer_f1(&self) -> Option<f64> {
        let table = self.table;
        let unit = self.tables.unit(at(&self.tables.relations.items, self.row)?.unit)?;
        AnswerQuestions::of(&table.protocol)?.read(table.answers(self.judged), &unit.meta).f1
    }

    /// The edit distance of a query's new wording from the old (CRUD-RAG §3.4).
    fn edit(&self) -> Option<Edit> {
        let table = self.table;
        let (_, refined) = RefinementQuestions::of(&table.protocol)?.read(table.answers(self.judged));
        let query = self.tables.query(at(&self.tables.relations.items, self.row)?.query)?;
        Some(Edit::between(&query.text, refined?))
    }
}
