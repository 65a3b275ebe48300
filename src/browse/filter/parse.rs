//! Reading a filter: words, fields, "or", "not" and parentheses.

use std::ops::Range;

use super::{Filter, FilterError, Node, Relation, Test, TextPlace};

/// The deepest nesting of parentheses and negations.
const DEEPEST: usize = 50;

/// Reads a filter.
pub fn parse(text: &str) -> Result<Filter, FilterError> {
    let mut reader = Reader { text, at: 0 };
    let root = reader.any(0)?;
    reader.skip_space();
    match reader.peek() {
        None => Ok(Filter { root }),
        // Only a closing parenthesis ends a part before the text ends.
        Some(_) => Err(FilterError::new(
            reader.at..reader.at + 1,
            "this parenthesis closes nothing; put \"(\" before what belongs together",
        )),
    }
}

/// A place in the text of a filter, from which reading goes on.
pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
}

/// A word, or the field or value beside a comparison.
#[derive(Debug, Default)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) place: Range<usize>,
    /// Whether a part of the text stood in quotation marks.
    pub(super) quoted: bool,
}

/// A part of a filter between spaces.
pub(super) enum Term {
    Word(Token),
    Test(Token, Relation, Token),
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Skips a joining word if it comes next and stands by itself.
    fn take(&mut self, word: &str) -> bool {
        self.skip_space();
        let end = self.rest().find(|letter: char| letter.is_whitespace() || "()\"".contains(letter));
        let (first, _) = self.rest().split_at_checked(end.unwrap_or(self.rest().len())).unwrap_or(("", ""));
        let found = first.eq_ignore_ascii_case(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    /// Reads parts joined by "or"; `None` where there is nothing.
    fn any(&mut self, depth: usize) -> Result<Option<Node>, FilterError> {
        let Some(first) = self.all(depth)? else {
            let start = self.at;
            return match self.take("or") || self.take("and") {
                true => Err(missing(start..self.at, "before this there is nothing to join; name it first")),
                false => Ok(None),
            };
        };
        let mut parts = vec![first];
        loop {
            let start = self.at;
            if !self.take("or") {
                break;
            }
            let place = self.at.saturating_sub(2).max(start)..self.at;
            let Some(part) = self.all(depth)? else {
                return Err(missing(place, "behind \"or\" something is missing; add it, or quote the word"));
            };
            parts.push(part);
        }
        Ok(joined(parts, Node::Or))
    }

    /// Reads parts that stand side by side or are joined by "and".
    fn all(&mut self, depth: usize) -> Result<Option<Node>, FilterError> {
        let mut parts = Vec::new();
        loop {
            let start = self.at;
            if !parts.is_empty() && self.take("and") {
                let place = self.at - 3..self.at;
                match self.one(depth)? {
                    Some(part) => parts.push(part),
                    None => {
                        return Err(missing(
                            place,
                            "behind \"and\" something is missing; add it, or quote the word",
                        ));
                    }
                }
                continue;
            }
            self.at = start;
            match self.one(depth)? {
                Some(part) => parts.push(part),
                None => return Ok(joined(parts, Node::And)),
            }
        }
    }

    /// Reads one part; `None` at the end, before ")" and before "or" or "and".
    fn one(&mut self, depth: usize) -> Result<Option<Node>, FilterError> {
        self.skip_space();
        let start = self.at;
        if depth > DEEPEST {
            return Err(missing(
                start..self.text.len(),
                "this stands in too many parentheses; take some away",
            ));
        }
        match self.peek() {
            None | Some(')') => return Ok(None),
            Some('(') => return self.inside(depth).map(Some),
            Some('-') => {
                self.at += 1;
                return self.negated(start, depth).map(Some);
            }
            _ => {}
        }
        if self.take("or") || self.take("and") {
            self.at = start;
            return Ok(None);
        }
        if self.take("not") {
            return self.negated(start, depth).map(Some);
        }
        let slip = self.peek() == Some('~');
        self.at += usize::from(slip);
        match self.term()? {
            Term::Word(word) if word.text.is_empty() && slip => {
                Err(missing(start..self.at, "behind \"~\" a word is missing; type it, or take the sign away"))
            }
            Term::Word(word) if word.text.is_empty() => {
                Err(missing(word.place, "between these quotation marks there is nothing; type a word"))
            }
            Term::Word(word) => {
                Ok(Some(Node::Word { text: word.text, slip, place: TextPlace(start..self.at) }))
            }
            Term::Test(..) if slip => {
                Err(missing(start..start + 1, "a slip is allowed in words only; take \"~\" away"))
            }
            Term::Test(field, comparison, value) => test(field, comparison, value).map(Some),
        }
    }

    fn negated(&mut self, start: usize, depth: usize) -> Result<Node, FilterError> {
        let end = self.at;
        match self.one(depth + 1)? {
            Some(node) => Ok(Node::Not(Box::new(node))),
            None => Err(missing(start..end, "this negates nothing; put it before a word, a field or \"(\"")),
        }
    }

    fn inside(&mut self, depth: usize) -> Result<Node, FilterError> {
        let start = self.at;
        self.at += 1;
        let node = self.any(depth + 1)?;
        self.skip_space();
        if self.peek() != Some(')') {
            return Err(missing(start..start + 1, "this parenthesis is not closed; add \")\""));
        }
        self.at += 1;
        node.ok_or_else(|| missing(start..self.at, "there is nothing in these parentheses; take them away"))
    }

    /// Reads to the next space or parenthesis.
    pub(super) fn term(&mut self) -> Result<Term, FilterError> {
        let field = self.piece(true)?;
        let behind = self.at;
        self.skip_space();
        let start = self.at;
        let Some(mut comparison) = self.comparison(names_field(&field.text)) else {
            self.at = behind;
            return Ok(Term::Word(field));
        };
        if field.text.is_empty() {
            return Err(missing(
                start..self.at,
                "before this a field is missing; write for example joint<20, or quote the word",
            ));
        }
        if comparison == Relation::Has {
            // `joint:<20` means `joint<20`.
            let behind = self.at;
            match self.comparison(true) {
                Some(other) if other != Relation::Has => comparison = other,
                _ => self.at = behind,
            }
        }
        let behind = self.at;
        self.skip_space();
        // Behind a blank, another test may begin or a joining word may stand.
        let is_apart = self.at > behind;
        let value = self.piece(is_apart)?;
        let is_joining = ["or", "and", "not"].iter().any(|word| value.text.eq_ignore_ascii_case(word));
        let is_other =
            is_apart && !value.quoted && (is_joining || self.comparison(names_field(&value.text)).is_some());
        if is_other || (value.text.is_empty() && !value.quoted) {
            self.at = behind;
            return Err(missing(
                field.place.start..self.at,
                &format!("a value is missing behind \"{}{}\"; type it", field.text, comparison.sign()),
            ));
        }
        Ok(Term::Test(field, comparison, value))
    }

    fn comparison(&mut self, is_wide: bool) -> Option<Relation> {
        let (found, length) = Relation::begins(self.rest(), is_wide)?;
        self.at += length;
        Some(found)
    }

    /// Reads to the next space or parenthesis and, if `stops`, to the next comparison. In quotation marks these do not end
    /// the piece.
    fn piece(&mut self, stops: bool) -> Result<Token, FilterError> {
        let start = self.at;
        let mut piece = Token::default();
        while let Some(letter) = self.peek() {
            let ends = letter.is_whitespace() || letter == '(' || letter == ')';
            let compares = stops && Relation::begins(self.rest(), names_field(&piece.text)).is_some();
            if ends || compares {
                break;
            }
            if letter == '"' {
                self.quote(&mut piece.text)?;
                piece.quoted = true;
            } else {
                piece.text.push(letter);
                self.at += letter.len_utf8();
            }
        }
        piece.place = start..self.at;
        Ok(piece)
    }

    /// Reads a text in quotation marks; a character behind a backslash is itself.
    fn quote(&mut self, into: &mut String) -> Result<(), FilterError> {
        let start = self.at;
        let mut is_escaped = false;
        for (place, letter) in self.rest().char_indices().skip(1) {
            match letter {
                _ if is_escaped => {
                    is_escaped = false;
                    into.push(letter);
                }
                '\\' => is_escaped = true,
                '"' => {
                    self.at = start + place + 1;
                    return Ok(());
                }
                _ => into.push(letter),
            }
        }
        Err(FilterError::new(start..self.text.len(), "this quotation mark is not closed; add another"))
    }
}

/// Whether a full-width sign behind this text is a comparison, as in `coverage：none` and `coverage@李雷＝full`. In
/// `标题：正文` the sign is part of a word.
fn names_field(text: &str) -> bool {
    text.split('@').next().is_some_and(|name| !name.is_empty() && name.is_ascii())
}

fn test(field: Token, comparison: Relation, value: Token) -> Result<Node, FilterError> {
    Ok(Node::Test(Test {
        field: field.text,
        field_place: TextPlace(field.place),
        comparison,
        value: value.text,
        value_place: TextPlace(value.place),
        quoted: value.quoted,
    }))
}

fn joined(mut parts: Vec<Node>, join: fn(Vec<Node>) -> Node) -> Option<Node> {
    if parts.len() > 1 { Some(join(parts)) } else { parts.pop() }
}

fn missing(place: Range<usize>, sentence: &str) -> FilterError {
    FilterError::new(place, sentence)
}
