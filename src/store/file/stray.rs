//! Stray journals: files beside a study that are not its own. SQLite would write them over the study when it opens it.
//!
//! A rollback journal holds pages as they were before a transaction. SQLite keeps page 1 in memory while the
//! transaction goes on and writes it once, at the commit, with its change counter one higher. So the file's
//! page 1 is either the one in the journal or has the next number; with any other number the journal is of another
//! state, and its pages do not fit the rest of the file. The form of a journal is in the SQLite file format,
//! section 3, and in `pager_playback` of its source: records that SQLite would not play back do not count here either.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::read_only::{ENDINGS, beside};
use super::{Header, beside_real};
use crate::error::{Error, Result};
use crate::number::counted;

const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
/// The used bytes of a header, which takes up a whole sector.
const HEAD: usize = 28;
/// The least size of a journal that SQLite reads.
const SHORTEST: u64 = 512;
/// The offset of SQLite's locks in a file; the page there is never used.
const LOCKS: u64 = 0x4000_0000;
/// How often to look while another program writes, and how long to wait in between.
const LOOKS: usize = 500;
const PAUSE: Duration = Duration::from_millis(2);

/// Refuses a study with a log or journal beside it that is not its own. Nothing is touched.
pub(crate) fn refuse(path: &Path, header: Header) -> Result<()> {
    if let Some(log) = log_of_another(path, header) {
        let what = format!("{} lies beside it, which is not from haymark", log.display());
        let advice = "move it away; what it holds would be written over the study";
        return Err(Error::new(what).advise(advice).in_file(path));
    }
    match journal_of_another(path)? {
        Some(stray) => Err(Error::new(stray.what()).advise(stray.advice()).in_file(path)),
        None => Ok(()),
    }
}

/// Refuses a study with a pipe or device beside it where SQLite would look for a journal, and wait.
pub(crate) fn refuse_devices(path: &Path) -> Result<()> {
    for ending in ENDINGS {
        let beside = beside_real(path, ending);
        if fs::metadata(&beside).is_ok_and(|found| !found.is_file()) {
            let what = format!("{} lies beside it, which is no file", beside.display());
            return Err(Error::new(what).advise("move it away").in_file(path));
        }
    }
    Ok(())
}

/// Refuses a name for a new study with a journal or log beside it that SQLite would take for the new study's.
pub(crate) fn refuse_leftovers(path: &Path) -> Result<()> {
    refuse_devices(path)?;
    for ending in ["-journal", "-wal"] {
        let left = beside(path, ending);
        if fs::metadata(&left).is_ok_and(|found| found.len() > 0) {
            let what = format!("{} lies there, which belonged to another file of this name", left.display());
            let advice = "put that file back, or move what lies there away";
            return Err(Error::new(what).advise(advice).in_file(path));
        }
    }
    Ok(())
}

/// The write-ahead log beside a file whose header says that it has none.
pub(crate) fn log_of_another(path: &Path, header: Header) -> Option<PathBuf> {
    let log = beside_real(path, "-wal");
    (!header.write_ahead && fs::metadata(&log).is_ok_and(|found| found.len() > 0)).then_some(log)
}

/// A rollback journal of another state of the file, or of another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StrayJournal {
    path: PathBuf,
    why: String,
}

impl StrayJournal {
    pub(crate) fn what(&self) -> String {
        format!("{} lies beside it and is the journal of another state: {}", self.path.display(), self.why)
    }

    pub(crate) fn advice(&self) -> &'static str {
        "if this is a copy that was put back, move the journal away; if not, put the journal's own file back"
    }
}

/// The rollback journal beside the file, if SQLite would play it back and it is not the file's own. Where other programs
/// write so busily that there is no telling, the error is busy.
pub(crate) fn journal_of_another(path: &Path) -> Result<Option<StrayJournal>> {
    let place = beside_real(path, "-journal");
    let mut before = None;
    for look in 0..LOOKS {
        if look > 0 {
            std::thread::sleep(PAUSE);
        }
        let journal = Journal::open(&place).map_err(|error| unreadable(&place, &error))?;
        let Some(mut journal) = journal else { return Ok(None) };
        let study = Study::read(path).map_err(|error| unreadable(path, &error))?;
        let why = journal.misfit(&study).map_err(|error| unreadable(&place, &error))?;
        let Some(why) = why else { return Ok(None) };
        // A program may have written between reading journal and study: then the journal is another one by now.
        let again = Journal::open(&place).map_err(|error| unreadable(&place, &error))?;
        if again.is_none_or(|again| again.head != journal.head) {
            before = None;
            continue;
        }
        let found = Some(StrayJournal { path: place.clone(), why });
        if found == before {
            return Ok(found);
        }
        before = found;
    }
    Err(Error::busy(format!("other programs keep writing to {}", path.display()))
        .advise("wait until they are done and try again"))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::new(format!("the file cannot be read: {error}")).in_file(path)
}

/// The parts of the study that the journal is compared with.
struct Study {
    head: Vec<u8>,
    size: u64,
}

impl Study {
    fn read(path: &Path) -> std::io::Result<Study> {
        let mut file = File::open(path)?;
        let mut head = Vec::with_capacity(100);
        (&mut file).take(100).read_to_end(&mut head)?;
        Ok(Study { head, size: file.metadata()?.len() })
    }
}

/// The number at this offset; 0 where the bytes end before.
fn number(bytes: &[u8], at: usize) -> u32 {
    let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
    four.map_or(0, u32::from_be_bytes)
}

