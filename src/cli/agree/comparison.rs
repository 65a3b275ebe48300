//! What is compared: ratings of one question, with links where the question has them.

use std::collections::BTreeMap;

use crate::agreement::{Coefficient, Linking, Pair, Ratings, Scale, on_scale, pairs};

/// One question of one protocol, one of its tags, or one file of ratings.
pub struct Comparison {
    /// None for a file of ratings.
    pub protocol: Option<String>,
    /// None for a file of ratings.
    pub question: Option<String>,
    /// Where the question has tags: the one that is compared.
    pub tag: Option<String>,
    pub ratings: Ratings,
    /// Links of each pair of annotators by position; empty where no question links.
    pub links: BTreeMap<(usize, usize), Linking>,
    /// What a reader should know first, such as annotators left out.
    pub notes: Vec<String>,
}

/// A pair of annotators with what they agree on.
pub struct ComparedPair {
    pub pair: Pair,
    /// None where no question links.
    pub linking: Option<Linking>,
}

impl Comparison {
    /// The coefficients that suit the scale.
    pub fn coefficients(&self) -> Vec<Coefficient> {
        on_scale(&self.ratings)
    }

    /// Every pair of annotators, ordered by the first, then the second.
    pub fn pairs(&self) -> Vec<ComparedPair> {
        let count = self.ratings.raters().len();
        let positions = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
        positions
            .zip(pairs(&self.ratings))
            .map(|(position, pair)| ComparedPair { pair, linking: self.links.get(&position).copied() })
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

    /// Items with a rating, items with two or more, ratings.
    pub fn sizes(&self) -> (usize, usize, usize) {
        let mut sizes = (0, 0, 0);
        for item in 0..self.ratings.items().len() {
            let raters = 0..self.ratings.raters().len();
            let given = raters.filter(|rater| self.ratings.rating(item, *rater).is_some()).count();
            sizes.0 += usize::from(given > 0);
            sizes.1 += usize::from(given > 1);
            sizes.2 += given;
        }
        sizes
    }
}
