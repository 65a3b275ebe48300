//! `haymark score`: what the judgments say about systems.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::annotate::unknown;
use super::args::{AverageName, Score};
use super::output::{print, terminal_width};
use super::score_tables::{keypoint_table, label_table, position_table, score_table};
use super::table::{Table, render};
use crate::error::{Error, Result};
use crate::protocol::{Answers, Protocol, builtin, builtins};
use crate::score::{
    Average, By, CoverageQuestions, ItemJudged, KeyPointJudged, Origin, Scoring, SummaryJudged, Verdict,
    label_tables, position_sensitivity, system_table, unfinished,
};
use crate::store::{ItemRow, StudyFile};
use crate::study::{
    AnnotatorId, AnnotatorKind, Candidate, CandidateId, Collection, ItemId, Query, QueryId, Unit, UnitId,
};

pub fn run(arguments: &Score) -> Result<()> {
    let study = StudyFile::open(&arguments.study)?;
    let by = arguments.by.iter().map(|name| name.parse()).collect::<Result<Vec<By>>>()?;
    let protocols: Vec<&Protocol> = match &arguments.protocol {
        Some(name) => vec![builtin(name).ok_or_else(|| unknown(name))?],
        None => builtins().iter().collect(),
    };
    let people = people(&study, &arguments.annotators)?;
    let corpus = Corpus::read(&study)?;
    let mut tables = Vec::new();
    for protocol in protocols {
        let judged = Judged::read(&study, protocol, &people)?;
        if !judged.answers.is_empty() {
            tables.extend(tables_of(protocol, &corpus, &judged, arguments, &by));
        }
    }
    if tables.is_empty() {
        let what = match &arguments.protocol {
            Some(name) => format!("nobody among these annotators judged anything under {name:?}"),
            None => "nobody among these annotators judged anything".to_owned(),
        };
        return Err(Error::new(what)
            .in_file(study.path())
            .advise("import or annotate first, or name others with --annotators"));
    }
    print(&render(&tables, arguments.format, terminal_width())?)
}

/// The chosen annotators, or all people.
fn people(study: &StudyFile, names: &[String]) -> Result<BTreeMap<AnnotatorId, String>> {
    let all = study.annotators()?;
    if let Some(name) = names.iter().find(|name| !all.iter().any(|(_, annotator)| annotator.id == **name)) {
        let known: Vec<&str> = all.iter().map(|(_, annotator)| annotator.id.as_str()).collect();
        return Err(Error::new(format!("there is no annotator {name:?}"))
            .in_file(study.path())
            .advise(format!("there are {}", known.join(", "))));
    }
    let is_chosen = |id: &String, kind: AnnotatorKind| {
        if names.is_empty() { kind == AnnotatorKind::Human } else { names.contains(id) }
    };
    Ok(all
        .into_iter()
        .filter(|(_, annotator)| is_chosen(&annotator.id, annotator.kind))
        .map(|(id, annotator)| (id, annotator.id))
        .collect())
}

/// The corpus without the documents' texts.
struct Corpus {
    collections: HashMap<String, Collection>,
    queries: HashMap<QueryId, Query>,
    units: Vec<(UnitId, Unit)>,
    candidates: HashMap<CandidateId, Candidate>,
    /// Numbers of documents by collection and key.
    numbers: HashMap<(String, String), u32>,
}

impl Corpus {
    fn read(study: &StudyFile) -> Result<Corpus> {
        let mut collection_keys = HashMap::new();
        let mut collections = HashMap::new();
        for (id, collection) in study.collections()? {
            collection_keys.insert(id, collection.id.clone());
            collections.insert(collection.id.clone(), collection);
        }
        let mut numbers = HashMap::new();
        for head in study.document_heads()? {
            if let Some(collection) = collection_keys.get(&head.collection) {
                numbers.insert((collection.clone(), head.key), head.number);
            }
        }
        Ok(Corpus {
            collections,
            queries: study.queries()?.into_iter().collect(),
            units: study.units()?,
            candidates: study.candidates()?.into_iter().collect(),
            numbers,
        })
    }

    fn origin(&self, query: QueryId, candidate: Option<CandidateId>, annotator: &str) -> Option<Origin> {
        let query = self.queries.get(&query)?;
        let collection = self.collections.get(&query.collection)?;
        let candidate = candidate.and_then(|id| self.candidates.get(&id));
        Some(Origin::of(collection, query, candidate, annotator))
    }

    /// Numbers of the documents that contain a unit, where they are known.
    fn gold(&self, unit: &Unit) -> Option<BTreeSet<u32>> {
        let number = |key: &String| self.numbers.get(&(unit.collection.clone(), key.clone())).copied();
        Some(unit.documents.as_ref()?.iter().filter_map(number).collect())
    }
}

/// The current answers under a protocol.
struct Judged<'a> {
    items: HashMap<ItemId, ItemRow>,
    /// By annotator and item.
    answers: BTreeMap<(AnnotatorId, ItemId), Answers>,
    people: &'a BTreeMap<AnnotatorId, String>,
}

