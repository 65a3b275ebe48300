//! Labels of foreign files as judgments, and protocols for them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::str::Chars;

use indexmap::{IndexMap, IndexSet};
use serde_json::Value;

use super::importer::FileLabels;
use super::map::{JudgmentBlock, LabelChoices, LabelProtocol};
use super::node::as_text;
use super::path::MapScope;
use crate::error::{Error, Result};
use crate::formats::sentence;
use crate::protocol::{Choice, Protocol, Question, QuestionKind, builtin};
use crate::study::{Annotator, Judgment, Meta, Place, ProtocolText, Record, RecordKind, Sink};

/// A judgment of an answer or a unit in a foreign file.
#[derive(Debug, Clone)]
pub(super) struct LabelJudgment {
    pub(super) place: Place,
    /// The protocol, as the map calls it.
    pub(super) named: String,
    pub(super) annotator: Annotator,
    /// Whether the file says if it is a person or a model.
    pub(super) is_kind_told: bool,
    pub(super) judgment: Judgment,
    /// Whether the row answers one question, which it names.
    pub(super) is_own_question: bool,
}

/// Keys of questions, each with the name that the file has.
type NamedQuestions = Vec<(String, String)>;

/// Labels of a protocol by question, in the order in which they came.
type LabelsSeen = IndexMap<String, Vec<String>>;

/// Labels with their scores, in the order of choices.
type ScoredLabels = Vec<(String, Option<f64>)>;

/// Keys of the choices of a protocol that is made.
const LETTERS: &str = "adefhlmnprvwxy";

/// More choices than these, or longer ones, are a text.
const MOST_CHOICES: usize = 7;
const LONGEST_CHOICE: usize = 40;

/// The answers that a block makes, as the protocol has them, the keys of their questions with the names in the file, and the
/// questions whose answers cannot be read.
pub(super) fn answers(
    scope: &MapScope<'_>,
    block: &JudgmentBlock,
) -> Result<(Meta, NamedQuestions, Vec<String>)> {
    let given = &block.answers;
    let (mut found, mut unread) = (Vec::new(), Vec::new());
    if let Some(each) = given.get("each") {
        for inside in scope.each(Some(each))? {
            let key = inside.text(given.get("key"), None)?;
            let value = inside.raw(given.get("value"))?;
            // Objects in a list are spans or boxes.
            let is_spans =
                |value: &Value| value.as_array().is_some_and(|labels| labels.iter().any(Value::is_object));
            if value.as_ref().map_or(!inside.element.is_empty(), is_spans) {
                unread.extend(key);
            } else {
                found.push((key, value));
            }
        }
    } else {
        for (key, value) in given {
            found.push((Some(key.clone()), scope.raw(Some(value))?));
        }
    }
    let (mut answers, mut prompts) = (Meta::new(), Vec::new());
    for (key, value) in found {
        let Some(value) = value.map(ticked) else { continue };
        if value.is_null() || value == Value::Array(Vec::new()) {
            continue;
        }
        let key = key.filter(|key| !key.is_empty()).ok_or_else(|| {
            Error::new("the question of an answer is missing or empty")
                .advise("name the field with the question (--map judgment.answers.key=…)")
        })?;
        let value = match value {
            Value::Array(labels) => Value::Array(labels),
            other => match label_of(&as_text(&other)) {
                Some(label) => Value::from(block.words.get(&label).cloned().unwrap_or(label)),
                None => continue,
            },
        };
        answers.insert(key_of(&key), value);
        // A name of several words is a question as it stands.
        prompts.extend(key.trim().contains(' ').then(|| (key_of(&key), key)));
    }
    Ok((answers, prompts, unread))
}

/// A label without white space around it, and `3` for `3.0`; `None` for an empty cell or `nan`.
fn label_of(text: &str) -> Option<String> {
    let text = text.trim();
    let is_number = |whole: &&str| !whole.is_empty() && whole.bytes().all(|digit| digit.is_ascii_digit());
    let whole = text.strip_suffix(".0").filter(is_number).unwrap_or(text);
    (!whole.is_empty() && !whole.eq_ignore_ascii_case("nan")).then(|| whole.to_owned())
}

