//! The page in short: a sentence a part, each number a cell of one of its tables.

use super::parts::{ReportPart, ReportSection};
use crate::cli::table::said;
use crate::report::table::{Cell, Table};
use crate::score::plural;

/// A sentence for each part that has something to say.
pub fn sentences(sections: &[ReportSection]) -> Vec<String> {
    let table = |part: ReportPart, key: &str| {
        let section = sections.iter().find(|section| section.part == part)?;
        section.tables.iter().find(|table| table.key == key)
    };
    let all = [
        table(ReportPart::Study, "texts")
            .zip(table(ReportPart::Study, "annotators"))
            .map(|(texts, who)| judged(texts, who)),
        table(ReportPart::Agreement, "agreement").and_then(agreement),
        sections.iter().find(|section| section.part == ReportPart::Scores).and_then(scores),
        table(ReportPart::Judges, "judges").and_then(judges),
        table(ReportPart::Sessions, "human_baseline").and_then(sessions),
        table(ReportPart::Disagreements, "outcomes").map(settled),
    ];
    all.into_iter().flatten().collect()
}

/// A sentence on the parts that are left out, because there is nothing for them.
pub fn left_out(empty: &[ReportSection]) -> Option<String> {
    let titles: Vec<String> = empty.iter().map(|section| section.part.title().to_owned()).collect();
    (!titles.is_empty()).then(|| format!("Left out, because there is nothing to show: {}.", listed(&titles)))
}

/// The place of a column.
fn column(table: &Table, name: &str) -> Option<usize> {
    table.columns.iter().position(|column| column.name == name)
}

/// A cell as it is shown in its table: `84.4 % (28–99)`.
fn shown(table: &Table, row: &[Cell], name: &str) -> Option<String> {
    let at = column(table, name)?;
    said(table.columns.get(at)?, row.get(at)?)
}

fn count(table: &Table, row: &[Cell], name: &str) -> usize {
    match column(table, name).and_then(|at| row.get(at)) {
        Some(Cell::Count(count)) => *count,
        _ => 0,
    }
}

/// `2 people`, `1 person`; `None` for none.
fn counted(number: usize, one: &str, several: &str) -> Option<String> {
    (number > 0).then(|| format!("{number} {}", if number == 1 { one } else { several }))
}

/// `a`, `a and b`, `a, b and c`.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

