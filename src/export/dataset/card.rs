//! The datasheet beside a dataset (after Gebru et al. 2021, Datasheets for Datasets, CACM 64:12): what it is, who judged and
//! how, how far they agree, what is counted, versions and seeds. What only its maker knows is left to be filled in.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use minijinja::{Value, context};

use super::folder::Configuration;
use super::front;
use crate::agreement::{Estimate, Interval, Measure, Undefined};
use crate::error::{Error, ErrorKind, Result, cannot_write};
use crate::export::asked::{Export, What, name_of};
use crate::export::privacy::Privacy;
use crate::export::table::{OutputFormat, escape_markdown as safe, render};
use crate::export::template::{code, rendered};
use crate::files::write_atomically;
use crate::formats::sheet::SheetColumn;
use crate::journal::{JudgmentRow, Material};
use crate::protocol::{Answers, ChoiceScale, Protocol, Question, QuestionKind, SelectedIn};
use crate::report::{AgreementSummary, Number, StudyPart, agree, counted, protocols, samples, status};
use crate::score::{by_item, is_about_key_points, median, question_labels};
use crate::store::StudyFile;
use crate::study::amendment::standing;
use crate::study::{Act, AmendedKind, Annotator, AnnotatorId, AnnotatorKind, Candidate};

/// The judgments under one protocol.
struct JudgedUnder {
    protocol: Protocol,
    material: Material,
    /// The judgments of the annotators whom the datasheet tells of.
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

pub fn write(
    study: &StudyFile,
    arguments: &Export,
    privacy: &Privacy,
    (head, tables): (&str, &[Configuration]),
    path: &Path,
) -> Result<()> {
    let contents = CardContents::read(study, arguments, privacy)?;
    let text = head.to_owned() + &rendered("card.md", contents.told(tables)?)?;
    write_atomically(path, Some(study.path()), |out| out.write_all(text.as_bytes()).map_err(cannot_write))
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
            let is_told = |row: &&JudgmentRow| row.counts() && ids.contains(&row.annotator());
            let rows: Vec<JudgmentRow> = material.rows().iter().filter(is_told).copied().collect();
            if is_in && !rows.is_empty() {
                judged.push(JudgedUnder { protocol, material, rows });
            }
        }
        Ok(CardContents { study, arguments, privacy, annotators, judged })
    }

    /// Everything that the datasheet says; `assets/templates/card.md` has its words.
    fn told(&self, tables: &[Configuration]) -> Result<Value> {
        let file = |table: &Configuration| {
            let about = if table.about.is_empty() { String::new() } else { format!(": {}", table.about) };
            context! { name => table.file.as_str(), rows => table.written.rows, what => table.written.what, about }
        };
        let mut units: BTreeMap<String, usize> = BTreeMap::new();
        for (_, unit) in self.study.units()? {
            *units.entry(unit.kind).or_default() += 1;
        }
        let candidates = self.study.candidates()?;
        let system = |(_, candidate): &(_, Candidate)| self.privacy.candidate(candidate.clone()).system();
        let in_words = |text: &String| self.privacy.in_words(text);
        Ok(context! {
            what => name_of(self.arguments.what),
            files => tables.iter().map(file).collect::<Vec<_>>(),
            day => jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
            version => env!("CARGO_PKG_VERSION"),
            filter => self.arguments.rows.filter.as_ref().map(in_words),
            privacy => self.privacy.sentences(),
            collections => self.study.collections()?.len(),
            documents => self.study.document_heads()?.len(),
            queries => self.study.queries()?.len(),
            units => units.into_iter().collect::<Vec<_>>(),
            candidates => candidates.len(),
            systems => candidates.iter().map(system).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>(),
            samples => samples(self.study)?.iter().map(in_words).collect::<Vec<_>>(),
            put_right => self.put_right()?,
            fields => self.fields(tables)?,
            judged => if self.judged.is_empty() { None } else { Some(self.judged_told()?) },
            notes => tables.iter().flat_map(|table| table.written.notes.clone()).collect::<Vec<_>>(),
        })
    }

    /// The annotators of the study, how they judged, and how far they agree.
    fn judged_told(&self) -> Result<Value> {
        let (came, all) = self.files_given()?;
        let (agreement, without) = self.agreement()?;
        Ok(context! {
            people => self.people()?,
            came,
            all,
            efforts => self.efforts()?,
            days => self.days()?,
            assigned => self.assigned()?,
            quality => self.quality()?,
            protocols => self.judged.iter().map(|judged| protocol_told(&judged.protocol)).collect::<Vec<_>>(),
            without,
            method => agreement.first().map(|summary| summary.method.clone()),
            agreement => agreement.iter().flat_map(|summary| self.agreement_rows(summary)).collect::<Vec<_>>(),
            counts => self.counts(),
        })
    }

    /// Counts of records revised, and of records withdrawn that count nowhere, by kind. Reasons may name people, and stay
    /// in the study.
    fn put_right(&self) -> Result<String> {
        let all = self.study.amendments()?;
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for amendment in standing(&all) {
            let what = match (amendment.act, amendment.of) {
                (_, AmendedKind::Sample) => continue,
                (Act::Join, _) => "names joined to the person's other name",
                (Act::Revise, _) => "records revised",
                (Act::Erase, _) => "records erased",
                (_, AmendedKind::Annotator) => "people left out, with what they judged and wrote",
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
        Ok(told.join("; "))
    }

    fn fields(&self, tables: &[Configuration]) -> Result<Vec<Value>> {
        let known: BTreeMap<String, String> = toml::from_str(COLUMNS)
            .map_err(|error| Error::new(format!("the descriptions of columns are wrong: {error}")))?;
        let column = |column: &SheetColumn| {
            let about = known.get(&column.name).cloned().unwrap_or_else(|| self.about(&column.name));
            context! { name => column.name.as_str(), type => front::dtype(column.kind), about }
        };
        let table = |table: &Configuration| {
            let columns = table.written.columns.iter().map(column).collect::<Vec<_>>();
            (!columns.is_empty()).then(|| context! { file => table.file.as_str(), columns })
        };
        Ok(tables.iter().filter_map(table).collect())
    }

    /// A column that is none of haymark's own, in Markdown: the answers to a question, else those of an annotator.
    fn about(&self, name: &str) -> String {
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

    /// The annotators who judged, with how much and how fast each did.
    fn people(&self) -> Result<Vec<Value>> {
        let mut judgments: HashMap<AnnotatorId, usize> = HashMap::new();
        let mut seconds: HashMap<AnnotatorId, Vec<f64>> = HashMap::new();
        for JudgedUnder { protocol, rows, .. } in &self.judged {
            for row in rows {
                *judgments.entry(row.annotator()).or_default() += 1;
            }
            for time in self.study.active_times(&protocol.name)? {
                seconds.entry(time.annotator).or_default().push(time.seconds());
            }
        }
        let mut people = Vec::new();
        for (id, annotator) in &self.annotators {
            let Some(count) = judgments.get(id) else { continue };
            let median = median(seconds.remove(id).unwrap_or_default(), crate::score::Undefined::NoTimes);
            let kind = match annotator.kind {
                AnnotatorKind::Human => "person",
                AnnotatorKind::Model => "judge (model)",
            };
            let median = median.map_or_else(|_| "–".to_owned(), |median| format!("{median:.1}"));
            people.push(
                context! { name => self.privacy.name(&annotator.id), kind, judgments => *count, median },
            );
        }
        Ok(people)
    }

    /// The effort for a summary under each protocol.
    fn efforts(&self) -> Result<Vec<Value>> {
        let mut efforts = Vec::new();
        for JudgedUnder { protocol, .. } in &self.judged {
            if let Some(told) = status::effort(self.study, protocol, &self.arguments.dataset.annotators)? {
                efforts.push(context! { protocol => protocol.name.as_str(), told });
            }
        }
        Ok(efforts)
    }

    /// The first and the last day on which an answer that counts was given.
    fn days(&self) -> Result<Option<(String, String)>> {
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
        Ok(days)
    }

    /// The numbers of judgments that came from files, and of all.
    fn files_given(&self) -> Result<(usize, usize)> {
        let from_files = self.study.judgments_from_files()?;
        let (mut came, mut all) = (0, 0);
        for JudgedUnder { protocol, rows, .. } in &self.judged {
            for (id, _) in &self.annotators {
                let own = rows.iter().filter(|row| row.annotator() == *id).count();
                // Some judgments from files may not count.
                came += from_files.get(&(protocol.name.clone(), *id)).copied().unwrap_or(0).min(own);
                all += own;
            }
        }
        Ok((came, all))
    }

    /// The assignments under each protocol that has some.
    fn assigned(&self) -> Result<Vec<Value>> {
        let mut spread: BTreeMap<String, (BTreeSet<String>, BTreeMap<&'static str, usize>)> = BTreeMap::new();
        for assignment in self.study.assignment_records()?.into_iter().filter(|assignment| !assignment.left) {
            let (people, roles) = spread.entry(assignment.protocol).or_default();
            people.insert(self.privacy.name(&assignment.annotator));
            *roles.entry(assignment.role.name()).or_default() += 1;
        }
        let told = |(protocol, (people, roles)): (String, (BTreeSet<String>, BTreeMap<&str, usize>))| {
            let roles: Vec<String> = roles.iter().map(|(role, count)| format!("{count} {role}")).collect();
            let people: Vec<String> = people.into_iter().collect();
            context! { protocol, people => people.join(", "), roles => roles.join(", ") }
        };
        Ok(spread.into_iter().map(told).collect())
    }

    /// How everyone did on items with known answers and on items that came twice: the tables of `haymark status`.
    fn quality(&self) -> Result<String> {
        let asked = status::StatusAsked {
            annotators: self.arguments.dataset.annotators.clone(),
            ..status::StatusAsked::default()
        };
        let tables = match status::tables(self.study, &asked) {
            Ok(tables) => tables,
            // Only judges have judged, and the status is of people.
            Err(error) if error.kind() == ErrorKind::Failed => return Ok(String::new()),
            Err(error) => return Err(error),
        };
        let of_quality = tables.into_iter().filter(|table| table.key == "quality");
        let told: Vec<_> = of_quality.map(|table| self.privacy.in_table(table)).collect();
        if told.is_empty() { Ok(String::new()) } else { render(&told, OutputFormat::Markdown, 80) }
    }

    /// The numbers that `haymark agree` prints first, and the protocols without agreement: with one annotator, or without labels.
    fn agreement(&self) -> Result<(Vec<AgreementSummary>, Vec<String>)> {
        let (mut found, mut without) = (Vec::new(), Vec::new());
        for JudgedUnder { protocol, .. } in &self.judged {
            let part = StudyPart {
                protocol: Some(protocol.name.clone()),
                annotators: self.arguments.dataset.annotators.clone(),
                ..StudyPart::default()
            };
            let asked = agree::AgreementAsked { part, is_brief: true, ..agree::AgreementAsked::default() };
            match agree::summaries(self.study, &asked) {
                Ok(summaries) => found.extend(summaries),
                Err(error) if error.kind() == ErrorKind::Failed => without.push(protocol.name.clone()),
                Err(error) => return Err(error),
            }
        }
        Ok((found, without))
    }

    fn agreement_rows(&self, summary: &AgreementSummary) -> Vec<Value> {
        let mut annotators: Vec<String> =
            summary.annotators.iter().map(|key| self.privacy.name(key)).collect();
        annotators.sort();
        let row = |Number { title, estimate: Estimate { value, interval, clusters } }: &Number| {
            context! {
                subject => summary.subject.as_str(),
                items => summary.items,
                annotators => annotators.join(", "),
                title => *title,
                value => shown(*value),
                interval => shown_interval(*interval),
                clusters => *clusters,
            }
        };
        summary.numbers.iter().map(row).collect()
    }

    /// How often each label was given.
    fn counts(&self) -> Vec<Value> {
        let mut told = Vec::new();
        for JudgedUnder { protocol, material, rows } in &self.judged {
            for question in protocol.questions.iter().filter(|question| !question.choices().is_empty()) {
                for (by, kind) in [("people", AnnotatorKind::Human), ("judges", AnnotatorKind::Model)] {
                    let is_of_kind = |row: &&JudgmentRow| self.is_of_kind(row.annotator(), kind);
                    let given: Vec<(u32, &Answers)> =
                        rows.iter().filter(is_of_kind).map(|row| (row.item, material.answers(row))).collect();
                    let things = by_item(&given.iter().collect::<Vec<_>>(), |(item, _)| *item);
                    let labels = question_labels(question, &things, |(_, answers)| (answers, None));
                    let answered = labels.answered.items > 0;
                    told.extend(labels.labels.into_iter().filter(|_| answered).map(|label| {
                        let share = label.share.value();
                        context! {
                            question => format!("{} · {}", protocol.name, question.key),
                            label => label.value,
                            by,
                            items => label.counted.items,
                            judgments => label.counted.judgments,
                            share => share.map_or_else(|_| "–".to_owned(), |share| format!("{share:.1} %")),
                        }
                    }));
                }
            }
        }
        told
    }

    fn is_of_kind(&self, id: AnnotatorId, kind: AnnotatorKind) -> bool {
        self.annotators.iter().any(|(other, annotator)| *other == id && annotator.kind == kind)
    }
}

/// Descriptions of haymark's own columns.
const COLUMNS: &str = include_str!("../../../assets/templates/columns.toml");

fn protocol_told(protocol: &Protocol) -> Value {
    let question = |asked: &Question| context! { key => asked.key.as_str(), prompt => asked.prompt.as_str(), answers => answers_of(asked) };
    context! {
        title => protocol.title.as_str(),
        name => protocol.name.as_str(),
        version => protocol.version,
        source => protocol.source.as_str(),
        questions => protocol.questions.iter().map(question).collect::<Vec<_>>(),
        hash => protocol.hash.to_string(),
    }
}

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

/// The answers that a question takes, in words, as Markdown.
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
        QuestionKind::Units { kinds, .. } => format!("units of the kinds {}", safe(&kinds.join(", "))),
    };
    match &question.ask_when {
        Some(condition) => {
            let is = safe(&condition.is.join(" or "));
            format!("{takes}; asked when {} is {is}", code(&condition.question))
        }
        None => takes,
    }
}
