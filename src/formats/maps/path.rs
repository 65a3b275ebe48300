//! The values of a map: a path, a word, a text with paths in it, or the first of several that is there.

use std::cell::RefCell;
use std::rc::Rc;

use serde::Deserialize;
use serde_json::{Number, Value};

use super::node::{MapNode, MapValue, as_text};
use crate::error::{Error, Result};

/// A value as a map writes it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct ValueSpec {
    /// The value as it stands in the map.
    pub(super) text: String,
    ways: Vec<ValueWay>,
}

/// One of the places where a value may stand.
#[derive(Debug, Clone, PartialEq)]
enum ValueWay {
    /// A word in the map itself.
    Word(String),
    /// Values, each with the text before it, and the text behind the last.
    Template(Vec<(String, ValueSpec)>, String),
    /// The text that a `*` stood for.
    Star,
    Position,
    FileName,
    Path(FieldPath),
}

/// A way through a record.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FieldPath {
    pub(super) text: String,
    pub(super) begins: PathStart,
    pub(super) steps: Vec<PathStep>,
    /// Whether it leads to each element of a list.
    is_many: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathStart {
    File,
    Record,
    Element,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum PathStep {
    /// A field, or the fields of a pattern with `*`.
    Field(String),
    Each,
    /// The element at the same place as that of `each`.
    Same,
    At(usize),
    /// The first element with this field.
    With(String, String),
    /// The parts of a text.
    Split(String),
}

impl TryFrom<String> for ValueSpec {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<ValueSpec, String> {
        let ways = text.split(" | ").map(way).collect::<Option<Vec<_>>>();
        let ways =
            ways.ok_or_else(|| format!("{text:?} is no path, no 'word' and no text with {{paths}}"))?;
        Ok(ValueSpec { text, ways })
    }
}

impl ValueSpec {
    /// Whether the value is always that of a field.
    pub(super) fn is_of_fields(&self) -> bool {
        self.text != "."
            && self.ways.iter().all(|way| matches!(way, ValueWay::Path(_) | ValueWay::Template(..)))
    }
}

fn way(text: &str) -> Option<ValueWay> {
    Some(match text {
        "@" => ValueWay::Star,
        "#" => ValueWay::Position,
        "@file" => ValueWay::FileName,
        _ if text.starts_with('\'') => ValueWay::Word(text.get(1..)?.strip_suffix('\'')?.to_owned()),
        _ if text.contains('{') => {
            let (mut holes, mut rest) = (Vec::new(), text);
            while let Some((before, behind)) = rest.split_once('{') {
                let (hole, behind) = behind.split_once('}')?;
                holes.push((before.to_owned(), ValueSpec::try_from(hole.to_owned()).ok()?));
                rest = behind;
            }
            ValueWay::Template(holes, rest.to_owned())
        }
        _ => ValueWay::Path(path(text)?),
    })
}

/// Reads a path; nothing where it is none.
pub(super) fn path(text: &str) -> Option<FieldPath> {
    let (begins, mut rest) = match (text.strip_prefix("//"), text.strip_prefix('/')) {
        (Some(rest), _) => (PathStart::File, rest),
        (None, Some(rest)) => (PathStart::Record, rest),
        (None, None) => (PathStart::Element, if text == "." { "" } else { text }),
    };
    if text.is_empty() || (text != "." && rest.is_empty()) {
        return None;
    }
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix("['") {
            let (separator, behind) = inside.split_once("']")?;
            steps.push(PathStep::Split(separator.replace("\\n", "\n")));
            rest = behind;
        } else if let Some(inside) = rest.strip_prefix('[') {
            let (inside, behind) = inside.split_once(']')?;
            steps.push(match (inside, inside.split_once('=')) {
                ("", _) => PathStep::Each,
                ("#", _) => PathStep::Same,
                (_, Some((field, value))) => PathStep::With(field.to_owned(), value.to_owned()),
                (number, None) => PathStep::At(number.parse().ok()?),
            });
            rest = behind;
        } else {
            let end = rest.find(['.', '[', ']']).unwrap_or(rest.len());
            let (field, behind) = rest.split_at_checked(end).filter(|(field, _)| !field.is_empty())?;
            steps.push(PathStep::Field(field.to_owned()));
            rest = behind;
        }
        rest = rest.strip_prefix('.').unwrap_or(rest);
    }
    let is_many = steps.iter().any(|step| matches!(step, PathStep::Each | PathStep::Split(_)));
    Some(FieldPath { text: text.to_owned(), begins, steps, is_many })
}

