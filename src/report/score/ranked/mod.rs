//! Rankings of systems under gold, all people, their majority, each annotator and each judge, and how far they differ.

mod power;
mod tables;
mod views;

use std::collections::{BTreeMap, BTreeSet};

pub use power::DetectableRow;
pub use views::Whose;
use views::{Everyone, JudgedView, Views};

use super::{Scope, ScoresAsked, coverage, nothing, of_protocols};
use crate::agreement::each_in_parallel;
use crate::error::{Error, Result};
use crate::protocol::ScoreSheet;
use crate::report::{StudyFrame, Table, names, protocols};
use crate::score::{
    Average, By, ClusterKind, Counted, CoverageQuestions, GroupLabels, Grouped, Origin, PreferenceQuestion,
    RankedMeasure, Ranking, Score, SummaryJudged, SystemRanked, SystemScores, Thing, ranked_labels,
    ranked_measures, within,
};
use crate::store::{GOLD, StudyFile};

/// The word among the names of annotators that asks for rankings.
const EACH: &str = "each";

/// Whether rankings under each annotator are asked for.
pub fn asks_for_rankings(annotators: &[String]) -> bool {
    annotators.iter().any(|name| name == EACH)
}

/// The rankings of every protocol that is about systems.
pub fn rankings(study: &StudyFile, asked: &ScoresAsked) -> Result<Vec<Table>> {
    refuse_what_is_not_for_rankings(asked)?;
    let names: Vec<String> = asked.part.annotators.iter().filter(|name| *name != EACH).cloned().collect();
    let everyone = Everyone::read(study, &names)?;
    let protocols = protocols::named_or_all(study, asked.part.protocol.as_deref())?;
    let frame = StudyFrame::of(study, asked.part.frame());
    let (corpus, by, part) = (asked.corpus(&frame, &protocols)?, frame.by()?, frame.items()?);
    let (frame, by, people, part) = (&frame, &by, &everyone.names, &part);
    let (tables, without, unjudged) =
        of_protocols((frame, asked, part), (people, None), &protocols, |protocol, judged| {
            let (gold, elsewhere) = (None, &[][..]);
            let scope =
                Scope { frame, study, protocol, corpus, by, judged, people, gold, elsewhere, part, asked };
            tables_of(&scope, &everyone)
        })?;
    if tables.is_empty() && !without.is_empty() {
        let is_of_pairs = |name: &&str| {
            protocols.iter().any(|one| one.name == *name && PreferenceQuestion::of(one).is_some())
        };
        let advice = match without.iter().all(is_of_pairs) {
            true => "`--annotators NAME` has the strengths of systems as one person sees them",
            false => {
                "leave out `--annotators each` for what it gives, or name what to rank with --by, such as --by domain"
            }
        };
        let names = without.join(", ");
        return Err(Error::new(format!("what is judged under {names} gives no system a score of its own"))
            .in_file(study.path())
            .advise(advice));
    }
    if tables.is_empty() {
        return Err(nothing(study, asked, &unjudged));
    }
    Ok(tables)
}

fn refuse_what_is_not_for_rankings(asked: &ScoresAsked) -> Result<()> {
    if asked.spot_check.is_some() {
        return Err(Error::usage("--spot-check lists items and ranks no system")
            .advise("leave out `--annotators each`"));
    }
    if asked.part.uncertainty.cluster == Some(ClusterKind::Summary) {
        return Err(Error::usage(
            "a summary is of one system, and differences are over what two are scored on",
        )
        .advise("leave --cluster out, or name query or collection"));
    }
    if asked.part.by.iter().any(|name| name == "annotator") {
        return Err(Error::usage("`--annotators each` scores every annotator by itself already")
            .advise("leave annotator out of --by"));
    }
    Ok(())
}

/// The rankings by one measure.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasureRankings {
    pub measure: RankedMeasure,
    /// The fields by which things are ranked.
    pub by: Vec<String>,
    /// A ranking for each view.
    pub views: Vec<ViewRanking>,
}

/// The ranking under one view.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewRanking {
    pub name: String,
    pub whose: Whose,
    pub ranking: Ranking,
}

impl MeasureRankings {
    /// The ranked systems of all views, in the order of the table.
    pub fn rows(&self) -> impl Iterator<Item = (&ViewRanking, &SystemRanked)> {
        self.views.iter().flat_map(|view| view.ranking.systems.iter().map(move |system| (view, system)))
    }
}

