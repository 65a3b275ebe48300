//! Changes of a new version under which earlier judgments stand: labels added, renamed and joined, words put right. A
//! code book may grow while it is used.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::{At, FileFindings};
use super::table::{FileTable, Need};
use super::{Answer, Answers, Choice, Condition, Protocol, Question, QuestionKind, builtin, name_taken};
use crate::error::{Error, Result};

/// A `[[change]]` of a protocol's file: what one version does to one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The version that brings the change, from 2.
    pub version: u32,
    /// The key of the question.
    pub question: String,
    /// Values of choices or tags that could not be given before.
    pub adds: Vec<String>,
    /// Present values, each with the earlier values that it stands for: one that was renamed, or several that were joined.
    pub was: BTreeMap<String, Vec<String>>,
    /// Whether prompt and labels are worded anew and mean the same.
    pub reword: bool,
}

/// The changes of a file, as far as they can be read.
pub(super) fn read(file: &mut FileTable) -> Vec<At<Change>> {
    let tables = file.tables("change", Need::Optional, "change");
    tables.into_iter().flat_map(|tables| tables.value).filter_map(change).collect()
}

fn change(mut table: FileTable) -> Option<At<Change>> {
    let (line, findings) = (table.line, table.findings);
    let version = table.ordinal("version");
    let question = table.text("question", Need::Required);
    let adds = table.strings("adds", Need::Optional);
    let was = table.texts("was");
    let joins = table.texts("joins");
    let reword = table.truth("reword");
    table.finish();
    if let (Some(was), Some(joins)) = (&was, &joins)
        && let Some((twice, _)) =
            joins.value.iter().find(|(now, _)| was.value.iter().any(|(name, _)| name == now))
    {
        findings.note(
            joins.line,
            format!("{twice:?} stands in \"was\" and in \"joins\"; name all that it was in \"joins\""),
        );
    }
    let names = [was, joins].into_iter().flatten().flat_map(|names| names.value);
    let value = Change {
        version: version?.value,
        question: question?.value,
        adds: adds.map(At::plain).unwrap_or_default(),
        was: names.collect(),
        reword: reword.is_some_and(|reword| reword.value),
    };
    Some(At { line, value })
}

/// Notes changes that do not go with the rest of the file.
pub(super) fn check(protocol: &Protocol, lines: &[u64], findings: &FileFindings) {
    for (change, line) in protocol.changes.iter().zip(lines) {
        let wrong = |what: String| findings.note(*line, format!("change to {:?}: {what}", change.question));
        if change.version < 2 || change.version > protocol.version {
            wrong(format!("\"version\" is one from 2 to the file's, which is {}", protocol.version));
        }
        let Some(question) = protocol.question(&change.question) else {
            wrong("there is no such question".to_owned());
            continue;
        };
        for value in change.adds.iter().chain(change.was.keys()) {
            let now = protocol.renamed(change.version, &change.question, value);
            if !labels_of(question).iter().any(|choice| choice.value == now) {
                wrong(format!("{value:?} is no choice or tag of it"));
            }
        }
    }
}

impl Protocol {
    /// Whether judgments under the version of this number count under this one: every version since says what it changes.
    pub fn carries(&self, version: u32) -> bool {
        let says = |number: u32| self.changes.iter().any(|change| change.version == number);
        version < self.version && (version + 1..=self.version).all(says)
    }

    /// Whether judgments under the version of this number count: of this one, or of an earlier one that is at hand and whose
    /// answers stand.
    pub fn counts_version(&self, version: u32) -> bool {
        version == self.version || self.earlier.iter().any(|(_, earlier)| *earlier == version)
    }

    /// The number of an earlier version whose answers stand under this one, by the fingerprint of its text.
    pub fn earlier_version(&self, text: crate::text::hash::Fingerprint) -> Option<u32> {
        self.earlier.iter().find(|(earlier, _)| *earlier == text).map(|(_, version)| *version)
    }

    /// The present name of a value given under an earlier version.
    pub fn renamed(&self, version: u32, question: &str, value: &str) -> String {
        let mut value = value.to_owned();
        let mut since: Vec<&Change> = self.changes_since(version, question).collect();
        since.sort_by_key(|change| change.version);
        for change in since {
            let now =
                change.was.iter().find(|(_, before)| before.contains(&value)).map(|(now, _)| now.clone());
            value = now.unwrap_or(value);
        }
        value
    }

