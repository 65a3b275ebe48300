//! The details of a row for the panes under a table: its texts, everyone's judgments, and the working of its scores.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{BrowseTable, Entity, NONE, Tables, answer_words, at};
use crate::journal::{JudgmentRow, Material};
use crate::protocol::{Answers, Protocol, Question, QuestionKind, SIDES};
use crate::score::{
    AskedInsight, CitationScore, InsightJudged, Measure, Origin, Scores, SummaryJudged, Undefined,
};
use crate::study::{
    Annotator, AnnotatorKind, Candidate, CitedList, Collection, Document, ItemId, Query, Unit,
};
use crate::text::span::{Span, locate_at};

/// Everything about a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Detail<'t> {
    /// The name of the row, such as `stress / c1 / walk`.
    pub title: String,
    /// Facts about the row beside texts: system, order, domain, sizes.
    pub facts: Vec<(&'static str, String)>,
    /// Headings and values of the scores of protocols that are not about coverage.
    pub other_scores: Vec<(String, String)>,
    pub collection: Option<&'t Collection>,
    pub query: Option<&'t Query>,
    pub unit: Option<&'t Unit>,
    pub candidate: Option<&'t Candidate>,
    /// The candidate's bullets.
    pub bullets: Vec<BulletDetail>,
    /// The number of the bullet that is judged.
    pub bullet: Option<u32>,
    /// The documents that matter to the row: judged, containing the unit, cited, or given to the system.
    pub documents: Vec<DocumentDetail<'t>>,
    /// Everyone's judgments of the row's items, people first.
    pub judgments: Vec<JudgmentDetail<'t>>,
    /// The working of the scores, for each unit and each annotator who counts.
    pub working: Vec<Working<'t>>,
    /// The scores over `working`; `None` where it is empty.
    pub scores: Option<Scores>,
}

/// A bullet of a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulletDetail {
    /// The number of the bullet, from 1.
    pub number: u32,
    /// The bullet's place in the candidate's text.
    pub span: Span,
    /// Numbers of the documents that the bullet cites, ascending.
    pub cited: Vec<u32>,
    /// Places in [`Detail::working`] of the judgments that link to the bullet.
    pub covers: Vec<usize>,
}

named! {
    /// The role of a document in a row.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum DocumentRole {
        /// The document that is judged.
        Judged = "judged",
        /// The document contains the unit and is cited for it.
        Right = "right",
        /// The document contains the unit and is not cited for it.
        Missed = "missed",
        /// The document is cited and does not contain the unit.
        Wrong = "wrong",
        /// The document contains the unit; no citation was looked at.
        Gold = "gold",
        /// The document is cited; whether rightly is not known.
        Cited = "cited",
        /// The document was given to the system, which does not cite it.
        Given = "given",
    }
}

impl DocumentRole {
    /// The mark before the document's number.
    pub fn glyph(self) -> &'static str {
        match self {
            DocumentRole::Judged => "▸",
            DocumentRole::Right => "✓",
            DocumentRole::Missed => "○",
            DocumentRole::Wrong => "✗",
            DocumentRole::Gold => "◆",
            DocumentRole::Cited => "·",
            DocumentRole::Given => "",
        }
    }
}

/// A document of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentDetail<'t> {
    pub document: &'t Document,
    pub role: DocumentRole,
    /// The unit's evidence that is found in the document.
    pub evidence: Vec<Span>,
}

