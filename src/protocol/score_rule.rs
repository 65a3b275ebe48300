//! A score as data: a `[[score]]` of a protocol's file. It says what a judgment is worth, what counts, and where the
//! ratio is made; filters and names in it are those of browse, and are looked up where a study is known.

use std::collections::BTreeSet;

use super::findings::At;
use super::table::{FileTable, Need};
use super::{Protocol, Question};
use crate::error::Error;

#[derive(Debug, Clone, PartialEq)]
pub struct ScoreRule {
    /// The key of the score's column: `a-z`, `0-9` and `_`.
    pub name: String,
    /// The heading, where it is not the name.
    pub title: Option<String>,
    /// One sentence about the score.
    pub about: Option<String>,
    pub made: ScoreMade,
    /// The level at which the ratio is made; over everything without one.
    pub mean: Option<ScoreLevel>,
    /// The code in the place of a value where nothing counts.
    pub undefined: Option<String>,
    /// Whether high or low values are the best.
    pub better: Better,
    /// The line of the file on which the score begins, counted from 1; 0 where it stands in no file.
    pub line: u64,
}

/// The best numbers of a score: high or low ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Better {
    High,
    Low,
    /// The score says nothing of quality, such as the share of a label.
    #[default]
    Unsaid,
}

impl Better {
    /// A number that is the larger the earlier its score stands; without a best, the largest score stands first.
    pub fn worth(self, score: f64) -> f64 {
        if self == Better::Low { -score } else { score }
    }

    /// The words for the first and for the last score.
    pub fn ends(self) -> [&'static str; 2] {
        if self == Better::Unsaid { ["highest", "lowest"] } else { ["best", "worst"] }
    }
}

/// The parts of a score.
#[derive(Debug, Clone, PartialEq)]
pub enum ScoreMade {
    /// The mean of what judgments are worth.
    Ratio(RatioRule),
    /// The harmonic mean of two scores that stand above it.
    F1([String; 2]),
}

/// A mean of what judgments are worth.
#[derive(Debug, Clone, PartialEq)]
pub struct RatioRule {
    pub value: ScoreNumber,
    /// The filter of the judgments that count at all.
    pub among: Option<String>,
    /// The weight of a judgment; 1 without one.
    pub weight: Option<ScoreNumber>,
    /// The level whose things count once.
    pub once: ScoreLevel,
    /// The value of a thing of the level `mean` where nothing counts in it.
    pub empty: Option<f64>,
    /// The filter that all judgments of a thing under the file's own protocol must pass for it to be empty; otherwise nothing in it
    /// is judged yet.
    pub empty_where: Option<String>,
    /// The protocol whose judgments are the rows, where it is another.
    pub protocol: Option<String>,
}

/// A number of a judgment.
#[derive(Debug, Clone, PartialEq)]
pub enum ScoreNumber {
    /// A question whose choices have scores, or a field; or a filter: 100 where it holds, else 0.
    Text(String),
    /// Filters, each with its number: the largest number of the filters that hold, else 0.
    Largest(Vec<(String, f64)>),
}

impl ScoreNumber {
    /// The name of a question or a field, where the number is no filter.
    pub fn name(&self) -> Option<&str> {
        let is_name = |text: &&str| !text.contains([' ', ':', '=', '<', '>', '!', '"', '(']);
        if let ScoreNumber::Text(text) = self { Some(text.as_str()).filter(is_name) } else { None }
    }

    /// The filters in the number, each with its own number.
    pub fn filters(&self) -> Vec<(&str, f64)> {
        match self {
            ScoreNumber::Text(text) if self.name().is_none() => vec![(text, 100.0)],
            ScoreNumber::Text(_) => Vec::new(),
            ScoreNumber::Largest(rows) => {
                rows.iter().map(|(filter, number)| (filter.as_str(), *number)).collect()
            }
        }
    }
}

named! {
    /// The levels at which things count once, or a ratio is made; from the smallest to the largest.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ScoreLevel {
        Item = "item",
        Bullet = "bullet",
        Unit = "unit",
        Document = "document",
        Candidate = "candidate",
        Query = "query",
        Collection = "collection",
    }
}

