//! The setup of a session: decided before it begins, and never changed.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// The conditions of a session.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Setup {
    /// The seed by which the documents were shuffled.
    pub seed: u64,
    /// Active milliseconds that the session may take.
    pub limit: i64,
    /// The choice of documents to read.
    pub documents: DocumentChoice,
    /// The documents' numbers, in the order in which they are listed.
    pub order: Vec<u32>,
    /// Whether the clock is shown.
    pub shows_clock: bool,
    /// How many insights the documents hold, as the person is told.
    pub insights: usize,
    /// Whether the person had judged summaries of the query before, was warned, and wanted to write all the same.
    pub has_judged: bool,
    /// Instructions of the session, in Markdown, where it has some.
    pub guideline: Option<String>,
    /// The draft that the person begins with; without one the page is empty.
    pub draft: Option<SessionDraft>,
}

/// A summary that a session begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionDraft {
    /// Retriever and summarizer of the candidate that is the draft.
    pub system: String,
    pub text: String,
}

/// The documents of the collection that a session offers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentChoice {
    /// The documents that contain an insight of the query.
    #[default]
    Relevant,
    /// The whole collection.
    All,
    /// The documents that a retriever ranks first, as many as fit into so many words.
    Retriever {
        /// The retriever's name, as the query's field `retriever` has it.
        name: String,
        words: usize,
    },
}

impl DocumentChoice {
    /// The retriever that would have given these documents to a system; `None` for all.
    pub fn retriever(&self) -> Option<&str> {
        match self {
            DocumentChoice::Relevant => Some("oracle"),
            DocumentChoice::All => None,
            DocumentChoice::Retriever { name, .. } => Some(name),
        }
    }
}

impl std::fmt::Display for DocumentChoice {
    /// Writes the choice as `--documents` takes it.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DocumentChoice::Relevant => formatter.write_str("relevant"),
            DocumentChoice::All => formatter.write_str("all"),
            DocumentChoice::Retriever { name, .. } => formatter.write_str(name),
        }
    }
}

impl Setup {
    /// The setup in the study file's form: JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Numbers, texts and lists of them always have a form in JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the setup back.
    pub fn from_json(text: &str) -> Result<Setup, serde_json::Error> {
        serde_json::from_str(text)
    }
}
