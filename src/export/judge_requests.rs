//! Requests to a judge about the items that a model has yet to judge. They are written to a file, and whoever runs the program
//! sends them; nothing here speaks to a service. The study records how the judge was asked, so that answers have a source.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use serde_json::Value;

use super::asked::Export;
use super::wrote;
use crate::error::{Error, Result, cannot_write};
use crate::files::write_atomically;
use crate::formats::chat_batch::{MOST_TIMES, PROMPT, Requests, again};
use crate::formats::short_text;
use crate::number::number_of;
use crate::protocol::{Answer, Protocol, Question, QuestionKind};
use crate::report::{Example, GoldBy, PartAsked, for_judge, marked, protocols};
use crate::store::{GoldItem, StudyFile, VersionsRead};
use crate::study::{
    Item, ItemId, JudgeRun, Meta, RunExample, StandingSample, TargetKeys, run_of as known_run,
};
use crate::text::hash::{Fingerprint, fingerprint};

/// What judge requests ask, of whom, and how.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Judge requests")]
pub struct JudgeRequests {
    /// The protocol to judge by; of a dataset, the only one
    #[arg(long, value_name = "NAME", required_if_eq("what", "judge-requests"))]
    pub protocol: Option<String>,
    /// The judge: the name under which its answers are imported. Another prompt, model or parameter wants another name
    #[arg(long = "as", value_name = "JUDGE", required_if_eq("what", "judge-requests"))]
    pub judge: Option<String>,
    /// What the service calls the model; the judge's name when left out
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// A prompt of your own (Markdown) instead of the built-in one
    #[arg(long, value_name = "FILE.md")]
    pub prompt: Option<PathBuf>,
    /// A field of each request, such as temperature=0.2, seed=7 or max_tokens=300; response_format=schema asks for the answer by its JSON
    /// schema, response_format=none for no form. Temperature is 0 where nothing is said
    #[arg(long = "parameter", value_name = "KEY=VALUE", value_parser = parameter)]
    pub parameters: Vec<(String, Value)>,
    /// How often each item is asked, 1 to 9: the further answers stand beside the judge's own, and say how far it agrees with itself
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=i64::from(MOST_TIMES)))]
    pub repeat: Option<u8>,
    /// Judged items in the prompt besides those that adjudicators marked: gold:9 takes nine, balanced by label, none of a query that is
    /// asked about; gold:9:7 draws them with the seed 7
    #[arg(long, value_name = "gold:N[:SEED]", value_parser = examples)]
    pub examples: Option<ExamplesAsked>,
}

/// How many items of gold a prompt shows, and what draws them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExamplesAsked {
    number: usize,
    seed: u64,
}

fn examples(text: &str) -> std::result::Result<ExamplesAsked, String> {
    let mut parts = text.split(':');
    let (kind, number, seed) = (parts.next(), parts.next(), parts.next());
    let number = number.and_then(|number| number.parse().ok()).filter(|number| *number > 0);
    let seed = seed.map_or(Some(0), |seed| seed.parse().ok());
    match (kind, number, seed, parts.next()) {
        (Some("gold"), Some(number), Some(seed), None) => Ok(ExamplesAsked { number, seed }),
        _ => Err("write gold:9, or gold:9:7 with a seed".to_owned()),
    }
}

/// Reads a field of a request: a value of JSON, or a text. Fields that services share are checked.
fn parameter(text: &str) -> std::result::Result<(String, Value), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE, such as temperature=0.2")?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
    let (fits, wanted) = match key {
        "" => return Err("the parameter has no name".to_owned()),
        "model" => return Err("--model names the model".to_owned()),
        "messages" => return Err("--prompt has the messages".to_owned()),
        "n" | "stream" => {
            return Err(format!("{key} is left out: a request has one answer, and it comes whole"));
        }
        "temperature" | "top_p" => (value.as_f64().is_some_and(|number| number >= 0.0), "a number from 0"),
        "seed" | "max_tokens" | "max_completion_tokens" => (value.is_u64(), "a whole number from 0"),
        "response_format" => {
            let is_word = value.as_str().is_some_and(|word| ["schema", "none"].contains(&word));
            (value.is_object() || is_word, "schema, none, or an object of JSON")
        }
        _ => (true, ""),
    };
    if fits { Ok((key.to_owned(), value)) } else { Err(format!("{key} takes {wanted}")) }
}

/// The items that a filter lets through, judged or not; `None` for all.
fn chosen(
    study: &StudyFile,
    protocol: &Protocol,
    filter: Option<&str>,
) -> Result<Option<HashSet<TargetKeys>>> {
    let Some(filter) = filter else { return Ok(None) };
    let assignable = study.assignable(protocol)?;
    let asked = PartAsked { filter: Some(filter.to_owned()), ..PartAsked::default() };
    // A judge is asked item by item, and each costs.
    let (part, _) = asked.choose_items(study, protocol, &assignable.items, |_| "")?;
    let items = part.groups.iter().filter_map(|item| assignable.items.get(*item).copied());
    Ok(Some(study.keys_of(&items.collect::<Vec<_>>())?.into_iter().collect()))
}