impl ScoreLevel {
    /// The word for several things of the level, as a heading; for candidates the word that readers use.
    pub fn plural(self) -> &'static str {
        match self {
            ScoreLevel::Item => "items",
            ScoreLevel::Bullet => "bullets",
            ScoreLevel::Unit => "units",
            ScoreLevel::Document => "documents",
            ScoreLevel::Candidate => "summaries",
            ScoreLevel::Query => "queries",
            ScoreLevel::Collection => "collections",
        }
    }
}

const BETTER: &[(&str, Better)] = &[("high", Better::High), ("low", Better::Low)];

/// Keys that stand beside a score in JSON and CSV, behind its name or by themselves.
const BESIDE: [&str; 10] = [
    "low",
    "high",
    "interval",
    "clusters",
    "effective_clusters",
    "interval_undefined",
    "undefined",
    "items",
    "judgments",
    "missing",
];

/// Codes that the program gives itself.
const TAKEN: [&str; 5] = ["nothing_judged", "nothing_among", "missing", "no_weight", "not_both"];

/// The scores of a table, as far as they can be read.
pub(super) fn read(file: &mut FileTable) -> Vec<ScoreRule> {
    let tables = file.tables("score", Need::Optional, "score");
    let mut rules: Vec<ScoreRule> = Vec::new();
    for table in tables.into_iter().flat_map(|tables| tables.value) {
        if let Some(rule) = rule(table, &rules) {
            rules.push(rule);
        }
    }
    rules
}

fn rule(mut table: FileTable, above: &[ScoreRule]) -> Option<ScoreRule> {
    let name = table.text("name", Need::Required);
    if let Some(name) = &name {
        table.call(format!("score {:?}", name.value));
    }
    let (line, called, findings) = (table.line, table.name().to_owned(), table.findings);
    let title = table.text("title", Need::Optional);
    let about = table.text("about", Need::Optional);
    let mean = table.word("mean", Need::Optional, ScoreLevel::WORDS);
    let undefined = table.text("undefined", Need::Optional);
    let better = table.word("better", Need::Optional, BETTER);
    let value = number(&mut table, "value");
    let f1 = table.strings("f1", Need::Optional);
    let among = table.text("among", Need::Optional);
    let weight = number(&mut table, "weight");
    let once = table.word("once", Need::Optional, ScoreLevel::WORDS);
    let empty = table.number("empty");
    let empty_where = table.text("empty_where", Need::Optional);
    let protocol = table.text("protocol", Need::Optional);
    table.finish();

    let wrong = |line: u64, what: &str| findings.note(line, format!("{called}: {what}"));
    if let Some(name) = &name
        && (!is_code(&name.value) || above.iter().any(|other| other.name == name.value))
    {
        wrong(name.line, "a score has a name of its own, of a-z, 0-9 and _");
    }
    if let Some(name) = &name {
        let names = || above.iter().map(|other| other.name.as_str());
        let is_beside = |one: &str, of: &str| BESIDE.iter().any(|key| one == format!("{of}_{key}"));
        let other = names().find(|other| is_beside(&name.value, other) || is_beside(other, &name.value));
        if BESIDE.contains(&name.value.as_str()) || name.value == "averaged" || other.is_some() {
            wrong(name.line, "the name stands beside a score in JSON already; choose another");
        }
    }
    if let Some(code) = &undefined
        && (!is_code(&code.value) || TAKEN.contains(&code.value.as_str()))
    {
        wrong(code.line, "\"undefined\" is a code of its own, of a-z and _");
    }
    if let Some(item) = mean.as_ref().filter(|mean| mean.value == ScoreLevel::Item) {
        wrong(
            item.line,
            "a ratio is made over several items, so \"mean\" is bullet, unit, candidate or wider",
        );
    }
    let made = match (value, f1) {
        (Some(value), None) => {
            if let (Some(once), Some(mean)) = (&once, &mean)
                && once.value > mean.value
            {
                wrong(once.line, "\"once\" is wider than \"mean\"");
            }
            if let Some(empty) = empty.as_ref().filter(|_| mean.is_none()) {
                wrong(empty.line, "\"empty\" needs \"mean\"");
            }
            Some(ScoreMade::Ratio(RatioRule {
                value: value.value,
                among: among.map(|among| among.value),
                empty_where: empty_where.map(|filter| filter.value),
                weight: weight.map(|weight| weight.value),
                once: once.map_or(ScoreLevel::Item, |once| once.value),
                empty: empty.map(|empty| empty.value),
                protocol: protocol.map(|protocol| protocol.value),
            }))
        }
        (None, Some(f1)) => {
            let others =
                [among.is_some(), weight.is_some(), once.is_some(), empty.is_some(), protocol.is_some()];
            if others.contains(&true) {
                wrong(f1.line, "\"f1\" takes \"mean\"; the rest its two scores say");
            }
            let line = f1.line;
            let is_above = |name: &String| above.iter().any(|other| other.name == *name);
            let pair = <[String; 2]>::try_from(f1.plain()).ok().filter(|pair| pair.iter().all(is_above));
            if pair.is_none() {
                wrong(line, "\"f1\" takes two scores that stand above it");
            }
            pair.map(ScoreMade::F1)
        }
        (Some(value), Some(_)) => {
            wrong(value.line, "either \"value\" or \"f1\", not both");
            None
        }
        (None, None) => {
            if findings.is_empty() {
                findings.lacks(line, format!("{called}: \"value\" or \"f1\" is missing"));
            }
            None
        }
    };
    Some(ScoreRule {
        name: name?.value,
        title: title.map(|title| title.value),
        about: about.map(|about| about.value),
        made: made?,
        mean: mean.map(|mean| mean.value),
        undefined: undefined.map(|code| code.value),
        better: better.map_or(Better::Unsaid, |better| better.value),
        line,
    })
}

