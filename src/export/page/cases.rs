//! The cases of the page: texts, what everyone said of them and why, what is cited rightly and wrongly.
//!
//! Cases are folded, chosen by filters that are style alone, and each has a link of its own, so that nothing
//! needs a script. A case is a summary, or a query for what is judged without one (key points of a query).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use indexmap::IndexSet;
use minijinja::{Value, context};

use super::CaseArguments;
use crate::browse::{
    BrowseTable, BulletDetail, Detail, DocumentDetail, DocumentRole, JudgmentDetail, TableValue, Tables,
    View, Working, answer_words,
};
use crate::error::{Error, ErrorKind, Result};
use crate::export::privacy::Privacy;
use crate::export::template::rendered;
use crate::journal::Decision;
use crate::number::number_of;
use crate::protocol::{Protocol, QuestionKind, TargetPart};
use crate::report::filtered;
use crate::store::StudyFile;
use crate::study::{AnnotatorKind, Candidate, Document, DocumentId, Evidence, ItemId, Unit};
use crate::text::hash::fingerprint;

/// The cases that were chosen.
pub struct Cases<'p> {
    privacy: &'p Privacy,
    tables: Tables,
    /// Table and row of each case; cases of one query stand together.
    rows: Vec<(BrowseTable, u32)>,
    /// How many cases the filter lets through.
    all: usize,
    filters: Vec<CaseFilter>,
    /// The numbers of documents, by collection and key.
    numbers: HashMap<(String, String), u32>,
}

/// A filter: its name in the style, its words, and its values with the group that each stands in.
struct CaseFilter {
    key: &'static str,
    words: &'static str,
    values: Vec<(String, String)>,
}

/// The most values of a filter: each is a rule of the style.
const VALUES: usize = 200;

