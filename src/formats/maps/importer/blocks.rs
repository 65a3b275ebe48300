//! The documents, answers, units and labels that the blocks of a map make of a record.

use std::collections::BTreeMap;

use super::AS_GIVEN;
use super::cited::{from_one, lines};
use super::making::{ListedPassage, MadeAnswer, Making};
use crate::error::{Error, Result};
use crate::formats::maps::labels::{self, LabelJudgment};
use crate::formats::maps::literal::as_time;
use crate::formats::maps::map::{CandidateBlock, DocumentBlock, JudgmentBlock, UnitBlock};
use crate::formats::maps::node::as_text;
use crate::formats::maps::path::{MapScope, ValueSpec};
use crate::formats::sentence;
use crate::study::{Annotator, AnnotatorKind, Candidate, Document, Judgment, Meta, Record, RecordKind, Unit};
use crate::text::hash::fingerprint;

impl<'m> Making<'m> {
    /// The documents of a block, by their places among those of this record; `None` at a place of the list without a document.
    /// Elements of a list are judged at once: what their judgments read is no free field of the documents.
    pub(super) fn passages(
        &mut self,
        scope: &MapScope<'_>,
        block: &DocumentBlock,
    ) -> Result<Vec<Option<usize>>> {
        let mut found = Vec::new();
        let join = block.join.as_deref();
        for inside in scope.places(block.each.as_ref())? {
            if block.each.is_some() && inside.element.is_empty() {
                found.push(None);
                continue;
            }
            let id = inside.some_text(block.id.as_ref(), join)?;
            let title = inside.some_text(block.title.as_ref(), join)?;
            let text = inside.some_text(block.text.as_ref(), join)?;
            let (score, rank) = (inside.number(block.score.as_ref())?, inside.number(block.rank.as_ref())?);
            let retriever = inside.some_text(block.retriever.as_ref(), join)?;
            let mut meta = meta_of(&inside, &block.meta)?;
            let id = match (id, &text) {
                (Some(id), _) => id,
                (None, Some(text)) => short_name("d", &[title.as_deref().unwrap_or_default(), text]),
                (None, None) => {
                    let advice = "name the field with an id or the text of the document";
                    let spec = own_or_list(block.text.as_ref(), block.each.as_ref());
                    return Err(missing(spec, "text", "document.text", advice));
                }
            };
            if block.each.is_some() {
                let about = Judgment { document: Some(id.clone()), ..Judgment::default() };
                block.judgment.iter().try_for_each(|inner| self.judge(&inside, inner, &about))?;
                meta.extend(self.left_over(inside.element));
            }
            let [collection, _] = self.keys();
            let text = text.unwrap_or_default();
            let document = Document { collection, id, number: 0, title, text, meta };
            self.passages.push(ListedPassage { document, retriever, rank, score, own: Meta::new() });
            found.push(Some(self.passages.len() - 1));
        }
        for place in found.iter().flatten() {
            let retriever = self.passages.get(*place).and_then(|passage| passage.retriever.clone());
            retriever.into_iter().for_each(|retriever| self.rank(retriever, "", Some(*place)));
        }
        Ok(found)
    }

    /// Puts a passage in the list of a retriever; `answer` is the answer whose own list it is, else empty.
    pub(super) fn rank(&mut self, retriever: String, answer: &str, passage: Option<usize>) {
        let [collection, query] = self.keys();
        self.ranked.push(([collection, query, retriever], answer.to_owned(), passage));
    }

