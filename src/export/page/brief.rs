//! The page in short: a sentence a part, made of the values that its tables print.

use super::parts::{ReportPart, ReportSection};
use crate::agreement::Estimate;
use crate::export::table::said;
use crate::journal::Outcome;
use crate::report::{
    DisplayNames, Heading, IntoCell, MeasureRow, QuestionAgreement, ScoresByGroup, Settled, Table,
    TableFinding,
};
use crate::score::{GroupLabels, SnapshotMeasure, plural};
use crate::study::AnnotatorKind;
use crate::text::words::listed;

/// A sentence for each part that has something to say.
pub fn sentences(sections: &[ReportSection], display: &DisplayNames) -> Vec<String> {
    let of_finding = |table: &Table| match &table.finding {
        TableFinding::Agreement(questions) => agreement(questions),
        TableFinding::Judges(kappas) => judges(kappas, &question_of(table)),
        TableFinding::Baseline(measures) => sessions(measures),
        TableFinding::Settled(protocols) => Some(settled(protocols)),
        _ => None,
    };
    let sentence = |section: &ReportSection| match section.part {
        ReportPart::Study => judged(&section.tables),
        ReportPart::Scores => section
            .tables
            .iter()
            .find_map(|table| scores(table.scores()?, scored_by(section, table), display)),
        ReportPart::Agreement | ReportPart::Judges | ReportPart::Sessions | ReportPart::Disagreements => {
            section.tables.iter().find_map(of_finding)
        }
        _ => None,
    };
    sections.iter().filter_map(sentence).collect()
}

/// The question that a table is about, with its protocol where that has another name.
fn question_of(table: &Table) -> String {
    match (table.said("protocol"), table.said("question")) {
        (protocol, question) if protocol == question => protocol.to_owned(),
        (protocol, question) => format!("{protocol} · {question}"),
    }
}

/// The protocol of a table, where others have scores too.
fn scored_by<'t>(section: &ReportSection, table: &'t Table) -> Option<&'t str> {
    let protocol = table.said("protocol");
    let has_other = |other: &Table| other.scores().is_some() && other.said("protocol") != protocol;
    section.tables.iter().any(has_other).then_some(protocol)
}

/// A sentence on the parts that are left out, because there is nothing for them.
pub fn left_out(empty: &[ReportSection]) -> Option<String> {
    let titles: Vec<String> = empty.iter().map(|section| section.part.title().to_owned()).collect();
    (!titles.is_empty()).then(|| format!("Left out, because there is nothing to show: {}.", listed(&titles)))
}

/// A number with its interval as its table shows it: `0.84 (28–99)`; `None` without a number.
fn told(estimate: Option<Estimate>, decimals: usize) -> Option<String> {
    said(&Heading { decimals, ..Heading::text("", "") }, &estimate.cell())
}

/// `2 people`, `1 person`; `None` for none.
fn counted(number: usize, one: &str, several: &str) -> Option<String> {
    (number > 0).then(|| format!("{number} {}", if number == 1 { one } else { several }))
}

