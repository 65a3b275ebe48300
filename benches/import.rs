//! Files into a study, and records in and out of JSONL.

mod support {
    pub mod program;
    pub mod records;
    pub mod report;
    pub mod texts;
}

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use haymark::error::Result;
use haymark::formats::jsonl;
use haymark::study::{Place, Record, Sink};
use serde_json::json;
use support::program::run;
use support::records::{MILLION, Shape, write_corpus, write_judgments};
use support::report::{Report, Samples, Target, timed};
use support::texts::english;
use tempfile::TempDir;

fn main() {
    let Some(mut report) = Report::start("import") else {
        return;
    };
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
    topics(&mut report, folder.path());
    published(&mut report, folder.path());
    streams(&mut report, folder.path());
    report.finish();
}

/// SummHay topics: 60 MB as one file, and as the hundred haystacks that it usually is.
fn topics(report: &mut Report, folder: &Path) {
    let one = folder.join("topic.json");
    write_topic(&one, 0, 10_000);
    import(report, folder, "60 MB in one SummHay topic", &[one], Target::AtMost(600.0));
    let many: Vec<PathBuf> = (0..100)
        .map(|number| {
            let path = folder.join(format!("topic_{number}.json"));
            write_topic(&path, number + 1, 100);
            path
        })
        .collect();
    import(report, folder, "60 MB in a hundred topics", &many, Target::AtMost(1_200.0));
}

/// The benchmark as published, where it lies beside the project.
fn published(report: &mut Report, folder: &Path) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/summhay/eval_benchmark_data.json");
    if path.exists() {
        import(report, folder, "the published benchmark, 2.2 MB", &[path], Target::None);
    } else {
        println!("skipped: {} is not there", path.display());
    }
}

/// Imports files into a new study three times, the whole program.
fn import(report: &mut Report, folder: &Path, what: &str, files: &[PathBuf], target: Target) {
    let study = folder.join("study.db");
    let mut memory = None;
    let times = (0..3).map(|_| {
        let _ = std::fs::remove_file(&study);
        let mut arguments = vec![Path::new("import"), &study];
        arguments.extend(files.iter().map(PathBuf::as_path));
        let ran = run(&arguments);
        memory = ran.memory;
        ran.seconds * 1e3
    });
    let times = Samples::of(times.collect());
    report.line(&format!("import {what}"), times.middle(), "ms", target);
    if let Some(memory) = memory {
        report.line("  most memory", memory, "MB", Target::None);
    }
}

/// A haystack in the published form, with as many documents as told.
fn write_topic(path: &Path, number: usize, documents: usize) {
    let documents: Vec<_> = (0..documents)
        .map(|index| {
            json!({
                "document_id": format!("d{index}"),
                "document_text": english(MILLION.document, (number * 20_000 + index) as u64),
                "insights_included": [format!("i{}", index % 50)],
                "document_metadata": {"title": format!("Conversation {index}")},
            })
        })
        .collect();
    let subtopics: Vec<_> = (0..5).map(subtopic).collect();
    let topic = json!({
        "topic_id": format!("topic{number}"),
        "topic": "Three students talk about stress",
        "topic_metadata": {"domain": "conversation"},
        "documents": documents,
        "subtopics": subtopics,
    });
    let mut file = File::create(path).expect("a file can be made");
    file.write_all(topic.to_string().as_bytes()).and_then(|()| file.sync_all()).expect("the disk takes it");
}

/// Ten insights, ten summaries and the automatic judgments of them.
fn subtopic(number: usize) -> serde_json::Value {
    let insight = |index: usize| format!("i{}", number * 10 + index);
    let insights: Vec<_> = (0..10)
        .map(|index| {
            json!({"insight_id": insight(index), "insight_name": format!("insight {index}"),
                "insight": english(120, index as u64)})
        })
        .collect();
    let mut summaries = serde_json::Map::new();
    let mut evaluations = serde_json::Map::new();
    for system in 0..10 {
        let bullets: Vec<String> = (0..8)
            .map(|bullet| format!("- {} [{}]", english(140, bullet).replace('\n', " ").trim(), bullet + 1))
            .collect();
        let rows: Vec<_> = (0..10)
            .map(|index| json!({"insight_id": insight(index), "coverage": "FULL_COVERAGE", "bullet_id": index % 8 + 1}))
            .collect();
        summaries.insert(format!("summary_rag_llm-{system}"), json!(bullets));
        evaluations.insert(format!("summary_rag_llm-{system}"), json!(rows));
    }
    json!({
        "subtopic_id": format!("s{number}"),
        "subtopic_name": format!("subtopic {number}"),
        "subtopic": "How do the students handle stress?",
        "insights": insights,
        "summaries": summaries,
        "eval_summaries": evaluations,
    })
}

/// JSONL alone, without a study: documents, whose texts are long, and judgments, which are short.
fn streams(report: &mut Report, folder: &Path) {
    let corpus = folder.join("corpus.jsonl");
    write_corpus(&corpus, MILLION);
    stream(report, &corpus, "long records", (Target::AtLeast(500.0), Target::AtLeast(300.0)));
    let judgments = folder.join("judgments.jsonl");
    let fewer = Shape { annotators: 1, ..MILLION };
    write_judgments(&judgments, fewer);
    stream(report, &judgments, "judgments", (Target::None, Target::None));
}

fn stream(report: &mut Report, path: &Path, what: &str, (most_in, most_out): (Target, Target)) {
    let size = std::fs::metadata(path).map_or(0, |about| about.len()) as f64 / 1e6;
    let open = || BufReader::with_capacity(256 * 1024, File::open(path).expect("it was written"));
    let samples = Samples::take(3, || {
        jsonl::read(open(), &mut Drain).expect("the records are good");
    });
    report.line(&format!("JSONL in, {what}"), size / samples.middle() * 1e3, "MB/s", most_in);

    let mut kept = Keep::default();
    jsonl::read(open(), &mut kept).expect("the records are good");
    let times = (0..3).map(|_| {
        let (time, ()) = timed(|| {
            let mut out = std::io::BufWriter::new(std::io::sink());
            for record in &kept.0 {
                jsonl::write_record(&mut out, record).expect("a sink takes all");
            }
        });
        time
    });
    let samples = Samples::of(times.collect());
    report.line(&format!("JSONL out, {what}"), size / samples.middle() * 1e3, "MB/s", most_out);
}

/// Throws records away.
struct Drain;

/// Keeps records.
#[derive(Default)]
struct Keep(Vec<Record>);

impl Sink for Drain {
    fn take(&mut self, _: Place, record: Record) -> Result<()> {
        std::hint::black_box(record);
        Ok(())
    }

    fn remark(&mut self, _: Place, _: String) {}

    fn refuse(&mut self, _: Place, error: haymark::error::Error) -> Result<()> {
        Err(error)
    }
}

impl Sink for Keep {
    fn take(&mut self, _: Place, record: Record) -> Result<()> {
        self.0.push(record);
        Ok(())
    }

    fn remark(&mut self, _: Place, _: String) {}

    fn refuse(&mut self, _: Place, error: haymark::error::Error) -> Result<()> {
        Err(error)
    }
}
