//! A hub and its files, whatever happens to them: the network is cut at any byte, programs are killed, the server's power fails, an
//! old copy of it comes back, files are copied and worked in twice, clocks are wrong. What was acknowledged ends up in the lead's
//! file, and nothing else. `HAYMARK_CHAOS=300` runs so many rounds; a few otherwise. `HAYMARK_SEED` draws others.

use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use haymark::hub::MemberKind;
use haymark::journal::Happening;
use haymark::protocol::{Answer, builtin};
use haymark::store::StudyFile;

use super::{corpus, summary};
use crate::harness::{Desk, Draw, Proxy, Server};

const PEOPLE: [&str; 3] = ["alice", "bora", "陈"];
const DAY: i64 = 86_400_000;

/// The most files of one person.
const COPIES: usize = 3;

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
}

/// The answers that a file acknowledged, each by the name of its event.
type Given = BTreeMap<(i64, i64), (String, String)>;

/// Somebody answers in a file, at a time that may be wrong.
fn answers(desk: &Desk, file: &str, name: &str, now: i64, draw: &mut Draw, given: &mut Given) {
    let coverage = builtin("coverage").expect("built in");
    let mut study = StudyFile::open(&desk.path(file)).expect("opened");
    let queue = study.open_queue(name, coverage).expect("a queue");
    for _ in 0..1 + draw.below(3) {
        let place = draw.below(queue.progress.total);
        let item = study.load(queue.annotator, coverage, place).expect("loaded").item;
        let says = *draw.of(&["none", "partial", "full"]);
        let happening = Happening::Answer { question: "coverage".into(), answer: Answer::Text(says.into()) };
        let texts = item.texts();
        let appended = study
            .append(queue.annotator, coverage, item.id, texts, &[(happening, 900)], now)
            .expect("on disk");
        for id in appended.ids {
            let is_new = given.insert((id.writer.0, id.seq), (name.to_owned(), says.to_owned())).is_none();
            assert!(is_new, "a name of an event was given twice");
        }
    }
}

/// The answers of everybody that a file holds.
fn held(desk: &Desk, file: &str) -> Given {
    let coverage = builtin("coverage").expect("built in");
    // To ask for somebody's queue makes one, and the file is to stay as it is.
    fs::copy(desk.path(file), desk.path("look.db")).expect("a copy");
    let mut study = StudyFile::open(&desk.path("look.db")).expect("opened");
    let mut given = Given::new();
    for name in PEOPLE {
        let queue = study.open_queue(name, coverage).expect("a queue");
        for place in 0..queue.progress.total {
            let item = study.load(queue.annotator, coverage, place).expect("loaded").item;
            for event in study.events(queue.annotator, item.id).expect("events") {
                if let Happening::Answer { answer: Answer::Text(says), .. } = event.happening {
                    given.insert((event.id.writer.0, event.id.seq), (name.to_owned(), says));
                }
            }
        }
    }
    given
}

