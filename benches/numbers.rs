//! Scores and agreement: the arithmetic alone, and the program on a large file of ratings.

mod support {
    pub mod program;
    pub mod report;
    pub mod texts;
}

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use haymark::agreement::{
    Bootstrap, Category, Clusters, Counts, DawidSkene, Definition, Intervals, ModelSettings, Ratings,
    RatingsBuilder, Scale, all, pairs,
};
use haymark::score::{
    AskedInsight, Average, InsightJudged, InsightSaid, Origin, SummaryJudged, System, scores_by,
};
use support::program::run;
use support::report::{Report, Samples, Target};
use support::texts::Dice;
use tempfile::TempDir;

const ITEMS: usize = 1_000_000;
const PEOPLE: [&str; 4] = ["ana", "ben", "chi", "dee"];
const LABELS: [&str; 3] = ["no", "part", "full"];

fn main() {
    let Some(mut report) = Report::start("numbers") else {
        return;
    };
    scores(&mut report);
    coefficients(&mut report);
    one_pass(&mut report);
    intervals(&mut report);
    whole_program(&mut report);
    report.finish();
}

/// 40,000 summaries with 25 insights each.
fn scores(report: &mut Report) {
    let summaries: Vec<SummaryJudged> = (0..40_000).map(summary).collect();
    for (average, name) in [(Average::Insight, "pooled"), (Average::Summary, "by summary")] {
        let samples =
            Samples::take(3, || scores_by(&summaries, &["retriever", "summarizer"], average).rows.len());
        let what = format!("score 1,000,000 judgments, {name}");
        report.line(&what, samples.middle(), "ms", Target::None);
    }
}

fn summary(number: usize) -> SummaryJudged {
    let mut dice = Dice::new(number as u64 + 1);
    let text: String = (0..8)
        .map(|_| format!("- They take a walk after lunch [{}, {}].\n", dice.roll(9), dice.roll(9)))
        .collect();
    let insight = |unit: usize| InsightJudged {
        insight: AskedInsight {
            unit: format!("u{unit}"),
            gold: Some(Arc::new([1, 2 + unit as u32 % 7, 9].into())),
        },
        said: InsightSaid {
            coverage: Some([0.0, 50.0, 100.0][(number + unit) % 3]),
            bullets: vec![1 + (unit % 8) as u32],
        },
    };
    let origin = Origin {
        collection: "c".into(),
        query: format!("q{}", number / 80),
        candidate: Some(format!("s{}", number % 20)),
        annotator: format!("person{}", number / 20 % 4),
        system: Some(System {
            retriever: Some(format!("retriever-{}", number % 4)),
            summarizer: Some(format!("model-{}", number % 5)),
            order: None,
        }),
        ..Origin::default()
    };
    SummaryJudged::of(origin, &text, (0..25).map(insight).collect())
}

/// Category of one person for one item; they agree on about three items of four.
fn rating(dice: &mut Dice, truth: usize) -> usize {
    if dice.roll(4) == 0 { dice.roll(LABELS.len()) } else { truth }
}

fn coefficients(report: &mut Report) {
    let ratings = ratings(ITEMS, PEOPLE.len());
    let every = Samples::take(5, || all(&ratings).len());
    report.line("all coefficients, 1,000,000 items × 4", every.middle(), "ms", Target::None);
    let each = Samples::take(5, || pairs(&ratings).len());
    report.line("all pairs of annotators, the same", each.middle(), "ms", Target::None);
    let both = every.middle() + each.middle();
    report.line("both together", both, "ms", Target::AtMost(15.0));
}

/// Alpha, Fleiss' kappa and AC1, the counting included.
fn one_pass(report: &mut Report) {
    let names = ["krippendorff_alpha_nominal", "krippendorff_alpha_ordinal", "fleiss_kappa", "gwet_ac1"];
    let definitions = names.map(|name| Definition::named(name).expect("in the table"));
    for (items, size) in [(2_500, "10,000"), (250_000, "1,000,000"), (2_500_000, "10,000,000")] {
        let ratings = ratings(items, 4);
        let samples = Samples::take(5, || {
            let counts = Counts::of(&ratings);
            definitions.map(|definition| definition.value(&counts))
        });
        let what = format!("alpha, Fleiss' kappa, AC1 of {size} ratings");
        report.line(&what, samples.middle(), "ms", Target::None);
    }
}