/// A number, or a table of them.
fn number(table: &mut FileTable, key: &'static str) -> Option<At<ScoreNumber>> {
    let number = table.text_or_numbers(key)?;
    if let ScoreNumber::Largest(rows) = &number.value
        && (rows.is_empty() || rows.iter().any(|(_, number)| *number < 0.0))
    {
        table
            .findings
            .note(number.line, format!("{:?} of {}: filters with numbers from 0 on", key, table.name()));
    }
    Some(number)
}

/// Whether a name is of a-z, 0-9 and _, and begins with a letter.
fn is_code(name: &str) -> bool {
    let is_sign = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    name.starts_with(|letter: char| letter.is_ascii_lowercase()) && name.chars().all(is_sign)
}

impl ScoreRule {
    /// A score of the moment, named `score`.
    pub fn of_the_moment(ratio: RatioRule, mean: Option<ScoreLevel>) -> ScoreRule {
        ScoreRule {
            name: "score".to_owned(),
            title: None,
            about: None,
            made: ScoreMade::Ratio(ratio),
            mean,
            undefined: None,
            better: Better::Unsaid,
            line: 0,
        }
    }

    /// The protocol whose judgments are the rows, where it is another than the file's.
    pub fn other_protocol(&self) -> Option<&str> {
        if let ScoreMade::Ratio(ratio) = &self.made { ratio.protocol.as_deref() } else { None }
    }

    /// Whether the score reads answers to the question of this key on the item itself.
    pub fn reads(&self, question: &str) -> bool {
        let ScoreMade::Ratio(ratio) = &self.made else { return false };
        let numbers = || std::iter::once(&ratio.value).chain(&ratio.weight);
        let names = numbers().filter_map(ScoreNumber::name);
        let filters = numbers().flat_map(ScoreNumber::filters).map(|(filter, _)| filter);
        let is_sign = |sign: char| sign.is_alphanumeric() || "._@".contains(sign);
        names
            .chain(filters)
            .chain(ratio.among.as_deref())
            .flat_map(|text| text.split(|sign| !is_sign(sign)))
            .any(|word| word == question)
    }

    /// Whether the score is the mean of what the choices of the question of this key are worth.
    pub fn is_mean_of(&self, question: &str) -> bool {
        matches!(&self.made, ScoreMade::Ratio(ratio) if ratio.value.name() == Some(question))
    }

