//! Every command that writes, on a small study: what it finds, what it makes of it, and step by step how.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use haymark::store::{Severity, check};
use serde_json::{Value, json};

use crate::harness::{Desk, Disk, Shim, Step, project, sample, steps, without_names};

/// Files by their names in a folder.
pub type Files = BTreeMap<PathBuf, Vec<u8>>;

/// What a file holds that a command makes or changes: a study as it is exported, a folder as all of its files, `None` where
/// there is nothing.
pub type Holding = (&'static str, Option<String>);

pub struct Job {
    arguments: &'static [&'static str],
    /// The files that it makes or changes. A name that ends with / is a folder.
    results: &'static [&'static str],
    prepare: fn(&Desk),
}

const JOBS: [Job; 14] = [
    Job { arguments: &["init", "new.db"], results: &["new.db"], prepare: |_| {} },
    Job { arguments: &["import", "new.db", "both.jsonl"], results: &["new.db"], prepare: texts },
    Job {
        arguments: &["import", "study.db", "alice.jsonl"],
        results: &["study.db"],
        prepare: judged_by_bora,
    },
    Job {
        arguments: &["import", "study.db", "haystack.jsonl"],
        results: &["study.db"],
        prepare: |desk| {
            judged_by_bora(desk);
            desk.file("haystack.jsonl", std::fs::read(sample("haystack")).expect("a sample"));
        },
    },
    Job {
        arguments: &["merge", "study.db", "alice.db"],
        results: &["study.db", "alice.db"],
        prepare: two_studies,
    },
    Job {
        arguments: &["sync", "study.db", "share"],
        results: &["study.db", "share/study.db"],
        prepare: |desk| {
            two_studies(desk);
            std::fs::create_dir(desk.path("share")).expect("made");
            std::fs::rename(desk.path("alice.db"), desk.path("share/study.db")).expect("moved");
        },
    },
    Job {
        arguments: &["assign", "study.db", "--to", "alice,bora"],
        results: &["study.db"],
        prepare: judged_by_bora,
    },
    Job {
        arguments: &["split", "study.db", "--for", "bora", "--to", "home.db"],
        results: &["study.db", "home.db"],
        prepare: judged_by_bora,
    },
    Job {
        arguments: &["collect", "study.db"],
        results: &["study.db"],
        prepare: |desk| {
            judged_by_bora(desk);
            desk.import("points.jsonl", &[said("bora", "extraction", json!({"document": "d1"}), points())]);
        },
    },
    Job {
        arguments: &["protocol", "add", "study.db", "tone.toml"],
        results: &["study.db"],
        prepare: |desk| {
            judged_by_bora(desk);
            let template = desk.out(&["protocol", "new", "tone"]);
            desk.file("tone.toml", template);
        },
    },
    Job { arguments: &["import", "study.db", "corpus.jsonl"], results: &["study.db"], prepare: last_study },
    Job {
        arguments: &["check", "damaged.db", "--recover", "new.db"],
        results: &["new.db"],
        prepare: |desk| {
            judged_by_bora(desk);
            let mut bytes = desk.bytes("study.db");
            let middle = bytes.len() / 2;
            bytes[middle..middle + 64].fill(0xa5);
            desk.file("damaged.db", bytes);
        },
    },
    Job {
        arguments: &["export", "study.db", "-o", "out.jsonl"],
        results: &["study.db", "out.jsonl"],
        prepare: judged_by_bora,
    },
    Job {
        arguments: &["export", "study.db", "-o", "out.jsonl", "--force"],
        results: &["study.db", "out.jsonl"],
        prepare: |desk| {
            judged_by_bora(desk);
            desk.file("out.jsonl", "of last week\n");
        },
    },
];

