//! Which of two candidates people find better: win rates, strengths, and whether the place on the screen decides.
//!
//! A win rate is wins and half the ties by comparisons; a pair that several people judged weighs one. Strengths are those of
//! [`BradleyTerry`].

use std::collections::{BTreeMap, BTreeSet};

use super::bradley_terry::BradleyTerry;
use super::items::{Counted, Score, Thing};
use super::measure::{Measure, Undefined};
use super::origin::Origin;
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

    /// What somebody said of a pair; `None` where nobody asked, or nothing was said.
    pub fn read(&self, answers: &Answers) -> Option<PairSaid> {
        let better = answers.get(self.key()).filter(|_| self.better.is_asked(answers))?.as_text()?;
        Some(PairSaid {
            better: SIDES.iter().position(|side| *side == better),
            first: self.protocol.was_turned(answers).map(usize::from),
        })
    }
}

/// What one person said of one pair, by the places of its candidates in the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairSaid {
    /// The better one; `None` for a tie.
    pub better: Option<usize>,
    /// The one that stood first, where that is on record.
    pub first: Option<usize>,
}

/// One person's judgment of one pair.
#[derive(Debug, Clone, PartialEq)]
pub struct PairJudged {
    pub origin: Origin,
    /// The systems of its two candidates.
    pub systems: [String; 2],
    pub said: PairSaid,
    /// What the same person said when the pair came a second time.
    pub again: Option<PairSaid>,
}

/// What comparisons of systems come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Preferences {
    /// The strongest first.
    pub systems: Vec<SystemPreferred>,
    /// Every two systems that were compared, the stronger one first.
    pub pairs: Vec<PairPreferred>,
    pub position: FirstPreferred,
}

/// How a system fares.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemPreferred {
    pub system: String,
    /// Pairs that it is in.
    pub compared: Counted,
    /// 0–100.
    pub win_rate: Estimate,
    /// θ of [`BradleyTerry`].
    pub strength: Estimate,
}

/// How one system fares against another.
#[derive(Debug, Clone, PartialEq)]
pub struct PairPreferred {
    pub systems: [String; 2],
    pub compared: Counted,
    /// Of the first, 0–100.
    pub win_rate: Estimate,
    /// The chance of the first by the strengths, 0–100.
    pub beats: Measure,
    /// The strength of the first less that of the second.
    pub difference: Estimate,
}

/// Whether what stands first is preferred, by judgments that say what stood first.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstPreferred {
    /// Judgments without a tie.
    pub decided: usize,
    pub ties: usize,
    pub first_wins: usize,
    /// The share of the decided ones that the first won, 0–100.
    pub share: Estimate,
    /// The chance of a share as far from a half, were there no difference.
    pub p: Measure,
    /// Pairs that one person judged in both orders, and those with the same answer.
    pub swapped: usize,
    pub same: usize,
    /// The share of the same answer, 0–100.
    pub consistency: Estimate,
}

/// By system and system, how often the one was found better than the other.
type Wins = Vec<Vec<f64>>;

