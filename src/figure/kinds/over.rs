//! Figures over an axis: writing by minute, thresholds, pace, power, calibration; and kinds of failure.

use indexmap::IndexSet;

use super::{MOST_PEOPLE, PERCENT, about, all_of, numbered_dots, of_largest};
use crate::agreement::Estimate;
use crate::error::Result;
use crate::figure::{Figure, Sources};
use crate::number::number_of;
use crate::report::{
    DetectableRow, GroupsScore, PASSED, PacePart, QualityFound, ScoresByGroup, Table, TableFinding, heading,
};
use crate::score::{CurvePoint, GroupLabels, SnapshotMeasure, ThresholdRow};
use paper::forms::{Axis, DotRow, Grid, LineField, LinePlot, Panel, PlotLine, PlotPoint, Shaded};
use paper::scale::number;
use paper::scene::ColourRole;

/// With more systems than this, only the best three and the worst are lines beside the curve of people.
const LEVELS: usize = 6;

/// An axis that begins at 0.
fn from_zero(title: &str) -> Axis {
    Axis::of(title, Some((0.0, f64::INFINITY)), Some(0.0))
}

/// A line without dots of its own.
fn line(name: &str, role: ColourRole, points: Vec<(f64, PlotPoint)>) -> PlotLine {
    PlotLine { name: name.to_owned(), role, points }
}

/// Lines in one field.
fn lines(across: Axis, up: Axis, lines: Vec<PlotLine>) -> LinePlot {
    LinePlot { across, up, fields: vec![LineField { lines, ..LineField::default() }], is_scatter: false }
}

/// The measures of curves.
const CURVES: [SnapshotMeasure; 3] =
    [SnapshotMeasure::Coverage, SnapshotMeasure::Joint, SnapshotMeasure::Citation];

/// The scores of what people had written by each minute, with the systems as lines across.
pub fn curve(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let tables = sources.baseline()?;
    // Other groups than systems are no lines across.
    let systems =
        tables.iter().find_map(Table::scores).filter(|systems| systems.by == ["retriever", "summarizer"]);
    let figures = CURVES.into_iter().filter_map(|measure| {
        let (table, curve) = tables.iter().find_map(|table| match &table.finding {
            TableFinding::Curve(measures, curve) if measures.contains(&measure) => Some((table, curve)),
            _ => None,
        })?;
        let at = SnapshotMeasure::ALL.iter().position(|one| *one == measure)?;
        let point = |point: &CurvePoint| (f64::from(point.minute), point.values[at].1.into());
        let points: Vec<(f64, PlotPoint)> = curve.iter().map(point).collect();
        let (minute, last) = *points.iter().rfind(|(_, point)| point.value.is_some())?;
        let level = |(group, score): (&GroupLabels, &Option<Estimate>)| {
            let fields = systems.into_iter().flat_map(|systems| &systems.by).zip(group);
            let named = fields.filter_map(|(field, name)| Some((field, name.as_deref()?)));
            let named: Vec<&str> =
                named.map(|(field, name)| sources.asked.display.name(field, name)).collect();
            let is_human = group.last() == Some(&Some("human".to_owned()));
            Some((named.join(" "), score.as_ref()?.value.ok()?)).filter(|_| !is_human)
        };
        let of_measure = |systems: &'_ ScoresByGroup| {
            let score = systems.scores.iter().find(|score| score.head.name == measure.name())?;
            Some(systems.groups.iter().zip(&score.values).filter_map(level).collect())
        };
        let mut levels: Vec<(String, f64)> = systems.and_then(of_measure).unwrap_or_default();
        levels.sort_by(|one, other| other.1.total_cmp(&one.1));
        if levels.len() > LEVELS {
            let worst = levels.len() - 1;
            levels.drain(LEVELS / 2..worst);
        }
        let name = measure.name();
        let title = sources.titled(name, heading(measure), true);
        let up = Axis::of(format!("{title}; people with 95 % intervals, systems as lines"), PERCENT, None);
        let mut plot = lines(from_zero("active minutes"), up, vec![line("people", ColourRole::A, points)]);
        plot.fields.iter_mut().for_each(|field| field.levels.append(&mut levels));
        let says = format!("After {minute} active minutes people are at {}.", last.told(1));
        let title = format!("{name} of what people wrote, by active minute");
        let about = [table.said("protocol"), name];
        Some(Figure::new("curve", &about, title, table.clone(), plot).says([says]))
    });
    Ok(figures.collect())
}

