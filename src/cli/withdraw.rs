//! `haymark withdraw`: what should not count any more, and what does again.

use std::cmp::Ordering;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{now, open_to_decide, print, print_tables};
use crate::error::{Error, Result};
use crate::export::handed_on::{NamesTold, is_handed_on};
use crate::export::table::TableForm;
use crate::number::{first_few, number_of};
use crate::report::PeopleNamed;
use crate::report::amendments::table;
use crate::store::{Amended, StudyFile};
use crate::study::{Act, AmendedKind, Amendment, ImportedFile, time_of};
use crate::text::width::visible;

#[derive(Debug, Args)]
pub struct Withdraw {
    /// The study file
    pub study: PathBuf,
    /// What it is; when left out, what is withdrawn is listed
    #[arg(value_enum, requires_all = ["id", "by"])]
    pub what: Option<Withdrawable>,
    /// Its id; of an import the name of the file, or where several had it the first digits of its fingerprint
    #[arg(requires = "what")]
    pub id: Option<String>,
    /// The collection of a document or a query whose id several collections have
    #[arg(long, value_name = "ID")]
    pub collection: Option<String>,
    /// The query of a unit or a candidate
    #[arg(long, value_name = "ID")]
    pub query: Option<String>,
    /// Let it count again
    #[arg(long, requires = "what")]
    pub restore: bool,
    /// Overwrite its text as well, for good, here and in every file that takes this over
    #[arg(long, requires = "what", conflicts_with = "restore")]
    pub erase: bool,
    #[command(flatten)]
    pub decision: Reasoned,
    /// Write people's names in Markdown, LaTeX and HTML too; when left out, they are not told there
    #[arg(long)]
    pub names: bool,
    #[command(flatten)]
    pub form: TableForm,
}

/// Who decides, and why.
#[derive(Debug, Args)]
pub struct Reasoned {
    /// Who decides
    #[arg(long = "as", value_name = "NAME", requires = "reason")]
    pub by: Option<String>,
    /// Why, for everyone who reads the study
    #[arg(long, value_name = "TEXT", requires = "by")]
    pub reason: Option<String>,
    /// Say how many judgments it concerns, and write nothing
    #[arg(long)]
    pub dry_run: bool,
}

impl Reasoned {
    /// An amendment with the name and the reason that were given.
    pub fn amendment(&self, act: Act, of: AmendedKind, id: &str) -> Result<Amendment> {
        let given = |what: &str, value: &Option<String>| match value.as_deref().map(str::trim) {
            Some(value) if !value.is_empty() => Ok(value.to_owned()),
            _ => Err(Error::usage(format!("{what} is needed: it stays with what is changed"))),
        };
        let (by, why) = (given("--as NAME", &self.by)?, given("--reason TEXT", &self.reason)?);
        Ok(Amendment { by, why, ..Amendment::about(act, of, id, now()) })
    }

    /// A sentence on what was done to a subject, and on how many judgments count now.
    pub fn told(&self, subject: &str, done: &str, amended: Amended) -> String {
        let Amended { before, after } = amended;
        let judgments = |count: usize| number_of(count, "judgment");
        let change = match after.cmp(&before) {
            Ordering::Equal => format!("{} count as before", judgments(after)),
            Ordering::Less => format!("{} count, {} fewer", judgments(after), before - after),
            Ordering::Greater => format!("{} count, {} more", judgments(after), after - before),
        };
        let is = if self.dry_run { "would be" } else { "is" };
        format!("{subject} {is} {done}: {change}\n")
    }
}

/// What can be withdrawn. People are left out by `haymark people`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Withdrawable {
    /// A query with its units and candidates
    Query,
    /// A document
    Document,
    /// A content unit
    Unit,
    /// A candidate
    Candidate,
    /// A sample: its items stay
    Sample,
    /// The judgments of an imported file
    Import,
}

impl Withdrawable {
    fn kind(self) -> AmendedKind {
        match self {
            Withdrawable::Query => AmendedKind::Query,
            Withdrawable::Document => AmendedKind::Document,
            Withdrawable::Unit => AmendedKind::Unit,
            Withdrawable::Candidate => AmendedKind::Candidate,
            Withdrawable::Import => AmendedKind::Import,
            Withdrawable::Sample => AmendedKind::Sample,
        }
    }
}

/// The digits of a fingerprint that a person reads and types.
const FINGERPRINT_SHOWN: usize = 8;

