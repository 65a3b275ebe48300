//! Responses: each is checked against its request's item and protocol, and becomes a judgment or is
//! refused with the reason.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::io::BufRead;

use serde_json::Value;

use super::answers::{self, Around, JudgeSaid};
use super::name::{RequestName, mark_of_judge, mark_of_shown};
use crate::error::{Error, Result};
use crate::formats::json::{Fields, Fits, Piece, refuse};
use crate::formats::on_line::each_line;
use crate::formats::options::{self, ReadOptions};
use crate::formats::sentence;
use crate::protocol::Protocol;
use crate::study::{
    AGAIN_OF, Annotator, AnnotatorKind, AskedItem, Item, JudgeAnswered, Judgment, Meta, Place, ProtocolText,
    Record, RunMark, Sink,
};
use crate::text::hash::fingerprint;

/// Reads responses line by line.
pub(in crate::formats) fn read(
    source: impl BufRead,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<()> {
    let mut responses = Responses::of(options.judge.as_deref().ok_or_else(options::nobody)?, sink)?;
    each_line(source, sink, |piece, number, sink| responses.take(piece, number, sink))?;
    responses.finish(sink)
}

/// The state that the responses of a file share.
struct Responses<'o> {
    judge: &'o str,
    mark: RunMark,
    /// Names under which answers came: the judge's, and those of its further answers to the same items.
    known: Vec<String>,
    /// Protocols by name and version.
    protocols: HashMap<(String, u32), Protocol>,
    /// The lines that answered an item.
    answered: HashMap<RequestName, u64>,
    /// Answers that came back, by protocol and run, with the time of the last of them.
    runs: BTreeMap<(String, RunMark), (JudgeAnswered, i64)>,
    /// Things let pass around answers: how often, and the first line.
    let_pass: BTreeMap<String, (usize, u64)>,
    last_line: u64,
    /// The run that the judge is on record with, by protocol.
    on_record: HashMap<String, Option<RunMark>>,
}

