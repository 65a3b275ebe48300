//! A stratified sample says what the whole says: by simulation, over 500 draws from one study.

use haymark::agreement::{
    Category, Clusters, Counts, Definition, Drawn, Intervals, NumberRange, Ratings, RatingsBuilder, Scale,
};
use haymark::score::{Score, Tally, Undefined};
use haymark::study::assignment::draw::lot;

const SEEDS: u64 = 500;
/// How many summaries each stratum has, and how often in a hundred an insight is covered there.
const STRATA: [(usize, f64); 3] = [(600, 80.0), (250, 50.0), (150, 20.0)];
const INSIGHTS: usize = 5;

/// What two people say of the insights of a summary.
struct Summary {
    stratum: u32,
    said: Vec<[bool; 2]>,
}

/// A number from 0 to 1, as good as random.
fn uniform(purpose: &str, name: &[usize]) -> f64 {
    let names: Vec<String> = name.iter().map(usize::to_string).collect();
    let drawn = lot(7, purpose, &names.iter().map(String::as_str).collect::<Vec<_>>()).0;
    f64::from(u32::from_be_bytes([drawn[0], drawn[1], drawn[2], drawn[3]])) / f64::from(u32::MAX)
}

/// 1,000 summaries; those of a stratum are not alike, and two people differ more often where summaries are worse.
fn study() -> Vec<Summary> {
    let strata =
        STRATA.iter().enumerate().flat_map(|(stratum, (size, share))| vec![(stratum, *share); *size]);
    let summary = |(at, (stratum, share)): (usize, (usize, f64))| {
        let share = share + 40.0 * (uniform("summary", &[at]) - 0.5);
        let said = (0..INSIGHTS).map(|insight| {
            let is_covered = 100.0 * uniform("insight", &[at, insight]) < share;
            let slip = 0.05 + 0.1 * stratum as f64;
            [0, 1].map(|person| is_covered != (uniform("slip", &[at, insight, person]) < slip))
        });
        Summary { stratum: stratum as u32, said: said.collect() }
    };
    strata.enumerate().map(summary).collect()
}

/// 100 summaries, drawn by stratum: so many of each.
fn draw(study: &[Summary], sizes: [usize; 3], seed: u64) -> Vec<(&Summary, Drawn)> {
    let mut drawn = Vec::new();
    for (stratum, size) in (0..).zip(sizes) {
        let mut own: Vec<(usize, &Summary)> =
            study.iter().enumerate().filter(|(_, summary)| summary.stratum == stratum).collect();
        own.sort_by_cached_key(|(at, _)| lot(seed, "sample", &[&at.to_string()]));
        let weight = own.len() as f64 / size as f64;
        drawn.extend(own.into_iter().take(size).map(|(_, summary)| (summary, Drawn { weight, stratum })));
    }
    drawn
}

fn coverage(summaries: &[(&Summary, Drawn)]) -> (f64, [f64; 2]) {
    let mut score = Score::new(Undefined::NothingJudged);
    for (cluster, (summary, drawn)) in (0..).zip(summaries) {
        let covered = summary.said.iter().flatten().filter(|covered| **covered).count();
        let tally = Tally { sum: 50.0 * covered as f64, weight: INSIGHTS as f64 };
        score.add_drawn(cluster, tally, *drawn);
    }
    let found = score.estimate(NumberRange::PERCENT, Intervals::Jackknife);
    let interval = found.interval.expect("asked for").expect("it varies");
    (found.value.expect("judged"), [interval.low, interval.high])
}

fn alpha(summaries: &[(&Summary, Drawn)]) -> (f64, [f64; 2]) {
    let mut table = RatingsBuilder::new(Scale::Nominal, Category::numbered(["no", "yes"])).expect("a schema");
    let (mut clusters, mut weights) = (Vec::new(), Vec::new());
    for (cluster, (summary, drawn)) in (0_u32..).zip(summaries) {
        for (insight, said) in summary.said.iter().enumerate() {
            for (person, said) in ["ana", "ben"].into_iter().zip(said) {
                let label = if *said { "yes" } else { "no" };
                table.add(&format!("{cluster}/{insight}"), person, label).expect("a new cell");
            }
            clusters.push(cluster);
            weights.push(*drawn);
        }
    }
    let ratings: Ratings = table.finish();
    let found = Intervals::Jackknife.coefficients(&ratings, &Clusters::of(clusters).drawn(&weights));
    let alpha = found.iter().find(|one| one.name == "krippendorff_alpha_nominal").expect("it applies");
    let interval = alpha.interval.expect("asked for").expect("it varies");
    assert_eq!(alpha.items, ratings.items().len() as u64, "items are those of the sample");
    (alpha.value.expect("defined"), [interval.low, interval.high])
}

