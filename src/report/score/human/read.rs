//! Sessions joined with the judgments of their snapshots.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use indexmap::IndexSet;

use super::Source;
use crate::error::Result;
use crate::journal::session::{DocumentChoice, Ending, HowRead, Session, minute_name, minutes};
use crate::number::short;
use crate::report::score::first_of;
use crate::score::{
    AskedInsight, Average, ClusterKind, GroupBy, Grouped, InsightJudged, InsightSaid, Measure, Origin,
    SessionScored, SnapshotScored, SummaryJudged, System, SystemScores, Uncertainty, Undefined, percent,
    scores_by, unfinished,
};
use crate::store::StoredSession;
use crate::text::bullets::{SummaryLength, bullets, length};
use crate::text::words;

/// A session, with measures of its reading.
pub struct SessionWritten {
    /// The first characters of the session's key.
    pub name: String,
    pub annotator: String,
    pub collection: String,
    pub query: String,
    pub session: Session,
    /// The limit in active milliseconds.
    pub limit: i64,
    documents: DocumentChoice,
    /// The candidate key of each snapshot, in order.
    keys: Vec<String>,
    /// The sum over the documents of their words times the share of the document that was seen.
    pub words_read: f64,
    /// The percentage of the offered relevant documents that were opened before the first citation.
    pub opened_before_citing: Measure,
    /// The insights of the query, judged as not covered.
    nothing_said: Vec<InsightJudged>,
}

impl SessionWritten {
    pub fn read(source: &Source<'_>, stored: &StoredSession) -> Result<SessionWritten> {
        let (head, session) = (&stored.head, stored.session());
        let documents = source.study.documents_of_query(head.query)?;
        let seen = |number: u32| session.furthest.get(&number).copied().unwrap_or(0.0);
        let words_read = documents
            .iter()
            .map(|document| words::count(&document.text) as f64 * seen(document.number))
            .sum();
        let queries = source.study.session_queries()?;
        let relevant = queries.into_iter().find(|query| query.id == head.query).map(|query| query.relevant);
        let offered: BTreeSet<u32> = head.setup.order.iter().copied().collect();
        let relevant: Vec<u32> =
            relevant.unwrap_or_default().into_iter().filter(|number| offered.contains(number)).collect();
        let opened_before_citing = match &session.opened_before_citing {
            // A draft may cite, whatever its reader has opened.
            Some(_) if head.setup.draft.is_some() => Err(Undefined::NotGiven),
            None => Err(Undefined::NothingCited),
            Some(opened) => {
                let early = relevant.iter().filter(|number| opened.contains(number)).count();
                percent(early, relevant.len(), Undefined::NoGoldDocuments)
            }
        };
        let units = source.corpus.records.units.iter().filter(|(_, unit)| {
            let is_of_query = (&unit.collection, &unit.query) == (&head.collection, &head.query_key);
            is_of_query && unit.candidate.is_none() && source.protocol.takes_unit(&unit.kind)
        });
        let nothing_said = units.map(|(id, unit)| InsightJudged {
            insight: AskedInsight { unit: unit.id.clone(), gold: source.corpus.gold(*id) },
            said: InsightSaid { coverage: Some(0.0), bullets: Vec::new() },
        });
        Ok(SessionWritten {
            name: head.key.to_string().chars().take(8).collect(),
            annotator: head.annotator.clone(),
            collection: head.collection.clone(),
            query: head.query_key.clone(),
            limit: head.setup.limit,
            documents: head.setup.documents.clone(),
            keys: session.snapshots.iter().map(|snapshot| head.candidate_key(snapshot)).collect(),
            words_read,
            opened_before_citing,
            nothing_said: nothing_said.collect(),
            session,
        })
    }

    /// Active minutes.
    pub fn minutes(&self) -> f64 {
        minutes(self.session.active)
    }

    /// Words of documents read per active minute.
    pub fn reading_speed(&self) -> Measure {
        match self.minutes() {
            0.0 => Err(Undefined::NoTimes),
            minutes => Ok(self.words_read / minutes),
        }
    }

    /// The length of the final text.
    pub fn length(&self) -> SummaryLength {
        length(&self.session.text)
    }

    /// Minutes beyond the limit, for a session that went on.
    pub fn over_time(&self) -> Option<f64> {
        let is_over = self.session.ended == Some(Ending::OverTime) || self.session.is_over_time;
        is_over.then(|| minutes(self.session.active - self.limit)).filter(|over| *over > 0.0)
    }

    /// The number of opened documents.
    pub fn opened(&self) -> usize {
        self.session.furthest.keys().filter(|number| self.session.reading(**number) > HowRead::Unread).count()
    }
}

/// A session with the scores of its snapshots.
pub struct WrittenScored {
    pub written: SessionWritten,
    /// The number of the session's cluster for intervals.
    pub cluster: u32,
    /// The snapshots by minute; the final one is last.
    pub snapshots: Vec<SnapshotScored>,
    /// The judgments of the last snapshot.
    pub last: Vec<SummaryJudged>,
}