/// A place of a record, from which paths lead on.
#[derive(Debug, Clone)]
pub(super) struct MapScope<'r> {
    pub(super) file: &'r MapNode,
    pub(super) record: &'r MapNode,
    pub(super) element: &'r MapNode,
    /// The text that the `*` of the innermost block stood for.
    pub(super) star: Rc<str>,
    /// The place of the element among those of `each`, from 1, and how many these are.
    position: usize,
    count: usize,
    /// The file's name without its ending.
    file_name: &'r str,
    /// Fields that no pattern finds and that are not kept.
    pub(super) drop: &'r [String],
    /// Values that a person asked for and that no record has had yet.
    unseen: Option<&'r RefCell<Vec<String>>>,
}

/// A node that a path led to, with the text that the path's `*` stood for.
type FieldHit<'r> = (&'r MapNode, Rc<str>);

/// The kind of value that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Text,
    List,
    Number,
    Anything,
}

impl<'r> MapScope<'r> {
    pub(super) fn of_record(
        (file, record): (&'r MapNode, &'r MapNode),
        star: &str,
        file_name: &'r str,
        drop: &'r [String],
    ) -> MapScope<'r> {
        MapScope {
            file,
            record,
            element: record,
            star: Rc::from(star),
            position: 0,
            count: 0,
            file_name,
            drop,
            unseen: None,
        }
    }

    /// The scope with the values that a person asked for; each value that is found is taken out of `unseen`.
    pub(super) fn watching(self, unseen: &'r RefCell<Vec<String>>) -> MapScope<'r> {
        MapScope { unseen: Some(unseen), ..self }
    }

    /// Whether a person asked for the value and no record has had it yet.
    pub(super) fn awaits(&self, spec: &ValueSpec) -> bool {
        self.unseen.is_some_and(|unseen| unseen.borrow().contains(&spec.text))
    }

    /// Notes that a value is there, even an empty one.
    fn see(&self, spec: &ValueSpec, is_found: bool) -> Result<()> {
        if let Some(unseen) = self.unseen
            && unseen.borrow().contains(&spec.text)
            && (is_found || self.has_field(Some(spec))?)
        {
            unseen.borrow_mut().retain(|text| *text != spec.text);
        }
        Ok(())
    }

    /// A scope for each element that a block is made of; one scope for a block without `each`.
    pub(super) fn each(&self, each: Option<&ValueSpec>) -> Result<Vec<MapScope<'r>>> {
        let mut scopes = self.places(each)?;
        scopes.retain(|scope| each.is_none() || !scope.element.is_null());
        Ok(scopes)
    }

    /// A scope for each place of a list, also for an empty place.
    pub(super) fn places(&self, each: Option<&ValueSpec>) -> Result<Vec<MapScope<'r>>> {
        let Some(spec) = each else { return Ok(vec![self.clone()]) };
        let paths = spec.ways.iter().filter_map(|way| match way {
            ValueWay::Path(path) => Some(path),
            _ => None,
        });
        // A value of another kind than expected is an error, unless another way leads somewhere.
        let (mut found, mut wrong) = (Vec::new(), None);
        for path in paths {
            match self.walk_to_places(path) {
                Ok(hits) if hits.iter().any(|(node, _)| !node.is_null()) => {
                    found = hits;
                    break;
                }
                Ok(_) => {}
                Err(error) => wrong = wrong.or(Some(error)),
            }
        }
        self.see(spec, !found.is_empty())?;
        if let Some(error) = wrong.filter(|_| found.is_empty()) {
            return Err(error);
        }
        let count = found.len();
        let inside = (1..).zip(found).map(|(position, (element, star))| {
            let star = if star.is_empty() { Rc::clone(&self.star) } else { star };
            MapScope { element, star, position, count, ..self.clone() }
        });
        Ok(inside.collect())
    }

    /// Whether a field is there that a value may come from, also where it is empty.
    pub(super) fn has_field(&self, spec: Option<&ValueSpec>) -> Result<bool> {
        self.has_one_of(spec, |_| true)
    }

    /// Whether a field is there that holds one value, and no list.
    pub(super) fn has_single(&self, spec: Option<&ValueSpec>) -> Result<bool> {
        self.has_one_of(spec, |steps| steps.len() == 1)
    }

    fn has_one_of(&self, spec: Option<&ValueSpec>, is_asked: fn(&[PathStep]) -> bool) -> Result<bool> {
        for way in spec.into_iter().flat_map(|spec| &spec.ways) {
            if let ValueWay::Path(path) = way
                && let Some(PathStep::Field(name)) = path.steps.first()
                && is_asked(&path.steps)
                && self.begin(path).open()?.has(&name.replace('*', &self.star))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn begin(&self, path: &FieldPath) -> &'r MapNode {
        match path.begins {
            PathStart::File => self.file,
            PathStart::Record => self.record,
            PathStart::Element => self.element,
        }
    }

    /// The nodes that a path leads to and that hold something.
    pub(super) fn walk(&self, path: &FieldPath) -> Result<Vec<FieldHit<'r>>> {
        let mut found = self.walk_to_places(path)?;
        found.retain(|(node, _)| !node.is_null());
        Ok(found)
    }

    fn walk_to_places(&self, path: &FieldPath) -> Result<Vec<FieldHit<'r>>> {
        let mut at: Vec<FieldHit<'r>> = vec![(self.begin(path), Rc::from(""))];
        for step in &path.steps {
            at.retain(|(node, _)| !node.is_null());
            let mut after = Vec::new();
            for (node, star) in at {
                match step {
                    PathStep::Field(name) => after.extend(self.fields(node, name, &star)?),
                    PathStep::Split(separator) => {
                        let opened = node.open()?;
                        let parts = match &opened.holds {
                            MapValue::List(elements) => elements.as_slice(),
                            _ => node.parts(separator),
                        };
                        after.extend(parts.iter().map(|part| (part, Rc::clone(&star))));
                    }
                    _ => {
                        let opened = node.open()?;
                        let elements = self.elements(opened, step, path)?.into_iter();
                        after.extend(elements.map(|element| (element, Rc::clone(&star))));
                    }
                }
            }
            at = after;
        }
        Ok(at)
    }

    fn fields(&self, node: &'r MapNode, name: &str, star: &Rc<str>) -> Result<Vec<FieldHit<'r>>> {
        let object = node.open()?;
        match name.split_once('*') {
            Some((before, behind)) if name == "*" || self.star.is_empty() => {
                let fits = |field: &str| {
                    let (begin, rest) = field.split_at_checked(before.len())?;
                    let (stood, end) = rest.split_at_checked(rest.len().checked_sub(behind.len())?)?;
                    if !begin.eq_ignore_ascii_case(before) || !end.eq_ignore_ascii_case(behind) {
                        return None;
                    }
                    let is_left_out = self.drop.iter().any(|dropped| dropped == field);
                    (!is_left_out).then(|| if stood.is_empty() { Rc::clone(star) } else { Rc::from(stood) })
                };
                let mut found = object.unnamed(fits);
                if name != "*" {
                    found = own_columns(found);
                }
                found.iter().for_each(|(_, node)| node.is_met());
                Ok(found.into_iter().map(|(star, node)| (node, star)).collect())
            }
            Some((before, behind)) => {
                let name = format!("{before}{}{behind}", self.star);
                Ok(object.field(&name).map(|node| (node, Rc::clone(star))).into_iter().collect())
            }
            None => Ok(object.field(name).map(|node| (node, Rc::clone(star))).into_iter().collect()),
        }
    }

    fn elements(&self, node: &'r MapNode, step: &PathStep, path: &FieldPath) -> Result<Vec<&'r MapNode>> {
        let elements = match &node.holds {
            MapValue::List(elements) => elements,
            _ if *step == PathStep::Each => {
                let what = format!("{}: expected a list, found {}", path.text, node.shown());
                let name = path.text.replace("[]", "");
                return Err(
                    Error::new(what).advise(format!("take another field, or {name}['…'] to split a text"))
                );
            }
            _ => return Ok(Vec::new()),
        };
        let one = |place: usize| elements.get(place).into_iter().collect();
        Ok(match step {
            // Lists of different lengths do not tell which elements belong together.
            PathStep::Same if elements.len() != self.count => Vec::new(),
            PathStep::Same => one(self.position.saturating_sub(1)),
            PathStep::At(place) => one(*place),
            PathStep::With(field, value) => {
                let inside = |node: Option<&'r MapNode>, name: &str| match &node?.holds {
                    MapValue::Object(fields) => fields.get(name),
                    _ => None,
                };
                let has = |element: &&'r MapNode| {
                    let found = field.split('.').fold(Some(*element), inside);
                    found.is_some_and(|found| as_text(&found.value()) == *value)
                };
                elements.iter().find(has).into_iter().collect()
            }
            PathStep::Each | PathStep::Field(_) | PathStep::Split(_) => elements.iter().collect(),
        })
    }

    /// The value as a text; elements of a list are joined by `join`, or by line breaks.
    pub(super) fn text(&self, spec: Option<&ValueSpec>, join: Option<&str>) -> Result<Option<String>> {
        Ok(self.find(spec, Wanted::Text, join)?.map(|value| as_text(&value)))
    }

    /// The value as a text that is not empty.
    pub(super) fn some_text(&self, spec: Option<&ValueSpec>, join: Option<&str>) -> Result<Option<String>> {
        Ok(self.text(spec, join)?.filter(|text| !text.is_empty()))
    }

    /// The value as texts.
    pub(super) fn list(&self, spec: Option<&ValueSpec>) -> Result<Option<Vec<String>>> {
        Ok(match self.find(spec, Wanted::List, None)? {
            Some(Value::Array(elements)) => Some(elements.iter().map(as_text).collect()),
            other => other.map(|value| vec![as_text(&value)]),
        })
    }

    /// The value as a number.
    pub(super) fn number(&self, spec: Option<&ValueSpec>) -> Result<Option<f64>> {
        Ok(self.find(spec, Wanted::Number, None)?.and_then(|value| value.as_f64()))
    }

    /// The value, whatever it is.
    pub(super) fn raw(&self, spec: Option<&ValueSpec>) -> Result<Option<Value>> {
        self.find(spec, Wanted::Anything, None)
    }

    fn find(&self, spec: Option<&ValueSpec>, wanted: Wanted, join: Option<&str>) -> Result<Option<Value>> {
        let Some(spec) = spec else { return Ok(None) };
        let found = self.first_of(spec, wanted, join);
        self.see(spec, matches!(found, Ok(Some(_))))?;
        found
    }

    /// The value of the first way that leads to one.
    fn first_of(&self, spec: &ValueSpec, wanted: Wanted, join: Option<&str>) -> Result<Option<Value>> {
        let is_only = spec.ways.len() == 1;
        let (mut empty, mut wrong) = (None, None);
        for way in &spec.ways {
            match way {
                ValueWay::Word(word) => return Ok(Some(word.as_str().into())),
                ValueWay::Star if self.star.is_empty() => {}
                ValueWay::Star => return Ok(Some((*self.star).into())),
                ValueWay::Position => return Ok(Some(self.position.to_string().into())),
                ValueWay::FileName => return Ok(Some(self.file_name.into())),
                ValueWay::Template(holes, behind) => {
                    let mut whole = String::new();
                    let mut is_whole = true;
                    for (before, hole) in holes {
                        let filled = self.text(Some(hole), join)?;
                        is_whole &= filled.is_some();
                        whole += before;
                        whole += &filled.unwrap_or_default();
                    }
                    if is_whole {
                        return Ok(Some((whole + behind).into()));
                    }
                }
                ValueWay::Path(path) => {
                    let nodes = match self.walk(path) {
                        Ok(nodes) => nodes,
                        Err(error) if is_only => return Err(error),
                        Err(error) => {
                            wrong = wrong.or(Some(error));
                            continue;
                        }
                    };
                    let first = nodes.first().map(|(node, _)| *node);
                    if !path.is_many
                        && first.is_some_and(
                            |node| matches!(&node.holds, MapValue::Text(text) if text.is_empty()),
                        )
                    {
                        empty = Some(Value::from(""));
                    }
                    if let Some(found) = fitting(path, &nodes, wanted, (is_only, join))? {
                        return Ok(Some(found));
                    }
                }
            }
        }
        match wrong.filter(|_| wanted != Wanted::Anything) {
            Some(error) => Err(error),
            None => Ok(empty.filter(|_| wanted == Wanted::Text)),
        }
    }
}