/// Commands that write several files.
const EXPORTS: [Job; 8] = [
    Job {
        arguments: &["export", "study.db", "--what", "dataset", "-o", "kept"],
        results: &["study.db", "kept/"],
        prepare: judged_by_both,
    },
    Job {
        arguments: &["export", "study.db", "--what", "dataset", "-o", "kept", "--force"],
        results: &["kept/README.md", "kept/gold.csv", "kept/corpus.csv", "kept/LICENCE"],
        prepare: |desk| {
            judged_by_both(desk);
            std::fs::create_dir(desk.path("kept")).expect("made");
            desk.file("kept/LICENCE", "ours\n");
            desk.file("kept/gold.csv", "of last week\n");
        },
    },
    Job {
        arguments: &["plot", "study.db", "agreement", "--figures", "paper/figures", "--width", "84"],
        results: &["paper/"],
        prepare: judged_by_both,
    },
    Job {
        arguments: &["plot", "study.db", "agreement", "--figures", "paper", "--width", "84"],
        results: &[
            "paper/agreement-84mm.pdf",
            "paper/agreement-84mm.svg",
            "paper/agreement.csv",
            "paper/text.tex",
        ],
        prepare: |desk| {
            judged_by_both(desk);
            std::fs::create_dir(desk.path("paper")).expect("made");
            desk.file("paper/text.tex", "ours\n");
        },
    },
    Job {
        arguments: &["agree", "study.db", "--format", "csv", "-o", "tables"],
        results: &["tables/"],
        prepare: judged_by_both,
    },
    Job {
        arguments: &["export", "study.db", "--what", "ratings", "-o", "out.csv", "--card", "card.md"],
        results: &["out.csv", "card.md"],
        prepare: judged_by_both,
    },
    Job {
        arguments: &["export", "study.db", "--what", "gold", "-o", "out.jsonl", "--card", "docs/card.md"],
        results: &["out.jsonl", "docs/card.md"],
        prepare: |desk| {
            judged_by_both(desk);
            std::fs::create_dir(desk.path("docs")).expect("made");
            desk.file("docs/index.md", "ours\n");
        },
    },
    Job { arguments: &["man", "-o", "share/man1"], results: &["share/"], prepare: |_| {} },
];

fn said(annotator: &str, protocol: &str, about: Value, answers: Value) -> Value {
    let mut judgment = json!({"type":"judgment","protocol":protocol,"annotator":annotator,"query":"q",
        "answers":answers,"seconds":15,"at":"2026-01-05T09:30:00Z"});
    judgment.as_object_mut().expect("an object").append(about.clone().as_object_mut().expect("an object"));
    judgment
}

fn points() -> Value {
    json!({"points": [{"text": "Tea helps", "passages": [{"document": "d1", "start": 0, "quote": "They"}]}]})
}

/// `corpus.jsonl`, and what two people say in `alice.jsonl` and `bora.jsonl`.
pub fn texts(desk: &Desk) {
    let mut corpus = vec![
        json!({"type":"collection","id":"c"}),
        json!({"type":"document","collection":"c","id":"d1","number":1,"text":"They walk, sleep and drink tea. 茶。"}),
        json!({"type":"query","collection":"c","id":"q","text":"What do they do?"}),
    ];
    let mut judgments = [Vec::new(), Vec::new()];
    for (number, name) in ["alice", "bora"].into_iter().enumerate() {
        judgments[number].push(json!({"type":"annotator","id":name,"kind":"human"}));
    }
    for summary in ["s1", "s2"] {
        corpus.push(
            json!({"type":"candidate","query":"q","id":summary,"summarizer":"m","text":"- tea [1]\n- sleep"}),
        );
    }
    for unit in 0..12 {
        let id = format!("u{unit}");
        corpus.push(json!({"type":"unit","query":"q","id":id,"kind":"insight","text":format!("They do {id}. {}", "Truly. ".repeat(20))}));
        for summary in ["s1", "s2"] {
            let about = json!({"unit": id, "candidate": summary});
            let covered = json!({"coverage":"full","bullet":1 + unit % 2});
            judgments[0].push(said("alice", "coverage", about.clone(), covered));
            judgments[1].push(said("bora", "coverage", about, json!({"coverage":"none"})));
        }
    }
    desk.records("corpus.jsonl", &corpus);
    desk.records("both.jsonl", &[&corpus[..], &judgments[0]].concat());
    desk.records("alice.jsonl", &judgments[0]);
    desk.records("bora.jsonl", &judgments[1]);
}

fn judged_by_bora(desk: &Desk) {
    texts(desk);
    desk.out(&["import", "study.db", "corpus.jsonl", "bora.jsonl"]);
}

