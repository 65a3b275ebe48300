//! Judges against people on one question.

use std::collections::BTreeSet;

use super::JudgesAndCosts;
use super::answered::{AnsweredChoices, ItemClusters};
use super::compared::{AnnotatorPair, Beside, Compared, Statistics};
use super::tables;
use crate::agreement::Undefined;
use crate::error::Result;
use crate::protocol::{Protocol, Question};
use crate::report::{ClusterKeys, Judged, Table, first_with_enough};
use crate::score::{ClusterKind, JudgeBias, Measure};
use crate::study::{AnnotatorId, AnnotatorKind, CandidateId};

/// The comparisons on one question.
pub(super) struct JudgesFound {
    pub(super) statistics: Statistics,
    /// The kind of cluster of biases.
    pub(super) cluster: ClusterKind,
    pub(super) people: Compared,
    /// The cost of one person judging the people's items once, the number of timed items, and that of all items.
    pub(super) people_cost: (Measure, usize, usize),
    pub(super) judges: Vec<JudgeAgainstPeople>,
    /// The judges that answered the same items several times, each against itself.
    pub(super) with_themselves: Vec<Compared>,
    /// The people, then every judge, on the items that all judges and a person judged; empty with a single judge.
    pub(super) on_common: Vec<Compared>,
    pub(super) beside: Vec<Beside>,
    pub(super) margin: Option<f64>,
}

/// A judge against the people with whom it shares items.
pub(super) struct JudgeAgainstPeople {
    pub(super) compared: Compared,
    pub(super) cost: Measure,
    pub(super) bias: Option<JudgeBias>,
}

/// The tables of one question; `None` where no judge can be compared.
pub(super) fn tables_of(
    scene: &JudgesAndCosts,
    (protocol, question): (&Protocol, &Question),
    judged: &Judged,
    keys: &[ClusterKeys],
) -> Result<Option<Vec<Table>>> {
    let Some(statistics) = Statistics::of(question)? else { return Ok(None) };
    // Reading the answers of thousands of people is expensive, and useless without a judge.
    if scene.of_kind(AnnotatorKind::Model).next().is_none() {
        return Ok(None);
    }
    let answered = AnsweredChoices::read(protocol, question, judged, (keys, &scene.frame.corpus()?.records));
    let of_kind = |kind| scene.of_kind(kind).filter(|(id, _)| answered.by(*id));
    let people: Vec<AnnotatorId> = of_kind(AnnotatorKind::Human).map(|(id, _)| id).collect();
    let judges: Vec<(AnnotatorId, &str)> = of_kind(AnnotatorKind::Model)
        .filter(|(judge, _)| scene.again_of(*judge).is_none())
        .filter(|(judge, _)| people.iter().any(|person| answered.both(*person, *judge).next().is_some()))
        .collect();
    if people.is_empty() || judges.is_empty() {
        return Ok(None);
    }
    let on = OnQuestion {
        scene,
        question,
        statistics,
        among: pairs_of(&people),
        of_people: answered.counts(&people),
        people,
        answered,
    };
    let (seconds, timed, items) = on.answered.one_pass(&on.people);
    let rate = scene.asked.hourly_rate.ok_or(Undefined::NoCost);
    let found = JudgesFound {
        cluster: keys.first().map_or(ClusterKind::Query, ClusterKeys::kind),
        people: on.sure(on.compare("people", &on.among, &|_| true)?.of_people()),
        people_cost: (rate.and_then(|rate| Ok(rate * seconds? / 3_600.0)), timed, items),
        judges: judges.iter().map(|judge| on.against_people(*judge, judged)).collect::<Result<_>>()?,
        with_themselves: on.with_themselves(&judges)?,
        on_common: on.on_common(&judges)?,
        beside: judges.iter().filter_map(|judge| on.beside(*judge).transpose()).collect::<Result<_>>()?,
        margin: scene.asked.margin,
        statistics: on.statistics,
    };
    Ok(Some(tables::tables(protocol, question, &found, scene.asked.part.uncertainty.intervals)))
}

/// The answers to one question, with the people who gave some.
struct OnQuestion<'s> {
    scene: &'s JudgesAndCosts<'s>,
    question: &'s Question,
    statistics: Statistics,
    answered: AnsweredChoices<'s>,
    people: Vec<AnnotatorId>,
    /// How many people judged each item.
    of_people: Vec<usize>,
    /// All pairs of people.
    among: Vec<AnnotatorPair>,
}