    /// Adds the documents. Fields that differ from what is known of a document stand with its place in the list.
    pub(super) fn take_passages(&mut self) -> Result<()> {
        for place in 0..self.passages.len() {
            let Some(passage) = self.passages.get(place) else { continue };
            let mut document = passage.document.clone();
            let (collection, id) = (document.collection.clone(), document.id.clone());
            match self.held(RecordKind::Document, [&collection, "", &id])? {
                Some(Record::Document(held)) => {
                    document.number = held.number;
                    if held.meta != document.meta
                        && let Some(passage) = self.passages.get_mut(place)
                    {
                        passage.own = std::mem::take(&mut document.meta);
                    }
                }
                _ => {
                    let last = self.numbers.get(&collection).copied().unwrap_or_default();
                    document.number = self.sink.free_number(&collection, last + 1)?;
                }
            }
            self.add(Record::Document(document))?;
        }
        Ok(())
    }

    pub(super) fn answer<'r>(
        &mut self,
        (scope, block): (MapScope<'r>, &'m CandidateBlock),
        whole: &MapScope<'r>,
        shared: &[Option<usize>],
    ) -> Result<MadeAnswer<'m, 'r>> {
        let join = block.join.as_deref();
        let [collection, query] = self.keys();
        let mut candidate = Candidate { collection, query, ..Candidate::default() };
        let id = scope.some_text(block.id.as_ref(), join)?;
        let mut text = scope.text(block.text.as_ref(), join)?;
        candidate.summarizer = scope.some_text(block.summarizer.as_ref(), join)?;
        candidate.retriever = scope.some_text(block.retriever.as_ref(), join)?;
        candidate.order = scope.some_text(block.order.as_ref(), join)?;
        candidate.meta = meta_of(&scope, &block.meta)?;
        let mut own = Vec::new();
        for inner in &block.document {
            own.extend(self.passages(&scope, inner)?);
        }
        let list = if own.is_empty() { shared } else { &own };
        let listed = self.listed(list);
        if block.list.is_some() && self.has_list((&scope, block), whole, &listed)? {
            candidate.retriever = scope.some_text(block.list.as_ref(), join)?;
        }
        for inner in &block.line {
            text = lines(&scope, inner, block.cites_from, &listed)?;
        }
        if let (Some(said), true) = (&text, block.line.is_empty() && !listed.names.is_empty()) {
            let counted = from_one(said, block.cites_from.unwrap_or(1), &listed.places);
            if counted != *said {
                candidate.meta.insert(AS_GIVEN.to_owned(), said.as_str().into());
                text = Some(counted);
            }
        }
        candidate.text = text.ok_or_else(|| {
            let spec = own_or_list(block.text.as_ref(), block.each.as_ref());
            missing(spec, "text", "answer", "name the field with the answer")
        })?;
        candidate.id = id.unwrap_or_else(|| match (&candidate.retriever, &candidate.summarizer) {
            (Some(retriever), Some(summarizer)) if retriever != summarizer => {
                format!("{retriever} {summarizer}")
            }
            (Some(name), _) | (None, Some(name)) => name.clone(),
            (None, None) => short_name("a", &[&candidate.text]),
        });
        if let (Some(spec), None) = (&block.summarizer, &candidate.summarizer)
            && !scope.awaits(spec)
        {
            return Err(missing(Some(spec), "system", "system", "name the field with the system"));
        }
        self.take_citations((&scope, block), whole, &listed, &mut candidate)?;
        let answer = scope.text(block.answer.as_ref(), None)?.filter(|answer| !answer.is_empty());
        candidate.meta.extend(answer.map(|answer| ("answer".to_owned(), answer.into())));
        if let Some(retriever) = &candidate.retriever {
            // A row with one passage may have an empty cell, at whose place another row's passage must not stand.
            let has_gap = list.is_empty() && has_single_cell(whole, &self.map.says.document)?;
            let places = listed.once.into_iter().map(Some).chain(has_gap.then_some(None));
            places.for_each(|place| self.rank(retriever.clone(), &candidate.id, place));
        }
        Ok(MadeAnswer { candidate, scope, block })
    }

    /// The units of a block; `owner` is the answer that they were taken from, `judged` the one that their labels are about.
    pub(super) fn units(
        &mut self,
        scope: &MapScope<'_>,
        block: &UnitBlock,
        owner: Option<&str>,
        judged: Option<&str>,
    ) -> Result<()> {
        let join = block.join.as_deref();
        for inside in scope.each(block.each.as_ref())? {
            let [collection, query] = self.keys();
            let id = inside.some_text(block.id.as_ref(), join)?;
            let kind = inside.some_text(Some(&block.kind), join)?.unwrap_or_default();
            let title = inside.some_text(block.title.as_ref(), join)?;
            let Some(text) = inside.some_text(Some(&block.text), join)? else {
                // An empty element of a list of texts is none, as null is.
                if block.each.is_some() && block.text.text == "." {
                    continue;
                }
                let advice = "name the field with the text of the unit";
                return Err(missing(Some(&block.text), "text", "unit.text", advice));
            };
            let documents = inside.list(block.documents.as_ref())?;
            let score = inside.number(block.score.as_ref())?;
            let mut meta = meta_of(&inside, &block.meta)?;
            let id = match id {
                Some(id) => id,
                None => self.name_of_unit([&collection, &query], [&kind, &text], owner)?,
            };
            for document in documents.iter().flatten() {
                if self.held(RecordKind::Document, [&collection, "", document])?.is_none() {
                    let spec = block.documents.as_ref().map_or("documents", |spec| &spec.text);
                    let advice =
                        "correct it, or name the field with the documents' ids (--map document.id=…)";
                    return Err(Error::new(format!(
                        "{spec}: there is no document {} here",
                        quoted(document)
                    ))
                    .advise(advice));
                }
            }
            let about = Judgment {
                unit: Some(id.clone()),
                candidate: judged.map(str::to_owned),
                ..Judgment::default()
            };
            block.judgment.iter().try_for_each(|inner| self.judge(&inside, inner, &about))?;
            if block.each.is_some() {
                meta.extend(self.left_over(inside.element));
            }
            let candidate = owner.map(str::to_owned);
            let evidence = Vec::new();
            self.add(Record::Unit(Unit {
                collection,
                query,
                id,
                kind,
                candidate,
                title,
                text,
                documents,
                evidence,
                score,
                meta,
            }))?;
        }
        Ok(())
    }

    /// A name for a unit that the file does not name. Units of one text that belong to different answers get different names.
    pub(super) fn name_of_unit(
        &mut self,
        [collection, query]: [&str; 2],
        [kind, text]: [&str; 2],
        owner: Option<&str>,
    ) -> Result<String> {
        let name = short_name("u", &[kind, text]);
        let is_of_another =
            |held: &Record| matches!(held, Record::Unit(held) if held.candidate.as_deref() != owner);
        let held = self.held(RecordKind::Unit, [collection, query, &name])?;
        Ok(match (held.filter(is_of_another), owner) {
            (Some(_), Some(owner)) => short_name("u", &[kind, text, owner]),
            _ => name,
        })
    }

    pub(super) fn judge(
        &mut self,
        scope: &MapScope<'_>,
        block: &JudgmentBlock,
        about: &Judgment,
    ) -> Result<()> {
        for inside in scope.each(block.each.as_ref())? {
            let named = inside.some_text(Some(&block.protocol), None)?.unwrap_or_default();
            let annotator = inside.some_text(Some(&block.annotator), None)?;
            let by = inside.some_text(block.by.as_ref(), None)?.unwrap_or_default().to_lowercase();
            let is_model = matches!(by.as_str(), "model" | "eval");
            let about_other = inside.some_text(block.candidate.as_ref(), None)?;
            let seconds = inside.number(block.seconds.as_ref())?;
            let at = inside.some_text(block.at.as_ref(), None)?.map(as_time);
            let comment = inside.some_text(block.comment.as_ref(), None)?;
            let skipped = inside.raw(block.skipped.as_ref())?;
            let skipped = skipped.is_some_and(|skipped| as_text(&skipped).eq_ignore_ascii_case("true"));
            let (mut answers, prompts, unread) = labels::answers(&inside, block)?;
            self.reader.notes.unread.extend(unread);
            if let Some(labels) = self.reader.labels.last_mut() {
                for (key, name) in prompts {
                    labels.prompts.entry(key).or_insert(name);
                }
            }
            if skipped {
                // What stands there was given up with the item.
                answers.clear();
                self.reader.notes.skipped += 1;
            }
            if block.answers.get("each").is_some_and(|each| each.text == "*") {
                self.reader.notes.labels.extend(answers.keys().cloned());
            }
            if answers.is_empty() && !skipped {
                continue;
            }
            let annotator = annotator.ok_or_else(|| {
                let advice = "nobody is known to have judged; name the field or the person";
                missing(Some(&block.annotator), "annotator", "annotator", advice)
            })?;
            labels::check(&self.map.says.protocol, &named, &answers)?;
            let [collection, query] = [self.collection.clone(), self.query.clone()];
            let mut judgment = Judgment {
                collection,
                query,
                annotator,
                answers,
                seconds,
                at,
                comment,
                skipped,
                ..about.clone()
            };
            if let Some(candidate) = about_other {
                let mut places = self.sink.queries_of(&candidate)?;
                let (Some([collection, query]), true) = (places.pop(), places.is_empty()) else {
                    let spec = block.candidate.as_ref().map_or("candidate", |spec| &spec.text);
                    let many = if places.is_empty() { "no" } else { "more than one" };
                    let what = format!("{spec}: {many} answer is called {}", quoted(&candidate));
                    let advice =
                        "import the texts first, with this id as the answer's (--map candidate.id=…)";
                    return Err(Error::new(what).advise(advice));
                };
                (judgment.collection, judgment.query) = (Some(collection), Some(query));
                judgment.candidate = Some(candidate);
            }
            judgment.protocol = self.reader.as_protocol.clone().unwrap_or_else(|| named.clone());
            let kind = if is_model { AnnotatorKind::Model } else { AnnotatorKind::Human };
            let annotator = Annotator { id: judgment.annotator.clone(), kind, meta: Meta::new() };
            self.judgments.push(LabelJudgment {
                place: self.place.clone(),
                named,
                annotator,
                is_kind_told: !by.is_empty(),
                judgment,
                is_own_question: block.is_own_question(),
            });
        }
        Ok(())
    }
}

