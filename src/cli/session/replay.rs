//! `haymark session replay`: the writing of a session, played in the terminal or printed.

use serde_json::{Value, json};

use super::args::{ReplayFormat, SessionReplay};
use crate::app::screens::replay::ReplayScreen as Player;
use crate::cli::{is_terminal, print};
use crate::error::{Error, Result};
use crate::journal::session::{
    MINUTE, SessionEvent, SessionHappening, chain, minute_name, minutes, replay as text_after,
};
use crate::store::{SessionHead, StoredSession, StudyFile};
use crate::study::time_of;
use crate::term::play;

/// A time behind all of a session.
const THE_END: i64 = i64::MAX;

pub fn run(arguments: &SessionReplay) -> Result<()> {
    let study = StudyFile::open(&arguments.study)?;
    let head = chosen(&study, arguments)?;
    let stored = study.session(head.id)?;
    let events = chain(&stored.events);
    // A minute before or behind all of the session is allowed too.
    let at = arguments.at.map(|minute| (minute * MINUTE as f64).round() as i64);
    match arguments.format {
        Some(ReplayFormat::Json) => print(&json(&stored, &events)?),
        None if is_terminal() || arguments.looks.svg.is_some() => {
            on_screen(arguments, &study, &stored, &events, at)
        }
        Some(ReplayFormat::Text) | None => {
            let mut text = text_after(&events, at.unwrap_or(THE_END));
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            print(&text)
        }
    }
}

/// The session that was named, or the latest.
fn chosen(study: &StudyFile, arguments: &SessionReplay) -> Result<SessionHead> {
    let all = study.sessions()?;
    let nothing = || Error::new("nobody has begun a session").in_file(&arguments.study);
    let Some(name) = &arguments.session else { return all.into_iter().next_back().ok_or_else(nothing) };
    let listed = "`haymark session list` lists them";
    let mut found: Vec<SessionHead> =
        all.into_iter().filter(|head| head.key.to_string().starts_with(&name.to_lowercase())).collect();
    match (found.pop(), found.len()) {
        (Some(head), 0) => Ok(head),
        (None, _) => {
            let error = Error::new(format!("there is no session {name:?}")).in_file(&arguments.study);
            Err(error.advise(listed))
        }
        (Some(_), others) => {
            let what = format!("{} sessions begin with {name:?}", others + 1);
            Err(Error::new(what).in_file(&arguments.study).advise(listed))
        }
    }
}

fn on_screen(
    arguments: &SessionReplay,
    study: &StudyFile,
    stored: &StoredSession,
    events: &[&SessionEvent],
    at: Option<i64>,
) -> Result<()> {
    let name = study.path().file_name().unwrap_or_default().to_string_lossy();
    let queries = study.queries()?;
    let query = queries.into_iter().find(|(id, _)| *id == stored.head.query);
    let title = format!("{name} · {}", stored.head.annotator);
    let text = query.map(|(_, query)| query.text).unwrap_or_default();
    let mut replay = Player::new(title, text, events);
    replay.speed = arguments.speed;
    replay.seek(at.unwrap_or(0));
    play(replay, &arguments.looks.read(study, None)?)
}

/// Everything that happened but beats, each with the text after it where that changed.
fn json(stored: &StoredSession, events: &[&SessionEvent]) -> Result<String> {
    let mut text = String::new();
    let mut states = Vec::new();
    for event in events.iter().filter(|event| event.happening != SessionHappening::Beat) {
        let mut state = json!({
            "minute": minutes(event.active),
            "at": time_of(event.at),
            "kind": event.happening.kind(),
        });
        match &event.happening {
            SessionHappening::Edit(delta) => {
                delta.apply(&mut text);
                state["text"] = Value::from(text.as_str());
            }
            SessionHappening::Snapshot { .. } => {
                state["name"] = Value::from(minute_name(event.active));
                state["text"] = Value::from(text_after(events, event.active));
                state["body"] = event.happening.body();
            }
            other => state["body"] = other.body(),
        }
        states.push(state);
    }
    let head = &stored.head;
    let whole = json!({
        "session": head.key.to_string(),
        "annotator": head.annotator,
        "collection": head.collection,
        "query": head.query_key,
        "setup": head.setup,
        "states": states,
    });
    let written = serde_json::to_string_pretty(&whole);
    written.map(|text| text + "\n").map_err(|error| Error::new(format!("JSON cannot be written: {error}")))
}
