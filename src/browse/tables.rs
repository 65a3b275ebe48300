//! A whole study as tables: rows by number, columns computed when first asked for.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};

use super::{
    BrowseTable, ColumnHead, ColumnId, ColumnSource, ColumnValues, Entity, Feed, Field, MetaField, Relations,
    RowScores, ScoreColumn, ScoredItem, Searches, TableValue, at, from, is_choice,
};
use crate::journal::{JudgmentRow, Material, Standing};
use crate::protocol::{Protocol, TargetPart};
use crate::score::CoverageQuestions;
use crate::study::{Annotator, AnnotatorId, AnnotatorKind, Corpus, ItemId, ItemRow};

/// The annotators whose judgments make scores, labels, tags and disagreement. The judgments of all are shown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WhoCounts<A = AnnotatorId> {
    #[default]
    People,
    /// People and judges.
    Everyone,
    Only(Vec<A>),
}

impl fmt::Display for WhoCounts<String> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WhoCounts::People => formatter.write_str("people"),
            WhoCounts::Everyone => formatter.write_str("everyone"),
            WhoCounts::Only(names) => formatter.write_str(&names.join(", ")),
        }
    }
}

/// A study as tables.
#[derive(Debug)]
pub struct Tables {
    pub(super) corpus: Arc<Corpus>,
    pub(super) judged: Vec<Arc<Material>>,
    pub(super) relations: Relations,
    pub(super) metas: Vec<MetaField>,
    /// The scores of all protocols but the coverage protocol.
    pub(super) score_columns: Vec<ScoreColumn>,
    counted: WhoCounts,
    /// Whether an annotator counts, by the annotator's id.
    counting: Vec<bool>,
    scored: OnceLock<Vec<ScoredItem>>,
    /// The questions of all protocols, protocol after protocol.
    pub(super) questions: Vec<QuestionPlace>,
    /// The place of the protocol that scores coverage.
    pub(super) coverage: Option<usize>,
    /// The computed columns of each table.
    kept: [KeptTable; BrowseTable::ALL.len()],
    orders: Mutex<Vec<KeptOrder>>,
    pub(super) searches: Searches,
}

/// A question of one of the protocols.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QuestionPlace {
    /// The place of the protocol's judgments.
    pub(super) protocol: usize,
    /// The key of the question in its protocol.
    pub(super) key: String,
    /// The name of the question's column.
    pub(super) name: String,
    /// The name before the `@` of an annotator, where no score can be meant.
    pub(super) short: String,
    /// The annotators who answered the question, as places in the corpus.
    pub(super) annotators: Vec<u16>,
}

/// The columns of one table.
#[derive(Debug, Default)]
struct KeptTable {
    /// The sources with a head, then those that only filters know.
    sources: Vec<ColumnSource>,
    heads: Vec<ColumnHead>,
    columns: Vec<OnceLock<ColumnValues>>,
    scores: OnceLock<Vec<RowScores>>,
}

/// The rows of a table in the order of some columns.
#[derive(Debug)]
struct KeptOrder {
    table: BrowseTable,
    by: Vec<(ColumnId, bool)>,
    rows: Arc<[u32]>,
}

/// How many orders are kept, so that switching between a few is fast.
const ORDERS: usize = 8;

impl Tables {
    /// Makes the tables of a study from its records and its judgments.
    pub fn new<M: Into<Arc<Material>>>(
        corpus: impl Into<Arc<Corpus>>,
        judged: Vec<M>,
        counted: WhoCounts,
    ) -> Tables {
        let corpus = corpus.into();
        let judged: Vec<Arc<Material>> = judged.into_iter().map(Into::into).collect();
        let relations = Relations::of(&corpus, &judged);
        let has_scores = |table: &Arc<Material>| CoverageQuestions::of(&table.protocol).is_some();
        let coverage = judged
            .iter()
            .position(|table| has_scores(table) && !table.rows().is_empty())
            .or_else(|| judged.iter().position(has_scores));
        let metas = MetaField::all(&corpus);
        let mut tables = Tables {
            corpus,
            judged,
            relations,
            metas,
            score_columns: Vec::new(),
            counted: WhoCounts::default(),
            counting: Vec::new(),
            scored: OnceLock::new(),
            questions: Vec::new(),
            coverage,
            kept: Default::default(),
            orders: Mutex::default(),
            searches: Searches::default(),
        };
        tables.count(counted);
        tables.lay_out();
        tables
    }

