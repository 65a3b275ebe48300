//! A comparison: the ratings of one question, with links where the question has them.

use super::Grouping;
use crate::agreement::{
    Confusion, Counts, LinkedCounts, Linking, Links, Margins, Pair, PairLinkings, Ratings, Scale,
};

/// One question of one protocol, one of its tags, or one file of ratings.
pub struct Comparison {
    /// The protocol; `None` for a file of ratings.
    pub protocol: Option<String>,
    /// The question; `None` for a file of ratings.
    pub question: Option<String>,
    /// The tag that is compared, where the question has tags.
    pub tag: Option<String>,
    pub ratings: Ratings,
    /// Links of each pair of annotators by position; `None` where no question links.
    pub links: Option<PairLinkings>,
    /// The bullets beside the labels; `None` where no question links.
    pub linked: Option<Linked>,
    pub grouping: Grouping,
    /// Notes for the reader, such as annotators left out.
    pub notes: Vec<String>,
}

/// The bullets of all judgments, and which labels ask for one.
pub struct Linked {
    pub links: Links,
    /// Whether the label asks for a bullet, by category.
    pub asks: Vec<bool>,
}

/// A pair of annotators, with their statistics.
pub struct ComparedPair {
    pub pair: Pair,
    pub confusion: Confusion,
    pub margins: Margins,
    /// The agreement of links; `None` where no question links.
    pub linking: Option<Linking>,
    /// The agreement of labels and links together; `None` where no question links.
    pub linked: Option<LinkedCounts>,
}

/// The most pairs of annotators that are listed one by one; more would take gigabytes.
const MOST_LISTED: usize = 40_000;

/// The pairs of annotators that are listed.
pub struct PairsListed {
    /// Pairs in the order of their first annotator, then of the second.
    pub pairs: Vec<ComparedPair>,
    /// A sentence where pairs are left out.
    pub note: Option<String>,
}

impl Comparison {
    pub fn number_of_pairs(&self) -> usize {
        let annotators = self.ratings.raters().len();
        annotators * annotators.saturating_sub(1) / 2
    }

    /// Every pair of annotators. Where they are too many, only pairs with items in common, those with the most.
    pub fn pairs(&self) -> PairsListed {
        let (number, counts) = (self.number_of_pairs(), Counts::of(&self.ratings));
        let is_all = number <= MOST_LISTED;
        let mut items = Vec::new();
        let each = |visit: &mut dyn FnMut(usize, usize, &Confusion)| match is_all {
            true => counts.each_pair(visit),
            false => counts.each_met_pair(visit),
        };
        each(&mut |_, _, table| items.push(table.items()));
        let mut is_listed = most_of(&items, MOST_LISTED).into_iter();
        let linked = self.linked.as_ref().map(|linked| linked.links.pairs(&self.ratings, &linked.asks));
        let mut pairs = Vec::new();
        each(&mut |a, b, table| {
            if is_listed.next() == Some(true) {
                pairs.push(ComparedPair {
                    pair: Pair::of(&counts, (a, b), table).on(self.ratings.scale()),
                    confusion: table.clone(),
                    margins: Margins::of(table),
                    linking: self.links.as_ref().map(|links| links.between(a, b)),
                    linked: linked.as_ref().map(|linked| linked.get(&(a, b)).copied().unwrap_or_default()),
                });
            }
        });
        let left_out = items.len() - pairs.len();
        let note = (!is_all).then(|| {
            let of_these = match left_out {
                0 => "those with items in common".to_owned(),
                _ => format!("those with the most items in common; {left_out} more have some"),
            };
            format!(
                "{} of the {number} pairs of annotators are listed: {of_these}. --annotators names fewer annotators.",
                pairs.len()
            )
        });
        PairsListed { pairs, note }
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

/// For each number, whether it is among the `most` largest; of equal numbers the first.
pub fn most_of(numbers: &[u64], most: usize) -> Vec<bool> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(numbers.get(*at)));
    let mut is_among = vec![false; numbers.len()];
    for at in order.into_iter().take(most) {
        is_among[at] = true; // one for each number
    }
    is_among
}
