//! Outside formats, one file each. A file is recognised by what stands in it, never by its name,
//! and is read record by record into a [`Sink`], which decides what happens to a bad row.
//!
//! Reading answers every malformed file with one sentence: the file, the line with the column or
//! the JSON path, what was expected and what stood there. No input makes it panic, recurse without
//! end or take in a line of any length.

pub mod chat_batch;
mod crud_rag;
mod input;
mod json;
pub mod jsonl;
mod lines;
mod on_line;
mod options;
pub mod ratings;
mod recognise;
mod retrieval;
mod sentence;
pub mod sheet;
mod source;
mod summhay;
mod summhay_benchmark;
mod summhay_topic;
mod walk;

use std::io::BufReader;

use crate::error::{Error, Result};
use crate::study::Sink;

pub use input::{Input, short_text};
pub use options::ReadOptions;

/// A format that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// haymark's own: one record a line.
    Jsonl,
    /// A haystack of *Summary of a Haystack*, `topic_*.json`.
    SummhayTopic,
    /// Its evaluation benchmark, `eval_benchmark_data.json`.
    SummhayBenchmark,
    /// Questions with what was retrieved for them, as DPR and RECOMP write them.
    Retrieval,
    /// A cache of generated questions of CRUD-RAG, `…_quest_gt_save.json`.
    CrudRagQuestions,
    /// What CRUD-RAG's evaluators write.
    CrudRagResults,
    /// Responses to a batch of chat completions that asked a model to judge.
    JudgeResponses,
}

/// Bytes that are read from a file at once.
const BUFFER: usize = 256 * 1024;

impl Format {
    /// All formats.
    pub const ALL: [Format; 7] = [
        Format::Jsonl,
        Format::SummhayTopic,
        Format::SummhayBenchmark,
        Format::Retrieval,
        Format::CrudRagQuestions,
        Format::CrudRagResults,
        Format::JudgeResponses,
    ];

    /// The name that `--format` takes.
    pub fn name(self) -> &'static str {
        match self {
            Format::Jsonl => "jsonl",
            Format::SummhayTopic => "summhay-topic",
            Format::SummhayBenchmark => "summhay-benchmark",
            Format::Retrieval => "retrieval",
            Format::CrudRagQuestions => "crud-rag-questions",
            Format::CrudRagResults => "crud-rag-results",
            Format::JudgeResponses => "judge-responses",
        }
    }

    /// The format of this name.
    ///
    /// # Errors
    /// A usage error that lists the names.
    pub fn from_name(name: &str) -> Result<Format> {
        let found = Format::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| {
            let names = sentence::quoted_list(Format::ALL.map(Format::name));
            Error::usage(format!("there is no format {}", sentence::quoted(name)))
                .advise(format!("known are {names}"))
        })
    }

    /// By what a file of the format is known, for messages.
    fn description(self) -> &'static str {
        match self {
            Format::Jsonl => "haymark JSONL (an object with \"type\" on every line)",
            Format::SummhayTopic => "a SummHay topic (an object with \"topic_metadata\" or \"subtopics\")",
            Format::SummhayBenchmark => "the SummHay benchmark (a list of objects with \"summkey\")",
            Format::Retrieval => "retrieval JSON (objects with \"ctxs\" or \"retrieved_docs\")",
            Format::CrudRagQuestions => {
                "a CRUD-RAG question cache (an object of objects with a list \"question\")"
            }
            Format::CrudRagResults => "CRUD-RAG results (objects with \"generated_text\")",
            Format::JudgeResponses => {
                "responses to judge requests (objects with \"custom_id\" and \"response\")"
            }
        }
    }
}

/// Finds out the format of a file from its content. An empty one is what a study without anything is exported as.
///
/// # Errors
/// The file cannot be read, is no text, is cut off, or holds none of the formats; the sentence says
/// what was found and which formats are known.
pub fn recognise(input: &Input) -> Result<Format> {
    input.bytes().and_then(recognise::format_of).map_err(|error| error.in_file(input.name()))
}

/// Reads a file and hands its records to the sink, in an order in which every record comes after
/// those it refers to (a JSONL file keeps the order it has). The options say what the file does not;
/// formats that need none of them ignore them.
///
/// # Errors
/// The file cannot be read or is broken as a whole, or the sink does not go on after a bad row.
pub fn read(input: &Input, format: Format, options: &ReadOptions, sink: &mut dyn Sink) -> Result<()> {
    let done = input.bytes().and_then(|file| match format {
        Format::Jsonl => jsonl::read(BufReader::with_capacity(BUFFER, file), sink),
        Format::Retrieval => {
            let size = source::size(&file);
            retrieval::read(BufReader::with_capacity(BUFFER, file), size, options, sink)
        }
        Format::SummhayTopic => summhay_topic::read(&source::whole_text(file)?, sink),
        Format::SummhayBenchmark => summhay_benchmark::read(&source::whole_text(file)?, sink),
        Format::CrudRagQuestions => crud_rag::questions::read(&source::whole_text(file)?, options, sink),
        Format::CrudRagResults => crud_rag::results::read(&source::whole_text(file)?, options, sink),
        Format::JudgeResponses => {
            chat_batch::responses::read(BufReader::with_capacity(BUFFER, file), options, sink)
        }
    });
    done.map_err(|error| error.in_file(input.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_its_format() {
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.name()), Ok(format));
        }
        let error = Format::from_name("excel").expect_err("unknown").to_string();
        assert!(error.contains("known are \"jsonl\", \"summhay-topic\", "), "{error}");
        assert!(error.ends_with("\"crud-rag-results\" and \"judge-responses\""), "{error}");
    }
}
