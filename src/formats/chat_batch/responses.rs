//! Responses: each is checked against its request's item and protocol, and becomes a judgment or is
//! refused with the reason.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::BufRead;

use serde_json::Value;

use super::answers;
use super::name::{RequestName, ShortFingerprint};
use crate::error::{Error, Result};
use crate::formats::json::{Fields, Fits, Piece, refuse};
use crate::formats::on_line::each_line;
use crate::formats::options::{self, ReadOptions};
use crate::formats::sentence;
use crate::protocol::{Answers, Protocol};
use crate::study::{
    Annotator, AnnotatorKind, AskedItem, Item, Judgment, Meta, Place, ProtocolText, Record, Sink,
};

/// Reads responses line by line.
///
/// # Errors
/// The options name no judge, or a person; or a line is refused and the sink does not skip it. The file
/// is not named yet.
pub(in crate::formats) fn read(
    source: impl BufRead,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<()> {
    let mut responses = Responses::of(options.judge.as_deref().ok_or_else(options::nobody)?, sink)?;
    each_line(source, sink, |piece, number, sink| responses.take(piece, number, sink))
}

/// What is known across the responses of a file.
struct Responses<'o> {
    judge: &'o str,
    mark: ShortFingerprint,
    /// Whether the study knows the judge.
    is_known: bool,
    /// By name and version.
    protocols: HashMap<(String, u32), Protocol>,
    /// The lines that answered an item.
    answered: HashMap<RequestName, u64>,
}

/// A response as far as the study is not needed to read it.
struct Response<'a> {
    name: RequestName,
    /// The `custom_id`, for saying where something does not fit.
    named: Piece<'a>,
    /// What the judge wrote.
    content: String,
    /// Where it stands.
    path: String,
    /// As RFC 3339.
    at: Option<String>,
}