    /// The records that the tables are about.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// The judgments under each protocol.
    pub fn judged(&self) -> &[Arc<Material>] {
        &self.judged
    }

    /// The protocol and the item of a row of the table of items.
    pub fn item(&self, row: u32) -> Option<(&Protocol, ItemId)> {
        let place = at(&self.relations.items, row)?;
        Some((&self.judged.get(place.protocol as usize)?.protocol, self.item_row(row)?.id))
    }

    /// The item of a row of the table of items.
    pub fn item_row(&self, row: u32) -> Option<ItemRow> {
        let place = at(&self.relations.items, row)?;
        self.judged.get(place.protocol as usize)?.items.get(place.index as usize).copied()
    }

    /// The row of the first item of a protocol.
    pub fn start_of(&self, protocol: &str) -> Option<u32> {
        let place = self.judged.iter().position(|table| table.protocol.name == protocol)?;
        self.relations.rows_of_items.get(place)?.first().copied()
    }

    /// The annotators whose judgments count.
    pub fn counted(&self) -> &WhoCounts {
        &self.counted
    }

    /// Sets the annotators whose judgments count.
    pub fn count(&mut self, counted: WhoCounts) {
        let counts = |(id, annotator): &&(AnnotatorId, Annotator)| match &counted {
            WhoCounts::People => annotator.kind == AnnotatorKind::Human,
            WhoCounts::Everyone => true,
            WhoCounts::Only(some) => some.contains(id),
        };
        self.counting.clear();
        for (id, _) in self.corpus.annotators.iter().filter(counts) {
            // Ids are the row numbers of a study file, from 1 on.
            let place = crate::number::counted(id.0);
            self.counting.resize(self.counting.len().max(place + 1), false);
            if let Some(counting) = self.counting.get_mut(place) {
                *counting = true;
            }
        }
        self.counted = counted;
        self.forget(|_, _| true);
    }

    /// Replaces an annotator's standing on an item. A new item becomes the last row; a new annotator counts if people do.
    pub fn replace(
        &mut self,
        protocol: &Protocol,
        item: &ItemRow,
        annotator: (AnnotatorId, &str),
        standing: &Standing,
    ) {
        self.meet(annotator);
        let known = self.judged.iter().position(|table| table.protocol.name == protocol.name);
        let place = known.unwrap_or_else(|| {
            self.judged.push(Material::new(protocol.clone(), Vec::new()).into());
            self.relations.rows_of_items.push(Vec::new());
            self.judged.len() - 1
        });
        let Some(table) = self.judged.get_mut(place).map(Arc::make_mut) else { return };
        let before = table.items.len();
        table.replace(item, annotator.0, standing);
        let is_new = table.items.len() > before;
        if is_new {
            self.relations.add_item(&self.corpus, place, item);
        }
        let has_scores = self.coverage == Some(place);
        let others: Vec<bool> = self.questions.iter().map(|question| question.protocol != place).collect();
        self.forget(|table, feed| match feed {
            _ if is_new && table == BrowseTable::Items => true,
            Feed::Corpus => false,
            Feed::Coverage => has_scores,
            Feed::Judgments => true,
            Feed::Question(question) => others.get(usize::from(question)) != Some(&true),
        });
        self.lay_out();
        self.searches.forget();
    }

    /// Adds the annotator, if the tables do not know them yet.
    fn meet(&mut self, (id, name): (AnnotatorId, &str)) {
        let annotators = &mut Arc::make_mut(&mut self.corpus).annotators;
        if let Err(place) = annotators.binary_search_by_key(&id, |(id, _)| *id) {
            let kind = AnnotatorKind::Human;
            annotators.insert(place, (id, Annotator { id: name.to_owned(), kind, meta: Default::default() }));
            self.count(self.counted.clone());
        }
    }

    /// How many rows a table has.
    pub fn len(&self, table: BrowseTable) -> usize {
        match table {
            BrowseTable::Items => self.relations.items.len(),
            other => self.records_of(Entity::of(other)),
        }
    }

    /// Whether a table has no rows.
    pub fn is_empty(&self, table: BrowseTable) -> bool {
        self.len(table) == 0
    }

    /// The columns of a table, in the order in which they are offered.
    pub fn columns(&self, table: BrowseTable) -> &[ColumnHead] {
        &self.kept_of(table).heads
    }