impl Judged<'_> {
    fn read<'a>(
        study: &StudyFile,
        protocol: &Protocol,
        people: &'a BTreeMap<AnnotatorId, String>,
    ) -> Result<Judged<'a>> {
        let mut answers: BTreeMap<(AnnotatorId, ItemId), Answers> = BTreeMap::new();
        for question in &protocol.questions {
            let column = study.answers(&protocol.name, &question.key)?;
            for row in column.rows.iter().filter(|row| people.contains_key(&row.annotator)) {
                let answer = usize::try_from(row.answer).ok().and_then(|index| column.answers.get(index));
                if let Some(answer) = answer {
                    let given = answers.entry((row.annotator, row.item)).or_default();
                    given.insert(question.key.clone(), answer.clone());
                }
            }
        }
        let items = study.items(&protocol.name)?.into_iter().map(|item| (item.id, item)).collect();
        Ok(Judged { items, answers, people })
    }

    /// Every judged item with its annotator's name.
    fn each(&self) -> impl Iterator<Item = (&ItemRow, AnnotatorId, &str, &Answers)> {
        self.answers.iter().filter_map(|((annotator, item), answers)| {
            let name = self.people.get(annotator)?;
            Some((self.items.get(item)?, *annotator, name.as_str(), answers))
        })
    }
}

fn tables_of(
    protocol: &Protocol,
    corpus: &Corpus,
    judged: &Judged,
    arguments: &Score,
    by: &[By],
) -> Vec<Table> {
    match Scoring::of(protocol) {
        Scoring::Coverage(questions) => coverage_tables(&questions, corpus, judged, arguments, by),
        Scoring::KeyPoints => {
            let by = if by.is_empty() { &[By::Query][..] } else { by };
            let points: Vec<KeyPointJudged> = judged
                .each()
                .filter_map(|(item, _, name, answers)| {
                    let origin = corpus.origin(item.target.query, item.target.candidate, name)?;
                    Some(KeyPointJudged { origin, verdict: Verdict::read(answers) })
                })
                .collect();
            let rows = crate::score::keypoint_table(&points, by);
            let all = crate::score::keypoint_table(&points, &[]);
            vec![keypoint_table(&rows, all.first(), by)]
        }
        Scoring::Labels => label_tables_of(protocol, corpus, judged, by),
    }
}

fn label_tables_of(protocol: &Protocol, corpus: &Corpus, judged: &Judged, by: &[By]) -> Vec<Table> {
    let items: Vec<ItemJudged> = judged
        .each()
        .filter_map(|(item, _, name, answers)| {
            let origin = corpus.origin(item.target.query, item.target.candidate, name)?;
            Some(ItemJudged { origin, answers: answers.clone() })
        })
        .collect();
    let questions = protocol.questions.iter().filter(|question| !question.choices().is_empty());
    questions
        .zip(label_tables(protocol, &items, by))
        .map(|(question, rows)| label_table(question, &rows, by))
        .collect()
}

fn coverage_tables(
    questions: &CoverageQuestions,
    corpus: &Corpus,
    judged: &Judged,
    arguments: &Score,
    by: &[By],
) -> Vec<Table> {
    let summaries = summaries(questions, corpus, judged);
    let average = match arguments.average {
        AverageName::Pooled => Average::Insight,
        AverageName::Summary => Average::Summary,
    };
    let by = if by.is_empty() { &[By::Retriever, By::Summarizer][..] } else { by };
    let rows = system_table(&summaries, by, average);
    let all = system_table(&summaries, &[], average);
    let open = unfinished(&summaries);
    let mut tables = vec![score_table(&rows, all.first(), by, average, &open)];
    let positions = position_sensitivity(&summaries, average);
    if positions.iter().any(|row| row.sensitivity.is_ok()) {
        tables.push(position_table(&positions));
    }
    tables
}

/// Each annotator's judgment of each summary of which something is judged, with all units of its
/// query: those without an answer are open, not absent.
fn summaries(questions: &CoverageQuestions, corpus: &Corpus, judged: &Judged) -> Vec<SummaryJudged> {
    let mut by_summary: BTreeMap<(AnnotatorId, CandidateId), HashMap<UnitId, &Answers>> = BTreeMap::new();
    let mut queries = HashMap::new();
    for (item, annotator, _, answers) in judged.each() {
        if let (Some(candidate), Some(unit)) = (item.target.candidate, item.target.unit) {
            by_summary.entry((annotator, candidate)).or_default().insert(unit, answers);
            queries.insert(candidate, item.target.query);
        }
    }
    let mut units_of: HashMap<(&str, &str), Vec<&(UnitId, Unit)>> = HashMap::new();
    for entry in &corpus.units {
        units_of.entry((entry.1.collection.as_str(), entry.1.query.as_str())).or_default().push(entry);
    }
    let nothing = Answers::new();
    let read =
        |((annotator, candidate), answers): ((AnnotatorId, CandidateId), HashMap<UnitId, &Answers>)| {
            let text = corpus.candidates.get(&candidate)?;
            let name = judged.people.get(&annotator)?;
            let origin = corpus.origin(*queries.get(&candidate)?, Some(candidate), name)?;
            let units = units_of.get(&(text.collection.as_str(), text.query.as_str()))?;
            let insights = units.iter().map(|(id, unit)| {
                let answers = answers.get(id).copied().unwrap_or(&nothing);
                questions.read(answers, &unit.id, corpus.gold(unit))
            });
            Some(SummaryJudged::of(origin, &text.text, insights.collect()))
        };
    by_summary.into_iter().filter_map(read).collect()
}