pub fn run(arguments: &Withdraw) -> Result<()> {
    let (Some(what), Some(id)) = (arguments.what, &arguments.id) else {
        let study = StudyFile::open_read_only(&arguments.study)?;
        let is_hidden = is_handed_on(&arguments.form, arguments.names);
        NamesTold::of(&study, is_hidden)?;
        return match table(&study, if is_hidden { PeopleNamed::No } else { PeopleNamed::Yes })? {
            Some(table) => print_tables(&[table], &arguments.form),
            None => print("nothing is withdrawn, and nobody is joined or left out\n"),
        };
    };
    let mut study = open_to_decide(&arguments.study, arguments.decision.dry_run)?;
    let (act, done) = match (arguments.restore, arguments.erase) {
        (true, _) => (Act::Restore, "restored"),
        (false, true) => (Act::Erase, "erased for good"),
        (false, false) => (Act::Withdraw, "withdrawn"),
    };
    if act == Act::Erase && matches!(what, Withdrawable::Import | Withdrawable::Sample) {
        return Err(Error::usage(format!("{} {id:?} has no text of its own", what.kind().name()))
            .advise("withdraw it without --erase; erase documents, queries, units, candidates"));
    }
    if act == Act::Restore && what == Withdrawable::Sample {
        return Err(Error::usage("a sample is drawn again, and not restored").advise(
            "the same options and seed draw the same; `haymark assign STUDY --name NAME …` keeps it",
        ));
    }
    let found = named(&study, arguments, arguments.decision.amendment(act, what.kind(), id)?)?;
    let amended = study.amend(&[found], None, arguments.decision.dry_run)?;
    print(&arguments.decision.told(&format!("{} {}", what.kind().name(), visible(id)), done, amended))
}

/// The amendment with the names that its subject has in the study.
fn named(study: &StudyFile, arguments: &Withdraw, amendment: Amendment) -> Result<Amendment> {
    let collection_of = |of: AmendedKind, key: &str| match &arguments.collection {
        Some(collection) => Ok(collection.clone()),
        None => study.collection_of(of, key),
    };
    match amendment.of {
        AmendedKind::Query | AmendedKind::Document => {
            Ok(Amendment { collection: collection_of(amendment.of, &amendment.id)?, ..amendment })
        }
        AmendedKind::Unit | AmendedKind::Candidate => {
            let what = || Error::usage(format!("a {} needs --query ID", amendment.of.name()));
            let query = arguments.query.clone().ok_or_else(what)?;
            Ok(Amendment { collection: collection_of(AmendedKind::Query, &query)?, query, ..amendment })
        }
        AmendedKind::Import => {
            let all = study.imported_files()?;
            let is_named = |file: &&ImportedFile| file.source == amendment.id;
            let is_meant = |file: &&ImportedFile| {
                amendment.id.len() >= FINGERPRINT_SHOWN && file.content.starts_with(&amendment.id)
            };
            let mut files: Vec<&ImportedFile> = all.iter().filter(is_named).collect();
            if files.is_empty() {
                files = all.iter().filter(is_meant).collect();
                files.dedup_by_key(|file| &file.content);
            }
            match &files[..] {
                [file] => Ok(Amendment { id: file.content.clone(), ..amendment }),
                [] => Err(Error::new(format!("no file {:?} was imported", amendment.id))
                    .in_file(study.path())
                    .advise(known_files(study)?)),
                _ => Err(Error::new(format!("several files {:?} were imported", amendment.id))
                    .in_file(study.path())
                    .advise(format!("name one by its fingerprint: {}", told_apart(study, &amendment.id)?))),
            }
        }
        AmendedKind::Annotator | AmendedKind::Collection | AmendedKind::Sample => Ok(amendment),
    }
}

/// The files of one name, each by the first digits of its fingerprint and the time at which it came in.
fn told_apart(study: &StudyFile, source: &str) -> Result<String> {
    let of = |(content, at): (String, i64)| {
        let content: String = content.chars().take(FINGERPRINT_SHOWN).collect();
        format!("{content} (came in {})", time_of(at).unwrap_or_default())
    };
    Ok(study.imports_named(source)?.into_iter().map(of).collect::<Vec<String>>().join(", "))
}

fn known_files(study: &StudyFile) -> Result<String> {
    let names: Vec<String> = study.imported_files()?.into_iter().map(|file| file.source).collect();
    Ok(match names.is_empty() {
        true => "no file was imported".to_owned(),
        false => format!("imported were {}", first_few(&names)),
    })
}
