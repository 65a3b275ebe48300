//! Figures over an axis: writing by minute, thresholds, pace, power, calibration; and kinds of failure.

use super::{MOST_PEOPLE, titled, with_intervals};
use crate::error::Result;
use crate::figure::forms::{
    Axis, Dots, Grid, LineField, LinePlot, Panel, PlotLine, PlotPoint, Series, Shaded,
};
use crate::figure::read::{TableRow, column, fact, has_intervals, rows};
use crate::figure::scale::number;
use crate::figure::scene::ColourRole;
use crate::figure::{Figure, Sources};
use crate::number::number_of;
use crate::report::table::Table;

/// With more systems than this, only the best and the worst are lines beside the curve of people.
const LEVELS: usize = 6;

/// The scores of what people had written by each minute, with the systems as lines across.
pub fn curve(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let (tables, _) = sources.baseline()?;
    let systems = tables.iter().find(|table| table.key == "scores");
    let figures = ["coverage", "joint", "citation"].into_iter().filter_map(|measure| {
        let table = tables
            .iter()
            .find(|table| column(table, "minute").is_some() && column(table, measure).is_some())?;
        let points: Vec<(f64, PlotPoint)> =
            rows(table).filter_map(|row| Some((row.number("minute")?, row.point(measure)))).collect();
        let last = rows(table).filter(|row| row.number(measure).is_some()).last()?;
        let mut levels: Vec<(String, f64)> = Vec::new();
        for row in systems.into_iter().flat_map(rows).filter(|row| row.text("summarizer") != "human") {
            let names = [row.text("retriever"), row.text("summarizer")];
            let named: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
            levels.extend(row.number(measure).map(|value| (named.join(" "), value)));
        }
        levels.sort_by(|one, other| other.1.total_cmp(&one.1));
        if levels.len() > LEVELS {
            let worst = levels.len() - 1;
            levels.drain(LEVELS / 2..worst);
        }
        let lines = LinePlot {
            is_scatter: false,
            across: Axis::of("active minutes".to_owned(), Some((0.0, f64::INFINITY)), Some(0.0)),
            up: Axis::of(
                format!("{}; people with 95 % intervals, systems as lines", titled(table, measure)),
                Some((0.0, 100.0)),
                None,
            ),
            fields: vec![LineField {
                title: String::new(),
                lines: vec![PlotLine { name: "people".to_owned(), role: ColourRole::A, points }],
                levels,
            }],
        };
        let says =
            format!("After {} active minutes people are at {}.", last.shown("minute"), last.told(measure));
        let title = format!("{measure} of what people wrote, by active minute");
        Some(
            Figure::new("curve", &[fact(table, "protocol"), measure], title, table.clone(), lines)
                .says([says]),
        )
    });
    Ok(figures.collect())
}

/// The key points that a threshold on the machine's score keeps, and the share of these that people reject.
pub fn thresholds(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let tables = sources.scores()?.iter().filter(|table| table.key.ends_with("key_points_kept_by_score"));
    let figure = |table: &Table| {
        let line = |name: &str, role, value: &dyn Fn(TableRow<'_>) -> PlotPoint| PlotLine {
            name: name.to_owned(),
            role,
            points: rows(table).filter_map(|row| Some((row.number("threshold")?, value(row)))).collect(),
        };
        let kept = |row: TableRow<'_>| {
            let share = row.number("kept").zip(row.number("points"));
            let share = share.filter(|(_, points)| *points > 0.0).map(|(kept, points)| kept * 100.0 / points);
            PlotPoint { value: share, interval: None }
        };
        let lines = LinePlot {
            is_scatter: false,
            across: Axis::of("score from".to_owned(), None, None),
            up: Axis::of(
                "key points kept, and of these rejected by people, %".to_owned(),
                Some((0.0, 100.0)),
                Some(0.0),
            ),
            fields: vec![LineField {
                title: String::new(),
                lines: vec![
                    line("kept", ColourRole::A, &kept),
                    line("rejected", ColourRole::B, &|row| row.point("false_discovery")),
                ],
                levels: Vec::new(),
            }],
        };
        let last = rows(table).filter(|row| row.number("false_discovery").is_some()).last();
        let says = last.map(|row| {
            format!(
                "From a score of {} on {} of {} key points are kept, and people reject {}\u{a0}% of them.",
                row.shown("threshold"),
                row.shown("kept"),
                row.shown("points"),
                row.told("false_discovery")
            )
        });
        let protocol = fact(table, "protocol");
        let title = format!("{protocol}: key points kept by a threshold on their score");
        Figure::new("thresholds", &[protocol], title, table.clone(), lines).says(says)
    };
    Ok(tables.filter(|table| table.rows.len() > 1).map(figure).collect())
}