/// The columns of a pattern, by what its `*` stood for: numbered ones in the order of their numbers. `1_score` beside `1`, and
/// `A_bleu` with a number beside `A`, are fields of those.
fn own_columns(mut found: Vec<(Rc<str>, &MapNode)>) -> Vec<(Rc<str>, &MapNode)> {
    let stars: Vec<Rc<str>> = found.iter().map(|(star, _)| Rc::clone(star)).collect();
    let number = |star: &str| star.parse::<u32>().ok();
    found.retain(|(star, node)| {
        let of =
            stars.iter().find(|other| star.strip_prefix(&***other).is_some_and(|rest| rest.starts_with('_')));
        !of.is_some_and(|of| number(of).is_some() || node.is_number())
    });
    if found.iter().all(|(star, _)| number(star).is_some()) {
        found.sort_by_key(|(star, _)| number(star));
    }
    found
}

/// The value that a path led to, as it is wanted; `None` where there is none, or where it is of another kind and there
/// are other ways.
fn fitting(
    path: &FieldPath,
    nodes: &[FieldHit<'_>],
    wanted: Wanted,
    (is_only, join): (bool, Option<&str>),
) -> Result<Option<Value>> {
    let found = match nodes {
        [] => return Ok(None),
        [(node, _), ..] if !path.is_many => node.value(),
        nodes => nodes.iter().map(|(node, _)| node.value()).collect(),
    };
    let is_plain = |value: &Value| !value.is_array() && !value.is_object() && !value.is_null();
    let plain = match &found {
        Value::Array(elements) => elements.iter().all(is_plain),
        other => is_plain(other),
    };
    let refused = |expected: &str, advice: &str| {
        let what =
            format!("{}: expected {expected}, found {}", path.text, MapNode::from(found.clone()).shown());
        Err(Error::new(what).advise(advice))
    };
    match (wanted, &found) {
        (_, Value::Array(elements)) if elements.is_empty() => Ok(None),
        (_, Value::String(text)) if text.is_empty() => Ok(None),
        (Wanted::Anything, _) => Ok(Some(found)),
        (Wanted::Number, _) => {
            let number: Option<Number> = match &found {
                Value::Number(number) => Some(number.clone()),
                Value::String(text) => text.trim().parse().ok().and_then(Number::from_f64),
                _ => None,
            };
            match number {
                Some(number) => Ok(Some(number.into())),
                None => refused("a number", "correct it, or leave the field out of the map"),
            }
        }
        (Wanted::List, _) if plain => Ok(Some(found)),
        (Wanted::Text, Value::Array(elements)) if plain => {
            let texts: Vec<String> = elements.iter().map(as_text).collect();
            Ok(Some(texts.join(join.unwrap_or("\n")).into()))
        }
        (Wanted::Text, _) if plain => Ok(Some(found)),
        _ if is_only => {
            let expected = if wanted == Wanted::List { "a list of texts" } else { "a text" };
            refused(expected, "name the field inside it")
        }
        _ => Ok(None),
    }
}