fn judged(texts: &Table, who: &Table) -> String {
    let of = |what: &str| {
        let is_it = |row: &&Vec<Cell>| row.first() == Some(&Cell::Text(what.to_owned()));
        texts.rows.iter().find(is_it).map_or(0, |row| count(texts, row, "count"))
    };
    let there = [
        counted(of("summaries and responses"), "summary or response", "summaries and responses"),
        counted(of("systems that wrote them"), "system", "systems"),
        counted(of("queries"), "query", "queries"),
        counted(of("documents"), "document", "documents"),
    ];
    let there: Vec<String> = there.into_iter().flatten().collect();
    let kind = |kind: &str| {
        let rows = who.rows.iter().filter(|row| row.contains(&Cell::Text(kind.to_owned())));
        let counts = rows.map(|row| count(who, row, "judgments"));
        counts.fold((0, 0), |(annotators, judgments), count| (annotators + 1, judgments + count))
    };
    let part = |(annotators, judgments): (usize, usize), one, several| {
        counted(annotators, one, several).map(|who| format!("{who} gave {judgments} judgments"))
    };
    let parts = [part(kind("person"), "person", "people"), part(kind("judge (model)"), "judge", "judges")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let judged = if parts.is_empty() { "nobody has judged".to_owned() } else { listed(&parts) };
    let came: usize = who.rows.iter().map(|row| count(who, row, "from_files")).sum();
    let came = match came {
        0 => String::new(),
        came => format!(" {came} of these came in from files, and how they were made is not known here."),
    };
    if there.is_empty() {
        format!("There is nothing to judge; {judged}.{came}")
    } else {
        format!("There are {}; {judged}.{came}", listed(&there))
    }
}

fn agreement(table: &Table) -> Option<String> {
    let most = |row: &&Vec<Cell>| count(table, row, "items");
    // The first row among those with most items.
    let row = table.rows.iter().rev().max_by_key(most)?;
    let question = shown(table, row, "question")?;
    let items = count(table, row, "items");
    let mut numbers = Vec::new();
    for (name, words) in
        [("agreement", "share of equal answers"), ("alpha", "Krippendorff's α"), ("kappa", "κ")]
    {
        numbers.extend(shown(table, row, name).map(|number| format!("{words} {number}")));
    }
    if numbers.is_empty() {
        return None;
    }
    let others = match table.rows.len() - 1 {
        0 => String::new(),
        others => format!(" (the most of {} questions)", others + 1),
    };
    Some(format!(
        "Agreement on {question}, over {items} items judged twice or more{others}: {}.",
        listed(&numbers)
    ))
}

/// A sentence on the highest and the lowest row, by the main measure of the table.
fn scores(section: &ReportSection) -> Option<String> {
    let table = section.tables.iter().find(|table| table.rows.len() > 1 && measure(table).is_some())?;
    let at = measure(table)?;
    let heading = table.columns.get(at)?;
    let value = |row: &&Vec<Cell>| match row.get(at) {
        Some(Cell::Number(value) | Cell::Estimate(value, _)) => Some(*value),
        _ => None,
    };
    let mut rows: Vec<&Vec<Cell>> = table.rows.iter().filter(|row| value(row).is_some()).collect();
    rows.sort_by(|one, other| value(other).partial_cmp(&value(one)).unwrap_or(std::cmp::Ordering::Equal));
    let name = |row: &[Cell]| {
        let names = table.columns.iter().zip(row).take_while(|(column, _)| !column.right);
        let names = names
            .filter_map(|(_, cell)| if let Cell::Text(text) = cell { Some(text.as_str()) } else { None });
        names.collect::<Vec<_>>().join(" ")
    };
    let (first, last) = (rows.first()?, rows.last()?);
    (rows.len() > 1).then_some(())?;
    let by = table.facts.get("by").and_then(serde_json::Value::as_array);
    let by: Vec<&str> = by.into_iter().flatten().filter_map(|name| name.as_str()).collect();
    let what = if by.is_empty() { "rows".to_owned() } else { plural(&by) };
    if value(first) == value(last) {
        let alike = said(heading, first.get(at)?)?;
        return Some(format!("All {} {what} are alike in “{}”: {alike}.", rows.len(), heading.heading));
    }
    Some(format!(
        "Of {} {what} {} is highest in “{}”, {}, and {} lowest, {}.",
        rows.len(),
        name(first),
        heading.heading,
        said(heading, first.get(at)?)?,
        name(last),
        said(heading, last.get(at)?)?,
    ))
}

/// The column of a table's main measure: the joint score where there is one, else the first share.
fn measure(table: &Table) -> Option<usize> {
    let has_numbers = |at: &usize| {
        let numbers = table.rows.iter().filter_map(|row| row.get(*at));
        numbers.filter(|cell| matches!(cell, Cell::Number(_) | Cell::Estimate(..))).count() > 1
    };
    let joint = column(table, "joint").filter(has_numbers);
    let is_share = |at: &usize| {
        table.columns.get(*at).is_some_and(|column| column.unit.is_some() && !column.detail)
            && has_numbers(at)
    };
    joint.or_else(|| (0..table.columns.len()).find(is_share))
}

fn judges(table: &Table) -> Option<String> {
    let at = column(table, "cohen_kappa")?;
    let value = |row: &Vec<Cell>| match row.get(at) {
        Some(Cell::Number(value) | Cell::Estimate(value, _)) => Some(*value),
        _ => None,
    };
    let rows: Vec<&Vec<Cell>> = table.rows.iter().skip(1).filter(|row| value(row).is_some()).collect();
    let nearest = rows
        .iter()
        .max_by(|one, other| value(one).partial_cmp(&value(other)).unwrap_or(std::cmp::Ordering::Equal))?;
    let (name, kappa) = (shown(table, nearest, "annotator")?, shown(table, nearest, "cohen_kappa")?);
    let people = table.rows.first().and_then(|row| shown(table, row, "cohen_kappa"));
    let people = people.map_or_else(String::new, |kappa| format!("; among people it is {kappa}"));
    let among = match rows.len() {
        1 => "the one judge".to_owned(),
        judges => format!("the nearest to the people of {judges} judges"),
    };
    Some(format!("{name} is {among}: Cohen's κ {kappa}{people}."))
}

fn sessions(table: &Table) -> Option<String> {
    let of = |what: &str| {
        let is_it = |row: &&Vec<Cell>| row.first() == Some(&Cell::Text(what.to_owned()));
        table.rows.iter().find(is_it)
    };
    let numbers: Vec<String> = ["coverage", "citation F1", "joint"]
        .into_iter()
        .filter_map(|what| Some(format!("{what} {}", shown(table, of(what)?, "value")?)))
        .collect();
    let sessions = count(table, table.rows.first()?, "sessions");
    let written = counted(sessions, "summary that was", "summaries that people")?;
    let written = if sessions == 1 { format!("{written} written") } else { format!("{written} wrote") };
    (!numbers.is_empty()).then(|| format!("Over {written} against the clock: {}.", listed(&numbers)))
}

fn settled(table: &Table) -> String {
    let sum = |name: &str| table.rows.iter().map(|row| count(table, row, name)).sum::<usize>();
    let words = [
        ("unanimous", "unanimous"),
        ("majority", "settled by majority"),
        ("single", "judged by one"),
        ("adjudicated", "adjudicated"),
        ("unresolved", "not settled"),
    ];
    let parts: Vec<String> = words
        .into_iter()
        .filter_map(|(name, words)| {
            Some(sum(name)).filter(|count| *count > 0).map(|count| {
                let are = if count == 1 { "is" } else { "are" };
                format!("{count} {are} {words}")
            })
        })
        .collect();
    match parts.as_slice() {
        [_] if sum("unresolved") > 0 => {
            format!(
                "None of {} items is settled: each is disputed, or judged by too few for the rule.",
                sum("items")
            )
        }
        parts => format!("Of {} items judged by people, {}.", sum("items"), listed(parts)),
    }
}
