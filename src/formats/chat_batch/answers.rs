//! A judge's text as answers to a protocol. A Markdown fence, thoughts before the object that was asked for, and keys
//! that nobody asked for are let pass, and counted. Nothing is guessed: any other answer is refused with its place.

use std::collections::HashSet;
use std::hash::Hash;

use serde_json::Value;

use super::questions::REASON;
use super::shown_documents;
use crate::formats::json::{self, Fits, Piece};
use crate::formats::sentence;
use crate::protocol::{
    Answer, Answers, Point, Protocol, Question, QuestionKind, Quote, SIDES, SelectedIn, Violation,
};
use crate::study::Item;
use crate::text::bullets::bullets;
use crate::text::span::locate;

/// The advice on an answer that is no JSON.
const ASKED_AGAIN: &str = "the next export asks it again";

/// A judge's answers on an item.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct JudgeSaid {
    pub answers: Answers,
    /// The reason in the judge's words.
    pub reason: Option<String>,
    pub around: Around,
}

/// Things that stood around an answer and were let pass.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Around {
    pub is_fenced: bool,
    pub has_thoughts: bool,
    /// Keys that nobody asked for.
    pub other_keys: Vec<String>,
}

/// Reads the answers to an item: one JSON object, alone or in a Markdown fence, behind thoughts or not. Paths of misfits begin
/// at the object.
///
/// Null and an empty list mean none; where a question is not asked, or takes no such answer, they are as
/// good as no key.
pub(super) fn read(content: &str, protocol: &Protocol, item: &Item) -> Fits<JudgeSaid> {
    let said = behind_thoughts(content);
    let bare = unfenced(said);
    let object = json::line(bare).map_err(|misfit| misfit.advise(ASKED_AGAIN))?;
    let reading = AnswerReading { protocol, item };
    let (mut answers, mut reason) = (Answers::new(), None);
    let mut around = Around {
        is_fenced: bare.len() < said.trim().len(),
        has_thoughts: said.len() < content.trim().len(),
        other_keys: Vec::new(),
    };
    for (key, piece) in object.fields()?.entries() {
        let Some(question) = protocol.question(key) else {
            if key == REASON {
                reason = piece.read::<Option<String>>()?.filter(|reason| !reason.trim().is_empty());
            } else {
                around.other_keys.push(sentence::one_line(key));
            }
            continue;
        };
        if let Some(answer) = reading.answer(question, &piece)? {
            answers.insert(question.key.clone(), answer);
        }
    }
    for question in &protocol.questions {
        // Conditions look back, and the answers before are settled by now.
        if answers.get(&question.key) == Some(&Answer::Nothing) && !question.is_asked(&answers) {
            answers.remove(&question.key);
        }
    }
    // A pair is shown to judges in its own order.
    if let Some(asked) = protocol.side_question() {
        answers.insert(asked.key.clone(), Answer::Text(SIDES[0].to_owned()));
    }
    let count = item.candidate.as_ref().map_or(0, |candidate| bullets(&candidate.text).len());
    let broken = protocol.violations(&answers, count);
    // Where an answer is not understood, what else is wrong mostly follows from that.
    let has_fatal = broken.iter().any(Violation::is_fatal);
    let broken = broken.iter().filter(|violation| violation.is_fatal() || !has_fatal);
    let told: Vec<String> = broken.map(|violation| sentence::one_line(&violation.to_string())).collect();
    let said = JudgeSaid { answers, reason, around };
    if told.is_empty() { Ok(said) } else { Err(object.misfit(told.join("; "))) }
}

/// The text behind `<think>…</think>` at the beginning, or the text itself.
fn behind_thoughts(content: &str) -> &str {
    let content = content.trim();
    let behind = content.strip_prefix("<think>").and_then(|rest| Some(rest.split_once("</think>")?.1));
    behind.map_or(content, str::trim_start)
}

/// The text in a fence of three backticks, or the text itself where it is in none.
fn unfenced(content: &str) -> &str {
    let content = content.trim();
    let inside = || {
        let (language, rest) = content.strip_prefix("```")?.split_once('\n')?;
        let is_language = language.trim().chars().all(char::is_alphanumeric);
        rest.strip_suffix("```").filter(|_| is_language)
    };
    inside().unwrap_or(content)
}

/// The protocol and the item that give an answer's numbers their meaning.
struct AnswerReading<'r> {
    protocol: &'r Protocol,
    item: &'r Item,
}