/// The labels that an object of ticks has ticked; of a list of one label, that label.
fn ticked(value: Value) -> Value {
    let value = match value {
        Value::Object(ticks) => {
            let is_ticked = |tick: &Value| {
                !["", "false", "0", "none", "null"].contains(&as_text(tick).to_lowercase().as_str())
            };
            ticks
                .into_iter()
                .filter(|(_, tick)| is_ticked(tick))
                .map(|(label, _)| Value::from(label))
                .collect()
        }
        other => other,
    };
    match value {
        Value::Array(mut labels) if labels.len() == 1 => labels.pop().unwrap_or_default(),
        other => other,
    }
}

/// A question's name as the key of a question.
fn key_of(name: &str) -> String {
    let mut key = String::new();
    for character in name.chars() {
        let is_word = character.is_alphanumeric() || character == '_';
        if is_word {
            key.extend(character.to_lowercase());
        } else if !key.ends_with('_') {
            key.push('_');
        }
    }
    key.trim_matches('_').to_owned()
}

/// Refuses labels that the map's protocol does not know.
pub(super) fn check(protocols: &BTreeMap<String, LabelProtocol>, name: &str, answers: &Meta) -> Result<()> {
    for (key, value) in answers {
        let known =
            protocols.get(name).and_then(|protocol| protocol.choices.get(key)).map(LabelChoices::names);
        if let Some(known) = known.filter(|known| !labels_of(value).all(|label| known.contains(&label))) {
            return Err(Error::new(format!(
                "{key}: '{}' is no answer of '{}'",
                sentence::one_line(&as_text(value)),
                sentence::one_line(name)
            ))
            .advise(format!(
                "correct it, or say in `words` of the map which it is of {}",
                known.join(", ")
            )));
        }
    }
    Ok(())
}

fn labels_of(value: &Value) -> impl Iterator<Item = String> {
    let labels = match value {
        Value::Array(labels) => labels.as_slice(),
        one => std::slice::from_ref(one),
    };
    labels.iter().map(as_text)
}

impl LabelChoices {
    /// The labels, by their scores where they have some.
    fn scored(&self) -> ScoredLabels {
        match self {
            LabelChoices::Plain(labels) => labels.iter().map(|label| (label.clone(), None)).collect(),
            LabelChoices::Scored(scores) => {
                let mut scored: Vec<_> =
                    scores.iter().map(|(label, score)| (label.clone(), Some(*score))).collect();
                scored.sort_by(|(_, one), (_, other)| {
                    one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal)
                });
                scored
            }
        }
    }

    fn names(&self) -> Vec<String> {
        self.scored().into_iter().map(|(label, _)| label).collect()
    }
}

/// Hands over the labels of one file, behind the protocols that the labels of all files come to.
pub(super) fn hand_over(files: &[FileLabels], file: usize, sink: &mut dyn Sink) -> Result<()> {
    let Some(own) = files.get(file) else { return Ok(()) };
    let mut annotators: Vec<Annotator> = Vec::new();
    let mut protocols: Vec<(&str, &str)> = Vec::new();
    for label in &own.judgments {
        if !annotators.iter().any(|known| known.id == label.annotator.id) {
            let mut annotator = label.annotator.clone();
            if let (false, Some(known)) = (label.is_kind_told, sink.annotator_kind(&annotator.id)?) {
                annotator.kind = known;
            }
            annotators.push(annotator);
        }
        if !protocols.iter().any(|(name, _)| *name == label.judgment.protocol) {
            protocols.push((&label.judgment.protocol, &label.named));
        }
    }
    for annotator in annotators {
        sink.take(Place::Line(1), Record::Annotator(annotator))?;
    }
    let mut known: HashMap<&str, Protocol> = HashMap::new();
    for (name, named) in protocols {
        let held = match (builtin(name), sink.held(RecordKind::Protocol, ["", "", name])?) {
            (Some(builtin), _) => builtin.clone(),
            (None, Some(Record::Protocol(held))) => Protocol::parse(&held.text, &held.guideline)?,
            _ => {
                let text = protocol_text(name, named, files)?;
                let made = Protocol::parse(&text, "")?;
                let record =
                    ProtocolText { name: name.to_owned(), version: 1, text, guideline: String::new() };
                sink.take(Place::Line(1), Record::Protocol(record))?;
                made
            }
        };
        known.insert(name, held);
    }
    let parts = parts(&own.judgments);
    let ticked = ticked_in_rows(&own.judgments);
    for LabelJudgment { place, judgment: row, is_own_question, .. } in &own.judgments {
        let is_part = *is_own_question || parts.get(&ItemLabelled::of(row)).is_some_and(|few| *few);
        let protocol = known.get(row.protocol.as_str());
        let question = |key: &str| protocol.and_then(|protocol| protocol.question(key));
        let has_tags =
            |key: &str| question(key).is_some_and(|asked| matches!(asked.kind, QuestionKind::Tags { .. }));
        let key = row.answers.keys().next().map_or("", String::as_str);
        let rows = ticked.get(&(ItemLabelled::of(row), key)).filter(|_| *is_own_question && has_tags(key));
        // The first row brings what all of them say.
        if rows.and_then(|rows| rows.0.first()).is_some_and(|first| !std::ptr::eq(*first, row)) {
            continue;
        }
        let judgment = rows.map_or_else(|| row.clone(), |rows| rows.whole(key));
        let mut judgment = Judgment { is_part, ..judgment };
        for (key, value) in &mut judgment.answers {
            if let Some(question) = question(key) {
                *value = as_asked(question, value.take());
            }
        }
        sink.take(place.clone(), Record::Judgment(judgment)).map_err(|error| error.at(place))?;
    }
    Ok(())
}

