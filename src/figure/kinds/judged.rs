//! Judges beside people.

use super::systems::{heading, headlines, name_of, ranked_by, standings};
use super::{titled, with_intervals};
use crate::error::Result;
use crate::figure::forms::{Axis, DotRow, Dots, LineField, LinePlot, Panel, PlotLine, PlotPoint, Series};
use crate::figure::read::{TableRow, column, fact, filtered, has_intervals, rows};
use crate::figure::scale::number;
use crate::figure::scene::ColourRole;
use crate::figure::{Figure, Sources};
use crate::report::table::Table;

/// Each system's score under people and under each judge.
pub fn judges(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    Ok(headlines(standings(sources)?).into_iter().filter_map(judges_of).collect())
}

fn judges_of(standings: &Table) -> Option<Figure> {
    let of = |whose: &'static str| rows(standings).find(move |row| row.text("whose") == whose);
    let people = ["people", "human", "gold"].into_iter().find_map(of)?.text("judged_by");
    let own = |name: &str| -> Vec<TableRow<'_>> {
        rows(standings).filter(|row| row.text("judged_by") == name).collect()
    };
    let mut judges: Vec<&str> = Vec::new();
    for row in rows(standings).filter(|row| row.text("whose") == "model") {
        if !judges.contains(&row.text("judged_by")) {
            judges.push(row.text("judged_by"));
        }
    }
    let systems: Vec<(String, PlotPoint)> =
        own(people).into_iter().map(|row| (name_of(standings, row), row.point("score"))).collect();
    let mut farthest: Option<(f64, String)> = None;
    let mut panel = |judge: &&str| {
        let own = own(judge);
        let row = |(name, by_people): &(String, PlotPoint)| {
            let by_judge = own.iter().find(|row| name_of(standings, **row) == *name);
            let by_judge = by_judge.map(|row| row.point("score")).unwrap_or_default();
            if let (Some(one), Some(other)) = (by_people.value, by_judge.value)
                && farthest.as_ref().is_none_or(|(most, _)| (other - one).abs() > most.abs())
            {
                farthest = Some((other - one, format!("{judge} for {name}")));
            }
            DotRow { name: name.clone(), points: vec![*by_people, by_judge], texts: Vec::new() }
        };
        Panel { title: (*judge).to_owned(), rows: systems.iter().map(row).collect() }
    };
    let panels: Vec<Panel> = judges.iter().map(&mut panel).collect();
    if panels.is_empty() {
        return None;
    }
    let what = titled(standings, "score");
    let dots = Dots {
        axis: Axis::of(
            with_intervals(&what, has_intervals(standings, "score")),
            what.ends_with('%').then_some((0.0, 100.0)),
            None,
        ),
        series: vec![
            Series::new(people, ColourRole::A, false),
            Series::new("the judge", ColourRole::B, true),
        ],
        columns: Vec::new(),
        panels,
    };
    let mut table =
        filtered(standings, |row| row.text("judged_by") == people || row.text("whose") == "model");
    let protocol = fact(standings, "protocol");
    let by = ranked_by(standings).join(" and ").replace('_', " ");
    let title = format!("{protocol}: {} by {by}, under people and judges", heading(standings));
    table.title.clone_from(&title);
    let says = farthest.map(|(difference, whom)| {
        let direction = if difference < 0.0 { "below" } else { "above" };
        format!("The farthest from people is {whom}: {} {direction}.", number(difference.abs(), 1))
    });
    let own_items = "Each on what they judged, which need not be the same items.".to_owned();
    Some(Figure::new("judges", &[protocol], title, table, dots).says(says.into_iter().chain([own_items])))
}

/// Each summary by a machine's number and by people's score.
pub fn against(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let Some(tables) = sources.against() else { return Ok(Vec::new()) };
    let tables = tables?;
    let pairs = tables.iter().filter(|table| table.key.ends_with("against_pairs"));
    Ok(pairs.filter_map(|pairs| against_of(pairs, tables)).collect())
}