impl Preferences {
    /// What these pairs come to.
    pub fn of(pairs: &[Thing<'_, PairJudged>], intervals: Intervals) -> Preferences {
        let judged = || pairs.iter().flat_map(|pair| pair.judgments.iter().map(move |one| (pair, *one)));
        let names: BTreeSet<&str> = judged().flat_map(|(_, one)| &one.systems).map(String::as_str).collect();
        let mut names: Vec<&str> = names.into_iter().collect();
        names.sort_by_cached_key(|name| natural(name));
        let place = |name: &String| names.iter().position(|other| other == name).unwrap_or_default();
        let mut clusters: BTreeMap<u32, Wins> = BTreeMap::new();
        let mut compared = vec![Counted::default(); names.len()];
        let mut met: BTreeMap<[usize; 2], Counted> = BTreeMap::new();
        for pair in pairs {
            let Some([one, other]) =
                pair.judgments.first().map(|judgment| judgment.systems.each_ref().map(place))
            else {
                continue;
            };
            // A system is no better than itself.
            if one == other {
                continue;
            }
            let wins = clusters.entry(pair.cluster).or_insert_with(|| nothing(names.len()));
            let weight = pair.drawn.weight / pair.judgments.len() as f64;
            for judgment in &pair.judgments {
                let [of_one, of_other] = match judgment.said.better {
                    None => [0.5, 0.5],
                    Some(0) => [1.0, 0.0],
                    Some(_) => [0.0, 1.0],
                };
                wins[one][other] += weight * of_one;
                wins[other][one] += weight * of_other;
            }
            let judgments = pair.judgments.len();
            [one, other].into_iter().for_each(|place| compared[place].add(judgments));
            met.entry([one.min(other), one.max(other)]).or_default().add(judgments);
        }
        let estimates =
            Estimates::of(&clusters.into_values().collect::<Vec<Wins>>(), names.len(), &met, intervals);
        let mut systems: Vec<SystemPreferred> = (0..names.len())
            .map(|at| SystemPreferred {
                system: names[at].to_owned(),
                compared: compared[at],
                win_rate: estimates.rates[at],
                strength: estimates.strengths[at],
            })
            .collect();
        let rank =
            |one: &SystemPreferred| one.strength.value.or(one.win_rate.value).unwrap_or(f64::NEG_INFINITY);
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by(|one, other| rank(&systems[*other]).total_cmp(&rank(&systems[*one])));
        let ranked = |at: usize| order.iter().position(|place| *place == at).unwrap_or_default();
        let mut against: Vec<([usize; 2], PairPreferred)> = met
            .iter()
            .enumerate()
            .map(|(at, (places, compared))| {
                let is_turned = ranked(places[0]) > ranked(places[1]);
                let turned = |estimate: Estimate, whole: f64| {
                    if is_turned { reversed(estimate, whole) } else { estimate }
                };
                let [first, second] = if is_turned { [places[1], places[0]] } else { *places };
                let pair = PairPreferred {
                    systems: [names[first].to_owned(), names[second].to_owned()],
                    compared: *compared,
                    win_rate: turned(estimates.pair_rates[at], 100.0),
                    beats: estimates
                        .model
                        .as_ref()
                        .map(|model| 100.0 * model.beats(first, second))
                        .map_err(|why| *why),
                    difference: turned(estimates.differences[at], 0.0),
                };
                ([ranked(first), ranked(second)], pair)
            })
            .collect();
        against.sort_by_key(|(ranks, _)| *ranks);
        let at: BTreeMap<&str, usize> =
            names.iter().enumerate().map(|(at, name)| (*name, ranked(at))).collect();
        systems.sort_by_key(|one| at.get(one.system.as_str()).copied());
        Preferences {
            systems,
            pairs: against.into_iter().map(|(_, pair)| pair).collect(),
            position: FirstPreferred::of(judged().map(|(pair, one)| (pair.cluster, one)), intervals),
        }
    }
}

fn nothing(size: usize) -> Wins {
    vec![vec![0.0; size]; size]
}

/// The same of the other of two, whose number is the rest of `whole`.
fn reversed(estimate: Estimate, whole: f64) -> Estimate {
    let turn =
        |interval: Interval| Interval { low: whole - interval.high, high: whole - interval.low, ..interval };
    Estimate {
        value: estimate.value.map(|value| whole - value),
        interval: estimate.interval.map(|interval| interval.map(turn)),
        ..estimate
    }
}

/// What the counts of clusters come to: by system, and by pair of systems.
struct Estimates {
    rates: Vec<Estimate>,
    strengths: Vec<Estimate>,
    pair_rates: Vec<Estimate>,
    differences: Vec<Estimate>,
    model: Result<BradleyTerry, Undefined>,
}

impl Estimates {
    fn of(
        clusters: &[Wins],
        systems: usize,
        met: &BTreeMap<[usize; 2], Counted>,
        intervals: Intervals,
    ) -> Estimates {
        let pairs: Vec<[usize; 2]> = met.keys().copied().collect();
        let rate = |wins: f64, losses: f64| match wins + losses {
            compared if compared > 0.0 => Ok(100.0 * wins / compared),
            _ => Err(Undefined::NoComparisons),
        };
        let rate_of =
            |wins: &Wins, at: usize| rate(wins[at].iter().sum(), wins.iter().map(|row| row[at]).sum());
        let rate_of_pair = |wins: &Wins, [one, other]: [usize; 2]| rate(wins[one][other], wins[other][one]);
        let together = |times: &dyn Fn(usize) -> u64| {
            let mut sum = nothing(systems);
            for (at, wins) in clusters.iter().enumerate() {
                let added = sum.iter_mut().flatten().zip(wins.iter().flatten());
                added.for_each(|(sum, wins)| *sum += times(at) as f64 * wins);
            }
            sum
        };
        // By system its rate and its strength, by pair the rate and the difference.
        let statistics = |wins: &Wins| -> (Vec<Measure>, Result<BradleyTerry, Undefined>) {
            let model = BradleyTerry::of(wins);
            let modelled = |of: &dyn Fn(&BradleyTerry) -> f64| model.as_ref().map(of).map_err(|why| *why);
            let mut found: Vec<Measure> = (0..systems).map(|at| rate_of(wins, at)).collect();
            found.extend((0..systems).map(|at| modelled(&|model| model.strengths[at])));
            found.extend(pairs.iter().map(|pair| rate_of_pair(wins, *pair)));
            found.extend(pairs.iter().map(|[one, other]| modelled(&|model| model.difference(*one, *other))));
            (found, model)
        };
        let (values, model) = statistics(&together(&|_| 1));
        let is_rate = |at: usize| at < systems || (2 * systems..2 * systems + pairs.len()).contains(&at);
        let range = |at: usize| if is_rate(at) { NumberRange::PERCENT } else { NumberRange::Any };
        let whole: Vec<(Measure, NumberRange)> =
            values.iter().enumerate().map(|(at, value)| (*value, range(at))).collect();
        let carries = |cluster: usize, at: usize| {
            let wins = &clusters[cluster];
            match at.checked_sub(2 * systems).and_then(|at| pairs.get(at)) {
                Some(pair) => rate_of_pair(wins, *pair).is_ok(),
                None => at >= systems || rate_of(wins, at).is_ok(),
            }
        };
        let mut found = intervals.of_clusters(clusters.len(), &whole, carries, |changed| {
            let times =
                |at: usize| changed.iter().find(|(cluster, _)| *cluster == at).map_or(1, |(_, times)| *times);
            statistics(&together(&times)).0
        });
        if let (Intervals::Formula, Ok(model)) = (intervals, &model) {
            for (at, one) in found.iter_mut().enumerate().filter(|(at, _)| !is_rate(*at)) {
                one.interval = Some(Ok(match pairs.get(at.wrapping_sub(2 * systems + pairs.len())) {
                    Some([first, second]) => model.interval_of_difference(*first, *second),
                    None => model.interval(at - systems),
                }));
            }
        }
        let differences = found.split_off(2 * systems + pairs.len());
        let pair_rates = found.split_off(2 * systems);
        let strengths = found.split_off(systems);
        Estimates { rates: found, strengths, pair_rates, differences, model }
    }
}

impl FirstPreferred {
    fn of<'a>(judged: impl Iterator<Item = (u32, &'a PairJudged)>, intervals: Intervals) -> FirstPreferred {
        let mut share = Score::new(Undefined::NoDecidedComparisons);
        let mut consistency = Score::new(Undefined::NoSwappedPairs);
        let mut ties = 0;
        for (cluster, PairJudged { said, again, .. }) in judged {
            if let Some(again) = again.filter(|again| said.first.is_some() && again.first.is_some()) {
                if again.first != said.first {
                    consistency.count(cluster, again.better == said.better);
                }
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
            p: if decided > 0 {
                Ok(as_far_from_half(first_wins, decided))
            } else {
                Err(Undefined::NoDecidedComparisons)
            },
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
