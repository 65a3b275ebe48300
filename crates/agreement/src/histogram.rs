//! How often each distinct list of category counts occurs among the items.
//!
//! All coefficients that do not ask which rater gave a rating are sums over this histogram.
//! Notation of the formulas: q categories; n items with at least one rating; r_ik raters put item i into
//! category k; r_i = Σ_k r_ik; an item with r_i ≥ 2 is pairable.

use super::{DistinctRows, Ratings, short};

/// A distinct list of category counts.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// (category k, r_ik) for the categories with r_ik > 0, ascending.
    pub(super) counts: Vec<(u8, u32)>,
    /// r_i.
    pub(super) ratings: u32,
    /// How many items have these counts; may be 0 after reweighting.
    pub(super) items: u64,
}

impl Pattern {
    fn new(sorted: &[u8]) -> Self {
        let runs = sorted.chunk_by(|a, b| a == b);
        // A row has at most 65,535 cells.
        let length = |run: &[u8]| short(run.len());
        let counts = runs.filter_map(|run| Some((*run.first()?, length(run)))).collect();
        Self { counts, ratings: length(sorted), items: 0 }
    }

    /// Whether the item has two ratings or more.
    pub(super) fn pairable(&self) -> bool {
        self.ratings >= 2
    }

    /// (k, r_ik) as position and floating-point number.
    pub(super) fn shares(&self) -> impl Iterator<Item = (usize, f64)> + Clone {
        self.counts.iter().map(|(category, count)| (usize::from(*category), f64::from(*count)))
    }

    /// Ordered pairs of ratings, r_i (r_i − 1).
    pub(super) fn pairs(&self) -> f64 {
        f64::from(self.ratings) * (f64::from(self.ratings) - 1.0)
    }

    /// Ordered pairs of equal ratings, Σ_k r_ik (r_ik − 1).
    pub(super) fn agreeing_pairs(&self) -> f64 {
        self.shares().map(|(_, count)| count * (count - 1.0)).sum()
    }

    /// Σ_kl r_ik r_il δ(k, l) for a symmetric δ with δ(k, k) = 0. Exact when δ is whole-numbered.
    pub(super) fn disagreement(&self, distance: impl Fn(usize, usize) -> f64) -> f64 {
        let mut rest = self.shares();
        let mut sum = 0.0;
        while let Some((k, count)) = rest.next() {
            sum += count * rest.clone().map(|(l, other)| other * distance(k, l)).sum::<f64>();
        }
        2.0 * sum
    }
}

/// The patterns of a table and the sums over all of its items.
#[derive(Clone, Debug)]
pub(super) struct Histogram {
    patterns: Vec<Pattern>,
    pattern_of_row: Vec<u32>,
    categories: usize,
    rated: Totals,
    pairable: Totals,
    prevalence: Vec<f64>,
    /// π_k over the pairable items only.
    prevalence_pairable: Vec<f64>,
}

/// Sums over items.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    pub(super) items: u64,
    pub(super) ratings: u64,
    /// Number of ratings in each category.
    pub(super) by_category: Vec<u64>,
}

impl Totals {
    fn add(&mut self, pattern: &Pattern) {
        self.items += pattern.items;
        self.ratings += pattern.items * u64::from(pattern.ratings);
        for (category, count) in &pattern.counts {
            // A rating is always one of the categories.
            self.by_category[usize::from(*category)] += pattern.items * u64::from(*count);
        }
    }

    /// Whether the ratings all lie in one category, or there is none.
    pub(super) fn one_category(&self) -> bool {
        self.by_category.iter().filter(|count| **count > 0).count() <= 1
    }
}