/// An item and who judged it.
#[derive(PartialEq, Eq, Hash)]
struct ItemLabelled<'l>(&'l str, &'l str, [&'l Option<String>; 6], Option<u32>);

impl ItemLabelled<'_> {
    fn of(judgment: &Judgment) -> ItemLabelled<'_> {
        let Judgment { collection, query, document, unit, candidate, other, .. } = judgment;
        let item = [collection, query, document, unit, candidate, other];
        ItemLabelled(&judgment.protocol, &judgment.annotator, item, judgment.bullet)
    }
}

/// Rows of one item that each give a label to one question: with tags, all of them are one answer.
#[derive(Default)]
struct TickedRows<'l>(Vec<&'l Judgment>);

impl TickedRows<'_> {
    /// Their labels in one judgment, with the sum of their seconds, the last time and all comments.
    fn whole(&self, key: &str) -> Judgment {
        let mut whole = self.0.first().map_or_else(Judgment::default, |first| Judgment::clone(first));
        let labels = self.0.iter().filter_map(|row| row.answers.get(key)).cloned();
        whole.answers.insert(key.to_owned(), labels.collect());
        whole.seconds = self.0.iter().filter_map(|row| row.seconds).reduce(|one, other| one + other);
        whole.at = self.0.iter().filter_map(|row| row.at.clone()).max();
        let comments: IndexSet<&str> = self.0.iter().filter_map(|row| row.comment.as_deref()).collect();
        let comments = comments.into_iter().collect::<Vec<_>>().join("\n");
        whole.comment = Some(comments).filter(|comments| !comments.is_empty());
        whole
    }
}

/// The rows of a file that give one label each, by item and question, where there are several.
fn ticked_in_rows(labels: &[LabelJudgment]) -> HashMap<(ItemLabelled<'_>, &str), TickedRows<'_>> {
    let mut ticked: HashMap<_, TickedRows<'_>> = HashMap::new();
    for LabelJudgment { judgment, .. } in labels.iter().filter(|label| label.is_own_question) {
        for (key, _) in judgment.answers.iter().filter(|(_, value)| value.is_string()) {
            ticked.entry((ItemLabelled::of(judgment), key.as_str())).or_default().0.push(judgment);
        }
    }
    ticked.retain(|_, rows| rows.0.len() > 1);
    ticked
}

/// For each item of which a file has several rows by one person, whether no two of them answer the same question: then each is
/// a part of one judgment.
fn parts(labels: &[LabelJudgment]) -> HashMap<ItemLabelled<'_>, bool> {
    let mut rows: HashMap<ItemLabelled<'_>, (usize, usize, BTreeSet<&String>)> = HashMap::new();
    for LabelJudgment { judgment, .. } in labels {
        let (count, answers, questions) = rows.entry(ItemLabelled::of(judgment)).or_default();
        (*count, *answers) = (*count + 1, *answers + judgment.answers.len());
        questions.extend(judgment.answers.keys());
    }
    let several = rows.into_iter().filter(|(_, (count, ..))| *count > 1);
    several.map(|(item, (_, answers, questions))| (item, answers == questions.len())).collect()
}

