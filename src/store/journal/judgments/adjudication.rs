//! Bringing adjudications into the journal: each becomes one event beside those of judgments.

use super::{CheckedJudgment, Judgments, RecordTaken, Subject, Tried, named, read, unknown_annotator};
use crate::error::Error;
use crate::journal::{Decision, Event, EventId, Happening, Reason, Verdict, settle};
use crate::store::corpus::CorpusWriter;
use crate::store::journal::Log;
use crate::study::{Adjudication, AnnotatorId, AnnotatorKind};
use crate::text::width::visible;

impl<'c> Judgments<'c> {
    /// Adds an adjudication. Judgments stay as they are.
    pub(crate) fn take_adjudication(
        &mut self,
        corpus: &mut CorpusWriter<'c>,
        new: &Adjudication,
        notes: &mut Vec<String>,
    ) -> Tried<RecordTaken> {
        let judgment = new.as_judgment();
        let mut under = self.under(&judgment.protocol, judgment.version)?;
        let mut said = read(&under.protocol, &judgment)?;
        let annotator = person(corpus, &new.annotator)?;
        if let Some(took) = new.took.as_deref().filter(|key| corpus.keys.annotator(key).is_none()) {
            return Err(unknown_annotator(took));
        }
        let (target, misplaced) = self.judged(corpus, &under.protocol, (&judgment, &mut said), notes)?;
        notes.extend(misplaced);
        let keys = corpus.keys.whole()?.of_target(&target);
        let item = self.items.keep((under.id, &under.protocol.name), target, None, || keys)?;
        let mut events = self.events_so_far(annotator, item)?;
        let told_at = said.at;
        let texts = self.texts_given(corpus, (item, target), (&events, None), &mut under, &mut said)?;
        let event = Event {
            id: EventId { writer: under.writer, seq: under.next_seq },
            at: said.at,
            happening: Happening::Adjudicate(Box::new(verdict(new, said)?)),
            active: 0,
            protocol: under.protocol.hash,
            texts,
        };
        // Decisions under earlier versions that stand are compared in the words of now. What was decided on other texts settles
        // nothing about these.
        let at = event.at;
        let decided = |log: &Log<'_>, events: &[Event]| {
            let on_them = events.iter().filter(|event| event.texts == texts);
            let now = on_them.map(|event| (annotator, log.in_words_of_now(event.clone())));
            settle(&now.collect::<Vec<_>>())
        };
        let verdict = decided(&self.log, std::slice::from_ref(&event)).map(|decision| decision.verdict);
        let verdict = verdict.unwrap_or_default();
        let stands = |log: &Log<'_>, events: &[Event]| {
            decided(log, events).is_some_and(|Decision { verdict: known, at: known_at, .. }| {
                match (told_at, new.seconds) {
                    // Gold says neither when nor how long somebody decided, nor that the item is an example, and may
                    // leave out the note.
                    (None, None) => {
                        let is_example = known.is_example || verdict.is_example;
                        let note = if verdict.note.is_empty() { &known.note } else { &verdict.note };
                        let (note, active) = (note.clone(), known.active);
                        known == Verdict { is_example, active, note, ..verdict.clone() }
                    }
                    _ => known == verdict && known_at == at,
                }
            })
        };
        // Gold that has no time is of what was decided before, whatever texts that was about.
        let earlier = |one: &Event| {
            told_at.is_none() && one.texts != texts && {
                let alone = Event { texts, ..one.clone() };
                stands(&self.log, std::slice::from_ref(&alone))
            }
        };
        if stands(&self.log, &events) || events.iter().any(earlier) {
            return Ok(RecordTaken::Known);
        }
        let version = self.version(&under)?;
        let appended = self.log.acts.append(Subject { annotator, item, version }, vec![event], false)?;
        if appended.is_empty() {
            return Ok(RecordTaken::Known);
        }
        if texts != self.texts_of(corpus, item, target)? {
            notes.push(format!(
                "{} decided {} before its text was revised, which settles nothing until it is decided anew",
                visible(&new.annotator),
                named(&judgment)
            ));
        }
        events.extend(appended);
        if !stands(&self.log, &events) {
            notes.push(format!(
                "{} has a later adjudication of {}, which stays the current one",
                visible(&new.annotator),
                named(&judgment)
            ));
        }
        Ok(RecordTaken::Added)
    }
}

/// The row of the adjudicator, who must be a person.
fn person(corpus: &mut CorpusWriter<'_>, key: &str) -> Tried<AnnotatorId> {
    let id = corpus.keys.annotator(key).ok_or_else(|| unknown_annotator(key))?;
    if corpus.annotator_kind(key)? == Some(AnnotatorKind::Model) {
        return Err(Error::new(format!("{key:?} is a model, and people decide"))
            .advise("name the person who decided as \"annotator\"")
            .into());
    }
    Ok(id)
}

fn verdict(new: &Adjudication, said: CheckedJudgment) -> Tried<Verdict> {
    Ok(Verdict {
        answers: said.answers,
        took: new.took.clone(),
        reason: new.reason.as_deref().map(str::parse::<Reason>).transpose()?,
        note: new.note.clone().unwrap_or_default(),
        is_example: new.example,
        is_put_aside: new.skipped,
        active: said.active,
    })
}
