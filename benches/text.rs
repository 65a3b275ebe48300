//! Texts: wrapping, searching, picking.

mod support {
    pub mod report;
    pub mod texts;
}

use haymark::app::kit::finder;
use haymark::journal::{GoToEntry, ItemState};
use haymark::text::search::Finder;
use haymark::text::wrap::wrap;
use support::report::{Report, Samples, Target};
use support::texts::{chinese, english};

/// A haystack: 100 documents of 6 KB.
const DOCUMENTS: usize = 100;
const DOCUMENT: usize = 6_000;

fn main() {
    let Some(mut report) = Report::start("texts") else {
        return;
    };
    for (language, text) in [("English", english as fn(usize, u64) -> String), ("Chinese", chinese)] {
        let haystack: Vec<String> = (0..DOCUMENTS).map(|seed| text(DOCUMENT, seed as u64)).collect();
        let one = text(DOCUMENTS * DOCUMENT, 7);
        for width in [38, 100] {
            let samples = Samples::take(20, || {
                let rows = haystack.iter().map(|text| wrap(text, width).len());
                rows.sum::<usize>()
            });
            let what = format!("wrap a haystack at {width} columns, {language}");
            report.line(&what, samples.middle(), "ms", Target::AtMost(8.0));
            let samples = Samples::take(20, || wrap(&one, width));
            let what = format!("wrap one text of 600 KB at {width} columns, {language}");
            report.line(&what, samples.middle(), "ms", Target::AtMost(8.0));
        }
    }
    searches(&mut report);
    picks(&mut report);
    report.finish();
}

/// What someone types, key by key, in one haystack; and a whole word in everything.
fn searches(report: &mut Report) {
    let languages: [(_, _, &[&str], &[&str]); 2] = [
        (
            "English",
            english as fn(usize, u64) -> String,
            &["a", "an", "anx", "anxious", "kidneys"],
            &["kinoughstr", "kidneys"],
        ),
        ("Chinese", chinese, &["低", "低温", "低温时", "app"], &["低温时", "肾"]),
    ];
    for (language, text, typed, words) in languages {
        for (place, bytes, most, needles) in
            [("a haystack", 600_000, 1.0, typed), ("60 MB", 60_000_000, 15.0, words)]
        {
            let text = text(bytes, 5);
            for needle in needles {
                let count = if bytes > 1_000_000 { 3 } else { 20 };
                let samples = Samples::take(count, || Finder::new(needle).find_all(&text).len());
                let hits = Finder::new(needle).find_all(&text).len();
                let what = format!("search {place} for {needle:?}, {hits} hits, {language}");
                report.line(&what, samples.middle(), "ms", Target::AtMost(most));
            }
        }
    }
}

fn picks(report: &mut Report) {
    for (count, most) in [(10_000, 11.0), (100_000, 110.0)] {
        let entries: Vec<GoToEntry> = (0..count)
            .map(|position| GoToEntry {
                position,
                query: "What do the students say about stress?".into(),
                unit: english(80, position as u64).replace('\n', " "),
                group: position / 25,
                state: ItemState::Open,
                flagged: false,
            })
            .collect();
        for needle in ["s", "brth", "timer walk"] {
            let samples = Samples::take(5, || finder::find(&entries, needle, &|| false));
            let what = format!("pick from {count} lines by {needle:?}");
            report.line(&what, samples.middle(), "ms", Target::AtMost(most));
        }
    }
}