/// An answer in the form that its question has: `Yes` where the choice is `yes`, a list where several tags may be given, and
/// one text where parts of it came.
fn as_asked(question: &Question, value: Value) -> Value {
    match (&question.kind, value) {
        (QuestionKind::Choice { choices, .. }, Value::String(label)) => {
            let is_it = |choice: &&Choice| choice.value.eq_ignore_ascii_case(&label);
            let exact = choices.iter().any(|choice| choice.value == label);
            let other = choices.iter().find(is_it).filter(|_| !exact);
            other.map_or(label, |choice| choice.value.clone()).into()
        }
        (QuestionKind::Tags { tags }, Value::String(label)) => {
            let is_tag = |label: &str| tags.iter().any(|tag| tag.value == label);
            // A cell may hold several tags, also as a list of JSON.
            let ends = |letter: char| letter.is_whitespace() || "[]\"'".contains(letter);
            let parts = label.split([',', ';', '|']).map(|part| part.trim_matches(ends));
            let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
            match !is_tag(&label) && parts.iter().all(|part| is_tag(part)) {
                true => in_order(tags, parts.into()),
                false => vec![label].into(),
            }
        }
        (QuestionKind::Tags { tags }, value @ Value::Array(_)) => in_order(tags, value),
        (QuestionKind::Text { .. }, Value::Array(parts)) => {
            parts.iter().map(as_text).collect::<Vec<_>>().join("\n").into()
        }
        (_, value) => value,
    }
}

/// Tags in the order of their question, each once: a set has none.
fn in_order(tags: &[Choice], given: Value) -> Value {
    let mut given: Vec<String> = labels_of(&given).collect();
    given.sort_by_key(|label| tags.iter().position(|tag| tag.value == *label));
    given.dedup();
    given.into()
}

/// A protocol for labels: the choices of the map, or those of the files. Numbers are their scores; other labels have no order,
/// and a question that not everybody answered is not required.
fn protocol_text(name: &str, named: &str, files: &[FileLabels]) -> Result<String> {
    let given = files.iter().find_map(|file| file.map.says.protocol.get(named)).cloned().unwrap_or_default();
    let judgments: Vec<&Judgment> = files
        .iter()
        .flat_map(|file| &file.judgments)
        .map(|label| &label.judgment)
        .filter(|judgment| judgment.protocol == name)
        .collect();
    let (mut seen, mut several) = (LabelsSeen::new(), HashSet::new());
    for (key, value) in judgments.iter().flat_map(|judgment| &judgment.answers) {
        let held = seen.entry(key.clone()).or_default();
        several.extend(value.is_array().then_some(key));
        for label in labels_of(value) {
            if !held.iter().any(|known| known.eq_ignore_ascii_case(&label)) {
                held.push(label);
            }
        }
    }
    let target = if given.target.is_empty() { judged_parts(&judgments) } else { given.target.clone() };
    let right: Vec<String> =
        ["unit", "candidate"].into_iter().map(str::to_owned).filter(|part| target.contains(part)).collect();
    let title = given.title.unwrap_or_else(|| format!("Labels of {name}"));
    let source = given.source.unwrap_or_else(|| "imported labels".to_owned());
    let mut text = format!(
        "name = {}\ntitle = {}\nversion = 1\nsource = {}\ntarget = {}\ngroup = \"query\"\n",
        quoted(name),
        quoted(&title),
        quoted(&source),
        list(&target)
    );
    if !given.units.is_empty() {
        text += &format!("units = {}\n", list(&given.units));
    }
    if target.iter().any(|part| part == "document") {
        text += "documents = \"all\"\n";
    }
    text += &format!("[layout]\nabove = [\"query\"]\nleft = [\"documents\"]\nright = {}\n", list(&right));
    let questions: Vec<(String, ScoredLabels)> = match given.choices.is_empty() {
        true => seen.into_iter().map(|(key, labels)| (key, ranked(labels))).collect(),
        false => given.choices.iter().map(|(key, labels)| (key.clone(), labels.scored())).collect(),
    };
    if questions.is_empty() {
        return Err(Error::new("everything in it was skipped, so its labels make no protocol")
            .advise("add one with `haymark protocol add` first"));
    }
    // What each person said of an item, in however many rows.
    let mut answered: HashMap<ItemLabelled<'_>, BTreeSet<&String>> = HashMap::new();
    for judgment in judgments.iter().filter(|judgment| !judgment.skipped) {
        answered.entry(ItemLabelled::of(judgment)).or_default().extend(judgment.answers.keys());
    }
    let mut letters = LETTERS.chars();
    for (key, labels) in questions {
        let is_always = answered.values().all(|questions| questions.contains(&key));
        let prompt = files.iter().find_map(|file| file.prompts.get(&key)).unwrap_or(&key);
        let prompt = sentence::one_line(prompt.trim());
        text += &format!("[[question]]\nkey = {}\nprompt = {}\n", quoted(&key), quoted(&prompt));
        text += if is_always { "" } else { "required = false\n" };
        text += &answers_text(labels, several.contains(&key), &mut letters);
    }
    Ok(text)
}

