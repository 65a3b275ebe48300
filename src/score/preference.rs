//! Preferences between two candidates: win rates, strengths, and whether the place on the screen decides.
//!
//! A win rate is wins and half the ties by comparisons; a pair that several people judged weighs one. Strengths are those of
//! [`BradleyTerry`].

use std::collections::{BTreeMap, BTreeSet};

use super::{BradleyTerry, Counted, Measure, Origin, Score, Thing, Undefined, logistic};
use crate::agreement::{Estimate, Interval, Intervals, NumberRange};
use crate::protocol::{Answers, Protocol, Question, SIDES, TargetPart};
use crate::text::natural::natural;

/// The question of a protocol about two candidates that says which of them is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PreferenceQuestion<'p> {
    better: &'p Question,
    protocol: &'p Protocol,
}

impl<'p> PreferenceQuestion<'p> {
    /// The first question whose choices name both candidates, if the protocol's items are pairs.
    pub fn of(protocol: &'p Protocol) -> Option<PreferenceQuestion<'p>> {
        let better = protocol.questions.iter().find(|question| question.names_sides())?;
        protocol.targets(TargetPart::Pair).then_some(PreferenceQuestion { better, protocol })
    }

    pub fn key(&self) -> &'p str {
        &self.better.key
    }

    /// A person's answer about a pair; `None` where the question is not asked or not answered.
    pub fn read(&self, answers: &Answers) -> Option<PairSaid> {
        let better = answers.get(self.key()).filter(|_| self.better.is_asked(answers))?.as_text()?;
        Some(PairSaid {
            better: SIDES.iter().position(|side| *side == better),
            first: self.protocol.was_turned(answers).map(usize::from),
        })
    }
}

/// A person's answer about a pair, by the places of its candidates in the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairSaid {
    /// Place of the better candidate; `None` for a tie.
    pub better: Option<usize>,
    /// Place of the candidate that stood first, where it is on record.
    pub first: Option<usize>,
}

/// One person's judgment of one pair.
#[derive(Debug, Clone, PartialEq)]
pub struct PairJudged {
    pub origin: Origin,
    /// The systems of its two candidates.
    pub systems: [String; 2],
    pub said: PairSaid,
    /// The same person's answer when the pair came a second time.
    pub again: Option<PairSaid>,
}

/// The scores from comparisons of systems.
#[derive(Debug, Clone, PartialEq)]
pub struct PreferenceScores {
    /// Systems, the strongest first.
    pub systems: Vec<SystemPreferred>,
    /// Every two systems that were compared, the stronger one first.
    pub pairs: Vec<PairPreferred>,
    pub position: FirstPreferred,
}

/// The scores of a system.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemPreferred {
    pub system: String,
    /// Pairs with the system.
    pub compared: Counted,
    /// Win rate, 0–100.
    pub win_rate: Estimate,
    /// θ of [`BradleyTerry`].
    pub strength: Estimate,
}

/// The scores of one system against another.
#[derive(Debug, Clone, PartialEq)]
pub struct PairPreferred {
    pub systems: [String; 2],
    pub compared: Counted,
    /// Win rate of the first, 0–100.
    pub win_rate: Estimate,
    /// Chance that the first is found better, by the strengths, 0–100.
    pub beats: Measure,
    /// The strength of the first less that of the second.
    pub difference: Estimate,
}

/// The preference for the candidate that stands first, by judgments that record which one did.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstPreferred {
    /// Judgments without a tie.
    pub decided: usize,
    pub ties: usize,
    pub first_wins: usize,
    /// The share of the decided ones that the first won, 0–100.
    pub share: Estimate,
    /// The chance of a share as far from a half if the place does not matter.
    pub p: Measure,
    /// Pairs that one person judged in both orders, and those with the same answer.
    pub swapped: usize,
    pub same: usize,
    /// The share of the same answer, 0–100.
    pub consistency: Estimate,
}

/// Wins by system and system: how often the one was found better than the other.
type Wins = Vec<Vec<f64>>;

/// The counts of some systems, in their order.
struct PairsCounted {
    /// Wins by cluster.
    wins: BTreeMap<u32, Wins>,
    systems: Vec<Counted>,
    /// Pairs by the places of two systems, the earlier one first.
    pairs: BTreeMap<[usize; 2], Counted>,
}