fn judged_by_both(desk: &Desk) {
    texts(desk);
    desk.out(&["import", "study.db", "corpus.jsonl", "bora.jsonl", "alice.jsonl"]);
}

fn two_studies(desk: &Desk) {
    judged_by_bora(desk);
    desk.out(&["import", "alice.db", "corpus.jsonl", "alice.jsonl"]);
}

/// A study in the format before this one; what is imported has no part in it.
fn last_study(desk: &Desk) {
    texts(desk);
    desk.file("study.db", std::fs::read(project("tests/files/version8.db")).expect("an old study"));
}

/// A job, done once and undisturbed.
pub struct Done {
    pub job: &'static Job,
    pub files: Files,
    pub before: Vec<Holding>,
    pub after: Vec<Holding>,
    pub status: Option<i32>,
    /// Nothing where there is no shim.
    pub steps: Vec<Step>,
    /// Where it was done, as it was before.
    pub folder: PathBuf,
    pub disk: Option<Disk>,
}

/// All jobs, done once in the life of the tests; behind them those that write several files.
pub fn done() -> &'static [Done] {
    static DONE: OnceLock<Vec<Done>> = OnceLock::new();
    DONE.get_or_init(|| JOBS.iter().chain(&EXPORTS).map(do_once).collect())
}

/// Those that write several files.
pub fn exports() -> &'static [Done] {
    done().get(JOBS.len()..).expect("behind the others")
}

fn do_once(job: &'static Job) -> Done {
    let desk = Desk::new();
    (job.prepare)(&desk);
    let (files, before) = (desk.files(), job.look(&desk));
    let disk = Disk::of(desk.folder());
    let log = Desk::new();
    let log = log.path("log");
    let shim = Shim::over(desk.folder());
    let variables = shim.iter().flat_map(|shim| shim.variables(Some(&log), None));
    let output = desk.command(job.arguments).envs(variables).output().expect("haymark runs");
    let after = job.look(&desk);
    assert_ne!(before, after, "{:?}: {}", job.arguments, String::from_utf8_lossy(&output.stderr));
    let status = output.status.code();
    let folder = desk.folder().canonicalize().expect("a folder");
    Done { job, files, before, after, status, steps: steps(&log), folder, disk: shim.map(|_| disk) }
}

impl Job {
    pub fn arguments(&self) -> &'static [&'static str] {
        self.arguments
    }

    pub fn look(&self, desk: &Desk) -> Vec<Holding> {
        let look = |name: &'static str| {
            let path = desk.path(name);
            let hold = || match name {
                _ if name.ends_with(".db") => exported(desk, name),
                _ if name.ends_with('/') => whole(desk, name),
                _ => text(&path),
            };
            (name, path.exists().then(hold))
        };
        self.results.iter().map(|name| look(name)).collect()
    }

    /// Every study that is there is sound.
    pub fn check(&self, desk: &Desk, context: &str) {
        for name in self.results.iter().filter(|name| name.ends_with(".db") && desk.path(name).exists()) {
            let report =
                check(&desk.path(name)).unwrap_or_else(|error| panic!("{context}: check {name}: {error}"));
            assert!(report.worst() <= Severity::Remark, "{context}: {name}: {:?}", report.findings);
        }
    }
}

fn exported(desk: &Desk, name: &str) -> String {
    let output = desk.run(&["export", name]);
    let error = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return format!("refused: {error}");
    }
    // Work is given at the time of the run.
    let given = |line: &str| {
        let mut record: Value = serde_json::from_str(line).expect("JSON");
        if record["type"] == "assignment" {
            record["at"].take();
        }
        format!("{record}\n")
    };
    let export = String::from_utf8(output.stdout).expect("UTF-8");
    without_names(&export).lines().map(given).collect()
}

fn text(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).expect("read")).into_owned()
}

/// All files of a folder, with their names.
fn whole(desk: &Desk, folder: &str) -> String {
    let within = desk.files().into_iter().filter(|(name, _)| name.starts_with(folder));
    within
        .map(|(name, content)| format!("{}:\n{}", name.display(), String::from_utf8_lossy(&content)))
        .collect()
}