    /// An answer given under an earlier version, in the words of this one.
    pub fn answer_now(&self, version: u32, question: &str, answer: &Answer) -> Answer {
        match answer {
            Answer::Text(value)
                if self.question(question).is_some_and(|asked| !asked.choices().is_empty()) =>
            {
                Answer::Text(self.renamed(version, question, value))
            }
            Answer::Names(names) => {
                let mut now: Vec<String> = Vec::new();
                for name in names.iter().map(|name| self.renamed(version, question, name)) {
                    if !now.contains(&name) {
                        now.push(name);
                    }
                }
                Answer::Names(now)
            }
            Answer::Passages(passages) => {
                let mut passages = passages.clone();
                for tag in passages.iter_mut().filter_map(|passage| passage.tag.as_mut()) {
                    *tag = self.renamed(version, question, tag);
                }
                Answer::Passages(passages)
            }
            other => other.clone(),
        }
    }

    /// Answers given under an earlier version, in the words of this one.
    pub fn answers_now(&self, version: u32, answers: &Answers) -> Answers {
        answers.iter().map(|(key, answer)| (key.clone(), self.answer_now(version, key, answer))).collect()
    }

    /// An earlier version in the words of this one: its questions, and the present labels that it offered.
    pub fn in_words_of_now(&self, earlier: &Protocol) -> Protocol {
        let mut now = earlier.clone();
        let condition = |condition: &mut Condition| {
            let is =
                condition.is.iter().map(|value| self.renamed(earlier.version, &condition.question, value));
            condition.is = is.collect();
        };
        for question in &mut now.questions {
            let key = question.key.clone();
            if let QuestionKind::Choice { choices: offered, .. }
            | QuestionKind::Tags { tags: offered }
            | QuestionKind::Passages { tags: offered, .. } = &mut question.kind
            {
                offered
                    .iter_mut()
                    .for_each(|choice| choice.value = self.renamed(earlier.version, &key, &choice.value));
            }
            question.ask_when.iter_mut().for_each(condition);
        }
        for rule in &mut now.rules {
            condition(&mut rule.when);
            condition(&mut rule.then);
        }
        now
    }

    /// The version since which a choice or tag can be given; `None` where it always could. A joined one is as old as the oldest of
    /// those that are joined in it.
    pub fn since(&self, question: &str, value: &str) -> Option<u32> {
        let mut changes: Vec<&Change> = self.changes_since(0, question).collect();
        changes.sort_by_key(|change| std::cmp::Reverse(change.version));
        let (mut names, mut since) = (vec![value.to_owned()], None);
        for change in changes {
            names.retain(|name| !change.adds.contains(name));
            if names.is_empty() {
                since = Some(change.version);
                break;
            }
            let before = names.iter().flat_map(|name| match change.was.get(name) {
                Some(before) => before.clone(),
                None => vec![name.clone()],
            });
            names = before.collect();
        }
        since
    }

    /// The reason why answers under an earlier version do not stand under this one, although it tells its changes; `None` where they do.
    pub fn breaks(&self, earlier: &Protocol) -> Option<String> {
        let was = self.in_words_of_now(earlier);
        let parts = |protocol: &Protocol| {
            (protocol.target.clone(), protocol.units.clone(), protocol.group, protocol.documents)
        };
        if parts(self) != parts(earlier) {
            return Some(
                "what is judged is another thing: \"target\", \"units\", \"group\" or \"documents\""
                    .to_owned(),
            );
        }
        for question in &was.questions {
            let Some(now) = self.question(&question.key) else {
                return Some(format!("the question {:?} is gone", question.key));
            };
            if let Some(why) = self.breaks_question(earlier.version, question, now) {
                return Some(format!("question {:?}: {why}", question.key));
            }
        }
        let is_new = |question: &&Question| was.question(&question.key).is_none();
        let asks = |question: &&Question| {
            let only_after_new = question.ask_when.as_ref().is_some_and(|condition| {
                condition.is.iter().all(|value| {
                    self.since(&condition.question, value).is_some_and(|since| since > earlier.version)
                })
            });
            question.required && !only_after_new
        };
        let new = self.questions.iter().filter(is_new).find(asks);
        new.map(|question| {
            format!(
                "the question {:?} is new, and has to be answered: give it required = false",
                question.key
            )
        })
    }

