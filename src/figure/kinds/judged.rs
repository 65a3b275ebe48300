//! Judges beside people.

use super::systems::{headlines, people, rankings};
use super::{PERCENT, about, all_of, numbered_dots, of_largest, with_intervals};
use crate::error::Result;
use crate::figure::{Figure, Sources};
use crate::report::{CorrelationRow, MeasureRankings, Table, TableFinding, ViewRanking, Whose};
use crate::score::{JudgeBias, SystemRanked};
use paper::forms::{Axis, DotRow, Dots, LineField, LinePlot, Panel, PlotLine, PlotPoint, Series};
use paper::scale::number;
use paper::scene::ColourRole;

/// Each system's score under people and under each judge.
pub fn judges(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let figure = |(table, found)| judges_of(sources, table, found);
    Ok(headlines(rankings(sources)?).into_iter().filter_map(figure).collect())
}

fn judges_of(sources: &Sources<'_>, standings: &Table, found: &MeasureRankings) -> Option<Figure> {
    let people = people(found)?;
    let is_judge = |view: &&ViewRanking| view.whose == Whose::Judge && !view.ranking.systems.is_empty();
    let told = |view: &ViewRanking| sources.name("judged_by", &view.name);
    let mut apart: Vec<(f64, String)> = Vec::new();
    let mut panel = |judge: &ViewRanking| {
        let rows = people.ranking.systems.iter().map(|system| {
            let name = sources.names(&found.by, &system.group);
            let by_judge = judge.ranking.system(&system.group).map(|system| system.score);
            let points: [PlotPoint; 2] = [system.score.into(), by_judge.into()];
            if let [Some(one), Some(other)] = points.map(|point| point.value) {
                let direction = if other < one { "below" } else { "above" };
                let far = (other - one).abs();
                apart.push((far, format!("{} for {name}: {} {direction}", told(judge), number(far, 1))));
            }
            DotRow { name, points: points.to_vec(), texts: Vec::new() }
        });
        Panel { title: told(judge), rows: rows.collect() }
    };
    let panels: Vec<Panel> = found.views.iter().filter(is_judge).map(&mut panel).collect();
    if panels.is_empty() {
        return None;
    }
    let measure = &found.measure;
    let axis = with_intervals(&sources.titled_measure(measure), &panels);
    let dots = Dots {
        axis: Axis::of(axis, PERCENT.filter(|_| measure.is_percent), None),
        series: vec![
            Series::new(&told(people), ColourRole::A, false),
            Series::new("the judge", ColourRole::B, true),
        ],
        columns: Vec::new(),
        panels,
    };
    let is_drawn =
        |(view, _): (&ViewRanking, &SystemRanked)| std::ptr::eq(view, people) || view.whose == Whose::Judge;
    let mut table = standings.only(found.rows().map(is_drawn));
    let protocol = standings.said("protocol");
    let by = found.by.join(" and ").replace('_', " ");
    let heading = sources.heading(measure);
    let title = format!("{protocol}: {heading} by {by}, under people and judges");
    table.title.clone_from(&title);
    let says = of_largest(apart, "No judge's score differs from people's.", |_, whom| match whom {
        [whom] => format!("The farthest from people is {whom}."),
        several => format!("The farthest from people are {}.", all_of(several)),
    });
    let own_items = "Each on what they judged, which need not be the same items.".to_owned();
    Some(Figure::new("judges", &[protocol], title, table, dots).says(says.into_iter().chain([own_items])))
}

/// Each summary by a machine's number and by people's score.
pub fn against(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let Some(tables) = sources.against() else { return Ok(Vec::new()) };
    let tables = tables?;
    let figure = |table: &Table| {
        let TableFinding::MachinePairs(pairs) = &table.finding else { return None };
        let coefficients = tables.iter().find_map(|other| match &other.finding {
            TableFinding::Correlations(rows) => (about(other) == about(table)).then_some(rows),
            _ => None,
        })?;
        against_of(table, pairs, coefficients)
    };
    Ok(tables.iter().filter_map(figure).collect())
}

fn against_of(table: &Table, numbers: &[(f64, f64)], coefficients: &[CorrelationRow]) -> Option<Figure> {
    let [field, score] = ["against", "measure"].map(|name| table.said(name));
    let point =
        |(machine, people): &(f64, f64)| (*machine, PlotPoint { value: Some(*people), interval: None });
    let told = |(level, what): (&str, &str)| {
        let row = coefficients.iter().find(|row| row.score == score && row.level == level)?;
        let [pearson, _, kendall] = row.coefficients.as_slice() else { return None };
        kendall.value.ok()?;
        let [r, tau] = [*pearson, *kendall].map(|estimate| PlotPoint::from(estimate).told(3));
        Some(format!("Over {what} r is {r}, τ-b {tau}."))
    };
    let says: Vec<String> =
        [("summary", "summaries"), ("system", "systems")].into_iter().filter_map(told).collect();
    if numbers.len() < 2 {
        return None;
    }
    let points = numbers.iter().map(point).collect();
    let plot = LinePlot {
        across: Axis::of(field, None, None),
        up: Axis::of(format!("{score} by people; a dot is a summary"), None, None),
        fields: vec![LineField {
            lines: vec![PlotLine { name: String::new(), role: ColourRole::A, points }],
            ..LineField::default()
        }],
        is_scatter: true,
    };
    let title = format!("{score} by people against {field} of each summary");
    Some(Figure::of("against", &[score], &title, table, plot).says(says))
}

/// The bias of judges: how much better or worse each judge finds each summarizer than people do.
pub fn bias(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let figure = |table: &Table| {
        let TableFinding::Bias(summarizers, judges) = &table.finding else { return None };
        let mut biases: Vec<(f64, String)> = Vec::new();
        let mut panel = |(judge, bias): &(String, JudgeBias)| {
            let own = summarizers.iter().map(|name| {
                let own = bias.summarizers.iter().find(|(other, ..)| other == name);
                (sources.name("summarizer", name), own.map(|(.., bias)| *bias))
            });
            let rows = own.chain([("average".to_owned(), Some(bias.average))]).map(|(name, bias)| {
                let point = PlotPoint::from(bias);
                if let Some(value) = point.value {
                    biases.push((value.abs(), format!("{judge} for {name}, {}", point.told(3))));
                }
                DotRow::of(name, point, 2)
            });
            Panel { title: judge.clone(), rows: rows.collect() }
        };
        let panels = judges.iter().map(&mut panel).collect();
        let axis = "score under the judge less that under people, on a scale from 0 to 1";
        let dots = numbered_dots(axis, (Some((-1.0, 1.0)), Some(0.0)), panels);
        let says = of_largest(biases, "No judge is biased.", |_, told| {
            format!("The largest bias is that of {}.", all_of(told))
        });
        Some(Figure::of("bias", &about(table)[1..], "bias of judges by summarizer", table, dots).says(says))
    };
    Ok(sources.judges()?.iter().filter_map(figure).collect())
}
