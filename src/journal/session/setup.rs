//! What is decided before a session begins and never changes.

use serde::{Deserialize, Serialize};

/// The conditions of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Setup {
    /// What shuffled the documents.
    pub seed: u64,
    /// Active milliseconds that the session may take.
    pub limit: i64,
    /// Which documents there are to read.
    pub documents: DocumentChoice,
    /// Their numbers, in the order in which they are listed.
    pub order: Vec<u32>,
    /// Whether the clock is shown.
    pub shows_clock: bool,
    /// How many insights the person is told that the documents hold.
    pub insights: usize,
    /// The person had judged summaries of the query before, was warned, and wanted to write all the same.
    pub has_judged: bool,
    /// Instructions of its own, in Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guideline: Option<String>,
    /// What the person begins with; without one the page is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<SessionDraft>,
}

/// A summary that a session begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionDraft {
    /// Retriever and summarizer of whose it is.
    pub system: String,
    pub text: String,
}

/// Which documents of the collection a session offers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentChoice {
    /// Those that contain an insight of the query.
    #[default]
    Relevant,
    /// The whole collection.
    All,
    /// Those that a retriever ranks first, as many as fit into so many words.
    Retriever {
        /// The retriever's name, as the query's field `retriever` has it.
        name: String,
        words: usize,
    },
}

impl DocumentChoice {
    /// The retriever that would have given these documents, as for a system's candidate; `None` for all.
    pub fn retriever(&self) -> Option<&str> {
        match self {
            DocumentChoice::Relevant => Some("oracle"),
            DocumentChoice::All => None,
            DocumentChoice::Retriever { name, .. } => Some(name),
        }
    }
}

impl std::fmt::Display for DocumentChoice {
    /// As `--documents` takes it.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DocumentChoice::Relevant => formatter.write_str("relevant"),
            DocumentChoice::All => formatter.write_str("all"),
            DocumentChoice::Retriever { name, .. } => formatter.write_str(name),
        }
    }
}

impl Setup {
    /// The setup as it stands in the study file: JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Numbers, texts and lists of them have a form in JSON, always.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads it back.
    ///
    /// # Errors
    /// The text is no setup that this program understands.
    pub fn from_json(text: &str) -> Result<Setup, serde_json::Error> {
        serde_json::from_str(text)
    }
}
