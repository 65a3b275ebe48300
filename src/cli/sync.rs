//! `haymark sync`: two study files become the same, each by taking in what the other holds more; or one and its hub.

use std::path::PathBuf;

use clap::Args;

use super::{hub, print_tables, refuse_clashes, tables};
use crate::cli::open::open;
use crate::error::{Error, Result};
use crate::export::table::TableForm;
use crate::hub::Address;
use crate::store::{MergeMode, StudyFile};
use crate::text::percent;

#[derive(Debug, Args)]
pub struct Sync {
    /// The study file
    pub study: PathBuf,
    /// The other study file, or a folder with one of the same name: a path, or file://…; when left out, the study's hub
    #[arg(value_name = "URL")]
    pub with: Option<String>,
    /// Say what would go which way and where the files differ, and write nothing
    #[arg(long, requires = "with")]
    pub dry_run: bool,
    #[command(flatten)]
    pub form: TableForm,
}

pub fn run(arguments: &Sync) -> Result<()> {
    let Some(with) = &arguments.with else { return hub::sync(&arguments.study) };
    let mut ours = open(&arguments.study)?;
    let mut theirs = file_of(with)?;
    if theirs.is_dir() {
        theirs.push(arguments.study.file_name().unwrap_or_default());
    }
    if theirs.try_exists().is_ok_and(|exists| !exists) {
        return Err(Error::new("there is no such file")
            .in_file(&theirs)
            .advise("copy the study there once; from then on both take in what the other has"));
    }
    let mode = if arguments.dry_run { MergeMode::Rehearse } else { MergeMode::Write };
    let here = ours.merge(std::slice::from_ref(&theirs), mode)?;
    let mut other = StudyFile::open(&theirs)?;
    let there = other.merge(std::slice::from_ref(&arguments.study), mode).map_err(|error| {
        let what = format!("this study has taken in what {} has, and not the other way", theirs.display());
        match arguments.dry_run {
            true => error,
            false => error.also(&what).in_file(&theirs),
        }
    })?;
    let mut both = Vec::new();
    for (study, reports) in [(&ours, &here), (&other, &there)] {
        both.extend(reports.iter().flat_map(|report| tables(study, report, mode, arguments.form.format)));
    }
    print_tables(&both, &arguments.form)?;
    refuse_clashes(&ours, &here)
}

/// The path that a URL names.
fn file_of(url: &str) -> Result<PathBuf> {
    let Some((scheme, rest)) = url.split_once("://") else { return Ok(PathBuf::from(url)) };
    if !scheme.eq_ignore_ascii_case("file") {
        if Address::is_one(url) {
            return Err(Error::usage(format!("{scheme}:// is a hub, not a file")).advise(
                "`haymark sync STUDY` alone goes to the study's hub; `haymark hub join` makes a file of one",
            ));
        }
        return Err(Error::usage(format!("{scheme}:// cannot be reached; haymark syncs files"))
            .advise("name a path, such as one on a share, or file:///…"));
    }
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return Err(Error::usage(format!("{url} names another machine"))
            .advise("write file:/// and the whole path, or the path alone"));
    }
    percent::decoded(path)
        .map(PathBuf::from)
        .ok_or_else(|| Error::usage(format!("{url} is no URL")).advise("name the path alone"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_files() {
        for (url, path) in [
            ("share/study.db", "share/study.db"),
            ("file:///mnt/our%20share/%E7%A0%94.db", "/mnt/our share/研.db"),
            ("FILE://localhost/a.db", "/a.db"),
        ] {
            assert_eq!(file_of(url), Ok(PathBuf::from(path)));
        }
        for url in ["https://example.org/study.db", "file://server/study.db", "file:///%zz", "file:///%"] {
            assert!(file_of(url).is_err(), "{url}");
        }
    }
}