/// The parts of an item that labels are about.
fn judged_parts(judgments: &[&Judgment]) -> Vec<String> {
    let is_about = |part: &&str| {
        judgments.iter().any(|judgment| match *part {
            "document" => judgment.document.is_some(),
            "unit" => judgment.unit.is_some(),
            _ => judgment.candidate.is_some(),
        })
    };
    ["document", "unit", "candidate"].into_iter().filter(is_about).map(str::to_owned).collect()
}

/// The kind of a question, and its choices with the next letters as keys.
fn answers_text(mut labels: ScoredLabels, is_several: bool, letters: &mut Chars<'static>) -> String {
    // What everybody said, a number or a word, is one of two.
    if let [(only, score)] = labels.as_mut_slice() {
        *score = None;
        let other = format!("not {only}");
        labels.push((other, None));
    }
    let has_scores = labels.iter().any(|(_, score)| score.is_some());
    let is_long = labels.iter().any(|(label, _)| label.chars().count() > LONGEST_CHOICE);
    let is_text = is_long || labels.len() < 2 || labels.len() > MOST_CHOICES;
    if letters.clone().count() < if is_text { 1 } else { labels.len() } {
        // A key may stand under several questions: the question that is open takes it.
        *letters = LETTERS.chars();
    }
    if is_text {
        let letter = letters.next().map(String::from).unwrap_or_default();
        return format!("kind = \"text\"\nhotkey = {}\n", quoted(&letter));
    }
    let scale = if has_scores { "ordinal" } else { "nominal" };
    let mut text = match is_several {
        true => "kind = \"tags\"\ntags = [\n".to_owned(),
        false => format!("kind = \"choice\"\nscale = \"{scale}\"\nchoices = [\n"),
    };
    for ((label, score), letter) in labels.into_iter().zip(letters.by_ref()) {
        let score = score.filter(|_| !is_several);
        let score = score.map(|score| format!(", score = {score}")).unwrap_or_default();
        let label = quoted(&label);
        text += &format!("  {{ value = {label}, label = {label}, key = \"{letter}\"{score} }},\n");
    }
    text + "]\n"
}

/// Labels with their scores, ascending, where all of them are whole numbers; else as they came, except that a
/// label that denies, such as `no`, is not the first, since the share of the first is told.
fn ranked(labels: Vec<String>) -> ScoredLabels {
    let number = |label: &String| label.parse::<i32>().ok().filter(|_| label.len() < 10).map(f64::from);
    let is_ranked = labels.iter().all(|label| number(label).is_some());
    let mut scored: ScoredLabels = labels
        .into_iter()
        .map(|label| (number(&label).filter(|_| is_ranked), label))
        .map(|(score, label)| (label, score))
        .collect();
    let denies = |label: &String| {
        let label = label.to_lowercase();
        ["no", "false", "bad", "wrong", "incorrect"].contains(&label.as_str()) || label.starts_with("not ")
    };
    if scored.first().is_some_and(|(label, _)| denies(label)) {
        scored.sort_by_key(|(label, _)| denies(label));
    }
    if is_ranked {
        scored.sort_by(|(_, one), (_, other)| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal));
    }
    scored
}

/// A text of TOML, which is one of JSON as well.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", texts.join(", "))
}
