//! The human baseline: what people wrote against the clock, minute by minute, beside the systems.

mod read;
mod tables;

use std::collections::BTreeMap;

use read::{Baseline, SessionWritten};
pub use tables::{MeasureRow, heading};

use super::coverage::summaries;
use super::{Scope, ScoresAsked};
use crate::error::{Error, Result};
use crate::protocol::Protocol;
use crate::report::{
    CorpusIndex, FrameAsked, GoldBy, Judged, StudyFrame, Table, gold, protocols, version_note,
};
use crate::score::{By, CoverageQuestions, SummaryJudged, curves};
use crate::store::{StoredSession, StudyFile};
use crate::study::{AnnotatorId, AnnotatorKind};

/// The tables of the human baseline.
pub fn baseline(study: &StudyFile, asked: &ScoresAsked) -> Result<Vec<Table>> {
    let sessions = sessions(study)?;
    let frame = StudyFrame::of(study, FrameAsked { has_snapshots: true, ..asked.part.frame() });
    let protocols = protocols::named_or_all(study, asked.part.protocol.as_deref())?;
    let about = |protocol: &'_ &Protocol| CoverageQuestions::of(protocol).is_some();
    let mut found = None;
    for protocol in protocols.iter().filter(about) {
        let baseline = of_protocol(&frame, protocol, asked, &sessions)?;
        let is_judged = baseline.has_judgments();
        // Without judgments, the first protocol is taken.
        if is_judged || found.is_none() {
            found = Some((protocol, baseline));
        }
        if is_judged {
            break;
        }
    }
    let Some((protocol, baseline)) = found else {
        let what = match &asked.part.protocol {
            Some(name) => format!("the protocol {name:?} does not ask how far insights are covered"),
            None => "no protocol asks how far insights are covered".to_owned(),
        };
        return Err(Error::new(what).in_file(study.path()).advise("use --protocol coverage"));
    };
    let curve = curves(&baseline.curves(), asked.part.uncertainty.intervals);
    let tables = tables::all(&baseline, &curve.into()).into_iter();
    Ok(tables.map(|table| table.fact("protocol", protocol.name.as_str())).collect())
}

/// Every session with its events.
fn sessions(study: &StudyFile) -> Result<Vec<StoredSession>> {
    let sessions =
        study.sessions()?.into_iter().map(|head| study.session(head.id)).collect::<Result<Vec<_>>>()?;
    if sessions.is_empty() {
        return Err(Error::new("nobody has begun a session")
            .in_file(study.path())
            .advise("`haymark session STUDY --as NAME` begins one"));
    }
    Ok(sessions)
}

/// The sessions, with the judgments of their snapshots under one protocol.
fn of_protocol(
    frame: &StudyFrame<'_>,
    protocol: &Protocol,
    asked: &ScoresAsked,
    sessions: &[StoredSession],
) -> Result<Baseline> {
    let Some(questions) = CoverageQuestions::of(protocol) else {
        return Err(Error::new(format!("the protocol {:?} has no scores of coverage", protocol.name)));
    };
    let study = frame.study;
    let (chosen, gold) = gold::choose(study, &asked.part.annotators, asked.rule)?;
    let people: BTreeMap<AnnotatorId, String> = chosen.annotators.into_iter().collect();
    let (corpus, by) = (frame.corpus()?, frame.by()?);
    let source = Source { frame, study, corpus, protocol, asked, by: &by, questions: &questions };
    let by_people = source.summaries(&people, gold.as_ref(), &[])?;
    // Fields of the summaries themselves make no parts.
    let has_parts = by.iter().any(|by| by.code(0).is_some());
    let in_parts = if has_parts { source.summaries(&people, gold.as_ref(), &by)? } else { by_people.clone() };
    let models: BTreeMap<AnnotatorId, String> = study
        .annotators()?
        .into_iter()
        .filter(|(id, annotator)| annotator.kind == AnnotatorKind::Model && !people.contains_key(id))
        .map(|(id, annotator)| (id, annotator.id))
        .collect();
    let by_models = source.summaries(&models, None, &[])?;
    let note = version_note(study, protocol, asked.part.all_versions, |id| people.contains_key(&id))?;
    let written = sessions
        .iter()
        .map(|stored| SessionWritten::read(&source, stored))
        .collect::<Result<Vec<SessionWritten>>>()?;
    Ok(Baseline::of(&source, written, [by_people, in_parts, by_models], note))
}

/// The study, the protocol and the options of a baseline.
struct Source<'a> {
    frame: &'a StudyFrame<'a>,
    study: &'a StudyFile,
    corpus: &'a CorpusIndex,
    protocol: &'a Protocol,
    asked: &'a ScoresAsked,
    /// The groupings of the table beside the systems that were asked for.
    by: &'a [By],
    questions: &'a CoverageQuestions<'a>,
}

impl Source<'_> {
    /// Every summary that these annotators judged, in parts by these groupings.
    fn summaries(
        &self,
        people: &BTreeMap<AnnotatorId, String>,
        gold: Option<&GoldBy>,
        parts: &[By],
    ) -> Result<Vec<SummaryJudged>> {
        let Source { frame, study, corpus, protocol, asked, by, .. } = *self;
        let judged = &Judged::read(frame, protocol, people, gold, &None)?;
        let (elsewhere, part) = (&[][..], &None);
        let scope =
            Scope { frame, study, protocol, corpus, by, judged, people, gold, elsewhere, part, asked };
        Ok(summaries(&scope, self.questions, parts))
    }
}
