//! `haymark score`: what the judgments say about systems.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::annotators::choose;
use super::args::{AverageName, Score};
use super::output::{print, say_what_csv_cannot, terminal_width};
use super::protocols::{self, counted, version_note};
use super::score_tables::{
    keypoint_table, label_table, position_table, recall_score_table, score_table, usefulness_table,
};
use super::table::{Table, render};
use crate::error::{Error, Result};
use crate::protocol::{Answers, Part, Protocol};
use crate::score::{
    Average, By, CoverageQuestions, ItemJudged, KeyPointJudged, Origin, ResponseJudged, Scoring,
    SummaryJudged, Verdict, failure_values, groups, is_about_usefulness, label_tables, position_sensitivity,
    recall_table, system_table, unfinished, useful,
};
use crate::store::{ItemRow, StudyFile, Versions};
use crate::study::{AnnotatorId, Candidate, CandidateId, Collection, ItemId, Query, QueryId, Unit, UnitId};

pub fn run(arguments: &Score) -> Result<()> {
    let study = StudyFile::open(&arguments.study)?;
    let by = arguments.by.iter().map(|name| name.parse()).collect::<Result<Vec<By>>>()?;
    let protocols = protocols::named_or_all(&study, arguments.protocol.as_deref())?;
    let people: BTreeMap<AnnotatorId, String> =
        choose(&study, &arguments.annotators)?.annotators.into_iter().collect();
    let corpus = Corpus::read(&study)?;
    let mut tables = Vec::new();
    let mut left_out = Vec::new();
    for protocol in &protocols {
        let judged = Judged::read(&study, protocol, &people, counted(protocol, arguments.all_versions))?;
        let is_chosen = |annotator| people.contains_key(&annotator);
        let note = version_note(&study, protocol, arguments.all_versions, is_chosen)?;
        if judged.answers.is_empty() {
            left_out.extend(note);
            continue;
        }
        let mut of_protocol = tables_of(protocol, &corpus, &judged, arguments, &by);
        if let Some(first) = of_protocol.first_mut() {
            first.notes.extend(note);
        }
        tables.extend(of_protocol);
    }
    if tables.is_empty() && !left_out.is_empty() {
        return Err(Error::new(left_out.join(" ")).in_file(study.path()));
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
    say_what_csv_cannot(&tables, arguments.format);
    print(&render(&tables, arguments.format, terminal_width())?)
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
        versions: Versions,
    ) -> Result<Judged<'a>> {
        let unfinished = study.unfinished(&protocol.name)?;
        let mut answers: BTreeMap<(AnnotatorId, ItemId), Answers> = BTreeMap::new();
        for question in &protocol.questions {
            let column = study.answers(&protocol.name, &question.key, versions)?;
            for row in column.rows.iter().filter(|row| {
                people.contains_key(&row.annotator) && !unfinished.contains(&(row.annotator, row.item))
            }) {
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
        Scoring::Coverage(questions) => coverage_tables(protocol, &questions, corpus, judged, arguments, by),
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
        Scoring::Recall => {
            let by = if by.is_empty() { &[By::System][..] } else { by };
            let responses: Vec<ResponseJudged> = candidates(protocol, corpus, judged)
                .into_iter()
                .map(|candidate| ResponseJudged {
                    origin: candidate.origin,
                    points: candidate.units.into_iter().map(|(_, answers)| answers.clone()).collect(),
                })
                .collect();
            let failures = failure_values(protocol);
            let rows = recall_table(&responses, by, &failures);
            let all = recall_table(&responses, &[], &failures);
            vec![recall_score_table(&rows, all.first(), by)]
        }
        Scoring::Labels => label_tables_of(protocol, corpus, judged, by),
    }
}

fn label_tables_of(protocol: &Protocol, corpus: &Corpus, judged: &Judged, by: &[By]) -> Vec<Table> {
    let is_about_candidates = protocol.targets(Part::Candidate) || protocol.targets(Part::Bullet);
    let by = if by.is_empty() && is_about_candidates { &[By::System][..] } else { by };
    let items: Vec<ItemJudged> = judged
        .each()
        .filter_map(|(item, _, name, answers)| {
            let origin = corpus.origin(item.target.query, item.target.candidate, name)?;
            Some(ItemJudged { origin, answers: answers.clone() })
        })
        .collect();
    let questions = protocol.questions.iter().filter(|question| !question.choices().is_empty());
    let labels = questions.zip(label_tables(protocol, &items, by));
    let mut tables: Vec<Table> = labels.map(|(question, rows)| label_table(question, &rows, by)).collect();
    if is_about_usefulness(protocol) {
        let rows = groups(&items, |item| &item.origin, by);
        let rows: Vec<_> = rows.into_iter().map(|(group, items)| (group, useful(items))).collect();
        tables.push(usefulness_table(&rows, by));
    }
    tables
}

fn coverage_tables(
    protocol: &Protocol,
    questions: &CoverageQuestions,
    corpus: &Corpus,
    judged: &Judged,
    arguments: &Score,
    by: &[By],
) -> Vec<Table> {
    let read = |candidate: CandidateJudged| {
        let insight =
            |(unit, answers): &(&Unit, &Answers)| questions.read(answers, &unit.id, corpus.gold(unit));
        SummaryJudged::of(candidate.origin, candidate.text, candidate.units.iter().map(insight).collect())
    };
    let summaries: Vec<SummaryJudged> = candidates(protocol, corpus, judged).into_iter().map(read).collect();
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

/// One annotator's judgment of one candidate: all units of its query that the protocol takes, with
/// the answers to each. Those without an answer are open, not absent.
struct CandidateJudged<'a> {
    origin: Origin,
    text: &'a str,
    units: Vec<(&'a Unit, &'a Answers)>,
}

/// Every candidate of which someone judged something.
fn candidates<'a>(protocol: &Protocol, corpus: &'a Corpus, judged: &'a Judged) -> Vec<CandidateJudged<'a>> {
    static NOTHING: Answers = Answers::new();
    let mut by_candidate: BTreeMap<(AnnotatorId, CandidateId), HashMap<UnitId, &Answers>> = BTreeMap::new();
    let mut queries = HashMap::new();
    for (item, annotator, _, answers) in judged.each() {
        if let (Some(candidate), Some(unit)) = (item.target.candidate, item.target.unit) {
            by_candidate.entry((annotator, candidate)).or_default().insert(unit, answers);
            queries.insert(candidate, item.target.query);
        }
    }
    let mut units_of: HashMap<(&str, &str), Vec<&(UnitId, Unit)>> = HashMap::new();
    for entry in corpus.units.iter().filter(|(_, unit)| protocol.takes_unit(&unit.kind)) {
        units_of.entry((entry.1.collection.as_str(), entry.1.query.as_str())).or_default().push(entry);
    }
    let read = |((annotator, id), answers): ((AnnotatorId, CandidateId), HashMap<UnitId, &'a Answers>)| {
        let candidate = corpus.candidates.get(&id)?;
        let name = judged.people.get(&annotator)?;
        let units = units_of.get(&(candidate.collection.as_str(), candidate.query.as_str()))?;
        let units = units.iter().map(|(id, unit)| (unit, answers.get(id).copied().unwrap_or(&NOTHING)));
        Some(CandidateJudged {
            origin: corpus.origin(*queries.get(&id)?, Some(id), name)?,
            text: &candidate.text,
            units: units.collect(),
        })
    };
    by_candidate.into_iter().filter_map(read).collect()
}
