//! `haymark session STUDY --as NAME`: the screen, and what is printed after it.

use std::collections::BTreeSet;
use std::path::Path;

use super::args::SessionOpen;
use crate::cli::LooksArguments;
use crate::error::{Error, Result};
use crate::journal::session::{DocumentChoice, Ending, MINUTE, Session, SessionDraft, Setup};
use crate::number::number_of;
use crate::report::first_step;
use crate::store::{SessionQuery, StudyFile};
use crate::study::{Candidate, QueryId};
use crate::term::{LeftSession, SessionOptions, write_summary};
use crate::text::bullets::{bullets, words_told};

/// Active milliseconds that a session may take when nothing else is said (SummHay, App. A.4).
const LIMIT: i64 = 120 * MINUTE;

/// How many words of a retriever's documents are offered when nothing else is said (SummHay §5.1: what fits
/// into the systems' context).
const WORDS: usize = 15_000;

pub fn run(arguments: &SessionOpen, asked: &LooksArguments) -> Result<()> {
    let study = asked.open("session", &arguments.study)?;
    study.refuse_stranger(&arguments.annotator)?;
    let mut looks = asked.read(&study, None)?;
    let query = chosen(&study, arguments)?;
    let unfinished = study.unfinished_session(&arguments.annotator, Some(query.id))?;
    let setup = match &unfinished {
        Some(head) => head.setup.clone(),
        None => setup(&study, &query, arguments)?,
    };
    if unfinished.is_some() && asks_for_another(arguments) && looks.greeting.is_empty() {
        looks.greeting = "this session is unfinished and goes on as it was begun".to_owned();
    }
    let unfinished = unfinished.map(|head| head.id);
    let annotator = arguments.annotator.clone();
    let options = SessionOptions { annotator, query, unfinished, setup, looks };
    let limit = options.setup.shows_clock.then_some(options.setup.limit);
    let left = write_summary(study, options)?;
    asked.tell(&told(&left, limit))?;
    asked.tell_only_here(&arguments.study)
}

/// Whether an option is given that only a new session could heed.
fn asks_for_another(arguments: &SessionOpen) -> bool {
    arguments.limit.is_some()
        || arguments.documents.is_some()
        || arguments.words.is_some()
        || arguments.seed.is_some()
        || arguments.draft.is_some()
        || arguments.guideline.is_some()
        || arguments.hide_clock
}

/// The named query, else that of the unfinished session, else the first one on which this person wrote nothing.
fn chosen(study: &StudyFile, arguments: &SessionOpen) -> Result<SessionQuery> {
    let queries = study.session_queries()?;
    if let Some(name) = &arguments.query {
        return named(queries, name);
    }
    if queries.is_empty() {
        return Err(Error::new("the study has no queries")
            .in_file(&arguments.study)
            .advise(first_step(study, &[])));
    }
    let (own, person) = (study.sessions()?, study.person_behind(&arguments.annotator)?);
    let own: Vec<QueryId> =
        own.into_iter().filter(|head| head.annotator == person).map(|head| head.query).collect();
    let unfinished = study.unfinished_session(&arguments.annotator, None)?.map(|head| head.query);
    let is_offered = |query: &SessionQuery| !query.relevant.is_empty() || arguments.documents.is_some();
    let place = match unfinished {
        Some(id) => queries.iter().position(|query| query.id == id),
        None => queries.iter().position(|query| !own.contains(&query.id) && is_offered(query)),
    };
    let none = || {
        let name = &arguments.annotator;
        Error::new(format!("there is no query with relevant documents that {name:?} has not written on"))
            .advise("name one with --query, or use --documents all")
    };
    place.and_then(|place| queries.into_iter().nth(place)).ok_or_else(none)
}

/// The query of this key, or `collection/key` where several collections have it.
fn named(queries: Vec<SessionQuery>, name: &str) -> Result<SessionQuery> {
    let full = |query: &SessionQuery| format!("{}/{}", query.query.collection, query.query.id);
    let is_meant = |query: &SessionQuery| query.query.id == name || full(query) == name;
    let names: Vec<String> = queries.iter().map(full).collect();
    let mut meant: Vec<SessionQuery> = queries.into_iter().filter(is_meant).collect();
    match meant.len() {
        0 => {
            let shown = names.iter().take(8).map(String::as_str).collect::<Vec<&str>>().join(", ");
            Err(Error::new(format!("there is no query {name:?}")).advise(format!("there are {shown}")))
        }
        1 => Ok(meant.remove(0)),
        _ => {
            let which: Vec<String> = meant.iter().map(full).collect();
            Err(Error::new(format!("several collections have a query {name:?}"))
                .advise(format!("name one of {}", which.join(", "))))
        }
    }
}