/// Kinds of failure by system: tags, and the kinds of missing key points.
pub fn missed(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let is_about = |table: &&Table| ["tags", "key_point_recall"].contains(&table.key.as_str());
    Ok(sources.scores()?.iter().filter(is_about).filter_map(missed_of).collect())
}

fn missed_of(table: &Table) -> Option<Figure> {
    let reasons: Vec<(&str, &str)> = table
        .columns
        .iter()
        .filter(|column| column.name.starts_with("share_"))
        .map(|column| (column.name.as_str(), column.heading.as_str()))
        .collect();
    let by = table.columns.first().filter(|column| !column.right)?;
    let all = || rows(table).flat_map(|row| reasons.iter().map(move |(name, _)| (row, *name)));
    let most = all().filter_map(|(row, name)| row.number(name)).fold(0.0, f64::max);
    if reasons.is_empty() || table.rows.is_empty() || most == 0.0 {
        return None;
    }
    let field = |(row, name): (TableRow<'_>, &str)| {
        let point = row.point(name);
        let ends = point.interval.map(|(low, high)| format!("{}–{}", number(low, 0), number(high, 0)));
        Shaded {
            text: point.value.map_or_else(|| "·".to_owned(), |value| number(value, 0)),
            note: ends.unwrap_or_default(),
            share: point.value.map(|value| value / most),
            ..Shaded::default()
        }
    };
    let grid = Grid {
        titles: [by.heading.clone(), String::new()],
        rows: rows(table).map(|row| row.name(&by.name).to_owned()).collect(),
        columns: reasons.iter().map(|(_, heading)| (*heading).to_owned()).collect(),
        fields: rows(table).map(|row| reasons.iter().map(|(name, _)| field((row, name))).collect()).collect(),
        outside: None,
        foot: match table.key.as_str() {
            "tags" => "% of what is judged; one may have several".to_owned(),
            _ => "% of the points not said".to_owned(),
        },
        note_foot: "below it its 95 % interval".to_owned(),
    };
    let largest = all().filter(|(_, name)| *name != "share_none");
    let largest = largest.filter_map(|(row, name)| Some((row.number(name)?, row, name)));
    let largest = largest.max_by(|one, other| one.0.total_cmp(&other.0));
    let says = largest.map(|(_, row, name)| {
        let heading = reasons.iter().find(|(other, _)| *other == name).map_or(name, |(_, heading)| *heading);
        format!("Most often “{heading}”, for {}: {} %.", row.name(&by.name), row.told(name))
    });
    let (protocol, question) = (fact(table, "protocol"), fact(table, "question"));
    let about = [protocol, if question == protocol { "" } else { question }];
    let title = format!("{protocol}: what was missed, by {}", by.heading);
    Some(Figure::new("missed", &about, title, table.clone(), grid).says(says))
}

/// How often each annotator gives the known answer, the same answer again, and the answer of most others.
pub fn calibration(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    const MEASURES: [(&str, &str); 4] = [
        ("calibration", "calibration items as known"),
        ("control", "control items as known"),
        ("with_oneself", "the same again"),
        ("with_others", "as most others"),
    ];
    let figure = |table: &Table| {
        let is_there = |name: &&str| rows(table).any(|row| row.number(name).is_some());
        let panel = |(name, title): &(&str, &str)| Panel {
            title: (*title).to_owned(),
            rows: rows(table).map(|row| row.dot("annotator", name)).collect(),
        };
        let panels: Vec<Panel> = MEASURES.iter().filter(|(name, _)| is_there(name)).map(panel).collect();
        if panels.is_empty() || table.rows.len() > MOST_PEOPLE {
            return None;
        }
        let any = MEASURES.iter().any(|(name, _)| has_intervals(table, name));
        let dots = Dots {
            axis: Axis::of(with_intervals("share of the items, %", any), Some((0.0, 100.0)), None),
            series: Series::unnamed(),
            columns: vec![String::new()],
            panels,
        };
        let passed = rows(table).filter(|row| row.text("mark") == "passed").count();
        let marked = rows(table).filter(|row| !row.text("mark").is_empty()).count();
        let says = match marked {
            0 => String::new(),
            _ => format!(
                "The mark of calibration is passed by {passed} of {}.",
                number_of(marked, "annotator")
            ),
        };
        let protocol = fact(table, "protocol");
        let title = format!("{protocol}: quality of each annotator");
        Some(Figure::new("calibration", &[protocol], title, table.clone(), dots).says([says]))
    };
    Ok(sources.status()?.iter().filter(|table| table.key == "quality").filter_map(figure).collect())
}

