//! Runs of judges: how a judge was asked, and what came back. A judge is asked by one prompt a protocol: another prompt, model
//! or parameter makes another judge.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::amendment::{Act, AmendedKind, Amendment, RevisedFields};
use super::record::Meta;
use crate::text::hash::{Fingerprint, fingerprint};

/// The parts that all requests to a judge under one protocol have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeRun {
    /// The protocol's name.
    pub protocol: String,
    /// The model, by the service's name for it.
    pub model: String,
    /// The prompt, its places open.
    pub prompt: String,
    /// Judged items that the prompt shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<RunExample>,
    /// Fields of each request beside the model and the messages: temperature, seed, ….
    #[serde(default)]
    pub parameters: Meta,
}

/// A judged item in a prompt. The judge is not asked about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunExample {
    /// The item's key, as 32 hexadecimal digits.
    pub item: String,
    pub text: String,
}

impl JudgeRun {
    pub fn mark(&self) -> RunMark {
        RunMark::of(fingerprint(["judge run", &serde_json::to_string(self).unwrap_or_default()]))
    }

    /// The run as an amendment, to be put on record.
    pub fn asked(&self, judge: &str, at: i64) -> Amendment {
        on_record(Act::Ask, judge, at, self)
    }
}

/// The answers of a judge that came in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeAnswered {
    pub protocol: String,
    /// The mark of the run, as it stood in the requests.
    pub run: String,
    /// The model by the name that the service answered with.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// The fingerprint of what was answered, which tells two files apart.
    pub content: String,
    /// Requests with an answer, refused ones among them.
    pub answers: u64,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
}

impl JudgeAnswered {
    /// The answers as an amendment, to be put on record.
    pub fn came(&self, judge: &str, at: i64) -> Amendment {
        on_record(Act::Answer, judge, at, self)
    }
}

fn on_record(act: Act, judge: &str, at: i64, what: &impl Serialize) -> Amendment {
    let fields = serde_json::to_value(what).ok().and_then(|value| value.as_object().cloned());
    let about = Amendment::about(act, AmendedKind::Annotator, judge, at);
    Amendment { to: fields.map(RevisedFields), by: judge.to_owned(), ..about }
}

/// A run of a judge with all answers that came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOnRecord {
    pub judge: String,
    pub run: JudgeRun,
    /// The time when the judge was first asked so, in milliseconds since 1970.
    pub at: i64,
    pub answered: Vec<JudgeAnswered>,
}

/// The runs on record, in the order in which they began.
pub fn runs(amendments: &[Amendment]) -> Vec<RunOnRecord> {
    let mut found: Vec<RunOnRecord> = Vec::new();
    for amendment in amendments.iter().filter(|one| one.act == Act::Ask) {
        let Some(run) = read::<JudgeRun>(amendment) else { continue };
        if !found.iter().any(|known| known.judge == amendment.id && known.run == run) {
            found.push(RunOnRecord {
                judge: amendment.id.clone(),
                run,
                at: amendment.at,
                answered: Vec::new(),
            });
        }
    }
    for amendment in amendments.iter().filter(|one| one.act == Act::Answer) {
        let Some(answered) = read::<JudgeAnswered>(amendment) else { continue };
        let is_it = |known: &&mut RunOnRecord| {
            known.judge == amendment.id
                && known.run.protocol == answered.protocol
                && known.run.mark().to_string() == answered.run
        };
        // Two people may have taken in the same file.
        if let Some(run) = found.iter_mut().find(is_it).filter(|run| !run.answered.contains(&answered)) {
            run.answered.push(answered);
        }
    }
    // Requests that were written again before anything came back were never sent, or are of no use.
    let mut last = HashSet::new();
    let is_kept: Vec<bool> = (found.iter().rev())
        .map(|run| last.insert((run.judge.clone(), run.run.protocol.clone())) || !run.answered.is_empty())
        .collect();
    let mut is_kept = is_kept.into_iter().rev();
    found.retain(|_| is_kept.next() == Some(true));
    found
}

/// The run that a judge has under a protocol: the first that was answered, else the last that was asked.
pub fn run_of<'r>(runs: &'r [RunOnRecord], judge: &str, protocol: &str) -> Option<&'r RunOnRecord> {
    let own = || runs.iter().filter(|known| known.judge == judge && known.run.protocol == protocol);
    own().find(|known| !known.answered.is_empty()).or_else(|| own().next_back())
}

fn read<T: for<'de> Deserialize<'de>>(amendment: &Amendment) -> Option<T> {
    let fields = amendment.to.as_ref()?;
    serde_json::from_value(serde_json::Value::Object(fields.0.clone())).ok()
}

/// The first 24 bits of a fingerprint: enough to notice that a thing is another one. Printed as 6 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunMark(u32);

impl RunMark {
    /// The mark of a fingerprint.
    pub fn of(Fingerprint([a, b, c, ..]): Fingerprint) -> RunMark {
        RunMark(u32::from_be_bytes([0, a, b, c]))
    }

    /// Reads six hexadecimal digits.
    pub fn parse(text: &str) -> Option<RunMark> {
        let is_mark = text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        u32::from_str_radix(text, 16).ok().filter(|_| is_mark).map(RunMark)
    }
}

impl std::fmt::Display for RunMark {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:06x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(prompt: &str) -> JudgeRun {
        JudgeRun {
            protocol: "coverage".into(),
            model: "m".into(),
            prompt: prompt.into(),
            examples: Vec::new(),
            parameters: Meta::new(),
        }
    }

    #[test]
    fn runs_have_what_came_back_once() {
        let (one, other) = (run("one"), run("other"));
        assert_ne!(one.mark(), other.mark());
        assert_eq!(RunMark::parse(&one.mark().to_string()), Some(one.mark()));
        assert!(
            ["", "12345", "1234567", "+12345", "12345g"].iter().all(|text| RunMark::parse(text).is_none())
        );
        let answered =
            JudgeAnswered { protocol: "coverage".into(), run: one.mark().to_string(), ..Default::default() };
        let record = [
            one.asked("gpt", 5),
            one.asked("gpt", 9),
            other.asked("gpt-2", 6),
            answered.came("gpt", 7),
            answered.came("gpt", 8),
            answered.came("gpt-2", 8),
        ];
        let found = runs(&record);
        let told: Vec<_> = found.iter().map(|run| (run.judge.as_str(), run.at, run.answered.len())).collect();
        assert_eq!(told, [("gpt", 5, 1), ("gpt-2", 6, 0)]);
        assert_eq!(run_of(&found, "gpt", "coverage"), Some(&found[0]));
        assert_eq!(run_of(&found, "gpt", "failure"), None);
        let anew = [one.asked("gpt", 5), other.asked("gpt", 6)];
        let told: Vec<_> = runs(&anew).into_iter().map(|run| run.run.prompt).collect();
        assert_eq!(told, ["other"], "what was written anew takes the place of what nobody answered");
        assert!(super::super::amendment::standing(&record).is_empty(), "nothing is put right by it");
    }
}
