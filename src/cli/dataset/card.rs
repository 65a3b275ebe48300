//! The datasheet beside a dataset (after Gebru et al. 2021, Datasheets for Datasets, CACM 64:12): what it is, who judged and
//! how, how far they agree, what is counted, versions and seeds. What only its maker knows is left to be filled in.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::Path;

use super::folder::Configuration;
use super::{Privacy, front};
use crate::agreement::{Estimate, Interval, Measure, Undefined};
use crate::cli::export::{Export, What};
use crate::cli::table::{OutputFormat, escape_markdown as safe, render};
use crate::error::{ErrorKind, Result};
use crate::files::write_atomically;
use crate::journal::{JudgmentRow, Material};
use crate::protocol::{Answers, ChoiceScale, Protocol, Question, QuestionKind, SelectedIn};
use crate::report::agree::{self, AgreementSummary, Number};
use crate::report::amendments::samples;
use crate::report::protocols::{self, counted};
use crate::report::status;
use crate::score::{by_item, is_about_key_points, median, question_labels};
use crate::store::StudyFile;
use crate::study::amendment::standing;
use crate::study::{Act, AmendedKind, Annotator, AnnotatorId, AnnotatorKind};

/// What was judged under one protocol, and by whom.
struct JudgedUnder {
    protocol: Protocol,
    material: Material,
    /// Those of the annotators that are told of.
    rows: Vec<JudgmentRow>,
}

/// Everything that the datasheet tells of.
struct CardContents<'a> {
    study: &'a StudyFile,
    arguments: &'a Export,
    privacy: &'a Privacy,
    annotators: Vec<(AnnotatorId, Annotator)>,
    judged: Vec<JudgedUnder>,
}

/// Writes the datasheet.
///
/// # Errors
/// The file cannot be written, or the study cannot be read.
pub fn write(
    study: &StudyFile,
    arguments: &Export,
    privacy: &Privacy,
    (head, tables): (&str, &[Configuration]),
    path: &Path,
) -> Result<()> {
    let scene = CardContents::read(study, arguments, privacy)?;
    let mut text = head.to_owned() + &scene.head(tables);
    text += &scene.composition()?;
    text += &scene.fields(tables);
    if !scene.judged.is_empty() {
        text += &scene.people()?;
        text += &scene.assignment()?;
        text += &scene.quality()?;
        text += &scene.protocols();
        text += &scene.agreement()?;
        text += &scene.counts(tables);
    }
    text += &scene.rest();
    write_atomically(path, Some(study.path()), |out| {
        out.write_all(text.as_bytes())
            .map_err(|error| crate::error::Error::new(format!("cannot be written: {error}")))
    })
}

/// A name in the font of code, where it shows all of its signs as they are.
fn code(name: &str) -> String {
    let is_plain = |sign: char| sign.is_alphanumeric() || "_-.,:;=+/@%#()[]{}'\"*~!? ".contains(sign);
    match !name.trim().is_empty() && name.chars().all(is_plain) {
        true => format!("`{name}`"),
        false => safe(name),
    }
}

fn number(value: f64) -> String {
    format!("{value:.3}")
}