impl AnswerReading<'_> {
    /// The answer to a question; `None` where null says as much as leaving it out.
    fn answer(&self, question: &Question, piece: &Piece<'_>) -> Fits<Option<Answer>> {
        let is_null = piece.read::<Value>()?.is_null();
        Ok(match &question.kind {
            QuestionKind::Choice { .. } | QuestionKind::Text { .. } | QuestionKind::Side if is_null => None,
            _ if is_null => Some(Answer::Nothing),
            QuestionKind::Choice { .. } | QuestionKind::Text { .. } | QuestionKind::Side => {
                let step = piece.read::<Value>()?.as_u64().filter(|_| question.is_scale());
                Some(Answer::Text(step.map_or_else(|| piece.read(), |step| Ok(step.to_string()))?))
            }
            QuestionKind::Bullet { several: false } => Some(Answer::Bullet(number(piece)?)),
            QuestionKind::Bullet { several: true } => Some(listed(each(piece, number)?, Answer::Bullets)),
            QuestionKind::Tags { tags } => {
                let mut names = each(piece, |piece| piece.read::<String>())?;
                // An unknown tag comes last, and is refused with the other broken rules.
                names
                    .sort_by_key(|name| tags.iter().position(|tag| tag.value == *name).unwrap_or(tags.len()));
                Some(listed(names, Answer::Names))
            }
            QuestionKind::Units { .. } => Some(self.units(piece)?),
            QuestionKind::Passages { .. } => {
                Some(listed(each(piece, |piece| self.passage(question, piece))?, Answer::Passages))
            }
            QuestionKind::Points { with_passages, .. } => {
                Some(listed(each(piece, |piece| self.point(piece, *with_passages))?, Answer::Points))
            }
        })
    }

    /// Numbers of the list that was shown, as keys in the order of that list.
    fn units(&self, piece: &Piece<'_>) -> Fits<Answer> {
        let choices = &self.item.choices;
        let index = |piece: &Piece<'_>| {
            let index = number(piece)? as usize - 1;
            let count = choices.len();
            let beyond =
                || piece.misfit(format!("there is no text {} among {count} to choose from", index + 1));
            if index < count { Ok(index) } else { Err(beyond()) }
        };
        let mut indexes = each(piece, index)?;
        indexes.sort_unstable();
        let keys = indexes.into_iter().filter_map(|index| choices.get(index)).map(|unit| unit.id.clone());
        Ok(listed(keys.collect(), Answer::Names))
    }

    fn point(&self, piece: &Piece<'_>, with_passages: bool) -> Fits<Point> {
        let (text, passages) = if with_passages {
            let fields = piece.fields()?;
            only(piece, &["text", "passages"])?;
            let passages = fields.find("passages").map(|list| each(&list, |piece| self.quote(piece)));
            (fields.required("text")?, passages.transpose()?.unwrap_or_default())
        } else {
            (piece.read()?, Vec::new())
        };
        let point = Point { text, passages };
        if point.text.trim().is_empty() { Err(piece.misfit("the point is empty")) } else { Ok(point) }
    }

    /// A passage of a document, or of the candidate with its tag and severity.
    fn passage(&self, question: &Question, piece: &Piece<'_>) -> Fits<Quote> {
        if question.selected_in() == SelectedIn::Documents {
            return self.quote(piece);
        }
        let fields = piece.fields()?;
        only(piece, &["quote", "tag", "severity"])?;
        let quote: String = fields.required("quote")?;
        let text = self.item.candidate.as_ref().map_or("", |candidate| candidate.text.as_str());
        let mark = |name: &str| fields.find(name).map(|mark| mark.read::<String>()).transpose();
        match locate(text, &quote).filter(|span| !span.is_empty()) {
            Some(span) => {
                Ok(Quote { tag: mark("tag")?, severity: mark("severity")?, ..Quote::of("", text, span) })
            }
            None => {
                let quote = sentence::quoted(&quote);
                Err(piece.misfit(format!("the passage {quote} does not stand in the summary")))
            }
        }
    }

    /// A passage of one of the documents that were shown, with its place.
    fn quote(&self, piece: &Piece<'_>) -> Fits<Quote> {
        let fields = piece.fields()?;
        only(piece, &["document", "quote"])?;
        let number: u32 = fields.required("document")?;
        let shown = shown_documents(self.protocol, self.item);
        let Some(document) = shown.into_iter().find(|document| document.number == number) else {
            return Err(piece.misfit(format!("there is no document {number} among those that were shown")));
        };
        let quote: String = fields.required("quote")?;
        match locate(&document.text, &quote).filter(|span| !span.is_empty()) {
            Some(span) => Ok(Quote::of(&document.id, &document.text, span)),
            None => {
                let quote = sentence::quoted(&quote);
                Err(piece.misfit(format!("the passage {quote} does not stand in document {number}")))
            }
        }
    }
}

/// A number counted from 1.
fn number(piece: &Piece<'_>) -> Fits<u32> {
    match piece.read()? {
        0 => Err(piece.misfit("expected a number from 1, found 0").advise("null is none")),
        number => Ok(number),
    }
}

/// The entries of a list, each once.
fn each<T: Clone + Eq + Hash>(piece: &Piece<'_>, read: impl Fn(&Piece<'_>) -> Fits<T>) -> Fits<Vec<T>> {
    let mut found = piece.elements()?.iter().map(read).collect::<Fits<Vec<T>>>()?;
    let mut seen = HashSet::with_capacity(found.len());
    found.retain(|value| seen.insert(value.clone()));
    Ok(found)
}

/// The answer that a list gives. An empty one is nothing.
fn listed<T>(list: Vec<T>, answer: impl Fn(Vec<T>) -> Answer) -> Answer {
    if list.is_empty() { Answer::Nothing } else { answer(list) }
}

/// Refuses an object with other keys than these.
fn only(piece: &Piece<'_>, keys: &[&str]) -> Fits<()> {
    let fields = piece.fields()?;
    let other = fields.entries().find(|(key, _)| !keys.contains(key));
    match other {
        Some((key, _)) => {
            let what = format!("the key {} is not asked for", sentence::quoted(key));
            Err(piece.misfit(what))
        }
        None => Ok(()),
    }
}
