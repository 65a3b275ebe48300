//! The list of documents that an answer was made from, and the numbers in its text that cite them.

use indexmap::IndexSet;
use serde_json::Value;

use super::blocks::{missing, quoted};
use super::making::Making;
use crate::error::{Error, Result};
use crate::formats::maps::map::{CandidateBlock, LineBlock};
use crate::formats::maps::node::as_text;
use crate::formats::maps::path::MapScope;
use crate::formats::sentence;
use crate::study::{Candidate, CitedList};
use crate::text::citation::{Citation, citations, cited};

/// The documents of an answer's list.
#[derive(Debug, Default)]
pub(super) struct ListedDocuments {
    /// The names of the documents, each once.
    pub names: IndexSet<String>,
    /// For each place of the list, where its document stands among the names; `None` where it has none.
    pub places: Vec<Option<usize>>,
    /// The first passage of each document.
    pub once: Vec<usize>,
}

impl Making<'_> {
    /// The documents of an answer's list. A document counts once: whoever cites it by its second place means the first.
    pub(super) fn listed(&mut self, list: &[Option<usize>]) -> ListedDocuments {
        let mut listed = ListedDocuments::default();
        for place in list {
            let passage = place.and_then(|place| self.passages.get(place));
            let (at, is_new) = match passage {
                Some(passage) => listed.names.insert_full(passage.document.id.clone()),
                None => (0, false),
            };
            listed.once.extend(place.filter(|_| is_new));
            if let (Some(passage), false) = (passage, is_new) {
                let what = format!(
                    "{} stands twice in the list; its first place counts",
                    quoted(&passage.document.id)
                );
                self.sink.remark(self.place.clone(), what);
            }
            listed.places.push(passage.map(|_| at));
        }
        listed
    }

    /// Whether a record has a list of documents for an answer, which may be empty.
    pub(super) fn has_list(
        &self,
        (scope, block): (&MapScope<'_>, &CandidateBlock),
        whole: &MapScope<'_>,
        listed: &ListedDocuments,
    ) -> Result<bool> {
        let mut has_list = !listed.names.is_empty();
        for (scope, documents) in [(whole, &self.map.says.document), (scope, &block.document)] {
            for document in documents {
                has_list |= scope.has_field(document.each.as_ref())?;
            }
        }
        Ok(has_list)
    }

    /// Whether the numbers in an answer's text count its own list; where they do, they are compared with it at the end of the
    /// file, and where they count nothing that is known, they are noted.
    pub(super) fn take_citations(
        &mut self,
        (scope, block): (&MapScope<'_>, &CandidateBlock),
        whole: &MapScope<'_>,
        listed: &ListedDocuments,
        candidate: &mut Candidate,
    ) -> Result<()> {
        let is_cited = !listed.names.is_empty() && !citations(&candidate.text).is_empty();
        let is_counted = !block.line.is_empty() || block.cites_from.is_some() || is_cited;
        // An answer whose list is empty cites nothing, whatever its numbers are elsewhere.
        let has_list = self.has_list((scope, block), whole, listed)?;
        candidate.cites = (has_list && is_counted).then(CitedList::default);
        let cites = cited(&candidate.text);
        match (&candidate.cites, &candidate.retriever) {
            // The list may go on in other records.
            (Some(_), Some(retriever)) => {
                let [collection, query] = self.keys();
                let list = [collection, query, retriever.clone()];
                self.cited.push((list, candidate.id.clone(), cites));
            }
            (Some(_), None) => self.reader.notes.note_astray(cites.len(), &self.place),
            (None, _) if listed.names.is_empty() => {
                for number in cites {
                    let is_astray = self.sink.free_number(&candidate.collection, number)? == number;
                    self.reader.notes.note_astray(usize::from(is_astray), &self.place);
                }
            }
            (None, _) => {}
        }
        Ok(())
    }
}

/// The lines of an answer, each with its citations behind it.
pub(super) fn lines(
    scope: &MapScope<'_>,
    block: &LineBlock,
    start: Option<u32>,
    listed: &ListedDocuments,
) -> Result<Option<String>> {
    let mut lines = Vec::new();
    for line in scope.each(block.each.as_ref())? {
        let said = line.some_text(Some(&block.text), None)?;
        let said = said
            .ok_or_else(|| missing(Some(&block.text), "text", "candidate.line.text", "correct the line"))?;
        let cites = cites(line.raw(block.cites.as_ref())?, start.unwrap_or_default(), listed)?;
        lines.push(format!("{}{cites}", said.replace('\n', " ")));
    }
    Ok(Some(lines.join("\n")).filter(|text| !text.is_empty()))
}

/// The citations of a line, as a group of numbers behind it: places in the list, counted from 1.
fn cites(given: Option<Value>, start: u32, listed: &ListedDocuments) -> Result<String> {
    let Some(Value::Array(given)) = given else { return Ok(String::new()) };
    let ListedDocuments { names, places, .. } = listed;
    let place = |cited: &Value| {
        let text = as_text(cited);
        let by_name = names.get_index_of(text.as_str());
        let by_number = || *places.get(text.parse::<usize>().ok()?.checked_sub(start as usize)?)?;
        by_name.or_else(by_number).map(|place| (place + 1).to_string()).ok_or_else(|| {
            let text = sentence::one_line(&text);
            Error::new(format!("a line cites {text}, but its list has {} passages", places.len()))
                .advise("correct the line or the list")
        })
    };
    let places = given.iter().map(place).collect::<Result<Vec<_>>>()?;
    Ok(if places.is_empty() { String::new() } else { format!(" [{}]", places.join(", ")) })
}

/// Renumbers an answer whose `[n]` count the passages from `start`, so that they count the places of their documents from 1. `[0]`
/// stands for a place without a document.
pub(super) fn from_one(text: &str, start: u32, places: &[Option<usize>]) -> String {
    let mut counted = String::with_capacity(text.len());
    let mut behind = 0;
    let number = |number: &u32| {
        let place = number.checked_sub(start).and_then(|passage| places.get(passage as usize));
        place.map_or(*number, |place| place.map_or(0, |place| place as u32 + 1))
    };
    let is_other = |citation: &Citation| citation.numbers.iter().any(|cited| number(cited) != *cited);
    for citation in citations(text).into_iter().filter(is_other) {
        let numbers: Vec<String> = citation.numbers.iter().map(|cited| number(cited).to_string()).collect();
        counted += text.get(behind..citation.span.start()).unwrap_or_default();
        counted += &format!("[{}]", numbers.join(", "));
        behind = citation.span.end();
    }
    counted + text.get(behind..).unwrap_or_default()
}