    /// The level whose things count once.
    pub fn once(&self) -> ScoreLevel {
        if let ScoreMade::Ratio(ratio) = &self.made { ratio.once } else { ScoreLevel::Item }
    }

    /// The heading of the score's column.
    pub fn heading(&self) -> String {
        self.title.clone().unwrap_or_else(|| self.name.replace('_', " "))
    }

    /// An error about this score.
    pub fn wrong(&self, what: impl AsRef<str>) -> Error {
        Error::usage(format!("score {:?}: {}", self.name, what.as_ref()))
    }

    /// Whether this is the F1 of another score, which stands above it.
    pub fn is_made_of(&self, other: &ScoreRule) -> bool {
        matches!(&self.made, ScoreMade::F1(names) if names.contains(&other.name))
    }
}

impl std::fmt::Display for ScoreRule {
    /// The score as a file writes it.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let number = |number: &ScoreNumber| match number {
            ScoreNumber::Text(words) => text(words),
            ScoreNumber::Largest(rows) => {
                let rows: Vec<String> =
                    rows.iter().map(|(filter, number)| format!("{} = {number}", text(filter))).collect();
                format!("{{ {} }}", rows.join(", "))
            }
        };
        writeln!(out, "[[score]]\nname = {}", text(&self.name))?;
        for (key, words) in [("title", &self.title), ("about", &self.about), ("undefined", &self.undefined)] {
            words.as_ref().map_or(Ok(()), |words| writeln!(out, "{key} = {}", text(words)))?;
        }
        if let Some((word, _)) = BETTER.iter().find(|(_, better)| *better == self.better) {
            writeln!(out, "better = {}", text(word))?;
        }
        match &self.made {
            ScoreMade::F1([one, other]) => writeln!(out, "f1 = [{}, {}]", text(one), text(other))?,
            ScoreMade::Ratio(ratio) => {
                if let Some(protocol) = &ratio.protocol {
                    writeln!(out, "protocol = {}", text(protocol))?;
                }
                writeln!(out, "value = {}", number(&ratio.value))?;
                if let Some(among) = &ratio.among {
                    writeln!(out, "among = {}", text(among))?;
                }
                if let Some(weight) = &ratio.weight {
                    writeln!(out, "weight = {}", number(weight))?;
                }
                if ratio.once != ScoreLevel::Item {
                    writeln!(out, "once = {}", text(ratio.once.name()))?;
                }
                ratio.empty.map_or(Ok(()), |empty| writeln!(out, "empty = {empty}"))?;
                if let Some(filter) = &ratio.empty_where {
                    writeln!(out, "empty_where = {}", text(filter))?;
                }
            }
        }
        self.mean.map_or(Ok(()), |mean| writeln!(out, "mean = {}", text(mean.name())))
    }
}

impl Protocol {
    /// The scores that the protocol's judgments give: the protocol's own, else those of its labels.
    pub fn score_rules(&self) -> Vec<ScoreRule> {
        self.score_sheet().map_or_else(|| self.label_scores(), |sheet| sheet.rules.clone())
    }

    /// A share a label and a tag, and the mean score where every choice has one.
    fn label_scores(&self) -> Vec<ScoreRule> {
        let mut taken = BTreeSet::new();
        self.questions.iter().flat_map(|question| label_scores(question, &mut taken)).collect()
    }
}

