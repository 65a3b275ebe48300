//! `haymark split`: the study file that one annotator takes home.

use std::path::{Path, PathBuf};

use clap::Args;

use super::print;
use crate::error::Result;
use crate::number::number_of;
use crate::store::{SplitReport, StudyFile};
use crate::text::shell::quoted;
use crate::text::width::visible;

#[derive(Debug, Args)]
pub struct Split {
    /// The study file
    pub study: PathBuf,
    /// Who takes the file home
    #[arg(long = "for", value_name = "NAME")]
    pub annotator: String,
    /// The file to write; when left out, STUDY-NAME.db beside the study
    #[arg(long, value_name = "FILE")]
    pub to: Option<PathBuf>,
}

pub fn run(arguments: &Split) -> Result<()> {
    let study = StudyFile::open(&arguments.study)?;
    let name = &study.person_behind(&arguments.annotator)?;
    let to = arguments.to.clone().unwrap_or_else(|| beside(&arguments.study, name));
    let report = study.split(name, &to)?;
    print(&told(&arguments.study, name, &to, &report))
}

/// `study.db` becomes `study-NAME.db`; what a file's name cannot hold becomes `_`.
fn beside(study: &Path, name: &str) -> PathBuf {
    let allowed = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | ' ');
    let name: String = name.chars().map(|letter| if allowed(letter) { letter } else { '_' }).collect();
    let stem = study.file_stem().unwrap_or_default().to_string_lossy();
    let ending = study.extension().map_or_else(|| "db".into(), |ending| ending.to_string_lossy());
    study.with_file_name(format!("{stem}-{name}.{ending}"))
}

fn told(study: &Path, name: &str, to: &Path, report: &SplitReport) -> String {
    let count = |kind: &str| {
        let found = report.counts.iter().find(|(counted, _)| counted == kind);
        found.map_or(0, |(_, count)| *count)
    };
    let shown = visible(name);
    let done =
        ["event", "session"].map(|kind| (count(kind), kind)).into_iter().filter(|(count, _)| *count > 0);
    let done: Vec<String> = done.map(|(count, kind)| number_of(count, kind)).collect();
    let own = match (report.is_known, done.is_empty()) {
        (false, _) => format!("{shown} is new to the study"),
        (true, true) => format!("nothing by {shown} yet"),
        (true, false) => format!("{} by {shown}", done.join(" and ")),
    };
    let work: Vec<String> = match report.assigned.as_slice() {
        [] => vec![format!("nobody has an assignment, so all items are {shown}'s")],
        protocols => protocols.iter().map(|(protocol, number)| work(&shown, protocol, *number)).collect(),
    };
    let work = work.join("; ");
    let (told, study) = (quoted(&to.display().to_string()), quoted(&study.display().to_string()));
    format!(
        "made {}: {} documents, {} units, {} candidates; {own}; {work}\n  \
         `haymark annotate {told} --as {}` goes on in it; `haymark merge {study} {told}` brings it back\n",
        to.display(),
        count("document"),
        count("unit"),
        count("candidate"),
        quoted(name),
    )
}

fn work(name: &str, protocol: &str, number: usize) -> String {
    match number {
        0 => format!("nothing of {protocol} is assigned to {name}, so all of its items are {name}'s there"),
        1 => format!("1 item of {protocol} is assigned to {name}"),
        _ => format!("{number} items of {protocol} are assigned to {name}"),
    }
}