/// Whether a row has a cell for one passage, which may be empty.
fn has_single_cell(row: &MapScope<'_>, blocks: &[DocumentBlock]) -> Result<bool> {
    for block in blocks {
        if row.has_single(block.each.as_ref())? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Where a text stands: in its field, or in a list of texts.
fn own_or_list<'s>(text: Option<&'s ValueSpec>, each: Option<&'s ValueSpec>) -> Option<&'s ValueSpec> {
    text.filter(|text| text.text != ".").or(each)
}

/// The error for a missing field, by its name in the map.
pub(super) fn missing(spec: Option<&ValueSpec>, name: &str, flag: &str, advice: &str) -> Error {
    let spec = spec.map_or(name, |spec| &spec.text);
    Error::new(format!("{spec} is missing or empty")).advise(format!("{advice} (--map {flag}=…)"))
}

pub(super) fn meta_of(scope: &MapScope<'_>, specs: &BTreeMap<String, ValueSpec>) -> Result<Meta> {
    let mut meta = Meta::new();
    for (name, spec) in specs {
        meta.extend(scope.raw(Some(spec))?.map(|value| (name.clone(), value)));
    }
    Ok(meta)
}

/// A text of the file, for a sentence.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", sentence::one_line(text))
}

/// A short name made of the fingerprint of texts.
fn short_name(begin: &str, texts: &[&str]) -> String {
    let print = fingerprint(texts).to_string();
    format!("{begin}{}", print.get(..12).unwrap_or(&print))
}