/// Writes the requests at this time in milliseconds, and tells how many there are.
pub fn write(study: &mut StudyFile, arguments: &Export, target: &Path, now: i64) -> Result<Vec<String>> {
    let given = &arguments.requests;
    // The command line requires both names.
    let judge = given.judge.as_deref().unwrap_or_default();
    let protocol = protocols::find(study, given.protocol.as_deref().unwrap_or_default())?;
    let chosen = chosen(study, &protocol, arguments.rows.filter.as_deref())?;
    let is_chosen = |item: &Item| chosen.as_ref().is_none_or(|chosen| chosen.contains(&item.keys));
    let run = run_of(study, given, judge, &protocol, &is_chosen)?;
    let requests = Requests::new(&protocol, judge, &run).map_err(|error| match &given.prompt {
        Some(path) => error.in_file(path),
        None => error,
    })?;
    study.put_judge_run(judge, &run, now)?;
    // Items that the prompt shows as examples are not asked.
    let shown: HashSet<&str> = run.examples.iter().map(|example| example.item.as_str()).collect();
    let is_shown = |item: &Item| shown.contains(item.keys.item_key(&protocol.name).to_string().as_str());
    let times = given.repeat.unwrap_or(1);
    let (mut written, mut passed_over, mut asked) = (0, 0, None);
    write_atomically(target, Some(study.path()), |out| {
        let mut all = 0;
        for time in 1..=times {
            let of_protocol = study.for_each_unjudged(&again(judge, time), &protocol, |item| {
                if !is_chosen(item) {
                    return Ok(());
                }
                if !shown.is_empty() && is_shown(item) {
                    passed_over += 1;
                    return Ok(());
                }
                written += 1;
                requests.write(&mut &mut *out, item, time).map_err(cannot_write)
            })?;
            all += chosen.as_ref().map_or(of_protocol, HashSet::len);
        }
        asked = Some(all);
        Ok(())
    })?;
    // The reader of the requests has stopped reading.
    let Some(asked) = asked else { return Ok(Vec::new()) };
    let items = asked / usize::from(times);
    let mut of = format!("items of {:?}", protocol.name);
    if times > 1 {
        of.push_str(&format!(", each {times} times"));
    }
    if !run.examples.is_empty() {
        of.push_str(&format!(", with {}", number_of(run.examples.len(), "example")));
    }
    Ok(vec![match asked.saturating_sub(written + passed_over) {
        _ if written == 0 => format!("{judge:?} has judged all {items} {of}"),
        0 if chosen.is_some() => format!("wrote requests for {items} {of}, all that the filter chooses"),
        0 => format!("wrote requests for all {items} {of}"),
        answered if times > 1 => {
            format!("wrote {written} requests for {items} {of}; {answered} are answered already")
        }
        judged => format!("wrote requests for {written} of {items} {of}; {judged} are judged already"),
    }])
}

/// How the judge is asked: as it was before, with the examples that it had, or for the first time.
fn run_of(
    study: &StudyFile,
    given: &JudgeRequests,
    judge: &str,
    protocol: &Protocol,
    is_chosen: &dyn Fn(&Item) -> bool,
) -> Result<JudgeRun> {
    let prompt = given.prompt.as_deref().map_or_else(|| Ok(PROMPT.to_owned()), short_text)?;
    let mut parameters = Meta::new();
    parameters.insert("temperature".to_owned(), 0.into());
    parameters.extend(given.parameters.iter().cloned());
    let run = JudgeRun {
        protocol: protocol.name.clone(),
        model: given.model.as_deref().unwrap_or(judge).to_owned(),
        prompt,
        examples: Vec::new(),
        parameters,
    };
    let runs = study.judge_runs()?;
    if let Some(before) = known_run(&runs, judge, &protocol.name) {
        // Without any option the judge is asked as before.
        if given.model.is_none()
            && given.prompt.is_none()
            && given.parameters.is_empty()
            && given.examples.is_none()
        {
            return Ok(before.run.clone());
        }
        let same = JudgeRun { examples: before.run.examples.clone(), ..run.clone() };
        if same == before.run && given.examples.is_none_or(|asked| asked.number <= same.examples.len()) {
            return Ok(same);
        }
        if !study.queries_judged(judge, protocol)?.is_empty() {
            let what = format!(
                "{judge:?} has answered about {:?} to another {}",
                protocol.name,
                difference(&before.run, &run)
            );
            return Err(Error::new(what)
                .advise("give this one a name of its own with --as: two prompts are two judges"));
        }
    }
    let mut shown = marked(study, protocol)?;
    if let Some(wanted) = given.examples {
        let asked = queries_asked(study, judge, protocol, is_chosen)?;
        shown.extend(from_gold(study, protocol, wanted, &asked)?);
    }
    let example = |(number, shown): (usize, &Example)| RunExample {
        item: shown.item.keys.item_key(&protocol.name).to_string(),
        text: for_judge(number, protocol, shown),
    };
    let examples = (1..).zip(&shown).map(example).collect();
    Ok(JudgeRun { examples, ..run })
}

