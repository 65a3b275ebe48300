//! `haymark import`: files into a study, and what came of each.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use indexmap::IndexMap;

use super::{Shown, import_by_map, open_to_decide};
use crate::error::Result;
use crate::formats::{Format, InputBytes, ReadOptions};
use crate::number::{first_few, millis, number_of};
use crate::progress;
use crate::store::{ImportOptions, ImportReport, Imports};
use crate::study::{RecordKind, Remark, Sink};
use crate::text::hash::Fingerprint;
use crate::text::width::visible;

#[derive(Debug, Args)]
pub struct Import {
    /// The study file; made when it is not there
    pub study: PathBuf,
    /// The files to bring in, all of them or none; - for standard input
    #[arg(required_unless_present = "maps", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[arg(long, help = format!("What the files are, when their contents do not tell: {}", names_of_formats()))]
    pub format: Option<String>,
    /// The map by which files of other programs are read: its name, a TOML file, or FIELD=PATH,… such as
    /// question=user_input,answer=response
    #[arg(long, value_name = "MAP", conflicts_with = "format")]
    pub map: Option<String>,
    /// List the maps that are known, those of the study first
    #[arg(long)]
    pub maps: bool,
    /// A corpus with the texts of documents that the files only name
    #[arg(long, value_name = "FILE")]
    pub texts: Option<PathBuf>,
    /// Take labels as judgments under this protocol; where there is none, one is made of them, and written to PROTOCOL.toml
    #[arg(long, value_name = "PROTOCOL")]
    pub as_protocol: Option<String>,
    /// Import nothing; show by which map each file would be read, what its first record would become, and what the import would
    /// say: new records, known ones, and those that would be refused. Answers wait meanwhile
    #[arg(long)]
    pub dry_run: bool,
    /// The judge whose answers are brought in: the one that the judge requests were exported for
    #[arg(long = "as", value_name = "JUDGE")]
    pub judge: Option<String>,
    /// Leave out records that cannot be taken, and list them
    #[arg(long)]
    pub skip_bad: bool,
}

fn names_of_formats() -> String {
    Format::ALL.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ")
}

pub fn run(arguments: &Import) -> Result<()> {
    let is_rehearsal = arguments.dry_run || arguments.maps;
    let opened = arguments.study.exists().then(|| open_to_decide(&arguments.study, is_rehearsal));
    let study = opened.transpose()?;
    if arguments.maps {
        return import_by_map::list(study.as_ref());
    }
    let sources = import_by_map::sources(arguments, study.as_ref())?;
    let reading = ReadOptions { judge: arguments.judge.clone() };
    let formats: Vec<Format> = sources.iter().filter_map(|(_, reader)| reader.format()).collect();
    reading.check(formats.iter().copied())?;
    if arguments.dry_run {
        return import_by_map::try_out(arguments, study, &sources, &reading);
    }
    let _shown = Shown::begin("importing", "nothing came in");
    sources.iter().for_each(|(input, _)| progress::expect(input.size()));
    import_by_map::run(arguments, study, &sources, &reading)
}

/// Imports what `read` makes of a source.
pub(super) fn import(
    imports: &Imports<'_>,
    input: &InputBytes,
    options: ImportOptions,
    read: impl FnOnce(&mut dyn Sink) -> Result<()>,
) -> Result<ImportReport> {
    let content = input.fingerprint()?;
    import_as(imports, (input, content), options, read)
}

/// Imports what `read` makes of a source, under this fingerprint.
pub(super) fn import_as(
    imports: &Imports<'_>,
    (input, content): (&InputBytes, Fingerprint),
    options: ImportOptions,
    read: impl FnOnce(&mut dyn Sink) -> Result<()>,
) -> Result<ImportReport> {
    let path = input.name();
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    imports.import(&name, content, options, now(), read)
}

/// Wall time in milliseconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    millis(since)
}