fn judged(tables: &[Table]) -> Option<String> {
    let there = tables.iter().find_map(|table| match table.finding {
        TableFinding::Corpus { candidates, systems, queries, documents } => Some([
            counted(candidates, "summary or response", "summaries and responses"),
            counted(systems, "system", "systems"),
            counted(queries, "query", "queries"),
            counted(documents, "document", "documents"),
        ]),
        _ => None,
    })?;
    let who = tables.iter().find_map(|table| match &table.finding {
        TableFinding::Annotators(who) => Some(who),
        _ => None,
    })?;
    let there: Vec<String> = there.into_iter().flatten().collect();
    let part = |kind: AnnotatorKind, one, several| {
        let own = || who.iter().filter(|part| part.annotator.kind == kind);
        let judgments: usize = own().map(|part| part.judgments).sum();
        counted(own().count(), one, several).map(|who| format!("{who} gave {judgments} judgments"))
    };
    let parts =
        [part(AnnotatorKind::Human, "person", "people"), part(AnnotatorKind::Model, "judge", "judges")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let judged = if parts.is_empty() { "nobody has judged".to_owned() } else { listed(&parts) };
    let came = match who.iter().map(|part| part.from_files).sum::<usize>() {
        0 => String::new(),
        came => format!(" {came} of these came in from files, and how they were made is not known here."),
    };
    Some(match there.is_empty() {
        true => format!("There is nothing to judge; {judged}.{came}"),
        false => format!("There are {}; {judged}.{came}", listed(&there)),
    })
}

fn agreement(questions: &[QuestionAgreement]) -> Option<String> {
    // The first question among those with most items.
    let most = questions.iter().rev().max_by_key(|question| question.items)?;
    let numbers =
        [("share of equal answers", most.equal), ("Krippendorff's α", most.alpha), ("κ", most.kappa)];
    let numbers = numbers
        .into_iter()
        .filter_map(|(words, estimate)| told(estimate, 3).map(|number| format!("{words} {number}")));
    let numbers: Vec<String> = numbers.collect();
    if numbers.is_empty() {
        return None;
    }
    let others = match questions.len() {
        1 => String::new(),
        several => format!(" (the most of {several} questions)"),
    };
    Some(format!(
        "Agreement on {}, over {} items judged twice or more{others}: {}.",
        most.name,
        most.items,
        listed(&numbers)
    ))
}

/// A sentence on the first and the last group, by the score that leads.
fn scores(found: &ScoresByGroup, protocol: Option<&str>, display: &DisplayNames) -> Option<String> {
    let is_told = |head: &Heading| (head.better.is_some() || head.unit.is_some()) && !head.detail;
    let score = found.scores.iter().find(|score| is_told(&score.head) && score.numbers() > 1)?;
    let estimates = found.groups.iter().zip(&score.values);
    let mut rows: Vec<(f64, &GroupLabels, Estimate)> =
        estimates.filter_map(|(group, found)| Some(((*found)?.value.ok()?, group, (*found)?))).collect();
    let better = score.head.better.unwrap_or_default();
    rows.sort_by(|one, other| better.worth(other.0).total_cmp(&better.worth(one.0)));
    let name = |group: &GroupLabels| {
        let labels = found.by.iter().zip(group);
        let names = labels.filter_map(|(by, label)| Some(display.name(by, label.as_deref()?)));
        names.collect::<Vec<&str>>().join(" ")
    };
    let number = |estimate: Estimate| said(&score.head, &estimate.cell());
    let ((first, _, of_first), (last, _, of_last)) = (rows.first()?, rows.last()?);
    // All that have the number; of several, it stands without the interval of one.
    let end = |score: f64, estimate: Estimate| {
        let equal = rows.iter().filter(|row| row.0 == score);
        let names: Vec<String> = equal.map(|(_, group, _)| name(group)).collect();
        let interval = estimate.interval.filter(|_| names.len() == 1);
        Some((listed(&names), number(Estimate { interval, ..estimate })?))
    };
    let of = protocol.map(|protocol| format!(" of {protocol}")).unwrap_or_default();
    let heading = format!("“{}”{of}", display.heading(&score.head.name, &score.head.heading));
    let by: Vec<&str> = found.by.iter().map(String::as_str).collect();
    let what = if by.is_empty() { "rows".to_owned() } else { plural(&by) };
    if first == last {
        return Some(format!("All {} {what} are alike in {heading}: {}.", rows.len(), number(*of_first)?));
    }
    let ((leads, most), (trails, least)) = (end(*first, *of_first)?, end(*last, *of_last)?);
    let (all, [best, worst]) = (rows.len(), better.ends());
    Some(format!("Of {all} {what} {best} in {heading}: {leads}, {most}; {worst}: {trails}, {least}."))
}

fn judges(kappas: &[(String, Option<Estimate>)], question: &str) -> Option<String> {
    let (people, judges) = kappas.split_first()?;
    let known = |(name, kappa): &'_ (String, Option<Estimate>)| {
        Some((name.clone(), *kappa, kappa.as_ref()?.value.ok()?))
    };
    let judges: Vec<_> = judges.iter().filter_map(known).collect();
    let (_, kappa, most) = judges.iter().max_by(|one, other| one.2.total_cmp(&other.2))?;
    let nearest = judges.iter().filter(|(.., kappa)| kappa == most).map(|(name, ..)| name.clone());
    let nearest: Vec<String> = nearest.collect();
    // Each of several has an interval of its own.
    let shown =
        kappa.map(|kappa| Estimate { interval: kappa.interval.filter(|_| nearest.len() == 1), ..kappa });
    let (kappa, are) = (told(shown, 3)?, if nearest.len() == 1 { "is" } else { "are" });
    let people = told(people.1, 3).map_or_else(String::new, |kappa| format!("; among people it is {kappa}"));
    let among = match judges.len() {
        1 => "the one judge".to_owned(),
        judges => format!("the nearest to the people of {judges} judges"),
    };
    Some(format!("{} {are} {among} on {question}: Cohen's κ {kappa}{people}.", listed(&nearest)))
}

fn sessions(measures: &[MeasureRow]) -> Option<String> {
    let number = |measure: SnapshotMeasure| {
        let row = measures.iter().find(|row| row.measure == Some(measure))?;
        Some(format!("{} {}", row.name, told(Some(row.estimate), 1)?))
    };
    let scores = [SnapshotMeasure::Coverage, SnapshotMeasure::Citation, SnapshotMeasure::Joint];
    let numbers: Vec<String> = scores.into_iter().filter_map(number).collect();
    let sessions = measures.first()?.sessions;
    let written = counted(sessions, "summary that was", "summaries that people")?;
    let written = if sessions == 1 { format!("{written} written") } else { format!("{written} wrote") };
    (!numbers.is_empty()).then(|| format!("Over {written} against the clock: {}.", listed(&numbers)))
}

fn settled(protocols: &[Settled]) -> String {
    let sum = |outcome: usize| protocols.iter().map(|protocol| protocol.outcomes[outcome]).sum::<usize>();
    let words = |outcome| match outcome {
        Outcome::Unanimous => "unanimous",
        Outcome::Majority => "settled by majority",
        Outcome::Single => "judged by one",
        Outcome::Adjudicated => "adjudicated",
        Outcome::Unresolved => "not settled",
    };
    let counts: Vec<(Outcome, usize)> =
        Outcome::ALL.into_iter().enumerate().map(|(at, outcome)| (outcome, sum(at))).collect();
    let items: usize = counts.iter().map(|(_, count)| count).sum();
    let there: Vec<&(Outcome, usize)> = counts.iter().filter(|(_, count)| *count > 0).collect();
    match there.as_slice() {
        [(Outcome::Unresolved, _)] => {
            format!("None of {items} items is settled: each is disputed, or judged by too few for the rule.")
        }
        there => {
            let part = |(outcome, count): &&(Outcome, usize)| {
                format!("{count} {} {}", if *count == 1 { "is" } else { "are" }, words(*outcome))
            };
            let parts: Vec<String> = there.iter().map(part).collect();
            format!("Of {items} items judged by people, {}.", listed(&parts))
        }
    }
}
