//! Key point recall, precision and their F.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Scope;
use crate::error::{Error, Result};
use crate::report::corpus::CorpusIndex;
use crate::report::grouped::{counted_columns, grouped_table, names};
use crate::report::judged::{CandidateJudged, Judged, candidates};
use crate::report::protocols;
use crate::report::table::{Column, Table};
use crate::score::{
    Grouped, Origin, PlacementQuestion, PointShare, Recall, ResponseJudged, Scoring, failure_values,
};
use crate::store::Target;
use crate::study::{AnnotatorId, CandidateId, UnitId};

/// One annotator and one response.
type AnnotatorResponse = (AnnotatorId, CandidateId);

/// The table of a protocol about key points in responses. Where responses' own points were judged too,
/// under whatever protocol asks for it, precision and F stand beside recall.
pub fn tables(scope: &Scope<'_>) -> Result<Vec<Table>> {
    let by = scope.by_or(&["system"]);
    let mut responses: BTreeMap<AnnotatorResponse, ResponseJudged> = BTreeMap::new();
    for protocol in protocols::all(scope.study)? {
        if let Scoring::Placement(question) = Scoring::of(&protocol) {
            let judged = Judged::read(scope.frame, &protocol, scope.people, scope.gold, scope.part)?;
            for (key, response) in own_points(&question, scope.corpus, &judged) {
                let kept = responses.entry(key).or_insert_with(|| ResponseJudged {
                    origin: response.origin.clone(),
                    ..ResponseJudged::default()
                });
                kept.own.extend(response.own);
            }
        }
    }
    for (key, response) in responses_judged(scope)? {
        match responses.entry(key) {
            Entry::Occupied(mut known) => known.get_mut().points = response.points,
            Entry::Vacant(place) => {
                place.insert(response);
            }
        }
    }
    let responses: Vec<ResponseJudged> = responses.into_values().collect();
    let failures = failure_values(scope.protocol);
    let found = Grouped::of(
        &responses,
        |response| &response.origin,
        by,
        |responses| Recall::of(responses, &failures),
    );
    Ok(vec![recall_table(&found, scope.open_items())])
}

/// Every response of which someone judged key points of its query.
///
/// # Errors
/// What is grouped by is of a key point: a response has several (usage).
pub fn responses_judged(scope: &Scope<'_>) -> Result<Vec<(AnnotatorResponse, ResponseJudged)>> {
    let key_points = |candidate: CandidateJudged<'_>| {
        let points = candidate.units.into_iter().map(|judged| judged.answers.clone()).collect();
        let key = (candidate.annotator, candidate.id);
        (key, ResponseJudged { origin: candidate.origin, points, own: Vec::new() })
    };
    let read = candidates(scope, scope.by, key_points);
    if read.iter().any(|(_, response)| response.origin.part.is_some()) {
        let by = names(scope.by).join(", ");
        let what = format!("recall is of a whole response, and the key points of one differ in {by}");
        return Err(Error::usage(what).advise("group by what a response or its query has"));
    }
    Ok(read)
}

/// The table of a protocol about where units stand, for the points of responses; `None` without any.
pub fn own_point_table(scope: &Scope<'_>, question: &PlacementQuestion<'_>) -> Option<Table> {
    let by = scope.by_or(&["system"]);
    let responses: Vec<ResponseJudged> =
        own_points(question, scope.corpus, scope.judged).into_values().collect();
    let found = Grouped::of(&responses, |response| &response.origin, by, PointShare::own);
    found.all.is_some().then(|| precision_table(&found))
}

/// Every response of which an annotator judged own points. A point is in the documents when it is in
/// any of those that it was judged with.
fn own_points(
    question: &PlacementQuestion<'_>,
    corpus: &CorpusIndex,
    judged: &Judged<'_>,
) -> BTreeMap<AnnotatorResponse, ResponseJudged> {
    let owners = corpus.owners();
    let mut points_of: HashMap<CandidateId, Vec<UnitId>> = HashMap::new();
    let mut present: BTreeMap<AnnotatorResponse, (Option<Origin>, HashMap<UnitId, bool>)> = BTreeMap::new();
    for judgment in judged.each() {
        let unit = judgment.target.unit;
        let owner = unit.and_then(|unit| owners.get(&unit));
        if let (Some(unit), Some(owner), Some(is_present)) = (unit, owner, question.read(judgment.answers)) {
            let about = Target { candidate: Some(*owner), ..judgment.target.whole() };
            let origin = || corpus.origin(&about, judgment.name, judged.row_of(judgment.place));
            let (_, points) =
                present.entry((judgment.annotator, *owner)).or_insert_with(|| (origin(), HashMap::new()));
            *points.entry(unit).or_default() |= is_present;
        }
    }
    // The kinds that were judged say which of a response's units are its points.
    let kinds: BTreeSet<&str> = present
        .values()
        .flat_map(|(.., points)| points.keys())
        .filter_map(|unit| corpus.unit(*unit).map(|unit| unit.kind.as_str()))
        .collect();
    for (unit, owner) in &owners {
        if corpus.unit(*unit).is_some_and(|unit| kinds.contains(unit.kind.as_str())) {
            points_of.entry(*owner).or_default().push(*unit);
        }
    }
    let response = |(key, (origin, points)): (AnnotatorResponse, (Option<Origin>, HashMap<UnitId, bool>))| {
        let units = points_of.get(&key.1).map_or(&[][..], Vec::as_slice);
        let own = units.iter().map(|unit| points.get(unit).copied()).collect();
        Some((key, ResponseJudged { origin: origin?, points: Vec::new(), own }))
    };
    present.into_iter().filter_map(response).collect()
}

