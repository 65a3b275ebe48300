//! A filter as it was written, and how it is printed.

use std::fmt;
use std::ops::Range;

use crate::text::width::half_width;

/// Where a part of a filter stands in its text, in bytes. All places compare equal, so that parts compare by content.
#[derive(Debug, Clone, Default)]
pub struct TextPlace(pub Range<usize>);

impl PartialEq for TextPlace {
    fn eq(&self, _: &TextPlace) -> bool {
        true
    }
}

impl Eq for TextPlace {}

/// A parsed filter; its fields are not looked up yet. A filter without a root lets every row through.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    pub root: Option<Node>,
}

/// A part of a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// All parts must hold; at least two.
    And(Vec<Node>),
    /// Any part must hold; at least two.
    Or(Vec<Node>),
    Not(Box<Node>),
    /// A word or phrase somewhere in the texts of a row.
    Word {
        text: String,
        /// Whether one slip is allowed.
        slip: bool,
        place: TextPlace,
    },
    /// A field compared with a value.
    Test(Test),
}

/// A field compared with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    pub field: String,
    pub field_place: TextPlace,
    pub comparison: Relation,
    pub value: String,
    pub value_place: TextPlace,
    /// Whether the value was quoted: then `*`, `..` and the like in it are plain characters.
    pub quoted: bool,
}

/// The comparison between a field and a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// `:`
    Has,
    /// `=`
    Is,
    /// `!=`
    IsNot,
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
}

impl Relation {
    /// The sign as it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Relation::Has => ":",
            Relation::Is => "=",
            Relation::IsNot => "!=",
            Relation::Below => "<",
            Relation::AtMost => "<=",
            Relation::Above => ">",
            Relation::AtLeast => ">=",
        }
    }

    /// The sign with which a text begins, and its length in bytes. A full-width sign counts too where `is_wide`.
    pub(super) fn begins(text: &str, is_wide: bool) -> Option<(Relation, usize)> {
        let mut narrow = String::new();
        let mut ends = [0; 2];
        let signs = text.char_indices().take_while(|(_, letter)| is_wide || letter.is_ascii());
        for ((place, letter), end) in signs.zip(&mut ends) {
            narrow.push(half_width(letter));
            *end = place + letter.len_utf8();
        }
        let found = Relation::ALL.into_iter().find(|other| narrow.starts_with(other.sign()))?;
        ends.get(found.sign().len() - 1).map(|end| (found, *end))
    }

    /// All signs; signs of two characters stand before the signs that they begin with.
    pub(super) const ALL: [Relation; 7] = [
        Relation::IsNot,
        Relation::AtMost,
        Relation::AtLeast,
        Relation::Has,
        Relation::Is,
        Relation::Below,
        Relation::Above,
    ];
}

/// Words that join the parts of a filter.
const JOINING: [&str; 3] = ["and", "or", "not"];

/// Whether a word has to stand in quotation marks to be read as itself.
fn needs_quotes(word: &str) -> bool {
    let has_meaning = |letter: char| letter.is_whitespace() || "\"()\\:=<>!".contains(letter);
    word.is_empty()
        || word.starts_with(['-', '~'])
        || word.contains(has_meaning)
        || JOINING.iter().any(|joining| joining.eq_ignore_ascii_case(word))
}

/// A text in quotation marks.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A word as it is written in a filter.
pub fn written(word: &str) -> String {
    if needs_quotes(word) { quoted(word) } else { word.to_owned() }
}

/// Writes the test that a field is exactly this value.
pub fn exactly(field: &str, value: &str) -> String {
    format!("{}={}", written(field), quoted(value))
}

impl fmt::Display for Filter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root.as_ref().map_or(Ok(()), |root| root.fmt(formatter))
    }
}

impl fmt::Display for Node {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inside = |node: &Node, formatter: &mut fmt::Formatter<'_>| match node {
            Node::And(_) | Node::Or(_) => write!(formatter, "({node})"),
            _ => write!(formatter, "{node}"),
        };
        match self {
            Node::And(nodes) | Node::Or(nodes) => {
                let between = if matches!(self, Node::And(_)) { " " } else { " or " };
                for (number, node) in nodes.iter().enumerate() {
                    if number > 0 {
                        formatter.write_str(between)?;
                    }
                    match (self, node) {
                        // "and" binds closer than "or".
                        (Node::Or(_), Node::And(_)) => write!(formatter, "{node}")?,
                        _ => inside(node, formatter)?,
                    }
                }
                Ok(())
            }
            Node::Not(node) => {
                formatter.write_str("-")?;
                inside(node, formatter)
            }
            Node::Word { text, slip, .. } => {
                write!(formatter, "{}{}", if *slip { "~" } else { "" }, written(text))
            }
            Node::Test(test) => test.fmt(formatter),
        }
    }
}

impl fmt::Display for Test {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = if self.quoted { quoted(&self.value) } else { self.value.clone() };
        write!(formatter, "{}{}{value}", written(&self.field), self.comparison.sign())
    }
}