/// The human baseline, as `--human` prints it.
pub struct Baseline {
    /// The sessions that have ended.
    pub sessions: Vec<WrittenScored>,
    /// Scores by retriever and summarizer, or by what was asked for, with people as one summarizer.
    pub rows: Grouped<SystemScores>,
    /// How intervals over sessions are computed.
    pub uncertainty: Uncertainty,
    /// Notes for the reader.
    pub notes: Vec<String>,
    /// Snapshots that nobody judged, such as `mira at minute 10`.
    pub unjudged: Vec<String>,
    judged: usize,
}

/// The summarizer's name for all texts that people wrote.
const HUMAN: &str = "human";

impl Baseline {
    /// The baseline of these sessions, with what people judged, the same in parts by the groupings, and what judges judged.
    pub fn of(
        source: &Source<'_>,
        written: Vec<SessionWritten>,
        [by_people, in_parts, by_models]: [Vec<SummaryJudged>; 3],
        note: Option<String>,
    ) -> Baseline {
        let mut notes: Vec<String> = note.into_iter().collect();
        let (ended, open): (Vec<SessionWritten>, Vec<SessionWritten>) =
            written.into_iter().partition(|written| written.session.last_snapshot().is_some());
        if !open.is_empty() {
            let names: Vec<&str> = open.iter().map(|written| written.annotator.as_str()).collect();
            notes.push(format!("Sessions that have not ended, left out: {}.", names.join(", ")));
        }
        let (people, models) = (by_summary(&by_people), by_summary(&by_models));
        let mut said = ReadNotes::default();
        let uncertainty = source.asked.part.uncertainty;
        let mut clusters: IndexSet<(String, Option<String>)> = IndexSet::new();
        let mut sessions: Vec<WrittenScored> = Vec::new();
        for (written, place) in ended.into_iter().zip(0..) {
            let mut session = said.scored(written, &people, &models);
            let SessionWritten { collection, query, .. } = &session.written;
            let mut number = |query| short(clusters.insert_full((collection.clone(), query)).0);
            session.cluster = match uncertainty.cluster {
                Some(ClusterKind::Query) => number(Some(query.clone())),
                Some(ClusterKind::Collection) => number(None),
                _ => place,
            };
            sessions.push(session);
        }
        notes.extend(said.notes());
        notes.extend(over_time(&sessions));
        let last: Vec<&SummaryJudged> = sessions.iter().flat_map(|session| &session.last).collect();
        let (ends, written) = (by_summary(last.iter().copied()), snapshots(source));
        let name = |summary: &SummaryJudged| name_of(&summary.origin);
        let (snapshots, mut beside): (Vec<SummaryJudged>, Vec<SummaryJudged>) =
            in_parts.into_iter().partition(|summary| written.contains(&name(summary)));
        beside.extend(snapshots.iter().filter(|summary| ends.contains_key(&name(summary))).map(as_human));
        // A text without a bullet needs no judgment.
        beside.extend(last.into_iter().filter(|empty| !people.contains_key(&name(empty))).map(as_human));
        Baseline {
            sessions,
            rows: Grouped { all: None, ..scores_by(&beside, beside_by(source), Average::Insight) },
            uncertainty,
            notes,
            unjudged: said.unjudged,
            judged: said.judged,
        }
    }

    /// Whether any snapshot was judged.
    pub fn has_judgments(&self) -> bool {
        self.judged > 0
    }

    /// The snapshots of every session.
    pub fn curves(&self) -> Vec<SessionScored> {
        let scored = |session: &WrittenScored| SessionScored {
            cluster: session.cluster,
            snapshots: session.snapshots.clone(),
        };
        self.sessions.iter().map(scored).collect()
    }
}

/// The groupings that were asked for. A group holds either what people wrote or what systems did.
fn beside_by(source: &Source<'_>) -> GroupBy {
    let suiting: &[&str] = match source.by {
        [] => &["retriever", "summarizer"],
        by if by.iter().any(|by| ["summarizer", "system", "summary"].contains(&by.name())) => &[],
        _ => &["summarizer"],
    };
    let mut by = GroupBy::own(suiting, source.asked.part.uncertainty);
    by.by.splice(..0, source.by.iter().cloned());
    by
}

/// Collection, query and candidate.
type CandidateName = (String, String, String);

fn name_of(origin: &Origin) -> CandidateName {
    (origin.collection.clone(), origin.query.clone(), origin.candidate.clone().unwrap_or_default())
}

fn by_summary<'a>(
    judged: impl IntoIterator<Item = &'a SummaryJudged>,
) -> HashMap<CandidateName, Vec<&'a SummaryJudged>> {
    let mut found: HashMap<CandidateName, Vec<&SummaryJudged>> = HashMap::new();
    for summary in judged {
        found.entry(name_of(&summary.origin)).or_default().push(summary);
    }
    found
}