/// Recall by group, and how points that are not said fail, as in Qi et al. 2024, Table 1 and Fig. 8;
/// precision and F as in its Table 4.
fn recall_table(found: &Grouped<Recall>, why: &str) -> Table {
    let has_precision = found.all.as_ref().is_some_and(|all| all.own.judged.items > 0);
    let how = found.uncertainty;
    let mut columns = vec![Column::new("responses", "responses", |recall: &Recall| recall.said.responses)];
    columns.extend(counted_columns("key points", |recall: &Recall| recall.said.judged));
    columns.extend([
        Column::new("points", "to judge", |recall: &Recall| recall.said.points).detail(),
        Column::new("judgments_entailed", "said", |recall: &Recall| recall.said.yes).detail(),
        Column::new("recall", "KPR", move |recall: &Recall| how.percent(&recall.said.share)).score(),
        Column::new("own_items", "own points", |recall: &Recall| recall.own.judged.items).detail(),
        Column::new("own_judgments", "judgments", |recall: &Recall| recall.own.judged.judgments).detail(),
        Column::new("judgments_present", "present", |recall: &Recall| recall.own.yes).detail(),
        Column::new("precision", "KPP", move |recall: &Recall| how.percent(&recall.own.share))
            .score()
            .shown_if(has_precision),
        Column::new("both", "both", |recall: &Recall| recall.both).detail(),
        Column::new("f1", "KPF", move |recall: &Recall| how.percent(&recall.f1))
            .score()
            .shown_if(has_precision),
    ]);
    for (at, failure) in found.all.iter().flat_map(|all| all.failures.iter().enumerate()) {
        let value = &failure.value;
        let count = move |recall: &Recall| recall.failures.get(at).map(|failure| failure.judgments);
        let share = move |recall: &Recall| recall.failures.get(at).map(|failure| how.percent(&failure.share));
        columns.push(Column::new(format!("judgments_{value}"), value, count).detail());
        columns.push(Column::new(format!("share_{value}"), value, share).percent());
    }
    let mut table = grouped_table("Key point recall", found, columns);
    table.notes = found.all.as_ref().map_or_else(Vec::new, |all| recall_notes(all, has_precision, why));
    table
}

fn recall_notes(recall: &Recall, has_precision: bool, why: &str) -> Vec<String> {
    let mut notes = Vec::new();
    let open = recall.said.points - recall.said.judged.items;
    if open > 0 {
        notes.push(format!("Key points {why}, and not in the scores: {open}."));
    }
    notes.push("KPR is the mean over responses; the kinds are shares of the points not said.".to_owned());
    if has_precision {
        notes.extend(open_points(&recall.own));
        notes.push(format!(
            "KPP is the share of a response's own points that the documents contain, the mean over responses; KPF is \
             the mean of the harmonic means of the responses with both: {}.",
            recall.both
        ));
    }
    notes
}

/// Precision by group, as in Qi et al. 2024, Table 4.
fn precision_table(found: &Grouped<PointShare>) -> Table {
    let how = found.uncertainty;
    let mut columns =
        vec![Column::new("responses", "responses", |precision: &PointShare| precision.responses)];
    columns.extend(counted_columns("points", |precision: &PointShare| precision.judged));
    columns.extend([
        Column::new("points", "to judge", |precision: &PointShare| precision.points).detail(),
        Column::new("judgments_present", "present", |precision: &PointShare| precision.yes).detail(),
        Column::new("precision", "KPP", move |precision: &PointShare| how.percent(&precision.share)).score(),
    ]);
    let mut table = grouped_table("Key point precision", found, columns);
    table.notes.extend(found.all.as_ref().and_then(open_points));
    table.notes.push("KPP is the mean over responses.".to_owned());
    table
}

fn open_points(precision: &PointShare) -> Option<String> {
    let open = precision.points - precision.judged.items;
    (open > 0)
        .then(|| format!("Responses' own points that nobody judged yet, and not in the scores: {open}."))
}