impl<'a> CardContents<'a> {
    fn read(study: &'a StudyFile, arguments: &'a Export, privacy: &'a Privacy) -> Result<CardContents<'a>> {
        let named = &arguments.dataset.annotators;
        let mut annotators = study.annotators()?;
        annotators.retain(|(_, annotator)| named.is_empty() || named.contains(&annotator.id));
        let ids: Vec<AnnotatorId> = annotators.iter().map(|(id, _)| *id).collect();
        let mut judged = Vec::new();
        for protocol in protocols::named_or_all(study, arguments.requests.protocol.as_deref())? {
            let is_in = match arguments.what {
                What::Candidates => false,
                What::Retained => is_about_key_points(&protocol),
                _ => true,
            };
            let material = study.material(&protocol, counted(&protocol, false))?;
            let is_told = |row: &&JudgmentRow| row.counts && ids.contains(&row.annotator);
            let rows: Vec<JudgmentRow> = material.rows().iter().filter(is_told).copied().collect();
            if is_in && !rows.is_empty() {
                judged.push(JudgedUnder { protocol, material, rows });
            }
        }
        Ok(CardContents { study, arguments, privacy, annotators, judged })
    }

    /// What it is and where it comes from.
    fn head(&self, tables: &[Configuration]) -> String {
        let what = super::super::export::name_of(self.arguments.what);
        let day = jiff::Timestamp::now().to_string();
        let day = day.split('T').next().unwrap_or_default();
        let mut text = format!("# Datasheet: {what}\n\n");
        for Configuration { file, about, written, .. } in tables {
            let about = if about.is_empty() { String::new() } else { format!(": {about}") };
            let _ = writeln!(text, "- File: {}, {} {}{about}", code(file), written.rows, written.what);
        }
        let _ = writeln!(text, "- Made on {day} by haymark {}", env!("CARGO_PKG_VERSION"));
        if let Some(filter) = &self.arguments.rows.filter {
            let _ = writeln!(
                text,
                "- Only what the filter {} lets through; what is told below is of the whole study",
                code(&self.privacy.in_words(filter))
            );
        }
        for sentence in self.privacy.sentences() {
            let _ = writeln!(text, "- {}", safe(sentence));
        }
        text
    }

    /// What is in the study.
    fn composition(&self) -> Result<String> {
        let mut text = "\n## What was judged\n\n".to_owned();
        let documents = self.study.document_heads()?.len();
        let (collections, queries) = (self.study.collections()?.len(), self.study.queries()?.len());
        let _ = writeln!(text, "- Collections: {collections}; documents: {documents}; queries: {queries}");
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for (_, unit) in self.study.units()? {
            *kinds.entry(unit.kind).or_default() += 1;
        }
        let units: Vec<String> =
            kinds.iter().map(|(kind, count)| format!("{count} {}", safe(kind))).collect();
        let _ = writeln!(
            text,
            "- Content units: {}",
            if units.is_empty() { "none".to_owned() } else { units.join(", ") }
        );
        let candidates = self.study.candidates()?;
        let systems: BTreeSet<String> = candidates
            .iter()
            .map(|(_, candidate)| self.privacy.candidate(candidate.clone()).system())
            .collect();
        let _ = writeln!(text, "- Candidates: {}, by {} systems", candidates.len(), systems.len());
        for system in systems {
            let _ = writeln!(text, "  - {}", safe(&system));
        }
        for sentence in samples(self.study)? {
            let _ = writeln!(text, "- {}", safe(&self.privacy.in_words(&sentence)));
        }
        text.push_str(&self.put_right()?);
        Ok(text)
    }

    /// What was revised, and what was withdrawn and counts nowhere, by kind. Reasons may name people, and stay in the study.
    fn put_right(&self) -> Result<String> {
        let all = self.study.amendments()?;
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for amendment in standing(&all) {
            let what = match (amendment.act, amendment.of) {
                (_, AmendedKind::Sample) => continue,
                (Act::Join, _) => "names joined to the person's other name",
                (Act::Revise, _) => "records revised",
                (Act::Erase, _) => "records erased",
                (_, AmendedKind::Annotator) => "people left out",
                (_, AmendedKind::Collection) => "collections withdrawn",
                (_, AmendedKind::Query) => "queries withdrawn",
                (_, AmendedKind::Document) => "documents withdrawn",
                (_, AmendedKind::Unit) => "content units withdrawn",
                (_, AmendedKind::Candidate) => "candidates withdrawn",
                (_, AmendedKind::Import) => "files of judgments withdrawn",
            };
            *kinds.entry(what).or_default() += 1;
        }
        let told: Vec<String> = kinds.iter().map(|(what, count)| format!("{what}: {count}")).collect();
        Ok(match told.is_empty() {
            true => String::new(),
            false => format!("- Put right while it was judged: {}\n", told.join("; ")),
        })
    }

    /// What the columns are, table by table.
    fn fields(&self, tables: &[Configuration]) -> String {
        let mut text = String::new();
        for Configuration { file, written, .. } in
            tables.iter().filter(|table| !table.written.columns.is_empty())
        {
            let _ = writeln!(
                text,
                "\n## Fields of {}\n\n| field | type | what it is |\n| --- | --- | --- |",
                code(file)
            );
            for column in &written.columns {
                let (name, about) = (&column.name, self.about(&column.name));
                let _ = writeln!(text, "| {} | {} | {about} |", code(name), front::dtype(column.kind));
            }
        }
        text
    }

    /// What a column is, as Markdown: one of haymark's, else an answer, else what an annotator said.
    fn about(&self, name: &str) -> String {
        if let Some((_, about)) = FIELDS.iter().find(|(field, _)| *field == name) {
            return (*about).to_owned();
        }
        let asked = self
            .judged
            .iter()
            .flat_map(|judged| judged.protocol.questions.iter().map(move |question| (judged, question)));
        let of_name = asked.filter(|(_, question)| question.key == name);
        let told = of_name.map(|(judged, question)| {
            let (protocol, prompt) = (safe(&judged.protocol.name), safe(&question.prompt));
            format!("{protocol}: {prompt} ({})", answers_of(question))
        });
        let answers: Vec<String> = told.collect();
        if answers.is_empty() {
            "what this annotator said; empty: nothing".to_owned()
        } else {
            answers.join("; ")
        }
    }

    /// Who judged, how much and how fast, and when.
    fn people(&self) -> Result<String> {
        let mut judgments: HashMap<AnnotatorId, usize> = HashMap::new();
        let mut seconds: HashMap<AnnotatorId, Vec<f64>> = HashMap::new();
        for JudgedUnder { protocol, rows, .. } in &self.judged {
            for row in rows {
                *judgments.entry(row.annotator).or_default() += 1;
            }
            for time in self.study.active_times(&protocol.name)? {
                seconds.entry(time.annotator).or_default().push(time.seconds());
            }
        }
        let mut text = "\n## Who judged\n\n| annotator | kind | judgments | median seconds |\n| --- | --- | ---: | ---: |\n".to_owned();
        for (id, annotator) in &self.annotators {
            let Some(count) = judgments.get(id) else { continue };
            let kind = match annotator.kind {
                AnnotatorKind::Human => "person",
                AnnotatorKind::Model => "judge (model)",
            };
            let median = median(seconds.remove(id).unwrap_or_default(), crate::score::Undefined::NoTimes);
            let median = median.map_or_else(|_| "–".to_owned(), |median| format!("{median:.1}"));
            let name = safe(&self.privacy.name(&annotator.id));
            let _ = writeln!(text, "| {name} | {kind} | {count} | {median} |");
        }
        let _ = match self.files_given()? {
            (0, _) => Ok(()),
            (came, all) => writeln!(
                text,
                "\n{} came in from files. Nothing is known here of how they were made: in which order, how blind, with which \
                 guideline, and whether their seconds leave out pauses.",
                if came == all {
                    "All of these judgments".to_owned()
                } else {
                    format!("{came} of these {all} judgments")
                }
            ),
        };
        text += "\nSeconds of what was judged in haymark are active ones: pauses over two minutes do not count.\n";
        let mut days: Option<(String, String)> = None;
        self.study.for_each_judgment(|judgment| {
            let day = judgment.at.as_deref().and_then(|at| at.get(..10)).map(str::to_owned);
            let told = day
                .filter(|_| self.annotators.iter().any(|(_, annotator)| annotator.id == judgment.annotator));
            days = match (days.take(), told) {
                (Some((first, last)), Some(day)) => Some((first.min(day.clone()), last.max(day))),
                (none, day) => none.or(day.map(|day| (day.clone(), day))),
            };
            Ok(())
        })?;
        if let Some((first, last)) = days {
            let _ = writeln!(text, "\nThe last answers to the items were given from {first} to {last}.");
        }
        Ok(text)
    }

    /// How many judgments came in with a file, of how many.
    fn files_given(&self) -> Result<(usize, usize)> {
        let from_files = self.study.judgments_from_files()?;
        let (mut came, mut all) = (0, 0);
        for JudgedUnder { protocol, rows, .. } in &self.judged {
            for (id, _) in &self.annotators {
                let own = rows.iter().filter(|row| row.annotator == *id).count();
                // Some of what came may not count.
                came += from_files.get(&(protocol.name.clone(), *id)).copied().unwrap_or(0).min(own);
                all += own;
            }
        }
        Ok((came, all))
    }

    /// How work was spread, where it was.
    fn assignment(&self) -> Result<String> {
        let mut spread: BTreeMap<String, (BTreeSet<String>, BTreeMap<&'static str, usize>)> = BTreeMap::new();
        for assignment in self.study.assignment_records()?.into_iter().filter(|assignment| !assignment.left) {
            let (people, roles) = spread.entry(assignment.protocol).or_default();
            people.insert(self.privacy.name(&assignment.annotator));
            *roles.entry(assignment.role.name()).or_default() += 1;
        }
        let mut text = "\n## Assignment\n\n".to_owned();
        if spread.is_empty() {
            let (came, all) = self.files_given()?;
            text += match came == all {
                true => "Nothing was assigned here.\n",
                false => "Nothing was assigned: everyone could judge every item, in an order of their own.\n",
            };
        }
        for (protocol, (people, roles)) in &spread {
            let roles: Vec<String> = roles.iter().map(|(role, count)| format!("{count} {role}")).collect();
            let people: Vec<&str> = people.iter().map(String::as_str).collect();
            let (roles, people) = (roles.join(", "), safe(&people.join(", ")));
            let _ = writeln!(text, "- {}: to {people}; items: {roles}", code(protocol));
        }
        Ok(text)
    }

    /// How everyone did on items with known answers and on items that came twice: the tables of `haymark status`.
    fn quality(&self) -> Result<String> {
        let asked = status::StatusAsked {
            annotators: self.arguments.dataset.annotators.clone(),
            ..status::StatusAsked::default()
        };
        let tables = match status::tables(self.study, &asked) {
            Ok(tables) => tables,
            // Judges alone have judged.
            Err(error) if error.kind() == ErrorKind::Failed => return Ok(String::new()),
            Err(error) => return Err(error),
        };
        let of_quality = tables.into_iter().filter(|table| table.key == "quality");
        let told: Vec<_> = of_quality.map(|table| self.privacy.in_table(table)).collect();
        if told.is_empty() {
            return Ok(String::new());
        }
        Ok(format!(
            "\n## Calibration, controls, repeats, and agreement with the others\n\n{}",
            render(&told, OutputFormat::Markdown, 80)?
        ))
    }

    /// What was asked.
    fn protocols(&self) -> String {
        let mut text = "\n## How\n".to_owned();
        for JudgedUnder { protocol, .. } in &self.judged {
            let _ = writeln!(
                text,
                "\n### {} ({}, version {})\n",
                safe(&protocol.title),
                code(&protocol.name),
                protocol.version
            );
            if !protocol.source.is_empty() {
                let _ = writeln!(text, "After {}.\n", safe(&protocol.source));
            }
            for question in &protocol.questions {
                let _ = writeln!(
                    text,
                    "- {} {}: {}",
                    code(&question.key),
                    safe(&question.prompt),
                    answers_of(question)
                );
            }
            let _ = writeln!(
                text,
                "\nFingerprint of the protocol: `{}`. Its guideline: {}.",
                protocol.hash,
                code(&format!("haymark protocol show {} --guideline", protocol.name))
            );
        }
        text
    }

    /// The numbers that `haymark agree` prints first.
    fn agreement(&self) -> Result<String> {
        let mut text = "\n## Agreement\n\n".to_owned();
        let (mut found, mut without) = (Vec::new(), Vec::new());
        for JudgedUnder { protocol, .. } in &self.judged {
            let asked = agree::AgreementAsked {
                protocol: Some(protocol.name.clone()),
                annotators: self.arguments.dataset.annotators.clone(),
                is_brief: true,
                ..agree::AgreementAsked::default()
            };
            match agree::summaries(self.study, &asked) {
                Ok(summaries) => found.extend(summaries),
                // Of one annotator, or of what is no label, there is nothing to say.
                Err(error) if error.kind() == ErrorKind::Failed => without.push(safe(&protocol.name)),
                Err(error) => return Err(error),
            }
        }
        if !without.is_empty() {
            let _ = writeln!(
                text,
                "Nothing to compare (one annotator only, or no question with labels): {}.\n",
                without.join(", ")
            );
        }
        if found.is_empty() {
            return Ok(text);
        }
        text += "| question | items | annotators | statistic | value | 95 % interval | clusters |\n| --- | ---: | --- | --- | ---: | --- | ---: |\n";
        for summary in &found {
            text += &self.agreement_rows(summary);
        }
        if let Some(summary) = found.first() {
            let _ = writeln!(text, "\n{}", summary.method);
        }
        Ok(text)
    }

    fn agreement_rows(&self, summary: &AgreementSummary) -> String {
        let mut annotators: Vec<String> =
            summary.annotators.iter().map(|key| self.privacy.name(key)).collect();
        annotators.sort();
        let mut text = String::new();
        for Number { title, estimate: Estimate { value, interval, clusters } } in &summary.numbers {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {title} | {} | {} | {clusters} |",
                safe(&summary.subject),
                summary.items,
                safe(&annotators.join(", ")),
                shown(*value),
                shown_interval(*interval),
            );
        }
        text
    }

    /// How often each label was given, and what the export counted.
    fn counts(&self, tables: &[Configuration]) -> String {
        let mut text = "\n## Counts\n\n| question | label | by | items | judgments | share |\n\
                        | --- | --- | --- | ---: | ---: | ---: |\n"
            .to_owned();
        for JudgedUnder { protocol, material, rows } in &self.judged {
            for question in protocol.questions.iter().filter(|question| !question.choices().is_empty()) {
                for (by, kind) in [("people", AnnotatorKind::Human), ("judges", AnnotatorKind::Model)] {
                    let is_of_kind = |row: &&JudgmentRow| self.is_of_kind(row.annotator, kind);
                    let given: Vec<(u32, &Answers)> =
                        rows.iter().filter(is_of_kind).map(|row| (row.item, material.answers(row))).collect();
                    let things = by_item(&given.iter().collect::<Vec<_>>(), |(item, _)| *item);
                    let labels = question_labels(question, &things, |(_, answers)| (answers, None));
                    for label in labels.labels.iter().filter(|_| labels.answered.items > 0) {
                        let share = label
                            .share
                            .value()
                            .map_or_else(|_| "–".to_owned(), |share| format!("{share:.1} %"));
                        let name = format!("{} · {}", protocol.name, question.key);
                        let _ = writeln!(
                            text,
                            "| {} | {} | {by} | {} | {} | {share} |",
                            safe(&name),
                            safe(&label.value),
                            label.counted.items,
                            label.counted.judgments
                        );
                    }
                }
            }
        }
        for note in tables.iter().flat_map(|table| &table.written.notes) {
            let _ = writeln!(text, "\n{}", safe(note));
        }
        text
    }

    fn is_of_kind(&self, id: AnnotatorId, kind: AnnotatorKind) -> bool {
        self.annotators.iter().any(|(other, annotator)| *other == id && annotator.kind == kind)
    }

    /// What only people can say.
    fn rest(&self) -> String {
        REST.to_owned()
    }
}

/// The questions of Gebru et al. 2021 and of Bender & Friedman 2018 (TACL 6) to which no study holds the answer.
const REST: &str = "
## Known limits

- Agreement says how alike people answer, not whether they are right; small samples have wide intervals.
- An item that nobody finished is in no table of gold, labels or ratings.
- Further limits (to be filled in):

## To be filled in by whoever publishes it

- Licence of the texts and of the judgments:
- Why it was made, and who paid for it:
- How texts and queries were chosen, and which varieties of their languages they are in:
- How the annotators were found, which languages and what training they have, what they were told, what they were paid, and
  what they consented to:
- What it is meant for, and what it should not be used for:
- What in it may be private or may hurt:
- How to cite it:
- Who keeps it, and whom to write to:
";

/// What the columns of haymark's own are.
const FIELDS: &[(&str, &str)] = &[
    ("type", "collection, document, query or unit"),
    ("protocol", "the protocol that the item was judged under"),
    ("version", "the version of the protocol"),
    ("annotator", "who judged: a pseudonym of a person, or a judge's name"),
    ("collection", "key of the collection: documents that belong together"),
    ("query", "key of the query, unique in the collection"),
    ("document", "key of the document, unique in the collection"),
    ("unit", "key of the unit (an insight, a key point, a question), unique in the query"),
    ("candidate", "key of the candidate (a summary or response), unique in the query"),
    ("bullet_number", "the bullet of the candidate, counted from 1"),
    ("other_candidate", "key of the second candidate of a pair"),
    ("id", "the key of the row's own record"),
    ("number", "the place of the document in its collection, from 1: [8] in a summary cites number 8"),
    ("kind", "what the unit is called: insight, keypoint, ...; of an annotator, human or model"),
    ("title", "its title"),
    ("domain", "such as conversation or news"),
    ("category", "the category of the query"),
    ("score", "a machine's score of the unit, 0 to 1"),
    ("documents", "keys of the documents that contain the unit, as JSON; empty: not known"),
    ("evidence", "passages that support the unit, as JSON: document, quote, and start in bytes"),
    ("meta", "further fields as they came, as JSON"),
    ("text", "the text"),
    ("summarizer", "the model or person that wrote the candidate"),
    (
        "retriever",
        "what chose the documents that it was written from, best first in its row of the corpus; empty: all of them",
    ),
    (
        "cites",
        "list where [2] is the second document of its retriever; empty: the document with the number 2",
    ),
    ("order", "in which order these were given: top, bottom, random"),
    (
        "complete",
        "whether every required question is answered under the current version, so that scores and agreement count it",
    ),
    ("seconds", "active seconds spent; pauses over two minutes do not count"),
    ("at", "when the last answer was given (RFC 3339)"),
    ("comment", "what the annotator wrote beside it"),
    ("flagged", "whether the annotator flagged it"),
    ("skipped", "whether the annotator put it aside"),
    ("aside", "why it is in no score: calibration or repeat"),
    ("source", "where it comes from: unanimous, majority, adjudicated, single"),
    ("annotators", "how many judged the item"),
    ("adjudicator", "who decided"),
    ("took", "whose answer the adjudicator took"),
    ("reason", "why people differed, as the adjudicator found"),
    ("note", "what the adjudicator wrote"),
    (
        "question",
        "the question that was answered, and the tag where it is one of tags; of a retained key point, the query's text",
    ),
    ("answer", "the answer"),
    ("state", "whether the answer still counts"),
    ("item", "the keys of what was judged"),
    ("cluster", "what the item hangs together with: its query"),
    ("label", "the label of the highest probability"),
    ("probability", "of that label, by the model of Dawid and Skene (1979)"),
    ("entropy", "how unsure it is: -sum p ln p over the labels"),
    ("shares", "what share of those who rated the item gave each label, as JSON"),
];

fn shown(value: Measure) -> String {
    value.map_or_else(|reason| format!("– ({})", reason.code()), number)
}

fn shown_interval(interval: Option<std::result::Result<Interval, Undefined>>) -> String {
    match interval {
        Some(Ok(interval)) => format!("{} to {}", number(interval.low), number(interval.high)),
        Some(Err(reason)) => format!("– ({})", reason.code()),
        None => "–".to_owned(),
    }
}

/// What a question takes, in words, as Markdown.
fn answers_of(question: &Question) -> String {
    let listed = |choices: &[crate::protocol::Choice]| {
        safe(&choices.iter().map(|choice| choice.value.as_str()).collect::<Vec<&str>>().join(", "))
    };
    let takes = match &question.kind {
        QuestionKind::Choice { scale: ChoiceScale::Nominal, choices } => listed(choices),
        QuestionKind::Choice { scale: ChoiceScale::Ordinal, choices } => {
            format!("{} (ordinal)", listed(choices))
        }
        QuestionKind::Choice { scale: ChoiceScale::Interval, choices } => {
            format!("{} (interval)", listed(choices))
        }
        QuestionKind::Tags { tags } => format!("any of {}", listed(tags)),
        QuestionKind::Bullet { several: false } => "a bullet of the candidate".to_owned(),
        QuestionKind::Bullet { several: true } => "bullets of the candidate".to_owned(),
        QuestionKind::Text { .. } => "a text".to_owned(),
        QuestionKind::Side => "the candidate that was shown first".to_owned(),
        QuestionKind::Passages { from: SelectedIn::Documents, .. } => "passages of the documents".to_owned(),
        QuestionKind::Passages { from: SelectedIn::Candidate, tags, .. } => {
            format!("passages of the candidate {}", listed(tags)).trim_end().to_owned()
        }
        QuestionKind::Points { .. } => "points, written one after the other".to_owned(),
        QuestionKind::Units { kinds } => format!("units of the kinds {}", safe(&kinds.join(", "))),
    };
    match &question.ask_when {
        Some(condition) => {
            let is = safe(&condition.is.join(" or "));
            format!("{takes}; asked when {} is {is}", code(&condition.question))
        }
        None => takes,
    }
}
