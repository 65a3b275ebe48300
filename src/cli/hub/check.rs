//! `haymark hub check`: the health of a hub, and the things on it that do not fit into a file.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;

use super::Where;
use crate::cli::print_findings;
use crate::error::Result;
use crate::export::table::TableForm;
use crate::hub::{Archive, HubHealth, HubLink};
use crate::number::{counted, number_of};
use crate::store::{CheckReport, HeldThings, Severity, StudyFile};
use crate::text::shell::quoted;
use crate::text::width::visible;

#[derive(Debug, Args)]
pub struct HubCheck {
    /// A study file that has a hub, or the hub; when left out, study.db where it is here
    #[arg(value_name = "STUDY|URL")]
    pub place: Option<String>,
    #[command(flatten)]
    pub form: TableForm,
}

pub fn run(arguments: &HubCheck) -> Result<()> {
    let mut link = Where { hub: arguments.place.clone() }.link()?;
    let mut report = CheckReport::default();
    look_at_hub(&mut link, &mut report)?;
    let file = arguments.place.as_deref().unwrap_or("study.db");
    if Path::new(file).exists() {
        let study = StudyFile::open(Path::new(file))?;
        look_at_file(&study, &mut report)?;
        look_at_work(&mut link, &study, &mut report)?;
    }
    print_findings(&link.address().place(), &report, &arguments.form)
}

fn look_at_hub(link: &mut HubLink, report: &mut CheckReport) -> Result<()> {
    let HubHealth {
        server,
        connections: (used, most),
        blocked,
        size,
        head,
        archive,
        takes_large_objects,
        connected,
        lasting,
        nearly_full,
        wrong_rights,
    } = link.health()?;
    report.add(Severity::Right, "tables", format!("of this haymark's version, on PostgreSQL {server}"));
    if wrong_rights.is_empty() {
        report.add(Severity::Right, "rights", "as they were given");
    }
    for what in wrong_rights {
        let advice =
            "whoever owns the database sets them again: `haymark hub create`; until then trust no login";
        report.add(Severity::Wrong, "rights", what).advise(advice);
    }
    let is_full = used * 10 > most * 9;
    let what = format!("{used} of {most} connections of the server are in use");
    let found = report.add(if is_full { Severity::Warning } else { Severity::Right }, "connections", what);
    if is_full {
        found.advise("people wait for their turn; raise max_connections, or put a pooler in front");
    }
    if !connected.is_empty() {
        let names: Vec<_> = connected.iter().map(|(name, _)| visible(name)).collect();
        report.add(Severity::Right, "connected", names.join(", "));
    }
    match blocked {
        0 => report.add(Severity::Right, "locks", "nobody waits for anybody"),
        _ => report.add(Severity::Remark, "locks", format!("{blocked} wait for somebody else to be done")),
    };
    for (name, login, seconds) in lasting {
        let what = format!(
            "{} (login {login}) has a transaction open since {seconds} s ago, in which others may have to wait",
            visible(&name)
        );
        report.add(Severity::Warning, "locks", what).advise(
            "no haymark keeps one open; it is ended once somebody waits for it, and `haymark hub remove NAME` ends her access",
        );
    }
    report.add(
        Severity::Right,
        "size",
        format!("{} in {}", number_of(counted(head), "thing"), megabytes(size)),
    );
    for (name, sent, most) in nearly_full {
        let what = format!("{} has sent {} of {}", visible(&name), megabytes(sent), megabytes(most));
        report.add(Severity::Warning, "room", what).advise("`haymark hub limit NAME MB` allows more");
    }
    if takes_large_objects {
        let what = "every member may store large objects, which `haymark hub limit` does not count";
        let advice = "the server's superuser bars that: see \"Who may do what\" in docs/hub.md";
        report.add(Severity::Remark, "large objects", what).advise(advice);
    }
    match archive {
        Archive::Off => {
            let what = "the server keeps its log nowhere else; whether pg_dump runs it does not know";
            report.add(Severity::Remark, "backup", what).advise("see \"Backups\" in docs/hub.md");
        }
        Archive::Fails => {
            let what = "the server cannot put its log where archive_command says";
            report
                .add(Severity::Wrong, "backup", what)
                .advise("look into the log of the server, before its disk is full");
        }
        Archive::Works(None) => {
            report.add(Severity::Warning, "backup", "the server has put no piece of its log aside yet");
        }
        Archive::Works(Some(seconds)) => {
            let what = format!("the last piece of the log was put aside {seconds} s ago");
            report.add(Severity::Right, "backup", what);
        }
    }
    Ok(())
}

fn look_at_file(study: &StudyFile, report: &mut CheckReport) -> Result<()> {
    match (study.waiting_for_hub()?, study.others_waiting_for_hub()?) {
        (0, 0) => {
            report.add(Severity::Right, "waits", "nothing in this file waits for the hub");
        }
        (waiting, others) => {
            let what = format!("{waiting} in this file, and {others} that others have to send");
            report.add(Severity::Remark, "waits", what).advise("`haymark sync FILE` sends what is yours");
        }
    }
    for HeldThings { sender, why, count } in study.held_from_hub()? {
        let whose = sender.as_deref().map_or_else(|| "a lead".into(), visible);
        let what = format!("{} of {whose} kept aside: {why}", number_of(count, "thing"));
        report.add(Severity::Warning, "held", what).advise("nothing else is affected; ask whose it is");
    }
    Ok(())
}

/// Names who has groups counted as done by events that the study holds and does not understand.
fn look_at_work(link: &mut HubLink, study: &StudyFile, report: &mut CheckReport) -> Result<()> {
    let held = study.items_held()?;
    for name in study.handed_out_protocols()? {
        let Some(protocol) = study.protocol(&name)?.filter(|_| !held.is_empty()) else { continue };
        let assignable = study.assignable(&protocol)?;
        let names = study.names_on_hub(&protocol, &assignable)?;
        let groups: BTreeMap<_, _> = names
            .iter()
            .zip(&assignable.groups)
            .map(|(on_hub, group)| (&on_hub.key, (on_hub, group)))
            .collect();
        let mut unread: BTreeMap<String, usize> = BTreeMap::new();
        for one in link.taken(&name)?.into_iter().filter(|one| one.is_done) {
            let person = study.person_behind(&one.name)?;
            let is_unread = |(key, item): (&Vec<u8>, &usize)| {
                held.contains(&(one.name.clone(), key.clone())) && !assignable.done.has(&person, *item)
            };
            let group = groups.get(&one.key);
            if group.is_some_and(|(on_hub, group)| on_hub.items.iter().zip(&group.items).any(is_unread)) {
                *unread.entry(one.name).or_default() += 1;
            }
        }
        for (whose, count) in unread {
            let (count, are) = (number_of(count, "group"), if count == 1 { "is" } else { "are" });
            let what = format!(
                "{count} of {name:?} {are} done on the hub by what {} sent and nobody can read",
                visible(&whose)
            );
            let reopen =
                format!("`haymark assign STUDY --dynamic --protocol {name} --reopen {}`", quoted(&whose));
            let advice = format!("where no newer haymark is behind it, {reopen} has others judge it");
            report.add(Severity::Warning, "work", what).advise(advice);
        }
    }
    Ok(())
}

fn megabytes(bytes: i64) -> String {
    format!("{:.1} MB", bytes as f64 / f64::from(1 << 20))
}