impl<'o> Responses<'o> {
    fn of(judge: &'o str, sink: &mut dyn Sink) -> Result<Responses<'o>> {
        let kind = sink.annotator_kind(judge)?;
        if kind == Some(AnnotatorKind::Human) {
            let what = format!(
                "{} is a person of this study, and these are a model's answers",
                sentence::quoted(judge)
            );
            return Err(Error::new(what).advise("name a judge with --as"));
        }
        let mark = ShortFingerprint::of_judge(judge);
        let is_known = kind.is_some();
        Ok(Responses { judge, mark, is_known, protocols: HashMap::new(), answered: HashMap::new() })
    }

    fn take(&mut self, piece: &Piece<'_>, number: u64, sink: &mut dyn Sink) -> Result<()> {
        let response = match self.response(piece) {
            Ok(response) => response,
            Err(misfit) => return refuse(sink, misfit),
        };
        let asked = sink.asked(response.name.item, response.name.version)?;
        let (item, answers) = match self.answers(&response, asked.as_ref())? {
            Ok(read) => read,
            Err(misfit) => return refuse(sink, misfit),
        };
        if !std::mem::replace(&mut self.is_known, true) {
            let judge =
                Annotator { id: self.judge.to_owned(), kind: AnnotatorKind::Model, meta: Meta::new() };
            sink.take(Place::Line(number), Record::Annotator(judge))?;
        }
        self.answered.insert(response.name, number);
        let protocol = asked.as_ref().map_or("", |asked| &asked.protocol.name);
        let judgment = self.judgment(protocol, item, answers, &response);
        sink.take(Place::Line(number), Record::Judgment(judgment))
    }

    fn response<'a>(&self, piece: &Piece<'a>) -> Fits<Response<'a>> {
        let fields = piece.fields()?;
        let named = fields.piece("custom_id")?;
        let id: String = named.read()?;
        let Some(name) = RequestName::parse(&id) else {
            let what = format!("{} names no request that haymark writes", sentence::quoted(&id));
            return Err(named.misfit(what));
        };
        if name.judge != self.mark {
            let what = format!("this was asked of another judge than {}", sentence::quoted(self.judge));
            return Err(named
                .misfit(what)
                .advise("name the judge that the requests were exported for with --as"));
        }
        if let Some(error) = fields.find("error") {
            return Err(error.misfit(format!("the service gave no answer: {}", message(&error)?)));
        }
        let response = fields.piece("response")?.fields()?;
        let body = response.piece("body")?;
        if let Some(status) = response.optional::<u64>("status_code")?.filter(|status| *status != 200) {
            let reason = body.fields()?.find("error").map(|error| message(&error)).transpose()?;
            let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
            return Err(body.misfit(format!("the service answered with the status {status}{reason}")));
        }
        let body = body.fields()?;
        let content = content(&body)?;
        // A time is a help and no more: one that cannot be read is none.
        let created = body.find("created").and_then(|created| created.read::<i64>().ok());
        let at = created.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
        Ok(Response {
            name,
            named,
            content: content.read()?,
            path: content.path().to_owned(),
            at: at.map(|at| at.to_string()),
        })
    }

    /// The answers of a response, with the item that they are about.
    fn answers<'i>(
        &mut self,
        response: &Response<'_>,
        asked: Option<&'i AskedItem>,
    ) -> Result<Fits<(&'i Item, Answers)>> {
        let (name, named) = (&response.name, &response.named);
        if let Some(line) = self.answered.get(name) {
            let misfit = named.misfit(format!("line {line} answers this request too"));
            return Ok(Err(misfit.advise("keep one of the two")));
        }
        let Some(AskedItem { protocol, item }) = asked else {
            let version = name.version;
            let misfit = named.misfit(format!("no item of the study was asked so under a version {version}"));
            return Ok(Err(misfit.advise("import the responses into the study that the requests came from")));
        };
        if name.shown != ShortFingerprint::of_shown(item) {
            let misfit = named.misfit("the texts that were shown are not those of the study");
            return Ok(Err(misfit.advise("export the requests anew and ask again")));
        }
        let read = answers::read(&response.content, self.protocol(protocol)?, item);
        Ok(read.map(|answers| (item, answers)).map_err(|misfit| misfit.within(&response.path)))
    }

    /// The protocol of this text, read once.
    fn protocol(&mut self, text: &ProtocolText) -> Result<&Protocol> {
        match self.protocols.entry((text.name.clone(), text.version)) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(new) => Ok(new.insert(Protocol::parse(&text.text, &text.guideline)?)),
        }
    }

    fn judgment(&self, protocol: &str, item: &Item, answers: Answers, response: &Response<'_>) -> Judgment {
        let judgment = Judgment {
            protocol: protocol.to_owned(),
            version: Some(response.name.version),
            annotator: self.judge.to_owned(),
            answers: answers.into_iter().map(|(key, answer)| (key, answer.to_json())).collect(),
            at: response.at.clone(),
            ..Judgment::default()
        };
        judgment.on(item.keys.clone())
    }
}

/// Where the text of the one answer stands, if it is whole.
fn content<'a>(body: &Fields<'a>) -> Fits<Piece<'a>> {
    let choices = body.piece("choices")?;
    let elements = choices.elements()?;
    let [choice] = elements.as_slice() else {
        return Err(choices.misfit(format!("expected one answer, found {}", elements.len())));
    };
    let fields = choice.fields()?;
    match fields.find("finish_reason").map(|reason| reason.read::<String>()).transpose()?.as_deref() {
        Some("length") => return Err(choice.misfit("the answer was cut off at the limit of its length")),
        Some("content_filter") => return Err(choice.misfit("the service held the answer back")),
        _ => {}
    }
    let said = fields.piece("message")?.fields()?;
    if let Some(refusal) = said.find("refusal") {
        return Err(refusal.misfit(format!("the model refused: {}", message(&refusal)?)));
    }
    said.piece("content")
}

/// What an error says: its message, or itself.
fn message(error: &Piece<'_>) -> Fits<String> {
    let value: Value = error.read()?;
    let text = value.get("message").unwrap_or(&value);
    Ok(sentence::one_line(text.as_str().unwrap_or(&text.to_string())))
}
