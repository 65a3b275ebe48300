//! The lists of a file, whose documents may stand anywhere in it: beyond a bound they are in a temporary file.

use std::hash::{BuildHasher, BuildHasherDefault};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};

use indexmap::IndexMap;
use indexmap::map::Entry;
use serde::Serialize;
use tempfile::SpooledTempFile;

use super::blocks::quoted;
use crate::error::{Error, Result};
use crate::study::{Place, RankedDocument, RankedList, Record, Sink};
use crate::text::fast::Multiply;

/// Bytes of lists that are kept in memory. Tests have a low number, so that they go the way of a large file.
const IN_MEMORY: usize = if cfg!(test) { 64 } else { 16 << 20 };

/// Collection, query and retriever.
pub(super) type ListKeys = [String; 3];

/// The documents of a list by their ids, each with its rank, and the first that came a second time.
type RankedOnce = (IndexMap<String, (f64, RankedDocument)>, Option<String>);

/// The lists of a file, as their documents come.
pub(super) struct FileLists {
    /// Parts of lists, a line of JSON each: the keys, then documents with their ranks, then `null`.
    kept: BufWriter<SpooledTempFile>,
    /// The hash of each part's keys, and where the part begins.
    parts: Vec<(u64, u64)>,
    /// The list to which the last document was added.
    open: Option<ListKeys>,
    /// Where the next line begins.
    end: u64,
}

impl FileLists {
    pub(super) fn new() -> FileLists {
        let kept = BufWriter::new(SpooledTempFile::new(IN_MEMORY));
        FileLists { kept, parts: Vec::new(), open: None, end: 0 }
    }

    /// Adds a document to a list, with its rank where it has one.
    pub(super) fn add(&mut self, list: ListKeys, rank: Option<f64>, document: &RankedDocument) -> Result<()> {
        if self.open.as_ref() != Some(&list) {
            self.end_part()?;
            self.parts.push((BuildHasherDefault::<Multiply>::default().hash_one(&list), self.end));
            self.put(&list)?;
            self.open = Some(list);
        }
        self.put(&(rank, document))
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

    /// Hands over each list, in the order in which they began. A document has its first place in a list; without a rank, that is
    /// the place at which it came. A remark names each list that has a document twice.
    pub(super) fn hand_over(mut self, sink: &mut dyn Sink) -> Result<()> {
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
            for ([collection, query, retriever], (mut documents, twice)) in lists {
                if let Some(document) = twice {
                    let list =
                        Place::Path(format!("the list of {} for {}", quoted(&retriever), quoted(&query)));
                    sink.remark(
                        list,
                        format!("{} stands in it twice; its first place counts", quoted(&document)),
                    );
                }
                documents.sort_by(|_, (one, _), _, (other, _)| one.total_cmp(other));
                let documents = documents.into_values().map(|(_, document)| document).collect();
                let ranking = RankedList { collection, query, retriever, documents };
                sink.take(Place::Line(1), Record::Ranking(ranking))?;
            }
        }
        Ok(())
    }
}

fn read_part(
    kept: &mut BufReader<SpooledTempFile>,
    begin: u64,
    lists: &mut IndexMap<ListKeys, RankedOnce>,
) -> io::Result<()> {
    let at = kept.stream_position()?;
    kept.seek_relative(begin.cast_signed() - at.cast_signed())?;
    let mut line = String::new();
    kept.read_line(&mut line)?;
    let (documents, twice) = lists.entry(serde_json::from_str(&line)?).or_default();
    loop {
        line.clear();
        kept.read_line(&mut line)?;
        let ranked: Option<(Option<f64>, RankedDocument)> = serde_json::from_str(&line)?;
        let Some((rank, document)) = ranked else { return Ok(()) };
        let rank = rank.unwrap_or((documents.len() + 1) as f64);
        match documents.entry(document.document.clone()) {
            Entry::Vacant(place) => drop(place.insert((rank, document))),
            Entry::Occupied(_) => *twice = twice.take().or(Some(document.document)),
        }
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
            lists.add(keys(query), rank, &document).expect("kept");
        }
        let mut handed = Handed(Vec::new());
        lists.hand_over(&mut handed).expect("handed over");
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
