//! What a person says about a file that the file does not say itself.

use std::collections::HashSet;

use super::{Format, sentence};
use crate::error::{Error, Result};

/// How to read a file. The default says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Fields of retrieval JSON that hold a summary, each a candidate of the field's name.
    pub summary_fields: Vec<String>,
    /// Fields with the answer predicted from a summary, in the order of the summaries' fields.
    pub answer_fields: Vec<String>,
    /// The retriever behind the candidates of retrieval JSON and CRUD-RAG results.
    pub retriever: Option<String>,
    /// The model behind CRUD-RAG results, instead of the one that the file names.
    pub summarizer: Option<String>,
    /// The collection of CRUD-RAG files; for retrieval JSON the beginning of the collections' keys.
    pub collection: Option<String>,
    /// The judge whose answers responses to judge requests hold.
    pub judge: Option<String>,
}

impl ReadOptions {
    /// Looks whether the options fit each other and the files, whose formats are given.
    ///
    /// # Errors
    /// A usage error: an option that no file has a use for, a field named twice, answers that cannot
    /// be told to summaries, or responses of nobody.
    pub fn check(&self, formats: impl IntoIterator<Item = Format>) -> Result<()> {
        use Format::{CrudRagQuestions, CrudRagResults, JudgeResponses, Retrieval};
        let formats: Vec<Format> = formats.into_iter().collect();
        let rules: [(&str, bool, &[Format]); 6] = [
            ("--summary-field", !self.summary_fields.is_empty(), &[Retrieval]),
            ("--answer-field", !self.answer_fields.is_empty(), &[Retrieval]),
            ("--retriever", self.retriever.is_some(), &[Retrieval, CrudRagResults]),
            ("--summarizer", self.summarizer.is_some(), &[CrudRagResults]),
            ("--collection", self.collection.is_some(), &[Retrieval, CrudRagQuestions, CrudRagResults]),
            ("--as", self.judge.is_some(), &[JudgeResponses]),
        ];
        for (option, is_given, users) in rules {
            if is_given && !formats.iter().any(|format| users.contains(format)) {
                let users = sentence::quoted_list(users.iter().map(|format| format.name()));
                let what = format!("{option} is for files of the format {users}, and no file is one");
                return Err(Error::usage(what).advise("leave it out, or say the format with --format"));
            }
        }
        if self.judge.is_none() && formats.contains(&JudgeResponses) {
            return Err(nobody());
        }
        self.check_fields()
    }

    fn check_fields(&self) -> Result<()> {
        let mut seen = HashSet::new();
        if let Some(field) = self.summary_fields.iter().find(|field| !seen.insert(*field)) {
            let what = format!("--summary-field names {} twice", sentence::quoted(field));
            return Err(Error::usage(what).advise("name every field once"));
        }
        let (summaries, answers) = (self.summary_fields.len(), self.answer_fields.len());
        if answers > 0 && answers != summaries {
            let what = format!("{summaries} --summary-field and {answers} --answer-field do not pair up");
            return Err(
                Error::usage(what).advise("give one --answer-field for each --summary-field, in its order")
            );
        }
        Ok(())
    }
}

/// The error for responses of which nobody says whose they are.
pub(super) fn nobody() -> Error {
    Error::usage("the file does not say which judge the answers are of")
        .advise("name the one that the requests were exported for with --as")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(options: &ReadOptions, formats: &[Format]) -> String {
        let error = options.check(formats.iter().copied()).expect_err("refused");
        assert_eq!(error.kind(), crate::error::ErrorKind::Usage);
        error.to_string()
    }

    #[test]
    fn options_must_be_of_use_to_a_file() {
        let options = ReadOptions { retriever: Some("bm25".into()), ..ReadOptions::default() };
        assert_eq!(options.check([Format::Jsonl, Format::CrudRagResults]), Ok(()));
        assert_eq!(
            sentence(&options, &[Format::Jsonl]),
            "--retriever is for files of the format \"retrieval\" and \"crud-rag-results\", and no file is one; \
             leave it out, or say the format with --format"
        );
        assert_eq!(ReadOptions::default().check([Format::Jsonl]), Ok(()));
    }

    #[test]
    fn responses_are_somebodys() {
        assert_eq!(
            sentence(&ReadOptions::default(), &[Format::Jsonl, Format::JudgeResponses]),
            "the file does not say which judge the answers are of; name the one that the requests were exported \
             for with --as"
        );
        let options = ReadOptions { judge: Some("gpt".into()), ..ReadOptions::default() };
        assert_eq!(options.check([Format::JudgeResponses]), Ok(()));
        assert!(
            sentence(&options, &[Format::Jsonl]).starts_with("--as is for files of the format \"judge-resp")
        );
    }

    #[test]
    fn every_answer_belongs_to_a_summary() {
        let options = |summaries: &[&str], answers: &[&str]| ReadOptions {
            summary_fields: summaries.iter().map(|field| (*field).to_owned()).collect(),
            answer_fields: answers.iter().map(|field| (*field).to_owned()).collect(),
            ..ReadOptions::default()
        };
        let formats = [Format::Retrieval];
        assert_eq!(options(&["a", "b"], &["x", "y"]).check(formats), Ok(()));
        assert_eq!(options(&["a", "b"], &[]).check(formats), Ok(()));
        assert!(
            sentence(&options(&["a", "b"], &["x"]), &formats)
                .starts_with("2 --summary-field and 1 --answer-field do not")
        );
        assert!(sentence(&options(&[], &["x"]), &formats).contains("0 --summary-field and 1 --answer-field"));
        assert!(sentence(&options(&["a", "a"], &[]), &formats).contains("names \"a\" twice"));
    }
}