/// The first thing in which the second run differs.
fn difference(before: &JudgeRun, now: &JudgeRun) -> &'static str {
    match (before.prompt == now.prompt, before.model == now.model, before.parameters == now.parameters) {
        (false, ..) => "prompt",
        (_, false, _) => "model",
        (.., false) => "parameter",
        _ => "number of examples",
    }
}

/// Collection and query of all that a judge judged or is to judge.
fn queries_asked(
    study: &StudyFile,
    judge: &str,
    protocol: &Protocol,
    is_chosen: &dyn Fn(&Item) -> bool,
) -> Result<HashSet<[String; 2]>> {
    let mut asked = study.queries_judged(judge, protocol)?;
    study.for_each_unjudged(judge, protocol, |item| {
        if is_chosen(item) {
            asked.insert(query_of(&item.keys));
        }
        Ok(())
    })?;
    Ok(asked)
}

fn query_of(keys: &TargetKeys) -> [String; 2] {
    [keys.collection.clone(), keys.query.clone()]
}

/// Items of gold, balanced by label. Left out are items that the prompt shows already, those of queries that are asked about,
/// and those of samples whose names begin with `test`.
fn from_gold(
    study: &StudyFile,
    protocol: &Protocol,
    wanted: ExamplesAsked,
    asked: &HashSet<[String; 2]>,
) -> Result<Vec<Example>> {
    let is_choice = |question: &&Question| matches!(question.kind, QuestionKind::Choice { .. });
    let key = protocol.questions.iter().find(is_choice).map(|question| question.key.clone());
    let samples = StandingSample::all(&study.amendments()?);
    let tests: Vec<&StandingSample> =
        samples.iter().filter(|sample| sample.name.starts_with("test")).collect();
    // Texts are loaded only for the items drawn.
    let keys: HashMap<ItemId, TargetKeys> = study.item_keys(&protocol.name)?.into_iter().collect();
    // The items of each label, in the order that the seed draws.
    let mut labels: BTreeMap<String, Vec<(Fingerprint, GoldItem)>> = BTreeMap::new();
    for gold in
        GoldBy::of_people(study, false, None)?.read(study, protocol, VersionsRead::Only(protocol.version))?
    {
        let (Some(answers), Some(keys)) = (&gold.answers, keys.get(&gold.item)) else { continue };
        let is_in_test = tests.iter().any(|test| test.stratum(keys).is_some());
        let is_marked = gold.decision.as_ref().is_some_and(|decision| decision.verdict.is_example);
        if is_marked || asked.contains(&query_of(keys)) || is_in_test {
            continue;
        }
        let label =
            key.as_ref().and_then(|key| answers.get(key)).and_then(Answer::as_text).unwrap_or_default();
        let order = fingerprint([&wanted.seed.to_string(), &keys.item_key(&protocol.name).to_string()]);
        labels.entry(label.to_owned()).or_default().push((order, gold));
    }
    let mut drawn: Vec<(usize, Fingerprint, GoldItem)> = Vec::new();
    for mut of_label in labels.into_values() {
        of_label.sort_by_key(|(order, _)| *order);
        drawn.extend((0..).zip(of_label).map(|(round, (order, gold))| (round, order, gold)));
    }
    drawn.sort_by_key(|(round, order, _)| (*round, *order));
    if drawn.len() < wanted.number {
        let what = format!(
            "gold has {} of queries that are not asked about, and {} are wanted as examples",
            number_of(drawn.len(), "item"),
            wanted.number
        );
        return Err(
            Error::new(what).advise("ask about a part of the queries with --filter, or want fewer examples")
        );
    }
    drawn.truncate(wanted.number);
    let example = |(.., gold): (usize, Fingerprint, GoldItem)| {
        let item = study.item(protocol, gold.item)?;
        Ok(Example { item, answers: gold.answers.unwrap_or_default(), decision: gold.decision })
    };
    drawn.into_iter().map(example).collect()
}

/// Writes the prompt: that of a judge as it was asked, else the built-in one.
pub fn write_prompt(study: &StudyFile, arguments: &Export, target: &Path) -> Result<Vec<String>> {
    let given = &arguments.requests;
    let mut text = PROMPT.to_owned();
    if let Some(judge) = &given.judge {
        let runs = study.judge_runs()?.into_iter().filter(|known| known.judge == *judge);
        let of_protocol = |name: &str| given.protocol.as_deref().is_none_or(|wanted| wanted == name);
        let run = runs.rev().find(|known| of_protocol(&known.run.protocol));
        let run = run.ok_or_else(|| {
            let what = format!("it is not on record how {judge:?} was asked");
            Error::new(what).in_file(study.path()).advise("`haymark judges --table runs` lists who was")
        })?;
        text = run.run.prompt;
    }
    write_atomically(target, None, |out| out.write_all(text.as_bytes()).map_err(cannot_write))?;
    Ok(wrote("the prompt", target))
}