/// A response, as far as it can be read without the study.
struct Response<'a> {
    name: RequestName,
    /// The `custom_id`, for saying where something does not fit.
    named: Piece<'a>,
    /// The text that the judge wrote.
    content: String,
    /// The path of the content.
    path: String,
    /// When the answer was given.
    at: Option<jiff::Timestamp>,
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
        Ok(Responses {
            judge,
            mark: mark_of_judge(judge),
            known: kind.map(|_| judge.to_owned()).into_iter().collect(),
            protocols: HashMap::new(),
            answered: HashMap::new(),
            runs: BTreeMap::new(),
            let_pass: BTreeMap::new(),
            last_line: 1,
            on_record: HashMap::new(),
        })
    }

    fn take(&mut self, piece: &Piece<'_>, number: u64, sink: &mut dyn Sink) -> Result<()> {
        self.last_line = number;
        let (name, named) = match self.name(piece) {
            Ok(found) => found,
            Err(misfit) => return refuse(sink, misfit),
        };
        let asked = sink.asked(name.item, name.version)?;
        let protocol = asked.as_ref().map_or("", |asked| &asked.protocol.name).to_owned();
        if asked.is_some() {
            if let Err(misfit) = self.check_run(&protocol, name.run, &named, sink)? {
                return refuse(sink, misfit);
            }
            self.count(&protocol, &name, piece);
        }
        let response = match self.response(piece, name, named) {
            Ok(response) => response,
            Err(misfit) => return refuse(sink, misfit),
        };
        let (item, said) = match self.answers(&response, asked.as_ref())? {
            Ok(read) => read,
            Err(misfit) => return refuse(sink, misfit),
        };
        self.let_pass(&said.around, number);
        let time = response.name.time;
        let name = again(self.judge, time);
        if !self.known.contains(&name) {
            let mut meta = Meta::new();
            if time > 1 {
                meta.insert(AGAIN_OF.to_owned(), self.judge.into());
            }
            let judge = Annotator { id: name.clone(), kind: AnnotatorKind::Model, meta };
            if sink.annotator_kind(&name)?.is_none() {
                sink.take(Place::Line(number), Record::Annotator(judge))?;
            }
            self.known.push(name.clone());
        }
        self.answered.insert(response.name, number);
        let judgment = judgment(name, &protocol, item, said, &response);
        sink.take(Place::Line(number), Record::Judgment(judgment))
    }

    /// Checks that the answer is to a request that the judge is on record with: two prompts are two judges.
    fn check_run(
        &mut self,
        protocol: &str,
        run: RunMark,
        named: &Piece<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Fits<()>> {
        let on_record = match self.on_record.get(protocol) {
            Some(known) => *known,
            None => {
                let known = sink.judge_run(self.judge, protocol)?;
                if known.is_none() {
                    let what = format!(
                        "how {} was asked about {} is not on record here, but in the study that the requests came from",
                        sentence::quoted(self.judge),
                        sentence::quoted(protocol)
                    );
                    sink.remark(Place::Line(self.last_line), what);
                }
                *self.on_record.entry(protocol.to_owned()).or_insert(known)
            }
        };
        let Some(known) = on_record.filter(|known| *known != run) else { return Ok(Ok(())) };
        let what = format!(
            "this was asked with another prompt, model or parameter ({run}) than {} is on record with ({known})",
            sentence::quoted(self.judge)
        );
        Ok(Err(named
            .misfit(what)
            .advise("export such requests under a name of their own, and ask them again")))
    }

    /// Counts an answer that came back, whether or not it can be taken. Numbers that cannot be read count as 0.
    fn count(&mut self, protocol: &str, name: &RequestName, piece: &Piece<'_>) {
        let said: Value = piece.read().unwrap_or_default();
        let Some(body) = said.pointer("/response/body").filter(|body| body.is_object()) else { return };
        let number = |pointer: &str| body.pointer(pointer).and_then(Value::as_u64).unwrap_or_default();
        let (run, at) = self.runs.entry((protocol.to_owned(), name.run)).or_default();
        run.answers += 1;
        run.prompt_tokens += number("/usage/prompt_tokens");
        run.completion_tokens += number("/usage/completion_tokens");
        if let Some(model) = body.get("model").and_then(Value::as_str) {
            run.model = model.to_owned();
        }
        run.content = fingerprint([&run.content, &said.to_string()]).to_string();
        *at = (*at).max(crate::number::signed(number("/created").saturating_mul(1_000)));
    }

    fn let_pass(&mut self, around: &Around, number: u64) {
        let Around { is_fenced, has_thoughts, other_keys } = around;
        let fence = is_fenced.then(|| "stood in a Markdown fence".to_owned());
        let thoughts = has_thoughts.then(|| "stood behind <think>…</think>".to_owned());
        let others = other_keys.iter().map(|key| format!("had the key {key:?}, which nobody asked for"));
        for what in fence.into_iter().chain(thoughts).chain(others) {
            self.let_pass.entry(what).or_insert((0, number)).0 += 1;
        }
    }

    /// Remarks on the things let pass, and puts on record which answers came back.
    fn finish(self, sink: &mut dyn Sink) -> Result<()> {
        for (what, (count, first)) in self.let_pass {
            let answers = if count == 1 { "answer" } else { "answers" };
            sink.remark(Place::Line(first), format!("{count} {answers} {what}; the rest was taken"));
        }
        for ((protocol, run), (answered, at)) in self.runs {
            let answered = JudgeAnswered { protocol, run: run.to_string(), ..answered };
            sink.take(Place::Line(self.last_line), Record::Amendment(answered.came(self.judge, at)))?;
        }
        Ok(())
    }

    /// The request that is answered, with its `custom_id`.
    fn name<'a>(&self, piece: &Piece<'a>) -> Fits<(RequestName, Piece<'a>)> {
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
        Ok((name, named))
    }

    fn response<'a>(&self, piece: &Piece<'a>, name: RequestName, named: Piece<'a>) -> Fits<Response<'a>> {
        let fields = piece.fields()?;
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
        // No answer depends on the time, so one that cannot be read is left out.
        let created = body.find("created").and_then(|created| created.read::<i64>().ok());
        let at = created.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
        Ok(Response { name, named, content: content.read()?, path: content.path().to_owned(), at })
    }

    /// The answers of a response, with the item that they are about.
    fn answers<'i>(
        &mut self,
        response: &Response<'_>,
        asked: Option<&'i AskedItem>,
    ) -> Result<Fits<(&'i Item, JudgeSaid)>> {
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
        if name.shown != mark_of_shown(item) {
            let misfit = named.misfit("the texts that were shown are not those of the study");
            return Ok(Err(misfit.advise("export the requests anew and ask again")));
        }
        let read = answers::read(&response.content, self.protocol(protocol)?, item);
        Ok(read.map(|said| (item, said)).map_err(|misfit| misfit.within(&response.path)))
    }

    /// The protocol of this text, read once.
    fn protocol(&mut self, text: &ProtocolText) -> Result<&Protocol> {
        match self.protocols.entry((text.name.clone(), text.version)) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(new) => Ok(new.insert(Protocol::parse(&text.text, &text.guideline)?)),
        }
    }
}

/// The name under which the answers stand when a judge is asked an item the `time`th time.
pub fn again(judge: &str, time: u8) -> String {
    if time > 1 { format!("{judge} #{time}") } else { judge.to_owned() }
}

fn judgment(
    annotator: String,
    protocol: &str,
    item: &Item,
    said: JudgeSaid,
    response: &Response<'_>,
) -> Judgment {
    let judgment = Judgment {
        protocol: protocol.to_owned(),
        version: Some(response.name.version),
        annotator,
        answers: said.answers.into_iter().map(|(key, answer)| (key, answer.to_json())).collect(),
        at: response.at.map(|at| at.to_string()),
        comment: said.reason,
        ..Judgment::default()
    };
    judgment.on(item.keys.clone())
}

/// The text of the one answer, if it is whole.
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

/// The message of an error, or the error itself.
fn message(error: &Piece<'_>) -> Fits<String> {
    let value: Value = error.read()?;
    let text = value.get("message").unwrap_or(&value);
    Ok(sentence::one_line(text.as_str().unwrap_or(&text.to_string())))
}
