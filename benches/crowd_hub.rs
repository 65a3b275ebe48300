//! A hub of 150, 400 and 1,000 people, on a server that lets in a hundred: how long an answer takes to it. `-- 1000` runs that
//! crowd alone; three minutes each.

mod support {
    pub mod report;
}
#[cfg(unix)]
#[allow(dead_code, reason = "tests use more of it")]
#[path = "../tests/all/harness/cluster.rs"]
mod cluster;
#[path = "../tests/all/harness/crowd.rs"]
mod crowd;

fn main() {
    #[cfg(unix)]
    unix::main();
}

#[cfg(unix)]
mod unix {
    use std::time::{Duration, Instant};

    use haymark::hub::{HubLink, MemberKind};

    use super::cluster::Cluster;
    use super::crowd::answer;
    use super::support::report::{Report, Samples, Target};

    /// How many people, and how soon each answer is to be there, in ms.
    const CROWDS: [(usize, f64); 3] = [(150, 1_000.0), (400, 10_000.0), (1_000, 10_000.0)];

    /// Time between two answers of a person.
    const EVERY: Duration = Duration::from_secs(5);
    const ANSWERS: usize = 36;

    pub fn main() {
        let Some(mut report) = Report::start("a crowd at a hub") else {
            return;
        };
        let wanted: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
        for (count, longest) in CROWDS {
            if !wanted.is_empty() && !wanted.contains(&count) {
                continue;
            }
            // The server's usual setting.
            let Some(cluster) = Cluster::start("max_connections = 100") else {
                return;
            };
            let link = |user, database| HubLink::to(cluster.address(user, database)).expect("a runtime");
            // A lead who is no superuser: the server keeps places for superusers.
            for statement in ["create role lead login createrole", "create database team owner lead"] {
                link("postgres", "postgres").batch(statement).expect("made");
            }
            let mut lead = link("lead", "team");
            lead.create("lead").expect("a hub");
            let people: Vec<_> = (0..count)
                .map(|number| {
                    let name = format!("person {number}");
                    let login = lead.invite(&name, MemberKind::Annotator).expect("invited").0;
                    (name, cluster.address(&login, "team"))
                })
                .collect();
            lead.hang_up();
            let (took, waits) = std::thread::scope(|scope| {
                let leads = scope.spawn(|| {
                    let each = |_| {
                        std::thread::sleep(EVERY * 3);
                        let begun = Instant::now();
                        // A lead tries again.
                        while link("lead", "team").members().is_err() {}
                        begun.elapsed().as_secs_f64() * 1e3
                    };
                    (0..10).map(each).collect::<Vec<f64>>()
                });
                (answer(&people, EVERY, ANSWERS), leads.join().expect("a lead"))
            });
            let took = Samples::of(took);
            let what = format!("{count} people, an answer each 5 s: the answer");
            report.spread(&what, &took, Target::None, Target::AtMost(longest));
            report.line("  the slowest", took.percentile(100), "ms", Target::AtMost(longest));
            report.line(
                "  a lead comes in, the slowest of ten",
                Samples::of(waits).percentile(100),
                "ms",
                Target::AtMost(10_000.0),
            );
        }
        report.finish();
    }
}
