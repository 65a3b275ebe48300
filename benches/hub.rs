//! A hub on a server of its own, over the loopback: how quickly a study goes there and comes back, and how long an answer
//! takes while a hundred people work.

mod support {
    pub mod program;
    pub mod records;
    pub mod report;
    pub mod texts;
}
#[cfg(unix)]
#[allow(dead_code, reason = "tests use more of it")]
#[path = "../tests/all/harness/cluster.rs"]
mod cluster;

fn main() {
    #[cfg(unix)]
    unix::main();
}

#[cfg(unix)]
mod unix {
    use std::path::Path;
    use std::sync::{Barrier, Mutex};
    use std::thread;
    use std::time::{Duration, Instant};

    use haymark::hub::{Hub, HubLink, HubMark, MOST_EVENTS, MemberKind, SentEvent};

    use super::cluster::Cluster;
    use super::support::program::run;
    use super::support::records::{MILLION, write_corpus, write_judgments};
    use super::support::report::{Report, Samples, Target, timed};

    const PEOPLE: usize = 100;
    /// Time between two answers of a person.
    const EVERY: Duration = Duration::from_secs(5);

    pub fn main() {
        let Some(mut report) = Report::start("the hub") else {
            return;
        };
        let Some(cluster) = Cluster::start("max_connections = 200\nmax_wal_size = '4GB'") else {
            return;
        };
        for database in ["bare", "whole", "busy"] {
            let mut root = link(&cluster, "postgres", "postgres");
            root.batch(&format!("create database {database}")).expect("a database");
        }
        bare(&mut report, &cluster);
        busy(&mut report, &cluster);
        whole(&mut report, &cluster);
        report.finish();
    }

    fn link(cluster: &Cluster, user: &str, database: &str) -> HubLink {
        HubLink::to(cluster.address(user, database)).expect("a runtime")
    }

    fn event(annotator: &str, writer: i64, seq: i64) -> SentEvent {
        let body =
            format!("{{\"question\":\"coverage\",\"answer\":\"partial\",\"n\":{seq:012}}}").into_bytes();
        SentEvent {
            writer,
            seq,
            annotator: annotator.to_owned(),
            journal: b'e',
            at: Some(1_767_600_000_000 + seq),
            item: Some(vec![7; 16]),
            body,
        }
    }

    /// Events to the server and back, without a study file.
    fn bare(report: &mut Report, cluster: &Cluster) {
        let mut lead = link(cluster, "postgres", "bare");
        lead.create("lead").expect("a hub");
        let most = MOST_EVENTS as i64;
        let (took, ()) = timed(|| {
            for batch in 0..1_000_000 / most {
                let events: Vec<_> = (1..=most).map(|seq| event("lead", 5, batch * most + seq)).collect();
                lead.send(&events).expect("sent");
            }
        });
        report.line("1,000,000 events to the server, 5,000 a call", took / 1e3, "s", Target::AtMost(20.0));
        let (mut mark, mut count) = (HubMark::NONE, 0);
        let (took, ()) = timed(|| {
            loop {
                let fetched = lead.exchange(&[], mark, 10_000).expect("fetched");
                count += fetched.rows.len();
                match fetched.rows.last() {
                    Some(row) => mark = row.mark,
                    None => break,
                }
            }
        });
        assert_eq!(count, 1_000_000);
        report.line("  and back, 10,000 a call", took / 1e3, "s", Target::AtMost(10.0));
        let empty = Samples::take(2_000, || lead.exchange(&[], mark, 1_000).expect("fetched").rows.len());
        report.spread("a fetch with nothing new", &empty, Target::AtMost(5.0), Target::None);
    }

    /// Study files of a million judgments.
    fn whole(report: &mut Report, cluster: &Cluster) {
        let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
        let (study, corpus, judgments) =
            (folder.path().join("study.db"), folder.path().join("corpus"), folder.path().join("judgments"));
        write_corpus(&corpus, MILLION);
        write_judgments(&judgments, MILLION);
        run(&[Path::new("import"), &study, &corpus]);
        run(&[Path::new("import"), &study, &judgments]);
        let url = cluster.address("postgres", "whole").to_string();
        let up = run(&[Path::new("hub"), Path::new("create"), Path::new(&url), &study]).seconds;
        report.line("a study of 1,000,000 judgments to its hub", up, "s", Target::AtMost(20.0));
        let copy = folder.path().join("copy.db");
        let down =
            run(&[Path::new("hub"), Path::new("join"), Path::new(&url), Path::new("-o"), &copy]).seconds;
        report.line("  and from there into a new file", down, "s", Target::AtMost(10.0));
    }

    /// A hundred people, each with a connection, two minutes.
    fn busy(report: &mut Report, cluster: &Cluster) {
        let mut lead = link(cluster, "postgres", "busy");
        lead.create("lead").expect("a hub");
        let names: Vec<String> = (0..PEOPLE).map(|number| format!("person {number}")).collect();
        let people: Vec<(String, String)> = names
            .into_iter()
            .map(|name| {
                let login = lead.invite(&name, MemberKind::Annotator).expect("invited").0;
                (name, login)
            })
            .collect();
        let (sends, fetches) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        let barrier = Barrier::new(PEOPLE);
        thread::scope(|scope| {
            for (number, (name, login)) in people.iter().enumerate() {
                let (sends, fetches, barrier) = (&sends, &fetches, &barrier);
                scope.spawn(move || {
                    let mut link = link(cluster, login, "busy");
                    let mut mark = link.exchange(&[], HubMark::NONE, 1).expect("in").head;
                    barrier.wait();
                    let begin = Instant::now() + EVERY.mul_f64(number as f64 / PEOPLE as f64);
                    for seq in 1..=24 {
                        let at = begin + EVERY * (seq - 1) as u32;
                        thread::sleep(at.saturating_duration_since(Instant::now()));
                        let event = event(name, number as i64 + 1, seq);
                        let (took, sent) = timed(|| link.send(&[event]));
                        sent.expect("sent");
                        sends.lock().expect("a lock").push(took);
                        let (took, fetched) = timed(|| link.exchange(&[], mark, 1_000).expect("fetched"));
                        mark = fetched.head;
                        fetches.lock().expect("a lock").push(took);
                    }
                });
            }
        });
        let samples = |times: Mutex<Vec<f64>>| Samples::of(times.into_inner().expect("a lock"));
        let what = "100 people, an answer each 5 s: the answer";
        report.spread(what, &samples(sends), Target::None, Target::AtMost(250.0));
        report.spread("  and a fetch after it", &samples(fetches), Target::None, Target::AtMost(250.0));
    }
}
