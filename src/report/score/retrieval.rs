//! Retrievers: measures of their rankings, and the best scores that summaries of their lists could reach.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexSet;

use super::ScoresAsked;
use crate::error::{Error, Result};
use crate::number::short;
use crate::protocol::{Answer, Protocol, TargetPart};
use crate::report::{Column, CorpusIndex, Table, choose, counted, protocols};
use crate::score::{
    ClusterKind, Measure, RankedScores, Score, Tally, Undefined, citation_ceiling, score_range,
};
use crate::store::StudyFile;
use crate::study::AnnotatorKind;

/// The keys of a collection and of one of its queries.
type QueryKey = (String, String);

/// Grades of documents by their keys, for each query.
type Grades = BTreeMap<QueryKey, BTreeMap<String, f64>>;
type Golds = BTreeMap<QueryKey, Vec<BTreeSet<String>>>;

/// The scores of a retriever over its queries.
struct RetrieverRow {
    retriever: String,
    queries: usize,
    /// Reciprocal rank and average precision; precision, recall and nDCG by depth; then both ceilings.
    scores: Vec<Score>,
}

/// The grade from which on a document is relevant.
const RELEVANT: f64 = 1.0;

/// A table with a row for each retriever with lists in the study. Relevance comes from people's judgments under a protocol about
/// documents with graded choices, else from the gold map.
pub fn retrieval(study: &StudyFile, asked: &ScoresAsked, depths: &[usize]) -> Result<Vec<Table>> {
    // The choice refuses unknown annotators.
    choose(study, &asked.part.annotators)?;
    let lists = study.rankings()?;
    if lists.is_empty() {
        return Err(Error::new("no list of a retriever is in the study").in_file(study.path()).advise(
            "import what each retriever found, such as a TREC run; `haymark help formats` has the records",
        ));
    }
    let corpus = CorpusIndex::read(study)?;
    let golds = golds(&corpus);
    let (grades, source) = match grades(study, asked, &corpus)? {
        Some(judged) => judged,
        None => (of_map(&golds), "the gold map: a document is relevant that contains a unit".to_owned()),
    };
    if grades.is_empty() {
        return Err(Error::new("nothing says which documents are relevant").in_file(study.path()).advise(
            "judge them under the protocol retrieval, import qrels, or import units with their documents",
        ));
    }
    let keys: Vec<QueryKey> =
        lists.iter().map(|list| (list.collection.clone(), list.query.clone())).collect();
    let queries: IndexSet<&QueryKey> = keys.iter().collect();
    let no_ceiling =
        if golds.is_empty() { Undefined::NoGoldDocuments } else { Undefined::NoRelevantDocuments };
    let mut rows: BTreeMap<&str, RetrieverRow> = BTreeMap::new();
    let nothing = BTreeMap::new();
    for (list, key) in lists.iter().zip(&keys) {
        let row = rows.entry(&list.retriever).or_insert_with(|| RetrieverRow {
            retriever: list.retriever.clone(),
            queries: 0,
            scores: (0..2 + 3 * depths.len())
                .map(|_| Score::new(Undefined::NoRelevantDocuments))
                .chain([Score::new(no_ceiling), Score::new(no_ceiling)])
                .collect(),
        });
        let documents: Vec<String> = list.documents.iter().map(|place| place.document.clone()).collect();
        let found = RankedScores::of(&documents, grades.get(key).unwrap_or(&nothing), depths, RELEVANT);
        let of_depths = found.at.iter().flat_map(|at| [Ok(at.precision), at.recall, at.ndcg]);
        let own = [found.reciprocal_rank, found.average_precision].into_iter().chain(of_depths);
        let cluster = short(queries.get_index_of(key).unwrap_or_default());
        row.queries += 1;
        for (score, value) in row.scores.iter_mut().zip(own) {
            add(score, cluster, value);
        }
        let given: BTreeSet<String> = documents.into_iter().collect();
        let ceilings = row.scores.iter_mut().skip(2 + 3 * depths.len()).collect::<Vec<_>>();
        let [reached, joint]: [&mut Score; 2] = match ceilings.try_into() {
            Ok(two) => two,
            Err(_) => continue, // both ceilings stand at the end
        };
        for gold in golds.get(key).into_iter().flatten() {
            let ceiling = citation_ceiling(&given, gold);
            add(reached, cluster, ceiling.map(|ceiling| if ceiling > 0.0 { 1.0 } else { 0.0 }));
            add(joint, cluster, ceiling);
        }
    }
    let how = asked.part.uncertainty;
    let mut columns = vec![
        Column::new("retriever", "retriever", |row: &RetrieverRow| row.retriever.clone()),
        Column::new("queries", "queries", |row: &RetrieverRow| row.queries),
    ];
    let mut names = vec![("mrr".to_owned(), "MRR".to_owned()), ("map".to_owned(), "MAP".to_owned())];
    for depth in depths {
        let at = |name: &str, heading: &str| (format!("{name}_{depth}"), format!("{heading}@{depth}"));
        names.extend([at("p", "P"), at("r", "R"), at("ndcg", "nDCG")]);
    }
    names.extend([
        ("coverage_ceiling".to_owned(), "most coverage".to_owned()),
        ("joint_ceiling".to_owned(), "most joint".to_owned()),
    ]);
    let has_gold = !golds.is_empty();
    let ceilings = 2 + 3 * depths.len();
    columns.extend(names.into_iter().enumerate().map(|(place, (name, heading))| {
        let score = move |row: &RetrieverRow| row.scores.get(place).map(|score| how.percent(score));
        Column::new(name, heading, score).score().shown_if(place < ceilings || has_gold)
    }));
    let table = Table::of("Retrievers", columns, rows.values())
        .keyed("retrieval")
        .note(format!(
            "Relevant by {source}. Means over the queries that have a relevant document; P is over all."
        ))
        .noted(has_gold.then_some(
            "most coverage, most joint: what perfect writing could reach on the list, the share of the units \
             that it contains and their best citation F1.",
        ));
    let mut tables = vec![table];
    Table::note_intervals(&mut tables, how.note(ClusterKind::Query));
    Ok(tables)
}