/// Seconds an item over each annotator's order of work.
pub fn pace(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    Ok(sources.status()?.iter().filter(|table| table.key == "pace").filter_map(pace_of).collect())
}

fn pace_of(table: &Table) -> Option<Figure> {
    let mut names: Vec<&str> = Vec::new();
    for row in rows(table) {
        if !names.contains(&row.name("annotator")) {
            names.push(row.name("annotator"));
        }
    }
    if names.len() > MOST_PEOPLE {
        return None;
    }
    let mut ends: Vec<String> = Vec::new();
    let mut field = |name: &&str| {
        let own: Vec<TableRow<'_>> = rows(table).filter(|row| row.name("annotator") == *name).collect();
        if let [first, .., last] = own.as_slice() {
            let [from, to] = [first, last].map(|row| row.shown("median_seconds"));
            ends.push(format!("{name} from {from} to {to} s"));
        }
        let point = |row: &TableRow<'_>| {
            let middle = row.number("before")? + row.number("items")? / 2.0;
            let quartiles = row.number("low_quartile_seconds").zip(row.number("high_quartile_seconds"));
            Some((middle, PlotPoint { value: row.number("median_seconds"), interval: quartiles }))
        };
        let points = own.iter().filter_map(point).collect();
        LineField {
            title: (*name).to_owned(),
            lines: vec![PlotLine { name: String::new(), role: ColourRole::A, points }],
            levels: Vec::new(),
        }
    };
    let fields: Vec<LineField> = names.iter().map(&mut field).collect();
    let lines = LinePlot {
        is_scatter: false,
        across: Axis::of("items done".to_owned(), Some((0.0, f64::INFINITY)), Some(0.0)),
        up: Axis::of(
            "active seconds an item: median, and the half around it".to_owned(),
            Some((0.0, f64::INFINITY)),
            Some(0.0),
        ),
        fields,
    };
    let says = if ends.is_empty() {
        String::new()
    } else {
        format!("Median times of the first and the last part: {}.", ends.join("; "))
    };
    let protocol = fact(table, "protocol");
    let title = format!("{protocol}: pace over the order of work");
    Some(Figure::new("pace", &[protocol], title, table.clone(), lines).says([says]))
}

/// The smallest difference between systems that a number of queries shows.
pub fn power(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let mut tables: Vec<&Table> =
        sources.rankings()?.iter().filter(|table| table.key == "detectable").collect();
    // Only the first measure of each protocol is drawn.
    tables.dedup_by_key(|table| fact(table, "protocol").to_owned());
    Ok(tables.into_iter().map(power_of).collect())
}

fn power_of(table: &Table) -> Figure {
    let line = |column: &str, name: &str, role| PlotLine {
        name: name.to_owned(),
        role,
        points: rows(table).filter_map(|row| Some((row.number("queries")?, row.point(column)))).collect(),
    };
    let lines = LinePlot {
        is_scatter: false,
        across: Axis::of("queries".to_owned(), Some((0.0, f64::INFINITY)), Some(0.0)),
        up: Axis::of(
            "smallest difference that is found in four cases of five".to_owned(),
            Some((0.0, f64::INFINITY)),
            Some(0.0),
        ),
        fields: vec![LineField {
            title: String::new(),
            lines: vec![
                line("most", "least sure pair", ColourRole::Muted),
                line("median", "median pair", ColourRole::A),
                line("least", "surest pair", ColourRole::Muted),
            ],
            levels: Vec::new(),
        }],
    };
    let told = |queries: f64| {
        let row = rows(table).find(|row| row.number("queries") == Some(queries))?;
        Some(format!("with {queries} queries {}", row.shown("median")))
    };
    let told: Vec<String> = [20.0, 100.0].into_iter().filter_map(told).collect();
    let seen = table.facts.get("queries").and_then(serde_json::Value::as_u64).unwrap_or(0);
    let says = format!(
        "For the median pair of systems a difference shows from this size on: {}. Pairs have up to {seen} queries in common here.",
        told.join(", ")
    );
    let (protocol, measure) = (fact(table, "protocol"), fact(table, "measure"));
    let title = format!("{protocol}: {measure}, queries and the difference that they show");
    let how = "By a two-sided test at 5 % with a power of 80 %, one pair at a time.".to_owned();
    Figure::new("power", &[protocol, measure], title, table.clone(), lines).says([says, how])
}