    /// The column with this name.
    pub fn column(&self, table: BrowseTable, name: &str) -> Option<ColumnId> {
        let place = |name: &str| self.columns(table).iter().position(|head| head.name == name);
        let place = place(name).or_else(|| place(Tables::without_thing(table, name)?))?;
        u16::try_from(place).ok().map(ColumnId)
    }

    pub fn head(&self, table: BrowseTable, column: ColumnId) -> Option<&ColumnHead> {
        self.columns(table).get(usize::from(column.0))
    }

    pub fn value(&self, table: BrowseTable, row: u32, column: ColumnId) -> TableValue<'_> {
        let source = self.kept_of(table).sources.get(usize::from(column.0));
        let column = source.and_then(|source| self.column_of(table, *source));
        column.map_or(TableValue::Nothing, |column| column.value(row))
    }

    /// Whether any row has a value in a column.
    pub fn has_values(&self, table: BrowseTable, column: ColumnId) -> bool {
        let source = self.kept_of(table).sources.get(usize::from(column.0));
        source.and_then(|source| self.column_of(table, *source)).is_some_and(ColumnValues::has_any)
    }

    /// Whether an item was decided, given by its row.
    pub fn is_settled(&self, row: u32) -> bool {
        let place = at(&self.relations.items, row);
        let judged = place.and_then(|place| Some((self.judged.get(place.protocol as usize)?, place.index)));
        judged.is_some_and(|(judged, index)| judged.decisions().contains_key(&index))
    }

    /// The text of a cell.
    pub fn shown(&self, table: BrowseTable, row: u32, column: ColumnId) -> String {
        let head = self.head(table, column);
        head.map_or_else(String::new, |head| self.value(table, row, column).shown(head.kind))
    }

    /// The values of a source, computed when first asked for; `None` where the table has no such column.
    pub(super) fn column_of(&self, table: BrowseTable, source: ColumnSource) -> Option<&ColumnValues> {
        let kept = self.kept_of(table);
        let place = kept.sources.iter().position(|other| *other == source)?;
        Some(kept.columns.get(place)?.get_or_init(|| self.make(table, source)))
    }

    /// The coverage scores of every row, computed when first asked for.
    pub(super) fn scores_of(&self, table: BrowseTable) -> &[RowScores] {
        self.kept_of(table).scores.get_or_init(|| self.score_rows(table))
    }

    /// The scored judgments about coverage, computed when first asked for.
    pub(super) fn scored(&self) -> &[ScoredItem] {
        self.scored.get_or_init(|| self.score_items())
    }

    /// Fields and labels with their names as filters know them.
    pub(super) fn named_sources(&self, table: BrowseTable) -> impl Iterator<Item = (ColumnSource, &str)> {
        let kept = self.kept_of(table);
        let heads = kept.heads.iter().map(|head| head.name.as_str());
        let unseen = kept.sources.iter().skip(kept.heads.len()).map(|source| source.name());
        kept.sources.iter().copied().zip(heads.chain(unseen))
    }

    /// The rows sorted by columns; later columns break ties, and `true` is descending.
    pub(super) fn order(&self, table: BrowseTable, by: &[(ColumnId, bool)]) -> Arc<[u32]> {
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = orders.iter().position(|kept| kept.table == table && kept.by == by) {
            let kept = orders.remove(place);
            let rows = Arc::clone(&kept.rows);
            orders.push(kept);
            return rows;
        }
        let mut rows: Vec<u32> = (0..self.len(table) as u32).collect();
        for (column, descending) in by.iter().rev() {
            let source = self.kept_of(table).sources.get(usize::from(column.0));
            if let Some(column) = source.and_then(|source| self.column_of(table, *source)) {
                let keys = column.sort_keys(*descending);
                rows.sort_by_key(|row| keys.get(*row as usize).copied());
            }
        }
        let rows: Arc<[u32]> = rows.into();
        if orders.len() >= ORDERS {
            orders.remove(0);
        }
        orders.push(KeptOrder { table, by: by.to_vec(), rows: Arc::clone(&rows) });
        rows
    }

    /// Whether this annotator's judgments count.
    pub(super) fn is_counted(&self, annotator: AnnotatorId) -> bool {
        let place = usize::try_from(annotator.0).ok();
        place.and_then(|place| self.counting.get(place)).copied().unwrap_or(false)
    }

    /// Whether a judgment counts, and its annotator too.
    pub(super) fn is_counting(&self, row: &JudgmentRow) -> bool {
        row.counts() && self.is_counted(row.annotator())
    }

    /// The judgments that count, each with its row of the table of items and its table of judgments.
    pub(super) fn counted_rows(&self) -> impl Iterator<Item = (u32, &Material, &JudgmentRow)> {
        self.all_rows().filter(|(_, _, row)| self.is_counting(row))
    }

    /// Everyone's judgments, each with its row of the table of items and its table of judgments.
    pub(super) fn all_rows(&self) -> impl Iterator<Item = (u32, &Material, &JudgmentRow)> {
        self.judged.iter().zip(&self.relations.rows_of_items).flat_map(|(table, rows)| {
            table.rows().iter().map(move |row| (from(rows, row.item), table.as_ref(), row))
        })
    }

    /// The questions by which coverage is scored, with the judgments under them.
    pub(super) fn coverage_questions(&self) -> Option<(&Material, CoverageQuestions<'_>)> {
        let table = self.judged.get(self.coverage?)?;
        Some((table, CoverageQuestions::of(&table.protocol)?))
    }

    fn kept_of(&self, table: BrowseTable) -> &KeptTable {
        &self.kept[table as usize]
    }

    /// Drops the columns that `is_stale` names, and every order.
    pub(super) fn forget(&mut self, is_stale: impl Fn(BrowseTable, Feed) -> bool) {
        for table in BrowseTable::ALL {
            let kept = &mut self.kept[table as usize];
            for (source, column) in kept.sources.iter().zip(&mut kept.columns) {
                if is_stale(table, source.feed()) {
                    column.take();
                }
            }
            if is_stale(table, Feed::Coverage) {
                kept.scores.take();
            }
        }
        // A new item is the last row, so the rows in `scored` stay right.
        if is_stale(BrowseTable::Candidates, Feed::Coverage) {
            self.scored.take();
        }
        self.orders.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Names the questions and lays out the columns of every table; computed columns are kept.
    fn lay_out(&mut self) {
        self.questions = self.read_questions();
        self.score_columns = self.read_scores();
        for table in BrowseTable::ALL {
            let laid = self.heads_of(table);
            let kept = &mut self.kept[table as usize];
            let questions = if table == BrowseTable::Documents { 0 } else { self.questions.len() as u16 };
            let of_all = [ColumnSource::LabelOfAny, ColumnSource::Gold, ColumnSource::Majority];
            let of_any = (0..questions).flat_map(|number| of_all.map(|source| source(number)));
            let unseen = Field::unseen(table).map(ColumnSource::Field).chain(of_any);
            let sources: Vec<ColumnSource> = laid.iter().map(|(source, _)| *source).chain(unseen).collect();
            if sources != kept.sources {
                let made: Vec<OnceLock<ColumnValues>> = sources
                    .iter()
                    .map(|source| match kept.sources.iter().position(|other| other == source) {
                        Some(place) => kept.columns.get_mut(place).map(std::mem::take).unwrap_or_default(),
                        None => OnceLock::new(),
                    })
                    .collect();
                (kept.sources, kept.columns) = (sources, made);
            }
            kept.heads = laid.into_iter().map(|(_, head)| head).collect();
        }
    }

    /// Whether scores of coverage are shown: where coverage was judged, and where nothing was.
    pub(super) fn shows_coverage(&self) -> bool {
        let is_judged = |table: &Arc<Material>| !table.rows().is_empty();
        self.coverage.and_then(|place| self.judged.get(place)).is_some_and(is_judged)
            || !self.judged.iter().any(is_judged)
    }

    /// Whether a question with choices is asked about each row of this table as a whole, and was answered.
    fn is_about(&self, place: &QuestionPlace, table: BrowseTable) -> bool {
        let Some(judged) = self.judged.get(place.protocol).filter(|judged| !judged.rows().is_empty()) else {
            return false;
        };
        let parts = [TargetPart::Unit, TargetPart::Bullet, TargetPart::Candidate]
            .map(|part| judged.protocol.targets(part));
        let is_whole = match table {
            BrowseTable::Candidates => parts == [false, false, true],
            BrowseTable::Queries => {
                parts == [false; 3]
                    && ![TargetPart::Document, TargetPart::Pair]
                        .into_iter()
                        .any(|part| judged.protocol.targets(part))
            }
            _ => false,
        };
        is_whole && self.is_choice(place)
    }

    fn is_choice(&self, place: &QuestionPlace) -> bool {
        let protocol = self.judged.get(place.protocol).map(|judged| &judged.protocol);
        protocol.and_then(|protocol| protocol.question(&place.key)).is_some_and(is_choice)
    }

    fn heads_of(&self, table: BrowseTable) -> Vec<(ColumnSource, ColumnHead)> {
        let shows_coverage = self.shows_coverage();
        let is_one = self.judged.iter().filter(|table| !table.rows().is_empty()).count() == 1;
        let has_twins = table == BrowseTable::Queries && self.relations.shares_key.contains(&true);
        let head_of = |field: &'static Field| {
            let source = ColumnSource::Field(field);
            let mut head = self.head_of(table, source);
            head.shown &= shows_coverage || source.feed() != Feed::Coverage;
            if table == BrowseTable::Items && self.corpus.units.is_empty() {
                // Without units, the query tells items apart.
                head.shown = (head.shown && head.name != "unit_line") || head.name == "query_line";
            }
            head.shown |= has_twins && head.name == "collection";
            (source, head)
        };
        let mut heads: Vec<(ColumnSource, ColumnHead)> = Field::columns(table).map(head_of).collect();
        heads.extend(self.scores_in(table).into_iter().map(|(number, column)| {
            // A score is hidden where the rows themselves were judged: their labels are shown.
            let is_told = self
                .questions
                .iter()
                .any(|place| column.is_of(place.protocol) && self.is_about(place, table));
            (
                ColumnSource::Score(number),
                column.head(!shows_coverage && !is_told && self.shows_score(column)),
            )
        }));
        let asked: &[QuestionPlace] = if table == BrowseTable::Documents { &[] } else { &self.questions };
        for (number, question) in (0..).zip(asked) {
            let source = ColumnSource::Label(number);
            let (name, heading) = (question.name.clone(), question.key.clone());
            let shown = match table {
                // Where one protocol alone was judged, there is room for all its questions.
                BrowseTable::Items if !shows_coverage => {
                    let is_wanted = self.is_main(question) || (is_one && self.is_choice(question));
                    is_wanted && !question.annotators.is_empty()
                }
                BrowseTable::Items => self.is_main(question),
                _ => !shows_coverage && self.is_about(question, table),
            };
            heads.push((source, ColumnHead { name, heading, shown, ..self.head_of(table, source) }));
            for annotator in &question.annotators {
                let Some((_, person)) = self.corpus.annotators.get(usize::from(*annotator)) else { continue };
                let source = ColumnSource::LabelBy(number, *annotator);
                let name = format!("{}@{}", question.short, person.id);
                let heading = format!("{} {}", question.key, person.id);
                heads.push((source, ColumnHead { name, heading, ..self.head_of(table, source) }));
            }
        }
        heads.extend(self.fields_of_things(table).map(|source| (source, self.head_of(table, source))));
        self.tell_twins_apart(&mut heads);
        heads
    }

    /// Puts the protocol before headings that another protocol has too, or a field that every study has.
    fn tell_twins_apart(&self, heads: &mut [(ColumnSource, ColumnHead)]) {
        let mut first = HashMap::new();
        let mut is_twin = |(source, head): &&(ColumnSource, ColumnHead)| {
            let protocol = self.protocol_of(*source);
            *first.entry(head.heading.clone()).or_insert(protocol) != protocol
        };
        let twins = heads.iter().filter(|head| is_twin(head));
        let twins: HashSet<String> = twins.map(|(_, head)| head.heading.clone()).collect();
        for (source, head) in heads {
            if let Some(protocol) = self.protocol_of(*source).filter(|_| twins.contains(&head.heading)) {
                head.heading = format!("{protocol} {}", head.heading);
            }
        }
    }

    /// The name of the protocol whose labels or scores a column shows; `None` for fields.
    fn protocol_of(&self, source: ColumnSource) -> Option<&str> {
        let place = match source {
            ColumnSource::Score(number) => self.score_columns.get(usize::from(number))?.protocol,
            ColumnSource::Label(number) | ColumnSource::LabelBy(number, _) => {
                self.questions.get(usize::from(number))?.protocol
            }
            _ => return None,
        };
        self.judged.get(place).map(|judged| judged.protocol.name.as_str())
    }
}
