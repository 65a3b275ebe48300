//! Agreement between annotators.

use super::{counted, with_intervals};
use crate::agreement::Estimate;
use crate::error::Result;
use crate::figure::forms::{Axis, Dots, Panel, Point, Row, Series};
use crate::figure::read::{column, rows};
use crate::figure::scene::Role;
use crate::figure::{Figure, Sources};
use crate::report::agree::Findings;
use crate::report::table::{Column, Table};

/// Decimals of coefficients.
const DECIMALS: usize = 2;

/// A question with what is told of it.
struct Asked {
    name: String,
    items: u64,
    annotators: usize,
    alpha: Option<Estimate>,
    equal: Option<Estimate>,
}

/// Alpha and percent agreement on every question.
pub fn agreement(sources: &Sources<'_>) -> Result<Vec<Figure>> {
    let intervals = sources.asked.uncertainty.intervals;
    let asked: Vec<Asked> = sources
        .comparisons()?
        .iter()
        .map(|comparison| {
            let found = Findings::of(comparison, intervals);
            let estimate = |coefficient| found.estimate(coefficient);
            Asked {
                name: comparison.subject(),
                items: found.counts.items_pairable(),
                annotators: comparison.annotators().len(),
                alpha: found.alpha().map(estimate),
                equal: found.agreement_of_kappa().map(estimate),
            }
        })
        .filter(|asked| asked.items > 0)
        .collect();
    let columns: [Column<'_, Asked>; 5] = [
        Column::new("question", "question", |row: &Asked| row.name.clone()),
        Column::new("items", "items", |row: &Asked| row.items),
        Column::new("annotators", "annotators", |row: &Asked| row.annotators),
        Column::new("alpha", "Krippendorff's α", |row: &Asked| row.alpha).decimals(DECIMALS),
        Column::new("percent_agreement_items", "equal", |row: &Asked| row.equal).decimals(DECIMALS),
    ];
    let mut table = Table::of("Agreement by question", columns, &asked).keyed("agreement");
    if asked.is_empty() || column(&table, "alpha").is_none() {
        return Ok(Vec::new());
    }
    table.notes.push(
        "Krippendorff's alpha on the scale of the labels; equal: the share of equal ratings, averaged over items."
            .to_owned(),
    );
    let has_intervals =
        asked.iter().any(|row| matches!(row.alpha.and_then(|alpha| alpha.interval), Some(Ok(_))));
    let series = |name: &str, role, is_ring| Series { name: name.to_owned(), role, is_ring };
    let dots = Dots {
        axis: Axis {
            title: with_intervals("from 0, as by chance, to 1", has_intervals),
            bounds: Some((-1.0, 1.0)),
            reference: Some(0.0),
        },
        series: vec![
            series("Krippendorff’s α", Role::A, false),
            series("share of equal ratings", Role::Muted, true),
        ],
        columns: vec!["items".to_owned(), "α".to_owned()],
        panels: vec![Panel {
            title: String::new(),
            rows: rows(&table)
                .map(|row| Row {
                    name: row.name("question").to_owned(),
                    points: vec![
                        row.point("alpha"),
                        Point { interval: None, ..row.point("percent_agreement_items") },
                    ],
                    texts: vec![row.shown("items"), row.shown("alpha")],
                })
                .collect(),
        }],
    };
    let mut by_alpha: Vec<_> = rows(&table).filter_map(|row| Some((row.number("alpha")?, row))).collect();
    by_alpha.sort_by(|one, other| one.0.total_cmp(&other.0));
    let told =
        |row: &crate::figure::read::Read<'_>| format!("{} ({})", row.name("question"), row.shown("alpha"));
    let says = match by_alpha.as_slice() {
        [] => "No question has an alpha.".to_owned(),
        [(_, only)] => format!("{}: Krippendorff’s α is {}.", only.name("question"), only.told("alpha")),
        [(_, least), .., (_, most)] => format!(
            "Over {}, α is lowest for {} and highest for {}.",
            counted(by_alpha.len(), "question", "questions"),
            told(least),
            told(most)
        ),
    };
    Ok(vec![Figure::new("agreement", &[], "Agreement by question", table, dots).says([says])])
}