/// The tables of one protocol; `None` without a measure, or where the protocol and the options name no group.
fn tables_of(scope: &Scope<'_>, everyone: &Everyone) -> Result<Option<Vec<Table>>> {
    let sheet = scope.sheet();
    let is_about_systems =
        scope.protocol.is_about_candidates() || sheet.is_some_and(ScoreSheet::ranks_systems);
    let measures = match sheet {
        None => ranked_measures(scope.protocol),
        Some(sheet) => super::rules::measures(scope, sheet)?,
    };
    // Shares of the places of a pair rank nothing.
    let is_about_nothing = PreferenceQuestion::of(scope.protocol).is_some() && sheet.is_none()
        || !is_about_systems && scope.asked.part.by.is_empty();
    if measures.is_empty() || is_about_nothing {
        return Ok(None);
    }
    let by = &scope.by_or(&["system"]).by[..];
    let made = BTreeMap::from(
        [(views::MAJORITY, Whose::Majority), (GOLD, Whose::Gold)]
            .map(|(id, whose)| (id, whose.name().to_owned())),
    );
    let views = Views::of(scope, everyone, &made)?;
    let (intervals, is_brief) = (scope.asked.part.uncertainty.intervals, scope.asked.is_brief);
    // Without a filter, an annotator's judgments of a summary are the same in every view.
    let summaries = match CoverageQuestions::of(scope.protocol) {
        Some(questions) if sheet.is_none() && !scope.judged.is_part() => {
            coverage::summaries(scope, &questions, by)
        }
        _ => Vec::new(),
    };
    let mut of_summaries = scored_of_summaries(scope, by, &summaries, &views).into_iter();
    let scored: Vec<GroupedScores> = views
        .all
        .iter()
        .map(|view| match of_summaries.next().flatten() {
            Some(scored) => Ok(scored),
            None => {
                let (judged, people, elsewhere) = (&view.judged, view.people, view.elsewhere.as_slice());
                scored(&Scope { judged, people, elsewhere, ..*scope }, by)
            }
        })
        .collect::<Result<_>>()?;
    if scored.iter().all(|scored| scored.groups.is_empty()) {
        return Ok(None);
    }
    // The headline is the first measure with a score.
    let has_score = |place: &usize| {
        let scores =
            scored.iter().flat_map(|scored| &scored.groups).filter_map(|(_, scores)| scores.get(*place));
        scores.map(|(_, score)| score.value()).any(|value| value.is_ok())
    };
    let headline = (0..measures.len()).find(has_score).unwrap_or(0);
    let shown = |place: usize| place == headline || !is_brief && has_score(&place);
    let mut found = Vec::new();
    let mut others = Vec::new();
    for (place, measure) in measures.into_iter().enumerate() {
        if !shown(place) {
            others.extend(has_score(&place).then_some(measure.heading));
            continue;
        }
        let ranking = |(view, scored): (&JudgedView<'_>, &GroupedScores)| {
            let scores = scored.groups.iter();
            let of_measure = scores
                .filter_map(|(group, all)| all.get(place).map(|(judged, score)| (group, *judged, score)));
            let of = (measure.range, measure.better);
            let ranking = Ranking::of(of_measure, of, (intervals, &scored.within));
            ViewRanking { name: view.name.clone(), whose: view.whose, ranking }
        };
        let ranked = views.all.iter().zip(&scored).map(ranking).collect();
        let by_names = names(by).into_iter().map(str::to_owned).collect();
        let measured = MeasureRankings { views: ranked, by: by_names, measure };
        found.extend(tables::tables(&views, measured, by, is_brief, intervals));
    }
    Table::note_intervals(&mut found, scope.asked.part.uncertainty.note(ClusterKind::Query));
    if let Some(first) = found.first_mut() {
        first.notes.extend(views.notes());
        if !others.is_empty() {
            first.notes.push(format!("--full also ranks by {}.", others.join(", ")));
        }
    }
    Ok(Some(found))
}

/// The scores of a group by the measures of the protocol, each with the counts behind it.
pub(super) type GroupScored = Vec<(Counted, Score)>;

/// The scores of every group by query, and the wider cluster of each query.
pub(super) struct GroupedScores {
    pub(super) groups: Vec<(GroupLabels, GroupScored)>,
    pub(super) within: Vec<u32>,
}

/// The scores of every group under each view of annotators' own judgments, computed from `summaries` on all
/// cores; `None` for other views, and without summaries.
fn scored_of_summaries(
    scope: &Scope<'_>,
    by: &[By],
    summaries: &[SummaryJudged],
    views: &Views<'_>,
) -> Vec<Option<GroupedScores>> {
    let (average, cluster) =
        (scope.asked.average, scope.asked.part.uncertainty.cluster_or(ClusterKind::Query));
    let names = |view: &JudgedView<'_>| {
        (view.whose.is_somebodys() && !summaries.is_empty())
            .then(|| view.judged.names().map(str::to_owned).collect::<BTreeSet<String>>())
    };
    let names: Vec<Option<BTreeSet<String>>> = views.all.iter().map(names).collect();
    let of_view = |names: &Option<BTreeSet<String>>| {
        let names = names.as_ref()?;
        let is_own = |summary: &&SummaryJudged| names.contains(&summary.origin.annotator);
        Some(covered(summaries.iter().filter(is_own), (by, cluster), average))
    };
    each_in_parallel(&names, of_view)
}

fn covered<'a>(
    summaries: impl IntoIterator<Item = &'a SummaryJudged>,
    by: (&[By], ClusterKind),
    average: Average,
) -> GroupedScores {
    grouped(
        summaries,
        |summary| &summary.origin,
        by,
        |summaries| {
            let SystemScores { scores, parts } = SystemScores::of(summaries, average);
            let [coverage, citation, joint, ..] = parts;
            let counts = scores.counts;
            vec![(counts.joined, joint), (counts.judged, coverage), (counts.cited, citation)]
        },
    )
}

fn scored(scope: &Scope<'_>, by: &[By]) -> Result<GroupedScores> {
    if let Some(sheet) = scope.sheet() {
        return super::rules::by_query(scope, sheet);
    }
    let by = (by, scope.asked.part.uncertainty.cluster_or(ClusterKind::Query));
    Ok(match CoverageQuestions::of(scope.protocol) {
        Some(questions) => covered(&coverage::summaries(scope, &questions, by.0), by, scope.asked.average),
        None => grouped(
            &scope.judged.items(scope.corpus),
            |item| &item.origin,
            by,
            |items| ranked_labels(scope.protocol, items),
        ),
    })
}

fn grouped<'a, J: 'a>(
    judged: impl IntoIterator<Item = &'a J>,
    origin: impl Fn(&J) -> &Origin,
    (by, kind): (&[By], ClusterKind),
    find: impl Fn(&[Thing<'a, J>]) -> GroupScored,
) -> GroupedScores {
    let judged: Vec<&'a J> = judged.into_iter().collect();
    let within = within(kind, judged.iter().map(|one| origin(one)));
    GroupedScores { groups: Grouped::of(judged, origin, by, find).rows, within }
}