fn label_scores(question: &Question, taken: &mut BTreeSet<String>) -> Vec<ScoreRule> {
    let key = &question.key;
    let is_scored =
        !question.choices().is_empty() && question.choices().iter().all(|choice| choice.score.is_some());
    let shares = question.offered().iter().map(|choice| {
        let value = format!("{key}:\"{}\"", choice.value.replace('\\', "\\\\").replace('"', "\\\""));
        (format!("{key}_{}", choice.value), format!("{} {}", key, choice.label), value)
    });
    let mean = is_scored.then(|| (key.clone(), format!("{key} (mean)"), key.clone()));
    let rule = |(name, title, value): (String, String, String)| {
        let name: String = name
            .to_lowercase()
            .chars()
            .map(|sign| if sign.is_ascii_alphanumeric() { sign } else { '_' })
            .collect();
        let is_new = is_code(&name) && taken.insert(name.clone());
        is_new.then(|| {
            let among = Some(format!("-{key}:\"\"")).filter(|_| question.tags().is_empty());
            let value = ScoreNumber::Text(value);
            let ratio = RatioRule {
                value,
                among,
                weight: None,
                once: ScoreLevel::Item,
                empty: None,
                empty_where: None,
                protocol: None,
            };
            ScoreRule { name, title: Some(title), ..ScoreRule::of_the_moment(ratio, None) }
        })
    };
    mean.into_iter().chain(shares).filter_map(rule).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::score_sheet;

    fn score_rules(text: &str) -> crate::error::Result<Vec<ScoreRule>> {
        score_sheet(text).map(|sheet| sheet.rules)
    }

    fn refused(text: &str) -> String {
        score_rules(text).expect_err(text).to_string()
    }

    #[test]
    fn a_score_is_read_and_written_again() {
        let text = "[[score]]\nname = \"weighted\"\ntitle = \"Weighted \\\"support\\\"\"\nabout = \"How much.\"\n\
                    undefined = \"no_claims\"\nbetter = \"low\"\nempty = 0\nvalue = \"support\"\namong = \"-unit.importance:drop\"\n\
                    weight = { \"unit.importance:vital\" = 1, \"unit.importance:okay\" = 0.5 }\nonce = \"unit\"\n\
                    mean = \"candidate\"\n";
        let rules = score_rules(text).expect("a score");
        let [rule] = rules.as_slice() else { panic!("one score") };
        assert_eq!(
            (rule.heading(), rule.mean, rule.line),
            ("Weighted \"support\"".to_owned(), Some(ScoreLevel::Candidate), 1)
        );
        assert_eq!(score_rules(&rule.to_string()).expect("the same"), rules);
        let ScoreMade::Ratio(ratio) = &rule.made else { panic!("a ratio") };
        assert_eq!(ratio.value.name(), Some("support"));
        assert_eq!(ratio.weight.as_ref().map(|weight| weight.filters().len()), Some(2));
    }

    #[test]
    fn what_no_score_can_be_is_named_with_its_line() {
        let score = |lines: &str| format!("[[score]]\nname = \"a\"\n{lines}");
        for (lines, line, what) in [
            ("value = \"x\"\nf1 = [\"b\", \"c\"]", 3, "not both"),
            ("f1 = [\"b\", \"c\"]", 3, "stand above it"),
            ("value = \"x\"\nempty = 0", 4, "\"empty\" needs \"mean\""),
            ("value = \"x\"\nonce = \"candidate\"\nmean = \"unit\"", 4, "wider"),
            ("value = \"x\"\nweight = { \"x:y\" = -1 }", 4, "numbers from 0 on"),
            ("value = \"x\"\nundefined = \"missing\"", 4, "a code of its own"),
            ("value = \"x\"\nwieght = \"y\"", 4, "did you mean \"weight\""),
            ("", 1, "is missing"),
        ] {
            let said = refused(&score(lines));
            assert!(said.contains(what) && said.contains(&format!("line {line}")), "{lines}: {said}");
        }
        assert!(refused("[[score]]\nname = \"A\"\nvalue = \"x\"").contains("a-z"));
        let twice = "[[score]]\nname = \"a\"\nvalue = \"x\"\n";
        assert!(refused(&twice.repeat(2)).contains("a name of its own"));
    }

    #[test]
    fn a_protocol_without_scores_has_those_of_its_labels() {
        let names = |name: &str| -> Vec<String> {
            super::super::builtin(name)
                .expect("built in")
                .label_scores()
                .into_iter()
                .map(|rule| rule.name)
                .collect()
        };
        assert_eq!(names("faithfulness")[..2], ["faithful", "faithful_no"]);
        assert_eq!(names("failure")[0], "failures_irrelevant");
    }
}