impl OnQuestion<'_> {
    /// How far the annotators of these pairs agree on the items that `on` names, with the first clusters of which there are enough.
    fn compare(&self, name: &str, pairs: &[AnnotatorPair], on: &dyn Fn(u32) -> bool) -> Result<Compared> {
        let made = |clusters: &ItemClusters| self.within((name, pairs), on, clusters);
        let found = first_with_enough(self.answered.clusters(), Compared::clusters, made)?;
        let (mut found, within) = found.unwrap_or_default();
        found.within = within;
        Ok(found)
    }

    fn within(
        &self,
        (name, pairs): (&str, &[AnnotatorPair]),
        on: &dyn Fn(u32) -> bool,
        clusters: &ItemClusters,
    ) -> Result<Compared> {
        Compared::of(name, (self.question, &self.statistics), &self.answered, (pairs, on), clusters)
    }

    fn sure(&self, compared: Compared) -> Compared {
        compared.with_intervals(&self.statistics, self.scene.asked.part.uncertainty.intervals)
    }

    /// The pairs of a judge with each person.
    fn with_people(&self, judge: AnnotatorId) -> Vec<AnnotatorPair> {
        self.people.iter().map(|person| (*person, judge)).collect()
    }

    fn against_people(
        &self,
        (judge, name): (AnnotatorId, &str),
        judged: &Judged,
    ) -> Result<JudgeAgainstPeople> {
        let cost = self.scene.costs.get(name).ok_or(Undefined::NoCost);
        // A summary is paid for once, however many questions were asked about it.
        let own = judged.rows().filter(|row| row.annotator() == judge);
        let summaries: BTreeSet<CandidateId> =
            own.filter_map(|row| judged.material.item(row).target.candidate).collect();
        let summaries = Some(summaries.len()).filter(|count| *count > 0).ok_or(Undefined::NoCost);
        let intervals = self.scene.asked.part.uncertainty.intervals;
        Ok(JudgeAgainstPeople {
            compared: self.sure(self.compare(name, &self.with_people(judge), &|_| true)?),
            cost: cost.and_then(|cost| Ok(cost * summaries? as f64)),
            bias: self.answered.bias(self.question, &self.people, judge, (&self.scene.candidates, intervals)),
        })
    }

    /// A judge with people beside people among themselves, on the items that the judge and at least two people judged.
    fn beside(&self, (judge, name): (AnnotatorId, &str)) -> Result<Option<Beside>> {
        let of_judge = self.answered.counts(&[judge]);
        let of_both = |item: u32| self.of_people[item as usize] > 1 && of_judge[item as usize] > 0;
        let with = self.with_people(judge);
        // Both comparisons have the same clusters, so that each is left out of both at once.
        let made = |clusters: &ItemClusters| {
            let of = |pairs: &[_]| self.within((name, pairs), &of_both, clusters);
            Ok(Beside { judge: of(&with)?, people: of(&self.among)? })
        };
        let pair = first_with_enough(self.answered.clusters(), Beside::clusters, made)?.map(|(pair, _)| pair);
        Ok(pair.filter(|pair| pair.judge.items.items > 0))
    }

    /// The judges that answered the same items several times, each against itself.
    fn with_themselves(&self, judges: &[(AnnotatorId, &str)]) -> Result<Vec<Compared>> {
        let mut with_themselves = Vec::new();
        for (judge, name) in judges {
            let again = self.scene.of_kind(AnnotatorKind::Model).map(|(id, _)| id);
            let again = again.filter(|id| self.scene.again_of(*id) == Some(*name) && self.answered.by(*id));
            let answers: Vec<AnnotatorId> = [*judge].into_iter().chain(again).collect();
            if answers.len() > 1 {
                let name = format!("{name} with itself");
                with_themselves.push(self.sure(self.compare(&name, &pairs_of(&answers), &|_| true)?));
            }
        }
        Ok(with_themselves)
    }

    /// The people, then each judge, on the items that all judges and a person judged.
    fn on_common(&self, judges: &[(AnnotatorId, &str)]) -> Result<Vec<Compared>> {
        if judges.len() < 2 {
            return Ok(Vec::new());
        }
        let all: BTreeSet<AnnotatorId> = judges.iter().map(|(id, _)| *id).collect();
        let all: Vec<AnnotatorId> = all.into_iter().collect();
        let of_judges = self.answered.counts(&all);
        let of_all = |item: u32| of_judges[item as usize] == all.len() && self.of_people[item as usize] > 0;
        let mut on_common = vec![self.sure(self.compare("people", &self.among, &of_all)?.of_people())];
        for (judge, name) in judges {
            on_common.push(self.sure(self.compare(name, &self.with_people(*judge), &of_all)?));
        }
        Ok(on_common)
    }
}

fn pairs_of(annotators: &[AnnotatorId]) -> Vec<(AnnotatorId, AnnotatorId)> {
    let with_later = |(place, first): (usize, &AnnotatorId)| {
        let first = *first;
        annotators.iter().skip(place + 1).map(move |second| (first, *second))
    };
    annotators.iter().enumerate().flat_map(with_later).collect()
}