/// The change counter in a database's first page.
fn counter(page: &[u8]) -> u32 {
    number(page, 24)
}

/// A rollback journal that SQLite would play back.
struct Journal {
    file: BufReader<File>,
    size: u64,
    head: [u8; HEAD],
}

impl Journal {
    /// Opens a journal; `None` where there is none, or one that SQLite passes over: never synced, finished, or no
    /// journal at all.
    fn open(path: &Path) -> std::io::Result<Option<Journal>> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let about = file.metadata()?;
        let mut journal = Journal { file: BufReader::new(file), size: about.len(), head: [0; HEAD] };
        if !about.is_file() || journal.size < SHORTEST || !journal.reads_at(0, HEAD)? {
            return Ok(None);
        }
        let mut head = [0; HEAD];
        journal.file.read_exact(&mut head)?;
        journal.head = head;
        let (sector, page) = (journal.sector(), journal.page());
        let is_sound = head.starts_with(&MAGIC)
            && (page == 0 || ((512..=65_536).contains(&page) && page.is_power_of_two()))
            && (32..=65_536).contains(&sector)
            && sector.is_power_of_two();
        Ok(is_sound.then_some(journal))
    }

    /// The size of the file before the transaction, in pages.
    fn pages_before(&self) -> u32 {
        number(&self.head, 16)
    }

    fn sector(&self) -> u64 {
        number(&self.head, 20).into()
    }

    /// The page size in bytes; 0 stands for the study's.
    fn page(&self) -> u64 {
        number(&self.head, 24).into()
    }

    /// Goes to this offset; returns whether so many bytes are there.
    fn reads_at(&mut self, at: u64, bytes: usize) -> std::io::Result<bool> {
        self.file.seek(SeekFrom::Start(at))?;
        Ok(at.saturating_add(bytes as u64) <= self.size)
    }

    /// Why this is not the journal of the study; `None` where it is.
    fn misfit(&mut self, study: &Study) -> std::io::Result<Option<String>> {
        let before = self.pages_before();
        let page = match (self.page(), Header::read(&study.head)) {
            (0, Some(header)) => u64::from(header.page_size),
            (page, _) => page,
        };
        if page == 0 {
            return Ok(None);
        }
        let pages = study.size / page;
        let held = self.held(page, pages)?;
        let (now, noted) = (counter(&study.head), Header::read(&study.head).and_then(|header| header.pages));
        let missing = u64::from(before).saturating_sub(pages);
        let why = match held.first {
            // The transaction that made the file: its first page is of the first change.
            None if before == 0 => {
                (now > 1).then(|| format!("it is that of a new file, and this was changed {now} times"))
            }
            _ if (held.beyond.len() as u64) < missing => {
                Some(format!("it is that of a file of {before} pages, and this has {pages}"))
            }
            None => noted
                .filter(|noted| *noted > before)
                .map(|noted| format!("it is that of a file of {before} pages, and this has {noted}")),
            Some(first) => {
                let then = counter(&first);
                let is_own = study.head.get(..100) == first.get(..100) || now == then.wrapping_add(1);
                (!is_own).then(|| match now == then {
                    true => "its first page is another one".to_owned(),
                    false => format!("its change counter is {then}, that of the file {now}"),
                })
            }
        };
        Ok(why)
    }

    /// Reads the records as SQLite plays them back, up to the first bytes that are no record.
    fn held(&mut self, page: u64, pages: u64) -> std::io::Result<HeldJournal> {
        let mut held = HeldJournal::default();
        let (sector, before) = (self.sector(), self.pages_before());
        let missing = u64::from(before).saturating_sub(pages);
        // At most 65,544 bytes.
        let mut record = vec![0; counted(page + 8)];
        let mut at: u64 = 0;
        loop {
            at = at.next_multiple_of(sector);
            let mut head = [0; HEAD];
            if at + sector > self.size || !self.reads_at(at, HEAD)? {
                return Ok(held);
            }
            self.file.read_exact(&mut head)?;
            if !head.starts_with(&MAGIC) {
                return Ok(held);
            }
            let count = match number(&head, 8) {
                u32::MAX => (self.size - sector) / (page + 8),
                count => u64::from(count),
            };
            at += sector;
            for _ in 0..count {
                if !self.reads_at(at, record.len())? {
                    return Ok(held);
                }
                self.file.read_exact(&mut record)?;
                at += page + 8;
                let of = number(&record, 0);
                if of == 0 || u64::from(of) == LOCKS / page + 1 {
                    return Ok(held);
                }
                if of > before {
                    continue;
                }
                let (content, sum) = record[4..].split_at(record.len() - 8);
                if checksum(number(&head, 12), content) != number(sum, 0) {
                    return Ok(held);
                }
                if of == 1 && held.first.is_none() {
                    held.first = Some(content.to_vec());
                }
                if u64::from(of) > pages {
                    held.beyond.insert(of);
                }
                if held.first.is_some() && held.beyond.len() as u64 >= missing {
                    return Ok(held);
                }
            }
        }
    }
}

/// The pages of a journal that matter here: the first page of the file, and pages behind its end.
#[derive(Default)]
struct HeldJournal {
    first: Option<Vec<u8>>,
    /// The numbers of pages behind the end of the file.
    beyond: BTreeSet<u32>,
}

/// SQLite's sum over every two hundredth byte from the end.
fn checksum(start: u32, page: &[u8]) -> u32 {
    let places = (1..page.len()).rev().skip(199).step_by(200);
    places.filter_map(|at| page.get(at)).fold(start, |sum, byte| sum.wrapping_add(u32::from(*byte)))
}