/// Intervals, and the model of Dawid and Skene.
fn intervals(report: &mut Report) {
    let bootstrap = |resamples| Intervals::Bootstrap(Bootstrap { resamples, seed: 1 });
    let alone = |ratings: &Ratings, clusters: &Clusters, intervals: Intervals| {
        let alpha = Definition::named("krippendorff_alpha_ordinal").expect("in the table");
        intervals.of_coefficients(&Counts::of(ratings), clusters, &[alpha])
    };
    let items = Clusters::items();
    let (four, three) = (ratings(10_000, 4), ratings(10_000, 3));
    let summaries = Clusters::of((0..10_000).map(|item| item / 5).collect());
    let samples = Samples::take(3, || Intervals::Jackknife.coefficients(&four, &summaries));
    let what = "intervals of all coefficients, 2,000 clusters of 5 × 4";
    report.line(what, samples.middle() / 1e3, "s", Target::AtMost(1.0));
    let samples = Samples::take(5, || alone(&four, &items, bootstrap(1_000)));
    let what = "1,000 resamples of alpha, 10,000 items × 4";
    report.line(what, samples.middle() / 1e3, "s", Target::AtMost(0.1));
    let samples = Samples::take(3, || alone(&three, &items, bootstrap(10_000)));
    report.line("10,000 resamples of alpha, 10,000 items × 3", samples.middle() / 1e3, "s", Target::None);
    let samples = Samples::take(3, || bootstrap(1_000).coefficients(&four, &summaries));
    let what = "1,000 resamples of all coefficients, 2,000 clusters of 5 × 4";
    report.line(what, samples.middle() / 1e3, "s", Target::None);
    let samples = Samples::take(3, || DawidSkene::fit(&Counts::of(&four), ModelSettings::default()));
    report.line("Dawid and Skene's model, 10,000 items × 4", samples.middle(), "ms", Target::None);
}

fn ratings(items: usize, people: usize) -> Ratings {
    let categories = Category::numbered(LABELS);
    let mut builder = RatingsBuilder::new(Scale::Ordinal, categories).expect("a good scale");
    let people: Vec<usize> =
        PEOPLE.iter().take(people).map(|name| builder.rater(name).expect("there is room")).collect();
    let mut dice = Dice::new(1);
    for number in 0..items {
        let item = builder.item(&format!("i{number:06}")).expect("there is room");
        let truth = dice.roll(LABELS.len());
        for person in &people {
            let category = rating(&mut dice, truth) as u8;
            builder.set(item, *person, category).expect("it is the first");
        }
    }
    builder.finish()
}

/// A CSV of 4,000,000 lines, read and computed by the program.
fn whole_program(report: &mut Report) {
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
    let path = folder.path().join("ratings.csv");
    let mut dice = Dice::new(1);
    let mut text = String::from("item,annotator,value\n");
    for number in 0..ITEMS {
        let truth = dice.roll(LABELS.len());
        for person in PEOPLE {
            let label = LABELS[rating(&mut dice, truth)];
            writeln!(text, "topic/{number:07},{person},{label}").expect("it is in memory");
        }
    }
    let size = text.len() as f64 / 1e6;
    std::fs::write(&path, text).expect("the disk takes it");
    let ran: Vec<_> = (0..3).map(|_| run(&[Path::new("agree"), &path])).collect();
    let times = Samples::of(ran.iter().map(|ran| ran.seconds).collect());
    let what = format!("haymark agree on a CSV of {size:.0} MB");
    report.beside(&what, times.middle(), "s", Target::AtMost(0.3), Some(0.21));
    if let Some(memory) = ran.iter().filter_map(|ran| ran.memory).reduce(f64::max) {
        report.beside("  most memory", memory, "MB", Target::AtMost(100.0), Some(42.0));
    }
}
