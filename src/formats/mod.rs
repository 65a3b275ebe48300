//! Outside formats, one file each. A file is recognised by what stands in it, never by its name,
//! and is read record by record into a [`Sink`], which decides what happens to a bad row.
//!
//! Reading answers every malformed file with one sentence: the file, the line with the column or
//! the JSON path, what was expected and what stood there. No input makes it panic, recurse without
//! end or take in a line of any length.

pub mod chat_batch;
mod input;
mod json;
pub mod jsonl;
mod lines;
pub mod maps;
mod on_line;
mod options;
pub mod ratings;
mod recognise;
mod sentence;
pub mod sheet;
mod source;
mod summhay;
mod summhay_benchmark;
mod summhay_topic;
mod walk;

use std::fs::File;
use std::io::{BufReader, Read};

use crate::error::{Error, Result};
use crate::progress;
use crate::study::Sink;

pub use input::{InputBytes, short_text};
pub use maps::ImportMap;
pub use options::ReadOptions;

/// Bytes that are read from a file at once.
const BUFFER: usize = 256 * 1024;

/// Every format once: its name, by what a file of it is known, the keys that tell it (each behind the bracket that the file
/// begins with; where only more than one key tells, see `recognise`), and what reads it.
macro_rules! formats {
    ($($(#[$said:meta])* $format:ident = $name:literal, $known_by:literal, $keys:expr, $read:expr;)*) => {
        named! {
            /// A format that can be imported, by the name that `--format` takes.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum Format {
                $($(#[$said])* $format = $name,)*
            }
        }

        impl Format {
            /// By what a file of the format is known, for messages.
            pub fn description(self) -> &'static str {
                match self {
                    $(Format::$format => $known_by,)*
                }
            }

            /// Keys of the outermost objects that only this format has.
            fn keys(self) -> &'static [(u8, &'static str)] {
                match self {
                    $(Format::$format => &$keys,)*
                }
            }

            fn read(self, file: File, options: &ReadOptions, sink: &mut dyn Sink) -> Result<()> {
                let read: fn(File, &ReadOptions, &mut dyn Sink) -> Result<()> = match self {
                    $(Format::$format => $read,)*
                };
                read(file, options, sink)
            }
        }
    };
}

formats! {
    /// haymark's own: one record a line.
    Jsonl = "jsonl", "haymark JSONL (an object with \"type\" on every line)",
        [(b'{', "type")],
        |file, _, sink| jsonl::read(buffered(file), sink);
    /// A haystack of *Summary of a Haystack*, `topic_*.json`.
    SummhayTopic = "summhay-topic", "a SummHay topic (an object with \"topic_metadata\" or \"subtopics\")",
        [(b'{', "topic_metadata"), (b'{', "subtopics")],
        |file, _, sink| summhay_topic::read(&source::whole_text(file)?, sink);
    /// The evaluation benchmark of *Summary of a Haystack*, `eval_benchmark_data.json`.
    SummhayBenchmark = "summhay-benchmark", "the SummHay benchmark (a list of objects with \"summkey\")",
        [(b'[', "summkey"), (b'[', "reference_insights")],
        |file, _, sink| summhay_benchmark::read(&source::whole_text(file)?, sink);
    /// Responses to a batch of chat completions that asked a model to judge.
    JudgeResponses = "judge-responses",
        "responses to judge requests (objects with \"custom_id\" and \"response\")",
        [],
        |file, options, sink| chat_batch::responses::read(buffered(file), options, sink);
}

fn buffered(file: File) -> BufReader<CountedFile> {
    BufReader::with_capacity(BUFFER, CountedFile(file))
}

/// A file that says how far it is read.
struct CountedFile(File);

impl Read for CountedFile {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buffer).inspect(|count| progress::advance(*count as u64))
    }
}

impl Format {
    /// The format of this name.
    pub fn from_name(name: &str) -> Result<Format> {
        Format::named(name).ok_or_else(|| {
            let names = sentence::quoted_list(Format::ALL.iter().map(|format| format.name()));
            Error::usage(format!("there is no format {}", sentence::quoted(name)))
                .advise(format!("known are {names}"))
        })
    }
}

/// The reader of a file: a format, or a map.
#[derive(Debug, Clone, PartialEq)]
pub enum FileReader {
    Format(Format),
    Map(Box<ImportMap>),
}

impl FileReader {
    /// The reader's name, for messages.
    pub fn name(&self) -> &str {
        match self {
            FileReader::Format(format) => format.name(),
            FileReader::Map(map) => map.name(),
        }
    }

    /// The format, where no map reads the file.
    pub fn format(&self) -> Option<Format> {
        match self {
            FileReader::Format(format) => Some(*format),
            FileReader::Map(_) => None,
        }
    }
}

/// Finds the reader of a file by the file's content: a format, or a map, one of the study's own first. An empty file is
/// haymark JSONL: that is how an empty study is exported.
pub fn recognise(input: &InputBytes, own: &[ImportMap]) -> Result<FileReader> {
    let format = input.bytes().and_then(recognise::format_of).map_err(|error| error.in_file(input.name()))?;
    match format {
        Some(format) => Ok(FileReader::Format(format)),
        None => Ok(FileReader::Map(Box::new(maps::map_for(input, own)?))),
    }
}

/// Reads a file and hands its records to the sink, in an order in which every record comes after
/// those it refers to (a JSONL file keeps the order it has). The options say what the file does not;
/// formats that need none of them ignore them.
pub fn read(input: &InputBytes, format: Format, options: &ReadOptions, sink: &mut dyn Sink) -> Result<()> {
    let done = input.bytes().and_then(|file| format.read(file, options, sink));
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
        assert!(error.ends_with("\"summhay-benchmark\" and \"judge-responses\""), "{error}");
    }
}