impl Histogram {
    pub(super) fn of(ratings: &Ratings, rows: &DistinctRows) -> Self {
        let sorted = |row: super::cells::RatingRow<'_>| {
            let mut categories: Vec<u8> = row.ratings().map(|(_, category)| category).collect();
            categories.sort_unstable();
            categories
        };
        // In a fixed order, so that the order of the items cannot change the last digit of a sum.
        let mut keyed: Vec<(Vec<u8>, usize)> =
            rows.iter(ratings).enumerate().map(|(number, (row, _))| (sorted(row), number)).collect();
        keyed.sort_unstable();
        let mut patterns = Vec::new();
        let mut pattern_of_row = vec![0; keyed.len()];
        for group in keyed.chunk_by(|a, b| a.0 == b.0) {
            for (_, row) in group {
                // `row` numbers the rows; there are fewer than 2³².
                pattern_of_row[*row] = short(patterns.len());
            }
            patterns.extend(group.first().map(|(categories, _)| Pattern::new(categories)));
        }
        let categories = ratings.categories().len();
        let mut histogram = Self {
            patterns,
            pattern_of_row,
            categories,
            rated: Totals::default(),
            pairable: Totals::default(),
            prevalence: Vec::new(),
            prevalence_pairable: Vec::new(),
        };
        histogram.count(rows);
        histogram
    }

    /// Takes over how often each row occurs.
    pub(super) fn count(&mut self, rows: &DistinctRows) {
        for pattern in &mut self.patterns {
            pattern.items = 0;
        }
        for (pattern, items) in self.pattern_of_row.iter().zip(rows.multiplicity()) {
            self.patterns[*pattern as usize].items += items; // made by `of`, one number a row
        }
        self.add_up();
    }

    /// Takes these items out, or puts them back: rows with their numbers.
    pub(super) fn shift(&mut self, content: &[(u32, u32)], is_out: bool) {
        for (row, items) in content {
            let pattern = self.pattern_of_row[*row as usize] as usize; // made by `of`, one number a row
            let (own, items) = (&mut self.patterns[pattern].items, u64::from(*items));
            *own = if is_out { *own - items } else { *own + items };
        }
        self.add_up();
    }

    /// The sums over all patterns.
    fn add_up(&mut self) {
        let empty = || Totals { by_category: vec![0; self.categories], ..Totals::default() };
        let (mut rated, mut pairable) = (empty(), empty());
        let (mut prevalence, mut of_pairable) = (vec![0.0; self.categories], vec![0.0; self.categories]);
        for pattern in self.patterns.iter().filter(|pattern| pattern.items > 0 && pattern.ratings > 0) {
            rated.add(pattern);
            if pattern.pairable() {
                pairable.add(pattern);
            }
            let weight = real(pattern.items) / f64::from(pattern.ratings);
            for (category, count) in pattern.shares() {
                // A rating is always one of the categories.
                prevalence[category] += weight * count;
                of_pairable[category] += if pattern.pairable() { weight * count } else { 0.0 };
            }
        }
        let divide = |shares: &mut [f64], items: u64| {
            shares.iter_mut().for_each(|share| *share /= real(items.max(1)));
        };
        divide(&mut prevalence, rated.items);
        divide(&mut of_pairable, pairable.items);
        (self.rated, self.pairable) = (rated, pairable);
        (self.prevalence, self.prevalence_pairable) = (prevalence, of_pairable);
    }

    /// q, the number of categories of the schema.
    pub(super) fn categories(&self) -> usize {
        self.categories
    }

    /// Sums over the items with at least one rating.
    pub(super) fn rated(&self) -> &Totals {
        &self.rated
    }

    /// Sums over the items with at least two ratings.
    pub(super) fn pairable(&self) -> &Totals {
        &self.pairable
    }

    /// π_k, the mean over all rated items of r_ik / r_i.
    pub(super) fn prevalence(&self) -> &[f64] {
        &self.prevalence
    }

    /// The mean over the pairable items of r_ik / r_i.
    pub(super) fn prevalence_pairable(&self) -> &[f64] {
        &self.prevalence_pairable
    }

    /// The counts of a row.
    pub(super) fn of_row(&self, row: u32) -> &Pattern {
        &self.patterns[self.pattern_of_row[row as usize] as usize] // one number a row, one pattern a number
    }

    /// Pairs of labels that came together on an item, both ways; a label with itself where two chose it.
    pub(super) fn labels_met(&self) -> Vec<(usize, usize)> {
        let mut met = vec![false; self.categories * self.categories];
        for pattern in self.pairable_patterns() {
            for (k, count) in pattern.shares() {
                let others = pattern.shares().filter(|(l, _)| *l != k || count > 1.0);
                others.for_each(|(l, _)| met[k * self.categories + l] = true); // both are categories
            }
        }
        let places = met.iter().enumerate().filter(|(_, met)| **met);
        places.map(|(place, _)| (place / self.categories, place % self.categories)).collect()
    }

    /// The patterns that occur with at least one rating.
    pub(super) fn rated_patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.patterns.iter().filter(|pattern| pattern.items > 0 && pattern.ratings > 0)
    }

    /// The patterns that occur with at least two ratings.
    pub(super) fn pairable_patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.rated_patterns().filter(|pattern| pattern.pairable())
    }

    /// Mean of a value over the pairable items; NaN when there is none, which callers rule out first.
    pub(super) fn pairable_mean(&self, value: impl Fn(&Pattern) -> f64) -> f64 {
        let sum: f64 = self.pairable_patterns().map(|pattern| real(pattern.items) * value(pattern)).sum();
        sum / real(self.pairable.items)
    }
}

/// A count as a floating-point number; exact below 2⁵³.
#[expect(clippy::cast_precision_loss, reason = "counts of ratings stay below 2⁵³")]
pub(super) fn real(count: u64) -> f64 {
    count as f64
}
