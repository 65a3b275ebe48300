//! The cases of the page: texts, what everyone said of them and why, what is cited rightly and wrongly.
//!
//! Cases are folded, chosen by filters that are style alone, and each has a link of its own, so that nothing
//! needs a script. A case is a summary, or a query for what is judged without one (key points of a query).

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use super::CaseArguments;
use crate::browse::{
    BrowseTable, BulletDetail, Detail, DocumentRole, JudgmentDetail, TableValue, Tables, View, Working,
    answer_words,
};
use crate::cli::dataset::Privacy;
use crate::error::{Error, ErrorKind, Result};
use crate::journal::Decision;
use crate::number::number_of;
use crate::protocol::{Protocol, QuestionKind, TargetPart};
use crate::report::filtered;
use crate::store::StudyFile;
use crate::study::{AnnotatorKind, Candidate, Document, DocumentId, ItemId, Unit};
use crate::text::hash::fingerprint;
use crate::text::html::Html;

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

/// Filters offer so many values at most: each is a rule of the style.
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
        let mut queries: HashMap<(&str, &str), usize> = HashMap::new();
        for (_, query) in &tables.corpus().queries {
            let next = queries.len();
            queries.insert((query.collection.as_str(), query.id.as_str()), next);
        }
        let place = |(table, row): &(BrowseTable, u32)| {
            let query = tables.records(*table, *row).query;
            query.and_then(|query| queries.get(&(query.collection.as_str(), query.id.as_str())).copied())
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

    /// Writes the section of the page.
    pub fn write(&self, page: &mut Html) {
        page.markup(
            "<section id=\"cases\" aria-labelledby=\"cases-title\">\n<h2 id=\"cases-title\">Cases</h2>\n",
        );
        let shown = self.rows.len();
        let of = if shown < self.all {
            format!("The first {shown} of {} cases; --limit and --filter choose others.", self.all)
        } else {
            format!("{}.", number_of(shown, "case"))
        };
        page.open("p", &[]).text(&of);
        page.text(" A case opens by a click; its link can be sent.").markup("</p>\n");
        page.markup("<p class=\"paper\">The cases are left out in print.</p>\n");
        self.write_filters(page);
        page.markup("<div class=\"list\">\n");
        let query = |row: &(BrowseTable, u32)| {
            self.tables.records(row.0, row.1).query.map(|query| (&query.collection, &query.id))
        };
        for of_query in self.rows.chunk_by(|one, other| query(one) == query(other)) {
            page.markup("<div class=\"query\">\n");
            of_query.iter().for_each(|(table, row)| self.write_case(*table, *row, page));
            page.markup("</div>\n");
        }
        page.open("p", &[("class", "seen")])
            .text(&format!("{shown} shown"))
            .markup("</p>\n</div>\n</section>\n");
    }

    fn write_filters(&self, page: &mut Html) {
        page.markup("<div class=\"filters\" role=\"group\" aria-label=\"Which cases are shown\">\n");
        for filter in self.filters.iter().filter(|filter| filter.values.len() > 1) {
            let class = format!("by-{}", filter.key);
            write_choice(&class, filter.words, "all", filter, page);
            if filter.key == "system" {
                write_choice("by-system beside", "and beside it", "none", filter, page);
            }
        }
        page.markup("</div>\n");
    }

    fn write_case(&self, table: BrowseTable, row: u32, page: &mut Html) {
        let detail = self.tables.detail(table, row);
        let key = case_key(&detail);
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
        page.open("details", &[("class", &class)]).markup("<summary>");
        let who = facts.get("system").copied().unwrap_or("query");
        page.element("span", &[("class", "who")], who);
        let query = detail.query.map_or("", |query| query.text.as_str());
        page.text(" ").element("span", &[("class", "of")], &first_line(query));
        let numbers = self.scores(table, row);
        page.text(" ").element("span", &[("class", "nums")], &numbers.join(" · "));
        page.markup("</summary>\n").open("article", &[("id", &key)]);
        page.open("p", &[("class", "about")]);
        const TOLD: [&str; 5] = ["order", "collection", "domain", "category", "words"];
        let told: Vec<String> =
            TOLD.iter().filter_map(|name| Some(format!("{name} {}", facts.get(name)?))).collect();
        page.text(&told.join(" · "));
        page.text(" ").element("a", &[("href", &format!("#{key}"))], "link to this case").markup("</p>\n");
        if let Some(query) = detail.query {
            page.markup("<h3>Query</h3>\n").element("p", &[("class", "text")], &query.text).markup("\n");
        }
        if let Some(candidate) = detail.candidate {
            write_summary(candidate, &detail.bullets, page);
        }
        write_documents(&detail, page);
        self.write_judgments(table, &detail, page);
        page.markup("</article></details>\n");
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
    fn write_judgments(&self, table: BrowseTable, detail: &Detail<'_>, page: &mut Html) {
        let mut judgments: Vec<&JudgmentDetail<'_>> = if table == BrowseTable::Queries {
            judged_alone(detail).collect()
        } else {
            detail.judgments.iter().collect()
        };
        // Stable: items and people stay in their order.
        let mut order: Vec<&str> = Vec::new();
        for judgment in &judgments {
            if !order.contains(&judgment.protocol.name.as_str()) {
                order.push(&judgment.protocol.name);
            }
        }
        judgments.sort_by_key(|judgment| order.iter().position(|name| *name == judgment.protocol.name));
        for of_protocol in judgments.chunk_by(|one, other| one.protocol.name == other.protocol.name) {
            let Some(protocol) = of_protocol.first().map(|judgment| judgment.protocol) else { continue };
            self.write_protocol(protocol, of_protocol, detail, page);
        }
    }

    fn write_protocol(
        &self,
        protocol: &Protocol,
        judgments: &[&JudgmentDetail<'_>],
        detail: &Detail<'_>,
        page: &mut Html,
    ) {
        let mut annotators: Vec<(AnnotatorKind, &str)> = Vec::new();
        let mut items: Vec<&JudgmentDetail<'_>> = Vec::new();
        for judgment in judgments {
            let who = (judgment.annotator.kind, judgment.annotator.id.as_str());
            if !annotators.contains(&who) {
                annotators.push(who);
            }
            if items.last().is_none_or(|last| last.row != judgment.row) {
                items.push(judgment);
            }
        }
        annotators.sort_unstable();
        let decisions = self.decisions(protocol);
        let decided = items.iter().any(|item| decisions.contains_key(&item.item));
        page.markup("<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"Judgments\"><table>");
        page.element("caption", &[], &protocol.title);
        page.markup("<thead><tr>").element("th", &[("scope", "col")], "what is judged");
        annotators.iter().for_each(|(_, name)| {
            page.element("th", &[("scope", "col")], name);
        });
        if decided {
            page.element("th", &[("scope", "col")], "settled");
        }
        page.markup("</tr></thead>\n<tbody>\n");
        for item in items {
            page.markup("<tr>").open("th", &[("scope", "row"), ("class", "t")]);
            write_target(item, page);
            self.write_evidence(item.unit, page);
            page.close("th");
            for (_, name) in &annotators {
                let own = judgments.iter().filter(|one| one.row == item.row && one.annotator.id == *name);
                page.markup("<td>");
                own.for_each(|judgment| self.write_judgment(judgment, detail, page));
                page.markup("</td>");
            }
            if decided {
                page.markup("<td>");
                if let Some(decision) = decisions.get(&item.item) {
                    self.write_decision(protocol, decision, page);
                }
                page.markup("</td>");
            }
            page.markup("</tr>\n");
        }
        page.markup("</tbody></table></div>\n");
    }

    fn write_judgment(&self, judgment: &JudgmentDetail<'_>, detail: &Detail<'_>, page: &mut Html) {
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
        page.text(&answers.collect::<Vec<_>>().join(" · "));
        let is_its_working = |work: &&Working<'_>| {
            work.annotator.id == judgment.annotator.id
                && judgment.unit.is_some_and(|unit| unit.id == work.unit.id)
        };
        // Only for the protocol that scores coverage: it is the one that links bullets.
        let links =
            judgment.answers.iter().any(|(question, _)| matches!(question.kind, QuestionKind::Bullet { .. }));
        if let Some(work) = detail.working.iter().find(is_its_working).filter(|_| links) {
            write_citations(work, page);
        }
        let marks = [
            (judgment.flagged, "flagged"),
            (judgment.skipped, "skipped"),
            (!judgment.counts, "does not count"),
        ];
        for (_, mark) in marks.iter().filter(|(is_so, _)| *is_so) {
            page.markup("<small>").text(mark).markup("</small>");
        }
        if let Some(comment) = judgment.comment {
            page.element("span", &[("class", "comment")], &self.privacy.in_words(comment));
        }
    }

    fn write_decision(&self, protocol: &Protocol, decision: &Decision, page: &mut Html) {
        let verdict = &decision.verdict;
        let answers = protocol.questions.iter().filter_map(|question| {
            let words = answer_words(verdict.answers.get(&question.key)?);
            let words: Vec<&str> = words.iter().map(|word| question.label_of(word)).collect();
            Some(self.privacy.in_words(&words.join(", ")))
        });
        page.text(&answers.collect::<Vec<_>>().join(" · "));
        let told = [
            verdict.took.as_ref().map(|took| format!("as {} said", self.privacy.name(took))),
            verdict.reason.map(|reason| reason.name().to_owned()),
        ];
        let told: Vec<String> = told.into_iter().flatten().collect();
        if !told.is_empty() {
            page.element("small", &[], &told.join(" · "));
        }
        if !verdict.note.is_empty() {
            page.element("span", &[("class", "comment")], &self.privacy.in_words(&verdict.note));
        }
    }

    /// The passages that came with a unit, folded.
    fn write_evidence(&self, unit: Option<&Unit>, page: &mut Html) {
        let Some(unit) = unit.filter(|unit| !unit.evidence.is_empty()) else { return };
        page.markup("<details><summary>");
        page.text(&number_of(unit.evidence.len(), "passage")).markup("</summary>");
        for evidence in &unit.evidence {
            let number = self.numbers.get(&(unit.collection.clone(), evidence.document.clone()));
            page.open("blockquote", &[]).text(&evidence.quote);
            page.text(&number.map_or_else(String::new, |number| format!(" [{number}]")))
                .markup("</blockquote>");
        }
        page.markup("</details>");
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

fn write_choice(class: &str, words: &str, any: &str, filter: &CaseFilter, page: &mut Html) {
    page.markup("<label>").text(words).text(" ").open("select", &[("class", class)]);
    page.element("option", &[("class", "any")], any);
    let option = |at: usize, value: &str, page: &mut Html| {
        page.element("option", &[("class", &format!("v{at}"))], value);
    };
    let values: Vec<(usize, &(String, String))> = filter.values.iter().enumerate().collect();
    for group in values.chunk_by(|(_, one), (_, other)| one.0 == other.0) {
        let name = group.first().map_or("", |(_, (name, _))| name.as_str());
        if !name.is_empty() {
            page.open("optgroup", &[("label", name)]);
        }
        group.iter().for_each(|(at, (_, value))| option(*at, value, page));
        if !name.is_empty() {
            page.close("optgroup");
        }
    }
    page.markup("</select></label>\n");
}

/// A summary, bullet by bullet where it has several, so that the numbers that people link to are seen.
fn write_summary(candidate: &Candidate, bullets: &[BulletDetail], page: &mut Html) {
    page.markup("<h3>Summary</h3>\n");
    if bullets.len() < 2 {
        page.element("p", &[("class", "text")], &candidate.text).markup("\n");
        return;
    }
    page.markup("<ol class=\"text\">\n");
    for bullet in bullets {
        let text = candidate.text.get(bullet.span.range()).unwrap_or_default();
        let text = text.trim_start_matches(['-', '*', '•', ' ']);
        page.element("li", &[("value", &bullet.number.to_string())], text).markup("\n");
    }
    page.markup("</ol>\n");
}

/// The documents that matter, and whether they are cited rightly.
fn write_documents(detail: &Detail<'_>, page: &mut Html) {
    if detail.candidate.is_none() || detail.documents.is_empty() {
        return;
    }
    page.markup("<h3>Documents</h3>\n<ul class=\"documents\">\n");
    for document in &detail.documents {
        let class = match document.role {
            DocumentRole::Right => "right",
            DocumentRole::Wrong => "wrong",
            _ => "missed",
        };
        page.markup("<li>").open("span", &[("class", class)]);
        page.text(document.role.glyph()).text(" ").text(document.role.word()).markup("</span>");
        let title = document.document.title.as_deref().unwrap_or(&document.document.id);
        page.text(&format!(" [{}] {title}", detail.citing(document.document))).markup("</li>\n");
    }
    page.markup("</ul>\n");
}

/// What an item is about, with the evidence of its unit.
fn write_target(item: &JudgmentDetail<'_>, page: &mut Html) {
    if let Some(unit) = item.unit {
        page.text(&unit.text);
    }
    if let Some(document) = item.document {
        let title = document.title.as_deref().unwrap_or(&document.id);
        page.markup(" <small>").text(&format!("in [{}] {title}", document.number)).markup("</small>");
    }
    if let Some([one, other]) = item.pair {
        page.text(&format!("{} or {}", one.system(), other.system()));
    }
    if let Some(bullet) = item.bullet {
        page.text(&format!("bullet {bullet}"));
    }
    if item.unit.is_none() && item.document.is_none() && item.bullet.is_none() && item.pair.is_none() {
        page.text("the whole");
    }
}

/// The documents that one annotator's link makes right, wrong and missed.
fn write_citations(work: &Working<'_>, page: &mut Html) {
    let kinds = [
        (DocumentRole::Right, "right", &work.right),
        (DocumentRole::Wrong, "wrong", &work.wrong),
        (DocumentRole::Missed, "missed", &work.missed),
    ];
    for (role, class, numbers) in kinds.into_iter().filter(|(_, _, numbers)| !numbers.is_empty()) {
        page.markup("<small>").open("span", &[("class", class)]);
        page.text(&format!("{} {} {}", role.glyph(), role.word(), work.citing(numbers, ", ")));
        page.markup("</span></small>");
    }
}
