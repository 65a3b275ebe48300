//! The plot as a terminal gets it.

use std::sync::Arc;

use crate::agreement::Intervals;
use crate::cli::score::plot::plot;
use crate::score::{
    AskedInsight, CurvePoint, InsightJudged, InsightSaid, Origin, SessionScored, SnapshotScored,
    SummaryJudged, curves,
};

/// A curve whose coverage is `values`, one every ten minutes; every citation is right.
fn curve(values: &[f64]) -> Vec<CurvePoint> {
    let snapshot = |(minute, coverage): (u32, &f64)| {
        let insight = InsightJudged {
            insight: AskedInsight { unit: "u".into(), gold: Some(Arc::new([1].into())) },
            said: InsightSaid { coverage: Some(*coverage), bullets: vec![1] },
        };
        let summary = SummaryJudged::of(Origin::default(), "- One [1]", vec![insight]);
        SnapshotScored::of(f64::from(minute), &[&summary])
    };
    let snapshots = (1..).map(|step| step * 10).zip(values).map(snapshot).collect();
    curves(&[SessionScored { cluster: 0, snapshots }], Intervals::Jackknife)
}

#[test]
fn a_plot_has_axes_three_lines_and_a_key() {
    let text = plot(&curve(&[0.0, 50.0, 50.0, 100.0]), 60);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 17);
    assert!(lines.iter().all(|line| line.chars().count() <= 60), "{text}");
    assert!(lines[0].trim_start().starts_with("100"), "{text}");
    assert!(lines[15].split_whitespace().eq(["0", "10", "20", "30", "40"]), "{text}");
    assert_eq!(lines[16], "    · citation F1  ● coverage  × joint   by active minute");
    // Joint and coverage are equal where every citation is right, and joint is drawn last.
    assert!(lines[..15].iter().any(|line| line.contains('×')), "{text}");
    // From minute 20 on insights are covered, and all of their citations are right.
    assert!(lines[0].contains('·'), "{text}");
}

#[test]
fn nothing_gives_no_plot() {
    assert_eq!(plot(&[], 80), "");
    assert_ne!(plot(&curve(&[50.0]), 80), "");
    for width in [0, 1, 20, 500] {
        plot(&curve(&[0.0, 100.0]), width);
    }
}