fn add(score: &mut Score, cluster: u32, value: Measure) {
    score.add(cluster, Tally::one(value.map(|value| 100.0 * value).ok()));
}

/// The mean of people's grades for each document, and a phrase for their source; `None` without such grades.
fn grades(study: &StudyFile, asked: &ScoresAsked, corpus: &CorpusIndex) -> Result<Option<(Grades, String)>> {
    let is_about_documents = |protocol: &&Protocol| {
        let targets = |part| protocol.targets(part);
        targets(TargetPart::Document)
            && ![TargetPart::Unit, TargetPart::Candidate, TargetPart::Bullet].into_iter().any(targets)
            && protocol.main_question().is_some_and(|question| score_range(question).is_some())
    };
    let people: BTreeSet<_> = study
        .annotators_by_key()?
        .into_iter()
        .filter(|(_, who)| match asked.part.annotators.as_slice() {
            [] => who.kind == AnnotatorKind::Human,
            named => named.contains(&who.id),
        })
        .map(|(id, _)| id)
        .collect();
    for protocol in
        protocols::named_or_all(study, asked.part.protocol.as_deref())?.iter().filter(is_about_documents)
    {
        let Some(question) = protocol.main_question() else { continue };
        let material = study.material_by_key(protocol, counted(protocol, asked.part.all_versions))?;
        if material.rows().is_empty() {
            continue;
        }
        let mut said: BTreeMap<(QueryKey, String), (f64, f64)> = BTreeMap::new();
        for row in material.rows().iter().filter(|row| row.counts() && people.contains(&row.annotator())) {
            let keys = material.items.get(row.item as usize).and_then(|item| corpus.keys(&item.target));
            let label = material.answers(row).get(&question.key).and_then(Answer::as_text);
            let grade = question.choices().iter().find(|choice| Some(choice.value.as_str()) == label);
            if let (Some(keys), Some(grade)) = (keys, grade.and_then(|choice| choice.score))
                && let Some(document) = keys.document
            {
                let sum = said.entry(((keys.collection, keys.query), document)).or_default();
                *sum = (sum.0 + grade, sum.1 + 1.0);
            }
        }
        let mut grades = Grades::new();
        for ((query, document), (sum, count)) in said {
            grades.entry(query).or_default().insert(document, sum / count);
        }
        if !grades.is_empty() {
            return Ok(Some((grades, format!("what people judged under {:?}", protocol.name))));
        }
    }
    Ok(None)
}

/// The gold documents of each unit, where known. Units that were taken from a response are left out.
fn golds(corpus: &CorpusIndex) -> Golds {
    let mut golds = Golds::new();
    for (_, unit) in corpus.records.units.iter().filter(|(_, unit)| unit.candidate.is_none()) {
        if let Some(documents) = unit.documents.as_ref().filter(|documents| !documents.is_empty()) {
            let query = (unit.collection.clone(), unit.query.clone());
            golds.entry(query).or_default().push(documents.iter().cloned().collect());
        }
    }
    golds
}

fn of_map(golds: &Golds) -> Grades {
    let graded =
        |units: &Vec<BTreeSet<String>>| units.iter().flatten().map(|key| (key.clone(), RELEVANT)).collect();
    golds.iter().map(|(query, units)| (query.clone(), graded(units))).collect()
}
