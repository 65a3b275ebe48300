//! Agreement on passages: how far two people mark the same characters and the same spans.

use std::collections::{BTreeMap, HashMap};

use super::{AgreementAsked, DECIMALS, PeopleCompared};
use crate::agreement::{Estimate, Intervals, MarkedSpan, Measure, NumberRange, SpanCounts};
use crate::error::Result;
use crate::journal::JudgmentRow;
use crate::protocol::{Protocol, Question, QuestionKind, Quote, SelectedIn};
use crate::report::{
    ClusterKey, ClusterKeys, Column, Judged, StudyFrame, Table, first_with_enough, kinds_for_agreement,
    protocols, within_these_queries,
};
use crate::score::{ClusterKind, Uncertainty};
use crate::store::{ItemRow, StudyFile};
use crate::study::{AnnotatorId, CandidateId, DocumentId};

/// A table for each question whose passages two people marked on the same items.
pub fn passage_tables(study: &StudyFile, asked: &AgreementAsked) -> Result<Vec<Table>> {
    let selects = |question: &&Question| {
        asked.question.as_ref().is_none_or(|key| question.key == *key) && has_passages(question)
    };
    let protocols = protocols::named_or_all(study, asked.part.protocol.as_deref())?;
    let mut protocols = protocols
        .into_iter()
        .filter(|protocol| protocol.questions.iter().any(|one| selects(&one)))
        .peekable();
    if protocols.peek().is_none() {
        return Ok(Vec::new());
    }
    let people = PeopleCompared::choose(study, asked)?;
    let frame = StudyFrame::of(study, asked.part.frame());
    let part = frame.items()?;
    let mut tables = Vec::new();
    let mut texts: Option<MarkedTexts> = None;
    for protocol in protocols {
        let judged = Judged::read(&frame, &protocol, &people.names, people.gold.as_ref(), &part)?;
        for question in protocol.questions.iter().filter(selects) {
            let by_item = answers(&judged, question);
            if by_item.values().all(|given| given.len() < 2) {
                continue;
            }
            let texts = match &texts {
                Some(texts) => texts,
                None => texts.insert(MarkedTexts::read(study)?),
            };
            let (protocol, judged, people) = (&protocol, &judged, &people);
            let compared = PassagesCompared { study, protocol, question, judged, people, texts };
            tables.extend(compared.table(&by_item, asked.part.uncertainty)?);
        }
    }
    Ok(tables)
}

/// Whether passages are selected for the question.
pub(super) fn has_passages(question: &Question) -> bool {
    matches!(question.kind, QuestionKind::Passages { .. } | QuestionKind::Points { with_passages: true, .. })
}

/// Passages in characters of their text, each with its tag.
type MarkedTags<'q> = Vec<(MarkedSpan, Option<&'q str>)>;

/// The passages that each annotator marked, by the place of the item.
type MarkedItems<'j> = BTreeMap<u32, Vec<(AnnotatorId, Vec<&'j Quote>)>>;

fn answers<'j>(judged: &'j Judged<'_>, question: &Question) -> MarkedItems<'j> {
    let mut by_item: MarkedItems<'j> = BTreeMap::new();
    let mut take = |row: &JudgmentRow| {
        let given = judged.material.answers(row);
        if let Some(answer) = given.get(&question.key).filter(|_| question.is_asked(given)) {
            by_item.entry(row.item).or_default().push((row.annotator(), answer.passages()));
        }
    };
    judged.rows().for_each(&mut take);
    by_item
}

/// The texts in which passages are marked.
struct MarkedTexts {
    /// Texts of documents by collection and key.
    documents: HashMap<(String, String), String>,
    keys: HashMap<DocumentId, (String, String)>,
    candidates: HashMap<CandidateId, (String, String)>,
    collections: HashMap<crate::study::QueryId, String>,
}

impl MarkedTexts {
    fn read(study: &StudyFile) -> Result<MarkedTexts> {
        let (mut documents, mut keys) = (HashMap::new(), HashMap::new());
        study.for_each_document(|id, document| {
            keys.insert(id, (document.collection.clone(), document.id.clone()));
            documents.insert((document.collection, document.id), document.text);
            Ok(())
        })?;
        let candidates = study.candidates()?.into_iter();
        let queries = study.queries()?.into_iter();
        Ok(MarkedTexts {
            documents,
            keys,
            candidates: candidates
                .map(|(id, candidate)| (id, (candidate.collection, candidate.text)))
                .collect(),
            collections: queries.map(|(id, query)| (id, query.collection)).collect(),
        })
    }
}