/// One annotator's judgment of one item of the row.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgmentDetail<'t> {
    pub protocol: &'t Protocol,
    pub item: ItemId,
    /// The item's row of the table of items.
    pub row: u32,
    pub unit: Option<&'t Unit>,
    pub document: Option<&'t Document>,
    pub bullet: Option<u32>,
    /// Both candidates of a pair.
    pub pair: Option<[&'t Candidate; 2]>,
    pub annotator: &'t Annotator,
    /// The answers in the order in which the questions are asked; labels as the protocol shows them.
    pub answers: Vec<(&'t Question, String)>,
    /// Why the answers do not count, such as that they are stale; `None` where they do, and where there are none.
    pub uncounted: Option<String>,
    /// Active seconds; `None` where they are not known.
    pub seconds: Option<f64>,
    /// The time of the judgment, in milliseconds since 1970.
    pub at: Option<i64>,
    pub comment: Option<&'t str>,
    pub flagged: bool,
    pub skipped: bool,
}

/// One annotator's judgment of one unit in one candidate, with the arithmetic.
#[derive(Debug, Clone, PartialEq)]
pub struct Working<'t> {
    pub unit: &'t Unit,
    pub candidate: Option<&'t Candidate>,
    pub annotator: &'t Annotator,
    /// The label as the protocol shows it.
    pub label: String,
    /// The score of the label, 0 to 100.
    pub coverage: f64,
    /// Numbers of the bullets that the annotator linked to the unit.
    pub bullets: Vec<u32>,
    /// Numbers of the documents that the linked bullets cite, ascending.
    pub cited: Vec<u32>,
    /// Documents that are cited and contain the unit.
    pub right: Vec<u32>,
    /// Documents that are cited and do not contain the unit.
    pub wrong: Vec<u32>,
    /// Documents that contain the unit and are not cited.
    pub missed: Vec<u32>,
    pub citation: Result<CitationScore, Undefined>,
    pub joint: Measure,
}

impl Detail<'_> {
    /// How the row's candidate cites a document.
    pub fn citing(&self, document: &Document) -> String {
        self.candidate
            .map_or_else(|| document.number.to_string(), |candidate| candidate.citing(document.number))
    }
}

impl Working<'_> {
    /// Documents of these numbers as the candidate cites them, between separators.
    pub fn citing(&self, numbers: &[u32], separator: &str) -> String {
        let citing =
            |number: &u32| self.candidate.map_or_else(|| number.to_string(), |made| made.citing(*number));
        numbers.iter().map(citing).collect::<Vec<_>>().join(separator)
    }
}