fn against_of(pairs: &Table, tables: &[Table]) -> Option<Figure> {
    let points: Vec<(f64, PlotPoint)> =
        rows(pairs).filter_map(|row| Some((row.number("machine")?, row.point("people")))).collect();
    let [protocol, field, measure] = ["protocol", "against", "measure"].map(|name| fact(pairs, name));
    let is_own = |table: &&Table| table.key.ends_with("against") && fact(table, "protocol") == protocol;
    let coefficients = tables.iter().find(is_own)?;
    let own = |level: &'static str| {
        rows(coefficients).find(move |row| row.text("score") == measure && row.text("level") == level)
    };
    let told = |(level, what): (&'static str, &str)| {
        let row = own(level).filter(|row| row.number("kendall").is_some())?;
        Some(format!("Over {what} r is {}, τ-b {}.", row.told("pearson"), row.told("kendall")))
    };
    let says: Vec<String> =
        [("summary", "summaries"), ("system", "systems")].into_iter().filter_map(told).collect();
    if points.len() < 2 {
        return None;
    }
    let plot = LinePlot {
        across: Axis::of(field.to_owned(), None, None),
        up: Axis::of(format!("{measure} by people; a dot is a summary"), None, None),
        fields: vec![LineField {
            lines: vec![PlotLine { name: String::new(), role: ColourRole::A, points }],
            ..LineField::default()
        }],
        is_scatter: true,
    };
    let title = format!("{protocol}: {measure} against {field}");
    Some(Figure::new("against", &[protocol, measure], title, pairs.clone(), plot).says(says))
}

/// The bias of judges: how much better or worse each judge finds each summarizer than people do.
pub fn bias(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    Ok(sources.judges()?.iter().filter(|table| table.key == "bias").filter_map(bias_of).collect())
}

fn bias_of(table: &Table) -> Option<Figure> {
    let is_judge = |name: &&str| column(table, &format!("{name}_summaries")).is_some();
    let judges: Vec<&str> =
        table.columns.iter().map(|column| column.name.as_str()).filter(is_judge).collect();
    // The total is the row over all summarizers; the figure shows it too.
    let mut whole = table.clone();
    whole.rows.push(std::mem::take(&mut whole.total));
    whole.rows.retain(|row| !row.is_empty());
    let mut largest: Option<(f64, String)> = None;
    let mut panel = |judge: &&str| {
        let row = |row: TableRow<'_>| {
            let name = row.name("summarizer");
            let point = row.point(judge);
            if let Some(value) = point.value
                && largest.as_ref().is_none_or(|(most, _)| value.abs() > most.abs())
            {
                largest = Some((value, format!("{judge} for {name}, {}", row.told(judge))));
            }
            let text = point.value.map_or_else(|| "–".to_owned(), |value| number(value, 2));
            DotRow { name: name.to_owned(), points: vec![point], texts: vec![text] }
        };
        Panel { title: (*judge).to_owned(), rows: rows(&whole).map(row).collect() }
    };
    let panels: Vec<Panel> = judges.iter().map(&mut panel).collect();
    let any = judges.iter().any(|judge| has_intervals(&whole, judge));
    let dots = Dots {
        axis: Axis::of(
            with_intervals("score under the judge less that under people, on a scale from 0 to 1", any),
            Some((-1.0, 1.0)),
            Some(0.0),
        ),
        series: Series::unnamed(),
        columns: vec![String::new()],
        panels,
    };
    let (protocol, question) = (fact(table, "protocol"), fact(table, "question"));
    let title = format!("{protocol}: bias of judges by summarizer");
    let says = largest.map(|(_, told)| format!("The largest bias is that of {told}."));
    let about = [protocol, if question == protocol { "" } else { question }];
    Some(Figure::new("bias", &about, title, table.clone(), dots).says(says))
}