    /// A label that a change adds although an earlier version has it: its question and value.
    pub fn added_again(&self, earlier: &Protocol) -> Option<(&str, &str)> {
        let had = |change: &Change, value: &str| {
            let asked = earlier.question(&change.question);
            let names_again = self
                .changes_since(earlier.version, &change.question)
                .filter(|other| other.version <= change.version)
                .any(|other| other.was.values().flatten().any(|before| before == value));
            !names_again
                && asked.is_some_and(|asked| labels_of(asked).iter().any(|choice| choice.value == value))
        };
        let since = self.changes.iter().filter(|change| change.version > earlier.version);
        let mut added = since.flat_map(|change| change.adds.iter().map(move |value| (change, value)));
        added.find(|(change, value)| had(change, value)).map(|(change, value)| (&*change.question, &**value))
    }

    fn breaks_question(&self, version: u32, was: &Question, now: &Question) -> Option<String> {
        let of = |question: &Question| std::mem::discriminant(&question.kind);
        if of(was) != of(now) || was.instead != now.instead {
            return Some("it takes another kind of answer".to_owned());
        }
        if was.ask_when != now.ask_when || (now.required && !was.required) {
            return Some("it is asked at other times, or has to be answered now".to_owned());
        }
        let is_reworded = self.changes_since(version, &was.key).any(|change| change.reword);
        let mut added = BTreeSet::new();
        if was.prompt != now.prompt && !is_reworded {
            return Some("the prompt is another one; reword = true says that it means the same".to_owned());
        }
        for change in self.changes_since(version, &was.key) {
            added.extend(change.adds.iter().map(|value| self.renamed(change.version, &was.key, value)));
            added.extend(change.was.keys().map(|value| self.renamed(change.version, &was.key, value)));
        }
        let found =
            |offered: &'_ [Choice], value: &str| offered.iter().find(|choice| choice.value == value).cloned();
        if was.selected_in() != now.selected_in() || was.marks()[1] != now.marks()[1] {
            return Some("passages are selected elsewhere, or their severities are others".to_owned());
        }
        for choice in labels_of(was) {
            let Some(same) = found(labels_of(now), &choice.value) else {
                return Some(format!(
                    "{:?} is gone: say in \"was\" or \"joins\" what it is now",
                    choice.value
                ));
            };
            if same.label != choice.label && !is_reworded && !added.contains(&choice.value) {
                return Some(format!(
                    "{:?} has another label; reword = true says that it means the same",
                    choice.value
                ));
            }
            if same.score != choice.score && !added.contains(&choice.value) {
                return Some(format!("{:?} has another score", choice.value));
            }
        }
        let new = labels_of(now)
            .iter()
            .find(|choice| found(labels_of(was), &choice.value).is_none() && !added.contains(&choice.value));
        new.map(|choice| format!("{:?} is new: \"adds\" says so", choice.value))
    }

    /// The changes of a question in later versions than this one.
    fn changes_since<'p>(&'p self, version: u32, question: &'p str) -> impl Iterator<Item = &'p Change> {
        self.changes.iter().filter(move |change| change.version > version && change.question == question)
    }

    /// Refuses the name of a built-in protocol, unless this one is a later version of it under which its answers stand.
    pub fn may_have_its_name(&self) -> Result<()> {
        let Some(known) = builtin(&self.name).filter(|_| self.grown_from().is_none()) else { return Ok(()) };
        match self.breaks(known).filter(|_| self.carries(known.version)) {
            Some(why) => Err(Error::new(format!(
                "what was judged under version {} of {:?} cannot stand: {why}",
                known.version, self.name
            ))
            .advise("say so in a [[change]], or give the file another name")),
            None => Err(name_taken(&self.name)),
        }
    }

    /// The built-in protocol that a study's own file of the same name lets grow.
    pub fn grown_from(&self) -> Option<&'static Protocol> {
        builtin(&self.name).filter(|known| self.carries(known.version) && self.breaks(known).is_none())
    }
}

