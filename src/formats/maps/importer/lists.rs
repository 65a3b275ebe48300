//! The lists of a file, whose documents may stand anywhere in it: beyond a bound they are in a temporary file.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, BuildHasherDefault};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};

use indexmap::IndexMap;
use indexmap::map::Entry;
use serde::Serialize;
use tempfile::SpooledTempFile;

use super::FileNotes;
use super::blocks::quoted;
use crate::error::{Error, Result};
use crate::study::{Place, RankedDocument, RankedList, Record, Sink};
use crate::text::fast::Multiply;

/// Bytes of lists that are kept in memory. Tests have a low number, so that they go the way of a large file.
const IN_MEMORY: usize = if cfg!(test) { 64 } else { 16 << 20 };

/// Collection, query and retriever.
pub(super) type ListKeys = [String; 3];

/// A list, and the answer whose own list it is; an empty name where the file gives the list itself.
pub(super) type OwnedList = (ListKeys, String);

/// A document of a list with its rank, where it has one; no document at a place that a row leaves empty.
type PlacedDocument = (Option<f64>, Option<RankedDocument>);

/// The list of one answer, with the place where it begins and the numbers by which the answer cites.
#[derive(Default)]
struct AnswerList {
    begins: Option<Place>,
    documents: Vec<PlacedDocument>,
    cites: BTreeSet<u32>,
}

/// The lists of a file, as their documents come.
pub(super) struct FileLists {
    /// Parts of lists: a line of JSON with the keys, the answer, the place and the numbers that it cites, then documents with their
    /// ranks, a line each, then `null`.
    kept: BufWriter<SpooledTempFile>,
    /// The hash of each part's keys, and where the part begins.
    parts: Vec<(u64, u64)>,
    /// The list to which the last document was added.
    open: Option<OwnedList>,
    /// Where the next line begins.
    end: u64,
}

impl FileLists {
    pub(super) fn new() -> FileLists {
        let kept = BufWriter::new(SpooledTempFile::new(IN_MEMORY));
        FileLists { kept, parts: Vec::new(), open: None, end: 0 }
    }

    /// Adds a document to a list, with its rank where it has one; or an empty place.
    pub(super) fn add(
        &mut self,
        list: OwnedList,
        ranked: (Option<f64>, Option<&RankedDocument>),
        place: &Place,
    ) -> Result<()> {
        if self.open.as_ref() != Some(&list) {
            self.begin(list, BTreeSet::new(), place)?;
        }
        self.put(&ranked)
    }

    /// Begins a part of a list, with the numbers by which its answer cites.
    pub(super) fn begin(&mut self, list: OwnedList, cites: BTreeSet<u32>, place: &Place) -> Result<()> {
        self.end_part()?;
        self.parts.push((BuildHasherDefault::<Multiply>::default().hash_one(&list.0), self.end));
        let (line, path) = match place {
            Place::Line(line) => (Some(line), None),
            Place::Path(path) => (None, Some(path)),
        };
        self.put(&(&list, line, path, cites))?;
        self.open = Some(list);
        Ok(())
    }

    fn end_part(&mut self) -> Result<()> {
        self.open.take().map_or(Ok(()), |_| self.put(&()))
    }

    fn put(&mut self, line: &impl Serialize) -> Result<()> {
        let mut text = serde_json::to_vec(line).map_err(|error| cannot_keep(error.into()))?;
        text.push(b'\n');
        self.end += text.len() as u64;
        self.kept.write_all(&text).map_err(cannot_keep)
    }