/// The names of all candidates that are snapshots.
fn snapshots(source: &Source<'_>) -> HashSet<CandidateName> {
    let all = source.corpus.records.candidates.iter().map(|(_, candidate)| candidate);
    all.filter(|candidate| crate::store::snapshot_of(&candidate.meta).is_some())
        .map(|candidate| (candidate.collection.clone(), candidate.query.clone(), candidate.id.clone()))
        .collect()
}

/// The summary under the name [`HUMAN`].
fn as_human(summary: &SummaryJudged) -> SummaryJudged {
    let mut summary = summary.clone();
    let origin = Arc::make_mut(&mut summary.origin);
    let retriever = origin.system.take().and_then(|system| system.retriever);
    origin.system = Some(System { retriever, summarizer: Some(HUMAN.to_owned()), order: None });
    summary
}

/// Facts noted while snapshots are scored.
#[derive(Default)]
struct ReadNotes {
    unjudged: Vec<String>,
    judged: usize,
    /// The number of snapshots whose citations were scored by the links of judges.
    by_judges: usize,
    /// Unjudged insights of judged snapshots, such as `mira at minute 10: coffee`.
    open: Vec<String>,
}

impl ReadNotes {
    fn scored(
        &mut self,
        written: SessionWritten,
        people: &HashMap<CandidateName, Vec<&SummaryJudged>>,
        models: &HashMap<CandidateName, Vec<&SummaryJudged>>,
    ) -> WrittenScored {
        let mut scored: Vec<(i64, bool, SnapshotScored)> = Vec::new();
        let mut last = Vec::new();
        for (snapshot, key) in written.session.snapshots.iter().zip(&written.keys) {
            let name = (written.collection.clone(), written.query.clone(), key.clone());
            let minute = minutes(snapshot.active);
            let is_empty = bullets(&snapshot.text).is_empty();
            let place = format!("{} at minute {}", written.annotator, minute_name(snapshot.active));
            let score = match (people.get(&name), models.get(&name)) {
                (Some(judged), _) => {
                    self.judged += 1;
                    self.note_open(&place, judged);
                    if snapshot.is_last {
                        last = judged.iter().map(|summary| (*summary).clone()).collect();
                    }
                    SnapshotScored::of(minute, judged)
                }
                // A text without a bullet covers nothing and needs no judgment.
                (None, _) if is_empty => {
                    let summary = nothing(&written, &name);
                    let score = SnapshotScored::of(minute, &[&summary]);
                    if snapshot.is_last {
                        last = vec![summary];
                    }
                    score
                }
                (None, Some(judged)) => {
                    self.by_judges += 1;
                    self.unjudged.push(place);
                    SnapshotScored::of(minute, judged).citations_only()
                }
                (None, None) => {
                    self.unjudged.push(place);
                    SnapshotScored::of(minute, &[])
                }
            };
            scored.push((snapshot.active, snapshot.is_last, score));
        }
        scored.sort_by_key(|(active, is_last, _)| (*active, *is_last));
        WrittenScored {
            written,
            cluster: 0,
            snapshots: scored.into_iter().map(|(.., score)| score).collect(),
            last,
        }
    }

    fn note_open(&mut self, place: &str, judged: &[&SummaryJudged]) {
        let judged: Vec<SummaryJudged> = judged.iter().map(|summary| (*summary).clone()).collect();
        self.open
            .extend(unfinished(&judged).iter().map(|open| format!("{place}: {}", open.units.join(", "))));
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.unjudged.is_empty() {
            let (count, named) = (self.unjudged.len(), first_of(self.unjudged.iter().cloned()));
            notes.push(format!("Snapshots that nobody judged, in no mean of coverage: {count} ({named})."));
        }
        if self.by_judges > 0 {
            let count = self.by_judges;
            notes.push(format!("Snapshots whose citations are scored by the links of judges: {count}."));
        }
        if !self.open.is_empty() {
            let named = first_of(self.open.iter().cloned());
            notes.push(format!("Insights that nobody judged yet, and not in the scores: {named}."));
        }
        notes
    }
}

/// The summary of a text without a bullet: no insight is covered.
fn nothing(written: &SessionWritten, name: &CandidateName) -> SummaryJudged {
    let (collection, query, candidate) = name.clone();
    let retriever = written.documents.retriever().map(str::to_owned);
    let system = Some(System { retriever, ..System::default() });
    let origin = Origin { collection, query, candidate: Some(candidate), system, ..Origin::default() };
    SummaryJudged::of(origin, "", written.nothing_said.clone())
}

fn over_time(sessions: &[WrittenScored]) -> Option<String> {
    let over: Vec<String> = sessions
        .iter()
        .filter_map(|session| {
            let minutes = session.written.over_time()?;
            Some(format!("{} by {minutes:.1} minutes", session.written.annotator))
        })
        .collect();
    (!over.is_empty()).then(|| format!("Went on after the limit: {}.", over.join(", ")))
}
