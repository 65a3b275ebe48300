//! What is compared: ratings of one question, with links where the question has them.

use std::collections::BTreeMap;

use super::grouping::Grouping;
use crate::agreement::{
    Counts, LinkedCounts, Linking, Links, Margins, Pair, PairLinkings, Ratings, Scale, pairs,
};

/// One question of one protocol, one of its tags, or one file of ratings.
pub struct Comparison {
    /// None for a file of ratings.
    pub protocol: Option<String>,
    /// None for a file of ratings.
    pub question: Option<String>,
    /// Where the question has tags: the one that is compared.
    pub tag: Option<String>,
    pub ratings: Ratings,
    /// Links of each pair of annotators by position; None where no question links.
    pub links: Option<PairLinkings>,
    /// The bullets beside the labels; None where no question links.
    pub linked: Option<Linked>,
    pub grouping: Grouping,
    /// What a reader should know first, such as annotators left out.
    pub notes: Vec<String>,
}

/// The bullets of all judgments, and which labels ask for one.
pub struct Linked {
    pub links: Links,
    /// By category.
    pub asks: Vec<bool>,
}

/// A pair of annotators with what they agree on.
pub struct ComparedPair {
    pub pair: Pair,
    pub margins: Margins,
    /// None where no question links.
    pub linking: Option<Linking>,
    /// None where no question links.
    pub linked: Option<LinkedCounts>,
}

/// More pairs of annotators than this are not listed one by one: nobody reads them, and they would take gigabytes.
const MOST_LISTED: usize = 20_000;

impl Comparison {
    pub fn number_of_pairs(&self) -> usize {
        let annotators = self.ratings.raters().len();
        annotators * annotators.saturating_sub(1) / 2
    }

    /// Why pairs are not listed one by one, where they are too many.
    pub fn why_no_pairs(&self) -> Option<String> {
        let number = self.number_of_pairs();
        (number > MOST_LISTED).then(|| {
            format!(
                "The {number} pairs of annotators are not listed, which is done for up to {MOST_LISTED}; name fewer \
                 annotators with --annotators."
            )
        })
    }

    /// Every pair of annotators, ordered by the first, then the second; none where there are too many to list.
    pub fn pairs(&self) -> Vec<ComparedPair> {
        if self.number_of_pairs() > MOST_LISTED {
            return Vec::new();
        }
        let mut margins = Vec::new();
        Counts::of(&self.ratings).each_pair(|a, b, table| margins.push(((a, b), Margins::of(table))));
        let linked = self.linked.as_ref().map(|linked| linked.links.pairs(&self.ratings, &linked.asks));
        let linked: BTreeMap<(usize, usize), LinkedCounts> = linked.into_iter().flatten().collect();
        margins
            .into_iter()
            .zip(pairs(&self.ratings))
            .map(|((position, margins), pair)| ComparedPair {
                pair,
                margins,
                linking: self.links.as_ref().map(|links| links.between(position.0, position.1)),
                linked: linked.get(&position).copied(),
            })
            .collect()
    }

    /// Annotators in the order of the table.
    pub fn annotators(&self) -> Vec<&str> {
        self.ratings.raters().iter().collect()
    }

    /// The name of the scale, as options take it.
    pub fn scale_name(&self) -> &'static str {
        match self.ratings.scale() {
            Scale::Nominal => "nominal",
            Scale::Ordinal => "ordinal",
            Scale::Interval => "interval",
        }
    }

    /// Protocol, question and tag, as titles name them.
    pub fn subject(&self) -> String {
        let question = match (&self.protocol, &self.question) {
            (Some(protocol), Some(question)) if protocol != question => format!("{protocol} · {question}"),
            (Some(protocol), _) => protocol.clone(),
            _ => "Ratings".to_owned(),
        };
        self.tag.iter().fold(question, |question, tag| format!("{question} · {tag}"))
    }
}