    /// Hands over the lists in the order in which they began. A document has its first place in a list;
    /// without a rank, the place at which it came. Documents that stand twice and citations of no place are
    /// told.
    pub(super) fn hand_over(mut self, sink: &mut dyn Sink, notes: &mut FileNotes) -> Result<()> {
        self.end_part()?;
        let kept = self.kept.into_inner().map_err(|error| cannot_keep(error.into_error()))?;
        let mut kept = BufReader::new(kept);
        kept.rewind().map_err(cannot_keep)?;
        // Parts of one list come together, in the order of the first of them.
        self.parts.sort_unstable();
        for parts in self.parts.chunk_by_mut(|(one, _), (next, _)| one == next) {
            let first = parts.first().map_or(0, |(_, begin)| *begin);
            parts.iter_mut().for_each(|(list, _)| *list = first);
        }
        self.parts.sort_unstable();
        for parts in self.parts.chunk_by(|(one, _), (next, _)| one == next) {
            // Two lists may have one hash.
            let mut lists = IndexMap::new();
            for (_, begin) in parts {
                read_part(&mut kept, *begin, &mut lists).map_err(cannot_keep)?;
            }
            for (keys, of_answers) in lists {
                let cites: Vec<(BTreeSet<u32>, Option<Place>)> =
                    of_answers.values().map(|own| (own.cites.clone(), own.begins.clone())).collect();
                let documents = one_list(&keys, of_answers, sink)?;
                for (cites, place) in cites {
                    let astray =
                        cites.iter().filter(|cited| **cited == 0 || **cited as usize > documents.len());
                    place.into_iter().for_each(|place| notes.note_astray(astray.clone().count(), &place));
                }
                let [collection, query, retriever] = keys;
                if !documents.is_empty() {
                    let ranking = RankedList { collection, query, retriever, documents };
                    sink.take(Place::Line(1), Record::Ranking(ranking))?;
                }
            }
        }
        Ok(())
    }
}

/// The one list of a retriever for a query, from those of its answers and that of the file.
fn one_list(
    [_, query, retriever]: &ListKeys,
    of_answers: IndexMap<String, AnswerList>,
    sink: &mut dyn Sink,
) -> Result<Vec<RankedDocument>> {
    let mut whole: IndexMap<String, (f64, RankedDocument)> = IndexMap::new();
    let mut first: Option<(Vec<String>, Option<Place>)> = None;
    for (answer, AnswerList { begins, mut documents, cites }) in of_answers {
        let last = documents.iter().rposition(|(_, ranked)| ranked.is_some());
        documents.truncate(last.map_or(0, |last| last + 1));
        let has_gap = documents.iter().any(|(_, ranked)| ranked.is_none());
        let documents = documents.into_iter().filter_map(|(rank, ranked)| Some((rank, ranked?)));
        let (mut names, mut twice) = (Vec::new(), None);
        let mut once: IndexMap<String, (f64, RankedDocument)> = IndexMap::new();
        for (rank, ranked) in documents {
            names.push(ranked.document.clone());
            let rank = rank.unwrap_or((once.len() + 1) as f64);
            match once.entry(ranked.document.clone()) {
                Entry::Vacant(place) => drop(place.insert((rank, ranked))),
                Entry::Occupied(_) => twice = twice.or(Some(ranked.document)),
            }
        }
        // Rows that say the list again and again, such as one for each annotator, say nothing new.
        let is_whole = names.len().is_multiple_of(once.len().max(1));
        twice = twice.filter(|_| !is_whole || names.iter().ne(once.keys().cycle().take(names.len())));
        let cites_behind = cites.last().is_some_and(|last| *last > 1);
        let shifts = match &twice {
            Some(document) => Some(format!("has {} in two rows", quoted(document))),
            None => has_gap.then(|| "has a row without a passage before others".to_owned()),
        };
        if let (Some(shifts), true) = (shifts, cites_behind) {
            let what = format!(
                "the list of {} for this question {shifts}, and an answer cites by places",
                quoted(retriever)
            );
            let error = Error::new(what).advise("give the whole list in one cell or list of each row");
            return Err(begins.map_or(error.clone(), |begins| error.at(&begins)));
        }
        if let Some(document) = twice {
            let list = Place::Path(format!("the list of {} for {}", quoted(retriever), quoted(query)));
            sink.remark(list, format!("{} stands in it twice; its first place counts", quoted(&document)));
        }
        once.sort_by(|_, (one, _), _, (other, _)| one.total_cmp(other));
        if !answer.is_empty() && !once.is_empty() {
            let names: Vec<String> = once.keys().cloned().collect();
            match &first {
                Some((known, place)) if *known != names => {
                    let place = place.as_ref().map_or_else(String::new, |place| format!(" at {place}"));
                    let what = format!("{} has other documents for this question{place}", quoted(retriever));
                    let error = Error::new(what)
                        .advise("name a field that tells the lists apart (--map retriever=FIELD), such as the system's");
                    return Err(begins.map_or(error.clone(), |begins| error.at(&begins)));
                }
                Some(_) => {}
                None => first = Some((names, begins)),
            }
        }
        for (document, ranked) in once {
            whole.entry(document).or_insert(ranked);
        }
    }
    whole.sort_by(|_, (one, _), _, (other, _)| one.total_cmp(other));
    Ok(whole.into_values().map(|(_, document)| document).collect())
}