impl<'p> Cases<'p> {
    /// Chooses the cases.
    pub fn read(study: &StudyFile, asked: &CaseArguments, privacy: &'p Privacy) -> Result<Cases<'p>> {
        let tables = filtered::tables(study)?;
        let filter = asked.filter.as_ref().map_or_else(String::new, |filter| privacy.in_filter(filter));
        let chosen = |table| filtered::rows(&tables, &View { filter: filter.clone(), ..View::of(table) });
        let mut rows: Vec<(BrowseTable, u32)> =
            chosen(BrowseTable::Candidates)?.into_iter().map(|row| (BrowseTable::Candidates, row)).collect();
        let is_judged_alone =
            |row: &u32| judged_alone(&tables.detail(BrowseTable::Queries, *row)).next().is_some();
        match chosen(BrowseTable::Queries) {
            Ok(queries) => rows
                .extend(queries.into_iter().filter(is_judged_alone).map(|row| (BrowseTable::Queries, row))),
            // The filter has fields that only summaries have.
            Err(error) if error.kind() == ErrorKind::Usage => {}
            Err(error) => return Err(error),
        }
        if rows.is_empty() {
            return Err(Error::new("there is no case to show")
                .in_file(study.path())
                .advise("change --filter"));
        }
        // In the order of the study, those of one query together.
        let queries = tables.corpus().queries.iter();
        let queries: IndexSet<(&str, &str)> =
            queries.map(|(_, query)| (query.collection.as_str(), query.id.as_str())).collect();
        let place = |(table, row): &(BrowseTable, u32)| {
            let query = tables.records(*table, *row).query;
            query.and_then(|query| queries.get_index_of(&(query.collection.as_str(), query.id.as_str())))
        };
        rows.sort_by_key(|row| (place(row), row.0 == BrowseTable::Queries));
        let all = rows.len();
        rows.truncate(asked.limit);
        let filters = filters(&tables, &rows);
        let documents = tables.corpus().documents.iter();
        let number = |(_, document): &(DocumentId, Document)| {
            ((document.collection.clone(), document.id.clone()), document.number)
        };
        let numbers = documents.map(number).collect();
        Ok(Cases { privacy, tables, rows, all, filters, numbers })
    }

    /// How many cases are on the page.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// The rules of the filters. Each filter hides cases through a variable of its own, and a case is shown
    /// if none hides it. Nothing here is a text of the study.
    pub fn style(&self) -> String {
        let mut style = String::new();
        for CaseFilter { key, values, .. } in &self.filters {
            let _ = writeln!(style, "#cases:has(.by-{key} option:not(.any):checked) .case{{--{key}:none}}");
            for at in 0..values.len() {
                let _ = writeln!(
                    style,
                    "#cases:has(.by-{key} option.v{at}:checked) .case.{key}{at}{{--{key}:initial}}"
                );
            }
        }
        style
            + "@media (min-width: 50rem) {\n#cases:has(.beside option:not(.any):checked) .query {grid-template-columns: repeat(2, minmax(0, 1fr))}\n}\n"
    }

    /// The section of the page; `assets/templates/cases.html` has its words.
    pub fn html(&self) -> Result<String> {
        let shown = self.rows.len();
        let chosen = if shown < self.all {
            format!("The first {shown} of {} cases; --limit and --filter choose others.", self.all)
        } else {
            format!("{}.", number_of(shown, "case"))
        };
        let query = |row: &(BrowseTable, u32)| {
            self.tables.records(row.0, row.1).query.map(|query| (&query.collection, &query.id))
        };
        let queries = self.rows.chunk_by(|one, other| query(one) == query(other));
        let cases = |of_query: &[(BrowseTable, u32)]| -> Value {
            of_query.iter().map(|(table, row)| self.case(*table, *row)).collect()
        };
        let queries: Value = queries.map(cases).collect();
        rendered("cases.html", context! { chosen, choices => self.choices(), queries, shown })
    }

    /// The filters to choose by.
    fn choices(&self) -> Vec<Value> {
        let mut choices = Vec::new();
        for filter in self.filters.iter().filter(|filter| filter.values.len() > 1) {
            let values: Vec<(usize, &(String, String))> = filter.values.iter().enumerate().collect();
            let groups = values.chunk_by(|(_, one), (_, other)| one.0 == other.0).map(|group| {
                let option = |(at, (_, text)): &(usize, &(String, String))| context! { at, text };
                let name = group.first().map(|(_, (name, _))| name);
                context! { name, values => group.iter().map(option).collect::<Vec<_>>() }
            });
            let groups: Value = groups.collect();
            let class = format!("by-{}", filter.key);
            choices.push(context! { class => class.as_str(), words => filter.words, any => "all", groups => groups.clone() });
            if filter.key == "system" {
                let class = format!("{class} beside");
                choices.push(context! { class, words => "and beside it", any => "none", groups });
            }
        }
        choices
    }

    fn case(&self, table: BrowseTable, row: u32) -> Value {
        let detail = self.tables.detail(table, row);
        let facts: HashMap<&str, &str> =
            detail.facts.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut class = "case".to_owned();
        for filter in &self.filters {
            for value in values(&self.tables, table, row, &detail, filter.key) {
                if let Some(at) = filter.values.iter().position(|known| *known == value) {
                    let _ = write!(class, " {}{at}", filter.key);
                }
            }
        }
        const TOLD: [&str; 5] = ["order", "collection", "domain", "category", "words"];
        let about = TOLD.iter().filter_map(|name| Some(format!("{name} {}", facts.get(name)?)));
        let query = detail.query.map(|query| query.text.as_str());
        context! {
            key => case_key(&detail),
            class,
            who => *facts.get("system").unwrap_or(&"query"),
            of => first_line(query.unwrap_or_default()),
            scores => self.scores(table, row).join(" · "),
            about => about.collect::<Vec<_>>().join(" · "),
            query,
            summary => detail.candidate.map(|candidate| candidate.text.as_str()),
            bullets => detail.candidate.map(|candidate| bullets(candidate, &detail.bullets)),
            documents => detail.documents.iter().map(|document| told_of(document, &detail)).collect::<Vec<_>>(),
            judged => self.judgments(table, &detail),
        }
    }

    /// Numbers behind a case's name: its scores, and how far people disagree.
    fn scores(&self, table: BrowseTable, row: u32) -> Vec<String> {
        let number = |name: &str| {
            let column = self.tables.column(table, name)?;
            let value = self.tables.value(table, row, column);
            matches!(value, TableValue::Number(_))
                .then(|| format!("{name} {}", self.tables.shown(table, row, column)))
        };
        let others = self.tables.scores_of_row(table, row).into_iter();
        let others = others.map(|(heading, value)| format!("{heading} {value}"));
        ["coverage", "joint"]
            .into_iter()
            .filter_map(number)
            .chain(others)
            .chain(number("disagreement"))
            .collect()
    }

    /// A table for each protocol: a row an item, a column an annotator.
    fn judgments(&self, table: BrowseTable, detail: &Detail<'_>) -> Vec<Value> {
        let mut judgments: Vec<&JudgmentDetail<'_>> = if table == BrowseTable::Queries {
            judged_alone(detail).collect()
        } else {
            detail.judgments.iter().collect()
        };
        // Stable: items and people stay in their order.
        let order: IndexSet<&str> =
            judgments.iter().map(|judgment| judgment.protocol.name.as_str()).collect();
        judgments.sort_by_key(|judgment| order.get_index_of(judgment.protocol.name.as_str()));
        let of_protocol = judgments.chunk_by(|one, other| one.protocol.name == other.protocol.name);
        of_protocol.filter_map(|of_one| Some(self.judged(of_one.first()?.protocol, of_one, detail))).collect()
    }