/// The choices or tags of a question, or the tags of its passages.
fn labels_of(question: &Question) -> &[Choice] {
    if question.offered().is_empty() { question.marks()[0] } else { question.offered() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The built-in protocol about failures in another version.
    fn changed(changes: &str, edit: impl Fn(String) -> String) -> Protocol {
        let text = builtin("failure").expect("built in").file_text.replacen("version = 1", "version = 2", 1);
        let text = edit(text) + &format!("\n[[change]]\nversion = 2\nquestion = \"failures\"\n{changes}\n");
        Protocol::parse(&text, "").unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    const NEW: &str = "  { value = \"stale\", label = \"out of date\", key = \"d\" },\n";

    fn with_new(text: String) -> String {
        text.replacen("  { value = \"other\"", &format!("{NEW}  {{ value = \"other\""), 1)
    }

    /// "other" could always be given, and is called "rest" together with a later one.
    #[test]
    fn a_joined_tag_is_as_old_as_its_oldest_part() {
        let joined = |parts: &str| {
            let edit = |text: String| {
                let text = text.replacen("version = 2", "version = 3", 1);
                let text = text.replacen("{ value = \"other\"", "{ value = \"rest\"", 1);
                text.replacen("is = [\"other\"]", "is = [\"rest\"]", 1)
            };
            let join =
                format!("[[change]]\nversion = 3\nquestion = \"failures\"\njoins = {{ rest = [{parts}] }}");
            changed(&format!("adds = [\"stale\"]\n\n{join}"), edit).since("failures", "rest")
        };
        assert_eq!((joined("\"other\", \"stale\""), joined("\"stale\"")), (None, Some(2)));
    }

    #[test]
    fn a_tag_that_is_added_leaves_the_answers_standing() {
        let before = builtin("failure").expect("built in");
        let now = changed("adds = [\"stale\"]", with_new);
        assert_eq!((now.carries(1), now.breaks(before)), (true, None));
        assert_eq!((now.since("failures", "stale"), now.since("failures", "other")), (Some(2), None));
        assert_eq!(now.grown_from().map(|known| known.name.as_str()), Some("failure"));
        let silent = changed("reword = true", with_new);
        assert_eq!(
            silent.breaks(before).as_deref(),
            Some("question \"failures\": \"stale\" is new: \"adds\" says so")
        );
    }

    #[test]
    fn a_label_is_renamed_or_joined_and_not_both() {
        let text = builtin("failure").expect("built in").file_text.replacen("version = 1", "version = 2", 1);
        let change = "[[change]]\nversion = 2\nquestion = \"failures\"\nwas = { other = \"general\" }\njoins = { other = [\"irrelevant\"] }\n";
        let said = Protocol::parse(&format!("{text}\n{change}"), "").expect_err("twice").to_string();
        assert!(said.contains("\"other\" stands in \"was\" and in \"joins\""), "{said}");
    }

    #[test]
    fn what_is_renamed_and_joined_is_read_in_the_words_of_now() {
        let before = builtin("failure").expect("built in");
        let now = changed(
            "was = { made_up = \"hallucinated\" }\njoins = { vague = [\"general\", \"irrelevant\"] }",
            |text| {
                text.replacen("value = \"hallucinated\"", "value = \"made_up\"", 1)
                    .replacen(
                        "  { value = \"irrelevant\", label = \"irrelevant to the query\", key = \"r\" },\n",
                        "",
                        1,
                    )
                    .replacen("value = \"general\"", "value = \"vague\"", 1)
            },
        );
        assert_eq!(now.breaks(before), None);
        let given = Answer::Names(["irrelevant", "general", "hallucinated"].map(str::to_owned).to_vec());
        let read = Answer::Names(["vague", "made_up"].map(str::to_owned).to_vec());
        assert_eq!(now.answer_now(1, "failures", &given), read);
        assert_eq!(now.answer_now(2, "failures", &read), read);
        let older = now.in_words_of_now(before);
        assert!(
            older
                .question("failures")
                .is_some_and(|asked| asked.tags().iter().any(|tag| tag.value == "vague"))
        );
    }

    #[test]
    fn what_does_not_stand_is_said() {
        let before = builtin("failure").expect("built in");
        let gone = changed("reword = true", |text| {
            text.replacen("  { value = \"citation\", label = \"wrong citation\", key = \"w\" },\n", "", 1)
        });
        assert!(gone.breaks(before).is_some_and(|why| why.contains("\"citation\" is gone")));
        let label = |text: String| text.replacen("label = \"too general\"", "label = \"far too general\"", 1);
        assert!(changed("adds = []", label).breaks(before).is_some_and(|why| why.contains("reword = true")));
        assert_eq!(changed("reword = true", label).breaks(before), None);
        let asked = "\n[[question]]\nkey = \"more\"\nprompt = \"More\"\nkind = \"text\"\nhotkey = \"d\"\n";
        assert!(
            changed("adds = []", |text| text + asked)
                .breaks(before)
                .is_some_and(|why| why.contains("is new"))
        );
    }
}
