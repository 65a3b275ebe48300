//! The scores of a file, and the tables that they stand in.

use std::sync::OnceLock;

use super::builtin::{BUILTIN_SCORES, builtin};
use super::findings::{At, FileFindings};
use super::score_rule::{ScoreMade, ScoreNumber, ScoreRule, read};
use super::table::{FileTable, Need};
use super::{Protocol, Question};
use crate::error::Result;

/// The scores of a file, each with its table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScoreSheet {
    pub rules: Vec<ScoreRule>,
    /// Tables of scores. Scores that stand in none of them have a table together.
    pub tables: Vec<ScoreTable>,
}

/// A table of scores: a `[[table]]` of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScoreTable {
    pub title: String,
    /// Fields that the table is grouped by where the reader names none; empty where the protocol says by what.
    pub by: Vec<String>,
    /// The heading of the number of judged items.
    pub items: Option<String>,
    /// The names of its scores, in the order of the columns.
    pub scores: Vec<String>,
    /// The names of the scores that systems are ranked by; empty for all.
    pub ranks: Vec<String>,
    /// Notes for the reader, a sentence each.
    pub notes: Vec<String>,
}

/// The scores of a file that holds nothing else; the error names the first line that is wrong.
pub fn score_sheet(file_text: &str) -> Result<ScoreSheet> {
    let findings = FileFindings::new(file_text);
    let document = findings.document(file_text);
    let mut file = FileTable::new("the file of scores", 1, document.get_ref(), &findings);
    let sheet = sheet(&mut file);
    file.finish();
    match findings.finish().into_iter().next() {
        Some(error) => Err(error),
        None => Ok(sheet),
    }
}

/// The scores and tables of a file, as far as they can be read.
pub(super) fn sheet(file: &mut FileTable) -> ScoreSheet {
    let rules = read(file);
    let tables = file.tables("table", Need::Optional, "table of scores");
    let tables = tables.into_iter().flat_map(|tables| tables.value);
    let tables = tables.filter_map(|table| score_table(table, &rules)).collect();
    ScoreSheet { rules, tables }
}

fn score_table(mut table: FileTable, rules: &[ScoreRule]) -> Option<ScoreTable> {
    let title = table.text("title", Need::Required);
    let mut list = |key| table.strings(key, Need::Optional);
    let [by, scores, ranks, notes] = ["by", "scores", "ranks", "notes"].map(&mut list);
    let items = table.text("items", Need::Optional);
    let findings = table.findings;
    table.finish();
    for name in scores.iter().chain(&ranks).flat_map(|list| &list.value) {
        if !rules.iter().any(|rule| rule.name == name.value) {
            findings.note(name.line, format!("a table names {:?}, and there is no such score", name.value));
        }
    }
    let texts = |list: Option<At<Vec<At<String>>>>| list.map(At::plain).unwrap_or_default();
    Some(ScoreTable {
        title: title?.value,
        by: texts(by),
        items: items.map(|items| items.value),
        scores: texts(scores),
        ranks: texts(ranks),
        notes: texts(notes),
    })
}

impl ScoreSheet {
    /// A sheet of scores without tables of their own.
    pub fn of(rules: Vec<ScoreRule>) -> ScoreSheet {
        ScoreSheet { rules, tables: Vec::new() }
    }