/// The report of what came from one source, as lines. `has_read` says that there was something in it, such as labels alone, or
/// what a file before it brought.
pub fn told(source: &str, report: &ImportReport, has_read: bool) -> String {
    let mut text = format!("{}: ", visible(source));
    let is_empty = |counts: &BTreeMap<RecordKind, usize>| counts.values().all(|count| *count == 0);
    let is_new = !is_empty(&report.added) || !is_empty(&report.replaced) || !is_empty(&report.joined);
    match (!is_new, report.left_out > 0) {
        (true, true) => text.push_str("nothing came in\n"),
        (true, false) if is_empty(&report.known) => text.push_str(match has_read {
            true => "no new records came in\n",
            false => "nothing came in, there is nothing in it\n",
        }),
        (true, false) => text.push_str("nothing new, the study holds all of it already\n"),
        (false, _) if is_empty(&report.added) => text.push_str("no new records came in\n"),
        (false, _) => text.push_str(&format!("{} came in\n", counted(&report.added))),
    }
    for (kind, count) in &report.joined {
        text += &match kind {
            RecordKind::Judgment => format!("  rows with further answers of judgments: {count}\n"),
            kind => format!("  rows that say more of {}: {count}\n", plural(*kind, 2)),
        };
    }
    if !is_empty(&report.replaced) {
        text.push_str(&format!(
            "  in the place of others, which stay in the journal: {}\n",
            counted(&report.replaced)
        ));
    }
    if is_new {
        text.push_str(&listed_as("already there", &report.known));
        text.push_str(&listed_as("given again", &report.again));
    }
    if !report.withdrawn.is_empty() {
        text.push_str(&format!(
            "  withdrawn, and counted nowhere: {}; `haymark withdraw STUDY` says when and why, and \
             `haymark withdraw STUDY KIND ID --restore --as NAME --reason TEXT` lets it count again\n",
            visible(&first_few(&report.withdrawn))
        ));
    }
    if !report.erased.is_empty() {
        text.push_str(&format!(
            "  erased for good, and staying out: {}; `haymark withdraw STUDY` says when and why\n",
            visible(&first_few(&report.erased))
        ));
    }
    if report.with_headings > 0 {
        text.push_str(&format!(
            "  summaries with headings (lines after #): {}; a heading is a line to choose when judging, and no bullet in words per bullet\n",
            report.with_headings
        ));
    }
    let (left_out, kept): (Vec<_>, Vec<_>) = report.remarks.iter().partition(|remark| remark.left_out);
    for (remarks, what, few) in [(kept, "to be looked at", LISTED), (left_out, "left out", FEW)] {
        if remarks.is_empty() {
            continue;
        }
        text.push_str(&format!("  {what} ({}):\n", remarks.len()));
        text.push_str(&listed(&remarks, few));
    }
    text
}

/// The most lines, and the most reasons, that are listed.
const LISTED: usize = 20;

/// Lists remarks: the count of each reason, where there are more than a few remarks and several are alike, then the first
/// remarks one by one.
fn listed(remarks: &[&Remark], few: usize) -> String {
    let line = |remark: &Remark| format!("{}: {}", remark.place, visible(&remark.what));
    let mut alike: IndexMap<String, (usize, &Remark)> = IndexMap::new();
    for remark in remarks {
        alike.entry(reason(&remark.what)).or_insert((0, remark)).0 += 1;
    }
    alike.sort_by(|_, (one, _), _, (other, _)| other.cmp(one));
    let mut text = String::new();
    if remarks.len() > few && alike.len() < remarks.len() {
        for (count, remark) in alike.values().take(LISTED) {
            text.push_str(&format!("    {count} like {}\n", line(remark)));
        }
        if let Some(others) = alike.len().checked_sub(LISTED).filter(|others| *others > 0) {
            text.push_str(&format!("    and for {}\n", number_of(others, "other reason")));
        }
        text.push_str("  one by one:\n");
    }
    text.extend(remarks.iter().take(LISTED).map(|remark| format!("    {}\n", line(remark))));
    if let Some(more) = remarks.len().checked_sub(LISTED).filter(|more| *more > 0) {
        text.push_str(&format!("    and {more} more\n"));
    }
    text
}

/// The most left-out records that are seen at a glance.
const FEW: usize = 5;

/// The sentence of a remark without names and numbers, which is the same for remarks of one reason.
fn reason(what: &str) -> String {
    let (mut is_name, mut before) = (false, ' ');
    let kept = what.chars().filter(|sign| {
        is_name ^= *sign == '"' && before != '\\';
        before = *sign;
        !is_name && !sign.is_ascii_digit()
    });
    kept.collect()
}

fn listed_as(what: &str, counts: &BTreeMap<RecordKind, usize>) -> String {
    match counted(counts) {
        nothing if nothing.is_empty() => nothing,
        counted => format!("  {what}: {counted}\n"),
    }
}

fn counted(counts: &BTreeMap<RecordKind, usize>) -> String {
    let kinds: Vec<String> = counts
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(kind, count)| format!("{count} {}", plural(*kind, *count)))
        .collect();
    kinds.join(", ")
}

fn plural(kind: RecordKind, count: usize) -> String {
    match (kind, count) {
        (RecordKind::Journal, 1) => "row of the journal".to_owned(),
        (RecordKind::Journal, _) => "rows of the journal".to_owned(),
        (_, 1) => kind.name().to_owned(),
        (RecordKind::Query, _) => "queries".to_owned(),
        _ => format!("{}s", kind.name()),
    }
}