/// The setup of a new session.
fn setup(study: &StudyFile, query: &SessionQuery, arguments: &SessionOpen) -> Result<Setup> {
    let documents = match arguments.documents.as_deref() {
        None | Some("relevant") => DocumentChoice::Relevant,
        Some("all") => DocumentChoice::All,
        Some(name) => {
            DocumentChoice::Retriever { name: name.to_owned(), words: arguments.words.unwrap_or(WORDS) }
        }
    };
    let seed = match arguments.seed {
        Some(seed) => seed,
        None => getrandom::u64().map_err(|error| {
            Error::new(format!("the system gives no random numbers: {error}")).advise("use --seed")
        })?,
    };
    let order = study.session_order(query.id, &documents, seed)?;
    let insights = match documents {
        DocumentChoice::All => query.insights,
        _ => study.insights_in(query.id, &order)?,
    };
    Ok(Setup {
        seed,
        limit: arguments.limit.unwrap_or(LIMIT),
        order,
        documents,
        shows_clock: !arguments.hide_clock,
        insights,
        has_judged: study.has_judged_summaries(&arguments.annotator, query.id)?,
        guideline: arguments.guideline.as_deref().map(read_guideline).transpose()?,
        draft: arguments.draft.as_deref().map(|system| draft(study, query, system)).transpose()?,
    })
}

fn read_guideline(path: &Path) -> Result<String> {
    std::fs::read_to_string(path)
        .map_err(|error| Error::new(format!("cannot be read: {error}")).in_file(path))
}

/// What a system wrote on the query.
fn draft(study: &StudyFile, query: &SessionQuery, system: &str) -> Result<SessionDraft> {
    let (collection, id) = (&query.query.collection, &query.query.id);
    let all = study.candidates()?.into_iter().map(|(_, candidate)| candidate);
    let own: Vec<_> = all.filter(|one| (&one.collection, &one.query) == (collection, id)).collect();
    let is_meant = |one: &&Candidate| one.system() == system || one.summarizer.as_deref() == Some(system);
    match own.iter().filter(is_meant).collect::<Vec<_>>().as_slice() {
        [one] => Ok(SessionDraft { system: one.system(), text: one.text.clone() }),
        found => {
            let systems: BTreeSet<String> = own.iter().map(Candidate::system).collect();
            let count = number_of(found.len(), "summary");
            Err(Error::new(format!(
                "{system:?} has {count} of the query {id:?}, and a session begins with one"
            ))
            .advise(format!("there are {}", systems.into_iter().collect::<Vec<_>>().join(", "))))
        }
    }
}

/// What is said after the screen has closed; without a limit, nothing of the time.
fn told(left: &LeftSession, limit: Option<i64>) -> String {
    let LeftSession { session, is_saved } = left;
    if session.openings == 0 {
        return "nothing was begun\n".to_owned();
    }
    let state = match session.ended {
        Some(Ending::Finished) => "finished",
        Some(Ending::Limit) => "ended by the limit",
        Some(Ending::OverTime) => "finished over time",
        None => "paused",
    };
    let saved = if *is_saved { "everything is saved" } else { "the last seconds were NOT saved" };
    format!("{}, {state}; {saved}\n", written(session, limit))
}

fn written(session: &Session, limit: Option<i64>) -> String {
    let minutes = |active: i64| (active + MINUTE / 2) / MINUTE;
    let taken = limit.map(|limit| format!(" in {} of {} minutes", minutes(session.active), minutes(limit)));
    format!(
        "{}, {}{}",
        number_of(bullets(&session.text).len(), "bullet"),
        number_of(words_told(&session.text), "word"),
        taken.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_a_line() {
        let session = Session {
            text: "One two [8]\nThree".into(),
            active: 740_000,
            openings: 1,
            ended: Some(Ending::Finished),
            ..Session::default()
        };
        let mut left = LeftSession { session, is_saved: true };
        // 740 s are 12 min 20 s.
        let told_of = |left: &LeftSession| told(left, Some(120 * MINUTE));
        assert_eq!(
            told_of(&left),
            "2 bullets, 4 words in 12 of 120 minutes, finished; everything is saved\n"
        );
        assert_eq!(told(&left, None), "2 bullets, 4 words, finished; everything is saved\n");
        left.session.ended = None;
        left.is_saved = false;
        assert!(told_of(&left).ends_with("minutes, paused; the last seconds were NOT saved\n"));
        left.session.openings = 0;
        assert_eq!(told_of(&left), "nothing was begun\n");
    }
}