impl PreferenceScores {
    pub fn of(pairs: &[Thing<'_, PairJudged>], intervals: Intervals) -> PreferenceScores {
        let judged =
            || pairs.iter().flat_map(|pair| pair.judgments.iter().map(move |one| (pair.cluster, *one)));
        let names: BTreeSet<&str> = judged().flat_map(|(_, one)| &one.systems).map(String::as_str).collect();
        let mut names: Vec<&str> = names.into_iter().collect();
        names.sort_by_cached_key(|name| natural(name));
        let all = PairsCounted::of(pairs, &names).together(&|_| 1);
        let strengths = BradleyTerry::of(&all).map(|model| model.strengths);
        let worth = |at: usize| match &strengths {
            Ok(strengths) => strengths[at],
            Err(_) => win_rate(&all, at).unwrap_or(f64::NEG_INFINITY),
        };
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by(|one, other| worth(*other).total_cmp(&worth(*one)));
        let names: Vec<&str> = order.into_iter().map(|at| names[at]).collect();
        let counted = PairsCounted::of(pairs, &names);
        let [rates, strengths, pair_rates, differences] = counted.estimates(intervals);
        let system = |(at, name): (usize, &&str)| SystemPreferred {
            system: (*name).to_owned(),
            compared: counted.systems[at],
            win_rate: rates[at],
            strength: strengths[at],
        };
        let pair = |(at, ([one, other], compared)): (usize, (&[usize; 2], &Counted))| PairPreferred {
            systems: [names[*one], names[*other]].map(str::to_owned),
            compared: *compared,
            win_rate: pair_rates[at],
            difference: differences[at],
            beats: differences[at].value.map(|difference| 100.0 * logistic(difference)),
        };
        PreferenceScores {
            systems: names.iter().enumerate().map(system).collect(),
            pairs: counted.pairs.iter().enumerate().map(pair).collect(),
            position: FirstPreferred::of(judged(), intervals),
        }
    }
}

/// The win rate of a system, 0–100.
fn win_rate(wins: &Wins, at: usize) -> Measure {
    share(wins[at].iter().sum(), wins.iter().map(|row| row[at]).sum())
}

fn share(wins: f64, losses: f64) -> Measure {
    if wins + losses > 0.0 { Ok(100.0 * wins / (wins + losses)) } else { Err(Undefined::NoComparisons) }
}

impl PairsCounted {
    fn of(pairs: &[Thing<'_, PairJudged>], names: &[&str]) -> PairsCounted {
        let place = |name: &String| names.iter().position(|other| other == name).unwrap_or_default();
        let systems = vec![Counted::default(); names.len()];
        let mut found = PairsCounted { wins: BTreeMap::new(), systems, pairs: BTreeMap::new() };
        for pair in pairs {
            let places = pair.judgments.first().map(|judgment| judgment.systems.each_ref().map(place));
            // A system is no better than itself.
            let Some([one, other]) = places.filter(|[one, other]| one != other) else { continue };
            let wins =
                found.wins.entry(pair.cluster).or_insert_with(|| vec![vec![0.0; names.len()]; names.len()]);
            let judgments = pair.judgments.len();
            let weight = pair.drawn.weight / judgments as f64;
            for judgment in &pair.judgments {
                let won = judgment.said.better.map_or(0.5, |better| if better == 0 { 1.0 } else { 0.0 });
                wins[one][other] += weight * won;
                wins[other][one] += weight * (1.0 - won);
            }
            [one, other].into_iter().for_each(|place| found.systems[place].add(judgments));
            found.pairs.entry([one.min(other), one.max(other)]).or_default().add(judgments);
        }
        found
    }

    /// All clusters, each so many times.
    fn together(&self, times: &dyn Fn(usize) -> u64) -> Wins {
        let mut sum = vec![vec![0.0; self.systems.len()]; self.systems.len()];
        for (at, wins) in self.wins.values().enumerate() {
            let added = sum.iter_mut().flatten().zip(wins.iter().flatten());
            added.for_each(|(sum, wins)| *sum += times(at) as f64 * wins);
        }
        sum
    }

    /// The rates and the strengths of systems, the rates and the differences of pairs.
    fn estimates(&self, intervals: Intervals) -> [Vec<Estimate>; 4] {
        let (systems, pairs) = (self.systems.len(), self.pairs.keys().copied().collect::<Vec<[usize; 2]>>());
        let pair_rate = |wins: &Wins, [one, other]: [usize; 2]| share(wins[one][other], wins[other][one]);
        let statistics = |wins: &Wins| -> Vec<Measure> {
            let model = BradleyTerry::of(wins);
            let modelled = |of: &dyn Fn(&BradleyTerry) -> f64| model.as_ref().map(of).map_err(|why| *why);
            let mut found: Vec<Measure> = (0..systems).map(|at| win_rate(wins, at)).collect();
            found.extend((0..systems).map(|at| modelled(&|model| model.strengths[at])));
            found.extend(pairs.iter().map(|pair| pair_rate(wins, *pair)));
            found.extend(pairs.iter().map(|[one, other]| modelled(&|model| model.difference(*one, *other))));
            found
        };
        let all = self.together(&|_| 1);
        let ranges = [
            (systems, NumberRange::PERCENT),
            (systems, NumberRange::Any),
            (pairs.len(), NumberRange::PERCENT),
        ];
        let ranges = ranges.into_iter().flat_map(|(count, range)| std::iter::repeat_n(range, count));
        let whole: Vec<(Measure, NumberRange)> =
            statistics(&all).into_iter().zip(ranges.chain(std::iter::repeat(NumberRange::Any))).collect();
        let clusters: Vec<&Wins> = self.wins.values().collect();
        let carries =
            |cluster: usize, at: usize| match at.checked_sub(2 * systems).and_then(|at| pairs.get(at)) {
                Some(pair) => pair_rate(clusters[cluster], *pair).is_ok(),
                None => at >= systems || win_rate(clusters[cluster], at).is_ok(),
            };
        let mut found = intervals.of_clusters(clusters.len(), &whole, carries, |changed| {
            let mut times = vec![1; clusters.len()];
            changed.iter().for_each(|(cluster, changed)| times[*cluster] = *changed);
            statistics(&self.together(&|cluster| times[cluster]))
        });
        let mut differences = found.split_off(2 * systems + pairs.len());
        let pair_rates = found.split_off(2 * systems);
        let mut strengths = found.split_off(systems);
        if let (Intervals::Formula, Ok(model)) = (intervals, BradleyTerry::of(&all)) {
            let own = strengths.iter_mut().enumerate();
            own.for_each(|(at, one)| one.interval = Some(Ok(model.interval(at))));
            let own = differences.iter_mut().zip(&pairs);
            own.for_each(|(one, [first, second])| {
                one.interval = Some(Ok(model.interval_of_difference(*first, *second)));
            });
        }
        [found, strengths, pair_rates, differences]
    }
}

impl FirstPreferred {
    fn of<'a>(judged: impl Iterator<Item = (u32, &'a PairJudged)>, intervals: Intervals) -> FirstPreferred {
        let mut share = Score::new(Undefined::NoDecidedComparisons);
        let mut consistency = Score::new(Undefined::NoSwappedPairs);
        let mut ties = 0;
        for (cluster, PairJudged { said, again, .. }) in judged {
            let is_swapped =
                |again: &PairSaid| said.first.is_some_and(|first| again.first == Some(1 - first));
            if let Some(again) = again.filter(is_swapped) {
                consistency.count(cluster, again.better == said.better);
            }
            match (said.better, said.first) {
                (_, None) => {}
                (None, Some(_)) => ties += 1,
                (Some(better), Some(first)) => share.count(cluster, better == first),
            }
        }
        let ((first_wins, decided), (same, swapped)) = (share.part(), consistency.part());
        let mut found = share.estimate(NumberRange::PERCENT, intervals);
        if intervals == Intervals::Formula && decided > 0 {
            found.interval = Some(Ok(wilson(first_wins, decided)));
        }
        FirstPreferred {
            decided,
            ties,
            first_wins,
            share: found,
            p: share.value().map(|_| as_far_from_half(first_wins, decided)),
            swapped,
            same,
            consistency: consistency.estimate(NumberRange::PERCENT, intervals),
        }
    }
}

/// The interval of a share in per cent after Wilson 1927, Journal of the American Statistical Association 22:209.
fn wilson(part: usize, whole: usize) -> Interval {
    let (n, z) = (whole as f64, Interval::NORMAL);
    let share = part as f64 / n;
    let middle = share + z * z / (2.0 * n);
    let reach = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let end = |side: f64| 100.0 * (middle + side * reach) / (1.0 + z * z / n);
    Interval::formula(end(-1.0), end(1.0)).within(0.0, 100.0)
}

/// P(|X − n/2| ≥ |x − n/2|) of a fair coin that is thrown n times.
fn as_far_from_half(part: usize, whole: usize) -> f64 {
    let fewer = part.min(whole - part);
    if 2 * fewer == whole {
        return 1.0;
    }
    // ln of (n over k) / 2ⁿ, for k from 0.
    let mut chance = -(whole as f64) * std::f64::consts::LN_2;
    let mut sum = 0.0;
    for k in 0..=fewer {
        sum += chance.exp();
        chance += ((whole - k) as f64 / (k + 1) as f64).ln();
    }
    (2.0 * sum).min(1.0)
}
