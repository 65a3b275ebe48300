//! A part of a study that was drawn by a rule, and is kept as a record: a number over what was drawn with unequal
//! probabilities is wrong without them (Horvitz & Thompson 1952; Särndal, Swensson & Wretman 1992, §5.6 and §5.7).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::amendment::{Act, AmendedKind, Amendment, RevisedFields, standing};
use super::item::{ItemKey, TargetKeys};
use crate::number::number_of;

/// The word that stands for a protocol's name in the keys of groups of items and of drawn things.
pub const DRAWN_UNDER: &str = "a group";

/// A part of a study: how it was drawn, and the things in it.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The protocol whose items it was drawn from.
    pub protocol: String,
    pub of: SampledThing,
    /// The filter that the drawn things were taken from; everything without one.
    pub filter: Option<String>,
    /// Number of things asked for, in words: `35`, `10 %, by domain`.
    pub size: String,
    /// The seed of the random numbers.
    pub seed: u64,
    pub strata: Vec<SampleStratum>,
}

/// A stratum: the things that are drawn from as one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SampleStratum {
    /// The stratum's name; empty where nothing is stratified.
    pub name: String,
    /// How many things the stratum had.
    pub all: usize,
    /// Keys of the things that were drawn, ascending.
    pub drawn: Vec<String>,
}

named! {
    /// The kinds of things that are drawn as a whole.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum SampledThing {
        Query = "query",
        Document = "document",
        Unit = "unit",
        Candidate = "summary",
        Bullet = "bullet",
        Pair = "pair",
        /// Nothing but the item itself.
        Item = "item",
    }
}

impl SampledThing {
    /// The key of the thing that a target is a part of; `None` where it is a part of none.
    fn key(self, about: &TargetKeys) -> Option<ItemKey> {
        let TargetKeys { collection, query, document, unit, candidate, bullet, other } = about.clone();
        let query = TargetKeys { collection, query, ..TargetKeys::default() };
        let part = match self {
            SampledThing::Query => query,
            SampledThing::Document => TargetKeys { document: Some(document?), ..query },
            SampledThing::Unit => TargetKeys { unit: Some(unit?), ..query },
            SampledThing::Candidate => TargetKeys { candidate: Some(candidate?), ..query },
            SampledThing::Bullet => {
                TargetKeys { candidate: Some(candidate?), bullet: Some(bullet?), ..query }
            }
            SampledThing::Pair => TargetKeys { candidate: Some(candidate?), other: Some(other?), ..query },
            SampledThing::Item => about.clone(),
        };
        Some(part.item_key(DRAWN_UNDER))
    }
}

/// The rounding error that a sum of equal weights may have.
const ROUNDING: f64 = 1e-9;

impl SampleStratum {
    /// The probability with which a thing of the stratum was drawn, 0–1.
    pub fn probability(&self) -> f64 {
        if self.all == 0 { 0.0 } else { self.drawn.len() as f64 / self.all as f64 }
    }

    /// How many things a drawn one stands for, at least 1.
    fn weight(&self) -> f64 {
        if self.drawn.is_empty() { 1.0 } else { self.all as f64 / self.drawn.len() as f64 }
    }
}

impl Sample {
    /// How many things were drawn, and of how many.
    pub fn sizes(&self) -> (usize, usize) {
        let sum = |of: fn(&SampleStratum) -> usize| self.strata.iter().map(of).sum();
        (sum(|stratum| stratum.drawn.len()), sum(|stratum| stratum.all))
    }

    /// How many things drawn with one probability would say as much of a mean (Kish 1965, Survey Sampling, §11.7).
    pub fn effective(&self) -> usize {
        let (mut sum, mut squares) = (0.0, 0.0);
        for stratum in &self.strata {
            let (drawn, weight) = (stratum.drawn.len() as f64, stratum.weight());
            (sum, squares) = (sum + drawn * weight, squares + drawn * weight * weight);
        }
        // At most the number of things in memory.
        if squares > 0.0 { (sum * sum / squares + ROUNDING).floor() as usize } else { 0 }
    }

    /// A sentence on how the sample was drawn, as a paper says it.
    pub fn sentence(&self, name: &str) -> String {
        let (drawn, all) = self.sizes();
        let of = number_of(all, self.of.name());
        let from = self.filter.as_ref().map_or_else(String::new, |filter| format!(" that fit {filter:?}"));
        if drawn == all {
            return format!("Sample {name}: all {of}{from} ({}).", self.protocol);
        }
        let strata: Vec<String> = (self.strata.iter())
            .map(|stratum| format!("{} {} of {}", stratum.name, stratum.drawn.len(), stratum.all))
            .collect();
        let strata = match strata.len() {
            0 | 1 => String::new(),
            count => format!(", from {count} strata: {}", strata.join("; ")),
        };
        format!(
            "Sample {name}: {drawn} of {of}{from}, drawn at random ({}, seed {}){strata}.",
            self.protocol, self.seed
        )
    }