/// The key points that a threshold on the machine's score keeps, and the share of these that people reject.
pub fn thresholds(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let figure = |table: &Table| {
        let TableFinding::Thresholds(found) = &table.finding else { return None };
        let line = |name: &str, role, value: &dyn Fn(&ThresholdRow) -> PlotPoint| {
            line(name, role, found.iter().map(|row| (row.threshold, value(row))).collect())
        };
        let kept = |row: &ThresholdRow| PlotPoint {
            value: (row.points > 0).then(|| row.kept as f64 * 100.0 / row.points as f64),
            interval: None,
        };
        let plot = lines(
            Axis::of("score from", None, None),
            Axis::of("key points kept, and of these rejected by people, %", PERCENT, Some(0.0)),
            vec![
                line("kept", ColourRole::A, &kept),
                line("rejected", ColourRole::B, &|row| row.false_discovery.into()),
            ],
        );
        let says = found.iter().rfind(|row| row.false_discovery.value.is_ok()).map(|row| {
            format!(
                "From a score of {} on {} of {} key points are kept, and people reject {}\u{a0}% of them.",
                number(row.threshold, 1),
                row.kept,
                row.points,
                PlotPoint::from(row.false_discovery).told(1)
            )
        });
        let figure = || {
            Figure::of("thresholds", &[], "key points kept by a threshold on their score", table, plot)
                .says(says)
        };
        (found.len() > 1).then(figure)
    };
    Ok(sources.scores()?.iter().filter_map(figure).collect())
}

/// Kinds of failure by system: tags, and the kinds of missing key points.
pub fn missed(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let is_about = |table: &&Table| ["tags", "key_point_recall"].contains(&table.key.as_str());
    let figure = |table: &Table| missed_of(sources, table, table.scores()?);
    Ok(sources.scores()?.iter().filter(is_about).filter_map(figure).collect())
}

fn missed_of(sources: &Sources<'_>, table: &Table, found: &ScoresByGroup) -> Option<Figure> {
    let reasons: Vec<&GroupsScore> =
        found.scores.iter().filter(|score| score.head.name.starts_with("share_")).collect();
    let by = found.by.first()?;
    let groups = sources.labels(found, by)?;
    let point = |reason: &GroupsScore, group: usize| PlotPoint::from(reason.values[group]);
    let all = || {
        (0..groups.len())
            .flat_map(|group| reasons.iter().map(move |reason| (group, *reason, point(reason, group))))
    };
    let most = all().filter_map(|(.., point)| point.value).fold(0.0, f64::max);
    if most == 0.0 {
        return None;
    }
    let field = |point: PlotPoint| {
        let ends = point.interval.map(|(low, high)| format!("{}–{}", number(low, 0), number(high, 0)));
        Shaded {
            text: point.value.map_or_else(|| "·".to_owned(), |value| number(value, 0)),
            note: ends.unwrap_or_default(),
            share: point.value.map(|value| value / most),
            ..Shaded::default()
        }
    };
    let display = &sources.asked.display;
    let heading = display.heading(by, &by.replace('_', " ")).to_owned();
    let headed = |reason: &&GroupsScore| display.heading(&reason.head.name, &reason.head.heading).to_owned();
    let grid = Grid {
        titles: [heading.clone(), String::new()],
        rows: groups.clone(),
        columns: reasons.iter().map(headed).collect(),
        fields: (0..groups.len())
            .map(|group| reasons.iter().map(|reason| field(point(reason, group))).collect())
            .collect(),
        outside: None,
        foot: match table.key.as_str() {
            "tags" => "% of what is judged; one may have several".to_owned(),
            _ => "% of the points not said".to_owned(),
        },
        note_foot: "below it its 95 % interval".to_owned(),
    };
    let shares = all().filter(|(_, reason, _)| reason.head.name != "share_none");
    let shares = shares.filter_map(|(group, reason, point)| {
        let told = point.told(reason.head.decimals);
        Some((point.value?, format!("“{}”, for {}: {told} %", headed(&reason), groups[group])))
    });
    let says =
        of_largest(shares, "None of these was found.", |_, told| format!("Most often {}.", all_of(told)));
    let title = format!("what was missed, by {heading}");
    Some(Figure::of("missed", &about(table)[1..], &title, table, grid).says(says))
}

