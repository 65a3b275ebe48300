//! The filters of scores. A test of a judgment's own answers is looked up by the set of answers, any other by the row.

use super::{NameMeant, RowsOf};
use crate::browse::{
    Bits, BrowseTable, ColumnSource, FilterError, NONE, Node, Relation, Sets, Tables, Test, bounds, parse,
};
use crate::error::Result;
use crate::journal::Material;
use crate::number::short;
use crate::protocol::ScoreRule;

/// The result of a look-up.
type Selected<T> = std::result::Result<T, FilterError>;

/// A filter with its names looked up.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RowTest {
    All(Vec<RowTest>),
    Any(Vec<RowTest>),
    Not(Box<RowTest>),
    /// The sets of answers for which the test holds, and those that leave the question open.
    Own(Bits, Bits),
    /// The rows for which the test holds; of a joined answer, also those that have one.
    Row(Bits, Option<Bits>),
}

impl RowTest {
    /// Whether the test holds for a judgment: `answers` is the place of its answers, `row` that of its item. `None` where it hangs
    /// on a question that is left open, as by a majority that is tied.
    pub(super) fn holds(&self, answers: usize, row: u32) -> Option<bool> {
        self.decided(answers, row, false)
    }

    /// Whether the test would be decided alike, whatever joined answer there may yet be about the item.
    pub(super) fn is_known(&self, answers: usize, row: u32) -> bool {
        self.decided(answers, row, true).is_some()
    }

    fn decided(&self, answers: usize, row: u32, waits: bool) -> Option<bool> {
        // One test that says `end` decides.
        let until = |end: bool, tests: &[RowTest]| {
            let mut all = Some(!end);
            for test in tests {
                match test.decided(answers, row, waits) {
                    Some(said) if said == end => return Some(end),
                    Some(_) => {}
                    None => all = None,
                }
            }
            all
        };
        match self {
            RowTest::All(tests) => until(false, tests),
            RowTest::Any(tests) => until(true, tests),
            RowTest::Not(test) => test.decided(answers, row, waits).map(|holds| !holds),
            // There are as many sets of answers as places.
            RowTest::Own(bits, open) => (!open.has(short(answers))).then(|| bits.has(short(answers))),
            RowTest::Row(_, Some(known)) if waits && !known.has(row) => None,
            RowTest::Row(bits, _) => Some(bits.has(row)),
        }
    }
}

/// A filter, and for each name in it that is not the judgment's own, the rows where the name has a value.
pub(super) struct ReadFilter {
    pub(super) test: RowTest,
    pub(super) known: Vec<Bits>,
}

impl Tables {
    /// Looks up a filter of a score.
    pub(super) fn read_filter(
        &self,
        rule: &ScoreRule,
        of: RowsOf,
        from: Option<&Material>,
        filter: &str,
    ) -> Result<ReadFilter> {
        let wrong = |error: FilterError| {
            let place = filter.get(error.place.clone()).unwrap_or_default();
            rule.wrong(format!("the filter {filter:?} is wrong at {place:?}: {}", error.sentence))
        };
        let parsed = parse(filter).map_err(wrong)?;
        let mut known = Vec::new();
        let test = match &parsed.root {
            Some(root) => self.read_node(of, from, root, &mut known).map_err(wrong)?,
            None => RowTest::All(Vec::new()),
        };
        Ok(ReadFilter { test, known })
    }

    fn read_node(
        &self,
        of: RowsOf,
        from: Option<&Material>,
        node: &Node,
        known: &mut Vec<Bits>,
    ) -> Selected<RowTest> {
        let mut each = |nodes: &[Node]| {
            nodes.iter().map(|node| self.read_node(of, from, node, known)).collect::<Selected<_>>()
        };
        Ok(match node {
            Node::And(nodes) => RowTest::All(each(nodes)?),
            Node::Or(nodes) => RowTest::Any(each(nodes)?),
            Node::Not(node) => RowTest::Not(Box::new(self.read_node(of, from, node, known)?)),
            Node::Word { text, place, .. } => {
                let what = format!("{text:?} is no test of a field; write FIELD:{text}");
                return Err(FilterError::new(place.0.clone(), what));
            }
            Node::Test(test) => self.read_test(of, from, test, known)?,
        })
    }

    fn read_test(
        &self,
        of: RowsOf,
        from: Option<&Material>,
        test: &Test,
        known: &mut Vec<Bits>,
    ) -> Selected<RowTest> {
        let named =
            self.named(of, &test.field).map_err(|what| FilterError::new(test.field_place.0.clone(), what))?;
        let asks_for_nothing = test.quoted && test.value.is_empty();
        let is_joined = matches!(named, NameMeant::Joined(_)) && !asks_for_nothing;
        let (test, has_value) = match named {
            NameMeant::Own(question) => {
                let holds = self.select_labels(test, question, &self.own_labels(question, from))?;
                return Ok(RowTest::Own(holds, self.left_open(question, from)));
            }
            NameMeant::Joined(joined) => {
                let question = joined.question;
                let own = Sets { words: joined.sets.words.clone(), ..self.own_labels(question, None) };
                let own = self.select_labels(test, question, &own)?;
                let there = self.select_labels(test, question, &joined.sets)?;
                let known = joined.known(&own, &there);
                (self.select_labels(test, question, &joined.spread())?, known)
            }
            NameMeant::Field { table, name, places } => {
                let here = self.select_test(table, &Test { field: name.clone(), ..test.clone() })?;
                let absent = Test {
                    field: name,
                    comparison: Relation::IsNot,
                    value: String::new(),
                    quoted: true,
                    ..test.clone()
                };
                let there = self.select_test(table, &absent)?;
                // For a row without the thing, only the test for no value holds.
                let is_none = asks_for_nothing && test.comparison != Relation::IsNot;
                let spread = |bits: &Bits, without: bool| {
                    Bits::of(places.len(), |row| match places.get(row as usize) {
                        Some(place) if *place != NONE => bits.has(*place),
                        _ => without,
                    })
                };
                (spread(&here, is_none), spread(&there, false))
            }
            NameMeant::Later => return Ok(RowTest::Row(Bits::default(), None)),
            NameMeant::Judged(field) => {
                let what = format!(
                    "{} is a number of a judgment, and no filter asks for it; take it as a value",
                    field.name
                );
                return Err(FilterError::new(test.field_place.0.clone(), what));
            }
        };
        let has_answer = is_joined.then(|| has_value.clone());
        if !asks_for_nothing {
            known.push(has_value);
        }
        Ok(RowTest::Row(test, has_answer))
    }

    /// The places whose labels satisfy a test.
    fn select_labels(&self, test: &Test, question: u16, sets: &Sets) -> Selected<Bits> {
        let asked = bounds(test);
        self.select_sets(BrowseTable::Items, test, ColumnSource::Label(question), sets, asked)
    }
}