fn read_part(
    kept: &mut BufReader<SpooledTempFile>,
    begin: u64,
    lists: &mut IndexMap<ListKeys, IndexMap<String, AnswerList>>,
) -> io::Result<()> {
    let at = kept.stream_position()?;
    kept.seek_relative(begin.cast_signed() - at.cast_signed())?;
    let mut line = String::new();
    kept.read_line(&mut line)?;
    let ((keys, answer), of_line, path, cites): (OwnedList, Option<u64>, Option<String>, BTreeSet<u32>) =
        serde_json::from_str(&line)?;
    let own = lists.entry(keys).or_default().entry(answer).or_default();
    own.begins = own.begins.take().or(of_line.map(Place::Line)).or(path.map(Place::Path));
    own.cites.extend(cites);
    loop {
        line.clear();
        kept.read_line(&mut line)?;
        let Some(ranked) = serde_json::from_str::<Option<PlacedDocument>>(&line)? else { return Ok(()) };
        own.documents.push(ranked);
    }
}

fn cannot_keep(error: io::Error) -> Error {
    let folder = std::env::temp_dir();
    Error::new(format!("the lists of the file cannot be kept in {}: {error}", folder.display()))
        .advise("make room there, or name another folder in TMPDIR")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Handed(Vec<RankedList>);

    impl Sink for Handed {
        fn take(&mut self, _: Place, record: Record) -> Result<()> {
            if let Record::Ranking(list) = record {
                self.0.push(list);
            }
            Ok(())
        }

        fn remark(&mut self, _: Place, _: String) {}

        fn refuse(&mut self, _: Place, error: Error) -> Result<()> {
            Err(error)
        }
    }

    #[test]
    fn documents_of_a_list_come_together_from_anywhere_in_a_file() {
        let mut lists = FileLists::new();
        let keys = |query: &str| ["c", query, "bm25"].map(str::to_owned);
        for (query, rank, document) in [
            ("二", Some(2.0), "b"),
            ("二", Some(1.0), "a"),
            ("one", None, "x"),
            ("one", None, "x"),
            ("二", Some(0.5), "c\nd"),
            ("one", None, "y"),
            ("二", Some(9.0), "a"),
        ] {
            let document = RankedDocument { document: document.to_owned(), ..RankedDocument::default() };
            lists.add((keys(query), String::new()), (rank, Some(&document)), &Place::Line(1)).expect("kept");
        }
        let mut handed = Handed(Vec::new());
        lists.hand_over(&mut handed, &mut FileNotes::default()).expect("handed over");
        let names =
            |list: &RankedList| list.documents.iter().map(|one| one.document.clone()).collect::<Vec<_>>();
        let found: Vec<(&str, Vec<String>)> =
            handed.0.iter().map(|list| (list.query.as_str(), names(list))).collect();
        let expected = [("二", vec!["c\nd", "a", "b"]), ("one", vec!["x", "y"])];
        assert_eq!(
            found,
            expected.map(|(query, names)| (query, names.into_iter().map(str::to_owned).collect()))
        );
    }
}