/// `haymark sync`, killed after a while or not at all; whether it ended well.
fn syncs(desk: &Desk, file: &str, killed_after: Option<Duration>) -> bool {
    let mut command = desk.command(&["sync", file]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("haymark");
    if let Some(after) = killed_after {
        thread::sleep(after);
        let _ = child.kill();
    }
    child.wait().expect("ended").success()
}

#[test]
fn whatever_happens_nothing_is_lost_and_nothing_is_made_up() {
    let Some(server) = Server::own("") else { return };
    let cluster = server.cluster.as_ref().expect("a server of its own");
    let (rounds, seed) = (number("HAYMARK_CHAOS", 8), number("HAYMARK_SEED", 1));
    let (desk, proxy, mut draw) = (Desk::new(), Proxy::to(cluster.port), Draw::from_seed(seed));
    desk.import("corpus.jsonl", &corpus(4, 3));
    desk.out(&["hub", "create", &server.url(&server.lead), "study.db", "--as", "lena"]);
    let mut lead = server.link(&server.lead);
    let mut files: Vec<(&str, String)> = Vec::new();
    for name in PEOPLE {
        let url = server.url(&server.invite(&mut lead, name, MemberKind::Annotator));
        let url = url.replace(&format!(":{}/", cluster.port), &format!(":{}/", proxy.port));
        let file = format!("{name}.db");
        desk.out(&["hub", "join", &url, "-o", &file]);
        files.push((name, file));
    }
    lead.hang_up();

    let (mut given, mut summaries, mut has_copy) = (Given::new(), 3, false);
    let mut troubles: BTreeMap<&str, usize> = BTreeMap::new();
    for round in 0..rounds {
        let begun = 1_767_600_000_000 + i64::try_from(round).expect("few") * 60_000;
        for (name, file) in &files {
            if draw.below(2) == 0 {
                let skew = *draw.of(&[0, 0, 0, DAY, -DAY, 400 * DAY, -400 * DAY]);
                answers(&desk, file, name, begun + skew, &mut draw, &mut given);
            }
        }
        let trouble = match draw.below(20) {
            0..=6 => "cut",
            7..=11 => "kill",
            12 => "down",
            13 => "power",
            14 => "copy of the server",
            15 if has_copy => "old server",
            16 if files.len() < PEOPLE.len() * COPIES => "copy of a file",
            17 => "more to judge",
            _ => "none",
        };
        *troubles.entry(trouble).or_default() += 1;
        match trouble {
            "cut" => proxy.cut(1 + draw.below(20_000) as u64),
            "down" => proxy.set_down(true),
            "power" => cluster.end(),
            "copy of the server" => {
                cluster.end();
                cluster.keep();
                cluster.begin();
                has_copy = true;
            }
            "old server" => {
                cluster.end();
                cluster.bring_back();
                cluster.begin();
            }
            "copy of a file" => {
                let (name, file) = draw.of(&files).clone();
                let copy = format!("{name}-{}.db", files.len());
                fs::copy(desk.path(&file), desk.path(&copy)).expect("a copy");
                files.push((name, copy));
            }
            "more to judge" => {
                desk.import("more.jsonl", &[summary(summaries)]);
                summaries += 1;
            }
            _ => {}
        }
        for (_, file) in &files {
            if draw.below(2) == 0 {
                let kill = (trouble == "kill").then(|| Duration::from_millis(draw.below(400) as u64));
                syncs(&desk, file, kill);
            }
        }
        if draw.below(4) == 0 {
            syncs(&desk, "study.db", None);
        }
        match trouble {
            "cut" => proxy.cut(0),
            "down" => proxy.set_down(false),
            "power" => cluster.begin(),
            _ => {}
        }
    }

    // All is well again. A file that was ahead of an old server sends the rest at its next turn.
    for _ in 0..3 {
        for file in files.iter().map(|(_, file)| file.as_str()).chain(["study.db"]) {
            assert!(syncs(&desk, file, None), "{file}: {}", desk.fails(&["sync", file]).1);
        }
    }
    let found = held(&desk, "study.db");
    let lost: Vec<_> = given.iter().filter(|(id, says)| found.get(id) != Some(says)).collect();
    let made_up: Vec<_> = found.iter().filter(|(id, says)| given.get(id) != Some(says)).collect();
    assert!(lost.is_empty() && made_up.is_empty(), "seed {seed}: lost {lost:?}; made up {made_up:?}");
    desk.out(&["hub", "join", &server.url(&server.lead), "-o", "anew.db"]);
    assert_eq!(held(&desk, "anew.db"), given, "seed {seed}: a new file of the lead");
    assert_eq!(desk.out(&["export", "study.db"]), desk.out(&["export", "anew.db"]), "seed {seed}");
    for (_, file) in &files {
        desk.out(&["check", file]);
    }
    desk.out(&["check", "study.db"]);
    println!("HAYMARK_CHAOS: {rounds} rounds, {} answers, {} files: {troubles:?}", given.len(), files.len());
}
