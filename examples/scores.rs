//! Scores and agreement of a study, as the commands print them: `cargo run --example scores -- study.db`.

use std::path::Path;

use haymark::error::{Error, Result};
use haymark::export::table::{OutputFormat, render};
use haymark::report::frame::StudyPart;
use haymark::report::{agree, score};
use haymark::store::StudyFile;

fn main() -> Result<()> {
    let path = std::env::args().nth(1);
    let path = path.ok_or_else(|| Error::usage("no study is named").advise("name one, such as study.db"))?;
    println!("{}", told(Path::new(&path))?);
    Ok(())
}

/// The scores under `coverage`, and alpha of each question.
fn told(path: &Path) -> Result<String> {
    let study = StudyFile::open(path)?;
    let part = StudyPart { protocol: Some("coverage".to_owned()), ..StudyPart::default() };
    let asked = score::ScoresAsked { part, ..score::ScoresAsked::default() };
    let mut text = render(&score::scores(&study, &asked)?, OutputFormat::Markdown, 80)?;
    for summary in agree::summaries(&study, &agree::AgreementAsked::default())? {
        let alpha = summary.numbers.iter().find(|number| number.title.contains("alpha"));
        if let Some(value) = alpha.and_then(|alpha| alpha.estimate.value.ok()) {
            text.push_str(&format!("{}: alpha {value:.3} over {} items\n", summary.subject, summary.items));
        }
    }
    Ok(text)
}

#[test]
fn it_tells_what_the_demo_holds() -> Result<()> {
    use haymark::formats::jsonl;
    use haymark::store::ImportOptions;
    use haymark::text::hash::fingerprint;

    let folder = tempfile::tempdir().map_err(|error| Error::new(error.to_string()))?;
    let path = folder.path().join("study.db");
    let samples = [
        ("haystack", include_str!("../sample_data/haystack.jsonl")),
        ("judgments", include_str!("../sample_data/haystack_judgments.jsonl")),
    ];
    StudyFile::create_with(&path, |study| {
        for (name, text) in samples {
            let content = fingerprint([name, text]);
            study.import(name, content, ImportOptions::default(), 0, |sink| {
                jsonl::read(text.as_bytes(), sink)
            })?;
        }
        Ok(())
    })?;
    let text = told(&path)?;
    assert!(text.contains("large-a") && text.contains("coverage: alpha 0."), "{text}");
    Ok(())
}