/// The passages of one question, to be compared.
struct PassagesCompared<'a> {
    study: &'a StudyFile,
    protocol: &'a Protocol,
    question: &'a Question,
    judged: &'a Judged<'a>,
    people: &'a PeopleCompared,
    texts: &'a MarkedTexts,
}

/// Two people's passages with one tag, or with any.
struct PassageRow {
    a: String,
    b: String,
    tag: String,
    /// The counts of each cluster; `all` is their sum.
    parts: Vec<SpanCounts>,
    all: SpanCounts,
    intervals: Intervals,
}

impl PassageRow {
    fn estimate(&self, value: fn(&SpanCounts) -> Measure, range: NumberRange) -> Estimate {
        self.intervals.over(&self.parts, range, value)
    }
}

impl PassagesCompared<'_> {
    /// The texts of an item in which two people could mark, each with its length and the passages of both.
    fn marked<'q>(&self, item: &ItemRow, two: [&[&'q Quote]; 2]) -> Vec<(u64, [MarkedTags<'q>; 2])> {
        let collection = self.texts.collections.get(&item.target.query).cloned().unwrap_or_default();
        let sources: Vec<(String, &str)> = match self.question.selected_in() {
            SelectedIn::Candidate => {
                let text = item.target.candidate.and_then(|id| self.texts.candidates.get(&id));
                text.map(|(_, text)| (String::new(), text.as_str())).into_iter().collect()
            }
            SelectedIn::Documents => {
                let own =
                    item.target.document.and_then(|id| self.texts.keys.get(&id)).map(|(_, key)| key.clone());
                let named = two.iter().flat_map(|quotes| quotes.iter().map(|quote| quote.document.clone()));
                let mut keys: Vec<String> = own.into_iter().chain(named).collect();
                keys.sort_unstable();
                keys.dedup();
                let text = |key: String| {
                    let text = self.texts.documents.get(&(collection.clone(), key.clone()))?;
                    Some((key, text.as_str()))
                };
                keys.into_iter().filter_map(text).collect()
            }
        };
        let in_text = |(key, text): (String, &str)| {
            let of = |quotes: &[&'q Quote]| -> Vec<(MarkedSpan, Option<&'q str>)> {
                let here = quotes.iter().filter(|quote| quote.document == key);
                here.filter_map(|quote| Some((characters(text, quote)?, quote.tag.as_deref()))).collect()
            };
            (text.chars().count() as u64, two.map(of))
        };
        sources.into_iter().map(in_text).collect()
    }

    fn table(&self, by_item: &MarkedItems<'_>, how: Uncertainty) -> Result<Option<Table>> {
        let mut tags: Vec<Option<&str>> = vec![None];
        tags.extend(self.question.marks()[0].iter().map(|tag| Some(tag.value.as_str())));
        let made = |kind: &ClusterKind| {
            let keys = ClusterKeys::read(self.study, *kind)?;
            Ok((self.rows(by_item, &tags, &keys, how.intervals), *kind))
        };
        let most = |(rows, _): &(Vec<PassageRow>, ClusterKind)| {
            rows.iter().map(|row| row.parts.len() as u64).max().unwrap_or(0)
        };
        let found = first_with_enough(&kinds_for_agreement(self.protocol, how.cluster), most, made)?;
        let Some(((rows, kind), within)) = found.filter(|((rows, _), _)| !rows.is_empty()) else {
            return Ok(None);
        };
        let number = |heading: &'static str, key: &'static str, value: fn(&SpanCounts) -> Measure, range| {
            Column::new(key, heading, move |row: &PassageRow| row.estimate(value, range)).decimals(DECIMALS)
        };
        let part = |heading: &'static str, key: &'static str, value: fn(&SpanCounts) -> Measure| {
            Column::new(key, heading, move |row: &PassageRow| value(&row.all)).decimals(DECIMALS).detail()
        };
        let share = NumberRange::SHARE;
        let columns = [
            Column::new("a", "a", |row: &PassageRow| row.a.clone()),
            Column::new("b", "b", |row: &PassageRow| row.b.clone()),
            Column::new("tag", "tag", |row: &PassageRow| row.tag.clone()).shown_if(tags.len() > 1),
            Column::new("texts", "texts", |row: &PassageRow| row.all.texts.iter().sum::<u64>()),
            Column::new("texts_unmarked", "unmarked", |row: &PassageRow| row.all.texts[1]),
            Column::new("spans_a", "spans of a", |row: &PassageRow| row.all.spans[0]).detail(),
            Column::new("spans_b", "spans of b", |row: &PassageRow| row.all.spans[1]).detail(),
            number("F1", "f1", |all| all.characters().f1, share),
            part("P", "precision", |all| all.characters().precision),
            part("R", "recall", |all| all.characters().recall),
            part("F1 a text", "mean_text_f1", |all| all.mean_text_f1()),
            number("exact F1", "exact_f1", |all| all.exact().f1, share),
            part("exact P", "exact_precision", |all| all.exact().precision),
            part("exact R", "exact_recall", |all| all.exact().recall),
            number("overlap F1", "overlap_f1", |all| all.overlapping().f1, share),
            part("overlap P", "overlap_precision", |all| all.overlapping().precision),
            part("overlap R", "overlap_recall", |all| all.overlapping().recall),
            number("kappa", "kappa", SpanCounts::kappa, NumberRange::Correlation),
        ];
        let mut table =
            Table::of(format!("{} · {}: passages", self.protocol.name, self.question.key), columns, &rows)
                .keyed("passages")
                .fact("protocol", self.protocol.name.as_str())
                .fact("question", self.question.key.as_str());
        table.notes.push(
            "F1 and kappa by characters over all texts; exact: spans that begin and end alike; overlap: spans that share a character. \
             a is the reference of P and R."
                .to_owned(),
        );
        let note = Uncertainty { cluster: Some(kind), ..how }.note_on_people(kind);
        Table::note_intervals(std::slice::from_mut(&mut table), note);
        table.notes.extend(within.map(|number| format!("Agreement {}.", within_these_queries(number, kind))));
        Ok(Some(table))
    }

    fn rows(
        &self,
        by_item: &MarkedItems<'_>,
        tags: &[Option<&str>],
        keys: &ClusterKeys,
        intervals: Intervals,
    ) -> Vec<PassageRow> {
        // The counts of two people in a cluster, for each tag.
        let mut found: BTreeMap<(usize, usize), BTreeMap<ClusterKey<'_>, Vec<SpanCounts>>> = BTreeMap::new();
        let place = |annotator: AnnotatorId| self.people.order.iter().position(|other| *other == annotator);
        for (item, given) in by_item {
            let Some(row) = self.judged.material.items.get(*item as usize) else { continue };
            let mut given: Vec<(usize, &[&Quote])> = given
                .iter()
                .filter_map(|(annotator, quotes)| Some((place(*annotator)?, quotes.as_slice())))
                .collect();
            given.sort_by_key(|(place, _)| *place);
            for (at, (a, first)) in given.iter().enumerate() {
                for (b, second) in given.iter().skip(at + 1) {
                    let of_cluster = found
                        .entry((*a, *b))
                        .or_default()
                        .entry(keys.of(row))
                        .or_insert_with(|| vec![SpanCounts::default(); tags.len()]);
                    for (length, [first, second]) in self.marked(row, [first, second]) {
                        for (counts, tag) in of_cluster.iter_mut().zip(tags) {
                            let of = |marked: &[(MarkedSpan, Option<&str>)]| -> Vec<MarkedSpan> {
                                marked
                                    .iter()
                                    .filter(|(_, own)| tag.is_none() || own == tag)
                                    .map(|(span, _)| *span)
                                    .collect()
                            };
                            *counts += SpanCounts::of(length, &of(&first), &of(&second));
                        }
                    }
                }
            }
        }
        let name = |place: usize| {
            let name = self.people.order.get(place).and_then(|id| self.people.names.get(id));
            name.cloned().unwrap_or_default()
        };
        let mut rows = Vec::new();
        for ((a, b), clusters) in found {
            for (at, tag) in tags.iter().enumerate() {
                let parts: Vec<SpanCounts> =
                    clusters.values().filter_map(|counts| counts.get(at)).copied().collect();
                let mut all = SpanCounts::default();
                parts.iter().for_each(|part| all += *part);
                rows.push(PassageRow {
                    a: name(a),
                    b: name(b),
                    tag: tag.unwrap_or("any").to_owned(),
                    parts,
                    all,
                    intervals,
                });
            }
        }
        rows
    }
}

/// The place of a passage in characters of its text; `None` where the text does not contain it.
fn characters(text: &str, quote: &Quote) -> Option<MarkedSpan> {
    let span = quote.find(text)?;
    let start = text.get(..span.start())?.chars().count() as u64;
    Some((start, start + span.slice(text).chars().count() as u64))
}