/// A statistic of a sample with its interval.
type Statistic = fn(&[(&Summary, Drawn)]) -> (f64, [f64; 2]);

/// The mean less what the whole says, its standard error over the draws, and how often in a hundred the interval holds it.
fn simulated(
    study: &[Summary],
    sizes: [usize; 3],
    statistic: Statistic,
    is_weighed: bool,
) -> (f64, f64, f64) {
    let whole: Vec<(&Summary, Drawn)> = study.iter().map(|summary| (summary, Drawn::default())).collect();
    let (truth, _) = statistic(&whole);
    let found: Vec<(f64, [f64; 2])> = (0..SEEDS)
        .map(|seed| {
            let mut drawn = draw(study, sizes, seed);
            if !is_weighed {
                drawn.iter_mut().for_each(|(_, drawn)| *drawn = Drawn::default());
            }
            statistic(&drawn)
        })
        .collect();
    let count = SEEDS as f64;
    let mean = found.iter().map(|(value, _)| value).sum::<f64>() / count;
    let squares: f64 = found.iter().map(|(value, _)| (value - mean).powi(2)).sum();
    let covers = found.iter().filter(|(_, [low, high])| *low <= truth && truth <= *high).count();
    (mean - truth, (squares / (count - 1.0) / count).sqrt(), 100.0 * covers as f64 / count)
}

#[test]
fn a_tenth_says_what_the_whole_says() {
    let study = study();
    let mut table = "| number | drawn of 600, 250, 150 | weights | error of the mean | covered |\n| --- | --- | --- | --- | --- |\n".to_owned();
    let statistics: [(&str, Statistic, f64); 2] =
        [("coverage", coverage, 1.0), ("alpha · 100", alpha, 100.0)];
    for (name, statistic, times) in statistics {
        for (sizes, is_weighed) in [([60, 25, 15], true), ([34, 33, 33], true), ([34, 33, 33], false)] {
            let (bias, error, covered) = simulated(&study, sizes, statistic, is_weighed);
            let weights = if is_weighed { "probabilities" } else { "none" };
            let [one, two, three] = sizes;
            table += &format!(
                "| {name} | {one}, {two}, {three} | {weights} | {:.2} ± {:.2} | {covered:.1} % |\n",
                times * bias,
                times * error
            );
            if is_weighed {
                assert!(
                    bias.abs() < 4.0 * error + 0.002 / times.recip().max(1.0),
                    "{name}: {bias} ± {error}"
                );
                assert!((93.0..=98.0).contains(&covered), "{name} {sizes:?}: {covered}");
            } else {
                assert!(bias.abs() > 5.0 * error, "{name}: without weights it is another number");
            }
        }
    }
    crate::readme::holds("docs/statistics.md", "samples", &format!("\n{table}"));
}

/// Two of ten and eight of eight: each of the first stands for five. 8 of 2 · 5 + 8 = 18 agree less … by hand: the first two
/// items agree, of the eight four do, so 5 + 5 + 4 of 18.
#[test]
fn weighed_agreement_is_that_of_a_table_with_each_item_so_often() {
    let build = |times: &[usize]| {
        let mut table =
            RatingsBuilder::new(Scale::Nominal, Category::numbered(["no", "yes"])).expect("a schema");
        for (item, times) in times.iter().enumerate() {
            for time in 0..*times {
                let second = if item < 2 || item % 2 == 0 { "yes" } else { "no" };
                table.add(&format!("{item}/{time}"), "ana", "yes").expect("a new cell");
                table.add(&format!("{item}/{time}"), "ben", second).expect("a new cell");
            }
        }
        table.finish()
    };
    let weights: Vec<Drawn> = (0..10)
        .map(
            |item| {
                if item < 2 { Drawn { weight: 5.0, stratum: 0 } } else { Drawn { weight: 1.0, stratum: 1 } }
            },
        )
        .collect();
    let (once, often) = (build(&[1; 10]), build(&[5, 5, 1, 1, 1, 1, 1, 1, 1, 1]));
    let (counts, expected) = (Counts::of(&once), Counts::of(&often));
    let weighed = Clusters::items().drawn(&weights).weigh(&counts).into_owned();
    let agreed = Definition::named("percent_agreement_pooled").expect("a coefficient");
    assert_eq!(agreed.value(&weighed), Some(Ok(14.0 / 18.0)));
    for name in ["cohen_kappa", "krippendorff_alpha_nominal", "gwet_ac1", "scott_pi"] {
        let definition = Definition::named(name).expect("a coefficient");
        assert_eq!(definition.value(&weighed), definition.value(&expected), "{name}");
    }
}