    fn judged(&self, protocol: &Protocol, judgments: &[&JudgmentDetail<'_>], detail: &Detail<'_>) -> Value {
        let annotators = judgments.iter().map(|one| (one.annotator.kind, one.annotator.id.as_str()));
        let annotators: BTreeSet<(AnnotatorKind, &str)> = annotators.collect();
        let decisions = self.decisions(protocol);
        let items: Vec<&[&JudgmentDetail<'_>]> =
            judgments.chunk_by(|one, other| one.row == other.row).collect();
        let is_decided = |item: &&JudgmentDetail<'_>| decisions.contains_key(&item.item);
        let decided = judgments.iter().any(is_decided);
        let row = |own: &[&JudgmentDetail<'_>]| {
            let item = own.first()?;
            let mut cells: Vec<Vec<Value>> = annotators
                .iter()
                .map(|(_, name)| {
                    let hers = own.iter().filter(|judgment| judgment.annotator.id == *name);
                    hers.map(|judgment| self.judgment(judgment, detail)).collect()
                })
                .collect();
            if decided {
                let decision = decisions.get(&item.item);
                cells.push(decision.map(|decision| self.decision(protocol, decision)).into_iter().collect());
            }
            let quoted = |unit: &Unit| unit.evidence.iter().map(|one| self.quoted(unit, one)).collect();
            let evidence: Vec<String> = item.unit.map_or_else(Vec::new, quoted);
            Some(context! {
                cells,
                passages => number_of(evidence.len(), "passage"),
                evidence,
                ..target(item)
            })
        };
        let mut names: Vec<Value> = annotators.iter().map(|(_, name)| Value::from(*name)).collect();
        names.extend(decided.then(|| Value::from("settled")));
        context! {
            title => protocol.title.as_str(),
            names,
            items => items.into_iter().filter_map(row).collect::<Vec<_>>(),
        }
    }

    fn judgment(&self, judgment: &JudgmentDetail<'_>, detail: &Detail<'_>) -> Value {
        let written =
            |kind: &QuestionKind| matches!(kind, QuestionKind::Text { .. } | QuestionKind::Points { .. });
        let answers = judgment.answers.iter().map(|(question, answer)| {
            let words = if written(&question.kind) { self.privacy.in_words(answer) } else { answer.clone() };
            if matches!(question.kind, QuestionKind::Bullet { .. }) {
                format!("bullet {words}")
            } else {
                words
            }
        });
        let is_its_working = |work: &&Working<'_>| {
            work.annotator.id == judgment.annotator.id
                && judgment.unit.is_some_and(|unit| unit.id == work.unit.id)
        };
        // Only for the protocol that scores coverage: it is the one that links bullets.
        let links =
            judgment.answers.iter().any(|(question, _)| matches!(question.kind, QuestionKind::Bullet { .. }));
        let work = detail.working.iter().find(is_its_working).filter(|_| links);
        let marks = [(judgment.flagged, "flagged"), (judgment.skipped, "skipped")];
        let marks = marks.iter().filter(|(is_so, _)| *is_so).map(|(_, mark)| (*mark).to_owned());
        context! {
            answers => answers.collect::<Vec<_>>().join(" · "),
            citations => work.map_or_else(Vec::new, citations),
            marks => marks.chain(judgment.uncounted.clone()).collect::<Vec<_>>(),
            comment => judgment.comment.map(|comment| self.privacy.in_words(comment)),
        }
    }

    fn decision(&self, protocol: &Protocol, decision: &Decision) -> Value {
        let verdict = &decision.verdict;
        let answers = protocol.questions.iter().filter_map(|question| {
            let words = answer_words(verdict.answers.get(&question.key)?);
            let words: Vec<&str> = words.iter().map(|word| question.label_of(word)).collect();
            Some(self.privacy.in_words(&words.join(", ")))
        });
        let told = [
            verdict.took.as_ref().map(|took| format!("as {} said", self.privacy.name(took))),
            verdict.reason.map(|reason| reason.name().to_owned()),
        ];
        let told = told.into_iter().flatten().collect::<Vec<_>>().join(" · ");
        context! {
            answers => answers.collect::<Vec<_>>().join(" · "),
            citations => (),
            marks => Some(told).filter(|told| !told.is_empty()).into_iter().collect::<Vec<_>>(),
            comment => self.privacy.in_words(&verdict.note),
        }
    }

    /// A passage that came with a unit, with the number of its document.
    fn quoted(&self, unit: &Unit, evidence: &Evidence) -> String {
        let number = self.numbers.get(&(unit.collection.clone(), evidence.document.clone()));
        evidence.quote.clone() + &number.map_or_else(String::new, |number| format!(" [{number}]"))
    }

    /// The decisions under a protocol, by item.
    fn decisions(&self, protocol: &Protocol) -> BTreeMap<ItemId, &Decision> {
        let material = self.tables.judged().iter().find(|material| material.protocol.name == protocol.name);
        let decisions = material.into_iter().flat_map(|material| {
            let id = |place: &u32| material.items.get(*place as usize).map(|item| item.id);
            material.decisions().iter().filter_map(move |(place, decision)| Some((id(place)?, decision)))
        });
        decisions.collect()
    }
}

/// The judgments of a query that are about none of its summaries.
fn judged_alone<'d, 't>(detail: &'d Detail<'t>) -> impl Iterator<Item = &'d JudgmentDetail<'t>> {
    detail.judgments.iter().filter(|judgment| {
        !judgment.protocol.targets(TargetPart::Candidate) && !judgment.protocol.targets(TargetPart::Bullet)
    })
}

/// The place of a case on the page: the same wherever the same study is.
fn case_key(detail: &Detail<'_>) -> String {
    let query = detail.query.map_or(["", ""], |query| [query.collection.as_str(), query.id.as_str()]);
    let candidate = detail.candidate.map_or("", |candidate| candidate.id.as_str());
    let print = fingerprint(["case", query[0], query[1], candidate]).to_string();
    format!("c{}", print.chars().take(12).collect::<String>())
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(160).collect()
}

/// The filters of the cases, each with the values that occur.
fn filters(tables: &Tables, rows: &[(BrowseTable, u32)]) -> Vec<CaseFilter> {
    let mut filters = [("system", "System"), ("label", "Label"), ("dispute", "People"), ("tag", "Tag")]
        .map(|(key, words)| CaseFilter { key, words, values: Vec::new() });
    for (table, row) in rows {
        let detail = tables.detail(*table, *row);
        for filter in &mut filters {
            for value in values(tables, *table, *row, &detail, filter.key) {
                if filter.values.len() < VALUES && !filter.values.contains(&value) {
                    filter.values.push(value);
                }
            }
        }
    }
    for filter in &mut filters {
        filter.values.sort();
    }
    filters.into()
}

/// The values of a case under a filter, each with the group that it stands in.
fn values(
    tables: &Tables,
    table: BrowseTable,
    row: u32,
    detail: &Detail<'_>,
    key: &str,
) -> Vec<(String, String)> {
    let alone = |value: &str| (String::new(), value.to_owned());
    let column = |name: &str| tables.column(table, name).map(|column| tables.value(table, row, column));
    match key {
        "system" => {
            detail.facts.iter().filter(|(name, _)| *name == "system").map(|(_, value)| alone(value)).collect()
        }
        "label" => {
            let people = detail.judgments.iter().filter(|one| one.annotator.kind == AnnotatorKind::Human);
            let mut labels: Vec<(String, String)> = people
                .filter_map(|judgment| {
                    let main = judgment.protocol.main_question()?;
                    let answer = judgment.answers.iter().find(|(question, _)| question.key == main.key)?;
                    let is_label = matches!(main.kind, QuestionKind::Choice { .. });
                    is_label.then(|| (judgment.protocol.name.clone(), answer.1.clone()))
                })
                .collect();
            labels.sort_unstable();
            labels.dedup();
            labels
        }
        "dispute" => match column("disagreement") {
            Some(TableValue::Number(share)) if share > 0.0 => vec![alone("disagree")],
            Some(TableValue::Number(_)) => vec![alone("agree")],
            _ => vec![alone("judged by fewer than two")],
        },
        _ => match column("tag") {
            Some(TableValue::Labels(tags)) => {
                tags.into_iter().map(|tag| alone(tag_label(tables, tag))).collect()
            }
            _ => Vec::new(),
        },
    }
}

/// A tag as its protocol shows it.
fn tag_label<'t>(tables: &'t Tables, tag: &'t str) -> &'t str {
    let questions = tables.judged().iter().flat_map(|material| &material.protocol.questions);
    let tags = |kind: &QuestionKind| matches!(kind, QuestionKind::Tags { .. });
    let labels = questions.filter(|question| tags(&question.kind)).map(|question| question.label_of(tag));
    labels.into_iter().find(|label| *label != tag).unwrap_or(tag)
}

/// The bullets of a summary that has several, so that the numbers that people link to are seen.
fn bullets(candidate: &Candidate, bullets: &[BulletDetail]) -> Vec<Value> {
    let bullet = |bullet: &BulletDetail| {
        let text = candidate.text.get(bullet.span.range()).unwrap_or_default();
        context! { number => bullet.number, text => text.trim_start_matches(['-', '*', '•', ' ']) }
    };
    bullets.iter().filter(|_| bullets.len() > 1).map(bullet).collect()
}

/// A document that matters, and whether it is cited rightly.
fn told_of(document: &DocumentDetail<'_>, detail: &Detail<'_>) -> Value {
    let class = match document.role {
        DocumentRole::Right => "right",
        DocumentRole::Wrong => "wrong",
        _ => "missed",
    };
    let title = document.document.title.as_deref().unwrap_or(&document.document.id);
    context! {
        class,
        role => format!("{} {}", document.role.glyph(), document.role.name()),
        name => format!("[{}] {title}", detail.citing(document.document)),
    }
}

/// The target of an item, in words.
fn target(item: &JudgmentDetail<'_>) -> Value {
    let document = item.document.map(|document| {
        format!("in [{}] {}", document.number, document.title.as_deref().unwrap_or(&document.id))
    });
    let pair = item.pair.map(|[one, other]| format!("{} or {}", one.system(), other.system()));
    let bullet = item.bullet.map(|bullet| format!("bullet {bullet}"));
    let is_whole = item.unit.is_none() && document.is_none() && pair.is_none() && bullet.is_none();
    let whole = is_whole.then(|| "the whole".to_owned());
    context! {
        unit => item.unit.map(|unit| unit.text.as_str()),
        document,
        other => [pair, bullet, whole].into_iter().flatten().collect::<String>(),
    }
}

/// The documents that one annotator's link makes right, wrong and missed.
fn citations(work: &Working<'_>) -> Vec<Value> {
    let kinds = [
        (DocumentRole::Right, "right", &work.right),
        (DocumentRole::Wrong, "wrong", &work.wrong),
        (DocumentRole::Missed, "missed", &work.missed),
    ];
    let told = |(role, class, numbers): (DocumentRole, &str, &Vec<u32>)| {
        let words = format!("{} {} {}", role.glyph(), role.name(), work.citing(numbers, ", "));
        context! { class, words }
    };
    kinds.into_iter().filter(|(_, _, numbers)| !numbers.is_empty()).map(told).collect()
}