    /// The scores with their filters and names put in other words by `word`.
    #[must_use]
    pub fn worded(&self, word: impl Fn(&str) -> String) -> ScoreSheet {
        let mut sheet = self.clone();
        for rule in &mut sheet.rules {
            let ScoreMade::Ratio(ratio) = &mut rule.made else { continue };
            for number in std::iter::once(&mut ratio.value).chain(&mut ratio.weight) {
                match number {
                    ScoreNumber::Text(text) => *text = word(text),
                    ScoreNumber::Largest(rows) => {
                        rows.iter_mut().for_each(|(filter, _)| *filter = word(filter))
                    }
                }
            }
            ratio.among.iter_mut().for_each(|among| *among = word(among));
        }
        sheet
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The scores that systems are ranked by.
    pub fn ranked(&self) -> Vec<ScoreRule> {
        let names: Vec<&String> = self.tables.iter().flat_map(|table| &table.ranks).collect();
        let is_ranked = |rule: &&ScoreRule| names.is_empty() || names.contains(&&rule.name);
        self.rules.iter().filter(is_ranked).cloned().collect()
    }

    /// Whether a table of systems names what ranks them.
    pub fn ranks_systems(&self) -> bool {
        self.tables.iter().any(|table| !table.ranks.is_empty() && table.by.iter().any(|by| by == "system"))
    }

    /// Whether a score reads answers to a question.
    pub fn reads(&self, question: &Question) -> bool {
        self.rules.iter().any(|rule| rule.reads(&question.key))
    }
}

/// The scores of a built-in protocol; none of another.
fn builtin_sheet(name: &str) -> Option<&'static ScoreSheet> {
    static SHEETS: OnceLock<Vec<(&str, ScoreSheet)>> = OnceLock::new();
    // The files are part of the program and a test reads each of them.
    let read = |(name, text): &(&'static str, &str)| (*name, score_sheet(text).unwrap_or_default());
    let sheets = SHEETS.get_or_init(|| BUILTIN_SCORES.iter().map(read).collect());
    sheets.iter().find(|(known, _)| *known == name).map(|(_, sheet)| sheet)
}

impl Protocol {
    /// The scores that the protocol's judgments give: those that its file names, else those of a built-in
    /// protocol that asks the same; `None` where there are none.
    pub fn score_sheet(&self) -> Option<&ScoreSheet> {
        if !self.scores.is_empty() {
            return Some(&self.scores);
        }
        let names = BUILTIN_SCORES.iter().map(|(name, _)| *name);
        // The protocol's own name comes first.
        let mut known = std::iter::once(self.name.as_str()).chain(names).filter_map(builtin);
        builtin_sheet(&known.find(|known| self.asks_as(known))?.name)
    }

    /// Whether the protocol's items have the same parts, and it asks the questions that the scores of a
    /// built-in protocol read, with their labels.
    fn asks_as(&self, known: &Protocol) -> bool {
        let Some(sheet) = builtin_sheet(&known.name) else { return false };
        let is_asked = |question: &Question| {
            let own = self.question(&question.key);
            let may = |value: &String| {
                own.is_some_and(|own| own.offered().iter().any(|choice| choice.value == *value))
            };
            own.is_some_and(|own| std::mem::discriminant(&own.kind) == std::mem::discriminant(&question.kind))
                && question.offered().iter().all(|choice| may(&choice.value))
        };
        self.target == known.target
            && known.questions.iter().filter(|question| sheet.reads(question)).all(is_asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtins;

    #[test]
    fn the_scores_of_the_built_in_protocols_are_read() {
        for (name, text) in BUILTIN_SCORES {
            let sheet = score_sheet(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!sheet.is_empty() && !sheet.ranked().is_empty(), "{name}");
            let protocol = builtin(name).expect(name);
            assert_eq!(protocol.score_sheet(), Some(&sheet), "{name}");
            assert!(protocol.questions.iter().any(|question| sheet.reads(question)), "{name}");
        }
        let without = builtins().iter().filter(|protocol| protocol.score_sheet().is_none());
        assert_eq!(
            without.map(|protocol| protocol.name.as_str()).collect::<Vec<_>>(),
            [
                "failure",
                "extraction",
                "decomposition",
                "retrieval",
                "nugget-wording",
                "nugget-importance",
                "citation-need",
                "hallucination",
                "preference"
            ]
        );
    }

    #[test]
    fn a_protocol_that_asks_the_same_under_another_name_has_the_same_scores() {
        let known = builtin("keypoint").expect("built in");
        let copy = Protocol { name: "mine".into(), ..known.clone() };
        assert_eq!(copy.score_sheet(), known.score_sheet());
        let mut without = copy.clone();
        without.questions.retain(|question| question.key != "validity");
        assert!(without.score_sheet().is_none());
        let elsewhere =
            Protocol { target: builtin("faithfulness").expect("built in").target.clone(), ..copy };
        assert!(elsewhere.score_sheet().is_none());
    }

    #[test]
    fn a_table_names_scores_that_are_there() {
        let score = "[[score]]\nname = \"a\"\nvalue = \"x:y\"\n[[table]]\ntitle = \"T\"\n";
        let sheet = score_sheet(&format!("{score}scores = [\"a\"]\nby = [\"query\"]\n")).expect("a sheet");
        assert_eq!((sheet.tables[0].title.as_str(), sheet.tables[0].by.len()), ("T", 1));
        let error = score_sheet(&format!("{score}scores = [\"b\"]\n")).expect_err("no such score");
        assert!(error.to_string().contains("line 6") && error.to_string().contains("\"b\""), "{error}");
    }
}