/// How often each annotator gives the known answer, the same answer again, and the answer of most others.
pub fn calibration(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    const SHARES: [&str; 4] =
        ["calibration items as known", "control items as known", "the same again", "as most others"];
    let figure = |table: &Table| {
        let TableFinding::Quality(found) = &table.finding else { return None };
        let panel = |(at, title): (usize, &str)| {
            let row = |row: &QualityFound| {
                DotRow::of(sources.name("annotator", &row.name), row.shares[at].into(), 1)
            };
            Panel { title: title.to_owned(), rows: found.iter().map(row).collect() }
        };
        let is_there = |(at, _): &(usize, &str)| found.iter().any(|row| row.shares[*at].value.is_ok());
        let panels: Vec<Panel> = SHARES.into_iter().enumerate().filter(is_there).map(panel).collect();
        if panels.is_empty() || found.len() > MOST_PEOPLE {
            return None;
        }
        let dots = numbered_dots("share of the items, %", (PERCENT, None), panels);
        let marked: Vec<&str> = found.iter().filter_map(|row| row.mark).collect();
        let passed = marked.iter().filter(|mark| **mark == PASSED).count();
        let says = (!marked.is_empty()).then(|| {
            format!(
                "The mark of calibration is passed by {passed} of {}.",
                number_of(marked.len(), "annotator")
            )
        });
        Some(Figure::of("calibration", &[], "quality of each annotator", table, dots).says(says))
    };
    Ok(sources.status()?.iter().filter_map(figure).collect())
}

/// Seconds an item over each annotator's order of work.
pub fn pace(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let figure = |table: &Table| {
        let TableFinding::Pace(parts) = &table.finding else { return None };
        let names: IndexSet<&str> = parts.iter().map(|part| part.name.as_str()).collect();
        let mut ends: Vec<String> = Vec::new();
        let mut field = |name: &&str| {
            let own: Vec<&PacePart> = parts.iter().filter(|part| part.name == *name).collect();
            let name = sources.name("annotator", name);
            if let [first, .., last] = own.as_slice() {
                let [from, to] = [first, last].map(|part| PlotPoint::from(part.timing.median).shown(1));
                ends.push(format!("{name} from {from} to {to} s"));
            }
            let point = |part: &&PacePart| {
                let middle = part.before as f64 + part.timing.items as f64 / 2.0;
                let interval = part.timing.quartiles.ok().map(|[low, high]| (low, high));
                (middle, PlotPoint { interval, ..part.timing.median.into() })
            };
            let lines = vec![line("", ColourRole::A, own.iter().map(point).collect())];
            LineField { title: name, lines, ..LineField::default() }
        };
        let plot = LinePlot {
            is_scatter: false,
            across: from_zero("items done"),
            up: from_zero("active seconds an item: median, and the half around it"),
            fields: names.iter().map(&mut field).collect(),
        };
        let says = format!("Median times of the first and the last part: {}.", ends.join("; "));
        let says = Some(says).filter(|_| !ends.is_empty());
        let figure = || Figure::of("pace", &[], "pace over the order of work", table, plot).says(says);
        (names.len() <= MOST_PEOPLE).then(figure)
    };
    Ok(sources.status()?.iter().filter_map(figure).collect())
}

/// The smallest difference between systems that a number of queries shows.
pub fn power(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let found = |table| match table {
        &Table { finding: TableFinding::Detectable(seen, ref rows), .. } => Some((table, seen, &**rows)),
        _ => None,
    };
    let mut tables: Vec<(&Table, usize, &[DetectableRow])> =
        sources.rankings()?.iter().filter_map(found).collect();
    // Only the first measure of each protocol is drawn.
    tables.dedup_by_key(|(table, ..)| table.said("protocol").to_owned());
    Ok(tables.into_iter().map(power_of).collect())
}

fn power_of((table, seen, rows): (&Table, usize, &[DetectableRow])) -> Figure {
    let line = |at: usize, name: &str, role| {
        line(name, role, rows.iter().map(|row| (row.queries as f64, row.pairs[at].into())).collect())
    };
    let plot = lines(
        from_zero("queries"),
        from_zero("smallest difference that is found in four cases of five"),
        vec![
            line(2, "least sure pair", ColourRole::Muted),
            line(1, "median pair", ColourRole::A),
            line(0, "surest pair", ColourRole::Muted),
        ],
    );
    let told = |queries: usize| {
        let row = rows.iter().find(|row| row.queries == queries)?;
        Some(format!("with {queries} queries {}", PlotPoint::from(row.pairs[1]).shown(1)))
    };
    let told: Vec<String> = [20, 100].into_iter().filter_map(told).collect();
    let says = format!(
        "For the median pair of systems a difference shows from this size on: {}. Pairs have up to {seen} queries in common here.",
        told.join(", ")
    );
    let measure = table.said("measure");
    let title = format!("{measure}, queries and the difference that they show");
    let how = "By a two-sided test at 5 % with a power of 80 %, one pair at a time.".to_owned();
    Figure::of("power", &[measure], &title, table, plot).says([says, how])
}
