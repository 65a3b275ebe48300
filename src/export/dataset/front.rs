//! The front matter of a dataset's README.md: what the Hugging Face hub and `datasets` read of it.

use std::fmt::Write as _;

use super::folder::Configuration;
use crate::error::Result;
use crate::formats::sheet::CellKind;
use crate::store::StudyFile;
use crate::study::AnnotatorKind;
use crate::text::width::control;

/// The sizes by the names of the Hugging Face hub, each with the number of rows that it stays below.
const SIZES: [(usize, &str); 7] = [
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
    (100_000_000, "10M<n<100M"),
    (1_000_000_000, "100M<n<1B"),
];

/// A language is named where its script has more than this share of the texts.
const HAN: f64 = 0.1;

/// The front matter: YAML between two lines of dashes.
pub fn matter(study: &StudyFile, tables: &[Configuration]) -> Result<String> {
    let mut text = "---\n".to_owned();
    let name = study.path().file_stem().unwrap_or_default().to_string_lossy();
    let _ = writeln!(text, "pretty_name: {}", quoted(&name));
    text += "license: unknown # to be filled in\n";
    list(&mut text, "language", &languages(study)?);
    let rows = tables.iter().map(|table| table.written.rows).max().unwrap_or(0);
    let size = SIZES.iter().find(|(most, _)| rows < *most).map_or("1B<n<10B", |(_, name)| name);
    list(&mut text, "size_categories", &[size]);
    list(&mut text, "task_categories", &["summarization", "text-classification"]);
    list(&mut text, "annotations_creators", &creators(study)?);
    list(&mut text, "tags", &["retrieval-augmented-generation", "human-evaluation", "haymark"]);
    text += "configs:\n";
    for (place, table) in tables.iter().enumerate() {
        let _ = writeln!(text, "- config_name: {}\n  data_files: {}", table.name, table.file);
        if table.file.ends_with(".csv") {
            // Only an empty cell is no value: a label may be "NA" or "none".
            text += "  keep_default_na: false\n  na_values:\n  - ''\n";
        }
        if place == 0 {
            text += "  default: true\n";
        }
    }
    text += "dataset_info:\n";
    for table in tables {
        let _ = writeln!(text, "- config_name: {}\n  features:", table.name);
        for column in &table.written.columns {
            let _ = writeln!(text, "  - name: {}\n    dtype: {}", quoted(&column.name), dtype(column.kind));
        }
    }
    text += "---\n\n";
    Ok(text)
}

fn list(text: &mut String, key: &str, values: &[impl AsRef<str>]) {
    let _ = writeln!(text, "{key}:");
    for value in values {
        let _ = writeln!(text, "- {}", value.as_ref());
    }
}

/// Writes a YAML string. JSON strings are YAML strings, but for signs that YAML takes only as numbers. Signs of markup
/// are written as numbers too, for those who take the file for a page.
fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    for sign in serde_json::Value::from(text).to_string().chars() {
        match control(sign).is_some() || matches!(sign, '<' | '>' | '&') {
            true => quoted += &format!("\\U{:08x}", u32::from(sign)),
            false => quoted.push(sign),
        }
    }
    quoted
}

/// The name of a cell's type in Arrow.
pub fn dtype(kind: CellKind) -> &'static str {
    match kind {
        CellKind::Text => "string",
        CellKind::Integer => "int64",
        CellKind::Number => "float64",
        CellKind::Flag => "bool",
    }
}

/// Guesses the languages from the script of candidates and queries; the text says that it is a guess.
fn languages(study: &StudyFile) -> Result<Vec<&'static str>> {
    let (mut han, mut other) = (0usize, 0usize);
    let mut count = |text: &str| {
        for letter in text.chars().filter(|letter| letter.is_alphabetic()) {
            let is_han = matches!(letter, '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}');
            *(if is_han { &mut han } else { &mut other }) += 1;
        }
    };
    study.queries()?.iter().for_each(|(_, query)| count(&query.text));
    study.candidates()?.iter().for_each(|(_, candidate)| count(&candidate.text));
    // A Han character says about as much as four letters.
    let share = 4.0 * han as f64 / (4 * han + other).max(1) as f64;
    let mut languages = Vec::new();
    if share < 1.0 - HAN {
        languages.push("en # by its script; to be filled in where it is another");
    }
    if share > HAN {
        languages.push("zh");
    }
    Ok(languages)
}

/// The kinds of annotators, as far as the study knows.
fn creators(study: &StudyFile) -> Result<Vec<&'static str>> {
    let annotators = study.annotators()?;
    let has = |kind| annotators.iter().any(|(_, annotator)| annotator.kind == kind);
    let people = has(AnnotatorKind::Human).then_some("expert-generated # to be filled in: or crowdsourced");
    let models = has(AnnotatorKind::Model).then_some("machine-generated");
    let mut creators: Vec<&str> = people.into_iter().chain(models).collect();
    if creators.is_empty() {
        creators.push("no-annotation");
    }
    Ok(creators)
}