impl Tables {
    /// The details of a row. A row of systems, queries or units has the judgments of all its items.
    pub fn detail(&self, table: BrowseTable, row: u32) -> Detail<'_> {
        let place = |entity| self.place(table, row, entity);
        let (unit, candidate) = (place(Entity::Unit), place(Entity::Candidate));
        let items = self.items_of(table, row);
        // The working of an item of another protocol is that of its candidate.
        let scored = match (table, unit == NONE) {
            (BrowseTable::Items, true) if candidate != NONE => {
                self.items_of(BrowseTable::Candidates, candidate)
            }
            _ => items.clone(),
        };
        let working = if table == BrowseTable::Systems { Vec::new() } else { self.working(&scored) };
        let bullet = at(&self.relations.items, row).filter(|_| table == BrowseTable::Items);
        Detail {
            title: self.name(table, row),
            facts: self.facts(table, row),
            other_scores: self.scores_of_row(table, row),
            collection: self.collection(place(Entity::Collection)),
            query: self.query(place(Entity::Query)),
            unit: self.unit(unit),
            candidate: self.candidate(candidate),
            bullets: self.bullets(candidate, &working),
            bullet: bullet.map(|item| item.bullet).filter(|number| *number != NONE),
            documents: self.documents(table, row, &working),
            judgments: self.judgments(&items),
            scores: self.pooled(&scored),
            working,
        }
    }

    /// The name of a row.
    pub fn name(&self, table: BrowseTable, row: u32) -> String {
        let place = |entity| self.place(table, row, entity);
        let query = self.query_name(place(Entity::Query));
        let unit = self.unit(place(Entity::Unit)).map(|unit| unit.id.clone());
        let candidate = self.candidate(place(Entity::Candidate)).map(|made| made.id.clone());
        let document = at(&self.corpus.documents, place(Entity::Document))
            .map(|(_, document)| format!("[{}] {}", document.number, document.id));
        match table {
            BrowseTable::Systems => self.system_name(row),
            BrowseTable::Documents => {
                let collection = at(&self.corpus.collections, place(Entity::Collection));
                let collection = collection.map(|(_, found)| found.id.clone());
                [collection, document].into_iter().flatten().collect::<Vec<_>>().join(" / ")
            }
            _ => {
                let parts = [query, candidate, unit, document];
                parts.into_iter().flatten().collect::<Vec<_>>().join(" / ")
            }
        }
    }

    /// The key of a query, behind that of its collection where several collections have the key.
    fn query_name(&self, place: u32) -> Option<String> {
        let (_, query) = at(&self.corpus.queries, place)?;
        Some(match at(&self.relations.shares_key, place) {
            Some(true) => format!("{} / {}", query.collection, query.id),
            _ => query.id.clone(),
        })
    }

    /// The rows of the table of items that belong to a row, in their order.
    pub fn items_of(&self, table: BrowseTable, row: u32) -> Vec<u32> {
        let items = 0..self.relations.items.len() as u32;
        items.filter(|item| self.row_of_item(table, *item) == row).collect()
    }

    fn facts(&self, table: BrowseTable, row: u32) -> Vec<(&'static str, String)> {
        const FACTS: [&str; 14] = [
            "protocol",
            "system",
            "summarizer",
            "retriever",
            "order",
            "collection",
            "domain",
            "category",
            "kind",
            "bullets",
            "words",
            "words_per_bullet",
            "units",
            "candidates",
        ];
        let fact = |name: &'static str| {
            let column = self.column(table, name)?;
            let shown = self.shown(table, row, column);
            (!shown.is_empty()).then_some((name, shown))
        };
        // Counting the words of documents takes a while, so it is done only when the column is asked for.
        FACTS
            .into_iter()
            .filter(|name| table != BrowseTable::Documents || *name != "words")
            .filter_map(fact)
            .collect()
    }

    /// The bullets of a candidate, each with the judgments that link to it.
    pub(super) fn bullets(&self, candidate: u32, working: &[Working<'_>]) -> Vec<BulletDetail> {
        let bullets = at(&self.relations.bullets, candidate).map_or(&[][..], Vec::as_slice);
        let covers = |number: u32| {
            let linked = working.iter().enumerate().filter(|(_, work)| work.bullets.contains(&number));
            linked.map(|(place, _)| place).collect()
        };
        let detail = |(number, bullet): (u32, &super::relations::Bullet)| BulletDetail {
            number,
            span: bullet.span,
            cited: bullet.cited.iter().copied().collect(),
            covers: covers(number),
        };
        (1..).zip(bullets).map(detail).collect()
    }

    /// The working of these items: each counted annotator's judgment of coverage, and the scores that follow from it.
    pub(super) fn working(&self, items: &[u32]) -> Vec<Working<'_>> {
        let Some((table, questions)) = self.coverage_questions() else { return Vec::new() };
        let mut working = Vec::new();
        for place in items.iter().filter_map(|item| at(&self.relations.items, *item)) {
            let Some(unit) = self.unit(place.unit).filter(|_| Some(place.protocol as usize) == self.coverage)
            else {
                continue;
            };
            for row in self.counted_first(table.of_item(place.index)) {
                let answers = table.answers(row);
                let said = questions.read(answers);
                let (Some(score), Some(annotator)) = (self.insight_score(&said, place), self.annotator(row))
                else {
                    continue;
                };
                let asked = table.protocol.main_question();
                working.push(Working {
                    unit,
                    candidate: self.candidate(place.candidate),
                    annotator,
                    label: asked.map(|asked| shown(asked, table, row)).unwrap_or_default(),
                    coverage: score.parts.coverage,
                    bullets: said.bullets,
                    right: score.right(),
                    wrong: score.wrong(),
                    missed: score.missed(),
                    cited: score.cited.iter().copied().collect(),
                    citation: score.parts.citation,
                    joint: score.parts.joint,
                });
            }
        }
        working
    }

    fn counted_first<'r>(&self, rows: &'r [JudgmentRow]) -> impl Iterator<Item = &'r JudgmentRow> {
        rows.iter().filter(|row| self.is_counting(row))
    }

    pub(super) fn annotator(&self, row: &JudgmentRow) -> Option<&Annotator> {
        let annotators = &self.corpus.annotators;
        let place = annotators.binary_search_by_key(&row.annotator(), |(id, _)| *id).ok()?;
        annotators.get(place).map(|(_, annotator)| annotator)
    }

    /// The scores of these items, pooled as `haymark score` pools them.
    pub(super) fn pooled(&self, items: &[u32]) -> Option<Scores> {
        let (table, questions) = self.coverage_questions()?;
        let mut summaries: BTreeMap<(i64, u32), Vec<InsightJudged>> = BTreeMap::new();
        for place in items.iter().filter_map(|item| at(&self.relations.items, *item)) {
            if Some(place.protocol as usize) != self.coverage {
                continue;
            }
            let gold = at(&self.relations.gold, place.unit).cloned().flatten().map(Arc::new);
            let unit = self.unit(place.unit).map_or_else(String::new, |unit| unit.id.clone());
            let insight = AskedInsight { unit, gold };
            for row in self.counted_first(table.of_item(place.index)) {
                let judged =
                    InsightJudged { insight: insight.clone(), said: questions.read(table.answers(row)) };
                summaries.entry((row.annotator().0, place.candidate)).or_default().push(judged);
            }
        }
        let summary = |((_, candidate), insights): ((i64, u32), Vec<InsightJudged>)| {
            let made = self.candidate(candidate)?;
            let origin = Origin {
                query: made.query.clone(),
                collection: made.collection.clone(),
                candidate: Some(made.id.clone()),
                ..Origin::default()
            };
            Some(SummaryJudged::of(origin, &made.text, insights))
        };
        let summaries: Vec<SummaryJudged> = summaries.into_iter().filter_map(summary).collect();
        let all: Vec<&SummaryJudged> = summaries.iter().collect();
        (!all.is_empty()).then(|| crate::score::scores(&all, crate::score::Average::Insight))
    }

    /// Everyone's judgments of these items, item by item, people first.
    fn judgments(&self, items: &[u32]) -> Vec<JudgmentDetail<'_>> {
        let mut judgments = Vec::new();
        for row in items {
            let Some(place) = at(&self.relations.items, *row) else { continue };
            let Some(table) = self.judged.get(place.protocol as usize) else { continue };
            let Some(item) = at(&table.items, place.index) else { continue };
            let mut of_item: Vec<JudgmentDetail<'_>> = (table.of_item(place.index).iter())
                .filter(|said| said.says_something(table))
                .filter_map(|said| {
                    let pair = self.candidate(place.candidate).zip(self.candidate(place.other));
                    let pair = pair.map(<[&Candidate; 2]>::from);
                    Some(JudgmentDetail {
                        protocol: &table.protocol,
                        item: item.id,
                        row: *row,
                        unit: self.unit(place.unit),
                        document: self.document(place.document),
                        bullet: Some(place.bullet).filter(|number| *number != NONE),
                        pair,
                        annotator: self.annotator(said)?,
                        answers: answers(table, said, pair),
                        uncounted: table.why_uncounted(said),
                        seconds: (said.active > 0).then(|| f64::from(said.active) / 1_000.0),
                        at: said.at(),
                        comment: table.comment(said),
                        flagged: said.flagged(),
                        skipped: said.skipped(),
                    })
                })
                .collect();
            of_item.sort_by_key(|judgment| judgment.annotator.kind == AnnotatorKind::Model);
            judgments.extend(of_item);
        }
        judgments
    }

    /// The documents that matter to a row: the one that is judged, those of the list that was given to the system, in its order,
    /// and the others by number.
    fn documents(&self, table: BrowseTable, row: u32, working: &[Working<'_>]) -> Vec<DocumentDetail<'_>> {
        let place = |entity| self.place(table, row, entity);
        let judged = place(Entity::Document);
        let unit = place(Entity::Unit);
        let collection = place(Entity::Collection);
        let gold = at(&self.relations.gold, unit).and_then(Option::as_ref);
        let list = self.candidate(place(Entity::Candidate)).and_then(|candidate| candidate.cites.as_ref());
        let given = || list.into_iter().flat_map(CitedList::numbers);
        let mut roles: BTreeMap<u32, DocumentRole> =
            given().map(|number| (number, DocumentRole::Given)).collect();
        roles.extend(gold.into_iter().flatten().map(|number| (*number, DocumentRole::Gold)));
        if gold.is_none() {
            let bullets = at(&self.relations.bullets, place(Entity::Candidate)).into_iter().flatten();
            roles.extend(
                bullets.flat_map(|bullet| &bullet.cited).map(|number| (*number, DocumentRole::Cited)),
            );
        }
        // A document that is right for one annotator's link is right; it is wrong only where all agree.
        for (numbers, role) in [
            (
                &(|work: &Working<'_>| work.wrong.clone()) as &dyn Fn(&Working<'_>) -> Vec<u32>,
                DocumentRole::Wrong,
            ),
            (&|work: &Working<'_>| work.missed.clone(), DocumentRole::Missed),
            (&|work: &Working<'_>| work.right.clone(), DocumentRole::Right),
        ] {
            let looked_at = working.iter().filter(|work| work.citation.is_ok());
            roles.extend(looked_at.flat_map(numbers).map(|number| (number, role)));
        }
        let numbered =
            |(number, role): (u32, DocumentRole)| (self.document_numbered(collection, number), role);
        let first = Some((judged, DocumentRole::Judged)).filter(|_| judged != NONE);
        let in_order = given().filter_map(|number| roles.remove_entry(&number)).collect::<Vec<_>>();
        let others = in_order.into_iter().chain(roles).map(numbered).filter(|(place, _)| *place != judged);
        let detail = |(place, role): (u32, DocumentRole)| {
            let (_, document) = at(&self.corpus.documents, place)?;
            Some(DocumentDetail { document, role, evidence: self.evidence(unit, document) })
        };
        first.into_iter().chain(others).filter_map(detail).collect()
    }

    /// The passages of a document that came with a unit.
    fn evidence(&self, unit: u32, document: &Document) -> Vec<Span> {
        let evidence = self.unit(unit).map_or(&[][..], |unit| unit.evidence.as_slice());
        let own = evidence.iter().filter(|evidence| evidence.document == document.id);
        own.filter_map(|evidence| locate_at(&document.text, &evidence.quote, evidence.start)).collect()
    }
}

/// The answers of a judgment as they are shown, in the order of the questions.
fn answers<'t>(
    table: &'t Material,
    row: &JudgmentRow,
    pair: Option<[&Candidate; 2]>,
) -> Vec<(&'t Question, String)> {
    let given = table.answers(row);
    // The side is told with the answer where no system can be named.
    let is_hidden = pair.is_some_and(|[one, other]| one.system() == other.system());
    let is_told =
        |one: &&Question| given.contains_key(&one.key) && !(is_hidden && one.kind == QuestionKind::Side);
    let asked = table.protocol.questions.iter().filter(is_told);
    let told = |question: &'t Question| {
        let is_of_pair = question.names_sides() || question.kind == QuestionKind::Side;
        let of_pair = pair.filter(|_| is_of_pair).and_then(|pair| of_pair(table, question, given, pair));
        (question, of_pair.unwrap_or_else(|| shown(question, table, row)))
    };
    asked.map(told).collect()
}

/// The name of a candidate of a pair: its system, or its place on the screen where the systems are hidden or the same.
fn of_pair(table: &Material, question: &Question, given: &Answers, pair: [&Candidate; 2]) -> Option<String> {
    let said = given.get(&question.key)?.as_text()?;
    let place = SIDES.iter().position(|side| *side == said)?;
    let systems = pair.map(Candidate::system);
    if systems[0] != systems[1] {
        return systems.into_iter().nth(place);
    }
    let was_first = table.protocol.was_turned(given)? == (place == 1);
    Some(format!("the one shown {}", if was_first { "first" } else { "second" }))
}

/// An answer as it is shown: by its label where it has one.
fn shown(question: &Question, table: &Material, row: &JudgmentRow) -> String {
    let words = table.answers(row).get(&question.key).map(answer_words).unwrap_or_default();
    words.iter().map(|word| question.label_of(word)).collect::<Vec<_>>().join(", ")
}
