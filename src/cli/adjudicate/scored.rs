//! The parts of the scores so far, from which the screen shows what a decision moves.

use std::collections::{BTreeMap, HashMap};

use super::versions;
use crate::app::screens::adjudicate::{Labelled, MovableScores};
use crate::error::Result;
use crate::protocol::{Answers, Protocol};
use crate::report::{CorpusIndex, GoldBy};
use crate::score::{AskedInsight, CoverageQuestions, InsightJudged, SummaryJudged};
use crate::store::{ItemRow, StudyFile};
use crate::study::{CandidateId, ItemId};

/// The items of a protocol with the gold of those that have some.
pub fn scored(study: &StudyFile, protocol: &Protocol, by: &GoldBy) -> Result<MovableScores> {
    let gold: HashMap<ItemId, Answers> = by
        .read(study, protocol, versions(protocol))?
        .into_iter()
        .filter_map(|item| Some((item.item, item.answers?)))
        .collect();
    let items = study.items(&protocol.name)?;
    let corpus = CorpusIndex::read(study)?;
    Ok(match CoverageQuestions::of(protocol) {
        Some(questions) => coverage(&corpus, &items, &gold, &questions),
        _ if protocol.main_question().is_some() => {
            MovableScores::Labels(items.iter().filter_map(|item| labelled(&corpus, item, &gold)).collect())
        }
        _ => MovableScores::Nothing,
    })
}

fn coverage(
    corpus: &CorpusIndex,
    items: &[ItemRow],
    gold: &HashMap<ItemId, Answers>,
    questions: &CoverageQuestions<'_>,
) -> MovableScores {
    let none = Answers::new();
    let mut by_candidate: BTreeMap<CandidateId, Vec<(&ItemRow, InsightJudged)>> = BTreeMap::new();
    for item in items {
        let (Some(candidate), Some(id)) = (item.target.candidate, item.target.unit) else { continue };
        let Some(unit) = corpus.unit(id) else { continue };
        let answers = gold.get(&item.id).unwrap_or(&none);
        let insight = AskedInsight { unit: unit.id.clone(), gold: corpus.gold(id) };
        let insight = InsightJudged { insight, said: questions.read(answers) };
        by_candidate.entry(candidate).or_default().push((item, insight));
    }
    let mut summaries = Vec::new();
    let mut places = BTreeMap::new();
    for (id, insights) in by_candidate {
        let first = insights.first().map(|(item, _)| &item.target);
        let origin = first.and_then(|target| corpus.origin_alone(target));
        let (Some(origin), Some(candidate)) = (origin, corpus.candidate(id)) else { continue };
        let number = summaries.len();
        places.extend(insights.iter().enumerate().map(|(place, (item, _))| (item.id, (number, place))));
        let insights = insights.into_iter().map(|(_, insight)| insight).collect();
        summaries.push(SummaryJudged::of(origin, &candidate.text, insights));
    }
    MovableScores::Coverage { summaries, places }
}

fn labelled(corpus: &CorpusIndex, item: &ItemRow, gold: &HashMap<ItemId, Answers>) -> Option<Labelled> {
    let origin = corpus.origin_alone(&item.target)?;
    let part = match origin.candidate {
        Some(candidate) => (format!("{} {}", origin.collection, origin.query), candidate),
        None => (origin.collection, origin.query),
    };
    Some(Labelled {
        item: item.id,
        part,
        system: origin.system.map(|system| system.name()).unwrap_or_default(),
        answers: gold.get(&item.id).cloned().unwrap_or_default(),
    })
}
