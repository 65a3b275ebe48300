//! Events of a session.

use serde_json::{Value, json};

use super::Delta;
use crate::journal::EventId;

#[derive(Debug, Clone, PartialEq)]
pub struct SessionEvent {
    pub id: EventId,
    /// Wall time in milliseconds since 1970.
    pub at: i64,
    /// Active milliseconds since the session began.
    pub active: i64,
    pub happening: SessionHappening,
}

/// The kinds of events of a session.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionHappening {
    /// The session was begun, or opened again: from here on the clock runs.
    Opened {
        /// The event before; `None` at the beginning. Where a copied study was continued twice, it tells the two apart.
        after: Option<EventId>,
        /// Whether the person had judged summaries of the query by then.
        has_judged: bool,
    },
    /// The text changed.
    Edit(Delta),
    /// A document was on the screen; `furthest` is how far it was seen this time, from 0 to 1.
    View { document: u32, furthest: f64 },
    /// A string was searched for in the documents.
    Search(String),
    /// So many characters were pasted, and not taken.
    PasteRefused { characters: usize },
    /// Text of a document was to be copied, and was not.
    CopyRefused,
    /// So many characters came faster than a person types, and were taken.
    Burst { characters: usize },
    /// The clock was stopped and the documents were hidden.
    Paused,
    /// The clock goes on.
    Resumed,
    /// So many minutes were left, and the person was told.
    Warned { minutes: u32 },
    /// The text as it was at the event's active time is a summary of its own, to be judged.
    Snapshot {
        /// Whether it is the snapshot at the end.
        is_last: bool,
    },
    /// The person is still at it: written when nothing else was, so that the clock is known after a kill.
    Beat,
    /// The limit was reached, and the person goes on.
    OverTime,
    /// The session is over.
    Ended(Ending),
    /// Written by a newer program; kept and ignored.
    Unknown { kind: String, body: Value },
}

named! {
    /// How a session ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Ending {
        /// The person was done before the limit.
        Finished = "finished",
        /// The time was up.
        Limit = "limit",
        /// The person went on after the limit, and was done then.
        OverTime = "over time",
    }
}

impl SessionHappening {
    /// The kinds that this program writes.
    pub const KINDS: [&str; 14] = [
        "open",
        "edit",
        "view",
        "search",
        "refuse_paste",
        "refuse_copy",
        "burst",
        "pause",
        "resume",
        "warn",
        "snapshot",
        "beat",
        "over_time",
        "end",
    ];

    /// The kind's name in the study file.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            SessionHappening::Opened { .. } => "open",
            SessionHappening::Edit(_) => "edit",
            SessionHappening::View { .. } => "view",
            SessionHappening::Search(_) => "search",
            SessionHappening::PasteRefused { .. } => "refuse_paste",
            SessionHappening::CopyRefused => "refuse_copy",
            SessionHappening::Burst { .. } => "burst",
            SessionHappening::Paused => "pause",
            SessionHappening::Resumed => "resume",
            SessionHappening::Warned { .. } => "warn",
            SessionHappening::Snapshot { .. } => "snapshot",
            SessionHappening::Beat => "beat",
            SessionHappening::OverTime => "over_time",
            SessionHappening::Ended(_) => "end",
            SessionHappening::Unknown { kind, .. } => kind,
        }
    }

    /// The event without its kind, in the study file's form.
    #[must_use]
    pub fn body(&self) -> Value {
        match self {
            SessionHappening::Opened { after, has_judged } => {
                let after = after.map(|id| json!([id.writer.to_string(), id.seq]));
                json!({"after": after, "has_judged": has_judged})
            }
            SessionHappening::Edit(delta) => delta.to_json(),
            SessionHappening::View { document, furthest } => json!([document, furthest]),
            SessionHappening::Search(needle) => json!(needle),
            SessionHappening::PasteRefused { characters } | SessionHappening::Burst { characters } => {
                json!(characters)
            }
            SessionHappening::Warned { minutes } => json!(minutes),
            SessionHappening::Snapshot { is_last } => json!({ "is_last": is_last }),
            SessionHappening::Ended(ending) => json!(ending.name()),
            SessionHappening::CopyRefused
            | SessionHappening::Paused
            | SessionHappening::Resumed
            | SessionHappening::Beat
            | SessionHappening::OverTime => Value::Null,
            SessionHappening::Unknown { body, .. } => body.clone(),
        }
    }

    /// Reads kind and body back; an event that this program does not understand becomes [`SessionHappening::Unknown`].
    #[must_use]
    pub fn read(kind: &str, body: Value) -> SessionHappening {
        SessionHappening::understand(kind, &body)
            .unwrap_or_else(|| SessionHappening::Unknown { kind: kind.to_owned(), body })
    }

    fn understand(kind: &str, body: &Value) -> Option<SessionHappening> {
        let characters = || usize::try_from(body.as_u64()?).ok();
        Some(match kind {
            "open" => SessionHappening::Opened {
                after: match body.get("after")? {
                    Value::Null => None,
                    id => Some(read_id(id)?),
                },
                has_judged: body.get("has_judged")?.as_bool()?,
            },
            "edit" => SessionHappening::Edit(Delta::from_json(body)?),
            "view" => match body.as_array()?.as_slice() {
                [document, furthest] => SessionHappening::View {
                    document: u32::try_from(document.as_u64()?).ok()?,
                    furthest: furthest.as_f64()?,
                },
                _ => return None,
            },
            "search" => SessionHappening::Search(body.as_str()?.to_owned()),
            "refuse_paste" => SessionHappening::PasteRefused { characters: characters()? },
            "refuse_copy" => SessionHappening::CopyRefused,
            "burst" => SessionHappening::Burst { characters: characters()? },
            "pause" => SessionHappening::Paused,
            "resume" => SessionHappening::Resumed,
            "warn" => SessionHappening::Warned { minutes: u32::try_from(body.as_u64()?).ok()? },
            "snapshot" => SessionHappening::Snapshot { is_last: body.get("is_last")?.as_bool()? },
            "beat" => SessionHappening::Beat,
            "over_time" => SessionHappening::OverTime,
            "end" => SessionHappening::Ended(Ending::named(body.as_str()?)?),
            _ => return None,
        })
    }
}

fn read_id(value: &Value) -> Option<EventId> {
    let [writer, seq] = value.as_array()?.as_slice() else { return None };
    Some(EventId { writer: writer.as_str()?.parse().ok()?, seq: seq.as_i64()? })
}