    /// The sample as the fields of an amendment.
    pub fn fields(&self) -> Option<RevisedFields> {
        serde_json::to_value(self).ok()?.as_object().cloned().map(RevisedFields)
    }
}

/// A sample that stands, by its name, with an index of the drawn things.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingSample {
    pub name: String,
    pub sample: Sample,
    /// The place of the stratum of each drawn thing.
    strata: HashMap<ItemKey, u32>,
}

impl StandingSample {
    /// The samples that stand, in the order in which they were drawn.
    pub fn all(amendments: &[Amendment]) -> Vec<StandingSample> {
        let of_sample = standing(amendments).into_iter().filter(|one| one.of == AmendedKind::Sample);
        let read = |one: &Amendment| {
            let fields = one.to.as_ref().filter(|_| one.act == Act::Draw)?.0.clone();
            // A sample that a newer program drew in another way is none here.
            let sample: Sample = serde_json::from_value(serde_json::Value::Object(fields)).ok()?;
            let keys = (0..).zip(&sample.strata).flat_map(|(place, stratum)| {
                stratum.drawn.iter().filter_map(move |key| Some((key.parse().ok()?, place)))
            });
            Some(StandingSample { name: one.id.clone(), strata: keys.collect(), sample })
        };
        of_sample.filter_map(read).collect()
    }

    /// The place of the stratum in which a target's thing was drawn; `None` where it was not drawn.
    pub fn stratum(&self, about: &TargetKeys) -> Option<u32> {
        self.strata.get(&self.sample.of.key(about)?).copied()
    }

    /// How many things one that was drawn from a stratum stands for.
    pub fn weight(&self, stratum: u32) -> f64 {
        self.sample.strata.get(stratum as usize).map_or(1.0, SampleStratum::weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(candidate: &str) -> TargetKeys {
        let (collection, query) = ("exam".to_owned(), "stress".to_owned());
        TargetKeys { collection, query, candidate: Some(candidate.to_owned()), ..TargetKeys::default() }
    }

    fn sample() -> Sample {
        let key = |candidate: &str| summary(candidate).item_key(DRAWN_UNDER).to_string();
        let stratum = |name: &str, all, drawn: &[&str]| SampleStratum {
            name: name.to_owned(),
            all,
            drawn: drawn.iter().map(|one| key(one)).collect(),
        };
        Sample {
            protocol: "coverage".to_owned(),
            of: SampledThing::Candidate,
            filter: None,
            size: "3".to_owned(),
            seed: 1,
            strata: vec![stratum("news", 2, &["a", "b"]), stratum("chat", 10, &["c"])],
        }
    }

    fn drawn(name: &str, sample: &Sample, at: i64, act: Act) -> Amendment {
        Amendment {
            act,
            of: AmendedKind::Sample,
            collection: String::new(),
            query: String::new(),
            id: name.to_owned(),
            into: None,
            to: sample.fields().filter(|_| act == Act::Draw),
            by: "lead".to_owned(),
            why: "a pilot".to_owned(),
            at,
        }
    }

    #[test]
    fn all_parts_of_what_was_drawn_are_in_it_and_weigh_what_it_stands_for() {
        let all = StandingSample::all(&[drawn("pilot", &sample(), 1, Act::Draw)]);
        let [pilot] = all.as_slice() else { panic!("one sample") };
        let part = |candidate: &str| TargetKeys { unit: Some("u1".to_owned()), ..summary(candidate) };
        assert_eq!(["a", "c", "d"].map(|one| pilot.stratum(&part(one))), [Some(0), Some(1), None]);
        assert_eq!(
            pilot.stratum(&TargetKeys { candidate: None, ..summary("a") }),
            None,
            "a query is no part"
        );
        assert_eq!((pilot.weight(0), pilot.weight(1)), (1.0, 10.0));
        assert_eq!((pilot.sample.sizes(), pilot.sample.effective()), ((3, 12), 1), "144 / 102");
    }

    #[test]
    fn the_latest_of_a_name_stands_until_it_is_taken_back() {
        let second = Sample { seed: 2, ..sample() };
        let both = [drawn("pilot", &second, 5, Act::Draw), drawn("pilot", &sample(), 1, Act::Draw)];
        let seeds = |all: &[Amendment]| {
            StandingSample::all(all).iter().map(|one| one.sample.seed).collect::<Vec<_>>()
        };
        assert_eq!(seeds(&both), [2]);
        let back = drawn("pilot", &sample(), 9, Act::Restore);
        assert!(seeds(&[both[0].clone(), back]).is_empty());
    }
}
