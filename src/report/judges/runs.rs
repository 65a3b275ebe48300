//! How judges were asked: prompt, model, parameters, and the number of answers.

use std::collections::BTreeMap;

use indexmap::IndexSet;
use serde_json::Value;

use crate::error::Result;
use crate::report::{Column, Table, in_utc};
use crate::store::StudyFile;
use crate::study::{AnnotatorId, JudgeAnswered, RunOnRecord};

/// A row for each run of these judges; `None` without runs.
pub fn table(
    study: &StudyFile,
    protocol: Option<&str>,
    names: &BTreeMap<AnnotatorId, String>,
) -> Result<Option<Table>> {
    let mut runs = study.judge_runs()?;
    runs.retain(|one| names.values().any(|name| *name == one.judge));
    runs.retain(|one| protocol.is_none_or(|name| name == one.run.protocol));
    if runs.is_empty() {
        return Ok(None);
    }
    let sum =
        |of: fn(&JudgeAnswered) -> u64| move |one: &RunOnRecord| one.answered.iter().map(of).sum::<u64>();
    let parameters = |one: &RunOnRecord| {
        let value = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let said = one.run.parameters.iter().map(|(key, given)| format!("{key}={}", value(given)));
        said.collect::<Vec<_>>().join(" ")
    };
    let reported = |one: &RunOnRecord| {
        let names = one.answered.iter().map(|answered| answered.model.as_str());
        let names: IndexSet<&str> = names.filter(|name| !name.is_empty()).collect();
        names.into_iter().collect::<Vec<_>>().join(", ")
    };
    let columns = [
        Column::new("annotator", "judge", |one: &RunOnRecord| one.judge.clone()),
        Column::new("protocol", "protocol", |one: &RunOnRecord| one.run.protocol.clone()),
        Column::new("run", "prompt", |one: &RunOnRecord| one.run.mark().to_string()),
        Column::new("model", "model", |one: &RunOnRecord| one.run.model.clone()),
        Column::new("reported_model", "as the service calls it", reported).spare(),
        Column::new("parameters", "parameters", parameters),
        Column::new("examples", "examples", |one: &RunOnRecord| one.run.examples.len()).spare(),
        Column::new("asked_at", "asked", |one: &RunOnRecord| in_utc(one.at, "%Y-%m-%d")).spare(),
        Column::new("answers", "answers", sum(|answered| answered.answers)),
        Column::new("prompt_tokens", "tokens in", sum(|answered| answered.prompt_tokens)),
        Column::new("completion_tokens", "out", sum(|answered| answered.completion_tokens)),
    ];
    Ok(Some(Table::of("How judges were asked", columns, &runs).keyed("runs").note(
        "The prompt itself: haymark export STUDY --what judge-prompt --as JUDGE. Answers are all that came \
         back of the service, those that could not be taken among them.",
    )))
}
